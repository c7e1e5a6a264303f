"""Rank changes between periods, and their active and passive parts.

With rank r among all members of a period and rank s among the members of both periods, the change
r_before − r_now consists of an active part, s_before − s_now, and a passive part, the rest, which
is due to arrivals and departures (Strauss & Holekamp 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from peckorder.data.dates import date_column
from peckorder.data.interactions import Interactions
from peckorder.ranking.study_periods import Period
from peckorder.ranks import average_ranks

NUMBERS = ("score", "standardized_rank", "change", "active_change", "passive_change")


@dataclass(frozen=True, eq=False)
class Ranked:
    """Members of a period (codes) with their scores, which are larger for higher ranks."""

    members: list[int]
    score: np.ndarray
    inconsistencies: int | None = None
    proved: bool | None = None

    @property
    def rank(self) -> np.ndarray:
        """Ranks in the order of the members; ties are averaged."""
        return average_ranks(np.round(self.score, 9))

    @property
    def order(self) -> list[int]:
        """Members from the highest rank down; equal scores keep the order of the members."""
        return [self.members[i] for i in np.argsort(self.rank, kind="stable")]


def tables_of(
    data: Interactions, spans: list[Period], ranked: list[Ranked], method: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ranks and their changes by period and individual; and one row per period."""
    rows, periods = [], []
    for t, (span, now) in enumerate(zip(spans, ranked, strict=True)):
        earlier = ranked[t - 1] if t else None
        changes = changes_of(earlier, now)
        rank = now.rank
        size = len(now.members)
        for i in np.argsort(rank, kind="stable").tolist():
            code = now.members[i]
            change, active, passive = changes.get(code, (None, None, None))
            rows.append(
                {
                    "period": span.name,
                    "individual": data.individuals[code],
                    "score": None if method == "reorder" else float(now.score[i]),
                    "rank": float(rank[i]),
                    "standardized_rank": 1 - 2 * (rank[i] - 1) / (size - 1) if size > 1 else None,
                    "newcomer": code not in changes and earlier is not None,
                    "change": change,
                    "active_change": active,
                    "passive_change": passive,
                }
            )
        left = 0 if earlier is None else len(set(earlier.members) - set(now.members))
        periods.append(
            {
                "contests": len(span.contests),
                "individuals": size,
                "joined": size - len(changes) if earlier is not None else 0,
                "left": left,
                "similarity": similarity(earlier, now),
                **(
                    {"inconsistencies": now.inconsistencies, "proved": now.proved}
                    if method == "reorder"
                    else {}
                ),
            }
        )
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(NUMBERS, pl.Float64))
    days = pl.DataFrame(
        {
            "period": [span.name for span in spans],
            "start": date_column(np.array([span.start for span in spans])),
            "end": date_column(np.array([span.end for span in spans])),
        }
    )
    details = pl.DataFrame(periods, schema_overrides={"similarity": pl.Float64})
    return frame, pl.concat([days, details], how="horizontal")


def changes_of(before: Ranked | None, now: Ranked) -> dict[int, tuple[float, float, float]]:
    """Rank change, and its active and passive part, of the members of both periods."""
    if before is None:
        return {}
    both = [code for code in now.members if code in before.members]
    whole, among = [], []
    for ranked in (before, now):
        place = {code: i for i, code in enumerate(ranked.members)}
        chosen = np.array([place[code] for code in both], np.int64)
        whole.append(ranked.rank[chosen])
        among.append(average_ranks(np.round(ranked.score[chosen], 9)))
    change, active = whole[0] - whole[1], among[0] - among[1]
    return {
        code: (float(c), float(a), float(c - a))
        for code, c, a in zip(both, change, active, strict=True)
    }


def similarity(before: Ranked | None, now: Ranked) -> float | None:
    """Share of dyads with the same order in both periods, among members of both."""
    if before is None:
        return None
    both = [code for code in now.members if code in before.members]
    if len(both) < 2:
        return None
    signs = []
    for ranked in (before, now):
        place = {code: i for i, code in enumerate(ranked.members)}
        rank = ranked.rank[[place[code] for code in both]]
        first, second = np.triu_indices(len(both), 1)
        signs.append(np.sign(rank[first] - rank[second]))
    return float((signs[0] == signs[1]).mean())
