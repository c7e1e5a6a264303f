"""Rows of several files."""

import numpy as np

from peckorder.data.sheet import FileRows


def test_rows_are_those_of_their_file_also_around_empty_files():
    files = FileRows(("a", "empty", "b"), (2, 0, 3), (0, 0, 5))
    assert files.of(np.arange(5)).tolist() == [0, 0, 2, 2, 2]
    assert files.labels(np.arange(5)).tolist() == ["0 of a", "1 of a", "5 of b", "6 of b", "7 of b"]
    assert str(files.labels(3)) == "6 of b"
