"""Wide presence tables, day by day against a plain reader."""

import csv
import datetime as dt
import io
from calendar import monthrange

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.presence_tables import month_of

FIRST = dt.date(2019, 1, 28)
NAMES = ("Abe", "Bo", "Cy", "Dee")


def days_of(presence, first=FIRST, number=120):
    """All (individual, day) pairs that a presence contains, asked day by day."""
    out = set()
    for i in range(number):
        day = first + dt.timedelta(days=i)
        here = presence.at(np.datetime64(day), NAMES)
        out |= {(name, day) for name, present in zip(NAMES, here, strict=True) if present}
    return out


def plain_wide(text, *, turned=False):
    """(individual, day) pairs of a wide table, cell by cell; months are all their days."""
    lines = list(csv.reader(io.StringIO(text)))
    if turned:
        lines = [list(line) for line in zip(*lines, strict=True)]
    out = set()
    for line in lines[1:]:
        parts = [int(part) for part in line[0].split("-")]
        if len(parts) == 3:
            days = [dt.date(*parts)]
        else:
            days = [dt.date(*parts, d) for d in range(1, monthrange(*parts)[1] + 1)]
        for name, cell in zip(lines[0][1:], line[1:], strict=True):
            if cell in ("1", "x"):
                out |= {(name, day) for day in days}
    return out


def wide(rng, labels, ticks):
    rows = [["date", *NAMES]]
    for label in labels:
        rows.append([label, *(ticks[int(rng.random() < 0.6)] for _ in NAMES)])
    return rows


def as_text(rows):
    return "\n".join(",".join(row) for row in rows) + "\n"


@pytest.mark.parametrize("ticks", [("0", "1"), ("", "x")])
@pytest.mark.parametrize("unit", ["day", "month"])
def test_both_directions_equal_a_plain_reader(unit, ticks, sheet):
    rng = np.random.default_rng(7)
    if unit == "day":
        labels = [str(FIRST + dt.timedelta(days=i)) for i in range(40)]
    else:
        labels = [f"2019-{month:02d}" for month in range(1, 5)]
    for _ in range(5):
        rows = wide(rng, labels, ticks)
        down = po.read_presence(sheet(as_text(rows), "down.csv"))
        expected = plain_wide(as_text(rows))
        begin = dt.date(2019, 1, 1)
        assert days_of(down, begin, 150) == expected
        turned = [list(row) for row in zip(*rows, strict=True)]
        turned[0][0] = "individual"
        across = po.read_presence(sheet(as_text(turned), "across.csv"))
        assert days_of(across, begin, 150) == plain_wide(as_text(turned), turned=True) == expected


def test_months_written_in_other_ways(sheet):
    texts = ("2019-01", "2019/1", "01/2019", "Jan 2019", "January 2019", "jan-2019", "2019 Jan")
    assert {str(month_of(text)) for text in (*texts, "X2019.01")} == {"2019-01"}
    assert [month_of(text) for text in ("Jan-19", "2019-13", "Foo 2019", "2019", "2019.5")] == [
        None
    ] * 5
    text = "id,Jan 2019,Feb 2019,Mar 2019\nAbe,x,,x\nBo,x,x,\n"
    presence = po.read_presence(sheet(text))
    assert presence.stints("Abe") == [
        (np.datetime64("2019-01-01"), np.datetime64("2019-01-31")),
        (np.datetime64("2019-03-01"), np.datetime64("2019-03-31")),
    ]
    assert presence.notes == (
        'Presence table: individuals are in rows (column "id") and 3 months in columns.',
        '4 cells with "x" counted as present.',
        "2 empty cells were counted as absent.",
        "A cell of the presence table stands for all days of its month.",
    )


def test_rows_in_any_order_and_gaps(sheet):
    text = "month,Abe\n2019-03,1\n2019-01,1\n2019-06,0\n"
    presence = po.read_presence(sheet(text))
    assert presence.stints("Abe") == [(np.datetime64("2019-01-01"), np.datetime64("2019-03-31"))]
    assert any("2 gaps of one or more months" in note for note in presence.notes)


def test_dates_without_a_known_label_and_from_tables():
    table = {"when": ["2020-01-01", "2020-01-02"], "Abe": [1, 0], "Bo": [True, True]}
    assert days_of(po.read_presence(table), dt.date(2020, 1, 1), 3) == {
        ("Abe", dt.date(2020, 1, 1)),
        ("Bo", dt.date(2020, 1, 1)),
        ("Bo", dt.date(2020, 1, 2)),
    }
    frame = pl.DataFrame({"": ["Abe", "Bo"], "2020-01-01": [1, 0], "2020-01-02": [1, 1]})
    assert days_of(po.read_presence(frame), dt.date(2020, 1, 1), 3) == {
        ("Abe", dt.date(2020, 1, 1)),
        ("Abe", dt.date(2020, 1, 2)),
        ("Bo", dt.date(2020, 1, 2)),
    }


def test_years_across_and_other_columns(sheet):
    presence = po.read_presence(sheet("id,sex,2001,2002,2004\nAbe,m,1,1,0\nBo,f,0,1,1\n"))
    assert presence.stints("Bo") == [(2002.0, 2004.0)]
    assert 'Columns that are neither days nor months were not used: "sex".' in presence.notes
    # Individuals with numbers as names stay individuals where the rows are dates.
    rings = po.read_presence(sheet("date,2001,2002\n2020-01-01,1,0\n2020-01-02,1,1\n"))
    assert set(rings.individual) == {"2001", "2002"}


def test_first_days_of_months_are_reported(sheet):
    text = "date,Abe\n2019-01-01,1\n2019-02-01,1\n2019-03-01,0\n"
    assert any("write months (2019-01)" in note for note in po.read_presence(sheet(text)).notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,03/04/2019,04/05/2019\nAbe,1,1\n",
            'ambiguous: column 2, "03/04/2019", is 3 April 2019 or 4 March 2019',
        ),
        ("id,Jan-19,Feb-19\nAbe,1,1\n", '"Jan-19", "Feb-19" may be months or days'),
        ("id,2019-01,Jan 2019\nAbe,1,1\n", '"Jan 2019" are the same day or month'),
        ("id,2019-01,2019-02\nAbe,1,1\nAbe,1,0\n", 'Rows 2 and 3: "Abe" appears more than once'),
        ("id,2019-01,2019-02\nAbe,1,maybe\n", '"maybe" in column "2019-02" is neither 1'),
        ("id,2019-01,2019-02\n,1,1\n", 'Row 2: no name in column "id"'),
        ("id,2019-01,2019-02\nAbe,0,\n", "no individual is present on any day"),
        ("month,Abe\n2019-01,1\nJan 2019,1\n", "Use one row per month"),
        ("date,Abe,Abe\n2019-01-01,1,1\n", "several columns have the same name"),
        ("date,Abe\n03/04/2019,1\n05/06/2019,1\n", "are ambiguous"),
        ("date,Abe\n2019-01-01,1\n2019-02,1\n", "cannot be read as a date like the others"),
    ],
)
def test_refused(sheet, text, message):
    with pytest.raises(po.DataError) as error:
        po.read_presence(sheet(text))
    assert message in str(error.value)


def test_a_format_resolves_ambiguous_headers(sheet):
    presence = po.read_presence(
        sheet("id,03/04/2019,04/04/2019\nAbe,1,0\n"), date_format="%d/%m/%Y"
    )
    assert presence.stints("Abe") == [(np.datetime64("2019-04-03"), np.datetime64("2019-04-03"))]


def test_census_by_month(sheet):
    presence = po.read_presence(
        sheet("month,id\n2019-01,Abe\n2019-02,Abe\n2019-02,Bo\n"), date="month"
    )
    assert presence.stints("Abe") == [(np.datetime64("2019-01-01"), np.datetime64("2019-02-28"))]


def test_notes_reach_the_shell(inside, sheet):
    sheet("winner,loser,date\nAbe,Bo,2019-01-05\n", "c.csv")
    sheet("id,2019-01,2019-02\nAbe,x,x\nBo,x,\n", "p.csv")
    done = inside("elo", "c.csv", "--presence", "p.csv")
    assert done.returncode == 0
    assert b"Note: A cell of the presence table stands for all days of its month." in done.stderr
