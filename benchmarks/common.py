"""Simulated contests, timing and tables, shared by the benchmarks."""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # parquet.py and shell.py must not import anything large: see parquet.py
    import numpy as np
    import polars as pl

    from peckorder.data.contests import Contests
    from peckorder.data.matrix import Matrix


def wants_quick(description: str | None) -> bool:
    """Whether --quick is given: a short run whose timings are not meaningful."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    return parser.parse_args().quick


def contests(number: int, individuals: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of winners and losers: random pairs, won by the logistic curve of true ratings."""
    import numpy as np

    random = np.random.default_rng(20260101)
    true = random.normal(1000.0, 150.0, individuals)
    a = random.integers(individuals, size=number, dtype=np.int32)
    b = (a + random.integers(1, individuals, size=number, dtype=np.int32)) % individuals
    won = random.random(number) < 1.0 / (1.0 + 10.0 ** ((true[b] - true[a]) / 400.0))
    return np.where(won, a, b).astype(np.int32), np.where(won, b, a).astype(np.int32)


def frame_of_names(number: int, individuals: int) -> pl.DataFrame:
    """The same contests as two columns of text."""
    import polars as pl

    names = pl.Series([f"animal {i}" for i in range(individuals)])
    winner, loser = (names.gather(pl.Series(codes)) for codes in contests(number, individuals))
    return pl.DataFrame({"winner": winner, "loser": loser})


def elo_contests(
    number: int, individuals: int, k: float, sigma: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Winners and losers simulated from the model of `elo_bayes`, and the final true ratings."""
    import numpy as np

    rating = random.normal(0.0, sigma, individuals).tolist()
    a = random.integers(individuals, size=number)
    b = (a + random.integers(1, individuals, size=number)) % individuals
    winner, loser = a.tolist(), b.tolist()
    for i, chance in enumerate(random.random(number).tolist()):
        one, other = winner[i], loser[i]
        expected = 1.0 / (1.0 + math.exp(rating[other] - rating[one]))
        if chance >= expected:
            winner[i], loser[i] = one, other = other, one
            expected = 1.0 - expected
        rating[one] += k * (1.0 - expected)
        rating[other] -= k * (1.0 - expected)
    return np.array(winner), np.array(loser), np.array(rating)


def as_data(winner: np.ndarray, loser: np.ndarray) -> Contests:
    """Codes as Contests; individuals are named by their codes."""
    import polars as pl

    import peckorder as po

    return po.read(pl.DataFrame({"winner": winner.astype(str), "loser": loser.astype(str)}))


def cpu_seconds() -> float:
    """User and system seconds of this process and of its finished children."""
    return sum(os.times()[:4])


def with_bytecode_in(folder: str) -> dict[str, str]:
    """An environment in which fresh processes cache their bytecode in a folder.

    Otherwise a setting such as PYTHONDONTWRITEBYTECODE would make each process compile all its
    imports.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": folder}


def one_row_per_contest(matrix: Matrix) -> Any:
    """A matrix of wins as a pandas table of winners and losers."""
    import numpy as np
    import polars as pl

    names = np.array(matrix.individuals)
    winner, loser = np.nonzero(matrix.wins)
    times = matrix.wins[winner, loser]
    frame = pl.DataFrame(
        {"winner": np.repeat(names[winner], times), "loser": np.repeat(names[loser], times)}
    )
    return frame.to_pandas()


@dataclass(frozen=True)
class Times:
    """Seconds of a call: medians, and the fastest run."""

    wall: float
    cpu: float
    fastest: float = 0.0


def compare(calls: Mapping[str, Callable[[], object]], runs: int) -> dict[str, Times]:
    """Median times of several calls, run alternately after one warm-up each."""
    for call in calls.values():
        call()
    taken: dict[str, list[Times]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            result = call()
            taken[name].append(Times(time.perf_counter() - wall, time.process_time() - cpu))
            del result
    return {name: median(times) for name, times in taken.items()}


def median(times: Sequence[Times]) -> Times:
    wall, cpu = (statistics.median(getattr(t, name) for t in times) for name in ("wall", "cpu"))
    return Times(wall, cpu, min(t.wall for t in times))


def note(
    job: str,
    ours: float,
    unit: str,
    *,
    peer: tuple[str, float] | None = None,
    most: float | None = None,
    least: float | None = None,
    times_peer: float | None = None,
) -> None:
    """Note a result for the table of `make bench`, in the file named by the variable BENCH_ROWS.

    `peer` is the fastest other way and its value in the same unit. Targets: `most` and `least` are
    limits of our value, `times_peer` of how many times we are as fast as the peer. Rates have a
    unit with "/", such as settings/s; of all other units, less is better.
    """
    path = os.environ.get("BENCH_ROWS")
    if not path:
        return
    row = {
        "program": Path(sys.argv[0]).stem,
        "job": job,
        "ours": ours,
        "unit": unit,
        "peer": peer,
        "most": most,
        "least": least,
        "times_peer": times_peer,
        "quick": "--quick" in sys.argv,
    }
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table, the first column left-aligned, the others right-aligned."""
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    lines.insert(1, ["-" * width for width in widths])
    for first, *others in lines:
        rest = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join([first.ljust(widths[0]), *rest]).rstrip())
    print()
