"""The points of both sides in one cell, such as 2-1, 2:1 or, in chess, 1/2-1/2.

Such a column is divided into the points of the first and of the second side if a table has two
sides and no other points. Anything else in one of the cells (penalties, sets) leaves the column as
it is, so that the table is refused rather than read in part.

Dates that are split over columns for the day, the month and the year.

Numbers written with decimal commas or separators of thousands, if they have one reading.

Blank cells that stand for the value above, as below a date that is written once per day.

Yes and no in a column: words, or ticks with blanks for no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import Columns
from peckorder.data.date_columns import YEARLESS
from peckorder.data.headings import ALIASES as HEADINGS
from peckorder.data.headings import DAYS, MONTHS, SCORES, YEARS, fits, heading, roles_of
from peckorder.data.outcome_columns import NO, YES, pair_of_sides
from peckorder.data.sheet import FileRows, Sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, did_you_mean, given, option, quoted
from peckorder.validate import several

POINTS = r"(?:\d+(?:\.5)?|1/2|½)"
# After the score: extra time, a word for a shoot-out, or the score at half-time.
AFTER = r"(?:\(?(?:a\.?e\.?t\.?|o\.?t\.?|s\.?o\.?|n\.?v\.?|p(?:en)?s?\.?)\)?|\(\d+\s*[-–:]\s*\d+\))"
CELL = re.compile(rf"\s*({POINTS})\s*[-–:]\s*({POINTS})\s*{AFTER}?\s*", re.IGNORECASE)
HALF = r"(?:1/2|½|0\.5)"
DECIDED = re.compile(rf"\s*(?:1\s*[-–:]\s*0|0\s*[-–:]\s*1|{HALF}\s*[-–:]\s*{HALF})\s*")  # of chess
NOT_PLAYED = re.compile(
    r"postp\w*\.?|p[-. ]?p\.?|cancel\w*|abandoned|abd\.?|aband?\.?|void|tbd|tba|n/?a|vs?\.?|-+|–|—"
    r"|w/?o\.?|walk ?over|bye|not played|awarded|susp\w*|p|c|abgesagt|verlegt|ausgefallen|\?|\*|",
    re.IGNORECASE,
)
SIDES = ("home", "away", "home_points", "away_points")
EVEN_SIDES = ("a", "b", "a_points", "b_points")


def with_divided_scores(sheet: Sheet, given: dict[str, Any]) -> tuple[Sheet, dict[str, Any]]:
    """The sheet with the points of both sides in columns of their own, given by name."""
    if any(given[role] is not None for role in ("winner", "loser", "outcome")):
        return sheet, given
    if sheet.parts or sheet.batches is not None or sheet.streamed:
        return sheet, given
    named = [(given[a], given[b]) for a, b in (SIDES[:2], EVEN_SIDES[:2]) if given[a] and given[b]]
    sides = named[0] if named else _sides(sheet.columns)
    if sides is None or not set(sides) <= set(sheet.columns):
        return sheet, given
    if (column := _column_of_scores(sheet)) is None:
        return sheet, given
    at_home = given["home"] is not None or fits(sides[0], HEADINGS["home"])
    roles = SIDES if at_home and given["a"] is None else EVEN_SIDES
    cells = sheet.column(column)
    divided = {
        f"{column} of {side}": pl.Series([_points(cell, place) for cell in cells], dtype=pl.String)
        for place, side in enumerate(sides, start=1)
    }
    chosen = dict(zip(roles, (*sides, *divided), strict=True))
    if any(given[role] not in (None, chosen.get(role)) for role in (*SIDES, *EVEN_SIDES)):
        return sheet, given
    example = next(cell for cell in cells if CELL.fullmatch(cell or ""))
    note = (
        f'Column "{column}" was read as the points of both sides: "{example}" is '
        f'{_points(example, 1)} for "{sides[0]}" and {_points(example, 2)} for "{sides[1]}". For '
        f"another reading, name the columns of points, such as {option(roles[2])}."
    )
    left = sorted({c for c in cells if c and c.strip() and _points(c, 1) is None})
    note += f" Games with {quoted(left)} were taken as not played." if left else ""
    table = sheet.table().with_columns(**divided)
    more = {"added": (*sheet.added, *divided), "parts_used": (*sheet.parts_used, column)}
    wider = sheet.of_table(table, note, **more)
    return wider, given | chosen | ({"outcome": ""} if roles is EVEN_SIDES else {})


def _sides(columns: list[str]) -> tuple[str, str] | None:
    """The two sides: at home and away, with a number or a letter, or white and black."""
    for first, second in ((HEADINGS["home"], HEADINGS["away"]), (("white",), ("black",))):
        found = [[c for c in columns if fits(c, names)] for names in (first, second)]
        if all(len(one) == 1 for one in found):
            return found[0][0], found[1][0]
    return pair_of_sides(columns)


def _column_of_scores(sheet: Sheet) -> str | None:
    """The only column of scores, if there are no other points and most cells have two numbers."""
    points = [name for role in (*SIDES[2:], *EVEN_SIDES[2:]) for name in HEADINGS[role]]
    columns, form = sheet.columns, CELL
    named = [c for c in columns if heading(c) in SCORES]
    if any(fits(c, tuple(points)) for c in columns):
        return None
    if not named and not any({"outcome", "winner"} & {*roles_of(c, columns)} for c in columns):
        named, form = columns, DECIDED
    found = [c for c in named if _are_scores(sheet.column(c), form)]
    return found[0] if len(found) == 1 and (form is DECIDED or len(named) == 1) else None


def _are_scores(cells: pl.Series, form: re.Pattern[str]) -> bool:
    """Whether most cells have two numbers."""
    filled = [] if cells.dtype != pl.String else [c for c in cells.drop_nulls() if c.strip()]
    return 2 * sum(form.fullmatch(cell) is not None for cell in filled) > len(filled)


def _points(cell: str | None, place: int) -> str | None:
    """The points of a side; None if the game was not played, and the cell if it is no score."""
    found = CELL.fullmatch(cell or "")
    if found is None:
        return None if NOT_PLAYED.fullmatch((cell or "").strip()) else cell
    return found[place].replace("1/2", "0.5").replace("½", "0.5")


JOINED = "year-month-day"


def with_joined_date(sheet: Sheet, given: dict[str, Any]) -> tuple[Sheet, dict[str, Any]]:
    """The sheet with a column that joins day, month and year, given as the date, if need be."""
    parts = [[c for c in sheet.columns if heading(c) in words] for words in (DAYS, MONTHS, YEARS)]
    others = [
        c
        for c in sheet.columns
        if "date" in roles_of(c, sheet.columns) and heading(c) not in DAYS | YEARS
    ]
    without_year = len(others) == 1 == len(parts[2]) and not parts[1]
    if without_year:
        parts = [others, [], parts[2]]
    elif others or any(len(found) != 1 for found in parts):
        return sheet, given
    if given["date"] is not None:
        return sheet, given
    if sheet.parts or sheet.batches is not None or sheet.streamed or JOINED in sheet.columns:
        return sheet, given
    names = [found[0] for found in parts if found]
    *days, year = (_number_text(sheet.column(name)) for name in names)
    if not year.drop_nulls().str.contains(r"^\d{4}$").all() or year.drop_nulls().is_empty():
        return sheet, given
    if without_year and not all(map(YEARLESS.fullmatch, days[0].drop_nulls())):
        return sheet, given
    dates = _with_year(days[0], year) if without_year else _joined(days[0], days[1], year)
    whole = dates.drop_nulls()
    example = f", such as {whole[0]}" if len(whole) else ""
    note = (
        f"Columns {quoted(names)} were joined to one date{example}. To ignore dates, "
        f"use {option('date', '')}."
    )
    table = sheet.table().with_columns(dates.alias(JOINED))
    joined = sheet.of_table(table, note, added=(*sheet.added, JOINED))
    return joined, given | {"date": JOINED}


def _number_text(column: pl.Series) -> pl.Series:
    """Cells as text, without the decimals that a workbook may add to whole numbers."""
    text = column.cast(pl.String).str.strip_chars().str.replace(r"\.0+$", "")
    return text.set((text == "").fill_null(False), None)


def _joined(day: pl.Series, month: pl.Series, year: pl.Series) -> pl.Series:
    """2021-03-01, or 1 March 2021 if months have names; none if a part is missing."""
    parts = pl.DataFrame({"day": day, "month": month, "year": year})
    numbers = pl.concat_str(
        "year", pl.col("month").str.zfill(2), pl.col("day").str.zfill(2), separator="-"
    )
    words = pl.concat_str("day", "month", "year", separator=" ")
    named = month.str.contains(r"\pL").fill_null(False).any()
    return parts.select(words if named else numbers).to_series()


def _with_year(day: pl.Series, year: pl.Series) -> pl.Series:
    """28.05.2009 from 28.05. and 2009, or 28 May 2009 from 28 May."""
    sign = day.str.extract(r"^\d+([-./])\d+$").fill_null(" ").replace(" ", ".")
    words = day.str.contains(r"\pL")
    return day.str.strip_chars(".-/ ") + sign.zip_with(~words, pl.Series([" "])) + year


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


def filled_down(sheet: Sheet, columns: Columns, fill_down: str | Sequence[str]) -> Sheet:
    """The sheet with blanks of these columns, given by name or role, filled from above.

    Rows that are completely blank remain so.
    """
    names = [_column(sheet, columns, one) for one in several("fill_down", fill_down)]
    keep = pl.Series(~sheet.blank_rows())
    cells, notes = {}, []
    for name in dict.fromkeys(names):
        column = sheet.column(name)
        blank = blanks(column) & keep
        filled = column.set(blanks(column), None) if column.dtype == pl.String else column
        filled = filled.forward_fill().zip_with(keep, column)
        number = int((blank & ~blanks(filled)).sum())
        cells[name] = filled
        notes.append(
            f'Column "{name}": {counted(number, "blank cell was", "blank cells were")} filled with '
            f"the value above."
        )
    if sheet.files is not None:
        _refuse_blank_starts(sheet, sheet.files, cells)
    return sheet.of_table(sheet.table().with_columns(**cells), *notes)


def blanks(column: pl.Series) -> pl.Series:
    """Whether each cell of a column is blank."""
    blank = column.is_null()
    if column.dtype == pl.String:
        blank |= (column.str.strip_chars() == "").fill_null(True)
    return blank


def would_be_filled(column: pl.Series, lost: np.ndarray) -> bool:
    """Whether blanks follow a first value, so that they may stand for the value above."""
    blank = blanks(column).to_numpy()
    return len(blank) > 1 and not blank[0] and bool(blank[lost].all())


def _column(sheet: Sheet, columns: Columns, wanted: object) -> str:
    """The column of a name or a role."""
    name = str(wanted)
    if name in sheet.columns:
        return name
    if name in columns.of:
        return columns.of[name]
    raise ArgumentError(
        f"{given('fill_down', name)}: there is no such column or role."
        f"{did_you_mean([name], [*sheet.columns, *columns.of])} Columns found: "
        f"{quoted(sheet.columns)}; roles: {quoted(columns.of)}."
    )


def _refuse_blank_starts(sheet: Sheet, files: FileRows, cells: dict[str, pl.Series]) -> None:
    """Raise an error if a value would be carried from one sheet or file to the next."""
    start = 0
    for name, height in zip(files.names, files.heights, strict=True):
        for column in cells:
            first = blanks(sheet.column(column).slice(start, height).head(1))
            if start and first.any():
                raise DataError(
                    f'The first row of {name} has no value in column "{column}", and '
                    f"{option('fill_down')} does not carry values from one table to the next. "
                    f"Enter the value there."
                )
        start += height


TRUE, FALSE = ("1", "1.0", "t", *YES), ("0", "0.0", "f", *NO)
TICKS = ("x", "✓", "✔", "☑", "√", "+")


def yes_and_no(words: pl.Series, column: str, *more: str) -> tuple[pl.Series, pl.Series, str]:
    """Which cells mean yes, which have no reading, and a note if blanks were read as no.

    Words are in lower case; `more` are further words for yes.
    """
    yes = words.is_in([*TRUE, *TICKS, *more])
    no = words.is_in(FALSE)
    blank = words == ""
    if no.any() or not blank.any():
        return yes, ~(yes | no), ""
    marks = words.filter(yes).unique(maintain_order=True).to_list()
    marked = f"marked with {quoted(marks, limit=4)}" if marks else "marked"
    note = (
        f'Column "{column}": {counted(int(yes.sum()), "row is", "rows are")} {marked}; blank cells '
        f"({counted(int(blank.sum()), 'row')}) were read as no."
    )
    return yes, ~(yes | blank), note
