"""Figures of seasons to come: what is drawn is what was simulated, and lines divide the draw."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.plot.matrix import percent, scale_ticks
from tests.evaluation.leagues import league

NAMES = [f"t{i}" for i in range(6)]
PAIRS = [(a, b) for a in NAMES for b in NAMES if a != b]


@pytest.fixture(scope="module")
def season():
    ratings = po.elo(league(3, k=20), k=20)
    finish = {"playoffs": 2, "cup": (3, 4), "relegated": -1}
    return po.sport.simulate_season(ratings, fixtures=PAIRS, runs=400, seed=1, finish=finish)


def test_the_map_holds_the_shares_of_places(season):
    table = po.plot.places.data(season)
    listed = season.tables["places"]
    for row in table.to_dicts():
        own = listed.filter(individual=row["individual"])["share"].to_list()
        assert [row[f"place_{place}"] for place in range(1, 7)] == own
        assert row["playoffs"] == pytest.approx(own[0] + own[1])
        assert row["relegated"] == pytest.approx(own[5])
    shares = table.select(f"place_{place}" for place in range(1, 7)).to_numpy()
    assert shares.sum(axis=0) == pytest.approx(np.ones(6))
    assert shares.sum(axis=1) == pytest.approx(np.ones(6))
    assert po.plot.places.data(season, finish={"title": 1}).columns[-1] == "title"
    with pytest.raises(po.ArgumentError, match="top=7: give a place from 1 to 6"):
        po.plot.places(season, finish={"top": 7})


def test_without_a_request_the_title_stands_beside_the_map():
    ratings = po.elo(league(3))
    plain = po.sport.simulate_season(ratings, fixtures=PAIRS[:4], runs=50, seed=1)
    assert po.plot.places.data(plain).columns[-1] == "title"


def test_percentages_do_not_round_to_certainty(season):
    axes = po.plot.places(season)
    written = [text.get_text() for text in axes.texts]
    assert {"playoffs", "cup", "relegated"} <= set(written)
    for name in ("playoffs", "relegated"):
        for value in po.plot.places.data(season)[name]:
            expected = "–" if value == 0 else "100%" if value == 1 else f"{value:.0%}"
            if 0 < value <= 0.005 or 0.995 <= value < 1:
                expected = "<1%" if value < 0.5 else ">99%"
            assert expected in written


def test_a_share_of_half_a_percent_is_not_zero():
    assert [percent(value) for value in (0, 0.005, 0.006, 0.994, 0.995, 1)] == [
        "–",
        "<1%",
        "1%",
        "99%",
        ">99%",
        "100%",
    ]


@pytest.mark.parametrize("most", [0.2, 0.22, 0.3, 0.45, 0.6, 0.8, 1.0])
def test_ticks_cover_the_scale_of_shades(most):
    ticks = scale_ticks(most)
    assert 3 <= len(ticks) <= 4
    assert ticks[0] == 0
    assert 0.6 * most <= ticks[-1] <= most
    assert np.diff(np.sqrt(ticks)).min() >= 0.28 * np.sqrt(most)


def test_the_scale_of_places_has_ticks_up_to_the_largest_share(season):
    axes = po.plot.places(season)
    (scale,) = [other for other in axes.figure.axes if other is not axes]
    largest = max(po.plot.places.data(season).select(pl.col("^place_.*$")).max().row(0))
    assert max(scale.get_xticks()) >= 0.6 * largest


def lines_after(axes, column):
    """Sides after which a line is drawn in a column."""
    lines = axes.collections[column].get_segments()
    return [int(line[0][1] + 0.5) for line in lines]


def test_lines_divide_the_draw_where_chances_sum_to_one():
    ratings = po.elo(league(3, teams=8), k=40)
    chances = po.sport.bracket(ratings, ["t0", "t1", None, "t2", "t3", "t4", "t5", "t6"])
    axes = po.plot.bracket(chances)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Round 1", "Round 2", "Title"]
    assert lines_after(axes, 0) == [2, 3, 5, 7]  # t2 has a bye
    assert lines_after(axes, 1) == [3, 7]
    assert lines_after(axes, 2) == [7]
    with pytest.raises(po.ArgumentTypeError, match=r"plot\.bracket cannot draw the result of elo"):
        po.plot.bracket(ratings)
