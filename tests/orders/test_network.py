"""Networks of dominance against counts one by one, and their text form read back."""

import warnings
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given

import peckorder as po
from peckorder.orders.network import network
from tests import oracle
from tests.matrices import by_name, matrix, transposed, wins

XMLNS = "{http://graphml.graphdrawing.org/xmlns}"


def quiet(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        return network(data, **settings)


def test_bonobos_agree_with_the_dyads():
    data = po.datasets.bonobos()
    found, dyads = network(data), data.dyads()
    assert (found.dyads, found.unknown, found.tied) == (dyads.dyads, dyads.unknown, dyads.tied)
    assert list(found) == list(po.davids_score(data))
    # Redje beats Kosana 10 to 4 but ranks below her: the one edge that leads up.
    up = found.edges.filter(found.edges["upward"]).to_dicts()
    assert [(e["dominant"], e["subordinate"], e["net"]) for e in up] == [("Re", "Ko", 6)]
    assert found.density == pytest.approx(18 / 21)


@given(wins(most=6))
def test_every_dyad_is_one_edge(table):
    found = quiet(matrix(table))
    names = found.individuals
    code = {name: i for i, name in enumerate(names)}
    edges = found.edges.to_dicts()
    assert {frozenset((e["dominant"], e["subordinate"])) for e in edges} == set(
        map(frozenset, combinations(names, 2))
    )
    for e in edges:
        i, j = code[e["dominant"]], code[e["subordinate"]]
        assert (e["wins"], e["losses"]) == (table[i][j], table[j][i])
        assert e["net"] == table[i][j] - table[j][i]
        met = table[i][j] + table[j][i] > 0
        relation = "unknown" if not met else "tied" if e["net"] == 0 else "dominates"
        assert e["relation"] == relation
        assert e["net"] >= 0
        assert e["rank_difference"] == found[names[j]] - found[names[i]]
        assert e["upward"] == (e["rank_difference"] < 0 if relation == "dominates" else None)
        if relation != "dominates":
            assert e["rank_difference"] >= 0
    assert by_name(found, "dominates") == oracle.number_dominated(table)
    assert found.unknown == len(oracle.unknown_dyads(table))
    assert by_name(found, "unknown") == [
        sum(i in dyad for dyad in oracle.unknown_dyads(table)) for i in range(len(table))
    ]


@given(wins())
def test_transposing_turns_every_edge_round(table):
    def arcs(found):
        return {
            (e["dominant"], e["subordinate"], e["net"])
            for e in found.edges.to_dicts()
            if e["relation"] == "dominates"
        }

    turned = arcs(quiet(matrix(transposed(table))))
    assert turned == {(b, a, net) for a, b, net in arcs(quiet(matrix(table)))}


def test_ranks_of_any_order():
    data = po.datasets.adv()
    assert list(network(data, order=po.isi(data))) == list(po.isi(data))
    assert network(data, order=po.elo(data)).settings["order"] == "elo"
    with pytest.raises(ValueError, match="different individuals"):
        network(data, order=po.isi(po.datasets.bonobos()))
    with pytest.raises(TypeError, match="an Order or Ratings"):
        network(data, order=["b", "c"])


def test_presence_says_who_could_have_met():
    contests = {
        "winner": ["a", "b", "c"],
        "loser": ["b", "a", "d"],
        "date": ["2020-01-01", "2020-01-02", "2020-03-01"],
    }
    presence = {
        "individual": ["a", "b", "c", "d"],
        "start": ["2020-01-01", "2020-01-01", "2020-01-15", "2020-03-01"],
        "end": ["2020-01-20", "2020-01-10", "", ""],
    }
    found = quiet(po.read(contests, presence=presence))
    together = {
        frozenset((e["dominant"], e["subordinate"]))
        for e in found.edges.to_dicts()
        if e["co_resident"]
    }
    assert together == {frozenset("ab"), frozenset("ac"), frozenset("cd")}
    assert "co_resident" not in quiet(po.read(contests)).edges.columns
    data = po.read(contests, presence=presence)
    co_resident = data.unknown_dyads()
    assert co_resident.co_resident_dyads == len(together)


@pytest.mark.parametrize("unknown", [False, True])
def test_graphml_reads_back(unknown):
    names = ["a & b", "<c>", 'd "e"', "é"]
    found = quiet(matrix([[0, 2, 0, 0], [1, 0, 3, 0], [0, 0, 0, 1], [0, 0, 1, 0]], names=names))
    tree = ElementTree.fromstring(found.graphml(unknown=unknown).encode())
    keys = {key.get("id"): key.get("attr.name") for key in tree.iter(f"{XMLNS}key")}
    types = {key.get("id"): key.get("attr.type") for key in tree.iter(f"{XMLNS}key")}
    assert types["edge_upward"] == "boolean"
    assert types["node_rank"] == "double"
    assert types["edge_wins"] == "long"

    def content(element):
        return {keys[d.get("key")]: d.text for d in element.findall(f"{XMLNS}data")}

    nodes = {n.get("id"): content(n) for n in tree.iter(f"{XMLNS}node")}
    assert [node["label"] for node in nodes.values()] == list(found)
    edges = [
        (
            nodes[e.get("source")]["label"],
            nodes[e.get("target")]["label"],
            e.get("directed"),
            content(e),
        )
        for e in tree.iter(f"{XMLNS}edge")
    ]
    assert len(edges) == (6 if unknown else 3)
    by_pair = {(one, other): (directed, row) for one, other, directed, row in edges}
    directed, row = by_pair["<c>", 'd "e"']
    assert (directed, row["wins"], row["net"], row["upward"]) == ("true", "3", "3", "false")
    tied = [row for _, _, directed, row in edges if row["relation"] == "tied"]
    assert len(tied) == 1
    assert "upward" not in tied[0]


def test_half_draws_stay_halves():
    table, drawn = [[0, 2, 0], [0, 0, 1], [0, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    row = network(matrix(table, drawn), ties="half").edges.row(0, named=True)
    assert (row["wins"], row["losses"], row["net"]) == (2.5, 0.5, 2.0)
