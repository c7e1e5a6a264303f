"""The search for the settings that foretell best, and how flat it is around them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from peckorder.evaluation.scoring import limit_of, score_contests, true_scores
from peckorder.evaluation.space import Parameter, Point, Space
from peckorder.rating.curves import curve_from
from peckorder.rating.elo import EloReplay
from peckorder.results import Ratings
from peckorder.runs import Progress, in_threads

CRITERIA = ("log_loss", "brier", "accuracy")
FIRST = 3  # points of the grid from which the optimizer starts
MOST_SIMPLEX = 5
AT_BOUND = 1e-3
SLICES = 25
STEP = 1e-3


class Objective:
    """What is made small: the loss of a point, over the contests that may choose."""

    def __init__(self, ratings: Ratings, space: Space, criterion: str, first: int, split: int):
        assert isinstance(ratings.replay, EloReplay)
        self.replay, self.space, self.criterion = ratings.replay, space, criterion
        self.base = ratings.replay.settings
        self.data = ratings._course()
        self.parts = np.array([first, split] if split < len(self.data) else [first])
        self.own = np.arange(first, split)
        self.least, self.score = limit_of(ratings), true_scores(ratings)
        self.evaluated = 0
        self._lock = Lock()
        self.plain = self.base.outcome == "win" and (
            self.data.draw is None or not self.data.draw.any()
        )

    def at(self, point: Point) -> EloReplay:
        """The rating at a point."""
        given = self.space.settings(point)
        shape = {name: given.pop(name) for name in ("scale", "delta", "sd") if name in given}
        changed = {
            name: given[name]
            for name in ("k", "home_advantage", "carry_over", "entry", "margin")
            if name in given
        }
        curve = self.base.curve
        if shape:
            curve = curve_from(None, **shape)
        margin = given.get("margin", None if "margin" in self.space.choices else self.base.margin)
        return self.replay.again(replace(self.base, **{**changed, "margin": margin}, curve=curve))

    def loss(self, point: Point) -> float:
        """Mean loss; for accuracy the share that was not foretold, and the log loss in ties."""
        with self._lock:
            self.evaluated += 1
        log_loss, brier, correct, _, decided = self.at(point).foresight_sums(
            self.parts, self.least
        )[0]
        if self.criterion == "accuracy":
            return float(1 - correct / max(decided, 1) + 1e-9 * log_loss / len(self.own))
        return float((log_loss if self.criterion == "log_loss" else brier) / len(self.own))

    def each(self, point: Point, column: str) -> np.ndarray:
        """What each contest scores under a point."""
        replay = self.at(point)
        scores = score_contests(self.data, replay.foresight(), self.score, 0.0, self.least)
        return np.nan_to_num(getattr(scores, column)[self.own])


class Search:
    """Grid, optimizer and profiles."""

    def __init__(
        self, objective: Objective, level: float, threads: int | None, progress: Progress | None
    ):
        self.objective, self.space = objective, objective.space
        self.level, self.threads, self.progress = level, threads, progress
        self.smooth = objective.criterion != "accuracy"
        self._profiles: dict[str, list[tuple[float, float]]] = {}

    def best(self) -> Point:
        """The best of the grid, made better by the optimizer."""
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
        for i in order[: FIRST if self.smooth else 1]:
            found, value = (self._descend if self.smooth else self._zoom)(points[i])
            if value < loss:
                best, loss = found, value
        return best

    def _losses(self, points: list[Point], progress: Progress | None = None) -> np.ndarray:
        out = np.empty(len(points))

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                out[i] = self.objective.loss(points[i])

        in_threads(work, len(points), block=8, threads=self.threads, progress=progress)
        return out

    def _descend(
        self, point: Point, held: int | None = None, step: float = 0.05
    ) -> tuple[Point, float]:
        """A local minimum from a point on, with one coordinate held."""
        from scipy.optimize import minimize

        free = np.flatnonzero(self.space.free)
        free = free[free != held] if held is not None else free
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
                loss, start, method="Nelder-Mead", bounds=bounds,
                options={"initial_simplex": corners, "xatol": 1e-5, "fatol": 1e-9,
                         "maxfev": 150 * (len(free) + 1)},
            )  # fmt: skip
        else:
            found = minimize(
                loss, start, method="L-BFGS-B", bounds=bounds, options={"eps": 1e-5, "maxiter": 200}
            )
        at = point.at.copy()
        at[free] = np.clip(found.x, 0, 1)
        return Point(at, point.choices), float(found.fun)

    def _zoom(self, point: Point) -> tuple[Point, float]:
        """A finer grid around a point, one coordinate after the other: for what moves in steps."""
        best, loss = point, self.objective.loss(point)
        width = 1.0 / len(np.unique(self.space.grid()[:, 0]))
        for _ in range(3):
            for i in np.flatnonzero(self.space.free):
                line = np.clip(best.at[i] + width * np.linspace(-1, 1, 21), 0, 1)
                points = [self._moved(best, int(i), at) for at in line]
                losses = self._losses(points)
                if losses.min() < loss:
                    best, loss = points[int(losses.argmin())], float(losses.min())
            width /= 5
        return best, loss

    @staticmethod
    def _moved(point: Point, i: int, at: float) -> Point:
        moved = point.at.copy()
        moved[i] = at
        return Point(moved, point.choices)

    # -- how sure that is --------------------------------------------------------------------

    def intervals(self, best: Point) -> list[dict[str, Any]]:
        """A row per parameter: its best value, interval, whether it is an end of its range."""
        rows = []
        usual = self.space.default
        loss = self.objective.loss(best)
        for i, one in enumerate(self.space.numbers):
            value, low, high = one.value(best.at[i]), None, None
            if not one.values:
                low, high = self._interval(best, loss, i, one)
            name = "k" if one.name.startswith("k[") else one.name
            default = usual.get(name, 0.0)
            if name != one.name:
                default = default[one.name[2:-1]]
            near = best.at[i] < AT_BOUND or best.at[i] > 1 - AT_BOUND
            if near:
                value = one.low if best.at[i] < 0.5 else one.high
            rows.append({
                "parameter": one.name, "best": value, "low": low, "high": high,
                "at_bound": bool(near) and not one.values, "default": float(default),
            })  # fmt: skip
        for name, value in zip(self.space.choices, best.choices, strict=True):
            rows.append({
                "parameter": name, "best": str(value), "low": None, "high": None,
                "at_bound": False, "default": str(usual.get(name)),
            })  # fmt: skip
        if self.space.choices:  # words and numbers share a column
            for row in rows:
                row["best"], row["default"] = str(row["best"]), str(row["default"])
        return rows

    def _interval(
        self, best: Point, loss: float, i: int, one: Parameter
    ) -> tuple[float | None, float | None]:
        if not self.smooth:
            return self._indistinct(best, i, one)
        from scipy.special import ndtri

        allowed = ndtri(0.5 + self.level / 2) ** 2 / 2 / len(self.objective.own)
        allowed *= self._robust(best, i)
        ends = []
        for end in (0.0, 1.0):
            inside, outside = best.at[i], end
            if abs(inside - outside) < 1e-9 or self._profiled(best, i, outside) - loss <= allowed:
                ends.append(end)
                continue
            for _ in range(14):
                middle = (inside + outside) / 2
                if self._profiled(best, i, middle) - loss <= allowed:
                    inside = middle
                else:
                    outside = middle
            ends.append(inside)
        return one.value(ends[0]), one.value(ends[1])

    def _profiled(self, best: Point, i: int, at: float) -> float:
        """The loss with one coordinate held, the others chosen anew."""
        loss = self._descend(self._moved(best, i, at), held=i, step=0.02)[1]
        one = self.space.numbers[i]
        self._profiles.setdefault(one.name, []).append((one.value(at), loss))
        return loss

    def _robust(self, best: Point, i: int) -> float:
        """Ratio of the robust variance of a parameter to the plain one, 1 for plain wins."""
        if self.objective.plain and self.objective.criterion == "log_loss":
            return 1.0
        free = np.flatnonzero(self.space.free)
        inner = np.clip(best.at, STEP, 1 - STEP)
        column = self.objective.criterion
        slopes, bends = [], np.empty((len(free), len(free)))

        def shifted(*moves: tuple[Any, float]) -> Point:
            at = inner.copy()
            for where, by in moves:
                at[where] += by
            return Point(at, best.choices)

        for j in free:
            up, down = (self.objective.each(shifted((j, s)), column) for s in (STEP, -STEP))
            slopes.append((up - down) / (2 * STEP))
        total = len(self.objective.own)
        for a, j in enumerate(free):
            for b, m in enumerate(free[: a + 1]):
                corners = [
                    sj * sm * self.objective.loss(shifted((j, sj * STEP), (m, sm * STEP)))
                    for sj in (1, -1)
                    for sm in (1, -1)
                ]
                bends[a, b] = bends[b, a] = total * sum(corners) / (4 * STEP**2)
        slope = np.column_stack(slopes)
        slope = slope - slope.mean(axis=0)
        inverse = np.linalg.pinv(bends, hermitian=True)
        robust, plain = inverse @ slope.T @ slope @ inverse, inverse
        place = int(np.flatnonzero(free == i)[0])
        ratio = robust[place, place] / plain[place, place] if plain[place, place] > 0 else 1.0
        return float(np.clip(ratio, 1e-3, 1e3))

    def _indistinct(self, best: Point, i: int, one: Parameter) -> tuple[float | None, float | None]:
        """Values around the best that do not foretell significantly fewer contests."""
        from scipy.special import ndtri

        z = float(ndtri(0.5 + self.level / 2))
        right = self.objective.each(best, "correct")
        line = np.unique(np.append(np.linspace(0, 1, 41), best.at[i]))
        fine = np.zeros(len(line), bool)
        for place, at in enumerate(line):
            other = self.objective.each(self._moved(best, i, float(at)), "correct")
            apart = float(np.count_nonzero(right != other))
            fine[place] = (right - other).sum() <= z * np.sqrt(apart)
            loss = 1 - other.mean()
            self._profiles.setdefault(one.name, []).append((one.value(float(at)), float(loss)))
        center = int(np.searchsorted(line, best.at[i]))
        low = high = center
        while low > 0 and fine[low - 1]:
            low -= 1
        while high < len(line) - 1 and fine[high + 1]:
            high += 1
        return one.value(float(line[low])), one.value(float(line[high]))

    def profile(self, best: Point) -> pl.DataFrame:
        """Each parameter over its range: parameter, value, loss."""
        out = []
        for i, one in enumerate(self.space.numbers):
            if one.values:
                line = [one.place(value) for value in one.values]
            else:
                line = np.linspace(0, 1, SLICES).tolist() if self.smooth else []
            for at in line:
                self._profiled(best, i, float(at))
            loss = self.objective.loss(best)
            known = {*self._profiles.get(one.name, []), (one.value(best.at[i]), loss)}
            out += [{"parameter": one.name, "value": v, "loss": x} for v, x in sorted(known)]
        schema = {"parameter": pl.String, "value": pl.Float64, "loss": pl.Float64}
        return pl.DataFrame(out, schema=schema)
