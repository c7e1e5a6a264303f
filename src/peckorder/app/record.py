"""The record: an uploaded file as it was, stored under its hash.

A file of a person has a name, which is shown and which `read` looks at for its ending only. On
disk it gets a plain name, so that no name of an upload is ever a path.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from peckorder.data.datasets import CATALOGUE
from peckorder.errors import DataError

LONGEST = 80  # characters of the name of a file
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
PARQUET = b"PAR1"
PASTED = "pasted.tsv"


@dataclass(frozen=True)
class Record:
    """An upload.

    Attributes
    ----------
    name : name of the file, as shown
    sha256 : hash of its content, as hexadecimal digits
    path : where it is stored
    size : bytes
    example : name of a shipped data set, if it is one
    """

    name: str
    sha256: str
    path: Path
    size: int
    example: str | None = None

    @property
    def is_workbook(self) -> bool:
        """Whether the content is that of an Excel or OpenDocument workbook."""
        with self.path.open("rb") as file:
            return file.read(4) in WORKBOOKS

    @cached_property
    def sheets(self) -> list[str]:
        """Names of the sheets of a workbook; empty for other files."""
        if not self.is_workbook:
            return []
        import fastexcel

        try:
            return fastexcel.read_excel(self.path).sheet_names
        except BaseException as error:  # a panic of the reader is not an Exception
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise DataError(f"{self.name} cannot be opened as a workbook.") from error
            raise

    def described(self) -> dict[str, Any]:
        """The record as the page knows it."""
        try:
            sheets = self.sheets
        except DataError:
            sheets = []
        return {
            "name": self.name,
            "sha256": self.sha256,
            "bytes": self.size,
            "sheets": sheets,
            "example": self.example,
        }


def plain_name(name: str) -> str:
    r"""The name of a file without folders and signs that mean something to a file system.

    >>> plain_name("../../etc/pass wd.csv"), plain_name("C:\\data\\.a.xlsx"), plain_name("/..")
    ('pass wd.csv', 'a.xlsx', 'contests.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w .()+-]+", "_", last).strip(" .")
    stem, dot, ending = kept.rpartition(".")
    if not dot:
        stem, ending = kept, "csv"
    stem = stem.strip(" .")[:LONGEST]
    return f"{stem}.{ending[:12]}" if stem else "contests.csv"


def stored(folder: Path, name: str, content: bytes, example: str | None = None) -> Record:
    """Store an upload under its hash, once."""
    digest = hashlib.sha256(content).hexdigest()
    place = folder / digest[:32]
    place.mkdir(parents=True, exist_ok=True)
    path = place / plain_name(name)
    if not path.exists():
        path.write_bytes(content)
    return Record(plain_name(name), digest, path, len(content), example)


def example(folder: Path, name: str) -> Record:
    """A shipped data set as a record."""
    if name not in CATALOGUE:
        raise DataError(f'There is no example "{name}". Choose one of: {", ".join(CATALOGUE)}.')
    content = Path(CATALOGUE[name].path).read_bytes()
    return stored(folder, f"{name}.csv", content, example=name)
