"""Odd options of `read`: for each, values that fit, values that nearly fit, and any value at all."""

import inspect

import numpy as np

import peckorder as po
from tests.fuzzing import sheets, tables
from tests.fuzzing.odd import HEADERS, NAMES, ODD_CELLS, READING
from tests.fuzzing.tables import maybe, pick

SHEETS = (1, 2, 0, "*", "contests", "more", [1, 2], ["2019", 1], [], "contests$x", "Sheet", [1, 1])
CONDITIONS = (
    *("winner = 'Abe'", "date >= 2009-05-28", "count > 1 and not draw = 1", "behavior in ('bite')"),
    *("winner = ", "(((", "", "x == 1", "winner = 'a' or", '`winner` != "Bo"', "count < 1e999"),
    *("date < 2009", "not not not winner = 1", "winner in ()", "a = 'a", "\x1b[31m = 1", "1 = 1"),
    "(" * 60 + "a = 1" + ")" * 60,
)
QUERIES = (
    *(
        "SELECT * FROM contests",
        "SELECT winner, loser FROM contests ORDER BY date",
        "DELETE FROM x",
    ),
    *("SELECT 1", "", "none.sql", "SELECT * FROM contests WHERE winner = $1", "SELECT", "x;y"),
    *("DROP TABLE contests", "WITH c AS (SELECT 1) SELECT * FROM c", "PRAGMA table_info(contests)"),
    "SELECT * FROM contests; DROP TABLE contests",
)
LIKELY = {
    "ignore": (["Abe"], "Abe", ["unknown", "?"], NAMES, [None], [["Abe"]], np.array(["Abe", "Bo"])),
    "where": CONDITIONS,
    "polyadic": ("refuse", "dyads", "drop", "keep"),
    "undecided": ("drop", "tie"),
    "fill_down": ("date", ["date", "winner"], "winner", [], ["date", "date"], "x"),
    "sheet": SHEETS,
    "header": (1, 2, "1-2", "3-4", "2-1", [1, 2], (2, 3), "1-", "x-y", -1, 10**9, "1-99", [1, 9]),
    "query": QUERIES,
    "parameters": (["Abe"], [1], [], [None], [object()], "Abe", [float("nan")], [2**70], [b"x"]),
    "glob": (True, False, 1, "yes"),
    "winner_behaviors": ("bite", ["bite", "chase"], "bite,chase", ["x"], [], [""], {"bite": 1}),
    "loser_behaviors": ("flee", ["flee", "submit"], "bite", [], ["x"]),
    "other": ("recipient", "Modifiers", "subject", "x", ""),
    "date_format": ("%d/%m/%Y", "%Q", "excel", "excel-1904", "number", "%", "%Y-%m-%d %H:%M"),
    "individuals": (NAMES, NAMES[:3], ["Abe", "Abe"], [1, 2, 3], [None], np.arange(4)),
    "separator": (",", ";", "\t", "", "ab", "\n", '"', "é"),
    "encoding": ("utf-8", "latin-1", "utf-16", "punycode", "x", "", "rot13", "base64"),
    "kind": ("events", "matrix", "games", "votes", "arrows", "daily", "intervals", "census"),
    "missing": ("drop", "refuse"),
    "self_contests": ("drop", "refuse"),
    "within": (
        0,
        1,
        5,
        "2s",
        "1.5 min",
        "500ms",
        -1,
        "x",
        float("nan"),
        1e300,
        np.timedelta64(2, "s"),
    ),
    "min_stay": (0, 1, "2s", -1, "1h"),
    "merge": (None, 0, 2, "5s", "x"),
    "missing_end": ("refuse", "start", "drop"),
    "overlap": ("omit", "count", "refuse"),
    "thresholds": ([1, 2, 5], ["1s", "2s"], [], [1, 1], [5, 1], "1s,2s", [float("inf")], [0]),
}
NAMES_GIVEN = ({"abe": "Abe"}, {"Abe": "Bo"}, {"Abe": "Bo", "Bo": "Abe"}, {"x": ""}, {1: 2}, {})
COLUMNS = ("winner", "loser", "date", "time", "draw", "context", "group", "season", "count", "home")


def options_of(rng, function, most: int = 3) -> dict:
    """A few options of a function that reads, mostly values that belong to them."""
    names = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind == parameter.KEYWORD_ONLY and name != "stream"
    ]
    usual = {n: "drop" for n in ("self_contests", "missing") if n in names and maybe(rng, 0.5)}
    chosen = {pick(rng, names) for _ in range(min(most, pick(rng, (0, 0, 1, 1, 1, 2, 3))))}
    return usual | {name: _value(rng, name) for name in sorted(chosen)}


def _value(rng, name: str):
    draw = rng.random()
    if name == "names" and draw < 0.8:
        return pick(rng, NAMES_GIVEN) if draw < 0.4 else tables.as_python(rng, sheets.aliases(rng))
    if name == "presence" and draw < 0.8:
        made = pick(rng, (tables.presence, sheets.presence))(rng)
        return tables.as_python(rng, tables.mutated(rng, made))
    if name in LIKELY and draw < 0.75:
        return pick(rng, LIKELY[name])
    if draw < 0.85:
        return pick(rng, (*HEADERS, *COLUMNS, False))
    return pick(rng, (*READING, *ODD_CELLS))


def read_oddly(rng, source) -> po.Contests:
    """`read` with odd options."""
    return po.read(source, **options_of(rng, po.read))
