"""Figures as files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peckorder.errors import caution
from peckorder.figures.canvas import unseen
from peckorder.figures.saving import DOTS, FILED, UNDATED

FORMATS = ("png", "svg", "pdf")
LIGHT_DOTS = 150  # an inch, where there is little room


def picture_format(path: str) -> str:
    """The format that a file name asks for."""
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise ValueError(
            f"{path}: the name ends in none of {', '.join('.' + form for form in FORMATS)}, so the "
            f"format of the figure is not known."
        )
    return form


def picture(draw: Callable[[], Any], path: str) -> bytes:
    """What a function draws, in the format that a file name asks for; the same bytes each time."""
    return as_bytes(_drawn(draw), picture_format(path))


def light_picture(draw: Callable[[], Any], most: int) -> bytes:
    """What a function draws, as SVG, or as PNG where that would take more than so many bytes."""
    axes = _drawn(draw)
    lines = as_bytes(axes, "svg")
    if len(lines) <= most:
        return lines
    from PIL import Image

    dotted = Image.open(io.BytesIO(as_bytes(axes, "png", dots=LIGHT_DOTS))).convert("RGB")
    buffer = io.BytesIO()
    # A figure has few colors: a palette of them makes it several times smaller.
    dotted.quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return min(lines, buffer.getvalue(), key=len)


def _drawn(draw: Callable[[], Any]) -> Any:
    with unseen():
        drawn = draw()
    return drawn if hasattr(drawn, "figure") else drawn.flat[0]


def as_bytes(axes: Any, form: str, *, dots: int = DOTS) -> bytes:
    """The figure of some axes in a format."""
    import matplotlib

    buffer = io.BytesIO()
    rules: Any = FILED  # also for axes of somebody else's figure
    with matplotlib.rc_context(rules), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        axes.figure.savefig(buffer, format=form, metadata=UNDATED.get(form), dpi=dots)
    if any("missing from" in str(warning.message) for warning in said) and form != "svg":
        caution(
            "The font of the figure lacks signs that occur in names: write .svg, where they are "
            'kept as text, or choose another font (matplotlib.rcParams["font.family"]).'
        )
    return buffer.getvalue()
