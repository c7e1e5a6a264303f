"""Answers of a board: pairs, ranks, weights, dependent contests and formulas."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.votes import votes


def arena(number, seed, individuals=8, ties=0.2):
    """Votes between individuals with normal abilities, and the abilities."""
    random = np.random.default_rng(seed)
    ability = random.normal(size=individuals)
    a = random.integers(individuals, size=number)
    b = (a + random.integers(1, individuals, size=number)) % individuals
    won = random.random(number) < 1 / (1 + np.exp(ability[b] - ability[a]))
    winner = np.where(random.random(number) < ties, "tie", np.where(won, "a", "b"))
    names = np.array([f"m{i}" for i in range(individuals)])
    return pl.DataFrame({"a": names[a], "b": names[b], "winner": winner}), ability - ability.mean()


def by_name(fit, column):
    return dict(fit.as_polars().select("individual", column).rows())


def test_probabilities_follow_from_abilities_and_their_covariance():
    fit = po.bradley_terry(po.read(arena(400, 1)[0]))
    own = {name: i for i, name in enumerate(fit.individuals)}
    i, j = own["m1"], own["m4"]
    gap = fit.ability[i] - fit.ability[j]
    spread = np.sqrt(fit.covariance[i, i] + fit.covariance[j, j] - 2 * fit.covariance[i, j])
    drawn = gap + spread * np.random.default_rng(1).normal(size=400_000)
    assert fit.outranks("m1", "m4") == pytest.approx((drawn > 0).mean(), abs=0.003)
    assert fit.probability("m1", "m4") == pytest.approx(
        (1 / (1 + np.exp(-drawn))).mean(), abs=0.001
    )
    three = fit.outcomes("m1", "m4")
    assert sum(three.values()) == pytest.approx(1)
    matrix = fit.probability()
    assert matrix.columns[1:] == list(fit)
    chance = matrix.drop("individual").to_numpy().astype(float)
    off = ~np.eye(8, dtype=bool)
    assert (chance + chance.T)[off] == pytest.approx(np.ones(56))
    assert fit.covariance.sum(axis=0) == pytest.approx(np.zeros(8), abs=1e-12)
    se = np.array([by_name(fit, "se")[name] for name in fit.individuals])
    assert fit.errors == pytest.approx(se)
    with pytest.raises(po.ArgumentError, match="Name two individuals, or none"):
        fit.probability("m1")
    with pytest.raises(po.ArgumentError, match="same individual"):
        fit.outranks("m1", "m1")


def test_ranks_have_intervals_and_the_bound_of_arenas():
    fit = po.bradley_terry(po.read(arena(600, 2)[0]))
    table = fit.as_polars()
    assert (table["rank_low"] <= table["rank"]).all()
    assert (table["rank"] <= table["rank_high"]).all()
    above = [
        1 + sum(low > row["ability_high"] for low in table["ability_low"])
        for row in table.iter_rows(named=True)
    ]
    assert table["rank_bound"].to_list() == above
    assert fit.rank_intervals().equals(
        table.select("individual", "rank", "rank_low", "rank_high", "rank_bound")
    )
    for group in fit.indistinct():
        assert all(fit.outranks(a, b) < 0.95 for a in group for b in group if a != b)


def test_between_components_nothing_is_claimed():
    """Differences are unbounded there, and d is a component of its own: {b, c} > {d} > the rest."""
    with pytest.warns(po.DataWarning, match="intervals are within each"):
        fit = po.bradley_terry(po.datasets.adv())
    with pytest.warns(po.DataWarning, match="between them are not stated.*penalized=True"):
        assert np.isnan(fit.outranks("b", "a"))
    with pytest.warns(po.DataWarning, match="not stated"):
        assert np.isnan(fit.probability("a", "b"))
    with pytest.warns(po.DataWarning, match="not stated"):
        assert np.isnan(list(fit.outcomes("a", "b").values())).all()
    with pytest.warns(po.DataWarning, match="not stated"):
        chances = fit.probability()
    # b and c, and the four others, within their components: 1 pair and 6 pairs, seen from each.
    assert chances.drop("individual").count().sum_horizontal().item() == 2 * (1 + 6)
    assert fit.probability("b", "c") == pytest.approx(0.631, abs=0.001)
    ranks = {row[0]: row[2:] for row in fit.rank_intervals().rows()}
    assert ranks["d"] == (None, None, None)
    assert ranks["b"] == (1, 2, 1)
    assert min(ranks[name][0] for name in "aefg") == 4
    assert fit.table.row(2, named=True)["rank_high"] is None


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "omit", "half", "both"])
@pytest.mark.parametrize("penalized", [False, True])
def test_a_weight_of_two_is_a_row_twice(ties, penalized):
    frame, _ = arena(150, 3, individuals=5)
    settings = {"ties": ties, "penalized": penalized, "robust": False}
    double = po.bradley_terry(po.read(frame.with_columns(w=pl.lit(2.0))), weights="w", **settings)
    twice = po.bradley_terry(po.read(pl.concat([frame, frame])), **settings)
    for column in ("ability", "se"):
        assert by_name(double, column) == pytest.approx(by_name(twice, column), abs=1e-12)
    array = po.bradley_terry(po.read(frame), weights=np.full(150, 2.0), **settings)
    assert by_name(array, "ability") == by_name(double, "ability")


def test_weights_of_zero_leave_contests_out():
    frame, _ = arena(300, 4, individuals=5)
    kept = np.arange(300) % 3 > 0
    part = po.bradley_terry(po.read(frame.filter(kept)), robust=True)
    whole = po.bradley_terry(po.read(frame.with_columns(w=kept.astype(float))), weights="w")
    assert by_name(whole, "ability") == pytest.approx(by_name(part, "ability"), abs=1e-10)
    assert by_name(whole, "se") == pytest.approx(by_name(part, "se"), abs=1e-10)


def plain_sandwich(data, fit, weight, cluster, worth=0.0):
    """Errors contest by contest; `worth` of a tie for each side, 0 if ties are an outcome."""
    size, ties = len(fit.individuals), fit.nu is not None
    scores = np.zeros((len(data), size + ties))
    hessian = np.zeros((size + ties, size + ties))
    for t, (i, j) in enumerate(zip(data.winner, data.loser, strict=True)):
        e = np.zeros(size + ties)
        e[i], e[j] = 0.5, -0.5
        half = (fit.ability[i] - fit.ability[j]) / 2
        terms = np.array([np.exp(half), np.exp(-half), (fit.nu or 0.0)])
        p = terms / terms.sum()
        tie = np.zeros(size + ties)
        if ties:
            tie[size] = 1.0
        features = np.array([e, -e, tie])
        mean = p @ features
        if data.draw[t]:
            own = tie - mean if ties else worth * (e - mean) + worth * (-e - mean)
            number = 1.0 if ties else 2 * worth
        else:
            own, number = e - mean, 1.0
        scores[t] = weight[t] * own
        hessian += (
            weight[t] * number * (features.T @ (p[:, None] * features) - np.outer(mean, mean))
        )
    sums = np.array([scores[cluster == c].sum(axis=0) for c in np.unique(cluster)])
    bread = np.linalg.pinv(hessian)
    return (bread @ sums.T @ sums @ bread)[:size, :size] * len(sums) / (len(sums) - 1)


@pytest.mark.parametrize("ties", ["davidson", "half", "both"])
@pytest.mark.parametrize("clustered", [False, True])
def test_errors_of_the_sandwich_are_those_of_a_plain_one(ties, clustered):
    frame, _ = arena(120, 5, individuals=5)
    random = np.random.default_rng(5)
    frame = frame.with_columns(
        w=random.choice([0.5, 1, 3], 120), voter=random.integers(9, size=120)
    )
    data = po.read(frame)
    fit = po.bradley_terry(data, ties=ties, weights="w", cluster="voter" if clustered else None)
    cluster = frame["voter"].to_numpy() if clustered else np.arange(120)
    worth = {"davidson": 0.0, "half": 0.5, "both": 1.0}[ties]
    expected = plain_sandwich(data, fit, frame["w"].to_numpy(), cluster, worth)
    center = np.eye(5) - 0.2
    assert fit.covariance == pytest.approx(center @ expected @ center, abs=1e-10)


def test_pairs_of_equal_weight_do_not_depend_on_how_often_they_were_drawn():
    frame, _ = arena(500, 6, individuals=4, ties=0.0)
    often = frame.filter((pl.col("a") == "m0") & (pl.col("b") == "m1"))
    more = pl.concat([frame, *[often] * 4])
    pairs = [(a, b) for a in frame["a"].unique() for b in frame["b"].unique() if a < b]
    share = {}
    for a, b in pairs:
        both = more.filter(pl.col("a").is_in([a, b]) & pl.col("b").is_in([a, b]))
        won = both.select(((pl.col("winner") == "a") == (pl.col("a") == a)).mean()).item()
        share[a, b] = won
    # The estimate of a table in which each pair has 1 contest, divided by its shares of wins.
    fit = po.bradley_terry(po.read(more), equal_pairs=True)
    ability = by_name(fit, "ability")
    for one in ability:
        excess = sum(
            won - 1 / (1 + np.exp(ability[b] - ability[a]))
            if one == a
            else (1 - won) - 1 / (1 + np.exp(ability[a] - ability[b]))
            for (a, b), won in share.items()
            if one in (a, b)
        )
        assert excess == pytest.approx(0, abs=1e-8)


def test_resamples_draw_weights_with_their_contests():
    frame, _ = arena(1500, 7)
    random = np.random.default_rng(7)
    data = po.read(frame.with_columns(w=random.choice([0.2, 1, 4], 1500)))
    quick = po.bradley_terry(data, weights="w")
    drawn = po.bradley_terry(data, weights="w", bootstrap=400, seed=1)
    ratio = drawn.errors / quick.errors
    assert ratio == pytest.approx(np.ones(8), abs=0.15)
    assert drawn.outranks("m1", "m4") == pytest.approx(quick.outranks("m1", "m4"), abs=0.05)


def test_formulas_are_covariates():
    frame, _ = arena(400, 8)
    random = np.random.default_rng(8)
    sides = {"len a": random.integers(1, 99, 400), "len_b": random.integers(1, 99, 400)}
    frame = frame.with_columns(**sides)
    formula = "(len a - len_b)/(len a + len_b)"
    share = (frame["len a"] - frame["len_b"]) / (frame["len a"] + frame["len_b"])
    found = po.bradley_terry(po.read(frame), covariates=[formula])
    plain = po.bradley_terry(po.read(frame.with_columns(share=share)), covariates=["share"])
    estimate = found.coefficients["estimate"][0]
    assert estimate == pytest.approx(plain.coefficients["estimate"][0], abs=1e-9)
    per = po.bradley_terry(po.read(frame), covariates=[formula], standardize=True)
    size = float(np.sqrt((share**2).mean()))
    assert per.coefficients["estimate"][0] == pytest.approx(
        size * found.coefficients["estimate"][0]
    )
    logs = po.bradley_terry(po.read(frame), covariates=["log(len a) - log(len_b)"])
    assert np.isfinite(logs.coefficients["se"][0])
    for wrong, text in (
        ("len a +", "this is no formula"),
        ("__import__('os')", "a formula has columns"),
        ("len a - size", 'no unused column "size"'),
        ("log(len a - len_b)", "has no number"),
    ):
        with pytest.raises(ValueError, match=text):
            po.bradley_terry(po.read(frame), covariates=[wrong])


def test_bad_weights_name_their_row():
    frame, _ = arena(30, 9, individuals=4)
    bad = frame.with_columns(w=pl.Series([1.0] * 20 + [-2.0] + [1.0] * 9))
    with pytest.raises(po.DataError, match=r"20: the weight is -2.*use 0 for contests"):
        po.bradley_terry(po.read(bad), weights="w", penalized=True)
    words = frame.with_columns(w=pl.Series(["1"] * 20 + ["much"] + ["1"] * 9))
    with pytest.raises(po.DataError, match="much"):
        po.bradley_terry(po.read(words), weights="w", penalized=True)
    with pytest.raises(po.DataError, match="All weights are 0"):
        po.bradley_terry(po.read(frame), weights=np.zeros(30))
    with pytest.raises(po.ArgumentError, match="one number for each of the 30 contests"):
        po.bradley_terry(po.read(frame), weights=[1, 2])
    with pytest.raises(po.DataError, match="one by one"):
        po.bradley_terry(po.datasets.bonobos().matrix(), weights=[1])


def test_fixtures_are_predicted_with_home_and_covariates():
    frame = votes(600).with_columns(style=pl.Series(np.random.default_rng(2).normal(size=600)))
    fit = po.bradley_terry(po.read(frame), covariates=["style"])
    coefficient = fit.coefficients["estimate"][0]
    pairs = {"a": ["v", "v"], "b": ["w", "w"], "style": [0.0, 2.0]}
    found = po.predict(fit, fixtures=pl.DataFrame(pairs)).table
    odds = np.log(found["p_a"].to_numpy() / found["p_b"].to_numpy())
    assert odds[1] - odds[0] == pytest.approx(2 * coefficient)
    without = po.predict(fit, fixtures=[("v", "w")])
    assert without.table["p_a"][0] == pytest.approx(found["p_a"][0])
    assert 'no "style": both sides are predicted as equal' in " ".join(without.summary)
    random = np.random.default_rng(3)
    home, away = random.integers(5, size=(2, 800))
    home, away = home[home != away], away[home != away]
    won = random.random(len(home)) < 1 / (1 + np.exp(-(home - away) / 4 - 0.7))
    games = pl.DataFrame(
        {
            "home": [f"t{i}" for i in home],
            "away": [f"t{i}" for i in away],
            "home_goals": won.astype(int),
            "away_goals": (~won).astype(int),
        }
    )
    fit = po.bradley_terry(po.read(games), home_advantage="estimate")
    bonus = fit.coefficients["estimate"][0]
    assert bonus == pytest.approx(0.7, abs=0.4)
    there = po.predict(fit, fixtures={"home": ["t1", "t2"], "away": ["t2", "t1"]}).table
    odds = np.log(there["p_a"].to_numpy() / there["p_b"].to_numpy())
    assert odds.sum() == pytest.approx(2 * bonus)
    plain = po.evaluate(po.bradley_terry(po.read(games)))
    assert po.evaluate(fit).hindsight["log_loss"] < plain.hindsight["log_loss"]
    season = po.sport.simulate_season(
        fit, fixtures={"home": ["t1", "t2"], "away": ["t2", "t1"]}, runs=500, seed=1
    )
    assert "abilities of its own" in " ".join(season.summary)
    assert season.table["p_title"].sum() == pytest.approx(1)


def test_one_fixture_needs_no_fit_and_evaluation_says_how_many():
    data = po.read(arena(3000, 10)[0])
    fit = po.bradley_terry(data)
    from peckorder.evaluation.order_forecast import blocks, ratings_of

    ratings = ratings_of(fit)
    assert "_path" not in vars(ratings.course.replay)
    po.predict(ratings, fixtures=[("m0", "m1")])
    assert "_path" not in vars(ratings.course.replay)
    assert len(blocks(3000)) - 1 < 300
    assert f"{len(blocks(3000)) - 1} fits" in " ".join(ratings.summary)
    assert np.diff(blocks(3000)).max() <= 3000 / 25


def test_a_column_of_fractional_weights_is_no_number_of_contests():
    frame, _ = arena(60, 11, individuals=4)
    data = po.read(frame.with_columns(weight=pl.Series([0.5, 2.0] * 30)))
    assert len(data) == 60
    assert 'Column "weight" has fractions' in " ".join(data.report.notes)
    fit = po.bradley_terry(data, weights="weight", penalized=True)
    assert fit.settings["robust"]
    counts = po.read(frame.with_columns(weight=pl.Series([1, 2] * 30)))
    assert len(counts) == 90
