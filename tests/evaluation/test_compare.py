"""Rank orders by several methods: correlations, and whether ranks changed."""

import numpy as np
import pytest

import peckorder as po
from peckorder.methods import function
from peckorder.ranks import average_ranks, spearman
from peckorder.text import at_the_shell
from tests.matrices import by_name, matrix


def test_orders_compared():
    data = po.datasets.adv()
    found = po.compare(data, k=200, seed=1)
    assert found.table.columns == [
        "individual",
        "elo",
        "randomized_elo",
        "davids_score",
        "isi",
        "bradley_terry",
        "rank",
    ]
    assert by_name(found, "isi") == pytest.approx([1, 2, 5, 3, 5, 5, 7])
    assert found.spearman["elo"]["davids_score"] == pytest.approx(
        spearman(np.array(by_name(found, "elo")), np.array(by_name(found, "davids_score")))
    )
    assert found.spearman["isi"]["isi"] == 1
    assert found.kendall["elo"]["isi"] == found.kendall["isi"]["elo"]
    interval = found.spearman_intervals["elo"]["isi"]
    assert interval["low"] < found.spearman["elo"]["isi"] < interval["high"]
    assert found.summary[0].startswith("The lowest rank correlation is between")
    assert "no evidence that ranks changed" in found.summary[1]
    test = po.order_test(data, seed=1)
    assert found.order_test == test.values
    assert found.summary[1] == test.summary[0]
    assert "power against a takeover in a record like this" in found.summary[1]
    assert found.seed == 1
    assert "Comparison of rank orders: computed from 33 contests" in found.cite()
    some = po.compare(data, methods=["isi", "davids_score"], seed=1).cite()
    assert "1998" in some
    assert "Bradley" not in some


def test_a_reversed_hierarchy_is_detected():
    """First a > b > c > d, then the reverse: sequential ratings differ from overall sums."""
    up = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("b", "d"), ("a", "d")]
    pairs = up * 8 + [(y, x) for x, y in up] * 6
    data = po.read(tuple(map(list, zip(*pairs, strict=True))))
    found = po.compare(data, seed=1)
    assert found.spearman["elo"]["davids_score"] < 0
    assert found.order_test["p"] < 0.05
    assert "The order of contests matters: ranks changed" in found.summary[1]


def test_the_summary_says_why_the_order_test_is_omitted(monkeypatch):
    tied = po.read({"winner": list("abca"), "loser": list("bcac"), "draw": [True] * 4})
    few = {"methods": ["elo", "davids_score"], "seed": 1}
    found = po.compare(tied, ties="half", **few)
    assert found.order_test is None
    assert found.summary[-1] == (
        "The order-dependence test (did ranks change?) is omitted. There is no decided contest: "
        "order_test leaves ties out."
    )
    monkeypatch.setattr("peckorder.evaluation.compare.MOST_COSTLY", 10.0)
    found = po.compare(po.datasets.adv(), **few)
    assert found.order_test is None
    assert found.summary[-1] == (
        "The order-dependence test (did ranks change?) is omitted, because it takes long for a "
        "record of this size. To run it: order_test(data)."
    )
    with at_the_shell():
        assert "To run it: order-test FILE." in po.compare(po.datasets.adv(), **few).summary[-1]


def test_a_matrix_is_compared_without_sequential_elo():
    found = po.compare(po.datasets.bonobos(), seed=1)
    assert "elo" not in found.table.columns
    assert found.summary[-1].startswith("Sequential Elo is omitted")
    some = po.compare(po.datasets.bonobos(), methods=["isi", "davids_score"])
    assert some.table.columns == ["individual", "isi", "davids_score", "rank"]
    small = po.compare(matrix([[0, 1, 2], [1, 0, 1], [0, 1, 0]]), methods=["isi", "davids_score"])
    assert small.spearman_intervals["isi"]["davids_score"] is None


def test_further_methods_are_compared_on_request():
    data = po.datasets.adv()
    names = ["davids_score", "adagio", "percolation", "dominance_value"]
    found = po.compare(data, methods=names)
    for name in names:
        ranks = dict(zip(found, found.table[name], strict=True))
        order = function(name)(data)
        assert ranks == {individual: order[individual] for individual in ranks}
    assert "Douglas" in found.cite()
    assert "Fushing" in found.cite()
    assert "adagio" not in po.compare(data, runs=20, seed=1).spearman


def test_a_method_that_cannot_rank_the_data_is_omitted():
    chain = matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    found = po.compare(chain, methods=["adagio", "percolation"])
    assert found.settings["methods"] == ["adagio"]
    assert any("Percolation and conductance is omitted. alpha" in text for text in found.summary)
    with pytest.raises(po.DataError, match="alpha cannot be estimated"):
        po.compare(chain, methods="percolation")


def test_bad_arguments_of_compare():
    with pytest.raises(ValueError, match='Unknown method "elow"'):
        po.compare(po.datasets.adv(), methods=["elow"])
    for methods in ([], ["isi", "isi"]):
        with pytest.raises(ValueError, match="Give each method once"):
            po.compare(po.datasets.adv(), methods=methods)
    with pytest.raises(ValueError, match="Choose other methods"):
        po.compare(po.datasets.bonobos(), methods=["elo"])
    tied = po.compare(matrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), seed=1)
    assert tied.spearman["isi"]["davids_score"] is None


@pytest.mark.parametrize("values", [[5, 5, 3, 1, 1, 1], [2.0], [0.0, -0.0, -1.0], [4, 3, 2], []])
def test_ranks_of_sorted_values_are_those_of_the_same_unsorted(values):
    values = np.array(values, float)
    plain = [np.mean(np.flatnonzero(np.sort(-values) == -value)) + 1 for value in values]
    assert average_ranks(values).tolist() == plain
    assert average_ranks(values[::-1]).tolist() == plain[::-1]


def test_too_few_contests_for_an_interval_are_said_in_words():
    rows = {"winner": list("abcabca"), "loser": list("bcabcac"), "date": list(range(7))}
    data = po.read(rows)
    found = po.compare_models({"high": po.elo(data, k=100), "low": po.elo(data, k=20)}, seed=1)
    assert "too few contests for a 95% CI" in found.summary[0]
    assert "inf" not in found.summary[0]
