"""Clients that hold many connections, against a server that listens."""

import contextlib
import socket
import threading
import time

from peckorder.app.security import Limits
from peckorder.app.server import LOOPBACK, App, listening, server_of

PATIENCE = 30.0  # seconds


@contextlib.contextmanager
def served(folder, limits):
    """A server in a thread; gives its port."""
    with contextlib.closing(listening(LOOPBACK, 0)) as bound:
        port = bound.getsockname()[1]
        server = server_of(App(folder, port, limits))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield port
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
    with served(tmp_path, Limits()) as port, connected(port) as client:
        for _ in range(2):
            client.sendall(request(port))
            assert answered(client).startswith(b"HTTP/1.1 403 ")
        client.sendall(request(port, "Connection: close"))
        assert until_closed(client).startswith(b"HTTP/1.1 403 ")


def test_too_many_connections_are_answered_with_503_until_some_are_closed(tmp_path):
    with served(tmp_path, Limits(connections=5)) as port:
        with contextlib.ExitStack() as all_:
            for _ in range(5):
                all_.enter_context(connected(port)).sendall(b"GET / HTTP/1.1\r\n")
            assert visited(port).startswith(b"HTTP/1.1 503 ")
        began = time.monotonic()
        while (said := visited(port)).startswith(b"HTTP/1.1 503 "):
            assert time.monotonic() - began < PATIENCE
        assert said.startswith(b"HTTP/1.1 403 ")
