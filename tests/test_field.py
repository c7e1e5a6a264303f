"""Sheets as people keep them: tests/field, one file for each habit.

tests/field/index.csv lists them. `flags` are what a user has to add, which the message for the
bare file must name; `refused` is a part of the message for a file that cannot be read. The
contests that a person reads from each file are in tests/field/expected, and a second reader in
plain Python (tests/field_reader.py) reads most files without the package.
"""

import csv
import datetime as dt
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

import peckorder as po
from tests.field_document import DOCUMENT, FOLDER, document, entries
from tests.field_reader import KNOWN, contests_known

FILES = entries()
READ = [file for file in FILES if file.door == "read" and not file.refused]
REFUSED = [file for file in FILES if file.refused]
PRESENCE = [file for file in FILES if file.door == "presence" and not file.refused]
VISITS = [file for file in FILES if file.door == "displacements" and not file.refused]
# Flags whose value is the choice of the user, so that a message can only name the flag.
YES = {"yes": True, "no": False}


class Contest(NamedTuple):
    winner: str
    loser: str
    date: dt.datetime | None
    draw: bool


def named(files):
    return pytest.mark.parametrize("file", files, ids=lambda file: file.name)


def path_of(file) -> Path:
    return FOLDER / file.name


def expected_rows(file) -> list[dict[str, str]]:
    text = (FOLDER / "expected" / f"{path_of(file).name}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def expected_contests(file) -> list[Contest]:
    """The contests that a person reads, in the order of their dates."""
    return [
        Contest(row["winner"], row["loser"], as_moment(row.get("date")), YES[row.get("draw", "no")])
        for row in expected_rows(file)
    ]


def as_moment(word) -> dt.datetime | None:
    """A date, a time or a year, to the microsecond."""
    if word is None or word == "":
        return None
    if isinstance(word, dt.datetime):
        return word
    text = str(word)
    return dt.datetime(int(text), 1, 1) if len(text) == 4 else dt.datetime.fromisoformat(text)


def contests(data, *, dated: bool) -> list[Contest]:
    table = data.to_table()
    draws = table["draw"].to_list() if "draw" in table.columns else [False] * len(data)
    dates = table["date"].to_list() if dated else [None] * len(data)
    counts = table["count"].to_list() if "count" in table.columns else [1] * table.height
    sides = zip(table["winner"], table["loser"], dates, draws, counts, strict=True)
    return [
        Contest(one, other, as_moment(date), draw)
        for one, other, date, draw, count in sides
        for _ in range(count)
    ]


def arguments(flags: str) -> dict:
    """The arguments of `po.read` for flags of the shell."""
    words, found = shlex.split(flags), {}
    for flag, value in zip(words[::2], words[1::2], strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        if name == "read":
            name, _, value = value.partition("=")
        name = {"tie": "draw"}.get(name, name)
        value = FOLDER / value if name == "names" else int(value) if name == "header" else value
        found[name] = [*found[name], value] if name in found else value
        if name == "ignore" and not isinstance(found[name], list):
            found[name] = [value]
    return found


def flags_of(file) -> list[str]:
    words = shlex.split(file.flags)
    return [word.replace("names=", f"names={FOLDER}/") for word in words]


@named(READ)
def test_contests_are_those_that_a_person_reads(file):
    wanted = expected_contests(file)
    dated = wanted[0].date is not None
    found = contests(po.read(path_of(file), **arguments(file.flags)), dated=dated)
    if dated:
        assert found == wanted
    else:
        assert sorted(found) == sorted(wanted)


@named([file for file in READ if file.name in KNOWN])
def test_a_second_reader_agrees(file):
    wanted, found = expected_contests(file), contests_known(file.name)
    if wanted[0].date is None:
        found = [(one, other, None, tie) for one, other, _, tie in found]
        assert sorted(found, key=str) == sorted(map(tuple, wanted), key=str)
    else:
        assert found == list(map(tuple, wanted))


def test_the_second_reader_knows_every_file_that_plain_python_can_open():
    others = {file.name for file in READ} - set(KNOWN)
    assert others == {file.name for file in READ if file.name.startswith("../")} | {"seasons"}
    assert set(KNOWN) <= {file.name for file in READ}


@named(READ)
def test_check_accepts_it(file, inside):
    done = inside("check", path_of(file), *flags_of(file))
    said = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert said.startswith("Read ")
    assert said.rstrip().endswith("The data can be used.")
    assert not re.search(r"\b(nan|None|NaT|Traceback|Error|\d+e\+\d+)\b", said)


@named([file for file in READ if file.flags])
def test_the_bare_file_asks_for_the_flag(file, inside):
    """A file that needs a flag is refused, or read with a warning, and the message names it."""
    done = inside("check", path_of(file))
    said = done.stdout.decode() + done.stderr.decode()
    warned = [line for line in said.splitlines() if line.startswith(("!", "    "))]
    asked = said if done.returncode == 3 else "\n".join(warned)
    words = shlex.split(file.flags)
    flags = words[::2] if words[0] == "--within" else words[1::2]
    flags = ["names="] if "names=" in file.flags else flags
    assert all(flag in asked for flag in flags), said


@named([file for file in READ if file.flags and "names=" not in file.flags])
def test_the_flag_settles_it(file, inside):
    """What the flag decided is not said again."""
    said = inside("check", path_of(file), *flags_of(file)).stdout.decode()
    lines = [line for line in said.splitlines() if line.startswith("!")]
    assert not any(word in line for line in lines for word in shlex.split(file.flags)[1::2])


@named(REFUSED)
def test_refused_with_the_place_and_a_remedy(file, inside):
    commands = {"check": (), "elo": (), "report": ("-o", "r.html")}
    if file.door == "displacements":
        commands = {"displacements": ("--within", "2s")}
    for command, more in commands.items():
        done = inside(command, path_of(file), *more)
        assert done.returncode == 3
        assert file.refused in done.stdout.decode() + done.stderr.decode()


@named([file for file in READ if not file.flags])
def test_ratings_count_every_contest(file, inside):
    """The table of Elo ratings has the wins, losses and draws of the expected contests."""
    wanted = expected_contests(file)
    done = inside("elo", path_of(file), "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    for row in csv.DictReader(done.stdout.decode().splitlines()):
        name = row["individual"]
        assert int(row["wins"]) == sum(c.winner == name and not c.draw for c in wanted)
        assert int(row["losses"]) == sum(c.loser == name and not c.draw for c in wanted)
        assert int(row["draws"]) == sum(name in c[:2] and c.draw for c in wanted)


@named(PRESENCE)
def test_presence(file):
    found = po.read_presence(path_of(file), **arguments(file.flags)).to_table()
    told = [tuple("" if cell is None else str(cell) for cell in row) for row in found.rows()]
    wanted = [(row["individual"], row["start"], row["end"]) for row in expected_rows(file)]
    assert sorted(told) == sorted(wanted)


@named(VISITS)
def test_visits(file, inside):
    found = po.displacements(path_of(file), **arguments(file.flags))
    assert contests(found, dated=True) == expected_contests(file)
    words = flags_of(file)
    for first, flag in enumerate(words[::2]):  # each is asked for, given those before it
        bare = inside("displacements", path_of(file), *words[: 2 * first])
        assert bare.returncode != 0
        assert flag in bare.stderr.decode()
    assert inside("displacements", path_of(file), *flags_of(file)).returncode == 0


def test_groups_are_ranked_on_their_own(inside):
    done = inside("elo", FOLDER / "groups.csv", "--by", "group", "--format", "csv")
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert done.returncode == 0
    ranked = {(row["group"], row["individual"]): float(row["rank"]) for row in rows}
    assert {name for group, name in ranked if group == "north"} == {"Abby", "Bella", "Cora"}
    assert [ranked["south", name] for name in ("Dan", "Eve", "Fay")] == [1, 2, 3]


def test_every_file_is_listed():
    listed = {path_of(file).resolve() for file in FILES}
    helpers = {"index.csv"} | {path.name for path in FOLDER.glob("*_names.csv")}
    there = {path.resolve() for path in FOLDER.iterdir() if path.name not in helpers}
    assert there - {(FOLDER / "expected").resolve()} <= listed
    assert len(FILES) == len(listed) >= 60
    kept = {f"{path_of(file).name}.csv" for file in FILES if not file.refused}
    assert kept == {path.name for path in (FOLDER / "expected").iterdir()}


def test_the_document_has_every_file():
    assert DOCUMENT.read_text("utf-8") == document()
