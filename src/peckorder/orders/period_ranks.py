"""Ranks over study periods, given the ranks before (Strauss & Holekamp 2019).

If each period is ranked by itself, the information of earlier periods is lost, and a rank may
change because others come and go although nobody was challenged. Here each period starts from the
ranks of the period before, newcomers enter by a convention of the species, and the contests of the
period then change the ranks. Each rank change has an active part, among the individuals present in
both periods, and a passive part, due to arrivals and departures.

Study periods: the contests in each, and the members of the group.

Rank changes between periods, and their active and passive parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, date_words, moment, whole_days
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import TIES, win_counts
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.orders.conventions import (
    Convention,
    EloState,
    informed_chances,
    normalized_scores,
    placed,
    prior_of_order,
    read_convention,
    reordered,
)
from peckorder.ranks import average_ranks
from peckorder.results import Measure, Order, Ratings
from peckorder.results.measures import FurtherTable
from peckorder.text import counted, given, option, option_name, quoted
from peckorder.validate import CountedTies, one_of, positive

UNITS = ("year", "quarter", "month", "season")
MONTHS = {"year": 12, "quarter": 3, "month": 1}
ONE_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Period:
    """A study period: name, first and last day, contests, and members (codes)."""

    name: str
    start: Any
    end: Any
    contests: np.ndarray
    members: np.ndarray


def study_periods(data: Contests, per: Any) -> list[Period]:
    """The periods of a study, in order."""
    if not isinstance(data, Contests) or not data.ordered:
        raise DataError(
            "Study periods need contests in order; a matrix cannot be divided into periods."
        )
    if isinstance(per, str):
        if per not in UNITS:
            raise ArgumentError(
                f"{given('per', per)} is not known. Choose one of: {', '.join(UNITS)}; or give the "
                f"first days of all periods."
            )
        names, starts, ends, label = _seasons(data) if per == "season" else _calendar(data, per)
    else:
        names, starts, ends, label = _given(data, per)
    members = _members(data, starts, ends, label)
    return [
        Period(names[t], starts[t], ends[t], np.flatnonzero(label == t), members[t])
        for t in range(len(names))
    ]


def _calendar(data: Contests, per: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if data.date is None or data.date.dtype.kind != "M":
        raise DataError(
            f"{option('per', per)} needs calendar dates. Name their column, {option('date')}, or "
            f"give the number of the first contest of each period."
        )
    width = MONTHS[per]
    unit = data.date.astype("datetime64[M]").astype(np.int64) // width
    label = unit - unit.min()
    first = (np.arange(unit.min(), unit.max() + 2) * width).astype("datetime64[M]")
    days = first.astype("datetime64[D]")
    texts = np.datetime_as_string(first[:-1]).tolist()
    if per == "year":
        texts = [text[:4] for text in texts]
    elif per == "quarter":
        texts = [f"{text[:4]} Q{(int(text[5:7]) + 2) // 3}" for text in texts]
    return texts, days[:-1], days[1:] - ONE_DAY, label


def _seasons(data: Contests) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if data.season is None:
        raise DataError(
            f"{option('per', 'season')} needs the season of each contest. Name its column: "
            f"{option('season')}."
        )
    label, days = data.season.codes, whole_days(data.times)
    number = len(data.season.names)
    inside = [days[label == t] for t in range(number)]
    turn = sorted(range(number), key=lambda t: inside[t][0])
    starts = np.array([inside[t][0] for t in turn])
    ends = np.array([inside[t][-1] for t in turn])
    if (starts[1:] <= ends[:-1]).any():
        late = int(np.flatnonzero(starts[1:] <= ends[:-1])[0])
        names = [data.season.names[turn[t]] for t in (late, late + 1)]
        raise DataError(
            f'The seasons "{names[0]}" and "{names[1]}" overlap: both have contests until '
            f"{date_words(ends[late])}. Correct the seasons or the dates."
        )
    place = np.argsort(turn)
    return [data.season.names[t] for t in turn], starts, ends, place[label]


def _given(data: Contests, per: Any) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if not isinstance(per, Iterable):
        raise ArgumentTypeError(
            f"{given('per', per)}: choose one of {', '.join(UNITS)}; or give the first days of all "
            f"periods."
        )
    times = data.times
    starts = np.array([whole_days(np.asarray(moment(x, times, end_of_day=False))) for x in per])
    if len(starts) == 0 or (starts[1:] <= starts[:-1]).any():
        raise ArgumentError(
            f"{option_name('per')}: give the first days of all periods, in order of time."
        )
    days = whole_days(times)
    if days[0] < starts[0]:
        raise ArgumentError(
            f"The first contest ({date_words(days[0])}) is before the first period "
            f"({date_words(starts[0])}). Start the first period earlier, or omit earlier contests."
        )
    step = ONE_DAY if starts.dtype.kind == "M" else 1
    ends = np.append(starts[1:] - step, max(days[-1], starts[-1]))
    label = np.searchsorted(starts, days, side="right") - 1
    return [date_words(start) for start in starts], starts, ends, label


def _members(
    data: Contests, starts: np.ndarray, ends: np.ndarray, label: np.ndarray
) -> list[np.ndarray]:
    size, number = len(data.individuals), len(starts)
    there = np.zeros((number, size), bool)
    if data.presence is not None:
        for code, name in enumerate(data.individuals):
            for begin, end in data.presence.stints(name):
                there[:, code] |= (starts <= end) & (begin <= ends)
    else:
        for code in range(size):
            own = label[(data.winner == code) | (data.loser == code)]
            if len(own):  # a member without contests is in no period
                there[own.min() : own.max() + 1, code] = True
    return [np.flatnonzero(row) for row in there]


NUMBERS = ("score", "standardized_rank", "change", "active_change", "passive_change")


@dataclass(frozen=True, eq=False)
class Ranked:
    """Members of a period (codes) with their scores, which are larger for higher ranks."""

    members: list[int]
    score: np.ndarray
    inconsistencies: int | None = None
    proved: bool | None = None

    @property
    def rank(self) -> np.ndarray:
        """Ranks in the order of the members; ties are averaged."""
        return average_ranks(np.round(self.score, 9))

    @property
    def order(self) -> list[int]:
        """Members from the highest rank down; equal scores keep the order of the members."""
        return [self.members[i] for i in np.argsort(self.rank, kind="stable")]


def tables_of(
    data: Contests, spans: list[Period], ranked: list[Ranked], method: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ranks and their changes by period and individual; and one row per period."""
    rows, periods = [], []
    for t, (span, now) in enumerate(zip(spans, ranked, strict=True)):
        earlier = ranked[t - 1] if t else None
        changes = changes_of(earlier, now)
        rank = now.rank
        size = len(now.members)
        for i in np.argsort(rank, kind="stable").tolist():
            code = now.members[i]
            change, active, passive = changes.get(code, (None, None, None))
            rows.append(
                {
                    "period": span.name,
                    "individual": data.individuals[code],
                    "score": None if method == "reorder" else float(now.score[i]),
                    "rank": float(rank[i]),
                    "standardized_rank": 1 - 2 * (rank[i] - 1) / (size - 1) if size > 1 else None,
                    "newcomer": code not in changes and earlier is not None,
                    "change": change,
                    "active_change": active,
                    "passive_change": passive,
                }
            )
        left = 0 if earlier is None else len(set(earlier.members) - set(now.members))
        periods.append(
            {
                "contests": len(span.contests),
                "individuals": size,
                "joined": size - len(changes) if earlier is not None else 0,
                "left": left,
                "similarity": similarity(earlier, now),
                **(
                    {"inconsistencies": now.inconsistencies, "proved": now.proved}
                    if method == "reorder"
                    else {}
                ),
            }
        )
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(NUMBERS, pl.Float64))
    days = pl.DataFrame(
        {
            "period": [span.name for span in spans],
            "start": date_column(np.array([span.start for span in spans])),
            "end": date_column(np.array([span.end for span in spans])),
        }
    )
    details = pl.DataFrame(periods, schema_overrides={"similarity": pl.Float64})
    return frame, pl.concat([days, details], how="horizontal")


def changes_of(before: Ranked | None, now: Ranked) -> dict[int, tuple[float, float, float]]:
    """Rank change, and its active and passive part, of the members of both periods."""
    if before is None:
        return {}
    both = [code for code in now.members if code in before.members]
    whole, among = [], []
    for ranked in (before, now):
        place = {code: i for i, code in enumerate(ranked.members)}
        chosen = np.array([place[code] for code in both], np.int64)
        whole.append(ranked.rank[chosen])
        among.append(average_ranks(np.round(ranked.score[chosen], 9)))
    change, active = whole[0] - whole[1], among[0] - among[1]
    return {
        code: (float(c), float(a), float(c - a))
        for code, c, a in zip(both, change, active, strict=True)
    }


def similarity(before: Ranked | None, now: Ranked) -> float | None:
    """Share of dyads with the same order in both periods, among members of both."""
    if before is None:
        return None
    both = [code for code in now.members if code in before.members]
    if len(both) < 2:
        return None
    signs = []
    for ranked in (before, now):
        place = {code: i for i, code in enumerate(ranked.members)}
        rank = ranked.rank[[place[code] for code in both]]
        first, second = np.triu_indices(len(both), 1)
        signs.append(np.sign(rank[first] - rank[second]))
    return float((signs[0] == signs[1]).mean())


METHODS = ("elo", "davids_score", "reorder")
EVEN = 0.5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PeriodRanks(Measure):
    """Ranks over study periods; the table has one row per period and individual."""

    individuals: int
    number_of_periods: int
    active_share: float | None  # share of active changes in all changes
    periods = FurtherTable("The periods, with their contests and individuals.")


def period_ranks(
    data: Data,
    *,
    per: Any = "year",
    method: Literal["elo", "davids_score", "reorder"] = "elo",
    initial: Sequence[str] | Order | Ratings | None = None,
    convention: Literal["none", "maternal", "tenure", "age", "attribute"] = "none",
    traits: Any = None,
    k: float = 200.0,
    delta: float = 0.01,
    ties: CountedTies = "omit",
) -> PeriodRanks:
    """Ranks of each individual in each study period, and their changes.

    Parameters
    ----------
    data : Contests, with a known order of contests
        Members of a period are the individuals present in it or, without presence data, those
        between their first and last period with a contest. An individual that returns after an
        absence of a period or more is a newcomer.
    per : {"year", "quarter", "month", "season"} or list of dates
        Study periods; a list contains the first day of each (the number of its first contest if
        there are no dates).
    method : {"elo", "davids_score", "reorder"}
        Elo ratings that continue from period to period; David's scores with the D_ij of the
        period before as prior; or the order with the fewest inconsistencies in the period that
        reverses the fewest dyads of the order before.
    initial : list of names from the highest rank down, Order or Ratings, optional
        Ranks before the first period; required for maternal rank inheritance. By default the first
        order is that of the convention, or all individuals start equal.
    convention : {"none", "maternal", "tenure", "age", "attribute"}
        Ranks of newcomers. "none": at the mean rating (David's scores: with even probabilities;
        reorder: last). "maternal": just below the mother and above her older daughters. Or by
        length of stay, age or a measurement.
    traits : mapping, table or file, optional
        Traits for the convention: mother, date of joining (by default from presence data), date of
        birth or age, or measurement of each individual; a second value resolves ties (larger
        values rank higher; within a litter, 1 ranks above 2).
    k, delta : float
        Settings of Elo, with the curve 1/(1 + exp(−delta · difference)).
    ties : {"omit", "half", "both"}
        Elo accepts "omit" and "half".

    Returns
    -------
    PeriodRanks
        Table: period, individual, score, rank, standardized_rank (1 for the highest, −1 for the
        lowest), newcomer, change, active_change, passive_change (positive if the individual rose;
        missing for newcomers). Table `periods`: period, start, end, contests, individuals, joined,
        left, similarity (share of dyads whose order did not change, among members of both
        periods) and, for reorder, inconsistencies and proved. Values: `individuals`,
        `number_of_periods` and `active_share`, the share of |active| changes in the sum of
        |active| and |passive| changes.

    Notes
    -----
    With rank r among all members and rank s among members of both periods, change = r_before −
    r_now, active = s_before − s_now and passive = change − active. Elo: initial ratings are k
    apart; daughters enter 0.1 below their mothers; under tenure, age and attribute a newcomer
    receives the quantile of present ratings that corresponds to its place by convention. David's
    scores: D_ij = P_ij − (P_ij − prior_ij)/(n_ij + 1), where the prior of a new dyad is ¾ and ¼ by
    the order with newcomers in place; without convention and initial ranks each period is scored
    by itself. Reorder is exact unless more than 20 individuals are connected by contradictions
    between the order before and the contests of the period.

    References
    ----------
    Strauss & Holekamp 2019, Journal of Animal Ecology 88:521–536,
    doi:10.1111/1365-2656.12951.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.period_ranks(po.datasets.adv(), per="month")
    >>> found.periods.select("period", "contests", "individuals").rows()
    [('2010-01', 31, 7), ('2010-02', 2, 4)]
    """
    contests: Contests = opened(data)
    one_of("method", method, METHODS)
    k, delta = float(positive("k", k)), float(positive("delta", delta))
    one_of("ties", ties, TIES)
    if method == "elo" and ties == "both":
        raise ArgumentError(
            f"{option('method', 'elo')} needs {option('ties', 'omit')} or {option('ties', 'half')}."
        )
    spans = study_periods(contests, per)
    counts = win_counts(contests, ties=ties, cautious=False)
    rule = read_convention(convention, traits, contests)
    before, notes = _initial(initial, rule, spans[0], contests, method)
    ranker = {"elo": _by_elo, "davids_score": _by_davids_score, "reorder": _by_reordering}[method]
    ranked = ranker(contests, spans, before, rule, ties, k, delta)
    frame, periods = tables_of(contests, spans, ranked, method)
    active, passive = (
        float(frame[name].abs().sum() or 0.0) for name in ("active_change", "passive_change")
    )
    values = {
        "individuals": len(contests.individuals),
        "number_of_periods": len(spans),
        "active_share": active / (active + passive) if active + passive else None,
    }
    return PeriodRanks(
        method="period_ranks",
        data=contests,
        **values,
        frame=frame,
        tables={"periods": periods},
        summary=(*_summary(values, spans, contests, ranked), *notes, *counts.notes),
        settings={
            "per": per if isinstance(per, str) else [str(start) for start in per],
            "method": method,
            "initial": None if before is None else [contests.individuals[i] for i in before],
            "convention": convention,
            "traits": rule.source,
            **({"k": k, "delta": delta} if method == "elo" else {}),
            "ties": ties,
        },
        citations=("strauss2019",),
    )


def _initial(
    initial: Any, rule: Convention, first: Period, data: Contests, method: str
) -> tuple[list[int] | None, tuple[str, ...]]:
    """Codes in their order before the first period, None if all are equal; and notes."""
    members = first.members.tolist()
    if initial is None:
        if rule.name == "maternal":
            raise ArgumentError(
                f"{option('convention', 'maternal')} needs {option('initial')}: the ranks before "
                f"the first period."
            )
        if rule.name == "none":
            if method == "reorder":
                raise ArgumentError(
                    f"{option('method', 'reorder')} needs an order to start from: "
                    f"{option('initial')} or {option('convention')}."
                )
            return None, ()
        return rule.sorted(members), ()
    if isinstance(initial, Order | Ratings):
        table = initial.as_polars().sort("rank", maintain_order=True)
        names = table["individual"].to_list()
    elif isinstance(initial, str) or not isinstance(initial, Sequence):
        raise ArgumentTypeError(
            "initial must be names from the highest rank down, an Order or Ratings."
        )
    else:
        names = [str(name) for name in initial]
    codes = [data.code(name) for name in names]
    if len(set(codes)) < len(codes):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise ArgumentError(f"{option_name('initial')}: {quoted(twice)} appears more than once.")
    absent = [names[p] for p, code in enumerate(codes) if code not in members]
    missing = len(set(members) - set(codes))
    notes = []
    if absent:
        notes.append(f"With an initial rank, but not in the first period: {quoted(absent)}.")
    if missing:
        have = counted(missing, "member", "members")
        notes.append(f"{have} of the first period without an initial rank entered as newcomers.")
    return codes, tuple(notes)


def _drawn(data: Contests, places: np.ndarray) -> np.ndarray:
    return np.zeros(len(places), bool) if data.draw is None else data.draw[places]


def _scores(data: Contests, span: Period, members: list[int], ties: str) -> np.ndarray:
    """Wins of members over each other in a period, and ties by the rule."""
    place = np.full(len(data.individuals), -1)
    place[members] = np.arange(len(members))
    score = np.zeros((len(members), len(members)))
    drawn = _drawn(data, span.contests)
    winner, loser = place[data.winner[span.contests]], place[data.loser[span.contests]]
    np.add.at(score, (winner, loser), np.where(drawn, TIES[ties], 1.0))
    np.add.at(score, (loser, winner), np.where(drawn, TIES[ties], 0.0))
    return score


def _by_elo(
    data: Contests,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    ties: str,
    k: float,
    delta: float,
) -> list[Ranked]:
    state, out = EloState(float(k), float(delta)), []
    if before is not None:
        state.begin(before)
    for span in spans:
        members = span.members.tolist()
        state.change_members(members, rule)
        drawn = _drawn(data, span.contests)
        counted_in = span.contests if ties == "half" else span.contests[~drawn]
        drawn = drawn if ties == "half" else drawn[~drawn]
        state.rate(data.winner[counted_in], data.loser[counted_in], drawn)
        # Equal ratings keep the order before.
        members = _in_order(members, out[-1].order if out else before)
        out.append(Ranked(members, np.array([state.rating[code] for code in members])))
    return out


def _in_order(members: list[int], order: list[int] | None) -> list[int]:
    """Members in the given order, those that it does not contain last."""
    if order is None:
        return members
    place = {code: p for p, code in enumerate(order)}
    return sorted(members, key=lambda code: place.get(code, len(place)))


def _orders_before(
    spans: list[Period], before: list[int] | None, rule: Convention, out: list[Ranked]
) -> tuple[list[int], list[int]]:
    """Members of the next period in the order before its contests, and the newcomers."""
    members = set(spans[len(out)].members.tolist())
    history = [] if before is None else [before]
    history += [ranked.order for ranked in out]
    last = history[-1] if history else []
    stayed = [code for code in last if code in members]
    newcomers = [code for code in sorted(members) if code not in stayed]
    return placed(stayed, newcomers, rule, history), newcomers


def _by_davids_score(
    data: Contests,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    ties: str,
    *_: float,
) -> list[Ranked]:
    out: list[Ranked] = []
    known: dict[tuple[int, int], float] = {}  # D_ij of the last period
    for span in spans:
        order, newcomers = _orders_before(spans, before, rule, out)
        score = _scores(data, span, order, ties)
        if before is None and rule.name == "none":
            met = score + score.T > 0
            chance = np.where(met, informed_chances(score, np.full(score.shape, EVEN)), 0.0)
        else:
            prior = prior_of_order(len(order))
            if rule.name == "none":
                new = np.isin(order, newcomers)
                prior[new[:, None] | new[None, :]] = EVEN
            for i, one in enumerate(order):
                for j, other in enumerate(order):
                    prior[i, j] = known.get((one, other), prior[i, j])
            chance = informed_chances(score, prior)
            known = {
                (one, other): float(chance[i, j])
                for i, one in enumerate(order)
                for j, other in enumerate(order)
                if i != j
            }
        out.append(Ranked(order, normalized_scores(chance)))
    return out


def _by_reordering(
    data: Contests,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    ties: str,
    *_: float,
) -> list[Ranked]:
    out: list[Ranked] = []
    for span in spans:
        order, _newcomers = _orders_before(spans, before, rule, out)
        score = _scores(data, span, order, ties)
        best, inconsistencies, proved = reordered(score > score.T)
        members = [order[i] for i in best]
        out.append(Ranked(members, -np.arange(float(len(members))), inconsistencies, proved))
    return out


def _summary(
    values: dict[str, Any], spans: list[Period], data: Contests, ranked: list[Ranked]
) -> tuple[str, ...]:
    time = (
        f", from {spans[0].name} to {spans[-1].name}" if len(spans) > 1 else f" ({spans[0].name})"
    )
    summary = [
        f"{counted(values['individuals'], 'individual')} in {counted(len(spans), 'period')}{time}."
    ]
    share = values["active_share"]
    if share == 1:
        summary.append("All rank changes were active: none was due to arrivals or departures.")
    elif share is not None:
        summary.append(
            f"{share:.0%} of the rank changes were active, the rest passive (due to arrivals and "
            f"departures)."
        )
    if data.presence is None:
        summary.append(
            "Without presence data, members of a period are the individuals between their first "
            "and last period with a contest."
        )
    empty = sum(len(span.contests) == 0 for span in spans)
    if empty:
        have = counted(empty, "period has", "periods have")
        summary.append(f"{have} no contests: ranks were carried over.")
    unproved = sum(now.proved is False for now in ranked)
    if unproved:
        orders = counted(unproved, "period is", "periods are")
        summary.append(f"The order of {orders} the best found, not proven optimal.")
    return tuple(summary)
