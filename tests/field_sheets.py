"""Sheets with a trap, by family, and how they are read: python -m tests.field_sheets [FAMILY].

Each case is a sheet as people keep it, the contests that a person reads from it, and the arguments
(`remedy`) that settle what the sheet leaves open. A case is

- right: the contests are those that a person reads;
- named: read otherwise, with a doubt or warning that names the trap (`trap`, a regular expression);
- refused: an error;
- WRONG: read otherwise in silence.

The first remedy that a message offers is applied too: the first choice of every doubt, or the
first arguments written in an error.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import peckorder as po
from peckorder.data.recipe import Recipe
from peckorder.errors import PeckorderError
from tests.field_document import FOLDER, entries

NAMES = ("Abby", "Bella", "Cora", "Dan", "Eve", "Fay")
Fight = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A sheet, and what a person reads from it."""

    family: str
    habit: str
    source: Any  # text of a file, bytes of a workbook, or an object
    wanted: list[tuple]  # (winner, loser), or (winner, loser, "tie")
    remedy: dict[str, Any] = field(default_factory=dict)
    trap: str = ""
    ordered: bool = True
    groups: list[str] | None = None  # of each contest
    suffix: str = ".csv"
    clean: bool = False  # nothing to ask
    unreadable: bool = False  # nobody can read contests from it: to be refused
    after: list[tuple] | None = None  # after the remedy, if it leaves rows out

    def opened(self, folder: Path) -> Any:
        """The source as it is given to `read`."""
        if not isinstance(self.source, str | bytes):
            return self.source
        path = folder / f"sheet{self.suffix}"
        raw = self.source if isinstance(self.source, bytes) else self.source.encode()
        path.write_bytes(raw)
        return path


def fights(n: int = 24, names: tuple[str, ...] = NAMES, seed: int = 1) -> list[Fight]:
    """Contests of a steep hierarchy."""
    random, found = Random(seed), []
    for _ in range(n):
        one, other = sorted(random.sample(range(len(names)), 2))
        if random.random() < 0.1:
            one, other = other, one
        found.append((names[one], names[other]))
    return found


def days(n: int, per: int = 1, form: str = "2021-05-{:02d}") -> list[str]:
    """Dates, each `per` times."""
    return [form.format(1 + i // per) for i in range(n)]


def sheet(head: str, *columns: Any, sep: str = ",", above: str = "", below: str = "") -> str:
    """A table as text; a column is a list of cells or of tuples of cells."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sep, lineterminator="\n")
    if head:
        writer.writerow(head.split(","))
    for row in zip(*columns, strict=True):
        cells = []
        for cell in row:
            cells += cell if isinstance(cell, tuple) else [cell]
        writer.writerow(cells)
    return above + text.getvalue() + below


def workbook(head: str, rows: list[tuple], struck: tuple[int, ...] = ()) -> bytes:
    """An .xlsx file in which some rows are struck through."""
    import xlsxwriter

    raw = io.BytesIO()
    book = xlsxwriter.Workbook(raw, {"in_memory": True})
    page, line = book.add_worksheet(), book.add_format({"font_strikeout": True})
    page.write_row(0, 0, head.split(","))
    for number, row in enumerate(rows):
        page.write_row(number + 1, 0, row, line if number in struck else None)
    book.close()
    return raw.getvalue()


def square(names: tuple[str, ...], found: list[Fight], corner: str = "", above: str = "") -> str:
    """A table of wins, winners in rows."""
    number = Counter(found)
    rows = [(one, *(number[one, other] for other in names)) for one in names]
    return sheet(",".join([corner, *names]), rows, above=above)


def flip(found: list[Fight]) -> list[Fight]:
    return [(loser, winner) for winner, loser in found]


# ---- Groups --------------------------------------------------------------------------------------


def groups() -> Iterator[Case]:
    trap = "group|pooled|BF|same individuals|rank"
    heads = ["cage", "tank", "pen", "enclosure", "species", "aquarium", "arena", "Gehege", "Q7"]
    for seed, head in enumerate([*heads, "replicate", "nest box"], 3):
        ids = ("1", "2", "3", "4", "5")
        random = Random(seed)
        orders = [tuple(random.sample(ids, 5)) for _ in range(2 if head != "Q7" else 3)]
        found, label = [], []
        for number, order in enumerate(orders):
            own = fights(30, order, seed + number)
            found += own
            label += [("north", "south", "west")[number]] * len(own)
        places = list(range(len(found)))
        random.shuffle(places)  # rows of the groups alternate
        found, label = [found[i] for i in places], [label[i] for i in places]
        yield Case(
            *("groups", f"{head}, reused names", sheet(f"winner,loser,{head}", found, label)),
            *(found, {"group": head}, trap),
            groups=label,
        )
    found = [*fights(15, ("A1", "A2", "A3", "A4")), *fights(15, ("B1", "B2", "B3", "B4"))]
    label = ["a"] * 15 + ["b"] * 15
    yield Case(
        *("groups", "coop, own names", sheet("winner,loser,coop", found, label), found),
        *({"group": "coop"}, trap),
        groups=label,
    )
    found = fights(60)
    who = [("JK", "ML", "TS")[i % 3] for i in range(60)]
    yield Case("groups", "observer", sheet("winner,loser,observer", found, who), found, clean=True)
    who = [("sunny", "rain")[(i * 7) % 5 > 2] for i in range(60)]
    yield Case("groups", "weather", sheet("winner,loser,weather", found, who), found, clean=True)


# ---- Behaviors -----------------------------------------------------------------------------------


def behaviors() -> Iterator[Case]:
    kinds = [
        ("actor,receiver,behavior", ("chase", "bite"), ("avoid", "flee")),
        ("actor,recipient,behaviour", ("attack",), ("submit",)),
        ("giver,receiver,behavior", ("peck", "displace"), ("retreat",)),
        ("aggressor,victim,behavior", ("lunge",), ("displaced by",)),
        ("Initiator,Receiver,Behaviour", ("supplant",), ("crouch", "give way")),
        ("actor,target,act", ("threat", "hit"), ("fear grimace",)),
        ("focal,partner,event", ("aggression",), ("submission",)),
        ("Akteur,Empfänger,Verhalten", ("jagt", "pickt"), ("flieht",)),
        ("individual,other,behavior", ("chases",), ("is chased by",)),
        ("winner,loser,behavior", ("chase",), ("avoids",)),
        ("actor,receiver,interaction", ("A1", "A2"), ("S1",)),
        ("sender,receiver,behavior", ("horn", "butt"), ("withdraw",)),
    ]
    for seed, (head, won, lost) in enumerate(kinds):
        found = fights(40, seed=seed + 20)
        acts = [(*won, *lost)[i % (len(won) + len(lost))] for i in range(40)]
        sides = [pair[::-1] if act in lost else pair for pair, act in zip(found, acts, strict=True)]
        column = head.split(",")[2]
        remedy = {"winner_behaviors": [*won], "loser_behaviors": [*lost], "context": column}
        one, other, _ = head.split(",")
        remedy |= {"winner": one, "loser": other}
        yield Case(
            *("behaviors", f"{head}: {lost[0]}", sheet(head, sides, acts), found, remedy),
            *("behavi|wins|won|actor|direction|act",),
        )
    found = fights(30)
    acts = [("chase", "peck", "displacement")[i % 3] for i in range(30)]
    text = sheet("winner,loser,behavior", found, acts)
    yield Case("behaviors", "winner and loser named", text, found, clean=True)


# ---- Order ---------------------------------------------------------------------------------------


def _shuffled(n: int, seed: int) -> list[int]:
    places = list(range(n))
    Random(seed).shuffle(places)
    return places


def order() -> Iterator[Case]:
    trap = "order|time|date|hour|trial|column"
    found = fights(30, seed=4)
    dates = days(30, 5)

    def within(head: str, cell: Callable[[int], Any], remedy: dict | None = None, **more: Any):
        """Rows shuffled within days; a column has their order."""
        rows = [(d, *pair, cell(i)) for i, (d, pair) in enumerate(zip(dates, found, strict=True))]
        mixed = sorted(_shuffled(30, 2), key=lambda i: dates[i])
        text = sheet(f"date,winner,loser,{head}", [rows[i] for i in mixed])
        return Case("order", f"date, {head}", text, found, remedy or {}, trap, **more)

    yield within("hour", lambda i: 7 + 2 * (i % 5))
    yield within("minute", lambda i: 3 + 11 * (i % 5))
    yield within("trial", lambda i: 1 + i % 5)
    yield within("round", lambda i: 1 + i)
    yield within("seq", lambda i: 1 + i)
    yield within("obs no", lambda i: 101 + i)
    yield within("Q7", lambda i: f"{8 + i % 5:02d}:{(7 * i) % 60:02d}")
    yield within("Uhrzeit", lambda i: f"{8 + i % 5:02d}:{(7 * i) % 60:02d}")
    yield within("start", lambda i: f"{8 + i % 5}:{(7 * i) % 60:02d}:00")
    mixed = _shuffled(30, 5)

    def undated(habit: str, head: str, cell: Callable[[int], tuple]):
        rows = [(*pair, *cell(i)) for i, pair in enumerate(found)]
        text = sheet(f"winner,loser,{head}", [rows[i] for i in mixed])
        return Case("order", habit, text, found, {}, trap)

    yield undated("trial, no date", "trial", lambda i: (1 + i,))
    yield undated("match number", "match", lambda i: (1 + i,))
    yield undated("year and month", "year,month", lambda i: (2018 + i // 12, 1 + i % 12))
    yield undated("year and week", "year,week", lambda i: (2019 + i // 20, 1 + 2 * (i % 20)))
    yield undated("year and day", "year,day of year", lambda i: (2019 + i // 20, 5 + 9 * (i % 20)))
    yield undated("year and julian", "Year,Julian", lambda i: (2020, 100 + 3 * i))
    yield undated("ddmmyy", "date", lambda i: (f"{1 + i % 28:02d}{5 + i // 28:02d}21",))
    yield undated("yymmdd", "Date", lambda i: (f"21{5 + i // 28:02d}{1 + i % 28:02d}",))
    yield undated("session and number", "session,nr", lambda i: (1 + i // 10, 1 + i % 10))
    yield undated("date in 'when'", "when", lambda i: (f"2021-{5 + i // 28:02d}-{1 + i % 28:02d}",))


def dates() -> Iterator[Case]:
    found = fights(24, seed=6)
    iso = days(24)
    for habit, wrong in (("2102", "2102-05-07"), ("1921", "1921-05-07"), ("2001", "2001-05-07")):
        cells = [*iso[:6], wrong, *iso[7:]]
        yield Case(
            *("dates", f"a year is {habit}", sheet("date,winner,loser", cells, found), found),
            *({}, f"{habit}|year"),
            after=[*found[:6], *found[7:]],
        )
    cells = [f"0{d.split('-')[2]}.05.21"[-8:] for d in iso]
    cells[9] = "10.05.12"
    yield Case(
        *("dates", "a year is 12", sheet("date,winner,loser", cells, found), found, {}),
        "2012|year",
        after=[*found[:9], *found[10:]],
    )
    moment = [f"2021-05-{1 + i // 4:02d} {9 + 2 * (i % 4):02d}:30" for i in range(24)]
    for habit, places in (("one without a time", (6,)), ("five without a time", (3, 7, 9, 15, 18))):
        cells = [m[:10] if i in places else m for i, m in enumerate(moment)]
        text = sheet("date,winner,loser", cells, found)
        yield Case("dates", habit, text, found, {}, "time|midnight")
    cells = ["" if i in (6, 11) else m[11:] for i, m in enumerate(moment)]
    text = sheet("date,time,winner,loser", [m[:10] for m in moment], cells, found)
    yield Case("dates", "blank times", text, found, {}, "time")
    text = sheet("date,winner,loser", iso, found)
    yield Case("dates", "ISO", text, found, clean=True)
    text = sheet("date,winner,loser", moment, found)
    yield Case("dates", "times", text, found, clean=True)
    text = sheet("season,winner,loser", ["2019"] * 8 + ["2020"] * 8 + ["2021"] * 8, found)
    yield Case("dates", "season", text, found, clean=True)


# ---- Names ---------------------------------------------------------------------------------------


def names() -> Iterator[Case]:
    base = fights(30, seed=8)

    def odd(cell: str, meant: str | None = "Bella", habit: str = "", every: bool = False):
        """A cell in one or two rows; `meant` is the individual, or None to leave the row out."""
        found, rows, places = [], [], [i for i, pair in enumerate(base) if "Bella" in pair]
        chosen = places if every else places[3:4]
        for i, pair in enumerate(base):
            if i not in chosen:
                rows.append(pair)
                found.append(pair)
                continue
            rows.append(tuple(cell if name == "Bella" else name for name in pair))
            if meant is not None:
                found.append(tuple(meant if name == "Bella" else name for name in pair))
        remedy = {"ignore": [cell]} if meant is None else {"names": {cell: meant}}
        trap = re.escape(cell.strip())
        text = sheet("winner,loser", rows)
        return Case("names", habit or cell, text, found, remedy, trap)

    for mark in ("Bella*", "#Bella", "Bella?", "(Bella)", "'Bella'", "Bella x3", "Bella (bite)"):
        yield odd(mark)
    for mark in ("bella", "BELLA", "Bella.", "Bella!", "Bella (f)", "Bel la", "[Bella]", "Bélla"):
        yield odd(mark)
    for mark in ("draw", "tie", "juv", "female", "UNID", "several", "BYE", "unknown", "?", "none"):
        yield odd(mark, None)
    for mark in ("2 juvs", "Bella or Cora", "Bella/Cora", "unid. male", "all others", "nobody"):
        yield odd(mark, None)
    for mark in ("adult female", "subadult", "no winner", "not seen", "escaped", "XX"):
        yield odd(mark, None)
    ids = ("007", "012", "031", "104", "215")
    found = fights(30, ids, 3)
    rows = [tuple("7" if i == 11 and n == "007" else n for n in p) for i, p in enumerate(found)]
    place = next(i for i, p in enumerate(found) if "007" in p and i > 5)
    rows = [tuple("7" if i == place and n == "007" else n for n in p) for i, p in enumerate(found)]
    text = sheet("winner,loser", rows)
    yield Case("names", "007 and 7", text, found, {"names": {"7": "007"}}, '"0*7"')
    ids = ("1", "2", "3", "4", "5")
    found = fights(30, ids, 3)
    place = next(i for i, p in enumerate(found) if "1" in p and i > 5)
    rows = [tuple("1.0" if i == place and n == "1" else n for n in p) for i, p in enumerate(found)]
    text = sheet("winner,loser", rows)
    yield Case("names", "1.0 and 1", text, found, {"names": {"1.0": "1"}}, '1"|1.0')
    found = fights(30, ("Rex", "rex2", "Max Jr.", "Max", "O'Neil", "Zoë"))
    yield Case("names", "odd but right", sheet("winner,loser", found), found)
    found = fights(40, ("A", "B", "C", "D", "E", "F", "G"))
    yield Case("names", "letters", sheet("winner,loser", found), found, clean=True)
    found = fights(40, ("K12", "K13", "K21", "K31", "K32"))
    yield Case("names", "codes", sheet("winner,loser", found), found, clean=True)


# ---- Headers and footnotes -----------------------------------------------------------------------


def edges_of_tables() -> Iterator[Case]:
    found = fights(24, seed=9)
    header, foot = "headerless", "footnotes"
    trap = "header|first row|row 1"
    sides = {"winner": "column 1", "loser": "column 2"}
    yield Case(header, "two columns", sheet("", found), found, sides, trap)
    yield Case(header, "tabs", sheet("", found, sep="\t"), found, sides, trap, suffix=".tsv")
    yield Case(header, "date first", sheet("", days(24), found), found, sides, trap)
    yield Case(header, "arrows", "\n".join(f"{w} > {o}" for w, o in found) + "\n", found, {}, trap)
    yield Case(header, "semicolons", sheet("", found, sep=";"), found, sides, trap)
    names_ids = fights(24, ("101", "102", "103", "104"))
    yield Case(header, "numbers", sheet("", names_ids), names_ids, sides, trap)
    beats = "\n".join(f"{w} beats {o}" for w, o in found) + "\n"
    yield Case(header, "beats", beats, found, {}, trap, suffix=".txt")
    dated = sheet("date,winner,loser", days(24), found)
    for habit, below in (
        ("star", "* estimated from video,,\n"),
        ("blank row, note", ",,\nObserver: JK,,\n"),
        ("total", "Total,24,24\n"),
        ("source", "Source: field book 3,,\n"),
        ("short line", "n = 24 contests\n"),
        ("two notes", ",,\nNotes:,,\nBella was ill in May,,\n"),
        ("sum in words", "24 contests,,\n"),
    ):
        yield Case(foot, habit, dated + below, found, {}, "row|total|note|\\b2[5-8]\\b")
    undated = sheet("winner,loser", found)
    for habit, below in (
        ("total, undated", "Total,24\n"),
        ("end", "END,\n"),
        ("star, both cells", "* seen twice,* see notes\n"),
    ):
        yield Case(foot, habit, undated + below, found, {}, "row|total|note|END|Total|\\*")
    text = sheet("winner,loser,n", fights(24), [1] * 24, below="Total,,24\n")
    yield Case(foot, "total of n", text, fights(24), {}, "total|row", ordered=False)


# ---- Rows that do not count ----------------------------------------------------------------------


def filters() -> Iterator[Case]:
    base = fights(30, seed=10)
    marked = {4, 11, 19, 26}
    kept = [pair for i, pair in enumerate(base) if i not in marked]
    some = "exclu|valid|void|marked|flag|mark|leave|column|rows"

    def case(head: str, yes: str, no: str, wanted: list = kept, **more: Any) -> Case:
        cells = [yes if i in marked else no for i in range(30)]
        text = sheet(f"winner,loser,{head}", base, cells)
        condition = f"{head} != '{yes}'" if head.isidentifier() else f"`{head}` != '{yes}'"
        return Case(
            *("filters", f"{head}: {yes or 'blank'}/{no or 'blank'}", text, wanted),
            *({"where": condition}, f"{some}|{re.escape(head)}"),
            **more,
        )

    yield case("exclude", "yes", "no")
    yield case("exclude", "x", "")
    yield case("Excluded", "1", "0")
    yield case("valid", "0", "1")
    yield case("valid", "no", "yes")
    yield case("void", "x", "")
    yield case("include", "n", "y")
    yield case("use?", "N", "Y")
    yield case("flag", "!", "")
    yield case("QC", "bad", "ok")
    yield case("delete", "TRUE", "FALSE")
    yield case("ungültig", "x", "")
    yield case("clear", "no", "yes")
    yield case("confirmed", "FALSE", "TRUE")
    yield case("remarks", "do not use", "")
    yield case("comment", "unclear who won", "")
    turned = [pair[::-1] if i in marked else pair for i, pair in enumerate(base)]
    yield case("reversed", "x", "", turned)
    yield case("reversed", "yes", "no", turned)
    yield case("note", "winner and loser swapped", "", turned)
    yield case("notes", "near the water", "", base, clean=False)
    rows = [(*pair, f"2021-05-{i + 1:02d}") for i, pair in enumerate(base)]
    yield Case(
        *("filters", "struck through", workbook("winner,loser,date", rows, (*marked,)), kept),
        *({"struck": "drop"}, "struck"),
        suffix=".xlsx",
    )
    yield Case(
        *(
            "filters",
            "struck cells, no date",
            workbook("winner,loser", base, (3,)),
        ),
        *([p for i, p in enumerate(base) if i != 3], {"struck": "drop"}, "struck"),
        suffix=".xlsx",
    )


def counts() -> Iterator[Case]:
    number = Counter(fights(60, seed=12))
    pairs = sorted(number)
    found = [pair for pair in pairs for _ in range(number[pair])]
    times = [number[p] for p in pairs]

    def counted(habit: str, text: str, remedy: dict, wanted: list = found, **more: Any) -> Case:
        return Case("counts", habit, text, wanted, remedy, "count|number|ties|tie", False, **more)

    for head in ("n", "bouts", "times", "number of fights", "N_obs", "Q7", "x"):
        yield counted(head, sheet(f"winner,loser,{head}", pairs, times), {"count": head})
    yield counted("count", sheet("winner,loser,count", pairs, times), {}, clean=True)
    draws = [i % 2 for i in range(len(pairs))]
    tied = [*found, *((*p, "tie") for p, d in zip(pairs, draws, strict=True) for _ in range(d))]
    text = sheet("winner,loser,count,draws", pairs, times, draws)
    yield counted("count and draws", text, {}, tied)
    text = sheet("winner,loser,wins,ties", pairs, times, draws)
    yield counted("wins and ties", text, {}, tied)
    text = sheet("winner,loser,n,bites", pairs, times, [3 * t for t in times])
    yield counted("n, and bites", text, {"count": "n"})


# ---- Matrices ------------------------------------------------------------------------------------


def matrices() -> Iterator[Case]:
    found = fights(60, seed=13)

    def case(habit: str, text: str, remedy: dict | None = None, **more: Any) -> Case:
        return Case(
            "matrix", habit, text, found, remedy or {}, "row|column|direction", False, **more
        )

    turned = {"winners": "columns"}
    lost = flip(found)
    for corner in ("loser", "receiver", "defeated by", "recipient", "lost to", "victim/actor"):
        yield case(f"corner {corner}", square(NAMES, lost, corner), turned)
    for corner in ("losses (row) to column", "rows lost to columns", "loser\\winner"):
        yield case(f"corner {corner}", square(NAMES, lost, corner), turned)
    for title in ("Rows: losers; columns: winners", "Losses per hen", "Times displaced by"):
        yield case(f"title {title}", square(NAMES, lost, "", f'"{title}"\n\n'), turned)
    yield case("rows lost, no word", square(NAMES, lost, ""), turned)
    for corner in ("", "winner", "winner/loser", "actor", "id", "wins against"):
        yield case(f"corner {corner or 'blank'}", square(NAMES, found, corner), clean=True)
    yield case("title", square(NAMES, found, "", '"Wins, May 2021"\n\n'), clean=True)
    shuffled = ("Dan", "Fay", "Abby", "Eve", "Cora", "Bella")
    yield case("random order", square(shuffled, found, ""), clean=True)


# ---- Tables of pandas ----------------------------------------------------------------------------


def objects() -> Iterator[Case]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    found = fights(24, seed=14)
    mixed = _shuffled(24, 3)
    when = pd.to_datetime(days(24))
    winner, loser = ([pair[side] for pair in found] for side in (0, 1))
    table = pd.DataFrame({"winner": winner, "loser": loser}, index=when)
    trap = "index|date"
    yield Case("objects", "dates in the index", table.iloc[mixed], found, {}, trap)
    named = table.rename_axis("date")
    yield Case("objects", "index called date", named.iloc[mixed], found, {}, trap)
    text = pd.DataFrame({"winner": winner, "loser": loser}, index=pd.Index(days(24), name="day"))
    yield Case("objects", "dates as text in the index", text.iloc[mixed], found, {}, trap)
    period = table.set_index(when.to_period("D"))
    yield Case("objects", "periods in the index", period.iloc[mixed], found, {}, trap)
    kept = table.reset_index(drop=True)
    yield Case("objects", "filtered table", kept[kept.winner != "Fay"],
               [p for p in found if p[0] != "Fay"], clean=True)  # fmt: skip
    yield Case("objects", "two Series", (kept.winner, kept.loser), found, clean=True)
    rows = [{"winner": w, "loser": o} for w, o in found]
    yield Case("objects", "list of dicts", rows, found, clean=True)
    yield Case("objects", "list of lists", [list(pair) for pair in found], found, clean=True)
    yield Case("objects", "dict of Series", {"winner": kept.winner, "loser": kept.loser}, found,
               clean=True)  # fmt: skip
    yield Case("objects", "polars", pl.DataFrame(rows), found, clean=True)
    yield Case("objects", "pyarrow", pa.table(kept), found, clean=True)

    class Stream:  # such as a relation of DuckDB
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.table(kept).__arrow_c_stream__(requested_schema)

    yield Case("objects", "Arrow stream", Stream(), found, clean=True)
    number = Counter(found)
    cross = pd.DataFrame(
        [[number[one, other] for other in NAMES] for one in NAMES], index=NAMES, columns=NAMES
    )
    yield Case("objects", "square table", cross, found, ordered=False, clean=True)
    yield Case("objects", "pair of lists", (winner, loser), found, clean=True)


# ---- Two sides -----------------------------------------------------------------------------------


def sides() -> Iterator[Case]:
    found = fights(24, seed=15)
    random = Random(1)
    swap = [random.random() < 0.5 for _ in found]
    pairs = [pair[::-1] if s else pair for pair, s in zip(found, swap, strict=True)]
    won = [pair[0] for pair in found]
    lost = [pair[1] for pair in found]
    trap = "loser|lost|won|winner|outcome|result|side"

    def case(habit: str, head: str, cells: list, remedy: dict | None = None, wanted=found, **more):
        return Case("sides", habit, sheet(head, pairs, cells), wanted, remedy or {}, trap, **more)

    for head in ("individual1,individual2,loser", "ID1,ID2,Loser", "bird1,bird2,defeated",
                 "animal A,animal B,who lost", "a,b,lost"):  # fmt: skip
        yield case(f"loser named: {head}", head, lost)
    yield case("Verlierer", "Tier1,Tier2,Verlierer", lost)
    for head in ("individual1,individual2,winner", "home,away,winner", "ID1,ID2,Who won?",
                 "player A,player B,Winner?", "fighter1,fighter2,won by"):  # fmt: skip
        yield case(head, head, won)
    hda = ["A" if s else "H" for s in swap]
    yield case("FTR", "HomeTeam,AwayTeam,FTR", hda)
    yield case("W/L", "team,opponent,W/L", ["L" if s else "W" for s in swap])
    yield case("Result W L", "Team,Opponent,Result", ["L" if s else "W" for s in swap])
    yield case("vote A/B", "model_a,model_b,vote", ["B" if s else "A" for s in swap])
    yield case("choice 1/2", "option1,option2,choice", [2 if s else 1 for s in swap])
    yield case("left/right", "left,right,preferred", ["right" if s else "left" for s in swap])
    yield case("1/0", "player1,player2,result", [0 if s else 1 for s in swap])
    yield case(
        *("1/2 codes", "focal,partner,outcome", [2 if s else 1 for s in swap]),
        {"a": "focal", "b": "partner", "outcome": "outcome"},
    )
    meaning = {"0": "first", "1": "second", "2": "tie"}
    tied = [(*pairs[i], "tie") if i in (5, 9) else f for i, f in enumerate(found)]
    codes = [2 if i in (5, 9) else int(s) for i, s in enumerate(swap)]
    yield case("0/1/2 codes", "a,b,outcome", codes, {"outcomes": meaning}, tied)
    words = ["no winner" if i in (5, 9) else w for i, w in enumerate(won)]
    decided = [f for i, f in enumerate(found) if i not in (5, 9)]
    yield case("no winner", "individual1,individual2,winner", words, {}, decided)
    hot = [(int(not s), int(s)) for s in swap]
    yield case("one-hot", "model_a,model_b,winner_model_a,winner_model_b", hot)
    hot = [(*(h if i not in (5, 9) else (0, 0)), int(i in (5, 9))) for i, h in enumerate(hot)]
    head = "model_a,model_b,winner_model_a,winner_model_b,winner_tie"
    yield case("one-hot with ties", head, hot, {}, tied)
    yield case("one-hot a_won", "a,b,a_won,b_won,tie", hot, {}, tied)
    both = [row for p, f in zip(pairs, found, strict=True) for row in (
        (*p, "W" if p[0] == f[0] else "L"), (*p[::-1], "L" if p[0] == f[0] else "W"))]  # fmt: skip
    dated = [day for day in days(24) for _ in (0, 1)]
    twice = "twice|both sides|twin"
    text = sheet("date,team,opponent,result", dated, both)
    yield Case("twins", "W and L of both", text, found, {"twins": "once"}, twice)
    goals = [(*r[:2], *((2, 1) if r[2] == "W" else (1, 2))) for r in both]
    text = sheet("date,team,opponent,GF,GA", dated, goals)
    yield Case("twins", "goals of both", text, found, {"twins": "once"}, twice)
    text = sheet("date,team1,team2,score1,score2", dated, goals)
    yield Case("twins", "scores of both", text, found, {"twins": "once"}, twice)
    rows = [(*p, w) for p, w in zip(pairs, won, strict=True) for p in (p, p[::-1])]
    text = sheet("date,focal,partner,winner", dated, rows)
    yield Case("twins", "winner of both", text, found, {"twins": "once"}, twice)
    rows = [(*r[:2], r[2]) for r in both]
    text = sheet("focal,partner,outcome", rows)
    yield Case("twins", "undated", text, found, {"twins": "once"}, twice)


def results() -> Iterator[Case]:
    found = fights(24, seed=16)
    ties = {5, 9, 17}
    tied = [(*f, "tie") if i in ties else f for i, f in enumerate(found)]
    trap = "tie|draw|result|outcome|column|unentschieden|decided"

    def case(habit: str, head: str, yes: str, no: str, remedy: dict | None = None, **more: Any):
        cells = [yes if i in ties else no for i in range(24)]
        return Case(
            "results", habit, sheet(f"{head}", found, cells), tied, remedy or {}, trap, **more
        )

    yield case("result: draw", "winner,loser,result", "draw", "win", {"tie": "result"})
    yield case("outcome: tie", "winner,loser,outcome", "tie", "decided", {"draw": "outcome"})
    decided = [f for i, f in enumerate(found) if i not in ties]
    yield case("decided", "winner,loser,decided", "no", "yes", after=decided)
    yield case("remark", "Sieger,Verlierer,Bemerkung", "unentschieden", "", {"draw": "Bemerkung"})
    yield case("Unentschieden", "Sieger,Verlierer,Unentschieden", "x", "")
    yield case("match nul", "gagnant,perdant,match nul", "oui", "non")
    yield case("empate", "ganador,perdedor,empate", "sí", "no")
    yield case("pareggio", "vincitore,perdente,pareggio", "si", "no")
    yield case("gelijkspel", "winnaar,verliezer,gelijkspel", "ja", "nee",
               {"winner": "winnaar", "loser": "verliezer", "draw": "gelijkspel"})  # fmt: skip
    yield case("oavgjort", "vinnare,förlorare,oavgjort", "ja", "nej",
               {"winner": "vinnare", "loser": "förlorare", "draw": "oavgjort"})  # fmt: skip
    yield case("type", "winner,loser,type", "draw", "fight", {"draw": "type"})
    yield case("in notes", "winner,loser,notes", "drawn", "")
    yield case("stalemate", "winner,loser,ended in", "stalemate", "retreat")
    yield case("ergebnis", "Tier1,Tier2,Ergebnis", "unentschieden", "1")


def scores() -> Iterator[Case]:
    found = fights(20, seed=17)
    random = Random(2)
    swap = [random.random() < 0.5 for _ in found]
    pairs = [pair[::-1] if s else pair for pair, s in zip(found, swap, strict=True)]
    played = ["1-3" if s else "2-0" for s in swap]
    left = [f for i, f in enumerate(found) if i != 7]

    def case(habit: str, head: str, cell: str, wanted: list = left, **more: Any) -> Case:
        cells = [cell if i == 7 else p for i, p in enumerate(played)]
        text = sheet(head, pairs, cells)
        remedy = {"missing": "drop"}
        return Case("scores", habit, text, wanted, remedy, "score|postponed|row|points", **more)

    for word in ("postponed", "P-P", "abd.", "-", "n/a", "w/o", "vs", "tbd"):
        yield case(f"one {word}", "home,away,score", word)
    yield case("result column", "team1,team2,result", "postponed")
    yield case("extra time", "home,away,score", "1-3 aet" if swap[7] else "3-2 aet", found)
    yield case("penalties", "home,away,score", "2-3 (p)" if swap[7] else "1-1 (4-2 p)", found)
    goals = [("", "") if i == 7 else tuple(p.split("-")) for i, p in enumerate(played)]
    text = sheet("HomeTeam,AwayTeam,FTHG,FTAG", pairs, goals)
    yield Case("scores", "blank goals", text, left)
    goals = [("P", "P") if i == 7 else g for i, g in enumerate(goals)]
    text = sheet("HomeTeam,AwayTeam,FTHG,FTAG", pairs, goals)
    yield Case("scores", "goals P", text, left, {"missing": "drop"}, "points|row")
    goals = [(2, 0) if i == 7 else g for i, g in enumerate(goals)]
    hda = ["A" if s else "H" for s in swap]
    whole = [pairs[i] if i == 7 else f for i, f in enumerate(found)]
    hda[7] = "H"
    rows = [(*g, r) for g, r in zip(goals, hda, strict=True)]
    text = sheet("Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR", days(20), pairs, rows)
    yield Case("scores", "goals and FTR", text, whole, clean=True)
    yield case("clean scores", "home,away,score", "1-3" if swap[7] else "3-1", found, clean=True)


def visits() -> Iterator[Case]:
    rows = [(f"hen{i % 4}", f"F{i % 2}", f"2021-05-01 08:{i:02d}:00", f"2021-05-01 08:{i:02d}:40")
            for i in range(20)]  # fmt: skip
    for head in ("bird,feeder,in,out", "animal,box,start,end", "ID,patch,arrived,left",
                 "tag,antenna,entry time,exit time", "who,where,from,to",
                 "cow,trough,begin,finish"):  # fmt: skip
        yield Case(
            *("visits", head, sheet(head, rows), [], {}, "displacements|visit"), unreadable=True
        )


# ---- More shapes ---------------------------------------------------------------------------------


def shapes() -> Iterator[Case]:
    number = Counter(fights(60, seed=18))
    pairs = sorted(number)
    found = [pair for pair in pairs for _ in range(number[pair])]
    times = [number[p] for p in pairs]
    said = "edge|weight|from|winner|count"

    def edge(head: str, remedy: dict, **more: Any) -> Case:
        text = sheet(head, pairs, times)
        return Case("edges", head, text, found, remedy, said, False, **more)

    for head in ("from,to,weight", "source,target,weight", "source,target,n", "i,j,wins",
                 "sender,receiver,count", "node1,node2,weight", "Actor,Recipient,Freq"):  # fmt: skip
        one, other, weight = head.split(",")
        yield edge(head, {"winner": one, "loser": other, "count": weight})
    text = sheet("from,to", found)
    yield Case("edges", "from,to", text, found, {"winner": "from", "loser": "to"}, said)
    dyads = [(one, other) for i, one in enumerate(NAMES) for other in NAMES[i + 1 :]]
    wins = [(number[d], number[d[::-1]]) for d in dyads]
    for head in ("a,b,wins_a,wins_b", "ID1,ID2,ID1 wins,ID2 wins", "ind1,ind2,wins1,wins2",
                 "individual_1,individual_2,n_1_wins,n_2_wins", "x,y,x_beats_y,y_beats_x",
                 "A,B,A>B,B>A"):  # fmt: skip
        text = sheet(head, dyads, wins)
        names_ = dict(zip(("a", "b", "a_wins", "b_wins"), head.split(","), strict=True))
        yield Case("dyads", head, text, found, names_, "wins|dyad", False)
    tied = [*found, *((*d, "tie") for i, d in enumerate(dyads) for _ in range(i % 2))]
    cells = [(*w, i % 2) for i, w in enumerate(wins)]
    for head in ("a,b,wins_a,wins_b,ties", "Bird 1,Bird 2,Wins 1,Wins 2,Draws"):
        text = sheet(head, dyads, cells)
        names_ = dict(zip(("a", "b", "a_wins", "b_wins", "ties"), head.split(","), strict=True))
        yield Case("dyads", head, text, tied, names_, "wins|dyad|tie", False)
    list_ = fights(30, seed=19)
    random = Random(5)
    rows = [(w, o, "") if random.random() < 0.5 else (o, "", w) for w, o in list_]
    for head in ("focal,displaces,displaced_by", "individual,displaced,displaced by",
                 "Focal,Supplants,Supplanted by", "id,beats,loses_to",
                 "hen,pecks,pecked by"):  # fmt: skip
        said = "displace|focal|column|won|lost|by|winner"
        remedy = dict(zip(("focal", "won_against", "lost_to"), head.split(","), strict=True))
        yield Case("focal", head, sheet(head, rows), list_, remedy, said)
    dated = sheet("date,focal,displaces,displaced_by", days(30), rows)
    yield Case("focal", "dated", dated, list_, {}, said)


def texts() -> Iterator[Case]:
    found = fights(24, seed=20)
    when = days(24)
    wide = "\n".join(f"{d:<12}{w:<10}{o}" for d, (w, o) in zip(when, found, strict=True))
    text = f"{'date':<12}{'winner':<10}loser\n{wide}\n"
    yield Case("texts", "aligned by blanks", text, found, suffix=".txt", clean=True)
    one = "winner loser\n" + "\n".join(f"{w} {o}" for w, o in found) + "\n"
    yield Case("texts", "one blank between", one, found, suffix=".txt", clean=True)
    rows = "\n".join(f"| {d} | {w} | {o} |" for d, (w, o) in zip(when, found, strict=True))
    text = f"| date | winner | loser |\n|------|:------:|-------|\n{rows}\n"
    yield Case("texts", "markdown", text, found, suffix=".md", clean=True)
    text = "| date | winner | loser |\n" + rows + "\n"
    yield Case("texts", "bars", text, found, suffix=".txt", clean=True)
    records = [{"date": d, "winner": w, "loser": o} for d, (w, o) in zip(when, found, strict=True)]
    yield Case("texts", "JSON", json.dumps(records), found, suffix=".json", clean=True)
    lines = "\n".join(map(json.dumps, records))
    yield Case("texts", "JSON lines", lines, found, suffix=".jsonl", clean=True)
    columns = {k: [r[k] for r in records] for k in ("date", "winner", "loser")}
    yield Case("texts", "JSON of columns", json.dumps(columns), found, suffix=".json", clean=True)
    inside = json.dumps({"study": "hens", "contests": records}, indent=2)
    yield Case("texts", "JSON, nested", inside, found, suffix=".json", clean=True)
    yield Case("texts", "in quotes", sheet("winner,loser", found).replace("Abby", '"Abby"'), found,
               clean=True)  # fmt: skip


def spellings() -> Iterator[Case]:
    """Names that differ in case or blanks, joined on request."""
    found = fights(30, seed=21)
    random = Random(3)
    forms = (
        str,
        str.upper,
        str.lower,
        lambda name: f"{name} ",
        lambda name: f"{name[:2]} {name[2:]}",
    )
    for habit, some in (("case", forms[:3]), ("blanks", forms[3:]), ("case and blanks", forms)):
        rows = [
            tuple(random.choice(some)(n) if random.random() < 0.3 else n for n in p) for p in found
        ]
        lead = next(p for p in found)
        rows[0] = lead
        text = sheet("winner,loser", [*found, *rows])
        yield Case(
            "spellings", habit, text, [*found, *found], {"names": "similar"}, "case|differ|name"
        )


def clean() -> Iterator[Case]:
    found = fights(40, seed=22)
    when = [f"2021-0{4 + i // 28}-{1 + i % 28:02d}" for i in range(40)]
    random = Random(4)
    extras = {
        "temperature": [round(random.gauss(18, 4), 1) for _ in found],
        "observer": [random.choice(("JK", "MS")) for _ in found],
        "duration": [random.randint(1, 90) for _ in found],
        "location": [random.choice(("pond", "shed", "field")) for _ in found],
        "ID": list(range(1, 41)),
        "food": [random.choice(("corn", "bread", "")) for _ in found],
        "intensity": [random.randint(1, 3) for _ in found],
        "winner sex": [
            "f" if w in ("Abby", "Bella", "Cora", "Eve", "Fay") else "m" for w, _ in found
        ],
        "distance (m)": [random.randint(0, 30) for _ in found],
    }
    for head, cells in extras.items():
        text = sheet(f"date,winner,loser,{head}", when, found, cells)
        yield Case("clean", f"with {head}", text, found, clean=True)
    yield Case("clean", "two columns", sheet("winner,loser", found), found, clean=True)
    yield Case("clean", "German", sheet("Datum,Sieger,Verlierer", when, found, sep=";"), found,
               clean=True)  # fmt: skip
    yield Case("clean", "displacer", sheet("displacer,displaced", found), found, clean=True)
    yield Case("clean", "workbook", workbook("winner,loser", found), found, suffix=".xlsx",
               clean=True)  # fmt: skip
    text = sheet("chosen,rejected,prompt", found, [f"p{i}" for i in range(40)])
    yield Case("clean", "preferences", text, found, clean=True)


def habits() -> Iterator[Case]:
    """The files of tests/field, one for each habit of keeping records."""
    for file in entries():
        if file.door != "read" or file.name.startswith("..") or file.flags:
            continue
        path = FOLDER / file.name
        rows: list[tuple] = []
        if not file.refused:
            text = (FOLDER / "expected" / f"{path.name}.csv").read_text("utf-8")
            for row in csv.DictReader(text.splitlines()):
                tie = ("tie",) if row.get("draw") == "yes" else ()
                rows.append((row["winner"], row["loser"], *tie))
        refused = bool(file.refused)
        trap = re.escape(file.refused) if refused else "pooled"
        yield Case("habits", file.name, path, rows, {}, trap, False, unreadable=refused)


FAMILIES = (
    *(groups, behaviors, order, dates, names, edges_of_tables, filters, counts, matrices, objects),
    *(sides, results, scores, visits, shapes, texts, spellings, clean, habits),
)


def cases() -> list[Case]:
    """All cases."""
    return [case for family in FAMILIES for case in family()]


# ---- How they are read ---------------------------------------------------------------------------


def contests(data: Any) -> list[tuple]:
    """The contests of data, as tuples."""
    draw = [False] * len(data) if data.draw is None else data.draw.tolist()
    names = data.individuals
    sides = zip(data.winner.tolist(), data.loser.tolist(), draw, strict=True)
    return [(names[w], names[o], *(("tie",) if d else ())) for w, o, d in sides]


def _plain(found: list[tuple]) -> list[tuple]:
    """Ties do not depend on the order of the sides."""
    return [(*sorted(row[:2]), "tie") if len(row) > 2 else tuple(row) for row in found]


def agrees(case: Case, data: Any, *, after: bool = False) -> bool:
    """Whether the contests are those that a person reads."""
    expected = case.after if after and case.after is not None else case.wanted
    found, wanted = _plain(contests(data)), _plain(expected)
    if case.groups is not None:
        if data.group is None:
            return False
        label = data.group.column().to_list()
        found = [(*row, g) for row, g in zip(found, label, strict=True)]
        wanted = [(*row, g) for row, g in zip(wanted, case.groups, strict=True)]
    return found == wanted if case.ordered else sorted(found) == sorted(wanted)


def said_of(data: Any) -> str:
    """What is said about data that were read, apart from notes."""
    lines = [check.message for check in data.check().warnings]
    lines += [f"{d.kind} {d.where}: {d.evidence}" for d in doubts_of(data) if d.severity != "note"]
    return "\n".join(lines)


def doubts_of(data: Any) -> list[Any]:
    return list(getattr(data, "doubts", ()))


@dataclass(frozen=True)
class Reading:
    """What became of a case."""

    case: Case
    outcome: str  # right, named, refused or WRONG
    said: str
    alarm: bool  # a clean sheet with a doubt
    remedied: bool  # right after the first remedy offered, or right at once


ABOUT_READING = re.compile(r"connected|random orders|dyads|duplicate")
ARGUMENT = re.compile(
    r"\b([a-z_]+)=(\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|True|False|\d+)(,? (?:and )?|, and )?(?=(\w+=)?)"
)


OF_READ = inspect.signature(po.read).parameters


def first_remedy(message: str) -> dict[str, Any]:
    """The first arguments in a message, as far as they belong together."""
    import ast

    found: dict[str, Any] = {}
    end = None
    for one in ARGUMENT.finditer(message):
        if end is not None and one.start() != end:
            break
        if "…" in one[2] or one[1] not in OF_READ:
            continue
        found[one[1]] = ast.literal_eval(one[2])
        end = one.end()
    return found


def read_case(case: Case, folder: Path) -> Reading:
    """Read a case without arguments, and with the first remedy."""
    source = case.opened(folder)
    try:
        data = po.read(source)
    except PeckorderError as error:
        said = str(error)
        done = bool(re.search(case.trap, said)) if case.unreadable else _after(case, source, error)
        return Reading(case, "refused", said, case.clean, done)
    said = said_of(data)
    alarm = case.clean and any(
        line for line in said.split("\n") if line and not ABOUT_READING.search(line)
    )
    if agrees(case, data) and not case.unreadable:
        return Reading(case, "right", said, alarm, True)
    named = bool(case.trap) and bool(re.search(case.trap, said))
    return Reading(
        case, "named" if named else "WRONG", said, alarm, named and _after(case, source, data)
    )


def _after(case: Case, source: Any, found: Any) -> bool:
    """Whether the first remedy that is offered gives what a person reads."""
    recipe = Recipe()
    for _ in range(4):  # a remedy may lead to the next question
        doubts = [doubt for doubt in doubts_of(found) if doubt.severity != "note"]
        if doubts:
            recipe = recipe.decide(doubts[0], 0)
        elif more := first_remedy(str(found) if isinstance(found, Exception) else said_of(found)):
            recipe = recipe.with_arguments(more)
        try:
            found = po.read(source, **recipe.arguments())
        except PeckorderError as error:
            found = error
            continue
        if agrees(case, found, after=True):
            return True
    return False


def readings(family: str = "") -> list[Reading]:
    """All cases, or those of one family, as they are read."""
    found = [case for case in cases() if family in ("", case.family)]
    with tempfile.TemporaryDirectory() as folder:
        return [read_case(case, Path(folder)) for case in found]


def table(found: list[Reading]) -> str:
    """Numbers by family."""
    lines = ["family       cases right named refused WRONG remedied alarms"]
    families = list(dict.fromkeys(reading.case.family for reading in found))
    for family in [*families, ""]:
        own = [r for r in found if family in ("", r.case.family)]
        number = Counter(r.outcome for r in own)
        outcomes = " ".join(
            f"{number[word]:{len(word)}d}" for word in ("right", "named", "refused", "WRONG")
        )
        lines.append(
            f"{family or 'all':12s} {len(own):5d} {outcomes} {sum(r.remedied for r in own):8d} "
            f"{sum(r.alarm for r in own):6d}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    found = readings(*sys.argv[1:2])
    for reading in found:
        if reading.outcome != "right" or reading.alarm or len(sys.argv) > 2:
            mark = "" if reading.remedied else " (not remedied)"
            alarm = " ALARM" if reading.alarm else ""
            first = reading.said.replace("\n", " ")[:230]
            print(
                f"{reading.case.family}: {reading.case.habit}: {reading.outcome}{mark}{alarm}: {first}"
            )
    print(table(found))
