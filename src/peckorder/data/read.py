"""`read`: from a file or table of contests to validated `Interactions`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from peckorder.checked import one_of, several
from peckorder.data import square
from peckorder.data.assembling import assembled, from_matrix
from peckorder.data.columns import (
    NEEDED,
    Columns,
    find_columns,
    names_sides,
    not_understood,
    refuse_other_types,
)
from peckorder.data.dates import date_words
from peckorder.data.interactions import Interactions
from peckorder.data.names import NameCodes
from peckorder.data.sheet import Sheet
from peckorder.data.source import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import counted, either, option

CONTESTS_IN_A_BATCH = 1 << 17  # up to four times as many in large tables
FEWEST_BATCHES = 128


@dataclass(frozen=True, eq=False)
class ContestStream:
    """Contests of one or more files or of a query, read in batches in their order.

    Returned by `read(…, stream=True)`. The contests are not kept in memory: iterating yields
    batches of `Interactions` with consistent codes, to which new names are added as they appear.
    """

    sheet: Sheet
    columns: Columns
    options: dict[str, Any]

    def __len__(self) -> int:
        return self.sheet.height

    def __repr__(self) -> str:
        return f"ContestStream: {counted(len(self), 'row')} of {self.sheet.name}"

    def __iter__(self) -> Iterator[Interactions]:
        names, latest = NameCodes(), None
        used = dict.fromkeys(self.columns.of.values())
        size = min(len(self) // FEWEST_BATCHES, 4 * CONTESTS_IN_A_BATCH)
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

    def _unsorted(self, batch: Interactions, latest: tuple[Any, int] | None) -> DataError:
        """The error that names the first contest dated before the one that precedes it."""
        numbers = batch.row_numbers(np.arange(len(batch)))
        in_file = np.argsort(numbers, kind="stable")
        dates, numbers = cast(np.ndarray, batch.date)[in_file], numbers[in_file]
        if latest is not None:
            dates = np.concatenate([np.asarray([latest[0]], dates.dtype), dates])
            numbers = np.concatenate([[latest[1]], numbers])
        first = int(np.argmax(dates[1:] < dates[:-1]))
        (before, when), (after, then) = (
            (self._row(batch, numbers[i]), date_words(dates[i])) for i in (first, first + 1)
        )
        return DataError(
            f"{self.sheet.name}: to be read as a stream, contests must be sorted by date, but "
            f"{after} is dated {then} and follows {before}, dated {when}. "
            f"{self._advice(numbers[first : first + 2])}, or read the contests "
            f"{either('with stream=False', 'without --stream')}."
        )

    def _row(self, batch: Interactions, number: int) -> str:
        files = self.sheet.files
        return f"{batch.report.row_word} {number if files is None else files.labels(number)}"

    def _advice(self, pair: np.ndarray) -> str:
        if self.sheet.files is None:
            return "Sort the file"
        first, second = self.sheet.files.of(pair)
        if first == second:
            return "Sort the file"
        return "Name the files so that their natural order is that of the dates (part-2, part-10)"


def read(
    source: Any,
    *,
    kind: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    date: str | bool | None = None,
    time: str | bool | None = None,
    draw: str | bool | None = None,
    context: str | bool | None = None,
    group: str | bool | None = None,
    season: str | bool | None = None,
    count: str | bool | None = None,
    winner_points: str | bool | None = None,
    loser_points: str | bool | None = None,
    home: str | bool | None = None,
    away: str | None = None,
    home_points: str | None = None,
    away_points: str | None = None,
    neutral: str | bool | None = None,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    individuals: Sequence[object] | None = None,
    presence: Any = None,
    date_format: str | None = None,
    self_contests: str = "refuse",
    missing: str = "refuse",
    sheet: str | int | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: int | None = None,
    glob: bool | None = None,
    stream: bool = False,
) -> Interactions:
    """Read contests from a file, a table or arrays, and validate them.

    Parameters
    ----------
    source
        Path of a CSV, TSV, Excel or Parquet file (text may be gzipped), `"-"` for standard input;
        a folder of Parquet or of CSV files, or a pattern such as `"2020/*.parquet"`, read as one
        table; a pandas, polars or pyarrow table or a polars LazyFrame; a mapping of columns; a
        pair (winners, losers); a list of tuples (winner, loser); a square array of wins.
    kind : {"events", "matrix", "games", "votes"}, optional
        Kind of data; detected if omitted. events: one contest per row, with winner and loser.
        matrix: a square table of wins, winners in rows. games: home and away sides with their
        points. votes: two sides and an outcome.
    winner, loser, date, time, draw, context, group, season, count, winner_points, loser_points, \
home, away, home_points, away_points, neutral, a, b, outcome : str, optional
        Names of columns; those omitted are detected by common names (see docs/data.md). An empty
        string or False ignores a column that would be detected.
    individuals : sequence, optional
        Names of the individuals, for a matrix without names.
    presence : optional
        Presence data, as a path, a table or `Presence` (see `read_presence`), or `"inferred"`:
        each individual is present from its first to its last contest.
    date_format : str, optional
        For example `"%d/%m/%Y"`; needed only if dates are ambiguous.
    self_contests, missing : {"refuse", "drop"}
        Whether to raise an error for, or drop, rows in which winner and loser are the same
        individual (`self_contests`), or a name, a date or points are missing (`missing`). With
        `missing="drop"`, blank cells of a matrix count as 0.
    sheet, separator, encoding : optional
        Sheet of a workbook (name or number from 1); separator and encoding of a text file.
    header : int, optional
        Row of the column names, if there are other rows above them; by default the first row.
    glob : bool, optional
        Whether the path is a pattern for several files (`*`, `?`, `[1-3]`). By default it is one
        if it contains such characters and no file has exactly this name, which is always read.
    stream : bool
        Return a `ContestStream`, which is read in batches, instead of loading all contests. Only
        Parquet files and LazyFrames are read without loading everything into memory.

    Returns
    -------
    Interactions

    Raises
    ------
    DataError
        Lists all problems found, with the rows concerned and how to fix them.

    Examples
    --------
    >>> import peckorder as po
    >>> po.read({"winner": ["Abe", "Bo", "Abe"], "loser": ["Bo", "Cy", "Cy"]})
    Interactions: 3 contests among 3 individuals (Abe, Bo, Cy)
    """
    if individuals is not None:
        individuals = [str(name) for name in several("individuals", individuals)]
    arguments = {
        name: value
        for name, value in locals().items()
        if name not in ("source", "stream", "presence")
    }
    for name, value in (("self_contests", self_contests), ("missing", missing)):
        one_of(name, value, ("refuse", "drop"))
    if isinstance(source, Interactions):
        raise ArgumentTypeError(
            "The data have been read already. Use data.filter or data.with_presence to modify them."
        )
    opened = open_sheet(
        source,
        sheet=sheet,
        separator=separator,
        encoding=encoding,
        header=header,
        glob=glob,
        stream=stream,
    )
    given = {
        "winner": winner,
        "loser": loser,
        "date": date,
        "time": time,
        "draw": draw,
        "context": context,
        "group": group,
        "season": season,
        "count": count,
        "winner_points": winner_points,
        "loser_points": loser_points,
        "home": home,
        "away": away,
        "home_points": home_points,
        "away_points": away_points,
        "neutral": neutral,
        "a": a,
        "b": b,
        "outcome": outcome,
    }
    refuse_other_types(opened, given)
    stated = any(given[role] for roles in NEEDED.values() for role in roles)
    several_files = opened.files is not None
    if kind is None and not stated and not several_files and square.is_named_matrix(opened):
        kind = "matrix"
    columns = find_columns(opened, kind, given)
    options = {"date_format": date_format, "self_contests": self_contests, "missing": missing}
    if columns is None:
        if kind is None and (
            several_files or names_sides(opened) or not square.looks_like_matrix(opened)
        ):
            raise not_understood(opened)
        if several_files:
            raise DataError(f"{opened.name}: a matrix is read from one file. Give its path.")
        if stream:
            raise ArgumentError(
                f"{option('stream', 'True')} applies to lists of contests only, not to a matrix."
            )
        data = from_matrix(opened, individuals, missing)
    elif individuals is not None:
        raise ArgumentError(
            f"{option('individuals')} names the rows of a matrix, and these data are not a matrix."
        )
    elif opened.height == 0:
        raise DataError(f"{opened.name} has a header but no contests.")
    elif stream:
        if presence is not None:
            raise ArgumentError(
                f"{option('stream', 'True')} cannot be combined with {option('presence')}."
            )
        # Typed as the usual return value.
        return cast(Any, ContestStream(opened, columns, options))
    else:
        data = assembled(opened, columns, **options)
    _refuse_too_few(data)
    path = str(source) if isinstance(source, str | os.PathLike) and source != "-" else None
    data = replace(data, report=replace(data.report, path=path, options=_changed(arguments)))
    return data if presence is None else data.with_presence(presence, date_format=date_format)


def _changed(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that differ from their defaults, as needed to repeat the call."""
    usual = {"self_contests": "refuse", "missing": "refuse"}
    return {
        name: "" if value is False and name != "glob" else value
        for name, value in arguments.items()
        if value is not None and not (isinstance(value, str) and value == usual.get(name))
    }


def _refuse_too_few(data: Interactions) -> None:
    if len(data) == 0:
        raise DataError(f"{data.report.source}: no contests remain.\n{data.report}")
