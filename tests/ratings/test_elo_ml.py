"""elo_ml: published and independent numbers, limits, properties, and bad input."""

import itertools
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests import fit_twin as twin
from tests.examples import examples


def contests(rows, **columns):
    return po.read(
        pl.DataFrame(
            {
                "winner": [str(a) for a, _ in rows],
                "loser": [str(b) for _, b in rows],
                **columns,
            }
        )
    )


def linked(seed, people=5, number=60, **columns):
    """A cycle of wins through all individuals, followed by random contests."""
    random = np.random.default_rng(seed)
    ring = [(i, (i + 1) % people) for i in range(people)]
    more = [tuple(random.choice(people, 2, replace=False)) for _ in range(number - people)]
    return contests(ring + more, **columns)


@pytest.mark.paper_data
def test_chimpanzee_females(paper_file, software):
    every = po.read(paper_file("chimpanzee_females.csv"))
    data = every.take(np.arange(100, len(every)))
    with pytest.warns(po.DataWarning, match=r"\{f09\}"):
        fit = po.elo_ml(data)
    assert fit.log_likelihood == pytest.approx(-263.3546, abs=5e-5)
    assert fit.k == 0
    assert fit.parameters == 44
    assert fit.aic is None  # not a claim that these data support: as published on request only
    with pytest.warns(po.DataWarning, match=r"\{f09\}"):
        published = po.elo_ml(data, asymptotic=True)
    assert published.aic == pytest.approx(614.71, abs=5e-3)
    assert fit.correct == 818
    assert fit.share == pytest.approx(0.8939891, abs=1e-7)
    assert fit.brier == pytest.approx(0.08534, abs=5e-6)
    assert fit.components[1] == ["f09"]
    assert fit.unbounded
    assert fit.probability("f01", "f09") == 1.0
    assert any("The estimate of k is 0, its lower bound" in word for word in fit.summary)

    only_k = po.elo_ml(data, estimate="k")
    assert only_k.k == pytest.approx(0.66489, abs=5e-6)
    assert only_k.log_likelihood == pytest.approx(-354.3357, abs=5e-5)
    assert only_k.correct == 757
    assert only_k.brier == pytest.approx(0.12119, abs=5e-6)
    table = {row["model"]: row for row in fit.models}
    assert table["k, equal starts"]["log_likelihood"] == pytest.approx(-354.3357, abs=5e-5)

    with pytest.warns(po.DataWarning, match="are unbounded"):
        peer = po.elo_ml(every, preset="EloOptimized")
    assert peer.aic == pytest.approx(616.71, abs=5e-3)
    assert peer.parameters == 45
    reference = software["EloOptimized model 1, chimpanzee females"]
    model_1 = po.elo_ml(every, preset="EloOptimized", estimate="k")
    assert model_1.k == pytest.approx(reference["k"], abs=1e-3)
    assert model_1.log_likelihood == pytest.approx(reference["maxLogL"], abs=1e-6)
    assert model_1.aic == pytest.approx(reference["AIC"], abs=1e-6)
    assert model_1.share == pytest.approx(reference["pred_accuracy"], abs=1e-9)
    whole = po.elo_ml(every)
    assert whole.log_likelihood == pytest.approx(-293.2854, abs=5e-5)
    assert whole.correct == 901
    assert not whole.unbounded


def test_fitted_values_give_the_course_of_sequential_elo():
    data = linked(1)
    fit = po.elo_ml(data, delta=0.01)
    starts = dict(zip(fit.table["individual"], fit.table["start"], strict=True))
    same = po.elo(data, k=fit.k, start=starts, delta=0.01)
    assert dict(same.items()) == pytest.approx(dict(fit.items()))
    expected = fit.history["expected"].to_numpy()
    assert np.log(expected).sum() == pytest.approx(fit.log_likelihood, abs=1e-9)
    assert np.mean(list(starts.values())) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_no_better_position_is_found_by_an_independent_search(seed):
    from scipy.optimize import minimize

    data = linked(seed, number=40)
    fit = po.elo_ml(data)
    winner, loser = data.winner.tolist(), data.loser.tolist()

    def downhill(x):
        return -twin.log_likelihood(winner, loser, [0.0, *x[1:]], abs(x[0]))

    best = min(
        minimize(
            downhill,
            [k, 0, 0, 0, 0],
            method="Nelder-Mead",
            options={"maxiter": 4000, "xatol": 1e-7, "fatol": 1e-9},
        ).fun
        for k in (0.02, 0.5)
    )
    assert fit.log_likelihood >= -best - 1e-6
    starts = dict(zip(fit.table["individual"], fit.table["start"], strict=True))
    own = twin.log_likelihood(winner, loser, [starts[n] for n in data.individuals], fit.k)
    assert fit.log_likelihood == pytest.approx(own, abs=1e-8)


def test_static_fit_is_bradley_terry():
    data = linked(3)
    fit, other = po.elo_ml(data, estimate="start"), po.bradley_terry(data)
    assert fit.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-8)
    ability = dict(zip(other.table["individual"], other.table["ability"], strict=True))
    error = dict(zip(other.table["individual"], other.table["se"], strict=True))
    for name, start, se in fit.table.select("individual", "start", "start_se").iter_rows():
        assert start == pytest.approx(ability[name], abs=1e-6)
        assert se == pytest.approx(error[name], rel=1e-4)


def test_penalized_fit_is_that_of_bradley_terry_too():
    data = po.datasets.adv()
    fit = po.elo_ml(data, estimate="start", penalized=True, prior_sd=1.5)
    other = po.bradley_terry(data, penalized=True, prior_sd=1.5)
    assert fit.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-6)
    assert not fit.unbounded
    assert "depend strongly on the prior" in fit.summary[0]
    assert fit.models == []
    assert fit.aic is None


def test_components_in_order_and_the_limit():
    with pytest.warns(po.DataWarning, match="no individual has a win against a higher component"):
        fit = po.elo_ml(po.datasets.adv())
    assert fit.components == [["b", "c"], ["d"], ["a", "e", "f", "g"]]
    with pytest.warns(po.DataWarning):
        limit = po.bradley_terry(po.datasets.adv()).log_likelihood
    assert fit.k == 0
    assert fit.log_likelihood == pytest.approx(limit, abs=1e-8)
    rows = fit.table
    assert rows["component"].to_list() == [1, 1, 2, 3, 3, 3, 3]
    assert rows["start_se"].is_null().to_list() == [False, False, True, False, False, False, False]
    gaps = -np.diff(rows["rating"].to_numpy())
    assert gaps[1] == pytest.approx(40)
    assert gaps[2] == pytest.approx(40)


def test_limit_is_approached_from_below():
    """With increasing gaps between components, the likelihood approaches the limit from below."""
    data = po.datasets.adv()
    with pytest.warns(po.DataWarning):
        fit = po.elo_ml(data)
    starts = dict(zip(fit.table["individual"], fit.table["start"], strict=True))
    steps = {name: round(value / 40) for name, value in starts.items()}
    values = []
    for gap in (2, 5, 10, 20):
        near = [starts[n] - (40 - gap) * steps[n] for n in data.individuals]
        values.append(twin.log_likelihood(data.winner.tolist(), data.loser.tolist(), near, 0.0))
    assert values == sorted(values)
    assert values[-1] < fit.log_likelihood
    assert values[-1] == pytest.approx(fit.log_likelihood, abs=1e-6)


def test_only_winner_and_only_loser():
    data = contests([("a", "b")] * 3)
    with pytest.warns(po.DataWarning, match=r"\{a\} > \{b\}"):
        fit = po.elo_ml(data)
    assert fit.log_likelihood == pytest.approx(0.0, abs=1e-12)
    assert list(fit) == ["a", "b"]
    assert fit.k is None
    assert fit.parameters == 1
    assert "k is not identifiable: no outcome in these data depends on it." in fit.summary


def test_k_by_context_and_one_of_them_at_its_bound():
    random = np.random.default_rng(8)
    rows, kind = [], []
    score = np.zeros(6)
    for _ in range(600):
        a, b = random.choice(6, 2, replace=False)
        what = random.choice(["fight", "look"])
        a, b = (a, b) if random.random() < 1 / (1 + np.exp(score[b] - score[a])) else (b, a)
        if what == "fight":
            step = 1.0 * (1 - 1 / (1 + np.exp(score[b] - score[a])))
            score[a] += step
            score[b] -= step
        rows.append((a, b))
        kind.append(what)
    fit = po.elo_ml(contests(rows, context=kind), k="context", asymptotic=True)
    assert fit.k["fight"] > 0.5
    assert fit.k["look"] < 0.3
    assert fit.k_low["fight"] < 1.0 < fit.k_high["fight"]
    assert fit.parameters == 5 + 2


def test_home_advantage_is_recovered_and_its_interval_holds_it():
    random = np.random.default_rng(4)
    strength = random.normal(0, 1, 8)
    rows = []
    for _ in range(900):
        a, b = random.choice(8, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a] - 0.5))
        rows.append((str(a), str(b), 1 if won else 0, 0 if won else 1))
    games = pl.DataFrame(rows, schema=["home", "away", "home_points", "away_points"], orient="row")
    fit = po.elo_ml(po.read(games), estimate=("k", "start", "home_advantage"), scale=400)
    unit = np.log(10) / 400
    assert fit.home_advantage_low < 0.5 / unit < fit.home_advantage_high
    assert fit.home_advantage == pytest.approx(0.5 / unit, abs=4 * fit.home_advantage_se)
    again = po.elo_ml(
        po.read(games), estimate=("k", "start"), home_advantage=fit.home_advantage, scale=400
    )
    assert again.log_likelihood == pytest.approx(fit.log_likelihood, abs=1e-6)
    with pytest.raises(po.DataError, match="who was at home"):
        po.elo_ml(linked(1), estimate=("k", "home_advantage"))


def test_draws_by_davidson_or_left_out():
    random = np.random.default_rng(3)
    strength = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    rows, drawn = [], []
    for _ in range(800):
        a, b = random.choice(5, 2, replace=False)
        p = 1 / (1 + np.exp(strength[b] - strength[a]))
        odds = 0.8 * np.sqrt(p * (1 - p))
        u = random.random() * (1 + odds)
        drawn.append(u >= 1)
        rows.append((a, b) if u < p or u >= 1 else (b, a))
    data = contests(rows, draw=drawn)
    fit = po.elo_ml(data)
    assert fit.nu_low < 0.8 < fit.nu_high
    static, other = po.elo_ml(data, estimate="start"), po.bradley_terry(data)
    assert static.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-7)
    assert static.nu == pytest.approx(other.nu, rel=1e-4)
    left = po.elo_ml(data, ties="omit")
    assert len(left.data) == len(data) - sum(drawn)
    assert any("ties were excluded" in word for word in left.summary)
    same = contests([("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")], draw=[0, 1, 1, 0])
    with pytest.raises(po.DataError, match="has no finite maximum"):
        po.elo_ml(same)


def test_profile_interval_drops_by_half_a_chi_square():
    data = po.datasets.adv()
    fit = po.elo_ml(data, estimate="k", level=0.9)
    winner, loser = data.winner.tolist(), data.loser.tolist()
    for end in (fit.k_low, fit.k_high):
        there = twin.log_likelihood(winner, loser, [0.0] * 7, end)
        assert fit.log_likelihood - there == pytest.approx(2.7055 / 2, abs=1e-3)


def test_scales_change_the_unit_and_nothing_else():
    data = linked(5)
    one, ten = po.elo_ml(data), po.elo_ml(data, scale=400)
    unit = 400 / np.log(10)
    assert ten.k == pytest.approx(one.k * unit, rel=1e-5, abs=1e-4)
    assert ten.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-8)
    for name, rating in one.items():
        assert ten[name] == pytest.approx(rating * unit, abs=1e-2)


@examples(20)
@given(st.permutations(range(5)), st.integers(0, 20))
def test_relabelling_permutes_and_reversal_reverses(order, seed):
    random = np.random.default_rng(seed)
    ring = [(i, (i + 1) % 5) for i in range(5)]
    rows = ring + [tuple(map(int, random.choice(5, 2, replace=False))) for _ in range(30)]
    one = po.elo_ml(contests(rows), estimate="start")
    other = po.elo_ml(contests([(order[a], order[b]) for a, b in rows]), estimate="start")
    for i in range(5):
        assert other[str(order[i])] == pytest.approx(one[str(i)], abs=1e-6)
    turned = po.elo_ml(contests([(b, a) for a, b in rows]), estimate="start")
    for i in range(5):
        assert turned[str(i)] == pytest.approx(-one[str(i)], abs=1e-6)


def test_burn_in_moves_scores_and_is_not_counted():
    data = linked(6)
    fit = po.elo_ml(data, estimate="k", burn_in=(20, 0.5))
    total = twin.log_likelihood(
        data.winner.tolist(), data.loser.tolist(), [0.0] * 5, fit.k, first=20, burn_k=0.5
    )
    assert fit.log_likelihood == pytest.approx(total, abs=1e-9)
    assert fit.bic == pytest.approx(np.log(40) - 2 * fit.log_likelihood)
    dropped = po.elo_ml(data, burn_in=(20, 0))
    part = po.elo_ml(data.take(np.arange(20, 60)))
    assert dropped.log_likelihood == pytest.approx(part.log_likelihood, abs=1e-6)
    with pytest.raises(ValueError, match="the k of burn_in must be 0"):
        po.elo_ml(data, burn_in=(20, 1.0))
    with pytest.raises(po.DataError, match="none remain to fit"):
        po.elo_ml(data, estimate="k", burn_in=(60, 1.0))


def test_filters_and_their_chain_reaction():
    rows = [("a", "b"), ("b", "c"), ("c", "a")] * 4 + [("c", "d"), ("d", "e"), ("e", "f")]
    data = contests(rows)
    fit = po.elo_ml(data, one_sided=True)
    assert set(fit.individuals) == {"a", "b", "c"}
    assert 'Excluded: "f"; then "e"; then "d".' in fit.summary
    kept = po.elo_ml(data, min_contests=2, penalized=True)
    assert set(kept.individuals) == {"a", "b", "c"}
    just = po.elo_ml(contests([("a", "b")] * 2 + [("b", "a")]), min_contests=3)
    assert set(just.individuals) == {"a", "b"}
    with pytest.raises(po.DataError, match="No contest remains"):
        po.elo_ml(contests([("a", "b"), ("b", "c")]), one_sided=True)


def test_nested_models_are_ordered_and_named():
    fit = po.elo_ml(linked(9, number=120), asymptotic=True)
    likelihood = {row["model"]: row["log_likelihood"] for row in fit.models}
    assert list(likelihood) == [
        "k and start",
        "k, equal starts",
        "starts, k = 0",
        "equal starts, k = 0",
    ]
    top = likelihood["k and start"]
    assert all(value <= top + 1e-7 for value in likelihood.values())
    assert likelihood["equal starts, k = 0"] == pytest.approx(120 * np.log(0.5))
    assert min(row["delta_aic"] for row in fit.models) == 0
    assert sum("AIC is lower for" in word for word in fit.summary) == 3


def test_claims_are_withheld_where_starts_are_as_many_as_individuals():
    data = linked(9, number=120)
    fit, published = po.elo_ml(data), po.elo_ml(data, asymptotic=True)
    assert fit.log_likelihood == published.log_likelihood
    for name in ("k_se", "k_low", "k_high", "aic", "bic"):
        assert fit.values[name] is None
    for name in ("p", "aic", "bic", "delta_aic"):
        assert all(row[name] is None for row in fit.models)
    assert published.k_high is not None
    assert published.aic is not None
    assert any("incidental parameters" in word for word in fit.summary)
    assert any("bootstrap=199" in word and "elo_bayes" in word for word in fit.summary)
    assert not any("AIC is lower" in word or "p =" in word for word in fit.summary)
    one = po.elo_ml(data, estimate="k")
    assert one.aic is not None
    assert one.k_high is not None


def test_no_gain_is_no_evidence():
    """At the boundary k = 0 a gain of 0 has p = 1, not the half of a mixture."""
    fit = po.elo_ml(contests([("a", "b"), ("b", "a")] * 2), estimate="k")
    assert fit.k == 0
    assert fit.models[1]["p"] == 1.0
    assert (
        "Scores were equal before each of the 4 contests, so none was predicted (Brier score "
        "0.2500)."
    ) in fit.summary
    some = po.elo_ml(contests([("a", "b")] * 5 + [("b", "a")]), estimate="k")
    gain = 2 * (some.log_likelihood - some.models[1]["log_likelihood"])
    from scipy.stats import chi2

    assert some.models[1]["p"] == pytest.approx(chi2.sf(gain, 1) / 2)


def test_choices_are_true_or_false():
    for name in ("penalized", "one_sided", "home_in_update", "asymptotic"):
        with pytest.raises(po.ArgumentTypeError, match=f"{name}=.*give True or False"):
            po.elo_ml(po.datasets.adv(), **{name: np.zeros(3)})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bootstrap": 5}, "at least 19"),
        ({"bootstrap": 99, "penalized": True}, "bootstrap cannot be combined with penalized=True"),
        ({"bootstrap": 99, "asymptotic": True}, "cannot be combined with asymptotic=True"),
        ({"estimate": "sigma"}, "Choose from: k, start, home_advantage"),
        ({"estimate": ()}, "Choose from"),
        ({"estimate": np.zeros(3)}, "Choose from"),
        ({"estimate": [["k"]]}, "Choose from"),
        ({"k": 1.0}, "remove k from estimate"),
        ({"k": "often"}, "k="),
        ({"prior_sd": 0}, "prior_sd=0"),
        ({"level": 2}, "level=2"),
        ({"ties": "half"}, 'ties="half" is not known'),
        ({"preset": "EloRating"}, "The only preset of maximum-likelihood fits"),
        ({"min_contests": 0}, "min_contests=0"),
        ({"scale": -1}, "scale"),
    ],
)
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        po.elo_ml(po.datasets.adv(), **arguments)


def test_contradicting_arguments_are_refused():
    games = pl.DataFrame(
        {"home": ["a", "b"], "away": ["b", "a"], "home_points": [1, 1], "away_points": [0, 0]}
    )
    with pytest.raises(ValueError, match="cannot be both fixed and estimated"):
        po.elo_ml(po.read(games), estimate=("k", "home_advantage"), home_advantage=0.5)
    data = contests([("a", "b"), ("b", "a")], context=["x", "y"])
    with pytest.raises(ValueError, match='Add "k" to estimate'):
        po.elo_ml(data, k="context", estimate="start")


def test_nested_models_keep_a_fixed_k():
    rows = po.elo_ml(linked(2), estimate="start", k=0.5).models
    assert [row["model"] for row in rows] == ["start", "equal starts"]
    data = linked(2)
    equal = twin.log_likelihood(data.winner.tolist(), data.loser.tolist(), [0.0] * 5, 0.5)
    assert rows[1]["log_likelihood"] == pytest.approx(equal, abs=1e-9)


def test_draws_alone_and_draws_in_the_burn_in():
    ties = contests([("a", "b"), ("b", "c"), ("c", "a")], draw=[1, 1, 1])
    with pytest.raises(po.DataError, match="All contests are ties"):
        po.elo_ml(ties)
    with pytest.raises(po.DataError, match="ties, and ties=.omit. excludes them all"):
        po.elo_ml(ties, ties="omit")
    data = linked(4)
    early = po.read(data.frame().with_columns(draw=pl.Series([True] * 3 + [False] * 57)))
    fit = po.elo_ml(early, burn_in=(3, 0))
    assert "nu" not in fit.values
    assert fit.parameters == 5
    more = contests([("a", "b"), ("b", "a"), ("a", "b"), ("c", "a")], draw=[0, 0, 0, 1])
    with pytest.warns(po.DataWarning, match='all their contests are ties: "c"'):
        po.elo_ml(more, ties="omit")


def test_whoever_is_seen_in_the_burn_in_only_is_named():
    data = contests([("z", "a"), *[("a", "b"), ("b", "c"), ("c", "a")] * 3])
    with pytest.raises(po.DataError, match='"z": no contest after the burn-in'):
        po.elo_ml(data, burn_in=(1, 0))


@pytest.mark.slow
def test_k_is_drawn_to_zero_by_free_starting_scores():
    """The documented bias of k, which partial pooling avoids."""
    from tests.ratings.test_elo_bayes import simulated

    for seed in (1, 2):
        data, _, _ = simulated(seed, 44, 915, 2.0, 0.3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", po.DataWarning)
            fit = po.elo_ml(data, asymptotic=True)
        assert fit.k == 0
        assert fit.k_high < 0.1
        post = po.elo_bayes(data, seed=1)
        assert post.k.low < 0.3 < post.k.high


def test_hundreds_of_individuals_take_seconds():
    random = np.random.default_rng(1)
    pairs = [tuple(random.choice(1500, 2, replace=False)) for _ in range(15_000)]
    fit = po.elo_ml(contests(pairs), penalized=True)
    assert len(fit) == 1500
    assert any("Standard errors are not computed" in word for word in fit.summary)
    with pytest.raises(po.DataError, match="strongly connected components"):
        po.elo_ml(contests(pairs[:2000]))


def test_wrong_data():
    with pytest.raises(TypeError, match="not list"):
        po.elo_ml([1, 2])
    with pytest.raises(po.DataError, match="needs a column of contexts"):
        po.elo_ml(linked(1), k="context")
    apart = contests([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")])
    with pytest.raises(po.DataError, match="with no contests between them"):
        po.elo_ml(apart)
    assert len(po.elo_ml(apart, penalized=True)) == 4


def test_matrix_and_unknown_order_are_warned_of():
    with pytest.warns(po.DataWarning, match="order of these contests is unknown"):
        po.elo_ml(po.datasets.table3())


def test_at_a_date_and_json(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        fit = po.elo_ml(po.datasets.adv())
    assert fit.at("2010-01-20").height == 7
    described = fit.to_dict()
    for name in ("k", "log_likelihood", "aic", "bic", "parameters", "components"):
        assert name in described["result"]
    fit.save(tmp_path / "fit.json")
    assert (tmp_path / "fit.json").exists()


def test_several_maxima_are_looked_for():
    """Winners keep winning: k far above its initial value."""
    rows = list(
        itertools.chain.from_iterable(
            [(a, b)] * 12 for a, b in [("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")]
        )
    )
    data = contests(rows)
    fit = po.elo_ml(data)
    winner, loser = data.winner.tolist(), data.loser.tolist()
    grid = max(
        twin.log_likelihood(winner, loser, [d / 2, -d / 2], k)
        for k in np.linspace(0, 6, 121)
        for d in np.linspace(-3, 3, 31)
    )
    assert fit.log_likelihood >= grid - 1e-9
