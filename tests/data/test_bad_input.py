"""Invalid input: messages state what is wrong, where, and how to fix it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peckorder as po

REFUSED = {
    "empty file": ("", "is empty"),
    "blank file": ("\n\n  \n", "is empty"),
    "header only": ("winner,loser\n", "has a header but no contests"),
    "binary": (bytes(range(256)) * 20, "is not a text file (it contains binary data)"),
    "nul bytes": (b"winner,loser\na,\0b\n", "it contains binary data"),
    "short row": ("winner,loser,x\na,b,1\na,b\n", "the first row has 3 fields, but row 3 has 2"),
    "long row": ("winner,loser\na,b\na,b,c\n", "the first row has 2 fields, but row 3 has 3"),
    "no winner": ("winner,loser\na,b\n,b\n", 'Row 3: no name in column "winner"'),
    "blank loser": ("winner,loser\na,b\na,  \n", 'Row 3: no name in column "loser"'),
    "self-contest": (
        "winner,loser\na,b\nAbe,Abe\n",
        'Row 3: winner and loser are both "Abe". Remove the row, or use self_contests="drop"',
    ),
    "one individual": ("winner,loser\na,a\n", 'winner and loser are both "a"'),
    "no shape": (
        "x,y\nfoo,bar\n",
        'the kind of data was not recognized. Columns found: "x", "y"',
    ),
    "one column": ("winner\na\nb\n", 'Columns found: "winner"'),
    "two winners": (
        "winner,victor,loser\na,a,b\n",
        'several columns match winner: "winner", "victor". Choose one with '
        'winner="winner" or winner="victor".',
    ),
    "same header twice": (
        "winner,loser,loser\na,b,c\n",
        'several columns match loser: "loser (column 2)", "loser (column 3)"',
    ),
    "draw": ("winner,loser,draw\na,b,maybe\n", '"maybe" in column "draw" is neither yes nor no'),
    "draw words": (
        "winner,loser,tie\na,b,W\na,b,Q\n",
        'Row 3: "q" in column "tie" is not W, L or T',
    ),
    "blank draw": ("winner,loser,draw\na,b,\na,b,1\na,b,0\n", 'Row 2: "" in column "draw"'),
    "count text": ("winner,loser,count\na,b,x\n", 'Row 2: "x" in column "count"'),
    "count negative": ("winner,loser,count\na,b,-1\n", 'Row 2: "-1" in column "count"'),
    "count endless": ("winner,loser,count\na,b,1e12\n", "sum to 1e+12 contests"),
    "count fraction": ("winner,loser,count\na,b,1.5\n", "the count 1.5"),
    "points missing": (
        "home,away,home_score,away_score\na,b,1,\n",
        'Row 2: no number of points in column "away_score"',
    ),
    "points text": ("home,away,home_score,away_score\na,b,x,1\n", '"x" in column "home_score"'),
    "neutral": (
        "home,away,home_score,away_score,neutral\na,b,2,1,perhaps\n",
        '"perhaps" in column "neutral"',
    ),
    "vote": ("a,b,outcome\nx,y,z\n", '"z" in column "outcome" names neither side of its row'),
    "places": ("race,A,B\nr1,1,2\nr2,DNF,1\nr3,2,1\n", "write a row per race and individual"),
    "not square": (",a,b,c\na,0,1,2\nb,1,0,3\n", "must be square, but it has 2 rows and 3 columns"),
    "names differ": (",a,b\na,0,1\nc,1,0\n", 'Only in rows: "c"; only in columns: "b"'),
    "negative cell": (",a,b\na,0,-1\nb,1,0\n", 'a negative count: "-1" in row "a", column "b"'),
    "fractional cell": (",a,b\na,0,1.5\nb,1,0\n", "a fractional count"),
    "text cell": (
        ",a,b,c\na,0,x,1\nb,1,0,1\nc,1,1,0\n",
        'not a number: "x" in row "a", column "b"',
    ),
    "blank cell": (",a,b\na,0,\nb,1,0\n", 'row "a", column "b"'),
    "diagonal": (",a,b\na,2,1\nb,1,0\n", "a self-contest"),
    "huge cell": (",a,b\na,0,1e300\nb,1,0\n", 'a count that is too large: "1e300"'),
    "draw against points": (
        "winner,loser,winner_score,loser_score,draw\na,b,3,1,yes\n",
        "disagree on whether",
    ),
    "loser with more points": (
        "winner,loser,winner_score,loser_score\na,b,1,3\n",
        "the winner has fewer points",
    ),
    "vote that is a name": (
        "a,b,outcome\nD,E,D\n",
        '"D" in column "outcome" is ambiguous',
    ),
    "sides called b and a": ("a,b,outcome\nb,a,b\n", "is ambiguous"),
    "open quote": ('winner,loser\n"Abe,b\nc,d\n', 'Row 2 has an unpaired quote (")'),
    "damaged gzip": (b"\x1f\x8b\x08\x00garbage", "is a damaged gzip file"),
    "all zero": (",a,b\na,0,0\nb,0,0\n", "all counts are 0"),
    "names twice": (",a,a\na,0,1\na,1,0\n", 'duplicated names: "a"'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_clear_message(sheet, name):
    text, message = REFUSED[name]
    with pytest.raises(po.DataError) as error:
        po.read(sheet(text))
    assert message in str(error.value)


def test_all_problems_of_a_file_are_reported_together(sheet):
    text = "winner,loser,date\n,b,2020-01-01\na,a,2020-01-01\na,b,someday\n"
    with pytest.raises(po.DataError) as error:
        po.read(sheet(text))
    assert len(error.value.problems) == 3


def test_long_lists_of_rows_are_cut(sheet):
    with pytest.raises(po.DataError, match=r"Rows 2, 3, 4, 5, 6, 7, 8, 9 and 92 more"):
        po.read(sheet("winner,loser\n" + "a,a\n" * 100))


@pytest.mark.slow
def test_ten_thousand_columns(sheet):
    header = ",".join(f"c{i}" for i in range(10_000))
    with pytest.raises(po.DataError) as error:
        po.read(sheet(f"{header}\n{header.upper()}\n"))
    assert "and 9,988 more" in str(error.value)
    assert len(str(error.value)) < 1000


def test_quoted_separators_and_line_breaks_do_not_make_ragged_rows(sheet):
    data = po.read(sheet('winner,loser,note\n"Abe, Jr",Bo,"two\nlines"\n"say ""hi""",Bo,x\n'))
    assert data.individuals == ("Abe, Jr", "Bo", 'say "hi"')
    assert po.read(sheet('winner,loser\nO"Brien,Bo\n')).individuals == ('O"Brien', "Bo")


def test_unknown_column_lists_the_columns(sheet):
    path = sheet("winner,loser,day\na,b,1\n")
    with pytest.raises(
        po.DataError, match='no column "Sieger", given as winner=.*found: "winner", "loser"'
    ):
        po.read(path, winner="Sieger")
    with pytest.raises(po.DataError, match="no column was found for loser"):
        po.read(path, winner="loser")


def test_duplicated_headers_can_be_chosen_by_position(sheet):
    path = sheet("winner,loser,loser\na,b,c\n")
    assert po.read(path, loser="loser (column 3)").individuals == ("a", "c")
    with pytest.raises(po.DataError, match='2 columns are called "loser"'):
        po.read(path, loser="loser")


def test_dataframes_name_positions():
    with pytest.raises(po.DataError, match='Position 1: winner and loser are both "b"'):
        po.read(pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "b"]}))
    with pytest.raises(po.DataError, match='Position 0: no name in column "winner"'):
        po.read(pl.DataFrame({"winner": [None, "b"], "loser": ["b", "c"]}))


def test_arrays_of_unequal_length():
    with pytest.raises(po.DataError, match="3 winners and 2 losers"):
        po.read((["a", "b", "c"], ["b", "c"]))
    with pytest.raises(po.DataError, match='"winner" has 2, "loser" has 1'):
        po.read({"winner": ["a", "b"], "loser": ["c"]})
    with pytest.raises(po.DataError, match="must be square"):
        po.read(np.zeros((2, 3)), kind="matrix")
    with pytest.raises(TypeError, match="peckorder reads a path"):
        po.read(42)


def test_wrong_arguments_list_the_choices(sheet):
    path = sheet("winner,loser\na,b\n")
    with pytest.raises(ValueError, match='kind="list" is not known. Choose one of: events'):
        po.read(path, kind="list")
    with pytest.raises(ValueError, match="Choose one of: refuse, drop"):
        po.read(path, missing="ignore")
    with pytest.raises(FileNotFoundError):
        po.read(path.with_name("gone.csv"))
    empty = path.parent / "empty"
    empty.mkdir()
    with pytest.raises(po.DataError, match="is a folder without files that end in .parquet"):
        po.read(empty)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (-1, "k=-1: give a finite number of at least 0"),
        (float("nan"), "k=nan: give a finite number"),
        (float("inf"), "k=inf: give a finite"),
        ("much", 'k="much" is not valid'),
        (True, "k=True: give a finite"),
        ((1, 2, 3), "A pair of k must be"),
        ({}, "k by context is empty"),
        ([1, -1], "k must contain finite numbers"),
        ([1, 2, 3], "k has 3 values for 2 contests"),
    ],
)
def test_invalid_k(k, message):
    with pytest.raises(ValueError, match=message):
        po.elo(po.read((["a", "b"], ["b", "a"])), k=k)


def test_incomplete_k_by_context(sheet):
    data = po.read(sheet("winner,loser,context\na,b,bite\na,b,chase\n"))
    with pytest.raises(po.DataError, match='Row 3: k has no value for the context "chase"'):
        po.elo(data, k={"bite": 100})
    with pytest.raises(po.DataError, match="k by context needs a column of contexts"):
        po.elo(po.read((["a"], ["b"])), k={"bite": 100})


def test_invalid_k_column(sheet):
    data = po.read(sheet("winner,loser,kk\na,b,100\na,b,big\n"))
    with pytest.raises(po.DataError, match='Row 3: "big" in column "kk" is not a number'):
        po.elo(data, k_column="kk")
    with pytest.raises(po.DataError, match='no unused column "k2". Unused columns: "kk"'):
        po.elo(data, k_column="k2")


def test_start_value_missing_for_one_individual():
    data = po.read((["a", "b"], ["b", "c"]))
    with pytest.raises(po.DataError, match='names that are not in the data: "d".* value: "c"'):
        po.elo(data, start={"a": 1, "b": 2, "d": 3})
    with pytest.raises(ValueError, match="start must be a finite number"):
        po.elo(data, start=float("nan"))


def test_methods_report_missing_requirements():
    data = po.read((["a", "b"], ["b", "c"]))
    for choice, message in (
        ({"outcome": "points"}, "needs points"),
        ({"margin": "log"}, "needs points"),
        ({"home_advantage": 50}, "requires data on who was at home"),
        ({"carry_over": 0.5}, "needs seasons"),
        ({"period": "month"}, "needs dates"),
    ):
        with pytest.raises(po.DataError, match=message):
            po.elo(data, **choice)
    with pytest.raises(ValueError, match="carry_over must be between 0 and 1"):
        po.elo(data, carry_over=1.5)


def test_home_is_matched_to_names_before_flags():
    assert po.read({"winner": [5], "loser": [1], "home": [1]}).home.tolist() == [-1]


def test_missing_names_in_lists_and_numbers_as_names():
    with pytest.raises(po.DataError, match='Position 1: no name in column "winner"'):
        po.read({"winner": ["A", float("nan")], "loser": ["B", "C"]})
    mixed = pd.DataFrame({"winner": [1, "x", 2.0], "loser": ["x", 2, 1.0]})
    assert po.read(mixed).individuals == ("1", "x", "2")
    floats = pd.DataFrame({"winner": [1.0, 2.5], "loser": [2, 1]})
    assert po.read(floats).individuals == ("1", "2", "2.5")
    assert po.read([("A", "B"), ("C", "D")]).individuals == ("A", "B", "C", "D")


def test_matrix_with_names_like_columns_is_not_read_as_votes(sheet):
    data = po.read(sheet("winner,A,B\nA,0,3\nB,1,0\n"))
    assert data.individuals == ("A", "B")
    assert data.matrix().wins.tolist() == [[0, 3], [1, 0]]
    again = po.read(po.datasets.table3().matrix().to_table())
    assert again.matrix().wins.tolist() == po.datasets.table3().matrix().wins.tolist()


def test_lines_that_programs_add(sheet):
    expected = ("a", "b", "c")
    for text in (
        "\n\nwinner,loser\na,b\nb,c\n",
        "sep=;\nwinner;loser\na;b\nb;c\n",
        "winner,loser\ra,b\rb,c\r",
        "winner,loser\na,b\n   \nb,c\n\x1a",
    ):
        assert po.read(sheet(text)).individuals == expected
    with pytest.raises(po.DataError, match="Row 4: winner and loser"):
        po.read(sheet("\n\nwinner,loser\nc,c\n"))


def test_games_with_half_of_the_points_can_be_dropped(sheet):
    path = sheet("home,away,home_score,away_score\na,b,2,1\nb,c,,\nb,c,1,\n")
    data = po.read(path, missing="drop")
    assert len(data) == 1
    assert data.report.dropped == {"not played yet (no points)": 1, "no points": 1}


def test_settings_that_contradict_each_other(sheet):
    games = {"home": ["a"], "away": ["b"], "home_points": [1], "away_points": [0], "kk": [3.0]}
    data = po.read(games)
    for choice, message in (
        ({"k": "fide", "margin": "log"}, 'k="fide" cannot be combined with margin'),
        ({"k": 50, "k_column": "kk"}, "Give k= or k_column="),
        ({"preset": "aniDom", "scale": 300}, "The exponential curve takes delta, not scale"),
        ({"k": 50, "fide": (1, 2, 3)}, "fide can only be used with"),
        ({"fide": (1, 2, 3)}, "fide can only be used with"),
        ({"k": "fide", "fide": 5}, "three numbers"),
        ({"preset": "EloOptimized", "carry_over": 0.5}, "not defined between seasons"),
        ({"k_periods": [1]}, "k_periods must be"),
    ):
        with pytest.raises(ValueError, match=message):
            po.elo(data, **choice)
    numbered = po.read({"winner": ["a"], "loser": ["b"], "date": [3]})
    with pytest.raises(po.DataError, match="needs calendar dates"):
        po.elo(numbered, period="week")


def test_no_contests_remain():
    with pytest.raises(po.DataError, match="No contest meets"):
        po.read((["a"], ["b"])).filter(start=5)


def test_settings_of_the_wrong_type():
    data = po.read((["a"], ["b"]))
    with pytest.raises(TypeError, match="give True or False"):
        po.elo(data, home_in_update="no")
    with pytest.raises(TypeError, match="been read already"):
        po.read(data, winner="x")
    with pytest.raises(TypeError, match="peckorder reads a path"):
        po.read([["a", "b"], ["c"]])
    with pytest.raises(ValueError, match="A name appears twice"):
        po.prior_ranks(["A", "B", "A"])
    with pytest.raises(ValueError, match="is not a date"):
        po.elo(data).at(float("nan"))


def test_ambiguous_dates_do_not_hide_other_problems(sheet):
    with pytest.raises(po.DataError) as error:
        po.read(sheet("winner,loser,date\n,b,01/02/2009\na,a,03/04/2009\na,b,05/06/2009\n"))
    assert len(error.value.problems) == 3


def test_home_by_name_is_case_sensitive():
    assert po.read({"winner": ["abe"], "loser": ["Abe"], "home": ["Abe"]}).home.tolist() == [-1]


def test_blanks_with_a_meaning_are_reported(sheet):
    matrix = po.read(sheet(",a,b,c\na,0,,1\nb,1,0,1\nc,0,0,0\n"), missing="drop")
    assert "1 blank cell was counted as 0." in matrix.report.notes
    daily = po.read_presence(sheet("Date,a,b\n2020-01-01,1,\n2020-01-02,1,1\n", "p.csv"))
    assert daily.notes == ("1 empty cell was counted as absent.",)
    with pytest.raises(po.DataError, match="both are unknown here"):
        po.read(np.array([[0, 2], [1, 0]]), presence="inferred")


def test_games_without_a_column_of_points_are_not_a_matrix():
    rows = {"Date": ["2024-01-01"], "Home": ["a"], "Away": ["b"], "GoalsX": [1], "GoalsY": [0]}
    with pytest.raises(po.DataError, match='"GoalsX", "GoalsY"'):
        po.read(rows)
    assert len(po.read({"Home": ["a"], "Away": ["b"], "HG": [1], "AG": [0]})) == 1


def test_sides_that_are_lists():
    """A log whose actors are lists, as a nested column of a table."""
    table = pl.DataFrame(
        {"actor": [["Abe"], ["Bo"]], "recipient": ["Bo", "Abe"], "behavior": ["bite", "bite"]}
    )
    with pytest.raises(po.DataError, match='column "actor" contains values of type'):
        po.read(table, winner_behaviors="bite")


def test_shares_instead_of_counts_and_teams_are_told_where_to_go():
    for read in (po.read, lambda shares: po.Matrix(["a", "b"], shares)):
        with pytest.raises(po.DataError, match="multiply each by the number of contests of its"):
            read(np.array([[0, 0.7], [0.3, 0]]))
    teams = {"winners": ["A/B", "C/D", "C/B"], "losers": ["C/D", "A/B", "A/D"]}
    with pytest.raises(po.DataError, match=r'read_fields and members="/"; .*winner="winners"'):
        po.read(teams)
    assert po.sport.read_fields(teams, members="/").individuals == ("A", "B", "C", "D")
    assert len(po.read(teams, winner="winners", loser="losers", polyadic="keep")) == 3
