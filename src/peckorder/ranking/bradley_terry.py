"""The Bradley–Terry model, with Davidson's extension for draws.

i beats j with chance 1/(1 + e^(λ_j − λ_i)); with draws, the chances of win, loss and draw are as
e^{λ_i} : e^{λ_j} : ν e^{(λ_i + λ_j)/2}. Finite maximum-likelihood abilities exist only where there
is a chain of wins from everybody to everybody else. Where there is none, the record falls into
components of which one always beats the other: abilities are fitted inside each, differences
between them are unbounded, and the likelihood is the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.components import in_braces, linked, strong
from peckorder.data.tally import matrix_of, tally
from peckorder.errors import DataError, caution
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import option

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
    """Abilities by maximum likelihood, with standard errors.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"davidson", "omit", "half", "both"}
        Model draws (Davidson 1970), leave them out, or count them half a win or one win each.
    penalized : bool
        Fit with a normal prior on abilities, mean 0 and standard deviation `prior_sd` (and the
        same on log ν), which is finite for any data.
    prior_sd : float

    Returns
    -------
    Order
        Table: individual, ability (mean zero within its component; penalized: over all), se,
        component (1 on top), rank. Values: `log_likelihood` (without the prior), `components`
        (names, from the top down), `penalized`, `nu` (of draws, None without).

    Raises
    ------
    DataError
        Where the record falls into sets that never met, or draws are too many to be modelled:
        the penalized fit takes both.

    Warns
    -----
    DataWarning
        When there are several components. Where no contest decides between two of them, they are
        put in the order of the penalized fit.

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
    if not isinstance(prior_sd, int | float) or not 0 < prior_sd < float("inf"):
        raise ValueError(f"prior_sd={prior_sd!r}: give a number above 0.")
    counts = tally(data, ties="half" if ties == "davidson" else ties, cautious=penalized)
    names = counts.individuals
    drawn = matrix_of(data).draws if ties == "davidson" else np.zeros_like(counts.contests)
    wins = counts.score - drawn / 2
    parts = linked(counts.seen)
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals without a contest between them: "
            f"{in_braces(parts, names)}. Abilities cannot be compared across them. Fit each on "
            f"its own (data.filter(individuals=[…])), or pass penalized=True (--penalized)."
        )
    linked_by = (wins > 0) | (drawn > 0)
    sets = strong(linked_by)
    anchored = fit(wins, drawn, prior_sd) if penalized or len(sets) > 1 else None
    if anchored is not None:
        sets = strong(linked_by, anchored.ability)
    words = [_in_words(sets, names, penalized)]
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
            caution(words[0])
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
        summary=(*words, *counts.notes),
        settings={
            "ties": ties,
            "penalized": penalized,
            "prior_sd": prior_sd if penalized else None,
        },
        citations=("bradley1952", *(("davidson1970",) if drawn.any() else ())),
    )


def _in_words(sets: list[np.ndarray], names: tuple[str, ...], penalized: bool) -> str:
    if len(sets) == 1:
        return "Chains of wins link everybody with everybody else: all differences are finite."
    known = (
        f"No chain of wins leads back up between {len(sets):,} components: "
        f"{in_braces(sets, names, ' > ')}. "
    )
    if penalized:
        return known + "How far apart they stand is the prior's word as much as the data's."
    return known + (
        "Abilities differ without bound between them and are fitted inside each; penalized=True "
        "(--penalized) gives finite differences."
    )


def _by_component(wins: np.ndarray, drawn: np.ndarray, sets: list[np.ndarray]):
    """Fit each component; one ν serves all of them, as draws stay inside."""
    ability, se = np.zeros(len(wins)), np.full(len(wins), np.nan)
    inside = np.zeros(wins.shape, bool)
    for own in sets:
        inside[np.ix_(own, own)] = True
    wins, drawn = np.where(inside, wins, 0), np.where(inside, drawn, 0)
    if drawn.any() and draws_unbounded(wins, drawn):
        raise DataError(
            "These draws and wins have no finite maximum likelihood: ever more draws between "
            f"ever more unequal sides fit ever better. Pass {option('ties', 'half')}, or "
            "penalized=True (--penalized)."
        )
    found = fit(wins, drawn)
    for own in sets:
        if len(own) > 1:
            ability[own] = found.ability[own] - found.ability[own].mean()
            se[own] = np.sqrt(np.diag(centered(found.covariance[np.ix_(own, own)])))
    return ability, se, found.log_nu, found.log_likelihood


def draws_unbounded(wins: np.ndarray, drawn: np.ndarray) -> bool:
    """Whether ν may grow for ever together with differences in ability.

    That is so if numbers d exist with d_i ≥ d_j + 2 for each win of i over j and
    |d_i − d_j| ≤ 2 for each draw: a system without a cycle of negative length (Bellman–Ford).
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
    """Newton's method on abilities and log ν, with halved steps where one goes too far."""
    size = len(wins)
    ties = bool(drawn.any())
    precision = prior_sd**-2
    x = np.zeros(size + ties)

    def value(x: np.ndarray) -> float:
        return _log_likelihood(wins, drawn, x[:size], x[size:]) - precision * float(x @ x) / 2

    now = value(x)
    for _ in range(STEPS):
        gradient, hessian = _derivatives(wins, drawn, x[:size], x[size:])
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
    _, hessian = _derivatives(wins, drawn, x[:size], x[size:])
    covariance = np.linalg.pinv(hessian + precision * np.eye(len(x)), hermitian=True)
    return Fit(
        x[:size] - x[:size].mean(),
        centered(covariance[:size, :size]),
        float(x[size]) if ties else -np.inf,
        _log_likelihood(wins, drawn, x[:size], x[size:]),
    )


def centered(covariance: np.ndarray) -> np.ndarray:
    """Covariance of the same numbers less their mean: their common level tells nothing."""
    rows, columns = covariance.mean(axis=1, keepdims=True), covariance.mean(axis=0, keepdims=True)
    return covariance - rows - columns + covariance.mean()


def _chances(ability: np.ndarray, log_nu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances that the row beats the column, and that they draw."""
    half = (ability[:, None] - ability[None, :]) / 2
    tie = np.exp(log_nu[0]) if len(log_nu) else 0.0
    # Divided by the larger of e^half and e^−half, so that nothing overflows.
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


def _derivatives(wins, drawn, ability, log_nu) -> tuple[np.ndarray, np.ndarray]:
    """Gradient, and minus the matrix of second derivatives.

    The model is log-linear: a contest adds the outcome's features (1 to the winner, ½ to each in
    a draw, 1 to log ν in a draw) less their expectation, and their covariance.
    """
    won, level = _chances(ability, log_nu)
    contests = wins + wins.T + drawn
    ahead = won - won.T
    gradient = (wins - wins.T).sum(axis=1) / 2 - (contests * ahead).sum(axis=1) / 2
    # Half the outcome (1, 0, −1) is what an ability multiplies: its variance per contest.
    spread = contests * (won + won.T - ahead**2) / 4
    hessian = np.diag(spread.sum(axis=1)) - spread
    if not len(log_nu):
        return gradient, hessian
    more = drawn.sum() / 2 - (contests * level).sum() / 2
    # Covariance of half the outcome with "a draw": −½ (won − lost) × draw.
    cross = -(contests * ahead * level).sum(axis=1) / 2
    corner = (contests * level * (1 - level)).sum() / 2
    whole = np.block([[hessian, cross[:, None]], [cross[None, :], np.array([[corner]])]])
    return np.append(gradient, more), whole
