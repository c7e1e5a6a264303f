"""Further sections: probabilities of ranks; on request the dominance network and study periods."""

from __future__ import annotations

from typing import Any

import peckorder as po
from peckorder.figures.network import node_places
from peckorder.reporting.analysis import Analysis
from peckorder.reporting.drawings import Drawn
from peckorder.reporting.individuals import MOST_CELLS, made_sure
from peckorder.reporting.page import Table, Words
from peckorder.tables import as_polars

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
            options={"places": node_places(found.network).to_dicts()},
        ),
        *(Words(text) for text in found.network.summary),
    )


def rank_chances(found: Analysis, drawn: Drawn) -> tuple:
    """The probability of each rank for each individual."""
    if found.sure is None or not 1 < len(found.names) <= MOST_CELLS:
        return ()
    made, flags = made_sure(found, drawn)
    shown = found.moment_of(found.sure)
    table = as_polars(po.plot.rank_probabilities.data(found.sure, **shown))
    orders = found.sure is found.randomized
    return (
        drawn(
            "rank_probabilities",
            "Probability of each rank",
            f"Share of the {'random orders' if orders else 'posterior draws'} in which an "
            f"individual holds a rank: the darker, the larger. Rows and columns sum to 1.",
            found.sure,
            made,
            flags,
            table=table,
            options={"order": table["individual"].unique(maintain_order=True).to_list()},
            **shown,
        ),
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
