"""Bradley–Terry and Davidson fits against slow twins and the paper."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import peckorder as po
from peckorder.ranking import bradley_terry as module
from tests import oracle
from tests.matrices import by_name, matrix, permuted, transposed, wins


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


@settings(max_examples=10)
@given(wins(least=2, most=5, complete=True))
def test_a_wide_prior_changes_nothing(table):
    wide = po.bradley_terry(matrix(table), penalized=True, prior_sd=1e4)
    free = po.bradley_terry(matrix(table))
    for column in ("ability", "se"):
        assert by_name(wide, column) == pytest.approx(by_name(free, column), abs=1e-4)


@settings(max_examples=25)
@given(wins(least=2, most=5, complete=True))
def test_maximum_and_errors_of_a_slow_twin(table):
    ability, likelihood = oracle.bradley_terry(table)
    fit = po.bradley_terry(matrix(table))
    assert by_name(fit, "ability") == pytest.approx(ability, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-8)
    errors = oracle.bradley_terry_standard_errors(table, ability)
    assert by_name(fit, "se") == pytest.approx(errors, abs=1e-6)


@settings(max_examples=15)
@given(wins(least=2, most=4, complete=True), st.data())
def test_draws_of_a_slow_twin(table, data):
    size = len(table)
    drawn = np.zeros((size, size), int)
    for i in range(size):
        for j in range(i):
            drawn[i, j] = drawn[j, i] = data.draw(st.integers(0, 3))
    assume(drawn.any())
    ability, nu, likelihood = oracle.davidson(table, drawn.tolist())
    fit = po.bradley_terry(matrix(table, drawn))
    assert by_name(fit, "ability") == pytest.approx(ability, abs=1e-5)
    assert fit.nu == pytest.approx(nu, rel=1e-5)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-8)


@given(wins(least=2, most=5, complete=True), st.integers(0, 2**32 - 1))
def test_derivatives_are_finite_differences(table, seed):
    rng = np.random.default_rng(seed)
    won = np.array(table)
    drawn = np.triu(rng.integers(0, 3, won.shape), 1)
    drawn += drawn.T
    assume(drawn.any())
    x, size, step = rng.normal(size=len(won) + 1), len(won), 1e-6

    def gradient(x):
        return module.derivatives(won, drawn, x[:size], x[size:])[0]

    def value(x):
        return module._log_likelihood(won, drawn, x[:size], x[size:])

    for i, along in enumerate(step * np.eye(size + 1)):
        slope = (value(x + along) - value(x - along)) / (2 * step)
        assert gradient(x)[i] == pytest.approx(slope, abs=1e-4)
        row = -(gradient(x + along) - gradient(x - along)) / (2 * step)
        assert module.derivatives(won, drawn, x[:size], x[size:])[1][i] == pytest.approx(
            row, abs=1e-4
        )


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
    with pytest.raises(ValueError, match="davidson, omit, half, both"):
        po.bradley_terry(data, ties="model")
    with pytest.raises(ValueError, match="above 0"):
        po.bradley_terry(data, prior_sd=0)
