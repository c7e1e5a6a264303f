"""Sequential Elo ratings (Albers & de Vries 2001; Langville & Meyer 2012, chapter 5).

After a contest, the winner gains k(S − p) and the loser loses the same amount. Here p is the
expected score of the winner, and the observed score S is 1 for a win, ½ for a tie, or a proportion
of the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.data.stamps import order_unknown, shared_words
from peckorder.data.stream import ContestStream
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, caution
from peckorder.home import advantages
from peckorder.results import Ratings
from peckorder.results.course import Course
from peckorder.sequential import policies, tuned
from peckorder.sequential.arguments import EloArguments, takes_elo_arguments
from peckorder.sequential.replay import EloReplay, EloState, advance
from peckorder.sequential.settings import EloSettings, resolve
from peckorder.sequential.within import ORDERS, AveragedReplay
from peckorder.wording import option, option_name

UNORDERED = (
    "The order of these contests is unknown (they come from a matrix or from counts), but "
    "sequential ratings depend on it. Use randomized Elo ratings, or treat this result as one of "
    "many possible results."
)
MANY_CONTESTS = 1_000_000


@takes_elo_arguments
def elo(
    data: Interactions | ContestStream,
    *,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Ratings:
    """Sequential Elo ratings, updated after each contest.

    Ratings are never rounded, except with `preset="EloRating"`.

    Parameters
    ----------
    data : Interactions or ContestStream
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
        Values of k for `k="fide"`, default (25, 15, 10): for fewer than 30 contests; afterwards;
        and permanently once a rating of 2400 is reached after these 30 contests.
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
    given, free = tuned.wanted(dict(settings), data)
    chosen = resolve(given)
    if isinstance(data, ContestStream):
        if presence is not None:
            raise ArgumentError(
                f"{option_name('presence')} cannot be used with a stream. Read the whole file."
            )
        return _rate_stream(data, chosen)
    if not isinstance(data, Interactions):
        raise ArgumentTypeError(
            f"elo needs data from peckorder.read, not {type(data).__name__}. Use "
            f"peckorder.elo(peckorder.read(…))."
        )
    policies.refuse_no_contests(data)
    if presence is not None:
        data = data.with_presence(presence)
    if not data.ordered:
        caution(UNORDERED)
    if chosen.preset == "EloRating":
        policies.note_times_of_day(data)
    chosen, unreverted = _without_seasons(chosen, data, settings)
    if chosen.within == "batch" and chosen.period is None and data.date is not None:
        chosen = replace(chosen, period="date")
    replay, values, summary = EloReplay(data, chosen), {}, tuned.advice(dict(settings), data)
    if free:
        found = tuned.choose(replay, free)
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
    settings: EloSettings, data: Interactions, given: Mapping[str, Any]
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
    for name in ("carry_over", "period", "k_periods", "k_column", "within"):
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
            starts = policies.starts(settings, [names[i] for i in fresh], complete=False)
            state.start[fresh] = state.rating[fresh] = starts
        advance(
            state,
            settings,
            batch.winner,
            batch.loser,
            policies.scores(settings, batch),
            policies.k_values(settings, batch, state.done),
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
