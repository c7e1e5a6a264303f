"""Winning probabilities of two rank orders: Bradley–Terry abilities and David's scores.

Bradley–Terry abilities are log-odds. David's scores are not, so differences of normalized scores
are multiplied by a slope that is learned from the contests so far (calibration; Cox 1958). Before
each contest, abilities and scores are computed from the contests before it alone. Without a prior,
abilities would be infinite at first, so those before each contest always have one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests, Record
from peckorder.data.matrix import Matrix
from peckorder.data.win_counts import TIES, WinCounts, scores
from peckorder.data.win_counts import chances as dyadic_chances
from peckorder.errors import ArgumentError
from peckorder.evaluation.recalibration import next_slope, past_slopes
from peckorder.orders.bradley_terry import Scale
from peckorder.ratings.paired_model import DyadRecord, derivatives
from peckorder.results import Order, Ratings
from peckorder.results.chances import Chances
from peckorder.results.trajectory import Course

PREDICTING_ORDERS = ("bradley_terry", "davids_score")
PRIOR_SD = 2.0  # of abilities if the fit had no prior
STEPS, FLAT = 50, 1e-9


@dataclass(frozen=True, eq=False)
class OrderReplay:
    """An order computed again from the contests before each one."""

    data: Contests
    method: str
    settings: dict[str, Any]

    def __len__(self) -> int:
        return len(self.data)

    @property
    def ties(self) -> str:
        """The rule for ties."""
        return self.settings["ties"]

    @cached_property
    def tied(self) -> np.ndarray:
        """Which contests are ties."""
        return np.zeros(len(self.data), bool) if self.data.draw is None else self.data.draw

    @property
    def with_ties(self) -> bool:
        """Whether ties have a probability of their own."""
        return self.ties == "davidson" and bool(self.tied.any())

    @cached_property
    def _path(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores before each contest and after the last, (contests + 1, who), and ν."""
        if self.method == "davids_score":
            return self._by_davids_score(), np.zeros(len(self.data) + 1)
        return self._by_abilities()

    def _counts(self, t: int, wins: np.ndarray, drawn: np.ndarray) -> None:
        """Add contest t to the counts, by the rule for ties."""
        a, b = self.data.winner[t], self.data.loser[t]
        if not self.tied[t]:
            wins[a, b] += 1
        elif self.ties == "davidson":
            drawn[a, b] += 1
            drawn[b, a] += 1
        else:
            wins[a, b] += TIES[self.ties]
            wins[b, a] += TIES[self.ties]

    def _by_abilities(self) -> tuple[np.ndarray, np.ndarray]:
        """Penalized abilities, each fit started from the one before."""
        size = len(self.data.individuals)
        precision = float(self.settings["prior_sd"] or PRIOR_SD) ** -2
        wins, drawn = np.zeros((2, size, size))
        x = np.zeros(size + self.with_ties)
        path, nu = np.zeros((len(self.data) + 1, size)), np.zeros(len(self.data) + 1)
        for t in range(len(self.data) + 1):
            # Equal but for rounding is equal: neither side is then the favorite.
            path[t] = np.round(x[:size] - x[:size].mean(), 9)
            nu[t] = np.exp(x[size]) if self.with_ties else 0.0
            if t < len(self.data):
                self._counts(t, wins, drawn)
                x = refitted(x, wins, drawn, precision)
        return path, nu

    def _by_davids_score(self) -> np.ndarray:
        """Normalized David's scores, times the slope that the contests before teach."""
        data, size = self.data, len(self.data.individuals)
        score, drawn = np.zeros((2, size, size))
        path = np.zeros((len(data) + 1, size))
        for t in range(len(data)):
            self._counts(t, score, drawn)
            contests = np.rint(score + score.T).astype(np.int64)
            counts = replace(self._tally, score=score, contests=contests)
            path[t + 1] = scores(dyadic_chances(counts, self.settings["index"]))["normds"]
            path[t + 1] -= path[t + 1].mean()
        number = np.arange(len(data))
        ahead = path[number, data.winner] - path[number, data.loser]
        decided, won = ~self.tied, np.ones(len(data))
        slope = past_slopes(ahead, won, decided)
        last = next_slope(ahead, won, decided)
        return path * np.append(slope, last)[:, None]

    @cached_property
    def _tally(self) -> WinCounts:
        """Counts to be filled contest by contest."""
        size = len(self.data.individuals)
        none = np.zeros((size, size))
        names, data = self.data.individuals, self.data
        rule = "half" if self.ties == "davidson" else self.ties
        return WinCounts(names, none, none, none, rule, 0, data.hash, data.flavor)

    # -- what every replay offers ------------------------------------------------------------

    def final(self) -> tuple[np.ndarray, float]:
        """Scores after the last contest, and ν."""
        path, nu = self._path
        return path[-1], float(nu[-1])

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Scores before the first and after each contest, (contests + 1, who)."""
        return self._path[0][:, who]

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Scores from the contests up to some times, (times, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        return self._path[0][places][:, who]

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and scores of both sides before and after each contest."""
        both = np.column_stack([self.data.winner, self.data.loser])
        number, path = np.arange(len(self.data))[:, None], self._path[0]
        chances = self.foresight()
        half = 0.0 if chances.draw is None else 0.5 * chances.draw
        return chances.win + half, path[number, both], path[number + 1, both]

    def foresight(self, home_advantage: Any = None) -> Chances:
        """What the contests before each one predicted of it."""
        if home_advantage is not None:
            raise ArgumentError("An order has no home advantage. Use po.elo or po.adaptive.")
        path, nu = self._path
        number = np.arange(len(self.data))
        ahead = path[number, self.data.winner] - path[number, self.data.loser]
        chances = Chances.decided(1 / (1 + np.exp(-ahead)), ahead)
        return chances.with_draws(nu[:-1]) if self.with_ties else chances


@dataclass(frozen=True, eq=False, repr=False)
class OrderRatings(Ratings):
    """An order with winning probabilities, in the form of ratings in log-odds."""

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from those before it, ties included."""
        return self.course.replay.foresight(home_advantage)


def has_chances(order: Any) -> bool:
    """Whether winning probabilities follow from an order."""
    return isinstance(order, Order) and order.method in PREDICTING_ORDERS


def with_chances(rated: Any) -> Any:
    """Ratings from an order that has chances; anything else as it is."""
    return ratings_of(rated) if has_chances(rated) else rated


def ratings_of(order: Order) -> OrderRatings:
    """Bradley–Terry abilities or David's scores as ratings in log-odds."""
    if order.settings.get("covariates") or order.settings.get("home_advantage"):
        raise ArgumentError(
            "These abilities were fitted with covariates, which winning probabilities before each "
            "contest do not include. Fit without them, or use po.dynamic or po.adaptive."
        )
    source: Any = getattr(order.data, "source", None)
    data = Contests.from_matrix(source) if isinstance(source, Matrix) else source
    replay = OrderReplay(data, order.method, order.settings)
    rating, nu, words = _final(order, replay)
    settings = order.settings if replay.tied.any() else order.settings | {"ties": None}
    return OrderRatings(
        method=order.method,
        individuals=data.individuals,
        rating=rating,
        record=Record.of(data),
        curve=Exponential(1.0),
        settings=settings,
        citations=order.citations,
        report=data.report,
        kept=Course(data, replay),
        values={"nu": nu} if replay.with_ties else {},
        summary=words,
    )


def _final(order: Order, replay: OrderReplay) -> tuple[np.ndarray, float, tuple[str, ...]]:
    """Final log-odds, ν, and how they were found."""
    rating, nu = replay.final()
    if order.method == "davids_score":
        return rating, nu, ("David's scores were scaled to log-odds by calibration.",)
    table = order.as_polars()
    single = len(order.values["components"]) == 1
    if order.values["penalized"] or single:
        units = Scale.of(order.settings["scale"], None, order.individuals)
        ability = dict(zip(table["individual"], table[units.column], strict=True))
        rating = np.array([ability[name] for name in order.individuals])
        rating = (rating - rating.mean()) / units.points
        nu = float(order.values["nu"] or 0.0)
    prior = (
        f"Before each contest, Bradley–Terry abilities have a normal prior (standard deviation "
        f"{float(order.settings['prior_sd'] or PRIOR_SD):g})."
    )
    return rating, nu, (prior,)


def refitted(x: np.ndarray, wins: np.ndarray, drawn: np.ndarray, precision: float) -> np.ndarray:
    """Abilities and log ν with the highest posterior density, by Newton's method from x."""
    record = replace(DyadRecord.of_matrix(wins, drawn), modeled=len(x) > len(wins))
    for _ in range(STEPS):
        gradient, curvature = derivatives(record, x, precision)
        step = np.linalg.solve(curvature.dense(), gradient)
        x = x + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < FLAT:
            break
    return x
