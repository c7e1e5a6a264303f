"""Workbooks: every kind of result, read back with openpyxl and with `po.read`."""

import datetime as dt
import io
import math
import zipfile

import openpyxl
import polars as pl
import pytest

import peckorder as po
from peckorder import tables
from peckorder.estimate import Estimate
from peckorder.results import result
from peckorder.tables import workbook

ADV = po.datasets.CATALOGUE["adv"].path


def opened(content):
    """Cells of each sheet, by label."""
    book = openpyxl.load_workbook(io.BytesIO(content) if isinstance(content, bytes) else content)
    return {sheet.title: [tuple(c.value for c in row) for row in sheet.rows] for sheet in book}


def as_excel(value):
    """A value as openpyxl returns it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    return value


def same(found, expected):
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=1e-15)
    if isinstance(expected, dt.datetime) and isinstance(found, dt.datetime):
        return abs(found - expected) < dt.timedelta(milliseconds=1)
    return found == expected


def assert_same_table(cells, table):
    assert cells[0] == tuple(table.columns)
    assert len(cells) == table.height + 1
    for found, row in zip(cells[1:], table.iter_rows(), strict=True):
        for cell, value in zip(found, row, strict=True):
            assert same(cell, as_excel(value)), (cell, value)


@pytest.fixture(scope="module")
def data():
    return po.read(ADV)


RESULTS = {
    "elo": lambda data: po.elo(data),
    "glicko": lambda data: po.sport.glicko(data),
    "elo_ml": lambda data: po.elo_ml(data, penalized=True),
    "dynamic": lambda data: po.dynamic(data, seed=1),
    "adaptive": lambda data: po.adaptive(data, seed=1),
    "elo_bayes": lambda data: po.elo_bayes(data, seed=1),
    "davids_score": lambda data: po.davids_score(data),
    "isi": lambda data: po.isi(data),
    "steepness": lambda data: po.steepness(data, runs=100, seed=1),
    "linearity": lambda data: po.linearity(data, seed=1),
    "dyads": lambda data: data.dyads(),
    "evaluate": lambda data: po.evaluate(po.elo(data), seed=1),
    "season": lambda data: po.sport.simulate_season(
        po.elo(data),
        fixtures=pl.DataFrame({"a": ["a", "b"], "b": ["c", "d"]}),
        runs=50,
        seed=1,
    ),
    "period_ranks": lambda data: po.orders.period_ranks(data, per="month"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result(name, data, tmp_path):
    found = RESULTS[name](data)
    path = tmp_path / "found.xlsx"
    found.save(path)
    book = opened(path)
    assert list(tmp_path.iterdir()) == [path]
    first = result.label_of(found)
    if getattr(found, "frame", found) is not None:
        assert next(iter(book)) == first
        assert_same_table(book[first], found.as_polars())
    for label, table in getattr(found, "tables", {}).items():
        assert_same_table(book[label], table)
    assert ("diagnostics" in book) == (name == "elo_bayes")
    settings = dict(book["settings"][1:])
    for key, value in found.settings.items():
        if isinstance(value, str | int | float):
            assert same(settings[key], value), key
    provenance = dict(book["provenance"][1:])
    assert provenance["method"] == found.method
    assert provenance["data_hash"] == data.hash
    notes = [note for (note,) in book["notes"][1:]]
    assert notes[: len(found.summary)] == list(found.summary)
    assert any(note.startswith("Read adv.csv") for note in notes) or name in (
        "davids_score",
        "isi",
        "steepness",
        "linearity",
        "dyads",
    )
    numbers = {k: v for k, v in found.values.items() if isinstance(v, float)}
    if numbers:
        values = dict(book["values"][1:])
        for key, value in numbers.items():  # an estimate has a row for each of its parts
            own = f"{key}.value" if isinstance(value, Estimate) else key
            assert same(values[own], as_excel(float(value))), key
    if name in ("elo", "glicko", "elo_ml"):
        assert_same_table(book["rating history"], found.history)
    again = tmp_path / "again.xlsx"
    found.save(again)
    assert again.read_bytes() == path.read_bytes()


HOSTILE = [
    '=HYPERLINK("http://x.example","Abe")',
    "+1+1",
    "-2",
    "@SUM(A1)",
    "http://x.example",
    "007",
]


def test_names_are_never_formulas_links_or_numbers(tmp_path):
    contests = {"winner": HOSTILE, "loser": [*HOSTILE[1:], HOSTILE[0]], "date": range(1, 7)}
    ratings = po.elo(po.read(contests))
    path = tmp_path / "r.xlsx"
    ratings.save(path)
    book = openpyxl.load_workbook(path)
    cells = [cell for row in book["ratings"].iter_rows(min_row=2, max_col=1) for cell in row]
    assert sorted(cell.value for cell in cells) == sorted(HOSTILE)
    assert {cell.data_type for cell in cells} == {"s"}
    assert not any(cell.hyperlink for cell in cells)
    with zipfile.ZipFile(path) as packed:
        assert not any(b"<f>" in packed.read(name) for name in packed.namelist())
    back = po.read(path, sheet="rating history")
    assert sorted(back.individuals) == sorted(HOSTILE)
    assert po.elo(back).rating.tolist() == ratings.rating.tolist()


def test_contests_survive_a_workbook(inside, tmp_path):
    for command in (["datasets", "adv"], ["simulate", "hierarchy", "--seed", "3"]):
        assert inside(*command, "-o", "c.xlsx").returncode == 0
        assert inside(*command, "-o", "c.csv").returncode == 0
        book, text = po.read(tmp_path / "c.xlsx"), po.read(tmp_path / "c.csv")
        assert book.hash == text.hash


def test_types_and_limits_of_cells():
    table = pl.DataFrame(
        {
            "day": [dt.date(2020, 2, 29), dt.date(1850, 1, 1)],
            "time": [dt.datetime(2020, 1, 1, 10, 0, 1, 500000), None],
            "number": [math.nan, math.inf],
            "large": [2**60, 1],
            "flag": [True, None],
            "list": [["a", "b"], []],
        }
    )
    cells = opened(workbook({"t": table}))["t"]
    assert cells[1] == (
        dt.datetime(2020, 2, 29),
        dt.datetime(2020, 1, 1, 10, 0, 1, 500000),
        None,
        str(2**60),
        True,
        "a, b",
    )
    assert cells[2][0] == "1850-01-01"
    with pytest.raises(po.PeckorderError, match="holds 32,767 characters.*CSV or Parquet"):
        workbook({"t": pl.DataFrame({"name": ["x" * 40_000]})})


def test_too_many_rows_are_refused(monkeypatch, data, tmp_path):
    with pytest.raises(po.PeckorderError, match="1,048,576 rows.*CSV or Parquet"):
        workbook({"t": pl.DataFrame({"x": pl.int_range(1_048_576, eager=True)})})
    monkeypatch.setattr(tables, "MOST_ROWS", 7)
    path = tmp_path / "r.xlsx"
    path.write_text("old")
    with pytest.raises(po.PeckorderError, match='"ratings" has 8 rows'):
        po.elo(data).save(path)
    assert path.read_text() == "old"


def test_a_long_history_is_left_out_with_a_note(monkeypatch, data, tmp_path):
    monkeypatch.setattr(result, "LONGEST_HISTORY", 32)
    po.elo(data).save(tmp_path / "r.xlsx")
    book = opened(tmp_path / "r.xlsx")
    assert "rating history" not in book
    assert any("33 contests; write them as CSV" in note for (note,) in book["notes"])


def test_notes_on_presence_are_kept(data, tmp_path):
    months = {"id": data.individuals, "2010-01": ["x"] * 7, "2010-02": ["x"] * 7}
    po.elo(data.with_presence(months)).save(tmp_path / "r.xlsx")
    notes = [note for (note,) in opened(tmp_path / "r.xlsx")["notes"]]
    assert "A cell of the presence table stands for all days of its month." in notes


def test_labels_of_sheets_are_legal():
    table = pl.DataFrame({"x": [1]})
    labels = ["History", "a:b", "A B", "x" * 50, "x" * 31, "[]"]
    book = opened(workbook(dict.fromkeys(labels, table)))
    assert len(book) == len(labels)
    assert all(1 <= len(label) <= 31 and label.casefold() != "history" for label in book)


@pytest.mark.parametrize(
    "command",
    [
        ("elo", "--at", "2010-01-20"),
        ("elo", "--by", "context"),
        ("davids-score",),
        ("steepness", "--runs", "50", "--seed", "1", "--by", "context"),
        ("slopes",),
        ("group-size", "--presence", "inferred"),
        ("evaluate", "--seed", "1"),
        ("network",),
    ],
)
def test_commands_write_workbooks(command, inside, tmp_path):
    contests = pl.read_csv(ADV).with_row_index("n")
    contests = contests.with_columns(
        context=pl.when(pl.col("n") % 2 == 0).then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    contests.drop("n").write_csv(tmp_path / "c.csv")
    done = inside(command[0], "c.csv", *command[1:], "-o", "out.xlsx")
    assert done.returncode == 0, done.stderr
    assert inside(command[0], "c.csv", *command[1:], "-o", "out.csv").returncode == 0
    book = opened(tmp_path / "out.xlsx")
    text = pl.read_csv(tmp_path / "out.csv")
    first = next(iter(book.values()))
    assert first[0] == tuple(text.columns)
    assert len(first) == text.height + 1
    assert "provenance" in book


def test_a_workbook_needs_a_file(inside):
    done = inside("elo", ADV, "--format", "xlsx")
    assert done.returncode == 2
    assert b"use -o, such as -o ratings.xlsx" in done.stderr
