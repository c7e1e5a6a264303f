"""All results of a report, each computed once with the public functions.

Results that the data do not support (steepness of two individuals, trajectories of a matrix) are
omitted, and the reason is kept in the notes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

import peckorder as po
from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.data.read import opened_contests
from peckorder.errors import (
    ArgumentError,
    ConvergenceError,
    ConvergenceWarning,
    DataError,
    DataWarning,
)
from peckorder.orders.network import Network
from peckorder.random_runs import Progress
from peckorder.ratings.adaptive import AdaptiveRatings
from peckorder.ratings.dynamic import DynamicRatings
from peckorder.ratings.posterior import Posterior
from peckorder.reporting.view import View, nobody
from peckorder.results import Measure, Order, Ratings
from peckorder.structure.steepness import Steepness
from peckorder.structure.steepness_published import SteepnessPosterior
from peckorder.text import counted, option_name
from peckorder.validate import CountedTies, seed_number, several, whole_number

METHODS = (
    "elo",
    "dynamic",
    "elo_bayes",
    "adaptive",
    "randomized_elo",
    "davids_score",
    "isi",
    "bradley_terry",
)
FURTHER = ("adagio", "percolation", "dominance_value")  # on request
SECTIONS = ("network", "period_ranks")  # sections of their own, on request
ORDERS = ("randomized_elo", "davids_score", "isi", "bradley_terry", *FURTHER)
MOST = 300  # individuals per report
MOST_ASKED, FEW_ASKED = 50, 20  # individuals, for what the first rank depends on
RECOVERED = 200  # simulated records for recovery
STRESSED = 20  # simulated records with a takeover
LONGEST_STRESSED = 500  # contests of a record that is simulated again and again
NO_ORDER = "the order of these contests is not known, and Elo ratings depend on it."
# Relative run times, for the progress bar.
WEIGHTS = {"posterior": 30, "recovery": 20, "compared": 4, "stress": 4}


@dataclass(eq=False)
class Analysis:
    """Results by name; where one is None, `notes` gives the reason."""

    view: View
    methods: tuple[str, ...]
    seed: int
    settings: dict[str, Any]
    elo: Ratings | None = None
    dynamic: DynamicRatings | None = None
    posterior: Posterior | None = None  # of Bayesian Elo
    adaptive: AdaptiveRatings | None = None
    prediction: Measure | None = None  # which ratings predict best
    randomized: Order | None = None
    compared: Order | None = None
    steepness: Steepness | None = None
    steepness_bayes: SteepnessPosterior | None = None
    linearity: Measure | None = None
    style: Measure | None = None
    transitivity: Measure | None = None
    consistency: Measure | None = None
    stability: Measure | None = None
    shape: Measure | None = None
    first: Measure | None = None  # what the first rank depends on
    board: Order | None = None  # of Bradley–Terry, on which that rests
    analyses: Measure | None = None  # of the claim who ranks first
    stress: Measure | None = None  # whether a takeover would have shown
    next: Measure | None = None  # dyads to observe
    unknown: Measure | None = None
    evaluation: Measure | None = None
    calibration: Measure | None = None
    profile: Measure | None = None  # of k
    recovery: Measure | None = None
    network: Network | None = None
    period_ranks: Measure | None = None
    failed: dict[str, str] = field(default_factory=dict)  # why a fit must not be interpreted
    notes: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def data(self) -> Contests:
        """The whole record, on which ratings rest."""
        return self.view.whole

    @property
    def contests(self) -> Contests:
        """The contests of the window, on which structure and matrix rest."""
        return self.view.contests

    @property
    def ratings(self) -> Ratings | None:
        """The ratings of trajectories and win probabilities, with draws if available."""
        return self.dynamic or self.posterior or self.elo

    @property
    def sure(self) -> Any:
        """The result that quantifies uncertainty of ranks: a posterior, else random orders."""
        return self.dynamic or self.posterior or self.steepness_bayes or self.randomized

    @property
    def ranking(self) -> Any:
        """The rank order of the report, by the best available method."""
        return (
            self.dynamic
            or self.posterior
            or self.steepness_bayes
            or self.elo
            or self.randomized
            or self.compared
        )

    @property
    def judged(self) -> Ratings | None:
        """The ratings to evaluate: Elo first, because a fit uses the contests it predicts."""
        return self.elo or self.dynamic or self.posterior

    @property
    def change(self) -> dict[str, Any] | None:
        """Values of the test whether ranks changed."""
        return None if self.compared is None else self.compared.values["order_test"]

    @cached_property
    def table(self) -> pl.DataFrame:
        """The ranking of those present at the date of the report, highest first."""
        return self.view.table(self.ranking)

    @property
    def names(self) -> tuple[str, ...]:
        """Individuals present at the date of the report, highest rank first."""
        return tuple(self.table["individual"])

    @cached_property
    def left(self) -> pl.DataFrame:
        """Who has left by that date, with their last rank."""
        return self.view.departed(self.ranking if isinstance(self.ranking, Ratings) else None)

    @property
    def everyone(self) -> tuple[str, ...]:
        """All individuals: the ranking, then those that left, then those that came later."""
        left = self.left["individual"] if self.left.height else ()
        return tuple(dict.fromkeys([*self.names, *left, *self.data.individuals]))

    def moment_of(self, result: Any) -> dict[str, Any]:
        """Arguments by which a figure of ranks shows those present at the date."""
        if self.view.at is None:
            return {}
        if isinstance(result, Ratings):
            return {"at": self.view.at}
        known = set(result.as_polars()["individual"])
        return {"individuals": [name for name in self.names if name in known]}


def contests_of(data: Any) -> Contests:
    """The contests of a report, checked."""
    if isinstance(data, Matrix):
        data = Contests.from_matrix(data)
    data = opened_contests(data, "report")
    size = len(data.individuals)
    if size < 2:
        raise DataError("A report needs at least two individuals.")
    if size > MOST:
        raise DataError(
            f"{size:,} individuals are too many for one report (at most {MOST}). Select a "
            f"group, a period or some individuals first: data.filter(individuals=[…])."
        )
    return data


def chosen_methods(methods: Iterable[str] | None) -> tuple[str, ...]:
    """The requested methods, in the order of METHODS and FURTHER."""
    if methods is None:
        return METHODS
    choices = (*METHODS, *FURTHER, *SECTIONS)
    given = several("methods", methods)
    unknown = [name for name in given if name not in choices]
    if unknown or not given:
        what = f'method "{unknown[0]}" is not known' if unknown else "methods is empty"
        raise ArgumentError(f"{what}. Choose from: {', '.join(choices)}.")
    return tuple(name for name in choices if name in given)


def analyze(
    view: View,
    *,
    methods: tuple[str, ...],
    k: Any,
    preset: str | None,
    ties: CountedTies,
    runs: int,
    recovery: bool | int,
    seed: Any,
    threads: int | None,
    progress: Progress | None,
) -> Analysis:
    """Compute every result once; all random parts use the same seed."""
    k = _plain_k(k)
    if not (k is None or isinstance(k, int | float | str | tuple | dict)):
        raise ArgumentError(
            f"{option_name('k')} of a report must be a number, a pair (winner, loser) or one value "
            f"per context, so that the code in the report can repeat it."
        )
    number = seed_number(seed)
    runs = whole_number("runs", runs, 1)
    records = {True: RECOVERED, False: 0}[recovery] if isinstance(recovery, bool) else recovery
    records = whole_number("recovery", records, 0)
    settings = {
        "methods": list(methods),
        "k": k,
        "preset": preset,
        "ties": ties,
        "runs": runs,
        "recovery": records,
    }
    found = Analysis(view, methods, number, settings)
    data, shown = view.whole, view.contests
    how_elo: dict[str, Any] = {"k": k} if preset is None else {"k": k, "preset": preset}
    random = {"seed": number, "threads": threads}
    ordered, bayes = data.ordered, "elo_bayes" in methods
    work: dict[str, Callable[..., Any]] = {}
    if "elo" in methods:
        work["elo"] = _in_order(data, lambda tick: po.elo(data, **how_elo))
    if "dynamic" in methods:
        work["dynamic"] = lambda tick: po.dynamic(data, **random)
    if bayes and ordered:
        work["posterior"] = lambda tick: po.elo_bayes(data, progress=tick, **random)
    if "adaptive" in methods:
        work["adaptive"] = _in_order(data, lambda tick: po.adaptive(data, **random))
    if "randomized_elo" in methods:
        work["randomized"] = lambda tick: po.randomized_elo(shown, k=k, **random)
    sides = [name for name in methods if name in ORDERS or (name == "elo" and ordered)]
    if sides and sides != ["elo"]:
        work["compared"] = lambda tick: po.compare(
            shown, methods=sides, ties=ties, k=k, seed=number, progress=tick
        )
    if "network" in methods:
        work["network"] = lambda tick: po.orders.network(shown, ties=ties)
    if "period_ranks" in methods:
        work["period_ranks"] = _in_order(shown, lambda tick: _by_period(shown, ties))
    work["unknown"] = lambda tick: shown.unknown_dyads(ties=ties)
    for measure in (po.steepness, po.linearity, po.transitivity, po.consistency):
        work[measure.__name__] = lambda tick, measure=measure: measure(
            shown, ties=ties, runs=runs, progress=tick, **random
        )
    work["style"] = lambda tick: po.questions.dominance_style(
        shown, ties=ties, runs=runs, progress=tick, **random
    )
    work["shape"] = lambda tick: po.hierarchy_shape(shown, ties=ties)
    if len(shown.individuals) <= MOST_ASKED:
        work["first"] = lambda tick: _first(found, shown, number, tick)
        work["board"] = lambda tick: po.bradley_terry(shown, penalized=True, ties="omit")
    if bayes or "dynamic" in methods:
        work["steepness_bayes"] = lambda tick: po.steepness_bayes(shown, progress=tick, **random)
    if len(shown.individuals) <= FEW_ASKED:
        work["analyses"] = lambda tick: po.questions.multiverse(
            shown, f"{_leader(found)} first", seed=number, progress=tick
        )
    if len(shown.individuals) <= FEW_ASKED and len(shown) <= LONGEST_STRESSED:
        work["stress"] = _in_order(
            data, lambda tick: po.questions.stress(data, runs=STRESSED, seed=number, progress=tick)
        )
    if len(shown.individuals) <= MOST_ASKED:
        work["next"] = _of(
            found, "dynamic", lambda one: po.questions.next_pairs(one, size=3, seed=number)
        )
    work["stability"] = _of(found, "elo", po.stability)
    work["evaluation"] = _of(found, "judged", lambda r: po.evaluate(r, seed=number))
    work["calibration"] = _of(found, "judged", po.calibration)
    if records:
        how: dict[str, Any] = {"method": "elo", "k": k} if ordered else {"method": "davids_score"}
        how = {"method": "dynamic"} if "dynamic" in methods else how
        work["recovery"] = lambda tick: po.recovery(
            data, runs=records, progress=tick, **how, **random
        )
    all_of_it = sum(WEIGHTS.get(name, 1) for name in work)
    done = 0
    for name, call in work.items():
        weight = WEIGHTS.get(name, 1)
        _compute(found, name, call, _share(progress, done, weight, all_of_it))
        done += weight
    if found.ranking is not None and len(found.names) < 2:
        raise nobody(view)
    if found.ranking is None:
        why = next(iter(found.notes.values()))
        others = [name for name in ORDERS if name not in methods]
        raise DataError(
            f"{', '.join(methods)} cannot rank these contests: {why}"
            + (f" Add other methods: {', '.join(others)}." if others else "")
        )
    return found


def usual_period(data: Contests) -> str:
    """Years if there are several, otherwise months."""
    if data.date is not None and data.date.dtype.kind == "M":
        for unit, kind in (("year", "datetime64[Y]"), ("month", "datetime64[M]")):
            first, last = data.date[[0, -1]].astype(kind)
            if first < last:
                return unit
    raise DataError("study periods need dates in at least two months.")


def _plain_k(k: Any) -> Any:
    """The k setting as plain numbers, pairs or dicts."""
    if isinstance(k, list | tuple):
        return tuple(_plain_k(one) for one in k)
    if isinstance(k, dict):
        return {str(name): _plain_k(one) for name, one in k.items()}
    return k.item() if isinstance(k, np.generic) else k


def _in_order(data: Contests, call: Callable) -> Callable:
    def compute(tick: Progress) -> Any:
        if not data.ordered:
            raise DataError(NO_ORDER)
        return call(tick)

    return compute


def _by_period(data: Contests, ties: CountedTies) -> Measure:
    rule = "half" if ties == "both" else ties  # Elo has no rule for two wins
    return po.orders.period_ranks(data, per=usual_period(data), ties=rule)


def _leader(found: Analysis) -> str:
    """Who ranks first in the report."""
    if found.ranking is None or found.names[0] not in found.contests.individuals:
        raise DataError("the first individual has no contest in these data.")
    return found.names[0]


def _first(found: Analysis, data: Contests, seed: int, tick: Progress) -> Measure:
    """What the first rank of the report depends on, if Bradley–Terry has the same first."""
    claim = f"{_leader(found)} first"
    try:
        return po.questions.fragility(data, claim, seed=seed, progress=tick)
    except ArgumentError as error:  # somebody else ranks first, or several do
        raise DataError(str(error)) from None


def _of(found: Analysis, name: str, function: Callable) -> Callable:
    """Call a function on an earlier result, if there is one."""
    need = "elo" if name == "elo" else "elo, dynamic or elo_bayes"

    def call(tick: Progress) -> Any:
        result = getattr(found, name)
        if result is None:
            raise DataError(f"requires ratings over time ({need}), which are not available.")
        return function(result)

    return call


def _share(progress: Progress | None, done: int, weight: int, of: int) -> Progress:
    def tick(part: int, whole: int) -> None:
        if progress is not None:
            progress(round(1000 * (done + weight * part / max(1, whole))), 1000 * of)

    return tick


def _compute(found: Analysis, name: str, call: Callable, tick: Progress) -> None:
    """Keep a result with its warnings, or the reason why there is none."""
    tick(0, 1)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        try:
            _keep(found, name, call(tick))
        except ConvergenceError as error:
            _keep(found, name, error.ratings)
            found.failed[name] = str(error)
            if error.ratings is None:
                found.notes[name] = str(error)
        except DataError as error:
            found.notes[name] = str(error)
    for warning in issued:
        text = str(warning.message)
        if issubclass(warning.category, ConvergenceWarning):
            found.failed[name] = text
        found.warnings.append(text)
    found.warnings = list(dict.fromkeys([*found.warnings, *found.failed.values()]))
    tick(1, 1)


def _keep(found: Analysis, name: str, result: Any) -> None:
    """Keep a result; ratings are those of the whole record, seen through the window."""
    if isinstance(result, Ratings):
        result = found.view.through(result)
    setattr(found, name, result)


def description(data: Contests) -> str:
    """Numbers of contests and individuals, time span and ties."""
    from peckorder.data.date_columns import date_words

    when = ""
    if data.date is not None:
        first, last = (date_words(date) for date in (data.date[0], data.date[-1]))
        when = f", from {first.partition(' ')[0]} to {last.partition(' ')[0]}"
    drawn = 0 if data.draw is None else int(data.draw.sum())
    ties = f", including {counted(drawn, 'tie')}" if drawn else ""
    return (
        f"{counted(len(data), 'contest')} among {counted(len(data.individuals), 'individual')}"
        f"{when}{ties}"
    )
