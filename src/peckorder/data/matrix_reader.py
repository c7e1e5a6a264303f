"""Reading a square table of wins, winners in rows, with or without names.

Rows and columns of totals in a table of wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import key_of
from peckorder.data.draft import Draft, too_many
from peckorder.data.headings import is_total, says
from peckorder.data.matrix import LARGEST_COUNT, SHARES
from peckorder.data.names import NameCodes
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, listed, option, quoted

FEWEST_OTHERS = 3  # with fewer individuals, sums agree by chance


@dataclass(frozen=True)
class Square:
    """A table of counts with the labels of its rows and columns, and the label in its corner."""

    rows: list[str] | None
    columns: list[str] | None
    cells: list[list[Any]]
    corner: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of counts."""
        return len(self.cells), len(self.cells[0]) if self.cells else 0

    def transposed(self, notes: list[str]) -> Square:
        """The table with rows and columns exchanged."""
        cells = [list(column) for column in zip(*self.cells, strict=True)]
        return Square(self.columns, self.rows, cells, notes=notes)

    def without(self, row: int | None, column: int | None) -> Square:
        """The table without a row and a column of totals, which a note names."""
        places = (("row", self.rows, row), ("column", self.columns, column))
        parts = [
            f"{which} {quoted([labels[place]])}" if labels else f"last {which}"
            for which, labels, place in places
            if place is not None
        ]
        verbs = ("contains", "was") if len(parts) == 1 else ("contain", "were")
        note = f"The {' and the '.join(parts)} {verbs[0]} totals and {verbs[1]} left out."
        return replace(
            self,
            rows=_without(self.rows, row),
            columns=_without(self.columns, column),
            cells=[_without(cells, column) for cells in _without(self.cells, row)],
            notes=[*self.notes, note],
        )


def _without(values: list | None, place: int | None) -> Any:
    if values is None or place is None:
        return values
    return [value for i, value in enumerate(values) if i != place]


def without_totals(name: str, table: Square) -> Square:
    """The table without rows and columns of totals: by their labels, or the last by their sums."""
    height, width = table.shape
    sides = (table.rows, table.columns)
    labeled = [[i for i, one in enumerate(labels or []) if is_total(one)] for labels in sides]
    if min(height, width) < 2 or any(len(places) > 1 for places in labeled):
        return table
    row, column = (places[0] if places else None for places in labeled)
    if row is None and column is None:
        if abs(height - width) > 1:
            return table
        row = height - 1 if height >= width else None
        column = width - 1 if width >= height else None
    for which, place, labels in (("row", row, table.rows), ("column", column, table.columns)):
        wrong = "" if place is None else _sums(table, row, column, which)
        if wrong and any(labeled):
            raise DataError(
                f"{name}: {which} {quoted([(labels or [])[place or 0]])} appears to contain "
                f"totals, but {wrong}. Delete the {which} if it contains totals, or correct the "
                f"counts; if it is an individual, give it another name."
            )
        if wrong:
            return table
    if not any(labeled) and row is not None and column is not None:
        same = None in sides or (table.rows or [])[row] == (table.columns or [])[column]
        if same and not _value(table.cells[row][column]):
            if row < FEWEST_OTHERS:
                return table
            label = f" ({quoted([table.rows[row]])})" if table.rows else ""
            raise DataError(
                f"{name}: the last row and column{label} equal the sums of the others, so that "
                f"they may be totals. Delete them if they are; if they belong to an individual, "
                f"move its row and column to the beginning of the table."
            )
    return table.without(row, column)


def _sums(table: Square, row: int | None, column: int | None, which: str) -> str:
    """What speaks against a row (or column) that holds the sums of the others."""
    cells = np.array([[_value(cell) for cell in line] for line in table.cells], float)
    labels, total = (table.columns, row) if which == "row" else (table.rows, column)
    cells, across = (cells, column) if which == "row" else (cells.T, row)
    places = [place for place in range(cells.shape[1]) if place != across]
    expected = np.nansum(np.delete(cells, total or 0, axis=0), axis=0)
    for place in places:
        found = cells[total or 0, place]
        if found != expected[place]:
            label = f" of {quoted([labels[place]])}" if labels else f" number {place + 1}"
            said = "no number" if np.isnan(found) else f"{found:g}"
            return f"the entry{label} is {said}, and the sum is {expected[place]:g}"
    return "" if expected[places].sum() > 0 else "all counts are 0"


BLANK = ("", "na", "nan", "n/a", "-", "–", "—", ".")
ON_THE_DIAGONAL = ("x", "*", "\\", "/", "#", "0")
NUMBER = re.compile(
    r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|[-+]?(?:inf|infinity|nan)",
    re.IGNORECASE,
)


def matrix(
    sheet: Sheet,
    individuals: list[str] | None,
    missing: str,
    aliases: Mapping[str, str] | None = None,
    *,
    winners: str | None = None,
) -> Draft:
    """Contests from a square table of wins, winners in rows unless it or the user says so."""
    table = _square(sheet)
    sides = table.rows, table.columns
    if aliases and sides[0] and sides[1] and set(sides[0]) != set(sides[1]):
        rows, columns = ([aliases.get(n.strip(), n) for n in side or ()] for side in sides)
        table = replace(table, rows=rows, columns=columns)
    turned = _turned(sheet, table, winners)
    draft = _contests_of_matrix(sheet, without_totals(sheet.name, turned), individuals, missing)
    draft.transposed = turned is not table
    return draft


def looks_like_matrix(sheet: Sheet) -> bool:
    """Whether a sheet without recognized columns could be a table of counts."""
    if sheet.row_names is not None and sheet.height == len(sheet.columns):
        return True
    cells = sheet.cells if sheet.cells is not None else sheet.table().head(200)
    if cells.width < 2 or abs(cells.height - cells.width) > 2:
        return False
    inner = cells[1:, 1:]
    filled = sum(column.count() for column in inner)
    return 2 * sum(_numbers_in(column) for column in inner) >= filled


def _numbers_in(column: pl.Series) -> int:
    """How many cells of a column are numbers."""
    try:
        return column.cast(pl.Float64, strict=False).count()
    except pl.exceptions.PolarsError:  # a type that cannot be a number
        return 0


def _square(sheet: Sheet) -> Square:
    """Row names, column names and counts of a table with or without names."""
    if sheet.cells is None:
        frame = sheet.table()
        cells = [list(row) for row in frame.rows()]
        if sheet.row_names is not None:
            return Square(sheet.row_names, sheet.columns, cells)
        if all(c.startswith(("column ", "column_")) for c in sheet.columns):
            return Square(None, None, cells)
        if frame.width == frame.height + 1 or (frame.width and frame.dtypes[0] == pl.String):
            names, corner = [str(row[0]) for row in cells], sheet.columns[0]
            return Square(names, sheet.columns[1:], [row[1:] for row in cells], corner)
        return Square(None, sheet.columns, cells)
    cells = [[None if c is None else c.strip() for c in row] for row in sheet.cells.rows()]
    while cells and all(cell in (None, "") for cell in cells[-1]):
        cells.pop()
    if not cells:
        raise DataError(f"{sheet.name} is empty. Provide one row and one column per individual.")
    header, body = cells[0], cells[1:]
    left = [row[0] for row in body]
    named = Square(
        [_label(c) for c in left],
        [_label(c) for c in header[1:]],
        [row[1:] for row in body],
        _label(header[0]),
    )
    if {key_of(c) for c in header[1:] if c} & {key_of(c) for c in left if c and not _number(c)}:
        return named  # rows and columns share a name
    if all(map(_count, header)) and not (not header[0] and header[1:] == left):
        if len(cells) == len(header):
            return Square(None, None, cells)  # square without names
        if len(cells) == len(header) + 1 and len(set(header)) == len(header):
            return Square(None, [_label(c) for c in header], body)  # columns named by numbers
        return Square(None, None, cells)
    if len(body) == len(header) and all(map(_count, left)):
        return Square(None, [_label(c) for c in header], body)  # column names only
    return named


def _label(cell: Any) -> str:
    return str(cell or "")


def _count(cell: Any) -> bool:
    """Whether a cell may be a count: a number, or blank or marked as on a diagonal."""
    return str(cell or "").strip().lower() in (*BLANK, *ON_THE_DIAGONAL) or _number(cell)


def _value(cell: object) -> float | None:
    """The number in a cell, or None."""
    return float(str(cell)) if cell is not None and _number(cell) else None


def _number(cell: object) -> bool:
    """Whether a cell is a number as tables contain it; Python would also read 1_0 as 10."""
    if isinstance(cell, int | float | Decimal):
        return True
    return NUMBER.fullmatch(str(cell).strip()) is not None


def _turned(sheet: Sheet, table: Square, winners: str | None) -> Square:
    """The table with winners in rows, if its corner or the user says that the rows are losers."""
    if winners is not None:
        given = [f"Winners are in the columns, as given by {option('winners')}."]
        return table if winners == "rows" else table.transposed(given)
    words = re.findall(r"[^\W\d_]+", table.corner)
    said = [
        what for word in words for what in ("won", "lost") if says(word.lower().rstrip("s"), what)
    ]
    if "lost" not in said or said[0] == "won":
        return table
    if "won" in said:
        raise DataError(
            f'{sheet.name}: "{table.corner}" in the corner does not state clearly whether winners '
            f"are in the rows or in the columns. If the first word names the rows, give "
            f"{option('winners', 'columns')}; otherwise {option('winners', 'rows')}."
        )
    return table.transposed(
        [f'Losers are in the rows ("{table.corner}" in the corner), so the table was transposed.']
    )


def _refuse_triangle(sheet: Sheet, cells: list[list[Any]]) -> None:
    """Raise an error if only one half of the table is filled."""
    size = len(cells)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    filled = [
        {
            str(cells[i][j] if below else cells[j][i]).strip().lower() in (*BLANK, "none")
            for i, j in pairs
        }
        for below in (True, False)
    ]
    if size < 3 or not (filled[0] == {True}) ^ (filled[1] == {True}):
        return
    where, empty = ("above", "below") if filled[0] == {True} else ("below", "above")
    raise DataError(
        f"{sheet.name}: all cells {empty} the diagonal are blank. A table of wins needs both "
        f"directions of every pair: the wins of the row over the column, {where} and {empty} the "
        f"diagonal. If blank means no wins, write 0; if the table contains numbers of contests per "
        f"pair, it does not state who won."
    )


def _nearest(sheet: Sheet) -> str:
    """What a table that is not square looks like: a list of contests, or edges with weights."""
    table = sheet.table()
    texts = [c.name for c in table if c.dtype == pl.String and 2 * _numbers_in(c) < c.count()]
    if len(texts) < 2:
        names = [column.name for column in table][:2]
        if len(names) < 2:
            return ""
        sides = listed([option("winner", names[0]), option("loser", names[1])])
        return (
            f"If this is a list of contests, name its columns, such as {sides}. If the numbers are "
            f"places in races, write a row per race and individual, with the columns contest, "
            f"individual and place. "
        )
    sides = listed([option("winner", texts[0]), option("loser", texts[1])])
    weights = [c.name for c in table if c.name not in texts and _numbers_in(c) == c.count()]
    if not weights:
        return f"It looks like a list of contests: then give {sides}. "
    ways = [option("winner", texts[0]), option("loser", texts[1]), option("count", weights[0])]
    return f"It looks like an edge list with weights: then give {listed(ways)}. "


def _contests_of_matrix(
    sheet: Sheet, table: Square, individuals: list[str] | None, missing: str
) -> Draft:
    row_names, column_names, cells = table.rows, table.columns, table.cells
    height, width = table.shape
    if height != width:
        raise DataError(
            f"{sheet.name}: a table of wins must be square, but it has "
            f"{counted(height, 'row')} and {counted(width, 'column')} of counts. {_nearest(sheet)}"
            f"Provide one row (as winner) and one column (as loser) per individual."
        )
    names = individuals or row_names or column_names or [str(i + 1) for i in range(height)]
    names = [str(name).strip() for name in names]
    if len(names) != height:
        raise ArgumentError(
            f"{option('individuals')} has {counted(len(names), 'name')} for "
            f"{counted(height, 'row')}."
        )
    if individuals is None and row_names and column_names:
        cells, notes = _matched(sheet, names, [c.strip() for c in column_names], cells)
    else:
        notes = []
    notes = [*table.notes, *notes]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins or "" in names:
        wrong = f"duplicated names: {quoted(twins)}" if twins else "a name is empty"
        raise DataError(f"{sheet.name}: {wrong}. Every individual needs a unique name.")
    _refuse_triangle(sheet, cells)
    counts, problems, blanks = _counts(sheet, names, cells, missing)
    if problems:
        raise DataError(*problems)
    if blanks:
        notes = [*notes, f"{counted(blanks, 'blank cell was', 'blank cells were')} counted as 0."]
    if len(names) > 2 and counts.any() and (counts == counts.T).all():
        notes.append(
            "Each pair has the same number in both directions: check that the table contains wins "
            "and not numbers of contests."
        )
    winners, losers = np.nonzero(counts)
    times = counts[winners, losers]
    codes = NameCodes()
    codes.add(pl.Series(names), pl.Series(names))
    first, second = (np.repeat(side, times).astype(np.int32) for side in (winners, losers))
    kept = np.repeat(winners, times)
    draft = Draft(sheet, codes, first, second, kept, ordered=False, notes=notes)
    if too_many(draft, times):
        raise DataError(*draft.problems)
    draft.notes.append("The sequence of contests is unknown: a table of wins does not record it.")
    return draft


def _matched(sheet, names, columns, cells):
    """Cells with the columns in the order of the rows; an error if the names differ."""
    if names == columns:
        return cells, []
    columns, notes = _spelled_as_rows(names, columns)
    if names == columns:
        return cells, notes
    only_rows = [name for name in names if name not in columns]
    only_columns = [name for name in columns if name not in names]
    if only_rows or only_columns:
        raise DataError(
            f"{sheet.name}: rows and columns must name the same individuals. Only in rows: "
            f"{quoted(only_rows) or 'none'}; only in columns: {quoted(only_columns) or 'none'}. "
            f"If this is not a table of wins, name the columns of winners and losers with "
            f"{option('winner')} and {option('loser')}."
        )
    order = [columns.index(name) for name in names]
    note = "Columns and rows were in different orders; columns were sorted to match the rows."
    return [[row[i] for i in order] for row in cells], [*notes, note]


def _spelled_as_rows(names: list[str], columns: list[str]) -> tuple[list[str], list[str]]:
    """Column names spelled as those of the rows, where they differ only in case."""
    spelled = {key_of(name): name for name in names}
    if len(spelled) < len(names) or len({key_of(column) for column in columns}) < len(columns):
        return columns, []  # names of one side differ only in case: which is which?
    found = [spelled.get(key_of(column), column) for column in columns]
    other = [
        f'"{name}" and "{column}"'
        for name, column in zip(found, columns, strict=True)
        if name != column
    ]
    if not other:
        return columns, []
    more = f", and {len(other) - 3:,} more" if len(other) > 3 else ""
    note = (
        f"Names of rows and columns differ only in case ({'; '.join(other[:3])}{more}); they were "
        f"taken as the same individuals, spelled as in the rows."
    )
    return found, [note]


def _counts(sheet, names, cells, missing) -> tuple[np.ndarray, list[str], int]:
    counts = np.zeros((len(names), len(names)), np.int64)
    wrong: dict[str, list[str]] = {}
    blanks = 0
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            cell = int(cell) if isinstance(cell, bool) else cell
            where = f"row {quoted([names[i]])}, column {quoted([names[j]])}"
            word = "" if cell is None else str(cell).strip().lower()
            blank = word in BLANK or (i == j and word in ON_THE_DIAGONAL)
            if blank and (i == j or missing == "drop"):
                blanks += i != j
                continue
            if blank:
                drop = option("missing", "drop")
                kind = f"no count (write 0 for no wins, or use {drop} to count blanks as 0)"
            elif not _number(cell) or not np.isfinite(float(str(cell))):
                kind = "not a number"
            elif float(str(cell)) < 0:
                kind = "a negative count"
            elif float(str(cell)) > LARGEST_COUNT:
                kind = "a count that is too large"
            elif float(str(cell)) != int(float(str(cell))):
                kind = "a fractional count (wins must be whole numbers)"
            elif i == j and float(str(cell)) != 0:
                kind = "a self-contest (the diagonal must be 0 or blank)"
            else:
                counts[i, j] = int(float(str(cell)))
                continue
            shown = f"{quoted([cell])} in {where}"
            wrong.setdefault(kind, []).append(where if blank else shown)
    problems = [
        f"{sheet.name}: {kind}: {'; '.join(places[:5])}"
        + (f" and {len(places) - 5:,} more." if len(places) > 5 else ".")
        + " If cells are results, write one row per game." * bool(re.search(r"\d-\d|½", places[0]))
        + f" {SHARES}" * kind.startswith("a fractional")
        for kind, places in wrong.items()
    ]
    return counts, problems, blanks
