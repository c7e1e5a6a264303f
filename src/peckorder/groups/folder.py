"""The folder of a study: a file per batch of groups, written whole or not at all.

    study.json                         what is computed: measures, settings, seed, version
    groups/NUMBER.json                 the numbers of groups, and the keys of what they rest on
    draws/MEASURE/NUMBER.parquet       their posterior draws: group, draw, and a column per quantity
    tables/MEASURE/NUMBER.parquet      their tables of individuals
    table.csv                          one row per group, at the end

The file in groups/ is written last, so that a group is either complete or computed again. Of a
group in several files, the last counts.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.tables import write_whole
from peckorder.text import given, option_name

MANIFEST, TABLE, LOCK = "study.json", "table.csv", ".lock"
FORMAT = 2
KINDS = ("draws", "tables")


@dataclass(frozen=True)
class Folder:
    """A folder of a study that is being computed, or has been."""

    path: Path

    def stored(self) -> dict[str, dict[str, Any]]:
        """What is known about each group; a damaged file counts as missing."""
        found: dict[str, dict[str, Any]] = {}
        for path in sorted((self.path / "groups").glob("[0-9]*.json")):
            try:
                entries = json.loads(path.read_bytes())
                found |= {entry["group"]: {**entry, "batch": path.stem} for entry in entries}
            except (OSError, ValueError, TypeError, KeyError):
                continue
        return found

    def store(self, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write a batch of groups; returns what `stored` will know about them."""
        names = [path.stem for path in (self.path / "groups").glob("[0-9]*.json")]
        batch = f"{1 + max(map(int, names), default=0):06d}"
        files = []
        for kind in KINDS:
            for measure in dict.fromkeys(name for entry in entries for name in entry[kind]):
                parts = [_part(entry, kind, measure) for entry in entries if measure in entry[kind]]
                frame = pl.concat(parts, how="diagonal_relaxed")
                files.append((self._file(kind, measure, batch), _parquet(frame)))
        kept = [{**entry, **{kind: list(entry[kind]) for kind in KINDS}} for entry in entries]
        content = json.dumps(kept, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        for path in {path.parent for path, _ in files}:
            path.mkdir(parents=True, exist_ok=True)
        write_whole(*files)
        write_whole((self.path / "groups" / f"{batch}.json", content.encode()))
        return [{**entry, "batch": batch} for entry in kept]

    def _file(self, kind: str, measure: str, batch: str) -> Path:
        return self.path / kind / measure / f"{batch}.parquet"

    def scan(self, kind: str, measure: str, batches: Mapping[str, str]) -> pl.LazyFrame:
        """Draws or tables of groups, given the batch of each, not read yet."""
        groups: dict[str, list[str]] = {}
        for group, batch in batches.items():
            groups.setdefault(batch, []).append(group)
        frames = [
            pl.scan_parquet(self._file(kind, measure, batch), glob=False).filter(
                pl.col("group").is_in(own)
            )
            for batch, own in groups.items()
        ]
        return pl.concat(frames, how="diagonal_relaxed")


def _part(entry: Mapping[str, Any], kind: str, measure: str) -> pl.DataFrame:
    """Draws or a table of one group, the name of the group first."""
    if kind == "draws":
        frame = draws_frame(entry["draws"][measure])
    else:
        frame = entry["tables"][measure].drop("group", strict=False)
    group = pl.Series("group", [entry["group"]]).new_from_index(0, frame.height)
    return frame.insert_column(0, group)


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def draws_frame(draws: Mapping[str, np.ndarray]) -> pl.DataFrame:
    """Draws of one group: the number of the draw, and a column per quantity."""
    number = max(map(len, draws.values()))
    columns = {name: part for name, part in draws.items() if len(part) == number}
    return pl.DataFrame({"draw": np.arange(1, number + 1, dtype=np.int32), **columns})


def earlier_seed(path: Any) -> int | None:
    """The seed of the study in a folder, which goes on with it; None if there is none."""
    if path is None:
        return None
    found = _manifest(Path(path))
    seed = None if found is None else found.get("seed")
    return seed if isinstance(seed, int) else None


@contextlib.contextmanager
def opened(path: Any, manifest: dict[str, Any]) -> Iterator[Folder]:
    """The folder, while nobody else works in it.

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
        yield Folder(place)


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
    for kind in ("groups", *KINDS):
        for path in (place / kind).rglob(".*"):
            with contextlib.suppress(OSError):
                path.unlink()


class TemporaryFolder:
    """A folder that is removed together with the result that it belongs to."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="peckorder-study-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)
