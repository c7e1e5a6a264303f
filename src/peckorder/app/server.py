"""Start and stop: one process on one's own machine, which prints its address first."""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import json
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
import webbrowser
from collections.abc import Callable, Iterator
from contextvars import Context
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

import uvicorn

import peckorder as po
from peckorder.app import uploads
from peckorder.app.explore import PARTS, first_order, pictures, profile_of
from peckorder.app.jobs import Events, Jobs
from peckorder.app.project_file import is_work
from peckorder.app.recent import Recent, data_folder
from peckorder.app.routes import Routes
from peckorder.app.security import HERE, Guard, Limits, hosts_of, proof, refuse_bombs
from peckorder.app.settings import Settings
from peckorder.app.workspace import Workspaces
from peckorder.errors import ArgumentError, DataError, DataWarning

LOOPBACK = "127.0.0.1"
PREFIX, ALIVE = "peckorder-app-", "alive"
LONGEST_SESSION, PATIENCE = 86_400.0, 60.0  # seconds
BEAT, STALE = 60.0, 600.0  # seconds between signs of life, and until a folder counts as left


class App:
    """The whole application with fresh secrets: guard, routes, workspaces and jobs."""

    def __init__(
        self,
        folder: Path,
        port: int,
        limits: Limits | None = None,
        addresses: tuple[str, ...] = (),
        recent: Path | None = None,
        session: str | None = None,
    ):
        self.limits, self.port = limits or Limits(), port
        self.events = Events()
        self.recent = Recent(recent)
        self.jobs = Jobs(folder, self.events, self.limits, self.recent.save)
        self.workspaces = Workspaces(folder, self.limits, self.jobs.busy, self.jobs.forget)
        self.server: uvicorn.Server | None = None
        stop = None if addresses else self.quit  # a server for others is ended where it was started
        self.routes = Routes(
            self.workspaces, self.events, self.jobs, self.recent, self.limits, stop
        )
        self.guard = Guard(
            self.routes.router(),
            hosts_of(port, addresses),
            secrets.token_urlsafe(32),
            session or secrets.token_urlsafe(32),
            port,
            self.limits,
        )

    def open_file(self, path: Path) -> None:
        """Open a file of the command line as the first workspace."""
        if path.stat().st_size > self.limits.upload:
            raise DataError(
                f"{path.name} has {path.stat().st_size / 2**20:,.0f} MB; the app opens files of up "
                f"to {self.limits.upload / 2**20:,.0f} MB. Larger ones are read by the commands."
            )
        content = path.read_bytes()
        if is_work(content):
            self.workspaces.first = self.routes.open_work(content).id
            return
        refuse_bombs(content, self.limits)
        space = self.workspaces.create(lambda folder: uploads.stored(folder, path.name, content))
        self.workspaces.first = space.id

    def serve(self, bound: socket.socket) -> None:
        """Serve on a socket until the process is interrupted, or somebody quits."""
        self.server = server_of(self)
        # A fresh context: messages name arguments of Python, not flags of the shell.
        Context().run(self.server.run, sockets=[bound])

    def quit(self) -> None:
        """End the server."""
        if self.server is not None:
            self.server.should_exit = True


@dataclass(frozen=True)
class Start:
    """Where the last start of this user listens, in a file that only the user can read.

    A killed server is started again at the same address and knows its pages, so that they go on; a
    second start beside a running server shows its file there.
    """

    port: int
    token: str
    session: str

    @classmethod
    def last(cls, path: Path) -> Start | None:
        """The last start, if it is not too old to be gone on with."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            if time.time() - path.stat().st_mtime < LONGEST_SESSION:
                return cls(**json.loads(path.read_text("utf-8")))
        return None

    def write(self, path: Path) -> None:
        """Keep this start; without the file, the next one begins anew."""
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            path.touch(mode=0o600)
            path.write_text(json.dumps(asdict(self)), "utf-8")

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    def runs(self) -> bool:
        """Whether the server of this start is running, and no other one at its port."""
        word = secrets.token_urlsafe(32)
        said = self._asked(f"{HERE}?{word}", {}, None)
        return hmac.compare_digest(said, proof(self.session, word.encode()).encode())

    def shows(self, file: Path) -> bool:
        """Whether the running server could open a file."""
        own = {"Cookie": f"peckorder-{self.port}={self.session}"}
        name = quote(file.name)
        return bool(self._asked(f"/api/record?show=1&name={name}", own, file.read_bytes()))

    def _asked(self, path: str, headers: dict[str, str], content: bytes | None) -> bytes:
        """The answer of the server at the port; nothing if it refuses, or there is none."""
        request = Request(f"http://{LOOPBACK}:{self.port}{path}", content, headers)
        try:
            with build_opener(ProxyHandler({})).open(request, timeout=PATIENCE) as answer:
                return answer.read()
        except (OSError, ValueError, HTTPException):
            return b""


def listening(address: str, port: int) -> socket.socket:
    """A socket that listens; the port is chosen by the system if it is 0."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once (no delay of 40 ms).
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":  # there, it would let two programs share a port
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((address, port))
    except OSError as error:
        bound.close()
        raise ArgumentError(
            f"Cannot listen at {address}, port {port}: {error.strerror}. Choose another port."
        ) from None
    bound.listen(128)
    return bound


def names_of(address: str) -> tuple[str, ...]:
    """Names under which a page may call the server that listens at an address."""
    if ipaddress.ip_address(address).is_loopback:
        return ()
    if not ipaddress.ip_address(address).is_unspecified:
        return (address,)
    own = {socket.gethostname(), socket.getfqdn()}
    with contextlib.suppress(OSError):
        own |= {str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)}
    return tuple(sorted(own))


def serve(
    file: str | None = None,
    *,
    port: int | None = None,
    show: bool = True,
    listen: str | None = None,
    say: Callable[[str], None] = print,
    warn: Callable[[str], None] = print,
) -> None:
    """Serve the app until it is interrupted; the first line said is the address to open.

    Without a port and an address, it goes on where the last start was, or shows the file in the
    app that is running.
    """
    address, kept = _checked_address(listen), kept_folder(warn)
    warnings.simplefilter("ignore", DataWarning)  # shown as checks of the data
    note = None if kept is None or port is not None or listen is not None else kept.parent / "app"
    last = None if note is None else Start.last(note)
    if last is not None and last.runs():
        say(last.address)
        if file is not None and not last.shows(Path(file)):
            raise DataError(f"The app that is running cannot open {file}: open it in its page.")
        warn("The app is running already, and is shown.")
        if show:
            webbrowser.open(last.address)
        return
    with own_folder() as folder, contextlib.closing(_listening(address, port, last)) as bound:
        chosen = int(bound.getsockname()[1])
        session = last.session if last is not None and last.port == chosen else None
        app = App(folder, chosen, addresses=names_of(address), recent=kept, session=session)
        if file is not None:
            app.open_file(Path(file))
        where = _shown_host(address)
        opened = f"http://{where}:{chosen}/?token={app.guard.token}"
        say(opened)
        if not ipaddress.ip_address(address).is_loopback:
            warn(
                "Anybody who can reach this machine and has the address with its token can read "
                "and change the data that are opened here. The connection is not encrypted: use "
                "it in a network that you trust, or through an SSH tunnel."
            )
        if note is not None:
            Start(chosen, app.guard.token, app.guard.session).write(note)
        threading.Thread(target=warm, daemon=True).start()
        if show:
            threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
        run(app, bound)
        app.recent.close()


def _listening(address: str, port: int | None, last: Start | None) -> socket.socket:
    """A socket at the port, at that of the last start, or at a free one."""
    if last is not None:
        with contextlib.suppress(ArgumentError):
            return listening(address, last.port)
    return listening(address, port or 0)


def kept_folder(warn: Callable[[str], None]) -> Path | None:
    """Where work is saved; none if the folder of the user's data cannot be written."""
    folder = data_folder() / "work"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        warn(f"Work cannot be saved automatically: {folder} cannot be written ({error.strerror}).")
        return None
    return folder


def warm() -> None:
    """Load what the first pictures need, while the page is opened."""
    data = po.datasets.adv()
    data.check()
    pictures(data, Settings(), first_order(data), PARTS, 100, None)
    profile_of(data, Settings())


class Server(uvicorn.Server):
    """A server that ends the streams of open pages before it waits for what is running."""

    def __init__(self, config: uvicorn.Config, events: Events):
        super().__init__(config)
        self.events = events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, at Ctrl-C too."""
        self.events.close()
        await super().shutdown(sockets)


def server_of(app: App) -> Server:
    """The server of an application."""
    return Server(
        uvicorn.Config(
            app.guard,
            http="h11",
            ws="none",
            lifespan="off",
            log_level="error",
            access_log=False,
            server_header=False,
            limit_concurrency=app.limits.connections,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
        ),
        app.events,
    )


def run(app: App, bound: socket.socket) -> None:
    """Serve on a socket until the process is interrupted or told to end, as R does."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # folders are then removed
    try:
        with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how it is ended
            app.serve(bound)
    finally:
        signal.signal(signal.SIGTERM, before)


def _checked_address(listen: str | None) -> str:
    if listen is None:
        return LOOPBACK
    try:
        return str(ipaddress.ip_address(listen))
    except ValueError:
        raise ArgumentError(
            f'"{listen}" is not an address. Give one of this machine, such as 192.168.1.20, or '
            f"0.0.0.0 for all of them."
        ) from None


def _shown_host(address: str) -> str:
    if ipaddress.ip_address(address).is_unspecified:
        return socket.getfqdn()
    return f"[{address}]" if ":" in address else address


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for uploads that is removed at the end; those of killed servers are removed now."""
    root = Path(tempfile.gettempdir())
    for left in root.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - (left / ALIVE).stat().st_mtime > STALE:
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    stopped = threading.Event()

    def live() -> None:
        while not stopped.is_set():
            with contextlib.suppress(OSError):
                (folder / ALIVE).touch()
            stopped.wait(BEAT)

    threading.Thread(target=live, daemon=True).start()
    try:
        yield folder
    finally:
        stopped.set()
        shutil.rmtree(folder, ignore_errors=True)
