"""What a double click starts: the app in the browser of the user, once per user.

    peckorder                   start the app, or show the one that runs
    peckorder contests.csv      the same, with this file
    peckorder elo contests.csv  the commands of the shell
    peckorder --as-python …     Python, for the processes that the package starts

The app ends by POST /api/quit, by Ctrl-C, and after a quarter of an hour without a page or a job.
"""

from __future__ import annotations

import contextlib
import http.cookiejar
import json
import os
import platform
import runpy
import shutil
import signal
import sys
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

IDLE = float(os.environ.get("PECKORDER_IDLE", 15 * 60.0))  # seconds without a page or a job
BUNDLE = Path(getattr(sys, "_MEIPASS", Path(__file__).parent))
STAMP = BUNDLE / "build.txt"
BUILD = STAMP.read_text(encoding="utf-8").strip() if STAMP.exists() else "0"


def cache_folder() -> Path:
    """The user's folder for what can be made again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "peckorder"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "peckorder"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "peckorder"


def prepare() -> None:
    """Use the compiled loops that come with the bundle, for any processor of its kind."""
    folder = cache_folder() / BUILD
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    for name, value in {
        "NUMBA_CPU_NAME": "x86-64-v2" if x86 else "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_LOCATOR_CLASSES": "kernel_place.KernelPlace",
        "PECKORDER_KERNELS": str(folder / "kernels"),
        "PECKORDER_BUILD": BUILD,
        "MPLCONFIGDIR": str(folder / "matplotlib"),
        "MPLBACKEND": "agg",
    }.items():
        os.environ.setdefault(name, value)
    shipped = BUNDLE / "warm"
    if not shipped.is_dir() or folder.exists():
        return
    part = folder.with_name(f"{BUILD}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a home that is read-only: compiled in each process
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(shipped, part)
        part.rename(folder)
    shutil.rmtree(part, ignore_errors=True)  # another start was faster


def as_python(given: list[str]) -> None:
    """Act as the interpreter: `-m module`, `-c code` or a program, with their arguments."""
    while given[0] == "-P":
        given = given[1:]
    if given[0] == "-m":
        sys.argv = given[1:]
        runpy.run_module(given[1], run_name="__main__", alter_sys=True)
    elif given[0] == "-c":
        sys.argv = ["-c", *given[2:]]
        exec(given[1], {"__name__": "__main__"})
    else:
        sys.argv = given
        sys.path.insert(0, str(Path(given[0]).parent))
        runpy.run_path(given[0], run_name="__main__")


def shown_already(note: Path, file: Path | None) -> str | None:
    """The address of the app that runs already, which gets the file; None if there is none."""
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    call = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
    try:
        address = json.loads(note.read_text(encoding="utf-8"))["address"]
        call.open(address, timeout=3).read()  # the token becomes a cookie
        if file is not None:
            name = urllib.parse.quote(file.name)
            base = address.split("?")[0]
            request = urllib.request.Request(
                f"{base}api/record?show=1&name={name}", file.read_bytes()
            )
            call.open(request, timeout=60).read()
    except (OSError, KeyError, ValueError):
        return None
    return address


def show(address: str) -> None:
    """Open the user's browser, with the libraries of the user's system, not of the bundle."""
    import webbrowser

    kept = dict(os.environ)
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH"):
        os.environ.pop(name, None)
        if before := os.environ.pop(f"{name}_ORIG", None):
            os.environ[name] = before
    try:
        webbrowser.open(address)
    finally:
        os.environ.clear()
        os.environ.update(kept)


class Watched:
    """The app: knows when the last request came, and ends its server after a while without."""

    def __init__(self, app):
        self.app, self.last, self.server = app, time.monotonic(), None

    async def __call__(self, scope, receive, send):
        self.last = time.monotonic()
        await self.app.guard(scope, receive, send)
        self.last = time.monotonic()

    def quit(self) -> None:
        self.server.should_exit = True

    def wait(self) -> None:
        while (
            time.monotonic() - self.last < IDLE or self.app.guard.streams or self.app.jobs.running
        ):
            time.sleep(min(1.0, IDLE / 4))
        self.quit()


def start(file: Path | None, opens: bool) -> None:
    """Start the app, or show the one that runs."""
    note = cache_folder() / "running.json"
    address = shown_already(note, file)
    if address is not None:
        print(address, flush=True)
        if opens:
            show(address)
        return
    import warnings

    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from peckorder.app import server
    from peckorder.errors import DataWarning

    def stop(*_) -> None:  # SIGTERM: what `finally` and `with` do is done
        sys.exit(0)

    warnings.simplefilter("ignore", DataWarning)
    signal.signal(signal.SIGTERM, stop)
    with (
        server.own_folder() as folder,
        contextlib.closing(server.listening(server.LOOPBACK, 0)) as bound,
        contextlib.ExitStack() as at_the_end,
    ):
        port = int(bound.getsockname()[1])
        app = server.App(folder, port, recent=server.kept_folder(print))
        at_the_end.callback(app.recent.close)
        if file is not None:
            app.open_file(file)
        address = f"http://{server.LOOPBACK}:{port}/?token={app.guard.token}"
        watched = Watched(app)

        async def quit_(request):
            watched.quit()
            return JSONResponse({})

        app.guard.app.routes.insert(0, Route("/api/quit", quit_, methods=["POST"]))
        watched.server = server.server_of(app)
        watched.server.config.app = watched
        with contextlib.suppress(OSError):  # without a note, a second start runs beside this one
            note.parent.mkdir(parents=True, exist_ok=True)
            at_the_end.callback(note.unlink, missing_ok=True)
            handle = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump({"address": address, "pid": os.getpid()}, out)
        print(address, flush=True)
        for work in (server.warm, watched.wait):
            threading.Thread(target=work, daemon=True).start()
        if opens:
            threading.Thread(target=show, args=(address,), daemon=True).start()
        watched.server.run(sockets=[bound])


def main() -> None:
    """Start what the arguments ask for."""
    for name in ("stdout", "stderr"):  # a program without a console has none
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    prepare()
    given = sys.argv[1:]
    if given[:1] == ["--as-python"]:
        as_python(given[1:])
        return
    opens = "--no-open" not in given
    given = [one for one in given if one != "--no-open"]
    if not given or Path(given[0]).is_file():
        start(Path(given[0]).resolve() if given else None, opens)
        return
    from peckorder.cli import main as shell

    shell(prog_name="peckorder")


if __name__ == "__main__":
    main()
