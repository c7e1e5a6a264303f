"""Tables of wins: totals, marks on the diagonal, one half only, and what the corner says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.data import plain_reader
from tests.examples import examples

NAMES = ["Abby", "Bo", "Cy", "Di", "Ed"]
WINS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def text_of(wins, names, *, label="", row=False, column=False, corner="", mark="0", top=""):
    """A table of wins as text, with totals and marks on the diagonal."""
    cells = [[str(n) for n in line] for line in wins]
    for i in range(len(cells)):
        cells[i][i] = mark
    if column:
        for line, counts in zip(cells, wins, strict=True):
            line.append(str(sum(counts)))
    lines = [[name, *line] for name, line in zip(names, cells, strict=True)]
    if row:
        sums = [str(sum(counts)) for counts in zip(*wins, strict=True)]
        lines.append([label, *sums, *([corner] if column else [])])
    header = [top, *names, *([label] if column else [])]
    return "".join(",".join(line) + "\n" for line in [header, *lines])


@pytest.mark.parametrize("mark", ["0", "", ".", "-", "–", "x", "X", "*", "NA"])
def test_marks_on_the_diagonal(sheet, mark):
    assert po.read(sheet(text_of(WINS, NAMES[:3], mark=mark))).matrix().wins.tolist() == WINS
    bare = text_of(WINS, NAMES[:3], mark=mark).splitlines()[1:]
    bare = "".join(line.split(",", 1)[1] + "\n" for line in bare)
    assert po.read(sheet(bare)).matrix().wins.tolist() == WINS
    named = ",".join(NAMES[:3]) + "\n" + bare
    assert po.read(sheet(named)).individuals == tuple(NAMES[:3])


@examples(60)
@given(
    st.integers(2, 5),
    st.data(),
    st.sampled_from([(True, True), (True, False), (False, True)]),
    st.sampled_from(["Total", "sum", "Summe"]),
    st.sampled_from(["", ".", "x", "0"]),
    st.booleans(),
)
def test_totals_are_left_out(tmp_path_factory, size, data, where, label, mark, filled):
    row, column = where
    wins = [
        [0 if i == j else data.draw(st.integers(0, 9)) for j in range(size)] for i in range(size)
    ]
    wins[0][1] += 1
    names = NAMES[:size]
    grand = str(sum(map(sum, wins))) if filled else ""
    text = text_of(wins, names, label=label, row=row, column=column, corner=grand, mark=mark)
    path = tmp_path_factory.getbasetemp() / "totals.csv"
    path.write_text(text, encoding="utf-8")
    read = po.read(path, missing="drop")
    assert read.matrix().wins.tolist() == wins == plain_reader.wins(text, names)
    assert "contain" in read.report.notes[0]
    assert "left out" in read.report.notes[0]


def test_totals_are_recognized_by_their_sums(sheet):
    names = NAMES[:3]
    grand = po.read(sheet(text_of(WINS, names, label="Z", row=True, column=True, corner="21")))
    assert grand.matrix().wins.tolist() == WINS
    only_row = po.read(sheet(text_of(WINS, names, label="Z", row=True)))
    assert only_row.report.notes[0] == 'The row "Z" contains totals and was left out.'
    array = np.array([[0, 1, 2, 3], [3, 0, 4, 7], [5, 6, 0, 11], [8, 7, 6, 21]])
    assert po.read(array).matrix().wins.tolist() == WINS


@pytest.mark.parametrize("corner", ["", "0"])
def test_a_row_and_column_that_may_be_totals_are_refused(sheet, corner):
    text = text_of(WINS, NAMES[:3], label="Zoe", row=True, column=True, corner=corner)
    with pytest.raises(po.DataError, match=r'"Zoe"\) equal the sums of the others'):
        po.read(sheet(text))
    order = [3, 0, 1, 2]
    full = [[*line, sum(line)] for line in WINS]
    full.append([*(sum(counts) for counts in zip(*WINS, strict=True)), 0])
    moved = [[full[i][j] for j in order] for i in order]
    data = po.read(sheet(text_of(moved, ["Zoe", *NAMES[:3]])))
    assert data.individuals[0] == "Zoe"


def test_a_label_without_its_sums_is_refused(sheet):
    text = text_of(WINS, NAMES[:3], label="Total", row=True).replace("Total,8,7,6", "Total,8,7,5")
    with pytest.raises(po.DataError, match='the entry of "Cy" is 5, and the sum is 6'):
        po.read(sheet(text))
    with pytest.raises(po.DataError, match="appears to contain totals"):
        po.read(sheet(text_of([[0, 1], [2, 0]], ["Abby", "Total"])))


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_one_half_of_the_table_is_not_enough(sheet, missing):
    upper = ",A,B,C\nA,,1,2\nB,,,4\nC,,,\n"
    lower = ",A,B,C\nA,.,.,.\nB,1,.,.\nC,2,4,.\n"
    for text, where in ((upper, "below"), (lower, "above")):
        with pytest.raises(po.DataError, match=f"all cells {where} the diagonal are blank"):
            po.read(sheet(text), missing=missing)
    linear = po.read(sheet(",A,B,C\nA,,1,2\nB,0,,4\nC,0,0,\n"))
    assert linear.matrix().wins.tolist() == [[0, 1, 2], [0, 0, 4], [0, 0, 0]]


def test_a_symmetric_table_may_contain_contests(sheet):
    contests = [[0, 4, 2], [4, 0, 3], [2, 3, 0]]
    noted = po.read(sheet(text_of(contests, NAMES[:3]))).report.notes
    assert any("the same number in both directions" in note for note in noted)
    noted = po.read(sheet(text_of(WINS, NAMES[:3]))).report.notes
    assert not any("both directions" in note for note in noted)


def test_the_corner_says_who_is_in_the_rows(sheet):
    names = NAMES[:3]
    for top in ("winner", "Winner \\ loser", "winners"):
        assert po.read(sheet(text_of(WINS, names, top=top))).matrix().wins.tolist() == WINS
    turned = po.read(sheet(text_of(np.transpose(WINS).tolist(), names, top="Loser")))
    assert turned.matrix().wins.tolist() == WINS
    assert "the table was transposed" in turned.report.notes[0]
    with pytest.raises(po.DataError, match="does not state clearly"):
        po.read(sheet(text_of(WINS, names, top="loser/winner")))


def test_rows_and_columns_may_differ_in_case_below_a_title(sheet):
    text = "Wins 2020\n\n,Abby,Bo,Cy,Total\nCY,5,6,.,11\nABBY,.,1,2,3\nBO,3,.,4,7\nTotal,8,7,6,21\n"
    data = po.read(sheet(text))
    assert data.individuals == ("CY", "ABBY", "BO")
    assert data.matrix().wins.tolist() == [[0, 5, 6], [2, 0, 1], [4, 3, 0]]
    assert any("differ only in case" in note for note in data.report.notes)
    assert any("contain totals" in note for note in data.report.notes)


def test_names_of_one_side_that_differ_only_in_case_are_not_joined(sheet):
    with pytest.raises(po.DataError, match="must name the same individuals"):
        po.read(sheet(",Abby,Bo,bo\nabby,0,1,2\nBo,3,0,4\nbo,5,6,0\n"), kind="matrix")


@pytest.mark.parametrize(
    "last",
    [
        {"day": "Total"},
        {"winner": "Total"},
        {"loser": "Total: 3"},
        {"day": "Total", "winner": "2", "loser": "2"},
        {"winner": "Summe", "loser": "2"},
    ],
)
def test_a_row_of_totals_below_contests_is_left_out_and_named(last):
    sheet = {"day": ["1", "2"], "winner": ["a", "b"], "loser": ["b", "c"], "count": ["2", "1"]}
    extended = {name: [*cells, last.get(name, "")] for name, cells in sheet.items()}
    extended["count"][-1] = "3"
    data = po.read(extended)
    assert data.individuals == ("a", "b", "c")
    assert data.report.dropped == {"totals or text below the table (position 2)": 1}


def test_an_individual_with_the_name_of_a_total_stays():
    data = po.read({"winner": ["1", "2", "Sum"], "loser": ["2", "3", "1"]})
    assert len(data) == 3
    with pytest.raises(po.DataError, match='no name in column "loser"'):
        po.read({"winner": ["1", "2", "1"], "loser": ["2", "3", ""]})
