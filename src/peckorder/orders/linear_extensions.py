"""Linear extensions of a partial order: their number, and the distribution of places in them.

The partial order is decomposed recursively. Parts without relations between them are interleaved,
and parts of which one is entirely above the other are concatenated. Parts that cannot be decomposed
are counted over their upper sets (sets that contain all items above their members). Few upper sets
are counted with integers of arbitrary size; otherwise, up to 24 items are counted by a compiled
loop over all subsets. For larger parts, the number is bounded from below and places are estimated
by a random walk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np

from peckorder.kernels import orders as kernel
from peckorder.ranks import linked

FEW_SETS = 20_000
LARGEST = 24
WALKS, STEPS = 4, 4_000_000
TRUSTED = 0.1  # largest standard error of a reported mean place
NO_RELATIONS = np.zeros(LARGEST, np.int64)


@dataclass(frozen=True)
class Extensions:
    """The linear extensions of some items."""

    items: np.ndarray  # codes of the items
    number: int  # number of orders; a lower bound unless `exact`
    place: np.ndarray  # place[i, t], the proportion of orders in which item i has t items above it
    weight: np.ndarray  # weight[i, t], the same times the mean weight of these t items
    total: float
    exact: bool = True

    @property
    def before(self) -> np.ndarray:
        """Mean weight above each item, in the order of their codes."""
        return self.weight.sum(axis=1)[np.argsort(self.items)]

    def then(self, below: Extensions) -> Extensions:
        """Concatenate these items with others below them."""
        above = len(self.items)
        place, weight = np.zeros((2, above + len(below.items), above + len(below.items)))
        place[:above, :above], weight[:above, :above] = self.place, self.weight
        place[above:, above:] = below.place
        weight[above:, above:] = below.weight + self.total * below.place
        return Extensions(
            np.concatenate([self.items, below.items]),
            self.number * below.number,
            place,
            weight,
            self.total + below.total,
            self.exact and below.exact,
        )

    def beside(self, other: Extensions, weights: np.ndarray) -> Extensions:
        """Interleave these items with others that have no relation to them."""
        one, two = self._shuffled_with(other, weights), other._shuffled_with(self, weights)
        size = len(self.items) + len(other.items)
        return Extensions(
            np.concatenate([self.items, other.items]),
            self.number * other.number * math.comb(size, len(self.items)),
            np.vstack([one[0], two[0]]),
            np.vstack([one[1], two[1]]),
            self.total + other.total,
            self.exact and other.exact,
        )

    def _shuffled_with(self, other: Extensions, weights: np.ndarray) -> list[np.ndarray]:
        own, more = len(self.items), len(other.items)
        # Mean weight of the first m other items, m = 0 … more.
        first = weights[other.items] @ np.cumsum(other.place, axis=1)
        first = np.concatenate([[0.0], first])
        place, weight = np.zeros((2, own, own + more))
        log = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, own + more + 1)))])
        t = np.arange(own)
        for m in range(more + 1):
            # Proportion of interleavings with m other items before the item at place t.
            ways = log[t + m] - log[t] - log[m]
            ways += log[own - 1 - t + more - m] - log[own - 1 - t] - log[more - m]
            share = np.exp(ways - (log[own + more] - log[own] - log[more]))
            place[:, m : m + own] += share * self.place
            weight[:, m : m + own] += share * (self.weight + first[m] * self.place)
        return [place, weight]


def extensions(above: np.ndarray, weight: np.ndarray, seed: int = 0) -> Extensions:
    """Linear extensions of the partial order in which i is above j if `above[i, j]` (no cycles)."""
    closed = above.copy()
    for k in range(len(above)):
        closed |= closed[:, k : k + 1] & closed[k]
    return _of(np.arange(len(above)), closed, weight.astype(float), seed)


def _of(items: np.ndarray, above: np.ndarray, weight: np.ndarray, seed: int) -> Extensions:
    if len(items) == 1:
        return Extensions(items, 1, np.ones((1, 1)), np.zeros((1, 1)), float(weight[items[0]]))
    related = above[np.ix_(items, items)]
    parts = [items[own] for own in linked(related)]
    if len(parts) > 1:
        found = [_of(own, above, weight, seed) for own in parts]
        while len(found) > 1:  # join the smallest two first to keep the arrays small
            found.sort(key=lambda part: -len(part.items))
            found.append(found.pop().beside(found.pop(), weight))
        return found[0]
    parts = [items[own] for own in linked(~(related | related.T))]
    if len(parts) > 1:
        parts.sort(key=lambda own: -above[np.ix_(own, items)].sum() / len(own))
        return reduce(Extensions.then, (_of(own, above, weight, seed) for own in parts))
    own = weight[items]
    must = [sum(1 << int(i) for i in np.flatnonzero(column)) for column in related.T]
    number, place, heavy, exact = (
        _by_whole_numbers(must, own)
        or (_by_subsets(must, own) if len(items) <= LARGEST else None)
        or _by_walk(related, own, seed)
    )
    return Extensions(items, number, place, heavy, float(own.sum()), exact)


Counted = tuple[int, np.ndarray, np.ndarray, bool]


def _by_whole_numbers(must: list[int], weight: np.ndarray) -> Counted | None:
    layers: list[dict[int, int]] = [{0: 1}]
    sets = 1
    for _ in must:
        ways: dict[int, int] = {}
        for top, number in layers[-1].items():
            for v in _next(top, must):
                ways[top | 1 << v] = ways.get(top | 1 << v, 0) + number
        sets += len(ways)
        if sets > FEW_SETS:
            return None
        layers.append(ways)
    whole = next(iter(layers[-1].values()))
    onward = {(1 << len(must)) - 1: 1}
    place, heavy = np.zeros((2, len(must), len(must)))
    for t in range(len(must) - 1, -1, -1):
        earlier: dict[int, int] = {}
        for top, number in layers[t].items():
            own = sum(weight[v] for v in range(len(must)) if top >> v & 1)
            for v in _next(top, must):
                share = number * onward[top | 1 << v] / whole
                place[v, t] += share
                heavy[v, t] += share * own
                earlier[top] = earlier.get(top, 0) + onward[top | 1 << v]
        onward = earlier
    return whole, place, heavy, True


def _next(top: int, must: list[int]) -> list[int]:
    """Items that may follow directly below an upper set."""
    return [v for v, need in enumerate(must) if not top >> v & 1 and not need & ~top]


def _by_subsets(must: list[int], weight: np.ndarray) -> Counted:
    size = len(must)
    marked = np.zeros(1 << size, np.bool_)
    kernel.mark_closed(np.array(must, np.int64), marked)
    free = NO_RELATIONS[:size]
    counts = best_orders(free, free, np.zeros(1 << size, np.int32), marked, weight)
    return *counts, True


def best_orders(
    beats: np.ndarray,
    beaten_by: np.ndarray,
    cost: np.ndarray,
    marked: np.ndarray,
    weight: np.ndarray,
) -> tuple[int, np.ndarray, np.ndarray]:
    """Number of orders of minimum cost through marked subsets, places, and weights above."""
    low, high = np.zeros(marked.size, np.uint64), np.zeros(marked.size, np.uint64)
    kernel.count_orders(beats, beaten_by, cost, marked, low, high)
    number = int(low[-1]) + (int(high[-1]) << 64)
    ways = low.view(np.float64)  # in place, because these arrays are the largest
    kernel.as_floats(marked, low, high, ways)
    del high
    place, heavy = np.zeros((2, len(beats), len(beats)))
    onward = np.zeros(marked.size)
    kernel.mean_places(beats, beaten_by, cost, marked, weight, ways, onward, place, heavy)
    return number, place, heavy


def _by_walk(above: np.ndarray, weight: np.ndarray, seed: int) -> Counted:
    """A lower bound of the number of orders, and places estimated by random walks."""
    size = len(above)
    level = np.zeros(size, np.int64)
    for _ in range(size):
        level = np.max(np.where(above, level[:, None] + 1, 0), axis=0, initial=0)
    at_least = math.prod(math.factorial(int(number)) for number in np.bincount(level))
    place, heavy = np.zeros((2, WALKS, size, size))
    for walk in range(WALKS):
        # Half of the walks start with the items of each level in reverse order.
        order = np.lexsort(((-1) ** walk * np.arange(size), level))
        kernel.wander(np.uint64(seed), walk, order, above, weight, STEPS, place[walk], heavy[walk])
    error = heavy.sum(axis=2).std(axis=0, ddof=1) / math.sqrt(WALKS)
    mean = heavy.mean(axis=0)
    mean[error > TRUSTED] = np.nan
    return at_least, place.mean(axis=0), mean, False
