"""Is the spread of abilities recovered by `bradley_terry(penalized=True)`, and do intervals hold?

Groups with normal abilities of spread 0.3, 1 and 2.6, with and without ties (ν = 0.5), and random
pairs. Printed: the mean of the estimated standard deviation of the prior, with its 10th and 90th
percentile, and the share of abilities inside their 95% intervals, with their mean width, with the
estimate and with `prior_sd=2`; with Monte Carlo errors over groups.

Usage: python benchmarks/spread.py [--groups 100] [--size 6x60,12x120,20x400]
"""

from __future__ import annotations

import argparse

import numpy as np
from common import print_table

import peckorder as po

SPREADS, NUS = (0.3, 1.0, 2.6), (0.0, 0.5)
SIZES = "6x60,12x120,20x400"


def group(
    size: int, contests: int, spread: float, nu: float, random: np.random.Generator
) -> tuple[po.Contests, dict[str, float]]:
    """A simulated record, and the abilities of those in it around their mean."""
    ability = random.normal(0, spread, size)
    rows = []
    for _ in range(contests):
        a, b = random.choice(size, 2, replace=False)
        odds = np.exp([(ability[a] - ability[b]) / 2, (ability[b] - ability[a]) / 2, -np.inf])
        odds[2] = nu
        outcome = random.choice(3, p=odds / odds.sum())
        a, b = (b, a) if outcome == 1 else (a, b)
        rows.append((f"i{a}", f"i{b}", outcome == 2))
    columns = dict(zip(("winner", "loser", "tie"), map(list, zip(*rows, strict=True)), strict=True))
    data = po.read(columns if nu else {name: columns[name] for name in ("winner", "loser")})
    truth = {name: float(ability[int(name[1:])]) for name in data.individuals}
    mean = np.mean(list(truth.values()))
    return data, {name: value - mean for name, value in truth.items()}


def error_of(values: list[float]) -> str:
    """A mean with its Monte Carlo error."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=100)
    parser.add_argument("--size", default=SIZES)
    args = parser.parse_args()
    rows = []
    for text in args.size.split(","):
        size, contests = map(int, text.split("x"))
        for spread in SPREADS:
            for nu in NUS:
                random = np.random.default_rng([size, contests, int(10 * spread), int(10 * nu)])
                found: list[float] = []
                inside: dict[float | None, list[float]] = {None: [], 2.0: []}
                width: dict[float | None, list[float]] = {None: [], 2.0: []}
                for _ in range(args.groups):
                    data, truth = group(size, contests, spread, nu, random)
                    for sd in inside:
                        fit = po.bradley_terry(data, penalized=True, prior_sd=sd)
                        table = fit.as_polars()
                        low, high = (table[f"ability_{end}"].to_numpy() for end in ("low", "high"))
                        true = np.array([truth[name] for name in table["individual"]])
                        inside[sd].append(float(((low <= true) & (true <= high)).mean()))
                        width[sd].append(float((high - low).mean()))
                        if sd is None:
                            found.append(float(fit.prior_sd))
                low, high = np.quantile(found, [0.1, 0.9])
                rows.append(
                    (
                        f"{size} × {contests}",
                        f"{spread:g}",
                        f"{nu:g}",
                        f"{np.mean(found):.2f} ({low:.2f}–{high:.2f})",
                        error_of(inside[None]),
                        f"{np.mean(width[None]):.2f}",
                        error_of(inside[2.0]),
                        f"{np.mean(width[2.0]):.2f}",
                    )
                )
    heads = ("group", "spread", "ν", "estimated", "inside", "width", "inside (2)", "width (2)")
    print_table(heads, rows)


if __name__ == "__main__":
    main()
