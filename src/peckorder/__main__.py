"""The shell command as a module: `python -m peckorder`."""

from peckorder.cli import main

main(prog_name="peckorder")
