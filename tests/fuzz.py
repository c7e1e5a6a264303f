"""Inputs that cannot break it: odd tables, files, calls and commands, by the thousand.

Every case is determined by the seed and its number. It ends well, or with a clear error of the
package; anything else is a finding: another exception, a warning of another package, a number that
is not finite and not explained, a crash by a signal, more than 20 s of processor time or 4 GB of
memory, a file that is left behind, or a raw control character on the screen. Cases run in a process
of their own with these limits, which is started again after a crash.

    python -m tests.fuzz                        # 2,000 cases
    python -m tests.fuzz --cases 100000         # a study; --first and --seed for others
    python -m tests.fuzz --case 17 --seed 1     # one case again, with its traceback
"""

import argparse
import faulthandler
import json
import os
import queue
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from peckorder.tables import UNFINISHED

SECONDS, TO_START, MEGABYTES = 20, 600, 4096
PATIENCE = 30  # a busy machine may take this many times longer than the processor time
LONGEST_MESSAGE = 4000
PYTHONS_OWN = re.compile(r"\(\) (missing \d+ required|got an unexpected keyword)")


def chosen_case(number: int, seed: int):
    """The generator of a case, and the function that runs it."""
    from tests.fuzzing.families import FAMILIES

    rng = np.random.default_rng([seed, number])
    functions, weights = zip(*FAMILIES, strict=True)
    return rng, functions[int(rng.choice(len(functions), p=weights))]


def ours(one: warnings.WarningMessage) -> bool:
    """Whether a warning is meant for users of this package, or was caused by the tests."""
    from peckorder.errors import DataWarning

    ending = f"{os.sep}tests{os.sep}"
    return issubclass(one.category, DataWarning | ResourceWarning) or ending in one.filename


def run_case(number: int, seed: int) -> tuple[str, str]:
    """What happened (ok, refused or finding) and, for a finding, the details."""
    import peckorder as po

    rng, function = chosen_case(number, seed)
    try:
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            outcome = str(function(rng) or "ok")
        foreign = [one for one in issued if not ours(one)]
        left = [path.name for path in Path().rglob(f".*{UNFINISHED}")]
        assert not foreign, f"warning of another package: {foreign[0]}"
        assert not left, f"left behind: {left}"
        return outcome, ""
    except po.PeckorderError as error:
        message = str(error).strip()
        clear = 0 < len(message) <= LONGEST_MESSAGE
        return ("refused", "") if clear else ("finding", f"unclear message {message[:200]!r}")
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        return "refused", ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of polars is not an Exception
        if isinstance(error, TypeError) and PYTHONS_OWN.search(str(error)):
            return "refused", ""
        details = "".join(traceback.format_exception(error)[-12:])
        return "finding", f"{function.__name__}: {details}"


def work(first: int, last: int, seed: int, seconds: float) -> None:
    """Run cases in this process, one line of JSON each, in an empty folder.

    A case that takes more processor time than `seconds` ends the process by SIGPROF, even within
    compiled code.
    """
    limit = MEGABYTES << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers, sys.stdout = sys.stdout, sys.stderr  # what a case prints is no answer

    def answer(**content) -> None:
        print(json.dumps(content), file=answers, flush=True)

    chosen_case(first, seed)  # imports everything
    answer(ready=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(first, last):
            answer(case=number)
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            outcome, details = run_case(number, seed)
            signal.setitimer(signal.ITIMER_PROF, 0)
            answer(outcome=outcome, details=details, took=time.process_time() - began)
        os.chdir("/")
    os._exit(0)  # the app of this process has threads that are not waited for


class Tallied:
    """Counts of outcomes, findings by case, and the slowest cases."""

    def __init__(self, *, loud: bool):
        self.counts: Counter[str] = Counter()
        self.findings: dict[int, str] = {}
        self.slowest: list[tuple[float, int]] = []
        self.loud = loud

    def add(self, case: int, outcome: str, details: str = "", took: float = 0.0) -> None:
        self.counts[outcome] += 1
        self.slowest = sorted([*self.slowest, (took, case)])[-5:]
        if outcome == "finding":
            self.findings[case] = details
            if self.loud:
                print(f"case {case}: {details}", flush=True)


def run(
    first: int, last: int, seed: int, *, seconds: float = SECONDS, loud: bool = False
) -> Tallied:
    """Run cases in another process, which is started again after a crash or a hang."""
    found = Tallied(loud=loud)
    while first < last:
        first = _run_until_it_ends(first, last, seed, seconds, found)
    return found


def _run_until_it_ends(first: int, last: int, seed: int, seconds: float, found: Tallied) -> int:
    """Run cases until the process ends; returns the case to go on with."""
    command = [sys.executable, "-m", "tests.fuzz", "--work"]
    command += [str(argument) for argument in (first, last, seed, seconds)]
    alone = {"POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1", "RUST_BACKTRACE": "0"}
    running = None
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | alone,
        text=True,
    ) as process:
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_hand_on, args=(process.stdout, lines), daemon=True).start()
        while line := _next(lines, PATIENCE * seconds if running is not None else TO_START):
            said = json.loads(line)
            if "case" in said:
                running = said["case"]
            elif "outcome" in said:
                found.add(running, **said)
                first, running = running + 1, None
        hangs = process.poll() is None and line is None
        process.kill()
    if running is None and first < last:
        raise RuntimeError(f"The cases could not be run (exit code {process.returncode}).")
    if running is not None:
        details = f"the process ended with exit code {process.returncode}"
        if process.returncode == -signal.SIGPROF:
            details = f"more than {seconds:g} s of processor time"
        elif hangs:
            details = f"hang: more than {PATIENCE * seconds:g} s"
        found.add(running, "finding", details)
        first = running + 1
    return first


def _hand_on(stream, lines: queue.Queue) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


def _next(lines: queue.Queue, seconds: float) -> str | None:
    """The next line, "" at the end, or None if it does not come in time."""
    try:
        return lines.get(timeout=seconds)
    except queue.Empty:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this case alone, in this process")
    parser.add_argument("--work", nargs=4, type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        first, last, seed, seconds = given.work
        work(int(first), int(last), int(seed), seconds)
    elif given.case is not None:
        faulthandler.enable()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(*run_case(given.case, given.seed), sep="\n", flush=True)
            os.chdir("/")
        os._exit(0)
    else:
        began = time.time()
        found = run(given.first, given.first + given.cases, given.seed, loud=True)
        print(
            f"{given.cases:,} cases, seed {given.seed}: {found.counts['ok']:,} ok, "
            f"{found.counts['refused']:,} refused with a clear error, "
            f"{len(found.findings):,} findings; {time.time() - began:.0f} s"
        )
        print("slowest:", ", ".join(f"case {case} ({took:.1f} s)" for took, case in found.slowest))
        sys.exit(bool(found.findings))


if __name__ == "__main__":
    main()
