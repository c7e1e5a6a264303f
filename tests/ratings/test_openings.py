"""Openings: exceptions and sets in the prior of ratings, compared with coefficients of their own."""

import numpy as np
import pytest

import peckorder as po
from peckorder.ranks import separate_sets
from peckorder.ratings.dynamic import _fitted
from peckorder.ratings.filter_bank import (
    COEFFICIENT_SD,
    OFFSET,
    OPENING,
    drift_grid,
    run_bank,
)
from peckorder.ratings.filter_runner import run_filters
from peckorder.ratings.filter_trajectory import drawn_courses
from peckorder.ratings.openings import exception_scores, sets_of, with_openings
from peckorder.ratings.static_fit import fit, pairs_of
from tests.ratings import bank_states

FEW = drift_grid(sigma=(0.6, 1.5), tau=(0.3,))
WALKS = ~FEW.returning  # in which an offset stays; in others it returns to 0 with the rating


def schedule(strength, contests, seed=1, sets=None, between=0.04):
    """Winners and losers; members of different sets meet rarely."""
    random = np.random.default_rng(seed)
    pairs = []
    while len(pairs) < contests:
        a, b = random.choice(len(strength), 2, replace=False)
        if sets is not None and sets[a] != sets[b] and random.random() > between:
            continue
        won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        pairs.append((a, b) if won else (b, a))
    return np.array(pairs, np.int32).T


def record_of(strength, contests, **options):
    winner, loser = schedule(strength, contests, **options)
    names = np.array([f"i{i:02d}" for i in range(len(strength))])
    return po.read({"winner": names[winner], "loser": names[loser]})


ALPHA = np.array([4.0, 0.3, 0.1, 0.0, -0.2, -0.1, 0.2, -0.3, 0.1, 0.0])
SETS = np.arange(12) % 2
APART = np.random.default_rng(4).normal(0, 0.7, 12) + 3 * SETS


def as_coefficients(winner, loser, labels, variance):
    """A covariate for each offset, whose coefficient is the offset (in units of its prior)."""
    shared = np.array(labels)[None, :] == np.arange(max(labels) + 1)[:, None]
    return np.sqrt(variance) / COEFFICIENT_SD * (shared[:, winner] * 1.0 - shared[:, loser]).T


@pytest.mark.parametrize("labels", [[-1, -1, 0, -1, 1, -1], [0, 0, 0, 1, 1, 1]])
def test_an_offset_is_a_coefficient_of_its_own(labels):
    """In order and without: the same evidence, and the same ratings with the offset added."""
    winner, loser = schedule(ALPHA[:6], 60)
    variance = 12.0
    known = as_coefficients(winner, loser, labels, variance)
    bank = run_bank(winner, loser, individuals=6, grid=FEW)
    other = run_bank(winner, loser, individuals=6, grid=FEW, covariates=known)
    table = bank.table.copy()
    table[:, OFFSET] = variance
    own = bank.record._replace(openings=np.array([labels], np.int32))
    found = run_filters(own, table)
    evidence = found.log_chances.sum(axis=1)[WALKS]
    assert evidence == pytest.approx(other.log_evidences[WALKS], abs=1e-8)
    to_ratings = np.zeros((6, 3 + 6))
    to_ratings[:, 3:] = np.eye(6)
    for i, label in enumerate(labels):
        if label >= 0:
            to_ratings[i, 1 + label] = np.sqrt(variance) / COEFFICIENT_SD
    means = other.means @ to_ratings.T
    assert found.means[WALKS, 1:] == pytest.approx(means[WALKS], abs=1e-8)
    wide = to_ratings @ other.covariances @ to_ratings.T
    assert found.covariances[WALKS, 1:, 1:] == pytest.approx(wide[WALKS], abs=1e-8)
    tied, none = np.zeros(60, bool), np.zeros((60, 0))
    sigma = np.array([0.6, 1.5])
    opening, offset = np.array(labels, np.int32), np.full(2, variance)
    without = fit(
        pairs_of(winner, loser, tied, none), 6, sigma, np.zeros(0), 0.0, 1e-9,
        opening=opening, offset=offset,
    )  # fmt: skip
    with_known = fit(
        pairs_of(winner, loser, tied, known), 6, sigma, np.full(2, COEFFICIENT_SD), 0.0, 1e-9
    )
    assert without[2] == pytest.approx(with_known[2], abs=1e-6)
    assert without[0][:, 1:] == pytest.approx(with_known[0] @ to_ratings.T, abs=1e-6)


def test_an_opening_without_variance_changes_nothing():
    winner, loser = schedule(ALPHA, 80)
    bank = run_bank(winner, loser, individuals=10, grid=FEW)
    record = bank.record._replace(openings=np.array([[0, 1] + [2] * 8], np.int32))
    found = run_filters(record, bank.table)
    assert (found.means == bank.means).all()
    assert (found.covariances == bank.covariances).all()


def test_scores_are_close_to_exact_bayes_factors_and_name_the_exception():
    winner, loser = schedule(np.random.default_rng(2).normal(0, 1, 8), 90)
    bank = run_bank(winner, loser, individuals=8, grid=drift_grid(sigma=(1.0,), static=1.0))
    score = exception_scores(bank)
    exact = []
    for i in range(8):
        labels = np.full((1, 8), -1, np.int32)
        labels[0, i] = 0
        table = bank.table.copy()
        table[:, OFFSET] = 4.5**2
        evidence = run_filters(bank.record._replace(openings=labels), table).log_chances.sum()
        exact.append(evidence - bank.log_evidences[0])
    assert score == pytest.approx(np.array(exact), abs=0.8)
    winner, loser = schedule(ALPHA, 120)
    assert np.argmax(exception_scores(run_bank(winner, loser, individuals=10, grid=FEW))) == 0


def test_sets_come_from_the_schedule_alone():
    winner, loser = schedule(APART, 240, sets=SETS)
    met = np.zeros((12, 12))
    np.add.at(met, (winner, loser), 1)
    found = separate_sets(met + met.T)
    assert sorted(sorted(part.tolist()) for part in found) == [
        list(range(0, 12, 2)),
        list(range(1, 12, 2)),
    ]
    assert len(separate_sets(np.ones((30, 30)) - np.eye(30))) == 1
    three = np.kron(np.eye(3), np.ones((5, 5))) * 20 + 0.2
    assert sorted(len(part) for part in separate_sets(three)) == [5, 5, 5]
    lonely = np.pad(three, ((0, 1), (0, 1)))  # one without contests is in no set
    assert 15 not in np.concatenate(separate_sets(lonely))
    bank = run_bank(winner, loser, individuals=12, grid=FEW)
    turned = run_bank(loser, winner, individuals=12, grid=FEW)
    assert (sets_of(bank)[0].labels == sets_of(turned)[0].labels).all()


@pytest.mark.parametrize("static", [False, True])
def test_an_alpha_and_two_sets_are_named(static):
    data = record_of(ALPHA, 150)
    found = po.dynamic(data, static=static, seed=1)
    assert next(iter(found.values["exceptions"])) == "i00"
    assert found.values["exceptions"]["i00"] > 0.8
    assert any('"i00" (probability' in sentence for sentence in found.summary)
    normal = po.dynamic(data, static=static, prior="normal", seed=1)
    assert found["i00"] > normal["i00"] + 0.5
    assert not {"exceptions", "sets"} & set(normal.values)
    apart = po.dynamic(record_of(APART, 240, sets=SETS), static=static, seed=1)
    assert sorted(map(len, apart.values["sets"])) == [6, 6]
    assert apart.values["sets_probability"] > 0.5
    assert any("differ from each other" in sentence for sentence in apart.summary)


def test_alike_ratings_have_no_exception():
    found = po.dynamic(record_of(np.zeros(10), 200), static=True, seed=1)
    assert found.values["exception_probability"] < 0.15  # .37 / 1.37 before
    weights = found.bank.opening_weights
    assert weights.sum() == pytest.approx(1)
    assert weights[1:].sum() == pytest.approx(found.values["exception_probability"])
    assert found.bank.normal.log_evidence == found.log_evidence


def test_exceptions_among_newcomers_hold_at_dates():
    """A pariah that arrives late: draws of its course agree with smoothed ratings."""
    strength = np.append(np.random.default_rng(3).normal(0, 0.4, 8), -4.5)
    early = schedule(strength[:8], 120)
    late = schedule(strength, 120, seed=2)
    winner, loser = np.hstack([early, late])
    names = np.array([f"i{i}" for i in range(9)])
    data = po.read({"winner": names[winner], "loser": names[loser], "day": range(240)}, date="day")
    found = po.dynamic(data, seed=1)
    assert found.bank.record.newcomer.tolist() == [data.individuals.index("i8")]
    assert next(iter(found.values["exceptions"])) == "i8"
    places = np.array([180, 239])
    draws = drawn_courses(found.bank, 4000, places, 1).strengths
    draws -= draws.mean(axis=2, keepdims=True)
    mean, deviation = bank_states.smoothed(found.bank, places + 1)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.12)
    assert draws.std(axis=0) == pytest.approx(deviation, rel=0.12)


def test_openings_with_everything_else():
    """Games with ties at home, a covariate, presence, a further newcomer, and a group above 30."""
    random = np.random.default_rng(5)
    strength = np.append(random.normal(0, 0.5, 34), 5.0)
    winner, loser = schedule(strength, 400)
    names = np.array([f"i{i:02d}" for i in range(35)])
    dates = np.array([f"2020-{1 + i // 40:02d}-{1 + i % 28:02d}" for i in range(400)])
    dates.sort()
    turned, tied = random.random((2, 400)) < [[0.5], [0.1]]
    home, away = np.where(turned, [loser, winner], [winner, loser])
    frame = {"home": names[home], "away": names[away], "date": dates}
    frame |= {"home_points": (~turned | tied) * 1, "away_points": (turned | tied) * 1}
    frame["mass"] = random.normal(0, 1, 400)
    presence = {"individual": names, "start": ["2020-01-01"] * 35, "end": ["2020-12-01"] * 35}
    found = po.dynamic(
        po.read(frame, presence=presence),
        home_advantage="estimate",
        covariates=["mass"],
        samples=200,
        seed=1,
    )
    assert found.values["nu"] > 0
    assert np.isfinite(found.final).all()
    assert np.isfinite(found.at("2020-05-01")["rating_sd"].to_numpy()).all()
    assert found.values["exceptions"]["i34"] > 0.5
    bank, _ = found.course.replay.entered(1)
    assert np.isfinite(bank.means).all()
    assert bank.means.shape[1] == 3 + 35 + 1


def test_steepness_with_an_alpha():
    steep = po.steepness_bayes(record_of(ALPHA, 200), fair_coins=5, seed=1)
    normal = po.steepness_bayes(record_of(ALPHA, 200), fair_coins=5, prior="normal", seed=1)
    assert steep.value != normal.value
    assert steep.null.tolist() == normal.null.tolist()
    with pytest.raises(po.ArgumentError, match="normal"):
        po.steepness_bayes(po.datasets.bonobos(), preset="EloSteepness", prior="normal")


def test_negligible_openings_are_left_out():
    winner, loser = schedule(ALPHA, 150)
    bank = run_bank(winner, loser, individuals=10)
    whole = with_openings(bank, _fitted(bank))
    kept = np.unique(whole.table[:, OPENING])
    assert len(kept) < 1 + len(whole.openings)
    assert whole.weights.sum() == pytest.approx(1)
