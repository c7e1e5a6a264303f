"""Albers & de Vries (2001): Elo rating for dominance, with a worked example and a simulation."""

from __future__ import annotations

from peckorder.curves import Table, k_from_effect
from peckorder.data.contests import Contests
from peckorder.data.datasets import adv
from peckorder.data.read import read
from peckorder.papers.printed import Printed
from peckorder.ratings.elo import elo
from peckorder.simulate.self_organizing import self_organizing

EXAMPLE = {  # winner, loser, tie: printed ratings of A and B
    "A wins": ("A", "B", False, "1224", "976"),
    "B wins": ("B", "A", False, "1124", "1076"),
    "tie": ("A", "B", True, "1174", "1026"),
}
RANGES = {20: "1322", 100: "3758", 200: "5592"}  # of the ratings in Table 1
PER_DYAD = 260


def data() -> Contests:
    """The contests of Figure 1."""
    return adv()


def numbers(_: Contests) -> list[Printed]:
    """The worked example, effects of contests and k, and the ranges of Table 1.

    Figure 1 shows ratings without their values, so none of them is listed.
    """
    return [*_example(), *_effects(), *_table_1()]


def _example() -> list[Printed]:
    found = []
    for case, (winner, loser, tie, *printed) in EXAMPLE.items():
        contest = read({"winner": [winner], "loser": [loser], "draw": [tie]})
        rated = elo(contest, k=100, start={"A": 1200, "B": 1000}, curve="table")
        for name, text in zip("AB", printed, strict=True):
            what = f"rating of {name} after 1200 v 1000, k = 100, {case}"
            found.append(Printed("Worked example", what, text, rated[name]))
    return found


def _effects() -> list[Printed]:
    halved = "The paper halves the difference of 501 points, where it doubles that of 74%."
    return [
        Printed(
            "Text",
            "chance with 80 points more",
            "0.60",
            float(Table()(80)),
            within=0.01,
            note="Printed as about 60%.",
        ),
        Printed("Text", "k if a win raises the chance to 74%", "368", k_from_effect(0.74)),
        Printed(
            "Text", "k if a loss leaves a chance of 4%", "250", k_from_effect(0.96), note=halved
        ),
    ]


def _table_1() -> list[Printed]:
    found = []
    for k, printed in RANGES.items():
        made = self_organizing(k=k, contests_per_dyad=PER_DYAD, runs=50, seed=1)
        note = f"Mean of 50 runs with {PER_DYAD} contests per dyad (SD {made.range_sd:.0f})."
        found.append(
            Printed(
                "Table 1",
                f"range of ratings, k = {k}",
                printed,
                made.range,
                within=2 * made.range_sd,
                note=note,
            )
        )
    return found
