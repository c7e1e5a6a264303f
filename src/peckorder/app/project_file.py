"""The work as one file: `work.zip`, with the upload as it was, decisions, settings and results.

It is opened like any file of a stranger: members have names from a fixed list, their sizes are
checked before and while they are unpacked, every value is checked, and the hash of the upload must
agree. Nothing in it is executed (no pickle).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peckorder.app.errors import Refused
from peckorder.app.queries import ASKS
from peckorder.app.reading import checked_option
from peckorder.app.security import DAMAGED, TIMES, Limits
from peckorder.app.settings import Settings
from peckorder.app.uploads import plain_name
from peckorder.app.workspace import LONGEST_LABEL, Workspace
from peckorder.errors import PeckorderError
from peckorder.methods import VERSION

FORMAT, NUMBER = "peckorder workspace", 1
WORK, SOURCE, PRESENCE = "work.json", "source/", "presence/"
RESULT = re.compile(r"results/([0-9a-f]{16})\.json")
LARGEST_WORK, LARGEST_RESULT = 8 << 20, 16 << 20
MOST_RESULTS, MOST_STEPS, MOST_SENTENCES = 64, 100, 200
MADE = (2000, 1, 1, 0, 0, 0)  # not the time of saving: equal work gives equal files
TEXTS = ("ask", "head", "key", "title", "method")
PARTS = ("table", "values", "extra", "code", "chosen", "settings")


@dataclass(frozen=True)
class Work:
    """What a work file holds, checked."""

    name: str
    content: bytes
    decided: dict[str, Any]
    settings: Settings
    # steps that can be undone: label, decisions and settings before it, and whether with presence
    history: list[tuple[str, dict[str, Any], Settings, bool]]
    example: str | None = None
    presence: tuple[str, bytes] | None = None
    results: dict[str, dict[str, Any]] = field(default_factory=dict)


def is_work(content: bytes) -> bool:
    """Whether an upload is a work file, and not a workbook."""
    if not content.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return WORK in packed.namelist()
    except DAMAGED:
        return False


def named(path: Path) -> tuple[str, int]:
    """The name of the data in a work file of our own, and the number of steps."""
    with zipfile.ZipFile(path) as packed:
        work = json.loads(packed.read(WORK))
    return str(work["source"]), len(work["history"])


def saved(space: Workspace) -> bytes:
    """The work file of a workspace."""
    state, record = space.state, space.record
    described = {
        "format": FORMAT,
        "version": NUMBER,
        "peckorder": VERSION,
        "source": record.name,
        "sha256": record.sha256,
        "example": record.example,
        "presence": None if state.presence is None else state.presence.name,
        "reading": state.decided,
        "settings": state.settings.to_dict(),
        "history": [
            {
                "label": label,
                "reading": before.decided,
                "settings": before.settings.to_dict(),
                "presence": before.presence is not None,
            }
            for label, before in space.past[-MOST_STEPS:]
        ],
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        _write(packed, WORK, _json(described))
        _write(packed, f"{SOURCE}{record.name}", record.path.read_bytes())
        if state.presence is not None:
            _write(packed, f"{PRESENCE}{state.presence.name}", state.presence.read_bytes())
        for job, result in list(space.results.items()):
            _write(packed, f"results/{job}.json", _json(result))
    return buffer.getvalue()


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _write(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, MADE)
    member.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(member, content)


def opened(content: bytes, limits: Limits) -> Work:
    """The content of a work file; refused if anything in it is not as it must be."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return _checked(_members(packed, limits))
    except Refused:
        raise
    except (PeckorderError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _wrong(str(error)[:300] or type(error).__name__) from None
    except (*DAMAGED, RuntimeError):
        raise _wrong("it is damaged") from None


def _wrong(why: str) -> Refused:
    return Refused(422, f"This is not a work file of peckorder: {why}. Open the data instead.")


def _members(packed: zipfile.ZipFile, limits: Limits) -> dict[str, bytes]:
    """The members by name, with their sizes checked before and while they are unpacked."""
    found = packed.infolist()
    names = [member.filename for member in found]
    if len(names) > MOST_RESULTS + 3 or len(set(names)) != len(names):
        raise _wrong("it has too many members")
    total = 0
    for member in found:
        most = _most(member.filename, limits)
        plain = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if most is None or not plain or member.flag_bits & 1 or member.is_dir():
            raise _wrong("it has a member that does not belong to it")
        total += member.file_size
        if member.file_size > most or total > TIMES * limits.upload:
            raise Refused(413, "This work file would expand to too much.", most=limits.upload)
    content = {}
    for member in found:
        with packed.open(member) as file:
            content[member.filename] = file.read(member.file_size + 1)
        if len(content[member.filename]) != member.file_size:
            raise _wrong("the sizes of its members are wrong")
    return content


def _most(name: str, limits: Limits) -> int | None:
    """The largest size of a member; None if it does not belong to a work file."""
    if name == WORK:
        return LARGEST_WORK
    if RESULT.fullmatch(name):
        return LARGEST_RESULT
    for folder in (SOURCE, PRESENCE):
        if name.startswith(folder) and plain_name(name[len(folder) :]) == name[len(folder) :]:
            return limits.upload
    return None


def _checked(members: dict[str, bytes]) -> Work:
    work = json.loads(members[WORK])
    if work["format"] != FORMAT or work["version"] != NUMBER:
        raise _wrong("its format is of another version")
    name, content = _only(members, SOURCE)
    if name != work["source"] or hashlib.sha256(content).hexdigest() != work["sha256"]:
        raise _wrong("the data in it are not those that it was saved with")
    presence = None
    if work.get("presence") is not None:
        presence = _only(members, PRESENCE)
        if presence[0] != work["presence"]:
            raise _wrong("its presence data are missing")
    decided, settings = _state(work)
    steps = [one for one in list(work["history"])[-MOST_STEPS:] if isinstance(one, dict)]
    history = [
        (str(one["label"])[:LONGEST_LABEL], *_state(one), one["presence"] is True) for one in steps
    ]
    results = {}
    for member, text in members.items():
        if job := RESULT.fullmatch(member):
            results[job[1]] = _result(json.loads(text), job[1])
    example = work.get("example")
    example = example if isinstance(example, str) and len(example) <= 40 else None
    return Work(name, content, decided, settings, history, example, presence, results)


def _state(work: dict[str, Any]) -> tuple[dict[str, Any], Settings]:
    """Decisions and settings, checked."""
    decided = {str(k): checked_option(str(k), v) for k, v in work["reading"].items()}
    given = {str(k): v for k, v in work["settings"].items() if v is not None}
    return decided, Settings().with_changes(given)


def _only(members: dict[str, bytes], folder: str) -> tuple[str, bytes]:
    found = [name for name in members if name.startswith(folder)]
    if len(found) != 1:
        raise _wrong("its data are missing")
    return found[0][len(folder) :], members[found[0]]


def _result(result: dict[str, Any], job: str) -> dict[str, Any]:
    """A stored result with the parts that a result must have, and no others."""
    if result["ask"] not in ASKS or result["job"] != job:
        raise _wrong("it has an answer to an unknown question")
    if not all(isinstance(result[name], str) for name in TEXTS):
        raise _wrong("one of its answers has wrong parts")
    if not all(isinstance(result[name], dict) for name in PARTS):
        raise _wrong("one of its answers has wrong parts")
    sentences = result["sentences"]
    if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
        raise _wrong("one of its answers has wrong parts")
    code = {name: str(result["code"][name]) for name in ("shell", "python")}
    seed = result.get("seed")
    kept = {name: result[name] for name in (*TEXTS, *PARTS)}
    return kept | {
        "job": job,
        "sentences": sentences[:MOST_SENTENCES],
        "code": code,
        "seed": seed if isinstance(seed, int) else None,
    }
