"""Sets of individuals with few contests between them are named; ordinary records are not."""

import numpy as np

import peckorder as po
from peckorder.data.win_counts import sparse_connection
from peckorder.ranks import sparse_cut


def cliques(between, seed=1):
    """Two groups of six with 60 contests each, and some between them."""
    random = np.random.default_rng(seed)
    pairs = []
    for first in (0, 6):
        for _ in range(60):
            pairs.append(first + random.choice(6, 2, replace=False))
    pairs += [(random.integers(6), 6 + random.integers(6)) for _ in range(between)]
    names = np.array([f"x{i:02d}" for i in range(12)])
    order = random.permutation(len(pairs))
    winner, loser = names[np.array(pairs)[order]].T
    return po.read((winner, loser))


def test_two_cliques_with_few_contests_between_them_are_named():
    for between in (2, 6, 15):
        text = sparse_connection(cliques(between))
        assert text is not None
        assert text.startswith(f"Only {between} contests of {120 + between} took place between {{")
        assert "{x00, x01, x02, x03, x04, x05}" in text
    assert sparse_connection(cliques(40)) is None


def test_the_sentence_reaches_users():
    data = cliques(3)
    for found in (po.dynamic(data, seed=1), po.steepness_bayes(data, fair_coins=0, seed=1)):
        assert any("took place between" in text for text in found.summary)


def test_ordinary_records_are_not_called_sparse():
    assert sparse_connection(po.datasets.adv()) is None
    named = 0
    for seed in range(100):
        _, data = po.simulate.hierarchy(individuals=12, contests=60, seed=seed)
        named += sparse_connection(data) is not None
    assert named <= 5


def test_a_table_without_a_cut():
    assert sparse_cut(np.ones((4, 4))) is None
    assert sparse_cut(np.zeros((8, 8))) is None
