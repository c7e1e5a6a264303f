"""`Order`: a rank order with its criterion. `Measure`: one quantity or a few related ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder import methods, notebook
from peckorder.data.contests import Contests
from peckorder.data.names import code_of
from peckorder.data.win_counts import DyadCounts, WinCounts
from peckorder.errors import ArgumentTypeError
from peckorder.estimate import Estimate
from peckorder.methods import title
from peckorder.results.result import Result
from peckorder.tables import records
from peckorder.text import counted

SHOWN = 6


class FurtherTable:
    """A further table of a result, as an attribute of the type of the input table."""

    def __init__(self, doc: str):
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, found: Finding | None, owner: type) -> Any:
        if found is None:
            return self
        if self.name not in found.tables:
            raise AttributeError(f"This result has no table {self.name!r}.")
        return found._native(found.tables[self.name])


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Result):
    """The result of a method: values by name (also as attributes), a table and a summary.

    Attributes
    ----------
    method : str
    data : the contests, or the counts of wins
    values : dict of numbers and small structures by name
    frame : polars.DataFrame, the table behind `.table`
    summary : tuple of str, interpretation of the values and caveats
    settings : dict, every argument with its value
    draws : dict of arrays by name, for methods that use random numbers
    tables : dict of further tables by name (also as attributes, as the type of the input table)
    seed : int or None, seed of the random numbers
    """

    method: str
    data: WinCounts | DyadCounts | Contests
    values: dict[str, Any] = field(default_factory=dict)
    frame: pl.DataFrame | None = None
    summary: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    citations: tuple[str, ...] = ()
    draws: dict[str, np.ndarray] = field(default_factory=dict)
    seed: int | None = None
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in fields(self)[len(fields(Finding)) :]:
            value = getattr(self, one.name)
            left_out = value is None and one.default is None  # not asked for
            if one.repr and not left_out and not _is_array(value):
                self.values[one.name] = value

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in self.__dict__.get("tables", {}):
                return self._native(self.tables[name])
            return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.tables})

    def as_polars(self) -> pl.DataFrame:
        """The table of the result, or one row of its single values, in polars."""
        if self.frame is not None:
            return self.frame
        return pl.DataFrame({k: [v] for k, v in self.values.items() if _single(v)})

    def _repr_html_(self) -> str:
        """What notebooks show; single values are listed once, not as a table of one row."""
        return super()._repr_html_() if self.frame is not None else self._values_html()

    def _values_html(self) -> str:
        title, _, shown = repr(self).partition(": ")
        return notebook.page(
            title, sentences=self.summary or (shown,), tables=[notebook.values(self.values)]
        )

    def _records(self) -> list[dict[str, Any]]:
        return [] if self.frame is None else super()._records()

    def _named_values(self) -> dict[str, Any]:
        tables = {name: records(table) for name, table in self.tables.items()}
        return {**self.values, **tables, "summary": self.summary}

    def _data_hash(self) -> str | None:
        return getattr(self.data, "hash", None)  # a matrix of benefits has none

    def _data_notes(self) -> tuple[str, ...]:
        return tuple(getattr(self.data, "cautions", {}).values())

    def _flavor(self) -> str:
        return self.data.flavor

    def cite(self) -> str:
        """A sentence for the methods section, with references."""
        silent = {"runs"} if self.values.get("exact") else set()
        silent |= {"time_limit"} if self.values.get("proved") else set()
        shown = {
            name: value
            for name, value in self.settings.items()
            if value is not None and name not in silent
        }
        choices = ", ".join(f"{name} = {_setting_text(value)}" for name, value in shown.items())
        random = "" if self.seed is None else f", seed {self.seed}"
        references = "\n".join(methods.REFERENCES[key] for key in self.citations)
        number = getattr(self.data, "number", None)
        contests = "" if number is None else f"{counted(number, 'contest')} among "
        known = "" if self._data_hash() is None else f"; data {self._data_hash()}"
        return (
            f"{title(self.method)}: computed from {contests}"
            f"{counted(len(self.data.individuals), 'individual')} with peckorder "
            f"{methods.VERSION} ({choices}{random}{known}).\n"
            f"{references}\n{methods.SOFTWARE}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Measure(Finding):
    """One quantity, or a few related ones by name, with test and interval.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.linearity(po.datasets.bonobos())
    >>> round(found.value, 4), found.exact
    (0.8571, True)
    """

    @property
    def interval(self) -> tuple[float, float] | None:
        """Limits of the interval of `value` (95%, or `level`); None if there is no interval."""
        value = self.values.get("value")
        if isinstance(value, Estimate):
            return value.interval
        low = self.values.get("low")
        return None if low is None else (low, self.values["high"])

    def __float__(self) -> float:
        if "value" not in self.values:
            raise ArgumentTypeError(f"{self.method} has several values: {', '.join(self.values)}.")
        return float(self.values["value"])

    def __repr__(self) -> str:
        known = {name: value for name, value in self.values.items() if value is not None}
        numbers = [f"{k} {_short(v)}" for k, v in known.items() if _single(v)]
        more = ", …" if len(numbers) > SHOWN else ""
        shown = ", ".join(numbers[:SHOWN]) if numbers else "".join(self.summary[:1])
        return f"Measure ({self.method}): {shown}{more}"


@dataclass(frozen=True, eq=False, repr=False)
class Order(Finding):
    """A rank order with its criterion.

    `rank` holds the ranks in the order of `individuals`. Iterating over an order yields the names
    from the highest rank to the lowest, and `order["Abe"]` is the rank of Abe.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.davids_score(po.datasets.bonobos())
    >>> list(order)[:3], order["He"]
    (['He', 'Dz', 'Ho'], 1.0)
    """

    rank: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names of the individuals."""
        return self.data.individuals

    def __len__(self) -> int:
        return len(self.individuals)

    def __iter__(self) -> Iterator[str]:
        return iter(self.as_polars()["individual"])

    def __getitem__(self, individual: str) -> float:
        codes = {name: code for code, name in enumerate(self.individuals)}
        return float(self.rank[code_of(individual, codes)])

    def __repr__(self) -> str:
        names = list(self)
        more = ", …" if len(names) > SHOWN else ""
        return (
            f"Order ({self.method}): {counted(len(self), 'individual')}; "
            f"{', '.join(names[:SHOWN])}{more}"
        )


def _is_array(value: Any) -> bool:
    """Whether a field is an array, or arrays by name, which are no values."""
    if isinstance(value, Mapping):
        return any(isinstance(part, np.ndarray) for part in value.values())
    return isinstance(value, np.ndarray)


def _single(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | np.generic)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _setting_text(value: Any) -> str:
    """A setting as text; for a rating method, its name and its settings."""
    if isinstance(value, Mapping):
        rest = {k: v for k, v in value.items() if v not in (None, False) and k != "method"}
        parts = ", ".join(f"{k} {_setting_text(v)}" for k, v in rest.items())
        return f"{value['method']} ({parts})" if "method" in value else f"({parts})"
    if isinstance(value, list | tuple):
        return ", ".join(_setting_text(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
