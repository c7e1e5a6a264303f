"""Tuned Glicko: the optimum of an exhaustive grid by the plain version, and what is refused."""

import json
import math

import numpy as np
import pytest

import peckorder as po
from tests import glicko_twin
from tests.evaluation.leagues import league

pytestmark = pytest.mark.filterwarnings("ignore::peckorder.DataWarning")


def plain_loss(data, rater, first=0, home=0.0, **settings):
    """Mean log loss of the predictions of Glicko, written down a second time."""
    names = data.individuals
    contests = []
    for j in range(len(data)):
        drawn = data.draw is not None and bool(data.draw[j])
        bonus = 0.0 if data.home is None else home * float(data.home[j])
        pair = names[data.winner[j]], names[data.loser[j]]
        contests.append((j, *pair, 0.5 if drawn else 1.0, bonus))
    _, records = getattr(glicko_twin, rater)(contests, start=2200.0, **settings)
    losses = [
        -(s * math.log(one.expected) + (1 - s) * math.log(1 - one.expected))
        for one, (_, _, _, s, _) in zip(records, contests, strict=True)
    ]
    return float(np.mean(losses[first:]))


def best_of(found):
    return dict(zip(found.table["parameter"], found.table["best"], strict=True))


def test_the_optimum_is_that_of_an_exhaustive_grid():
    data = league(1, games=120, draws=0.4)
    found = po.tune(data, rater="glicko", runs=20)
    grid = [(d, c) for d in (40, 80, 120, 180, 260, 340) for c in (0, 2, 5, 10, 20, 40)]
    losses = [plain_loss(data, "glicko", deviation=d, c=c, max_deviation=350) for d, c in grid]
    assert found.log_loss <= min(losses) + 1e-12
    best = best_of(found)
    exact = plain_loss(data, "glicko", deviation=best["deviation"], c=best["c"], max_deviation=350)
    assert found.log_loss == pytest.approx(exact, rel=1e-10)
    usual = plain_loss(data, "glicko", deviation=300, c=15, max_deviation=350)
    assert found.default_log_loss == pytest.approx(usual, rel=1e-10)
    listed = {"deviation": [40, 80, 120, 180, 260, 340], "c": [0, 2, 5, 10, 20, 40]}
    chosen = best_of(po.tune(data, rater="glicko", over=listed, runs=20))
    near = grid[int(np.argmin(losses))]
    assert (chosen["deviation"], chosen["c"]) == pytest.approx(near)
    again = po.sport.glicko(data, **found.values["settings"])
    assert po.evaluate(again, runs=5).foresight["log_loss"] == pytest.approx(found.log_loss)


def test_glicko2_and_home_advantage_equal_the_plain_version():
    data = league(4, games=120, home=80)
    values = {"deviation": [80, 250], "volatility": [0.02, 0.2], "home_advantage": [0.0, 80.0]}
    found = po.tune(data, rater="glicko2", over=values, tau=0.6, runs=20)
    grid = [
        (d, v, h)
        for d in values["deviation"]
        for v in values["volatility"]
        for h in values["home_advantage"]
    ]
    losses = [
        plain_loss(data, "glicko2", home=h, deviation=d, volatility=v, tau=0.6, max_deviation=350)
        for d, v, h in grid
    ]
    best = best_of(found)
    assert tuple(best.values()) == grid[int(np.argmin(losses))]
    assert found.log_loss == pytest.approx(min(losses), rel=1e-9)
    assert found.values["settings"]["tau"] == 0.6


def test_held_out_contests_do_not_affect_the_choice_and_are_reported():
    data = league(3, games=200)
    table = data.to_table().select("winner", "loser")
    late = np.arange(200) >= 140
    swapped = table.with_columns(
        winner=np.where(late, table["loser"], table["winner"]),
        loser=np.where(late, table["winner"], table["loser"]),
    )
    one, two = (
        po.tune(po.read(rows), rater="glicko", test_from=141, runs=50) for rows in (table, swapped)
    )
    assert best_of(one) == best_of(two)
    assert one.test["log_loss"] != two.test["log_loss"]
    best = best_of(one)
    settings = {"deviation": best["deviation"], "c": best["c"], "max_deviation": 350}
    later = plain_loss(po.read(table), "glicko", first=140, **settings)
    assert one.test["log_loss"] == pytest.approx(later, rel=1e-10)
    assert "Report this result." in one.summary[1]
    assert "optimistic" in po.tune(po.read(table), rater="glicko", runs=50).summary[1]


def test_the_limit_grows_with_the_deviation_unless_it_is_given():
    data = po.datasets.adv()
    found = po.tune(data, rater="glicko", over={"deviation": [400, 800]}, runs=20)
    settings = found.values["settings"]
    assert settings["max_deviation"] == settings["deviation"] >= 400
    held = po.tune(data, rater="glicko", max_deviation=200, deviation=200, runs=20)
    assert best_of(held)["deviation"] <= 200
    with pytest.raises(po.ArgumentError, match="deviation must not be above max_deviation"):
        po.tune(data, rater="glicko", over={"deviation": (100, 800)}, max_deviation=500)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"over": "k"}, '"k" cannot be tuned. Choose from: deviation, c, home_advantage'),
        ({"k": 20}, "glicko has no argument k"),
        ({"over": {"c": (-1, 5)}}, "c must be ≥ 0"),
        ({"over": {"deviation": (0, 5)}}, "deviation must be > 0"),
        ({"over": "home_advantage"}, "who was at home"),
        ({"deviation": {"a": 3.0}}, "needs a single number"),
        ({"rater": "trueskill"}, "glicko2"),
        ({"rater": "elo", "deviation": 30}, 'setting of Glicko: also give rater="glicko"'),
    ],
)
def test_what_is_refused(settings, text):
    with pytest.raises((ValueError, TypeError), match=text):
        po.tune(po.datasets.adv(), **({"rater": "glicko"} | settings))


def test_at_the_shell(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    flags = ("--rater", "glicko", "--over", "deviation=100:600,c=0/15/60", "--runs", "20")
    done = inside("tune", "adv.csv", *flags, "--format", "json")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)["result"]["table"]
    over = {"deviation": (100, 600), "c": [0, 15, 60]}
    wanted = po.tune(po.datasets.adv(), rater="glicko", over=over, runs=20).table.to_dicts()
    assert [row["best"] for row in table] == pytest.approx([row["best"] for row in wanted])
    done = inside("tune", "adv.csv", "--rater", "glicko", "--k", "20")
    assert b"glicko has no argument --k" in done.stderr
