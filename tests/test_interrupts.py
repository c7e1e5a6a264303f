"""Ctrl-C stops long work and leaves no file; what ends a command as it writes spoils no file.

Ctrl-C is sent once the work is under way, and not after so many seconds, which would be too early on a
busy machine. The work would go on for far longer than the test waits for its end.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests import many_groups

pytestmark = pytest.mark.posix
ADV = po.datasets.CATALOGUE["adv"].path
PATIENCE = 150  # seconds; a kernel that is being compiled is finished first


def interrupted(*command: str, cwd, under_way: str) -> subprocess.CompletedProcess:
    """Run Python until it prints that the work is under way, then press Ctrl-C."""
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            before = ""
            while under_way not in before:
                line = process.stdout.readline()
                assert line, f"ended before the work was under way: {before}"
                before += line
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, printed)


def test_a_command_that_samples(tmp_path):
    fit = ("-m", "peckorder", "fit", str(ADV), "--samples", "2000000", "-o", "post.npz")
    done = interrupted(*fit, cwd=tmp_path, under_way="%")
    assert done.returncode == 1
    assert "Aborted!" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_randomizes(tmp_path):
    wins = np.random.default_rng(1).integers(0, 5, (30, 30))
    np.fill_diagonal(wins, 0)
    po.Matrix(tuple(f"n{i}" for i in range(30)), wins).to_table().write_csv(tmp_path / "big.csv")
    steepness = ("-m", "peckorder", "steepness", "big.csv", "--runs", "100000000")
    done = interrupted(*steepness, "-o", "out.csv", cwd=tmp_path, under_way="steepness:")
    assert done.returncode == 1
    assert "Aborted!" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


def test_a_script_that_samples(tmp_path):
    pairs = [np.random.default_rng(i).choice(60, 2, replace=False) for i in range(6000)]
    names = np.array(pairs).astype(str)
    pl.DataFrame({"winner": names[:, 0], "loser": names[:, 1]}).write_csv(tmp_path / "big.csv")
    script = """
import peckorder as po

def progress(done, of):
    if done:
        print("sampling", flush=True)

po.elo_bayes(po.read("big.csv"), seed=1, samples=100_000, progress=progress).save("post.npz")
"""
    done = interrupted("-c", script, cwd=tmp_path, under_way="sampling")
    assert done.returncode != 0
    assert "KeyboardInterrupt" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


KILLED = """
import os, signal, sys
from peckorder import cli

write, number = os.fdopen, getattr(signal, sys.argv[1])

def half(handle, *how, **more):
    file = write(handle, *how, **more)
    put = file.write
    class Half:
        def __enter__(self):
            return self
        def __exit__(self, *what):
            file.close()
        def write(self, content):
            put(content[: len(content) // 2])
            file.flush()
            os.kill(os.getpid(), number)
    return Half()

os.fdopen = half
cli.main(sys.argv[2:])
"""
WRITERS = {
    "workbook": ("elo", "adv.csv", "-o", "x.xlsx"),
    "report": ("report", "adv.csv", "--methods", "elo", "-o", "x.html"),
    "join": ("join", "adv.csv", "own.csv", "--individual=who", "--date=day", "-o", "x.csv"),
    "aliases": ("check", "adv.csv", "--write-aliases", "x.csv"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_command_ended_while_it_writes_leaves_the_file_as_it_was(tmp_path, name, how):
    """The process is ended when half of the content is written: that is the worst moment."""
    (tmp_path / "adv.csv").write_bytes(Path(ADV).read_bytes())
    (tmp_path / "own.csv").write_text("who,day\na,2010-01-20\n")
    command = WRITERS[name]
    target = tmp_path / command[-1]
    target.write_bytes(b"as it was")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, how, *command],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if how == "SIGKILL" else 1), done.stderr
    assert target.read_bytes() == b"as it was"
    left = {path.name for path in tmp_path.iterdir()} - {"adv.csv", "own.csv", target.name}
    if how == "SIGINT":
        assert not left
    else:  # a killed process cannot tidy up: its temporary file is there, and hidden
        assert all(path.startswith(f".{target.name}.") for path in left)


@pytest.mark.programs
def test_a_study_keeps_the_groups_that_are_done(tmp_path):
    many_groups.table(30).write_csv(tmp_path / "contests.csv")
    study = ("study", "contests.csv", "--measures", "linearity,steepness", "--workers", "2")
    slow = ("--set", "steepness.runs=30000000", "--folder", "st", "--seed", "1")
    with subprocess.Popen(
        [sys.executable, "-m", "peckorder", *study, *slow],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        groups, until = tmp_path / "st" / "groups", time.monotonic() + PATIENCE
        while time.monotonic() < until and not list(groups.glob("*.json")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "Aborted!" in printed
    assert 1 <= len(list(groups.glob("*.json"))) < 30
    assert not (tmp_path / "st" / "table.csv").exists()
