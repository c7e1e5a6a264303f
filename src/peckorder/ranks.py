"""Ranks, rank correlations and scaled ratings.

Connected components: by contests (weak), or by chains of wins in both directions (strong).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.kernels.contests import together
from peckorder.text import given


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from the highest value down; ties receive their mean rank.

    >>> average_ranks(np.array([3.0, 9.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    if len(values) and (values[1:] <= values[:-1]).all():  # sorted already
        last = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1) + 1
        counts = np.diff(last, prepend=0)
        return np.repeat(last - (counts - 1) / 2, counts)
    _, inverse, counts = np.unique(-values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation with mean ranks for ties; NaN if either variable is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    a, b = average_ranks(x), average_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    norm = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / norm) if norm > 0 else float("nan")


def kendall(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's τ_b, which allows for ties; NaN if either variable is constant.

    >>> round(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 3)
    0.333
    """
    first, second = np.triu_indices(len(x), 1)
    a, b = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    norm = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / norm) if norm > 0 else float("nan")


def outranking(scores: np.ndarray) -> np.ndarray:
    """Probability that row outranks column, from draws of scores (draws, individuals)."""
    size = scores.shape[1]
    chance = np.empty((size, size))
    for i in range(size):
        chance[i] = (scores[:, [i]] > scores).mean(axis=0)
    np.fill_diagonal(chance, np.nan)
    return chance


def indistinct(names: Sequence[str], chance: np.ndarray, level: float) -> list[list[str]]:
    """Sets of adjacent ranks in which no individual outranks another with probability ≥ `level`.

    `names` are in rank order and `chance` is the matrix of `outranking`. Sets are maximal and may
    overlap.
    """
    certain = np.nan_to_num(np.maximum(chance, chance.T), nan=0.0) >= level
    sets, begin, size = [], 0, len(names)
    last = -1
    for end in range(size):
        while certain[begin:end, end].any():
            begin += 1
        following = end + 1
        full = following == size or certain[begin:following, following].any()
        if full and end > begin and end > last:
            sets.append(list(names[begin:following]))
            last = end
    return sets


def natural_breaks(values: np.ndarray, classes: int) -> np.ndarray:
    """Class of each value, 1 for the highest, by least squares within classes (Jenks).

    >>> natural_breaks(np.array([9.0, 1.0, 8.5, 5.0]), 3).tolist()
    [1, 3, 1, 2]
    """
    if isinstance(classes, bool) or not isinstance(classes, int | np.integer) or classes < 1:
        raise ArgumentError(f"{given('classes', classes)}: give a whole number of at least 1.")
    order = np.argsort(-values, kind="stable")
    x = values[order]
    size, classes = len(x), min(classes, len(np.unique(x)))
    total, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (x, x * x))

    def within(begin: int, end: np.ndarray) -> np.ndarray:
        return squares[end] - squares[begin] - (total[end] - total[begin]) ** 2 / (end - begin)

    cost = np.full((classes + 1, size + 1), np.inf)
    cut = np.zeros((classes + 1, size + 1), np.int64)
    cost[0, 0] = 0.0
    for c in range(1, classes + 1):
        for begin in range(size):
            end = np.arange(begin + 1, size + 1)
            new = cost[c - 1, begin] + within(begin, end)
            better = new < cost[c, begin + 1 :]
            cost[c, begin + 1 :][better] = new[better]
            cut[c, begin + 1 :][better] = begin
    label = np.zeros(size, np.int64)
    end = size
    for c in range(classes, 0, -1):
        begin = cut[c, end]
        label[order[begin:end]] = c
        end = begin
    return label


def scales(rating: np.ndarray) -> dict[str, pl.Series]:
    """Ratings scaled to 0–1 and proportional ranks; null where they are undefined."""
    low, high, size = rating.min(initial=np.inf), rating.max(initial=-np.inf), len(rating)
    scaled = (rating - low) / (high - low) if high > low else np.full(size, np.nan)
    share = (size - average_ranks(rating)) / (size - 1) if size > 1 else np.full(size, np.nan)
    return {
        "scaled": pl.Series(scaled).fill_nan(None),
        "proportional_rank": pl.Series(share).fill_nan(None),
    }


FEW_CONTESTS = 20_000
LEAST_CUT = 6  # individuals
SPARSE = 0.3  # of the contests between two sets that are expected among random pairs


class SparseCut(NamedTuple):
    """Two sets of individuals, and the contests between them and in total."""

    one: np.ndarray
    other: np.ndarray
    between: int
    total: int


def linked(met: Any) -> list[np.ndarray]:
    """Weakly connected components: sets of individuals connected by contests, directly or not.

    `met` is a square array, dense or sparse.
    """
    one, other = met.nonzero()
    return linked_by(one, other, met.shape[0])


def linked_by(one: np.ndarray, other: np.ndarray, size: int) -> list[np.ndarray]:
    """The same from the two sides of each contest, given as codes.

    Without scipy, which takes longer to import than a short command takes for everything else;
    for few contests also without a compiled loop, which has to be loaded.
    """
    if len(one) > FEW_CONTESTS:
        order, ends = np.empty(size, np.int64), np.empty(size, np.int64)
        number = together(one, other, np.arange(size), order, ends)
        return np.split(order, ends[: number - 1])
    label = np.arange(size)  # of each individual: the first code of its set, as far as known
    while len(one):
        firsts = label[one], label[other]
        np.minimum.at(label, np.maximum(*firsts), np.minimum(*firsts))
        while (label[label] != label).any():
            label = label[label]
        apart = label[one] != label[other]
        one, other = one[apart], other[apart]
    return _by_label(np.unique(label, return_inverse=True)[1])


def strong(beats: Any, worth: np.ndarray | None = None) -> list[np.ndarray]:
    """Strongly connected components of a directed graph (dense or sparse), from the top down.

    Within a component there is a path of arcs from each member to every other. No component has
    an arc to an earlier one. Where the arcs do not determine the order, the component with the
    higher mean `worth` comes first, then the one whose first member has the lower code.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sets = _by_label(connected_components(csr_array(beats), connection="strong")[1])
    worth = np.zeros(beats.shape[0]) if worth is None else worth
    turn = in_turn(_between(beats, sets), [(-worth[own].mean(), own[0]) for own in sets])
    return [sets[c] for c in turn]


def _between(beats: Any, sets: Sequence[np.ndarray]) -> Any:
    """A sparse matrix with an entry where a member of one set has an arc to one of another."""
    from scipy.sparse import coo_array

    label = np.empty(beats.shape[0], np.int64)
    for number, own in enumerate(sets):
        label[own] = number
    arcs = coo_array(beats)
    rows, columns = label[arcs.row], label[arcs.col]
    apart = rows != columns
    pairs = np.unique(rows[apart] * len(sets) + columns[apart])
    entries = np.ones(len(pairs), np.int8), (pairs // len(sets), pairs % len(sets))
    return coo_array(entries, shape=(len(sets), len(sets))).tocsr()


def in_turn(above: Any, first: Sequence[Any]) -> list[int]:
    """Topological order from the top down; among items that are free, the least of `first`.

    `above` is a square array, dense or sparse, with an entry where the row is above the column.
    """
    from scipy.sparse import csr_array

    arcs = csr_array(above)
    waiting = np.bincount(arcs.indices, minlength=len(first))
    free = [(first[c], c) for c in np.flatnonzero(waiting == 0).tolist()]
    heapify(free)
    order = []
    while free:
        _, c = heappop(free)
        order.append(c)
        below = arcs.indices[arcs.indptr[c] : arcs.indptr[c + 1]]
        waiting[below] -= 1
        for d in below[waiting[below] == 0].tolist():
            heappush(free, (first[d], d))
    return order


def condensed(beats: np.ndarray, sets: Sequence[np.ndarray]) -> np.ndarray:
    """Whether any member of one set has an arc to any member of another."""
    member = np.zeros((len(sets), len(beats)), np.int64)
    for i, own in enumerate(sets):
        member[i, own] = 1
    arcs = member @ beats.astype(np.int64) @ member.T > 0
    np.fill_diagonal(arcs, False)
    return arcs


def _by_label(label: np.ndarray) -> list[np.ndarray]:
    """The members of each set, sets in the order of their first members."""
    if len(label) == 0:
        return []
    order = np.argsort(label, kind="stable")
    sets = np.split(order, np.cumsum(np.bincount(label))[:-1])
    return sorted(sets, key=lambda own: own[0])


def in_braces(sets: Sequence[np.ndarray], names: Sequence[str], sign: str = "; ") -> str:
    """Sets of individuals by name, with long lists abbreviated.

    >>> in_braces([np.array([1, 2]), np.array([0])], ["a", "b", "c"], " > ")
    '{b, c} > {a}'
    """
    listed = [_first_names([str(names[i]) for i in own.tolist()]) for own in sets[:8]]
    shown = [
        "{" + ", ".join(some) + (", …" if len(own) > 8 else "") + "}"
        for some, own in zip(listed, sets, strict=False)
    ]
    more = f" and {len(sets) - 8:,} more" if len(sets) > 8 else ""
    return sign.join(shown) + more


def _first_names(names: list[str]) -> list[str]:
    """The first eight by name; of very many, only those are sorted that come before a few."""
    few = nsmallest(8, names[:1000])
    return few if len(names) <= 1000 else nsmallest(8, (n for n in names if n <= few[-1]))


APART = 0.35  # contests between sets relative to those of random mixing, below which they are apart
LEAST_SET = 2


def separate_sets(contests: np.ndarray) -> list[np.ndarray]:
    """Sets of individuals with few contests between them, from a symmetric table of numbers.

    Those with contests are split in two along the second eigenvector of the graph's Laplacian
    (Fiedler 1973) where contests between the parts are fewest relative to random mixing, as long
    as these are fewer than 0.35 of it; then each part likewise.
    """
    return _split(contests, np.flatnonzero(contests.sum(axis=0) > 0))


def _split(contests: np.ndarray, members: np.ndarray) -> list[np.ndarray]:
    size = len(members)
    own = contests[np.ix_(members, members)]
    met = own.sum(axis=0)
    if size < 2 * LEAST_SET or (met == 0).any():
        return [members]
    root = 1 / np.sqrt(met)
    _, vectors = np.linalg.eigh(np.eye(size) - root[:, None] * own * root)
    order = np.argsort(vectors[:, 1] * root, kind="stable")
    # Of the first 1, 2, … along the eigenvector: contests of theirs, and those with the others.
    theirs = np.cumsum(met[order])
    among = np.diagonal(own[np.ix_(order, order)].cumsum(axis=0).cumsum(axis=1))
    total = theirs[-1]
    relative = (theirs - among)[:-1] * total / (theirs * (total - theirs))[:-1]
    possible = relative[LEAST_SET - 1 : size - LEAST_SET]
    at = int(np.argmin(possible)) + LEAST_SET
    if relative[at - 1] > APART:
        return [members]
    return [part for half in (order[:at], order[at:]) for part in _split(contests, members[half])]


def sparse_cut(contests: np.ndarray) -> SparseCut | None:
    """Two sets of individuals with few contests between them, from a symmetric table of numbers.

    The sets are those of the second eigenvector of the graph's Laplacian (Fiedler 1973). None if
    the contests between them are not much fewer than among pairs at random, or if all individuals
    are connected by a handful of contests only.
    """
    size, total = len(contests), contests.sum() / 2
    met = contests.sum(axis=1)
    if size < LEAST_CUT or total < size or (met == 0).any():
        return None
    root = 1 / np.sqrt(met)
    _, vectors = np.linalg.eigh(np.eye(size) - root[:, None] * contests * root)
    upper = vectors[:, 1] * root > 0
    if min(upper.sum(), (~upper).sum()) < 2:
        return None
    between = contests[np.ix_(upper, ~upper)].sum()
    share = met[upper].sum() / met.sum()
    expected = 2 * share * (1 - share) * total
    if between == 0 or between > SPARSE * expected:
        return None
    return SparseCut(np.flatnonzero(upper), np.flatnonzero(~upper), int(between), int(total))
