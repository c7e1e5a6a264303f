"""Checks of the data, passed or failed, with the rows and individuals concerned."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.data.date_columns import SECONDS, whole_days
from peckorder.data.import_report import ImportReport
from peckorder.data.recipe import Doubt, Recipe, listing
from peckorder.data.same_time import order_effect, order_unknown, shared_words
from peckorder.data.similar_names import are_codes, near_names, proposed
from peckorder.ranks import in_braces, linked_by
from peckorder.tables import native, records
from peckorder.text import counted, either, option, quoted, rows, shortened

DOUBTS = {"refuse": "✗", "ask": "?", "note": "i"}
LONGEST = 160  # signs of a flag that are shown
MARKS = {"passed": "✓", "note": "i", "warning": "!", "error": "✗"}
FEW_CONTESTS = 5
MANY_UNKNOWN = 0.5
RANDOM_ORDERS = 20
MOST_REORDERED = 20_000  # contests that are rated in random orders


@dataclass(frozen=True)
class Check:
    """The outcome of one check; `line` is what results and commands say about it."""

    name: str
    level: str
    message: str
    rows: list[int] = field(default_factory=list)
    individuals: list[str] = field(default_factory=list)
    line: str = ""


@dataclass(frozen=True, repr=False)
class CheckReport:
    """The import report and all checks; print it to read them."""

    report: ImportReport
    checks: tuple[Check, ...]
    proposed: pl.DataFrame = field(default_factory=pl.DataFrame)
    recipe: Recipe = field(default_factory=Recipe)
    doubts: tuple[Doubt, ...] = ()

    def __str__(self) -> str:
        report = replace(self.report, columns={}, unused=()) if self.recipe.columns else self.report
        lines = [str(report), *self.ledger, *self.questions, ""]
        lines += [f"{MARKS[check.level]} {check.message}" for check in self.checks]
        return "\n".join([*lines, "", self.verdict])

    @property
    def ledger(self) -> list[str]:
        """Every column with its role and why, and every rule."""
        width = min(30, max(map(len, self.recipe.columns), default=0))
        columns = [f"  {one:<{width}}  {role}" for one, role in self.recipe.columns.items()]
        rules = [f"  {name} = {_shown(value)}" for name, value in self.recipe.arguments().items()]
        own = {*self.recipe.columns.values(), "unused", "kind", "winners", "behavior"}
        rules = [rule for rule in rules if rule.split()[0] not in own]
        found = ["", "Columns", *columns] if columns else []
        return [*found, "", "Rules", *rules] if rules else found

    @property
    def questions(self) -> list[str]:
        """Every doubt with its evidence, and what settles it."""
        lines: list[str] = []
        for one in self.doubts:
            where = f" ({rows('row', one.rows)})".lower() if one.rows else ""
            lines += ["", f"{DOUBTS[one.severity]} {one.kind}: {one}{where}"]
            lines += [
                f"    {shortened(choice.words(), LONGEST)}  # {choice.label}"
                for choice in one.choices
            ]
        return lines

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What notebooks show: the report and all checks, warnings in another color."""
        first, *more = str(self.report).splitlines()
        listed = notebook.marked(
            (MARKS[one.level], one.message, one.level in ("warning", "error"))
            for one in self.checks
        )
        return notebook.page(first, sentences=more, tables=[listed], after=[self.verdict])

    @property
    def verdict(self) -> str:
        """The number of warnings, and that the data can be used."""
        warned = sum(check.level == "warning" for check in self.checks)
        refused = sum(one.severity == "refuse" for one in self.doubts)
        asked = sum(one.severity == "ask" for one in self.doubts)
        if refused:
            return f"{counted(refused, 'doubt')} must be decided before the data can be used."
        parts = [counted(asked, "undecided doubt")] if asked else []
        parts += [counted(warned, "warning")] if warned else []
        return f"{' and '.join(parts) or 'No warnings'}. The data can be used."

    def __getitem__(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)

    @property
    def warnings(self) -> tuple[Check, ...]:
        """The checks that ended in a warning."""
        return tuple(check for check in self.checks if check.level == "warning")

    @property
    def aliases(self) -> Any:
        """A sheet of doubtful spellings, to be edited and given back as `names=`.

        Columns: name (as spelled), individual (its correct name), contests, similar to, and
        difference. Spellings of equal appearance get the most frequent one; names that differ in
        one letter keep their own, until the sheet is edited.
        """
        return native(self.proposed, self.report.flavor)

    def to_dict(self) -> dict[str, Any]:
        """The import report, all checks and proposed aliases as plain Python values."""
        report = asdict(replace(self.report, left={})) | {"rows_kept": self.report.rows_kept}
        del report["left"]
        report["notes"] = list(self.report.notes)
        checks = [asdict(check) for check in self.checks]
        return {
            "report": report,
            "recipe": asdict(self.recipe),
            "doubts": [one.to_dict() for one in self.doubts],
            "checks": checks,
            "aliases": records(self.proposed),
        }


def _shown(value: object) -> str:
    """A rule as it is shown: lists without brackets."""
    if isinstance(value, dict):
        return ", ".join(f"{one} → {other}" for one, other in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def check(data: Any) -> CheckReport:
    """Check data that were read without errors; what remains are warnings and notes."""
    checks = [
        _sides(data),
        Check("self_contests", "passed", "No self-contests."),
        _similar_names(data),
        *_groups(data),
        _duplicates(data),
        _date_order(data),
        *_order_within(data),
        *_presence(data),
        _one_day(data),
        _connected(data),
        _contests_each(data),
        _unknown_dyads(data),
    ]
    aliases = proposed(data.individuals, _contests_of_each(data), data.aliases)
    return CheckReport(data.report, tuple(checks), aliases, data.recipe, data.doubts)


def cautions(data: Any) -> dict[str, str]:
    """What every result says about its data, one line for each check that found something."""
    found = [_doubts(data), _similar_names(data), *_groups(data)]
    connected = _connected(data)
    pooled = next((check for check in found if check.name == "groups"), None)
    # Groups without a contest between them are one finding, not two.
    if pooled is None or not connected.line or len(_sets(data)) != len(data.group.names):
        found.append(connected)
    if data.aliases:  # the user has decided about names
        found = [check for check in found if check.name != "similar_names"]
    return {check.name: check.line for check in found if check.line}


def _contests_of_each(data: Any) -> np.ndarray:
    size = len(data.individuals)
    return np.bincount(data.winner, minlength=size) + np.bincount(data.loser, minlength=size)


def pooled_groups(data: Any) -> str:
    """What to say if several groups are analyzed as one; otherwise an empty text."""
    group = getattr(data, "group", None)
    if group is None or len(group.names) < 2:
        return ""
    column = data.report.columns.get("group", "group")
    name = column if column.isidentifier() else f"`{column}`"
    chosen = f"--read 'where={name} = \"{group.names[0]}\"' selects one"
    decide = either(
        'data.split() separates them, peckorder.read(…, group="") accepts it',
        f"{option('by', column)} analyzes each, {chosen}, {option('group', '')} accepts it",
    )
    return (
        f"{column}: {len(group.names):,} groups are pooled in one ranking, with equal names taken "
        f"as the same individual; {decide}."
    )


def _groups(data: Any) -> list[Check]:
    if data.group is None:
        return []
    if line := pooled_groups(data):
        return [Check("groups", "warning", line, line=line)]
    return [Check("groups", "passed", "All contests are of one group.")]


def _doubts(data: Any) -> Check:
    """The doubts that were not decided, in one line."""
    asked = [one for one in data.doubts if one.severity == "ask"]
    if not asked:
        return Check("doubts", "passed", "")
    listed = ", ".join(f"{one.where} ({one.kind})" for one in asked[:4])
    more = f" and {len(asked) - 4:,} more" if len(asked) > 4 else ""
    were = "doubt was" if len(asked) == 1 else "doubts were"
    show = either("data.check() shows them", '"peckorder check" shows them')
    line = f"{len(asked):,} {were} not decided: {listed}{more}; {show}."
    return Check("doubts", "warning", line, line=line)


def _sides(data: Any) -> Check:
    ties = 0 if data.draw is None else int(data.draw.sum())
    if not ties:
        return Check("names", "passed", "Every contest has a winner and a loser.")
    decided = "all others have" if ties < len(data) else "none has"
    return Check(
        "names",
        "passed",
        f"Every contest has two sides: {counted(ties, 'tie')}; {decided} a winner and a loser.",
    )


def _similar_names(data: Any) -> Check:
    doubted = {one.where for one in data.doubts if one.kind == "name"}
    pairs = [
        pair
        for pair in near_names(data.individuals, data.aliases)
        if doubted.isdisjoint({f'"{pair.one}"', f'"{pair.other}"'})
    ]
    if not pairs:
        if doubted:
            were = counted(len(doubted), "doubt about a name", "doubts about names")
            return Check("similar_names", "note", f"Beside the {were}, no near-duplicate names.")
        return Check("similar_names", "passed", "No near-duplicate names.")
    listed = ", ".join(map(str, pairs[:10]))
    more = f" and {len(pairs) - 10:,} more" if len(pairs) > 10 else ""
    involved = list(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    number = counted(len(pairs), "pair of names differs", "pairs of names differ")
    warns = not are_codes(data.individuals) or any(pair.equal for pair in pairs)
    few = ", ".join(map(str, pairs[:3])) + (" …" if len(pairs) > 3 else "")
    sheet = either("data.check().aliases", '"peckorder check --write-aliases FILE"')
    line = f"{number} only in case, blanks, look-alike signs or one letter: {few}; {sheet} lists "
    return Check(
        "similar_names",
        "warning" if warns else "note",
        f"{number} only in case, blanks, look-alike signs or one letter: {listed}{more}. Check "
        f"whether they are the same individual. {sheet} proposes aliases, to be given back with "
        f"{option('names')}.",
        individuals=involved,
        line=f"{line}them for {option('names')}." if warns else "",
    )


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
        f"{'duplicates' if again.size == 1 else 'duplicate'} an earlier row in every column. If "
        f"entered twice by mistake, remove the {'duplicate' if again.size == 1 else 'duplicates'}.",
        rows=data.row_of(again).tolist(),
    )


def _date_order(data: Any) -> Check:
    if data.date is None:
        order = "are in the order of the rows" if data.ordered else "have no known order"
        return Check("date_order", "note", f"There are no dates: contests {order}.")
    if data.report.reordered:
        note = next(note for note in data.report.notes if "were sorted by" in note)
        return Check("date_order", "note", note)
    return Check("date_order", "passed", "Contests are in chronological order.")


def _order_within(data: Any) -> list[Check]:
    """Whether results depend on the order of contests with the same time stamp."""
    if data.date is None or not data.ordered:
        return []
    if columns := listing(data.evidence.given.get("order")):
        message = f"Contests with the same time stamp are in the order of {quoted(columns)}."
        return [Check("order_within", "passed", message)]
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
    if data.date.dtype.kind != "M" and data.date.min() >= SECONDS[0]:
        text = "The dates are plain numbers of the size of seconds since 1970"
        return Check("one_day", "note", f"{text}: days of observation are not checked.")
    days = whole_days(data.date)
    both = pl.DataFrame(
        {"who": np.concatenate([data.winner, data.loser]), "day": np.concatenate([days, days])}
    )
    seen = both.group_by("who").agg(pl.col("day").n_unique()).filter(pl.col("day") == 1)
    once = [data.individuals[code] for code in seen["who"].sort()]
    if not once:
        return Check("one_day", "passed", "Every individual was observed on more than one day.")
    return Check("one_day", "note", f"Observed on one day only: {quoted(once)}.", individuals=once)


def _sets(data: Any) -> list[np.ndarray]:
    return linked_by(data.winner, data.loser, len(data.individuals))


def unconnected(sets: list[np.ndarray], individuals: tuple[str, ...]) -> str:
    """What to say about sets without a contest between them, and members without any contest."""
    idle = [individuals[own[0]] for own in sets if len(own) == 1]
    sets = [own for own in sets if len(own) > 1]
    lines = []
    if len(sets) > 1:
        apart = either(
            ": data.filter(individuals=[…])", ", with --by, --read where=… or in its own file"
        )
        lines.append(
            f"There are {len(sets):,} sets of individuals without a contest between them: "
            f"{in_braces(sets, individuals)}. Their relative order is not identifiable from these "
            f"data. Analyze each set separately{apart}."
        )
    if idle:
        lines.append(
            f"Without a contest that counts: {quoted(idle)}. These data say nothing about "
            f"{'its rank' if len(idle) == 1 else 'their ranks'}; all others are connected."
            if len(sets) == 1
            else f"Without a contest that counts: {quoted(idle)}."
        )
    return " ".join(lines)


def _connected(data: Any) -> Check:
    sets = _sets(data)
    if len(sets) == 1:
        return Check("connected", "passed", "All individuals are connected by contests.")
    line = unconnected(sets, data.individuals)
    apart = sum(len(own) > 1 for own in sets) > 1
    return Check("connected", "warning" if apart else "note", line, line=line)


def _contests_each(data: Any) -> Check:
    each = _contests_of_each(data)
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
