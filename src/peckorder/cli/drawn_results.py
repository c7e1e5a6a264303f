"""What the figures of `peckorder plot` show: ratings, ranks and measures by the flags given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.elo import parse_rating
from peckorder.cli.fit import settings_of
from peckorder.cli.rating import rate
from peckorder.cli.running import verb
from peckorder.cli.tune import parse_over
from peckorder.cli.window import seen, taken_window

INTERVALS = {
    "dynamic": "dynamic",
    "adaptive": "adaptive",
    "steepness": "steepness_bayes",
    "randomized": "randomized_elo",
    "bradley-terry": "bradley_terry",
}
RESAMPLES = 200


def ratings(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Ratings by the method and settings of the flags."""
    return rate(data, flags, progress)


def intervals(data: Any, progress: Any = None, method: str | None = None, **flags: Any) -> Any:
    """Ranks with intervals, by the method requested."""
    import peckorder

    method, window = method or "dynamic", taken_window(flags)
    if method not in ("dynamic", "adaptive", "bayes") and window != (None, None):
        # Without a course of ratings, a window is a selection of contests.
        data, window = data.filter(start=window[0], end=window[1]), (None, None)
    if method == "bradley-terry":
        flags["bootstrap"] = flags.pop("runs", None) or RESAMPLES
    if method != "randomized" and flags.pop("runs", None) is not None:
        raise click.UsageError("--runs requires --method randomized or bradley-terry.")
    if method == "bayes":
        fitted = peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))
        return seen(fitted, window)
    function = verb(INTERVALS[method])
    parse_rating(flags)
    takes = inspect.signature(function).parameters
    foreign = set(flags) - set(takes)
    if foreign:
        flag = sorted(foreign)[0].replace("_", "-")
        raise click.UsageError(f"--{flag} cannot be used with --method {method}.")
    shown = {"progress": progress} if "progress" in takes else {}
    return seen(function(data, **shown, **flags), window)


def adapted(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Adaptive ratings with the settings of the flags."""
    import peckorder

    window = taken_window(flags)
    return seen(peckorder.adaptive(data, **flags), window)


def sampling(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Posterior of Bayesian Elo with the settings of the flags."""
    import peckorder

    return peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))


def calibrated(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Calibration of the ratings that the flags describe."""
    import peckorder

    names = inspect.signature(peckorder.calibration).parameters
    own = {name: flags.pop(name) for name in names if name in flags and name != "home_advantage"}
    return peckorder.calibration(rate(data, flags, progress), **own)


def surface(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Likelihood surface of the settings that the flags describe."""
    import peckorder

    given = {name: value for name, value in flags.items() if value is not None}
    given["over"] = parse_over(given["over"])
    return peckorder.fits.likelihood_surface(data, progress=progress, **given)


def studied(data: Any, progress: Any = None, measure: str = "steepness_bayes", **flags: Any) -> Any:
    """A study of all groups of the data, or of all contests if there are no groups."""
    import peckorder

    by, workers = None if data.group is None else "group", flags.pop("workers", None)
    return peckorder.study(
        data,
        by=by,
        measures=measure,
        executor=workers,
        progress=progress,
        **flags,
    )


def by_function(name: str, **more: Any) -> Callable:
    """Call a function of the library, with a progress callback if it takes one."""

    def call(data: Any, progress: Any = None, **flags: Any) -> Any:
        function = verb(name)
        takes = inspect.signature(function).parameters
        shown = {"progress": progress} if "progress" in takes else {}
        return function(data, **shown, **flags, **more)

    call.__name__ = name
    return call


def ordered(data: Any, progress: Any = None, order: str = "", ties: str = "omit") -> Any:
    """The rank order used for the rows and columns of a matrix of wins."""
    return verb(order)(data, ties=ties)
