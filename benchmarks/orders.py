"""Time and memory of I&SI until optimality is proved, over 100 random groups of each size.

Dense groups have contests in every dyad, won at random: the hardest case, with a single component.
Sparse groups follow a known hierarchy: 15% of dyads met (40 and 60 individuals: three contests per
individual), and the lower-ranked individual wins one in ten. Loose groups have eight contests per
individual, of which the lower-ranked individual wins one in five, and have components too large for
a proof. Each size runs in a fresh process, which reports its peak memory. "largest gap" is the
largest difference between the number of inconsistencies found and its lower bound. HierarchiaPy's
ISI98 is run on three dense groups of 10.

Targets, CPU time until the proof: 10 individuals 10 ms, 20 individuals 0.3 s, 24 individuals 5 s;
peak memory below 600 MB.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from common import note, one_row_per_contest, print_table, verdict, wants_quick

TARGETS = {10: 0.010, 20: 0.3, 24: 5.0}
TIME_LIMIT = 1.0


def dense(size: int, random: np.random.Generator) -> np.ndarray:
    wins = random.integers(0, 4, (size, size))
    np.fill_diagonal(wins, 0)
    return wins


def sparse(size: int, random: np.random.Generator) -> np.ndarray:
    return known(size, random, 0.15 if size < 40 else 3 / (size - 1), 0.1)


def loose(size: int, random: np.random.Generator) -> np.ndarray:
    return known(size, random, 8 / (size - 1), 0.2)


def known(size: int, random: np.random.Generator, share: float, upsets: float) -> np.ndarray:
    """A share of dyads met once; the lower-ranked individual won a share of these contests."""
    wins = np.zeros((size, size), int)
    for i in range(size):
        for j in range(i + 1, size):
            if random.random() < share:
                winner, loser = (i, j) if random.random() >= upsets else (j, i)
                wins[winner, loser] += 1
    return wins


def measure(kind: str, size: int, groups: int) -> None:
    """Order all groups of one kind and size in this process; print the results as JSON."""
    import peckorder as po

    warnings.simplefilter("ignore", po.DataWarning)
    random = np.random.default_rng(size)
    names = tuple(f"animal {i}" for i in range(size))
    data = [po.Matrix(names, globals()[kind](size, random)) for _ in range(groups)]
    po.isi(po.datasets.adv())  # loads compiled code
    seconds, proved, exact, gap = [], 0, 0, []
    for matrix in data:
        began = time.process_time()
        order = po.isi(matrix, time_limit=TIME_LIMIT, seed=1)
        seconds.append(time.process_time() - began)
        proved += order.proved
        exact += order.orders_exact
        gap.append(order.value - order.lower_bound["value"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seen = {"seconds": seconds, "proved": proved, "exact": exact, "gap": gap, "peak": peak}
    print(json.dumps(seen))


def all_sizes(groups: int) -> None:
    rows = []
    for kind, size in (
        ("dense", 10),
        ("dense", 15),
        ("dense", 20),
        ("dense", 22),
        ("dense", 24),
        ("sparse", 20),
        ("sparse", 24),
        ("sparse", 40),
        ("sparse", 60),
        ("loose", 40),
        ("loose", 60),
    ):
        code = f"import orders; orders.measure({kind!r}, {size}, {groups})"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=sys.path[0], stdout=subprocess.PIPE, check=True)
        seen = json.loads(done.stdout)
        low, middle, high = np.quantile(seen["seconds"], [0.05, 0.5, 0.95])
        slowest = max(seen["seconds"])
        target = ""
        if kind == "dense" and size in TARGETS:
            met = slowest <= TARGETS[size] and seen["peak"] < 600
            job = f"I&SI, slowest of {groups} groups of {size}"
            note(job, slowest, "CPU s", most=TARGETS[size])
            target = f"≤ {TARGETS[size]:g} s, < 600 MB: {verdict(met)}"
        rows.append(
            [
                f"{kind} {size}",
                f"{seen['proved']}/{groups}",
                f"{seen['exact']}/{groups}",
                *(f"{1e3 * x:.1f}" for x in (low, middle, high, slowest)),
                f"{seen['peak']:.0f}",
                f"{max(seen['gap'])}",
                target,
            ]
        )
    print(
        f"I&SI, {groups} random groups of each size, CPU time in ms (search limited to "
        f"{TIME_LIMIT:g} s)"
    )
    print_table(
        [
            "",
            "proved",
            "counted",
            "5%",
            "median",
            "95%",
            "slowest",
            "peak MB",
            "largest gap",
            "target",
        ],
        rows,
    )


def compared_with_hierarchiapy(groups: int) -> None:
    if importlib.util.find_spec("HierarchiaPy") is None:
        print("HierarchiaPy is not installed: skipped.")
        return
    from HierarchiaPy import Hierarchia

    import peckorder as po

    po.isi(po.datasets.adv())  # loads compiled code
    random = np.random.default_rng(10)
    rows = []
    for number in range(1, groups + 1):
        matrix = po.Matrix(tuple("abcdefghij"), dense(10, random))
        frame = one_row_per_contest(matrix)
        began = time.process_time()
        ours = po.isi(matrix)
        middle = time.process_time()
        theirs = Hierarchia(frame, "winner", "loser").ISI98(runs=100)
        ended = time.process_time()
        found = inconsistencies(matrix, theirs)
        rows.append(
            [
                f"group {number}",
                f"{ours.value}, {ours.strength}",
                found,
                f"{1e3 * (middle - began):.1f}",
                f"{1e3 * (ended - middle):.0f}",
            ]
        )
    print("Compared with HierarchiaPy's ISI98 (100 runs), dense groups of 10")
    header = ["", "I, SI (optimal)", "I, SI (ISI98)", "ms", "ms (ISI98)"]
    print_table(header, rows)


def inconsistencies(matrix, ranks) -> str:
    """I and SI of an order of another package: names in order of rank, or ranks by name."""
    if isinstance(ranks, dict):
        ranks = sorted(ranks, key=lambda name: ranks[name])
    place = {name: i for i, name in enumerate(ranks)}
    wins, names = matrix.wins, matrix.individuals
    far = [
        place[names[i]] - place[names[j]]
        for i in range(len(names))
        for j in range(len(names))
        if wins[i, j] > wins[j, i] and place[names[i]] > place[names[j]]
    ]
    return f"{len(far)}, {sum(far)}"


def main() -> None:
    quick = wants_quick(__doc__)
    all_sizes(3 if quick else 100)
    compared_with_hierarchiapy(1 if quick else 3)


if __name__ == "__main__":
    main()
