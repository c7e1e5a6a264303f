"""Adaptive ratings: reference values, a second implementation, and invariants."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peckorder.kernels.filters import Filter
from peckorder.ratings.adaptive_filter import (
    COEFFICIENTS,
    SPREADS,
    adaptive_record,
    adaptive_table,
    run_adaptive,
)
from peckorder.ratings.filter_runner import smoothed_states
from tests.examples import examples
from tests.ratings import adaptive_twin, bank_states, twin
from tests.ratings.test_bank import ADV_LOSERS, ADV_WINNERS, coded, simulated

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def reference():
    """Numbers of an independent implementation; the sources of its data are named there."""
    return json.loads((ROOT / "reference" / "forecast.json").read_text(encoding="utf-8"))


def check_against(winner, loser, names, expected):
    bank = run_adaptive(winner, loser, individuals=len(names))
    assert winner.size == expected["contests"]
    assert -np.log(bank.probability).sum() == pytest.approx(expected["summed_log_loss"], abs=1e-6)
    for number, value in expected["p_of_the_winner"].items():
        assert bank.probability[int(number) - 1] == pytest.approx(value, abs=1e-6)
    mean, deviation = bank.ratings()
    for name, value in expected["rating_after_the_last"].items():
        at = names.index(name)
        assert (mean[at], deviation[at]) == pytest.approx(value, abs=1e-6)
    mean, deviation = bank_states.adaptive_coefficients(bank)
    for at, name in enumerate(COEFFICIENTS):
        value = expected["coefficients_mean_sd"][name]
        assert (mean[at], deviation[at]) == pytest.approx(value, abs=1e-6)
    assert bank.bank_share == pytest.approx(expected["weight_of_the_bank"], abs=1e-6)
    for pair, value in expected["next"].items():
        a, b = (names.index(name) for name in pair.split(" v "))
        assert bank.chances([a], [b])[0][0] == pytest.approx(value, abs=1e-6)


def test_adv_gives_the_reference_numbers(reference):
    check_against(*coded(ADV_WINNERS, ADV_LOSERS), reference["adv (row order)"])


@pytest.mark.paper_data
def test_chimpanzees_give_the_reference_numbers(paper_file, reference):
    with paper_file("chimpanzee_females.csv").open() as file:
        rows = list(csv.DictReader(file))
    coded_rows = coded([row["Winner"] for row in rows], [row["Loser"] for row in rows])
    check_against(*coded_rows, reference["chimpanzee_females (row order)"])


def with_newcomers():
    """Four founders; a fifth enters alone after 50 contests, then two in one contest."""
    winner, loser = simulated(4, 55, 1)
    more = [(4, 0), (1, 4), (5, 6), (6, 2), (5, 4), (0, 5)]
    return np.concatenate([winner, [a for a, _ in more]]), np.concatenate(
        [loser, [b for _, b in more]]
    )


def test_predictions_equal_the_twin_and_hindsight_a_dense_solve():
    winner, loser = with_newcomers()
    contests = list(zip(winner.tolist(), loser.tolist(), strict=True))
    expected, by_elo, filters, weights, marks = adaptive_twin.predicted(contests, 7)
    bank = run_adaptive(winner, loser, individuals=7)
    assert bank.record.entry_at.tolist() == [55, 57]
    assert bank.probability == pytest.approx(expected, abs=1e-10)
    assert bank.elo_probability == pytest.approx(by_elo, abs=1e-10)
    assert bank.weights[-1] == pytest.approx(weights, abs=1e-10)
    times = np.array([0, 20, 54, 57, 60])
    table = adaptive_table()
    for e in (0, 7, 13, 19):
        assert bank.filtered.means[e] == pytest.approx(filters[e].mean, abs=1e-9)
        assert bank.filtered.covariances[e] == pytest.approx(filters[e].cov, abs=1e-9)
        stages = twin.in_hindsight(filters[e].steps)
        means, covariances = smoothed_states(bank.record, table[e : e + 1], times, arrived=True)
        for place, t in enumerate(times):
            there = sorted({i for pair in contests[: t + 1] for i in pair})
            at = np.concatenate([np.arange(5), 5 + np.array(there)])
            mean, cov = stages[marks[t] - 1]
            assert means[0, place, at] == pytest.approx(mean[at], abs=1e-10)
            assert covariances[0, place][np.ix_(at, at)] == pytest.approx(
                cov[np.ix_(at, at)], abs=1e-10
            )


def test_ties_equal_the_twin_and_the_three_outcomes_sum_to_1():
    random = np.random.default_rng(4)
    winner, loser = simulated(4, 8, 3)
    tied = random.random(8) < 0.4
    contests = list(zip(winner.tolist(), loser.tolist(), strict=True))
    expected, by_elo, filters, weights, _ = adaptive_twin.predicted(contests, 4, tied.tolist())
    bank = run_adaptive(winner, loser, individuals=4, tied=tied)
    assert bank.weights.shape == (9, 160)
    assert bank.probability == pytest.approx(expected, abs=1e-7)
    assert bank.elo_probability == pytest.approx(by_elo, abs=1e-10)
    assert bank.weights[-1] == pytest.approx(weights, abs=1e-7)
    assert bank.filtered.means[41] == pytest.approx(filters[41].mean, abs=1e-6)
    win, tie = bank.foresight()
    assert np.where(tied, tie, win) == pytest.approx(bank.probability, abs=1e-12)
    one, draw = bank.chances([0, 1, 2], [1, 3, 0])
    other, same = bank.chances([1, 3, 0], [0, 1, 2])
    assert draw == pytest.approx(same, abs=1e-14)
    assert one + other + draw == pytest.approx(np.ones(3), abs=1e-12)


def test_rare_ties_are_predicted_rarely_and_no_prediction_knows_the_first_one():
    winner, loser = simulated(12, 400, 3)
    tied = np.zeros(400, bool)
    tied[[150, 390]] = True
    bank = run_adaptive(winner, loser, individuals=12, tied=tied)
    win, tie = bank.foresight()
    assert tie[:150].max() < 0.2
    assert tie[60:].max() < 0.02
    decided = run_adaptive(winner, loser, individuals=12)
    assert win[:151] / (1 - tie[:151]) == pytest.approx(decided.probability[:151], abs=1e-12)
    part = run_adaptive(winner[:151], loser[:151], individuals=12, tied=tied[:151])
    assert (part.foresight()[0] == win[:151]).all()
    assert (part.foresight()[1] == tie[:151]).all()


@pytest.mark.parametrize("upto", [5, 20])
def test_the_next_contest_with_ties_is_that_of_the_contest_appended(upto):
    winner, loser = simulated(4, 24, 3)
    tied = np.arange(24) % 3 == 0
    whole = run_adaptive(winner, loser, individuals=4, tied=tied)
    part = run_adaptive(winner[:upto], loser[:upto], individuals=4, tied=tied[:upto])
    win, tie = part.chances(winner[upto : upto + 1], loser[upto : upto + 1])
    then = whole.foresight()
    assert (win[0], tie[0]) == pytest.approx((then[0][upto], then[1][upto]), abs=1e-12)


@examples(10)
@given(st.tuples(st.integers(2, 6), st.integers(1, 60), st.integers(0, 10**6)))
def test_the_bound_holds_with_ties(shape):
    winner, loser = simulated(*shape)
    tied = np.random.default_rng(shape[2]).random(shape[1]) < 0.3
    bank = run_adaptive(winner, loser, individuals=shape[0], tied=tied)
    behind = np.cumsum(np.log(bank.elo_probability) - np.log(bank.probability))
    assert (behind <= np.log(2) + 1e-9).all()


def test_batches_do_not_depend_on_the_order_inside():
    winner, loser = simulated(6, 200, 5)
    batches, stamp = np.arange(0, 200, 5), np.arange(200) // 5
    by_winner = np.lexsort((loser, winner, stamp))
    one = run_adaptive(winner, loser, individuals=6, batches=batches)
    other = run_adaptive(winner[by_winner], loser[by_winner], individuals=6, batches=batches)
    assert other.elo_expected == pytest.approx(one.elo_expected[:, by_winner], abs=1e-12)
    assert other.ratings()[0] == pytest.approx(one.ratings()[0], abs=1e-12)
    assert other.probability == pytest.approx(one.probability[by_winner], abs=1e-12)


def test_rows_sorted_by_winner_seem_predictable_unless_in_batches():
    """Equal individuals: whoever just won wins again in such a file, and momentum picks it up."""
    random = np.random.default_rng(1)
    winner, loser = np.array([random.choice(6, 2, replace=False) for _ in range(400)], np.int32).T
    stamp = np.arange(400) // 20
    order = np.lexsort((winner, stamp))
    winner, loser = winner[order], loser[order]
    sorted_by_winner = run_adaptive(winner, loser, individuals=6)
    assert -np.log(sorted_by_winner.probability).mean() < np.log(2) - 0.02
    at_once = run_adaptive(winner, loser, individuals=6, batches=np.arange(0, 400, 20))
    assert -np.log(at_once.probability).mean() > np.log(2) - 0.005


records = st.tuples(st.integers(2, 8), st.integers(1, 90), st.integers(0, 10**6))


@examples(25)
@given(records)
def test_never_more_than_log_2_behind_averaged_elo(shape):
    bank = run_adaptive(*simulated(*shape), individuals=shape[0])
    behind = np.cumsum(np.log(bank.elo_probability) - np.log(bank.probability))
    assert (behind <= np.log(2) + 1e-9).all()


def test_the_bound_holds_where_the_filters_are_wrong():
    """Winners alternate by a rule that the histories do not capture."""
    random = np.random.default_rng(1)
    winner, loser = simulated(6, 400, 2)
    swap = random.random(400) < 0.5
    bank = run_adaptive(np.where(swap, loser, winner), np.where(swap, winner, loser), individuals=6)
    behind = np.cumsum(np.log(bank.elo_probability) - np.log(bank.probability))
    assert 0 < behind.max() <= np.log(2) + 1e-9


@examples(15)
@given(records, st.data())
def test_a_prefix_gives_the_prefix_of_the_whole(shape, data):
    winner, loser = simulated(*shape)
    upto = data.draw(st.integers(0, len(winner)))
    whole = run_adaptive(winner, loser, individuals=shape[0])
    part = run_adaptive(winner[:upto], loser[:upto], individuals=shape[0])
    assert part.probability == pytest.approx(whole.probability[:upto], abs=1e-13)


@examples(15)
@given(records, st.randoms(use_true_random=False))
def test_relabelling_permutes(shape, random):
    size = shape[0]
    winner, loser = simulated(*shape)
    new = np.array(random.sample(range(size), size))
    one = run_adaptive(winner, loser, individuals=size)
    other = run_adaptive(new[winner], new[loser], individuals=size)
    assert other.probability == pytest.approx(one.probability, abs=1e-12)
    assert other.ratings()[0][new] == pytest.approx(one.ratings()[0], abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("upto", [1, 30, 55, 57, 58, 60])
def test_the_chance_of_the_next_contest_is_that_of_the_contest_appended(upto):
    """Newcomers included, one or two; and the probabilities of both sides sum to 1."""
    winner, loser = with_newcomers()
    home = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], winner.size)
    whole = run_adaptive(winner, loser, individuals=7, covariates=home)
    bank = run_adaptive(winner[:upto], loser[:upto], individuals=7, covariates=home[:upto])
    a, b, x = int(winner[upto]), int(loser[upto]), home[upto]
    found, other = (bank.chances([i], [j], [[z]])[0][0] for i, j, z in ((a, b, x), (b, a, -x)))
    assert found == pytest.approx(whole.probability[upto], abs=1e-12)
    assert found + other == pytest.approx(1, abs=1e-15)


def test_ratings_at_some_times_are_those_of_the_record_so_far():
    winner, loser = with_newcomers()
    bank = run_adaptive(winner, loser, individuals=7)
    mean, deviation = bank_states.adaptive_ratings(bank, [10, 56, 61])
    for place, t in enumerate([10, 56, 61]):
        so_far = run_adaptive(winner[:t], loser[:t], individuals=7).ratings()
        assert mean[place] == pytest.approx(so_far[0], abs=1e-10, nan_ok=True)
        assert deviation[place] == pytest.approx(so_far[1], abs=1e-10, nan_ok=True)
    assert np.isnan(mean[1]).tolist() == [False] * 5 + [True] * 2
    assert np.nansum(mean[0]) == pytest.approx(0, abs=1e-10)


def test_hindsight_is_nearer_to_the_truth():
    random = np.random.default_rng(3)
    rating = random.normal(0, 2, 8)
    winner, loser, truth = [], [], []
    for _ in range(800):
        truth.append(rating)
        a, b = random.choice(8, 2, replace=False)
        wins = random.random() < 1 / (1 + np.exp(rating[b] - rating[a]))
        winner.append(a if wins else b)
        loser.append(b if wins else a)
        rating = 0.998 * rating + random.normal(0, 0.12, 8)
    bank = run_adaptive(winner, loser, individuals=8)
    times = np.arange(200, 700, 50)
    centered = np.array(truth)[times] - np.array(truth)[times].mean(axis=1, keepdims=True)
    then, _ = bank_states.adaptive_ratings(bank, times)
    later, deviation = bank_states.adaptive_ratings(bank, times, hindsight=True)
    assert np.sqrt(((later - centered) ** 2).mean()) < 0.9 * np.sqrt(
        ((then - centered) ** 2).mean()
    )
    assert (np.abs(later - centered) < 1.96 * deviation).mean() > 0.9


def test_many_contests_stay_finite_and_positive():
    winner, loser = simulated(5, 100_000, 1, drift=0.01)
    bank = run_adaptive(winner, loser, individuals=5)
    assert np.isfinite(np.log(bank.probability)).all()
    covariances = bank.filtered.covariances
    assert (covariances == covariances.transpose(0, 2, 1)).all()
    assert (np.linalg.eigvalsh(covariances) > 0).all()


def test_table_and_record():
    table = adaptive_table()
    assert table.shape == (20, len(Filter._fields))
    shrunk = np.exp(-table[:, 2] / (2 * table[:, 0] ** 2))  # φ, as the kernel has it
    drift = np.tile([0.0, 0.02, 0.05, 0.12, 0.3], 4)
    assert shrunk == pytest.approx(np.sqrt(1 - (drift / np.repeat(SPREADS, 5)) ** 2))
    record, _ = adaptive_record(*np.array([[0], [1]], np.int32), 2)
    assert record.covariates.tolist() == [[0.0, 0.0, 0.0, 0.0]]
