"""Does a wrong k matter in the long run? Elo ratings of stable hierarchies, by k and record length.

Usage: python benchmarks/wrong_k.py [--quick]. 10 individuals with strengths from a normal
distribution (SD 1 and 2 on the natural scale), random pairs. Prints the mean Spearman correlation
between final ratings and true strengths, its Monte Carlo error, and the share of records in which
the strongest individual ranks first. Albers & de Vries (2001) expect that a wrong k does not matter
in the long run; ratings with a large k keep following the last contests, however many there were.
"""

import sys

import numpy as np

import peckorder as po
from peckorder.ranks import spearman

KS = (5, 20, 50, 100, 200, 400)
RECORDS = 10 if "--quick" in sys.argv[1:] else 200
LENGTHS = (300, 1000, 5000)


def main() -> None:
    """Print one row per spread, length and k."""
    print("| spread | contests | k | rank correlation (SE) | strongest ranks first |")
    print("|---|---|---|---|---|")
    for spread in (1.0, 2.0):
        for contests in LENGTHS:
            records = [
                po.simulate.hierarchy(10, contests, strengths="normal", spread=spread, seed=seed)
                for seed in range(RECORDS)
            ]
            for k in KS:
                agreement, first = [], []
                for truth, data in records:
                    rated = po.elo(data, k=k, curve="table")
                    rating = np.array([rated[name] for name in truth.individuals])
                    agreement.append(spearman(rating, truth.final))
                    first.append(rating.argmax() == truth.final.argmax())
                error = np.std(agreement, ddof=1) / RECORDS**0.5
                print(
                    f"| {spread:g} | {contests:,} | {k} | {np.mean(agreement):.3f} ({error:.3f}) | "
                    f"{np.mean(first):.2f} |"
                )


if __name__ == "__main__":
    main()
