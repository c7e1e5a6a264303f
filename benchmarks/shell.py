"""CPU time of short shell commands, relative to `python -c "import numba"`.

User and system time of a fresh process that rates the 33 contests of adv.csv, with bytecode and
numba's code cached; median of nine, commands alternating. No package with numba loops can avoid
`import numba`, so it serves as the reference.

Target: `peckorder elo adv.csv` at most 3.5 times `import numba`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from common import Times, median, print_table, verdict, wants_quick, with_bytecode_in

BASE = 'python -c "import numba"'
RATING = "peckorder elo adv.csv"


def commands() -> dict[str, list[str]]:
    from peckorder.data.datasets import CATALOGUE

    python, shell = [sys.executable, "-c"], [sys.executable, "-m", "peckorder"]
    return {
        BASE: [*python, "import numba"],
        RATING: [*shell, "elo", CATALOGUE["adv"].path],
        "peckorder --help": [*shell, "--help"],
        'python -c "import peckorder"': [*python, "import peckorder"],
        'python -c "import polars"': [*python, "import polars"],
        'python -c "pass"': [*python, "pass"],
    }


def run(command: list[str], environment: dict[str, str]) -> Times:
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit status {child.returncode}.")
    return Times(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime)


def main() -> None:
    runs = 3 if wants_quick(__doc__) else 9
    each_command = commands()
    taken: dict[str, list[Times]] = {name: [] for name in each_command}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs + 1):
            for name, command in each_command.items():
                times = run(command, with_bytecode_in(folder))
                if number > 0:  # the first round fills caches
                    taken[name].append(times)
    times = {name: median(each) for name, each in taken.items()}
    base = times[BASE].cpu
    rows = [
        [name, f"{t.cpu:.2f}", f"{t.wall:.2f}", f"{t.cpu / base:.2f}"] for name, t in times.items()
    ]
    print(f"Fresh processes, median of {runs}, seconds")
    print_table(["", "CPU", "wall", "CPU ÷ numba"], rows)
    ratio = times[RATING].cpu / base
    print(f"Target ≤ 3.5 × import numba: {ratio:.2f} ×, {verdict(ratio <= 3.5)}")


if __name__ == "__main__":
    main()
