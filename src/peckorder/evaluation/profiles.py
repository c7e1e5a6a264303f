"""Uncertainty of tuned settings: the profile of the loss for each parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.evaluation.search import Search
from peckorder.evaluation.space import Parameter, Point
from peckorder.runs import in_threads

AT_BOUND = 1e-3  # distance from a bound, as a coordinate between 0 and 1
SLICES = 10  # points of a profile on either side of the optimum
HALVINGS = 10
AHEAD = 4  # halvings, all outcomes of which are evaluated in one pass
STEP = 1e-3  # of numerical derivatives, as a share of the range
MOST_ROBUST = 0.01, 100.0  # beyond these ratios the curvature is unreliable
BETTER = 1e-6
FLAT = 1e-12


class Profiles:
    """The loss as a function of each parameter, with the others re-optimized."""

    def __init__(self, search: Search, best: Point, level: float):
        from scipy.special import ndtri

        self.search, self.space, self.objective = search, search.space, search.objective
        self.z = float(ndtri(0.5 + level / 2))
        self.lines: dict[str, set[tuple[float, float]]] = {}
        self.ends: dict[tuple[int, int], float] = {}
        self.best, self.loss = best, self.objective.loss(best)
        for _ in range(3):  # a profile may find a better optimum
            if not self._look_around():
                break

    def _look_around(self) -> bool:
        """Profile every range to both ends; returns whether a better optimum was found."""
        one_by_one = [(i, end) for i in np.flatnonzero(self.space.free).tolist() for end in (0, 1)]
        self.lines, better = {one.label: set() for one in self.space.numbers}, []
        if not one_by_one:
            return False
        allowed = {i: self._allowed(i) for i, _ in one_by_one}

        def work(begin: int, end: int) -> None:
            for i, side in one_by_one[begin:end]:
                look = self._side if self.search.smooth else self._steps
                better.append(look(i, side, allowed[i]))

        in_threads(
            work,
            len(one_by_one),
            block=1,
            threads=self.search.threads,
            progress=self.search.progress,
        )
        point, loss = min(better, key=lambda pair: pair[1])
        if loss >= self.loss - BETTER * abs(self.loss):
            return False
        self.best, self.loss = self.search.descend(point)
        return True

    def _allowed(self, i: int) -> float:
        """Largest increase in loss inside the interval."""
        return self.z**2 / 2 / len(self.objective.own) * self._robust(i)

    def _side(self, i: int, end: int, allowed: float) -> tuple[Point, float]:
        """The profile from the optimum to one end, and the limit of the interval on that side."""
        one, at = self.space.numbers[i], float(self.best.at[i])
        inside, outside = at, None
        start, lowest = self.best, (self.best, self.loss)
        places = np.linspace(at, float(end), SLICES + 1)[1:].tolist() if at != end else []
        self._look_ahead(i, places)
        for place in places:
            start, loss = self._profiled(one, start, i, place, allowed)
            lowest = min(lowest, (start, loss), key=lambda pair: pair[1])
            if outside is None and loss - self.loss > allowed:
                outside = place
            elif outside is None:
                inside = place
        if outside is not None:
            start = self.best
            for number in range(HALVINGS):
                if number % AHEAD == 0:
                    self._look_ahead(i, middles(inside, outside, AHEAD))
                middle = (inside + outside) / 2
                start, loss = self._profiled(one, start, i, middle, allowed)
                if loss - self.loss > allowed:
                    outside = middle
                else:
                    inside = middle
        self.ends[i, end] = inside
        return lowest

    def _look_ahead(self, i: int, places: list[float]) -> None:
        """Find losses in one pass if nothing else has to be optimized."""
        if np.flatnonzero(self.space.free).tolist() == [i]:
            self.objective.look_ahead([self.best.moved(i, place) for place in places])

    def _profiled(
        self, one: Parameter, start: Point, i: int, place: float, allowed: float
    ) -> tuple[Point, float]:
        """The smallest loss with one coordinate held fixed."""
        point, loss = self.search.descend(
            start.moved(i, place), held=(i,), step=0.02, close=1e-4 * allowed
        )
        self.lines[one.label].add((one.value(place), loss))
        return point, loss

    def _steps(self, i: int, end: int, _: float) -> tuple[Point, float]:
        """Accuracy is a step function: the interval ends where it is significantly lower."""
        one, at = self.space.numbers[i], float(self.best.at[i])
        decided = self.objective.decided
        right = self.objective.each(self.best, "correct")[decided]
        inside, left = at, False
        for place in np.linspace(at, float(end), 2 * SLICES + 1)[1:] if at != end else []:
            other = self.objective.each(self.best.moved(i, float(place)), "correct")[decided]
            discordant = np.count_nonzero(right != other)
            left |= bool((right - other).sum() > self.z * np.sqrt(discordant))
            inside = inside if left else float(place)
            self.lines[one.label].add((one.value(float(place)), float(1 - other.mean())))
        self.ends[i, end] = inside
        return self.best, self.loss

    def _robust(self, i: int) -> float:
        """Ratio of the robust to the model-based variance of a parameter; 1 for wins alone."""
        objective = self.objective
        if not self.search.smooth or (objective.plain and objective.criterion == "log_loss"):
            return 1.0
        free = np.flatnonzero(self.space.free)
        numbers = [self.space.numbers[j] for j in free]
        steps = np.array([STEP * (one.high - one.low) for one in numbers])
        center = np.array(
            [
                np.clip(one.value(float(self.best.at[j])), one.low + h, one.high - h)
                for j, one, h in zip(free, numbers, steps, strict=True)
            ]
        )

        def shifted(*moves: tuple[int, float]) -> Point:
            """Shifts in units of the parameters: near 0, the coordinate of k hardly changes k."""
            values = center.copy()
            for where, sign in moves:
                values[where] += sign * steps[where]
            point = self.best
            for j, one, value in zip(free, numbers, values, strict=True):
                point = point.moved(int(j), one.place(float(value)))
            return point

        own = range(len(free))
        slope = np.column_stack(
            [
                (
                    objective.each(shifted((a, 1.0)), objective.criterion)
                    - objective.each(shifted((a, -1.0)), objective.criterion)
                )
                / (2 * steps[a])
                for a in own
            ]
        )
        bends = np.empty((len(free), len(free)))
        for a in own:
            for b in range(a + 1):
                corners = [
                    one * other * objective.loss(shifted((a, one), (b, other)))
                    for one in (1.0, -1.0)
                    for other in (1.0, -1.0)
                ]
                bends[a, b] = bends[b, a] = len(slope) * sum(corners) / (4 * steps[a] * steps[b])
        slope = slope - slope.mean(axis=0)
        plain = np.linalg.pinv(bends, hermitian=True)
        robust = plain @ slope.T @ slope @ plain
        place = int(np.flatnonzero(free == i)[0])
        ratio = robust[place, place] / plain[place, place] if plain[place, place] > 0 else 1.0
        return float(ratio) if MOST_ROBUST[0] < ratio < MOST_ROBUST[1] else 1.0

    # -- results -------------------------------------------------------------------------------

    @property
    def idle(self) -> list[str]:
        """Parameters that are not identifiable from these contests."""
        out = []
        for one, free in zip(self.space.numbers, self.space.free, strict=True):
            losses = [loss for _, loss in self.lines.get(one.label, ())]
            if free and losses and np.ptp([*losses, self.loss]) < FLAT:
                out.append(one.label)
        return out

    def rows(self) -> list[dict[str, Any]]:
        """One row per parameter: best value, interval, and whether it is at a bound."""
        rows = []
        for i, one in enumerate(self.space.numbers):
            at = float(self.best.at[i])
            low, high = (
                one.value(self.ends[i, end]) if (i, end) in self.ends else None for end in (0, 1)
            )
            near = bool(self.space.free[i]) and (at < AT_BOUND or at > 1 - AT_BOUND)
            value = one.value(round(at) if near else at)
            rows.append(
                {
                    "parameter": one.label,
                    "best": value,
                    "low": low,
                    "high": high,
                    "at_bound": near,
                    "default": self.space.usual(one),
                }
            )
        for name, value in zip(self.space.choices, self.best.choices, strict=True):
            rows.append(
                {
                    "parameter": name,
                    "best": str(value),
                    "low": None,
                    "high": None,
                    "at_bound": False,
                    "default": str(self.space.default[name]),
                }
            )
        if self.space.choices:  # text and numbers share a column
            for row in rows:
                row["best"], row["default"] = _text(row["best"]), _text(row["default"])
        return rows

    def table(self) -> pl.DataFrame:
        """Each parameter over its range: parameter, value, loss."""
        rows = []
        for i, one in enumerate(self.space.numbers):
            known = self.lines.get(one.label, set())
            for value in one.values:
                point = self.best.moved(i, one.place(value))
                known.add((value, self.search.descend(point, held=(i,))[1]))
            if not one.values:
                share = self.loss if self.search.smooth else self._missed()
                known.add((one.value(float(self.best.at[i])), share))
            rows += [{"parameter": one.label, "value": v, "loss": x} for v, x in sorted(known)]
        schema = {"parameter": pl.String, "value": pl.Float64, "loss": pl.Float64}
        return pl.DataFrame(rows, schema=schema)

    def _missed(self) -> float:
        own = self.objective.each(self.best, "correct")[self.objective.decided]
        return float(1 - own.mean())


def middles(low: float, high: float, times: int) -> list[float]:
    """All places at which an interval may be halved, so many times.

    >>> middles(0.0, 1.0, 2)
    [0.5, 0.25, 0.75]
    """
    if times == 0:
        return []
    middle = (low + high) / 2
    return [middle, *middles(low, middle, times - 1), *middles(middle, high, times - 1)]


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
