"""What every result has: a table, values by name, settings, provenance and file formats.

A result as an Excel workbook: its tables, values, settings, provenance and notes.

Results as plain lists, for R.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

import polars as pl

from peckorder import methods, notebook
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.tables import (
    as_bytes,
    as_polars,
    as_r,
    format_of,
    native,
    plain,
    records,
    workbook,
    write_whole,
)
from peckorder.text import counted, did_you_mean
from peckorder.validate import in_words

# Columns that a notebook draws, where there are no intervals of ranks.
SCORES = {
    "rating": "Rating",
    "normds": "Normalized David's score",
    "ability": "Ability",
    "dominance_value": "Dominance value",
}


# The figure of each method that has one of its own.
FIGURES = {
    "steepness": "steepness",
    "steepness_bayes": "summed_probability",
    "calibration": "calibration",
    "likelihood_surface": "likelihood",
    "hierarchy_shape": "shape",
    "dominance_style": "dominance_style",
    "over_time": "over_time",
    "change_points": "change_points",
    "recovery": "recovery",
    "power": "power",
    "compare": "compare",
    "visit_gaps": "gaps",
    "simulate_season": "places",
    "bracket": "bracket",
    "fragility": "fragility",
    "multiverse": "multiverse",
    "next_pairs": "next_pairs",
}


class NoSuchName(AttributeError):
    """A name that a result does not have; what was meant is looked for only where it is shown."""

    def __str__(self) -> str:
        found, name = self.args
        values = found.__dict__.get("values", {})
        near = "" if name.startswith("_") else _near(found, name)
        known = f"; values: {', '.join(values)}" if values else ""
        return f"{type(found).__name__} has no {name!r}{known}.{near}"


@in_words
class Result(ABC):
    """A table, values by name (also as attributes) and a summary, with settings and provenance.

    Subclasses have `method`, `settings`, `citations`, `values`, `summary` and `seed`, and define
    the table and the data.
    """

    method: str
    settings: dict[str, Any]
    citations: tuple[str, ...]
    values: dict[str, Any]
    summary: tuple[str, ...]
    seed: int | None

    if not TYPE_CHECKING:  # so that type checkers find names that do not exist

        def __getattr__(self, name: str) -> Any:
            values = self.__dict__.get("values", {})
            if name in values:
                return values[name]
            raise NoSuchName(self, name)

    def __init_subclass__(cls) -> None:
        in_words(cls)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.values})

    def __str__(self) -> str:
        return "\n".join([repr(self), *self.summary])

    def _repr_html_(self) -> str:
        """What notebooks show: title, summary, a picture of ranks or ratings, and the table."""
        title, _, shown = repr(self).partition(": ")
        frame = self.as_polars()
        tables = [notebook.values(self.values), notebook.table(frame) if frame.width else ""]
        return notebook.page(
            title,
            sentences=self.summary or (shown,),
            picture=_picture(frame),
            tables=[table for table in tables if table],
            after=(f"Note: {note}" for note in self.notes),
        )

    @abstractmethod
    def as_polars(self) -> pl.DataFrame:
        """The result as a polars DataFrame, regardless of the type of the input table."""

    def _records(self) -> list[dict[str, Any]]:
        return records(self.as_polars())

    def _named_values(self) -> dict[str, Any]:
        return {**self.values, "summary": self.summary} if self.summary else dict(self.values)

    def _data_hash(self) -> str | None:
        return None

    def _data_notes(self) -> tuple[str, ...]:
        return ()

    def _flavor(self) -> str:
        return "polars"

    def _native(self, table: pl.DataFrame) -> Any:
        return native(table, self._flavor())

    @property
    def table(self) -> Any:
        """The result as a table of the same type as the input (pandas, polars, …)."""
        return self._native(self.as_polars())

    def plot(self, *file: Any, **options: Any) -> Any:
        """Draw the figure of this result, one of `po.plot`, and return its axes.

        Parameters
        ----------
        **options
            Those of the figure: `width` and `ax`, and `individuals` and others where it has them.
        """
        if file:
            raise ArgumentTypeError(
                f"plot takes no file. It returns axes: result.plot().figure.savefig({file[0]!r})."
            )
        name = FIGURES.get(self.method)
        if name is None and hasattr(self, "course"):
            name = "trajectories" if self.__dict__["kept"].contests.ordered else "ranks"
        if name is None and "rank" in self.__dict__:  # of an order
            name = "ranks" if "rank_low" in self.as_polars().columns else "network"
        if name is None:
            raise ArgumentError(
                f"{self.method} has no figure of its own. Draw its .table, or choose one of the "
                f"figures of peckorder.plot."
            )
        return getattr(import_module("peckorder.plot"), name)(self, **options)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame; pyarrow is not needed."""
        return native(self.as_polars(), "pandas")

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """Write a workbook with the table, values, settings, provenance and notes."""
        if format_of(path) != "xlsx":
            raise ArgumentError(f"{path} is no workbook (.xlsx). For other formats, use save.")
        write_whole((path, workbook_of(self)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the checks of the data found, one line each, such as doubtful names."""
        return self._data_notes()

    @property
    def provenance(self) -> dict[str, Any]:
        """Version, method, hash of the data and notes on them, seed and citations."""
        return {
            "version": methods.VERSION,
            "method": self.method,
            "data_hash": self._data_hash(),
            "notes": list(self.notes),
            "seed": self.seed,
            "citation": [methods.REFERENCES[key] for key in self.citations],
        }

    def to_dict(self) -> dict[str, Any]:
        """Method, settings, result and provenance as plain values."""
        return {
            "method": self.method,
            "settings": plain(self.settings),
            "result": {"table": self._records(), **plain(self._named_values())},
            "provenance": self.provenance,
        }

    def to_r(self, table: Any = None) -> dict[str, Any]:
        """The result as plain lists, which reticulate turns into lists and vectors of R.

        Parameters
        ----------
        table : table, optional
            Another table of this result, such as `ratings.history`, to be returned instead: its
            columns by name. In R, `as.data.frame` makes a data frame of it.

        Returns
        -------
        dict
            `method`, `table` (columns by name; dates as text, missing texts empty, missing
            numbers NaN), `values`, `summary`, `settings` and `provenance`.

        Examples
        --------
        >>> import peckorder as po
        >>> found = po.davids_score(po.datasets.bonobos()).to_r()
        >>> found["table"]["individual"][:3], found["table"]["rank"][:3]
        (['He', 'Dz', 'Ho'], [1.0, 2.0, 3.0])
        """
        if table is not None:
            return vectors(table)
        return {
            "method": self.method,
            "table": vectors(self.as_polars()),
            "values": as_r(plain(self.values)),
            "summary": list(self.summary),
            "settings": as_r(plain(self.settings)),
            "provenance": as_r(self.provenance),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv, .tsv, .parquet), or the whole result (.json, .xlsx).

        A workbook has sheets for the table, further tables, values, settings, provenance and notes.
        """
        form = format_of(path)
        if form == "xlsx":
            content = workbook_of(self)
        else:
            content = as_bytes(self.as_polars(), form, self.to_dict() if form == "json" else None)
        write_whole((path, content))


def _near(found: Any, name: str) -> str:
    """What was meant by a name that a result does not have."""
    own = object.__dir__(found)
    places = import_module("peckorder").places()
    if name in places:
        return f" It is a function: {places[name]}(…)."
    if name in own:  # a table that is made on request only
        verb = places.get(found.method, found.method)
        return f" With these arguments it is not computed: help({verb})."
    return did_you_mean([name], own)


def _picture(frame: pl.DataFrame) -> str:
    """Ranks with intervals where there are any, otherwise scores; empty for other tables."""
    if "individual" not in frame.columns or frame["individual"].n_unique() < frame.height:
        return ""
    names = [str(name) for name in frame["individual"]]
    if {"rank", "rank_low", "rank_high"} <= set(frame.columns):
        ranks, low, high = (
            frame[name].to_numpy().astype(float) for name in ("rank", "rank_low", "rank_high")
        )
        return notebook.dots(names, ranks, low, high, label="Rank with 95% interval", reverse=True)
    for column, label in SCORES.items():
        if column in frame.columns:
            return notebook.dots(names, frame[column].to_numpy().astype(float), label=label)
    return ""


LONGEST_HISTORY = 50_000  # contests; more take minutes to write


def workbook_of(found: Result, table: pl.DataFrame | None = None, **settings: Any) -> bytes:
    """A workbook of a result.

    Parameters
    ----------
    found : the result
    table : the table of another moment, in place of the final one
    settings : further settings to record, such as the moment of the table
    """
    first = label_of(found)
    tables = {} if _has_no_table(found) else {first: found.as_polars() if table is None else table}
    tables |= found.__dict__.get("tables", {})
    if (diagnostics := getattr(found, "diagnostics", None)) is not None:  # of a sampler
        tables["diagnostics"] = as_polars(diagnostics)
    course, notes = history_of({None: found})
    described = {
        "settings": plain({**found.settings, **settings}),
        "provenance": plain(found.provenance),
        "result": plain({**found.values, "summary": list(found.summary)}),
    }
    return workbook(tables | course, described, [*notes, *import_notes(found)])


def label_of(found: Result) -> str:
    """The label of the sheet of the main table."""
    for kind in type(found).__mro__:
        if kind.__name__ in ("Ratings", "Order"):
            return kind.__name__.lower()
    return found.method


def _has_no_table(found: Result) -> bool:
    """Whether the table would only repeat the values."""
    return "frame" in found.__dict__ and found.__dict__["frame"] is None


def history_of(rated: dict[Any, Any]) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The ratings before and after each contest, or why they are left out.

    Results of Elo and Glicko have such a history; posteriors have one per draw.
    """
    first = next(iter(rated.values()))
    names = {kind.__name__ for kind in type(first).__mro__}
    if "Ratings" not in names or "SampledRatings" in names or first.kept is None:
        return {}, []
    contests = sum(len(found.data) for found in rated.values())
    if contests > LONGEST_HISTORY:
        return {}, [
            f"The ratings before and after each contest are left out, because there are "
            f"{counted(contests, 'contest')}; write them as CSV or Parquet."
        ]
    parts = [
        as_polars(found.history).select(
            *([] if name is None else [pl.lit(name).alias("group")]), pl.all()
        )
        for name, found in rated.items()
    ]
    return {"rating history": pl.concat(parts, how="diagonal_relaxed")}, []


def import_notes(found: Result) -> list[str]:
    """How the data were read, line by line."""
    own = found.__dict__
    data = getattr(own.get("kept"), "contests", own.get("data"))
    report = own.get("report") or getattr(data, "report", None)
    presence = getattr(data, "presence", None)
    return [
        *([] if report is None else str(report).splitlines()),
        *([] if presence is None else presence.notes),
    ]


def vectors(table: Any) -> dict[str, list[Any]]:
    """The columns of a table as lists of one type each; dates as text.

    >>> vectors(pl.DataFrame({"name": ["Abe", None], "rank": [1, None], "wins": [3, 0]}))
    {'name': ['Abe', ''], 'rank': [1.0, nan], 'wins': [3, 0]}
    """
    return {column.name: _vector(column) for column in as_polars(table).get_columns()}


def _vector(column: pl.Series) -> list[Any]:
    if column.dtype == pl.Boolean and not column.null_count():
        return column.to_list()
    if column.dtype.is_integer() and not column.null_count():
        return as_r(column.to_list())
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return column.cast(pl.Float64).fill_null(float("nan")).to_list()
    if isinstance(column.dtype, pl.Datetime):
        column = _as_r_writes_times(column)
    return ["" if value is None else str(plain(value)) for value in column.to_list()]


def _as_r_writes_times(column: pl.Series) -> pl.Series:
    """Days without a time of day as dates, otherwise times in the form that as.POSIXct reads."""
    days = column.dt.truncate("1d")
    same = (days == column).drop_nulls().all()
    return column.cast(pl.Date) if same else column.dt.strftime("%Y-%m-%d %H:%M:%S%.f")
