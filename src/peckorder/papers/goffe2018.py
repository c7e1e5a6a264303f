"""Goffe, Fischer & Sennhenn-Reulen (2018): Bayesian Elo, with the data of Foerster et al. (2016).

Without data, the winning probabilities and the toy example; with the contests of the female
chimpanzees, the fits by maximum likelihood that the paper reports.
"""

from __future__ import annotations

import warnings

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests
from peckorder.data.read import read
from peckorder.errors import DataWarning
from peckorder.papers.printed import Printed
from peckorder.ratings.elo import elo
from peckorder.ratings.elo_ml import elo_ml

CHANCES = ("50.0", "73.1", "88.1", "95.3", "98.2", "99.3")
BURN_IN = 100  # contests that the paper leaves out
ROUNDED = "0.5593 rounds to 0.56; the paper has 0.55."
BOUNDARY = "The likelihood is highest at its boundary, k = 0."


def toy() -> Contests:
    """The contest of the toy example: A, with a score of 1, beats B, with a score of 3."""
    return read({"winner": ["A"], "loser": ["B"]})


def numbers(contests: Contests) -> list[Printed]:
    """Winning probabilities and the toy example; with the chimpanzees also the fits."""
    found = [*_chances(), *_toy()]
    return found if len(contests.individuals) == 2 else [*found, *fits(contests)]


def _chances() -> list[Printed]:
    return [
        Printed(
            "Text",
            f"winning probability (%) at a difference of {ahead}",
            text,
            100 * float(Exponential(1.0)(ahead)),
        )
        for ahead, text in enumerate(CHANCES)
    ]


def _toy() -> list[Printed]:
    upset, expected = toy(), read({"winner": ["B"], "loser": ["A"]})
    found = []
    for k, printed in (
        (1.0, ("1.88", "2.12", "0.55", "0.90")),
        (2.0, ("2.76", "1.24", "0.18", "0.92")),
    ):
        start = {"A": 1, "B": 3}
        after = elo(upset, k=k, start=start, delta=1)
        other = elo(expected, k=k, start=start, delta=1)
        values = (after["A"], after["B"], after.probability("B", "A"), other.probability("B", "A"))
        what = (
            "score of A after it won",
            "score of B after it lost",
            "chance of B if A won",
            "chance of B if B won",
        )
        for label, text, value in zip(what, printed, values, strict=True):
            note = ROUNDED if text == "0.55" else ""
            found.append(Printed("Section 2.3.2", f"{label}, k = {k:g}", text, value, note=note))
    return found


def fits(contests: Contests) -> list[Printed]:
    """What the paper reports about the contests of Foerster et al. (2016)."""
    kept = contests.take(np.arange(BURN_IN, len(contests)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # one individual only lost
        fit = elo_ml(kept)
    return [
        Printed("Results", "contests", "915", len(kept)),
        Printed("Results", "individuals", "44", len(kept.individuals)),
        Printed("Results", "maximum likelihood: % predicted", "89.4", 100 * fit.share),
        Printed("Results", "maximum likelihood: Brier score", "0.085", fit.brier),
        Printed("Results", "maximum likelihood: k", "0", fit.k, note=BOUNDARY),
    ]
