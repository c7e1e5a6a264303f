"""De Vries, Stevens & Vervaecke (2006): steepness of the hierarchies of Tables 1 to 3."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.data.win_counts import chances, win_counts
from peckorder.datasets import bonobos, table3
from peckorder.orders.davids_score import davids_score, index_error
from peckorder.papers.printed import Expected, Printed, Statement
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness import steepness
from peckorder.text import counted

INDICES: dict[str, Literal["pij", "dij"]] = {"P": "pij", "D": "dij"}
MARGINS = {"w": "w", "w2": "w2", "l": "l", "l2": "l2", "DS": "ds", "NormDS": "normds"}
PRINTED = ("4.19", "3.49", "3.41", "3.21", "2.60", "2.10", "2.01")  # of the shallow hierarchy
SHALLOW = dict(zip("abcdefg", PRINTED, strict=True))
RUNS, SEED = 20_000, 1
DRAWN = "The paper used 2000 randomizations; the difference is within their error."


def data() -> Contests:
    """The bonobos of Table 1."""
    return bonobos()


def expected() -> Expected:
    """What contests must contain to be those of Table 1."""
    return Expected.of("the bonobos of Table 1", bonobos())


def printed_table() -> pl.DataFrame:
    """Table 2 as printed: P and D of each dyad, and the sums of rows and columns."""
    text = files("peckorder.papers").joinpath("devries2006.csv").read_text(encoding="utf-8")
    return pl.read_csv(text.encode(), infer_schema=False)


def numbers(contests: Contests) -> list[Printed]:
    """Tables 2 and 3, Figures 1 to 4, and the tests of steepness and linearity."""
    return [
        *_table_2(contests),
        *_figure_1(contests),
        *_figure_2(),
        *_figure_3(),
        *_figure_4(),
        *_table_3(),
        *_examples(),
    ]


def statements(_: Contests) -> list[Statement]:
    """What the paper says about the errors of dyadic indices."""
    chance = np.linspace(0, 0.5, 501)
    errors = index_error(20, chance=chance)
    worse = chance[(errors["dij"] > errors["binomial"] + 1e-12).to_numpy() & (chance > 0.3)]
    return [
        Statement(
            "Figure 3",
            "D has smaller errors than the older d for all chances from about 0.05 to 0.95",
            "partly",
            f"for up to about 10 contests; with 20, d is better from {worse.min():.2f} to "
            f"{1 - worse.min():.2f}.",
        )
    ]


def _table_2(contests: Contests) -> list[Printed]:
    counts = win_counts(contests)
    place = {name: i for i, name in enumerate(counts.individuals)}
    found = []
    for letter, index in INDICES.items():
        cells = chances(counts, index)
        table = davids_score(contests, index=index).as_polars()
        margins = {row["individual"]: row for row in table.to_dicts()}
        for row in printed_table().filter(pl.col("index") == letter).to_dicts():
            name = row["individual"]
            for other, i in place.items():
                if other != name:
                    what = f"{letter} of {name} against {other}"
                    found.append(Printed("Table 2", what, row[other], cells[place[name], i]))
            for label, column in MARGINS.items():
                what = f"{label} of {name} by {letter}"
                found.append(Printed("Table 2", what, row[label], margins[name][column]))
    return found


def _figure_1(contests: Contests) -> list[Printed]:
    by_p, by_d = (steepness(contests, index=i, runs=RUNS, seed=SEED) for i in ("pij", "dij"))
    line = linearity(contests)
    return [
        Printed("Figure 1", "steepness by P", "0.74", by_p.value),
        Printed("Figure 1", "intercept by P", "5.94", by_p.intercept),
        Printed("Figure 1", "steepness by D", "0.63", by_d.value),
        Printed("Text", "p of steepness by D", "<0.001", by_d.p),
        Printed("Text", "linearity h′ of the bonobos", "0.86", line.value),
        Printed("Text", "p of linearity of the bonobos", "0.028", line.p),
    ]


def _figure_2() -> list[Printed]:
    linear = Matrix(tuple("ABCDE"), np.triu(np.full((5, 5), 2), 1))
    found = steepness(linear, index="pij", runs=1, seed=SEED)
    scores = davids_score(linear, index="pij").as_polars()["ds"].to_numpy()
    slope = np.polyfit(np.arange(1, 6), np.sort(scores)[::-1], 1)[0]
    return [
        Printed("Figure 2", "steepness if each beats all below", "1", found.value, within=1e-9),
        Printed("Figure 2", "intercept", "5", found.intercept, within=1e-9),
        Printed("Figure 2", "slope of David's scores", "-5", float(slope), within=1e-9),
    ]


def _figure_3() -> list[Printed]:
    """The chances from and up to which D has smaller errors than another index."""
    chance = np.linspace(0, 1, 2001)
    found = []
    for label, other, contests, low, high in (
        ("P", "pij", 10, "0.1", "0.9"),
        ("the older d", "binomial", 5, "0.05", "0.95"),
    ):
        errors = index_error(contests, chance=chance)
        better = chance[(errors["dij"] < errors[other] - 1e-12).to_numpy()]
        note = (
            f"Printed as about; here for {contests} contests, since the number in the figure is "
            "not known."
        )
        for side, text, value in (("from", low, better.min()), ("up to", high, better.max())):
            what = f"D has smaller errors than {label} {side} a chance of"
            found.append(
                Printed("Figure 3", what, text, float(value), within=0.02, note=note, fitted=True)
            )
    return found


def _figure_4() -> list[Printed]:
    """Steepness of matrices that are printed in the picture only."""
    note = "The matrices of Figure 4 are only in its picture, and were not available to us."
    return [
        Printed("Figure 4", f"steepness by {letter}, {which} matrix", text, None, note=note)
        for letter, texts in (("P", ("0.92", "0.92")), ("D", ("0.52", "0.79")))
        for which, text in zip(("first", "second"), texts, strict=True)
    ]


def _examples() -> list[Printed]:
    """D of dyads with few contests, and two sets of scores with the opposite order of slopes."""
    found = []
    for wins, losses, text in (
        (4, 1, "0.75"),
        (1, 0, "0.75"),
        (5, 0, "0.917"),
        (2, 0, "0.83"),
        (10, 0, "0.95"),
    ):
        dyad = win_counts(Matrix(("a", "b"), np.array([[0, wins], [losses, 0]])))
        what = f"D of {wins} wins and {counted(losses, 'loss', 'losses')}"
        found.append(Printed("Text", what, text, float(chances(dyad, "dij")[0, 1])))
    for name, scores, cv, slope in (
        ("A", (14, 9, 7, 2), "0.62", "3.8"),
        ("B", (23, 17, 14, 5), "0.51", "5.7"),
    ):
        values = np.array(scores, float)
        line = np.polyfit(np.arange(1, 5), values, 1)[0]
        found += [
            Printed("Text", f"CV of set {name}", cv, float(values.std(ddof=1) / values.mean())),
            Printed("Text", f"slope of set {name}", slope, float(-line)),
        ]
    return found


def _table_3() -> list[Printed]:
    shallow = table3()
    found, line = steepness(shallow, runs=RUNS, seed=SEED), linearity(shallow)
    table = found.as_polars()
    scores = dict(zip(table["individual"], table["normds"], strict=True))
    listed = [
        Printed("Table 3", f"NormDS of {name} by D", text, scores[name])
        for name, text in SHALLOW.items()
    ]
    return [
        *listed,
        Printed("Table 3", "steepness by D", "0.362", found.value),
        Printed("Table 3", "p of steepness", "0.17", found.p, within=0.012),
        Printed("Table 3", "expected steepness", "0.283", found.expected, within=0.006, note=DRAWN),
        Printed("Table 3", "linearity h′", "0.946", line.value),
        Printed("Table 3", "p of linearity", "0.008", line.p, within=0.002, note=DRAWN),
        Printed("Table 3", "expected h", "0.375", line.expected),
    ]
