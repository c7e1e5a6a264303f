"""Search for an order with few and slight inconsistencies, one insertion after another.

`edge[x, y]` is 1 where x dominates y, −1 where y dominates x and 0 where neither is known to. Two
neighbors that swap change the strength of the inconsistencies only through a count that each
place carries: how many dominate its holder in all, less how many of those above it have a known
relation with it. Call it `pull` (a holder with a large one belongs further down). When x steps
down past y, I changes by edge[x, y] and SI by pull[y] − pull[x] + |edge[x, y]|; afterwards the
pull of y is |edge[x, y]| larger and that of x as much smaller. A walk of x along the order
thus prices all its insertions in one pass.

I and SI are kept as one number, weight × I + SI, with a weight that no SI can reach. Random
numbers come from a state that is passed in, so that a search may be cut into pieces anywhere.
"""

import numpy as np

from peckorder.kernels import compiled

# Places in the tally of a search: costs of the present and of the best order, kicks given since
# the start and since the best order was found.
PRESENT, BEST, KICKS, FRUITLESS = 0, 1, 2, 3


@compiled
def below(limit, random):
    """A whole number from 0 to `limit` − 1 (splitmix64; `random` holds its state)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(z >> np.uint64(33)) % limit


@compiled
def weigh(edge, order, weight, pull):
    """Cost of an order, weight × I + SI, counted afresh; fills `pull`, by place."""
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
def best_insertion(edge, order, pull, p, weight):
    """Where the holder of place p does best, and what the cost changes by when it goes there."""
    x = order[p]
    best = np.int64(0)
    place = p
    own = pull[p]
    change = np.int64(0)
    for q in range(p + 1, order.size):
        relation = np.int64(edge[x, order[q]])
        known = abs(relation)
        change += weight * relation + pull[q] - own + known
        own -= known
        if change < best:
            best = change
            place = q
    own = pull[p]
    change = np.int64(0)
    for q in range(p - 1, -1, -1):
        relation = np.int64(edge[x, order[q]])
        known = abs(relation)
        change += own - pull[q] + known - weight * relation
        own += known
        if change < best:
            best = change
            place = q
    return place, best


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
def settle(edge, order, pull, weight, p, cost):
    """Insert whoever gains by it, from place p on and round again, until nobody does.

    Returns the cost reached and the number of individuals looked at.
    """
    looked = 0
    idle = 0
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
def kick(edge, order, pull, weight, random, cost, mode, maxk, seg):
    size = order.size
    if below(2, random) == 0:
        k = 1 + below(maxk, random)
        for _ in range(k):
            p = below(size, random)
            q = below(size, random)
            cost += price(edge, order, pull, p, q, weight)
            insert(edge, order, pull, p, q)
    else:
        # block move: length L from s to t
        L = 2 + below(min(seg, size - 2), random)
        s = below(size - L + 1, random)
        t = below(size - L + 1, random)
        for i in range(L):
            if t > s:
                a, b = s, t + L - 1
            else:
                a, b = s + L - 1, t
            cost += price(edge, order, pull, a, b, weight)
            insert(edge, order, pull, a, b)
    return cost


@compiled
def search(edge, order, best, pull, weight, random, tally, effort, mode, maxk, seg, slack):
    size = order.size
    kept = order.copy()
    kept_pull = pull.copy()
    while effort > 0:
        cost = kick(edge, order, pull, weight, random, tally[PRESENT], mode, maxk, seg)
        cost, looked = settle(edge, order, pull, weight, below(size, random), cost)
        effort -= looked + 2
        tally[KICKS] += 1
        tally[FRUITLESS] += 1
        ok = cost <= tally[PRESENT]
        if not ok and mode == 1:
            ok = below(slack, random) == 0 and cost <= tally[BEST] + 2 * weight
        if not ok and mode == 2:
            ok = cost <= tally[BEST] + weight
        if not ok and mode == 3:
            ok = below(slack, random) == 0
        if ok:
            tally[PRESENT] = cost
            kept[:] = order
            kept_pull[:] = pull
            if cost < tally[BEST]:
                tally[BEST] = cost
                best[:] = order
                tally[FRUITLESS] = 0
        else:
            order[:] = kept
            pull[:] = kept_pull
