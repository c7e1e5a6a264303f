"""Dynamic ratings: references, properties, presence, ties, covariates, dates, and the shell."""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.ratings.filter_bank import run_bank
from tests.ratings import bank_states

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def adv():
    return po.dynamic(po.datasets.adv(), seed=1)


def simulated(seed, individuals=8, contests=200, spread=1.0, drift=0.0, **columns):
    """Contests with known final strengths, centered."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, spread, individuals)
    rows = []
    for number in range(contests):
        strength += drift * random.normal(size=individuals)
        a, b = random.choice(individuals, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        rows.append((*((a, b) if won else (b, a)), number // 4))
    winner, loser, date = map(list, zip(*rows, strict=True))
    names = [f"i{i}" for i in range(individuals)]
    data = po.read(
        {"winner": [names[i] for i in winner], "loser": [names[i] for i in loser], "date": date}
        | columns
    )
    return data, {name: s - strength.mean() for name, s in zip(names, strength, strict=True)}


def test_it_is_the_bank_with_draws():
    adv = po.dynamic(po.datasets.adv(), prior="normal", seed=1)
    data = po.datasets.adv()
    bank = run_bank(data.winner, data.loser, individuals=7)
    mean, deviation = bank_states.ratings(bank)
    assert adv.log_evidence == pytest.approx(bank.log_evidence)
    assert adv.log_bf_drift == pytest.approx(bank.evidence()["log_bf_drift"])
    assert adv.rating == pytest.approx(mean, abs=4 * deviation.max() / np.sqrt(4000))
    assert adv.table["rating_sd"].to_numpy() == pytest.approx(
        deviation[[adv.code(name) for name in adv.table["individual"]]], rel=0.06
    )


def test_the_same_seed_gives_the_same_and_threads_do_not_matter(adv):
    again = po.dynamic(po.datasets.adv(), seed=1, threads=2)
    assert (again.final == adv.final).all()
    assert (po.dynamic(po.datasets.adv(), seed=2).final != adv.final).any()


def test_everything_a_posterior_offers(adv):
    assert adv.table["p_first"].sum() == pytest.approx(1)
    assert adv.outranks("b", "a") + adv.outranks("a", "b") == pytest.approx(1)
    assert adv.probability("b", "a") > 0.9
    assert set(adv.classes(2).columns) >= {"p_class_1", "p_class_2"}
    assert adv.expected_beaten()["expected_beaten"].sum() == pytest.approx(21, abs=1e-6)
    assert adv.seed == 1
    assert "averaged Gaussian filters" in adv.cite()
    assert po.evaluate(adv).foresight["contests"] == 33
    assert po.predict(adv, fixtures=[("b", "a")]).table["p_a"][0] > 0.8
    assert json.loads(json.dumps(adv.to_dict()))["result"]["sigma"]["low"] > 0


def test_the_course_joins_up(adv):
    """Ratings at the end are the final ones; trajectories and dates agree with each other."""
    last = adv.course.replay.after_each(np.arange(7))[-1]
    assert last == pytest.approx(
        bank_states.ratings(adv.bank)[0], abs=0.05
    )  # light filters are left out
    frame = adv.trajectory("b")
    assert frame["contest"][0] == 0
    assert (frame["rating_low"] < frame["rating"]).all()
    assert (frame["rating"] < frame["rating_high"]).all()
    when = adv.data.date[9]
    middle = adv.course.at(np.array([when]))[0]
    assert adv.at(str(when)[:10])["rating"].sum() == pytest.approx(0, abs=1e-9)
    assert middle[adv.code("b")] == pytest.approx(
        adv.scores(at=str(when)[:10]).mean(axis=0)[adv.code("b")], abs=0.12
    )


def test_order_within_a_moment_hardly_matters():
    data, _ = simulated(3)
    order = np.lexsort((np.random.default_rng(1).random(len(data)), data.date))
    other = data.take(order)
    one, two = po.dynamic(data, seed=1), po.dynamic(other, seed=1)
    assert [
        bank_states.ratings(one.bank)[0][one.code(n)] for n in one.individuals
    ] == pytest.approx(
        [bank_states.ratings(two.bank)[0][two.code(n)] for n in one.individuals], abs=0.02
    )


@pytest.mark.parametrize(("drift", "low"), [(0.0, 0.9), (0.1, 0.85)])
def test_intervals_hold_static_and_drifting_truths(drift, low):
    """A small twin of benchmarks/dynamic.py; elo_bayes holds .73 and .43 of such truths."""
    held = []
    for seed in range(40):
        data, truth = simulated(seed, drift=drift)
        table = po.dynamic(data, seed=seed, samples=1000).table
        for row in table.iter_rows(named=True):
            held.append(row["rating_low"] <= truth[row["individual"]] <= row["rating_high"])
    assert np.mean(held) >= low


def test_the_evidence_tells_drift_from_none():
    still, _ = simulated(5, contests=400)
    moving, _ = simulated(5, contests=400, drift=0.15)
    assert po.dynamic(still, seed=1).log_bf_drift < 0 < po.dynamic(moving, seed=1).log_bf_drift
    assert "changed over time" in po.dynamic(moving, seed=1).summary[0]


def test_presence_and_newcomers():
    rows = [("a", "b"), ("b", "c"), ("a", "c")] * 10 + [("a", "d"), ("b", "d"), ("c", "d")] * 5
    winner, loser = zip(*rows, strict=True)
    dates = [f"2020-01-{1 + i // 3:02d}" for i in range(len(rows))]
    frame = pl.DataFrame({"winner": winner, "loser": loser, "date": dates})
    presence = pl.DataFrame(
        {
            "individual": list("abcd"),
            "start": ["2020-01-01"] * 3 + ["2020-01-11"],
            "end": ["2020-01-15"] * 4,
        }
    )
    found = po.dynamic(po.read(frame, presence=presence), seed=1)
    assert found.entry < 0
    assert "Newcomers entered" in " ".join(found.summary)
    assert set(found.at("2020-01-05")["individual"]) == set("abc")
    assert set(found.at("2020-01-12")["individual"]) == set("abcd")
    assert found.trajectory("d")["contest"][0] >= 30


def test_ties_home_and_covariates():
    random = np.random.default_rng(1)
    rows = []
    for _ in range(300):
        a, b = random.choice(4, 2, replace=False)
        ahead = (a - b) * 0.8 + 0.7  # a is at home
        p, q = 1 / (1 + np.exp(-ahead)), 1 / (1 + np.exp(ahead))
        tie = 0.6 * np.sqrt(p * q)
        p, q, tie = (x / (p + q + tie) for x in (p, q, tie))
        u = random.random()
        rows.append((f"t{a}", f"t{b}", *((1, 0) if u < p else (0, 1) if u < p + q else (0, 0))))
    frame = pl.DataFrame(rows, schema=["home", "away", "home_points", "away_points"], orient="row")
    found = po.dynamic(po.read(frame), home_advantage="estimate", seed=1)
    assert found.home_advantage.low < 0.7 < found.home_advantage.high
    assert found.nu == pytest.approx(0.6, abs=0.35)
    chances = found.foresight()
    assert chances.win + chances.draw + chances.loss == pytest.approx(np.ones(300))
    assert po.evaluate(found).foresight["log_loss_ties"] < np.log(3)
    mass = {"winner": ["a", "b"] * 30, "loser": ["b", "a"] * 30, "mass": [1.0, -1.0] * 30}
    heavy = po.dynamic(po.read(mass), covariates=["mass"], seed=1)
    assert abs(heavy.mass) < 2
    with pytest.raises(po.DataError, match="Elo diagnostic is for contests without ties"):
        po.dynamic(po.read(frame), elo=True)


def test_groups_matrices_and_bad_input():
    two = po.dynamic({"x": po.datasets.adv(), "y": po.datasets.bonobos()}, seed=1)
    assert set(two) == {"x", "y"}
    assert two["y"].settings["static"] is True
    with pytest.raises(ValueError, match="clock"):
        po.dynamic(po.datasets.adv(), clock="days")
    with pytest.raises(po.DataError, match="needs dates"):
        po.dynamic(po.read({"winner": ["a"], "loser": ["b"]}), clock="time")
    with pytest.raises(TypeError, match="not list"):
        po.dynamic([1, 2])
    with pytest.raises(po.DataError, match="home"):
        po.dynamic(po.datasets.adv(), home_advantage="estimate")


def test_dynamic_at_the_shell(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside("dynamic", "adv.csv", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "Log Bayes factor for change of ratings" in done.stdout.decode()
    found = json.loads(inside("dynamic", "adv.csv", "--seed", "1", "--format", "json").stdout)
    expected = po.dynamic(po.read(tmp_path / "adv.csv"), seed=1)
    assert found["result"]["log_bf_drift"] == pytest.approx(expected.log_bf_drift)
    early = inside("dynamic", "adv.csv", "--at", "2009-01-01", "--format", "csv")
    assert early.returncode == 0
    assert early.stdout.decode().count("\n") == 1  # the header alone
    assert "is before the first contest" in early.stderr.decode()
    assert inside("dynamic", "adv.csv", "--at", "2010-01-10", "--seed", "1").returncode == 0


# -- the study of claims -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def study():
    """The program that measures coverage."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import dynamic

        yield dynamic
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("dynamic", "common"):
            sys.modules.pop(name, None)


def test_worlds_are_what_their_names_say(study):
    random = np.random.default_rng(1)
    for name, above in study.ABOVE.items():
        group = study.world(name, 8, 10, random)
        assert group.concerned.tolist() == [0]
        assert group.rating[0] - group.rating[1:].max() == pytest.approx(above)
    two = study.world("two sets", 10, 4_000, random)
    across = np.mean([(a < 5) != (b < 5) for a, b in two.pairs])
    assert across == pytest.approx(study.BETWEEN, abs=0.01)
    assert len({frozenset(pair) for pair in two.pairs if (pair[0] < 5) != (pair[1] < 5)}) > 20
    swap = study.world("takeover", 8, 40, random)
    assert swap.rating[swap.concerned[1]] == swap.rating.max()


def test_coverage_with_one_dominant_individual(study):
    """Its rank is right, and its rating is held (P(< 25 of 30) at .95: .003)."""
    held = study.coverage(study.dynamic, "one dominant by 2", 12, 120, 30)
    assert held["95"] > 0.93
    assert held["own 95"] >= 25 / 30
    assert held["own rank 95"] == 1
    far = study.coverage(study.dynamic, "one dominant by 4", 12, 300, 30)
    assert far["own 95"] >= 25 / 30  # .67 in 200 groups with a normal prior
    assert far["own rank 95"] == 1
