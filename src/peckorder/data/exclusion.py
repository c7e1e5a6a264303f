"""Leaving individuals out: by name, by few contests, or because they only won or only lost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import DataError
from peckorder.wording import counted, quoted


def reduced(
    data: Interactions,
    *,
    individuals: Iterable[object] | None = None,
    min_contests: int | None = None,
    one_sided: bool = False,
) -> tuple[Interactions, list[list[str]]]:
    """The contests that remain, and who was left out in each round.

    Whoever leaves takes its contests along, after which others may have too few of them, or only
    wins or only losses: rounds follow until nobody else falls.
    """
    if min_contests is not None and (
        isinstance(min_contests, bool) or not isinstance(min_contests, int) or min_contests < 1
    ):
        raise ValueError(f"min_contests={min_contests!r}: give a whole number of at least 1.")
    rounds: list[list[str]] = []
    falling = [] if individuals is None else _named(data, individuals)
    while True:
        if falling:
            rounds.append(falling)
            gone = [data.code(name) for name in falling]
            keep = ~(np.isin(data.winner, gone) | np.isin(data.loser, gone))
            if not keep.any():
                number = sum(map(len, rounds))
                chain = "" if len(rounds) == 1 else f", {len(rounds):,} rounds of a chain reaction"
                raise DataError(
                    f"Nothing remains: with {counted(number, 'individual')} left out "
                    f"({quoted(rounds[0])} first{chain}) no contest is left."
                )
            data = data.take(np.flatnonzero(keep))
        falling = _falling(data, min_contests, one_sided)
        if not falling:
            return data, rounds


def _named(data: Interactions, individuals: Iterable[object]) -> list[str]:
    names = [individuals] if isinstance(individuals, str) else list(individuals)
    return [data.individuals[data.code(name)] for name in names]


def _falling(data: Interactions, min_contests: int | None, one_sided: bool) -> list[str]:
    record = Record.of(data)
    falls = np.zeros(len(data.individuals), bool)
    if min_contests is not None:
        falls |= record.contests < min_contests
    if one_sided:
        falls |= (
            (record.contests > 0)
            & (record.draws == 0)
            & ((record.wins == 0) | (record.losses == 0))
        )
    return [data.individuals[i] for i in np.flatnonzero(falls)]
