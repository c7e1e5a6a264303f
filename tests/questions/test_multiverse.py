"""All analyses of a claim: numbers of the shipped data, a plain version, and properties."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.questions.multiverse import Analysis, shapley

ADV = po.datasets.adv()


def plain_shapley(rows, names, y, weight):
    """Mean increase of the variance explained over all orders of the choices."""

    def explained(some):
        keys = [tuple(row.get(name) for name in some) for row in rows]
        means = {
            key: np.average(
                [v for k, v in zip(keys, y, strict=True) if k == key],
                weights=[w for k, w in zip(keys, weight, strict=True) if k == key],
            )
            for key in keys
        }
        of_each = np.array([means[key] for key in keys])
        return np.average((of_each - np.average(y, weights=weight)) ** 2, weights=weight)

    total = dict.fromkeys(names, 0.0)
    orders = list(permutations(names))
    for order in orders:
        for n, name in enumerate(order):
            total[name] += explained(order[: n + 1]) - explained(order[:n])
    whole = explained(tuple(names))
    return {name: value / len(orders) / whole for name, value in total.items()}


def test_claims_of_adv():
    found = po.questions.multiverse(ADV, "b > c", seed=1)
    assert (found.holds, found.analyses, found.decisive) == (7, 9, "method")
    assert round(found.share, 2) == 0.83
    effects = {row[0]: round(row[1], 2) for row in found.tables["effects"].rows()}
    assert effects == {"method": 0.55, "index": 0.42, "k": 0.03}
    other = po.questions.multiverse(ADV, "e > f", seed=1)
    assert (other.holds, other.analyses, round(other.share, 2)) == (2, 9, 0.33)


def test_weights_do_not_count_settings():
    table = po.questions.multiverse(ADV, "b > c", seed=1).as_polars()
    by_method = table.group_by("method").agg(pl.col("weight").sum())["weight"]
    assert np.allclose(by_method, 1 / 6)


def test_effects_are_those_of_the_plain_version():
    random = np.random.default_rng(1)
    rows = [
        {"burn_in": b, "method": m, **({"k": k} if m == "elo" else {})}
        for b in ("none", "first tenth")
        for m, k in (("elo", 50), ("elo", 100), ("isi", None))
    ]
    weight = np.array([0.125, 0.125, 0.25] * 2)
    y, names = random.normal(size=6), ["burn_in", "method", "k"]
    analyses = [Analysis(row, w, v) for row, w, v in zip(rows, weight, y, strict=True)]
    found = shapley(analyses, names, y, weight)
    plain = plain_shapley(rows, names, y, weight)
    assert found == pytest.approx(plain)
    assert sum(found.values()) == pytest.approx(1)


def test_ties_burn_in_few_contests_and_time_stamps_are_choices():
    _, data = po.simulate.hierarchy(individuals=6, contests=160, seed=2)
    table = data.frame().select("winner", "loser").with_columns(tie=pl.lit(0))
    names = sorted(data.individuals)[:2]
    ties = pl.DataFrame({"winner": [names[0]] * 20, "loser": [names[1]] * 20, "tie": [1] * 20})
    rare = pl.DataFrame({"winner": [names[0]] * 2, "loser": ["new"] * 2, "tie": [0] * 2})
    kind = {"tie": pl.Int64}
    whole = pl.concat([one.cast(kind) for one in (table, ties, rare)])  # pyright: ignore
    days = [f"2020-01-{1 + n // 10:02d}" for n in range(whole.height)]
    record = po.read(whole.with_columns(date=pl.Series(days)), tie="tie", date="date")
    found = po.questions.multiverse(record, f"{names[0]} > {names[1]}", seed=1)
    columns = {"ties", "exclude", "burn_in", "method", "k", "within", "index"}
    assert columns <= {*found.as_polars().columns}
    assert found.analyses == 8 * 12  # Elo 3 × 2, dynamic, randomized, David's 2, BT, I&SI
    rated = po.questions.multiverse(record, f"{names[0]} > new", seed=1)
    assert rated.not_applicable == 4 * 12  # those without the newcomer
    assert rated.analyses == 4 * 12


def test_readings_are_a_choice():
    turned = po.read(ADV.frame().rename({"winner": "loser", "loser": "winner"}))
    found = po.questions.multiverse({"as is": ADV, "reversed": turned}, "b > a", seed=1)
    assert found.decisive == "reading"
    levels = found.tables["levels"].filter(pl.col("choice") == "reading")
    assert dict(zip(levels["level"], levels["share"], strict=True)) == {"as is": 1, "reversed": 0}


def test_structure():
    linear = po.questions.multiverse(po.datasets.bonobos(), "linear", seed=1)
    assert (linear.holds, linear.analyses, linear.probability) == (2, 2, None)
    steep = po.questions.multiverse(ADV, "steepness > 0.3", seed=1)
    assert {*steep.as_polars()["method"]} == {"steepness", "steepness_bayes"}
    assert steep.probability > 0.9


def test_own_choices():
    found = po.questions.multiverse(
        ADV, "b first", choices={"k": [20, 40], "method": ["elo", "isi"]}, seed=1
    )
    assert found.as_polars()["k"].drop_nulls().to_list() == ["20", "40"]
    assert found.analyses == 3


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"kk": [1]}, '"kk" is not known'),
        ({"method": ["ello"]}, 'no level "ello". Choose from: bradley_terry, elo'),
        ("k", "takes a mapping such as"),
        ({"index": ["dj"]}, "Choose from: dij, pij"),
        ({"k": []}, "k has no level"),
        ({"method": ["linearity"]}, "none of these methods can judge"),
    ],
)
def test_wrong_choices(choices, message):
    with pytest.raises(po.PeckorderError, match=message):
        po.questions.multiverse(ADV, "b > c", choices=choices)


def test_progress_and_matrices():
    ticks = []
    found = po.questions.multiverse(
        po.datasets.bonobos(), "He first", seed=1, progress=lambda n, of: ticks.append((n, of))
    )
    assert ticks[-1] == (5, 5)
    assert found.holds == 5
    assert {"elo", "dynamic"} & {*found.as_polars()["method"]} == set()
