"""A decision does not open the file again, and reads the same as if it did."""

import pytest

import peckorder as po
from peckorder.app import uploads
from peckorder.app.reading import ROLES, read_record
from peckorder.app.table import table_of
from peckorder.app.uploads import LARGE, Sheets, stored
from tests.app.served import workbook
from tests.app.visitor import MESSY

DECISIONS = (
    {"polyadic": "dyads"},
    {"ignore": ["?"]},
    {"names": {"abby": "Abby"}},
    {"undecided": "drop"},
    {"self_contests": "drop"},
    {"date": ""},
    {"date": None},
)


@pytest.fixture
def opens(monkeypatch):
    """How often a file was opened as a sheet by the app."""
    count = []
    whole = uploads.open_sheet

    def counting(*arguments, **options):
        count.append(options)
        return whole(*arguments, **options)

    monkeypatch.setattr(uploads, "open_sheet", counting)
    return count


def test_decisions_open_the_file_once(visitor, opens):
    state = visitor.upload(MESSY)
    for change in DECISIONS:
        state = visitor.changed(state, set=change)
    assert state["contests"]
    assert len(opens) == 1
    state = visitor.changed(state, set={"group": "place"})
    assert len(opens) == 2  # with a column named, no square table is looked for
    visitor.changed(state, set={"context": "remarks"})
    assert len(opens) == 2


def test_another_winner_or_header_opens_it_again(visitor, opens):
    state = visitor.upload(MESSY)
    state = visitor.changed(state, set={"winner": "initiator", "loser": "receiver"})
    assert len(opens) == 2
    state = visitor.changed(state, set={"header": 3})
    assert len(opens) == 3
    visitor.changed(state, set={"header": None})
    assert len(opens) == 3  # still kept


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_the_same_as_from_the_file(tmp_path, form):
    if form == "csv":
        record = stored(tmp_path, "field.csv", MESSY.encode())
    else:
        record = stored(tmp_path, "f.xlsx", workbook(tmp_path / "field.xlsx").read_bytes())
    sheets, decided = Sheets(record), {}
    for change in ({}, *DECISIONS[:5]):
        decided |= change
        kept = read_record(record, decided, None, sheets)
        fresh = po.read(record.path, **kept.options)
        assert kept.data.hash == fresh.hash
        assert kept.data.report == fresh.report
        assert (
            table_of(kept).reasons.keys()
            == table_of(read_record(record, decided, None)).reasons.keys()
        )


def test_notes_of_one_reading_do_not_reach_the_next(tmp_path):
    record = stored(tmp_path, "contests.csv", MESSY.encode())
    sheets = Sheets(record)
    first = sheets.open({}, ROLES)
    first.notes.append("only here")
    assert "only here" not in sheets.open({}, ROLES).notes


def test_of_a_large_file_one_sheet_is_kept(tmp_path, opens):
    record = stored(tmp_path, "contests.csv", MESSY.encode())
    object.__setattr__(record, "size", LARGE + 1)
    sheets = Sheets(record)
    for options in ({}, {}, {"header": 3}, {}):
        sheets.open(options, ROLES)
    assert len(opens) == 3


def test_rows_left_out_for_two_reasons(tmp_path):
    text = (
        "day,a,b,who won\n"
        '2023-01-01,Abby,Bella,Abby\n,"Abby, Bella",Cora,"Abby, Bella"\n'
        "2023-01-02,Cora,Abby,none\n2023-01-03,Abby,Cora,Abby\n,Bella,Cora,Cora\n"
    )
    record = stored(tmp_path, "contests.csv", text.encode())
    decided = {"polyadic": "drop", "fill_down": ["date"], "undecided": "drop"}
    decided |= {"date": "day", "a": "a", "b": "b", "outcome": "who won"}
    reading = read_record(record, decided, None)
    found = {why: places.tolist() for why, places in table_of(reading).reasons.items()}
    assert found == {"several individuals in one cell": [1], "no decided outcome": [2]}


def test_a_small_workbook_is_gone_through_once(tmp_path, monkeypatch):
    import fastexcel

    loads = []
    whole = fastexcel.ExcelReader.load_sheet

    def counting(self, *arguments, **options):
        loads.append(arguments)
        return whole(self, *arguments, **options)

    monkeypatch.setattr(fastexcel.ExcelReader, "load_sheet", counting)
    path = workbook(tmp_path / "field.xlsx")
    data = po.read(path, missing="drop", self_contests="drop")
    assert len(data) > 100
    assert len(loads) == 2  # each of the two sheets
