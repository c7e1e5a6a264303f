"""The reference of reading: the fields of a recipe and the arguments that set them.

Both tables are made from the docstrings of `Recipe` and `read`, and written between the two marks
of `docs/data.md` by `python -m docs.builder.recipe`.
"""

from __future__ import annotations

import re
from pathlib import Path

from peckorder.data.headings import ALIASES
from peckorder.data.read import read
from peckorder.data.recipe import Recipe

PAGE = Path(__file__).parents[1] / "data.md"
MARKS = ("<!-- from the code: -->\n", "<!-- until here -->\n")
SHOWN = 8  # headings of a role that are listed


def tables() -> str:
    """The fields of a recipe, the arguments of reading, and the headings that are recognized."""
    parts = [
        "| field of the recipe | |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in _described(Recipe.__doc__, "Attributes")),
        "",
        "| argument of `read` | |",
        "|---|---|",
        *(f"| {_coded(name)} | {text} |" for name, text in _described(read.__doc__, "Parameters")),
        "",
        "| role | headings that are recognized, among others |",
        "|---|---|",
        *(f"| `{role}` | {', '.join(names[:SHOWN])} |" for role, names in ALIASES.items()),
    ]
    return "\n".join(parts) + "\n"


def _described(doc: str | None, heading: str) -> list[tuple[str, str]]:
    """The names under a heading of a docstring, each with its description."""
    lines = re.split(rf"{heading}\n +-+\n", doc or "")[1].split("\n\n")[0]
    margin = len(lines) - len(lines.lstrip())
    found: list[tuple[str, str]] = []
    for line in lines.replace("\\\n", "").splitlines():
        if line[:margin].isspace() and not line[margin : margin + 1].isspace():
            name, _, text = line.strip().partition(" : ")
            attribute = heading == "Attributes"
            found.append((name, text if attribute else ""))
        else:
            name, text = found[-1]
            found[-1] = (name, f"{text} {line.strip()}".strip())
    return [(name, text.replace("|", "\\|")) for name, text in found]


def _coded(names: str) -> str:
    return ", ".join(f"`{name.strip()}`" for name in names.split(",") if name.strip())


def page() -> str:
    """The page with the tables as they are now."""
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    return before + MARKS[0] + tables() + MARKS[1] + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
