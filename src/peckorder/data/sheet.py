"""`Sheet`: an input table before it is interpreted, with the row numbers of its source."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from peckorder.data.formulas import without_value
from peckorder.errors import DataError

ROWS_AT_ONCE = 1 << 19
# What polars raises for a damaged file. A panic is not an Exception, and it is final only for the
# query in which it happens.
DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


@dataclass(frozen=True, order=True)
class RowOfSheet:
    """A row of one of several sheets that were joined; ordered as in the joined table."""

    place: int
    sheet: str = field(compare=False)
    number: int = field(compare=False)

    def __str__(self) -> str:
        return f'{self.number} of sheet "{self.sheet}"'


@dataclass(frozen=True)
class Sheet:
    """An input table before it is interpreted.

    Cells of text files and workbooks are text; other sources keep their types. `cells` contains
    the cells of a text file including the header row, since a matrix may have no header. `parts`
    are the sheets that were joined: name, height and number of the first row of each. `numbers` are
    the rows of the source if only some were selected. The rows of a query without
    ORDER BY are not `ordered`. `batches` reads a query anew, so many rows at a time; the frame is
    then empty.
    """

    frame: pl.LazyFrame
    columns: list[str]
    height: int
    name: str
    row_word: str = "row"
    first_row: int = 0
    flavor: str = "polars"
    cells: pl.DataFrame | None = None
    row_names: list[str] | None = None
    streamed: bool = False
    numbers: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    parts: tuple[tuple[str, int, int], ...] = ()
    separator: str | None = None
    ordered: bool = True
    batches: Callable[[int], Iterator[pl.DataFrame]] | None = None

    def column(self, name: str) -> pl.Series:
        """One column, read into memory; categories as text."""
        return self._usable(self.table(name).to_series())

    def table(self, *names: str) -> pl.DataFrame:
        """The named columns, or all, read into memory."""
        return self._collected(self.frame.select(*names) if names else self.frame)

    def chunks(self, *names: str, rows: int = ROWS_AT_ONCE) -> Iterator[list[pl.Series]]:
        """The named columns in batches of rows, to limit memory use.

        The next batch is read while the current one is processed.
        """

        def piece(begin: int) -> list[pl.Series]:
            # One column may be requested twice.
            table = self._collected(self.frame.slice(begin, rows).select(*dict.fromkeys(names)))
            return [self._usable(table[name]) for name in names]

        if self.height <= rows:
            yield piece(0)
            return
        with ThreadPoolExecutor(max_workers=1) as reader:
            following = reader.submit(piece, 0)
            for begin in range(rows, self.height, rows):
                ready, following = following, reader.submit(piece, begin)
                yield ready.result()
            yield following.result()

    def rows(self, places: np.ndarray) -> np.ndarray:
        """Row numbers as they appear in the source, with the sheet if several were joined."""
        if self.numbers is not None:
            return self.numbers[np.asarray(places)]
        places = np.asarray(places) + self.first_row
        if not self.parts:
            return places
        ends = np.cumsum([height for _, height, _ in self.parts])
        found = np.empty(places.shape, object)
        for i, place in np.ndenumerate(places):
            part = int(np.searchsorted(ends, place, side="right"))
            name, height, first_row = self.parts[part]
            found[i] = RowOfSheet(int(place), name, int(place - ends[part] + height + first_row))
        return found

    def blank_rows(self) -> np.ndarray:
        """Whether all cells of each row are blank, except for the name of a joined sheet."""
        blank = np.ones(self.height, bool)
        for column in self.table(*(self.columns[:-1] if self.parts else ())):
            if not blank.any():
                break
            empty = column.is_null()
            if column.dtype in (pl.String, pl.Categorical, pl.Enum):
                text = column.cast(pl.String).fill_null("").str.strip_chars()
                empty |= (text == "") | without_value(text)  # formulas copied below the table
            blank &= empty.to_numpy()
        return blank

    def _usable(self, column: pl.Series) -> pl.Series:
        """The column, if its cells are single values; categories and bytes become text."""
        if column.dtype in (pl.Categorical, pl.Enum, pl.Null):
            return column.cast(pl.String)
        if column.dtype == pl.Binary:
            with contextlib.suppress(pl.exceptions.PolarsError):
                return column.cast(pl.String)
        elif not column.dtype.is_nested() and column.dtype not in (pl.Object, pl.Duration):
            return column
        raise DataError(
            f'{self.name}: column "{column.name}" contains values of type {column.dtype}. Convert '
            f"it to text, numbers or dates (one value per cell), or use another column."
        )

    def _collected(self, frame: pl.LazyFrame) -> pl.DataFrame:
        try:
            return frame.collect()
        except DAMAGED as error:
            raise DataError(
                f"{self.name} cannot be read; the file is damaged ({reason(error)}). Obtain a new "
                f"copy."
            ) from error


def unique_labels(labels: list[str]) -> list[str]:
    """Labels made unique by position; selecting a column by a duplicated name is an error later.

    >>> unique_labels(["winner", "loser", "winner"])
    ['winner (column 1)', 'loser', 'winner (column 3)']
    """
    number = Counter(labels)
    return [
        f"{label} (column {i + 1})" if number[label] > 1 else label
        for i, label in enumerate(labels)
    ]


def reason(error: BaseException) -> str:
    """The first line of a message of another package, shortened."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
