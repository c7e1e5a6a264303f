"""Posterior steepness with the published settings: reference values, orders, David's scores."""

from functools import partial

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.results.samples import slopes, summed_chances
from peckorder.structure.steepness_published import davids_steepness
from tests import fit_twin as twin
from tests.matrices import matrix
from tests.ratings.test_elo_bayes import simulated

published = partial(po.steepness_bayes, preset="EloSteepness")


@pytest.fixture(scope="module")
def bonobos():
    return published(po.datasets.bonobos(), orders=6, seed=2)


def test_bonobos_agree_with_elosteepness(bonobos, software):
    reference = software["EloSteepness bonobos fixed_sd"]
    # Theirs is based on six random orders: the error of such a mean is known from ours.
    between = bonobos.samples.mean(axis=1).std(ddof=1)
    room = 4 * between * np.sqrt(1 / reference["n_rand"] + 1 / bonobos.orders)
    assert bonobos.value.value == pytest.approx(reference["steepness_mean"], abs=room)
    assert bonobos.value.sd == pytest.approx(reference["steepness_sd"], rel=0.25)
    assert 0.1 < bonobos.order_share < 0.6
    assert bonobos.rhat_max < 1.05
    assert bonobos.samples.shape == (6, 2000)


def test_slopes_and_scores_equal_those_of_a_plain_loop():
    scores = np.random.default_rng(1).normal(0, 2, (5, 6))
    found = slopes(summed_chances(scores))
    np.testing.assert_allclose(found, [twin.steepness(row.tolist()) for row in scores], atol=1e-12)


def test_flat_and_steep_ends():
    steep = slopes(summed_chances(np.array([[900.0, 600.0, 300.0, 0.0]])))
    assert steep[0] == pytest.approx(1)
    assert slopes(summed_chances(np.zeros((1, 4))))[0] == pytest.approx(0)


def test_summed_chances_add_up_and_ranks_have_intervals(bonobos):
    table = bonobos.table
    assert table.columns == [
        "individual",
        "score",
        "score_low",
        "score_high",
        "rank",
        "rank_low",
        "rank_high",
    ]
    assert table["score"].sum() == pytest.approx(21)
    assert (table["score"].diff().drop_nulls() <= 0).all()


def test_a_known_sequence_is_not_randomized():
    data, _, _ = simulated(1, 6, 150, 1.5)
    found = published(data, seed=1)
    assert found.orders == 1
    assert found.order_share is None
    post = po.elo_bayes(data, sigma=1.0, accept=0.7, seed=1)
    expected = slopes(summed_chances(post.final))
    assert found.samples[0] == pytest.approx(expected, abs=1e-9)


def test_number_of_orders_by_default():
    few = matrix([[0, 5, 5], [1, 0, 5], [1, 1, 0]])
    assert published(few, seed=1, samples=200, warmup=200).orders == 50
    many = matrix([[0, 200, 200], [20, 0, 200], [20, 20, 0]])
    assert published(many, seed=1, samples=300, warmup=300).orders == 5
    some = matrix([[0, 30, 30], [5, 0, 30], [5, 5, 0]])
    assert published(some, seed=1, samples=300, warmup=300).orders == 20


def test_order_has_no_effect_if_ratings_do_not_change():
    """With k forced to 0, all orders have the same posterior: no variance between them."""
    data, _, _ = simulated(2, 5, 60, 1.0, 0.0)
    found = published(data, orders=20, prior_k=0.001, seed=1)
    assert found.order_share < 0.03


def test_at_dates_and_over_time():
    data, _, _ = simulated(3, 6, 120, 1.5)
    dates = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 4, 29), eager=True)
    data = po.read(data.frame().with_columns(date=dates))
    several = published(data, at=["2020-02-01", "2020-04-29"], seed=1)
    assert several.table["date"].to_list() == ["2020-02-01", "2020-04-29"]
    whole = published(data, seed=1)
    assert several.value == whole.value
    one = published(data, at="2020-02-01", seed=1)
    assert one.value.value == pytest.approx(several.table["value"][0])
    assert one.table.height == 6
    months = published(data, at="month", seed=1)
    assert months.table["date"].to_list() == [
        "2020-01-31",
        "2020-02-29",
        "2020-03-31",
        "2020-04-29",
    ]
    with pytest.raises(ValueError, match="before the first contest"):
        published(data, at="2019-01-01")
    with pytest.raises(ValueError, match="contests in their order"):
        published(data, at="2020-02-01", orders=3)
    with pytest.raises(po.DataError, match="needs calendar dates"):
        published(simulated(3, 6, 120)[0], at="month")


def test_difference_between_groups_and_periods():
    steep, _, _ = simulated(4, 6, 300, 3.0, 0.0)
    flat, _, _ = simulated(5, 6, 300, 0.2, 0.0)
    one, other = (published(data, seed=1) for data in (steep, flat))
    found = po.steepness_difference(one, other)
    assert found.probability > 0.999
    difference = one.value.value - other.value.value
    assert found.value.value == pytest.approx(difference, abs=5e-3)
    swapped = po.steepness_difference(other, one)
    assert swapped.probability == pytest.approx(1 - found.probability, abs=1e-9)
    early, late = steep.cut(151)
    assert len(early) == 150
    parts = [published(part, seed=1) for part in (early, late)]
    assert 0.001 < po.steepness_difference(*parts).probability < 0.999
    with pytest.raises(TypeError, match="two results of steepness_bayes"):
        po.steepness_difference(one, po.steepness(steep, runs=10))
    with pytest.raises(ValueError, match="There are no contests from"):
        steep.cut(1000)


def test_davids_scores_with_a_prior_on_logits():
    """Mean probability of each dyad against numerical integration, and known limits."""
    from scipy.integrate import quad

    from peckorder.data.win_counts import win_counts

    table = [[0, 7, 3], [1, 0, 0], [0, 0, 0]]
    counts = win_counts(matrix(table), ties="omit")
    draws = davids_steepness(counts, 1)
    assert draws.shape == (4000,)

    def chance(wins, losses):
        def density(x):
            p = 1 / (1 + np.exp(-x))
            return p**wins * (1 - p) ** losses * np.exp(-0.5 * (x / 3) ** 2)

        area = quad(density, -30, 30)[0]
        return [
            quad(lambda x, n=n: density(x) / (1 + np.exp(-x)) ** n, -30, 30)[0] / area
            for n in (1, 2)
        ]

    # By brute force: probabilities drawn by rejection sampling from the same densities.
    random = np.random.default_rng(1)

    def drawn(wins, losses, number=40_000):
        logit = random.normal(0, 3, 40 * number)
        p = 1 / (1 + np.exp(-logit))
        peak = wins / (wins + losses) if wins + losses else 0.5
        height = p**wins * (1 - p) ** losses / (peak**wins * (1 - peak) ** losses)
        return p[random.random(len(p)) < height][:number]

    parts = [drawn(7, 1), drawn(3, 0), drawn(0, 0)]
    assert parts[0].mean() == pytest.approx(chance(7, 1)[0], abs=0.01)
    size = min(map(len, parts))
    p = np.zeros((size, 3, 3))
    for (a, b), own in zip(((0, 1), (0, 2), (1, 2)), parts, strict=True):
        p[:, a, b], p[:, b, a] = own[:size], 1 - own[:size]
    w, lost = p.sum(axis=2), p.sum(axis=1)
    ds = w + np.einsum("dij,dj->di", p, w) - lost - np.einsum("dji,dj->di", p, lost)
    expected = slopes((ds + 3) / 3)
    assert draws.mean() == pytest.approx(expected.mean(), abs=0.012)
    assert draws.std() == pytest.approx(expected.std(), rel=0.06)


def test_ties_omitted_or_modeled():
    data, _, _ = simulated(6, 5, 200, 1.0, 0.1, nu=0.7)
    left, modeled = (published(data, ties=rule, seed=1) for rule in ("omit", "davidson"))
    assert left.value.value == pytest.approx(modeled.value.value, abs=0.15)
    with pytest.raises(ValueError, match="is not known"):
        published(data, ties="both")


def test_names_stay_with_their_scores_when_ties_are_omitted():
    data, _, _ = simulated(7, 6, 120, 2.0, 0.0)
    names = list(data.individuals)
    first = [(names[5], names[4]), (names[3], names[2])]
    drawn = pl.DataFrame(
        {"winner": [a for a, _ in first], "loser": [b for _, b in first], "draw": [True] * 2}
    )
    whole = po.read(pl.concat([drawn, data.frame().with_columns(draw=pl.lit(False))]))
    found = published(whole, seed=1)
    post = po.elo_bayes(whole, ties="omit", sigma=1.0, accept=0.7, seed=1)
    assert found.table["individual"].to_list() == post.table["individual"].to_list()
    only = drawn.with_columns(loser=pl.Series(["zz", "zz"]))
    with pytest.warns(po.DataWarning, match='all their contests are ties: "zz"'):
        part = published(
            po.read(pl.concat([only, data.frame().with_columns(draw=pl.lit(False))])), seed=1
        )
    assert part.table.height == 6


def test_same_seed_same_result_on_any_number_of_threads():
    data = po.datasets.bonobos()
    one, two = (
        published(data, orders=3, samples=300, warmup=300, seed=7, threads=n) for n in (1, 3)
    )
    assert np.array_equal(one.samples, two.samples)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"orders": 0}, "orders=0"),
        ({"chains": 0}, "chains=0"),
        ({"samples": 0}, "samples=0"),
        ({"prior_k": 0}, "prior_k=0"),
        ({"sigma": -1}, "sigma=-1"),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        published(po.datasets.adv(), **arguments)


def test_two_individuals_are_too_few():
    with pytest.raises(po.DataError, match="at least 3"):
        published(matrix([[0, 3], [1, 0]]))
