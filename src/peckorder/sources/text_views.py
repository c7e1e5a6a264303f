"""The cells of a column of text as Arrow stores them: one view of 16 bytes each, without a copy.

A view begins with the number of bytes of the text. Up to 12 bytes follow in the view itself,
padded with zeros, so that two short texts are equal if and only if their views are; of a longer
text the view has the first four bytes and the place of the others. (Arrow columnar format, layout
of variable-size binary views; the structures are those of the Arrow C data interface, which is
stable and needs no further package.)
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
import polars as pl

INSIDE = np.uint64(12)  # bytes of a text that are part of its view
TEXT_VIEW = b"vu"


# Functions that are called with the addresses of structures.
_release = CFUNCTYPE(None, c_void_p)
_next = CFUNCTYPE(c_int, c_void_p, c_void_p)


class _Schema(Structure):
    _fields_ = (
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_char_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", _release),
        ("private_data", c_void_p),
    )


class _Array(Structure):
    _fields_ = (
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", POINTER(c_void_p)),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", _release),
        ("private_data", c_void_p),
    )


class _Stream(Structure):
    _fields_ = (
        ("get_schema", _next),
        ("get_next", _next),
        ("get_last_error", c_void_p),
        ("release", c_void_p),  # called by the capsule
        ("private_data", c_void_p),
    )


_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class TextViews:
    """The views of a column in one piece without nulls, shape (cells, 2).

    `words` lies in the memory of the column and is valid as long as this object. None if polars
    stores text in another way.
    """

    def __init__(self, column: pl.Series):
        self._array: Any = _Array()
        self.words: np.ndarray | None = None
        capsule: Any = column.__arrow_c_stream__()
        stream: Any = _Stream.from_address(_address(capsule, b"arrow_array_stream"))
        schema: Any = _Schema()
        if stream.get_schema(byref(stream), byref(schema)):
            return
        form = schema.format
        schema.release(byref(schema))
        if form != TEXT_VIEW or stream.get_next(byref(stream), byref(self._array)):
            return
        size, skipped = self._array.length, self._array.offset
        if not self._array.release or size != len(column):
            return  # no cells, or several pieces
        views = (ctypes.c_uint64 * (2 * (skipped + size))).from_address(self._array.buffers[1])
        self.words = np.frombuffer(views, np.uint64).reshape(-1, 2)[skipped:]

    def __del__(self) -> None:
        if self._array.release:
            self._array.release(byref(self._array))


def same_short(column: pl.Series, codes: np.ndarray, spelled: pl.Series) -> bool | None:
    """Whether every text equals the one of its code, or None if some are long."""
    from peckorder.kernels.contests import same_views

    own, begin = TextViews(spelled), 0
    for piece in column.get_chunks() if column.n_chunks() > 1 else [column]:
        views = TextViews(piece)
        if own.words is None or views.words is None:
            return None
        same = same_views(views.words, codes[begin : begin + len(piece)], own.words, INSIDE)
        if same < 1:
            return None if same < 0 else False
        begin += len(piece)
    return True
