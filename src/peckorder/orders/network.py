"""The dominance network: individuals as nodes, dyads as edges with their net wins.

Each node has a rank; each dyad with contests is an edge from the dominant to the subordinate
individual. Dyads without contests are listed as unknown rather than omitted, since their number
limits what can be inferred (Shizuka & McDonald 2012). GraphML, an XML format, is read by igraph,
networkx, Gephi and Cytoscape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.results import Order, Ratings
from peckorder.results.measures import FurtherTable
from peckorder.results.ratings import ranks_of
from peckorder.tables import records
from peckorder.text import counted
from peckorder.validate import CountedTies

GRAPHML_TYPES = {pl.String: "string", pl.Boolean: "boolean", pl.Float64: "double"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Network(Order):
    """An `Order` whose table `edges` contains the dyads, with a text form for other programs."""

    dyads: int
    known: int  # with contests
    tied: int  # won equally often by both
    unknown: int  # without contests
    upward: int  # the lower-ranked individual dominates
    density: float  # share of known dyads
    edges = FurtherTable("The dyads, the dominant individual first.")

    def graphml(self, *, unknown: bool = False) -> str:
        """The network as GraphML: nodes and edges with all their columns.

        `unknown` adds the dyads without contests. An edge leads from the dominant to the
        subordinate individual; tied and unknown dyads are undirected.
        """
        edges = self.tables["edges"]
        if not unknown:
            edges = edges.filter(pl.col("relation") != "unknown")
        return _graphml(self.as_polars(), edges)


def network(
    data: Data,
    *,
    order: Order | Ratings | None = None,
    ties: CountedTies = "omit",
) -> Network:
    """Nodes with ranks and edges with net wins, as tidy tables.

    Parameters
    ----------
    data : Contests or Matrix
    order : Order or Ratings, optional
        Ranks of the nodes; by default those of normalized David's scores based on D_ij.
    ties : {"omit", "half", "both"}

    Returns
    -------
    Network
        An order with the nodes as its table: individual, rank, wins, losses, dominates,
        dominated_by, tied and unknown (numbers of individuals). Table `edges`, one row per dyad:
        dominant, subordinate, wins and losses of the dominant, net, relation ("dominates", "tied",
        "unknown"), rank_difference (of the subordinate from the dominant), upward (whether the
        dominant has the lower rank; missing unless one dominates) and, if presence is recorded,
        co_resident. In tied and unknown dyads the higher-ranked individual comes first. Values:
        numbers of `dyads`, `known`, `tied`, `unknown` and `upward` edges, and `density`, the
        share of known dyads. `graphml()` gives the network as text.

    References
    ----------
    Shizuka & McDonald 2012, Animal Behaviour 83:925–934, doi:10.1016/j.anbehav.2012.01.011.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.network(po.datasets.bonobos())
    >>> found.edges.select("dominant", "subordinate", "wins", "losses", "net").row(5)
    ('He', 'Ki', 8, 0, 8)
    >>> found.known, found.unknown, found.upward
    (18, 3, 1)
    """
    data = opened(data)
    return network_of(win_counts(data, ties=ties), order)


def network_of(counts: WinCounts, order: Order | Ratings | None) -> Network:
    """The network of counted wins."""
    rank = ranks_of(order, counts)
    edges = _edges(counts, rank)
    relation = edges["relation"]
    top_down = np.argsort(rank, kind="stable")
    dyads, unknown = len(edges), int((relation == "unknown").sum())
    upward = int(edges["upward"].sum() or 0)
    values = {
        "dyads": dyads,
        "known": dyads - unknown,
        "tied": int((relation == "tied").sum()),
        "unknown": unknown,
        "upward": upward,
        "density": 1 - unknown / dyads,
    }
    no_contest = ~counts.seen & ~np.eye(len(counts), dtype=bool)
    nodes = pl.DataFrame(
        {
            "individual": counts.individuals,
            "rank": rank,
            "wins": counts.whole(counts.score.sum(axis=1)),
            "losses": counts.whole(counts.score.sum(axis=0)),
            "dominates": counts.dominates.sum(axis=1),
            "dominated_by": counts.dominates.sum(axis=0),
            "tied": counts.tied.sum(axis=1),
            "unknown": no_contest.sum(axis=1),
        }
    )
    return Network(
        method="network",
        data=counts,
        rank=rank,
        **values,
        frame=nodes[top_down],
        tables={"edges": edges},
        summary=(
            f"{counted(len(counts), 'individual')} and {counted(dyads - unknown, 'known dyad')}; "
            f"{counted(unknown, 'dyad is', 'dyads are')} unknown. Dyads in "
            f"which the lower-ranked individual dominates: {upward:,}.",
            *counts.notes,
        ),
        settings={"order": "davids_score" if order is None else order.method, "ties": counts.ties},
        citations=("shizuka2012",),
    )


def _edges(counts: WinCounts, rank: np.ndarray) -> pl.DataFrame:
    """One row per dyad, the dominant individual first, from the highest ranks down."""
    a, b = counts.dyads
    net = counts.score[a, b] - counts.score[b, a]
    # If neither dominates, the higher-ranked individual comes first.
    swapped = np.where(net == 0, rank[a] > rank[b], net < 0)
    first, second = np.where(swapped, b, a), np.where(swapped, a, b)
    turn = np.lexsort((second, rank[second], first, rank[first]))
    first, second = first[turn], second[turn]
    won, lost = counts.score[first, second], counts.score[second, first]
    seen = counts.seen[first, second]
    difference = rank[second] - rank[first]
    names = pl.Series(counts.individuals, dtype=pl.String)
    frame = pl.DataFrame(
        {
            "dominant": names.gather(pl.Series(first)),
            "subordinate": names.gather(pl.Series(second)),
            "wins": counts.whole(won),
            "losses": counts.whole(lost),
            "net": counts.whole(won - lost),
            "relation": np.where(~seen, "unknown", np.where(won == lost, "tied", "dominates")),
            "rank_difference": difference,
            "upward": difference < 0,
        }
    ).with_columns(upward=pl.when(pl.col("relation") == "dominates").then(pl.col("upward")))
    if counts.together is None:
        return frame
    return frame.with_columns(co_resident=pl.Series(counts.together[first, second]))


def _graphml(nodes: pl.DataFrame, edges: pl.DataFrame) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    described = {"node": nodes.drop("individual"), "edge": edges.drop("dominant", "subordinate")}
    for kind, table in described.items():
        for column in table:
            form = GRAPHML_TYPES.get(type(column.dtype), "long")
            lines.append(
                f'  <key id="{kind}_{column.name}" for="{kind}" attr.name="{column.name}" '
                f'attr.type="{form}"/>'
            )
    lines.append('  <graph id="dominance" edgedefault="directed">')
    number = {name: f"n{i}" for i, name in enumerate(nodes["individual"])}
    lines.insert(2, '  <key id="node_label" for="node" attr.name="label" attr.type="string"/>')
    for name, row in zip(nodes["individual"], records(described["node"]), strict=True):
        lines += [f'    <node id="{number[name]}">', *_data("node", {"label": name, **row})]
        lines.append("    </node>")
    for (one, other), row in zip(
        edges.select("dominant", "subordinate").iter_rows(), records(described["edge"]), strict=True
    ):
        directed = quoteattr("true" if row["relation"] == "dominates" else "false")
        ends = f'source="{number[one]}" target="{number[other]}"'
        lines += [f"    <edge {ends} directed={directed}>", *_data("edge", row), "    </edge>"]
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _data(kind: str, row: dict[str, Any]) -> list[str]:
    return [
        f'      <data key="{kind}_{name}">{escape(_text(value))}</data>'
        for name, value in row.items()
        if value is not None
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
