"""From the result of one analysis to the numbers of a row, its draws and its table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number
from peckorder.errors import ArgumentTypeError
from peckorder.estimate import Estimate
from peckorder.results import Measure
from peckorder.results.result import Result
from peckorder.studies.measures import MAIN

PARTS = ("sd", "low95", "high95")


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
    if limits is not None and name in columns and f"{name}_low95" not in columns:
        first = {name: columns.pop(name)}
        between = {f"{name}_low95": float(limits[0]), f"{name}_high95": float(limits[1])}
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
    if isinstance(found, Measure) and found.method == "steepness_bayes":
        one_moment = found.settings.get("at") is None
        return {"value": found.draws["steepness"].ravel()} if one_moment else {}
    draws = getattr(found, "draws", None)
    if isinstance(found, Measure) or not isinstance(draws, dict):
        return {}
    # Of a fitted model: k and σ, not the ratings of individuals.
    return {name: part.ravel() for name, part in draws.items() if np.ndim(part) == 2}


def table_of(found: Any) -> pl.DataFrame | None:
    """The table of individuals (or other rows) of a result."""
    if not isinstance(found, Result):
        return None
    frame = found.as_polars()
    return None if isinstance(found, Measure) and found.frame is None else frame
