"""Whom to watch or ask next, and when to stop.

The next dyad is the one whose contest is expected to reduce the uncertainty of the whole order
most (`kernels.pairings`), given the posterior of ratings. After each choice the posterior is
narrowed by a contest of average information before the next one is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.names import code_of
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.kernels import pairings as kernel
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.dynamic import DynamicRatings
from peckorder.results import Measure
from peckorder.results.board import Board
from peckorder.results.samples import SampledRatings
from peckorder.text import counted, either, given, listed, option, option_name
from peckorder.validate import between_0_and_1, several, whole_number

MOST = 300  # individuals, and contests of a dyad
STOP = 0.05  # expected share of dyads in the wrong order
SHORT = 60  # candidates by information, and half as many by uncertainty
RUNS, FEW_RUNS, LARGE = 2_000, 400, 50  # of contests needed; in groups larger than that
SAMPLES = 400  # for the probability to be in the top
ENOUGH = 8  # contests per individual, before which choosing gains little
QUARTILES = (0.25, 0.5, 0.75)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(8)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs(Measure):
    """Dyads to observe next, and whether to stop."""

    # expected share of dyads in the wrong order, the mean of min(p, 1 − p)
    expected_misordered: float = 0.0
    # with `top`, expected share of the top that does not belong there
    expected_misplaced: float | None = None
    stop: bool = False  # whether this is at most 0.05
    resolved: int = 0  # dyads whose order has a probability of at least `level`
    dyads: int = 0  # number of dyads

    @property
    def order_probabilities(self) -> np.ndarray:
        """Probability that the row outranks the column, highest-ranked first."""
        return self.draws["order"]


@dataclass(frozen=True, eq=False)
class Belief:
    """Normal posterior of ratings in log-odds, highest mean first."""

    names: tuple[str, ...]
    mean: np.ndarray
    covariance: np.ndarray

    @classmethod
    def of(cls, ratings: Any) -> Belief:
        """The posterior that a result implies, of those present."""
        if isinstance(ratings, SampledRatings):
            names, mean, covariance = _of_samples(ratings)
        elif isinstance(ratings, Board):
            _refuse_components(ratings)
            names, mean, covariance = ratings.individuals, ratings.ability, ratings.covariance
        else:
            what = getattr(ratings, "method", type(ratings).__name__)
            one = either("po.questions.next_pairs(po.dynamic(data))", "--method dynamic")
            raise ArgumentTypeError(
                f"next_pairs needs ratings with uncertainty; {what} has none. Use {one}, or "
                f"Bradley–Terry."
            )
        if not 2 <= len(names) <= MOST:
            raise DataError(
                f"There are {counted(len(names), 'individual')}; next dyads are chosen among 2 to "
                f"{MOST}."
            )
        order = np.argsort(-mean, kind="stable")
        return cls(
            tuple(names[i] for i in order), mean[order], covariance[np.ix_(order, order)].copy()
        )

    def variances(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Variance of the difference of each pair."""
        own = np.diag(self.covariance)
        return np.maximum(own[first] + own[second] - 2 * self.covariance[first, second], 1e-12)

    def order(self) -> np.ndarray:
        """Probability that the row outranks the column."""
        out = np.empty_like(self.covariance)
        kernel.order_probabilities(self.mean, self.covariance, out)
        return out

    def after(self, a: int, b: int) -> Belief:
        """The posterior narrowed by a contest of average information."""
        c = self.covariance[:, a] - self.covariance[:, b]
        variance = c[a] - c[b]
        ahead = (self.mean[a] - self.mean[b]) / np.sqrt(1 + variance / kernel.LOGISTIC)
        p = 1 / (1 + np.exp(-ahead))
        weight = p * (1 - p)
        shrunk = self.covariance - np.outer(c, c) * weight / (1 + weight * variance)
        return Belief(self.names, self.mean, shrunk)


def _of_samples(ratings: SampledRatings) -> tuple[list[str], np.ndarray, np.ndarray]:
    present = np.flatnonzero(ratings.present)
    names = [ratings.individuals[i] for i in present]
    if isinstance(ratings, DynamicRatings) and ratings.window is None:
        bank = ratings.bank
        at = present + bank.coefficients
        mean = bank.weights @ bank.means[:, at]
        away = bank.means[:, at] - mean
        spread = bank.covariances[:, at[:, None], at] + away[:, :, None] * away[:, None]
        return names, mean, np.tensordot(bank.weights, spread, 1)
    final = ratings.final[:, present] * ratings.curve.slope
    return names, final.mean(axis=0), np.cov(final.T)


def _refuse_components(board: Board) -> None:
    sets = len(np.unique(board.label))
    if sets > 1:
        raise DataError(
            f"The individuals form {sets:,} components, between which differences are unbounded. "
            f"Use {option('penalized', 'True')}."
        )


def next_pairs(
    ratings: Any,
    *,
    size: int = 10,
    top: int | None = None,
    allowed: Sequence[Any] | None = None,
    level: float = 0.95,
    seed: Any = None,
    progress: Progress | None = None,
) -> NextPairs:
    """Dyads whose next contest teaches most about the order, and whether to stop.

    Parameters
    ----------
    ratings : Ratings with draws (`dynamic`, `adaptive`, `elo_bayes`), or the board of \
`bradley_terry` or `plackett_luce`
        Up to 300 individuals.
    size : int
        Number of contests to choose; a dyad may be chosen again.
    top : int, optional
        Only who is among the highest so many matters.
    allowed : names, or pairs of names, optional
        Who can be observed or asked, or which dyads; all by default.
    level : float
        Probability at which the order of a dyad is called resolved.
    seed : int, SeedSequence or Generator, optional
        Of the number of contests needed.
    progress : callable, optional
        Called with (done, all) after each choice.

    Returns
    -------
    NextPairs
        Values: `expected_misordered`, the expected share of dyads in the wrong order; with `top`
        also `expected_misplaced`, the expected share of the top that does not belong there; `stop`,
        whether this is at most 0.05; `resolved` of `dyads`. Table: step, higher, lower, gain (share
        of the remaining uncertainty that the contest is expected to remove), probability of this
        order, and quartiles of the contests of this dyad needed until it is resolved (none if 300
        are too few). Table `adjacent`: the same for all pairs of adjacent ranks.

    Notes
    -----
    The criterion is the expected sum of p(1 − p) over dyads, p = P(i outranks j); with `top`,
    dyads are weighted by the probability that exactly one of the two is in the top. Steepness and
    linearity of contests that were chosen this way are biased: note which ones were.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.dynamic(po.datasets.adv(), static=True, seed=1)
    >>> found = po.questions.next_pairs(ratings, size=3, seed=1)
    >>> [f"{row['higher']}–{row['lower']}" for row in found.table.iter_rows(named=True)]
    ['b–d', 'e–f', 'e–g']
    >>> round(found.expected_misordered, 2), found.stop
    (0.14, False)
    """
    whole_number("size", size, 1, 10_000)
    between_0_and_1("level", level)
    belief = Belief.of(ratings)
    number = len(belief.names)
    if top is not None and whole_number("top", top, 1) >= number:
        raise ArgumentError(f"{given('top', top)}: there are only {number} individuals.")
    random = Runs.of(RUNS, seed, 1, None)
    first, second = _candidates(allowed, belief.names)
    chance = belief.order()
    weight, misplaced = _weights(belief, top, random)
    rows = []
    for step, (a, b, gain) in enumerate(choose(belief, size, first, second, weight), start=1):
        dyad = _dyad(belief, a, b, chance, level, random)
        rows.append({"step": step, **dyad, "gain": gain})
        if progress is not None:
            progress(step, size)
    upper = np.triu_indices(number, 1)
    wrong = np.minimum(chance, 1 - chance)[upper]
    adjacent = [_dyad(belief, i, i + 1, chance, level, random) for i in range(number - 1)]
    kinds = {"needed_low": pl.Float64, "needed": pl.Float64, "needed_high": pl.Float64}
    frame = pl.DataFrame(rows, schema_overrides=kinds)
    contests = getattr(ratings, "data", None)
    found = NextPairs(
        method="next_pairs",
        data=contests,  # pyright: ignore[reportArgumentType]
        frame=frame.select("step", "higher", "lower", "gain", *frame.columns[3:-1]),
        settings={
            "ratings": ratings.method,
            "size": size,
            "top": top,
            "allowed": None if allowed is None else [str(one) for one in allowed],
            "level": level,
        },
        draws={"order": chance},
        tables={"adjacent": pl.DataFrame(adjacent, schema_overrides=kinds)},
        seed=random.seed,
        expected_misordered=float(wrong.mean()),
        expected_misplaced=misplaced,
        stop=bool((wrong.mean() if misplaced is None else misplaced) <= STOP),
        resolved=int((wrong <= 1 - level).sum()),
        dyads=len(wrong),
    )
    return replace(found, summary=_in_words(found, 0 if contests is None else contests.number))


def _candidates(allowed: Any, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the dyads that may be chosen, the higher-ranked first."""
    codes = {name: code for code, name in enumerate(names)}
    if allowed is None:
        return np.triu_indices(len(names), 1)
    given_ones = several("allowed", allowed)
    if all(isinstance(one, tuple | list) and len(one) == 2 for one in given_ones) and given_ones:
        pairs = {tuple(sorted((code_of(a, codes), code_of(b, codes)))) for a, b in given_ones}
        pairs = {pair for pair in pairs if pair[0] != pair[1]}
    else:
        some = sorted({code_of(one, codes) for one in given_ones})
        pairs = {(a, b) for n, a in enumerate(some) for b in some[n + 1 :]}
    if not pairs:
        raise ArgumentError(
            f"{option_name('allowed')} contains no dyad. Name at least two individuals."
        )
    first, second = np.array(sorted(pairs)).T
    return first, second


def _weights(belief: Belief, top: int | None, random: Runs) -> tuple[np.ndarray, float | None]:
    """How much each dyad matters: 1, or P(exactly one of the two is in the top)."""
    number = len(belief.names)
    if top is None:
        return np.ones((number, number)), None
    root = np.linalg.cholesky(belief.covariance + 1e-9 * np.eye(number))
    normal = np.random.default_rng([random.seed, 1]).normal(size=(SAMPLES, number))
    place = np.argsort(np.argsort(-(belief.mean + normal @ root.T), axis=1), axis=1)
    inside = (place < top).astype(float)
    apart = (inside.T @ (1 - inside) + (1 - inside).T @ inside) / SAMPLES
    return apart, float(1 - inside[:, :top].mean())


def choose(
    belief: Belief, size: int, first: np.ndarray, second: np.ndarray, weight: np.ndarray
) -> Iterator[tuple[int, int, float]]:
    """The dyads to observe, one after the other, with what each is expected to gain."""
    for _ in range(size):
        gains, places = _gains(belief, first, second, weight)
        best = places[int(np.argmax(gains))]
        a, b = int(first[best]), int(second[best])
        yield a, b, float(gains.max())
        belief = belief.after(a, b)


def _gains(
    belief: Belief, first: np.ndarray, second: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Share of the uncertainty that a contest of each of the best candidates removes."""
    difference = belief.mean[first] - belief.mean[second]
    variance = belief.variances(first, second)
    informed = _information(difference, variance) * weight[first, second]
    unsure = np.abs(difference) / np.sqrt(variance)
    places = np.union1d(
        np.argsort(-informed, kind="stable")[:SHORT],
        np.argsort(unsure, kind="stable")[: SHORT // 2],
    )
    left = np.empty(len(places))
    kernel.expected_uncertainty(
        belief.mean, belief.covariance, first[places], second[places], weight, left
    )
    chance = belief.order()
    total = float((weight * chance * (1 - chance))[np.tril_indices(len(weight), -1)].sum())
    return 1 - left / max(total, 1e-12), places


def _information(difference: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Mutual information of an outcome and the difference of a pair."""
    drawn = difference[:, None] + np.sqrt(variance)[:, None] * NODES
    p = np.clip(1 / (1 + np.exp(-drawn)), 1e-9, 1 - 1e-9)

    def entropy(p: np.ndarray) -> np.ndarray:
        return -(p * np.log(p) + (1 - p) * np.log1p(-p))

    return entropy(p @ WEIGHTS) - entropy(p) @ WEIGHTS


def _dyad(
    belief: Belief, a: int, b: int, chance: np.ndarray, level: float, random: Runs
) -> dict[str, Any]:
    """A dyad, the probability of its order, and the contests that it needs."""
    runs = np.empty(RUNS if len(belief.names) <= LARGE else FEW_RUNS)
    variance = float(belief.variances(np.array([a]), np.array([b]))[0])
    ahead = float(belief.mean[a] - belief.mean[b])
    kernel.contests_needed(random.key(2), ahead, variance, level, MOST, runs)
    low, middle, high = np.quantile(runs, QUARTILES, method="higher")
    return {
        "higher": belief.names[a],
        "lower": belief.names[b],
        "probability": float(chance[a, b]),
        "needed_low": None if low >= MOST else float(low),
        "needed": None if middle >= MOST else float(middle),
        "needed_high": None if high >= MOST else float(high),
    }


def _in_words(found: NextPairs, contests: int) -> tuple[str, ...]:
    names = [f"{row['higher']}–{row['lower']}" for row in found.as_polars().iter_rows(named=True)]
    shown = list(dict.fromkeys(names))[:5]
    state = f"Expected share of dyads in the wrong order: {found.expected_misordered:.3f}"
    if found.expected_misplaced is not None:
        state = f"Expected share of the top {found.settings['top']} that does not belong there: "
        state += f"{found.expected_misplaced:.3f}"
    out = [f"Next: {', '.join(shown)}."]
    if found.stop:
        out = [f"{state}, at most {STOP}: you may stop."]
    else:
        out.append(f"{state} (stop at {STOP}).")
    open_ones = [
        row
        for row in found.tables["adjacent"].iter_rows(named=True)
        if row["probability"] < found.settings["level"]
    ]
    if open_ones:
        row = open_ones[0]
        pair = listed([row["higher"], row["lower"]])
        if row["needed"] is None:
            out.append(f"{pair} need more than {MOST} further contests with each other (median).")
        else:
            high = row["needed_high"]
            end = f"more than {MOST}" if high is None else f"{high:.0f}"
            out.append(
                f"{pair} need about {row['needed']:.0f} further contests with each other "
                f"(quartiles {row['needed_low']:.0f}–{end})."
            )
    if contests < ENOUGH * len(found.order_probabilities):
        out.append(
            f"Up to about {ENOUGH} contests per individual, choosing dyads gains hardly anything "
            f"over observing all of them."
        )
    out.append(
        "Contests chosen this way bias steepness and linearity: note which ones were chosen."
    )
    return tuple(out)
