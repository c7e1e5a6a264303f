"""Winning-probability curves, their inverses, and values published in papers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.curves import PERCENTS, THRESHOLDS, curve_from
from peckorder.kernels import elo as kernel
from tests.twin import win_chance

CURVES = [
    po.curves.Logistic(),
    po.curves.Logistic(scale=1000),
    po.curves.Exponential(),
    po.curves.Normal(),
    po.curves.Table(),
]


def test_the_printed_table(papers):
    assert THRESHOLDS.tolist() == papers["adv"]["table_upper_bounds"]
    table = po.curves.Table()
    assert table(80) == 0.61  # Albers & de Vries: about 60 %
    assert table(3.49) == 0.5
    assert table(3.5) == 0.51  # rounded half up
    assert (table(735), table(736), table(-736)) == (0.99, 1.0, 0.0)


def test_inverse_of_the_table_is_the_midpoint():
    table = po.curves.Table()
    assert table.difference(0.74) == 184
    assert table.difference(0.26) == -184
    assert table.difference(0.5) == 0
    assert table.difference(0.96) == 501
    with pytest.raises(ValueError, match="no midpoint"):
        table.difference(0.999)


def test_k_from_effect():
    assert po.curves.k_from_effect(0.74) == 368
    assert po.curves.k_from_effect(0.74, curve="logistic") == pytest.approx(363.4, abs=0.05)
    assert po.curves.k_from_effect(0.74, curve=po.curves.Normal(sd=2000 / 7)) == pytest.approx(
        367.6, abs=0.05
    )


def test_table_is_close_to_a_normal_curve():
    """45 of the 50 printed thresholds are those of the normal curve with sd 2000/7."""
    points = np.arange(0, 1000)
    rounded = np.floor(po.curves.Normal(sd=2000 / 7)(points) * 100 + 0.5)
    last = [points[rounded == percent].max() for percent in range(50, 100)]
    assert (np.array(last) == THRESHOLDS).sum() == 45


@given(st.floats(-3000, 3000), st.sampled_from(CURVES))
def test_probabilities_of_both_sides_sum_to_one(difference, curve):
    assert curve(difference) + curve(-difference) == pytest.approx(1, abs=1e-12)


@given(st.floats(0.02, 0.98), st.sampled_from(CURVES[:4]))
def test_inverse_undoes_the_curve(chance, curve):
    assert curve(curve.difference(chance)) == pytest.approx(chance, abs=1e-9)


@given(st.floats(-3000, 3000), st.sampled_from(["logistic", "exponential", "normal", "table"]))
def test_curve_kernel_and_twin_agree(difference, name):
    curve = curve_from(name)
    code = {"table": kernel.TABLE, "normal": kernel.NORMAL}.get(name, kernel.LOGISTIC)
    compiled = kernel.win_chance(difference, kernel.WinCurve(code, curve.slope, PERCENTS))
    assert compiled == pytest.approx(win_chance(difference, name), rel=1e-9, abs=1e-300)
    assert curve(difference) == pytest.approx(compiled, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_parameters_must_be_finite_and_positive(value):
    for name, parameter in (("logistic", "scale"), ("exponential", "delta"), ("normal", "sd")):
        with pytest.raises(ValueError, match=f"{parameter} must be a finite number above 0"):
            curve_from(name, **{parameter: value})


def test_parameter_of_another_curve_is_an_error():
    with pytest.raises(ValueError, match="The table curve takes no parameter, not scale"):
        curve_from("table", scale=400)
    with pytest.raises(ValueError, match="The probability must be above 0 and below 1"):
        po.curves.Logistic().difference(1.0)
    with pytest.raises(ValueError, match=r"above 0 and below 1, not \[0.5, 0.6\]"):
        po.curves.Normal().difference([0.5, 0.6])
