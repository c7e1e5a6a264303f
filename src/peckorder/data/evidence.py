"""What is doubtful about contests as they were read: evidence from columns, names and dates.

Words in headings and cells may raise a doubt; their absence never removes one, and only evidence
lowers it. Whether a column explains the outcomes of contests is tested (see `column_tests`). What
refuses the data is looked for when they are read, all else when it is first asked for. Columns are
judged by at most 20,000 rows, names by their unique values.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.column_tests import (
    BF,
    P,
    of_one,
    order_of_names,
    reversed_values,
    rising,
    split_test,
)
from peckorder.data.date_columns import CLOCK, PARTS_OF_DAY, day_of, sequence_number, whole_days
from peckorder.data.name_doubts import name_doubts, refused_names
from peckorder.data.names import text_of
from peckorder.data.recipe import ROLES, SEVERITIES, Choice, Doubt, Recipe, Severity, listing
from peckorder.errors import DataError
from peckorder.text import counted, quoted

if TYPE_CHECKING:
    from peckorder.data.contests import Contests
    from peckorder.data.sheet import Sheet

SURE = 0.95  # probability of a direction that needs no declaration
MOST, VALUES = 60, 9  # individuals and values of a column to which the model is fitted
SAMPLE = 20_000  # rows by which columns are judged
LARGEST_HASHED = 1 << 28  # bytes
WORDS = {
    "group": r"cage|tank|pen\b|aquari|box|enclos|arena|coop|barn|aviar|room|site|colon|hive|nest"
    r"|species|taxon|popul|group|troop|flock|herd|pack|clan|famil|replic|cohort|league|division",
    "order": r"trial|seq|order|round|\bno\b|number|\bnr|session|event|index|hour|minute|\bmin\b"
    r"|week|month|julian|doy|\bday|year|^time",
    "filter": r"exclu|inclu|valid|clear|revers|\bvoid|omit|\buse|keep|discard|certain"
    r"|\bsure|unsure|flag|confirm|confiden|wrong|check|delet|remov|swap|doubt",
    "count": r"bout|times|\bn\b|count|freq|wins|total|number|interactions|contests|events",
    "tie": r"draw|\bties?\b",
    "outcome": r"result|outcome|score|verdict",
    "remark": r"\bvoid|unclear|not sure|wrong|revers|exclud|mistake|actually|swapped|do ?n.?t use",
    "yields": r"avoid|fle[ed]|submi|retreat|withdr|crouch|cower|displaced by|los[et]|yield"
    r"|give.?way|grimace|receiv",
    "acts": r"actor|aggress|attack|initiat|giver|sender|focal",
    "losses": r"loss|lost|lose|defeated by|beaten by|receiv|recipient|victim|submi",
    "loser": r"^(?:the )?los(?:er|t|ing)",
}
OUTCOME = (
    r"draw|drawn|tied?|win|won|loss|lost|lose|undecided|unclear|no winner|half|[<>=wld]|[01]-[01]"
    r"|clear|decided|decisive|inconclusive|unresolved|stalemate"
)
UNDECIDED = r"undecided|unclear|no winner|inconclusive|unresolved|stalemate"
TRUTHS = {"yes", "no", "y", "n", "true", "false", "x", "1", "0", "✓", "t", "f", "ok", "*", ""}
FALSE = {"", "no", "n", "false", "0", "f"}
SIX_DIGITS = ("%d%m%y", "%y%m%d", "%m%d%y")
CLOCK_IN_CELL = re.compile(r"\d[T ,]+\d{1,2}:\d\d")


def hint(what: str, text: str) -> bool:
    """Whether a text has a word that raises this doubt."""
    return bool(re.search(WORDS[what], re.sub(r"[_.#]+", " ", text), re.IGNORECASE))


def _rows_lost(text: str) -> bool:
    """Whether the words of a corner or a title may mean that rows are losers."""
    lost = re.search(WORDS["losses"], text, re.IGNORECASE)
    won = re.search(r"\bw[io]n|\bbeats?\b|dominant|actor|initiat", text, re.IGNORECASE)
    return lost is not None and (won is None or lost.start() < won.start())


def use(column: str, role: str) -> Choice:
    """The choice of a role."""
    return Choice(f'use "{column}" as {role}', {f"columns.{column}": role})


def leave(column: str, why: str) -> Choice:
    """The choice not to use a column."""
    return Choice(f'do not use "{column}": {why}', {f"columns.{column}": f"unused: {why}"})


def accept(kind: str, where: str, label: str) -> Choice:
    """The choice to leave everything as it is."""
    return Choice(label, {"rules.accept": [f"{kind}: {where}"]})


@dataclass(eq=False)
class Evidence:
    """The doubts about contests as they were read, and the recipe by which they were read.

    Attributes
    ----------
    data : the contests as they were read; None if they were made otherwise
    sheet : their sheet
    given : the arguments of `read`, with those of a recipe
    base : the recipe that was given, if any
    """

    data: Contests | None = None
    sheet: Sheet | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    base: Recipe = field(default_factory=Recipe)

    def __getstate__(self) -> dict[str, Any]:
        """Only what was found, not the data behind it, is sent to other processes."""
        found = {
            name: self.__dict__[name] for name in ("doubts", "recipe") if name in self.__dict__
        }
        return {"data": None, "sheet": None, "given": {}, "base": self.base, **found}

    @cached_property
    def urgent(self) -> tuple[Doubt, ...]:
        """Doubts for which no contests can be returned."""
        if self.data is None or not len(self.data):
            return ()
        found: list[Doubt] = []
        if "polyadic" not in self.given:
            found += refused_names(
                self.data.individuals, len(self.data), self._decided_names, self.rows_with
            )
        found += _six_digits(self)
        found += self._matrix()
        if hint("acts", self.sides[0]) and self.data.report.kind == "events":
            context = self.data.report.columns.get("context")
            extra = [] if self.data.extra is None else self.data.extra.columns
            acts = [c for c in extra if any(hint("yields", x) for x in {*self.cells(c)[:1_000]})]
            found += self._of_columns([*([context] if context else []), *acts])
        return tuple(one for one in found if one.severity == "refuse" and not self._settled(one))

    def refuse(self) -> None:
        """Raise an error if something must be decided before there are contests."""
        if self.urgent:
            raise DataError(
                *(f"{doubt.where}: {doubt.evidence}. {doubt.decide()}" for doubt in self.urgent)
            )

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """All doubts, refusals first."""
        if self.data is None or not len(self.data):
            return ()
        found = [*self.urgent, *self._new()]
        known = {(one.kind, one.where) for one in found}
        more = [*name_doubts(self), *_date_doubts(self), *self._matrix(), *_rows_doubts(self)]
        if self.data.report.kind != "matrix":
            context = self.data.report.columns.get("context")
            extra = [] if self.data.extra is None else self.data.extra.columns
            more += self._of_columns([*([context] if context else []), *extra])
        found += [one for one in more if (one.kind, one.where) not in known]
        found = [one for one in found if not self._settled(one)]
        return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))

    def _settled(self, doubt: Doubt) -> bool:
        accepted = listing(self.given.get("accept"))
        roles = {role for one in doubt.choices for role in one.arguments() if role in ROLES}
        if any(self.given.get(role) in ("", False) for role in roles):  # not to be used at all
            return True
        return doubt.kind in accepted or f"{doubt.kind}: {doubt.where}" in accepted

    # What was read

    @cached_property
    def sides(self) -> tuple[str, str]:
        """The headings of winners and losers, or of the two sides."""
        used = self.contests.report.columns
        for one, other in (("winner", "loser"), ("a", "b"), ("home", "away")):
            if one in used and other in used:
                return used[one], used[other]
        return "winner", "loser"

    @property
    def contests(self) -> Contests:
        """The contests, which there are."""
        assert self.data is not None
        return self.data

    @cached_property
    def sample(self) -> np.ndarray:
        """The contests by which columns are judged: one per row, in order."""
        data = self.contests
        if data.ordered or data.rows is None:
            places = np.arange(len(data))
        else:
            places = np.sort(np.unique(data.rows, return_index=True)[1])
        if len(places) > SAMPLE:
            places = places[np.linspace(0, len(places) - 1, SAMPLE).astype(int)]
        return places

    @cached_property
    def codes(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Winners and losers of the sample, and the number of individuals."""
        data = self.contests
        return data.winner[self.sample], data.loser[self.sample], len(data.individuals)

    @cached_property
    def decisive(self) -> np.ndarray:
        """Which contests of the sample have a winner."""
        draw = self.contests.draw
        return np.ones(len(self.sample), bool) if draw is None else ~draw[self.sample]

    @cached_property
    def one_ranking(self) -> float:
        """The log evidence of one ranking of all."""
        winner, loser, _ = self.codes
        return of_one(winner[self.decisive], loser[self.decisive])

    @cached_property
    def blocks(self) -> np.ndarray:
        """A number per row of the sample, equal for contests of equal date."""
        date = self.contests.date
        if date is None:
            return np.zeros(len(self.sample), int)
        return np.unique(date[self.sample], return_inverse=True)[1]

    @cached_property
    def _decided_names(self) -> set[str]:
        return {*self.contests.aliases, *map(str, listing(self.given.get("ignore")))}

    def cells(self, column: str) -> list[str]:
        """The cells of a column in the sample, without outer blanks."""
        data = self.contests
        if data.report.columns.get("context") == column and data.context is not None:
            values = pl.Series(data.context.names).gather(
                pl.Series(data.context.codes[self.sample])
            )
        else:
            assert data.extra is not None
            values = text_of(data.extra[column].gather(pl.Series(self.sample)))
        return values.fill_null("").str.strip_chars().to_list()

    def rows(self, places: Iterable[int]) -> tuple[int | str, ...]:
        """Rows of the source of these contests of the sample."""
        numbers = np.unique(self.contests.row_numbers(self.sample[np.fromiter(places, int)]))
        files = self.contests.report.files
        return tuple((numbers if files is None else files.labels(numbers)).tolist())

    def rows_with(self, names: Iterable[str]) -> tuple[int | str, ...]:
        """Rows of the source in which one of these individuals took part."""
        data, wanted = self.contests, set(names)
        codes = [code for code, name in enumerate(data.individuals) if name in wanted]
        places = np.flatnonzero(np.isin(data.winner, codes) | np.isin(data.loser, codes))
        return tuple(dict.fromkeys(data.row_of(places[:1000]).tolist()))

    def doubt(
        self,
        kind: str,
        where: str,
        text: str,
        *choices: Choice,
        places: Iterable[int] = (),
        severity: Severity = "ask",
    ) -> Doubt:
        """A doubt about rows of the sample."""
        return Doubt(kind, where, text, choices, self.rows(places), severity)

    # Columns

    def _of_columns(self, columns: Iterable[str]) -> Iterator[Doubt]:
        context = self.contests.report.columns.get("context")
        where = str(self.given.get("where") or "")
        settled = {*listing(self.given.get("unused")), *listing(self.given.get("order"))}
        settled |= set(self.sheet.log or ()) if self.sheet is not None else set()
        for column in columns:
            if column in settled or re.search(rf"(?<!\w){re.escape(column)}(?!\w)", where):
                continue
            tests = [count_doubts, filter_doubts, order_doubts, direction_doubts, group_doubts]
            if column == context:
                tests = [direction_doubts]
            cells = self.cells(column)
            if len({*cells}) < 2:
                continue
            if hint("acts", self.sides[0]) and any(hint("yields", cell) for cell in {*cells}):
                tests.insert(0, direction_doubts)
            for test in tests:
                if found := list(test(self, column, cells)):
                    yield from found
                    break

    def _matrix(self) -> Iterator[Doubt]:
        """A square table whose rows may be the losers: by its words, or the order of its names.

        Published tables list the highest-ranked first, so that most wins are above the diagonal.
        """
        data = self.contests
        decided = self.given.get("winners") is not None or data.report.winners == "columns"
        if data.report.kind != "matrix" or decided or self.sheet is None:
            return
        corner = self.sheet.columns[0] if self.sheet.columns else ""
        words = [text for text in (corner, *self.sheet.titles) if _rows_lost(text)]
        size, text, p = len(data.individuals), "", 1.0
        if size <= 1_000:
            wins = np.zeros((size, size))
            decisive = np.ones(len(data), bool) if data.draw is None else ~data.draw
            np.add.at(wins, (data.winner[decisive], data.loser[decisive]), 1)
            upper, total, p = order_of_names(wins)
            text = f"{upper:.0f} of {total:.0f} wins are above the diagonal"
            text += f" (random orders: p = {p:.3f})"
        if words:
            text = f'"{words[0]}" may mean that rows lost' + (f"; {text}" if text else "")
        if words or p <= 0.01:
            choices = [
                Choice(f"{s} won", {"shape": f"matrix: {s} won"}) for s in ("rows", "columns")
            ]
            choices = choices[::-1] if words or p <= 0.01 else choices
            yield self.doubt(
                "direction", "matrix", text, *choices, severity="refuse" if words else "ask"
            )

    def _new(self) -> Iterator[Doubt]:
        """What the recipe, made for another sheet, does not know."""
        base, data = self.base, self.contests
        if not base.columns and not base.known:
            return
        own = [] if self.sheet is None else [c for c in self.sheet.columns if c not in self.made]
        for column in own if base.columns else ():
            if column not in base.columns:
                role = next((r for r, c in data.report.columns.items() if c == column), "")
                text = "a column that the recipe does not know"
                text += f", used as {role}" if role else ""
                yield Doubt("new", column, text, (leave(column, "not needed"),))
        gone = [c for c in base.columns if c not in own and self.sheet is not None]
        if gone:
            yield Doubt("new", "columns", f"not in this sheet: {quoted(gone)}", (), (), "note")
        known = {*base.known, *base.names}
        if base.known and (new := [name for name in data.individuals if name not in known]):
            text = f"{counted(len(new), 'name')} that the recipe does not know: {quoted(new)}"
            yield Doubt("new", "names", text, (), self.rows_with(new), "note")
        if base.behaviors and data.report.dropped:
            left = [w for w in data.report.dropped if w.startswith("other behaviors")]
            if left:
                yield Doubt("new", "behaviors", f"not counted: {left[0]}", ())

    # The recipe

    @property
    def made(self) -> set[str]:
        """Columns that reading made from others."""
        return set() if self.sheet is None else {*self.sheet.made}

    @cached_property
    def recipe(self) -> Recipe:
        """How the source was read, complete."""
        if self.data is None or self.sheet is None:
            return self.base
        report, given = self.contests.report, self.given
        start = self.base.with_arguments(given)
        role_of = {
            c: "contest" if r.startswith("contest") else r for r, c in report.columns.items()
        }
        columns: dict[str, str] = {}
        doubted = {one.where: one for one in self.doubts if one.where in self.sheet.columns}
        extra = [] if self.contests.extra is None else self.contests.extra.columns
        for column in self.sheet.columns if report.kind != "matrix" else ():
            stated = start.columns.get(column, "")
            if column in self.made:
                continue
            if column in listing(given.get("order")):
                columns[column] = "order"
            elif column in role_of:
                behavior = role_of[column] == "context" and start.behaviors
                columns[column] = "behavior" if behavior else role_of[column]
            elif column in (self.sheet.log or {}):
                columns[column] = (self.sheet.log or {})[column]
            elif re.search(rf"(?<!\w){re.escape(column)}(?!\w)", str(given.get("where") or "")):
                columns[column] = "filter"
            elif stated.startswith("unused") and not stated.endswith("?"):
                columns[column] = stated
            elif column in self.sheet.parts_used:
                columns[column] = "part of another column"
            elif column in extra:
                columns[column] = f"unused: {self._why(column, doubted.get(column))}"
        path = report.path if report.path and os.path.isfile(report.path) else ""
        special = "log" if self.sheet.log is not None else ""
        special = "scores" if self.made and report.kind == "games" else special
        shape = (
            f"matrix: {report.winners} won" if report.kind == "matrix" else special or report.kind
        )
        changes = {"source": report.path or report.source, "sha256": _digest(path), "shape": shape}
        known = list(self.contests.individuals) if len(self.contests.individuals) <= 500 else []
        return replace(start, **changes, columns=columns, known=known)

    def _why(self, column: str, doubt: Doubt | None) -> str:
        if doubt is not None:
            return f"{doubt.kind}?"
        cells = self.cells(column)
        kinds = len({*cells})
        if kinds == 1:
            return f"always {cells[0]}" if cells[0] else "blank"
        return f"{counted(kinds, 'value')}, no evidence of use"


def _digest(path: str) -> str:
    if not path or os.path.getsize(path) > LARGEST_HASHED:
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


# ---- Columns -----------------------------------------------------------------------------------


def group_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column whose values may be groups, in which equal names are different individuals."""
    data = found.contests
    if data.group is not None or found.given.get("group") in ("", False):
        return
    winner, loser, size = found.codes
    labels, value = np.unique(cells, return_inverse=True)
    if not 2 <= len(labels) <= min(20, max(2, len(cells) // 2)):
        return
    named = hint("group", column)
    won, lost, seen = (
        _values_of(sides, value, size) for sides in ((winner,), (loser,), (winner, loser))
    )
    shared = int((seen > 1).sum())
    choices = use(column, "group"), leave(column, "equal names are the same individuals")
    if not shared and 2 * len(labels) <= size < len(cells):
        text = f"no name occurs under two of its {len(labels)} values, and no contest joins them"
        yield found.doubt("group", column, text, *choices)
    fixed = any(one.max() <= 1 for one in (won, lost))  # such as the sex of the winner
    if not shared or size > MOST or (fixed and not named):
        return
    text = f"{shared} of {size} names occur under several of its {len(labels)} values"
    sure = found.decisive
    if sure.sum() < 2:
        return
    factor, p = split_test(winner[sure], loser[sure], value[sure], evidence=found.one_ranking)
    blocks = 1 + int((value[1:] != value[:-1]).sum()) == len(labels)
    if factor >= BF and p <= P:
        text += (
            f", and one ranking per value fits better (BF {factor:.3g}, permutation p = {p:.3f})"
        )
        if blocks and not named:  # also if ranks changed
            season = use(column, "season"), *choices
            yield found.doubt("group", column, text, *season, severity="note")
        else:
            yield found.doubt("group", column, text, *choices)
    elif named and factor > 1 / 20:
        text += f"; the outcomes do not decide whether they are the same (BF {factor:.2g})"
        yield found.doubt("group", column, text, *choices)


def _values_of(sides: tuple[np.ndarray, ...], value: np.ndarray, size: int) -> np.ndarray:
    """Under how many values each individual occurs on these sides."""
    pairs = np.unique(np.concatenate([side * (value.max() + 1) + value for side in sides]))
    return np.bincount(pairs // (value.max() + 1), minlength=size)


def count_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column of whole numbers that may be numbers of contests or of ties."""
    if not all(re.fullmatch(r"\d+(?:\.0)?", cell) for cell in cells):
        return
    data, given = found.contests, found.given
    winner, loser, size = found.codes
    pairs, kinds = len(np.unique(winner.astype(np.int64) * size + loser)), len({*cells})
    x = np.array(cells, float)
    if hint("tie", column) and given.get("tie") not in ("", False) and data.draw is None:
        ties = use(column, "tie"), leave(column, "not a number of ties")
        yield found.doubt("count", column, f"{x.sum():.0f} ties under this heading", *ties)
        return
    if not data.ordered or given.get("count") in ("", False) or pairs < len(cells):
        return
    small = kinds < 0.8 * len(cells) and x.max() < 500
    table = pairs == len(cells) >= 8 and pairs > size and small and data.date is None
    if table or (hint("count", column) and x.max() > 1 and np.any(np.diff(x) <= 0)):
        text = f"whole numbers, and none of the {pairs} pairs of a winner and a loser occurs twice"
        other = leave(column, "not a number of contests")
        yield found.doubt("count", column, text, use(column, "count"), other)


def order_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column by which contests have another order than by date and row."""
    data = found.contests
    if not data.ordered or found.given.get("order") or found.given.get("order") == "":
        return
    unique = {cell: sequence_number(cell) for cell in dict.fromkeys(cells)}
    if None in unique.values():
        return
    x, block = np.array([unique[cell] for cell in cells], float), found.blocks
    if data.date is None and all(day_of(cell) and len(cell) > 4 for cell in unique):
        text = f"all {len(cells):,} cells are dates, and no column of dates is used"
        yield found.doubt("date", column, text, use(column, "date"), leave(column, "no dates"))
        return
    same, step = np.diff(block) == 0, np.diff(x)
    back = np.flatnonzero(same & (step < 0)) + 1
    if not len(back) or (np.all(x[back] == x.min()) and len(back) < same.sum() / 3):
        return  # it agrees with the order of reading, or it begins again from time to time
    whole = bool(np.all(x == np.round(x)))
    years = (
        data.date is not None
        and data.date.dtype.kind == "f"
        and bool(np.all((data.date >= 1800) & (data.date < 2200)))
    )
    share, p = rising(x, block)
    running = whole and len(x) >= 6 and len(unique) == len(x) == np.ptp(x) + 1
    reasons = {
        "all cells are times of day": all(map(CLOCK.fullmatch, unique)),
        "all cells are parts of a day": {*map(str.casefold, unique)} <= {*PARTS_OF_DAY},
        "a permutation of consecutive numbers": running,
        f"{share:.0%} of steps between contests of equal date go up": share >= 0.75 and p <= 0.01,
        "the heading is a word for an order": whole and hint("order", column),
    }
    if why := next((why for why, holds in reasons.items() if holds), ""):
        equal = "" if data.date is None else " between contests of equal date"
        text = f"{why}, but {len(back)} of {same.sum()} steps{equal} go back"
        kind = "date part" if years and whole and 1 <= x.min() <= x.max() <= 366 else "order"
        by = Choice(f'order by "{column}"', {"order": [column], f"columns.{column}": "order"})
        yield found.doubt(kind, column, text, by, leave(column, "no order"), places=back)


def filter_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column of marks, remarks, outcomes or further names."""
    low = [cell.casefold() for cell in cells]
    kinds, names = {*low}, {*found.contests.individuals}
    marked = [i for i, cell in enumerate(low) if cell not in FALSE]
    others = [i for i, cell in enumerate(low) if cell in FALSE]
    unused = leave(column, "it does not decide which rows count")
    choices = (
        _without(column, "leave the marked rows out", [cells[i] for i in marked]),
        _without(column, "leave the other rows out", [cells[i] for i in others]),
        unused,
    )
    full, text = {cell for cell in cells if cell}, ""
    if kinds <= TRUTHS and len(kinds) <= 3 and marked and others:
        if "" in kinds and len(kinds) == 2 and len(marked) <= len(others):
            text = f"{len(marked)} of {len(cells)} rows have a mark, the others are blank"
        elif hint("filter", column):
            text = f"{len(marked)} of {len(cells)} rows are marked under this heading"
        if re.search("revers|swap", column, re.IGNORECASE):
            yes = list(dict.fromkeys(cells[i] for i in marked))
            choices = (
                _reversing(column, yes, [c for c in dict.fromkeys(cells) if c not in yes]),
                *choices,
            )
    elif remarks := [i for i, cell in enumerate(cells) if hint("remark", cell)]:
        marked, text = remarks, f'"{cells[remarks[0]]}" and {len(remarks) - 1} similar remarks'
        choices = _without(column, "leave these rows out", [cells[i] for i in marked]), unused
    elif hint("filter", column) and len(kinds) <= 20:
        text = f"{len(kinds)} values under this heading"
    elif all(re.fullmatch(OUTCOME, cell) for cell in low if cell) and not full <= names:
        if not _says_the_same(found, cells):
            text = "all cells are words for outcomes"
            choices = *_outcomes(column, full), leave(column, "no outcome")
    elif full <= names and min(map(len, full)) > 1 and not all(c.isdigit() for c in full):
        text = f"all {counted(len(full), 'different cell')} are names of individuals"
        text += " under a word for losers" if hint("loser", column) else ""
        choices = (unused,)
    if text:
        yield found.doubt("filter", column, text, *choices, places=marked)


def _says_the_same(found: Evidence, cells: list[str]) -> bool:
    """Whether words for outcomes say of every contest what was read: a win, or a tie."""
    tied = ~found.decisive
    said = np.array(
        [bool(re.fullmatch(r"draw|drawn|tied?|half|=|d|t", c.casefold())) for c in cells]
    )
    won = {c.casefold() for c, t in zip(cells, said, strict=True) if not t}
    return bool(np.array_equal(said, tied)) and len(won) <= 1 and not {"loss", "lost", "l"} & won


def _outcomes(column: str, words: Iterable[str]) -> Iterator[Choice]:
    """The choices that words say whether the first individual won, lost or tied."""
    meaning = {word: _means(word) for word in words}
    edits = {f"outcomes.{word}": means for word, means in meaning.items()}
    said = ", ".join(f'"{word}": {means}' for word, means in meaning.items())
    yield Choice(
        f'use "{column}" as outcome of the first ({said})', {f"columns.{column}": "tie", **edits}
    )
    if open_ := [word for word in meaning if re.fullmatch(UNDECIDED, word.casefold())]:
        yield _without(column, "leave the undecided rows out", open_)


def _means(word: str) -> str:
    low = word.casefold()
    if re.fullmatch(rf"{UNDECIDED}|draw|drawn|tied?|half|=|d|t", low):
        return "tie"
    return "second" if re.fullmatch(r"loss|lost|lose|l|<|0-1|0", low) else "first"


def _without(column: str, label: str, cells: Iterable[str]) -> Choice:
    """The choice to leave out the rows with these cells."""
    values = ", ".join(_in_condition(cell) for cell in dict.fromkeys(cells))
    return Choice(label, {"where": f"not {_as_column(column)} in ({values})"})


def _in_condition(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _as_column(column: str) -> str:
    return column if re.fullmatch(r"[^\W\d]\w*", column) else f"`{column}`"


def _reversing(column: str, turned: Iterable[str], kept: Iterable[str]) -> Choice:
    """The choice that the other side won under some values."""
    sides = dict.fromkeys(kept, "actor") | dict.fromkeys(turned, "receiver")
    edits = {f"behaviors.{value}": side for value, side in sides.items()}
    return Choice("the other side won there", {f"columns.{column}": "behavior", **edits})


def direction_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column with values under which the other side wins."""
    data, given = found.contests, found.given
    if (
        given.get("winner_behaviors")
        or given.get("loser_behaviors")
        or (found.sheet is not None and found.sheet.log is not None)
    ):
        return
    labels, value = np.unique(cells, return_inverse=True)
    winner, loser, size = found.codes
    who, whom = found.sides
    yields = np.array([hint("yields", label) for label in labels])
    behavior = column == data.report.columns.get("context") or bool(yields.any())
    acts = behavior and hint("acts", who) and data.report.kind == "events"
    most = VALUES if behavior else min(VALUES, max(2, len(cells) // 5))
    if not 2 <= len(labels) <= most or size > MOST or found.decisive.sum() < 2:
        return
    sure, anchor = found.decisive, 0
    prior = np.where(yields, 0.8, 0.2) if acts else np.full(len(labels), 0.02)
    counts = np.bincount(value, minlength=len(labels))
    anchor = int(np.lexsort((-counts, prior))[0])
    chance, fit = reversed_values(winner[sure], loser[sure], value[sure], prior, anchor)
    if not behavior and chance.max() > 0.5:
        factor, _ = split_test(winner[sure], loser[sure], value[sure], evidence=found.one_ranking)
        if fit < found.one_ranking + np.log(max(factor, 1e-300)):
            return  # separate rankings explain more
    chance[anchor] = prior[anchor] if acts and yields[anchor] else 0
    doubtful = np.flatnonzero(chance > (1 - SURE if acts else 0.5))
    if len(doubtful):
        each = (f"{labels[i] or 'blank'} {chance[i]:.2f} (n = {counts[i]})" for i in doubtful)
        text = f"probability that {whom} wins: {', '.join(each)}"
        side = np.where(chance > 0.5, "receiver", "actor").tolist()
        edits = {f"behaviors.{one}": wins for one, wins in zip(labels.tolist(), side, strict=True)}
        always = {f"behaviors.{label}": "actor" for label in labels.tolist()}
        named = {f"columns.{column}": "behavior"}
        likely = Choice("the more probable side wins", {**named, **edits})
        every = Choice(f"{who} always wins", {**named, **always})
        choices = [likely, every] if "receiver" in side else [every]
        choices += [] if behavior else [use(column, "group"), leave(column, "no direction")]
        refuses = acts and (bool(yields.any()) or bool((chance > 0.5).any()))
        yield found.doubt(
            "direction",
            column,
            text,
            *choices,
            places=np.flatnonzero(np.isin(value, doubtful)).tolist(),
            severity="refuse" if refuses else "ask",
        )


# ---- Dates -------------------------------------------------------------------------------------


def _six_digits(found: Evidence) -> Iterator[Doubt]:
    """Dates that are written as six digits, and were read as plain numbers."""
    data = found.contests
    column, date = data.report.columns.get("date", ""), data.date
    if date is None or date.dtype.kind != "f" or found.given.get("date_format"):
        return
    some = date[found.sample]
    if not np.all((some == np.round(some)) & (some >= 10_000) & (some <= 999_999)):
        return
    order = np.argsort(data.row_numbers(found.sample), kind="stable")
    cells = pl.Series([f"{int(x):06d}" for x in some[order]])
    fits = []
    for form in SIX_DIGITS:
        days = cells.str.to_date(form, strict=False)
        if not days.null_count():
            steps = days.to_physical().diff().drop_nulls()
            numbers = days.to_physical().to_numpy()
            fits.append((int((steps < 0).sum()), int(np.ptp(numbers)), form))
    if fits:
        fits.sort()
        text = "; ".join(f"{form}: {back} steps back, {n:,} days" for back, n, form in fits)
        choices = [Choice(f"read as {form}", {"date_format": form}) for *_, form in fits]
        choices.append(Choice("plain numbers", {"date_format": "number"}))
        yield found.doubt(
            "date", column, f"dates of six digits? {text}", *choices, severity="refuse"
        )


def _date_doubts(found: Evidence) -> Iterator[Doubt]:
    """Outlying years, and dates with and without a time."""
    data = found.contests
    column, date = data.report.columns.get("date", ""), data.date
    if date is None or date.dtype.kind not in "Mf" or len(date) < 4:
        return
    order = np.argsort(data.row_numbers(found.sample), kind="stable")
    moments = date[found.sample][order]
    if date.dtype.kind == "M":
        years = moments.astype("datetime64[Y]").astype(int) + 1970.0
    elif np.all((moments >= 1600) & (moments < 2300)) or np.median(moments) > 1800 > 0:
        years = moments
    else:
        return
    middle = np.median(years)
    off = np.abs(years - middle)
    gaps = np.abs(np.diff(years, prepend=np.inf, append=np.inf))
    alone = np.minimum(gaps[1:], gaps[:-1])  # difference from the rows before and after
    far = 10 * np.median(off)
    odd = np.flatnonzero((off > max(15, far)) | ((off > max(3, far)) & (alone > 3)))
    if 0 < len(odd) <= max(1, 0.05 * len(years)):
        rows = found.rows(order[odd].tolist())
        text = f"{off[odd[0]]:.0f} years from the median year, {middle:.0f}"
        text = f"{moments[odd[0]].astype(str)[:10]} is {text}"
        out = Choice("leave these rows out", {"left_out": [{"rows": list(rows), "why": "year"}]})
        right = accept("date", column, "the year is correct")
        yield Doubt("date", column, text, (out, right), rows)
    if date.dtype.kind == "M" and not found.given.get("times"):
        bare = moments == whole_days(moments)
        if (
            0 < bare.sum() < len(bare)
            and found.sheet is not None
            and "time" not in data.report.columns
        ):
            cells = _raw(found.sheet, column)
            without = [c for c in cells if c and not CLOCK_IN_CELL.search(c)]
            if 0 < len(without) < len(cells):
                text = f"{len(without)} of {len(cells)} cells have no time and are read as midnight"
                rows = Choice(
                    "contests of a day keep the order of the rows", {"rules.times": "drop"}
                )
                keep = accept("date", column, "midnight")
                yield found.doubt(
                    "date", column, text, rows, keep, places=order[np.flatnonzero(bare)].tolist()
                )


def _raw(sheet: Sheet, column: str) -> list[str]:
    """The first cells of a column as they are written, if they are text."""
    if column not in sheet.columns or sheet.batches is not None or sheet.parts:
        return []
    cells = sheet.frame.select(column).head(SAMPLE).collect().to_series()
    if cells.dtype != pl.String:
        return []
    return cells.fill_null("").str.strip_chars().to_list()


# ---- Rows --------------------------------------------------------------------------------------


def _rows_doubts(found: Evidence) -> Iterator[Doubt]:
    """A row of totals, and games listed from both sides."""
    data = found.contests
    if data.report.kind == "matrix":
        return
    winner, loser, _ = found.codes
    last = len(winner) - 1
    if last >= 3 and len(data) <= SAMPLE and data.extra is not None:
        before = {*winner[:-1].tolist(), *loser[:-1].tolist()}
        for column in data.extra.columns if before.isdisjoint({winner[-1], loser[-1]}) else ():
            x = [sequence_number(cell) or 0 for cell in found.cells(column)]
            if x[-1] > 0 and abs(sum(x[:-1]) - x[-1]) < 1e-9:
                text = (
                    f'the last row has the sum of "{column}" ({x[-1]:g}) and names not used before'
                )
                rows = found.rows([last])
                out = Choice("leave it out", {"left_out": [{"rows": list(rows), "why": "total"}]})
                kept = accept("total", column, "a contest like the others")
                yield Doubt("total", column, text, (out, kept), rows)
                break
    if found.given.get("twins") is None and (again := second_twins(data)):
        text = f"{2 * len(again)} of {len(data)} rows have a twin with the sides exchanged"
        once = Choice("count each contest once", {"rules.twins": "once"})
        every = accept("twins", "rows", "count all rows")
        yield Doubt("twins", "rows", text, (once, every), tuple(again))


def second_twins(data: Contests) -> list[int | str]:
    """The rows that repeat an earlier one with the sides exchanged, if most rows are such pairs."""
    if data.turned is None or len(data) < 4 or len(data) > 1_000_000:
        return []
    first = np.where(data.turned, data.loser, data.winner)
    second = np.where(data.turned, data.winner, data.loser)
    draw = np.zeros(len(data), bool) if data.draw is None else data.draw
    won = np.where(draw, -1, data.winner)
    date = np.zeros(len(data)) if data.date is None else data.date.astype("f8")
    rows = data.row_of(np.arange(len(data))).tolist()
    waiting: dict[tuple, list[int]] = defaultdict(list)
    again = []
    keys = zip(first.tolist(), second.tolist(), won.tolist(), date.tolist(), strict=True)
    for place, (a, b, w, d) in enumerate(keys):
        if waiting[b, a, w, d]:
            waiting[b, a, w, d].pop()
            again.append(rows[place])
        else:
            waiting[a, b, w, d].append(place)
    return again if 2 * len(again) >= 0.8 * len(data) else []
