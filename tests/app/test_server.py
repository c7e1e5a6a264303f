"""The server as a process: its first line, what it opens, and that nothing is left when it is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

import peckorder as po
from peckorder.app import server
from peckorder.app.server import App, listening, names_of, own_folder, serve
from peckorder.cli import main
from peckorder.errors import ArgumentError, DataError
from tests.app.visitor import MESSY, visiting

pytestmark = pytest.mark.programs

LEFT_AFTER = 60.0  # seconds in which nothing may be left


@contextmanager
def running(*arguments, folder):
    """A server, and a client that has opened its address."""
    command = [sys.executable, "-m", "peckorder", "app", "--no-open", *map(str, arguments)]
    own = dict.fromkeys(("TMPDIR", "TEMP", "TMP", "XDG_DATA_HOME", "LOCALAPPDATA"), str(folder))
    home = os.environ | own
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=home
    ) as process:
        try:
            address = process.stdout.readline().strip()
            with httpx.Client(base_url=address.partition("/?")[0], timeout=240) as client:
                yield process, address, client
        finally:
            process.kill()


def opened(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return client


def children(pid):
    """Processes started by a process."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def until(condition, patience=240):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_first_line_is_the_address_and_a_file_is_opened(tmp_path):
    (tmp_path / "sheet.csv").write_text(MESSY, encoding="utf-8")
    with running(tmp_path / "sheet.csv", "--port", 0, folder=tmp_path) as (
        process,
        address,
        client,
    ):
        assert address.startswith("http://127.0.0.1:")
        assert "/?token=" in address
        assert client.get("/api/hello").status_code == 403
        opened(client, address)
        name = client.get("/api/hello").json()["open"]
        state = client.get("/api/state", params={"w": name}).json()
        assert (state["record"]["name"], state["contests"]) == ("sheet.csv", 7)
        assert "server" not in client.get("/").headers
        work = client.get("/take/work.zip", params={"w": name}).content
        (tmp_path / "work.zip").write_bytes(work)
        process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
        process.wait(120)
    assert not list(tmp_path.glob("peckorder-app-*"))
    with running(tmp_path / "work.zip", folder=tmp_path) as (_, address, client):
        name = opened(client, address).get("/api/hello").json()["open"]
        assert client.get("/api/state", params={"w": name}).json()["hash"] == state["hash"]


@pytest.mark.posix
def test_nothing_is_left_where_the_server_is_told_to_end(tmp_path):
    with running(folder=tmp_path) as (process, *_):
        assert list(tmp_path.glob("peckorder-app-*"))
        process.send_signal(signal.SIGTERM)
        process.wait(120)
    assert not list(tmp_path.glob("peckorder-app-*"))


@pytest.mark.posix
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_server_with_an_open_page_ends_without_a_word(tmp_path, sign):
    with running(folder=tmp_path) as (process, address, client):
        opened(client, address)
        name = client.post("/api/example/adv").json()["workspace"]
        with client.stream("GET", "/api/events", params={"w": name}) as stream:
            next(stream.iter_lines())
            process.send_signal(sign)
            assert process.communicate(timeout=120)[1] == ""


@pytest.mark.posix
def test_nothing_is_left_after_kill_9(tmp_path):
    with running(folder=tmp_path) as (process, address, client):
        opened(client, address)
        state = client.post("/api/example/adv").json()
        where = {"w": state["workspace"]}
        for seed in (1, 2):
            ask = {"ask": "enough", "settings": {"runs": 10_000, "seed": seed}}
            assert client.post("/api/jobs", params=where, json=ask).status_code == 200
        end = time.monotonic() + 240
        while time.monotonic() < end:
            jobs = client.get("/api/jobs", params=where).json()["jobs"]
            if all(job["done"] for job in jobs):
                break
            time.sleep(0.1)
        workers = children(process.pid)
        assert len(workers) == 2
        process.send_signal(signal.SIGKILL)
        process.wait(5)
        end = time.monotonic() + LEFT_AFTER
        while any(map(alive, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(map(alive, workers))
    left = list(tmp_path.glob("peckorder-app-*"))
    assert len(left) == 1  # nobody could remove it; the next server does, once it is old
    old = time.time() - 2 * server.STALE
    os.utime(left[0] / server.ALIVE, (old, old))
    with running(folder=tmp_path):
        assert not left[0].exists()


@pytest.mark.posix
def test_a_job_ends_with_its_input_where_the_system_does_not_help(tmp_path):
    """The pipe alone ends a job, as on systems without prctl."""
    code = (
        "import peckorder.app.jobs as work\n"
        "work.end_with_parent = lambda parent: None\n"
        "work.main()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as job:
        order = {"ask": "enough", "path": po.datasets.CATALOGUE["adv"].path, "memory": 8 << 30}
        order |= {"presence": None, "options": {}, "settings": {}, "target": None}
        order["chosen"] = {"runs": 10_000}
        job.stdin.write(json.dumps(order).encode() + b"\n")
        job.stdin.flush()
        assert b"progress" in job.stdout.readline()
        job.stdin.close()
        assert job.wait(LEFT_AFTER) == 1


def test_folders_of_living_servers_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(server.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(server.tempfile, "tempdir", str(tmp_path))
    with own_folder() as first, own_folder() as second:
        assert first != second
        assert first.is_dir()
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken():
    with listening("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(ArgumentError, match=f"port {port}.*Choose another port"):
            listening("127.0.0.1", port)


@pytest.mark.parametrize("address", ["example.org", "localhost", "300.1.1.1", ""])
def test_addresses_must_be_those_of_a_machine(address):
    with pytest.raises(ArgumentError, match="not an address"):
        serve(listen=address, show=False)


def test_a_killed_server_goes_on_at_the_same_address(tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(MESSY, encoding="utf-8")
    with running(sheet, folder=tmp_path) as (process, address, client):
        opened(client, address)
        name = client.get("/api/hello").json()["open"]
        state = client.get("/api/state", params={"w": name}).json()
        change = {"rev": state["rev"], "accept": True}
        state = client.patch("/api/reading", params={"w": name}, json=change).json()
        assert (tmp_path / "peckorder" / "app").stat().st_mode & 0o077 == 0 or os.name == "nt"
        saved = tmp_path / "peckorder" / "work" / f"{name}.zip"
        until(saved.is_file)
        process.kill()
        process.wait()
        with running(folder=tmp_path) as (again, other, _):
            assert other.partition("?")[0] == address.partition("?")[0]
            assert other != address  # the token of before is no longer accepted
            assert client.get(address).status_code == 403
            assert client.get("/api/state", params={"w": name}).status_code == 404
            found = client.post(f"/api/recent/{name}", json={}).json()  # by the cookie of before
            assert (found["hash"], found["undo"]) == (state["hash"], "Accepted all suggestions")
            assert client.post("/api/quit", json={}).json() == {"ended": True}
            assert again.wait(30) == 0


def test_a_second_start_shows_its_file_in_the_running_app(tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(MESSY, encoding="utf-8")
    with running(folder=tmp_path) as (_, address, client):
        opened(client, address)
        assert client.get("/api/hello").json()["open"] is None
        with running(sheet, folder=tmp_path) as (second, other, _):
            assert other == address
            assert second.wait(60) == 0
            assert "running already" in second.stderr.read()
        name = client.get("/api/hello").json()["open"]
        state = client.get("/api/state", params={"w": name}).json()
        assert state["record"]["name"] == "sheet.csv"
        with running("--port", 0, folder=tmp_path) as (_, third, _):
            assert third.partition("?")[0] != address.partition("?")[0]


def test_another_program_at_the_port_gets_nothing(tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(MESSY, encoding="utf-8")
    heard = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"0" * 64)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        last = server.Start(other.server_port, "token", "secret")
        (tmp_path / "peckorder").mkdir()
        last.write(tmp_path / "peckorder" / "app")
        with running(sheet, folder=tmp_path) as (_, address, client):
            assert f":{other.server_port}/" not in address
            opened(client, address)
            assert "secret" not in str(client.cookies)
        other.shutdown()
    assert len(heard) == 1
    assert "secret" not in str(heard)
    assert heard[0][0].startswith("/api/here?")


def test_who_listens_for_others_does_not_let_them_quit(tmp_path):
    for addresses, status in (((), 200), (("192.168.1.20",), 403)):
        with visiting(tmp_path / str(status), addresses=addresses) as visitor:
            assert visitor.json("/api/hello")["quits"] is (status == 200)
            assert visitor.client.post("/api/quit").status_code == status


def test_names_of_a_server_of_a_lab():
    assert names_of("127.0.0.1") == ()
    assert names_of("192.168.1.20") == ("192.168.1.20",)
    assert names_of("0.0.0.0")


def test_listening_beyond_loopback_says_what_it_means(monkeypatch, tmp_path):
    said, warned = [], []
    monkeypatch.setattr(server, "run", lambda app, bound: said.append(app.guard.token))
    serve(listen="0.0.0.0", show=False, say=said.append, warn=warned.append)
    address, token = said
    assert address.endswith(f"/?token={token}")
    assert "not encrypted" in warned[0]
    warned.clear()
    serve(show=False, say=said.append, warn=warned.append)
    assert warned == []


def test_the_browser_is_opened(monkeypatch):
    shown, said = [], []
    monkeypatch.setattr(server, "run", lambda app, bound: time.sleep(0.2))
    monkeypatch.setattr(server.webbrowser, "open", shown.append)
    serve(say=said.append)
    assert shown == said


def test_files_that_are_too_large(tmp_path):
    (tmp_path / "sheet.csv").write_text(MESSY, encoding="utf-8")
    app = App(tmp_path, 8000, server.Limits(upload=10))
    with pytest.raises(DataError, match="opens files of up to"):
        app.open_file(tmp_path / "sheet.csv")


def test_the_command_without_its_packages(monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name)
    )
    done = CliRunner().invoke(main, ["app", "--no-open"])
    assert done.exit_code == 1
    assert (
        'peckorder app needs uvicorn. Install it with: pip install "peckorder[app]"' in done.output
    )


def test_the_command_with_a_file_that_is_not_there():
    done = CliRunner().invoke(main, ["app", "--no-open", "nowhere.csv"])
    assert done.exit_code == 2
    assert "File not found: nowhere.csv." in done.output
