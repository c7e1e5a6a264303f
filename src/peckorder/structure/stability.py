"""Stability of a hierarchy over time (Neumann et al. 2011; McDonald & Shizuka 2013).

Over consecutive days, C_t sums the changes of rank among those present on both, w_t is the
standardized rating, on the day before, of the highest-ranked individual whose rank changed, and
M_t = ⌊n²/2⌋ is the largest possible C_t among n. The index is S = 1 − Σ C_t w_t/Σ M_t: 1 when
nothing ever changes.
"""

from __future__ import annotations

import numpy as np

from peckorder.data.tally import tally
from peckorder.errors import DataError
from peckorder.ranks import average_ranks
from peckorder.results import Measure, Ratings

RULES = ("carried", "interpolated")


def stability(ratings: Ratings, *, rule: str | None = None) -> Measure:
    """The stability index S of a course of ratings, weighted and unweighted.

    Parameters
    ----------
    ratings : Ratings
    rule : {"carried", "interpolated"}, optional
        The rating on a day without contests of one's own: the last known one, or a whole number
        on the line between the contest days before and after, as EloRating does. Default: as the
        preset of the ratings has it, otherwise "carried".

    Returns
    -------
    Measure
        `value` (weighted), `unweighted` (all w_t = 1), `rule`, `days` compared.

    Raises
    ------
    DataError
        Where no two days can be compared.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.stability(po.elo(po.datasets.adv(), k=200, preset="EloRating"))
    >>> round(found.value, 4), round(found.unweighted, 4), found.rule
    (0.9679, 0.9206, 'interpolated')
    """
    if not isinstance(ratings, Ratings):
        raise TypeError(f"stability takes ratings, as peckorder.elo gives, not {type(ratings)}.")
    if rule is None:
        rule = "interpolated" if ratings.settings.get("preset") == "EloRating" else "carried"
    if rule not in RULES:
        raise ValueError(f'rule="{rule}" is not known. Choose one of: {", ".join(RULES)}.')
    rating, present = ratings.by_day(interpolated=rule == "interpolated")
    changed, weighted, most, days = 0.0, 0.0, 0, 0
    for t in range(1, len(rating)):
        both = present[t - 1] & present[t]
        if both.sum() < 2:
            continue
        days += 1
        most += int(both.sum()) ** 2 // 2
        if np.array_equal(rating[t][both], rating[t - 1][both]):
            continue
        before, after = average_ranks(rating[t - 1][both]), average_ranks(rating[t][both])
        moved = np.abs(after - before)
        if not moved.any():
            continue
        there = rating[t - 1][present[t - 1]]
        own = rating[t - 1][both][moved > 0]
        top = own[np.argmin(before[moved > 0])]
        spread = there.max() - there.min()
        changed += moved.sum()
        weighted += moved.sum() * ((top - there.min()) / spread if spread > 0 else 0.0)
    if days == 0:
        raise DataError("No two individuals are present on two consecutive days: nothing to tell.")
    value, unweighted = 1 - weighted / most, 1 - changed / most
    assert ratings.data is not None
    return Measure(
        method="stability",
        tally=tally(ratings.data, draws="half", linked_only=False),
        values={"value": float(value), "unweighted": float(unweighted), "rule": rule, "days": days},
        words=(
            f"Stability {value:.4f} over {days:,} steps from day to day, where 1 means that no "
            f"rank ever changed ({unweighted:.4f} when changes at the bottom count like those at "
            f"the top).",
        ),
        settings={**ratings.settings, "rule": rule},
        citations=("neumann2011", "mcdonald2013"),
    )
