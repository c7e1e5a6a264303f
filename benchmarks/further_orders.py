"""CPU time of ADAGIO and percolation, and how often the order of percolation is proved optimal.

Groups are simulated with known strengths (standard deviation 2 on the logistic scale) and 20
contests per individual. "runs at lowest" is the median number of the ten runs of simulated
annealing that reach the lowest cost of any run. "annealing optimal" counts the groups with a
completed proof in which annealing alone had found an order of the lowest cost.

Targets: ADAGIO with 100 individuals 0.5 s, percolation with 44 individuals 5 s.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from common import note, print_table, verdict, wants_quick

import peckorder as po

SIZES = (7, 10, 15, 20, 44, 100)
TIME_LIMIT = 5.0
TARGETS = {"adagio": (100, 0.5), "percolation": (44, 5.0)}


def groups(size: int, number: int) -> list[po.Matrix]:
    """Matrices of simulated groups of one size."""
    random = np.random.default_rng(size)
    names = tuple(f"animal {i}" for i in range(size))
    found = []
    for _ in range(number):
        strength = random.normal(0.0, 2.0, size)
        a = random.integers(size, size=20 * size)
        b = (a + random.integers(1, size, size=20 * size)) % size
        won = random.random(20 * size) < 1 / (1 + np.exp(strength[b] - strength[a]))
        wins = np.zeros((size, size), int)
        np.add.at(wins, (np.where(won, a, b), np.where(won, b, a)), 1)
        found.append(po.Matrix(names, wins))
    return found


def cpu_seconds(call) -> tuple[float, po.Order]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def main(number: int, sizes: tuple[int, ...]) -> None:
    warnings.simplefilter("ignore", po.DataWarning)
    po.orders.percolation(po.datasets.adv())  # loads compiled code
    rows = []
    for size in sizes:
        data = groups(size, number)
        graph = [cpu_seconds(lambda m=m: po.orders.adagio(m))[0] for m in data]
        flow = [
            cpu_seconds(lambda m=m: po.orders.percolation(m, time_limit=TIME_LIMIT)) for m in data
        ]
        seconds = [spent for spent, _ in flow]
        proved = [found for _, found in flow if found.proved]
        annealed = [f for f in proved if f.costs.min() <= f.value * (1 + 1e-9) + 1e-9]
        slowest = {"adagio": max(graph), "percolation": max(seconds)}
        for name, (at, limit) in TARGETS.items():
            if at == size:
                note(f"{name}, slowest of {number} of {size}", slowest[name], "CPU s", most=limit)
        met = [
            f"{name} ≤ {limit:g} s: {verdict(slowest[name] <= limit)}"
            for name, (at, limit) in TARGETS.items()
            if at == size
        ]
        rows.append(
            [
                str(size),
                f"{1e3 * np.median(graph):.1f}",
                f"{1e3 * max(graph):.1f}",
                f"{np.median(seconds):.2f}",
                f"{max(seconds):.2f}",
                f"{len(proved)}/{number}",
                f"{len(annealed)}/{len(proved)}",
                f"{np.median([found.runs_at_lowest for _, found in flow]):.0f}/10",
                "; ".join(met),
            ]
        )
    print(f"{number} simulated groups of each size, CPU time")
    print_table(
        [
            "individuals",
            "ADAGIO median (ms)",
            "slowest",
            "percolation median (s)",
            "slowest",
            "proved",
            "annealing optimal",
            "runs at lowest",
            "target",
        ],
        rows,
    )


if __name__ == "__main__":
    quick = wants_quick(__doc__)
    main(2 if quick else 20, SIZES[:3] if quick else SIZES)
