"""The folder of a study: a file per group, written when it is ready, whole or not at all.

    study.json                         what is computed: measures, settings, seed, version
    groups/NAME.json                   the numbers of a group, and the key of what they rest on
    draws/MEASURE/NAME.parquet         posterior draws: group, draw, and a column per quantity
    tables/MEASURE/NAME.parquet        tables of individuals
    table.csv                          one row per group, at the end

The file in groups/ is written last, so that a group is either complete or computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.tables import write_whole
from peckorder.text import given, option_name

MANIFEST, TABLE, TOKEN, LOCK = "study.json", "table.csv", ".running", ".lock"
FORMAT = 1
LONGEST = 60  # characters of a group's name in the name of its files


def stem(group: str) -> str:
    """The name of the files of a group: readable, and different for different names.

    >>> stem("North troop")
    'North-troop-7243df6a'
    """
    digest = hashlib.blake2b(group.encode(), digest_size=4).hexdigest()
    readable = re.sub(r"[^A-Za-z0-9]+", "-", group).strip("-")[:LONGEST]
    return f"{readable}-{digest}" if readable else digest


@dataclass(frozen=True)
class Folder:
    """A folder of a study that is being computed, or has been."""

    path: Path

    def stored(self, group: str) -> dict[str, Any] | None:
        """What is known about a group; None if it has not been computed, or the file is damaged."""
        try:
            content = json.loads((self.path / "groups" / f"{stem(group)}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) and content.get("group") == group else None

    def store(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Write the files of a group; returns what `stored` will return."""
        name = stem(entry["group"])
        files = [
            (self._part(kind, measure, name), _parquet(frame))
            for kind in ("draws", "tables")
            for measure, frame in entry[kind].items()
        ]
        kept = {**entry, "draws": list(entry["draws"]), "tables": list(entry["tables"])}
        content = json.dumps(kept, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        for path in {path.parent for path, _ in files}:
            path.mkdir(parents=True, exist_ok=True)
        write_whole(*files)
        write_whole((self.path / "groups" / f"{name}.json", content.encode()))
        return kept

    def _part(self, kind: str, measure: str, name: str) -> Path:
        return self.path / kind / measure / f"{name}.parquet"

    def scan(self, kind: str, measure: str, groups: list[str]) -> pl.LazyFrame:
        """Draws or tables of these groups, one after another, not read yet."""
        files = [self._part(kind, measure, stem(group)) for group in groups]
        frames = [pl.scan_parquet(file, glob=False) for file in files]
        return pl.concat(frames, how="diagonal_relaxed")

    def others(self, groups: tuple[str, ...]) -> int:
        """Number of groups in the folder that are not among these."""
        own = {f"{stem(group)}.json" for group in groups}
        return sum(
            entry.name not in own and not entry.name.startswith(".")
            for entry in os.scandir(self.path / "groups")
        )


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def draws_frame(group: str, draws: Mapping[str, np.ndarray]) -> pl.DataFrame:
    """Draws of one group: its name, the number of the draw, and a column per quantity."""
    number = max(map(len, draws.values()))
    columns = {name: part for name, part in draws.items() if len(part) == number}
    return pl.DataFrame({"draw": np.arange(1, number + 1, dtype=np.int32), **columns}).select(
        pl.lit(group).alias("group"), pl.all()
    )


def seen(path: str | None, token: str) -> Folder | None:
    """The folder, if this process sees the same one as the process that runs the study."""
    if path is None:
        return None
    try:
        same = (Path(path) / TOKEN).read_text(encoding="utf-8") == token
    except OSError:
        return None
    return Folder(Path(path)) if same else None


def earlier_seed(path: Any) -> int | None:
    """The seed of the study in a folder, which goes on with it; None if there is none."""
    if path is None:
        return None
    found = _manifest(Path(path))
    seed = None if found is None else found.get("seed")
    return seed if isinstance(seed, int) else None


@contextlib.contextmanager
def opened(path: Any, manifest: dict[str, Any]) -> Iterator[tuple[Folder, str]]:
    """The folder and a token for the workers, while nobody else works in it.

    Raises an error if the folder holds another study, with what differs, or cannot be written.
    """
    place = Path(path).absolute()
    place.mkdir(parents=True, exist_ok=True)
    found = _manifest(place)
    if found is None and any(not p.name.startswith(".") for p in place.iterdir()):
        raise ArgumentError(
            f"{given('folder', str(path))} contains other files, and no study. Give the name of a "
            f"new folder."
        )
    if found is not None:
        _refuse_another(path, found, manifest)
    with _locked(place):
        if found is None:
            content = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
            write_whole((place / MANIFEST, content.encode()))
        (place / "groups").mkdir(exist_ok=True)
        _clean(place)
        token = secrets.token_hex(8)
        (place / TOKEN).write_text(token, encoding="utf-8")
        try:
            yield Folder(place), token
        finally:
            with contextlib.suppress(OSError):
                (place / TOKEN).unlink()


def _manifest(place: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((place / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ArgumentError(f"{place} is a file; give the name of a folder.") from None
    except ValueError:
        raise ArgumentError(
            f"{place / MANIFEST} is damaged. Remove the folder, or use another one."
        ) from None
    return found if isinstance(found, dict) else {}


def _refuse_another(path: Any, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differ = [
        f"{name}: {_shown(found.get(name))} in the folder, {_shown(wanted.get(name))} now"
        for name in {**wanted, **found}
        if found.get(name) != json.loads(json.dumps(wanted.get(name)))
    ]
    if differ:
        raise ArgumentError(
            f"{given('folder', str(path))} contains another study. What differs: "
            + "; ".join(differ)
            + f". Use another {option_name('folder')}, or the settings of the folder."
        )


def _shown(value: Any) -> str:
    """A part of the description of a study, in short."""
    if isinstance(value, list):
        return ", ".join(_shown(part) for part in value)
    if isinstance(value, dict):
        settings = ", ".join(f"{k}={v}" for k, v in (value.get("settings") or {}).items())
        more = [text for text in (settings, value.get("function")) if text]
        return f"{value.get('name')}{' (' + ', '.join(more) + ')' if more else ''}"
    return "nothing" if value is None else str(value)


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Hold the lock of the folder, which ends with this process, also if it is killed."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (place / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArgumentError(
                f"Another process is working in the folder {place}. Wait until it has finished."
            ) from None
        except OSError:
            pass  # a file system without locks
        yield


def _clean(place: Path) -> None:
    """Remove what was being written when an earlier process was killed."""
    for kind in ("groups", "draws", "tables"):
        for path in (place / kind).rglob(".*"):
            with contextlib.suppress(OSError):
                path.unlink()


class TemporaryFolder:
    """A folder that is removed together with the result that it belongs to."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="peckorder-study-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)
