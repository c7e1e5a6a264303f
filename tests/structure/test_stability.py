"""Stability against EloRating and a slow twin; the shape of a hierarchy."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.ranks import kendall, spearman
from tests import oracle
from tests.matrices import matrix


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


def test_a_newcomer_has_a_rating_from_the_first_contest_after_its_arrival():
    """n arrives on day 3 and wins the next contest, on day 5, for which EloRating holds 1140.

    On day 3 n is thus above a (1101, on its way from 1148 to 1008), and a and b fall by one rank:
    C = 2 with weight 1, of ΣM = 2 + 2 + 4 + 4.
    """
    data = po.read(
        {
            "winner": list("aan"),
            "loser": list("bba"),
            "date": ["2020-01-01", "2020-01-02", "2020-01-05"],
        },
        presence={
            "id": list("abn"),
            "start": ["2020-01-01", "2020-01-01", "2020-01-03"],
            "end": ["2020-01-05"] * 3,
        },
    )
    ratings = po.elo(data, preset="EloRating", k=200)
    assert dict(ratings.items()) == {"n": 1140, "a": 1008, "b": 852}
    found = po.stability(ratings)
    assert (found.value, found.unweighted) == pytest.approx((1 - 2 / 12, 1 - 2 / 12))


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
    from peckorder.results import history as module

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
    assert found.table["value"].to_list() == pytest.approx([7 / 9, 1])
    assert found.value == pytest.approx(13 / 15)
    low, high = found.table["low"][0], found.table["high"][0]
    # Wilson's limits solve (share − p)² = z² p(1 − p)/n.
    for p in (low, high):
        assert (7 / 9 - p) ** 2 == pytest.approx(1.959964**2 * p * (1 - p) / 9, rel=1e-5)
    transposed = po.hierarchy_shape(matrix(table), order=po.davids_score(matrix(np.array(table).T)))
    assert transposed.value == pytest.approx(2 / 15)
    by_elo = po.hierarchy_shape(po.datasets.adv(), order=po.elo(po.datasets.adv()))
    assert by_elo.settings["order"] == "elo"
    with pytest.raises(ValueError, match="order and the data contain different individuals"):
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


def test_results_can_be_copied_and_pickled():
    """As needed by other processes and caches."""
    for found in (po.isi(po.datasets.adv()), po.linearity(po.datasets.bonobos())):
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert again.to_dict() == found.to_dict()
    with pytest.raises(AttributeError, match="has no 'q'"):
        _ = found.q


def test_days_may_be_numbers():
    """Two contests on day 1, one on day 5: one step, from day 1 to day 5."""
    data = po.read({"winner": ["a", "a", "b"], "loser": ["b", "b", "a"], "date": [1, 1, 5]})
    for rule in ("carried", "interpolated"):
        assert po.stability(po.elo(data), rule=rule).steps == 1
