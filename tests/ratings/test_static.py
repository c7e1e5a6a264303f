"""Constant ratings without an order of contests: against exact integrals, samplers and itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import peckorder as po
from peckorder.ratings.dynamic import fit, pairs_of
from tests.examples import examples

SIGMA = np.array([0.5, 1.3])


def exact(winner, loser, tied, nu, sigma, draws=400_000):
    """Log evidence, means and standard deviations by importance sampling from the prior."""
    random = np.random.default_rng(1)
    rating = random.normal(0, sigma, (draws, 3))
    ahead = rating[:, winner] - rating[:, loser]
    total = np.exp(ahead / 2) + np.exp(-ahead / 2) + nu
    weight = np.prod(np.where(tied, nu, np.exp(ahead / 2)) / total, axis=1)
    mean = weight @ rating / weight.sum()
    second = weight @ rating**2 / weight.sum()
    return np.log(weight.mean()), mean, np.sqrt(second - mean**2)


@pytest.mark.parametrize("nu", [0.0, 0.7])
def test_means_deviations_and_evidence_are_those_of_the_exact_posterior(nu):
    winner, loser = np.array([0, 0, 0, 1, 2, 0]), np.array([1, 1, 2, 2, 1, 2])
    tied = np.array([0, 0, 1, 0, 1, 0], bool) if nu else np.zeros(6, bool)
    means, covariances, evidence = fit(
        pairs_of(winner, loser, tied, np.zeros((6, 0))), 3, SIGMA, np.zeros(0), nu
    )
    for e, sigma in enumerate(SIGMA):
        log_evidence, mean, sd = exact(winner, loser, tied, nu, sigma)
        assert evidence[e] == pytest.approx(log_evidence, abs=0.01)
        assert means[e, 1:] == pytest.approx(mean, abs=0.01)
        assert np.sqrt(np.diag(covariances[e])[1:]) == pytest.approx(sd, rel=0.01)


def test_effects_of_covariates_are_those_of_the_exact_posterior():
    winner, loser = np.array([0, 1, 0, 1, 0]), np.array([1, 0, 1, 0, 1])
    x = np.array([1.0, 1.0, 1.0, -1.0, 1.0])
    means, _, _ = fit(
        pairs_of(winner, loser, np.zeros(5, bool), x[:, None]),
        2,
        np.array([1.0]),
        np.array([0.5]),
        0.0,
    )
    random = np.random.default_rng(2)
    rating, effect = random.normal(0, 1, (400_000, 2)), random.normal(0, 0.5, 400_000)
    ahead = rating[:, winner] - rating[:, loser] + effect[:, None] * x
    weight = np.prod(expit(ahead), axis=1)
    assert means[0, 1] == pytest.approx(weight @ effect / weight.sum(), abs=0.01)


@examples(15)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=25))
def test_order_and_side_do_not_matter(contests):
    a = np.array([one for one, _ in contests])
    b = (a + [step for _, step in contests]) % 4
    tied, none = np.zeros(len(a), bool), np.zeros((len(a), 0))
    order = np.random.default_rng(1).permutation(len(a))
    one = fit(pairs_of(a, b, tied, none), 4, SIGMA, np.zeros(0), 0.0)
    two = fit(pairs_of(a[order], b[order], tied, none), 4, SIGMA, np.zeros(0), 0.0)
    turned = fit(pairs_of(b, a, tied, none), 4, SIGMA, np.zeros(0), 0.0)
    assert one[0] == pytest.approx(two[0], abs=1e-9)
    assert one[2] == pytest.approx(two[2], abs=1e-9)
    assert one[0][:, 1:] == pytest.approx(-turned[0][:, 1:], abs=1e-4)
    assert one[2] == pytest.approx(turned[2], abs=1e-4)


def test_a_matrix_gives_the_posterior_of_a_sampler():
    bonobos = po.datasets.bonobos()
    found = po.dynamic(bonobos, samples=4000, prior="normal", seed=1)
    sampled = po.elo_bayes(bonobos, k=0, prior_sigma=2.5, seed=1, threads=1)
    mine, other = (one.final - one.final.mean(axis=1, keepdims=True) for one in (found, sampled))
    sd = other.std(axis=0)
    assert np.abs(mine.mean(axis=0) - other.mean(axis=0)).max() < 0.25 * sd.max()
    assert np.all((mine.std(axis=0) / sd > 0.8) & (mine.std(axis=0) / sd < 1.3))
    assert list(found) == list(sampled)
    assert found.outranks("Ho", "De") == pytest.approx(sampled.outranks("Ho", "De"), abs=0.05)
    assert found.at(100)["rating"].to_list() == pytest.approx(found.table["rating"].to_list())


def test_a_matrix_is_ranked_as_its_truth_whatever_the_order_of_its_rows():
    random = np.random.default_rng(3)
    truth = np.linspace(3, -3, 10)
    wins = np.zeros((10, 10), int)
    for _ in range(200):
        a, b = random.choice(10, 2, replace=False)
        one_wins = random.random() < expit(truth[a] - truth[b])
        wins[(a, b) if one_wins else (b, a)] += 1
    names = [f"i{i}" for i in range(10)]
    found = po.dynamic(po.read(wins, individuals=names), seed=1)
    back = po.dynamic(po.read(wins[::-1, ::-1], individuals=names[::-1]), seed=1)
    spearman = np.corrcoef([list(found).index(name) for name in names], np.arange(10))[0, 1]
    assert spearman > 0.95
    for name in names:
        assert found[name] == pytest.approx(back[name], abs=0.1)
