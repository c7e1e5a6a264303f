"""Runs filters over the contests of one data set in threads; used by all filter models.

Gaussian mixtures with one component per filter: moments and random draws.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from peckorder.errors import ArgumentError
from peckorder.kernels.filter_smoothing import backward
from peckorder.kernels.filters import Filter, Record, Trace, run

LARGE = 2e7  # number of updated covariance entries above which threads are faster
MUCH = 1e8  # the same of all filters, above which hopeless ones are dropped
MOMENTS, BEHIND = 100, 30.0  # at which they are, and by which log weight they are behind
DRIFT, RETURNING, GAIN = (Filter._fields.index(name) for name in ("drift", "returning", "k"))


class Filtered(NamedTuple):
    """States of the filters after the last contest; one row per filter."""

    means: np.ndarray
    covariances: np.ndarray
    dyad_means: np.ndarray
    dyad_variances: np.ndarray
    log_chances: np.ndarray  # log probability of each contest given the contests before it
    log_predicted: np.ndarray  # the same given the contests before its moment


def state_size(record: Record) -> int:
    """Length of the state vector."""
    return record.coefficient_sd.size + 1 + record.founder.size


def work_of(record: Record) -> int:
    """Number of covariance entries updated by one filter."""
    return record.winner.size * state_size(record) ** 2


def threads_for(work: float, threads: int | None) -> int:
    """Number of threads: as requested, or chosen by the amount of work."""
    if threads is not None:
        return threads
    if work < LARGE:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_filters(record: Record, table: np.ndarray, *, threads: int = 1) -> Filtered:
    """Run all filters of a table over the contests."""
    trace = empty_trace(record, np.zeros(0, np.int64), arrived=False, traced=False)
    filtered = empty_states(record, len(table))

    def part(begin: int, end: int) -> None:
        scale, c = np.empty((2, state_size(record)))
        chosen = np.arange(begin, end)
        run(record, table, trace, chosen, 0, record.winner.size, scale, c, *filtered)

    in_parts(part, len(table), threads)
    return filtered


def run_one(record: Record, row: np.ndarray, trace: Trace) -> Filtered:
    """Run one filter over the contests, for its trace, too."""
    scale, c = np.empty((2, state_size(record)))
    states = empty_states(record, 1)
    run(record, row[None], trace, np.zeros(1, int), 0, record.winner.size, scale, c, *states)
    return states


def kinds_of(table: np.ndarray) -> np.ndarray:
    """0 for static filters, 1 with k, 2 with drift, 3 with both."""
    return (table[:, DRIFT] > 0) * 2 + (table[:, GAIN] > 0)


def run_likely(
    record: Record,
    table: np.ndarray,
    log_prior: np.ndarray,
    *,
    threads: int = 1,
    rivals: np.ndarray | None = None,
) -> tuple[np.ndarray, Filtered]:
    """`run_filters` without filters that fall hopelessly behind; which ones are left, and these.

    A filter is dropped if its weight is below e⁻³⁰ of that of the best one of its kind (with or
    without drift, and k; `rivals` are the log weights of others of each kind after each contest) at
    one of 100 moments. It may recover: so the neighbors of the best one in the grid are run to the
    end in any case, until none of them is better. Small records keep all filters.
    """
    contests, number = record.winner.size, len(table)
    if number * work_of(record) < MUCH:
        return np.arange(number), run_filters(record, table, threads=threads)
    trace = empty_trace(record, np.zeros(0, np.int64), arrived=False, traced=False)
    states, total, done = empty_states(record, number), log_prior.copy(), np.zeros(number, int)
    kind = kinds_of(table)
    places = [np.unique(table[:, c], return_inverse=True)[1] for c in (0, DRIFT, RETURNING, GAIN)]

    def take_in(some: np.ndarray, until: int) -> None:
        since = int(done[some[0]])

        def part(begin: int, end: int) -> None:
            scale, c = np.empty((2, state_size(record)))
            run(record, table, trace, some[begin:end], since, until, scale, c, *states)

        in_parts(part, some.size, threads)
        total[some] += states.log_chances[some, since:until].sum(axis=1)
        done[some] = until

    def ahead(some: np.ndarray) -> np.ndarray:
        best = np.full(4, -np.inf) if rivals is None else rivals[:, done[some[0]] - 1].copy()
        np.maximum.at(best, kind[some], total[some])
        return some[total[some] > best[kind[some]] - BEHIND]

    some = np.arange(number)
    for until in np.unique(record.moment_end[np.linspace(0, contests - 1, MOMENTS).astype(int)]):
        take_in(some, int(until))
        some = ahead(some)
        if not some.size:
            return some, Filtered(*(part[some] for part in states))
    while True:
        near = np.zeros(number, bool)
        for own in np.unique(kind[some]):
            best = some[kind[some] == own][np.argmax(total[some[kind[some] == own]])]
            away = np.sum([abs(place - place[best]) for place in places], axis=0)
            near |= (away == 1) & (kind == own) & (done < contests)
        if not near.any():
            return some, Filtered(*(part[some] for part in states))
        for e in np.flatnonzero(near):
            take_in(np.array([e]), contests)
        some = ahead(np.union1d(some, np.flatnonzero(near)))


def empty_states(record: Record, filters: int) -> Filtered:
    """Uninitialized states of some filters."""
    size, dyads = state_size(record), int(record.dyad.max(initial=0)) + 1
    return Filtered(
        means=np.empty((filters, size)),
        covariances=np.empty((filters, size, size)),
        dyad_means=np.empty((filters, dyads)),
        dyad_variances=np.empty((filters, dyads)),
        log_chances=np.empty((filters, record.winner.size)),
        log_predicted=np.empty((filters, record.winner.size)),
    )


def empty_trace(record: Record, moments: np.ndarray, *, arrived: bool, traced: bool) -> Trace:
    """Uninitialized arrays for the backward pass."""
    size, contests = state_size(record), record.winner.size if traced else 0
    return Trace(
        moments=moments,
        arrived=arrived,
        mean=np.empty((moments.size, size)),
        covariance=np.empty((moments.size, size, size)),
        gain=np.empty((contests, size)),
        slopes=np.empty((contests, 4)),
        shrink=np.empty(contests + 1),
    )


def sorted_times(record: Record, times) -> tuple[np.ndarray, np.ndarray]:
    """Times in ascending order, as needed by the kernel, and the position of each given time."""
    times = np.asarray(times, np.int64)
    if times.size and not 0 <= times.min() <= times.max() <= record.winner.size:
        raise ArgumentError(f"Times must be numbers of contests from 0 to {record.winner.size}.")
    order = np.argsort(times, kind="stable")
    places = np.empty(times.size, np.int64)
    places[order] = np.arange(times.size)
    return times[order], places


def filtered_states(
    record: Record, table: np.ndarray, times: np.ndarray, *, arrived: bool, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Filtered means and covariances, given the contests before each time.

    Shapes are filters × times × state. Times are numbers of contests, in any order. With
    `arrived`, states just before the next contest, after drift and entries; otherwise states
    directly after the last contest.
    """
    size, (times, places) = state_size(record), sorted_times(record, times)
    means = np.empty((len(table), times.size, size))
    covariances = np.empty((len(table), times.size, size, size))

    def part(begin: int, end: int) -> None:
        for e in range(begin, end):
            trace = empty_trace(record, times, arrived=arrived, traced=False)
            run_one(record, table[e], trace)
            means[e], covariances[e] = trace.mean, trace.covariance

    in_parts(part, len(table), threads)
    return means[:, places], covariances[:, places]


def smoothed_states(
    record: Record, table: np.ndarray, times: np.ndarray, *, arrived: bool, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed means and covariances, given all contests; see `filtered_states`."""
    size, (times, places) = state_size(record), sorted_times(record, times)
    means = np.empty((len(table), times.size, size))
    covariances = np.empty((len(table), times.size, size, size))

    def part(begin: int, end: int) -> None:
        for e in range(begin, end):
            trace, vectors, matrices = adjoints(record, table[e : e + 1], times, arrived=arrived)
            p = trace.covariance
            means[e] = trace.mean + np.einsum("sij,sj->si", p, vectors)
            covariances[e] = p - product_in_one_thread(product_in_one_thread(p, matrices), p)

    in_parts(part, len(table), threads)
    return means[:, places], covariances[:, places]


def smoothed_moments(
    record: Record, row: np.ndarray, times: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed means and variances of ratings, centered on a mean; times in ascending order.

    As in `smoothed_states`, of whose covariances only the diagonals are computed. `share` of each
    individual in the mean that is subtracted, (times, individuals).
    """
    trace, vectors, matrices = adjoints(record, row, times, arrived=False)
    mean, variance = centered_at(trace.mean, trace.covariance, share)
    rows = trace.covariance[:, -share.shape[1] :]
    rows = rows - share[:, None] @ rows
    mean += (rows @ vectors[..., None])[..., 0]
    variance -= (product_in_one_thread(rows, matrices) * rows).sum(axis=-1)
    return mean, variance


def centered_at(
    means: np.ndarray, covariances: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of ratings, which come last in the state, minus a weighted mean."""
    rated = slice(-share.shape[1], None)
    means, block = means[:, rated], covariances[:, rated, rated]
    shared = (block @ share[..., None])[..., 0]
    variance = np.diagonal(block, axis1=1, axis2=2) - 2 * shared
    variance = variance + (shared * share).sum(axis=1, keepdims=True)
    centered = means - (means * share).sum(axis=1, keepdims=True)
    return centered, variance


def smoothed_means(
    record: Record, table: np.ndarray, times: np.ndarray, *, arrived: bool, threads: int = 1
) -> np.ndarray:
    """The means of `smoothed_states`, several times as fast as with their covariances."""
    size, (times, places) = state_size(record), sorted_times(record, times)
    means = np.empty((len(table), times.size, size))

    def part(begin: int, end: int) -> None:
        for e in range(begin, end):
            trace, vectors, _ = adjoints(record, table[e : e + 1], times, arrived=arrived)
            means[e] = trace.mean + np.einsum("sij,sj->si", trace.covariance, vectors)

    in_parts(part, len(table), threads)
    return means[:, places]


def adjoints(
    record: Record, row: np.ndarray, times: np.ndarray, *, arrived: bool
) -> tuple[Trace, np.ndarray, np.ndarray]:
    """States (m, P) of one filter at ascending times, with λ and Λ of the contests after each.

    Given all contests, the state is N(m + Pλ, P − PΛP).
    """
    size = state_size(record)
    trace = empty_trace(record, times, arrived=arrived, traced=True)
    vectors, matrices = np.empty((times.size, size)), np.empty((times.size, size, size))
    run_one(record, row[0], trace)
    vector, h, u, y = np.zeros((4, size))
    matrix = np.zeros((size, size))
    backward(record, row[0, GAIN], trace, vector, matrix, h, u, y, vectors, matrices)
    return trace, vectors, matrices


def predicted_differences(
    record: Record, table: np.ndarray, *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance of the logit δ before each contest; its log chance; filters × contests."""
    centers, variances, log_chances = np.empty((3, len(table), record.winner.size))

    def part(begin: int, end: int) -> None:
        for e in range(begin, end):
            trace = empty_trace(record, np.zeros(0, np.int64), arrived=False, traced=True)
            log_chances[e] = run_one(record, table[e], trace).log_chances
            variances[e], centers[e] = trace.slopes[:, 2], trace.slopes[:, 3]

    in_parts(part, len(table), threads)
    return centers, variances, log_chances


def in_parts(part: Callable[[int, int], None], number: int, threads: int) -> None:
    """Call part(begin, end) for intervals that cover 0 … number, in parallel if several."""
    if threads == 1 or number < 2:
        part(0, number)
        return
    edges = np.linspace(0, number, min(number, 8 * threads) + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(part, a, b) for a, b in pairwise(edges)]:
            done.result()


MOST_STEPS = 60
ACCURACY = 1e-9  # of a quantile, in standard deviations of the narrowest component
ROOT_2_PI = float(np.sqrt(2 * np.pi))
FEW_ROWS = 4  # of a product, with fewer at once, threads are faster
ONE_THREAD = 200_000  # multiplications below which OpenBLAS does not start threads


def log_sum_exp(x: np.ndarray) -> float:
    """Logarithm of Σ e^x."""
    highest = x.max()
    return float(highest + np.log(np.exp(x - highest).sum()))


def mixture_moments(weights, means, variances) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of a mixture, by the law of total variance."""
    mean = weights @ means
    return mean, np.sqrt(np.maximum(weights @ (variances + (means - mean) ** 2), 0.0))


def square_roots(covariances: np.ndarray) -> np.ndarray:
    """L with L L′ = covariance, for each covariance; also if rounding makes one singular.

    Entries without variance (individuals that have not entered) get a variance of 1, with which
    there is a Cholesky factor, and a row of zeros in it.
    """
    covariances = np.array(covariances)
    entries = np.arange(covariances.shape[-1])
    fixed = covariances[:, entries, entries] == 0
    covariances[:, entries, entries] += fixed
    try:
        roots = np.linalg.cholesky(covariances)
        roots[:, entries, entries] -= fixed
    except np.linalg.LinAlgError:
        covariances[:, entries, entries] -= fixed
        values, vectors = np.linalg.eigh(covariances)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return roots


def labeled_draws(
    weights, means, covariances, number: int, random
) -> tuple[np.ndarray, np.ndarray]:
    """Independent draws: a component by its weight, then from its Gaussian; both are returned."""
    counts = random.multinomial(number, weights / weights.sum())
    used = np.flatnonzero(counts)
    roots = square_roots(covariances[used])
    which = random.permutation(np.repeat(np.arange(used.size), counts[used]))
    normal = random.standard_normal((number, means.shape[1]))
    draws = np.empty(normal.shape)
    for place, component in enumerate(used):
        rows = np.flatnonzero(which == place)
        draws[rows] = means[component] + in_one_thread(normal[rows], roots[place])
    return used[which], draws


def in_one_thread(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Rows @ matrix.T, in parts so small that OpenBLAS starts no threads, which wait busily."""
    out = np.empty((len(rows), len(matrix)))
    step = max(1, ONE_THREAD // matrix.size)
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        np.matmul(rows[part], matrix.T, out=out[part])
    return out


def product_in_one_thread(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Products with square matrices on the last two axes, in parts as in `in_one_thread`.

    Of large matrices, for which threads are worth starting, the whole product.
    """
    step = ONE_THREAD // left.shape[-1] ** 2
    if step < FEW_ROWS:
        return left @ right
    out = np.empty(left.shape)
    for begin in range(0, left.shape[-2], step):
        part = slice(begin, begin + step)
        np.matmul(left[..., part, :], right, out=out[..., part, :])
    return out


def mixture_quantiles(weights, means, deviations, shares) -> np.ndarray:
    """Quantiles of mixtures of normals, (…, shares); components on the first axis.

    A quantile lies between the smallest and the largest of its components. Within these bounds,
    Newton steps on the distribution function, and bisection where a step would leave them.
    """
    from scipy.special import ndtr, ndtri

    weights = np.asarray(weights).reshape(-1, *[1] * (means.ndim - 1))
    deviations = np.maximum(deviations, 1e-12)
    out = np.empty((*means.shape[1:], len(shares)))
    for i, share in enumerate(shares):
        each = means + ndtri(share) * deviations
        low, high = each.min(axis=0), each.max(axis=0)
        at = (weights * each).sum(axis=0)
        for _ in range(MOST_STEPS):
            z = (at - means) / deviations
            ahead = (weights * ndtr(z)).sum(axis=0) - share
            low, high = np.where(ahead < 0, at, low), np.where(ahead < 0, high, at)
            density = (weights * np.exp(-0.5 * z * z) / deviations).sum(axis=0) / ROOT_2_PI
            step = ahead / np.maximum(density, 1e-300)
            there = at - step
            at = np.where((there >= low) & (there <= high), there, (low + high) / 2)
            if np.all(np.abs(step) <= ACCURACY * deviations.min(axis=0)):
                break
        out[..., i] = at
    return out
