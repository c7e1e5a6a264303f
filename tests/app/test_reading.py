"""Decisions are arguments of `read`; what is not decided is left out for now, and said."""

import pytest

import peckorder as po
from peckorder.app.reading import checked_option, read_record
from peckorder.app.uploads import stored
from peckorder.errors import DataError
from tests.app.visitor import MESSY

PLAIN = "winner,loser\na,b\nb,c\na,c\n"


def reading_of(tmp_path, text, name="contests.csv", **decided):
    return read_record(stored(tmp_path, name, text.encode()), decided, None)


def test_a_plain_sheet_needs_no_decision(tmp_path):
    found = reading_of(tmp_path, PLAIN)
    assert (found.options, found.doubts, found.failure) == ({}, (), [])
    assert len(found.data) == 3


def test_rows_that_nobody_decided_about_are_left_out_for_now(tmp_path):
    found = reading_of(tmp_path, MESSY)
    assert found.provisional == {"missing": "drop", "polyadic": "drop", "self_contests": "drop"}
    assert found.decided == {}
    again = po.read(str(found.record.path), **found.options)
    assert (again.hash, len(again)) == (found.data.hash, 7)


def test_what_is_decided_is_not_provisional(tmp_path):
    found = reading_of(tmp_path, MESSY, missing="drop", self_contests="drop", polyadic="dyads")
    assert found.provisional == {}
    assert len(found.data) == 9  # one row became two contests


@pytest.mark.parametrize(
    ("form", "first"), [("%d/%m/%Y", "2023-02-01"), ("%m/%d/%Y", "2023-01-02"), (None, None)]
)
def test_ambiguous_dates_are_ignored_for_now(tmp_path, form, first):
    sheet = "date,winner,loser\n1/2/2023,a,b\n2/3/2023,b,c\n3/4/2023,a,c\n"
    decided = {} if form is None else {"date_format": form}
    found = reading_of(tmp_path, sheet, **decided)
    assert found.provisional == ({"date": ""} if form is None else {})
    if form is None:
        (doubt,) = found.doubts
        forms = [one.edits.get("date_format") for one in doubt.choices]
        assert forms == ["%d/%m/%Y", "%m/%d/%Y", None]
        assert found.data.date is None
    else:
        assert str(found.data.date[0])[:10] == first


def test_what_cannot_be_read_is_said(tmp_path):
    found = reading_of(tmp_path, "colour,size\nred,1\nblue,2\n")
    assert found.data is None
    assert "a list of contests, name its columns" in found.failure[0]
    assert reading_of(tmp_path, "winner,loser\n").data is None
    assert "binary" in reading_of(tmp_path, "\0\1\2", "a.csv").failure[0]


def test_a_sheet_is_chosen_for_now_if_several_have_contests(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for label in ("2022", "2023"):
        sheet = book.create_sheet(label)
        for row in (("winner", "loser"), ("a", "b"), ("b", label), ("a", "c")):
            sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    record = stored(tmp_path, "two.xlsx", (tmp_path / "two.xlsx").read_bytes())
    found = read_record(record, {}, None)
    assert found.provisional == {"sheet": "2022"}
    assert record.sheets == ["Sheet", "2022", "2023"]
    assert "2023" in read_record(record, {"sheet": "2023"}, None).data.individuals


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", "x"),
        ("query", "SELECT 1"),
        ("stream", True),
        ("winner", 3),
        ("winner", "x" * 3_000),
        ("missing", "keep"),
        ("polyadic", "all"),
        ("header", "one"),
        ("header", "1;2"),
        ("presence", "/etc/passwd"),
        ("names", ["a"]),
        ("names", {"a": 1}),
        ("ignore", [1]),
    ],
)
def test_what_is_no_decision_is_refused(name, value):
    with pytest.raises(DataError, match=name):
        checked_option(name, value)


def test_decisions_keep_their_form():
    assert checked_option("header", "3-4") == "3-4"
    assert checked_option("header", "3") == 3
    assert checked_option("ignore", "?") == ["?"]
    assert checked_option("names", {"abby": "Abby"}) == {"abby": "Abby"}
