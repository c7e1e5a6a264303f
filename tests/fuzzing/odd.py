"""Odd values: names, cells, headers, arguments and options that people and programs produce."""

import math

import numpy as np

NAMES = ("Abe", "Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal")
_PLAIN = (
    "NA nan None 1 1.0 01 - a,b =1+1 Åsa 😀 é 0 true null abe [red] $x$ <b> {0} %s 9007199254740993"
)
ODD_NAMES = (
    *_PLAIN.split(),
    *(
        "",
        " ",
        'say "hi"',
        "\u202eBo",
        "Abe\x1b[31m",
        "a\nb",
        "a\tb",
        "x" * 3000,
        "e\u0301",
        "\ufeff",
    ),
    *("\x00", " Abe", "Abe ", "\x9b2J", "<script>alert(1)</script>", "[/red]"),
)
_NUMBERS = (
    "1_0 1e5 1e400 -1 0.5 1,5 inf NaN ٣ 2009 39961 50000000 99999999999999999999 .. #REF! #N/A"
)
_DATES = (
    "2009-02-30 2009-05-28 05/06/2009 28.5.2009 2009-05-28T10:00:00Z 12:60 20090528 0001-01-01 "
    "9999-12-31 10000-01-01"
)
ODD_CELLS = (
    *ODD_NAMES,
    *_NUMBERS.split(),
    *_DATES.split(),
    *["yes", "no", "W", "L", "T", "tie", "TRUE"],
    *("9" * 400, "2009-05-28 25:00", "28 May 2009"),
)
HEADERS = (
    *[
        "winner",
        "loser",
        "LOSER",
        "actor",
        "date",
        "time",
        "day",
        "month",
        "year",
        "draw",
        "count",
        "context",
        "group",
        "season",
        "home",
    ],
    *[
        "away",
        "home_points",
        "away_points",
        "a",
        "b",
        "outcome",
        "winner_points",
        "loser_points",
        "neutral",
    ],
    *["individual", "start", "end", "id", "Initiator", "receiver", "team1", "team2", "score1"],
    *("Winner ", "", "x" * 500, "\x1b[2J"),
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32", "cp437")
DATE_FORMS = (
    *("%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"),
    *("%Y-%m-%dT%H:%M:%SZ", "%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%d", "%d %B %Y", "%j", "%d.%m.%y"),
)
# Values of arguments.
ODD_VALUES = (
    *(None, True, False, -1, 0, 1, 2, 3, 0.5, 1.5, -0.0, 1e308, 10**30, 10**400),
    *(math.inf, -math.inf, math.nan, np.float64(0.3), np.int64(2), object(), b"x"),
    *([], {}, (), (1, 2), (1, 2, 3), ["Abe", "Bo"], ["a", "b"], {"a": 1}),
    *({"Abe": 1000.0, "Bo": 900}, {"fight": 10, "displace": 5}),
    *(np.zeros(3), np.array([[0, 1], [2, 0]]), np.datetime64("2009-05-28")),
    *("", "2009-05-28", "2001"),
    *[
        "x",
        "Abe",
        "b",
        "a",
        "half",
        "omit",
        "present",
        "median",
        "random",
        "mean",
        "week",
        "logistic",
        "normal",
        "table",
        "fide",
    ],
    *["estimate", "context", "inferred", "all"],
)
READING = (
    *ODD_VALUES,
    *HEADERS,
    *["events", "matrix", "games", "votes", "arrows", "drop", "dyads", "%d/%m/%Y", "%Q", ";"],
)
SHELL_VALUES = (
    *HEADERS,
    *[
        "1",
        "-1",
        "0",
        "0.5",
        "nan",
        "inf",
        "1e400",
        "1_0",
        "x",
        "2009-05-28",
        "Abe=1,Bo=2",
        "a,b",
        "100,50",
        ";",
        "\\t",
        "utf-16",
        "latin-1",
    ],
    *["punycode", "%d/%m/%Y", "fide", "inferred", "none.csv", "Abe", "99999999999999999999"],
    "\x1b[31m",
)
