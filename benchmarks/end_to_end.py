"""From two columns of names to a table of Elo ratings, compared with other packages.

The same contests, as text in a polars data frame, are rated by peckorder (`read`, `elo`, `.table`),
evalica, elote and HierarchiaPy, all with k = 100, start 1000 and the logistic curve with scale 400.
"all" includes the conversion from the data frame to the input format of the package; "rating"
starts from that format (for peckorder: the result of `read`). Slow packages rate fewer contests and
not the large tables; costs are CPU time per contest. The ratings of each package are compared with
peckorder's.

Target: 12 times as fast as evalica, from names to table.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from common import compare, frame_of_names, note, print_table, verdict, wants_quick

import peckorder as po

INDIVIDUALS = (20, 1000)
TARGET = 12  # times as fast as evalica


@dataclass(frozen=True)
class Package:
    """How a package rates a data frame of names, and the largest number of contests it gets."""

    name: str
    module: str
    largest: int
    prepare: Callable[[pl.DataFrame], Any]
    rate: Callable[[Any], Any]
    ratings: Callable[[Any], Mapping[str, float]]

    def missing(self) -> bool:
        try:
            importlib.import_module(self.module)
        except ImportError:
            return True
        return False


def evalica_lists(frame: pl.DataFrame) -> tuple:
    """Lists, as in evalica's README."""
    from evalica import Winner

    return frame["winner"].to_list(), frame["loser"].to_list(), [Winner.X] * frame.height


def evalica_series(frame: pl.DataFrame) -> tuple:
    """pandas columns of Python strings, the fastest input format of evalica."""
    import pandas as pd
    from evalica import Winner

    columns = (pd.Series(frame[c].to_numpy(), dtype=object) for c in ("winner", "loser"))
    return *columns, [Winner.X] * frame.height


def rate_evalica(data: tuple) -> Any:
    import evalica

    return evalica.elo(*data, initial=1000.0, base=10.0, scale=400.0, k=100.0).scores


def rate_elote(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """An arena that creates its competitors, as in elote's README."""
    from elote import LambdaArena

    start = {"initial_rating": 1000.0, "k_factor": 100.0}
    arena = LambdaArena(lambda winner, loser: True, base_competitor_kwargs=start)
    for winner, loser in pairs:
        arena.matchup(winner, loser)
    return {row["competitor"]: row["rating"] for row in arena.leaderboard()}


def pandas_frame(frame: pl.DataFrame) -> Any:
    import pandas as pd

    return pd.DataFrame(frame.to_dict(as_series=False))


def rate_hierarchiapy(data: Any) -> dict[str, float]:
    from HierarchiaPy import Hierarchia

    return Hierarchia(data, "winner", "loser").elo(start_value=1000, K=100)


PACKAGES = [
    Package(
        "peckorder",
        "peckorder",
        1_000_000,
        po.read,
        lambda data: po.elo(data, k=100).table,
        lambda table: dict(zip(table["individual"], table["rating"], strict=True)),
    ),
    Package("evalica, lists", "evalica", 1_000_000, evalica_lists, rate_evalica, dict),
    Package("evalica, pandas", "evalica", 1_000_000, evalica_series, rate_evalica, dict),
    Package("elote", "elote", 20_000, lambda frame: frame.rows(), rate_elote, dict),
    Package("HierarchiaPy", "HierarchiaPy", 5_000, pandas_frame, rate_hierarchiapy, dict),
]


def difference(package: Package, frame: pl.DataFrame) -> float:
    """Largest difference of a final rating from peckorder's."""
    ours, theirs = (p.ratings(p.rate(p.prepare(frame))) for p in (PACKAGES[0], package))
    return max(abs(ours[name] - theirs[name]) for name in ours)


def compared_with_others(
    packages: list[Package], number: int, individuals: int, runs: int
) -> float:
    """Print one table; return the speed of peckorder relative to evalica."""
    frames, calls = {}, {}
    for package in packages:
        frames[package.name] = frame = frame_of_names(min(number, package.largest), individuals)
        data = package.prepare(frame)
        calls[package.name, "all"] = lambda p=package, f=frame: p.rate(p.prepare(f))
        calls[package.name, "rating"] = lambda p=package, d=data: p.rate(d)
    times = compare(calls, runs)

    def cost(name: str, part: str, clock: str = "cpu") -> float:
        return getattr(times[name, part], clock) / frames[name].height * 1e9

    rows = [
        [
            p.name,
            f"{frames[p.name].height:,}",
            *(f"{cost(p.name, part):,.0f}" for part in ("all", "rating")),
            f"{cost(p.name, 'all', 'wall'):,.0f}",
            *(f"{cost(p.name, part) / cost('peckorder', part):.1f}" for part in ("all", "rating")),
            f"{difference(p, frames[p.name]):.1e}",
        ]
        for p in packages
    ]
    print(f"{number:,} contests, {individuals:,} individuals, median of {runs}; CPU ns per contest")
    header = [
        "",
        "contests",
        "all",
        "rating",
        "wall, all",
        "all, relative",
        "rating, relative",
        "max |Δ|",
    ]
    print_table(header, rows)
    peers = [cost(p.name, "all") for p in packages if p.module == "evalica"]
    if peers:
        job = f"names to table, {number:,} contests, {individuals:,} names"
        ours, theirs = (each * number / 1e6 for each in (cost("peckorder", "all"), min(peers)))
        note(job, ours, "ms", peer=("evalica", theirs), times_peer=TARGET)
    return min(peers, default=float("nan")) / cost("peckorder", "all")


def main() -> None:
    quick = wants_quick(__doc__)
    packages = []
    for package in PACKAGES:
        if package.missing():
            print(f'{package.name}: not installed. Install it with: pip install "peckorder[bench]"')
        else:
            packages.append(package)
    small, large = (5_000, 20_000) if quick else (100_000, 1_000_000)
    fast = [package for package in packages if package.largest >= large]
    for number, those in ((small, packages), (large, fast)):
        for individuals in INDIVIDUALS:
            ratio = compared_with_others(those, number, individuals, 3 if quick else 5)
            if ratio == ratio:
                print(
                    f"Target ≥ {TARGET} × evalica (faster input format): {ratio:.1f} ×, "
                    f"{verdict(ratio >= TARGET)}\n"
                )
    print(
        "relative: time divided by peckorder's. max |Δ|: largest difference from peckorder's\n"
        "rating of the same contests. elote also keeps a history and has a minimum rating of\n"
        "100; HierarchiaPy also computes a matrix and rounds to 4 decimals."
    )


if __name__ == "__main__":
    main()
