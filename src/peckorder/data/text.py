"""Bytes of a text file to cells: encoding, separator, and rows of unequal length."""

from __future__ import annotations

import codecs
import gzip
import io

import numpy as np
import polars as pl

from peckorder.errors import DataError
from peckorder.wording import counted

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def cells_of_text(
    raw: bytes, name: str, encoding: str | None, separator: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """All cells of a CSV or TSV file as text, the header row included, and notes on the reading."""
    notes: list[str] = []
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    raw = _as_utf8(raw, name, encoding, notes)
    if not raw.strip():
        raise DataError(f"{name} is empty. A table of contests needs a header row and contests.")
    separator = separator or _separator(raw)
    if len(separator.encode()) != 1:
        raise ValueError(f"separator must be one character such as , or ; — not {separator!r}.")
    _refuse_ragged(raw, name, separator)
    try:
        cells = pl.read_csv(
            io.BytesIO(raw), separator=separator, has_header=False, infer_schema=False
        )
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise DataError(
            f"{name} cannot be read as a table separated by {SEPARATORS.get(separator, separator)}s"
            f" ({reason}). Save it as CSV (UTF-8) or as an Excel workbook."
        ) from error
    return cells, notes


def _as_utf8(raw: bytes, name: str, encoding: str | None, notes: list[str]) -> bytes:
    """The same text in UTF-8. A guess that is not certain is told in the notes."""
    if encoding is None:
        for mark, marked in BYTE_ORDER_MARKS.items():
            if raw.startswith(mark):
                encoding = marked
        head = raw[:400]
        if encoding is None and len(head) >= 4 and not any(head[1::2]) and all(head[::2]):
            encoding = "utf-16-le"
    if encoding is not None:
        try:
            text = raw.decode(encoding)
        except LookupError:
            raise ValueError(f'encoding="{encoding}" is not known to Python.') from None
        except UnicodeDecodeError as error:
            raise DataError(
                f"{name} cannot be read as {encoding} (byte {error.start:,}). "
                f"Save it as UTF-8, or name its encoding with encoding=."
            ) from None
        return text.encode()
    # What no text holds: control characters other than tab, line break, form feed, escape, end.
    control = raw[:65536].translate(None, b"\t\n\r\x0c\x1a\x1b")
    if b"\0" in raw or any(byte < 32 for byte in control):
        raise DataError(
            f"{name} is not a text table (it holds binary data). "
            f"peckorder reads CSV, TSV, Excel workbooks and Parquet files."
        )
    if _is_utf8(raw):
        return raw
    for guess in ("cp1252", "latin-1"):
        try:
            text = raw.decode(guess)
        except UnicodeDecodeError:
            continue
        known = {"cp1252": "Windows-1252 (Western European)", "latin-1": "Latin-1"}[guess]
        notes.append(
            f"The file is not UTF-8; it was read as {known}. "
            f"If names look wrong, save it as UTF-8 or name its encoding with encoding=."
        )
        return text.encode()
    raise AssertionError("Latin-1 decodes every byte")


def _is_utf8(raw: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(raw), 1 << 24):
            decoder.decode(raw[begin : begin + (1 << 24)])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _separator(raw: bytes) -> str:
    """The separator that stands most often in the first line, outside quotes."""
    line = raw.lstrip().split(b"\n", 1)[0].decode(errors="replace")
    outside = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=outside.count)


def _refuse_ragged(raw: bytes, name: str, separator: str) -> None:
    from peckorder.kernels.contests import ragged

    records, found = np.zeros(8, np.int64), np.zeros(8, np.int64)
    text = np.frombuffer(raw, dtype=np.uint8)
    number, expected = ragged(text, ord(separator), 0, records, found)
    if number:
        kept = range(min(number, records.size))
        listed = ", ".join(f"row {records[i]} has {found[i]}" for i in kept)
        more = f", and {number - records.size:,} more rows" if number > records.size else ""
        raise DataError(
            f"{name}: the first row has {counted(expected, 'field')}, but {listed}{more}. "
            f"Give every row the same number of fields (a name that holds a "
            f"{SEPARATORS.get(separator, 'separator')} needs quotes)."
        )
