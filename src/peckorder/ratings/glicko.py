"""Glicko and Glicko-2: ratings with standard deviations (Glickman 1999, 2001).

Each individual has a rating and a rating deviation. Results against opponents with small
deviations count more, and ratings with large deviations change more. In Glicko-2, a volatility
also describes how much the strength of an individual varies over time. Conventions follow the R
package PlayerRatings: all contests of a period use the values at its start, and deviations
increase from period to period. They differ in two points. As in Glickman's paper, newcomers enter
their first period with the deviation that is given, whereas PlayerRatings increases it first. And
of days, weeks, months and years, those without contests count: deviations increase by as many
periods as have passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal, cast

import numpy as np

from peckorder.curves import Logistic
from peckorder.data.contests import Contests, Record
from peckorder.data.date_columns import moment
from peckorder.data.effects import advantages
from peckorder.data.read import Data, opened_contests
from peckorder.errors import ArgumentError, ArgumentTypeError, caution
from peckorder.kernels import glicko as kernel
from peckorder.methods import METHODS
from peckorder.ratings import elo_arrays
from peckorder.ratings.arguments import choices
from peckorder.ratings.elo import UNORDERED
from peckorder.ratings.settings import EloSettings
from peckorder.results import Ratings
from peckorder.results.chances import Chances
from peckorder.results.trajectory import Course
from peckorder.results.window import Window
from peckorder.tables import as_polars
from peckorder.text import option, option_name, quoted
from peckorder.validate import between_0_and_1, is_number, one_of

START = 2200.0
PLAYER_RATINGS = {"start": START, "deviation": 300.0, "c": 15.0, "volatility": 0.15, "tau": 1.2}
# c: from a deviation of 50 to 350 in 100 periods.
GLICKMAN = {"start": 1500.0, "deviation": 350.0, "c": 34.6, "volatility": 0.06, "tau": 0.5}
PERIODS = ("contest", *choices("period"))


def glicko(
    data: Data,
    *,
    start: float | Mapping[str, float] | None = None,
    deviation: float | Mapping[str, float] | None = None,
    c: float | None = None,
    max_deviation: float = 350.0,
    period: Literal["contest", "date", "day", "week", "month", "year"] | None = None,
    outcome: Literal["win", "points"] = "win",
    home_advantage: float | Mapping[str, float] = 0.0,
    preset: Literal["PlayerRatings", "Glickman"] | None = None,
    level: float = 0.95,
) -> Ratings:
    """Glicko ratings, updated period by period.

    Parameters
    ----------
    data : Contests
    start : number or mapping, starting ratings. Default: 2200.
    deviation : number or mapping, starting rating deviations. Default: 300.
    c : square root of the increase of the squared deviation per period. Default: 15.
    max_deviation : upper limit of the deviations.
    period : {"contest", "date", "day", "week", "month", "year"}, optional
        All contests of a period use the values at its start. Default: one period per distinct
        date, or per contest if there are no dates, counted only where there are contests. Days,
        weeks, months and years count by the calendar: a pause of 52 weeks is 52 periods.
    outcome : {"win", "points"}, as in `elo`.
    home_advantage : number or mapping
        Rating points added to the home side, also in the update; not added at neutral venues.
    preset : {"PlayerRatings", "Glickman"}, optional
        "PlayerRatings": increase the deviation of newcomers by c, as between periods, before their
        first period, and count only periods with contests; its other conventions are defaults.
        "Glickman": start 1500, deviation 350 and c 34.6, as in Glickman's description, where they
        are not given.
    level : float
        Probability that the interval of a rating contains.

    Returns
    -------
    Ratings
        The table also has rating_sd (the deviation), rating_low and rating_high.

    Notes
    -----
    With q = ln 10/400 and g(RD) = 1/√(1 + 3q²RD²/π²), the probability of beating an opponent is
    1/(1 + 10^(−g(√(RD² + RD′²)) Δ/400)). Probabilities from the final ratings use the deviations
    after the last period of each individual. Predictions before a contest use the deviations
    including their increase up to then.

    References
    ----------
    Glickman 1999, Applied Statistics 48:377–394, doi:10.1111/1467-9876.00159.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.glicko(po.datasets.adv(), start=1500, deviation=200)
    >>> round(found["b"], 1), round(found.probability("b", "a"), 3)
    (1710.8, 0.933)
    """
    if preset is not None:
        one_of("preset", preset, ("PlayerRatings", "Glickman"))
    usual = GLICKMAN if preset == "Glickman" else PLAYER_RATINGS
    settings = EloSettings(
        start=usual["start"] if start is None else start,
        outcome=outcome,
        home_advantage=home_advantage,
    )
    own = {
        "deviation": usual["deviation"] if deviation is None else deviation,
        "c": usual["c"] if c is None else c,
        "preset": preset,
        "max_deviation": max_deviation,
    }
    return _glicko("glicko", data, settings, own, period, level)


def glicko2(
    data: Data,
    *,
    start: float | Mapping[str, float] | None = None,
    deviation: float | Mapping[str, float] | None = None,
    volatility: float | Mapping[str, float] | None = None,
    tau: float | None = None,
    max_deviation: float = 350.0,
    period: str | None = None,
    outcome: str = "win",
    home_advantage: float | Mapping[str, float] = 0.0,
    preset: Literal["Glickman"] | None = None,
    level: float = 0.95,
) -> Ratings:
    """Glicko-2 ratings, updated period by period.

    Parameters
    ----------
    data, start, deviation, max_deviation, period, outcome, home_advantage : as in `glicko`.
    volatility : number or mapping, on the scale of Glicko-2 (ratings × ln 10/400). Default: 0.15.
    tau : constraint on changes of the volatility, usually 0.3 to 1.2; 0 keeps it constant.
        Default: 1.2.
    preset : {"Glickman"}, optional
        Start 1500, deviation 350, volatility 0.06 and tau 0.5, as in Glickman's example, where they
        are not given.
    level : float
        Probability that the interval of a rating contains.

    Returns
    -------
    Ratings
        The table also has rating_sd (the deviation), volatility, rating_low and rating_high.

    Notes
    -----
    Details not specified in the manual of PlayerRatings: before a period, the squared deviation
    increases by the squared volatility for each missed period (the last step is part of the
    update). `max_deviation` is the upper limit of both the deviation and the volatility, before
    and within the update. The equation of the volatility is solved exactly.

    References
    ----------
    Glickman 2001, Journal of Applied Statistics 28:673–689, doi:10.1080/02664760120059219.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.glicko2(po.datasets.adv(), start=1500, deviation=200)
    >>> round(found["b"], 1), round(found.probability("b", "a"), 3)
    (1741.2, 0.945)
    """
    if preset is not None:
        one_of("preset", preset, ("Glickman",))
    usual = GLICKMAN if preset == "Glickman" else PLAYER_RATINGS
    settings = EloSettings(
        start=usual["start"] if start is None else start,
        outcome=outcome,
        home_advantage=home_advantage,
    )
    own = {
        "deviation": usual["deviation"] if deviation is None else deviation,
        "volatility": usual["volatility"] if volatility is None else volatility,
        "tau": usual["tau"] if tau is None else tau,
        "preset": preset,
        "max_deviation": max_deviation,
    }
    return _glicko("glicko2", data, settings, own, period, level)


def _glicko(
    method: str, data: Any, settings: EloSettings, own: dict[str, Any], period: Any, level: float
) -> Ratings:
    data = opened_contests(data, f"sport.{method}")
    elo_arrays.refuse_no_contests(data)
    max_deviation = own["max_deviation"]
    _check("max_deviation", max_deviation, 1e-9)
    for name in own.keys() & {"c", "tau"}:
        _check(name, own[name], 0)
    for value in _each(own["deviation"]):
        _check("deviation", value, 1e-9)
        if value > max_deviation:
            raise ArgumentError(
                f"{option('deviation', f'{value:g}')} is above "
                f"{option('max_deviation', f'{max_deviation:g}')}. Decrease "
                f"{option_name('deviation')} or increase {option_name('max_deviation')}."
            )
    for value in _each(own.get("volatility", 1.0)):
        _check("volatility", value, 1e-9)
    if period is not None:
        one_of("period", period, PERIODS)
    if not data.ordered:
        caution(UNORDERED)
    period = period or ("contest" if data.date is None else "date")
    replay = GlickoReplay(data, settings, own | {"period": period})
    columns = {"rating_sd": replay.deviation}
    columns |= {"volatility": replay.volatility} if method == "glicko2" else {}
    reach = reach_of(level) * replay.deviation
    columns |= {"rating_low": replay.rating - reach, "rating_high": replay.rating + reach}
    plain = settings.to_dict()
    return GlickoRatings(
        method=method,
        individuals=data.individuals,
        rating=replay.rating,
        record=Record.of(data),
        curve=Logistic(),
        settings={
            "start": plain["start"],
            **own,
            "period": period,
            "outcome": settings.outcome,
            "home_advantage": plain["home_advantage"],
            "level": level,
        },
        citations=METHODS[method].citations,
        report=data.report,
        kept=Course(data, replay),
        columns=columns,
    )


def reach_of(level: float) -> float:
    """Standard deviations from the center of a normal distribution to the end of its interval."""
    return NormalDist().inv_cdf((1 + between_0_and_1("level", level)) / 2)


class GlickoReplay:
    """Ratings and deviations after one run over all periods, and their history by another."""

    def __init__(self, data: Contests, settings: EloSettings, given: dict[str, Any]):
        self.data, self.q, self.settings, self._given = data, Logistic().slope, settings, given
        contests = len(data)
        self.start = elo_arrays.starts(
            settings, data.individuals, usual=START, aliases=data.aliases
        )
        self.first_deviation = _of_each("deviation", given["deviation"], data.individuals)
        self.first_volatility = _of_each(
            "volatility", given.get("volatility", 0.0), data.individuals
        )
        self.when = self.period_at = np.arange(contests)
        period, as_player_ratings = given["period"], given["preset"] == "PlayerRatings"
        if period != "contest":
            labels = elo_arrays.period_labels(period, data)
            self.period_at = elo_arrays.period_starts(period, data)
            self.when = np.arange(len(self.period_at))
            if period != "date" and not as_player_ratings:  # by the calendar
                self.when = labels[self.period_at] - labels[0]
        self._score = elo_arrays.scores(settings, data)
        self._advantage = advantages(settings.home_advantage, data)
        self.rules = kernel.Rules(
            bool(self.first_volatility.any()),
            float(given.get("c", 0.0)),
            float(given.get("tau", 0.0)),
            self.q,
            float(given["max_deviation"]),
        )
        self._newcomers_grow = as_player_ratings
        predicted = kernel.predictions(contests)
        self.rating, self.deviation, self.volatility, self._last_period = self._run(predicted)
        self._expected, self._ahead = predicted.expected, predicted.ahead

    def _run(self, history: kernel.History) -> kernel.State:
        """Rate all contests, noting what history has room for."""
        deviation = self.first_deviation.copy()
        if self._newcomers_grow:  # that of an individual is not used before its first period
            deviation = np.minimum(np.hypot(deviation, self.rules.c), self.rules.highest)
        last = np.full(len(self.start), -1, np.int64)
        state = kernel.State(self.start.copy(), deviation, self.first_volatility.copy(), last)
        contests = kernel.ContestArrays(
            self.data.winner,
            self.data.loser,
            self._score,
            self._advantage,
            self.period_at.astype(np.int64),
            self.when.astype(np.int64),
        )
        kernel.rate(contests, self.rules, state, history)
        return state

    @cached_property
    def _history(self) -> kernel.History:
        """Ratings, deviations and volatilities of both sides of each contest."""
        history = kernel.everything(len(self.data))
        self._run(history)
        return history

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings of both sides before and after the period."""
        return self._expected, self._history.before, self._history.after

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before its period."""
        if home_advantage is None:
            return Chances.decided(self._expected, self._ahead)
        before, spread = self._history.before, self._history.spread
        ahead = before[:, 0] - before[:, 1] + advantages(home_advantage, self.data)
        return Chances.decided(chance(ahead, np.hypot(*spread.T), self.q), ahead)

    def again(self, home_advantage: Any = None, **changed: Any) -> GlickoReplay:
        """The same contests with other parameters of Glicko, or another home advantage."""
        settings = self.settings
        if home_advantage is not None:
            settings = replace(settings, home_advantage=home_advantage)
        return GlickoReplay(self.data, settings, self._given | changed)

    def foresight_sums(self, first: int, least: float) -> np.ndarray:
        """Sums of the scores of predictions from contest `first` onward, as of Elo ratings.

        Log loss, Brier score, number of correct predictions, number of decided contests.
        """
        win = np.clip(self._expected[first:], least, 1 - least)
        score = np.broadcast_to(self._score, len(self.data))[first:]
        loss = -np.where(score == 1, np.log(win), 0.0)
        part = score != 1
        loss[part] = -(score * np.log(win) + (1 - score) * np.log(1 - win))[part]
        ahead = self._ahead[first:]
        decided = score != 0.5
        correct = np.count_nonzero(decided & (ahead > 0))
        return np.array(
            [loss.sum(), ((score - win) ** 2).sum(), correct, np.count_nonzero(decided)]
        )

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings at these times, (times, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        return self._followed(places, who, self._history.after, self.start)

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings before the first and after each contest, (contests + 1, who)."""
        return self._followed(np.arange(len(self.data) + 1), who, self._history.after, self.start)

    def deviations_at(self, when: np.generic) -> np.ndarray:
        """Deviations after the last period completed at a time."""
        return self._at_once(when, self._history.spread_after, self.first_deviation)

    def volatilities_at(self, when: np.generic) -> np.ndarray:
        """Volatilities after the last period completed at a time."""
        return self._at_once(when, self._history.volatility_after, self.first_volatility)

    def _at_once(self, when: np.generic, values: np.ndarray, start: np.ndarray) -> np.ndarray:
        everybody = np.arange(len(self.data.individuals))
        places = np.searchsorted(self.data.times, [when], side="right")
        return self._followed(places, everybody, values, start)[0]

    def next_deviations(self) -> np.ndarray:
        """Deviations at the start of the next period, with their increase up to then."""
        lag = self.when[-1] + 1 - self._last_period
        growth = self.rules.c**2 * lag
        if self.rules.second_version:  # the last step is part of the update
            growth = (lag - 1) * (self.volatility / self.q) ** 2
        grown = np.minimum(np.sqrt(self.deviation**2 + growth), self.rules.highest)
        return np.where(self._last_period < 0, self.deviation, grown)

    def first_of_newcomers(self, deviation: float) -> float:
        """Deviation with which newcomers enter their first period."""
        if not self._newcomers_grow:
            return deviation
        return min(float(np.hypot(deviation, self.rules.c)), self.rules.highest)

    def _followed(
        self, places: np.ndarray, who: np.ndarray, values: np.ndarray, start: np.ndarray
    ) -> np.ndarray:
        """Values after given numbers of contests, counting completed periods only."""
        ends = np.append(self.period_at[1:], len(self.data))
        end = ends[np.searchsorted(self.period_at, np.arange(len(self.data)), side="right") - 1]
        out = np.empty((len(places), len(who)))
        for column, code in enumerate(who):
            own = np.flatnonzero((self.data.winner == code) | (self.data.loser == code))
            side = np.where(self.data.winner[own] == code, 0, 1)
            known = np.append(start[code], values[own, side])
            out[:, column] = known[np.searchsorted(end[own], places, side="right")]
        return out


def _each(value: Any) -> Any:
    return value.values() if isinstance(value, Mapping) else [value]


def _check(name: str, value: Any, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ArgumentTypeError(f"{option_name(name)} must be a number, not {value!r}.")
    if not is_number(value) or value < least:
        what = "of at least 0" if least == 0 else "above 0"
        raise ArgumentError(f"{option_name(name)}={value!r}: give a finite number {what}.")


def _of_each(name: str, value: Any, individuals: tuple[str, ...]) -> np.ndarray:
    """One number for all individuals, or one per individual by name."""
    if not isinstance(value, Mapping):
        return np.full(len(individuals), float(value))
    known = {str(who): float(number) for who, number in value.items()}
    missing = [who for who in individuals if who not in known]
    if missing:
        raise ArgumentError(
            f"{option_name(name)} has no value for {quoted(missing)}. Give one value per "
            f"individual, or one number for all."
        )
    return np.array([known[who] for who in individuals])


def chance(ahead: np.ndarray, deviation: np.ndarray, q: float) -> np.ndarray:
    """Expected score by rating difference, given the deviation of the difference."""
    from scipy.special import expit

    return expit(q * ahead / np.sqrt(1 + 3 * (q * deviation / np.pi) ** 2))


@dataclass(frozen=True, eq=False, repr=False)
class GlickoRatings(Ratings):
    """Ratings with deviations, which shrink predicted probabilities toward ½."""

    kept: Course[GlickoReplay] | None = None

    @property
    def course(self) -> Course[GlickoReplay]:
        """The contests behind these ratings and their replay."""
        return cast(Course[GlickoReplay], super().course)

    by_curve = False

    def chance(
        self, ahead: np.ndarray, first: np.ndarray, second: np.ndarray, at: object = None
    ) -> np.ndarray:
        """Winning probability by rating difference and deviations."""
        replay = self.whole.course.replay
        deviation = self.columns["rating_sd"]
        if at is not None:
            deviation = replay.deviations_at(moment(at, self.whole.data.times))
            deviation = deviation if self.window is None else deviation[self.window.places]
        return chance(ahead, np.hypot(deviation[first], deviation[second]), replay.q)

    def _columns_at(self, window: Window) -> dict[str, np.ndarray]:
        if window.stop == len(self.data):
            return self.columns
        return self._known_at(window.end)

    def _known_at(self, when: np.generic) -> dict[str, np.ndarray]:
        """Deviations, intervals and volatilities after the last period completed at a time."""
        replay = self.whole.course.replay
        deviation, rating = replay.deviations_at(when), self.whole.course.at(np.array([when]))[0]
        reach = reach_of(self.settings["level"]) * deviation
        out = {"rating_sd": deviation}
        if "volatility" in self.columns:
            out["volatility"] = replay.volatilities_at(when)
        return out | {"rating_low": rating - reach, "rating_high": rating + reach}

    def at(self, date: object) -> Any:
        """The table at the end of a day, with deviations (and volatilities) at that time."""
        table = as_polars(super().at(date))
        if not table.height:
            return self._native(table)
        known = self._known_at(moment(date, self.whole.data.times))
        place = {name: i for i, name in enumerate(self.whole.individuals)}
        codes = [place[name] for name in table["individual"]]
        return self._native(table.with_columns(**{name: c[codes] for name, c in known.items()}))
