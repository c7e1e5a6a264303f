"""Columns of yes and no, in words or as ticks with blanks."""

import pytest

import peckorder as po


def drawn(sheet, *cells):
    rows = "".join(f"a,b,{cell}\n" for cell in cells)
    return po.read(sheet(f"winner,loser,draw\n{rows}"))


@pytest.mark.parametrize("tick", ["x", "X", "Y", "yes", "✓", "✔", "1", "tie", "draw", "ja"])
def test_blanks_beside_ticks_mean_no(sheet, tick):
    data = drawn(sheet, tick, "", tick, " ")
    assert data.draw.tolist() == [True, False, True, False]
    assert data.report.notes == (
        f'Column "draw": 2 rows are marked with "{tick.lower()}"; blank cells (2 rows) were read '
        f"as no.",
    )


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("x", "", "maybe"), 'Row 4: "maybe" in column "draw" is neither yes nor no'),
        (("1", "", "0"), 'Row 3: "" in column "draw" is neither yes nor no'),
        (("x", "?"), 'Row 3: "\\?" in column "draw"'),
        (("✗", ""), 'Row 2: "✗" in column "draw"'),
        (("W", "", "T"), 'Row 3: "" in column "draw" is not W, L or T'),
        (("W", "x", "T"), 'Row 3: "x" in column "draw" is not W, L or T'),
        (("-", "x"), 'Row 2: "-" in column "draw"'),
    ],
)
def test_what_is_not_known_is_refused(sheet, cells, message):
    with pytest.raises(po.DataError, match=message):
        drawn(sheet, *cells)


def test_words_need_no_note(sheet):
    assert drawn(sheet, "yes", "no").report.notes == ()
    assert drawn(sheet, "x", "nein", "0").draw.tolist() == [True, False, False]


def test_a_column_without_any_tick(sheet):
    data = drawn(sheet, "", "")
    assert not data.draw.any()
    assert data.report.notes == (
        'Column "draw": 0 rows are marked; blank cells (2 rows) were read as no.',
    )


def test_ticks_of_neutral_venues(sheet):
    text = "home,away,hg,ag,neutral\nA,B,2,1,x\nA,B,2,1,\n"
    assert po.read(sheet(text)).home.tolist() == [0, 1]
