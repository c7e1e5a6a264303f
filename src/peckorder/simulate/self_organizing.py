"""Hierarchies that arise from their own contests (Albers & de Vries 2001, Example III).

All individuals start equal. Each outcome is drawn from the current ratings and updates them, so
that winners are more likely to win again. Besides Elo's rule, there are those of Theraulaz et al.
(1995), with constant steps or the share of contests won, and of DoDOM (Hemelrijk 1999), with the
ratio of dominance values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.curves import Curve, curve_from
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.kernels import simulation as kernel
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.replay import win_curve
from peckorder.results.measures import FurtherTable, Measure
from peckorder.simulate.hierarchies import names_of
from peckorder.simulate.truth import record
from peckorder.text import counted
from peckorder.validate import finite, is_number, one_of, seed_number, whole_number

MODELS = {
    "elo": kernel.ELO,
    "theraulaz_step": kernel.STEP,
    "theraulaz_ratio": kernel.RATIO,
    "dodom": kernel.DODOM,
}
DEFAULTS = {  # start, k (size of a step), slope of Theraulaz' Fermi function
    "elo": (1000.0, 200.0, 0.0),
    "theraulaz_step": (0.0, 0.1, 1.0),
    "theraulaz_ratio": (0.5, 0.0, 10.0),
    "dodom": (1.0, 0.1, 0.0),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Organized(Measure):
    """Runs of a self-organizing hierarchy; `record(run)` gives the contests of one run."""

    range: float  # of ratings, mean over runs at the end
    range_sd: float | None  # None for one run
    h: float  # linearity, mean over runs at the end
    h_median: float
    winner_effect: float  # probability of winning after a win
    loser_effect: float  # probability of winning after a loss
    contests: int
    runs: int
    samples: dict[str, np.ndarray]  # ratings, wins, h, range and the course of ratings, by run
    course = FurtherTable("h and the range of ratings by contests per dyad.")

    made: Any = field(default=None, repr=False)  # not a value

    def record(self, run: int = 0) -> Contests:
        """The contests of one run, simulated again."""
        return self.made.record(run)

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names, in the order of the arrays in `samples`."""
        return self.made.names

    def __repr__(self) -> str:
        return f"Organized: {self.summary[0]}"

    def __str__(self) -> str:
        return repr(self)


def self_organizing(
    individuals: int = 13,
    contests_per_dyad: int = 280,
    *,
    k: float | None = None,
    model: Literal["elo", "theraulaz_step", "theraulaz_ratio", "dodom"] = "elo",
    curve: str | Curve = "table",
    eta: float | None = None,
    start: float | None = None,
    schedule: Any = None,
    runs: int = 1,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Organized:
    """Simulate self-organizing hierarchies by Elo (or another rule).

    Parameters
    ----------
    individuals : int
    contests_per_dyad : int
        Mean number of contests per dyad; pairs meet at random.
    k : float
        Size of the updates: Elo's k (default 200), the step of Theraulaz et al. (0.1) or of DoDOM
        (0.1).
    model : {"elo", "theraulaz_step", "theraulaz_ratio", "dodom"}
        Probability that i beats j, and update: Elo's rule; 1/(1 + e^(−η(D_i − D_j))) with D ± k, or
        with D = wins/contests; D_i/(D_i + D_j) with D_i + k(S − P), D_j − k(S − P), kept positive.
    curve : of Elo; the printed table of Albers & de Vries by default.
    eta : η of the rules of Theraulaz et al.; default 1 (steps) and 10 (shares).
    start : initial rating of all individuals.
    schedule : sequence of pairs, or an earlier result, optional
        A fixed sequence of pairs for all runs (and, passed again, for all values of k).
    runs, seed, threads : number of runs, seed and threads.

    Returns
    -------
    Organized, a Measure
        `range` and `h` (means over runs at the end; also `range_sd`, None for one run, and
        `h_median`), `winner_effect` and `loser_effect` (probability of winning after a win and
        after a loss), `contests`, `runs`. Table: rank, rating (mean), dominances, subordinations
        (shares of all contests, by final rank). `course`: contests_per_dyad, h and range
        (mean, median, 5% and 95% quantiles). `samples` contains ratings, wins and the course of
        ratings (runs, contests per dyad, individuals), in the order of `.individuals`;
        `.record(run)` gives the contests of a run.

    References
    ----------
    Albers & de Vries 2001, doi:10.1006/anbe.2000.1571.
    Theraulaz, Bonabeau & Deneubourg 1995, doi:10.1006/jtbi.1995.0106.
    Hemelrijk 1999, doi:10.1098/rspb.1999.0640.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.simulate.self_organizing(k=200, runs=20, seed=1)
    >>> round(found.h, 2), 5000 < found.range < 6000
    (1.0, True)
    """
    names = names_of(individuals)
    each = Runs.of(runs, seed, threads, progress)
    whole_number("contests_per_dyad", contests_per_dyad, 1)
    made = _Made.of(names, contests_per_dyad, model, k, eta, start, curve, schedule, each)
    found = made.play()
    rating = found["rating"]
    order = np.argsort(-rating, axis=1, kind="stable")
    won, lost = (np.take_along_axis(found["wins"].sum(axis=axis), order, axis=1) for axis in (2, 1))
    total = made.contests
    frame = pl.DataFrame(
        {
            "rank": np.arange(1, len(names) + 1),
            "rating": np.take_along_axis(rating, order, axis=1).mean(axis=0),
            "dominances": won.mean(axis=0) / total,
            "subordinations": lost.mean(axis=0) / total,
        }
    )
    h, spread = found["h"], found["spread"]
    effects = found["effects"].sum(axis=0)
    values = {
        "range": float(spread[:, -1].mean()),
        "range_sd": _sd(spread[:, -1]),
        "h": float(h[:, -1].mean()),
        "h_median": float(np.median(h[:, -1])),
        "winner_effect": float(effects[1, 1] / max(1, effects[1].sum())),
        "loser_effect": float(effects[0, 1] / max(1, effects[0].sum())),
        "contests": total,
        "runs": each.number,
    }
    sentences = (
        f"{counted(each.number, 'run')} with {len(names)} individuals and {total:,} contests: "
        f"linearity h = {values['h']:.2f}, range of ratings {values['range']:,.4g}. "
        f"Probability of winning the next contest: {values['winner_effect']:.2f} after a win, "
        f"{values['loser_effect']:.2f} after a loss.",
    )
    return Organized(
        method="self_organizing",
        data=made.record(0),
        **values,
        frame=frame,
        summary=sentences,
        settings=made.settings | {"runs": runs},
        citations=("albers2001",),
        samples={
            "ratings": rating,
            "h": h,
            "range": spread,
            "wins": found["wins"],
            "course": found["course"],
        },
        seed=each.seed,
        tables={"course": _course(h, spread)},
        made=made,
    )


def winner_effect(
    k: Sequence[float] = (20, 50, 100, 200, 368),
    *,
    individuals: int = 13,
    contests_per_dyad: int = 5,
    curve: str | Curve = "table",
    runs: int = 200,
    seed: Any = None,
    threads: int | None = None,
) -> Measure:
    """Winner effect as a function of k.

    Parameters
    ----------
    k : numbers
    individuals, contests_per_dyad, curve, runs, seed, threads : as in `self_organizing`.

    Returns
    -------
    Measure
        Table: k, winner (probability of winning after a win), loser (after a loss), equals
        (probability, by the curve, that the winner of a contest between equals beats another
        equal). `k_from_effect` inverts the last one: 74% corresponds to k = 368, as in the paper;
        the paper's k = 250 for 4% does not follow from its table.

    Examples
    --------
    >>> import peckorder as po
    >>> po.simulate.winner_effect([368], runs=20, seed=1).table["equals"].to_list()
    [0.74]
    """
    shape, values = curve_from(curve), [float(value) for value in k]
    if not values:
        raise ArgumentError("k is empty: give at least one number.")
    number = seed_number(seed)
    made = [
        self_organizing(
            individuals,
            contests_per_dyad,
            k=value,
            curve=curve,
            runs=runs,
            seed=number,
            threads=threads,
        )
        for value in values
    ]
    found = made[-1]
    rows = [
        {
            "k": value,
            "winner": one.winner_effect,
            "loser": one.loser_effect,
            "equals": float(shape(value / 2)),
        }
        for value, one in zip(values, made, strict=True)
    ]
    return Measure(
        method="winner_effect",
        data=found.data,
        frame=pl.DataFrame(rows),
        summary=("The larger k, the more often winners win again.",),
        settings={
            "k": values,
            "runs": runs,
            "individuals": individuals,
            "contests_per_dyad": contests_per_dyad,
        },
        citations=("albers2001",),
        seed=found.seed,
    )


@dataclass(frozen=True, eq=False)
class _Made:
    """Everything a run needs, so that any run can be simulated again."""

    names: tuple[str, ...]
    per_dyad: int
    model: str
    k: float
    eta: float
    start: float
    curve: Curve
    pairs: np.ndarray
    schedule: np.ndarray
    runs: Runs

    @classmethod
    def of(cls, names, per_dyad, model, k, eta, start, curve, schedule, runs) -> _Made:
        one_of("model", model, MODELS)
        usual = DEFAULTS[model]
        k, eta, start = (
            default if given is None else given
            for given, default in ((k, usual[1]), (eta, usual[2]), (start, usual[0]))
        )
        for name, value in (("k", k), ("eta", eta)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise ArgumentTypeError(f"{name} must be a number, not {value!r}.")
            if not is_number(value) or value < 0:
                raise ArgumentError(f"{name}={value!r}: give a finite number ≥ 0.")
        finite("start", start)
        if model == "dodom" and not start > 0:
            raise ArgumentError(f"start={start!r}: dominance values of DoDOM must be > 0.")
        size = len(names)
        pairs = np.array([(i, j) for i in range(size) for j in range(i + 1, size)], np.int64)
        contests = per_dyad * len(pairs)
        return cls(
            names,
            per_dyad,
            model,
            float(k),
            float(eta),
            float(start),
            curve_from(curve),
            pairs,
            _schedule(schedule, pairs, contests, size),
            runs,
        )

    @property
    def contests(self) -> int:
        return self.per_dyad * len(self.pairs)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "individuals": len(self.names),
            "contests_per_dyad": self.per_dyad,
            "model": self.model,
            "k": self.k,
            "eta": self.eta or None,
            "start": self.start,
            "curve": type(self.curve).__name__.lower() if self.model == "elo" else None,
            "schedule": bool(self.schedule.size),
        }

    def _room(self, runs: int) -> dict[str, np.ndarray]:
        size = len(self.names)
        return {
            "rating": np.empty((runs, size)),
            "wins": np.zeros((runs, size, size), np.int64),
            "h": np.empty((runs, self.per_dyad)),
            "spread": np.empty((runs, self.per_dyad)),
            "effects": np.zeros((runs, 2, 2), np.int64),
            "course": np.empty((runs, self.per_dyad, size)),
        }

    def play(self) -> dict[str, np.ndarray]:
        out = self._room(self.runs.number)

        def work(begin: int, end: int) -> None:
            for run in range(begin, end):
                own = {name: part[run] for name, part in out.items()}
                self._one(run, **own, winners=np.zeros((0, 2), np.int32))

        self.runs.do(work, 1)
        return out

    def _one(self, run, rating, wins, h, spread, effects, winners, course) -> None:
        model = kernel.Model(MODELS[self.model], self.k, self.eta, self.start)
        meetings = kernel.Meetings(self.pairs, self.schedule, self.contests, len(self.pairs))
        written = kernel.Course(h, spread, course, effects, winners)
        kernel.self_organize(
            model, win_curve(self.curve), meetings, self.runs.key(), run, rating, wins, written
        )

    def record(self, run: int) -> Contests:
        """The contests of one run."""
        if not 0 <= whole_number("run", run, 0) < self.runs.number:
            raise ArgumentError(f"run={run}: runs are numbered from 0 to {self.runs.number - 1}.")
        winners, room = np.empty((self.contests, 2), np.int32), self._room(1)
        self._one(run, **{name: part[0] for name, part in room.items()}, winners=winners)
        first, second = winners.T
        won = np.ones(len(winners))
        return record(self.names, first, second, won, "self-organized contests")[0]


def _schedule(given: Any, pairs: np.ndarray, contests: int, size: int) -> np.ndarray:
    """Indices of pairs, one per contest; empty for random pairs."""
    if given is None:
        return np.zeros(0, np.int64)
    if isinstance(given, Organized):
        if len(given.individuals) != size:
            raise ArgumentError(
                f"schedule: that result has {len(given.individuals)} individuals, not {size}."
            )
        data = given.record(0)
        place = {name: i for i, name in enumerate(given.made.names)}
        code = np.array([place[name] for name in data.individuals])
        given = np.column_stack([code[data.winner], code[data.loser]])
    wanted: Any = np.asarray(given) if isinstance(given, Sequence | np.ndarray) else np.zeros(0)
    if wanted.ndim != 2 or wanted.shape[1] != 2 or wanted.dtype.kind not in "iu":
        raise ArgumentError(
            "schedule must be a sequence of pairs of integers, (0, 1), (2, 0), …, or an earlier "
            "result."
        )
    if len(wanted) < contests:
        raise ArgumentError(
            f"schedule contains {counted(len(wanted), 'pair')}, but "
            f"{counted(contests, 'contest')} are needed."
        )
    wanted = np.sort(wanted, axis=1)
    if wanted.min() < 0 or wanted.max() >= size or (wanted[:, 0] == wanted[:, 1]).any():
        raise ArgumentError(f"schedule: pairs must be two different integers from 0 to {size - 1}.")
    number = np.full((size, size), -1, np.int64)
    number[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return np.ascontiguousarray(number[wanted[:contests, 0], wanted[:contests, 1]])


def _course(h: np.ndarray, spread: np.ndarray) -> pl.DataFrame:
    columns: dict[str, Any] = {"contests_per_dyad": np.arange(1, h.shape[1] + 1)}
    for name, values in (("h", h), ("range", spread)):
        low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
        columns |= {
            name: values.mean(axis=0),
            f"{name}_median": middle,
            f"{name}_low": low,
            f"{name}_high": high,
        }
    return pl.DataFrame(columns)


def _sd(values: np.ndarray) -> float | None:
    return float(values.std(ddof=1)) if len(values) > 1 else None
