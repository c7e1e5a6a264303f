"""Reading tables of visits: columns, times of day, and problems with their rows."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import peckorder as po

CLOCK = {
    "Date": ["05.01.2026", "05.01.2026", "28.01.2026"],
    "Time": ["09:00:00", "9:00:01 am", "23:59:59"],
    "Bird": ["a", "b", "a"],
    "Logger": ["x"] * 3,
}


def test_times_of_day_are_combined_with_dates():
    data = po.displacements(CLOCK, within="1s")
    assert str(data.date[0]) == "2026-01-05T09:00:01.000000"
    assert (
        'Times in column "Time" were combined with the dates in column "Date".' in data.report.notes
    )
    night = CLOCK | {"End": ["09:00:00", "9:00:30", "00:00:05"]}
    data = po.displacements(night, within="1s", end="End")
    assert len(data) == 1
    assert any("1 visit ended at an earlier time of day" in note for note in data.report.notes)
    bad = CLOCK | {"Time": ["09:00:00", "25:00", "23:59:59"]}
    with pytest.raises(po.DataError, match='Position 1: "25:00" is not a time of day'):
        po.displacements(bad, within="1s")
    with pytest.raises(po.DataError, match='Position 1: no date in column "Date"'):
        po.displacements(CLOCK | {"Date": ["05.01.2026", "", "28.01.2026"]}, within="1s")


def test_a_column_of_dates_is_ignored_beside_complete_times():
    stamps = CLOCK | {"Time": [f"2026-01-05 09:00:0{i}" for i in range(3)]}
    data = po.displacements(stamps, within="1s")
    assert len(data) == 2
    assert data.report.unused == ("Date",)
    with pytest.raises(po.DataError, match='column "Time" does not contain times of day'):
        po.displacements(stamps, within="1s", date="Date")


def test_types_of_columns():
    begin = dt.datetime(2026, 1, 5, 9)
    frame = pl.DataFrame(
        {
            "tag": pl.Series([7, 8], dtype=pl.Int64),
            "antenna": pl.Series(["x", "x"], dtype=pl.Categorical),
            "start": [begin, begin + dt.timedelta(seconds=61.25)],
            "end": [begin + dt.timedelta(seconds=60), begin + dt.timedelta(seconds=70)],
        }
    )
    data = po.displacements(frame, within=2)
    assert data.individuals == ("8", "7")
    assert data.extra is not None
    assert data.extra["gap"].to_list() == [1.25]
    assert po.displacements(frame.to_pandas(), within=2).hash == data.hash
    assert po.displacements(frame.lazy(), within=2).hash == data.hash
    large = frame.with_columns(start=pl.Series([1e13, 2e13]), end=pl.Series([1e13, 2e13]))
    with pytest.raises(po.DataError, match="too large for a time in seconds"):
        po.displacements(large, within=2)


def test_blanks_around_names_do_not_matter():
    visits = {"id": ["b ", " a", "b"], "bin": ["x", "x ", " x"], "start": [0, 1, 2]}
    data = po.displacements(visits, within=1)
    assert data.individuals == ("a", "b")
    assert len(data) == 2


def test_rows_without_an_individual_can_be_dropped():
    visits = {"id": ["a", None, "b"], "bin": [1, 1, 1], "start": [0, 1, 2], "end": [1, 2, 3]}
    data = po.displacements(visits, within=1, missing="drop")
    assert data.to_table().select("winner", "loser").rows() == [("b", "a")]
    assert data.report.dropped == {"no individual, place or start": 1}
    assert data.report.rows_kept == 2
    gone = {name: cells[1:2] for name, cells in visits.items()}
    with pytest.raises(po.DataError, match="no visits remain"):
        po.displacements(gone, within=1, missing="drop")
    with pytest.raises(po.DataError, match="has a header but no visits"):
        po.displacements({name: [] for name in visits}, within=1)


def test_visits_are_not_read_as_contests(sheet):
    text = "feeder,bird,arrival,departure\nA,x,2023-01-01 07:00:00,2023-01-01 07:00:09\n"
    with pytest.raises(po.DataError, match="appears to contain visits .*displacements"):
        po.read(sheet(text))
    with pytest.raises(po.DataError, match="was not recognized"):
        po.read(sheet("feeder,bird,arrival\nA,x,2023-01-01 07:00:00\n"))
