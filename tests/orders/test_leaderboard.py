"""Leaderboards: covariates, anchor, scale and bootstrap intervals of Bradley–Terry abilities."""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize

import peckorder as po
from tests.votes import SIZE, votes

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def study():
    """The program that measures the coverage of intervals."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import leaderboard

        yield leaderboard
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("leaderboard", "common"):
            sys.modules.pop(name, None)


def column(fit, name):
    """A column of the table by individual."""
    return dict(zip(fit.table["individual"], fit.table[name], strict=True))


def plain_fit(frame, covariates, ties=True):
    """The same model by a general optimizer: one row per vote, sides a and b as they are."""
    letters = list("vwxyz")
    a, b = (np.array([letters.index(name) for name in frame[side]]) for side in "ab")
    z = np.column_stack([frame[name].to_numpy() for name in covariates] or [np.zeros(len(a))])
    outcome = frame["winner"].to_numpy()

    def loss(x):
        ahead = x[a] - x[b] + z @ x[SIZE : SIZE + z.shape[1]]
        terms = [ahead / 2, -ahead / 2] + ([np.full(len(a), x[-1])] if ties else [])
        chosen = np.select([outcome == "a", outcome == "b"], terms[:2], terms[-1])
        total = np.logaddexp.reduce(np.stack(terms), axis=0)
        return -(chosen - total).sum() + 1e-3 * x[:SIZE].sum() ** 2

    found = minimize(loss, np.zeros(SIZE + z.shape[1] + ties), method="BFGS", tol=1e-9)
    names = dict(zip(letters, found.x[:SIZE] - found.x[:SIZE].mean(), strict=True))
    errors = np.sqrt(np.diag(np.linalg.inv(second_differences(loss, found.x))))
    coefficients = slice(SIZE, SIZE + z.shape[1])
    return names, found.x[coefficients], -found.fun, errors[coefficients]


def second_differences(function, x, step=1e-3):
    """The Hessian of a function."""
    moves = step * np.eye(len(x))

    def along(i, j):
        ends = [(a, b, function(x + a * moves[i] + b * moves[j])) for a in (1, -1) for b in (1, -1)]
        return sum(a * b * value for a, b, value in ends) / (4 * step**2)

    return np.array([[along(i, j) for j in range(len(x))] for i in range(len(x))])


@pytest.mark.parametrize("covariates", [["style"], ["style", "length"]])
@pytest.mark.parametrize("ties", [True, False])
def test_covariates_of_a_general_optimizer(covariates, ties):
    frame = votes(ties=ties)
    fit = po.bradley_terry(po.read(frame), covariates=covariates)
    ability, effect, likelihood, error = plain_fit(frame, covariates, ties)
    assert column(fit, "ability") == pytest.approx(ability, abs=2e-4)
    found = fit.coefficients
    assert found["coefficient"].to_list() == covariates
    assert found["estimate"].to_list() == pytest.approx(effect, abs=2e-4)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-3)
    assert found["se"].to_list() == pytest.approx(error, rel=1e-3)
    assert np.exp(found["estimate"]).to_list() == pytest.approx(found["odds_ratio"].to_list())


def test_covariates_of_votes_are_first_minus_second():
    """The outcome of a vote does not change the sign of its covariates; sides do."""
    frame = votes()
    fit = po.bradley_terry(po.read(frame), covariates=["length"])
    exchanged = frame.rename({"a": "b", "b": "a"}).with_columns(
        pl.col("winner").replace({"a": "b", "b": "a"}), length=-pl.col("length")
    )
    turned = po.bradley_terry(po.read(exchanged), covariates=["length"])
    assert turned.coefficients["estimate"][0] == pytest.approx(fit.coefficients["estimate"][0])
    assert column(turned, "ability") == pytest.approx(column(fit, "ability"))
    two = po.bradley_terry(po.read(frame), covariates=["length_a - length_b"])
    assert two.coefficients["estimate"][0] == pytest.approx(fit.coefficients["estimate"][0])
    # As winners and losers, the difference is the winner's minus the loser's.
    second = pl.col("winner") == "b"
    events = frame.filter(pl.col("winner") != "tie").select(
        winner=pl.when(second).then("b").otherwise("a"),
        loser=pl.when(second).then("a").otherwise("b"),
        length=pl.when(second).then(-pl.col("length")).otherwise("length"),
    )
    decided = po.bradley_terry(po.read(frame), ties="omit", covariates=["length"])
    listed = po.bradley_terry(po.read(events), covariates=["length"])
    assert listed.coefficients["estimate"][0] == pytest.approx(
        decided.coefficients["estimate"][0], abs=1e-8
    )


def test_dynamic_ratings_see_the_same_sign():
    frame = votes(ties=False)
    fit = po.bradley_terry(po.read(frame), covariates=["style"])
    rated = po.dynamic(po.read(frame), static=True, covariates=["style"], seed=1)
    assert rated.values["style"] == pytest.approx(fit.coefficients["estimate"][0], abs=0.1)


def test_home_advantage_and_words():
    random = np.random.default_rng(3)
    home, away = random.integers(4, size=(2, 800))
    home, away = home[home != away], away[home != away]
    ahead = (home - away) / 3 + 0.7
    points = (random.random(len(home)) < 1 / (1 + np.exp(-ahead))).astype(int)
    games = po.read(
        {
            "home": home.astype(str),
            "away": away.astype(str),
            "home_points": points,
            "away_points": 1 - points,
        }
    )
    fit = po.bradley_terry(games, home_advantage="estimate")
    row = fit.coefficients.row(0, named=True)
    assert row["coefficient"] == "home_advantage"
    assert row["low"] < 0.7 < row["high"]
    assert "Being at home multiplies the odds of winning by" in " ".join(fit.summary)
    idle = po.bradley_terry(po.read(votes(effect=0.0)), covariates=["style"])
    assert 'One unit more of "style"' in idle.summary[1]
    assert idle.summary[1].endswith("no evidence of an effect.")


def test_an_anchor_and_a_scale_change_the_reference_only():
    data = po.read(votes())
    plain, points = po.bradley_terry(data), 400 / np.log(10)
    ability = column(plain, "ability")
    rated = column(po.bradley_terry(data, scale="elo"), "rating")
    assert rated == pytest.approx({name: 1000 + points * x for name, x in ability.items()})
    fixed = po.bradley_terry(data, scale="elo", anchor={"x": 1200}, bootstrap=50, seed=1)
    found = column(fixed, "rating")
    assert found["x"] == 1200
    assert found["v"] - found["z"] == pytest.approx(points * (ability["v"] - ability["z"]))
    row = fixed.table.filter(pl.col("individual") == "x")
    assert row.select("rating_low", "rating_high").row(0) == (1200, 1200)
    assert list(fixed) == list(plain)
    assert column(po.bradley_terry(data, anchor="x"), "ability")["x"] == 0
    assert column(po.bradley_terry(data, scale=200), "rating")["v"] == pytest.approx(
        1000 + points / 2 * ability["v"]
    )


def test_errors_with_an_anchor_are_those_of_differences():
    """With two candidates: the error of a log-odds, √(1/wins + 1/losses)."""
    data = po.Matrix(("v", "w"), np.array([[0, 30], [20, 0]]))
    fit = po.bradley_terry(data, anchor="w")
    assert column(fit, "se")["v"] == pytest.approx(np.sqrt(1 / 30 + 1 / 20))
    assert column(po.bradley_terry(data), "se")["v"] == pytest.approx(np.sqrt(1 / 30 + 1 / 20) / 2)
    many = po.bradley_terry(data, anchor="w", bootstrap=2000, seed=1)
    assert column(many, "se")["v"] == pytest.approx(np.sqrt(1 / 30 + 1 / 20), rel=0.08)


def test_a_bootstrap_adds_intervals_of_abilities_ranks_and_neighbors():
    data = po.read(votes())
    plain = po.bradley_terry(data)
    fit = po.bradley_terry(data, bootstrap=200, seed=4)
    assert column(fit, "ability") == column(plain, "ability")
    assert column(fit, "se") == pytest.approx(column(plain, "se"), rel=0.25)
    assert (fit.table["ability_low"] < fit.table["ability"]).all()
    assert (fit.table["rank_low"] <= fit.table["rank"]).all()
    assert (fit.table["rank_high"] >= fit.table["rank"]).all()
    assert fit.samples["ability"].shape == fit.samples["rank"].shape == (200, SIZE)
    near = fit.neighbors
    assert near["higher"].to_list() == list(fit)[:-1]
    resolved = int((near["low"] > 0).sum())
    assert f"Of the 4 pairs of adjacent ranks, {resolved} " in " ".join(fit.summary)
    assert po.plot.ranks.data(fit)["individual"].to_list() == list(fit)
    assert "Davison" in fit.cite()
    again = po.bradley_terry(data, bootstrap=200, seed=4, threads=1)
    assert again.table.equals(fit.table)


def test_components_keep_their_order_in_every_resample():
    with (
        pytest.warns(po.DataWarning, match="3 components"),
        pytest.warns(po.DataWarning, match="had no finite estimate"),
    ):
        fit = po.bradley_terry(po.datasets.adv(), bootstrap=40, seed=1)
    assert fit.table.filter(pl.col("individual") == "d")["ability_low"].to_list() == [None]
    rank = fit.samples["rank"]
    low = [fit.individuals.index(name) for name in "aefg"]
    assert rank[:, low].min() >= 4
    assert set(fit.neighbors["higher"]) <= set("baefgc")
    assert "had no finite estimate" in " ".join(fit.summary)


def test_abilities_on_a_scale_predict_as_before():
    data = po.read(votes(300))
    plain = po.evaluate(po.bradley_terry(data))
    scaled = po.evaluate(po.bradley_terry(data, scale="elo", anchor="w"))
    for kind in ("foresight", "hindsight"):
        one, other = (found.values[kind]["log_loss_ties"] for found in (scaled, plain))
        assert one == pytest.approx(other)
    styled = po.evaluate(po.bradley_terry(data, covariates=["style"]))
    assert styled.hindsight["log_loss_ties"] < plain.hindsight["log_loss_ties"]


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"bootstrap": 5}, ValueError, "at least 20"),
        ({"scale": "big"}, ValueError, "odds are 10 to 1"),
        ({"anchor": "q"}, ValueError, '"q" took part in no contest'),
        ({"anchor": {"v": 1, "w": 2}}, ValueError, "give one individual"),
        ({"home_advantage": 3}, ValueError, "estimate"),
        ({"covariates": ["size"]}, po.DataError, 'no unused column "size"'),
        ({"bootstrap": 20, "cluster": "size"}, ValueError, "voter"),
    ],
)
def test_messages(settings, error, text):
    with pytest.raises(error, match=text):
        po.bradley_terry(po.read(votes(200)), **settings)


def test_effects_that_cannot_be_estimated_are_named():
    frame = votes(300)
    mass = {name: i**2 for i, name in enumerate("vwxyz")}
    trait = frame.with_columns(
        mass=pl.col("a").replace_strict(mass) - pl.col("b").replace_strict(mass),
        double=2 * pl.col("style"),
        none=pl.lit(0),
    )
    for name in ("mass", "none"):
        with pytest.raises(po.DataError, match=f'coefficient of "{name}" cannot be estimated'):
            po.bradley_terry(po.read(trait), covariates=[name])
    with pytest.raises(po.DataError, match='"double" cannot be estimated'):
        po.bradley_terry(po.read(trait), covariates=["style", "double"])
    won = frame.filter(pl.col("winner") != "tie").with_columns(
        hint=pl.when(pl.col("winner") == "a").then(1).otherwise(-1)
    )
    with pytest.raises(po.DataError, match='"hint" has no finite estimate'):
        po.bradley_terry(po.read(won), covariates=["hint"])
    finite = po.bradley_terry(po.read(won), covariates=["hint"], penalized=True)
    assert finite.coefficients["estimate"][0] > 1
    with pytest.raises(po.DataError, match="one by one"):
        po.bradley_terry(po.datasets.bonobos().matrix(), covariates=["style"])


def test_the_same_at_the_shell(inside, tmp_path):
    path = tmp_path / "votes.csv"
    votes().write_csv(path)
    options = ["--bootstrap", "50", "--seed", "1", "--covariates", "style,length_a - length_b"]
    more = ["--scale", "elo", "--anchor", "x=1200", "--cluster", "voter", "--format", "json"]
    said = inside("bradley-terry", path, *options, *more)
    found = json.loads(said.stdout)
    fit = po.bradley_terry(
        po.read(path),
        bootstrap=50,
        seed=1,
        covariates=["style", "length_a - length_b"],
        scale="elo",
        anchor={"x": 1200},
        cluster="voter",
    )
    assert found["result"]["table"][0]["rating_low"] == fit.table["rating_low"][0]
    assert found["result"]["coefficients"][1]["low"] == fit.coefficients["low"][1]
    look = ["--method", "bradley-terry", "--bootstrap", "40", "--seed", "1"]
    inside("plot", "ranks", path, *look, "-o", "ranks.svg", "-o", "ranks.csv")
    assert pl.read_csv(tmp_path / "ranks.csv")["individual"].to_list() == list("vwxyz")


def test_intervals_hold_the_truth_if_voters_are_resampled(study):
    """A small twin of benchmarks/leaderboard.py: voters who differ, ten sets."""
    sets = 10
    made = [study.simulated("voters differ", np.random.default_rng([7, i])) for i in range(sets)]
    by = {
        name: np.mean([study.held(one, settings, i)["ability"] for i, one in enumerate(made)])
        for name, settings in study.WORLDS["voters differ"]
    }
    assert by["voters"] >= 0.9
    assert by["contests"] < by["voters"]
    assert abs(by["contests"] - by["standard errors"]) < 0.05


def test_leaving_out_a_covariate_misleads(study):
    """A small twin: intervals miss the abilities if length matters and is left out."""
    made = [study.simulated("length matters", np.random.default_rng([8, i])) for i in range(6)]
    without, included, _ = (settings for _, settings in study.WORLDS["length matters"])
    left_out = np.mean([study.held(one, without, i)["ability"] for i, one in enumerate(made)])
    fitted = np.mean([study.held(one, included, i)["ability"] for i, one in enumerate(made)])
    assert left_out < 0.7
    assert fitted > 0.88
