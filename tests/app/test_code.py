"""The same in code: the lines that are shown give the numbers that are shown."""

import contextlib
import io
import os

import polars as pl
import pytest
from click.testing import CliRunner

import peckorder as po
from peckorder.cli import main
from tests.app.visitor import MESSY

GROUPED = MESSY.replace("North,", "S,", 3).replace("North,", "N,").replace("remarks", "remarks ")


def split(command):
    import shlex

    words = shlex.split(command)
    assert words[0] == "peckorder"
    return words[1:]


def ran_in_python(lines):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(lines, names)  # our own lines, as a reader would run them
    return names


def ran_at_the_shell(command):
    done = CliRunner().invoke(main, [*split(command), "--format", "csv"])
    assert done.exit_code == 0, done.output
    return pl.read_csv(io.StringIO(done.stdout))


def shown(visitor, state):
    answer = visitor.json("/api/elo", w=state["workspace"])
    names = [answer["names"][place] for place in answer["ranking"]["who"]]
    return names, answer["ranking"]["columns"]["rating"]


@pytest.fixture
def files(visitor, tmp_path, monkeypatch):
    """Where the lines are run: a folder with the file of the user, and aliases if there are any."""
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def write(state):
        space = visitor.app.workspaces.known[state["workspace"]]
        (folder / state["record"]["name"]).write_bytes(space.record.path.read_bytes())
        for name, text in visitor.json("/api/take", w=state["workspace"])["files"].items():
            (folder / name).write_text(text, encoding="utf-8")

    return write


CASES = {
    "adv": ("adv", {}, {}),
    "settings": ("adv", {}, {"k": 37.5, "curve": "normal", "start": 0}),
    "date": ("adv", {}, {"k": 200, "at": "2010-01-20"}),
    "messy, undecided": (MESSY, {}, {}),
    "messy, decided": (
        MESSY,
        {"polyadic": "dyads", "missing": "drop", "self_contests": "drop", "ignore": ["?"]},
        {"k": 80},
    ),
    "aliases": (MESSY, {"names": {"abby": "Abby", "?": "unknown, or not seen"}}, {}),
    "by hand": (MESSY, {"winner": "initiator", "loser": "receiver"}, {}),
    "groups": (
        MESSY + "2023-03-11,X,Y,X,South,\n2023-03-12,Y,Z,Y,South,\n",
        {"group": "place"},
        {},
    ),
    "second group": (
        MESSY + "2023-03-11,X,Y,X,South,\n2023-03-12,Y,Z,Y,South,\n",
        {"group": "place"},
        {"group": "South"},
    ),
    "a field sheet": ("field", {"polyadic": "dyads", "names": {"Ela": "Ella"}}, {"group": "North"}),
    "home": ("season", {}, {"home": 25, "k": 40}),
}


@pytest.mark.parametrize("case", CASES)
def test_lines_give_the_numbers_that_are_shown(visitor, files, case):
    source, decisions, settings = CASES[case]
    short = source in ("adv", "field", "season")
    state = visitor.example(source) if short else visitor.upload(source, "my sheet.csv")
    if decisions:
        state = visitor.changed(state, set=decisions)
    if settings:
        state = visitor.changed(state, "/api/settings", set=settings)
    files(state)
    names, ratings = shown(visitor, state)
    code = visitor.json("/api/code", w=state["workspace"], verb="elo")
    found = ran_in_python(code["python"])["ratings"]
    table = found.table if "at" not in settings else found.at(settings["at"])
    assert table["individual"].to_list() == names
    assert table["rating"].to_list() == pytest.approx(ratings, abs=1e-9)
    at_shell = ran_at_the_shell(code["shell"])
    assert at_shell["individual"].to_list() == names
    assert at_shell["rating"].to_list() == pytest.approx(ratings, abs=1e-9)


def test_lines_for_data_without_an_order(visitor, files):
    state = visitor.example("bonobos")
    files(state)
    code = visitor.json("/api/code", w=state["workspace"])
    names, ratings = shown(visitor, state)
    assert ran_in_python(code["python"])["ratings"].table["rating"].to_list() == pytest.approx(
        ratings
    )
    assert ran_at_the_shell(code["shell"])["individual"].to_list() == names


def test_lines_of_a_check(visitor, files):
    state = visitor.upload(MESSY)
    files(state)
    code = visitor.json("/api/code", w=state["workspace"], verb="check")
    assert code == state["code"]
    data = ran_in_python(code["python"])["data"]
    assert (len(data), data.hash) == (state["contests"], state["hash"])
    done = CliRunner().invoke(main, split(code["shell"]))
    assert done.exit_code == 0
    assert "7 kept" in done.output


def test_unknown_verbs(visitor):
    state = visitor.example()
    assert visitor.get("/api/code", w=state["workspace"], verb="rm").status_code == 400


def test_names_are_quoted(visitor, files):
    state = visitor.upload('win"ner;\n'.join(["", "winner,loser\n"]) and "winner,loser\na,b\nb,c\n")
    state = visitor.changed(state, set={"ignore": ["$(touch evil)", "'; import os #"]})
    files(state)
    code = visitor.json("/api/code", w=state["workspace"])
    assert ran_in_python(code["python"])["data"].hash == state["hash"]
    ran_at_the_shell(code["shell"])
    assert sorted(os.listdir()) == ["contests.csv"]
    assert po.read("contests.csv", ignore=["$(touch evil)"]).hash == state["hash"]


@pytest.mark.parametrize("at", ["", "2010-01-20", "2010-01-03"])
def test_a_window_that_limits_the_ratings(visitor, files, at):
    state = visitor.example("adv")
    window = {"from": "2010-01-10", "to": "2010-01-25", "at": at, "k": 150}
    framed = visitor.changed(state, "/api/settings", set=window)
    before = shown(visitor, framed)
    state = visitor.changed(framed, "/api/settings", set={"limited": True})
    files(state)
    part = po.datasets.adv().filter(start="2010-01-10", end="2010-01-25")
    ratings = po.elo(part, k=150)
    expected = ratings.at(at) if at > "2010-01-10" else ratings.table  # before it, the end of it
    names, values = shown(visitor, state)
    assert (names, values) == (expected["individual"].to_list(), expected["rating"].to_list())
    assert (names, values) != before
    code = visitor.json("/api/code", w=state["workspace"], verb="elo")
    assert 'data = data.filter(start="2010-01-10", end="2010-01-25")' in code["python"]
    assert ran_in_python(code["python"])["ratings"].table.equals(ratings.table)
    table = ran_at_the_shell(code["shell"])
    assert table["individual"].to_list() == names
    assert table["rating"].to_list() == pytest.approx(values, abs=1e-4)


def test_a_window_of_contests_without_dates_limits_the_ratings(visitor, files):
    state = visitor.upload("winner,loser\n" + "a,b\nb,c\nc,a\na,c\nb,a\n" * 3)
    window = {"from": "5", "to": "12", "limited": True}
    state = visitor.changed(state, "/api/settings", set=window)
    files(state)
    code = visitor.json("/api/code", w=state["workspace"], verb="elo")
    ratings = ran_in_python(code["python"])["ratings"]
    assert len(ratings.data) == 8
    names, values = shown(visitor, state)
    assert (names, values) == (
        ratings.table["individual"].to_list(),
        ratings.table["rating"].to_list(),
    )
    assert code["shell"].startswith("# not available")


def test_files_that_the_lines_need_are_named(visitor):
    state = visitor.upload("winner\tloser\na\tb\nB\ta\n", "")
    note = "Save the pasted cells in a text file called pasted.tsv first."
    assert state["code"]["note"] == note
    state = visitor.changed(state, set={"names": {"B": "b"}})
    assert state["code"]["note"] == note
    assert "--read names=B=b" in state["code"]["shell"]
    state = visitor.changed(state, set={"names": {"B": "b=c"}})
    assert (
        state["code"]["note"] == f"{note} The shell line needs names.csv, which is under Take away."
    )
