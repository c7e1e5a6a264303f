"""Figures of matplotlib that are saved as journals take them; imported when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from peckorder.figures.saving import DOTS, FILED, UNDATED


class PublishedFigure(Figure):
    """Its text stays text, and the same figure gives the same file."""

    def savefig(self, fname: Any, **how: Any) -> None:
        form = how.get("format") or Path(str(fname)).suffix.lower().lstrip(".")
        how = {"metadata": UNDATED.get(form), "dpi": DOTS} | how
        with matplotlib.rc_context(FILED):  # pyright: ignore[reportArgumentType]
            super().savefig(fname, **how)
