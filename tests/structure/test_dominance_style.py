"""Linearity and steepness in one statement, among published groups."""

import pytest

import peckorder as po
from peckorder.structure.dominance_style import PUBLISHED

PEERS = "../reference/peers/data"
FEW = {"runs": 200, "seed": 1}
FILES = {
    "caribou": f"{PEERS}/caribou.csv",
    "badgers": f"{PEERS}/dommats_badgers.csv",
    "elephants": f"{PEERS}/dommats_elephants.csv",
    "squirrels": f"{PEERS}/dommats_squirrels.csv",
    "chimpanzees": "chimpanzee_females.csv",
}


def test_bonobos_are_linear_and_steep():
    found = po.questions.dominance_style(po.datasets.bonobos(), **FEW)
    assert found.linearity == po.linearity(po.datasets.bonobos()).value
    assert found.steepness == po.steepness(po.datasets.bonobos(), **FEW).value
    assert found.summary[0].startswith("Linear (h′ 0.86")
    assert "as in despotic groups" in found.summary[0]
    assert found.table["similar"].to_list() == [True, False, True, False, True, False]


def test_a_linear_hierarchy_need_not_be_steep():
    found = po.questions.dominance_style(po.datasets.table3(), **FEW)
    assert found.linearity_p <= 0.05 < found.steepness_p
    assert "ranks are clear, but" in found.summary[0]


def test_equal_individuals_are_neither():
    equal = po.Matrix(tuple("abcdef"), [[3 * (i != j) for j in range(6)] for i in range(6)])
    found = po.questions.dominance_style(equal, **FEW)
    assert "egalitarian" in found.summary[0]
    assert found.steepness == pytest.approx(0)


def test_two_individuals_have_no_linearity():
    with pytest.raises(po.DataError, match="requires at least 3"):
        po.questions.dominance_style([("a", "b")], **FEW)


@pytest.mark.paper_data
@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
@pytest.mark.parametrize("group", FILES)
def test_published_values_come_out(group, paper_file):
    printed = next(one for one in PUBLISHED if one.group == group)
    data = po.read(paper_file(FILES[group]))
    assert (len(data.individuals), round(po.linearity(data, **FEW).value, 3)) == (
        printed.individuals,
        printed.linearity,
    )
    assert round(po.steepness(data, **FEW).value, 3) == printed.steepness
