"""Weights over time: they sum to 1 and are those of the ratings."""

import numpy as np
import pytest

import peckorder as po


@pytest.fixture(scope="module")
def found():
    return po.adaptive(po.datasets.adv(), seed=1, samples=50)


@pytest.mark.parametrize("part", ["drift", "spread"])
def test_weights_sum_to_one_and_are_those_of_the_ratings(found, part):
    table, own = po.plot.weights.data(found, part=part), found.weights()
    sets = [name for name in own.columns if name.startswith(part)]
    assert table.columns == ["contest", "date", "elo", *sets]
    assert table.select("elo", *sets).sum_horizontal().to_numpy() == pytest.approx(np.ones(34))
    assert table["elo"].to_list() == own["elo"].to_list()
    assert table["elo"][0] == 0.5
    for name in sets:
        assert table[name][0] == pytest.approx(0.5 / len(sets))
        assert table[name][-1] == pytest.approx(own[name][-1] * (1 - own["elo"][-1]))


def test_the_axis_and_what_is_refused(found):
    assert po.plot.weights(found, over="contest").get_xlabel() == "Contest (number)"
    labels = [text.get_text() for text in po.plot.weights(found).get_legend().get_texts()]
    assert labels[0] == "drift 0.3"
    assert labels[-1] == "averaged Elo"
    with pytest.raises(po.ArgumentTypeError, match="cannot draw the result of elo"):
        po.plot.weights(po.elo(po.datasets.adv()))
    with pytest.raises(po.ArgumentError, match="part"):
        po.plot.weights(found, part="nu")
