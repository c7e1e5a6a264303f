"""Conclusion of a recovery study, as text."""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.wording import counted

RESOLVED = 0.95  # posterior probability of a rank, or of the order of two adjacent ranks
HARDLY = 0.9  # share of the error that is left
LEAST_SLOPE = 0.25  # of the error in the number of contests, both as logarithms


def verdict_of(
    ranked: list[str],
    rank_right: list[float],
    next_right: list[float | None],
    efforts: pl.DataFrame | None,
    contests: int,
) -> str:
    """Which ranks are resolved, which are not, and how many more contests would help.

    A rank is resolved if it is the true one with probability 0.95, given the data.
    """
    size = len(ranked)
    resolved = [name for name, p in zip(ranked, rank_right, strict=True) if p >= RESOLVED]
    cuts = [i for i, p in enumerate(next_right[:-1]) if p is not None and p >= RESOLVED]
    groups, begin = [], 0
    for cut in [*cuts, size - 1]:
        groups.append((begin + 1, cut + 1))
        begin = cut + 1
    unresolved = [f"{a}–{b}" for a, b in groups if a < b]
    if not resolved:
        text = "No single rank is resolved with these data"
    elif len(resolved) == size:
        text = "All ranks are resolved"
    else:
        names = ", ".join(resolved[:6]) + (", …" if len(resolved) > 6 else "")
        text = f"{counted(len(resolved), 'rank is', 'ranks are')} resolved ({names})"
    if unresolved:
        text += (
            f"; adjacent individuals within ranks {', '.join(unresolved)} are not distinguishable"
        )
    return f"{text}{_more_contests(efforts, contests)}."


def _more_contests(efforts: pl.DataFrame | None, contests: int) -> str:
    """Number of contests that would halve the error, by a power law fitted to the efforts."""
    if efforts is None:
        return ""
    efforts = efforts.filter(pl.col("effort") >= 1).unique("effort").sort("effort").drop_nulls()
    if efforts.height < 2:
        return ""
    error = np.maximum(efforts["rank_mae"].to_numpy(), 1e-3)
    steps = np.log(efforts["effort"].to_numpy())
    slope = -np.polyfit(steps, np.log(error), 1)[0]
    at_last = -(np.log(error[-1]) - np.log(error[-2])) / (steps[-1] - steps[-2])
    if min(slope, at_last) < LEAST_SLOPE:  # it decreases slowly or levels off: no extrapolation
        last = efforts.row(-1, named=True)
        if error[-1] > HARDLY * error[0]:
            return f"; {last['effort']:g} times as many contests would hardly reduce the error"
        return (
            f"; {last['effort']:g} times as many contests would still leave "
            f"{error[-1] / error[0]:.0%} of the error"
        )
    more = (2 ** (1 / slope) - 1) * contests
    digits = 10 ** max(0, int(np.floor(np.log10(max(more, 1)))) - 1)
    return f"; about {round(more / digits) * digits:,} more contests would halve the error"
