"""The state of an `EloRater` as plain values, in columns, and checked when it is read again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from peckorder.checked import finite, one_of, whole_number
from peckorder.citation import VERSION
from peckorder.curves import CURVES
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.sequential.replay import EloState
from peckorder.sequential.settings import PRESETS, EloSettings

FORMAT = 1


def to_dict(settings: EloSettings, names: Iterable[str], state: EloState) -> dict[str, Any]:
    """Settings and state as plain values, with numbers at full precision."""
    if callable(settings.margin):
        raise ArgumentError(
            "A rater whose margin is a function cannot be saved: nothing that is stored is "
            "executed. Use a rule by name."
        )
    return {
        "format": FORMAT,
        "peckorder": VERSION,
        "settings": settings.to_dict(),
        "contests": state.done,
        "individuals": {
            "name": list(names),
            "rating": state.rating.tolist(),
            "start": state.start.tolist(),
            "present": state.present.tolist(),
            "contests": state.contests.tolist(),
            "reached": state.reached.tolist(),
        },
    }


def from_dict(saved: Mapping[str, Any]) -> tuple[EloSettings, list[str], EloState]:
    """Settings, names and state that `to_dict` wrote."""
    try:
        if saved["format"] != FORMAT:
            raise DataError(
                f"This EloRater was saved in format {saved['format']!r} by peckorder "
                f"{saved.get('peckorder')}; this version reads format {FORMAT}. Use that version, "
                f"or rate the contests again."
            )
        settings = _settings(saved["settings"])
        own = saved["individuals"]
        names = [_name(name) for name in own["name"]]
        if len(set(names)) < len(names):
            raise ArgumentError("a name appears twice, which")
        present = [_flag(value) for value in own["present"]]
        rating = [_rating(*pair) for pair in zip(own["rating"], present, strict=True)]
        state = EloState(
            np.array([finite("start", value) for value in own["start"]], float),
            np.array(rating, float),
            np.array(present, bool),
            np.array([whole_number("contests", value, 0) for value in own["contests"]], np.int64),
            np.array([_flag(value) for value in own["reached"]], bool),
            whole_number("contests", saved["contests"], 0),
        )
        columns = (state.start, state.rating, state.contests, state.reached)
        if any(len(column) != len(names) for column in columns):
            raise ArgumentError("a value for each individual")
    except DataError:
        raise
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise DataError(
            f"Not a saved EloRater: {error} is missing or invalid. Give what EloRater.save or "
            f"to_dict returned."
        ) from error
    return settings, names, state


def _settings(saved: Mapping[str, Any]) -> EloSettings:
    plain = dict(saved)
    shape = CURVES[plain.pop("curve")]
    curve = shape(**{f.name: plain.pop(f.name) for f in fields(shape)})
    for name in ("k", "burn_in", "fide"):
        if isinstance(plain[name], list):
            plain[name] = tuple(plain[name])
    settings = EloSettings(curve=curve, **plain)
    one_of("entry_from", settings.entry_from, ("present", "seen"))
    one_of("day", settings.day, ("last", "max"))
    one_of("preset", settings.preset, (None, *PRESETS))
    _flag(settings.rounded)
    return settings


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ArgumentTypeError(f"{name!r}, which should be a name,")
    return name


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{value!r}, which should be true or false,")
    return value


def _rating(rating: Any, present: bool) -> float:
    """The rating of an individual; one that has not arrived yet has none (NaN)."""
    unrated = isinstance(rating, float) and math.isnan(rating) and not present
    return rating if unrated else finite("rating", rating)
