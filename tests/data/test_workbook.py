"""Workbooks: which sheet, which header, and every cell, against a plain reader with openpyxl."""

import datetime as dt
import random
import re
import zipfile

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

import peckorder as po
from peckorder.data import workbooks

HEADER = ["Date", "Winner", "Loser"]
FIRST = [dt.date(2019, 5, 1), "a", "b"]


def book(path, sheets, **looks):
    """A workbook with these rows per sheet."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    for cell, kind in looks.get("types", {}).items():
        made.worksheets[0][cell].data_type = kind
    for row in looks.get("hidden", ()):
        made.worksheets[0].row_dimensions[row].hidden = True
    for area in looks.get("merged", ()):
        made.worksheets[-1].merge_cells(area)
    made.save(path)
    return path


def random_sheet(rng, year):
    """Titles, a header of one or two rows, and contests with dates in several forms."""
    rows = [[f"Contests {year}"], [], ["Observer", None, None, "JB"]][: rng.randint(0, 3)]
    if rng.random() < 0.5:
        rows += [["Date", "Winner", None, "Loser", None, "Tie"]]
        rows += [[None, "ID", "Sex", "ID", "Sex", None]]
    else:
        rows += [["Date", "Winner ID", "Winner Sex", "Loser ID", "Loser Sex", "Tie"]]
    for day in range(1, rng.randint(3, 9)):
        date = dt.date(year, 5, 10 + day)
        shown = rng.choice(
            [date, f"{date:%d.%m.%Y}", f"{date:%Y-%m-%d}", f"{date.day}. Mai {year}"]
        )
        for contest in range(rng.randint(1, 3)):
            pair = rng.sample(["Abe", "Bo", "Cy", "Di"], 2)
            tie = rng.choice(["x", None, None])
            rows.append([shown if contest == 0 else None, pair[0], "m", pair[1], "f", tie])
        if rng.random() < 0.2:
            rows.append([])
    return rows


def plain_reader(path, names):
    """Sheet, row, date, winner, loser and tie of every contest, cell by cell."""
    found = []
    for sheet in (openpyxl.load_workbook(path)[name] for name in names):
        date, below = None, False
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells = [*row, *[None] * 6]
            if cells[1] in ("ID", "Winner ID"):
                below = True
            elif below and cells[1] is not None:
                date = plain_date(cells[0]) if cells[0] is not None else date
                found.append((sheet.title, number, date, cells[1], cells[3], cells[5] == "x"))
            elif cells[1] == "Winner" and sheet.cell(number + 1, 2).value == "ID":
                below = True
        below = False
    return [one for one in found if one[3] != "ID"]


def plain_date(cell):
    if isinstance(cell, dt.datetime):
        return cell.date()
    if "Mai" in cell:
        day, _, year = cell.split()
        return dt.date(int(year), 5, int(day.rstrip(".")))
    form = "%d.%m.%Y" if "." in cell else "%Y-%m-%d"
    return dt.datetime.strptime(cell, form).date()


@pytest.mark.parametrize("seed", range(12))
def test_every_cell_as_a_plain_reader_reads_it(tmp_path, seed):
    rng = random.Random(seed)
    sheets = {"Info": [["About these data"]], "2019": random_sheet(rng, 2019)}
    sheets["2020"] = random_sheet(rng, 2020)
    path = book(tmp_path / "x.xlsx", sheets)
    data = po.read(path, sheet="*", fill_down="date", season="sheet")
    expected = plain_reader(path, ["2019", "2020"])
    found = data.to_table()
    assert list(found["season"]) == [one[0] for one in expected]
    assert data.row_of(range(len(data))).tolist() == [f'{o[1]} of sheet "{o[0]}"' for o in expected]
    assert list(found["date"]) == [one[2] for one in expected]
    assert list(found["winner"]) == [one[3] for one in expected]
    assert list(found["loser"]) == [one[4] for one in expected]
    assert list(found["draw"]) == [one[5] for one in expected]
    one = po.read(path, sheet="2020", fill_down="date")
    assert one.rows.tolist() == [row for sheet, row, *_ in expected if sheet == "2020"]


def test_the_sheet_with_contests_is_found(tmp_path):
    sheets = {"Info": [["Goats"], ["Observer", "JB"]], "Data": [["2019"], HEADER, FIRST]}
    data = po.read(book(tmp_path / "x.xlsx", sheets))
    assert len(data) == 1
    assert data.report.notes == (
        'The workbook has sheets "Info", "Data"; "Data" was read, the only one with a list of '
        "contests. Choose another with sheet=.",
        "Row 2 was read as the header; the rows above it were skipped. Choose another with "
        "header=.",
    )
    square = [[None, "a", "b"], ["a", 0, 1], ["b", 2, 0]]
    data = po.read(book(tmp_path / "y.xlsx", {"Info": [["Goats"]], "Wins": [["2019"], *square]}))
    assert data.matrix().wins.tolist() == [[0, 1], [2, 0]]
    both = book(tmp_path / "z.xlsx", {"Wins": square, "Contests": [HEADER, FIRST]})
    assert po.read(both).report.source == "z.xlsx, sheet Contests"
    assert po.read(both, kind="matrix").report.source == "z.xlsx, sheet Wins"
    assert po.read(both, sheet="Wins").report.kind == "matrix"


def test_several_sheets_with_contests_are_not_guessed(tmp_path, inside):
    path = book(tmp_path / "x.xlsx", {"2019": [HEADER, FIRST], "2020": [HEADER, FIRST]})
    with pytest.raises(po.DataError) as error:
        po.read(path)
    assert str(error.value) == (
        'x.xlsx has contests in sheets "2019", "2020". Choose one with sheet="2019", or join them '
        'with sheet=["2019", "2020"] or sheet="*".'
    )
    done = inside("check", "x.xlsx")
    assert b"--sheet 2019 --sheet 2020 or --sheet '*'." in done.stdout + done.stderr
    done = inside("elo", "x.xlsx", "--sheet", "2019", "--sheet", "2020", "--read", "season=sheet")
    assert done.returncode == 0
    assert b'Sheets "2019" (1 row) and "2020" (1 row) were joined' in done.stderr
    empty = book(tmp_path / "y.xlsx", {"2019": [HEADER, FIRST], "Template": [HEADER]})
    assert len(po.read(empty)) == 1
    squares = {name: [[None, "a", "b"], ["a", 0, 1], ["b", 2, 0]] for name in ("A", "B")}
    with pytest.raises(po.DataError, match=r'square tables in sheets "A", "B". Choose one with '):
        po.read(book(tmp_path / "z.xlsx", squares))


def test_joined_sheets(tmp_path):
    second = [["2020"], ["Loser", "Winner", "Date"], ["a", "b", dt.date(2020, 1, 1)], ["c"] * 2]
    path = book(tmp_path / "x.xlsx", {"2019": [HEADER, FIRST], "2020": second})
    with pytest.raises(po.DataError) as error:
        po.read(path, sheet=["2019", 2])
    message = str(error.value)
    assert 'Row 4 of sheet "2020": winner and loser are both "c"' in message
    assert 'Row 4 of sheet "2020": no date in column "Date"' in message
    data = po.read(path, sheet="*", self_contests="drop")
    assert data.to_table()["winner"].to_list() == ["a", "b"]
    assert data.extra["sheet"].to_list() == ["2019", "2020"]
    assert data.report.options == {"sheet": "*", "self_contests": "drop"}
    assert data.filter(start="2020-01-01").row_of([0]).tolist() == ['3 of sheet "2020"']


def test_copies_and_streams_of_joined_sheets(tmp_path):
    last = [dt.date(2019, 5, 3), "b", "a"]
    path = book(
        tmp_path / "x.xlsx", {"A": [HEADER, FIRST], "B": [HEADER, FIRST], "C": [HEADER, last]}
    )
    notes = po.read(path, sheet="*").report.notes
    assert notes[1] == (
        'Sheets "A" and "B" have the same rows; all were read. If one is a copy, leave it out of '
        "sheet=."
    )
    (batch,) = po.read(path, sheet=["A", "C"], stream=True)
    assert batch.row_of(range(len(batch))).tolist() == ['2 of sheet "A"', '2 of sheet "C"']
    with pytest.raises(po.DataError, match='row 2 of sheet "A" is dated'):
        list(po.read(path, sheet=["C", "A"], stream=True))


def test_sheets_with_other_columns_are_not_joined(tmp_path):
    other = [["Datum", "Winner", "Loser"], FIRST]
    path = book(tmp_path / "x.xlsx", {"2019": [HEADER, FIRST], "2020": other, "Info": [["x"]]})
    with pytest.raises(po.DataError) as error:
        po.read(path, sheet="*")
    assert str(error.value) == (
        'x.xlsx: sheet "2020" has "Datum" and lacks "Date", unlike sheet "2019". Sheets that are '
        "joined need the same columns."
    )
    for wrong, message in (
        (["2019", "2019"], 'names "2019" twice'),
        ([], "give at least one sheet"),
        (["2019", "2021"], 'no sheet "2021". Sheets found: "2019", "2020", "Info"'),
    ):
        with pytest.raises(po.DataError, match=message):
            po.read(path, sheet=wrong)
    with pytest.raises(TypeError, match="give the name of a sheet"):
        po.read(path, sheet=["2019", 1.5])


def test_a_sheet_that_has_a_column_called_sheet(tmp_path):
    rows = [["winner", "loser", "sheet"], ["a", "b", "7"]]
    data = po.read(book(tmp_path / "x.xlsx", {"A": rows, "B": rows}), sheet="*")
    assert data.extra["sheet"].to_list() == ["7", "7"]
    assert data.extra["name of the sheet"].to_list() == ["A", "B"]


@pytest.mark.parametrize("error", ["#N/A", "#REF!", "#DIV/0!"])
def test_errors_of_formulas_are_refused(tmp_path, error):
    rows = [[None, "winner", "loser"], [None, "a", error], [None, "b", "a"]]
    path = book(tmp_path / "x.xlsx", {"A": rows}, types={"C2": "e"})
    with pytest.raises(po.DataError, match=f'Row 2: "{error}" is an error of a formula'):
        po.read(path)
    rows = [["winner", "loser", "tie"], ["a", "b", error], ["b", "a", None]]
    path = book(tmp_path / "y.xlsx", {"A": rows}, types={"C2": "e"})
    with pytest.raises(po.DataError, match=f'Row 2: "{error.lower()}" in column "tie"'):
        po.read(path)
    assert po.read(path, tie="").extra["tie"].to_list() == [error, None]


def test_formulas_that_were_never_calculated_are_refused(tmp_path):
    rows = [["winner", "loser", "group"], ["a", "b", "=A2&B2"], ["b", "=A1", "x"]]
    path = book(tmp_path / "x.xlsx", {"A": rows})
    with pytest.raises(
        po.DataError, match='Row 3: "formula =A1" is an error of a formula, or a formula'
    ):
        po.read(path)
    path = book(tmp_path / "y.xlsx", {"A": [*rows[:2], ["b", "a", "x"]]})
    with pytest.raises(po.DataError, match='Row 2: "formula =A2&B2" is an error'):
        po.read(path)
    below = [*rows[:1], ["a", "b", "x"], [None, None, "=A3&B3"]]  # copied below the table
    assert len(po.read(book(tmp_path / "z.xlsx", {"A": below}), group="")) == 1


def test_hidden_rows_are_read_and_named(tmp_path):
    rows = [["winner", "loser"], *[["a", "b"]] * 4]
    data = po.read(book(tmp_path / "x.xlsx", {"A": rows}, hidden=[3, 5]))
    assert len(data) == 4
    assert data.report.notes == (
        "Rows 3 and 5 are hidden in the workbook and were read like the others.",
    )


def test_dates_and_times_of_the_calendar_from_1904(tmp_path):
    made = openpyxl.Workbook()
    made.epoch = CALENDAR_MAC_1904
    stamp = dt.datetime(2021, 3, 1)
    for row in (["date", "time", "winner", "loser"], [stamp, dt.time(9, 30), "a", "b"]):
        made.active.append(row)
    made.save(tmp_path / "x.xlsx")
    assert po.read(tmp_path / "x.xlsx").date.tolist() == [dt.datetime(2021, 3, 1, 9, 30)]


def test_times_beyond_midnight_in_cells(tmp_path):
    rows = [["date", "time", "winner", "loser"]]
    rows += [[dt.date(2021, 3, 1), time, "a", "b"] for time in (dt.time(9), dt.timedelta(hours=25))]
    with pytest.raises(po.DataError, match='Row 3: .* is not a time of day in column "time"'):
        po.read(book(tmp_path / "x.xlsx", {"A": rows}))


def test_a_stray_line_below_the_table_is_refused_with_its_row(tmp_path):
    path = book(tmp_path / "x.xlsx", {"A": [HEADER, FIRST, [], ["Abby", 1]]})
    with pytest.raises(po.DataError, match="Row 4"):
        po.read(path)


def test_a_note_below_the_table_is_left_out_and_counted(tmp_path):
    path = book(tmp_path / "x.xlsx", {"A": [HEADER, FIRST, [], ["Total: 1 contest"]]})
    data = po.read(path)
    assert len(data) == 1
    assert data.report.dropped["totals or text below the table (row 4)"] == 1


def test_another_format_has_no_parts():
    part = workbooks.SheetPart(b"PK\x03\x04 no archive", 0)
    assert part.hidden_rows == []
    assert part.corner is None


@pytest.mark.parametrize("dimension", [b"", b'<dimension ref="A1:B3"/>'])
def test_a_stray_cell_is_found_whatever_the_workbook_says(tmp_path, dimension):
    path = tmp_path / "x.xlsx"
    book(path, {"A": [HEADER, FIRST]})
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    name = "xl/worksheets/sheet1.xml"
    page = re.sub(rb"<dimension[^>]*/>", dimension, parts[name])
    stray = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    bare = b'<row r="1048576">' + b"<c/>" * 16383 + b"<c><v>1</v></c></row></sheetData>"
    for cells in (stray, bare, stray.replace(b"<", b"<x:").replace(b"<x:/", b"</x:")):
        prefixed = cells.startswith(b"<x:")
        own = page.replace(b"</sheetData>", cells.replace(b"</x:sheetData>", b"</sheetData>"))
        with zipfile.ZipFile(path, "w") as packed:
            for other, content in parts.items():
                packed.writestr(other, own if other == name else content)
        assert workbooks.SheetPart(path.read_bytes(), 0).corner == (16384, 1048576), prefixed
        with pytest.raises(po.DataError, match="extends to cell XFD1048576"):
            po.read(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("xl/workbook.xml", "xl/Workbook.xml"),
        ("schemas.openxmlformats.org/officeDocument/2006", "purl.oclc.org/ooxml/officeDocument"),
        ('<c r="XFD', '<c t=">" r="XFD'),
        ("XFD1048576", "ZZZZ9"),  # no such column
    ],
)
def test_a_stray_cell_is_found_in_workbooks_of_other_programs(tmp_path, old, new):
    path = book(tmp_path / "x.xlsx", {"A": [HEADER, FIRST]})
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    stray = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            content = content.replace("</sheetData>", stray).replace(old, new)
            packed.writestr(zipfile.ZipInfo(name.replace(old, new)), content)
    found = "extent of its cells is not known" if "ZZZZ" in new else "extends to cell XFD1048576"
    with pytest.raises(po.DataError, match=found):
        po.read(path)


def cell_of_ods(text, repeated=1):
    times = f' table:number-columns-repeated="{repeated}"'
    kind = ' office:value-type="string"' if text else ""
    return (
        f"<table:table-cell{kind}{times}>{text and f'<text:p>{text}</text:p>'}</table:table-cell>"
    )


@pytest.mark.parametrize(
    ("below", "corner"),
    [
        (cell_of_ods("", 16384), ""),  # as LibreOffice fills the sheet
        (f"{cell_of_ods('', 999)}{cell_of_ods('x')}", "ALL1048576"),
        (cell_of_ods("x", 1024), "AMJ1048576"),
    ],
)
def test_a_stray_cell_of_an_ods_file(tmp_path, below, corner):
    uri = "urn:oasis:names:tc:opendocument:xmlns"
    names = {name: f"{uri}:{name}:1.0" for name in ("office", "table", "text", "manifest")}
    spaces = " ".join(f'xmlns:{name}="{own}"' for name, own in names.items())
    rows = "".join(
        f"<table:table-row>{cell_of_ods(one)}{cell_of_ods(other)}</table:table-row>"
        for one, other in (("Winner", "Loser"), ("a", "b"))
    )
    last = f'<table:table-row table:number-rows-repeated="1048574">{below}</table:table-row>'
    path = tmp_path / "x.ods"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", f"<manifest:manifest {spaces}/>")
        packed.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="A">{rows}{last}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    if corner:
        with pytest.raises(po.DataError, match=f"A sheet of x.ods extends to cell {corner},"):
            po.read(path)
    else:
        assert len(po.read(path)) == 1


def test_rows_that_are_struck_through_are_marked(tmp_path):
    path = tmp_path / "x.xlsx"
    book(path, {"A": [HEADER, FIRST, FIRST]})
    made = openpyxl.load_workbook(path)
    for cell in made.active[3]:
        cell.font = openpyxl.styles.Font(strike=True)
    made.save(path)
    data = po.read(path)
    assert data.extra["struck through"].to_list() == [None, "x"]
    # A damaged style marks nothing.
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts["xl/styles.xml"] = parts["xl/styles.xml"].replace(b'fontId="1"', b'fontId="x"')
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    assert po.read(path).extra is None
