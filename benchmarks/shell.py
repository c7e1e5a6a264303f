"""CPU time of short shell commands, relative to `python -c "import numba"`.

User and system time of a fresh process that rates the 33 contests of adv.csv, with bytecode and
numba's code cached; median of nine, commands alternating. No package with numba loops can avoid
`import numba`, so it serves as the reference.

Then `peckorder elo contests.csv -o ratings.csv` with two million contests among a million
individuals.

Targets: `peckorder elo adv.csv` at most 2.5 times `import numba`; the large file ≤ 4 CPU s.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import (
    Times,
    frame_of_names,
    median,
    note,
    print_table,
    verdict,
    wants_quick,
    with_bytecode_in,
)

BASE = 'python -c "import numba"'
RATING = "peckorder elo adv.csv"


def commands() -> dict[str, list[str]]:
    from peckorder.datasets import CATALOGUE

    python, shell = [sys.executable, "-c"], [sys.executable, "-m", "peckorder"]
    return {
        BASE: [*python, "import numba"],
        RATING: [*shell, "elo", CATALOGUE["adv"].path],
        "peckorder --help": [*shell, "--help"],
        'python -c "import peckorder"': [*python, "import peckorder"],
        'python -c "import polars"': [*python, "import polars"],
        'python -c "pass"': [*python, "pass"],
    }


def run(command: list[str], environment: dict[str, str], errors: int | None = None) -> Times:
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit status {child.returncode}.")
    return Times(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime)


def large_table(folder: str, contests: int, individuals: int, runs: int) -> None:
    """Ratings of very many individuals, written to a file of text."""
    source, target = Path(folder) / "contests.csv", Path(folder) / "ratings.csv"
    frame_of_names(contests, individuals).write_csv(source)
    command = [sys.executable, "-m", "peckorder", "elo", str(source), "-o", str(target)]
    environment = with_bytecode_in(folder)
    # Its warnings about individuals that never met are of no interest here.
    taken = [run(command, environment, subprocess.DEVNULL) for _ in range(runs + 1)]
    cpu = median(taken[1:]).cpu
    job = f"elo -o csv, {contests:,} contests, {individuals:,} names"
    print(f"{job}: {cpu:.2f} CPU s; target ≤ 4 CPU s: {verdict(cpu <= 4)}")
    note(job, cpu, "CPU s", most=4.0)


def main() -> None:
    quick = wants_quick(__doc__)
    runs = 3 if quick else 9
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
    note("elo adv.csv", ratio, "× import numba", most=2.5)
    print(f"Target ≤ 2.5 × import numba: {ratio:.2f} ×, {verdict(ratio <= 2.5)}\n")
    with tempfile.TemporaryDirectory() as folder:
        large_table(folder, *((20_000, 10_000, 1) if quick else (2_000_000, 1_000_000, 3)))


if __name__ == "__main__":
    main()
