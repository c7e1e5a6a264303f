"""Contests per second of the compiled Elo loop, on one core.

Ten million contests among 20 and among a million individuals, coded as integers, with each win
curve, EloRating's rounding and FIDE's k; median of five runs after a warm-up, including the setup
of the starting ratings. For comparison, a plain Python loop over a dict of floats; and the cost per
contest by the number of contests.

Targets (logistic curve): 30 million contests per second among 20 individuals, 10 million among a
million.
"""

from __future__ import annotations

import numpy as np
from common import compare, contests, note, print_table, verdict, wants_quick

from peckorder.curves import Logistic, Normal, Table
from peckorder.ratings.replay import EloState, advance
from peckorder.ratings.settings import PRESETS, EloSettings

SETTINGS = {
    "logistic": EloSettings(curve=Logistic()),
    "normal": EloSettings(curve=Normal()),
    "table": EloSettings(curve=Table()),
    "EloRating (normal, rounded)": EloSettings(**PRESETS["EloRating"]),
    "FIDE (logistic, k by state)": EloSettings(**PRESETS["FIDE"]),
}
TARGETS = {20: 30e6, 1_000_000: 10e6}


def rate(winner: np.ndarray, loser: np.ndarray, individuals: int, settings: EloSettings) -> None:
    k = 1.0 if isinstance(settings.k, str) else settings.k
    state = EloState.of(np.full(individuals, 1000.0))
    advance(state, settings, winner, loser, np.ones(1), np.full((1, 2), k), np.zeros(1))


def rate_in_python(winner: list[str], loser: list[str]) -> dict[str, float]:
    rating = dict.fromkeys([*winner, *loser], 1000.0)
    for a, b in zip(winner, loser, strict=True):
        gain = 100.0 * (1.0 - 1.0 / (1.0 + 10.0 ** ((rating[b] - rating[a]) / 400.0)))
        rating[a] += gain
        rating[b] -= gain
    return rating


def by_settings(number: int, runs: int) -> None:
    rows = []
    for individuals, target in TARGETS.items():
        winner, loser = contests(number, individuals)
        calls = {
            name: lambda s=settings, w=winner, b=loser, n=individuals: rate(w, b, n, s)
            for name, settings in SETTINGS.items()
        }
        for name, times in compare(calls, runs).items():
            speed = number / times.wall
            if name == "logistic":
                job = f"compiled loop, {individuals:,} individuals"
                note(job, speed / 1e6, "million/s", least=target / 1e6)
            target_text = (
                f"≥ {target / 1e6:.0f}: {verdict(speed >= target)}" if name == "logistic" else ""
            )
            costs = (f"{seconds / number * 1e9:.1f}" for seconds in (times.wall, times.fastest))
            rows.append([name, f"{individuals:,}", f"{speed / 1e6:.1f}", *costs, target_text])
    print(f"Compiled loop, {number:,} contests, median of {runs}")
    header = ["", "individuals", "million/s", "ns/contest", "ns, fastest run", "target"]
    print_table(header, rows)


def compared_with_python(number: int, runs: int) -> None:
    winner, loser = contests(number, 20)
    names = [[f"animal {code}" for code in codes.tolist()] for codes in (winner, loser)]
    calls = {
        "plain Python": lambda: rate_in_python(*names),
        "compiled loop": lambda: rate(winner, loser, 20, SETTINGS["logistic"]),
    }
    times = compare(calls, runs)
    slowest = times["plain Python"].wall
    rows = [
        [
            name,
            f"{number / t.wall / 1e6:.2f}",
            f"{t.wall / number * 1e9:.1f}",
            f"{slowest / t.wall:.1f}",
        ]
        for name, t in times.items()
    ]
    print(f"Compared with plain Python, {number:,} contests, 20 individuals, logistic")
    print_table(["", "million/s", "ns/contest", "times faster"], rows)


def by_length(number: int, runs: int) -> None:
    rows = []
    for length in (number, 2 * number, 4 * number, 8 * number):
        winner, loser = contests(length, 20)
        calls = {"": lambda w=winner, b=loser: rate(w, b, 20, SETTINGS["logistic"])}
        seconds = compare(calls, runs)[""].wall
        rows.append([f"{length:,}", f"{seconds:.3f}", f"{seconds / length * 1e9:.1f}"])
    print("Cost by number of contests, 20 individuals, logistic")
    print_table(["contests", "seconds", "ns/contest"], rows)


def main() -> None:
    quick = wants_quick(__doc__)
    by_settings(200_000 if quick else 10_000_000, 3 if quick else 5)
    compared_with_python(20_000 if quick else 200_000, 3 if quick else 5)
    by_length(100_000 if quick else 1_000_000, 3 if quick else 5)


if __name__ == "__main__":
    main()
