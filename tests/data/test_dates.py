"""Reading dates in common formats."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import peckorder as po


def dates(sheet, *texts, **options):
    rows = "".join(f'a,b,"{text}"\n' for text in texts)
    return po.read(sheet(f"winner,loser,date\n{rows}"), **options).date


@pytest.mark.parametrize(
    "text",
    [
        "2009-05-28",
        "28.05.2009",
        "5/28/2009",
        "28-5-2009",
        "2009/05/28",
        "20090528",
        "28 May 2009",
        "May 28, 2009",
        "2009-05-28T00:00:00",
        "2009-05-28 00:00",
        "28.05.2009 0:00",
    ],
)
def test_formats_of_one_date(sheet, text):
    assert dates(sheet, text).astype("datetime64[s]").tolist() == [dt.datetime(2009, 5, 28)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5/28/2009 9:23", dt.datetime(2009, 5, 28, 9, 23)),
        ("5/28/2009 9:23 PM", dt.datetime(2009, 5, 28, 21, 23)),
        ("2009-05-28 09:23:45.5", dt.datetime(2009, 5, 28, 9, 23, 45, 500000)),
        ("28.05.2009 09:23:45", dt.datetime(2009, 5, 28, 9, 23, 45)),
    ],
)
def test_with_time(sheet, text, expected):
    assert dates(sheet, text).tolist() == [expected]


def test_years_and_day_numbers(sheet):
    assert dates(sheet, "2009", "2010").tolist() == [2009, 2010]
    assert dates(sheet, "1", "2.5", "30").tolist() == [1, 2.5, 30]


def test_one_unambiguous_row_decides(sheet):
    days = dates(sheet, "03/04/2009", "28/05/2009").astype("datetime64[D]").astype(str)
    assert days.tolist() == ["2009-04-03", "2009-05-28"]
    days = dates(sheet, "03/04/2009", "05/28/2009").astype("datetime64[D]").astype(str)
    assert days.tolist() == ["2009-03-04", "2009-05-28"]


def test_ambiguous_dates_are_refused_with_both_readings(sheet):
    with pytest.raises(po.DataError) as error:
        dates(sheet, "01/01/2009", "03/04/2009 9:23")
    message = str(error.value)
    assert 'row 3, "03/04/2009 9:23", is 3 April 2009 or 4 March 2009' in message
    assert 'date_format="%d/%m/%Y %H:%M" (day first)' in message
    days = dates(sheet, "01/02/2009", "03/04/2009", date_format="%d/%m/%Y")
    assert days.astype("datetime64[D]").astype(str).tolist() == ["2009-02-01", "2009-04-03"]
    assert len(dates(sheet, "02.02.2009", "03.03.2009")) == 2  # both readings are the same


def test_unreadable_dates_are_reported(sheet):
    with pytest.raises(
        po.DataError,
        match='Row 3: "soon" in column "date" cannot be read as a date like the others',
    ):
        dates(sheet, "2009-05-28", "soon", "2009-05-30")
    with pytest.raises(po.DataError, match=r'Row 2: "31\.02\.2009"'):
        dates(sheet, "31.02.2009", "28.05.2009")
    with pytest.raises(po.DataError, match="cannot be read as the format %Y"):
        dates(sheet, "28.05.2009", date_format="%Y-%m-%d")
    with pytest.raises(ValueError, match="is not a date format"):
        dates(sheet, "28.05.2009", date_format="day first")


def test_missing_dates(sheet):
    with pytest.raises(po.DataError, match='Row 3: no date in column "date"'):
        dates(sheet, "2009-05-28", "", "2009-05-30")
    kept = po.read(sheet("winner,loser,date\na,b,2009-05-28\na,b,\n"), missing="drop")
    assert len(kept) == 1
    assert kept.report.dropped == {"no date": 1}


def test_time_in_its_own_column(sheet):
    text = "winner,loser,date,time\na,b,2020-01-01,15:30\nb,a,2020-01-01,9:05\n"
    data = po.read(sheet(text))
    assert data.individuals == ("b", "a")  # 9:05 comes first, and names follow the contests
    assert data.rows.tolist() == [3, 2]
    with pytest.raises(po.DataError, match='Row 2: "25:00" is not a time of day in column "time"'):
        po.read(sheet("winner,loser,date,time\na,b,2020-01-01,25:00\n"))
    with pytest.raises(po.DataError, match='Row 3: no time in column "time"'):
        po.read(sheet("winner,loser,date,time\na,b,2020-01-01,9:00\na,b,2020-01-01,\n"))
    with pytest.raises(po.DataError, match='column "date" contains a time'):
        po.read(sheet("winner,loser,date,time\na,b,2020-01-01 9:00,9:00\n"))
    alone = po.read(sheet("winner,loser,time\na,b,15:30\n"))
    assert "contains times, but there is no column of dates" in alone.report.notes[0]


def test_typed_columns():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    frame = pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "date": days})
    assert po.read(frame).date.dtype == np.dtype("datetime64[us]")
    zoned = frame.with_columns(pl.col("date").cast(pl.Datetime("ms", "Europe/Vienna")))
    assert po.read(zoned).date.tolist()[0] == dt.datetime(2020, 1, 1, 1)
    assert po.read(frame.with_columns(date=pl.Series([2009, 2010]))).date.tolist() == [2009, 2010]


def test_dates_split_over_columns_are_refused(sheet):
    path = sheet("day,month,year,winner,loser\n5,1,2009,a,b\n1,2,2009,b,a\n")
    with pytest.raises(po.DataError, match='split over columns "day", "month", "year"'):
        po.read(path)
    assert po.read(path, date="").date is None
    assert po.read(sheet("year,winner,loser\n2009,a,b\n")).date.tolist() == [2009]


def test_numbers_that_are_not_dates():
    rows = {"winner": ["a", "b"], "loser": ["b", "a"]}
    with pytest.raises(po.DataError, match="Position 1: no date"):
        po.read(rows | {"date": [1.0, float("nan")]})
    with pytest.raises(po.DataError, match='Position 0: inf in column "date" is too large'):
        po.read(rows | {"date": [float("inf"), 1.0]})
    compact = po.read(rows | {"date": [20090528, 20090529]}).date
    assert compact.astype("datetime64[D]").astype(str).tolist() == ["2009-05-28", "2009-05-29"]


def test_blank_rows_are_not_reported_as_missing_dates(sheet):
    with pytest.raises(po.DataError, match="^Row 4: no date"):
        po.read(sheet("winner,loser,date\na,b,2020-01-01\n,,\na,b,NA\n"))


def test_midnight_means_the_day():
    rows = {"winner": ["a"], "loser": ["b"], "date": ["2009-01-01 10:00"]}
    ratings = po.elo(po.read(rows))
    for moment in ("2009-01-01", dt.date(2009, 1, 1), dt.datetime(2009, 1, 1), "1.1.2009"):
        assert ratings.at(moment)["rating"][0] == 1050
    with pytest.warns(po.DataWarning, match="before the first contest"):
        assert ratings.at("2009-01-01 09:00").height == 0


def test_invalid_format(sheet):
    with pytest.raises(ValueError, match="%Q is not known"):
        dates(sheet, "28.05.2009", date_format="%d.%m.%Q")


def test_format_applies_to_numbers():
    rows = {"winner": ["a", "b"], "loser": ["b", "a"], "date": [28052009, 15062008]}
    days = po.read(rows, date_format="%d%m%Y").date.astype("datetime64[D]").astype(str)
    assert days.tolist() == ["2008-06-15", "2009-05-28"]


def test_a_whole_number_covers_its_whole_unit():
    ratings = po.elo(po.read({"winner": ["a", "a"], "loser": ["b", "b"], "date": [5.2, 6.5]}))
    assert ratings.at(5)["rating"][0] == 1050
    assert ratings.at(5.2)["rating"][0] == 1050
    assert ratings.at(6)["rating"][0] > 1050
