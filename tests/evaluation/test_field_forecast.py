"""Forecasts of contests of many sides, compared with the enumeration of all orders."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.field_forecast import winner_log_chance

RACES = [list(row) for row in ("abcd", "badc", "acbd", "dcab", "cabd", "bacd")]
DOUBLES = [[("A", "B"), ("C", "D")], [("C", "A"), ("B", "D")], [("D", "A"), ("B", "C")]] * 3


def enumerated(strength, fill):
    """Chance of each side (row) and place (column), from all orders."""
    number = len(strength)
    sign = 1 if fill == "first" else -1
    out = np.zeros((number, number))
    for order in itertools.permutations(range(number)):
        filled = order if fill == "first" else order[::-1]
        chance, left = 1.0, [math.exp(sign * strength[i]) for i in filled]
        for i in range(number):
            chance *= left[i] / sum(left[i:])
        for place, side in enumerate(order):
            out[side, place] += chance
    return out


@pytest.mark.parametrize("fill", ["first", "last"])
def test_places_against_all_orders(fill):
    fit = po.sport.plackett_luce(RACES, fill=fill)
    at = {name: i for i, name in enumerate(fit.individuals)}
    found = po.predict(fit, fixtures=[["d", "a", "c"], ("b", "a")])
    random = np.random.default_rng(7)
    for label, names in (("1", "dac"), ("2", "ba")):
        own = [at[name] for name in names]
        drawn = random.multivariate_normal(fit.ability[own], fit.spread[np.ix_(own, own)], 2_000)
        expected = np.mean([enumerated(one, fill) for one in drawn], axis=0)
        table = found.table.filter(pl.col("contest") == label)
        assert table["side"].to_list() == list(names)
        chances = table.select(f"p_{i + 1}" for i in range(len(names))).to_numpy()
        assert chances == pytest.approx(expected, abs=0.02)
        mean = expected @ np.arange(1, len(names) + 1)
        assert table["expected"].to_list() == pytest.approx(mean.tolist(), abs=0.04)
    assert found.table["p_3"].null_count() == 2


def test_teams_of_a_table_are_those_of_a_list():
    fit, rater = po.sport.plackett_luce(DOUBLES, prior_sd=1.0), po.sport.FieldRater()
    rater.update_many(DOUBLES)
    table = {"match": [1] * 4, "player": list("ABCD"), "pair": list("xyxy"), "court": [3] * 4}
    for one in (fit, rater):
        listed = po.predict(one, fixtures=[[("A", "C"), ("B", "D")]])
        assert listed.table.equals(po.predict(one, fixtures=table).table)
        assert listed.table["side"].to_list() == ["A & C", "B & D"]
        chance = one.probability(("A", "C"), ("B", "D")) if one is rater else None
        own = [fit.individuals.index(name) for name in "ACBD"]
        if one is fit:  # averaged over the difference of sums
            contrast = np.array([1, 1, -1, -1])
            mean = contrast @ fit.ability[own]
            spread = contrast @ fit.spread[np.ix_(own, own)] @ contrast
            drawn = mean + np.sqrt(spread) * np.random.default_rng(1).normal(size=200_000)
            chance = float((1 / (1 + np.exp(-drawn))).mean())
        assert listed.table["p_1"][0] == pytest.approx(chance, abs=0.015)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"fixtures": [["a", "z"]]}, DataError, '"z" took part in no contest'),
        ({"fixtures": [["a", "a"]]}, DataError, "on both sides"),
        ({"fixtures": [["a"]]}, DataError, "one side only"),
        ({"fixtures": ["a", "b"]}, ArgumentError, "lists of sides"),
        ({"fixtures": [["a", {"b", "c"}]]}, ArgumentError, "a tuple of names"),
        ({"fixtures": {"x": ["a"], "y": ["b"]}}, DataError, "race and driver.*Columns found"),
        ({"fixtures": [["a", "b"]], "calibrate": True}, ArgumentError, "no calibrate"),
    ],
)
def test_what_is_refused(more, error, words):
    with pytest.raises(error, match=words):
        po.predict(po.sport.plackett_luce(RACES), **more)
    rater = po.sport.FieldRater()
    with pytest.raises(po.ArgumentTypeError, match="update_many"):
        po.evaluate(rater)


@pytest.mark.parametrize("fill", ["first", "last"])
def test_chances_of_the_winner_against_all_orders(fill):
    for strength in ([0.3, -1.2, 0.0, 2.0, 0.4], [8.0, -8.0, 0.0], [0.1, 0.1]):
        found = np.exp(winner_log_chance(np.array(strength), fill))
        assert found == pytest.approx(enumerated(strength, fill)[:, 0], abs=1e-12)


@pytest.mark.parametrize("fill", ["first", "last"])
def test_foresight_is_that_of_fits_to_the_contests_before(fill):
    races = [["a", {"b", "c"}, "d"], [{"a", "b"}, "d", "c"], *RACES]
    found = po.evaluate(po.sport.plackett_luce(races, fill=fill, prior_sd=1.5), seed=1, skip=1)
    winner, pairs, right = [], [], []
    for number in range(1, len(races)):
        past = po.sport.plackett_luce(races[:number], fill=fill, prior_sd=1.5)
        ability = dict(zip(past.individuals, past.ability, strict=True))
        places = [sorted(one) if isinstance(one, set) else [one] for one in races[number]]
        order = [name for place in places for name in place]
        if len(places[0]) == 1:
            winner.append(enumerated([ability[name] for name in order], fill)[0, 0])
        for above, below in itertools.combinations(places, 2):
            ahead = [ability[a] - ability[b] for a in above for b in below]
            pairs += [1 / (1 + math.exp(-one)) for one in ahead]
            right += [round(one, 9) > 0 for one in ahead]
    assert found.foresight["winner_log_loss"] == pytest.approx(-np.log(winner).mean(), abs=1e-6)
    assert found.foresight["pairs_log_loss"] == pytest.approx(-np.log(pairs).mean(), abs=1e-6)
    assert found.foresight["pairs_share"] == pytest.approx(np.mean(right))
    assert found.table["number"].to_list() == [len(winner), len(pairs)] * 2
    assert found.hindsight["pairs_log_loss"] < found.foresight["pairs_log_loss"]
    with pytest.raises(ArgumentError, match="no per"):
        po.evaluate(po.sport.plackett_luce(races), per="season")


def test_covariates_and_teams_are_part_of_the_strength():
    random = np.random.default_rng(2)
    sheet = {"race": [], "driver": [], "position": [], "grid": []}
    for race in range(60):
        grid = random.permutation(4)
        order = np.argsort(1.5 * grid - random.gumbel(size=4))
        for place, who in enumerate(order):
            for key, value in zip(sheet, (race, "abcd"[who], place + 1, grid[who]), strict=True):
                sheet[key].append(value)
    plain, known = (po.sport.plackett_luce(sheet, covariates=own) for own in ([], ["grid"]))
    without, found = (po.evaluate(fit, seed=1).foresight for fit in (plain, known))
    assert found["winner_log_loss"] < without["winner_log_loss"] - 0.3
    assert found["pairs_log_loss"] < 0.5 < without["pairs_log_loss"]
    doubles = po.evaluate(po.sport.plackett_luce(DOUBLES), seed=1).table
    log_loss = doubles["log_loss"].to_list()
    assert log_loss[0] == pytest.approx(log_loss[1], abs=1e-9)  # of two sides, one pair
