"""Reading lists of contests into the same arrays: winner and loser, and what all lists share.

Games, votes and contests in one cell are read in `games`, `outcomes` and `arrows`. Each function
collects all problems of a sheet, so that they can be reported together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from peckorder.data.cells import NO, YES, read_numbers, several_readings, yes_and_no
from peckorder.data.columns import Columns
from peckorder.data.headings import heading
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
    """Contests while they are being read: one entry per row kept."""

    names: NameCodes
    first: np.ndarray
    second: np.ndarray
    kept: np.ndarray | None = None  # positions of the rows in the sheet; None: all rows
    draw: np.ndarray | None = None
    points: np.ndarray | None = None
    home: np.ndarray | None = None
    turned: np.ndarray | None = None  # whether the two sides of the row were exchanged
    dropped: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ordered: bool = True
    transposed: bool = False  # a matrix with winners in its columns

    @property
    def places(self) -> np.ndarray:
        """Positions in the sheet of the rows kept."""
        return np.arange(len(self.first)) if self.kept is None else self.kept

    def keep(self, mask: np.ndarray) -> None:
        """Keep the rows where the mask is True, or those at the positions given."""
        self.kept = self.places
        for name in ("first", "second", "kept", "draw", "points", "home", "turned"):
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
    first_name, second_name = (columns.of[role] for role in roles)
    first, second = np.empty(sheet.height, np.int32), np.empty(sheet.height, np.int32)
    begin = 0
    for one, other in sheet.chunks(first_name, second_name):
        place = slice(begin, begin := begin + len(one))
        names.add(_without_nulls(one), _without_nulls(other), (first[place], second[place]))
    draft = Draft(names, first, second)
    if names.code("") is not None:
        _missing_names(sheet, draft, first_name, second_name, missing, droppable)
    leave_out_ignored(draft)
    return draft


def _without_nulls(column: pl.Series) -> pl.Series:
    names = text_of(column)
    return names.fill_null("") if names.null_count() else names


def leave_out_ignored(draft: Draft) -> None:
    """Leave out the contests of names that are to be ignored, and count them."""
    names = draft.names
    if names.ignored and (ignored := names.left_out(draft.first, draft.second)).any():
        what = f"ignored names ({quoted(names.ignored)})"
        draft.dropped[what] = draft.dropped.get(what, 0) + int(ignored.sum())
        draft.keep(~ignored)


def _missing_names(
    sheet: Sheet, draft: Draft, first: str, second: str, missing: str, droppable: bool
) -> None:
    or_else = f", or use {option('missing', 'drop')} to drop such rows" if droppable else ""
    blank = draft.names.code("")
    gone = (draft.first == blank) | (draft.second == blank)
    empty = sheet.blank_rows()
    both = (draft.first == blank) & (draft.second == blank)
    notes = _footnotes(sheet, draft, both) & both & ~empty
    if notes.any():
        where = sheet.where(np.flatnonzero(notes))
        draft.dropped[f"text below the table ({where.lower()})"] = int(notes.sum())
        empty |= notes
    if (gone & empty & ~notes).any():
        draft.dropped["blank rows"] = int((gone & empty & ~notes).sum())
    for side, column in ((draft.first, first), (draft.second, second)):
        lost = np.flatnonzero((side == blank) & ~empty)
        if lost.size and missing != "drop":
            draft.problems.append(
                f'{sheet.where(lost)}: no name in column "{column}". Enter the name{or_else}.'
            )
    if missing == "drop" and (gone & ~empty).any():
        draft.dropped["no winner or no loser"] = int((gone & ~empty).sum())
    draft.keep(~gone)


def _footnotes(sheet: Sheet, draft: Draft, gone: np.ndarray) -> np.ndarray:
    """Rows below the last contest without names, in which one cell is a text with words."""
    last = int(np.flatnonzero(~gone)[-1]) + 1 if (~gone).any() else len(gone)
    if len(gone) - last > MOST_FOOTNOTES or sheet.streamed or not gone[last:].any():
        return np.zeros(len(gone), bool)
    foot = sheet.table().slice(int(draft.places[last - 1]) + 1) if last else sheet.table().head(0)
    notes = np.zeros(len(gone), bool)
    for place, row in enumerate(foot.rows(), start=last):
        filled = [str(cell).strip() for cell in row if cell is not None and str(cell).strip()]
        notes[place] = len(filled) == 1 and any(map(str.isalpha, filled[0]))
    return notes


def events(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from a sheet with columns for winner and loser."""
    draft = names_of(sheet, ("winner", "loser"), columns, missing, names)
    if columns["winner_points"] and columns["loser_points"]:
        draft.points = points_of(sheet, draft, columns, ("winner_points", "loser_points"), missing)
        wrong = np.flatnonzero(draft.points[:, 0] < draft.points[:, 1])
        if wrong.size:
            draft.problems.append(
                f"{sheet.where(draft.places[wrong])}: the winner has fewer "
                f"points than the loser. Correct the points or the names."
            )
    if column := columns["home"]:
        draft.home = _home_of_events(sheet, column, draft)
    if column := columns["neutral"]:
        mark_neutral(sheet, column, draft)
    counts, ties = columns["count"], columns["tie"]
    if counts and ties and heading(ties) in ("ties", "draws"):
        tabulate(sheet, [counts, ties], draft, tied=1)
        return draft
    if column := columns["tie"]:
        _draws(sheet, column, draft)
        _contradictions(sheet, column, draft)
    elif draft.points is not None:
        draft.draw = draft.points[:, 0] == draft.points[:, 1]
    if column := columns["count"]:
        expand(sheet, column, draft, dated=bool(columns["date"]))
    return draft


def _contradictions(sheet: Sheet, column: str, draft: Draft) -> None:
    """Draws with unequal points, and wins with equal ones."""
    if draft.points is None or draft.draw is None:
        return
    wrong = np.flatnonzero(draft.draw != (draft.points[:, 0] == draft.points[:, 1]))
    if wrong.size:
        draft.problems.append(
            f"{sheet.where(draft.places[wrong])}: the points and column "
            f'"{column}" disagree on whether the contest was a draw. Correct one of them.'
        )


def labels_of(sheet: Sheet, column: str, role: str, draft: Draft) -> Labels:
    """A column of labels; blank cells form a label of their own and are reported."""
    values = text_of(sheet.column(column).gather(pl.Series(draft.places)))
    values = values.fill_null("").str.strip_chars()
    if len(values) and (values == "").any():
        blank = (values == "").arg_true().to_numpy()
        repeat = f" To repeat the {role} above, use {option('fill_down', role)}."
        draft.notes.append(
            f"{sheet.where(draft.places[blank])}: no {role} in column "
            f'"{column}"; these contests are assigned the {role} "".'
            f"{repeat if values[0] else ''}"
        )
    names = values.unique(maintain_order=True)
    codes = values.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
    return Labels(codes, tuple(names.to_list()))


def _words(sheet: Sheet, column: str, draft: Draft) -> pl.Series:
    values = sheet.column(column).gather(pl.Series(draft.places))
    return values.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()


def flags_of(sheet: Sheet, column: str, draft: Draft, *more: str) -> np.ndarray:
    """True and False from 1/0, true/false, yes/no, y/n, t/f in any case, or from ticks."""
    words = _words(sheet, column, draft)
    yes, unknown, note = yes_and_no(words, column, *more)
    bad = unknown.arg_true().to_numpy()
    if bad.size:
        draft.problems.append(
            f'{sheet.where(draft.places[bad])}: "{words[int(bad[0])]}" in '
            f'column "{column}" is neither yes nor no. Use 1/0, true/false or yes/no, or mark rows '
            f"with x and leave the others blank."
        )
    elif note:
        draft.notes.append(note)
    return yes.to_numpy()


def _draws(sheet: Sheet, column: str, draft: Draft) -> None:
    """Draws from yes/no flags, or from W/L/T from the perspective of the first individual."""
    words = _words(sheet, column, draft)
    distinct = set(words.unique().to_list())
    only_draws = distinct <= {*YES, *NO, *DREW, ""}  # as a mark: blank cells are no draws
    if distinct <= {*YES, *NO} or only_draws or not distinct & {*WON, *LOST, *TIE_WORDS}:
        draft.draw = flags_of(sheet, column, draft, *DREW)
        return
    tied = words.is_in([*TIE_WORDS, "undecided", "no winner"])
    if tied.any() and not distinct & {*WON, *LOST, *YES, *NO}:
        others = words.filter(~tied).unique(maintain_order=True).to_list()
        draft.draw = tied.to_numpy()
        draft.notes.append(
            f"{counted(int(tied.sum()), 'row is', 'rows are')} ties according to column "
            f'"{column}"; {quoted(others, limit=4)} was read as no tie.'
        )
        return
    bad = (~words.is_in([*WON, *LOST, *DREW])).arg_true().to_numpy()
    if bad.size:
        draft.problems.append(
            f'{sheet.where(draft.places[bad])}: "{words[int(bad[0])]}" in '
            f'column "{column}" is not W, L or T (won, lost or tied by the first individual).'
        )
    lost = words.is_in(LOST).to_numpy()
    draft.draw = words.is_in(DREW).to_numpy()
    if lost.any():
        draft.notes.append(
            f'According to column "{column}", the first individual lost in '
            f"{counted(int(lost.sum()), 'row')}; there the second one was taken as the winner."
        )
        draft.swap(lost)


def _home_of_events(sheet: Sheet, column: str, draft: Draft) -> np.ndarray:
    """The home side from a name, winner/loser/neutral, or a flag that is yes for the winner."""
    words = _words(sheet, column, draft)
    cells = sheet.column(column).gather(pl.Series(draft.places))
    spelled = text_of(cells).fill_null("").str.strip_chars().replace(draft.names.aliases)
    names = pl.Series(draft.names.names, dtype=pl.String)
    first, second = (
        names.gather(pl.Series(side)) == spelled for side in (draft.first, draft.second)
    )
    plain = ~(first | second)  # names take priority: team "1" does not mean yes
    first |= plain & words.is_in([*YES, "winner"])
    second |= plain & words.is_in([*NO, "loser"])
    neutral = plain & words.is_in(["", "neutral"])
    bad = (~(first | second | neutral)).arg_true().to_numpy()
    if bad.size:
        draft.problems.append(
            f'{sheet.where(draft.places[bad])}: "{words[int(bad[0])]}" in '
            f'column "{column}" is not a valid home side. Write its name, or winner, loser or '
            f"neutral, or use {option('home', '')} to ignore the column."
        )
    return first.to_numpy().astype(np.int8) - (second & ~first).to_numpy().astype(np.int8)


def mark_neutral(sheet: Sheet, column: str, draft: Draft) -> None:
    """Set the home side to neutral where the flag is yes."""
    neutral = flags_of(sheet, column, draft)
    if draft.home is not None:
        draft.home = np.where(neutral, 0, draft.home).astype(np.int8)


def _numbers(sheet: Sheet, column: str, draft: Draft, what: str, advice: str) -> np.ndarray:
    """A column of finite numbers of at least 0; invalid rows are reported."""
    values = sheet.column(column).gather(pl.Series(draft.places))
    numbers = values.cast(pl.Float64, strict=False)
    if values.dtype == pl.String:
        values = values.str.strip_chars()
        numbers, note = read_numbers(values, column, sheet.separator)
        draft.notes += [note] if note else []
    array = numbers.fill_null(np.nan).to_numpy()
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        cell = values[int(bad[0])]
        wrong = f'"{cell}" in column "{column}" is not a valid {what}'
        wrong += several_readings(str(cell))
        if cell is None or cell == "":
            wrong = f'no {what} in column "{column}"'
        where = sheet.where(draft.places[bad])
        draft.problems.append(f"{where}: {wrong}. {advice}")
        array = np.where(np.isfinite(array), array, 0.0)
    return array


def points_of(
    sheet: Sheet, draft: Draft, columns: Columns, roles: tuple[str, str], missing: str
) -> np.ndarray:
    """Points of both sides; games without points can be dropped."""
    if missing == "drop":
        gone = np.zeros(len(draft.first), bool)
        for role in roles:
            cells = sheet.texts(columns.of[role])
            gone |= (~cells.str.contains(r"\d")).to_numpy()[draft.places]
        if gone.any():
            draft.dropped["no points"] = int(gone.sum())
            draft.keep(~gone)
    advice = f"Enter the points, or use {option('missing', 'drop')} to drop rows without points."
    return np.stack(
        [_numbers(sheet, columns.of[role], draft, "number of points", advice) for role in roles],
        axis=1,
    )


def wins_in(sheet: Sheet, column: str, draft: Draft) -> np.ndarray:
    """A column of numbers of wins, of which blanks are 0."""
    values = sheet.column(column).gather(pl.Series(draft.places))
    blank = values.is_null()
    if values.dtype == pl.String:
        blank |= values.str.strip_chars().fill_null("") == ""
    known = Draft(draft.names, draft.first, draft.second, draft.places)
    known.keep(~blank.to_numpy())
    numbers = np.zeros(len(draft.first))
    numbers[~blank.to_numpy()] = _numbers(
        sheet, column, known, "number of wins", "Enter a whole number."
    )
    draft.problems += known.problems
    if not known.problems and (numbers % 1 != 0).any():
        draft.problems.append(f'Column "{column}" contains numbers of wins that are not whole.')
    return numbers


def tabulate(
    sheet: Sheet, used: list[str], draft: Draft, *, tied: int, second: int | None = None
) -> None:
    """Repeat rows by the numbers of contests in several columns.

    That of ties is number `tied`, and that of wins of the second side number `second`.
    """
    numbers = np.stack([wins_in(sheet, column, draft) for column in used], axis=1)
    if draft.problems:
        return
    if numbers.sum() > MOST_FROM_COUNTS:
        draft.problems.append(too_many(sheet, float(numbers.sum())))
        return
    each = np.repeat(np.arange(numbers.size), numbers.ravel().astype(np.int64))
    what = ", ".join(
        f'{int(total):,} in "{column}"'
        for column, total in zip(used, numbers.sum(axis=0), strict=True)
    )
    draft.notes.append(f"Numbers of contests: {what}; their sequence within a row is unknown.")
    if empty := int((numbers.sum(axis=1) == 0).sum()):
        draft.dropped["no contests"] = empty
    draft.ordered = bool((numbers.sum(axis=1) <= 1).all())
    draft.keep(each // len(used))
    draft.draw = each % len(used) == tied if tied < len(used) else None
    if second is not None:
        draft.swap(each % len(used) == second)


def expand(sheet: Sheet, column: str, draft: Draft, *, dated: bool) -> None:
    """Repeat rows that represent several contests, which are alike: dates are their order."""
    known = len(draft.problems)
    counts = _numbers(sheet, column, draft, "number of contests", "Enter a whole number.")
    if len(draft.problems) > known:
        return
    broken = np.flatnonzero(counts != np.floor(counts))
    if broken.size:
        draft.problems.append(
            f"{sheet.where(draft.places[broken])}: the count "
            f'{counts[broken[0]]:g} in column "{column}" is not a whole number. '
            f"If the column is not a number of contests, ignore it with {option('count', '')}."
        )
        return
    if counts.sum() > MOST_FROM_COUNTS:
        draft.problems.append(too_many(sheet, counts.sum()))
        return
    times = counts.astype(np.int64)
    if (times == 0).any():
        draft.dropped["count of 0"] = int((times == 0).sum())
    if (times > 1).any():
        draft.ordered = dated and draft.ordered
        draft.notes.append(
            f'Column "{column}" gives numbers of contests: {counted(len(times), "row")} with '
            f"{counted(int(times.sum()), 'contest')}"
            + ("." if dated else ", whose sequence within a row is unknown.")
        )
    draft.keep(np.repeat(np.arange(len(times)), times))


def too_many(sheet: Sheet, number: float) -> str:
    """Error message for counts that sum to too many contests."""
    shown = f"{number:,.0f}" if number < 1e12 else f"{number:.3g}"
    return (
        f"{sheet.name}: the counts sum to {shown} contests; the maximum is "
        f"{MOST_FROM_COUNTS:,}. Check that they are numbers of contests. "
        + either(
            "Methods that use a matrix of wins take larger counts as peckorder.Matrix(individuals, "
            "wins).",
            "If they are, divide all counts by a common factor.",
        )
    )
