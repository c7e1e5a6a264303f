"""Prints the notes of a release from CHANGELOG.md: `python packaging/notes.py v1.0.0`.

Ends with an error unless the tag, pyproject.toml, CITATION.cff and the changelog name one version.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(version: str, changelog: str) -> str:
    """The section of a version, without its heading.

    >>> notes("1.0", "# Changes\\n\\n## 1.0 (2026-01-02)\\n\\n- one\\n\\n## 0.9\\n\\n- two\\n")
    '- one'
    """
    found = re.search(rf"^## {re.escape(version)}\b.*?$(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section of {version}.")
    return found[1].strip()


def main(tag: str) -> None:
    """Print the notes of a tag."""
    version = tag.removeprefix("v")
    stated = {
        "pyproject.toml": tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
            "version"
        ],
        "CITATION.cff": re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.M)[1],
    }
    for name, other in stated.items():
        if other != version:
            sys.exit(f"The tag is {tag}, but {name} has version {other}.")
    print(notes(version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1])
