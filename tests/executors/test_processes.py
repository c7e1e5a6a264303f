"""Worker processes: replaced when they die, gone with the process that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import peckorder as po
from peckorder.executors.processes import in_processes, packed
from peckorder.executors.worker import Done, Lost
from tests.many_groups import PATIENCE, prints

pytestmark = pytest.mark.posix
ROOT = Path(__file__).parent.parent.parent


def kills(deaths: Path, item: int) -> int:
    """Kill the own process at items 5 (once) and 9 (always)."""
    if item == 5 and not (deaths / "5").exists():
        (deaths / "5").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if item == 9:
        with (deaths / "9").open("a") as file:
            file.write(".")
        os.kill(os.getpid(), signal.SIGSEGV)
    return item * item


def test_a_worker_that_dies_is_replaced_and_only_a_deadly_item_is_given_up(tmp_path):
    found = dict(in_processes(kills, tmp_path, list(range(30)), 2))
    assert sorted(found) == list(range(30))
    assert found.pop(9) == Lost("was ended by SIGSEGV")
    assert found == {i: Done(i * i) for i in range(30) if i != 9}
    assert (tmp_path / "9").read_text() == "..."  # three times


def test_what_the_work_prints_does_not_disturb(capfd):
    found = dict(in_processes(prints, None, [1, 2, 3], 2))
    assert found == {0: Done(1), 1: Done(2), 2: Done(3)}
    assert "printed by the work" in capfd.readouterr().err


def test_functions_of_a_script_need_no_guard_and_cloudpickle(tmp_path):
    """Unlike with multiprocessing, the script is not run again in the workers."""
    script = tmp_path / "script.py"
    script.write_text("""
from peckorder.executors.mapping import map_in_order

def tripled(shared, item):
    return 3 * item

print("started")
print(map_in_order(tripled, [1, 2, 3], executor=2))
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "started\n[3, 6, 9]\n"


def test_without_cloudpickle_such_functions_are_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(po.ArgumentError, match="executor=1"):
        packed(lambda shared, item: item, None)
    assert packed(prints, None)


def test_a_worker_that_cannot_start_is_reported(monkeypatch):
    monkeypatch.setattr("peckorder.executors.processes.START", "raise SystemExit(3)")
    with pytest.raises(po.ExecutorError, match="could not start: it ended with exit code 3"):
        list(in_processes(prints, None, [1, 2], 2))


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them(how, tmp_path):
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes cannot be looked at")
    script = """
import os, sys, time
from pathlib import Path
from peckorder.executors.mapping import map_in_order
def waits(folder, item):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)
map_in_order(waits, [1, 2], shared=sys.argv[1], executor=2)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path], stderr=subprocess.PIPE, text=True
    ) as parent:
        until = time.monotonic() + PATIENCE
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        assert len(workers) == 2
        parent.send_signal(how)
        _, said = parent.communicate(timeout=PATIENCE)
    assert parent.returncode != 0
    assert ("KeyboardInterrupt" in said) == (how == signal.SIGINT)
    while any(map(running, workers)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(running, workers))
