"""Numbers as a paper prints them, next to the numbers that this package computes.

Nothing is left out because it fails, and nothing agrees in silence through a setting that was
chosen after the printed number was known: such a number is "fitted", and its note says to what.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.errors import DataError
from peckorder.text import counted, quoted

Verdict = Literal["no", "fitted", "yes"]
ORDER: dict[str, int] = {"no": 0, "fitted": 1, "yes": 2}  # failures first
MOST_DIFFERENCES = 5  # of a file, in the message


@dataclass(frozen=True)
class Printed:
    """One number of a paper."""

    where: str  # the table, figure or page
    quantity: str  # what the number is
    printed: str  # the number as printed, so that its digits show how exact it is; or "<0.001"
    computed: float | None  # what this package computes, or None if it cannot be computed
    # largest difference that counts as agreement; default half a unit of the last digit
    within: float | None = None
    note: str = ""  # why they differ, or what the difference means
    # whether a setting was chosen so that the numbers agree; the note names it
    fitted: bool = False

    @property
    def agrees(self) -> Verdict:
        """Whether the computed number is the printed one, to the printed digits."""
        if not self._equal:
            return "no"
        return "fitted" if self.fitted else "yes"

    @property
    def difference(self) -> float | None:
        """Computed minus printed; None where either is not a number."""
        if self.computed is None or self.printed.startswith("<"):
            return None
        return self.computed - float(self.printed)

    @property
    def _equal(self) -> bool:
        if self.computed is None:
            return False
        if self.printed.startswith("<"):
            return bool(self.computed < float(self.printed[1:]))
        return bool(abs(float(self.printed) - self.computed) <= self.tolerance * (1 + 1e-9))

    @property
    def tolerance(self) -> float:
        """Largest difference that counts as agreement.

        >>> Printed("Table 1", "range", "0.62", 0.6249).agrees
        'yes'
        """
        if self.within is not None:
            return self.within
        decimals = len(self.printed.partition(".")[2])
        return 0.5 * 10.0**-decimals


@dataclass(frozen=True)
class Statement:
    """A statement of a paper without a number, and what comes out."""

    where: str  # the section
    statement: str  # what the paper says
    holds: Literal["no", "partly", "yes"]
    found: str  # what this package finds, with its numbers


def compared(numbers: Iterable[Printed]) -> pl.DataFrame:
    """One row per number, those that do not agree first, then those that were fitted."""
    rows = [
        {
            "where": one.where,
            "quantity": one.quantity,
            "printed": one.printed,
            "computed": None if one.computed is None else float(one.computed),
            "difference": one.difference,
            "agrees": one.agrees,
            "note": one.note,
        }
        for one in sorted(numbers, key=lambda one: ORDER[one.agrees])
    ]
    return pl.DataFrame(rows, schema_overrides={"computed": pl.Float64, "difference": pl.Float64})


@dataclass(frozen=True)
class Expected:
    """What contests must contain to be those of a paper."""

    what: str  # the contests, in words
    contests: int  # their numbers
    individuals: int
    first: str  # dates of the first and the last contest
    last: str
    # wins and losses (and points scored) per individual; by name, or only sorted
    results: tuple[tuple[Any, ...], ...]
    named: bool = False  # whether names must be those of `results`

    @classmethod
    def of(cls, what: str, data: Contests, *, named: bool = True) -> Expected:
        """The contests of a paper that are included."""
        first, last = _days(data)
        results = ((name, *results_of(data, i)) for i, name in enumerate(data.individuals))
        return cls(what, len(data), len(data.individuals), first, last, tuple(results), named)

    def check(self, data: Contests, paper: str, further: Iterable[str] = ()) -> None:
        """Raise an error that names what differs."""
        found = [*self._sizes(data), *self._names(data), *further] or self._results(data)
        if found:
            more = len(found) - MOST_DIFFERENCES
            shown = [*found[:MOST_DIFFERENCES], *([f"and {more} more"] if more > 0 else [])]
            raise DataError(
                f"These are not the contests of {paper} ({self.what}). "
                f"What differs: {'; '.join(shown)}."
            )

    def _sizes(self, data: Contests) -> list[str]:
        days = _days(data)
        pairs = (
            ("number of contests", self.contests, len(data)),
            ("number of individuals", self.individuals, len(data.individuals)),
            ("first date", self.first, days[0]),
            ("last date", self.last, days[1]),
        )
        return [
            f"{what} {given} instead of {right}" for what, right, given in pairs if given != right
        ]

    def _names(self, data: Contests) -> list[str]:
        known = {name for name, *_ in self.results}
        other = sorted(set(data.individuals) - known) if self.named else []
        return [f"names that the paper does not have: {quoted(other)}"] if other else []

    def _results(self, data: Contests) -> list[str]:
        given = {name: results_of(data, i) for i, name in enumerate(data.individuals)}
        if self.named:
            return [
                f"{name} has {_record(given[name][: len(right)])} instead of {_record(right)}"
                for name, *right in self.results
                if list(given[name][: len(right)]) != right
            ]
        rest = [tuple(right) for _, *right in self.results]
        extra = []
        for name, result in given.items():
            if result[:2] in rest:
                rest.remove(result[:2])
            else:
                extra.append(f"{name} has {_record(result[:2])}, which nobody has in the paper's")
        return extra


def results_of(data: Contests, individual: int) -> tuple[int, ...]:
    """Wins and losses of an individual, and the points that it scored, if there are points."""
    won, lost = data.winner == individual, data.loser == individual
    decided = np.zeros(len(data), bool) if data.draw is None else np.asarray(data.draw, bool)
    found = (int((won & ~decided).sum()), int((lost & ~decided).sum()))
    if data.points is None:
        return found
    points = np.asarray(data.points)
    return (*found, int(points[won, 0].sum() + points[lost, 1].sum()))


def _record(result: Any) -> str:
    won, lost, *points = result
    scored = f" and {counted(points[0], 'point')}" if points else ""
    return f"{counted(won, 'win')}, {counted(lost, 'loss', 'losses')}{scored}"


def _days(data: Contests) -> tuple[str, str]:
    if data.date is None or data.date.dtype.kind != "M":
        return "not known", "not known"
    first, last = np.asarray(data.date[[0, -1]], "datetime64[D]").astype(str)
    return str(first), str(last)
