"""The figure of a network: layers by rank, edges by net wins, and names that no edge hides."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

import peckorder as po
from tests.matrices import matrix

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def no_figure_left():
    yield
    plt.close("all")


def simulated(number, contests):
    return po.simulate.hierarchy(number, contests, spread=3, seed=1)[1]


def places(axes):
    """Position of each name, in points to the right and rows down."""
    return {text.get_text(): text.xy for text in axes.texts}


def arrows(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def hidden_names(axes, table):
    """Names whose box an edge crosses that does not lead to them or away from them."""
    axes.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
    at = {name: axes.transData.transform(xy) for name, xy in places(axes).items()}
    hidden = set()
    for row in table.filter(table["drawn"]).to_dicts():
        ends = row["dominant"], row["subordinate"]
        line = np.linspace(at[ends[0]], at[ends[1]], 400)
        for name, box in boxes.items():
            inside = (line > [box.x0, box.y0]).all(axis=1) & (line < [box.x1, box.y1]).all(axis=1)
            if name not in ends and inside.any():
                hidden.add(name)
    return hidden


@pytest.mark.parametrize("data", [po.datasets.bonobos(), po.datasets.adv()])
def test_every_edge_is_one_arrow_from_dominant_to_subordinate(data):
    found = po.orders.network(data)
    table = po.plot.network.data(data)
    edges = found.edges.filter(found.edges["relation"] == "dominates")
    columns = ["dominant", "subordinate", "wins", "losses", "net", "upward"]
    assert sorted(table.select(columns).rows()) == sorted(edges.select(columns).rows())
    assert table["net"].to_list() == sorted(table["net"], reverse=True)
    assert table["drawn"].all()
    axes = po.plot.network(data)
    assert len(arrows(axes)) == len(edges)
    assert axes.get_xlabel().startswith(f"All {len(edges)} edges; ")
    orange = [a for a in arrows(axes) if matplotlib.colors.to_hex(a.get_edgecolor()) == "#d55e00"]
    assert len(orange) == found.upward
    widths = sorted(arrow.get_linewidth() for arrow in arrows(axes))
    assert widths[0] < widths[-1] == pytest.approx(2.2)


def test_individuals_are_in_layers_by_rank():
    order = po.orders.adagio(po.datasets.bonobos())
    where = places(po.plot.network(order))
    assert where["He"][1] == where["Dz"][1] == 0
    levels = dict(zip(order, order.table["level"], strict=True))
    assert {name: where[name][1] + 1 for name in where} == levels
    by_score = places(po.plot.network(po.datasets.bonobos()))
    assert sorted(by_score, key=lambda name: by_score[name][1]) == list(
        po.davids_score(po.datasets.bonobos())
    )


def test_names_of_small_groups_are_not_crossed():
    for data in (po.datasets.bonobos(), po.datasets.adv(), po.orders.adagio(po.datasets.bonobos())):
        axes = po.plot.network(data)
        assert hidden_names(axes, po.plot.network.data(data)) == set()


def test_large_groups_show_the_strongest_edges():
    data = simulated(20, 400)
    table = po.plot.network.data(data)
    assert table["drawn"].sum() == 40
    drawn, others = (table.filter(table["drawn"] == kept)["net"] for kept in (True, False))
    assert drawn.min() >= others.max()
    axes = po.plot.network(data)
    assert len(arrows(axes)) == 40
    assert axes.get_xlabel().startswith(f"The 40 strongest of {len(table)} edges; ")
    assert len(hidden_names(axes, table)) <= 4
    few = po.plot.network(data, edges=3)
    assert len(arrows(few)) == 3
    assert len(arrows(po.plot.network(data, edges=10**6))) == len(table)
    for wrong in (0, 2.5, True):
        with pytest.raises(ValueError, match="edges=.*at least 1"):
            po.plot.network(data, edges=wrong)


def test_what_can_be_drawn():
    data = po.datasets.adv()
    elo, isi = po.elo(data, k=200), po.isi(data)
    expected = po.plot.network.data(data, order=isi)
    for found in (isi, po.orders.network(data, order=isi)):
        assert po.plot.network.data(found).equals(expected)
    assert po.plot.network.data(elo, order=isi).equals(expected)
    assert po.plot.network.data(po.davids_score(data), order=isi).equals(expected)
    top = {row["dominant"]: row["dominant_rank"] for row in po.plot.network.data(elo).to_dicts()}
    assert top["b"] == 1
    shuffled = po.randomized_elo(data, runs=20, seed=1)
    assert len(po.plot.network.data(shuffled)) == len(expected)
    with pytest.raises(ValueError, match="different individuals"):
        po.plot.network(data, order=po.isi(po.datasets.bonobos()))


def test_ties_and_nobody_dominant():
    even = matrix([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    axes = po.plot.network(even)
    assert axes.get_xlabel() == "No individual dominates another; 1 dyad has no contest."
    assert {y for _, y in places(axes).values()} == {0}
    assert arrows(axes) == []
    half = po.plot.network.data(
        matrix([[0, 2], [1, 0]], draws=[[0, 1], [1, 0]]), ties="half"
    ).to_dicts()
    assert (half[0]["wins"], half[0]["net"]) == (2.5, 1.0)
    one = po.plot.network(matrix([[0, 2], [1, 0]]))
    assert one.get_xlabel().startswith("1 edge; 0 dyads have no contest.")


def test_equal_ranks_that_do_not_fit_take_several_rows():
    names = [f"Chief Greyback of the Hills {i}" for i in range(20)]
    wins = np.zeros((20, 20), int)
    wins[0, 1] = wins[1, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        axes = po.plot.network(matrix(wins, names=names))
    rows = {y for _, y in places(axes).values()}
    assert len(rows) > 1
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["10.5"]
