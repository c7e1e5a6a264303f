"""Evaluation, tuning and predictions on the command line."""

import json

import polars as pl
import pytest

import peckorder as po
from peckorder import tables
from tests.evaluation.leagues import league


@pytest.fixture
def games(tmp_path):
    """A league as a file, with its data."""
    data = league(1, games=90, home=60, draws=0.5, seasons=3)
    path = tmp_path / "games.csv"
    names = data.individuals
    rows = [
        {
            "home": names[a] if at_home > 0 else names[b],
            "away": names[b] if at_home > 0 else names[a],
            "home_goals": points[0] if at_home > 0 else points[1],
            "away_goals": points[1] if at_home > 0 else points[0],
            "season": data.season.names[season],
        }
        for a, b, at_home, points, season in zip(
            data.winner, data.loser, data.home, data.points, data.season.codes, strict=True
        )
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


def result(done):
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_evaluate_has_the_flags_of_elo(shell, inside, games):
    done = shell(
        "evaluate",
        games,
        "--k",
        "32",
        "--set",
        "scale=1000",
        "--start",
        "0",
        "--home-advantage",
        "40",
        "--set",
        "carry_over=0.7",
        "--per",
        "season",
        "--seed",
        "1",
        "--format",
        "json",
    )
    found = result(done)
    ratings = po.elo(po.read(games), k=32, scale=1000, start=0, home_advantage=40, carry_over=0.7)
    expected = po.evaluate(ratings, per="season", seed=1)
    assert found["result"]["foresight"] == tables.plain(expected.foresight)
    assert [row["season"] for row in found["result"]["table"]][2] == "2001"
    shown = inside("evaluate", games).stdout.decode()
    assert "Foresight: " in shown
    assert "share_low" not in shown


def test_evaluate_by_other_raters(inside, games):
    for flags, method in (
        (["--method", "glicko", "--c", "20"], "glicko"),
        (["--method", "glicko2", "--tau", "0.5"], "glicko2"),
        (["--method", "ml", "--estimate", "k", "--home-advantage", "estimate"], "elo_ml"),
    ):
        found = result(inside("evaluate", games, *flags, "--format", "json"))
        assert found["settings"]["rater"]["method"] == method
    wrong = inside("evaluate", games, "--method", "glicko", "--k", "32")
    assert wrong.returncode == 2
    assert b"--k cannot be used with --method glicko." in wrong.stderr


def test_each_group_on_its_own(inside, games):
    done = inside("evaluate", games, "--by", "season", "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    table = pl.read_csv(done.stdout)
    assert table.columns[:2] == ["season", "view"]
    assert table.height == 6


def test_calibration_and_its_picture(inside, games, tmp_path):
    done = inside("calibration", games, "--bins", "4", "-o", "c.csv")
    assert done.returncode == 0, done.stderr.decode()
    drawn = inside("plot", "calibration", games, "--bins", "4", "--side", "home", "-o", "c.svg")
    assert drawn.returncode == 0, drawn.stderr.decode()
    assert b"Predicted win probability of the home side" in (tmp_path / "c.svg").read_bytes()
    assert pl.read_csv(tmp_path / "c.csv").height <= 4


def test_course_win_share_and_home_advantages(inside, games, tmp_path):
    done = inside("areas", games, "--individuals", "t1,t2", "--trajectories", "t.csv")
    assert done.returncode == 0, done.stderr.decode()
    assert set(pl.read_csv(tmp_path / "t.csv")["individual"]) == {"t1", "t2"}
    line = result(inside("win-share", games, "--until", "60", "--format", "json"))
    assert line["result"]["individuals"] == 6
    home = result(inside("home-advantages", games, "--no-pooled", "--format", "json"))
    assert home["settings"]["pooled"] is False


def test_tune(inside, games, tmp_path):
    done = inside(
        "tune",
        games,
        "--over",
        "k=0:200,home_advantage=0/30/60",
        "--test-from",
        "61",
        "--profile",
        "p.csv",
        "--format",
        "json",
    )
    found = result(done)["result"]
    assert {row["parameter"] for row in found["table"]} == {"k", "home_advantage"}
    assert found["settings"]["home_advantage"] in (0, 30, 60)
    assert found["test"]["contests"] == 30
    assert set(pl.read_csv(tmp_path / "p.csv")["parameter"]) == {"k", "home_advantage"}
    late = inside("tune", games, "--test-from", "500")
    assert late.returncode == 2
    assert b"the test period is empty" in late.stderr
    assert inside("tune", games, "--over", "luck").returncode == 2


def test_compare_models(inside, games):
    done = inside(
        "compare-models", games, "--model", "--k 10", "--model", "--k 300", "--format", "json"
    )
    found = result(done)["result"]
    assert found["best"] == "--k 10"
    assert inside("compare-models", games, "--model", "--k 10").returncode == 2
    wrong = inside("compare-models", games, "--model", "--kk 10", "--model", "--k 3")
    assert wrong.returncode == 2
    assert b"No such option" in wrong.stderr


def test_predict_and_a_season(inside, games, tmp_path):
    fixtures = tmp_path / "fixtures.csv"
    fixtures.write_text("home,away,neutral\nt0,t1,no\nt2,t3,yes\n")
    table = result(inside("predict", games, fixtures, "--format", "json"))["result"]["table"]
    assert list(table[0]) == ["a", "b", "p_a", "p_tie", "p_b"]
    assert sum(table[0][name] for name in ("p_a", "p_tie", "p_b")) == pytest.approx(1)
    season = inside(
        "simulate-season",
        games,
        fixtures,
        "--points",
        "3,1,0",
        "--standings",
        "t0=4",
        "--runs",
        "500",
        "--seed",
        "1",
        "--places",
        "places.csv",
        "--format",
        "json",
    )
    found = result(season)["result"]
    assert found["table"][0]["individual"] == "t0"
    assert pl.read_csv(tmp_path / "places.csv").columns == ["individual", "place", "share"]
    drawn = inside("simulate-season", games, fixtures, "--runs", "10")
    assert b"Seed: " in drawn.stderr
    fixtures.write_text("home,away\nt0,Arsenal\n")
    wrong = inside("predict", games, fixtures)
    assert wrong.returncode == 3
    assert b'Row 2: "Arsenal" took part in no contest' in wrong.stderr
    fixtures.write_text("home,away\nt0,t1\n")
    early = inside("predict", games, fixtures, "--at", "0")
    assert early.returncode == 2
    assert b"there are no ratings yet" in early.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "home,away,home_goals,away_goals\na,b,1,\nb,a,2,1\n",
            'no number of points in column "away_goals"',
        ),
        ("home,away,home_goals,away_goals,neutral\na,b,1,0,perhaps\n", "neither yes nor no"),
    ],
)
def test_games_that_are_refused(inside, sheet, text, message):
    done = inside("evaluate", sheet(text))
    assert done.returncode == 3
    assert message in done.stderr.decode()
    assert "Row 2" in done.stderr.decode()


def test_seasons_that_go_backwards(inside, sheet):
    path = sheet("winner,loser,season\na,b,2024\na,b,2023\n")
    done = inside("evaluate", path, "--set", "carry_over=0.5")
    assert done.returncode == 3
    assert 'Row 3: season "2023" follows season "2024"' in done.stderr.decode()


def test_one_advantage_per_side(inside, sheet):
    path = sheet("home,away,home_goals,away_goals\na,b,1,0\nb,a,2,1\n")
    done = inside("elo", path, "--home-advantage", "a=10,b=20", "--format", "json")
    assert result(done)["settings"]["home_advantage"] == {"a": 10, "b": 20}


def test_world_football(inside, sheet):
    path = sheet(
        "home,away,home_goals,away_goals,competition\na,b,3,0,friendly\nb,a,1,0,world cup\n"
    )
    found = result(inside("elo", path, "--preset", "WorldFootball", "--format", "json"))
    expected = 1 / (1 + 10 ** (-100 / 400))
    first = 20 * (14 / 8) * (1 - expected)  # three goals: (11 + 3)/8
    chance = 1 / (1 + 10 ** ((2 * first - 100) / 400))
    second = 60 * (1 - chance)
    rating = {row["individual"]: row["rating"] for row in found["result"]["table"]}
    assert rating["a"] == pytest.approx(1000 + first - second)
    unknown = sheet("home,away,home_goals,away_goals,competition\na,b,3,0,cup\n")
    done = inside("elo", unknown, "--preset", "WorldFootball")
    assert done.returncode == 3
    assert '"world cup", "continental"' in done.stderr.decode()


def test_wrong_flags_end_in_a_message(inside, games, tmp_path):
    """Each of these once ended in a traceback or was misinterpreted."""
    fixtures = tmp_path / "fixtures.csv"
    fixtures.write_text("Wirt,Besuch\nt0,t1\n")
    cases = (
        (
            ["tune", games, "--read", "context=season", "--k", "2001=10,2002=20,2003=5"],
            2,
            "per context",
        ),
        (["tune", games, "--over", "home_advantage", "--home-advantage", "t0=1"], 2, "per side"),
        (["tune", games, "--over", "k=5:2:1"], 2, "is not of the form k, k=0:200"),
        (["predict", games, fixtures], 3, "with --home and --away, or --a and --b"),
        (["predict", games, "--fixtures", fixtures], 2, "without a flag, where the usage says FIX"),
        (["predict", games, "nowhere.csv"], 2, "File not found: nowhere.csv.\n"),
        (["compare-models", games, "--model", "--k 1", "--model", "--k 1"], 2, "at least twice"),
        (["compare-models", games, "--model", "--k x", "--model", "--k 1"], 2, '--model "--k x"'),
        (["areas", games, "--individuals", "t9"], 2, '"t9"'),
        (
            ["predict", games, fixtures, "--method", "glicko", "--sd", "3"],
            2,
            "cannot be used with --method",
        ),
    )
    for arguments, code, text in cases:
        done = inside(*arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert text in done.stderr.decode(), (arguments, done.stderr)
    named = inside("predict", games, fixtures, "--home", "Wirt", "--away", "Besuch")
    assert named.returncode == 0, named.stderr


def test_seasons_of_two_digits_may_pass_a_century(inside, sheet):
    path = sheet("winner,loser,season\na,b,98/99\nb,a,99/00\na,b,00/01\n")
    assert inside("evaluate", path, "--set", "carry_over=0.5").returncode == 0


JSON = ("--format", "json")


def test_simulate_recovery_and_power(inside, tmp_path):
    done = inside(
        "simulate",
        "takeover",
        "--contests",
        "60,60",
        "--seed",
        "1",
        "-o",
        "t.csv",
        "--truth",
        "truth.csv",
    )
    assert done.returncode == 0, done.stderr
    data = po.read(tmp_path / "t.csv")
    assert (
        data.hash
        == po.simulate.takeover(contests=(60, 60), seed=1)[1].to_table().pipe(po.read).hash
    )
    truth = pl.read_csv(tmp_path / "truth.csv")
    assert truth.columns == ["from_contest", "individual", "strength", "rank"]
    made = inside(
        "simulate",
        "self-organizing",
        "--contests-per-dyad",
        "3",
        "--individuals",
        "4",
        "--seed",
        "1",
    )
    assert made.stdout.decode().splitlines()[0] == "winner,loser"
    assert len(made.stdout.splitlines()) == 19
    assert b"linearity h" in made.stderr
    again = inside(
        "recovery",
        "t.csv",
        "--method",
        "elo",
        "--k",
        "100",
        "--runs",
        "5",
        "--seed",
        "2",
        "--format",
        "json",
    )
    found = result(again)["result"]
    assert {"value", "rank_mae", "dyads_correct", "verdict"} <= set(found)
    assert {"individual", "rank_error", "coverage_80", "coverage"} <= set(found["table"][0])
    plan = inside(
        "power",
        "--individuals",
        "5",
        "--effort",
        "20,80",
        "--runs",
        "5",
        "--seed",
        "1",
        "--format",
        "json",
    )
    assert [row["contests"] for row in result(plan)["result"]["table"]] == [20, 80]
    few = ("--runs", "5", "--seed", "1")
    needed = inside(
        "power", "t.csv", "--target", "dyads", "--goal", "0.8", "--rate", "2", *few, *JSON
    )
    values = result(needed)["result"]
    assert values["hours"] == values["contests"] / 2
    shown = inside(
        "recovery", "t.csv", "--method", "elo", "--k", "100", "--runs", "5", "--seed", "2"
    ).stdout.decode()
    assert "coverage" not in shown
    shown = inside("recovery", "t.csv", "--runs", "5", "--seed", "2").stdout.decode()
    assert "rank_probability" in shown
    for arguments, text in (
        (["simulate", "takeover", "--k", "3"], "--k cannot be used with takeover"),
        (["simulate", "hierarchy", "--individuals", "1"], "at least 2"),
        (["recovery", "t.csv", "--runs", "0"], "--runs 0"),
        (["power", "t.csv", "--spread", "2"], "--spread cannot be combined with a pilot"),
        (["power", "--winner", "a"], "--winner needs a FILE"),
        (["power", "--goal", "0.9"], "--goal needs a target, such as --target dyads"),
    ):
        wrong = inside(*arguments)
        assert wrong.returncode == 2
        assert text in wrong.stderr.decode()


def test_recalibration_and_games(inside, games):
    plain = result(inside("evaluate", games, "--k", "300", "--format", "json"))["result"]
    better = result(inside("evaluate", games, "--k", "300", "--calibrate", "--format", "json"))
    assert better["settings"]["calibrate"] is True
    losses = (one["foresight"]["log_loss"]["value"] for one in (better["result"], plain))
    assert next(losses) < next(losses)
    preset = inside("elo", games, "--preset", "Games", "--format", "json")
    assert result(preset)["settings"]["k"] == 40
    assert b"Home advantage" in preset.stderr
    tuned = result(inside("elo", games, "--k", "tuned", "--format", "json"))
    assert 0 <= tuned["settings"]["k"] < 700
    assert b"--preset Games" in inside("elo", games).stderr


def test_newcomers_and_new_seasons(inside, games, tmp_path):
    (tmp_path / "this.csv").write_text("home,away\nt0,t1\nt0,Whites\n")
    (tmp_path / "next.csv").write_text("home,away,season\nt0,t1,2004\nt0,Whites,2004\n")
    refused = inside("predict", games, "this.csv", "--set", "carry_over=0.5")
    assert refused.returncode == 3
    assert b"if they are newcomers, pass --newcomers" in refused.stderr
    flags = "--set", "carry_over=0.5", "--format", "json"  # new sides in a new season
    found = result(inside("predict", games, "next.csv", *flags))["result"]
    carried = po.elo(po.read(games), carry_over=0.5)
    same = po.predict(carried, fixtures=tmp_path / "next.csv", newcomers=True)
    assert [row["p_a"] for row in found["table"]] == pytest.approx(same.table["p_a"].to_list())
    (tmp_path / "pairs.csv").write_text("home,away\nt0,t1\n")
    later = result(inside("predict", games, "pairs.csv", "--new-season", *flags))["result"]
    assert later["table"][0]["p_a"] == pytest.approx(same.table["p_a"][0])
    done = inside(
        "simulate-season", games, "pairs.csv", "--runs", "7", "--seed", "1", "--keep-runs", "r.csv"
    )
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "r.csv").shape == (7, 2)


def test_the_bookmaker_at_the_shell(inside, games, tmp_path):
    table = pl.read_csv(games)
    odds = table.with_columns(H=pl.lit(2.2), D=pl.lit(3.4), A=pl.lit(3.4), p=pl.lit(0.4))
    odds.write_csv(tmp_path / "odds.csv")
    sides = "home=H,draw=D,away=A"
    done = inside(
        "compare-models",
        "odds.csv",
        "--model",
        "--k 20",
        "--odds",
        sides,
        "--margin",
        "shin",
        "--format",
        "json",
    )
    found = result(done)["result"]
    data = po.read(tmp_path / "odds.csv")
    columns = {"home": "H", "draw": "D", "away": "A"}
    bookmaker = po.sport.outside_forecast(data, odds=columns, margin="shin")
    same = po.compare_models({"--k 20": po.elo(data, k=20), "odds": bookmaker})
    assert found["table"][0]["score"] == pytest.approx(same.table["score"][0])
    for flags, text in (
        (("--odds", "H,D"), b"is not of the form name=value"),
        (("--chances", sides, "--margin", "shin"), b"--margin applies to --odds"),
        ((), b"or once with --odds or --chances"),
    ):
        refused = inside("compare-models", "odds.csv", "--model", "--k 20", *flags)
        assert refused.returncode == 2
        assert text in refused.stderr
