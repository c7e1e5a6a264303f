"""From the bytes of an Excel workbook to the cells of its sheets.

Where a workbook has several sheets and none is chosen, the one with contests is read; if several
have contests, the choice is left to the user.

What the reader of workbooks leaves out, taken from the parts of an .xlsx file.

Several sheets of a workbook as one table, such as one sheet per year.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import polars as pl

from peckorder.data.headings import LARGEST_MATRIX, Header, Wanted, find_header
from peckorder.data.sheet import NOT_CALCULATED, Part, Sheet, chosen, reason, stacked
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import counted, either, given, listed, option, option_name, quoted, rows

# A workbook is a zip archive: a small file may expand to more than the memory holds. The largest
# sheet that Excel can save with five columns takes about 200 MB.
LARGEST_WORKBOOK = 1 << 30
LARGEST_SHEET = 30_000_000  # cells, filled or not, up to the last row and column
SMALL_SHEET = 1_000_000
ALL = "*"
SheetChoice = str | int | Sequence[str | int] | None
CELLS_SEARCHED = 4_000_000  # for a header
STRUCK, COLORED, COMMENT = "struck through", "colored", "comment"  # headings of columns of marks
MOST_COLORED = 0.35  # share of the rows above which colors are no marks, as of every second row


def one_sheet(sheet: SheetChoice, source: str) -> str | int | None:
    """The one table of a source whose tables cannot be joined."""
    if sheet is None or isinstance(sheet, str | int):
        return sheet
    raise ArgumentError(
        f"{option_name('sheet')}: only sheets of a workbook can be joined; of {source}, choose one."
    )


@dataclass(frozen=True)
class SheetCells:
    """The cells of one sheet as text from the header on, and what was found."""

    label: str
    cells: pl.DataFrame
    header: Header | None
    notes: tuple[str, ...] = ()


def cells_of_workbook(
    raw: bytes,
    name: str,
    sheet: SheetChoice,
    header: Header | None,
    wanted: Wanted | None,
) -> tuple[list[SheetCells], list[str]]:
    """The sheets that were chosen or, if none was, the one with contests; and notes."""
    import fastexcel

    _refuse_too_large(raw, name)
    try:
        book = fastexcel.read_excel(raw)
        names = book.sheet_names
    except BaseException as error:
        raise _not_readable(f"{name} cannot be opened as an Excel workbook", error) from error
    if not names:
        raise DataError(f"{name} contains no sheets.")
    reading = _Workbook(raw, name, book, names, header, wanted)
    if isinstance(sheet, list | tuple):
        if not sheet:
            raise DataError(f"{given('sheet', sheet)}: give at least one sheet: {quoted(names)}.")
        places = [reading.place(one) for one in sheet]
        twice = [names[place] for place in dict.fromkeys(places) if places.count(place) > 1]
        if twice:
            raise DataError(f"{option('sheet')} names {quoted(twice)} twice.")
        return [reading.cells(place) for place in places], []
    if isinstance(sheet, str) and sheet == ALL and ALL not in names:
        return _all_sheets(reading)
    if sheet is not None:
        return [reading.cells(reading.place(sheet))], []
    return _only_sheet(reading)


@dataclass(frozen=True)
class _Workbook:
    """An open workbook, and what is looked for in it."""

    raw: bytes
    name: str
    book: Any
    names: list[str]
    header: Header | None
    wanted: Wanted | None
    whole: dict[int, pl.DataFrame] = field(default_factory=dict)  # sheets loaded before
    parts: dict[int, SheetPart] = field(default_factory=dict)

    def part(self, place: int) -> SheetPart:
        """The part of a sheet, read once."""
        if place not in self.parts:
            self.parts[place] = SheetPart(self.raw, place)
        return self.parts[place]

    def place(self, sheet: object) -> int:
        """The position of the sheet given by name or by number from 1."""
        if isinstance(sheet, bool) or not isinstance(sheet, str | int):
            raise ArgumentTypeError(
                f"{given('sheet', sheet)}: give the name of a sheet, its number from 1, a list of "
                f'these, or "{ALL}" for all sheets with contests.'
            )
        return chosen(self.names, sheet, self.name, "sheet")

    def loaded(self, place: int, rows: int | None = None) -> pl.DataFrame:
        """The cells of a sheet as text; or its first rows, or a few more.

        The reader goes through the whole sheet for a few rows, too: a small one is kept.
        """
        if place in self.whole:
            return self.whole[place]
        what = f'Sheet "{self.names[place]}" of {self.name}'
        if _size_of(self.raw, self.part(place), what) <= SMALL_SHEET:
            rows = None
        try:
            sheet = self.book.load_sheet(
                place, header_row=None, skip_rows=0, dtypes="string", n_rows=rows
            )
            cells = sheet.to_polars()
        except BaseException as error:
            raise _not_readable(f"{what} cannot be read", error) from error
        if rows is None:
            self.whole[place] = cells
        return cells

    def found(self, place: int) -> Header | None:
        """The header of a sheet, if it clearly has one, with at least one row below it."""
        if self.wanted is None:
            return None
        try:
            cells = self.loaded(place, LARGEST_MATRIX).head(LARGEST_MATRIX)
        except DataError:  # a sheet that may not be needed
            return None
        if self.header is not None:
            cells = cells.slice(self.header.first)
        header = find_header(cells.rows(), self.wanted)
        return header if header is not None and cells.height > header.last + 1 else None

    def cells(self, place: int) -> SheetCells:
        """The cells of a sheet from its header on."""
        cells, part = self.loaded(place), self.part(place)
        cells = part.completed(cells)
        label, header, notes = self.names[place], self.header, []
        what = f'Sheet "{label}" of {self.name}'
        if header is not None and header.last >= cells.height > 0:
            raise DataError(f"{what} has no row {header.last + 1}, given as {option('header')}.")
        if header is None and self.wanted is not None:
            # A stray cell far to the right makes every row long: then fewer rows are searched.
            searched = min(LARGEST_MATRIX, CELLS_SEARCHED // max(1, cells.width))
            header = find_header(cells.head(searched).rows(), self.wanted)
            header = header.settled(what) if header else None
        hidden = [row for row in part.hidden_rows if header is None or row > header.last + 1]
        if hidden:
            is_, was = ("is", "was") if len(hidden) == 1 else ("are", "were")
            where = rows("row", hidden)
            notes.append(f"{where} {is_} hidden in the workbook and {was} read like the others.")
        last = -1 if header is None else header.last
        for kind, marks in part.marks.items():
            own = {row: mark for row, mark in marks.items() if last + 1 < row <= cells.height}
            if not own or (kind == COLORED and MOST_COLORED * (cells.height - last) < len(own)):
                continue
            if header is not None and header.kind == "list":
                column = [own.get(row) for row in range(1, cells.height + 1)]
                column[header.first] = kind
                cells = cells.with_columns(pl.Series(kind, column, dtype=pl.String))
            elif kind == STRUCK:
                where = f"{rows('row', list(own))} {'is' if len(own) == 1 else 'are'}"
                notes.append(f"{where} struck through in the workbook and read like the others.")
        start = 0 if header is None else header.first
        return SheetCells(label, cells.slice(start), header, tuple(notes))


def _only_sheet(reading: _Workbook) -> tuple[list[SheetCells], list[str]]:
    """The sheet that is read if none is chosen."""
    names = reading.names
    if len(names) == 1:
        return [reading.cells(0)], []
    headers = {place: reading.found(place) for place in range(len(names))}
    found = [place for place, header in headers.items() if header and header.kind == "list"]
    lists = bool(found)
    found = found or [place for place, header in headers.items() if header]
    if len(found) > 1:
        own = [names[place] for place in found]
        one = either(f"sheet={quoted(own[:1])}", option("sheet", own[0]))
        several = either(
            f"sheet=[{quoted(own, limit=len(own))}] or ",
            " ".join(option("sheet", name) for name in own) + " or ",
        )
        several = several if len(own) <= 4 else ""
        several += either(option("sheet", ALL), f"--sheet '{ALL}'")
        join = f", or join them with {several}" if lists else ""
        what = "contests" if lists else "square tables"
        raise DataError(
            f"{reading.name} has {what} in sheets {quoted(own)}. Choose one with {one}{join}."
        )
    only = reading.cells(found[0] if found else 0)
    why = f", the only one with {'a list of contests' if lists else 'a square table'}"
    why = why if found else ""
    note = (
        f'The workbook has sheets {quoted(names)}; "{only.label}" was read{why}. Choose another '
        f"with {option('sheet')}."
    )
    return [only], [note]


def _all_sheets(reading: _Workbook) -> tuple[list[SheetCells], list[str]]:
    """All sheets with contests; the others are named in a note."""
    found = [place for place in range(len(reading.names)) if reading.found(place)]
    if reading.wanted is None or not found:
        found = list(range(len(reading.names)))
    left = [name for place, name in enumerate(reading.names) if place not in found]
    sheets = [reading.cells(place) for place in found]
    if not left:
        return sheets, []
    was = "was" if len(left) == 1 else "were"
    return sheets, [f"No contests were found in {quoted(left)}, which {was} not read."]


def _not_readable(what: str, error: BaseException) -> BaseException:
    """The error for a damaged workbook; an interruption remains what it is."""
    # A panic of the reader, which is not an Exception, has no class that could be imported.
    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
        return DataError(
            f"{what} ({reason(error)}). Open it in Excel and save it again, or save the sheet as "
            f"CSV."
        )
    return error


def _refuse_too_large(raw: bytes, name: str) -> None:
    if not raw.startswith(b"PK"):  # an old .xls file is not compressed
        return
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise _not_readable(f"{name} cannot be opened as an Excel workbook", error) from error
    if size > LARGEST_WORKBOOK:
        raise DataError(
            f"{name} would expand to {size / 2**20:,.0f} MB; the maximum for a workbook is "
            f"{LARGEST_WORKBOOK / 2**20:,.0f} MB. Save the sheet as CSV or Parquet."
        )
    # Of an .ods file, all sheets are expanded when it is opened.
    for table in (_member(raw, "content.xml") or b"").split(b"<table:table ")[1:]:
        _cells_up_to(_last_of_ods(table), f"A sheet of {name}")


def _size_of(raw: bytes, part: SheetPart, what: str) -> int:
    """The number of cells up to the last one; raises an error if they do not fit in memory."""
    opened = _member(raw, "content.xml") and not _member(raw, "xl/workbook.xml")
    if opened or not raw.startswith(b"PK"):  # an old .xls file is not larger
        return LARGEST_SHEET
    if part.corner is None:
        raise DataError(
            f"{what} cannot be read, as the extent of its cells is not known. Open it in Excel "
            f"and save it again as .xlsx, or save the sheet as CSV."
        )
    return _cells_up_to(part.corner, what)


def _cells_up_to(corner: tuple[int, int], what: str) -> int:
    """The number of cells up to the last one, if they fit in memory."""
    column, row = corner
    if column * row > LARGEST_SHEET:
        raise DataError(
            f"{what} extends to cell {column_letters(column)}{row}, which is {column * row:,} "
            f"cells; the maximum is {LARGEST_SHEET:,}. Delete stray cells below and to the right "
            f"of the table, or save the table as CSV."
        )
    return column * row


def _last_of_ods(table: bytes) -> tuple[int, int]:
    """The last column and the last row with a filled cell, repeated ones counted."""
    column, row, last_row = 0, 0, 0
    for piece in ODS_ROW.split(table)[1:]:
        row += int(repeats[1]) if (repeats := ODS_ROWS.match(piece)) else 1
        if (filled := max(piece.rfind(b"<text:p"), piece.rfind(b"value"))) >= 0:
            cells = piece[: piece.find(b"<", filled + 1)]
            more = sum(int(number) - 1 for number in ODS_COLUMNS.findall(cells))
            column, last_row = max(column, len(ODS_CELL.findall(cells)) + more), row
    return column, last_row


LARGEST_PART = 1 << 29
LAST_COLUMN = 16384  # XFD
ANY_CELL = re.compile(rb"<(?:\w+:)?c(?=[\s/>])")
ANY_ROW = re.compile(rb"<(?:\w+:)?row(?=[\s/>])")
ROW_NUMBER = re.compile(rb"""(?:\s[^<]*?)?\sr\s*=\s*["']([0-9]{1,9})""")
OF_CELL = r"""<(?:\w+:)?c\s(?:[^<]*?\s)?r\s*=\s*["']"""
COLUMN_OF_CELL = re.compile(rf"{OF_CELL}([A-Za-z]+)[0-9]".encode())
ROW_OF_CELL = re.compile(rf"{OF_CELL}[A-Za-z]+([0-9]{{1,9}})".encode())
ODS_ROW = re.compile(rb"<table:table-row(?=[\s/>])")
ODS_CELL = re.compile(rb"<table:(?:covered-)?table-cell(?=[\s/>])")
ODS_ROWS = re.compile(rb"""[^<]*?number-rows-repeated\s*=\s*["']([0-9]+)""")
ODS_COLUMNS = re.compile(rb"""number-columns-repeated\s*=\s*["']([0-9]+)""")
OFF, FILLS, SOLID = ("0", "false"), "{*}fills/{*}fill", "{*}patternFill[@patternType='solid']"
CELL = re.compile(rb"<c ([^>]*?)(?:/>|>(.*?)</c>)", re.DOTALL)
PLACE = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
VALUE = re.compile(rb"<v[^>/]*>([^<]+)</v>")
FORMULA = re.compile(rb"<f[^>/]*>([^<]*)</f>")
NEVER_CALCULATED = re.compile(rb"(?:</f>|<f[^>]*/>)(?:<v\s*/>|<v></v>)?</c>")
HIDDEN = re.compile(rb'<row (?=[^>]*\bhidden="(?:1|true)")[^>]*\br="([0-9]{1,7})"')
UNREADABLE = (
    *(ElementTree.ParseError, LookupError, ValueError, OSError, EOFError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
)


def column_number(letters: str) -> int:
    """The number of a column from 1.

    >>> column_number("A"), column_number("AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """The letters of a column.

    >>> column_letters(1), column_letters(28)
    ('A', 'AB')
    """
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


class SheetPart:
    """The part of one sheet; without content if the file has another format."""

    def __init__(self, raw: bytes, chosen: int):
        self._raw = raw
        self._place = _place(raw, chosen)
        self._xml = (_member(raw, self._place) if self._place else None) or b""

    @cached_property
    def corner(self) -> tuple[int, int] | None:
        """The last column and the last row with a filled cell; None if this is not known.

        What the file says about its dimension is not used: it may be missing or wrong.
        """
        if len(self._xml) >= LARGEST_PART or b"sheetData" not in self._xml:
            return None
        columns, rows_ = COLUMN_OF_CELL.findall(self._xml), ROW_OF_CELL.findall(self._xml)
        last_column = max((column_number(one.decode().upper()) for one in {*columns}), default=0)
        last_row = max(map(int, {*rows_}), default=0)
        if len(columns) < len(ANY_CELL.findall(self._xml)):  # cells without references
            pieces = ANY_ROW.split(self._xml)[1:]
            numbers = (found for piece in pieces if (found := ROW_NUMBER.match(piece)))
            last_row = max(last_row, len(pieces), *(int(found[1]) for found in numbers))
            last_column = max(last_column, *(len(ANY_CELL.findall(piece)) for piece in pieces))
        return (last_column, last_row) if last_column <= LAST_COLUMN else None

    @cached_property
    def marks(self) -> dict[str, dict[int, str]]:
        """Rows with filled cells that are struck through or colored, and comments, by kind."""
        found: dict[str, dict[int, str]] = {STRUCK: {}, COLORED: {}, COMMENT: self._comments()}
        styles = _tree(self._raw, "xl/styles.xml") if self._xml else None
        if styles is None:
            return found
        strikes = [font.find("{*}strike") for font in styles.iterfind("{*}fonts/{*}font")]
        kinds = {
            STRUCK: ("fontId", [one is not None and one.get("val") not in OFF for one in strikes]),
            COLORED: ("fillId", [one.find(SOLID) is not None for one in styles.iterfind(FILLS)]),
        }
        formats = [*styles.iterfind("{*}cellXfs/{*}xf")]
        for kind, (key, marked) in kinds.items():
            ids = {str(i) for i, is_marked in enumerate(marked) if is_marked}
            own = [str(i) for i, one in enumerate(formats) if one.get(key, "0") in ids]
            like = re.compile(rf'\bs=["\'](?:{"|".join(own)})["\']'.encode())
            for row, _, attributes, content in self._cells() if own else ():
                if content and like.search(attributes):
                    found[kind][row] = "x"
        return found

    def _comments(self) -> dict[int, str]:
        """The comments of each row."""
        folder, _, file = self._place.rpartition("/")
        links = _tree(self._raw, f"{folder}/_rels/{file}.rels")
        found: dict[int, str] = {}
        for link in () if links is None else links:
            place = link.get("Target", "").replace("../", "xl/").lstrip("/")
            own = link.get("Type", "").endswith("comments")
            comments = _tree(self._raw, place) if own else None
            for one in () if comments is None else comments.iterfind("{*}commentList/{*}comment"):
                row = int(re.sub(r"\D", "", one.get("ref", "")) or 0)
                found[row] = f"{found.get(row, '')} {''.join(one.itertext())}".strip()
        return found

    @property
    def hidden_rows(self) -> list[int]:
        """Numbers of the rows that are hidden by hand or by a filter."""
        found = HIDDEN.findall(self._xml) if b"hidden=" in self._xml else []
        return [int(row) for row in found]

    def completed(self, cells: pl.DataFrame) -> pl.DataFrame:
        """The cells, with the texts of errors and of formulas that were never calculated."""
        formulas = b"<f" in self._xml and NEVER_CALCULATED.search(self._xml)
        if not formulas and b't="e"' not in self._xml:
            return cells
        texts, first = [], 0  # the first column with a value is where the table begins
        for row, column, attributes, content in self._cells():
            value, formula = VALUE.search(content), FORMULA.search(content)
            if value or b"<is>" in content:
                first = min(first or column, column)
            if b't="e"' in attributes:
                texts.append((row, column, html.unescape(value[1].decode()) if value else "#N/A"))
            elif b"<f" in content and value is None and b't="str"' not in attributes:
                text = html.unescape(formula[1].decode()) if formula else ""
                texts.append((row, column, f"{NOT_CALCULATED}{text or '(shared)'}"))
        found = [(row - 1, column - (first or 1), text) for row, column, text in texts]
        found = [each for each in found if 0 <= each[1] < cells.width]
        lowest = max((row for row, _, _ in found), default=0)
        if lowest >= cells.height:
            more = {name: [None] * (lowest + 1 - cells.height) for name in cells.columns}
            cells = pl.concat([cells, pl.DataFrame(more, schema=cells.schema)])
        for place in {column for _, column, _ in found}:
            own = [(row, text) for row, column, text in found if column == place]
            column = cells.to_series(place).scatter([row for row, _ in own], [t for _, t in own])
            cells = cells.with_columns(column)
        return cells

    def _cells(self) -> Iterator[tuple[int, int, bytes, bytes]]:
        """Row, column, attributes and content of each cell."""
        for attributes, content in CELL.findall(self._xml):
            if place := PLACE.search(attributes):
                yield int(place[2]), column_number(place[1].decode()), attributes, content


def _member(raw: bytes, name: str) -> bytes | None:
    """A file within a workbook, in any case and with any slashes, as its reader finds it.

    None if it cannot be read or is not the only one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            one, *others = (
                own for own in packed.namelist() if own.replace("\\", "/").lower() == name.lower()
            )
            with packed.open(one) as file:
                return None if others else file.read(LARGEST_PART)
    except UNREADABLE:
        return None


def _tree(raw: bytes, name: str) -> ElementTree.Element | None:
    """A file within a workbook as XML; None if it cannot be read."""
    try:
        return ElementTree.fromstring(_member(raw, name) or b"")
    except ElementTree.ParseError:
        return None


def _place(raw: bytes, chosen: int) -> str:
    """The file of a sheet; none for another format or a damaged file."""
    book, parts = (_tree(raw, f"xl/{name}") for name in ("workbook.xml", "_rels/workbook.xml.rels"))
    if book is None or parts is None:
        return ""  # the reader decides
    sheets = [one for one in book.iter() if one.tag.rpartition("}")[2] == "sheet"]
    own = sheets[chosen].attrib if chosen < len(sheets) else {}
    link = next((value for key, value in own.items() if key.endswith("}id")), "")
    target = {one.get("Id"): one.get("Target", "") for one in parts}.get(link, "")
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


COLUMN = "sheet"


def joined_sheets(sheets: Mapping[str, Sheet], book: str) -> Sheet:
    """The rows of all sheets, which need the same columns, with the name of the sheet."""
    first_name, first = next(iter(sheets.items()))
    problems = [
        f'{book}: sheet "{name}" {difference}. Sheets that are joined need the same columns.'
        for name, sheet in sheets.items()
        if (difference := _difference(sheet.columns, first.columns, first_name))
    ]
    if problems:
        raise DataError(*problems)
    column = COLUMN if COLUMN not in first.columns else "name of the sheet"
    frames = [
        sheet.frame.select(*first.columns).with_columns(pl.lit(name).alias(column))
        for name, sheet in sheets.items()
    ]
    heights = [f'"{name}" ({counted(sheet.height, "row")})' for name, sheet in sheets.items()]
    copies = _copies(sheets, first.columns)
    own = [f'Sheet "{name}": {note}' for name, sheet in sheets.items() for note in sheet.notes]
    roles = [option(role, column) for role in ("season", "group", "context")]
    note = (
        f'Sheets {listed(heights)} were joined; column "{column}" has their names, to be used as '
        f"{', '.join(roles[:-1])} or {roles[-1]}."
    )
    parts = [
        Part(f'sheet "{name}"', frame, sheet.height, sheet.first_row)
        for (name, sheet), frame in zip(sheets.items(), frames, strict=True)
    ]
    source = f"{book}, sheets {listed(list(sheets))}"
    notes = [note, *copies, *own]
    return stacked(parts, source, [*first.columns, column], notes=notes, added=(column,))


def _copies(sheets: Mapping[str, Sheet], columns: list[str]) -> list[str]:
    """Notes on sheets with exactly the rows of another."""
    tables = {name: sheet.table(*columns) for name, sheet in sheets.items()}
    return [
        f'Sheets "{one}" and "{other}" have the same rows; all were read. If one is a copy, leave '
        f"it out of {option('sheet')}."
        for one, other in combinations(tables, 2)
        if tables[one].equals(tables[other])
    ]


def _difference(columns: list[str], others: list[str], name: str) -> str:
    """How the columns of a sheet differ from those of another."""
    more = [column for column in columns if column not in others]
    less = [column for column in others if column not in columns]
    words = [f"has {quoted(more)}"] if more else []
    words += [f"lacks {quoted(less)}"] if less else []
    return f'{listed(words)}, unlike sheet "{name}"' if words else ""
