"""A season played many times: who wins it, and who ends where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.fixtures import Fixtures, read_fixtures
from peckorder.errors import DataError
from peckorder.evaluation.predict import DRAWS, tie_odds
from peckorder.evaluation.scoring import rated, rater_of
from peckorder.kernels.seasons import play
from peckorder.rating.curves import PERCENTS
from peckorder.rating.elo import curve_code
from peckorder.rating.policies import check_home_advantage
from peckorder.results import Measure, Posterior, Ratings
from peckorder.runs import Progress, Runs, checked_level
from peckorder.wording import counted, quoted

BLOCK = 250


def simulate_season(
    ratings: Ratings,
    *,
    fixtures: Any,
    points: tuple[float, float, float] = (1.0, 0.5, 0.0),
    standings: Mapping[str, float] | None = None,
    k: float | None = None,
    home_advantage: Any = None,
    draws: str = "davidson",
    runs: int = 10_000,
    level: float = 0.95,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Share of titles and of places, from fixtures played many times.

    Every run starts from the final ratings (from a draw of them where the rater has draws or
    deviations), draws each outcome, and lets the ratings move on.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    fixtures, home_advantage, draws : as in `predict`.
    points : for a win, a draw and a loss; (3, 1, 0) in football.
    standings : mapping, optional
        Points that sides have already.
    k : float, optional
        By how much ratings move during the season; default that of the ratings, if it is one
        number, and 0 otherwise.
    runs, seed, threads : of the random seasons.
    level : of intervals.

    Returns
    -------
    Measure
        Table, best first: individual, p_title, points, points_low, points_high, place,
        place_low, place_high. `places`: the share of seasons in which each ended in each place.
        Equal points are ordered at random.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> fixtures = [("b", "c"), ("c", "d"), ("d", "b")]
    >>> found = po.simulate_season(ratings, fixtures=fixtures, runs=2000, seed=1)
    >>> found.table["individual"].to_list()
    ['b', 'd', 'c']
    """
    rated(ratings, "simulate_season")
    each = Runs.of(runs, seed, threads, progress)
    checked_level(level)
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    if draws not in DRAWS:
        raise ValueError(f'draws="{draws}" is not known. Choose one of: {", ".join(DRAWS)}.')
    _check_points(points)
    listed = read_fixtures(fixtures, ratings.individuals)
    nu, words = tie_odds(ratings, draws, home_advantage)
    league = _league(ratings, listed, standings)
    start = _start(ratings, listed, league, k, nu, home_advantage)
    had = np.array([float((standings or {}).get(ratings.individuals[i], 0.0)) for i in league])
    out, places = _play(start, listed, league, np.array(points, float), had, each)
    frame, shares = _tables([ratings.individuals[i] for i in league], out, places, level)
    top = frame.row(0, named=True)
    words = [
        f"{top['individual']} comes first in {100 * top['p_title']:.0f} % of "
        f"{counted(each.number, 'season')}.",
        *start.words, *words,
    ]  # fmt: skip
    return Measure(
        method="simulate_season",
        data=ratings._course(),
        values={"fixtures": len(listed), "runs": each.number},
        frame=frame,
        words=tuple(words),
        settings={
            "points": list(points), "standings": None if standings is None else dict(standings),
            "k": k, "home_advantage": home_advantage, "draws": draws, "runs": runs, "level": level,
            "rater": rater_of(ratings),
        },
        citations=("langville2012",),
        seed=each.seed,
        tables={"places": shares},
    )  # fmt: skip


class _Start:
    """Where seasons start: draws of ratings, how they move, and what being at home is worth."""

    def __init__(self, rating, spread, k, nu, bonus, curve, words):
        self.rating, self.spread, self.k, self.nu, self.bonus = rating, spread, k, nu, bonus
        self.curve, self.words = curve, words


def _start(
    ratings: Ratings, listed: Fixtures, league: np.ndarray, k: float | None, nu: float | None,
    home_advantage: Any,
) -> _Start:  # fmt: skip
    words = []
    if isinstance(ratings, Posterior):
        assert ratings.replay is not None
        replay, slope = ratings.replay, ratings.curve.slope
        rating, number = replay.final[:, league], len(replay)
        bonus = replay.home[:, None] / slope * listed.home
        moves = replay.k[:, 0] / slope
        if replay.k.shape[1] > 2 and k is None:
            moves = np.zeros(number)
            words.append("Ratings were held during the season, since k differs by context.")
        tie = replay.nu if "nu" in ratings.draws else np.full(number, nu or 0.0)
    else:
        rating, number = ratings.rating[None, league], 1
        bonus = ratings._bonus(listed.first, listed.second, listed.home)[None, :]
        own = ratings.values.get("k", ratings.settings.get("k"))
        if k is None and not isinstance(own, int | float):
            words.append("Ratings were held during the season, since there is no single k.")
        moves = np.array([float(own) if isinstance(own, int | float) else 0.0])
        tie = np.array([ratings.values.get("nu", nu) or 0.0])
    if home_advantage is not None:
        one = ratings._bonus(listed.first, listed.second, listed.home, home_advantage)
        bonus = np.broadcast_to(one, (number, len(listed)))
    if k is not None:
        if isinstance(k, bool) or not isinstance(k, int | float) or not 0 <= k < np.inf:
            raise ValueError(f"k must be a finite number from 0 on, not {k!r}.")
        moves = np.full(number, float(k))
    spread = np.zeros(len(league))
    if "deviation" in ratings.columns:
        spread = ratings.columns["deviation"][league]
    return _Start(
        np.ascontiguousarray(rating), np.ascontiguousarray(spread),
        np.ascontiguousarray(moves), np.ascontiguousarray(tie, dtype=float),
        np.ascontiguousarray(bonus, dtype=float), ratings.curve, words,
    )  # fmt: skip


def _league(
    ratings: Ratings, listed: Fixtures, standings: Mapping[str, float] | None
) -> np.ndarray:
    """Who takes part: the sides of the fixtures, and of the standings."""
    known = {name: code for code, name in enumerate(ratings.individuals)}
    strange = [name for name in standings or {} if str(name) not in known]
    if strange:
        raise DataError(f"standings: {quoted(strange)} took part in no contest.")
    bad = [n for n, v in (standings or {}).items() if not isinstance(v, int | float) or v != v]
    if bad:
        raise ValueError(f"standings must hold numbers; look at {quoted(bad)}.")
    own = {known[str(name)] for name in standings or {}}
    return np.unique([*listed.first, *listed.second, *own]).astype(np.int64)


def _check_points(points: Any) -> None:
    numbers = isinstance(points, tuple | list) and len(points) == 3
    if not numbers or not all(isinstance(p, int | float) and np.isfinite(p) for p in points):
        raise ValueError(f"points are three numbers, for a win, a draw and a loss, not {points!r}.")


def _play(
    start: _Start, listed: Fixtures, league: np.ndarray, points: np.ndarray, had: np.ndarray,
    runs: Runs,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    first, second = (
        np.searchsorted(league, side).astype(np.int64) for side in (listed.first, listed.second)
    )
    size = len(league)
    out = np.empty((runs.number, size))
    counts = [np.zeros((size, size), np.int64) for _ in range(0, runs.number, BLOCK)]
    of_run = np.arange(runs.number) % len(start.rating)
    if len(start.rating) > runs.number:
        of_run = np.linspace(0, len(start.rating) - 1, runs.number).astype(np.int64)
    key = runs.key()

    def work(begin: int, end: int) -> None:
        play(
            first, second, start.bonus, curve_code(start.curve), start.curve.slope, PERCENTS,
            start.rating, start.spread, start.k, start.nu, of_run[begin:end], points, had, key,
            begin, out[begin:end], counts[begin // BLOCK],
        )  # fmt: skip

    runs.do(work, BLOCK)
    return out, np.sum(counts, axis=0)


def _tables(
    names: list[str], out: np.ndarray, places: np.ndarray, level: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    ends = [0.5 - level / 2, 0.5 + level / 2]
    share = places / len(out)
    steps = np.arange(1.0, len(names) + 1)
    reached = np.cumsum(share, axis=1)
    low, high = np.quantile(out, ends, axis=0)
    frame = pl.DataFrame({
        "individual": names, "p_title": share[:, 0], "points": out.mean(axis=0),
        "points_low": low, "points_high": high, "place": share @ steps,
        "place_low": 1 + (reached < ends[0]).sum(axis=1),
        "place_high": 1 + (reached < ends[1] - 1e-12).sum(axis=1),
    })  # fmt: skip
    order = np.lexsort((np.arange(len(names)), share @ steps))
    listed = pl.DataFrame({
        "individual": [names[i] for i in order for _ in names],
        "place": [place for _ in order for place in range(1, len(names) + 1)],
        "share": share[order].ravel(),
    })  # fmt: skip
    return frame[order], listed
