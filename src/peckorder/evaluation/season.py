"""Simulated seasons: probabilities of titles and of final places.

Points already won when a season is simulated: by name, from a sheet, or of the last season.

How strengths vary in seasons to come: drift within a season, and what is new in the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import Curve
from peckorder.data.columns import fits
from peckorder.data.contests import Contests
from peckorder.data.sources import open_sheet
from peckorder.data.user_tables import Fixtures
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.league import TIE_BREAKS, finish_columns, finish_ranges
from peckorder.evaluation.next_ratings import onward, read_upcoming, words_on_entries
from peckorder.evaluation.order_forecast import OrderRatings, with_chances
from peckorder.evaluation.predict import covariates_of_fixtures
from peckorder.evaluation.scoring import hindsight, rated, rater_of
from peckorder.kernels import seasons as kernel
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.adaptive import AdaptiveRatings
from peckorder.ratings.dynamic import DynamicRatings
from peckorder.ratings.elo_arrays import margin_factors
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.replay import win_curve
from peckorder.results import Measure, Ratings
from peckorder.results.chances import Reading, drawn_of, limit_of, reading
from peckorder.results.samples import SampledRatings
from peckorder.text import counted, did_you_mean, option, option_name, quoted
from peckorder.text import listed as listed_words
from peckorder.validate import (
    as_numbers,
    between_0_and_1,
    is_number,
    one_of,
    several,
    true_or_false,
)

BLOCK = 250


def simulate_season(
    ratings: Ratings,
    *,
    fixtures: Any,
    points: tuple[float, float, float] = (1.0, 0.5, 0.0),
    standings: Any = None,
    finish: Mapping[str, int | tuple[int, int]] | None = None,
    tie_breaks: Sequence[str] | None = None,
    k: float | None = None,
    home_advantage: Any = None,
    ties: str = "davidson",
    runs: int = 10_000,
    level: float = 0.95,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    home: str | None = None,
    away: str | None = None,
    neutral: str | None = None,
    a: str | None = None,
    b: str | None = None,
    season: str | None = None,
    new_season: bool = False,
    newcomers: bool = False,
    keep_runs: bool = False,
) -> Measure:
    """Probabilities of titles and of final places, from simulated seasons.

    Each run starts from the final ratings (from a random draw of them if the rater has posterior
    draws or deviations), draws the outcome of each fixture, and updates the ratings.

    Parameters
    ----------
    ratings : Ratings, of any rater; or the order of `bradley_terry` or `davids_score`
    fixtures, home_advantage, ties, home, away, neutral, a, b, season, new_season, newcomers : as \
in `predict`; all fixtures are of one season.
    points : for a win, a tie and a loss; (3, 1, 0) in football.
    standings : mapping, sheet or "season", optional
        Points already won: by name, as a sheet with two columns, or "season" for the points of
        the last season of the rated contests.
    finish : mapping of names to places, optional
        Adds a column per name, as `finish_chances` does: {"playoffs": 7, "relegated": -3} are the
        best seven and the last three, and a pair is a range of places.
    tie_breaks : any of "difference", "scored", "wins", "head_to_head", optional
        What orders equal points, as in `league_table`; what remains equal is ordered at random.
        Default: "difference" and "scored" if the rated contests have points, otherwise nothing.
        Scores are simulated for it: each is that of a rated contest with the same outcome and
        similar odds. Points so far come with scores only if `standings="season"`.
    k : float, optional
        k of the updates during the season. Default: that of the ratings if it is a single number
        and they are based on wins; otherwise 0, and dynamic and adaptive ratings drift.
    runs, seed, threads : number of simulated seasons, seed and threads.
    level : level of the intervals.
    keep_runs : bool
        Also keep the points of every simulated season: `standings`, a row per season.

    Returns
    -------
    Measure
        Table, best first: individual, p_title, points, points_low, points_high, place,
        place_low, place_high, and with `finish` p_playoffs and so on. `places`: the share of
        simulated seasons in which each side finished in each place (`finish_chances` sums them
        up).

    Notes
    -----
    Ratings are uncertain, and so are the simulated seasons. Posteriors, dynamic and adaptive
    ratings start each season from a draw, Glicko from its deviations. Dynamic and adaptive ratings
    drift as they did in the record. Elo ratings move by k: the chain of their predictions contains
    the uncertainty √(k/s) that k implies (s: log-odds per rating point), as in a filter in steady
    state. If k depends on margins, the mean factor of the record is used, because margins are not
    simulated; a `margin_correction` is applied. Where a season begins, a share c of each rating's
    distance from the mean is carried over, so that, if the spread of strengths is the same in all
    seasons, a share 1 − c² of their variance is new: it is drawn at random.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> fixtures = [("b", "c"), ("c", "d"), ("d", "b")]
    >>> found = po.sport.simulate_season(ratings, fixtures=fixtures, runs=2000, seed=1)
    >>> found.table["individual"].to_list()
    ['b', 'd', 'c']
    """
    ratings = rated(with_chances(ratings), "sport.simulate_season")
    each = Runs.of(runs, seed, threads, progress)
    between_0_and_1("level", level)
    rule = checked_points(points)
    had, noted = points_so_far(ratings, standings, rule)
    read = reading(ratings, ties)
    columns = {"home": home, "away": away, "neutral": neutral, "a": a, "b": b, "season": season}
    listed, passed = read_upcoming(
        ratings, fixtures, columns, home_advantage, new_season=new_season, newcomers=newcomers
    )
    true_or_false("keep_runs", keep_runs)
    _one_season(listed)
    sentences_on_entries = words_on_entries(ratings, listed, passed)
    before = ratings
    ratings = onward(ratings, listed.newcomers, int(passed[0]))
    codes = [ratings.code(name) for name in had]
    league = np.unique([*listed.first, *listed.second, *codes]).astype(np.int64)
    bonus, said = covariates_of_fixtures(ratings, listed, home_advantage)
    start = _start(ratings, listed, league, k, read, bonus, before, int(passed[0]), each)
    wanted = finish_ranges({} if finish is None else finish, len(league))
    if wanted.get("title", (1, 1)) != (1, 1):
        raise ArgumentError("p_title is the chance of place 1: give these places another name.")
    own = np.array([had.get(ratings.individuals[i], 0.0) for i in league])
    table, scores, named = _league_rules(ratings, before, league, rule, own, tie_breaks, standings)
    out, places = _play(start, listed, league, table, scores, each)
    frame, shares = _tables([ratings.individuals[i] for i in league], out, places, level)
    frame = frame.with_columns(finish_columns(shares, wanted, prefix="p_"))
    top = frame.row(0, named=True)
    sentences = [
        f"{top['individual']} finishes first in {top['p_title']:.0%} of "
        f"{counted(each.number, 'simulated season')}.",
        *_on_places(wanted),
        *start.summary,
        *said,
        *(
            [f"Equal points are ordered by {listed_words(list(named))}, then at random."]
            if named
            else []
        ),
        *sentences_on_entries,
        *read.summary,
        *(() if passed.any() else noted),
    ]
    return Measure(
        method="simulate_season",
        data=ratings.data,
        values={"fixtures": len(listed), "runs": each.number},
        frame=frame,
        summary=tuple(sentences),
        settings={
            "points": list(rule),
            "standings": had or None,
            "finish": {name: list(places) for name, places in wanted.items()} or None,
            "tie_breaks": list(named),
            "k": k,
            "home_advantage": home_advantage,
            "ties": ties,
            "runs": runs,
            "level": level,
            "rater": rater_of(ratings),
        },
        citations=("langville2012",),
        seed=each.seed,
        tables={"places": shares}
        | ({"standings": _each_run(ratings, league, out)} if keep_runs else {}),
    )


def _on_places(wanted: dict[str, tuple[int, int]]) -> list[str]:
    """What the columns of chances to finish count."""
    if not wanted:
        return []
    parts = [
        f"p_{name}: {f'place {low}' if low == high else f'places {low}–{high}'}"
        for name, (low, high) in wanted.items()
    ]
    return [f"Chances to finish: {', '.join(parts)}."]


def _each_run(ratings: Ratings, league: np.ndarray, out: np.ndarray) -> pl.DataFrame:
    """Points in every simulated season, a column per individual."""
    return pl.DataFrame({ratings.individuals[i]: out[:, j] for j, i in enumerate(league)})


def _one_season(listed: Fixtures) -> None:
    if listed.season is not None and len(set(listed.season)) > 1:
        raise DataError(
            f"The fixtures are of several seasons ({quoted(dict.fromkeys(listed.season))}). "
            f"Simulate one season at a time."
        )


@dataclass(frozen=True, eq=False)
class _Start:
    """Start of the simulated seasons: draws of ratings, their updates, and home advantages."""

    rating: np.ndarray  # (draws, individuals)
    spread: np.ndarray
    k: np.ndarray
    nu: np.ndarray
    ordered: bool
    drift: np.ndarray  # variance per fixture, and its limit
    limit: np.ndarray
    bonus: np.ndarray  # (draws, fixtures)
    boldness: float
    correction: float  # of k by the winner's lead
    home_in_update: bool
    curve: Curve
    summary: tuple[str, ...]


def _start(
    ratings: Ratings,
    listed: Fixtures,
    league: np.ndarray,
    k: float | None,
    read: Reading,
    home_advantage: Any,
    before: Ratings,
    passed: int,
    runs: Runs,
) -> _Start:
    if isinstance(ratings, SampledRatings):
        replay, slope = ratings.course.replay, ratings.curve.slope
        rating = replay.final[:, league]
        bonus = replay.home[:, None] / slope * listed.home
        moves = None
        if isinstance(ratings, Posterior) and replay.k.shape[1] == 2:  # one k for all contests
            moves = replay.k[:, 0] / slope
        nu = replay.nu
    else:
        rating = ratings.rating[None, league]
        bonus = ratings.bonus_at_home(listed.first, listed.second, listed.home)[None, :]
        own: Any = ratings.values.get("k", ratings.settings.get("k"))
        one = isinstance(own, int | float) and ratings.settings.get("outcome") != "points"
        moves = np.array([float(own)]) if one else None
        nu = np.array([ratings.values.get("nu") or 0.0])
        if isinstance(ratings, OrderRatings) and ratings.board is not None:
            rating = ratings.board.drawn(runs.number, runs.seed)
            newcomers = np.zeros((runs.number, len(ratings.individuals) - rating.shape[1]))
            rating = np.column_stack([rating, newcomers])[:, league]
            bonus = np.repeat(bonus, len(rating), axis=0)
            nu = np.repeat(nu, len(rating))
    sentences = []
    drift, limit = drift_of(ratings, len(rating))
    if k is not None:
        drift = np.zeros(len(rating))
        if not is_number(k) or k < 0:
            raise ArgumentError(f"k must be a finite number ≥ 0, not {k!r}.")
        moves = np.full(len(rating), float(k))
    elif moves is None and drift.any():
        sentences.append("Ratings drifted during the season as they did in the record.")
        moves = np.zeros(len(rating))
    elif moves is None and len(rating) > 1:
        sentences.append("Each season has abilities of its own, drawn by their uncertainty.")
        moves = np.zeros(len(rating))
    elif moves is None:
        sentences.append(
            "Ratings were held constant during the season: there is no single k based on wins."
        )
        moves = np.zeros(len(rating))
    elif ratings.settings.get("margin"):
        factor = mean_margin_factor(ratings)
        moves = moves * factor
        sentences.append(
            f"Margins are not simulated: k was multiplied by {factor:.3g}, the mean factor of the "
            f"margins in the record."
        )
    if home_advantage is not None:
        one = ratings.bonus_at_home(listed.first, listed.second, listed.home, home_advantage)
        bonus = np.broadcast_to(one, (len(rating), len(listed)))
    spread = np.zeros(len(league))
    if "rating_sd" in ratings.columns:
        spread = ratings.columns["rating_sd"][league]
    elif passed:
        spread += spread_between_seasons(before, passed)
        sentences.append(
            f"What is new in the strengths of a season was drawn at random (standard deviation "
            f"{spread[0]:.3g})."
        )
    return _Start(
        np.ascontiguousarray(rating),
        np.ascontiguousarray(spread),
        np.ascontiguousarray(moves),
        np.ascontiguousarray(nu if read.nu is None else np.full(len(rating), read.nu), dtype=float),
        read.nu is None and ratings.settings.get("ties") == "rao-kupper",
        drift,
        limit,
        np.ascontiguousarray(bonus, dtype=float),
        read.boldness,
        float(ratings.settings.get("margin_correction") or 0.0),
        bool(ratings.settings.get("home_in_update")),
        ratings.curve,
        tuple(sentences),
    )


def _play(
    start: _Start,
    listed: Fixtures,
    league: np.ndarray,
    table: kernel.Table,
    scores: kernel.Scores,
    runs: Runs,
) -> tuple[np.ndarray, np.ndarray]:
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

    fixtures = kernel.Fixtures(first, second, start.bonus, start.home_in_update)
    ratings = kernel.Ratings(
        start.rating,
        start.spread,
        start.k,
        start.nu,
        start.ordered,
        start.drift,
        start.limit,
        win_curve(start.curve),
        start.boldness,
        start.correction,
    )

    def work(begin: int, end: int) -> None:
        kernel.play(
            fixtures,
            ratings,
            table,
            scores,
            of_run[begin:end],
            key,
            begin,
            out[begin:end],
            counts[begin // BLOCK],
        )

    runs.do(work, BLOCK)
    return out, np.sum(counts, axis=0)


SIMILAR, FEWEST = 0.1, 20  # share and least number of past games that are similar to one to come


def _league_rules(
    ratings: Ratings,
    before: Ratings,
    league: np.ndarray,
    points: tuple[float, ...],
    had: np.ndarray,
    tie_breaks: Sequence[str] | None,
    standings: Any,
) -> tuple[kernel.Table, kernel.Scores, tuple[str, ...]]:
    """Points, tie-breaks with what is known of them so far, and the scores of past games."""
    data, size = before.data, len(league)
    if tie_breaks is None:
        tie_breaks = () if data.points is None else ("difference", "scored")
    named = tuple(several("tie_breaks", tie_breaks))
    for name in named:
        one_of("tie_breaks", name, TIE_BREAKS)
    if data.points is None and {"difference", "scored"} & set(named):
        raise DataError(
            f"{option_name('tie_breaks')}: the rated contests have no points, from which scores "
            f"are simulated. Use wins or head_to_head."
        )
    counts, head = np.zeros((3, size)), np.zeros((size, size))
    scores = kernel.Scores(np.zeros(0), np.zeros((0, 2)), np.zeros(0), 0)
    if not named:
        return kernel.Table(np.array(points), had, np.zeros(0, np.int64), counts, head), scores, ()
    drawn = drawn_of(data)
    if data.points is not None:
        chances = hindsight(before)
        least = limit_of(before)
        odds = np.log(np.maximum(chances.win, least) / np.maximum(chances.loss, least))[~drawn]
        upward = np.argsort(odds, kind="stable")
        decided = np.ascontiguousarray(data.points[~drawn][upward], float)
        similar = min(len(odds), max(FEWEST, int(SIMILAR * len(odds))))
        level = np.ascontiguousarray(data.points[drawn][:, 0], float)
        scores = kernel.Scores(np.ascontiguousarray(odds[upward]), decided, level, similar)
    if isinstance(standings, str) and data.season is not None:
        place = np.full(len(ratings.individuals), -1)
        place[league] = np.arange(size)
        own = data.season.codes == data.season.codes[-1]
        a, b = place[data.winner[own]], place[data.loser[own]]
        level = drawn[own]
        np.add.at(counts[kernel.WINS], a, ~level)
        np.add.at(head, (a, b), np.where(level, points[1], points[0]))
        np.add.at(head, (b, a), np.where(level, points[1], points[2]))
        if data.points is not None:
            for one, other, side in ((0, 1, a), (1, 0, b)):
                part = data.points[own]
                np.add.at(counts[kernel.DIFFERENCE], side, part[:, one] - part[:, other])
                np.add.at(counts[kernel.SCORED], side, part[:, one])
    codes = np.array([TIE_BREAKS.index(name) for name in named])
    return kernel.Table(np.array(points), had, codes, counts, head), scores, named


def _tables(
    names: list[str], out: np.ndarray, places: np.ndarray, level: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    ends = [0.5 - level / 2, 0.5 + level / 2]
    share = places / len(out)
    steps = np.arange(1.0, len(names) + 1)
    reached = np.cumsum(share, axis=1)
    low, high = np.quantile(out, ends, axis=0)
    frame = pl.DataFrame(
        {
            "individual": names,
            "p_title": share[:, 0],
            "points": out.mean(axis=0),
            "points_low": low,
            "points_high": high,
            "place": share @ steps,
            "place_low": 1 + (reached < ends[0]).sum(axis=1),
            "place_high": 1 + (reached < ends[1] - 1e-12).sum(axis=1),
        }
    )
    order = np.lexsort((np.arange(len(names)), share @ steps))
    listed = pl.DataFrame(
        {
            "individual": [names[i] for i in order for _ in names],
            "place": [place for _ in order for place in range(1, len(names) + 1)],
            "share": share[order].ravel(),
        }
    )
    return frame[order], listed


POINTS = ("points", "pts", "score")


def points_so_far(
    ratings: Ratings, standings: Any, points: tuple[float, ...]
) -> tuple[dict[str, float], list[str]]:
    """Points of rated sides by name, and sentences for the summary."""
    data = ratings.data
    if standings is None:
        if data.season is None:
            return {}, []
        last = data.season.names[data.season.codes[-1]]
        return {}, [
            f"All sides start from 0 points; {option('standings', 'season')} adds the points of "
            f"season {last}."
        ]
    if isinstance(standings, str) and standings == "season":
        return _of_last_season(data, points), []
    if not isinstance(standings, Mapping):
        standings = _table_of_points(standings)
    had = {}
    for name, value in standings.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise ArgumentError(f'Standings must be numbers; check "{name}".')
        if not is_number(value):
            raise ArgumentError(f'Standings must be finite numbers; check "{name}".')
        had[str(name)] = float(value)
    unknown = [name for name in had if name not in set(ratings.individuals)]
    if unknown:
        raise DataError(
            f"{option_name('standings')}: {quoted(unknown)} took part in no contest."
            f"{did_you_mean(unknown, ratings.individuals)}"
        )
    return had, []


def _of_last_season(data: Contests, points: tuple[float, ...]) -> dict[str, float]:
    """Points won in the last season."""
    if data.season is None:
        raise DataError(f"These data have no seasons. Name their column: {option('season')}.")
    own = data.season.codes == data.season.codes[-1]
    drawn = drawn_of(data)[own]
    had = np.zeros(len(data.individuals))
    np.add.at(had, data.winner[own], np.where(drawn, points[1], points[0]))
    np.add.at(had, data.loser[own], np.where(drawn, points[1], points[2]))
    played = np.unique([data.winner[own], data.loser[own]])
    return {data.individuals[i]: float(had[i]) for i in played}


def _table_of_points(source: Any) -> dict[str, float]:
    """Points by name, from a sheet with two columns."""
    sheet = open_sheet(source)
    numbers = [c for c in sheet.columns if sheet.column(c).dtype.is_numeric() or fits(c, POINTS)]
    names = [c for c in sheet.columns if c not in numbers]
    if len(numbers) != 1 or len(names) != 1:
        raise DataError(
            f"{sheet.name}: standings need a sheet with two columns, names and points. Columns "
            f"found: {quoted(sheet.columns)}."
        )
    values = sheet.column(numbers[0]).cast(pl.Float64, strict=False)
    lost = np.flatnonzero(values.is_null().to_numpy())
    if lost.size:
        raise DataError(
            f'{sheet.where(lost)}: the points in column "{numbers[0]}" are not numbers.'
        )
    who = sheet.texts(names[0])
    return dict(zip(who.to_list(), values.to_list(), strict=True))


def checked_points(points: Any) -> tuple[float, ...]:
    """Points for a win, a tie and a loss."""
    numbers = as_numbers(points)
    if numbers is None or numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise ArgumentError(
            f"{option_name('points')} must be three numbers, for a win, a tie and a loss, not "
            f"{points!r}."
        )
    return tuple(numbers.tolist())


SPREAD, DRIFT, RETURNING = 0, 2, 3  # columns of the table of filters


def drift_of(ratings: Ratings, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Variance of drift per contest, and its limit, for each draw of the final ratings."""
    if not isinstance(ratings, DynamicRatings | AdaptiveRatings):
        return np.zeros(draws), np.full(draws, np.inf)
    replay: Any = ratings.course.replay
    own = replay.bank.table[replay.filters]
    limit = np.where(own[:, RETURNING] > 0, own[:, SPREAD] ** 2, np.inf)
    scale = ratings.curve.slope**2
    return np.ascontiguousarray(own[:, DRIFT] / scale), np.ascontiguousarray(limit / scale)


def spread_between_seasons(ratings: Ratings, seasons: int) -> float:
    """Standard deviation of what is new in strengths, beyond the uncertainty v that k implies.

    Strengths vary by σ² = Var(ratings) + v. A new season has c²v + (1 − c²)σ², of which v is in the
    moves by k, and the remainder is (1 − c²) Var(ratings).
    """
    carried = float(ratings.settings["carry_over"]) ** (2 * seasons)
    return float(np.sqrt((1 - carried) * np.nanvar(ratings.rating)))


def mean_margin_factor(ratings: Ratings) -> float:
    """Mean factor on k by the margins of the rated contests."""
    replay: Any = ratings.course.replay
    points = replay.data.points
    return float(margin_factors(replay.settings.margin, points).mean())
