"""The import report (rows read, dropped and kept), and columns of labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.data.sheet import FileRows, Sheet
from peckorder.text import counted, quoted

SHOWN = {
    "votes": "two sides and an outcome",
    "arrows": "contests written in cells",
    "dyads": "numbers of wins of two sides",
    "focal": "focal individuals and their opponents",
}
STRIPPED = "Leading or trailing blanks were removed"
JOINED = "Aliases were replaced"
IDLE = "Aliases without effect, as they do not occur"
NOT_IGNORED = "Names to ignore that do not occur"
CUMULATIVE = (STRIPPED, JOINED, IDLE, NOT_IGNORED)


@dataclass(frozen=True, eq=False)
class Labels:
    """A column of labels (context, group, season): one code per contest, and their names."""

    codes: np.ndarray
    names: tuple[str, ...]

    def take(self, places: np.ndarray) -> Labels:
        """The labels at these places."""
        return Labels(self.codes[places], self.names)

    def column(self) -> pl.Series:
        """The labels as a column of text."""
        return pl.Series(self.names, dtype=pl.String).gather(pl.Series(self.codes))


@dataclass(frozen=True)
class ImportReport:
    """How a source was read: rows read, dropped and kept, columns used, and notes."""

    source: str = "contests"
    kind: str = "events"
    rows_in: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    reordered: bool = False
    columns: dict[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    row_word: str = "row"
    flavor: str = "polars"
    path: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    files: FileRows | None = None
    winners: str = ""  # side of a matrix: rows or columns
    # rows of the source without a contest, by the reason; not of a stream
    left: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, sheet: Sheet, kind: str, rows_in: int, **more: Any) -> ImportReport:
        """The report of a sheet."""
        own = {"row_word": sheet.row_word, "flavor": sheet.flavor, "files": sheet.files}
        return cls(sheet.name, kind, rows_in, **own, **more)

    def joined(self, other: ImportReport) -> ImportReport:
        """The report combined with that of the following rows."""
        dropped = {
            why: self.dropped.get(why, 0) + other.dropped.get(why, 0)
            for why in {**self.dropped, **other.dropped}
        }
        # Counts of changed names are cumulative over batches: only the last ones apply.
        notes = dict.fromkeys(
            note
            for note in (*self.notes, *other.notes)
            if not note.startswith(CUMULATIVE) or note in other.notes
        )
        rows_in = self.rows_in + other.rows_in
        return replace(self, rows_in=rows_in, dropped=dropped, notes=tuple(notes))

    @property
    def rows_kept(self) -> int:
        """Number of rows that were not dropped."""
        return self.rows_in - sum(self.dropped.values())

    def _repr_html_(self) -> str:
        """What notebooks show: the same lines."""
        first, *more = str(self).splitlines()
        return notebook.page(first, sentences=more)

    def __str__(self) -> str:
        lines = [
            f"Read {self.source} as {SHOWN.get(self.kind, self.kind)}"
            f"{f', winners in {self.winners}' if self.winners else ''}: "
            f"{counted(self.rows_in, 'row')}, "
            f"{self.rows_kept:,} kept."
        ]
        lines += [f"Dropped {counted(n, 'row')}: {why}." for why, n in self.dropped.items()]
        if self.columns:
            lines.append(
                "Columns: " + ", ".join(f'{role} = "{name}"' for role, name in self.columns.items())
            )
        if self.unused:
            lines.append(f"Unused columns: {quoted(self.unused)}")
        return "\n".join([*lines, *self.notes])
