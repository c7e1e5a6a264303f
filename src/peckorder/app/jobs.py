"""Jobs: long questions, each in a process of its own that can be ended at once.

The server starts a few at a time; others wait. A job ends with its workspace, when it is cancelled,
and when the server ends, however it ends (see `work`).

Events of a workspace, sent to its pages as they happen (server-sent events).

One job in a process of its own: `python -m peckorder.app.jobs`.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import secrets
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from peckorder.app.code import code_of_answer, lines_of
from peckorder.app.doubts import change_of
from peckorder.app.errors import Refused, in_words
from peckorder.app.explore import contests_of
from peckorder.app.queries import ASKS, Question, chosen_settings
from peckorder.app.reading import Reading, decided_with, read_record
from peckorder.app.security import Limits
from peckorder.app.settings import Settings
from peckorder.app.uploads import Record, limit_memory
from peckorder.app.workspace import Workspace
from peckorder.errors import PeckorderError
from peckorder.executors.processes import python
from peckorder.text import counted

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


WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
ENDED = (DONE, FAILED, CANCELLED)
LONGEST_LINE = 64 << 20  # bytes of a result
GRACE = 2.0  # seconds in which a process ends after its result
KILLED = (
    "The process of this question was ended, probably because it needed too much memory. Select "
    "fewer contests, or use the command shown below."
)


@dataclass(eq=False)
class Job:
    """One question that is being answered."""

    id: str
    space: Workspace
    ask: str
    order: dict[str, Any]
    key: str
    code: dict[str, str]
    state: str = WAITING
    done: int = 0
    total: int = 0
    began: float = field(default_factory=time.monotonic)
    head: str = ""
    text: str = ""
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None

    @property
    def eta(self) -> float | None:
        """Seconds left, from the time per step so far."""
        if not self.done or self.total <= self.done:
            return None
        spent = time.monotonic() - self.began
        return round(spent / self.done * (self.total - self.done), 1)

    def described(self) -> dict[str, Any]:
        """The job as the page knows it."""
        return {
            "job": self.id,
            "ask": self.ask,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "eta": self.eta,
            "head": self.head,
            "text": self.text,
            "key": self.key,
            "current": self.key == key_of(self.space, self.ask, self.order["chosen"]),
        }


def key_of(space: Workspace, ask: str, chosen: Mapping[str, Any]) -> str:
    """What an answer depends on: the contests, and the settings that it uses."""
    data = space.seen.reading.data
    settings = space.state.settings.to_dict()
    if data is not None and "group" in ASKS[ask].depends:
        settings["group"] = space.contests()[1]
    about = {name: settings[name] for name in ASKS[ask].depends}
    known = None if data is None else data.hash
    return json.dumps([ask, known, about, dict(chosen)], sort_keys=True)


class Jobs:
    """All jobs of a server; everything is called in its loop."""

    def __init__(
        self,
        folder: Path,
        events: Events,
        limits: Limits,
        saved: Callable[[Workspace], None] = lambda _: None,
    ):
        self.folder, self.events, self.limits, self.saved = folder, events, limits, saved
        self.known: dict[str, Job] = {}
        self.waiting: deque[Job] = deque()
        self.running: set[Job] = set()
        self.ending: set[asyncio.Task[None]] = set()
        self.loop: asyncio.AbstractEventLoop | None = None

    def of(self, space: Workspace) -> list[Job]:
        """The jobs of a workspace, the oldest first."""
        return [job for job in list(self.known.values()) if job.space is space]

    def busy(self, workspace: str) -> bool:
        """Whether a workspace has a job under way."""
        return any(
            job.space.id == workspace and job.state not in ENDED
            for job in list(self.known.values())
        )

    def prepared(self, space: Workspace, ask: str, given: Mapping[str, Any]) -> Job:
        """A job for a question; called under the lock of the workspace."""
        if ask not in ASKS:
            raise Refused(400, f"ask: choose one of {', '.join(ASKS)}.")
        contests, group = space.contests()
        chosen = chosen_settings(ask, given)
        if ask == "pair":
            chosen |= _pair(contests, chosen)
        if ask == "report":
            chosen["title"] = _title(space, None if chosen["every"] else group)
        reading, settings = space.seen.reading, space.state.settings
        order = {
            "ask": ask,
            "path": str(reading.record.path),
            "presence": None if reading.presence is None else str(reading.presence),
            "options": reading.options,
            "settings": settings.to_dict(),
            "chosen": chosen,
            "memory": self.limits.job_memory,
        }
        job = secrets.token_hex(8)
        order["target"] = str(self.folder / f"{job}.html") if ask == "report" else None
        code = code_of_answer(ask, reading, group, settings, chosen)
        return Job(job, space, ask, order, key_of(space, ask, chosen), code)

    def start(self, job: Job) -> Job:
        """Start a job, or let it wait; the same question under way is not started twice."""
        for other in self.of(job.space):
            if other.key == job.key and other.state in (WAITING, RUNNING):
                return other
        if len(self.waiting) >= self.limits.waiting:
            raise Refused(429, "Too many questions are waiting. Cancel some, or wait.")
        self.loop = asyncio.get_running_loop()
        self._forget(job.space)
        self.known[job.id] = job
        self.waiting.append(job)
        self._next()
        return job

    def _forget(self, space: Workspace) -> None:
        ended = [job for job in self.of(space) if job.state in ENDED]
        for job in ended[: max(0, len(ended) - self.limits.results + 1)]:
            space.results.pop(job.id, None)
            self._remove(job)

    def _remove(self, job: Job) -> None:
        """Forget a job, and the file that it wrote."""
        del self.known[job.id]
        if job.order["target"] is not None:
            Path(job.order["target"]).unlink(missing_ok=True)

    def _next(self) -> None:
        while self.waiting and len(self.running) < self.limits.running:
            job = self.waiting.popleft()
            job.state, job.began = RUNNING, time.monotonic()
            self.running.add(job)
            job.task = asyncio.get_running_loop().create_task(self._run(job))

    async def _run(self, job: Job) -> None:
        try:
            # Started in the loop: the system ends a job with the thread that started it.
            job.process = await asyncio.create_subprocess_exec(
                *python("-P", "-m", "peckorder.app.jobs"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=LONGEST_LINE,
            )
            if job.state == CANCELLED:  # meanwhile
                return
            await self._follow(job, job.process)
        except (OSError, ValueError) as error:
            self._fail(job, f"The process of this question cannot be used ({error}).")
        finally:
            await _ended(job.process, grace=0.0 if job.state == CANCELLED else GRACE)
            self.running.discard(job)
            self._next()

    async def _follow(self, job: Job, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipes")
        with contextlib.suppress(ConnectionError):
            process.stdin.write(json.dumps(job.order).encode() + b"\n")
            await process.stdin.drain()
        while line := await process.stdout.readline():
            said = json.loads(line)
            if "progress" in said:
                job.done, job.total = said["progress"]
                about = {"job": job.id, "done": job.done, "total": job.total, "eta": job.eta}
                self.events.say(job.space.id, "progress", about)
            elif "result" in said:
                self._finish(job, said["result"])
            elif "failed" in said:
                self._fail(job, said["failed"])
        if job.state == RUNNING:
            self._fail(job, KILLED)

    def _finish(self, job: Job, result: dict[str, Any]) -> None:
        job.state, job.head = DONE, result["head"]
        if job.ask == "report":  # a file to be fetched, not a part of the work
            about = {"job": job.id, "head": job.head, "url": f"/take/report.html?w={job.space.id}"}
            self.events.say(job.space.id, "result", about | {"ask": job.ask})
            return
        job.space.results[job.id] = result | {
            "job": job.id,
            "ask": job.ask,
            "title": ASKS[job.ask].title,
            "method": ASKS[job.ask].method,
            "key": job.key,
            "chosen": job.order["chosen"],
            "settings": job.order["settings"],
            "code": job.code,
        }
        self.saved(job.space)
        url = f"/api/results/{job.id}?w={job.space.id}"
        self.events.say(job.space.id, "result", {"job": job.id, "head": job.head, "url": url})

    def _fail(self, job: Job, text: str) -> None:
        if job.state != CANCELLED:
            job.state, job.text = FAILED, text
            self.events.say(job.space.id, "failed", {"job": job.id, "text": text})

    async def cancel(self, job: Job) -> None:
        """End a job; returns when its process is gone."""
        if job.state in ENDED:
            return
        waited = job.state == WAITING
        job.state = CANCELLED
        if waited:
            self.waiting.remove(job)
        await _ended(job.process)
        if job.task is not None:  # also where the process was only about to start
            await asyncio.wait({job.task})
        self.events.say(job.space.id, "cancelled", {"job": job.id})

    def end(self, workspace: str) -> None:
        """End all jobs of a workspace that nobody looks at any more."""
        for job in [job for job in self.known.values() if job.space.id == workspace]:
            if job.state not in ENDED and job.ask != "report":  # which is being downloaded
                task = asyncio.get_running_loop().create_task(self.cancel(job))
                self.ending.add(task)
                task.add_done_callback(self.ending.discard)

    def forget(self, workspace: str) -> None:
        """End and forget the jobs of a workspace; called in a thread."""
        if self.loop is not None:  # otherwise there was no job yet
            self.loop.call_soon_threadsafe(self.drop, workspace)

    def drop(self, workspace: str) -> None:
        """End all jobs of a workspace that is no longer kept."""
        for job in [job for job in self.known.values() if job.space.id == workspace]:
            job.state = CANCELLED if job.state not in ENDED else job.state
            if job in self.waiting:
                self.waiting.remove(job)
            if job.process is not None and job.process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    job.process.kill()
            self._remove(job)

    async def close(self) -> None:
        """End all jobs."""
        self.waiting.clear()
        for job in list(self.running):
            await self.cancel(job)
            await _ended(job.process)  # a finished one may be about to leave
            if job.task is not None:
                await asyncio.wait({job.task})


async def _ended(process: asyncio.subprocess.Process | None, grace: float = 0.0) -> None:
    """Wait until a process has ended by itself within the time of grace, or end it."""
    if process is None:
        return
    if grace:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), grace)
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()


def _title(space: Workspace, group: str | None) -> str:
    """The title of a report, which names its group and says if rows are not decided."""
    undecided = space.undecided()
    said = f" (provisional, {counted(undecided, 'row')} not decided)" if undecided else ""
    of_group = "" if group is None else f", {group}"
    return f"Hierarchy of {space.record.name}{of_group}{said}"


def _pair(contests: Any, chosen: Mapping[str, Any]) -> dict[str, str]:
    """The two sides of a question, which must be in the group."""
    sides = {side: str(chosen[side]) for side in ("a", "b")}
    if any(name not in contests.individuals for name in sides.values()):
        raise Refused(422, "Choose two individuals of this group.")
    return sides


MOST_READINGS = 4  # of a record, beside the one that is shown
SHORTEST = 0.25  # seconds between two reports of progress
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
POLITE = 5
TOO_LARGE = "There is not enough memory for this question and these data."


def main() -> None:
    """Do one job."""
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # nothing else may be written between the lines
    end_with_parent(os.getppid())
    order = json.loads(incoming.readline())
    threading.Thread(target=watch, args=(incoming,), daemon=True).start()
    write = Reports(outgoing)
    limit_memory(order["memory"], lambda: write(failed=TOO_LARGE))
    with contextlib.suppress(AttributeError, OSError):
        os.nice(POLITE)
    warnings.simplefilter("ignore")
    try:
        write(result=answered(order, write.progress))
    except PeckorderError as error:
        write(failed="\n\n".join(map(in_words, getattr(error, "problems", (str(error),)))))
    except MemoryError:
        write(failed=TOO_LARGE)
    except Exception as error:
        write(failed=f"Unexpected error ({type(error).__name__}: {str(error)[:200]}).")
    os._exit(0)  # at once: what was loaded need not be taken apart


def end_with_parent(parent: int) -> None:
    """Ask Linux to end this process when its parent ends; elsewhere, `watch` does it."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the request
            os._exit(1)


def watch(incoming: BinaryIO) -> None:
    """End this process when the other end of standard input is closed."""
    while incoming.read(4096):
        pass
    os._exit(1)


class Reports:
    """Lines to the server; progress not more often than the page can show it."""

    def __init__(self, outgoing: BinaryIO):
        self.outgoing, self.last, self.lock = outgoing, 0.0, threading.Lock()

    def __call__(self, **content: Any) -> None:
        """Write one line."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        with self.lock:
            self.outgoing.write(text.encode() + b"\n")
            self.outgoing.flush()

    def progress(self, done: int, total: int) -> None:
        """Report progress, at most four times per second."""
        now = time.monotonic()
        if now - self.last >= SHORTEST or done >= total:
            self.last = now
            self(progress=[int(done), int(total)])


def answered(order: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Read the record as the server did, and answer the question."""
    path = Path(order["path"])
    presence = None if order["presence"] is None else Path(order["presence"])
    record = Record(path.name, "", path, 0)
    reading = read_record(record, order["options"], presence)
    if reading.data is None:
        raise PeckorderError(" ".join(reading.failure))
    settings = Settings().with_changes(order["settings"])
    contests, group = contests_of(reading.data, settings)
    ask, target = order["ask"], order["target"]
    data = reading.data
    if ask == "report":  # the code in the report names the file of the user and the group
        contests, data = (
            replace(one, report=replace(one.report, path=lines.file, options=lines.options))
            for one, lines in ((contests, lines_of(reading, group)), (data, lines_of(reading)))
        )
    readings = alternatives(reading, settings) if ask == "multiverse" else {}
    question = Question(
        data,
        contests,
        settings,
        chosen_settings(ask, order["chosen"]),
        None if target is None else Path(target),
        readings,
    )
    return ASKS[ask].answer(question, progress)


def alternatives(reading: Reading, settings: Settings) -> dict[str, Any]:
    """The contests after the first choice of each doubt that is open, by what it does."""
    found: dict[str, Any] = {}
    own = contests_of(reading.data, settings)[0].hash
    for doubt in [one for one in reading.doubts if one.severity != "note" and one.choices]:
        chosen = next((one for one in doubt.choices if one.likely), doubt.choices[0])
        options = decided_with(reading.options, change_of(chosen))
        other = read_record(reading.record, options, reading.presence)
        if other.data is None:
            continue
        with contextlib.suppress(PeckorderError):
            contests = contests_of(other.data, settings)[0]
            found |= {} if contests.hash == own else {f"{doubt.kind}: {chosen.label}": contests}
        if len(found) == MOST_READINGS:
            break
    return found


if __name__ == "__main__":
    main()
