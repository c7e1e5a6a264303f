"""Time and memory of 100 million contests in 50 Parquet files, read as a stream.

Contests among 1,000 individuals, with a time stamp, are written to a temporary folder (about
300 MB), 2 million per file; the twin has 10 million. Then, each in fresh processes:

  columns  polars.read_parquet of the three columns, one file after another: the lower bound
  stream   for batch in peckorder.read(folder, stream=True): names coded, dates checked
  elo      peckorder.elo(peckorder.read(folder, stream=True)).table

Wall and CPU time; median of three. Imports and the loading of compiled code are not included.

Targets: peak memory below 400 MB; stream at most 2 times columns in wall time; ratings identical to
those of the complete table (10 million).

A child process inherits the peak memory of its parent, so this one imports nothing large.
"""

from __future__ import annotations

import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import frame_of_names, note, print_table, verdict, wants_quick, with_bytecode_in

FILES = 50
WAYS = ("columns", "stream", "elo")


def write(number: str, folder: str) -> None:
    """Write contests to 50 files; each file repeats the same pairs at later times."""
    import numpy as np
    import polars as pl

    each = int(number) // FILES
    pairs = frame_of_names(each, 1000)
    Path(folder).mkdir()
    for i in range(FILES):
        seconds = np.arange(i * each, (i + 1) * each) // 10
        dates = pl.Series("date", np.datetime64("2000-01-01", "us") + seconds.astype("m8[s]"))
        pairs.with_columns(dates).write_parquet(f"{folder}/part-{i}.parquet")


def work(way: str, folder: str) -> None:
    """Run one process and print its times and memory."""
    digest = ""
    if way == "columns":
        import polars as pl

        started = time.perf_counter(), time.process_time()
        for path in sorted(Path(folder).iterdir()):
            pl.read_parquet(path, columns=["winner", "loser", "date"])
    else:
        import peckorder as po

        _ = po.elo(po.read({"winner": ["a"], "loser": ["b"]})).table  # loads compiled code
        started = time.perf_counter(), time.process_time()
        if way == "stream":
            batches: Any = po.read(folder, stream=True)
            for _ in batches:
                pass
        else:
            ratings = po.elo(po.read(folder, stream=way == "elo"))
            _ = ratings.table
            digest = hashlib.sha256(ratings.rating.tobytes()).hexdigest()
    took = time.perf_counter() - started[0], time.process_time() - started[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"wall": took[0], "cpu": took[1], "peak": peak, "digest": digest}))


def fresh(folder: str, *arguments: object) -> str:
    """Run this file in a fresh process."""
    command = [sys.executable, __file__, *map(str, arguments)]
    environment = with_bytecode_in(f"{folder}/bytecode")
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def measure(folder: str, number: int, runs: int) -> dict[str, dict]:
    """Medians by way, measured alternately."""
    place = f"{folder}/{number}"
    fresh(folder, "write", number, place)
    taken: dict[str, list[dict]] = {way: [] for way in WAYS}
    for round_ in range(runs + 1):
        for way in WAYS:
            took = json.loads(fresh(folder, "work", way, place))
            if round_ > 0:  # the first round fills caches
                taken[way].append(took)
    found = {
        way: {
            key: statistics.median(took[key] for took in those) for key in ("wall", "cpu", "peak")
        }
        for way, those in taken.items()
    }
    size = sum(path.stat().st_size for path in Path(place).iterdir()) / 1e6
    print(f"{number:,} contests in {FILES} files of {size:.0f} MB together, median of {runs}")
    rows = [
        [
            way,
            *(f"{t[key]:.2f}" for key in ("wall", "cpu")),
            *(f"{t[key] / found['columns'][key]:.1f}" for key in ("wall", "cpu")),
            f"{t['peak'] / 1e6:.0f}",
        ]
        for way, t in found.items()
    ]
    print_table(["seconds", "wall", "CPU", "÷ columns", "CPU ÷ columns", "peak MB"], rows)
    found["elo"]["digest"] = taken["elo"][0]["digest"]
    return found


def main() -> None:
    quick = wants_quick(__doc__)
    small, large, runs = (100_000, 500_000, 1) if quick else (10_000_000, 100_000_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(folder, small, runs)
        whole = json.loads(fresh(folder, "work", "whole", f"{folder}/{small}"))["digest"]
        same = whole == found["elo"]["digest"]
        print(f"Ratings of the stream and of the complete table: {verdict(same)}\n")
        found = measure(folder, large, runs)
        ratio = found["stream"]["wall"] / found["columns"]["wall"]
        note(f"stream, {large:,} contests in {FILES} files", ratio, "× reading", most=2.0)
        print(f"Target stream ≤ 2 × columns: {ratio:.2f} ×, {verdict(ratio <= 2)}")
        peak = max(found[way]["peak"] for way in ("stream", "elo")) / 1e6
        note(f"stream, {large:,} contests in {FILES} files, memory", peak, "MB", most=400.0)
        print(f"Target peak memory < 400 MB: {peak:.0f} MB, {verdict(peak < 400)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    elif sys.argv[1:2] == ["write"]:
        write(*sys.argv[2:])
    else:
        main()
