"""The choices behind a sequential Elo rating, checked once and turned into arrays.

`EloSettings` holds every choice. Presets give the choices of other software exactly; an explicit
argument overrides a preset.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from peckorder.curves import Curve, Exponential, Logistic, Normal, curve_from, curve_settings
from peckorder.data.dates import moment
from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.wording import quoted, rows

ENTRIES = ("start", "mean", "bottom", "bottom_low")
OUTCOMES = ("win", "points")
MARGINS = ("none", "log", "football")
PERIODS = ("date", "day", "week", "month", "year")
FIDE_GAMES, FIDE_LEVEL = 30, 2400
NOBODY_AT_HOME = (
    "A home advantage needs to know who was at home, and these data do not say. Read them as games "
    "(home=, away=), or name a home column: home=."
)
# k by importance of a match in the World Football Elo Ratings.
WORLD_FOOTBALL_K = {
    "world cup": 60.0,
    "continental": 50.0,
    "qualifier": 40.0,
    "tournament": 30.0,
    "friendly": 20.0,
}


@dataclass(frozen=True)
class EloSettings:
    """Every choice of a sequential Elo rating. See `peckorder.elo` for their meaning."""

    k: Any = 100.0
    k_column: str | None = None
    k_periods: Mapping[Any, float] | None = None
    burn_in: tuple[int, float] | None = None
    fide: tuple[float, float, float] = (25.0, 15.0, 10.0)
    start: Any = 1000.0
    curve: Curve = field(default_factory=Logistic)
    entry: str = "start"
    outcome: str = "win"
    margin: str | None = None
    home_advantage: float | Mapping[str, float] = 0.0
    home_in_update: bool = False
    carry_over: float | None = None
    period: str | None = None
    preset: str | None = None
    # Only a preset sets these.
    rounded: bool = False
    mean_of: str = "present"
    day: str = "last"

    def __post_init__(self):
        check_k(self.k)
        if not isinstance(self.k_periods, Mapping | None):
            raise ValueError(f"k_periods is {{date: k}}, not {self.k_periods!r}.")
        for value in (self.k_periods or {}).values():
            _check_k_number(value)
        if self.burn_in is not None:
            _check_burn_in(self.burn_in)
        if not isinstance(self.home_in_update, bool | np.bool_):
            raise TypeError(f"home_in_update must be True or False, not {self.home_in_update!r}.")
        if self.day == "max" and self.carry_over is not None:
            raise ValueError("The highest rating of a day has no meaning between seasons.")
        if (
            not isinstance(self.fide, tuple | list)
            or len(self.fide) != 3
            or not all(_is_number(k) and k > 0 for k in self.fide)
        ):
            raise ValueError(f"fide must hold three numbers above 0, not {self.fide!r}.")
        if isinstance(self.k, str):
            clash = [n for n in ("k_column", "k_periods", "burn_in", "margin") if getattr(self, n)]
            if clash:
                raise ValueError(f'k="fide" cannot be combined with {", ".join(clash)}.')
        _check_start(self.start)
        _choose("entry", self.entry, ENTRIES)
        _choose("outcome", self.outcome, OUTCOMES)
        if self.margin is not None:
            _choose("margin", self.margin, MARGINS)
        if self.period is not None:
            _choose("period", self.period, PERIODS)
        check_home_advantage(self.home_advantage)
        if self.carry_over is not None and not (
            _is_number(self.carry_over) and 0 <= self.carry_over <= 1
        ):
            raise ValueError(f"carry_over must lie between 0 and 1, not {self.carry_over!r}.")

    def to_dict(self) -> dict[str, Any]:
        """Every choice as plain values."""
        plain = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "curve"}
        if self.k_column is not None:
            plain["k"] = None
        return plain | curve_settings(self.curve)


PRESETS: dict[str, dict[str, Any]] = {
    "EloRating": {"curve": Normal(), "entry": "mean", "rounded": True, "mean_of": "seen"},
    "EloOptimized": {"curve": Exponential(), "burn_in": (100, 100.0), "day": "max"},
    "aniDom": {"curve": Exponential(), "start": 0.0, "k": 200.0},
    "PlayerRatings": {"curve": Logistic(), "start": 2200.0, "k": 27.0, "period": "date"},
    "FIDE": {"curve": Logistic(), "k": "fide"},
    "WorldFootball": {
        "curve": Logistic(),
        "k": WORLD_FOOTBALL_K,
        "margin": "football",
        "home_advantage": 100.0,
        "home_in_update": True,
    },
}


def resolve(preset: str | None, given: dict[str, Any]) -> EloSettings:
    """Settings from a preset and the arguments given (None: not given)."""
    if preset is not None:
        _choose("preset", preset, tuple(PRESETS))
    shape = {name: given.pop(name) for name in ("scale", "delta", "sd")}
    curve = given.pop("curve")
    settings = EloSettings(preset=preset, **PRESETS.get(preset or "", {}))
    if curve is None and preset is not None:
        curve = str(curve_settings(settings.curve)["curve"])
    if curve is not None or any(value is not None for value in shape.values()):
        given["curve"] = curve_from(curve, **shape)
    if given.get("k") is not None and given.get("k_column") is not None:
        raise ValueError("Give k or k_column, not both.")
    chosen = settings.k if given.get("k") is None else given["k"]
    if given.get("k_column") is not None:
        given["k"] = chosen = EloSettings.k  # the column overrides a preset's rule
    if given.get("fide") is not None and not isinstance(chosen, str):
        raise ValueError('fide= is for k="fide".')
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = replace(settings, **chosen)
    return replace(settings, margin=None) if settings.margin == "none" else settings


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _choose(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f'{name}="{value}" is not known. Choose one of: {", ".join(choices)}.')


def _check_k_number(value: Any) -> None:
    if not _is_number(value) or value < 0:
        raise ValueError(f"k must be a finite number from 0 on, not {value!r}.")


def check_k(k: Any) -> None:
    if isinstance(k, str):
        if k != "fide":
            raise ValueError(
                f'k="{k}" is not known. Give a number, numbers by context such as '
                f'{{"fight": 200, "displace": 20}}, a pair (winner, loser), or "fide".'
            )
    elif isinstance(k, Mapping):
        if not k:
            raise ValueError("k by context is empty. Give one number per context.")
        for value in k.values():
            _check_k_number(value)
    elif isinstance(k, tuple):
        if len(k) != 2:
            raise ValueError(f"A pair of k is (of the winner, of the loser), not {k!r}.")
        for value in k:
            _check_k_number(value)
    elif isinstance(k, list | np.ndarray) and np.ndim(k):
        values = np.asarray(k, dtype=float)
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("k must hold finite numbers from 0 on.")
    else:
        _check_k_number(k)


def _check_burn_in(burn_in: Any) -> None:
    if not (isinstance(burn_in, tuple | list) and len(burn_in) == 2):
        raise ValueError(f"burn_in is (number of contests, k), not {burn_in!r}.")
    contests, k = burn_in
    if not isinstance(contests, int | np.integer) or contests < 0:
        raise ValueError(f"burn_in needs a whole number of contests, not {contests!r}.")
    _check_k_number(k)


def check_home_advantage(bonus: Any) -> None:
    """A number, or one for each side that is ever at home."""
    if isinstance(bonus, Mapping):
        bad = [name for name, value in bonus.items() if not _is_number(value)]
        if bad or not bonus:
            raise ValueError(f"home_advantage must hold finite numbers; look at {quoted(bad)}.")
    elif not _is_number(bonus):
        raise ValueError(f"home_advantage must be a number, or one number by name, not {bonus!r}.")


def _check_start(start: Any) -> None:
    if isinstance(start, Mapping):
        bad = [name for name, value in start.items() if not _is_number(value)]
        if bad:
            raise ValueError(f"start must hold finite numbers; look at {quoted(bad)}.")
    elif not _is_number(start):
        raise ValueError(f"start must be a finite number or one number by name, not {start!r}.")


def prior_ranks(
    ranks: Mapping[str, float] | Sequence[str], *, mean: float = 1000.0, step: float = 100.0
) -> dict[str, float]:
    """Starting ratings from ranks known beforehand, `step` points from rank to rank.

    Parameters
    ----------
    ranks : names in order from the top, or a mapping from name to rank (1 is the top).
    mean : mean of the starting ratings.
    step : points between neighbouring ranks.

    >>> prior_ranks(["Abe", "Bo", "Cy"])
    {'Abe': 1100.0, 'Bo': 1000.0, 'Cy': 900.0}
    """
    if not ranks:
        raise ValueError("ranks is empty.")
    if not isinstance(ranks, Mapping):
        if len(set(ranks)) < len(ranks):
            raise ValueError("A name stands twice among the ranks.")
        ranks = {str(name): place for place, name in enumerate(ranks, start=1)}
    middle = sum(ranks.values()) / len(ranks)
    return {str(name): mean + step * (middle - rank) for name, rank in ranks.items()}


def starts(
    settings: EloSettings, individuals: Sequence[str], *, everybody: bool = True
) -> np.ndarray:
    """Starting rating of each individual (of everybody, or of some newcomers)."""
    if not isinstance(settings.start, Mapping):
        return np.full(len(individuals), float(settings.start))
    known = {str(name): float(value) for name, value in settings.start.items()}
    lacking = [name for name in individuals if name not in known]
    if lacking:
        strange = [name for name in known if name not in set(individuals)]
        also = ""
        if strange and everybody:
            also = f" It names {quoted(strange)}, who took part in no contest."
        raise DataError(
            f"start has no value for {quoted(lacking)}. Give every individual a starting "
            f"rating, or one number for all.{also}"
        )
    return np.array([known[name] for name in individuals])


def scores(settings: EloSettings, data: Interactions) -> np.ndarray:
    """Score of the winner: 1, ½ for a draw, or its share of the points (one entry: for all).

    With points, (P + 1)/(P + P′ + 2): Langville & Meyer 2012, equation 5.7.
    """
    if settings.outcome == "points":
        own, other = _points(data, 'outcome="points"').T
        return (own + 1) / (own + other + 2)
    if data.draw is None or not data.draw.any():
        return np.ones(1)
    return np.where(data.draw, 0.5, 1.0)


def _points(data: Interactions, what: str) -> np.ndarray:
    if data.points is None:
        raise DataError(
            f"{what} needs points, and these data have none. Name their columns: home_points= and "
            f"away_points= for games, winner_points= and loser_points= for contests."
        )
    return data.points


def margin_factors(margin: str, points: np.ndarray) -> np.ndarray:
    """Factors on k by the margin of points.

    log: ln(1 + margin), at least ln 2. football: 1, then 1.5 for two goals, then (11 + margin)/8,
    as in the World Football Elo Ratings.
    """
    gap = np.abs(points[..., 0] - points[..., 1])
    if margin == "log":
        return np.log1p(np.maximum(gap, 1))
    return np.where(gap <= 1, 1.0, np.where(gap == 2, 1.5, (11 + gap) / 8))


def k_values(settings: EloSettings, data: Interactions, done: int = 0) -> np.ndarray:
    """k of winner and loser for each contest, shape (n, 2), or (1, 2) if it is the same for all."""
    size = len(data)
    if isinstance(settings.k, str):  # "fide" depends on the state: the kernel knows it
        k = np.ones((1, 2))
    elif isinstance(settings.k, Mapping):
        k = _by_context(settings.k, data)
    elif isinstance(settings.k, list | np.ndarray):
        k = np.asarray(settings.k, dtype=float)
        if len(k) != size:
            raise ValueError(f"k holds {len(k):,} values for {size:,} contests.")
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
        k = k * margin_factors(settings.margin, _points(data, "margin="))[:, None]
    return np.ascontiguousarray(k, dtype=np.float64)


def _by_context(table: Mapping[Any, float], data: Interactions) -> np.ndarray:
    if data.context is None:
        raise DataError("k by context needs a context. Name its column: context= (--context).")
    known = {str(name): float(value) for name, value in table.items()}
    unknown = [name for name in data.context.names if name not in known]
    if unknown:
        codes = [data.context.names.index(name) for name in unknown]
        where = np.flatnonzero(np.isin(data.context.codes, codes))
        raise DataError(
            f"{rows(data.report.row_word, data.row_of(where))}: k has no value for the context "
            f"{quoted(unknown)}. It has values for {quoted(known)}; add one for each context."
        )
    return np.array([known[name] for name in data.context.names])[data.context.codes]


def _by_column(column: str, data: Interactions) -> np.ndarray:
    k = data.numbers(column)
    bad = np.flatnonzero(~np.isfinite(k) | (k < 0))
    if bad.size:
        raise DataError(
            f"{rows(data.report.row_word, data.row_of(bad))}: k is {k[bad[0]]:g} in column "
            f'"{column}"; it must be a finite number from 0 on.'
        )
    return k


def _by_period(periods: Mapping[Any, float], k: np.ndarray, data: Interactions) -> np.ndarray:
    """From each date in `periods` on, its k; before the first, the k given otherwise."""
    times = data.times
    begins = sorted(
        ((moment(start, times, end_of_day=False), value) for start, value in periods.items()),
        key=lambda pair: pair[0],
    )
    k = np.array(np.broadcast_to(k, (len(data), 2)))
    for begin, value in begins:
        k[np.searchsorted(times, begin, side="left") :] = value
    return k


def advantages(bonus: float | Mapping[str, float] | np.ndarray, data: Interactions) -> np.ndarray:
    """Points added to the winner's rating when a contest is predicted (one entry: for all).

    An array holds them already.
    """
    if isinstance(bonus, np.ndarray):
        return bonus
    if not isinstance(bonus, Mapping) and bonus == 0:
        return np.zeros(1)
    if data.home is None:
        raise DataError(NOBODY_AT_HOME)
    return bonus_of(bonus, data.individuals, data.winner, data.loser, data.home)


def bonus_of(
    bonus: float | Mapping[str, float],
    names: Sequence[str],
    first: np.ndarray,
    second: np.ndarray,
    home: np.ndarray,
) -> np.ndarray:
    """What being at home adds to the first side: `home` is 1, −1 where the second is, or 0."""
    if not isinstance(bonus, Mapping):
        return bonus * home.astype(np.float64)
    host = np.where(home > 0, first, second)
    own = {str(name): float(value) for name, value in bonus.items()}
    at_home = np.unique(host[home != 0])
    lacking = [names[i] for i in at_home if names[i] not in own]
    if lacking:
        raise DataError(
            f"home_advantage has no value for {quoted(lacking)}. Give one for each side that is "
            f"ever at home, or one number for all."
        )
    values = np.array([own.get(name, 0.0) for name in names])
    return values[host] * home


def period_starts(period: str, data: Interactions) -> np.ndarray:
    """First contest of each batch period."""
    if data.date is None:
        raise DataError(
            f'Rating by period ("{period}") needs dates. Name their column: date= (--date).'
        )
    if period != "date" and data.date.dtype.kind != "M":
        raise DataError(
            f'Rating by "{period}" needs calendar dates, and these contests are dated by numbers. '
            f'Use period="date" (--period date): one batch per number.'
        )
    if period == "date":
        labels = data.date
    elif period == "week":  # weeks begin on Monday; day 0 of the calendar was a Thursday
        labels = (data.date.astype("datetime64[D]").astype(np.int64) + 3) // 7
    else:
        unit = {"day": "D", "month": "M", "year": "Y"}[period]
        labels = data.date.astype(f"datetime64[{unit}]")
    return np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))


def season_starts(data: Interactions) -> np.ndarray:
    """First contest of every season but the first; seasons must not come back."""
    if data.season is None:
        raise DataError("carry_over needs seasons. Name their column: season= (--season).")
    codes = data.season.codes
    begins = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    seen = {int(codes[0])}
    years = [re.match(r"\d{4}", name) for name in data.season.names]
    for place in begins:
        if int(codes[place]) in seen:
            raise DataError(
                f"{rows(data.report.row_word, data.row_of([place]))}: season "
                f'"{data.season.names[codes[place]]}" comes back after another one. Seasons must '
                f"follow each other in the order of the contests."
            )
        seen.add(int(codes[place]))
        old, new = years[codes[place - 1]], years[codes[place]]
        if old and new and int(new.group()) < int(old.group()):
            raise DataError(
                f"{rows(data.report.row_word, data.row_of([place]))}: season "
                f'"{data.season.names[codes[place]]}" comes after season '
                f'"{data.season.names[codes[place - 1]]}": the seasons go backwards. Sort the '
                f"sheet from the first contest to the last, or name a column of dates: date= "
                f"(--date)."
            )
    return begins
