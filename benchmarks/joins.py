"""Joins of ratings to a user's own table: rows per second, with and without posterior draws.

Elo ratings of 10 million contests of 50 individuals over ten years are joined to 100,000 rows of
individuals and dates. A posterior (6,000 draws) and dynamic ratings (4,000 draws) of 44 individuals
and 1,000 contests are joined to 10,000 rows, with intervals of ratings and ranks. Each individual
stays for five of ten years, as in a group of wild animals. Rows have random dates, so that nearly
all combinations of individual and state differ.

Targets: 1 CPU second for the first, 5 seconds for the posterior.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl
from common import contests, cpu_seconds, note, print_table, verdict, wants_quick

import peckorder as po

FIRST_DAY = np.datetime64("2010-01-01")
DAYS = 3650


def group(number: int, individuals: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Winners, losers and minutes of contests in a group in which each stays for five years."""
    random = np.random.default_rng(3)
    strength = random.normal(0.0, 1.5, individuals)
    stay = DAYS * 1440 // 2
    arrival = random.integers(-stay, DAYS * 1440, individuals)
    minutes = np.sort(random.integers(DAYS * 1440, size=number))
    winner, loser = np.empty((2, number), np.int64)
    for i, now in enumerate(minutes):
        here = np.flatnonzero((arrival <= now) & (now < arrival + stay))
        a, b = random.choice(here, 2, replace=False)
        ahead = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        winner[i], loser[i] = (a, b) if ahead else (b, a)
    return winner, loser, minutes


def dated(winner: np.ndarray, loser: np.ndarray, minutes: np.ndarray | None = None) -> po.Contests:
    """Contests of ten years, at random times unless given; presence from these contests."""
    known = minutes is not None
    if minutes is None:
        minutes = np.sort(np.random.default_rng(1).integers(DAYS * 1440, size=len(winner)))
    names = pl.Series([f"animal {i}" for i in range(int(max(winner.max(), loser.max())) + 1)])
    table = pl.DataFrame(
        {
            "winner": names.gather(pl.Series(winner)),
            "loser": names.gather(pl.Series(loser)),
            "date": (FIRST_DAY + minutes.astype("m8[m]")).astype("M8[us]"),
        }
    )
    return po.read(table, presence="inferred" if known else None)


def rows_of(data: po.Contests, number: int) -> pl.DataFrame:
    """Random individuals and days on which they are present."""
    random = np.random.default_rng(2)
    who = random.integers(len(data.individuals), size=number)
    first, stay = np.zeros(len(data.individuals), int), np.full(len(data.individuals), DAYS)
    if data.presence is not None:
        places = [data.code(name) for name in data.presence.individual]
        first[places] = (data.presence.start - FIRST_DAY).astype(int)
        stay[places] = (data.presence.end - data.presence.start).astype(int) + 1
    day = first[who] + (random.random(number) * stay[who]).astype(int)
    return pl.DataFrame(
        {
            "mother": pl.Series(data.individuals).gather(pl.Series(who)),
            "birth": FIRST_DAY + day.astype("m8[D]"),
        }
    )


def timed(ratings: po.Ratings, table: pl.DataFrame, **more) -> tuple[float, float]:
    """Wall and CPU seconds of the second of two joins."""
    wall = cpu = 0.0
    for _ in range(2):
        wall, cpu = time.perf_counter(), cpu_seconds()
        ratings.at_dates(table, individual="mother", date="birth", **more)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    return wall, cpu


def main() -> None:
    quick = wants_quick(__doc__)
    large, many, few, number = (10**5, 10**4, 500, 300) if quick else (10**7, 10**5, 10**4, 1000)
    rows, found = [], {}
    data = dated(*contests(large, 50))
    found["elo"] = timed(po.elo(data), rows_of(data, many))
    rows.append(["elo", f"{large:,}", "50", f"{many:,}"])
    data = dated(*group(number, 44))
    fits = {
        "elo_bayes": po.elo_bayes(data, seed=1),
        "dynamic": po.dynamic(data, seed=1),
    }
    for name, fit in fits.items():
        found[name] = timed(fit, rows_of(data, few))
        rows.append([name, f"{number:,}", "44", f"{few:,}"])
    found["elo_bayes, draws=200"] = timed(fits["elo_bayes"], rows_of(data, few // 10), draws=200)
    rows.append(["elo_bayes, draws=200", f"{number:,}", "44", f"{few // 10:,}"])
    for row in rows:
        row += [f"{seconds:.2f}" for seconds in found[row[0]]]
    print_table(["", "contests", "individuals", "rows", "wall, s", "CPU, s"], rows)
    if not quick:
        wall, cpu = found["elo_bayes"][0], found["elo"][1]
        note("join, elo", cpu, "CPU s", most=1.0)
        note("join with intervals, elo_bayes", wall, "s", most=5.0)
        print(f"Elo, target 1 CPU second: {cpu:.2f}, {verdict(cpu <= 1)}.")
        print(f"Posterior, target 5 seconds: {wall:.2f}, {verdict(wall <= 5)}.")


if __name__ == "__main__":
    main()
