"""Checks of the data, passed or failed, with the rows and individuals concerned."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.components import in_braces, linked
from peckorder.data.columns import plain_label
from peckorder.data.dates import whole_days
from peckorder.data.import_report import ImportReport
from peckorder.data.stamps import order_effect, order_unknown, shared_words
from peckorder.wording import counted, either, option, quoted, rows

MARKS = {"passed": "✓", "note": "i", "warning": "!", "error": "✗"}
PLACEHOLDERS = {"na", "nan", "n/a", "none", "null", "-", "?", "unknown", "unk", "missing"}
SUSPECT_LABELS = {"result", "outcome", "score", "month", "year"}
FEW_CONTESTS = 5
MANY_UNKNOWN = 0.5
RANDOM_ORDERS = 20
MOST_REORDERED = 20_000  # contests that are rated in random orders


@dataclass(frozen=True)
class Check:
    """The outcome of one check."""

    name: str
    level: str
    message: str
    rows: list[int] = field(default_factory=list)
    individuals: list[str] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class CheckReport:
    """The import report and all checks; print it to read them."""

    report: ImportReport
    checks: tuple[Check, ...]

    def __str__(self) -> str:
        lines = [str(self.report), ""]
        lines += [f"{MARKS[check.level]} {check.message}" for check in self.checks]
        number = sum(check.level == "warning" for check in self.checks)
        verdict = counted(number, "warning") if number else "No warnings"
        return "\n".join([*lines, "", f"{verdict}. The data can be used."])

    __repr__ = __str__

    def __getitem__(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)

    @property
    def warnings(self) -> tuple[Check, ...]:
        """The checks that ended in a warning."""
        return tuple(check for check in self.checks if check.level == "warning")

    def to_dict(self) -> dict[str, Any]:
        """The import report and all checks as plain Python values."""
        report = asdict(self.report) | {"rows_kept": self.report.rows_kept}
        report["notes"] = list(self.report.notes)
        return {"report": report, "checks": [asdict(check) for check in self.checks]}


def check(data: Any) -> CheckReport:
    """Check data that were read without errors; what remains are warnings and notes."""
    checks = [
        Check("names", "passed", "Every contest has a winner and a loser."),
        Check("self_contests", "passed", "No self-contests."),
        _placeholders(data),
        _similar_names(data),
        _unused(data),
        _duplicates(data),
        _date_order(data),
        *_order_within(data),
        *_presence(data),
        _one_day(data),
        _connected(data),
        _contests_each(data),
        _unknown_dyads(data),
    ]
    return CheckReport(data.report, tuple(checks))


def _placeholders(data: Any) -> Check:
    found = [name for name in data.individuals if name.casefold() in PLACEHOLDERS]
    if not found:
        return Check("placeholders", "passed", "No name looks like a code for a missing value.")
    return Check(
        "placeholders",
        "warning",
        f"Treated as names: {quoted(found)}. If they mark missing values, clear those cells.",
        individuals=found,
    )


def _unused(data: Any) -> Check:
    suspect = [c for c in data.report.unused if plain_label(c) in SUSPECT_LABELS]
    if not suspect:
        return Check("unused", "passed", "No unused column looks like data that should be used.")
    return Check(
        "unused",
        "warning",
        f"Unused columns that may be data: {quoted(suspect)}. If they contain outcomes, draws or "
        f"dates, specify their roles, for example with {option('draw')} or {option('date')}.",
    )


def _similar_names(data: Any) -> Check:
    folded: dict[str, list[str]] = {}
    for name in data.individuals:
        plain = unicodedata.normalize("NFKC", "".join(name.split())).casefold()
        folded.setdefault(plain, []).append(name)
    pairs = [(group[0], other) for group in folded.values() for other in group[1:]]
    pairs += _one_letter_apart(data.individuals)
    if not pairs:
        return Check("similar_names", "passed", "No near-duplicate names.")
    listed = ", ".join(f'"{one}"/"{other}"' for one, other in pairs[:10])
    more = f" and {len(pairs) - 10:,} more" if len(pairs) > 10 else ""
    involved = list(dict.fromkeys(name for pair in pairs for name in pair))
    # Short codes of equal length often differ by one letter only.
    coded = len({len(name) for name in data.individuals}) == 1 and len(involved[0]) <= 4
    return Check(
        "similar_names",
        "note" if coded else "warning",
        f"{counted(len(pairs), 'pair of names differs', 'pairs of names differ')} only in case, "
        f"blanks or one letter: {listed}{more}. Check whether they are the same individual.",
        individuals=involved,
    )


def _one_letter_apart(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Pairs of names that differ by the insertion, deletion or change of one letter."""
    buckets: dict[tuple[str, int], list[str]] = {}
    for name in names:
        if len(name) >= 3:
            for i, sign in enumerate(name):
                if sign.isalpha():
                    buckets.setdefault((name[:i] + name[i + 1 :], i), []).append(name)
    found: dict[tuple[str, str], None] = {}
    for group in buckets.values():
        for i, one in enumerate(group[:20]):
            for other in group[i + 1 : 20]:
                if one.casefold() != other.casefold():
                    found[one, other] = None
    whole = set(names)
    for name in names:
        for i, sign in enumerate(name):
            shorter = name[:i] + name[i + 1 :]
            if sign.isalpha() and len(shorter) >= 3 and shorter in whole:
                found[shorter, name] = None
    return list(found)


def _duplicates(data: Any) -> Check:
    if data.date is None:
        return Check(
            "duplicates", "note", "Without dates, identical rows are not treated as duplicates."
        )
    if not data.ordered:
        return Check(
            "duplicates", "note", "Rows with numbers of contests are not checked for duplicates."
        )
    if len(data) > 5_000_000:
        return Check("duplicates", "note", "Not checked for duplicated rows: too many contests.")
    first = data.frame().select(pl.struct(pl.all()).is_first_distinct()).to_series()
    again = np.flatnonzero(~first.to_numpy())
    if again.size == 0:
        return Check("duplicates", "passed", "No duplicated rows.")
    return Check(
        "duplicates",
        "warning",
        f"{rows(data.report.row_word, data.row_of(again))} "
        f"{'duplicates' if again.size == 1 else 'duplicate'} an earlier row in every column. "
        "If entered twice by mistake, remove the "
        f"{'duplicate' if again.size == 1 else 'duplicates'}.",
        rows=data.row_of(again).tolist(),
    )


def _date_order(data: Any) -> Check:
    if data.date is None:
        order = "are in the order of the rows" if data.ordered else "have no known order"
        return Check("date_order", "note", f"There are no dates: contests {order}.")
    if data.report.reordered:
        note = next(note for note in data.report.notes if "sorted by date" in note)
        return Check("date_order", "note", note)
    return Check("date_order", "passed", "Contests are in chronological order.")


def _order_within(data: Any) -> list[Check]:
    """Whether results depend on the order of contests with the same time stamp."""
    if data.date is None or not data.ordered:
        return []
    unknown = order_unknown(data)
    number = int(unknown.sum())
    if number == 0:
        message = "No individual has several contests with the same time stamp."
        return [Check("order_within", "passed", message)]
    message = f"{shared_words(number, len(data))}, so their order is that of the file."
    advice = (
        f"Name a column with the time of day ({option('time')}), or rate without this order: "
        f"{option('within', 'average')} or {option('within', 'batch')} in Elo ratings."
    )
    if len(data) > MOST_REORDERED:
        size = f"The effect is not computed for more than {MOST_REORDERED:,} contests."
        return [Check("order_within", "note", f"{message} {size} {advice}")]
    points, ranks = order_effect(data, RANDOM_ORDERS)
    effect = f"In {RANDOM_ORDERS} random orders within stamps, Elo ratings (k = 100)"
    if ranks == 0:
        effect += f" differ by up to {points:.0f} points and ranks do not differ."
        return [Check("order_within", "note", f"{message} {effect}")]
    effect += f" differ by up to {points:.0f} points and ranks by up to {ranks:g}."
    where = data.row_of(np.flatnonzero(unknown)).tolist()
    return [Check("order_within", "warning", f"{message} {effect} {advice}", rows=where)]


def _presence(data: Any) -> list[Check]:
    if data.presence is None:
        message = "No presence data: all individuals are assumed present from the first contest on."
        return [Check("presence", "note", message)]
    checks = [Check("presence", "passed", "Both individuals were present at every contest.")]
    return checks + [Check("presence_notes", "note", note) for note in data.presence.notes]


def _one_day(data: Any) -> Check:
    if data.date is None or not len(data):
        return Check("one_day", "passed", "Without dates, days of observation are not checked.")
    days = whole_days(data.date)
    size = len(data.individuals)
    both, when = np.concatenate([data.winner, data.loser]), np.concatenate([days, days])
    early, late = np.empty(size, days.dtype), np.empty(size, days.dtype)
    late[both[np.argsort(when, kind="stable")]] = np.sort(when, kind="stable")
    backwards = np.argsort(when, kind="stable")[::-1]
    early[both[backwards]] = when[backwards]
    once = [data.individuals[i] for i in np.flatnonzero(early == late)]
    if not once:
        return Check("one_day", "passed", "Every individual was observed on more than one day.")
    return Check("one_day", "note", f"Observed on one day only: {quoted(once)}.", individuals=once)


def _connected(data: Any) -> Check:
    from scipy.sparse import coo_array

    size = len(data.individuals)
    met = coo_array((np.ones(len(data), np.int8), (data.winner, data.loser)), shape=(size, size))
    sets = linked(met)
    if len(sets) == 1:
        return Check("connected", "passed", "All individuals are connected by contests.")
    return Check(
        "connected",
        "warning",
        f"There are {len(sets):,} sets of individuals without a contest between them: "
        f"{in_braces(sets, data.individuals)}. Ratings cannot be compared between sets. Analyze "
        f"each set separately"
        f"{either(': data.filter(individuals=[…])', ', with --by or in a file of its own')}.",
    )


def _contests_each(data: Any) -> Check:
    size = len(data.individuals)
    each = np.bincount(data.winner, minlength=size) + np.bincount(data.loser, minlength=size)
    few = [data.individuals[i] for i in np.flatnonzero(each < FEW_CONTESTS)]
    message = (
        f"Contests per individual: {each.min():,} to {each.max():,}, median {np.median(each):g}."
    )
    if few:
        message += f" Fewer than {FEW_CONTESTS}: {quoted(few)}."
    return Check("contests_each", "note", message, individuals=few)


def _unknown_dyads(data: Any) -> Check:
    size = len(data.individuals)
    low, high = np.minimum(data.winner, data.loser), np.maximum(data.winner, data.loser)
    known = np.unique(low.astype(np.int64) * size + high).size
    dyads = size * (size - 1) // 2
    if dyads == 0:
        return Check("unknown_dyads", "note", "There are no dyads: fewer than two individuals.")
    share = 1 - known / dyads
    message = f"{dyads - known:,} of {counted(dyads, 'dyad')} ({share:.0%}) had no contest."
    if share > MANY_UNKNOWN:
        return Check(
            "unknown_dyads", "warning", message + " Rank orders rely on indirect evidence."
        )
    return Check("unknown_dyads", "passed" if share == 0 else "note", message)
