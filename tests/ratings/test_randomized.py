"""Randomized Elo against aniDom, a plain twin and its own seeds."""

import numpy as np
import pytest

import peckorder as po
from tests import oracle
from tests.matrices import by_name, matrix


def test_anidom_on_adv(software):
    """1,000 runs there, 20,000 here: means within 5 standard errors of both."""
    found = po.randomized_elo(po.datasets.adv(), preset="aniDom", runs=20_000, seed=1)
    for entry in software["aniDom randomised 1000 on adv"]:
        row = next(r for r in found.table.to_dicts() if r["individual"] == entry["id"])
        sd = float(entry["sd_score"])
        assert row["rating"] == pytest.approx(
            float(entry["mean_score"]), abs=5 * sd / np.sqrt(1000)
        )
        assert row["rating_sd"] == pytest.approx(sd, rel=0.15)
        assert row["rank"] == pytest.approx(float(entry["mean_rank"]), abs=0.2)
        assert row["rank_low"] == pytest.approx(float(entry["rank_q025"]), abs=1)
        assert row["rank_high"] == pytest.approx(float(entry["rank_q975"]), abs=1)


def test_anidom_uncertainty_on_adv(software):
    entry = software["aniDom uncertainty on adv"][0]
    data = po.datasets.adv()
    found = po.orders.repeatability(data, preset="aniDom", runs=5000, seed=1)
    assert float(found) == pytest.approx(float(entry["repeatability"]), abs=0.01)
    split = po.orders.splitting(data, preset="aniDom", runs=5000, seed=1)
    assert split.value == pytest.approx(float(entry["split_mean"]), abs=0.03)
    assert (split.low, split.high) == pytest.approx(
        (float(entry["split_q025"]), float(entry["split_q975"])), abs=0.05
    )
    assert split.in_order == pytest.approx(float(entry["split_ordered"]))


def test_values_are_those_of_slow_twins():
    found = po.randomized_elo(po.datasets.adv(), runs=50, seed=1)
    rating = found.samples["rating"]
    assert found.repeatability == pytest.approx(oracle.repeatability(rating.tolist()))
    assert po.orders.repeatability(po.datasets.adv(), runs=50, seed=1).value == found.repeatability
    assert po.orders.splitting(po.datasets.adv(), runs=50, seed=1).value == found.split["mean"]
    order = np.argsort(np.argsort(-rating, axis=1), axis=1) + 1
    assert by_name(found, "rank") == pytest.approx(order.mean(axis=0))


def test_each_run_is_one_order_of_the_contests():
    """Two contests give two possible outcomes, each with a probability of about ½."""
    data = po.read((["a", "b"], ["b", "a"]))
    rating = po.randomized_elo(data, runs=2000, seed=1).samples["rating"]
    orders = [
        po.elo(po.read((w, b)), k=100)
        for w, b in ((["a", "b"], ["b", "a"]), (["b", "a"], ["a", "b"]))
    ]
    ends = [ratings["a"] for ratings in orders]
    first, second = (np.isclose(rating[:, 0], end) for end in ends)
    assert (first | second).all()
    assert first.mean() == pytest.approx(0.5, abs=0.05)


def test_a_single_contest_has_one_order():
    data = po.read((["a"], ["b"]))
    found = po.randomized_elo(data, runs=3, seed=1)
    assert found.samples["rating"][:, 0].tolist() == [1050] * 3
    assert found.split == {"mean": None, "low": None, "high": None}
    assert found.summary[1] == "Too few contests to compare two random halves of them."
    once = po.randomized_elo(po.datasets.adv(), runs=1, seed=1)
    assert once.repeatability is None
    assert once.summary[0] == (
        "Repeatability cannot be estimated: it needs two or more runs and ratings that vary."
    )


def test_sums_are_kept_and_settings_used():
    data = po.read(
        {
            "winner": ["a", "b", "c"],
            "loser": ["b", "c", "a"],
            "context": ["x", "y", "x"],
            "date": [1, 2, 3],
        }
    )
    found = po.randomized_elo(data, k={"x": 10, "y": 50}, start=0, curve="normal", runs=20, seed=1)
    assert found.samples["rating"].sum(axis=1) == pytest.approx(np.zeros(20), abs=1e-9)
    assert found.settings["curve"] == "normal"
    assert found.settings["k"] == {"x": 10, "y": 50}


def test_a_matrix_is_rated_with_its_draws():
    table, drawn = [[0, 3], [1, 0]], [[0, 2], [2, 0]]
    data = matrix(table, drawn)
    contests = po.Contests.from_matrix(data)
    assert len(contests) == 6
    assert contests.draw.sum() == 2
    assert not contests.ordered
    assert np.array_equal(contests.matrix().wins, table)
    assert np.array_equal(contests.matrix().draws, drawn)
    found = po.randomized_elo(data, runs=100, seed=1)
    assert found["a"] < found["b"]
    assert po.orders.splitting(data, runs=10, seed=1).in_order is None


def test_same_seed_same_ratings_on_any_number_of_threads():
    one, two = (
        po.randomized_elo(po.datasets.bonobos(), runs=999, seed=5, threads=n) for n in (1, 2)
    )
    assert np.array_equal(one.samples["rating"], two.samples["rating"])
    assert np.array_equal(one.samples["split"], two.samples["split"])


def test_bad_arguments():
    data = po.datasets.adv()
    for preset in ("EloRating", "FIDE"):
        with pytest.raises(ValueError, match="depends on the order of contests"):
            po.randomized_elo(data, preset=preset)
    with pytest.raises(ValueError, match="depends on the order of contests"):
        po.randomized_elo(data, k="fide")
    with pytest.raises(TypeError, match="no argument .burn_in."):
        po.orders.repeatability(data, burn_in=(3, 4))
    with pytest.raises(ValueError, match="at least 2"):
        po.orders.repeatability(data, runs=1)
    with pytest.raises(ValueError, match="at least 1"):
        po.orders.splitting(data, runs=0)
    with pytest.raises(FileNotFoundError):
        po.randomized_elo("nowhere.csv")
