"""The same fit with and without some individuals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import reduced
from peckorder.errors import ArgumentError
from peckorder.ranks import average_ranks, spearman
from peckorder.ratings.elo_bayes import elo_bayes
from peckorder.ratings.elo_ml import elo_ml
from peckorder.ratings.likelihood import contests_of
from peckorder.ratings.posterior import Posterior
from peckorder.results.measures import Measure
from peckorder.results.samples import ranks
from peckorder.text import counted, option, quoted
from peckorder.validate import one_of, true_or_false

METHODS = {"bayes": elo_bayes, "ml": elo_ml}


def without(
    data: Data,
    *,
    individuals: Iterable[object] | None = None,
    min_contests: int | None = None,
    one_sided: bool = False,
    method: Literal["bayes", "ml"] = "bayes",
    seed: Any = None,
    progress: Any = None,
    **settings: Any,
) -> Measure:
    """Fit all individuals, fit again without some, and compare the results.

    Excluding individuals with few or one-sided contests discards information, and removes contests
    of others, who may then be one-sided in turn (Goffe et al. 2018, section 4.1). It is never done
    by default; this function shows what it would change.

    Parameters
    ----------
    data : Contests or Matrix
    individuals : names to exclude
    min_contests : exclude individuals with fewer contests
    one_sided : exclude individuals that only won or only lost
        The last two are repeated until no further individual is excluded.
    method : {"bayes", "ml"}
        `elo_bayes` or `elo_ml`, with their arguments in `settings`.
    seed, progress : as in `elo_bayes`

    Returns
    -------
    Measure
        Table: individual, rating and rank in the fit of all individuals, rating and rank in the
        fit without the excluded ones, the change in rank, and the round in which an individual was
        excluded. All ranks are among the remaining individuals. Values: `left_out` (count),
        `rounds` (names), `contests_lost`, `value` (Spearman correlation).

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.without(po.datasets.adv(), individuals=["a"], method="ml", penalized=True)
    >>> found.left_out, found.contests_lost
    (1, 11)
    """
    data = opened(data)
    one_of("method", method, METHODS)
    true_or_false("one_sided", one_sided)
    if individuals is None and min_contests is None and not one_sided:
        raise ArgumentError(
            f"Specify which individuals to exclude: {option('individuals')}, "
            f"{option('min_contests')} or {option('one_sided', 'True')}."
        )
    data = contests_of(data, "without")
    rest, rounds = reduced(
        data, individuals=individuals, min_contests=min_contests, one_sided=one_sided
    )
    if not rounds:
        raise ArgumentError("This rule excludes no individual, so there is nothing to compare.")
    fit: Any = METHODS[method]
    if method == "bayes":
        settings |= {"seed": seed, "progress": progress}
    full = fit(data, **settings)
    if method == "bayes":
        settings["seed"] = full.seed
    part = fit(rest, **settings)
    names = list(part.individuals)
    before, after = (np.array([one[name] for name in names]) for one in (full, part))
    moved_by = float(after.mean() - before.mean())  # to a common zero
    before = before + moved_by
    rank_before, rank_after = average_ranks(before), average_ranks(after)
    agreement = spearman(before, after)
    excluded = {name: number for number, one in enumerate(rounds, start=1) for name in one}
    rows = [
        {
            "individual": name,
            "rating": before[i],
            "rank": rank_before[i],
            "rating_without": after[i],
            "rank_without": rank_after[i],
            "rank_change": rank_after[i] - rank_before[i],
            "left_out_in_round": None,
        }
        for i, name in enumerate(names)
    ]
    rows.sort(key=lambda row: row["rank"])
    rows += [
        {
            "individual": name,
            "rating": full[name] + moved_by,
            "rank": None,
            "rating_without": None,
            "rank_without": None,
            "rank_change": None,
            "left_out_in_round": number,
        }
        for name, number in excluded.items()
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    if method == "bayes":
        table = table.join(
            _widths(full, part, names), on="individual", how="left", maintain_order="left"
        )
    moved = int(np.count_nonzero(rank_before != rank_after))
    lost = len(data) - len(rest)
    sentences = [
        f"Round {number} excludes {counted(len(one), 'individual')}: {quoted(one)}."
        for number, one in enumerate(rounds, start=1)
    ]
    sentences.append(
        f"This removes {lost:,} of {counted(len(data), 'contest')}. Among the "
        f"{counted(len(names), 'remaining individual')}, "
        f"{counted(moved, 'rank changes', 'ranks change')} (Spearman correlation {agreement:.3f})."
    )
    sentences.append("In both fits, ratings and ranks are relative to the remaining individuals.")
    if len(rounds) > 1:
        sentences.append("Exclusions led to further exclusions.")
    return Measure(
        method="without",
        data=data,
        values={
            "left_out": len(excluded),
            "rounds": rounds,
            "contests_lost": lost,
            "value": None if np.isnan(agreement) else agreement,
        },
        frame=table,
        summary=tuple(sentences),
        settings={
            "individuals": None if individuals is None else [str(name) for name in rounds[0]],
            "min_contests": min_contests,
            "one_sided": one_sided,
            "method": method,
            "fit": full.settings,
        },
        citations=("goffe2018",),
        seed=full.seed if isinstance(full, Posterior) else None,
    )


def _widths(full: Posterior, part: Posterior, names: list[str]) -> pl.DataFrame:
    """95% intervals of rank among the remaining individuals, in both fits."""
    columns: dict[str, Any] = {"individual": names}
    for post, end in ((full, ""), (part, "_without")):
        rank = ranks(post.final[:, [post.code(name) for name in names]])
        low, high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
        columns |= {f"rank_low{end}": low, f"rank_high{end}": high}
    return pl.DataFrame(columns)
