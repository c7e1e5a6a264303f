"""Compressed uploads: how large they become is counted before anything reads them.

A small file can expand to more than the memory holds, and the sizes that an archive states can be
wrong. Archives are therefore unpacked once, piece by piece, with nothing kept.
"""

from __future__ import annotations

import io
import zipfile
import zlib

import polars as pl

from peckorder.app.limits import Limits
from peckorder.app.refused import Refused

GZIP, ZIP, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
TIMES = 4  # an upload may expand to so many times the limit of uploads
MOST_MEMBERS = 10_000
MOST_ROWS = 20_000_000
PIECE = 1 << 20
DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError)


def refuse_bombs(content: bytes, limits: Limits) -> None:
    """Refuse an upload that would expand to too much."""
    most = TIMES * limits.upload
    if content.startswith(GZIP):
        _refuse_large_gzip(content, most)
    elif content.startswith(ZIP):
        _refuse_large_zip(content, most)
    elif content.startswith(PARQUET):
        _refuse_long_parquet(content)


def _too_large(most: int) -> Refused:
    return Refused(
        413,
        f"This file would expand to more than {most / 2**20:,.0f} MB, which is too much for the "
        f"app.",
        most=most,
    )


def _refuse_large_gzip(content: bytes, most: int) -> None:
    size, unpacker, left = 0, zlib.decompressobj(31), content
    try:
        while left:
            size += len(unpacker.decompress(left, PIECE))
            if size > most:
                raise _too_large(most)
            left = unpacker.unconsumed_tail
            if unpacker.eof:  # several files one after the other count together
                left, unpacker = unpacker.unused_data.lstrip(b"\0"), zlib.decompressobj(31)
    except zlib.error:
        return  # damaged; the reader says so


def _refuse_large_zip(content: bytes, most: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            stated = sum(member.file_size for member in members)
            if len(members) > MOST_MEMBERS or stated > most:
                raise _too_large(most)
            size = 0
            for member in members:
                with packed.open(member) as file:
                    while piece := file.read(PIECE):
                        size += len(piece)
                        if size > most:
                            raise _too_large(most)
    except Refused:
        raise
    except (*DAMAGED, RuntimeError):  # a RuntimeError asks for a password
        raise Refused(422, "This file is damaged, or it is protected by a password.") from None


def _refuse_long_parquet(content: bytes) -> None:
    try:
        rows = pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return  # damaged; the reader says so
    if rows > MOST_ROWS:
        raise Refused(413, f"This file has {rows:,} rows; the app opens up to {MOST_ROWS:,}.")
