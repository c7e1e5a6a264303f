"""Numbers of papers: printed, recomputed, and compared with the independent recomputation."""

import pytest

import peckorder as po
from peckorder.papers import devries2006
from peckorder.papers.printed import Printed


def values(paper, **how):
    found = po.papers.reproduce(paper, **how)
    return found, {row["quantity"]: row for row in found.table.to_dicts()}


def test_albers_and_de_vries():
    found, rows = values("albers2001")
    assert [name for name, row in rows.items() if not row["agrees"]] == [
        "k if a loss leaves a chance of 4%"
    ]
    assert rows["k if a loss leaves a chance of 4%"]["computed"] == 1002
    assert (found.agree, found.numbers) == (11, 12)


def test_de_vries_et_al(papers):
    """Printed digits are those of the independent recomputation, which agrees with the paper."""
    found, rows = values("devries2006")
    assert found.agree == found.numbers == 49
    for index, printed in devries2006.SCORES.items():
        reference = papers["bonobo"][index[0].upper()]
        for i, name in enumerate(papers["bonobo"]["ids"]):
            for place, part in enumerate(("DS", "NormDS")):
                assert printed[name][place] == f"{reference[part][i]:.2f}"
    assert rows["steepness by P"]["computed"] == pytest.approx(0.7352487143)


def test_goffe_et_al():
    found, _ = values("goffe2018")
    assert (found.agree, found.numbers) == (13, 14)


@pytest.mark.paper_data
def test_papers_whose_data_are_given(paper_file, papers):
    games = po.read(paper_file("nfl2009.csv"))
    found, _ = values("langville2012", data=games)
    assert found.agree == found.numbers == 107
    table = found.table.filter(found.table["where"] == "Table (5.8)")
    reference = papers["nfl"]["tables"]["scores_K32"]
    for row in table.to_dicts():
        team = row["quantity"].removeprefix("rating of ")
        assert float(row["printed"]) == reference[team]["published"]
    females = po.read(paper_file("chimpanzee_females.csv"))
    found, rows = values("foerster2016", data=females)
    assert [row["printed"] for row in rows.values() if not row["agrees"]] == ["89.8"]
    assert values("goffe2018", data=females)[0].numbers == 19


def test_data_that_are_not_included_are_requested():
    with pytest.raises(po.ArgumentError, match="langville2012 needs the 267 games"):
        po.papers.reproduce("langville2012")
    with pytest.raises(po.ArgumentError, match="albers2001"):
        po.papers.reproduce("albers1999")


@pytest.mark.parametrize(
    ("printed", "computed", "agrees"),
    [
        ("0.62", 0.6249, True),
        ("0.62", 0.6251, False),
        ("5", 5.4, True),
        ("<0.001", 0.0004, True),
        ("<0.001", 0.001, False),
        ("-1.29", -1.2857, True),
    ],
)
def test_agreement_to_the_printed_digits(printed, computed, agrees):
    assert Printed("", "", printed, computed).agrees is agrees
