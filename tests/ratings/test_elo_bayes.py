"""elo_bayes: published and independent numbers, calibration, ranks, dates, groups, bad input."""

import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import peckorder as po
from peckorder.kernels.posterior import density_at, workplace
from peckorder.ratings import sampler
from peckorder.ratings.elo_bayes import check_convergence, model_of
from peckorder.ratings.likelihood import observe
from peckorder.ratings.sampler import Convergence, dimension
from peckorder.results.samples import ranks
from tests import fit_twin as twin

PRIORS = {"prior_sigma": 1.0, "prior_k": 1.0, "prior_nu": 1.0, "prior_home": 1.0}


def simulated(seed, people=8, number=100, sigma=1.5, k=0.3, nu=0.0):
    """Contests between random pairs, with the truth: starting scores and final ones."""
    random = np.random.default_rng(seed)
    start = random.normal(0, sigma, people)
    score, rows = start.copy(), []
    for _ in range(number):
        a, b = random.choice(people, 2, replace=False)
        p = 1 / (1 + np.exp(score[b] - score[a]))
        u = random.random() * (1 + nu * np.sqrt(p * (1 - p)))
        won = 1.0 if u < p else 0.0 if u < 1 else 0.5
        score[a] += k * (won - p)
        score[b] -= k * (won - p)
        rows.append((a, b, won == 0.5) if won else (b, a, False))
    table = pl.DataFrame(
        {
            "winner": [f"i{a:02d}" for a, _, _ in rows],
            "loser": [f"i{b:02d}" for _, b, _ in rows],
            "draw": [drawn for *_, drawn in rows],
        }
    )
    data = po.read(table if nu else table.drop("draw"))
    codes = [int(name[1:]) for name in data.individuals]
    return data, start[codes], score[codes]


@pytest.fixture(scope="module")
def adv():
    return po.elo_bayes(po.datasets.adv(), seed=1)


@pytest.fixture(scope="module")
def chimpanzees(paper_file):
    files = [paper_file(f"chimpanzee_females{end}.csv") for end in ("", "_presence")]
    data = po.read(files[0], presence=files[1])
    return data.take(np.arange(100, len(data)))


# -- the published example ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.paper_data
def test_chimpanzee_females_agree_with_nutpie_and_stan(chimpanzees, software):
    post = po.elo_bayes(chimpanzees, seed=4)
    reference = json.loads(
        (Path(__file__).parent.parent / "reference" / "nutpie.json").read_text(encoding="utf-8")
    )
    for name in ("k", "sigma"):
        mean, error = reference[name]
        own = sampler.mcse(post.samples[name][..., None])[0]
        assert abs(post.samples[name].mean() - mean) < 4 * np.hypot(error, own), name
    start, own = post.samples["start"].mean(axis=(0, 1)), sampler.mcse(post.samples["start"])
    for i, name in enumerate(post.individuals):
        mean, error = reference["start"][name]
        assert abs(start[i] - mean) < 4 * np.hypot(error, own[i]), name
    stan = software[
        "Goffe Stan model (rstan), chimpanzee females, first 100 contests dropped, "
        "4 chains x 250 draws"
    ]
    for name in ("k", "sigma"):
        assert post.values[name].value == pytest.approx(stan[f"{name}_mean"], abs=0.04)
        assert post.values[name].low == pytest.approx(stan[f"{name}_q"][0], abs=0.12)
        assert post.values[name].high == pytest.approx(stan[f"{name}_q"][2], abs=0.12)
    expected = post.history["expected"].to_numpy()
    assert (expected > 0.5).mean() == pytest.approx(0.884, abs=0.003)
    assert ((1 - expected) ** 2).mean() == pytest.approx(stan["brier_posterior_mean_p"], abs=0.0005)
    when = software["Goffe Stan model: probabilities taken before and after the update"]
    for moment, chances in chances_before_and_after(chimpanzees, post).items():
        mean, known = chances.mean(axis=0), when[moment]
        assert (mean > 0.5).mean() == pytest.approx(known["correct_of_posterior_mean"], abs=0.004)
        assert np.mean((1 - mean) ** 2) == pytest.approx(
            known["brier_of_posterior_mean"], abs=0.001
        )
        assert (chances > 0.5).mean() == pytest.approx(known["correct_mean_over_draws"], abs=0.004)
        assert np.mean((1 - chances) ** 2) == pytest.approx(
            known["brier_mean_over_draws"], abs=0.001
        )


def chances_before_and_after(data, post, every=20):
    """Probabilities that the winner wins, by draw, from the scores before and after the contest."""
    k = post.samples["k"].ravel()[::every]
    start = post.samples["start"].reshape(-1, len(post))[::every]
    chances = {"before": [], "after": []}
    for one, own in zip(k, start, strict=True):
        starts = dict(zip(post.individuals, own, strict=True))
        history = po.elo(data, k=one, start=starts, delta=1).history
        for moment, rows in chances.items():
            ahead = history[f"winner_{moment}"] - history[f"loser_{moment}"]
            rows.append(1 / (1 + np.exp(-ahead.to_numpy())))
    return {moment: np.array(rows) for moment, rows in chances.items()}


@pytest.mark.paper_data
@pytest.mark.parametrize(("prior", "sigma", "error"), [(1.0, 2.41, 0.04), (2.0, 2.62, 0.05)])
def test_sigma_of_a_static_hierarchy(chimpanzees, prior, sigma, error):
    post = po.elo_bayes(chimpanzees, k=0, prior_sigma=prior, seed=1)
    assert post.sigma.value == pytest.approx(sigma, abs=error)
    assert post.k == 0


@pytest.mark.slow
@pytest.mark.paper_data
def test_centering_on_those_present_changes_the_posterior(chimpanzees):
    post = po.elo_bayes(chimpanzees, centering="present", seed=1)
    assert post.k.value == pytest.approx(0.26, abs=0.03)
    assert post.sigma.value == pytest.approx(1.74, abs=0.05)
    assert post.settings["centering"] == "present"
    assert any("centered on the individuals present" in word for word in post.summary)
    # Those present at a contest have mean zero right after it, in every draw.
    date = "1990-06-01"
    done = int((chimpanzees.times <= np.datetime64(date)).sum())
    last = str(chimpanzees.date[done - 1])[:10]
    for date in (last, "1990-06-01", "1993-03-20"):  # one individual arrived after the last contest
        scores = post.scores(at=date)
        assert np.nanmean(scores, axis=1) == pytest.approx(0, abs=1e-9)


def test_toy_examples_of_goffe():
    """§ 2.3.2: A at 1, B at 3; the update of both is k(1 − p)."""
    for k, (won, lost), expected in (
        (1.0, (1.8808, 2.1192), 0.5593),
        (2.0, (2.7616, 1.2384), 0.1790),
    ):
        data = po.read(pl.DataFrame({"winner": ["A"], "loser": ["B"]}))
        after = po.elo(data, k=k, start={"A": 1, "B": 3}, delta=1)
        assert after["A"] == pytest.approx(won, abs=5e-5)
        assert after["B"] == pytest.approx(lost, abs=5e-5)
        assert after.probability("B", "A") == pytest.approx(expected, abs=5e-5)
    data = po.read(pl.DataFrame({"winner": ["B"], "loser": ["A"]}))
    for k, chance in ((1.0, 0.9036), (2.0, 0.9225)):
        after = po.elo(data, k=k, start={"A": 1, "B": 3}, delta=1)
        assert after.probability("B", "A") == pytest.approx(chance, abs=5e-5)


# -- the sampler on this model -------------------------------------------------------------------


def test_posterior_agrees_with_nutpie_on_the_same_density():
    import nutpie
    from nutpie.compiled_pyfunc import from_pyfunc

    data, _, _ = simulated(2, people=6, number=60)
    model = model_of([observe(data)], priors=PRIORS)
    size = dimension(model)

    def gradient():
        def at(x):
            slope = np.empty(size)
            return density_at(np.ascontiguousarray(x), slope, workplace(model)), slope

        return at

    compiled = from_pyfunc(
        size, gradient, lambda *_: lambda x: {"x": x.copy()}, [np.dtype(float)], [(size,)], ["x"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = nutpie.sample(
            compiled,
            draws=2000,
            tune=1000,
            chains=4,
            cores=1,
            seed=1,
            save_warmup=False,
            progress_bar=False,
        )
    x = np.asarray(trace.posterior["x"])
    sigma, k = np.logaddexp(0, x[..., -2]), np.logaddexp(0, x[..., -1])
    start = x[..., :-2] * sigma[..., None]
    theirs = np.concatenate(
        [start - start.mean(axis=-1, keepdims=True), sigma[..., None], k[..., None]], axis=-1
    )
    post = po.elo_bayes(data, seed=1, samples=2000)
    ours = np.dstack([post.samples[name] for name in ("start", "sigma", "k")])
    error = np.hypot(sampler.mcse(ours), sampler.mcse(theirs))
    assert np.abs((ours.mean(axis=(0, 1)) - theirs.mean(axis=(0, 1))) / error).max() < 4
    ratio = ours.std(axis=(0, 1)) / theirs.std(axis=(0, 1))
    assert np.abs(ratio - 1).max() < 0.1


def test_same_seed_same_draws_on_any_number_of_threads():
    data = po.datasets.adv()
    short = {"seed": 3, "warmup": 200, "samples": 100}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.ConvergenceWarning)
        one, two, other = (
            po.elo_bayes(data, **short, threads=1),
            po.elo_bayes(data, **short, threads=4),
            po.elo_bayes(data, **(short | {"seed": 4})),
        )
    for name, draws in one.samples.items():
        assert np.array_equal(draws, two.samples[name])
    assert not np.array_equal(one.samples["k"], other.samples["k"])
    assert one.seed == 3


CELLS = [(5, 10, 0.3), (10, 20, 2.6), (44, 88, 2.6)]


@pytest.mark.parametrize(("people", "number", "sigma"), CELLS)
def test_weak_data_are_sampled_well(people, number, sigma):
    data, _, _ = simulated(people + number, people, number, sigma)
    post = po.elo_bayes(data, seed=1)
    assert post.rhat_max <= 1.01
    assert post.ess_min >= 300
    assert post.divergences <= 4


@pytest.mark.slow
def test_intervals_cover_as_they_should():
    """30 data sets from the prior: coverage of 80% and 95% intervals within binomial bounds."""
    hits, number = {80: 0, 95: 0}, 0
    ranks_of_truth = []
    for seed in range(30):
        random = np.random.default_rng(1000 + seed)
        sigma, k = abs(random.normal(0, 1, 2))
        data, _, final = simulated(seed, 6, 60, sigma, k)
        with warnings.catch_warnings():  # in many fits, some diagnostics exceed a limit by chance
            warnings.simplefilter("ignore", po.ConvergenceWarning)
            post = po.elo_bayes(data, seed=seed, warmup=500, samples=500)
        final = final - final.mean()
        truth = final[np.argsort(post.individuals)]
        for level in hits:
            table = post.at_level(level / 100).table.sort("individual")
            inside = (table["rating_low"].to_numpy() <= truth) & (
                truth <= table["rating_high"].to_numpy()
            )
            # One individual per data set: those of one set are not independent.
            hits[level] += int(inside[seed % len(inside)])
        number += 1
        ranks_of_truth += [(post.samples["k"] < k).mean(), (post.samples["sigma"] < sigma).mean()]
    for level, count in hits.items():
        low, high = binom.ppf([0.0005, 0.9995], number, level / 100)
        assert low <= count <= high, (level, count)
    low, high = binom.ppf([0.0005, 0.9995], len(ranks_of_truth), 0.5)
    assert low <= np.sum(np.array(ranks_of_truth) < 0.5) <= high


def test_prior_comes_back_where_nothing_was_seen():
    """Without contests, the posterior equals the prior."""
    from peckorder.ratings.sampler import Sampler, parameters

    data, _, _ = simulated(1, 5, 20)
    contests = observe(data).contests
    none = contests._replace(first=contests.first[:0], second=contests.second[:0])
    model = model_of([observe(data)], priors=PRIORS)._replace(contests=none)
    positions, _ = Sampler.of(4, 1000, 2000, 1, None, None).run([model])[0]
    found = parameters(model, positions)
    for name in ("k", "sigma"):
        draws = found[name]
        error = sampler.mcse(draws)[0]
        assert abs(draws.mean() - np.sqrt(2 / np.pi)) < 4.5 * error
        squares = draws**2
        assert abs(squares.mean() - 1) < 4.5 * sampler.mcse(squares)[0]
    # Starts are N(0, σ) with σ half-normal: their variance is E σ² = 1.
    squares = found["start"] ** 2
    assert (np.abs(squares.mean(axis=(0, 1)) - 1) < 4.5 * sampler.mcse(squares)).all()


# -- results of the posterior ----------------------------------------------------------------------


def test_table_has_the_promised_columns(adv):
    expected = [
        "individual",
        "rating",
        "rank",
        "contests",
        "wins",
        "losses",
        "draws",
        "first_seen",
        "last_seen",
        "rating_sd",
        "rating_low",
        "rating_high",
        "rank_low",
        "rank_high",
        "p_first",
        "start",
        "start_low",
        "start_high",
    ]
    assert adv.table.columns == expected
    narrow = adv.at_level(0.8).table
    for what in ("rating", "rank"):
        cuts = [
            part[f"{what}_{end}"].to_numpy()
            for end, order in (("low", (adv.table, narrow)), ("high", (narrow, adv.table)))
            for part in order
        ]
        assert all((one <= other).all() for one, other in itertools.pairwise(cuts))
    assert adv.table["p_first"].sum() == pytest.approx(1)
    assert adv.table["rating"].sum() == pytest.approx(0, abs=1e-9)
    assert {"k", "sigma", "rhat_max", "ess_min", "divergences"} <= set(adv.values)
    assert set(adv.k.to_dict()) == {"value", "sd", "low", "high"}


def test_final_draws_are_the_course_of_the_twin(adv):
    data = adv.data
    for chain, sample in ((0, 0), (2, 17), (3, 1499)):
        start, k = adv.samples["start"][chain, sample], float(adv.samples["k"][chain, sample])
        course = twin.course(data.winner.tolist(), data.loser.tolist(), start.tolist(), k)
        row = chain * 1500 + sample
        np.testing.assert_allclose(adv.final[row], course[-1], atol=1e-12)
        at = adv.scores(at=str(data.date[9])[:10])[row]
        np.testing.assert_allclose(at, course[10], atol=1e-12)
        terms = twin.log_likelihood(
            data.winner.tolist(), data.loser.tolist(), start.tolist(), k, each=True
        )
        np.testing.assert_allclose(adv.log_likelihood[chain, sample], terms, atol=1e-12)


def test_pairs_sets_and_classes(adv):
    table = adv.outranks()
    names = table["individual"].to_list()
    chance = table.drop("individual").to_numpy()
    assert names == table.columns[1:]
    off = ~np.eye(len(names), dtype=bool)
    assert (chance + chance.T)[off] == pytest.approx(1)
    assert adv.outranks("b", "a") == chance[names.index("b"), names.index("a")]
    for together in adv.indistinct(level=0.95):
        places = [names.index(name) for name in together]
        assert places == list(range(places[0], places[-1] + 1))
        inner = chance[np.ix_(places, places)][~np.eye(len(places), dtype=bool)]
        assert inner.max() < 0.95
    assert adv.indistinct(level=0.999) != adv.indistinct(level=0.6)
    halves, thirds = adv.classes(), adv.classes(3)
    assert halves.columns[-2:] == ["p_class_1", "p_class_2"]
    assert thirds.drop("individual", "rating", "rank").sum_horizontal().to_list() == pytest.approx(
        [1.0] * 7
    )
    # Seven in two halves: ranks 1 to 4 are the upper one.
    assert halves["p_class_1"].sum() == pytest.approx(4)
    assert ranks(np.array([[1.0, 3.0, 2.0]])).tolist() == [[3, 1, 2]]


def test_everything_at_a_date(adv):
    date = "2010-01-12"
    table = adv.at(date)
    assert table.height == 7
    assert table["contests"].sum() == 2 * int((adv.data.date < np.datetime64("2010-01-13")).sum())
    assert adv.outranks("c", "a", at=date) == (
        (adv.scores(at=date)[:, 1] > adv.scores(at=date)[:, 6]).mean()
    )
    assert adv.classes(3, at=date).height == 7
    assert isinstance(adv.indistinct(at=date), list)
    assert 0 < adv.probability("b", "a", at=date) < 1
    assert adv.expected_beaten(at=date)["expected_beaten"].sum() == pytest.approx(21)
    with pytest.raises(ValueError, match="before the first contest"):
        adv.outranks("a", "b", at="2009-12-31")
    for empty in (adv.at, lambda day: adv.outranks(at=day), lambda day: adv.classes(at=day)):
        with pytest.warns(po.DataWarning, match="before the first contest"):
            assert empty("2009-12-31").height == 0


def test_centered_moves_the_zero_only(adv):
    table = adv.centered(at="2010-01-12")
    assert table["rating"].mean() == pytest.approx(0, abs=1e-9)
    by = dict(zip(table["individual"], table["rating"], strict=True))
    at = dict(zip(*adv.at("2010-01-12").select("individual", "rating"), strict=True))
    assert by["b"] - by["a"] == pytest.approx(at["b"] - at["a"])
    elo = po.elo(po.datasets.adv()).centered()
    assert elo["rating"].mean() == pytest.approx(0, abs=1e-9)


def test_trajectory_has_bands_around_the_course(adv):
    course = adv.trajectory("a")
    assert course.columns == [
        "contest",
        "date",
        "rating",
        "rating_low",
        "rating_high",
    ]
    assert course["contest"][0] == 0
    assert course["rating"][-1] == pytest.approx(adv["a"])
    assert (course["rating_low"] <= course["rating"]).all()
    assert adv.reliable_from <= 33
    before = adv.history["winner_before"].to_numpy()
    assert np.isfinite(before).all()


def test_newcomers_come_from_the_same_population_and_are_not_listed_before(sheet):
    rows = [("2020-01-01", "a", "b"), ("2020-01-02", "b", "c"), ("2020-01-03", "a", "c")] * 3
    rows += [("2020-02-01", "d", "a"), ("2020-02-02", "d", "b")]
    data = po.read(pl.DataFrame(rows, schema=["date", "winner", "loser"], orient="row"))
    presence = pl.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "start": ["2020-01-01"] * 3 + ["2020-02-01"],
            "end": ["2020-12-31", "2020-12-31", "2020-01-20", "2020-12-31"],
        }
    )
    post = po.elo_bayes(data, presence=presence, seed=1)
    assert set(post.at("2020-01-03")["individual"]) == {"a", "b", "c"}
    assert set(post.at("2020-02-02")["individual"]) == {"a", "b", "d"}
    assert np.isnan(post.scores(at="2020-01-03")[:, post.individuals.index("d")]).all()
    course = post.trajectory("d")
    assert course["contest"].to_list() == [9, 10, 11]
    assert str(course["date"][0])[:10] == "2020-02-01"
    with pytest.raises(ValueError, match='"d" is not present'):
        post.outranks("d", "a", at="2020-01-03")
    late = presence.with_columns(start=pl.Series(["2020-01-01", "2020-01-02", *["2020-01-02"] * 2]))
    with pytest.raises(po.DataError, match="was absent on that day"):
        po.elo_bayes(data, presence=late)
    with pytest.raises(po.DataError, match="needs presence data"):
        po.elo_bayes(data, centering="present")
    centered = po.elo_bayes(data, presence=presence, centering="present", seed=1)
    assert centered.values["k"].value > 0


def test_k_fixed_by_context_and_sigma_fixed():
    data, _, _ = simulated(5, 6, 80)
    static = po.elo_bayes(data, k=0, seed=1)
    assert np.array_equal(static.final, static.samples["start"].reshape(-1, 6))
    assert static.static_evidence is None
    fixed = po.elo_bayes(data, k=50, sigma=1.0, delta=0.01, seed=1)
    assert fixed.k == 50
    assert fixed.sigma == 100
    assert (fixed.samples["k"] == 50).all()
    table = data.frame().with_columns(context=pl.Series(["x", "y"] * 40))
    pooled = po.elo_bayes(po.read(table), k="context", seed=1)
    assert set(pooled.k) == {"x", "y"}
    assert pooled.k_typical.value > 0
    assert pooled.samples["k"].shape == (4, 1500, 2)


@pytest.mark.slow
def test_draws_by_davidson():
    data, _, _ = simulated(6, 5, 400, nu=0.8, k=0.0, sigma=1.0)
    post = po.elo_bayes(data, seed=1)
    assert post.nu.low < 0.8 < post.nu.high
    left = po.elo_bayes(data, ties="omit", seed=1)
    assert "nu" not in left.values
    assert any("ties were excluded" in word for word in left.summary)


@pytest.mark.slow
def test_home_advantage_estimated_or_fixed():
    random = np.random.default_rng(2)
    rows = []
    for _ in range(400):
        a, b = random.choice(6, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(-0.7))
        rows.append((str(a), str(b), int(won), int(not won)))
    games = po.read(
        pl.DataFrame(rows, schema=["home", "away", "home_points", "away_points"], orient="row")
    )
    post = po.elo_bayes(games, home_advantage="estimate", seed=1)
    assert post.home_advantage.low < 0.7 < post.home_advantage.high
    assert post.probability("0", "1", home="0") > post.probability("0", "1")
    fixed = po.elo_bayes(games, home_advantage=0.7, seed=1)
    assert fixed.sigma.value == pytest.approx(post.sigma.value, abs=0.1)
    with pytest.raises(ValueError, match='home must be "0" or "1"'):
        post.probability("0", "1", home="2")


@pytest.mark.slow
def test_groups_with_shared_sigma_and_k():
    parts = {name: simulated(seed, 6, 60)[0] for name, seed in (("A", 1), ("B", 2), ("C", 3))}
    both = po.elo_bayes(parts, seed=1)
    assert list(both) == ["A", "B", "C"]
    assert np.array_equal(both["A"].samples["k"], both["B"].samples["k"])
    assert np.array_equal(both["A"].samples["sigma"], both["C"].samples["sigma"])
    assert both["A"].individuals == parts["A"].individuals
    single = {name: po.elo_bayes(part, seed=1) for name, part in parts.items()}
    assert both["A"].sigma.sd < np.mean([post.sigma.sd for post in single.values()])
    alone = single["A"]
    own = po.elo_bayes(parts, shared=("sigma",), seed=1)
    assert not np.array_equal(own["A"].samples["k"], own["B"].samples["k"])
    none = po.elo_bayes(parts, shared=(), seed=1)
    for name in ("k", "sigma"):
        error = np.hypot(
            *(sampler.mcse(post.samples[name][..., None])[0] for post in (none["A"], alone))
        )
        assert abs(none["A"].samples[name].mean() - alone.samples[name].mean()) < 4.5 * error
    # A k shared by all groups has one Bayes factor for k = 0; a single group has another.
    assert len({post.static_evidence["ratio"] for post in both.values()}) == 1
    assert both["A"].static_evidence["ratio"] != alone.static_evidence["ratio"]
    assert po.elo_bayes({"A": parts["A"]}, shared="sigma", seed=1)["A"].k == alone.k
    with pytest.raises(ValueError, match='shared="tau" is not valid'):
        po.elo_bayes(parts, shared=("tau",))
    with pytest.raises(po.ArgumentError, match="Choose from"):
        po.elo_bayes(parts, shared=np.array([[0, 1], [2, 0]]))


def test_groups_of_which_one_has_draws():
    """A draw in one group makes the other one's wins less likely too: they share ν."""
    parts = {"A": simulated(1, 5, 60, nu=0.8)[0], "B": simulated(2, 5, 60)[0]}
    both = po.elo_bayes(parts, seed=1)
    for post in both.values():
        replay = post.course.replay.thinned(20)
        k = np.array([0.3])
        terms = replay.totals(k)
        total, final = replay.own_totals()
        assert total == pytest.approx(replay.log_likelihood().sum(axis=1), abs=1e-9)
        assert final == pytest.approx(replay.final, abs=1e-9)
        for d in range(20):
            expected = twin.log_likelihood(
                post.data.winner.tolist(),
                post.data.loser.tolist(),
                replay.start[d].tolist(),
                0.3,
                draw=None if post.data.draw is None else post.data.draw.tolist(),
                nu=float(replay.nu[d]),
            )
            assert terms[d, 0] == pytest.approx(expected, abs=1e-9)


def test_stored_log_density_is_that_of_the_draw():
    from peckorder.ratings.sampler import Sampler

    model = model_of([observe(po.datasets.adv())], priors=PRIORS)
    positions, statistics = Sampler.of(1, 200, 50, 1, None, None).run([model])[0]
    slope = np.empty(dimension(model))
    for x, told in zip(positions[0], statistics[0, :, 0], strict=True):
        assert density_at(x, slope, workplace(model)) == pytest.approx(told, abs=1e-9)


def test_an_individual_called_individual():
    rows = [("individual", "b"), ("b", "individual"), ("individual", "b")]
    data = po.read(pl.DataFrame(rows, schema=["winner", "loser"], orient="row"))
    table = po.elo_bayes(data, seed=1).outranks()
    assert table.columns[0] == "individual (row)"
    assert "individual" in table.columns


def test_relabelling_and_reversal():
    data, _, _ = simulated(7, 6, 80)
    table = data.frame()
    turned = po.read(table.rename({"winner": "loser", "loser": "winner"}))
    one, other = po.elo_bayes(data, seed=1), po.elo_bayes(turned, seed=2)
    error = np.hypot(one.table["rating_sd"].max(), 0) / np.sqrt(one.ess_min / 2)
    for name in data.individuals:
        assert one[name] == pytest.approx(-other[name], abs=5 * error)


def test_scales_change_the_unit_and_nothing_else():
    data = po.datasets.adv()
    one, ten = po.elo_bayes(data, seed=1), po.elo_bayes(data, seed=1, scale=400)
    unit = 400 / np.log(10)
    assert ten.k.value == pytest.approx(one.k.value * unit)
    assert ten.sigma.value == pytest.approx(one.sigma.value * unit)
    assert ten["b"] == pytest.approx(one["b"] * unit)
    assert ten.rhat_max == pytest.approx(one.rhat_max)
    assert ten.outranks("b", "c") == one.outranks("b", "c")


# -- diagnostics, errors, cancel -----------------------------------------------------------------


def test_a_fit_that_did_not_converge_is_never_silent(adv):
    with pytest.warns(po.ConvergenceWarning, match=r"is not reliable.*Increase samples"):
        poor = po.elo_bayes(po.datasets.adv(), seed=1, samples=50)
    assert poor.summary[0] == "Convergence problems: this posterior is not reliable."
    assert adv.summary[0].startswith("Converged: largest R̂ 1.00")
    # Chains that do not mix raise an error, which keeps the result.
    apart = {name: draws.copy() for name, draws in poor.samples.items()}
    apart["start"][0] += np.arange(7.0)
    apart |= {name: apart[name][..., None] for name in ("k", "sigma")}
    long = {name: np.repeat(draws, 4, axis=1) for name, draws in apart.items()}
    found = Convergence.of(long, np.zeros((4, 200, 6)), True, True)
    with pytest.raises(po.ConvergenceError, match="The chains have not mixed") as caught:
        check_convergence(found, poor)
    assert caught.value.ratings is poor


def test_diagnostics_of_every_parameter(adv):
    table = adv.diagnostics
    assert table["parameter"].to_list()[-2:] == ["sigma", "k"]
    assert table.height == 9
    assert table["ess_bulk"].min() == pytest.approx(adv.ess_min, rel=0.01)
    assert table["rhat"].max() == pytest.approx(adv.rhat_max, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"prior_sigma": 0}, "prior_sigma=0: give a number above 0"),
        ({"prior_k": -1}, "prior_k=-1: give a number above 0"),
        ({"sigma": 0}, "sigma=0: give a number above 0"),
        ({"chains": 0}, "chains=0: give a whole number of at least 1"),
        ({"samples": 0}, "samples=0: give a whole number of at least 1"),
        ({"warmup": -1}, "warmup=-1: give a whole number of at least 0"),
        ({"threads": 0}, "threads=0"),
        ({"k": -1}, "k=-1: give a finite number of at least 0"),
        ({"k": "often"}, 'k="often" is not valid'),
        ({"centering": "all"}, 'centering="all" is not known'),
        ({"ties": "half"}, 'ties="half" is not known'),
        ({"home_advantage": float("nan")}, "home_advantage=nan"),
        ({"seed": -1}, "seed=-1"),
        ({"accept": 1.0}, "accept=1.0"),
    ],
)
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        po.elo_bayes(po.datasets.adv(), **arguments)


def test_wrong_data():
    with pytest.raises(FileNotFoundError):
        po.elo_bayes("nowhere.csv")
    with pytest.raises(po.DataError, match="needs a column of contexts"):
        po.elo_bayes(po.datasets.adv(), k="context")
    with pytest.raises(po.DataError, match="at least one contest between two individuals"):
        po.elo_bayes(po.Matrix(("a",), np.zeros((1, 1), int), None))
    same = po.read(pl.DataFrame({"winner": ["a"] * 5, "loser": ["b"] * 5}))
    assert po.elo_bayes(same, seed=1).outranks("a", "b") > 0.9


def test_too_many_individuals_are_told_what_it_would_cost():
    names = [f"i{i}" for i in range(5002)]
    data = po.read(pl.DataFrame({"winner": names[:-1], "loser": names[1:]}))
    with pytest.raises(ValueError, match=r"5,002 individuals would take about .* minutes") as error:
        po.elo_bayes(data)
    assert "penalized=True" in str(error.value)
    assert len(po.elo_ml(data, penalized=True)) == 5002


def test_progress_counts_up_to_all(adv):
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.ConvergenceWarning)
        po.elo_bayes(
            po.datasets.adv(),
            seed=1,
            warmup=100,
            samples=100,
            progress=lambda done, of: seen.append((done, of)),
        )
    assert seen[-1] == (800, 800)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_what_a_short_chain_cannot_say_is_missing():
    with pytest.warns(po.ConvergenceWarning):
        found = po.elo_bayes(po.datasets.adv(), chains=1, warmup=20, samples=2, seed=1)
    assert found.rhat_max is None
    assert found.values["ess_min"] is None
    assert any("R̂ is not available" in sentence for sentence in found.summary)
    assert not any("nan" in sentence for sentence in found.summary)


def test_narrow_priors_are_sampled_and_absurd_ones_refused():
    """Chains start within the prior: far outside, a slice would be widened for hours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = po.elo_bayes(
            po.datasets.adv(), prior_k=1e-4, seed=1, chains=1, warmup=150, samples=150
        )
    natural = found.samples["k"] / 1e-4
    assert 0.3 < natural.mean() < 1.6  # k has its prior, whose mean is 0.8 scales
    for name in ("prior_k", "prior_sigma", "prior_nu", "prior_home"):
        for value in (1e-6, 1e6):
            with pytest.raises(po.ArgumentError, match=f"{name}=.*give a scale from 0.0001"):
                po.elo_bayes(po.datasets.adv(), **{name: value})
