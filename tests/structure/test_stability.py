"""Stability against EloRating and a slow twin; the shape of a hierarchy; orders compared."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.ranks import kendall, spearman
from tests import oracle
from tests.matrices import by_name, matrix


def test_elorating_on_adv(software):
    """All 18 runs: three k, two curves, three rules for newcomers."""
    entries = software["EloRating stability and likelihood on adv"]
    assert len(entries) == 18
    for entry in entries:
        ratings = po.elo(
            po.datasets.adv(),
            preset="EloRating",
            k=float(entry["k"]),
            curve="normal" if entry["normprob"] == "TRUE" else "logistic",
            entry=entry["init"].replace("average", "mean"),
        )
        found = po.stability(ratings)
        assert round(found.value, 4) == float(entry["weighted"])
        assert round(found.unweighted, 4) == float(entry["unweighted"])
        assert found.rule == "interpolated"


def test_carried_ratings_of_a_slow_twin():
    data = po.datasets.adv().with_presence("inferred")
    ratings = po.elo(data, k=200)
    days = [
        {name: r for name, r, there in zip(data.individuals, *day, strict=True) if there}
        for block in ratings.by_day()
        for day in zip(*block, strict=True)
    ]
    weighted, unweighted = oracle.stability(days)
    found = po.stability(ratings)
    assert (found.value, found.unweighted) == pytest.approx((weighted, unweighted))
    assert found.rule == "carried"
    assert found.settings["rule"] == "carried"


def test_nothing_ever_changes():
    data = po.read(
        {
            "winner": ["a"] * 4,
            "loser": ["b"] * 4,
            "date": [f"2020-01-{i:02}" for i in (1, 5, 9, 30)],
        }
    )
    found = po.stability(po.elo(data))
    assert (found.value, found.unweighted, found.steps) == (1, 1, 29)


def test_without_dates_each_contest_is_a_day():
    data = po.read((["a", "b", "b"], ["b", "a", "a"]))
    found = po.stability(po.elo(data))
    assert found.steps == 2
    assert found.unweighted == 1 - 2 / 4
    assert "from contest to contest" in found.summary[0]


def test_days_come_in_blocks(monkeypatch):
    from peckorder.results import ratings as module

    ratings = po.elo(po.datasets.adv().with_presence("inferred"), k=200)
    whole = po.stability(ratings).values
    monkeypatch.setattr(module, "VALUES_AT_ONCE", 35)
    assert po.stability(ratings).values == whole


def test_bad_input_of_stability():
    with pytest.raises(TypeError, match="takes ratings"):
        po.stability(po.datasets.adv())
    with pytest.warns(po.DataWarning), pytest.raises(po.DataError, match="needs contests in order"):
        po.stability(po.elo(po.datasets.bonobos()))
    with pytest.raises(ValueError, match="carried, interpolated"):
        po.stability(po.elo(po.datasets.adv()), rule="daily")
    with pytest.raises(po.DataError, match="stability cannot be computed"):
        po.stability(
            po.elo(po.read({"winner": ["a", "b"], "loser": ["b", "a"], "date": ["2020-01-01"] * 2}))
        )


def test_shape_of_a_hierarchy():
    table = [[0, 4, 6], [1, 0, 3], [0, 1, 0]]
    found = po.hierarchy_shape(matrix(table))
    assert found.table["rank_difference"].to_list() == [1, 2]
    assert found.table["contests"].to_list() == [9, 6]
    assert found.table["share"].to_list() == pytest.approx([7 / 9, 1])
    assert found.value == pytest.approx(13 / 15)
    low, high = found.table["low"][0], found.table["high"][0]
    # Wilson's limits solve (share − p)² = z² p(1 − p)/n.
    for p in (low, high):
        assert (7 / 9 - p) ** 2 == pytest.approx(1.959964**2 * p * (1 - p) / 9, rel=1e-5)
    transposed = po.hierarchy_shape(matrix(table), order=po.davids_score(matrix(np.array(table).T)))
    assert transposed.value == pytest.approx(2 / 15)
    by_elo = po.hierarchy_shape(po.datasets.adv(), order=po.elo(po.datasets.adv()))
    assert by_elo.settings["order"] == "elo"
    with pytest.raises(ValueError, match="order and data contain different individuals"):
        po.hierarchy_shape(matrix(table), order=po.davids_score(po.datasets.bonobos()))
    with pytest.raises(TypeError, match="an Order or Ratings, not list"):
        po.hierarchy_shape(matrix(table), order=["a", "b", "c"])


def test_equal_ranks_have_no_higher_side():
    tied = po.hierarchy_shape(matrix([[0, 5, 5], [0, 0, 5], [0, 5, 0]]))
    assert tied.table["rank_difference"].to_list() == [1.5]
    assert tied.table["contests"].to_list() == [10]
    assert tied.summary[1] == "10 contests between equal ranks left out."
    far = po.hierarchy_shape(matrix([[0, 1, 5], [0, 0, 0], [0, 0, 0]]))
    assert far.summary[0].endswith("100% at a rank difference of 1, 100% at 2.")
    with pytest.raises(po.DataError, match="equal rank"):
        po.hierarchy_shape(matrix([[0, 1], [1, 0]]))


numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=9)


@given(numbers)
def test_rank_correlations_of_slow_twins(pairs):
    x, y = np.array(pairs, float).T
    for fast, slow in ((spearman, oracle.spearman), (kendall, oracle.kendall_tau_b)):
        assert fast(x, y) == pytest.approx(slow(x.tolist(), y.tolist()), nan_ok=True)


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
    assert found.instability["p"] > 0.05
    assert found.instability["correlation"] == pytest.approx(0.96, abs=0.01)
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
    assert found.instability["p"] < 0.05
    assert "The order of contests matters: ranks changed" in found.summary[1]


def test_a_stable_hierarchy_is_rarely_called_unstable():
    """Constant strengths, 100 contests among 6: about one false positive in twenty."""
    rng = np.random.default_rng(1)
    alarms = []
    for _ in range(60):
        strength = rng.normal(0, 1, 6)
        a = rng.integers(6, size=100)
        b = (a + rng.integers(1, 6, size=100)) % 6
        won = rng.random(100) < 1 / (1 + np.exp(strength[b] - strength[a]))
        data = po.read((np.where(won, a, b).astype(str), np.where(won, b, a).astype(str)))
        found = po.compare(data, methods=["elo", "davids_score"], runs=99, seed=1)
        alarms.append(found.instability["p"] < 0.05)
    assert np.mean(alarms) < 0.15


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
        order = getattr(po, name)(data)
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


def test_results_can_be_copied_and_pickled():
    """As needed by other processes and caches."""
    for found in (po.isi(po.datasets.adv()), po.linearity(po.datasets.bonobos())):
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert again.to_dict() == found.to_dict()
    with pytest.raises(AttributeError, match="Measure has no 'q'; values: h, h_improved"):
        _ = found.q


def test_days_may_be_numbers():
    """Two contests on day 1, one on day 5: one step, from day 1 to day 5."""
    data = po.read({"winner": ["a", "a", "b"], "loser": ["b", "b", "a"], "date": [1, 1, 5]})
    for rule in ("carried", "interpolated"):
        assert po.stability(po.elo(data), rule=rule).steps == 1
