"""Conditions on rows: the grammar, its errors, and equality with plain Python and with polars."""

import datetime as dt
import random
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.conditions import DEEPEST, condition
from tests.examples import examples

WORDS = ("bite", "chase", "", "a b", "it's", 'say "no"', "Bite")
SIGNS = ("=", "==", "!=", "<", "<=", ">", ">=", "<>")


def contests(seed, rows=60):
    """A sheet of contests with text, numbers with gaps, and dates."""
    draw = random.Random(seed)
    days = [dt.date(2018, 11, 1) + dt.timedelta(days=draw.randrange(900)) for _ in range(rows)]
    return {
        "winner": ["Abe"] * rows,
        "loser": [draw.choice(["Bo", "Cy", "02", "2"]) for _ in range(rows)],
        "date": [str(day) for day in sorted(days)],
        "behavior": [draw.choice(WORDS) for _ in range(rows)],
        "wind speed": [draw.choice(["", "0", "2.5", "-1", "10", "7"]) for _ in range(rows)],
    }


# -- the plain version: a tree of tuples, rendered as text, or met cell by cell --------------------


def tree(draw, depth=3):
    """A random condition: ("and", …), ("or", …), ("not", part) or (column, sign, values)."""
    if depth and draw.random() < 0.6:
        word = draw.choice(["and", "or", "not"])
        if word == "not":
            return "not", tree(draw, depth - 1)
        return word, *(tree(draw, depth - 1) for _ in range(draw.choice([2, 3])))
    column = draw.choice(["behavior", "wind speed", "date", "loser"])
    sign = draw.choice([*SIGNS, "in", "not in"])
    if column in ("behavior", "loser") and sign in ("<", "<=", ">", ">="):
        sign = "="
    number = draw.choice([1, 2, 3]) if "in" in sign else 1
    return column, sign, tuple(value(draw, column) for _ in range(number))


def value(draw, column):
    if column == "behavior":
        return draw.choice(WORDS)
    if column == "loser":
        return draw.choice(["Bo", "Cy", "02", "2"])
    if column == "wind speed":
        return draw.choice([0, 2.5, -1, 3, 1e1])
    return draw.choice(["2019", "2019-05", "2019-06-13", "2018-12-31", "2020-2-9"])


def rendered(one, draw):
    if one[0] in ("and", "or"):
        parts = [rendered(part, draw) for part in one[1:]]
        return "(" + f" {draw.choice([one[0], one[0].upper()])} ".join(parts) + ")"
    if one[0] == "not":
        return f"not {rendered(one[1], draw)}"
    column, sign, values = one
    label = draw.choice([f"`{column}`", f'"{column}"'] + ([column] if " " not in column else []))
    shown = [literal(column, v, draw) for v in values]
    if "in" in sign:
        return f"{label} {sign} ({', '.join(shown)})"
    return f"{label}{draw.choice(['', ' '])}{sign} {shown[0]}"


def literal(column, value, draw):
    if column in ("behavior", "loser"):
        quote = draw.choice("'\"")
        return quote + value.replace(quote, quote * 2) + quote
    if column == "date" and value.count("-") == 2 and draw.random() < 0.5:
        return f"'{value}'"
    return str(value)


def met(one, row):
    """Whether a row meets a condition, term by term."""
    if one[0] == "and":
        return all(met(part, row) for part in one[1:])
    if one[0] == "or":
        return any(met(part, row) for part in one[1:])
    if one[0] == "not":
        return not met(one[1], row)
    column, sign, values = one
    if sign == "in":
        return any(compared(column, "=", v, row[column]) for v in values)
    if sign == "not in":
        return not any(compared(column, "=", v, row[column]) for v in values)
    if sign in ("!=", "<>"):
        return not compared(column, "=", values[0], row[column])
    return compared(column, sign.replace("==", "="), values[0], row[column])


def compared(column, sign, value, cell):
    if column in ("behavior", "loser"):
        return cell.strip() == value
    if column == "date":
        parts = [int(part) for part in value.split("-")]
        own = [int(part) for part in cell.split("-")][: len(parts)]
        cell, value = own, parts  # dates are compared as far as they are given
    elif cell == "":
        return False
    else:
        cell = float(cell)
    return {
        "=": cell == value,
        "<": cell < value,
        "<=": cell <= value,
        ">": cell > value,
        ">=": cell >= value,
    }[sign]


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_those_of_the_plain_version(seed, sheet):
    draw = random.Random(seed)
    columns, wanted = contests(seed), tree(draw)
    where = rendered(wanted, draw)
    table = pl.DataFrame(columns)
    keep = [met(wanted, row) for row in table.to_dicts()]
    sources = [columns, table.with_columns(pl.col("date").str.to_date())]
    if seed % 6 == 0:
        sources.append(sheet(table.write_csv()))
    for source in sources:
        if not any(keep):
            with pytest.raises(po.DataError, match="no row meets the condition"):
                po.read(source, where=where)
            continue
        data = po.read(source, where=where)
        first = 2 if isinstance(source, Path) else 0
        assert data.row_of(np.arange(len(data))).tolist() == [
            place + first for place, kept in enumerate(keep) if kept
        ]
        assert data.report.rows_in == len(keep)
        assert data.report.rows_kept == sum(keep)
        later = po.read(source).filter(where)  # the same after reading
        assert later.to_table().rows() == data.to_table().rows()


@pytest.mark.parametrize(
    ("where", "same"),
    [
        ('behavior in ("bite", "chase")', pl.col("behavior").is_in(["bite", "chase"])),
        ('not behavior = "bite"', pl.col("behavior") != "bite"),
        ("`wind speed` > 2 and year < 2020", (pl.col("wind speed") > 2) & (pl.col("year") < 2020)),
        (
            "year >= 2019 or `wind speed` = 0",
            (pl.col("year") >= 2019) | (pl.col("wind speed") == 0),
        ),
        (
            "date >= 2019-05 and date <= 2019-06",
            pl.col("date").dt.strftime("%Y-%m").is_in(["2019-05", "2019-06"]),
        ),
        ("date = 2019", pl.col("date").dt.year() == 2019),
        (
            "year = 2018 or year = 2019 and behavior = 'bite'",
            (pl.col("year") == 2018) | ((pl.col("year") == 2019) & (pl.col("behavior") == "bite")),
        ),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_rows_are_those_of_polars(where, same, seed):
    table = pl.DataFrame(contests(seed, rows=300)).with_columns(
        pl.col("date").str.to_date(),
        pl.col("wind speed").cast(pl.Float64, strict=False),
    )
    table = table.with_columns(year=pl.col("date").dt.year())
    data = po.read(table, where=where)
    expected = table.with_row_index().filter(same)
    assert data.row_of(np.arange(len(data))).tolist() == expected["index"].to_list()


def refusal(call):
    """The message of the error, or None if there was none; anything but our own errors is raised."""
    try:
        call()
    except po.PeckorderError as error:
        return str(error)
    return None


@given(st.text(max_size=40))
@examples(300)
def test_no_text_is_a_fault(text):
    message = refusal(lambda: condition(text))
    if message is not None:
        assert message.startswith("where: ")
        assert message.count("\n") == 2
        assert message.endswith("^")


PIECES = [
    *SIGNS,
    "and",
    "or",
    "not",
    "in",
    "(",
    ")",
    ",",
    "behavior",
    "`wind speed`",
    '"date"',
    "winner",
    "group",
    "'bite'",
    '"bite"',
    "2019",
    "2019-05-01",
    "-3",
    "1e3",
    "2bc",
    "“",
    "&",
    "`",
    "'",
    "\n",
    "\x1b",
    "é",
    "0000",
    "99999-1",
    "context",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
@examples(300)
def test_no_condition_is_a_fault(pieces):
    columns, where = contests(3, rows=8), " ".join(pieces)
    assert refusal(lambda: po.read(columns, where=where)) != ""
    assert refusal(lambda: po.read(columns).filter(where)) != ""


@pytest.mark.parametrize(
    ("where", "message", "place"),
    [
        ("", "the condition is empty", 0),
        ("behavior = bite", 'put text in quotes: "bite"', 11),
        ("behavior = ", "expected a value", 11),
        ("behavior 3", "expected one of = != < <= > >=, in or not in after", 9),
        ("behavior not 3", "expected in after the column behavior", 13),
        ("behavior in 'bite'", r"expected \( after in", 12),
        ("behavior in ('bite' 'chase')", r"expected , or \) in the list", 20),
        ("behavior = 'bite", "the quote ' is not closed", 11),
        ("behavior = ‘bite’", "use straight quotes", 11),
        ("'behavior' = 'bite'", "put its name in backticks or double quotes", 0),
        ("behavior = `bite`", "backticks mark columns", 11),
        ("(behavior = 'bite'", r"expected \) to close", 18),
        ("behavior = 'bite' & date > 2019", "& has no meaning here; write and", 18),
        ("behavior = 'bite' date > 2019", "expected and, or, or the end", 18),
        ("2018 < date", "expected the name of a column", 0),
        ("date < 2018 < 2019", "only one comparison at a time", 12),
        ("behaviour = 'bite'", 'no such column. Did you mean "behavior"', 0),
        ("date > 2018-02-30", "2018-02-30 is not a date", 7),
        ("date > 13", "contains dates; write 2019-05-28", 7),
        ("date > 2bc", "neither a number nor a date", 7),
        ("behavior < 'bite'", "< compares numbers and dates, not text", 11),
        ("behavior < 3", '"bite" in column "behavior" is not a number', 11),
        ("group = 'x'", "there is no column for group", 0),
        ("`wind speed` > 2019-05-01", "contains numbers, not dates", 15),
        ("(" * (DEEPEST + 1) + "date > 2018", "more than 50 parentheses", DEEPEST),
    ],
)
def test_errors_point_to_their_place(where, message, place):
    columns = {**contests(1, 20), "behavior": ["bite"] * 20}
    with pytest.raises(po.PeckorderError, match=message) as error:
        po.read(columns, where=where)
    _, shown, caret = str(error.value).split("\n")
    assert shown.strip() == where.strip()
    assert caret == "  " + " " * place + "^"


def test_a_long_condition_is_shown_around_the_mistake():
    with pytest.raises(po.PeckorderError) as error:
        condition("a = 1 and " * 200 + "b ~ 2 " + "and a = 1" * 50)
    _, shown, caret = str(error.value).split("\n")
    assert len(shown) < 110
    assert shown[len(caret) - 1] == "~"
    with pytest.raises(TypeError, match="give a condition as text"):
        po.read(contests(1), where=3)


def test_rows_left_out_are_not_checked(sheet):
    path = sheet(
        "winner,loser,behavior,date\nAbe,Bo,bite,2020-01-01\nAbe,,groom,2020-01-02\n"
        "Abe,Abe,groom,soon\nBo,Cy,chase,2020-01-03\n"
    )
    with pytest.raises(po.DataError, match="Row 3"):
        po.read(path)
    data = po.read(path, where='behavior in ("bite", "chase")')
    assert len(data) == 2
    assert data.report.dropped == {'condition not met (behavior in ("bite", "chase"))': 2}
    assert data.row_of([0, 1]).tolist() == [2, 5]
    with pytest.raises(po.DataError, match=r"Rows? .*3"):  # rows are those of the file
        po.read(path, where='behavior != "bite"')


def test_texts_that_occur_nowhere_are_said():
    columns = {"winner": ["Abe", "Bo"], "loser": ["Bo", "Cy"], "behavior": ["bite", "chase"]}
    data = po.read(columns, where='behavior in ("bite", "chasse")')
    assert 'where: "chasse" does not occur in column "behavior". Did you mean "chase"?' in (
        data.report.notes
    )
    with pytest.raises(po.DataError, match=r'no row meets .* "growl" does not occur .*"bite"'):
        po.read(columns, where="behavior = 'growl'")


def test_roles_and_aliases_can_be_used():
    columns = {"Sieger": ["abby", "Abby", "Bo"], "Verlierer": ["Bo", "Cy", "Cy"], "troop": "xyx"}
    columns["troop"] = list("xyx")
    roles = {"winner": "Sieger", "loser": "Verlierer", "names": {"abby": "Abby"}}
    data = po.read(columns, where="winner = 'Abby' and group = 'x'", **roles)
    assert data.row_of([0]).tolist() == [0]
    assert len(po.read(columns, **roles).filter("Sieger = 'Abby'")) == 2
    games = {"home": ["a"], "away": ["b"], "home_points": [1], "away_points": [0]}
    with pytest.raises(po.PeckorderError, match='games have no column winner; use "home", "away"'):
        po.read(games, where="winner = 'a'")
    assert len(po.read(games).filter("winner = 'a'")) == 1
    with pytest.raises(po.PeckorderError, match=re.escape("peckorder.read(…, where=…)")):
        po.read(games).filter("home_points > 0")
    with pytest.raises(po.PeckorderError, match="not to a matrix"):
        po.read(np.array([[0, 2], [1, 0]]), where="a > 1")


def test_names_are_text_and_numbers_are_numbers():
    columns = {"winner": ["2", "02", "3"], "loser": ["9", "9", "9"], "n": ["2", "02", "x"]}
    assert len(po.read(columns, where="winner = 2")) == 1
    assert len(po.read(columns, where="n = 2")) == 2
    assert len(po.read(columns, where="n = '2'")) == 1
    assert len(po.read(columns, where="n != 2")) == 1


def test_streams_are_selected_batch_by_batch(tmp_path):
    rows = 300_000
    table = pl.DataFrame(
        {
            "winner": np.array(["a", "b", "c"])[np.arange(rows) % 3],
            "loser": np.array(["d", "e"])[np.arange(rows) % 2],
            "kind": np.where(np.arange(rows) < 140_000, "x", "y"),
        }
    )
    table.write_parquet(tmp_path / "many.parquet")
    options = {"where": "kind = 'y'", "names": {"e": "d"}, "ignore": ["c"]}
    streamed = po.elo(po.read(tmp_path / "many.parquet", stream=True, **options))
    whole = po.elo(po.read(tmp_path / "many.parquet", **options))
    assert dict(streamed.items()) == dict(whole.items())
    assert streamed.report.rows_kept == whole.report.rows_kept
    assert streamed.report.dropped == whole.report.dropped
