"""A number as a paper prints it, next to the number that this package computes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Printed:
    """One number of a paper.

    Attributes
    ----------
    where : the table, figure or page
    quantity : what the number is
    printed : the number as printed, so that its digits show how exact it is; or "<0.001"
    computed : what this package computes
    within : largest difference that counts as agreement; default half a unit of the last digit
    note : why they differ, or what the difference means
    """

    where: str
    quantity: str
    printed: str
    computed: float
    within: float | None = None
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the computed number is the printed one, to the printed digits."""
        if self.printed.startswith("<"):
            return bool(self.computed < float(self.printed[1:]))
        return bool(abs(float(self.printed) - self.computed) <= self.tolerance * (1 + 1e-9))

    @property
    def tolerance(self) -> float:
        """Largest difference that counts as agreement.

        >>> Printed("Table 1", "range", "0.62", 0.6249).agrees
        True
        """
        if self.within is not None:
            return self.within
        decimals = len(self.printed.partition(".")[2])
        return 0.5 * 10.0**-decimals


def compared(numbers: Iterable[Printed]) -> pl.DataFrame:
    """One row per number: where it is printed, both values, and whether they agree."""
    rows = [
        {
            "where": one.where,
            "quantity": one.quantity,
            "printed": one.printed,
            "computed": float(one.computed),
            "agrees": one.agrees,
            "note": one.note,
        }
        for one in numbers
    ]
    return pl.DataFrame(rows)
