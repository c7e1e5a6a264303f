"""Counts of contests of very many individuals, of whom most never met: no matrix is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.data.tally import no_contests, warn_of_sets
from peckorder.wording import counted, option


@dataclass(frozen=True, eq=False)
class DyadTally:
    """The contests of a data set with the rule for ties, as `Tally` has them."""

    source: Interactions
    drawn: np.ndarray  # whether each contest was a tie
    ties: str

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names, in the order of their codes."""
        return self.source.individuals

    @property
    def size(self) -> int:
        """Number of individuals."""
        return len(self.individuals)

    def __len__(self) -> int:
        return self.size

    @property
    def hash(self) -> str:
        """The hash of the data."""
        return self.source.hash

    @property
    def flavor(self) -> str:
        """The table library of the data."""
        return self.source.flavor

    @property
    def cautions(self) -> dict[str, str]:
        """What the checks of the data found, one line by the name of the check."""
        return self.source.cautions

    @property
    def number(self) -> int:
        """Number of contests that count."""
        return len(self.drawn) - (int(self.drawn.sum()) if self.ties == "omit" else 0)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on omitted ties, if there were any."""
        left_out = len(self.drawn) - self.number
        if not left_out:
            return ()
        were, half = counted(left_out, "draw was", "draws were"), option("ties", "half")
        return (f"{were} omitted; {half} counts a draw as half a win for each side.",)


def dyad_tally(data: Interactions, *, ties: str, cautious: bool) -> DyadTally:
    """The checked counts, with the warnings of `tally`."""
    from scipy.sparse import coo_array

    drawn = np.zeros(len(data), bool) if data.draw is None else data.draw
    counts = DyadTally(data, drawn, ties)
    if counts.number == 0:
        raise no_contests(drawn=bool(drawn.any()))
    counted_ones = ~drawn if ties == "omit" else np.ones(len(data), bool)
    sides = data.winner[counted_ones], data.loser[counted_ones]
    met = coo_array((np.ones(len(sides[0]), np.int8), sides), shape=(counts.size, counts.size))
    warn_of_sets(data, met, cautious)
    return counts
