"""Choice of settings by how well the ratings before each contest predict it: Elo and Glicko."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_words, moment
from peckorder.data.read import Data, opened_contests
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.scoring import NO_ORDER, confidence_interval, paired_interval, scored
from peckorder.evaluation.search import CRITERIA, Objective, Profiles, Search
from peckorder.evaluation.search_space import TUNED, GlickoSpace, Space
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.arguments import BY_NAME, EloArguments, takes_elo_arguments
from peckorder.ratings.elo import elo
from peckorder.ratings.glicko import glicko, glicko2
from peckorder.results import Measure, Ratings
from peckorder.text import counted, option, option_name, quoted
from peckorder.validate import between_0_and_1, one_of

FEW = 20  # contests
RATERS = {"elo": elo, "glicko": glicko, "glicko2": glicko2}


@takes_elo_arguments
def tune(
    data: Data,
    *,
    over: Sequence[str] | Mapping[str, Any] | str | None = None,
    rater: Literal["elo", "glicko", "glicko2"] = "elo",
    criterion: Literal["log_loss", "brier", "accuracy"] = "log_loss",
    test_from: object = None,
    skip: Any = 0,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Measure:
    """Settings with the best predictions, their intervals, and the gain over the default.

    Each contest is predicted from the ratings before it. The search covers a grid over the whole
    range, then runs an optimizer from the best grid points, then profiles each parameter.

    Parameters
    ----------
    data : Contests
    over : names, or a mapping from names to ranges
        For Elo any of k (default), scale (delta or sd with another curve), home_advantage,
        carry_over, half_life, entry, margin; for Glicko deviation, c (both by default) and
        home_advantage; for Glicko-2 deviation, volatility (both by default), tau and
        home_advantage. A range is a pair (low, high), or a list of values to try.
    rater : {"elo", "glicko", "glicko2"}
    criterion : {"log_loss", "brier", "accuracy"}
    test_from : date or contest number, optional
        Contests from here on are held out: they are not used to choose settings, but to evaluate
        the choice.
    skip : number of contests, or date
        The first contests are rated but not scored.
    level, runs, seed
        Level of the intervals; number of resamples and seed of the bootstrap interval of the gain.
    settings : further arguments of the rater, kept fixed. `k="context"` tunes one k of Elo per
        context. The limit `max_deviation` of Glicko grows with the deviation, unless it is given.

    Returns
    -------
    Measure
        Table: parameter, best, low, high, at_bound, default. Values: `log_loss` and
        `default_log_loss` (and the same for the criterion, if it is another), `value` (gain of the
        best over the default settings, per contest) with its paired interval, `low` and `high`,
        `contests`, `evaluated`
        (number of settings tried), `test` (the same on the held-out contests), and `settings`, to
        be passed to the rater. `profile`: the loss along each parameter, with the others
        re-optimized (for accuracy: held fixed).

    Notes
    -----
    Intervals contain the values whose profile log loss is within χ²/2 of the minimum. If scores
    are not simple wins, or the Brier score is used, this distance is multiplied by the ratio of
    robust to model-based variance. For accuracy, intervals contain the values that do not predict
    significantly fewer contests (McNemar test); these are not confidence intervals.

    Examples
    --------
    >>> import peckorder as po
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # too few contests
    ...     found = po.tune(po.datasets.adv(), over={"k": (0, 1000)}, curve="exponential")
    >>> round(found.table["best"][0]), round(found.log_loss, 3), round(found.default_log_loss, 3)
    (159, 0.512, 0.525)
    """
    data = opened_contests(data, "tune", presence)
    one_of("criterion", criterion, CRITERIA)
    one_of("rater", rater, RATERS)
    rate: Any = RATERS[rater]
    if not data.ordered:
        raise DataError(NO_ORDER)
    between_0_and_1("level", level)
    each = Runs.of(runs, seed, threads, None)
    first = first_counted(data, skip)
    split = _split(data, test_from, first)
    # Held-out contests are not used to choose settings.
    seen = data if test_from is None else data.take(np.arange(split))
    if rater == "elo":
        _refuse_glicko(settings)
        space = Space.of(seen, ("k",) if over is None else over, dict(settings))
    else:
        space = GlickoSpace.of_rater(rater, rate, seen, over, dict(settings))
    objective = Objective(rate(seen, **space.default), space, criterion, first)
    search = Search(objective, threads, progress)
    profiles = Profiles(search, search.best(), level)
    best, rows, profile = profiles.best, profiles.rows(), profiles.table()
    default, chosen = space.default, space.settings(best)
    unseen = _unseen(data, chosen)
    if unseen:
        one = next(iter(default["k"].values()))  # the same for every context
        usual = dict.fromkeys(unseen, one)
        default = default | {"k": usual | default["k"]}
        chosen = chosen | {"k": usual | chosen["k"]}
    start, last = rate(data, **default), rate(data, **chosen)
    values = _gain(last, start, criterion, np.arange(first, split), each, level)
    values["evaluated"] = objective.evaluated
    if test_from is not None:
        values["test"] = _gain(last, start, criterion, np.arange(split, len(data)), each, level)
    values["settings"] = chosen
    frame = pl.DataFrame(rows, infer_schema_length=None)
    sentences = _summary(values, rows, criterion, level)
    if unseen:
        one = chosen["k"][unseen[0]]
        sentences.append(
            f"k of {quoted(unseen)} stays at {one:g}: this context does not occur before the "
            f"held-out contests."
        )
    sentences += _few(seen, space)
    for text in (*space.cautions(), *_cautions(values, rows, profiles.idle)):
        sentences.append(text)
        caution(text)
    return Measure(
        method="tune",
        data=data,
        values=values,
        frame=frame,
        summary=tuple(sentences),
        settings={
            "over": {name: list(part) for name, part in space.ranges.items()},
            "rater": rater,
            "criterion": criterion,
            "test_from": None if test_from is None else str(test_from),
            "skip": skip,
            "level": level,
            "runs": runs,
            **start.settings,
        },
        citations=("langville2012",) if rater == "elo" else start.citations,
        seed=each.seed,
        tables={"profile": profile},
    )


def _refuse_glicko(settings: Mapping[str, Any]) -> None:
    """Raise an error for settings that only Glicko has."""
    foreign = [name for name in TUNED if settings.get(name) is not None and name not in BY_NAME]
    if foreign:
        raise ArgumentError(
            f"{option_name(foreign[0])} is a setting of Glicko: also give "
            f"{option('rater', 'glicko')}."
        )


def _unseen(data: Contests, chosen: dict[str, Any]) -> list[str]:
    """Contexts that occur only in the held-out contests."""
    if data.context is None or not isinstance(chosen.get("k"), Mapping):
        return []
    return [name for name in data.context.names if name not in chosen["k"]]


def _few(data: Contests, space: Space) -> list[str]:
    """Contexts with few contests to estimate k from."""
    contexts = [one.context for one in space.numbers if one.context is not None]
    if data.context is None or not contexts:
        return []
    number = dict(zip(data.context.names, np.bincount(data.context.codes), strict=True))
    return [
        f"k[{name}] is based on only {counted(int(number[name]), 'contest')}."
        for name in contexts
        if number[name] < FEW
    ]


def _split(data: Contests, test_from: object, first: int) -> int:
    """Index of the first held-out contest."""
    if test_from is None:
        return len(data)
    at = moment(test_from, data.times, end_of_day=False)
    split = int(np.searchsorted(data.times, at, side="left"))
    last = date_words(data.times[-1])
    if split == len(data):
        raise ArgumentError(
            f"{option('test_from', str(test_from))}: the test period is empty, because the last "
            f"contest is {last}. Choose an earlier start."
        )
    if split <= first:
        raise ArgumentError(
            f"{option('test_from', str(test_from))}: no contest is left for tuning"
            + (f" after the {counted(first, 'contest')} skipped" if first else "")
            + ". Choose a later start."
        )
    return split


def _gain(
    last: Ratings, start: Ratings, criterion: str, own: np.ndarray, runs: Runs, level: float
) -> dict[str, Any]:
    """The criterion under the chosen and the default settings, on the same contests."""
    name = "share" if criterion == "accuracy" else criterion
    column = "correct" if criterion == "accuracy" else criterion
    scores = [scored(one, one.foresight(), 0.0).take(own) for one in (last, start)]
    counts = ~np.isnan(getattr(scores[0], column))
    if not counts.any():
        raise DataError("There are no decided contests, so accuracy is undefined.")
    both = [getattr(one, column)[counts] for one in scores]
    gained = both[0] - both[1] if criterion == "accuracy" else both[1] - both[0]
    (low,), (high,) = paired_interval(gained[:, None], runs, level)
    losses = [float(one.log_loss.mean()) for one in scores]
    return {
        "log_loss": losses[0],
        "default_log_loss": losses[1],
        name: float(both[0].mean()),
        f"default_{name}": float(both[1].mean()),
        "value": float(gained.mean()),
        "low": float(low) / len(gained),
        "high": float(high) / len(gained),
        "contests": len(own),
        "guess": float(np.log(2)),
    }


def _summary(
    values: dict[str, Any], rows: list[dict[str, Any]], criterion: str, level: float
) -> list[str]:
    name = "share" if criterion == "accuracy" else criterion
    what = {"log_loss": "Log loss", "brier": "Brier score", "share": "Accuracy"}[name]
    best = ", ".join(f"{row['parameter']} = {_short(row['best'])}" for row in rows)
    sentences = [
        f"Best settings: {best}. {what} {values[name]:.4f}, compared with "
        f"{values[f'default_{name}']:.4f} for the default: {_gain_text(values, level)}."
    ]
    if "test" in values:
        test = values["test"]
        sentences.append(
            f"On {counted(test['contests'], 'held-out contest')}: {test[name]:.4f}, compared with "
            f"{test[f'default_{name}']:.4f}: {_gain_text(test, level)}. Report this result."
        )
    else:
        sentences.append(
            f"This gain is optimistic, because the settings were chosen on the same contests. "
            f"Hold out contests with {option('test_from')}."
        )
    return sentences


def _gain_text(part: dict[str, Any], level: float) -> str:
    interval = confidence_interval(part["low"], part["high"], level, ".4f")
    return f"gain {part['value']:.4f} ({interval})".replace("gain -", "gain −")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cautions(values: dict[str, Any], rows: list[dict[str, Any]], idle: list[str]) -> list[str]:
    out = [f"{name} is not identifiable: no prediction depends on it." for name in idle]
    for row in rows:
        if not row["at_bound"] or row["parameter"] in idle:
            continue
        if row["parameter"] == "carry_over":  # its range has natural bounds
            continue
        if row["parameter"] in ("c", "tau") and row["best"] == 0:
            constant = {"c": "deviations that do not grow", "tau": "constant volatilities"}
            out.append(
                f"The best {row['parameter']} is 0, the end of its range: "
                f"{constant[row['parameter']]} predict best."
            )
        elif row["parameter"].startswith("k") and row["best"] == 0:
            out.append(
                f"The best {row['parameter']} is 0, the end of its range: constant ratings predict "
                f"best."
            )
        else:
            out.append(
                f"The best {row['parameter']} ({_short(row['best'])}) is at an end of its range: a "
                f"wider range may contain a better value."
            )
    part = values.get("test", values)
    where = " on the held-out contests" if "test" in values else ""
    number = counted(part["contests"], "contest")
    if part["high"] < 0:
        out.append(
            f"The chosen settings predict worse than the default{where}: there were too few "
            f"contests for tuning."
        )
    elif part["low"] <= 0:
        out.append(f"No significant gain over the default settings{where} ({number}).")
    if part["log_loss"] > part["guess"]:
        out.append(
            f"Log loss {part['log_loss']:.4f}{where} is no better than guessing "
            f"({part['guess']:.4f}): the probabilities of these ratings have no predictive value."
        )
    return out
