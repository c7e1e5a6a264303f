"""Contests written in cells: A > B, A < B, A = B, A beats B."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.outcome_columns import written
from tests.data import plain_reader
from tests.examples import examples


def test_signs_and_words(sheet):
    text = (
        "Date,Fight\n2020-01-01,Abby > Bo\n2020-01-02,Bo<Cy\n2020-01-03,Cy = Abby\n"
        "2020-01-04,Abby beats Cy\n2020-01-05,Bo → Cy\n2020-01-06,Cy lost to Bo\n"
    )
    data = po.read(sheet(text))
    assert plain_reader.contests_of(data) == [
        ("Abby", "Bo", False),
        ("Cy", "Bo", False),
        ("Cy", "Abby", True),
        ("Abby", "Cy", False),
        ("Bo", "Cy", False),
        ("Bo", "Cy", False),
    ]
    assert data.report.kind == "arrows"
    assert '"Bo<Cy" was read as a win of Cy (1 such cell)' in data.report.notes[0]
    assert len(po.read(sheet(text), contest="Fight", kind="arrows")) == 6


def test_several_columns_and_blank_cells(sheet):
    text = "Fight 1,Fight 2,note\nAbby > Bo,Cy > Bo,x\nBo < Cy,,y\n,,\n,,z\n"
    path = sheet(text)
    with pytest.raises(po.DataError, match='Row 5: no contest in "Fight 1", "Fight 2"'):
        po.read(path)
    data = po.read(path, missing="drop")
    assert plain_reader.contests_of(data) == plain_reader.cells_of_contests(
        text, ["Fight 1", "Fight 2"]
    )
    assert data.rows.tolist() == [2, 2, 3]
    assert data.report.dropped == {"blank rows": 1, "no contest": 1}
    assert data.extra["note"].to_list() == ["x", "x", "y"]


@pytest.mark.parametrize(
    "cell",
    ["A > B > C", "A - B", "A vs B", "A >", "> B", "A <> B", "A >= B", "A <-> B", "Abby", "A=>B"],
)
def test_only_unambiguous_cells_are_read(sheet, cell):
    assert written(cell) is None
    with pytest.raises(po.DataError, match=r"Row 4: .* is not a contest such as A > B"):
        po.read(sheet(f"fight\nA > B\nB > C\n{cell}\n"))


def test_other_tables_are_not_taken_for_contests(sheet):
    """Settings such as sex=M are no ties, and notes beside winner and loser no contests."""
    with pytest.raises(po.DataError, match="kind of data was not recognized"):
        po.read(sheet("setting,x\nsex=M,foo\nsex=F,bar\n"))
    with pytest.raises(po.DataError, match="Row 3: no contest"):
        po.read(sheet("fight,setting\nA > B,sex=M\n,sex=F\n"))
    tied = po.read(sheet("one,two\nA > B,B = A\n"))
    assert tied.draw.tolist() == [False, True]
    data = po.read(sheet("winner,loser,note\nAbby,Bo,Bo > Abby\n"))
    assert plain_reader.contests_of(data) == [("Abby", "Bo", False)]
    with pytest.raises(po.DataError, match="no column was found for contest"):
        po.read(sheet("x,y\nfoo,bar\n"), kind="arrows")


def test_coalitions(sheet):
    path = sheet("fight\nAbby & Cy > Di\nAbby > Cy\n")
    with pytest.raises(po.DataError, match="Row 2: several individuals in one cell"):
        po.read(path)
    assert len(po.read(path, polyadic="dyads")) == 3


names = st.sampled_from(("Abby", "Bo-Lee", "C 3", "Dé", "e_5", "12"))
cells = st.one_of(
    st.just(""),
    st.tuples(names, st.sampled_from((" > ", " < ", " = ")), names).filter(
        lambda parts: parts[0] != parts[2]
    ),
)


@examples(60)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
def test_contests_are_those_of_the_plain_reader(rows):
    columns = {
        label: ["".join(row[place]) for row in rows] for place, label in enumerate(("one", "two"))
    }
    columns["day"] = [str(i) for i in range(len(rows))]
    text = "one,two,day\n" + "".join(
        ",".join(row) + "\n" for row in zip(*columns.values(), strict=True)
    )
    decided = [
        label for label in ("one", "two") if any(s in c for c in columns[label] for s in "<>")
    ]
    known = {who for c in plain_reader.cells_of_contests(text, decided) for who in c[:2]}
    tied = [
        label
        for label in ("one", "two")
        if label not in decided
        and known.issuperset(
            who for c in plain_reader.cells_of_contests(text, [label]) for who in c[:2]
        )
    ]
    used = [label for label in ("one", "two") if label in decided + tied]
    expected = plain_reader.cells_of_contests(text, used) if decided else []
    if expected:
        assert plain_reader.contests_of(po.read(columns, missing="drop")) == expected
