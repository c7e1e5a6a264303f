"""Probability of each rank: sums, draws counted in plain Python, and what is written."""

import numpy as np
import pytest

import peckorder as po


@pytest.fixture(scope="module")
def order():
    return po.randomized_elo(po.datasets.adv(), runs=200, seed=1)


def test_shares_of_draws_against_plain_python(order):
    table = po.plot.rank_probabilities.data(order)
    names = order.data.individuals
    counts = {}
    for draw in order.samples["rating"]:
        for place, code in enumerate(sorted(range(len(names)), key=lambda i: -draw[i]), start=1):
            counts[names[code], place] = counts.get((names[code], place), 0) + 1
    for row in table.to_dicts():
        expected = counts.get((row["individual"], row["rank"]), 0) / 200
        assert row["probability"] == pytest.approx(expected, abs=1e-12)


def test_rows_and_columns_sum_to_one():
    table = po.plot.rank_probabilities.data(po.dynamic(po.datasets.adv(), seed=1))
    share = table["probability"].to_numpy().reshape(7, 7)
    assert share.sum(axis=0) == pytest.approx(np.ones(7))
    assert share.sum(axis=1) == pytest.approx(np.ones(7))


def test_what_is_drawn_and_written(order):
    axes = po.plot.rank_probabilities(order)
    table = po.plot.rank_probabilities.data(order)
    written = [text.get_text() for text in axes.texts]
    assert len(written) == (table["probability"] >= 0.005).sum()
    assert [label.get_text() for label in axes.get_yticklabels()] == table["individual"].unique(
        maintain_order=True
    ).to_list()
    some = po.plot.rank_probabilities.data(order, individuals=["b", "a"])
    assert some["rank"].to_list() == [1, 2, 1, 2]
    _, data = po.simulate.hierarchy(15, 200, seed=1)
    assert po.plot.rank_probabilities(po.dynamic(data, seed=1)).texts[:] == []


def test_ranks_without_draws_are_refused():
    with pytest.raises(po.ArgumentError, match=r"plot\.rank_probabilities draws ranks with inter"):
        po.plot.rank_probabilities(po.elo(po.datasets.adv()))
