"""Did ranks change during the study? A randomization test of the order of contests.

If nothing changed, the order of the contests carries no information. The test compares the evidence
for drifting strengths in the record with that in records in which nothing can have changed: either
all outcomes with the same schedule and the same number of wins of everybody, equally likely under
a static Bradley–Terry model and drawn by reversing cycles (Besag & Clifford 1989), or the same
outcomes in a random order within each dyad.

Contests as a test of their order takes them: decided ones, who entered when, and a schedule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from peckorder.data.checks import pooled_groups
from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.data.matrix import Matrix
from peckorder.data.read import Data, opened, opened_contests
from peckorder.errors import DataError, caution
from peckorder.kernels import order_test as kernel
from peckorder.kernels.order_test import Grid, Schedule
from peckorder.random_runs import Progress, Runs, in_threads, monte_carlo_error, p_value
from peckorder.results import Measure
from peckorder.text import counted, p_text
from peckorder.validate import one_of, true_or_false, whole_number

SPREADS = np.array([0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5])
PRIOR_SPREAD = 2.5  # scale of the half-normal prior of the spread
STEPS = np.array([0.1, 0.2, 0.4, 0.8])  # drift per own contest, in log-odds
LATE = 0.01


@dataclass(frozen=True)
class Kept:
    """The contests that are tested, and what was left out."""

    data: Contests
    ties: int
    repeats: int
    expected_repeats: float
    bouts: int


@dataclass(frozen=True)
class Record:
    """A schedule with its outcomes, and the grid of the statistic."""

    schedule: Schedule
    won: np.ndarray
    grid: Grid


def decided_contests(data: Any, *, collapse_bouts: bool) -> Kept:
    """Contests in order without ties; of each bout the first decided one, if requested."""
    if isinstance(data, Matrix) or (isinstance(data, Contests) and not data.ordered):
        raise DataError(
            "order_test needs the order of contests, which a matrix or counts do not hold. "
            "Read a file with one contest per row, in order or with dates."
        )
    data = opened_contests(data, "order_test")
    if line := pooled_groups(data):
        caution(line)
    decided = np.ones(len(data), bool) if data.draw is None else ~data.draw
    if not decided.any():
        raise DataError("There is no decided contest: order_test leaves ties out.")
    low, high = np.minimum(data.winner, data.loser), np.maximum(data.winner, data.loser)
    dyad = low.astype(np.int64) * len(data.individuals) + high
    follows = np.append(False, dyad[1:] == dyad[:-1])
    keep = np.flatnonzero(decided)
    if collapse_bouts:
        bout = np.cumsum(~follows)[keep]
        keep = keep[np.append(True, bout[1:] != bout[:-1])]
    counts = np.unique(dyad, return_counts=True)[1]
    return Kept(
        data=data.take(keep, members=np.zeros(0, int)),
        ties=int((~decided).sum()),
        repeats=int(follows.sum()),
        expected_repeats=float((counts * (counts - 1)).sum() / len(data)),
        bouts=int(decided.sum()) - len(keep),
    )


def record_of(data: Contests) -> Record:
    """The arrays of contests without ties; presence is used where it is known."""
    if data.presence is None:
        return record(data.winner, data.loser)
    days, codes = whole_days(data.times), {name: i for i, name in enumerate(data.individuals)}
    inside = np.zeros((len(data), len(codes)), bool)
    enter = np.full(len(codes), len(data))
    presence = data.presence
    for name, start, end in zip(presence.individual, presence.start, presence.end, strict=True):
        begin, after = np.searchsorted(days, start), np.searchsorted(days, end, side="right")
        inside[begin:after, codes[name]] = True
        enter[codes[name]] = min(enter[codes[name]], begin)
    return record(data.winner, data.loser, enter=enter, inside=inside)


def record(
    winner: np.ndarray,
    loser: np.ndarray,
    *,
    enter: np.ndarray | None = None,
    inside: np.ndarray | None = None,
) -> Record:
    """Codes of winners and losers as a schedule with outcomes.

    `enter` numbers the contest before which each individual came (0: a founder), `inside` says who
    was in the group at each contest. Without them newcomers are inferred and nobody leaves.
    """
    number, size = len(winner), int(max(winner.max(), loser.max())) + 1
    at = np.arange(number)
    first_seen, last_seen = np.full(size, number), np.full(size, -1)
    for side in (winner, loser):
        np.minimum.at(first_seen, side, at)
        np.maximum.at(last_seen, side, at)
    if enter is None:
        own = np.bincount(winner, minlength=size) + np.bincount(loser, minlength=size)
        enter = np.where((1 - first_seen / number) ** own < LATE, first_seen, -1)
    enter = np.minimum(enter, first_seen)
    enter = np.where(enter <= 0, -1, enter)
    there = at[:, None] > enter
    if inside is not None:
        there &= inside
    entry = np.zeros(number, bool)
    entry[enter[enter >= 0]] = True
    side_a, side_b = np.minimum(winner, loser), np.maximum(winner, loser)
    dyad = side_a.astype(np.int64) * size + side_b
    by_dyad = np.argsort(dyad, kind="stable")
    begins = np.flatnonzero(np.append(True, np.diff(dyad[by_dyad]) != 0))
    around = (last_seen - first_seen + 1).sum() / number
    density = np.exp(-0.5 * (SPREADS / PRIOR_SPREAD) ** 2) * SPREADS * np.gradient(np.log(SPREADS))
    return Record(
        Schedule(
            first=side_a.astype(np.int64),
            second=side_b.astype(np.int64),
            enter=enter.astype(np.int64),
            there=there,
            entry=entry,
            by_dyad=by_dyad,
            bounds=np.append(begins, number),
        ),
        winner == side_a,
        Grid(SPREADS, np.log(density / density.sum()), STEPS**2 * 2 / max(around, 2)),
    )


NULLS = {"strengths": kernel.STRENGTHS, "dyads": kernel.DYADS}
LEVEL = 0.05
POWER_TESTS = 19  # randomizations of a simulated record: enough for a decision at the 5% level
BLOCK = 8
# Simulated records for the power, by the cost of one randomization (see `cost_of`).
POWER_BY_COST = ((20_000, 40), (200_000, 20))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrderTest(Measure):
    """Randomization test of the order of contests, with its power."""

    value: float  # log evidence of drift
    p: float
    p_error: float  # Monte Carlo standard error
    runs: int
    contests: int  # tested
    ties: int  # left out
    repeats: int  # contests that directly follow another one of the same dyad
    bouts: int  # contests left out by collapsing bouts
    power: float | None = None  # against a takeover, at the 5% level
    power_se: float | None = None  # standard error
    power_runs: int | None = None  # simulated records
    null: np.ndarray  # evidence in each randomization


def order_test(
    data: Data,
    *,
    null: Literal["strengths", "dyads"] = "strengths",
    collapse_bouts: bool = False,
    runs: int = 199,
    power_runs: int | None = None,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> OrderTest:
    """Test whether ranks changed during the study.

    Parameters
    ----------
    data : Contests, in a known order. Ties are left out and counted.
    null : {"strengths", "dyads"}
        What is held fixed: the schedule and everybody's number of wins (static Bradley–Terry
        strengths), or the outcomes of each dyad, whose order is permuted.
    collapse_bouts : bool
        Reduce each bout (contests of the same dyad in a row) to its first decided contest. Use it
        where outcomes within a bout may depend on each other.
    runs : int
        Randomizations.
    power_runs : int, optional
        Simulated records for the power against a takeover; 0 leaves it out. By default 40, in
        larger records 20, and none in very large ones, nor if p ≤ 0.05. Each takes up to a tenth
        of the time of a test with 199 runs.
    seed : int, SeedSequence or Generator, optional
    threads : int, optional
        All cores by default. The result is the same for any number.
    progress : callable, optional
        Called with (done, all) now and then.

    Returns
    -------
    OrderTest
        Values: `value`, the statistic; `p`, (count + 1)/(runs + 1), with its Monte Carlo standard
        error `p_error`; `runs`; `contests` tested; `ties` left out; `repeats`, contests that
        directly follow another one of the same dyad; `bouts`, contests left out by
        `collapse_bouts`; `power` against a takeover at the 5% level with its standard error
        `power_se` and `power_runs`. `null`: the statistic of each randomization.

    Raises
    ------
    DataError
        Where the order of contests is not known, or there is no decided contest.

    Notes
    -----
    The statistic is the log evidence of a model in which strengths r ~ N(0, σ²) move by a normal
    step with standard deviation τ √(2/K) before each contest (K: mean number of individuals between
    their first and last contest), summed over τ = 0.1, 0.2, 0.4, 0.8 and over the σ whose posterior
    probability in a static model is at least a tenth of the highest. Newcomers enter at a level
    relative to those present that is estimated too, so turnover is not taken for change. With
    presence, entries are known and the absent do not move; without it an individual with c
    contests, the first at position f of n, is a newcomer if (1 − f/n)^c < 0.01.

    Power: strengths are drawn from their static posterior; from the middle of the same schedule
    on, the strongest individual and one of the weakest third (of those seen in both halves) have
    changed places. A record is tested with up to 19 randomizations, which slightly underestimates
    the power of a test with more.

    References
    ----------
    Besag & Clifford 1989, Biometrika 76:633–642, doi:10.1093/biomet/76.4.633.
    Besag & Clifford 1991, Biometrika 78:301–304, doi:10.1093/biomet/78.2.301.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.order_test(po.datasets.adv(), seed=1)
    >>> found.p > 0.05, found.contests
    (True, 33)
    >>> print(found.summary[0])
    There is no evidence that ranks changed during the study (order-dependence test, p = 0.19; ...
    """
    contests: Contests = opened(data)
    one_of("null", null, NULLS)
    true_or_false("collapse_bouts", collapse_bouts)
    random = Runs.of(runs, seed, threads, progress)
    kept = decided_contests(contests, collapse_bouts=collapse_bouts)
    power_runs = _power_runs(kept.data) if power_runs is None else power_runs
    power_runs = whole_number("power_runs", power_runs, 0)
    record = record_of(kept.data)
    everything = random.number + POWER_TESTS * power_runs
    watched = _Counted(progress, everything)

    keys = np.array([random.key(purpose) for purpose in range(5)])
    statistic, drawn = _test(record, NULLS[null], keys[:2], random, watched)
    p = p_value(drawn >= statistic - kernel.AS_LARGE)
    values: dict[str, Any] = {
        "value": statistic,
        "p": p,
        "p_error": monte_carlo_error(p, random.number),
        "runs": random.number,
        "contests": len(kept.data),
        "ties": kept.ties,
        "repeats": kept.repeats,
        "bouts": kept.bouts,
    }
    if power_runs and p > LEVEL:
        detected = _takeovers(record, NULLS[null], keys[2:], power_runs, random, watched)
        power = None if detected is None else float(detected.mean())
        values["power"] = power
        values["power_se"] = None if power is None else _error(power, power_runs)
        values["power_runs"] = power_runs
    if progress is not None:
        progress(everything, everything)
    return OrderTest(
        method="order_test",
        data=contests,
        **values,
        summary=_in_words(values, kept, stuck=bool(np.ptp(np.append(drawn, statistic)) < 1e-9)),
        settings={
            "null": null,
            "collapse_bouts": collapse_bouts,
            "runs": random.number,
            "power_runs": power_runs,
        },
        citations=("besag1989", "besag1991") if power_runs else ("besag1989",),
        null=drawn,
        seed=random.seed,
    )


@dataclass
class _Counted:
    """Progress of pieces of work of different weight."""

    progress: Progress | None
    everything: int
    before: int = 0

    def of_part(self, weight: int) -> Progress | None:
        """A callback for one piece of work, each step of which counts as `weight` steps."""
        if self.progress is None:
            return None
        report, before = self.progress, self.before
        return lambda done, of: report(before + weight * done, self.everything)


def cost_of(data: Contests) -> float:
    """Relative cost of one randomization of a record."""
    individuals = len(data.individuals)
    return len(data) * individuals * (1 + individuals / 50)


def _power_runs(data: Contests) -> int:
    """Number of simulated records that takes a few seconds at most."""
    return next((runs for most, runs in POWER_BY_COST if cost_of(data) <= most), 0)


def statistic_of(record: Record) -> float:
    """Log evidence of drift."""
    return float(kernel.statistic(record.schedule, record.won, record.grid, *_room(record)))


def rejects(record: Record, *, null: str, runs: int, seed: int, level: float = LEVEL) -> bool:
    """Whether p ≤ level, as `order_test` has it with this seed; ends as soon as that is known."""
    random = Runs.of(runs, seed, 1, None)
    keys = np.array([random.key(0), random.key(1)])
    most = int(level * (runs + 1) + 1e-9) - 1
    return bool(
        kernel.rejected(keys, NULLS[null], record.schedule, record.won, record.grid, runs, most)
    )


def _test(
    record: Record, null: int, keys: np.ndarray, random: Runs, watched: _Counted
) -> tuple[float, np.ndarray]:
    """The statistic of the record and of its randomizations."""
    hub = kernel.hub_of(keys[0], null, record.schedule, record.won)
    drawn = np.empty(random.number)

    def work(begin: int, end: int) -> None:
        kernel.null_statistics(
            keys[1], begin, null, record.schedule, hub, record.grid, drawn[begin:end]
        )

    in_threads(
        work, random.number, block=BLOCK, threads=random.threads, progress=watched.of_part(weight=1)
    )
    watched.before += random.number
    return statistic_of(record), drawn


def _takeovers(
    record: Record, null: int, keys: np.ndarray, runs: int, random: Runs, watched: _Counted
) -> np.ndarray | None:
    """Which simulated takeovers are detected; None where nobody could have changed places."""
    schedule, half = record.schedule, len(record.won) // 2
    sides = np.stack([schedule.first, schedule.second])
    seen = np.intersect1d(sides[:, :half], sides[:, half:])
    if len(seen) < 3:
        return None
    mean, cov = _room(record)
    log_posterior = kernel.static_posterior(schedule, record.won, record.grid, mean, cov)
    weight = np.exp(log_posterior - log_posterior.max())
    chances = kernel.Chances(
        np.cumsum(weight / weight.sum()), mean[:, 1:].copy(), np.linalg.cholesky(cov[:, 1:, 1:])
    )
    detected = np.empty(runs, bool)
    most = int(LEVEL * (POWER_TESTS + 1) + 1e-9) - 1

    def work(begin: int, end: int) -> None:
        kernel.takeovers_detected(
            keys,
            begin,
            null,
            schedule,
            chances,
            seen,
            record.grid,
            POWER_TESTS,
            most,
            detected[begin:end],
        )

    in_threads(
        work, runs, block=1, threads=random.threads, progress=watched.of_part(weight=POWER_TESTS)
    )
    return detected


def _room(record: Record) -> tuple[np.ndarray, np.ndarray]:
    """Room for the state of one filter per spread."""
    spreads, size = len(record.grid.sigma), len(record.schedule.enter) + 1
    return np.empty((spreads, size)), np.empty((spreads, size, size))


def _error(share: float, number: int) -> float:
    return float(np.sqrt(share * (1 - share) / number))


def _in_words(values: dict[str, Any], kept: Kept, *, stuck: bool) -> tuple[str, ...]:
    p, power = values["p"], values.get("power")
    said = p_text(p)
    if power is not None:
        said += f"; power against a takeover in a record like this: {power:.2f}"
    in_bouts = not values["bouts"] and values["repeats"] > 2 * kept.expected_repeats + 3
    verdict = "There is no evidence that ranks changed during the study"
    if p <= LEVEL:
        verdict = "The order of contests matters: ranks changed during the study"
        verdict += ", or outcomes within bouts depend on each other" if in_bouts else ""
    out = [f"{verdict} (order-dependence test, {said})."]
    if stuck:
        out.append("No randomization differs from the record: these data cannot show a change.")
    if power is not None:
        out.append(
            f"Power is the share of {counted(values['power_runs'], 'simulated record')} with a "
            f"takeover in the middle in which p ≤ 0.05 (Monte Carlo error "
            f"{values['power_se']:.2f}), if strengths are those of a group without change."
        )
    elif values.get("power_runs"):
        out.append(
            "Power cannot be estimated: fewer than 3 individuals have contests in both halves."
        )
    if values["ties"]:
        out.append(f"{counted(values['ties'], 'tie was', 'ties were')} left out.")
    if values["bouts"]:
        out.append(
            f"Bouts were reduced to their first decided contest: "
            f"{counted(values['bouts'], 'contest was', 'contests were')} left out."
        )
    elif in_bouts:
        out.append(
            f"{counted(values['repeats'], 'contest')} directly followed another one of the same "
            f"dyad ({kept.expected_repeats:.1f} expected in a random order). If outcomes within "
            f"such bouts depend on each other, collapse the bouts: otherwise the test gives "
            f"false alarms."
        )
    return tuple(out)
