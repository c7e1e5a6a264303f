"""A question of the screen Answer: its contests, its settings, and the parts of every answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peckorder.app.cards import in_words
from peckorder.app.explore import within
from peckorder.app.settings import Settings
from peckorder.errors import DataError
from peckorder.reporting.page import packed_columns
from peckorder.tables import plain

LARGEST_SEED = 2**32 - 1
TARGETS = ("dyads", "steepness", "linearity")
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Question:
    """A question about contests.

    Attributes
    ----------
    data : all contests of the reading, for a comparison of groups
    contests : those of the chosen group
    settings : settings of the workspace
    chosen : settings of this question
    target : file to write, for the report
    """

    data: Any
    contests: Any
    settings: Settings
    chosen: Mapping[str, Any]
    target: Path | None = None

    @property
    def seed(self) -> int:
        """Seed of the random numbers."""
        return int(self.chosen["seed"])

    @property
    def seen(self) -> Any:
        """The contests of the window."""
        return within(self.contests, self.settings)


def chosen_settings(ask: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a question, checked, with their defaults."""
    found: dict[str, Any] = {"seed": _number(given, "seed", 1, 0, LARGEST_SEED, whole=True)}
    if ask in ("enough", "hours"):
        usual = 200 if ask == "enough" else 100
        found["runs"] = _number(given, "runs", usual, 10, 10_000, whole=True)
    if ask == "hours":
        found["rate"] = _number(given, "rate", 1.0, 1e-6, 1e6)
        found["goal"] = _number(given, "goal", 0.95, 0.5, 0.999)
        found["target"] = given.get("target", "dyads")
        if found["target"] not in TARGETS:
            raise DataError(f"target: choose one of {', '.join(TARGETS)}.")
    if ask == "pair":
        found |= {side: str(given.get(side, ""))[:2_000] for side in ("a", "b")}
    if ask in ("steepness", "linear"):
        found["runs"] = _number(given, "runs", 10_000, 100, 1_000_000, whole=True)
    if ask == "report":
        found |= {name: given.get(name) is True for name in ("bayes", "recovery")}
        found["title"] = str(given.get("title") or "")[:200]
    if ask == "bayes":
        found["samples"] = _number(given, "samples", 1_500, 100, 20_000, whole=True)
    return found


def _number(
    given: Mapping[str, Any],
    name: str,
    usual: float,
    low: float,
    high: float,
    *,
    whole: bool = False,
) -> Any:
    value = given.get(name, usual)
    wrong = isinstance(value, bool) or not isinstance(value, int | float)
    if wrong or not math.isfinite(value) or not low <= value <= high:
        raise DataError(f"{name}: give a number from {low:g} to {high:g}.")
    return int(value) if whole else float(value)


def described(found: Any, head: str, **extra: Any) -> dict[str, Any]:
    """The parts that all answers have."""
    return {
        "head": head,
        "sentences": [in_words(text) for text in found.summary],
        "table": packed(found.as_polars()),
        "values": plain(dict(found.values)),
        "seed": found.seed,
        "extra": extra,
    }


def packed(table: Any) -> dict[str, Any]:
    """A table as the report packs it."""
    return {"columns": packed_columns(table), "length": table.height}
