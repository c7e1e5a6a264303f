"""Forecasts of contests with any number of sides, and how good they were.

Line-ups get the chance of each place. In foresight, the winner of a contest and the order of each
of its pairs are predicted by abilities that are fitted again to the contests before it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import polars as pl

from peckorder.data.fields import Fields, read_line_ups
from peckorder.errors import ArgumentError, DataError
from peckorder.estimate import Estimate
from peckorder.evaluation.order_forecast import blocks
from peckorder.evaluation.scoring import MOST_CONTESTS, affordable, bootstrap, chosen_equal
from peckorder.orders.plackett_luce import PRIOR_SD, PlackettLuce, strengths
from peckorder.random_runs import Runs
from peckorder.ratings.live import FieldRater
from peckorder.results import Measure
from peckorder.text import counted, did_you_mean, listed, option, option_name, quoted
from peckorder.validate import between_0_and_1, whole_number

RATERS = (PlackettLuce, FieldRater)
# What is summed over winners (or pairs), and the means that follow
SUMS = ("correct", "with a favorite", "log loss", "number", "log loss of guessing")
MEANS = {"share": (0, 1), "log_loss": (2, 3)}
NO_INTERVALS = f"There are no intervals: at most {MOST_CONTESTS:,} contests are resampled."


def refuse_others(given: dict[str, Any], verb: Callable[..., Any], *allowed: str) -> None:
    """An error for arguments of a verb that have no meaning for contests of many sides."""
    defaults = inspect.signature(verb).parameters
    asked = [
        name
        for name, value in given.items()
        if name not in allowed and value != defaults[name].default
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


def winner_log_chance(strength: np.ndarray, fill: str) -> np.ndarray:
    """Log of each side's chance to be first (without ties).

    Filled from the last place, sides leave at random times with rates e^−strength, and the first is
    the one that leaves last: the integral over its time is a sum over a grid of log times.
    """
    if fill == "first":
        return strength - np.logaddexp.reduce(strength)
    log_rate = -strength[:, None]
    log_time = np.linspace(strength.max() - 36, strength.max() + 4, 1_601)
    gone = np.exp(log_rate + log_time)
    density = log_rate + log_time - gone
    others = np.log(-np.expm1(-np.maximum(gone, 1e-300)))
    chance = np.logaddexp.reduce(density + others.sum(axis=0) - others, axis=1)
    return chance - np.logaddexp.reduce(chance)


def evaluate_places(
    fit: PlackettLuce, *, equal: str, skip: Any, level: float, runs: Runs
) -> Measure:
    """Accuracy and log loss of winners and of pairs, in foresight and in hindsight."""
    credit, fields = chosen_equal(equal), cast("Fields", fit.data)
    between_0_and_1("level", level)
    first = whole_number("skip", skip, 0)
    if first >= fields.number:
        raise DataError(
            f"{option('skip', str(skip))} leaves none of the "
            f"{counted(fields.number, 'contest')} to evaluate. Give a smaller number."
        )
    known = blocks(fields.number)
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {"contests": fields.number - first}
    for view, strength in (("foresight", strengths(fit, known)), ("hindsight", strengths(fit))):
        strength = np.round(strength, 9)  # equal but for rounding is equal
        each = [_scored(fields, t, strength, fit, credit) for t in range(first, fields.number)]
        columns = np.array(each)
        drawn = bootstrap(columns.reshape(len(columns), -1), runs)
        again = None if drawn is None else drawn.reshape(-1, 2, len(SUMS))
        values[view] = {}
        for i, what in enumerate(("winner", "pairs")):
            sums = columns[:, i].sum(axis=0)
            row = {"view": view, "what": what, "number": int(sums[3])}
            for name, (above, below) in MEANS.items():
                mean, ends = None, (None, None)
                if sums[below]:
                    mean = float(sums[above] / sums[below])
                if mean is not None and again is not None:
                    with np.errstate(invalid="ignore"):
                        parts = again[:, i, above] / again[:, i, below]
                    ends = np.nanquantile(parts, [0.5 - level / 2, 0.5 + level / 2]).tolist()
                row |= {name: mean, f"{name}_low": ends[0], f"{name}_high": ends[1]}
                values[view][f"{what}_{name}"] = mean and Estimate(mean, *ends, level=level)
            row["log_loss_guessing"] = float(sums[4] / sums[3]) if sums[3] else None
            rows.append(row)
    prior = f"{fit.prior_sd:.2g}, as in the fit" if fit.prior_sd else f"{PRIOR_SD:g}"
    return Measure(
        method="evaluate",
        data=fields,  # type: ignore[arg-type]
        values=values,
        frame=pl.DataFrame(rows, infer_schema_length=None),
        summary=(
            f"Before each contest, abilities have a normal prior (standard deviation {prior}) and "
            f"are fitted to the contests so far, in the order of the record "
            f"({counted(len(known) - 1, 'fit')}).",
            "Hindsight is optimistic: the final abilities are based on the contests that they "
            "explain. Winners and pairs that tied are not counted; intervals resample contests.",
            *(() if affordable(fields.number - first, runs) else (NO_INTERVALS,)),
        ),
        settings={
            "equal": equal,
            "skip": skip,
            "level": level,
            "runs": runs.number,
            "rater": {"method": fit.method, **fit.settings},
        },
        citations=("turner2020",),
        seed=runs.seed,
    )


def _scored(
    fields: Fields, contest: int, strength: np.ndarray, fit: PlackettLuce, credit: float
) -> np.ndarray:
    """SUMS of the winner and of the pairs of one contest, (2, SUMS)."""
    own = slice(fields.side_at[contest], fields.side_at[contest + 1])
    place, ability = fields.place[own], strength[own]
    out = np.zeros((2, len(SUMS)))

    def count(row: int, ahead: np.ndarray, log_chance: np.ndarray, choices: int) -> None:
        right = np.where(ahead == 0, credit, ahead > 0)
        counts = ~np.isnan(right)
        loss = -log_chance.sum()
        number = len(log_chance)
        out[row] = right[counts].sum(), counts.sum(), loss, number, number * np.log(choices)

    if fields.recorded[contest] and (place == 0).sum() == 1:
        log_chance = winner_log_chance(ability, fit.settings["fill"])[:1]
        count(0, ability[:1] - ability[1:].max(), log_chance, len(ability))
    above, below = np.nonzero(place[:, None] < place)
    ahead = ability[above] - ability[below]
    count(1, ahead, -np.logaddexp(0.0, -ahead), 2)
    return out
