"""Best orders of a set by dynamic programming over its subsets.

A subset is a whole number whose bits say who stands in the top places. An order is built from the
top; `cost` holds, for each subset, what its best arrangement costs: inconsistencies, then the sum
of their rank differences, as one number. Both are sums over placements: who is placed at place p
below a others that it dominates, with b that dominate it still to come, adds a inconsistencies
and p·(a − b) to the sum of rank differences.

Search for an order with few and weak inconsistencies, one insertion after another.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy
from peckorder.kernels.random import begin, below, uniform

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


# Where the tally of a search keeps the cost of the present and of the best order, and the number
# of kicks since the best one was found.
PRESENT, BEST, FRUITLESS = 0, 1, 2
KICKED = 3  # individuals moved by a kick, at the most
BLOCK = 40  # length of a block that a kick moves, at the most
PATIENCE = 20  # one in so many worse orders is accepted


@compiled
def weigh(edge, order, weight, pull):
    """Cost of an order, counted afresh; fills `pull`, by place."""
    cost = np.int64(0)
    for p in range(order.size):
        pull[p] = 0
        for q in range(order.size):
            relation = edge[order[p], order[q]]
            if q < p and relation == 1:
                cost += weight + p - q
                pull[p] -= 1
            elif q > p and relation == -1:
                pull[p] += 1
    return cost


@compiled
def insert(edge, order, pull, p, q):
    """Move the holder of place p to place q; those between shift by one."""
    x = order[p]
    own = pull[p]
    step = 1 if q > p else -1
    while p != q:
        y = order[p + step]
        known = abs(edge[x, y]) * step
        order[p] = y
        pull[p] = pull[p + step] + known
        own -= known
        p += step
    order[q] = x
    pull[q] = own


@compiled
def price(edge, order, pull, p, q, weight):
    """What moving the holder of place p to place q changes the cost by."""
    x = order[p]
    own = pull[p]
    change = np.int64(0)
    step = 1 if q > p else -1
    while p != q:
        p += step
        relation = np.int64(edge[x, order[p]])
        known = abs(relation)
        change += (weight * relation + pull[p] - own) * step + known
        own -= known * step
    return change


@compiled
def best_insertion(edge, order, pull, p, weight):
    """Where the holder of place p does best, and what the cost changes by when it goes there."""
    x = order[p]
    best, place = np.int64(0), p
    for step in (1, -1):
        own = pull[p]
        change = np.int64(0)
        q = p + step
        while 0 <= q < order.size:
            relation = np.int64(edge[x, order[q]])
            known = abs(relation)
            change += (weight * relation + pull[q] - own) * step + known
            own -= known * step
            if change < best:
                best, place = change, q
            q += step
    return place, best


@compiled
def settle(edge, order, pull, weight, p, cost):
    """Insert whoever gains by it, from place p on and round again, until nobody does.

    Returns the cost reached and the number of individuals looked at.
    """
    looked, idle = 0, 0
    while idle < order.size:
        place, change = best_insertion(edge, order, pull, p, weight)
        looked += 1
        if change < 0:
            insert(edge, order, pull, p, place)
            cost += change
            idle = 0
        else:
            idle += 1
        p = p + 1 if p + 1 < order.size else 0
    return cost, looked


@compiled
def kick(edge, order, pull, weight, random, cost):
    """Move a few individuals, or a block of them, anywhere; returns the new cost."""
    size = order.size
    if below(random, 2) == 0:
        for _ in range(1 + below(random, KICKED)):
            p, q = below(random, size), below(random, size)
            cost += price(edge, order, pull, p, q, weight)
            insert(edge, order, pull, p, q)
        return cost
    length = 2 + below(random, min(BLOCK, size - 2))
    begin = below(random, size - length + 1)
    target = below(random, size - length + 1)
    for _ in range(length):
        # The block goes one by one, its near end first, so that it keeps its order.
        p, q = (begin, target + length - 1) if target > begin else (begin + length - 1, target)
        cost += price(edge, order, pull, p, q, weight)
        insert(edge, order, pull, p, q)
    return cost


@compiled
def search(edge, order, best, pull, weight, random, tally, effort):
    """Kick and settle until `effort` individuals were looked at; keeps the best order in `best`."""
    kept, kept_pull = order.copy(), pull.copy()
    while effort > 0:
        cost = kick(edge, order, pull, weight, random, tally[PRESENT])
        cost, looked = settle(edge, order, pull, weight, below(random, order.size), cost)
        effort -= looked + 2
        tally[FRUITLESS] += 1
        # Now and then a slightly worse order is taken, to get away from where all kicks lead back.
        if cost <= tally[PRESENT] or (
            cost <= tally[BEST] + 2 * weight and below(random, PATIENCE) == 0
        ):
            tally[PRESENT] = cost
            copy(kept, order)
            copy(kept_pull, pull)
            if cost < tally[BEST]:
                tally[BEST] = cost
                tally[FRUITLESS] = 0
                copy(best, order)
        else:
            copy(order, kept)
            copy(pull, kept_pull)


@compiled
def simmer(edge, order, pull, cold, cold_strength, random, moves):
    """Put random individuals at random places, the better ones likelier (a heat bath).

    The chance of a place is proportional to exp(−cold × number − cold_strength × strength).
    """
    size = order.size
    chance = np.empty(size)
    for _ in range(moves):
        p = below(random, size)
        x = order[p]
        chance[p] = 0.0
        least = 0.0
        for step in (1, -1):
            own = pull[p]
            change = 0.0
            q = p + step
            while 0 <= q < size:
                relation = np.int64(edge[x, order[q]])
                known = abs(relation)
                change += cold * relation * step
                change += cold_strength * ((pull[q] - own) * step + known)
                own -= known * step
                chance[q] = change
                least = min(least, change)
                q += step
        total = 0.0
        for q in range(size):
            worse = chance[q] - least
            chance[q] = math.exp(-worse) if worse < 30.0 else 0.0
            total += chance[q]
        rest = total * uniform(random) - chance[0]
        q = 0
        while rest > 0.0 and q + 1 < size:
            q += 1
            rest -= chance[q]
        insert(edge, order, pull, p, q)


@compiled
def cheapest_paths(price, distance, before):
    """Lengths of the shortest paths between all, and who comes last but one on each (Dijkstra)."""
    size = price.shape[0]
    for source in range(size):
        done = np.zeros(size, np.bool_)
        for i in range(size):
            distance[source, i] = np.inf
            before[source, i] = -1
        distance[source, source] = 0.0
        for _ in range(size):
            u, least = -1, np.inf
            for i in range(size):
                if not done[i] and distance[source, i] < least:
                    u, least = i, distance[source, i]
            if u < 0:
                break
            done[u] = True
            for v in range(size):
                if least + price[u, v] < distance[source, v]:
                    distance[source, v] = least + price[u, v]
                    before[source, v] = u
