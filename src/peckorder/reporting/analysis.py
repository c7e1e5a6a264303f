"""All that a report tells, asked of the public functions once each.

What data cannot give (a steepness of two individuals, trajectories of a matrix) is left out, and
why is kept with the notes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import peckorder as po
from peckorder.checked import seed_number, whole_number
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.errors import ConvergenceError, ConvergenceWarning, DataError, DataWarning
from peckorder.posterior.result import Posterior
from peckorder.results import Measure, Order, Ratings
from peckorder.runs import Progress
from peckorder.wording import counted

METHODS = ("elo", "elo_bayes", "randomized_elo", "davids_score", "isi", "bradley_terry")
ORDERS = ("randomized_elo", "davids_score", "isi", "bradley_terry")
MOST = 300  # individuals of one report
RECOVERED = 200  # records simulated for recovery
# Shares of the work, by what takes long.
WEIGHTS = {"posterior": 30, "steepness_bayes": 20, "recovery": 20, "compared": 4}


@dataclass(eq=False)
class Analysis:
    """Results by name; None where there is none, and then `notes` say why."""

    data: Interactions
    methods: tuple[str, ...]
    seed: int
    settings: dict[str, Any]
    elo: Ratings | None = None
    posterior: Posterior | None = None
    randomized: Order | None = None
    compared: Order | None = None
    steepness: Measure | None = None
    steepness_bayes: Measure | None = None
    linearity: Measure | None = None
    transitivity: Measure | None = None
    consistency: Measure | None = None
    stability: Measure | None = None
    shape: Measure | None = None
    unknown: Measure | None = None
    evaluation: Measure | None = None
    calibration: Measure | None = None
    recovery: Measure | None = None
    failed: dict[str, str] = field(default_factory=dict)  # why a fit must not be trusted
    notes: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def ratings(self) -> Ratings | None:
        """Those behind trajectories and chances: a posterior where there is one."""
        return self.posterior or self.elo

    @property
    def sure(self) -> Any:
        """What tells how sure ranks are: draws of a posterior, else random orders of contests."""
        return self.posterior or self.steepness_bayes or self.randomized

    @property
    def ranking(self) -> Any:
        """Who outranks whom, by the best of what there is."""
        return (
            self.posterior or self.steepness_bayes or self.elo or self.randomized or self.compared
        )

    @property
    def judged(self) -> Ratings | None:
        """Ratings whose foresight is judged: Elo's first, since a fit has seen the contests."""
        return self.elo or self.posterior

    @property
    def names(self) -> tuple[str, ...]:
        """Individuals from the top down."""
        return tuple(self.ranking.as_polars()["individual"])


def contests_of(data: Any) -> Interactions:
    """The contests of a report, if it can show them."""
    if isinstance(data, Matrix):
        data = Interactions.from_matrix(data)
    if not isinstance(data, Interactions):
        raise TypeError(
            f"report takes what peckorder.read returns, not {type(data).__name__}: "
            f"peckorder.report(peckorder.read(…), …)."
        )
    size = len(data.individuals)
    if size < 2:
        raise DataError("A report ranks individuals: there must be at least two.")
    if size > MOST:
        raise DataError(
            f"{size:,} individuals do not fit into one report, which shows up to {MOST}. Choose "
            f"some of the contests: data.filter(individuals=[…]), or a group, or a period."
        )
    return data


def chosen_methods(methods: Iterable[str] | None) -> tuple[str, ...]:
    """Methods asked for, in the order they are listed here."""
    if methods is None:
        return METHODS
    given = [methods] if isinstance(methods, str) else list(methods)
    unknown = [name for name in given if name not in METHODS]
    if unknown or not given:
        what = f'method "{unknown[0]}" is not known' if unknown else "methods is empty"
        raise ValueError(f"{what}. Choose from: {', '.join(METHODS)}.")
    return tuple(name for name in METHODS if name in given)


def analyze(
    data: Interactions,
    *,
    methods: tuple[str, ...],
    k: Any,
    ties: str,
    runs: int,
    recovery: bool | int,
    seed: Any,
    threads: int | None,
    progress: Progress | None,
) -> Analysis:
    """Ask everything once; each random part has the same seed."""
    k = _plain_k(k)
    if not (k is None or isinstance(k, int | float | str | tuple | dict)):
        raise ValueError(
            "k of a report is a number, a pair (of winner and loser) or one per context, since its "
            "lines must tell it again."
        )
    number = seed_number(seed)
    runs = whole_number("runs", runs, 1)
    records = {True: RECOVERED, False: 0}[recovery] if isinstance(recovery, bool) else recovery
    records = whole_number("recovery", records, 0)
    settings = {"methods": list(methods), "k": k, "ties": ties, "runs": runs, "recovery": records}
    found = Analysis(data, methods, number, settings)
    random = {"seed": number, "threads": threads}
    ordered, bayes = data.ordered, "elo_bayes" in methods
    work: dict[str, Callable[..., Any]] = {}
    if "elo" in methods:
        work["elo"] = _in_order(data, lambda told: po.elo(data, k=k))
    if bayes and ordered:
        work["posterior"] = lambda told: po.elo_bayes(data, progress=told, **random)
    if "randomized_elo" in methods:
        work["randomized"] = lambda told: po.randomized_elo(data, k=k, **random)
    sides = [name for name in methods if name in ORDERS or (name == "elo" and ordered)]
    if sides and sides != ["elo"]:
        work["compared"] = lambda told: po.compare(
            data, methods=sides, ties=ties, k=k, seed=number, progress=told
        )
    work["unknown"] = lambda told: po.unknown_dyads(data, ties=ties)
    for measure in (po.steepness, po.linearity, po.transitivity, po.consistency):
        work[measure.__name__] = lambda told, measure=measure: measure(
            data, ties=ties, runs=runs, progress=told, **random
        )
    work["shape"] = lambda told: po.hierarchy_shape(data, ties=ties)
    if bayes:
        work["steepness_bayes"] = lambda told: po.steepness_bayes(data, progress=told, **random)
    work["stability"] = _of(found, "elo", po.stability)
    work["evaluation"] = _of(found, "judged", lambda r: po.evaluate(r, seed=number))
    work["calibration"] = _of(found, "judged", po.calibration)
    if records:
        how = {"method": "elo", "k": k} if ordered else {"method": "davids_score"}
        work["recovery"] = lambda told: po.recovery(
            data, runs=records, progress=told, **how, **random
        )
    all_of_it = sum(WEIGHTS.get(name, 1) for name in work)
    done = 0
    for name, call in work.items():
        weight = WEIGHTS.get(name, 1)
        _ask(found, name, call, _share(progress, done, weight, all_of_it))
        done += weight
    if found.ranking is None:
        why = next(iter(found.notes.values()))
        others = [name for name in ORDERS if name not in methods]
        raise DataError(
            f"{', '.join(methods)} alone cannot rank these contests: {why}"
            + (f" Ask for other methods too: {', '.join(others)}." if others else "")
        )
    return found


def _plain_k(k: Any) -> Any:
    """k as one would write it."""
    if isinstance(k, list | tuple):
        return tuple(_plain_k(one) for one in k)
    if isinstance(k, dict):
        return {str(name): _plain_k(one) for name, one in k.items()}
    return k.item() if isinstance(k, np.generic) else k


def _in_order(data: Interactions, call: Callable) -> Callable:
    def ask(told: Progress) -> Any:
        if not data.ordered:
            raise DataError("the order of these contests is not known, which Elo follows.")
        return call(told)

    return ask


def _of(found: Analysis, name: str, ask: Callable) -> Callable:
    """Ask something of a result, if there is one by then."""
    need = "by Elo" if name == "elo" else "by Elo or its posterior"

    def call(told: Progress) -> Any:
        result = getattr(found, name)
        if result is None:
            raise DataError(f"needs ratings over time ({need}), and there are none here.")
        return ask(result)

    return call


def _share(progress: Progress | None, done: int, weight: int, of: int) -> Progress:
    def told(part: int, whole: int) -> None:
        if progress is not None:
            progress(round(1000 * (done + weight * part / max(1, whole))), 1000 * of)

    return told


def _ask(found: Analysis, name: str, call: Callable, told: Progress) -> None:
    """Keep a result with what it warns of, or the reason why there is none."""
    told(0, 1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        try:
            setattr(found, name, call(told))
        except ConvergenceError as error:
            setattr(found, name, error.ratings)
            found.failed[name] = str(error)
            if error.ratings is None:
                found.notes[name] = str(error)
        except DataError as error:
            found.notes[name] = str(error)
    for warning in said:
        text = str(warning.message)
        if issubclass(warning.category, ConvergenceWarning):
            found.failed[name] = text
        found.warnings.append(text)
    found.warnings = list(dict.fromkeys([*found.warnings, *found.failed.values()]))
    told(1, 1)


def told_of(data: Interactions) -> str:
    """Contests, individuals and time, in words."""
    from peckorder.data.dates import date_words

    when = ""
    if data.date is not None:
        first, last = (date_words(date) for date in (data.date[0], data.date[-1]))
        when = f", from {first.partition(' ')[0]} to {last.partition(' ')[0]}"
    drawn = 0 if data.draw is None else int(data.draw.sum())
    draws = f", {drawn:,} of them drawn" if drawn else ""
    return (
        f"{counted(len(data), 'contest')} among {counted(len(data.individuals), 'individual')}"
        f"{when}{draws}"
    )
