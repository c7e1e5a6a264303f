"""Odd commands of the shell, in this process and in processes of their own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import polars as pl
from click.testing import CliRunner

from peckorder import cli
from tests.fuzzing import sheets, tables
from tests.fuzzing.formats import odd_file
from tests.fuzzing.odd import SHELL_VALUES
from tests.fuzzing.options import CONDITIONS, LIKELY, QUERIES
from tests.fuzzing.tables import maybe, pick

COMMANDS = (
    *("check", "check", "elo", "elo", "elo", "davids-score", "isi", "bradley-terry", "steepness"),
    *("linearity", "transitivity", "consistency", "stability", "dyads", "unknown-dyads", "areas"),
    *("order-test", "indices", "evaluate", "calibration", "randomized-elo", "hierarchy-shape"),
    *(
        "reversals",
        "win-share",
        "dynamic",
        "adaptive",
        "predict",
        "glicko",
        "join",
        "join",
        "over-time",
    ),
    *("displacements", "displacements", "period-ranks", "network", "slopes", "group-size"),
    *("adagio", "percolation", "dominance-value", "home-advantages"),
)
SLOW_COMMANDS = (
    *("plot bump", "plot matrix", "fit", "plot trajectories", "compare", "tune", "without"),
    *("plot tenure", "plot gaps", "plot power", "plot network", "plot over-time", "report"),
    *("change-points", "power", "plot change-points", "plot presence"),
)
OF_VISITS = ("displacements", "plot gaps")
SMALL = {
    "--runs": "12",
    "--samples": "20",
    "--warmup": "20",
    "--chains": "1",
    "--threads": "1",
    "--fair-coins": "4",
    "--effort": "20",
}
KEPT_SMALL = ("help", "runs", "samples", "warmup", "chains", "effort", "output", "threads")
LIKELY_AT_SHELL = {
    "--where": CONDITIONS,
    "--query": QUERIES,
    "--sheet": ("*", "1", "2", "1,2", "contests", "more", "x"),
    "--header": ("1", "2", "1-2", "3-4", "0", "x"),
    "--winner-behaviors": ("bite", "bite,chase", "", "x"),
    "--loser-behaviors": ("flee", "flee,submit", ","),
    "--fill-down": ("date", "winner", "x"),
    "--ignore": ("Abe", "unknown", ""),
    "--parameter": ("Abe", "1", ""),
    "--window": ("1y", "6m", "30d", "10", "x", "0", "-1d"),
    "--step": ("1m", "5", "x"),
    "--from": ("2009-05-28", "1", "5", "x", "2010"),
    "--to": ("2009-05-28", "9", "2030-01-01", "x"),
    "--date-format": LIKELY["date_format"],
    "--within": ("2s", "1 min", "5", "x", "-1", "file", "batch"),
    "--thresholds": ("1s,2s", "5", "", "x"),
}
OUTPUTS = ("out.csv", "out.xlsx", "out.json", "out.parquet", "out.tsv", "out.x", "none/out.csv")
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202a-\u202e]")


def _written(rng, table: tables.Table, name: str) -> str:
    """A table as a text file, under a name of its own."""
    Path(name).write_bytes(tables.as_text(rng, tables.mutated(rng, table)))
    return name


def _files(rng, command: str) -> list[str]:
    """The files of a command."""
    if maybe(rng, 0.03):
        return [pick(rng, ("none.csv", ".", "", "a\x1bb", "*.csv", "[", "sqlite:///none.db"))]
    if command in OF_VISITS:
        return [str(odd_file(rng, sheets.visits(rng)))]
    if command.endswith("power") and maybe(rng, 0.5):
        return []
    data = str(odd_file(rng, clean=maybe(rng, 0.5)))
    if command == "join":
        own = _written(rng, sheets.own_table(rng), "own.csv")
        return [data, own, "--individual", "individual", "--date", "date"]
    return [data, _written(rng, tables.games(rng), "next.csv")] if command == "predict" else [data]


def _value(rng, option) -> list[str]:
    """An option with a value that may or may not belong to it."""
    name = option.opts[-1]
    if getattr(option, "is_flag", False):
        return [name]
    choices = getattr(option.type, "choices", None) or LIKELY_AT_SHELL.get(name)
    if name == "--names" and maybe(rng, 0.8):
        return [name, _written(rng, sheets.aliases(rng), "names.csv")]
    if name == "--presence" and maybe(rng, 0.8):
        made = pick(rng, (tables.presence, sheets.presence))(rng)
        return [name, _written(rng, made, "presence.csv")]
    if name in ("--write-aliases", "--edges", "--graphml", "--periods", "--history"):
        return [name, pick(rng, ("more.csv", "more.xlsx", "none/more.csv", "more"))]
    return [name, pick(rng, choices) if choices and maybe(rng, 0.8) else pick(rng, SHELL_VALUES)]


def shell_arguments(rng) -> list[str]:
    """A command with its files and a few options."""
    command = pick(rng, SLOW_COMMANDS if maybe(rng, 0.02) else COMMANDS)
    found = cli.main
    for word in command.split():
        found = found.commands[word]
    arguments = [*command.split(), *_files(rng, command)]
    options = {o.opts[-1]: o for o in found.params if o.opts[0].startswith("-")}
    for name, small in SMALL.items():
        if name in options:
            arguments += [name, small]
    if command.startswith("plot"):
        arguments += ["-o", "figure.png"]
    elif command == "report":
        arguments += ["-o", "page.html"]
    elif "--output" in options and maybe(rng, 0.2):
        arguments += ["-o", pick(rng, OUTPUTS)]
    for _ in range(pick(rng, (0, 0, 0, 1, 1, 2, 3)) if options else 0):
        option = options[pick(rng, sorted(options))]
        if option.name not in KEPT_SMALL:
            arguments += _value(rng, option)
    return arguments


def leaves(group: click.Group = cli.main, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands of the shell, by name."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, f"{before}{name} ")
        else:
            yield before + name, command


# Commands that serve, install or print what is shipped; and arguments of commands beside files.
NOT_CALLED = ("app", "examples", "help", "reproduce", "datasets", "template", "cite")
BESIDE = {
    "explain": ["--individual", "Abe"],
    "join": ["own.csv", "--individual", "individual", "--date", "date"],
    "multiverse": ["Abe > Bo"],
    "fragility": ["Abe > Bo", "--runs", "20"],
    "over-time": ["linearity", "--window", "1m"],
    "plot over-time": ["linearity", "--window", "1m"],
    "predict": ["next.csv"],
    "simulate-season": ["next.csv"],
    "plot places": ["next.csv"],
    "study": ["--by", "group", "--measures", "linearity"],
    "plot forest": ["--by", "group", "--measure", "linearity"],
    "without": ["--individuals", "Di"],
}


def any_command(rng) -> str:
    """Any command on a sheet without a fault, with flags that fit; one in three with an odd one."""
    from tests.fuzzing import verbs

    verbs.record(rng).to_table().write_csv("record.csv")
    verbs.two_groups().to_table().write_csv("groups.csv")
    pl.DataFrame(verbs.visits(rng)).write_csv("visits.csv")
    pl.DataFrame(verbs.FIXTURES).write_csv("next.csv")
    own = {"individual": ["Abe", "Bo"], "date": ["2024-02-01", "2024-03-01"]}
    pl.DataFrame(own).write_csv("own.csv")
    known = dict(leaves())
    name = pick(rng, sorted(known))
    if name in NOT_CALLED:
        return run_command([*name.split(), "--help"])
    file = "visits.csv" if name in OF_VISITS else "record.csv"
    beside = BESIDE.get(name, [])
    arguments = [*name.split(), "groups.csv" if "--by" in beside else file, *beside]
    options = {o.opts[-1]: o for o in known[name].params if o.opts[0].startswith("--")}
    for flag, value in SMALL.items():
        if flag in options and flag not in arguments:
            arguments += [flag, value]
    if name.startswith("plot"):
        arguments += ["-o", pick(rng, ("figure.svg", "figure.png", "figure.pdf"))]
    elif name == "report":
        arguments += ["-o", "page.html"]
    fit = [o for o in options.values() if getattr(o.type, "choices", None) or o.is_flag]
    for option in [pick(rng, fit) for _ in range(pick(rng, (0, 1, 1))) if fit]:
        choices = list(getattr(option.type, "choices", None) or ())
        if option.name not in KEPT_SMALL:
            arguments += [option.opts[-1], *([str(pick(rng, choices))] if choices else [])]
    odd = [option for option in options.values() if option.name not in KEPT_SMALL]
    if odd and maybe(rng, 0.33):
        arguments += _value(rng, pick(rng, odd))
    return run_command(arguments)


def shell_call(rng) -> str:
    """A command with odd files and flags, in this process; returns what happened."""
    return run_command(shell_arguments(rng))


def run_command(arguments: list[str]) -> str:
    """A command of the shell, in this process; returns what happened."""
    for old in Path().glob("*out.*"):
        old.unlink()
    done = CliRunner().invoke(cli.main, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    printed = done.stdout + done.stderr
    as_file = (
        done.stdout.startswith("PAR1")
        or any(form in (done.stdout[:1],) for form in "{[")
        or "," in done.stdout[:200]
    )
    shown = done.stderr if as_file else printed
    assert "unexpected internal error" not in printed, printed
    assert not RAW.search(shown), f"raw control characters: {shown!r}"
    assert done.exit_code in (0, 1, 2, 3), f"exit code {done.exit_code}"
    assert done.exit_code == 0 or printed.strip(), "failed without a message"
    _check_files(done.exit_code)
    return "ok" if done.exit_code == 0 else "refused"


def _check_files(exit_code: int) -> None:
    """What was written is whole; a command that failed wrote nothing."""
    for path in Path().glob("*out.*"):
        assert not path.name.startswith("."), f"{path.name} was left behind"
        assert exit_code == 0, f"{path.name} was written by a command that failed"
        if path.suffix == ".xlsx":
            pl.read_excel(path, sheet_id=0, raise_if_empty=False)
        elif path.suffix == ".parquet":
            pl.read_parquet(path)


def shell_process(rng) -> str:
    """A command in a process of its own, its data through a pipe: nothing ends it by a signal."""
    path = odd_file(rng)
    command = [sys.executable, "-m", "peckorder", pick(rng, ("check", "elo")), "-"]
    raw = path.read_bytes() if path.is_file() else b""
    done = subprocess.run(command, input=raw, capture_output=True, check=False)
    assert done.returncode in (0, 1, 2, 3), f"exit code {done.returncode}"
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return "ok" if done.returncode == 0 else "refused"
