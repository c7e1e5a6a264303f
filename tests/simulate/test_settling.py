"""From when on the order can be relied on, over records simulated from the final ratings."""

import pytest

import peckorder as po


def test_settling_of_a_stable_hierarchy():
    _, data = po.simulate.hierarchy(6, 150, spread=4.0, seed=1)
    found = po.simulate.settling(data, k=50, runs=20, seed=1)
    assert found.value == po.elo(data, k=50).reliable_from
    assert 0 < found.low < found.high < 150
    assert found.values == po.simulate.settling(data, k=50, runs=20, seed=1).values
    flat = po.simulate.settling(
        po.simulate.hierarchy(6, 150, spread=0.1, seed=1)[1], runs=20, seed=1
    )
    assert flat.high > found.high
    with pytest.raises(ValueError, match="whole number of at least 2"):
        po.simulate.settling(data, runs=1)
