"""Inputs that cannot break it: odd tables, files, calls and commands, by the thousand.

Every case is determined by the seed and its number. It ends well, or with a clear error of the
package; anything else is a finding: another exception, a crash by a signal, a hang, too much
memory, or a raw control character on the screen. Cases run in a process of their own with limits
of time and memory, which is started again after a crash.

    python -m tests.fuzz                        # 2,000 cases, as in `make test`
    python -m tests.fuzz --cases 100000         # a study; --first and --seed for others
    python -m tests.fuzz --case 17 --seed 1     # one case again, with its traceback
"""

import argparse
import faulthandler
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter

import numpy as np

SECONDS, MEGABYTES = 60, 6000
LONGEST_MESSAGE = 4000
PYTHONS_OWN = re.compile(r"\(\) (missing \d+ required|got an unexpected keyword)")


def chosen_case(number: int, seed: int):
    """The generator of a case, and the function that runs it."""
    from tests.fuzzing.calls import FAMILIES

    rng = np.random.default_rng([seed, number])
    functions, weights = zip(*FAMILIES, strict=True)
    return rng, functions[int(rng.choice(len(functions), p=weights))]


def run_case(number: int, seed: int) -> tuple[str, str]:
    """What happened (ok, refused or finding) and, for a finding, the details."""
    import peckorder as po

    rng, function = chosen_case(number, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = function(rng) or "ok"
    except po.PeckorderError as error:
        unclear = not str(error).strip() or len(str(error)) > LONGEST_MESSAGE
        return (
            ("finding", f"{function.__name__}: message {str(error)[:200]!r}")
            if unclear
            else ("refused", "")
        )
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        return "refused", ""
    except TypeError as error:  # Python itself refuses a call without a required argument
        if not PYTHONS_OWN.search(str(error)):
            return (
                "finding",
                f"{function.__name__}: {''.join(traceback.format_exception(error)[-12:])}",
            )
        return "refused", ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return "finding", f"{function.__name__}: {''.join(traceback.format_exception(error)[-12:])}"
    return str(outcome), ""


def work(first: int, last: int, seed: int) -> None:
    """Run cases in this process, one line of JSON each, in an empty folder."""
    limit = MEGABYTES << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(first, last):
            print(json.dumps({"case": number}), flush=True)
            began = time.process_time()
            outcome, details = run_case(number, seed)
            taken = time.process_time() - began
            print(json.dumps({"outcome": outcome, "details": details, "took": taken}), flush=True)


def run(first: int, last: int, seed: int, *, seconds: float = SECONDS, loud: bool = False):
    """Counts of outcomes, findings by case, and the slowest cases; each crash begins a new process."""
    counts, findings, slowest = Counter(), {}, []
    while first < last:
        command = [sys.executable, "-m", "tests.fuzz", "--work", str(first), str(last), str(seed)]
        environment = os.environ | {
            "POLARS_MAX_THREADS": "1",
            "NUMBA_NUM_THREADS": "1",
            "RUST_BACKTRACE": "0",
        }
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
        )
        running = None
        for line, late in _lines(process, seconds):
            if late:
                process.kill()
                findings[running] = f"hang: more than {seconds:g} s"
                break
            said = json.loads(line)
            if "case" in said:
                running = said["case"]
                continue
            counts[said["outcome"]] += 1
            slowest = sorted([*slowest, (said["took"], running)])[-5:]
            if said["outcome"] == "finding":
                findings[running] = said["details"]
                if loud:
                    print(f"case {running}: {said['details']}", flush=True)
            first = running + 1
        code = process.wait()
        if first < last and running is not None:
            if running not in findings:
                findings[running] = f"the process ended with exit code {code}"
            if running >= first:
                counts["finding"] += 1
                if loud:
                    print(f"case {running}: {findings[running]}", flush=True)
            first = max(first, running + 1)
        elif first < last:
            raise RuntimeError(f"The cases could not be started (exit code {code}).")
    return counts, findings, slowest


def _lines(process, seconds):
    """Lines of a process, each with whether it is late."""
    import select

    while True:
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        if not ready:
            yield "", True
            return
        line = process.stdout.readline()
        if not line:
            return
        yield line, False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this case alone, in this process")
    parser.add_argument("--work", nargs=3, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(*given.work)
    elif given.case is not None:
        faulthandler.enable()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(*run_case(given.case, given.seed), sep="\n")
    else:
        began = time.time()
        counts, findings, slowest = run(
            given.first, given.first + given.cases, given.seed, loud=True
        )
        print(
            f"{given.cases:,} cases, seed {given.seed}: {counts['ok']:,} ok, {counts['refused']:,} "
            f"refused with a clear error, {len(findings):,} findings; {time.time() - began:.0f} s"
        )
        print("slowest:", ", ".join(f"case {case} ({took:.1f} s)" for took, case in slowest))
        sys.exit(bool(findings))


if __name__ == "__main__":
    main()
