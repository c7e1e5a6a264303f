"""Points of both sides in one cell."""

import pytest

import peckorder as po

GAMES = "date,home,away,score\n2022-08-12,p,a,{}\n2022-08-13,f,l,2-2\n2022-08-14,a,l,1-0\n"


def told(data):
    table = data.to_table()
    return list(zip(table["winner"], table["loser"], table["draw"], strict=True))


@pytest.mark.parametrize("cell", ["0-2", "0:2", " 0 – 2 "])
def test_home_and_away(sheet, cell):
    data = po.read(sheet(GAMES.format(cell)))
    assert told(data) == [("a", "p", False), ("f", "l", True), ("a", "l", False)]
    assert data.home is not None
    assert '0 for "home" and 2 for "away"' in str(data.report)


def test_chess_and_numbered_sides(sheet):
    chess = "White,Black,Result\nc,n,1-0\nn,d,1/2-1/2\nd,c,0-1\n"
    assert told(po.read(sheet(chess))) == [("c", "n", False), ("n", "d", True), ("c", "d", False)]
    teams = "Team 1,Result,Team 2\np,0:2,a\nf,2:2,l\n"
    assert told(po.read(sheet(teams))) == [("a", "p", False), ("f", "l", True)]


@pytest.mark.parametrize("cell", ["2-2 (4-3 pens)", "2-Jan", "w.o.", "6-2 7-6"])
def test_other_cells_are_refused(sheet, cell):
    with pytest.raises(po.DataError):
        po.read(sheet(GAMES.format(cell)))


def test_the_home_side_that_the_note_proposes(sheet):
    path = sheet("White,Black,Result\nc,n,1-0\nn,d,1/2-1/2\n")
    proposed = {"home_points": "Result of White", "away_points": "Result of Black"}
    data = po.read(path, home="White", away="Black", **proposed)
    assert data.home is not None
    assert po.read(path, **data.report.options).hash == data.hash
    assert told(data) == told(po.read(path)) == told(po.read(path, home="White", away="Black"))


def test_nothing_is_said_of_the_column_of_scores_again(sheet):
    assert "may be data" not in str(po.read(sheet(GAMES.format("0-2"))).check())


def test_games_not_played_yet_and_other_points(sheet):
    data = po.read(sheet(GAMES.format("")))
    assert told(data) == [("f", "l", True), ("a", "l", False)]
    both = po.read(sheet("home,away,score,FTHG,FTAG\na,b,1-0,3,4\nb,a,0-1,1,0\n"))
    assert told(both)[0][:2] == ("b", "a")  # the columns of points decide


def test_a_matrix_of_individuals_called_white_and_black(sheet):
    matrix = po.read(sheet(",white,black,red\nwhite,0,3,1\nblack,1,0,2\nred,0,1,0\n"))
    assert len(matrix) == 8
