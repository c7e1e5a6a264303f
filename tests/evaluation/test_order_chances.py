"""Bradley–Terry abilities and David's scores as predictions, against fits to every prefix."""

import numpy as np
import pytest

import peckorder as po
from peckorder.evaluation.order_forecast import ratings_of
from peckorder.ratings.paired_model import DyadRecord, maximum
from tests.ratings.test_adaptive import simulated


@pytest.fixture(scope="module")
def data():
    return po.read(simulated(1, individuals=5, contests=40))


@pytest.fixture(scope="module")
def tied():
    return po.read(simulated(2, individuals=5, contests=60, tie_share=0.3))


def fitted(wins, drawn, prior_sd):
    size = len(wins)
    x = maximum(DyadRecord.of_matrix(wins, drawn), np.zeros(size, int), prior_sd)
    return x[:size] - x[:size].mean()


def counts_of(data, upto):
    wins, drawn = np.zeros((2, len(data.individuals), len(data.individuals)))
    for t in range(upto):
        a, b = data.winner[t], data.loser[t]
        if data.draw is not None and data.draw[t]:
            drawn[a, b] += 1
            drawn[b, a] += 1
        else:
            wins[a, b] += 1
    return wins, drawn


def test_abilities_before_each_contest_are_those_of_a_fit_to_the_prefix(data):
    replay = ratings_of(po.bradley_terry(data, penalized=True, prior_sd=1.5)).course.replay
    path = replay.after_each(np.arange(5))
    for upto in (0, 1, 7, 25, 40):
        expected = fitted(*counts_of(data, upto), 1.5)
        assert path[upto] == pytest.approx(expected, abs=1e-6)
    chances = replay.foresight()
    ahead = path[7, data.winner[7]] - path[7, data.loser[7]]
    assert chances.win[7] == pytest.approx(1 / (1 + np.exp(-ahead)))


def test_ties_have_a_probability(tied):
    order = po.bradley_terry(tied, penalized=True, prior_sd=2)
    found = ratings_of(order)
    assert found.nu == pytest.approx(order.nu)
    replay = found.course.replay
    upto = 50
    ability = fitted(*counts_of(tied, upto), 2.0)
    assert replay.after_each(np.arange(5))[upto] == pytest.approx(ability, abs=1e-6)
    chances = found.foresight()
    assert chances.win + chances.draw + chances.loss == pytest.approx(np.ones(60))
    ranked = po.evaluate(order)
    assert ranked.foresight["log_loss_ties"] < np.log(3) + 0.1
    table = po.predict(order, fixtures=[("i0", "i1")]).table
    assert table["p_tie"][0] > 0.05
    half = po.evaluate(po.bradley_terry(tied, ties="half", penalized=True))
    assert half.foresight["log_loss"] < np.log(2) + 0.05


def test_the_final_abilities_are_those_of_the_order(data):
    plain = po.bradley_terry(data)
    assert len(plain.components) == 1
    ability = dict(zip(plain.table["individual"], plain.table["ability"], strict=True))
    found = ratings_of(plain)
    assert {name: found[name] for name in ability} == pytest.approx(ability)
    chance = po.predict(plain, fixtures=[("i0", "i1")]).table["p_a"][0]
    assert chance == pytest.approx(1 / (1 + np.exp(ability["i1"] - ability["i0"])))
    assert "normal prior (standard deviation 2)" in found.summary[0]


def test_components_have_finite_differences():
    """Without a prior one of two would always beat the other."""
    with pytest.warns(po.DataWarning, match="components"):
        plain = po.bradley_terry(po.datasets.adv())
    anchored = po.bradley_terry(po.datasets.adv(), penalized=True, prior_sd=2)
    one, other = (po.predict(o, fixtures=[("b", "a")]).table["p_a"][0] for o in (plain, anchored))
    assert one == pytest.approx(other, abs=1e-6)
    assert one < 1
    said = po.predict(plain, fixtures=[("b", "c")]).summary
    assert "unbounded" in said[0]
    assert "a normal prior (penalized=True)" in said[0]
    assert not po.predict(anchored, fixtures=[("b", "c")]).summary


def test_davids_scores_are_calibrated_on_the_past(data):
    order = po.davids_score(data)
    replay = ratings_of(order).course.replay
    path = replay.after_each(np.arange(5))
    part = po.davids_score(data.take(np.arange(20)))
    scores = dict(zip(part.table["individual"], part.table["normds"], strict=True))
    own = np.array([scores[name] for name in data.individuals])
    slope = np.polyfit(own, path[20], 1)[0]
    assert path[20] == pytest.approx(slope * (own - own.mean()), abs=1e-9)
    assert 0.2 < slope < 3
    assert path[0] == pytest.approx(np.zeros(5))
    assert po.evaluate(order).foresight["log_loss"] < np.log(2)


def test_they_compare_with_all_others(data):
    models = {
        "Bradley–Terry": po.bradley_terry(data, penalized=True),
        "David": po.davids_score(data),
        "Glicko": po.sport.glicko(data),
        "adaptive": po.adaptive(data, samples=10, seed=1),
        "dynamic": po.dynamic(data, samples=10, seed=1),
        "Elo": po.elo(data),
    }
    found = po.compare_models(models, runs=100)
    assert set(found.table["model"]) == set(models)
    for name in ("Bradley–Terry", "David"):
        row = found.table.filter(model=name)
        loss = po.evaluate(models[name], runs=10).foresight["log_loss"]
        assert -row["score"][0] / 40 == pytest.approx(loss)
    assert po.calibration(models["Bradley–Terry"]).contests == 40
    assert po.predict(models["David"], fixtures=[("i0", "i1")], at="2020-01-20").table.height == 1


def test_without_an_order_of_contests_only_hindsight():
    found = po.evaluate(po.bradley_terry(po.datasets.bonobos(), penalized=True))
    assert found.foresight is None
    assert found.hindsight["share"] > 0.9


def test_other_orders_are_refused_with_what_to_do(data):
    with pytest.raises(po.ArgumentTypeError, match="those of bradley_terry and davids_score do"):
        po.evaluate(po.isi(data))
    with pytest.raises(po.ArgumentTypeError, match="or the order of bradley_terry"):
        po.compare_models({"a": po.isi(data), "b": po.elo(data)})
    with pytest.raises(po.ArgumentError, match="no home advantage"):
        po.evaluate(po.bradley_terry(data, penalized=True), home_advantage=30)
