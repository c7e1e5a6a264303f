"""Indirect wins along paths of a network, and orders that contradict its probabilities least.

`penalty[i, j]` is the cost, without regard to distance, of ranking i below j although i probably
outranks j (0 if it does not). `spread[q, p]` multiplies it if j has place q and i has place p: it
increases with their distance and toward the top.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy
from peckorder.kernels.random import below, uniform

SPAN = 10  # places that an insertion crosses, at most
INSERTIONS = 4  # one move in four is an insertion, the others swap two individuals


@compiled
def count_paths(first, last, ends, others, longest, number):
    """Paths without a repeated node from the starts `first` to before `last`.

    The nodes beaten by i are others[ends[i]:ends[i + 1]]. number[s, i, j] counts the paths of
    s + 2 edges from i to j.
    """
    size = ends.size - 1
    path = np.empty(longest + 1, np.int64)
    look = np.empty(longest + 1, np.int64)
    on_path = np.zeros(size, np.bool_)
    for start in range(first, last):
        depth = 0
        path[0] = start
        look[0] = ends[start]
        on_path[start] = True
        while depth >= 0:
            node = path[depth]
            if look[depth] == ends[node + 1]:
                on_path[node] = False
                depth -= 1
                continue
            other = others[look[depth]]
            look[depth] += 1
            if on_path[other]:
                continue
            if depth >= 1:
                number[depth - 1, start, other] += 1
            if depth + 1 < longest:
                depth += 1
                path[depth] = other
                look[depth] = ends[other]
                on_path[other] = True


@compiled
def cost_of(penalty, spread, order):
    """Cost of an order, summed over all pairs."""
    cost = 0.0
    for p in range(1, order.size):
        for q in range(p):
            cost += penalty[order[p], order[q]] * spread[q, p]
    return cost


@compiled
def cost_around(penalty, spread, order, low, high):
    """Cost of all pairs with at least one place from `low` to `high`."""
    cost = 0.0
    for p in range(order.size):
        for q in range(p):
            if (low <= p <= high) or (low <= q <= high):
                cost += penalty[order[p], order[q]] * spread[q, p]
    return cost


@compiled
def cost_at(penalty, spread, order, p):
    """Cost of all pairs with place p."""
    cost = 0.0
    for q in range(p):
        cost += penalty[order[p], order[q]] * spread[q, p]
    for q in range(p + 1, order.size):
        cost += penalty[order[q], order[p]] * spread[p, q]
    return cost


@compiled
def insert(order, p, q):
    """Move the individual at place p to place q; those between shift by one."""
    holder = order[p]
    step = 1 if q > p else -1
    while p != q:
        order[p] = order[p + step]
        p += step
    order[q] = holder


@compiled
def anneal(penalty, spread, order, random, steps, hot, cold, best):
    """Simulated annealing from `order`; returns the lowest cost, its order in `best`."""
    size = order.size
    cost = cost_of(penalty, spread, order)
    least = cost
    copy(best, order)
    cooling = (cold / hot) ** (1.0 / max(steps, 1))
    heat = hot
    for _ in range(steps):
        if least == 0.0:
            break
        p = below(random, size)
        if below(random, INSERTIONS) == 0:
            q = max(0, min(size - 1, p - SPAN + below(random, 2 * SPAN + 1)))
            low, high = min(p, q), max(p, q)
            before = cost_around(penalty, spread, order, low, high)
            insert(order, p, q)
            change = cost_around(penalty, spread, order, low, high) - before
            if change > 0.0 and uniform(random) >= math.exp(-change / heat):
                insert(order, q, p)
                change = 0.0
        else:
            q = below(random, size)
            before = pairs_of_two(penalty, spread, order, p, q)
            order[p], order[q] = order[q], order[p]
            change = pairs_of_two(penalty, spread, order, p, q) - before
            if change > 0.0 and uniform(random) >= math.exp(-change / heat):
                order[p], order[q] = order[q], order[p]
                change = 0.0
        cost += change
        heat *= cooling
        if cost < least - 1e-12:
            cost = cost_of(penalty, spread, order)  # without accumulated rounding errors
            if cost < least:
                least = cost
                copy(best, order)
    return least


@compiled
def pairs_of_two(penalty, spread, order, p, q):
    """Cost of all pairs with place p or place q."""
    if p == q:
        return cost_at(penalty, spread, order, p)
    low, high = min(p, q), max(p, q)
    both = penalty[order[high], order[low]] * spread[low, high]  # counted in both sums
    return cost_at(penalty, spread, order, p) + cost_at(penalty, spread, order, q) - both


@compiled
def least_penalties(penalty, least):
    """For each subset, the lowest sum of penalties over its orders, without regard to distance."""
    size = penalty.shape[0]
    least[0] = 0.0
    for subset in range(1, least.size):
        lowest = np.inf
        for v in range(size):
            if (subset >> v) & 1:
                total = least[subset ^ (1 << v)]
                for u in range(size):
                    if (subset >> u) & 1:
                        total += penalty[v, u]
                lowest = min(lowest, total)
        least[subset] = lowest


@compiled
def branch(penalty, spread, least, order, look, cost, state, limit, nodes):
    """Search all orders from the top, except those that cannot cost less than `limit`.

    Individuals are numbered in the order in which they are tried. `order`, `look` (the next to be
    tried at each place), `cost` (of the places filled) and `state` (number of places filled, subset
    placed) store the state of the search, so that it can be continued. Returns 1 with a complete
    order that costs less than `limit`, 0 if `nodes` were examined, −1 if there is no such order.
    """
    size = order.size
    smallest = spread[size - 2, size - 1]
    everybody = (1 << size) - 1
    while nodes > 0:
        place, placed = state[0], state[1]
        if look[place] == size:
            if place == 0:
                return -1
            state[0] = place - 1
            state[1] = placed ^ (1 << order[place - 1])
            continue
        v = look[place]
        look[place] += 1
        if (placed >> v) & 1:
            continue
        nodes -= 1
        total = cost[place]
        for q in range(place):
            total += penalty[v, order[q]] * spread[q, place]
        now = placed | (1 << v)
        bound = total + smallest * least[everybody ^ now]
        order[place] = v
        for u in range(size):
            if not (now >> u) & 1:
                for q in range(place + 1):
                    bound += penalty[u, order[q]] * spread[q, place + 1]
        if bound >= limit:
            continue
        if place + 1 == size:
            cost[size] = total
            return 1
        cost[place + 1] = total
        look[place + 1] = 0
        state[0] = place + 1
        state[1] = now
    return 0
