"""Sequential Elo ratings (Albers & de Vries 2001; Langville & Meyer 2012, chapter 5).

After a contest, the winner gains k(S − p) and the loser loses the same amount. Here p is the
expected score of the winner, and the observed score S is 1 for a win, ½ for a tie, or a proportion
of the points.

k and home advantage chosen by how well ratings before each contest predict it.

Several ratings of one long record in one pass over its contests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeGuard, Unpack

import numpy as np

from peckorder.curves import Exponential, Logistic, Table, smallest_probability
from peckorder.data.contests import Contests, Record
from peckorder.data.effects import NOBODY_AT_HOME, advantages
from peckorder.data.read import Data, opened, opened_contests
from peckorder.data.same_time import order_unknown, shared_words
from peckorder.data.stream import ContestStream
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.kernels.elo import rate_several
from peckorder.ratings import elo_arrays
from peckorder.ratings.arguments import EloArguments, takes_elo_arguments
from peckorder.ratings.replay import EloReplay, EloState, advance
from peckorder.ratings.same_time import ORDERS, AveragedReplay
from peckorder.ratings.settings import DEFAULT, EloSettings, resolve
from peckorder.results import Ratings
from peckorder.results.trajectory import Course
from peckorder.text import counted, listed, option, option_name

UNORDERED = (
    "The order of these contests is unknown (they come from a matrix or from counts), but "
    "sequential ratings depend on it. Use randomized Elo ratings, or treat this result as one of "
    "many possible results."
)
MANY_CONTESTS = 1_000_000


@takes_elo_arguments
def elo(
    data: Data,
    *,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Ratings:
    """Sequential Elo ratings, updated after each contest.

    Ratings are never rounded, except with `preset="EloRating"`.

    Parameters
    ----------
    data : Contests or ContestStream
        Ratings of a stream have no history.
    k : number, mapping, pair, array, "fide" or "tuned"
        Step size of the update, default 100. A mapping gives k by context, a pair (k of winner, k
        of loser), an array one k per contest; with "fide", k depends on experience and rating (see
        `fide`); "tuned" chooses the k with the lowest log loss of foresight (see `tune`, which
        also gives its interval).
    start : number or mapping
        Starting rating, default 1000, or one per individual (`prior_ranks` derives them from
        ranks). Individuals that a mapping does not name start at the default.
    curve : {"logistic", "exponential", "normal", "table"} or a curve
        Winning probability as a function of the rating difference, with parameter `scale`
        (logistic, default 400), `delta` (exponential, 0.01) or `sd` (normal, 200√2).
    entry : {"start", "mean", "bottom", "bottom_low"}
        Entry rating of newcomers: their starting rating, the mean rating of the individuals
        present, or their lowest rating. With "bottom", when a contest lowers the lowest rating,
        all others that shared it are lowered with it. With "bottom_low", in addition, all
        individuals except the first two contestants move to the bottom after the first contest.
        Newcomers are identified from presence; without it, all are present from the beginning.
    presence : optional
        As in `read`. Individuals are not rated before they arrive and keep their rating while
        absent.
    outcome : {"win", "points"}
        Score of a contest: 1 or ½, or (P + 1)/(P + P′ + 2) with P and P′ the points of the winner
        and the loser.
    margin : {"none", "log", "football"} or a function, optional
        Factor on k by the margin of points: ln(1 + margin), that of the World Football Elo
        Ratings, or a function that gets an array of margins and returns their factors.
    margin_correction : number, optional
        Points C of a correction for favorites, who win by large margins anyway: k is also
        multiplied by C/(C + lead), where the lead is that of the winner in the update, negative
        in an upset. The factor is at most 10; ties are not corrected.
    home_advantage : number, mapping or "tuned"
        Rating points added to the home side in predictions: one number, or one per side. With
        `home_in_update=True`, they are also used in the update. Not added at neutral venues.
    carry_over : float, optional
        Proportion of each rating's distance from the mean that is carried over between seasons.
    carry_to : number, optional
        Used instead of the mean of those present.
    half_life : number, optional
        Days without a contest after which half of the distance of a rating from its start is left.
        Contests are predicted, and ratings of a day given, from ratings that have moved so far.
        Numbers as dates are counted in their unit.
    carry_pauses : bool
        Carry the ratings of sides that pause over between all seasons, instead of once, when their
        next season begins. No rating is carried over before the first contest of its side.
    overrides : mapping of names to {date: rating}, optional
        Set single ratings on dates, after the carry-over, such as {"CLE": {"1999-09-12": 1300}}.
    period : {"date", "day", "week", "month", "year"}, optional
        Update in batches: all contests of a period use the ratings at its start.
    within : {"file", "average", "batch"}
        Rule for contests with the same time stamp, whose order is not recorded: rated in the order
        of the file (default); ratings and predictions averaged over 100 random orders within
        stamps, drawn with a fixed seed; or as one batch from the ratings before the stamp (as
        `period="date"`). Without shared stamps all three are the same.
    k_column, k_periods, burn_in : optional
        Name of a column with the k of each contest; k from given dates onward, such as
        {"2009-01-01": 50}; (n, k), a different k for the first n contests.
    fide : three numbers
        Values of k for `k="fide"`, default (25, 15, 10), as in Langville & Meyer: for fewer than 30
        contests; afterwards; and from then on for whoever has ever reached 2400, also within these
        30 contests. With `preset="PlayerRatings"` as in that package: (30, 15, 10), and the third
        value applies as soon as 2400 is reached, also before 30 contests.
    preset : {"EloRating", "EloOptimized", "aniDom", "PlayerRatings", "FIDE", "WorldFootball", \
"FiveThirtyEight", "Games"}
        Settings of other software, or for games between teams (k = 40; home advantage tuned if
        there are home sides, and used in the update); explicit arguments override them.

    Returns
    -------
    Ratings
        `tuned` (if something was): the chosen values, their log loss and that of the default.

    References
    ----------
    Albers & de Vries 2001, Animal Behaviour 61:489–495, doi:10.1006/anbe.2000.1571.
    Langville & Meyer 2012, Who's #1?, Princeton University Press, chapter 5.

    Examples
    --------
    The sequence of contests in Albers & de Vries, with their table of probabilities and k = 200:

    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
    >>> {name: round(rating) for name, rating in ratings.items()}
    {'b': 1320, 'c': 1184, 'd': 1178, 'f': 1048, 'e': 1008, 'g': 732, 'a': 530}
    """
    data = opened(data)
    given, free = wanted(dict(settings), data)
    chosen = resolve(given)
    if isinstance(data, ContestStream):
        if presence is not None:
            raise ArgumentError(
                f"{option_name('presence')} cannot be used with a stream. Read the whole file."
            )
        return _rate_stream(data, chosen)
    data = opened_contests(data, "elo", presence)
    elo_arrays.refuse_no_contests(data)
    if not data.ordered:
        caution(UNORDERED)
    chosen, unreverted = _without_seasons(chosen, data, settings)
    if chosen.preset == "EloRating":
        elo_arrays.note_times_of_day(data)
        if "tie" in data.report.columns and data.draw is not None and data.draw.any():
            ties = f"Ties (column {data.report.columns['tie']}) are half wins; elo.seq takes them"
            unreverted = (f"{ties} for wins unless it is given draw=.", *unreverted)
    if chosen.within == "batch" and chosen.period is None and data.date is not None:
        chosen = replace(chosen, period="date")
    replay, values, summary = EloReplay(data, chosen), {}, advice(dict(settings), data)
    if free:
        found = choose(replay, free)
        chosen, values, summary = found.settings, {"tuned": found.values}, found.summary
        replay = replay.again(chosen)
    unknown = int(order_unknown(data).sum()) if data.ordered else 0
    if unknown and chosen.within == "average":
        return _averaged(AveragedReplay(replay), unknown, values, (*summary, *unreverted))
    if len(data) < MANY_CONTESTS:
        rating, record = replay.final(), Record.of(data)
    else:  # ratings and records are two loops over the contests: run them in parallel
        with ThreadPoolExecutor(max_workers=1) as beside:
            counting = beside.submit(Record.of, data)
            rating, record = replay.final(), counting.result()
    return Ratings(
        method="elo",
        individuals=data.individuals,
        rating=rating,
        record=record,
        curve=chosen.curve,
        settings=chosen.to_dict() | {"presence": data.presence is not None},
        citations=_citations(chosen),
        report=data.report,
        kept=Course(data, replay, chosen.day, chosen.ranked_from),
        values=values,
        summary=(*summary, *unreverted, *_shared_stamps(chosen, unknown, len(data))),
    )


def _without_seasons(
    settings: EloSettings, data: Contests, given: Mapping[str, Any]
) -> tuple[EloSettings, tuple[str, ...]]:
    """A preset carries ratings over between seasons only where there are seasons."""
    asked = given.get("carry_over") is not None or given.get("carry_to") is not None
    if settings.preset is None or settings.carry_over is None or asked or data.season is not None:
        return settings, ()
    sentence = (
        f"These contests have no seasons, so {option('preset', settings.preset)} carried no "
        f"ratings over. Name the column of seasons with {option('season')}."
    )
    return replace(settings, carry_over=None, carry_to=None), (sentence,)


def _averaged(
    replay: AveragedReplay, unknown: int, values: dict[str, Any], summary: tuple[str, ...]
) -> Ratings:
    """Ratings averaged over random orders within time stamps, and their variation."""
    data, settings = replay.data, replay.settings
    finals = replay.finals()
    spread = finals.std(axis=0, ddof=1)
    largest = f"Largest standard deviation of a rating over the orders: {np.nanmax(spread):.3g}."
    return Ratings(
        method="elo",
        individuals=data.individuals,
        rating=finals.mean(axis=0),
        record=Record.of(data),
        curve=settings.curve,
        settings=settings.to_dict() | {"presence": data.presence is not None},
        citations=_citations(settings),
        report=data.report,
        kept=Course(data, replay, settings.day, settings.ranked_from),
        values=values,
        summary=(*summary, *_shared_stamps(settings, unknown, len(data)), largest),
        columns={"order_sd": spread},
    )


def _shared_stamps(settings: EloSettings, unknown: int, size: int) -> tuple[str, ...]:
    """Which rule was used for contests with the same time stamp, where it matters."""
    if unknown == 0:
        return ()
    if settings.period is not None:
        rule = f"rated in batches ({option('period', settings.period)}), regardless of their order"
    elif settings.within == "average":
        rule = f"rated in {ORDERS} random orders, over which ratings are averaged"
    else:
        rule = (
            f"rated in the order of the file. Other orders may give other ratings: see "
            f"{option_name('within')}"
        )
    return (f"{shared_words(unknown, size)}. They were {rule}.",)


def _citations(settings: EloSettings) -> tuple[str, ...]:
    sport = (
        settings.outcome == "points"
        or settings.home_advantage != 0
        or settings.carry_over is not None
    )
    return ("albers2001", "langville2012") if sport else ("albers2001",)


def _rate_stream(stream: ContestStream, settings: EloSettings) -> Ratings:
    """Rate a file in batches; only the state and the record of each individual are kept."""
    batched = ("carry_over", "half_life", "period", "k_periods", "k_column", "within", "overrides")
    for name in batched:
        if getattr(settings, name) not in (None, "file"):
            raise ArgumentError(
                f"{option_name(name)} cannot be used with a stream, because it needs all contests "
                f"at once. Read the whole file."
            )
    if settings.entry not in ("start", "mean"):  # equivalent if presence is unknown
        raise ArgumentError(
            f"{option('entry', settings.entry)} cannot be used with a stream, which has no "
            f"presence. Use {option('entry', 'start')} or {option('entry', 'mean')}."
        )
    if isinstance(settings.k, list | np.ndarray):
        raise ArgumentError(
            f"{option_name('k')} cannot be an array for a stream. Give a number, or one number "
            f"per context."
        )
    state, record, names, ordered = EloState.of(np.zeros(0)), Record.empty(), (), True
    report = None
    for batch in stream:
        report = batch.report if report is None else report.joined(batch.report)
        if len(batch) == 0:
            continue
        names = batch.individuals
        number = len(names) - len(state.start)
        if number:
            state.grow(np.full(number, np.nan))
            record = record.grown(number, batch.clock)
        # A name may come from an excluded row: it gets a rating at its first contest.
        waiting = np.isnan(state.start)
        involved = np.zeros(len(names), bool)
        if waiting.any():
            involved[batch.winner] = involved[batch.loser] = True
        fresh = np.flatnonzero(waiting & involved)
        if fresh.size:
            starts = elo_arrays.starts(settings, [names[i] for i in fresh], complete=False)
            state.start[fresh] = state.rating[fresh] = starts
        advance(
            state,
            settings,
            batch.winner,
            batch.loser,
            elo_arrays.scores(settings, batch),
            elo_arrays.k_values(settings, batch, state.done),
            advantages(settings.home_advantage, batch),
        )
        record.count(batch)
        ordered &= batch.ordered
    if not ordered:
        caution(UNORDERED)
    if state.done == 0:
        raise DataError(f"{stream.sheet.name}: no contests remain after exclusions.")
    seen = np.flatnonzero(record.contests)
    return Ratings(
        method="elo",
        individuals=names if len(seen) == len(names) else tuple(names[i] for i in seen),
        rating=state.rating[seen],
        record=record.of_some(seen),
        curve=settings.curve,
        settings=settings.to_dict() | {"presence": False, "stream": True},
        citations=_citations(settings),
        report=report,
    )


TUNED = "tuned"
NAMES = ("k", "home_advantage")
GAMES = "Games"
TABLE_UNIT = 175.0  # the printed table is about as steep as the logistic curve of scale 400
POINTS = {1: 41, 2: 15}  # of the grid, in each direction
FIRST = 3  # best grid points from which the simplex starts
FEWEST = 20  # contests


@dataclass(frozen=True)
class Choice:
    """The settings that were chosen, with their mean log loss and that of the default."""

    settings: EloSettings
    values: dict[str, Any]
    summary: tuple[str, ...]


def wanted(given: dict[str, Any], data: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Arguments without those to be tuned, and the names of these."""
    names = [name for name in NAMES if isinstance(given.get(name), str) and given[name] == TUNED]
    rest = {name: value for name, value in given.items() if name not in names}
    preset = given.get("preset")
    games = isinstance(preset, str) and preset == GAMES and given.get("home_advantage") is None
    if games and isinstance(data, Contests) and has_home_sides(data):
        names.append("home_advantage")
    if names and not isinstance(data, Contests):
        raise ArgumentError(
            f"{option(names[0], TUNED)} needs all contests at once. Read the whole file."
        )
    if "home_advantage" in names and not has_home_sides(data):
        raise DataError(NOBODY_AT_HOME)
    if "k" in names and given.get("k_column") is not None:
        raise ArgumentError(
            f"{option('k', TUNED)} cannot be combined with {option_name('k_column')}."
        )
    return rest, tuple(names)


def has_home_sides(data: Contests) -> bool:
    """Whether some contest has a home side."""
    return data.home is not None and bool((data.home != 0).any())


def choose(replay: EloReplay, names: tuple[str, ...]) -> Choice:
    """The settings with the lowest log loss of foresight."""
    from scipy.optimize import minimize

    base, contests = replay.settings, len(replay.data)
    if not replay.data.ordered or contests < FEWEST:
        raise DataError(
            f"{option(names[0], TUNED)} needs at least {FEWEST} contests in a known order. Give a "
            f"number instead."
        )
    least = smallest_probability(base.curve)
    unit = TABLE_UNIT if isinstance(base.curve, Table) else 1.0 / base.curve.slope

    def at(place: np.ndarray) -> EloSettings:
        values = {
            "k": 4 * unit * float(np.clip(place[0], 0, 1)) ** 2,
            "home_advantage": unit * (4 * float(np.clip(place[-1], 0, 1)) - 1),
        }
        return replace(base, **{name: values[name] for name in names})

    def loss(place: Any) -> float:
        return float(replay.again(at(np.asarray(place))).foresight_sums(0, least)[0]) / contests

    axis = np.linspace(0, 1, POINTS[len(names)])
    grid = sorted((loss(place), place) for place in product(axis, repeat=len(names)))
    best: Any = min(
        (
            minimize(loss, place, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-10})
            for _, place in grid[:FIRST]
        ),
        key=lambda found: found.fun,
    )
    chosen = at(best.x)
    before = float(replay.foresight_sums(0, least)[0]) / contests
    values = {name: float(getattr(chosen, name)) for name in names}
    return Choice(
        chosen,
        values | {"log_loss": float(best.fun), "default_log_loss": before, "contests": contests},
        (_summary(values, float(best.fun), before, base, contests),),
    )


def _summary(
    values: dict[str, float], loss: float, before: float, base: EloSettings, contests: int
) -> str:
    words = {"k": "k = {:.3g}", "home_advantage": "home advantage {:.3g}"}
    shown = listed([words[name].format(value) for name, value in values.items()])
    usual = listed([words[name].format(getattr(base, name)) for name in values])
    shown = shown if "k" in values else shown.capitalize()
    return (
        f"{shown}: chosen to minimize the log loss of the ratings before each of the "
        f"{counted(contests, 'contest')} ({loss:.4f}, compared with {before:.4f} for {usual}). "
        f"Their accuracy on these contests is slightly optimistic."
    )


def advice(given: dict[str, Any], data: Contests) -> tuple[str, ...]:
    """Point games with home sides to their preset, if nothing was chosen for them."""
    chosen = [name for name, value in given.items() if value is not None]
    if not has_home_sides(data) or {"k", "k_column", "preset", "home_advantage"} & set(chosen):
        return ()
    return (
        f"These contests have home sides. For games between teams, {option('preset', GAMES)} (k = "
        f"40, home advantage estimated) usually predicts better than the default (k = "
        f"{DEFAULT['k']:.0f}, none).",
    )


LANES = 16
LONG = 200_000  # contests; in shorter records one rating after the other is as convenient
# Largest k times slope of the curve. A difference in the last bit between two ways of rating then
# never grows: a contest replaces the errors of both ratings by weighted means of the two, with
# weights k × slope × p(1 − p) ≤ 1. Beyond, it may grow with every contest.
LARGEST_STEP = 4.0


def shareable(replay: object) -> TypeGuard[EloReplay]:
    """Whether a rating can share a pass: a long record of wins, one k, a logistic curve."""
    if not isinstance(replay, EloReplay) or len(replay.data) < LONG or replay.eventful:
        return False
    settings = replay.settings
    score, k, advantage = replay.arrays
    return (
        isinstance(settings.curve, Logistic | Exponential)
        and not isinstance(settings.k, str)
        and settings.half_life is None
        and settings.entry in ("start", "mean")  # the same if nobody arrives
        and not settings.rounded
        and (len(score), len(k), len(advantage)) == (1, 1, 1)
        and (score[0], k[0, 0], advantage[0]) == (1.0, k[0, 1], 0.0)
        and k[0, 0] * settings.curve.slope <= LARGEST_STEP
    )


def foresight_of_several(replays: Sequence[EloReplay], first: int, least: float) -> np.ndarray:
    """`foresight_sums` of up to LANES ratings of one record, a row for each."""
    one, number = replays[0], len(replays)
    slope, k = np.zeros(LANES), np.zeros(LANES)
    slope[:number] = [each.settings.curve.slope for each in replays]
    k[:number] = [each.arrays[1][0, 0] for each in replays]
    rating = np.zeros((len(one.start), LANES))
    rating[:, :number] = np.column_stack([each.start for each in replays])
    winner, loser = one.data.winner, one.data.loser
    nothing = np.full(1, -1, np.int8)
    rate_in_lanes(winner[:first], loser[:first], slope, k, nothing, least, rating)
    sums = rate_in_lanes(winner[first:], loser[first:], slope, k, nothing, least, rating)
    decided = np.full(LANES, len(winner) - first, np.float64)
    return np.vstack([sums, decided]).T[:number]


def finals_without(replay: EloReplay, fold: np.ndarray, folds: int) -> np.ndarray:
    """Final ratings if the contests of each fold changed none, shape (individuals, folds)."""
    slope = np.full(LANES, replay.settings.curve.slope)
    k = np.full(LANES, replay.arrays[1][0, 0])
    rating = np.repeat(replay.start[:, None], LANES, axis=1)
    rate_in_lanes(replay.data.winner, replay.data.loser, slope, k, fold, 0.0, rating)
    return rating[:, :folds]


def rate_in_lanes(
    winner: np.ndarray,
    loser: np.ndarray,
    slope: np.ndarray,
    k: np.ndarray,
    left_out: np.ndarray,
    least: float,
    rating: np.ndarray,
) -> np.ndarray:
    """Rate contests in place; the sums of log loss, Brier score and correct predictions."""
    sums, room = np.zeros((3, LANES)), np.empty((3, LANES))
    shifted = room[2].view(np.int64)
    rate_several(winner, loser, slope, k, left_out, least, rating, sums, room, shifted)
    return sums
