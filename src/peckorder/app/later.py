"""Routes of what takes longer: jobs and their results, what is taken away, and the work file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from peckorder.app import take, workfile
from peckorder.app.answers import ASKS
from peckorder.app.guided import tour_of
from peckorder.app.jobs import DONE, ENDED, FAILED, Job, Jobs, key_of
from peckorder.app.record import Record, stored
from peckorder.app.refused import Refused
from peckorder.app.routes import Routes, as_json, in_thread, json_of
from peckorder.app.take import KINDS
from peckorder.app.workspace import State, Workspace

PATIENCE = 600.0  # seconds in which a report must be finished


class Later:
    """Routes that use jobs."""

    def __init__(self, routes: Routes, jobs: Jobs):
        self.routes, self.jobs = routes, jobs
        self.loop: asyncio.AbstractEventLoop | None = None
        routes.workspaces.busy = jobs.busy
        routes.workspaces.dropped = self._drop
        routes.described = self.described
        routes.open_work = self.open_work

    def all(self) -> list[Route]:
        """All routes."""
        plain = self.routes.plain
        return [
            Route("/api/jobs", self.start, methods=["POST"]),
            Route("/api/jobs", plain(self.listed), methods=["GET"]),
            Route("/api/asks", plain(self.asks), methods=["GET"]),
            Route("/api/jobs/{job}", self.cancel, methods=["DELETE"]),
            Route("/api/results/{job}", plain(self.result), methods=["GET"]),
            Route("/api/tour/{name}", plain(self.tour), methods=["GET"]),
            Route("/api/take", plain(self.offered), methods=["GET"]),
            Route("/take/report.html", self.report, methods=["GET"]),
            Route("/take/figure/{name}.{form}", self.figure, methods=["GET"]),
            Route("/take/table/{name}.{form}", self.table, methods=["GET"]),
            Route("/take/script.{form}", self.script, methods=["GET"]),
            Route("/take/work.zip", self.work, methods=["GET"]),
            Route("/api/work", self.opened, methods=["POST"]),
        ]

    # -- jobs --------------------------------------------------------------------------------

    def described(self, space: Workspace, label: str | None = None) -> dict[str, Any]:
        """The state of a workspace with its jobs."""
        return space.described(label) | {"jobs": self.listed(space, None)["jobs"]}

    def _drop(self, workspace: str) -> None:
        """End and forget the jobs of a workspace; called in a thread."""
        if self.loop is not None:  # otherwise there was no job yet
            self.loop.call_soon_threadsafe(self.jobs.drop, workspace)

    async def start(self, request: Request) -> Response:
        """Start a job."""
        self.loop = asyncio.get_running_loop()
        space, body = self.routes.of(request), await json_of(request)
        given = body.get("settings")
        job = await self._prepared(
            space, str(body.get("ask")), given if isinstance(given, dict) else {}
        )
        started = self.jobs.start(job)
        return as_json({"job": started.id, "ask": started.ask, "state": started.state})

    async def _prepared(self, space: Workspace, ask: str, given: dict[str, Any]) -> Job:
        made: list[Job] = []

        def work() -> Response:
            with space.lock:
                made.append(self.jobs.prepared(space, ask, given))
            return Response()

        await in_thread(work)
        return made[0]

    def _job(self, request: Request, space: Workspace) -> Job:
        job = self.jobs.known.get(request.path_params["job"])
        if job is None or job.space is not space:
            raise Refused(404, "There is no such question.")
        return job

    def listed(self, space: Workspace, request: Request | None) -> Any:
        """All jobs of a workspace, and results that were opened with it."""
        jobs = [job.described() for job in self.jobs.of(space)]
        known = {job["job"] for job in jobs}
        kept = [
            {
                "job": name,
                "ask": result["ask"],
                "state": DONE,
                "done": 1,
                "total": 1,
                "eta": None,
                "head": result["head"],
                "text": "",
                "key": result["key"],
                "current": self._current(space, result),
            }
            for name, result in list(space.results.items())
            if name not in known
        ]
        return {"jobs": [*kept, *jobs]}

    def _current(self, space: Workspace, result: dict[str, Any]) -> bool:
        return result["key"] == key_of(space, result["ask"], result["chosen"])

    def asks(self, space: Workspace, request: Request) -> Any:
        """The questions that these data can answer."""
        data = space.seen.reading.data
        several = data is not None and data.group is not None and len(data.group.names) > 1
        return {
            "asks": [
                {"ask": name, "title": ask.title, "method": ask.method}
                for name, ask in ASKS.items()
                if name != "report" and (several or name != "groups")
            ]
        }

    async def cancel(self, request: Request) -> Response:
        """End a job."""
        job = self._job(request, self.routes.of(request))
        await self.jobs.cancel(job)
        return as_json({"job": job.id, "state": job.state})

    def result(self, space: Workspace, request: Request) -> Any:
        """The answer of a job."""
        result = space.results.get(request.path_params["job"])
        if result is None:
            raise Refused(404, "There is no such answer.")
        return result | {"current": self._current(space, result), "undecided": space.undecided()}

    def tour(self, space: Workspace, request: Request) -> Any:
        """A guided tour, from the workspace of its example."""
        contests, _ = space.contests()
        return tour_of(request.path_params["name"], contests)

    # -- what is taken away ------------------------------------------------------------------

    def offered(self, space: Workspace, request: Request) -> Any:
        """What can be taken away now."""
        return take.offered(space)

    async def report(self, request: Request) -> Response:
        """The report: a finished one, or a new one that is waited for."""
        space = self.routes.of(request)
        self.loop = asyncio.get_running_loop()
        given = {name: request.query_params.get(name) == "1" for name in ("bayes", "recovery")}
        job = await self._prepared(space, "report", given)
        done = [
            other for other in self.jobs.of(space) if other.key == job.key and other.state == DONE
        ]
        job = done[-1] if done else self.jobs.start(job)
        async with asyncio.timeout(PATIENCE):
            while job.state not in ENDED:
                await asyncio.sleep(0.1)
        if job.state == FAILED:
            raise Refused(422, job.text)
        if job.state != DONE:
            raise Refused(409, "The report was cancelled.")
        content = await asyncio.to_thread(Path(job.order["target"]).read_bytes)
        return _download(content, "text/html; charset=utf-8", "hierarchy.html")

    async def figure(self, request: Request) -> Response:
        """A figure at a width in millimeters."""
        name, form = request.path_params["name"], request.path_params["form"]
        try:
            width = float(request.query_params.get("mm", "85"))
        except ValueError:
            raise Refused(400, "mm: give a number.") from None
        return await self._taken(
            request, form, f"{name}.{form}", lambda space: take.figure(space, name, form, width)
        )

    async def table(self, request: Request) -> Response:
        """A table."""
        name, form = request.path_params["name"], request.path_params["form"]
        return await self._taken(
            request, form, f"{name}.{form}", lambda space: take.table(space, name, form)
        )

    async def _taken(self, request: Request, form: str, name: str, make: Any) -> Response:
        space = self.routes.of(request)

        def work() -> Response:
            with space.lock:
                return _download(make(space), KINDS[form], name)

        return await in_thread(work)

    async def script(self, request: Request) -> Response:
        """The script, for Python (py) or for the shell (sh)."""
        languages = {"py": "python", "sh": "shell"}
        form = request.path_params["form"]
        if form not in languages:
            raise Refused(404, "There is no such script.")
        space = self.routes.of(request)

        def work() -> Response:
            with space.lock:
                text = take.script(space)[languages[form]]
            return _download(text.encode(), "text/plain; charset=utf-8", f"script.{form}")

        return await in_thread(work)

    async def work(self, request: Request) -> Response:
        """The work as one file."""
        space = self.routes.of(request)

        def work() -> Response:
            with space.lock:
                return _download(workfile.saved(space), "application/zip", "work.zip")

        return await in_thread(work)

    async def opened(self, request: Request) -> Response:
        """Open a work file."""
        content = await request.body()

        def work() -> Response:
            space = self.open_work(content)
            with space.lock:
                return as_json(self.described(space))

        return await in_thread(work)

    def open_work(self, content: bytes) -> Workspace:
        """A new workspace from a work file."""
        work = workfile.opened(content, self.routes.limits)
        presence: list[Path] = []

        def store(folder: Path) -> Record:
            if work.presence is not None:
                presence.append(stored(folder, *work.presence).path)
            return stored(folder, work.name, work.content, work.example)

        space = self.routes.workspaces.create(store)
        with space.lock:
            space.state = State(work.decided, work.settings, presence[0] if presence else None)
            space.results.update(work.results)
        return space


def _download(content: bytes, kind: str, name: str) -> Response:
    """A file to be saved; its name is one of ours, never one of the data."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
