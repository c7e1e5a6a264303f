"""CPU time from a table of ten million visits to displacements.

Visits of 200 individuals to 50 feeders, with dates to the second and names as text, as a polars
frame sorted by start, and in random order. Median of three, in one process; compiled code is loaded
before.

Target: at most 5 CPU seconds for `displacements`, sorted or not.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import polars as pl
from common import note, print_table, verdict, wants_quick

import peckorder as po


def visits(number: int) -> pl.DataFrame:
    """Visits that follow each other at 50 feeders after exponential gaps and stays."""
    random = np.random.default_rng(1)
    start = np.sort(random.integers(0, number // 2, number))
    names = pl.Series([f"tag {i}" for i in range(200)])
    places = pl.Series([f"feeder {i}" for i in range(50)])
    begin = np.datetime64("2026-01-01", "us")
    end = start + random.exponential(12.0, number).astype(np.int64)
    return pl.DataFrame(
        {
            "tag": names.gather(random.integers(0, 200, number)),
            "feeder": places.gather(random.integers(0, 50, number)),
            "start": begin + start.astype("m8[s]"),
            "end": begin + end.astype("m8[s]"),
        }
    )


def main() -> None:
    quick = wants_quick(__doc__)
    number, runs = (100_000, 1) if quick else (10_000_000, 3)
    table = visits(number)
    po.displacements(table.head(1000), within="60s")  # loads compiled code
    rows, slowest = [], 0.0
    for label, frame in (
        ("sorted", table),
        ("shuffled", table.sample(fraction=1.0, shuffle=True, seed=1)),
    ):
        taken, found = [], 0
        for _ in range(runs):
            started = time.process_time()
            found = len(po.displacements(frame, within="2s"))
            taken.append(time.process_time() - started)
        started = time.process_time()
        po.visit_gaps(frame)
        gaps = time.process_time() - started
        slowest = max(slowest, statistics.median(taken))
        rows.append([label, f"{found:,}", f"{statistics.median(taken):.2f}", f"{gaps:.2f}"])
    print(f"{number:,} visits, median of {runs}")
    print_table(["visits", "displacements", "CPU s", "visit_gaps, CPU s"], rows)
    note(f"displacements of {number:,} visits", slowest, "CPU s", most=5.0)
    print(f"Target ≤ 5 CPU s: {slowest:.2f}, {verdict(slowest <= 5)}")


if __name__ == "__main__":
    main()
