"""Self-organizing hierarchies: the numbers of the paper and a plain loop."""

import math
import re

import numpy as np
import pytest

import peckorder as po
from peckorder.kernels import random as stream
from tests import oracle

RANGES = {20: (1368, 133), 100: (3869, 159), 200: (5547, 125)}  # mean and sd, recomputed


def twin(found, run):
    """The same run, by lists and dictionaries."""
    made = found.made
    size = len(made.names)
    meetings, state = np.empty(4, np.uint64), np.empty(4, np.uint64)
    stream.begin(meetings, made.runs.key(), 2 * run)
    stream.begin(state, made.runs.key(), 2 * run + 1)
    rating = [made.start] * size
    wins = [[0] * size for _ in range(size)]
    total, won = [0] * size, [0] * size
    for j in range(made.contests):
        number = made.schedule[j] if made.schedule.size else stream.below(meetings, len(made.pairs))
        a, b = made.pairs[number]
        if made.model == "elo":
            p = made.curve(rating[a] - rating[b])
        elif made.model == "dodom":
            p = rating[a] / (rating[a] + rating[b])
        else:
            p = 1 / (1 + math.exp(-made.eta * (rating[a] - rating[b])))
        score = 1.0 if stream.uniform(state) < p else 0.0
        winner, loser = (a, b) if score else (b, a)
        wins[winner][loser] += 1
        total[a] += 1
        total[b] += 1
        won[winner] += 1
        if made.model == "theraulaz_ratio":
            rating[a], rating[b] = won[a] / total[a], won[b] / total[b]
            continue
        step = made.k * (score - p)
        if made.model == "theraulaz_step":
            step = made.k if score else -made.k
        rating[a] += step
        rating[b] -= step
        if made.model == "dodom":
            rating[a], rating[b] = max(rating[a], 0.01), max(rating[b], 0.01)
    return rating, wins


@pytest.mark.parametrize("model", ["elo", "theraulaz_step", "theraulaz_ratio", "dodom"])
def test_runs_are_those_of_a_plain_loop(model):
    found = po.simulate.self_organizing(5, 12, model=model, runs=3, seed=2)
    for run in range(3):
        rating, wins = twin(found, run)
        assert found.samples["ratings"][run].tolist() == pytest.approx(rating, abs=1e-9)
        assert found.samples["wins"][run].tolist() == wins
        assert found.samples["course"][run, -1].tolist() == pytest.approx(rating, abs=1e-9)
        assert found.samples["h"][run, -1] == pytest.approx(oracle.linearity(wins)["h"])
        assert found.samples["range"][run, -1] == pytest.approx(max(rating) - min(rating))


@pytest.mark.parametrize("k", [20, 100, 200])
def test_table_1_of_albers_and_de_vries(k):
    found = po.simulate.self_organizing(k=k, runs=50, seed=1)
    mean, sd = RANGES[k]
    assert found.range == pytest.approx(mean, abs=3 * sd / math.sqrt(50))
    assert found.range_sd == pytest.approx(sd, rel=0.35)
    assert found.h_median >= 0.99
    assert found.samples["ratings"].sum(axis=1) == pytest.approx(np.full(50, 13_000))
    reached = found.course.filter(found.course["h_median"] > 0.9)["contests_per_dyad"][0]
    assert reached == pytest.approx({20: 30, 100: 8, 200: 5}[k], rel=0.25, abs=2)


def test_elo_agrees_with_isi_as_the_paper_says():
    rho = []
    for k in (20, 200):
        found = po.simulate.self_organizing(k=k, runs=20, seed=3)
        for run in range(20):
            data = found.record(run)
            isi = po.isi(data)
            place = {name: i for i, name in enumerate(found.made.names)}
            rating = found.samples["ratings"][run][[place[n] for n in data.individuals]]
            rho.append(oracle.spearman((-rating).tolist(), [isi[n] for n in data.individuals]))
    assert 0.84 < np.median(rho) < 0.95


def test_shares_of_dominances_fall_with_rank():
    """Recomputed for 3000 contests per dyad: .148 .134 .122 … .008."""
    found = po.simulate.self_organizing(contests_per_dyad=3000, k=200, runs=20, seed=1)
    shares = found.table["dominances"].to_list()
    assert (np.diff(shares) < 0.01).all()
    assert sum(shares) == pytest.approx(1)
    assert shares[0] == pytest.approx(0.148, abs=0.006)
    assert shares[-1] == pytest.approx(0.008, abs=0.006)
    assert found.table["subordinations"].to_list() == pytest.approx(shares[::-1], abs=0.015)


def test_one_schedule_for_every_k():
    first = po.simulate.self_organizing(6, 20, k=20, seed=1)
    other = po.simulate.self_organizing(6, 20, k=200, schedule=first, seed=9)

    def met(found):
        data = found.record(0)
        names = np.array(data.individuals)
        return [frozenset(pair) for pair in zip(names[data.winner], names[data.loser], strict=True)]

    assert met(first) == met(other)
    again = po.simulate.self_organizing(6, 20, k=20, schedule=first, seed=1)
    assert np.array_equal(again.samples["ratings"], first.samples["ratings"])
    pairs = [(0, 1), (1, 2), (0, 2)] * 4
    assert len(po.simulate.self_organizing(3, 4, schedule=pairs, seed=1).record()) == 12


def test_the_contests_reproduce_the_ratings():
    found = po.simulate.self_organizing(7, 30, k=100, runs=2, seed=4)
    ratings = po.elo(found.record(1), k=100, curve="table")
    own = dict(zip(found.made.names, found.samples["ratings"][1], strict=True))
    assert {n: ratings[n] for n in ratings} == pytest.approx(own)


def test_winner_and_loser_effects():
    found = po.simulate.winner_effect([0, 100, 368], runs=100)
    table = found.table
    assert table["winner"].to_list() == sorted(table["winner"].to_list())
    assert table["winner"][0] == pytest.approx(0.5, abs=0.01)
    assert (table["winner"] + table["loser"]).to_list() == pytest.approx([1, 1, 1], abs=0.02)
    assert table["equals"][2] == 0.74
    assert po.curves.k_from_effect(0.74) == 368


def test_identical_bytes_on_any_number_of_workers():
    one, two, four = (
        po.simulate.self_organizing(runs=9, contests_per_dyad=40, seed=5, threads=n)
        for n in (1, 2, 4)
    )
    assert one.to_dict() == two.to_dict() == four.to_dict()
    assert one.samples["ratings"].tobytes() == four.samples["ratings"].tobytes()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"individuals": 1}, "at least 2"),
        ({"k": -1}, "k=-1: give a finite number ≥ 0"),
        ({"runs": 0}, "runs=0"),
        ({"model": "chess"}, "Choose one of: elo, theraulaz_step"),
        ({"contests_per_dyad": 0}, "contests_per_dyad=0"),
        ({"schedule": [(0, 1)]}, "schedule contains 1 pair, but 21,840"),
        ({"schedule": [0, 1, 2]}, "a sequence of pairs of integers"),
        ({"schedule": [(0.7, 1.2)] * 9}, "a sequence of pairs of integers"),
        ({"individuals": 3, "contests_per_dyad": 1, "schedule": [(0, 0)] * 3}, "two different"),
        ({"model": "dodom", "start": 0.0}, "must be > 0"),
    ],
)
def test_what_is_refused(arguments, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        po.simulate.self_organizing(**arguments)
    with pytest.raises(ValueError, match="runs are numbered from 0 to 0"):
        po.simulate.self_organizing(3, 2, seed=1).record(5)
