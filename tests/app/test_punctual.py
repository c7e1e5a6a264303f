"""Clients that send the head of a request slowly, or not at all, against a server that listens."""

import contextlib
import socket
import threading
import time

import pytest

from peckorder.app.security import Limits
from peckorder.app.server import LOOPBACK, App, listening, server_of

HEAD = 0.4  # seconds
PATIENCE = 30.0


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


@pytest.fixture
def port(tmp_path):
    with served(tmp_path, Limits(head=HEAD)) as opened:
        yield opened


def connected(port):
    return socket.create_connection((LOOPBACK, port), timeout=PATIENCE)


def until_closed(client):
    """All that the server says until it closes, and the seconds until then."""
    began, said = time.monotonic(), b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(4096):
            said += piece
    return said, time.monotonic() - began


def answered(client):
    """One answer: it refuses, as there is no cookie."""
    said = b""
    while not said.endswith(b"}"):
        said += client.recv(4096)
    return said


def request(port, *more):
    lines = ["GET / HTTP/1.1", f"Host: {LOOPBACK}:{port}", *more, "", ""]
    return "\r\n".join(lines).encode()


def test_a_head_that_stops_is_cut_off(port):
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        said, seconds = until_closed(client)
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"content-security-policy" in said
    assert HEAD * 0.8 < seconds < PATIENCE


def test_a_head_that_drips_is_cut_off(port):
    """One header each time the clock of a naive server would start again."""
    with connected(port) as client, contextlib.suppress(ConnectionError):
        client.settimeout(HEAD / 8)
        client.sendall(b"GET / HTTP/1.1\r\n")
        began, said = time.monotonic(), b""
        while not said and time.monotonic() - began < PATIENCE:
            client.sendall(b"X-Slow: 1\r\n")
            with contextlib.suppress(TimeoutError):
                said = client.recv(4096)
        assert said.startswith(b"HTTP/1.1 408 ")


def test_silence_is_cut_off_without_a_word(port):
    with connected(port) as client:
        said, seconds = until_closed(client)
    assert said == b""
    assert seconds < PATIENCE


def test_the_second_request_of_a_connection_has_the_same_time(port):
    with connected(port) as client:
        client.sendall(request(port))
        assert answered(client).startswith(b"HTTP/1.1 403 ")
        client.sendall(b"GET / HTT")
        said, _ = until_closed(client)
    assert b"HTTP/1.1 408 " in said


def test_a_request_behind_another_has_the_same_time(port):
    with connected(port) as client:
        client.sendall(request(port) + b"GET / HTT")
        said, _ = until_closed(client)
    assert said.startswith(b"HTTP/1.1 403 ")
    assert b"HTTP/1.1 408 " in said


def test_an_idle_connection_is_not_cut_off_by_this_clock(port):
    with connected(port) as client:
        for _ in range(2):
            client.sendall(request(port))
            assert answered(client).startswith(b"HTTP/1.1 403 ")
            time.sleep(2 * HEAD)  # less than uvicorn waits for the next request
        client.sendall(request(port, "Connection: close"))
        assert until_closed(client)[0].startswith(b"HTTP/1.1 403 ")


def test_many_slow_clients_do_not_keep_a_visitor_out(tmp_path):
    with (
        served(tmp_path, Limits(head=HEAD, connections=40)) as port,
        contextlib.ExitStack() as all_,
    ):
        slow = [all_.enter_context(connected(port)) for _ in range(60)]
        for client in slow:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"GET / HTTP/1.1\r\n")
        said = [until_closed(client)[0] for client in slow]
        assert 0 < sum(one.startswith(b"HTTP/1.1 408 ") for one in said) <= 40
        with connected(port) as visitor:
            visitor.sendall(request(port, "Connection: close"))
            assert until_closed(visitor)[0].startswith(b"HTTP/1.1 403 ")
