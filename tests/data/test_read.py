"""Reading data: sources, kinds of data, columns, names, draws and counts."""

import datetime as dt
import io
import pickle

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.columns import ALIASES
from peckorder.data.names import NameCodes, column_of

PAIRS = [("Abe", "Bo"), ("Bo", "Cy"), ("Abe", "Cy")]
FRAME = {"winner": [one for one, _ in PAIRS], "loser": [other for _, other in PAIRS]}


def pairs(data):
    names = data.individuals
    return [(names[a], names[b]) for a, b in zip(data.winner, data.loser, strict=True)]


def workbook(path, *rows, sheets=("Data",)):
    book = openpyxl.Workbook()
    book.active.title = sheets[0]
    for row in rows:
        book.active.append(row)
    for name in sheets[1:]:
        book.create_sheet(name)
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "winner,loser\nAbe,Bo\nBo,Cy\nAbe,Cy\n"),
        ("x.csv", "winner;loser\r\nAbe;Bo\r\nBo;Cy\r\nAbe;Cy"),
        ("x.tsv", "winner\tloser\nAbe\tBo\nBo\tCy\nAbe\tCy\n"),
        ("x.txt", '"winner"|"loser"\n"Abe"|"Bo"\nBo|Cy\nAbe|Cy\n'),
        ("x.csv", "\ufeffwinner,loser\nAbe,Bo\nBo,Cy\nAbe,Cy\n"),
    ],
)
def test_text_files(sheet, name, text):
    assert pairs(po.read(sheet(text, name))) == PAIRS


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_encodings_with_a_byte_order_mark(sheet, encoding):
    text = "winner,loser\nAbé,Bo\nBo,Cy\n"
    data = po.read(sheet(text.encode(encoding)))
    assert pairs(data) == [("Abé", "Bo"), ("Bo", "Cy")]
    assert data.report.notes == ()


def test_latin_1_is_read_with_a_note(sheet):
    data = po.read(sheet("winner,loser\nRené,Zoë\n".encode("latin-1")))
    assert pairs(data) == [("René", "Zoë")]
    assert "not UTF-8" in data.report.notes[0]
    assert pairs(po.read(sheet("winner,loser\nПётр,Bo\n".encode("cp1251")), encoding="cp1251")) == [
        ("Пётр", "Bo")
    ]


def test_workbook(tmp_path):
    path = workbook(
        tmp_path / "x.xlsx",
        ["Date", "Winner", "Loser", "Tie"],
        [dt.datetime(2009, 5, 28), "Abe", 2, False],
        [dt.datetime(2009, 5, 29, 9, 23), "02", 2, True],
        sheets=("Data", "Notes"),
    )
    data = po.read(path)
    assert pairs(data) == [("Abe", "2"), ("02", "2")]
    assert data.draw.tolist() == [False, True]
    assert data.date.astype(str).tolist() == [
        "2009-05-28T00:00:00.000000",
        "2009-05-29T09:23:00.000000",
    ]
    assert 'The workbook has sheets "Data", "Notes"; "Data" was read' in data.report.notes[0]
    assert pairs(po.read(path, sheet="Data")) == pairs(po.read(path, sheet=1)) == pairs(data)
    with pytest.raises(po.DataError, match='no sheet "Tables". Sheets found: "Data", "Notes"'):
        po.read(path, sheet="Tables")


def test_rows_of_a_workbook_are_those_of_the_sheet(tmp_path):
    path = workbook(
        tmp_path / "x.xlsx", [None], ["winner", "loser"], ["a", "b"], [None, None], ["c", "c"]
    )
    with pytest.raises(po.DataError, match='Row 5: winner and loser are both "c"'):
        po.read(path)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_are_returned_in_the_library_of_the_source(make):
    table = make(FRAME)
    data = po.read(table)
    assert pairs(data) == PAIRS
    ratings = po.elo(data)
    for result in (data.to_table(), ratings.table, ratings.history, ratings.at(2)):
        assert isinstance(result, type(table))


def test_parquet_and_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    pl.DataFrame(FRAME).write_parquet(path)
    assert pairs(po.read(path)) == PAIRS
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert pairs(po.read("-")) == PAIRS
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"winner,loser\nAbe,Bo\n")))
    assert pairs(po.read("-")) == [("Abe", "Bo")]


def test_arrays():
    assert pairs(po.read((FRAME["winner"], FRAME["loser"]))) == PAIRS
    assert pairs(po.read(np.array(PAIRS))) == PAIRS
    assert pairs(po.read((np.array([1, 2]), np.array([2, 3])))) == [("1", "2"), ("2", "3")]


def test_names_are_text(sheet):
    data = po.read(sheet("winner,loser\n02,2\n/O,NA\n Abe ,02\nAbe,2\nnull,NaN\n"))
    assert data.individuals == ("02", "2", "/O", "NA", "Abe", "null", "NaN")
    assert data.report.notes == ('Leading or trailing blanks were removed from 1 name: " Abe ".',)
    frame = pd.DataFrame({"winner": [1, 2], "loser": [2.0, 3.0]})
    assert po.read(frame).individuals == ("1", "2", "3")


def test_codes_follow_first_appearance():
    assert po.read(FRAME).individuals == ("Abe", "Bo", "Cy")
    assert po.read({"winner": ["z", "a"], "loser": ["m", "z"]}).individuals == ("z", "m", "a")


@given(
    st.lists(st.lists(st.text(max_size=3), min_size=2, max_size=2), max_size=60), st.integers(1, 7)
)
def test_name_codes_are_those_of_a_dict(rows, batch):
    codes, expected, ours = NameCodes(), {}, []
    for begin in range(0, len(rows), batch):
        piece = rows[begin : begin + batch]
        first, second = (
            pl.Series([row[side] for row in piece], dtype=pl.String) for side in (0, 1)
        )
        ours += list(zip(*codes.add(first, second), strict=True))
    for (one, other), pair in zip(rows, ours, strict=True):
        plain = [expected.setdefault(name.strip(), len(expected)) for name in (one, other)]
        assert [int(code) for code in pair] == plain
    assert codes.names == list(expected)


@pytest.mark.parametrize("word", ["bird", "a bird with a long name"])
def test_name_codes_grow(word):
    names = pl.Series([f"{word} {i}" for i in range(5000)])
    codes = NameCodes()
    first, second = codes.add(names[:10], names[10:20])
    assert codes.names == [
        f"{word} {i}" for pair in zip(range(10), range(10, 20), strict=True) for i in pair
    ]
    first, second = codes.add(names, names.reverse())
    assert [codes.names[code] for code in first] == names.to_list()
    assert [codes.names[code] for code in second] == names.reverse().to_list()


def test_codes_of_names_with_blanks():
    names = pl.Series([f"bird {i}" for i in range(50)])
    codes = NameCodes()
    codes.add(names, names.reverse())
    found = [codes.code(name) for name in ("bird 0", "bird 49", "bird 7", "", "bird 50")]
    assert found == [0, 1, 14, None, None]
    codes.add(pl.Series(["bird 7 ", "bird 50"]), pl.Series(["bird 7", ""]))
    found = [codes.code(name) for name in ("bird 0", "bird 7", "", "bird 50", "bird 7 ")]
    assert found == [0, 14, 51, 50, None]
    assert codes.names[50:] == ["bird 50", ""]
    assert codes.stripped == {"bird 7 ": 1}


def test_unique_names_keep_their_column():
    names = po.read(FRAME).individuals
    assert column_of(names) is column_of(names)
    assert column_of(names).to_list() == list(names) == column_of(list(names)).to_list()
    again = pickle.loads(pickle.dumps(names))
    assert again == names
    assert column_of(again).to_list() == list(names)


@pytest.mark.parametrize(
    ("header", "role"),
    [
        (alias, role)
        for role in ("winner", "loser", "date", "tie")
        for alias in ALIASES[role]
        if alias != "data"
    ],
)
def test_aliases_in_any_case(sheet, header, role):
    columns = {"winner": "winner", "loser": "loser"} | {role: header.replace("_", " ").title()}
    cells = {"winner": "a", "loser": "b", "date": "2020-01-01", "tie": "0"}
    text = f"{','.join(columns.values())}\n{','.join(cells[r] for r in columns)}\n"
    data = po.read(sheet(text))
    assert data.report.columns[role] == columns[role]


def test_games(sheet):
    path = sheet(
        "Date,Home Team,Away Team,home_goals,away_goals,neutral,cup\n"
        "2020-01-01,A,B,2,1,0,x\n2020-01-08,B,C,0,0,no,x\n2020-01-15,A,C,1,3,TRUE,y\n"
    )
    data = po.read(path)
    assert data.report.kind == "games"
    assert pairs(data) == [("A", "B"), ("B", "C"), ("C", "A")]
    assert data.draw.tolist() == [False, True, False]
    assert data.home.tolist() == [1, 1, 0]
    assert data.points.tolist() == [[2, 1], [0, 0], [3, 1]]
    assert data.extra["cup"].to_list() == ["x", "x", "y"]


def test_votes():
    rows = {
        "model_a": ["x", "x", "y", "y"],
        "model_b": ["y", "z", "z", "x"],
        "winner": ["model_a", "model_b", "tie", "x"],
    }
    data = po.read(rows)
    assert data.report.kind == "votes"
    assert pairs(data) == [("x", "y"), ("z", "x"), ("y", "z"), ("x", "y")]
    assert data.draw.tolist() == [False, False, True, False]


NAMED = ",He,Dz,Ho\nHe,0,1,2\nDz,3,0,4\nHo,5,6,0\n"
WINS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (NAMED, ("He", "Dz", "Ho")),
        (NAMED.replace(",He,", "winner,He,"), ("He", "Dz", "Ho")),
        (NAMED.replace("He,0", "He,NA").replace("Dz,3,0", "Dz,3,"), ("He", "Dz", "Ho")),
        ("He,Dz,Ho\n0,1,2\n3,0,4\n5,6,0\n", ("He", "Dz", "Ho")),
        ("0,1,2\n3,0,4\n5,6,0\n", ("1", "2", "3")),
        (",1,2\n3,,4\n5,6,\n", ("1", "2", "3")),
        (",11,12,13\n11,0,1,2\n12,3,0,4\n13,5,6,0\n", ("11", "12", "13")),
    ],
)
def test_matrix_with_and_without_names(sheet, text, names):
    data = po.read(sheet(text))
    assert data.report.kind == "matrix"
    assert data.individuals == names
    assert data.matrix().wins.tolist() == WINS
    assert not data.ordered


def test_matrix_from_arrays_and_pandas():
    assert po.read(np.array(WINS)).matrix().wins.tolist() == WINS
    named = po.read(np.array(WINS), individuals=["He", "Dz", "Ho"])
    assert named.individuals == ("He", "Dz", "Ho")
    frame = pd.DataFrame(WINS, index=["He", "Dz", "Ho"], columns=["He", "Dz", "Ho"])
    assert po.read(frame).individuals == ("He", "Dz", "Ho")
    assert po.read(frame).matrix().wins.tolist() == WINS


def test_matrix_columns_are_sorted_like_rows_with_a_note(sheet):
    data = po.read(sheet(",b,a\na,2,0\nb,0,3\n"))
    assert data.matrix().wins.tolist() == [[0, 2], [3, 0]]
    assert "sorted to match the rows" in data.report.notes[0]


@pytest.mark.parametrize(
    "words",
    [
        ("TRUE", "FALSE"),
        ("1", "0"),
        ("yes", "No"),
        ("Y", "n"),
        ("t", "F"),
        ("T", "W"),
        ("draw", "win"),
    ],
)
def test_draws_from_words(sheet, words):
    data = po.read(sheet(f"winner,loser,draw\na,b,{words[0]}\na,b,{words[1]}\n"))
    assert data.draw.tolist() == [True, False]


def test_loss_of_the_first_individual_swaps_the_sides(sheet):
    data = po.read(sheet("actor,recipient,tie\na,b,W\na,b,L\na,b,T\n"))
    assert pairs(data) == [("a", "b"), ("b", "a"), ("a", "b")]
    assert "the second one was taken as the winner" in data.report.notes[0]


def test_counts_expand(sheet):
    data = po.read(sheet("winner,loser,count\na,b,3\nb,c,0\nb,a,1\n"))
    assert pairs(data) == [("a", "b")] * 3 + [("b", "a")]
    assert not data.ordered
    assert data.report.dropped == {"count of 0": 1}
    assert "whose sequence within a row is unknown" in data.report.notes[0]


def test_contests_of_a_count_are_alike_so_that_dates_are_their_order(sheet):
    counted = po.read(sheet("winner,loser,date,count\na,b,2020-01-01,2\nb,c,2020-01-02,1\n"))
    rows = po.read(sheet("winner,loser,date\na,b,2020-01-01\na,b,2020-01-01\nb,c,2020-01-02\n"))
    assert counted.ordered
    assert pairs(counted) == pairs(rows)
    one, other = (po.dynamic(data, samples=50, seed=1).final for data in (counted, rows))
    assert (one == other).all()


def test_home_of_events(sheet):
    data = po.read(sheet("winner,loser,home\na,b,a\na,b,b\na,b,\na,b,winner\na,b,0\n"))
    assert data.home.tolist() == [1, -1, 0, 1, -1]


def test_unused_columns_are_kept_and_follow_the_order(sheet):
    data = po.read(sheet("winner,loser,date,note\na,b,2020-02-01,late\nb,a,2020-01-01,early\n"))
    assert data.extra["note"].to_list() == ["early", "late"]
    assert data.rows.tolist() == [3, 2]
    assert (
        "Contests were sorted by date: Row 3 was dated before an earlier row"
        in data.report.notes[0]
    )


def test_equal_dates_keep_the_order_of_rows(sheet):
    text = "winner,loser,date\na,b,2020-01-02\nc,d,2020-01-01\ne,f,2020-01-02\ng,h,2020-01-01\n"
    assert [one for one, _ in pairs(po.read(sheet(text)))] == ["c", "g", "a", "e"]


def test_a_column_can_be_left_out(sheet):
    path = sheet("winner,loser,date\na,b,soon\n")
    assert po.read(path, date="").date is None
    assert po.read(path, date=False).extra["date"].to_list() == ["soon"]


def test_to_table_can_be_read_again(sheet):
    path = sheet(
        "date,home,away,home_points,away_points,neutral,season\n"
        "2020-01-01,A,B,1,2,0,one\n2020-01-02,B,C,1,1,1,one\n2020-01-03,A,C,2,1,0,two\n"
    )
    data = po.read(path)
    again = po.read(data.to_table())
    for name in ("winner", "loser", "draw", "date", "points", "home"):
        assert getattr(again, name).tolist() == getattr(data, name).tolist(), name
    assert again.season.names == data.season.names
    assert again.hash == data.hash


def test_filter_and_split(sheet):
    path = sheet(
        "winner,loser,date,context,group\n"
        "a,b,2020-01-01,bite,x\nb,c,2020-01-02,chase,x\nd,e,2020-01-03,bite,y\nc,a,2020-01-04,bite,x\n"
    )
    data = po.read(path)
    assert len(data.filter(start="2020-01-02", end="2020-01-03")) == 2
    assert data.filter(individuals=["a", "c"]).individuals == ("c", "a")
    assert data.filter(context="bite").context.names == ("bite",)
    groups = data.split()
    assert {name: len(part) for name, part in groups.items()} == {"x": 3, "y": 1}
    assert groups["y"].individuals == ("d", "e")
    with pytest.raises(ValueError, match='There is no group "z". Choose from: "x", "y"'):
        data.filter(group="z")
    with pytest.raises(ValueError, match='"q" is not among the individuals'):
        data.filter(individuals=["q"])


def test_repr_describes_the_contents(sheet):
    path = sheet("winner,loser,date,draw,context\na,b,2020-01-01,1,bite\nb,c,2020-01-02,0,bite\n")
    assert repr(po.read(path)) == (
        "Contests: 2 contests among 3 individuals (a, b, c), 1 draw, "
        "2020-01-01 to 2020-01-02, 1 context"
    )


def test_hash_depends_on_content_only(sheet):
    one = po.read(sheet("winner,loser\na,b\n"))
    assert one.hash == po.read((["a"], ["b"])).hash
    assert one.hash != po.read((["b"], ["a"])).hash


def test_stream_gives_the_same_ratings_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setattr("peckorder.data.stream.CONTESTS_IN_A_BATCH", 7)
    random = np.random.default_rng(4)
    first = random.integers(0, 30, 500)
    second = (first + random.integers(1, 30, 500)) % 30
    table = pl.DataFrame(
        {
            "winner": [f"n{i}" for i in first],
            "loser": [f"n{i}" for i in second],
            "draw": random.random(500) < 0.1,
            "date": np.arange(500.0),
        }
    )
    path = tmp_path / "x.parquet"
    table.write_parquet(path)
    settings = {"k": 70, "burn_in": (50, 200.0), "curve": "normal"}
    whole = po.elo(po.read(path), **settings)
    streamed = po.elo(po.read(path, stream=True), **settings)
    assert streamed.individuals == whole.individuals
    assert streamed.rating.tolist() == whole.rating.tolist()
    assert streamed.table.equals(whole.table)
    with pytest.raises(ValueError, match="Ratings of a stream have no history"):
        _ = streamed.history


def test_stream_must_be_in_order(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("winner,loser,date\na,b,2020-01-02\nb,a,2020-01-01\n")
    with pytest.raises(po.DataError, match="must be sorted by date"):
        po.elo(po.read(path, stream=True))


def test_a_title_above_the_header(sheet, tmp_path):
    path = sheet("Field notes, troop A\n\nwinner,loser\na,b\nc,c\n")
    with pytest.raises(po.DataError, match="Row 5: winner and loser are both"):
        po.read(path, header=3)
    book = workbook(
        tmp_path / "x.xlsx", ["Field notes"], ["winner", "loser"], ["a", "b"], ["c", "c"]
    )
    with pytest.raises(po.DataError, match="row 3 has the column names, but row 1 above it has"):
        po.read(path)
    with pytest.raises(po.DataError, match="Row 4: winner and loser are both"):
        po.read(book)
    with pytest.raises(po.DataError, match="Row 4: winner and loser are both"):
        po.read(book, header=2)
    for path_or_book in (path, book):
        with pytest.raises(po.DataError, match="has no row 9"):
            po.read(path_or_book, header=9)
    with pytest.raises(ValueError, match="row number of the column names, from 1"):
        po.read(path, header=0)


STREAMED = (
    "winner,loser,draw,context,date\na,b,W,bite,2020-01-01\n,,,,\n b ,c,L,chase,2020-01-02\n"
    "c,c,W,bite,2020-01-03\na,,W,bite,2020-01-04\nd,a,T,bite,2020-01-05\nc,d,W,chase,2020-01-06\n"
)


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_streams_drop_the_same_rows(sheet, monkeypatch, batch):
    monkeypatch.setattr("peckorder.data.stream.CONTESTS_IN_A_BATCH", batch)
    options = {"missing": "drop", "self_contests": "drop"}
    starts = {"a": 1100, "b": 1000, "c": 900, "d": 950}
    rules = {"k": {"bite": 100, "chase": 40}, "start": starts}
    path = sheet(STREAMED)
    whole = po.elo(po.read(path, **options), **rules)
    streamed = po.elo(po.read(path, stream=True, **options), **rules)
    assert dict(streamed.items()) == dict(whole.items())
    assert streamed.report.dropped == whole.report.dropped
    assert streamed.report.rows_in == whole.report.rows_in
    assert streamed.table.sort("individual").equals(whole.table.sort("individual"))
    assert 'Leading or trailing blanks were removed from 1 name: " b "' in " ".join(
        streamed.report.notes
    )


def test_streams_do_not_guess_the_order_of_day_and_month(sheet):
    path = sheet("winner,loser,date\na,b,01/02/2020\nb,a,28/02/2020\n")
    with pytest.raises(
        po.DataError, match="must contain dates such as 2009-05-28, or their format"
    ):
        po.elo(po.read(path, stream=True))
    streamed = po.elo(po.read(path, stream=True, date_format="%d/%m/%Y"))
    assert streamed.table.equals(po.elo(po.read(path)).table)


def test_a_kind_that_is_a_list_is_refused():
    with pytest.raises(po.PeckorderError, match="kind"):
        po.read({"winner": ["a"], "loser": ["b"]}, kind=np.array(["events", "games"]))


def test_columns_that_are_spelled_alike_are_suggested():
    sheet = {"winner": ["a", "b"], "loser": ["b", "a"], "length_dif": [1, 2], "troop": ["x", "y"]}
    data = po.read(sheet, group="")
    for call in (
        lambda: po.bradley_terry(data, covariates="len_dif"),
        lambda: po.read(sheet, fill_down="Length_dif"),
        lambda: po.study(sheet, by="trop"),
    ):
        with pytest.raises(po.PeckorderError, match=r'Did you mean "(length_dif|troop)"\?'):
            call()
