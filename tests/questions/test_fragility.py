"""What a claim hangs on: numbers of the shipped data, brute force, and properties."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.kernels import strengths as kernel
from peckorder.questions import claims


def plain_fit(wins, sd):
    """Newton's method with numpy for the posterior mode of Bradley–Terry strengths."""
    x = np.zeros(len(wins))
    for _ in range(50):
        chance = 1 / (1 + np.exp(x - x[:, None]))
        number = wins + wins.T
        information = number * chance * (1 - chance)
        curvature = np.diag(information.sum(axis=1) + sd**-2) - information
        step = np.linalg.solve(curvature, (wins - number * chance).sum(axis=1) - x / sd**2)
        x = x + step * min(1, 2 / max(np.abs(step).max(), 1e-12))
    return x


def kernel_fit(wins, sd):
    x = np.zeros(len(wins))
    kernel.fit(wins, sd, x, np.empty_like(wins), np.empty((len(wins), 1)))
    return x


def first_by(data, places):
    """Who is first by the public Bradley–Terry without some contests."""
    left = data.take(np.setdiff1d(np.arange(len(data)), places))
    return next(iter(po.bradley_terry(left, penalized=True, errors=False)))


def test_the_fit_is_that_of_newton_and_of_bradley_terry():
    wins = po.datasets.bonobos().matrix().wins.astype(float)
    assert np.allclose(kernel_fit(wins, 2.0), plain_fit(wins, 2.0), atol=1e-9)
    table = po.bradley_terry(po.datasets.bonobos(), penalized=True, prior_sd=2).as_polars()
    ability = dict(zip(table["individual"], table["ability"], strict=True))
    x = kernel_fit(wins, 2.0)
    expected = [ability[name] for name in po.datasets.bonobos().individuals]
    assert np.allclose(x - x.mean(), expected, atol=1e-6)


def test_one_contest_of_adv_decides_who_is_first():
    found = po.questions.fragility(po.datasets.adv(), "b first", seed=1)
    assert (found.value, found.contests, found.proved, found.reversals) == (1, 1, True, 1)
    row = found.as_polars().row(0, named=True)
    assert (row["row"], row["winner"], row["loser"]) == (33, "b", "c")  # the 32nd contest
    assert abs(found.random_same - 2 / 33) < 0.04  # b beat c in two contests
    assert abs(found.probability - 0.58) < 0.03
    assert first_by(po.datasets.adv(), [31]) == "c"


@pytest.mark.parametrize("k", [50, 100, 200])
def test_elo_hangs_on_the_same_contest(k):
    found = po.questions.fragility(po.datasets.adv(), "b first", method="elo", k=k, runs=20, seed=1)
    assert (found.value, found.as_polars()["row"].to_list()) == (1, [33])


def test_dynamic_ratings_hang_on_it_too():
    found = po.questions.fragility(po.datasets.adv(), "b > c", method="dynamic", runs=20, seed=1)
    assert found.value == 1
    assert abs(found.probability - 0.69) < 0.03
    assert abs(found.probability_after - 0.38) < 0.06


def test_published_matrices():
    bonobos = po.questions.fragility(po.datasets.bonobos(), "He first", seed=1)
    row = bonobos.as_polars().row(0, named=True)
    assert (bonobos.value, row["winner"], row["loser"]) == (1, "Re", "Dz")
    assert abs(bonobos.probability - 0.77) < 0.06
    table3 = po.questions.fragility(po.datasets.table3(), "c first", seed=1)
    assert (table3.value, table3.proved, table3.reversals) == (2, True, 1)


@pytest.mark.parametrize(("name", "number"), [("bonobos", 2), ("table3", 6)])
def test_linearity_hangs_on_few_contests(name, number):
    assert (
        po.questions.fragility(getattr(po.datasets, name)(), "linear", runs=20, seed=1).value
        == number
    )


def test_steepness_of_adv():
    data = po.datasets.adv()
    found = po.questions.fragility(data, "steep", runs=20, seed=1)
    gone = found.as_polars()["row"].to_numpy() - 2
    left = data.take(np.setdiff1d(np.arange(33), gone))
    assert po.steepness(data, seed=3).values["p"] < 0.02
    with pytest.warns(po.DataWarning, match="unknown"):
        assert po.steepness(left, seed=3).values["p"] > 0.045


def test_the_smallest_set_is_that_of_brute_force():
    for seed in range(4):
        truth = po.simulate.hierarchy(individuals=5, contests=24, seed=seed)[1]
        order = list(po.bradley_terry(truth, penalized=True, errors=False))
        found = po.questions.fragility(truth, f"{order[0]} first", runs=20, seed=1)
        assert found.proved
        first = truth.individuals.index(order[0])
        for size in range(1, min(found.value, 3)):
            for places in combinations(range(len(truth)), size):
                left = np.delete(np.arange(len(truth)), places)
                wins = np.zeros((5, 5))
                np.add.at(wins, (truth.winner[left], truth.loser[left]), 1)
                assert kernel_fit(wins, 2.0).argmax() == first
        gone = found.as_polars()["row"].to_numpy()
        places = [int(np.flatnonzero(truth.row_of(np.arange(len(truth))) == n)[0]) for n in gone]
        assert first_by(truth, places) != order[0]


def test_units_are_removed_as_a_whole():
    adv = po.datasets.adv().frame()
    data = po.read(adv.with_columns(observer=pl.Series(["x", "y", "z"] * 11)))
    found = po.questions.fragility(data, "b first", unit="observer", runs=20, seed=1)
    assert (found.as_polars()["unit"].to_list(), found.contests) == (["x"], 11)
    left = np.setdiff1d(np.arange(33), np.arange(0, 33, 3))
    assert next(iter(po.bradley_terry(data.take(left), penalized=True, errors=False))) != "b"
    two = po.questions.fragility(data, "b first", unit="individual", runs=20, seed=1)
    assert two.value == two.as_polars().height
    assert "b" not in two.as_polars()["unit"].to_list()
    with pytest.raises(po.ArgumentError, match='no "watcher".*individual, date, observer'):
        po.questions.fragility(data, "b first", unit="watcher")


def test_ties_count_half():
    rows = [("a", "b", 0)] * 3 + [("b", "a", 0)] * 2 + [("a", "b", 1)] * 4 + [("b", "c", 0)]
    columns = dict(zip(("winner", "loser", "tie"), zip(*rows, strict=True), strict=True))
    data = po.read({name: list(cells) for name, cells in columns.items()}, tie="tie")
    found = po.questions.fragility(data, "a > b", runs=20, seed=1)
    assert found.value is not None
    assert found.margin > 0


@pytest.mark.parametrize(
    ("claim", "kind", "above", "below"),
    [
        ("b first", "order", (0,), ()),
        ("  b  ranks   first ", "order", (0,), ()),
        ("b > c", "order", (0,), (1,)),
        ("b>c", "order", (0,), (1,)),
        ("top 2: b c", "order", (0, 1), ()),
        ("top 2: b, c", "order", (0, 1), ()),
        ("Steep", "steep", (), ()),
        ("steepness > 0.5", "steepness", (), ()),
    ],
)
def test_the_grammar(claim, kind, above, below):
    found = claims.parse(claim, po.datasets.adv())
    assert (found.kind, found.above, found.below) == (kind, above, below)


def test_names_with_blanks_and_signs():
    data = po.read({"winner": ["Old Abe", "A > B"], "loser": ["A > B", "Cy first"]})
    assert claims.parse("Old Abe > A > B", data).below == (1,)
    assert claims.parse("Cy first first", data).above == (2,)
    assert claims.parse("top 2: Old Abe, A > B", data).above == (0, 1)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("c first", 'does not hold: b ranks first by Bradley–Terry .*"b first"'),
        ("a > b", 'b ranks above a by Bradley–Terry.*"b > a"'),
        ("top 2: a b", 'the top 2 by Bradley–Terry are b and c .*"top 2: b, c"'),
        ("steepness > 0.9", "steepness is 0.386"),
        ("linear", "h′ = 0.554, p = 0.23"),
        ("bb first", 'Did you mean "b"'),
        ("b best", "is no claim. Write one such as"),
        ("b > b", "two different individuals"),
        ("top 3: a b", "name 3 different individuals"),
    ],
)
def test_claims_that_cannot_be_examined(claim, message):
    with pytest.raises(po.ArgumentError, match=message):
        po.questions.fragility(po.datasets.adv(), claim)


def test_what_no_contest_decides():
    data = po.read({"winner": ["a", "c", "a", "c"], "loser": ["b", "d", "b", "d"]})
    with pytest.raises(po.DataError, match="there are none between"):
        po.questions.fragility(data, "a first")
    assert po.questions.fragility(data, "a > b", runs=20, seed=1).value is None
    with pytest.raises(po.DataError, match="order of contests"):
        po.questions.fragility(po.datasets.bonobos(), "He first", method="elo")


def test_results_repeat_and_report_progress():
    ticks = []
    one, other = (
        po.questions.fragility(
            po.datasets.adv(), "b first", seed=4, progress=lambda n, of: ticks.append((n, of))
        )
        for _ in range(2)
    )
    assert one.values == other.values
    assert ticks[-1] == (10, 10)
    assert po.plot.fragility.data(one)["contests"].to_list() == [0, 1, 2, 3, 4]


def test_equal_strengths_are_called_equal_despite_rounding():
    data = po.read(
        {
            "winner": list("abacbabac"),
            "loser": list("bccaaccbb"),
            "draw": [False, True, False, False, True, False, False, False, False],
            "observer": list("xyzxyxzyx"),
        }
    )
    found = po.questions.fragility(data, "a first", unit="observer", seed=1)
    assert found.as_polars()["margin"][-1] == pytest.approx(0, abs=1e-12)
    assert "c would rank as high" in found.summary[0]
