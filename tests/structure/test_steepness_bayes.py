"""Posterior steepness: against importance sampling, coverage, fair coins, dates, odd records."""

import math
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.results.samples import slopes, summed_chances
from tests import fit_twin as twin
from tests.matrices import matrix
from tests.ratings.test_elo_bayes import simulated

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def study():
    """The program that measures coverage."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import steepness_bayes

        yield steepness_bayes
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("steepness_bayes", "common"):
            sys.modules.pop(name, None)


def plain_posterior(wins, number=30_000):
    """Mean and SD of steepness by importance sampling from the prior, with loops.

    σ is half-normal(2.5) on the grid of dynamic.md; ratings are N(0, σ²).
    """
    sigma = [0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5]
    logs = [math.log(s) for s in sigma]
    width = [logs[1] - logs[0], *((b - a) / 2 for a, b in zip(logs, logs[2:], strict=False))]
    width.append(logs[-1] - logs[-2])
    prior = [math.exp(-0.5 * (s / 2.5) ** 2) * s * w for s, w in zip(sigma, width, strict=True)]
    random = np.random.default_rng(1)
    size = len(wins)
    total = first = second = 0.0
    for s in random.choice(sigma, number, p=np.array(prior) / sum(prior)):
        x = (random.normal(size=size) * s).tolist()
        weight = math.exp(
            sum(
                wins[i][j] * twin.log_chance(x[i] - x[j])
                for i in range(size)
                for j in range(size)
                if wins[i][j]
            )
        )
        slope = twin.steepness(x)
        total, first = total + weight, first + weight * slope
        second += weight * slope**2
    mean = first / total
    return mean, math.sqrt(second / total - mean**2)


@pytest.mark.parametrize(
    "wins",
    [
        [[0, 2, 3, 1], [1, 0, 2, 2], [0, 1, 0, 2], [1, 0, 1, 0]],
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [[0, 3, 3], [0, 0, 3], [0, 0, 0]],
    ],
)
def test_posterior_agrees_with_importance_sampling(wins):
    mean, sd = plain_posterior(wins)
    found = po.steepness_bayes(matrix(wins), fair_coins=0, seed=1)
    assert found.value.value == pytest.approx(mean, abs=0.03)  # filters approximate
    assert found.value.sd == pytest.approx(sd, rel=0.15)


@pytest.mark.parametrize(("world", "per_dyad"), [(0.3, 1), (1.0, 5), (3.0, 1), ("heavy tails", 1)])
def test_intervals_hold_the_truth(study, world, per_dyad):
    """A small twin of benchmarks/steepness_bayes.py: chance of fewer than 34 of 40 at .95: .003."""
    made = study.tried(world, 10, per_dyad, 40, preset=False)["value"]
    assert study.coverage(made)[0] >= 34 / 40


def test_published_intervals_are_too_narrow_for_flat_groups(study):
    made = study.tried(0.3, 10, 1, 10, preset=True)["value"]
    assert study.coverage(made)[0] <= 0.5


@pytest.mark.parametrize("world", [0.0, "fair coins, ties"])
def test_p_values_of_fair_coins_are_uniform(study, world):
    """Exact: of 19 tosses and the record, each is equally often the steepest (60 records)."""
    p = []
    for i in range(60):
        _, data = study.simulated(world, 4, 3, np.random.default_rng([i, 5]))
        found = po.steepness_bayes(data, ties="davidson", fair_coins=19, seed=i, threads=1)
        p.append(found.p)
    assert abs(np.mean(p) - 0.525) < 3 * np.sqrt(1 / 12 / 60)
    assert np.sum(np.array(p) <= 0.05) <= 8  # 3 expected; probability of more: .007


def test_the_record_and_its_tosses_are_judged_alike():
    """Where every toss of a design is a record with the same steepness, p is 1."""
    data = po.read({"winner": list("abc"), "loser": list("bca"), "draw": [True, True, True]})
    found = po.steepness_bayes(data, ties="davidson", fair_coins=20, seed=1)
    assert np.ptp(found.null) < 1e-12
    assert found.p == 1


def test_fair_coins_stay_within_their_range_and_a_hierarchy_does_not():
    flat = [simulated(i, 8, 60, 0.001, 0.0)[0] for i in range(10)]
    found = [po.steepness_bayes(data, seed=1) for data in flat]
    assert sum(one.p <= 0.05 for one in found) <= 2
    assert "no evidence that individuals differ" in " ".join(found[0].summary)
    steep = po.steepness_bayes(po.datasets.bonobos(), seed=1)
    assert steep.expected.high < steep.value.low
    assert "): individuals differ (p = 0.010" in " ".join(steep.summary)
    assert steep.null.shape == (100,)


def test_table_draws_and_settings():
    found = po.steepness_bayes(po.datasets.bonobos(), seed=1, fair_coins=0)
    assert "expected" not in found.values
    assert found.samples.shape == (1, 4000)
    assert found.table["score"].sum() == pytest.approx(21)
    assert (found.table["score"].diff().drop_nulls() <= 0).all()
    assert found.settings["preset"] is None
    assert not {"rhat_max", "davids", "orders"} & set(found.values)


def test_order_of_a_matrix_hardly_matters():
    """A matrix has no order; neither the order of its rows nor of its contests counts."""
    wins = np.array(po.datasets.bonobos().matrix().wins)
    backward = wins[::-1, ::-1]
    one = po.steepness_bayes(matrix(wins.tolist()), fair_coins=0, seed=1)
    other = po.steepness_bayes(matrix(backward.tolist()), fair_coins=0, seed=1)
    assert one.value.value == pytest.approx(other.value.value, abs=0.01)
    # The last individual met only one other: it is no newcomer, as nothing is known of order.
    sparse = [[0, 9, 9, 0], [1, 0, 9, 0], [1, 1, 0, 9], [0, 0, 1, 0]]
    assert "entry" not in po.dynamic(matrix(sparse), seed=1).values


def test_at_dates_uses_ratings_that_change():
    data, _, _ = simulated(3, 6, 120, 1.5)
    dates = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 4, 29), eager=True)
    data = po.read(data.frame().with_columns(date=dates))
    several = po.steepness_bayes(data, at=["2020-02-01", "2020-04-29"], seed=1)
    assert several.table["date"].to_list() == ["2020-02-01", "2020-04-29"]
    assert "allowed to change" in several.summary[1]
    one = po.steepness_bayes(data, at="2020-02-01", seed=1)
    assert one.value.value == pytest.approx(several.table["value"][0])
    ratings = po.dynamic(data, samples=4000, seed=1)
    last = po.steepness_bayes(data, at="2020-04-29", seed=2)
    assert last.value.value == pytest.approx(slopes(summed_chances(ratings.final)).mean(), abs=0.01)
    assert po.steepness_bayes(data, at="month", seed=1).table.height == 4
    with pytest.raises(ValueError, match="before the first contest"):
        po.steepness_bayes(data, at="2019-01-01")
    with pytest.raises(ValueError, match="a matrix has none"):
        po.steepness_bayes(po.datasets.bonobos(), at="2020-02-01")
    with pytest.raises(ValueError, match="leave out at"):
        po.steepness_bayes(data, at="2020-02-01", fair_coins=10)


def test_only_those_present_count_at_a_date():
    rows = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "b"), ("d", "a"), ("d", "b"), ("d", "c")]
    data = po.read(
        pl.DataFrame(rows, schema=["winner", "loser"], orient="row").with_columns(
            date=pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 7), eager=True)
        ),
        presence={
            "id": list("abcd"),
            "start": [*["2020-01-01"] * 3, "2020-01-05"],
            "end": ["2020-01-07"] * 4,
        },
    )
    early = po.steepness_bayes(data, at="2020-01-03", seed=1)
    assert sorted(early.table["individual"]) == ["a", "b", "c"]
    assert po.steepness_bayes(data, at="2020-01-06", seed=1).table.height == 4


def test_difference_between_groups_and_periods():
    steep, _, _ = simulated(4, 6, 300, 3.0, 0.0)
    flat, _, _ = simulated(5, 6, 300, 0.2, 0.0)
    one, other = (po.steepness_bayes(data, fair_coins=0, seed=1) for data in (steep, flat))
    found = po.steepness_difference(one, other)
    assert found.probability > 0.999
    swapped = po.steepness_difference(other, one)
    assert swapped.probability == pytest.approx(1 - found.probability, abs=1e-9)


def test_threads_do_not_change_the_result():
    one, two = (po.steepness_bayes(po.datasets.adv(), seed=7, threads=n) for n in (1, 3))
    assert np.array_equal(one.samples, two.samples)
    assert np.array_equal(one.null, two.null)


@pytest.mark.parametrize(
    ("wins", "most"),
    [
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], 0.9),  # a circle
        ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], 1.0),  # one-sided
        ([[0, 400, 400], [0, 0, 400], [0, 0, 0]], 1.0),  # one-sided, many contests
    ],
)
def test_three_individuals(wins, most):
    found = po.steepness_bayes(matrix(wins), seed=1)
    assert 0 < found.value.low < found.value.value < found.value.high <= most
    assert 0 < found.expected.value < 1


def test_ties_are_omitted_or_modeled():
    drawn = pl.DataFrame({"winner": list("abca"), "loser": list("bcac"), "draw": [True] * 4})
    with pytest.raises(po.DataError, match='Use ties="davidson"'):
        po.steepness_bayes(po.read(drawn))
    modeled = po.steepness_bayes(po.read(drawn), ties="davidson", seed=1)
    assert modeled.value.low < modeled.expected.high
    with pytest.raises(ValueError, match="is not known"):
        po.steepness_bayes(po.datasets.adv(), ties="both")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"orders": 3}, 'orders: for the published posterior only. Add preset="EloSteepness"'),
        ({"sigma": 1.0, "samples": 500}, "sigma, samples: for the published posterior only"),
        ({"preset": "elo"}, "EloSteepness"),
        ({"preset": "EloSteepness", "fair_coins": 5}, "cannot be combined"),
        ({"fair_coins": -1}, "fair_coins=-1"),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        po.steepness_bayes(po.datasets.adv(), **arguments)


def test_two_individuals_are_too_few():
    with pytest.raises(po.DataError, match="at least 3"):
        po.steepness_bayes(matrix([[0, 3], [1, 0]]))
