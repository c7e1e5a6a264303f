"""Run benchmarks: one table of their results, a record by commit, and what fell behind.

Every program notes its results in a file (see `note` in common.py). The table shows the job, our
value, the best other way, their ratio (how many times as fast we are), the target, and by how much
it is missed. Results are appended to benchmarks/record.jsonl with the commit and the speed of the
machine, by which times are divided before they are compared with the best earlier ones.

Usage: python benchmarks/run.py [--quick] [PROGRAM …]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import print_table

HERE = Path(__file__).parent
RECORD = HERE / "record.jsonl"
PROGRAMS = (
    *("kernel", "end_to_end", "parquet", "many_files", "databases", "shell", "speed", "structure"),
    *("orders", "further_orders", "tune", "long_records", "simulation", "report", "joins"),
    *("visits", "rater", "leaderboard_speed", "study", "cluster", "app", "bayes"),
)
BEHIND = 1.25
TIMES = ("s", "ms", "µs", "CPU s", "CPU ms")
HEADER = ("job", "ours", "best peer", "ratio", "target", "")


def shown(value: float, unit: str) -> str:
    """A number with three digits, and its unit."""
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{number} {unit}".strip()


def ratio_of(row: dict[str, Any]) -> float | None:
    """How many times as fast as the peer we are; rates count the other way round."""
    if row["peer"] is None:
        return None
    ours, theirs = row["ours"], row["peer"][1]
    return ours / theirs if "/" in row["unit"] else theirs / ours


def judged(row: dict[str, Any]) -> tuple[str, str]:
    """The target in words, and whether it is met or by how much it is missed."""
    unit, ours = row["unit"], row["ours"]
    ratio = ratio_of(row)
    if row["times_peer"] is not None and ratio is not None:
        return f"≥ {row['times_peer']:g} × {row['peer'][0]}", _verdict(ratio, row["times_peer"])
    if row["most"] is not None:
        return f"≤ {shown(row['most'], unit)}", _verdict(row["most"], ours)
    if row["least"] is not None:
        return f"≥ {shown(row['least'], unit)}", _verdict(ours, row["least"])
    return "", ""


def _verdict(reached: float, needed: float) -> str:
    if reached >= needed:
        return "met"
    short = needed / reached - 1 if reached > 0 else float("inf")
    return f"MISSED by {100 * short:.0f}%"


def lines(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The lines of the table, in the order in which they were noted."""
    found = []
    for row in rows:
        ratio = ratio_of(row)
        peer = "" if row["peer"] is None else f"{row['peer'][0]} {shown(row['peer'][1], '')}"
        times = "" if ratio is None else f"{ratio:.3g} ×"
        job = f"{row['program']}: {row['job']}"
        found.append((job, shown(row["ours"], row["unit"]), peer, times, *judged(row)))
    return found


def machine() -> float:
    """CPU seconds of a fixed loop and a fixed product: how fast this machine is at present."""
    import numpy as np

    matrix = np.random.default_rng(1).normal(size=(50, 50))  # too small for threads, which wait
    taken = []
    for _ in range(5):
        begin = time.process_time()
        total = 0.0
        for n in range(300_000):
            total += n * 0.5
        for _ in range(1280):
            _ = matrix @ matrix
        taken.append(time.process_time() - begin)
    return min(taken)


def commit() -> str:
    """The commit that is measured; with a + if files have changed since."""
    asked = (["git", "rev-parse", "--short", "HEAD"], ["git", "status", "--porcelain", "-uno"])
    one, changed = (subprocess.run(ask, capture_output=True, text=True).stdout for ask in asked)
    return one.strip() + ("+" if changed.strip() else "")


def fell_behind(rows: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[str]:
    """Rows that are slower than the best of earlier commits, relative to the speed of the machine.

    Sizes (MB) and ratios do not depend on it; more than a quarter is reported.
    """
    found = []
    for row in rows:
        same = [
            old for old in before if (old["program"], old["job"]) == (row["program"], row["job"])
        ]
        if not same:
            continue
        best = min(same, key=_cost)
        ratio = _cost(row) / max(_cost(best), 1e-12)
        if ratio > BEHIND:
            value = shown(row["ours"], row["unit"])
            was = f"{shown(best['ours'], best['unit'])} at {best['commit']}"
            found.append(f"{row['program']}: {row['job']}: {value}, was {was} ({ratio:.2f} ×)")
    return found


def _cost(row: dict[str, Any]) -> float:
    """What a row took: seconds in units of the fixed work, the inverse of a rate, or a size."""
    unit, value = row["unit"], row["ours"]
    if "/" in unit:
        return 1 / max(value * row["machine"], 1e-300)
    return value / row["machine"] if unit in TIMES else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help="names of programs; by default all")
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing is recorded")
    given = parser.parse_args()
    failed, speed = [], machine()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.touch()
        for program in given.programs or PROGRAMS:
            command = [sys.executable, str(HERE / f"{program}.py"), *["--quick"] * given.quick]
            if subprocess.run(command, env={**os.environ, "BENCH_ROWS": str(path)}).returncode:
                failed.append(program)
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    speed = min(speed, machine())
    if given.quick:
        print("Quick runs: the numbers are not meaningful.\n")
    table = lines(rows)
    print_table(HEADER, table)
    missed = sum(line[-1].startswith("MISSED") for line in table)
    targets = sum(bool(line[-2]) for line in table)
    print(f"{targets - missed} of {targets} targets met, {missed} missed.")
    if not given.quick:
        old = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
        rows = [row | {"commit": commit(), "machine": speed} for row in rows]
        behind = fell_behind(rows, [json.loads(line) for line in old])
        print("\n".join(["Fell behind:", *behind] if behind else ["Nothing fell behind."]))
        kept = ("commit", "machine", "program", "job", "ours", "unit")
        text = "".join(json.dumps({name: row[name] for name in kept}) + "\n" for row in rows)
        with RECORD.open("a", encoding="utf-8") as file:
            file.write(text)
    if failed:
        raise SystemExit(f"Failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
