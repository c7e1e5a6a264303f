"""Mean and spread of a measure over groups, with partial pooling.

Estimates yᵢ with standard errors sᵢ are modeled as yᵢ ~ N(θᵢ, sᵢ²), θᵢ ~ N(μ_c, τ²) for the class c
of the group, with flat priors on μ and τ. Given τ everything is normal, so that only τ is
integrated over, on a grid (Gelman et al. 2013, Bayesian Data Analysis, section 5.4; Gelman 2006,
doi:10.1214/06-BA117A, for the flat prior, which needs at least three groups).

Covariates of groups: a second sheet with one row per group.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

import numpy as np
import polars as pl

from peckorder.data.names import text_of
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.estimate import Estimate
from peckorder.methods import METHODS
from peckorder.results.measures import FurtherTable, Measure
from peckorder.text import counted, did_you_mean, option_name, quoted
from peckorder.validate import between_0_and_1

GRID = 400  # values of τ
WIDEST = 10.0  # largest τ, in standard deviations of the estimates
DRAWS = 8_000
FEWEST = 3  # groups more than classes, plus one


@dataclass(frozen=True, eq=False)
class Pooled:
    """Draws of the means of classes, of τ, and of the values of all groups."""

    means: np.ndarray  # (draws, classes)
    tau: np.ndarray
    values: np.ndarray  # (draws, groups)


def pooled(
    value: np.ndarray, error: np.ndarray, classes: np.ndarray, seed: int, draws: int = DRAWS
) -> Pooled:
    """Posterior draws of the normal model with unknown means and spread.

    Parameters
    ----------
    value, error : estimates and their standard errors, one per group
    classes : codes from 0 of the class of each group
    """
    number = int(classes.max()) + 1
    taus = np.linspace(0, WIDEST * max(float(np.std(value)), float(error.max())), GRID + 1)
    taus = (taus[1:] + taus[:-1]) / 2
    member = np.equal.outer(np.arange(number), classes).astype(float)  # (classes, groups)
    weight = 1 / (error**2 + taus[:, None] ** 2)  # (τ, groups)
    total = weight @ member.T  # (τ, classes)
    mean = (weight * value) @ member.T / total
    residual = value - mean[:, classes]
    log_density = 0.5 * (
        np.log(weight).sum(axis=1) - np.log(total).sum(axis=1) - (weight * residual**2).sum(axis=1)
    )
    density = np.exp(log_density - log_density.max())
    rng = np.random.default_rng(seed)
    at = rng.choice(len(taus), draws, p=density / density.sum())
    tau = taus[at] + (rng.random(draws) - 0.5) * (taus[1] - taus[0])
    means = mean[at] + rng.standard_normal((draws, number)) / np.sqrt(total[at])
    # Given μ and τ, a group's value is normal between its estimate and the mean of its class.
    own, prior = 1 / error**2, 1 / np.maximum(tau, 1e-12)[:, None] ** 2
    precision = own + prior
    center = (own * value + prior * means[:, classes]) / precision
    values = center + rng.standard_normal(center.shape) / np.sqrt(precision)
    return Pooled(means, tau, values)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PooledMeasure(Measure):
    """Mean and spread of a measure over groups; the table has one row per group."""

    value: Estimate | None = None  # mean over groups; None with classes of groups
    tau: Estimate  # standard deviation between groups
    number: int  # of groups
    samples: dict[str, np.ndarray]  # of the means and of τ
    means = FurtherTable("Means of classes of groups.")
    differences = FurtherTable("Differences between classes of groups.")


@dataclass(frozen=True)
class Source:
    """What a result states about its data, here all groups; their contests are not kept."""

    individuals: range
    number: int
    hash: str | None
    flavor: str
    cautions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pl.DataFrame, study: Any) -> Source:
        """The groups that are pooled."""
        individuals = range(int(table["individuals"].sum()))
        return cls(individuals, int(table["contests"].sum()), study.hash, study.flavor)


def pooled_measure(
    estimates: pl.DataFrame,
    study: Any,
    measure: str,
    value: str | None,
    covariates: Any,
    between: str | None,
    level: float,
) -> PooledMeasure:
    """The result of `Study.pooled`."""
    between_0_and_1("level", level)
    table = with_covariates(estimates, covariates, study.settings["by"])
    table = table.filter(pl.col("sd") > 0)
    names, codes = ["all groups"], np.zeros(table.height, int)
    if between is not None:
        labels = text_of(column_of(table, between)).fill_null("(missing)")
        names = labels.unique(maintain_order=True).to_list()
        codes = labels.replace_strict(names, np.arange(len(names))).to_numpy()
    if table.height < len(names) + FEWEST - 1:
        raise DataError(
            f"{measure}: {counted(table.height, 'group')} with an estimate and its standard error; "
            f"pooling needs at least {len(names) + FEWEST - 1}."
        )
    found = pooled(
        table["value"].to_numpy(),
        table["sd"].to_numpy(),
        codes,
        0 if study.seed is None else study.seed,
    )
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(found.values, ends, axis=0)
    frame = table.select("group", "value", "sd").with_columns(
        pooled=found.values.mean(axis=0), pooled_low=low, pooled_high=high
    )
    values: dict[str, Any] = {"tau": Estimate.of(found.tau), "number": table.height}
    tables = {}
    if between is None:
        values = {"value": Estimate.of(found.means[:, 0])} | values
    else:
        frame = frame.with_columns(pl.Series(between, [names[c] for c in codes]))
        tables = {
            "means": _means(names, codes, found, ends),
            "differences": _differences(names, found, ends),
        }
    title = METHODS[measure].label if measure in METHODS else measure
    title = f"{title} ({value})" if value else title
    return PooledMeasure(
        method="pooled",
        data=cast(Any, Source.of(table, study)),
        **values,
        frame=frame,
        summary=tuple(_summary(title, values, tables, level)),
        settings={"measure": measure, "value": value, "between": between, "level": level},
        samples={"means": found.means, "tau": found.tau},
        seed=study.seed,
        tables=tables,
    )


def _means(names: list[str], codes: np.ndarray, found: Pooled, ends: list[float]) -> pl.DataFrame:
    low, high = np.quantile(found.means, ends, axis=0)
    return pl.DataFrame(
        {
            "class": names,
            "groups": np.bincount(codes, minlength=len(names)),
            "mean": found.means.mean(axis=0),
            "low": low,
            "high": high,
        }
    )


def _differences(names: list[str], found: Pooled, ends: list[float]) -> pl.DataFrame:
    rows = []
    for a, b in combinations(range(len(names)), 2):
        difference = found.means[:, a] - found.means[:, b]
        low, high = np.quantile(difference, ends)
        rows.append(
            {
                "a": names[a],
                "b": names[b],
                "difference": float(difference.mean()),
                "low": float(low),
                "high": float(high),
                "probability": float((difference > 0).mean()),
            }
        )
    return pl.DataFrame(
        rows,
        schema={"a": pl.String, "b": pl.String}
        | dict.fromkeys(("difference", "low", "high", "probability"), pl.Float64),
    )


def _summary(
    title: str, values: dict[str, Any], tables: dict[str, pl.DataFrame], level: float
) -> list[str]:
    tau = values["tau"]
    spread = (
        f"Standard deviation between groups τ = {tau:.3f} (95% CrI {tau.low:.3f}–{tau.high:.3f})."
    )
    if not tables:
        mean = values["value"]
        return [
            f"{title}: mean over {counted(values['number'], 'group')} {mean:.3f} (95% CrI "
            f"{mean.low:.3f}–{mean.high:.3f}).",
            spread,
        ]
    rows = tables["differences"].iter_rows(named=True)
    return [
        *(
            f"{title}, {row['a']} minus {row['b']}: {row['difference']:.3f} ({level:.0%} CrI "
            f"{row['low']:.3f} to {row['high']:.3f}; P(larger) = {row['probability']:.3f})."
            for row in rows
        ),
        spread,
    ]


def with_covariates(table: pl.DataFrame, covariates: Any, by: str | None) -> pl.DataFrame:
    """A table of groups with the columns of the second sheet; groups without a row are refused."""
    if covariates is None:
        return table
    sheet = _sheet(covariates)
    key = next((name for name in ("group", by) if name in sheet.columns), None)
    if key is None:
        wanted = "group" if by in (None, "group") else f"group or {by}"
        raise DataError(
            f"{option_name('covariates')}: there is no column {wanted}. Columns: "
            f"{quoted(sheet.columns)}."
        )
    sheet = sheet.with_columns(text_of(sheet[key]).str.strip_chars().alias("group"))
    sheet = sheet.drop_nulls("group").select("group", pl.exclude("group", key))
    twice = sheet.filter(sheet["group"].is_duplicated())["group"].unique(maintain_order=True)
    if len(twice):
        raise DataError(f"{option_name('covariates')}: {quoted(twice)} appears in several rows.")
    absent = [name for name in table["group"] if name not in set(sheet["group"])]
    if absent:
        raise DataError(
            f"{option_name('covariates')}: there is no row for {quoted(absent)}."
            f"{did_you_mean(absent[:3], sheet['group'])}"
        )
    taken = {name: f"{name}_2" for name in sheet.columns[1:] if name in table.columns}
    joined = sheet.rename(taken).select("group", *(_numbers(c) for c in sheet.rename(taken)[:, 1:]))
    return table.join(joined, on="group", how="left", maintain_order="left")


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as numbers, if all its cells are numbers or blank."""
    if column.dtype != pl.String:
        return column
    filled = column.str.strip_chars().replace(["", "NA"], None)
    numbers = filled.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == filled.null_count() else filled


def _sheet(covariates: Any) -> pl.DataFrame:
    if isinstance(covariates, str | os.PathLike) or hasattr(covariates, "columns"):
        return open_sheet(covariates).table()
    if isinstance(covariates, dict):
        return pl.DataFrame(covariates)
    raise ArgumentTypeError(
        f"{option_name('covariates')}: give a file or a table, not {type(covariates).__name__}."
    )


def column_of(table: pl.DataFrame, name: str) -> pl.Series:
    """A column of covariates, or an error that lists them."""
    if name not in table.columns:
        raise ArgumentError(
            f'There is no column "{name}".{did_you_mean([name], table.columns)} Columns: '
            f"{quoted(table.columns)}."
        )
    return table[name]
