"""Small pictures as SVG: places of dots and lines, shades of cells."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from peckorder.notebook import MOST_NAMES, WIDE, bars, dots, heat_map

SVG = "{http://www.w3.org/2000/svg}"


def parts(text, tag):
    return list(ElementTree.fromstring(text).iter(SVG + tag))


def test_dots_are_at_their_values():
    text = dots(["a", "b", "c"], np.array([10.0, 20.0, 40.0]), label="Rating")
    x = [float(dot.get("cx")) for dot in parts(text, "circle")]
    assert np.diff(x) == pytest.approx([WIDE / 3, 2 * WIDE / 3], abs=0.2)
    assert ElementTree.fromstring(text).get("aria-label") == "Rating of 3 individuals"


def test_ranks_are_reversed_and_have_intervals():
    text = dots(
        ["a", "b"], np.array([1, 2]), np.array([1, 1]), np.array([2, 2]), label="Rank", reverse=True
    )
    first, second = parts(text, "circle")
    assert float(first.get("cx")) > float(second.get("cx"))
    lines = [line for line in parts(text, "line") if line.get("stroke-width") == "3"]
    assert all(
        abs(float(line.get("x1")) - float(line.get("x2"))) == pytest.approx(WIDE) for line in lines
    )
    assert "a: 1 (1 to 2)" in text


def test_missing_values_and_many_names():
    assert dots(["a"], np.array([np.nan]), label="x") == ""
    many = [f"individual {i}" for i in range(60)]
    assert len(parts(dots(many, np.arange(60), label="x"), "circle")) == MOST_NAMES
    assert heat_map(many, np.zeros((60, 60), int)) == ""
    assert heat_map(["a"], np.zeros((1, 1), int)) == ""


def test_cells_are_darker_with_more_wins():
    text = heat_map(["a", "b", "<c>"], np.array([[0, 1, 9], [0, 0, 4], [0, 0, 0]]))
    shades = [float(cell.get("fill-opacity")) for cell in parts(text, "rect")]
    assert shades[2] > shades[5] > shades[1] > shades[3] == 0
    assert "a beat &lt;c&gt;: 9" in text
    numbers = [t.text for t in parts(text, "text") if re.fullmatch(r"\d+", t.text)]
    assert numbers == ["1", "9", "4"]


def test_bars_span_their_time():
    text = bars(["a", "b"], [[(0.0, 10.0)], [(5.0, 6.0), (8.0, np.inf)]], ("first", "last"))
    widths = [float(bar.get("width")) for bar in parts(text, "rect")]
    assert widths == pytest.approx([WIDE, WIDE / 10, WIDE / 5])
    assert bars(["a"], [[]], ("", "")) == ""
