"""Time and memory from a PostgreSQL query of a million contests to data and to Elo ratings.

A server is started for the measurement (tests/postgres_server.py; PostgreSQL must be installed) and
filled with a million contests among 500 individuals, with dates. Then, each in fresh processes:

  driver  the Arrow driver (ADBC) alone: the query as a polars table
  read    peckorder.read of the same query
  stream  peckorder.elo(peckorder.read(…, stream=True))

Wall time, median of five, without imports and without loading compiled code (by rating a few
contests first). Memory is what the peak of the process grows by from then on.

Targets: read at most 2 times driver; stream grows by less than 100 MB.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common import note, print_table, verdict, wants_quick

sys.path.append(str(Path(__file__).parent.parent))
WAYS = ("driver", "read", "stream")
STORED = "select winner, loser, date from contests"
QUERIES = {"as stored": STORED, "sorted by the server": f"{STORED} order by date"}
FILL = """
create table contests as
    select 'id' || (random() * 499)::int as winner, 'ix' || (random() * 499)::int as loser,
           date '2000-01-01' + g / 100 as date
    from generate_series(1, {number}) g;
analyze contests;
"""


def work(way: str, address: str, query: str) -> None:
    """Run one process and print its time and memory."""
    import polars as pl
    from adbc_driver_postgresql import dbapi

    if way == "driver":
        before = peak()
        begin = time.perf_counter()
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            table = pl.DataFrame(cursor.fetch_arrow())
        number = table.height
    else:
        import peckorder as po

        read, elo = po.read, po.elo
        few = {"winner": ["a", "b"], "loser": ["b", "a"], "date": ["2000-01-02", "2000-01-01"]}
        elo(read(few))  # loads compiled code
        before = peak()
        begin = time.perf_counter()
        data = read(address, query=query, stream=way == "stream")
        number = elo(data).record.contests.sum() // 2 if way == "stream" else len(data)
    wall = time.perf_counter() - begin
    print(json.dumps({"wall": wall, "growth": peak() - before, "number": int(number)}))


def peak() -> int:
    """Most memory of this process until now, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024)


def measure(address: str, password: str, query: str, runs: int) -> dict[str, dict[str, float]]:
    """Medians by way; the ways take turns."""
    taken: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for number in range(runs + 1):
        for way in WAYS:
            done = subprocess.run(
                [sys.executable, __file__, "work", way, address, query],
                check=True,
                stdout=subprocess.PIPE,
                env={**os.environ, "PGPASSWORD": password},
            )
            if number > 0:  # the first round fills caches
                taken[way].append(json.loads(done.stdout))
    return {
        way: {key: statistics.median(took[key] for took in those) for key in those[0]}
        for way, those in taken.items()
    }


def main() -> None:
    from tests import postgres_server

    quick = wants_quick(__doc__)
    number, runs = (20_000, 1) if quick else (1_000_000, 5)
    if postgres_server.programs() is None:
        print("PostgreSQL is not installed: skipped.")
        return
    with postgres_server.running() as server:
        server.run(FILL.format(number=number))
        for order, query in QUERIES.items():
            times = measure(server.address, postgres_server.PASSWORD, query, runs)
            print(f"{number:,} contests from PostgreSQL, {order}; median of {runs}")
            report(times)


def report(times: dict[str, dict[str, float]]) -> None:
    if len({took["number"] for took in times.values()}) != 1:
        raise SystemExit("The ways read different numbers of contests.")
    floor = times["driver"]["wall"]
    rows = [
        [way, f"{took['wall']:.2f}", f"{took['wall'] / floor:.2f}", f"{took['growth'] / 1e6:.0f}"]
        for way, took in times.items()
    ]
    print_table(["seconds", "wall", "÷ driver", "growth MB"], rows)
    ratio, growth = times["read"]["wall"] / floor, times["stream"]["growth"] / 1e6
    note("PostgreSQL to data", ratio, "× driver", most=2.0)
    note("PostgreSQL, growth of a stream", growth, "MB", most=100.0)
    print(f"Target read ≤ 2 × driver: {ratio:.2f} ×, {verdict(ratio <= 2)}")
    print(f"Target growth of stream < 100 MB: {growth:.0f} MB, {verdict(growth < 100)}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    else:
        main()
