"""CPU time and memory of evaluation and tuning with ten million contests.

Ten million contests among 1,000 individuals, on the days of twenty years, are written to a Parquet
file. Then, each in a fresh process: `evaluate`, `evaluate` by week, and `tune`, with compiled code
loaded before. CPU time is that of the call; memory is the largest of the whole process, with
reading and rating.

Targets: `evaluate` ≤ 1.5 CPU s and < 1 GB, by week ≤ 3 CPU s, `tune` ≤ 8 CPU s.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import frame_of_names, note, print_table, verdict, wants_quick, with_bytecode_in

TARGETS = {"evaluate": 1.5, "evaluate, per week": 3.0, "tune": 8.0}  # CPU seconds
MEMORY = 1000.0  # megabytes, of evaluate
DAYS = 7300
LONG = 200_000  # contests, from which on several ratings share a pass


def write(number: str, path: str) -> None:
    import numpy as np
    import polars as pl

    days = np.datetime64("2000-01-01") + np.arange(int(number)) * DAYS // int(number)
    frame_of_names(int(number), 1000).with_columns(pl.Series("date", days)).write_parquet(path)


def work(job: str, path: str) -> None:
    """One job; prints its CPU seconds, wall time and the memory of the process."""
    import numpy as np

    import peckorder as po

    def run(data: po.Contests, runs: int) -> object:
        if job == "tune":
            return po.tune(data, runs=runs)
        return po.evaluate(
            po.elo(data, k=40), per="week" if job.endswith("week") else None, runs=runs
        )

    data = po.read(path)
    run(data.take(np.arange(LONG)), 10)  # loads compiled code
    wall, cpu = time.perf_counter(), time.process_time()
    run(data, 1000)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": peak}))


def fresh(folder: str, *arguments: object) -> str:
    command = [sys.executable, __file__, *map(str, arguments)]
    environment = with_bytecode_in(f"{folder}/bytecode")
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def main() -> None:
    quick = wants_quick(__doc__)
    number, runs = (250_000, 1) if quick else (10_000_000, 3)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contests.parquet"
        fresh(folder, "write", number, path)
        for job, target in TARGETS.items():
            taken = [json.loads(fresh(folder, "work", job, path)) for _ in range(runs + 1)][1:]
            cpu, wall, peak = (
                sorted(t[name] for t in taken)[len(taken) // 2] for name in ("cpu", "wall", "peak")
            )
            outcome = f"≤ {target:g} CPU s: {verdict(cpu <= target)}"
            rows.append([job, f"{cpu:.2f}", f"{wall:.2f}", f"{peak:.0f}", outcome])
            note(f"{job}, {number:,} contests", cpu, "CPU s", most=target)
            if job == "evaluate":
                note(f"{job}, {number:,} contests, memory", peak, "MB", most=MEMORY)
    print(f"{number:,} contests, 1,000 individuals, median of {runs}")
    print_table(["", "CPU s", "wall, s", "peak MB", "target"], rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    elif sys.argv[1:2] == ["write"]:
        write(*sys.argv[2:])
    else:
        main()
