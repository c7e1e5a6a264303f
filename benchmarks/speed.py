"""CPU seconds of single calls that users wait for, each in a new process.

First uses have an empty cache of compiled loops, and bytecode as installers write it; the other
calls are made twice or more often, and the last is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from common import note, print_table, verdict, wants_quick, with_bytecode_in

SETUP = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, polars as pl, peckorder as po
def contests(n, m, drift=0.0, tie=0.0, dated=False):
    random = np.random.default_rng(1)
    a = random.integers(n, size=m); b = (a + random.integers(1, n, size=m)) % n
    rating = random.normal(0, 1, n); ahead = rating[a] - rating[b]
    if drift:
        ahead = np.empty(m)
        for t in range(m):
            rating[[a[t], b[t]]] += random.normal(0, drift, 2)
            ahead[t] = rating[a[t]] - rating[b[t]]
    won = random.random(m) < 1 / (1 + np.exp(-ahead))
    names = pl.Series([f"i{x}" for x in range(n)])
    frame = pl.DataFrame({"winner": names.gather(np.where(won, a, b)),
                          "loser": names.gather(np.where(won, b, a))})
    if tie:
        frame = frame.with_columns(tie=pl.Series(random.random(m) < tie))
    if dated:
        days = np.datetime64("2015-01-01") + np.arange(m) * 3000 // m
        frame = frame.with_columns(date=pl.Series(days))
    return po.read(frame)
def measured(call, times=2):
    for _ in range(times):
        begin = time.process_time(); call(); taken = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps([taken, memory]))
"""
# Job: the call, numbers of individuals and contests, the same for --quick, the most CPU seconds.
# A file is written by another process, so that memory is that of reading and rating.
JOBS = {
    "dynamic(static=True), 300 × 3,000 with ties": (
        "d = contests({0}, {1}, tie=0.2); "
        "measured(lambda: po.dynamic(d, static=True, seed=1, threads=1))",
        (300, 3_000), (20, 100), 1.2,
    ),
    "dynamic, 200 × 10,000": (
        "d = contests({0}, {1}, 0.05); measured(lambda: po.dynamic(d, seed=1, threads=1))",
        (200, 10_000), (20, 100), 1.6,
    ),
    "dynamic, 60 × 1,500": (
        "d = contests({0}, {1}, 0.05); measured(lambda: po.dynamic(d, seed=1, threads=1))",
        (60, 1_500), (20, 100), 0.12,
    ),
    "steepness_bayes without tosses, 10 × 200": (
        "d = contests({0}, {1}); "
        "measured(lambda: po.steepness_bayes(d, fair_coins=0, seed=1, threads=1), 5)",
        (10, 200), (10, 60), 0.008,
    ),
    "transitivity, 10 × 200": (
        "d = contests({0}, {1}); measured(lambda: po.transitivity(d, seed=1, threads=1), 5)",
        (10, 200), (10, 60), 0.002,
    ),
    "consistency, 10 × 200": (
        "d = contests({0}, {1}); measured(lambda: po.consistency(d, seed=1, threads=1), 5)",
        (10, 200), (10, 60), 0.001,
    ),
    "glicko2, 10,000,000 contests of 1,000, days": (
        "d = po.read('{path}'); measured(lambda: po.sport.glicko2(d, period='day'))",
        (1_000, 10_000_000), (20, 1_000), 3.0,
    ),
    "bradley_terry and P(outranks), 300 × 2,000,000": (
        "d = contests({0}, {1}); measured(lambda: po.bradley_terry(d).outranks('i0', 'i1'))",
        (300, 2_000_000), (20, 1_000), 3.0,
    ),
    "report with the posterior, 44 × 1,015": (
        "import tempfile; file = tempfile.NamedTemporaryFile(suffix='.html'); "
        "d = contests({0}, {1}, dated=True); "
        "measured(lambda: po.report(d, file.name, seed=1, threads=1))",
        (44, 1_015), (5, 60), 8.0,
    ),
}  # fmt: skip
FIRST = {"elo": 0.6, "dynamic": 1.5, "fit": 8.0}


def in_a_new_process(code: str, environment: dict[str, str]) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", SETUP + code], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def first_use(command: str, quick: bool, environment: dict[str, str]) -> float:
    """CPU seconds of a shell command for adv.csv without anything compiled by Numba."""
    from peckorder.datasets import CATALOGUE

    flags = ["--seed", "1"] if command != "elo" else []
    if quick and command == "fit":
        command = "elo"
    with tempfile.TemporaryDirectory() as folder:
        environment = environment | {"NUMBA_CACHE_DIR": folder}
        call = [sys.executable, "-m", "peckorder", command, CATALOGUE["adv"].path]
        child = subprocess.Popen([*call, *flags], env=environment, stdout=-3, stderr=-3)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    quick = wants_quick(__doc__)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        one = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        environment = with_bytecode_in(folder) | one
        for job, (code, size, small, most) in JOBS.items():
            size, path = small if quick else size, f"{folder}/contests.parquet"
            if "{path}" in code:
                written = "contests({0}, {1}, dated=True).to_table().write_parquet('{path}'); "
                written += "measured(int)"
                in_a_new_process(written.format(*size, path=path), environment)
            code = code.format(*size, path=path)
            taken, memory = in_a_new_process(code, environment)
            rows.append([job, f"{taken:.3g}", f"{most:g}", verdict(taken <= most), f"{memory:.2f}"])
            note(job, taken, "CPU s", most=most)
        for command, most in FIRST.items():
            first_use(command, True, environment)  # writes bytecode
            taken, job = first_use(command, quick, environment), f"first use of {command}"
            rows.append([job, f"{taken:.3g}", f"{most:g}", verdict(taken <= most), ""])
            note(job, taken, "CPU s", most=most)
    print_table(["", "CPU s", "at most", "", "GB"], rows)


if __name__ == "__main__":
    main()
