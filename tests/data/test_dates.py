"""Reading dates in common formats."""

import datetime as dt

import numpy as np
import openpyxl
import polars as pl
import pytest

import peckorder as po
from peckorder import dates as calendar


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
    text = "winner,loser,time\na,b,15:30\nb,c,9:05\nc,a,16:00\n"
    assert [doubt.kind for doubt in po.read(sheet(text)).doubts] == ["order"]
    alone = po.read(sheet(text), time="time")
    assert "contains times, but there is no column of dates" in alone.report.notes[0]


def test_typed_columns():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    frame = pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "date": days})
    assert po.read(frame).date.dtype == np.dtype("datetime64[us]")
    zoned = frame.with_columns(pl.col("date").cast(pl.Datetime("ms", "Europe/Vienna")))
    assert po.read(zoned).date.tolist()[0] == dt.datetime(2020, 1, 1, 1)
    assert po.read(frame.with_columns(date=pl.Series([2009, 2010]))).date.tolist() == [2009, 2010]


def test_dates_split_over_two_columns_are_refused(sheet):
    path = sheet("day,month,winner,loser\n5,1,a,b\n1,2,b,a\n")
    with pytest.raises(po.DataError, match='split over columns "day", "month"'):
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


def test_a_date_that_can_be_read_in_two_ways_is_refused_with_both():
    ratings = po.elo(po.read({"winner": ["a"], "loser": ["b"], "date": ["2023-05-13"]}))
    assert ratings.at("13.05.2023").height == ratings.at("5/13/2023").height == 2
    for word in ("01.05.2023", "1/5/2023"):
        with pytest.raises(po.ArgumentError, match="may be 2023-05-01 or 2023-01-05"):
            ratings.at(word)


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


def days(sheet, *texts, **options):
    return dates(sheet, *texts, **options).astype("datetime64[D]").astype(str).tolist()


def test_dates_with_dots_are_day_first(sheet):
    path = sheet("winner,loser,date\na,b,01.02.2023\na,b,03.02.2023 9:30\n")
    data = po.read(path)
    assert data.date.tolist() == [dt.datetime(2023, 2, 1), dt.datetime(2023, 2, 3, 9, 30)]
    assert data.report.notes == (
        'Dates with dots in column "date", such as "01.02.2023", were read day first. For another '
        "order, use date_format=.",
    )
    assert po.read(sheet("winner,loser,date\na,b,28.02.2023\n")).report.notes == ()
    assert days(sheet, "01.02.2023", "02.28.2023") == ["2023-01-02", "2023-02-28"]  # one reading
    with pytest.raises(po.DataError, match="ambiguous"):
        dates(sheet, "01.02.2023", "01/02/2023")


@pytest.mark.parametrize(
    "text",
    [
        "3. März 2021",
        "3 mars 2021",
        "3 de marzo de 2021",
        "3 de março de 2021",
        "3 marzo 2021",
        "3 Mrz. 2021",
        "3-Mar-2021",
        "3-Mar-21",
        "March 3, 2021",
        "Mar 3rd",
        "03mar2021",
        "3rd March 2021",
        "3 MARCH 2021",
    ],
)
def test_months_in_six_languages(sheet, text):
    if text == "Mar 3rd":
        with pytest.raises(po.DataError, match="cannot be read as a date"):
            dates(sheet, text)
    else:
        assert days(sheet, text) == ["2021-03-03"]


def test_each_month_has_one_number():
    words = calendar.MONTHS.split()
    assert len(words) == len(set(words)) == len(calendar.MONTH_OF)
    english = [dt.date(2021, month, 1).strftime("%B") for month in range(1, 13)]
    for month, name in enumerate(english, 1):
        for form in (name, name[:3], name.upper()):
            assert calendar.parse(f"5 {form} 2021", "day") == dt.datetime(2021, month, 5)


def test_years_of_two_digits_are_said(sheet):
    data = po.read(sheet("winner,loser,date\na,b,28/05/98\na,b,3/6/11\n"))
    assert data.date.astype("datetime64[D]").astype(str).tolist() == ["1998-05-28", "2011-06-03"]
    assert data.report.notes == (
        'Years of two digits in column "date" were read as 1998 to 2011. For another century, '
        "write them with four digits.",
    )
    with pytest.raises(po.DataError) as error:
        dates(sheet, "09-05-28", "10-06-03")
    assert "is 9 May 2028 or 5 September 2028 or 28 May 2009" in str(error.value)
    assert 'date_format="%y-%m-%d" (year first)' in str(error.value)
    assert days(sheet, "09-05-28", date_format="%y-%m-%d") == ["2009-05-28"]
    with pytest.raises(po.DataError, match='"28/05/09" in column "date" cannot be read as the for'):
        dates(sheet, "28/05/09", date_format="%d/%m/%Y")  # not the year 9


def test_numbers_of_excel_are_never_read_as_something_else(sheet):
    with pytest.raises(po.DataError) as error:
        dates(sheet, "43831", "43832.5")
    assert str(error.value) == (
        'The numbers in column "date" look like dates as Excel stores them: row 2, 43831, would be '
        '2020-01-01. Use date_format="excel" to read them so (date_format="excel-1904" for old '
        'files from a Mac, 2024-01-02), or date_format="number" for plain numbers.'
    )
    with pytest.raises(po.DataError, match="position 0, 43831, would be 2020-01-01"):
        po.read({"winner": ["a"], "loser": ["b"], "date": [43831]})
    for source in ("43831", "43832.5"), ("43831", "2020-01-02 12:00"):
        found = dates(sheet, *source, date_format="excel").tolist()
        assert found == [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 12)]
    path = sheet("winner,loser,date\na,b,43831\n")
    (batch,) = po.read(path, date_format="excel", stream=True)
    assert batch.date.tolist() == [dt.datetime(2020, 1, 1)]
    assert days(sheet, "42369", date_format="excel-1904") == ["2020-01-01"]
    assert dates(sheet, "43831", "43832.5", date_format="number").tolist() == [43831, 43832.5]
    table = {"winner": ["a"], "loser": ["b"], "date": [43831.25]}
    assert po.read(table, date_format="excel").date.tolist() == [dt.datetime(2020, 1, 1, 6)]
    assert po.read(table, date_format="number").date.tolist() == [43831.25]
    with pytest.raises(po.DataError, match=r"Row 3: \"43831\" .* of Excel it would be 2020-01-01"):
        dates(sheet, "2020-01-02", "43831")
    assert dates(sheet, "1", "43831").tolist() == [1, 43831]  # not all look like dates


def test_real_dates_among_texts(tmp_path):
    made = openpyxl.Workbook()
    cells = [dt.datetime(2021, 5, 28), "29.05.2021", "30 May 2021", dt.datetime(2021, 5, 31, 9, 30)]
    for row in (["winner", "loser", "date"], *(["a", "b", cell] for cell in cells)):
        made.active.append(row)
    made.save(tmp_path / "x.xlsx")
    found = po.read(tmp_path / "x.xlsx").date.tolist()
    assert found == [dt.datetime(2021, 5, day) for day in (28, 29, 30)] + [cells[3]]


def test_dates_that_excel_may_have_exchanged(tmp_path):
    made = openpyxl.Workbook()
    cells = [dt.datetime(2021, 4, 3), "28/05/2021", dt.datetime(2021, 6, 9), "30/06/2021"]
    for row in (["winner", "loser", "date"], *(["a", "b", cell] for cell in cells)):
        made.active.append(row)
    made.save(tmp_path / "x.xlsx")
    with pytest.raises(po.DataError, match="Rows 2 and 4: .* may have exchanged day and month"):
        po.read(tmp_path / "x.xlsx")
    data = po.read(tmp_path / "x.xlsx", date_format="%d/%m/%Y")
    stored = ["2021-04-03", "2021-05-28", "2021-06-09", "2021-06-30"]
    assert data.date.astype("datetime64[D]").astype(str).tolist() == stored
    assert "those stored as dates" in data.report.notes[0]
    made.active["C2"] = dt.datetime(2021, 4, 13)  # which cannot be exchanged
    made.save(tmp_path / "y.xlsx")
    assert len(po.read(tmp_path / "y.xlsx")) == 4


@pytest.mark.parametrize("time", ["13:00 AM", "0:30 PM", "00:10 am", "9:60", "24:10"])
def test_times_that_do_not_exist(sheet, time):
    message = f'Row 2: "{time}" is not a time of day in column "time"'
    with pytest.raises(po.DataError, match=message):
        po.read(sheet(f"winner,loser,date,time\na,b,2020-01-01,{time}\na,b,2020-01-01,1:30 PM\n"))
    with pytest.raises(po.DataError, match=f'"2020-01-01 {time}" in column "date"'):
        dates(sheet, f"2020-01-01 {time}", "2020-01-01 1:30 PM")


def test_twelve_hours(sheet):
    for text, hour in (("12:15 AM", 0), ("1:15 a.m.", 1), ("12:15 pm", 12), ("11:15PM", 23)):
        data = po.read(sheet(f"winner,loser,date,time\na,b,2020-01-01,{text}\n"))
        assert data.date.tolist() == [dt.datetime(2020, 1, 1, hour, 15)]
        assert dates(sheet, f"2020/1/1 {text}").tolist() == data.date.tolist()


def test_times_that_go_back_past_midnight_are_noted(sheet):
    text = "winner,loser,date,time\na,b,2020-01-01,23:50\nb,a,2020-01-01,0:10\n"
    notes = po.read(sheet(text)).report.notes
    assert notes[0] == (
        'Row 3: the time in column "time" goes back to the early morning of the same date. If '
        "observations went on past midnight, enter the date of the next day there."
    )
    assert "sorted by date" in notes[1]
    assert po.read(sheet(text.replace("01,0:10", "02,0:10"))).report.notes == ()


def test_dates_in_a_column_called_time(sheet):
    path = sheet("winner,loser,time\na,b,2020-01-02 9:00\nb,a,01.01.2020\n")
    data = po.read(path)
    assert data.date.tolist() == [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 9)]
    assert data.report.columns["date"] == "time"
    assert data.report.notes[0] == (
        'Column "time" contains dates and was used as the date. To ignore it, use time="".'
    )
    assert po.read(path, time="").date is None
    assert po.read(path, date="").date is None
    frame = pl.DataFrame({"winner": ["a"], "loser": ["b"], "time": [dt.datetime(2020, 1, 1, 9)]})
    assert po.read(frame).date.tolist() == [dt.datetime(2020, 1, 1, 9)]
    frame = frame.with_columns(pl.col("time").dt.time())
    assert po.read(frame).date is None
    with pytest.raises(po.DataError, match="ambiguous"):
        po.read(sheet("winner,loser,time\na,b,01/02/2020\n"))


@pytest.mark.parametrize(("form", "unit"), [("unix", 1), ("unix-ms", 1000)])
def test_seconds_since_1970(form, unit):
    """Python's own clock is the other reader."""
    stamps = [1_690_000_000.25, 1_690_000_100.0, 1_699_999_999.5]
    rows = {"winner": ["a", "b", "a"], "loser": ["b", "a", "b"]}
    rows |= {"tstamp": [stamp * unit for stamp in stamps]}
    plain, read = po.read(rows), po.read(rows, date_format=form)
    assert plain.date.tolist() == rows["tstamp"]
    assert f"since 1970: position 0, {rows['tstamp'][0]:.0f}, would be 2023-07-22" in str(
        plain.report
    )
    assert f'date_format="{form}"' in str(plain.report)
    utc = [dt.datetime.fromtimestamp(stamp, dt.UTC).replace(tzinfo=None) for stamp in stamps]
    assert read.date.astype(dt.datetime).tolist() == utc
    assert "1970" not in str(read.report)


def test_other_numbers_get_no_note_on_seconds():
    for numbers in ([1, 2], [2009, 2010], [1e8, 2e8], [5e9, 6e9]):
        data = po.read({"winner": ["a", "b"], "loser": ["b", "a"], "day": numbers})
        assert "1970" not in str(data.report)
