"""A dask cluster of the tests' own: a scheduler and workers, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECONDS = 120


@dataclass
class Cluster:
    folder: Path
    processes: list[subprocess.Popen] = field(default_factory=list)
    workers: list[subprocess.Popen] = field(default_factory=list)
    address: str = ""

    def start(self, *command: str, env: dict[str, str] | None = None) -> subprocess.Popen:
        log = (self.folder / "log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=self.folder,
            env=env or environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()
        self.processes.append(process)
        return process

    def add_worker(self, env: dict[str, str] | None = None) -> subprocess.Popen:
        process = self.start(
            *("dask", "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
            *("--local-directory", str(self.folder), "--host", "127.0.0.1"),
            env=env,
        )
        self.workers.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
            process.wait()


def environment() -> dict[str, str]:
    """Workers import the package and the tests from here; a task may end one worker, not two."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }


@contextlib.contextmanager
def running(workers: int = 2) -> Iterator[Cluster]:
    """A scheduler and its workers, until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="peckorder-dask-", ignore_cleanup_errors=True) as place:
        cluster = Cluster(Path(place))
        try:
            file = cluster.folder / "scheduler.json"
            cluster.start(
                *("dask", "scheduler", "--host", "127.0.0.1", "--port", "0"),
                *("--no-dashboard", "--scheduler-file", str(file)),
            )
            until = time.monotonic() + SECONDS
            while not cluster.address:
                with contextlib.suppress(OSError, ValueError):
                    cluster.address = json.loads(file.read_text())["address"]
                assert time.monotonic() < until, (cluster.folder / "log").read_text()
                time.sleep(0.05)
            for _ in range(workers):
                cluster.add_worker()
            yield cluster
        finally:
            cluster.stop()
