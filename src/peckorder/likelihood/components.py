"""Connected components of the wins, and what cannot be estimated if there are several."""

from __future__ import annotations

import numpy as np

from peckorder.components import in_braces, linked, strong
from peckorder.errors import DataError
from peckorder.likelihood.contests import Observed
from peckorder.ranking.paired_model import DyadRecord, maximum, ties_unbounded
from peckorder.wording import option, option_name, quoted

MOST_MATRIX = 1_000
MOST_GUESSED = 200  # up to this many individuals, a Bradley–Terry fit gives the initial values


def components_of(
    seen: Observed, estimate: tuple[str, ...], penalized: bool
) -> tuple[list[np.ndarray], np.ndarray]:
    """Strongly connected components if starting scores are free, and initial values of these."""
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
    record = DyadRecord.of_matrix(wins, drawn)
    if size <= MOST_GUESSED:
        guess = maximum(record, np.zeros(size, np.int64), prior_sd=2.0)[:size]
        guess -= guess.mean()
    parts = linked(wins + drawn)
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, seen.data.individuals)}. Scores of different sets cannot be "
            f"compared. Fit each set separately, or use {option('penalized', 'True')}."
        )
    if record.ties and not penalized and ties_unbounded(record):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in score. Use "
            f"{option('ties', 'omit')} or {option('penalized', 'True')}."
        )
    return strong((wins > 0) | (drawn > 0), guess), guess


def _refuse_draws_alone(seen: Observed, penalized: bool) -> None:
    contests = seen.contests
    drawn = contests.draw[contests.counted :]
    if drawn.size and drawn.all() and not penalized:
        raise DataError(
            "All contests are ties, so the tie parameter has no finite estimate. Use "
            f"{option('penalized', 'True')}."
        )


def _refuse_unseen(seen: Observed, penalized: bool, number: np.ndarray) -> None:
    """Refuse individuals with contests in the burn-in only: their starting score is unknown."""
    unseen = [seen.data.individuals[i] for i in np.flatnonzero(number == 0)]
    if unseen and not penalized:
        raise DataError(
            f"{quoted(unseen)}: no contest after the burn-in, so their starting scores are not "
            f"identifiable. Shorten {option_name('burn_in')}, exclude these individuals, or use "
            f"{option('penalized', 'True')}."
        )


def _refuse_many_components(seen: Observed, penalized: bool) -> None:
    """Too many individuals for a square array: they must form one strongly connected component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    contests, size = seen.contests, len(seen.data.individuals)
    first, second = contests.first[contests.counted :], contests.second[contests.counted :]
    if contests.draw.size:  # a tie is an arc in both directions
        drawn = contests.draw[contests.counted :]
        first, second = np.append(first, second[drawn]), np.append(second, first[drawn])
    arcs = coo_array((np.ones(len(first)), (first, second)), shape=(size, size)).tocsr()
    number, _ = connected_components(arcs, connection="strong")
    if number > 1 and not penalized:
        raise DataError(
            f"The {size:,} individuals form {number:,} strongly connected components, and "
            f"differences in score between components are unbounded. Use "
            f"{option('penalized', 'True')}."
        )
