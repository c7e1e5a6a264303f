"""A long record of a group with a known truth: arrivals, departures, drift and takeovers.

Strengths are on the natural scale and stationary: newcomers come from a normal distribution, and
each strength changes a little every month in such a way that the distribution stays the same (an
autoregressive process). At some dates, all known, the strongest individual and one of the lower
half exchange strengths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.checked import finite, seed_number, whole_number
from peckorder.data.interactions import Interactions
from peckorder.data.presence import Presence
from peckorder.errors import ArgumentError
from peckorder.simulation.hierarchies import Setting, natural
from peckorder.simulation.truth import Truth

YEAR, MONTH = 365.25, 365.25 / 12
VACANT = 90.0  # mean number of days until a place in the group is taken again
FIRST_DAY = np.datetime64("1990-01-01")


def long_term(
    individuals: int = 12,
    interactions: int = 1800,
    *,
    years: int = 30,
    stay: float = 8.0,
    takeovers: int = 5,
    drift: float = 0.3,
    spread: float = 2.0,
    meeting: Any = "equal",
    seed: Any = None,
) -> tuple[Truth, Interactions]:
    """Simulate a long record: arrivals, departures, slow change, and takeovers at known dates.

    Parameters
    ----------
    individuals : int
        Places in the group. A place that becomes free is taken by a newcomer after 90 days on
        average.
    interactions : number of contests, on random days of all years.
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
    (Truth, Interactions)
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
    whole_number("interactions", interactions, 1)
    days = round(whole_number("years", years, 1, 1000) * YEAR)
    whole_number("takeovers", takeovers, 0, 12 * years)
    for name, value in (("stay", stay), ("spread", spread)):
        if finite(name, value) <= 0:
            raise ArgumentError(f"{name}={value!r}: give a number above 0.")
    if not 0 <= finite("drift", drift) < spread:
        raise ArgumentError(f"drift={drift!r}: give a number from 0 to below the spread, {spread}.")
    seed = seed_number(seed)
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    group = Group.of(individuals, days, stay * YEAR, random)
    part = days / max(takeovers, 1)
    changes = np.floor(part * (np.arange(takeovers) + random.uniform(0.25, 0.75, takeovers)))
    begins = group.boundaries(changes.astype(int))
    rows = group.strengths(begins, changes, drift, spread, random)
    dates = _contest_days(begins, rows, days, interactions, random)
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
        interactions,
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
