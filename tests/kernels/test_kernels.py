"""Loops over contests and text against plain Python."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peckorder.kernels.contests import ragged, win_counts

pytestmark = pytest.mark.usefixtures("both_ways")
CELL = st.text(alphabet='ab ,"\n', max_size=4)


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=8))
def test_ragged_finds_what_the_csv_module_finds(table):
    page = io.StringIO()
    csv.writer(page, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(table)
    rows = list(csv.reader(io.StringIO(page.getvalue())))
    expected = [(i, len(row)) for i, row in enumerate(rows, start=1) if len(row) != len(rows[0])]
    records, found = np.zeros(8, np.int64), np.zeros(8, np.int64)
    text = np.frombuffer(page.getvalue().encode(), np.uint8)
    number, fields = ragged(text, ord(","), records, found)
    assert fields == len(rows[0])
    kept = zip(records[:number].tolist(), found[:number].tolist(), strict=True)
    assert list(kept) == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.booleans()), max_size=30))
def test_tally_counts_as_a_plain_loop(rows):
    first = np.array([a for a, _, _ in rows], np.int32)
    second = np.array([(a + step) % 5 for a, step, _ in rows], np.int32)
    draw = np.array([tie for *_, tie in rows], bool)
    counts = [np.zeros(5, np.int64) for _ in range(3)]
    seen = [np.full(5, -1, np.int64) for _ in range(2)]
    win_counts(first, second, draw, 1, 100, *counts, *seen)
    for who in range(5):
        own = [i for i in range(len(rows)) if who in (first[i], second[i])]
        assert counts[0][who] == sum(first[i] == who and not draw[i] for i in own)
        assert counts[1][who] == sum(second[i] == who and not draw[i] for i in own)
        assert counts[2][who] == sum(bool(draw[i]) for i in own)
        assert [seen[0][who], seen[1][who]] == ([100 + own[0], 100 + own[-1]] if own else [-1, -1])
