"""Completion by the Tab key: the protocol that bash, zsh and fish use."""

import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import BashComplete, ZshComplete

from peckorder import cli
from peckorder.cli.completion import VARIABLE

SHEET = "Sieger,Wer verlor,Wann\na,b,2020-01-01\n"


@pytest.fixture
def offered(sheet, tmp_path, monkeypatch):
    """Words that the shell would offer after these."""
    sheet(SHEET, "contests.csv")
    monkeypatch.chdir(tmp_path)

    def words(*before, incomplete="", shell=ZshComplete):
        monkeypatch.setenv(VARIABLE, f"{shell.name}_complete")
        found = shell(cli.main, {}, "peckorder", VARIABLE).get_completions(list(before), incomplete)
        return [(item.type, item.value) for item in found]

    return words


def test_the_protocol_of_bash(sheet, tmp_path):
    """As a shell does it: by environment variables, in a process of its own."""
    sheet(SHEET, "contests.csv")
    line = "peckorder elo contests.csv --winner S"
    done = subprocess.run(
        [sys.executable, "-c", "from peckorder.cli import main; main(prog_name='peckorder')"],
        cwd=tmp_path,
        env=os.environ | {VARIABLE: "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["plain,Sieger"]
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell):
    done = subprocess.run(
        [sys.executable, "-c", "from peckorder.cli import main; main(prog_name='peckorder')"],
        env=os.environ | {VARIABLE: f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{VARIABLE}={shell}_complete" in done.stdout


def test_columns_of_the_file(offered):
    every = [("plain", name) for name in ("Sieger", "Wer verlor", "Wann")]
    assert offered("elo", "contests.csv", "--loser") == every
    assert offered("elo", "contests.csv", "--loser", incomplete="w") == every[1:]
    assert offered("plot", "ranks", "contests.csv", "--winner") == every
    quoted = offered("elo", "contests.csv", "--loser", incomplete="wer", shell=BashComplete)
    assert quoted == [("plain", "Wer\\ verlor")]
    for file in ("missing.csv", "-"):
        assert offered("elo", file, "--loser") == []


def test_files_commands_choices_data_sets_and_papers(offered):
    assert offered("elo", incomplete="co") == [("file", "co")]
    assert offered("elo", "contests.csv", "--presence", incomplete="p") == [("file", "p")]
    assert offered(incomplete="dav") == [("plain", "davids-score")]
    assert ("plain", "logistic") in offered("elo", "contests.csv", "--curve")
    assert ("plain", "bonobos") in offered("datasets")
    assert ("plain", "nfl") in offered("examples")
    assert ("plain", "albers2001") in offered("reproduce")


def test_every_argument_for_a_file_or_a_column_is_completed():
    plain = []

    def look(command, name):
        for param in command.get_params(click.Context(command)):
            kind = getattr(param, "metavar", None)
            wanted = kind in ("FILE", "COLUMN") or param.name in ("file", "fixtures", "table")
            if wanted and type(param.type).__name__ == "StringParamType":
                plain.append((name, param.name))
        for one, inner in getattr(command, "commands", {}).items():
            look(inner, one)

    look(cli.main, "peckorder")
    assert plain == []
