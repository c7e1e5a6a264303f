"""Scores, predictive checks, sensitivity, exclusions, and files of fitted models."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peckorder as po
from tests import fit_twin as twin
from tests.ratings.test_elo_bayes import simulated


@pytest.fixture(scope="module")
def adv():
    return po.elo_bayes(po.datasets.adv(), seed=1)


@pytest.fixture(scope="module")
def static():
    return po.elo_bayes(po.datasets.adv(), k=0, seed=1)


def test_leave_one_out_is_that_of_the_twin_and_of_arviz(adv):
    found = adv.loo()
    elpd, shape = twin.psis_loo(adv.log_likelihood.reshape(-1, 33).tolist())
    np.testing.assert_allclose(found.frame["value"], elpd, atol=1e-9)
    np.testing.assert_allclose(found.frame["pareto_k"], shape, atol=1e-9)
    assert found.value == pytest.approx(sum(elpd))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz

        theirs = arviz.loo(adv.to_arviz(), reff=1.0)
    elpd = theirs.elpd_loo if hasattr(theirs, "elpd_loo") else theirs.elpd
    exact = arviz.__version__.startswith("0.")  # later versions smooth the tail differently
    assert found.value == pytest.approx(float(elpd), abs=1e-6 if exact else 0.01)


def test_prequential_score_is_the_marginal_likelihood(adv, static):
    """Against brute force: the mean likelihood over draws from the prior."""
    data = adv.data
    one, other = adv.prequential(seed=1), static.prequential(seed=1)
    random = np.random.default_rng(1)
    first, second = data.winner, data.loser
    number = 400_000
    for found, k in ((one, np.abs(random.normal(size=number))), (other, np.zeros(number))):
        sigma = np.abs(random.normal(size=number))
        score = random.normal(size=(number, 7)) * sigma[:, None]
        total = np.zeros(number)
        for a, b in zip(first, second, strict=True):
            d = score[:, a] - score[:, b]
            total -= np.logaddexp(0, -d)
            step = k / (1 + np.exp(d))
            score[:, a] += step
            score[:, b] -= step
        weight = np.exp(total - total.max())
        evidence = np.log(weight.mean()) + total.max()
        error = weight.std() / weight.mean() / np.sqrt(number)
        assert found.value == pytest.approx(evidence, abs=4 * error + 0.15)
    # The Savage–Dickey ratio is the Bayes factor for k = 0.
    ratio = adv.static_evidence["ratio"]
    assert np.log(ratio) == pytest.approx(other.value - one.value, abs=0.5)


def test_settings_of_a_score_are_its_own(adv):
    found = adv.prequential(chains=1, samples=200, seed=77)
    assert (found.settings["chains"], found.settings["samples"], found.seed) == (1, 200, 77)
    check = adv.predictive_check(seed=np.random.SeedSequence(3))
    assert isinstance(check.seed, int)
    json.dumps(check.to_dict())


def test_models_side_by_side(adv, static):
    found = po.compare_models({"moving": adv, "static": static}, by="loo")
    assert found.table["model"][0] == found.highest
    assert found.table["difference"][0] == 0
    assert found.table["difference"][1] < 0
    by = {row["model"]: row["score"] for row in found.table.to_dicts()}
    assert by["moving"] == pytest.approx(adv.loo().value)
    assert "predicts better than" in found.summary[0]
    assert "favors ratings that hardly change" in found.summary[-1]
    step = po.compare_models({"moving": adv, "static": static}, seed=1)
    assert step.by == "prequential"  # k differs
    assert step.highest == "moving"
    assert 0 < step.mc_se < 1
    assert "Monte Carlo error of a score" in step.summary[-1]
    alike = po.compare_models({"a": adv, "b": adv})
    assert alike.by == "loo"
    assert step.settings["models"]["static"]["k"] == 0
    other = po.elo_bayes(simulated(1)[0], seed=1)
    with pytest.raises(po.DataError, match="the contests differ from those of"):
        po.compare_models({"a": adv, "b": other})
    with pytest.raises(TypeError, match="is not a posterior"):
        po.compare_models({"a": adv, "b": po.elo(po.datasets.adv())}, by="loo")
    with pytest.raises(ValueError, match="at least two ratings by name"):
        po.compare_models({"a": adv})
    with pytest.raises(ValueError, match='by="aic" is not known'):
        po.compare_models({"a": adv, "b": static}, by="aic")


def test_predictive_check_passes_the_truth_and_finds_the_false():
    data, _, _ = simulated(3, 8, 400, 1.5, 0.3)
    good = po.elo_bayes(data, seed=1).predictive_check()
    assert good.p > 0.005
    assert list(good.table["statistic"]) == ["upsets", "consistency", "switches", "spread of wins"]
    # Winners of a dyad alternate, which no rating model predicts.
    rows = []
    for i in range(60):
        rows += [("a", "b") if i % 2 else ("b", "a"), ("b", "c") if i % 2 else ("c", "b")]
    data = po.read(pl.DataFrame(rows, schema=["winner", "loser"], orient="row"))
    bad = po.elo_bayes(data, seed=1).predictive_check(seed=2)
    assert bad.p < 0.001
    assert any(
        word.startswith("The model does not reproduce the observed switches")
        for word in bad.summary
    )
    assert bad.draws["outcomes"].shape == (1000, 120)


def test_predictive_check_draws_from_the_model(adv):
    """Proportions of outcomes of the first contest, whose probability is known."""
    outcomes = adv.predictive_check(seed=3).draws["outcomes"]
    keep = np.linspace(0, 5999, 1000).astype(int)
    start = adv.samples["start"].reshape(-1, 7)[keep]
    ahead = start[:, adv.data.winner[0]] - start[:, adv.data.loser[0]]
    chance = (1 / (1 + np.exp(-ahead))).mean()
    assert (outcomes[:, 0] == 0).mean() == pytest.approx(chance, abs=4 * np.sqrt(0.25 / 1000))


def test_sensitivity_by_reweighting_agrees_with_refitting():
    data, _, _ = simulated(4, 8, 150, 1.0, 0.2)
    post = po.elo_bayes(data, seed=1, samples=2000)
    near = post.prior_sensitivity(prior_sigma=1.5)
    again = post.prior_sensitivity(prior_sigma=1.5, refit=True)
    for parameter, room in (("sigma", 0.06), ("k", 0.03)):
        means = [
            found.table.filter(
                (pl.col("parameter") == parameter) & (pl.col("prior") != "as fitted")
            )["mean"][0]
            for found in (near, again)
        ]
        assert means[0] == pytest.approx(means[1], abs=room)
    row = near.table.filter(pl.col("scale").is_not_null()).row(0, named=True)
    assert 0 < row["hellinger"] < 0.2
    assert row["pareto_k"] < 0.7
    assert post.prior_sensitivity().table.height == 2 + 4 * 2
    same = post.prior_sensitivity(prior_k=1.0)
    assert same.value == pytest.approx(0, abs=1e-7)
    with pytest.raises(ValueError, match="prior_nu cannot be changed"):
        post.prior_sensitivity(prior_nu=2.0)
    with pytest.raises(ValueError, match="above 0"):
        post.prior_sensitivity(prior_k=0.0)


def test_hellinger_distance_of_two_known_densities():
    """Half-normal prior draws reweighted to another scale: the distance is known exactly."""
    from dataclasses import replace

    data, _, _ = simulated(1)
    post = po.elo_bayes(data, seed=1)
    draws = np.abs(np.random.default_rng(1).normal(size=(4, 50_000)))
    known = replace(post, samples=post.samples | {"k": draws, "sigma": draws})
    found = known.prior_sensitivity(prior_k=0.7)
    exact = np.sqrt(1 - np.sqrt(2 * 0.7 / (1 + 0.49)))
    assert found.value == pytest.approx(exact, abs=0.005)


def test_without_shows_both_and_the_chain_reaction():
    rows = [("a", "b"), ("b", "c"), ("c", "a")] * 6 + [("c", "d"), ("d", "e"), ("e", "f")]
    data = po.read(pl.DataFrame(rows, schema=["winner", "loser"], orient="row"))
    found = po.without(data, one_sided=True, seed=1)
    assert found.rounds == [["f"], ["e"], ["d"]]
    assert found.left_out == 3
    assert found.contests_lost == 3
    assert "Exclusions led to further exclusions." in found.summary
    table = found.table
    assert table.filter(pl.col("left_out_in_round").is_not_null())["individual"].to_list() == [
        "f",
        "e",
        "d",
    ]
    assert sorted(table["rank_without"].drop_nulls()) == [1, 2, 3]
    few = po.without(data, min_contests=2, method="ml", penalized=True)
    assert few.rounds == [["f"], ["e"], ["d"]]
    named = po.without(data, individuals=["a"], seed=1, prior_sigma=2.0)
    assert named.rounds == [["a"]]
    assert named.settings["fit"]["prior_sigma"] == 2.0
    both = named.table.drop_nulls("rank")
    assert both["rating"].mean() == pytest.approx(both["rating_without"].mean())
    with pytest.raises(ValueError, match="Specify which individuals to exclude"):
        po.without(data)
    with pytest.raises(ValueError, match="This rule excludes no individual"):
        po.without(data, min_contests=1)
    with pytest.raises(ValueError, match='method="elo" is not known'):
        po.without(data, individuals=["a"], method="elo")


def variants():
    plain, _, _ = simulated(2, 6, 80)
    drawn, _, _ = simulated(2, 6, 80, nu=0.6)
    frame = plain.frame()
    dated = frame.with_columns(
        date=pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 3, 20), eager=True)
    )
    contexts = po.read(frame.with_columns(context=pl.Series(["x", "y"] * 40)))
    games = frame.rename({"winner": "home", "loser": "away"}).with_columns(
        home_points=pl.lit(1), away_points=pl.lit(0)
    )
    return {
        "plain": (plain, {}),
        "draws": (drawn, {}),
        "contexts": (contexts, {"k": "context"}),
        "dates and presence": (po.read(dated, presence="inferred"), {"centering": "present"}),
        "home": (po.read(games), {"home_advantage": "estimate", "scale": 400}),
        "fixed": (plain, {"k": 30, "sigma": 1.0, "delta": 0.01}),
    }


@pytest.mark.parametrize(
    "name", ["plain", "draws", "contexts", "dates and presence", "home", "fixed"]
)
def test_saved_and_loaded_it_is_the_same(name, tmp_path):
    data, settings = variants()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        post = po.elo_bayes(data, seed=1, warmup=200, samples=200, **settings)
    post.save(tmp_path / "post.npz")
    again = po.Posterior.load(tmp_path / "post.npz")
    assert again.table.equals(post.table)
    assert again.to_dict() == post.to_dict()
    assert again.data.hash == post.data.hash
    assert np.array_equal(again.log_likelihood, post.log_likelihood)
    when = post.data.times[10]
    moment = str(when)[:10] if post.data.date is not None else 11
    assert again.at(moment).equals(post.at(moment))
    assert again.provenance == post.provenance
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = again.to_arviz()
    assert tree["posterior"]["start"].shape == (4, 200, 6)
    assert list(tree["posterior"]["individual"].values) == list(post.individuals)
    assert tree["log_likelihood"]["outcome"].shape[-1] == len(post.data)
    assert tree["posterior"]["k"].ndim == (3 if name == "contexts" else 2)
    assert {"diverging", "energy"} <= set(tree["sample_stats"].data_vars)


def test_files_that_hold_no_posterior_are_refused(tmp_path, adv):
    (tmp_path / "text.npz").write_text("no")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("text.npz", "other.npz"):
        with pytest.raises(po.DataError, match="does not contain a posterior"):
            po.Posterior.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        po.Posterior.load(tmp_path / "none.npz")
    adv.save(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text().startswith("individual,rating,rank")
    adv.save(tmp_path / "all.json")
    answer = json.loads((tmp_path / "all.json").read_text())
    assert answer["result"]["k"]["value"] == pytest.approx(adv.k.value)
    assert answer["provenance"]["seed"] == 1


def test_without_arviz_the_message_says_how_to_install(adv, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r'pip install "peckorder\[arviz\]"'):
        adv.to_arviz()


def test_pandas_in_pandas_out():
    frame = pd.DataFrame(po.datasets.adv().frame().to_dict(as_series=False))
    post = po.elo_bayes(po.read(frame), seed=1)
    assert isinstance(post.table, pd.DataFrame)
    for table in (
        post.outranks(),
        post.classes(3),
        post.trajectory("a"),
        post.diagnostics,
        post.loo().table,
        post.predictive_check().table,
        post.prior_sensitivity().table,
        post.history,
        post.expected_beaten(),
    ):
        assert isinstance(table, pd.DataFrame)


def test_cite_names_model_and_seed(adv):
    text = adv.cite()
    assert "Goffe" in text
    assert "seed 1" in text
    assert "posterior" in text
    fit = po.elo_ml(po.datasets.adv(), estimate="k")
    assert "maximum likelihood" in fit.cite()
    assert "Foerster" in fit.cite()
