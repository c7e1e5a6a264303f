"""De Vries, Stevens & Vervaecke (2006): steepness of the hierarchies of Tables 1 to 3."""

from __future__ import annotations

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.datasets import bonobos, table3
from peckorder.data.matrix import Matrix
from peckorder.orders.davids_score import davids_score
from peckorder.papers.printed import Printed
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness import steepness

# Table 2: David's score and its normalized value, by P and by D.
SCORES = {
    "pij": {
        "He": ("14.01", "5.00"),
        "Dz": ("11.64", "4.66"),
        "Ho": ("6.61", "3.94"),
        "De": ("-1.29", "2.82"),
        "Ko": ("-5.99", "2.14"),
        "Re": ("-8.73", "1.75"),
        "Ki": ("-16.25", "0.68"),
    },
    "dij": {
        "He": ("10.99", "4.57"),
        "Dz": ("9.69", "4.38"),
        "Ho": ("7.39", "4.06"),
        "De": ("0.86", "3.12"),
        "Ko": ("-7.26", "1.96"),
        "Re": ("-8.85", "1.74"),
        "Ki": ("-12.82", "1.17"),
    },
}
SHALLOW = {
    "a": "4.19",
    "b": "3.49",
    "c": "3.41",
    "d": "3.21",
    "e": "2.60",
    "f": "2.10",
    "g": "2.01",
}
RUNS, SEED = 20_000, 1
DRAWN = "The paper used 2000 randomizations; the difference is within their error."


def data() -> Contests:
    """The bonobos of Table 1."""
    return bonobos()


def numbers(contests: Contests) -> list[Printed]:
    """Tables 2 and 3, Figures 1 and 2, and the tests of steepness and linearity."""
    return [*_table_2(contests), *_figure_1(contests), *_figure_2(), *_table_3()]


def _table_2(contests: Contests) -> list[Printed]:
    found = []
    for index, printed in SCORES.items():
        table = davids_score(contests, index=index).as_polars()
        rows = {row["individual"]: row for row in table.to_dicts()}
        for name, texts in printed.items():
            for column, label, text in zip(("ds", "normds"), ("DS", "NormDS"), texts, strict=True):
                what = f"{label} of {name} by {index[0].upper()}"
                found.append(Printed("Table 2", what, text, rows[name][column]))
    return found


def _figure_1(contests: Contests) -> list[Printed]:
    by_p, by_d = (steepness(contests, index=i, runs=RUNS, seed=SEED) for i in ("pij", "dij"))
    line = linearity(contests)
    return [
        Printed("Figure 1", "steepness by P", "0.74", by_p.value),
        Printed("Figure 1", "intercept by P", "5.94", by_p.intercept),
        Printed("Figure 1", "steepness by D", "0.63", by_d.value),
        Printed("Text", "p of steepness by D", "<0.001", by_d.p_right),
        Printed("Text", "linearity h′ of the bonobos", "0.86", line.h_improved),
        Printed("Text", "p of linearity of the bonobos", "0.028", line.p_right),
    ]


def _figure_2() -> list[Printed]:
    wins = np.triu(np.full((5, 5), 2), 1)
    found = steepness(Matrix(tuple("ABCDE"), wins), index="pij", runs=1, seed=SEED)
    return [
        Printed("Figure 2", "steepness if each beats all below", "1", found.value, within=1e-9),
        Printed("Figure 2", "intercept", "5", found.intercept, within=1e-9),
    ]


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
        Printed("Table 3", "p of steepness", "0.17", found.p_right, within=0.012),
        Printed("Table 3", "expected steepness", "0.283", found.expected, within=0.006, note=DRAWN),
        Printed("Table 3", "linearity h′", "0.946", line.h_improved),
        Printed("Table 3", "p of linearity", "0.008", line.p_right, within=0.002, note=DRAWN),
        Printed("Table 3", "expected h", "0.375", line.expected),
    ]
