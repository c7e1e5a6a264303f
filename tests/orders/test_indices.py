"""Simple indices, dyads, reversals and unknown dyads against slow twins."""

import numpy as np
import pytest
from hypothesis import given

import peckorder as po
from tests import oracle
from tests.matrices import by_name, matrix, wins


@given(wins())
def test_indices_of_slow_twins(table):
    found = po.orders.indices(matrix(table))
    for column, twin in (
        ("clutton_brock", oracle.clutton_brock),
        ("dominated", oracle.number_dominated),
        ("proportion", oracle.win_proportion),
        ("adi", oracle.average_dominance),
    ):
        assert by_name(found, column) == pytest.approx([float(x) for x in twin(table)]), column
    normds = oracle.davids_score(table, "dij")["normds"]
    if len(set(normds)) == len(normds):
        assert found.upward_steepness == pytest.approx(float(oracle.upward_steepness(table)))


def test_upward_steepness_does_not_depend_on_names():
    """A cycle of three below one: wins between equal scores count one half."""
    table = np.array([[0, 6, 6, 6], [0, 0, 5, 1], [0, 1, 0, 5], [0, 5, 1, 0]])
    expected = 1 - 18 / 2 / 36
    assert po.orders.indices(matrix(table)).upward_steepness == pytest.approx(expected)
    assert po.orders.indices(matrix(table[::-1, ::-1])).upward_steepness == pytest.approx(expected)


def test_expected_number_beaten_is_that_of_the_ratings():
    data = po.datasets.adv()
    found = po.orders.indices(data, rank_by="expected_beaten")
    beaten = po.elo(data).expected_beaten()
    expected = dict(zip(beaten["individual"], beaten["expected_beaten"], strict=True))
    assert by_name(found, "expected_beaten") == pytest.approx(
        [expected[n] for n in data.individuals]
    )
    assert sum(by_name(found, "expected_beaten")) == pytest.approx(21)
    assert by_name(po.orders.indices(po.datasets.bonobos()), "expected_beaten") == [None] * 7
    with pytest.raises(ValueError, match="needs the order of contests, which is unknown"):
        po.orders.indices(po.datasets.bonobos(), rank_by="expected_beaten")


def test_natural_breaks_of_the_expected_number_beaten():
    """Three classes with the least squares within them, by enumeration of all cuts."""
    table = po.elo(po.datasets.adv(), k=200).expected_beaten(classes=3)
    values, classes = table["expected_beaten"].to_numpy(), table["class"].to_list()

    def within(label):
        return sum(values[np.array(label) == c].var() * label.count(c) for c in set(label))

    cuts = [[1] * i + [2] * (j - i) + [3] * (7 - j) for i in range(1, 6) for j in range(i + 1, 7)]
    assert within(classes) == pytest.approx(min(map(within, cuts)))
    assert classes == sorted(classes)
    assert set(po.elo(po.datasets.adv()).expected_beaten(classes=2)["class"]) == {1, 2}
    for classes in (0, -1, 2.5):
        with pytest.raises(ValueError, match="at least 1"):
            po.elo(po.datasets.adv()).expected_beaten(classes=classes)


def test_who_never_met_anybody_has_no_share():
    table = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    with pytest.warns(po.DataWarning, match="Without a contest that counts"):
        found = po.orders.indices(matrix(table), rank_by="proportion")
    assert by_name(found, "proportion") == [1, 0, None]
    assert found["c"] == 3


def test_dyads_of_the_bonobos():
    found = po.datasets.bonobos().dyads()
    assert (found.dyads, found.unknown, found.tied, found.one_way, found.two_way) == (
        21,
        3,
        0,
        14,
        4,
    )
    row = next(r for r in found.table.to_dicts() if (r["a"], r["b"]) == ("Ko", "Re"))
    assert (row["a_wins"], row["b_wins"], row["relation"], row["dominant"]) == (
        4,
        10,
        "dominates",
        "Re",
    )
    tied = matrix([[0, 1], [1, 0]]).dyads()
    assert tied.table.row(0, named=True)["relation"] == "tied"
    assert tied.table.row(0, named=True)["dominant"] is None


def test_reversals_between_two_periods():
    data = po.read(
        {
            "winner": ["a", "a", "b", "c", "b", "b", "c", "a"],
            "loser": ["b", "b", "c", "a", "a", "a", "b", "c"],
            "date": [f"2020-01-0{i}" for i in range(1, 9)],
        }
    )
    found = data.reversals(at="2020-01-05")
    assert (found.reversals, found.compared, found.value) == (3, 3, 1)
    half = data.reversals(at="2020-01-07")
    assert (half.reversals, half.compared) == (2, 2)
    assert found.table["reversed"].to_list() == [True, True, True]
    never = po.read({"winner": ["a", "c"], "loser": ["b", "d"], "date": [1, 2]}).reversals(at=2)
    assert never.value is None
    with pytest.raises(ValueError, match="All contests are before"):
        data.reversals(at="2021-01-01")
    with pytest.raises(po.DataError, match="a matrix cannot be split into periods"):
        po.datasets.bonobos().reversals(at=3)


def test_unknown_dyads_all_and_co_resident():
    contests = {
        "winner": ["a", "b", "c"],
        "loser": ["b", "a", "d"],
        "date": ["2020-01-01", "2020-01-02", "2020-03-01"],
    }
    found = po.read(contests).unknown_dyads()
    assert (found.unknown, found.dyads, found.co_resident_dyads) == (4, 6, None)
    presence = {
        "individual": ["a", "b", "c", "d"],
        "start": ["2020-01-01", "2020-01-01", "2020-01-15", "2020-03-01"],
        "end": ["2020-01-20", "2020-01-10", "", ""],
    }
    found = po.read(contests, presence=presence).unknown_dyads()
    # a–b met, a–c were together and never met, c–d met; b–c, a–d and b–d were never together.
    assert (found.co_resident_dyads, found.co_resident_unknown) == (3, 1)
    assert found.co_resident == pytest.approx(1 / 3)
    assert found.table.filter(found.table["co_resident"]).row(0) == ("a", "c", True)
    assert float(found) == pytest.approx(4 / 6)


def test_compete_on_the_bonobos(software):
    compete = software["compete summary bonobos"][0]
    assert po.datasets.bonobos().unknown_dyads().value == pytest.approx(
        float(compete["sparseness"])
    )


def test_bad_arguments():
    with pytest.raises(ValueError, match="Choose one of: proportion, adi"):
        po.orders.indices(po.datasets.bonobos(), rank_by="wins")
