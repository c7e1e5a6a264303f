"""Numbers written with decimal commas or separators of thousands, if they have one reading.

`1,5` has a decimal comma and `1,234,567` separators of thousands; `1,234` could be either. A column
is read if all its numbers fit one way of writing, or several that agree: other cells may decide.
"""

from __future__ import annotations

import re

import polars as pl

PLAIN = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
BLANKS = "[ \u00a0\u202f'’]"
LIKE_A_NUMBER = re.compile(rf"[-+]?[\d.,](?:[\d.,]|{BLANKS}(?=\d))*", re.ASCII)
# Ways of writing: what is between thousands, the decimal sign, and the form of a number.
STYLES = {
    "a decimal point": ("(?!)", ".", PLAIN),
    "commas between thousands": (",", ".", rf"[-+]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d+)?|{PLAIN}"),
    "blanks or apostrophes between thousands": (
        BLANKS,
        ".",
        rf"[-+]?[1-9]\d{{0,2}}(?:{BLANKS}\d{{3}})+(?:\.\d+)?|{PLAIN}",
    ),
    "decimal commas": (
        rf"[.]|{BLANKS}",
        ",",
        rf"[-+]?[1-9]\d{{0,2}}(?:(?:[.]|{BLANKS})\d{{3}})+(?:,\d+)?|[-+]?\d+(?:,\d+)?",
    ),
}


def read_numbers(cells: pl.Series, column: str, separator: str | None) -> tuple[pl.Series, str]:
    """Numbers from text (null if a cell is none), and a note on their way of writing.

    A number with several readings is none. In a file with semicolons, 1.234 may be 1,234.
    """
    texts = cells.str.strip_chars()
    plain = texts.cast(pl.Float64, strict=False)
    words = [w for w in texts.drop_nulls().unique(maintain_order=True) if _numeric(w)]
    if not any(re.search(r"[^-+\deE.]", word) for word in words) and separator != ";":
        return plain, ""
    readings = {
        style: values for style in STYLES if (values := _read(words, style, separator)) is not None
    }
    distinct = {tuple(values): style for style, values in reversed(readings.items())}
    if len(distinct) != 1:
        unclear = [w for i, w in enumerate(words) if len({v[i] for v in readings.values()}) > 1]
        return plain.set(texts.is_in(unclear), None), ""
    (values, style), *_ = distinct.items()
    if style == "a decimal point":
        return plain, ""
    found = texts.replace_strict(words, values, default=None, return_dtype=pl.Float64)
    example = next(i for i, word in enumerate(words) if re.search(r"[^-+\d]", word))
    note = (
        f'Numbers in column "{column}" were read with {style}: "{words[example]}" is '
        f"{values[example]:.10g}."
    )
    return found, note


def several_readings(word: str) -> str:
    """The two readings of a number such as 1,234, for a message; empty if it has one.

    >>> several_readings("1,234"), several_readings("1,5")
    (': it could be 1.234 or 1234', '')
    """
    readings = [_read([word], style, ";") for style in STYLES] if _numeric(word) else []
    values = sorted({values[0] for values in readings if values})
    return f": it could be {values[0]:g} or {values[-1]:.10g}" if len(values) > 1 else ""


def _numeric(word: str) -> bool:
    return bool(LIKE_A_NUMBER.fullmatch(word) or re.fullmatch(PLAIN, word, re.ASCII))


def _read(words: list[str], style: str, separator: str | None) -> list[float] | None:
    """The values of numbers in one way of writing; None if one does not fit it."""
    thousands, decimal, form = STYLES[style]
    # Where cells are separated by commas or tabs, a plain 1.234 has a decimal point.
    if decimal == "," and separator != ";" and not any("," in word for word in words):
        return None
    if not all(re.fullmatch(form, word, re.ASCII) for word in words):
        return None
    return [float(re.sub(thousands, "", word).replace(decimal, ".")) for word in words]
