"""What a Bradley–Terry fit needs of contests: outcomes of each dyad and value of the covariates.

The likelihood depends on contests only through these counts, so that a million votes among two
hundred candidates are a table of some ten thousand entries, however often it is fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from peckorder.data.dyad_tally import DyadTally, dyad_tally
from peckorder.data.interactions import Interactions
from peckorder.data.tally import TIES as SHARE
from peckorder.data.tally import Tally, matrix_of, tally
from peckorder.errors import ArgumentError, DataError
from peckorder.home import covariates_of
from peckorder.ranking.paired_model import DENSE, DyadRecord
from peckorder.wording import option, quoted, rows

LABELS = ("context", "group", "season")


@dataclass(frozen=True, eq=False)
class VoteCounts:
    """Checked counts, the dyads as they were counted, and the covariates in their units.

    Covariates are divided by their root mean square, so that priors and limits do not depend on
    the unit of a column.
    """

    counts: Tally | DyadTally
    raw: DyadRecord
    ties: str
    names: tuple[str, ...] = ()
    units: np.ndarray = field(default_factory=lambda: np.ones(0))
    place: np.ndarray | None = None  # of each contest among the counts, if there are covariates

    @property
    def record(self) -> DyadRecord:
        """The dyads of the model, with ties by their rule."""
        return self.by_rule(self.raw)

    def by_rule(self, raw: DyadRecord) -> DyadRecord:
        """Ties as an outcome of their own, or as wins of both sides, each worth a share."""
        if self.ties == "davidson":
            return raw
        own = SHARE[self.ties] * raw.drawn
        none = np.zeros(len(own))
        return replace(raw, won=raw.won + own, lost=raw.lost + own, drawn=none)


def counted_votes(
    data: Any,
    ties: str,
    *,
    cautious: bool,
    home_advantage: str | None = None,
    covariates: Sequence[str] = (),
) -> VoteCounts:
    """The checked counts of contests or of a matrix."""
    rule = "half" if ties == "davidson" else ties
    if isinstance(data, Interactions) and len(data.individuals) > DENSE:
        _refuse_covariates(home_advantage, covariates, len(data.individuals))
        sparse = dyad_tally(data, ties=rule, cautious=cautious)
        raw = DyadRecord.of_contests(data.winner, data.loser, sparse.drawn, sparse.size)
        return VoteCounts(sparse, _without_omitted(raw, ties), ties)
    counts = tally(data, ties=rule, cautious=cautious)
    if home_advantage is None and not len(covariates):
        matrix = matrix_of(data)
        raw = DyadRecord.of_matrix(matrix.wins, matrix.draws)
        return VoteCounts(counts, _without_omitted(raw, ties), ties)
    contests = one_by_one(data, "covariates")
    names, columns = covariates_of(contests, home_advantage, covariates)
    units = np.sqrt((columns**2).mean(axis=0)) if columns is not None else np.ones(0)
    units = np.where(units > 0, units, 1.0)
    raw, place = entries_of(contests, None if columns is None else columns / units)
    return VoteCounts(counts, _without_omitted(raw, ties), ties, tuple(names), units, place)


def one_by_one(data: Any, what: str) -> Interactions:
    """The contests themselves, which a matrix does not contain."""
    if isinstance(data, Interactions):
        return data
    raise DataError(
        f"{option(what)} requires contests one by one: a matrix contains only their numbers."
    )


def _refuse_covariates(home_advantage: str | None, covariates: Sequence[str], size: int) -> None:
    if home_advantage is not None or len(covariates):
        name = "covariates" if len(covariates) else "home_advantage"
        raise DataError(
            f"{option(name)} is available for up to {DENSE:,} individuals; there are {size:,}."
        )


def _without_omitted(raw: DyadRecord, ties: str) -> DyadRecord:
    return replace(raw, drawn=np.zeros(len(raw.drawn))) if ties == "omit" else raw


def entries_of(
    data: Interactions, columns: np.ndarray | None = None
) -> tuple[DyadRecord, np.ndarray]:
    """Dyads and values of covariates with their outcomes, and the place of each contest.

    Places count through the wins of all entries, then the losses, then the ties. `columns` are seen
    from the winner, entries from the individual with the lower code.
    """
    size, winner, loser = len(data.individuals), data.winner, data.loser
    drawn = np.zeros(len(data), bool) if data.draw is None else data.draw
    low, high = np.minimum(winner, loser).astype(np.int64), np.maximum(winner, loser)
    entry = np.unique(low * size + high, return_inverse=True)[1]
    seen = None
    if columns is not None:
        seen = np.where((winner == low)[:, None], columns, -columns) + 0.0  # −0 becomes 0
        for column in seen.T:
            values, code = np.unique(column, return_inverse=True)
            entry = np.unique(entry * np.int64(len(values)) + code, return_inverse=True)[1]
    number = int(entry.max()) + 1
    one_contest = np.empty(number, np.int64)
    one_contest[entry] = np.arange(len(entry))
    known = None if seen is None else seen[one_contest]
    kind = np.where(drawn, 2, np.where(winner == low, 0, 1))
    place = kind * number + entry
    won, lost, level = np.bincount(place, minlength=3 * number).astype(float).reshape(3, number)
    sides = low[one_contest], high[one_contest].astype(np.int64)
    return DyadRecord(size, *sides, won, lost, level, known=known), place


def places_and_clusters(
    data: Any, votes: VoteCounts, column: str
) -> tuple[np.ndarray, np.ndarray, int]:
    """The place of each contest among the counts, its cluster, and the number of clusters."""
    contests = one_by_one(data, "cluster")
    cluster, number = clusters_of(contests, column)
    place = votes.place if votes.place is not None else entries_of(contests)[1]
    return place, cluster, number


def clusters_of(contests: Interactions, column: str) -> tuple[np.ndarray, int]:
    """The cluster of each contest, such as the voter, and the number of clusters."""
    if column in LABELS and getattr(contests, column) is not None:
        codes = getattr(contests, column).codes
    else:
        known = [] if contests.extra is None else contests.extra.columns
        if contests.extra is None or column not in known:
            raise ArgumentError(
                f'{option("cluster")}: there is no unused column "{column}". Unused columns: '
                f"{quoted(known) or 'none'}."
            )
        cells = contests.extra[column]
        empty = np.flatnonzero(cells.is_null().to_numpy())
        if empty.size:
            where = rows(contests.report.row_word, contests.row_of(empty))
            raise DataError(
                f'{where}: column "{column}" is empty, so that the cluster of the contest is '
                f"unknown. Fill in the cells, or omit these rows."
            )
        codes = cells.rank("dense").to_numpy().astype(np.int64) - 1
    distinct, cluster = np.unique(codes, return_inverse=True)
    if len(distinct) < 2:
        raise DataError(f'Column "{column}" has a single value: there is nothing to resample.')
    return cluster, len(distinct)
