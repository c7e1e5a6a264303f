"""Names in scripts that the usual font lacks: drawn in a font that has them, or said once."""

import io
import warnings

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.font_manager import fontManager

import peckorder as po
from peckorder.errors import DataWarning
from peckorder.plot.canvas import _east_asian_fonts
from peckorder.plot.files import as_bytes

SHEET = {"winner": ["猴子", "猴子", "さる"], "loser": ["さる", "Abe", "Abe"]}


@pytest.fixture
def east_asian_font(tmp_path):
    """A small font with the characters of the names, under the name of a common one."""
    signs = sorted({*"猴子さる"})
    pen = TTGlyphPen(None)
    for step, point in enumerate([(0, 0), (0, 700), (700, 700), (700, 0)]):
        pen.moveTo(point) if step == 0 else pen.lineTo(point)
    pen.closePath()
    builder = FontBuilder(1000)
    names = [".notdef", *(f"sign{i}" for i in range(len(signs)))]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap(dict(zip(map(ord, signs), names[1:], strict=True)))
    builder.setupGlyf(dict.fromkeys(names, pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (800, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Noto Sans CJK JP", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "signs.ttf")
    fontManager.addfont(tmp_path / "signs.ttf")
    _east_asian_fonts.cache_clear()
    yield
    fontManager.ttflist.pop()
    _east_asian_fonts.cache_clear()


def drawn_axes():
    return po.plot.ranks(po.dynamic(po.read(SHEET), seed=1))


@pytest.mark.usefixtures("east_asian_font")
def test_a_font_of_the_machine_is_used():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_bytes(drawn_axes(), "png")


@pytest.mark.parametrize(
    "saved",
    [
        lambda: as_bytes(drawn_axes(), "png"),
        lambda: drawn_axes().figure.savefig(io.BytesIO(), format="pdf"),
    ],
)
def test_without_one_there_is_one_note(monkeypatch, saved):
    monkeypatch.setattr("peckorder.plot.canvas._east_asian_fonts", lambda: ())
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        saved()
    assert [one.category for one in issued] == [DataWarning]
    assert "lacks characters that occur in names" in str(issued[0].message)
