"""Square counts of wins and draws: winners in rows, losers in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.wording import counted


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """Who beat whom how often.

    Attributes
    ----------
    individuals : tuple of str
    wins : integer array (N, N); `wins[i, j]` is how often i beat j.
    draws : integer array (N, N), symmetric; `draws[i, j]` is how often i and j drew.
    """

    individuals: tuple[str, ...]
    wins: np.ndarray
    draws: np.ndarray
    flavor: str = "polars"

    def __repr__(self) -> str:
        drawn = int(self.draws.sum()) // 2
        text = f"Matrix: {counted(int(self.wins.sum()), 'win')}"
        text += f" and {counted(drawn, 'draw')}" if drawn else ""
        return f"{text} among {counted(len(self.individuals), 'individual')}"

    def to_table(self):
        """A table of wins with one row and one column per individual."""
        import polars as pl

        from peckorder.tables import native

        columns = {name: self.wins[:, i] for i, name in enumerate(self.individuals)}
        table = pl.DataFrame({"winner \\ loser": self.individuals, **columns})
        return native(table, self.flavor)
