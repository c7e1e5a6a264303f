"""Planning a study: how many contests, or hours, until its conclusion can be relied upon.

Studies are simulated with more and more contests until the target is met; the number needed is
interpolated between the numbers tried, and its Monte Carlo error follows from theirs.

Records of a planned study: from assumptions about a group, or from a pilot record of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.executors.mapping import checked_executor
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.likelihood import contests_of
from peckorder.results import Measure
from peckorder.simulate.hierarchies import hierarchy, names_of
from peckorder.simulate.recovery import method_of, percent
from peckorder.simulate.recovery_runs import (
    METHODS,
    Study,
    Worlds,
    in_parts,
    may_be_equal,
    monte_carlo_error_of,
    posterior_of,
    stream,
    unfitted,
    values_of,
)
from peckorder.simulate.truth import Truth
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness_bayes import steepness_bayes
from peckorder.text import counted, option, option_name
from peckorder.validate import between_0_and_1, is_number, one_of, positive, whole_number

MOST_TIES = 1e5  # ν at which practically all contests are ties
UNSEEN = 0.5  # contests added to each dyad of a pilot: a dyad that did not meet may meet


@dataclass(frozen=True)
class Assumed:
    """A group with strengths and encounters as assumed."""

    names: tuple[str, ...]
    spread: float
    strengths: Any
    meeting: Any
    unknown: float  # share of dyads that never meet

    @classmethod
    def of(cls, individuals: Any, spread: float, strengths: Any, meeting: Any, unknown: Any):
        """Checked assumptions."""
        names = names_of(individuals)
        if not is_number(unknown) or not 0 <= unknown < 1:
            raise ArgumentError(
                f"{option('unknown', str(unknown))}: give a share of dyads, from 0 to below 1."
            )
        dyads = len(names) * (len(names) - 1) / 2
        most = 1 - (len(names) - 1) / dyads
        if unknown > most:
            raise ArgumentError(
                f"{option('unknown', str(unknown))}: {len(names)} individuals stay connected only "
                f"if at most {most:.2f} of the dyads never meet."
            )
        if unknown and not (isinstance(meeting, str) and meeting == "equal"):
            raise ArgumentError(
                f"{option_name('unknown')} needs {option('meeting', 'equal')}. Otherwise give "
                f"a matrix with zeros as the meeting."
            )
        return cls(names, spread, strengths, meeting, float(unknown))

    @property
    def flat(self) -> bool:
        """Whether all individuals are equal."""
        if isinstance(self.strengths, str):
            return self.spread == 0
        return bool(np.ptp(np.asarray(self.strengths, float)) == 0)

    def record(self, run: int, seed: int, contests: float | None) -> tuple[Truth, Contests]:
        """A truth and a record of it."""
        return hierarchy(
            self.names,
            int(contests or 1),
            strengths=self.strengths,
            spread=self.spread,
            meeting=self._meeting(seed) if self.unknown else self.meeting,
            seed=seed,
        )

    def _meeting(self, seed: int) -> np.ndarray:
        """Equal rates of all dyads but random ones that never meet; everybody stays connected."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 10]))
        size = len(self.names)
        path = random.permutation(size)
        kept = np.zeros((size, size), bool)
        kept[path[:-1], path[1:]] = kept[path[1:], path[:-1]] = True
        a, b = np.triu_indices(size, 1)
        free = np.flatnonzero(~kept[a, b])
        lost = random.choice(free, min(len(free), round(self.unknown * len(a))), replace=False)
        meeting = np.ones((size, size))
        meeting[a[lost], b[lost]] = meeting[b[lost], a[lost]] = 0.0
        return meeting


@dataclass(frozen=True)
class Pilot:
    """A group as a pilot record leaves it: possible ratings, and how often pairs meet."""

    worlds: Worlds
    names: tuple[str, ...]
    met: np.ndarray  # contests of each pair in the pilot

    @classmethod
    def of(cls, data: Contests | Matrix, runs: int, seed: int, threads: int | None) -> Pilot:
        """Posterior of the pilot and its encounters, of those present at the end."""
        contests = contests_of(data, "power")
        worlds = Worlds.of(posterior_of(contests, seed, threads), runs, seed)
        met = np.zeros((len(contests.individuals),) * 2)
        np.add.at(met, (contests.winner, contests.loser), 1.0)
        there = np.flatnonzero(worlds.present)
        names = tuple(contests.individuals[i] for i in there)
        return cls(worlds, names, (met + met.T)[np.ix_(there, there)])

    def record(self, run: int, seed: int, contests: float | None) -> tuple[Truth, Contests]:
        """A truth and a record of it; encounter rates are drawn given the pilot."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 11]))
        rate = np.triu(random.gamma(self.met + UNSEEN), 1)
        return hierarchy(
            self.names,
            int(contests or 1),
            strengths=self.worlds.courses.strengths[run, -1, self.worlds.present],
            meeting=rate + rate.T,
            nu=min(self.worlds.ratings.bank.nu, MOST_TIES),
            seed=seed,
        )


TARGETS = {"dyads": 0.95, "steepness": 0.8, "linearity": 0.8}  # and their usual goals
EFFORT = (100, 200, 400, 800)
MOST_PER_DYAD = 200  # contests at which the search ends
REFINED = 3  # numbers of contests tried between the last two of the search
PERTURBED = 400
LEAST_LINEAR = 6  # individuals: a linear hierarchy of 5 has p = 0.12
LEVEL, RANDOMIZATIONS = 0.05, 999  # of the test of h′


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Power(Measure):
    """Contests that a study needs; the table has one row per number of contests."""

    goal: float | None = None
    contests: int | None = None  # needed; None if no number tried is sufficient
    contests_se: float | None = None  # Monte Carlo standard error
    hours: float | None = None


def power(
    individuals: Any = 10,
    spread: float = 3.0,
    *,
    target: Literal["dyads", "steepness", "linearity"] | None = None,
    goal: float | None = None,
    within: float = 0.1,
    rate: float | None = None,
    effort: Sequence[int] | None = None,
    method: str | None = None,
    meeting: Any = None,
    unknown: float = 0.0,
    strengths: Any = "grid",
    runs: int = 100,
    seed: Any = None,
    threads: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Power:
    """Number of contests (or hours) that a study needs, or its expected errors.

    Parameters
    ----------
    individuals : number of individuals, their names, or a pilot (Contests or Matrix)
        With a pilot, possible ratings are drawn from its posterior (`dynamic`, at its last
        contest; all individuals may be equal, too), and pairs meet about as often as in the pilot.
    spread, strengths : as in `simulate.hierarchy`, without a pilot.
    target : {"dyads", "steepness", "linearity"}, optional
        Find the number of contests for which: the expected share of dyads in the correct order is
        `goal` (0.95); steepness is known to ±`within`, that is, half the width of its 95% credible
        interval (`steepness_bayes`) is no more, in a share `goal` (0.8) of studies; the test of h′
        gives p ≤ 0.05 with power `goal` (0.8).
    goal : float, optional
        Between 0 and 1; the default depends on the target.
    within : float
        Margin of steepness, for the target "steepness".
    rate : float, optional
        Contests observed per hour, to report hours as well.
    effort : numbers of contests, optional
        Numbers to try. By default the target is searched; without a target 100, 200, 400, 800.
    method, settings : as in `recovery`, for ranks and the target "dyads"
        Default "dynamic" with constant ratings.
    meeting : as in `simulate.hierarchy`, without a pilot.
    unknown : float
        Share of dyads that never meet, without a pilot.
    runs : int
        Number of simulated studies for each number of contests.
    seed, threads, executor, progress : as in `recovery`.

    Returns
    -------
    Power
        Table, one row per number of contests: contests, per_individual, per_dyad, hours (with
        `rate`), and with a target `reached` and its Monte Carlo error `reached_se`; otherwise
        value (the rank correlation), rank_mae and dyads_correct with Monte Carlo errors, coverage
        and interval_width (of 95% intervals, if the method has any). Values with a target:
        `contests` needed, `contests_se` (Monte Carlo), `hours`, `goal`; `contests` is None if no
        number tried is sufficient.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.power(6, 2, target="linearity", rate=4, runs=40, seed=1)
    >>> 20 < found.contests < 200, found.hours == found.contests / 4
    (True, True)
    >>> few, many = po.power(8, 3, effort=[50, 400], runs=20, seed=1).table["rank_mae"]
    >>> few > many
    True
    """
    if target is not None:
        one_of("target", target, tuple(TARGETS))
        goal = TARGETS[target] if goal is None else between_0_and_1("goal", goal)
    elif goal is not None:
        raise ArgumentError(
            f"{option_name('goal')} needs a target, such as {option('target', 'dyads')}."
        )
    positive("within", within)
    if rate is not None:
        positive("rate", rate)
    if target in ("steepness", "linearity") and (method is not None or settings):
        given = "method" if method is not None else next(iter(settings))
        raise ArgumentError(
            f"{option_name(given)} is for ranks; {option('target', str(target))} has none."
        )
    each = replace(Runs.of(runs, seed, threads, progress), executor=checked_executor(executor))
    plan = _plan(individuals, spread, strengths, meeting, unknown, each)
    _refuse_impossible(target, plan)
    method = method_of(method, settings)
    if method == "dynamic":  # true ratings are constant in a planned study
        settings = {"static": True} | settings
    tries = _Tries(plan, each, method, settings, target, within, rate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = _numbers(effort)
        if target is None or goal is None:
            for contests in numbers or EFFORT:
                tries.measure(contests)
        elif numbers:
            for contests in numbers:
                tries.measure(contests)
        else:
            _search(tries, goal)
    rows = sorted(tries.rows, key=lambda row: row["contests"])
    frame = pl.DataFrame(rows, infer_schema_length=None)
    values: dict[str, Any] = {}
    if target is not None and goal is not None:
        values = _needed(frame, goal, rate, each.number)
    return Power(
        method="power",
        data=tries.sample(),
        **values,
        frame=frame,
        summary=tuple(_summary(values, rows, target, within, rate, plan)),
        settings={
            "individuals": len(plan.names),
            "pilot": isinstance(plan, Pilot),
            "spread": None if isinstance(plan, Pilot) else spread,
            "target": target,
            "within": within if target == "steepness" else None,
            "rate": rate,
            "effort": [row["contests"] for row in rows],
            "method": None if target in ("steepness", "linearity") else method,
            "meeting": meeting if isinstance(meeting, str | None) else "given",
            "unknown": unknown,
            "runs": runs,
            **settings,
        },
        citations=("goffe2018",),
        seed=each.seed,
    )


def _refuse_impossible(target: str | None, plan: Assumed | Pilot) -> None:
    """Targets that no number of contests can reach."""
    size = len(plan.names)
    if target == "linearity" and size < LEAST_LINEAR:
        raise ArgumentError(
            f"{option('target', 'linearity')}: with {size} individuals h′ is never significant, "
            f"because random hierarchies are linear too often. It needs at least {LEAST_LINEAR}."
        )
    if target == "steepness" and size < 3:
        raise ArgumentError(f"{option('target', 'steepness')} needs at least 3 individuals.")
    if target == "dyads" and isinstance(plan, Assumed) and plan.flat:
        raise ArgumentError(
            f"{option('spread', '0')}: equal individuals have no order. Give a spread above 0."
        )


def _plan(
    individuals: Any, spread: float, strengths: Any, meeting: Any, unknown: float, each: Runs
) -> Assumed | Pilot:
    if isinstance(individuals, str):
        raise ArgumentTypeError(
            f"power takes a number of individuals or a pilot that has been read: "
            f"peckorder.power(peckorder.read({individuals!r}))."
        )
    if not isinstance(individuals, Contests | Matrix):
        rule = "equal" if meeting is None else meeting
        return Assumed.of(individuals, spread, strengths, rule, unknown)
    if meeting is not None or unknown:
        name = "meeting" if meeting is not None else "unknown"
        raise ArgumentError(
            f"{option_name(name)} cannot be combined with a pilot, which has its own encounters. "
            f"Leave one of them out."
        )
    return Pilot.of(individuals, each.number, each.seed, each.threads)


def _numbers(effort: Any) -> list[int]:
    if effort is None:
        return []
    numbers = [effort] if np.isscalar(effort) else list(effort)
    if len(numbers) == 0:
        raise ArgumentError("effort is empty: give at least one number of contests.")
    return [whole_number("effort", number, 1) for number in numbers]


@dataclass
class _Tries:
    """Numbers of contests tried, with what was found."""

    plan: Assumed | Pilot
    each: Runs
    method: str
    settings: dict[str, Any]
    target: str | None
    within: float
    rate: float | None

    def __post_init__(self):
        self.rows: list[dict[str, Any]] = []

    def sample(self) -> Contests:
        """A simulated record, to stand for the data; tables come as those of the pilot."""
        most = max(row["contests"] for row in self.rows)
        record = self.plan.record(0, self.each.seed, most)[1]
        if not isinstance(self.plan, Pilot):
            return record
        flavor = self.plan.worlds.ratings.data.flavor
        return replace(record, report=replace(record.report, flavor=flavor))

    def measure(self, contests: int) -> float | None:
        """Simulate studies with this number of contests; the share that meets the target."""
        runs = stream(self.each, contests)
        size = len(self.plan.names)
        row: dict[str, Any] = {
            "contests": contests,
            "per_individual": 2 * contests / size,
            "per_dyad": contests / (size * (size - 1) / 2),
        }
        if self.rate is not None:
            row["hours"] = contests / self.rate
        if self.target in ("steepness", "linearity"):
            within = self.within if self.target == "steepness" else None
            reached = _Judged(self.plan, contests, within).all(runs)
            row |= {
                "reached": float(reached.mean()),
                "reached_se": monte_carlo_error_of(reached),
            }
        else:
            study = Study(METHODS[self.method], self.settings, self.plan.record, self.plan.names)
            found = study.runs(runs, float(contests), course=False)
            unfitted(found)
            errors_of = values_of(found)
            if self.target == "dyads":
                row |= {
                    "reached": errors_of["dyads_correct"],
                    "reached_se": errors_of["dyads_correct_se"],
                }
            else:
                names = ("value", "rank_mae", "rank_mae_se", "dyads_correct")
                names += ("dyads_correct_se", "coverage")
                row |= {name: errors_of[name] for name in names}
                row["interval_width"] = found.width()
        self.rows.append(row)
        return row.get("reached")


@dataclass(frozen=True)
class _Judged:
    """Simulated studies of a number of contests, and whether they meet a target."""

    plan: Assumed | Pilot
    contests: int
    within: float | None  # margin of steepness; None for linearity

    def all(self, runs: Runs) -> np.ndarray:
        """Whether each of several studies meets the target."""
        seeds = np.random.SeedSequence(runs.seed).generate_state(runs.number)
        numbered = list(enumerate(seeds.tolist()))
        if runs.executor is not None:
            return np.array(in_parts(_judged, numbered, self, runs))
        out = np.zeros(runs.number)

        def work(begin: int, end: int) -> None:
            for run in range(begin, end):
                out[run] = _judged(self, numbered[run])

        runs.do(work, 1)
        return out


def _judged(judge: _Judged, run: tuple[int, int]) -> float:
    """Whether one study meets the target, as 1 or 0."""
    number, seed = run
    _, data = judge.plan.record(number, seed, float(judge.contests))
    if len(data.individuals) < 3:  # there is nothing to claim
        return 0.0
    if judge.within is None:
        return float(_linear(data, seed))
    found = steepness_bayes(data, ties="davidson", fair_coins=0, seed=seed, threads=1)
    return float(found.value.high - found.value.low <= 2 * judge.within)


def _linear(data: Contests, seed: int) -> bool:
    try:
        found = linearity(data, runs=RANDOMIZATIONS, seed=seed, threads=1)
    except DataError:  # ties only
        return False
    return found.p <= LEVEL


def _search(tries: _Tries, goal: float) -> None:
    """Double the number of contests until the goal is reached, then try numbers in between."""
    size = len(tries.plan.names)
    dyads = size * (size - 1) // 2
    contests = max(3, size)
    before = None
    while (tries.measure(contests) or 0.0) < goal:
        before = contests
        contests *= 2
        if contests > MOST_PER_DYAD * dyads:
            return
    if before is None:
        return
    between = np.geomspace(before, contests, REFINED + 2)[1:-1].round().astype(int)
    for number in np.unique(between):
        if before < number < contests:
            tries.measure(int(number))


def _needed(frame: pl.DataFrame, goal: float, rate: float | None, runs: int) -> dict[str, Any]:
    """Contests needed, and its Monte Carlo error, from what perturbed shares would give."""
    number = frame["contests"].to_numpy().astype(float)
    reached = np.array([0.0 if one is None else one for one in frame["reached"]])
    noise = np.array([0.0 if one is None else one for one in frame["reached_se"]])
    noise = np.sqrt(noise**2 + 0.25 / runs**2)  # a share of 0 or 1 is not exact
    needed = crossing(number, reached, goal)
    values: dict[str, Any] = {"goal": goal, "contests": None, "contests_se": None}
    if needed is not None:
        values["contests"] = int(np.ceil(needed))
        random = np.random.default_rng(1)
        again = [crossing(number, random.normal(reached, noise), goal) for _ in range(PERTURBED)]
        if needed > number[0]:
            values["contests_se"] = float(np.std([number[-1] if n is None else n for n in again]))
    if rate is not None:
        contests = values["contests"]
        values["hours"] = None if contests is None else contests / rate
    return values


def crossing(number: np.ndarray, reached: np.ndarray, goal: float) -> float | None:
    """Where shares, made monotone, reach a goal, interpolated on the logarithmic scale."""
    fitted = monotone(reached)
    above = np.flatnonzero(fitted >= goal)
    if above.size == 0:
        return None
    i = int(above[0])
    if i == 0:
        return float(number[0])
    share = (goal - fitted[i - 1]) / (fitted[i] - fitted[i - 1])
    return float(number[i - 1] * (number[i] / number[i - 1]) ** share)


def monotone(values: np.ndarray) -> np.ndarray:
    """The nearest increasing sequence (pool adjacent violators)."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([float(value), 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, weight), (other, more) = pools[-2:]
            pools[-2:] = [[(one * weight + other * more) / (weight + more), weight + more]]
    return np.concatenate([np.full(int(weight), value) for value, weight in pools])


def _summary(
    values: dict[str, Any],
    rows: list[dict[str, Any]],
    target: str | None,
    within: float,
    rate: float | None,
    plan: Assumed | Pilot,
) -> list[str]:
    last = rows[-1]
    if target is None:
        share = last["dyads_correct"]
        order = (
            f"{percent(share)} of dyads are in the correct order"
            if share is not None
            else "no dyad has a correct order, because all individuals are equal"
        )
        out = [
            f"With {counted(last['contests'], 'contest')}, the mean absolute rank error is "
            f"{last['rank_mae']:.2f}, and {order}."
        ]
    else:
        out = [_answer(values, last, target, within, rate, len(plan.names))]
    if isinstance(plan, Pilot):
        out.append(
            "Possible ratings were drawn from the posterior of the pilot at its last contest, and "
            "pairs meet about as often as in the pilot. Contests are counted in total, the pilot "
            "included."
        )
        equal = may_be_equal(plan.worlds.p_equal)
        out += [equal] if equal else []
    return out


def _answer(
    values: dict[str, Any],
    last: dict[str, Any],
    target: str,
    within: float,
    rate: float | None,
    size: int,
) -> str:
    goal = f"{values['goal']:.0%}"
    what = {
        "dyads": f"{goal} of dyads in the correct order",
        "steepness": f"a 95% interval of steepness within ±{within:g} in {goal} of studies",
        "linearity": f"a significant h′ (p ≤ {LEVEL}) in {goal} of studies",
    }[target]
    if values["contests"] is None:
        return (
            f"{what[0].upper()}{what[1:]} is not reached with "
            f"{counted(last['contests'], 'contest')}, the largest number tried "
            f"({last['reached']:.1%} there)."
        )
    contests, error = values["contests"], values["contests_se"]
    per_dyad = contests / (size * (size - 1) / 2)
    text = f"{what[0].upper()}{what[1:]} needs about {counted(contests, 'contest')}"
    text += " or fewer" if error is None else f" (Monte Carlo error {error:.0f})"
    text += f", {per_dyad:.1f} per dyad"
    if rate is not None:
        text += f", or {values['hours']:.0f} hours at {rate:g} contests per hour"
    return f"{text}."
