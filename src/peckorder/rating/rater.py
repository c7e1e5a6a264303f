"""The same Elo arithmetic one contest at a time, for live use."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from peckorder.citation import VERSION
from peckorder.data.interactions import ImportReport, Interactions, Labels
from peckorder.kernels import elo as kernel
from peckorder.rating import policies
from peckorder.rating.curves import CURVES, Curve
from peckorder.rating.elo import EloState, advance
from peckorder.rating.policies import EloSettings
from peckorder.tables import write_whole


class EloRater:
    """Elo ratings that grow contest by contest, by the arithmetic of `elo`.

    Identical to `elo` to the last bit. (Where a mean is taken, for newcomers and between seasons,
    individuals must be named in the same order, since a sum depends on it in the last bit.)

    Parameters
    ----------
    individuals : iterable of str, optional
        Those present from the beginning. With `entry="start"` others may appear in any contest;
        with another entry they must `arrive` first.
    k, start, curve, scale, delta, sd, entry, outcome, margin, home_advantage, home_in_update, \
carry_over, burn_in, fide, preset
        As in `elo`.

    Examples
    --------
    Albers & de Vries' example, 1200 against 1000 with k = 100:

    >>> rater = EloRater(k=100, start={"A": 1200, "B": 1000}, curve="table")
    >>> rater.update("A", "B")
    0.76
    >>> rater.ratings
    {'A': 1224.0, 'B': 976.0}
    """

    def __init__(
        self,
        individuals: Iterable[str] = (),
        *,
        k: float | Mapping[Any, float] | tuple[float, float] | str | None = None,
        start: float | Mapping[str, float] | None = None,
        curve: str | Curve | None = None,
        scale: float | None = None,
        delta: float | None = None,
        sd: float | None = None,
        entry: str | None = None,
        outcome: str | None = None,
        margin: str | None = None,
        home_advantage: float | Mapping[str, float] | None = None,
        home_in_update: bool | None = None,
        carry_over: float | None = None,
        burn_in: tuple[int, float] | None = None,
        fide: tuple[float, float, float] | None = None,
        preset: str | None = None,
    ):
        given = {
            "k": k, "start": start, "curve": curve, "scale": scale, "delta": delta, "sd": sd,
            "entry": entry, "outcome": outcome, "margin": margin,
            "home_advantage": home_advantage, "home_in_update": home_in_update,
            "carry_over": carry_over, "burn_in": burn_in, "fide": fide,
        }  # fmt: skip
        self._begin(policies.resolve(preset, given))
        if isinstance(individuals, str):
            raise TypeError(f"individuals is a list of names, not the text {individuals!r}.")
        self._add(*dict.fromkeys(map(_name, individuals)))

    def _begin(self, settings: EloSettings) -> None:
        if settings.period is not None:
            raise ValueError(
                "Batch periods cannot be rated one contest at a time. Use peckorder.elo, or "
                "another preset."
            )
        if isinstance(settings.k, list | np.ndarray):
            raise ValueError('EloRater takes k as a number, by context, a pair or "fide".')
        self._settings = settings
        self._codes: dict[str, int] = {}
        self._state = EloState.of(np.zeros(0))

    def _add(self, *names: str) -> None:
        self._state.grow(policies.starts(self._settings, names, everybody=False))
        for name in names:
            self._codes[name] = len(self._codes)

    @property
    def ratings(self) -> dict[str, float]:
        """Current ratings in order of appearance; the absent keep theirs."""
        return {name: float(self._state.rating[code]) for name, code in self._codes.items()}

    @property
    def contests(self) -> int:
        """How many contests were rated."""
        return self._state.done

    def __repr__(self) -> str:
        return f"EloRater: {len(self._codes)} individuals, {self.contests} contests"

    def probability(self, a: str, b: str) -> float:
        """Chance that `a` beats `b` now (on neutral ground)."""
        ratings, a, b = self.ratings, _name(a), _name(b)
        for name in (a, b):
            if name not in ratings:
                raise ValueError(f'"{name}" is not rated yet.')
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
        winner, loser : the two sides; in a draw simply both.
        draw : by default no, or whether the points are equal.
        points : of winner and loser, for `outcome="points"` and `margin`.
        context : for k by context.
        home : name of the side at home; None is neutral ground.
        k : for this contest only, whatever the settings say.
        """
        winner, loser = _name(winner), _name(loser)
        if winner == loser:
            raise ValueError(f'A contest needs two different names, not "{winner}" twice.')
        contest = self._contest(winner, loser, draw, points, context, home)
        settings = self._settings if k is None else self._with_k(k)
        score = policies.scores(settings, contest)
        pair = policies.k_values(settings, contest, self._state.done)
        advantage = policies.advantages(settings.home_advantage, contest)
        first, second = (np.array([code], np.int32) for code in self._both(winner, loser))
        history = np.empty(1), np.empty((1, 2)), np.empty((1, 2))
        advance(self._state, settings, first, second, score, pair, advantage, history=history)
        return float(history[0][0])

    def _contest(self, winner, loser, draw, points, context, home) -> Interactions:
        """One contest as the door would let it in."""
        if not isinstance(draw, bool | np.bool_ | None):
            raise TypeError(f"draw must be True or False, not {draw!r}.")
        if points is not None:
            _check_points(points)
            if draw is not None and draw != (points[0] == points[1]):
                raise ValueError(f"draw={draw} and the points {points!r} do not agree.")
            draw = bool(points[0] == points[1])
        side = 0
        if home is not None:
            if _name(home) not in (winner, loser):
                raise ValueError(f'home must be "{winner}" or "{loser}", not "{home}".')
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
            raise ValueError("k for one contest is a number or a pair, and none under FIDE's rule.")
        return replace(self._settings, k=k, burn_in=None)

    def _both(self, *names: str) -> list[int]:
        """Codes of both sides; newcomers are added together or not at all."""
        fresh = [name for name in names if name not in self._codes]
        for name in names:
            if name in fresh and self._settings.entry != "start":
                raise ValueError(
                    f'"{name}" is not known. With entry="{self._settings.entry}" newcomers arrive '
                    f'first: rater.arrive("{name}").'
                )
            if name not in fresh and not self._state.present[self._codes[name]]:
                raise ValueError(f'"{name}" has left. It returns with rater.arrive("{name}").')
        if fresh:
            self._add(*fresh)
        return [self._codes[name] for name in names]

    def arrive(self, name: str) -> float:
        """Somebody arrives (or returns); returns its rating."""
        name = _name(name)
        if name not in self._codes:
            self._add(name)
            code = self._codes[name]
            self._state.rating[code], self._state.present[code] = np.nan, False
        self._event(kernel.ENTER, self._codes[name])
        return float(self._state.rating[self._codes[name]])

    def leave(self, name: str) -> None:
        """Somebody leaves; its rating is kept but counts no more for newcomers."""
        name = _name(name)
        if name not in self._codes:
            raise ValueError(f'"{name}" is not known.')
        self._event(kernel.LEAVE, self._codes[name])

    def new_season(self) -> None:
        """Carry ratings over to a new season (see `carry_over`)."""
        if self._settings.carry_over is None:
            raise ValueError("Give carry_over when making the rater.")
        self._event(kernel.SEASON, 0)

    def _event(self, kind: int, code: int) -> None:
        nobody = np.zeros(0, np.int32)
        events = tuple(np.array([value], np.int64) for value in (0, kind, code))
        advance(
            self._state, self._settings, nobody, nobody, np.ones(1), np.ones((1, 2)), np.zeros(1),
            events,  # pyright: ignore[reportArgumentType]
        )  # fmt: skip

    # -- saved states ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Settings and state as plain values; numbers keep every bit."""
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
        """A rater that goes on where a saved one stopped."""
        try:
            plain = dict(saved["settings"])
            shape = CURVES[plain.pop("curve")]
            curve = shape(**{f.name: plain.pop(f.name) for f in fields(shape)})
            for name in ("k", "burn_in", "fide"):
                if isinstance(plain[name], list):
                    plain[name] = tuple(plain[name])
            rater = cls.__new__(cls)
            rater._begin(EloSettings(curve=curve, **plain))
            people = saved["individuals"]
            rater._codes = {person["name"]: code for code, person in enumerate(people)}
            rater._state = EloState(
                np.array([p["start"] for p in people], float),
                np.array([p["rating"] for p in people], float),
                np.array([p["present"] for p in people], bool),
                np.array([p["contests"] for p in people], np.int64),
                np.array([p["reached"] for p in people], bool),
                int(saved["contests"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"This is no saved EloRater: {error} is missing or wrong.") from error
        return rater

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        write_whole((path, f"{text}\n".encode()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EloRater:
        """Go on from a state written by `save`."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path} is no saved EloRater: {error}.") from error
        return cls.from_dict(saved)


def _name(name: object) -> str:
    """A name as `read` takes it: text without outer blanks."""
    text = "" if name is None or name != name else str(name).strip()
    if not text:
        raise ValueError(f"A name is missing: {name!r}.")
    return text


def _check_points(points: tuple[float, float]) -> None:
    pair = isinstance(points, tuple | list) and len(points) == 2
    if not pair or not all(np.isfinite(p) and p >= 0 for p in points):
        raise ValueError(f"points are two numbers from 0 on, not {points!r}.")
    if points[0] < points[1]:
        raise ValueError(f"The winner has fewer points than the loser: {points!r}.")
