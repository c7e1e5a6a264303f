"""What must leave the result of each method unchanged, and by how much it may differ.

`python -m tests.invariances` prints the table of docs/claims.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import peckorder as po

Values = dict[str, float]  # by individual, or by name of a value
WHAT = {
    "names": "names of individuals",
    "rows": "order of rows within a time stamp",
    "count": "`count`, or repeated rows",
    "mirror": "wins and losses exchanged (results change sign or are reversed)",
    "inputs": "pandas, polars, CSV or a dictionary",
    "threads": "number of threads",
    "same": "the same call again (same seed)",
}


class Method(NamedTuple):
    """A call, what it gives, and what it is not invariant to (exactly)."""

    call: Callable[..., Any]
    values: Callable[[Any], Values]
    apart: Mapping[str, float] = MappingProxyType(
        {}
    )  # largest difference, where results are not equal
    without: tuple[str, ...] = ()  # what does not apply
    mirrored: float = -1.0  # factor of the values if wins and losses are exchanged


def ratings(found: Any) -> Values:
    """Ratings around their mean."""
    mean = float(np.mean(found.rating))
    return {
        name: float(value) - mean
        for name, value in zip(found.individuals, found.rating, strict=True)
    }


def column(name: str) -> Callable[[Any], Values]:
    """A column of a table of individuals, around its mean."""

    def values(found: Any) -> Values:
        table = found.as_polars()
        each = table[name].to_numpy()
        return dict(zip(table["individual"], (each - each.mean()).tolist(), strict=True))

    return values


def value(found: Any) -> Values:
    """The main value of a measure."""
    name = next(name for name in ("value", "h", "pt", "dci") if name in found.values)
    return {name: float(found.values[name])}


ALL_AT_ONCE = ("threads",)
METHODS = {
    "elo": Method(lambda data, threads: po.elo(data, k=80), ratings, {"rows": np.inf}, ALL_AT_ONCE),
    'elo(within="average")': Method(
        lambda data, threads: po.elo(data, k=80, within="average"),
        ratings,
        without=ALL_AT_ONCE,
    ),
    "glicko": Method(lambda data, threads: po.sport.glicko(data), ratings, without=ALL_AT_ONCE),
    "elo_ml": Method(
        lambda data, threads: po.elo_ml(data, penalized=True),
        ratings,
        without=ALL_AT_ONCE,
    ),
    "dynamic": Method(
        lambda data, threads: po.dynamic(data, samples=10, seed=1, threads=threads),
        ratings,
    ),
    "dynamic(static=True)": Method(
        lambda data, threads: po.dynamic(data, static=True, samples=10, seed=1, threads=threads),
        ratings,
        {"rows": 1e-7, "mirror": 1e-7},  # passes end when nothing changes by more
    ),
    'dynamic(clock="time")': Method(
        lambda data, threads: po.dynamic(data, clock="time", samples=10, seed=1, threads=threads),
        ratings,
    ),
    "adaptive": Method(
        lambda data, threads: po.adaptive(data, samples=10, seed=1, threads=threads),
        ratings,
    ),
    'adaptive(within="file")': Method(
        lambda data, threads: po.adaptive(data, within="file", samples=10, seed=1, threads=threads),
        ratings,
        {"rows": np.inf},
    ),
    "davids_score": Method(
        lambda data, threads: po.davids_score(data), column("ds"), without=ALL_AT_ONCE
    ),
    "bradley_terry": Method(
        lambda data, threads: po.bradley_terry(data, penalized=True),
        column("ability"),
        without=ALL_AT_ONCE,
    ),
    "steepness": Method(
        lambda data, threads: po.steepness(data, runs=100, seed=1, threads=threads),
        value,
        mirrored=1.0,
    ),
    "linearity": Method(
        lambda data, threads: po.linearity(data, runs=100, seed=1, threads=threads),
        value,
        mirrored=1.0,
    ),
    "transitivity": Method(
        lambda data, threads: po.transitivity(data, runs=100, seed=1, threads=threads),
        value,
        mirrored=1.0,
    ),
    "consistency": Method(
        lambda data, threads: po.consistency(data, runs=100, seed=1, threads=threads),
        value,
        mirrored=1.0,
    ),
    "steepness_bayes": Method(
        lambda data, threads: po.steepness_bayes(data, fair_coins=0, seed=1, threads=threads),
        value,
        {"names": 5e-3, "rows": 5e-3, "mirror": 0.02},  # of other random draws
        mirrored=1.0,
    ),
}


def record() -> dict[str, list[Any]]:
    """Contests of eight individuals, three a day."""
    random = np.random.default_rng(8)
    strength = np.linspace(1.2, -1.2, 8)
    rows = []
    for number in range(120):
        a, b = random.choice(8, 2, replace=False)
        if random.random() > 1 / (1 + np.exp(strength[b] - strength[a])):
            a, b = b, a
        day = np.datetime64("2022-01-01") + number // 3
        rows.append((f"i{a}", f"i{b}", str(day)))
    return dict(zip(("winner", "loser", "date"), map(list, zip(*rows, strict=True)), strict=True))


def table() -> str:
    """Methods by what leaves them unchanged."""
    lines = ["| method | " + " | ".join(WHAT) + " |", "|---|" + "---|" * len(WHAT)]
    for name, method in METHODS.items():
        cells = []
        for what in WHAT:
            apart = method.apart.get(what, 0.0)
            cells.append(
                "–"
                if what in method.without
                else "no"
                if np.isinf(apart)
                else "yes"
                if apart <= 1e-3
                else f"within {apart:g}"
            )
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
