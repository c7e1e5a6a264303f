"""What being at home is worth, for all sides together or for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import DataError
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.scoring import rated, rater_of, true_scores
from peckorder.rating.curves import Table
from peckorder.results import Measure, Ratings
from peckorder.runs import checked_level
from peckorder.wording import counted

LARGEST = 20.0  # natural units: beyond it a home win is certain
POOLING_STEPS = 200


def home_advantages(
    ratings: Ratings, *, pooled: bool = True, skip: int = 0, level: float = 0.95
) -> Measure:
    """The home advantage under which the contests are foretold best, in all and per side.

    Ratings before each contest are taken as they stand, without any home advantage; what is added
    to the home side is estimated by maximum likelihood.

    Parameters
    ----------
    ratings : Ratings, of `elo` or `elo_ml`.
    pooled : bool
        Draw the advantages of single sides towards the common one, the more the less is known of
        them (a normal distribution whose spread is estimated too). Without it a side that won or
        lost all its home contests has no finite advantage, and stays empty.
    skip : int
        Leave out the first contests.
    level : of intervals.

    Returns
    -------
    Measure
        `value` (common to all), `low`, `high`, `spread` (standard deviation between sides, 0
        where they do not differ more than by luck). Table: individual, contests (at home),
        home_advantage, se, low, high.

    Notes
    -----
    Use it with `elo(home_advantage=found.value)`, or per side with
    `elo(home_advantage=dict(zip(found.table["individual"], found.table["home_advantage"])))`.

    Examples
    --------
    >>> import peckorder as po
    >>> games = po.read({"home": ["a", "b", "c", "a", "b"], "away": ["b", "c", "a", "c", "a"],
    ...                  "home_goals": [2, 1, 0, 3, 1], "away_goals": [1, 0, 2, 0, 0]})
    >>> found = po.home_advantages(po.elo(games, k=20))
    >>> round(found.value), found.table["contests"].to_list()
    (246, [2, 2, 1])
    """
    rated(ratings, "home_advantages")
    checked_level(level)
    data = ratings._course()
    if data.home is None or not (data.home != 0).any():
        raise DataError(
            "Nobody is known to be at home. Read the contests as games (home=, away=), or name a "
            "home column: home=."
        )
    if isinstance(ratings.curve, Table):
        raise ValueError("The printed table has no slope: take another curve.")
    if ratings.settings.get("home_in_update"):
        raise ValueError(
            "These ratings were updated with a home advantage: what is left of it cannot be told. "
            "Rate without home_in_update."
        )
    problem = _Problem.of(ratings, first_counted(data, skip))
    common, error = problem.estimate(np.arange(len(problem.host)), 0.0, np.inf)
    if common is None:
        raise DataError(
            "Every contest went the same way, home or away: no finite home advantage fits best."
        )
    from scipy.special import ndtri

    reach = float(ndtri(0.5 + level / 2))
    hosts = np.unique(problem.host)
    alone = [problem.estimate(np.flatnonzero(problem.host == i), 0.0, np.inf) for i in hosts]
    spread = _spread(common, alone)
    parts = alone if not pooled else [
        problem.pooled(np.flatnonzero(problem.host == i), common, error, spread) for i in hosts
    ]  # fmt: skip
    number = [int((problem.host == i).sum()) for i in hosts]
    frame = _table([data.individuals[i] for i in hosts], number, parts, reach)
    values = {
        "value": common, "low": common - reach * error, "high": common + reach * error,
        "spread": spread, "contests": len(problem.host),
    }  # fmt: skip
    differ = "more than luck would have it" if spread > 0 else "no more than luck would have it"
    words = (
        f"Being at home is worth {common:.3g} points ({100 * level:g} % interval "
        f"{values['low']:.3g} to {values['high']:.3g}) over "
        f"{counted(len(problem.host), 'contest')}; {counted(len(hosts), 'side')} differ in it "
        f"{differ} (standard deviation {spread:.3g}).",
    )
    return Measure(
        method="home_advantages", data=data, values=values, frame=frame, words=words,
        settings={"pooled": pooled, "skip": skip, "level": level,
                  "rater": rater_of(ratings)},
        citations=("langville2012",),
    )  # fmt: skip


class _Problem:
    """Contests with a home side: its score, how far it was ahead, and who it was."""

    def __init__(self, ahead: np.ndarray, score: np.ndarray, host: np.ndarray, curve: Any):
        self.ahead, self.score, self.host, self.curve = ahead, score, host, curve

    @classmethod
    def of(cls, ratings: Ratings, first: int) -> _Problem:
        data = ratings._course()
        assert data.home is not None
        _, before, _ = ratings._history
        own = np.flatnonzero((data.home != 0) & (np.arange(len(data)) >= first))
        if own.size == 0:
            raise DataError("Nobody was at home in the contests that are left.")
        sign = data.home[own].astype(float)
        ahead = sign * (before[own, 0] - before[own, 1])
        score = np.array(true_scores(ratings))[own]
        host = np.where(sign > 0, data.winner[own], data.loser[own])
        return cls(ahead, np.where(sign > 0, score, 1 - score), host, ratings.curve)

    def estimate(self, own: np.ndarray, mean: float, spread: float) -> tuple[float | None, float]:
        """The most likely advantage given a normal prior, and its standard error."""
        from scipy.optimize import minimize_scalar

        ahead, score = self.ahead[own], self.score[own]
        unit = 1.0 / self.curve.slope

        def loss(bonus: float) -> float:
            p = np.clip(np.asarray(self.curve(ahead + bonus)), 1e-300, 1.0)
            q = np.clip(np.asarray(self.curve(-ahead - bonus)), 1e-300, 1.0)
            away = 0.0 if np.isinf(spread) else ((bonus - mean) / spread) ** 2 / 2
            return float(-(score * np.log(p) + (1 - score) * np.log(q)).sum() + away)

        end = LARGEST * unit
        best: Any = minimize_scalar(
            loss, bounds=(-end, end), method="bounded", options={"xatol": 1e-9 * unit}
        )
        at = float(best.x)
        step = 1e-3 * unit
        bend = (loss(at + step) - 2 * loss(at) + loss(at - step)) / step**2
        if abs(at) > 0.99 * end or bend <= 0:
            return None, np.inf
        return at, float(1 / np.sqrt(bend))

    def pooled(
        self, own: np.ndarray, common: float, error: float, spread: float
    ) -> tuple[float | None, float]:
        """Drawn towards the common advantage, which is itself known with some error only."""
        if spread == 0.0:
            return common, error
        at, se = self.estimate(own, common, spread)
        return at, float(np.hypot(se, se**2 / spread**2 * error))


def _spread(common: float, parts: list[tuple[float | None, float]]) -> float:
    """Standard deviation of true advantages between sides, by maximum likelihood."""
    known = [(at, se) for at, se in parts if at is not None and np.isfinite(se)]
    if len(known) < 2:
        return 0.0
    at, se = (np.array(column) for column in zip(*known, strict=True))
    variance = max(0.0, float(((at - common) ** 2 - se**2).mean()))
    for _ in range(POOLING_STEPS):
        weight = 1 / (se**2 + variance)
        new = max(0.0, float((weight**2 * ((at - common) ** 2 - se**2)).sum() / (weight**2).sum()))
        if abs(new - variance) <= 1e-12 * max(new, 1e-12):
            break
        variance = new
    return float(np.sqrt(variance))


def _table(
    names: list[str], number: list[int], parts: list[tuple[float | None, float]], reach: float
) -> pl.DataFrame:
    rows = [
        {
            "individual": name, "contests": count, "home_advantage": at,
            "se": None if at is None else se,
            "low": None if at is None else at - reach * se,
            "high": None if at is None else at + reach * se,
        }
        for name, count, (at, se) in zip(names, number, parts, strict=True)
    ]  # fmt: skip
    schema = {"individual": pl.String, "contests": pl.Int64, "home_advantage": pl.Float64,
              "se": pl.Float64, "low": pl.Float64, "high": pl.Float64}  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema)
    return frame.sort("home_advantage", descending=True, nulls_last=True, maintain_order=True)
