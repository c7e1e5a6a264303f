"""Rows of a table that consists of several files: which row of which file a contest is.

Contests are numbered through all files, since that is what arrays can hold. Messages name the file
and the row in it, because nobody can find row 1,234,567 of fifty files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class FileRows:
    """Names of files, their numbers of rows, and the number of the first row of each.

    >>> files = FileRows(("a.csv", "b.csv"), (3, 2), (2, 2))
    >>> files.labels([0, 2, 4]).tolist()
    ['2 of a.csv', '4 of a.csv', '3 of b.csv']
    """

    names: tuple[str, ...]
    heights: tuple[int, ...]
    first_rows: tuple[int, ...]

    def of(self, numbers: Any) -> np.ndarray:
        """The index of the file of each row, numbered through all files."""
        return np.searchsorted(np.cumsum(self.heights), numbers, side="right")

    def labels(self, numbers: Any) -> np.ndarray:
        """Rows as they appear in messages."""
        numbers = np.asarray(numbers)
        file = self.of(numbers)
        begins = np.concatenate([[0], np.cumsum(self.heights)])
        within = numbers - begins[file] + np.array(self.first_rows)[file]
        said = [
            f"{row} of {self.names[i]}"
            for row, i in zip(within.ravel().tolist(), file.ravel().tolist(), strict=True)
        ]
        return np.array(said, dtype=object).reshape(numbers.shape)
