"""`FieldRater`: abilities followed contest by contest, for any number of sides and members.

Each ability has a normal distribution that drifts with the individual's own contests; a contest
updates those of its sides by the Plackett–Luce likelihood. Filters with different spreads, drifts
and directions of filling places run side by side, weighted by how well each predicted so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.fields import Fields, read_fields
from peckorder.errors import ArgumentError
from peckorder.kernels import many_sides as kernel
from peckorder.text import counted, did_you_mean, quoted
from peckorder.validate import positive

SPREADS = (0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7)
DRIFTS = (0.0, 0.03, 0.06, 0.12, 0.25, 0.5)  # standard deviations per own contest
USUAL_TIE = 0.3
SAMPLES = 512
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


class FieldRater:
    """Abilities updated one contest at a time, for sides of any number and size.

    Parameters
    ----------
    strength : {"sum", "mean"}
        Strength of a side of several individuals.
    tie : float
        How likely ties are (Davidson's ν and its relatives for more sides).

    Examples
    --------
    >>> rater = FieldRater()
    >>> round(rater.update([["Ada", "Bo"], ["Cy", "Dan"]]), 2)
    0.5
    >>> round(rater.probability(["Ada", "Bo"], ["Cy", "Dan"]), 2) > 0.5
    True
    """

    flavor = "polars"

    def __init__(self, *, strength: str = "sum", tie: float = USUAL_TIE):
        if strength not in ("sum", "mean"):
            raise ArgumentError(f'strength="{strength}": choose "sum" or "mean".')
        self._strength, self._tie = strength, positive("tie", tie)
        grid = np.array([(s, d) for s in SPREADS for d in DRIFTS])
        self._spread, self._drift = np.tile(grid[:, 0], 2), np.tile(grid[:, 1] ** 2, 2)
        self._log_weight = np.full(len(self._spread), -np.log(len(self._spread)))
        # Of the second half, places are filled from the last: signs of abilities are changed there.
        self._backward = np.arange(len(self._spread)) >= len(grid)
        self._names: dict[str, int] = {}
        self._mean = np.zeros((len(self._spread), 0))
        self._variance = np.zeros((len(self._spread), 0))
        self.contests = 0

    def __repr__(self) -> str:
        return (
            f"FieldRater: {counted(len(self._names), 'individual')}, "
            f"{counted(self.contests, 'contest')}"
        )

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names in order of first appearance."""
        return tuple(self._names)

    @property
    def weights(self) -> np.ndarray:
        """Weight of each filter."""
        weight = np.exp(self._log_weight - self._log_weight.max())
        return weight / weight.sum()

    def update(self, sides: Sequence[Any]) -> float:
        """Rate one contest, sides from the first to the last; returns its predicted probability.

        A side is a name or a list of names; sides that tied are in a set.
        """
        fields = _plain(sides)
        if fields is None:
            fields = Fields.of([[tuple(one) if isinstance(one, list) else one for one in sides]])
        return float(np.exp(self.update_many(fields)[0]))

    def update_many(self, data: Any) -> np.ndarray:
        """Rate contests in turn; returns the log of the probability predicted for each."""
        fields = read_fields(data)
        for name in fields.individuals:
            self._names.setdefault(name, len(self._names))
        self._grow()
        code = np.array([self._names[name] for name in fields.individuals])
        member, sizes = code[fields.member], fields.tie_sizes
        side = np.repeat(np.arange(len(fields.place)), np.diff(fields.member_at))
        share = np.ones(len(member))
        if self._strength == "mean":
            share = 1.0 / np.diff(fields.member_at)[side]
        runs = (fields.side_at, fields.place, fields.recorded, fields.member_at, member)
        known = np.zeros((len(fields.place), 0))
        forward = kernel.FieldArrays(*runs, share, fields.weight, known)
        log_delta = np.log(np.full(len(sizes), self._tie))
        chance = np.empty((len(self._spread), fields.number))
        for backward in (False, True):
            own = self._backward == backward
            turned = backward and not fields.unplaced
            arrays = kernel.backward(forward) if turned else forward
            bank = kernel.Bank(
                self._mean[own], self._variance[own], self._log_weight[own], self._drift[own]
            )
            part = np.empty((int(own.sum()), fields.number))
            kernel.follow(arrays, np.ones(len(member)), sizes, log_delta, bank, part)
            self._mean[own], self._variance[own], chance[own] = bank.mean, bank.variance, part
        logs = self._log_weight[:, None] + np.cumsum(chance, axis=1)
        whole = np.logaddexp.reduce(np.column_stack([self._log_weight, logs]), axis=0)
        self._log_weight = logs[:, -1] - whole[-1]
        self.contests += fields.number
        return np.diff(whole)

    def probability(self, a: Any, b: Any) -> float:
        """Probability that side `a` is placed above side `b` (ties aside)."""
        mean, variance = self._sides([a, b])
        difference, spread = mean[:, 0] - mean[:, 1], np.sqrt(variance.sum(axis=1))
        each = 1 / (1 + np.exp(-(difference[:, None] + spread[:, None] * NODES))) @ WEIGHTS
        return float(self.weights @ each)

    def places(self, sides: Sequence[Any]) -> pl.DataFrame:
        """Probability of each side to be first, second, … (ties aside)."""
        mean, variance = self._sides(list(sides))
        random, number = np.random.default_rng(1), len(mean[0])
        share = np.zeros((number, number))
        for e, weight in enumerate(self.weights):
            if weight < 1e-6:
                continue
            strength = mean[e] + np.sqrt(variance[e]) * random.standard_normal((SAMPLES, number))
            sign = -1.0 if self._backward[e] else 1.0
            order = np.argsort(-(sign * strength + random.gumbel(size=strength.shape)), axis=1)
            order = order[:, ::-1] if self._backward[e] else order
            for place in range(number):
                share[:, place] += weight / SAMPLES * np.bincount(order[:, place], minlength=number)
        share /= share.sum(axis=0)
        names = [one if isinstance(one, str) else " & ".join(map(str, one)) for one in sides]
        columns = {f"p_{place + 1}": share[:, place] for place in range(number)}
        return pl.DataFrame({"side": names, **columns})

    @property
    def table(self) -> pl.DataFrame:
        """Individual, rating (mean ability), rating_sd and rank, highest first."""
        weight = self.weights
        mean = weight @ self._mean
        second = weight @ (self._variance + self._mean**2)
        order = np.argsort(-mean, kind="stable")
        names = list(self._names)
        return pl.DataFrame(
            {
                "individual": [names[i] for i in order],
                "rating": mean[order],
                "rating_sd": np.sqrt(np.maximum(second - mean**2, 0.0))[order],
                "rank": np.arange(1, len(order) + 1),
            }
        )

    def _grow(self) -> None:
        new = len(self._names) - self._mean.shape[1]
        if new:
            filters = len(self._spread)
            self._mean = np.column_stack([self._mean, np.zeros((filters, new))])
            fresh = np.repeat(self._spread[:, None] ** 2, new, axis=1)
            self._variance = np.column_stack([self._variance, fresh])

    def _sides(self, sides: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the strength of each side, by filter."""
        teams = [[one] if isinstance(one, str) else [str(name) for name in one] for one in sides]
        if len(teams) < 2:
            raise ArgumentError("Give two sides or more.")
        unknown = [name for team in teams for name in team if name not in self._names]
        if unknown:
            raise ArgumentError(
                f"{quoted(unknown)} took part in no contest.{did_you_mean(unknown, self._names)}"
            )
        mean, variance = [], []
        for team in teams:
            own = [self._names[name] for name in team]
            part = 1.0 / len(own) if self._strength == "mean" else 1.0
            mean.append(part * self._mean[:, own].sum(axis=1))
            drifted = self._variance[:, own] + self._drift[:, None]
            variance.append(part**2 * drifted.sum(axis=1))
        return np.column_stack(mean), np.column_stack(variance)


def _plain(sides: Sequence[Any]) -> Fields | None:
    """One contest without ties, of names that need no check; None for any other."""
    teams = [one if isinstance(one, list | tuple) else (one,) for one in sides]
    names = [name for team in teams for name in team]
    fits = all(type(name) is str and name and name == name.strip() for name in names)
    if len(teams) < 2 or not all(teams) or not fits or len(set(names)) < len(names):
        return None
    number = len(teams)
    member_at = np.cumsum([0, *map(len, teams)])
    places = np.arange(number), np.array([number]), member_at, np.arange(len(names))
    return Fields(tuple(names), ("1",), np.array([0, number]), *places, np.ones(1))
