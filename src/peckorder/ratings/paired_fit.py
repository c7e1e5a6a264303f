"""Bradley–Terry estimates of a table of counts: components, abilities, ν and coefficients.

Abilities are fitted within strongly connected components or, with a prior, all together. Only
differences in ability within such a set are identified.

What a Bradley–Terry fit needs of contests: outcomes of each dyad and value of the covariates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.effects import covariates_of
from peckorder.data.win_counts import TIES as SHARE
from peckorder.data.win_counts import DyadCounts, WinCounts, dyad_counts, matrix_of, win_counts
from peckorder.errors import ArgumentError, DataError
from peckorder.ranks import average_ranks, in_braces, linked, strong
from peckorder.ratings.paired_model import (
    DENSE,
    OUTCOMES,
    PRIOR_SD,
    DyadRecord,
    climbed,
    derivatives,
    log_likelihood,
    maximum,
    pulls,
    solved,
    spread_of,
    ties_unbounded,
)
from peckorder.results.chances import drawn_of
from peckorder.text import did_you_mean, listed, option, option_name, quoted, rows
from peckorder.validate import as_numbers

MODELED = ("davidson", "rao-kupper")  # rules by which ties are an outcome of their own
LABELS = ("context", "group", "season")


@dataclass(frozen=True, eq=False)
class VoteCounts:
    """Checked counts, the dyads as they were counted, and the covariates in their units.

    Covariates are divided by their root mean square, so that priors and limits do not depend on
    the unit of a column.
    """

    counts: WinCounts | DyadCounts
    raw: DyadRecord
    ties: str
    names: tuple[str, ...] = ()
    units: np.ndarray = field(default_factory=lambda: np.ones(0))
    place: np.ndarray | None = None  # of each contest among the counts, if it had to be found
    weight: np.ndarray | None = None  # of each contest

    @property
    def record(self) -> DyadRecord:
        """The dyads of the model, with ties by their rule."""
        return self.by_rule(self.raw)

    def by_rule(self, raw: DyadRecord) -> DyadRecord:
        """Ties as an outcome of their own, or as wins of both sides, each worth a share."""
        if self.ties in MODELED:
            return replace(raw, ordered=self.ties == "rao-kupper")
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
    weights: Any = None,
    equal_pairs: bool = False,
) -> VoteCounts:
    """The checked counts of contests or of a matrix."""
    rule = "half" if ties in MODELED else ties
    large = isinstance(data, Contests) and len(data.individuals) > DENSE
    if large:
        _refuse_covariates(home_advantage, covariates, len(data.individuals))
        counts = dyad_counts(data, ties=rule, cautious=cautious)
    else:
        counts = win_counts(data, ties=rule, cautious=cautious)
    weight = weights_of(data, weights, equal_pairs)
    if not large and home_advantage is None and not len(covariates) and weight is None:
        matrix = matrix_of(data)
        raw = DyadRecord.of_matrix(matrix.wins, matrix.draws)
        return VoteCounts(counts, _without_omitted(raw, ties), ties)
    contests = one_by_one(data, "covariates")
    names, columns = covariates_of(contests, home_advantage, covariates)
    units = np.sqrt((columns**2).mean(axis=0)) if columns is not None else np.ones(0)
    units = np.where(units > 0, units, 1.0)
    raw, place = entries_of(contests, None if columns is None else columns / units, weight)
    raw = _without_omitted(raw, ties)
    return VoteCounts(counts, raw, ties, tuple(names), units, place, weight)


def weights_of(data: Any, weights: Any, equal_pairs: bool = False) -> np.ndarray | None:
    """The weight of each contest from a column or an array; None if all count alike.

    With `equal_pairs`, all pairs that met have the same total weight, and the mean weight is 1.
    """
    if weights is None and not equal_pairs:
        return None
    contests = one_by_one(data, "weights" if weights is not None else "equal_pairs")
    out = np.ones(len(contests))
    if weights is not None:
        out = contests.numbers(weights) if isinstance(weights, str) else as_numbers(weights)
        if out is None or out.shape != (len(contests),):
            raise ArgumentError(
                f"{option_name('weights')}: give the name of a column, or one number for each of "
                f"the {len(contests):,} contests."
            )
        bad = np.flatnonzero(~np.isfinite(out) | (out < 0))
        if bad.size:
            where = rows(contests.report.row_word, contests.row_of(bad))
            raise DataError(
                f"{where}: the weight is {out[bad[0]]:g}. Weights are finite numbers of at least "
                f"0: correct them, or use 0 for contests that do not count."
            )
        if not out.any():
            raise DataError("All weights are 0, so no contest counts. Use another column.")
    if equal_pairs:
        low = np.minimum(contests.winner, contests.loser).astype(np.int64)
        pair = low * len(contests.individuals) + np.maximum(contests.winner, contests.loser)
        code = np.unique(pair, return_inverse=True)[1]
        total = np.bincount(code, out)[code]
        out = np.divide(out, total, out=np.zeros(len(out)), where=total > 0)
        out *= len(out) / out.sum()
    return out


def one_by_one(data: Any, what: str) -> Contests:
    """The contests themselves, which a matrix does not contain."""
    if isinstance(data, Contests):
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
    data: Contests, columns: np.ndarray | None = None, weight: np.ndarray | None = None
) -> tuple[DyadRecord, np.ndarray]:
    """Dyads and values of covariates with their outcomes, and the place of each contest.

    Places count through the wins of all entries, then the losses, then the ties. `columns` are seen
    from the winner, entries from the individual with the lower code.
    """
    size, winner, loser = len(data.individuals), data.winner, data.loser
    drawn = drawn_of(data)
    low, high = np.minimum(winner, loser).astype(np.int64), np.maximum(winner, loser)
    dyad, seen = low * size + high, None
    if columns is not None:
        seen = np.where((winner == low)[:, None], columns, -columns) + 0.0  # −0 becomes 0
    if seen is not None and any(len(np.unique(column)) == len(dyad) for column in seen.T):
        entry = np.empty(len(dyad), np.int64)  # no two contests are alike
        small = dyad.astype(np.min_scalar_type(size * size))  # sorted faster
        entry[np.argsort(small, kind="stable")] = np.arange(len(dyad))
    else:
        entry = np.unique(dyad, return_inverse=True)[1]
        for column in () if seen is None else seen.T:
            values, code = np.unique(column, return_inverse=True)
            entry = np.unique(entry * np.int64(len(values)) + code, return_inverse=True)[1]
    number = int(entry.max()) + 1
    one_contest = np.empty(number, np.int64)
    one_contest[entry] = np.arange(len(entry))
    known = None if seen is None else seen[one_contest]
    kind = np.where(drawn, 2, np.where(winner == low, 0, 1))
    place = kind * number + entry
    counts = np.bincount(place, weight, minlength=3 * number).astype(float)
    won, lost, level = counts.reshape(3, number)
    sides = low[one_contest], high[one_contest].astype(np.int64)
    return DyadRecord(size, *sides, won, lost, level, known=known), place


@dataclass(frozen=True, eq=False)
class Clusters:
    """Sets of contests that may depend on each other, such as those of one voter."""

    column: str
    code: np.ndarray  # of each contest
    size: np.ndarray  # contests (or their weights) of each

    @classmethod
    def of(
        cls, data: Any, column: str, weight: np.ndarray | None, name: str = "cluster"
    ) -> Clusters:
        """The clusters in a column, given as the argument `name`."""
        code, number = clusters_of(one_by_one(data, name), column, name)
        return cls(column, code, np.bincount(code, weight, minlength=number))

    @property
    def effective(self) -> float:
        """As many clusters of equal size say as much: (Σn)²/Σn²."""
        return float(self.size.sum() ** 2 / (self.size.astype(float) ** 2).sum())


def places_of(data: Any, votes: VoteCounts) -> np.ndarray:
    """The place of each contest among the counts."""
    return votes.place if votes.place is not None else entries_of(one_by_one(data, "cluster"))[1]


def clusters_of(contests: Contests, column: str, name: str = "cluster") -> tuple[np.ndarray, int]:
    """The cluster of each contest, such as the voter, and the number of clusters."""
    if column in LABELS and getattr(contests, column) is not None:
        codes = getattr(contests, column).codes
    else:
        known = [] if contests.extra is None else contests.extra.columns
        if contests.extra is None or column not in known:
            raise ArgumentError(
                f'{option_name(name)}: there is no unused column "{column}".'
                f"{did_you_mean([column], known)} Unused columns: {quoted(known) or 'none'}."
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
        raise DataError(f'Column "{column}" has a single value: {option_name(name)} needs several.')
    return cluster, len(distinct)


SINGULAR = 1e-8


@dataclass(frozen=True, eq=False)
class PairedFit:
    """Estimates, and the sets of individuals within which they are identified.

    `components` are strongly connected, highest first; `sets` are those fitted together: the
    components or, with a prior, all individuals at once. `inside` has the dyads within sets.
    """

    x: np.ndarray
    components: list[np.ndarray]
    sets: list[np.ndarray]
    inside: DyadRecord
    prior_sd: float  # infinite without a prior
    log_likelihood: float
    meat: Any = None  # covariance of the gradients of single contests or clusters (sparse)

    @property
    def abilities(self) -> np.ndarray:
        """One per individual, with mean 0 in each set."""
        return self.x[: self.inside.size]

    @property
    def label(self) -> np.ndarray:
        """The number of the set of each individual."""
        return label_of(self.sets, self.inside.size)

    @property
    def nu(self) -> float | None:
        """ν of ties (Davidson's, or θ − 1 of Rao & Kupper); None if they are not modeled."""
        return float(np.exp(self.x[self.inside.size])) if self.inside.ties else None


def fitted(votes: VoteCounts, penalized: bool, prior_sd: float | None) -> PairedFit:
    """Estimates by maximum likelihood, or with a normal prior, whose spread may be estimated."""
    record, names = votes.record, votes.counts.individuals
    if prior_sd is None:
        prior_sd = spread_of(record) if penalized and record.size <= DENSE else PRIOR_SD
    arcs = record.arcs()
    parts = linked(arcs)
    if len(parts) > 1 and not penalized:
        idle = [names[own[0]] for own in parts if len(own) == 1]
        if len(idle) == len(parts) - 1:
            raise DataError(
                f"No contest of {quoted(idle)} counts: without a prior there is no ability. Leave "
                f"out who has no contest (data.filter(individuals=[…])), or use "
                f"{option('penalized', 'True')}."
            )
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, names)}. Abilities of different sets cannot be compared. Fit each "
            f"set separately, or use {option('penalized', 'True')}."
        )
    components, together = strong(arcs), np.zeros(record.size, np.int64)
    anchored = np.zeros(record.parameters)
    if penalized or len(components) > 1:
        anchored = maximum(record, together, prior_sd)
        components = strong(arcs, anchored[: record.size])
    if penalized:
        likelihood = log_likelihood(record, anchored)
        everybody = [np.arange(record.size)]
        centered = _centered(anchored, everybody)
        return PairedFit(centered, components, everybody, record, prior_sd, likelihood)
    inside, x = _by_component(record, components, votes)
    return PairedFit(x, components, components, inside, np.inf, log_likelihood(inside, x))


def _by_component(
    record: DyadRecord, components: list[np.ndarray], votes: VoteCounts
) -> tuple[DyadRecord, np.ndarray]:
    """The dyads within components; abilities with mean 0 in each, log ν and coefficients.

    There are no ties between components, and their wins say nothing about differences within.
    """
    label = label_of(components, record.size)
    record = record.within(label)
    if record.ties and ties_unbounded(record):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in ability. Use "
            f"{option('ties', 'half')} or {option('penalized', 'True')}."
        )
    _refuse_confounded(record, label, votes.names)
    x, found = climbed(record, label)
    if votes.names and not found:
        far = np.argmax(np.abs(record.coefficients(x)))
        raise DataError(
            f'The coefficient of "{votes.names[far]}" has no finite estimate: the covariates '
            f"predict these outcomes without exception. Use {option('penalized', 'True')}, or "
            f"leave the covariate out."
        )
    return record, _centered(x, components)


def _refuse_confounded(record: DyadRecord, label: np.ndarray, names: tuple[str, ...]) -> None:
    """An error if a covariate is a sum of differences between individuals, or of other covariates.

    Then part of its variance that abilities and the other covariates leave is 0.
    """
    if record.known is None:
        return
    curvature = derivatives(record, np.zeros(record.parameters))[1]
    whole, first = curvature.grounded(label), record.size + record.ties
    held = list(range(first))
    confounded = []
    for place, name in enumerate(names, start=first):
        total = whole[place, place]
        rest = solved(whole[np.ix_(held, held)], whole[held, place])
        if total - whole[held, place] @ rest > SINGULAR * max(total, 1.0):
            held.append(place)
        else:
            confounded.append(name)
    if confounded:
        raise DataError(
            f"The {'coefficient' if len(confounded) == 1 else 'coefficients'} of "
            f"{listed([quoted([name]) for name in confounded])} cannot be estimated: "
            f"{'it does' if len(confounded) == 1 else 'they do'} not vary between contests of the "
            f"same individuals (or only as another covariate does), so that abilities explain the "
            f"same outcomes. Leave {'it' if len(confounded) == 1 else 'them'} out of "
            f"{option('covariates')}."
        )


def _centered(x: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
    """The same differences, with mean 0 in each set."""
    out = x.copy()
    for own in sets:
        out[own] -= x[own].mean()
    return out


def label_of(sets: list[np.ndarray], size: int) -> np.ndarray:
    """The number of the set of each individual."""
    label = np.empty(size, np.int64)
    for number, own in enumerate(sets):
        label[own] = number
    return label


def ranked(abilities: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
    """Ranks, those of higher sets first; ties receive their mean rank."""
    rank, above = np.empty(len(abilities)), 0
    for own in sets:
        rank[own] = above + average_ranks(np.round(abilities[own], 9))
        above += len(own)
    return rank


def with_sandwich(
    fit: PairedFit, votes: VoteCounts, place: np.ndarray | None, clusters: Clusters | None
) -> PairedFit:
    """The fit with errors that hold if contests are weighted, dependent or not as in the model.

    Sums over contests (or clusters) of g g′, g the gradients; H⁻¹(Σ g g′)H⁻¹ c/(c − 1).
    """
    from scipy.sparse import coo_array, diags_array

    gradients = gradients_of(fit, votes)
    filled = np.concatenate([getattr(votes.raw, name) for name in OUTCOMES])
    if clusters is not None and place is not None:
        weight = np.ones(len(place)) if votes.weight is None else votes.weight
        weight = np.where(filled[place] > 0, weight, 0.0)  # ties may be omitted
        shape = len(clusters.size), len(filled)
        sums = coo_array((weight, (clusters.code, place)), shape=shape).tocsr() @ gradients
        number = int((clusters.size > 0).sum())
        meat = sums.T @ sums
    else:
        square = filled
        if votes.weight is not None and place is not None:
            square = np.where(filled > 0, np.bincount(place, votes.weight**2, len(filled)), 0.0)
        number = int(filled.sum()) if votes.weight is None else int((votes.weight > 0).sum())
        meat = gradients.T @ diags_array(square) @ gradients
    return replace(fit, meat=meat * (number / max(number - 1, 1)))


def gradients_of(fit: PairedFit, votes: VoteCounts) -> Any:
    """The gradient of one contest of each place, a sparse matrix (places, parameters)."""
    from scipy.sparse import coo_array

    raw = replace(votes.raw, modeled=fit.inside.ties, ordered=fit.inside.ordered)
    without_ties = raw if fit.inside.ties else replace(raw, drawn=np.zeros(len(raw.drawn)))
    by_difference, by_nu = pulls(without_ties, fit.x)
    if votes.ties not in MODELED:
        by_difference[2] *= 2 * SHARE[votes.ties]
    within = np.tile(fit.label[raw.one] == fit.label[raw.other], len(OUTCOMES))
    pull = by_difference.ravel() * within
    places = np.arange(len(pull))
    values, columns = [pull, -pull], [np.tile(raw.one, 3), np.tile(raw.other, 3)]
    if fit.inside.ties:
        values.append(by_nu.ravel() * within)
        columns.append(np.full(len(pull), raw.size))
    if raw.known is not None:
        for number, known in enumerate(raw.known.T):
            values.append(pull * np.tile(known, 3))
            columns.append(np.full(len(pull), raw.size + fit.inside.ties + number))
    entries = np.concatenate(values), (np.tile(places, len(values)), np.concatenate(columns))
    return coo_array(entries, shape=(len(pull), len(fit.x))).tocsr()


def inverse_of(fit: PairedFit) -> np.ndarray:
    """The inverse of the negative Hessian, in which only contrasts within sets have a meaning."""
    curvature = derivatives(fit.inside, fit.x, fit.prior_sd)[1]
    return solved(curvature.grounded(fit.label), np.eye(len(fit.x)))


def covariance_of(fit: PairedFit) -> np.ndarray:
    """The covariance of the estimates, of which only contrasts within sets have a meaning."""
    inverse = inverse_of(fit)
    return inverse if fit.meat is None else inverse @ (fit.meat @ inverse)


def error_of_contrast(fit: PairedFit, contrast: np.ndarray) -> float:
    """Standard error of one contrast c, the root of c′H⁻¹c, without the inverse of H."""
    curvature = derivatives(fit.inside, fit.x, fit.prior_sd)[1]
    found = curvature.solve(contrast, fit.label)
    variance = contrast @ found if fit.meat is None else found @ (fit.meat @ found)
    return float(np.sqrt(max(variance, 0.0)))


def errors_around(covariance: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Standard errors relative to a weighted mean, which itself is not identifiable."""
    shared = covariance @ weights
    variance = np.diag(covariance) - 2 * shared + weights @ shared
    return np.sqrt(np.maximum(variance, 0.0))
