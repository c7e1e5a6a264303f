"""The test of change: exact reference sets, a slow twin, level, power, and what it refuses."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import peckorder as po
from peckorder.kernels import order_test as kernel
from peckorder.kernels.random import begin
from peckorder.random_runs import Runs
from peckorder.structure.order_test import (
    decided_contests,
    record,
    record_of,
    rejects,
    statistic_of,
)
from tests import order_twin
from tests.examples import examples

NULLS = ("strengths", "dyads")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# A tournament of 4 with some dyads twice: 9 contests.
PAIRS = [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 3), (0, 1), (2, 3), (1, 2)]
WON = (True, True, False, True, True, False, False, True, True)


@pytest.fixture(scope="module")
def study():
    """The program that measures level and power."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import order_test

        yield order_test
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("order_test", "common"):
            sys.modules.pop(name, None)


def contests(pairs, won):
    winner = np.array([a if up else b for (a, b), up in zip(pairs, won, strict=True)])
    loser = np.array([b if up else a for (a, b), up in zip(pairs, won, strict=True)])
    return winner, loser


def data_of(winner, loser, **columns) -> po.Contests:
    names = {"winner": [f"a{i}" for i in winner], "loser": [f"a{i}" for i in loser]}
    return po.read(names | columns)


def random_record(size, number, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, spread, size)
    a = rng.integers(size, size=number)
    b = (a + rng.integers(1, size, size=number)) % size
    won = rng.random(number) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return np.where(won, a, b), np.where(won, b, a)


def hub(of, null, seed):
    return kernel.hub_of(np.uint64(seed), null, of.schedule, of.won)[0]


def wins(of, won):
    return np.bincount(np.where(won, of.schedule.first, of.schedule.second))


@examples(50)
@given(st.integers(2, 8), st.integers(1, 40), st.integers(0, 10**6))
def test_randomizations_keep_what_they_should(size, number, seed):
    """Cycle reversals keep everybody's wins, permutations the wins within dyads."""
    of = record(*random_record(size, number, seed))
    for repeat in range(5):
        reversed_ = hub(of, kernel.STRENGTHS, repeat)
        assert np.array_equal(wins(of, reversed_), wins(of, of.won))
        permuted = hub(of, kernel.DYADS, repeat)
        dyad = of.schedule.first * size + of.schedule.second
        assert np.array_equal(np.bincount(dyad, of.won), np.bincount(dyad, permuted))


def test_winners_hold_their_contests_after_many_reversals():
    of = record(*random_record(6, 50, 3))
    won, start, held = kernel.hub_of(np.uint64(1), kernel.STRENGTHS, of.schedule, of.won)
    winner = np.where(won, of.schedule.first, of.schedule.second)
    for i in range(6):
        own = held[start[i] : start[i + 1]]
        assert sorted(own) == np.flatnonzero(winner == i).tolist()


def test_reversals_reach_all_outcomes_with_the_same_wins_alike():
    of = record(*contests(PAIRS, WON))
    everything = order_twin.same_wins(PAIRS, WON)
    assert len(everything) == 19
    seen = Counter(tuple(hub(of, kernel.STRENGTHS, s).tolist()) for s in range(20_000))
    assert set(seen) == set(everything)
    assert chisquare([seen[outcome] for outcome in everything]).pvalue > 0.001


def test_one_reversal_has_the_probabilities_of_a_slow_twin_which_are_symmetric():
    every = {o: order_twin.one_reversal(PAIRS, o, 4) for o in order_twin.same_wins(PAIRS, WON)}
    for before, after in every.items():
        assert sum(after.values()) == pytest.approx(1)
        for other, chance in after.items():
            assert every[other][before] == pytest.approx(chance)
    of, expected = record(*contests(PAIRS, WON)), every[WON]
    random, seen = np.empty(4, np.uint64), Counter()
    start, held = np.empty(5, np.int64), np.empty(len(PAIRS), np.int64)
    for run in range(20_000):
        begin(random, np.uint64(5), run)
        won = of.won.copy()
        kernel.held_by_winners(of.schedule, won, start, held)
        kernel.reverse_cycles(random, 1, of.schedule, won, start, held)
        seen[tuple(won.tolist())] += 1
    assert set(seen) == set(expected)
    fit = chisquare([seen[o] for o in expected], [20_000 * expected[o] for o in expected])
    assert fit.pvalue > 0.001


def test_permutations_within_dyads_are_uniform():
    of = record(*contests([(0, 1)] * 5, (True, False, False, True, False)))
    seen = Counter(tuple(hub(of, kernel.DYADS, s).tolist()) for s in range(10_000))
    assert len(seen) == 10
    assert chisquare(list(seen.values())).pvalue > 0.001


@pytest.mark.parametrize(("size", "number", "seed"), [(3, 6, 0), (5, 30, 1), (8, 40, 2)])
def test_statistic_of_a_slow_twin(size, number, seed):
    winner, loser = random_record(size, number, seed)
    names = list(dict.fromkeys(np.stack([winner, loser], 1).ravel().tolist()))
    winner, loser = (np.array([names.index(i) for i in side]) for side in (winner, loser))
    slow = order_twin.statistic(list(zip(winner, loser, strict=True)), len(names))
    assert statistic_of(record(winner, loser)) == pytest.approx(slow, abs=2e-3)


def test_statistic_of_a_slow_twin_with_newcomers():
    """Two enter late, inferred from the record; one of three founders leaves and returns."""
    rng = np.random.default_rng(4)
    a = np.concatenate([rng.integers(3, size=24), rng.integers(5, size=36)])
    b = np.where(np.arange(60) < 24, (a + 1) % 3, (a + rng.integers(1, 5, size=60)) % 5)
    of = record(a, b)
    assert (of.schedule.enter[3:] >= 24).all()
    assert (of.schedule.enter[:3] == -1).all()
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert statistic_of(of) == pytest.approx(order_twin.statistic(pairs, 5), abs=2e-3)
    days = [f"2020-01-{1 + t // 3:02}" for t in range(60)]
    away = ["2020-01-01", "2020-01-01", "2020-01-01", "2020-01-15", "2020-01-09", "2020-01-09"]
    keep = np.ones(60, bool)
    keep[15:42] = ~((a[15:42] == 2) | (b[15:42] == 2))  # individual 2 is away from the 6th to 14th
    known = data_of(
        a[keep],
        b[keep],
        date=np.array(days)[keep],
    ).with_presence(
        {
            "individual": ["a0", "a1", "a2", "a2", "a3", "a4"],
            "start": away,
            "end": ["", "", "2020-01-05", "", "", ""],
        }
    )
    of = record_of(known)
    there = {name: of.schedule.there[:, known.code(name)] for name in known.individuals}
    day = known.date.astype("datetime64[D]").astype(int) - known.date[0].astype(
        "datetime64[D]"
    ).astype(int)
    enters = {name: int(of.schedule.enter[known.code(name)]) for name in known.individuals}
    newcomers = np.flatnonzero(day >= 8)[0]
    assert enters == {"a0": -1, "a1": -1, "a2": -1, "a3": newcomers, "a4": newcomers}
    assert np.array_equal(there["a2"], (day <= 4) | (day >= 14))
    inside = [
        [bool(there[n][t]) or enters[n] == t for n in known.individuals] for t in range(len(known))
    ]
    slow = order_twin.statistic(
        list(zip(known.winner.tolist(), known.loser.tolist(), strict=True)),
        5,
        [enters[name] for name in known.individuals],
        inside,
    )
    assert statistic_of(of) == pytest.approx(slow, abs=2e-3)


def test_numbers_of_an_independent_program_on_adv():
    """Filters of a separate implementation: −17.394818924356457; p 0.15 and 0.17 ± 0.01."""
    found = {
        n: po.order_test(po.datasets.adv(), null=n, runs=1999, power_runs=0, seed=1) for n in NULLS
    }
    for value in found.values():
        assert value.value == pytest.approx(-17.394818924356457, abs=1e-9)
    assert found["strengths"].p == pytest.approx(0.15, abs=0.04)
    assert found["dyads"].p == pytest.approx(0.17, abs=0.04)


@pytest.mark.parametrize("null", NULLS)
def test_p_values_are_uniform_where_nothing_changed(null):
    """150 static records; ties of the statistic make p larger, never smaller."""
    p = []
    for seed in range(150):
        data = data_of(*random_record(5, 40, seed))
        p.append(po.order_test(data, null=null, runs=19, power_runs=0, seed=seed, threads=1).p)
    counts = np.bincount(np.rint(np.array(p) * 20).astype(int), minlength=21)[1:]
    assert chisquare(counts).pvalue > 0.001
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_level_and_power_in_small(study):
    """What benchmarks/order_test.py prints, with fewer records and contests."""
    for world in ("static", "bouts", "turnover", "dependent bouts, collapsed"):
        assert study.share_rejected(world, 10, 100, "strengths", sets=40, runs=39) <= 0.2
    for world, least in (("takeover", 0.2), ("dependent bouts", 0.5)):
        assert study.share_rejected(world, 10, 100, "strengths", sets=40, runs=39) >= least
    assert set(study.WORLDS) >= {"half reshuffled", "drift 0.05"}


@pytest.mark.parametrize("null", NULLS)
def test_a_test_ended_early_gives_the_same_verdict(null):
    verdicts = set()
    for seed in range(30):
        winner, loser = random_record(6, 60, seed)
        if seed % 2:
            winner[30:], loser[30:] = loser[30:].copy(), winner[30:].copy()
        data = data_of(winner, loser)
        found = po.order_test(data, null=null, runs=39, power_runs=0, seed=seed)
        early = rejects(record_of(data), null=null, runs=39, seed=seed)
        assert early == (found.p <= 0.05)
        verdicts.add(early)
    assert verdicts == {True, False}


def test_a_reversed_hierarchy_is_detected_and_said():
    winner, loser = random_record(8, 200, 1, spread=2)
    winner[100:], loser[100:] = loser[100:].copy(), winner[100:].copy()
    for null in NULLS:
        found = po.order_test(data_of(winner, loser), null=null, power_runs=5, seed=1)
        assert found.p == pytest.approx(1 / 200)
        assert found.summary[0] == (
            "The order of contests matters: ranks changed during the study (order-dependence "
            "test, p = 0.005)."
        )
        assert "power" not in found.values
    assert found.p_error == pytest.approx(np.sqrt(0.005 * 0.995 / 200))


def test_same_seed_same_result_on_any_number_of_threads():
    data = data_of(*random_record(6, 60, 2))
    one, two = (po.order_test(data, seed=3, threads=n, power_runs=6) for n in (1, 3))
    assert np.array_equal(one.null, two.null)
    assert one.values == two.values
    other = po.order_test(data, seed=4, power_runs=0)
    assert not np.array_equal(one.null, other.null)
    assert one.value == other.value
    fewer = po.order_test(data, seed=3, runs=50, power_runs=0)
    assert np.array_equal(fewer.null, one.null[:50])
    drawn = po.order_test(data, power_runs=0)
    assert po.order_test(data, power_runs=0, seed=drawn.seed).p == drawn.p


def test_power_is_that_of_simulated_takeovers():
    """More contests, more power; the sentence names it, and so does the number of records."""
    few = po.order_test(data_of(*random_record(6, 40, 1, 2)), seed=1, power_runs=30)
    many = po.order_test(data_of(*random_record(6, 240, 1, 2)), seed=1, power_runs=30)
    assert few.power < many.power
    assert many.power > 0.6
    assert many.power_runs == 30
    assert f"in a record like this: {many.power:.2f})." in many.summary[0]
    assert "30 simulated records" in many.summary[1]
    assert many.power_se == pytest.approx(np.sqrt(many.power * (1 - many.power) / 30))
    assert "power" not in po.order_test(po.datasets.adv(), runs=9, power_runs=0, seed=1).values


def test_takeovers_change_places_in_the_middle():
    """Strengths that leave no doubt: the top wins all before, and loses to all but one after."""
    a, b = np.triu_indices(6, 1)
    of = record(np.tile(a, 2), np.tile(b, 2))
    strength = np.array([[50.0, 40, 30, 20, 10, 0]])
    chances = kernel.Chances(np.ones(1), strength, np.zeros((1, 6, 6)))
    random, won, seen = np.empty(4, np.uint64), np.empty(30, bool), np.arange(6)
    low = set()
    for run in range(20):
        begin(random, np.uint64(1), run)
        kernel.draw_takeover(random, of.schedule, chances, seen, won)
        assert won[:15].all()
        beaten = np.where(won[15:], of.schedule.first[15:], of.schedule.second[15:])
        best = np.bincount(beaten, minlength=6).argmax()
        low.add(int(best))
        assert np.bincount(beaten, minlength=6)[0] == (5 - best)
    assert low == {4, 5}


def test_power_needs_three_individuals_in_both_halves():
    winner = ["a", "b", "a", "b", "c", "d", "c", "d"]
    loser = ["b", "a", "b", "a", "d", "c", "d", "c"]
    found = po.order_test(po.read((winner, loser)), seed=1, power_runs=5)
    assert found.power is None
    assert "fewer than 3 individuals" in found.summary[1]


def test_ties_are_left_out_and_counted():
    """The record without its ties gives the same test."""
    winner, loser = random_record(5, 40, 6)
    draw = np.arange(40) % 5 == 0
    drawn = po.order_test(data_of(winner, loser, draw=draw.astype(int)), power_runs=0, seed=1)
    without = po.order_test(data_of(winner[~draw], loser[~draw]), power_runs=0, seed=1)
    assert drawn.ties == 8
    assert drawn.contests == without.contests == 32
    assert np.array_equal(drawn.null, without.null)
    assert drawn.p == without.p
    assert "8 ties were left out." in drawn.summary
    with pytest.raises(po.DataError, match="no decided contest"):
        po.order_test(data_of(winner, loser, draw=np.ones(40, int)))


def test_bouts_are_reduced_to_their_first_decided_contest():
    data = po.read(
        {
            "winner": ["a", "a", "b", "c", "a", "b", "a", "c"],
            "loser": ["b", "b", "a", "b", "b", "a", "c", "a"],
            "draw": [1, 0, 0, 0, 0, 0, 0, 0],
        }
    )
    kept = decided_contests(data, collapse_bouts=True)
    names = [
        [kept.data.individuals[i] for i in side] for side in (kept.data.winner, kept.data.loser)
    ]
    assert names == [["a", "c", "a", "a"], ["b", "b", "b", "c"]]
    assert (kept.ties, kept.repeats, kept.bouts) == (1, 4, 3)
    found = po.order_test(data, collapse_bouts=True, runs=9, power_runs=0, seed=1)
    assert (found.bouts, found.contests, found.repeats) == (3, 4, 4)
    assert any("3 contests were left out" in said for said in found.summary)
    assert po.order_test(data, runs=9, power_runs=0, seed=1).bouts == 0


def test_many_bouts_are_pointed_out():
    winner, loser = (np.repeat(side, 3) for side in random_record(6, 30, 1))
    found = po.order_test(data_of(winner, loser), runs=9, power_runs=0, seed=1)
    assert any("collapse the bouts" in said for said in found.summary)
    plain = po.order_test(data_of(*random_record(6, 90, 1)), runs=9, power_runs=0, seed=1)
    assert not any("bouts" in said for said in plain.summary)


def test_a_record_without_alternatives_cannot_show_a_change():
    found = po.order_test(po.read((["a", "a", "b"], ["b", "c", "c"])), seed=1)
    assert found.p == 1
    assert "these data cannot show a change" in found.summary[1]


def test_bad_input():
    data = po.datasets.adv()
    with pytest.raises(po.DataError, match="needs the order of contests"):
        po.order_test(po.datasets.bonobos())
    with pytest.raises(po.DataError, match="needs the order of contests"):
        po.order_test(data.matrix())
    with pytest.raises(TypeError, match="not list"):
        po.order_test([1, 2])
    with pytest.raises(ValueError, match="Choose one of: strengths, dyads"):
        po.order_test(data, null="order")
    with pytest.raises(ValueError, match="runs=0"):
        po.order_test(data, runs=0)
    with pytest.raises(ValueError, match="power_runs=-1"):
        po.order_test(data, power_runs=-1)
    groups = (
        po.read((["a", "b", "c"], ["b", "a", "a"]))
        .frame()
        .with_columns(group=np.array(["x", "x", "y"]))
    )
    with pytest.warns(po.DataWarning, match="group: 2 groups are pooled in one ranking"):
        po.order_test(po.read(groups), runs=9, power_runs=0, seed=1)


def test_progress_goes_on_to_the_end():
    told = []
    data = data_of(*random_record(5, 30, 1))
    po.order_test(data, runs=20, power_runs=2, seed=1, progress=lambda *x: told.append(x))
    assert told[-1] == (20 + 2 * 19, 20 + 2 * 19)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_streams_belong_to_purposes():
    """The hub and the runs draw from different streams, so a run is not the hub."""
    random = Runs.of(1, 1, None, None)
    assert len({int(random.key(purpose)) for purpose in range(5)}) == 5
