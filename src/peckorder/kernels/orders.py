"""Best orders of a set by dynamic programming over its subsets.

A subset is a whole number whose bits say who stands in the top places. An order is built from the
top; `cost` holds, for each subset, what its best arrangement costs: inconsistencies, then the sum
of their rank differences, as one number. Both are sums over placements: who is placed at place p
below a others that it dominates, with b that dominate it still to come, adds a inconsistencies
and p·(a − b) to the sum of rank differences.
"""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.random import begin, below

INCONSISTENCY = 1 << 15  # outweighs any sum of rank differences among 24
U1 = np.uint64(1)


@compiled
def ones(x):
    """Number of bits set in a 32-bit number."""
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) & 0xFFFFFFFF) >> 24


@compiled
def placing(v, above, place, beats, beaten_by):
    """Cost of placing v below the subset `above`."""
    a = ones(beats[v] & above)
    b = ones(beaten_by[v] & ~above & 0xFFFFFFFF)
    return a * INCONSISTENCY + place * (a - b)


@compiled
def cheapest(first, last, beats, beaten_by, cost):
    """Fill in the cost of the subsets from `first` to before `last`, smaller ones being known."""
    size = beats.size
    for subset in range(max(first, 1), last):
        place = ones(subset) - 1
        least = np.int64(1 << 40)
        for v in range(size):
            if (subset >> v) & 1:
                above = subset ^ (1 << v)
                total = cost[above] + placing(v, above, place, beats, beaten_by)
                if total < least:
                    least = total
        cost[subset] = least


@compiled
def mark_best(beats, beaten_by, cost, marked):
    """Mark the subsets that head some best order of all."""
    size = beats.size
    marked[marked.size - 1] = True
    for subset in range(marked.size - 1, 0, -1):
        if not marked[subset]:
            continue
        place = ones(subset) - 1
        for v in range(size):
            if (subset >> v) & 1:
                above = subset ^ (1 << v)
                if cost[above] + placing(v, above, place, beats, beaten_by) == cost[subset]:
                    marked[above] = True


@compiled
def mark_closed(predecessors, marked):
    """Mark the subsets that hold everybody who must stand above one of their members."""
    for subset in range(marked.size):
        closed = True
        for v in range(predecessors.size):
            if (subset >> v) & 1 and predecessors[v] & ~subset:
                closed = False
                break
        marked[subset] = closed


@compiled
def count_orders(beats, beaten_by, cost, marked, low, high):
    """Number of best arrangements of each marked subset, as two 64-bit words."""
    size = beats.size
    low[0] = U1
    for subset in range(1, marked.size):
        if not marked[subset]:
            continue
        place = ones(subset) - 1
        for v in range(size):
            above = subset ^ (1 << v)
            if (
                (subset >> v) & 1
                and marked[above]
                and cost[above] + placing(v, above, place, beats, beaten_by) == cost[subset]
            ):
                total = low[subset] + low[above]
                carry = U1 if total < low[above] else np.uint64(0)
                low[subset] = total
                high[subset] += high[above] + carry


@compiled
def as_floats(marked, low, high, ways):
    """The same numbers as floats, which may share the memory of `low`."""
    for subset in range(marked.size):
        if marked[subset]:
            ways[subset] = float(low[subset]) + float(high[subset]) * 18446744073709551616.0


@compiled
def mean_places(beats, beaten_by, cost, marked, weight, ways, onward, place, heavy):
    """Share of best orders in which each member has each place, and the weight above it there.

    `ways` counts arrangements of a subset, `onward` those of the rest below it.
    """
    size = beats.size
    whole = ways[marked.size - 1]
    onward[marked.size - 1] = 1.0
    for subset in range(marked.size - 1, 0, -1):
        if not marked[subset]:
            continue
        at = ones(subset) - 1
        total = 0.0
        for v in range(size):
            if (subset >> v) & 1:
                total += weight[v]
        for v in range(size):
            above = subset ^ (1 << v)
            if (
                (subset >> v) & 1
                and marked[above]
                and cost[above] + placing(v, above, at, beats, beaten_by) == cost[subset]
            ):
                share = ways[above] / whole * onward[subset]
                place[v, at] += share
                heavy[v, at] += share * (total - weight[v])
                onward[above] += onward[subset]


@compiled
def wander(key, walk, order, above, weight, steps, place, heavy):
    """The same over a random walk on the orders that respect `above`.

    One item after another is taken out and put back at random wherever nothing forbids it, which
    visits all orders equally often in the long run; the first tenth of the steps is left out.
    """
    size = order.size
    random = np.empty(4, np.uint64)
    begin(random, key, walk)
    seen = 0
    for step in range(steps):
        at = below(random, size)
        item = order[at]
        highest, lowest = at, at
        while highest > 0 and not above[order[highest - 1], item]:
            highest -= 1
        while lowest < size - 1 and not above[item, order[lowest + 1]]:
            lowest += 1
        to = highest + below(random, lowest - highest + 1)
        while at < to:
            order[at] = order[at + 1]
            at += 1
        while at > to:
            order[at] = order[at - 1]
            at -= 1
        order[to] = item
        if 10 * step >= steps and step % size == 0:
            seen += 1
            total = 0.0
            for t in range(size):
                place[order[t], t] += 1.0
                heavy[order[t], t] += total
                total += weight[order[t]]
    place /= seen
    heavy /= seen
