"""How often reading raises a doubt: about clean records with a further column, and about traps.

Contests are drawn with replacement from the shipped records, so that their rankings are real. A
column that is independent of them (`CLEAN`) must seldom be doubted; a column or cells that matter
(`TRAPS`) should be. Columns are headed `Q7`, which is no word of any list. A doubt is one that asks
or refuses.

    python benchmarks/doubts.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import peckorder as po

RECORDS = ("adv", "bonobos", "table3")
SIZES = (20, 40, 100)
Table = dict[str, list[str]]
Change = Callable[[np.random.Generator, Table], Table]


def drawn(random: np.random.Generator, name: str, size: int) -> Table:
    """Contests of a shipped record, drawn with replacement, with dates that rise."""
    data = getattr(po.datasets, name)()
    places = random.integers(0, len(data), size)
    names = np.array(data.individuals)
    days = np.datetime64("2021-03-01") + np.sort(random.integers(0, size, size))
    return {
        "date": days.astype(str).tolist(),
        "winner": names[data.winner[places]].tolist(),
        "loser": names[data.loser[places]].tolist(),
    }


def texts(values: np.ndarray) -> list[str]:
    return [str(value) for value in values.tolist()]


def added(make: Callable[[np.random.Generator, int], list[str]]) -> Change:
    """A further column that is made without looking at the contests."""
    return lambda random, table: table | {"Q7": make(random, len(table["winner"]))}


CLEAN: dict[str, Change] = {
    "nothing": lambda random, table: table,
    "2 categories": added(lambda r, n: texts(r.choice(["north", "south"], n))),
    "3 categories": added(lambda r, n: texts(r.choice(["low", "middle", "high"], n))),
    "6 categories": added(lambda r, n: texts(r.choice(list("KLMNOP"), n))),
    "durations": added(lambda r, n: texts(r.gamma(2, 20, n).round(1))),
    "counts": added(lambda r, n: texts(r.poisson(3, n))),
    "random walk": added(lambda r, n: texts((20 + r.normal(0, 0.5, n).cumsum()).round(1))),
    "temperatures": added(lambda r, n: texts(r.normal(20, 4, n).round(1))),
    "yes and no": added(lambda r, n: texts(r.choice(["yes", "no"], n))),
    "codes": added(lambda r, n: [f"v{x}" for x in r.integers(0, 500, n)]),
    "remarks": added(lambda r, n: texts(r.choice(["", "", "at the feeder", "rain"], n))),
}


def second_group(random: np.random.Generator, table: Table) -> Table:
    """Half of the rows are of another group with the same names in another order."""
    size = len(table["winner"])
    names = sorted({*table["winner"], *table["loser"]})
    other = dict(zip(names, random.permutation(names).tolist(), strict=True))
    group = random.integers(0, 2, size)
    sides = {
        side: [other[x] if g else x for x, g in zip(table[side], group, strict=True)]
        for side in ("winner", "loser")
    }
    return table | sides | {"Q7": texts(group)}


def reversed_rows(random: np.random.Generator, table: Table) -> Table:
    """A quarter of the rows has the loser first."""
    turned = random.random(len(table["winner"])) < 0.25
    pairs = zip(table["winner"], table["loser"], turned, strict=True)
    sides = [(b, a) if t else (a, b) for a, b, t in pairs]
    return table | {
        "winner": [a for a, _ in sides],
        "loser": [b for _, b in sides],
        "Q7": ["yes" if t else "no" for t in turned],
    }


def times_of_day(random: np.random.Generator, table: Table) -> Table:
    times = [
        f"{h:02d}:{m:02d}" for h, m in random.integers((6, 0), (20, 60), (len(table["date"]), 2))
    ]
    return table | {"Q7": times, "date": ["2021-03-01"] * len(times)}


def running(random: np.random.Generator, table: Table) -> Table:
    number = random.permutation(len(table["date"])) + 1
    return {name: table[name] for name in ("winner", "loser")} | {"Q7": texts(number)}


def marks(random: np.random.Generator, table: Table) -> Table:
    return table | {"Q7": np.where(random.random(len(table["date"])) < 0.1, "x", "").tolist()}


def six_digits(random: np.random.Generator, table: Table) -> Table:
    return table | {"date": [f"{d[8:]}{d[5:7]}{d[2:4]}" for d in table["date"]]}


def wrong_year(random: np.random.Generator, table: Table) -> Table:
    place = int(random.integers(1, len(table["date"]) - 1))
    return table | {"date": [f"1{d[1:]}" if i == place else d for i, d in enumerate(table["date"])]}


def odd_name(random: np.random.Generator, table: Table) -> Table:
    """One cell has a name with a mark, which does not meet the name."""
    place = int(random.integers(0, len(table["winner"])))
    form = random.choice(["{}*", "({})", "{}?", "#{}", "{} x3"])
    changed = [form.format(x) if i == place else x for i, x in enumerate(table["winner"])]
    return table | {"winner": changed}


TRAPS: dict[str, Change] = {
    "a second group of equal names": second_group,
    "a quarter of the rows reversed": reversed_rows,
    "times of day, one date": times_of_day,
    "running numbers, shuffled": running,
    "sparse marks": marks,
    "dates as ddmmyy": six_digits,
    "one wrong year": wrong_year,
    "one name with a mark": odd_name,
}


def doubted(table: Table) -> bool:
    """Whether a table is read with a doubt that asks or refuses."""
    _, doubts = po.propose(table)
    return any(doubt.severity != "note" for doubt in doubts)


def rates(changes: dict[str, Change], runs: int) -> None:
    """The number of doubted tables for each change and number of contests."""
    print(f"{'':32}" + "".join(f"{f'{size} contests':>16}" for size in SIZES))
    total = [0, 0]
    for name, change in changes.items():
        cells = []
        for size in SIZES:
            found = 0
            for run in range(runs):
                random = np.random.default_rng([run, size, len(name)])
                found += doubted(change(random, drawn(random, RECORDS[run % 3], size)))
            cells.append(f"{found}/{runs}")
            total = [total[0] + found, total[1] + runs]
        print(f"{name:32}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
    print(f"{'all':32}{total[0]}/{total[1]} ({total[0] / total[1]:.1%})")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=30)
    arguments = parser.parse_args()
    runs = 3 if arguments.quick else arguments.runs
    began = time.perf_counter()
    print("Doubts about clean records")
    rates(CLEAN, runs)
    print("\nDoubts about traps")
    rates(TRAPS, runs)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
