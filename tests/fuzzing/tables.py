"""Odd tables: ordinary ones, changed in the ways in which people, programs and disks change them."""

import datetime as dt
import gzip
import io

import numpy as np
import polars as pl

from tests.fuzzing.odd import DATE_FORMS, ENCODINGS, HEADERS, NAMES, ODD_CELLS

Table = list[list[str]]


def pick(rng, choices):
    """One of the choices."""
    return choices[int(rng.integers(len(choices)))]


def maybe(rng, chance):
    """True with this probability."""
    return bool(rng.random() < chance)


def dates(rng, number: int) -> list[str]:
    """Dates in one of the usual forms, mostly in order."""
    start = dt.datetime(2009, 1, 1) + dt.timedelta(days=int(rng.integers(0, 4000)))
    days = np.sort(rng.integers(0, 400, number)) if maybe(rng, 0.8) else rng.integers(0, 9, number)
    moments = [start + dt.timedelta(days=int(d), minutes=int(rng.integers(1440))) for d in days]
    form = pick(rng, DATE_FORMS)
    return [moment.strftime(form) for moment in moments]


def events(rng) -> Table:
    """A list of contests with some of the optional columns."""
    number, names = int(rng.integers(1, 40)), NAMES[: int(rng.integers(2, 9))]
    pairs = [rng.choice(len(names), 2, replace=False) for _ in range(number)]
    columns = {
        "winner": [names[i] for i, _ in pairs],
        "loser": [names[j] for _, j in pairs],
    }
    more = {
        "date": lambda: dates(rng, number),
        "time": lambda: [f"{rng.integers(24)}:{rng.integers(60):02}" for _ in pairs],
        "draw": lambda: [pick(rng, ("0", "1")) for _ in pairs],
        "context": lambda: [pick(rng, ("fight", "displace", "")) for _ in pairs],
        "group": lambda: [pick(rng, ("north", "south")) for _ in pairs],
        "season": lambda: [pick(rng, ("1", "2")) for _ in pairs],
        "count": lambda: [str(rng.integers(0, 5)) for _ in pairs],
        "home": lambda: [pick(rng, ("winner", "loser", "neutral")) for _ in pairs],
        "notes": lambda: [pick(rng, ODD_CELLS) for _ in pairs],
    }
    for name, made in more.items():
        if maybe(rng, 0.25):
            columns[name] = made()
    if maybe(rng, 0.1):
        columns["winner_points"] = [str(rng.integers(2, 5)) for _ in pairs]
        columns["loser_points"] = [str(rng.integers(0, 3)) for _ in pairs]
    return as_rows(columns)


def games(rng) -> Table:
    """Games with home and away sides."""
    number, names = int(rng.integers(1, 30)), NAMES[: int(rng.integers(2, 7))]
    pairs = [rng.choice(len(names), 2, replace=False) for _ in range(number)]
    return as_rows(
        {
            "date": dates(rng, number),
            "home": [names[i] for i, _ in pairs],
            "away": [names[j] for _, j in pairs],
            "home_points": [str(rng.integers(0, 5)) for _ in pairs],
            "away_points": [str(rng.integers(0, 5)) for _ in pairs],
            **(
                {"neutral": [pick(rng, ("0", "1", "yes")) for _ in pairs]}
                if maybe(rng, 0.3)
                else {}
            ),
        }
    )


def votes(rng) -> Table:
    """Comparisons with an outcome."""
    number = int(rng.integers(1, 20))
    pairs = [rng.choice(4, 2, replace=False) for _ in range(number)]
    return as_rows(
        {
            "a": [NAMES[i] for i, _ in pairs],
            "b": [NAMES[j] for _, j in pairs],
            "outcome": [pick(rng, ("a", "b", "tie")) for _ in pairs],
        }
    )


def sides(rng) -> Table:
    """Two sides under various headings, with or without a column that says who won."""
    number = int(rng.integers(1, 20))
    pairs = [rng.choice(5, 2, replace=False) for _ in range(number)]
    headings = pick(
        rng,
        (
            *(("Initiator", "Receiver", "Winner"), ("actor", "recipient", "outcome")),
            *(("focal", "partner", "result"), ("individual1", "individual2", "winner")),
        ),
    )
    styles = (lambda i, j: NAMES[pick(rng, (i, j))], lambda i, j: pick(rng, ("won", "lost", "tie")))
    style = pick(rng, styles)
    rows = [[NAMES[i], NAMES[j], style(i, j)] for i, j in pairs]
    width = 2 if maybe(rng, 0.2) else 3
    return [list(headings[:width]), *(row[:width] for row in rows)]


def arrows(rng) -> Table:
    """Contests such as A > B in one or two columns."""
    number, width = int(rng.integers(1, 15)), int(rng.integers(1, 3))

    def cell():
        i, j = rng.choice(5, 2, replace=False)
        return f"{NAMES[i]}{pick(rng, (' > ', ' < ', ' = ', '>', ' beats ', ' → '))}{NAMES[j]}"

    rows = [[cell() for _ in range(width)] for _ in range(number)]
    return [[f"fight {i}" for i in range(width)], *rows]


def coalitions(rng) -> Table:
    """Winners and losers, some of them several individuals."""
    number = int(rng.integers(1, 15))

    def side(members):
        return pick(rng, (", ", " & ", "/", " and ")).join(NAMES[i] for i in members)

    rows = []
    for _ in range(number):
        order, cut = rng.permutation(5), int(rng.integers(1, 3))
        rows.append([side(order[:cut]), side(order[cut : cut + int(rng.integers(1, 3))])])
    return [["winner", "loser"], *rows]


def matrix(rng) -> Table:
    """A square table of wins, with or without names, and sometimes with totals."""
    size = int(rng.integers(1, 8))
    names = list(NAMES[:size])
    wins = rng.integers(0, 6, (size, size))
    np.fill_diagonal(wins, 0)
    body = [[str(n) for n in row] for row in wins]
    if maybe(rng, 0.2):
        return body
    if maybe(rng, 0.2):
        sums = [str(n) for n in wins.sum(axis=0)]
        body = [[*row, str(n)] for row, n in zip(body, wins.sum(axis=1), strict=True)]
        body, names = [*body, [*sums, pick(rng, ("", str(wins.sum())))]], [*names, "Total"]
    return [["", *names], *([name, *row] for name, row in zip(names, body, strict=True))]


def presence(rng) -> Table:
    """Presence data in one of the three layouts."""
    if maybe(rng, 0.4):  # everybody, always
        return as_rows({"id": list(NAMES), "start": ["1990-01-01"] * 8, "end": [""] * 8})
    names = NAMES[: int(rng.integers(1, 9))]
    layout = pick(rng, ("intervals", "daily", "census"))
    if layout == "intervals":
        start = [f"200{rng.integers(0, 9)}-01-01" for _ in names]
        end = [pick(rng, ("", "2030-01-01", "2012-01-01", "NA")) for _ in names]
        return as_rows({"individual": list(names), "start": start, "end": end})
    days = [f"2009-01-{d:02}" for d in range(1, int(rng.integers(2, 15)))]
    if layout == "daily":
        return as_rows(
            {"date": days, **{n: [pick(rng, ("0", "1", "1")) for _ in days] for n in names}}
        )
    rows = [(day, name) for day in days for name in names if maybe(rng, 0.8)]
    return [["date", "individual"], *map(list, rows)]


KINDS = (events, events, events, games, votes, matrix, sides, arrows, coalitions)


def as_rows(columns: dict[str, list[str]]) -> Table:
    """A header and rows from columns."""
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def mutated(rng, table: Table) -> Table:
    """The table with a few changes of cells, rows, columns or headers."""
    table = [list(row) for row in table]
    for _ in range(pick(rng, (0, 0, 0, 1, 1, 2, 4))):
        pick(rng, CHANGES)(rng, table)
    return table


def _cell(rng, table):
    row = pick(rng, table)
    if row:
        row[int(rng.integers(len(row)))] = pick(rng, ODD_CELLS)


def _column_of_odd_cells(rng, table):
    place = int(rng.integers(max(1, len(table[0]))))
    odd = pick(rng, ODD_CELLS)
    for row in table[1:]:
        if place < len(row):
            row[place] = odd if maybe(rng, 0.7) else pick(rng, ODD_CELLS)


def _header(rng, table):
    if table[0]:
        table[0][int(rng.integers(len(table[0])))] = pick(rng, HEADERS)


def _drop_row(rng, table):
    if len(table) > 1:
        del table[int(rng.integers(len(table)))]


def _drop_column(rng, table):
    place = int(rng.integers(max(1, len(table[0]))))
    for row in table:
        del row[place : place + 1]


def _twin_column(rng, table):
    place = int(rng.integers(max(1, len(table[0]))))
    for row in table:
        row += row[place : place + 1]


def _twin_row(rng, table):
    table.append(list(pick(rng, table)))


def _blank_row(rng, table):
    blank = [pick(rng, ("", " "))] * len(table[0])
    table.insert(int(rng.integers(len(table) + 1)), blank)


def _ragged(rng, table):
    pick(rng, table).append(pick(rng, ODD_CELLS))


def _shuffle(rng, table):
    body = table[1:]
    table[1:] = [body[i] for i in rng.permutation(len(body))]


def _only_header(rng, table):
    del table[1:]


def _wide(rng, table):
    number = int(rng.integers(10, 300))
    for i, row in enumerate(table):
        row += [f"c{j}" if i == 0 else "1" for j in range(number)]


CHANGES = (
    *(_cell, _cell, _cell, _cell, _column_of_odd_cells, _header, _drop_row, _drop_column),
    *(_twin_column, _twin_row, _blank_row, _ragged, _shuffle, _only_header, _wide),
)


def as_text(rng, table: Table) -> bytes:
    """The table as the bytes of a text file, quoted or not, in some encoding."""
    separator = pick(rng, (",", ",", ",", ";", "\t", "|"))
    ending = pick(rng, ("\n", "\n", "\r\n", "\r"))
    quote = maybe(rng, 0.5)

    def cell(text):
        special = any(sign in text for sign in (separator, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if quote and special else text

    text = ending.join(separator.join(map(cell, row)) for row in table)
    if maybe(rng, 0.8):
        text += ending
    if maybe(rng, 0.05):
        text = f"sep={separator}{ending}{text}"
    raw = text.encode(pick(rng, ENCODINGS) if maybe(rng, 0.2) else "utf-8", errors="replace")
    return gzip.compress(raw) if maybe(rng, 0.1) else raw


def as_workbook(rng, table: Table) -> bytes:
    """The table as an Excel workbook, some cells as numbers, some far out."""
    from openpyxl import Workbook

    book = Workbook()
    page = book.active
    for i, row in enumerate(table, start=1):
        for j, text in enumerate(row, start=1):
            clean = "".join(sign for sign in text if sign >= " ")[:1000]
            value = (
                float(clean) if clean.isascii() and clean.isdigit() and len(clean) < 9 else clean
            )
            cell = page.cell(i, j, value if clean else None)
            if isinstance(value, str):
                cell.data_type = "s"
    if maybe(rng, 0.03):
        page.cell(int(pick(rng, (1000, 60_000))), int(pick(rng, (1, 30, 16_384))), "stray")
    if maybe(rng, 0.1):
        book.create_sheet("more")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_parquet(rng, table: Table) -> bytes:
    """The table as a Parquet file, its columns in various types."""
    file = io.BytesIO()
    as_frame(rng, table, nested=False).write_parquet(file)
    return file.getvalue()


TYPES = (
    *(pl.String, pl.Categorical, pl.Binary, pl.Boolean, pl.Null, pl.Decimal(10, 2)),
    *(pl.Float64, pl.Float32, pl.Int64, pl.Int16, pl.Int8, pl.UInt8, pl.UInt64),
    *(pl.Date, pl.Datetime("us"), pl.Datetime("ms", "Europe/Berlin"), pl.Duration, pl.Time),
)


def as_frame(rng, table: Table, *, nested: bool = True, plain: bool = False) -> pl.DataFrame:
    """The table as a polars DataFrame with columns of various types."""
    columns = {}
    for i, label in enumerate(table[0]):
        cells = [row[i] if i < len(row) else None for row in table[1:]]
        column = pl.Series(cells, dtype=pl.String)
        if not plain and maybe(rng, 0.1):
            try:
                column = column.cast(pick(rng, TYPES), strict=False)
            except pl.exceptions.PolarsError:
                column = pl.Series(cells, dtype=pl.String)
        if nested and not plain and maybe(rng, 0.03):
            column = pl.Series([[cell] for cell in cells])
        columns[label if label not in columns else f"{label}_{i}"] = column
    return pl.DataFrame(columns)


def as_python(rng, table: Table):
    """The table as an object of Python: a mapping, pairs, arrays, pandas or pyarrow."""
    form = pick(
        rng, ("mapping", "pairs", "array", "pandas", "pyarrow", "polars", "lazy", "numbers")
    )
    frame = as_frame(rng, [[label.replace("\0", "") for label in table[0]], *table[1:]])
    if form == "mapping":
        return {name: frame[name].to_list() for name in frame.columns}
    if form == "pairs":
        return [tuple(row[:2]) for row in table[1:]]
    if form == "array":
        width = min(map(len, table))
        return np.array([row[:width] for row in table[1:]], object)
    if form == "numbers":
        shape = tuple(rng.integers(0, 5, int(rng.integers(1, 4))))
        return rng.integers(-1, 4, shape) if maybe(rng, 0.5) else rng.normal(size=shape)
    if form == "pandas":
        return frame.to_pandas()
    if form == "pyarrow":
        return frame.to_arrow()
    return frame.lazy() if form == "lazy" else frame


def damaged(rng, raw: bytes) -> bytes:
    """The bytes with some changed, inserted or cut off."""
    raw = bytearray(raw)
    for _ in range(int(rng.integers(1, 6))):
        if not raw:
            break
        place = int(rng.integers(len(raw)))
        how = pick(rng, ("change", "change", "change", "cut", "insert", "zero"))
        if how == "change":
            raw[place] = int(rng.integers(256))
        elif how == "cut" and maybe(rng, 0.3):
            del raw[place:]
        elif how == "insert":
            raw[place:place] = rng.bytes(int(rng.integers(1, 9)))
        elif how == "zero":
            raw[place : place + 8] = bytes(min(8, len(raw) - place))
    return bytes(raw)
