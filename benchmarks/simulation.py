"""Speed of simulations: self-organizing hierarchies, and `recovery`.

Contests per second on one core in `simulate.self_organizing` with 13 individuals and 3000 contests
per dyad, with the printed table and with the logistic curve: 20 runs in one call, one run in one
call (where the tables of 3000 rows take a larger share), both with one thread, and the compiled
loop alone. Then the wall time of `recovery` with 200 simulated data sets of 1000 contests among 20
individuals, on all cores: these alone (`effort=()`), and the default call, which also simulates
data sets with the same, twice and four times the number of contests. All code is compiled before
timing; medians of five calls, of three for sequential Elo, one call for the two fits. --quick omits
the default calls and uses 10 data sets for the Bayesian fit.

Targets: 15 million contests per second and core; 200 data sets by sequential Elo within 2 s, by
maximum likelihood within 30 s, by the Bayesian fit within 5 minutes on two cores.
"""

from __future__ import annotations

import time

import numpy as np
from common import compare, note, print_table, verdict, wants_quick

import peckorder as po
from peckorder.curves import curve_from
from peckorder.kernels import simulation as kernel
from peckorder.random_runs import cores
from peckorder.ratings.replay import win_curve

INDIVIDUALS, K = 13, 200.0
FASTEST = 15e6
REPLICATES = 200
RECOVERIES = {"elo": 2.0, "elo_ml": 30.0, "elo_bayes": 300.0}
EFFORTS: dict[str, tuple[float, ...] | None] = {"effort=()": (), "default effort": None}


def loop(curve: str, per_dyad: int) -> None:
    """The compiled loop of one run, including its output."""
    pairs = np.column_stack(np.triu_indices(INDIVIDUALS, 1))
    shape, size = curve_from(curve), INDIVIDUALS
    model = kernel.Model(kernel.ELO, K, 0.0, 1000.0)
    meetings = kernel.Meetings(pairs, np.zeros(0, np.int64), per_dyad * len(pairs), len(pairs))
    course = kernel.Course(
        np.empty(per_dyad),
        np.empty(per_dyad),
        np.zeros((0, 0)),
        np.zeros((2, 2), np.int64),
        np.zeros((0, 2), np.int32),
    )
    wins = np.zeros((size, size), np.int64)
    rating, curve = np.empty(size), win_curve(shape)
    kernel.self_organize(model, curve, meetings, np.uint64(1), 0, rating, wins, course)


def organize(curve: str, per_dyad: int, runs: int) -> None:
    po.simulate.self_organizing(
        INDIVIDUALS, per_dyad, k=K, curve=curve, runs=runs, seed=1, threads=1
    )


def self_organizing(per_dyad: int, runs: int, repeats: int) -> None:
    contests = per_dyad * INDIVIDUALS * (INDIVIDUALS - 1) // 2
    rows = []
    for curve in ("table", "logistic"):
        calls = {
            f"whole call, {runs} runs": lambda c=curve: organize(c, per_dyad, runs),
            "whole call, 1 run": lambda c=curve: organize(c, per_dyad, 1),
            "compiled loop": lambda c=curve: loop(c, per_dyad),
        }
        played = (runs, 1, 1)
        times = compare(calls, repeats).items()
        for (name, taken), number in zip(times, played, strict=True):
            speed = number * contests / taken.wall
            if number == runs:
                note(f"self-organizing, {curve}", speed / 1e6, "million/s", least=FASTEST / 1e6)
            rows.append(
                [
                    f"{curve}, {name}",
                    f"{speed / 1e6:.1f}",
                    f"{1e9 / speed:.1f}",
                    f"{number * contests / taken.fastest / 1e6:.1f}",
                    f"≥ {FASTEST / 1e6:.0f}: {verdict(speed >= FASTEST)}",
                ]
            )
    print(
        f"Self-organizing runs, {INDIVIDUALS} individuals, {per_dyad:,} contests per dyad, one "
        f"core, median of {repeats}"
    )
    print_table(["", "million/s", "ns/contest", "million/s, fastest", "target"], rows)


def seconds(method: str, runs: int, effort: tuple[float, ...] | None, repeats: int) -> float:
    """Median wall time of `repeats` calls."""
    _, data = po.simulate.hierarchy(20, 1000, seed=1)
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        po.recovery(data, method=method, runs=runs, effort=effort, seed=1)
        taken.append(time.perf_counter() - begin)
    return float(np.median(taken))


def recovery(method: str, runs: int, efforts: dict[str, tuple[float, ...] | None]) -> None:
    target, rows = RECOVERIES[method], []
    seconds(method, 2, (2.0,), 1)
    for name, effort in efforts.items():
        taken = seconds(method, runs, effort, 3 if method == "elo" else 1)
        note(f"recovery by {method}, {name}", taken, "s", most=target)
        outcome = verdict(taken <= target) if runs == REPLICATES else "not applicable"
        rows.append([name, runs, f"{taken:.2f}", f"≤ {target:g} s: {outcome}"])
    print(f"recovery by {method}, 1,000 contests among 20 individuals, {cores()} cores")
    print_table(["", "data sets", "seconds", f"target ({REPLICATES} data sets)"], rows)


def main() -> None:
    quick = wants_quick(__doc__)
    self_organizing(100 if quick else 3000, 20, 3 if quick else 5)
    for method in RECOVERIES:
        runs = 10 if quick and method == "elo_bayes" else REPLICATES
        recovery(method, runs, dict([*EFFORTS.items()][:1]) if quick else EFFORTS)


if __name__ == "__main__":
    main()
