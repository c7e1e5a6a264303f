"""Standings: chances of final places, league tables with tie-breaks, and points so far.

Small functions on what a season gives. Chances of a title, of playoffs or of relegation are sums of
the chances of places. A league table is sorted by points and then by tie-breaks, in the order in
which they are named.

Rating trajectories: the areas under them, and how often one is above another.

Regression of the share of contests won on ratings (Langville & Meyer 2012, chapter 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import fits
from peckorder.data.contests import Contests
from peckorder.data.date_columns import moment
from peckorder.data.read import Data, opened_contests
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.evaluation.scoring import rated, rater_of
from peckorder.results import Measure, Ratings
from peckorder.results.chances import drawn_of
from peckorder.tables import native
from peckorder.text import did_you_mean, either, option, option_name, quoted
from peckorder.validate import as_numbers, is_number, one_of, several

TIE_BREAKS = ("difference", "scored", "wins", "head_to_head")


def finish_chances(season: Measure, **places: int | tuple[int, int]) -> Any:
    """Chances to finish in some places of simulated seasons: title, playoffs, relegation.

    Parameters
    ----------
    season : Measure, of `simulate_season`
    places : names with numbers
        A positive number counts from the top (`title=1`, `playoffs=7`: the best seven), a negative
        one from the bottom (`relegated=-3`), and a pair is a range (`cup=(5, 6)`).

    Returns
    -------
    DataFrame
        individual and a column per name, in the order of the season's table.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> fixtures = [("b", "c"), ("c", "d"), ("d", "b")]
    >>> found = po.sport.simulate_season(ratings, fixtures=fixtures, runs=2000, seed=1)
    >>> chances = po.sport.finish_chances(found, title=1, last=-1, not_last=(1, 2))
    >>> chances.columns, round(chances["title"].sum(), 6)
    (['individual', 'title', 'last', 'not_last'], 1.0)
    """
    if getattr(season, "method", None) != "simulate_season":
        raise ArgumentTypeError(
            "finish_chances takes the result of peckorder.sport.simulate_season."
        )
    if not places:
        raise ArgumentError("Name the places: finish_chances(season, title=1, relegated=-3).")
    listed = pl.DataFrame(season.tables["places"])
    names = listed["individual"].unique(maintain_order=True)
    wanted = finish_ranges(places, len(names))
    return native(pl.DataFrame([names, *finish_columns(listed, wanted)]), season.data.flavor)


def finish_ranges(finish: Any, size: int) -> dict[str, tuple[int, int]]:
    """First and last place of each name, of a league of this size."""
    if not isinstance(finish, Mapping):
        raise ArgumentTypeError(
            f"{option_name('finish')} must give places by name, such as "
            f'{{"playoffs": 7, "relegated": -3}}, not {finish!r}.'
        )
    return {str(name): _range(str(name), wanted, size) for name, wanted in finish.items()}


def finish_columns(
    places: pl.DataFrame, wanted: Mapping[str, tuple[int, int]], prefix: str = ""
) -> list[pl.Series]:
    """Chances to finish in ranges of places, from the shares of all places in long form."""
    size = places["individual"].n_unique()
    share = places["share"].to_numpy().reshape(size, size)
    return [
        pl.Series(prefix + name, share[:, low - 1 : high].sum(axis=1))
        for name, (low, high) in wanted.items()
    ]


def _range(name: str, wanted: Any, size: int) -> tuple[int, int]:
    whole: list[Any] = list(wanted) if isinstance(wanted, tuple | list) else [wanted]
    fits = all(isinstance(p, int | np.integer) and not isinstance(p, bool) for p in whole)
    fits = fits and all(1 <= abs(int(p)) <= size for p in whole)
    if fits and len(whole) == 1:
        place = int(whole[0])
        return (1, place) if place > 0 else (size + place + 1, size)
    if fits and len(whole) == 2 and 0 < whole[0] <= whole[1]:
        return int(whole[0]), int(whole[1])
    raise ArgumentError(
        f"{name}={wanted!r}: give a place from 1 to {size}, a negative number counted from the "
        f"bottom, or a range such as {either(f'(1, {size})', f'1:{size}')}."
    )


def league_table(
    data: Data,
    *,
    points: tuple[float, float, float] = (3.0, 1.0, 0.0),
    tie_breaks: Sequence[str] = ("difference", "scored"),
    individuals: Sequence[str] | None = None,
) -> Any:
    """The table of a league: points, and equal points ordered by tie-breaks.

    Parameters
    ----------
    data : Contests
    points : for a win, a draw and a loss.
    tie_breaks : any of "difference", "scored" (both need points of games), "wins", "head_to_head"
        Used one after the other. "head_to_head": points from the games among those that are equal
        so far. Sides that remain equal share a place.
    individuals : names, optional
        Only these and the games among them, as in a group of a tournament.

    Returns
    -------
    DataFrame
        place, individual, games, wins, draws, losses, (scored, conceded, difference,) points.

    Examples
    --------
    >>> import peckorder as po
    >>> games = po.read({"home": ["A", "B", "C"], "away": ["B", "C", "A"],
    ...                  "home_goals": [1, 2, 3], "away_goals": [0, 0, 0]})
    >>> po.sport.league_table(games).select("place", "individual", "points", "difference").rows()
    [(1, 'C', 3.0, 1.0), (2, 'B', 3.0, 1.0), (3, 'A', 3.0, -2.0)]
    """
    data = opened_contests(data, "sport.league_table")
    rule = np.array(checked_points(points))
    tie_breaks = several("tie_breaks", tie_breaks)
    for name in tie_breaks:
        one_of("tie_breaks", name, TIE_BREAKS)
    if data.points is None and {"difference", "scored"} & set(tie_breaks):
        tie_breaks = _without_scores(tie_breaks)
    names = data.individuals if individuals is None else several("individuals", individuals)
    codes = np.array([data.code(name) for name in names], int)
    own = np.isin(data.winner, codes) & np.isin(data.loser, codes)
    games = _Games(data, own, rule)
    table = games.table(codes)
    order = _ordered(games, codes, table, tuple(tie_breaks))
    place, rows = 0, []
    for tied in order:
        rows += [
            {"place": place + 1, "individual": data.individuals[codes[i]]}
            | {column: values[i] for column, values in table.items()}
            for i in tied
        ]
        place += len(tied)
    return native(pl.DataFrame(rows), data.flavor)


def _without_scores(tie_breaks: Sequence[str]) -> Sequence[str]:
    if tuple(tie_breaks) == ("difference", "scored"):  # the default
        return ()
    raise DataError(
        f"{quoted([t for t in tie_breaks if t in ('difference', 'scored')])}: these contests have "
        f"no points. Use other tie-breaks: {quoted(TIE_BREAKS[2:])}."
    )


class _Games:
    """Games that count for a table."""

    def __init__(self, data: Contests, own: np.ndarray, rule: np.ndarray):
        self.winner, self.loser = data.winner[own], data.loser[own]
        self.drawn, self.rule = drawn_of(data)[own], rule
        self.scores = None if data.points is None else data.points[own]

    def table(self, codes: np.ndarray, among: bool = False) -> dict[str, np.ndarray]:
        """Columns of the table; with `among`, from the games among these sides only."""
        size = int(max(self.winner.max(initial=0), self.loser.max(initial=0), codes.max())) + 1
        keep = np.ones(len(self.winner), bool)
        if among:
            keep = np.isin(self.winner, codes) & np.isin(self.loser, codes)
        won, lost = self.winner[keep], self.loser[keep]
        drawn = self.drawn[keep]

        def count(who: np.ndarray, weight: np.ndarray) -> np.ndarray:
            return np.bincount(who, weights=weight, minlength=size)[codes]

        wins, losses = count(won, ~drawn), count(lost, ~drawn)
        draws = count(won, drawn) + count(lost, drawn)
        out: dict[str, np.ndarray] = {
            "games": (wins + draws + losses).astype(int),
            "wins": wins.astype(int),
            "draws": draws.astype(int),
            "losses": losses.astype(int),
        }
        if self.scores is not None:
            scores = self.scores[keep]
            scored = count(won, scores[:, 0]) + count(lost, scores[:, 1])
            conceded = count(won, scores[:, 1]) + count(lost, scores[:, 0])
            out |= {"scored": scored, "conceded": conceded, "difference": scored - conceded}
        out["points"] = wins * self.rule[0] + draws * self.rule[1] + losses * self.rule[2]
        return out


def _ordered(
    games: _Games, codes: np.ndarray, table: dict[str, np.ndarray], tie_breaks: tuple[str, ...]
) -> list[list[int]]:
    """Sets of equal sides from the first place to the last."""
    sets = _split(list(range(len(codes))), table["points"])
    for rule in tie_breaks:
        finer = []
        for tied in sets:
            if len(tied) == 1:
                finer.append(tied)
                continue
            values = table.get(rule)
            if rule == "head_to_head":
                values = np.zeros(len(codes))
                values[tied] = games.table(codes[tied], among=True)["points"]
            finer += _split(tied, np.asarray(values))
        sets = finer
    return sets


def _split(members: list[int], values: np.ndarray) -> list[list[int]]:
    found = sorted({float(values[i]) for i in members}, reverse=True)
    return [[i for i in members if float(values[i]) == value] for value in found]


POINTS = ("points", "pts", "score")


def points_so_far(
    ratings: Ratings, standings: Any, points: tuple[float, ...]
) -> tuple[dict[str, float], list[str]]:
    """Points of rated sides by name, and sentences for the summary."""
    data = ratings.data
    of = "all rated contests, which have no seasons"
    if data.season is not None:
        of = f"season {data.season.names[data.season.codes[-1]]}"
    if standings is None:
        adds = option("standings", "season")
        return {}, [f"All sides start from 0 points; {adds} adds the points of {of}."]
    if isinstance(standings, str) and standings == "season":
        said = [] if data.season is not None else [f"Points so far are those of {of}."]
        return _of_last_season(data, points), said
    if not isinstance(standings, Mapping):
        standings = _table_of_points(standings)
    had = {}
    for name, value in standings.items():
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


def in_last_season(data: Contests) -> np.ndarray:
    """Whether each contest is of the last season; without seasons, all are."""
    codes = np.zeros(len(data.winner)) if data.season is None else data.season.codes
    return codes == codes[-1]


def _of_last_season(data: Contests, points: tuple[float, ...]) -> dict[str, float]:
    """Points won in the last season."""
    own = in_last_season(data)
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


MOST_COMPARED = 4  # individuals whose pairs are compared in the summary


def areas(ratings: Ratings, *, individuals: Sequence[str] | None = None) -> Measure:
    """Rating trajectories, the area under each, and how often one is above another.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    individuals : names; all individuals by default.

    Returns
    -------
    Measure
        Table, largest area first: individual, contests (its own), area (under its ratings before
        the first and after each of its own contests, by the trapezoidal rule), mean (of these
        ratings), area_all (over all contests in the data). `above`: among the contests after
        which both individuals are rated, the share after which the first is rated strictly above
        the second. `trajectories`: the rating of each at its start and after each change.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.areas(po.elo(po.datasets.adv(), k=200), individuals=["b", "c"])
    >>> found.table["individual"].to_list(), round(found.above["b"]["c"], 2)
    (['c', 'b'], 0.27)
    """
    rated(ratings, "sport.areas")
    data = ratings.data
    wanted = ratings.everyone if individuals is None else several("individuals", individuals)
    names = list(dict.fromkeys(map(str, wanted)))
    if not names:
        raise ArgumentError(
            f"{option_name('individuals')} is empty: name at least one, or omit it to use all."
        )
    codes = np.array([ratings.code(name) for name in names])
    course = ratings.course.replay.after_each(codes)
    rows, paths = [], []
    for name, rating in zip(names, course.T, strict=True):
        own = ratings.course.own_path(ratings.code(name))
        seen = rating[~np.isnan(rating)]
        rows.append(
            {
                "individual": name,
                "contests": max(0, len(own) - 1),
                "area": float(np.trapezoid(own)),
                "mean": float(own.mean()) if len(own) else None,
                "area_all": float(np.trapezoid(seen)),
            }
        )
        path = ratings.trajectory_frame(name, course=rating.copy())
        paths.append(path.select(pl.lit(name).alias("individual"), pl.all()))
    above = _above(names, course[1:])
    frame = pl.DataFrame(rows).sort("area", descending=True, maintain_order=True)
    top = frame.row(0, named=True)
    sentences = []
    if len(names) > 1:
        sentences.append(
            f"{top['individual']} has the largest area, {top['area']:,.1f} over its contests."
        )
    for one, other in combinations(names, 2) if len(names) <= MOST_COMPARED else ():
        share = above[one][other]
        if share is not None:
            sentences.append(f"{one} was rated above {other} after {share:.0%} of the contests.")
    return Measure(
        method="areas",
        data=data,
        values={"above": above} if len(names) > 1 else {},
        frame=frame,
        summary=tuple(sentences),
        tables={"trajectories": pl.concat(paths, how="vertical_relaxed")},
        settings={"individuals": names, "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )


def _above(names: list[str], course: np.ndarray) -> dict[str, dict[str, float | None]]:
    """Among contests after which both are rated, the share after which one is rated higher."""
    above: dict[str, dict[str, float | None]] = {}
    for i, name in enumerate(names):
        with np.errstate(invalid="ignore"):
            higher = (course[:, i, None] > course).sum(axis=0)
        both = (~np.isnan(course[:, i, None]) & ~np.isnan(course)).sum(axis=0)
        above[name] = {
            other: float(higher[j] / both[j]) if both[j] else None
            for j, other in enumerate(names)
            if j != i
        }
    return above


def win_share(ratings: Ratings, *, until: object = None) -> Measure:
    """Linear regression of the share of contests won on the final ratings.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    until : date or contest number, optional
        Count wins up to this day only (for example, a regular season without the playoffs).

    Returns
    -------
    Measure
        Table: individual, rating, contests, share (wins and half the ties), fitted, residual.
        Values: `correlation`, `slope`, `intercept`, `mad` (mean absolute residual), `mse` (mean
        squared residual), `individuals` (number of individuals with contests in that time).

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.win_share(po.elo(po.datasets.adv(), k=200))
    >>> round(found.correlation, 3), round(found.mad, 3)
    (0.944, 0.073)
    """
    rated(ratings, "sport.win_share")
    data = ratings.data
    last = len(data)
    if until is not None:
        last = int(np.searchsorted(data.times, moment(until, data.times), side="right"))
        if last == 0:
            raise ArgumentError(
                f"{option('until', str(until))} is before the first contest. Choose a later date."
            )
    drawn = drawn_of(data)[:last]
    size = len(data.individuals)
    won = np.bincount(data.winner[:last], weights=np.where(drawn, 0.5, 1.0), minlength=size)
    won += np.bincount(data.loser[:last], weights=np.where(drawn, 0.5, 0.0), minlength=size)
    contests = np.bincount(data.winner[:last], minlength=size)
    contests += np.bincount(data.loser[:last], minlength=size)
    own = np.flatnonzero(contests)
    own = own[np.argsort(-ratings.rating[own], kind="stable")]
    rating, share = ratings.rating[own], won[own] / contests[own]
    if np.ptp(rating) == 0:
        raise DataError("All ratings are equal, so the regression line is not identifiable.")
    slope, intercept = np.polyfit(rating, share, 1)
    fitted = intercept + slope * rating
    residual = share - fitted
    flat = np.ptp(share) == 0
    values = {
        "correlation": None if flat else float(np.corrcoef(rating, share)[0, 1]),
        "slope": float(slope),
        "intercept": float(intercept),
        "mad": float(np.abs(residual).mean()),
        "mse": float((residual**2).mean()),
        "individuals": len(own),
    }
    frame = pl.DataFrame(
        {
            "individual": [data.individuals[i] for i in own],
            "rating": rating,
            "contests": contests[own],
            "share": share,
            "fitted": fitted,
            "residual": residual,
        }
    )
    correlation = "" if flat else f", correlation {values['correlation']:.4f}"
    sentence = (
        f"Share won = {intercept:.4g} + {slope:.5g} × rating (mean absolute residual "
        f"{values['mad']:.4f}{correlation})."
    )
    return Measure(
        method="win_share",
        data=data,
        values=values,
        frame=frame,
        summary=(sentence,),
        settings={"until": None if until is None else str(until), "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )
