"""`study`: one analysis over many groups.

Each group is a task of its own with seeds derived from the seed of the study and its name, so that
results do not depend on where, when or in which order groups are computed. Results are kept in a
folder under the key of what they rest on: contests, measures, settings, seed and version.

The groups of a study, each with its contests or with the reason why it has none.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event, RLock, Thread
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.headings import wanted_columns
from peckorder.data.import_report import Labels
from peckorder.data.matrix import Matrix
from peckorder.data.names import text_of
from peckorder.data.read import read
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, ExecutorError
from peckorder.executors.mapping import arriving, checked_executor
from peckorder.executors.worker import Done, Failed
from peckorder.groups.folder import FORMAT, TABLE, Folder, TemporaryFolder, earlier_seed, opened
from peckorder.groups.result import Study, study_of
from peckorder.groups.tasks import (
    FAILED,
    INCOMPLETE,
    USUAL,
    Analysis,
    Setup,
    Task,
    analyses_of,
    effort,
    results_of,
)
from peckorder.methods import VERSION
from peckorder.random_runs import Progress, cores
from peckorder.tables import write_whole
from peckorder.text import counted, did_you_mean, given, option_name, quoted
from peckorder.validate import seed_number

BATCH = 500  # groups that are written together at the most
PAUSE = 1.0  # seconds after which results are written
Measures = str | Callable[..., Any] | Sequence[Any] | Mapping[str, Any]


def study(
    data: Any,
    *,
    by: str | None = "group",
    measures: Measures = USUAL,
    folder: str | os.PathLike[str] | None = None,
    executor: Any = None,
    seed: Any = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Study:
    """One analysis over many groups: one row per group, whatever happens in single groups.

    Parameters
    ----------
    data : Contests, a file or table as for `read`, or a mapping
        A mapping has one entry per group: contests, a matrix, a table or a file.
    by : str
        Column of groups; "group", "context" or "season" of contests that were read. None: all
        contests are one group.
    measures : names, functions, or a mapping of names to settings
        Any measure, order or fit by the name of its function ("steepness_bayes", "linearity",
        "isi", "elo_bayes", "dynamic", …), "evaluate" and "stability" (of the ratings by `method`,
        default "elo"), "recovery", and functions of your own, which take contests and return a
        number, a mapping of numbers (or of arrays of draws), or a result of this package. Settings
        as in {"linearity": {"runs": 1000}, "isi": {}}. Defaults are those of the functions, except
        that "steepness_bayes" is without refits to fair coins unless `fair_coins` is given.
    folder : path, optional
        Results of each group are written here as soon as they are ready, and the same call goes on
        where it stopped. Groups whose contests have changed are computed again.
    executor : optional
        By default one worker process per core. A number of worker processes (1: this process), an
        executor of `concurrent.futures`, a client of dask.distributed, or the address of its
        scheduler. Results are the same.
    seed : int, optional
        Seed of the random numbers; by default that of the folder.
    progress : function, optional
        Called with the numbers of groups done and of all groups.
    reading : arguments of `read`, if `data` is a file or table.

    Returns
    -------
    Study
        Table, one row per group: group, individuals, contests, ties, unknown_share (dyads without
        a contest); the values of each measure, with sd, low and high where it has a posterior;
        seconds, status (complete, incomplete, failed) and reason (why values are missing).
        `.draws(measure)` has the posterior draws of all groups, `.tables(measure)` the tables of
        individuals, `.pooled(measure)` mean and spread over groups, `.save_r(path)` writes an R
        script.

    Examples
    --------
    >>> import peckorder as po
    >>> groups = {"bonobos": po.datasets.bonobos(), "adv": po.datasets.adv()}
    >>> study = po.study(groups, measures=("linearity", "isi"), executor=1, seed=1)
    >>> study.table["linearity"].round(3).to_list(), study.table["status"].to_list()
    ([0.857, 0.554], ['complete', 'complete'])
    """
    analyses = analyses_of(measures)
    executor = checked_executor(executor)
    if folder is not None and not isinstance(folder, str | os.PathLike):
        raise ArgumentTypeError(f"folder={folder!r}: give the path of a folder.")
    number = earlier_seed(folder) if seed is None else None
    number = seed_number(seed) if number is None else number
    groups = groups_of(data, by, reading)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "by": by,
        "measures": [analysis.described() for analysis in analyses],
        "seed": number,
    }
    extra = any(analysis.own for analysis in analyses)
    owner = TemporaryFolder() if folder is None else None
    with opened(folder if owner is None else owner.name, manifest) as files:
        entries: dict[str, Any] = {
            name: _refused(name, reason) for name, reason in groups.refused.items()
        }
        tasks, known = [], files.stored()
        for name, part in groups.data.items():
            task = Task(name, key_of(name, part, manifest, extra), part)
            stored = known.get(name)
            if stored is not None and stored.get("key") == task.key:
                entries[name] = stored
            else:
                tasks.append(replace(task, data=part if extra else replace(part, extra=None)))
        setup = Setup(analyses, number)
        run = _Run(files, entries, len(groups.names), progress, named=folder is not None)
        run.all(setup, tasks, _processes(len(tasks)) if executor is None else executor)
        found = study_of(
            [entries[name] for name in groups.names],
            tuple(analysis.name for analysis in analyses),
            files,
            groups.flavor,
            settings=_settings(by, analyses),
            seed=number,
            hash=_hash(groups.data),
            data_notes=groups.notes,
            owner=owner,
        )
        more = len(known.keys() - set(groups.names)) if owner is None else 0
        if more:
            note = f"The folder also has results of {counted(more, 'group')} not in these data."
            found = replace(found, summary=(*found.summary, note))
        write_whole((files.path / TABLE, found.as_polars().write_csv().encode()))
    return found


def key_of(group: str, data: Contests, manifest: dict[str, Any], extra: bool) -> str:
    """The key of all that the results of a group rest on."""
    digest = hashlib.blake2b(digest_size=16)
    what = {**manifest, "group": group, "data": data.hash, "ordered": data.ordered}
    digest.update(json.dumps(what, sort_keys=True).encode())
    if extra and data.extra is not None:  # own functions may use further columns
        digest.update(data.extra.write_csv().encode())
    return digest.hexdigest()


def _processes(tasks: int) -> int:
    """Worker processes by default: one per core, none for a single group."""
    return max(1, min(cores(), tasks))


def _hash(parts: Mapping[str, Contests]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for name, part in parts.items():
        digest.update(f"{name}\x00{part.hash}\x00".encode())
    return digest.hexdigest()


def _settings(by: str | None, analyses: tuple[Analysis, ...]) -> dict[str, Any]:
    return {"by": by, "measures": {one.name: dict(one.settings) for one in analyses}}


def _refused(group: str, reason: str) -> dict[str, Any]:
    """The entry of a group whose contests could not be read."""
    return {
        "group": group,
        "key": None,
        "status": FAILED,
        "reason": reason,
        "seconds": 0.0,
        "effort": {},
        "values": {},
        "draws": {},
        "tables": {},
    }


class _Run:
    """The groups that are computed now: their results are written in batches as they arrive."""

    def __init__(
        self,
        files: Folder,
        entries: dict[str, Any],
        number: int,
        progress: Progress | None,
        *,
        named: bool,
    ) -> None:
        self.files, self.entries, self.number = files, entries, number
        self.progress, self.named = progress, named
        self.waiting: list[dict[str, Any]] = []
        self.lock = RLock()

    def all(self, setup: Setup, tasks: list[Task], executor: Any) -> None:
        """Compute all tasks; an error of the executor says what has been kept."""
        self._report()
        try:
            # Cautions about single groups are in their rows.
            with self._writing(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for place, outcome in arriving(results_of, setup, tasks, executor):
                    with self.lock:
                        self._take(tasks[place], outcome)
                    self._report()
        except ExecutorError as error:
            raise ExecutorError(f"{error} {self._kept()}") from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise ExecutorError(f"{where}{error.strerror or error}. {self._kept()}") from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write what has arrived every second, also while a group takes long, and at the end."""
        ended = Event()

        def often() -> None:
            while not ended.wait(PAUSE):
                with suppress(OSError):  # raised at the end
                    self._write()

        beside = Thread(target=often, daemon=True)
        beside.start()
        try:
            yield
        finally:
            ended.set()
            beside.join()
            self._write()

    def _take(self, task: Task, outcome: Any) -> None:
        if isinstance(outcome, Failed):
            raise outcome.error
        if isinstance(outcome, Done):
            self.waiting.append(outcome.value)
        else:
            reason = (
                f"The worker process {outcome.how} each of three times that it computed this "
                f"group. A lack of memory is the most common reason."
            )
            lost = {"key": task.key, "effort": effort(task.data)}
            self.waiting.append(_refused(task.group, reason) | lost)
        if len(self.waiting) >= BATCH:
            self._write()

    def _write(self) -> None:
        with self.lock:
            if not self.waiting:
                return
            try:
                kept = self.files.store(self.waiting)
            except OSError:
                raise
            except Exception:  # what cannot be stored must not cost the others
                kept = [self._alone(entry) for entry in self.waiting]
            self.entries |= {entry["group"]: entry for entry in kept}
            self.waiting = []

    def _alone(self, entry: dict[str, Any]) -> dict[str, Any]:
        """A group in a batch of its own, without draws and tables if these cannot be stored."""
        try:
            return self.files.store([entry])[0]
        except OSError:
            raise
        except Exception as error:
            reason = f"Draws and tables could not be stored ({type(error).__name__}: {error})."
            reason = " ".join(filter(None, (entry["reason"], reason)))
            lost = {"status": INCOMPLETE, "reason": reason, "draws": {}, "tables": {}}
            return self.files.store([{**entry, **lost}])[0]

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(len(self.entries) + len(self.waiting), self.number)

    def _kept(self) -> str:
        done = f"{len(self.entries):,} of {counted(self.number, 'group')}"
        if not self.named:
            return f"{done} had been computed; give a folder to keep results."
        return f"Results of {done} are kept in the folder; the same call goes on with the others."


ROLES = ("group", "context", "season")
ALL = "all"  # the name of the only group
OPENING = ("sheet", "separator", "encoding", "header", "query", "parameters", "glob")


@dataclass(frozen=True)
class Groups:
    """Contests by group, in order of appearance, and reasons why others have none."""

    data: dict[str, Contests]
    refused: dict[str, str]
    flavor: str
    names: tuple[str, ...]  # of both, in order
    notes: tuple[str, ...] = ()  # of the import


def groups_of(data: Any, by: str | None, reading: dict[str, Any]) -> Groups:
    """The groups of contests that were read, of a file or table, or of a mapping."""
    if isinstance(data, Contests | Matrix) and reading:
        raise ArgumentError(
            f"{option_name(next(iter(reading)))}: the data have been read already. Give it to "
            f"peckorder.read."
        )
    if isinstance(data, Matrix):
        data, by = Contests.from_matrix(data), None
    if isinstance(data, Contests):
        return _known(split(data, by), {}, data)
    if _is_mapping_of_groups(data):
        return _of_mapping(data, reading)
    if by is None:
        whole = read(data, **reading)
        return _known({ALL: whole}, {}, whole)
    try:
        whole = read(data, group=by, **reading)
    except DataError as refused:
        return _without_the_refused(data, by, reading, refused)
    return _known(split(whole, "group"), {}, whole)


def _known(data: dict[str, Contests], refused: dict[str, str], whole: Contests) -> Groups:
    return Groups(data, refused, whole.flavor, (*data, *refused), _notes(whole))


def _notes(data: Contests) -> tuple[str, ...]:
    """What was decided and dropped when the contests were read."""
    dropped = (
        f"{counted(number, 'row was', 'rows were')} dropped: {why}."
        for why, number in data.report.dropped.items()
    )
    presence = data.presence.notes if data.presence is not None else ()
    return (*data.report.notes, *presence, *dropped)


def _is_mapping_of_groups(data: Any) -> bool:
    kinds = (Contests, Matrix, str, os.PathLike)
    return (
        isinstance(data, Mapping)
        and bool(data)
        and all(isinstance(part, kinds) or hasattr(part, "columns") for part in data.values())
    )


def _of_mapping(parts: Mapping[Any, Any], reading: dict[str, Any]) -> Groups:
    """Each part read on its own: contests, matrices, tables or files."""
    data: dict[str, Contests] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            if isinstance(part, Matrix):
                part = Contests.from_matrix(part)
            data[str(name)] = (
                part if isinstance(part, Contests) else read(part, **_without_group(reading))
            )
        except (DataError, OSError) as error:
            refused[str(name)] = _said(error)
    if not data:
        raise DataError(f"No group can be read. The first: {next(iter(refused.values()))}")
    flavor = next(iter(data.values())).flavor
    names = tuple(str(name) for name in parts)
    notes = tuple(f"{name}: {note}" for name, one in data.items() for note in _notes(one))
    return Groups(data, refused, flavor, names, notes)


def _without_group(reading: dict[str, Any]) -> dict[str, Any]:
    return {"group": False, **reading}


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or error}."
    return str(error)


def split(data: Contests, by: str | None) -> dict[str, Contests]:
    """Contests by the labels of a role or of any other column."""
    if by is None:
        return {ALL: data}
    role = next((role for role, column in data.report.columns.items() if column == by), by)
    if role in ROLES and getattr(data, role) is not None:
        labels = getattr(data, role)
    elif data.extra is not None and by in data.extra.columns:
        labels = _labels(data.extra[by])
    else:
        known = [r for r in ROLES if getattr(data, r) is not None]
        known += [] if data.extra is None else data.extra.columns
        raise ArgumentError(
            f"{given('by', by)}: the data have no such column.{did_you_mean([by], known)} "
            + (f"Choose from: {quoted(known)}." if known else "They have no column of groups.")
        )
    # One sort instead of one comparison of all contests per group.
    order = np.argsort(labels.codes, kind="stable")
    ends = np.cumsum(np.bincount(labels.codes, minlength=len(labels.names)))
    parts = np.split(order, ends[:-1])
    return {
        name: data.take(places, members=np.zeros(0, int))
        for name, places in zip(labels.names, parts, strict=True)
        if len(places)
    }


def _labels(column: pl.Series) -> Labels:
    texts = text_of(column).fill_null("").str.strip_chars()
    names = texts.unique(maintain_order=True)
    codes = pl.Series(texts).replace_strict(names, np.arange(len(names)), return_dtype=pl.Int32)
    return Labels(codes.to_numpy(), tuple(name or "(blank)" for name in names))


def _without_the_refused(
    source: Any, by: str, reading: dict[str, Any], refused: DataError
) -> Groups:
    """Groups whose rows can be read; for the others the reason."""
    opening = {name: reading[name] for name in OPENING if reading.get(name) is not None}
    rest = {name: value for name, value in reading.items() if name not in OPENING}
    if isinstance(source, str) and source == "-":
        raise refused  # standard input cannot be read twice
    sheet = open_sheet(source, wanted=wanted_columns({**rest, "group": by}, None), **opening)
    if by not in sheet.columns:
        raise DataError(
            f'{sheet.name} has no column "{by}", given as {option_name("by")}.'
            f"{did_you_mean([by], sheet.columns)} Columns found: {quoted(sheet.columns)}."
        ) from None
    labels = _labels(sheet.column(by))
    table = sheet.table()
    reasons: dict[str, str] = {}
    for code, name in enumerate(labels.names):
        own = np.flatnonzero(labels.codes == code)
        try:
            read(_rows(sheet, table, own), group=by, **rest)
        except DataError as error:
            reasons[name] = str(error)
    if len(reasons) == len(labels.names):
        raise refused
    bad = [code for code, name in enumerate(labels.names) if name in reasons]
    kept = np.flatnonzero(~np.isin(labels.codes, bad))
    try:
        whole = read(_rows(sheet, table, kept), group=by, **rest)
    except DataError:
        raise refused from None
    return replace(_known(split(whole, "group"), reasons, whole), names=labels.names)


def _rows(sheet: Sheet, table: pl.DataFrame, places: np.ndarray) -> Sheet:
    """Some rows of a sheet, which keep their numbers."""
    return replace(sheet.of_rows(table[places], places), notes=[])
