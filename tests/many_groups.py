"""Groups for the tests of studies, and measures that worker processes can import.

Measures that misbehave leave marks in a folder named by an environment variable, which the
processes they run in inherit.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import polars as pl

import peckorder as po

MARKS = "PECKORDER_TEST_MARKS"
PATIENCE = 120  # seconds


def table(groups: int = 6) -> pl.DataFrame:
    """Contests of several groups of different size."""
    parts = []
    for number in range(groups):
        _, data = po.simulate.hierarchy(
            individuals=4 + number % 3, contests=30, spread=2, seed=number
        )
        columns = data.frame().select("winner", "loser")
        parts.append(columns.with_columns(group=pl.lit(f"g{number}")))
    return pl.concat(parts)


def same(one: po.Study, other: po.Study) -> bool:
    """Whether two studies have the same results, bit by bit, however long they took."""
    tables = [found.as_polars().drop("seconds") for found in (one, other)]
    if not tables[0].equals(tables[1], null_equal=True):
        return False
    for name, groups in one.parts["draws"].items():
        if list(groups) != list(other.parts["draws"][name]):
            return False
        if groups and not one.draws(name).equals(other.draws(name)):
            return False
    return True


def marked(name: str) -> Path:
    return Path(os.environ[MARKS]) / name


def sampled(data: po.Contests, seed: int) -> dict[str, object]:
    """Random numbers: the same wherever they are drawn."""
    draws = np.random.default_rng(seed).normal(len(data.individuals), 1, 50)
    return {"value": draws, "contests": len(data)}


def deadly(data: po.Contests) -> float:
    """Ends its process in the groups of six individuals, each time."""
    if len(data.individuals) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(len(data))


def deadly_once(data: po.Contests, seed: int) -> float:
    """Ends its process the first time that it meets a group of six individuals."""
    if len(data.individuals) == 6:
        try:
            marked("died").touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return float(np.random.default_rng(seed).random())


def noted(data: po.Contests, seed: int) -> float:
    """Notes the process and each group that it computes; waits in one group while told to."""
    assert data.group is not None
    group = data.group.names[0]
    with marked("computed").open("a") as file:
        file.write(f"{group} {os.getpid()}\n")
    until = time.monotonic() + PATIENCE
    while group == "g3" and marked("hold").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return float(np.random.default_rng(seed).random())


def refused(data: po.Contests) -> float:
    raise po.DataError("This group has no value.")


def faulty(data: po.Contests) -> float:
    return 1 / (len(data.individuals) - 4)


def plus(base: int, item: int) -> int:
    return base + item


def fails_at_three(base: int, item: int) -> int:
    if item == 3:
        raise po.DataError("three")
    return item


def process(shared: None, item: int) -> int:
    time.sleep(0.01)
    return os.getpid()


def prints(shared: None, item: int) -> int:
    print("printed by the work")
    return item


def slowly(data: po.Contests, seed: int) -> float:
    """A random number that takes its time."""
    time.sleep(0.4)
    return float(np.random.default_rng(seed).random())
