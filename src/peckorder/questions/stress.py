"""Whether a record like this would have shown a change of rank, and how soon.

The schedule is kept: who met whom, and when. Strengths are drawn from their posterior, and outcomes
from strengths; at a random moment something happens. Each simulated record is analyzed as the real
one would be, and once more without the event, which gives the false alarms.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.read import Data, opened
from peckorder.data.same_time import K
from peckorder.errors import DataError, DataWarning
from peckorder.kernels.pairings import LEAST
from peckorder.random_runs import Progress
from peckorder.ratings.change_points import change_points
from peckorder.ratings.dynamic import dynamic, without_ties
from peckorder.ratings.filter_bank import drift_grid, prepared, settings_table
from peckorder.ratings.filter_runner import filtered_states, run_filters
from peckorder.ratings.likelihood import contests_of
from peckorder.results import Measure
from peckorder.structure.order_test import cost_of, record, rejects
from peckorder.text import counted, one_line
from peckorder.validate import one_of, positive, seed_number, whole_number

Event = Literal["takeover", "leap", "loss", "joiner"]
EVENTS = ("takeover", "leap", "loss", "joiner")
NATURAL = np.log(10) / 400  # log-odds per point of Elo
EARLIEST, LATEST = 0.3, 0.7  # of the record, when the event may happen
STAYING = 0.1  # share of the rest of the record that the individuals concerned must still see
RISE = 0.5  # of a leap above the first, in log-odds
SURE = 0.95
LOOKS = 40  # moments after the event at which dynamic ratings are examined
FEWEST = 3  # individuals
TESTED = ((20_000, 20), (200_000, 5))  # by the cost of one randomization: records that are tested
TEST_RUNS = 39
MOST_POINTS = 300  # contests of a record in which change points are sought
WORK, FEW = 3e8, 20  # of the filters of all records; records, if it is more
QUARTILES = (0.25, 0.5, 0.75)
WHAT = {
    "takeover": "A takeover",
    "leap": "A leap to the first rank",
    "loss": "The loss of the first, with a new first,",
    "joiner": "A newcomer stronger than the first",
}


@dataclass(frozen=True, eq=False, repr=False)
class Stress(Measure):
    """How soon a record would have shown an event."""

    event: str = ""  # what happened
    records: int = 0  # simulated records
    elo: float = 0.0  # share of records in which Elo and dynamic ratings showed it
    elo_days: float | None = None  # median days until then; None for never
    elo_without: float = 0.0  # share that showed it without the event
    dynamic: float = 0.0
    dynamic_days: float | None = None
    dynamic_without: float = 0.0
    order_test: float | None = None  # share in which they found a change; None if not run
    change_points: float | None = None
    # changes of the first rank by Elo per 100 contests without any event
    changes_per_100: float = 0.0


@dataclass(frozen=True)
class Scene:
    """An event: who is to rank above whom, from which contest on, and strengths around it."""

    at: int
    new: int
    rivals: np.ndarray
    here: np.ndarray
    before: np.ndarray
    after: np.ndarray
    kept: np.ndarray
    kept_without: np.ndarray


@dataclass(frozen=True)
class Sight:
    """When a method shows an event: contests, days and own contests since; infinite for never."""

    contests: float = np.inf
    days: float = np.inf
    own: float = np.inf
    at_end: bool = False
    known: bool = False  # it ranked so before the event


def stress(
    data: Data,
    *,
    event: Event = "takeover",
    k: float | None = None,
    runs: int = 100,
    seed: Any = None,
    progress: Progress | None = None,
) -> Stress:
    """How soon this record would have shown an event, by Elo, dynamic ratings and tests.

    Parameters
    ----------
    data : Contests, in a known order. Ties are left out.
    event : {"takeover", "leap", "loss", "joiner"}
        The first and the median-ranked exchange strengths; the median-ranked rises above the first;
        the first leaves, and the second is to rank above all others; a newcomer starts that is
        stronger than the first.
    k : float, optional
        Of Elo, 100 by default.
    runs : int
        Simulated records, each with and without the event.
    seed : int, SeedSequence or Generator, optional
    progress : callable, optional
        Called with (done, all) after each record.

    Returns
    -------
    Stress
        Values: for `elo` and `dynamic` the share of records that showed the event, the median
        number of days until then (without dates: of contests), and the share that showed the same
        without the event; the share of records in which `order_test` and `change_points` found a
        change; `changes_per_100`. Table: one row per method, with quartiles of contests, days, and
        contests of those concerned until it was shown (missing for never), the share that still
        showed it at the end, and the same without the event. Table `curve`: share that had shown
        it, by days, with and without the event.

    Notes
    -----
    Elo shows an event when the one that truly ranks above does so in the ratings; `dynamic`, when
    this has a probability of 0.95, given contests so far. The moment is random in the middle 40% of
    the record, and those concerned have later contests. Records that showed the order before the
    event are not counted. In large records `dynamic` is examined in 20 records, the tests in few or
    none (change points up to 300 contests). Strengths are those of a group without change: if
    `order_test` rejects that, they are blurred, and so are the numbers.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.stress(po.datasets.adv(), runs=20, seed=1)
    >>> found.elo > found.elo_without, found.dynamic < 0.3
    (True, True)
    """
    one_of("event", event, EVENTS)
    k = K if k is None else positive("k", k)
    whole_number("runs", runs, 1)
    number = seed_number(seed)
    contests = _usable(opened(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = dynamic(contests, static=True, samples=max(runs, 2), seed=number)
    random = np.random.default_rng(number)
    size, strengths = len(contests.individuals), fitted.final * fitted.curve.slope
    days = _days(contests)
    work = len(contests) * (size + 1) ** 2 * 60 * runs
    filtered = runs if work <= WORK * 60 else min(runs, FEW)
    tests = min(next((most for cost, most in TESTED if cost_of(contests) <= cost), 0), runs)
    sights: dict[tuple[str, bool], list[Sight]] = {
        (name, happens): [] for name in ("elo", "dynamic") for happens in (True, False)
    }
    found: dict[tuple[str, bool], list[bool]] = {
        (name, happens): [] for name in ("order_test", "change_points") for happens in (True, False)
    }
    changes = np.zeros(2)
    for run in range(runs):
        scene = _scene(contests, event, strengths[run], random)
        if scene is None:
            continue
        for happens in (True, False):
            kept = scene.kept if happens else scene.kept_without
            winner, loser = _outcomes(contests, scene, kept, happens, random)
            start = int(np.searchsorted(kept, scene.at))
            own = Played(winner, loser, days[kept], start, scene, size)
            indication, tops = own.elo(k * NATURAL)
            sights["elo", happens].append(own.sight(np.arange(start, len(winner) + 1), indication))
            if not happens:
                changes += np.array([np.count_nonzero(np.diff(tops)), len(tops)])
            if run < filtered:
                times = np.unique(np.linspace(start, len(winner), LOOKS).astype(int))
                sights["dynamic", happens].append(own.sight(times, own.dynamic(times)))
            if run < tests:
                _tested(found, happens, contests, kept, (winner, loser), number + run)
        if progress is not None:
            progress(run + 1, runs)
    if not sights["elo", True]:
        raise DataError(
            "No event can be put into this record: fewer than 3 individuals have contests before "
            "and after its middle. Use a longer record."
        )
    made = _result(contests, event, sights, found, changes)
    settings = {"event": event, "k": k, "runs": runs}
    made = replace(made, settings=settings, seed=number)
    return replace(made, summary=_in_words(made))


def _usable(data: Any) -> Contests:
    contests = contests_of(data, "questions.stress")
    if not contests.ordered:
        raise DataError(
            "stress needs the order of contests, which a matrix or counts do not hold. Read a file "
            "with one contest per row, in order or with dates."
        )
    contests, _ = without_ties(contests)
    if len(contests.individuals) < FEWEST or len(contests) < 10:
        raise DataError(
            f"Too few data: {counted(len(contests), 'contest')} of "
            f"{counted(len(contests.individuals), 'individual')}. An event needs at least 10 "
            f"decided contests of 3 individuals."
        )
    return contests


def _days(data: Contests) -> np.ndarray:
    """Days since the first contest; without dates, contests."""
    times = data.times
    if times.dtype.kind == "M":
        return (times - times[0]) / np.timedelta64(1, "D")
    return (times - times[0]).astype(float)


def _scene(
    data: Contests, event: Event, strength: np.ndarray, random: np.random.Generator
) -> Scene | None:
    """An event at a random moment, among those with contests before and after it."""
    number, size = len(data), len(data.individuals)
    at = int(random.integers(int(EARLIEST * number), max(int(LATEST * number), 1)))
    place = np.arange(number)
    first, last = np.full(size, number), np.full(size, -1)
    for side in (data.winner, data.loser):
        np.minimum.at(first, side, place)
        np.maximum.at(last, side, place)
    here = np.flatnonzero((first < at) & (last > at + STAYING * (number - at)))
    if len(here) < FEWEST:
        return None
    ranked = here[np.argsort(-strength[here])]
    old, new = int(ranked[0]), int(ranked[len(ranked) // 2])
    before, after, rivals = strength.copy(), strength.copy(), np.array([old])
    kept = kept_without = place
    if event == "takeover":
        after[old], after[new] = before[new], before[old]
    elif event == "leap":
        after[new] = before[old] + RISE
    elif event == "loss":
        new, rivals = int(ranked[1]), ranked[2:]
        kept = place[(place < at) | ((data.winner != old) & (data.loser != old))]
    else:
        after[new] = before[old] + RISE
        kept = place[(place >= at) | ((data.winner != new) & (data.loser != new))]
        kept_without = kept
    return Scene(at, new, rivals, here, before, after, kept, kept_without)


def _outcomes(
    data: Contests, scene: Scene, kept: np.ndarray, happens: bool, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Winners and losers of the contests that take place."""
    a, b = data.winner[kept].astype(int), data.loser[kept].astype(int)
    later = (kept >= scene.at) & happens
    ahead = np.where(later, scene.after[a] - scene.after[b], scene.before[a] - scene.before[b])
    won = random.random(len(kept)) < 1 / (1 + np.exp(-ahead))
    return np.where(won, a, b), np.where(won, b, a)


@dataclass(frozen=True, eq=False)
class Played:
    """A simulated record, from `start` on with an event."""

    winner: np.ndarray
    loser: np.ndarray
    days: np.ndarray
    start: int
    scene: Scene
    size: int

    def elo(self, k: float) -> tuple[np.ndarray, np.ndarray]:
        """Whether the order is shown at the event and after each contest, and who ranks first."""
        new, rivals, here = self.scene.new, self.scene.rivals, self.scene.here
        x = np.zeros(self.size)
        shown, tops = [], []
        for t, (one, other) in enumerate(zip(self.winner, self.loser, strict=True)):
            if t >= self.start:
                shown.append(x[new] > x[rivals].max())
                tops.append(here[int(np.argmax(x[here]))])
            step = k / (1 + np.exp(x[one] - x[other]))
            x[one] += step
            x[other] -= step
        shown.append(x[new] > x[rivals].max())
        return np.array(shown), np.array(tops)

    def dynamic(self, times: np.ndarray) -> np.ndarray:
        """Whether the order has a probability of 0.95 after these numbers of contests."""
        own, _, share = prepared(self.winner, self.loser, self.size, None, None, None, None)
        grid = drift_grid()
        table = settings_table(grid, share, 0.0)
        chances = np.cumsum(run_filters(own, table).log_chances, axis=1)
        sums = np.column_stack([np.zeros(len(table)), chances])[:, times]
        logs = grid.log_prior[:, None] + sums
        weight = np.exp(logs - logs.max(axis=0))
        weight /= weight.sum(axis=0)
        means, covariances = filtered_states(own, table, times, arrived=False)
        new, least = self.scene.new + 1, np.ones(len(times))
        for rival in self.scene.rivals + 1:
            ahead = means[..., new] - means[..., rival]
            spread = covariances[..., new, new] + covariances[..., rival, rival]
            spread = spread - 2 * covariances[..., new, rival]
            p = _normal(ahead / np.sqrt(np.maximum(spread, LEAST)))
            least = np.minimum(least, (weight * p).sum(axis=0))
        return least >= SURE

    def sight(self, times: np.ndarray, shown: np.ndarray) -> Sight:
        """When the order was first shown, at the given numbers of contests."""
        if shown[0]:
            return Sight(known=True)
        if not shown.any():
            return Sight()
        end = int(times[int(np.argmax(shown))])
        concerned = np.append(self.scene.rivals[:1], self.scene.new)
        part = slice(self.start, end)
        own = np.isin(self.winner[part], concerned) | np.isin(self.loser[part], concerned)
        since = self.days[end - 1] - self.days[min(self.start, len(self.days) - 1)]
        return Sight(end - self.start, float(since), float(own.sum()), bool(shown[-1]))


def _normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(z)


def _tested(
    found: dict[tuple[str, bool], list[bool]],
    happens: bool,
    data: Contests,
    kept: np.ndarray,
    played: tuple[np.ndarray, np.ndarray],
    seed: int,
) -> None:
    """Whether the order-dependence test and change points find a change."""
    names = np.unique(np.concatenate(played), return_inverse=True)[1]
    codes = names[: len(kept)], names[len(kept) :]
    p = rejects(record(*codes), null="strengths", runs=TEST_RUNS, seed=seed % 2**31)
    found["order_test", happens].append(p)
    if len(data) > MOST_POINTS:
        return
    part = data.take(kept)
    place = {name: code for code, name in enumerate(part.individuals)}
    code = np.array([place.get(name, 0) for name in data.individuals], np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        points = change_points(
            replace(part, winner=code[played[0]], loser=code[played[1]], presence=None), threads=1
        )
    found["change_points", happens].append(points.as_polars().height > 0)


def _result(
    data: Contests,
    event: str,
    sights: dict[tuple[str, bool], list[Sight]],
    found: dict[tuple[str, bool], list[bool]],
    changes: np.ndarray,
) -> Stress:
    rows, curves = [], []
    for name in ("elo", "dynamic"):
        with_it, without = (
            [one for one in sights[name, happens] if not one.known] for happens in (True, False)
        )
        row: dict[str, Any] = {"method": name, "records": len(with_it), "shown": _share(with_it)}
        for what in ("contests", "days", "own"):
            values = np.array([getattr(one, what) for one in with_it] or [np.inf])
            cuts = np.quantile(values, QUARTILES, method="higher")
            labels = (f"{what}_low", what, f"{what}_high")
            row |= {q: None if np.isinf(v) else float(v) for q, v in zip(labels, cuts, strict=True)}
        row["at_end"] = float(np.mean([one.at_end for one in with_it])) if with_it else None
        row["without"] = _share(without)
        rows.append(row)
        curves += _curve(name, with_it, without)
    for name in ("order_test", "change_points"):
        if found[name, True]:
            shares = [float(np.mean(found[name, happens])) for happens in (True, False)]
            number = len(found[name, True])
            rows.append(
                {"method": name, "records": number, "shown": shares[0], "without": shares[1]}
            )
    by_name = {row["method"]: row for row in rows}
    tests = {n: by_name[n]["shown"] for n in ("order_test", "change_points") if n in by_name}
    names = ("method", "days", "shown", "without")
    return Stress(
        method="stress",
        data=data,
        frame=pl.DataFrame(rows, infer_schema_length=None),
        tables={"curve": pl.DataFrame(curves, schema=names, orient="row")},
        event=event,
        records=len(sights["elo", True]),
        elo=by_name["elo"]["shown"] or 0.0,
        elo_days=by_name["elo"]["days"],
        elo_without=by_name["elo"]["without"] or 0.0,
        dynamic=by_name["dynamic"]["shown"] or 0.0,
        dynamic_days=by_name["dynamic"]["days"],
        dynamic_without=by_name["dynamic"]["without"] or 0.0,
        changes_per_100=float(100 * changes[0] / max(changes[1], 1)),
        **tests,
    )


def _share(sights: list[Sight]) -> float | None:
    return float(np.mean([np.isfinite(one.days) for one in sights])) if sights else None


def _curve(name: str, with_it: list[Sight], without: list[Sight]) -> list[tuple[Any, ...]]:
    """Share that had shown the event, by days since."""
    days = np.array([one.days for one in with_it]), np.array([one.days for one in without])
    every = np.unique(np.concatenate([[0.0], *days]))
    return [
        (name, float(day), *(float((one <= day).mean()) if one.size else 0.0 for one in days))
        for day in every[np.isfinite(every)]
    ]


def _in_words(found: Stress) -> tuple[str, ...]:
    unit = "contests" if found.data.date is None else "days"  # pyright: ignore
    when = "never" if found.elo_days is None else f"after {found.elo_days:,.0f} {unit}"
    k, event = found.settings["k"], WHAT[found.event]
    out = [
        f"{event} would have shown in Elo ratings (k = {k:g}) in {found.elo:.0%} of records "
        f"(median: {when}); dynamic ratings would be sure of it in {found.dynamic:.0%}.",
        f"Without it, Elo would have shown the same order in {found.elo_without:.0%} of records, "
        f"and dynamic ratings been sure of it in {found.dynamic_without:.0%}; the first rank by "
        f"Elo would have changed {found.changes_per_100:.1f} times per 100 contests.",
    ]
    tests = {"order_test": "the order-dependence test", "change_points": "change points"}
    said = [
        f"{text} in {getattr(found, name):.0%}"
        for name, text in tests.items()
        if getattr(found, name) is not None
    ]
    if said:
        out.append(one_line(f"A change was found by {' and by '.join(said)} of tested records."))
    return tuple(out)
