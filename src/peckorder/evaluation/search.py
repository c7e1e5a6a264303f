"""Search for the settings with the best predictions.

Uncertainty of tuned settings: the profile of the loss for each parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import curve_from
from peckorder.evaluation.scoring import score_contests, true_scores
from peckorder.evaluation.search_space import POINTS, TUNED, Parameter, Point, Space
from peckorder.random_runs import Progress, in_threads
from peckorder.ratings.elo import LANES, foresight_of_several, shareable
from peckorder.ratings.glicko import GlickoReplay
from peckorder.ratings.replay import EloReplay
from peckorder.ratings.same_time import AveragedReplay
from peckorder.results import Ratings
from peckorder.results.chances import drawn_of, limit_of

CRITERIA = ("log_loss", "brier", "accuracy")
FIRST = 4  # best grid points from which the optimizer starts
MOST_SIMPLEX = 5
CLOSE = 1e-5  # of coordinates, where a single parameter is tuned


class Objective:
    """The function to be minimized: the mean loss at a point, over the training contests."""

    def __init__(self, ratings: Ratings, space: Space, criterion: str, first: int):
        replay: Any = ratings.course.replay
        self.replay: EloReplay | AveragedReplay | GlickoReplay = replay
        self.space, self.criterion = space, criterion
        self.base = self.replay.settings
        self.data = ratings.data
        self.first, self.own = first, np.arange(first, len(self.data))
        self.decided = ~drawn_of(self.data)[self.own]
        self.least, self.score = limit_of(ratings), true_scores(ratings)
        self.evaluated = 0  # settings tried
        self._ahead: dict[tuple, float] = {}
        self._lock = Lock()
        self.plain = self.base.outcome == "win" and bool(self.decided.all())

    def at(self, point: Point) -> EloReplay | AveragedReplay | GlickoReplay:
        """The rating with the settings of a point."""
        given = self.space.settings(point)
        if isinstance(self.replay, GlickoReplay):
            return self.replay.again(**{name: given[name] for name in TUNED if name in given})
        shape = {name: given.pop(name) for name in ("scale", "delta", "sd") if name in given}
        changed = {
            name: given[name]
            for name in ("k", "home_advantage", "carry_over", "half_life", "entry", "margin")
            if name in given
        }
        curve = self.base.curve
        if shape:
            curve = curve_from(None, **shape)
        if changed.get("margin") == "none":
            changed |= {"margin": None, "margin_correction": None}
        return self.replay.again(replace(self.base, **changed, curve=curve))

    def loss(self, point: Point) -> float:
        """Mean loss; for accuracy, the share of wrong predictions, with log loss to break ties."""
        known = self._ahead.pop(_key(point), None)
        return self.losses([point])[0] if known is None else known

    def losses(self, points: Sequence[Point]) -> list[float]:
        """Losses of several points, in one pass over a long record if their settings allow it."""
        replays, sums = [self.at(point) for point in points], []
        for begin in range(0, len(replays), LANES):
            block = replays[begin : begin + LANES]
            together = [each for each in block if shareable(each)]
            if len(together) == len(block) > 1:
                sums += list(foresight_of_several(together, self.first, self.least))
            else:
                sums += [each.foresight_sums(self.first, self.least) for each in block]
        with self._lock:
            self.evaluated += len(points)
        return [self._loss(each) for each in sums]

    def look_ahead(self, points: Sequence[Point]) -> None:
        """Find the losses of points that follow, if they are cheaper together."""
        if shareable(self.replay):
            losses = self.losses(points)
            self._ahead |= {_key(one): loss for one, loss in zip(points, losses, strict=True)}

    def _loss(self, sums: np.ndarray) -> float:
        log_loss, brier, correct, decided = sums
        if self.criterion == "accuracy":
            return float(1 - correct / max(decided, 1) + 1e-9 * log_loss / len(self.own))
        return float((log_loss if self.criterion == "log_loss" else brier) / len(self.own))

    def each(self, point: Point, column: str) -> np.ndarray:
        """Score of each contest at a point."""
        replay = self.at(point)
        draw = self.data.draw
        scores = score_contests(draw, replay.foresight(), self.score, 0.0, self.least)
        return np.nan_to_num(getattr(scores, column)[self.own])


def _key(point: Point) -> tuple:
    return point.at.tobytes(), point.choices


class Search:
    """A grid over the whole range, then an optimizer started at its best points."""

    def __init__(self, objective: Objective, threads: int | None, progress: Progress | None):
        self.objective, self.space = objective, objective.space
        self.threads, self.progress = threads, progress
        self.smooth = objective.criterion != "accuracy"

    def best(self) -> Point:
        """The best grid point, refined by the optimizer."""
        points = [
            Point(at, choices)
            for choices in product(*self.space.choices.values())
            for at in self.space.grid()
        ]
        points.append(self.space.start())
        losses = self._losses(points, self.progress)
        order = np.argsort(losses, kind="stable")
        best, loss = points[order[0]], losses[order[0]]
        if not self.space.free.any():
            return best
        refine, starts = self.descend if self.smooth else self._zoom, order[:FIRST].tolist()
        if self.smooth and self._long_line():
            refine, starts = self._in_valley, self._valleys(points, losses)
        for i in starts:
            found, value = refine(points[i])
            if value < loss:
                best, loss = found, value
        return best

    def _losses(self, points: list[Point], progress: Progress | None = None) -> np.ndarray:
        out = np.empty(len(points))

        def work(begin: int, end: int) -> None:
            out[begin:end] = self.objective.losses(points[begin:end])

        in_threads(work, len(points), block=LANES, threads=self.threads, progress=progress)
        return out

    def _long_line(self) -> bool:
        """Whether one parameter of a long record is tuned, where each evaluation takes time."""
        single = len(self.space.numbers) == 1 and not self.space.choices
        return single and shareable(self.objective.replay)

    def _valleys(self, points: list[Point], losses: np.ndarray) -> list[int]:
        """On a line, the best points of which no neighbor is better."""
        along = np.argsort([point.at[0] for point in points], kind="stable")
        ends = np.pad(losses[along], 1, constant_values=np.inf)
        lowest = set(along[(ends[1:-1] <= ends[:-2]) & (ends[1:-1] <= ends[2:])].tolist())
        return [i for i in np.argsort(losses, kind="stable").tolist() if i in lowest][:FIRST]

    def _in_valley(self, point: Point) -> tuple[Point, float]:
        """The minimum near a grid point of a line, by Brent's method."""
        from scipy.optimize import minimize_scalar

        at, step = float(point.at[0]), 1 / (POINTS[1] - 1)
        found: Any = minimize_scalar(
            lambda place: self.objective.loss(point.moved(0, place)),
            bounds=(max(at - step, 0.0), min(at + step, 1.0)),
            method="bounded",
            options={"xatol": CLOSE},
        )
        return point.moved(0, float(found.x)), float(found.fun)

    def descend(
        self, point: Point, held: tuple[int, ...] = (), step: float = 0.05, close: float = 1e-9
    ) -> tuple[Point, float]:
        """A local minimum near a point, with some coordinates held fixed."""
        from scipy.optimize import minimize

        free = np.flatnonzero(self.space.free)
        free = free[~np.isin(free, held)]
        if free.size == 0:
            return point, self.objective.loss(point)

        def loss(x: np.ndarray) -> float:
            at = point.at.copy()
            at[free] = x
            return self.objective.loss(Point(at, point.choices))

        start = point.at[free]
        bounds = [(0.0, 1.0)] * len(free)
        if len(free) <= MOST_SIMPLEX:
            corners = np.vstack([start] + [start] * len(free))
            for i in range(len(free)):
                corners[i + 1, i] += step if start[i] < 0.5 else -step
            found = minimize(
                loss,
                start,
                method="Nelder-Mead",
                bounds=bounds,
                options={
                    "initial_simplex": corners,
                    "xatol": 1e-3 * step,
                    "fatol": close,
                    "maxfev": 150 * (len(free) + 1),
                },
            )
        else:
            found = minimize(
                loss,
                start,
                method="L-BFGS-B",
                bounds=bounds,
                options={"eps": 1e-5, "ftol": close, "maxiter": 200},
            )
        at = point.at.copy()
        at[free] = np.clip(found.x, 0, 1)
        return Point(at, point.choices), float(found.fun)

    def _zoom(self, point: Point) -> tuple[Point, float]:
        """A finer grid around a point, one coordinate at a time, for step functions."""
        best, loss = point, self.objective.loss(point)
        width = 1.0 / len(np.unique(self.space.grid()[:, 0]))
        for _ in range(3):
            for i in np.flatnonzero(self.space.free):
                line = np.clip(best.at[i] + width * np.linspace(-1, 1, 21), 0, 1)
                points = [best.moved(int(i), float(at)) for at in line]
                losses = self._losses(points)
                if losses.min() < loss:
                    best, loss = points[int(losses.argmin())], float(losses.min())
            width /= 5
        return best, loss


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
