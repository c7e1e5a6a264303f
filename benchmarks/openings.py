"""Do intervals hold an alpha, a pariah, or separate sets, and what does it cost in ordinary groups?

`dynamic` and `steepness_bayes` with a normal prior of the first ratings and with the mixture of
openings, in simulated groups whose members take part unevenly often (log-normal, sd 0.5 of the
logarithm). Worlds with roles: one individual 4 above the next (others spread by 1, by 2, or alike),
a pariah 4 below, an alpha and an omega, two dominants, two or three sets 3 apart that rarely meet
(4% of contests), a pariah that arrives halfway. Ordinary worlds: constant ratings of several
spreads, drift, very uneven activity, heavy tails (Student's t with 4 degrees of freedom).

Printed for each world, size and prior: share of final ratings inside their 95% intervals, their
mean width (and relative to the normal prior), share of the ratings of each role, how often claims
to outrank with a probability of 0.90–0.99 are true, coverage of steepness (where ratings do not
change), and CPU time of a call of `dynamic`, with Monte Carlo errors over groups.

Usage: python benchmarks/openings.py [--groups 200] [--size 6x60,12x120,20x400]
       [--worlds "dominant by 4; two sets"]
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from common import print_table

import peckorder as po
from peckorder.results.samples import slopes, summed_chances

FAR, APART, BETWEEN, DRIFT = 4.0, 3.0, 0.04, 0.1
ORDINARY = (
    *("static, spread 0.3", "static, spread 1", "static, spread 2.6"),
    *("drift 0.1", "uneven activity", "heavy tails"),
)
SPECIAL = (
    *("dominant by 4", "dominant by 4, spread 2", "others alike", "pariah", "alpha and omega"),
    *("two dominants", "two sets", "three sets", "pariah arrives"),
)
SIZES = "6x60,12x120,20x400"
PRIORS = ("normal", "openings")


class Group(NamedTuple):
    """A simulated record and its truth."""

    winner: np.ndarray
    loser: np.ndarray
    rating: np.ndarray  # true final ratings
    roles: dict[str, list[int]]


def ratings_of(name: str, size: int, random: np.random.Generator) -> tuple[np.ndarray, dict]:
    """First ratings, and who has a role."""
    spread = {"static, spread 0.3": 0.3, "others alike": 0.3, "static, spread 2.6": 2.6}.get(
        name, 1
    )
    rating = random.normal(0, 2 if name.endswith("spread 2") else spread, size)
    if name == "heavy tails":
        rating = random.standard_t(4, size)
    roles: dict[str, list[int]] = {}
    if name.startswith("dominant") or name == "others alike":
        rating[0] = rating[1:].max() + FAR
        roles = {"dominant": [0]}
    elif name.startswith("pariah"):
        rating[0] = rating[1:].min() - FAR
        roles = {"pariah": [0]}
    elif name == "alpha and omega":
        rating[0], rating[1] = rating[2:].max() + FAR, rating[2:].min() - FAR
        roles = {"alpha": [0], "omega": [1]}
    elif name == "two dominants":
        rating[:2] = rating[2:].max() + FAR + random.normal(0, 0.3, 2)
        roles = {"dominants": [0, 1]}
    elif name in ("two sets", "three sets"):
        number = 2 if name == "two sets" else 3
        member_of = np.arange(size) % number
        rating += APART * member_of
        roles = {f"set {s + 1}": np.flatnonzero(member_of == s).tolist() for s in range(number)}
    return rating, roles


def world(name: str, size: int, contests: int, random: np.random.Generator) -> Group:
    """One record of a world."""
    rating, roles = ratings_of(name, size, random)
    activity = np.exp(random.normal(0, 1.2 if name == "uneven activity" else 0.5, size))
    member_of = np.full(size, -1)
    for number, members in enumerate(roles.values()):
        member_of[members] = number
    pairs = np.outer(activity, activity)
    np.fill_diagonal(pairs, 0)
    if name.endswith("sets"):
        within = pairs * (member_of[:, None] == member_of)
        across = pairs - within
        pairs = (1 - BETWEEN) * within / within.sum() + BETWEEN * across / across.sum()
    drift = DRIFT if name == "drift 0.1" else 0.0
    winner, loser = np.empty((2, contests), int)
    for t in range(contests):
        possible = pairs.copy()
        if name == "pariah arrives" and t < contests // 2:
            possible[0], possible[:, 0] = 0, 0
        share = possible.ravel().cumsum()
        place = int(np.searchsorted(share, random.random() * share[-1], side="right"))
        a, b = divmod(place, size)
        rating += drift * random.normal(size=size)
        if random.random() > 1 / (1 + np.exp(rating[b] - rating[a])):
            a, b = b, a
        winner[t], loser[t] = a, b
    return Group(winner, loser, rating, roles)


def held(group: Group, prior: Any, seed: int, static: bool) -> dict[str, float]:
    """What the intervals of one record hold."""
    names = np.array([f"i{i:02d}" for i in range(len(group.rating))])
    data = po.read({"winner": names[group.winner], "loser": names[group.loser]})
    begin = time.process_time()
    found = po.dynamic(data, samples=1000, seed=seed, threads=1, prior=prior)
    out = {"ms": 1000 * (time.process_time() - begin)}
    seen = np.array([int(name[1:]) for name in found.individuals])
    truth = group.rating[seen] - group.rating[seen].mean()
    draws = found.final - found.final.mean(axis=1, keepdims=True)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    inside = (low <= truth) & (truth <= high)
    out |= {"95": inside.mean(), "width": (high - low).mean()}
    for role, members in group.roles.items():
        if np.isin(seen, members).any():
            out[role] = inside[np.isin(seen, members)].mean()
    above = (draws[:, :, None] > draws[:, None, :]).mean(axis=0)
    sure = (above >= 0.9) & (above < 0.99)
    if sure.any():
        out["right"] = (truth[:, None] > truth)[sure].mean()
    if static:
        steep = po.steepness_bayes(data, fair_coins=0, seed=seed, threads=1, prior=prior)
        low, high = np.quantile(steep.samples, [0.025, 0.975])
        true = slopes(summed_chances(group.rating[seen][None]))[0]
        out["steepness"] = float(low <= true <= high)
    return out


def with_error(values: list[float]) -> str:
    """Mean and its Monte Carlo error."""
    if not values:
        return "–"
    return f"{np.mean(values):.3f} ± {np.std(values) / np.sqrt(len(values)):.3f}"


def rows_of(name: str, size: int, contests: int, groups: int) -> list[list[str]]:
    """One row per prior."""
    static = name not in ("drift 0.1", "pariah arrives")
    found: dict[str, list[dict[str, float]]] = {prior: [] for prior in PRIORS}
    for number in range(groups):
        random = np.random.default_rng([*name.encode(), size, contests, number])
        group = world(name, size, contests, random)
        for prior in PRIORS:
            found[prior].append(held(group, prior, number, static))
    rows = []
    for prior, each in found.items():
        means = {
            key: [one[key] for one in each if key in one]
            for key in {k for one in each for k in one}
        }
        width = np.mean(means["width"]) / np.mean([one["width"] for one in found["normal"]])
        cpu = np.mean(means["ms"]) / np.mean([one["ms"] for one in found["normal"]])
        roles = [k for k in means if k not in ("ms", "95", "width", "right", "steepness")]
        rows.append(
            [
                name,
                f"{size}×{contests}",
                prior,
                with_error(means["95"]),
                f"{np.mean(means['width']):.2f} ({width:.2f})",
                "; ".join(f"{role} {with_error(means[role])}" for role in sorted(roles)) or "–",
                f"{np.mean(means.get('right', [np.nan])):.2f}",
                with_error(means.get("steepness", [])),
                f"{np.mean(means['ms']):.0f} ({cpu:.1f})",
            ]
        )
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--size", default=SIZES)
    parser.add_argument("--worlds", default="; ".join((*SPECIAL, *ORDINARY)))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    po.dynamic(po.datasets.adv(), samples=10)  # compiles
    po.dynamic(po.datasets.bonobos(), samples=10)
    columns = ["world", "size", "prior", "ratings 95%", "width", "roles 95%", "claims true"]
    columns += ["steepness 95%", "ms"]
    for size in options.size.split(","):
        members, contests = map(int, size.split("x"))
        for name in options.worlds.split(";"):
            print_table(columns, rows_of(name.strip(), members, contests, options.groups))


if __name__ == "__main__":
    main()
