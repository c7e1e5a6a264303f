"""Figures saved to files.

How figures are saved: text stays editable, and the same figure gives the same file.

Matplotlib figures saved in the form that journals require; imported on drawing.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from peckorder.errors import ArgumentError, caution
from peckorder.plot.canvas import unseen

FILED = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "peckorder"}
UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
DOTS = 300  # dots per inch of raster images


FORMATS = ("png", "svg", "pdf")
LIGHT_DOTS = 150  # dots per inch where file size matters


def picture_format(path: str) -> str:
    """The format given by the extension of a file name."""
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        *others, last = (f".{known}" for known in FORMATS)
        raise ArgumentError(
            f"{path}: the file name must end in {', '.join(others)} or {last}, which sets the "
            f"format of the figure."
        )
    return form


def picture(draw: Callable[[], Any], path: str) -> bytes:
    """The drawn figure in the format of a file name; reproducible byte for byte."""
    return as_bytes(_drawn(draw), picture_format(path))


def light_picture(draw: Callable[[], Any], most: int, *, dotted: bool = False) -> bytes:
    """The drawn figure as SVG, or as PNG if the SVG exceeds `most` bytes and the PNG is smaller."""
    axes = _drawn(draw)
    lines = b"" if dotted else as_bytes(axes, "svg")
    if lines and len(lines) <= most:
        return lines
    from PIL import Image

    image = Image.open(io.BytesIO(as_bytes(axes, "png", dots=LIGHT_DOTS))).convert("RGB")
    buffer = io.BytesIO()
    # Figures have few colors, so a palette makes the file several times smaller.
    image.quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return min(lines or buffer.getvalue(), buffer.getvalue(), key=len)


def _drawn(draw: Callable[[], Any]) -> Any:
    with unseen():
        drawn = draw()
    return drawn if hasattr(drawn, "figure") else drawn.flat[0]


def as_bytes(axes: Any, form: str, *, dots: int = DOTS) -> bytes:
    """The figure of these axes in a format."""
    buffer = io.BytesIO()
    save(axes.figure, buffer, format=form, dpi=dots)
    return buffer.getvalue()


def save(figure: Figure, fname: Any, **how: Any) -> list[warnings.WarningMessage]:
    """Save any figure as a published one; returns what Matplotlib warns of, but for characters.

    One note stands for all characters that the font lacks.
    """
    form = how.get("format") or Path(str(fname)).suffix.lower().lstrip(".")
    how = {"metadata": UNDATED.get(form), "dpi": DOTS} | how
    with matplotlib.rc_context(FILED), warnings.catch_warnings(record=True) as issued:  # pyright: ignore[reportArgumentType]
        warnings.simplefilter("always")
        Figure.savefig(figure, fname, **how)
    others = [one for one in issued if "missing from" not in str(one.message)]
    if len(others) < len(issued) and form != "svg":
        caution(
            "The font of the figure lacks characters that occur in names. Save as .svg, which "
            'keeps them as text, or set another font (matplotlib.rcParams["font.family"]).'
        )
    return others


class PublishedFigure(Figure):
    """A figure whose text stays editable and whose file is reproducible."""

    def savefig(self, fname: Any, **how: Any) -> None:
        """Save without a date and with editable text; arguments as in Matplotlib."""
        for other in save(self, fname, **how):
            warnings.warn(other.message, stacklevel=2)
