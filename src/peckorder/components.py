"""Connected components: by contests (weak), or by chains of wins in both directions (strong)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest
from typing import Any, NamedTuple

import numpy as np

from peckorder.kernels.contests import together

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
    return _sets(met, "weak")


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
    sets = _sets(beats, "strong")
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


def _sets(arcs: Any, connection: str) -> list[np.ndarray]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return _by_label(connected_components(csr_array(arcs), connection=connection)[1])


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
