"""The settings of a sequential Elo rating, checked once.

`EloSettings` holds every setting. Presets reproduce the settings of other software exactly;
explicit arguments override a preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from peckorder.curves import Curve, Exponential, Logistic, Normal, curve_from, curve_settings
from peckorder.data.effects import check_home_advantage
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.ratings.arguments import BY_NAME, choices
from peckorder.text import did_you_mean, option, option_name, quoted
from peckorder.validate import (
    as_numbers,
    finite,
    is_number,
    not_negative,
    one_of,
    positive,
    true_or_false,
)

FIDE_GAMES, FIDE_LEVEL = 30, 2400
# k by importance of a match in the World Football Elo Ratings.
WORLD_FOOTBALL_K = {
    "world cup": 60.0,
    "continental": 50.0,
    "qualifier": 40.0,
    "tournament": 30.0,
    "friendly": 20.0,
}


DEFAULT = {name: argument.default for name, argument in BY_NAME.items()}


@dataclass(frozen=True)
class EloSettings:
    """Every setting of a sequential Elo rating, documented in `peckorder.elo`."""

    k: Any = DEFAULT["k"]
    k_column: str | None = None
    k_periods: Mapping[Any, float] | None = None
    burn_in: tuple[int, float] | None = None
    fide: tuple[float, float, float] = DEFAULT["fide"]
    start: Any = DEFAULT["start"]
    curve: Curve = field(default_factory=Logistic)
    entry: str = DEFAULT["entry"]
    outcome: str = DEFAULT["outcome"]
    margin: Any = None  # a name, or a function of margins
    margin_correction: float | None = None
    home_advantage: float | Mapping[str, float] = DEFAULT["home_advantage"]
    home_in_update: bool = DEFAULT["home_in_update"]
    carry_over: float | None = None
    carry_to: float | None = None
    half_life: float | None = None
    carry_pauses: bool = False
    overrides: Mapping[str, Mapping[Any, float]] | None = None
    period: str | None = None
    within: str = DEFAULT["within"]
    preset: str | None = None
    # Set by presets only.
    rounded: bool = False
    tie_factor: float = 1.0  # on k in ties
    fide_early: bool = False  # k of high ratings also for newcomers
    entry_from: str = "present"
    day: str = "last"
    ranked_from: str = "arrival"

    def __post_init__(self):
        check_k(self.k)
        if not isinstance(self.k_periods, Mapping | None):
            raise ArgumentError(f"k_periods must be a mapping {{date: k}}, not {self.k_periods!r}.")
        for value in (self.k_periods or {}).values():
            not_negative("k", value)
        if self.burn_in is not None:
            _check_burn_in(self.burn_in)
        true_or_false("home_in_update", self.home_in_update)
        true_or_false("carry_pauses", self.carry_pauses)
        _check_overrides(self.overrides)
        if self.day == "max" and self.carry_over is not None:
            raise ArgumentError(
                f"{option_name('carry_over')} cannot be combined with "
                f"{option('preset', 'EloOptimized')}: the highest rating of a day is not defined "
                f"between seasons."
            )
        if self.day == "max" and self.within != "file":
            raise ArgumentError(
                f"{option('within', self.within)} cannot be combined with "
                f"{option('preset', 'EloOptimized')}: the highest rating of a day depends on the "
                f"order of its contests."
            )
        if (
            not isinstance(self.fide, tuple | list)
            or len(self.fide) != 3
            or not all(is_number(k) and k > 0 for k in self.fide)
        ):
            raise ArgumentError(f"fide must be three numbers above 0, not {self.fide!r}.")
        if isinstance(self.k, str):
            clash = [n for n in ("k_column", "k_periods", "burn_in", "margin") if getattr(self, n)]
            if clash:
                raise ArgumentError(
                    f"{option('k', 'fide')} cannot be combined with "
                    f"{', '.join(option_name(name) for name in clash)}."
                )
        _check_start(self.start)
        for name in ("entry", "outcome", "margin", "period", "within"):
            if getattr(self, name) is not None and not (name == "margin" and callable(self.margin)):
                one_of(name, getattr(self, name), choices(name))
        check_home_advantage(self.home_advantage)
        if self.carry_over is not None and not (
            is_number(self.carry_over) and 0 <= self.carry_over <= 1
        ):
            raise ArgumentError(
                f"{option_name('carry_over')} must be between 0 and 1, not {self.carry_over!r}."
            )
        _check_carry_to(self)
        _check_correction(self)
        _check_half_life(self)

    def to_dict(self) -> dict[str, Any]:
        """Every setting as plain values."""
        plain = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "curve"}
        if self.k_column is not None:
            plain["k"] = None
        return plain | curve_settings(self.curve)


PRESETS: dict[str, dict[str, Any]] = {
    "EloRating": {"curve": Normal(), "entry": "mean", "rounded": True, "entry_from": "seen"},
    "EloOptimized": {
        "curve": Exponential(),
        "burn_in": (100, 100.0),
        "day": "max",
        "ranked_from": "first contest",
    },
    "aniDom": {"curve": Exponential(), "start": 0.0, "k": 200.0},
    "PlayerRatings": {
        "curve": Logistic(),
        "start": 2200.0,
        "k": 27.0,
        "period": "date",
        "fide": (30.0, 15.0, 10.0),
        "fide_early": True,
    },
    "FIDE": {"curve": Logistic(), "k": "fide"},
    "WorldFootball": {
        "curve": Logistic(),
        "k": WORLD_FOOTBALL_K,
        "margin": "football",
        "home_advantage": 100.0,
        "home_in_update": True,
    },
    # Ties: its program divides 2.2 by 1 where nobody won.
    "FiveThirtyEight": {
        "curve": Logistic(),
        "start": 1505.0,
        "k": 20.0,
        "margin": "log",
        "margin_correction": 2200.0,
        "tie_factor": 2.2,
        "home_advantage": 65.0,
        "home_in_update": True,
        "carry_over": 2 / 3,
        "carry_to": 1505.0,
    },
    # Of no other software: see `tuned` for its home advantage, benchmarks/games.py for its k.
    "Games": {"curve": Logistic(), "k": 40.0, "home_in_update": True},
}


def resolve(
    given: Mapping[str, Any], *, of: str = "elo", without: Sequence[str] = ()
) -> EloSettings:
    """Settings from explicit arguments (None: not given) and from the preset, if any."""
    known = [name for name in BY_NAME if name not in without]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ArgumentTypeError(
            f"{of} has no argument {unknown[0]!r}.{did_you_mean(unknown[:1], known)} "
            f"Arguments: {', '.join(known)}."
        )
    chosen = {name: value for name, value in given.items() if value is not None}
    preset = chosen.pop("preset", None)
    if preset is not None:
        one_of("preset", preset, PRESETS)
    settings = EloSettings(preset=preset, **PRESETS.get(preset or "", {}))
    shape = {name: chosen.pop(name, None) for name in ("scale", "delta", "sd")}
    curve = chosen.pop("curve", None)
    if curve is None and preset is not None:
        curve = str(curve_settings(settings.curve)["curve"])
    if curve is not None or any(value is not None for value in shape.values()):
        chosen["curve"] = curve_from(curve, **shape)
    if "k" in chosen and "k_column" in chosen:
        raise ArgumentError(f"Give {option('k')} or {option('k_column')}, not both.")
    if "k_column" in chosen:
        chosen["k"] = DEFAULT["k"]  # the column overrides a preset's rule
    if "fide" in chosen and not isinstance(chosen.get("k", settings.k), str):
        raise ArgumentError(f"{option_name('fide')} can only be used with {option('k', 'fide')}.")
    if "margin" in chosen:
        settings = replace(settings, tie_factor=1.0)
        if isinstance(chosen["margin"], str) and chosen["margin"] == "none":
            chosen["margin"] = None
            chosen.setdefault("margin_correction", None)
    return replace(settings, **chosen)


def _check_carry_to(settings: EloSettings) -> None:
    if settings.carry_to is None:
        return
    finite("carry_to", settings.carry_to)
    if settings.carry_over is None:
        raise ArgumentError(
            f"{option_name('carry_to')} is where ratings are carried over to: also give "
            f"{option('carry_over')}."
        )


def _check_correction(settings: EloSettings) -> None:
    if settings.margin_correction is None:
        return
    positive("margin_correction", settings.margin_correction)
    if settings.margin in (None, "none"):
        raise ArgumentError(
            f"{option_name('margin_correction')} corrects the factor of margins: also give "
            f"{option('margin', 'log')}."
        )


def _check_half_life(settings: EloSettings) -> None:
    if settings.half_life is None:
        return
    positive("half_life", settings.half_life)
    usual = {"period": None, "carry_over": None, "within": "file", "entry": "start"}
    other = [name for name, value in usual.items() if getattr(settings, name) != value]
    if other:
        raise ArgumentError(
            f"{option_name('half_life')} cannot be combined with {option_name(other[0])}: between "
            f"contests, each rating moves toward its own start only. Leave one of them out."
        )


def _plain(value: Any) -> Any:
    if callable(value):
        return f"function {getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def check_k(k: Any) -> None:
    """Raise an error unless k is one of the permitted forms."""
    if isinstance(k, str):
        if k != "fide":
            raise ArgumentError(
                f"{option('k', k)} is not valid. Give a number, numbers by context such as "
                f'{{"fight": 200, "displace": 20}}, a pair (winner, loser), or "fide".'
            )
    elif isinstance(k, Mapping):
        if not k:
            raise ArgumentError("k by context is empty. Give one number per context.")
        for value in k.values():
            not_negative("k", value)
    elif isinstance(k, tuple):
        if len(k) != 2:
            raise ArgumentError(f"A pair of k must be (k of winner, k of loser), not {k!r}.")
        for value in k:
            not_negative("k", value)
    elif isinstance(k, list | np.ndarray) and np.ndim(k):
        values = as_numbers(k)
        if values is None:
            raise ArgumentError(f"{option_name('k')} must contain numbers, not {k!r}.")
        if not np.isfinite(values).all() or (values < 0).any():
            raise ArgumentError("k must contain finite numbers of at least 0 only.")
    else:
        not_negative("k", k)


def _check_burn_in(burn_in: Any) -> None:
    if not (isinstance(burn_in, tuple | list) and len(burn_in) == 2):
        raise ArgumentError(
            f"{option_name('burn_in')} must be (number of contests, k), not {burn_in!r}."
        )
    contests, k = burn_in
    if not isinstance(contests, int | np.integer) or contests < 0:
        raise ArgumentError(
            f"{option_name('burn_in')} needs a whole number of contests, not {contests!r}."
        )
    not_negative("k", k)


def _check_overrides(given: Any) -> None:
    dated: list[Any] = list(given.values()) if isinstance(given, Mapping) else [given]
    if given is not None and not all(
        isinstance(own, Mapping) and own and all(map(is_number, own.values())) for own in dated
    ):
        raise ArgumentError(
            f"overrides={given!r}: give ratings by name and date, such as "
            f'{{"CLE": {{"1999-09-12": 1300}}}}.'
        )


def _check_start(start: Any) -> None:
    if isinstance(start, Mapping):
        bad = [name for name, value in start.items() if not is_number(value)]
        if bad:
            raise ArgumentError(
                f"{option_name('start')} must contain finite numbers only; check {quoted(bad)}."
            )
    elif not is_number(start):
        raise ArgumentError(
            f"{option_name('start')} must be a finite number, or one number per individual, not "
            f"{start!r}."
        )


def prior_ranks(
    ranks: Mapping[str, float] | Sequence[str], *, mean: float = 1000.0, step: float = 100.0
) -> dict[str, float]:
    """Starting ratings from prior ranks, with a difference of `step` points per rank.

    Parameters
    ----------
    ranks : names in order of rank, highest first, or a mapping from name to rank (1 is highest).
    mean : mean of the starting ratings.
    step : points between adjacent ranks.

    >>> prior_ranks(["Abe", "Bo", "Cy"])
    {'Abe': 1100.0, 'Bo': 1000.0, 'Cy': 900.0}
    """
    if not isinstance(ranks, Mapping | Sequence) or isinstance(ranks, str | bytes):
        raise ArgumentTypeError(
            f"ranks must be a list of names, highest first, or a mapping from name to rank, not "
            f"{type(ranks).__name__}."
        )
    if not ranks:
        raise ArgumentError("ranks is empty.")
    if not isinstance(ranks, Mapping):
        if len(set(ranks)) < len(ranks):
            raise ArgumentError("A name appears twice in ranks.")
        ranks = {str(name): place for place, name in enumerate(ranks, start=1)}
    for name, value in (("mean", mean), ("step", step), *ranks.items()):
        finite(str(name), value)
    middle = sum(ranks.values()) / len(ranks)
    return {str(name): mean + step * (middle - rank) for name, rank in ranks.items()}
