"""Games: headings, points, games that have not been played, and sides without a home."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.data import plain_reader
from tests.examples import examples

LABELS = (
    ("home", "away", "home_points", "away_points"),
    ("HomeTeam", "AwayTeam", "FTHG", "FTAG"),
    ("Home Team", "Away Team", "HomeScore", "AwayScore"),
    ("home_team", "visitor", "home_pts", "visitor_pts"),
    ("team1", "team2", "score1", "score2"),
    ("Team_A", "Team_B", "Score A", "Score B"),
    ("player1", "player2", "points1", "points2"),
)


def test_football_data(sheet):
    data = po.read(
        sheet(
            "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,01/02/2020,15:00,A,B,2,1,H\n"
            "E0,28/02/2020,15:00,B,A,2,2,D\nE0,29/02/2020,15:00,B,C,,,\n"
        )
    )
    assert plain_reader.contests_of(data) == [("A", "B", False), ("B", "A", True)]
    assert data.home.tolist() == [1, 1]
    assert data.report.dropped == {"not played yet (no points)": 1}


def test_two_sides_without_a_home(sheet):
    path = sheet("tstamp,team1,team2,score1,score2\n2020-01-01,A,B,1,2\n")
    data = po.read(path)
    assert data.home is None
    assert data.points.tolist() == [[2, 1]]
    assert 'home="team1", away="team2"' in data.report.notes[0]
    home = po.read(path, home="team1", away="team2", home_points="score1", away_points="score2")
    assert home.home.tolist() == [-1]


def test_points_and_a_winner_may_disagree(sheet):
    path = sheet("team1,team2,score1,score2,winner\nA,B,1,1,B\nA,B,2,1,A\n")
    with pytest.raises(po.DataError) as error:
        po.read(path)
    assert 'outcome=""' in str(error.value)
    assert 'a_points="" and b_points=""' in str(error.value)
    assert po.read(path, outcome="").draw.tolist() == [True, False]
    assert po.read(path, a_points="", b_points="").draw.tolist() == [False, False]


def test_results_of_home_and_away_sides(sheet):
    path = sheet("HomeTeam,AwayTeam,FTR\nX,Y,A\nX,Y,D\n")
    data = po.read(path, a="HomeTeam", b="AwayTeam", outcome="FTR")
    assert plain_reader.contests_of(data) == [("Y", "X", False), ("X", "Y", True)]


def test_half_of_the_points_is_a_problem(sheet):
    path = sheet("home,away,home_score,away_score\nA,B,1,\nB,A,1,0\n")
    with pytest.raises(po.DataError, match="Row 2: no number of points"):
        po.read(path)
    with pytest.raises(po.DataError, match="no contests remain"):
        po.read(sheet("home,away,home_score,away_score\nA,B,,\n"))


points = st.one_of(st.just(("", "")), st.tuples(*[st.integers(0, 3).map(str)] * 2))


@examples(60)
@given(
    st.sampled_from(LABELS),
    st.lists(st.tuples(st.permutations(("A", "B", "C")), points), min_size=1, max_size=8),
)
def test_games_are_those_of_the_plain_reader(labels, made):
    lines = [[*teams[:2], *scored] for teams, scored in made]
    text = "\n".join(",".join(line) for line in [labels, *lines]) + "\n"
    expected = plain_reader.games(text, list(labels))
    columns = {label: [line[i] for line in lines] for i, label in enumerate(labels)}
    if expected:
        assert plain_reader.contests_of(po.read(columns)) == expected
