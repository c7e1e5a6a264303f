"""What is left when a process is killed at any moment (kill -9)?

Commands that read, rate, save, report and study, and the app, are killed at random moments: after
a share of the time that they take, up to their end. After each kill:

- what they were writing is as it was before, or whole and as it should be;
- a killed study goes on with the same call and ends with the numbers of one that was not killed;
- no process that they started is left after five seconds;
- unfinished files are hidden, and removed by the next run once they are old.

Short commands spend most of their time on imports. With --quick, commands that write one file are
also killed in copies (fork) of a process that has imported everything: most kills meet the work.

Usage: python benchmarks/kills.py [--kills 1000] [--quick 0] [--seed 1]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import polars as pl

import peckorder as po
from peckorder.tables import ABANDONED, UNFINISHED

OLD = b"what was there before"
ORPHANS = 5.0  # seconds until processes of the killed one must be gone
PECKORDER = (sys.executable, "-m", "peckorder")
STUDY = ("--by", "group", "--measures", "linearity,davids_score", "--seed", "1")


def groups(path: Path, number: int = 12) -> None:
    """A sheet of several groups."""
    rows = ["group,date,winner,loser"]
    dice = random.Random(1)
    for group in range(number):
        for n in range(40):
            one, other = sorted(dice.sample(range(6), 2))
            rows.append(f"g{group},2024-01-{1 + n % 28:02},{group}a{one},{group}a{other}")
    path.write_text("\n".join(rows) + "\n")


class Kind:
    """A command, the file or folder that it writes, and when that is whole."""

    def __init__(self, name: str, target: str, *command: str):
        self.name, self.target, self.command = name, target, command
        self.seconds, self.expected = 0.0, b""

    def run(self) -> None:
        """Run to the end, to know the result and how long that takes."""
        began = time.monotonic()
        subprocess.run(self.command, check=True, capture_output=True)
        self.seconds = time.monotonic() - began
        self.expected = self.content()

    def content(self) -> bytes:
        """What was written, without the time that it took."""
        path = Path(self.target)
        if path.is_dir():
            return pl.read_csv(path / "table.csv").drop("seconds").write_csv().encode()
        return path.read_bytes()

    def wrong(self) -> str:
        """What is wrong after a kill, or nothing."""
        path = Path(self.target)
        if self.name.startswith("study"):
            for part in path.glob("groups/*.json"):
                json.loads(part.read_bytes())
            again = subprocess.run(self.command, capture_output=True, text=True, check=False)
            if again.returncode:
                return f"does not go on: {again.stderr[-200:]}"
            return "" if self.content() == self.expected else "other numbers"
        return "" if path.read_bytes() in (OLD, self.expected) else "half-written"


SERVER = """
import json, os, sys
import peckorder as po
import peckorder.cli, peckorder.tables, peckorder.ratings.elo, peckorder.data.read, xlsxwriter
for line in sys.stdin:
    number = os.fork()
    if number == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        peckorder.cli.main(json.loads(line))
    print(number, flush=True)
    print(os.waitpid(number, 0)[1], flush=True)
"""


class Forked:
    """A process that has imported everything, and runs commands in copies of itself."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, kind: Kind, seconds: float | None = None) -> int:
        """Run a command and, after these seconds, kill it; its status, 9 if it was killed."""
        print(json.dumps(kind.command[len(PECKORDER) :]), file=self.process.stdin, flush=True)
        number = int(self.process.stdout.readline())
        if seconds is not None:
            time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.kill(number, signal.SIGKILL)
        return int(self.process.stdout.readline())

    def quick_kills(self, kinds: list[Kind], kills: int, dice: random.Random) -> list[str]:
        """Kill at any moment between the fork and the end, and print how many met a command."""
        findings, met = [], 0
        for kind in kinds * 2:  # the second time, without waiting for imports
            began = time.monotonic()
            if self.run(kind) or kind.content() != kind.expected:
                findings.append(f"{kind.name}: not as in a process of its own")
            kind.seconds = time.monotonic() - began
        for number in range(kills):
            kind = kinds[number % len(kinds)]
            Path(kind.target).write_bytes(OLD)
            met += self.run(kind, dice.uniform(0, 1.05) * kind.seconds) == signal.SIGKILL
            if wrong := kind.wrong() or leftovers():
                findings.append(f"{kind.name}: {wrong}")
                print(findings[-1], flush=True)
            if (number + 1) % 20 == 0:
                print(f"{number + 1} quick kills, {met} before the end", flush=True)
        self.process.stdin.close()
        self.process.wait()
        print(f"{kills:,} quick kills: {met:,} before the end, {len(findings)} findings")
        return findings


def descendants(marker: str) -> list[int]:
    """Processes that carry a marker in their environment (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def killed(kind: Kind, dice: random.Random, number: int) -> str:
    """Run, kill at a random moment, and look at what is left."""
    path = Path(kind.target)
    if kind.name.startswith("study"):
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.write_bytes(OLD)
    marker = f"KILL_NUMBER={number}-{os.getpid()}"
    process = subprocess.Popen(
        kind.command,
        env=os.environ | dict([marker.split("=")]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Most kills in the last third, where files are written.
    share = dice.uniform(0.2, 1.05) if dice.random() < 0.4 else dice.uniform(0.67, 1.05)
    time.sleep(kind.seconds * share)
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + ORPHANS
    while (left := descendants(marker)) and time.monotonic() < end:
        time.sleep(0.1)
    for orphan in left:
        os.kill(orphan, signal.SIGKILL)
    if left:
        return f"{len(left)} processes are left"
    return kind.wrong()


def app_wrong(dice: random.Random, number: int) -> str:
    """Kill the app while it is used: nothing of the user is changed, and no process is left."""
    sheet = Path("adv.csv")
    before = sheet.read_bytes()
    marker = f"KILL_NUMBER=app{number}-{os.getpid()}"
    process = subprocess.Popen(
        [*PECKORDER, "app", "--no-open", "--port", "0", str(sheet)],
        env=os.environ | dict([marker.split("=")]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    started = process.stdout.readline().startswith("http://127.0.0.1:")
    time.sleep(dice.uniform(0, 1.5))
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.5)
    if left := descendants(marker):
        return f"{len(left)} processes are left"
    return "" if started and sheet.read_bytes() == before else "the sheet has changed"


def leftovers() -> str:
    """Unfinished files are hidden, and old ones are removed by the next run."""
    names = [path for path in Path().rglob("*") if path.name.endswith(UNFINISHED)]
    long_ago = time.time() - 2 * ABANDONED
    for path in names:
        if not path.name.startswith("."):
            return f"{path} is not hidden"
        os.utime(path, (long_ago, long_ago))
    return ""


def main(kills: int, quick: int, seed: int) -> None:
    """Kill, and print what was found."""
    dice = random.Random(seed)
    po.datasets.adv().to_table().write_csv("adv.csv")
    groups(Path("groups.csv"))
    kinds = [
        Kind("save", "clean.csv", *PECKORDER, "clean", "adv.csv", "-o", "clean.csv"),
        Kind("rate", "ratings.xlsx", *PECKORDER, "elo", "adv.csv", "-o", "ratings.xlsx"),
        Kind(
            "report", "page.html", *PECKORDER, "report", "adv.csv", "--seed", "1", "-o", "page.html"
        ),
        Kind(
            "study",
            "one",
            *PECKORDER,
            "study",
            "groups.csv",
            *STUDY,
            "--folder",
            "one",
            "--workers",
            "1",
        ),
        Kind(
            "study in processes",
            "two",
            *(*PECKORDER, "study", "groups.csv", *STUDY, "--folder", "two", "--workers", "2"),
        ),
    ]
    for kind in kinds:
        kind.run()
        if not kind.name.startswith("study"):
            kind.run()  # compiled by now
    counts: Counter[str] = Counter()
    findings = []
    began = time.monotonic()
    names = ["save", "rate", "rate", "report", "study", "study in processes", "app"]
    for number in range(kills):
        name = names[number % len(names)]
        if name == "app":
            wrong = app_wrong(dice, number)
        else:
            wrong = killed(next(kind for kind in kinds if kind.name == name), dice, number)
        counts[name] += 1
        if wrong := wrong or leftovers():
            findings.append(f"{name}: {wrong}")
            print(findings[-1], flush=True)
        if (number + 1) % 10 == 0:
            print(f"{number + 1} kills, {len(findings)} findings", flush=True)
    if quick:
        findings += Forked().quick_kills(kinds[:2], quick, dice)
    for kind in kinds[:3]:
        subprocess.run(kind.command, check=True, capture_output=True)
    left = [str(path) for path in Path().glob(f".*{UNFINISHED}")]
    shares = ", ".join(f"{name} {counts[name]}" for name in counts)
    print(
        f"{kills:,} kills ({shares}): {len(findings)} findings, {len(left)} files left in the end"
    )
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(bool(findings or left))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--quick", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(given.kills, given.quick, given.seed)
        os.chdir("/")
