"""A Slurm of the tests' own on this machine: munged, slurmctld and slurmd as child processes.

One node with a few processors that exist on paper only, no cgroups, no database and no service
manager; its files are in a temporary folder, so that a Slurm that is installed and running is not
disturbed. All is gone at the end, also if the tests fail.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.postgres_server import ends_with_parent

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
SECONDS = 240
CONF = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=60
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=tests Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


@dataclass(frozen=True)
class Slurm:
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the programs of Slurm need to find this one."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": search_path()}

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def jobs(self) -> list[str]:
        """Numbers of the jobs that run."""
        return self.run("squeue", "-h", "-t", "RUNNING", "-o", "%i").split()


def search_path() -> str:
    """The path with the folders of daemons, which users do not have."""
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def missing() -> list[str]:
    """Programs that are not installed."""
    return [name for name in PROGRAMS if shutil.which(name, path=search_path()) is None]


@contextlib.contextmanager
def running() -> Iterator[Slurm]:
    """A Slurm with one idle node, until the end of the block."""
    slurm = Slurm(Path(tempfile.mkdtemp(prefix="peckorder-slurm-", dir="/tmp")))
    processes: list[subprocess.Popen] = []
    try:
        _write_files(slurm.folder)
        munge = ["--key-file", "munge.key", "--socket", "munge.socket", "--pid-file", "munge.pid"]
        munge += ["--log-file", "munge.log", "--seed-file", "munge.seed"]
        own = [f"{slurm.folder}/{word}" if word.startswith("munge") else word for word in munge]
        processes.append(_started(slurm, "munged", "--foreground", "--force", *own))
        _wait(lambda: (slurm.folder / "munge.socket").exists(), slurm, processes)
        processes.append(_started(slurm, "slurmctld", "-D", "-c"))
        processes.append(_started(slurm, "slurmd", "-D"))
        _wait(lambda: slurm.run("sinfo", "-h", "-o", "%T") == "idle", slurm, processes)
        yield slurm
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            for job in slurm.run("squeue", "-h", "-o", "%i").split():
                slurm.run("scancel", "--signal=KILL", "--full", job)
                slurm.run("scancel", job)
        for process in reversed(processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(slurm.folder, ignore_errors=True)


def _write_files(folder: Path) -> None:
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    host, user = socket.gethostname().partition(".")[0], getpass.getuser()
    ports = [_free_port(), _free_port()]
    text = CONF.format(host=host, user=user, folder=folder, ports=ports)
    (folder / "slurm.conf").write_text(text)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _started(slurm: Slurm, program: str, *arguments: str) -> subprocess.Popen:
    path = shutil.which(program, path=search_path())
    assert path is not None
    with (slurm.folder / f"{program}.out").open("ab") as log:
        return subprocess.Popen(
            [path, *arguments],
            cwd=slurm.folder,
            env=os.environ | slurm.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=ends_with_parent,
        )


def _wait(ready, slurm: Slurm, processes: list[subprocess.Popen]) -> None:
    until = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(subprocess.CalledProcessError):
            if ready():
                return
        dead = any(process.poll() is not None for process in processes)
        if dead or time.monotonic() > until:
            logs = sorted([*slurm.folder.glob("*.out"), *slurm.folder.glob("*.log")])
            texts = (f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)
            raise RuntimeError("Slurm did not start.\n" + "\n".join(texts))
        time.sleep(0.1)
