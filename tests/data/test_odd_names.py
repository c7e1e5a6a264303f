"""Errors of formulas and repeated headers are no names."""

import pytest

import peckorder as po


@pytest.mark.parametrize("word", ["#N/A", "#REF!", "#NV", "formula =A2&B2", "#DIV/0!"])
def test_errors_of_formulas_in_text_files(sheet, word):
    with pytest.raises(po.DataError, match="Rows 2 and 4: .* is an error of a formula"):
        po.read(sheet(f"winner,loser\na,{word}\nb,a\n{word},b\n"))
    with pytest.raises(po.DataError, match="Row 3: .* is an error of a formula"):
        po.read(sheet(f"winner,loser,group\na,b,x\nb,a,{word}\n"))


def test_names_with_the_same_signs_are_names(sheet):
    assert po.read(sheet("winner,loser\n#1,=\n#2,#N\n")).individuals == ("#1", "=", "#2", "#N")


def test_a_repeated_header_is_refused(sheet):
    with pytest.raises(po.DataError) as error:
        po.read(sheet("Winner,Loser\na,b\nWinner,Loser\nb,c\nWinner,Loser\n"))
    assert str(error.value) == (
        'Rows 3 and 5: the header is repeated ("Winner", "Loser"). Remove the row from the table, '
        'or leave them out with leave_out="3,5".'
    )
    assert len(po.read(sheet("Winner,Loser\na,Winner\n"))) == 1


@pytest.mark.parametrize("word", ["unid.", "Unid", "unknown?", "unbekannt", "desconocida", "??"])
def test_codes_for_nobody_are_named(sheet, word):
    (doubt,) = po.read(sheet(f"winner,loser\na,{word}\nb,a\n")).doubts
    assert (doubt.kind, doubt.where, doubt.severity, doubt.rows) == (
        "name",
        f'"{word}"',
        "ask",
        (2,),
    )
    assert doubt.choices[0].arguments() == {"ignore": [word]}


def test_a_first_row_that_is_a_contest_is_not_lost(sheet):
    text = "Max,Tilly\nMax,Rusty\nTilly,Rusty\nRusty,Bo\n"
    with pytest.raises(po.DataError, match='"Max", "Tilly" in the first row also occur further'):
        po.read(sheet(text))
    with pytest.raises(po.DataError, match='"Max", "Tilly" are also names of individuals'):
        po.read(sheet(text), winner="Max", loser="Tilly")
    assert len(po.read(sheet("winner,loser\nwinner,x\nx,loser\n"))) == 2  # headings, not data
