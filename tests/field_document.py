"""Writes docs/field.md from tests/field/index.csv: python -m tests.field_document."""

import csv
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "field"
DOCUMENT = Path(__file__).parent.parent / "docs" / "field.md"
OPENING = """# Sheets as people keep them

[tests/field](../tests/field) holds one small file for each habit of keeping records. Tests read each
of them, compare the contests with those that a person reads from it, and with those of a second
reader in plain Python. The last column states what you have to add to `peckorder check FILE`. A
file that needs a flag is refused, or read with a warning, and the message names the flag; every
other decision is a note in the import report. How files are read is described in [data.md](data.md).
"""
DOORS = {
    "read": "Contests",
    "presence": "Presence (`--presence FILE`)",
    "displacements": "Feeder visits (`peckorder displacements FILE`)",
}


class File(NamedTuple):
    name: str
    habit: str
    flags: str
    refused: str
    door: str


def entries() -> list[File]:
    """The files of the index."""
    with (FOLDER / "index.csv").open(encoding="utf-8", newline="") as lines:
        return [File(**row) for row in csv.DictReader(lines)]


def how_read(file: File) -> str:
    if file.refused:
        return f'refused, naming "{file.refused}"'
    return f"`{file.flags}`" if file.flags else "no flag"


def document() -> str:
    parts = [OPENING]
    for door, title in DOORS.items():
        rows = [
            f"| [{Path(file.name).name}](../tests/{_place(file.name)}) | {file.habit} | "
            f"{how_read(file)} |"
            for file in entries()
            if file.door == door
        ]
        head = ["| file | habit | flags |", "|---|---|---|"]
        parts.append(f"## {title}\n\n" + "\n".join([*head, *rows]) + "\n")
    return "\n".join(parts)


def _place(name: str) -> str:
    return name.removeprefix("../") if name.startswith("../") else f"field/{name}"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
