"""The Bradley–Terry model, with ties (Davidson, Rao & Kupper), covariates and a bootstrap.

i beats j with probability 1/(1 + e^(λ_j − λ_i − z′β)), where z are covariates of the contest; the
likelihood is in `paired_model`. Finite maximum-likelihood abilities exist only if the individuals
are strongly connected by their wins. Otherwise there are several strongly connected components,
and one of any two always beats the other. Abilities are then fitted within components, differences
between components are unbounded, and the likelihood is the limit.

Abilities as a leaderboard: relative to an anchor, on the scale of Elo ratings, with intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.kernels import order_test as kernel
from peckorder.orders.paired_bootstrap import Resamples, Urn, resampled
from peckorder.random_runs import Runs, number_of_threads, p_value
from peckorder.ranks import in_braces
from peckorder.ratings.paired_fit import (
    Clusters,
    PairedFit,
    VoteCounts,
    counted_votes,
    covariance_of,
    error_of_contrast,
    errors_around,
    fitted,
    label_of,
    places_of,
    ranked,
    with_sandwich,
)
from peckorder.ratings.paired_model import DENSE, PRIOR_SD, DyadRecord, climbed
from peckorder.results.board import Board
from peckorder.results.measures import FurtherTable
from peckorder.text import counted, either, given, option, option_name, p_text
from peckorder.validate import (
    is_number,
    known_names,
    one_of,
    positive,
    seed_number,
    several,
    text,
    true_or_false,
    whole_number,
)

ESTIMATED = "estimated"  # setting of the standard deviation of the prior
ELO, ELO_LEVEL = 400.0, 1000.0
TAILS = (0.025, 0.975)
NORMAL = 1.959963984540054  # quantile of the normal distribution
FEW_CLUSTERS = 20
MOST_RANKED = 500  # individuals up to which the table has intervals of ranks
TESTED = ((500, 999), (2_500, 199))  # random records of the test of residuals, by contests
RESIDUAL_SD, SEED = 3.0, 1  # of the test: standard deviation of the prior, random numbers
LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BradleyTerry(Board):
    """Abilities by the Bradley–Terry model.

    For any pair: `probability(a, b)`, `outranks(a, b)`, `outcomes(a, b)`, or without names the
    matrix; `indistinct()`, `rank_intervals()` and `covariance`, all by the uncertainty of the fit.
    """

    log_likelihood: float  # without the prior
    components: list[list[str]]  # sets that are strongly connected by wins, highest first
    penalized: bool
    # exact test of dyadic residuals: small if one rating per individual does not describe all dyads
    residual_p: float | None = None
    prior_sd: float | None = None  # standard deviation of the prior of abilities
    samples: dict[str, np.ndarray] | None = None  # abilities (or ratings) and ranks of resamples
    effective_clusters: float | None = None  # as many of equal size say as much: (Σn)²/Σn²
    fit: PairedFit = field(repr=False)  # estimates behind the table
    votes: VoteCounts = field(repr=False)  # what they were fitted to
    coefficients = FurtherTable("Coefficients of covariates, with intervals and odds ratios.")
    neighbors = FurtherTable("Differences between adjacent ranks, with intervals.")


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
        known_names([anchor], names, "anchor")
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


def limits(samples: np.ndarray, estimate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits of 95% intervals of estimates: 1.96 standard deviations of the resamples (rows).

    With a few hundred resamples they hold the true value more often than quantiles of the
    resamples, whose own error is larger (benchmarks/leaderboard.py).
    """
    width = NORMAL * samples.std(axis=0, ddof=1)
    return estimate - width, estimate + width


@dataclass(frozen=True, eq=False)
class Resampled:
    """Ratings of a fit with their resamples, as tables."""

    fit: PairedFit
    scale: Scale
    names: tuple[str, ...]
    resamples: Resamples

    @property
    def samples(self) -> dict[str, np.ndarray]:
        """Abilities (or ratings) and ranks of the resamples, (runs, individuals)."""
        size, sets = self.fit.inside.size, self.fit.sets
        abilities = self.resamples.x[:, :size]
        return {
            self.scale.column: self.scale.placed(abilities, sets),
            "rank": np.array([ranked(row, sets) for row in abilities]),
        }

    def columns(self, samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Standard errors and intervals, for each individual."""
        name = self.scale.column
        low, high = limits(samples[name], self.scale.placed(self.fit.abilities, self.fit.sets))
        rank_low, rank_high = np.quantile(samples["rank"], TAILS, axis=0, method="inverted_cdf")
        alone = np.zeros(len(low), bool)
        for own in self.fit.sets:
            alone[own] = len(own) == 1
        columns = {
            "se": samples[name].std(axis=0, ddof=1),
            f"{name}_low": low,
            f"{name}_high": high,
            "rank_low": rank_low,
            "rank_high": rank_high,
        }
        return {column: np.where(alone, np.nan, values) for column, values in columns.items()}

    def neighbors(self, samples: dict[str, np.ndarray], order: np.ndarray) -> pl.DataFrame:
        """Differences between adjacent ranks of the same set, with intervals."""
        placed = self.scale.placed(self.fit.abilities, self.fit.sets)
        upper, lower = order[:-1], order[1:]
        same = self.fit.label[upper] == self.fit.label[lower]
        upper, lower = upper[same], lower[same]
        each = samples[self.scale.column]
        each = each[:, upper] - each[:, lower]
        difference = placed[upper] - placed[lower]
        low, high = limits(each, difference)
        return pl.DataFrame(
            {
                "higher": [self.names[i] for i in upper],
                "lower": [self.names[i] for i in lower],
                "difference": difference,
                "low": low,
                "high": high,
                "share_above": (each > 0).mean(axis=0),
            }
        )


def coefficients(
    names: Sequence[str],
    units: np.ndarray,
    fit: PairedFit,
    errors: np.ndarray,
    again: Resamples | None,
    points: float,
) -> pl.DataFrame:
    """Coefficients per unit of their column, with intervals and what they multiply the odds by."""
    value, error = fit.inside.coefficients(fit.x) / units, errors / units
    low, high = value - NORMAL * error, value + NORMAL * error
    if again is not None:
        each = again.x[:, len(fit.x) - len(units) :] / units
        error, (low, high) = each.std(axis=0, ddof=1), limits(each, value)
    return pl.DataFrame(
        {
            "coefficient": list(names),
            "estimate": points * value,
            "se": points * error,
            "low": points * low,
            "high": points * high,
            "odds_ratio": np.exp(value),
            "odds_low": np.exp(low),
            "odds_high": np.exp(high),
        }
    )


def sentence_of_coefficient(row: dict[str, Any], unit: str) -> str:
    """What one coefficient means."""
    name = row["coefficient"]
    ratio, low, high = (f"{row[key]:.3g}" for key in ("odds_ratio", "odds_low", "odds_high"))
    what = "Being at home" if name == "home_advantage" else f'One {unit} more of "{name}"'
    effect = f"{what} multiplies the odds of winning by {ratio} (95% CI {low}–{high})"
    unclear = row["low"] <= 0 <= row["high"]
    return f"{effect}: no evidence of an effect." if unclear else f"{effect}."


def sentences_of_resamples(
    found: Resamples, cluster: str | None, adjacent: pl.DataFrame, prior_sd: float
) -> list[str]:
    """What the intervals are, what they are not, and how many ranks are resolved."""
    runs = len(found.x)
    what = "contests" if cluster is None else f'the {found.clusters:,} values of "{cluster}"'
    out = [f"Intervals: 95%, from {counted(runs, 'bootstrap resample')} of {what}."]
    if adjacent.height:
        resolved = int((adjacent["low"] > 0).sum())
        out.append(
            f"Of the {counted(adjacent.height, 'pair')} of adjacent ranks, {resolved} "
            f"{'is' if resolved == 1 else 'are'} resolved (the 95% interval of the difference "
            f"excludes 0)."
        )
    if found.unbounded:
        out.append(unbounded_sentence(found, prior_sd))
    return out


def sentence_of_clusters(clusters: Clusters) -> str:
    """How many clusters there are, and how many of equal size would say as much."""
    number, effective = len(clusters.size), clusters.effective
    text = f'"{clusters.column}" has {number:,} values with {clusters.size.sum():,.0f} contests'
    if effective > 0.9 * number:
        few = f"; with fewer than {FEW_CLUSTERS}, intervals are too narrow"
        return f"{text}{few if number < FEW_CLUSTERS else ''}."
    text += f", which count as {effective:.1f} of equal size"
    if effective >= FEW_CLUSTERS:
        return f"{text} (effective number (Σn)²/Σn²)."
    largest = clusters.size.max() / clusters.size.sum()
    return (
        f"{text} (effective number (Σn)²/Σn²; the largest has {largest:.0%} of the contests). With "
        f"fewer than {FEW_CLUSTERS}, intervals are too narrow."
    )


def unbounded_sentence(found: Resamples, prior_sd: float) -> str:
    """How resamples without a finite estimate were fitted."""
    return (
        f"{found.unbounded:,} of {counted(len(found.x), 'resample')} had no finite estimate "
        f"(individuals won or lost all of their contests) and were fitted with a normal prior "
        f"(standard deviation {prior_sd:g}). To use the prior throughout, use "
        f"{option('penalized', 'True')}."
    )


def residual_p(raw: DyadRecord) -> float | None:
    """Exact test whether one rating per individual describes all dyads, without ties.

    Under the model, all outcomes of a schedule that give everybody the same number of wins are
    equally likely. Reversing cycles of wins draws such records (Besag & Clifford 1989); as the wins
    are sufficient, one fit has the chances of all of them. None if there is nothing to test.
    """
    counts = np.rint(raw.won + raw.lost).astype(np.int64)
    number = int(counts.sum())
    if raw.known is not None or not 0 < number <= TESTED[-1][0]:
        return None
    runs = next(runs for most, runs in TESTED if number <= most)
    decided = replace(raw, drawn=np.zeros(len(raw.drawn)), modeled=False)
    ability = climbed(decided, np.zeros(raw.size, np.int64), RESIDUAL_SD)[0][: raw.size]
    chance = 1 / (1 + np.exp(ability[raw.other] - ability[raw.one]))
    bounds = np.append(0, np.cumsum(counts))
    schedule = kernel.Schedule(
        first=np.repeat(raw.one, counts).astype(np.int64),
        second=np.repeat(raw.other, counts).astype(np.int64),
        enter=np.zeros(raw.size, np.int64),
        there=np.zeros((0, 0), bool),
        entry=np.zeros(0, bool),
        by_dyad=np.arange(number),
        bounds=bounds,
    )
    place = np.arange(number) - np.repeat(bounds[:-1], counts)
    won = place < np.repeat(np.rint(raw.won), counts)
    draws, null = Runs(runs, SEED), np.empty(runs)
    hub = kernel.hub_of(draws.key(0), kernel.STRENGTHS, schedule, won)
    kernel.null_misfits(draws.key(1), schedule, hub, chance, null)
    found = kernel.misfit(schedule, won, chance)
    if np.ptp(np.append(null, found)) < kernel.AS_LARGE:
        return None  # no cycle of wins can be reversed
    return p_value(null >= found - kernel.AS_LARGE)


TIES = ("davidson", "rao-kupper", "omit", "half", "both")
PAPERS = {"davidson": "davidson1970", "rao-kupper": "rao1967"}
MANY_UNBOUNDED = 0.025  # of resamples


def bradley_terry(
    data: Data,
    *,
    ties: Literal["davidson", "rao-kupper", "omit", "half", "both"] = "davidson",
    penalized: bool = False,
    prior_sd: float | None = None,
    errors: bool | list[str] | None = None,
    home_advantage: Literal["estimate"] | None = None,
    covariates: Sequence[str] = (),
    standardize: bool = False,
    weights: str | Sequence[float] | None = None,
    equal_pairs: bool = False,
    robust: bool | None = None,
    bootstrap: int | None = None,
    cluster: str | None = None,
    seed: Any = None,
    threads: int | None = None,
    anchor: str | Mapping[str, float] | None = None,
    scale: str | float | None = None,
    progress: Callable | None = None,
) -> BradleyTerry:
    """Bradley–Terry abilities by maximum likelihood, with standard errors or bootstrap intervals.

    Parameters
    ----------
    data : Contests or Matrix
    ties : {"davidson", "rao-kupper", "omit", "half", "both"}
        Model ties as an outcome beside a win and a loss (Davidson 1970), or as contests between
        sides too close to call (Rao & Kupper 1967); exclude them, or count them as half a win or
        as a win of both sides.
    penalized : bool
        Use a normal prior on abilities with mean 0 and standard deviation `prior_sd`; also on log ν
        and on coefficients (per root mean square of the column), with standard deviation 2. The
        estimates are finite for any data.
    prior_sd : float, optional
        Standard deviation of the prior of abilities. By default it is estimated by its marginal
        likelihood (Laplace's approximation, with a half-normal prior of standard deviation 2.5);
        of more than 2,000 individuals it is 2. What is predicted before each contest rests on the
        estimate from those before it.
    errors : bool or list of names, optional
        Whose standard errors are computed. Default: everybody's in groups of up to 2,000
        individuals, otherwise nobody's, because each takes as long as the fit.
    home_advantage : "estimate", optional
        Estimate an advantage of the side at home.
    covariates : names of columns, optional
        Numbers added to the log-odds times a coefficient that is estimated: the winner's minus the
        loser's value or, in data with two sides (votes, games), the first side's minus the
        second's. Formulas are written as "(length_a - length_b)/(length_a + length_b)", with
        + - * / `**`, log, sqrt, abs, exp and sign.
    standardize : bool
        Report coefficients per root mean square of their column instead of per unit.
    weights : name of a column, or numbers, optional
        Weight of each contest, at least 0. A contest with weight 2 counts like two contests in the
        estimates; standard errors do not mistake it for two (`robust`).
    equal_pairs : bool
        Divide the weight of each contest by that of all contests of its pair, so that all pairs
        that met count alike however often they were compared.
    robust : bool, optional
        Standard errors by the sandwich estimator, which does not assume that the number of
        contests and their outcomes are as in the model. Default: where there are weights, where
        ties count as half or as both, and with `cluster`.
    bootstrap : int, optional
        Number of resamples for intervals of abilities, ranks and coefficients, such as 200. They
        assume that contests (or clusters) are independent, but not that the model is right.
        Intervals are the estimate ± 1.96 standard deviations of the resamples; those of ranks are
        quantiles.
    cluster : name of a column, optional
        Contests with the same value, such as the votes of a voter, may depend on each other:
        standard errors are those of the sandwich estimator, and a bootstrap resamples its values,
        each with all contests. Without it, intervals are too narrow if the contests of a voter are
        more alike than those of different voters.
    seed : int, SeedSequence or Generator, optional
        Of the resamples.
    threads : int, optional
        The result does not depend on it.
    anchor : name, or {name: value}, optional
        Individual whose ability is fixed, at 0 (1000 with `scale`) or at this value; all intervals
        are then those of differences from it. By default, the mean of each component is fixed.
    scale : "elo" or a number, optional
        Report ratings instead of log-odds: the number of points at which the odds are 10 to 1,
        400 for "elo".
    progress : function called with (done, total), optional

    Returns
    -------
    BradleyTerry
        Table: individual, ability (mean 0 within each component; if penalized, over all
        individuals; `rating` if there is a scale), se, component (1 is the highest), rank, and for
        up to 500 individuals limits of 95% intervals of abilities and ranks, and rank_bound (1 +
        the number of individuals whose interval lies above); with a bootstrap, se is the standard
        deviation of the resamples. Values: `log_likelihood` (without the prior), `components`
        (names, highest first), `penalized`, `prior_sd`, `nu` (None without ties; equals tie with
        probability ν/(2 + ν), and the θ of Rao & Kupper is 1 + ν), `residual_p` (for up to 2,500
        contests, exact test of dyadic residuals, from random records in which everybody has the
        same wins: a small p says that one rating per individual does not describe all dyads).
        Tables: `coefficients` (in log-odds or points per unit of the column, and as odds ratios);
        with a bootstrap `neighbors` (differences between adjacent ranks, with intervals).
        `samples`: `ability` (or `rating`) and `rank` of each resample.

    Raises
    ------
    DataError
        If there are sets of individuals with no contests between them, if the tie parameter or a
        coefficient has no finite estimate (the penalized fit handles these cases), or if a
        coefficient is not identifiable.

    Warns
    -----
    DataWarning
        If there are several components. Components that are not ordered by their contests are
        ordered by the penalized fit.

    References
    ----------
    Bradley & Terry 1952, Biometrika 39:324–345. Davidson 1970, JASA 65:317–328. Rao & Kupper 1967,
    JASA 62:194–204. Davison & Hinkley 1997, Bootstrap Methods and their Application.

    Examples
    --------
    >>> import peckorder as po
    >>> fit = po.bradley_terry(po.datasets.adv(), penalized=True)
    >>> list(fit), len(fit.components)
    (['b', 'c', 'd', 'e', 'f', 'g', 'a'], 3)
    >>> fit = po.bradley_terry(po.datasets.adv(), penalized=True, bootstrap=200, seed=1)
    >>> fit.table.row(0, named=True)["rank_high"]
    3.0
    """
    data = opened(data)
    one_of("ties", ties, TIES)
    true_or_false("penalized", penalized)
    if prior_sd is not None:
        positive("prior_sd", prior_sd)
    if home_advantage is not None:
        one_of("home_advantage", home_advantage, ("estimate",))
    runs = _runs(bootstrap, cluster, seed, threads, progress)
    true_or_false("standardize", standardize)
    true_or_false("equal_pairs", equal_pairs)
    votes = counted_votes(
        data,
        ties,
        cautious=penalized,
        home_advantage=home_advantage,
        covariates=several("covariates", covariates),
        weights=weights,
        equal_pairs=equal_pairs,
    )
    counts, names = votes.counts, votes.counts.individuals
    chosen, units = _chosen(errors, names), Scale.of(scale, anchor, names)
    fit = fitted(votes, penalized, prior_sd)
    estimated = penalized and prior_sd is None and len(names) <= DENSE
    prior_sd = PRIOR_SD if prior_sd is None else prior_sd
    groups = None if cluster is None else Clusters.of(data, cluster, votes.weight)
    if robust is None:
        halved = ties in ("half", "both") and bool(votes.raw.drawn.any())
        robust = halved or votes.weight is not None or groups is not None
    place = None if groups is None and votes.weight is None else places_of(data, votes)
    if true_or_false("robust", robust):
        fit = with_sandwich(fit, votes, place, groups)
    summary = [_summary(fit.components, names, penalized)]
    if len(fit.components) > 1 and not penalized:
        caution(summary[0])
    if penalized:
        how = "estimated from the contests" if estimated else "as given"
        summary.append(f"Standard deviation of the prior of abilities: {fit.prior_sd:.3g} ({how}).")
    if not chosen.all():
        summary.append(
            f"Standard errors were computed for {int(chosen.sum()):,} of {len(names):,} "
            f"individuals; {option('errors')} names others."
        )
    p = None
    if votes.weight is None and not equal_pairs and chosen.all():
        p = residual_p(votes.raw)
    if p is not None and p <= LEVEL:
        summary.append(
            f"One rating per individual does not describe all dyads (exact test of dyadic "
            f"residuals, {p_text(p)}): probabilities of single pairs may be wrong."
        )
    rank = ranked(fit.abilities, fit.sets)
    top_down = np.argsort(rank, kind="stable")
    se, coefficient_se = standard_errors(fit, units, chosen)
    columns, samples, tables = {"se": se}, None, {}
    again = None
    if runs is not None:
        again = _resampled(votes, fit, place, groups, prior_sd, runs)
    if votes.names:
        kept = np.array([standardize and name != "home_advantage" for name in votes.names])
        per = np.where(kept, 1.0, votes.units)
        table = coefficients(votes.names, per, fit, coefficient_se, again, units.points)
        tables["coefficients"] = table
        unit = "standard deviation" if standardize else "unit"
        summary += [sentence_of_coefficient(row, unit) for row in table.to_dicts()]
    spread: Any = np.zeros((0, 0))
    if len(names) <= DENSE:
        size = len(names)
        spread = (
            (lambda: covariance_of(fit)[:size, :size])
            if again is None
            else np.cov(again.x[:, :size].T)
        )
    if again is not None:
        made = Resampled(fit, units, names, again)
        samples = made.samples
        columns = made.columns(samples)
        tables["neighbors"] = made.neighbors(samples, top_down)
        summary += sentences_of_resamples(again, cluster, tables["neighbors"], prior_sd)
    elif fit.meat is not None:
        summary.append("Standard errors are those of the sandwich estimator.")
    if groups is not None:
        summary.append(sentence_of_clusters(groups))
        if groups.effective < min(FEW_CLUSTERS, 0.9 * len(groups.size)):
            caution(summary[-1])
    found = BradleyTerry(
        method="bradley_terry",
        data=counts,
        rank=rank,
        ability=fit.abilities,
        label=fit.label,
        spread=spread,
        log_likelihood=fit.log_likelihood,
        components=[sorted(names[i] for i in own) for own in fit.components],
        penalized=penalized,
        prior_sd=fit.prior_sd if penalized else None,
        nu=fit.nu,
        residual_p=p,
        samples=samples,
        effective_clusters=None if groups is None else groups.effective,
        fit=fit,
        votes=votes,
        frame=_frame(fit, units, names, rank, columns),
        summary=(*summary, *counts.notes),
        settings={
            "ties": ties,
            "penalized": penalized,
            "prior_sd": (ESTIMATED if estimated else prior_sd) if penalized else None,
            "errors": errors,
            "home_advantage": home_advantage,
            "covariates": [name for name in votes.names if name != "home_advantage"] or None,
            "standardize": standardize,
            "weights": weights if weights is None or isinstance(weights, str) else "(numbers)",
            "equal_pairs": equal_pairs,
            "robust": robust,
            "bootstrap": None if runs is None else runs.number,
            "cluster": cluster,
            "anchor": None if units.anchor is None else f"{names[units.anchor]} = {units.level:g}",
            "scale": scale,
        },
        citations=(
            "bradley1952",
            *((PAPERS[ties],) if fit.nu is not None else ()),
            *(("davison1997",) if runs is not None else ()),
            *(("besag1989",) if p is not None else ()),
        ),
        tables=tables,
        seed=None if runs is None else runs.seed,
    )
    if again is not None or not chosen.all() or len(names) > min(MOST_RANKED, DENSE):
        return found
    columns = {"se": se} | found.interval_columns(units.placed(fit.abilities, fit.sets), se)
    columns = {name.replace("ability", units.column): own for name, own in columns.items()}
    return replace(found, frame=_frame(fit, units, names, rank, columns))


def _frame(
    fit: PairedFit,
    units: Scale,
    names: tuple[str, ...],
    rank: np.ndarray,
    columns: dict[str, np.ndarray],
) -> pl.DataFrame:
    """The table of individuals, in rank order: estimates, intervals if there are any, and ranks."""
    order = np.argsort(rank, kind="stable")
    own = {name: pl.Series(values[order]).fill_nan(None) for name, values in columns.items()}
    if "rank_bound" in own:
        own["rank_bound"] = own["rank_bound"].cast(pl.Int64)
    ranks = {name: own.pop(name) for name in list(own) if name.startswith("rank")}
    return pl.DataFrame(
        {
            "individual": [names[i] for i in order],
            units.column: units.placed(fit.abilities, fit.sets)[order],
            **own,
            "component": label_of(fit.components, len(names))[order] + 1,
            "rank": rank[order],
            **ranks,
        }
    )


def _runs(
    bootstrap: Any, cluster: Any, seed: Any, threads: Any, progress: Callable | None
) -> Runs | None:
    """The resamples requested; None without a bootstrap."""
    if cluster is not None:
        text("cluster", cluster)
    if bootstrap is None:
        return None
    number = whole_number("bootstrap", bootstrap, 20)
    return Runs(number, seed_number(seed), number_of_threads(threads), progress)


def _resampled(
    votes: VoteCounts,
    fit: PairedFit,
    place: np.ndarray | None,
    clusters: Clusters | None,
    prior_sd: float,
    runs: Runs,
) -> Resamples:
    """The estimates of resamples; a warning if many had no finite one."""
    if len(votes.counts.individuals) > DENSE:
        raise DataError(
            f"{option('bootstrap')} is available for up to {DENSE:,} individuals; there are "
            f"{len(votes.counts.individuals):,}."
        )
    code = None if clusters is None else clusters.code
    urn = Urn.of(votes.raw, place, code, votes.weight)
    found = resampled(votes, urn, fit, float(prior_sd), runs)
    if found.unbounded > MANY_UNBOUNDED * runs.number:
        caution(unbounded_sentence(found, prior_sd))
    return found


def _chosen(errors: bool | list[str] | None, names: tuple[str, ...]) -> np.ndarray:
    """Whether the standard error of each individual is computed."""
    if errors is None:
        errors = len(names) <= DENSE
    if isinstance(errors, bool | np.bool_):
        return np.full(len(names), bool(errors))
    wanted = [str(name) for name in several("errors", errors)]
    known_names(wanted, set(names), "errors")
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
        "Differences in ability between components are unbounded; abilities and intervals are "
        f"within each. For finite differences, use {option('penalized', 'True')}."
    )
