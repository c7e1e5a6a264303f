"""Albers & de Vries (2001): Elo rating for dominance, with a worked example and a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from peckorder.curves import THRESHOLDS, Normal, Table, k_from_effect
from peckorder.data.contests import Contests
from peckorder.data.read import read
from peckorder.data.win_counts import win_counts
from peckorder.datasets import adv
from peckorder.orders.isi import isi
from peckorder.papers.printed import Expected, Printed, Statement
from peckorder.ranks import spearman
from peckorder.ratings.elo import elo
from peckorder.simulate.hierarchies import hierarchy
from peckorder.simulate.self_organizing import self_organizing

EXAMPLE = {  # winner, loser, tie: printed ratings of A and B
    "A wins": ("A", "B", False, "1224", "976"),
    "B wins": ("B", "A", False, "1124", "1076"),
    "tie": ("A", "B", True, "1174", "1026"),
}
# Table 1 by k: range of the ratings, Landau's h, Spearman correlation with the I&SI order.
TABLE_1 = {
    20: ("1322", "1.00", "0.85"),
    100: ("3758", "0.99", "0.87"),
    200: ("5592", "1.00", "0.91"),
}
PER_DYAD, NAMED = 260, 3000  # contests per dyad: chosen by us, and named by the paper
RUNS, SEED = 50, 1
CARDINAL = {"b": "19.2", "c": "18.5", "d": "9.5", "e": "0.3", "f": "0", "g": "0", "a": "-1.5"}
STEPS = 10  # of Newton's method, found by trying
CURVE = 2000 / 7  # standard deviation of the normal curve closest to the table
NOT_NORMAL = (
    "A normal curve with a standard deviation of 2000/7 is close to the table but not equal to it; "
    "peckorder contains the printed table."
)
NOT_LISTED = (
    "Not listed: the 39 ratings of Table 1, which belong to one random sequence that was not "
    "published; Figures 1 and 2 show ratings and shares without their values."
)


def data() -> Contests:
    """The contests of Figure 1."""
    return adv()


def expected() -> Expected:
    """What contests must contain to be those of Figure 1."""
    return Expected.of("the 33 contests of Figure 1", adv())


def numbers(contests: Contests) -> list[Printed]:
    """The worked example, effects of contests and k, Figure 1, Table 1 and the appendix."""
    return [
        *_example(),
        *_effects(),
        Printed("Figure 1", "contests", "33", len(contests)),
        *_cardinal_ranks(contests),
        *_table_1(),
        *_appendix(),
    ]


def statements(contests: Contests) -> list[Statement]:
    """What the paper says about k and about simulated matrices."""
    shapes = []
    for k in TABLE_1:
        ratings = elo(contests, k=k, curve="table")
        shapes.append(f"{(ratings['b'] - 1000) / k:.2f} (k = {k})")
    consistent = [f"{_simulated(k, PER_DYAD).consistency:.2f} (k = {k})" for k in TABLE_1]
    linear = [f"{_simulated(k, PER_DYAD).low_h:.2f}" for k in TABLE_1]
    return [
        Statement(
            "Choice of k",
            "another k gives exactly the same graph with another scale",
            "no",
            f"the rating of b, in units of k above the start, is {', '.join(shapes)}.",
        ),
        Statement(
            "Choice of k",
            "in the long run, the wrong k does not matter",
            "no",
            "in stable hierarchies (10 individuals, 2,000 contests, 20 records) the mean Spearman "
            f"correlation with the truth is {', '.join(_by_k())}.",
        ),
        Statement(
            "Example III",
            "the simulated matrices are unidirectional for all k",
            "no",
            f"the median directional consistency is {', '.join(consistent)}.",
        ),
        Statement(
            "Example III",
            "h is at least 0.99 in all simulations",
            "partly",
            f"in most; its 5% quantile over {RUNS} runs is {', '.join(linear)}.",
        ),
    ]


@cache
def _by_k() -> list[str]:
    """How well final ratings agree with stable true ranks, by k; benchmarks/wrong_k.py has more."""
    found = []
    records = [hierarchy(10, 2000, spread=1.0, strengths="normal", seed=i) for i in range(20)]
    for k in (5, 20, 100, 200, 400):
        agreement = []
        for truth, contests in records:
            rated = elo(contests, k=k, curve="table")
            order = np.array([rated[name] for name in truth.individuals])
            agreement.append(spearman(order, truth.final))
        found.append(f"{np.mean(agreement):.2f} (k = {k})")
    return found


def _example() -> list[Printed]:
    found = [Printed("Worked example", "chance of A, 200 points ahead", "0.76", Table()(200))]
    for case, (winner, loser, tie, *printed) in EXAMPLE.items():
        contest = read({"winner": [winner], "loser": [loser], "draw": [tie]})
        rated = elo(contest, k=100, start={"A": 1200, "B": 1000}, curve="table")
        for name, text in zip("AB", printed, strict=True):
            what = f"rating of {name} after 1200 v 1000, k = 100, {case}"
            found.append(Printed("Worked example", what, text, rated[name]))
    return found


def _effects() -> list[Printed]:
    halved = (
        "The paper halves the difference of 501 points, where it doubles that of 74%; its k of 250 "
        "leaves a chance of 33%."
    )
    about = "Printed as about 60%."
    return [
        Printed("Text", "chance with 80 points more", "0.60", Table()(80), within=0.01, note=about),
        Printed("Text", "difference at a chance of 74%", "184", Table().difference(0.74)),
        Printed("Text", "k if a win raises the chance to 74%", "368", k_from_effect(0.74)),
        Printed(
            "Text", "k if a loss leaves a chance of 4%", "250", k_from_effect(0.96), note=halved
        ),
    ]


def cardinal_ranks(contests: Contests, steps: int, zero: str) -> dict[str, float]:
    """Boyd & Silk's cardinal ranks after some steps of Newton's method from 0, with one rank 0."""
    counts = win_counts(contests)
    wins = counts.score
    free = [i for i, name in enumerate(counts.individuals) if name != zero]
    rank = np.zeros(len(wins))
    met = wins + wins.T
    for _ in range(steps):
        chance = 1 / (1 + np.exp(rank[None, :] - rank[:, None]))
        gradient = (wins - met * chance).sum(axis=1)
        weight = met * chance * (1 - chance)
        curvature = np.diag(weight.sum(axis=1)) - weight
        rank[free] += np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
    return dict(zip(counts.individuals, rank.tolist(), strict=True))


def _cardinal_ranks(contests: Contests) -> list[Printed]:
    """The maximum of the likelihood: at infinity for those whom no win of the others limits."""
    stopped = cardinal_ranks(contests, STEPS, "f")
    next_one = cardinal_ranks(contests, STEPS + 1, "f")
    found = []
    for name, text in CARDINAL.items():
        unbounded = next_one[name] - stopped[name] > 0.5  # it grows with every step
        note = (
            f"The likelihood has no maximum, because b and c lost to nobody else, nor d to a, e, "
            f"f or g; step {STEPS} of Newton's method gives {stopped[name]:.2f}, and the next "
            f"one {next_one[name]:.2f}."
        )
        found.append(
            Printed(
                "Boyd & Silk's ranks",
                f"cardinal rank of {name}",
                text,
                float("inf") if unbounded else round(next_one[name], 12),
                note=note if unbounded else "",
            )
        )
    return found


@dataclass(frozen=True)
class _Simulated:
    """Summaries of self-organizing hierarchies with one k."""

    range: float
    range_sd: float
    h: float
    low_h: float
    rank_correlation: tuple[float, float, float]  # 5%, 50% and 95% quantile
    consistency: float


@cache
def _simulated(k: float, per_dyad: int) -> _Simulated:
    made = self_organizing(k=k, contests_per_dyad=per_dyad, runs=RUNS, seed=SEED)
    wins, ratings = made.samples["wins"], made.samples["ratings"]
    names = made.individuals
    agreement, consistency = [], []
    for run in range(RUNS):
        record = made.record(run) if per_dyad == PER_DYAD else None
        if record is not None:
            place = [names.index(name) for name in isi(record, seed=SEED)]
            agreement.append(spearman(-ratings[run][place], np.arange(len(place))))
        both = wins[run] + wins[run].T
        consistency.append(np.abs(wins[run] - wins[run].T).sum() / both.sum())
    quantiles = np.quantile(agreement, [0.05, 0.5, 0.95]) if agreement else (np.nan,) * 3
    low, middle, high = map(float, quantiles)
    return _Simulated(
        range=made.range,
        range_sd=made.range_sd or 0.0,
        h=made.h_median,
        low_h=float(np.quantile(made.samples["h"][:, -1], 0.05)),
        rank_correlation=(low, middle, high),
        consistency=float(np.median(consistency)),
    )


def _table_1() -> list[Printed]:
    found = []
    for k, (spread, h, rho) in TABLE_1.items():
        made, named = _simulated(k, PER_DYAD), _simulated(k, NAMED)
        low, middle, high = made.rank_correlation
        chosen = f"{PER_DYAD} contests per dyad, chosen to fit the ranges of Table 1"
        found += [
            Printed(
                "Table 1",
                f"range of ratings, k = {k}",
                spread,
                made.range,
                within=2 * made.range_sd,
                note=f"Mean of {RUNS} runs (SD {made.range_sd:.0f}) with {chosen}; the "
                f"{NAMED:,} that the paper names (for Figure 2) give {named.range:.0f}.",
                fitted=True,
            ),
            Printed(
                "Table 1",
                f"Landau's h, k = {k}",
                h,
                made.h,
                within=max(made.h - made.low_h, 0.005),
                note=f"Median of {RUNS} runs with {chosen}; 5% quantile {made.low_h:.2f}.",
                fitted=True,
            ),
            Printed(
                "Table 1",
                f"Spearman correlation with I&SI, k = {k}",
                rho,
                middle,
                within=max(high - middle, middle - low),
                note=f"Median of {RUNS} runs with {chosen}; 5–95% of runs {low:.2f} to {high:.2f}, "
                "and the paper shows one.",
                fitted=True,
            ),
        ]
    return found


def _appendix() -> list[Printed]:
    """The largest difference with each chance, by the normal curve closest to the table."""
    curve = Normal(CURVE)
    found = []
    for place, printed in enumerate(THRESHOLDS):
        chance = (50 + place) / 100
        # The largest whole difference whose chance is rounded to this one.
        bound = int(np.ceil(curve.difference(chance + 0.005))) - 1
        found.append(
            Printed(
                "Appendix",
                f"largest difference with a chance of {chance:.2f}",
                f"{printed:.0f}",
                float(bound),
                note="" if bound == printed else NOT_NORMAL,
            )
        )
    return found
