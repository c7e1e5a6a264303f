"""Time and file size of a report.

Simulated contests, dated over three years. A small report is written first, so that kernels are
compiled and modules imported. With and without the posterior; for 100 individuals and 10,000
contests the target concerns the size.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from common import note, print_table, verdict, wants_quick

import peckorder as po
from peckorder.data.contests import Contests
from peckorder.reporting.analysis import METHODS

WITHOUT = [name for name in METHODS if name != "elo_bayes"]


def contests(individuals: int, number: int) -> Contests:
    """Simulated contests with dates."""
    _, data = po.simulate.hierarchy(individuals, number, seed=1)
    days = np.datetime64("2020-01-01") + np.arange(number) * 1000 // number
    return po.read(data.to_table().with_columns(pl.Series("date", days)))


def measured(data: Contests, methods: list[str]) -> tuple[float, float]:
    """Time (seconds) and size (megabytes) of a report."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hierarchy.html"
        began = time.perf_counter()
        po.report(data, path, methods=methods, seed=1)
        return time.perf_counter() - began, path.stat().st_size / 1e6


def main() -> None:
    quick = wants_quick(__doc__)
    rows = []
    for individuals, number, least in ((20, 1_000, (10, 60)), (100, 10_000, (None, None))):
        if quick and individuals > 20:
            continue
        data = contests(individuals, number)
        for methods, most in zip((WITHOUT, list(METHODS)), least, strict=True):
            measured(contests(5, 60), methods)  # warm-up
            seconds, size = measured(data, methods)
            kind = "with the posterior" if "elo_bayes" in methods else "without"
            target = "< 8 MB" if most is None else f"≤ {most} s"
            met = size < 8 if most is None else seconds <= most
            job = f"report, {individuals} × {number:,}, {kind}"
            if most is None:
                note(job, size, "MB", most=8.0)
            else:
                note(job, seconds, "s", most=most)
            rows.append(
                (
                    f"{individuals} individuals, {number:,} contests, {kind}",
                    f"{seconds:.1f} s",
                    f"{size:.1f} MB",
                    target,
                    verdict(met),
                )
            )
    print_table(("report", "time", "size", "target", ""), rows)


if __name__ == "__main__":
    main()
