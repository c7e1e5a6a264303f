"""How long does a study of 1,098 groups take? CPU seconds of the default measures.

Also of 5,000 groups with three tests.

Groups have sizes and numbers of contests as in published matrices: a median of 9 individuals and
150 contests, 3 to 60 individuals, 10 to 5,000 contests (log-normal). The CPU time of all worker
processes counts, their start included. `study` is also run a second time on its own folder, which
only reads results, and its memory does not grow with the draws, which are on disk.

Usage: python benchmarks/study.py [--quick]
"""

from __future__ import annotations

import resource
import tempfile
import time

import numpy as np
from common import cpu_seconds, note, print_table, wants_quick

import peckorder as po
from peckorder.random_runs import cores

GROUPS = 1098
TARGET = 90.0  # CPU seconds
MANY, MANY_TARGET = 5000, 25.0
USUAL = ("steepness_bayes", "linearity", "transitivity", "consistency")  # the default measures
TESTS = ("steepness", "linearity", "transitivity")
DRAWN = (*USUAL, "dynamic")
REFITTED = {"steepness_bayes": {"fair_coins": 100}}
SOME = 60  # groups of the further measurements


def sizes(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of individuals and of contests."""
    random = np.random.default_rng(20260101)
    individuals = np.exp(random.normal(np.log(9), 0.5, number)).round().astype(int)
    contests = np.exp(random.normal(np.log(150), 1.0, number)).round().astype(int)
    return np.clip(individuals, 3, 60), np.clip(contests, 10, 5000)


def groups(number: int) -> dict[str, po.Contests]:
    """Simulated groups."""
    found = {}
    for i, (individuals, contests) in enumerate(zip(*sizes(number), strict=True)):
        _, data = po.simulate.hierarchy(
            individuals=int(individuals), contests=int(contests), spread=2, seed=i
        )
        found[f"group {i + 1}"] = data
    return found


def main() -> None:
    quick = wants_quick(__doc__)
    data = groups(12 if quick else MANY)
    rows = []

    def measured(what: str, measures, executor, number: int, folder: str | None = None) -> po.Study:
        part = dict(list(data.items())[:number])
        contests = sum(map(len, part.values()))
        cpu, wall = cpu_seconds(), time.perf_counter()
        found = po.study(part, measures=measures, executor=executor, folder=folder, seed=1)
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
        each, per = 1000 * cpu / len(part), 1e6 * cpu / contests
        numbers = [f"{cpu:.1f}", f"{wall:.1f}", f"{each:.1f}", f"{per:.0f}"]
        rows.append([what, f"{len(part):,}", f"{contests:,}", *numbers])
        print(*rows[-1], sep=" | ", flush=True)
        return found

    few = min(SOME, len(data))
    compiled = (*DRAWN, "steepness")
    po.study(dict(list(data.items())[:4]), measures=compiled, executor=1, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        first = measured(f"default measures, {cores()} workers", USUAL, None, GROUPS, folder)
        note(f"study of {GROUPS:,} groups, default", float(rows[0][3]), "CPU s", most=TARGET)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        again = measured("the same, from the folder", USUAL, None, GROUPS, folder)
        assert again.table.equals(first.table)
    measured(f"three tests, {cores()} workers", TESTS, None, MANY)
    note(f"study of {MANY:,} groups, three tests", float(rows[-1][3]), "CPU s", most=MANY_TARGET)
    measured("default measures, this process", USUAL, 1, few)
    measured("with dynamic ratings, this process", DRAWN, 1, few)
    measured("with refits to fair coins, this process", REFITTED, 1, few)
    print(f"\nLargest memory of the main process {memory:.0f} MB; target ≤ {TARGET:g} CPU s\n")
    print_table(
        ["work", "groups", "contests", "CPU s", "s", "ms per group", "µs per contest"], rows
    )


if __name__ == "__main__":
    main()
