"""python -m peckorder.cli"""

from peckorder.cli import main

main(prog_name="peckorder")
