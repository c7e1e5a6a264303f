"""Arrays of wins whose axes have names: DataArrays of xarray, and cross tables of pandas.

The names of the axes may say which of them holds the winners. A cross table of winners and losers
has no row for individuals that never won and no column for those that never lost; they are added
with 0 wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import DataError
from peckorder.sources.headings import says
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, quoted


def labeled_array(source: Any) -> Sheet | None:
    """A sheet from an array with labeled axes, or None if the source is something else."""
    if hasattr(source, "dims") and hasattr(source, "coords") and getattr(source, "ndim", 0) == 2:
        axes = [str(axis) for axis in source.dims]
        labels = [source.coords[axis].values if axis in source.coords else None for axis in axes]
        return _sheet(np.asarray(source.values), axes, labels, "the DataArray", "polars")
    index, columns = getattr(source, "index", None), getattr(source, "columns", None)
    axes = [str(getattr(labels, "name", None) or "") for labels in (index, columns)]
    if hasattr(source, "to_numpy") and _who(axes[0]) and _who(axes[1]):
        return _sheet(source.to_numpy(), axes, [index, columns], "the DataFrame", "pandas")
    return None


def _who(axis: str) -> str:
    """What the name of an axis says: won, lost or nothing; plurals count."""
    words = (axis, axis.removesuffix("s"))
    return next((what for what in ("won", "lost") if any(says(w, what) for w in words)), "")


def _sheet(counts: np.ndarray, axes: list[str], labels: list[Any], name: str, flavor: str) -> Sheet:
    notes = []
    said = [_who(axis) for axis in axes]
    if said[0] == said[1] != "":
        raise DataError(
            f"{name}: both axes are named as {quoted(axes)}. Name one after the winners and the "
            f"other after the losers."
        )
    if said[0] == "lost" or said[1] == "won":
        counts, labels = counts.T, labels[::-1]
        notes.append(f"Winners are in the columns ({quoted(axes)}), so the table was transposed.")
    names = [None if part is None else [str(label) for label in part] for part in labels]
    rows, columns = (part or other for part, other in (names, names[::-1]))
    if not rows or not columns:
        rows = None
        columns = [f"column {i + 1}" for i in range(counts.shape[1])]
    elif all(said) and set(rows) != set(columns):
        counts, rows, columns, note = _completed(counts, rows, columns)
        notes.append(note)
    if len(set(columns)) < len(columns) or len(columns) != counts.shape[1]:
        raise DataError(f"{name}: every row and column needs a name of its own.")
    frame = pl.DataFrame({label: counts[:, j].tolist() for j, label in enumerate(columns)})
    return Sheet(
        frame.lazy(),
        columns,
        frame.height,
        name,
        row_word="position",
        flavor=flavor,
        row_names=rows,
        notes=notes,
    )


def _completed(
    counts: np.ndarray, rows: list[str], columns: list[str]
) -> tuple[np.ndarray, list[str], list[str], str]:
    """A square table: individuals without a row, or without a column, get counts of 0."""
    individuals = list(dict.fromkeys([*rows, *columns]))
    place = {individual: i for i, individual in enumerate(individuals)}
    full = np.zeros((len(individuals), len(individuals)), counts.dtype)
    full[np.ix_([place[row] for row in rows], [place[column] for column in columns])] = counts
    added = [name for name in individuals if name not in rows or name not in columns]
    note = (
        f"{counted(len(added), 'individual has', 'individuals have')} no row (no wins) or no "
        f"column (no losses), which were added with counts of 0: {quoted(added)}."
    )
    return full, individuals, individuals, note
