"""Ranks at which newcomers enter a hierarchy, by a convention of the species.

In many societies the rank of a newcomer is known before its first contest. Daughters of hyenas and
many monkeys enter just below their mothers and above older sisters (maternal rank inheritance with
youngest ascendancy); immigrants queue by tenure; others rank by age or by a physical attribute
(Strauss & Holekamp 2019).

Ranks of a period given the ranks before it: Elo, David's scores, reordering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests
from peckorder.data.names import text_of
from peckorder.data.sources import open_sheet
from peckorder.data.win_counts import scores
from peckorder.errors import ArgumentError, DataError
from peckorder.kernels import percolation as kernel
from peckorder.ranks import strong
from peckorder.text import did_you_mean, option, option_name, quoted
from peckorder.validate import one_of

CONVENTIONS = ("none", "maternal", "tenure", "age", "attribute")
OLDEST = 1000  # ages above this are years of birth
NEEDED = {
    "maternal": "the mother",
    "tenure": "the date of joining the group (or presence data)",
    "age": "the date of birth, or the age",
    "attribute": "a measurement",
}


@dataclass(frozen=True, eq=False)
class Convention:
    """A convention with the traits it needs of each individual (by code).

    `mother` contains codes, −1 if unknown; `key` and `tie` are larger for individuals that rank
    higher, NaN if unknown.
    """

    name: str
    individuals: tuple[str, ...]
    mother: np.ndarray
    key: np.ndarray
    tie: np.ndarray
    source: str | None = None  # of the traits

    def sorted(self, codes: Sequence[int] | np.ndarray) -> list[int]:
        """Codes from the highest rank by convention down; equal ones in order of appearance."""
        unknown = [self.individuals[i] for i in codes if np.isnan(self.key[i])]
        if unknown:
            raise DataError(
                f"{option('convention', self.name)} needs a value for every individual, and "
                f"{option_name('traits')} has none for {quoted(unknown)}."
            )
        tie = np.nan_to_num(self.tie, nan=0.0)
        return sorted((int(i) for i in codes), key=lambda i: (-self.key[i], -tie[i], i))

    def litters(self, newcomers: Sequence[int]) -> list[tuple[int, list[int]]]:
        """Newcomers by mother, each litter from its highest rank down, mothers before daughters."""
        tie = np.nan_to_num(self.tie, nan=0.0)
        by_mother: dict[int, list[int]] = {}
        for code in newcomers:
            by_mother.setdefault(int(self.mother[code]), []).append(int(code))
        turn: list[int] = []
        waiting = [mother for mother in by_mother if mother >= 0]
        while waiting:
            pending = {code for mother in waiting for code in by_mother[mother]}
            ready = [mother for mother in waiting if mother not in pending]
            if not ready:
                circle = [self.individuals[mother] for mother in waiting]
                raise DataError(
                    f"{option_name('traits')}: {quoted(circle)} are each other's mothers."
                )
            turn += ready
            waiting = [mother for mother in waiting if mother not in ready]
        turn += [-1] if -1 in by_mother else []
        return [(m, sorted(by_mother[m], key=lambda i: (-tie[i], i))) for m in turn]


def read_convention(name: str, traits: Any, data: Contests) -> Convention:
    """The convention with its traits checked."""
    one_of("convention", name, CONVENTIONS)
    if name == "none" and traits is not None:
        raise ArgumentError(
            f"{option('traits')} needs a convention: {option('convention', 'maternal')}, tenure, "
            f"age or attribute."
        )
    if name == "none":
        return _convention(name, data, None, {})
    if traits is not None:
        pairs = {who: pair for who, pair in _pairs(traits).items() if who in data.individuals}
        found = _convention(name, data, "given", pairs)
        if name == "maternal" and (found.mother < 0).all():
            mothers = [value for value, _ in _pairs(traits).values()]
            raise DataError(
                f"{option_name('traits')}: none of the mothers is among the individuals: "
                f"{quoted(data.individuals)}.{did_you_mean(mothers, data.individuals)}"
            )
        return found
    if name == "tenure" and data.presence is not None:
        joined = {who: (data.presence.stints(who)[0][0], None) for who in data.individuals}
        return _convention(name, data, "from presence", joined)
    raise ArgumentError(
        f"{option('convention', name)} needs {option('traits')} with {NEEDED[name]} of every "
        f"individual."
    )


def _convention(
    name: str, data: Contests, source: str | None, pairs: dict[str, tuple[Any, Any]]
) -> Convention:
    """The convention with the value and the second value of some individuals."""
    size = len(data.individuals)
    code = {individual: i for i, individual in enumerate(data.individuals)}
    mother, key, tie = np.full(size, -1), np.full(size, np.nan), np.full(size, np.nan)
    for individual, (value, second) in pairs.items():
        i = code[individual]
        if second not in (None, ""):
            tie[i] = _number(second, individual)[0] * (-1 if name == "maternal" else 1)
        if value in (None, ""):
            continue
        if name == "maternal":
            mother[i] = code.get(str(value), -1)  # without contests her rank is unknown
            if mother[i] == i:
                raise DataError(f'{option_name("traits")}: "{individual}" is its own mother.')
        else:
            number, is_date = _number(value, individual)
            if name == "age" and not is_date and number >= OLDEST:
                raise DataError(
                    f'{option_name("traits")}: {value!r} of "{individual}" looks like a year of '
                    f"birth. Give an age, or a date such as 1998-01-01."
                )
            earlier = name == "tenure" or (name == "age" and is_date)
            key[i] = -number if earlier else number
    return Convention(name, data.individuals, mother, key, tie, source)


def _pairs(traits: Any) -> dict[str, tuple[Any, Any]]:
    """The value and second value of each individual."""
    if isinstance(traits, Mapping) and not any(
        isinstance(value, list | np.ndarray) for value in traits.values()
    ):
        pairs = ((name, v if isinstance(v, tuple) else (v, None)) for name, v in traits.items())
        return {str(name): (pair[0], pair[1]) for name, pair in pairs}
    sheet = open_sheet(traits)
    if len(sheet.columns) < 2:
        raise DataError(
            f"{sheet.name}: {option_name('traits')} needs a column of individuals and one of "
            f"values. Columns found: {quoted(sheet.columns)}."
        )
    names = text_of(sheet.column(sheet.columns[0])).to_list()
    columns = [sheet.column(column).to_list() for column in sheet.columns[1:3]]
    if len(columns) == 1:
        columns.append([None] * len(names))
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DataError(f"{sheet.name}: {quoted(twice)} appears more than once.")
    return dict(zip(names, zip(*columns, strict=True), strict=True))


def _number(value: Any, individual: str) -> tuple[float, bool]:
    """A number, or a date as a number of days; and whether it was a date."""
    try:
        return float(value), False
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        day = np.datetime64(value).astype("datetime64[D]")
    except ValueError:
        day = np.datetime64("NaT")
    if np.isnat(day):
        raise DataError(
            f'{option_name("traits")}: {value!r} of "{individual}" is neither a number nor a date '
            f"such as 2009-05-28."
        )
    return float(day.astype(np.int64)), True


def placed(
    order: list[int], newcomers: list[int], convention: Convention, history: list[list[int]]
) -> list[int]:
    """The order with newcomers at the places given by the convention."""
    if convention.name == "none":
        return order + newcomers
    if convention.name != "maternal":
        wanted = convention.sorted([*order, *newcomers])
        out = list(order)
        for place, code in enumerate(wanted):
            if code in newcomers:
                out.insert(place, code)
        return out
    out = list(order)
    for mother, litter in convention.litters(newcomers):
        at = below_mother(mother, out, history)
        out[at:at] = litter
    return out


def below_mother(mother: int, order: list[int], history: list[list[int]]) -> int:
    """The place just below the mother, or her last place if she has left; otherwise the end."""
    if mother in order:
        return order.index(mother) + 1
    for earlier in reversed(history):
        if mother in earlier:
            above = [code for code in earlier[: earlier.index(mother)] if code in order]
            return order.index(above[-1]) + 1 if above else 0
    return len(order)


LARGEST = 20  # individuals for an exact order: one number per subset, a million
PRIOR = 0.75  # prior probability that the higher-ranked of two wins
BELOW_MOTHER = 0.1  # rating points


@dataclass
class EloState:
    """Ratings continued from period to period, and the last ratings of those that left."""

    k: float
    delta: float
    rating: dict[int, float] = field(default_factory=dict)
    gone: dict[int, float] = field(default_factory=dict)

    def begin(self, order: list[int]) -> None:
        """Ratings one k apart along the initial order."""
        self.rating = {code: self.k * (len(order) - 1 - p) for p, code in enumerate(order)}

    def change_members(self, members: list[int], convention: Convention) -> None:
        """Remove individuals that left, and rate newcomers by the convention."""
        self.gone |= {code: own for code, own in self.rating.items() if code not in members}
        self.rating = {code: own for code, own in self.rating.items() if code in members}
        newcomers = [code for code in members if code not in self.rating]
        present = np.array(list(self.rating.values()))
        if not newcomers:
            return
        if convention.name == "maternal":
            for mother, litter in convention.litters(newcomers):
                known = {**self.gone, **self.rating}
                start = known.get(mother, min(self.rating.values(), default=0.0))
                for n, code in enumerate(litter):
                    self.rating[code] = start - BELOW_MOTHER * (n + 1)
        elif convention.name == "none":
            mean = float(present.mean()) if len(present) else 0.0
            self.rating |= dict.fromkeys(newcomers, mean)
        elif len(present) == 0:
            self.begin(convention.sorted(members))
        else:
            wanted = convention.sorted(members)
            for code in newcomers:
                share = 1 - wanted.index(code) / max(len(members) - 1, 1)
                self.rating[code] = float(np.quantile(present, share))

    def rate(self, winner: np.ndarray, loser: np.ndarray, draw: np.ndarray) -> None:
        """Update the ratings contest by contest."""
        curve = Exponential(self.delta)
        for i, j, drawn in zip(winner.tolist(), loser.tolist(), draw.tolist(), strict=True):
            gain = self.k * ((0.5 if drawn else 1.0) - curve(self.rating[i] - self.rating[j]))
            self.rating[i] += gain
            self.rating[j] -= gain


def informed_chances(score: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """D_ij = P_ij − (P_ij − prior_ij)/(n_ij + 1): the prior has the weight of one contest."""
    n = score + score.T
    share = np.divide(score, n, out=np.zeros_like(score), where=n > 0)
    chance = share - (share - prior) / (n + 1)
    np.fill_diagonal(chance, 0.0)
    return chance


def prior_of_order(size: int) -> np.ndarray:
    """Prior probabilities by place in an order: ¾ for the higher-ranked."""
    prior = np.full((size, size), 1 - PRIOR)
    prior[np.triu_indices(size, 1)] = PRIOR
    return prior


def normalized_scores(chance: np.ndarray) -> np.ndarray:
    """Normalized David's scores of a matrix of probabilities."""
    return scores(chance)["normds"]


def reordered(dominates: np.ndarray) -> tuple[np.ndarray, int, bool]:
    """The order closest to the present one (0, 1, 2, …) among those with fewest inconsistencies.

    The closest order reverses the fewest dyads. Returns the order, its number of inconsistencies
    and whether it is proved optimal. In each dyad one individual is preferred above the other, by
    its dominance in the period or else by the present order; strongly connected components of
    this relation are ordered one by one.
    """
    size = len(dominates)
    if size == 0:  # a period in which nobody was present
        return np.zeros(0, np.int64), 0, True
    decided = dominates | dominates.T
    above = dominates | (~decided & np.triu(np.ones((size, size), bool), 1))
    turned = float(size * size)  # an inconsistency outweighs all reversed dyads
    penalty = np.where(dominates, turned, 0.0) + np.triu(np.ones((size, size)), 1)
    order: list[int] = []
    proved = True
    for members in strong(above):
        inside = np.ascontiguousarray(penalty[np.ix_(members, members)])
        exact = len(members) <= LARGEST
        best = _by_subsets(inside) if exact else _by_insertions(inside)
        order += members[best].tolist()
        proved &= exact
    place = np.argsort(order)
    inconsistent = dominates & (place[:, None] > place[None, :])
    return np.array(order), int(inconsistent.sum()), proved


def _by_subsets(penalty: np.ndarray) -> list[int]:
    """The best order by dynamic programming; of equal ones, the lowest keep the lowest ranks."""
    size = len(penalty)
    if size == 1:
        return [0]
    least = np.empty(1 << size)
    kernel.least_penalties(penalty, least)
    subset, order = (1 << size) - 1, []
    while subset:
        members = [v for v in range(size) if subset >> v & 1]
        last = next(
            v
            for v in reversed(members)
            if least[subset ^ (1 << v)] + penalty[v, members].sum() == least[subset]
        )
        order.append(last)
        subset ^= 1 << last
    return order[::-1]


def _by_insertions(penalty: np.ndarray) -> list[int]:
    """A good order: repeat the best move of one individual until no move improves it."""
    order = list(range(len(penalty)))
    while True:
        best, move = 0.0, None
        for p, code in enumerate(order):
            # Moving below y adds the penalty of being below y and removes that of y below.
            step = penalty[code, order] - penalty[order, code]
            down = np.cumsum(step[p + 1 :])
            up = np.cumsum(-step[:p][::-1])
            for change, way in ((down, 1), (up, -1)):
                if len(change) and change.min() < best:
                    best, move = float(change.min()), (p, p + way * (int(change.argmin()) + 1))
        if move is None:
            return order
        order.insert(move[1], order.pop(move[0]))
