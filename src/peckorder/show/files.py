"""Figures as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

FORMATS = ("png", "svg", "pdf")


def picture_format(path: str) -> str:
    """The format that a file name asks for."""
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise ValueError(
            f"{path}: the name ends in none of {', '.join('.' + form for form in FORMATS)}, so the "
            f"format of the figure is not known."
        )
    return form


def as_picture(ax: Any, path: str) -> bytes:
    """The figure of some axes in the format that a file name asks for; the same bytes each time."""
    import matplotlib

    form, buffer = picture_format(path), io.BytesIO()
    # Text stays text, and nothing depends on the day.
    rules: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "peckorder"}
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context(rules):
        ax.figure.savefig(buffer, format=form, metadata=dates.get(form))
    return buffer.getvalue()
