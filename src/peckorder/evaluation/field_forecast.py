"""Forecasts of contests with any number of sides: the chance of each place for given line-ups."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import polars as pl

from peckorder.data.fields import read_line_ups
from peckorder.errors import ArgumentError, DataError
from peckorder.orders.plackett_luce import PlackettLuce
from peckorder.ratings.field_rater import FieldRater
from peckorder.results import Measure
from peckorder.text import counted, did_you_mean, listed, option_name, quoted

RATERS = (PlackettLuce, FieldRater)


def refuse_others(given: dict[str, Any], verb: Callable[..., Any]) -> None:
    """An error for arguments of a verb that have no meaning for contests of many sides."""
    defaults = inspect.signature(verb).parameters
    asked = [
        name
        for name, value in given.items()
        if name not in ("ratings", "fixtures") and value != defaults[name].default
    ]
    if asked:
        raise ArgumentError(
            f"Forecasts of races and other contests of many sides have no "
            f"{listed([option_name(name) for name in asked])}. Remove "
            f"{'it' if len(asked) == 1 else 'them'}."
        )


def predict_places(rater: PlackettLuce | FieldRater, fixtures: Any) -> Measure:
    """Chance of each place for each side of each line-up."""
    line_ups = read_line_ups(fixtures)
    known = set(rater.individuals)
    unknown = [name for name in line_ups.individuals if name not in known]
    if unknown:
        raise DataError(
            f"{quoted(unknown)} took part in no contest and cannot be rated."
            f"{did_you_mean(unknown, rater.individuals)} Correct the names, or remove these "
            f"line-ups. Rated individuals: {quoted(rater.individuals)}."
        )
    parts = []
    for label, sides in zip(line_ups.labels, line_ups.teams, strict=True):
        chances = rater.places(sides)
        chances = pl.DataFrame({name: list(chances[name]) for name in chances.columns})
        each = [column for column in chances.columns if column != "side"]
        mean = pl.sum_horizontal([(i + 1) * pl.col(name) for i, name in enumerate(each)])
        parts.append(
            chances.select(pl.lit(label).alias("contest"), "side", mean.alias("expected"), *each)
        )
    summary = ["Chances of places are those without ties."]
    settings: dict[str, Any] = {"rater": {"method": "FieldRater", "contests": 0}}
    if isinstance(rater, PlackettLuce):
        settings = {"rater": {"method": rater.method, **rater.settings}}
        if known := rater.settings["covariates"]:
            summary.append(f"All sides are predicted as equal in {quoted(known)}.")
    else:
        settings["rater"]["contests"] = rater.contests
    return Measure(
        method="predict",
        data=rater.data if isinstance(rater, PlackettLuce) else rater,  # type: ignore[arg-type]
        values={"fixtures": line_ups.number},
        frame=pl.concat(parts, how="diagonal"),
        summary=(f"{counted(line_ups.number, 'line-up')}. {summary[0]}", *summary[1:]),
        settings=settings,
        citations=("turner2020",),
    )
