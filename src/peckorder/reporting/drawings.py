"""The figures of a report, each with a static picture and the code that reproduces it."""

from __future__ import annotations

from typing import Any

import polars as pl

import peckorder as po
from peckorder.figures.files import light_picture
from peckorder.reporting.analysis import Analysis
from peckorder.reporting.lines import Lines
from peckorder.reporting.page import Drawing
from peckorder.tables import as_polars

MOST_BYTES = 150_000  # of a static picture


class Drawn:
    """Figures of this report, each with a static picture and the code that reproduces it."""

    def __init__(self, found: Analysis, lines: Lines):
        self.found, self.lines = found, lines
        self.seed = found.seed
        self.k = found.settings["k"]

    def __call__(
        self,
        kind: str,
        title: str,
        caption: str,
        result: Any,
        made: str,
        flags: dict[str, Any],
        *,
        options: dict[str, Any] | None = None,
        table: pl.DataFrame | None = None,
        drawn_as: str | None = None,
        **look: Any,
    ) -> Drawing:
        """A figure of a result, which `made` computes in Python and `flags` at the shell."""
        figure = getattr(po.plot, kind)
        static = light_picture(lambda: figure(result, **look), MOST_BYTES)
        if table is None:
            table = as_polars(figure.data(result, **look))
        table = table.drop("row_place", "column_place", strict=False)  # already in the options
        given = {name: value for name, value in look.items() if isinstance(value, str | int | bool)}
        return Drawing(
            id=f"figure-{drawn_as or kind}",
            kind=drawn_as or kind,
            title=title,
            caption=caption,
            frame=table,
            options=options or {},
            static=static,
            python=self.lines.python(kind, made, drawn_as or kind, **given),
            shell=self.lines.shell(kind, drawn_as or kind, **given, **flags),
        )

    def rater(self) -> tuple[Any, str, dict[str, Any]]:
        """The ratings of this report, and the code that reproduces them."""
        ratings = self.found.ratings
        if ratings is self.found.elo:
            return ratings, *self.judged()
        return ratings, *self._sampled(ratings)

    def judged(self) -> tuple[str, dict[str, Any]]:
        """The code that reproduces the evaluated ratings."""
        if self.found.judged is not self.found.elo:
            return self._sampled(self.found.judged)
        given = "" if self.k is None else f", k={self.k!r}"
        return f"po.elo(data{given})", {"k": self.k}

    def _sampled(self, ratings: Any) -> tuple[str, dict[str, Any]]:
        method = "dynamic" if ratings is self.found.dynamic else "bayes"
        return self.random(ratings.method), {"method": method, "seed": self.seed}

    def random(self, name: str, **more: Any) -> str:
        """The call of a function with random parts."""
        given = "".join(f", {key}={value!r}" for key, value in more.items() if value is not None)
        return f"po.{name}(data{given}, seed={self.seed})"
