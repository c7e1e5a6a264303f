"""Adaptive ratings as a verb: references, predictions, dates, ties, messages, and the shell."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.estimate import Estimate
from peckorder.ratings.adaptive import summary_of
from peckorder.ratings.adaptive_filter import run_adaptive

ROOT = Path(__file__).parent.parent
BENCHMARKS = ROOT.parent / "benchmarks"


@pytest.fixture(scope="module")
def adv():
    return po.adaptive(po.datasets.adv(), seed=1)


@pytest.fixture(scope="module")
def reference():
    return json.loads((ROOT / "reference" / "forecast.json").read_text(encoding="utf-8"))


def simulated(seed, individuals=8, contests=200, gain=0.0, per_day=1, late=0, tie_share=0.0):
    """Contests in which a winner may gain for a while; some individuals may enter late."""
    random = np.random.default_rng(seed)
    strength, lately = random.normal(0, 1.2, individuals), np.zeros(individuals)
    rows = []
    for number in range(contests):
        here = individuals - late if number < contests // 2 else individuals
        a, b = random.choice(here, 2, replace=False)
        ahead = strength[a] - strength[b] + lately[a] - lately[b]
        if random.random() > 1 / (1 + np.exp(-ahead)):
            a, b = b, a
        lately *= 0.9
        lately[a], lately[b] = gain, -gain
        day = np.datetime64("2020-01-01") + number // per_day
        rows.append((f"i{a}", f"i{b}", str(day), bool(random.random() < tie_share)))
    return pl.DataFrame(rows, schema=["winner", "loser", "date", "draw"], orient="row")


# -- references --------------------------------------------------------------------------------


def test_adv_gives_the_reference_numbers(adv, reference):
    expected = reference["adv (row order)"]
    assert adv.log_loss == pytest.approx(expected["summed_log_loss"], abs=1e-6)
    for name, (mean, deviation) in expected["rating_after_the_last"].items():
        assert adv[name] == pytest.approx(mean, abs=1e-6)
        row = adv.table.filter(pl.col("individual") == name)
        assert row["rating_sd"][0] == pytest.approx(deviation, rel=0.08)  # of 4,000 draws
    table = dict(zip(adv.coefficients["coefficient"], adv.coefficients.rows(), strict=True))
    assert set(table) == {"experience", "momentum", "dyad_record", "gap"}  # nobody entered late
    for name, row in table.items():
        assert row[1:3] == pytest.approx(expected["coefficients_mean_sd"][name], abs=1e-6)
        assert getattr(adv, name).sd == row[2]
    assert adv.elo_weight == pytest.approx(1 - expected["weight_of_the_bank"], abs=1e-6)
    assert adv.probability("b", "c") == pytest.approx(expected["next"]["b v c"], abs=1e-6)


@pytest.mark.paper_data
def test_chimpanzees_beside_other_ratings(paper_file, reference):
    data = po.read(paper_file("chimpanzee_females.csv"))
    found = po.adaptive(data, within="file", samples=100, seed=1)
    expected = reference["chimpanzee_females (row order)"]
    assert len(data) == 1015
    assert found.log_loss == pytest.approx(351.130, abs=5e-4)
    assert found.probability("f01", "f03") == pytest.approx(expected["next"]["f01 v f03"], abs=1e-6)
    assert found.entry == pytest.approx(expected["coefficients_mean_sd"]["entry"][0], abs=1e-6)
    text = " ".join(found.summary)
    assert "Newcomers enter 1.25 below the mean of the recently active" in text
    assert "Winning a contest raises the log-odds of the next by 0.39" in text
    assert "evidence for a winner–loser effect" in text
    assert "315 contests share a time stamp" in text
    models = {"adaptive": found, "Elo": po.elo(data), "Glicko": po.sport.glicko(data)}
    compared = po.compare_models(models)
    assert compared.best == "adaptive"


@pytest.mark.paper_data
def test_nfl_beside_tuned_elo(paper_file):
    """Between Elo with default settings and Elo tuned on these same games."""
    data = po.read(paper_file("nfl2009.csv"))
    found = po.adaptive(data, home_advantage="estimate", within="file", samples=100, seed=1)
    at_once = po.adaptive(data, home_advantage="estimate", samples=100, seed=1)
    dynamic = po.dynamic(data, home_advantage="estimate", seed=1)
    tuned = po.elo(data, k=55.07, home_advantage=62.65)  # po.tune(data, over=("k", …))
    each = {"adaptive": found, "tuned": tuned, "default": po.elo(data)}
    each |= {"at once": at_once, "dynamic": dynamic}
    losses = {name: po.evaluate(one, runs=10).foresight["log_loss"] for name, one in each.items()}
    assert losses["tuned"] == pytest.approx(0.6406, abs=2e-4)
    assert losses["tuned"] < losses["adaptive"] < losses["default"]
    assert losses["adaptive"] == pytest.approx(0.6493, abs=2e-4)
    assert losses["at once"] == pytest.approx(losses["dynamic"], abs=2e-3)
    assert 0.1 < found.home_advantage.low < 0.44 < found.home_advantage.high
    compared = po.compare_models({"adaptive": found, "tuned": tuned}, runs=200)
    assert compared.best is None


# -- predictions -------------------------------------------------------------------------------


def test_predict_equals_foresight_of_the_contest_appended():
    table = simulated(1, late=2, contests=140)
    whole = po.adaptive(po.read(table), samples=10, seed=1)
    for number in (60, 100, 139):
        part = po.adaptive(po.read(table.head(number)), samples=10, seed=1)
        a, b = table.row(number)[:2]
        if a not in part.individuals or b not in part.individuals:
            continue
        found = po.predict(part, fixtures=[(a, b), (b, a)]).table
        assert found["p_a"][0] == pytest.approx(whole.foresight().win[number], abs=1e-12)
        assert found["p_a"][0] + found["p_a"][1] == pytest.approx(1, abs=1e-14)
        then = whole.probability(a, b, at=str(table["date"][number - 1]))
        assert then == pytest.approx(found["p_a"][0], abs=1e-12)


def test_foresight_is_that_of_the_bank_and_never_far_behind_averaged_elo(adv):
    data = po.datasets.adv()
    bank = run_adaptive(data.winner, data.loser, individuals=7)
    assert adv.foresight().win == pytest.approx(bank.probability)
    assert adv.log_loss - adv.elo_log_loss <= np.log(2)
    assert po.evaluate(adv).foresight["log_loss"] * 33 == pytest.approx(adv.log_loss)


def test_chances_by_draw_average_to_the_chances(adv):
    first, second = np.array([0, 2, 5]), np.array([1, 3, 6])
    home = np.zeros(3)
    drawn = adv.chances_by_draw(first, second, home)
    assert drawn.win.shape == (4000, 3)
    mean = adv.chances(first, second, home).win
    assert drawn.win.mean(axis=0) == pytest.approx(mean, abs=0.02)
    table = po.predict(adv, fixtures=[("b", "a")]).table
    assert table["p_a_low"][0] < table["p_a"][0] < table["p_a_high"][0]


def test_home_and_covariates():
    random = np.random.default_rng(3)
    rows = []
    for _ in range(400):
        a, b = random.choice(5, 2, replace=False)
        mass = random.normal(0, 20)
        won = random.random() < 1 / (1 + np.exp(-(0.8 + 0.05 * mass)))  # a at home
        rows.append((f"t{a}", f"t{b}", int(won), int(not won), mass))  # home minus away
    columns = ["home", "away", "home_points", "away_points", "mass"]
    data = po.read(pl.DataFrame(rows, schema=columns, orient="row"))
    found = po.adaptive(data, home_advantage="estimate", covariates=["mass"], seed=1)
    assert found.home_advantage.low < 0.8 < found.home_advantage.high
    assert found.mass.low < 0.05 < found.mass.high
    assert found.coefficients["coefficient"].to_list()[-2:] == ["home_advantage", "mass"]
    at_home = found.probability("t0", "t1", home="t0")
    assert at_home > found.probability("t0", "t1") > found.probability("t0", "t1", home="t1")
    heavy = found.probability("t0", "t1", covariates={"mass": 30})
    assert heavy > found.probability("t0", "t1", covariates={"mass": -30})
    assert heavy + found.probability("t1", "t0", covariates={"mass": -30}) == pytest.approx(1)
    fixture = pl.DataFrame({"home": ["t0"], "away": ["t1"]})
    assert po.predict(found, fixtures=fixture).table["p_a"][0] == pytest.approx(at_home)
    with pytest.raises(po.ArgumentError, match="not among the covariates.*mass"):
        found.probability("t0", "t1", covariates={"weight": 1})
    for wrong in (("mass",), {"mass": "heavy"}, 1):
        with pytest.raises(po.ArgumentTypeError, match="give numbers by name"):
            found.probability("t0", "t1", covariates=wrong)
    with pytest.raises(po.ArgumentError, match="home advantage is part of these ratings"):
        po.evaluate(found, home_advantage=50)


def test_ties_are_modeled_or_left_out():
    data = po.read(simulated(2, tie_share=0.3))
    found = po.adaptive(data, samples=200, seed=1)
    chances = found.foresight()
    assert chances.win + chances.draw + chances.loss == pytest.approx(np.ones(200))
    assert 0.2 < found.nu < 3
    assert "Equal individuals tie with probability" in " ".join(found.summary)
    assert "davidson1970" in found.citations
    table = po.predict(found, fixtures=[("i0", "i1")]).table
    assert table.select(pl.sum_horizontal("p_a", "p_tie", "p_b"))[0, 0] == pytest.approx(1)
    assert table["p_tie_low"][0] < table["p_tie"][0] < table["p_tie_high"][0]
    omitted = po.adaptive(data, ties="omit", samples=10, seed=1)
    assert "ties were left out" in " ".join(omitted.summary)
    assert omitted.foresight().draw is None
    known = po.compare_models({"adaptive": found, "dynamic": po.dynamic(data, seed=1)}, runs=50)
    assert known.table.height == 2


# -- courses -----------------------------------------------------------------------------------


def test_the_course_joins_up(adv):
    last = adv.course.replay.after_each(np.arange(7))[-1]
    assert last == pytest.approx(adv.rating, abs=1e-12)
    winner = adv.history["winner"][-1]
    assert adv.trajectory(winner)["rating"][-1] == pytest.approx(adv[winner])
    path = adv.trajectory("b")
    assert (path["rating_low"] < path["rating"]).all()
    assert (path["rating"] < path["rating_high"]).all()
    final = adv.at("2010-02-02")
    assert final["rating"].to_list() == pytest.approx(adv.table["rating"].to_list())
    middle = adv.at("2010-01-10")
    assert middle["rating"].sum() == pytest.approx(0, abs=1e-9)
    draws = adv.scores(at="2010-01-10")
    for row in middle.iter_rows(named=True):
        own = draws[:, adv.code(row["individual"])]
        assert own.mean() == pytest.approx(row["rating"], abs=0.25)
    joined = adv.at_dates({"who": ["b"], "day": ["2010-01-10"]}, individual="who", date="day")
    assert joined["rating"][0] == pytest.approx(middle.filter(individual="b")["rating"][0])
    assert adv.history["expected"].to_list() == pytest.approx(adv.foresight().win.tolist())
    assert adv.grid(every="week").height == 6 * 7
    part = adv.between("2010-01-10", "2010-01-20")
    assert part["b"] == pytest.approx(adv.at("2010-01-20").filter(individual="b")["rating"][0])
    assert part.weights()["contest"].to_list() == list(range(9, 21))
    assert part.probability("b", "c") == adv.probability("b", "c", at="2010-01-20")
    assert po.evaluate(part).foresight["contests"] == 11


@pytest.mark.parametrize("rater", [po.adaptive, po.dynamic])
def test_tables_before_the_first_contest_are_empty(rater):
    found = rater(po.datasets.adv(), samples=20, seed=1)
    with pytest.warns(po.DataWarning, match="before the first contest"):
        assert found.expected_beaten(at="2009-01-01").height == 0
    with pytest.warns(po.DataWarning, match="before the first contest"):
        assert found.at("2009-01-01").height == 0


def test_weights_start_even_and_sum_to_1(adv):
    weights = adv.weights()
    assert weights.height == 34
    assert weights.row(0, named=True)["elo"] == 0.5
    assert weights["elo"][-1] == pytest.approx(adv.elo_weight)
    for what, number in (("spread", 4), ("drift", 5)):
        own = [name for name in weights.columns if name.startswith(what)]
        assert len(own) == number
        assert weights.select(pl.sum_horizontal(own)).to_series().to_list() == pytest.approx(
            [1] * 34
        )
        assert weights.select(own).row(0) == pytest.approx([1 / number] * number)


def test_newcomers_and_presence():
    table = simulated(4, late=2, contests=160)
    gone = (pl.col("winner") == "i0") | (pl.col("loser") == "i0")
    days = table["date"]
    table = table.filter(~(gone & (pl.col("date") > days[100])))  # i0 leaves
    names = [f"i{i}" for i in range(8)]
    presence = pl.DataFrame(
        {
            "individual": names,
            "start": [days[0]] * 6 + [days[70]] * 2,
            "end": [days[110]] + [days[-1]] * 7,
        }
    )
    found = po.adaptive(po.read(table, presence=presence), samples=200, seed=1)
    assert "Newcomers enter" in " ".join(found.summary)
    founders = set(names[:6])
    assert set(found.at(days[10])["individual"]) == founders
    assert set(found.at(days[-1])["individual"]) == set(names) - {"i0"}
    for name in ("i6", "i7"):
        own = table.with_row_index().filter((pl.col("winner") == name) | (pl.col("loser") == name))
        assert found.trajectory(name)["contest"][0] == own["index"][0]
        assert name in set(found.at(own["date"][0])["individual"])
        before = table["date"][own["index"][0] - 1]
        assert name not in set(found.at(before)["individual"])


def test_individuals_without_contests_are_newcomers():
    data = po.read(simulated(4, late=2, contests=160))
    found = po.adaptive(replace(data, individuals=(*data.individuals, "idle")), seed=1)
    plain = po.adaptive(data, seed=1)
    assert 'No contests of "idle": rated at the level of newcomers.' in found.summary
    assert found["i1"] == pytest.approx(plain["i1"], abs=1e-9)
    state = found.bank.weights[-1] @ found.bank.filtered.means
    active = [found.bank.offset + i for i in range(8)]
    level = state[0] + state[active].mean()
    experience = np.log1p(found.record.contests[:8]).mean() * state[1]
    center = state[active].mean() + experience
    assert found["idle"] == pytest.approx(level - center, abs=1e-9)
    assert found.table.filter(individual="idle")["rating_sd"][0] > 0.5
    assert 0 < found.probability("idle", "i1") < 1


def test_equal_time_stamps():
    table = simulated(5, per_day=5)
    shuffled = table.sample(fraction=1, shuffle=True, seed=1).sort("date", maintain_order=True)
    one, other = (po.adaptive(po.read(t), samples=10, seed=1) for t in (table, shuffled))
    assert [one[n] for n in one.individuals] == pytest.approx(
        [other[n] for n in one.individuals], abs=1e-12
    )
    assert not any("in the order of the file" in text for text in one.summary)
    in_order = po.adaptive(po.read(table), within="file", samples=10, seed=1)
    assert any("in the order of the file" in text for text in in_order.summary)
    undated = po.read({"winner": ["a", "b"], "loser": ["b", "c"]})
    one, other = (po.adaptive(undated, within=w, samples=10, seed=1) for w in ("file", "batch"))
    assert one.rating.tolist() == other.rating.tolist()


# -- words, messages and files -----------------------------------------------------------------


def test_winner_effects_are_reported_where_there_are_some():
    moving = po.adaptive(po.read(simulated(6, contests=400, gain=1.0)), samples=10, seed=1)
    assert moving.momentum.low > 0.3
    assert any(
        text.startswith("Winning a contest raises") and "): evidence for a winner" in text
        for text in moving.summary
    )
    still = po.adaptive(po.read(simulated(6, contests=400)), samples=10, seed=1)
    assert any("no clear evidence for a winner–loser effect" in text for text in still.summary)


def test_sentences_name_the_sign():
    estimate = {
        "value": -0.5,
        "sd": 0.1,
        "low": -0.7,
        "high": -0.3,
    }
    learned = {
        name: (Estimate.from_dict(estimate), 0.0)
        for name in ("entry", "experience", "momentum", "dyad_record", "gap", "mass")
    }
    values = {"log_loss": 10.0, "elo_log_loss": 11.0, "elo_weight": 0.2}
    text = " ".join(summary_of(values, learned, po.datasets.adv(), 1, "file"))
    for part in (
        "Newcomers enter 0.50 below",
        "lowers the log-odds of the next by 0.50 (95% CrI −0.70 to −0.30): evidence for a reversed",
        "by 0.55 beyond ratings (95% CrI −0.77 to −0.33): evidence for alternation within dyads",
        "A unit of mass lowers the log-odds of winning by 0.5",
        "1 tie was left out.",
    ):
        assert part in text


def test_what_is_refused():
    with pytest.raises(po.DataError, match="The order of these contests is unknown"):
        po.adaptive(po.datasets.bonobos())
    counts = po.read({"winner": ["a", "b"], "loser": ["b", "c"], "count": [3, 2]})
    with pytest.raises(po.DataError, match="use dynamic or bradley_terry"):
        po.adaptive(counts)
    many = [f"x{i}" for i in range(502)]
    with pytest.raises(po.DataError, match="502 individuals: .* up to 500"):
        po.adaptive(po.read({"winner": many[::2], "loser": many[1::2]}))
    for wrong in ({"ties": "half"}, {"within": "average"}, {"home_advantage": 3}, {"samples": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            po.adaptive(po.datasets.adv(), **wrong)
    with pytest.raises(TypeError, match="not list"):
        po.adaptive([1, 2])
    with pytest.raises(po.DataError, match="home"):
        po.adaptive(po.datasets.adv(), home_advantage="estimate")
    with pytest.raises(po.ArgumentError, match="Give each group its presence"):
        po.adaptive({"x": po.datasets.adv()}, presence={})


def test_groups_files_and_scales(adv, tmp_path):
    two = po.adaptive({"x": po.datasets.adv(), "y": po.datasets.adv()}, seed=1)
    assert two["x"].log_loss == two["y"].log_loss == adv.log_loss
    points = po.adaptive(po.datasets.adv(), scale=400, seed=1)
    assert points["b"] == pytest.approx(adv["b"] * 400 / np.log(10))
    assert points.probability("b", "c") == pytest.approx(adv.probability("b", "c"))
    adv.save(tmp_path / "a.json")
    stored = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert stored["result"]["momentum"]["value"] == pytest.approx(adv.momentum)
    adv.save(tmp_path / "a.xlsx")
    assert "averaged by how well each predicted" in adv.cite()
    again = po.adaptive(po.datasets.adv(), seed=1, threads=2)
    assert (again.final == adv.final).all()


def test_figures_take_adaptive_ratings(adv):
    assert "rating_low" in po.plot.trajectories.data(adv, ribbons=True).columns
    assert po.plot.ranks.data(adv)["individual"][0] == "b"
    assert po.plot.matrix.data(adv, show="chances").height > 0


def test_adaptive_at_the_shell(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside(
        "adaptive", "adv.csv", "--seed", "1", "--coefficients", "c.csv", "--weights", "w.csv"
    )
    assert done.returncode == 0, done.stderr
    assert "Winning a contest raises the log-odds of the next by 0.26" in done.stdout.decode()
    assert pl.read_csv(tmp_path / "c.csv")["coefficient"].to_list()[0] == "experience"
    assert pl.read_csv(tmp_path / "w.csv").height == 34
    found = json.loads(inside("adaptive", "adv.csv", "--seed", "1", "--format", "json").stdout)
    assert found["result"]["log_loss"] == pytest.approx(18.62006, abs=1e-5)
    assert inside("adaptive", "adv.csv", "--at", "2010-01-10", "--seed", "1").returncode == 0
    inside("datasets", "bonobos", "-o", "b.csv")
    refused = inside("adaptive", "b.csv")
    assert refused.returncode == 3
    assert "The order of these contests is unknown" in refused.stderr.decode()
    compared = inside(
        "compare-models", "adv.csv", "--model", "--method adaptive", "--model", "--k 100"
    )
    assert compared.returncode == 0, compared.stderr
    assert "--method adaptive" in compared.stdout.decode()


# -- the study of claims -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def study():
    """The programs that measure coverage, prediction and the rule for ties."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import adaptive
        import adaptive_ties

        yield adaptive, adaptive_ties
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("adaptive", "adaptive_ties", "common"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["prior", "static", "drift"])
def test_hindsight_intervals_hold_the_truth(study, name):
    """A small twin of the study, in which the shares are .93 to .99."""
    program, _ = study
    held = []
    for number in range(12):
        group = program.world(name, 8, 160, np.random.default_rng(number))
        found = po.adaptive(program.data_of(group), samples=400, seed=number)
        held += [row[0] for part in (80, 160) for row in program.held(found, group, part)]
    assert np.mean(held) > 0.85


def test_never_clearly_worse_and_better_where_it_should_be(study):
    program, _ = study
    apart = {}
    for name in ("equal", "winner effects", "dyads"):
        rows = [program.losses(name, 8, 250, number) for number in range(5)]
        assert max(row["behind"] for row in rows) <= np.log(2) + 1e-9
        apart[name] = np.mean([row["adaptive"] - row["Elo"] for row in rows])
    assert apart["equal"] <= np.log(2) / 250
    assert apart["winner effects"] < -0.02
    assert apart["dyads"] < -0.01


def test_the_rule_for_ties_was_chosen_fairly(study):
    """Both rules are the same without ties, and Davidson's is better where ties are frequent."""
    _, program = study
    random = np.random.default_rng(1)
    winner, loser, _ = program.record_of("steep, Davidson", 60, random)
    sides = winner.astype(np.int32), loser.astype(np.int32)
    none = np.zeros(60, bool)
    one, other = (rule(*sides, none, 12) for rule in (program.by_davidson, program.by_halves))
    assert abs((one - other).sum()) < 1.5
    davidson, half, *_ = program.study("mostly ties", 3, 200).T
    assert davidson.mean() < half.mean()


def test_questions_of_time_are_answered():
    _, data = po.simulate.long_term(years=2, seed=1)
    found = po.adaptive(data, seed=1)
    assert found.tenure().height > 0
    changes = found.rank_changes()
    assert changes["probability"].is_between(0, 1).all()
    assert (changes["probability"] <= changes["p_before"] + 1e-12).all()
    assert (changes["probability"] <= changes["p_after"] + 1e-12).all()
    assert found.careers().height == len(data.individuals)


def three_way_loss(ratings):
    """Mean log loss of wins, losses and ties before each contest."""
    chances = ratings.foresight()
    tied = ratings.data.draw
    return float(-np.log(np.where(tied, chances.draw, chances.win)).mean())


@pytest.mark.paper_data
def test_one_tie_in_a_season_does_not_spoil_the_season(paper_file):
    """A game of 2009 is made a tie: no worse than dynamic ratings and averaged Elo by 0.002."""
    games = pl.read_csv(paper_file("nfl2009.csv")).select(
        "date", "home", "away", home_points="home_score", away_points="away_score"
    )
    game = pl.int_range(pl.len()) == 140
    points = pl.when(game).then("away_points").otherwise("home_points").alias("home_points")
    data = po.read(games.with_columns(points))
    found, other = (
        rater(data, home_advantage="estimate", samples=10, seed=1)
        for rater in (po.adaptive, po.dynamic)
    )
    assert three_way_loss(found) < three_way_loss(other) + 0.002
    assert found.log_loss < found.elo_log_loss
    assert found.foresight().draw[-1] < 0.01


@pytest.mark.parametrize("contests", [256, 1000])
def test_rare_ties_of_simulated_leagues(contests):
    """The last predictions expect as many ties as there were, to within a factor of two."""
    random = np.random.default_rng(contests)
    strength = random.normal(0, 0.6, 32)
    pairs = np.array([random.choice(32, 2, replace=False) for _ in range(contests)], np.int32)
    win = 1 / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))
    lost = random.random(contests) > win
    pairs[lost] = pairs[lost][:, ::-1]
    tied = np.arange(contests) % 250 == 125
    bank = run_adaptive(*pairs.T, individuals=32, tied=tied)
    loss, elo = (-np.log(part).mean() for part in (bank.probability, bank.elo_probability))
    assert loss < elo + 0.002
    assert 0.5 < bank.foresight()[1][-50:].mean() / tied.mean() < 2
