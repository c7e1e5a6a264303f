"""Openings: what may set some individuals far apart from the others, before the first contest.

With one normal prior for all ratings, an alpha or a pariah far from the rest, or sets of
individuals that differ, are drawn toward the others, and the more so the better the spread σ is
known from these. Besides filters with a normal prior, the bank therefore holds filters in which one
or two individuals are exceptions, with a variance of their own, or sets share an offset. Their
prior odds times their evidence weight them.

Which individuals may be exceptions is found from the filters with a normal prior: with λ and Λ of
the backward pass, the log Bayes factor of a further variance q along u is about
−½ log(1 + q u′Λu) + ½ q (u′λ)² / (1 + q u′Λu) (de Jong & Penzer 1998, Journal of the American
Statistical Association 93:796–806). The most likely ones, and their pairs, are then run. Sets are
found from the schedule alone (`ranks.separate_sets`), so that outcomes are not used twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from peckorder.kernels.filters import Record
from peckorder.ranks import separate_sets
from peckorder.ratings.filter_bank import (
    DRIFT,
    OFFSET,
    OPENING,
    Bank,
    Grid,
    Opening,
    drift_grid,
    newcomers_of,
    settings_table,
)
from peckorder.ratings.filter_runner import adjoints, log_sum_exp

# Which rows of a table with these log priors matter; their means, covariances, log evidences.
Fitted = Callable[
    [Record, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
]

SIGMA, TAU = (0.2, 0.6, 1.3, 2.7, 4.5), (0.1, 0.5)  # coarser than the grid of a normal prior
EXCEPTION_SD, EXCEPTION_SIGMAS = 4.5, 2.0  # log-odds, and units of σ
EXCEPTION_ODDS = 0.1 / 0.9  # prior odds of each exception
CANDIDATES, MOST = 3, 2  # exceptions that are tried, alone and in pairs
SET_VARIANCE, SETS_ODDS = 8.0, 4.0
FEWEST = 4  # individuals
NEGLIGIBLE = 1e-4  # weight of an opening whose filters are left out
VALUES_AT_ONCE = 5_000_000


def with_openings(bank: Bank, fitted: Fitted) -> Bank:
    """The bank with filters of all openings that are not negligible."""
    tried = (*exceptions(bank), *sets_of(bank))
    if not tried:
        return bank
    size = len(bank.record.founder)
    labels = [np.full(size, -1), *(opening.labels for opening in tried)]
    record = bank.record._replace(openings=np.array(labels, np.int32))
    grid = opening_grid(bank.grid)
    parts = [(bank.grid, bank.table, bank.means, bank.covariances, bank.log_evidences)]
    for number, opening in enumerate(tried, start=1):
        table = settings_table(grid, _time_share(bank), bank.nu)
        table[:, OPENING], table[:, OFFSET] = number, opening.variances(grid.sigma)
        own = replace(
            grid,
            log_within=grid.log_within + opening.log_odds,
            log_prior=grid.log_prior + opening.log_odds,
        )
        some, means, covariances, evidence = fitted(record, table, own.log_prior)
        if some.size:
            parts.append((own.rows(some), table[some], means, covariances, evidence))
    weights = np.array([log_sum_exp(grid.log_prior + evidence) for grid, *_, evidence in parts])
    weights = np.exp(weights - log_sum_exp(weights))
    kept = [part for i, part in enumerate(parts) if i == 0 or weights[i] > NEGLIGIBLE]
    grids, *arrays = zip(*kept, strict=True)
    table, means, covariances, log_evidences = (np.concatenate(part) for part in arrays)
    return replace(
        bank,
        grid=Grid(*(np.concatenate(column) for column in zip(*map(_columns, grids), strict=True))),
        record=record,
        table=table,
        means=means,
        covariances=covariances,
        log_evidences=log_evidences,
        openings=tried,
    )


def opening_grid(grid: Grid) -> Grid:
    """The coarser grid of filters with openings, static if the other one is."""
    if (grid.tau > 0).any():
        return drift_grid(sigma=SIGMA, tau=TAU)
    return drift_grid(sigma=SIGMA, static=1.0)


def _columns(grid: Grid) -> list[np.ndarray]:
    return list(vars(grid).values())


def _time_share(bank: Bank) -> float:
    """Mean number of own contests per contest of the group, by which the drift was scaled."""
    moving = np.flatnonzero(bank.grid.tau > 0)
    if not moving.size:
        return 1.0
    return float(bank.table[moving[0], DRIFT] / bank.grid.tau[moving[0]] ** 2)


def exceptions(bank: Bank) -> tuple[Opening, ...]:
    """Openings with one or two of the individuals that are most likely exceptions."""
    record = bank.record
    size = len(record.founder)
    if size < FEWEST or record.winner.size == 0:
        return ()
    score = exception_scores(bank)
    own = np.bincount(record.winner, minlength=size) + np.bincount(record.loser, minlength=size)
    score[own == 0] = -np.inf
    likely = np.argsort(-score, kind="stable")[:CANDIDATES]
    likely = likely[np.isfinite(score[likely])].tolist()
    found = []
    for number in range(1, MOST + 1):
        for members in combinations(likely, number):
            labels = np.full(size, -1)
            labels[list(members)] = np.arange(number)
            odds = number * float(np.log(EXCEPTION_ODDS))
            found.append(Opening("exception", labels, odds, EXCEPTION_SD**2, EXCEPTION_SIGMAS))
    return tuple(found)


def sets_of(bank: Bank) -> tuple[Opening, ...]:
    """The opening in which sets of individuals differ; none if the schedule has no sets."""
    record = bank.record
    size = len(record.founder)
    met = np.zeros((size, size))
    np.add.at(met, (record.winner, record.loser), 1.0)
    sets = separate_sets(met + met.T)
    if len(sets) < 2:
        return ()
    labels = np.full(size, -1)
    for number, members in enumerate(sets):
        labels[members] = number
    return (Opening("sets", labels, float(np.log(SETS_ODDS)), SET_VARIANCE, 0.0),)


def exception_scores(bank: Bank) -> np.ndarray:
    """Approximate log Bayes factor for each individual as an exception."""
    weights, moving = bank.weights, bank.grid.tau > 0
    best = [
        int(np.argmax(np.where(kind, weights, -1.0))) for kind in (~moving, moving) if kind.any()
    ]
    log_weights = np.log(weights[best] / weights[best].sum() + 1e-300)
    scores = []
    for e, log_weight in zip(best, log_weights, strict=True):
        pull, sharp = _at_the_start(bank, e) if bank.ordered else _of_static(bank, e)
        grown = 1 + EXCEPTION_SD**2 * np.maximum(sharp, 0)
        scores.append(log_weight + 0.5 * (EXCEPTION_SD * pull) ** 2 / grown - 0.5 * np.log(grown))
    return np.logaddexp.reduce(scores)


def _of_static(bank: Bank, e: int) -> tuple[np.ndarray, np.ndarray]:
    """λ and the diagonal of Λ for the ratings, from the posterior of ratings that stay."""
    own, precision = slice(bank.coefficients, None), 1 / bank.grid.sigma[e] ** 2
    variances = np.diagonal(bank.covariances[e])[own]
    return precision * bank.means[e, own], precision - precision**2 * variances


def _at_the_start(bank: Bank, e: int) -> tuple[np.ndarray, np.ndarray]:
    """λ and the diagonal of Λ for each rating at the moment at which its individual enters."""
    record, first = bank.record, bank.coefficients
    size = len(record.founder)
    pull, sharp = np.full(size, -np.inf), np.zeros(size)
    moments = np.unique(np.append(0, record.entry_at)).astype(np.int64)
    entered = np.where(record.founder, 0, -1)
    for i, at in enumerate(record.entry_at):
        entered[newcomers_of(record, i)] = at
    step = max(1, VALUES_AT_ONCE // (first + size) ** 2)
    for begin in range(0, len(moments), step):
        some = moments[begin : begin + step]
        vectors, matrices = adjoints(record, bank.table[e : e + 1], some, arrived=True)[1:]
        for i, at in enumerate(some):
            new = np.flatnonzero(entered == at)
            pull[new] = vectors[i, first + new]
            sharp[new] = matrices[i, first + new, first + new]
    return np.where(entered < 0, 0.0, pull), np.where(entered < 0, 0.0, sharp)
