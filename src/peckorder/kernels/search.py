"""Search for an order with few and weak inconsistencies, one insertion after another.

`edge[x, y]` is 1 where x dominates y, −1 where y dominates x and 0 where neither does. When two
neighbors swap, the strength of the inconsistencies changes only through a count that each place
carries: how many of those below dominate its holder, less how many of those above it dominates.
Call it `pull` (a holder with a large one belongs further down). When x steps down past y, the
number of inconsistencies changes by edge[x, y] and their strength by
pull[y] − pull[x] + |edge[x, y]|; afterwards the pull of y is |edge[x, y]| larger and that of x as
much smaller. A walk of x along the order thus prices all its insertions in one pass.

Number and strength are kept as one cost, weight × number + strength, with a weight that no strength
can reach. The state of the random numbers is passed in, so that a search may be cut anywhere.
"""

import math

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.arrays import copy
from peckorder.kernels.random import below, uniform

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
