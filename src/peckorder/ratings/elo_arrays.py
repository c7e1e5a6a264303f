"""The settings of a sequential Elo rating, converted to arrays for the kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.aliases import by_correct_name
from peckorder.data.contests import Contests
from peckorder.data.date_columns import moment, whole_days
from peckorder.errors import ArgumentError, DataError, caution
from peckorder.ratings.settings import DEFAULT, PRESETS, EloSettings
from peckorder.text import did_you_mean, option, option_name, quoted, rows
from peckorder.validate import as_numbers


def refuse_no_contests(data: Contests) -> None:
    """Raise an error if there is nothing to rate, as after a selection that nothing met."""
    if len(data) == 0:
        raise DataError("There are no contests to rate.")


def starts(
    settings: EloSettings,
    individuals: Sequence[str],
    *,
    complete: bool = True,
    usual: float | None = None,
    aliases: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Starting rating of each individual; `complete` unless these are only some of them."""
    if not isinstance(settings.start, Mapping):
        return np.full(len(individuals), float(settings.start))
    if usual is None:
        usual = _usual(settings)
    known = by_correct_name("start", settings.start, aliases or {})
    missing = [name for name in individuals if name not in known]
    extra = [name for name in known if name not in set(individuals)] if complete else []
    if missing and extra:  # probably a misspelled name
        raise DataError(
            f"{option_name('start')} has values for names that are not in the data: "
            f"{quoted(extra)}.{did_you_mean(extra, missing)} Individuals without a value: "
            f"{quoted(missing)}. Correct or remove the names that are not in the data."
        )
    return np.array([known.get(name, usual) for name in individuals])


def ratings_set(settings: EloSettings, data: Contests) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times at which single ratings are set, whose, and to what; in chronological order."""
    known = {data.aliases.get(str(n), str(n)): own for n, own in (settings.overrides or {}).items()}
    codes = {name: i for i, name in enumerate(data.individuals)}
    unknown = [name for name in known if name not in codes]
    if unknown:
        raise DataError(
            f"{option_name('overrides')}: {quoted(unknown)} not in the data."
            f"{did_you_mean(unknown, data.individuals)}"
        )
    if known and data.date is None:
        raise DataError(
            f"{option_name('overrides')} needs dates. Name their column: {option('date')}."
        )
    rows = sorted(
        (moment(date, data.times, end_of_day=False), codes[name], float(rating))
        for name, dated in known.items()
        for date, rating in dated.items()
    )
    times = np.array([time for time, _, _ in rows], data.times.dtype)
    return times, np.array([who for _, who, _ in rows], np.int64), np.array([to for *_, to in rows])


def start_of(settings: EloSettings) -> Callable[[str], float]:
    """The starting rating of one individual, for data that are not known beforehand."""
    if not isinstance(settings.start, Mapping):
        everybody = float(settings.start)
        return lambda name: everybody
    known, usual = by_correct_name("start", settings.start, {}), _usual(settings)
    return lambda name: known.get(name, usual)


def _usual(settings: EloSettings) -> float:
    return PRESETS.get(settings.preset or "", {}).get("start", DEFAULT["start"])


def scores(settings: EloSettings, data: Contests) -> np.ndarray:
    """Score of the winner: 1, ½ for a tie, or its proportion of the points (one entry: for all).

    With points, (P + 1)/(P + P′ + 2): Langville & Meyer 2012, equation 5.7.
    """
    if settings.outcome == "points":
        own, other = _points(data, option("outcome", "points")).T
        return (own + 1) / (own + other + 2)
    if data.draw is None or not data.draw.any():
        return np.ones(1)
    return np.where(data.draw, 0.5, 1.0)


def _points(data: Contests, what: str) -> np.ndarray:
    if data.points is None:
        raise DataError(
            f"{what} needs points, and these data have none. Name the columns with points: "
            f"{option('home_points')} and {option('away_points')} for games, "
            f"{option('winner_points')} and {option('loser_points')} for contests."
        )
    return data.points


def margin_factors(margin: Any, points: np.ndarray) -> np.ndarray:
    """Factors on k by the margin of points: a rule by name, or a function of all margins.

    log: ln(1 + margin), at least ln 2. football: 1, then 1.5 for two goals, then (11 + margin)/8,
    as in the World Football Elo Ratings.
    """
    gap = np.abs(points[..., 0] - points[..., 1])
    if callable(margin):
        return _checked_factors(margin(gap.copy()), gap)
    if margin == "log":
        return np.log1p(np.maximum(gap, 1))
    return np.where(gap <= 1, 1.0, np.where(gap == 2, 1.5, (11 + gap) / 8))


def _checked_factors(found: Any, gap: np.ndarray) -> np.ndarray:
    """What a function of margins returned: a factor for each of them."""
    factors = as_numbers(found)
    if factors is None or factors.shape not in ((), gap.shape):
        raise ArgumentError(
            "margin: the function gets an array of margins and must return as many numbers, such "
            "as lambda gap: np.sqrt(gap)."
        )
    factors = np.array(np.broadcast_to(factors, gap.shape), float)
    bad = np.flatnonzero(~np.isfinite(factors) | (factors < 0))
    if bad.size:
        raise ArgumentError(
            f"margin: the function returned {factors.flat[bad[0]]:g} for a margin of "
            f"{gap.flat[bad[0]]:g}. Factors must be finite and at least 0."
        )
    return factors


def k_values(settings: EloSettings, data: Contests, done: int = 0) -> np.ndarray:
    """Values of k by contest for winner and loser: shape (n, 2), or (1, 2) if all are the same."""
    size = len(data)
    if isinstance(settings.k, str):  # "fide" depends on the state: computed in the kernel
        k = np.ones((1, 2))
    elif isinstance(settings.k, Mapping):
        k = _by_context(settings.k, data)
    elif isinstance(settings.k, list | np.ndarray):
        k = np.asarray(settings.k, dtype=float)
        if len(k) != size:
            raise ArgumentError(
                f"{option_name('k')} has {len(k):,} values for {size:,} contests. Give one value "
                f"per contest."
            )
    else:
        k = np.array(settings.k, dtype=float).reshape(1, -1)
    if settings.k_column is not None:
        k = _by_column(settings.k_column, data)
    k = np.broadcast_to(k[:, None] if k.ndim == 1 else k, (len(k), 2))
    if settings.k_periods is not None:
        k = _by_period(settings.k_periods, k, data)
    if settings.burn_in is not None and settings.burn_in[0] > done:
        k = np.array(np.broadcast_to(k, (size, 2)))
        k[: settings.burn_in[0] - done] = settings.burn_in[1]
    if settings.margin is not None:
        rule = settings.margin if isinstance(settings.margin, str) else None
        points = _points(data, option("margin", rule))
        k = k * margin_factors(settings.margin, points)[:, None]
        if settings.tie_factor != 1.0 and data.draw is not None:
            k = k * np.where(data.draw, settings.tie_factor, 1.0)[:, None]
    return np.ascontiguousarray(k, dtype=np.float64)


def k_with_burn_in(settings: EloSettings, data: Contests, order: np.ndarray) -> np.ndarray:
    """Values of k of the contests in another order, of which the first are the burn-in."""
    if settings.burn_in is None:
        raise ArgumentError("These settings have no burn-in.")
    number, k = settings.burn_in
    whole = (len(data), 2)
    early = np.broadcast_to(k_values(replace(settings, burn_in=(len(data), k)), data), whole)
    late = np.broadcast_to(k_values(replace(settings, burn_in=None), data), whole)
    return np.where(np.arange(len(data))[:, None] < number, early[order], late[order])


def _by_context(table: Mapping[Any, float], data: Contests) -> np.ndarray:
    if data.context is None:
        raise DataError(
            f"k by context needs a column of contexts. Name it with {option('context')}."
        )
    known = {str(name): float(value) for name, value in table.items()}
    unknown = [name for name in data.context.names if name not in known]
    if unknown:
        codes = [data.context.names.index(name) for name in unknown]
        where = np.flatnonzero(np.isin(data.context.codes, codes))
        raise DataError(
            f"{rows(data.report.row_word, data.row_of(where))}: {option_name('k')} has no value "
            f"for the context {quoted(unknown)}, only for {quoted(known)}. Give one value per "
            f"context."
        )
    return np.array([known[name] for name in data.context.names])[data.context.codes]


def _by_column(column: str, data: Contests) -> np.ndarray:
    k = data.numbers(column)
    bad = np.flatnonzero(~np.isfinite(k) | (k < 0))
    if bad.size:
        raise DataError(
            f"{rows(data.report.row_word, data.row_of(bad))}: k is {k[bad[0]]:g} in column "
            f'"{column}". It must be a finite number of at least 0.'
        )
    return k


def _by_period(periods: Mapping[Any, float], k: np.ndarray, data: Contests) -> np.ndarray:
    """Values of k by date, from each date in `periods` onward; before the first, those given."""
    times = data.times
    begins = sorted(
        ((moment(start, times, end_of_day=False), value) for start, value in periods.items()),
        key=lambda pair: pair[0],
    )
    k = np.array(np.broadcast_to(k, (len(data), 2)))
    for begin, value in begins:
        k[np.searchsorted(times, begin, side="left") :] = value
    return k


def period_starts(period: str, data: Contests) -> np.ndarray:
    """First contest of each batch period."""
    labels = period_labels(period, data)
    return np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))


def period_labels(period: str, data: Contests) -> np.ndarray:
    """The period of each contest: a date, or the number of a day, week, month or year."""
    if data.date is None:
        raise DataError(
            f"{option('period', period)} needs dates. Name their column with {option('date')}."
        )
    if period != "date" and data.date.dtype.kind != "M":
        raise DataError(
            f"{option('period', period)} needs calendar dates, but the dates of these contests "
            f"are numbers. Use {option('period', 'date')} for one batch per number."
        )
    if period == "date":
        return data.date
    if period == "week":  # weeks begin on Monday; day 0 (1970-01-01) was a Thursday
        return (data.date.astype("datetime64[D]").astype(np.int64) + 3) // 7
    unit = {"day": "D", "month": "M", "year": "Y"}[period]
    return data.date.astype(f"datetime64[{unit}]").astype(np.int64)


def shares_kept(
    settings: EloSettings, data: Contests, last: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """What is left of the distance of both ratings from their start since their own last contest.

    Also the day of the last contest of each individual; `last` is the same before these contests.
    """
    last = np.full(len(data.individuals), np.nan) if last is None else last.copy()
    if settings.half_life is None:
        return np.zeros((0, 2)), last
    if data.date is None:
        raise DataError(
            f"{option_name('half_life')} needs dates. Name their column with {option('date')}."
        )
    who = np.column_stack([data.winner, data.loser]).ravel()
    when = np.repeat(days_of(data.times), 2)
    order = np.argsort(who, kind="stable")
    before, new = last[who], who[order][1:] == who[order][:-1]
    before[order[1:][new]] = when[order[:-1][new]]
    last[who] = when
    return faded(settings, when - before).reshape(-1, 2), last


def faded(settings: EloSettings, days: np.ndarray) -> np.ndarray:
    """The share of a distance from the start that is left after so many days; NaN: no contest."""
    return np.exp2(-np.nan_to_num(days) / float(settings.half_life or np.inf))


def days_of(times: np.ndarray) -> np.ndarray:
    """The number of the day of dates (or the whole number of dates that are numbers)."""
    days = whole_days(times)
    return days.astype("datetime64[D]").astype(float) if days.dtype.kind == "M" else days


def note_times_of_day(data: Contests) -> None:
    """Warn if contests of a day were sorted by time: EloRating keeps the order of the rows."""
    if data.rows is None or data.clock.kind != "M":
        return
    day, row = whole_days(data.times), data.rows
    later = np.flatnonzero((day[1:] == day[:-1]) & (row[1:] < row[:-1])) + 1
    if later.size:
        without = option("time", "") if "time" in data.report.columns else "dates without times"
        caution(
            f"Contests of the same day are rated in the order of their times, for example "
            f"{rows(data.report.row_word, data.row_of(later[:1])).lower()} after "
            f"{rows(data.report.row_word, data.row_of(later[:1] - 1)).lower()}. EloRating ignores "
            f"times and uses the order of the rows. To do the same, read the data with {without}."
        )


def season_starts(data: Contests) -> np.ndarray:
    """First contest of every season except the first; seasons must be contiguous."""
    if data.season is None:
        raise DataError(
            f"{option_name('carry_over')} needs seasons. Name their column with {option('season')}."
        )
    codes = data.season.codes
    begins = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    seen = {int(codes[0])}
    years = [re.match(r"\d{4}", name) for name in data.season.names]
    for place in begins:
        if int(codes[place]) in seen:
            raise DataError(
                f"{rows(data.report.row_word, data.row_of([place]))}: season "
                f'"{data.season.names[codes[place]]}" reappears after another season. All contests '
                f"of a season must be consecutive. Sort the rows by date, or name the column of "
                f"dates with {option('date')}."
            )
        seen.add(int(codes[place]))
        old, new = years[codes[place - 1]], years[codes[place]]
        if old and new and int(new.group()) < int(old.group()):
            raise DataError(
                f"{rows(data.report.row_word, data.row_of([place]))}: season "
                f'"{data.season.names[codes[place]]}" follows season '
                f'"{data.season.names[codes[place - 1]]}", so the seasons are not in chronological '
                f"order. Sort the rows by date, or name the column of dates with {option('date')}."
            )
    return begins
