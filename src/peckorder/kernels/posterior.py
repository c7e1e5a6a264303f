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

from peckorder.kernels import PART, compiled, copy, part, when_loaded
from peckorder.kernels.likelihood import SLOTS, ContestArrays, groups, log_likelihood
from peckorder.kernels.likelihood import gradient as gradient_of
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
    contests, kept, halls = model.contests, target.kept, target.halls
    copy(adjoint, start)
    value = log_likelihood(contests, k, nu, home, adjoint, kept, halls)
    by_log_nu, by_home = gradient_of(contests, k, nu, kept, halls, target.bars, adjoint, by_k)
    size = start.size
    at = size
    for i in range(size):
        gradient[i] = sigma[model.sigma_of[i]] * adjoint[i] - x[i]
        value -= 0.5 * x[i] * x[i]
    if model.sigmas > 0:
        for s in range(model.sigmas):
            gradient[at + s] = 0.0
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
def given_scores(t, number, squares, scale):
    """Log density of t = log σ given the starting scores of a population."""
    return t - number * t - 0.5 * squares * math.exp(-2.0 * t) - 0.5 * (math.exp(t) / scale) ** 2


@part
def height(t, number, squares, target, nu, home):
    """Log density of log σ of a population, or (number 0) of the sampled k given all scores."""
    model, score = target.model, target.adjoint
    if number > 0.0:
        return given_scores(t, number, squares, model.prior_sigma)
    copy(score, target.start)
    target.k[0] = above_zero(t)
    value = log_likelihood(model.contests, target.k, nu, home, score, target.kept, target.halls)
    return value + half_normal(t, model.prior_k)[0]


@part
def redraw(x, random, target):
    """One step of slice sampling for each σ, and often for a single k; whether there were any.

    Each σ is drawn anew given the starting scores themselves, and z = start/σ. Given the scores, σ
    no longer depends on the contests: the centered half of interweaving (Yu & Meng 2011), which
    mixes where the other is slow. Here t is log σ. A single k is drawn given everything else: near
    0 the density of what is sampled has a long tail, in which trajectories are slow.
    """
    model = target.model
    size = target.start.size
    nu, home = 0.0, 0.0
    for s in range(model.sigmas + 1 if model.sigmas > 0 else 0):
        t, width, number, squares = x[size + s], WINDOW, 0.0, 0.0
        if s < model.sigmas:
            t = math.log(above_zero(t))
            for i in range(size):
                if model.sigma_of[i] == s:
                    number += 1.0
                    squares += x[i] * x[i]
            squares *= math.exp(2.0 * t)
            width = 2.0 / math.sqrt(number + 1.0)
        elif model.k_kind == FREE and model.ks == 1 and uniform(random) < OFTEN:
            _, nu, home = unfold(x, model, target.start, target.sigma, target.k)
        else:  # a pass over the contests for each height is too much for every draw
            break
        level = height(t, number, squares, target, nu, home) + math.log(uniform(random))
        low = t - width * uniform(random)
        high = low + width
        for side in range(2):
            for _ in range(MOST):
                end = high if side else low
                if not height(end, number, squares, target, nu, home) > level:
                    break
                high += width if side else 0.0
                low -= 0.0 if side else width
        new = low + (high - low) * uniform(random)
        while height(new, number, squares, target, nu, home) < level:
            if new < t:
                low = new
            else:
                high = new
            new = low + (high - low) * uniform(random)
        x[size + s] = new
        if s < model.sigmas:
            x[size + s] = from_above_zero(math.exp(new))
            for i in range(size):
                if model.sigma_of[i] == s:
                    x[i] *= math.exp(t - new)
    return model.sigmas > 0


@when_loaded
def told_to_the_sampler():
    """Make `density` and `refresh` of a workplace those of the posterior."""
    from numba import types
    from numba.extending import overload

    def is_workplace(target):
        return isinstance(target, types.NamedTuple) and target.instance_class is Workplace

    @overload(density, jit_options=PART)
    def density_of_workplace(x, gradient, target):
        return log_density if is_workplace(target) else None

    @overload(refresh, jit_options=PART)
    def refresh_workplace(x, random, target):
        return redraw if is_workplace(target) else None


def workplace(model):
    """A place for one chain to work at (made by plain Python)."""
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
def density_at(x, slope, target):
    """Log density and gradient at one position."""
    return density(x, slope, target)


sample_posterior = compiled(sample)
