"""Who is connected to whom by wins, and what cannot be estimated where nobody is."""

from __future__ import annotations

import numpy as np

from peckorder.components import in_braces, linked, strong
from peckorder.errors import DataError
from peckorder.likelihood.contests import Observed
from peckorder.ranking import bradley_terry
from peckorder.wording import option, quoted

MOST_MATRIX = 1_000
MOST_GUESSED = 200  # individuals for whom a Bradley–Terry fit is the first guess


def components_of(
    seen: Observed, estimate: tuple[str, ...], penalized: bool
) -> tuple[list[np.ndarray], np.ndarray]:
    """Strongly connected components where starting scores are free, and a first guess of these."""
    size = len(seen.data.individuals)
    contests = seen.contests
    won = np.bincount(contests.first, minlength=size) + 0.5
    lost = np.bincount(contests.second, minlength=size) + 0.5
    guess = np.log(won / lost)
    _refuse_draws_alone(seen, penalized)
    if "start" not in estimate:
        return [np.arange(size)], guess
    if size > MOST_MATRIX:
        _refuse_many_components(seen, penalized)
        return [np.arange(size)], guess
    counts = seen.data.take(np.arange(int(seen.contests.counted), len(seen.data)))
    matrix = counts.matrix()
    place = [seen.data.code(name) for name in matrix.individuals]
    wins, drawn = np.zeros((size, size)), np.zeros((size, size))
    wins[np.ix_(place, place)] = matrix.wins
    drawn[np.ix_(place, place)] = matrix.draws
    if not seen.with_draws:
        drawn[:] = 0
    _refuse_unseen(seen, penalized, (wins + wins.T + drawn).sum(axis=1))
    if size <= MOST_GUESSED:
        guess = bradley_terry.fit(wins, drawn, 2.0).ability
    parts = linked(wins + drawn)
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals without a contest between them: "
            f"{in_braces(parts, seen.data.individuals)}. Scores cannot be compared across them. Fit each "
            f"on its own (data.filter(individuals=[…])), or pass penalized=True (--penalized)."
        )
    if drawn.any() and not penalized and bradley_terry.draws_unbounded(wins, drawn):
        raise DataError(
            "These draws and wins have no finite maximum likelihood: ever more draws between "
            f"ever more unequal sides fit ever better. Pass {option('ties', 'omit')}, or "
            "penalized=True (--penalized)."
        )
    return strong((wins > 0) | (drawn > 0), guess), guess


def _refuse_draws_alone(seen: Observed, penalized: bool) -> None:
    contests = seen.contests
    drawn = contests.draw[contests.counted :]
    if drawn.size and drawn.all() and not penalized:
        raise DataError(
            "All contests are draws: how likely a draw is has no finite estimate. Pass "
            "penalized=True (--penalized)."
        )


def _refuse_unseen(seen: Observed, penalized: bool, number: np.ndarray) -> None:
    """Whoever met others in the burn-in only has no starting score that could be told."""
    unseen = [seen.data.individuals[i] for i in np.flatnonzero(number == 0)]
    if unseen and not penalized:
        raise DataError(
            f"{quoted(unseen)}: no contest after the burn-in, so that nothing tells their "
            f"starting scores. Shorten burn_in (--burn-in), leave them out, or pass "
            f"penalized=True (--penalized)."
        )


def _refuse_many_components(seen: Observed, penalized: bool) -> None:
    """Too many individuals for a square array: all of them must hang together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    contests, size = seen.contests, len(seen.data.individuals)
    first, second = contests.first[contests.counted :], contests.second[contests.counted :]
    if contests.draw.size:  # a draw leads both ways
        drawn = contests.draw[contests.counted :]
        first, second = np.append(first, second[drawn]), np.append(second, first[drawn])
    arcs = coo_array((np.ones(len(first)), (first, second)), shape=(size, size)).tocsr()
    number, _ = connected_components(arcs, connection="strong")
    if number > 1 and not penalized:
        raise DataError(
            f"Chains of wins do not link all of these {size:,} individuals: there are "
            f"{number:,} components, and differences between them are unbounded. Pass "
            f"penalized=True (--penalized)."
        )
