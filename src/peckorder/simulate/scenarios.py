"""The scenarios of Goffe, Fischer & Sennhenn-Reulen (2018), section 3.

Strengths are on the natural scale: a difference Δ wins with probability 1/(1 + e^(−Δ)).

A long record of a group with a known truth: arrivals, departures, drift and takeovers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.presence import Presence
from peckorder.errors import ArgumentError
from peckorder.simulate.hierarchies import Setting, grid, hierarchy, names_of, natural, periods
from peckorder.simulate.truth import Truth
from peckorder.validate import finite, positive, seed_number, whole_number


def high_dimensional(
    individuals: int = 44,
    contests: int = 1000,
    *,
    spread: float = 2.62,
    meeting: Any = "by_closeness",
    seed: Any = None,
) -> tuple[Truth, Contests]:
    """Scenario 1: many individuals, few contests, strengths from a normal distribution.

    >>> truth, data = high_dimensional(seed=1)
    >>> len(data), len(truth.individuals)
    (1000, 44)
    """
    return hierarchy(
        individuals, contests, strengths="normal", spread=spread, meeting=meeting, seed=seed
    )


def unbalanced(
    individuals: int = 10,
    contests: tuple[int, int] = (2000, 2000),
    *,
    spread: float = 6.0,
    meeting: Any = ("by_rank", "by_closeness"),
    seed: Any = None,
) -> tuple[Truth, Contests]:
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
    return _two(names, before, names, after, contests, meeting, seed)


def takeover(
    individuals: int = 10,
    contests: tuple[int, int] = (2000, 2000),
    *,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Contests]:
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
    newcomer = (*names, "immigrant"), np.append(after, before[0])
    return _two(names, before, *newcomer, contests, meeting, seed)


def coalitionary_leap(
    individuals: int = 25,
    contests: tuple[int, int] = (1000, 2000),
    *,
    groups: int = 5,
    leaping: int = 3,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Contests]:
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
    return _two(names, before, names, after, contests, meeting, seed)


def mortality(
    individuals: int = 10,
    contests: tuple[int, int, int] = (1000, 1000, 1000),
    *,
    removed: int = 2,
    shuffle_every: int = 50,
    spread: float = 6.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Contests]:
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
    _numbers("contests", contests, 3)
    strength = dict(zip(names, grid(len(names), spread).tolist(), strict=True))
    survivors = {name: strength[name] for name in names[removed:]}
    each = [
        {"strengths": strength, "contests": contests[0]},
        {"strengths": survivors, "contests": contests[1], "shuffle_every": shuffle_every},
        {"strengths": survivors, "contests": contests[2]},
    ]
    return periods(each, meeting=meeting, seed=seed)


def _two(names, before, later, after, contests, meeting, seed) -> tuple[Truth, Contests]:
    """One stable hierarchy followed by another."""
    _numbers("contests", contests, 2)
    strengths = (
        dict(zip(names, before.tolist(), strict=True)),
        dict(zip(later, after.tolist(), strict=True)),
    )
    each = [{"strengths": s, "contests": n} for s, n in zip(strengths, contests, strict=True)]
    return periods(each, meeting=meeting, seed=seed)


def _numbers(name: str, value: Any, number: int) -> None:
    if not isinstance(value, tuple | list) or len(value) != number:
        raise ArgumentError(
            f"{name} must be {number} numbers of contests, one per period, not {value!r}."
        )


YEAR, MONTH = 365.25, 365.25 / 12
VACANT = 90.0  # mean number of days until a place in the group is taken again
FIRST_DAY = np.datetime64("1990-01-01")


def long_term(
    individuals: int = 12,
    contests: int = 1800,
    *,
    years: int = 30,
    stay: float = 8.0,
    takeovers: int = 5,
    drift: float = 0.3,
    spread: float = 2.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Contests]:
    """Simulate a long record: arrivals, departures, slow change, and takeovers at known dates.

    Parameters
    ----------
    individuals : int
        Places in the group. A place that becomes free is taken by a newcomer after 90 days on
        average.
    contests : number of contests, on random days of all years.
    years : int, from 1 January 1990 on.
    stay : mean stay of an individual in years (exponential distribution).
    takeovers : int
        Dates on which the strongest individual and one of the lower half exchange strengths: one
        in each of so many equal parts of the record, in its middle half.
    drift : standard deviation of the change of a strength within a year, approximately.
    spread : standard deviation of strengths, on the natural scale.
    meeting, seed : as in `hierarchy`.

    Returns
    -------
    (Truth, Contests)
        The data include dates and presence. `truth.tenure()` lists who was strongest when, and
        `truth.takeovers` the dates of takeovers.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.long_term(8, 400, years=10, takeovers=2, seed=1)
    >>> len(data), data.presence is not None, len(truth.takeovers)
    (400, True, 2)
    >>> truth.tenure().columns
    ['individual', 'start', 'end', 'days']
    """
    whole_number("individuals", individuals, 4)
    whole_number("contests", contests, 1)
    days = round(whole_number("years", years, 1, 1000) * YEAR)
    whole_number("takeovers", takeovers, 0, 12 * years)
    for name, value in (("stay", stay), ("spread", spread)):
        positive(name, value)
    if not 0 <= finite("drift", drift) < spread:
        raise ArgumentError(f"drift={drift!r}: give a number from 0 to below the spread, {spread}.")
    seed = seed_number(seed)
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    group = Group.of(individuals, days, stay * YEAR, random)
    part = days / max(takeovers, 1)
    changes = np.floor(part * (np.arange(takeovers) + random.uniform(0.25, 0.75, takeovers)))
    begins = group.boundaries(changes.astype(int))
    rows = group.strengths(begins, changes, drift, spread, random)
    dates = _contest_days(begins, rows, days, contests, random)
    period = np.searchsorted(begins, dates, side="right") - 1
    numbers = np.bincount(period, minlength=len(begins))
    some = np.flatnonzero(numbers)
    made = Setting(meeting, 1.0, natural(None), 0.0, None)
    stretches = [(int(numbers[p]), rows[p]) for p in some]
    _, data = made.simulate(group.names, stretches, seed, None)
    place = [group.names.index(name) for name in data.individuals]
    stints = Presence(
        data.individuals, FIRST_DAY + group.first[place], FIRST_DAY + group.last[place]
    )
    truth = Truth(
        data.individuals,
        np.concatenate([[0], numbers.cumsum()[:-1]]),
        rows[:, place],
        contests,
        dates=FIRST_DAY + np.append(begins, days),
        takeovers=tuple((FIRST_DAY + changes.astype(int)).tolist()),
    )
    return truth, replace(data, date=FIRST_DAY + dates).with_presence(stints)


@dataclass(frozen=True, eq=False)
class Group:
    """Who is there when: the first and the last day of each individual, by day of arrival."""

    first: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, places: int, days: int, stay: float, random: np.random.Generator) -> Group:
        """Each place is held by one individual after the other."""
        stays = []
        for _ in range(places):
            day = 0
            while day < days:
                length = 1 + int(random.exponential(stay))
                stays.append((day, min(day + length, days) - 1))
                day += length + int(random.exponential(VACANT))
        first, last = np.array(sorted(stays)).T
        return cls(first, last)

    @property
    def names(self) -> tuple[str, ...]:
        """Numbered names, in order of arrival."""
        width = max(2, len(str(len(self.first))))
        return tuple(f"i{i:0{width}d}" for i in range(1, len(self.first) + 1))

    def boundaries(self, changes: np.ndarray) -> np.ndarray:
        """Days on which strengths or the composition of the group change, from 0 on."""
        days = self.last.max() + 1
        months = np.floor(np.arange(0, days, MONTH)).astype(int)
        found = np.unique(np.concatenate([months, changes, self.first, self.last + 1]))
        return found[found < days]

    def strengths(
        self,
        begins: np.ndarray,
        changes: np.ndarray,
        drift: float,
        spread: float,
        random: np.random.Generator,
    ) -> np.ndarray:
        """Strengths from each of these days on; NaN for those who are absent."""
        months = {int(day) for day in np.floor(np.arange(0, begins[-1] + 1, MONTH))} - {0}
        step = drift / np.sqrt(12)
        kept = np.sqrt(1 - (step / spread) ** 2)
        now = random.normal(0.0, spread, len(self.first))
        out = np.full((len(begins), len(now)), np.nan)
        for row, day in zip(out, begins, strict=True):
            here = np.flatnonzero((self.first <= day) & (self.last >= day))
            if int(day) in months:
                now[here] = kept * now[here] + random.normal(0.0, step, len(here))
            if day in changes and len(here) > 1:
                order = here[np.argsort(-now[here])]
                pair = [order[0], random.choice(order[(len(order) + 1) // 2 :])]
                now[pair] = now[pair[::-1]]
            row[here] = now[here]
        return out


def _contest_days(
    begins: np.ndarray, rows: np.ndarray, days: int, number: int, random: np.random.Generator
) -> np.ndarray:
    """Days of the contests, ascending: random ones of those with two individuals or more."""
    present = (~np.isnan(rows)).sum(axis=1)
    period = np.searchsorted(begins, np.arange(days), side="right") - 1
    possible = np.flatnonzero(present[period] > 1)
    if len(possible) == 0:
        raise ArgumentError("Nobody ever meets: use a longer stay or more individuals.")
    return np.sort(random.choice(possible, number))
