"""Day, month and year in columns of their own."""

import datetime as dt

import pytest

import peckorder as po

ROWS = "{}\n5,1,2009,a,b\n1,2,2009,b,a\n31,12,2008,a,c\n"
DATES = [dt.date(2008, 12, 31), dt.date(2009, 1, 5), dt.date(2009, 2, 1)]


@pytest.mark.parametrize(
    "header",
    [
        "day,month,year,winner,loser",
        "Jour,Mois,Année,gagnant,perdant",
        "tag,Monat,Jahr,winner,loser",
    ],
)
def test_three_columns_are_one_date(sheet, header):
    data = po.read(sheet(ROWS.format(header)))
    assert data.to_table()["date"].to_list() == DATES
    assert 'were joined to one date, such as 2009-01-05. To ignore dates, use date="".' in str(
        data.report
    )
    assert po.read(sheet(ROWS.format(header)), date="").date is None


def test_names_of_months(sheet):
    data = po.read(sheet("day,month,year,winner,loser\n5,May,2009,a,b\n1,March,2009,b,a\n"))
    assert data.to_table()["date"].to_list() == [dt.date(2009, 3, 1), dt.date(2009, 5, 5)]


def test_impossible_and_missing_parts_are_refused_with_their_row(sheet):
    with pytest.raises(po.DataError, match='Row 3: "2009-13-01" in column "year-month-day"'):
        po.read(sheet("day,month,year,winner,loser\n5,1,2009,a,b\n1,13,2009,b,a\n"))
    with pytest.raises(po.DataError, match='Row 3: no date in column "year-month-day"'):
        po.read(sheet("day,month,year,winner,loser\n5,1,2009,a,b\n1,,2009,b,a\n"))


def test_another_date_or_short_years_are_not_joined(sheet):
    both = "day,month,year,date,winner,loser\n5,1,2009,2010-01-05,a,b\n"
    with pytest.raises(po.DataError, match='several columns match date: "day", "date"'):
        po.read(sheet(both))
    with pytest.raises(po.DataError, match='split over columns "day", "month", "year"'):
        po.read(sheet("day,month,year,winner,loser\n5,1,09,a,b\n1,2,09,b,a\n"))


def test_the_call_can_be_repeated(sheet):
    path = sheet(ROWS.format("day,month,year,winner,loser"))
    data = po.read(path)
    assert "date" not in data.report.options
    assert po.read(path, **data.report.options).hash == data.hash
