"""What is done in one group, usually in another process: it never raises an error of the data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.errors import ConvergenceError, PeckorderError
from peckorder.studies.analyses import Analysis, seed_for
from peckorder.studies.folder import draws_frame, seen
from peckorder.studies.numbers import draws_of, numbers_of, table_of

COMPLETE, INCOMPLETE, FAILED = "complete", "incomplete", "failed"


@dataclass(frozen=True)
class Setup:
    """What all groups share."""

    analyses: tuple[Analysis, ...]
    seed: int
    folder: str | None
    token: str


@dataclass(frozen=True)
class Task:
    """One group: its name, the key of its results, and its contests."""

    group: str
    key: str
    data: Interactions


def analyzed(setup: Setup, task: Task) -> tuple[bool, dict[str, Any]]:
    """The results of one group, and whether they have been stored in the folder.

    They are stored here if this process sees the folder, so that draws need not travel.
    """
    entry = results_of(setup, task)
    folder = seen(setup.folder, setup.token)
    return (False, entry) if folder is None else (True, folder.store(entry))


def results_of(setup: Setup, task: Task) -> dict[str, Any]:
    """All that is computed in one group, with a status and reasons for what is missing."""
    began = time.perf_counter()
    values: dict[str, Any] = {}
    draws: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for analysis in setup.analyses:
        name = analysis.name
        try:
            found = _found(analysis, task, setup.seed, reasons)
            values[name] = numbers_of(found, name)
        except Exception as error:
            reasons[name] = _said(error)
            continue
        sampled, table = draws_of(found), table_of(found)
        if sampled:
            draws[name] = draws_frame(task.group, sampled)
        if table is not None:
            tables[name] = table
    status = COMPLETE if not reasons else INCOMPLETE if values else FAILED
    return {
        "group": task.group,
        "key": task.key,
        "status": status,
        "reason": reason_of(reasons, len(setup.analyses)),
        "seconds": round(time.perf_counter() - began, 4),
        "effort": effort(task.data),
        "values": values,
        "draws": draws,
        "tables": tables,
    }


def _found(analysis: Analysis, task: Task, seed: int, reasons: dict[str, str]) -> Any:
    """The result; that of a fit which has not converged is kept, with the reason."""
    try:
        return analysis(task.data, seed_for(seed, task.group, analysis.name))
    except ConvergenceError as error:
        if error.ratings is None:
            raise
        reasons[analysis.name] = str(error)
        return error.ratings


def _said(error: Exception) -> str:
    if isinstance(error, PeckorderError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def reason_of(reasons: dict[str, str], measures: int) -> str | None:
    """The reasons of all measures in one text; the same reason of all is stated once."""
    if not reasons:
        return None
    texts = list(dict.fromkeys(reasons.values()))
    if len(texts) == 1 and len(reasons) == measures:
        return texts[0]
    return " ".join(f"{name}: {text}" for name, text in reasons.items())


def effort(data: Interactions) -> dict[str, Any]:
    """Individuals, contests, ties, and the share of dyads without a contest."""
    size = len(data.individuals)
    low, high = np.minimum(data.winner, data.loser), np.maximum(data.winner, data.loser)
    met = len(np.unique(low.astype(np.int64) * size + high))
    dyads = size * (size - 1) // 2
    return {
        "individuals": size,
        "contests": len(data),
        "ties": 0 if data.draw is None else int(data.draw.sum()),
        "unknown_share": (dyads - met) / dyads if dyads else None,
    }
