"""A PostgreSQL server of the tests' own: a new cluster on a free port of this machine.

It is started as a child process, listens to this machine only, asks for a password (SCRAM), and is
gone at the end with its files, also if the tests fail or are killed. PostgreSQL refuses to run as
root, so root starts it as the user postgres.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

USER = "po"
PASSWORD = "s3cret:/p@ss%word"  # characters that an address must encode
STARTS = 5  # another program may take the free port first
SECONDS = 240


@dataclass(frozen=True)
class Server:
    programs: Path
    folder: Path
    port: int

    @property
    def address(self) -> str:
        """The address without the password."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    @property
    def full_address(self) -> str:
        return self.with_password(quote(PASSWORD, safe=""))

    def with_password(self, encoded: str) -> str:
        return self.address.replace(f"//{USER}@", f"//{USER}:{encoded}@")

    def run(self, sql: str) -> str:
        """Run statements as their owner would; returns what they print."""
        command = [
            self.programs / "psql",
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            sql,
        ]
        where = {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": USER,
            "PGDATABASE": "postgres",
            "PGPASSWORD": PASSWORD,
        }
        done = subprocess.run(
            command, env={**os.environ, **where}, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


def programs() -> Path | None:
    """The folder of initdb and postgres; Debian does not put it on the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


def _version(folder: Path) -> float:
    name = folder.parent.name
    return float(name) if name.replace(".", "", 1).isdigit() else 0.0


def _as_whom() -> dict[str, Any]:
    """Arguments of subprocess that give up the rights of root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL does not run as root, and there is no user postgres")


def ends_with_parent() -> None:
    """Let the kernel end the server when the process that started it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """A server with an empty database, until the end of the block."""
    place = programs()
    if place is None:
        raise FileNotFoundError("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="peckorder-pg-", dir="/tmp"))
    process = None
    try:
        whom = _as_whom()
        secret = folder / "password"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o600)
        for path in (folder, secret):
            if whom:
                os.chown(path, whom["user"], whom["group"])
        common = {
            "cwd": "/",
            "env": {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        }
        made = [place / "initdb", "-D", folder / "data", "-U", USER, f"--pwfile={secret}"]
        made += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, **common, **whom)
        for _ in range(STARTS):
            server = Server(place, folder, _free_port())
            process = _started(server, common, whom)
            if process is not None:
                break
        else:
            raise RuntimeError(f"no server started: {(folder / 'log').read_text()[-2000:]}")
        yield server
    finally:
        if process is not None:
            _stopped(process)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _started(server: Server, common: dict, whom: dict) -> subprocess.Popen | None:
    command = [server.programs / "postgres", "-D", server.folder / "data", "-p", str(server.port)]
    command += ["-k", server.folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    command += ["-c", "max_connections=20", "-c", "shared_buffers=16MB"]
    with (server.folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, preexec_fn=ends_with_parent, **common, **whom
        )
    ready = [server.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(server.port)]
    until = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < until:
        if subprocess.run(ready, check=False).returncode == 0:
            return process
        time.sleep(0.05)
    _stopped(process)
    return None


def _stopped(process: subprocess.Popen) -> None:
    """Ask for a fast shutdown, and insist if it takes too long."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
