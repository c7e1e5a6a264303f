"""What the app accepts, in numbers: sizes, counts and times.

A person at a browser stays far below these. They keep a faulty or hostile page from filling the
memory or the processors of the machine.
"""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one server.

    Attributes
    ----------
    upload : bytes of one uploaded file or workspace file
    body : bytes of any other request
    head : seconds until the head of a request must have arrived
    connections : connections that are open at the same time; more are closed at once
    slow : seconds until the whole body of a request must have arrived
    pause : seconds between two pieces of a body
    requests : requests that are served at the same time; more are answered with 429
    streams : open streams of events
    workspaces : workspaces in memory; beyond, the one that was idle longest is dropped
    stored : bytes of all uploads together; beyond, the same
    idle : seconds after which a workspace counts as idle
    running : jobs that run at the same time
    waiting : jobs that wait, over all workspaces
    job_memory : bytes of memory of one job
    results : results kept per workspace
    undo : steps that can be undone
    rows : rows of the grid in one answer
    """

    upload: int = 200 * MEGABYTE
    body: int = MEGABYTE
    head: float = 10.0
    connections: int = 200
    slow: float = 600.0
    pause: float = 20.0
    requests: int = 64
    streams: int = 64
    workspaces: int = 128
    stored: int = 512 * MEGABYTE
    idle: float = 10.0
    running: int = 2
    waiting: int = 24
    job_memory: int = 4096 * MEGABYTE
    results: int = 40
    undo: int = 200
    rows: int = 200
