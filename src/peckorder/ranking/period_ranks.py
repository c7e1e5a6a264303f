"""Ranks over study periods, informed by what was known before (Strauss & Holekamp 2019).

Ranking every period from scratch throws away what the period before has shown, and a rank may
change because others come and go although nobody was challenged. Here each period starts from the
ranks of the one before; newcomers enter by a convention of the species; the contests of the period
then change the ranks. The change of a rank is split: what happened among those present in both
periods is active, the rest, due to arrivals and departures, is passive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.data.tally import DRAWS, tally
from peckorder.ranking.conventions import Convention, placed, read_convention
from peckorder.ranking.informed import (
    EloState,
    informed_chances,
    normalized_scores,
    prior_of_order,
    reordered,
)
from peckorder.ranking.rank_changes import Ranked, tables_of
from peckorder.ranking.study_periods import Period, study_periods
from peckorder.results import Measure, Order, Ratings
from peckorder.tables import as_polars
from peckorder.wording import counted, quoted

METHODS = ("elo", "davids_score", "reorder")
EVEN = 0.5


def period_ranks(
    data: Interactions,
    *,
    per: Any = "year",
    method: str = "elo",
    initial: Sequence[str] | Order | Ratings | None = None,
    convention: str = "none",
    traits: Any = None,
    k: float = 200.0,
    delta: float = 0.01,
    draws: str = "omit",
) -> Measure:
    """Ranks of every individual in every study period, and how they changed.

    Parameters
    ----------
    data : Interactions, in order
        Members of a period are those present in it; without presence, those between their first
        and their last period with a contest. Who comes back after a period away is a newcomer.
    per : {"year", "quarter", "month", "season"} or list of dates
        Study periods; a list holds the first days of all (numbers of contests without dates).
    method : {"elo", "davids_score", "reorder"}
        Elo ratings that go on from period to period; David's scores with the D_ij of the period
        before as prior; or the order with the fewest inconsistencies in the period and, of these,
        the fewest dyads turned round against the order before.
    initial : list of names from the top down, Order or Ratings, optional
        Ranks before the first period; needed for maternal rank inheritance. Without it, the first
        order is that of the convention, or all start equal.
    convention : {"none", "maternal", "tenure", "age", "attribute"}
        Where newcomers enter: "none", at the mean rating (David's scores: with even chances;
        reorder: last); "maternal", just below the mother and above her older daughters; or by
        length of stay, age or a measurement.
    traits : mapping or table, optional
        What the convention needs: mother, day of joining (from presence where not given), date of
        birth or age, or measurement of each individual; a second value resolves ties (higher is
        higher-ranked, but in a litter 1 ranks before 2).
    k, delta : float
        Of Elo, with the curve 1/(1 + exp(−delta · difference)).
    draws : {"omit", "half", "both"}
        Elo takes "omit" and "half".

    Returns
    -------
    Measure
        Table: period, individual, score, rank, standardized_rank (1 for the highest, −1 for the
        lowest), newcomer, change, active_change, passive_change (positive is upwards; empty for
        newcomers). Table `periods`: period, start, end, contests, individuals, joined, left,
        similarity (share of dyads of members of both periods whose order stayed), and for
        reorder inconsistencies and proved. Values: `individuals`, `number_of_periods` and
        `active_share`, the share of the sum of |active| in |active| + |passive| changes.

    Notes
    -----
    With rank r among all members and s among members of both periods, change = r_before − r_now,
    active = s_before − s_now and passive = change − active. Elo: initial ratings are k apart;
    daughters enter 0.1 below their mothers; under tenure, age and attribute a newcomer gets the
    quantile of the present ratings that corresponds to its place by convention. David's scores:
    D_ij = P_ij − (P_ij − prior_ij)/(n_ij + 1), where the prior of a dyad that is new is ¾ and ¼ by
    the order with newcomers in place, and without convention and initial ranks every period stands
    for itself. Reorder is exact unless more than 20 individuals are connected by contradictions
    between the order before and the contests of the period.

    References
    ----------
    Strauss & Holekamp 2019, Journal of Animal Ecology 88:521–536,
    doi:10.1111/1365-2656.12951.

    Examples
    --------
    >>> import peckorder as po
    >>> from peckorder.ranking.period_ranks import period_ranks
    >>> found = period_ranks(po.datasets.adv(), per="month")
    >>> found.periods.select("period", "contests", "individuals").rows()
    [('2010-01', 31, 7), ('2010-02', 2, 4)]
    """
    if method not in METHODS:
        raise ValueError(f'method="{method}" is not known. Choose one of: {", ".join(METHODS)}.')
    _check_numbers(method, k, delta, draws)
    spans = study_periods(data, per)
    counts = tally(data, draws=draws, cautious=False)
    rule = read_convention(convention, traits, data)
    before, standing = _initial(initial, rule, spans[0], data, method)
    ranker = {"elo": _by_elo, "davids_score": _by_davids_score, "reorder": _by_reordering}[method]
    ranked = ranker(data, spans, before, rule, draws, k, delta)
    frame, periods = tables_of(data, spans, ranked, method)
    active, passive = (
        float(frame[name].abs().sum() or 0.0) for name in ("active_change", "passive_change")
    )
    values = {
        "individuals": len(data.individuals),
        "number_of_periods": len(spans),
        "active_share": active / (active + passive) if active + passive else None,
    }
    return Measure(
        method="period_ranks",
        data=data,
        values=values,
        frame=frame,
        tables={"periods": periods},
        words=(*_in_words(values, spans, data, ranked), *standing, *counts.notes),
        settings={
            "per": per if isinstance(per, str) else [str(start) for start in per],
            "method": method,
            "initial": None if before is None else [data.individuals[i] for i in before],
            "convention": convention,
            **({"k": float(k), "delta": float(delta)} if method == "elo" else {}),
            "draws": draws,
        },
        citations=("strauss2019",),
    )


def _check_numbers(method: str, k: Any, delta: Any, draws: str) -> None:
    for name, value in (("k", k), ("delta", delta)):
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not 0 < value < float("inf"):
            raise ValueError(f"{name}={value!r}: give a number above 0.")
    if method == "elo" and draws == "both":
        raise ValueError('method="elo" takes draws="omit" or draws="half".')


def _initial(
    initial: Any, rule: Convention, first: Period, data: Interactions, method: str
) -> tuple[list[int] | None, tuple[str, ...]]:
    """Codes of the members of the first period in their order before it, None where all are equal.

    Members that `initial` leaves out enter as newcomers."""
    members = first.members.tolist()
    if initial is None:
        if rule.name == "maternal":
            raise ValueError(
                'convention="maternal" needs initial=: the ranks before the first period.'
            )
        if rule.name == "none":
            if method == "reorder":
                raise ValueError('method="reorder" needs initial= or a convention to start from.')
            return None, ()
        return rule.sorted(members), ()
    if isinstance(initial, Order | Ratings):
        table = as_polars(initial.table).sort("rank", maintain_order=True)
        names = table["individual"].to_list()
    elif isinstance(initial, str) or not isinstance(initial, Sequence):
        raise TypeError("initial takes names from the top down, an Order or Ratings.")
    else:
        names = [str(name) for name in initial]
    codes = [data.code(name) for name in names]
    if len(set(codes)) < len(codes):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise ValueError(f"initial names {quoted(twice)} more than once.")
    absent = [names[p] for p, code in enumerate(codes) if code not in members]
    note = f"Ranked in initial= but not a member in the first period: {quoted(absent)}."
    missing = len(set(members) - set(codes))
    have = counted(missing, "member has", "members have")
    more = f"{have} no initial rank and entered the first period as newcomers."
    return codes, (*([note] if absent else []), *([more] if missing else []))


def _drawn(data: Interactions, places: np.ndarray) -> np.ndarray:
    return np.zeros(len(places), bool) if data.draw is None else data.draw[places]


def _scores(data: Interactions, span: Period, members: list[int], draws: str) -> np.ndarray:
    """Wins of members over each other in a period, and draws by the rule."""
    place = np.full(len(data.individuals), -1)
    place[members] = np.arange(len(members))
    score = np.zeros((len(members), len(members)))
    drawn = _drawn(data, span.contests)
    winner, loser = place[data.winner[span.contests]], place[data.loser[span.contests]]
    np.add.at(score, (winner, loser), np.where(drawn, DRAWS[draws], 1.0))
    np.add.at(score, (loser, winner), np.where(drawn, DRAWS[draws], 0.0))
    return score


def _by_elo(
    data: Interactions,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    draws: str,
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
        counted_in = span.contests if draws == "half" else span.contests[~drawn]
        drawn = drawn if draws == "half" else drawn[~drawn]
        state.rate(data.winner[counted_in], data.loser[counted_in], drawn)
        # The order before decides between equal ratings.
        members = _in_order(members, out[-1].order if out else before)
        out.append(Ranked(members, np.array([state.rating[code] for code in members])))
    return out


def _in_order(members: list[int], order: list[int] | None) -> list[int]:
    """Members in the order given, those it lacks last."""
    if order is None:
        return members
    place = {code: p for p, code in enumerate(order)}
    return sorted(members, key=lambda code: place.get(code, len(place)))


def _orders_before(
    spans: list[Period], before: list[int] | None, rule: Convention, out: list[Ranked]
) -> tuple[list[int], list[int]]:
    """Members of the next period in the order before its contests, and who of them is new."""
    members = set(spans[len(out)].members.tolist())
    history = [] if before is None else [before]
    history += [ranked.order for ranked in out]
    last = history[-1] if history else []
    stayed = [code for code in last if code in members]
    newcomers = [code for code in sorted(members) if code not in stayed]
    return placed(stayed, newcomers, rule, history), newcomers


def _by_davids_score(
    data: Interactions,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    draws: str,
    *_: float,
) -> list[Ranked]:
    out: list[Ranked] = []
    known: dict[tuple[int, int], float] = {}  # D_ij of the last period
    for span in spans:
        order, newcomers = _orders_before(spans, before, rule, out)
        score = _scores(data, span, order, draws)
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
    data: Interactions,
    spans: list[Period],
    before: list[int] | None,
    rule: Convention,
    draws: str,
    *_: float,
) -> list[Ranked]:
    out: list[Ranked] = []
    for span in spans:
        order, _newcomers = _orders_before(spans, before, rule, out)
        score = _scores(data, span, order, draws)
        best, inconsistencies, proved = reordered(score > score.T)
        members = [order[i] for i in best]
        out.append(Ranked(members, -np.arange(float(len(members))), inconsistencies, proved))
    return out


def _in_words(
    values: dict[str, Any], spans: list[Period], data: Interactions, ranked: list[Ranked]
) -> tuple[str, ...]:
    span = (
        f", from {spans[0].name} to {spans[-1].name}" if len(spans) > 1 else f" ({spans[0].name})"
    )
    said = [
        f"{counted(values['individuals'], 'individual')} in {counted(len(spans), 'period')}{span}."
    ]
    if values["active_share"] is not None:
        said.append(
            f"{values['active_share']:.0%} of the changes in rank were active; arrivals and "
            f"departures account for the rest."
        )
    if data.presence is None:
        said.append(
            "Presence is not known: members are those between their first and their last period "
            "with a contest."
        )
    empty = sum(len(span.contests) == 0 for span in spans)
    if empty:
        said.append(f"{counted(empty, 'period')} without contests: ranks were carried over.")
    unproved = sum(now.proved is False for now in ranked)
    if unproved:
        said.append(f"The order of {counted(unproved, 'period')} is the best found, not proved.")
    return tuple(said)
