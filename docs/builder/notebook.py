"""The notebook of the tutorial, made from its page: python -m docs.builder.notebook.

The page is executed by the tests, so the notebook holds the same lines without what they print.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "tutorial_notebook.md"
TARGET = DOCS / "tutorial.ipynb"


def notebook(text: str) -> str:
    """A notebook with the text of a page and the code of its Python blocks."""
    cells = []
    for part in re.split(r"^(```python\n.*?^```\n)", text, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("```python"):
            cells += [_cell("code", code) for code in _statements(part)]
        elif part.strip():
            cells.append(_cell("markdown", part.strip()))
    content = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _statements(block: str) -> list[str]:
    """Code that shows something ends a cell; a line that is to fail has one of its own."""
    found: list[str] = []
    open_cell = False
    for line in block.splitlines():
        if line.startswith((">>> ", "... ")):
            if open_cell:
                found[-1] += "\n" + line[4:]
            else:
                found.append(line[4:])
            open_cell = True
        else:
            open_cell = False
    return found


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


if __name__ == "__main__":
    TARGET.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
