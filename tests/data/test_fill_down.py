"""Blank cells that repeat the value above."""

import polars as pl
import pytest

import peckorder as po

TEXT = "date,winner,loser,group\n2020-01-01,a,b,N\n,b,c,\n,,,\n2020-01-02,c,a,S\n ,a,b,\n"


def test_dates_below_a_date(sheet):
    data = po.read(sheet(TEXT), fill_down="date", group="")
    days = data.date.astype("datetime64[D]").astype(str).tolist()
    assert days == ["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02"]
    assert data.report.dropped == {"blank rows": 1}
    assert data.report.notes == ('Column "date": 2 blank cells were filled with the value above.',)
    assert data.report.options == {"fill_down": "date", "group": ""}


def test_several_columns_by_name_and_role(sheet):
    path = sheet(TEXT.replace("group", "Troop"))
    data = po.read(path, fill_down=["date", "Troop"])
    assert data.group.column().to_list() == ["N", "N", "S", "S"]
    assert po.read(path, fill_down=["date", "group"]).group.names == ("N", "S")
    without = po.read(path, fill_down="date")
    assert without.group.names == ("N", "", "S")
    assert without.report.notes[-1].endswith('To repeat the group above, use fill_down="group".')


def test_the_error_offers_it_where_the_pattern_is_clear(sheet, inside, tmp_path):
    with pytest.raises(po.DataError) as error:
        po.read(sheet(TEXT))
    assert str(error.value) == (
        'Rows 3 and 6: no date in column "date". Enter the date, use fill_down="date" to repeat '
        'the date above, missing="drop" to drop such rows, or date="" to ignore dates.'
    )
    for start in ("", "NA"):  # nothing above, or a date that is known to be missing
        with pytest.raises(po.DataError) as error:
            po.read(sheet(f"date,winner,loser\n{start},a,b\n2020-01-01,b,a\n"))
        assert "fill_down" not in str(error.value)
    (tmp_path / "x.csv").write_text(TEXT)
    done = inside("check", "x.csv")
    assert b"use --read fill_down=date to repeat the date above" in done.stdout + done.stderr
    done = inside("check", "x.csv", "--read", "fill_down=date", "--read", "fill_down=group")
    assert b'Column "group": 2 blank cells were filled' in done.stdout


def test_a_first_blank_stays_blank(sheet):
    with pytest.raises(po.DataError, match='^Row 2: no date in column "date"'):
        po.read(sheet("date,winner,loser\n,a,b\n2020-01-01,b,a\n,a,b\n"), fill_down="date")


def test_tables_can_be_filled():
    frame = pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "date": [3, None]})
    assert po.read(frame, fill_down="date").date.tolist() == [3, 3]


def test_where_it_does_not_apply(sheet):
    with pytest.raises(ValueError, match='fill_down="day": there is no such column or role'):
        po.read(sheet(TEXT), fill_down="day")
    with pytest.raises(ValueError, match="lists of contests only"):
        po.read(sheet(",a,b\na,0,1\nb,2,0\n"), fill_down="date")
    with pytest.raises(ValueError, match="cannot be combined with fill_down="):
        po.read(sheet(TEXT), fill_down="date", stream=True)
