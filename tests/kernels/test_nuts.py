"""The sampler on targets whose moments are known, and its diagnostics against others' values."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, types
from numba.extending import overload

from peckorder.kernels import load, nuts
from peckorder.kernels.nuts import DONE, HOPELESS, STATISTICS, STOPPED
from peckorder.ratings import sampler
from peckorder.ratings.posterior_checks import smoothed
from tests import fit_twin as twin

load()


class Exact(NamedTuple):
    """A Gaussian with a precision matrix; with an empty one Neal's funnel, not centered."""

    precision: np.ndarray
    spread: float


@njit(_nrt=True)  # makes arrays
def density(x, slope, target):
    if target.precision.size:
        slope[:] = -(target.precision @ x)
        return 0.5 * np.dot(x, slope)
    # v ~ N(0, spread), and z standard normal: the funnel is v and e^(v/2) z.
    slope[:] = -x
    slope[0] = -x[0] / target.spread**2
    return 0.5 * np.dot(x, slope) if target.spread > 0 else np.nan


@overload(nuts.density)
def density_of_exact(x, gradient, target):
    if isinstance(target, types.NamedTuple) and target.instance_class is Exact:
        return lambda x, gradient, target: density(x, gradient, target)
    return None


@overload(nuts.refresh)
def refresh_of_exact(x, random, target):
    if isinstance(target, types.NamedTuple) and target.instance_class is Exact:
        return lambda x, random, target: False
    return None


sample = njit(nuts.sample.py_func)  # not kept on disk, where a target of tests has no place


def chains(target, size, number=4, warmup=1000, samples=2000, stopped=0):
    draws = np.empty((number, samples, size))
    statistics = np.empty((number, samples, STATISTICS))
    done, stop = np.zeros(number, np.int64), np.full(1, stopped, np.int64)
    states = []
    for c in range(number):
        chain = nuts.Chain(np.uint64(7), c, warmup, 0.8)
        record = nuts.Record(draws[c], statistics[c], done, stop)
        room = nuts.room_for(size, warmup)
        states.append(sample(target, chain, np.zeros(size), np.ones(size), record, room)[0])
    return draws, statistics, states, done


@pytest.mark.slow
def test_gaussian_with_known_covariance():
    size = 50
    random = np.random.default_rng(1)
    scale = np.exp(random.normal(0, 1.0, size))
    loading = random.normal(0, 0.3, (size, 3))
    covariance = (np.eye(size) + loading @ loading.T) * np.outer(scale, scale)
    target = Exact(np.linalg.inv(covariance), 0.0)
    draws, statistics, states, done = chains(target, size)
    assert states == [DONE] * 4
    assert done.tolist() == [3000] * 4
    assert statistics[..., 5].sum() == 0
    sd = np.sqrt(np.diag(covariance))
    error = sampler.mcse(draws)
    assert np.abs(draws.mean(axis=(0, 1)) / error).max() < 4.5
    squares = draws**2
    error = sampler.mcse(squares)
    assert np.abs((squares.mean(axis=(0, 1)) - sd**2) / error).max() < 4.5
    found = np.corrcoef(draws.reshape(-1, size).T)
    truth = covariance / np.outer(sd, sd)
    assert np.abs(found - truth).max() < 0.06
    assert sampler.rhat(draws).max() < 1.01


def test_neals_funnel_not_centered():
    draws, _, _, _ = chains(Exact(np.zeros((0, 0)), 3.0), 10)
    v = draws[..., 0]
    for power, expected in ((1, 0.0), (2, 9.0)):
        values = (v**power)[..., None]
        assert abs(values.mean() - expected) < 4.5 * sampler.mcse(values)[0]
    # Chance that e^(v/2)|z| stays below 1, by numerical integration.
    from scipy.stats import norm

    grid = np.linspace(-20, 20, 8001)
    weight = norm.pdf(grid, 0, 3)
    expected = np.trapezoid(weight * (2 * norm.cdf(np.exp(-grid / 2)) - 1), grid)
    inside = (np.abs(np.exp(v / 2) * draws[..., 1]) < 1).astype(float)[..., None]
    assert abs(inside.mean() - expected) < 4.5 * sampler.mcse(inside)[0]


def test_stopped_and_hopeless_chains_say_so():
    target = Exact(np.zeros((0, 0)), 1.0)
    _, _, states, done = chains(target, 3, stopped=1)
    assert states == [STOPPED] * 4
    assert done.sum() == 0
    assert chains(Exact(np.zeros((0, 0)), -1.0), 3)[2] == [HOPELESS] * 4


@pytest.mark.parametrize(("warmup", "samples"), [(0, 5), (1, 1), (10, 20), (149, 10), (150, 10)])
def test_any_length_of_warm_up(warmup, samples):
    draws, _, states, _ = chains(Exact(np.zeros((0, 0)), 1.0), 3, warmup=warmup, samples=samples)
    assert states == [DONE] * 4
    assert np.isfinite(draws).all()


def autoregressive(random, correlation, number, samples):
    x = np.zeros((number, samples))
    x[:, 0] = random.normal(size=number)
    for i in range(1, samples):
        x[:, i] = correlation * x[:, i - 1] + random.normal(size=number)
    return x


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize(("number", "samples"), [(4, 500), (1, 100), (3, 101), (2, 20), (4, 8)])
def test_diagnostics_are_those_of_the_twin_and_of_arviz(correlation, number, samples):
    random = np.random.default_rng(abs(hash((number, samples))) % 1000)
    x = autoregressive(random, correlation, number, samples)
    ess, rhat = sampler.bulk_ess(x[..., None])[0], sampler.rhat(x[..., None])[0]
    assert ess == pytest.approx(twin.bulk_ess(x.tolist()), rel=1e-9)
    if number > 1:
        assert rhat == pytest.approx(twin.rhat(x.tolist()), rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz

        if arviz.__version__.startswith("1."):  # which estimates autocorrelation in another way
            near = float(np.asarray(arviz.ess({"x": x})["x"]))
            assert ess == pytest.approx(near, rel=0.6)
            return
        data = arviz.convert_to_dataset({"x": x})
        assert ess == pytest.approx(float(arviz.ess(data)["x"]), rel=1e-6)
        tail = float(arviz.ess(data, method="tail")["x"])
        assert sampler.tail_ess(x[..., None])[0] == pytest.approx(tail, rel=1e-6)
        error = float(arviz.mcse(data)["x"])
        assert sampler.mcse(x[..., None])[0] == pytest.approx(error, rel=1e-6)


def test_smoothed_weights_are_those_of_the_twin():
    random = np.random.default_rng(3)
    for tails in (0.3, 1.0, 3.0):
        terms = tails * random.normal(size=(400, 5)) - 1
        elpd, shape = twin.psis_loo(terms.tolist())
        for j in range(5):
            weight, k = smoothed(-terms[:, j])
            assert k == pytest.approx(shape[j], abs=1e-9)
            assert np.log(np.exp(weight + terms[:, j]).sum()) == pytest.approx(elpd[j], abs=1e-9)
    flat, k = smoothed(np.zeros(100))
    assert np.allclose(np.exp(flat), 0.01)
    assert k == np.inf
