"""The bank of filters: reference values, a second implementation, and invariants."""

import csv
import datetime
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import peckorder as po
from peckorder.kernels.filters import davidson_moments, mixture_moments, moments, quadrature_moments
from peckorder.ratings import filter_runner
from peckorder.ratings.filter_bank import (
    bank_of,
    drift_grid,
    half_normal_weights,
    inferred_intervals,
    known_intervals,
    prepared,
    present_after,
    rosters,
    run_bank,
    settings_table,
)
from peckorder.ratings.filter_runner import (
    mixture_quantiles,
    product_in_one_thread,
    run_filters,
    smoothed_means,
    smoothed_states,
    square_roots,
)
from tests.examples import examples
from tests.ratings import bank_states, twin

ROOT = Path(__file__).parent.parent
# Albers & de Vries (2001), Figure 1: 33 interactions among seven individuals.
ADV_WINNERS = "bcccbddgeccgabfdfcbdfefcbbgegbebd"
ADV_LOSERS = "cgddefefagbfffgaeeaaeaagaeagaagcg"
FEW = drift_grid(sigma=(0.3, 1.0, 3.0), tau=(0.1, 0.5))


@pytest.fixture(scope="module")
def reference():
    """Numbers of an independent implementation; the sources of its data are named there."""
    return json.loads((ROOT / "reference" / "dynamic.json").read_text(encoding="utf-8"))


def coded(winners, losers):
    """Codes in order of first appearance, and the names."""
    names = {}
    pairs = [
        [names.setdefault(name, len(names)) for name in pair]
        for pair in zip(winners, losers, strict=True)
    ]
    winner, loser = np.array(pairs).T
    return winner, loser, list(names)


def simulated(individuals, contests, seed, drift=0.0):
    random = np.random.default_rng(seed)
    rating = random.normal(0, 1.5, individuals)
    pairs = []
    for _ in range(contests):
        a, b = random.choice(individuals, 2, replace=False)
        if random.random() > 1 / (1 + np.exp(rating[b] - rating[a])):
            a, b = b, a
        pairs.append((a, b))
        rating = rating + random.normal(0, drift, individuals)
    return np.array(pairs, np.int32).reshape(-1, 2).T


def chance(bank, a, b, covariates=()):
    """Probability that a beats b, and of a tie."""
    win, tie = bank.chances(np.array([a]), np.array([b]), np.array(covariates).reshape(1, -1))
    return win[0], tie[0]


def check_against(bank, names, expected):
    assert bank.record.winner.size == expected["contests"]
    assert len(names) == expected["individuals"]
    assert bank_states.present(bank).size == expected["present"]
    assert bank.record.newcomer.size == expected["entries"]
    assert bank.log_evidence == pytest.approx(expected["log_evidence"], abs=1e-6)
    found = bank.evidence()
    assert set(found) == set(expected["evidence"])
    for name, value in expected["evidence"].items():
        assert found[name] == pytest.approx(value, abs=1e-6), name
    grid, weights = bank.grid, bank.weights
    assert weights[grid.tau == 0].sum() == pytest.approx(expected["p_static"], abs=1e-6)
    assert weights @ grid.sigma == pytest.approx(expected["sigma_mean"], abs=1e-6)
    assert weights @ grid.tau == pytest.approx(expected["tau_mean"], abs=1e-6)
    assert weights @ grid.k == pytest.approx(expected["k_mean"], abs=1e-6)
    for tau, weight in expected["tau_weights"].items():
        assert weights[grid.tau == float(tau)].sum() == pytest.approx(weight, abs=1e-6)
    mean, deviation = bank_states.ratings(bank)
    place = {names[code]: at for at, code in enumerate(bank_states.present(bank))}
    for name, value in expected["first_five"].items():
        assert mean[place[name]] == pytest.approx(value["mean"], abs=1e-6)
        assert deviation[place[name]] == pytest.approx(value["sd"], abs=1e-6)


def check_smoothed(bank, names, times, expected):
    # The reference omits filters with weights up to 0.005.
    mean, deviation = bank_states.smoothed(bank, times, np.flatnonzero(bank.weights > 0.005))
    for name, rows in expected.items():
        at = names.index(name)
        assert np.c_[mean[:, at], deviation[:, at]] == pytest.approx(np.array(rows), abs=1e-6)


@pytest.fixture(scope="module")
def adv():
    winner, loser, names = coded(ADV_WINNERS, ADV_LOSERS)
    return run_bank(winner, loser, individuals=len(names)), names


def test_adv_gives_the_reference_numbers(adv, reference):
    bank, names = adv
    check_against(bank, names, reference["adv"])
    check_smoothed(bank, names, [0, 16, 33], reference["adv"]["smoothed_after_0_16_33"])


def test_draws_give_the_reference_order_and_steepness(adv, reference):
    """Within Monte Carlo error, of both programs."""
    bank, names = adv
    draws = bank_states.draws(bank, 40_000, 1)
    assert np.abs(draws.sum(axis=1)).max() < 1e-9
    mean, deviation = bank_states.ratings(bank)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.04)
    assert draws.std(axis=0) == pytest.approx(deviation, abs=0.04)
    b, a = names.index("b"), names.index("a")
    assert (draws[:, b] > draws[:, a]).mean() == pytest.approx(
        reference["adv"]["outranks_b_a"], abs=0.003
    )
    draws = bank_states.draws(bank, 10_000, 2, bank.grid.tau == 0)
    chances = 1 / (1 + np.exp(draws[:, None] - draws[:, :, None]))
    rank = np.arange(7) - 3.0
    steepness = np.sort(chances.sum(axis=2) - 0.5, axis=1) @ rank / (rank @ rank)
    expected = reference["adv"]["steepness"]
    assert steepness.mean() == pytest.approx(expected["mean"], abs=0.006)
    low, high = np.quantile(steepness, [0.025, 0.975])
    assert low == pytest.approx(expected["low"], abs=0.02)
    assert high == pytest.approx(expected["high"], abs=0.01)


def test_draws_repeat_with_their_seed(adv):
    bank, _ = adv
    assert (bank_states.draws(bank, 50, 3) == bank_states.draws(bank, 50, 3)).all()
    assert (bank_states.draws(bank, 50, 3) != bank_states.draws(bank, 50, 4)).any()


def test_draws_in_hindsight_agree_with_their_moments(adv):
    bank, _ = adv
    mean, deviation = bank_states.smoothed(bank, [0, 16, 33])
    draws = bank_states.smoothed_draws(bank, [0, 16, 33], 20_000, 1)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.05)
    assert draws.std(axis=0) == pytest.approx(deviation, abs=0.05)


def test_times_come_in_any_order_but_not_from_outside(adv):
    bank, _ = adv
    mixed, ordered = (bank_states.states(bank, at) for at in ([20, 0, 33, 0], [0, 20, 33]))
    assert (mixed[1] == ordered[1][:, [1, 0, 2, 0]]).all()
    assert (mixed[2] == ordered[2][:, [1, 0, 2, 0]]).all()
    for wrong in (-1, 34):
        with pytest.raises(ValueError, match="from 0 to 33"):
            bank_states.states(bank, [wrong])


def test_nothing_seen_leaves_the_prior():
    bank = run_bank([], [], individuals=3)
    assert bank.log_evidence == pytest.approx(0, abs=1e-12)
    assert bank.weights == pytest.approx(np.exp(bank.grid.log_prior))
    mean, deviation = bank_states.ratings(bank)
    spread = np.sqrt(bank.weights @ bank.grid.sigma**2 * 2 / 3)
    assert mean == pytest.approx(np.zeros(3))
    assert deviation == pytest.approx(np.full(3, spread))
    assert bank_states.draws(bank, 5, 1).shape == (5, 3)


def test_a_singular_covariance_can_be_drawn_from():
    flat = np.ones((1, 2, 2))
    root = square_roots(flat)
    assert root @ root.transpose(0, 2, 1) == pytest.approx(flat)


def test_the_elo_diagnostic_gives_the_reference_numbers(reference):
    winner, loser, names = coded(ADV_WINNERS, ADV_LOSERS)
    bank = run_bank(winner, loser, individuals=len(names), grid=drift_grid(elo=True))
    assert len(bank.grid) == 1690
    check_against(bank, names, reference["adv_elo"])


@pytest.fixture(scope="module")
def chimpanzees(paper_file):
    """Pant-grunts at Gombe (Foerster et al. 2016) after the first 100, days, and presence."""

    def day(text):
        return datetime.date.fromisoformat(text).toordinal()

    with paper_file("chimpanzee_females.csv").open() as file:
        rows = list(csv.DictReader(file))[100:]
    winner, loser, names = coded([r["Winner"] for r in rows], [r["Loser"] for r in rows])
    days = np.array([day(row["Date"]) for row in rows])
    with paper_file("chimpanzee_females_presence.csv").open() as file:
        presence = [row for row in csv.DictReader(file) if row["id"] in names]
    intervals = (
        [names.index(row["id"]) for row in presence],
        np.searchsorted(days, [day(row["start_date"]) for row in presence]),
        np.searchsorted(days, [day(row["end_date"]) for row in presence], side="right") - 1,
    )
    return winner, loser, names, np.diff(days, prepend=days[0] - 1), intervals


@pytest.mark.paper_data
@pytest.mark.parametrize(
    ("name", "with_days", "presence"),
    [
        ("chimp", False, None),
        ("chimp_days", True, None),
        ("chimp_presence", False, "known"),
        ("chimp_presence_days", True, "known"),
        ("chimp_founders", False, "all"),
    ],
)
def test_chimpanzees_give_the_reference_numbers(chimpanzees, reference, name, with_days, presence):
    winner, loser, names, days, intervals = chimpanzees
    intervals = {None: None, "known": intervals, "all": ([], [], [])}[presence]
    # The reference takes contests of one day one after the other, as if moments lay between them.
    steps = np.maximum(days / days.mean(), 1e-12) if with_days else None
    bank = run_bank(winner, loser, individuals=44, steps=steps, intervals=intervals, threads=2)
    check_against(bank, names, reference[name])
    if name == "chimp":
        expected = reference[name]["smoothed_after_0_400_915"]
        check_smoothed(bank, names, [0, 400, 915], expected)


@pytest.mark.paper_data
def test_chimpanzees_with_the_elo_diagnostic(chimpanzees, reference):
    winner, loser, names, _, _ = chimpanzees
    bank = run_bank(winner, loser, individuals=44, grid=drift_grid(elo=True), threads=2)
    check_against(bank, names, reference["chimp_elo"])


# The twin


INTERVALS = (
    (0, 0, 1, 2, 3, 4, 4, 5),
    (0, 14, -1, 0, 6, 6, 20, 17),
    (8, 30, 30, 30, 19, 12, 29, 30),
)


def full_record(contests=30, ties=False):
    """Entries (two at once), absences, a return, uneven time with gaps of 0, and a covariate."""
    random = np.random.default_rng(7)
    schedule = []
    for t in range(contests):
        there = [i for i, f, z in zip(*INTERVALS, strict=True) if max(f, 0) <= t <= z]
        schedule.append(random.choice(np.unique(there), 2, replace=False))
    winner, loser = np.array(schedule).T
    known = known_intervals(INTERVALS, winner, loser, 6)
    presence = {i: [] for i in range(6)}
    for i, f, z in zip(*known, strict=True):
        presence[int(i)].append((int(f), int(z)))
    record = {
        "contests": list(zip(winner.tolist(), loser.tolist(), strict=True)),
        "ties": random.random(contests) < (0.3 if ties else 0.0),
        "steps": random.integers(0, 4, contests).astype(float),
        "presence": presence,
        "covariates": random.choice([-1.0, 0.0, 1.0], (contests, 1)),
    }
    return winner.astype(np.int32), loser.astype(np.int32), record


CASES = {
    "static": {"sigma": 1.3, "moved": 0.0},
    "narrow": {"sigma": 0.3, "moved": 0.02},
    "walk": {"sigma": 1.3, "moved": 0.3},
    "return": {"sigma": 1.3, "moved": 0.3, "returning": True},
    "elo": {"sigma": 1.9, "moved": 0.0, "k": 0.7},
    "elo and return": {"sigma": 0.6, "moved": 0.1, "k": 0.2, "returning": True},
    "ties": {"sigma": 1.9, "moved": 0.1, "nu": 0.8},
    "few ties": {"sigma": 0.3, "moved": 0.01, "returning": True, "nu": 0.1},
    "exceptions": {"sigma": 0.6, "moved": 0.1, "labels": [-1, 0, -1, 1, -1, 2], "offset": 20.0},
    "sets": {"sigma": 0.9, "moved": 0.0, "labels": [0, 0, 1, 1, 0, 1], "offset": 8.0},
}


@pytest.mark.parametrize("case", CASES)
def test_a_filter_equals_its_twin_and_hindsight_a_dense_solve(case):
    what = CASES[case]
    nu = what.get("nu", 0.0)
    winner, loser, record = full_record(ties=nu > 0)
    logs, mean, covariance, steps, marks = twin.filtered(record, 6, **what)
    arrays, _, _ = prepared(winner, loser, 6, record["ties"], None, INTERVALS, record["covariates"])
    arrays = arrays._replace(step=np.append(record["steps"], 0.0))
    sigma, k = what["sigma"], what.get("k", 0.0)
    back = float(what.get("returning", False))
    offset = what.get("offset", 0.0)
    table = np.array([[sigma, 1.5 * sigma, what["moved"], back, k, nu, 0.0, 0.0, 1.0, 0.0, offset]])
    arrays = arrays._replace(openings=np.array([what.get("labels", [-1] * 6)], np.int32))
    found = run_filters(arrays, table)
    close = 1e-9 if nu == 0 else 1e-7  # the rules of integration differ
    assert found.log_chances[0] == pytest.approx(logs, abs=close)
    assert found.means[0] == pytest.approx(mean, abs=close)
    assert found.covariances[0] == pytest.approx(covariance, abs=close)
    times = np.array([0, 1, 6, 7, 13, 20, 30])
    expected = twin.in_hindsight(steps)
    close = 1e-10 if nu == 0 else 1e-6
    means, covariances = smoothed_states(arrays, table, times, arrived=False)
    for place, t in enumerate(times):
        assert means[0, place] == pytest.approx(expected[marks[t] - 1][0], abs=close)
        assert covariances[0, place] == pytest.approx(expected[marks[t] - 1][1], abs=close)


def moments_record(seed=2):
    """Forty contests among five, eight in each moment."""
    winner, loser = simulated(5, 40, seed)
    record, _, _ = prepared(winner, loser, 5, None, np.tile([8.0, *[0.0] * 7], 5), NOBODY, None)
    return winner, loser, record


NOBODY = np.zeros((3, 0), int)
ONE = np.array([[1.6, 2.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]])


def test_contests_of_a_moment_are_taken_in_at_once_as_by_the_twin():
    winner, loser, record = moments_record()
    found = run_filters(record, ONE)
    mean, cov, total = np.zeros(6), np.diag([2.4**2, *[1.6**2] * 5]), 0.0
    for begin in range(0, 40, 8):
        pairs = list(zip(winner[begin : begin + 8], loser[begin : begin + 8], strict=True))
        for t, (a, b) in enumerate(pairs, start=begin):  # predicted from what came before
            v = cov[1 + a, 1 + a] + cov[1 + b, 1 + b] - 2 * cov[1 + a, 1 + b]
            alone = twin.win_moments(mean[1 + a] - mean[1 + b], v)[0]
            assert np.exp(found.log_predicted[0, t]) == pytest.approx(alone, abs=2e-3)
        mean, cov, log = twin.at_once(mean, cov, pairs)
        total += log
    assert found.means[0] == pytest.approx(mean, abs=0.005)
    assert found.covariances[0] == pytest.approx(cov, abs=0.005)
    assert found.log_chances.sum() == pytest.approx(total, abs=0.01)


def test_contests_of_a_moment_are_close_to_the_exact_posterior():
    """By integration over the two differences among three; ever so many contests at once."""
    winner, loser = np.array(
        [[0, 1, 0, 2, 0, 1, 0, 2, 0, 1], [1, 2, 2, 0, 1, 2, 1, 1, 2, 0]], np.int32
    )
    record, _, _ = prepared(winner, loser, 3, None, [1.0, *[0.0] * 9], NOBODY, None)
    found = run_filters(record, ONE)
    axis = np.linspace(-14, 14, 561)
    x, y = np.meshgrid(axis, axis, indexing="ij")  # r0 − r1 and r1 − r2
    sharp = np.linalg.inv(1.6**2 * np.array([[2.0, -1.0], [-1.0, 2.0]]))
    log = -0.5 * (sharp[0, 0] * x**2 + 2 * sharp[0, 1] * x * y + sharp[1, 1] * y**2)
    prior = np.exp(log).sum()
    ahead = {(0, 1): x, (1, 2): y, (0, 2): x + y}
    for a, b in zip(winner, loser, strict=True):
        log = log - np.logaddexp(0, -(ahead[a, b] if a < b else -ahead[b, a]))
    weight = np.exp(log)
    evidence = np.log(weight.sum() / prior)
    weight /= weight.sum()
    mean = found.means[0, 1:]
    assert mean[0] - mean[1] == pytest.approx((weight * x).sum(), abs=0.02)
    assert mean[1] - mean[2] == pytest.approx((weight * y).sum(), abs=0.02)
    variance = (weight * x**2).sum() - (weight * x).sum() ** 2
    p = found.covariances[0, 1:, 1:]
    assert p[0, 0] + p[1, 1] - 2 * p[0, 1] == pytest.approx(variance, rel=0.03)
    assert found.log_chances.sum() == pytest.approx(evidence, abs=0.02)


def test_hindsight_is_the_same_throughout_a_moment():
    _, _, record = moments_record()
    means, covariances = smoothed_states(record, ONE, np.arange(41), arrived=False)
    for begin in range(0, 40, 8):
        for t in range(begin, begin + 8):
            assert means[0, t] == pytest.approx(means[0, begin], abs=1e-9)
            assert covariances[0, t] == pytest.approx(covariances[0, begin], abs=1e-9)


@pytest.mark.parametrize("k", [0.0, 0.4])
def test_states_just_before_contests_in_hindsight(k):
    winner, loser, record = full_record()
    what = {"sigma": 1.3, "moved": 0.2, "returning": True, "k": k}
    _, _, _, steps, marks = twin.filtered(record, 6, **what)
    arrays, _, _ = prepared(winner, loser, 6, None, None, INTERVALS, record["covariates"])
    arrays = arrays._replace(step=np.append(record["steps"], 0.0))
    table = np.array([[1.3, 1.95, 0.2, 1.0, k, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]])
    expected = twin.in_hindsight(steps)
    times = np.array([0, 6, 17, 29])
    means, covariances = smoothed_states(arrays, table, times, arrived=True)
    for place, t in enumerate(times):
        before = next(j for j in range(marks[t], len(steps)) if steps[j][0] == "observe") - 1
        assert means[0, place] == pytest.approx(expected[before][0], abs=1e-10)
        assert covariances[0, place] == pytest.approx(expected[before][1], abs=1e-10)
    for arrived in (False, True):
        alone = smoothed_means(arrays, table, times[::-1], arrived=arrived)
        whole, _ = smoothed_states(arrays, table, times[::-1], arrived=arrived)
        assert (alone == whole).all()


@pytest.mark.parametrize("size", [3, 101, 230])
def test_products_in_parts_are_those_of_whole_matrices(size):
    left, right = np.random.default_rng(size).normal(size=(2, 3, size, size))
    plain = np.einsum("sij,sjk->sik", left, right)
    assert product_in_one_thread(left, right) == pytest.approx(plain, abs=1e-11)


@given(st.floats(-12, 12), st.floats(1e-4, 60), st.floats(0.01, 20), st.booleans())
def test_moments_of_ties_equal_brute_force(mean, variance, nu, tied):
    found = davidson_moments(mean, variance, nu, tied)
    expected = twin.integrated_moments(mean, variance, nu, tied)
    assert found[0] == pytest.approx(expected[0], rel=1e-7)
    assert np.array(found[1:]) / found[0] == pytest.approx(
        np.array(expected[1:]) / expected[0], rel=1e-6, abs=1e-6
    )


@given(st.floats(-12, 12), st.floats(1e-6, 60))
def test_moments_of_wins(mean, variance):
    for rule, holds in ((quadrature_moments, variance < 1), (mixture_moments, variance >= 1)):
        if holds:
            assert rule(mean, variance) == pytest.approx(
                twin.win_moments(mean, variance), rel=1e-10, abs=1e-14
            )
            assert moments(mean, variance, 0.0, False, 1.0) == rule(mean, variance)
    exact = davidson_moments(mean, variance, 1e-300, False)  # no ties: the logistic
    assert moments(mean, variance, 0.0, False, 1.0)[0] == pytest.approx(exact[0], rel=1e-3)


@given(st.floats(-30, 30), st.floats(0, 60), st.floats(0, 5))
def test_chances_of_all_outcomes_sum_to_one(mean, variance, nu):
    total = sum(moments(sign * mean, variance, nu, False, 1.0)[0] for sign in (1.0, -1.0))
    if nu > 0:
        total += moments(mean, variance, nu, True, 1.0)[0]
    assert total == pytest.approx(1, abs=2e-15 if nu == 0 else 1e-12)


# Invariants


records = st.tuples(st.integers(2, 8), st.integers(1, 60), st.integers(0, 10**6))


@examples(25)
@given(records)
def test_weights_sum_to_one(shape):
    winner, loser = simulated(*shape)
    bank = run_bank(winner, loser, individuals=shape[0], grid=FEW)
    assert bank.weights.sum() == pytest.approx(1)


@examples(25)
@given(records, st.randoms(use_true_random=False))
def test_relabelling_permutes(shape, random):
    size = shape[0]
    winner, loser = simulated(*shape)
    new = np.array(random.sample(range(size), size))
    one = run_bank(winner, loser, individuals=size, grid=FEW)
    other = run_bank(new[winner], new[loser], individuals=size, grid=FEW)
    assert other.log_evidences == pytest.approx(one.log_evidences, abs=1e-10)
    assert other.means[:, 1 + new] == pytest.approx(one.means[:, 1:], abs=1e-10)
    assert other.covariances[:, 1 + new][:, :, 1 + new] == pytest.approx(
        one.covariances[:, 1:, 1:], abs=1e-10
    )


@examples(25)
@given(records, st.data())
def test_a_prefix_gives_the_prefix_of_the_whole(shape, data):
    winner, loser = simulated(*shape)
    upto = data.draw(st.integers(0, len(winner)))
    everybody = ([], [], [])
    whole, _, share = prepared(winner, loser, shape[0], None, None, everybody, None)
    part, _, _ = prepared(winner[:upto], loser[:upto], shape[0], None, None, everybody, None)
    table = settings_table(FEW, share, 0.0)
    assert (
        run_filters(part, table).log_chances == run_filters(whole, table).log_chances[:, :upto]
    ).all()


def test_the_chance_of_a_contest_to_come_is_that_of_the_contest_appended():
    winner, loser = simulated(5, 40, 3)
    home = np.random.default_rng(1).choice([-1.0, 1.0], 40)
    everybody = ([], [], [])
    whole, _, share = prepared(winner, loser, 5, None, None, everybody, home)
    past, known, _ = prepared(winner[:39], loser[:39], 5, None, None, everybody, home[:39])
    bank = bank_of(past, known, FEW, settings_table(FEW, share, 0.0), 0.0, None)
    at = (int(winner[39]), int(loser[39]))
    found, tie = chance(bank, *at, home[39:])
    chances = np.exp(run_filters(whole, bank.table).log_chances[:, 39])
    assert found == pytest.approx(bank.weights @ chances, abs=1e-12)
    assert tie == 0
    other, _ = chance(bank, *at[::-1], -home[39:])
    assert found + other == pytest.approx(1, abs=1e-14)


def test_threads_change_nothing():
    winner, loser = simulated(6, 50, 1)
    one = run_bank(winner, loser, individuals=6, threads=1)
    two = run_bank(winner, loser, individuals=6, threads=3)
    assert (one.log_evidences == two.log_evidences).all()
    assert (one.covariances == two.covariances).all()
    assert (bank_states.states(one, [3, 50])[1] == bank_states.states(two, [3, 50])[1]).all()


def test_many_contests_stay_finite_and_positive():
    winner, loser = simulated(6, 100_000, 1, drift=0.01)
    grid = drift_grid(sigma=(0.1, 1.0, 5.5), tau=(0.1, 1.6))
    bank = run_bank(winner, loser, individuals=6, grid=grid)
    assert np.isfinite(bank.log_evidences).all()
    assert np.isfinite(bank.means).all()
    assert (bank.covariances == bank.covariances.transpose(0, 2, 1)).all()
    assert (np.linalg.eigvalsh(bank.covariances) > 0).all()


def test_equal_times_do_not_move_ratings():
    """Simultaneous contests: every filter equals the static filter with its σ."""
    winner, loser = simulated(5, 30, 2)
    bank = run_bank(winner, loser, individuals=5, steps=np.zeros(30))
    static = bank.log_evidences[bank.grid.tau == 0]
    sigma = bank.grid.sigma[bank.grid.tau == 0]
    for s, value in zip(sigma, static, strict=True):
        assert (bank.log_evidences[bank.grid.sigma == s] == value).all()
    assert bank.evidence()["log_bf_drift"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="finite, non-negative"):
        run_bank(winner, loser, individuals=5, steps=-np.ones(30))


def test_home_advantage_is_found():
    random = np.random.default_rng(5)
    pairs = np.array([random.choice(8, 2, replace=False) for _ in range(600)])
    home_wins = random.random(600) < 1 / (1 + np.exp(-0.8))
    winner = np.where(home_wins, pairs[:, 0], pairs[:, 1])
    loser = np.where(home_wins, pairs[:, 1], pairs[:, 0])
    home = np.where(home_wins, 1.0, -1.0)
    bank = run_bank(winner, loser, individuals=8, covariates=home, grid=FEW)
    mean, deviation = bank.coefficient_moments()
    assert mean[1] == pytest.approx(0.8, abs=3 * deviation[1])
    assert deviation[1] < 0.15


def test_ties():
    winner, loser = simulated(6, 200, 4)
    ties = np.random.default_rng(3).random(200) < 0.25
    bank = run_bank(winner, loser, individuals=6, ties=ties, grid=FEW)
    around = [
        run_bank(winner, loser, individuals=6, ties=ties, nu=bank.nu * f, grid=FEW).log_evidence
        for f in (0.8, 1.25)
    ]
    assert bank.log_evidence > max(around)
    swapped = np.where(ties, loser, winner), np.where(ties, winner, loser)
    again = run_bank(*swapped, individuals=6, ties=ties, nu=bank.nu, grid=FEW)
    assert again.log_evidences == pytest.approx(bank.log_evidences, abs=1e-10)
    win, tie = chance(bank, 0, 1)
    loss, _ = chance(bank, 1, 0)
    assert win + tie + loss == pytest.approx(1, abs=1e-9)
    assert run_bank(winner, loser, individuals=6, grid=FEW).nu == 0
    always = run_bank(winner, loser, individuals=6, ties=np.ones(200, bool), grid=FEW)
    assert np.isfinite(always.log_evidences).all()
    assert chance(always, 0, 1)[1] > 0.99
    with pytest.raises(ValueError, match="nu=0.0: give a number above 0"):
        run_bank(winner, loser, individuals=6, ties=ties, nu=0.0, grid=FEW)
    with pytest.raises(ValueError, match="cannot be used with ties"):
        run_bank(winner, loser, individuals=6, ties=ties, grid=drift_grid(elo=True))


# Grid and rosters


def test_grid():
    grid = drift_grid()
    assert len(grid) == 130
    prior = np.exp(grid.log_prior)
    assert prior.sum() == pytest.approx(1)
    assert prior[grid.tau == 0].sum() == pytest.approx(0.2)
    assert prior[grid.returning].sum() == pytest.approx(0.4)
    assert len(drift_grid(static=1)) == 10
    assert len(drift_grid(static=0)) == 120
    assert np.exp(drift_grid(elo=True).log_prior).sum() == pytest.approx(1)
    assert half_normal_weights([2.0], 1.0) == pytest.approx([1.0])
    with pytest.raises(ValueError, match="from 0 to 1"):
        drift_grid(static=1.5)


def test_entries_are_inferred_from_late_first_contests():
    """c has 40 contests, the first after 60 of 100; d has one, which may be late by chance."""
    winner = np.array([0, 1] * 30 + [2] * 40)
    loser = np.array([1, 0] * 30 + [0, 1] * 19 + [0, 3])
    intervals = inferred_intervals(winner, loser, 5)
    assert intervals.first.tolist() == [-1, -1, 60, -1, -1]
    assert present_after(intervals, 0).tolist() == [0, 1, 3, 4]
    assert present_after(intervals, 61).tolist() == [0, 1, 2, 3, 4]


def test_rosters():
    winner, loser, _ = full_record()
    known = known_intervals(INTERVALS, winner, loser, 6)
    found = rosters(known, 30, 6)

    def there(t):
        at = found.roster_of[t]
        return found.roster[found.roster_at[at] : found.roster_at[at + 1]].tolist()

    assert found.founder.tolist() == [True, True, True, False, False, False]
    assert there(1) == [0, 1, 2]
    assert there(6) == [0, 1, 2]  # 3 and 4 enter now, and drift from the next contest on
    assert there(7) == [0, 1, 2, 3, 4]
    assert there(10) == [1, 2, 3, 4]  # 0 is absent
    assert there(14) == [1, 2, 3]
    assert there(15) == [0, 1, 2, 3]
    assert found.entry_at.tolist() == [6, 17]
    assert found.newcomer.tolist() == [3, 4, 5]
    assert present_after(known, 30).tolist() == [0, 1, 2, 4, 5]


def test_quantiles_of_mixtures_invert_their_distribution():
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.ones(5))
    means, deviations = random.normal(size=(5, 40)), random.uniform(0.01, 3, size=(5, 40))
    shares = (0.025, 0.1, 0.9, 0.975)
    cuts = mixture_quantiles(weights, means, deviations, shares)
    for place, share in enumerate(shares):
        below = weights @ ndtr((cuts[:, place] - means) / deviations)
        assert below == pytest.approx(share, abs=1e-9)


def uneven(kind, individuals=8, contests=800):
    """Ratings that stay, drift, or stay for most of the record and then change a lot."""
    if kind != "late":
        return simulated(individuals, contests, 5, drift=0.0 if kind == "static" else 0.3)
    early = simulated(individuals, contests - 150, 5)
    late = [simulated(individuals, 15, seed) for seed in range(10)]
    return np.concatenate([early, *late], axis=1)


@pytest.mark.parametrize("kind", ["static", "drift", "late"])
@pytest.mark.parametrize("elo", [False, True])
def test_dropping_hopeless_filters_changes_nothing(kind, elo, monkeypatch):
    winner, loser = uneven(kind)
    grid = drift_grid(elo=elo, sigma=(0.2, 0.6, 1.3, 2.7)) if elo else None
    whole = run_bank(winner, loser, individuals=8, grid=grid)
    monkeypatch.setattr(filter_runner, "MUCH", 0)
    some = run_bank(winner, loser, individuals=8, grid=grid)
    assert len(some.grid) < len(whole.grid)
    for name, value in whole.evidence().items():
        assert some.evidence()[name] == pytest.approx(value, abs=1e-7)
    for mine, its in zip(bank_states.ratings(some), bank_states.ratings(whole), strict=True):
        assert mine == pytest.approx(its, abs=1e-7)
    times = [100, 700, 800]
    assert bank_states.states(some, times)[1].shape == bank_states.states(whole, times)[1].shape
    best = np.cumsum(run_filters(whole.record, whole.table).log_chances, axis=1)
    best = (best + whole.grid.log_prior[:, None])[whole.table[:, 2] == 0].max(axis=0)
    assert some.best[:2].max(axis=0)[-1] == pytest.approx(best[-1], abs=1e-9)


def test_openings_of_large_records_keep_their_weights(monkeypatch):
    winner, loser = simulated(8, 900, 4)
    names = np.array([f"i{n}" for n in range(8)])
    data = po.read({"winner": names[winner], "loser": names[loser]})
    whole = po.dynamic(data, seed=1)
    monkeypatch.setattr(filter_runner, "MUCH", 0)
    some = po.dynamic(data, seed=1)
    assert some.log_bf_drift == pytest.approx(whole.log_bf_drift, abs=1e-6)
    assert some.bank.opening_weights == pytest.approx(whole.bank.opening_weights, abs=1e-9)
    assert some.rating == pytest.approx(whole.rating, abs=1e-9)
