"""Goffe et al.'s (2018) model as a density, not centered: start = σz.

What is above 0 (σ, k, τ) is sampled as x with value log(1 + e^x): like a logarithm near 0, like
the value itself far from it, so that no wall is steep.

The position holds, in this order: z of every individual; σ of every population (none where σ is
fixed); k of every class (none where k is fixed; where classes are pooled, k of the typical class,
the spread τ, and one u per class: log k_c = log k + τu_c); log ν and the home advantage where
they are estimated.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import OPTIONS, compiled, part, when_loaded
from peckorder.kernels.likelihood import SLOTS, ContestArrays, evaluate, groups, log_likelihood
from peckorder.kernels.nuts import density, refresh, sample
from peckorder.kernels.random import uniform

FIXED, FREE, POOLED = 0, 1, 2
WINDOW, OFTEN = 0.7, 0.5  # first width of a slice of k, and how often one is taken
MOST = 1000  # times that a slice is widened on each side: far more than a sampler in place needs


class Model(NamedTuple):
    """Populations, classes of k and prior scales."""

    contests: ContestArrays
    sigma_of: np.ndarray  # int32: population of each individual
    sigmas: int  # number of free σ
    sigma: float  # σ where it is fixed
    k_kind: int
    ks: int  # number of classes of k that are estimated
    k: float  # k where it is fixed
    burn_k: float  # k of contests before the first that counts
    with_nu: bool
    with_home: bool
    home_advantage: float  # where it is fixed
    prior_sigma: float
    prior_k: float
    prior_spread: float
    prior_nu: float
    prior_home: float


class Workplace(NamedTuple):
    """A model with the arrays its density writes to on the way: one for each chain."""

    model: Model
    kept: np.ndarray
    halls: np.ndarray
    bars: np.ndarray
    start: np.ndarray
    adjoint: np.ndarray
    sigma: np.ndarray
    k: np.ndarray
    by_k: np.ndarray


@part
def above_zero(x):
    """log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@part
def from_above_zero(value):
    """The x of a value."""
    return value + math.log(-math.expm1(-value))


@part
def unfold(x, model, start, sigma, k):
    """Parameters from a position: fills start, σ and k; returns τ, ν and home advantage."""
    size = start.size
    at = size
    for s in range(sigma.size):
        sigma[s] = above_zero(x[at + s]) if model.sigmas > 0 else model.sigma
    at += model.sigmas
    for i in range(size):
        start[i] = sigma[model.sigma_of[i]] * x[i]
    spread = 0.0
    k[-1] = model.burn_k
    if model.k_kind == FIXED:
        k[0] = model.k
    elif model.k_kind == FREE:
        for c in range(model.ks):
            k[c] = above_zero(x[at + c])
        at += model.ks
    else:
        spread = above_zero(x[at + 1])
        for c in range(model.ks):
            k[c] = above_zero(x[at]) * math.exp(spread * x[at + 2 + c])
        at += 2 + model.ks
    nu = 0.0
    if model.with_nu:
        nu = math.exp(x[at])
        at += 1
    home = x[at] if model.with_home else model.home_advantage
    return spread, nu, home


@part
def half_normal(x, scale):
    """Of v = log(1 + e^x), half-normal of this scale: log density of x, its slope, and dv/dx."""
    value = above_zero(x)
    share = 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else math.exp(x)
    ratio = value / scale
    return x - value - 0.5 * ratio * ratio, 1.0 - share - ratio / scale * share, share


@part
def log_density(x, gradient, target):
    """Log posterior density up to a constant, and its gradient in `gradient`."""
    model, start, adjoint = target.model, target.start, target.adjoint
    sigma, k, by_k = target.sigma, target.k, target.by_k
    spread, nu, home = unfold(x, model, start, sigma, k)
    value, by_log_nu, by_home = evaluate(
        model.contests, start, k, nu, home, target.kept, target.halls, target.bars, adjoint, by_k
    )
    size = start.size
    at = size
    gradient[:] = 0.0
    for i in range(size):
        gradient[i] = sigma[model.sigma_of[i]] * adjoint[i] - x[i]
        value -= 0.5 * x[i] * x[i]
    if model.sigmas > 0:
        for i in range(size):
            gradient[at + model.sigma_of[i]] += adjoint[i] * x[i]
        for s in range(model.sigmas):
            prior, by, share = half_normal(x[at + s], model.prior_sigma)
            value += prior
            gradient[at + s] = gradient[at + s] * share + by
        at += model.sigmas
    if model.k_kind == FREE:
        for c in range(model.ks):
            prior, by, share = half_normal(x[at + c], model.prior_k)
            value += prior
            gradient[at + c] = by_k[c] * share + by
        at += model.ks
    elif model.k_kind == POOLED:
        prior, by, share = half_normal(x[at], model.prior_k)
        value += prior
        gradient[at] = by
        spread_prior, spread_by, spread_share = half_normal(x[at + 1], model.prior_spread)
        value += spread_prior
        gradient[at + 1] = spread_by
        typical = above_zero(x[at])
        for c in range(model.ks):
            u = x[at + 2 + c]
            by_log_k = by_k[c] * k[c]
            gradient[at] += by_log_k / typical * share
            gradient[at + 1] += by_log_k * u * spread_share
            gradient[at + 2 + c] = by_log_k * spread - u
            value -= 0.5 * u * u
        at += 2 + model.ks
    if model.with_nu:
        value -= 0.5 * (x[at] / model.prior_nu) ** 2
        gradient[at] = by_log_nu - x[at] / model.prior_nu**2
        at += 1
    if model.with_home:
        value -= 0.5 * (x[at] / model.prior_home) ** 2
        gradient[at] = by_home - x[at] / model.prior_home**2
    # Far out a k may overflow: no density there.
    return value if math.isfinite(value) else -math.inf


@part
def given_starts(t, target, nu, home):
    """Log density of the sampled k at t given the starting scores in `target`."""
    model, score = target.model, target.adjoint
    for i in range(score.size):
        score[i] = target.start[i]
    target.k[0] = above_zero(t)
    value = log_likelihood(model.contests, target.k, nu, home, score, target.kept, target.halls)
    return value + half_normal(t, model.prior_k)[0]


@part
def redraw_k(x, random, target):
    """Draw a single k anew given everything else: one step of slice sampling.

    Near 0 the density of what is sampled has a long tail, in which trajectories are slow.
    """
    model = target.model
    at = target.start.size + model.sigmas
    _, nu, home = unfold(x, model, target.start, target.sigma, target.k)
    t = x[at]
    level = given_starts(t, target, nu, home) + math.log(uniform(random))
    low = t - WINDOW * uniform(random)
    high = low + WINDOW
    for _ in range(MOST):
        if not given_starts(low, target, nu, home) > level:
            break
        low -= WINDOW
    for _ in range(MOST):
        if not given_starts(high, target, nu, home) > level:
            break
        high += WINDOW
    new = low + (high - low) * uniform(random)
    while given_starts(new, target, nu, home) < level:
        if new < t:
            low = new
        else:
            high = new
        new = low + (high - low) * uniform(random)
    x[at] = new


@part
def redraw_sigma(x, random, target):
    """Draw each σ anew given the starting scores themselves, and put z = start/σ.

    Given the scores, σ no longer depends on the contests: the centered half of interweaving
    (Yu & Meng 2011), which mixes where the other is slow. One step of slice sampling on log σ.
    """
    model, start = target.model, target.start
    size = start.size
    for s in range(model.sigmas):
        t = math.log(above_zero(x[size + s]))
        number = 0.0
        squares = 0.0
        for i in range(size):
            if model.sigma_of[i] == s:
                number += 1.0
                squares += x[i] * x[i]
        squares *= math.exp(2.0 * t)
        level = given_scores(t, number, squares, model.prior_sigma) + math.log(uniform(random))
        width = 2.0 / math.sqrt(number + 1.0)
        low = t - width * uniform(random)
        high = low + width
        for _ in range(MOST):
            if not given_scores(low, number, squares, model.prior_sigma) > level:
                break
            low -= width
        for _ in range(MOST):
            if not given_scores(high, number, squares, model.prior_sigma) > level:
                break
            high += width
        new = low + (high - low) * uniform(random)
        while given_scores(new, number, squares, model.prior_sigma) < level:
            if new < t:
                low = new
            else:
                high = new
            new = low + (high - low) * uniform(random)
        x[size + s] = from_above_zero(math.exp(new))
        for i in range(size):
            if model.sigma_of[i] == s:
                x[i] *= math.exp(t - new)


@compiled
def given_scores(t, number, squares, scale):
    """Log density of t = log σ given the starting scores of a population."""
    return t - number * t - 0.5 * squares * math.exp(-2.0 * t) - 0.5 * (math.exp(t) / scale) ** 2


@part
def redraw(x, random, target):
    """The kernels that go with the trajectories; whether the position moved."""
    redraw_sigma(x, random, target)
    model = target.model
    single = model.k_kind == FREE and model.ks == 1 and model.sigmas > 0
    if single and uniform(random) < OFTEN:  # it costs some passes over the contests
        redraw_k(x, random, target)
        return True
    return model.sigmas > 0


@when_loaded
def told_to_the_sampler():
    """Make `density` and `refresh` of a workplace those of the posterior."""
    from numba import types
    from numba.extending import overload

    def is_workplace(target):
        return isinstance(target, types.NamedTuple) and target.instance_class is Workplace

    @overload(density, jit_options=OPTIONS)
    def density_of_workplace(x, gradient, target):
        return log_density.py_func if is_workplace(target) else None

    @overload(refresh, jit_options=OPTIONS)
    def refresh_workplace(x, random, target):
        return redraw.py_func if is_workplace(target) else None


@part
def workplace(model):
    """A place for one chain to work at."""
    size = model.sigma_of.size
    halls = groups(model.contests)
    return Workplace(
        model,
        np.empty((SLOTS, model.contests.first.size)),
        np.zeros((halls, 3)),
        np.zeros((halls, 2)),
        np.empty(size),
        np.empty(size),
        np.empty(max(model.sigmas, 1)),
        np.empty(max(model.ks, 1) + 1),
        np.empty(max(model.ks, 1) + 1),
    )


@compiled
def density_at(x, slope, model):
    """Log density and gradient at one position."""
    return density(x, slope, workplace(model))


@compiled
def sample_posterior(model, chain, start, metric, record):
    """One chain of the posterior: see `nuts.sample`."""
    return sample(workplace(model), chain, start, metric, record)
