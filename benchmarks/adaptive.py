"""Adaptive ratings: do hindsight intervals hold the truth, and do they predict better?

Simulated groups with known strengths at every contest, in eight worlds: the model itself (spread,
drift, coefficients, dyadic effects and entry level drawn from the prior, a third of the individuals
entering later), constant strengths, random drift, a takeover (the first and a low-ranked individual
exchange strengths), winner effects (a winner gains, a loser loses, for a while), dyads (pairs
differ from what strengths suggest), equal individuals, and an even sport season.

1. Coverage: share of true strengths inside 95% and 80% intervals given all contests, after a
   quarter, a half, three quarters and all of the record; in the takeover also for the two
   concerned. Intervals are those of `ratings.at(contest)`.
2. Prediction: log loss per contest, and paired differences to averaged Elo, Glicko and dynamic
   ratings with Monte Carlo errors over data sets; and the largest excess over averaged Elo, summed.
3. Words: how often a winner–loser effect and a memory of dyads are reported ("evidence for").
4. Speed, with --speed.

Usage: python benchmarks/adaptive.py [--sets 100] [--size 12x300,20x600] [--worlds "drift; dyads"]
       python benchmarks/adaptive.py --speed
"""

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
from common import contests as simulated_contests
from common import print_table

import peckorder as po
from peckorder.ratings.adaptive_filter import ACTIVE, DRIFTS, FOUNDING, SPREADS, run_adaptive

WORLDS = ("prior", "static", "drift", "takeover", "winner effects", "dyads", "equal", "sport")
COVERED = ("prior", "static", "drift", "takeover")
PARTS = (0.25, 0.5, 0.75, 1.0)
SURE = 0.975


class Group(NamedTuple):
    """A simulated record and its truth."""

    pairs: list[tuple[int, int]]  # winner, loser
    strength: np.ndarray  # (contests + 1, individuals), before each contest and after the last
    concerned: np.ndarray  # the two that exchange strengths; may be empty


class Model:
    """The model itself, with parameters from the prior."""

    def __init__(self, individuals: int, random: np.random.Generator):
        self.random = random
        self.spread, self.drift = random.choice(SPREADS), random.choice(DRIFTS)
        self.coefficient = random.normal(0, [0.5, 0.5, 0.5, 0.25])
        self.entry = random.normal(0, 2)
        self.dyad = np.triu(random.normal(0, 0.5, (individuals, individuals)), 1)
        self.dyad -= self.dyad.T
        self.rating = random.normal(0, self.spread, individuals)
        self.number, self.last = np.zeros(individuals), np.full(individuals, -1)
        self.outcome, self.wins = np.zeros(individuals), np.zeros((individuals, individuals))

    def arrive(self, t: int, *pair: int) -> None:
        """Newcomers enter around the mean of the recently active."""
        active = (self.last >= 0) & (t - self.last <= ACTIVE)
        new = [i for i in pair if self.number[i] == 0]
        if t >= FOUNDING and active.sum() >= 2:
            for i in new:
                level = self.rating[active].mean() + self.entry
                self.rating[i] = level + self.random.normal(0, self.spread)

    def ahead(self, t: int, a: int, b: int) -> float:
        """The logit of a win of a."""
        recent = self.outcome * 0.9 ** (t - 1 - self.last)
        features = (
            np.log((1 + self.number[a]) / (1 + self.number[b])),
            recent[a] - recent[b],
            np.log((self.wins[a, b] + 0.5) / (self.wins[b, a] + 0.5)),
            np.log((1 + t - self.last[a]) / (1 + t - self.last[b])),
        )
        return self.rating[a] - self.rating[b] + self.dyad[a, b] + self.coefficient @ features

    def strengths(self) -> np.ndarray:
        """Ratings with the effect of experience."""
        return self.rating + self.coefficient[0] * np.log1p(self.number)

    def happen(self, t: int, winner: int, loser: int) -> None:
        """Histories after a contest, and drift."""
        for i, outcome in ((winner, 1), (loser, -1)):
            self.number[i] += 1
            self.last[i], self.outcome[i] = t, outcome
        self.wins[winner, loser] = 0.8 * self.wins[winner, loser] + 1
        self.wins[loser, winner] *= 0.8
        keep = np.sqrt(1 - (self.drift / self.spread) ** 2)
        noise = self.random.normal(size=len(self.rating))
        self.rating = keep * self.rating + self.drift * noise


def of_the_model(individuals: int, contests: int, random: np.random.Generator) -> Group:
    """A record of the model itself."""
    model = Model(individuals, random)
    pairs, strength, here = [], [], individuals * 2 // 3
    for t in range(contests):
        if t >= contests // 4 and here < individuals and random.random() < 0.05:
            here += 1
        a, b = random.choice(here, 2, replace=False)
        model.arrive(t, a, b)
        strength.append(model.strengths())
        if random.random() > chance(model.ahead(t, a, b)):
            a, b = b, a
        model.happen(t, a, b)
        pairs.append((a, b))
    return Group(pairs, np.array([*strength, model.strengths()]), np.zeros(0, int))


def chance(ahead: float) -> float:
    """Winning probability at a difference in strength, lapses included."""
    return 0.002 + 0.996 / (1 + np.exp(-ahead))


def world(name: str, individuals: int, contests: int, random: np.random.Generator) -> Group:
    """One record of a world."""
    if name == "prior":
        return of_the_model(individuals, contests, random)
    spread = {"equal": 0.0, "sport": 0.5}.get(name, 1.5)
    rating = random.normal(0, spread, individuals)
    dyad = np.triu(random.normal(0, 1.5, (individuals, individuals)), 1) * (name == "dyads")
    dyad = dyad - dyad.T
    gain, concerned = np.zeros(individuals), np.zeros(0, int)
    pairs, strength = [], []
    for t in range(contests):
        if name == "takeover" and t == contests // 2:
            order = np.argsort(-rating)
            low = order[random.integers(individuals * 2 // 3, individuals)]
            rating[[order[0], low]] = rating[[low, order[0]]]
            concerned = np.array([order[0], low])
        strength.append(rating.copy())
        a, b = random.choice(individuals, 2, replace=False)
        ahead = rating[a] - rating[b] + dyad[a, b] + gain[a] - gain[b]
        if random.random() > 1 / (1 + np.exp(-ahead)):
            a, b = b, a
        if name == "winner effects":
            gain *= 0.9
            gain[a], gain[b] = 1.0, -1.0
        if name == "drift":
            rating += 0.05 * random.normal(size=individuals)
        pairs.append((a, b))
    return Group(pairs, np.array([*strength, rating]), concerned)


def data_of(group: Group) -> po.Contests:
    """The record as data."""
    return po.read(
        {
            "winner": [f"i{a:02d}" for a, _ in group.pairs],
            "loser": [f"i{b:02d}" for _, b in group.pairs],
        }
    )


def held(found: Any, group: Group, number: int) -> list[tuple[bool, bool, bool]]:
    """For each individual rated after some contests: inside 95%, inside 80%, one concerned."""
    contests = np.array(group.pairs)
    before = contests[max(0, number - ACTIVE - 1) : number]
    active = set(np.unique(before).tolist())
    if number <= ACTIVE:
        first = {i: t for t, pair in reversed(list(enumerate(group.pairs))) for i in pair}
        active |= {i for i, t in first.items() if t < FOUNDING}
    truth = group.strength[number] - group.strength[number, sorted(active)].mean()
    table = found.interval_frame(None if number == len(contests) else number, 0.95, 0.8)
    return [
        (
            row["rating_low"] <= truth[int(row["individual"][1:])] <= row["rating_high"],
            row["rating_low80"] <= truth[int(row["individual"][1:])] <= row["rating_high80"],
            int(row["individual"][1:]) in group.concerned,
        )
        for row in table.iter_rows(named=True)
    ]


def coverage(name: str, individuals: int, contests: int, sets: int) -> list[tuple[str, ...]]:
    """Rows of the table of coverage, one for each part of the record."""
    found: dict[float, list] = {part: [] for part in PARTS}
    for number in range(sets):
        random = np.random.default_rng([individuals, contests, number])
        group = world(name, individuals, contests, random)
        ratings = po.adaptive(data_of(group), samples=1000, seed=number)
        for part in PARTS:
            rows = np.array(held(ratings, group, round(part * contests)))
            found[part].append(rows)
    rows = []
    for part, sets_of in found.items():
        shares = [share_and_error([one[:, i] for one in sets_of]) for i in (0, 1)]
        concerned = [one[one[:, 2].astype(bool), 0] for one in sets_of]
        own = share_and_error(concerned) if any(len(one) for one in concerned) else "–"
        rows.append((name, f"{individuals}, {contests}", f"{part:g}", *shares, own))
    return rows


def share_and_error(parts: list[np.ndarray]) -> str:
    """A share with its Monte Carlo error, by data set."""
    means = np.array([one.mean() for one in parts if len(one)])
    return f"{np.concatenate(parts).mean():.3f} ± {means.std(ddof=1) / np.sqrt(len(means)):.3f}"


def losses(name: str, individuals: int, contests: int, number: int) -> dict[str, float]:
    """Log loss per contest of several raters on one record, and what was reported of it."""
    random = np.random.default_rng([individuals, contests, number])
    data = data_of(world(name, individuals, contests, random))
    found = po.adaptive(data, samples=2, seed=number)
    bank = found.bank
    behind = np.cumsum(np.log(bank.elo_probability) - np.log(bank.probability))
    others = {"Glicko": po.sport.glicko(data), "dynamic": po.dynamic(data, samples=2, seed=1)}
    positive = dict(found.coefficients.select("coefficient", "p_positive").iter_rows())
    return {
        "adaptive": found.log_loss / contests,
        "Elo": found.elo_log_loss / contests,
        **{n: float(-np.log(one.foresight().win).mean()) for n, one in others.items()},
        "behind": float(behind.max()),
        **{n: float(positive[n] >= SURE) for n in ("momentum", "dyad_record")},
    }


def predictions(name: str, individuals: int, contests: int, sets: int) -> tuple[str, ...]:
    """A row of the table of predictions."""
    rows = [losses(name, individuals, contests, number) for number in range(sets)]
    found = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    apart = [found["adaptive"] - found[other] for other in ("Elo", "Glicko", "dynamic")]
    return (
        name,
        f"{individuals}, {contests}",
        f"{found['adaptive'].mean():.4f}",
        *(f"{one.mean():+.4f} ± {one.std(ddof=1) / np.sqrt(sets):.4f}" for one in apart),
        f"{found['behind'].max():.2f}",
        f"{found['momentum'].mean():.2f}",
        f"{found['dyad_record'].mean():.2f}",
    )


def speed() -> None:
    """Contests per second of one processor, best of three."""
    rows = []
    for individuals, contests in ((20, 20_000), (50, 10_000), (150, 3_000)):
        winner, loser = simulated_contests(contests, individuals)
        run_adaptive(winner[:50], loser[:50], individuals=individuals, threads=1)
        seconds = []
        for _ in range(3):
            begin = time.process_time()
            run_adaptive(winner, loser, individuals=individuals, threads=1)
            seconds.append(time.process_time() - begin)
        rows.append((individuals, f"{contests:,}", f"{contests / min(seconds):,.0f}"))
    print_table(("individuals", "contests", "contests per CPU second"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--size", default="12x300,20x600")
    parser.add_argument("--worlds", default="; ".join(WORLDS))
    parser.add_argument("--speed", action="store_true")
    args = parser.parse_args()
    if args.speed:
        speed()
        return
    names = [name.strip() for name in args.worlds.split(";")]
    sizes = [tuple(map(int, size.split("x"))) for size in args.size.split(",")]
    cells = [(name, *size, args.sets) for size in sizes for name in names]
    rows = [row for cell in cells if cell[0] in COVERED for row in coverage(*cell)]
    if rows:
        heads = ("individuals, contests", "part", "95%", "80%", "concerned, 95%")
        print_table(("world", *heads), rows)
    print_table(
        (
            *("world", "individuals, contests", "adaptive", "− averaged Elo", "− Glicko"),
            *("− dynamic", "largest excess", "momentum", "dyads"),
        ),
        [predictions(*cell) for cell in cells],
    )


if __name__ == "__main__":
    main()
