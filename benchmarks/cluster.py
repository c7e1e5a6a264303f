"""Many small groups through Dask, while a worker and then the client are killed.

A study of groups of 6 individuals and 20 contests runs on a cluster of two workers of this machine,
started by another process (the client). One worker is killed at a quarter of the groups, the client
at half of them (kill -9). The same call then goes on with the folder. What it ends with is compared
with a study of some of the groups in this process. Also: how many empty tasks per second the
scheduler gets through, and what a group costs in this process.

Usage: python benchmarks/cluster.py [--quick] [--groups N]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from common import note, print_table

import peckorder as po

INDIVIDUALS, CONTESTS = 6, 20
MEASURES = ("linearity", "steepness")
SETTINGS = {"measures": {name: {"runs": 1000} for name in MEASURES}, "seed": 1}
SAMPLE = 300  # groups
TASKS = 5_000
PATIENCE = 0.2  # seconds between looks at the folder


def table(groups: int) -> pl.DataFrame:
    """Contests of all groups; the strengths of each are random."""
    random = np.random.default_rng(1)
    number = groups * CONTESTS
    group = np.repeat(np.arange(groups), CONTESTS)
    strength = random.normal(0, 1.5, (groups, INDIVIDUALS))
    a = random.integers(INDIVIDUALS, size=number)
    b = (a + random.integers(1, INDIVIDUALS, size=number)) % INDIVIDUALS
    ahead = strength[group, a] - strength[group, b]
    won = random.random(number) < 1 / (1 + np.exp(-ahead))
    sides = {"group": group, "winner": np.where(won, a, b), "loser": np.where(won, b, a)}
    return pl.DataFrame(sides).select(
        pl.concat_str(pl.lit("g" if name == "group" else "i"), name).alias(name) for name in sides
    )


class Stored:
    """How many groups the folder of a study has, files that were seen being read once."""

    def __init__(self, folder: Path):
        self.folder, self.seen = folder, {}

    def __call__(self) -> int:
        for path in (self.folder / "groups").glob("[0-9]*.json"):
            if path not in self.seen:
                self.seen[path] = path.read_bytes().count(b'"key"')
        return sum(self.seen.values())


def until(stored: Stored, number: int, client: subprocess.Popen) -> None:
    """Wait until so many groups are stored."""
    while stored() < number:
        if client.poll() is not None:
            raise SystemExit("The client ended too early.")
        time.sleep(PATIENCE)


def worker_times(client) -> dict[int, float]:
    """CPU seconds of each worker by its process."""

    def mine():
        return os.getpid(), sum(os.times()[:2])

    return dict(client.run(mine).values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few groups, for a quick check")
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--client", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        source, folder, address = given.client
        po.study(source, folder=folder, executor=address, **SETTINGS)
        return
    from distributed import Client, LocalCluster

    groups = 2_000 if given.quick else given.groups
    with (
        tempfile.TemporaryDirectory() as place,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        source, folder = Path(place) / "contests.parquet", Path(place) / "study"
        data = table(groups)
        data.write_parquet(source)
        some = data.filter(pl.col("group").str.slice(1).cast(int) % (groups // SAMPLE) == 0)
        po.study(some, executor=1, **SETTINGS)  # loads or compiles what it needs
        begin = time.process_time()
        direct = po.study(some, executor=1, **SETTINGS)
        each = (time.process_time() - begin) / direct.table.height
        begin, wall = time.process_time(), time.perf_counter()
        client.gather(client.map(abs, range(TASKS), pure=False))
        rate, cost = (TASKS / (time.perf_counter() - wall), (time.process_time() - begin) / TASKS)

        command = [sys.executable, __file__, "--client", str(source), str(folder)]
        other = subprocess.Popen([*command, cluster.scheduler_address])
        stored = Stored(folder)
        until(stored, groups // 4, other)
        os.kill(min(worker_times(client)), signal.SIGKILL)
        at_worker = stored()
        until(stored, groups // 2, other)
        other.kill()
        other.wait()
        client.wait_for_workers(1)  # the other one may not have come back
        at_client = stored()
        before, begin, wall = worker_times(client), time.process_time(), time.perf_counter()
        found = po.study(source, folder=folder, executor=client, **SETTINGS)
        wall, begin = time.perf_counter() - wall, time.process_time() - begin
        after = worker_times(client)
        twice = stored() - groups
    workers = sum(after.values()) - sum(before.get(process, 0.0) for process in after)
    done = groups - at_client
    complete = (found.table["status"] == "complete").sum()
    names = found.table.columns
    own = [name for name in names if name != "seconds"]
    both = direct.table.select("group").join(found.table, on="group", maintain_order="left")
    print(
        f"{groups:,} groups; a worker was killed after {at_worker:,}, the client after "
        f"{at_client:,}; in the end {len(after)} workers, {complete:,} groups complete, {twice:,} "
        f"stored twice; "
        f"{both.height:,} compared with this process: "
        f"{'equal' if both.select(own).equals(direct.table.select(own)) else 'DIFFERENT'}\n"
    )
    taken = (begin + workers) / done
    note("a group on a cluster, beyond its cost in one process", 1e3 * (taken - each), "ms", most=1)
    rows = [
        ["this process", f"{len(direct.table):,}", f"{1e3 * each:.2f}", ""],
        ["the cluster, resumed", f"{done:,}", f"{1e3 * taken:.2f}", f"{1e3 * wall / done:.2f}"],
        ["of which workers", "", f"{1e3 * workers / done:.2f}", ""],
        ["of which client and scheduler", "", f"{1e3 * begin / done:.2f}", ""],
    ]
    print_table(["", "groups", "CPU ms per group", "ms per group"], rows)
    print(f"Empty tasks: {rate:,.0f} per second, {1e3 * cost:.2f} CPU ms each")


if __name__ == "__main__":
    main()
