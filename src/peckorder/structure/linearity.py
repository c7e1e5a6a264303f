"""Linearity of a hierarchy (Landau 1951; Kendall & Babington Smith 1940; de Vries 1995).

V_i is the number of individuals that i dominates, ½ for each tied or unknown relation. Landau's
h = 12/(N³ − N) Σ (V_i − (N − 1)/2)² is 1 in a linear hierarchy; h′ = h + 6u/(N³ − N) is its
expectation when the u unknown relations are filled at random.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.kernels import dyads as kernel
from peckorder.random_runs import Progress, Runs, monte_carlo_error, p_value
from peckorder.ranks import average_ranks
from peckorder.results import Measure
from peckorder.text import counted, p_text
from peckorder.validate import CountedTies

EXACT_TEST = 7
EXACT_TRIADS = 10
BLOCK_DYADS = 1_000_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Linearity(Measure):
    """Linearity of a hierarchy; the table has one row per individual."""

    value: float  # de Vries' h′
    h: float  # Landau's h
    expected: float  # h of a random tournament
    p: float  # as linear or more by chance
    p_less: float  # as linear or less by chance
    p_error: float  # Monte Carlo standard error of the smaller of both; 0 if exact
    kendall_k: float
    circular_triads: float
    p_kendall: float  # as few circular triads or fewer by chance
    exact: bool
    unknown: int  # dyads without contests
    tied: int  # dyads in which both won equally often
    runs: int


def linearity(
    data: Data,
    *,
    ties: CountedTies = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Linearity:
    """Landau's h, de Vries' h′, Kendall's K, and de Vries' two-step test.

    Parameters
    ----------
    data : Contests or Matrix, at least 3 individuals
    ties : {"omit", "half", "both"}
        A dyad with ties only is unknown under "omit" and tied otherwise.
    runs : int
        Number of randomizations. With up to 7 individuals the test is exact, and the `runs` of
        the result are 0.
    seed, threads, progress : as in `steepness`

    Returns
    -------
    Linearity
        Table: individual, dominated, score (V, with ½ for tied and unknown relations), rank.
        Values: `value` (h′), `h`, `expected` (h of a random tournament, 3/(N + 1)), `p`
        (probability that a random tournament is at least as linear as the observed one with its
        unknown relations filled at random), `p_less`, `p_error`, `kendall_k`, `circular_triads`,
        `p_kendall`, `exact`, counts of `unknown` and `tied` dyads, `runs`.

    Notes
    -----
    Each randomization fills the unknown relations at random (ties are kept) and compares the
    result with a random tournament; sums of squares are compared as integers. The exact test
    enumerates both distributions. `p_kendall` is the probability that a random tournament has no
    more circular triads than observed: exact for up to 10 individuals, by Kendall's χ²
    approximation beyond. Tied and unknown relations count ½, so the number of circular triads may
    be fractional and K may be negative.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.linearity(po.datasets.bonobos())
    >>> round(found.value, 6), round(found.p, 5), found.exact
    (0.857143, 0.02764, True)
    """
    data = opened(data)
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties, least=3)
    size = len(counts)
    dominated = counts.dominates.sum(axis=1)
    twice_v = 2 * dominated + counts.tied.sum(axis=1)
    open_a, open_b = (side[~counts.seen[counts.dyads]] for side in counts.dyads)
    all_pairs = size**3 - size
    v = (twice_v + (~counts.seen).sum(axis=1) - 1) / 2  # minus the empty diagonal
    h = 12 / all_pairs * float(((v - (size - 1) / 2) ** 2).sum())
    circular = size * (size - 1) * (2 * size - 1) / 12 - float(v @ v) / 2
    most = (size**3 - size if size % 2 else size**3 - 4 * size) / 24
    exact = size <= EXACT_TEST
    if exact:
        p, p_less = _exact_test(twice_v, open_a, open_b)
        error = 0.0
    else:
        filled, chance = np.empty((2, random.number), np.int64)
        key = random.key()

        def work(begin: int, end: int) -> None:
            kernel.linearity_null(
                key, begin, twice_v, open_a, open_b, filled[begin:end], chance[begin:end]
            )

        random.do(work, block=max(10, BLOCK_DYADS // len(counts.dyads[0])))
        p, p_less = p_value(chance >= filled), p_value(chance <= filled)
        error = monte_carlo_error(min(p, p_less), random.number)
    values = {
        "value": h + 6 * counts.unknown / all_pairs,
        "h": h,
        "expected": 3 / (size + 1),
        "p": p,
        "p_less": p_less,
        "p_error": error,
        "kendall_k": 1 - circular / most,
        "circular_triads": circular,
        "p_kendall": _appleby(size, circular),
        "exact": exact,
        "unknown": counts.unknown,
        "tied": int(counts.tied[counts.dyads].sum()),
        "runs": 0 if exact else random.number,
    }
    rank = average_ranks(v)
    top_down = np.argsort(rank, kind="stable")
    return Linearity(
        method="linearity",
        data=counts,
        **values,
        frame=pl.DataFrame(
            {
                "individual": [counts.individuals[i] for i in top_down],
                "dominated": dominated[top_down],
                "score": v[top_down],
                "rank": rank[top_down],
            }
        ),
        summary=(_summary(values, counts), *counts.notes),
        settings={"ties": ties, "runs": random.number},
        citations=("landau1951", "devries1995", "appleby1983"),
        seed=None if exact else random.seed,
    )


def _summary(values: dict[str, Any], counts: WinCounts) -> str:
    precision = "exact" if values["exact"] else f"Monte Carlo error {values['p_error']:.1g}"
    less = ""
    if values["p_less"] < 0.05:
        less = (
            f" The hierarchy is less linear than expected by chance ({p_text(values['p_less'])})."
        )
    return (
        f"Linearity h′ = {values['value']:.3f} (1: linear hierarchy; "
        f"{values['expected']:.3f} expected by chance), {p_text(values['p'])} ({precision}); "
        f"{values['unknown']:,} of {counted(len(counts.dyads[0]), 'dyad')} unknown, "
        f"{values['tied']:,} tied.{less}"
    )


def _exact_test(twice_v: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Compute p = Σ_x P(h0 = x) P(hr ≥ x), and the same to the left, in integer arithmetic."""
    size = len(twice_v)
    ways = np.zeros(4 * size * (size - 1) ** 2 + 1, np.int64)
    kernel.squares_of_all_fillings(twice_v, a, b, ways)
    by_chance = tournaments(size)
    right = left = 0
    for x in np.flatnonzero(ways):
        right += int(ways[x]) * sum(n for square, n in by_chance.items() if 4 * square >= x)
        left += int(ways[x]) * sum(n for square, n in by_chance.items() if 4 * square <= x)
    whole = 2 ** len(a) * 2 ** (size * (size - 1) // 2)
    return right / whole, left / whole


@cache
def tournaments(size: int) -> dict[int, int]:
    """Number of the 2^(N(N−1)/2) tournaments with each value of ΣV²."""
    states: dict[tuple[int, ...], Counter[int]] = {(size,): Counter({0: 1})}
    for _ in range(size):
        after: dict[tuple[int, ...], Counter[int]] = {}
        for state, squares in states.items():
            # state[v]: how many of the remaining individuals have beaten v of the processed ones.
            own = next(v for v, number in enumerate(state) if number)
            rest = [number - (v == own) for v, number in enumerate(state)]
            for beaten in product(*(range(number + 1) for number in rest)):
                wins = own + sum(beaten)
                ways = math.prod(map(math.comb, rest, beaten))
                stay = [*beaten, 0]
                rise = [0, *(n - x for n, x in zip(rest, beaten, strict=True))]
                key = tuple(map(sum, zip(stay, rise, strict=True)))
                into = after.setdefault(key, Counter())
                for square, number in squares.items():
                    into[square + wins * wins] += number * ways
        states = after
    return dict(states[(0,) * (size + 1)])


def _appleby(size: int, circular: float) -> float:
    """Probability that a random tournament has no more circular triads."""
    if size <= EXACT_TRIADS:
        squares = size * (size - 1) * (2 * size - 1) / 6 - 2 * circular
        by_chance = tournaments(size)
        as_few = sum(n for square, n in by_chance.items() if square >= squares - 1e-9)
        return as_few / 2 ** (size * (size - 1) // 2)
    from scipy.special import gammaincc

    freedom = size * (size - 1) * (size - 2) / (size - 4) ** 2
    chi2 = 8 / (size - 4) * (math.comb(size, 3) / 4 - circular + 0.5) + freedom
    return float(gammaincc(freedom / 2, max(chi2, 0.0) / 2))
