"""Constant ratings without an order of contests: against exact integrals, samplers and itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import peckorder as po
from peckorder.ratings import static_fit
from peckorder.ratings.static_fit import fit, pairs_of
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


KINDS = ("random", "loser", "linear", "star", "cycle", "chain", "all tied", "one pair 1000:0")


def hard(kind, size=9):
    """Winner, loser and ties of records with extreme posteriors."""
    above = np.array([(i, j) for i in range(size) for j in range(i + 1, size)])
    ring = np.column_stack([np.arange(size), np.roll(np.arange(size), -1)])
    random = np.random.default_rng(1)
    some = random.permuted(above[random.integers(0, len(above), 60)], axis=1)
    pairs = {
        "linear": np.repeat(above, 3, axis=0),
        "star": np.repeat(above[above[:, 0] == 0], 4, axis=0),
        "cycle": np.repeat(ring, 5, axis=0),
        "loser": np.vstack([some, np.repeat([[1, 0], [2, 0], [3, 0]], 4, axis=0)]),
        "chain": np.repeat(ring[:-1], 5, axis=0),
        "one pair 1000:0": np.vstack([some, np.repeat([[0, 1]], 1000, axis=0)]),
    }.get(kind, some)
    tied = random.random(len(pairs)) < (1.0 if kind == "all tied" else 0.2 * (kind == "random"))
    return pairs[:, 0], pairs[:, 1], tied


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("covariates", [0, 2])
def test_all_pairs_at_once_have_the_same_fixed_point(kind, covariates, monkeypatch):
    winner, loser, tied = hard(kind)
    x = np.random.default_rng(2).normal(size=(len(winner), covariates)).round()
    pairs = pairs_of(winner, loser, tied, x)
    opening = np.array([0, 0, 1, -1, -1, 1, -1, -1, -1], np.int32)
    given = pairs, 9, SIGMA, np.full(covariates, 0.5), 0.6 if tied.any() else 0.0, 1e-9
    for known in ({}, {"opening": opening, "offset": np.array([0.8, 40.0])}):
        one = fit(*given, **known)
        monkeypatch.setattr(static_fit, "propagate", None)  # not used
        monkeypatch.setattr(static_fit, "AT_ONCE", 0)
        other = fit(*given, **known)
        monkeypatch.undo()
        for mine, its in zip(other, one, strict=True):  # wide offsets: steps have to be halved
            assert mine == pytest.approx(its, abs=2e-6, rel=1e-6)


def test_where_pairs_at_once_do_not_converge_they_follow_each_other(monkeypatch):
    winner, loser, tied = hard("linear")
    given = pairs_of(winner, loser, tied, np.zeros((len(tied), 0))), 9, SIGMA, np.zeros(0), 0.0
    expected = fit(*given, 1e-9)
    monkeypatch.setattr(static_fit, "AT_ONCE", 0)
    monkeypatch.setattr(static_fit, "PASSES", 40)
    found = fit(*given, 1e-9)
    assert found[0] == pytest.approx(expected[0], abs=1e-3)
