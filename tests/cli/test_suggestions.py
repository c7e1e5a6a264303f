"""Flags and commands that do not exist."""

import click
import pytest

from peckorder import cli
from peckorder.cli.derive import function
from peckorder.cli.errors import COMMANDS, FLAGS, bare, suggested


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("--K", "--k"),
        ("--k_column", "--k-column"),
        ("--startvalue", "--start"),
        ("--HomeAdvantage", "--home-advantage"),
        ("--ouput", "--output"),
        ("--delimiter", "--read separator=…"),
    ],
)
def test_a_wrong_flag_suggests_the_right_one(inside, wrong, right):
    done = inside("elo", "x.csv", wrong, "1")
    assert done.returncode == 2
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("Error: No such option")
    assert last.replace("'", "").endswith(f"Did you mean {right}?")
    assert last.count("--") == 2, last  # the wrong one and one suggestion


def test_no_suggestion_where_nothing_is_alike(inside):
    assert b"Did you mean" not in inside("elo", "x.csv", "--quux").stderr


@pytest.mark.parametrize(
    ("wrong", "right"), [("DS", "davids-score"), ("elos", "elo"), ("david_score", "davids-score")]
)
def test_a_wrong_command_suggests_the_right_one(inside, wrong, right):
    done = inside(wrong, "x.csv")
    assert done.returncode == 2
    assert done.stderr.decode().endswith(
        f'Error: There is no command "{wrong}". Did you mean {right}?\n'
    )
    assert "lists all commands" in inside("quux").stderr.decode()


def test_what_is_spelled_alike_is_suggested(inside, tmp_path):
    (tmp_path / "adv.csv").write_text("winner,loser\na,b\nb,c\nc,a\n")
    for arguments, text in (
        (("datasets", "bonobo"), 'no data set "bonobo". Did you mean "bonobos"?'),
        (("check", "advv.csv"), 'File not found: advv.csv. Did you mean "adv.csv"?'),
        (("elo", "adv.csv", "--winner", "Winer"), 'Did you mean "winner"? Columns found'),
        (("elo", "adv.csv", "--preset", "fivethirty"), 'Did you mean "FiveThirtyEight"?'),
    ):
        done = inside(*arguments)
        assert done.returncode in (2, 3), arguments
        assert text in done.stderr.decode(), arguments


def test_an_argument_without_a_flag_is_named_by_its_place(inside, tmp_path):
    (tmp_path / "adv.csv").write_text("winner,loser\na,b\nb,c\nc,a\n")
    said = inside("fragility", "adv.csv", "a fist").stderr.decode()
    assert said.startswith('Error: CLAIM "a fist" is no claim.')
    votes = "a,b,winner\nx,y,x\ny,z,y\nz,x,z\n"
    (tmp_path / "votes.csv").write_text(votes)
    said = inside("audit-votes", "votes.csv", "--voter", "judge").stderr.decode()
    assert '--voter: there is no unused column "judge"' in said


def test_habits_lead_to_what_exists():
    flags = {bare(f) for c in commands(cli.main) for p in flags_of(c) for f in p.opts}
    flags.add("threads")  # of every command
    reading = function("read").arguments
    for wrong, right in FLAGS.items():
        read = right.removeprefix("read ").partition("=")[0]
        assert bare(right) in flags or read in reading, right
        assert bare(wrong) == wrong
    assert set(COMMANDS.values()) <= set(cli.main.commands)
    assert suggested("--actor", ["--winner"], FLAGS) == ["--winner"]


def flags_of(command):
    return command.get_params(click.Context(command))


def commands(group):
    for command in group.commands.values():
        yield command
        if hasattr(command, "commands"):
            yield from commands(command)
