"""Foresight and hindsight: the chapter's counts, and plain loops over the definitions."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder import tables
from tests.evaluation.leagues import league, plain_foresight

ROOT = Path(__file__).parent.parent.parent
NFL = {"scale": 1000, "start": 0}
VARIABLE = {"usual": 32, "late": 16, "playoff": 64}


@pytest.fixture(scope="module")
def nfl(paper_file):
    late, playoff = pl.col("week") >= 16, pl.col("playoff") == 1
    stage = pl.when(playoff).then(pl.lit("playoff")).when(late).then(pl.lit("late"))
    games = pl.read_csv(paper_file("nfl2009.csv"))
    return po.read(
        games.with_columns(stage.otherwise(pl.lit("usual")).alias("stage")), context="stage"
    )


def correct(ratings, home):
    found = po.evaluate(ratings, home_advantage=home, runs=10)
    return found.hindsight["correct"], found.foresight["correct"]


@pytest.mark.paper_data
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("winloss_K32", {"k": 32}),
        ("scores_K32", {"k": 32, "outcome": "points"}),
        ("scores_K32_16_64", {"k": VARIABLE, "outcome": "points"}),
    ],
)
def test_the_three_tables_of_the_chapter(nfl, papers, name, settings):
    ratings = po.elo(nfl, **settings, **NFL)
    table = papers["nfl"]["tables"][name]
    assert len(table) == 32
    for team, numbers in table.items():
        assert float(f"{ratings[team]:.5g}") == pytest.approx(numbers["published"], rel=1e-12)
    published = sorted(table, key=lambda team: -table[team]["published"])
    assert list(ratings) == published


@pytest.mark.paper_data
def test_hindsight_and_foresight_counts_of_the_chapter(nfl):
    wins = po.elo(nfl, k=32, **NFL)
    scores = po.elo(nfl, k=32, outcome="points", **NFL)
    variable = po.elo(nfl, k=VARIABLE, outcome="points", **NFL)
    assert correct(wins, 0)[0] == 201
    assert correct(wins, 15)[1] == 166
    assert correct(scores, 15) == (194, 175)
    assert correct(variable, 0)[0] == 194
    assert correct(variable, 9.5)[1] == 176
    assert correct(variable, 17)[0] == 197  # the book has H = 0 as the best


@pytest.mark.paper_data
def test_win_share_and_areas_of_the_chapter(nfl):
    line = po.sport.win_share(po.elo(nfl, k=32, **NFL), until="2010-01-03")
    assert line.correlation == pytest.approx(0.99210, abs=5e-6)
    assert line.slope == pytest.approx(0.0022268, abs=5e-8)
    assert line.intercept == pytest.approx(0.5, abs=1e-12)
    assert line.mad == pytest.approx(0.017958, abs=5e-7)
    assert line.mse == pytest.approx(0.00062, abs=5e-6)
    ratings = po.elo(nfl, k=VARIABLE, outcome="points", **NFL)
    course = po.sport.areas(ratings, individuals=["SAINTS", "COLTS", "VIKINGS"])
    area = dict(zip(course.table["individual"], course.table["area"], strict=True))
    assert area["COLTS"] == pytest.approx(624.9, abs=0.05)
    assert area["VIKINGS"] == pytest.approx(502.1, abs=0.05)
    assert area["SAINTS"] == pytest.approx(691.9, abs=0.05)
    assert round(course.above["SAINTS"]["VIKINGS"], 2) == 0.91
    assert round(course.above["SAINTS"]["COLTS"], 2) == 0.73
    means = dict(zip(course.table["individual"], course.table["mean"], strict=True))
    assert (round(means["COLTS"], 2), round(means["VIKINGS"], 2)) == (32.68, 28.09)


@pytest.mark.paper_data
def test_the_example_goes_through_the_chapter(paper_file, tmp_path):
    script = ROOT / "examples" / "nfl.py"
    done = subprocess.run(
        [sys.executable, script, paper_file("nfl2009.csv")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for text in (
        "SAINTS 173.66",
        "hindsight 201 of 267, foresight 166",
        "R = 0.99210",
        "hindsight 194 of 267, foresight 175",
        "hindsight 194 of 267, foresight 176",
        "MAD 0.017958, MSE 0.00062",
        "COLTS 624.9, VIKINGS 502.1",
        "H = 17: 197 games",
    ):
        assert text in done.stdout
    assert (tmp_path / "nfl.png").stat().st_size > 10_000


@pytest.mark.paper_data
def test_chimpanzee_females_by_maximum_likelihood(paper_file):
    data = po.read(paper_file("chimpanzee_females.csv"))
    with pytest.warns(po.DataWarning):
        fit = po.elo_ml(data.take(np.arange(100, len(data))))
    found = po.evaluate(fit, runs=10)
    assert round(found.foresight["share"], 4) == 0.8940
    assert round(found.foresight["brier"], 4) == 0.0853
    assert found.foresight["correct"] == 818
    assert any("estimated from these same contests" in text for text in found.summary)


def test_foresight_by_a_plain_loop():
    data = league(1, home=60, draws=0.8)
    for home in (0.0, 55.0):
        predicted, final = plain_foresight(data, 32.0, home=home)
        found = po.evaluate(po.elo(data, k=32, home_advantage=home), equal="half").foresight
        decided = [(ahead, s) for _, ahead, s in predicted if s != 0.5]
        right = sum(1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0 for ahead, _ in decided)
        assert (found["contests"], found["decided"]) == (len(data), len(decided))
        assert found["correct"] == right
        assert found["equal"] == sum(ahead == 0 for ahead, _ in decided)
        assert found["share"] == pytest.approx(right / len(decided))
        loss = [-(s * math.log(p) + (1 - s) * math.log(1 - p)) for p, _, s in predicted]
        assert found["log_loss"] == pytest.approx(np.mean(loss), rel=1e-12)
        assert found["brier"] == pytest.approx(np.mean([(s - p) ** 2 for p, _, s in predicted]))
        hind = po.evaluate(po.elo(data, k=32), home_advantage=home).hindsight
        chances = []
        for j in range(len(data)):
            a, b = data.individuals[data.winner[j]], data.individuals[data.loser[j]]
            ahead = final[a] - final[b] + home * int(data.home[j])
            chances.append(1 / (1 + 10 ** (-ahead / 400)))
        scores = np.array([s for *_, s in predicted])
        assert hind["brier"] == pytest.approx(np.mean((scores - chances) ** 2))


def test_points_score_the_loss_and_decide_the_winner():
    data = league(2)
    predicted, _ = plain_foresight(data, 32.0, points=True)
    found = po.evaluate(po.elo(data, k=32, outcome="points")).foresight
    assert found["brier"] == pytest.approx(np.mean([(s - p) ** 2 for p, _, s in predicted]))
    assert found["correct"] == sum(ahead > 0 for _, ahead, _ in predicted)


def test_ties_count_wrong_half_or_not_at_all():
    data = po.read({"winner": list("abca"), "loser": list("bcab")})
    ratings = po.elo(data, k=0)
    found = {rule: po.evaluate(ratings, equal=rule).foresight for rule in ("wrong", "half", "drop")}
    assert [found[rule]["correct"] for rule in found] == [0, 2, 0]
    assert [found[rule]["share"] for rule in found] == [0, 0.5, None]
    assert all(one["equal"] == 4 for one in found.values())
    with pytest.raises(ValueError, match='equal="right" is not known. Choose one of: wrong, half'):
        po.evaluate(ratings, equal="right")


def test_a_draw_model_scores_three_outcomes():
    data = league(3, draws=1.0, games=200)
    fit = po.elo_ml(data, estimate="k")
    nu = fit.nu
    found = po.evaluate(fit, runs=50).foresight
    expected = fit.history["expected"].to_numpy()
    log_score, ranked = [], []
    for p, drawn in zip(expected, data.draw, strict=True):
        odds = nu * math.sqrt(p * (1 - p))
        win, draw = p / (1 + odds), odds / (1 + odds)
        log_score.append(-math.log(draw if drawn else win))
        first, second = (0.0, 1.0) if drawn else (1.0, 1.0)
        ranked.append(((win - first) ** 2 + (win + draw - second) ** 2) / 2)
    assert found["log_loss_ties"] == pytest.approx(np.mean(log_score))
    assert found["log_loss"] is None  # two and three outcomes are not compared
    assert found["rps"] == pytest.approx(np.mean(ranked))
    assert found["brier"] is None
    assert found["decided"] == int((~data.draw).sum())
    post = po.elo_bayes(data, seed=1, samples=800)
    chances = post.foresight()
    assert np.allclose(chances.win + chances.draw + chances.loss, 1)
    terms = np.exp(post.log_likelihood).mean(axis=(0, 1))
    assert np.allclose(np.where(data.draw, chances.draw, chances.win), terms, atol=1e-12)
    assert po.evaluate(post, runs=10).foresight["log_loss_ties"] == pytest.approx(
        -np.log(terms).mean()
    )


def test_posteriors_with_another_home_advantage():
    data = league(4, home=80)
    post = po.elo_bayes(data, seed=1, samples=800, home_advantage=50, scale=400)
    plain = po.elo_bayes(data, seed=1, samples=800, scale=400)
    bare = post.foresight(0.0)
    assert bare.win.mean() != pytest.approx(post.foresight().win.mean(), abs=1e-6)
    draws = plain.course.replay.draws_at(plain.data.times[:1])[0]  # after one contest
    own = plain.foresight(50.0)
    side = data.home[1]
    a, b = data.winner[1], data.loser[1]
    by_hand = np.mean(po.curves.Logistic()(draws[:, a] - draws[:, b] + 50.0 * side))
    assert own.win[1] == pytest.approx(by_hand)
    hind = po.evaluate(post, runs=10, home_advantage=50).hindsight
    assert hind == po.evaluate(post, runs=10).hindsight


def test_probabilities_of_the_table_are_kept_from_0_and_1():
    wins = [("a", "b")] * 40 + [("b", "a")]
    data = po.read(wins)
    ratings = po.elo(data, k=200, curve="table", start={"a": 2000, "b": 1000})
    found = po.evaluate(ratings)
    loss = [-math.log(0.995)] * 40 + [-math.log(0.005)]
    assert found.foresight["log_loss"] == pytest.approx(np.mean(loss))
    assert "set to 0.005" in found.summary[-1]
    far = po.elo(data, k=0, start={"a": 1e6, "b": 0})
    assert np.isfinite(po.evaluate(far).foresight["log_loss"])


def test_parts_and_skipped_contests():
    data = league(5, seasons=3)
    ratings = po.elo(data, k=32)
    by_season = po.evaluate(ratings, per="season", runs=10).table
    ahead = by_season.filter(pl.col("view") == "foresight")
    assert ahead["season"].to_list() == ["(all)", "2001", "2002", "2003"]
    assert ahead["contests"].to_list() == [120, 40, 40, 40]
    assert ahead["correct"][0] == ahead["correct"][1:].sum()
    late = po.evaluate(ratings, skip=80, runs=10).foresight
    assert late["correct"] == ahead["correct"][3]
    assert set(po.evaluate(ratings, per="context", runs=10).table["context"]) == {*"abc", "(all)"}
    with pytest.raises(po.DataError, match="needs calendar dates"):
        po.evaluate(ratings, per="month")
    with pytest.raises(ValueError, match="Choose one of: context, group, season, day, week"):
        po.evaluate(ratings, per="decade")
    with pytest.raises(po.PeckorderError, match="per"):
        po.evaluate(ratings, per=np.array(["week", "month"]))
    with pytest.raises(po.DataError, match="skip=120 leaves none of the 120 contests"):
        po.evaluate(ratings, skip=120)


def test_weeks_begin_on_monday():
    rows = {
        "winner": list("aab"),
        "loser": list("bba"),
        "date": ["2024-03-03", "2024-03-04", "2024-03-10"],
    }
    found = po.evaluate(po.elo(po.read(rows)), per="week", runs=10).table
    assert found["week"].to_list()[2:] == ["2024-02-26"] * 2 + ["2024-03-04"] * 2


def test_bootstrap_intervals_cover_and_repeat():
    data = league(6, games=400)
    ratings = po.elo(data, k=32)
    one, two = (po.evaluate(ratings, threads=threads, seed=3) for threads in (1, 2))
    assert one.to_dict() == two.to_dict()
    found = one.foresight
    spread = math.sqrt(found["share"] * (1 - found["share"]) / 400)
    width = found["share"].high - found["share"].low
    assert width == pytest.approx(2 * 1.96 * spread, rel=0.1)
    wide = po.evaluate(ratings, level=0.99, seed=3).foresight
    assert wide["share"].low < found["share"].low < found["share"].high < wide["share"].high


def test_intervals_without_resampling_agree(monkeypatch):
    from peckorder.evaluation import scoring

    ratings = po.elo(league(6, games=400), k=32)
    drawn = po.evaluate(ratings, seed=0).foresight
    monkeypatch.setattr(scoring, "MOST_CONTESTS", 0)
    normal = po.evaluate(ratings).foresight
    for name in ("share", "log_loss", "brier"):
        assert normal[name] == drawn[name]
        for end in ("low", "high"):
            limits = (getattr(found[name], end) for found in (normal, drawn))
            assert next(limits) == pytest.approx(next(limits), rel=0.02)


def test_at_the_limit_normal_intervals_are_closer_than_resampled_ones(monkeypatch):
    """Of 20,000 contests, limits of many resamples are those of the normal interval."""
    from peckorder.evaluation import scoring

    ratings = po.elo(po.simulate.hierarchy(20, scoring.MOST_CONTESTS, seed=2)[1])
    usual, many = (po.evaluate(ratings, runs=runs, seed=4) for runs in (1000, 8000))
    monkeypatch.setattr(scoring, "MOST_CONTESTS", 19_999)
    normal = po.evaluate(ratings)
    apart = {"usual": [], "many": []}
    for view in ("foresight", "hindsight"):
        for name in ("share", "log_loss", "brier"):
            low, high = getattr(normal, view)[name].interval
            error = (high - low) / (2 * 1.96)
            for found, which in ((usual, "usual"), (many, "many")):
                own = getattr(found, view)
                apart[which].append(abs(own[name].low - low) / error)
                apart[which].append(abs(own[name].high - high) / error)
    assert np.mean(apart["many"]) < 0.03
    assert np.mean(apart["many"]) < np.mean(apart["usual"]) < 0.15


def test_long_records_are_not_resampled():
    _, data = po.simulate.hierarchy(10, 20_001, seed=1)
    ratings = po.elo(data)
    one, other = (tables.plain(po.evaluate(ratings, seed=seed).foresight) for seed in (1, 2))
    assert one == other
    short = po.elo(data.take(np.arange(20_000)))
    one, other = (tables.plain(po.evaluate(short, seed=seed, runs=50).foresight) for seed in (1, 2))
    assert one != other


def test_the_result_is_json_and_names_its_rater():
    found = po.evaluate(po.elo(po.datasets.adv(), k=200), runs=10)
    said = json.loads(json.dumps(found.to_dict()))
    assert said["settings"]["rater"]["k"] == 200
    keys = {"contests", "decided", "correct", "share", "log_loss", "brier"}
    assert keys <= set(said["result"]["foresight"]) & set(said["result"]["hindsight"])
    with pytest.raises(TypeError, match=r"evaluate takes ratings"):
        po.evaluate(po.datasets.adv())


def test_relabeling_changes_nothing():
    data = league(7, games=80)
    names = {f"t{i}": f"x{5 - i}" for i in range(6)}
    table = data.to_table().with_columns(pl.col("winner", "loser").replace(names))
    other = po.read(table.select("winner", "loser"))
    one, two = (po.evaluate(po.elo(d, k=32), runs=10) for d in (data, other))
    assert one.foresight == two.foresight


def test_sums_are_constant_for_any_scores_that_share_one():
    data = league(8, draws=0.7)
    for outcome in ("win", "points"):
        ratings = po.elo(data, k=40, outcome=outcome, home_advantage=50, home_in_update=True)
        assert ratings.rating.sum() == pytest.approx(6000, abs=1e-9)
    rater = po.EloRater(k=30, outcome="points")
    for points in ((7, 7), (3, 0), (100, 99), (1, 0)):
        rater.update("a", "b", points=points)
        assert sum(rater.ratings.values()) == pytest.approx(2000)


def test_choices_are_true_or_false():
    data = po.datasets.adv()
    ratings = po.elo(data)
    for wrong in (np.zeros(3), "yes"):
        for call in (
            lambda wrong: po.evaluate(ratings, calibrate=wrong),
            lambda wrong: po.calibration(ratings, calibrate=wrong),
            lambda wrong: po.predict(ratings, fixtures=[("a", "b")], calibrate=wrong),
            lambda wrong: po.without(data, one_sided=wrong),
        ):
            with pytest.raises(po.ArgumentTypeError, match="give True or False"):
                call(wrong)


def test_ties_alone_say_nothing_of_how_home_advantages_vary():
    sides = {"home": list("abcabc"), "away": list("bcacab")}
    games = po.read(sides | {"home_goals": [1] * 6, "away_goals": [1] * 6})
    found = po.sport.home_advantages(po.elo(games, k=20))
    assert found.value == 0
    assert [found.values[name] for name in ("low", "high", "p_alike")] == [None] * 3
    assert "no interval and no test" in found.summary[0]
    assert found.table["se"].null_count() == 3
