"""Steepness against the paper, other software and a slow twin."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.structure.steepness import line
from tests import oracle
from tests.matrices import matrix, permuted, transposed, wins

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def study():
    """The program that measures what the test claims."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import steepness_null

        yield steepness_null
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("steepness_null", "common"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("index", "slope", "intercept"),
    [("pij", 0.7352487143, 5.9409948570), ("dij", 0.6283757984, 5.5135031938)],
)
def test_bonobos_of_de_vries_et_al_2006(index, slope, intercept):
    found = po.steepness(po.datasets.bonobos(), index=index, runs=2000, seed=1)
    assert found.value == pytest.approx(slope, abs=1e-10)
    assert found.intercept == pytest.approx(intercept, abs=1e-9)
    assert found.p < 0.001
    assert found.table["fitted"].to_list() == pytest.approx(
        [intercept - slope * r for r in range(1, 8)]
    )


def test_figure_2_of_de_vries_et_al_2006():
    """Everybody always beats all below: steepness 1, Y = −X + 5."""
    table = [[2 if j > i else 0 for j in range(5)] for i in range(5)]
    found = po.steepness(matrix(table), index="pij", runs=10, seed=1)
    assert (found.value, found.intercept) == pytest.approx((1, 5))
    raw = po.davids_score(matrix(table), index="pij").table["ds"].to_numpy()
    assert line(np.arange(1.0, 6), raw)[0] == pytest.approx(-5)


def test_table_3_of_de_vries_et_al_2006(papers):
    found = po.steepness(po.datasets.table3(), runs=200_000, seed=1)
    assert found.value == pytest.approx(0.3615709722, abs=1e-10)
    assert found.table["normds"].to_list() == pytest.approx(
        papers["steep_table3"]["NormDS"], abs=5e-9
    )
    assert found.p == pytest.approx(0.1713, abs=4 * found.p_error)
    assert found.expected == pytest.approx(0.2857, abs=6e-4)


def test_elorating_on_the_bonobos(software):
    for entry in software["EloRating.steepness bonobos (10000 randomizations)"]:
        found = po.steepness(po.datasets.bonobos(), index=entry["prop"].lower(), seed=1)
        assert found.value == pytest.approx(float(entry["steep"]), abs=1e-12)
        assert found.expected == pytest.approx(float(entry["expected"]), abs=0.004)
        assert found.p == pytest.approx(float(entry["p"]), abs=2e-4)


def test_appendix_1_constant_chance():
    """With the same chance p in all dyads, NormDS_i = (N−i)p + (i−1)(1−p) and steepness 2p − 1."""
    for size in range(3, 9):
        for won in (5, 6, 8, 10):
            p = won / 10
            table = [
                [won if j > i else 10 - won if j < i else 0 for j in range(size)]
                for i in range(size)
            ]
            found = po.steepness(matrix(table), index="pij", runs=1, seed=1)
            assert found.value == pytest.approx(2 * p - 1, abs=1e-12)
            expected = [(size - i) * p + (i - 1) * (1 - p) for i in range(1, size + 1)]
            assert found.table["normds"].to_list() == pytest.approx(sorted(expected, reverse=True))


def test_coefficient_of_variation_against_slope():
    """Sets A and B of the paper: the CV falls where the slope rises (sample sd)."""
    for numbers, cv, slope in (([14, 9, 7, 2], 0.6208, 3.8), ([23, 17, 14, 5], 0.5085, 5.7)):
        assert np.std(numbers, ddof=1) / np.mean(numbers) == pytest.approx(cv, abs=5e-5)
        assert line(np.arange(1.0, 5), np.array(numbers, float))[0] == pytest.approx(-slope)


@given(wins(complete=True))
def test_five_times_the_contests_leave_p_and_raise_d(table):
    """Figure 4 of the paper, as a property."""
    more = [[5 * x for x in row] for row in table]

    def both(index):
        return [po.steepness(matrix(t), index=index, runs=1, seed=1).value for t in (table, more)]

    old, new = both("pij")
    assert new == pytest.approx(old, abs=1e-12)
    old, new = both("dij")
    assert new >= old - 1e-12


@given(wins(), st.sampled_from(["dij", "pij", "binomial"]))
def test_value_of_a_slow_twin(table, index):
    slope, intercept = oracle.steepness(table, index)
    with pytest.warns() if _sparse(table) else _nothing():
        found = po.steepness(matrix(table), index=index, runs=1, seed=1)
    assert found.value == pytest.approx(float(slope), abs=1e-10)
    assert found.intercept == pytest.approx(float(intercept), abs=1e-10)


def _sparse(table) -> bool:
    size = len(table)
    dyads = [table[i][j] + table[j][i] for i in range(size) for j in range(i)]
    return sum(n == 0 for n in dyads) / len(dyads) > 0.2


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize("null", ["uniform", "binomial"])
@pytest.mark.parametrize("index", ["dij", "pij", "binomial"])
def test_null_draws_are_those_of_a_slow_twin(index, null):
    """The same distribution: mean and quantiles of 2,000 slow draws, within Monte Carlo error."""
    table = [[0, 3, 1, 5, 1], [2, 0, 4, 0, 2], [0, 1, 0, 7, 3], [0, 2, 2, 0, 9], [1, 2, 0, 4, 0]]
    rng = random.Random(1)
    slow = np.array([float(oracle.steepness_draw(table, index, rng, null)) for _ in range(2000)])
    found = po.steepness(matrix(table), index=index, null=null, runs=40_000, seed=1)
    fast = found.null
    error = slow.std() / np.sqrt(len(slow))
    assert fast.mean() == pytest.approx(slow.mean(), abs=4 * error)
    for q in (0.1, 0.5, 0.9):
        below = (slow < np.quantile(fast, q)).mean()
        assert below == pytest.approx(q, abs=4 * np.sqrt(q * (1 - q) / len(slow)))


def test_fair_coins_toss_decided_contests_and_leave_ties():
    """Two decided contests and three ties in one dyad: 1, 2 or 1 of four outcomes, each rule."""
    table, drawn = np.zeros((3, 3), int), np.zeros((3, 3), int)
    table[0, 1], table[0, 2], table[1, 2] = 2, 1, 1
    drawn[0, 1] = drawn[1, 0] = 3
    for rule, tie in (("omit", 0.0), ("half", 0.5), ("both", 1.0)):
        data = matrix(table, drawn)
        found = po.steepness(data, index="pij", ties=rule, null="binomial", runs=40_000, seed=1)
        values = []
        for heads, weight in ((0, 1), (1, 2), (2, 1)):
            x = (heads + 3 * tie) / (2 + 6 * tie)
            for y in (0, 1):
                for z in (0, 1):
                    chance = np.array([[0, x, y], [1 - x, 0, z], [1 - y, 1 - z, 0]], float)
                    w, lost = chance.sum(1), chance.sum(0)
                    ds = w + chance @ w - lost - chance.T @ lost
                    values += [np.abs(ds[:, None] - ds).sum() / 2 / 3 * 6 / 24] * weight
        assert found.expected == pytest.approx(np.mean(values), abs=0.005)


def test_claims_by_each_null_in_small(study):
    """What benchmarks/steepness_null.py prints, with fewer sets."""
    small = {"sets": 60, "runs": 199}
    equal = {
        n: study.claims(study.p_values("equal individuals", 20, n, **small)) for n in study.NULLS
    }
    assert equal["uniform"]["flatter"] == 1  # equal individuals are called flatter than chance
    assert equal["uniform"]["steeper"] == 0
    assert equal["binomial"]["steeper"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert equal["binomial"]["two-sided"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    uniform = study.claims(study.p_values("uniform wins", 20, "uniform", **small))
    assert uniform["two-sided"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    weak = {n: study.p_values("spread 0.3", 20, n, **small)[:, 0] for n in study.NULLS}
    assert np.median(weak["uniform"]) > 0.2
    assert np.median(weak["binomial"]) == pytest.approx(1 / 200)


def test_a_weak_hierarchy_is_missed_by_uniform_wins_and_found_by_fair_coins():
    """Among ten, the higher-ranked wins 13 of 20 in every dyad."""
    table = [[13 if j > i else 7 if j < i else 0 for j in range(10)] for i in range(10)]
    published = po.steepness(matrix(table), seed=1)
    coins = po.steepness(matrix(table), null="binomial", seed=1)
    assert published.value == coins.value
    assert published.p == pytest.approx(0.46, abs=0.02)
    assert coins.p == pytest.approx(1 / 10_001)
    assert "uniform-wins null" in published.summary[1]
    assert "fair-coin null" in coins.summary[1]
    assert "steeper than expected if all individuals were equal" in coins.summary[1]
    assert (published.settings["null"], coins.settings["null"]) == ("uniform", "binomial")


def test_words_claim_with_two_sided_p():
    """Called flatter or steeper only where twice the smaller p-value is at most 0.05."""
    seen = set()
    for won in range(5, 11):
        table = [[won if j > i else 10 - won if j < i else 0 for j in range(5)] for i in range(5)]
        found = po.steepness(matrix(table), runs=999, seed=1)
        p = min(1, 2 * min(found.p, found.p_less))
        said = found.summary[1]
        claim = "is steeper than" in said or "is flatter than" in said
        assert claim == (p <= 0.05)
        assert f"two-sided p = {p:.2g}" in said
        seen.add(claim)
    assert seen == {True, False}


def test_half_wins_are_redrawn_as_half_wins():
    """A dyad with 1 win and 1 draw has 4 half-wins to redraw, one with 1 win has that one."""
    table, drawn = np.zeros((3, 3), int), np.zeros((3, 3), int)
    table[0, 1] = table[0, 2] = table[1, 2] = 1
    drawn[0, 1] = drawn[1, 0] = 1
    found = po.steepness(matrix(table, drawn), index="pij", ties="half", runs=20_000, seed=1)
    steps = dict.fromkeys((0, 0.25, 0.5, 0.75, 1), 0)
    for x in steps:
        for y in (0, 1):
            for z in (0, 1):
                chance = np.array([[0, x, y], [1 - x, 0, z], [1 - y, 1 - z, 0]], float)
                w, lost = chance.sum(1), chance.sum(0)
                ds = w + chance @ w - lost - chance.T @ lost
                steps[x] += np.abs(ds[:, None] - ds).sum() / 2 / 3 * 6 / 24 / 4
    assert found.expected == pytest.approx(np.mean(list(steps.values())), abs=0.01)


def test_few_contests_are_pointed_out():
    few = matrix([[0, 2, 2], [0, 0, 2], [0, 0, 0]])
    assert "2 contests per dyad" in po.steepness(few, runs=10, seed=1).summary[2]
    many = matrix([[0, 150, 150], [50, 0, 150], [50, 50, 0]])
    assert len(po.steepness(many, runs=10, seed=1).summary) == 2


def test_there_is_no_interval():
    found = po.steepness(po.datasets.bonobos(), runs=10, seed=1)
    assert not {"low", "high"} & set(found.values)
    assert found.null.shape == (10,)


@given(wins(), st.randoms())
def test_relabelling_and_transposing_change_nothing(table, rng):
    order = rng.sample(range(len(table)), len(table))
    values = []
    for t in (table, permuted(table, order), transposed(table)):
        with pytest.warns() if _sparse(table) else _nothing():
            values.append(po.steepness(matrix(t), runs=1, seed=1).value)
    assert values == pytest.approx([values[0]] * 3, abs=1e-12)


def test_same_seed_same_draws_on_any_number_of_threads():
    one = po.steepness(po.datasets.table3(), runs=70_001, seed=7, threads=1)
    two = po.steepness(po.datasets.table3(), runs=70_001, seed=7, threads=3)
    assert np.array_equal(one.null, two.null)
    other = po.steepness(po.datasets.table3(), runs=100, seed=8)
    assert not np.array_equal(one.null[:100], other.null)
    drawn = po.steepness(po.datasets.table3(), runs=100)
    again = po.steepness(po.datasets.table3(), runs=100, seed=drawn.seed)
    assert np.array_equal(drawn.null, again.null)
    generator = np.random.default_rng(5)
    first = po.steepness(po.datasets.table3(), runs=10, seed=generator)
    second = po.steepness(po.datasets.table3(), runs=10, seed=generator)
    assert first.seed != second.seed
    sequence = po.steepness(po.datasets.table3(), runs=10, seed=np.random.SeedSequence(5))
    assert (
        sequence.seed
        == po.steepness(po.datasets.table3(), runs=10, seed=np.random.SeedSequence(5)).seed
    )


def test_many_unknown_dyads_bring_a_warning_structural_zeros_apart():
    table = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    with pytest.warns(po.DataWarning, match=r"3 of 6 dyads \(50%\) are unknown and count as 0"):
        po.steepness(matrix(table), runs=10, seed=1)
    contests = po.read(
        {
            "winner": ["a", "b", "a", "c"],
            "loser": ["b", "a", "b", "b"],
            "date": ["2020-01-01", "2020-01-02", "2020-01-03", "2020-02-01"],
        },
        presence={
            "individual": ["a", "b", "c"],
            "start": ["2020-01-01", "2020-01-01", "2020-02-01"],
            "end": ["2020-01-31", "", ""],
        },
    )
    said = po.steepness(contests, runs=10, seed=1).summary
    assert not any("count as 0" in text for text in said)
    assert said[-1] == "Of 3 dyads, 1 is unknown (33%); of the 2 ever present together, 0 (0%)."


def test_data_with_groups_are_taken_as_one_and_that_is_told():
    contests = {"winner": ["a", "b", "c"], "loser": ["b", "c", "a"], "group": ["x", "x", "y"]}
    with pytest.warns(po.DataWarning, match="group: 2 groups are pooled in one ranking") as warned:
        po.steepness(po.read(contests), runs=10, seed=1)
    assert warned[0].filename == __file__  # it points at the line that called


def test_bad_arguments():
    data = po.datasets.bonobos()
    for runs in (0, -1, 1.5, True, "many"):
        with pytest.raises(ValueError, match="whole number of at least 1"):
            po.steepness(data, runs=runs)
    with pytest.raises(ValueError, match="Choose one of: uniform, binomial"):
        po.steepness(data, null="coins")
    for seed in (-1, 1.5, "x", True):
        with pytest.raises(ValueError, match="whole number of at least 0"):
            po.steepness(data, seed=seed)
    for threads in (0, -1, 2.0):
        with pytest.raises(ValueError, match="threads="):
            po.linearity(data, threads=threads)
    assert po.steepness(data, runs=10, seed=1, threads=np.int64(2)).runs == 10
    with pytest.raises(po.DataError, match="this method requires at least 2"):
        po.steepness(matrix([[0]]))


def test_two_individuals():
    """The slope is the difference of both NormDS, 2D − 1; every number of wins is as probable."""
    found = po.steepness(matrix([[0, 7], [3, 0]]), runs=20_000, seed=1)
    assert found.value == pytest.approx(2 * 7.5 / 11 - 1)
    null = np.abs([2 * (wins + 0.5) / 11 - 1 for wins in range(11)])
    assert found.expected == pytest.approx(null.mean(), abs=0.005)
    upper = float((null >= found.value - 1e-9).mean())
    assert found.null[found.null >= found.value - 1e-9].size / 20_000 == (
        pytest.approx(upper, abs=0.02)
    )
    assert found.cv == pytest.approx(np.std([7.5, 3.5], ddof=1) / 5.5)


def test_progress_is_told_and_ctrl_c_stops():
    told = []
    po.steepness(
        po.datasets.table3(),
        runs=100_000,
        seed=1,
        progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (100_000, 100_000)
    assert len(told) == 5

    def stop(done, of):
        raise KeyboardInterrupt

    for threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            po.steepness(
                po.datasets.table3(), runs=10_000_000, seed=1, threads=threads, progress=stop
            )
