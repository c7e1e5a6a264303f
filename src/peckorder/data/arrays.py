"""Checks of the arrays of contests where objects are made.

Compiled loops do not check indices: a code without an individual, or an array that is too short,
would read memory that belongs to something else. So objects with arrays check them when they are
made, whoever makes them: the reader, a stored file, or a user.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.errors import DataError
from peckorder.text import counted

# Contests that counts (a matrix, or a column of counts) may sum to, since each becomes an entry of
# the arrays: about 1 GB of memory.
MOST_FROM_COUNTS = 20_000_000


def codes(what: str, values: Any, number: int, length: int | None = None) -> np.ndarray:
    """Codes from 0 to `number` − 1 as a contiguous int32 array."""
    array = _of_length(what, values, length)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what} must contain whole numbers, not values of type {array.dtype}.")
    if array.size and not (int(array.min()) >= 0 and int(array.max()) < number):
        bad = np.flatnonzero((array < 0) | (array >= number))
        raise DataError(
            f"{what}[{bad[0]}] is {array[bad[0]]}, but codes of {counted(number, 'name')} are 0 to "
            f"{number - 1} ({counted(bad.size, 'invalid code')}). peckorder.read assigns codes to "
            f"names."
        )
    return np.ascontiguousarray(array, np.int32)


def flags(what: str, values: Any, length: int) -> np.ndarray:
    """An array of True and False."""
    array = _of_length(what, values, length)
    if array.dtype.kind != "b":
        raise DataError(f"{what} must contain True and False, not values of type {array.dtype}.")
    return array


def moments(what: str, values: Any, length: int) -> np.ndarray:
    """Dates or numbers, in order, without missing ones."""
    array = _of_length(what, values, length)
    if array.dtype.kind in "iu":
        array = array.astype(float)
    if array.dtype.kind == "M":
        given, array = array, array.astype("datetime64[us]", copy=False)
        lost = np.isnat(array)
        if array.dtype != given.dtype:  # dates that microseconds cannot express would change
            lost |= array.astype(given.dtype) != given
    elif array.dtype.kind == "f":
        lost, array = ~np.isfinite(array), array.astype(float, copy=False)
    else:
        raise DataError(f"{what} must contain dates or numbers, not {array.dtype}.")
    if lost.any():
        place = int(np.flatnonzero(lost)[0])
        raise DataError(f"{what}[{place}] is {values[place]}, which is not a date.")
    early = array[1:] < array[:-1]
    if early.any():
        place = int(np.flatnonzero(early)[0]) + 1
        raise DataError(
            f"{what}[{place}] is earlier than the date before it. Contests must be sorted by date; "
            f"peckorder.read sorts them."
        )
    return array


def sides(what: str, values: Any, length: int) -> np.ndarray:
    """The side at home as an int8 array of 1, −1 and 0."""
    array = _of_length(what, values, length)
    if array.dtype.kind not in "iufb" or not ((array == 0) | (abs(array) == 1)).all():
        raise DataError(f"{what} must be 1 (winner), −1 (loser) or 0 (neutral) in every contest.")
    return array.astype(np.int8, copy=False)


def pairs_of_points(what: str, values: Any, length: int) -> np.ndarray:
    """Points of both sides as a float array (n, 2)."""
    array = np.asarray(values)
    if array.shape != (length, 2) or array.dtype.kind not in "iufb":
        raise DataError(
            f"{what} must be numbers in {length:,} rows and 2 columns (winner, loser), but has "
            f"the shape {array.shape} and the type {array.dtype}."
        )
    if not np.isfinite(array).all():
        raise DataError(f"{what} must be finite numbers.")
    return array.astype(float, copy=False)


def _of_length(what: str, values: Any, length: int | None) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        expected = "one entry per contest" + ("" if length is None else f" ({length:,})")
        raise DataError(f"{what} has the shape {array.shape}; it must have {expected}.")
    return array
