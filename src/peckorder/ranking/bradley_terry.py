"""The Bradley–Terry model, with Davidson's extension for ties.

i beats j with probability 1/(1 + e^(λ_j − λ_i)); the likelihood is in `paired_model`. Finite
maximum-likelihood abilities exist only if the individuals are strongly connected by their wins.
Otherwise there are several strongly connected components, and one of any two always beats the
other. Abilities are then fitted within components, differences between components are unbounded,
and the likelihood is the limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number, one_of, several, true_or_false
from peckorder.components import in_braces, linked, strong
from peckorder.data.dyad_tally import DyadTally, dyad_tally
from peckorder.data.interactions import Interactions
from peckorder.data.tally import TIES as TIES_SHARE
from peckorder.data.tally import Tally, matrix_of, tally
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.ranking.paired_model import (
    DENSE,
    DyadRecord,
    derivatives,
    log_likelihood,
    maximum,
    ties_unbounded,
)
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import did_you_mean, option, option_name, quoted

TIES = ("davidson", "omit", "half", "both")


def bradley_terry(
    data: Any,
    *,
    ties: str = "davidson",
    penalized: bool = False,
    prior_sd: float = 2.0,
    errors: bool | list[str] | None = None,
) -> Order:
    """Bradley–Terry abilities by maximum likelihood, with standard errors.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"davidson", "omit", "half", "both"}
        Model ties (Davidson 1970), exclude them, or count them as half a win or as a win of both
        sides.
    penalized : bool
        Use a normal prior on abilities (and on log ν) with mean 0 and standard deviation
        `prior_sd`. The estimates are finite for any data.
    prior_sd : float
        Standard deviation of the prior.
    errors : bool or list of names, optional
        Whose standard errors are computed. Default: everybody's in groups of up to 2,000
        individuals, otherwise nobody's, because each takes as long as the fit.

    Returns
    -------
    Order
        Table: individual, ability (mean 0 within each component; if penalized, over all
        individuals), se, component (1 is the highest), rank. Values: `log_likelihood` (without the
        prior), `components` (names, highest first), `penalized`, `nu` (None without ties).

    Raises
    ------
    DataError
        If there are sets of individuals with no contests between them, or if the tie parameter has
        no finite estimate. The penalized fit handles both cases.

    Warns
    -----
    DataWarning
        If there are several components. Components that are not ordered by their contests are
        ordered by the penalized fit.

    References
    ----------
    Bradley & Terry 1952, Biometrika 39:324–345. Davidson 1970, JASA 65:317–328.

    Examples
    --------
    >>> import peckorder as po
    >>> fit = po.bradley_terry(po.datasets.adv(), penalized=True)
    >>> list(fit), len(fit.components)
    (['b', 'c', 'd', 'e', 'f', 'g', 'a'], 3)
    """
    one_of("ties", ties, TIES)
    true_or_false("penalized", penalized)
    if not is_number(prior_sd) or prior_sd <= 0:
        raise ArgumentError(f"{option_name('prior_sd')}={prior_sd!r}: give a number above 0.")
    counts, record = _counted(data, ties, penalized)
    names = counts.individuals
    chosen = _chosen(errors, names)
    parts = linked(record.arcs())
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, names)}. Abilities of different sets cannot be compared. Fit each "
            f"set separately, or use {option('penalized', 'True')}."
        )
    sets, together = strong(record.arcs()), np.zeros(record.size, np.int64)
    anchored = None
    if penalized or len(sets) > 1:
        anchored = maximum(record, together, prior_sd)
        sets = strong(record.arcs(), anchored[: record.size])
    summary = [_summary(sets, names, penalized)]
    if penalized and anchored is not None:
        x, label, inside, width = anchored, together, record, prior_sd
        likelihood = log_likelihood(record, x)
        x[: record.size] -= x[: record.size].mean()
        rank = average_ranks(np.round(x[: record.size], 9))
    else:
        if len(sets) > 1:
            caution(summary[0])
        x, label = _by_component(record, sets)
        inside, width = record.within(label), np.inf
        likelihood = log_likelihood(inside, x)
        rank, above = np.empty(record.size), 0
        for own in sets:
            rank[own] = above + average_ranks(np.round(x[own], 9))
            above += len(own)
    ability, component = x[: record.size], _label(sets, record.size) + 1
    se = standard_errors(inside, x, label, width, chosen)
    if not chosen.all():
        summary.append(
            f"Standard errors were computed for {int(chosen.sum()):,} of {len(names):,} "
            f"individuals; {option('errors')} names others."
        )
    top_down = np.argsort(rank, kind="stable")
    return Order(
        method="bradley_terry",
        data=counts,
        rank=rank,
        values={
            "log_likelihood": likelihood,
            "components": [sorted(names[i] for i in own) for own in sets],
            "penalized": penalized,
            "nu": float(np.exp(x[record.size])) if record.ties else None,
        },
        frame=pl.DataFrame(
            {
                "individual": [names[i] for i in top_down],
                "ability": ability[top_down],
                "se": pl.Series(se[top_down]).fill_nan(None),
                "component": component[top_down],
                "rank": rank[top_down],
            }
        ),
        summary=(*summary, *counts.notes),
        settings={
            "ties": ties,
            "penalized": penalized,
            "prior_sd": prior_sd if penalized else None,
            "errors": errors,
        },
        citations=("bradley1952", *(("davidson1970",) if record.ties else ())),
    )


def _counted(data: Any, ties: str, penalized: bool) -> tuple[Tally | DyadTally, DyadRecord]:
    """The checked counts, and the dyads of the model."""
    rule = "half" if ties == "davidson" else ties
    if isinstance(data, Interactions) and len(data.individuals) > DENSE:
        sparse = dyad_tally(data, ties=rule, cautious=penalized)
        record = DyadRecord.of_contests(data.winner, data.loser, sparse.drawn, sparse.size)
        return sparse, record if ties == "davidson" else _shared_out(record, TIES_SHARE[rule])
    counts = tally(data, ties=rule, cautious=penalized)
    drawn = matrix_of(data).draws if ties == "davidson" else np.zeros_like(counts.contests)
    return counts, DyadRecord.of_matrix(counts.score - drawn / 2, drawn)


def _shared_out(record: DyadRecord, share: float) -> DyadRecord:
    """Ties as wins of both sides, each worth a share."""
    own = share * record.drawn
    won, lost = record.won + own, record.lost + own
    met = won + lost > 0
    sides = record.one[met], record.other[met]
    return DyadRecord(record.size, *sides, won[met], lost[met], np.zeros(int(met.sum())))


def _chosen(errors: bool | list[str] | None, names: tuple[str, ...]) -> np.ndarray:
    """Whether the standard error of each individual is computed."""
    if errors is None:
        errors = len(names) <= DENSE
    if isinstance(errors, bool | np.bool_):
        return np.full(len(names), bool(errors))
    wanted = [str(name) for name in several("errors", errors)]
    unknown = [name for name in wanted if name not in set(names)]
    if unknown:
        raise ArgumentError(
            f"{option_name('errors')}: {quoted(unknown)} took part in no contest."
            f"{did_you_mean(unknown, names)}"
        )
    return np.isin(np.array(names), wanted)


def _summary(sets: list[np.ndarray], names: tuple[str, ...], penalized: bool) -> str:
    if len(sets) == 1:
        return "All individuals are strongly connected, so all differences in ability are finite."
    components = (
        f"The individuals form {len(sets):,} components, and no individual has a win against a "
        f"higher component: {in_braces(sets, names, ' > ')}. "
    )
    if penalized:
        return components + "Differences between components depend strongly on the prior."
    return components + (
        "Differences in ability between components are unbounded; abilities are fitted within "
        f"each. For finite differences, use {option('penalized', 'True')}."
    )


def _label(sets: list[np.ndarray], size: int) -> np.ndarray:
    """The number of the set of each individual."""
    label = np.empty(size, np.int64)
    for number, own in enumerate(sets):
        label[own] = number
    return label


def _by_component(record: DyadRecord, sets: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Abilities with mean 0 in each component and log ν (one for all), and the labels.

    There are no ties between components, and their wins say nothing about differences within.
    """
    label = _label(sets, record.size)
    record = record.within(label)
    if record.ties and ties_unbounded(record):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in ability. Use "
            f"{option('ties', 'half')} or {option('penalized', 'True')}."
        )
    x = maximum(record, label)
    mean = np.bincount(label, x[: record.size]) / np.bincount(label)
    x[: record.size] -= mean[label]
    return x, label


def standard_errors(
    record: DyadRecord, x: np.ndarray, label: np.ndarray, prior_sd: float, chosen: np.ndarray
) -> np.ndarray:
    """Standard errors of chosen abilities relative to the mean of their set; NaN for the others.

    The variance of a contrast c is c′H⁻¹c, where H is the negative Hessian.
    """
    _, curvature = derivatives(record, x, float(prior_sd) ** -2)
    out = np.full(record.size, np.nan)
    if record.size <= DENSE:
        from scipy.linalg import cho_factor, cho_solve

        inverse = cho_solve(cho_factor(curvature.grounded(label)), np.eye(len(x)))
        for own in _members(label, chosen):
            out[own] = errors_around_mean(inverse[np.ix_(own, own)])
        return np.where(chosen, out, np.nan)
    for own in _members(label, chosen):
        for i in own[chosen[own]]:
            contrast = np.zeros(len(x))
            contrast[own] = -1 / len(own)
            contrast[i] += 1
            out[i] = np.sqrt(contrast @ curvature.solve(contrast, label))
    return out


def errors_around_mean(covariance: np.ndarray) -> np.ndarray:
    """Standard errors relative to the mean, which is not identifiable."""
    variance = np.diag(covariance) - 2 * covariance.mean(axis=1) + covariance.mean()
    return np.sqrt(np.maximum(variance, 0.0))


def _members(label: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """Individuals of each set with more than one member, if any of them is chosen."""
    order = np.argsort(label, kind="stable")
    sets = np.split(order, np.cumsum(np.bincount(label))[:-1])
    return [own for own in sets if len(own) > 1 and chosen[own].any()]
