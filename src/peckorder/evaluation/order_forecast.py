"""Winning probabilities of fits (Bradley–Terry, Plackett–Luce) and of David's scores.

Abilities are log-odds. David's scores are not, so differences of normalized scores are multiplied
by a slope that is learned from the contests so far (calibration; Cox 1958). Fixtures are predicted
from the final abilities and coefficients. For foresight, abilities and scores are computed again
from the contests before: before each of 200 contests, then each time a 25th more were recorded.
Without a prior, abilities would be infinite at first, so those before each contest always have one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests, Record
from peckorder.data.effects import advantages
from peckorder.data.matrix import Matrix
from peckorder.data.win_counts import TIES, WinCounts, scores
from peckorder.data.win_counts import chances as dyadic_chances
from peckorder.errors import ArgumentError
from peckorder.evaluation.recalibration import next_slope, past_slopes
from peckorder.orders.bradley_terry import ESTIMATED, BradleyTerry
from peckorder.ratings.paired_fit import MODELED, entries_of, label_of
from peckorder.ratings.paired_model import OUTCOMES, PRIOR_SD, climbed, spread_of
from peckorder.results import Order, Ratings
from peckorder.results.chances import Chances, drawn_of
from peckorder.results.trajectory import Course
from peckorder.text import counted

PREDICTING_ORDERS = ("bradley_terry", "davids_score")
EACH, SHARE = 200, 25  # first contests, and later the share, after which abilities are fitted again
FLAT = 1e-9


def blocks(contests: int) -> np.ndarray:
    """Number of contests that each fit is based on, from 0 to all of them."""
    out = [0]
    while out[-1] < contests:
        more = 1 if out[-1] < EACH else out[-1] // SHARE
        out.append(min(out[-1] + more, contests))
    return np.array(out)


@dataclass(frozen=True, eq=False)
class OrderReplay:
    """An order computed again from the contests before."""

    data: Contests
    order: Order

    def __len__(self) -> int:
        return len(self.data)

    @cached_property
    def tied(self) -> np.ndarray:
        """Which contests are ties."""
        return drawn_of(self.data)

    @property
    def with_ties(self) -> bool:
        """Whether ties have a probability of their own."""
        return self.order.settings["ties"] in MODELED and bool(self.tied.any())

    @cached_property
    def _fits(self) -> np.ndarray:
        """Number of contests behind each row of the path."""
        return blocks(len(self.data))

    def _row(self, contests: np.ndarray) -> np.ndarray:
        """Row of the path that is known after so many contests."""
        return np.searchsorted(self._fits, contests, side="right") - 1

    @cached_property
    def _path(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """By number of contests known: scores, ν and coefficients; and slopes of the scores."""
        if isinstance(self.order, BradleyTerry):
            return *self._by_abilities(self.order), np.ones(len(self.data) + 1)
        scores, slope = self._by_davids_score()
        return scores, np.zeros(len(scores)), np.zeros((len(scores), 0)), slope

    def _by_abilities(self, order: BradleyTerry) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Penalized abilities, ν and coefficients; each fit starts from the one before."""
        votes, size = order.votes, len(self.data.individuals)
        prior_sd = prior_of(order)
        raw, place = votes.raw, votes.place
        if place is None:
            raw, place = entries_of(self.data)
        weight = np.ones(len(place)) if votes.weight is None else votes.weight
        whole = np.zeros(len(OUTCOMES) * len(raw.one))
        label, omitted = np.zeros(size, np.int64), order.settings["ties"] == "omit"
        x = np.zeros(size + self.with_ties + self._known.shape[1])
        path = np.zeros((len(self._fits), len(x)))
        for row, (begin, end) in enumerate(zip(self._fits[:-1], self._fits[1:], strict=True), 1):
            np.add.at(whole, place[begin:end], weight[begin:end])
            won, lost, drawn = whole.reshape(len(OUTCOMES), -1)
            own = replace(raw, won=won, lost=lost, drawn=0 * drawn if omitted else drawn)
            record = replace(votes.by_rule(own), modeled=self.with_ties)
            sd = spread_of(record) if prior_sd is None else prior_sd
            x = climbed(record, label, sd, start=x, flat=FLAT)[0]
            path[row] = x
        # Equal but for rounding is equal: neither side is then the favorite.
        ability = np.round(path[:, :size] - path[:, :size].mean(axis=1, keepdims=True), 9)
        nu = np.exp(path[:, size]) if self.with_ties else np.zeros(len(path))
        return ability, nu, path[:, size + self.with_ties :]

    def _by_davids_score(self) -> tuple[np.ndarray, np.ndarray]:
        """Normalized David's scores, and the slope that the contests before teach."""
        data, size = self.data, len(self.data.individuals)
        rule, index = self.order.settings["ties"], self.order.settings["index"]
        score, none = np.zeros((2, size, size))
        path = np.zeros((len(self._fits), size))
        half = np.where(self.tied, TIES[rule], 1.0)
        tally = WinCounts(data.individuals, none, none, none, rule, 0, data.hash, data.flavor)
        for row, (begin, end) in enumerate(zip(self._fits[:-1], self._fits[1:], strict=True), 1):
            own = slice(begin, end)
            np.add.at(score, (data.winner[own], data.loser[own]), half[own])
            np.add.at(score, (data.loser[own], data.winner[own]), half[own] * self.tied[own])
            contests = np.rint(score + score.T).astype(np.int64)
            counts = replace(tally, score=score, contests=contests)
            path[row] = scores(dyadic_chances(counts, index))["normds"]
            path[row] -= path[row].mean()
        known = self._row(np.arange(len(data)))
        ahead = path[known, data.winner] - path[known, data.loser]
        decided, won = ~self.tied, np.ones(len(data))
        slope = past_slopes(ahead, won, decided)
        return path, np.append(slope, next_slope(ahead, won, decided))

    @cached_property
    def _known(self) -> np.ndarray:
        """Covariates of each contest seen from the winner, in the units of the fit."""
        if not isinstance(self.order, BradleyTerry) or self.order.votes.raw.known is None:
            return np.zeros((len(self.data), 0))
        raw, place = self.order.votes.raw, self.order.votes.place
        entry = np.asarray(place) % len(raw.one)
        sign = np.where(self.data.winner == raw.one[entry], 1.0, -1.0)
        return np.asarray(raw.known)[entry] * sign[:, None]

    @cached_property
    def bonus(self) -> np.ndarray | None:
        """What covariates (and the home side) add to the winner's log-odds in hindsight."""
        if not self._known.shape[1] or not isinstance(self.order, BradleyTerry):
            return None
        return self._known @ self.order.fit.inside.coefficients(self.order.fit.x)

    # -- what every replay offers ------------------------------------------------------------

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Scores before the first and after each contest, (contests + 1, who)."""
        number = np.arange(len(self.data) + 1)
        return self._path[0][self._row(number)][:, who] * self._path[3][:, None]

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Scores from the contests up to some times, (times, who)."""
        number = np.searchsorted(self.data.times, times, side="right")
        return self._path[0][self._row(number)][:, who] * self._path[3][number, None]

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and scores of both sides before and after each contest."""
        both = np.column_stack([self.data.winner, self.data.loser])
        number = np.arange(len(self.data))
        before, after = (
            self._path[0][self._row(own)[:, None], both] * self._path[3][own, None]
            for own in (number, number + 1)
        )
        return self.foresight().expected, before, after

    def foresight(self, home_advantage: Any = None) -> Chances:
        """What the contests before each one predicted of it."""
        if home_advantage is not None and not self._known.shape[1]:
            raise ArgumentError(
                "These abilities have no home advantage. Use "
                'po.bradley_terry(data, home_advantage="estimate"), po.elo or po.adaptive.'
            )
        path, nu, coefficients, slope = self._path
        number = np.arange(len(self.data))
        row = self._row(number)
        ahead = path[row, self.data.winner] - path[row, self.data.loser]
        ahead = slope[:-1] * ahead
        if home_advantage is not None:
            ahead = ahead + advantages(home_advantage, self.data)
        else:
            ahead = ahead + (self._known * coefficients[row]).sum(axis=1)
        chances = Chances.decided(1 / (1 + np.exp(-ahead)), ahead)
        rule = self.order.settings["ties"]
        return chances.with_draws(nu[row], rule) if self.with_ties else chances


@dataclass(frozen=True, eq=False, repr=False)
class OrderRatings(Ratings):
    """An order with winning probabilities, in the form of ratings in log-odds."""

    effects: dict[str, float] = field(default_factory=dict)  # coefficients per unit, without home
    board: BradleyTerry | None = None  # the fit, if all differences are identified
    penalized_instead: bool = False  # abilities of another fit, because those of this are unbounded

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from those before it, ties included."""
        return self.course.replay.foresight(home_advantage)


def with_chances(rated: Any) -> Any:
    """Ratings from an order that has chances; anything else as it is."""
    if isinstance(rated, Order) and rated.method in PREDICTING_ORDERS:
        return ratings_of(rated)
    return rated


def ratings_of(order: Order) -> OrderRatings:
    """Bradley–Terry abilities or David's scores as ratings in log-odds."""
    source: Any = getattr(order.data, "source", None)
    data = Contests.from_matrix(source) if isinstance(source, Matrix) else source
    replay = OrderReplay(data, order)
    values: dict[str, Any] = {}
    effects: dict[str, float] = {}
    fitted = isinstance(order, BradleyTerry)
    apart = fitted and len(order.fit.sets) > 1
    if fitted:
        rating, nu = _abilities(order)
        effects = dict(
            zip(
                order.votes.names,
                (order.fit.inside.coefficients(order.fit.x) / order.votes.units).tolist(),
                strict=True,
            )
        )
        if "home_advantage" in effects:
            values["home_advantage"] = effects.pop("home_advantage")
        fits = len(blocks(len(data))) - 1
        later = "" if fits == len(data) else f", later each time {1 / SHARE:.0%} more were known"
        sd = prior_of(order)
        how = "estimated with them" if sd is None else f"{sd:g}"
        words = (
            f"Before each contest, Bradley–Terry abilities have a normal prior (standard deviation "
            f"{how}) and are fitted to the contests so far ({counted(fits, 'fit')}: before each "
            f"contest{later}).",
        )
    else:
        last = order.as_polars()
        own = dict(zip(last["individual"], last["normds"], strict=True))
        rating = np.array([own[name] for name in data.individuals])
        rating = (rating - rating.mean()) * replay._path[3][-1]
        nu, words = 0.0, ("David's scores were scaled to log-odds by calibration.",)
    if replay.with_ties:
        values["nu"] = nu
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
        values=values,
        summary=words,
        effects=effects,
        board=order if fitted and not apart else None,
        penalized_instead=apart,
    )


def prior_of(order: BradleyTerry) -> float | None:
    """Standard deviation of the prior of each fit; None if each estimates its own."""
    given = order.settings["prior_sd"]
    return None if given == ESTIMATED else float(given or PRIOR_SD)


def _abilities(order: BradleyTerry) -> tuple[np.ndarray, float]:
    """Final abilities, and ν; with a prior if differences between components are unbounded."""
    if len(order.fit.sets) == 1:
        return order.ability, float(order.nu or 0.0)
    record, size = order.votes.record, len(order.ability)
    everybody = label_of([np.arange(size)], size)
    x = climbed(record, everybody, PRIOR_SD)[0]
    return x[:size] - x[:size].mean(), float(np.exp(x[size])) if record.ties else 0.0
