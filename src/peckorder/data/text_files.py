"""From the bytes of a text file to cells: encoding, separator, rows of unequal length.

Columns may also be aligned by blanks or be those of a Markdown table. JSON is a table if it holds
a list of records, one record per line, or columns. Of games of chess in PGN, the headers are read.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.headings import LARGEST_MATRIX, Header, Wanted, find_header
from peckorder.data.outcome_columns import written
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import counted, given, option, quoted

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
GUESSES = {"utf-8": "", "cp1252": "Windows-1252 (Western European)", "latin-1": "Latin-1"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LARGEST_TEXT = 4 << 30  # of a compressed file, which may expand to more than the memory holds
LONGEST_FOOT = 10  # lines of footnotes
LONGEST_TOP = 1 << 20  # bytes in which the header is searched
# All but control characters other than tab, line break, form feed, escape and end of file.
NO_CONTROL = b"\t\n\r\x0c\x1a\x1b" + bytes(range(32, 256))
SPELLED = {"\\t": "\t", "tab": "\t"}
RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|?)+\s*")  # below the header of a Markdown table


@dataclass(frozen=True)
class TextCells:
    """All cells of a text file from the header on, and how they were found."""

    cells: pl.DataFrame
    skipped: int  # lines above
    separator: str
    header: Header | None
    notes: list[str]


def cells_of_text(
    raw: bytes,
    name: str,
    encoding: str | None,
    separator: str | None,
    header: Header | None,
    wanted: Wanted | None,
) -> TextCells:
    """The cells of a text file from the header on."""
    notes: list[str] = []
    if raw[:2] == b"\x1f\x8b":
        raw = _unzipped(raw, name)
    raw = _as_utf8(raw, name, encoding, notes).rstrip(b"\x1a")
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")  # line endings of classic Mac OS
    if not raw or raw.isspace():
        raise DataError(f"{name} is empty. Provide a header row and one row per contest.")
    if re.match(rb"\s*<(?:!doctype|html|table|\?xml)", raw, re.IGNORECASE):
        raise DataError(
            f"{name} is a web page (HTML) or XML, not a table. Open it in a spreadsheet program "
            f"and save it as CSV or as an Excel workbook."
        )
    if not isinstance(separator, str | None):
        raise ArgumentTypeError(f"separator must be a single character, not {separator!r}.")
    separator = SPELLED.get(separator or "", separator)
    raw = raw if separator else _divided(raw, wanted)
    if announced := re.match(rb"sep=(.)\r?\n", raw):  # as Excel writes it
        separator = separator or announced[1].decode()
        raw = b"\n" + raw[announced.end() :]
    if header is None and wanted is not None:
        header = _found_header(raw, separator, wanted)
        header = header.settled(name) if header else None
    first = header.first if header else 0
    above = b"\n".join(raw.split(b"\n", first)[:first]) + b"\n" if first else b""
    body = raw[len(above) :].lstrip(b"\r\n") if first else raw
    skipped = raw[: len(raw) - len(body)].count(b"\n")
    if not body or body.isspace() or (header and header.depth == 2 and b"\n" not in body.strip()):
        wrong = (header.last if header else 0) + 1
        raise DataError(f"{name} has no row {wrong}, given as {option('header')}.")
    separator = separator or _separator(body)
    if not re.fullmatch(r"[!#-/:-@\[-`{-~\t ]", separator):
        raise ArgumentError(
            f"{given('separator', separator)}: give a single character such as , or ; or tab."
        )
    body = _padded_below(body, separator)
    _refuse_ragged(body, name, separator, skipped)
    # Quotes are ordinary characters unless a cell begins with one.
    begins = rb'(?:^|[\n%s])"' % re.escape(separator.encode())
    quoting = b'"' in body and re.search(begins, body)
    try:
        cells = pl.read_csv(
            io.BytesIO(body),
            separator=separator,
            quote_char='"' if quoting else None,
            has_header=False,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        reason = _stray_quote(body, skipped) or f"({str(error).splitlines()[0]}). "
        between = SEPARATORS.get(separator, separator)
        raise DataError(
            f"{name} cannot be read as a table with {between}s as separators. {reason}"
            f"Correct the file, or save the table as an Excel workbook."
        ) from error
    return TextCells(cells, skipped, separator, header, notes)


def _divided(raw: bytes, wanted: Wanted | None) -> bytes:
    """The lines of a Markdown table, or of columns aligned by blanks, with bars or tabs."""
    head = raw[:LONGEST_TOP].decode(errors="replace").strip().splitlines()
    if len(head) > 1 and RULE.fullmatch(head[1]):
        lines = [re.sub(r"\s*\|\s*", "|", line.strip(" |")) for line in raw.decode().split("\n")]
        rule = next(i for i, line in enumerate(lines) if RULE.fullmatch(line))
        lines[rule - 1 : rule + 1] = "", lines[rule - 1]  # so that rows keep their numbers
        return "\n".join(lines).encode()
    if not head or any(sign in head[0] for sign in SEPARATORS) or len(raw) > LONGEST_TOP:
        return raw
    lines = raw.decode().split("\n")
    if any(map(written, head[:2])):
        return raw
    for blanks in (r" {2,}", r" +"):
        fields = [re.split(blanks, line.strip()) for line in lines if line.strip()]
        corner = {len(row) for row in fields[1:]} == {len(fields[0]) + 1}  # none above row names
        fields[0] = [""] * corner + fields[0]
        known = wanted is None or wanted.places(fields[0]) is not None or blanks == r" {2,}"
        if {len(row) for row in fields} == {len(fields[0])} != {1} and known:
            table = [re.sub(blanks, "\t", line.strip()) for line in lines]
            first = next(i for i, line in enumerate(table) if line)
            table[first] = "\t" * corner + table[first]
            return "\n".join(table).encode()
    return raw


def is_json(raw: bytes) -> bool:
    """Whether a text is JSON: a record, or a list of records."""
    return bool(re.match(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*\"[^\"\n]*\"\s*:", raw[:4096]))


def cells_of_json(raw: bytes, name: str) -> pl.DataFrame:
    """The cells of JSON, as text: records in a list or one per line, or columns."""
    text = raw.decode("utf-8-sig", errors="replace")
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = [_record(line, number, name) for number, line in enumerate(text.splitlines(), 1)]
        found = [record for record in found if record is not None]
    except RecursionError:
        raise DataError(f"{name} contains JSON that is nested too deeply.") from None
    while isinstance(found, dict) and [type(value) for value in found.values()] == [dict]:
        (found,) = found.values()
    if isinstance(found, dict):
        tables = [value for value in found.values() if _are_records(value)]
        inner = [value for value in found.values() if isinstance(value, dict)]
        if inner and len(inner) == len(found):  # as pandas writes it, with numbers of rows
            if all(key.isdecimal() for key in found):
                tables = [inner]
            elif all(key.isdecimal() for one in inner for key in one):
                found = {label: [*value.values()] for label, value in found.items()}
        if {"columns", "data"} <= found.keys() <= {"columns", "index", "data"}:
            tables = [[dict(zip(found["columns"], row, strict=False)) for row in found["data"]]]
        if len(tables) == 1:
            found = tables[0]
        elif found and all(isinstance(value, list) for value in found.values()):
            if len({len(value) for value in found.values()}) > 1:
                raise DataError(f"{name}: the columns {quoted(found)} have different lengths.")
            found = [
                dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)
            ]
        else:
            found = [found]
    if not _are_records(found):
        raise DataError(
            f"{name} contains JSON without a table. Provide a list of records, such as "
            f'[{{"winner": "Abe", "loser": "Bo"}}], or one record per line.'
        )
    found = [_flat(record) for record in found]
    labels = list(dict.fromkeys(key for record in found for key in record))
    return pl.DataFrame(
        {label: [_cell(record.get(label)) for record in found] for label in labels},
        schema=dict.fromkeys(labels, pl.String),
    )


GAME = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[[A-Z]\w* "[^"\n]*"\]\s*\n')
TAG = re.compile(r'\[([A-Z]\w*)\s+"((?:[^"\\]|\\.)*)"\]\s*')


def cells_of_pgn(raw: bytes) -> pl.DataFrame:
    """The headers of games of chess in PGN, a game per row; unknown values are blank."""
    games: list[dict[str, str | None]] = [{}]
    inside = True  # among the headers of a game, not among its moves
    for line in raw.decode("utf-8-sig", errors="replace").splitlines():
        tag = TAG.fullmatch(line.strip())
        if tag and (not inside or tag[1] in games[-1]):
            games.append({})
        if tag:
            value = re.sub(r"\\(.)", r"\1", tag[2])
            games[-1][tag[1]] = None if re.fullmatch(r"[?.\s]*", value) else value
        inside = tag is not None or (inside and not line.strip())
    labels = dict.fromkeys(label for game in games for label in game)
    cells = {label: [game.get(label) for game in games] for label in labels}
    return pl.DataFrame(cells, schema=dict.fromkeys(labels, pl.String))


def _record(line: str, number: int, name: str) -> Any:
    try:
        return json.loads(line) if line.strip() else None
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(
            f"{name} appears to contain JSON, but line {number} cannot be read ({error})."
        ) from None


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(r, dict) for r in value)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record without records in it.

    >>> _flat({"winner": {"id": "Abe"}, "loser": "Bo"})
    {'winner.id': 'Abe', 'loser': 'Bo'}
    """
    found: dict[str, Any] = {}
    for key, value in record.items():
        own = _flat(value) if isinstance(value, dict) else {"": value}
        found |= {f"{key}.{one}".rstrip("."): cell for one, cell in own.items()}
    return found


def _cell(value: Any) -> str | None:
    """A value of JSON as text; whole numbers without decimals."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def _found_header(raw: bytes, separator: str | None, wanted: Wanted) -> Header | None:
    """The header of a text file whose first lines may be titles, with other separators."""
    lines = raw[:LONGEST_TOP].split(b"\n")[:LARGEST_MATRIX]
    texts = [line.decode(errors="replace").strip("\r\ufeff") for line in lines]
    found = []
    for sign in [separator] if separator and len(separator) == 1 else SEPARATORS:
        table = [_fields(text, sign) for text in texts]
        if header := find_header(table, wanted):
            found.append(header)
    return min(found, key=lambda header: header.first, default=None)


def _fields(line: str, separator: str) -> list[str]:
    """The fields of one line; a quoted field that goes on in the next line is cut."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return line.split(separator)


def _unzipped(raw: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            pieces, size = [], 0
            while size <= LARGEST_TEXT and (piece := file.read(1 << 24)):
                pieces.append(piece)
                size += len(piece)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{name} is a damaged gzip file ({error}). Obtain a new copy.") from error
    if size > LARGEST_TEXT:
        raise DataError(
            f"{name} expands to more than {LARGEST_TEXT / 2**30:g} GB, the maximum for a "
            f"compressed text file. Uncompress it first, or save the table as Parquet."
        )
    return b"".join(pieces)


def _as_utf8(raw: bytes, name: str, encoding: str | None, notes: list[str]) -> bytes:
    """The same text in UTF-8; an uncertain guess of the encoding is reported in the notes."""
    if encoding is None:
        for mark, marked in BYTE_ORDER_MARKS.items():
            if raw.startswith(mark):
                encoding = marked
        head = raw[:400]
        if encoding is None and len(head) >= 4:
            even, odd = any(head[::2]), any(head[1::2])
            encoding = (
                "utf-16-le" if even and not odd else "utf-16-be" if odd and not even else None
            )
    if encoding is not None:
        try:
            text = raw.decode(encoding)
            return text.encode()
        except UnicodeError as error:
            where = f" (byte {error.start:,})" if isinstance(error, UnicodeDecodeError) else ""
            raise DataError(
                f"{name} cannot be read as {encoding}{where}. "
                f"Save it as UTF-8, or specify its encoding with {option('encoding')}."
            ) from None
        except (LookupError, TypeError, ValueError):
            raise ArgumentError(
                f"{given('encoding', encoding)} is not a text encoding that Python knows. Give a "
                f"name such as utf-8, latin-1 or cp1252."
            ) from None
    control = raw[:65536].translate(None, NO_CONTROL)
    if b"\0" in raw or control:
        raise DataError(
            f"{name} is not a text file (it contains binary data). "
            f"peckorder reads CSV, TSV, Excel workbooks, Parquet, R and SQLite files."
        )
    if raw.isascii():
        return raw
    for guess, known in GUESSES.items():
        try:
            text = raw.decode(guess)
        except UnicodeDecodeError:
            continue
        if known:
            notes.append(
                f"The file is not UTF-8; it was read as {known}. If names look wrong, save it as "
                f"UTF-8 or specify its encoding with {option('encoding')}."
            )
        return text.encode()
    raise AssertionError("Latin-1 decodes every byte")


def _separator(raw: bytes) -> str:
    """The most frequent separator in the first line, outside quotes."""
    text = raw.lstrip()
    end = text.find(b"\n")
    line = (text if end < 0 else text[:end]).decode(errors="replace")
    outside = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=outside.count)


def _padded_below(body: bytes, separator: str) -> bytes:
    """The text with footnotes, which are lines without separators at its end, as rows."""
    end = len(body.rstrip())
    begin, sign, fields = end, separator.encode(), body.lstrip().split(b"\n", 1)[0]
    for _ in range(LONGEST_FOOT):
        start = body.rfind(b"\n", 0, begin) + 1
        if start == 0 or sign in body[start:begin]:
            break
        begin = start - 1
    else:
        return body
    if begin == end or sign not in fields or body.count(b'"', begin, end):
        return body
    more = sign * fields.count(sign)
    foot = [line + more if line.strip() else line for line in body[begin:end].split(b"\n")[1:]]
    return b"\n".join([body[:begin], *foot, b""])


def _stray_quote(raw: bytes, skipped: int) -> str:
    """The location of the first line with an unpaired quote, if there is one."""
    for number, line in enumerate(raw.splitlines(), start=skipped + 1):
        if line.count(b'"') % 2:
            return f'Row {number} has an unpaired quote ("). '
    return ""


def _refuse_ragged(raw: bytes, name: str, separator: str, skipped: int) -> None:
    from peckorder.kernels.contests import ragged

    records, found = np.zeros(8, np.int64), np.zeros(8, np.int64)
    text = np.frombuffer(raw, dtype=np.uint8)
    number, expected = ragged(text, ord(separator), records, found)
    if number:
        kept = range(min(number, records.size))
        listed = ", ".join(f"row {records[i] + skipped} has {found[i]}" for i in kept)
        more = f", and {number - records.size:,} more rows" if number > records.size else ""
        first = f"row {skipped + 1}" if skipped else "the first row"
        title = f"If the column names are in another row, give it with {option('header')}. "
        title = title if found.max() > expected and not skipped else ""
        raise DataError(
            f"{name}: {first} has {counted(expected, 'field')}, but {listed}{more}. {title}"
            f"{_stray_quote(raw, skipped)}Use the same number of fields in every row (a name that "
            f"contains a {SEPARATORS.get(separator, 'separator')} must be quoted)."
        )
