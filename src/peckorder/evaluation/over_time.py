"""Any measure or rank order over moving windows of a record.

Each window is analyzed on its own, from the contests in it; what happened before is not used.
Ratings seen through a window are another thing: `ratings.between` shows part of a rating that rests
on the whole record.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, date_words, whole_days
from peckorder.data.moving_windows import Window, moving_windows
from peckorder.data.read import Data, opened_contests
from peckorder.data.win_counts import co_resident
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, DataWarning
from peckorder.estimate import Estimate
from peckorder.executors.mapping import checked_executor, map_in_order
from peckorder.groups.measures import MAIN, measure_function
from peckorder.methods import METHODS
from peckorder.random_runs import Progress, in_threads
from peckorder.ranks import average_ranks
from peckorder.results import Measure
from peckorder.results.result import Result
from peckorder.text import counted, given, option, option_name, quoted
from peckorder.validate import is_number, seed_number, whole_number

FEWEST = 3  # shared individuals for a correlation of ranks
OWN = ("start", "end", "contests", "individuals", "present", "unknown_share", "reason")


def over_time(
    data: Data,
    measure: str | Callable[..., Any] = "steepness_bayes",
    *,
    window: Any = "1y",
    step: Any = None,
    value: str | None = None,
    min_contests: int = 10,
    seed: Any = None,
    threads: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Measure:
    """A measure or rank order in each of a series of windows.

    Parameters
    ----------
    data : Contests, with a known order of contests
    measure : str or function
        A measure or a rank order by name, such as "linearity" or "isi", or a function of your own
        that takes `Contests` and returns a number, a mapping of numbers, or a result of this
        package.
    window, step : str or int
        Length of a window and how far it moves: "1y", "6m", "2w", "30d" (years, months, weeks,
        days), or a number of contests. Without `step`, windows follow each other. Windows of
        months and years begin on the first day of a month; the last window contains the last
        contest.
    value : str, optional
        The value to follow, if the measure has several; by default `value`. For an order: the
        Spearman correlation of its ranks with those of the window before.
    min_contests : int
        Windows with fewer contests are not analyzed.
    seed : int, optional
        Seed of the random numbers; each window has its own, derived from it.
    threads, progress : as in `tune`
    executor : optional
        Where windows are computed, as in `study`; by default in threads.
    settings : further arguments of the measure.

    Returns
    -------
    Measure
        Table: one row per window with start, end, contests, individuals (with a contest in the
        window), present (if presence is recorded), unknown_share (dyads without a contest, among
        individuals present together if presence is recorded), value, low and high (if the
        measure has an interval), the other values of the measure, and reason (why a window has
        no value). For orders, `ranks`: individual, rank and further columns per window. Values:
        `windows`, `computed`, `lowest`, `highest`.

    Notes
    -----
    Windows that overlap share contests, so that their values are not independent.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> found = po.over_time(data, "linearity", window=17, step=8, seed=1)
    >>> found.table["value"].round(2).to_list()
    [0.39, 0.39, 0.59]
    """
    data = opened_contests(data, "over_time")
    if not data.ordered:
        raise DataError("Windows need contests in order; a matrix cannot be divided.")
    measure = measure_function("measure", measure)
    whole_number("min_contests", min_contests, 1)
    executor = checked_executor(executor)
    windows = moving_windows(data, window, step)
    name = getattr(measure, "__name__", "measure")
    takes = _parameters(measure, name)
    random = "seed" in takes
    if seed is not None and not random:
        raise ArgumentError(f"{name} uses no random numbers: omit {option_name('seed')}.")
    first_seed = seed_number(seed)
    if "threads" in takes:
        settings = {"threads": 1, **settings}  # windows run in parallel instead
    shared = (measure, settings, min_contests)
    each: list[Any] = [None] * len(windows)

    def seed_of(i: int) -> int | None:
        return int(np.random.SeedSequence([first_seed, i]).generate_state(1)[0]) if random else None

    def work(begin: int, end: int) -> None:
        for i in range(begin, end):
            each[i] = _computed(shared, (_contests(data, windows[i]), seed_of(i)))

    with warnings.catch_warnings():
        # Cautions about single windows: the table has the number of contests they rest on.
        warnings.simplefilter("ignore", DataWarning)
        if executor is None:
            in_threads(work, len(windows), block=1, threads=threads, progress=progress)
        else:
            parts = [(_contests(data, one), seed_of(i)) for i, one in enumerate(windows)]
            each = map_in_order(
                _computed, parts, shared=shared, executor=executor, progress=progress
            )
    found, reasons = [one for one, _ in each], [why for _, why in each]
    if all(one is None for one in found):
        raise DataError(
            f"No window can be analyzed. The first: {reasons[0]} Use longer windows: "
            f"{option_name('window')}."
        )
    frame = _effort(data, windows)
    ranks = _ranks(windows, found)
    followed = _followed(found, value, name) if ranks is None else "correlation"
    values = _changes(found) if ranks is not None else _values(found, followed)
    frame = frame.with_columns(values).with_columns(
        reason=pl.Series("reason", reasons, dtype=pl.String)
    )
    known = frame["value"].drop_nulls()
    computed = sum(one is not None for one in found)
    return Measure(
        method="over_time",
        data=data,
        values={
            "windows": len(windows),
            "computed": computed,
            "lowest": known.min() if len(known) else None,
            "highest": known.max() if len(known) else None,
        },
        frame=frame,
        summary=_summary(frame, name, window, step, ranks is not None, computed),
        settings={"measure": name, "window": window, "step": step, "followed": followed}
        | {
            n: v for n, v in settings.items() if n != "threads" and (is_number(v) or type(v) is str)
        },
        citations=METHODS[name].citations if name in METHODS else (),
        seed=first_seed if random else None,
        tables={} if ranks is None else {"ranks": ranks},
    )


def _parameters(measure: Callable[..., Any], name: str) -> set[str]:
    try:
        return set(inspect.signature(measure).parameters)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"{name} cannot be called here, because its arguments are not known. Give a Python "
            f"function."
        ) from None


def _contests(data: Contests, window: Window) -> Contests | None:
    return data.take(window.contests) if len(window.contests) else None


def _computed(
    shared: tuple[Callable[..., Any], dict[str, Any], int],
    part: tuple[Contests | None, int | None],
) -> tuple[Any, str | None]:
    """The result in one window, or why there is none."""
    (measure, settings, least), (data, seed) = shared, part
    if data is None or len(data) < least:
        number = 0 if data is None else len(data)
        return None, f"{counted(number, 'contest')}, fewer than {least:,}."
    try:
        result = measure(data, **settings, **({} if seed is None else {"seed": seed}))
    except DataError as error:
        return None, str(error)
    if is_number(result):
        return {"value": float(result)}, None
    if isinstance(result, Mapping) and all(is_number(v) for v in result.values()) and result:
        return dict(result), None
    if isinstance(result, Result):
        return result, None
    raise ArgumentTypeError(
        f"The measure returned {type(result).__name__}. It must return a number, a mapping of "
        f"numbers, or a result of this package."
    )


def _effort(data: Contests, windows: list[Window]) -> pl.DataFrame:
    """Contests, individuals and unknown dyads of each window."""
    rows = []
    for window in windows:
        winner, loser = data.winner[window.contests], data.loser[window.contests]
        who = np.unique(np.concatenate([winner, loser]))
        possible = ~np.eye(len(who), dtype=bool)
        present = None
        if data.presence is not None:
            stints, (first, last) = data.presence, whole_days(np.array([window.start, window.end]))
            inside = (stints.start <= last) & (stints.end >= first)
            present = len(
                {name for name, there in zip(stints.individual, inside, strict=True) if there}
            )
            possible = co_resident(data, first, last)[np.ix_(who, who)]  # pyright: ignore
        met = np.zeros((len(data.individuals),) * 2, bool)
        met[winner, loser] = met[loser, winner] = True
        pairs = int(possible.sum())
        unknown = int((possible & ~met[np.ix_(who, who)]).sum())
        rows.append((len(winner), len(who), present, unknown / pairs if pairs else None))
    columns = list(zip(*rows, strict=True))
    frame = pl.DataFrame(
        {
            "start": date_column(np.array([w.start for w in windows])),
            "end": date_column(np.array([w.end for w in windows])),
            "contests": columns[0],
            "individuals": columns[1],
            "present": pl.Series(columns[2], dtype=pl.Int64),
            "unknown_share": pl.Series(columns[3], dtype=pl.Float64),
        }
    )
    return frame if data.presence is not None else frame.drop("present")


def _followed(found: list[Any], wanted: str | None, name: str) -> str:
    """The name of the value that is followed over time."""
    names = list(dict.fromkeys(key for one in found if one is not None for key in _numbers(one)))
    if not names:
        raise ArgumentError(f"{name} has no single numbers to follow.")
    chosen = wanted or MAIN.get(name, "value" if "value" in names else names[0])
    if chosen not in names:
        raise ArgumentError(
            f"{given('value', wanted)}: {name} has no such value. Choose one of: {quoted(names)}."
        )
    return chosen


def _values(found: list[Any], chosen: str) -> list[pl.Series]:
    """The value followed, its interval, and the other values, one entry per window."""
    sources = [None if one is None else _numbers(one) for one in found]
    names = list(dict.fromkeys(key for own in sources if own for key in own))
    column = [None if own is None else own.get(chosen) for own in sources]
    out = [pl.Series("value", column, dtype=pl.Float64, strict=False)]
    limits = [_limits(one, chosen) for one in found]
    if any(pair is not None for pair in limits):
        for place, label in enumerate(("low", "high")):
            out.append(
                pl.Series(label, [None if p is None else p[place] for p in limits], pl.Float64)
            )
    taken = {series.name for series in out} | set(OWN) | {chosen}
    for key in names:
        if key not in taken:
            numbers = [None if own is None else own.get(key) for own in sources]
            out.append(pl.Series(key, numbers, dtype=pl.Float64, strict=False))
    return out


def _numbers(one: Any) -> dict[str, float]:
    values = one if isinstance(one, dict) else one.values
    return {key: float(v) for key, v in values.items() if is_number(v)}


def _limits(one: Any, chosen: str) -> tuple[float, float] | None:
    """The 95% interval of the chosen value, if the measure has one."""
    if one is None or isinstance(one, dict):
        return None
    value = one.values.get(chosen)
    if isinstance(value, Estimate):
        return value.interval
    return one.interval if isinstance(one, Measure) and chosen == "value" else None


def _ranks(windows: list[Window], found: list[Any]) -> pl.DataFrame | None:
    """Ranks of each window, if the results are rank orders or ratings."""
    parts = []
    for window, one in zip(windows, found, strict=True):
        if isinstance(one, Result):
            table = one.as_polars()
            if {"individual", "rank"} <= set(table.columns):
                ends = date_column(np.array([window.start, window.end]))
                parts.append(
                    table.with_columns(start=pl.lit(ends[0]), end=pl.lit(ends[1])).select(
                        "start", "end", pl.exclude("start", "end")
                    )
                )
    if not parts or any(isinstance(one, dict | Measure) for one in found):
        return None
    return pl.concat(parts, how="diagonal_relaxed")


def _changes(found: list[Any]) -> list[pl.Series]:
    """Spearman correlations of the ranks of each window with those of the window before."""
    column, shared, before = [], [], None
    for one in found:
        now = None
        if one is not None:
            table = one.as_polars().drop_nulls("rank")
            now = dict(zip(table["individual"], table["rank"].to_list(), strict=True))
        both = sorted(set(now or ()) & set(before or ()))
        correlation = None
        if now and before and len(both) >= FEWEST:
            a = average_ranks(-np.array([now[name] for name in both], float))
            b = average_ranks(-np.array([before[name] for name in both], float))
            if a.std() > 0 and b.std() > 0:
                correlation = float(np.corrcoef(a, b)[0, 1])
        column.append(correlation)
        shared.append(len(both))
        before = now if now is not None else before
    return [
        pl.Series("value", column, dtype=pl.Float64),
        pl.Series("individuals_shared", shared, dtype=pl.Int64),
    ]


def _summary(
    frame: pl.DataFrame, name: str, window: Any, step: Any, orders: bool, computed: int
) -> tuple[str, ...]:
    length = f"{window:,} contests" if is_number(window) else f"length {window}"
    move = "" if step is None else f", moved by {step}"
    label = METHODS[name].label if name in METHODS else name
    of = "Rank correlation with the window before" if orders else label[:1].upper() + label[1:]
    known = frame.drop_nulls("value")
    sentences = [f"{counted(frame.height, 'window')} of {length}{move}."]
    if known.height:
        low, high = known["value"].arg_min() or 0, known["value"].arg_max() or 0
        sentences.append(
            f"{of}: lowest {known['value'][low]:.3g} ({_days(known, low)}), highest "
            f"{known['value'][high]:.3g} ({_days(known, high)})."
        )
    if computed < frame.height:
        sentences.append(f"{frame.height - computed:,} could not be analyzed (see column reason).")
    if step is not None and (frame["start"].shift(-1) <= frame["end"]).any():
        sentences.append("Windows overlap: their values are not independent.")
    if "low" not in frame.columns and not orders:
        sentences.append(
            f"{name} has no interval; {option('measure', 'steepness_bayes')} has one."
            if name == "steepness"
            else f"{name} has no interval."
        )
    return tuple(sentences)


def _days(frame: pl.DataFrame, row: int) -> str:
    ends = (frame[column].to_numpy()[row] for column in ("start", "end"))
    return " to ".join(date_words(end) for end in ends)
