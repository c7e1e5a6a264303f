"""What a study computes in each group: measures, orders, fits, evaluations and own functions.

From the result of one analysis to the numbers of a row, its draws and its table.

What is done in one group, usually in another process: it never raises an error of the data.
"""

from __future__ import annotations

import hashlib
import inspect
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, ArgumentTypeError, ConvergenceError, PeckorderError
from peckorder.estimate import Estimate
from peckorder.groups.measures import MAIN, MEASURES
from peckorder.methods import function
from peckorder.results import Measure
from peckorder.results.result import Result
from peckorder.tables import plain
from peckorder.text import did_you_mean, given, option_name, quoted
from peckorder.validate import is_number, several

RATERS = ("elo", "elo_ml", "elo_bayes", "dynamic")
OF_RATINGS = ("evaluate", "stability")
ANALYSES = (*MEASURES, *RATERS, *OF_RATINGS, "recovery")
USUAL = ("steepness_bayes", "linearity", "transitivity", "consistency")
# Refits to fair coins take most of the time of a single group, and comparisons of groups rarely
# need them.
WITHOUT_REFITS = {"fair_coins": 0}
SET_BY_THE_STUDY = ("seed", "threads", "progress", "executor")


@dataclass(frozen=True)
class Analysis:
    """One thing to compute: its name in the table, the function, and its settings."""

    name: str
    function: Callable[..., Any]
    own: bool = False
    settings: dict[str, Any] = field(default_factory=dict)

    def __call__(self, data: Contests, seed: int) -> Any:
        """The result for one group."""
        if not self.own and self.function.__name__ in OF_RATINGS:
            return self._of_ratings(data, seed)
        return self.function(data, **self.settings, **_managed(self.function, seed))

    def _of_ratings(self, data: Contests, seed: int) -> Any:
        """Rate the contests first, with the settings that belong to the rating."""
        settings = dict(self.settings)
        rater = function(settings.pop("method", "elo"))
        parameters = inspect.signature(self.function).parameters
        mine = {name: settings.pop(name) for name in list(settings) if name in parameters}
        ratings = rater(data, **settings, **_managed(rater, seed))
        return self.function(ratings, **mine, **_managed(self.function, seed))

    def described(self) -> dict[str, Any]:
        """What identifies the analysis, as JSON types."""
        what = {"name": self.name, "settings": plain(self.settings)}
        if self.own:
            what["function"] = f"{self.function.__qualname__}, code {_code_hash(self.function)}"
        return what


def _managed(function: Callable[..., Any], seed: int) -> dict[str, Any]:
    """Seed and number of threads, if the function takes them."""
    parameters = inspect.signature(function).parameters
    wanted = {"seed": seed, "threads": 1}
    return {name: value for name, value in wanted.items() if name in parameters}


def analyses_of(measures: Any) -> tuple[Analysis, ...]:
    """The analyses that are requested, checked.

    `measures` is a name, a function, a sequence of these, or a mapping of names to settings (or to
    functions).
    """
    if isinstance(measures, str) or callable(measures):
        measures = (measures,)
    if isinstance(measures, Mapping):
        found = [_named(str(name), value) for name, value in measures.items()]
    else:
        found = [_one(measure) for measure in several("measures", measures)]
    if not found:
        raise ArgumentError(f"{option_name('measures')}: name at least one measure.")
    names = [analysis.name for analysis in found]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ArgumentError(f"{option_name('measures')}: {quoted(twice)} is requested twice.")
    return tuple(found)


def _one(measure: Any) -> Analysis:
    if isinstance(measure, str):
        return _named(measure, {})
    if callable(measure):
        return _own(getattr(measure, "__name__", ""), measure)
    raise ArgumentTypeError(
        f'{given("measures", measure)}: give names, such as "linearity", functions, or a mapping '
        f'of names to settings, such as {{"linearity": {{"runs": 1000}}}}.'
    )


def _named(name: str, value: Any) -> Analysis:
    if callable(value):
        return _own(name, value)
    if name not in ANALYSES:
        raise ArgumentError(
            f"{given('measures', name)} is not known.{did_you_mean([name], ANALYSES)} Choose from: "
            f"{', '.join(ANALYSES)}."
        )
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(
            f"The settings of {name} must be a mapping, such as {{}}; not {type(value).__name__}."
        )
    settings = {str(key): setting for key, setting in value.items()}
    _refuse_unknown(name, settings)
    if name == "steepness_bayes" and not {"preset", "at"} & set(settings):
        settings = WITHOUT_REFITS | settings
    return Analysis(name, function(name), settings=settings)


def _refuse_unknown(name: str, settings: dict[str, Any]) -> None:
    known = set(list(inspect.signature(function(name)).parameters)[1:])
    if name in OF_RATINGS:
        method = settings.get("method", "elo")
        if method not in RATERS:
            raise ArgumentError(
                f'{name}: method="{method}" is not known. Choose one of: {", ".join(RATERS)}.'
            )
        known |= {"method", *list(inspect.signature(function(method)).parameters)[1:]}
    if name == "recovery":  # settings of the method that is judged
        known |= set(settings) - set(SET_BY_THE_STUDY)
    known -= set(SET_BY_THE_STUDY)
    wrong = [key for key in settings if key not in known]
    managed = [key for key in wrong if key in SET_BY_THE_STUDY]
    if managed:
        raise ArgumentError(f"{name}: {managed[0]} is set by the study; leave it out.")
    if wrong:
        raise ArgumentError(
            f"{name} has no setting {quoted(wrong)}.{did_you_mean(wrong, known)} Settings: "
            f"{', '.join(sorted(known - {'settings'})) or 'none'}."
        )


def _own(name: str, given_function: Callable[..., Any]) -> Analysis:
    """A function of the user; functions of this package keep their settings."""
    if not name.isidentifier():
        raise ArgumentError(
            "A function without a name, such as a lambda, must be given one: "
            'measures={"name": function}.'
        )
    same = given_function.__name__ if hasattr(given_function, "__name__") else ""
    if same in ANALYSES and given_function is function(same):
        return Analysis(name, given_function)
    if name in ANALYSES:
        raise ArgumentError(f'"{name}" is a measure of this package; use another name.')
    return Analysis(name, given_function, own=True)


def _code_hash(function: Callable[..., Any]) -> str:
    """A hash of the source text of a function, or of its compiled code."""
    try:
        content = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        content = repr(function) if code is None else f"{code.co_code!r} {code.co_consts!r}"
    return hashlib.blake2b(content.encode(), digest_size=6).hexdigest()


def seed_for(seed: int, group: str, measure: str) -> int:
    """The seed of one measure in one group: never one of the order of groups or measures."""
    text = f"{len(group)}:{group}{measure}".encode()
    words = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), np.uint32)
    return int(np.random.SeedSequence([seed, *words.tolist()]).generate_state(1)[0])


PARTS = ("sd", "low", "high")


def numbers_of(found: Any, name: str) -> dict[str, Any]:
    """Columns of a row, the main value first, under the name of the analysis."""
    if is_number(found):
        return {name: float(found)}
    values = _values(found, name)
    main = MAIN.get(name, "value")
    columns: dict[str, Any] = {}
    for key in sorted(values, key=lambda key: key != main):
        columns |= _flat(name if key == main else f"{name}_{key}", values[key])
    limits = found.interval if isinstance(found, Measure) else None
    if limits is not None and name in columns and f"{name}_low" not in columns:
        first = {name: columns.pop(name)}
        between = {f"{name}_low": float(limits[0]), f"{name}_high": float(limits[1])}
        own = {f"{name}_{end}" for end in ("low", "high")}  # the same limits
        columns = first | between | {k: v for k, v in columns.items() if k not in own}
    return columns


def _values(found: Any, name: str) -> Mapping[str, Any]:
    if isinstance(found, Result):
        return found.values
    if isinstance(found, Mapping) and found:
        wrong = [key for key, part in found.items() if not (is_number(part) or _is_draws(part))]
        if not wrong:
            return {str(key): part for key, part in found.items()}
    raise ArgumentTypeError(
        f"{name} returned {type(found).__name__}. It must return a number, a mapping of numbers or "
        f"of arrays of draws, or a result of this package."
    )


def _is_draws(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.ndim == 1 and part.dtype.kind in "fiu"


def _flat(label: str, value: Any) -> dict[str, Any]:
    """A number by its name, an estimate with its interval, nested values by joined names."""
    if _is_draws(value):
        value = Estimate.of(value)
    if isinstance(value, Estimate):
        return {label: _finite(float(value))} | {
            f"{label}_{part}": _finite(getattr(value, part)) for part in PARTS
        }
    if isinstance(value, bool | np.bool_):
        return {label: bool(value)}
    if isinstance(value, int | np.integer):
        return {label: int(value)}
    if isinstance(value, float | np.floating) or value is None:
        return {label: None if value is None else _finite(float(value))}
    if isinstance(value, Mapping):
        nested: dict[str, Any] = {}
        for key, part in value.items():
            nested |= _flat(f"{label}_{key}", part)
        return nested
    return {}  # texts and lists


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def draws_of(found: Any) -> dict[str, np.ndarray]:
    """Posterior draws of single quantities by name; empty where there are none."""
    if isinstance(found, Mapping):
        return {str(key): part for key, part in found.items() if _is_draws(part)}
    samples = getattr(found, "samples", None)
    if isinstance(found, Measure):
        at_dates, value = found.settings.get("at"), found.values.get("value")
        if isinstance(samples, np.ndarray) and isinstance(value, Estimate) and not at_dates:
            return {"value": samples.ravel()}
        return {}
    if not isinstance(samples, dict):
        return {}
    # Of a fitted model: k and σ, not the ratings of individuals.
    return {name: part.ravel() for name, part in samples.items() if np.ndim(part) == 2}


def table_of(found: Any) -> pl.DataFrame | None:
    """The table of individuals (or other rows) of a result."""
    if not isinstance(found, Result) or (isinstance(found, Measure) and found.frame is None):
        return None
    return found.as_polars()


COMPLETE, INCOMPLETE, FAILED = "complete", "incomplete", "failed"


@dataclass(frozen=True)
class Setup:
    """What all groups share."""

    analyses: tuple[Analysis, ...]
    seed: int


@dataclass(frozen=True)
class Task:
    """One group: its name, the key of its results, and its contests."""

    group: str
    key: str
    data: Contests


def results_of(setup: Setup, task: Task) -> dict[str, Any]:
    """All that is computed in one group, with a status and reasons for what is missing."""
    began = time.perf_counter()
    values: dict[str, Any] = {}
    draws: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for analysis in setup.analyses:
        name = analysis.name
        try:
            with warnings.catch_warnings():  # workers of a cluster would print them, group by group
                warnings.simplefilter("ignore")
                found = _found(analysis, task, setup.seed, reasons)
            numbers, sampled, table = numbers_of(found, name), draws_of(found), table_of(found)
        except Exception as error:
            reasons[name] = _said(error)
            continue
        values[name] = numbers
        if sampled:
            draws[name] = sampled
        if table is not None:
            tables[name] = table
    status = COMPLETE if not reasons else INCOMPLETE if values else FAILED
    return {
        "group": task.group,
        "key": task.key,
        "status": status,
        "reason": reason_of(reasons, len(setup.analyses)),
        "seconds": round(time.perf_counter() - began, 4),
        "effort": effort(task.data),
        "values": values,
        "draws": draws,
        "tables": tables,
    }


def _found(analysis: Analysis, task: Task, seed: int, reasons: dict[str, str]) -> Any:
    """The result; that of a fit which has not converged is kept, with the reason."""
    try:
        return analysis(task.data, seed_for(seed, task.group, analysis.name))
    except ConvergenceError as error:
        if error.ratings is None:
            raise
        reasons[analysis.name] = str(error)
        return error.ratings


def _said(error: Exception) -> str:
    if isinstance(error, PeckorderError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def reason_of(reasons: dict[str, str], measures: int) -> str | None:
    """The reasons of all measures in one text; the same reason of all is stated once."""
    if not reasons:
        return None
    texts = list(dict.fromkeys(reasons.values()))
    if len(texts) == 1 and len(reasons) == measures:
        return texts[0]
    return " ".join(f"{name}: {text}" for name, text in reasons.items())


def effort(data: Contests) -> dict[str, Any]:
    """Individuals, contests, ties, and the share of dyads without a contest."""
    size = len(data.individuals)
    low, high = np.minimum(data.winner, data.loser), np.maximum(data.winner, data.loser)
    met = len(np.unique(low.astype(np.int64) * size + high))
    dyads = size * (size - 1) // 2
    return {
        "individuals": size,
        "contests": len(data),
        "ties": 0 if data.draw is None else int(data.draw.sum()),
        "unknown_share": (dyads - met) / dyads if dyads else None,
    }
