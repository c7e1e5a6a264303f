"""The log-likelihood of Elo settings on a grid (Foerster et al. 2016).

Each contest is predicted from the ratings before it; the log-likelihood of a setting is the sum of
the logarithms of the probabilities of what happened. `tune` finds the maximum; the surface shows
how sharp it is, and whether there are several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Unpack

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened_contests
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.scoring import NO_ORDER
from peckorder.evaluation.search import Objective
from peckorder.evaluation.search_space import CHOICES, Parameter, Point, Space
from peckorder.random_runs import Progress, in_threads
from peckorder.ratings.arguments import EloArguments, takes_elo_arguments
from peckorder.ratings.elo import LANES, elo
from peckorder.results import Measure
from peckorder.text import counted, option, option_name
from peckorder.validate import between_0_and_1, whole_number

POINTS = {1: 101, 2: 31, 3: 11}  # by number of parameters
FEW_POINTS = 7
MOST_SETTINGS = 1_000_000


@takes_elo_arguments
def likelihood_surface(
    data: Data,
    *,
    over: Sequence[str] | Mapping[str, Any] | str = ("k",),
    grid: int | None = None,
    skip: Any = 0,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Measure:
    """Log-likelihood of the contests on a grid of Elo settings.

    Parameters
    ----------
    data : Contests
    over : names, or a mapping from names to ranges
        Any of k, scale (delta or sd with another curve), home_advantage, carry_over. A range is a
        pair (low, high), or a list of values. With `k="context"`, one k per context.
    grid : int, optional
        Values per parameter; default 101 for one parameter, 31 for two, 11 for three, 7 for more.
    skip : number of contests, or date
        The first contests are rated but not counted.
    level : float
        Level of the likelihood interval.
    threads, progress : as in `tune`
    settings : further arguments of `elo`, kept fixed.

    Returns
    -------
    Measure
        Table: one column per parameter, value (log-likelihood), and difference from the maximum.
        Values: `value` (largest on the grid), `best` (settings there, by name), `contests`, and for
        one parameter the likelihood interval `low`, `high`: values whose log-likelihood is
        within χ²/2 of the maximum (None at an end of the range).

    Notes
    -----
    A tie counts as half a win and half a loss.

    References
    ----------
    Foerster et al. 2016, Scientific Reports 6:35404, doi:10.1038/srep35404.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.likelihood_surface(po.datasets.adv(), over={"k": (0, 400)}, curve="normal")
    >>> found.best, round(found.value, 3)
    ({'k': 256.0}, -16.942)
    """
    data = opened_contests(data, "likelihood_surface", presence)
    if not data.ordered:
        raise DataError(NO_ORDER)
    between_0_and_1("level", level)
    if grid is not None:
        whole_number("grid", grid, 2)
    first = first_counted(data, skip)
    space = Space.of(data, over, dict(settings))
    if space.choices:
        raise ArgumentError(
            f"{option_name('over')}: {', '.join(space.choices)} cannot be used here, only numbers. "
            f"Compare {' and '.join(CHOICES)} with tune."
        )
    objective = Objective(elo(data, **space.default), space, "log_loss", first)
    number = POINTS.get(len(space.numbers), FEW_POINTS) if grid is None else grid
    axes = [_values(one, number) for one in space.numbers]
    if np.prod([len(axis) for axis in axes]) > MOST_SETTINGS:
        raise ArgumentError(
            f"More than {MOST_SETTINGS:,} combinations. Reduce {option_name('grid')} or the "
            f"number of parameters."
        )
    rows = np.array(list(product(*axes)))
    places = np.array(
        [[one.place(v) for one, v in zip(space.numbers, row, strict=True)] for row in rows]
    )
    found = np.empty(len(rows))

    def work(begin: int, end: int) -> None:
        losses = objective.losses([Point(place) for place in places[begin:end]])
        found[begin:end] = -np.array(losses) * len(objective.own)

    in_threads(work, len(rows), block=LANES, threads=threads, progress=progress)
    labels = [one.label for one in space.numbers]
    best = int(np.argmax(found))
    values: dict[str, Any] = {
        "value": float(found[best]),
        "best": dict(zip(labels, rows[best].tolist(), strict=True)),
        "contests": len(objective.own),
    }
    if len(labels) == 1:
        values["low"], values["high"] = _interval(rows[:, 0], found, level)
    return Measure(
        method="likelihood_surface",
        data=data,
        values=values,
        frame=pl.DataFrame(
            {
                **{label: rows[:, i] for i, label in enumerate(labels)},
                "value": found,
                "difference": found - found[best],
            }
        ),
        summary=tuple(_summary(values, axes, level)),
        settings={
            "over": {name: list(part) for name, part in space.ranges.items()},
            "grid": grid,
            "skip": skip,
            "level": level,
            **objective.base.to_dict(),
        },
        citations=("foerster2016",),
    )


def _values(one: Parameter, points: int) -> np.ndarray:
    return np.array(one.values) if one.values else np.linspace(one.low, one.high, points)


def _interval(
    values: np.ndarray, found: np.ndarray, level: float
) -> tuple[float | None, float | None]:
    """Where the log-likelihood crosses its limit, by interpolation; None beyond the grid."""
    from scipy.special import ndtri

    limit = found.max() - float(ndtri(0.5 + level / 2)) ** 2 / 2
    inside = np.flatnonzero(found >= limit)
    ends: list[float | None] = []
    for place, beyond in ((inside[0], inside[0] - 1), (inside[-1], inside[-1] + 1)):
        if not 0 <= beyond < len(values):
            ends.append(None)
            continue
        share = (found[place] - limit) / (found[place] - found[beyond])
        ends.append(float(values[place] + share * (values[beyond] - values[place])))
    return ends[0], ends[1]


def _summary(values: dict[str, Any], axes: list[np.ndarray], level: float) -> list[str]:
    best = ", ".join(f"{name} = {value:.4g}" for name, value in values["best"].items())
    highest = f"{values['value']:.3f}".replace("-", "−")
    sentences = [
        f"The log-likelihood of {counted(values['contests'], 'contest')} is highest at {best} "
        f"({highest})."
    ]
    if len(axes) == 1:
        low, high = values["low"], values["high"]
        left = "the lower end of the range" if low is None else f"{low:.4g}"
        right = "the upper end of the range" if high is None else f"{high:.4g}"
        sentences.append(f"{level:.0%} likelihood interval: {left} to {right}.")
    at_end = [
        name
        for (name, value), axis in zip(values["best"].items(), axes, strict=True)
        if value in (axis[0], axis[-1])
    ]
    if at_end:
        sentences.append(
            f"The maximum is at an end of the range of {', '.join(at_end)}. Try a wider range "
            f"with {option('over')}."
        )
    return sentences
