"""The shell command as a module: `python -m peckorder.cli`."""

from peckorder.cli import main

main(prog_name="peckorder")
