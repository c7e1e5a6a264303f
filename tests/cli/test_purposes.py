"""peckorder --help: commands by purpose."""

from peckorder import cli
from peckorder.cli.purposes import OTHER, PURPOSES, by_purpose


def test_every_command_has_one_purpose():
    listed = [name for names in PURPOSES.values() for name in names]
    assert sorted(listed) == sorted(cli.main.commands)
    assert OTHER not in by_purpose(list(cli.main.commands))


def test_help_begins_with_the_first_step(inside):
    lines = inside("--help").stdout.decode().splitlines()
    assert next(line.strip() for line in lines[1:] if line) == "Start with: peckorder check FILE."
    for purpose in PURPOSES:
        assert f"{purpose}:" in lines
    assert lines.index("Start here:") < lines.index("Dyads:")


def test_a_command_without_a_purpose_is_still_listed():
    assert by_purpose(["check", "novel"]) == {"Start here": ["check"], OTHER: ["novel"]}
