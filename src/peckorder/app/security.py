"""Nobody gets in: a pure ASGI application around all others.

A server on loopback is reachable by every page that the browser shows. Such a page can send
requests (but not read answers), can make its own name resolve to 127.0.0.1 and so become "the same
origin" (DNS rebinding), and can open websockets. The guard therefore accepts only its own Host
(421), its own Origin and no cross-site fetch (403), and only who has opened the printed address:
its token is exchanged for a cookie that scripts and other sites cannot use. Bodies are counted
while they arrive and must arrive in time. Every response has the same headers, errors included.

What the app accepts, in numbers: sizes, counts and times.

Compressed uploads: how large they become is counted before anything reads them.
"""

from __future__ import annotations

import asyncio
import hmac
import io
import json
import time
import zipfile
import zlib
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import polars as pl

from peckorder.app.errors import Refused

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one server."""

    upload: int = 200 * MEGABYTE  # bytes of one uploaded file or workspace file
    body: int = MEGABYTE  # bytes of any other request
    # connections that are open at the same time; on more, requests are answered with 503
    connections: int = 200
    slow: float = 600.0  # seconds until the whole body of a request must have arrived
    pause: float = 20.0  # seconds between two pieces of a body
    requests: int = 64  # requests that are served at the same time; more are answered with 429
    streams: int = 64  # open streams of events
    workspaces: int = 128  # workspaces in memory; beyond, the one that was idle longest is dropped
    stored: int = 512 * MEGABYTE  # bytes of all uploads together; beyond, the same
    idle: float = 10.0  # seconds after which a workspace counts as idle
    running: int = 2  # jobs that run at the same time
    waiting: int = 24  # jobs that wait, over all workspaces
    job_memory: int = 4096 * MEGABYTE  # bytes of memory of one job
    results: int = 40  # results kept per workspace
    undo: int = 200  # steps that can be undone
    rows: int = 200  # rows of the grid in one answer


Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE")
HERE, LONGEST_WORD = "/api/here", 200  # where a server proves what it knows
UPLOADS = ("/api/record", "/api/presence", "/api/work")
STREAMS = ("/api/events",)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), usb=()"),
)
LOCKED = (
    "This address belongs to a running peckorder app. Open the address with the token that "
    '"peckorder app" printed on its first line.'
)


@dataclass
class Guard:
    """The guard of one server."""

    app: App  # the application behind it
    hosts: frozenset[str]  # accepted values of Host, in lower case, with the port
    token: str  # what the printed address contains
    session: str  # what the cookie contains; differs from the token, which stays in the history
    port: int  # names the cookie, so that two servers on one machine do not share it
    limits: Limits = field(default_factory=Limits)
    inside: int = 0
    streams: int = 0

    @property
    def cookie(self) -> str:
        """Name of the cookie."""
        return f"peckorder-{self.port}"

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no part of the app uses websockets
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = _Answer(send)
        try:
            await self._admit(scope, receive, answer)
        except Refused as refused:
            await answer.refuse(refused)
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception as error:
            await answer.refuse(
                Refused(500, f"Unexpected error ({type(error).__name__}). Please report it.")
            )
            raise

    async def _admit(self, scope: Any, receive: Receive, answer: _Answer) -> None:
        headers = _headers(scope)
        host = self._own_host(headers)
        _refuse_foreign(headers, host)
        if "upgrade" in headers:
            raise Refused(403, "Other protocols are not used here.")
        if scope["method"] not in METHODS:
            raise Refused(405, "This method is not used here.")
        if scope["method"] == "GET" and scope["path"] == "/" and scope["query_string"]:
            await self._exchange(scope, answer)
            return
        if scope["path"] == HERE:
            await self._prove(scope, answer)
            return
        if not self._knows(headers):
            raise Refused(403, LOCKED)
        stream = scope["path"] in STREAMS
        if stream and self.streams >= self.limits.streams:
            raise Refused(429, "Too many pages are open. Close some of them.")
        if not stream and self.inside >= self.limits.requests:
            raise Refused(429, "Too many requests at the same time. Try again in a moment.")
        body = _Body(receive, self._cap(scope), headers, self.limits)
        self._count(stream, 1)
        try:
            await self.app(scope, body, answer)
        finally:
            self._count(stream, -1)

    def _count(self, stream: bool, step: int) -> None:
        if stream:
            self.streams += step
        else:
            self.inside += step

    def _cap(self, scope: Any) -> int:
        upload = scope["path"] in UPLOADS and scope["method"] == "POST"
        return self.limits.upload if upload else self.limits.body

    def _own_host(self, headers: dict[str, list[str]]) -> str:
        given = [value.strip().lower() for value in headers.get("host", [])]
        if len(given) != 1 or given[0] not in self.hosts:
            raise Refused(421, "This server answers only to its own address.")
        return given[0]

    async def _exchange(self, scope: Any, answer: _Answer) -> None:
        """Turn the token of the opened address into a cookie, and remove it from the address."""
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if set(query) != {"token"} or not _same(query["token"], self.token):
            raise Refused(403, LOCKED)
        cookie = f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
        await answer({"type": "http.response.start", "status": 303, "headers": headers})
        await answer({"type": "http.response.body", "body": b""})

    async def _prove(self, scope: Any, answer: _Answer) -> None:
        """Prove to a second start that this server has the secret, without saying it."""
        word = proof(self.session, scope["query_string"][:LONGEST_WORD]).encode()
        headers = [(b"content-type", b"text/plain")]
        await answer({"type": "http.response.start", "status": 200, "headers": headers})
        await answer({"type": "http.response.body", "body": word})

    def _knows(self, headers: dict[str, list[str]]) -> bool:
        pairs = [
            pair.strip().partition("=")
            for line in headers.get("cookie", [])
            for pair in line.split(";")
        ]
        values = [value for name, _, value in pairs if name == self.cookie]
        return len(values) == 1 and _same(values[0], self.session)


def proof(session: str, word: bytes) -> str:
    """What only who knows the secret of a session can answer to a word."""
    return hmac.new(session.encode(), word, "sha256").hexdigest()


def _same(one: str, other: str) -> bool:
    """Comparison in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def _headers(scope: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _refuse_foreign(headers: dict[str, list[str]], host: str) -> None:
    """Refuse requests that another page has caused."""
    for origin in headers.get("origin", []):
        if origin.strip().lower() != f"http://{host}":
            raise Refused(403, "This request comes from another page.")
    for site in headers.get("sec-fetch-site", []):
        if site.strip().lower() not in ("same-origin", "none"):
            raise Refused(
                403, "This request comes from another page. Paste the printed address instead."
            )


class _Body:
    """The body of a request, counted while it arrives; too much or too slow is refused."""

    def __init__(self, receive: Receive, most: int, headers: dict[str, list[str]], limits: Limits):
        self.receive, self.most, self.limits = receive, most, limits
        self.size, self.began, self.ended = 0, time.monotonic(), False
        announced = headers.get("content-length", ["0"])
        if len(announced) != 1 or not announced[0].strip().isdecimal():
            raise Refused(400, "The length of the request is not a number.")
        if int(announced[0]) > most:
            raise self._too_large()

    def _too_large(self) -> Refused:
        return Refused(413, f"The limit is {self.most / 2**20:,.0f} MB.", most=self.most)

    async def __call__(self) -> Message:
        """The next piece of the body."""
        if self.ended:  # what follows is the end of the connection, which may take long
            return await self.receive()
        left = self.limits.slow - (time.monotonic() - self.began)
        try:
            message = await asyncio.wait_for(self.receive(), max(0.0, min(self.limits.pause, left)))
        except TimeoutError:
            raise Refused(408, "The request took too long to arrive.") from None
        if message["type"] == "http.request":
            self.size += len(message.get("body", b""))
            self.ended = not message.get("more_body", False)
            if self.size > self.most:
                raise self._too_large()
        else:
            self.ended = True
        return message


class _Answer:
    """The way back: adds the headers of the guard to every response."""

    def __init__(self, send: Send):
        self.send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.started = True
            own = {name for name, _ in HEADERS}
            kept = [(n, v) for n, v in message.get("headers", ()) if n.lower() not in own]
            message = {**message, "headers": [*kept, *HEADERS]}
        await self.send(message)

    async def refuse(self, refused: Refused) -> None:
        """Answer with an error, unless an answer has begun."""
        if self.started:
            return
        content = json.dumps({"error": refused.text, **refused.more}).encode()
        headers = [
            (b"content-type", b"application/json; charset=utf-8"),
            (b"content-length", str(len(content)).encode()),
        ]
        if refused.status in (408, 413):  # the rest of the body is not read
            headers.append((b"connection", b"close"))
        if refused.status == 429:
            headers.append((b"retry-after", b"2"))
        await self({"type": "http.response.start", "status": refused.status, "headers": headers})
        await self({"type": "http.response.body", "body": content})


def hosts_of(port: int, addresses: Iterable[str] = ()) -> frozenset[str]:
    """Accepted values of Host.

    >>> sorted(hosts_of(8000, ["10.0.0.5"]))[:2]
    ['10.0.0.5:8000', '127.0.0.1:8000']
    """
    names = {"127.0.0.1", "localhost", "[::1]"}
    names |= {f"[{one}]" if ":" in one else one.lower() for one in addresses}
    return frozenset(f"{name}:{port}" for name in names)


GZIP, ZIP, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
TIMES = 4  # an upload may expand to so many times the limit of uploads
MOST_MEMBERS = 10_000
MOST_ROWS = 20_000_000
PIECE = 1 << 20
DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError)


def refuse_bombs(content: bytes, limits: Limits) -> None:
    """Refuse an upload that would expand to too much."""
    most = TIMES * limits.upload
    if content.startswith(GZIP):
        _refuse_large_gzip(content, most)
    elif content.startswith(ZIP):
        _refuse_large_zip(content, most)
    elif content.startswith(PARQUET):
        _refuse_long_parquet(content)


def _too_large(most: int) -> Refused:
    return Refused(
        413,
        f"This file would expand to more than {most / 2**20:,.0f} MB, which is too much for the "
        f"app.",
        most=most,
    )


def _refuse_large_gzip(content: bytes, most: int) -> None:
    size, unpacker, left = 0, zlib.decompressobj(31), content
    try:
        while left:
            size += len(unpacker.decompress(left, PIECE))
            if size > most:
                raise _too_large(most)
            left = unpacker.unconsumed_tail
            if unpacker.eof:  # several files one after the other count together
                left, unpacker = unpacker.unused_data.lstrip(b"\0"), zlib.decompressobj(31)
    except zlib.error:
        return  # damaged; the reader says so


def _refuse_large_zip(content: bytes, most: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            stated = sum(member.file_size for member in members)
            if len(members) > MOST_MEMBERS or stated > most:
                raise _too_large(most)
            size = 0
            for member in members:
                with packed.open(member) as file:
                    while piece := file.read(PIECE):
                        size += len(piece)
                        if size > most:
                            raise _too_large(most)
    except Refused:
        raise
    except (*DAMAGED, RuntimeError):  # a RuntimeError asks for a password
        raise Refused(422, "This file is damaged, or it is protected by a password.") from None


def _refuse_long_parquet(content: bytes) -> None:
    try:
        rows = pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return  # damaged; the reader says so
    if rows > MOST_ROWS:
        raise Refused(413, f"This file has {rows:,} rows; the app opens up to {MOST_ROWS:,}.")
