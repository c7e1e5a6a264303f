"""Events put into a record: numbers of the shipped data, independent versions, and properties."""

import numpy as np
import pytest

import peckorder as po
from peckorder.questions.stress import Played, Scene

ADV = po.datasets.adv()


@pytest.fixture(scope="module")
def takeover():
    return po.questions.stress(ADV, runs=40, seed=2)


def test_a_takeover_in_adv(takeover):
    assert abs(takeover.elo - 0.78) < 0.15
    assert 5 <= takeover.elo_days <= 14
    assert abs(takeover.elo_without - 0.14) < 0.12
    assert takeover.dynamic < 0.12
    assert takeover.dynamic_days is None  # never, in the median
    assert abs(takeover.changes_per_100 - 6.5) < 3


def test_shares_are_those_of_the_curve(takeover):
    curve = takeover.tables["curve"]
    for row in takeover.as_polars().head(2).iter_rows(named=True):
        own = curve.filter(curve["method"] == row["method"])
        assert own["shown"].max() == pytest.approx(row["shown"])
        assert own["without"].max() == pytest.approx(row["without"])
        assert own["shown"].is_sorted()


def played(winner, loser, start, new, rivals):
    """A record with an event, of individuals 0 to 3."""
    size, number = 4, len(winner)
    scene = Scene(
        start,
        new,
        np.array(rivals),
        np.arange(size),
        np.zeros(size),
        np.zeros(size),
        np.arange(number),
        np.arange(number),
    )
    return Played(np.array(winner), np.array(loser), np.arange(number) * 1.0, start, scene, size)


def test_elo_is_that_of_the_package():
    one = played([0, 1, 0, 2, 3, 1, 1, 1, 1, 1], [1, 2, 2, 3, 0, 0, 0, 0, 0, 0], 4, 1, [0])
    shown, tops = one.elo(100 * np.log(10) / 400)
    names = [(f"i{w}", f"i{z}") for w, z in zip(one.winner, one.loser, strict=True)]
    history = [po.elo(po.read(names[:n])) for n in range(4, 11)]
    expected = [found["i1"] > found["i0"] for found in history]
    assert shown.tolist() == expected
    assert [f"i{top}" for top in tops] == [next(iter(found)) for found in history[:-1]]
    sight = one.sight(np.arange(4, 11), shown)
    assert sight.contests == expected.index(True)


def test_dynamic_is_that_of_the_package():
    random = np.random.default_rng(3)
    winner = random.integers(4, size=60)
    loser = (winner + random.integers(1, 4, size=60)) % 4
    winner[30:], loser[30:] = 2, np.array([0, 1, 3] * 10)
    one = played(winner, loser, 30, 2, [0])
    times = np.array([30, 45, 60])
    shown = one.dynamic(times)
    for n, found in zip(times, shown, strict=True):
        names = [(f"i{w}", f"i{z}") for w, z in zip(winner[:n], loser[:n], strict=True)]
        p = po.dynamic(po.read(names), seed=1).outranks("i2", "i0")
        assert found == (p >= 0.95) or abs(p - 0.95) < 0.03
    assert shown[-1]


def test_never_is_a_result():
    one = played([0] * 10, [1] * 10, 4, 1, [0])
    sight = one.sight(np.arange(4, 11), one.elo(0.5)[0])
    assert np.isinf([sight.contests, sight.days, sight.own]).all()


@pytest.mark.parametrize("event", ["leap", "loss", "joiner"])
def test_other_events(event):
    found = po.questions.stress(ADV, event=event, runs=12, seed=1)
    assert found.event == event
    assert 0 <= found.elo <= 1
    assert found.as_polars().height >= 2


def test_a_long_record_shows_a_takeover():
    _, data = po.simulate.hierarchy(individuals=6, contests=400, seed=4)
    found = po.questions.stress(data, runs=8, seed=1)
    assert found.elo > 0.9
    assert found.dynamic > 0.3 > found.dynamic_without


def test_errors_and_progress():
    with pytest.raises(po.DataError, match="needs the order"):
        po.questions.stress(po.datasets.bonobos())
    with pytest.raises(po.DataError, match="Too few data"):
        po.questions.stress(po.read([("a", "b"), ("b", "c")]))
    with pytest.raises(po.ArgumentError, match="takeover, leap, loss, joiner"):
        po.questions.stress(ADV, event="coup")
    ticks = []
    po.questions.stress(ADV, runs=3, seed=1, progress=lambda n, of: ticks.append((n, of)))
    assert ticks[-1] == (3, 3)
