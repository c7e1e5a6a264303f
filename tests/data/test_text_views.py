"""Texts compared by their stored bytes, against comparisons of the texts themselves."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peckorder.data import names
from peckorder.data.names import TextViews, same_short

SHORT = st.text(max_size=3)  # at most 12 bytes


def text(values):
    return pl.Series(values, dtype=pl.String)


@given(st.lists(SHORT, min_size=1, unique=True), st.data())
def test_short_texts_are_compared_exactly(names, data):
    codes = np.array(
        data.draw(st.lists(st.integers(0, len(names) - 1), min_size=1, max_size=20)), np.int32
    )
    cells = [names[code] for code in codes]
    assert same_short(text(cells), codes, text(names)) is True
    place = data.draw(st.integers(0, len(cells) - 1))
    other = data.draw(SHORT.filter(lambda name: name != cells[place]))
    cells[place] = other
    assert same_short(text(cells), codes, text(names)) is False


@given(st.lists(SHORT, min_size=4, max_size=12), st.integers(1, 3))
def test_slices_and_pieces_have_the_views_of_their_cells(cells, cut):
    whole = text(cells)
    views = TextViews(whole).words
    part = TextViews(whole[cut:])
    assert np.array_equal(part.words, views[cut:])
    pieces = pl.concat([whole[:cut], whole[cut:]], rechunk=False)
    names = pl.Series(list(dict.fromkeys(cells)), dtype=pl.String)
    codes = np.array([names.to_list().index(cell) for cell in cells], np.int32)
    assert same_short(pieces, codes, names) is True


@pytest.mark.parametrize("long", ["thirteen bytes", "Ångström Åsa"])
def test_long_texts_are_left_to_others(long):
    codes = np.array([0, 1], np.int32)
    assert same_short(text(["Abe", long]), codes, text(["Abe", long])) is None
    assert same_short(text(["Abe", "twelve bytes"]), codes, text(["Abe", "twelve bytes"])) is True


def test_another_layout_of_text_is_left_to_others(monkeypatch):
    monkeypatch.setattr(names, "TEXT_VIEW", b"U")
    assert same_short(text(["Abe"]), np.zeros(1, np.int32), text(["Abe"])) is None


def test_views_stay_when_the_column_is_gone():
    views = TextViews(text([f"bird {i}" for i in range(10_000)]))
    again = TextViews(text([f"bird {i}" for i in range(10_000)]))
    assert np.array_equal(views.words, again.words)
