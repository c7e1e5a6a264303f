"""What ended without a chance to clean up: killed writers, closed outputs, homes without room."""

import os
import subprocess
import sys
import time

import pytest

import peckorder as po
from peckorder.kernels import Loop
from peckorder.tables import ABANDONED, UNFINISHED, write_whole

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
ADV = po.datasets.CATALOGUE["adv"].path


def test_files_of_killed_writers_are_removed_by_the_next(tmp_path):
    """Those of this target alone, and not while another process may still be at work."""
    names = [f".r.csv.{when}{UNFINISHED}" for when in ("old", "new")]
    for name in [*names, ".r.csv.note", f".other.csv.old{UNFINISHED}"]:
        (tmp_path / name).write_text("half")
        if "old" in name:
            long_ago = time.time() - 2 * ABANDONED
            os.utime(tmp_path / name, (long_ago, long_ago))
    write_whole((tmp_path / "r.csv", b"whole"))
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"r.csv", names[1], ".r.csv.note", f".other.csv.old{UNFINISHED}"}


@pytest.mark.posix
@pytest.mark.parametrize("more", [(), ("--format", "json"), ("--format", "parquet")])
def test_a_closed_output_is_an_error(tmp_path, more):
    command = [sys.executable, "-m", "peckorder", "elo", str(ADV)]
    script = 'exec "$@" >&-'
    lost, kept = (
        subprocess.run(
            ["sh", "-c", script, "sh", *command, *given],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        for given in (more, (*more, "-o", "ratings.csv" if not more else f"ratings.{more[1]}"))
    )
    assert lost.returncode == 1
    assert lost.stderr.startswith("Error: standard output: It is closed; use -o FILE.")
    assert kept.returncode == 0, kept.stderr
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.posix
@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ("--help >&-", 1, "Error: standard output: It is closed"),
        pytest.param("--version >/dev/full", 1, "Error: No space left on device", marks=FULL),
        ("check - <&-", 3, "✗ Standard input (-) is closed. Give the path of a file.\n"),
    ],
)
def test_closed_and_full_streams(given, code, message):
    script = f'exec "$@" {given}'
    command = ["sh", "-c", script, "sh", sys.executable, "-m", "peckorder"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert (done.stdout + done.stderr).startswith(message)


def test_where_nothing_can_be_stored_it_is_said_once(monkeypatch):
    class Numba:
        """Numba without a place for a cache."""

        @staticmethod
        def njit(cache=False, **_):
            if cache:
                raise RuntimeError("cannot cache function: no locator available")
            return lambda function: function

    monkeypatch.setattr(Loop, "numba", Numba)
    monkeypatch.setattr(Loop, "kept", True)
    with pytest.warns(UserWarning, match="Set the environment variable NUMBA_CACHE_DIR") as issued:
        one, other = (Loop(abs, None, cache=True).compile() for _ in range(2))
    assert len(issued) == 1
    assert one is other is abs
