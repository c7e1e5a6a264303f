"""Prints how much of the code the tests ran: python -m tests.coverage_summary, after the tests."""

import json
import tempfile
from pathlib import Path

from coverage import Coverage

WELL_COVERED = 90


def summary(measured: dict) -> str:
    """The total, and every module below the share that counts as well covered."""
    total = measured["totals"]["percent_covered"]
    shares = {
        Path(name).as_posix().partition("peckorder/")[2]: file["summary"]["percent_covered"]
        for name, file in measured["files"].items()
    }
    below = sorted((share, name) for name, share in shares.items() if share < WELL_COVERED)
    lines = [f"Coverage: {total:.1f}% of lines (compiled kernels cannot be measured)."]
    if below:
        lines.append(f"Below {WELL_COVERED}%:")
        lines += [f"  {share:5.1f}%  {name}" for share, name in below]
    return "\n".join(lines)


def main() -> None:
    coverage = Coverage(messages=False)
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(report))
        print(summary(json.loads(report.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
