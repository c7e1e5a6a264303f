"""One table of all benchmarks: job, our value, the best other way, their ratio, and the target.

`make bench` lets every program note its results in a file (see `note` in common.py), and prints
them with this program. The ratio says how many times as fast we are as the best other way. A target
that is missed is followed by how much is lacking.

Usage: python benchmarks/table.py FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from common import print_table

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


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    if any(row["quick"] for row in rows):
        print("Quick runs: the numbers are not meaningful.\n")
    table = lines(rows)
    print_table(HEADER, table)
    missed = sum(line[-1].startswith("MISSED") for line in table)
    targets = sum(bool(line[-2]) for line in table)
    print(f"{targets - missed} of {targets} targets met, {missed} missed.")


if __name__ == "__main__":
    main()
