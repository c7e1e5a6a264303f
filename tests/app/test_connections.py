"""Clients that hold many connections, against a server that listens."""

import contextlib
import socket
import threading
import time

import httpx

from peckorder.app import routes
from peckorder.app.security import Limits
from peckorder.app.server import LOOPBACK, App, listening, server_of

PATIENCE = 120.0  # seconds


@contextlib.contextmanager
def served(folder, limits):
    """A server in a thread; gives the app, which has its port."""
    with contextlib.closing(listening(LOOPBACK, 0)) as bound:
        port = bound.getsockname()[1]
        app = App(folder, port, limits)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield app
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


def connected(port):
    return socket.create_connection((LOOPBACK, port), timeout=PATIENCE)


def until_closed(client):
    """All that the server says until it closes."""
    said = b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(4096):
            said += piece
    return said


def answered(client):
    """One answer: it refuses, as there is no cookie."""
    said = b""
    while not said.endswith(b"}"):
        said += client.recv(4096)
    return said


def request(port, *more):
    lines = ["GET / HTTP/1.1", f"Host: {LOOPBACK}:{port}", *more, "", ""]
    return "\r\n".join(lines).encode()


def visited(port):
    """The answer to one request on a connection of its own."""
    with connected(port) as client:
        client.sendall(request(port, "Connection: close"))
        return until_closed(client)


def test_a_connection_serves_several_requests(tmp_path):
    with served(tmp_path, Limits()) as app, connected(app.port) as client:
        for _ in range(2):
            client.sendall(request(app.port))
            assert answered(client).startswith(b"HTTP/1.1 403 ")
        client.sendall(request(app.port, "Connection: close"))
        assert until_closed(client).startswith(b"HTTP/1.1 403 ")


def test_too_many_connections_are_answered_with_503_until_some_are_closed(tmp_path):
    with served(tmp_path, Limits(connections=5)) as app:
        with contextlib.ExitStack() as all_:
            for _ in range(5):
                all_.enter_context(connected(app.port)).sendall(b"GET / HTTP/1.1\r\n")
            assert visited(app.port).startswith(b"HTTP/1.1 503 ")
        began = time.monotonic()
        while (said := visited(app.port)).startswith(b"HTTP/1.1 503 "):
            assert time.monotonic() - began < PATIENCE
        assert said.startswith(b"HTTP/1.1 403 ")


def test_jobs_end_when_the_last_page_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(routes, "CLOSED", 0.3)
    with served(tmp_path, Limits()) as app:
        own = f"http://{LOOPBACK}:{app.port}"
        with httpx.Client(base_url=own, timeout=PATIENCE) as client:
            client.get("/", params={"token": app.guard.token})
            where = {"w": client.post("/api/example/adv", json={}).json()["workspace"]}

            def states():
                return [
                    one["state"] for one in client.get("/api/jobs", params=where).json()["jobs"]
                ]

            with client.stream("GET", "/api/events", params=where) as page:
                lines = page.iter_lines()  # kept: what is collected is closed
                next(lines)
                with client.stream("GET", "/api/events", params=where) as other:
                    next(other.iter_lines())
                    order = {"ask": "hours", "settings": {"runs": 10_000}}
                    client.post("/api/jobs", params=where, json=order)
                time.sleep(1)  # one of two pages is closed: the job goes on
                assert states() == ["running"]
            began = time.monotonic()
            while states() == ["running"]:
                assert time.monotonic() - began < PATIENCE
            assert states() == ["cancelled"]
