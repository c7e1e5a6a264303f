"""Sections that are included on request: the dominance network and ranks by study period."""

from __future__ import annotations

from typing import Any

from peckorder.reporting.analysis import Analysis
from peckorder.reporting.drawings import Drawn
from peckorder.reporting.page import Table, Words

SHOWN = ("period", "individual", "rank", "newcomer", "change", "active_change", "passive_change")


def network(found: Analysis, drawn: Drawn) -> tuple:
    """The dominance network in layers by rank."""
    if found.network is None:
        return _why_not(found, "network")
    ties = found.settings["ties"]
    return (
        drawn(
            "network",
            "Dominance network",
            "Arrows point from the dominant to the subordinate individual of a dyad and are wider "
            "with more net wins; orange arrows point upward. In large groups, only the dyads with "
            "most net wins are drawn.",
            found.network,
            f"po.orders.network(data, ties={ties!r})",
            {"ties": ties},
        ),
        *(Words(text) for text in found.network.summary),
    )


def period_ranks(found: Analysis, drawn: Drawn) -> tuple:
    """Ranks by study period, with active and passive changes."""
    if found.period_ranks is None:
        return _why_not(found, "period_ranks")
    frame, periods = found.period_ranks.as_polars(), found.period_ranks.tables["periods"]
    headings: dict[str, Any] = {
        "period": "Period",
        "individual": "Individual",
        "rank": "Rank",
        "newcomer": "Newcomer",
        "change": "Change",
        "active_change": "Active change",
        "passive_change": "Passive change",
    }
    return (
        *(Words(text) for text in found.period_ranks.summary),
        Table("period-table", "Study periods", periods),
        Table(
            "period-ranks-table",
            "Ranks by study period",
            frame.select(SHOWN),
            headings,
            who="individual",
        ),
    )


def _why_not(found: Analysis, name: str) -> tuple:
    if name not in found.methods:
        return ()
    return (Words(f"Not available: {found.notes[name]}", "note"),)
