"""Presence data from a sheet of the workbook that is read, or of another one."""

import pytest
import xlsxwriter

import peckorder as po
from peckorder.errors import ArgumentError, DataError

STAYS = (("Abe", "2020-01-01", "2020-03-31"), ("Bo", "2020-01-01", ""), ("Cy", "2020-02-01", ""))
CONTESTS = (("2020-01-10", "Abe", "Bo"), ("2020-02-10", "Cy", "Bo"), ("2020-03-01", "Abe", "Cy"))


def book(path, stays=STAYS, contests=CONTESTS):
    with xlsxwriter.Workbook(path) as made:
        for name, heads, rows in (
            ("2020", ("date", "winner", "loser"), contests),
            ("Who was there", ("individual", "start", "end"), stays),
        ):
            sheet = made.add_worksheet(name)
            for i, row in enumerate((heads, *rows)):
                sheet.write_row(i, 0, row)
    return str(path)


def test_of_the_same_workbook(tmp_path):
    path = book(tmp_path / "field.xlsx")
    data = po.read(path, presence_sheet="Who was there")
    stays = po.read_presence(path, sheet="Who was there")
    assert data.presence.to_table().rows() == stays.to_table().rows()
    assert data.report.options == {"presence_sheet": "Who was there"}
    again = po.read(path, **data.report.options)
    assert again.presence.to_table().rows() == stays.to_table().rows()
    assert po.read(path, presence_sheet=2).presence.individual == ("Abe", "Bo", "Cy")


def test_of_another_workbook(tmp_path):
    path, other = book(tmp_path / "field.xlsx"), book(tmp_path / "stays.xlsx", STAYS[::-1])
    data = po.read(path, presence=other, presence_sheet="Who was there")
    assert data.report.options == {"presence": other, "presence_sheet": "Who was there"}
    same = po.read(path).with_presence(other, sheet="Who was there")
    assert same.report.options == data.report.options
    assert same.presence.to_table().rows() == data.presence.to_table().rows()


def test_aliases_apply_and_absence_is_refused(tmp_path):
    renamed = book(tmp_path / "a.xlsx", [("abe", *STAYS[0][1:]), *STAYS[1:]])
    data = po.read(renamed, presence_sheet="Who was there", names={"abe": "Abe"})
    assert "Abe" in data.presence.individual
    absent = book(tmp_path / "b.xlsx", [("Abe", "2020-01-01", "2020-02-01"), *STAYS[1:]])
    with pytest.raises(DataError, match=r"winner \(\"Abe\"\) was absent"):
        po.read(absent, presence_sheet="Who was there")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"presence": "inferred"}, "leave out presence_sheet="),
        ({"presence": {"id": ["a"], "start": ["2020-01-01"], "end": [""]}}, "which is a file"),
    ],
)
def test_what_has_no_sheets(tmp_path, options, message):
    with pytest.raises(ArgumentError, match=message):
        po.read(book(tmp_path / "a.xlsx"), presence_sheet="Who was there", **options)


def test_of_a_table_and_of_a_sheet_that_is_not_there(tmp_path):
    table = {"winner": ["a", "b"], "loser": ["b", "a"]}
    with pytest.raises(ArgumentError, match="which is a file"):
        po.read(table, presence_sheet="Who was there")
    with pytest.raises(DataError, match='no sheet "Who". Sheets found: "2020", "Who was there"'):
        po.read(book(tmp_path / "a.xlsx"), presence_sheet="Who")
    with pytest.raises(ArgumentError, match="stream=True cannot be combined with presence_sheet="):
        po.read(book(tmp_path / "a.xlsx"), presence_sheet="Who was there", stream=True)


def test_at_the_shell(inside, tmp_path):
    path = book(tmp_path / "field.xlsx")
    found = inside("turnover", path, "--read", "presence_sheet=Who was there", "--every", "month")
    assert found.returncode == 0, found.stderr
    assert b"arrivals" in found.stdout
