"""Excluding individuals: by name, with few contests, or with only wins or only losses."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from peckorder.checked import several, true_or_false
from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, DataError
from peckorder.wording import counted, given, quoted


def reduced(
    data: Interactions,
    *,
    individuals: Iterable[object] | None = None,
    min_contests: int | None = None,
    one_sided: bool = False,
) -> tuple[Interactions, list[list[str]]]:
    """The remaining contests, and the individuals excluded in each round.

    Excluding an individual removes its contests, after which others may have too few contests, or
    only wins or only losses. Exclusion is therefore repeated until no further individual meets a
    criterion.
    """
    if min_contests is not None and (
        isinstance(min_contests, bool) or not isinstance(min_contests, int) or min_contests < 1
    ):
        raise ArgumentError(
            f"{given('min_contests', min_contests)}: give a whole number of at least 1."
        )
    true_or_false("one_sided", one_sided)
    rounds: list[list[str]] = []
    excluded = [] if individuals is None else _named(data, individuals)
    while True:
        if excluded:
            rounds.append(excluded)
            gone = [data.code(name) for name in excluded]
            keep = ~(np.isin(data.winner, gone) | np.isin(data.loser, gone))
            if not keep.any():
                number = sum(map(len, rounds))
                repeated = "" if len(rounds) == 1 else f", in {len(rounds):,} rounds"
                raise DataError(
                    f"No contest remains after excluding {counted(number, 'individual')} "
                    f"({quoted(rounds[0])} first{repeated}). Relax the criteria."
                )
            data = data.take(np.flatnonzero(keep))
        excluded = _to_exclude(data, min_contests, one_sided)
        if not excluded:
            return data, rounds


def _named(data: Interactions, individuals: Iterable[object]) -> list[str]:
    return [data.individuals[data.code(name)] for name in several("individuals", individuals)]


def _to_exclude(data: Interactions, min_contests: int | None, one_sided: bool) -> list[str]:
    record = Record.of(data)
    leaves = np.zeros(len(data.individuals), bool)
    if min_contests is not None:
        leaves |= record.contests < min_contests
    if one_sided:
        leaves |= (
            (record.contests > 0)
            & (record.draws == 0)
            & ((record.wins == 0) | (record.losses == 0))
        )
    return [data.individuals[i] for i in np.flatnonzero(leaves)]
