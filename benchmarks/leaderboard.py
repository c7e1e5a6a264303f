"""Coverage of the intervals of leaderboards (`bradley_terry`), in right and in wrong worlds.

Twelve candidates, 2,400 votes of 60 voters (40 each), true abilities normal with standard deviation
0.7, 200 resamples. Worlds:

- independent: votes follow the model; length of the replies does not matter
- voters differ: each voter has abilities of its own, normal around the common ones (standard
  deviation 1); the true abilities are those that the model approaches with ever more voters
- length matters: the odds also depend on length, and some candidates write longer replies

Printed: share of 95% intervals of abilities, and of differences between candidates of adjacent
ranks, that hold the true value; mean half-width of the former; coverage of the coefficient of
length.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from common import print_table

import peckorder as po

CANDIDATES, VOTERS, VOTES = 12, 60, 40
SPREAD, OWN_TASTE, EFFECT = 0.7, 1.0, 0.6
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WORLDS = {
    "independent": (
        ("standard errors", {}),
        ("contests", {"bootstrap": 200}),
        ("voters", {"bootstrap": 200, "cluster": "voter"}),
        ("contests, length", {"bootstrap": 200, "covariates": ["length"]}),
    ),
    "voters differ": (
        ("standard errors", {}),
        ("contests", {"bootstrap": 200}),
        ("voters", {"bootstrap": 200, "cluster": "voter"}),
    ),
    "length matters": (
        ("contests", {"bootstrap": 200}),
        ("contests, length", {"bootstrap": 200, "covariates": ["length"]}),
        ("voters, length", {"bootstrap": 200, "cluster": "voter", "covariates": ["length"]}),
    ),
}


@dataclass(frozen=True, eq=False)
class Simulated:
    """Votes, the abilities that intervals should hold, and the effect of length."""

    votes: Any
    ability: np.ndarray
    effect: float


def simulated(world: str, random: np.random.Generator) -> Simulated:
    """Votes of one world; pairs are drawn at random."""
    ability = random.normal(0, SPREAD, CANDIDATES)
    number = VOTERS * VOTES
    voter = np.repeat(np.arange(VOTERS), VOTES)
    a = random.integers(CANDIDATES, size=number)
    b = (a + random.integers(1, CANDIDATES, size=number)) % CANDIDATES
    wordy = np.linspace(-1, 1, CANDIDATES)[random.permutation(CANDIDATES)]
    length = np.round(wordy[a] - wordy[b] + random.normal(0, 1, number), 1)
    own = np.tile(ability, (VOTERS, 1))
    effect = EFFECT if world == "length matters" else 0.0
    if world == "voters differ":
        own = own + random.normal(0, OWN_TASTE, own.shape)
    ahead = own[voter, a] - own[voter, b] + effect * length
    won = random.random(number) < 1 / (1 + np.exp(-ahead))
    names = np.array([f"model {i:02}" for i in range(CANDIDATES)])
    columns = {"a": names[a], "b": names[b], "winner": np.where(won, "a", "b")}
    votes = po.read(pl.DataFrame({**columns, "length": length, "voter": voter}))
    target = averaged(ability) if world == "voters differ" else ability
    return Simulated(votes, target - target.mean(), effect)


def averaged(ability: np.ndarray) -> np.ndarray:
    """Abilities that the model approaches if voters differ: a fit of the mean probabilities."""
    ahead = ability[:, None] - ability
    noise = OWN_TASTE * np.sqrt(2.0) * NODES
    chance = (1 / (1 + np.exp(-ahead[..., None] - noise))) @ (WEIGHTS / WEIGHTS.sum())
    np.fill_diagonal(chance, 0.0)
    x = ability.copy()
    for _ in range(200):  # Zermelo's iteration; all pairs are equally frequent
        worth = np.exp(x)
        pairs = 1 / (worth[:, None] + worth)
        np.fill_diagonal(pairs, 0.0)
        x = np.log(chance.sum(axis=1) / pairs.sum(axis=1))
        x -= x.mean()
    return x


def held(made: Simulated, settings: dict[str, Any], seed: int) -> dict[str, float]:
    """Shares of intervals that hold the true values, and their mean half-width."""
    chosen = dict(settings)
    if "bootstrap" in chosen:
        chosen |= {"seed": seed, "threads": 1}
    found = po.bradley_terry(made.votes, **chosen)
    table = found.as_polars()
    true = dict(zip((f"model {i:02}" for i in range(CANDIDATES)), made.ability, strict=True))
    truth = np.array([true[name] for name in table["individual"]])
    half = 1.96 * table["se"].to_numpy()
    out = {
        "ability": float(np.mean(np.abs(table["ability"].to_numpy() - truth) <= half)),
        "width": float(half.mean()),
    }
    if "neighbors" in found.tables:
        pairs = found.tables["neighbors"]
        gap = np.array([true[a] - true[b] for a, b in pairs.select("higher", "lower").rows()])
        inside = (pairs["low"].to_numpy() <= gap) & (gap <= pairs["high"].to_numpy())
        out["difference"] = float(inside.mean())
    if "coefficients" in found.tables:
        row = found.tables["coefficients"].row(0, named=True)
        out["coefficient"] = float(row["low"] <= made.effect <= row["high"])
    return out


def coverage(world: str, settings: dict[str, Any], sets: int) -> dict[str, tuple[float, float]]:
    """Mean and Monte Carlo error of each share over simulated sets."""
    rows = []
    for i in range(sets):
        made = simulated(world, np.random.default_rng([list(WORLDS).index(world), i]))
        rows.append(held(made, settings, i))
    values = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return {name: (v.mean(), v.std(ddof=1) / np.sqrt(sets)) for name, v in values.items()}


def study(sets: int) -> None:
    """Print the table of coverage."""
    lines = []
    for world, analyses in WORLDS.items():
        for label, settings in analyses:
            found = coverage(world, settings, sets)
            cells = [
                f"{found[name][0]:.3f} ± {found[name][1]:.3f}" if name in found else ""
                for name in ("ability", "difference", "coefficient")
            ]
            lines.append([world, label, *cells, f"{found['width'][0]:.3f}"])
    print(f"Coverage of 95% intervals, {sets} sets of {VOTERS * VOTES:,} votes of each kind")
    header = ["world", "intervals from", "abilities", "adjacent differences", "coefficient"]
    print_table([*header, "half-width"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    study(4 if parser.parse_args().quick else 100)


if __name__ == "__main__":
    main()
