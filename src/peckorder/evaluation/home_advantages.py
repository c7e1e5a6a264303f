"""Home advantage, common to all sides and for each side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import Table
from peckorder.data.effects import NOBODY_AT_HOME
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.recalibration import too_bold
from peckorder.evaluation.scoring import (
    confidence_interval,
    rated,
    rater_of,
    score_contests,
    true_scores,
)
from peckorder.results import Measure, Ratings
from peckorder.results.chances import drawn_of, limit_of
from peckorder.text import counted, option_name, p_text
from peckorder.validate import between_0_and_1, true_or_false

STEP = 1e-3  # of numerical derivatives, in natural units (1 unit: probability 0.73)
FARTHEST = 12.0  # natural units: beyond it a home win is certain
MOST_STEPS = 100
SPREADS = np.linspace(0.0, 4.0, 161)  # grid of standard deviations between sides
SIGNIFICANT = 0.05
BIAS_SD = 1.0  # prior standard deviation of the bias of a rating, natural units


def home_advantages(
    ratings: Ratings, *, pooled: bool = True, skip: Any = 0, level: float = 0.95
) -> Measure:
    """Home advantage that best predicts the contests, overall and for each side.

    The ratings before each contest are held fixed; the points added to the home side are estimated
    by minimizing the log loss of foresight. For each side, the bias of its rating (at home and
    away) is estimated jointly, so that a side whose rating lags behind its strength does not
    appear to be strong at home.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    pooled : bool
        Shrink the advantages of individual sides toward the common one (partial pooling): they
        follow a normal distribution whose standard deviation has a half-normal prior with scale
        one natural unit. Without pooling, a side that won or lost all its home contests has no
        finite estimate, and its entry is empty.
    skip : number of contests, or date
        Leave out the first contests.
    level : confidence level of intervals.

    Returns
    -------
    Measure
        `value` (common to all sides), `low`, `high`, `spread` (posterior mean of the standard
        deviation between sides), `p_alike` (p-value of the test that all sides have the same
        advantage); None where all contests have the same score. Table: individual, contests (at
        home), home_advantage, se, low, high.

    Notes
    -----
    To use the estimate: `elo(home_advantage=found.value)`, or for each side
    `elo(home_advantage=dict(zip(found.table["individual"], found.table["home_advantage"])))`.
    If scores are not simple wins (ties or points), standard errors are multiplied by the square
    root of the dispersion.

    Examples
    --------
    >>> import peckorder as po
    >>> games = po.read({"home": ["a", "b", "c", "a", "b"], "away": ["b", "c", "a", "c", "a"],
    ...                  "home_goals": [2, 1, 0, 3, 1], "away_goals": [1, 0, 2, 0, 0]})
    >>> found = po.sport.home_advantages(po.elo(games, k=20))
    >>> round(found.value), found.table["contests"].to_list()
    (246, [2, 2, 1])
    """
    rated(ratings, "sport.home_advantages")
    true_or_false("pooled", pooled)
    between_0_and_1("level", level)
    if isinstance(ratings.curve, Table):
        raise ArgumentError("The printed table has no slope: choose another curve.")
    if ratings.settings.get("home_in_update"):
        raise ArgumentError(
            "These ratings were updated with a home advantage, so the remaining advantage is not "
            f"identifiable. Rate again without {option_name('home_in_update')}."
        )
    from scipy.special import ndtri

    problem = _Problem.of(ratings, skip)
    one_group = np.zeros(len(problem.host), np.int64)
    common, error = (values[0] for values in problem.estimate(one_group, 1))
    if np.isnan(common):
        raise DataError(
            "Every contest went the same way (all home wins or all away wins), so the home "
            "advantage has no finite estimate."
        )
    hosts, of_host = np.unique(problem.host, return_inverse=True)
    spread, p_alike = None, None
    if error > NO_SPREAD:
        at, se = problem.each_side(common, of_host, len(hosts))
        about, about_se = _finite(at, se, common)
        spread, pooled_at, pooled_se = _pooled(about, about_se, common, error)
        p_alike = _heterogeneity(about, about_se, common)
    else:  # all scores are as expected, so that nothing tells how far they vary
        error, common = np.nan, round(float(common), 6) + 0.0
        at, pooled_at = np.full((2, len(hosts)), common)
        se, pooled_se = np.full((2, len(hosts)), np.nan)
    unit = 1.0 / ratings.curve.slope
    reach = float(ndtri(0.5 + level / 2))
    data = ratings.data
    frame = _table(
        [data.individuals[i] for i in hosts],
        np.bincount(of_host),
        (pooled_at if pooled else at) * unit,
        (pooled_se if pooled else se) * unit,
        reach,
    )
    values = {
        "value": float(common * unit),
        "low": None if np.isnan(error) else float((common - reach * error) * unit),
        "high": None if np.isnan(error) else float((common + reach * error) * unit),
        "spread": None if spread is None else spread * unit,
        "p_alike": p_alike,
        "contests": len(problem.host),
    }
    bold = _too_bold(ratings, values["value"], skip, level)
    return Measure(
        method="home_advantages",
        data=data,
        values=values,
        frame=frame,
        summary=_summary(values, len(hosts), level, bold),
        settings={"pooled": pooled, "skip": skip, "level": level, "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )


NO_SPREAD = 1e-4  # standard error in log-odds, which no number of wins makes so small


@dataclass(frozen=True, eq=False)
class _Problem:
    """Contests with a home side, and their log loss given home advantages (natural units)."""

    ratings: Ratings
    own: np.ndarray
    host: np.ndarray
    dispersed: bool

    @classmethod
    def of(cls, ratings: Ratings, skip: Any) -> _Problem:
        data = ratings.data
        first = first_counted(data, skip)
        if data.home is None:
            raise DataError(NOBODY_AT_HOME)
        own = np.flatnonzero((data.home != 0) & (np.arange(len(data)) >= first))
        if own.size == 0:
            raise DataError("None of the remaining contests has a home side.")
        host = np.where(data.home[own] > 0, data.winner[own], data.loser[own])
        plain = ratings.settings.get("outcome") != "points" and not drawn_of(data)[own].any()
        return cls(ratings, own, host, not plain)

    def losses(self, advantage: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
        """Log loss of each contest, given the advantage of its host and the bias of ratings."""
        data = self.ratings.data
        bonus = np.zeros(len(data))
        bonus[self.own] = advantage * np.where(data.winner[self.own] == self.host, 1, -1)
        if bias is not None:
            bonus += bias[data.winner] - bias[data.loser]
        chances = self.ratings.foresight(bonus / self.ratings.curve.slope)
        scores = score_contests(
            data.draw, chances, true_scores(self.ratings), 0.0, limit_of(self.ratings)
        )
        return scores.log_loss[self.own]

    def slopes(
        self, advantage: np.ndarray, bias: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of each loss with respect to the advantage."""
        up, middle, down = (self.losses(advantage + by, bias) for by in (STEP, 0.0, -STEP))
        return (up - down) / (2 * STEP), (up - 2 * middle + down) / STEP**2

    def estimate(self, group: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The best advantage of each group of contests (NaN: unbounded) and its standard error."""
        at = np.zeros(number)
        for _ in range(MOST_STEPS):
            first, second = self._sums(self.slopes(at[group]), group, number)
            step = -first / np.maximum(second, 1e-3)
            at = np.clip(at + np.clip(step, -1.0, 1.0), -FARTHEST, FARTHEST)
            if np.all((np.abs(step) < 1e-8) | (np.abs(at) == FARTHEST)):
                break
        slopes = self.slopes(at[group])
        second = self._sums(slopes, group, number)[1]
        lost = (np.abs(at) > 0.99 * FARTHEST) | (second <= 1e-6)
        se = np.sqrt(self._dispersion(slopes) / np.maximum(second, 1e-12))
        return np.where(lost, np.nan, at), np.where(lost, np.inf, se)

    def each_side(
        self, common: float, group: np.ndarray, number: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The advantage of each host, adjusted for the bias of its rating at home and away."""
        data = self.ratings.data
        size = len(data.individuals)
        guest = np.where(
            self.host == data.winner[self.own], data.loser[self.own], data.winner[self.own]
        )
        at, bias = np.full(number, common), np.zeros(size)
        weight = 1 / BIAS_SD**2
        for _ in range(MOST_STEPS):
            slopes = self.slopes(at[group], bias)
            first, second = self._sums(slopes, group, number)
            at_home = self._sums(slopes, self.host, size)
            away = self._sums(slopes, guest, size)
            own = -(at_home[0] - away[0] + weight * bias) / (at_home[1] + away[1] + weight)
            step = -first / np.maximum(second, 1e-3)
            bias = bias + 0.5 * own
            at = np.clip(at + 0.5 * np.clip(step, -1.0, 1.0), -FARTHEST, FARTHEST)
            if np.abs(own).max() < 1e-5 and np.all(
                (np.abs(step) < 1e-5) | (np.abs(at) == FARTHEST)
            ):
                break
        slopes = self.slopes(at[group], bias)
        second = self._sums(slopes, group, number)[1]
        elsewhere = self._sums(slopes, guest, size)[1] + weight
        hosts = self.host[np.unique(group, return_index=True)[1]]
        lost = (np.abs(at) > 0.99 * FARTHEST) | (second <= 1e-6)
        # The advantage is the difference between home and away results: both are uncertain.
        variance = 1 / np.maximum(second, 1e-12) + 1 / elsewhere[hosts]
        se = np.sqrt(self._dispersion(slopes) * variance)
        return np.where(lost, np.nan, at), np.where(lost, np.inf, se)

    def _sums(
        self, slopes: tuple[np.ndarray, np.ndarray], group: np.ndarray, number: int
    ) -> tuple[np.ndarray, np.ndarray]:
        first, second = (np.bincount(group, weights=part, minlength=number) for part in slopes)
        return first, second

    def _dispersion(self, slopes: tuple[np.ndarray, np.ndarray]) -> float:
        """Variance of the scores relative to that of wins: 1 for wins alone."""
        if not self.dispersed:
            return 1.0
        first, second = slopes
        return float((first**2).sum() / max(second.sum(), 1e-12))


def _finite(at: np.ndarray, se: np.ndarray, common: float) -> tuple[np.ndarray, np.ndarray]:
    """A side that won or lost all home contests gets the common advantage with a large error."""
    lost = np.isnan(at)
    usual = np.median(se[~lost]) if (~lost).any() else 1.0
    return np.where(lost, common, at), np.where(lost, 2 * max(usual, 1.0), se)


def _pooled(
    at: np.ndarray, se: np.ndarray, common: float, error: float
) -> tuple[float, np.ndarray, np.ndarray]:
    """Posterior mean of the spread, and mean and SD of each side averaged over the spread."""
    total = se[:, None] ** 2 + SPREADS**2
    fit = -0.5 * (np.log(total) + (at[:, None] - common) ** 2 / total).sum(axis=0)
    fit -= SPREADS**2 / 2  # a half-normal prior
    weight = np.exp(fit - fit.max())
    weight /= weight.sum()
    share = SPREADS**2 / total
    mean = common + share * (at[:, None] - common)
    variance = share * se[:, None] ** 2 + (1 - share) ** 2 * error**2
    center = mean @ weight
    spread = np.sqrt((variance + (mean - center[:, None]) ** 2) @ weight)
    return float(SPREADS @ weight), center, spread


def _heterogeneity(at: np.ndarray, se: np.ndarray, common: float) -> float | None:
    """p-value of the test that all sides have the same advantage."""
    from scipy.special import chdtrc

    if len(at) < 2:
        return None
    return float(chdtrc(len(at) - 1, (((at - common) / se) ** 2).sum()))


def _too_bold(ratings: Ratings, value: float, skip: Any, level: float) -> bool:
    """Whether the probabilities are too bold even with the estimated home advantage."""
    first = first_counted(ratings.data, skip)
    return too_bold(ratings, ratings.foresight(value), first, level) is not None


def _summary(values: dict, number: int, level: float, bold: bool) -> tuple[str, ...]:
    if values["low"] is None:
        return (
            f"Home advantage {values['value']:.3g} on the rating scale. There is no interval and "
            f"no test of differences between sides: in all "
            f"{counted(values['contests'], 'contest')} the score was the same.",
        )
    interval = confidence_interval(values["low"], values["high"], level, ".3g")
    common = (
        f"Home advantage {values['value']:.3g} on the rating scale ({interval}; "
        f"{counted(values['contests'], 'contest')})."
    )
    p = values["p_alike"]
    if p is None:
        return (common,)
    if p >= SIGNIFICANT:
        return (
            common,
            f"No evidence that the {number:,} sides differ in home advantage ({p_text(p)}).",
        )
    if bold:  # in simulated leagues with bold ratings it rejects up to 18% at 5%
        return (
            common,
            f"Whether the {number:,} sides differ in home advantage is uncertain "
            f"({p_text(p)}): the probabilities of these ratings are too bold, so that this test "
            f"rejects too often. Use a smaller k.",
        )
    return (
        common,
        f"The {number:,} sides differ in home advantage ({p_text(p)}; standard deviation between "
        f"sides about {values['spread']:.3g}).",
    )


def _table(
    names: list[str], number: np.ndarray, at: np.ndarray, se: np.ndarray, reach: float
) -> pl.DataFrame:
    se = np.where(np.isfinite(se), se, np.nan)
    frame = pl.DataFrame(
        {
            "individual": names,
            "contests": number,
            "home_advantage": at,
            "se": se,
            "low": at - reach * se,
            "high": at + reach * se,
        }
    ).fill_nan(None)
    return frame.sort("home_advantage", descending=True, nulls_last=True, maintain_order=True)
