"""Simulated seasons: probabilities of titles and of final places.

How strengths vary in seasons to come: drift within a season, and what is new in the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import Curve
from peckorder.data.user_tables import Fixtures
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.knockout import Playoffs, divisions_of
from peckorder.evaluation.league import (
    TIE_BREAKS,
    checked_points,
    finish_columns,
    finish_ranges,
    in_last_season,
    points_so_far,
)
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
from peckorder.results.chances import Chances, Reading, drawn_of, limit_of, reading
from peckorder.results.samples import SampledRatings
from peckorder.text import counted, option_name, quoted
from peckorder.text import listed as listed_words
from peckorder.validate import between_0_and_1, not_negative, one_of, several, true_or_false

BLOCK = 250


def simulate_season(
    ratings: Ratings,
    *,
    fixtures: Any,
    points: tuple[float, float, float] = (1.0, 0.5, 0.0),
    standings: Any = None,
    finish: Mapping[str, int | tuple[int, int]] | None = None,
    divisions: Any = None,
    playoffs: int | Mapping[str, int] | None = None,
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
        the last season of the rated contests (of all of them, if they have no seasons).
    finish : mapping of names to places, optional
        Adds a column per name, as `finish_chances` does: {"playoffs": 7, "relegated": -3} are the
        best seven and the last three, and a pair is a range of places.
    divisions : mapping or sheet, optional
        Division of each side, by name or as a sheet with two columns. Adds p_division, the chance
        of the best place of the division.
    playoffs : number of sides or mapping of rules, optional
        A knock-out after each simulated season, by the strengths at its end. A mapping has any of
        the rules `size` (number of sides), `leaders` (the best so many of each division are seeded
        first, default 1; the others are wild cards), `best_of` (games, default 1), `hosts` (1: the
        better seed is at home, in the larger half of a series, default; 0: neutral venues) and
        `reseed` (1: in each round the best meets the last; default 0). Adds p_playoffs, p_round_1
        and so on, and p_champion; the best seeds have byes if the size is no power of two.
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
        place_low, place_high, and the columns of `finish`, `divisions` and `playoffs`. `places`:
        the share of simulated seasons in which each side finished in each place (`finish_chances`
        sums them up).

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
    names = [ratings.individuals[i] for i in league]
    division = None if divisions is None else divisions_of(divisions, names)
    number = len(set(division.values())) if division else 0
    rules = None if playoffs is None else Playoffs.of(playoffs, len(names), number)
    kept = division is not None or rules is not None
    played = _play(start, listed, league, table, scores, each, keep=kept)
    out, places = played.points, played.places
    frame, shares = _tables(names, out, places, level)
    frame = frame.with_columns(finish_columns(shares, wanted, prefix="p_"))
    code = None
    if division is not None:
        code = np.unique([division[name] for name in names], return_inverse=True)[1]
        own = _joined(frame, names, _first_of_divisions(played.finish, code))
        labels = pl.Series([division[name] for name in frame["individual"]])
        frame = frame.with_columns(division=labels, p_division=own)
    if rules is not None:
        seeds = rules.seeds(played.finish, code)
        modeled = read.nu is None  # by the rater, as in `bracket`
        chance = _chance_in_playoffs(ratings, start, played, league, home_advantage, ties=modeled)
        rounds = rules.play(seeds, chance, np.random.default_rng([each.seed, 3]))
        labels = ["playoffs", *(f"round_{i + 1}" for i in range(len(rounds) - 1)), "champion"]
        for label, who in zip(labels, [seeds, *rounds], strict=True):
            share = np.bincount(who.ravel(), minlength=len(names)) / each.number
            frame = frame.with_columns(_joined(frame, names, share).alias(f"p_{label}"))
    top = frame.row(0, named=True)
    sentences = [
        f"{top['individual']} finishes first in {top['p_title']:.0%} of "
        f"{counted(each.number, 'simulated season')}.",
        *_on_places(wanted),
        *([] if rules is None else [_on_playoffs(frame, rules, number)]),
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
            "divisions": division,
            "playoffs": None if rules is None else asdict(rules),
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


def _on_playoffs(frame: pl.DataFrame, rules: Playoffs, divisions: int) -> str:
    best = frame.row(int(frame["p_champion"].arg_max() or 0), named=True)
    return (
        f"{rules.sentence(divisions)} {best['individual']} wins them in {best['p_champion']:.0%} "
        f"of the simulated seasons."
    )


def _joined(frame: pl.DataFrame, names: list[str], values: np.ndarray) -> pl.Series:
    """Values in the order of `names` as a column of the table."""
    at = {name: i for i, name in enumerate(names)}
    return pl.Series(values[[at[name] for name in frame["individual"]]])


def _first_of_divisions(finish: np.ndarray, division: np.ndarray) -> np.ndarray:
    """Share of seasons in which each side has the best place of its division."""
    first = np.empty(finish.shape[1])
    for one in np.unique(division):
        own = np.flatnonzero(division == one)
        best = np.argmin(finish[:, own], axis=1)
        first[own] = np.bincount(best, minlength=len(own)) / len(finish)
    return first


def _chance_in_playoffs(
    ratings: Ratings,
    start: _Start,
    played: _Played,
    league: np.ndarray,
    home_advantage: Any,
    *,
    ties: bool,
) -> Any:
    """Probability that sides win a game by the strengths at the end; a tie is won by a coin."""
    size, seasons = len(league), np.arange(len(played.ended))[:, None]
    a, b = (grid.ravel() for grid in np.meshgrid(league, league, indexing="ij"))
    nu = start.ratings.nu[played.draw][:, None] * ties
    rule = "rao-kupper" if start.ratings.ordered else None
    # Whether all sides of a draw have the same advantage at home.
    shared = home_advantage is None and isinstance(ratings, SampledRatings)

    def bonus(one: np.ndarray, other: np.ndarray, home: float) -> np.ndarray:
        if shared:
            side = np.array([home])
            return _bonus_at_home(ratings, a[:1], b[:1], side, None)[played.draw]
        side = np.full(len(a), home)
        found = _bonus_at_home(ratings, a, b, side, home_advantage)
        return found.reshape(size, size)[one, other]

    def chance(one: np.ndarray, other: np.ndarray, home: float) -> np.ndarray:
        ahead = played.ended[seasons, one] - played.ended[seasons, other]
        ahead = ahead + (bonus(one, other, home) if home else 0.0)
        expected = Chances.decided(np.asarray(start.curve(ahead)), ahead)
        return Reading(boldness=start.ratings.boldness).of(expected).with_draws(nu, rule).expected

    return chance


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

    ratings: kernel.Ratings
    bonus: np.ndarray  # (draws, fixtures)
    home_in_update: bool
    curve: Curve
    summary: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Played:
    """Simulated seasons: points, how often each side had each place, and how each season ended."""

    points: np.ndarray  # (seasons, sides)
    places: np.ndarray  # (sides, places)
    finish: np.ndarray  # place from 0 on, (seasons, sides); empty if it was not kept
    ended: np.ndarray  # rating at the end, likewise
    draw: np.ndarray  # of the ratings, from which a season started


def _bonus_at_home(
    ratings: Ratings, first: np.ndarray, second: np.ndarray, home: np.ndarray, given: Any
) -> np.ndarray:
    """Points added to the first side, (draws, fixtures); one row if all draws have the same."""
    if given is None and isinstance(ratings, SampledRatings):
        return ratings.course.replay.home[:, None] / ratings.curve.slope * home
    return ratings.bonus_at_home(first, second, home, given)[None, :]


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
        moves = None
        if isinstance(ratings, Posterior) and replay.k.shape[1] == 2:  # one k for all contests
            moves = replay.k[:, 0] / slope
        nu = replay.nu
    else:
        rating = ratings.rating[None, league]
        own: Any = ratings.values.get("k", ratings.settings.get("k"))
        one = isinstance(own, int | float) and ratings.settings.get("outcome") != "points"
        moves = np.array([float(own)]) if one else None
        nu = np.array([ratings.values.get("nu") or 0.0])
        if isinstance(ratings, OrderRatings) and ratings.board is not None:
            rating = ratings.board.drawn(runs.number, runs.seed)
            newcomers = np.zeros((runs.number, len(ratings.individuals) - rating.shape[1]))
            rating = np.column_stack([rating, newcomers])[:, league]
            nu = np.repeat(nu, len(rating))
    sentences = []
    drift, limit = drift_of(ratings, len(rating))
    if k is not None:
        drift = np.zeros(len(rating))
        moves = np.full(len(rating), not_negative("k", k))
    elif moves is None:
        moves = np.zeros(len(rating))
        constant = (
            "Ratings were held constant during the season: there is no single k based on wins."
        )
        if drift.any():
            constant = "Ratings drifted during the season as they did in the record."
        elif len(rating) > 1:
            constant = "Each season has abilities of its own, drawn by their uncertainty."
        sentences.append(constant)
    elif ratings.settings.get("margin"):
        factor = mean_margin_factor(ratings)
        moves = moves * factor
        sentences.append(
            f"Margins are not simulated: k was multiplied by {factor:.3g}, the mean factor of the "
            f"margins in the record."
        )
    sides = listed.first, listed.second, listed.home
    bonus = _bonus_at_home(ratings, *sides, home_advantage)
    bonus = np.broadcast_to(bonus, (len(rating), len(listed)))
    spread = np.zeros(len(league))
    if "rating_sd" in ratings.columns:
        spread = ratings.columns["rating_sd"][league]
    elif passed:
        spread += spread_between_seasons(before, passed)
        sentences.append(
            f"What is new in the strengths of a season was drawn at random (standard deviation "
            f"{spread[0]:.3g})."
        )
    begin = kernel.Ratings(
        np.ascontiguousarray(rating),
        np.ascontiguousarray(spread),
        np.ascontiguousarray(moves),
        np.ascontiguousarray(nu if read.nu is None else np.full(len(rating), read.nu), dtype=float),
        read.nu is None and ratings.settings.get("ties") == "rao-kupper",
        drift,
        limit,
        win_curve(ratings.curve),
        read.boldness,
        float(ratings.settings.get("margin_correction") or 0.0),
    )
    return _Start(
        begin,
        np.ascontiguousarray(bonus, dtype=float),
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
    *,
    keep: bool,
) -> _Played:
    first, second = (
        np.searchsorted(league, side).astype(np.int64) for side in (listed.first, listed.second)
    )
    size = len(league)
    out = np.empty((runs.number, size))
    counts = [np.zeros((size, size), np.int64) for _ in range(0, runs.number, BLOCK)]
    draws = len(start.ratings.rating)
    of_run = np.arange(runs.number) % draws
    if draws > runs.number:
        of_run = np.linspace(0, draws - 1, runs.number).astype(np.int64)
    key = runs.key()
    kept = runs.number if keep else 0
    finish, ended = np.empty((kept, size), np.int64), np.empty((kept, size))
    fixtures = kernel.Fixtures(first, second, start.bonus, start.home_in_update)

    def work(begin: int, end: int) -> None:
        kernel.play(
            fixtures,
            start.ratings,
            table,
            scores,
            of_run[begin:end],
            key,
            begin,
            out[begin:end],
            counts[begin // BLOCK],
            finish[begin:end],
            ended[begin:end],
        )

    runs.do(work, BLOCK)
    return _Played(out, np.sum(counts, axis=0), finish, ended, of_run)


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
    if isinstance(standings, str) and standings == "season":
        place = np.full(len(ratings.individuals), -1)
        place[league] = np.arange(size)
        own = in_last_season(data)
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
