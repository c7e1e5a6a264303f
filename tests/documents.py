"""The documents written by hand, and the folder in which their examples are executed."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docs.builder.outside import SHOWN

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MADE = {DOCS / page for page in SHOWN.values() if page != "index.md"}  # by `make docs`
MADE_FOLDERS = ("commands", "api")


def documents() -> list[str]:
    """Paths of the README and of all pages of the site that are not made from something else."""
    pages = [
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path not in MADE and path.relative_to(DOCS).parts[0] not in MADE_FOLDERS
    ]
    return ["README.md", *(path.relative_to(ROOT).as_posix() for path in pages)]


def furnish(folder: Path) -> None:
    """Put the sheets that the pages offer for download into a folder."""
    for sheet in (DOCS / "data").glob("*"):
        shutil.copy(sheet, folder)


def blocks(text: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Commands of the console blocks, each with what it is said to print."""
    for block in blocks(text, "console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = session.partition("\n")
            yield command, printed
