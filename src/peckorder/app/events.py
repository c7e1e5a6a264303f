"""Events of a workspace, sent to its pages as they happen (server-sent events)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

BEAT = 15.0  # seconds after which a line is sent, so that a closed page is noticed
LONGEST_QUEUE = 200


class Events:
    """Listeners by workspace; everything is called in the loop of the server."""

    def __init__(self) -> None:
        self.listeners: dict[str, set[asyncio.Queue[str | None]]] = {}

    def say(self, workspace: str, kind: str, content: dict[str, Any]) -> None:
        """Send an event to all pages of a workspace; a page that does not read misses it."""
        text = f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
        for queue in self.listeners.get(workspace, ()):
            if queue.qsize() < LONGEST_QUEUE:
                queue.put_nowait(text)

    def close(self) -> None:
        """End all streams."""
        for queues in self.listeners.values():
            for queue in queues:
                queue.put_nowait(None)

    async def of(self, workspace: str) -> AsyncIterator[str]:
        """The events of a workspace until the page is closed."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.listeners.setdefault(workspace, set()).add(queue)
        try:
            yield "event: hello\ndata: {}\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), BEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            queues = self.listeners.get(workspace, set())
            queues.discard(queue)
            if not queues:
                self.listeners.pop(workspace, None)
