"""Elo ratings when the order of contests is unknown or does not matter (Sánchez-Tójar et al. 2018).

The contests are rated in many random orders. The variation of ratings and ranks among these orders
measures their uncertainty. Two further measures are repeatability, the proportion of variance
among individuals, and splitting, the correlation of ratings from two random halves of the contests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.curves import Curve
from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.errors import ArgumentError
from peckorder.estimate import limits
from peckorder.kernels.elo import ContestArrays
from peckorder.kernels.random import rate_shuffled
from peckorder.random_runs import Progress, Runs
from peckorder.ranks import average_ranks, spearman
from peckorder.ratings import elo_arrays
from peckorder.ratings.arguments import ELO
from peckorder.ratings.replay import EloState, advance, win_curve
from peckorder.ratings.settings import resolve
from peckorder.results import Measure, Order
from peckorder.text import option
from peckorder.validate import between_0_and_1

BLOCK_CONTESTS = 200_000
PRESET = "aniDom"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RandomizedElo(Order):
    """Mean Elo ratings and ranks over random orders of the contests."""

    repeatability: float | None
    split: dict[str, float | None]  # correlation of two random halves
    runs: int
    samples: dict[str, np.ndarray]  # ratings (runs, individuals), and correlations of halves


def randomized_elo(
    data: Data,
    *,
    runs: int = 1000,
    seed: Any = None,
    k: Any = None,
    start: Any = None,
    curve: str | Curve | None = None,
    scale: float | None = None,
    delta: float | None = None,
    sd: float | None = None,
    outcome: str | None = None,
    margin: str | None = None,
    k_column: str | None = None,
    preset: Literal["aniDom"] | None = None,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RandomizedElo:
    """Mean Elo ratings and ranks over random orders of the contests.

    Parameters
    ----------
    data : Contests or Matrix
    runs : int
        Number of random orders.
    seed : int, SeedSequence or Generator, optional
        Seed of the random numbers; drawn and reported when omitted.
    k, start, curve, scale, delta, sd, outcome, margin, k_column : as in `elo`
    preset : {"aniDom"}, optional
        Settings of aniDom: exponential curve with δ = 0.01, start 0, k 200.
    level : float
        Share of the random orders in the interval of a rank.
    threads, progress : as in `steepness`

    Returns
    -------
    RandomizedElo
        Table: individual, rating (mean), rating_sd, rank (mean), rank_low, rank_high. Values:
        `repeatability`, `split` {mean, low, high}, `runs`. `.samples["rating"]` holds all
        ratings (runs × individuals, in the order of `individuals`).

    References
    ----------
    Sánchez-Tójar, Schroeder & Farine 2018, Journal of Animal Ecology 87:594–608,
    doi:10.1111/1365-2656.12776.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.randomized_elo(po.datasets.adv(), preset="aniDom", seed=1)
    >>> list(order), round(order.repeatability, 2)
    (['b', 'c', 'd', 'e', 'f', 'g', 'a'], 0.85)
    """
    data = opened(data)
    given = {
        "k": k,
        "start": start,
        "curve": curve,
        "scale": scale,
        "delta": delta,
        "sd": sd,
        "outcome": outcome,
        "margin": margin,
        "k_column": k_column,
        "preset": preset,
    }
    contests = _Shuffled(data, given, Runs.of(runs, seed, threads, progress))
    rating, halves = contests.whole(), contests.halves()
    rank = np.array([average_ranks(row) for row in rating])
    mean_rank = rank.mean(axis=0)
    top_down = np.argsort(mean_rank, kind="stable")
    low, high = np.quantile(rank, list(limits(between_0_and_1("level", level)).values()), axis=0)
    share = _variance_share(rating)
    split = _spread(halves)
    return RandomizedElo(
        method="randomized_elo",
        data=contests.counts,
        rank=mean_rank,
        repeatability=share,
        split=split,
        runs=contests.runs.number,
        samples={"rating": rating, "split": halves},
        frame=pl.DataFrame(
            {
                "individual": [contests.counts.individuals[i] for i in top_down],
                "rating": rating.mean(axis=0)[top_down],
                "rating_sd": rating.std(axis=0, ddof=1)[top_down] if len(rating) > 1 else None,
                "rank": mean_rank[top_down],
                "rank_low": low[top_down],
                "rank_high": high[top_down],
            }
        ),
        summary=(_repeatability_summary(share), _splitting_summary(split, halves)),
        settings={**contests.described, "level": level},
        citations=("sanchez2018", "albers2001"),
        seed=contests.runs.seed,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Repeatability(Measure):
    """Proportion of the variance of ratings that is among individuals."""

    value: float | None
    runs: int
    samples: np.ndarray  # ratings (runs, individuals)


def repeatability(
    data: Data,
    *,
    runs: int = 1000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Repeatability:
    """Proportion of the variance of Elo ratings over random orders that is among individuals.

    `settings` are those of `randomized_elo`. With mean squares among (MSa) and within (MSw)
    individuals and s² = (MSa − MSw)/runs, the value is s²/(s² + MSw). At least 2 runs are needed.

    Examples
    --------
    >>> import peckorder as po
    >>> round(repeatability(po.datasets.adv(), seed=1).value, 2)
    0.97
    """
    data = opened(data)
    contests = _Shuffled(data, settings, Runs.of(runs, seed, threads, progress, least=2))
    rating = contests.whole()
    value = _variance_share(rating)
    return Repeatability(
        method="repeatability",
        data=contests.counts,
        value=value,
        runs=contests.runs.number,
        samples=rating,
        summary=(_repeatability_summary(value),),
        settings=contests.described,
        citations=("sanchez2018",),
        seed=contests.runs.seed,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Splitting(Measure):
    """Correlation of ratings from two random halves of the contests."""

    value: float | None  # mean over random splits
    low: float | None
    high: float | None
    in_order: float | None  # of the first and the second half; None without an order
    runs: int
    samples: np.ndarray  # correlations


def splitting(
    data: Data,
    *,
    runs: int = 1000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Splitting:
    """Spearman correlation of Elo ratings from two random halves of the contests.

    `settings` are those of `randomized_elo`. `value` is the mean over `runs` random splits, and
    `low` and `high` are their 2.5% and 97.5% quantiles. `in_order` is the correlation between
    the first and the second half of the contests (None if their order is unknown).

    Examples
    --------
    >>> import peckorder as po
    >>> found = splitting(po.datasets.adv(), seed=1)
    >>> round(found.value, 1), round(found.in_order, 2)
    (0.6, 0.29)
    """
    data = opened(data)
    contests = _Shuffled(data, settings, Runs.of(runs, seed, threads, progress))
    halves = contests.halves()
    split = _spread(halves)
    return Splitting(
        method="splitting",
        data=contests.counts,
        value=split["mean"],
        low=split["low"],
        high=split["high"],
        in_order=contests.in_order(),
        runs=contests.runs.number,
        samples=halves,
        summary=(_splitting_summary(split, halves),),
        settings=contests.described,
        citations=("sanchez2018",),
        seed=contests.runs.seed,
    )


class _Shuffled:
    """Contests prepared for rating in random orders."""

    def __init__(self, data: Any, given: dict[str, Any], runs: Runs):
        self.runs = runs
        self.counts: WinCounts = win_counts(data, ties="half")
        self.data: Contests = Contests.from_matrix(data) if isinstance(data, Matrix) else data
        preset = given.get("preset")
        if preset is not None and not (isinstance(preset, str) and preset == PRESET):
            raise ArgumentError(
                f"{option('preset', str(preset))} depends on the order of contests. The only "
                f'preset for random orders is "{PRESET}".'
            )
        ordered = [
            argument.name for argument in ELO if argument.ordered and argument.name != "preset"
        ]
        self.settings = resolve(given, of="randomized_elo", without=ordered)
        if isinstance(self.settings.k, str):
            raise ArgumentError(
                f"{option('k', 'fide')} depends on the order of contests. Give a number."
            )
        self.start = elo_arrays.starts(
            self.settings, self.data.individuals, aliases=self.data.aliases
        )
        self.score = elo_arrays.scores(self.settings, self.data)
        self.k = elo_arrays.k_values(self.settings, self.data)

    @property
    def described(self) -> dict[str, Any]:
        kept = ("k", "k_column", "start", "outcome", "margin", "preset")
        chosen = self.settings.to_dict()
        shape = {name: chosen[name] for name in ("curve", "scale", "delta", "sd") if name in chosen}
        return {name: chosen[name] for name in kept} | shape | {"runs": self.runs.number}

    def whole(self) -> np.ndarray:
        """Ratings after all contests, (runs, individuals)."""
        out = np.empty((self.runs.number, 1, len(self.start)))
        self._rate(0, len(self.data), out)
        return out[:, 0]

    def halves(self) -> np.ndarray:
        """Correlations of the ratings from two random halves of the contests."""
        out = np.empty((self.runs.number, 2, len(self.start)))
        self._rate(1, len(self.data) // 2, out)
        return np.array([spearman(one, two) for one, two in out])

    def _rate(self, purpose: int, cut: int, out: np.ndarray) -> None:
        key = self.runs.key(purpose)

        contests = ContestArrays(self.data.winner, self.data.loser, self.score, self.k, np.zeros(1))
        curve = win_curve(self.settings.curve)

        def work(begin: int, end: int) -> None:
            rate_shuffled(key, begin, contests, curve, self.start, cut, out[begin:end])

        self.runs.do(work, block=max(1, BLOCK_CONTESTS // len(self.data)))

    def in_order(self) -> float | None:
        """Correlation of the ratings from the first and the second half of the contests."""
        if not self.data.ordered:
            return None
        cut, ratings = len(self.data) // 2, []
        for part in (slice(0, cut), slice(cut, None)):
            state = EloState.of(self.start)
            score = self.score[part] if len(self.score) > 1 else self.score
            k = self.k[part] if len(self.k) > 1 else self.k
            advance(
                state,
                self.settings,
                self.data.winner[part],
                self.data.loser[part],
                score,
                k,
                np.zeros(1),
            )
            ratings.append(state.rating)
        correlation = spearman(*ratings)
        return None if np.isnan(correlation) else correlation


def _variance_share(rating: np.ndarray) -> float | None:
    """One-way intraclass correlation; None for a single run, or if no rating changed."""
    runs = len(rating)
    if runs < 2:
        return None
    between = runs * rating.mean(axis=0).var(ddof=1)
    within = rating.var(axis=0, ddof=1).mean()
    share = (between - within) / runs
    return float(share / (share + within)) if share + within > 0 else None


def _spread(values: np.ndarray) -> dict[str, Any]:
    """Mean and 95% range of the defined correlations (undefined if all ratings are equal)."""
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        return dict.fromkeys(("mean", "low", "high"))
    low, high = np.quantile(defined, [0.025, 0.975])
    return {"mean": float(defined.mean()), "low": float(low), "high": float(high)}


def _repeatability_summary(value: float | None) -> str:
    if value is None:
        return "Repeatability cannot be estimated: it needs two or more runs and ratings that vary."
    how = "little" if value > 0.8 else "strongly"
    return (
        f"Repeatability {value:.2f}: ratings depend {how} on the order of contests "
        f"(threshold 0.8; Sánchez-Tójar et al. 2018)."
    )


def _splitting_summary(split: dict[str, Any], halves: np.ndarray) -> str:
    if split["mean"] is None:
        return "Too few contests to compare two random halves of them."
    how = "agree" if split["mean"] > 0.5 else "do not agree"
    undefined = int(np.isnan(halves).sum())
    without = f"; correlation undefined in {undefined:,}" if undefined else ""
    dash = " to " if split["low"] < 0 else "–"
    return (
        f"Two random halves of the contests {how}: mean Spearman correlation {split['mean']:.2f} "
        f"(95% range {split['low']:.2f}{dash}{split['high']:.2f} over {len(halves):,} "
        f"random splits{without}; threshold 0.5)."
    )
