"""Calibration, comparison of raters, home advantages and courses."""

import json

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.plot.files import picture
from tests.evaluation.leagues import league, plain_foresight


def test_bins_by_a_plain_loop():
    data = league(1, games=300, draws=0.5)
    predicted, _ = plain_foresight(data, 32.0)
    found = po.calibration(po.elo(data, k=32), bins=5)
    seen = [(p, s) if p >= 0.5 else (1 - p, 1 - s) for p, _, s in predicted]
    seen = [(p, 0.5 if p == 0.5 else s) for p, s in seen]
    error = 0.0
    for row in found.table.to_dicts():
        own = [
            (p, s)
            for p, s in seen
            if row["low"] <= p < row["high"] or (row["high"] == 1 and p == 1)
        ]
        assert row["contests"] == len(own)
        assert row["predicted"] == pytest.approx(np.mean([p for p, _ in own]))
        assert row["observed"] == pytest.approx(np.mean([s for _, s in own]))
        assert row["observed_low"] < row["observed"] < row["observed_high"]
        error += len(own) / len(data) * abs(row["predicted"] - row["observed"])
    assert found.error == pytest.approx(error)
    assert found.table["contests"].sum() == len(data)


@pytest.mark.parametrize(
    ("scale", "verdict"),
    [(400, "no evidence of"), (200, "were overconfident"), (900, "were underconfident")],
)
def test_the_slope_detects_over_and_underconfidence(scale, verdict):
    """True ratings, with the true scale, a steeper one and a flatter one."""
    random = np.random.default_rng(5)
    truth = random.normal(1000, 200, 12)
    a, b = random.integers(0, 12, 3000), random.integers(1, 12, 3000)
    b = (a + b) % 12
    first = random.random(3000) < 1 / (1 + 10 ** (-(truth[a] - truth[b]) / 400))
    names = np.array([f"x{i}" for i in range(12)])
    data = po.read((names[np.where(first, a, b)], names[np.where(first, b, a)]))
    start = dict(zip(names.tolist(), truth.tolist(), strict=True))
    found = po.calibration(po.elo(data, k=0, start=start, scale=scale))
    assert verdict in found.summary[0]
    assert found.value == pytest.approx(scale / 400, rel=0.12)
    assert found.low < scale / 400 < found.high


def test_the_home_side_shows_a_forgotten_advantage():
    data = league(2, games=2000, home=100)
    found = po.calibration(po.elo(data, k=10), side="home")
    assert found.bias > 0.08
    mended = po.calibration(po.elo(data, k=10), side="home", home_advantage=100)
    assert abs(mended.bias) < 0.03
    with pytest.raises(po.DataError, match="who was at home"):
        po.calibration(po.elo(po.datasets.adv()), side="home")
    with pytest.raises(ValueError, match="Choose one of: favorite, home"):
        po.calibration(po.elo(data), side="guest")


def test_no_slope_where_every_favorite_won():
    data = po.read([("a", "b"), ("b", "c"), ("a", "c")] * 3)
    ratings = po.elo(data, k=0, start={"a": 2000, "b": 1500, "c": 1000})
    found = po.calibration(ratings)
    assert found.value is None
    assert found.table["observed"].to_list() == [1.0, 1.0]


def test_the_plot_draws_every_bin_and_stays_the_same():
    found = po.calibration(po.elo(league(3, games=400), k=60), bins=6)
    axes = po.plot.calibration(found)
    numbers = [text.get_text() for text in axes.texts]
    assert numbers == [f"{n:,}" for n in found.table["contests"]]
    for name in ("a.svg", "a.pdf", "a.png"):
        one, two = (picture(lambda: po.plot.calibration(found), name) for _ in range(2))
        assert hash(one) == hash(two)
    assert b"Predicted win probability of the favorite" in picture(lambda: axes, "a.svg")
    with pytest.raises(TypeError, match="cannot draw the result of evaluate"):
        po.plot.calibration(po.evaluate(po.elo(po.datasets.adv()), runs=5))
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg or \.pdf"):
        picture(lambda: axes, "a.doc")


def test_raters_side_by_side_by_a_plain_loop():
    data = league(4, games=500, spread=200)
    raters = {
        "slow": po.elo(data, k=10),
        "wild": po.elo(data, k=300),
        "glicko": po.sport.glicko(data),
    }
    found = po.compare_models(raters, seed=0)
    assert found.by == "foresight"
    losses = {}
    for name, k in (("slow", 10.0), ("wild", 300.0)):
        predicted, _ = plain_foresight(data, k)
        losses[name] = np.array([-np.log(p) for p, *_ in predicted])
    by = {row["model"]: row for row in found.table.to_dicts()}
    assert by["wild"]["score"] == pytest.approx(-losses["wild"].sum())
    assert found.best is None  # not better than Glicko
    gap = losses["slow"] - losses["wild"]
    assert by["wild"]["difference"] == pytest.approx(gap.sum())
    alone = 1.96 * gap.std(ddof=1) * np.sqrt(500)  # wider, for three pairs of raters
    assert by["wild"]["low"] < gap.sum() - alone
    assert by["wild"]["p"] <= 0.05
    assert found.highest == "slow"
    assert "corrected for the choice among 3 models" in " ".join(found.summary)
    assert by["wild"]["high"] < 0
    assert any(
        text.startswith("“slow” predicts better than “wild” (difference in log score ")
        for text in found.summary
    )
    counted = po.compare_models(raters, measure="correct")
    ahead = [lead for _, lead, _ in plain_foresight(data, 10.0)[0]]
    scores = {row["model"]: row["score"] for row in counted.table.to_dicts()}
    assert scores["slow"] == sum(lead > 0 for lead in ahead)
    json.dumps(found.to_dict())


def test_what_cannot_be_compared():
    data = league(5, draws=1.0)
    elo, fit = po.elo(data), po.elo_ml(data, estimate="k")
    learned = po.compare_models({"elo": elo, "fit": fit})
    assert any('"elo": the probability of a tie was learned' in text for text in learned.summary)
    both = po.compare_models({"elo": elo, "fit": fit}, measure="correct")
    assert "Fits were estimated from these same contests" in both.summary[-1]
    with pytest.raises(po.DataError, match="the contests differ from those of"):
        po.compare_models({"a": elo, "b": po.elo(league(6))})
    post = po.elo_bayes(po.datasets.adv(), seed=1)
    with pytest.raises(ValueError, match="measure, skip and calibrate apply to"):
        po.compare_models({"a": post, "b": post}, measure="correct")
    labelled = po.read({**_columns(data), "season": ["1"] * len(data)})
    same = po.compare_models({"a": elo, "b": po.elo(labelled)})  # labels do not matter
    assert same.summary[0].endswith("predict equally well.")


def _columns(data):
    names = np.array(data.individuals)
    return {
        "winner": names[data.winner].tolist(),
        "loser": names[data.loser].tolist(),
        "draw": data.draw.astype(int).tolist(),
    }


def test_home_advantages_are_recovered():
    data = league(7, games=4000, teams=8, home=80)
    found = po.sport.home_advantages(po.elo(data, k=10), skip=500)
    assert found.low < 80 < found.high
    assert found.value == pytest.approx(80, abs=15)
    assert found.contests == 3500
    estimated = dict(zip(found.table["individual"], found.table["home_advantage"], strict=True))
    rated = po.elo(data, k=10, home_advantage=estimated)
    one = po.evaluate(rated, runs=10).foresight["log_loss"]
    assert one < po.evaluate(po.elo(data, k=10), runs=10).foresight["log_loss"]


def test_differences_in_home_advantage_are_detected():
    random = np.random.default_rng(1)
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": []}
    strong = {"t0": 400, "t1": 0, "t2": 0, "t3": -200, "t4": 100}
    for _ in range(4000):
        a, b = random.choice(5, 2, replace=False)
        p = 1 / (1 + 10 ** (-strong[f"t{a}"] / 400))
        won = random.random() < p
        cells = f"t{a}", f"t{b}", int(won), int(not won)
        for column, cell in zip(rows.values(), cells, strict=True):
            column.append(cell)
    ratings = po.elo(po.read(rows), k=0)
    found, alone = (
        po.sport.home_advantages(ratings),
        po.sport.home_advantages(ratings, pooled=False),
    )
    assert found.summary[1].startswith("The 5 sides differ in home advantage (p ")
    assert found.p_alike < 1e-6
    estimated = dict(zip(found.table["individual"], found.table["home_advantage"], strict=True))
    bare = dict(zip(alone.table["individual"], alone.table["home_advantage"], strict=True))
    for side, truth in strong.items():
        assert estimated[side] == pytest.approx(truth, abs=70)
        assert abs(estimated[side] - found.value) <= abs(bare[side] - found.value) + 1e-6
    assert found.table["individual"][0] == "t0"


def test_home_advantages_that_cannot_be_estimated():
    with pytest.raises(po.DataError, match="who was at home"):
        po.sport.home_advantages(po.elo(po.datasets.adv()))
    data = league(8, home=50)
    with pytest.raises(ValueError, match="updated with a home advantage"):
        po.sport.home_advantages(po.elo(data, home_advantage=50, home_in_update=True))
    with pytest.raises(ValueError, match="printed table"):
        po.sport.home_advantages(po.elo(data, curve="table"))
    rows = {"home": ["a", "b"], "away": ["b", "a"], "home_goals": [1, 1], "away_goals": [0, 0]}
    with pytest.raises(po.DataError, match="Every contest went the same way"):
        po.sport.home_advantages(po.elo(po.read(rows)))


def test_one_advantage_per_side_in_rating_and_prediction():
    data = league(9, home=50)
    mapping = {f"t{i}": 10.0 * i for i in range(6)}
    same = po.elo(data, home_advantage=dict.fromkeys(mapping, 30.0))
    plain = po.elo(data, home_advantage=30)
    assert np.allclose(same.history["expected"], plain.history["expected"])
    own = po.elo(data, home_advantage=mapping)
    ahead = own["t3"] - own["t1"]
    assert own.probability("t3", "t1", home="t3") == po.curves.Logistic()(ahead + 30)
    assert own.probability("t3", "t1", home="t1") == po.curves.Logistic()(ahead - 10)
    with pytest.raises(po.DataError, match='no value for "t5"'):
        po.elo(data, home_advantage={f"t{i}": 1 for i in range(5)})
    with pytest.raises(ValueError, match="finite numbers; check"):
        po.elo(data, home_advantage={"t0": float("nan")})
    fit = po.elo_ml(data, estimate=("k", "home_advantage"), scale=400)
    level = fit["t1"] - fit["t0"] + fit.home_advantage
    assert fit.probability("t1", "t0", home="t1") == pytest.approx(po.curves.Logistic()(level))


def test_win_share_counts_ties_half_and_stops_at_a_date():
    data = league(10, draws=1.0)
    found = po.sport.win_share(po.elo(data, k=30))
    won = {name: [0.0, 0] for name in data.individuals}
    for j in range(len(data)):
        drawn = bool(data.draw[j])
        for code, score in ((data.winner[j], 1.0), (data.loser[j], 0.0)):
            won[data.individuals[code]][0] += 0.5 if drawn else score
            won[data.individuals[code]][1] += 1
    for row in found.table.to_dicts():
        assert row["share"] == pytest.approx(won[row["individual"]][0] / won[row["individual"]][1])
        assert row["residual"] == pytest.approx(row["share"] - row["fitted"])
    half = po.sport.win_share(po.elo(data, k=30), until=60)
    assert half.table["contests"].sum() == 120
    with pytest.raises(ValueError, match="is before the first contest"):
        po.sport.win_share(po.elo(data), until=0)
    with pytest.raises(po.DataError, match="All ratings are equal"):
        po.sport.win_share(po.elo(data, k=0))


def test_a_course_names_all_or_some():
    ratings = po.elo(league(11), k=30)
    all_areas = po.sport.areas(ratings)
    assert set(all_areas.table["individual"]) == set(ratings.individuals)
    path = all_areas.trajectories.filter(pl.col("individual") == "t2")["rating"]
    assert path.to_list() == ratings.trajectory("t2")["rating"].to_list()
    two = po.sport.areas(ratings, individuals=["t1", "t2"])
    both = ratings.course.replay.after_each(np.array([ratings.code("t1"), ratings.code("t2")]))[1:]
    assert two.above["t1"]["t2"] == np.mean(both[:, 0] > both[:, 1])
    with pytest.raises(ValueError, match='"t9"'):
        po.sport.areas(ratings, individuals=["t9"])


def test_raters_with_other_targets_are_not_compared():
    data = league(12)
    raters = {"wins": po.elo(data, k=0), "points": po.elo(data, k=0, outcome="points")}
    with pytest.raises(po.DataError, match="expect wins and others a share of the points"):
        po.compare_models(raters, measure="brier")
    assert po.compare_models(raters, measure="correct").summary[0].endswith("predict equally well.")
    with pytest.raises(TypeError, match='no argument "meassure"'):
        po.compare_models(raters, meassure="correct")


@pytest.mark.parametrize("method", ["elo", "ml", "glicko"])
def test_home_advantages_minimize_the_loss_of_any_rater(method):
    data = league(13, games=400, home=80, draws=0.6)
    ratings = {
        "elo": lambda: po.elo(data, k=30),
        "ml": lambda: po.elo_ml(data, estimate="k", scale=400),
        "glicko": lambda: po.sport.glicko(data),
    }[method]()
    found = po.sport.home_advantages(ratings).value

    def loss(bonus):
        scores = po.evaluate(ratings, home_advantage=bonus, runs=1).foresight
        return scores["log_loss_ties" if method == "ml" else "log_loss"]

    assert loss(found) < min(loss(found - 3), loss(found + 3))


def test_points_vary_less_than_wins_and_intervals_are_narrower():
    errors = []
    for outcome in ("win", "points"):
        values, widths = [], []
        for seed in range(30):
            data = league(300 + seed, games=150, home=60)
            found = po.sport.home_advantages(po.elo(data, k=10, outcome=outcome))
            values.append(found.value)
            widths.append((found.high - found.low) / 3.92)
        errors.append(np.std(values, ddof=1) / np.mean(widths))
    assert errors == pytest.approx([1.0, 1.0], abs=0.4)


def test_a_course_of_all_with_seasons_and_double_names():
    data = league(14, seasons=3)
    ratings = po.elo(data, k=30, carry_over=0.5)
    found = po.sport.areas(ratings, individuals=["t1", "t1", "t2"])
    assert found.table.height == 2
    row = next(row for row in found.table.to_dicts() if row["individual"] == "t1")
    assert row["area"] == pytest.approx(ratings.integral("t1"))
    with pytest.raises(ValueError, match="individuals is empty"):
        po.sport.areas(ratings, individuals=[])


def test_lagging_ratings_do_not_bias_home_advantages():
    """All have the same advantage; slow ratings must not make strong sides appear strong at home."""
    p_values = [
        po.sport.home_advantages(
            po.elo(league(400 + s, games=300, home=60, spread=250), k=8)
        ).p_alike
        for s in range(20)
    ]
    assert sum(p < 0.05 for p in p_values) <= 4  # 5 of 20 have probability 0.003


def test_shares_of_points_are_more_informative_than_wins():
    data = league(15, games=400, spread=200)
    ratings = po.elo(data, k=40, outcome="points")
    found = po.calibration(ratings, bins=4)
    predicted, _ = plain_foresight(data, 40.0, points=True)
    seen = [(p, s) if p >= 0.5 else (1 - p, 1 - s) for p, _, s in predicted]
    row = max(found.table.to_dicts(), key=lambda row: row["contests"])
    own = [s for p, s in seen if row["low"] <= p < row["high"]]
    error = np.std(own) / np.sqrt(len(own))
    assert row["observed_high"] - row["observed_low"] == pytest.approx(3.92 * error, rel=0.1)


def test_without_an_order_there_is_no_foresight():
    with pytest.warns(po.DataWarning):
        ratings = po.elo(po.datasets.bonobos())
    found = po.evaluate(ratings)
    assert found.foresight is None
    assert found.hindsight["correct"] > 0
    assert found.table["view"].to_list() == ["hindsight"]
    assert "The order of these contests is unknown" in found.summary[0]
    with pytest.raises(po.DataError, match="Foresight needs contests in order"):
        po.calibration(ratings)
    with pytest.raises(po.DataError, match="Foresight needs contests in order"):
        po.tune(po.datasets.bonobos())
    with pytest.raises(po.DataError, match="Foresight needs contests in order"):
        po.compare_models({"a": ratings, "b": ratings})


def test_everything_can_be_cited():
    data = league(16, games=60)
    ratings = po.elo(data)
    with pytest.warns(po.DataWarning):
        tuned = po.tune(data, over={"k": (0, 300)})
    for found in (
        tuned,
        po.evaluate(ratings, runs=5),
        po.calibration(ratings),
        po.sport.win_share(ratings),
        po.sport.areas(ratings),
        po.sport.home_advantages(ratings),
        po.predict(ratings, fixtures=[("t0", "t1")]),
    ):
        assert "{" not in found.cite()
        assert "peckorder" in found.cite()
    assert "rater = elo (k 100" in po.evaluate(ratings, runs=5).cite()
    with pytest.raises(TypeError, match="This order gives no winning probabilities"):
        po.evaluate(po.isi(data))


def test_contests_are_skipped_by_number_or_date():
    rows = {
        "winner": list("abab"),
        "loser": list("baba"),
        "date": ["2024-01-01", "2024-01-02", "2024-02-01", "2024-02-02"],
    }
    ratings = po.elo(po.read(rows))
    by_date = po.evaluate(ratings, skip="2024-02-01", runs=5).foresight
    assert by_date == po.evaluate(ratings, skip=2, runs=5).foresight
    with pytest.raises(po.DataError, match="leaves none of the 4 contests"):
        po.evaluate(ratings, skip="2025-01-01")


def test_bold_ratings_spoil_the_test_of_equal_home_advantages():
    """Of 20 leagues with one advantage for all, those with bold ratings are not called different."""
    said = []
    for seed in range(20):
        ratings = po.elo(league(seed, teams=8, games=300, spread=60, home=60), k=150)
        said.append(po.sport.home_advantages(ratings))
    rejected = [one for one in said if one.p_alike < 0.05]
    assert len(rejected) >= 2
    assert not any(one.summary[1].startswith("The 8 sides differ") for one in rejected)
    assert all("too bold" in one.summary[1] for one in rejected)
