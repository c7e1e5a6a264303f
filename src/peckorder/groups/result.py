"""`Study`: the results of many groups, one row each, with their draws and tables on disk.

A script for R: a model of the groups that takes the uncertainty of each estimate into account.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, DataError
from peckorder.groups.folder import Folder
from peckorder.groups.pooling import PooledMeasure, pooled_measure, with_covariates
from peckorder.methods import METHODS, VERSION
from peckorder.results.result import Result
from peckorder.tables import refuse_no_path, write_whole
from peckorder.text import counted, given, quoted
from peckorder.validate import one_of

FIRST = ("group", "individuals", "contests", "ties", "unknown_share")
LAST = ("seconds", "status", "reason")


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """One analysis over many groups.

    Attributes
    ----------
    frame : polars.DataFrame, one row per group (also as `.table`, as the type of the input)
    values : total, complete, incomplete, failed (numbers of groups), seconds (of all groups)
    summary : tuple of str
    settings : dict, measures with their settings, and the column of groups

    Examples
    --------
    >>> import peckorder as po
    >>> data = {"winner": list("abacac"), "loser": list("bcbaba"), "group": list("xxxyyy")}
    >>> study = po.study(data, by="group", measures="linearity", executor=1, seed=1)
    >>> study.table.select("group", "contests", "status").rows()
    [('x', 3, 'complete'), ('y', 3, 'complete')]
    """

    frame: pl.DataFrame
    files: Folder
    measures: tuple[str, ...]
    parts: dict[str, dict[str, dict[str, str]]]  # draws, tables: groups and batches, by measure
    values: dict[str, Any]
    summary: tuple[str, ...]
    settings: dict[str, Any]
    citations: tuple[str, ...]
    seed: int | None
    flavor: str = "polars"
    hash: str | None = None
    data_notes: tuple[str, ...] = ()
    owner: Any = field(default=None)  # a temporary folder, which is removed with this object
    method: str = "study"

    def __repr__(self) -> str:
        numbers = self.values
        return (
            f"Study: {counted(numbers['total'], 'group')} × {', '.join(self.measures)}; "
            f"{numbers['complete']:,} complete, {numbers['incomplete']:,} incomplete, "
            f"{numbers['failed']:,} failed"
        )

    def __len__(self) -> int:
        return self.frame.height

    @property
    def folder(self) -> Path:
        """The folder with the files of each group."""
        return self.files.path

    def as_polars(self) -> pl.DataFrame:
        """One row per group, in polars."""
        return self.frame

    def _flavor(self) -> str:
        return self.flavor

    def _data_hash(self) -> str | None:
        return self.hash

    def _data_notes(self) -> tuple[str, ...]:
        return self.data_notes

    def draws(self, measure: str) -> Any:
        """Posterior draws of a measure in all groups: group, draw, and a column per quantity."""
        return self._native(self._in_order(self.scan_draws(measure)))

    def scan_draws(self, measure: str) -> pl.LazyFrame:
        """The same as a polars LazyFrame in order of computation, for more than memory holds."""
        return self._scan("draws", measure)

    def tables(self, measure: str) -> Any:
        """The tables of a measure or rank order in all groups, below each other."""
        if not self.parts["tables"].get(self._measure(measure)):
            raise ArgumentError(f"{measure} has no table of individuals in any group.")
        return self._native(self._in_order(self._scan("tables", measure)))

    def _in_order(self, rows: pl.LazyFrame) -> pl.DataFrame:
        """Rows in the order of the groups."""
        order = pl.col("group").cast(pl.Enum(self.frame["group"]))
        return rows.sort(order, maintain_order=True).collect()

    def _scan(self, kind: str, measure: str) -> pl.LazyFrame:
        groups = self.parts[kind].get(self._measure(measure), {})
        if not groups:
            having = [name for name, own in self.parts[kind].items() if own]
            raise ArgumentError(
                f"{measure} has no posterior draws. "
                + (f"These have: {quoted(having)}." if having else "Neither has any other measure.")
            )
        return self.files.scan(kind, measure, groups)

    def _measure(self, measure: str) -> str:
        return one_of("measure", measure, self.measures)

    def estimates(self, measure: str, value: str | None = None) -> pl.DataFrame:
        """The groups with an estimate: group, value, sd (if there is one), low and high.

        `value` is another value of the measure than its main one, such as "k" of "elo_bayes".
        """
        name = self._measure(measure)
        column = name if value is None else f"{name}_{value}"
        if column not in self.frame.columns:
            own = [c for c in self.frame.columns if c == name or c.startswith(f"{name}_")]
            others = [c.removeprefix(f"{name}_") for c in own if c != name]
            raise ArgumentError(
                f"{name} has no single main value; choose one: {quoted(others, 20)}."
                if value is None
                else f"{given('value', value)}: choose one of: {quoted(others, 20)}."
            )
        parts = {
            end: pl.col(f"{column}_{end}")
            if f"{column}_{end}" in self.frame.columns
            else pl.lit(None, dtype=pl.Float64)
            for end in ("sd", "low", "high")
        }
        return self.frame.select(
            "group",
            "contests",
            "individuals",
            pl.col(column).cast(pl.Float64).alias("value"),
            **parts,
        ).filter(pl.col("value").is_not_null())

    def pooled(
        self,
        measure: str,
        *,
        value: str | None = None,
        covariates: Any = None,
        between: str | None = None,
        level: float = 0.95,
    ) -> PooledMeasure:
        """The mean and spread of a measure over groups, and estimates pooled toward the mean.

        Parameters
        ----------
        measure : a measure with a posterior, such as "steepness_bayes"
        value : another value of it than the main one, such as "k" of "elo_bayes"
        covariates : table with one row per group: a column group (or named as in `by`) and others
        between : column of `covariates` with classes of groups, such as species
        level : of intervals

        Returns
        -------
        PooledMeasure
            `value`, the mean over groups, and `tau` (standard deviation between groups) as
            estimates with intervals; with `between`, `means` of classes and `differences` between
            them as tables.
            Table: group, value, sd, pooled, pooled_low, pooled_high.

        Notes
        -----
        Estimates yᵢ with standard errors sᵢ: yᵢ ~ N(θᵢ, sᵢ²), θᵢ ~ N(μ, τ²), with flat priors on
        μ and τ; τ is integrated over numerically (Gelman 2006, doi:10.1214/06-BA117A). At least
        three groups are needed. Intervals of means and differences hold in simulated studies; those
        of pooled values of single groups are too narrow with few contests (benchmarks/README.md).
        """
        return pooled_measure(
            self.estimates(measure, value), self, measure, value, covariates, between, level
        )

    def save_r(
        self,
        path: str | os.PathLike[str],
        *,
        measure: str,
        value: str | None = None,
        covariates: Any = None,
    ) -> None:
        """Write an R script (brms, with measurement error) and the CSV file that it reads.

        The CSV file has the name of the script with the ending .csv: one row per group with value,
        se and the columns of `covariates`.
        """
        write_whole(*r_files(path, self.estimates(measure, value), measure, covariates, self))

    def save_draws(self, path: str | os.PathLike[str], *, measure: str) -> None:
        """Write the draws of all groups into one Parquet file, without reading all into memory."""
        if Path(path).suffix.lower() != ".parquet":
            raise ArgumentError(f"{path}: draws are written to a file with the ending .parquet.")
        self.scan_draws(measure).sink_parquet(Path(path))


def study_of(
    entries: list[Mapping[str, Any]],
    measures: tuple[str, ...],
    files: Folder,
    flavor: str,
    **more: Any,
) -> Study:
    """The study of these entries, in the order of its groups."""
    frame = table_of(entries, measures)
    statuses = Counter(entry["status"] for entry in entries)
    values = {
        "total": len(entries),
        **{status: statuses.get(status, 0) for status in ("complete", "incomplete", "failed")},
        "seconds": float(sum(entry["seconds"] for entry in entries)),
    }
    parts = {
        kind: {
            name: {entry["group"]: entry["batch"] for entry in entries if name in entry[kind]}
            for name in measures
        }
        for kind in ("draws", "tables")
    }
    cited = [key for name in measures if name in METHODS for key in METHODS[name].citations]
    return Study(
        frame=frame,
        files=files,
        measures=measures,
        parts=parts,
        values=values,
        summary=tuple(_summary(frame, values, measures)),
        citations=tuple(dict.fromkeys(cited)),
        flavor=flavor,
        **more,
    )


def table_of(entries: list[Mapping[str, Any]], measures: tuple[str, ...]) -> pl.DataFrame:
    """One row per entry; the columns of a measure are those that any group has."""
    columns: dict[str, list[Any]] = {"group": [entry["group"] for entry in entries]}
    for name in FIRST[1:]:
        columns[name] = [entry["effort"].get(name) for entry in entries]
    for measure in measures:
        own = [entry["values"].get(measure, {}) for entry in entries]
        for column in dict.fromkeys(key for one in own for key in one):
            columns[column] = [one.get(column) for one in own]
    for name in LAST:
        columns[name] = [entry[name] for entry in entries]
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def _column(name: str, values: list[Any]) -> pl.Series:
    """A column of texts, truth values or numbers; numbers beyond 64 bits become floats."""
    if name in ("group", "status", "reason"):
        return pl.Series(name, values, dtype=pl.String)
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int} and max(map(abs, known)) < 2**63:
        return pl.Series(name, values, dtype=pl.Int64)
    floats = [None if value is None else _float(value) for value in values]
    return pl.Series(name, floats, dtype=pl.Float64)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float
        return float("inf") if value > 0 else float("-inf")


def _summary(frame: pl.DataFrame, values: dict[str, Any], measures: tuple[str, ...]) -> list[str]:
    sentences = [
        f"{counted(values['total'], 'group')}: {values['complete']:,} complete, "
        f"{values['incomplete']:,} incomplete, {values['failed']:,} failed"
        + ("." if values["complete"] == values["total"] else " (see the column reason).")
    ]
    for name in measures:
        if name not in frame.columns:
            continue
        known = frame[name].drop_nulls().cast(pl.Float64)
        if len(known):
            label = METHODS[name].label if name in METHODS else name
            sentences.append(
                f"{label[:1].upper() + label[1:]}: median {np.median(known):.3g}, from "
                f"{known.min():.3g} to {known.max():.3g} ({counted(len(known), 'group')})."
            )
    return sentences


SCRIPT = """\
# {measure} of {groups} groups (peckorder {version}).
# install.packages("brms")
groups <- read.csv("{file}", stringsAsFactors = TRUE)
str(groups)

library(brms)
# value: posterior mean of a group; se: its posterior standard deviation.
# sigma = TRUE estimates the standard deviation between groups as well.
fit <- brm(
  value | se(se, sigma = TRUE) ~ {formula},
  data = groups,
  chains = 4, cores = 4, seed = 1
)
summary(fit)
# With a phylogeny (tree: class phylo, tips named as in the column species):
# A <- ape::vcv.phylo(tree, corr = TRUE)
# update(fit, . ~ . + (1 | gr(species, cov = A)), newdata = groups, data2 = list(A = A))
"""


def r_files(
    path: str | os.PathLike[str],
    estimates: pl.DataFrame,
    measure: str,
    covariates: Any,
    study: Any,
) -> list[tuple[Path, bytes]]:
    """The script and its data, as pairs of path and content."""
    refuse_no_path(path)
    script = Path(path)
    if script.suffix != ".R":
        raise ArgumentError(f"{path}: give a name with the ending .R, such as {measure}.R.")
    table = with_covariates(estimates, covariates, study.settings["by"])
    table = table.rename({"sd": "se"}).filter(pl.col("se") > 0)
    if table.is_empty():
        raise DataError(f"{measure} has no standard error in any group, which the model needs.")
    table = table.rename({name: _r_name(name) for name in table.columns})
    own = [_r_name(name) for name in estimates.columns]
    more = [name for name in table.columns if name not in (*own, "se")]
    content = SCRIPT.format(
        measure=measure,
        groups=f"{table.height:,}",
        version=VERSION,
        file=script.with_suffix(".csv").name,
        formula=" + ".join(["1", *more]),
    )
    return [
        (script.with_suffix(".csv"), table.write_csv(null_value="NA").encode()),
        (script, content.encode()),
    ]


def _r_name(name: str) -> str:
    """A name that R does not change when it reads the file."""
    plain = re.sub(r"[^A-Za-z0-9_.]", ".", name)
    return plain if re.match(r"[A-Za-z]", plain) else f"X{plain}"
