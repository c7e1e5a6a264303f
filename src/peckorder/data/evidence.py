"""What is doubtful about contests as they were read: evidence from columns, names and dates.

Words in headings and cells may raise a doubt; their absence never removes one, and only evidence
lowers it. Whether a column explains the outcomes of contests is tested (see `column_doubts`). What
refuses the data is looked for when they are read, all else when it is first asked for. Columns are
judged by at most 20,000 rows, names by their unique values: by their own form, by the other names,
and by whom they met, since two names that had a contest with each other are two individuals.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.column_doubts import (
    OUTCOME,
    SAMPLE,
    accept,
    count_doubts,
    date_doubts,
    direction_doubts,
    filter_doubts,
    group_doubts,
    leave,
    of_one,
    order_doubts,
    order_of_names,
    rows_doubts,
    rows_lost,
    six_digits,
)
from peckorder.data.headings import hint
from peckorder.data.names import text_of
from peckorder.data.recipe import ROLES, SEVERITIES, Choice, Doubt, Recipe, Severity, listing
from peckorder.data.similar_names import latin
from peckorder.errors import DataError
from peckorder.text import counted, quoted

if TYPE_CHECKING:
    from peckorder.data.contests import Contests
    from peckorder.data.sheet import Sheet

LARGEST_HASHED = 1 << 28  # bytes


@dataclass(eq=False)
class Evidence:
    """The doubts about contests as they were read, and the recipe by which they were read."""

    data: Contests | None = None  # the contests as they were read; None if they were made otherwise
    sheet: Sheet | None = None  # their sheet
    # the arguments of `read`, with those of a recipe
    given: Mapping[str, Any] = field(default_factory=dict)
    base: Recipe = field(default_factory=Recipe)  # the recipe that was given, if any

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
            found += refused_names(self)
        if self.data.date is not None and self.data.date.dtype.kind == "f":
            found += six_digits(self)
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
        more = [*name_doubts(self), *date_doubts(self), *self._matrix(), *rows_doubts(self)]
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
        settled |= (
            {*(self.sheet.log or ()), *self.sheet.parts_used} if self.sheet is not None else set()
        )
        for column in columns:
            if column in settled or re.search(rf"(?<!\w){re.escape(column)}(?!\w)", where):
                continue
            tests = [count_doubts, filter_doubts, order_doubts, direction_doubts, group_doubts]
            if column == context:
                tests = [direction_doubts]
            cells = self.cells(column)
            if len({*cells}) < 2 and not hint("yields", cells[0]):
                continue
            if hint("group", column):  # also if its values are numbers
                tests.insert(0, tests.pop())
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
        words = [text for text in (corner, *self.sheet.titles) if rows_lost(text)]
        size, text, p, wins = len(data.individuals), "", 1.0, np.zeros((0, 0))
        if size <= 1_000:
            wins = np.zeros((size, size))
            decisive = np.ones(len(data), bool) if data.draw is None else ~data.draw
            np.add.at(wins, (data.winner[decisive], data.loser[decisive]), 1)
            upper, total, p = order_of_names(wins)
            text = f"{upper:.0f} of {total:.0f} wins are above the diagonal"
            text += f" (random orders: p = {p:.3f})"
        if words:
            text = f'"{words[0]}" may mean that rows lost' + (f"; {text}" if text else "")
        if size <= 1_000 and (wins == wins.T).all() and (wins > 0).sum() >= 8:
            text = "all counts equal those of the other direction, as numbers of contests do"
            yes = accept("count", "matrix", "they are numbers of wins")
            yield self.doubt("count", "matrix", text, yes)
        elif words or p <= 0.01:
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
        hashed = path and os.path.getsize(path) <= LARGEST_HASHED
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest() if hashed else ""
        special = "log" if self.sheet.log is not None else ""
        special = "scores" if self.made and report.kind == "games" else special
        shape = (
            f"matrix: {report.winners} won" if report.kind == "matrix" else special or report.kind
        )
        changes: dict[str, Any] = {
            "source": report.path or report.source,
            "sha256": digest,
            "shape": shape,
        }
        known = list(self.contests.individuals) if len(self.contests.individuals) <= 500 else []
        changes["names"] = dict(self.contests.aliases)  # also those of a file
        changes["rules"] = {n: v for n, v in start.rules.items() if n not in ("names", "presence")}
        return replace(start, **changes, columns=columns, known=known)

    def _why(self, column: str, doubt: Doubt | None) -> str:
        if doubt is not None:
            return f"{doubt.kind}?"
        cells = self.cells(column)
        kinds = len({*cells})
        if kinds == 1:
            return f"always {cells[0]}" if cells[0] else "blank"
        return f"{counted(kinds, 'value')}, no evidence of use"


# ---- Names ---------------------------------------------------------------------------------------

NOBODY = (
    r"unid|unk|unknown|unidentified|not identified|unbekannt|desconocid[oa]|inconnue?"
    r"|desconhecid[oa]|(?:\d+ )?juv(?:enile)?s?|subadults?|adults?|infants?|females?|males?"
    r"|others?|several|group|all|none|null|nan|nobody|both|many|various|someone|stranger"
    r"|total|totals|grand total|sum|summe|gesamt|somme|suma|bye|n/?a|n\.a|missing"
    r"|mean|average|median|sd|individuals?|subjects?|wins|losses|winner|loser|ditto|idem|same"
)
SEVERAL = re.compile(r"\s*(?:/|&|\+|;|,|\bor\b|\band\b|\bund\b|\bet\b|\by\b)\s*")
SEPARATED = r"/|&|\+|;|,| or | and | und | et | y "
MOST_NAMES = 100_000  # above which only refusals are looked for
RARE = 0.2  # share of the contests above which a word for an outcome is a name


def canonical(name: str) -> str:
    """A name without marks, accents, brackets, multipliers, leading zeros, blanks and case.

    >>> canonical("Bella*"), canonical("(Bella)"), canonical("Bella x3"), canonical("007")
    ('bella', 'bella', 'bella', '7')
    """
    apart = unicodedata.normalize("NFKD", name)
    text = "".join(sign for sign in apart if not unicodedata.combining(sign)).strip().casefold()
    text = re.sub(r"^(?:no|nr|id)\W+(?=\d)", "", text)
    if re.fullmatch(r"\d+(?:\.0+)?(?:e\d{1,2})?", text):
        return str(int(float(text)))
    text = re.sub(r"(?<=\w)\s*[(\[].*[)\]]$|(?<=\w)\s+[x×]\s*\d+$", "", text)
    text = re.sub(r"^\W+|\W+$", "", text)
    text = re.sub(r"[\s​_-]+", "", re.sub(r"(?<![\d.])0+(?=\d)", "", text))
    return re.sub(r"(?<!\d)\W|\W(?!\d)", "", text)


def shape(name: str) -> str:
    """The kinds of signs in a name: capitals, small letters, digits, others.

    >>> shape("Abby"), shape("K12"), shape("?")
    ('Aa', 'A9', '?')
    """
    signs = (
        "A" if c.isupper() else "a" if c.isalpha() else "9" if c.isdigit() else c for c in name
    )
    return re.sub(r"(.)\1+", r"\1", "".join(signs))


def stands_for_nobody(name: str) -> bool:
    """Whether a name looks like a word for no identified individual.

    >>> stands_for_nobody("unid."), stands_for_nobody("Unknown?"), stands_for_nobody("Una")
    (True, True, False)
    """
    core = canonical(name)
    return not core or bool(
        re.fullmatch(rf"(?:{NOBODY})(?:[\s_.?-].*|\d*)", name.casefold().strip())
    )


def ignored(name: str) -> Choice:
    """The choice to leave out the contests of a name."""
    return Choice(f'leave out the contests of "{name}"', {"ignore": [name]})


def kept(name: str) -> Choice:
    """The choice that a name is that of an individual."""
    return Choice(f'"{name}" is an individual', {f"names.{name}": name})


def refused_names(found: Evidence) -> Iterator[Doubt]:
    """Names that are words for outcomes, or several names, of which most occur alone."""
    names = found.contests.individuals
    series = pl.Series(names, dtype=pl.String)
    words = series.filter(series.str.to_lowercase().str.contains(rf"^\s*(?:{OUTCOME})\s*$"))
    joint = series.filter(series.str.contains(SEPARATED))
    if not len(words) and not len(joint):
        return
    decided = {*found.contests.aliases, *map(str, listing(found.given.get("ignore")))}
    for name in [name for name in words if name not in decided and len(name) > 1]:
        rows = found.rows_with([name])
        if 0 < len(rows) <= RARE * len(found.contests) + 1:
            choices = ignored(name), kept(name)
            yield Doubt("name", f'"{name}"', "a word for an outcome", choices, rows, "refuse")
    whole = (
        {canonical(other) for other in names} if len(names) <= MOST_NAMES and len(joint) else set()
    )
    for name in [name for name in joint if name not in decided]:
        parts = [canonical(part) for part in SEVERAL.split(name) if part.strip()]
        if len(parts) > 1 and sum(part in whole for part in parts) >= len(parts) / 2:
            choices = ignored(name), kept(name)
            yield Doubt(
                *("name", f'"{name}"', "several names", choices, found.rows_with([name]), "refuse")
            )


def name_doubts(found: Evidence) -> Iterator[Doubt]:
    """Cells that may be no names, or other spellings of a name."""
    data = found.contests
    names = data.individuals
    if len(names) > MOST_NAMES:
        return
    size = len(names)
    contests = np.bincount(data.winner, minlength=size) + np.bincount(data.loser, minlength=size)
    counts = dict(zip(names, contests.tolist(), strict=True))
    by: defaultdict[str, list[str]] = defaultdict(list)
    cores = {name: canonical(name if name.isascii() else latin(name)) for name in names}
    for name, core in cores.items():
        by[core].append(name)
    shapes = Counter(map(shape, names))

    def met(a: int, b: int) -> bool:
        one = (data.winner == a) & (data.loser == b)
        return bool((one | ((data.winner == b) & (data.loser == a))).any())

    common = shapes.most_common(1)[0][1]
    for name in names:
        if name in data.aliases:
            continue
        core, number = cores[name], counts[name]
        best = max(by[core], key=lambda one: (counts[one], one.isalnum(), -len(one)))
        words, text, choices = name.split(), "", [ignored(name)]
        severity: Severity = "ask"
        if stands_for_nobody(name):
            text = "may stand for no identified individual"
        elif best != name and not met(data.code(name), data.code(best)):  # else they are two
            signs = "marks, zeros, blanks or case" if name.isascii() else "signs that look alike"
            text = f'"{best}" apart from {signs}'
            choices = [Choice(f'"{name}" is "{best}"', {f"names.{name}": best}), ignored(name)]
        elif number == 1 and len(words) > 1 and canonical(words[0]) in by:
            text = f'begins with another name, "{words[0]}"'
            first = max(by[canonical(words[0])], key=counts.__getitem__)
            choices = [Choice(f'"{name}" is "{first}"', {f"names.{name}": first}), ignored(name)]
        elif number == 1 and size > 3 and common == size - 1 and shapes[shape(name)] == 1:
            text = f"unlike all other {size - 1} names in its letters, digits and signs"
        if text:
            said = f"{text} ({counted(number, 'contest')})"
            rows = found.rows_with([name])
            yield Doubt("name", f'"{name}"', said, (*choices, kept(name)), rows, severity)
