"""peckorder --help: commands by purpose."""

from peckorder import cli
from peckorder.cli import PURPOSES


def test_every_command_has_one_purpose():
    listed = [name for names in PURPOSES.values() for name in names.split()]
    assert sorted(listed) == sorted(cli.main.commands)


def test_help_begins_with_the_first_step(inside):
    lines = inside("--help").stdout.decode().splitlines()
    assert next(line.strip() for line in lines[1:] if line) == "Start with: peckorder check FILE."
    for purpose in PURPOSES:
        assert f"{purpose}:" in lines
    assert lines.index("Start here:") < lines.index("Dyads:")
