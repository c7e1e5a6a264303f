"""How should adaptive ratings learn from ties? Davidson's model against half a win for each side.

Simulated three-way contests: ties as in Davidson's model, ties within a threshold of the difference
(Rao & Kupper 1967), and ties that do not depend on strength; football-like groups and steep ones,
constant and drifting. Both rules predict a win, a tie and a loss of every contest from the contests
before it; they differ in what a filter learns from an outcome:

- Davidson: each filter has one of several ν and conditions on Davidson's probabilities.
- half: a filter conditions on √(pq) for a tie and on p for a win, and ν is averaged on top of it.

Printed: log loss per contest of each, of the filters alone and averaged with Elo as in adaptive
ratings, and the paired differences with their Monte Carlo errors.

Usage: python benchmarks/adaptive_ties.py [--sets 40] [--contests 600]
"""

import argparse

import numpy as np
from common import print_table

from peckorder.kernels.adaptive import blend, shared_average
from peckorder.kernels.filters import outcome_chances
from peckorder.ratings.adaptive_filter import (
    NUS,
    SHARE,
    adaptive_record,
    adaptive_table,
    run_adaptive,
)
from peckorder.ratings.filter_runner import predicted_differences, run_filters

NEARLY_NO_TIES = 1e-6  # of ν: a tie then says √(pq) and a win says p
NU_COLUMN, LAPSE_COLUMN = 5, 6


def outcomes(ahead: float, kind: str, ties: float) -> tuple[float, float]:
    """Probabilities of a win and of a tie."""
    p = 1 / (1 + np.exp(-ahead))
    if kind == "Davidson":
        odds = ties * np.sqrt(p * (1 - p))
        return p / (1 + odds), odds / (1 + odds)
    if kind == "threshold":
        win, loss = 1 / (1 + np.exp(ties - ahead)), 1 / (1 + np.exp(ties + ahead))
        return win, 1 - win - loss
    return p * (1 - ties), ties


WORLDS = {  # individuals, spread, drift, kind of ties, their parameter
    "football, Davidson": (20, 0.6, 0.0, "Davidson", 0.75),
    "football, threshold": (20, 0.6, 0.0, "threshold", 0.6),
    "football, unrelated": (20, 0.6, 0.0, "unrelated", 0.25),
    "football, drift": (20, 0.6, 0.03, "Davidson", 0.75),
    "steep, Davidson": (12, 2.0, 0.0, "Davidson", 0.5),
    "steep, threshold": (12, 2.0, 0.0, "threshold", 0.4),
    "steep, unrelated": (12, 2.0, 0.0, "unrelated", 0.1),
    "mostly ties": (12, 1.0, 0.0, "Davidson", 4.0),
}


def record_of(name: str, contests: int, random: np.random.Generator):
    """Winners, losers (any order in a tie) and ties of one world."""
    individuals, spread, drift, kind, ties = WORLDS[name]
    rating = random.normal(0, spread, individuals)
    rows = []
    for _ in range(contests):
        a, b = random.choice(individuals, 2, replace=False)
        win, tie = outcomes(rating[a] - rating[b], kind, ties)
        u = random.random()
        rows.append((a, b, True) if u < tie else (a, b, False) if u < tie + win else (b, a, False))
        rating += drift * random.normal(size=individuals)
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def by_davidson(winner, loser, tied, individuals: int) -> np.ndarray:
    """Log probability of each outcome by filters that condition on Davidson's probabilities."""
    record, _ = adaptive_record(winner, loser, individuals, tied=tied)
    table = np.repeat(adaptive_table(), len(NUS), axis=0)
    table[:, NU_COLUMN], table[:, LAPSE_COLUMN] = np.tile(NUS, len(table) // len(NUS)), 0.0
    return averaged(run_filters(record, table).log_chances)


def by_halves(winner, loser, tied, individuals: int) -> np.ndarray:
    """The same by filters for which a tie is half a win of each side."""
    record, _ = adaptive_record(winner, loser, individuals, tied=tied)
    table = adaptive_table()
    table[:, NU_COLUMN], table[:, LAPSE_COLUMN] = NEARLY_NO_TIES, 0.0
    win, tie = np.empty((2, len(table), winner.size))
    outcome_chances(*predicted_differences(record, table)[:2], NEARLY_NO_TIES, 0.0, win, tie)
    odds = np.array(NUS)[:, None, None] * np.sqrt(win * (1 - win))
    chance = np.where(tied, odds, win) / (1 + odds)
    return averaged(np.log(chance).reshape(-1, winner.size))


def averaged(log_chances: np.ndarray) -> np.ndarray:
    """The average that adaptive ratings use."""
    filters, contests = log_chances.shape
    chance = np.empty(contests)
    prior, each = np.full(filters, 1 / filters), np.arange(contests + 1)
    weights = np.empty((contests + 1, filters))
    shared_average(log_chances, log_chances, each, SHARE, prior, weights, chance)
    return np.log(chance)


def with_elo(log_chance: np.ndarray, elo: np.ndarray) -> np.ndarray:
    """Log probability of each outcome after averaging with Elo."""
    shares, chance = np.empty(elo.size + 1), np.empty(elo.size)
    blend(np.exp(log_chance), elo, np.arange(elo.size + 1), shares, chance)
    return np.log(chance)


def study(name: str, sets: int, contests: int) -> np.ndarray:
    """Log loss per contest in each data set: both rules alone, both with Elo, and Elo."""
    losses = []
    for number in range(sets):
        random = np.random.default_rng([len(name), contests, number])
        winner, loser, tied = record_of(name, contests, random)
        args = winner.astype(np.int32), loser.astype(np.int32), tied, WORLDS[name][0]
        elo = run_adaptive(*args[:2], individuals=args[3], tied=tied).elo_probability
        alone = [rule(*args) for rule in (by_davidson, by_halves)]
        each = [*alone, *(with_elo(one, elo) for one in alone), np.log(elo)]
        losses.append([-one.mean() for one in each])
    return np.array(losses)


def paired(one: np.ndarray, other: np.ndarray) -> str:
    """Mean difference over data sets, with its Monte Carlo error."""
    apart = one - other
    return f"{apart.mean():+.4f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--contests", type=int, default=600)
    args = parser.parse_args()
    rows = []
    for name in WORLDS:
        davidson, half, with_davidson, with_half, elo = study(name, args.sets, args.contests).T
        rows.append(
            (
                name,
                f"{with_davidson.mean():.4f}",
                f"{with_half.mean():.4f}",
                paired(with_davidson, with_half),
                paired(davidson, half),
                paired(with_davidson, elo),
            )
        )
    heads = ("Davidson", "half", "difference", "without Elo", "Davidson − Elo")
    print_table(("world", *heads), rows)


if __name__ == "__main__":
    main()
