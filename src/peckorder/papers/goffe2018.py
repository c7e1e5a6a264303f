"""Goffe, Fischer & Sennhenn-Reulen (2018): Bayesian Elo, with the data of Foerster et al. (2016).

Without data, the winning probabilities and the toy example; with the contests of the female
chimpanzees, also the fits that the paper reports.
"""

from __future__ import annotations

import warnings

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests
from peckorder.data.read import read
from peckorder.errors import DataWarning
from peckorder.papers.printed import Printed, Statement
from peckorder.ratings.elo import elo
from peckorder.ratings.elo_bayes import elo_bayes
from peckorder.ratings.elo_ml import elo_ml

CHANCES = ("50.0", "73.1", "88.1", "95.3", "98.2", "99.3")
BURN_IN = 100  # contests that the paper leaves out
ROUNDED = "0.5593 rounds to 0.56; the paper has 0.55."
BOUNDARY = "The likelihood is highest at its boundary, k = 0."
WHOLE = "Of all contests; the first of those used is of 1972."
SEED = 1
WITHOUT_FILE = (
    "Not listed: 10 numbers of the results that need the contests of Foerster et al. (2016); give "
    "their file."
)


def toy() -> Contests:
    """The contest of the toy example: A, with a score of 1, beats B, with a score of 3."""
    return read({"winner": ["A"], "loser": ["B"]})


def numbers(contests: Contests) -> list[Printed]:
    """Winning probabilities and the toy example; with the chimpanzees also the fits."""
    found = [*_chances(), *_bounds(), *_toy()]
    return found if len(contests.individuals) == 2 else [*found, *fits(contests)]


def statements(_: Contests) -> list[Statement]:
    """What the paper says about the toy example."""
    return [
        Statement(
            "Section 2.3.2",
            "scores of 0.88 and 3.12 after a contest won by A, and of 1.88 and 2.12 after one "
            "won by B",
            "no",
            "the winners are exchanged: 0.88 and 3.12 are the scores after B won.",
        )
    ]


def kept(contests: Contests) -> Contests:
    """The contests of Foerster et al. (2016) that the paper uses."""
    return contests.take(np.arange(BURN_IN, len(contests)))


def _chances() -> list[Printed]:
    curve = Exponential(1.0)
    return [
        Printed(
            "Text",
            f"winning probability (%) at a difference of {ahead}",
            text,
            100 * float(curve(ahead)),
        )
        for ahead, text in enumerate(CHANCES)
    ]


def _bounds() -> list[Printed]:
    """Smallest and largest k that the paper allows."""
    return [
        Printed("Text", "smallest k, exp(−10)", "0.000045", float(np.exp(-10))),
        Printed("Text", "largest k, exp(10)", "22000", float(np.exp(10)), within=500),
    ]


def _toy() -> list[Printed]:
    upset, expected = toy(), read({"winner": ["B"], "loser": ["A"]})
    found = []
    for k, printed in (
        (1.0, ("1.88", "2.12", "0.55", "0.88", "3.12", "0.90")),
        (2.0, ("2.76", "1.24", "0.18", "0.76", "3.24", "0.92")),
    ):
        start = {"A": 1, "B": 3}
        after = elo(upset, k=k, start=start, delta=1)
        other = elo(expected, k=k, start=start, delta=1)
        values = [
            value
            for one in (after, other)
            for value in (one["A"], one["B"], one.probability("B", "A"))
        ]
        what = [
            f"{part} if {winner} won"
            for winner in "AB"
            for part in ("score of A", "score of B", "chance of B")
        ]
        for label, text, value in zip(what, printed, values, strict=True):
            note = ROUNDED if text == "0.55" else ""
            found.append(Printed("Section 2.3.2", f"{label}, k = {k:g}", text, value, note=note))
    return found


def fits(contests: Contests) -> list[Printed]:
    """What the paper reports about the contests of Foerster et al. (2016)."""
    return [*by_likelihood(contests), *_pooled(kept(contests))]


def by_likelihood(contests: Contests) -> list[Printed]:
    """The data, and the fit by maximum likelihood."""
    used = kept(contests)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # one individual only lost
        fit = elo_ml(used)
    days = contests.times[[0, -1]] if contests.date is None else contests.date[[0, -1]]
    first, last = (int(str(day)[:4]) for day in days)
    return [
        Printed("Results", "contests", "915", len(used)),
        Printed("Results", "individuals", "44", len(used.individuals)),
        Printed("Results", "first year", "1969", first, note=WHOLE),
        Printed("Results", "last year", "2013", last),
        Printed("Results", "maximum likelihood: % predicted", "89.4", 100 * fit.values["share"]),
        Printed("Results", "maximum likelihood: Brier score", "0.085", fit.values["brier"]),
        Printed("Results", "maximum likelihood: k", "0", fit.values["k"], note=BOUNDARY),
    ]


def _pooled(contests: Contests) -> list[Printed]:
    """The fits with partial pooling, with k and without."""
    moving = elo_bayes(contests, seed=SEED)
    static = elo_bayes(contests, k=0.0, seed=SEED)
    wider = elo_bayes(contests, k=0.0, prior_sigma=2.0, seed=SEED)
    history = moving.history
    after = history["winner_after"].to_numpy() - history["loser_after"].to_numpy()
    share, brier = _accuracy(history["expected"].to_numpy())
    known, known_brier = _accuracy(1 / (1 + np.exp(-after)))
    constant, _ = _accuracy(static.history["expected"].to_numpy())
    cause = (
        f"Before each contest, {share:.1%} are predicted (k = 0: {constant:.1%}); the scores after "
        f"it, which know its outcome, have {known:.1%} and a Brier score of {known_brier:.3f}. How "
        "the paper computed its numbers is not known."
    )
    prior = f"With the prior N⁺(0, 2) instead of N⁺(0, 1), sigma is {wider.sigma:.2f}."
    return [
        Printed("Results", "partial pooling: % predicted", "90.7", 100 * share, note=cause),
        Printed("Results", "partial pooling: Brier score", "0.075", brier, note=cause),
        Printed("Results", "partial pooling: sigma (k = 0)", "2.62", static.sigma, note=prior),
    ]


def _accuracy(chance: np.ndarray) -> tuple[float, float]:
    """Share of contests with a chance of the winner above one half, and the mean Brier score."""
    return float((chance > 0.5).mean()), float(((1 - chance) ** 2).mean())
