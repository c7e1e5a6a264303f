"""What a bank of filters says of ratings: moments and draws, centered on those in the group."""

import numpy as np

from peckorder.ratings.filter_bank import present_after
from peckorder.ratings.filter_runner import (
    filtered_states,
    labeled_draws,
    mixture_moments,
    smoothed_states,
)


def present(bank):
    return present_after(bank.intervals, bank.record.winner.size)


def centered_moments(weights, means, covariances, at):
    center = np.eye(at.size) - 1 / at.size
    block = center @ covariances[:, at[:, None], at] @ center
    return mixture_moments(weights, means[:, at] @ center, np.diagonal(block, axis1=1, axis2=2))


def centered_draws(weights, means, covariances, at, number, seed):
    random = np.random.default_rng(seed)
    block = covariances[:, at[:, None], at]
    drawn = labeled_draws(weights, means[:, at], block, number, random)[1]
    return drawn - drawn.mean(axis=1, keepdims=True)


def ratings(bank):
    """Mean and SD of the ratings of those present."""
    at = present(bank) + bank.coefficients
    return centered_moments(bank.weights, bank.means, bank.covariances, at)


def draws(bank, number, seed, filters=True):
    """Draws of the ratings of those present, from the filters of a mask."""
    at = present(bank) + bank.coefficients
    return centered_draws(bank.weights * filters, bank.means, bank.covariances, at, number, seed)


def states(bank, times, filters=None):
    """Weights, smoothed means and covariances of the filters that matter."""
    filters = bank.weighty() if filters is None else filters
    means, covariances = smoothed_states(
        bank.record, bank.table[filters], np.asarray(times), arrived=False
    )
    return bank.weights[filters] / bank.weights[filters].sum(), means, covariances


def smoothed(bank, times, filters=None):
    """Mean and SD of smoothed ratings, times × individuals; NaN for those absent."""
    weights, means, covariances = states(bank, times, filters)
    out = np.full((2, len(times), bank.record.founder.size), np.nan)
    for s, t in enumerate(times):
        who = present_after(bank.intervals, t)
        own = means[:, s], covariances[:, s], who + bank.coefficients
        out[:, s, who] = centered_moments(weights, *own)
    return out


def smoothed_draws(bank, times, number, seed):
    """Draws × times × individuals."""
    weights, means, covariances = states(bank, times)
    out = np.full((number, len(times), bank.record.founder.size), np.nan)
    for s, t in enumerate(times):
        who = present_after(bank.intervals, t)
        own = means[:, s], covariances[:, s], who + bank.coefficients
        out[:, s, who] = centered_draws(weights, *own, number, seed + s)
    return out


def adaptive_coefficients(bank):
    """Mean and SD of the coefficients of adaptive ratings."""
    variances = np.diagonal(bank.filtered.covariances, axis1=1, axis2=2)[:, : bank.offset]
    means = bank.filtered.means[:, : bank.offset]
    return mixture_moments(bank.weights[-1], means, variances)


def adaptive_ratings(bank, times, *, hindsight=False):
    """Mean and SD of adaptive ratings given the contests before each time, or given all."""
    states_at = smoothed_states if hindsight else filtered_states
    means, covariances = states_at(bank.record, bank.table, np.asarray(times), arrived=True)
    weights = np.tile(bank.weights[-1], (len(times), 1)) if hindsight else bank.weights[times]
    out = np.full((2, len(times), bank.individuals), np.nan)
    for i, t in enumerate(times):
        own = bank.moments(t, weights[i], means[:, i], covariances[:, i], hindsight=hindsight)
        out[:, i, bank.first < t] = np.array(own)[:, bank.first < t]
    return out
