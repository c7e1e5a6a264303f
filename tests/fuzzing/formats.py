"""Odd files of every format: text, workbooks, R files, databases, folders, and files in the field."""

import bz2
import gzip
import io
import lzma
import shutil
import sqlite3
from pathlib import Path

from tests import r_writer
from tests.fuzzing import sheets, tables
from tests.fuzzing.odd import NAMES
from tests.fuzzing.tables import Table, maybe, pick

HERE = Path(__file__).parent.parent
KEPT = sorted(
    path
    for folder in ("field", "data/logs", "data/r_files")
    for path in (HERE / folder).iterdir()
    if path.is_file() and path.stat().st_size < 50_000
)
KINDS = (*tables.KINDS, sheets.behavior_log, sheets.headed, sheets.headed)


def _r_column(rng, cells: list[str]) -> r_writer.R:
    clean = [None if cell == "" and maybe(rng, 0.5) else cell for cell in cells]
    form = pick(rng, ("text", "text", "factor", "number", "dates", "times", "deferred"))
    if form == "factor":
        return r_writer.factor(clean, sorted({c for c in clean if c is not None}) or ["x"])
    if form == "number":
        return r_writer.integer([None if c is None else len(c) for c in clean])
    if form in ("dates", "times"):
        made = r_writer.dates if form == "dates" else r_writer.times
        odd = (14000.0, 14001.5, None, 1e300, float("nan"), -1e9, float("inf"))
        return made([pick(rng, odd) if maybe(rng, 0.1) else 14000.0 + i for i in range(len(clean))])
    if form == "deferred":
        return r_writer.deferred(r_writer.integer([len(c or "") for c in clean]))
    return r_writer.text(clean)


def as_r(rng, table: Table) -> bytes:
    """The table as a data frame, a matrix or a list in a file of R, perhaps compressed."""
    width = len(table[0])
    columns = [[row[i] if i < len(row) else "" for row in table[1:]] for i in range(width)]
    if maybe(rng, 0.1):
        sides = pick(rng, (None, list(NAMES[:3]), ["Abe"]))
        found = r_writer.matrix([[0, 1, 2], [3, 0, None], [1, -1, 0]], sides, sides)
    elif not width or len(table) < 2:
        found = r_writer.text([])
    else:
        named = {
            f"{label}{i}" if table[0].count(label) > 1 else label: _r_column(rng, cells)
            for i, (label, cells) in enumerate(zip(table[0], columns, strict=True))
        }
        found = r_writer.frame(**named)
        if maybe(rng, 0.2):
            found = r_writer.named(contests=found, other=r_writer.integer([1]))
    version = pick(rng, (2, 3))
    if maybe(rng, 0.5):
        raw = r_writer.rds(found, version=version)
    else:
        raw = r_writer.rda(version=version, contests=found, more=r_writer.text(["x"]))
    return pick(rng, (bytes, gzip.compress, bz2.compress, lzma.compress))(raw)


def as_database(rng, table: Table) -> bytes:
    """The table in an SQLite file, its cells of mixed types."""
    place = Path("made.db")
    place.unlink(missing_ok=True)
    labels = [
        f"{label[:60]}{i}" if table[0][:i].count(label) else label[:60]
        for i, label in enumerate(table[0])
    ] or ["x"]
    quoted = ", ".join('"' + label.replace('"', '""').replace("\0", "") + '"' for label in labels)

    def cell(text: str):
        if maybe(rng, 0.05):
            return pick(rng, (None, 1, 2.5, b"\xff\x00", 2**62, float("inf"), -1))
        return text

    with sqlite3.connect(place) as base:
        try:
            base.execute(f"CREATE TABLE contests ({quoted})")
            marks = ", ".join("?" * len(labels))
            rows = [
                [cell(row[i]) if i < len(row) else None for i in range(len(labels))]
                for row in table[1:]
            ]
            base.executemany(f"INSERT INTO contests VALUES ({marks})", rows)
        except sqlite3.Error:
            base.execute("CREATE TABLE IF NOT EXISTS empty (x)")
        if maybe(rng, 0.2):
            base.execute("CREATE TABLE more (name, value)")
        if maybe(rng, 0.1):
            base.execute("CREATE VIEW odd AS SELECT * FROM sqlite_master")
    base.close()
    return place.read_bytes()


def as_books(rng, table: Table) -> bytes:
    """A workbook with several sheets, merged cells, formulas and dates."""
    from openpyxl import Workbook

    book = Workbook()
    for number in range(int(rng.integers(1, 4))):
        page = book.active if number == 0 else book.create_sheet(pick(rng, ("2019", "notes", "é")))
        rows = table if maybe(rng, 0.7) else tables.mutated(rng, pick(rng, KINDS)(rng))
        for row in rows:
            page.append(["".join(sign for sign in text if sign >= " ")[:1000] for text in row])
        if maybe(rng, 0.2):
            page.merge_cells(pick(rng, ("A1:B1", "A2:A3", "B2:C4")))
        if maybe(rng, 0.2):
            page["A2"] = pick(rng, ("=1/0", "=A1", "=SUM(A1:Z9)", "#REF!"))
        if number and maybe(rng, 0.1):
            page.sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def odd_folder(rng) -> Path:
    """A folder of Parquet or CSV files that do or do not fit together."""
    folder = Path("folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    table = pick(rng, KINDS)(rng)
    ending = pick(rng, ("csv", "parquet", "parquet"))
    for number in range(int(rng.integers(0, 4))):
        part = tables.mutated(rng, table if maybe(rng, 0.8) else pick(rng, KINDS)(rng))
        raw = tables.as_parquet(rng, part) if ending == "parquet" else tables.as_text(rng, part)
        if maybe(rng, 0.1):
            raw = tables.damaged(rng, raw)
        name = pick(rng, (f"{number}.{ending}", f"year=20{number}.{ending}", f"{number}.txt"))
        (folder / name).write_bytes(raw)
    return folder if maybe(rng, 0.5) else folder / f"*.{ending}"


def kept_file(rng) -> Path:
    """A file of the kinds that people have, often damaged."""
    kept = pick(rng, KEPT)
    path = Path(f"kept{kept.suffix}")
    raw = kept.read_bytes()
    path.write_bytes(tables.damaged(rng, raw) if maybe(rng, 0.6) else raw)
    return path


FORMATS = (
    *((tables.as_text, "odd.csv", 0.44), (tables.as_workbook, "odd.xlsx", 0.05)),
    *((tables.as_parquet, "odd.parquet", 0.13), (as_r, "odd.rds", 0.1)),
    *((as_database, "odd.db", 0.08), (as_books, "books.xlsx", 0.06)),
)


def odd_file(rng, table: Table | None = None, *, clean: bool = False) -> Path:
    """A file or folder in the current folder, in any format."""
    kind = pick(rng, tables.KINDS if clean else KINDS)
    given = table
    table = kind(rng) if table is None else table
    if clean:
        path = Path("clean.csv")
        path.write_text("\n".join(",".join(row) for row in table), encoding="utf-8")
        return path
    draw = rng.random()
    if given is None and draw > 0.93:
        return odd_folder(rng)
    if given is None and draw > 0.86:
        return kept_file(rng)
    table = tables.mutated(rng, table)
    shares = [share for *_, share in FORMATS]
    made, name, _ = FORMATS[int(rng.choice(len(FORMATS), p=[s / sum(shares) for s in shares]))]
    raw = made(rng, table)
    if maybe(rng, 0.15 if name == "odd.csv" else 0.5):
        raw = tables.damaged(rng, raw)
    path = Path(name)
    path.write_bytes(raw)
    return path
