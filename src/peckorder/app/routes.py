"""The routes: from a request to the workspace and back as JSON.

Work runs in threads, so that a long answer for one workspace does not keep others waiting. Each
workspace answers one request at a time.

Routes of what takes longer: jobs and their results, what is taken away, and the work file.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router

from peckorder.app import explore, export, project_file, table, uploads
from peckorder.app.code import VERBS
from peckorder.app.doubts import suggestions
from peckorder.app.errors import Refused
from peckorder.app.export import KINDS
from peckorder.app.jobs import DONE, ENDED, FAILED, Events, Job, Jobs, key_of
from peckorder.app.project_file import is_work
from peckorder.app.queries import ASKS
from peckorder.app.reading import gaps_of
from peckorder.app.recent import Recent
from peckorder.app.security import Limits, refuse_bombs
from peckorder.app.settings import Settings
from peckorder.app.tours import examples, record_of, tour_of
from peckorder.app.uploads import Record, stored
from peckorder.app.workspace import State, Workspace, Workspaces
from peckorder.data.workbooks import ALL
from peckorder.errors import PeckorderError
from peckorder.methods import VERSION

PATIENCE = 600.0  # seconds in which a report must be finished
CLOSED = 20.0  # seconds without a page until the jobs of a workspace end
PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json; charset=utf-8",
}
REPORTS = ("bayes", "recovery", "every")  # what a report has beside its usual parts
Made = TypeVar("Made")
SETTINGS = ("k", "curve", "start", "home", "group", "at", "from", "to", "limited")


def as_json(content: Any, status: int = 200) -> Response:
    """An answer as JSON, without the numbers that JSON does not have."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), status, media_type="application/json")


class Routes:
    """All routes of a server."""

    def __init__(
        self,
        workspaces: Workspaces,
        events: Events,
        jobs: Jobs,
        recent: Recent,
        limits: Limits,
        stop: Callable[[], None] | None = None,
    ):
        self.stop = stop
        self.workspaces, self.events, self.limits = workspaces, events, limits
        self.jobs, self.recent = jobs, recent
        self.pages = _files()

    def router(self) -> Router:
        """The application behind the guard."""
        return Router(
            [
                Route("/api/hello", self.hello, methods=["GET"]),
                Route("/api/record", self.upload, methods=["POST"]),
                Route("/api/quit", self.quit, methods=["POST"]),
                Route("/api/example/{name}", self.example, methods=["POST"]),
                Route("/api/state", self.plain(self.state), methods=["GET"]),
                Route("/api/grid", self.plain(self.grid), methods=["GET"]),
                Route("/api/check/{id}/rows", self.plain(self.rows), methods=["GET"]),
                Route("/api/reading", self.changing(self.reading), methods=["PATCH"]),
                Route("/api/settings", self.changing(self.settings), methods=["PATCH"]),
                Route("/api/presence", self.presence, methods=["POST"]),
                Route("/api/undo", self.changing(self.undo), methods=["POST"]),
                Route("/api/redo", self.changing(self.redo), methods=["POST"]),
                Route("/api/elo", self.plain(self.elo), methods=["GET"]),
                Route("/api/profile", self.plain(self.profile), methods=["GET"]),
                Route("/api/steps", self.plain(self.steps), methods=["GET"]),
                Route("/api/certainty", self.unlocked(self.certainty), methods=["GET"]),
                Route("/api/groups", self.unlocked(self.groups), methods=["GET"]),
                Route("/api/gaps", self.plain(self.gaps), methods=["GET"]),
                Route("/api/code", self.plain(self.code), methods=["GET"]),
                Route("/api/events", self.stream, methods=["GET"]),
                Route("/api/recent", self.recent_work, methods=["GET"]),
                Route("/api/recent/{id}", self.resume, methods=["POST"]),
                Route("/api/recent/{id}", self.forget, methods=["DELETE"]),
                Route("/api/jobs", self.start, methods=["POST"]),
                Route("/api/jobs", self.plain(self.listed), methods=["GET"]),
                Route("/api/asks", self.plain(self.asks), methods=["GET"]),
                Route("/api/jobs/{job}", self.cancel, methods=["DELETE"]),
                Route("/api/results/{job}", self.plain(self.result), methods=["GET"]),
                Route("/api/tour/{name}", self.plain(self.tour), methods=["GET"]),
                Route("/api/take", self.plain(self.offered), methods=["GET"]),
                Route("/take/report.html", self.report, methods=["GET"]),
                Route("/take/figure/{name}.{form}", self.file(self.figure), methods=["GET"]),
                Route("/take/table/{name}.{form}", self.file(self.table), methods=["GET"]),
                Route("/take/script.{form}", self.file(self.script), methods=["GET"]),
                Route("/take/work.zip", self.file(self.work), methods=["GET"]),
                Route("/take/joined.xlsx", self.file(self.joined), methods=["GET"]),
                Route("/api/work", self.opened_work, methods=["POST"]),
                Route("/{path:path}", self.page, methods=["GET"]),
            ],
            redirect_slashes=False,
            default=_nothing,
        )

    # -- manners -----------------------------------------------------------------------------

    def of(self, request: Request) -> Workspace:
        """The workspace that a request is about."""
        return self.workspaces[request.query_params.get("w", "")]

    def plain(self, answer: Callable[[Workspace, Request], Any]) -> Callable:
        """A route that reads from a workspace."""

        def prepare(space: Workspace, request: Request) -> Callable[[], Any]:
            found = answer(space, request)
            return lambda: found

        return self.unlocked(prepare)

    def unlocked(self, prepare: Callable[[Workspace, Request], Callable[[], Any]]) -> Callable:
        """A route that reads from a workspace, then works without keeping it from others."""

        async def handle(request: Request) -> Response:
            space = self.of(request)

            def work() -> Response:
                with space.lock:
                    make = prepare(space, request)
                return as_json(make())

            return await in_thread(work)

        return handle

    def file(self, prepare: Callable[[Workspace, Request], tuple[Any, str, str]]) -> Callable:
        """A route to a file: `prepare` gives how it is made, its form, and its name."""

        async def handle(request: Request) -> Response:
            space = self.of(request)

            def work() -> Response:
                with space.lock:
                    make, form, name = prepare(space, request)
                return _download(make(), KINDS[form], name)

            return await in_thread(work)

        return handle

    def changing(self, change: Callable[[Workspace, dict[str, Any]], str | None]) -> Callable:
        """A route that changes a workspace; the answer is its new state."""

        async def handle(request: Request) -> Response:
            space, body = self.of(request), await json_of(request)

            def work() -> Response:
                with space.lock:
                    space.refuse_older(body.get("rev"))
                    label = change(space, body)
                    self.recent.save(space)
                    return as_json(self.described(space, label))

            answer = await in_thread(work)
            self.events.say(space.id, "rev", {"rev": space.rev})
            return answer

        return handle

    # -- data --------------------------------------------------------------------------------

    async def hello(self, request: Request) -> Response:
        """What the page needs to know first."""
        return as_json(
            {
                "version": VERSION,
                "upload": self.limits.upload,
                "examples": examples(),
                "quits": self.stop is not None,
                "open": self.workspaces.first
                if self.workspaces.first in self.workspaces.known
                else None,
            }
        )

    async def upload(self, request: Request) -> Response:
        """Files, as the body of the request; names and sizes are parameters of the address.

        Several files are joined, also with the data of the workspace that `w` names, which stays.
        """
        content = await request.body()
        names = [name or uploads.PASTED for name in request.query_params.getlist("name") or [""]]
        sizes = [int(size) for size in request.query_params.getlist("size") if size.isdecimal()]
        ends = np.cumsum(sizes or [len(content)]).tolist()
        if len(ends) != len(names) or ends[-1] != len(content) or len(names) > uploads.MOST_SHEETS:
            raise Refused(
                400, f"Give up to {uploads.MOST_SHEETS} files, each with its name and size."
            )
        files = [content[end - size : end] for end, size in zip(ends, sizes or ends, strict=True)]
        if empty := [name for name, file in zip(names, files, strict=True) if not file.strip()]:
            raise Refused(400, f"{empty[0]} is empty." if sizes else "The file is empty.")
        first = self.of(request).record if "w" in request.query_params else None
        if len(files) == 1 and first is None and is_work(content):
            return await in_thread(lambda: self._answer(self.open_work(content)))
        for file in files:
            await run_in_threadpool(refuse_bombs, file, self.limits)

        def store(folder: Path) -> Record:
            found = [stored(folder, *file) for file in zip(names, files, strict=True)]
            found = found if first is None else [first, *found]
            return found[0] if len(found) == 1 else uploads.joined(folder, found)

        decided = {} if len(files) == 1 and first is None else {"sheet": ALL}
        return await self.opened(store, decided, show="show" in request.query_params)

    def _answer(self, space: Workspace) -> Response:
        self.recent.save(space)
        with space.lock:
            return as_json(self.described(space))

    async def quit(self, request: Request) -> Response:
        """End the server, after what is being saved."""
        if self.stop is None:
            raise Refused(403, "This server is ended where it was started, with Ctrl-C.")
        await run_in_threadpool(self.recent.close)
        self.stop()
        return as_json({"ended": True})

    async def example(self, request: Request) -> Response:
        """A shipped data set."""
        name = request.path_params["name"]
        return await self.opened(lambda folder: record_of(folder, name))

    async def opened(
        self,
        store: Callable[[Path], Record],
        decided: dict[str, Any] | None = None,
        *,
        show: bool = False,
    ) -> Response:
        """A new workspace with a record, which may be shown by the next page that is opened."""

        def work() -> Response:
            space = self.workspaces.create(store)
            space.state = State(decided or {}, Settings())
            if show:
                self.workspaces.first = space.id
            return self._answer(space)

        return await in_thread(work)

    async def recent_work(self, request: Request) -> Response:
        """What was worked on before, by name and time."""
        return await in_thread(lambda: as_json({"recent": self._recent()}))

    def _recent(self) -> list[dict[str, Any]]:
        """Work that is open but not saved, as examples and large files, and saved work."""
        unsaved = [
            {"id": space.id, "name": space.record.name, "when": None, "steps": len(space.past)}
            for space in list(self.workspaces.known.values())
            if not self.recent.saves(space)
        ]
        return [*unsaved, *self.recent.listed()]

    async def resume(self, request: Request) -> Response:
        """Go on with recent work: the workspace as it is open, or as it was saved."""
        name = request.path_params["id"]

        def work() -> Response:
            if name in self.workspaces.known:
                return self._answer(self.workspaces[name])
            return self._answer(self.open_work(self.recent.content(name), name))

        return await in_thread(work)

    async def forget(self, request: Request) -> Response:
        """Remove recent work."""
        name = request.path_params["id"]

        def work() -> Response:
            self.recent.forget(name)
            if name not in self.events.listeners:
                self.workspaces.close(name)
            return as_json({"recent": self._recent()})

        return await in_thread(work)

    async def presence(self, request: Request) -> Response:
        """A file of presence data for a workspace."""
        space = self.of(request)
        name, content = request.query_params.get("name") or "presence.csv", await request.body()
        await run_in_threadpool(refuse_bombs, content, self.limits)

        def work() -> Response:
            with space.lock:
                space.refuse_older(_whole(request, "rev", -1))
                path = uploads.stored(self.workspaces.folder, name, content).path
                state = space.state
                decided = state.decided | {"presence": "file"}
                decided.pop("presence_sheet", None)
                space.change(State(decided, state.settings, path), f"Presence from {path.name}")
                self.recent.save(space)
                return as_json(self.described(space))

        return await in_thread(work)

    def state(self, space: Workspace, request: Request) -> Any:
        """The whole state of a workspace."""
        return self.described(space)

    def grid(self, space: Workspace, request: Request) -> Any:
        """A window of the sheet."""
        seen = space.seen
        only = request.query_params.get("rows")
        places = None
        if only:
            places = self._card(space, only).places
        count = min(_whole(request, "count", 100), self.limits.rows)
        return table.window(seen.reading, seen.table, _whole(request, "from", 0), count, places) | {
            "rev": space.rev
        }

    def rows(self, space: Workspace, request: Request) -> Any:
        """The rows of a check, as runs; and those that are left out."""
        name = request.path_params["id"]
        if name == "left":
            reasons = space.seen.table.reasons
            return {"left": {why: table.runs(places) for why, places in reasons.items()}}
        return {"runs": table.runs(self._card(space, name).places)}

    def _card(self, space: Workspace, name: str) -> Any:
        for card in space.seen.cards:
            if card.id == name:
                return card
        raise Refused(404, "There is no such check.")

    def reading(self, space: Workspace, body: dict[str, Any]) -> str:
        """One decision, or all suggestions."""
        label = _label(body)
        if body.get("accept") is True:
            label = label or "Accepted all suggestions"
            space.decide(suggestions(space.seen.cards), label)
        elif isinstance(body.get("role"), dict):
            column, role = (str(body["role"].get(key, "")) for key in ("column", "role"))
            label = label or f"{column}: {role or 'unused'}"
            space.give_role(column, role, label)
        elif isinstance(body.get("set"), dict):
            label = label or "Changed the reading"
            space.decide(body["set"], label)
        else:
            raise Refused(400, "Give a decision: set, role or accept.")
        return label

    def settings(self, space: Workspace, body: dict[str, Any]) -> str:
        """Settings that are kept, as one step of undo."""
        if not isinstance(body.get("set"), dict):
            raise Refused(400, "Give the settings to change: set.")
        label = _label(body) or "Changed settings"
        state = space.state
        settings = state.settings.with_changes(body["set"])
        space.change(State(state.decided, settings, state.presence), label)
        return label

    def undo(self, space: Workspace, body: dict[str, Any]) -> str:
        """Undo one step."""
        return space.step(back=True)

    def redo(self, space: Workspace, body: dict[str, Any]) -> str:
        """Redo one step."""
        return space.step(back=False)

    # -- explore -----------------------------------------------------------------------------

    def _settings(self, space: Workspace, request: Request) -> Settings:
        """The settings of the workspace, with those of the address."""
        given = {
            name: request.query_params[name] for name in SETTINGS if name in request.query_params
        }
        return space.state.settings.with_changes(given)

    def elo(self, space: Workspace, request: Request) -> Any:
        """Ranking, lines, matrix and structure."""
        settings = self._settings(space, request)
        wanted = request.query_params.get("parts", ",".join(explore.PARTS)).split(",")
        parts = tuple(part for part in explore.PARTS if part in wanted)
        points, follow = _whole(request, "points", 300), request.query_params.get("follow")
        contests, group = space.contests(settings)
        key = (contests.hash, group, settings, parts, points, follow)

        def make() -> dict[str, Any]:
            order, about = space.order(contests, group), (contests.hash, group, settings.since)

            def keep(name: str, part: Callable[[], Any]) -> Any:
                return space.parts((name, *about, settings.until), part)

            return explore.pictures(contests, settings, order, parts, points, follow, keep)

        found = space.pictures(key, make)
        return found | {"rev": space.rev, "group": group, "undecided": space.undecided()}

    def profile(self, space: Workspace, request: Request) -> Any:
        """The log loss of values of k."""
        settings = self._settings(space, request)
        contests, group = space.contests(settings)
        about = (settings.curve, settings.start, settings.home)
        return space.parts(
            ("profile", explore.basis(contests, settings).hash, group, about),
            lambda: explore.shown(lambda: explore.profile_of(contests, settings)),
        )

    def steps(self, space: Workspace, request: Request) -> Any:
        """Contest by contest."""
        settings = self._settings(space, request)
        contests, group = space.contests(settings)
        return explore.steps_of(
            contests,
            settings,
            space.order(contests, group),
            _whole(request, "from", 0),
            min(_whole(request, "count", 100), 2_000),
        )

    def certainty(self, space: Workspace, request: Request) -> Callable[[], Any]:
        """Ranks with intervals."""
        settings = self._settings(space, request)
        contests, group = space.contests(settings)
        order, found = space.order(contests, group), (settings.at, settings.since, settings.until)
        key = ("certainty", contests.hash, group, found, settings.limited)
        return lambda: space.parts(key, lambda: explore.certainty_at(contests, settings, order))

    def groups(self, space: Workspace, request: Request) -> Callable[[], Any]:
        """The ranking of each group."""
        data = space.seen.reading.data
        if data is None or data.group is None:
            return lambda: {"groups": []}
        key = ("groups", data.hash)
        return lambda: {"groups": space.parts(key, lambda: explore.groups_of(data))}

    def gaps(self, space: Workspace, request: Request) -> Any:
        """Gaps between visits to feeders."""
        return space.parts(("gaps", space.record.sha256), lambda: gaps_of(space.record))

    def code(self, space: Workspace, request: Request) -> Any:
        """The same in code."""
        verb = request.query_params.get("verb", "elo")
        if verb not in VERBS:
            raise Refused(400, f"verb: choose one of {', '.join(VERBS)}.")
        return space.code(verb)

    # -- events and files --------------------------------------------------------------------

    async def stream(self, request: Request) -> Response:
        """Events of a workspace as they happen; its jobs end when its last page is closed."""
        space = self.of(request)

        async def lines() -> AsyncIterator[str]:
            try:
                async for text in self.events.of(space.id):
                    yield text
            finally:
                asyncio.get_running_loop().call_later(CLOSED, self._closed, space.id)

        return StreamingResponse(lines(), media_type="text/event-stream")

    def _closed(self, workspace: str) -> None:
        if workspace not in self.events.listeners:
            self.jobs.end(workspace)

    async def page(self, request: Request) -> Response:
        """A file of the page; only files that were there at the start."""
        name = request.path_params["path"] or "index.html"
        path = self.pages.get(name)
        if path is None:
            raise Refused(404, "There is nothing at this address.")
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        return Response(await asyncio.to_thread(path.read_bytes), media_type=kind)

    # -- jobs --------------------------------------------------------------------------------

    def described(self, space: Workspace, label: str | None = None) -> dict[str, Any]:
        """The state of a workspace with its jobs."""
        return space.described(label) | {"jobs": self.listed(space, None)["jobs"]}

    async def start(self, request: Request) -> Response:
        """Start a job."""
        space, body = self.of(request), await json_of(request)
        given = body.get("settings")
        job = await self._prepared(
            space, str(body.get("ask")), given if isinstance(given, dict) else {}
        )
        started = self.jobs.start(job)
        return as_json({"job": started.id, "ask": started.ask, "state": started.state})

    async def _prepared(self, space: Workspace, ask: str, given: dict[str, Any]) -> Job:
        def work() -> Job:
            with space.lock:
                return self.jobs.prepared(space, ask, given)

        return await in_thread(work)

    def _job(self, request: Request, space: Workspace) -> Job:
        job = self.jobs.known.get(request.path_params["job"])
        if job is None or job.space is not space:
            raise Refused(404, "There is no such question.")
        return job

    def listed(self, space: Workspace, request: Request | None) -> Any:
        """All jobs of a workspace, and results that were opened with it."""
        jobs = [job.described() for job in self.jobs.of(space)]
        known = {job["job"] for job in jobs}
        usual = {"state": DONE, "done": 1, "total": 1, "eta": None, "text": ""}
        kept = [
            usual
            | {name: result[name] for name in ("job", "ask", "head", "key")}
            | {"current": self._current(space, result)}
            for job, result in list(space.results.items())
            if job not in known
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
        job = self._job(request, self.of(request))
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
        return export.offered(space)

    async def report(self, request: Request) -> Response:
        """The report: a finished one, or a new one that is waited for."""
        space = self.of(request)
        given = {name: request.query_params.get(name) == "1" for name in REPORTS}
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
        form = "zip" if given["every"] else "html"
        name = await asyncio.to_thread(export.file_name, space, "hierarchy", form)
        return _download(content, KINDS[form], name)

    def figure(self, space: Workspace, request: Request) -> tuple[Any, str, str]:
        """A figure, of which the address says how it is drawn."""
        name, form = request.path_params["name"], request.path_params["form"]
        make = export.figure(space, name, form, export.Look.of(request.query_params))
        return make, form, export.file_name(space, name, form)

    def table(self, space: Workspace, request: Request) -> tuple[Any, str, str]:
        """A table."""
        name, form = request.path_params["name"], request.path_params["form"]
        content = export.table(space, name, form)
        return lambda: content, form, export.file_name(space, name, form)

    def script(self, space: Workspace, request: Request) -> tuple[Any, str, str]:
        """The script, for Python (py) or for the shell (sh)."""
        languages, form = {"py": "python", "sh": "shell"}, request.path_params["form"]
        if form not in languages:
            raise Refused(404, "There is no such script.")
        text = export.script(space)[languages[form]]
        return text.encode, form, f"script.{form}"

    def work(self, space: Workspace, request: Request) -> tuple[Any, str, str]:
        """The work as one file."""
        content = project_file.saved(space)
        return lambda: content, "zip", "work.zip"

    def joined(self, space: Workspace, request: Request) -> tuple[Any, str, str]:
        """The workbook in which files were joined."""
        return space.record.path.read_bytes, "xlsx", "joined.xlsx"

    async def opened_work(self, request: Request) -> Response:
        """Open a work file."""
        content = await request.body()
        return await in_thread(lambda: self._answer(self.open_work(content)))

    def open_work(self, content: bytes, name: str | None = None) -> Workspace:
        """A new workspace from a work file, or that of recent work under its own name."""
        work = project_file.opened(content, self.limits)
        presence: list[Path] = []

        def store(folder: Path) -> Record:
            if work.presence is not None:
                presence.append(stored(folder, *work.presence).path)
            return stored(folder, work.name, work.content, work.example)

        space = self.workspaces.create(store, name)
        with space.lock:
            stay = presence[0] if presence else None
            space.state = State(work.decided, work.settings, stay)
            space.past = [
                (label, State(decided, settings, stay if stayed else None))
                for label, decided, settings, stayed in work.history
            ]
            space.results.update(work.results)
        return space


async def in_thread(work: Callable[[], Made]) -> Made:
    """Run work in a thread; errors of the library become answers."""
    try:
        return await run_in_threadpool(work)
    except PeckorderError as error:
        problems = list(getattr(error, "problems", (str(error),)))
        raise Refused(422, "\n\n".join(problems), problems=problems) from None
    except MemoryError:
        raise Refused(507, "There is not enough memory for these data.") from None


async def json_of(request: Request) -> dict[str, Any]:
    """The body of a request as a mapping."""
    try:
        if "json" not in request.headers.get("content-type", ""):
            raise ValueError
        body = json.loads(await request.body())
    except ClientDisconnect:
        raise Refused(400, "The request was cut off.") from None
    except (ValueError, RecursionError):
        raise Refused(400, "Send JSON.") from None
    if not isinstance(body, dict):
        raise Refused(400, "Send a JSON object.")
    return body


def _whole(request: Request, name: str, usual: int) -> int:
    text = request.query_params.get(name, str(usual))
    if not text.lstrip("-").isdecimal() or len(text) > 12:
        raise Refused(400, f"{name}: give a whole number.")
    return int(text)


def _label(body: dict[str, Any]) -> str:
    label = body.get("label")
    return label if isinstance(label, str) else ""


def _files() -> dict[str, Path]:
    """Files of the page, by address."""
    return {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.is_file()}


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    raise Refused(404, "There is nothing at this address.")


def _download(content: bytes, kind: str, name: str) -> Response:
    """A file to be saved, by a name of plain letters."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
