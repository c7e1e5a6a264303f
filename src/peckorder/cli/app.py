"""`peckorder app`."""

from __future__ import annotations

import sys

import click

from peckorder.cli.shared import talk

NEEDED = ("starlette", "uvicorn", "plotly", "jinja2")


@click.command()
@click.argument("file", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port of the server; 0 chooses a free one.",
)
@click.option("--no-open", is_flag=True, help="Do not open the browser; only print the address.")
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Listen at this address of the machine, for a server of a lab, instead of at loopback. "
    "Others need the printed address with its token. The connection is not encrypted.",
)
def app(file: str | None, port: int, no_open: bool, listen: str | None) -> None:
    """Check, explore and report data in a browser.

    FILE is a sheet of contests, or a workspace that was saved by the app (work.zip). The first
    line printed is the address to open. Data do not leave this machine. Stop with Ctrl-C.
    """
    from importlib.util import find_spec
    from pathlib import Path

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"peckorder app needs {' and '.join(missing)}. Install it with: "
            f'pip install "peckorder[app]"'
        )
    from peckorder.app.server import serve

    if file is not None and not Path(file).is_file():
        raise click.UsageError(f"File not found: {file}.")

    def say(text: str) -> None:
        click.echo(text)
        sys.stdout.flush()

    serve(file, port=port, show=not no_open, listen=listen, say=say, warn=talk)
