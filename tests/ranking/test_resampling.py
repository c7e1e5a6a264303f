"""Resamples of counts: their distribution, their fits and their clusters."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.kernels.paired import climb, sets_are_connected
from peckorder.ranking.paired_fit import covariance_of, fitted
from peckorder.ranking.paired_model import climbed
from peckorder.ranking.resampling import Urn, drawn_again, refitted
from peckorder.ranking.vote_counts import (
    clusters_of,
    counted_votes,
    entries_of,
    places_and_clusters,
)
from tests.votes import votes


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("counts", [[3, 1, 6], [400, 100, 500]])
def test_counts_drawn_again_are_multinomial(counts, one_by_one):
    counts = np.array(counts, float)
    total, share = counts.sum(), counts / counts.sum()
    items = np.repeat(np.arange(3), counts.astype(int)) if one_by_one else None
    random = np.random.default_rng(5)
    drawn = np.array([drawn_again(counts, random, items) for _ in range(4000)])
    assert (drawn.sum(axis=1) == total).all()
    assert drawn.mean(axis=0) == pytest.approx(counts, rel=0.05)
    expected = total * (np.diag(share) - np.outer(share, share))
    assert np.cov(drawn.T) == pytest.approx(expected, abs=0.12 * expected.max())


@pytest.mark.parametrize("covariates", [[], ["style"], ["length"]])
@pytest.mark.parametrize("penalized", [False, True])
def test_resamples_are_fitted_as_all_contests_are(covariates, penalized):
    counted = counted_votes(po.read(votes()), "davidson", cautious=True, covariates=covariates)
    fit = fitted(counted, penalized, 2.0)
    again = Urn.of_contests(counted.raw).draw(np.random.default_rng(2))
    x, alone = refitted(again, fit, fit.label, covariance_of(fit), 2.0)
    plain, found = climbed(again, fit.label, fit.prior_sd)
    plain[:5] -= plain[:5].mean()
    x[:5] -= x[:5].mean()
    assert found
    assert not alone
    assert x == pytest.approx(plain, abs=5e-5)
    assert np.abs(x - fit.x).max() > 1e-3


def test_the_loop_says_when_it_does_not_converge():
    counted = counted_votes(po.read(votes()), "davidson", cautious=True)
    fit, raw = fitted(counted, False, 2.0), counted.raw
    none = np.zeros((len(raw.one), 0))
    sides = raw.one, raw.other, raw.won, raw.lost, raw.drawn, none, 1, 0.0
    assert climb(*sides, covariance_of(fit), fit.x.copy(), 5, 1e-6)
    assert not climb(*sides, 40 * covariance_of(fit), fit.x + 0.1, 50, 1e-6)
    assert not climb(*sides, covariance_of(fit) / 100, fit.x + 0.5, 5, 1e-6)


def test_a_set_is_connected_if_chains_of_wins_lead_both_ways():
    one, other = np.array([0, 1, 0]), np.array([1, 2, 2])
    all_one, two = np.zeros(3, int), np.array([0, 0, 1])
    none = np.zeros(3)
    circle = np.array([1.0, 1, 0]), np.array([0.0, 0, 1]), none
    line = np.array([1.0, 1, 1]), none, none
    tied = np.array([0.0, 1, 0]), none, np.array([1.0, 0, 1])
    assert sets_are_connected(one, other, *circle, all_one, np.array([3]))
    assert not sets_are_connected(one, other, *line, all_one, np.array([3]))
    assert sets_are_connected(one, other, *tied, all_one, np.array([3]))
    assert not sets_are_connected(one, other, *line, two, np.array([2, 1]))
    assert sets_are_connected(one, other, *tied, two, np.array([2, 1]))


@pytest.mark.parametrize("covariates", [[], ["style"]])
def test_a_resample_of_clusters_repeats_all_their_contests(covariates):
    frame = votes(400)
    data = po.read(frame)
    counted = counted_votes(data, "davidson", cautious=True, covariates=covariates)
    urn = Urn.of_clusters(counted.raw, *places_and_clusters(data, counted, "voter"))
    whole = urn.members.sum(axis=1).reshape(3, -1)
    assert (whole == [counted.raw.won, counted.raw.lost, counted.raw.drawn]).all()
    cluster, number = clusters_of(data, "voter")
    times = np.bincount(np.random.default_rng(3).integers(number, size=number), minlength=number)
    plain = po.read(frame[np.repeat(np.arange(len(frame)), times[cluster])])
    again = urn.draw(np.random.default_rng(3))
    assert again.contests.sum() == len(plain)
    fit = fitted(counted, False, 2.0)
    x, _ = refitted(again, fit, fit.label, covariance_of(fit), 2.0)
    known = dict(zip(data.individuals, x[:5] - x[:5].mean(), strict=True))
    expected = po.bradley_terry(plain, covariates=covariates).table
    assert known == pytest.approx(dict(expected["individual", "ability"].iter_rows()), abs=5e-5)


def test_contests_of_a_dyad_with_equal_covariates_are_one_entry():
    frame = pl.DataFrame(
        {
            "winner": ["v", "w", "v", "v", "w"],
            "loser": ["w", "v", "w", "w", "v"],
            "z": [1.0, -1.0, 1.0, 2.0, 0.0],
        }
    )
    data = po.read(frame)
    record, place = entries_of(data, data.numbers("z")[:, None])
    assert record.known is not None
    assert record.known[:, 0].tolist() == [0, 1, 2]
    assert record.won.tolist() == [0, 2, 1]
    assert record.lost.tolist() == [1, 1, 0]
    assert place.tolist() == [1, 4, 1, 2, 3]


def test_clusters_need_a_value_in_every_row():
    data = po.read(votes(50).with_columns(voter=pl.lit(None, pl.String), one=pl.lit("p")))
    with pytest.raises(po.DataError, match='column "voter" is empty'):
        po.bradley_terry(data, penalized=True, bootstrap=20, cluster="voter")
    with pytest.raises(po.DataError, match="single value"):
        po.bradley_terry(data, penalized=True, bootstrap=20, cluster="one")
    few = po.read(votes(400).with_columns(voter=pl.col("voter").str.slice(1, 1)))
    fit = po.bradley_terry(few, bootstrap=20, cluster="voter", seed=1)
    assert "intervals are too narrow" in " ".join(fit.summary)
