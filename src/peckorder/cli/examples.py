"""The command `peckorder examples`: lists, shows and runs the programs that are shipped.

Each example is a short Python program to read and to change. The wheel holds them in the folder
`peckorder/examples`; in a checkout they are in `examples`.
"""

from __future__ import annotations

from pathlib import Path

import click

from peckorder.cli.completion import Offered
from peckorder.cli.shared import say, talk

NOT_OURS = ("gallery",)  # writes the pictures of the documentation


def folder() -> Path:
    """Where the examples are: in the installed package, or next to its sources."""
    package = Path(__file__).parent.parent
    installed = package / "examples"
    return installed if installed.is_dir() else package.parent.parent / "examples"


def programs() -> dict[str, Path]:
    """The examples by name."""
    found = sorted(folder().glob("*.py"))
    return {path.stem: path for path in found if path.stem not in NOT_OURS}


def docstring(path: Path) -> str:
    """What an example says about itself."""
    import ast

    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


@click.command()
@click.argument("name", required=False, type=Offered(lambda _: list(programs())))
@click.argument("arguments", nargs=-1)
@click.option("--show", is_flag=True, help="Print the program instead of running it.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Folder for the files that it writes; default a folder with the name of the example.",
)
def examples(name: str | None, arguments: tuple[str, ...], show: bool, output: str | None) -> None:
    """List the examples, or run the one called NAME.

    An example is a short Python program. Some need data that are not included and take the names
    of files as further ARGUMENTS; --show prints the program, to be read and changed.
    """
    known = programs()
    if name is None:
        for one, path in known.items():
            say(f"{one}: {docstring(path).splitlines()[0]}")
        talk('Run one with "peckorder examples NAME", or read it with --show.')
        return
    if name not in known:
        from peckorder.wording import did_you_mean

        raise click.UsageError(
            f'There is no example "{name}".{did_you_mean([name], known)} "peckorder examples" '
            "lists them."
        )
    if show:
        click.echo(known[name].read_text(encoding="utf-8"), nl=False)
        return
    files = [str(Path(one).resolve()) if Path(one).exists() else one for one in arguments]
    run_program(known[name], files, Path(output or name))


def run_program(program: Path, arguments: list[str], target: Path, *, quiet: bool = False) -> None:
    """Run a program in a folder, and say what it wrote there; `quiet`: not what it printed."""
    import os
    import subprocess
    import sys

    target.mkdir(parents=True, exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in target.iterdir()}
    done = subprocess.run(
        [sys.executable, str(program.resolve()), *arguments],
        cwd=target,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if not quiet:
        say(done.stdout.rstrip())
    if done.returncode:
        talk(done.stderr.rstrip())
        raise click.exceptions.Exit(1)
    written = [p for p in sorted(target.iterdir()) if before.get(p) != p.stat().st_mtime_ns]
    for path in written:
        talk(f"Wrote {path}.")
    if not before and not written:
        target.rmdir()  # it wrote nothing
