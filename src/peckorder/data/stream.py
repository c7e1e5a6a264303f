"""Contests that are read in batches, so that the whole record never has to be in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from peckorder import notebook
from peckorder.data.build import assembled
from peckorder.data.columns import Columns
from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_words
from peckorder.data.names import NameCodes
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.text import counted, either

CONTESTS_IN_A_BATCH = 1 << 17  # up to four times as many in large tables
FEWEST_BATCHES = 128


@dataclass(frozen=True, eq=False)
class ContestStream:
    """Contests of one or more files or of a query, read in batches in their order.

    Returned by `read(…, stream=True)`. The contests are not kept in memory: iterating yields
    batches of `Contests` with consistent codes, to which new names are added as they appear.

    Examples
    --------
    >>> import peckorder as po
    >>> stream = po.read(po.datasets.CATALOGUE["adv"].path, stream=True)
    >>> stream, sum(len(batch) for batch in stream)
    (ContestStream: 33 rows of adv.csv, 33)
    """

    sheet: Sheet
    columns: Columns
    options: dict[str, Any]

    def __len__(self) -> int:
        if self.sheet.batches is not None:
            raise ArgumentTypeError("The number of rows of a query is not known before it is read.")
        return self.sheet.height

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        number = "rows" if self.sheet.batches is not None else counted(len(self), "row")
        return f"ContestStream: {number} of {self.sheet.name}"

    def _repr_html_(self) -> str:
        """What notebooks show: what will be read."""
        note = "Contests are read in batches, when ratings are computed."
        return notebook.page(repr(self), sentences=(note,))

    def __iter__(self) -> Iterator[Contests]:
        names, latest = NameCodes(self.options["aliases"], self.options["ignored"]), None
        used = dict.fromkeys(self.columns.of.values())
        size = min(self.sheet.height // FEWEST_BATCHES, 4 * CONTESTS_IN_A_BATCH)
        for piece in self.sheet.pieces(max(size, CONTESTS_IN_A_BATCH), *used):
            piece = replace(piece, streamed=True)
            batch = assembled(piece, self.columns, names=names, **self.options)
            if len(batch) and batch.date is not None:
                if latest is not None and latest[0].dtype.kind != batch.date.dtype.kind:
                    raise DataError(
                        f"{self.sheet.name}: some of the dates are numbers and others are not. "
                        f"Write all dates in the same way."
                    )
                if batch.report.reordered or (latest is not None and batch.date[0] < latest[0]):
                    raise self._unsorted(batch, latest)
                latest = batch.date[-1], int(batch.row_numbers(len(batch) - 1))
            yield batch

    def _unsorted(self, batch: Contests, latest: tuple[Any, int] | None) -> DataError:
        """The error that names the first contest dated before the one that precedes it."""
        numbers = batch.row_numbers(np.arange(len(batch)))
        in_file = np.argsort(numbers, kind="stable")
        dates, numbers = cast(np.ndarray, batch.date)[in_file], numbers[in_file]
        if latest is not None:
            dates = np.concatenate([np.asarray([latest[0]], dates.dtype), dates])
            numbers = np.concatenate([[latest[1]], numbers])
        first = int(np.argmax(dates[1:] < dates[:-1]))
        files, advice = self.sheet.files, "Sort the file"
        pair = numbers[first : first + 2]
        if self.sheet.batches is not None:
            advice = "Add ORDER BY"
        elif files is not None and len({*files.of(pair).tolist()}) > 1:
            advice = "Name the files so that their natural order is that of the dates (part-2, …)"
        rows = pair if files is None else files.labels(pair)
        before, after = (f"{batch.report.row_word} {row}" for row in rows)
        when, then = (date_words(date) for date in dates[first : first + 2])
        return DataError(
            f"{self.sheet.name}: to be read as a stream, contests must be sorted by date, but "
            f"{after} is dated {then} and follows {before}, dated {when}. {advice}, or read the "
            f"contests {either('with stream=False', 'without --stream')}."
        )
