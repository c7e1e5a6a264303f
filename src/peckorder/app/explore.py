"""The figures of the screen Explore: ranking, ratings over time, win matrix and structure.

All numbers are those of the public functions. What is sent is what can be seen: lines are thinned
to as many points as they have pixels, and a matrix is sent as its cells that are not zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import polars as pl

import peckorder as po
from peckorder.app.errors import in_words
from peckorder.app.settings import Settings
from peckorder.data.date_columns import date_column
from peckorder.errors import DataError, PeckorderError
from peckorder.reporting.page import packed_columns
from peckorder.tables import as_polars, plain

PARTS = ("ranking", "lines", "matrix", "structure", "accuracy", "strip")
MOST_LINES = 60
MOST_POINTS = 2_000
MOST_TRACKED = 1_000_000  # individuals times contests; above, intervals are a question of Answer
MOST_GROUPS = 24
MOST_TESTED = 60  # individuals; above, linearity takes longer than a look
RUNS, SEED = 200, 1  # random orders if the order of contests is not known
BINS = 120
WIDEST, CURVE_POINTS = 800.0, 161  # of the curve of expected scores, in points of rating


def quiet(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function of the library; its warnings are shown as checks of the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def uninformative(contests: Any) -> str:
    """Why no rank order follows from these contests; an empty text if one does."""
    number = len(contests)
    if len(contests.individuals) < 2 or number == 0:
        return "There is no contest between two individuals."
    if contests.draw is not None and bool(contests.draw.all()):
        return f"All {number:,} contests are ties: without a winner, no rank order follows."
    if number == 1:
        return "There is one contest: it says who won it, and nothing about ranks."
    return ""


def shown(part: Callable[[], Any], contests: Any = None) -> Any:
    """What a panel shows, or why it cannot, in its own place."""
    try:
        why = "" if contests is None else uninformative(contests)
        return {"why": why} if why else part()
    except PeckorderError as error:
        return {"why": in_words(str(error))}


def contests_of(data: Any, settings: Settings) -> tuple[Any, str | None]:
    """The contests of the chosen group, and its name; all if there is one group."""
    names = () if data.group is None else data.group.names
    if len(names) < 2:
        return data, None
    group = settings.group if settings.group in names else names[0]
    return data.filter(group=group), group


def rated(contests: Any, settings: Settings) -> Any:
    """The Elo ratings; averaged over random orders if the order of contests is not known."""
    contests = basis(contests, settings)
    arguments = settings.elo(contests)
    if contests.ordered:
        return quiet(po.elo, contests, **arguments)
    arguments.pop("home_advantage", None)
    return quiet(po.randomized_elo, contests, runs=RUNS, seed=SEED, **arguments)


def first_order(contests: Any) -> list[str]:
    """Names in the order of a ranking with the usual settings, which fixes their colors."""
    return rated(contests, Settings()).as_polars()["individual"].to_list()


def within(contests: Any, settings: Settings) -> Any:
    """The contests of the window."""
    if settings.since is None and settings.until is None:
        return contests
    start, end = (_moment(contests, value) for value in (settings.since, settings.until))
    return contests.filter(start=start, end=end)


def basis(contests: Any, settings: Settings) -> Any:
    """The contests on which ratings rest: all, or those of the window if it limits them."""
    return within(contests, settings) if settings.restarts else contests


def date_of(contests: Any, settings: Settings) -> Any:
    """The date of the ranking; none if it is before the window in which everybody restarts."""
    at, since = (_moment(contests, value) for value in (settings.at, settings.since))
    return None if settings.restarts and None not in (at, since) and at < since else at


def _moment(contests: Any, value: str | None) -> Any:
    """A date as text or, where contests have numbers instead, as a number."""
    if value is None or contests.times.dtype.kind == "M":
        return value
    return float(value)


def pictures(
    contests: Any,
    settings: Settings,
    order: list[str],
    parts: Collection[str],
    points: int,
    follow: str | None,
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _, make: make(),
) -> dict[str, Any]:
    """What the screen shows with these settings; names are places in `order`.

    `keep` remembers what does not depend on the settings of ratings, by name.
    """
    place = {name: i for i, name in enumerate(order)}
    ratings = rated(contests, settings)
    try:
        seen, lost = keep("seen", lambda: within(contests, settings)), ""
    except DataError as error:  # no contest in the window
        seen, lost = contests.take([]), in_words(str(error))
    answer: dict[str, Any] = {
        "names": order,
        "contests": len(contests),
        "ordered": contests.ordered,
        "method": "elo" if contests.ordered else "randomized_elo",
        "home": contests.home is not None,
        "span": span(contests),
        "dated": contests.times.dtype.kind == "M",
        "window": {"contests": len(seen), "individuals": len(seen.individuals)},
        "settings": settings.to_dict(),
    }
    ranking = ratings.as_polars()
    at = date_of(contests, settings)
    if at is not None and contests.ordered:
        ranking = quiet(ratings.at, at)
    if "ranking" in parts:
        answer["ranking"] = shown(lambda: ranking_of(ranking, place), contests)
    if "lines" in parts and contests.ordered:
        answer["lines"] = lines_of(ratings, ranking, place, points, follow)
    if "accuracy" in parts and contests.ordered:
        answer["accuracy"] = accuracy_of(ratings)
    for name, make, about in (
        ("matrix", lambda: matrix_of(seen, place), None),
        ("structure", lambda: structure_of(seen, place), seen),
        ("strip", lambda: strip_of(contests), None),
    ):
        if name in parts and lost and name != "strip":
            answer[name] = {"why": lost}
        elif name in parts:
            answer[name] = keep(name, lambda make=make, about=about: shown(make, about))
    return answer


def certainty_at(contests: Any, settings: Settings, order: list[str]) -> dict[str, Any]:
    """Ranks with their intervals on the date of the ranking."""
    at = date_of(contests, settings)

    def known() -> dict[str, Any]:
        rest = basis(contests, settings)
        rest = rest if at is None or not contests.ordered else rest.filter(end=at)
        if why := uninformative(rest):
            return {"why": why}
        return certainty_of(rest, {name: i for i, name in enumerate(order)})

    return shown(known)


def certainty_of(contests: Any, place: dict[str, int]) -> dict[str, Any]:
    """Ranks with 95% intervals, and the probability of outranking the next, by dynamic ratings."""
    if len(contests) * len(contests.individuals) > MOST_TRACKED:
        return {"why": "These are many contests: intervals are computed on the screen Answer."}
    table = as_polars(po.plot.ranks.data(quiet(po.dynamic, contests, seed=SEED)))
    names = {"rank": "rank", "low": "rank_low", "high": "rank_high", "above": "p_above_next"}
    found = {name: [_known(x) for x in table[column]] for name, column in names.items()}
    return {"who": [place[name] for name in table["individual"]], **found}


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else round(float(value), 4)


def groups_of(data: Any) -> list[dict[str, Any]]:
    """The ranks of each group with their intervals, as small multiples."""
    found = []
    for name in data.group.names[:MOST_GROUPS]:
        contests = data.filter(group=name)
        place = {one: i for i, one in enumerate(contests.individuals)}
        ranks = shown(lambda c=contests, p=place: certainty_of(c, p), contests)
        found.append(
            {"group": name, "contests": len(contests), "names": list(place), "ranks": ranks}
        )
    return found


def ranking_of(table: pl.DataFrame, place: dict[str, int]) -> dict[str, Any]:
    """The table of ratings, with places of names in front."""
    codes = [place[name] for name in table["individual"]]
    kept = table.drop("individual")
    return {"who": codes, "columns": packed_columns(kept), "length": table.height}


def lines_of(
    ratings: Any, ranking: pl.DataFrame, place: dict[str, int], points: int, follow: str | None
) -> list[dict[str, Any]]:
    """Ratings after each own contest, of the highest-ranked and the one that is followed."""
    data = ratings.data
    names = ranking["individual"].to_list()[:MOST_LINES]
    if follow in place and follow not in names:
        names.append(follow)
    _, before, after = ratings.course.history
    times = _times(data)
    found = []
    for name in names:
        code = data.code(name)
        won, lost = data.winner == code, data.loser == code
        own = np.flatnonzero(won | lost)
        if not len(own):
            continue
        side = np.where(won[own], 0, 1)
        rating = after[own, side]
        keep = thinned(rating, min(points, MOST_POINTS))
        found.append(
            {
                "who": place[name],
                "start": _round(before[own[0], side[0]]),
                "t": times[own[keep]].tolist(),
                "y": rating[keep].round(2).tolist(),
            }
        )
    return found


def thinned(values: np.ndarray, most: int) -> np.ndarray:
    """Places of at most `most` values that keep the lowest and highest of each stretch.

    >>> import numpy as np
    >>> thinned(np.arange(5.0), 10).tolist(), len(thinned(np.arange(5000.0), 100)) <= 100
    ([0, 1, 2, 3, 4], True)
    """
    if len(values) <= max(4, most):
        return np.arange(len(values))
    stretches = max(2, most // 2 - 1)
    edges = np.linspace(0, len(values), stretches + 1).astype(int)
    edges = np.unique(edges)[:-1]
    stretch = np.repeat(np.arange(len(edges)), np.diff([*edges, len(values)]))
    ends = [0, len(values) - 1]
    lowest, highest = (np.lexsort((side, stretch))[edges] for side in (values, -values))
    return np.unique(np.concatenate([ends, lowest, highest]))


def matrix_of(contests: Any, place: dict[str, int]) -> dict[str, Any]:
    """Cells of the win matrix that are not zero: row, column, wins; and ties of each pair."""
    matrix = contests.matrix()
    codes = np.array([place[name] for name in matrix.individuals])
    row, column = np.nonzero(matrix.wins)
    one, other = np.nonzero(np.triu(matrix.draws))
    return {
        "who": codes.tolist(),
        "row": codes[row].tolist(),
        "column": codes[column].tolist(),
        "wins": matrix.wins[row, column].tolist(),
        "ties": [
            [int(codes[i]), int(codes[j]), int(matrix.draws[i, j])]
            for i, j in zip(one, other, strict=True)
        ],
    }


def structure_of(contests: Any, place: dict[str, int]) -> dict[str, Any]:
    """David's scores, steepness and linearity of the contests of the window."""
    if len(contests.individuals) < 3:
        raise DataError("Steepness and linearity need at least three individuals; there are two.")
    steep = quiet(po.steepness, contests, runs=1, seed=SEED)
    table = steep.as_polars()
    answer: dict[str, Any] = {
        "who": [place[name] for name in table["individual"]],
        "normds": table["normds"].to_list(),
        "fitted": table["fitted"].to_list(),
        "steepness": float(steep.values["value"]),
        "linearity": None,
        "unknown": None,
        "dyads": len(contests.individuals) * (len(contests.individuals) - 1) // 2,
    }
    if len(contests.individuals) <= MOST_TESTED:
        linear = quiet(po.linearity, contests, runs=1, seed=SEED)
        answer["linearity"] = float(linear.values["value"])
        answer["unknown"] = int(linear.values["unknown"])
        answer["tied"] = int(linear.values["tied"])
    return answer


def accuracy_of(ratings: Any) -> dict[str, Any]:
    """How well the ratings before each contest predicted it."""
    found = quiet(po.evaluate, ratings, runs=1, threads=1).foresight  # its intervals are not shown
    counts, losses = ("contests", "decided", "equal", "correct"), ("log_loss", "log_loss_ties")
    values = {name: found.get(name) for name in (*counts, "share", *losses, "brier", "rps")}
    return {name: None if value is None else plain(value + 0) for name, value in values.items()}


def strip_of(contests: Any) -> dict[str, Any]:
    """Numbers of contests in equal stretches of time, for the strip under the ratings."""
    times = _times(contests)
    number, edges = np.histogram(times, bins=min(BINS, max(1, len(times))))
    return {"edges": [_round(edge, 3) for edge in edges], "number": number.tolist()}


def profile_of(contests: Any, settings: Settings) -> dict[str, Any]:
    """Log loss per contest for values of k, the best one and the range of those that fit."""
    if not contests.ordered:
        raise DataError("The order of these contests is not known, so that k has no profile.")
    arguments = settings.elo(contests)
    arguments.pop("k")
    contests = basis(contests, settings)
    found = quiet(po.likelihood_surface, contests, over={"k": (0.0, 400.0)}, grid=81, **arguments)
    table, number = found.as_polars(), found.values["contests"]
    if float(table["value"].max() - table["value"].min()) < 1e-9:  # type: ignore
        raise DataError("No outcome depends on k: nobody met again whose rating had changed.")
    return {
        "k": table["k"].to_list(),
        "loss": [-value / number for value in table["value"]],
        "best": found.values["best"]["k"],
        "low": found.values["low"],
        "high": found.values["high"],
        "contests": number,
    }


def steps_of(contests: Any, settings: Settings, order: list[str], start: int, count: int) -> Any:
    """Contests with their expected score and the points moved, for the screen Learn."""
    place = {name: i for i, name in enumerate(order)}
    shuffled = not contests.ordered
    if shuffled:  # one of many possible orders
        drawn = np.random.default_rng(SEED).permutation(len(contests))
        contests = contests.take(drawn)
    ratings = quiet(po.elo, contests, **settings.elo(contests))
    expected, before, after = ratings.course.history
    home = 0.0 if contests.home is None else contests.home * settings.home
    ahead = np.linspace(-WIDEST, WIDEST, CURVE_POINTS)
    part = slice(max(0, start), max(0, start) + count)
    names = contests.individuals
    return {
        "names": order,
        "total": len(contests),
        "from": max(0, start),
        "t": _times(contests)[part].tolist(),
        "dated": contests.times.dtype.kind == "M",
        "winner": [place[names[i]] for i in contests.winner[part]],
        "loser": [place[names[i]] for i in contests.loser[part]],
        "tie": [] if contests.draw is None else contests.draw[part].tolist(),
        "home": [] if contests.home is None else contests.home[part].tolist(),
        "expected": expected[part].tolist(),
        "before": before[part].tolist(),
        "after": after[part].tolist(),
        "final": [[place[name], rating] for name, rating in ratings.items()],
        "curve": {"difference": ahead.tolist(), "expected": ratings.curve(ahead).tolist()},
        "difference": (before[:, 0] - before[:, 1] + home)[part].tolist(),
        "shuffled": shuffled,
        "settings": settings.to_dict(),
    }


def span(data: Any) -> list[Any] | None:
    """The first and the last time, as ISO text or numbers."""
    if not len(data):
        return None
    times = data.times[[0, -1]]
    if times.dtype.kind != "M":
        return [float(times[0]), float(times[1])]
    return [str(value)[:10] for value in date_column(times).cast(pl.Date)]


def _times(data: Any) -> np.ndarray:
    """Milliseconds since 1970, or contest numbers."""
    times = data.times
    return times.astype("datetime64[ms]").astype(np.int64) if times.dtype.kind == "M" else times


def _round(value: float, digits: int = 2) -> float:
    return round(float(value), digits)
