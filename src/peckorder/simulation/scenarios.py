"""The scenarios of Goffe, Fischer & Sennhenn-Reulen (2018), section 3.

Strengths are on the natural scale: a difference Δ wins with probability 1/(1 + e^(−Δ)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.checked import whole_number
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError
from peckorder.simulation.hierarchies import grid, hierarchy, names_of, periods
from peckorder.simulation.truth import Truth


def high_dimensional(
    individuals: int = 44,
    interactions: int = 1000,
    *,
    spread: float = 2.62,
    meeting: Any = "by_closeness",
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Scenario 1: many individuals, few contests, strengths from a normal distribution.

    >>> truth, data = high_dimensional(seed=1)
    >>> len(data), len(truth.individuals)
    (1000, 44)
    """
    return hierarchy(
        individuals, interactions, strengths="normal", spread=spread, meeting=meeting, seed=seed
    )


def unbalanced(
    individuals: int = 10,
    interactions: tuple[int, int] = (2000, 2000),
    *,
    spread: float = 6.0,
    meeting: Any = ("by_rank", "by_closeness"),
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Scenario 2: low-ranking individuals are rarely observed; then adjacent ranks swap.

    Examples
    --------
    >>> truth, data = unbalanced(seed=1)
    >>> len(data), truth.begin.tolist()
    (4000, [0, 2000])
    """
    names = names_of(individuals)
    before = grid(len(names), spread)
    after = before.copy()
    for i in range(0, len(names) - 1, 2):
        after[[i, i + 1]] = after[[i + 1, i]]
    return _two(names, before, names, after, interactions, meeting, seed)


def takeover(
    individuals: int = 10,
    interactions: tuple[int, int] = (2000, 2000),
    *,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Scenario 3A: an immigrant becomes alpha, and the former alpha drops to the last rank.

    Examples
    --------
    >>> truth, data = takeover(seed=1)
    >>> len(data), truth.begin.tolist()
    (4000, [0, 2000])
    """
    names = names_of(individuals)
    if "immigrant" in names:
        raise ArgumentError(
            '"immigrant" is the name of the newcomer: use other names for residents.'
        )
    before = grid(len(names), spread)
    step = before[0] - before[1]
    after = before.copy()
    after[0] = before[-1] - step
    return _two(
        names,
        before,
        (*names, "immigrant"),
        np.append(after, before[0]),
        interactions,
        meeting,
        seed,
    )


def coalitionary_leap(
    individuals: int = 25,
    interactions: tuple[int, int] = (1000, 2000),
    *,
    groups: int = 5,
    leaping: int = 3,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Scenario 3B: one of several subgroups moves to the top ranks together.

    Examples
    --------
    >>> truth, data = coalitionary_leap(seed=1)
    >>> len(truth.individuals), len(data), truth.begin.tolist()
    (25, 3000, [0, 1000])
    """
    names = names_of(individuals)
    if whole_number("groups", groups, 2) > len(names):
        raise ArgumentError(f"groups={groups}: there are {len(names)} individuals.")
    if not 2 <= whole_number("leaping", leaping, 1) <= groups:
        raise ArgumentError(f"leaping={leaping}: only groups 2 to {groups} can move to the top.")
    before = grid(len(names), spread)
    parts = np.array_split(np.arange(len(names)), groups)
    order = [parts[leaping - 1], *(p for i, p in enumerate(parts) if i != leaping - 1)]
    after = np.empty(len(names))
    after[np.concatenate(order)] = before
    return _two(names, before, names, after, interactions, meeting, seed)


def mortality(
    individuals: int = 10,
    interactions: tuple[int, int, int] = (1000, 1000, 1000),
    *,
    removed: int = 2,
    shuffle_every: int = 50,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Scenario 3C: the highest-ranked die, ranks are unstable for a while, then stable again.

    During instability, the strengths of the survivors are permuted every `shuffle_every` contests;
    afterwards they return to their initial values. For the error among the survivors, use
    `rank_error(…, among=truth.present())`.

    Examples
    --------
    >>> truth, data = mortality(seed=1)
    >>> len(truth.individuals), len(truth.present()), len(data)
    (10, 8, 3000)
    """
    names = names_of(individuals)
    whole_number("removed", removed, 1)
    _numbers("interactions", interactions, 3)
    strength = dict(zip(names, grid(len(names), spread).tolist(), strict=True))
    survivors = {name: strength[name] for name in names[removed:]}
    return periods(
        [
            {"strengths": strength, "interactions": interactions[0]},
            {
                "strengths": survivors,
                "interactions": interactions[1],
                "shuffle_every": shuffle_every,
            },
            {"strengths": survivors, "interactions": interactions[2]},
        ],
        meeting=meeting,
        seed=seed,
    )


def _two(names, before, later, after, interactions, meeting, seed) -> tuple[Truth, Interactions]:
    """One stable hierarchy followed by another."""
    _numbers("interactions", interactions, 2)
    return periods(
        [
            {
                "strengths": dict(zip(names, before.tolist(), strict=True)),
                "interactions": interactions[0],
            },
            {
                "strengths": dict(zip(later, after.tolist(), strict=True)),
                "interactions": interactions[1],
            },
        ],
        meeting=meeting,
        seed=seed,
    )


def _numbers(name: str, value: Any, number: int) -> None:
    if not isinstance(value, tuple | list) or len(value) != number:
        raise ArgumentError(
            f"{name} must be {number} numbers of contests, one per period, not {value!r}."
        )
