"""Foerster et al. (2016): Elo scores of female chimpanzees by maximum likelihood."""

from __future__ import annotations

from peckorder.data.contests import Contests
from peckorder.papers import goffe2018
from peckorder.papers.printed import Printed

NOT_FOUND = (
    "Goffe et al. (2018) could not reproduce it either; iterations that had not converged give "
    "89.0 to 89.6%."
)


def numbers(contests: Contests) -> list[Printed]:
    """The share of contests that the fitted scores predict, as reported in 2016 and in 2018."""
    later = goffe2018.fits(contests)
    share = next(one.computed for one in later if "% predicted" in one.quantity)
    first = Printed("Text", "females: % predicted", "89.8", share, note=NOT_FOUND)
    again = [
        Printed(
            f"Goffe et al. 2018, {one.where}",
            one.quantity,
            one.printed,
            one.computed,
            note=one.note,
        )
        for one in later
    ]
    return [first, *again]
