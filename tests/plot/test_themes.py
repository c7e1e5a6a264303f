"""Themes: widths, letters, fonts and colors of figures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import peckorder as po
from peckorder.plot.themes import JOURNALS, look


@pytest.fixture
def ratings():
    return po.elo(po.datasets.adv(), k=200)


def millimeters(axes):
    return axes.figure.get_size_inches()[0] * 25.4


@pytest.mark.parametrize("journal", JOURNALS)
def test_widths_and_letters_of_journals(ratings, journal):
    with po.plot.theme(journal):
        axes = po.plot.trajectories(ratings)
    wanted = JOURNALS[journal]
    assert millimeters(axes) == pytest.approx(wanted.column)
    assert axes.get_yticklabels()[0].get_fontsize() == pytest.approx(wanted.size)
    assert axes.xaxis.label.get_fontsize() == pytest.approx(wanted.size * 8 / 7)
    sizes = {text.get_fontsize() for text in axes.figure.findobj(Text) if text.get_text()}
    assert min(sizes) >= wanted.size * 0.64
    assert look() == JOURNALS["default"]


def test_letters_of_names_do_not_overlap_when_they_are_larger(ratings):
    with po.plot.theme(size=12):
        axes = po.plot.trajectories(ratings)
    axes.figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in axes.texts), key=lambda box: box.y0)
    heights = np.array([(box.y0 + box.y1) / 2 for box in boxes])
    assert np.diff(heights).min() > 0.9 * 12 / 72 * axes.figure.dpi


def test_panels_of_one_figure_are_sized_once(ratings):
    with po.plot.theme(size=10.5):
        _, panels = plt.subplots(1, 2)
        for panel in panels:
            po.plot.bump(ratings, ax=panel)
    sizes = [panel.xaxis.label.get_fontsize() for panel in panels]
    assert sizes[0] == sizes[1] == pytest.approx(1.5 * plt.rcParams["font.size"])


@pytest.mark.parametrize("journal", ["science", "slides"])
def test_titles_of_axes_are_whole(ratings, journal):
    with po.plot.theme(journal):
        axes = po.plot.trajectories(ratings)
    axes.figure.draw_without_rendering()
    page = axes.figure.bbox
    for text in (axes.xaxis.label, axes.yaxis.label, *axes.texts):
        box = text.get_window_extent()
        assert box.y0 >= page.y0 - 1
        assert box.y1 <= page.y1 + 1
        assert box.x0 >= page.x0 - 1


def test_a_theme_stays_until_another_is_used(ratings):
    po.plot.theme(column=100).use()
    try:
        assert millimeters(po.plot.trajectories(ratings)) == pytest.approx(100)
        with po.plot.theme("nature"):
            assert millimeters(po.plot.trajectories(ratings)) == pytest.approx(89)
        assert millimeters(po.plot.trajectories(ratings)) == pytest.approx(100)
        assert millimeters(po.plot.trajectories(ratings, width=60)) == pytest.approx(60)
    finally:
        po.plot.theme().use()
    assert millimeters(po.plot.trajectories(ratings)) == pytest.approx(85)


def test_colors_and_font(ratings):
    with po.plot.theme(colors=["red", "black"], font="DejaVu Serif"):
        axes = po.plot.trajectories(ratings, highlight=["b", "c"])
    assert [text.get_color() for text in axes.texts] == ["#ff0000", "#000000"]
    assert axes.yaxis.label.get_fontfamily() == ["DejaVu Serif"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"journal": "Natur"}, "nature"),
        ({"journal": 3}, "nature"),
        ({"journal": ["nature"]}, "nature"),
        ({"size": 0}, "from 4 to 40"),
        ({"column": True}, "from 20 to 1000"),
        ({"font": "No Such Font"}, "is not installed"),
        ({"colors": ["blu"]}, "'blu' given"),
        ({"colors": []}, "none given"),
    ],
)
def test_wrong_themes(wrong, message):
    with pytest.raises(po.ArgumentError, match=message):
        po.plot.theme(**wrong)
    assert plt.get_fignums() == []


def test_the_shell_takes_a_journal(inside, tmp_path):
    adv = po.datasets.CATALOGUE["adv"].path
    done = inside("plot", "trajectories", adv, "--journal", "nature", "-o", "a.svg")
    assert done.returncode == 0, done.stderr
    usual = inside("plot", "trajectories", adv, "-o", "b.svg")
    assert usual.returncode == 0
    wide = [(tmp_path / name).read_text().split('width="')[1][:7] for name in ("a.svg", "b.svg")]
    assert float(wide[0].rstrip('pt" ')) == pytest.approx(89 / 25.4 * 72, abs=0.1)
    assert float(wide[1].rstrip('pt" ')) == pytest.approx(85 / 25.4 * 72, abs=0.1)
