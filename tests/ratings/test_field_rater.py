"""Abilities followed contest by contest, for sides of any number and size."""

import numpy as np
import pytest

import peckorder as po
from peckorder.data.fields import Fields
from peckorder.errors import ArgumentError

FieldRater = po.sport.FieldRater


def races(random, number=120, individuals=10, sides=4, *, last=False):
    ability, out = random.normal(size=individuals), []
    for _ in range(number):
        who = random.permutation(individuals)[:sides]
        sign = -1 if last else 1
        score = sign * (sign * ability[who] + random.gumbel(size=sides))
        out.append([f"m{i}" for i in who[np.argsort(-score)]])
    return ability, out


@pytest.mark.parametrize(("spread", "error"), [(0.2, 0.01), (0.6, 0.03), (1.9, 0.2)])
def test_a_first_contest_against_integration(spread, error):
    """Means of three newcomers; Laplace's mode lies inside the mean where the spread is large."""
    rater = FieldRater()
    rater.update(["a", "b", "c"])
    u = spread * np.random.default_rng(1).normal(size=(400_000, 3))
    x = np.exp(u)
    chance = x[:, 0] / x.sum(axis=1) * x[:, 1] / (x[:, 1] + x[:, 2])
    mean = chance @ u / chance.sum()
    own = np.flatnonzero((rater._spread == spread) & ~rater._backward)
    assert rater._mean[own[0]] == pytest.approx(mean, abs=error * spread)


def test_foresight_does_not_know_the_future():
    _, record = races(np.random.default_rng(2))
    whole = FieldRater().update_many(record)
    part = FieldRater()
    assert part.update_many(record[:70]) == pytest.approx(whole[:70], abs=1e-12)
    assert np.log(part.update(record[70])) == pytest.approx(whole[70], abs=1e-9)


def test_names_and_weights_of_filters():
    _, record = races(np.random.default_rng(3), 40)
    renamed = [[f"x{name}" for name in race] for race in record]
    first, second = FieldRater(), FieldRater()
    assert first.update_many(record).tolist() == second.update_many(renamed).tolist()
    assert first.table["rating"].to_list() == second.table["rating"].to_list()


@pytest.mark.parametrize("last", [False, True])
def test_direction_and_abilities_are_found(last):
    ability, record = races(np.random.default_rng(4), 400, last=last)
    rater = FieldRater()
    log_chance = rater.update_many(record)
    half = len(rater.weights) // 2
    assert rater.weights[half:].sum() == pytest.approx(float(last), abs=0.01)
    rating = dict(zip(rater.table["individual"], rater.table["rating"], strict=True))
    found = [rating[f"m{i}"] for i in range(len(ability))]
    assert np.corrcoef(found, ability)[0, 1] > 0.9
    assert log_chance[200:].mean() > -np.log(24)


def test_chances_of_places():
    _, record = races(np.random.default_rng(5), 60)
    rater = FieldRater()
    rater.update_many(record)
    table = rater.places(["m1", "m2", "m3"])
    chances = table.select("p_1", "p_2", "p_3")
    assert chances.sum().row(0) == pytest.approx((1, 1, 1))
    assert chances.sum_horizontal().to_list() == pytest.approx([1] * 3, abs=1e-9)
    assert rater.probability("m1", "m2") + rater.probability("m2", "m1") == pytest.approx(1)
    pair = rater.places(["m1", "m2"])["p_1"][0]
    assert pair == pytest.approx(rater.probability("m1", "m2"), abs=0.03)


def test_ties_teams_and_refusals():
    rater = FieldRater(strength="mean")
    rater.update(["A", {"B", "C"}, "D"])
    rating = dict(zip(rater.table["individual"], rater.table["rating"], strict=True))
    assert rating["B"] == pytest.approx(rating["C"], abs=1e-9)
    assert rating["A"] > rating["B"] > rating["D"]
    rater.update_many(Fields.of([[("A", "B"), ("C", "D")]]))
    with pytest.raises(ArgumentError, match="no contest"):
        rater.probability("A", "Z")
    with pytest.raises(ArgumentError, match="two sides"):
        rater.places(["A"])
    with pytest.raises(ArgumentError, match="mean"):
        FieldRater(strength="max")
