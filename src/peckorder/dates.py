"""One date written as text: the shapes that are known, and months in six languages.

A text has at most three readings: day first, month first and, for years of two digits between
hyphens, year first. `parse` gives one of them; which one applies is decided for the whole column.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata

import polars as pl

TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*(?:([AaPp])\.?[Mm]\.?)?\s*Z?)?"
YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})" + TIME, re.ASCII)
YEAR_LAST = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d{2})" + TIME, re.ASCII)
DAY_MONTH = re.compile(
    r"(\d{1,2})(?:er|st|nd|rd|th|º)?\W*(?: de )?([^\W\d]+)\W*(?: ?de )?(\d{4}|\d{2})" + TIME
)
MONTH_DAY = re.compile(r"([^\W\d]+)\W+(\d{1,2})\W+(\d{4})" + TIME)
COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(\d\d)(\d\d)", re.ASCII)
ORDERS = ("day", "month", "year")
CENTURY = 70  # two-digit years from here on are in the 1900s, as in date formats (%y)
# English, German, French, Spanish, Portuguese and Italian, without accents.
MONTHS = """
january januar janner janvier enero janeiro gennaio jan janv ene gen
february februar fevrier febrero fevereiro febbraio feb febr fev fevr
march marz maerz mars marzo marco mar mrz
april avril abril aprile apr avr abr
may mai mayo maio maggio mag
june juni juin junio junho giugno jun giu
july juli juillet julio julho luglio jul juil lug
august aout agosto aug ago
september septembre septiembre setiembre setembro settembre sep sept set
october oktober octobre octubre outubro ottobre oct okt out ott
november novembre noviembre novembro nov
december dezember decembre diciembre dezembro dicembre dec dez dic
"""
MONTH_OF = {
    name: month for month, line in enumerate(MONTHS.split("\n")[1:-1], 1) for name in line.split()
}


def parse(word: str, order: str) -> dt.datetime | None:
    """The date of a text in one order (day, month or year first); None if it has none."""
    if match := YEAR_FIRST.fullmatch(word):
        return _date(match[1], match[3], match[4], match.groups()[4:])
    if match := YEAR_LAST.fullmatch(word):
        one, sign, other, last = match.groups()[:4]
        if order == "year":
            short = len(last) == len(one) == 2 and sign == "-"
            return _date(one, other, last, match.groups()[4:]) if short else None
        day, month = (one, other) if order == "day" else (other, one)
        return _date(last, month, day, match.groups()[4:])
    if COMPACT.fullmatch(word):
        return compact(word)
    if match := DAY_MONTH.fullmatch(word):
        return _date(match[3], month_number(match[2]), match[1], match.groups()[3:])
    if match := MONTH_DAY.fullmatch(word):
        return _date(match[3], month_number(match[1]), match[2], match.groups()[3:])
    return None


def compact(word: str) -> dt.datetime | None:
    """The date of eight digits such as 20090528."""
    try:
        return dt.datetime.strptime(word, "%Y%m%d")
    except ValueError:
        return None


def all_compact(values: pl.Series) -> bool:
    """Whether whole numbers are dates such as 20090528."""
    present = values.drop_nulls().cast(pl.Int64, strict=False)
    if (
        present.is_empty()
        or present.has_nulls()
        or not present.is_between(18000101, 21001231).all()
    ):
        return False
    return all(compact(str(value)) for value in present.unique())


def dotted(word: str) -> bool:
    """Whether a date is written with dots, which is always day first (28.05.2009)."""
    match = YEAR_LAST.fullmatch(word)
    return match is not None and match[2] == "."


def two_digit_year(word: str) -> bool:
    """Whether the year of a date has two digits."""
    match = YEAR_LAST.fullmatch(word) or DAY_MONTH.fullmatch(word)
    return match is not None and len(match[4 if match.re is YEAR_LAST else 3]) == 2


def format_of(word: str, order: str) -> str:
    """The format of a date in one order, such as %d/%m/%Y."""
    match = YEAR_LAST.fullmatch(word)
    sign, year = (match[2], "%Y" if len(match[4]) == 4 else "%y") if match else ("/", "%Y")
    parts = {"day": ("%d", "%m", year), "month": ("%m", "%d", year), "year": ("%y", "%m", "%d")}
    half = match is not None and match[9]
    hour = "%I" if half else "%H"
    time = "" if ":" not in word else f" {hour}:%M:%S" if word.count(":") == 2 else f" {hour}:%M"
    time += " %p" if half else ""
    return sign.join(parts[order]) + time


def month_number(name: str) -> int:
    """The number of a month given by name, such as "Sept."; 0 if there is none of this name."""
    name = name.strip().rstrip(".")
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return MONTH_OF.get(name.casefold(), MONTH_OF.get(letters, 0))


def _date(year: str, month: str | int, day: str, time: tuple) -> dt.datetime | None:
    hour, minute, second, fraction, half = time
    hours = int(hour or 0)
    if half:
        if not 1 <= hours <= 12:
            return None  # as 13:00 AM, which has no reading
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    full = int(year) + (0 if len(year) > 2 else 2000 if int(year) < CENTURY else 1900)
    microsecond = int((fraction or "0").ljust(6, "0"))
    try:
        return dt.datetime(
            full, int(month), int(day), hours, int(minute or 0), int(second or 0), microsecond
        )
    except ValueError:
        return None
