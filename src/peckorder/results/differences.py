"""Rating differences between winner and loser, by type of behavior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from peckorder.checked import one_of
from peckorder.errors import ArgumentError
from peckorder.results.course import Course
from peckorder.wording import option


def differences(course: Course, settings: dict[str, Any], by: str) -> pl.DataFrame:
    """One row per context (or group, or season).

    Columns: number of contests; mean, median, smallest and largest difference (winner minus loser,
    before the contest); the smallest difference in units of k (if all contests of the row used the
    same k); and the k for which a single win between equals produces the smallest difference
    (twice that difference; missing unless it is positive).
    """
    data = course.contests
    one_of("by", by, ("context", "group", "season"))
    labels = getattr(data, by)
    if labels is None:
        raise ArgumentError(f"These data have no {by}. Name its column with {option(by)}.")
    before = course.history[1]
    ahead = pl.DataFrame({by: labels.column(), "difference": before[:, 0] - before[:, 1]})
    table = ahead.group_by(by, maintain_order=True).agg(
        contests=pl.len(),
        mean=pl.col("difference").mean(),
        median=pl.col("difference").median(),
        smallest=pl.col("difference").min(),
        largest=pl.col("difference").max(),
    )
    varied = any(settings.get(n) for n in ("k_column", "k_periods", "burn_in", "margin"))
    k = None if varied else settings.get("k")
    if isinstance(k, Mapping) and by == "context":
        in_force = pl.Series([float(k[name]) for name in table[by]])
    else:
        usual = float(k) if isinstance(k, int | float) else None
        in_force = pl.Series([usual] * table.height, dtype=pl.Float64)
    small = pl.col("smallest")
    return table.with_columns(
        smallest_in_k=small / in_force,
        suggested_k=pl.when(small > 0).then(2 * small),
    )
