"""Settings of an Elo rating chosen by how well the ratings before each contest foretold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import polars as pl

from peckorder.checked import between_0_and_1, one_of
from peckorder.data.dates import date_words, moment
from peckorder.data.interactions import Interactions
from peckorder.errors import DataError, caution
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.profiles import Profiles
from peckorder.evaluation.scoring import NO_ORDER, paired_interval, scored
from peckorder.evaluation.search import CRITERIA, Objective, Search
from peckorder.evaluation.space import Space
from peckorder.results import Measure, Ratings
from peckorder.runs import Progress, Runs
from peckorder.sequential.arguments import EloArguments, takes_elo_arguments
from peckorder.sequential.elo import elo
from peckorder.wording import counted, quoted

FEW = 20  # contests


@takes_elo_arguments
def tune(
    data: Interactions,
    *,
    over: Sequence[str] | Mapping[str, Any] | str = ("k",),
    criterion: str = "log_loss",
    test_from: object = None,
    skip: Any = 0,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Measure:
    """Settings of `elo` that foretell best, how sure that is, and what the default costs.

    Every contest is predicted from the ratings before it. A grid over the whole range comes
    first, then an optimizer from its best points, then the profile of each parameter.

    Parameters
    ----------
    data : Interactions
    over : names, or a mapping from names to ranges
        Any of k, scale (delta or sd with another curve), home_advantage, carry_over, entry,
        margin. A range is a pair (low, high), or a list of values to try.
    criterion : {"log_loss", "brier", "accuracy"}
    test_from : date or contest number, optional
        Contests from here on are held back: they choose nothing, and tell what the choice is
        worth.
    skip : number of contests, or date
        The first contests are rated but not counted.
    level, runs, seed
        Of intervals; `runs` and `seed` of the bootstrap behind that of the gain.
    settings : further arguments of `elo`, which stay as they are. `k="context"` tunes one k per
        context.

    Returns
    -------
    Measure
        Table: parameter, best, low, high, at_bound, default. Values: `log_loss` and
        `default_log_loss` (and the same of the criterion, where it is another), `gain` (of the
        best over the default, per contest) with its paired interval, `contests`, `evaluated`
        (settings looked at), `test` (the same on the contests held back), and `settings`: what to
        give to `elo`. `profile`: each parameter over its range, with the others chosen anew (for
        accuracy: held).

    Notes
    -----
    Intervals hold the values whose profile of the log loss is within χ²/2 of the best. Where
    scores are no plain wins, or the Brier score is used, that distance is multiplied by the ratio
    of robust to plain variance. For accuracy they hold the values that do not foretell
    significantly fewer contests (McNemar), which is no confidence interval.

    Examples
    --------
    >>> import peckorder as po
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # 33 contests are few: so it says
    ...     found = po.tune(po.datasets.adv(), over={"k": (0, 1000)}, curve="exponential")
    >>> round(found.table["best"][0]), round(found.log_loss, 3), round(found.default_log_loss, 3)
    (159, 0.512, 0.525)
    """
    if not isinstance(data, Interactions):
        raise TypeError(
            f"tune takes what peckorder.read returns, not {type(data).__name__}: "
            f"peckorder.tune(peckorder.read(…))."
        )
    one_of("criterion", criterion, CRITERIA)
    if not data.ordered:
        raise DataError(NO_ORDER)
    between_0_and_1("level", level)
    each = Runs.of(runs, seed, threads, None)
    first = first_counted(data, skip)
    split = _split(data, test_from, first)
    if presence is not None:
        data = data.with_presence(presence)
    seen = data if test_from is None else data.take(np.arange(split))  # the rest chooses nothing
    space = Space.of(seen, over, dict(settings))
    objective = Objective(elo(seen, **space.default), space, criterion, first)
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
    start, last = elo(data, **default), elo(data, **chosen)
    values = _gain(last, start, criterion, np.arange(first, split), each, level)
    values["evaluated"] = objective.evaluated
    if test_from is not None:
        values["test"] = _gain(last, start, criterion, np.arange(split, len(data)), each, level)
    values["settings"] = chosen
    frame = pl.DataFrame(rows, infer_schema_length=None)
    words = _in_words(values, rows, criterion, level)
    if unseen:
        one = chosen["k"][unseen[0]]
        words.append(
            f"k of {quoted(unseen)} stays at {one:g}: there is no such context before the "
            f"contests held back."
        )
    words += _few(seen, space)
    for text in (*space.cautions(), *_cautions(values, rows, profiles.idle)):
        words.append(text)
        caution(text)
    return Measure(
        method="tune",
        data=data,
        values=values,
        frame=frame,
        summary=tuple(words),
        settings={
            "over": {name: list(part) for name, part in space.ranges.items()},
            "criterion": criterion,
            "test_from": None if test_from is None else str(test_from),
            "skip": skip,
            "level": level,
            "runs": runs,
            **start.settings,
        },
        citations=("langville2012",),
        seed=each.seed,
        tables={"profile": profile},
    )


def _unseen(data: Interactions, chosen: dict[str, Any]) -> list[str]:
    """Contexts that only the contests held back have."""
    if data.context is None or not isinstance(chosen.get("k"), Mapping):
        return []
    return [name for name in data.context.names if name not in chosen["k"]]


def _few(data: Interactions, space: Space) -> list[str]:
    """Contexts whose k rests on few contests."""
    contexts = [one.context for one in space.numbers if one.context is not None]
    if data.context is None or not contexts:
        return []
    number = dict(zip(data.context.names, np.bincount(data.context.codes), strict=True))
    return [
        f"k[{name}] rests on {counted(int(number[name]), 'contest')} only."
        for name in contexts
        if number[name] < FEW
    ]


def _split(data: Interactions, test_from: object, first: int) -> int:
    """The first contest that is held back."""
    if test_from is None:
        return len(data)
    at = moment(test_from, data.times, end_of_day=False)
    split = int(np.searchsorted(data.times, at, side="left"))
    last = date_words(data.times[-1])
    if split == len(data):
        raise ValueError(
            f"test_from={test_from}: the test period is empty, since the last contest is {last}. "
            f"Choose an earlier one (--test-from)."
        )
    if split <= first:
        raise ValueError(
            f"test_from={test_from}: no contest is left to choose by"
            + (f" after the {counted(first, 'contest')} skipped" if first else "")
            + ". Choose a later one (--test-from)."
        )
    return split


def _gain(
    last: Ratings, start: Ratings, criterion: str, own: np.ndarray, runs: Runs, level: float
) -> dict[str, Any]:
    """The criterion under the chosen settings and the default ones, on the same contests."""
    name = "share" if criterion == "accuracy" else criterion
    column = "correct" if criterion == "accuracy" else criterion
    scores = [scored(one, one.foresight(), 0.0).take(own) for one in (last, start)]
    counts = ~np.isnan(getattr(scores[0], column))
    if not counts.any():
        raise DataError("No contest was decided: accuracy cannot be told.")
    both = [getattr(one, column)[counts] for one in scores]
    gained = both[0] - both[1] if criterion == "accuracy" else both[1] - both[0]
    (low,), (high,) = paired_interval(gained[:, None], runs, level)
    losses = [float(one.log_loss.mean()) for one in scores]
    return {
        "log_loss": losses[0],
        "default_log_loss": losses[1],
        name: float(both[0].mean()),
        f"default_{name}": float(both[1].mean()),
        "gain": float(gained.mean()),
        "gain_low": float(low) / len(gained),
        "gain_high": float(high) / len(gained),
        "contests": len(own),
        "guess": float(np.log(2)),
    }


def _in_words(
    values: dict[str, Any], rows: list[dict[str, Any]], criterion: str, level: float
) -> list[str]:
    name = "share" if criterion == "accuracy" else criterion
    what = {"log_loss": "log loss", "brier": "Brier score", "share": "share foretold"}[name]
    best = ", ".join(f"{row['parameter']} = {_short(row['best'])}" for row in rows)
    words = [
        f"Best: {best}. {what.capitalize()} {values[name]:.4f} against "
        f"{values[f'default_{name}']:.4f} by the default: {_gained(values)} "
        f"({100 * level:g} % interval {values['gain_low']:.4f} to {values['gain_high']:.4f})."
    ]
    if "test" in values:
        test = values["test"]
        words.append(
            f"On {counted(test['contests'], 'contest')} held back: {test[name]:.4f} against "
            f"{test[f'default_{name}']:.4f}, {_gained(test)} ({test['gain_low']:.4f} "
            f"to {test['gain_high']:.4f}). This is the figure to report."
        )
    else:
        words.append(
            "These figures flatter the choice, which was made on the same contests: hold some "
            "back with test_from= (--test-from)."
        )
    return words


def _gained(part: dict[str, Any]) -> str:
    return f"{'better' if part['gain'] >= 0 else 'worse'} by {abs(part['gain']):.4f}"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cautions(values: dict[str, Any], rows: list[dict[str, Any]], idle: list[str]) -> list[str]:
    out = [f"Nothing depends on {name} in these contests." for name in idle]
    for row in rows:
        if not row["at_bound"] or row["parameter"] in idle:
            continue
        if row["parameter"] == "carry_over":  # nothing lies beyond its range
            continue
        if row["parameter"].startswith("k") and row["best"] == 0:
            out.append(
                f"The best {row['parameter']} is 0, the end of its range: ratings that never move "
                f"foretell best."
            )
        else:
            out.append(
                f"The best {row['parameter']} ({_short(row['best'])}) is an end of its range: a "
                f"wider range may hold a better one."
            )
    part = values.get("test", values)
    where = " on the contests held back" if "test" in values else ""
    number = counted(part["contests"], "contest")
    if part["gain_high"] < 0:
        out.append(
            f"The chosen settings foretell worse than the default{where}: there were too few "
            f"contests to choose by."
        )
    elif part["gain_low"] <= 0:
        out.append(
            f"The gain over the default is within noise{where}: {number} cannot tell the two apart."
        )
    if part["log_loss"] > part["guess"]:
        out.append(
            f"Log loss {part['log_loss']:.4f}{where} is no better than guessing "
            f"({part['guess']:.4f}): these ratings foretell nothing."
        )
    return out
