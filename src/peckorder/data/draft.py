"""Reading lists of contests into the same arrays: winner and loser, and what all lists share.

Games, votes and contests in one cell are read in `games`, `outcomes` and `arrows`. Each function
collects all problems of a sheet, so that they can be reported together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.cells import FALSE, TRUE, blanks, read_numbers, several_readings, yes_and_no
from peckorder.data.columns import Columns
from peckorder.data.headings import heading, is_below
from peckorder.data.import_report import Labels
from peckorder.data.matrix import MOST_FROM_COUNTS
from peckorder.data.names import NameCodes, text_of
from peckorder.data.outcome_columns import TIE_WORDS
from peckorder.data.sheet import Sheet
from peckorder.text import counted, either, option, quoted

WON = ("w", "win", "won", "winner")
MOST_FOOTNOTES = 20
LOST = ("l", "loss", "lose", "lost", "loser")
DREW = ("t", "tie", "tied", "d", "draw", "drawn")


@dataclass
class Draft:
    """Contests of a sheet while they are being read: one entry per row kept."""

    sheet: Sheet
    names: NameCodes
    first: np.ndarray
    second: np.ndarray
    kept: np.ndarray | None = None  # positions of the rows in the sheet; None: all rows
    draw: np.ndarray | None = None
    points: np.ndarray | None = None
    home: np.ndarray | None = None
    turned: np.ndarray | None = None  # whether the two sides of the row were exchanged
    outcome: np.ndarray | None = None  # what a column says about who won
    # positions of the rows without a contest, by the reason
    left: dict[str, np.ndarray] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    later: list[Callable[[], str]] = field(default_factory=list)  # notes with numbers of rows kept
    ordered: bool = True
    transposed: bool = False  # a matrix with winners in its columns

    @property
    def places(self) -> np.ndarray:
        """Positions in the sheet of the rows kept."""
        return np.arange(len(self.first)) if self.kept is None else self.kept

    def column(self, name: str) -> pl.Series:
        """The cells of a column in the rows kept."""
        cells = self.sheet.column(name)
        return cells if self.kept is None else cells.gather(pl.Series(self.kept))

    def texts(self, name: str) -> pl.Series:
        """The same as text without blanks around the cells; empty where there is none."""
        return text_of(self.column(name)).fill_null("").str.strip_chars()

    def where(self, mask: np.ndarray) -> str:
        """Rows as they are named in a message."""
        return self.sheet.where(np.unique(self.places[mask]))

    def refuse(self, mask: np.ndarray, problem: str) -> None:
        """A problem of the rows where the mask is True, if there are any."""
        if mask.any():
            self.problems.append(f"{self.where(mask)}: {problem}")

    def leave_out(self, gone: np.ndarray, why: str) -> None:
        """Leave out contests, and remember their rows."""
        if gone.any():
            self.left_out(self.places[gone], why)
            self.keep(~gone)

    def left_out(self, places: np.ndarray, why: str) -> None:
        """Remember why rows gave no contest."""
        if len(places):
            self.left[why] = np.unique(np.concatenate([self.left.get(why, places), places]))

    def note_later(self, note: Callable[[np.ndarray], str]) -> None:
        """A note on those of the present rows that are kept in the end, by their mask."""
        places = self.places
        self.later.append(lambda: note(np.isin(places, self.places)))

    def keep(self, mask: np.ndarray) -> None:
        """Keep the rows where the mask is True, or those at the positions given."""
        self.kept = self.places
        for name in ("first", "second", "kept", "draw", "points", "home", "turned", "outcome"):
            array = getattr(self, name)
            if array is not None:
                setattr(self, name, array[mask])

    def swap(self, mask: np.ndarray) -> None:
        """Exchange the two sides where the mask is True."""
        self.first, self.second = (
            np.where(mask, self.second, self.first),
            np.where(mask, self.first, self.second),
        )
        self.turned = mask if self.turned is None else self.turned ^ mask
        if self.home is not None:
            self.home = np.where(mask, -self.home, self.home).astype(np.int8)
        if self.points is not None:
            self.points = np.where(mask[:, None], self.points[:, ::-1], self.points)

    def leave_out_ignored(self) -> None:
        """Leave out the contests of names that are to be ignored."""
        if self.names.ignored:
            why = f"ignored names ({quoted(self.names.ignored)})"
            self.leave_out(self.names.left_out(self.first, self.second), why)


def names_of(
    sheet: Sheet,
    roles: tuple[str, str],
    columns: Columns,
    missing: str,
    names: NameCodes | None,
    *,
    droppable: bool = True,
) -> Draft:
    """Codes of the two sides of every row; missing names are reported or dropped."""
    names = names or NameCodes()
    used = [columns.of[role] for role in roles]
    codes = np.empty(sheet.height, np.int32), np.empty(sheet.height, np.int32)
    begin = 0
    for sides in sheet.chunks(*used):
        place = slice(begin, begin := begin + len(sides[0]))
        texts = (text.fill_null("") if text.has_nulls() else text for text in map(text_of, sides))
        names.add(*texts, into=(codes[0][place], codes[1][place]))
    draft = Draft(sheet, names, *codes)
    totals = _totals(draft)
    if totals.any() or names.code("") is not None:
        _missing_names(draft, used, missing, droppable, totals)
    draft.leave_out_ignored()
    return draft


def _totals(draft: Draft) -> np.ndarray:
    """The last row with a name, if it is one of totals: a word for them, and no known name."""
    found = np.zeros(len(draft.first), bool)
    sides = draft.first[-MOST_FOOTNOTES:], draft.second[-MOST_FOOTNOTES:]
    names = [{draft.names.names[code] for code in codes} for codes in zip(*sides, strict=True)]
    last = next((i for i, own in enumerate(reversed(names), 1) if own != {""}), 0)
    own = names[-last] - {""} if last and not draft.sheet.streamed else ()
    if own and all(name.isdecimal() or is_below(name) for name in own):
        here = draft.first[-last], draft.second[-last]
        for code in here:
            number = int((draft.first == code).sum() + (draft.second == code).sum())
            if draft.names.names[code] and number > here.count(code):
                return found
        found[-last] = any(map(is_below, map(str, draft.sheet.table().row(-last))))
    return found


def _missing_names(
    draft: Draft, columns: list[str], missing: str, droppable: bool, totals: np.ndarray
) -> None:
    or_else = f", or use {option('missing', 'drop')} to drop such rows" if droppable else ""
    lost = [side == draft.names.code("") for side in (draft.first, draft.second)]
    gone, empty = lost[0] | lost[1], draft.sheet.blank_rows()
    notes = _footnotes(draft, lost[0] & lost[1] | totals) & ~empty
    blank = gone & empty
    if notes.any():
        below = f"totals or text below the table ({draft.where(notes).lower()})"
        draft.left_out(np.flatnonzero(notes), below)
    draft.left_out(np.flatnonzero(blank), "blank rows")
    gone &= ~(blank | notes)
    if missing == "drop":
        draft.left_out(np.flatnonzero(gone), "no winner or no loser")
    else:
        row = () if draft.sheet.streamed else draft.sheet.table().row(int(np.argmax(gone)))
        filled = [str(cell) for cell in row if cell is not None and str(cell).strip()]
        if len(filled) == 1:
            or_else += f". If {quoted(filled)} is a heading of rows below, write it in a column"
        for side, column in zip(lost, columns, strict=True):
            draft.refuse(side & gone, f'no name in column "{column}". Enter the name{or_else}.')
    draft.keep(~(lost[0] | lost[1] | totals))


def _footnotes(draft: Draft, gone: np.ndarray) -> np.ndarray:
    """Rows below the last contest without names: one cell is a text, or one a word for totals."""
    notes = np.zeros(len(gone), bool)
    last = int(np.flatnonzero(~gone)[-1]) + 1 if (~gone).any() else len(gone)
    if len(gone) - last > MOST_FOOTNOTES or draft.sheet.streamed or not gone[last:].any():
        return notes
    for place, row in enumerate(draft.sheet.table().slice(last).rows(), start=last):
        filled = [str(cell).strip() for cell in row if cell is not None and str(cell).strip()]
        only_text = len(filled) == 1 and any(map(str.isalpha, filled[0]))
        notes[place] = only_text or any(map(is_below, filled))
    return notes


def events(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from a sheet with columns for winner and loser."""
    draft = names_of(sheet, ("winner", "loser"), columns, missing, names)
    if columns["winner_points"] and columns["loser_points"]:
        draft.points = points_of(draft, columns, ("winner_points", "loser_points"), missing)
        fewer = draft.points[:, 0] < draft.points[:, 1]
        why = "the winner has fewer points than the loser. Correct the points or the names."
        draft.refuse(fewer, why)
    if column := columns["home"]:
        draft.home = _home_of_events(draft, column)
    if column := columns["neutral"]:
        mark_neutral(draft, column)
    counts, ties = columns["count"], columns["tie"]
    if counts and ties and heading(ties) in ("ties", "draws"):
        tabulate(draft, [counts, ties], tied=1)
        return draft
    even = None if draft.points is None else draft.points[:, 0] == draft.points[:, 1]
    if ties:
        _draws(draft, ties)
        if even is not None and draft.draw is not None:
            draft.refuse(
                draft.draw != even,
                f'the points and column "{ties}" disagree on whether the contest was a draw. '
                f"Correct one of them.",
            )
    else:
        draft.draw = even
    if counts:
        expand(draft, counts, dated=bool(columns["date"]))
    return draft


def labels_of(draft: Draft, column: str, role: str) -> Labels:
    """A column of labels; blank cells form a label of their own and are reported."""
    values = draft.texts(column)
    blank = (values == "").to_numpy()
    if blank.any():
        repeat = f" To repeat the {role} above, use {option('fill_down', role)}."
        draft.notes.append(
            f'{draft.where(blank)}: no {role} in column "{column}"; these contests are assigned '
            f'the {role} "".{repeat if values[0] else ""}'
        )
    names = values.unique(maintain_order=True)
    codes = values.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
    return Labels(codes, tuple(names.to_list()))


def flags_of(draft: Draft, column: str, *more: str) -> np.ndarray:
    """True and False from 1/0, true/false, yes/no, y/n, t/f in any case, or from ticks."""
    words = draft.texts(column).str.to_lowercase()
    yes, unknown, note = yes_and_no(words, column, *more)
    bad = unknown.to_numpy()
    draft.refuse(
        bad,
        f'"{_first(words, bad)}" in column "{column}" is neither yes nor no. Use 1/0, true/false '
        f"or yes/no, or mark rows with x and leave the others blank.",
    )
    draft.notes += [note] if note and not bad.any() else []
    return yes.to_numpy()


def _draws(draft: Draft, column: str) -> None:
    """Draws from yes/no flags, or from W/L/T from the perspective of the first individual."""
    words = draft.texts(column).str.to_lowercase()
    distinct = set(words.unique().to_list())
    only_draws = distinct <= {*TRUE, *FALSE, *DREW, ""}  # as a mark: blank cells are no draws
    if only_draws or not distinct & {*WON, *LOST, *TIE_WORDS}:
        draft.draw = flags_of(draft, column, *DREW)
        return
    tied = words.is_in([*TIE_WORDS, "undecided", "no winner"])
    if tied.any() and not distinct & {*WON, *LOST, *TRUE, *FALSE}:
        others = words.filter(~tied).unique(maintain_order=True).to_list()
        draft.draw = tied.to_numpy()
        draft.notes.append(
            f"{counted(int(tied.sum()), 'row is', 'rows are')} ties according to column "
            f'"{column}"; {quoted(others, limit=4)} was read as no tie.'
        )
        return
    bad = ~words.is_in([*WON, *LOST, *DREW]).to_numpy()
    draft.refuse(
        bad,
        f'"{_first(words, bad)}" in column "{column}" is not W, L or T (won, lost or tied '
        f"by the first individual).",
    )
    lost = words.is_in(LOST).to_numpy()
    draft.draw = words.is_in(DREW).to_numpy()
    if lost.any():
        draft.notes.append(
            f'According to column "{column}", the first individual lost in '
            f"{counted(int(lost.sum()), 'row')}; there the second one was taken as the winner."
        )
        draft.swap(lost)


def _home_of_events(draft: Draft, column: str) -> np.ndarray:
    """The home side from a name, winner/loser/neutral, or a flag that is yes for the winner."""
    cells = draft.texts(column)
    words, spelled = cells.str.to_lowercase(), cells.replace(draft.names.aliases)
    names = pl.Series(draft.names.names, dtype=pl.String)
    first, second = (
        names.gather(pl.Series(side)) == spelled for side in (draft.first, draft.second)
    )
    plain = ~(first | second)  # names take priority: team "1" does not mean yes
    first |= plain & words.is_in([*TRUE, "winner"])
    second |= plain & words.is_in([*FALSE, "loser"])
    bad = (~(first | second | (plain & words.is_in(["", "neutral"])))).to_numpy()
    draft.refuse(
        bad,
        f'"{_first(words, bad)}" in column "{column}" is not a valid home side. Write its '
        f"name, or winner, loser or neutral, or use {option('home', '')} to ignore the column.",
    )
    return first.to_numpy().astype(np.int8) - (second & ~first).to_numpy().astype(np.int8)


def mark_neutral(draft: Draft, column: str) -> None:
    """Set the home side to neutral where the flag is yes."""
    neutral = flags_of(draft, column)
    if draft.home is not None:
        draft.home = np.where(neutral, 0, draft.home).astype(np.int8)


def _first(cells: pl.Series, mask: np.ndarray) -> Any:
    """The first of the cells where the mask is True; nothing if there is none."""
    return cells[int(np.argmax(mask))] if mask.any() else ""


def _numbers(draft: Draft, column: str, what: str, advice: str, *, blank: bool) -> np.ndarray:
    """A column of finite numbers of at least 0, of which blanks may be 0; others are reported."""
    values = draft.column(column)
    numbers = values.cast(pl.Float64, strict=False)
    if values.dtype == pl.String:
        values = values.str.strip_chars()
        numbers, note = read_numbers(values, column, draft.sheet.separator)
        draft.notes += [note] if note else []
    if blank:
        numbers = numbers.set(blanks(values), 0.0)
    array = numbers.fill_null(np.nan).to_numpy()
    with np.errstate(invalid="ignore"):
        bad = ~(np.isfinite(array) & (array >= 0))
    cell = _first(values, bad)
    wrong = f'"{cell}" in column "{column}" is not a valid {what}{several_readings(str(cell))}'
    wrong = f'no {what} in column "{column}"' if cell in (None, "") else wrong
    draft.refuse(bad, f"{wrong}. {advice}")
    return np.where(np.isfinite(array), array, 0.0)


def points_of(draft: Draft, columns: Columns, roles: tuple[str, str], missing: str) -> np.ndarray:
    """Points of both sides; games without points can be dropped."""
    used = [columns.of[role] for role in roles]
    if missing == "drop":
        given = [draft.texts(column).str.contains(r"\d").to_numpy() for column in used]
        draft.leave_out(~(given[0] & given[1]), "no points")
    advice = f"Enter the points, or use {option('missing', 'drop')} to drop rows without points."
    what = "number of points"
    return np.stack([_numbers(draft, one, what, advice, blank=False) for one in used], axis=1)


def tabulate(draft: Draft, used: list[str], *, tied: int, second: int | None = None) -> None:
    """Repeat rows by the numbers of contests in several columns, of which blanks are 0.

    That of ties is number `tied`, and that of wins of the second side number `second`.
    """
    each = [_whole(draft, column, "number of wins", blank=True) for column in used]
    numbers = np.stack(each, axis=1)
    if draft.problems or too_many(draft, numbers):
        return
    contest = np.repeat(np.arange(numbers.size), numbers.ravel())

    def note(kept: np.ndarray) -> str:
        totals = zip(used, numbers[kept].sum(axis=0).tolist(), strict=True)
        what = ", ".join(f'{total:,} in "{column}"' for column, total in totals)
        return f"Numbers of contests: {what}; their sequence within a row is unknown."

    draft.note_later(note)
    draft.left_out(draft.places[numbers.sum(axis=1) == 0], "no contests")
    draft.ordered = bool((numbers.sum(axis=1) <= 1).all())
    draft.keep(contest // len(used))
    draft.draw = contest % len(used) == tied if tied < len(used) else None
    if second is not None:
        draft.swap(contest % len(used) == second)


def expand(draft: Draft, column: str, *, dated: bool) -> None:
    """Repeat rows that represent several contests, which are alike: dates are their order."""
    known = len(draft.problems)
    times = _whole(draft, column, "number of contests")
    if len(draft.problems) > known or too_many(draft, times):
        return
    draft.left_out(draft.places[times == 0], "count of 0")
    if (times > 1).any():
        draft.ordered = dated and draft.ordered
        end = "." if dated else ", whose sequence within a row is unknown."
        draft.note_later(
            lambda kept: (
                f'Column "{column}" gives numbers of contests: {counted(int(kept.sum()), "row")} '
                f"with {counted(int(times[kept].sum()), 'contest')}{end}"
            )
        )
    draft.keep(np.repeat(np.arange(len(times)), times))


def _whole(draft: Draft, column: str, what: str, *, blank: bool = False) -> np.ndarray:
    """A column of whole numbers of contests."""
    counts = _numbers(draft, column, what, "Enter a whole number.", blank=blank)
    broken = counts % 1 != 0
    other = f"If the column is no {what}, ignore it with {option('count', '')}."
    draft.refuse(
        broken,
        f'the count {_first(pl.Series(counts), broken)} in column "{column}" is not a whole '
        f"number. {'Correct it.' if blank else other}",
    )
    return np.minimum(counts, 1e15).astype(np.int64)


def too_many(draft: Draft, counts: np.ndarray) -> bool:
    """Whether counts sum to too many contests, which is then a problem."""
    number = float(counts.sum(dtype=float))
    if number <= MOST_FROM_COUNTS:
        return False
    shown = f"{number:,.0f}" if number < 1e12 else f"{number:.3g}"
    draft.problems.append(
        f"{draft.sheet.name}: the counts sum to {shown} contests; the maximum is "
        f"{MOST_FROM_COUNTS:,}. Check that they are numbers of contests. "
        + either(
            "Methods that use a matrix of wins take larger counts as peckorder.Matrix(individuals, "
            "wins).",
            "If they are, divide all counts by a common factor.",
        )
    )
    return True
