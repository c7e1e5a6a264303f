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
MANY_CELLS = 900  # of a matrix, which as lines would exceed that
REPEATED = ("show", "part", "ties", "at", "individuals", "highlight")  # what code repeats of a look


class Drawn:
    """Figures of this report, each with a static picture and the code that reproduces it."""

    def __init__(self, found: Analysis, lines: Lines):
        self.found, self.lines = found, lines
        self.seed = found.seed
        self.k, self.preset = found.settings["k"], found.settings["preset"]
        self.contests, self.window = lines.contests, lines.flags

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
        if table is None:
            table = as_polars(figure.data(result, **look))
        cells = kind == "matrix" and table.height > MANY_CELLS
        static = light_picture(lambda: figure(result, **look), MOST_BYTES, dotted=cells)
        table = table.drop("row_place", "column_place", strict=False)  # already in the options
        given = {name: value for name, value in look.items() if name in REPEATED}
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
        given = {"k": self.k, "preset": self.preset}
        words = "".join(f", {key}={value!r}" for key, value in given.items() if value is not None)
        return self.lines.through(f"po.elo(data{words})"), given | self.window

    def _sampled(self, ratings: Any) -> tuple[str, dict[str, Any]]:
        method = "dynamic" if ratings is self.found.dynamic else "bayes"
        return self.lines.through(self.fit(ratings.method)), {
            "method": method,
            "seed": self.seed,
            **self.window,
        }

    def random(self, name: str, **more: Any) -> str:
        """The call of a function with random parts, on the contests of the window."""
        return self.fit(name, of=self.contests, **more)

    def fit(self, name: str, *, of: str = "data", **more: Any) -> str:
        """The same on the whole record."""
        given = "".join(f", {key}={value!r}" for key, value in more.items() if value is not None)
        return f"po.{name}({of}{given}, seed={self.seed})"
