"""The network of dominance: individuals as nodes, dyads as edges with their net wins.

A tidy pair of tables that figures and network programs can draw: every node has a rank, every
dyad that met is an edge from its dominant to its subordinate side, and dyads that never met are
listed as unknown rather than left out, since they are part of what is not known (Shizuka &
McDonald 2012). GraphML, an XML format, is read by igraph, networkx, Gephi and Cytoscape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import polars as pl

from peckorder.data.interactions import Interactions
from peckorder.data.tally import Tally, tally
from peckorder.errors import caution
from peckorder.ranking.davids_score import chances, scores
from peckorder.ranks import average_ranks
from peckorder.results import Order, Ratings
from peckorder.tables import as_polars, records
from peckorder.wording import counted

GRAPHML_TYPES = {pl.String: "string", pl.Boolean: "boolean", pl.Float64: "double"}


@dataclass(frozen=True, eq=False, repr=False)
class Network(Order):
    """An `Order` whose further table `edges` holds the dyads, with a text form for other tools."""

    def graphml(self, *, unknown: bool = False) -> str:
        """The network as GraphML: nodes and edges with all their columns.

        `unknown` adds the dyads that never met. An edge leads from the dominant to the subordinate
        side; tied and unknown dyads are undirected.
        """
        nodes, edges = self.frame, self.tables["edges"]
        assert nodes is not None  # a network is never without its nodes
        if not unknown:
            edges = edges.filter(pl.col("relation") != "unknown")
        return _graphml(nodes, edges)


def network(data: Any, *, order: Order | Ratings | None = None, draws: str = "omit") -> Network:
    """Nodes with ranks and edges with net wins, as tidy tables.

    Parameters
    ----------
    data : Interactions or Matrix
    order : Order or Ratings, optional
        Whose ranks the nodes have; normalized David's scores on D_ij by default.
    draws : {"omit", "half", "both"}

    Returns
    -------
    Network
        An order with the nodes as its table: individual, rank, wins, losses, dominates,
        dominated_by, tied and unknown (numbers of others). Table `edges`, one row per dyad:
        dominant, subordinate, wins and losses of the dominant, net, relation ("dominates", "tied",
        "unknown"), rank_difference (subordinate less dominant), upward (whether the edge leads up
        the hierarchy; empty unless one side dominates) and, where presence is known, co_resident.
        Tied and unknown dyads name the higher-ranked side first. Values: numbers of `dyads`,
        `known`, `tied`, `unknown` and `upward` edges, and `density`, the share of dyads known.
        `graphml()` gives the network as text.

    References
    ----------
    Shizuka & McDonald 2012, Animal Behaviour 83:925–934, doi:10.1016/j.anbehav.2012.01.011.

    Examples
    --------
    >>> import peckorder as po
    >>> from peckorder.ranking.network import network
    >>> found = network(po.datasets.bonobos())
    >>> found.edges.select("dominant", "subordinate", "wins", "losses", "net").row(5)
    ('He', 'Ki', 8, 0, 8)
    >>> found.known, found.unknown, found.upward
    (18, 3, 1)
    """
    counts = tally(data, draws=draws)
    rank = _ranks(order, counts)
    edges = _edges(data, counts, rank)
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
    never_met = ~counts.seen & ~np.eye(len(counts), dtype=bool)
    nodes = pl.DataFrame(
        {
            "individual": counts.individuals,
            "rank": rank,
            "wins": counts.whole(counts.score.sum(axis=1)),
            "losses": counts.whole(counts.score.sum(axis=0)),
            "dominates": counts.dominates.sum(axis=1),
            "dominated_by": counts.dominates.sum(axis=0),
            "tied": counts.tied.sum(axis=1),
            "unknown": never_met.sum(axis=1),
        }
    )
    return Network(
        method="network",
        data=counts,
        rank=rank,
        values=values,
        frame=nodes[top_down],
        tables={"edges": edges},
        words=(
            f"{counted(len(counts), 'node')} and {counted(dyads - unknown, 'edge')}; "
            f"{counted(unknown, 'dyad')} unknown. "
            f"{counted(upward, 'edge leads', 'edges lead')} up the hierarchy.",
            *counts.notes,
        ),
        settings={"order": "davids_score" if order is None else order.method, "draws": draws},
        citations=("shizuka2012",),
    )


def _ranks(order: Any, counts: Tally) -> np.ndarray:
    """Ranks with average ties in the order of the individuals of the data."""
    if order is None:
        return average_ranks(np.round(scores(chances(counts, "dij"))["normds"], 12))
    if not isinstance(order, Order | Ratings):
        raise TypeError(f"order takes an Order or Ratings, not {type(order).__name__}.")
    table = as_polars(order.table)
    rank = dict(zip(table["individual"], table["rank"], strict=True))
    if set(rank) != set(counts.individuals):
        raise ValueError("The order ranks other individuals than the data hold.")
    values = np.array([rank[name] for name in counts.individuals], float)
    if np.isnan(values).any():
        caution("The order leaves some ranks open: these individuals are placed last.")
    return average_ranks(-np.nan_to_num(values, nan=np.inf))


def _edges(data: Any, counts: Tally, rank: np.ndarray) -> pl.DataFrame:
    """One row per dyad, the dominant side first, from the highest-ranked pair down."""
    a, b = counts.dyads
    net = counts.score[a, b] - counts.score[b, a]
    # Where neither side dominates, the higher-ranked one is named first.
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
    together = co_resident(data, first, second)
    return frame if together is None else frame.with_columns(co_resident=pl.Series(together))


def co_resident(data: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray | None:
    """Whether two individuals (codes) were ever present together; None without presence."""
    presence = data.presence if isinstance(data, Interactions) else None
    if presence is None:
        return None
    stints = [presence.stints(name) for name in data.individuals]
    return np.array(
        [
            any(
                begin <= end and start <= last
                for begin, last in stints[i]
                for start, end in stints[j]
            )
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
    )


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
