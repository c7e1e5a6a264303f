"""Time and memory from a Parquet file of names to a table of Elo ratings.

Ten million contests among 20, 1,000 and 100,000 individuals are written to a temporary folder
(two columns of text, polars' default row groups). Then, each in fresh processes:

  columns  polars.read_parquet of the two columns only: the lower bound
  whole    peckorder.elo(peckorder.read(path)).table
  stream   peckorder.elo(peckorder.read(path, stream=True)).table

Wall and CPU time; median of five. Imports, and the loading of compiled code from numba's cache (by
rating one contest), are timed separately. Peak memory is that of the whole process.

Targets: whole at most 2.5 times columns, and below 600 MB; stream at most 4 times columns, and
below 300 MB; both with identical ratings.

A child process inherits the peak memory of its parent, so this one imports nothing large.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import frame_of_names, note, print_table, verdict, wants_quick, with_bytecode_in

WAYS = ("columns", "whole", "stream")
MOST = {"whole": 2.5, "stream": 4.0}  # times reading the columns


def work(way: str, path: str) -> None:
    """Run one process and print its times and memory."""
    clock = [(time.perf_counter(), time.process_time())]

    def lap() -> None:
        clock.append((time.perf_counter(), time.process_time()))

    digest = ""
    if way == "columns":
        import polars as pl

        lap()
        lap()
        pl.read_parquet(path, columns=["winner", "loser"])
        lap()
    else:
        import peckorder as po

        elo, read = po.elo, po.read  # triggers their imports
        lap()
        _ = elo(read({"winner": ["a"], "loser": ["b"]})).table  # loads compiled code
        lap()
        ratings = elo(read(path, stream=way == "stream"))
        _ = ratings.table
        lap()
        digest = hashlib.sha256(ratings.rating.tobytes()).hexdigest()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    imports, load, wall = (b[0] - a[0] for a, b in itertools.pairwise(clock))
    print(
        json.dumps(
            {
                "imports": imports,
                "load": load,
                "wall": wall,
                "cpu": clock[-1][1] - clock[-2][1],
                "peak": peak * (1 if sys.platform == "darwin" else 1024),
                "digest": digest,
            }
        )
    )


def write(number: str, individuals: str, path: str) -> None:
    frame_of_names(int(number), int(individuals)).write_parquet(path)


def fresh(folder: str, *arguments: object) -> str:
    """Run this file in a fresh process."""
    command = [sys.executable, __file__, *map(str, arguments)]
    environment = with_bytecode_in(f"{folder}/bytecode")
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def measure(folder: str, path: Path, runs: int) -> dict[str, dict[str, float]]:
    """Medians by way; prints whether both ways of peckorder give identical ratings."""
    taken: dict[str, list[dict]] = {way: [] for way in WAYS}
    for number in range(runs + 1):
        for way in WAYS:
            took = json.loads(fresh(folder, "work", way, path))
            if number > 0:  # the first round fills caches
                taken[way].append(took)
    digests = {took["digest"] for way in ("whole", "stream") for took in taken[way]}
    print(f"Ratings of whole and stream: {'identical' if len(digests) == 1 else 'DIFFERENT'}")
    return {
        way: {
            key: statistics.median(took[key] for took in those)
            for key in ("imports", "load", "wall", "cpu", "peak")
        }
        for way, those in taken.items()
    }


def report(times: dict[str, dict[str, float]], about: str) -> None:
    floor, whole, stream = (times[way] for way in WAYS)
    rows = [
        [
            way,
            *(
                f"{seconds:.2f}"
                for seconds in (
                    t["wall"],
                    t["cpu"],
                    t["wall"] / floor["wall"],
                    t["load"],
                    t["imports"],
                    t["wall"] + t["load"] + t["imports"],
                )
            ),
            f"{t['peak'] / 1e6:.0f}",
        ]
        for way, t in times.items()
    ]
    header = ["seconds", "wall", "CPU", "÷ columns", "loading", "imports", "sum", "peak MB"]
    print_table(header, rows)
    for way, most in MOST.items():
        ratio, cpu = (times[way][clock] / floor[clock] for clock in ("wall", "cpu"))
        print(f"Target {way} ≤ {most:g} × columns: {ratio:.2f} ×, {verdict(ratio <= most)}")
        note(f"{way}, {about}, wall", ratio, "× reading", most=most)
        note(f"{way}, {about}, CPU", cpu, "× reading", most=most)
    for name, t, limit in (("whole", whole, 600), ("stream", stream, 300)):
        peak = t["peak"] / 1e6
        note(f"{name}, {about}, memory", peak, "MB", most=limit)
        print(f"Target {name} < {limit} MB: {peak:.0f} MB, {verdict(peak < limit)}")
    print()


def main() -> None:
    quick = wants_quick(__doc__)
    number, runs = (500_000, 2) if quick else (10_000_000, 5)
    with tempfile.TemporaryDirectory() as folder:
        for individuals in (20, 1000, 100_000):
            path = Path(folder) / f"{individuals}.parquet"
            fresh(folder, "write", number, individuals, path)
            size = path.stat().st_size / 1e6
            print(
                f"{number:,} contests, {individuals:,} individuals, a file of {size:.0f} MB, "
                f"median of {runs}"
            )
            report(measure(folder, path, runs), f"{number:,} contests, {individuals:,} names")
            path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    elif sys.argv[1:2] == ["write"]:
        write(*sys.argv[2:])
    else:
        main()
