"""Sequential Elo against the papers and other software."""

import numpy as np
import polars as pl
import pytest

import peckorder as po

ROUNDED = "EloRating.elo.seq final ratings on adv, start 1000, rounded after each contest"
UNROUNDED = "EloRating.fastelo unrounded on adv"
ANIDOM = "aniDom.elo_scores in order on adv (K=200, sigmoid .01, start 0)"
STABILITY = "EloRating stability and likelihood on adv"


@pytest.fixture(scope="module")
def adv():
    return po.datasets.adv()


# Albers & de Vries 2001, worked example: 1200 against 1000, k = 100.
@pytest.mark.parametrize(
    ("winner", "loser", "draw", "ratings"),
    [
        ("A", "B", False, {"A": 1224, "B": 976}),
        ("B", "A", False, {"A": 1124, "B": 1076}),
        ("A", "B", True, {"A": 1174, "B": 1026}),
    ],
)
def test_worked_example(winner, loser, draw, ratings):
    data = po.read({"winner": [winner], "loser": [loser], "draw": [draw]})
    result = po.elo(data, k=100, start={"A": 1200, "B": 1000}, curve="table")
    assert dict(result.items()) == ratings


def test_figure_1_with_the_printed_table(adv):
    result = po.elo(adv, k=200, start=1000, curve="table")
    assert dict(result.items()) == pytest.approx(
        {"b": 1320, "c": 1184, "d": 1178, "f": 1048, "e": 1008, "g": 732, "a": 530}, abs=1e-9
    )
    history = result.history
    change = (history["winner_after"] - history["winner_before"]).to_list()
    assert change[1] == pytest.approx(128)  # the 2nd contest, a strong change
    assert change[23] == pytest.approx(8)  # the 24th, a minor one


def test_figure_1_trace_of_every_contest(adv, papers):
    history = po.elo(adv, k=200, curve="table").history
    for row, step in zip(history.iter_rows(named=True), papers["adv"]["table_trace"], strict=True):
        assert row["winner"] + row["loser"] == step["pair"]
        assert row["expected"] == pytest.approx(step["p"], abs=1e-12)
        assert row["winner_after"] == pytest.approx(step["ratings"][row["winner"]], abs=1e-9)
        assert row["loser_after"] == pytest.approx(step["ratings"][row["loser"]], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("normal_2000_7", po.curves.Normal(sd=2000 / 7)),
        ("normal_200sqrt2", "normal"),
        ("logistic_400", "logistic"),
        ("exp_0.01", "exponential"),
    ],
)
def test_figure_1_with_every_curve(adv, papers, name, curve):
    result = po.elo(adv, k=200, curve=curve)
    assert dict(result.items()) == pytest.approx(papers["adv"]["final"][name], abs=1e-6)


def test_preset_elorating_rounds_after_each_contest(adv, software):
    assert dict(po.elo(adv, preset="EloRating", k=100).items()) == {
        "b": 1203,
        "c": 1148,
        "d": 1116,
        "f": 1004,
        "e": 982,
        "g": 843,
        "a": 704,
    }
    runs = software[ROUNDED]
    assert len(runs) == 18
    for label, expected in runs.items():
        k, curve, init = label.replace("k=", "").replace("init=", "").split()
        entry = "mean" if init == "average" else init
        result = po.elo(adv, preset="EloRating", k=float(k), curve=curve, entry=entry)
        assert dict(result.items()) == expected, label


def test_likelihood_of_rounded_runs(adv, software):
    for run in software[STABILITY]:
        result = po.elo(
            adv,
            preset="EloRating",
            k=float(run["k"]),
            curve="normal" if run["normprob"] == "TRUE" else "logistic",
            entry="mean" if run["init"] == "average" else run["init"],
        )
        logs = np.log(result.history["expected"].to_numpy())
        assert logs.sum() == pytest.approx(float(run["loglik"]), abs=1e-9)
        assert logs[10:].sum() == pytest.approx(float(run["loglik_burnin10"]), abs=1e-9)


def test_unrounded_ratings_and_likelihood(adv, software):
    for label, expected in software[UNROUNDED].items():
        k, normal, likelihood = (part.split("=")[1] for part in label.split())
        result = po.elo(adv, k=float(k), curve="normal" if normal == "TRUE" else "logistic")
        assert dict(result.items()) == pytest.approx(expected, abs=1e-9)
        total = np.log(result.history["expected"].to_numpy()).sum()
        assert total == pytest.approx(float(likelihood), abs=1e-9)


def test_preset_anidom(adv, software):
    result = po.elo(adv, preset="aniDom")
    assert dict(result.items()) == pytest.approx(software[ANIDOM], abs=1e-9)


@pytest.mark.paper_data
def test_first_nfl_table_of_langville_and_meyer(paper_file, papers):
    data = po.read(paper_file("nfl2009.csv"))
    result = po.elo(data, scale=1000, k=32, start=0)
    table = papers["nfl"]["tables"]["winloss_K32"]
    assert list(result) == list(table)
    for team, numbers in table.items():
        assert float(f"{result[team]:.5g}") == numbers["published"], team


@pytest.mark.paper_data
def test_nfl_tables_by_points_and_with_variable_k(paper_file, papers):
    data = po.read(paper_file("nfl2009.csv"))
    plain = po.elo(data, scale=1000, k=32, start=0, outcome="points")
    late = {"2009-12-24": 16, "2010-01-09": 64}
    varied = po.elo(data, scale=1000, k=32, start=0, outcome="points", k_periods=late)
    for result, name in ((plain, "scores_K32"), (varied, "scores_K32_16_64")):
        for team, numbers in papers["nfl"]["tables"][name].items():
            assert float(f"{result[team]:.5g}") == numbers["published"], team
    for team, area in papers["nfl"]["integrated"].items():
        assert varied.integral(team) == pytest.approx(area, abs=1e-6)
    assert varied.integral("COLTS", over="all") == pytest.approx(7645, abs=0.5)
    assert varied.integral("VIKINGS", over="all") == pytest.approx(6745, abs=0.5)


@pytest.mark.paper_data
def test_foresight_counts_of_langville_and_meyer(paper_file, papers):
    """166 games predicted with H = 15, which enters the prediction but not the update."""
    data = po.read(paper_file("nfl2009.csv"))
    counts = papers["nfl"]["counts"]
    plain = po.elo(data, scale=1000, k=32, start=0, home_advantage=15)
    assert (plain.history["expected"] > 0.5).sum() == counts["winloss"]["foresight_H15"] == 166
    updated = po.elo(data, scale=1000, k=32, start=0, home_advantage=15, home_in_update=True)
    assert (updated.history["expected"] > 0.5).sum() == 165
    points = po.elo(data, scale=1000, k=32, start=0, home_advantage=15, outcome="points")
    assert (points.history["expected"] > 0.5).sum() == counts["scores"]["foresight_H15"]


@pytest.mark.paper_data
def test_model_1_of_foerster_on_the_chimpanzee_females(paper_file, software):
    """EloOptimized with the k it fitted: likelihood and accuracy after 100 contests of burn-in."""
    fitted = software["EloOptimized model 1, chimpanzee females"]
    data = po.read(paper_file("chimpanzee_females.csv"))
    result = po.elo(data, preset="EloOptimized", k=fitted["k"])
    expected = result.history["expected"].to_numpy()[100:]
    assert np.log(expected).sum() == pytest.approx(fitted["maxLogL"], abs=1e-6)
    assert (expected > 0.5).mean() == pytest.approx(fitted["pred_accuracy"], abs=1e-12)


def test_k_scales_nothing_but_the_first_contest(adv):
    """According to the paper, k only changes the scale; this is not the case."""
    shape = [(po.elo(adv, k=k, curve="table")["b"] - 1000) / k for k in (20, 100, 200)]
    assert shape == pytest.approx([3.04, 2.03, 1.60], abs=0.005)


def test_fide_k_differs_for_the_two_sides():
    rows = [("strong", f"guest{i}") for i in range(40)] + [("strong", "guest0")]
    data = po.read(tuple(zip(*rows, strict=True)))
    starts = dict.fromkeys(data.individuals, 2390.0)
    history = po.elo(data, preset="FIDE", start=starts).history
    gain = (history["winner_after"] - history["winner_before"]).to_numpy()
    loss = (history["loser_before"] - history["loser_after"]).to_numpy()
    surprise = 1 - history["expected"].to_numpy()
    assert gain[:30] == pytest.approx(25 * surprise[:30])  # the first 30 contests
    assert gain[30:] == pytest.approx(10 * surprise[30:])  # permanently, once 2400 is reached
    assert loss == pytest.approx(25 * surprise)  # guests are newcomers
    other = po.elo(data, preset="FIDE", start=starts, fide=(40, 20, 10)).history
    assert other["winner_after"][0] - 2390 == pytest.approx(20)


@pytest.mark.paper_data
def test_fide_of_playerratings(paper_file):
    """A full season's data in rounds: high ratings have the third k also before 30 games."""
    peers = paper_file("README.md").parent.parent / "reference" / "peers"
    games = pl.read_csv(peers / "data" / "aflodds.csv")
    rounds = games["Week"].rle_id() + 1
    data = po.read(
        {
            "day": rounds.to_list(),
            "a": games["HomeTeam"].to_list(),
            "b": games["AwayTeam"].to_list(),
            "outcome": games["Score"].replace_strict({1.0: "a", 0.0: "b", 0.5: "tie"}).to_list(),
        },
        a="a", b="b", outcome="outcome", date="day",
    )  # fmt: skip
    ours = po.elo(data, preset="PlayerRatings", k="fide")
    theirs = pl.read_csv(peers / "PlayerRatings" / "aflodds_fide.csv")
    assert dict(ours.items()) == pytest.approx(dict(theirs.select("Player", "Rating").iter_rows()))


def test_whoever_ever_reached_2400_within_30_contests_has_the_third_k():
    rows = [("up", f"guest{i}") for i in range(5)] + [(f"guest{i}", "up") for i in range(26)]
    data = po.read(tuple(zip(*rows, strict=True)))
    starts = dict.fromkeys(data.individuals, 2390.0)
    history = po.elo(data, preset="FIDE", start=starts).history
    loss = (history["loser_before"] - history["loser_after"]).to_numpy()
    assert history["loser_before"][-1] < 2400
    assert loss[29] == pytest.approx(25 * (1 - history["expected"][29]))
    assert loss[30] == pytest.approx(10 * (1 - history["expected"][30]))


def test_k_by_context_column_pair_period_and_burn_in(sheet):
    path = sheet(
        "winner,loser,behaviour,weightk,date\n"
        "a,b,bite,10,2020-01-01\na,b,chase,20,2020-02-01\na,b,bite,30,2020-03-01\n"
    )
    data = po.read(path)

    def gains(**k):
        history = po.elo(data, **k).history
        surprise = 1 - history["expected"].to_numpy()
        gain = (history["winner_after"] - history["winner_before"]).to_numpy()
        loss = (history["loser_before"] - history["loser_after"]).to_numpy()
        return gain / surprise, loss / surprise

    assert gains(k={"bite": 200, "chase": 50})[0] == pytest.approx([200, 50, 200])
    assert gains(k_column="weightk")[0] == pytest.approx([10, 20, 30])
    assert gains(k=(60, 30))[1] == pytest.approx([30, 30, 30])
    assert gains(k=np.array([1.0, 2.0, 3.0]))[0] == pytest.approx([1, 2, 3])
    assert gains(k=80, k_periods={"2020-02-01": 40})[0] == pytest.approx([80, 40, 40])
    assert gains(k=80, burn_in=(2, 10))[0] == pytest.approx([10, 10, 80])


def test_batch_period_uses_ratings_at_its_start():
    rows = {
        "winner": list("aab"),
        "loser": list("bcc"),
        "date": ["2020-01-01"] * 2 + ["2020-01-02"],
    }
    history = po.elo(po.read(rows), k=100, period="day").history
    assert history["expected"][:2].to_list() == [0.5, 0.5]
    assert history["winner_before"][1] == 1000
    assert history["winner_after"][1] == 1100  # both wins of the day add up
    assert history["winner_before"][2] == 950


def test_preset_player_ratings_batches_by_date():
    data = po.read({"winner": list("aa"), "loser": list("bb"), "date": [1, 1]})
    result = po.elo(data, preset="PlayerRatings")
    assert result["a"] == pytest.approx(2200 + 27)
    with pytest.raises(po.DataError, match="needs dates"):
        po.elo(po.read((["a"], ["b"])), preset="PlayerRatings")


def test_season_carry_over_regresses_to_the_mean():
    rows = {"winner": ["a", "a"], "loser": ["b", "b"], "season": ["2019", "2020"]}
    history = po.elo(po.read(rows), k=100, carry_over=0.5).history
    assert history["winner_before"].to_list() == [1000, 1025]
    assert history["loser_before"].to_list() == [1000, 975]


def test_season_that_comes_back_is_refused():
    rows = {"winner": list("aaa"), "loser": list("bbb"), "season": ["1", "2", "1"]}
    with pytest.raises(po.DataError, match='Position 2: season "1" reappears'):
        po.elo(po.read(rows), carry_over=0.5)


def test_margin_multiplies_k():
    rows = {"home": ["a", "a"], "away": ["b", "c"], "home_goals": [4, 1], "away_goals": [0, 0]}
    history = po.elo(po.read(rows), k=20, margin="football").history
    assert history["winner_after"][0] == pytest.approx(1000 + 20 * 15 / 8 / 2)
    logs = po.elo(po.read(rows), k=20, margin="log").history
    assert logs["winner_after"][0] == pytest.approx(1000 + 20 * np.log(5) / 2)


def test_matrix_has_no_order_and_elo_says_so():
    with pytest.warns(po.DataWarning, match="order of these contests is unknown"):
        po.elo(po.datasets.bonobos())


PRESENCE = {
    "id": ["a", "b", "c", "d"],
    "start": ["2020-01-01", "2020-01-01", "2020-01-01", "2020-01-05"],
    "end": ["2020-01-31", "2020-01-31", "2020-01-03", ""],
}
CONTESTS = {
    "winner": ["a", "a", "a", "d"],
    "loser": ["b", "c", "b", "b"],
    "date": ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-06"],
}


@pytest.mark.parametrize("entry", ["start", "mean", "bottom", "bottom_low"])
def test_entry_of_newcomers(entry):
    data = po.read(CONTESTS, presence=PRESENCE)
    ratings = po.elo(data, entry=entry)
    before = ratings.history["winner_before"].to_list()[3]
    three = ratings.at("2020-01-03")
    named = dict(zip(three["individual"], three["rating"], strict=True))
    present = [named["a"], named["b"]]  # c leaves on the 3rd, d enters on the 5th
    expected = {"start": 1000, "mean": np.mean(present), "bottom": min(present)}
    assert before == pytest.approx(expected.get(entry, min(present)))
    assert "d" not in named  # no individual is rated before arrival


def test_preset_elorating_counts_leavers_in_the_mean():
    data = po.read(CONTESTS, presence=PRESENCE)
    ratings = po.elo(data, preset="EloRating")
    seen = ratings.at("2020-01-03")["rating"]
    assert len(seen) == 3  # c is still listed on its last day
    assert ratings.history["winner_before"].to_list()[3] == round(seen.mean()) == 1000


def test_tables_at_a_date_list_those_present():
    ratings = po.elo(po.read(CONTESTS, presence=PRESENCE))
    assert set(ratings.at("2020-01-04")["individual"]) == {"a", "b"}
    assert set(ratings.at("2020-01-05")["individual"]) == {"a", "b", "d"}
    assert set(ratings.table["individual"]) == {"a", "b", "c", "d"}
    assert ratings.at("2020-02-15")["individual"].to_list() == ["d"]


def test_day_rule_of_elooptimized_takes_the_maximum():
    rows = {"winner": ["a", "b"], "loser": ["b", "a"], "date": ["2020-01-01"] * 2}
    data = po.read(rows)
    last, highest = po.elo(data, k=100), po.elo(data, preset="EloOptimized", k=100)
    rating = dict(
        zip(*(highest.at("2020-01-05")[c] for c in ("individual", "rating")), strict=True)
    )
    assert rating["a"] == 1050  # after its win
    assert rating["b"] == highest["b"]
    assert last.at("2020-01-05")["rating"].to_list()[-1] == last["a"] < 1050


def test_unknown_choices_list_the_choices():
    data = po.read((["a"], ["b"]))
    for argument in (
        {"entry": "top"},
        {"curve": "cubic"},
        {"preset": "EloRanking"},
        {"outcome": "x"},
    ):
        with pytest.raises(ValueError, match="Choose one of"):
            po.elo(data, **argument)
    with pytest.raises(TypeError, match=r"peckorder\.read"):
        po.elo(object())


def test_starting_ratings_of_some_individuals():
    """The others start at the default, or at that of the preset."""
    data = po.datasets.adv()
    others = dict.fromkeys(data.individuals, 1000.0)
    some = po.elo(data, start={"a": 1200, "g": 900})
    full = po.elo(data, start=others | {"a": 1200, "g": 900})
    assert np.array_equal(some.rating, full.rating)
    for preset, usual in (("aniDom", 0.0), ("PlayerRatings", 2200.0)):
        some = po.elo(data, start={"a": 1200}, preset=preset)
        full = po.elo(data, start=dict.fromkeys(others, usual) | {"a": 1200}, preset=preset)
        assert np.array_equal(some.rating, full.rating)
    assert po.EloRater(["A", "B"], start={"A": 1200}).ratings == {"A": 1200.0, "B": 1000.0}
    glicko = po.sport.glicko(data, start={"a": 2300})
    whole = po.sport.glicko(data, start=dict.fromkeys(others, 2200.0) | {"a": 2300})
    assert np.array_equal(glicko.rating, whole.rating)
    with pytest.raises(po.DataError, match='not in the data: "aa". Did you mean "a"'):
        po.elo(data, start={"aa": 1200})


def test_starting_scores_of_some_individuals_in_a_fit():
    data = po.datasets.adv()
    some = po.elo_ml(data, estimate="k", start={"a": -1.0, "b": 1.0})
    full = po.elo_ml(
        data, estimate="k", start=dict.fromkeys(data.individuals, 0.0) | {"a": -1.0, "b": 1.0}
    )
    assert some.k == full.k
    assert some.log_likelihood == full.log_likelihood


def test_best_starting_scores_beat_random_ones():
    """EloRating's optistart draws starting values; the maximum is found directly."""
    data = po.datasets.adv()
    fit = po.elo_ml(data, estimate="start", k=0.5, penalized=True, prior_sd=1.0)
    best = dict(fit.table.select("individual", "start").iter_rows())

    def likelihood(start):
        rated = po.elo(data, k=0.5, start=start, curve="exponential", delta=1)
        prior = -0.5 * sum((v - np.mean(list(start.values()))) ** 2 for v in start.values())
        return float(np.log(rated.foresight().win).sum()) + prior

    assert likelihood(best) > likelihood(dict.fromkeys(best, 0.0))
    random = np.random.default_rng(1)
    for _ in range(100):
        drawn = dict(zip(best, random.normal(0, 1, len(best)), strict=True))
        assert likelihood(best) > likelihood(drawn)


@pytest.mark.parametrize("method", [po.elo, po.sport.glicko, po.sport.glicko2])
def test_nothing_to_rate(method):
    none = np.array([], int)
    with pytest.raises(po.DataError, match="no contests to rate"):
        method(po.Contests(("Abe", "Bo"), none, none))


def test_a_column_of_k_is_given_by_its_name():
    data = po.read({"winner": ["a", "b"], "loser": ["b", "a"], "importance": [10.5, 20.5]})
    with pytest.raises(po.PeckorderError, match="give a text"):
        po.elo(data, k_column=np.array(["importance", "other"]))
