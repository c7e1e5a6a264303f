"""The settings of the ratings: group, k, curve, start, home advantage, window and date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from peckorder.errors import DataError

CURVES = ("logistic", "exponential", "normal", "table")
LARGEST = 1e6
MOMENT = re.compile(r"[0-9T:. +-]{1,40}")


@dataclass(frozen=True)
class Settings:
    """What is changed on the screen Explore; `start` and `home` are in points.

    The window (`since`, `until`) frames what is shown; if it is `limited`, ratings also rest on its
    contests alone, so that everybody restarts at its beginning.
    """

    k: float = 100.0
    curve: str = "logistic"
    start: float = 1000.0
    home: float = 0.0
    group: str | None = None
    groups: str | None = None
    at: str | None = None
    since: str | None = None
    until: str | None = None
    limited: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As the page knows them: the window is called from and to."""
        found = asdict(self)
        return found | {"from": found.pop("since"), "to": found.pop("until")}

    def with_changes(self, changes: Mapping[str, Any]) -> Settings:
        """The settings with some of them changed; raises an error for values that cannot be."""
        names = {"from": "since", "to": "until"}
        return replace(
            self,
            **{names.get(name, name): _checked(name, value) for name, value in changes.items()},
        )

    @property
    def restarts(self) -> bool:
        """Whether ratings rest on the contests of a window alone."""
        return self.limited and not (self.since is None and self.until is None)

    def elo(self, data: Any) -> dict[str, Any]:
        """Arguments of `peckorder.elo` that differ from their defaults, and k."""
        usual = Settings()
        found: dict[str, Any] = {"k": self.k}
        if self.curve != usual.curve:
            found["curve"] = self.curve
        if self.start != usual.start:
            found["start"] = self.start
        if self.home != usual.home and data.home is not None:
            found["home_advantage"] = self.home
        return found


def _checked(name: str, value: Any) -> Any:
    if name in ("k", "start", "home"):
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise DataError(f"{name}: give a number.") from None
        low = 0.0 if name == "k" else -LARGEST
        if not low <= number <= LARGEST:
            raise DataError(f"{name}: give a number from {low:g} to {LARGEST:g}.")
        return number
    if name == "curve":
        if value not in CURVES:
            raise DataError(f"curve: choose one of {', '.join(CURVES)}.")
        return value
    if name == "groups":
        if value not in (None, "each", "pool"):
            raise DataError("groups: choose each or pool.")
        return value
    if name == "limited":
        if value not in (None, "", True, False, "true", "false"):
            raise DataError("limited: choose true or false.")
        return value in (True, "true")
    if value in (None, ""):
        return None
    if name == "group" and isinstance(value, str) and len(value) <= 2_000:
        return value
    if name in ("at", "from", "to") and isinstance(value, str | int | float):
        if not MOMENT.fullmatch(str(value)):
            raise DataError(f"{name}: give a date such as 2020-05-28, or the number of a contest.")
        return str(value)
    raise DataError(f"{name} is not a setting.")
