"""From the bytes of an Excel workbook to the cells of one sheet."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import Any
from xml.etree import ElementTree

import polars as pl

from peckorder.data.sheet import reason
from peckorder.errors import DataError
from peckorder.wording import option, quoted

# A workbook is a zip archive: a small file may expand to more than the memory holds. The largest
# sheet that Excel can save with five columns takes about 200 MB.
LARGEST_WORKBOOK = 1 << 30
LARGEST_SHEET = 30_000_000  # cells, filled or not, up to the last row and column
REFERENCE = re.compile(rb'<dimension[^>]*ref="(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)"')
PART = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def cells_of_workbook(
    raw: bytes, name: str, sheet: str | int | None, header: int | None
) -> tuple[pl.DataFrame, str, list[str]]:
    """Cells of a sheet as text from the row of the header on, what to call it, and notes."""
    import fastexcel

    _refuse_too_large(raw, name)
    try:
        book = fastexcel.read_excel(raw)
        names = book.sheet_names
    except BaseException as error:
        raise _not_readable(f"{name} cannot be opened as an Excel workbook", error) from error
    chosen = _chosen(sheet, names, name)
    label = names[chosen]
    notes = []
    if len(names) > 1 and sheet is None:
        notes.append(
            f'The workbook has sheets {quoted(names)}; "{label}" was read. Choose another with '
            f"{option('sheet')}."
        )
    _refuse_stray_cell(raw, chosen, f'Sheet "{label}" of {name}')
    try:
        loaded = book.load_sheet(chosen, header_row=None, skip_rows=0, dtypes="string")
        cells = loaded.to_polars()
    except BaseException as error:
        raise _not_readable(f'Sheet "{label}" of {name} cannot be read', error) from error
    skipped = header - 1 if header else 0
    if skipped >= cells.height > 0:
        raise DataError(
            f'Sheet "{label}" of {name} has no row {header}, given as {option("header")}.'
        )
    return cells.slice(skipped), f"{name}, sheet {label}", notes


def _not_readable(what: str, error: BaseException) -> BaseException:
    """The error for a damaged workbook; an interruption remains what it is."""
    # A panic of the reader, which is not an Exception, has no class that could be imported.
    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
        return DataError(
            f"{what} ({reason(error)}). Open it in Excel and save it again, or save the sheet as "
            f"CSV."
        )
    return error


def _chosen(sheet: str | int | None, names: list[str], book: str) -> int:
    """The position of the sheet given by name or by number from 1."""
    if not names:
        raise DataError(f"{book} contains no sheets.")
    if sheet is None:
        return 0
    if sheet in names:
        return names.index(str(sheet))
    text = str(sheet)
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(names):
        return int(text) - 1
    raise DataError(f'{book} has no sheet "{sheet}". Sheets found: {quoted(names)}.')


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


def _refuse_stray_cell(raw: bytes, chosen: int, what: str) -> None:
    """Raise an error for a sheet whose last cell is so far out that it does not fit in memory."""
    corner = _last_cell(raw, chosen)
    if corner is None:
        return
    letters, row = corner
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    if column * row > LARGEST_SHEET:
        raise DataError(
            f"{what} extends to cell {letters}{row}, which is {column * row:,} cells; the maximum "
            f"is {LARGEST_SHEET:,}. Delete stray cells below and to the right of the table, or "
            f"save the table as CSV."
        )


def _last_cell(raw: bytes, chosen: int) -> tuple[str, int] | None:
    """Column and row of the last cell according to the file; None if it does not say."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            book = ElementTree.fromstring(packed.read("xl/workbook.xml"))
            parts = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))
            sheets: list[Any] = [e for e in book.iter() if e.tag.endswith("}sheet")]
            target = {e.get("Id"): e.get("Target", "") for e in parts}[sheets[chosen].get(PART)]
            place = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            with packed.open(place) as file:
                found = REFERENCE.search(file.read(4096))
    except (ElementTree.ParseError, LookupError, ValueError, OSError, EOFError):
        return None  # another format, or damaged: the reader decides
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return None
    return (found[1].decode()[:3], int(found[2][:9])) if found else None
