"""ADAGIO against the paper's example, another program, a slow twin, and its properties."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.orders import adagio
from tests.examples import examples
from tests.matrices import by_name, matrix, permuted, transposed, wins

REFERENCE = Path(__file__).parent.parent / "reference" / "adagio.json"
CASES = json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]
DIRECTIONS = ("top_down", "bottom_up")


def quiet(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        return adagio(data, **options)


def paths(edges, size):
    """Who can be reached from whom, by following edges until nothing new is found."""
    reach = []
    for start in range(size):
        found, fresh = set(), {start}
        while fresh:
            fresh = {j for i, j in edges if i in fresh} - found
            found |= fresh
        reach.append(found)
    return reach


def twin(table, preprocess, direction):
    """Levels and edges by the definitions: sets of pairs, no graph library."""
    size = len(table)
    everybody = range(size)
    weight = {}
    for i in everybody:
        for j in everybody:
            won = table[i][j] - (table[j][i] if preprocess else 0)
            if won > 0:
                weight[i, j] = won
    while True:
        reach = paths(weight, size)
        cyclic = [i for i in everybody if i in reach[i]]
        if not cyclic:
            break
        for component in {frozenset(j for j in reach[i] if i in reach[j]) for i in cyclic}:
            inside = {e: w for e, w in weight.items() if set(e) <= component}
            for e, w in inside.items():
                if w == min(inside.values()):
                    del weight[e]

    def down(i):
        return max((1 + down(b) for a, b in weight if a == i), default=0)

    def up(i):
        return max((1 + up(a) for a, b in weight if b == i), default=0)

    if direction == "top_down":
        return [1 + up(i) for i in everybody], weight
    deepest = max(map(down, everybody))
    return [deepest - down(i) + 1 for i in everybody], weight


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_levels_of_other_software(case):
    data = matrix(case["wins"])
    for direction in DIRECTIONS:
        for key, levels in case.get(direction, {}).items():
            found = quiet(data, preprocess=key == "preprocess", direction=direction)
            assert by_name(found, "level") == levels, (direction, key)


def test_the_example_of_the_paper_has_one_cycle():
    """a, c and d: the single win of d over a is the weakest edge."""
    found = adagio(matrix(CASES[0]["wins"]))
    assert CASES[0]["name"] == "paper"
    assert found.removed == [{"winner": "d", "loser": "a", "weight": 1.0}]
    assert (found.levels, found.comparable, found.dyads) == (4, 10, 15)
    assert found["a"] == 1
    assert by_name(found, "rank") == [1, 5.5, 2.5, 4, 5.5, 2.5]
    assert by_name(found, "dominates") == [4, 0, 3, 1, 0, 2]


def test_levels_by_hand():
    """a > b > c > d and a > e > d: e is one above d, or one below a."""
    table = np.zeros((5, 5), int)
    for i, j in ((0, 1), (1, 2), (2, 3), (0, 4), (4, 3)):
        table[i, j] = 1
    assert by_name(adagio(matrix(table)), "level") == [1, 2, 3, 4, 3]
    assert by_name(adagio(matrix(table), direction="top_down"), "level") == [1, 2, 3, 4, 2]
    table = np.zeros((6, 6), int)  # b stands one above d, however far below f that is
    for winner, loser in ("ae", "bd", "ca", "cd", "fa", "fb", "fc", "fe"):
        table["abcdef".index(winner), "abcdef".index(loser)] = 1
    assert by_name(adagio(matrix(table)), "level") == [3, 3, 2, 4, 4, 1]


def test_all_weakest_edges_of_a_cycle_go_at_once():
    table = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 5], [0, 0, 0, 0]]
    found = adagio(matrix(table))
    assert len(found.removed) == 3
    assert found.edges.to_dicts() == [{"winner": "c", "loser": "d", "weight": 5}]
    with_both = adagio(matrix([[0, 3], [2, 0]]), preprocess=False)
    assert with_both.removed == [{"winner": "b", "loser": "a", "weight": 2.0}]
    even = adagio(matrix([[0, 2, 1], [2, 0, 1], [0, 0, 0]]), preprocess=False)
    assert by_name(even, "level") == [1, 1, 2]


@given(wins(most=7, highest=3), st.booleans(), st.sampled_from(DIRECTIONS))
def test_levels_of_the_slow_twin(table, preprocess, direction):
    found = quiet(matrix(table), preprocess=preprocess, direction=direction)
    levels, weight = twin(table, preprocess, direction)
    assert by_name(found, "level") == levels
    names = found.individuals
    edges = {(names[i], names[j], w) for (i, j), w in weight.items()}
    assert set(found.edges.iter_rows()) == edges
    assert found.comparable == sum(map(len, paths(weight, len(table))))


@examples(50)
@given(wins(most=7), st.booleans(), st.randoms())
def test_relabelling_permutes_and_transposing_turns_the_directions_round(table, preprocess, rng):
    up = quiet(matrix(table), preprocess=preprocess, direction="bottom_up")
    down = quiet(matrix(transposed(table)), preprocess=preprocess, direction="top_down")
    turned = up.levels + 1 - np.array(by_name(down, "level"))
    assert by_name(up, "level") == turned.tolist()
    order = rng.sample(range(len(table)), len(table))
    moved = quiet(matrix(permuted(table, order)), preprocess=preprocess)
    assert by_name(moved, "level") == [by_name(up, "level")[i] for i in order]


@examples(50)
@given(wins(), st.sampled_from(DIRECTIONS), st.booleans())
def test_every_edge_leads_to_a_lower_level(table, direction, preprocess):
    found = quiet(matrix(table), direction=direction, preprocess=preprocess)
    level = dict(zip(found, found.table["level"], strict=True))
    assert all(level[i] < level[j] for i, j, _ in found.edges.iter_rows())
    assert min(level.values()) == 1
    assert set(level.values()) == set(range(1, found.levels + 1))
    scaled = quiet(matrix(3 * np.array(table)), direction=direction, preprocess=preprocess)
    assert by_name(scaled, "level") == by_name(found, "level")


def test_a_linear_hierarchy_stays_linear():
    found = adagio(matrix(np.triu(np.ones((6, 6), int), 1)))
    assert by_name(found, "level") == [1, 2, 3, 4, 5, 6]
    assert found.comparable == found.dyads == 15
    assert found.removed == []
    assert (
        found.summary[0]
        == "6 levels. The graph orders 15 of 15 dyads. There are no dominance cycles."
    )


def test_draws():
    table, drawn = [[0, 2, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 4], [0, 4, 0]]
    assert quiet(matrix(table, drawn)).comparable == 1
    half = adagio(matrix(table, drawn), ties="half", preprocess=False)
    assert {(e["winner"], e["loser"]) for e in half.removed} == {("b", "c"), ("c", "b")}


def test_few_individuals_ties_and_unconnected_sets():
    assert by_name(adagio(matrix([[0, 3], [1, 0]])), "level") == [1, 2]
    assert by_name(adagio(matrix([[0, 2], [2, 0]])), "rank") == [1.5, 1.5]
    drawn = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(po.DataError, match='All contests are draws, which ties="omit"'):
        adagio(matrix(np.zeros((3, 3), int), drawn))
    even = adagio(matrix(np.zeros((3, 3), int), drawn), ties="half")
    assert (even.levels, even.comparable) == (1, 0)
    apart = np.kron(np.eye(2, dtype=int), np.triu(np.ones((3, 3), int), 1))
    with pytest.warns(po.DataWarning, match=r"\{a, b, c\}; \{d, e, f\}"):
        found = adagio(matrix(apart))
    assert by_name(found, "level") == [1, 2, 3, 1, 2, 3]
    assert found.comparable == 6


def test_groups_are_named_and_bad_arguments_refused():
    data = po.read({"winner": ["a", "c"], "loser": ["b", "d"], "group": ["x", "y"]}, group="group")
    with pytest.warns(po.DataWarning) as warned:
        adagio(data)
    assert any("2 groups" in str(w.message) for w in warned)
    with pytest.raises(ValueError, match="Choose one of: bottom_up, top_down"):
        adagio(po.datasets.bonobos(), direction="top")
    with pytest.raises(TypeError, match="give True or False"):
        adagio(po.datasets.bonobos(), preprocess="yes")
    with pytest.raises(po.DataError, match="at least 2"):
        adagio(matrix([[0]]))
