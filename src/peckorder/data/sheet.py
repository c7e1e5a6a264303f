"""`Sheet`: an input table before it is interpreted, with the row numbers of its source."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from peckorder.errors import DataError

ROWS_AT_ONCE = 1 << 19
# What polars raises for a damaged file. A panic is not an Exception, and it is final only for the
# query in which it happens.
DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


@dataclass(frozen=True)
class Sheet:
    """An input table before it is interpreted.

    Cells of text files and workbooks are text; other sources keep their types. `cells` contains
    the cells of a text file including the header row, since a matrix may have no header. `numbers`
    are the row numbers if the rows are not consecutive.
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
        """Row numbers as they appear in the source."""
        if self.numbers is not None:
            return self.numbers[np.asarray(places)]
        return np.asarray(places) + self.first_row

    def blank_rows(self) -> np.ndarray:
        """Whether all cells of each row are blank."""
        blank = np.ones(self.height, bool)
        for column in self.table():
            if not blank.any():
                break
            empty = column.is_null()
            if column.dtype in (pl.String, pl.Categorical, pl.Enum):
                empty |= column.cast(pl.String).fill_null("").str.strip_chars() == ""
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


def reason(error: BaseException) -> str:
    """The first line of a message of another package, shortened."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
