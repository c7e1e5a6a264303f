"""Excel workbooks from tables: one sheet per table, and sheets for values, settings and notes.

Every cell is written with its type: numbers, dates and text. Text is never interpreted, so that a
name such as `=HYPERLINK(…)` stays a name. Equal content gives equal bytes.
"""

from __future__ import annotations

import datetime as dt
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from peckorder.errors import ArgumentError
from peckorder.wording import either

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet, including the header
LONGEST_TEXT = 32_767  # of a cell
LONGEST_LABEL = 31  # of a sheet
EXACT = 2**53  # larger whole numbers are not exact in Excel, which stores all numbers as floats
FIRST_DATE = dt.date(1900, 3, 1)  # Excel believes that 1900 was a leap year
RESERVED = ("history",)  # names that Excel keeps for itself
MADE = dt.datetime(2000, 1, 1)  # not the time of writing: equal results give equal files
WIDEST = 60


@dataclass(frozen=True)
class Page:
    """One sheet: its label, the header, and the rows below it."""

    label: str
    header: Sequence[str]
    rows: Iterable[Sequence[Any]]
    height: int

    @classmethod
    def of(cls, label: str, table: pl.DataFrame) -> Page:
        """A table as a sheet."""
        return cls(label, table.columns, table.iter_rows(), table.height)

    @classmethod
    def of_rows(cls, label: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Page:
        """Rows of cells of any type as a sheet."""
        return cls(label, header, rows, len(rows))


def workbook(
    tables: Mapping[str, pl.DataFrame],
    described: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> bytes:
    """A workbook with these tables and what `described` adds: values, settings and provenance.

    Parameters
    ----------
    tables : one table per sheet, by label
    described : a result as plain values (`to_dict`); what is in `tables` is not repeated
    notes : remarks for the last sheet, after the summary of the result
    """
    pages = [Page.of(label, table) for label, table in tables.items()]
    described = described or {}
    result = dict(described.get("result", {}))
    sentences = [*(result.pop("summary", None) or ()), *notes]
    pages += _pages_of_values(result, {*tables, "table"})
    for label in ("settings", "provenance"):
        if rows := list(_flat(described.get(label, {}))):
            pages.append(Page.of_rows(label, ("name", "value"), rows))
    if sentences:
        pages.append(Page.of_rows("notes", ("note",), [(text,) for text in sentences]))
    return _written(pages)


def _pages_of_values(result: dict[str, Any], known: set[str]) -> list[Page]:
    """Values by name on one sheet; lists of records on sheets of their own."""
    groups = result.pop("groups", None)
    parts = [({}, result)] if groups is None else [_of_group(group) for group in groups]
    rows: list[tuple[Any, ...]] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    for key, values in parts:
        for name, value in values.items():
            if name in known or name == "summary":
                continue
            if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
                tables.setdefault(name, []).extend({**key, **record} for record in value)
            else:
                rows += [(*key.values(), *row) for row in _flat({name: value})]
    header = (*(parts[0][0] if parts else {}), "name", "value")
    pages = [Page.of_rows("values", header, rows)] if rows else []
    for name, records in tables.items():
        columns = list(dict.fromkeys(column for record in records for column in record))
        cells = [[record.get(column) for column in columns] for record in records]
        pages.append(Page.of_rows(name, columns, cells))
    return pages


def _of_group(group: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The name of a group (the first entry), and its values."""
    label, *names = group
    return {label: group[label]}, {name: group[name] for name in names}


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values as rows (name, value).

    >>> list(_flat({"k": {"mean": 2, "low95": 1}, "seed": None, "at": ["a", "b"]}))
    [('k.mean', 2), ('k.low95', 1), ('seed', None), ('at.1', 'a'), ('at.2', 'b')]
    """
    for name, value in values.items():
        if isinstance(value, list | tuple):
            value = {str(place): part for place, part in enumerate(value, start=1)}
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _written(pages: Sequence[Page]) -> bytes:
    import xlsxwriter

    for page in pages:
        _refuse_too_large(page)
    buffer = io.BytesIO()
    # Row by row, so that memory does not grow with the table.
    with xlsxwriter.Workbook(buffer, {"constant_memory": True}) as book:
        book.set_properties({"created": MADE})
        bold = book.add_format({"bold": True})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        fine = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        for page, label in zip(pages, _labels(pages), strict=True):
            sheet = book.add_worksheet(label)
            sheet.freeze_panes(1, 0)
            for column, name in enumerate(page.header):
                sheet.set_column(column, column, min(WIDEST, max(11, len(str(name)) + 2)))
                sheet.write_string(0, column, _text(name, page), bold)
            for place, row in enumerate(page.rows, start=1):
                for column, value in enumerate(row):
                    _write(sheet, place, column, value, page, (day, moment, fine))
    return buffer.getvalue()


def _write(sheet: Any, row: int, column: int, value: Any, page: Page, dates: tuple) -> None:
    """One cell by its type; missing and non-finite numbers stay blank."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= EXACT:
        sheet.write_number(row, column, value)
    elif (
        isinstance(value, dt.date)
        and (value.date() if isinstance(value, dt.datetime) else value) >= FIRST_DATE
    ):
        sheet.write_datetime(row, column, value, dates[_detail(value)])
    else:
        sheet.write_string(row, column, _text(value, page))


def _detail(value: dt.date) -> int:
    """Which format of date shows all of it: the day, seconds, or fractions of seconds."""
    if not isinstance(value, dt.datetime):
        return 0
    return 2 if value.microsecond else 1


def _text(value: Any, page: Page) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    if len(text) > LONGEST_TEXT:
        raise ArgumentError(
            f"A cell of an Excel sheet holds {LONGEST_TEXT:,} characters; one of "
            f'"{page.label}" has {len(text):,}. {_instead()}'
        )
    return text


def _refuse_too_large(page: Page) -> None:
    wide = len(page.header)
    if page.height >= MOST_ROWS or wide > MOST_COLUMNS:
        raise ArgumentError(
            f"An Excel sheet has at most {MOST_ROWS:,} rows, with the header, and "
            f'{MOST_COLUMNS:,} columns; "{page.label}" has {page.height + 1:,} rows and {wide:,} '
            f"columns. {_instead()}"
        )


def _instead() -> str:
    return "Write a CSV or Parquet file instead, " + either(
        'such as save("ratings.parquet").', "such as -o ratings.parquet."
    )


def _labels(pages: Sequence[Page]) -> list[str]:
    """Legal and distinct labels of sheets.

    >>> _labels([Page.of_rows(label, (), ()) for label in ("a/b", "A b", "history", "x" * 40)])
    ['a b', 'A b 2', 'history 2', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx']
    """
    taken: set[str] = set(RESERVED)
    out: list[str] = []
    for page in pages:
        plain = re.sub(r"[\[\]:*?/\\\x00-\x1f']+", " ", page.label).strip() or "table"
        label, number = plain[:LONGEST_LABEL].strip(), 1
        while label.casefold() in taken:
            number += 1
            end = f" {number}"
            label = plain[: LONGEST_LABEL - len(end)].strip() + end
        taken.add(label.casefold())
        out.append(label)
    return out
