"""What a study of recovery means, in words."""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.wording import counted

CERTAIN = 0.95
ENOUGH = 50  # runs
LEAST_SLOPE = 0.25  # of the error in the number of contests, both as logarithms


def verdict_of(
    ranked: list[str],
    next_right: list[float | None],
    efforts: pl.DataFrame | None,
    contests: int,
    runs: int,
) -> str:
    """In words: which ranks are certain, which cannot be told apart, what would help."""
    size = len(ranked)
    cuts = [i for i, share in enumerate(next_right[:-1]) if share is not None and share >= CERTAIN]
    groups, begin = [], 0
    for cut in [*cuts, size - 1]:
        groups.append((begin + 1, cut + 1))
        begin = cut + 1
    certain = [a for a, b in groups if a == b]
    apart = [f"{a}–{b}" for a, b in groups if a < b]
    if not certain:
        text = "No single rank is certain with these data"
    elif len(certain) == size:
        text = "All ranks are certain"
    else:
        names = ", ".join(ranked[rank - 1] for rank in certain[:6])
        text = f"{counted(len(certain), 'rank is', 'ranks are')} certain ({names})"
    if apart:
        text += f"; neighbours within ranks {', '.join(apart)} cannot be told apart"
    text += _more_contests(efforts, contests)
    return f"{text} (from {counted(runs, 'run')} only)." if runs < ENOUGH else f"{text}."


def _more_contests(efforts: pl.DataFrame | None, contests: int) -> str:
    """How many more contests would halve the error, by a power law through the efforts tried."""
    if efforts is None:
        return ""
    efforts = efforts.filter(pl.col("effort") >= 1).unique("effort").sort("effort").drop_nulls()
    if efforts.height < 2:
        return ""
    error = np.maximum(efforts["rank_mae"].to_numpy(), 1e-3)
    steps = np.log(efforts["effort"].to_numpy())
    slope = -np.polyfit(steps, np.log(error), 1)[0]
    at_last = -(np.log(error[-1]) - np.log(error[-2])) / (steps[-1] - steps[-2])
    if min(slope, at_last) < LEAST_SLOPE:  # it levels off, or falls slowly: say what was seen
        last = efforts.row(-1, named=True)
        return (
            f"; {last['effort']:g} times as many contests would still leave "
            f"{100 * error[-1] / error[0]:.0f} % of the error"
        )
    more = (2 ** (1 / slope) - 1) * contests
    digits = 10 ** max(0, int(np.floor(np.log10(max(more, 1)))) - 1)
    return f"; about {round(more / digits) * digits:,} more contests would halve the error"
