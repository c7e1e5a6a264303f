"""What a study computes in each group: measures, orders, fits, evaluations and own functions."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from peckorder.checked import several
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.methods import function
from peckorder.studies.measures import MEASURES
from peckorder.tables import plain
from peckorder.wording import did_you_mean, given, option_name, quoted

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

    def __call__(self, data: Interactions, seed: int) -> Any:
        """The result for one group."""
        if not self.own and self.function.__name__ in OF_RATINGS:
            return self._of_ratings(data, seed)
        return self.function(data, **self.settings, **_managed(self.function, seed))

    def _of_ratings(self, data: Interactions, seed: int) -> Any:
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
