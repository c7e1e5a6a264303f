"""Doubts about columns, dates and rows, and the tests by which columns are judged.

Whether a column explains the outcomes of contests is tested: separate rankings, or reversed sides.
Models are compared by the marginal likelihood of Bradley–Terry abilities that are normal with a
standard deviation of 0.5, 1, 2 or 4 (equal weights), integrated by Laplace's method (Kass & Raftery
1995, doi:10.1080/01621459.1995.10476572). An individual without contests adds nothing. A Bayes
factor for separate rankings is confirmed by permuting the column, which keeps false alarms below
`P` whatever the contests are like.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peckorder.data.cells import FALSE, TICKS, TRUE
from peckorder.data.date_columns import CLOCK, PARTS_OF_DAY, are_dates, sequence_number, whole_days
from peckorder.data.headings import ALIASES, OFTEN_WON, WORDS, fits, hint
from peckorder.data.outcome_columns import TIE_WORDS
from peckorder.data.recipe import Choice, Doubt
from peckorder.dates import month_number
from peckorder.text import counted

if TYPE_CHECKING:
    from peckorder.data.contests import Contests
    from peckorder.data.evidence import Evidence
    from peckorder.data.sheet import Sheet

BF, P, RUNS = 3.0, 0.02, 199  # Bayes factor at least, permutation p at most, permutations
SPREADS = (0.5, 1.0, 2.0, 4.0)
AT_ONCE = 25  # permutations that are fitted together
SURE = 0.95  # probability of a direction that needs no declaration
MOST, VALUES = 60, 9  # individuals and values of a column to which the model is fitted
MOST_WORDS, MOST_CHOICES = 20, 4  # values of a column of words, and those that are offered
RARE = 0.15  # share of rows at most that a yes or no may leave out under any heading
SAMPLE = 20_000  # rows by which columns are judged
OUTCOME = (
    r"draw|drawn|tied?|win|won|loss|lost|lose|undecided|unclear|no winner|half|[<>=wld]|[01]-[01]"
    r"|clear|decided|decisive|inconclusive|unresolved|stalemate"
)
UNDECIDED = r"undecided|unclear|no winner|inconclusive|unresolved|stalemate"
UNMARKED = {"", *FALSE}
TRUTHS = UNMARKED | {*TRUE, *TICKS, "ok", "*"}
FIVE_OR_SIX = re.compile(r"\d{5,6}")
A_TIE = re.compile("|".join([UNDECIDED, *(re.escape(w) for w in TIE_WORDS if len(w) > 2)]))
SIX_DIGITS = ("%d%m%y", "%y%m%d", "%m%d%y")
CLOCK_IN_CELL = re.compile(r"\d[T ,]+\d{1,2}:\d\d")


def rows_lost(text: str) -> bool:
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
    used = data.report.columns.get("count")
    if used and hint("count", column) and not given.get("count"):
        text = f'whole numbers under a word for numbers, as in "{used}", which is used'
        yield found.doubt(
            "count", column, text, leave(column, "another number"), use(column, "count")
        )
        return
    if not data.ordered or given.get("count") in ("", False):
        return
    other = leave(column, "not a number of contests")
    varied = x.max() > 1 and np.any(np.diff(x) <= 0)
    if pairs < len(cells):
        if varied and kinds < 0.8 * len(cells) and hint("counted", column):
            text = f"whole numbers up to {x.max():.0f} under a word for numbers of contests"
            yield found.doubt("count", column, text, use(column, "count"), other)
        return
    small = kinds < 0.8 * len(cells) and x.max() < 500
    table = pairs == len(cells) >= 8 and pairs > size and small and data.date is None
    if table or (hint("count", column) and varied):
        text = f"whole numbers, and none of the {pairs} pairs of a winner and a loser occurs twice"
        yield found.doubt("count", column, text, use(column, "count"), other)


def order_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column by which contests have another order than by date and row."""
    data = found.contests
    if not data.ordered or found.given.get("order") or found.given.get("order") == "":
        return
    unique = {cell: sequence_number(cell) for cell in dict.fromkeys(cells)}
    if data.date is None and found.given.get("date") != "" and are_dates([*unique]):
        text = f"all {len(cells):,} cells are dates, and no column of dates is used"
        yield found.doubt("date", column, text, use(column, "date"), leave(column, "no dates"))
        return
    six = data.date is None and len(unique) > 2 and all(map(FIVE_OR_SIX.fullmatch, unique))
    if six and (forms := ways_to_read(cells)):
        text = f"dates of six digits? {'; '.join(forms.values())}"
        dated = [{f"columns.{column}": "date", "date_format": form} for form in forms]
        ways = map(Choice, map("read as {}".format, forms), dated)
        yield found.doubt("date", column, text, *ways, leave(column, "no dates"))
        return
    if None in unique.values():
        return
    if len({cell.rstrip("0123456789") for cell in unique if cell[:1].isalpha()}) > 1 and all(
        cell[-1:].isdigit() and cell[:1].isalpha() for cell in unique
    ):
        return  # codes of several kinds, such as A1 and B1
    x, block = np.array([unique[cell] for cell in cells], float), found.blocks
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
        "all cells are months": all(map(month_number, unique)),
        "a permutation of consecutive numbers": running,
        "it counts the contests of each date": whole and _counts(x, block),
        "it agrees with the dates": whole and _agrees(x, block),
        f"{share:.0%} of steps between contests of equal date go up": share >= 0.75 and p <= 0.01,
        "the heading is a word for an order": whole
        and (hint("order", column) or fits(column, ALIASES["time"])),
    }
    if why := next((why for why, holds in reasons.items() if holds), ""):
        equal = "" if data.date is None else " between contests of equal date"
        text = f"{why}, but {len(back)} of {same.sum()} steps{equal} go back"
        kind = "date part" if years and whole and 1 <= x.min() <= x.max() <= 366 else "order"
        by = Choice(f'order by "{column}"', {"order": [column], f"columns.{column}": "order"})
        yield found.doubt(kind, column, text, by, leave(column, "no order"), places=back)


def _counts(x: np.ndarray, block: np.ndarray) -> bool:
    """Whether numbers go from 1 to the number of contests of each date, in any order."""
    order = np.lexsort((x, block))
    first = np.searchsorted(block[order], block[order])
    return block.max() > 0 and bool(np.all(x[order] == np.arange(len(x)) - first + 1))


def _agrees(x: np.ndarray, block: np.ndarray) -> bool:
    """Whether numbers that are all different never go back from one date to a later one."""
    ordered = block[np.argsort(x)]
    return block.max() > 3 and len(np.unique(x)) == len(x) and bool(np.all(np.diff(ordered) >= 0))


def filter_doubts(found: Evidence, column: str, cells: list[str]) -> Iterator[Doubt]:
    """A column of marks, remarks, outcomes or further names."""
    low = [cell.casefold() for cell in cells]
    kinds, names = {*low}, {*found.contests.individuals}
    marked = [i for i, cell in enumerate(low) if cell not in UNMARKED]
    others = [i for i, cell in enumerate(low) if cell in UNMARKED]
    unused = leave(column, "it does not decide which rows count")
    ways = [
        _without(column, "leave the marked rows out", [cells[i] for i in marked]),
        _without(column, "leave the other rows out", [cells[i] for i in others]),
    ]
    rare = min(len(marked), len(others))
    choices = (*(ways if rare == len(marked) else ways[::-1]), unused)
    full, text = {cell for cell in cells if cell}, ""
    mark = "" in kinds and len(kinds) == 2 and 2 < len(marked) <= len(others) and not full <= names
    if kinds <= TRUTHS and len(kinds) <= 3 and marked and others:
        if "" in kinds and len(kinds) == 2 and len(marked) <= len(others):
            text = f"{len(marked)} of {len(cells)} rows have a mark, the others are blank"
        elif hint("filter", column):
            text = f"{len(marked)} of {len(cells)} rows are marked under this heading"
        elif rare <= RARE * len(cells):
            text = f"{len(marked)} of {len(cells)} rows are marked"
        if re.search("revers|swap", column, re.IGNORECASE):
            choices = _reversing(column, cells, marked), *choices
    elif remarks := [i for i, cell in enumerate(cells) if hint("remark", cell)]:
        marked, text = remarks, f'"{cells[remarks[0]]}" and {len(remarks) - 1} similar remarks'
        choices = _without(column, "leave these rows out", [cells[i] for i in marked]), unused
        if re.search("revers|swap", cells[marked[0]], re.IGNORECASE):
            choices = _reversing(column, cells, marked), *choices
    elif hint("filter", column) and len(kinds) <= MOST_WORDS:
        text = f"{len(kinds)} values under this heading"
        values = [value for value, _ in Counter(cells).most_common()[::-1]]
        marked = [i for i, cell in enumerate(cells) if cell == values[0]]
        each = (_without(column, f'leave "{one}" out', [one]) for one in values[:MOST_CHOICES])
        choices = *each, unused
    elif all(re.fullmatch(OUTCOME, cell) for cell in low if cell) and not full <= names:
        if not _says_the_same(found, cells):
            text = "all cells are words for outcomes"
            choices = *_outcomes(column, full), leave(column, "no outcome")
    elif ties := [i for i in np.flatnonzero(found.decisive).tolist() if A_TIE.fullmatch(low[i])]:
        if not full <= names and len(kinds) <= MOST_WORDS and not _says_the_same(found, cells):
            marked, text = ties, f'"{cells[ties[0]]}" in {counted(len(ties), "row")} may be a tie'
            out = _without(column, "leave these rows out", [cells[i] for i in ties])
            choices = use(column, "tie"), out, leave(column, "no outcome")
    elif len(kinds) <= 5 and (bad := [i for i, cell in enumerate(low) if hint("bad", cell)]):
        marked, text = bad, f'"{cells[bad[0]]}" in {counted(len(bad), "row")}'
        choices = _without(column, "leave these rows out", [cells[i] for i in bad]), unused
    elif mark:
        text = f"{len(marked)} of {len(cells)} rows have a mark, the others are blank"
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
    values = ", ".join('"' + cell.replace('"', '""') + '"' for cell in dict.fromkeys(cells))
    name = column if re.fullmatch(r"[^\W\d]\w*", column) else f"`{column}`"
    return Choice(label, {"where": f"not {name} in ({values})"})


def _reversing(column: str, cells: list[str], marked: list[int]) -> Choice:
    """The choice that the other side won in the marked rows."""
    turned = {cells[i] for i in marked}
    edits = {
        f"behaviors.{one}": "receiver" if one in turned else "actor" for one in dict.fromkeys(cells)
    }
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
    actor = hint("acts", who) and data.report.kind == "events"
    acts = behavior and actor
    most = VALUES if behavior else min(VALUES, max(2, len(cells) // 5))
    if len(labels) == 1 and acts and yields.all():
        turned = _reversing(column, cells, list(range(len(cells))))
        always = Choice(f"{who} always wins", {**turned.edits, f"behaviors.{cells[0]}": "actor"})
        text = f'always "{cells[0]}", a word for losing, so that {whom} may be the winner'
        severity = "refuse" if column == data.report.columns.get("context") else "ask"
        yield found.doubt("direction", column, text, turned, always, severity=severity)
    if not 2 <= len(labels) <= most or size > MOST or found.decisive.sum() < 2:
        return
    sure, anchor = found.decisive, 0
    wins = np.array([OFTEN_WON.search(label) is not None for label in labels])
    prior = np.where(wins, 0.1, 0.2) if acts else np.full(len(labels), 0.02)
    prior = np.where(yields, 0.8 if acts else 0.2, prior)
    if acts and hint("reply", column):  # acts of the other individual
        prior = np.where(yields, 0.02, 0.5)
    counts = np.bincount(value, minlength=len(labels))
    anchor = int(np.lexsort((-counts, prior))[0])
    chance, fit = reversed_values(winner[sure], loser[sure], value[sure], prior, anchor)
    grouping = not actor or hint("group", column)
    if not behavior and grouping and chance.max() > 0.5:
        factor, _ = split_test(winner[sure], loser[sure], value[sure], evidence=found.one_ranking)
        if fit < found.one_ranking + np.log(max(factor, 1e-300)):
            return  # separate rankings explain more
    chance[anchor] = prior[anchor] if acts and yields[anchor] else 0
    doubtful = np.flatnonzero(chance > (1 - SURE if acts else 0.5))
    if len(doubtful):
        each = (f"{labels[i] or 'blank'} {chance[i]:.2f} (n = {counts[i]})" for i in doubtful)
        text = f"probability that {whom} wins: {', '.join(each)}"
        ways = "actor", "receiver"
        side = np.where(chance > 0.5, "receiver", "actor").tolist()
        edits = {f"behaviors.{one}": wins for one, wins in zip(labels.tolist(), side, strict=True)}
        always = {f"behaviors.{label}": "actor" for label in labels.tolist()}
        named = {f"columns.{column}": "behavior"}
        likely = Choice("the more probable side wins", {**named, **edits})
        every = Choice(f"{who} always wins", {**named, **always})
        opposite = {
            f"behaviors.{one}": ways[wins == "actor"]
            for one, wins in zip(labels.tolist(), side, strict=True)
        }
        converse = Choice("the other side wins each of them", {**named, **opposite})
        choices = [likely, every] if "receiver" in side else [every]
        choices += [converse] if len({*side}) == 2 and behavior else []
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


def six_digits(found: Evidence) -> Iterator[Doubt]:
    """Dates that are written as six digits, and were read as plain numbers."""
    data = found.contests
    column, date = data.report.columns.get("date", ""), data.date
    if date is None or found.given.get("date_format"):
        return
    some = date[found.sample]
    if not np.all((some == np.round(some)) & (some >= 10_000) & (some <= 999_999)):
        return
    order = np.argsort(data.row_numbers(found.sample), kind="stable")
    if text := ways_to_read([f"{int(x):06d}" for x in some[order]]):
        choices = [Choice(f"read as {form}", {"date_format": form}) for form in text]
        choices.append(Choice("plain numbers", {"date_format": "number"}))
        text = f"dates of six digits? {'; '.join(text.values())}"
        yield found.doubt("date", column, text, *choices, severity="refuse")


def ways_to_read(cells: list[str]) -> dict[str, str]:
    """The formats in which all cells of six digits are dates, the most probable first."""
    fits = []
    for form in SIX_DIGITS:
        days = pl.Series(cells).str.zfill(6).str.to_date(form, strict=False).to_physical()
        if not days.null_count():
            steps = int((days.diff().drop_nulls() < 0).sum())
            fits.append((steps, int(np.ptp(days.to_numpy())), form))
    return {form: f"{form}: {back} steps back, {n:,} days" for back, n, form in sorted(fits)}


def date_doubts(found: Evidence) -> Iterator[Doubt]:
    """Outlying years, and dates with and without a time."""
    data = found.contests
    column, date = data.report.columns.get("date", ""), data.date
    if date is None or date.dtype.kind not in "Mf" or len(date) < 4:
        return
    order = np.argsort(data.row_numbers(found.sample), kind="stable")
    moments = date[found.sample][order]
    if date.dtype.kind == "M":
        years = moments.astype("datetime64[Y]").astype(int) + 1970.0
    elif np.all((moments >= 1600) & (moments < 2300)) or 1800 < np.median(moments) < 3000:
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
    if column not in sheet.frame.collect_schema().names():
        return []
    cells = sheet.frame.select(column).head(SAMPLE).collect().to_series()
    if cells.dtype != pl.String:
        return []
    return cells.fill_null("").str.strip_chars().to_list()


# ---- Rows --------------------------------------------------------------------------------------


def rows_doubts(found: Evidence) -> Iterator[Doubt]:
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
    for role, labels in (("group", data.group), ("season", data.season)):
        if labels is None or "" not in labels.names or not data.ordered:
            continue
        blank = np.flatnonzero(labels.codes == labels.names.index(""))
        column, numbers = data.report.columns[role], data.row_numbers(np.arange(len(data)))
        if numbers.min() < numbers[blank].min():
            text = f"{counted(len(blank), 'contest')} without a {role}, below others with one"
            above = Choice(f"repeat the {role} above", {"rules.fill_down": [role]})
            own = accept(role, column, f"a {role} of their own")
            yield Doubt(role, column, text, (above, own), tuple(data.row_of(blank).tolist()))
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


# ---- Tests of columns ---------------------------------------------------------------------------


def wins_by_value(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """A matrix of wins for each value; `shape` is the number of values and of individuals."""
    values, size = shape
    cell = (value.astype(np.int64) * size + winner) * size + loser
    return (
        np.bincount(cell, minlength=values * size * size).reshape(values, size, size).astype(float)
    )


def log_evidence(wins: np.ndarray) -> np.ndarray:
    """Log marginal likelihood of a Bradley–Terry model for each matrix, at each spread."""
    total, eye = wins + wins.transpose(0, 2, 1), np.eye(wins.shape[1])
    won, logs = wins.sum(2), []
    theta, hessian = np.zeros(won.shape), np.zeros(wins.shape)
    for spread in SPREADS:
        for _ in range(25):  # Newton
            chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
            slope = won - (total * chance).sum(2) - theta / spread**2
            bend = total * chance * (1 - chance)
            hessian = (bend.sum(2) + 1 / spread**2)[:, :, None] * eye - bend
            step = np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
            theta = theta + np.clip(step, -2, 2)
            if np.abs(step).max() < 1e-4:
                break
        fit = -(wins * np.logaddexp(0, theta[:, None, :] - theta[:, :, None])).sum((1, 2))
        prior = -(theta**2).sum(1) / (2 * spread**2) - wins.shape[1] * np.log(spread)
        logs.append(fit + prior - np.linalg.slogdet(hessian)[1] / 2)
    return np.array(logs).T


def mixed(logs: np.ndarray) -> np.ndarray:
    """The log of the mean over spreads, which are the last axis."""
    top = logs.max(-1, keepdims=True)
    return (top + np.log(np.exp(logs - top).mean(-1, keepdims=True)))[..., 0]


def split_test(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, *, evidence: float | None = None
) -> tuple[float, float]:
    """Bayes factor of one ranking per value against one for all, and its permutation p.

    `evidence` is the log marginal likelihood of one ranking, if it is known.
    """
    size, number = int(max(winner.max(), loser.max())) + 1, int(value.max()) + 1

    def of_split(values: np.ndarray) -> np.ndarray:
        wins = np.stack([wins_by_value(winner, loser, v, (number, size)) for v in values])
        logs = log_evidence(wins.reshape(-1, size, size)).reshape(len(values), number, -1)
        return mixed(logs.sum(1))

    seen = float(of_split(value[None])[0])
    one = of_one(winner, loser) if evidence is None else evidence
    factor = float(np.exp(min(seen - one, 500)))
    if factor < BF:
        return factor, 1.0
    random, more, run = np.random.default_rng(1), 0, 0
    while run < RUNS and more < 5:
        runs = min(AT_ONCE, RUNS - run)
        run += runs
        permuted = np.stack([random.permutation(value) for _ in range(runs)])
        more += int((of_split(permuted) >= seen).sum())
    return factor, (more + 1) / (run + 1)


def of_one(winner: np.ndarray, loser: np.ndarray) -> float:
    """The log marginal likelihood of one ranking."""
    size = int(max(winner.max(), loser.max())) + 1
    return float(mixed(log_evidence(wins_by_value(winner, loser, 0 * winner, (1, size))))[0])


def reversed_values(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, prior: np.ndarray, anchor: int
) -> tuple[np.ndarray, float]:
    """Probability that each value is reversed if the anchor is not, and the log evidence of it."""
    number, size = len(prior), int(max(winner.max(), loser.max())) + 1
    wins = wins_by_value(winner, loser, value, (number, size))
    patterns = np.array(
        [p for p in itertools.product((0, 1), repeat=number) if not p[anchor]], bool
    )
    turned = np.where(patterns[:, :, None, None], wins.transpose(0, 2, 1), wins).sum(1)
    weights = np.where(patterns, np.log(prior), np.log1p(-prior)).sum(1)
    logs = mixed(log_evidence(turned)) + weights
    top = logs.max()
    chance = np.exp(logs - top) / np.exp(logs - top).sum()
    return chance @ patterns.astype(float), float(top)


def order_of_names(wins: np.ndarray) -> tuple[float, float, float]:
    """Wins above the diagonal, all wins, and the share of random orders with as few above it."""
    size, random = len(wins), np.random.default_rng(1)
    upper, total = np.triu(wins, 1).sum(), wins.sum() - np.trace(wins)
    orders = (random.permutation(size) for _ in range(RUNS))
    fewer = sum(np.triu(wins[np.ix_(order, order)], 1).sum() <= upper for order in orders)
    return float(upper), float(total), (fewer + 1) / (RUNS + 1)


def rising(x: np.ndarray, block: np.ndarray) -> tuple[float, float]:
    """Share of the steps within blocks that go up of those up or down, and its permutation p."""
    same, random = np.diff(block) == 0, np.random.default_rng(1)
    step = np.diff(x)[same]
    ups, downs, fewer = int((step > 0).sum()), int((step < 0).sum()), 0
    for _ in range(RUNS):
        y = x[np.lexsort((random.random(len(x)), block))]
        fewer += (np.diff(y)[same] < 0).sum() <= downs
    return ups / max(1, ups + downs), (fewer + 1) / (RUNS + 1)
