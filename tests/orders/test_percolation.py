"""Percolation against the numbers printed for Perc, slow twins, and a search through all orders."""

import itertools
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.kernels import percolation as kernel
from peckorder.kernels.random import begin
from peckorder.orders.percolation import (
    alpha_of,
    annealed,
    least_cost_order,
    paths_between,
    percolation,
    spread_of,
    triangles,
    unopposed,
)
from peckorder.random_runs import Runs
from tests import oracle
from tests.examples import examples
from tests.matrices import by_name, matrix, permuted, transposed, wins

REFERENCE = Path(__file__).parent.parent / "reference" / "percolation.json"
PERC = json.loads(REFERENCE.read_text(encoding="utf-8"))


def quiet(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        return percolation(data, **{"alpha": 3.0, "runs": 2, **settings})


# The method a second time, from its definitions


def paths_twin(table, contests):
    """Paths of so many contests, by going through all sequences of individuals."""
    size = len(table)
    number = [[0] * size for _ in range(size)]
    for path in itertools.permutations(range(size), contests + 1):
        if all(table[i][j] > 0 for i, j in itertools.pairwise(path)):
            number[path[0]][path[-1]] += 1
    return number


def probability_twin(table, alpha, beta, longest):
    size = len(table)
    degree = sum(map(sum, table)) / size
    weight = (alpha + beta) / (alpha + 2 * beta) / degree
    wins = [[float(x) for x in row] for row in table]
    for contests in range(2, longest + 1):
        for i, row in enumerate(paths_twin(table, contests)):
            for j, number in enumerate(row):
                wins[i][j] += weight ** (contests - 1) * number
    chance = [[0.5] * size for _ in range(size)]
    for i, j in itertools.permutations(range(size), 2):
        mine, theirs = alpha * wins[i][j] + beta, alpha * wins[j][i] + beta
        chance[i][j] = mine / (mine + theirs)
    return chance


def cost_twin(chance, order):
    """Σ max(0, −log 2(1 − p)) exp(2(N + 1 − j)(i − j)/N²) over places j above places i."""
    size, cost = len(order), 0.0
    for i, j in itertools.product(range(1, size + 1), repeat=2):
        p = chance[order[i - 1]][order[j - 1]]
        if i > j and p > 0.5:
            cost -= math.log(2 * (1 - p)) * math.exp(2 * (size + 1 - j) * (i - j) / size**2)
    return cost


def penalties(size, seed, zero=0.3):
    """Random penalties, at most one of each pair above zero."""
    rng = np.random.default_rng(seed)
    known = np.triu(rng.random((size, size)) > zero, 1)
    up = rng.random((size, size)) < 0.5
    price = rng.exponential(size=(size, size))
    return np.where(known & up, price, 0.0) + np.where(known & ~up, price, 0.0).T


# Numbers printed for Perc


def test_alpha_printed_for_perc():
    share = PERC["transitive"] / (PERC["transitive"] + PERC["intransitive"])
    assert alpha_of(share) == pytest.approx(PERC["alpha"], abs=5e-7)


def test_the_weight_of_a_path_printed_for_perc():
    """Each printed gain is a whole number of paths, and the weight fits a whole number of wins."""
    alpha, size = PERC["alpha"], PERC["group_size"]
    gain = np.array(PERC["imputed"]) - np.array(PERC["wins"])
    wins_of_all = (alpha + 1) / (alpha + 2) / gain[2, 0] * size
    assert wins_of_all == pytest.approx(174, abs=1e-4)
    paths = gain / ((alpha + 1) / (alpha + 2) / (174 / size))
    assert paths == pytest.approx(np.round(paths), abs=2e-5)
    assert np.round(paths)[2].tolist() == [1, 0, 0, 2, 4]


def test_probabilities_printed_for_perc():
    wins_with_paths, expected = np.array(PERC["imputed"]), np.array(PERC["probability"])
    alpha, off = PERC["alpha"], ~np.eye(5, dtype=bool)
    mine = alpha * wins_with_paths + 1
    assert (mine / (mine + mine.T))[off] == pytest.approx(expected[off], abs=2e-7)


def test_a_network_with_the_cells_printed_for_perc():
    """The five macaques alone: where no path leads through the other six, cells are as printed.

    With alpha given and direct wins only (max_length=1) both dyads with contests can be checked.
    """
    data = matrix(PERC["wins"], names=PERC["individuals"])
    found = quiet(data, alpha=PERC["alpha"], max_length=1)
    p = {(r["a"], r["b"]): r["p_a"] for r in found.dyads.to_dicts()}
    assert p["Kale", "Kalleigh"] == pytest.approx(0.1180829, abs=2e-7)
    direct = (PERC["alpha"] * 4 + 1) / (PERC["alpha"] * 10 + 2)
    assert p["Kale", "Kibitz"] == pytest.approx(direct)


# Probabilities


@examples(60)
@given(wins(most=6, highest=2), st.integers(1, 5), st.floats(0.5, 30), st.floats(0.2, 3))
def test_probabilities_of_the_slow_twin(table, longest, alpha, beta):
    found = quiet(matrix(table), max_length=longest, alpha=alpha, beta=beta)
    chance = probability_twin(table, alpha, beta, longest)
    names = found.individuals
    square = found.probability.to_dicts()
    for i, j in itertools.permutations(range(len(names)), 2):
        assert square[i][names[j]] == pytest.approx(chance[i][j])
        assert square[i][names[j]] + square[j][names[i]] == pytest.approx(1)
    assert found.value == pytest.approx(
        cost_twin(chance, [names.index(name) for name in found]), abs=1e-9
    )
    certainty = [
        np.mean([max(p, 1 - p) for j, p in enumerate(row) if j != i])
        for i, row in enumerate(chance)
    ]
    assert by_name(found, "certainty") == pytest.approx(certainty)


@given(wins(most=6, highest=1), st.integers(2, 6))
def test_paths_of_the_slow_twin(table, longest):
    number = paths_between(np.array(table) > 0, longest, threads=2)
    assert number.shape[0] == longest - 1
    for contests in range(2, longest + 1):
        assert number[contests - 2].tolist() == paths_twin(table, contests)


def test_paths_of_the_largest_kind():
    """In a complete graph of n there are (n − 2)!/(n − 1 − k)! paths of k contests for a pair."""
    size = 8
    number = paths_between(~np.eye(size, dtype=bool), 6)
    for contests in range(2, 7):
        expected = math.perm(size - 2, contests - 1)
        assert set(number[contests - 2][~np.eye(size, dtype=bool)].tolist()) == {expected}


@examples(50)
@given(wins(most=6), st.randoms())
def test_relabelling_permutes_and_transposing_reverses(table, rng):
    names = "abcdef"[: len(table)]
    square = quiet(matrix(table)).probability.select(list(names)).to_numpy()
    turned = quiet(matrix(transposed(table))).probability.select(list(names)).to_numpy()
    assert turned == pytest.approx(square.T, nan_ok=True)
    order = rng.sample(range(len(table)), len(table))
    moved = quiet(matrix(permuted(table, order)))
    cells = moved.probability.select(list(names)).to_numpy()
    assert cells == pytest.approx(square[np.ix_(order, order)], nan_ok=True)
    assert moved.value == pytest.approx(quiet(matrix(table)).value, abs=1e-9)


def test_imputed_dyads_have_indirect_wins_only():
    """a beats b, b beats c; d is beaten by c alone: a–c, a–d and b–d are imputed."""
    chain = [[0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0]]
    found = percolation(matrix(chain), alpha=5.0)
    source = {(r["a"], r["b"]): (r["source"], r["p_a"] > 0.5) for r in found.dyads.to_dicts()}
    assert source == {
        ("a", "b"): ("direct", True),
        ("b", "c"): ("direct", True),
        ("c", "d"): ("direct", True),
        ("a", "c"): ("indirect", True),
        ("a", "d"): ("indirect", True),
        ("b", "d"): ("indirect", True),
    }
    assert (found.unknown, found.imputed) == (3, 3)
    short = percolation(matrix(chain), alpha=5.0, max_length=2)
    assert short.imputed == 2
    assert set(short.dyads.filter(short.dyads["source"] == "none").row(0)[:2]) == {"a", "d"}
    assert percolation(matrix(chain), alpha=5.0, max_length=1).imputed == 0


@given(wins(most=7))
def test_triangles_of_the_slow_twin(table):
    transitive, cyclic = oracle.count_triads(oracle.dominance(table))
    assert triangles(np.array(table) > np.array(transposed(table))) == (transitive, cyclic)


@given(st.floats(0.26, 0.999), st.floats(0.1, 5))
def test_alpha_solves_its_equation(share, beta):
    alpha = alpha_of(share, beta)
    if alpha < 500:
        assert ((alpha + beta) / (alpha + 2 * beta)) ** 2 == pytest.approx(share)
    assert alpha_of(1.0, beta) == 500


# Orders


@examples(60)
@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_search_through_all_orders(size, seed):
    penalty = penalties(size, seed)
    spread = spread_of(size)
    costs = {
        order: kernel.cost_of(penalty, spread, np.array(order))
        for order in itertools.permutations(range(size))
    }
    best = least_cost_order(
        penalty, prefer=np.zeros(size), runs=Runs.of(1, 0, 1, None), seconds=10.0
    )
    assert best.proved
    assert best.cost == pytest.approx(min(costs.values()), abs=1e-9)
    assert costs[tuple(best.order.tolist())] == pytest.approx(best.cost, abs=1e-9)


@given(st.integers(3, 7), st.integers(0, 2**32 - 1))
def test_a_bad_start_does_not_matter_where_it_is_proved(size, seed):
    """The proof alone, without annealing, finds an order that costs as little."""
    from peckorder.orders.percolation import searched

    penalty, spread = penalties(size, seed, zero=0.1), spread_of(size)
    start = np.arange(size)[::-1].copy()
    cost = float(kernel.cost_of(penalty, spread, start))
    found = searched(penalty, spread, start, cost, 10.0)
    _, least, _ = annealed(penalty + 1e-300, spread, Runs.of(2, seed, 1, None))
    assert kernel.cost_of(penalty, spread, found) <= least + 1e-9


@given(wins(most=6), st.integers(0, 2**20))
def test_a_proved_order_does_not_depend_on_the_seed(table, seed):
    one, other = quiet(matrix(table), seed=seed), quiet(matrix(table), seed=seed + 1)
    assert one.proved
    assert one.seed is None
    assert list(one) == list(other)


@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_changes_of_cost_are_those_of_a_recount(size, seed):
    rng = np.random.default_rng(seed)
    penalty, spread, order = penalties(size, seed), spread_of(size), rng.permutation(size)
    p, q = rng.integers(size, size=2)
    whole = kernel.cost_of(penalty, spread, order)
    low, high = min(p, q), max(p, q)
    around = kernel.cost_around(penalty, spread, order, low, high)
    two = kernel.pairs_of_two(penalty, spread, order, p, q)
    moved, swapped = order.copy(), order.copy()
    kernel.insert(moved, p, q)
    expected = order.tolist()
    expected.insert(q, expected.pop(p))
    assert moved.tolist() == expected
    swapped[[p, q]] = swapped[[q, p]]
    change = kernel.cost_of(penalty, spread, moved) - whole
    assert kernel.cost_around(penalty, spread, moved, low, high) - around == pytest.approx(
        change, abs=1e-9
    )
    change = kernel.cost_of(penalty, spread, swapped) - whole
    assert kernel.pairs_of_two(penalty, spread, swapped, p, q) - two == pytest.approx(
        change, abs=1e-9
    )


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_least_penalties_by_going_through_all_orders(size, seed):
    penalty = penalties(size, seed)
    least = np.empty(1 << size)
    kernel.least_penalties(penalty, least)
    rng = np.random.default_rng(seed)
    subset = int(rng.integers(1 << size))
    members = [v for v in range(size) if subset >> v & 1]
    if len(members) <= 5:
        expected = min(
            sum(penalty[below, above] for above, below in itertools.combinations(order, 2))
            for order in itertools.permutations(members)
        )
        assert least[subset] == pytest.approx(expected)


def test_annealing_finds_a_planted_order_among_many():
    """40 individuals in a line with nothing against it, from a shuffled start."""
    size = 40
    rng = np.random.default_rng(1)
    hidden = rng.permutation(size)
    penalty = np.zeros((size, size))
    for above, below in itertools.combinations(hidden, 2):
        penalty[above, below] = 1.0
    random, best = np.empty(4, np.uint64), np.empty(size, np.int64)
    begin(random, np.uint64(1), 0)
    cost = kernel.anneal(
        penalty, spread_of(size), np.arange(size), random, 200_000, 1.0, 1e-3, best
    )
    assert cost == 0
    assert best.tolist() == hidden.tolist()
    first, core = unopposed(penalty, np.zeros(size))
    assert first.tolist() == hidden.tolist()
    assert len(core) == 0


def test_more_than_twenty_are_searched_but_not_proved():
    rng = np.random.default_rng(3)
    table = rng.poisson(1.0, (24, 24)) * ~np.eye(24, dtype=bool)
    found = percolation(matrix(table), max_length=2, runs=3, seed=5, alpha=2.0)
    assert not found.proved
    assert found.seed == 5
    assert found.value == pytest.approx(found.costs.min())
    assert "not proven optimal" in found.summary[1]
    assert "increase runs" in found.summary[1]
    lowest = np.isclose(found.costs, found.value, rtol=1e-9).sum()
    assert found.runs_at_lowest == lowest
    assert f"in {lowest} of 3 runs" in found.summary[1]
    again = percolation(matrix(table), max_length=2, runs=3, seed=5, alpha=2.0, threads=1)
    assert list(again) == list(found)
    assert again.costs.tolist() == found.costs.tolist()


def test_no_time_for_a_proof():
    rng = np.random.default_rng(2)
    table = rng.poisson(1.0, (18, 18)) * ~np.eye(18, dtype=bool)
    found = percolation(matrix(table), max_length=1, runs=2, alpha=2.0, time_limit=0)
    assert not found.proved
    assert "time_limit" in found.summary[1]


# Data and arguments


def test_bonobos():
    found = percolation(po.datasets.bonobos())
    assert (found.transitivity, found.triangles, found.alpha) == (1.0, 22, 500.0)
    assert (found.value, found.proved) == (0, True)
    assert found["He"] == 1
    assert found.settings["max_length"] == 4
    assert found.number_of_dyads == len(found.dyads) == 21
    assert not set(found.values) & set(found.tables)  # one would hide the other in JSON


def test_presence_says_which_imputed_dyads_could_have_met():
    contests = {"winner": ["a", "b"], "loser": ["b", "c"], "date": ["2020-01-01", "2020-02-01"]}
    presence = {
        "individual": ["a", "b", "c"],
        "start": ["2020-01-01", "2020-01-01", "2020-02-01"],
        "end": ["2020-01-20", "", ""],
    }
    found = percolation(po.read(contests, presence=presence), alpha=2.0)
    rows = {(r["a"], r["b"]): (r["source"], r["co_resident"]) for r in found.dyads.to_dicts()}
    assert rows["a", "c"] == ("indirect", False)
    assert rows["a", "b"] == ("direct", True)
    assert "co_resident" not in percolation(po.read(contests), alpha=2.0).dyads.columns


def test_draws():
    table, drawn = [[0, 2, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 4], [0, 4, 0]]
    omitted = quiet(matrix(table, drawn))
    assert omitted.imputed == 0
    half = quiet(matrix(table, drawn), ties="half")
    assert half.imputed == 1
    assert {(r["a"], r["b"]): r["p_a"] for r in half.dyads.to_dicts()}["b", "c"] == 0.5


def test_sets_without_a_contest_between_them_are_named():
    """Three in a line twice: no path joins them, so all dyads between them stay at one half."""
    line = np.triu(np.full((3, 3), 2), 1)
    apart = np.kron(np.eye(2, dtype=int), line)
    with pytest.warns(po.DataWarning, match=r"\{a, b, c\}; \{d, e, f\}"):
        found = percolation(matrix(apart))
    assert (found.unknown, found.imputed, found.value) == (9, 0, 0)
    between = found.dyads.filter(found.dyads["source"] == "none")
    assert set(between["p_a"]) == {0.5}
    assert set(between["certainty"]) == {0.5}
    assert [found[name] for name in "abc"] == sorted(found[name] for name in "abc")
    alone = np.zeros((4, 4), int)
    alone[:3, :3] = line
    with pytest.warns(po.DataWarning, match='Without a contest that counts: "d"'):
        assert by_name(percolation(matrix(alone)), "certainty")[3] == 0.5


def test_two_individuals_and_only_ties():
    found = percolation(matrix([[0, 3], [1, 0]]), alpha=2.0, max_length=1)
    assert found.dyads["p_a"].to_list() == [pytest.approx(7 / 10)]
    assert (list(found), found.proved) == (["a", "b"], True)
    drawn = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(po.DataError, match='All contests are draws, which ties="omit"'):
        percolation(matrix(np.zeros((3, 3), int), drawn))
    even = percolation(matrix(np.zeros((3, 3), int), drawn), ties="half", alpha=2.0)
    assert set(even.dyads["p_a"]) == {0.5}
    assert by_name(even, "dominates") == [0, 0, 0]


def test_somebody_called_individual():
    data = matrix([[0, 1, 1], [0, 0, 1], [0, 0, 0]], names=["individual", "b", "c"])
    assert percolation(data).probability.columns == ["individual (row)", "individual", "b", "c"]


def test_alpha_that_cannot_be_estimated():
    with pytest.raises(po.DataError, match="alpha cannot be estimated"):
        percolation(matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    with pytest.raises(po.DataError, match="0% of the triangles are transitive"):
        percolation(matrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))


def test_bad_arguments():
    data = po.datasets.bonobos()
    for name, value, said in (
        ("max_length", 0, "at least 1"),
        ("alpha", -1, "above 0"),
        ("beta", 0, "above 0"),
        ("beta", True, "above 0"),
        ("time_limit", None, "number of seconds of at least 0"),
        ("runs", 0, "at least 1"),
        ("ties", "some", "Choose one of"),
    ):
        with pytest.raises(ValueError, match=said):
            percolation(data, **{name: value})
