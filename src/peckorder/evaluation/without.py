"""The same fit with and without some individuals, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.exclusion import reduced
from peckorder.likelihood.contests import contests_of
from peckorder.likelihood.elo_ml import elo_ml
from peckorder.posterior.elo_bayes import elo_bayes
from peckorder.posterior.result import Posterior
from peckorder.ranks import average_ranks, spearman
from peckorder.results.finding import Measure
from peckorder.results.sampled import ranks
from peckorder.wording import counted, quoted

METHODS = {"bayes": elo_bayes, "ml": elo_ml}


def without(
    data: Any,
    *,
    individuals: Iterable[object] | None = None,
    min_contests: int | None = None,
    one_sided: bool = False,
    method: str = "bayes",
    seed: Any = None,
    progress: Any = None,
    **settings: Any,
) -> Measure:
    """Fit with everybody, fit again without some, and show what changes.

    Leaving out individuals with few or one-sided contests throws information away, and takes
    their contests from others, who may then be one-sided in turn (Goffe et al. 2018, § 4.1). It is
    never done by default; this shows what it would do.

    Parameters
    ----------
    data : Interactions or Matrix
    individuals : names to leave out
    min_contests : leave out whoever has fewer contests
    one_sided : leave out whoever only won or only lost
        The last two are repeated until nobody else falls.
    method : {"bayes", "ml"}
        `elo_bayes` or `elo_ml`, with their arguments in `settings`.
    seed, progress : as in `elo_bayes`

    Returns
    -------
    Measure
        Table: individual, rating and rank with everybody, both without them (ranks are among those
        who remain, also with everybody), the change of rank, and the round in which an individual
        fell. Values: `left_out` (count), `rounds` (names), `contests_lost`, `spearman`.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.fits.without(po.datasets.adv(), individuals=["a"], method="ml", penalized=True)
    >>> found.left_out, found.contests_lost
    (1, 11)
    """
    one_of("method", method, METHODS)
    if individuals is None and min_contests is None and not one_sided:
        raise ValueError(
            "Say whom to leave out: individuals=, min_contests= or one_sided=True (--individuals, "
            "--min-contests, --one-sided)."
        )
    data = contests_of(data, "without")
    rest, rounds = reduced(
        data, individuals=individuals, min_contests=min_contests, one_sided=one_sided
    )
    if not rounds:
        raise ValueError("Nobody falls under this rule: there is nothing to compare.")
    fit: Any = METHODS[method]
    if method == "bayes":
        settings |= {"seed": seed, "progress": progress}
    full = fit(data, **settings)
    if method == "bayes":
        settings["seed"] = full.seed
    part = fit(rest, **settings)
    names = list(part.individuals)
    before, after = (np.array([one[name] for name in names]) for one in (full, part))
    moved_by = float(after.mean() - before.mean())  # to the same zero point
    before = before + moved_by
    rank_before, rank_after = average_ranks(before), average_ranks(after)
    agreement = spearman(before, after)
    fell = {name: number for number, one in enumerate(rounds, start=1) for name in one}
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
        for name, number in fell.items()
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    if method == "bayes":
        table = table.join(
            _widths(full, part, names), on="individual", how="left", maintain_order="left"
        )
    moved = int(np.count_nonzero(rank_before != rank_after))
    lost = len(data) - len(rest)
    words = [
        f"Round {number} leaves out {counted(len(one), 'individual')}: {quoted(one)}."
        for number, one in enumerate(rounds, start=1)
    ]
    words.append(
        f"{counted(lost, 'contest')} of {len(data):,} go with them; among the "
        f"{counted(len(names), 'individual')} who remain, {counted(moved, 'rank')} of "
        f"{len(names):,} "
        f"{'changes' if moved == 1 else 'change'} (Spearman correlation {agreement:.3f})."
    )
    words.append("Ratings and ranks are relative to those who remain, in both fits.")
    if len(rounds) > 1:
        words.append("One exclusion brought on the next: a chain reaction.")
    return Measure(
        method="without",
        data=data,
        values={
            "left_out": len(fell),
            "rounds": rounds,
            "contests_lost": lost,
            "spearman": None if np.isnan(agreement) else agreement,
        },
        frame=table,
        summary=tuple(words),
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
    """95 % intervals of rank among those who remain, with everybody and without."""
    columns: dict[str, Any] = {"individual": names}
    for post, end in ((full, ""), (part, "_without")):
        rank = ranks(post.final[:, [post.code(name) for name in names]])
        low, high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
        columns |= {f"rank_low95{end}": low, f"rank_high95{end}": high}
    return pl.DataFrame(columns)
