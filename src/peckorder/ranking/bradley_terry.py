"""The Bradley–Terry model, with Davidson's extension for ties, covariates and a bootstrap.

i beats j with probability 1/(1 + e^(λ_j − λ_i − z′β)), where z are covariates of the contest; the
likelihood is in `paired_model`. Finite maximum-likelihood abilities exist only if the individuals
are strongly connected by their wins. Otherwise there are several strongly connected components,
and one of any two always beats the other. Abilities are then fitted within components, differences
between components are unbounded, and the likelihood is the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import (
    is_number,
    one_of,
    seed_number,
    several,
    text,
    true_or_false,
    whole_number,
)
from peckorder.components import in_braces
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.ranking.leaderboard import (
    Board,
    Scale,
    coefficients,
    sentence_of_coefficient,
    sentences_of_resamples,
    standard_errors,
    unbounded_sentence,
)
from peckorder.ranking.paired_fit import PairedFit, fitted, label_of, ranked
from peckorder.ranking.paired_model import DENSE
from peckorder.ranking.resampling import Resamples, Urn, resampled
from peckorder.ranking.vote_counts import VoteCounts, counted_votes, places_and_clusters
from peckorder.results import Order
from peckorder.runs import Runs, number_of_threads
from peckorder.wording import did_you_mean, option, option_name, quoted

TIES = ("davidson", "omit", "half", "both")
MANY_UNBOUNDED = 0.025  # of resamples


def bradley_terry(
    data: Any,
    *,
    ties: str = "davidson",
    penalized: bool = False,
    prior_sd: float = 2.0,
    errors: bool | list[str] | None = None,
    home_advantage: str | None = None,
    covariates: Sequence[str] = (),
    bootstrap: int | None = None,
    cluster: str | None = None,
    seed: Any = None,
    threads: int | None = None,
    anchor: str | Mapping[str, float] | None = None,
    scale: str | float | None = None,
    progress: Callable | None = None,
) -> Order:
    """Bradley–Terry abilities by maximum likelihood, with standard errors or bootstrap intervals.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"davidson", "omit", "half", "both"}
        Model ties (Davidson 1970), exclude them, or count them as half a win or as a win of both
        sides.
    penalized : bool
        Use a normal prior on abilities (and on log ν) with mean 0 and standard deviation
        `prior_sd`; for a coefficient, per root mean square of its column. The estimates are finite
        for any data.
    prior_sd : float
        Standard deviation of the prior.
    errors : bool or list of names, optional
        Whose standard errors are computed. Default: everybody's in groups of up to 2,000
        individuals, otherwise nobody's, because each takes as long as the fit.
    home_advantage : "estimate", optional
        Estimate an advantage of the side at home.
    covariates : names of columns, optional
        Numbers added to the log-odds times a coefficient that is estimated: the winner's minus the
        loser's value or, in data with two sides (votes, games), the first side's minus the
        second's. Two columns may be given as "length_a - length_b".
    bootstrap : int, optional
        Number of resamples for intervals of abilities, ranks and coefficients, such as 200. They
        assume that contests (or clusters) are independent, but not that the model is right.
        Intervals are the estimate ± 1.96 standard deviations of the resamples; those of ranks are
        quantiles.
    cluster : name of a column, optional
        Resample its values, each with all contests, such as voters. Without it, intervals are too
        narrow if the contests of a voter are more alike than those of different voters.
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
    Order
        Table: individual, ability (mean 0 within each component; if penalized, over all
        individuals; `rating` if there is a scale), se, component (1 is the highest), rank; with a
        bootstrap also limits of 95% intervals of abilities and ranks, and se is the standard
        deviation of the resamples. Values: `log_likelihood` (without the prior), `components`
        (names, highest first), `penalized`, `nu` (None without ties). Tables: `coefficients` (in
        log-odds or points per unit of the column, and as odds ratios); with a bootstrap `neighbors`
        (differences between adjacent ranks, with intervals). Draws: `ability` (or `rating`) and
        `rank` of each resample.

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
    Bradley & Terry 1952, Biometrika 39:324–345. Davidson 1970, JASA 65:317–328. Davison & Hinkley
    1997, Bootstrap Methods and their Application.

    Examples
    --------
    >>> import peckorder as po
    >>> fit = po.bradley_terry(po.datasets.adv(), penalized=True)
    >>> list(fit), len(fit.components)
    (['b', 'c', 'd', 'e', 'f', 'g', 'a'], 3)
    >>> fit = po.bradley_terry(po.datasets.adv(), penalized=True, bootstrap=200, seed=1)
    >>> fit.table.row(0, named=True)["rank_high95"]
    3.0
    """
    one_of("ties", ties, TIES)
    true_or_false("penalized", penalized)
    if not is_number(prior_sd) or prior_sd <= 0:
        raise ArgumentError(f"{option_name('prior_sd')}={prior_sd!r}: give a number above 0.")
    if home_advantage is not None:
        one_of("home_advantage", home_advantage, ("estimate",))
    runs = _runs(bootstrap, cluster, seed, threads, progress)
    votes = counted_votes(
        data,
        ties,
        cautious=penalized,
        home_advantage=home_advantage,
        covariates=several("covariates", covariates),
    )
    counts, names = votes.counts, votes.counts.individuals
    chosen, units = _chosen(errors, names), Scale.of(scale, anchor, names)
    fit = fitted(votes, penalized, float(prior_sd))
    summary = [_summary(fit.components, names, penalized)]
    if len(fit.components) > 1 and not penalized:
        caution(summary[0])
    if not chosen.all():
        summary.append(
            f"Standard errors were computed for {int(chosen.sum()):,} of {len(names):,} "
            f"individuals; {option('errors')} names others."
        )
    rank = ranked(fit.abilities, fit.sets)
    top_down = np.argsort(rank, kind="stable")
    se, coefficient_se = standard_errors(fit, units, chosen)
    columns, draws, tables = {"se": se}, {}, {}
    again = None if runs is None else _resampled(data, votes, fit, cluster, prior_sd, runs)
    if votes.names:
        table = coefficients(votes, fit, coefficient_se, again, units.points)
        tables["coefficients"] = table
        summary += [sentence_of_coefficient(row) for row in table.to_dicts()]
    if again is not None:
        made = Board(fit, units, names, again)
        draws = made.draws
        columns = made.columns(draws)
        tables["neighbors"] = made.neighbors(draws, top_down)
        summary += sentences_of_resamples(again, cluster, tables["neighbors"], prior_sd)
    return Order(
        method="bradley_terry",
        data=counts,
        rank=rank,
        values={
            "log_likelihood": fit.log_likelihood,
            "components": [sorted(names[i] for i in own) for own in fit.components],
            "penalized": penalized,
            "nu": fit.nu,
        },
        frame=_frame(fit, units, names, rank, columns),
        summary=(*summary, *counts.notes),
        settings={
            "ties": ties,
            "penalized": penalized,
            "prior_sd": prior_sd if penalized else None,
            "errors": errors,
            "home_advantage": home_advantage,
            "covariates": [name for name in votes.names if name != "home_advantage"] or None,
            "bootstrap": None if runs is None else runs.number,
            "cluster": cluster,
            "anchor": None if units.anchor is None else f"{names[units.anchor]} = {units.level:g}",
            "scale": scale,
        },
        citations=(
            "bradley1952",
            *(("davidson1970",) if fit.nu is not None else ()),
            *(("davison1997",) if runs is not None else ()),
        ),
        draws=draws,
        tables=tables,
        seed=None if runs is None else runs.seed,
    )


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
        if cluster is not None:
            raise ArgumentError(
                f"{option_name('cluster')} says what the bootstrap resamples. Give the number of "
                f"resamples too, such as {option('bootstrap', '200')}."
            )
        return None
    number = whole_number("bootstrap", bootstrap, 20)
    return Runs(number, seed_number(seed), number_of_threads(threads), progress)


def _resampled(
    data: Any, votes: VoteCounts, fit: PairedFit, cluster: str | None, prior_sd: float, runs: Runs
) -> Resamples:
    """The estimates of resamples; a warning if many had no finite one."""
    if len(votes.counts.individuals) > DENSE:
        raise DataError(
            f"{option('bootstrap')} is available for up to {DENSE:,} individuals; there are "
            f"{len(votes.counts.individuals):,}."
        )
    if cluster is None:
        urn = Urn.of_contests(votes.raw)
    else:
        urn = Urn.of_clusters(votes.raw, *places_and_clusters(data, votes, cluster))
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
