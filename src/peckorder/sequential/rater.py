"""Elo ratings updated one contest at a time, for live use; the same arithmetic as `elo`."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl

from peckorder.checked import finite, one_of, whole_number
from peckorder.citation import VERSION
from peckorder.curves import CURVES
from peckorder.data.import_report import ImportReport, Labels
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.home import advantages
from peckorder.kernels import elo as kernel
from peckorder.notebook import page
from peckorder.sequential import policies
from peckorder.sequential.arguments import EloArguments, takes_elo_arguments
from peckorder.sequential.replay import EloState, advance
from peckorder.sequential.settings import PRESETS, EloSettings, resolve
from peckorder.tables import write_whole


class EloRater:
    """Elo ratings updated one contest at a time.

    The results are identical to those of `elo` to the last bit. (Means, which are used for
    newcomers and between seasons, require that individuals are named in the same order, because
    floating-point sums depend on it.)

    Parameters
    ----------
    individuals : iterable of str, optional
        Individuals present from the beginning. With `entry="start"`, others may appear in any
        contest; with any other entry rule, `arrive` must be called first.
    k, start, curve, scale, delta, sd, entry, outcome, margin, home_advantage, home_in_update, \
carry_over, burn_in, fide, preset
        As in `elo`.

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
        unfit = ("k_column", "k_periods", "period", "within")
        self._begin(resolve(settings, of="EloRater", without=unfit))
        if isinstance(individuals, str):
            raise ArgumentTypeError(
                f"individuals must be a list of names, not the string {individuals!r}."
            )
        self._add(*dict.fromkeys(map(_name, individuals)))

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
        self._codes: dict[str, int] = {}
        self._state = EloState.of(np.zeros(0))

    def _add(self, *names: str) -> None:
        self._state.grow(policies.starts(self._settings, names, complete=False))
        for name in names:
            self._codes[name] = len(self._codes)

    @property
    def ratings(self) -> dict[str, float]:
        """Current ratings in order of appearance; absent individuals keep their rating."""
        return {name: float(self._state.rating[code]) for name, code in self._codes.items()}

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
        return page.page(repr(self), tables=[page.table(now)])

    def probability(self, a: str, b: str) -> float:
        """Current probability that `a` beats `b` (at a neutral venue)."""
        ratings, a, b = self.ratings, _name(a), _name(b)
        for name in (a, b):
            if name not in ratings:
                raise ArgumentError(f'"{name}" is not rated yet.')
        return float(self._settings.curve(ratings[a] - ratings[b]))

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
        """
        winner, loser = _name(winner), _name(loser)
        if winner == loser:
            raise ArgumentError(f'winner and loser are both "{winner}". Give two different names.')
        contest = self._contest(winner, loser, draw, points, context, home)
        settings = self._settings if k is None else self._with_k(k)
        score = policies.scores(settings, contest)
        pair = policies.k_values(settings, contest, self._state.done)
        advantage = advantages(settings.home_advantage, contest)
        first, second = (np.array([code], np.int32) for code in self._both(winner, loser))
        history = np.empty(1), np.empty((1, 2)), np.empty((1, 2))
        advance(self._state, settings, first, second, score, pair, advantage, history=history)
        return float(history[0][0])

    def _contest(self, winner, loser, draw, points, context, home) -> Interactions:
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
            if _name(home) not in (winner, loser):
                raise ArgumentError(f'home must be "{winner}" or "{loser}", not "{home}".')
            side = 1 if _name(home) == winner else -1
        return Interactions(
            (winner, loser),
            np.zeros(1, np.int32),
            np.ones(1, np.int32),
            draw=np.array([bool(draw)]),
            points=None if points is None else np.array([points], float),
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
        name = _name(name)
        if name not in self._codes:
            self._add(name)
            code = self._codes[name]
            self._state.rating[code], self._state.present[code] = np.nan, False
        self._event(kernel.ENTER, self._codes[name])
        return float(self._state.rating[self._codes[name]])

    def leave(self, name: str) -> None:
        """An individual leaves; its rating is kept but no longer used for newcomers."""
        name = _name(name)
        if name not in self._codes:
            raise ArgumentError(f'"{name}" is unknown: it has no rating.')
        self._event(kernel.LEAVE, self._codes[name])

    def new_season(self) -> None:
        """Carry ratings over to a new season (see `carry_over`)."""
        if self._settings.carry_over is None:
            raise ArgumentError(
                "new_season needs carry_over, which is set in EloRater(carry_over=…)."
            )
        self._event(kernel.SEASON, 0)

    def _event(self, kind: int, code: int) -> None:
        no_contest = np.zeros(0, np.int32)
        events = tuple(np.array([value], np.int64) for value in (0, kind, code))
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
        state = self._state
        return {
            "peckorder": VERSION,
            "settings": self._settings.to_dict(),
            "contests": state.done,
            "individuals": [
                {
                    "name": name,
                    "rating": float(state.rating[code]),
                    "start": float(state.start[code]),
                    "present": bool(state.present[code]),
                    "contests": int(state.contests[code]),
                    "reached": bool(state.reached[code]),
                }
                for name, code in self._codes.items()
            ],
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> EloRater:
        """A rater that continues from a saved state."""
        try:
            rater = cls.__new__(cls)
            rater._begin(_saved_settings(saved["settings"]))
            rows = saved["individuals"]
            rater._codes = {_name(row["name"]): code for code, row in enumerate(rows)}
            if len(rater._codes) < len(rows):
                raise ArgumentError("a name appears twice, which")
            contests = [whole_number("contests", row["contests"], 0) for row in rows]
            rater._state = EloState(
                np.array([finite("start", row["start"]) for row in rows], float),
                np.array([_saved_rating(row) for row in rows], float),
                np.array([_saved_flag(row["present"]) for row in rows], bool),
                np.array(contests, np.int64),
                np.array([_saved_flag(row["reached"]) for row in rows], bool),
                whole_number("contests", saved["contests"], 0),
            )
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise DataError(
                f"Not a saved EloRater: {error} is missing or invalid. Give what EloRater.save or "
                f"to_dict returned."
            ) from error
        return rater

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        write_whole((path, f"{text}\n".encode()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EloRater:
        """A rater that continues from a state written by `save`."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{path} is not a saved EloRater, or it is damaged: {error}. Give a file written "
                f"by EloRater.save."
            ) from error
        return cls.from_dict(saved)


def _saved_settings(saved: Mapping[str, Any]) -> EloSettings:
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
    _saved_flag(settings.rounded)
    return settings


def _saved_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{value!r}, which should be true or false,")
    return value


def _saved_rating(row: Mapping[str, Any]) -> float:
    """The rating of an individual; one that has not arrived yet has none (NaN)."""
    rating = row["rating"]
    unrated = isinstance(rating, float) and math.isnan(rating) and not row["present"]
    return rating if unrated else finite("rating", rating)


def _name(name: object) -> str:
    """A name as in `read`: text without leading or trailing spaces."""
    text = "" if name is None or name != name else str(name).strip()
    if not text:
        raise ArgumentError(f"A name is missing: {name!r}.")
    return text


def _check_points(points: tuple[float, float]) -> None:
    pair = isinstance(points, tuple | list) and len(points) == 2
    if not pair or not all(np.isfinite(p) and p >= 0 for p in points):
        raise ArgumentError(
            f"points must be two numbers of at least 0 (winner, loser), not {points!r}."
        )
    if points[0] < points[1]:
        raise ArgumentError(f"The winner has fewer points than the loser: {points!r}.")
