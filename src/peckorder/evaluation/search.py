"""Search for the settings with the best predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from threading import Lock
from typing import Any

import numpy as np

from peckorder.curves import curve_from
from peckorder.evaluation.glicko_space import TUNED
from peckorder.evaluation.scoring import score_contests, true_scores
from peckorder.evaluation.space import POINTS, Point, Space
from peckorder.results import Ratings
from peckorder.results.chances import drawn_of, limit_of
from peckorder.runs import Progress, in_threads
from peckorder.sequential.glicko import GlickoReplay
from peckorder.sequential.replay import EloReplay
from peckorder.sequential.several import LANES, foresight_of_several, shareable
from peckorder.sequential.within import AveragedReplay

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
            for name in ("k", "home_advantage", "carry_over", "entry", "margin")
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
