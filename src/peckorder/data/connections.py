"""How well the contests connect the individuals.

Two sets of individuals with few contests between them can be compared through these contests only:
the difference between the sets is then mostly what a model assumes.
"""

from __future__ import annotations

import numpy as np

from peckorder.components import in_braces, sparse_cut
from peckorder.data.interactions import Interactions
from peckorder.wording import counted

MOST = 1_000  # individuals


def sparse_connection(data: Interactions) -> str | None:
    """A sentence on two sets of individuals with few contests between them, if there are any."""
    size = len(data.individuals)
    if size > MOST:
        return None
    met = np.zeros((size, size))
    np.add.at(met, (data.winner, data.loser), 1)
    cut = sparse_cut(met + met.T)
    if cut is None:
        return None
    sets = in_braces([cut.one, cut.other], data.individuals, " and ")
    return (
        f"Only {counted(cut.between, 'contest')} of {cut.total:,} took place between {sets}. "
        f"Differences between these sets are uncertain, more so than intervals show if the sets "
        f"differ more than their members."
    )
