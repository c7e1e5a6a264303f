"""`read`: from a file or table of contests to validated `Contests`.

Presence data in a sheet of a workbook, most often that of the contests.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from narwhals.typing import IntoFrame

from peckorder import text
from peckorder.data import matrix_reader
from peckorder.data.addresses import shown
from peckorder.data.aliases import read_aliases, read_ignored, repeatable
from peckorder.data.behavior_logs import contests_of_log
from peckorder.data.build import assembled, from_matrix
from peckorder.data.cells import filled_down, with_divided_scores, with_joined_date
from peckorder.data.column_doubts import second_twins
from peckorder.data.columns import (
    STATING,
    Columns,
    find_columns,
    is_named_matrix,
    names_sides,
    not_understood,
    refuse_other_types,
)
from peckorder.data.contests import Contests
from peckorder.data.date_columns import dates_called_time
from peckorder.data.evidence import Evidence
from peckorder.data.fields import of_several_sides, refuse_fields
from peckorder.data.headings import OF_LOGS, heading, parts_of_dates, wanted_columns
from peckorder.data.matrix import Matrix
from peckorder.data.outcomes import RULES, with_outcomes
from peckorder.data.recipe import KINDS, ROLES, Recipe, listing
from peckorder.data.sheet import Sheet, with_cells, without_cells, without_rows
from peckorder.data.similar_names import SIMILAR, joined_spellings
from peckorder.data.sources import open_sheet
from peckorder.data.stream import ContestStream
from peckorder.data.visits import refuse_visits
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import counted, option, quoted
from peckorder.validate import one_of, several

UNORDERED = (
    "There is neither an ORDER BY nor a column of dates, so that the order of the contests is not "
    "certain: a database may return rows in any order."
)


def read(
    source: Any,
    *,
    recipe: Any = None,
    kind: Literal["events", "matrix", "games", "votes", "dyads", "focal", "arrows"] | None = None,
    winner: str | None = None,
    loser: str | None = None,
    date: str | bool | None = None,
    time: str | bool | None = None,
    tie: str | bool | None = None,
    context: str | bool | None = None,
    group: str | bool | None = None,
    season: str | bool | None = None,
    count: str | bool | None = None,
    winner_points: str | bool | None = None,
    loser_points: str | bool | None = None,
    home: str | bool | None = None,
    away: str | None = None,
    home_points: str | None = None,
    away_points: str | None = None,
    neutral: str | bool | None = None,
    a: str | None = None,
    b: str | None = None,
    outcome: str | bool | None = None,
    a_points: str | bool | None = None,
    b_points: str | bool | None = None,
    contest: str | None = None,
    order: str | Sequence[str] | None = None,
    unused: str | Sequence[str] | None = None,
    winner_behaviors: str | Sequence[str] | None = None,
    loser_behaviors: str | Sequence[str] | None = None,
    other: str | None = None,
    outcomes: Mapping[str, str] | None = None,
    winners: Literal["rows", "columns"] | None = None,
    individuals: Sequence[object] | None = None,
    names: Any = None,
    ignore: Sequence[object] | str | None = None,
    where: str | None = None,
    leave_out: Sequence[int | str] | int | str | None = None,
    cells: Mapping[str, str] | None = None,
    accept: str | Sequence[str] | None = None,
    presence: Any = None,
    presence_sheet: str | int | None = None,
    date_format: str | None = None,
    fill_down: str | Sequence[str] | None = None,
    self_contests: str = "refuse",
    missing: str = "refuse",
    polyadic: str = "refuse",
    undecided: str | None = None,
    twins: Literal["all", "once"] = "all",
    times: Literal["keep", "drop"] = "keep",
    sheet: str | int | Sequence[str | int] | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: int | str | Sequence[int] | None = None,
    query: str | None = None,
    parameters: Sequence[object] | None = None,
    glob: bool | None = None,
    stream: bool = False,
) -> Contests:
    """Read contests from a file, a database, a table or arrays, and validate them.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON, PGN, Excel, Parquet, R (.rda, .rds), SQLite or DuckDB file (text
        may be gzipped), `"-"` for standard input; a folder of Parquet or of CSV files, or a pattern
        such as `"2020/*.parquet"`, read as one table; a database, as
        `"postgresql://user@host/database"` or `"sqlite:///station.db"`, or an open connection or
        cursor; a pandas, polars or pyarrow table, a polars LazyFrame, a relation of DuckDB or
        anything else with `__arrow_c_stream__`; a mapping of columns; a pair (winners, losers); a
        list of tuples (winner, loser) or of dictionaries; a square array of wins, also an xarray
        DataArray.
    recipe : path, Recipe or mapping, optional
        How the sheet is read, such as `"contests.toml"`, as saved by `data.recipe.save` or
        `peckorder check --save`. All other arguments are shortcuts for its fields.
    kind : {"events", "matrix", "games", "votes", "dyads", "focal", "arrows"}, optional
        Kind of data; detected if omitted. events: one contest per row, with winner and loser.
        matrix: a square table of wins, winners in rows. games: two sides with their points,
        usually home and away. votes: two sides (such as initiator and receiver) and an outcome,
        or the loser. dyads: two sides with their numbers of wins (as `a_points`, `b_points`) and
        of ties. focal: individuals (`a`), whom they displaced (`loser`), and who displaced them
        (`winner`). arrows: cells such as A > B.
    winner, loser, date, time, tie, context, group, season, count, winner_points, loser_points, \
home, away, home_points, away_points, neutral, a, b, outcome, a_points, b_points, contest : str, \
optional
        Names of columns; those omitted are detected by common names (see docs/data.md). An empty
        string or False ignores a column that would be detected.
    order : str or sequence of str, optional
        Columns by which contests of equal date are ordered: numbers, times of day, months.
    unused : str or sequence of str, optional
        Columns that have no role, so that nothing is asked about them.
    winner_behaviors, loser_behaviors : str or sequence of str, optional
        For a behavior log (BORIS, ZooMonitor, Animal Observer, or a list with actor, recipient and
        behavior): the behaviors whose actor wins, and those whose actor loses. Other behaviors are
        not counted.
    other : str, optional
        For a behavior log: column of the individual at which a behavior is directed, if there are
        several candidates (such as the modifiers of BORIS).
    outcomes : mapping, optional
        Meaning of words of the outcome, each "first", "second", "tie" or "drop", such as
        `{"unentschieden": "tie"}`.
    winners : {"rows", "columns"}, optional
        For a matrix: where the winners are. By default in the rows, or as its corner says.
    individuals : sequence, optional
        Names of the individuals, for a matrix without names; for a list of contests, members of
        the group, of which those without contests are added.
    names : mapping, path or table, optional
        Correct names of other spellings, such as `{"abby": "Abby"}`, or a sheet with the columns
        name (or alias) and individual (or correct name), as proposed by `data.check().aliases`.
        `"similar"` joins names that differ only in case or blanks, under the most frequent.
        Also applied to presence data, starting ratings and home advantages by name.
    ignore : names, optional
        Names whose contests are left out, such as `["unknown", "?"]`.
    where : str, optional
        Condition on the columns of the source, such as
        `'behavior in ("bite", "chase") and year >= 2019'` (see docs/data.md). Other rows are left
        out before they are checked.
    leave_out : int, str or sequence, optional
        Rows of the source that are left out, such as `[5, 9]` or `"5-9"`.
    cells : mapping, optional
        Corrected cells by row and column, such as `{"5 date": "2020-03-01"}`; the file stays as it
        is.
    accept : str or sequence of str, optional
        Doubts that are no longer raised, by kind or as `"kind: where"`, such as `"date: Date"`.
    presence : optional
        Presence data, as a path, a table or `Presence` (see `read_presence`), or `"inferred"`:
        each individual is present from its first to its last contest.
    presence_sheet : str or int, optional
        Sheet of the presence data, by name or number from 1: of the workbook given as `presence`
        or, without it, of the workbook that is read.
    date_format : str, optional
        For example `"%d/%m/%Y"`; needed only if dates are ambiguous. `"excel"` (or
        `"excel-1904"`) reads numbers as dates of Excel, `"unix"` (or `"unix-ms"`) as seconds (or
        milliseconds) since 1970, `"number"` as plain numbers.
    fill_down : str or sequence of str, optional
        Columns, by name or role, in which a blank cell repeats the value above, such as
        `"date"`.
    self_contests, missing : {"refuse", "drop"}
        Whether to raise an error for, or drop, rows in which winner and loser are the same
        individual (`self_contests`), or a name, a date or points are missing (`missing`). With
        `missing="drop"`, blank cells of a matrix count as 0.
    polyadic : {"refuse", "dyads", "drop", "keep"}
        Cells with several individuals, such as "Abby, Bella": raise an error, read one contest per
        pair of a winner and a loser, drop the row, or keep each cell as one name.
    undecided : {"drop", "tie"}, optional
        Contests without a decided outcome (none, unclear): leave them out, or count them as ties.
        By default they are left out, with a note; but words that may mean either, such as "tie
        (bothbad)", raise an error.
    twins : {"all", "once"}
        Games that are listed from both sides: count all rows, or each contest once.
    times : {"keep", "drop"}
        Whether times of day in the column of dates are used, or contests of a day keep the order
        of the rows.
    sheet : int, str or sequence, optional
        Sheet of a workbook, table of a database or object of an R file (name or number from 1; an
        element of a list as `"list$name"`); of a workbook also a list of sheets to be joined, or
        `"*"` for all with contests. By default the only one with contests.
    separator, encoding : str, optional
        Separator and encoding of a text file.
    header : int or str, optional
        Row of the column names, two rows such as `"3-4"`, or `"none"`: the columns are then
        called `column 1`, `column 2` and so on. By default the first row that names the needed
        columns.
    query : str, optional
        For a database: a SELECT statement, or the path of a .sql file that contains one.
    parameters : sequence, optional
        Values of the placeholders `$1`, `$2`, … of the query.
    glob : bool, optional
        Whether the path is a pattern for several files (`*`, `?`, `[1-3]`). By default it is one
        if it contains such characters and no file has exactly this name, which is always read.
    stream : bool
        Return a `ContestStream`, which is read in batches, instead of loading all contests. Only
        Parquet files, LazyFrames and databases are read without loading everything into memory.

    Returns
    -------
    Contests

    Raises
    ------
    DataError
        Lists all problems found, with the rows concerned and how to fix them.

    Examples
    --------
    >>> import peckorder as po
    >>> po.read({"winner": ["Abe", "Bo", "Abe"], "loser": ["Bo", "Cy", "Cy"]})
    Contests: 3 contests among 3 individuals (Abe, Bo, Cy)
    """
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("source", "recipe", "stream", "presence") and value is not None
        if not (isinstance(value, str) and value == USUAL.get(name))
    }
    data = proposed(source, recipe, given, presence, stream=stream)
    if isinstance(data, Contests):
        data.evidence.refuse()
    return data


def proposed(
    source: Any, recipe: Any, given: dict[str, Any], presence: Any = None, *, stream: bool = False
) -> Contests:
    """The contests with everything that is doubtful decided provisionally."""
    if isinstance(source, Contests):
        raise ArgumentTypeError(
            "The data have been read already. Use data.filter or data.with_presence to modify them."
        )
    base = Recipe() if recipe is None else Recipe.of(recipe)
    wanted = base.with_arguments(given) if recipe is not None else None
    arguments = given if wanted is None else wanted.arguments()
    _refuse_wrong_choices(arguments)
    presence = arguments.pop("presence", None) if presence is None else presence
    if stream:
        opened, columns, options = _with_columns(source, arguments | {"stream": True})
        return _streamed(opened, columns, options, arguments | {"presence": presence})
    data, opened = _contests(source, arguments)
    path = str(source) if isinstance(source, str | os.PathLike) and source != "-" else None
    if (path and ":" in path) or "=" in (path or ""):
        path = shown(source)
    own = isinstance(recipe, str | os.PathLike)
    options = {"recipe": str(recipe)} | given if own else arguments
    data = replace(data, report=replace(data.report, path=path, options=_to_repeat(options)))
    data = replace(data, evidence=Evidence(data, without_cells(opened), arguments, wanted or base))
    presence_sheet = arguments.get("presence_sheet")
    if presence_sheet is None:
        form = arguments.get("date_format")
        return data if presence is None else data.with_presence(presence, date_format=form)
    return with_sheet_of_presence(
        data, source, presence, presence_sheet, arguments.get("date_format")
    )


OPENING = ("sheet", "separator", "encoding", "header", "query", "parameters", "glob")
CHOICES = {
    "kind": KINDS,
    "self_contests": ("refuse", "drop"),
    "missing": ("refuse", "drop"),
    "polyadic": RULES,
    "undecided": ("drop", "tie"),
    "winners": ("rows", "columns"),
    "twins": ("all", "once"),
    "times": ("keep", "drop"),
}
USUAL = {
    "self_contests": "refuse",
    "missing": "refuse",
    "polyadic": "refuse",
    "twins": "all",
    "times": "keep",
}


MAPPINGS = {"outcomes": '{"draw": "tie"}', "cells": '{"5 date": "2020-03-01"}'}


def _refuse_wrong_choices(arguments: Mapping[str, Any]) -> None:
    for name, allowed in CHOICES.items():
        if name in arguments:
            one_of(name, arguments[name], allowed)
    for name, example in MAPPINGS.items():
        if not isinstance(arguments.get(name, {}), Mapping):
            raise ArgumentTypeError(
                f"{text.given(name, arguments[name])}: give a mapping, such as {example}."
            )


def _with_columns(
    source: Any, arguments: dict[str, Any]
) -> tuple[Sheet, Columns | None, dict[str, Any]]:
    """The sheet, the roles of its columns (None: a matrix), and the options of its content."""
    get = arguments.get
    given = {role: get(role) for role in ROLES if role != "other"}
    kind, stream = get("kind"), bool(get("stream"))
    opened = open_sheet(
        source,
        wanted=wanted_columns(given, kind),
        stream=stream,
        **{name: get(name) for name in OPENING},
    )
    own = opened.columns
    refuse_other_types(opened, given | {"other": get("other")})
    opened = with_cells(opened, get("cells"))
    opened = without_rows(opened, get("leave_out"))
    behaviors = {name: get(name) for name in ("winner_behaviors", "loser_behaviors", "other")}
    unused, log = listing(get("unused")) if get("unused") else [], None
    stated = any(value is not None for value in behaviors.values())
    if stated or any(heading(column) in OF_LOGS for column in opened.columns):
        more = {"date_format": get("date_format"), "missing": get("missing", "refuse")}
        log = contests_of_log(opened, kind, given, **behaviors, **more, unused=unused)
    if log is not None:
        if stream:
            raise ArgumentError(
                f"{option('stream', 'True')} applies to lists of contests only, not to a behavior "
                f"log."
            )
        opened, kind, given = log.sheet, "events", given | log.roles
    opened, given = with_joined_date(opened, given)
    if kind is None:
        opened, given = with_divided_scores(opened, given)
    made = tuple(column for column in opened.columns if column not in own)
    parts = tuple(parts_of_dates(own)) if given["date"] in made else ()
    parts += opened.parts_used
    opened = replace(opened, made=made, parts_used=parts, log=None if log is None else log.columns)
    stated = any(given[role] for role in STATING)
    several_files = bool(opened.parts)
    if kind is None and not stated and not several_files and is_named_matrix(opened):
        kind = "matrix"
    columns = find_columns(opened, kind, given, unused=unused)
    if columns is not None:
        columns = dates_called_time(opened, columns, given)
    aliases = read_aliases(get("names")) if get("names") is not None else {}
    ignored = read_ignored(get("ignore")) if get("ignore") is not None else ()
    options: dict[str, Any] = {"aliases": aliases, "ignored": ignored, "log": log}
    options |= {name: get(name) for name in ("date_format", "undecided", "where", "order", "times")}
    for name in ("self_contests", "missing", "polyadic"):
        options[name] = get(name, "refuse")
    if columns is not None:
        if not opened.ordered and columns["date"] is None and not get("order"):
            opened.notes.append(UNORDERED)
        meaning = get("outcomes")
        opened = with_outcomes(opened, columns, meaning) if meaning else opened
        return opened, columns, options
    unknown = (
        several_files or opened.batches is not None or not matrix_reader.looks_like_matrix(opened)
    )
    if kind is None and (names_sides(opened) or unknown):
        refuse_visits(opened)
        raise of_several_sides(opened) or not_understood(opened)
    if several_files:
        raise DataError(f"{opened.name}: a matrix is read from one file. Give its path.")
    for name in ("stream", "fill_down", "where", "order", "leave_out"):
        if get(name):
            said = option(name, "True") if name == "stream" else option(name)
            raise ArgumentError(f"{said} applies to lists of contests only, not to a matrix.")
    return opened, None, options


def _contests(source: Any, arguments: dict[str, Any]) -> tuple[Contests, Sheet]:
    """The contests of a source by arguments that leave nothing open, and its sheet."""
    get = arguments.get
    if isinstance(get("names"), str) and get("names") == SIMILAR:
        first, _ = _contests(source, {**arguments, "names": None})
        arguments["names"] = joined_spellings(first)
    opened, columns, options = _with_columns(source, arguments)
    log, individuals = options.pop("log"), get("individuals")
    if individuals is not None:
        individuals = [str(name) for name in several("individuals", individuals)]
    try:
        if columns is None:
            names = {name: options[name] for name in ("self_contests", "aliases", "ignored")}
            names |= {"winners": get("winners")}
            data = from_matrix(opened, individuals, options["missing"], **names)
        elif get("winners") is not None:
            raise ArgumentError(
                f"{option('winners')} is the side of a matrix, and these data are not a matrix."
            )
        elif opened.height == 0 and opened.batches is None:
            raise DataError(f"{opened.name} has a header but no contests.")
        else:
            if (blank := get("fill_down")) is not None:
                opened = filled_down(opened, columns, blank)
            data = assembled(opened, columns, **options)
            data = data if individuals is None else with_members(data, individuals)
    except DataError as error:
        error.rows = tuple(map(opened.rows_of, error.problems))
        raise
    if log is not None:
        arguments |= log.behaviors  # one by one
        data = replace(data, report=log.reported(data.report))
    if len(data) == 0:
        raise DataError(f"{data.report.source}: no contests remain.\n{data.report}")
    if get("twins") == "once" and (again := second_twins(data)):
        rows = [*listing(get("leave_out")), *again]
        data, opened = _contests(source, {**arguments, "leave_out": rows, "twins": "all"})
        note = f"{counted(len(again), 'row')} left out: the same game from the other side."
        report = replace(data.report, notes=(*data.report.notes, note))
        data = replace(data, report=report)
    return data, opened


def with_members(data: Contests, individuals: Sequence[str]) -> Contests:
    """The contests with further individuals, which never met anybody, as members.

    They count in everything that is computed from all dyads, as the empty rows of a matrix do.
    """
    own = {data.aliases.get(name, name): None for name in map(str.strip, individuals)}
    new = [name for name in own if name and name not in data.individuals]
    if not new:
        return data
    without = counted(
        len(new), "individual without contests was", "individuals without contests were"
    )
    note = f"{without} added by {option('individuals')}: {quoted(new)}."
    report = replace(data.report, notes=(*data.report.notes, note))
    return replace(data, individuals=(*data.individuals, *new), report=report)


def _streamed(
    opened: Sheet, columns: Columns | None, options: dict[str, Any], arguments: dict[str, Any]
) -> Any:
    """A `ContestStream`; arguments that need all rows at once are refused."""
    for name in ("presence", "presence_sheet", "fill_down", "order", "leave_out"):
        if arguments.get(name) is not None:
            raise ArgumentError(
                f"{option('stream', 'True')} cannot be combined with {option(name)}."
            )
    if options["polyadic"] in ("dyads", "drop"):
        raise ArgumentError(
            f"{option('stream', 'True')} cannot be combined with "
            f"{option('polyadic', options['polyadic'])}: which names occur alone is not known "
            f"before the end of the file."
        )
    if columns is None or (opened.height == 0 and opened.batches is None):
        raise DataError(f"{opened.name} has a header but no contests.")
    left = {name: value for name, value in options.items() if name not in ("log", "order")}
    return ContestStream(opened, columns, left)


def _to_repeat(options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as needed to repeat the call: a table of names must be saved to a file."""
    found = {n: "" if value is False and n != "glob" else value for n, value in options.items()}
    if "names" in found:
        found["names"] = repeatable(found["names"])
    if "ignore" in found:
        found["ignore"] = list(read_ignored(found["ignore"]))
    if "individuals" in found:
        found["individuals"] = [str(name) for name in several("individuals", found["individuals"])]
    return {name: value for name, value in found.items() if value not in (None, [])}


def with_sheet_of_presence(
    data: Contests, source: Any, presence: Any, sheet: str | int, date_format: str | None
) -> Contests:
    """The contests with presence data from a sheet of `presence` or, without it, of the source."""
    book = source if presence is None else presence
    if not isinstance(book, str | os.PathLike) or str(book) in ("-", "inferred"):
        raise ArgumentError(
            f"{option('presence_sheet')} names a sheet of a workbook, which is a file. Give its "
            f"path with {option('presence')}, or leave out {option('presence_sheet')}."
        )
    found = data.with_presence(book, date_format=date_format, sheet=sheet)
    if presence is not None:
        return found
    options = {name: value for name, value in found.report.options.items() if name != "presence"}
    return replace(found, report=replace(found.report, options=options))


# What every method takes: data as `read` returns them, or anything that it reads.
Data: TypeAlias = (
    Contests
    | Matrix
    | ContestStream
    | str
    | os.PathLike[str]
    | Mapping[Any, Any]
    | Sequence[Any]
    | np.ndarray
    | IntoFrame
    | Any  # a table of another library
)


def opened(data: Data) -> Any:
    """The data of a method: contests and matrices as they are, anything else as `read` reads it.

    A mapping of groups keeps its names, and each group is read. What nothing reads is returned, for
    the message of the method.

    >>> opened([("a", "b"), ("b", "c")])
    Contests: 2 contests among 3 individuals (a, b, c)
    >>> opened({"winner": ["a", "b"], "loser": ["b", "c"]})
    Contests: 2 contests among 3 individuals (a, b, c)
    """
    if isinstance(data, Contests | Matrix | ContestStream):
        return data
    refuse_fields(data)
    if isinstance(data, Mapping) and (not data or any(map(_is_group, data.values()))):
        return {name: opened(part) for name, part in data.items()}
    kinds = (str, os.PathLike, Mapping, list, tuple, np.ndarray)
    return read(data) if isinstance(data, kinds) or is_table(data) else data


def opened_contests(data: Data, what: str, presence: Any = None) -> Contests:
    """The contests of a method that takes nothing else; `what` is its name in `peckorder`."""
    data = opened(data)
    if not isinstance(data, Contests):
        raise ArgumentTypeError(
            f"{what.rpartition('.')[2]} needs data from peckorder.read, or what it reads, not "
            f"{type(data).__name__}. Use peckorder.{what}(peckorder.read(…))."
        )
    return data if presence is None else data.with_presence(presence)


def is_table(data: Any) -> bool:
    """Whether this is a table of some library, not a result, which also has columns."""
    ways = ("columns", "__arrow_c_stream__", "dims", "fetchmany", "cursor")
    return any(hasattr(data, way) for way in ways) and not hasattr(data, "provenance")


def _is_group(part: Any) -> bool:
    """Whether a value of a mapping is a whole group, not a column."""
    groups = (Contests, Matrix, ContestStream, str, os.PathLike, Mapping)
    return isinstance(part, groups) or is_table(part)
