"""The Bradley–Terry model, with Davidson's extension for ties.

i beats j with probability 1/(1 + e^(λ_j − λ_i)). With ties, the probabilities of win, loss and tie
are proportional to e^{λ_i}, e^{λ_j} and ν e^{(λ_i + λ_j)/2}. Finite maximum-likelihood abilities
exist only if the individuals are strongly connected by their wins. Otherwise there are several
strongly connected components, and one of any two always beats the other. Abilities are then fitted
within components, differences between components are unbounded, and the likelihood is the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number, one_of, true_or_false
from peckorder.components import in_braces, linked, strong
from peckorder.data.tally import matrix_of, tally
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import option, option_name

TIES = ("davidson", "omit", "half", "both")
STEPS = 200
FLAT = 1e-10


@dataclass(frozen=True)
class Fit:
    """Abilities with mean zero, their covariance, log ν and the log-likelihood."""

    ability: np.ndarray
    covariance: np.ndarray
    log_nu: float
    log_likelihood: float


def bradley_terry(
    data: Any, *, ties: str = "davidson", penalized: bool = False, prior_sd: float = 2.0
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
    counts = tally(data, ties="half" if ties == "davidson" else ties, cautious=penalized)
    names = counts.individuals
    drawn = matrix_of(data).draws if ties == "davidson" else np.zeros_like(counts.contests)
    wins = counts.score - drawn / 2
    parts = linked(counts.seen)
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, names)}. Abilities of different sets cannot be compared. Fit each "
            f"set separately, or use {option('penalized', 'True')}."
        )
    linked_by = (wins > 0) | (drawn > 0)
    sets = strong(linked_by)
    anchored = fit(wins, drawn, prior_sd) if penalized or len(sets) > 1 else None
    if anchored is not None:
        sets = strong(linked_by, anchored.ability)
    summary = [_summary(sets, names, penalized)]
    component = np.empty(len(counts), np.int64)
    for c, own in enumerate(sets, start=1):
        component[own] = c
    if penalized and anchored is not None:
        ability, log_nu = anchored.ability, anchored.log_nu
        se = np.sqrt(np.diag(anchored.covariance))
        likelihood = anchored.log_likelihood
        rank = average_ranks(np.round(ability, 9))
    else:
        if len(sets) > 1:
            caution(summary[0])
        ability, se, log_nu, likelihood = _by_component(wins, drawn, sets)
        rank = np.empty(len(counts))
        above = 0
        for own in sets:
            rank[own] = above + average_ranks(np.round(ability[own], 9))
            above += len(own)
    top_down = np.argsort(rank, kind="stable")
    return Order(
        method="bradley_terry",
        data=counts,
        rank=rank,
        values={
            "log_likelihood": likelihood,
            "components": [sorted(names[i] for i in own) for own in sets],
            "penalized": penalized,
            "nu": float(np.exp(log_nu)) if drawn.any() else None,
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
        },
        citations=("bradley1952", *(("davidson1970",) if drawn.any() else ())),
    )


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


def _by_component(wins: np.ndarray, drawn: np.ndarray, sets: list[np.ndarray]):
    """Fit each component, with one ν for all: there are no ties between components."""
    ability, se = np.zeros(len(wins)), np.full(len(wins), np.nan)
    inside = np.zeros(wins.shape, bool)
    for own in sets:
        inside[np.ix_(own, own)] = True
    wins, drawn = np.where(inside, wins, 0), np.where(inside, drawn, 0)
    if drawn.any() and draws_unbounded(wins, drawn):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in ability. Use "
            f"{option('ties', 'half')} or {option('penalized', 'True')}."
        )
    found = fit(wins, drawn)
    for own in sets:
        if len(own) > 1:
            ability[own] = found.ability[own] - found.ability[own].mean()
            se[own] = np.sqrt(np.diag(centered(found.covariance[np.ix_(own, own)])))
    return ability, se, found.log_nu, found.log_likelihood


def draws_unbounded(wins: np.ndarray, drawn: np.ndarray) -> bool:
    """Whether the likelihood increases without bound in ν and the differences in ability.

    This is the case if numbers d exist with d_i ≥ d_j + 2 for each win of i over j and
    |d_i − d_j| ≤ 2 for each tie, that is, without a cycle of negative length (Bellman–Ford).
    """
    length = np.where(drawn > 0, 2.0, np.inf)
    length = np.minimum(length, np.where(wins > 0, -2.0, np.inf))
    distance = np.zeros(len(wins))
    for _ in range(len(wins) + 1):
        shorter = np.minimum(distance, (distance[:, None] + length).min(axis=0))
        if np.array_equal(shorter, distance):
            return True
        distance = shorter
    return False


def fit(wins: np.ndarray, drawn: np.ndarray, prior_sd: float = np.inf) -> Fit:
    """Newton's method for abilities and log ν, with step halving."""
    size = len(wins)
    ties = bool(drawn.any())
    precision = float(prior_sd) ** -2
    x = np.zeros(size + ties)

    def value(x: np.ndarray) -> float:
        return _log_likelihood(wins, drawn, x[:size], x[size:]) - precision * float(x @ x) / 2

    now = value(x)
    for _ in range(STEPS):
        gradient, hessian = derivatives(wins, drawn, x[:size], x[size:])
        gradient -= precision * x
        hessian += precision * np.eye(len(x))
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
        share = 1.0
        while share > 1e-9 and value(x + share * step) < now:
            share /= 2
        x = x + share * step
        before, now = now, value(x)
        if np.abs(share * step).max() < FLAT or (share <= 1e-9 and now - before <= 0):
            break
    _, hessian = derivatives(wins, drawn, x[:size], x[size:])
    covariance = np.linalg.pinv(hessian + precision * np.eye(len(x)), hermitian=True)
    return Fit(
        x[:size] - x[:size].mean(),
        centered(covariance[:size, :size]),
        float(x[size]) if ties else -np.inf,
        _log_likelihood(wins, drawn, x[:size], x[size:]),
    )


def centered(covariance: np.ndarray) -> np.ndarray:
    """Covariance of the centered parameters, whose mean is not identifiable."""
    rows, columns = covariance.mean(axis=1, keepdims=True), covariance.mean(axis=0, keepdims=True)
    return covariance - rows - columns + covariance.mean()


def _chances(ability: np.ndarray, log_nu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities that the row beats the column, and that they tie."""
    half = (ability[:, None] - ability[None, :]) / 2
    tie = np.exp(log_nu[0]) if len(log_nu) else 0.0
    # Divided by the larger of e^half and e^−half to avoid overflow.
    up, down = np.exp(half - np.abs(half)), np.exp(-half - np.abs(half))
    middle = tie * np.exp(-np.abs(half))
    whole = up + down + middle
    return up / whole, middle / whole


def _log_likelihood(wins, drawn, ability, log_nu) -> float:
    won, level = _chances(ability, log_nu)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.where(wins > 0, wins * np.log(won), 0.0).sum()
        total += np.where(drawn > 0, drawn * np.log(level), 0.0).sum() / 2
    return float(total)


def derivatives(wins, drawn, ability, log_nu) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and negative Hessian.

    The model is log-linear: each contest adds the features of its outcome (1 for the winner, ½ for
    both sides of a tie, 1 for log ν in a tie) minus their expectation to the gradient, and their
    covariance to the negative Hessian.
    """
    won, level = _chances(ability, log_nu)
    contests = wins + wins.T + drawn
    ahead = won - won.T
    gradient = (wins - wins.T).sum(axis=1) / 2 - (contests * ahead).sum(axis=1) / 2
    # Variance of half the outcome (1, 0, −1), the feature multiplied by the ability difference.
    spread = contests * (won + won.T - ahead**2) / 4
    hessian = np.diag(spread.sum(axis=1)) - spread
    if not len(log_nu):
        return gradient, hessian
    more = drawn.sum() / 2 - (contests * level).sum() / 2
    # Covariance of half the outcome with the indicator of a tie: −½ (won − lost) × tie.
    cross = -(contests * ahead * level).sum(axis=1) / 2
    corner = (contests * level * (1 - level)).sum() / 2
    whole = np.block([[hessian, cross[:, None]], [cross[None, :], np.array([[corner]])]])
    return np.append(gradient, more), whole
