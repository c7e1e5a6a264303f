"""David's scores against the paper, other software and a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests import oracle
from tests.matrices import by_name, matrix, permuted, transposed, wins

PARTS = ("w", "w2", "l", "l2", "ds", "normds")


def test_table_2_of_de_vries_et_al_2006(papers):
    """Every margin of Table 2."""
    shown = {"w": "w", "w2": "w2", "l": "l", "l2": "l2", "ds": "DS", "normds": "NormDS"}
    for index in ("pij", "dij"):
        printed = papers["bonobo"][index[0].upper()]
        found = po.davids_score(po.datasets.bonobos(), index=index)
        assert found.individuals == tuple(papers["bonobo"]["ids"])
        for part in PARTS:
            assert by_name(found, part) == pytest.approx(printed[shown[part]], abs=5e-9)


def test_cells_of_table_2():
    """P and D of every dyad from their definition; D of Dz over De is printed as .88."""
    for index in ("pij", "dij"):
        for row in po.datasets.bonobos().dyads(index=index).table.to_dicts():
            s, n = row["a_wins"], row["contests"]
            if n == 0:
                assert row["a_chance"] is row["b_chance"] is None
                continue
            expected = s / n if index == "pij" else (s + 0.5) / (n + 1)
            assert row["a_chance"] == pytest.approx(expected)
            assert row["b_chance"] == pytest.approx(1 - expected)
            if (row["a"], row["b"], index) == ("Dz", "De", "dij"):
                assert round(row["a_chance"] + 1e-9, 2) == 0.88


def test_elorating_on_the_bonobos(software):
    for entry in software["EloRating.DS bonobos"]:
        found = po.davids_score(po.datasets.bonobos(), index=entry["prop"].lower())
        row = next(row for row in found.table.to_dicts() if row["individual"] == entry["ID"])
        assert row["ds"] == pytest.approx(float(entry["DS"]), abs=1e-12)
        assert row["normds"] == pytest.approx(float(entry["normDS"]), abs=1e-12)


@given(wins(), st.sampled_from(["dij", "pij", "binomial"]))
def test_scores_of_a_slow_twin(table, index):
    found = po.davids_score(matrix(table), index=index)
    expected = oracle.davids_score(table, index)
    for part in PARTS:
        assert by_name(found, part) == pytest.approx([float(x) for x in expected[part]], abs=1e-10)


@given(wins(), st.randoms())
def test_relabelling_permutes_and_transposing_reverses(table, random):
    names = [chr(ord("a") + i) for i in range(len(table))]
    order = random.sample(range(len(table)), len(table))
    one = po.davids_score(matrix(table, names=names))
    two = po.davids_score(matrix(permuted(table, order), names=[names[i] for i in order]))
    for name in names:
        assert two[name] == one[name]
    turned = po.davids_score(matrix(transposed(table), names=names))
    for name in names:
        assert turned[name] == len(names) + 1 - one[name]


@given(wins(complete=True))
def test_somebody_without_contests_shifts_normalized_scores_only(table):
    more = [[*row, 0] for row in table] + [[0] * (len(table) + 1)]
    with pytest.warns(po.DataWarning, match="Without a contest that counts"):
        new = po.davids_score(matrix(more))
    old = po.davids_score(matrix(table))
    assert by_name(new, "ds")[:-1] == pytest.approx(by_name(old, "ds"))
    assert by_name(new, "ds")[-1] == 0


def test_draws_by_rule():
    table, drawn = [[0, 3], [1, 0]], [[0, 2], [2, 0]]

    def share(rule):
        return by_name(po.davids_score(matrix(table, drawn), index="pij", ties=rule), "w")[0]

    assert share("omit") == 3 / 4
    assert share("half") == 4 / 6
    assert share("both") == 5 / 8
    found = po.davids_score(matrix(table, drawn))
    assert found.summary[1:] == (
        '2 draws were omitted; ties="half" counts a draw as half a win for each side.',
    )


def test_bad_arguments_and_data_are_refused():
    data = po.datasets.bonobos()
    with pytest.raises(ValueError, match="Choose one of: dij, pij, binomial"):
        po.davids_score(data, index="d")
    with pytest.raises(ValueError, match="Choose one of: omit, half, both"):
        po.davids_score(data, ties="drop")
    with pytest.raises(ValueError, match="needs whole numbers of wins"):
        po.davids_score(matrix([[0, 1], [1, 0]], [[0, 1], [1, 0]]), index="binomial", ties="half")
    with pytest.raises(po.DataError, match="all counts are 0"):
        po.davids_score(np.zeros((2, 2)))
    with pytest.raises(po.DataError, match="requires at least 2"):
        po.davids_score(matrix([[0]]))
    with pytest.raises(po.DataError, match="There are no contests"):
        po.davids_score(matrix([[0, 0], [0, 0]]))
    with pytest.raises(po.DataError, match="All contests are draws"):
        po.davids_score(matrix([[0, 0], [0, 0]], [[0, 1], [1, 0]]))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[0, -1], [0, 0]], r'wins\["a", "b"\] is -1. Counts must be whole numbers of at least 0'),
        ([[0, 1.5], [0, 0]], r'wins\["a", "b"\] is 1.5'),
        ([[0, np.nan], [0, 0]], r'wins\["a", "b"\] is nan'),
        ([[0, 1, 1], [0, 0, 1]], "require 2 rows"),
        ([[1, 1], [0, 0]], 'diagonal of wins must be 0; it is not for "a"'),
        ([["x", "y"], ["z", "v"]], "not numbers"),
    ],
)
def test_a_matrix_refuses_what_counts_cannot_be(counts, message):
    with pytest.raises(po.DataError, match=message):
        po.Matrix(("a", "b"), np.array(counts))


def test_a_matrix_refuses_names_twice_and_lopsided_draws():
    with pytest.raises(
        po.DataError, match='Duplicated names among the individuals of the matrix: "a"'
    ):
        po.Matrix(("a", "a"), np.zeros((2, 2)))
    with pytest.raises(po.DataError, match="Draws must be symmetric"):
        po.Matrix(("a", "b"), np.zeros((2, 2)), np.array([[0, 1], [0, 0]]))


# -- Appendix 2: errors of the indices ------------------------------------------------------------


@pytest.mark.parametrize("contests", [1, 2, 5, 10, 100])
def test_dij_beats_pij_where_the_formula_says(contests):
    table = po.orders.index_error(contests)
    p, better = table["chance"].to_numpy(), (table["dij"] < table["pij"]).to_numpy()
    margin = p * (1 - p) - contests / (4 * (3 * contests + 1))
    clear = np.abs(margin) > 1e-9
    assert (better == (margin > 0))[clear].all()


def test_errors_are_the_sums_they_stand_for():
    row = po.orders.index_error(3, chance=[0.7]).row(0, named=True)
    from math import comb

    weight = [comb(3, s) * 0.7**s * 0.3 ** (3 - s) for s in range(4)]
    d = [s / 3 - (s / 3 - 0.5) * comb(3, s) / 8 for s in range(4)]
    assert row["pij"] == pytest.approx(0.7 * 0.3 / 3)
    assert row["dij"] == pytest.approx(
        sum(w * ((s + 0.5) / 4 - 0.7) ** 2 for s, w in enumerate(weight))
    )
    assert row["binomial"] == pytest.approx(
        sum(w * (x - 0.7) ** 2 for x, w in zip(d, weight, strict=True))
    )


def test_the_printed_claim_on_the_older_index_holds_for_some_numbers_only():
    """D beats the older d for p from about .05 to .95 (n = 4 … 10), not near ½ from n = 12 on."""
    for contests in range(4, 11):
        table = po.orders.index_error(contests, chance=np.arange(0.06, 0.941, 0.01))
        assert (table["dij"] < table["binomial"]).all()
    row = po.orders.index_error(12, chance=[0.5]).row(0, named=True)
    assert row["dij"] > row["binomial"]
    ends = po.orders.index_error(5, chance=[0, 1])
    assert ends["pij"].to_list() == [0, 0]


def test_bad_arguments_of_index_error():
    with pytest.raises(ValueError, match="at least 1"):
        po.orders.index_error(0)
    with pytest.raises(ValueError, match="from 0 to 1"):
        po.orders.index_error(3, chance=[1.2])
