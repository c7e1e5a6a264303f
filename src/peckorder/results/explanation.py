"""What Elo did in one contest: `ratings.explain(12)`.

An Elo rating moves by k × (score − expected score): the winner gains what was not expected of it.
The explanation gives these numbers for one contest, with ratings and ranks before and after, so
that a surprising rating can be traced to the contests that caused it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.date_columns import date_words
from peckorder.errors import ArgumentError
from peckorder.ranks import average_ranks
from peckorder.results.measures import Measure
from peckorder.results.trajectory import Course
from peckorder.text import option_name
from peckorder.validate import whole_number

SIDES = ("winner", "loser")
EXACT = 1e-6  # points by which the formula may differ from what the recursion did


@dataclass(frozen=True)
class Step:
    """One contest: both sides, what was expected, and ratings and ranks before and after."""

    number: int
    date: str | None
    names: tuple[str, str]
    tie: bool
    score: float
    expected: float
    k: np.ndarray | None
    before: np.ndarray
    after: np.ndarray
    ranks: np.ndarray | None
    present: int

    @property
    def moved(self) -> np.ndarray:
        """Points that the two sides gained."""
        return self.after - self.before


def explain(course: Course[Any], settings: dict[str, Any], contest: int) -> Measure:
    """The update of both ratings by one contest."""
    data = course.contests
    first = data.first_number
    last = first + len(data) - 1
    number = whole_number("contest", contest, first)
    if number > last:
        raise ArgumentError(
            f"{option_name('contest')} {number} does not exist: contests are numbered from {first} "
            f"to {last}, in the order in which they are rated."
        )
    step = _step(course, number - first)
    return Measure(
        method="explain",
        data=data,
        values={
            "contest": number,
            "score": step.score,
            "expected": step.expected,
            "surprise": step.score - step.expected,
            "moved": float(step.moved[0]),
        },
        frame=_table(step),
        summary=tuple(_sentences(step, settings)),
        settings=settings,
        citations=("albers2001",),
    )


def _step(course: Course[Any], place: int) -> Step:
    data, replay = course.contests, course.replay
    arrays = getattr(replay, "arrays", None)
    expected, before, after = (part[place] for part in course.history)
    pair = int(data.winner[place]), int(data.loser[place])
    tie = bool(data.draw is not None and data.draw[place])
    ranks, present = None, 0
    score, k = 0.5 if tie else 1.0, None
    if arrays is not None:  # not where contests with the same time stamp are averaged
        score = float(_entry(arrays[0], place))
        k = _entry(arrays[1], place)
        ranks, present = _ranks(course, place, pair)
    return Step(
        number=place + data.first_number,
        date=None if data.date is None else date_words(data.date[place]),
        names=(data.individuals[pair[0]], data.individuals[pair[1]]),
        tie=tie,
        score=score,
        expected=float(expected),
        k=k,
        before=before,
        after=after,
        ranks=ranks,
        present=present,
    )


def _entry(array: np.ndarray, place: int) -> Any:
    """The entry of one contest; an array with one entry holds for all."""
    return array[0] if len(array) == 1 else array[place]


def _ranks(course: Course[Any], place: int, pair: tuple[int, int]) -> tuple[np.ndarray, int]:
    """Ranks of both sides before and after among those present, and the number of those."""
    everyone = np.arange(len(course.contests.individuals))
    # Right before this contest, after all arrivals; right after it, before anything else.
    rated = course.replay.snapshots(
        np.array([place, place + 1]), np.array([np.inf, -np.inf]), everyone
    )
    there = course.present_at(course.contests.times[place : place + 1])[0].copy()
    there[list(pair)] = True
    there &= ~np.isnan(rated[1])
    ranks = np.full((2, len(everyone)), np.nan)
    ranks[:, there] = [average_ranks(row[there]) for row in rated]
    return ranks[:, list(pair)], int(there.sum())


def _table(step: Step) -> pl.DataFrame:
    columns: dict[str, Any] = {
        "side": ["tie", "tie"] if step.tie else list(SIDES),
        "individual": list(step.names),
        "score": [step.score, 1 - step.score],
        "expected": [step.expected, 1 - step.expected],
        "before": step.before,
        "moved": step.moved,
        "after": step.after,
    }
    if step.ranks is not None:
        columns["rank_before"], columns["rank_after"] = step.ranks
    return pl.DataFrame(columns)


def _sentences(step: Step, settings: dict[str, Any]) -> list[str]:
    winner, loser = step.names
    when = "" if step.date is None else f" ({step.date})"
    what = "and {} tied" if step.tie else "beat {}"
    scored = f", with a score of {step.score:.3f}" if step.score not in (0.5, 1.0) else ""
    said = [f"Contest {step.number}{when}: {winner} {what.format(loser)}{scored}."]
    said.append(
        f"Before it, {winner} was rated {_rated(step, 0, 0)} and {loser} {_rated(step, 1, 0)}: "
        f"{_ahead(step)}."
    )
    said.append(
        f"The expected score of {winner} was {step.expected:.3f} ({settings['curve']} curve), so "
        f"that {_surprise(step)}."
    )
    said += _movement(step, settings)
    said.append(
        f"After it, {winner} is rated {_rated(step, 0, 1)} and {loser} {_rated(step, 1, 1)}."
    )
    return said


def _rated(step: Step, side: int, moment: int) -> str:
    rating = (step.before, step.after)[moment][side]
    if step.ranks is None:
        return f"{rating:.1f}"
    return f"{rating:.1f} (rank {step.ranks[moment, side]:g} of {step.present})"


def _ahead(step: Step) -> str:
    winner, loser = step.names
    ahead = float(step.before[0] - step.before[1])
    if abs(ahead) < EXACT:
        return "their ratings were equal"
    high, low = (winner, loser) if ahead > 0 else (loser, winner)
    return f"{high} was {abs(ahead):.1f} points above {low}"


def _surprise(step: Step) -> str:
    surprise = step.score - step.expected
    size = f"the surprise (score − expected score) was {_minus(surprise, 3)}"
    if step.score in (0.0, 1.0):
        share = f"{step.expected:.0%}" if 0.005 < step.expected < 0.995 else f"{step.expected:.1%}"
        return f"this outcome had a probability of {share}; {size}"
    return size


def _movement(step: Step, settings: dict[str, Any]) -> list[str]:
    """How many points moved, by the formula where it gives them, and what a loss had cost."""
    winner, loser = step.names
    moved = f"{winner} {_signed(step.moved[0])} and {loser} {_signed(step.moved[1])}"
    why = _apart(settings)
    surprise = step.score - step.expected
    if step.k is not None and not isinstance(settings.get("k"), str):
        own = step.k * surprise * np.array([1, -1])
        if np.abs(own - step.moved).max() < EXACT:
            whose = "" if step.k[0] == step.k[1] else f" of {winner}, with k = {step.k[0]:g},"
            said = [
                f"k × (score − expected score){whose} = {step.k[0]:g} × ({step.score:g} − "
                f"{step.expected:.3f}) = {_signed(step.moved[0])} points: {moved}."
            ]
            if step.score == 1.0:
                lost = step.k[1] * step.expected  # as the loser
                said.append(f"Had {loser} won, {winner} would have lost {lost:.1f} points.")
            return said
    return [f"Points moved: {moved}{why}."]


def _signed(points: float) -> str:
    return ("+" if points >= 0 else "") + _minus(points, 1)


def _minus(number: float, decimals: int) -> str:
    return f"{number:.{decimals}f}".replace("-", "−")


def _apart(settings: dict[str, Any]) -> str:
    """Why the points are not k times the surprise, as far as the settings explain it."""
    if settings.get("within") == "average":
        return " (averaged over the orders of contests with the same time stamp)"
    if settings.get("rounded"):
        return " (rounded to whole points)"
    if settings.get("margin_correction"):
        return " (k corrected for the lead of the winner)"
    if settings.get("home_advantage") and not settings.get("home_in_update"):
        return " (the home advantage counts in the expected score, not in the update)"
    if isinstance(settings.get("k"), str):
        return " (k by the rule of FIDE)"
    return ""
