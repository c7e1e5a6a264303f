"""Cells of formulas that have no value: errors such as #N/A, and formulas never calculated."""

from __future__ import annotations

import polars as pl

# As Excel shows them in English, German, French, Spanish, Italian and Portuguese.
ERRORS = (
    *("#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"),
    *("#NV", "#BEZUG!", "#WERT!", "#ZAHL!", "#ÜBERLAUF!", "#N/D", "#VALEUR!", "#NOM?", "#NOMBRE!"),
    *("#¡REF!", "#¡VALOR!", "#¿NOMBRE?", "#¡DIV/0!", "#VALORE!", "#RIF!", "#NOME?", "#VALOR!"),
    *("#GETTING_DATA", "#FIELD!", "#BLOCKED!", "#CONNECT!"),
)


NOT_CALCULATED = "formula ="  # before a formula that has no stored value


def is_error(word: str) -> bool:
    """Whether a cell is the error of a formula, or a formula instead of its value.

    >>> is_error("#N/A"), is_error("formula =A1"), is_error("=A1"), is_error("#1")
    (True, True, False, False)
    """
    return word.strip().upper() in ERRORS or word.startswith(NOT_CALCULATED)


def without_value(cells: pl.Series) -> pl.Series:
    """Whether each cell of a column of text is an error or a formula."""
    return (
        cells.str.strip_chars().is_in(ERRORS) | cells.str.starts_with(NOT_CALCULATED)
    ).fill_null(False)
