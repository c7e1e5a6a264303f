"""Recent work: each workspace is saved as a work file after every change, in a folder of its own.

It is the data folder of the user; nothing is written beside their files. A killed server loses
nothing: the start page of the next one lists the work, by name and time. Examples that were only
looked at are not kept.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from peckorder.app import project_file
from peckorder.app.errors import Refused
from peckorder.app.workspace import Workspace

MOST = 30  # work files; the oldest make room
LARGEST = 64 << 20  # bytes of a source; larger ones are saved on request only
ID = re.compile(r"[0-9a-f]{32}")


def data_folder() -> Path:
    """Where programs of this platform keep data of their user."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "peckorder"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "peckorder"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "peckorder"


class Recent:
    """The work files of a folder; without a folder, nothing is kept."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="saving")
        self.waiting: set[str] = set()  # workspaces to be saved, once each
        self.lock = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def saves(self, space: Workspace) -> bool:
        """Whether a workspace is saved: no examples that were only looked at, no large files."""
        untouched = space.record.example is not None and not space.past and not space.results
        return self.folder is not None and not untouched and space.record.size <= LARGEST

    def save(self, space: Workspace) -> None:
        """Save a workspace soon, in a thread of its own."""
        if not self.saves(space):
            return
        with self.lock:
            if space.id not in self.waiting:
                self.waiting.add(space.id)
                self.pool.submit(self._write, space)

    def _write(self, space: Workspace) -> None:
        with self.lock:
            self.waiting.discard(space.id)
        with space.lock:
            content = project_file.saved(space)
        target = self._path(space.id)
        part = target.with_suffix(".part")
        with contextlib.suppress(OSError):  # a full disk does not stop the work
            part.touch(mode=0o600)
            part.write_bytes(content)
            part.replace(target)
            for old in self._files()[MOST:]:
                old.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if self.folder is None or not ID.fullmatch(name):
            raise Refused(404, "There is no such work.")
        return self.folder / f"{name}.zip"

    def _files(self) -> list[Path]:
        """The work files, the latest first."""
        found = [] if self.folder is None else [*self.folder.glob("*.zip")]
        return sorted(found, key=lambda path: -path.stat().st_mtime)

    def listed(self) -> list[dict[str, Any]]:
        """Name and time of each work, the latest first."""
        found = []
        for path in self._files()[:MOST]:
            with contextlib.suppress(*project_file.DAMAGED, KeyError):
                name, steps = project_file.named(path)
                when = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat("T", "minutes")
                found.append({"id": path.stem, "name": name, "when": when, "steps": steps})
        return found

    def content(self, name: str) -> bytes:
        """One work file."""
        path = self._path(name)
        if not path.is_file():
            raise Refused(404, "This work is no longer kept.")
        return path.read_bytes()

    def forget(self, name: str) -> None:
        """Remove a work file, after what is being saved."""
        path = self._path(name)
        self.pool.submit(path.unlink, missing_ok=True).result()

    def close(self) -> None:
        """Finish what is being saved."""
        self.pool.submit(lambda: None).result()
