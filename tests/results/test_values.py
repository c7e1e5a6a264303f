"""What holds for the results of all verbs with values: fields, intervals, p-values, typing errors."""

from dataclasses import fields

import numpy as np
import pytest

import peckorder as po
from peckorder.estimate import Estimate
from peckorder.results.measures import Finding

DATA = po.datasets.adv()
FEW = {"runs": 20, "seed": 1}
CALLS = {
    "steepness": lambda: po.steepness(DATA, **FEW),
    "steepness_bayes": lambda: po.steepness_bayes(DATA, fair_coins=2, seed=1),
    "linearity": lambda: po.linearity(DATA, **FEW),
    "transitivity": lambda: po.transitivity(DATA, **FEW),
    "consistency": lambda: po.consistency(DATA, **FEW),
    "order_test": lambda: po.order_test(DATA, runs=19, power_runs=2, seed=1),
    "stability": lambda: po.stability(po.elo(DATA)),
    "hierarchy_shape": lambda: po.hierarchy_shape(DATA),
    "dominance_style": lambda: po.questions.dominance_style(DATA, **FEW),
    "change_points": lambda: po.change_points(DATA),
    "dyads": DATA.dyads,
    "unknown_dyads": DATA.unknown_dyads,
    "reversals": lambda: DATA.reversals(at="2010-01-15"),
    "isi": lambda: po.isi(DATA),
    "bradley_terry": lambda: po.bradley_terry(DATA, penalized=True, bootstrap=20, seed=1),
    "randomized_elo": lambda: po.randomized_elo(DATA, **FEW),
    "repeatability": lambda: po.orders.repeatability(DATA, **FEW),
    "splitting": lambda: po.orders.splitting(DATA, **FEW),
    "adagio": lambda: po.orders.adagio(DATA),
    "percolation": lambda: po.orders.percolation(DATA, runs=2, seed=1),
    "indices": lambda: po.orders.indices(DATA),
    "dominance_value": lambda: po.orders.dominance_value(DATA),
    "network": lambda: po.orders.network(DATA),
    "period_ranks": lambda: po.orders.period_ranks(DATA, per="month"),
    "power": lambda: po.power(6, 2, target="linearity", effort=[40], runs=4, seed=1),
}


@pytest.fixture(params=CALLS.values(), ids=CALLS)
def found(request):
    return request.param()


@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
def test_values_are_fields_intervals_hold_them_and_typing_errors_are_corrected(found):
    own = {one.name: getattr(found, one.name) for one in fields(found)[len(fields(Finding)) :]}
    assert set(found.values) <= set(own)
    assert all(found.values[name] is own[name] for name in found.values)
    assert not any(isinstance(value, np.ndarray) for value in found.values.values())
    for name, value in found.values.items():
        if isinstance(value, Estimate):
            assert 0 < value.level < 1
            assert value.low <= value <= value.high
        if (name == "p" or name.startswith("p_")) and value is not None:
            assert 0 <= value <= 1
    if found.values.get("low") is not None:
        assert found.low <= found.value <= found.high
    for name in (name for name in (*found.values, *found.tables) if len(name) > 3):
        with pytest.raises(AttributeError, match="id you mean"):
            getattr(found, name + "_x")
