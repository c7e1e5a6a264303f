"""Tuning: the optimum of an exhaustive grid, recovery of the truth, and warnings."""

import warnings

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.evaluation.leagues import league, plain_foresight

pytestmark = pytest.mark.filterwarnings("ignore::peckorder.DataWarning")


def mean_loss(data, k, **settings):
    predicted, _ = plain_foresight(data, k, **settings)
    return np.mean([-(s * np.log(p) + (1 - s) * np.log(1 - p)) for p, _, s in predicted])


def best_of(found):
    return dict(zip(found.table["parameter"], found.table["best"], strict=True))


def test_the_optimum_is_that_of_an_exhaustive_grid():
    data = league(1, games=300, home=70)
    found = po.tune(data, over=("k", "home_advantage"))
    grid = [(k, h) for k in np.linspace(0, 120, 25) for h in np.linspace(-20, 160, 19)]
    losses = [mean_loss(data, k, home=h) for k, h in grid]
    assert found.log_loss <= min(losses) + 1e-12
    best = best_of(found)
    assert found.log_loss == pytest.approx(
        mean_loss(data, best["k"], home=best["home_advantage"]), rel=1e-12
    )
    assert found.default_log_loss == pytest.approx(mean_loss(data, 100.0), rel=1e-12)
    near = grid[int(np.argmin(losses))]
    assert best["k"] == pytest.approx(near[0], abs=12)
    assert best["home_advantage"] == pytest.approx(near[1], abs=25)
    again = po.elo(data, **found.values["settings"])
    assert po.evaluate(again, runs=5).foresight["log_loss"] == pytest.approx(found.log_loss)


def test_intervals_end_where_the_profile_crosses_the_threshold():
    data = league(2, games=300)
    found = po.tune(data, over={"k": (0, 300)})
    row = found.table.row(0, named=True)
    for end in (row["low"], row["high"]):
        if 0 < end < 300:
            gap = 300 * (mean_loss(data, end) - found.log_loss)
            assert gap == pytest.approx(1.92, abs=0.02)
    profile = found.profile
    assert profile["loss"].min() == pytest.approx(found.log_loss)
    assert profile["value"].is_sorted()
    value, loss = profile.row(7)[1:]
    assert loss == pytest.approx(mean_loss(data, value))


@pytest.mark.slow
def test_the_truth_is_covered():
    """Data simulated with k = 40 and a home advantage of 60."""
    hits = {"k": 0, "home_advantage": 0}
    number = 12
    for seed in range(number):
        data = league(100 + seed, games=600, k=40, spread=0, home=60)
        found = po.tune(data, over={"k": (0, 200), "home_advantage": (-100, 200)}, runs=10)
        for row in found.table.to_dicts():
            truth = {"k": 40, "home_advantage": 60}[row["parameter"]]
            hits[row["parameter"]] += row["low"] <= truth <= row["high"]
    assert min(hits.values()) >= 9  # of 95% intervals: fewer have probability 2e-4


def test_held_out_contests_do_not_affect_the_choice():
    data = league(3, games=300)
    table = data.to_table()
    swapped = table.with_columns(
        winner=np.where(np.arange(300) < 200, table["winner"], table["loser"]),
        loser=np.where(np.arange(300) < 200, table["loser"], table["winner"]),
    )
    other = po.read(swapped.select("winner", "loser"))
    same = po.read(table.select("winner", "loser"))
    one, two = (po.tune(d, over=("k",), test_from=201) for d in (same, other))
    assert best_of(one) == best_of(two)
    assert one.log_loss == two.log_loss
    assert one.test["contests"] == 100
    assert one.test["log_loss"] != two.test["log_loss"]
    predicted, _ = plain_foresight(same, best_of(one)["k"])
    assert one.test["log_loss"] == pytest.approx(np.mean([-np.log(p) for p, *_ in predicted[200:]]))
    assert "held-out contests" in one.summary[1]
    skipped = po.tune(same, over=("k",), test_from=201, skip=50)
    assert skipped.contests == 150


def test_test_period_must_not_be_empty():
    data = league(4)
    with pytest.raises(ValueError, match="test_from=500: the test period is empty"):
        po.tune(data, test_from=500)
    with pytest.raises(ValueError, match="no contest is left for tuning"):
        po.tune(data, test_from=1)
    with pytest.raises(ValueError, match="after the 60 contests skipped"):
        po.tune(data, test_from=50, skip=60)
    dated = po.read(
        {"winner": list("ab"), "loser": list("ba"), "date": ["2024-01-01", "2024-02-01"]}
    )
    with pytest.raises(ValueError, match="the last contest is 2024-02-01"):
        po.tune(dated, test_from="2025-01-01")


def test_k_by_context_carry_over_and_choices():
    data = league(5, games=240, seasons=4)
    found = po.tune(data, k="context", over=("k", "carry_over"))
    assert found.table["parameter"].to_list() == ["k[a]", "k[b]", "k[c]", "carry_over"]
    settings = found.values["settings"]
    assert set(settings["k"]) == {"a", "b", "c"}
    loss = po.evaluate(po.elo(data, **settings), runs=5).foresight["log_loss"]
    assert loss == pytest.approx(found.log_loss)
    assert found.log_loss <= po.tune(data, over=("k",)).log_loss + 1e-6
    margins = po.tune(data, over={"k": [10, 20, 40], "margin": None})
    assert set(margins.table["parameter"]) == {"k", "margin"}
    by_hand = min(
        po.evaluate(po.elo(data, k=k, margin=margin), runs=5).foresight["log_loss"]
        for k in (10, 20, 40)
        for margin in (None, "log", "football")
    )
    assert margins.log_loss == pytest.approx(by_hand)


def test_entry_of_newcomers_can_be_tuned():
    data = league(6, games=200).with_presence("inferred")
    found = po.tune(data, over=("k", "entry"))
    chosen = best_of(found)["entry"]
    assert chosen in ("start", "mean", "bottom", "bottom_low")
    losses = {
        entry: po.evaluate(
            po.elo(data, k=float(best_of(found)["k"]), entry=entry), runs=5
        ).foresight["log_loss"]
        for entry in ("start", "mean", "bottom", "bottom_low")
    }
    assert losses[chosen] == pytest.approx(min(losses.values()))


def test_accuracy_and_brier():
    data = league(7, games=300, home=80)
    found = po.tune(data, over={"home_advantage": (0, 200)}, criterion="accuracy", k=20)
    shares = [
        po.evaluate(po.elo(data, k=20, home_advantage=h), runs=5).foresight["share"]
        for h in np.linspace(0, 200, 41)
    ]
    assert found.share >= max(shares) - 1e-12
    row = found.table.row(0, named=True)
    assert row["low"] <= row["best"] <= row["high"]
    brier = po.tune(data, over=("k",), criterion="brier")
    briers = [po.evaluate(po.elo(data, k=k), runs=5).foresight["brier"] for k in (5, 20, 50, 100)]
    assert brier.brier <= min(briers)


def test_robust_intervals_of_points_are_narrower_and_cover():
    """Scores by points vary less than wins, which the plain threshold ignores."""
    data = league(8, games=400)
    wins = po.tune(data, over={"k": (0, 400)}).table.row(0, named=True)
    points = po.tune(data, over={"k": (0, 400)}, outcome="points").table.row(0, named=True)
    wide, narrow = (row["high"] ** 0.5 - row["low"] ** 0.5 for row in (wins, points))
    assert 0 < narrow < wide


@pytest.mark.filterwarnings("default::peckorder.DataWarning")
def test_warnings_of_bounds_noise_and_nonidentifiability():
    coin = po.read([("a", "b"), ("b", "a")] * 60)  # the loser always wins the next contest
    with pytest.warns(po.DataWarning, match="The best k is 0, the end of its range"):
        found = po.tune(coin, over=("k",))
    assert found.table["at_bound"].to_list() == [True]
    assert found.log_loss == pytest.approx(np.log(2))
    with pytest.warns(po.DataWarning, match="at an end of its range"):
        po.tune(league(9, spread=300), over={"k": (1, 5)})
    with pytest.warns(po.DataWarning, match="No significant gain over the default"):
        po.tune(po.datasets.adv(), over=("k",))
    with pytest.warns(
        po.DataWarning, match="k, home_advantage and scale are not jointly identifiable"
    ):
        three = po.tune(league(10, games=60), over=("k", "scale", "home_advantage"), runs=10)
    two = po.tune(league(10, games=60), over=("k", "home_advantage"), runs=10)
    assert three.log_loss == pytest.approx(two.log_loss, abs=1e-7)
    assert best_of(three)["scale"] == 400
    own = {
        f"t{i}": 900.0 + 40 * i for i in range(6)
    }  # with unequal starts the scale is identifiable
    tuned = po.tune(league(10, games=60), over=("k", "scale"), start=own, runs=10)
    assert tuned.table["low"].null_count() == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", po.DataWarning)
        sure = po.tune(league(11, games=2000, spread=300), over=("k",), k=3)
    assert sure.low > 0


def test_the_same_on_any_number_of_threads():
    data = league(12)
    one, two = (po.tune(data, over=("k", "home_advantage"), seed=1, threads=n) for n in (1, 2))
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"over": ("q",)}, ValueError, "cannot be tuned. Choose from: k, scale"),
        ({"over": ()}, ValueError, "cannot be tuned"),
        ({"over": {"k": (5, 5)}}, ValueError, "contains only 5"),
        ({"over": {"k": (-5, 5)}}, ValueError, "must be ≥ 0"),
        ({"over": {"k": "many"}}, ValueError, "a pair (low, high) or a list"),
        ({"over": {"carry_over": (0, 2)}}, po.DataError, "needs several seasons"),
        ({"over": {"scale": (0, 5)}}, ValueError, "scale must be > 0"),
        ({"over": ("delta",)}, ValueError, "delta is not a parameter of the logistic curve"),
        ({"over": ("scale",), "curve": "table"}, ValueError, "it has no parameter"),
        ({"over": ("entry",)}, po.DataError, "identified by presence"),
        ({"over": {"entry": ["top"], "k": None}, "presence": "inferred"}, ValueError, "not known"),
        ({"over": ("k",), "k": "fide"}, ValueError, "set by a rule"),
        ({"over": ("scale",), "k": "context"}, ValueError, "add k to over"),
        ({"criterion": "luck"}, ValueError, "Choose one of: log_loss, brier, accuracy"),
        ({"over": ("k",), "knob": 3}, TypeError, "no argument 'knob'"),
    ],
)
def test_what_cannot_be_tuned(arguments, error, text):
    with pytest.raises(error) as caught:
        po.tune(league(13), **arguments)
    assert text in str(caught.value)


def test_data_that_lack_what_is_tuned():
    data = po.datasets.adv()
    with pytest.raises(po.DataError, match="who was at home"):
        po.tune(data, over=("home_advantage",))
    with pytest.raises(po.DataError, match="needs a context"):
        po.tune(data, k="context")
    with pytest.raises(po.DataError, match="margin needs points"):
        po.tune(data, over=("margin",))
    with pytest.raises(TypeError, match="tune needs data from peckorder.read"):
        po.tune(po.elo(data))


def test_intervals_at_a_bound_are_not_those_of_a_flat_coordinate():
    """Near k = 0 the slope in the coordinate √k is 0, which must not shrink the interval."""
    data = po.read([("a", "b"), ("b", "a")] * 60)
    plain = po.tune(data).table.row(0, named=True)
    brier = po.tune(data, criterion="brier").table.row(0, named=True)
    assert plain["best"] == brier["best"] == 0
    assert plain["high"] / 3 < brier["high"] < plain["high"] * 3


def test_no_margin_can_be_the_best_under_a_preset():
    rows = league(14, games=150).to_table().with_columns(context=pl.lit("friendly"))
    data = po.read(rows.drop("draw"))
    found = po.tune(
        data,
        over={"home_advantage": (0, 200), "margin": ["none", "football"]},
        preset="WorldFootball",
    )
    again = po.evaluate(po.elo(data, **found.values["settings"]), runs=5).foresight["log_loss"]
    assert again == pytest.approx(found.log_loss)
    assert found.log_loss == pytest.approx(found.profile["loss"].min())
    assert found.values["settings"]["margin"] in ("none", "football")


def test_choices_alone_can_be_tuned():
    data = league(15, games=200)
    found = po.tune(data, over=("margin",))
    assert best_of(found)["margin"] in ("none", "log", "football")
    entry = po.tune(data, over=("entry",), presence="inferred")
    assert entry.table.height == 1


def test_a_context_only_held_out_keeps_its_default():
    table = league(16, games=200).to_table()
    late = pl.when(pl.int_range(200) >= 150).then(pl.lit("late")).otherwise(pl.lit("early"))
    data = po.read(table.drop("draw").with_columns(context=late))
    found = po.tune(data, k="context", test_from=151)
    assert found.table["parameter"].to_list() == ["k[early]"]
    assert found.values["settings"]["k"]["late"] == 100
    assert any("stays at 100" in word for word in found.summary)


def test_k_is_not_identifiable_if_all_is_burn_in():
    with pytest.warns(po.DataWarning, match="k is not identifiable"):
        po.tune(po.datasets.adv(), preset="EloOptimized")


def test_settings_with_several_values_are_refused():
    data = league(17)
    with pytest.raises(ValueError, match='one value per context here: tune them with k="context"'):
        po.tune(data, k={"a": 1, "b": 2, "c": 3})
    with pytest.raises(ValueError, match="a pair or a list"):
        po.tune(data, k=(20, 10))
    with pytest.raises(ValueError, match="one value per side here"):
        po.tune(data, over="home_advantage", home_advantage={f"t{i}": 1 for i in range(6)})
    with pytest.raises(ValueError, match="from low to high"):
        po.tune(data, over={"k": (200, 0)})
