"""Matplotlib figures saved in the form that journals require; imported on drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from peckorder.figures.saving import DOTS, FILED, UNDATED


class PublishedFigure(Figure):
    """A figure whose text stays editable and whose file is reproducible."""

    def savefig(self, fname: Any, **how: Any) -> None:
        """Save without a date and with editable text; arguments as in Matplotlib."""
        form = how.get("format") or Path(str(fname)).suffix.lower().lstrip(".")
        how = {"metadata": UNDATED.get(form), "dpi": DOTS} | how
        with matplotlib.rc_context(FILED):  # pyright: ignore[reportArgumentType]
            super().savefig(fname, **how)
