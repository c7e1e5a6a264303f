"""Connections whose requests must begin in time.

The guard sees a request when its head is complete. A client that sends the head slowly, or never,
is not seen by it at all, and holds a connection for as long as it likes ("slowloris"). Here, each
head has so much time from its first byte on, and a new connection as much to send one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from peckorder.app.security import HEADERS, Limits

LATE = b"".join(
    (
        b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n",
        *(name + b": " + value + b"\r\n" for name, value in HEADERS),
        b"\r\n",
    )
)


class Punctual(H11Protocol):
    """The protocol of one connection, with the limits of the server."""

    def __init__(self, *arguments: Any, limits: Limits, **options: Any):
        super().__init__(*arguments, **options)
        self.limits = limits
        self.late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A new connection; closed at once if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.abort()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """The end of an answer; the next request may have begun to arrive."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of the connection."""
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Start the clock when a head begins, and stop it when the head is complete.

        Between two requests, the time of uvicorn for idle connections applies.
        """
        waiting = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if not waiting or not (self.cycle is None or self._begun()):
            self._forget()
        elif self.late is None:
            self.late = self.loop.call_later(self.limits.head, self._cut)

    def _begun(self) -> bool:
        return bool(self.conn.trailing_data[0])

    def _forget(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None

    def _cut(self) -> None:
        self.late = None
        if self.transport.is_closing():
            return
        if self._begun():  # a connection that a browser has opened in advance is closed silently
            self.transport.write(LATE)
        self.transport.close()
