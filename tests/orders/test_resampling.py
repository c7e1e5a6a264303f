"""Resamples of counts: their distribution, their fits and their clusters."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.kernels.paired import climb, sets_are_connected
from peckorder.orders.paired_bootstrap import FLAT, STEPS, Refit, Urn, drawn_again
from peckorder.ratings.paired_fit import (
    clusters_of,
    counted_votes,
    entries_of,
    fitted,
    inverse_of,
    places_of,
)
from peckorder.ratings.paired_model import climbed, derivatives
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
    urn = Urn.of(counted.raw)
    again = urn.draw(np.random.default_rng(2))
    x, alone = Refit.of(counted, urn, fit, 2.0).estimate(again)
    plain, found = climbed(urn.record(again), fit.label, fit.prior_sd)
    plain[:5] -= plain[:5].mean()
    x[:5] -= x[:5].mean()
    assert found
    assert not alone
    assert x == pytest.approx(plain, abs=5e-5)
    assert np.abs(x - fit.x).max() > 1e-3


@pytest.mark.parametrize("ties", ["davidson", "omit", "half", "both"])
def test_steps_are_those_of_the_plain_gradient(ties):
    data = po.read(votes(300))
    counted = counted_votes(data, ties, cautious=True, covariates=["style", "length"])
    fit = fitted(counted, False, 2.0)
    urn = Urn.of(counted.raw)
    refit, weight = Refit.of(counted, urn, fit, 2.0), urn.draw(np.random.default_rng(4))
    x = fit.x.copy()
    for steps in (1, 2, 3):
        gradient, _ = derivatives(refit.record(weight), x)
        before, x = x, fit.x.copy()
        _climb(refit, weight, x, inverse_of(fit), steps)
        assert x - before == pytest.approx(inverse_of(fit) @ gradient, abs=1e-9)
    # So far from the estimate, powers are not those of the series.
    far = fit.x.copy()
    _climb(refit, weight, far, 6 * inverse_of(fit), 1)
    gradient, _ = derivatives(refit.record(weight), far)
    assert np.ptp(far - fit.x) > 1
    again = fit.x.copy()
    _climb(refit, weight, again, 6 * inverse_of(fit), 2)
    assert again - far == pytest.approx(6 * inverse_of(fit) @ gradient, abs=1e-9)


def _climb(refit, weight, x, inverse, steps=STEPS, flat=FLAT):
    own, tied = refit.places, int(refit.fit.inside.ties)
    sides = own.one, own.other, own.bounds, own.tie_worth, own.known, own.reach
    start = own.root, own.pull, own.surplus
    return climb(*sides, *start, weight, tied, np.zeros(x.size), inverse, x, steps, flat)


def test_the_loop_says_when_it_does_not_converge():
    counted = counted_votes(po.read(votes()), "davidson", cautious=True)
    fit, urn = fitted(counted, False, 2.0), Urn.of(counted.raw)
    refit, inverse = Refit.of(counted, urn, fit, 2.0), inverse_of(fit)
    weight = urn.draw(np.random.default_rng(1))
    assert _climb(refit, weight, fit.x.copy(), inverse, 8, 1e-6)
    assert not _climb(refit, weight, fit.x.copy(), 40 * inverse, 50, 1e-6)
    assert not _climb(refit, weight, fit.x.copy(), inverse / 100, 5, 1e-6)


def test_a_set_is_connected_if_chains_of_wins_lead_both_ways():
    one, other = np.array([0, 1, 0] * 3, np.int32), np.array([1, 2, 2] * 3, np.int32)
    bounds = np.array([0, 3, 6, 9])
    all_one, two = np.zeros(3, int), np.array([0, 0, 1])
    circle = np.array([1, 1, 0, 0, 0, 1, 0, 0, 0], np.int32)
    line = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0], np.int32)
    tied = np.array([0, 1, 0, 0, 0, 0, 1, 0, 1], np.int32)
    assert sets_are_connected(one, other, bounds, circle, all_one, np.array([3]))
    assert not sets_are_connected(one, other, bounds, line, all_one, np.array([3]))
    assert sets_are_connected(one, other, bounds, tied, all_one, np.array([3]))
    assert not sets_are_connected(one, other, bounds, line, two, np.array([2, 1]))
    assert sets_are_connected(one, other, bounds, tied, two, np.array([2, 1]))


def test_a_fit_with_covariates_begins_with_that_of_the_dyads():
    counted = counted_votes(po.read(votes(400)), "davidson", cautious=True, covariates=["length"])
    record, label = counted.record, np.zeros(5, int)
    dyads = record.without_covariates()
    assert dyads.known is None
    assert len(dyads.one) == 10 < len(record.one)
    for name in ("won", "lost", "drawn"):
        assert getattr(dyads, name).sum() == getattr(record, name).sum()
    from_dyads, from_zeros = (
        climbed(record, label, start=start)[0] for start in (None, np.zeros(record.parameters))
    )
    assert from_dyads == pytest.approx(from_zeros, abs=1e-9)


@pytest.mark.parametrize("covariates", [[], ["style"]])
def test_a_resample_of_clusters_repeats_all_their_contests(covariates):
    frame = votes(400)
    data = po.read(frame)
    counted = counted_votes(data, "davidson", cautious=True, covariates=covariates)
    urn = Urn.of(counted.raw, places_of(data, counted), clusters_of(data, "voter")[0])
    whole = urn.record(urn.members.sum(axis=1))
    for name in ("won", "lost", "drawn"):
        assert (getattr(whole, name) == getattr(counted.raw, name)).all()
    cluster, number = clusters_of(data, "voter")
    times = np.bincount(np.random.default_rng(3).integers(number, size=number), minlength=number)
    plain = po.read(frame[np.repeat(np.arange(len(frame)), times[cluster])])
    again = urn.draw(np.random.default_rng(3))
    assert again.sum() == len(plain)
    fit = fitted(counted, False, 2.0)
    x, _ = Refit.of(counted, urn, fit, 2.0).estimate(again)
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
    with pytest.warns(po.DataWarning, match="which count as 5.2 of equal size"):
        fit = po.bradley_terry(few, bootstrap=20, cluster="voter", seed=1)
    assert "intervals are too narrow" in " ".join(fit.summary)
    size = few.extra["voter"].value_counts()["count"].to_numpy()
    assert fit.effective_clusters == pytest.approx(size.sum() ** 2 / (size**2).sum())
