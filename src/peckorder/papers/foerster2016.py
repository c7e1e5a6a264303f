"""Foerster et al. (2016): Elo scores of female chimpanzees by maximum likelihood."""

from __future__ import annotations

from dataclasses import replace

from peckorder.data.contests import Contests
from peckorder.papers import goffe2018
from peckorder.papers.printed import Expected, Printed

NOT_FOUND = (
    "Goffe et al. (2018) could not reproduce it either; iterations that had not converged give "
    "89.0 to 89.6%."
)


# Wins and losses of the 44 females.
RESULTS = (
    "1-1 1-3 1-4 1-13 1-35 2-2 2-3 2-5 2-8 2-18 3-7 3-9 3-10 3-16 3-22 4-1 5-4 5-19 5-56 6-7 6-14 "
    "7-33 7-37 8-13 8-14 8-31 10-9 10-39 11-23 12-84 14-23 15-10 19-23 23-10 28-17 31-46 47-43 "
    "55-32 61-104 62-41 75-4 75-84 128-6 240-32"
)


def expected() -> Expected:
    """What contests must contain to be those of the females; their names may be others."""
    results = tuple(("", *map(int, one.split("-"))) for one in RESULTS.split())
    what = "pant-grunts of the female chimpanzees of Gombe, doi:10.5061/dryad.r4g74"
    return Expected(what, 1015, 44, "1969-12-28", "2013-11-24", results)


def numbers(contests: Contests) -> list[Printed]:
    """The share of contests that the fitted scores predict, as reported in 2016 and in 2018."""
    later = goffe2018.by_likelihood(contests)
    share = next(one.computed for one in later if "% predicted" in one.quantity)
    first = Printed("Text", "females: % predicted", "89.8", share, note=NOT_FOUND)
    again = [replace(one, where=f"Goffe et al. 2018, {one.where}") for one in later]
    return [first, *again]
