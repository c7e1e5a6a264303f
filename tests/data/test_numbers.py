"""Decimal commas and separators of thousands: one reading or an error."""

import re

import polars as pl
import pytest

import peckorder as po
from peckorder.data.cells import read_numbers

BLANKS = " \u00a0\u202f'’"


def plain_reading(words, separator):
    """All readings of a column by trying each pair of signs; None unless they agree."""
    found = set()
    for thousands, decimal in (("", "."), (",", "."), (BLANKS, "."), ("." + BLANKS, ",")):
        if decimal == "," and separator != ";" and not any("," in word for word in words):
            continue
        values = [plain_value(word, thousands, decimal) for word in words]
        if None not in values:
            found.add(tuple(values))
    return list(found.pop()) if len(found) == 1 else None


def plain_value(word, thousands, decimal):
    whole, sign, rest = word.partition(decimal)
    if (sign and not rest.isdigit()) or not whole:
        return None
    groups = re.split(f"[{re.escape(thousands)}]", whole) if thousands else [whole]
    if not all(group.isdigit() for group in groups):
        return None
    if len(groups) > 1 and not (
        1 <= len(groups[0]) <= 3 and groups[0][0] != "0" and all(len(g) == 3 for g in groups[1:])
    ):
        return None
    return float("".join(groups) + ("." + rest if rest else ""))


@pytest.mark.parametrize("separator", [",", ";", None])
@pytest.mark.parametrize(
    "words",
    [
        ["1", "2"],
        ["1.5", "2"],
        ["1,5", "2"],
        ["1,234"],
        ["1.234"],
        ["1,234", "2,5"],
        ["1.234", "2,5"],
        ["1,234", "2.5"],
        ["1,234,567", "1,234"],
        ["1.234.567", "1"],
        ["1.234,5"],
        ["1,234.5", "1,000"],
        ["1 234", "5"],
        ["1'234.5"],
        ["1\u202f234,5"],
        ["0,125"],
        ["1,5", "1.5"],
        ["12,34", "1"],
        ["1,2,3"],
    ],
)
def test_as_a_plain_reader_reads_them(words, separator):
    found, note = read_numbers(pl.Series(words), "n", separator)
    expected = plain_reading(words, separator)
    assert (found.to_list() == expected) if expected else found.has_nulls()
    plain = expected is not None and all(re.fullmatch(r"\d+(\.\d+)?", word) for word in words)
    assert bool(note) == (
        expected is not None and not (plain and expected == list(map(float, words)))
    )


def test_semicolons_and_decimal_commas(sheet):
    text = "winner;loser;winner_points;loser_points\na;b;1,5;0,25\nb;a;12;2,5\n"
    data = po.read(sheet(text))
    assert data.points.tolist() == [[1.5, 0.25], [12, 2.5]]
    assert data.report.notes == (
        'Numbers in column "winner_points" were read with decimal commas: "1,5" is 1.5.',
        'Numbers in column "loser_points" were read with decimal commas: "0,25" is 0.25.',
    )


def test_thousands_in_counts(sheet):
    data = po.read(sheet('winner,loser,count\na,b,"1,234"\nb,a,"1,000,000"\n'))
    assert len(data) == 1_001_234
    with pytest.raises(po.DataError) as error:
        po.read(sheet('winner,loser,count\na,b,"1,234"\nb,a,7\n'))
    assert str(error.value) == (
        'Row 2: "1,234" in column "count" is not a valid number of contests: it could be 1.234 or '
        "1234. Enter a whole number."
    )
    with pytest.raises(po.DataError, match="Row 3: .* it could be 1 or 1000"):
        po.read(sheet("winner;loser;count\na;b;3\nb;a;1.000\n"))
    with pytest.raises(po.DataError, match="Rows 2 and 3"):
        po.read(sheet("winner;loser;count\na;b;x\nb;a;1.000\n"))
    assert len(po.read(sheet("winner;loser;count\na;b;3\nb;a;1\n"))) == 4
