"""Abilities as a leaderboard: relative to an anchor, on the scale of Elo ratings, with intervals.

Only differences in ability are identified. A leaderboard therefore needs a reference, the mean or
an anchor, and an interval is that of the difference from this reference. Whether two candidates
differ is a question of the interval of their own difference: intervals of two ratings may overlap
although the difference is certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number
from peckorder.errors import ArgumentError
from peckorder.ranking.paired_fit import (
    PairedFit,
    covariance_of,
    error_of_contrast,
    errors_around,
    ranked,
)
from peckorder.ranking.paired_model import DENSE
from peckorder.ranking.resampling import Resamples
from peckorder.ranking.vote_counts import VoteCounts
from peckorder.wording import counted, did_you_mean, either, given, option, option_name

ELO, ELO_LEVEL = 400.0, 1000.0
TAILS = (0.025, 0.975)
NORMAL = 1.959963984540054  # quantile of the normal distribution
FEW_CLUSTERS = 20


@dataclass(frozen=True)
class Scale:
    """Points per unit of log-odds, the value of the reference, and the anchor if there is one."""

    points: float
    level: float
    anchor: int | None
    column: str

    @classmethod
    def of(cls, scale: Any, anchor: Any, names: tuple[str, ...]) -> Scale:
        """The checked scale: log-odds by default, or Elo's."""
        points, level, column = 1.0, 0.0, "ability"
        if scale is not None:
            base = ELO if scale == "elo" else scale
            if not is_number(base) or base <= 0:
                raise ArgumentError(
                    f"{given('scale', scale)}: give elo, or the number of points at which the "
                    f"odds are 10 to 1, such as 400."
                )
            points, level, column = float(base) / np.log(10.0), ELO_LEVEL, "rating"
        if isinstance(anchor, Mapping):
            if len(anchor) != 1 or not is_number(next(iter(anchor.values()))):
                one = either('anchor={"Abe": 1000}', "--anchor Abe=1000")
                raise ArgumentError(
                    f"{option_name('anchor')}: give one individual and its rating, such as {one}. "
                    f"Only differences are identified, so a second rating cannot be chosen."
                )
            ((anchor, level),) = anchor.items()
        if anchor is None:
            return cls(points, float(level), None, column)
        if str(anchor) not in names:
            raise ArgumentError(
                f'{option_name("anchor")}: "{anchor}" took part in no contest.'
                f"{did_you_mean([anchor], names)}"
            )
        return cls(points, float(level), names.index(str(anchor)), column)

    def weights(self, own: np.ndarray) -> np.ndarray:
        """What the reference of a set of individuals consists of: its mean, or the anchor."""
        if self.anchor is not None and self.anchor in own:
            return (own == self.anchor).astype(float)
        return np.full(len(own), 1 / len(own))

    def placed(self, abilities: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
        """Abilities (…, individuals) relative to the reference of each set, in points."""
        out = np.empty_like(abilities)
        for own in sets:
            part = abilities[..., own]
            out[..., own] = part - (part @ self.weights(own))[..., None]
        return self.level + self.points * out


def standard_errors(
    fit: PairedFit, scale: Scale, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors of chosen individuals relative to the reference (in points; NaN for others).

    Also those of the coefficients, in units of their columns.
    """
    size = fit.inside.size
    out = np.full(size, np.nan)
    some = [own for own in fit.sets if len(own) > 1 and chosen[own].any()]
    if size > DENSE:
        for own in some:
            for i in own[chosen[own]]:
                contrast = np.zeros(len(fit.x))
                contrast[own] = -scale.weights(own)
                contrast[i] += 1
                out[i] = error_of_contrast(fit, contrast)
        return scale.points * out, np.zeros(0)
    inverse = covariance_of(fit)
    for own in some:
        out[own] = errors_around(inverse[np.ix_(own, own)], scale.weights(own))
    errors = np.sqrt(np.diag(inverse)[size + fit.inside.ties :])
    return scale.points * np.where(chosen, out, np.nan), errors


def limits(draws: np.ndarray, estimate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits of 95% intervals of estimates: 1.96 standard deviations of the resamples (rows).

    With a few hundred resamples they hold the true value more often than quantiles of the
    resamples, whose own error is larger (benchmarks/leaderboard.py).
    """
    width = NORMAL * draws.std(axis=0, ddof=1)
    return estimate - width, estimate + width


@dataclass(frozen=True, eq=False)
class Board:
    """Ratings of a fit with their resamples, as tables."""

    fit: PairedFit
    scale: Scale
    names: tuple[str, ...]
    resamples: Resamples

    @property
    def draws(self) -> dict[str, np.ndarray]:
        """Abilities (or ratings) and ranks of the resamples, (runs, individuals)."""
        size, sets = self.fit.inside.size, self.fit.sets
        abilities = self.resamples.x[:, :size]
        return {
            self.scale.column: self.scale.placed(abilities, sets),
            "rank": np.array([ranked(row, sets) for row in abilities]),
        }

    def columns(self, draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Standard errors and intervals, for each individual."""
        name = self.scale.column
        low, high = limits(draws[name], self.scale.placed(self.fit.abilities, self.fit.sets))
        rank_low, rank_high = np.quantile(draws["rank"], TAILS, axis=0, method="inverted_cdf")
        alone = np.zeros(len(low), bool)
        for own in self.fit.sets:
            alone[own] = len(own) == 1
        se = draws[name].std(axis=0, ddof=1)
        return {
            "se": np.where(alone, np.nan, se),
            f"{name}_low95": np.where(alone, np.nan, low),
            f"{name}_high95": np.where(alone, np.nan, high),
            "rank_low95": rank_low,
            "rank_high95": rank_high,
        }

    def neighbors(self, draws: dict[str, np.ndarray], order: np.ndarray) -> pl.DataFrame:
        """Differences between adjacent ranks of the same set, with intervals."""
        placed = self.scale.placed(self.fit.abilities, self.fit.sets)
        upper, lower = order[:-1], order[1:]
        same = self.fit.label[upper] == self.fit.label[lower]
        upper, lower = upper[same], lower[same]
        each = draws[self.scale.column]
        each = each[:, upper] - each[:, lower]
        difference = placed[upper] - placed[lower]
        low, high = limits(each, difference)
        return pl.DataFrame(
            {
                "higher": [self.names[i] for i in upper],
                "lower": [self.names[i] for i in lower],
                "difference": difference,
                "low95": low,
                "high95": high,
                "share_above": (each > 0).mean(axis=0),
            }
        )


def coefficients(
    votes: VoteCounts, fit: PairedFit, errors: np.ndarray, again: Resamples | None, points: float
) -> pl.DataFrame:
    """Coefficients per unit of their column, with intervals and what they multiply the odds by."""
    value, error = fit.inside.coefficients(fit.x) / votes.units, errors / votes.units
    low, high = value - NORMAL * error, value + NORMAL * error
    if again is not None:
        each = again.x[:, len(fit.x) - len(votes.units) :] / votes.units
        error, (low, high) = each.std(axis=0, ddof=1), limits(each, value)
    return pl.DataFrame(
        {
            "coefficient": list(votes.names),
            "estimate": points * value,
            "se": points * error,
            "low95": points * low,
            "high95": points * high,
            "odds_ratio": np.exp(value),
            "odds_low95": np.exp(low),
            "odds_high95": np.exp(high),
        }
    )


def sentence_of_coefficient(row: dict[str, Any]) -> str:
    """What one coefficient means."""
    name = row["coefficient"]
    ratio, low, high = (f"{row[key]:.3g}" for key in ("odds_ratio", "odds_low95", "odds_high95"))
    what = "Being at home" if name == "home_advantage" else f'One unit more of "{name}"'
    effect = f"{what} multiplies the odds of winning by {ratio} (95% CI {low}–{high})"
    unclear = row["low95"] <= 0 <= row["high95"]
    return f"{effect}: no evidence of an effect." if unclear else f"{effect}."


def sentences_of_resamples(
    found: Resamples, cluster: str | None, adjacent: pl.DataFrame, prior_sd: float
) -> list[str]:
    """What the intervals are, what they are not, and how many ranks are resolved."""
    runs = len(found.x)
    what = "contests" if cluster is None else f'the {found.clusters:,} values of "{cluster}"'
    out = [f"Intervals: 95%, from {counted(runs, 'bootstrap resample')} of {what}."]
    if adjacent.height:
        resolved = int((adjacent["low95"] > 0).sum())
        out.append(
            f"Of the {counted(adjacent.height, 'pair')} of adjacent ranks, {resolved} "
            f"{'is' if resolved == 1 else 'are'} resolved (the 95% interval of the difference "
            f"excludes 0)."
        )
    if found.unbounded:
        out.append(unbounded_sentence(found, prior_sd))
    if found.clusters is not None and found.clusters < FEW_CLUSTERS:
        out.append(
            f'"{cluster}" has {found.clusters} values; with fewer than {FEW_CLUSTERS}, intervals '
            f"are too narrow."
        )
    return out


def unbounded_sentence(found: Resamples, prior_sd: float) -> str:
    """How resamples without a finite estimate were fitted."""
    return (
        f"{found.unbounded:,} of {counted(len(found.x), 'resample')} had no finite estimate "
        f"(individuals won or lost all of their contests) and were fitted with a normal prior "
        f"(standard deviation {prior_sd:g}). To use the prior throughout, use "
        f"{option('penalized', 'True')}."
    )
