"""Bradley–Terry and Davidson fits against slow twins and the paper."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

import peckorder as po
from peckorder.ratings.paired_model import DyadRecord, derivatives, log_likelihood
from tests import oracle
from tests.examples import examples
from tests.matrices import by_name, matrix, permuted, transposed, wins
from tests.orders.test_leaderboard import second_differences

CLOSE = {"xatol": 1e-8, "fatol": 1e-12, "maxiter": 4000}


def test_components_of_albers_and_de_vries():
    """{b, c} > {d} > {a, e, f, g}: b − c = ln 2; e .284, f = g = 0, a −1.521 among the last."""
    with pytest.warns(po.DataWarning, match=r"\{b, c\} > \{d\} > \{a, e, f, g\}"):
        fit = po.bradley_terry(po.datasets.adv())
    assert fit.components == [["b", "c"], ["d"], ["a", "e", "f", "g"]]
    ability = dict(zip(fit.table["individual"], fit.table["ability"], strict=True))
    assert ability["b"] - ability["c"] == pytest.approx(math.log(2))
    assert [ability[x] - ability["f"] for x in "ega"] == pytest.approx([0.284, 0, -1.521], abs=5e-4)
    assert [fit[x] for x in "bcde"] == [1, 2, 3, 4]
    assert fit["f"] == fit["g"] == 5.5
    assert by_name(fit, "se")[fit.individuals.index("d")] is None
    assert fit.penalized is False


def test_penalized_fit_is_finite_and_orders_the_components():
    fit = po.bradley_terry(po.datasets.adv(), penalized=True)
    assert list(fit) == ["b", "c", "d", "e", "f", "g", "a"]
    assert fit.penalized is True
    assert np.isfinite(by_name(fit, "se")).all()
    assert "without bound" not in fit.summary[0]
    tight = po.bradley_terry(po.datasets.adv(), penalized=True, prior_sd=0.1)
    assert np.ptp(by_name(tight, "ability")) < 0.5 < np.ptp(by_name(fit, "ability"))


@examples(10)
@given(wins(least=2, most=5, complete=True))
def test_a_wide_prior_changes_nothing(table):
    wide = po.bradley_terry(matrix(table), penalized=True, prior_sd=1e4)
    free = po.bradley_terry(matrix(table))
    for column in ("ability", "se"):
        assert by_name(wide, column) == pytest.approx(by_name(free, column), abs=1e-4)


@examples(25)
@given(wins(least=2, most=5, complete=True))
def test_maximum_and_errors_of_a_slow_twin(table):
    ability, likelihood = oracle.bradley_terry(table)
    fit = po.bradley_terry(matrix(table))
    assert by_name(fit, "ability") == pytest.approx(ability, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-8)
    errors = oracle.bradley_terry_standard_errors(table, ability)
    assert by_name(fit, "se") == pytest.approx(errors, abs=1e-6)


def some_ties(size, data):
    """Numbers of ties of all pairs, of which not all are 0."""
    drawn = np.zeros((size, size), int)
    for i in range(size):
        for j in range(i):
            drawn[i, j] = drawn[j, i] = data.draw(st.integers(0, 3))
    assume(drawn.any())
    return drawn


@examples(15)
@given(wins(least=2, most=4, complete=True), st.data())
def test_draws_of_a_slow_twin(table, data):
    drawn = some_ties(len(table), data)
    ability, nu, likelihood = oracle.davidson(table, drawn.tolist())
    fit = po.bradley_terry(matrix(table, drawn))
    assert by_name(fit, "ability") == pytest.approx(ability, abs=1e-5)
    assert fit.nu == pytest.approx(nu, rel=1e-5)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-8)


@pytest.mark.parametrize("ordered", [False, True])
@given(table=wins(least=2, most=5, complete=True), seed=st.integers(0, 2**32 - 1))
def test_derivatives_are_finite_differences(ordered, table, seed):
    rng = np.random.default_rng(seed)
    won = np.array(table)
    drawn = np.triu(rng.integers(0, 3, won.shape), 1)
    drawn += drawn.T
    assume(drawn.any())
    x, size, step = rng.normal(size=len(won) + 1), len(won), 1e-6
    if ordered:  # with a larger ν, the negative Hessian is kept positive definite
        x[size] = min(x[size], 0.3)
    record = replace(DyadRecord.of_matrix(won, drawn), ordered=ordered)

    def gradient(x):
        return derivatives(record, x)[0]

    def value(x):
        return log_likelihood(record, x)

    hessian = derivatives(record, x)[1]
    for i, along in enumerate(step * np.eye(size + 1)):
        slope = (value(x + along) - value(x - along)) / (2 * step)
        assert gradient(x)[i] == pytest.approx(slope, abs=1e-4)
        row = -(gradient(x + along) - gradient(x - along)) / (2 * step)
        assert hessian.dense()[i] == pytest.approx(row, abs=1e-4)


@examples(15)
@given(wins(least=2, most=4, complete=True), st.data())
def test_ties_of_rao_and_kupper_by_a_general_optimizer(table, data):
    """Their likelihood term by term (1967, p. 195), maximized over abilities and θ by scipy."""
    size, drawn = len(table), some_ties(len(table), data)

    def loss(x):
        worth, theta = np.exp(np.append(x[:-1], 0.0)), 1 + np.exp(x[-1])
        total = 0.0
        for i in range(size):
            for j in range(size):
                one, other = worth[i] + theta * worth[j], theta * worth[i] + worth[j]
                total -= table[i][j] * math.log(worth[i] / one)
                if i < j:
                    tie = worth[i] * worth[j] * (theta**2 - 1) / (one * other)
                    total -= drawn[i, j] * math.log(tie)
        return total

    fit = po.bradley_terry(matrix(table, drawn), ties="rao-kupper")
    found = minimize(loss, np.zeros(size), method="Nelder-Mead", options=CLOSE)
    found = minimize(loss, found.x, method="BFGS", options={"gtol": 1e-9})
    assert fit.log_likelihood == pytest.approx(-found.fun, abs=1e-7)
    ability = np.append(found.x[:-1], 0.0)
    assert by_name(fit, "ability") == pytest.approx(ability - ability.mean(), abs=1e-3)
    assert fit.nu == pytest.approx(np.exp(found.x[-1]), rel=1e-3)
    curvature = second_differences(lambda x: -loss(x), found.x)
    center = np.eye(size)[:, :-1] - 1 / size  # of abilities of which the last is 0
    covariance = center @ np.linalg.inv(-curvature)[:-1, :-1] @ center.T
    assert fit.covariance == pytest.approx(covariance, rel=0.01, abs=1e-4)


def test_ties_of_rao_and_kupper_between_two():
    """Two individuals are fitted exactly: W = 1/(1 + θe^−d), L = 1/(1 + θe^d)."""
    data = matrix([[0, 12], [5, 0]], [[0, 8], [8, 0]])
    fit = po.bradley_terry(data, ties="rao-kupper")
    win, tie, loss = 12 / 25, 8 / 25, 5 / 25
    assert fit.nu == pytest.approx(np.sqrt((1 - win) * (1 - loss) / (win * loss)) - 1)
    difference = np.log(win * (1 - loss) / (loss * (1 - win))) / 2
    assert by_name(fit, "ability") == pytest.approx([difference / 2, -difference / 2])
    assert fit.log_likelihood == pytest.approx(
        12 * np.log(win) + 8 * np.log(tie) + 5 * np.log(loss)
    )
    chances = replace(fit, spread=np.zeros((2, 2))).outcomes("a", "b")  # without uncertainty
    assert chances == pytest.approx({"a": win, "tie": tie, "b": loss})
    assert 0.6 < fit.probability("a", "b") < win / (win + loss)
    davidson = po.bradley_terry(data)
    assert davidson.log_likelihood == pytest.approx(fit.log_likelihood)


def test_rao_and_kupper_agree_with_davidson_without_ties_and_predict_with_them():
    plain = league(6, 200, seed=2)
    with_rule, usual = (po.bradley_terry(plain, ties=t) for t in ("rao-kupper", "davidson"))
    assert by_name(with_rule, "ability") == pytest.approx(by_name(usual, "ability"), abs=1e-12)
    data = league(6, 400, seed=4, ties=True)
    fit = po.bradley_terry(data, ties="rao-kupper")
    predicted = po.predict(fit, fixtures=[("n0", "n1")]).table.row(0, named=True)
    worth = dict(zip(fit.individuals, np.exp(fit.ability), strict=True))
    win = worth["n0"] / (worth["n0"] + (1 + fit.nu) * worth["n1"])
    loss = worth["n1"] / (worth["n1"] + (1 + fit.nu) * worth["n0"])
    assert [predicted[name] for name in ("p_a", "p_b")] == pytest.approx([win, loss])
    season = po.sport.simulate_season(
        replace(fit, spread=np.zeros((6, 6))),
        fixtures=[("n0", "n1")],
        points=(2, 1, 0),
        runs=20_000,
        seed=1,
        keep_runs=True,
    )
    share = season.standings["n0"].value_counts(normalize=True).sort("n0")["proportion"]
    assert share.to_list() == pytest.approx([loss, 1 - win - loss, win], abs=0.015)
    again = po.bradley_terry(data, ties="rao-kupper", bootstrap=200, seed=1)
    assert by_name(again, "se") == pytest.approx(by_name(fit, "se"), rel=0.25)
    assert po.evaluate(fit).foresight["log_loss_ties"] < np.log(3)


def league(size, contests, seed, ties=False):
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=size)
    one = rng.integers(size, size=contests)
    other = (one + rng.integers(1, size, size=contests)) % size
    wins = rng.random(contests) < 1 / (1 + np.exp(ability[other] - ability[one]))
    first, second = np.where(wins, one, other), np.where(wins, other, one)
    columns = {"winner": [f"n{i}" for i in first], "loser": [f"n{i}" for i in second]}
    if ties:
        columns["draw"] = (rng.random(contests) < 0.2).astype(int)
    return po.read(columns)


@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "omit", "half", "both"])
@pytest.mark.parametrize("penalized", [False, True])
@pytest.mark.parametrize("contests", [150, 600])
def test_very_many_individuals_are_fitted_as_few_are(monkeypatch, ties, penalized, contests):
    """The same by conjugate gradients and by Cholesky factors, with several components too."""
    data = league(30, contests, seed=3, ties=True)
    how = {"ties": ties, "penalized": penalized, "prior_sd": 2.0}
    small = po.bradley_terry(data, **how)
    for place in ("peckorder.orders.bradley_terry", "peckorder.ratings.paired_model"):
        monkeypatch.setattr(f"{place}.DENSE", 5)
    large = po.bradley_terry(data, **how, errors=True)
    assert list(large) == list(small)
    assert large.components == small.components
    assert (large.nu is None) == (small.nu is None)
    for column in ("ability", "se"):
        few, many = (np.array(by_name(f, column), dtype=float) for f in (small, large))
        assert many == pytest.approx(few, abs=1e-7, nan_ok=True)
    assert large.log_likelihood == pytest.approx(small.log_likelihood, abs=1e-8)
    if penalized:
        monkeypatch.setattr("peckorder.ratings.paired_fit.DENSE", 5)
        assert po.bradley_terry(data, ties=ties, penalized=True).prior_sd == 2
    alone = po.bradley_terry(data, **how, errors=["n3"])
    assert alone.table.drop_nulls("se")["individual"].to_list() == ["n3"]
    assert "Standard errors were computed for 1 of 30" in " ".join(alone.summary)
    quick = po.bradley_terry(data, ties=ties, penalized=penalized)
    assert quick.table["se"].null_count() == 30
    with pytest.raises(po.ArgumentError, match='"n99" took part in no contest'):
        po.bradley_terry(data, penalized=True, errors=["n99"])


@given(wins(complete=True), st.randoms())
def test_relabelling_permutes_and_transposing_reverses(table, rng):
    order = rng.sample(range(len(table)), len(table))
    ability = np.array(by_name(po.bradley_terry(matrix(table)), "ability"))
    moved = by_name(po.bradley_terry(matrix(permuted(table, order))), "ability")
    assert moved == pytest.approx(ability[order], abs=1e-8)
    turned = by_name(po.bradley_terry(matrix(transposed(table))), "ability")
    assert turned == pytest.approx(-ability, abs=1e-8)


def test_known_abilities_are_recovered():
    rng = np.random.default_rng(1)
    truth = np.array([1.5, 0.5, 0.0, -0.5, -1.5])
    chance = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    table = np.zeros((5, 5), int)
    upper = np.triu_indices(5, 1)
    table[upper] = rng.binomial(2000, chance[upper])
    table.T[upper] = 2000 - table[upper]
    fit = po.bradley_terry(matrix(table))
    error = (np.array(by_name(fit, "ability")) - truth) / by_name(fit, "se")
    assert np.abs(error).max() < 3


def test_sets_that_never_met_are_named():
    apart = matrix([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.raises(po.DataError, match=r"\{a, b\}; \{c, d\}.*penalized=True"):
        po.bradley_terry(apart)
    with pytest.warns(po.DataWarning, match="without a contest between them"):
        assert by_name(po.bradley_terry(apart, penalized=True), "ability") == pytest.approx([0] * 4)


def test_components_without_a_contest_between_them_go_by_the_penalized_fit():
    """b and c both lose to a; c loses more often."""
    with pytest.warns(po.DataWarning, match=r"\{a\} > \{b\} > \{c\}"):
        fit = po.bradley_terry(matrix([[0, 1, 9], [0, 0, 0], [0, 0, 0]]))
    assert list(fit) == ["a", "b", "c"]
    assert fit.log_likelihood == 0


def test_draws_without_a_finite_maximum_are_refused():
    """5 wins, no loss, 3 ties: the likelihood increases with ν and the difference in ability."""
    data = matrix([[0, 5], [0, 0]], [[0, 3], [3, 0]])
    with pytest.raises(po.DataError, match="has no finite maximum"):
        po.bradley_terry(data)
    assert np.isfinite(po.bradley_terry(data, penalized=True).nu)
    assert by_name(po.bradley_terry(data, ties="half"), "ability")[0] > 0
    # A chain a > b > c with a tie between a and c bounds ν.
    chain = matrix([[0, 2, 0], [0, 0, 2], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    assert np.isfinite(po.bradley_terry(chain).nu)


@pytest.mark.paper_data
def test_chimpanzee_females(paper_file):
    """With k = 0 the likelihood of Foerster et al. is that of Bradley & Terry: −293.2854 for all
    1,015 contests; without the first hundred f09 only loses, and the limit is −263.3546."""
    data = po.read(paper_file("chimpanzee_females.csv"))
    assert po.bradley_terry(data).log_likelihood == pytest.approx(-293.2854, abs=5e-5)
    later = data.take(np.arange(100, len(data)))
    with pytest.warns(po.DataWarning, match="2 components"):
        fit = po.bradley_terry(later)
    assert fit.components[1] == ["f09"]
    assert fit.log_likelihood == pytest.approx(-263.3546, abs=5e-5)
    assert fit["f09"] == 44


def test_bad_arguments():
    data = po.datasets.bonobos()
    with pytest.raises(ValueError, match="davidson, rao-kupper, omit, half, both"):
        po.bradley_terry(data, ties="model")
    with pytest.raises(ValueError, match="above 0"):
        po.bradley_terry(data, prior_sd=0)


def with_the_same_wins(winner, loser):
    """All outcomes of a schedule that give everybody the same number of wins."""
    for swapped in itertools.product((False, True), repeat=len(winner)):
        one = [b if s else a for a, b, s in zip(winner, loser, swapped, strict=True)]
        if sorted(one) == sorted(winner):
            yield one, [a if s else b for a, b, s in zip(winner, loser, swapped, strict=True)]


def plain_misfit(winner, loser, chance):
    """Squared deviations of wins from those expected, less their variance, by dyad."""
    wins, total = Counter(zip(winner, loser, strict=True)), 0.0
    for (a, b), p in chance.items():
        number = wins[a, b] + wins[b, a]
        variance = number * p * (1 - p)
        total += ((wins[a, b] - number * p) ** 2 - variance) / (1 + variance)
    return total


def test_residuals_are_tested_exactly():
    winner, loser = zip(
        *["ab", "ab", "bc", "bc", "ca", "ac", "ad", "bd", "db", "cd", "dc", "ad"], strict=True
    )
    fit = po.bradley_terry((list(winner), list(loser)), penalized=True, prior_sd=3)
    pairs = sorted({tuple(sorted(pair)) for pair in zip(winner, loser, strict=True)})
    own = dict(zip(fit.individuals, fit.ability, strict=True))
    chance = {(a, b): 1 / (1 + np.exp(own[b] - own[a])) for a, b in pairs}
    found = plain_misfit(winner, loser, chance)
    drawn = [plain_misfit(*one, chance) for one in with_the_same_wins(winner, loser)]
    exact = np.mean(np.array(drawn) >= found - 1e-9)
    assert 0.05 < exact < 0.95
    assert fit.residual_p == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(("name", "p"), [("adv", 0.12), ("bonobos", 0.016), ("table3", 0.001)])
def test_residuals_of_published_matrices(name, p):
    """Many published matrices are not described by one rating per individual (3,000 draws)."""
    fit = po.bradley_terry(getattr(po.datasets, name)(), penalized=True)
    assert fit.residual_p == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 1000))
    said = any("does not describe all dyads" in text for text in fit.summary)
    assert said == (p < 0.05)


def test_residuals_find_rock_paper_scissors_and_need_cycles():
    circle = [("a", "b"), ("b", "c"), ("c", "a")] * 8
    assert po.bradley_terry(circle).residual_p == 0.001
    ladder = [("a", "b"), ("b", "c"), ("a", "c")] * 8
    assert po.bradley_terry(ladder, penalized=True).residual_p is None
    weighted = pl.DataFrame(circle, schema=["winner", "loser"], orient="row").with_columns(w=2.0)
    assert po.bradley_terry(weighted, weights="w").residual_p is None


def evidence(wins, sd):
    """Laplace's approximation of the marginal likelihood of abilities ~ N(0, sd²), term by term."""
    size = len(wins)

    def loss(x):
        won = np.logaddexp(0, x[None, :] - x[:, None])
        return (wins * won).sum() + (x @ x) / (2 * sd**2)

    x = minimize(loss, np.zeros(size), method="BFGS", options={"gtol": 1e-9}).x
    p = 1 / (1 + np.exp(x[None, :] - x[:, None]))
    met = (wins + wins.T) * p * (1 - p)
    hessian = np.diag(met.sum(axis=1)) - met + np.eye(size) / sd**2
    return -loss(x) - size * np.log(sd) - np.linalg.slogdet(hessian)[1] / 2


@pytest.mark.parametrize("spread", [0.2, 1.0, 2.5])
def test_the_estimated_spread_is_the_mode_of_the_marginal_likelihood(spread):
    random = np.random.default_rng(int(10 * spread))
    x = random.normal(0, spread, 7)
    wins = np.zeros((7, 7))
    for _ in range(90):
        a, b = random.choice(7, 2, replace=False)
        a, b = (a, b) if random.random() < 1 / (1 + np.exp(x[b] - x[a])) else (b, a)
        wins[a, b] += 1
    found = po.bradley_terry(matrix(wins.astype(int)), penalized=True)
    log_sd = minimize_scalar(
        lambda log_sd: -evidence(wins, np.exp(log_sd)) - log_sd + np.exp(2 * log_sd) / 12.5,
        bounds=(-3, 3),
        method="bounded",
        options={"xatol": 1e-6},
    ).x
    assert found.prior_sd == pytest.approx(np.exp(log_sd), rel=1e-3)
    assert f"Standard deviation of the prior of abilities: {found.prior_sd:.3g}" in found.summary[1]
    assert found.settings["prior_sd"] == "estimated"
    same = po.bradley_terry(matrix(wins.astype(int)), penalized=True, prior_sd=found.prior_sd)
    assert same.ability == pytest.approx(found.ability, abs=1e-9)
    assert same.settings["prior_sd"] == found.prior_sd


def test_the_spread_is_recovered():
    """Means over thirty groups of twenty: within 15% of the truth."""
    for spread in (0.6, 2.0):
        random, found = np.random.default_rng(5), []
        for _ in range(30):
            x = random.normal(0, spread, 20)
            pairs = [random.choice(20, 2, replace=False) for _ in range(300)]
            rows = [
                (f"i{a}", f"i{b}")
                if random.random() < 1 / (1 + np.exp(x[b] - x[a]))
                else (f"i{b}", f"i{a}")
                for a, b in pairs
            ]
            found.append(po.bradley_terry(rows, penalized=True, errors=False).prior_sd)
        assert np.mean(found) == pytest.approx(spread, rel=0.15)
