"""What the reader of workbooks leaves out, taken from the parts of an .xlsx file.

An .xlsx file is a zip archive of XML parts. The reader returns cells with the error of a formula,
and formulas that were never calculated, as blanks; and it does not say which rows are hidden. The
part of the sheet does (ECMA-376, part 1, 18.3.1.4: type "e" of a cell).
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import polars as pl

from peckorder.sources.formulas import NOT_CALCULATED

LARGEST_PART = 1 << 29
REFERENCE = re.compile(rb'<dimension[^>]*ref="(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)"')
PART = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
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


def last_cell(raw: bytes, chosen: int) -> tuple[str, int] | None:
    """Column and row of the last cell according to the file; None if it does not say."""
    part = _part(raw, chosen, 4096)
    found = REFERENCE.search(part) if part else None
    return (found[1].decode()[:3], int(found[2][:9])) if found else None


def column_number(letters: str) -> int:
    """The number of a column from 1.

    >>> column_number("A"), column_number("AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


class SheetPart:
    """The part of one sheet; without content if the file has another format."""

    def __init__(self, raw: bytes, chosen: int):
        self._xml = _part(raw, chosen, LARGEST_PART) or b""

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
        found, first = list(self._without_value()), self._first_column()
        found = [(row - 1, column - first, text) for row, column, text in found]
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

    def _without_value(self) -> Iterator[tuple[int, int, str]]:
        for row, column, attributes, content in self._cells():
            value, formula = VALUE.search(content), FORMULA.search(content)
            if b't="e"' in attributes:
                yield row, column, html.unescape(value[1].decode()) if value else "#N/A"
            elif b"<f" in content and value is None and b't="str"' not in attributes:
                text = html.unescape(formula[1].decode()) if formula else ""
                yield row, column, f"{NOT_CALCULATED}{text or '(shared)'}"

    def _first_column(self) -> int:
        """The first column with a value, which is where the table of the reader begins."""
        filled = (
            column
            for _, column, _, content in self._cells()
            if VALUE.search(content) or b"<is>" in content
        )
        return min(filled, default=1)


def _part(raw: bytes, chosen: int, size: int) -> bytes | None:
    """The beginning of the part of a sheet; None for another format or a damaged file."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            book = ElementTree.fromstring(packed.read("xl/workbook.xml"))
            parts = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))
            sheets: list[Any] = [e for e in book.iter() if e.tag.endswith("}sheet")]
            target = {e.get("Id"): e.get("Target", "") for e in parts}[sheets[chosen].get(PART)]
            place = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            with packed.open(place) as file:
                return file.read(size)
    except UNREADABLE:
        return None  # the reader decides
