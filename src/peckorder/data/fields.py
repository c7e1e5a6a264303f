"""`Fields`: contests of any number of sides, and sides of any number of individuals.

Races and free-for-alls have many sides, doubles and team games sides of several members, and ranked
answers are races of models. A table has one row per individual and contest (race, driver, place),
one contest per row in a cell such as "A > B = C > D", or a winner and a loser whose cells name
several members ("Abe & Bo").
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.cells import read_numbers
from peckorder.data.columns import column_of
from peckorder.data.date_columns import read_dates
from peckorder.data.headings import heading
from peckorder.data.names import text_of
from peckorder.data.outcomes import refuse_joint_names
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import counted, did_you_mean, either, option, quoted, rows
from peckorder.validate import one_of

LARGEST_TIE = 4
ENTRIES = {"contest": pl.Int64, "side": pl.String, "place": pl.Float64, "name": pl.String}
UNPLACED = ("refuse", "below", "drop")
HEADINGS = {
    "contest": "contest race event heat match game round_id race_id raceid question prompt",
    "individual": "individual driver rider runner athlete player horse dog name competitor model "
    "participant swimmer skier",
    "place": "place position pos rank finish finishing_position placing finish_position",
    "side": "side team_id pair",
    "order": "order ranking result_order finishing_order",
    "winner": "winner winners won_by",
    "loser": "loser losers lost_by",
    "date": "date day",
}


@dataclass(frozen=True, eq=False, repr=False)
class Fields:
    """An immutable sequence of contests, each a run of sides from the first place to the last.

    Attributes
    ----------
    individuals : tuple of str
    labels : tuple of str, what the source calls each contest
    side_at : int array (contests + 1), where the sides of each contest begin
    place : int array (sides), from 0; equal for sides that tied
    recorded : int array (contests), numbers of places; sides beyond are only known to be below
    member_at : int array (sides + 1), where the members of each side begin
    member : int array, codes of individuals
    weight : float array (contests)
    date : array (contests) or None
    rows : int array (members), rows of the source
    extra : polars.DataFrame, other columns of the source, one row per member
    notes : tuple of str, what was left out and how cells were read

    Examples
    --------
    >>> Fields.of([["Ada", "Bo", "Cy"], ["Bo", "Ada"]])
    Fields: 2 contests of 2 to 3 sides among 3 individuals
    """

    individuals: tuple[str, ...]
    labels: tuple[str, ...]
    side_at: np.ndarray
    place: np.ndarray
    recorded: np.ndarray
    member_at: np.ndarray
    member: np.ndarray
    weight: np.ndarray
    date: np.ndarray | None = None
    rows: np.ndarray | None = None
    extra: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()
    flavor: str = "polars"
    cautions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, contests: Any) -> Fields:
        """Contests as lists of sides from the first to the last; a side is a name or a tuple.

        Sides that tied are in a set, or a list of sides.
        """
        entries: list[tuple[int, str, float, str]] = []
        for number, sides in enumerate(contests):
            for place, shared in enumerate(sides):
                tied = sorted(shared, key=str) if isinstance(shared, set | list) else [shared]
                for i, one in enumerate(tied):
                    names = one if isinstance(one, tuple) else (one,)
                    entries += [(number, f"{place} {i}", place, str(name)) for name in names]
        table = pl.DataFrame(entries, schema=ENTRIES, orient="row")
        table = table.with_columns(row=pl.col("contest"))
        labels = [str(i + 1) for i in range(len(contests))]
        return _arranged(table, labels, "the contests", "contest")

    @property
    def number(self) -> int:
        """Number of contests."""
        return len(self.weight)

    def __len__(self) -> int:
        return self.number

    @property
    def sides(self) -> np.ndarray:
        """Number of sides of each contest."""
        return np.diff(self.side_at)

    @property
    def single(self) -> bool:
        """Whether every side is one individual."""
        return len(self.member) == len(self.place)

    @property
    def contest_of_side(self) -> np.ndarray:
        """The contest of each side."""
        return np.repeat(np.arange(self.number), self.sides)

    @property
    def teams(self) -> list[list[tuple[str, ...]]]:
        """Names of the members of each side of each contest."""
        names = [self.individuals[code] for code in self.member]
        at, side_at = self.member_at.tolist(), self.side_at.tolist()
        sides = [tuple(names[a:b]) for a, b in itertools.pairwise(at)]
        return [sides[a:b] for a, b in itertools.pairwise(side_at)]

    @property
    def tie_sizes(self) -> np.ndarray:
        """Numbers of sides that ever tied, ascending, without 1."""
        contest = self.contest_of_side
        known = self.place < self.recorded[contest]
        shared = np.unique(self.side_at[contest[known]] + self.place[known], return_counts=True)[1]
        sizes = np.unique(shared)
        return sizes[sizes > 1].astype(np.int64)

    @property
    def unplaced(self) -> int:
        """Number of sides without a place."""
        return int((self.place >= self.recorded[self.contest_of_side]).sum())

    @cached_property
    def hash(self) -> str:
        """A short hash of names, orders and weights."""
        digest = hashlib.blake2b("\x00".join(self.individuals).encode(), digest_size=8)
        for array in (self.side_at, self.place, self.recorded, self.member_at, self.member):
            digest.update(np.ascontiguousarray(array, np.int64).tobytes())
        digest.update(self.weight.tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        low, high = int(self.sides.min()), int(self.sides.max())
        size = f"{low}" if low == high else f"{low} to {high}"
        members = "" if self.single else ", sides of several individuals"
        return (
            f"Fields: {counted(self.number, 'contest')} of {size} sides among "
            f"{counted(len(self.individuals), 'individual')}{members}"
        )

    def column(self, name: str) -> np.ndarray:
        """A further column of the source as numbers, one per member."""
        known = [] if self.extra is None else self.extra.columns
        if name not in known:
            raise ArgumentError(
                f"There is no further column {quoted([name])}.{did_you_mean([name], known)} "
                f"Columns: {quoted(known)}."
            )
        values, _ = read_numbers(text_of(self.extra[name]), name, None)  # type: ignore[index]
        lost = np.flatnonzero(values.is_null().to_numpy())
        if lost.size:
            where = lost if self.rows is None else self.rows[lost]
            raise DataError(f'{rows("row", where)}: no number in column "{name}".')
        return values.to_numpy().astype(float)

    def pairs(self) -> pl.DataFrame:
        """Winner and loser of each pair of single sides, for description only.

        The pairs of one contest depend on each other, so that tests and intervals of methods for
        two individuals would be too narrow.
        """
        if not self.single:
            raise DataError("Pairs of individuals exist only where every side is one individual.")
        out: dict[str, list[Any]] = {"contest": [], "winner": [], "loser": [], "tie": []}
        for t in range(self.number):
            first, last = self.side_at[t], self.side_at[t + 1]
            for a in range(first, last):
                for b in range(a + 1, last):
                    if self.place[a] >= self.recorded[t]:
                        break
                    names = (self.individuals[self.member[i]] for i in (a, b))
                    values = (self.labels[t], *names, bool(self.place[a] == self.place[b]))
                    for key, value in zip(out, values, strict=True):
                        out[key].append(value)
        return pl.DataFrame(out)


def read_fields(
    source: Any,
    *,
    contest: str | None = None,
    individual: str | None = None,
    place: str | None = None,
    side: str | None = None,
    order: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    tie: str | None = None,
    date: str | None = None,
    weight: str | None = None,
    members: str = "&",
    unplaced: Literal["refuse", "below", "drop"] | Mapping[str, str] = "refuse",
    ties: Literal["keep", "refuse"] = "keep",
    sheet: str | int | None = None,
) -> Fields:
    """Read races, free-for-alls, doubles, team games or ranked answers.

    Parameters
    ----------
    source
        As in `peckorder.read`; also a list of contests, each a list of sides in order.
    contest : str, optional
        Column of the contest (race) in a table with one row per individual and contest. Columns
        are found by common names if they are not given.
    individual, place : str, optional
        Columns of the individual and of its place (1 is first) in such a table.
    side : str, optional
        Column of the side (team, pair) within a contest, where sides have several members.
    order : str, optional
        Column of cells such as "A > B = C > D", one contest per row.
    winner, loser : str, optional
        Columns of the two sides of a contest, one contest per row.
    tie : str, optional
        Column that marks ties of two sides.
    date : str, optional
        Column of dates, by which contests are sorted.
    weight : str, optional
        Column of weights of contests, numbers of 0 or more.
    members : str
        What separates the members of a side in a cell, such as "Abe & Bo".
    unplaced : {"refuse", "below", "drop"} or mapping
        Individuals without a place (blank, DNF, DNS …): below all others, or not in the contest; a
        mapping has a rule for each word, such as `{"DNF": "below", "DNS": "drop"}`.
    ties : {"keep", "refuse"}
        Whether several sides may have the same place.
    sheet : str or int, optional
        Sheet of a workbook.

    Returns
    -------
    Fields

    Raises
    ------
    DataError
        Lists what was found, with the rows concerned.

    Examples
    --------
    >>> read_fields({"order": ["Ada > Bo = Cy", "Bo > Ada", "Cy > Bo > Ada"]})
    Fields: 3 contests of 2 to 3 sides among 3 individuals
    """
    one_of("ties", ties, ("keep", "refuse"))
    if isinstance(source, Fields):
        return source
    if isinstance(source, list) and source and all(isinstance(one, list) for one in source):
        return Fields.of(source)
    opened = open_sheet(source, sheet=sheet)
    given = {"contest": contest, "individual": individual, "place": place, "side": side}
    given |= {"order": order, "winner": winner, "loser": loser, "date": date}
    columns = {role: _column(opened, role, name) for role, name in given.items()}
    for role, name in (("tie", tie), ("weight", weight)):
        columns[role] = column_of(opened, role, name or None, ())
    if opened.height == 0:
        raise DataError(f"{opened.name} has a header but no contests.")
    if columns["individual"] and columns["place"] and columns["contest"]:
        table, labels, notes = _long(opened, columns, unplaced)
    elif columns["order"]:
        table, labels, notes = _cells_of_orders(opened, str(columns["order"]), members)
    elif columns["winner"] and columns["loser"]:
        table, labels, notes = _two_sides(opened, columns, members)
    else:
        raise DataError(
            f"{opened.name}: contests of several sides need the columns contest, individual and "
            f"place (one row per individual), an order such as A > B = C, or winner and loser. "
            f"Columns found: {quoted(opened.columns)}. Specify them, such as "
            f"{option('contest', 'race')}, {option('individual', 'driver')} and "
            f"{option('place', 'position')}."
        )
    if members and not columns["individual"]:
        refuse_joint_names(table["name"].unique(maintain_order=True).to_list())
    return _arranged(
        table,
        labels,
        opened.name,
        opened.row_word,
        sheet=opened,
        columns=columns,
        ties=ties,
        notes=notes,
    )


def read_line_ups(source: Any) -> Fields:
    """Sides of future contests: a list of line-ups, or a table like one of results without places.

    The places of the contests returned are those in which the sides were listed.
    """
    if isinstance(source, Fields):
        return source
    if isinstance(source, list | tuple):
        sides = [one for line_up in source if isinstance(line_up, list | tuple) for one in line_up]
        wrong = not source or not all(isinstance(one, list | tuple) for one in source)
        if wrong or any(isinstance(one, set | frozenset | dict) for one in sides):
            raise ArgumentError(
                'Line-ups are lists of sides, such as [["Ada", "Bo", "Cy"]]; a side is a name or '
                "a tuple of names."
            )
        return Fields.of(
            [[tuple(one) if isinstance(one, list) else one for one in sides] for sides in source]
        )
    sheet = open_sheet(source)
    columns = {role: _column(sheet, role, None) for role in ("contest", "individual", "side")}
    if not columns["contest"] or not columns["individual"]:
        raise DataError(
            f"{sheet.name}: line-ups need the columns race and driver (or other names of contest "
            f"and individual, and side where it has several members), one row per individual. "
            f"Columns found: {quoted(sheet.columns)}. Rename them."
        )
    if sheet.height == 0:
        raise DataError(f"{sheet.name} has a header but no line-ups.")
    table, labels = _entries(sheet, columns)
    table = table.with_columns(place=pl.col("row").min().over("contest", "side").cast(pl.Float64))
    return _arranged(table, labels, sheet.name, sheet.row_word, sheet=sheet, columns=columns)


def _column(sheet: Sheet, role: str, name: str | None) -> str | None:
    if name is not None:
        return column_of(sheet, role, name, ())
    named = {heading(column): column for column in reversed(sheet.columns)}
    words = map(heading, HEADINGS[role].split())
    return next((named[word] for word in words if word in named), None)


def of_several_sides(sheet: Sheet) -> DataError | None:
    """The error for a table that has contests of several sides; None if it seems to have none."""
    fields = either("peckorder.sport.read_fields", "peckorder plackett-luce")
    teams = {one: heading(one) for one in sheet.columns if heading(one) in ("winners", "losers")}
    if len({*teams.values()}) == len(teams) == 2:
        single = [option(side[:-1], column) for column, side in teams.items()]
        return DataError(
            f"{sheet.name} has sides that may be of several individuals (columns "
            f"{quoted(teams)}). Read teams such as A/B with {fields} and {option('members', '/')}; "
            f"if each cell names one individual, use {' and '.join(single)}."
        )
    long = [_column(sheet, role, None) for role in ("contest", "individual", "place")]
    order = _column(sheet, "order", None)
    cells = [] if order is None else sheet.texts(order).drop_nulls().to_list()
    if any(cell.count(">") + cell.count("=") > 1 for cell in cells):
        long = [order]
    elif not all(long):
        return None
    what = f"{'column' if len(long) == 1 else 'columns'} {quoted([str(name) for name in long])}"
    return DataError(
        f"{sheet.name} has contests with any number of sides, such as races ({what}). Read them "
        f"with {fields}."
    )


def refuse_fields(data: Any) -> None:
    """An error for contests of several sides, where those of two individuals are needed."""
    if isinstance(data, Fields):
        low, high = int(data.sides.min()), int(data.sides.max())
        what = f"contests of {low} sides" if low == high else f"contests of {low} to {high} sides"
        what += "" if data.single else ", some with several individuals"
        raise ArgumentTypeError(
            f"These are {what}, and this method needs contests of two individuals. Use "
            f"peckorder.sport.plackett_luce for abilities, or peckorder.sport.FieldRater contest "
            f"by contest. fields.pairs() has the pairs of each contest, which depend on each "
            f"other: for description only."
        )


def _refuse_blank(sheet: Sheet, column: str, cells: pl.Series) -> None:
    blank = np.flatnonzero((cells == "").to_numpy())
    if blank.size:
        raise DataError(
            f'{sheet.where(blank)}: column "{column}" is blank. Fill in the '
            f"cell, or remove the row."
        )


def _long(
    sheet: Sheet, columns: dict[str, str | None], unplaced: str | Mapping[str, str]
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """One row per individual and contest."""
    table, labels = _entries(sheet, columns)
    cells = sheet.texts(str(columns["place"]))
    number = cells.cast(pl.Float64, strict=False)
    number = number.set(number.is_not_null() & (~number.is_finite() | (number < 1)), None)
    kept, notes = _without_place(sheet, str(columns["place"]), cells, number, unplaced)
    table = table.with_columns(place=number.fill_null(float("inf")))
    return table.filter(pl.Series(kept)), labels, notes


def _entries(sheet: Sheet, columns: dict[str, str | None]) -> tuple[pl.DataFrame, list[str]]:
    """Contest, side, name and row of a table with one row per individual, and the contests."""
    found = {role: sheet.texts(str(columns[role])) for role in ("contest", "individual")}
    for role, cells in found.items():
        _refuse_blank(sheet, str(columns[role]), cells)
    labels = found["contest"].unique(maintain_order=True)
    code = found["contest"].replace_strict(labels, np.arange(len(labels)), return_dtype=pl.Int64)
    side = sheet.texts(columns["side"]) if columns["side"] else found["individual"]
    entries = {"contest": code, "side": side, "name": found["individual"]}
    return pl.DataFrame(entries | {"row": np.arange(sheet.height)}), labels.to_list()


def _without_place(
    sheet: Sheet,
    column: str,
    cells: pl.Series,
    number: pl.Series,
    unplaced: str | Mapping[str, str],
) -> tuple[np.ndarray, list[str]]:
    """Which rows remain, and a note for each word that is no place."""
    lost = number.is_null()
    kept = np.ones(sheet.height, bool)
    notes: list[str] = []
    rules = dict(unplaced) if isinstance(unplaced, Mapping) else {}
    for rule in rules.values() if rules else [unplaced]:
        one_of("unplaced", rule, UNPLACED)
    refused = []
    for word in cells.filter(lost).unique(maintain_order=True):
        rule = rules.get(word, "refuse" if rules else unplaced)
        here = np.flatnonzero((lost & (cells == word)).to_numpy())
        said = f'"{word}"' if word else "a blank cell"
        if rule == "refuse":
            where = sheet.where(here)
            refused.append(f'{where}: {said} in column "{column}" is no place.')
        elif rule == "drop":
            kept[here] = False
            notes.append(f"Left out: {counted(len(here), 'row')} with {said} as place.")
        else:
            notes.append(f"{counted(len(here), 'row')} with {said}: placed below all others.")
    if refused:
        below = option("unplaced", "below")
        raise DataError(
            *refused,
            f"If these took part and did not finish, use {below}; if they did not start, "
            f"{option('unplaced', 'drop')}.",
        )
    return kept, notes


def _cells_of_orders(
    sheet: Sheet, column: str, members: str
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """One contest per row, in one cell."""
    cells = sheet.texts(column)
    _refuse_blank(sheet, column, cells)
    entries: list[tuple[int, str, float, str]] = []
    for i, cell in enumerate(cells):
        side = 0
        for place, tied in enumerate(re.split(r"[>≻]", cell)):
            for one in re.split(r"[=~≈]", tied):
                for name in one.split(members) if members else [one]:
                    if not name.strip():
                        raise DataError(
                            f"{sheet.where(np.array([i]))}: an individual is "
                            f"missing in {quoted([cell])}. Write A > B = C > D."
                        )
                    entries.append((i, str(side), place, name.strip()))
                side += 1
    table = pl.DataFrame(entries, schema=ENTRIES, orient="row").with_columns(row="contest")
    return table, [str(i + 1) for i in range(sheet.height)], []


def _two_sides(
    sheet: Sheet, columns: dict[str, str | None], members: str
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """One contest per row, with a winner and a loser."""
    tied = np.zeros(sheet.height, bool)
    if columns["tie"]:
        marks = sheet.texts(columns["tie"]).str.to_lowercase()
        tied = (~marks.is_in(["", "0", "no", "n", "false", "-"])).to_numpy()
    parts, largest = [], 1
    for place, role in enumerate(("winner", "loser")):
        cells = sheet.texts(str(columns[role]))
        _refuse_blank(sheet, str(columns[role]), cells)
        names = cells.str.split(members) if members else cells.reshape((-1, 1)).arr.to_list()
        largest = max(largest, int(names.list.len().max() or 1))  # type: ignore[arg-type]
        one = pl.DataFrame(
            {
                "contest": np.arange(sheet.height),
                "side": np.full(sheet.height, role),
                "place": np.where(tied, 0.0, float(place)),
                "name": names,
                "row": np.arange(sheet.height),
            }
        )
        parts.append(one.explode("name").with_columns(pl.col("name").str.strip_chars()))
    table = pl.concat(parts)
    notes = [f"Read as sides of up to {largest} individuals."] if largest > 1 else []
    return table, [str(i + 1) for i in range(sheet.height)], notes


def _arranged(
    table: pl.DataFrame,
    labels: list[str],
    name: str,
    row_word: str,
    *,
    sheet: Sheet | None = None,
    columns: Mapping[str, str | None] | None = None,
    ties: str = "keep",
    notes: list[str] | None = None,
) -> Fields:
    """Entries (contest, side, place, name, row) in order of contests and places, checked."""
    columns = columns or {}
    present = table["contest"].unique().sort()
    labels = [labels[i] for i in present]
    table = table.with_columns(
        contest=pl.col("contest").replace_strict(present, np.arange(len(present)))
    )

    def where(found: pl.DataFrame) -> str:
        places = np.unique(found["row"].to_numpy())
        return rows(row_word, places + 1 if sheet is None else sheet.rows(places))

    problems = []
    twice = table.filter(pl.struct("contest", "name").is_duplicated())
    if twice.height:
        own = twice.filter(
            (pl.col("contest") == twice["contest"][0]) & (pl.col("name") == twice["name"][0])
        )
        what = "on both sides" if own["side"].n_unique() > 1 else "twice"
        problems.append(
            f'{where(own)}: "{own["name"][0]}" is {what} in contest {labels[own["contest"][0]]}. '
            f"Correct the name, or remove the row."
        )
    places = table.group_by("contest", "side").agg(
        pl.col("place").n_unique(), pl.col("row").first()
    )
    torn = places.filter(pl.col("place") > 1)
    if torn.height:
        problems.append(
            f"{where(torn)}: members of one side have different places. Give them the same place."
        )
    alone = table.group_by("contest").agg(pl.col("side").n_unique(), pl.col("row").first())
    alone = alone.filter(pl.col("side") < 2).sort("row")
    if alone.height:
        problems.append(
            f"{where(alone)}: {counted(alone.height, 'contest')} with one side only, such as "
            f'"{labels[alone["contest"][0]]}". Remove these rows, or check the column of contests.'
        )
    if problems:
        raise DataError(*problems)
    when = _dates(table, sheet, columns.get("date"))
    if when is not None:
        turn = np.argsort(when, kind="stable")
        place_in_time = np.empty(len(turn), np.int64)
        place_in_time[turn] = np.arange(len(turn))
        table = table.with_columns(contest=pl.Series(place_in_time).gather(table["contest"]))
        labels, when = [labels[i] for i in turn], when[turn]
    table = table.sort("contest", "place", "side", maintain_order=True)
    names = table.sort("row", maintain_order=True)["name"].unique(maintain_order=True)
    sides = table.group_by("contest", "side", maintain_order=True).agg(
        pl.col("place").first(), pl.len()
    )
    dense = sides.select(
        contest="contest",
        place=pl.col("place").rank("dense").over("contest").cast(pl.Int64) - 1,
        known=pl.col("place").is_finite(),
        size="len",
    )
    each = dense.group_by("contest", maintain_order=True).agg(
        pl.len(), recorded=pl.col("place").filter(pl.col("known")).max().fill_null(-1) + 1
    )
    shared = dense.filter("known").group_by("contest", "place").len()
    _refuse_ties(shared, labels, ties, table, where)
    empty = each.filter(pl.col("recorded") == 0)
    if empty.height:
        label = labels[empty["contest"][0]]
        raise DataError(f'Contest "{label}" has no place at all. Remove it, or add its places.')
    order = table["row"].to_numpy()
    codes = table["name"].replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64)
    weight = np.ones(each.height)
    extra = None
    if sheet is not None:
        used = {column for column in columns.values() if column}
        others = [column for column in sheet.columns if column not in used]
        if others:
            extra = sheet.table(*others)[order]
        if columns.get("weight"):
            weight = _weights(sheet, str(columns["weight"]), table, each.height, where)
    return Fields(
        individuals=tuple(names.to_list()),
        labels=tuple(labels),
        side_at=np.concatenate([[0], np.cumsum(each["len"].to_numpy())]).astype(np.int64),
        place=dense["place"].to_numpy().astype(np.int64),
        recorded=each["recorded"].to_numpy().astype(np.int64),
        member_at=np.concatenate([[0], np.cumsum(dense["size"].to_numpy())]).astype(np.int64),
        member=codes.to_numpy().astype(np.int64),
        weight=weight,
        date=when,
        rows=order + 1 if sheet is None else sheet.rows(order),
        extra=extra,
        notes=tuple(notes or ()),
        flavor="polars" if sheet is None else sheet.flavor,
    )


def _refuse_ties(
    shared: pl.DataFrame, labels: list[str], ties: str, table: pl.DataFrame, where: Any
) -> None:
    """Ties that are refused, or so large that an order was rather not recorded."""
    tied = shared.filter(pl.col("len") > (1 if ties == "refuse" else LARGEST_TIE)).sort("contest")
    if not tied.height:
        return
    own = table.filter(pl.col("contest") == tied["contest"][0])
    own = own.filter(pl.col("place").rank("dense") - 1 == tied["place"][0])
    label, number = labels[tied["contest"][0]], tied["len"][0]
    what = f"{where(own)}: {number} sides of contest {label} share one place"
    if ties == "refuse":
        raise DataError(f"{what}. Correct the places, or keep ties with {option('ties', 'keep')}.")
    raise DataError(
        f"{what}. More than {LARGEST_TIE} sides that tie mean that their order was not recorded: "
        f"leave their places blank and use {option('unplaced', 'below')}."
    )


def _dates(table: pl.DataFrame, sheet: Sheet | None, column: str | None) -> np.ndarray | None:
    """The date of the first row of each contest."""
    if sheet is None or column is None:
        return None
    first = table.group_by("contest").agg(pl.col("row").min()).sort("contest")["row"].to_numpy()
    values, missing, problems = read_dates(sheet, column, sheet.column(column)[first], places=first)
    if missing.any():
        where = sheet.where(first[missing])
        problems = [*problems, f'{where}: no date in column "{column}". Fill it in.']
    if problems:
        raise DataError(*problems)
    return values


def _weights(
    sheet: Sheet, column: str, table: pl.DataFrame, contests: int, where: Any
) -> np.ndarray:
    """The weight of each contest, which all of its rows state."""
    values = text_of(sheet.column(column)).cast(pl.Float64, strict=False)
    own = table.with_columns(weight=values.gather(table["row"]))
    wrong = own.filter(~pl.col("weight").is_finite().fill_null(False) | (pl.col("weight") < 0))
    if wrong.height:
        raise DataError(
            f'{where(wrong)}: column "{column}" must contain numbers of 0 or more. Correct them.'
        )
    if not (own["weight"] > 0).any():
        raise DataError(f'All weights in column "{column}" are 0, so no contest counts.')
    each = own.group_by("contest").agg(
        pl.col("weight").first(), pl.col("row").first(), kinds=pl.col("weight").n_unique()
    )
    torn = each.filter(pl.col("kinds") > 1)
    if torn.height:
        raise DataError(
            f'{where(torn)}: rows of one contest have different weights in column "{column}".'
        )
    return each.sort("contest")["weight"].to_numpy()[:contests]
