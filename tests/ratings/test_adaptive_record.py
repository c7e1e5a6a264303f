"""Histories of adaptive ratings against plain Python: ties, batches, and the next contest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peckorder.ratings.adaptive_filter import adaptive_record
from tests.examples import examples
from tests.ratings.adaptive_twin import Past


def record_of(seed, individuals, contests, tie_share=0.3):
    random = np.random.default_rng(seed)
    pairs = [random.choice(individuals, 2, replace=False) for _ in range(contests)]
    winner, loser = np.array(pairs, np.int32).reshape(-1, 2).T
    return (
        np.ascontiguousarray(winner),
        np.ascontiguousarray(loser),
        random.random(contests) < tie_share,
    )


def plain_batches(winner, loser, tied, begins):
    """Histories where none of a batch enters those of another, term by term."""
    rows, number, last, outcome, wins = [], {}, {}, {}, {}
    ends = [*begins[1:], len(winner)]
    for begin, end in zip(begins, ends, strict=True):
        own, dyads = {}, {}
        for t in range(begin, end):
            a, b = int(winner[t]), int(loser[t])
            recent = [outcome.get(i, 0.0) * 0.9 ** (begin - 1 - last.get(i, -1)) for i in (a, b)]
            since = [1 + begin - last.get(i, -1) for i in (a, b)]
            won = [wins.get(pair, 0.0) + 0.5 for pair in ((a, b), (b, a))]
            rows.append(
                [
                    math.log((1 + number.get(a, 0)) / (1 + number.get(b, 0))),
                    recent[0] - recent[1],
                    math.log(won[0] / won[1]),
                    math.log(since[0] / since[1]),
                ]
            )
            own.setdefault(a, []).append(0 if tied[t] else 1)
            own.setdefault(b, []).append(0 if tied[t] else -1)
            each = (0.5, 0.5) if tied[t] else (1.0, 0.0)
            dyads.setdefault(frozenset((a, b)), []).append({a: each[0], b: each[1]})
        for i, outcomes in own.items():
            number[i] = number.get(i, 0) + len(outcomes)
            last[i], outcome[i] = end - 1, sum(outcomes) / len(outcomes)
        for pair, results in dyads.items():
            a, b = tuple(pair)
            fade = sum(0.8**k for k in range(len(results))) / len(results)
            for one, other in ((a, b), (b, a)):
                kept = 0.8 ** len(results) * wins.get((one, other), 0.0)
                wins[one, other] = kept + fade * sum(result[one] for result in results)
    return np.array(rows)


@examples(20)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 40))
def test_histories_equal_the_twin_with_ties(seed, individuals, contests):
    winner, loser, tied = record_of(seed, individuals, contests)
    record, state = adaptive_record(winner, loser, individuals, tied=tied)
    past = Past()
    for t in range(contests):
        a, b = int(winner[t]), int(loser[t])
        assert record.covariates[t] == pytest.approx(past.features(t, a, b), abs=1e-12)
        past.add(t, a, b, bool(tied[t]))
    pairs = np.array([(a, b) for a in range(individuals) for b in range(individuals) if a != b])
    expected = [past.features(contests, a, b) for a, b in pairs.tolist()]
    assert state.of(*pairs.T) == pytest.approx(np.array(expected), abs=1e-12)


@examples(20)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 40))
def test_batches_equal_the_plain_version_and_do_not_depend_on_the_order_inside(
    seed, individuals, contests
):
    winner, loser, tied = record_of(seed, individuals, contests)
    random = np.random.default_rng(seed)
    begins = np.unique(np.append(0, random.integers(0, contests, contests // 3)))
    record, state = adaptive_record(winner, loser, individuals, tied=tied, batches=begins)
    expected = plain_batches(winner, loser, tied, begins.tolist())
    assert record.covariates == pytest.approx(expected, abs=1e-12)
    sizes = np.diff(np.append(begins, contests))
    assert record.step[begins[1:]] == pytest.approx(sizes[:-1])
    assert record.step[contests] == sizes[-1]
    stamp = np.searchsorted(begins, np.arange(contests), side="right")
    order = np.lexsort((random.random(contests), stamp))
    again, other = adaptive_record(
        winner[order], loser[order], individuals, tied=tied[order], batches=begins
    )
    assert again.covariates == pytest.approx(record.covariates[order], abs=1e-12)
    for name in ("contests", "outcome", "last", "wins"):
        assert getattr(other, name) == pytest.approx(getattr(state, name), abs=1e-12)


def test_dyads_that_have_not_met():
    _, state = adaptive_record(*np.array([[0, 2], [1, 1]], np.int32), 4)
    assert state.dyads_of(np.array([1, 0, 3]), np.array([0, 2, 2])).tolist() == [0, -1, -1]
    _, nothing = adaptive_record(*np.zeros((2, 0), np.int32), 2)
    assert nothing.of(np.array([0]), np.array([1])).tolist() == [[0.0, 0.0, 0.0, 0.0]]
