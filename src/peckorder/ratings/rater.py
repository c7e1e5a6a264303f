"""Elo ratings updated one contest at a time, for live use; the same arithmetic as `elo`.

The state of an `EloRater` as plain values, in columns, and checked when it is read again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from threading import RLock
from typing import Any, Unpack

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.curves import CURVES, Curve, Normal, Table
from peckorder.data.contests import Contests
from peckorder.data.date_columns import moment
from peckorder.data.effects import advantages, home_bonus
from peckorder.data.import_report import ImportReport, Labels
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, MissingFileError
from peckorder.kernels import elo as kernel
from peckorder.methods import VERSION
from peckorder.ratings import elo_arrays
from peckorder.ratings.arguments import EloArguments, takes_elo_arguments
from peckorder.ratings.replay import EloReplay, EloState, advance
from peckorder.ratings.settings import PRESETS, EloSettings, resolve
from peckorder.results.ratings import Ratings
from peckorder.tables import write_whole
from peckorder.validate import finite, is_number, one_of, true_or_false, whole_number


class EloRater:
    """Elo ratings updated one contest at a time.

    The results are identical to those of `elo` to the last bit. (Means, which are used for
    newcomers and between seasons, require that individuals are named in the same order, because
    floating-point sums depend on it.) Threads may share a rater: each contest is rated as a whole,
    in the order in which the calls arrive.

    Parameters
    ----------
    individuals : iterable of str, optional
        Individuals present from the beginning. With `entry="start"`, others may appear in any
        contest; with any other entry rule, `arrive` must be called first.
    k, start, curve, scale, delta, sd, entry, outcome, margin, home_advantage, home_in_update, \
carry_over, carry_to, carry_pauses, half_life, margin_correction, burn_in, fide, preset
        As in `elo`. With `half_life`, contests need dates, in order; ratings and probabilities are
        those of the day of the latest contest.

    Examples
    --------
    The example of Albers & de Vries, 1200 against 1000 with k = 100:

    >>> rater = EloRater(k=100, start={"A": 1200, "B": 1000}, curve="table")
    >>> rater.update("A", "B")
    0.76
    >>> rater.ratings
    {'A': 1224.0, 'B': 976.0}
    """

    @takes_elo_arguments
    def __init__(
        self,
        individuals: Iterable[str] = (),
        **settings: Unpack[EloArguments],
    ):
        unfit = ("k_column", "k_periods", "period", "within", "overrides")
        self._begin(resolve(settings, of="EloRater", without=unfit))
        if isinstance(individuals, str):
            raise ArgumentTypeError(
                f"individuals must be a list of names, not the string {individuals!r}."
            )
        self._add(*dict.fromkeys(map(name_of, individuals)))

    def _begin(self, settings: EloSettings) -> None:
        if settings.period is not None:
            raise ArgumentError(
                "EloRater updates after each contest and cannot rate in batches. Use peckorder.elo "
                "or another preset."
            )
        if isinstance(settings.k, list | np.ndarray):
            raise ArgumentError(
                'k must be a number, a mapping by context, a pair (winner, loser) or "fide".'
            )
        self._settings = settings
        self._starts = elo_arrays.start_of(settings)
        self._codes: dict[str, int] = {}
        self._continue_from(EloState.of(np.zeros(0)))
        self._chance, self._pair_of_k = _quick(settings.curve), _plain_k(settings)
        self._lock = RLock()

    def _continue_from(self, state: EloState) -> None:
        self._state = state
        # Single numbers are read and written faster through these views than through the arrays.
        self._rating: Any = state.rating.data
        self._present: Any = state.present.data

    def _add(self, *names: str) -> None:
        self._state.grow(np.array([self._starts(name) for name in names], float))
        self._continue_from(self._state)
        for name in names:
            self._codes[name] = len(self._codes)

    @classmethod
    def from_ratings(cls, ratings: Ratings) -> EloRater:
        """A rater that continues after the last contest of `po.elo` or `po.elo_ml`.

        >>> import peckorder as po
        >>> rater = EloRater.from_ratings(po.elo(po.datasets.adv(), k=200))
        >>> rater
        EloRater: 7 individuals, 33 contests
        """
        replay = ratings.course.replay if isinstance(ratings, Ratings) else None
        if not isinstance(replay, EloReplay):
            raise ArgumentTypeError("ratings must be the result of peckorder.elo or elo_ml.")
        if replay.settings.k_column or replay.settings.k_periods:
            raise ArgumentError("k of these ratings depends on a column or on periods.")
        rater = cls.__new__(cls)
        rater._begin(replay.settings)
        rater._codes = {name: code for code, name in enumerate(replay.data.individuals)}
        rater._continue_from(replay.end())
        return rater

    @property
    def ratings(self) -> dict[str, float]:
        """Current ratings in order of appearance; absent individuals keep their rating."""
        now = self._now()
        return {name: float(now[code]) for name, code in self._codes.items()}

    def _now(self) -> np.ndarray:
        state, last = self._state, self._state.last[~np.isnan(self._state.last)]
        return state.rating_at(self._settings, float(last.max(initial=-np.inf)))

    @property
    def contests(self) -> int:
        """Number of contests rated so far."""
        return self._state.done

    def __repr__(self) -> str:
        return f"EloRater: {len(self._codes)} individuals, {self.contests} contests"

    def _repr_html_(self) -> str:
        """What notebooks show: the current ratings, highest first."""
        now = pl.DataFrame(
            {"individual": list(self.ratings), "rating": list(self.ratings.values())},
            schema={"individual": pl.String, "rating": pl.Float64},
        ).sort("rating", descending=True, nulls_last=True)
        return notebook.page(repr(self), tables=[notebook.table(now)])

    def probability(
        self, a: str, b: str, *, home: str | None = None, neutral: bool = False
    ) -> float:
        """Current probability that `a` beats `b`.

        `home` names the home side, to which the home advantage of the settings is added, unless
        the venue is neutral.
        """
        names = name_of(a), name_of(b)
        for name in names:
            if name not in self._codes:
                raise ArgumentError(f'"{name}" is not rated yet.')
        rating = self._rating if self._settings.half_life is None else self._now()
        one, other = (rating[self._codes[name]] for name in names)
        bonus = 0.0
        if home is not None:
            if name_of(home) not in names:
                raise ArgumentError(f'home must be "{names[0]}" or "{names[1]}", not "{home}".')
            if not true_or_false("neutral", neutral):
                side = np.array([1.0 if name_of(home) == names[0] else -1.0])
                codes = np.array([0]), np.array([1])
                bonus = home_bonus(self._settings.home_advantage, names, *codes, side)[0]
        return float(self._settings.curve(one - other + bonus))

    def update(
        self,
        winner: str,
        loser: str,
        *,
        draw: bool | None = None,
        points: tuple[float, float] | None = None,
        context: str | None = None,
        home: str | None = None,
        k: float | tuple[float, float] | None = None,
        date: Any = None,
    ) -> float:
        """Rate one contest; returns the expected score of the winner before it.

        Parameters
        ----------
        winner, loser : the two sides; in a tie, in any order.
        draw : whether the contest is a tie; by default False, or whether the points are equal.
        points : points of winner and loser, for `outcome="points"` and `margin`.
        context : context of the contest, for k by context.
        home : name of the home side; None for a neutral venue.
        k : k of this contest only; overrides the settings.
        date : day of the contest, for `half_life`: a date, or a number.
        """
        plain = draw is None and points is None and context is None and home is None and k is None
        if plain and self._pair_of_k is not None:
            expected = self._update_plainly(winner, loser, *self._pair_of_k)
            if expected is not None:
                return expected
        with self._lock:
            return self._update(winner, loser, draw, points, context, home, k, date)

    def _update_plainly(
        self, winner: str, loser: str, k_winner: float, k_loser: float
    ) -> float | None:
        """A contest in which only two ratings and k matter, between individuals that are present.

        Newcomers are added if they start like everybody else. None for any other contest; nothing
        is changed then.
        """
        codes = self._codes
        with self._lock:
            try:
                one, other = codes[winner], codes[loser]
            except (KeyError, TypeError):
                if not self._may_join(winner, loser):
                    return None
                self._add(*(name for name in (winner, loser) if name not in codes))
                one, other = codes[winner], codes[loser]
            rating = self._rating
            if one == other or not (self._present[one] and self._present[other]):
                return None
            expected = self._chance(rating[one] - rating[other])
            surprise = 1.0 - expected
            rating[one] += k_winner * surprise
            rating[other] -= k_loser * surprise
            self._state.done += 1
        return expected

    def _may_join(self, *names: object) -> bool:
        """Whether those of two sides that are unknown can be added with nothing more to check."""
        if self._settings.entry != "start" or names[0] == names[1]:
            return False
        for name in names:
            if type(name) is not str or not name or name != name.strip():
                return False
            if name in self._codes and not self._present[self._codes[name]]:
                return False
        return True

    def _update(self, winner, loser, draw, points, context, home, k, date) -> float:
        winner, loser = names_of(winner, loser)
        contest = self._contest(winner, loser, draw, points, context, home, date)
        settings = self._settings if k is None else self._with_k(k)
        if settings.half_life is not None and date is None:
            raise ArgumentError('With half_life, give the day of the contest: date="2024-05-01".')
        score = elo_arrays.scores(settings, contest)
        pair = elo_arrays.k_values(settings, contest, self._state.done)
        advantage = advantages(settings.home_advantage, contest)
        return float(self._advance(settings, contest, score, pair, advantage)[0])

    def _advance(self, settings, contests, score, k, advantage) -> np.ndarray:
        """Rate contests by their names and dates; the expected scores of winners."""
        state, size = self._state, len(contests)
        known = [self._codes.get(name) for name in contests.individuals]
        last = [np.nan if code is None else state.last[code] for code in known]
        self._refuse_past(settings, contests)
        kept, last = elo_arrays.shares_kept(settings, contests, np.array(last))
        codes = np.array(self._both(*contests.individuals), np.int32)
        history = kernel.NO_HISTORY._replace(expected=np.empty(size))
        sides = codes[contests.winner], codes[contests.loser]
        given = score, k, advantage
        advance(self._state, settings, *sides, *given, history=history, kept=kept)
        self._state.last[codes] = last
        return history.expected

    def _refuse_past(self, settings: EloSettings, contests: Contests) -> None:
        if settings.half_life is None or not len(contests) or contests.date is None:
            return
        latest = self._state.last[~np.isnan(self._state.last)].max(initial=-np.inf)
        if elo_arrays.days_of(contests.times[:1])[0] < latest:
            raise ArgumentError(
                "This contest was on an earlier day than the latest one. Rate contests in the "
                "order of their dates."
            )

    def update_many(self, contests: Contests) -> np.ndarray:
        """Rate the contests of a data set in sequence; returns the expected scores of winners.

        >>> import peckorder as po
        >>> rater = po.EloRater(k=200)
        >>> rater.update_many(po.datasets.adv())[:2]
        array([0.5     , 0.359935])

        Parameters
        ----------
        contests : Contests
            As returned by `po.read`, without presence; seasons are carried over by `new_season`.
        """
        if not isinstance(contests, Contests):
            raise ArgumentTypeError(
                f"contests must be what peckorder.read returns, not {type(contests).__name__}."
            )
        if contests.presence is not None:
            raise ArgumentError(
                "update_many does not read presence. Call arrive and leave between contests, or "
                "use peckorder.elo."
            )
        with self._lock:
            settings = self._settings
            score = elo_arrays.scores(settings, contests)
            k = elo_arrays.k_values(settings, contests, self._state.done)
            advantage = advantages(settings.home_advantage, contests)
            return self._advance(settings, contests, score, k, advantage)

    def _contest(self, winner, loser, draw, points, context, home, date) -> Contests:
        """One contest, checked as in `read`."""
        if not isinstance(draw, bool | np.bool_ | None):
            raise ArgumentTypeError(f"draw must be True or False, not {draw!r}.")
        if points is not None:
            _check_points(points)
            if draw is not None and draw != (points[0] == points[1]):
                raise ArgumentError(
                    f"draw={draw} contradicts the points {points!r}. Omit draw, or correct one of "
                    f"them."
                )
            draw = bool(points[0] == points[1])
        side = 0
        if home is not None:
            if name_of(home) not in (winner, loser):
                raise ArgumentError(f'home must be "{winner}" or "{loser}", not "{home}".')
            side = 1 if name_of(home) == winner else -1
        return Contests(
            (winner, loser),
            np.zeros(1, np.int32),
            np.ones(1, np.int32),
            draw=np.array([bool(draw)]),
            points=None if points is None else np.array([points], float),
            date=None if date is None else np.array([_day(date)]),
            home=np.array([side], np.int8),
            context=None if context is None else Labels(np.zeros(1, np.int32), (str(context),)),
            rows=np.array([self._state.done + 1]),
            report=ImportReport(row_word="contest"),
        )

    def _with_k(self, k: float | tuple[float, float]) -> EloSettings:
        if isinstance(self._settings.k, str) or isinstance(k, str | Mapping | list | np.ndarray):
            raise ArgumentError(
                "k of a single contest must be a number or a pair (winner, loser), and cannot be "
                'combined with k="fide".'
            )
        return replace(self._settings, k=k, burn_in=None)

    def _both(self, *names: str) -> list[int]:
        """Codes of both sides; newcomers are added together or not at all."""
        fresh = [name for name in names if name not in self._codes]
        for name in names:
            if name in fresh and self._settings.entry != "start":
                raise ArgumentError(
                    f'"{name}" is unknown. With entry="{self._settings.entry}", first call '
                    f'rater.arrive("{name}").'
                )
            if name not in fresh and not self._state.present[self._codes[name]]:
                raise ArgumentError(
                    f'"{name}" has left the group. To add it again, call rater.arrive("{name}").'
                )
        if fresh:
            self._add(*fresh)
        return [self._codes[name] for name in names]

    def arrive(self, name: str) -> float:
        """An individual arrives or comes back; returns its rating."""
        name = name_of(name)
        with self._lock:
            if name not in self._codes:
                self._add(name)
                code = self._codes[name]
                self._state.rating[code], self._state.present[code] = np.nan, False
            self._event(kernel.ENTER, self._codes[name])
            return float(self._state.rating[self._codes[name]])

    def leave(self, name: str) -> None:
        """An individual leaves; its rating is kept but no longer used for newcomers."""
        name = name_of(name)
        if name not in self._codes:
            raise ArgumentError(f'"{name}" is unknown: it has no rating.')
        self._event(kernel.LEAVE, self._codes[name])

    def new_season(self) -> None:
        """Carry ratings over to a new season (see `carry_over` and `carry_pauses`)."""
        if self._settings.carry_over is None:
            raise ArgumentError(
                "new_season needs carry_over, which is set in EloRater(carry_over=…)."
            )
        self._event(kernel.SEASON, 0)

    def _event(self, kind: int, code: int) -> None:
        no_contest = np.zeros(0, np.int32)
        events = tuple(np.array([value], np.int64) for value in (0, kind, code))
        with self._lock:
            advance(
                self._state,
                self._settings,
                no_contest,
                no_contest,
                np.ones(1),
                np.ones((1, 2)),
                np.zeros(1),
                events,  # pyright: ignore[reportArgumentType]
            )

    # -- saved states ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Settings and state as plain values, with numbers at full precision."""
        with self._lock:
            return to_dict(self._settings, self._codes, self._state)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> EloRater:
        """A rater that continues from a saved state."""
        settings, names, state = from_dict(saved)
        rater = cls.__new__(cls)
        rater._begin(settings)
        rater._codes = {name: code for code, name in enumerate(names)}
        rater._continue_from(state)
        return rater

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file."""
        text = json.dumps(self.to_dict(), ensure_ascii=False)
        write_whole((path, f"{text}\n".encode()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EloRater:
        """A rater that continues from a state written by `save`."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise MissingFileError.of(path) from None
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{path} is not a saved EloRater, or it is damaged: {error}. Give a file written "
                f"by EloRater.save."
            ) from error
        return cls.from_dict(saved)


def _plain_k(settings: EloSettings) -> tuple[float, float] | None:
    """Values of k of winner and loser, if nothing but two ratings matters in a contest."""
    winner, loser = settings.k if isinstance(settings.k, tuple) else (settings.k, settings.k)
    depends = (
        settings.burn_in,
        settings.margin,
        settings.rounded or None,
        None if settings.outcome == "win" else settings.outcome,
        None if settings.entry in ("start", "mean") else settings.entry,
        settings.home_advantage or None,
        settings.half_life,
        settings.carry_over,
    )
    if any(value is not None for value in depends):
        return None
    return (float(winner), float(loser)) if is_number(winner) and is_number(loser) else None


def _quick(curve: Curve) -> Callable[[float], float]:
    """The curve for one difference, to the same bit as in the kernel."""
    if isinstance(curve, Table):
        return lambda difference: float(curve(difference))
    slope, exp, erfc = -curve.slope, math.exp, math.erfc
    if isinstance(curve, Normal):
        return lambda difference: 0.5 * erfc(slope * difference)

    def chance(difference: float) -> float:
        try:
            return 1.0 / (1.0 + exp(slope * difference))
        except OverflowError:  # an infinite number in compiled code
            return 0.0

    return chance


def name_of(name: object) -> str:
    """A name as in `read`: text without leading or trailing spaces."""
    text = "" if name is None or name != name else str(name).strip()
    if not text:
        raise ArgumentError(f"A name is missing: {name!r}.")
    return text


def names_of(winner: object, loser: object) -> tuple[str, str]:
    """The names of the two sides of a contest."""
    names = name_of(winner), name_of(loser)
    if names[0] == names[1]:
        raise ArgumentError(f'winner and loser are both "{names[0]}". Give two different names.')
    return names


def _day(date: Any) -> Any:
    """A date, or a number."""
    numeric = is_number(date)
    like = np.zeros(1) if numeric else np.zeros(1, "datetime64[us]")
    return moment(date, like, end_of_day=False)


def _check_points(points: tuple[float, float]) -> None:
    pair = isinstance(points, tuple | list) and len(points) == 2
    if not pair or not all(np.isfinite(p) and p >= 0 for p in points):
        raise ArgumentError(
            f"points must be two numbers of at least 0 (winner, loser), not {points!r}."
        )
    if points[0] < points[1]:
        raise ArgumentError(f"The winner has fewer points than the loser: {points!r}.")


FORMAT = 1


def to_dict(settings: EloSettings, names: Iterable[str], state: EloState) -> dict[str, Any]:
    """Settings and state as plain values, with numbers at full precision."""
    if callable(settings.margin):
        raise ArgumentError(
            "A rater whose margin is a function cannot be saved: nothing that is stored is "
            "executed. Use a rule by name."
        )
    return {
        "format": FORMAT,
        "peckorder": VERSION,
        "settings": settings.to_dict(),
        "contests": state.done,
        "individuals": {
            "name": list(names),
            "rating": state.rating.tolist(),
            "start": state.start.tolist(),
            "present": state.present.tolist(),
            "contests": state.contests.tolist(),
            "reached": state.reached.tolist(),
            "last": [None if np.isnan(day) else day for day in state.last.tolist()],
            "fought": state.fought.tolist(),
        },
    }


def from_dict(saved: Mapping[str, Any]) -> tuple[EloSettings, list[str], EloState]:
    """Settings, names and state that `to_dict` wrote."""
    try:
        if saved["format"] != FORMAT:
            raise DataError(
                f"This EloRater was saved in format {saved['format']!r} by peckorder "
                f"{saved.get('peckorder')}; this version reads format {FORMAT}. Use that version, "
                f"or rate the contests again."
            )
        settings = _settings(saved["settings"])
        own = saved["individuals"]
        names = [_saved_name(name) for name in own["name"]]
        if len(set(names)) < len(names):
            raise ArgumentError("a name appears twice, which")
        present = [_flag(value) for value in own["present"]]
        rating = [_rating(*pair) for pair in zip(own["rating"], present, strict=True)]
        unknown = [None] * len(names)  # saved by a version without half-lives
        state = EloState(
            np.array([finite("start", value) for value in own["start"]], float),
            np.array(rating, float),
            np.array(present, bool),
            np.array([whole_number("contests", value, 0) for value in own["contests"]], np.int64),
            np.array([_flag(value) for value in own["reached"]], bool),
            np.array([_last(day) for day in own.get("last", unknown)], float),
            np.array([_flag(value) for value in own.get("fought", [True] * len(names))], bool),
            whole_number("contests", saved["contests"], 0),
        )
        columns = ("start", "rating", "contests", "reached", "last", "fought")
        if any(len(getattr(state, column)) != len(names) for column in columns):
            raise ArgumentError("a value for each individual")
    except DataError:
        raise
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise DataError(
            f"Not a saved EloRater: {error} is missing or invalid. Give what EloRater.save or "
            f"to_dict returned."
        ) from error
    return settings, names, state


def _settings(saved: Mapping[str, Any]) -> EloSettings:
    plain = dict(saved)
    shape = CURVES[plain.pop("curve")]
    curve = shape(**{f.name: plain.pop(f.name) for f in fields(shape)})
    for name in ("k", "burn_in", "fide"):
        if isinstance(plain[name], list):
            plain[name] = tuple(plain[name])
    settings = EloSettings(curve=curve, **plain)
    one_of("entry_from", settings.entry_from, ("present", "seen"))
    one_of("day", settings.day, ("last", "max"))
    one_of("preset", settings.preset, (None, *PRESETS))
    _flag(settings.rounded)
    return settings


def _saved_name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ArgumentTypeError(f"{name!r}, which should be a name,")
    return name


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{value!r}, which should be true or false,")
    return value


def _last(day: Any) -> float:
    """The day of the last contest; NaN before the first."""
    return math.nan if day is None else finite("last", day)


def _rating(rating: Any, present: bool) -> float:
    """The rating of an individual; one that has not arrived yet has none (NaN)."""
    unrated = isinstance(rating, float) and math.isnan(rating) and not present
    return rating if unrated else finite("rating", rating)
