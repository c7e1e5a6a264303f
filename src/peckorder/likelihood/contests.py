"""Contests as arrays of a likelihood: contests that count, their k, arrivals and departures."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.checked import one_of
from peckorder.curves import Curve, Exponential, curve_from
from peckorder.data.checks import pooled_groups
from peckorder.data.dates import whole_days
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.data.stamps import random_order, stamp_numbers
from peckorder.errors import ArgumentTypeError, DataError, DataWarning, caution
from peckorder.home import NOBODY_AT_HOME
from peckorder.kernels.likelihood import CENTER, ENTER, LEAVE, Contests
from peckorder.wording import counted, option, option_name, quoted

TIES = ("davidson", "omit")
CENTERINGS = ("none", "present")
NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Observed:
    """Contests with their arrays, and the classes of k by name (none if k is the same for all)."""

    data: Interactions
    contests: Contests
    classes: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def with_draws(self) -> bool:
        """Whether the likelihood includes ties."""
        return bool(self.contests.draw[self.contests.counted :].any())

    @property
    def number(self) -> int:
        """Number of contests in the likelihood."""
        return len(self.data) - int(self.contests.counted)


def contests_of(data: Any, what: str) -> Interactions:
    """The contests to fit: at least one, between at least two individuals."""
    if isinstance(data, Matrix):
        data = Interactions.from_matrix(data)
    if not isinstance(data, Interactions):
        raise ArgumentTypeError(
            f"{what} needs data from peckorder.read, not {type(data).__name__}. Use "
            f"peckorder.{what}(peckorder.read(…))."
        )
    if len(data.individuals) < 2 or len(data) == 0:
        raise DataError(
            f"Too few data: {counted(len(data.individuals), 'individual')} and "
            f"{counted(len(data), 'contest')}. A fit needs at least one contest between two "
            f"individuals."
        )
    return data


def note_groups(data: Interactions) -> None:
    """Warn if several groups are fitted as one."""
    if line := pooled_groups(data):
        caution(line)


def _warn_of_unknown_order() -> None:
    caution(
        "The order of these contests is unknown (they come from a matrix or from counts), but "
        "ratings that change over time depend on it. Neither k nor this ranking is reliable. Fit "
        f"a static hierarchy ({option('k', '0')}; for maximum likelihood "
        f"{option('estimate', 'start')}), or use Bradley–Terry, randomized Elo or posterior "
        "steepness."
    )


def observe(
    data: Interactions,
    *,
    ties: str = "davidson",
    by_context: bool = False,
    counted_from: int = 0,
    home: bool = False,
    home_in_update: bool = False,
    centering: str = "none",
    static: bool = False,
) -> Observed:
    """Convert contests to the arrays of a likelihood."""
    one_of("ties", ties, TIES)
    one_of("centering", centering, CENTERINGS)
    if not data.ordered and not static:
        _warn_of_unknown_order()
    drawn = data.draw is not None and bool(data.draw.any())
    left_out = 0
    if data.draw is not None and drawn and ties == "omit":
        left_out = int(data.draw.sum())
        if left_out == len(data):
            raise DataError(
                f"All contests are ties, and {option('ties', 'omit')} excludes them all. Use "
                f"{option('ties', 'davidson')}."
            )
        before = data.individuals
        data, drawn = data.take(np.flatnonzero(~data.draw)), False
        lost = [name for name in before if name not in set(data.individuals)]
        if lost:
            caution(
                f"Excluded because all their contests are ties: {quoted(lost)}. To keep them, use "
                f"{option('ties', 'davidson')}."
            )
    if counted_from >= len(data):
        raise DataError(
            f"The burn-in includes all {counted(len(data), 'contest')}, so none remain to fit. "
            f"Shorten {option_name('burn_in')}."
        )
    classes: tuple[str, ...] = ()
    k_of = np.zeros(0, np.int32)
    if by_context:
        if data.context is None:
            raise DataError(
                f"k by context needs a column of contexts. Name it with {option('context')}."
            )
        classes, k_of = data.context.names, data.context.codes.astype(np.int32)
    if counted_from:
        k_of = np.zeros(len(data), np.int32) if k_of.size == 0 else k_of.copy()
        k_of[:counted_from] = max(1, len(classes))
    if home and data.home is None:
        raise DataError(NOBODY_AT_HOME)
    events = _arrivals_and_departures(data) if centering == "present" else (NONE, NONE, NONE)
    contests = Contests(
        first=np.ascontiguousarray(data.winner, np.int32),
        second=np.ascontiguousarray(data.loser, np.int32),
        draw=np.ascontiguousarray(data.draw) if drawn else np.zeros(0, bool),
        home=data.home.astype(np.float64) if home and data.home is not None else np.zeros(0),
        home_in_update=bool(home_in_update),
        k_of=k_of,
        counted=int(counted_from),
        event_at=events[0],
        event_kind=events[1],
        event_who=events[2],
        event_hall=np.zeros(len(events[0]), np.int64),
    )
    return Observed(data, contests, classes, left_out)


def reordered(seen: Observed, number: int) -> Observed:
    """The contests in one of many random orders within their time stamps.

    A burn-in still concerns the first contests.
    """
    data, contests = seen.data, seen.contests
    order = random_order(stamp_numbers(data.times), number)
    k_of = contests.k_of
    if k_of.size:
        own = data.context.codes if seen.classes and data.context is not None else k_of * 0
        k_of = own[order].astype(np.int32)
        k_of[: contests.counted] = max(1, len(seen.classes))

    def mixed(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array[order]) if array.size else array

    return replace(
        seen,
        contests=contests._replace(
            first=mixed(contests.first),
            second=mixed(contests.second),
            draw=mixed(contests.draw),
            home=mixed(contests.home),
            k_of=k_of,
        ),
    )


def first_contests(contests: Contests, number: int) -> Contests:
    """The first contests only, and who comes and goes before the last of them."""
    keep = contests.event_at < max(number, 1)
    cut = {
        name: getattr(contests, name)[:number]
        for name in ("first", "second", "draw", "home", "k_of")
    }
    events = {
        name: getattr(contests, name)[keep]
        for name in ("event_at", "event_kind", "event_who", "event_hall")
    }
    return contests._replace(**cut, **events)


def observe_as(data: Interactions, settings: dict[str, Any]) -> Observed:
    """The arrays of a posterior with these settings, without repeating warnings on the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return observe(
            data,
            ties=settings["ties"],
            by_context=settings["k"] == "context",
            home=settings["home_advantage"] is not None,
            home_in_update=settings["home_in_update"],
            centering=settings["centering"],
        )


def _arrivals_and_departures(data: Interactions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrivals and departures by the contest that follows them, each with a centering."""
    if data.presence is None:
        raise DataError(
            f"{option('centering', 'present')} needs presence data, and there are none. Supply "
            f"them with {option('presence')}."
        )
    days = whole_days(data.times)
    codes = {name: i for i, name in enumerate(data.individuals)}
    rows = []
    for name, start, end in zip(
        data.presence.individual, data.presence.start, data.presence.end, strict=True
    ):
        arrival = int(np.searchsorted(days, start, side="left"))
        departure = int(np.searchsorted(days, end, side="right"))
        if arrival >= departure:  # no contests in the group during this stay
            continue
        rows.append((arrival, ENTER, codes[name]))
        if departure < len(data):
            rows.append((departure, LEAVE, codes[name]))
    rows += [(at, CENTER, 0) for at in {row[0] for row in rows}]
    # Departures come first, and simultaneous arrivals and departures use the shift before both.
    rows.sort(key=lambda row: (row[0], row[1] == CENTER, row[1] != LEAVE))
    at, kind, who = np.array(rows, np.int64).T
    return np.ascontiguousarray(at), np.ascontiguousarray(kind), np.ascontiguousarray(who)


def joined(parts: Sequence[Observed], own_k: bool) -> Contests:
    """Several groups as one likelihood: individuals numbered consecutively, group after group.

    With `own_k`, each group has its own class of k.
    """
    people = np.cumsum([0, *(len(part.data.individuals) for part in parts)])
    before = np.cumsum([0, *(len(part.data) for part in parts)])
    drawn = any(part.with_draws for part in parts)
    at_home = any(part.contests.home.size for part in parts)
    all_of = [part.contests for part in parts]

    def chained(name: str, add: np.ndarray | None = None) -> np.ndarray:
        pieces = [getattr(c, name) + (0 if add is None else add[i]) for i, c in enumerate(all_of)]
        return np.concatenate(pieces).astype(getattr(all_of[0], name).dtype)

    def padded(name: str, dtype: type) -> np.ndarray:
        return np.concatenate(
            [
                getattr(c, name) if getattr(c, name).size else np.zeros(c.first.size, dtype)
                for c in all_of
            ]
        )

    classes = [np.full(c.first.size, i, np.int32) for i, c in enumerate(all_of)]
    return Contests(
        first=chained("first", people),
        second=chained("second", people),
        draw=padded("draw", bool) if drawn else np.zeros(0, bool),
        home=padded("home", float) if at_home else np.zeros(0),
        home_in_update=all_of[0].home_in_update,
        k_of=np.concatenate(classes) if own_k else np.zeros(0, np.int32),
        counted=0,
        event_at=chained("event_at", before),
        event_kind=chained("event_kind"),
        event_who=chained("event_who", people),
        event_hall=np.concatenate(
            [np.full(c.event_at.size, i, np.int64) for i, c in enumerate(all_of)]
        ),
    )


def natural_curve(scale: float | None, delta: float | None, preset: Curve | None = None) -> Curve:
    """The curve on whose scale a fit is reported: 1/(1 + e^(−Δ)) unless scale or δ is given."""
    if scale is None and delta is None:
        return preset or Exponential(1.0)
    return curve_from(None, scale=scale, delta=delta)
