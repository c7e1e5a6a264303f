"""A slow reader of the files in tests/field: what a person knows about each, and plain Python.

It shares nothing with the package. `KNOWN` states, for each file, which column is what; cells are
read by csv, openpyxl and sqlite3, and dates by `datetime.strptime` with the format of that file.
Files without an entry are refused by the reader, or are of a format that needs its library.
"""

import csv
import datetime as dt
import io
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl

from tests.data.plain_reader import UNDECIDED, oriented

FOLDER = Path(__file__).parent / "field"
Row = dict[str, Any]
Contest = tuple[str, str, dt.datetime | None, bool]
DAY = "%Y-%m-%d"
MONTHS = {"Februar": "02", "März": "03", "Mai": "05", "Dez.": "12", "février": "02", "mars": "03"}


def of_text(
    name: str, separator: str = ",", encoding: str = "utf-8-sig", header: int = 1
) -> list[Row]:
    """Rows of a text file whose column names are in row `header`; blank rows are no rows."""
    lines = (FOLDER / name).read_bytes().decode(encoding).splitlines()[header - 1 :]
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)
    return as_rows(list(rows))


def of_workbook(name: str, sheets: tuple[str, ...] = ("Data",), header: int = 1) -> list[Row]:
    """Rows of sheets of a workbook, one after the other."""
    book = openpyxl.load_workbook(FOLDER / name)
    cells = (list(book[sheet].iter_rows(min_row=header, values_only=True)) for sheet in sheets)
    return [row for one in cells for row in as_rows(one)]


def of_database(name: str) -> list[Row]:
    with sqlite3.connect(f"file:{FOLDER / name}?mode=ro", uri=True) as station:
        found = station.execute("select winner, loser, date from contests")
        return [dict(zip(("winner", "loser", "date"), row, strict=True)) for row in found]


def as_rows(cells: list) -> list[Row]:
    labels = [str(cell).strip() if cell is not None else "" for cell in cells[0]]
    rows = [[cell.strip() if isinstance(cell, str) else cell for cell in row] for row in cells[1:]]
    return [dict(zip(labels, row, strict=False)) for row in rows if any(c for c in row)]


def moment(row: Row, columns: tuple[str, ...], form: str | tuple[str, ...]) -> dt.datetime | None:
    """The date, and the time of day if there is such a column, of one row."""
    if not columns:
        return None
    parts = [row[column] for column in columns]
    if isinstance(parts[0], dt.datetime):
        clock = parts[1] if len(parts) > 1 else dt.time()
        return dt.datetime.combine(parts[0].date(), clock)
    text = " ".join(str(part) for part in parts)
    for word, number in MONTHS.items():
        text = text.replace(word, number)
    forms = (form,) if isinstance(form, str) else form
    return next(found for one in forms if (found := parsed(text, one)) is not None)


def parsed(text: str, form: str) -> dt.datetime | None:
    try:
        return dt.datetime.strptime(text, form)
    except ValueError:
        return None


def events(
    rows: list[Row],
    winner: str = "winner",
    loser: str = "loser",
    when: tuple[str, ...] = ("date",),
    form: str | tuple[str, ...] = DAY,
    draw: str = "",
    count: str = "",
    names: dict[str, str] | None = None,
    leave_out: tuple[str, ...] = (),
) -> Iterator[Contest]:
    """One contest per row; rows without a loser, with itself or with a name to leave out are not."""
    for row in rows:
        one, other = (str((names or {}).get(row[side], row[side])) for side in (winner, loser))
        if one == other or not other or {one, other} & set(leave_out):
            continue
        tie = bool(draw) and row[draw] in ("x", "X", "sim")
        for _ in range(int(row[count]) if count else 1):
            yield one, other, moment(row, when, form), tie


def sides(
    rows: list[Row],
    a: str,
    b: str,
    outcome: str,
    when: tuple[str, ...] = ("date",),
    ties: tuple[str, ...] = ("tie", "both", "tie (bothbad)"),
) -> Iterator[Contest]:
    """Two sides and a column that names one of them, its column, or the result of the first."""
    for row in rows:
        one, other, cell = row[a], row[b], row[outcome]
        if cell in ties:
            result = "tie"
        elif cell in (one, "initiator", "won", "model_a"):
            result = "first"
        elif cell in (other, "receiver", "lost", "model_b"):
            result = "second"
        elif cell in UNDECIDED:
            continue
        else:
            raise ValueError(cell)
        first, second, tie = oriented(one, other, result)
        yield first, second, moment(row, when, DAY), tie


def games(
    rows: list[Row],
    labels: tuple[str, str, str, str],
    when: tuple[str, ...] = ("Date",),
    form: str = DAY,
) -> Iterator[Contest]:
    """Two sides with points; games without points have not been played."""
    for row in rows:
        one, other, *points = (row[label] for label in labels)
        if points == ["", ""]:
            continue
        score, against = (float(point.replace(",", ".")) for point in points)
        result = "tie" if score == against else "first" if score > against else "second"
        first, second, tie = oriented(one, other, result)
        yield first, second, moment(row, when, form), tie


def scores(
    rows: list[Row], one: str, other: str, column: str, form: str = DAY
) -> Iterator[Contest]:
    """Points of both sides in one cell; halves are written as 1/2."""
    for row in rows:
        row["first"], row["second"] = row[column].replace("1/2", "0.5").split("-")
    when = ("Date",) if "Date" in rows[0] else ("date",)
    return games(rows, (one, other, "first", "second"), when, form)


def cells(rows: list[Row], *columns: str) -> Iterator[Contest]:
    """Contests such as A > B."""
    for row, column in itertools.product(rows, columns):
        for sign, result in ((">", "first"), ("<", "second"), ("=", "tie")):
            if sign in row[column]:
                one, other = (name.strip() for name in row[column].split(sign))
                first, second, tie = oriented(one, other, result)
                yield first, second, moment(row, ("date",), DAY), tie


def square(rows: list[Row], corner: str = "") -> Iterator[Contest]:
    """Wins of the individual of the row over that of the column; totals are no individuals."""
    individuals = [row[corner] for row in rows if row[corner] not in ("Total", "sum")]
    for row, other in itertools.product(rows, individuals):
        if row[corner] in individuals and row[corner] != other:
            for _ in range(int(row[other])):
                yield row[corner], other, None, False


def coalitions(rows: list[Row]) -> Iterator[Contest]:
    """Each winner of a cell won against each loser."""
    for row in rows:
        both = [row[side].replace("&", ",").split(",") for side in ("winner", "loser")]
        for one, other in itertools.product(*both):
            yield one.strip(), other.strip(), moment(row, ("date",), DAY), False


def repeated_dates(rows: list[Row]) -> list[Row]:
    """A blank date is that of the row above."""
    for above, row in itertools.pairwise(rows):
        row["date"] = row["date"] or above["date"]
    return rows


def boris(rows: list[Row]) -> Iterator[Contest]:
    """Whoever displaces wins, whoever flees loses; the time is in seconds of the observation."""
    for row in rows:
        if row["Behavior"] not in ("displace", "flee"):
            continue
        one, other = row["Subject"], row["Modifier #1"]
        start = dt.datetime.fromisoformat(row["Observation date"])
        result = "first" if row["Behavior"] == "displace" else "second"
        first, second, tie = oriented(one, other, result)
        yield first, second, start + dt.timedelta(seconds=float(row["Time"])), tie


def header_of_two_rows(name: str) -> list[Row]:
    """The first and third column are names; the second row of the header is no data."""
    return [
        {"winner": row["Winner"], "loser": row["Loser"], "date": row["Date"]}
        for row in of_workbook(name)[1:]
    ]


def with_text_dates(name: str) -> list[Row]:
    """Real dates and texts in one column."""
    rows = of_workbook(name)
    for row in rows:
        if isinstance(row["date"], str):
            row["date"] = parsed(row["date"], DAY) or parsed(row["date"], "%d %B %Y")
    return rows


def days_of_excel(rows: list[Row]) -> Iterator[Contest]:
    """Day 1 is 1 January 1900, and Excel has a 29 February in that year."""
    for row in rows:
        day = dt.datetime(1899, 12, 30) + dt.timedelta(days=int(row["date"]))
        yield row["winner"], row["loser"], day, False


def joined_dates(name: str) -> list[Row]:
    """Day, month and year in three columns."""
    rows = of_text(name)
    for row in rows:
        row["date"] = f"{row['year']}-{row['month']}-{row['day']}"
    return rows


KNOWN: dict[str, Callable[[str], Iterator[Contest]]] = {
    "plain.csv": lambda name: events(of_text(name)),
    "tabs.tsv": lambda name: events(of_text(name, "\t"), "Winner", "Loser", ("Date",)),
    "german.csv": lambda name: events(
        of_text(name, ";"), "Gewinner", "Verlierer", ("Datum", "Uhrzeit"), "%d.%m.%Y %H:%M"
    ),
    "french.csv": lambda name: events(
        of_text(name, ";"), "gagnant", "perdant", ("date", "heure"), f"{DAY} %H:%M"
    ),
    "spanish.csv": lambda name: events(of_text(name), "ganador", "perdedor", ("fecha",)),
    "portuguese.csv": lambda name: events(
        of_text(name, ";"), "vencedor", "perdedor", ("data",), draw="empate"
    ),
    "title_rows.csv": lambda name: events(of_text(name, header=4)),
    "initiator_receiver_winner.csv": lambda name: sides(
        of_text(name), "initiator", "receiver", "winner"
    ),
    "initiator_or_receiver.csv": lambda name: sides(
        of_text(name), "Initiator", "Receiver", "Winner", ("Date",)
    ),
    "focal_partner_outcome.csv": lambda name: sides(
        of_text(name, ";"), "focal", "partner", "outcome"
    ),
    "actor_recipient.csv": lambda name: events(of_text(name), "actor", "recipient"),
    "polyadic.csv": lambda name: coalitions(of_text(name, ";")),
    "arrows.csv": lambda name: cells(of_text(name), "contest"),
    "arrows_by_session.csv": lambda name: cells(of_text(name), "morning", "evening"),
    "draw_ticks.csv": lambda name: events(of_text(name), draw="draw"),
    "date_once.csv": lambda name: events(repeated_dates(of_text(name))),
    "dates_in_time.csv": lambda name: events(of_text(name), when=("time",)),
    "twelve_hour.csv": lambda name: events(
        of_text(name), "Winner", "Loser", ("Date", "Time"), f"{DAY} %I:%M %p"
    ),
    "us_dates.csv": lambda name: events(of_text(name), "Winner", "Loser", ("Date",), "%m/%d/%Y"),
    "unclear_dates.csv": lambda name: events(
        of_text(name), "Winner", "Loser", ("Date",), "%d/%m/%Y"
    ),
    "two_date_styles.csv": lambda name: events(of_text(name), form=(DAY, "%d %b %Y")),
    "spaces.csv": lambda name: events(of_text(name)),
    "case.csv": lambda name: events(of_text(name), names={"abby": "Abby"}),
    "unknown_names.csv": lambda name: events(of_text(name), leave_out=("unknown", "?")),
    "groups.csv": lambda name: events(of_text(name)),
    "counts.csv": lambda name: events(of_text(name), when=(), count="number"),
    "matrix_totals.csv": lambda name: square(of_text(name)),
    "matrix_dots.csv": lambda name: square(of_text(name, ";"), "id"),
    "games.csv": lambda name: games(
        of_text(name), ("HomeTeam", "AwayTeam", "HomeScore", "AwayScore")
    ),
    "football.csv": lambda name: games(
        of_text(name), ("HomeTeam", "AwayTeam", "FTHG", "FTAG"), form="%d/%m/%Y"
    ),
    "team1_score1.csv": lambda name: games(
        of_text(name), ("team1", "team2", "score1", "score2"), ("date",)
    ),
    "arena.jsonl": lambda name: sides(
        [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()],
        *("model_a", "model_b", "winner", ()),
    ),
    "votes.csv": lambda name: sides(of_text(name), "model_a", "model_b", "winner", ()),
    "umlauts.csv": lambda name: events(of_text(name, ";", "cp1252")),
    "unicode_text.txt": lambda name: events(of_text(name, "\t", "utf-16")),
    "excel_utf8.csv": lambda name: events(of_text(name)),
    "commas_in_names.csv": lambda name: events(of_text(name)),
    "ear_tags.csv": lambda name: events(of_text(name)),
    "blank_rows.csv": lambda name: events(of_text(name)),
    "serial_dates.csv": lambda name: days_of_excel(of_text(name)),
    "missing_loser.csv": lambda name: events(of_text(name)),
    "same_twice.csv": lambda name: events(of_text(name)),
    "two_winner_columns.csv": lambda name: events(of_text(name)),
    "real_dates.xlsx": lambda name: events(of_workbook(name)),
    "info_first.xlsx": lambda name: events(of_workbook(name, ("Contests",))),
    "two_years.xlsx": lambda name: events(of_workbook(name, ("2020", "2021"))),
    "title_rows.xlsx": lambda name: events(of_workbook(name, header=3)),
    "merged_header.xlsx": lambda name: events(header_of_two_rows(name)),
    "mixed_dates.xlsx": lambda name: events(with_text_dates(name)),
    "date_and_time.xlsx": lambda name: events(of_workbook(name), when=("date", "time")),
    "totals_matrix.xlsx": lambda name: square(of_workbook(name, ("wins",))),
    "boris_tabular.tsv": lambda name: boris(of_text(name, "\t")),
    "station.db": lambda name: events(of_database(name)),
    "german_months.csv": lambda name: events(
        of_text(name, ";"), "Gewinner", "Verlierer", ("Datum",), ("%d. %m %Y",)
    ),
    "decimal_commas.csv": lambda name: games(
        of_text(name, ";"), ("Heim", "Gast", "home_points", "away_points"), ("Datum",), "%d.%m.%Y"
    ),
    "both_bad.csv": lambda name: sides(of_text(name), "model_a", "model_b", "winner", ()),
    "look_alike.csv": lambda name: events(of_text(name), names={"\u0410bby": "Abby"}),
    "zero_width.csv": lambda name: events(of_text(name), names={"Abby\u200b": "Abby"}),
    "day_month_year.csv": lambda name: events(joined_dates(name)),
    "years.csv": lambda name: events(of_text(name), when=("year",), form="%Y"),
    "both_tie.csv": lambda name: sides(of_text(name), "individual1", "individual2", "winner"),
    "header_in_capitals.csv": lambda name: events(
        of_text(name, ";"), "WINNER.ID", "Loser ID", ("DATE",)
    ),
    "chess.csv": lambda name: scores(of_text(name), "White", "Black", "Result", "%Y.%m.%d"),
    "score_cell.csv": lambda name: scores(of_text(name), "home", "away", "score"),
    "football_odds.csv": lambda name: games(
        of_text(name), ("HomeTeam", "AwayTeam", "FTHG", "FTAG"), ("Date", "Time"), "%d/%m/%y %H:%M"
    ),
    "tennis.csv": lambda name: events(
        of_text(name), "winner_name", "loser_name", ("tourney_date",), "%Y%m%d"
    ),
    "preferences.csv": lambda name: events(of_text(name), "chosen", "rejected", ()),
    "quoted.csv": lambda name: events(of_text(name, ";")),
    "short_years.csv": lambda name: events(of_text(name), form="%d/%m/%y"),
    "hens.xlsx": lambda name: events(
        [row for row in of_workbook(name, ("Tabelle1",), 3) if row["Datum"]],
        "Sieger",
        "Verlierer",
        ("Datum", "Uhrzeit"),
    ),
    "french_parts.csv": lambda name: events(
        of_text(name, ";"), "gagnant", "perdant", ("jour", "mois", "année"), "%d %m %Y"
    ),
    "hidden_rows.xlsx": lambda name: events(of_workbook(name, header=3)),
    "merged_title.xlsx": lambda name: events(of_workbook(name, header=2)),
    "numbers_as_text.xlsx": lambda name: events(of_workbook(name), when=(), count="count"),
    "blank_columns_left.xlsx": lambda name: events(of_workbook(name, header=3)),
}


def contests_known(name: str) -> list[Contest]:
    """The contests of a file, in the order of their dates and, within a date, of the file."""
    found = list(KNOWN[name](name))
    return sorted(found, key=lambda contest: contest[2] or dt.datetime.min)
