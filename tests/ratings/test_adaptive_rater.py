"""The live rater of `adaptive` has the state of the batch after each contest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.examples import examples

AdaptiveRater = po.sport.AdaptiveRater


def contests(individuals, number, ties, newcomers_from, seed):
    """Contests between a half of the individuals at first, and between all of them later."""
    random = np.random.default_rng(seed)
    strength, rows = random.normal(size=individuals), []
    for t in range(number):
        there = individuals if t >= newcomers_from else max(individuals // 2, 2)
        i, j = random.choice(there, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
        one, other = (i, j) if won else (j, i)
        rows.append((f"n{one}", f"n{other}", bool(random.random() < ties)))
    return rows


def read(rows):
    winner, loser, draw = zip(*rows, strict=True)
    columns = {"winner": winner, "loser": loser}
    return po.read(columns | ({"draw": [int(one) for one in draw]} if any(draw) else {}))


@examples(12)
@given(
    st.integers(2, 9),
    st.integers(1, 110),
    st.sampled_from([0.0, 0.0, 0.15]),
    st.integers(0, 80),
    st.integers(0, 10**6),
)
def test_the_state_is_that_of_the_batch(individuals, number, ties, newcomers_from, seed):
    rows = contests(individuals, number, ties, newcomers_from, seed)
    rater = AdaptiveRater()
    chances = [rater.update(one, other, draw=draw) for one, other, draw in rows]
    whole = po.adaptive(read(rows), seed=1)
    bank, own = whole.bank, rater.bank
    names = list(rater._codes)
    at = [*range(bank.offset), *(bank.offset + whole.individuals.index(name) for name in names)]
    covariances = bank.filtered.covariances[:, at][:, :, at]
    assert own.filtered.means == pytest.approx(bank.filtered.means[:, at], abs=1e-10)
    assert own.filtered.covariances == pytest.approx(covariances, abs=1e-10)
    assert own.weights[-1] == pytest.approx(bank.weights[-1], abs=1e-10)
    assert own.elo_weights[-1] == pytest.approx(bank.elo_weights[-1], abs=1e-10)
    assert own.bank_share == pytest.approx(bank.bank_share, abs=1e-10)
    assert chances[-1] == pytest.approx(bank.probability[-1], abs=1e-10)
    if not any(draw for _, _, draw in rows):
        assert chances == pytest.approx(bank.probability, abs=1e-10)
    mean, deviation = bank.ratings()
    code = [whole.individuals.index(name) for name in rater.table["individual"]]
    assert rater.table["rating"].to_numpy() == pytest.approx(mean[code], abs=1e-10)
    assert rater.table["rating_sd"].to_numpy() == pytest.approx(deviation[code], abs=1e-10)
    for one, other in [(names[0], names[1]), (names[-1], names[0])]:
        chance = whole.probability(one, other)
        assert rater.probability(one, other) == pytest.approx(chance, abs=1e-10)


def test_many_dyads_and_contests_have_room():
    rows = contests(30, 300, 0.0, 60, 5)
    rater = AdaptiveRater()
    chances = [rater.update(one, other) for one, other, _ in rows]
    assert chances == pytest.approx(po.adaptive(read(rows), seed=1).bank.probability, abs=1e-10)
    assert repr(rater) == "AdaptiveRater: 30 individuals, 300 contests"


def test_what_is_refused_changes_nothing():
    rater = AdaptiveRater()
    with pytest.raises(po.DataError, match="no contests yet"):
        _ = rater.table
    with pytest.raises(ValueError, match="both"):
        rater.update("a", "a")
    with pytest.raises(ValueError, match="name is missing"):
        rater.update("a", " ")
    with pytest.raises(TypeError, match="draw"):
        rater.update("a", "b", draw="yes")
    rater.update("a", "b")
    with pytest.raises(ValueError, match='"c" took part in no contest'):
        rater.probability("a", "c")
    assert rater.contests == 1
