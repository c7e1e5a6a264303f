"""Odd commands of the shell, in this process and in processes of their own."""

import re
import subprocess
import sys

from click.testing import CliRunner

from peckorder import cli
from tests.fuzzing.calls import odd_file
from tests.fuzzing.odd import SHELL_VALUES
from tests.fuzzing.tables import maybe, pick

COMMANDS = (
    *[
        "check",
        "check",
        "elo",
        "elo",
        "elo",
        "davids-score",
        "isi",
        "bradley-terry",
        "steepness",
        "linearity",
        "transitivity",
    ],
    *[
        "consistency",
        "stability",
        "dyads",
        "unknown-dyads",
        "order-test",
        "indices",
        "evaluate",
        "calibration",
    ],
    *[
        "randomized-elo",
        "hierarchy-shape",
        "reversals",
        "win-share",
        "dynamic",
        "predict",
        "glicko",
        "areas",
    ],
)
SLOW_COMMANDS = (
    "plot bump",
    "plot matrix",
    "fit",
    "plot trajectories",
    "compare",
    "tune",
    "without",
)
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202a-\u202e]")


def shell_arguments(rng) -> list[str]:
    """A command with a file and a few options."""
    known = [name for name in COMMANDS if name in cli.main.commands]
    if maybe(rng, 0.02):
        known = SLOW_COMMANDS
    command = pick(rng, known).split()
    params = cli.main.commands[command[0]]
    if len(command) > 1:
        params = getattr(params, "commands", {}).get(command[1], params)
    path = (
        str(odd_file(rng, clean=maybe(rng, 0.5)))
        if maybe(rng, 0.97)
        else pick(rng, ("none.csv", ".", "", "a\x1bb"))
    )
    arguments = [*command, path]
    options = {o.opts[-1]: o for o in params.params if o.opts[0].startswith("-")}
    for name, small in (
        ("--runs", "12"),
        ("--samples", "20"),
        ("--warmup", "20"),
        ("--chains", "1"),
    ):
        if name in options:
            arguments += [name, small]
    if command[0] == "plot":
        arguments += ["-o", "figure.png"]
    for _ in range(pick(rng, (0, 0, 0, 1, 1, 2, 3)) if options else 0):
        option = options[pick(rng, sorted(options))]
        if option.name in (
            "help",
            "runs",
            "samples",
            "warmup",
            "chains",
            "effort",
            "output",
            "history",
        ):
            continue
        choices = getattr(option.type, "choices", None)
        value = pick(rng, choices) if choices and maybe(rng, 0.8) else pick(rng, SHELL_VALUES)
        arguments += (
            [option.opts[-1]] if getattr(option, "is_flag", False) else [option.opts[-1], value]
        )
    return arguments


def shell_call(rng) -> str:
    """A command of the shell, in this process; returns what happened."""
    done = CliRunner().invoke(cli.main, shell_arguments(rng))
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
    return "ok" if done.exit_code == 0 else "refused"


def shell_process(rng) -> str:
    """A command in a process of its own, its data through a pipe: nothing ends it by a signal."""
    path = odd_file(rng)
    command = [sys.executable, "-m", "peckorder", pick(rng, ("check", "elo")), "-"]
    done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert done.returncode in (0, 1, 2, 3), f"exit code {done.returncode}"
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return "ok" if done.returncode == 0 else "refused"
