"""Randomizations and random orders per second, compared with HierarchiaPy.

Complete groups of 7 and 20 individuals, 0 to 9 wins in each direction of a dyad; one thread, CPU
time, median of five runs after a warm-up. "kernel" is the loop alone, "call" the whole function
from a matrix to the result. Then Elo over 1000 random orders of 10,000 contests among 20
individuals. HierarchiaPy gets fewer runs; costs are per run.

Targets: steepness test 1 million randomizations per second with 7 individuals, 150,000 with 20;
linearity test at half that speed; 1000 orders of 10,000 contests in one second.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import polars as pl
from common import (
    compare,
    contests,
    note,
    one_row_per_contest,
    print_table,
    verdict,
    wants_quick,
)

import peckorder as po
from peckorder.data.win_counts import win_counts
from peckorder.kernels import dyads as kernel
from peckorder.structure.steepness import linear_chance

TARGETS = {7: 1e6, 20: 150e3}


def group(size: int) -> po.Matrix:
    wins = np.random.default_rng(size).integers(0, 10, (size, size))
    np.fill_diagonal(wins, 0)
    return po.Matrix(tuple(f"animal {i}" for i in range(size)), wins)


def steepness_kernel(data: po.Matrix, runs: int) -> None:
    counts = win_counts(data)
    a, b = (side[counts.seen[counts.dyads]] for side in counts.dyads)
    n = counts.contests[a, b]
    kernel.steepness_null(
        np.uint64(1),
        0,
        a,
        b,
        n,
        False,
        *linear_chance(n, 1.0, "dij"),
        n.astype(float),
        False,
        counts.seen.sum(axis=1).astype(float),
        np.empty(runs),
    )


def linearity_kernel(data: po.Matrix, runs: int) -> None:
    counts = win_counts(data)
    a, b = (side[~counts.seen[counts.dyads]] for side in counts.dyads)
    twice = 2 * counts.dominates.sum(axis=1) + counts.tied.sum(axis=1)
    kernel.linearity_null(
        np.uint64(1), 0, twice, a, b, np.empty(runs, np.int64), np.empty(runs, np.int64)
    )


def peer(data: po.Matrix) -> Any:
    """The same contests as a HierarchiaPy object, if it is installed."""
    if importlib.util.find_spec("HierarchiaPy") is None:
        print("HierarchiaPy is not installed: skipped.\n")
        return None
    from HierarchiaPy import Hierarchia

    frame = one_row_per_contest(data)
    return Hierarchia(frame, "winner", "loser")


def tests(runs: int, peer_runs: int, repeats: int) -> None:
    rows = []
    for size, target in TARGETS.items():
        data = group(size)
        other = peer(data)
        calls = {
            "steepness, kernel": (runs, lambda d=data: steepness_kernel(d, runs)),
            "steepness, call": (runs, lambda d=data: po.steepness(d, runs=runs, seed=1, threads=1)),
            "linearity, kernel": (runs, lambda d=data: linearity_kernel(d, runs)),
            "linearity, call": (runs, lambda d=data: po.linearity(d, runs=runs, seed=1, threads=1)),
        }
        if other is not None:
            calls["steepness, HierarchiaPy"] = (
                peer_runs,
                lambda o=other: o.steepness_test(n=peer_runs),
            )
            calls["linearity, HierarchiaPy"] = (
                peer_runs,
                lambda o=other: o.landau_h(n_random=peer_runs),
            )
        times = compare({name: call for name, (_, call) in calls.items()}, repeats)
        for name, (number, _) in calls.items():
            if name == "linearity, call" and size <= 7:
                rows.append([name, size, "exact", f"{times[name].cpu * 1e3:.1f} ms", ""])
                continue
            speed = number / times[name].cpu
            limit = {"steepness": target, "linearity": target / 2}[name.split(",")[0]]
            outcome = "" if "Hierarchia" in name else f"≥ {limit:,.0f}: {verdict(speed >= limit)}"
            rows.append([name, size, f"{speed:,.0f}", f"{1e6 / speed:.2f} µs", outcome])
            if name.endswith("call"):
                test = name.split(",")[0]
                theirs = times.get(f"{test}, HierarchiaPy")
                best = ("HierarchiaPy", peer_runs / theirs.cpu) if theirs else None
                note(f"{test} test, {size} individuals", speed, "/s", peer=best, least=limit)
    print(f"Randomizations, {runs:,} per call (HierarchiaPy {peer_runs:,}), one thread")
    print_table(["", "individuals", "per second", "each", "target"], rows)


def orders(runs: int, number: int, peer_runs: int, repeats: int) -> None:
    winner, loser = (codes.astype(str) for codes in contests(number, 20))
    data = po.read(pl.DataFrame({"winner": winner, "loser": loser}))
    other = peer(data.matrix())
    calls = {
        "randomized_elo (orders and halves)": (
            2 * runs,
            lambda: po.randomized_elo(data, runs=runs, seed=1, threads=1),
        ),
        "repeatability (orders alone)": (
            runs,
            lambda: po.orders.repeatability(data, runs=runs, seed=1, threads=1),
        ),
    }
    if other is not None:
        calls["HierarchiaPy"] = (peer_runs, lambda: other.randomized_elo(n=peer_runs))
    times = compare({name: call for name, (_, call) in calls.items()}, repeats)
    rows = []
    for name, (rated, _) in calls.items():
        seconds = times[name].cpu
        outcome = "" if name == "HierarchiaPy" else f"≤ 1 s: {verdict(seconds <= 1)}"
        cost = seconds / (rated * number) * 1e9
        rows.append([name, f"{rated:,}", f"{seconds:.2f}", f"{cost:.1f}", outcome])
        if name != "HierarchiaPy":
            note(f"{name}, {runs:,} × {number:,} contests", seconds, "CPU s", most=1.0)
    print(f"Random orders of {number:,} contests among 20 individuals, one thread")
    print_table(["", "orders", "CPU seconds", "ns/contest", "target"], rows)


def main() -> None:
    quick = wants_quick(__doc__)
    tests(20_000 if quick else 1_000_000, 20 if quick else 200, 2 if quick else 5)
    orders(50 if quick else 1000, 1000 if quick else 10_000, 1 if quick else 3, 2 if quick else 5)


if __name__ == "__main__":
    main()
