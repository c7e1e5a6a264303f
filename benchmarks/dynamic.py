"""Do the intervals of `dynamic` hold the truth, also where its model is wrong? And `elo_bayes`?

Simulated groups with known final ratings in thirteen worlds: constant ratings, random drift, Elo's
recursion, a takeover, newcomers that enter at the bottom, bouts of the same pair, one individual
above all others (which differ, or hardly do), two sets of individuals that differ and rarely meet.
For each world and size: the share of final ratings inside their 95% and 80% intervals, of final
ranks inside their 95% intervals; the shares of ratings and ranks inside 95% intervals among the
individuals concerned (the two that exchange ratings, the newcomers, the one far above; the upper of
two sets); how often an individual that outranks another with a claimed probability of 0.90–0.99
does so in truth; how often adjacent ranks called resolved (probability ≥ 0.95) are in the right
order; and the same for the claim to rank first (probability ≥ 0.5).

Usage: python benchmarks/dynamic.py [--sets 200] [--published 60] [--size 12x120,12x300]
       [--worlds "takeover; two sets"]
"""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from common import print_table

import peckorder as po

# Difference between one dominant individual and the next.
ABOVE = {"one dominant by 2": 2.0, "one dominant by 4": 4.0, "one dominant, others alike": 4.0}
APART = 3.0  # difference between the mean ratings of two sets
BETWEEN = 0.03  # share of contests between two sets


def chance(ahead: float) -> float:
    """Winning probability at a difference in rating."""
    return 1 / (1 + np.exp(-ahead))


class Group(NamedTuple):
    """A simulated record and its truth."""

    pairs: list[tuple[int, int]]  # winner, loser
    rating: np.ndarray  # true final ratings
    concerned: np.ndarray  # individuals about whom the world is special; may be empty


def world(name: str, individuals: int, contests: int, random: np.random.Generator) -> Group:
    """One record of a world."""
    spread = {"static, spread 2.6": 2.6, "one dominant, others alike": 0.3}.get(name, 1.0)
    rating = random.normal(0, spread, individuals)
    k = {"Elo, k = 0.3": 0.3, "Elo, k = 1": 1.0}.get(name, 0.0)
    drift = {"drift 0.05": 0.05, "drift 0.15": 0.15}.get(name, 0.0)
    here, concerned = np.arange(individuals), np.zeros(0, int)
    upper = individuals // 2  # members of the upper set
    if name == "newcomers":
        here = here[: individuals * 2 // 3]
        rating[len(here) :] = rating.min() - 1 + random.normal(0, 0.3, individuals - len(here))
        concerned = np.arange(len(here), individuals)
    if name in ABOVE:
        rating[0] = rating[1:].max() + ABOVE[name]
        concerned = here[:1]
    if name == "two sets":
        rating[:upper] += APART
        concerned = here[:upper]
    pairs, a, b, left = [], 0, 0, 0
    for number in range(contests):
        if name == "takeover" and number == contests // 2:
            order = np.argsort(-rating)
            low = order[random.integers(individuals * 2 // 3, individuals)]
            rating[[order[0], low]] = rating[[low, order[0]]]
            concerned = np.array([order[0], low])
        if name == "newcomers" and number == contests // 2:
            here = np.arange(individuals)
        rating += drift * random.normal(size=individuals)
        if left == 0:
            among = here
            if name == "two sets" and random.random() > BETWEEN:
                among = here[:upper] if random.random() < 0.5 else here[upper:]
            elif name == "two sets":
                among = np.array([random.integers(upper), random.integers(upper, individuals)])
            a, b = random.choice(among, 2, replace=False)
            left = int(random.geometric(1 / 3)) if name == "bouts" else 1
        left -= 1
        if random.random() > chance(rating[a] - rating[b]):
            a, b = b, a
        surprise = k * (1 - chance(rating[a] - rating[b]))
        rating[a] += surprise
        rating[b] -= surprise
        pairs.append((a, b))
    return Group(pairs, rating, concerned)


def dynamic(data: po.Contests, seed: int) -> Any:
    """Dynamic ratings."""
    return po.dynamic(data, samples=1000, seed=seed)


def published(data: po.Contests, seed: int) -> Any:
    """Bayesian Elo with the priors of Goffe et al. (2018)."""
    return po.elo_bayes(data, chains=2, warmup=300, samples=500, threads=1, seed=seed)


def coverage(
    fit: Callable, name: str, individuals: int, contests: int, sets: int
) -> dict[str, float]:
    """Shares of truths held over simulated groups."""
    held = {
        key: []
        for key in (
            *("95", "80", "rank 95", "own 95", "own rank 95"),
            *("outranks", "claimed", "resolved", "top"),
        )
    }
    for number in range(sets):
        random = np.random.default_rng([individuals, contests, number])
        pairs, truth, concerned = world(name, individuals, contests, random)
        names = [f"i{i:02d}" for i in range(individuals)]
        data = po.read(
            {"winner": [names[a] for a, _ in pairs], "loser": [names[b] for _, b in pairs]}
        )
        found = fit(data, number)
        seen = np.array([int(one[1:]) for one in found.individuals])
        own = truth[seen] - truth[seen].mean()
        draws = found.final - found.final.mean(axis=1, keepdims=True)
        special = np.isin(seen, concerned)
        for level, key in ((0.8, "80"), (0.95, "95")):
            low, high = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2], axis=0)
            inside = (low <= own) & (own <= high)
            held[key].append(inside.mean())
        held["own 95"] += [inside[special].mean()] if special.any() else []
        rank = (-draws).argsort(axis=1).argsort(axis=1) + 1
        low, high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
        true_rank = (-own).argsort().argsort() + 1
        inside = (low <= true_rank) & (true_rank <= high)
        held["rank 95"].append(inside.mean())
        held["own rank 95"] += [inside[special].mean()] if special.any() else []
        above, right = (draws[:, :, None] > draws[:, None, :]).mean(axis=0), own[:, None] > own
        sure = (above >= 0.9) & (above < 0.99)
        held["outranks"] += right[sure].tolist()
        held["claimed"] += above[sure].tolist()
        order = np.argsort(-draws.mean(axis=0))
        upper, lower = order[:-1], order[1:]
        held["resolved"] += right[upper, lower][above[upper, lower] >= 0.95].tolist()
        first = (rank == 1).mean(axis=0)
        held["top"] += (true_rank == 1)[first >= 0.5].tolist()
    return {key: float(np.mean(values)) if values else np.nan for key, values in held.items()} | {
        "error": float(np.std(held["95"]) / np.sqrt(sets)),
        "own error": float(np.std(held["own 95"]) / np.sqrt(sets)) if held["own 95"] else np.nan,
        "number": len(held["resolved"]),
    }


WORLDS = (
    "static, spread 1",
    "static, spread 2.6",
    "Elo, k = 0.3",
    "Elo, k = 1",
    "drift 0.05",
    "drift 0.15",
    "takeover",
    "newcomers",
    "bouts",
    *ABOVE,
    "two sets",
)


def concerned_words(found: dict[str, float]) -> str:
    """Coverage of ratings (with its error) and of ranks of the individuals concerned."""
    if np.isnan(found["own 95"]):
        return "–"
    return f"{found['own 95']:.3f} ± {found['own error']:.3f}, {found['own rank 95']:.3f}"


def main() -> None:
    """Print one row per world, size and model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--published", type=int, default=60)
    parser.add_argument("--size", default="12x120,12x300")
    parser.add_argument("--worlds", default="", help="names of worlds, separated by ;")
    given = parser.parse_args()
    worlds = [one.strip() for one in given.worlds.split(";")] if given.worlds else WORLDS
    rows = []
    for size in given.size.split(","):
        individuals, contests = map(int, size.split("x"))
        for name in worlds:
            for fit, sets in ((published, given.published), (dynamic, given.sets)):
                if not sets:
                    continue
                found = coverage(fit, name, individuals, contests, sets)
                rows.append(
                    (
                        name,
                        size,
                        {published: "elo_bayes", dynamic: "dynamic"}[fit],
                        f"{found['95']:.3f} ± {found['error']:.3f}",
                        f"{found['80']:.3f}",
                        f"{found['rank 95']:.3f}",
                        concerned_words(found),
                        f"{found['claimed']:.2f} → {found['outranks']:.2f}",
                        f"{found['resolved']:.2f} ({found['number']:,})",
                        f"{found['top']:.2f}",
                    )
                )
    print(f"{given.published} (elo_bayes) and {given.sets} (dynamic) simulated groups per row.\n")
    print_table(
        (
            "world",
            "size",
            "model",
            "95% intervals",
            "80%",
            "95% of ranks",
            "concerned: ratings, ranks",
            "P(outranks) → true",
            "resolved: right (claims)",
            "first: right",
        ),
        rows,
    )


if __name__ == "__main__":
    main()
