"""The fewest contests that decide a claim.

The fewest contests (or individuals, dates, observers, voters) without which a claim is false, and
the fewest that would have to be reversed, such as by a typing error; what as many random removals
do, and the probability of the claim.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder import methods
from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_words
from peckorder.data.read import Data, opened
from peckorder.errors import ArgumentError, DataError
from peckorder.questions import claims
from peckorder.questions.claims import Claim
from peckorder.questions.removals import (
    Margins,
    Path,
    Removed,
    Strengths,
    fitted,
    left,
    proved,
    removals,
)
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.likelihood import contests_of
from peckorder.results import Measure
from peckorder.text import counted, listed, option, quoted
from peckorder.validate import positive, text

MOST_STEPS = 100
GRID = np.arange(0.05, 1.0, 0.05)
HALF = 0.5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fragility(Measure):
    """What a claim hangs on."""

    value: int | None  # fewest units whose removal makes the claim false; None if no set was found
    contests: int | None  # number of contests in them
    proved: bool  # whether no smaller set does
    at_least: int  # smallest number that is not excluded
    reversals: int | None  # fewest contests to be reversed instead
    # share of random removals of as many contests that make the claim false
    random_same: float | None
    # proportion of contests removed at random until half of the removals do
    random_half: float | None
    probability: float | None  # posterior probability of the claim, with and without them
    probability_after: float | None
    margin: float  # margin of the claim


UNITS = ("contest", "individual", "date")


def _units(data: Contests, unit: str, claim: Claim) -> tuple[list[np.ndarray], list[str]]:
    """Sets of contests that are removed together, and their names."""
    text("unit", unit)
    if unit == "contest":
        return [np.array([n]) for n in range(len(data))], [""] * len(data)
    if unit == "individual":
        codes = [c for c in range(len(data.individuals)) if c not in (*claim.above, *claim.below)]
        sets = [np.flatnonzero((data.winner == c) | (data.loser == c)) for c in codes]
        return sets, [data.individuals[c] for c in codes]
    if unit == "date" and data.date is not None:
        cells = pl.Series(data.date)
        names = [date_words(value) for value in np.unique(data.date)]
    else:
        known = [] if data.extra is None else data.extra.columns
        labels = {n: getattr(data, n) for n in ("context", "group", "season")}
        if unit in labels and labels[unit] is not None:
            cells = pl.Series(np.array(labels[unit].names)[labels[unit].codes])
        elif data.extra is not None and unit in known:
            cells = data.extra[unit]
        else:
            found = [n for n, one in labels.items() if one is not None]
            choices = [*UNITS[: 2 + (data.date is not None)], *found, *known]
            raise ArgumentError(
                f'{option("unit")}: there is no "{unit}" in these data. Choose one of: '
                f"{', '.join(choices)}."
            )
        names = [str(value) for value in cells.unique().drop_nulls().sort()]
    order = cells.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    sets = [np.flatnonzero(order == n + 1) for n in range(len(names))]
    if len(sets) < 2:
        raise DataError(f'{option("unit", unit)}: there are fewer than two values of "{unit}".')
    return sets, names


def fragility(
    data: Data,
    claim: str,
    *,
    method: Literal[
        "bradley_terry",
        "elo",
        "dynamic",
        "davids_score",
        "isi",
        "randomized_elo",
        "elo_ml",
        "adaptive",
        "percolation",
        "adagio",
        "glicko",
    ] = "bradley_terry",
    unit: str = "contest",
    runs: int = 400,
    seed: Any = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Fragility:
    """The fewest contests without which a claim about the hierarchy is false.

    Parameters
    ----------
    data : Contests or Matrix
    claim : "b first", "b > c", "top 3: a b c", "steepness > 0.5", "steep" or "linear"
        The last two: p ≤ 0.05 in `steepness` or `linearity`. Names with blanks in "top" are
        separated by commas.
    method : how ranks are determined.
        "bradley_terry" has a normal prior with the standard deviation `prior_sd`, 2 by default.
    unit : "contest", "individual", "date", or a column such as that of observers or voters
        What is removed as a whole.
    runs : int
        Random removals; half as many for Elo, David's score and structure, a twentieth for methods
        that take longer.
    seed : int, SeedSequence or Generator, optional
    progress : callable, optional
        Called with (done, all) now and then.
    settings : further arguments of the method, such as k

    Returns
    -------
    Fragility
        Values: `value`, the fewest units, with the number of `contests` in them; `proved`, whether
        no smaller set makes the claim false, else `at_least`; `reversals`; `random_same`, the share
        of random removals of as many contests that make it false; `random_half`, the proportion of
        contests removed at random until half of the removals do; `probability` of the claim in the
        posterior of `dynamic` (for steepness, `steepness_bayes`), and `probability_after` without
        these contests. Table: step, row, winner, loser, unit, contests, margin after the step.
        Tables: `reversed`, contests to be reversed; `random`, margins after random removals.

    Notes
    -----
    Of contests of the same pair with the same outcome, methods without order cannot tell which was
    removed: the last one is named. Greedy removals give an upper bound, which was the minimum in
    all of 66 simulated groups of 8–10 individuals. The number says how much a claim depends on
    single rows; it is not a p-value, and adds little to the probability of the claim where the data
    behave well.

    References
    ----------
    Broderick, Giordano & Meager 2020, arXiv:2011.14999. Huang et al. 2025, arXiv:2508.11847.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.fragility(po.datasets.adv(), "b first", seed=1)
    >>> found.value, found.proved, found.table.row(0, named=True)["row"]
    (1, True, 33)
    >>> print(found.summary[0])
    b ranks first (Bradley–Terry); without 1 of 33 contests (row 33, b beat c) c would rank first.
    """
    data = opened(data)
    contests = contests_of(data, "questions.fragility")
    parsed = claims.parse(claim, contests)
    claims.checked_method(method, parsed, contests)
    claims.refuse_unconnected(parsed, contests)
    random = Runs.of(runs, seed, 1, None, least=20)
    known = parsed.ranks and method == "bradley_terry" and set(settings) <= {"prior_sd"}
    if known:
        positive("prior_sd", settings.get("prior_sd", 2))
    kind = Strengths if known else Margins
    margins = kind(contests, parsed, method, settings, random.seed % 2**31)
    tell = _Told(progress)
    none = Removed.none(len(contests))
    start = margins.of(none)
    if not start > 0:
        raise claims.does_not_hold(parsed, margins.found(none), contests.individuals, method)
    units, names = _units(contests, unit, parsed)
    most = min(len(units), max(len(contests) // 2, 1) if known else MOST_STEPS)
    tell(1)
    path = removals(margins, units, reverse=False, start=start, most=most)
    tell(3)
    path, proof, at_least = proved(margins, path, units)
    tell(5)
    turned = Path([], [])
    if unit == "contest":
        decided = [one for one in units if not margins.tied[one[0]]]
        turned = removals(margins, decided, reverse=True, start=start, most=most)
    tell(6)
    number = len(path.places) if path.false else None
    runs = random.number if known else max(random.number // (2 if margins.every else 20), 10)
    same, half, band = _by_chance(margins, number, random, runs, tell)
    probability = claims.probability(parsed, contests, contests.individuals, random.seed)
    after = None
    if path.false and probability is not None:
        rest = left(contests, none.also(path.places, reverse=False))
        after = claims.probability(parsed, rest, contests.individuals, random.seed)
    tell(10)
    tables = {"reversed": _table(margins, turned, names, units)} if unit == "contest" else {}
    made = Fragility(
        method="fragility",
        data=contests,
        frame=_table(margins, path, names, units),
        settings={"claim": parsed.text, "method": method, "unit": unit, "runs": runs, **settings},
        citations=("broderick2020", "huang2025"),
        seed=random.seed,
        tables=tables | {"random": band},
        value=len(path.sets) if path.false else None,
        contests=number,
        proved=proof,
        at_least=at_least,
        reversals=len(turned.sets) if turned.false else None,
        random_same=same,
        random_half=half,
        probability=probability,
        probability_after=after,
        margin=start,
    )
    return replace(made, summary=_in_words(made, margins, path))


class _Told:
    """Progress in tenths of the whole."""

    def __init__(self, progress: Progress | None):
        self.progress = progress

    def __call__(self, tenths: int) -> None:
        if self.progress is not None:
            self.progress(tenths, 10)


def _by_chance(
    margins: Margins, number: int | None, random: Runs, runs: int, tell: Callable[[int], None]
) -> tuple[float | None, float | None, pl.DataFrame]:
    """What random removals do: of the same number, until half reverse the claim, and by number."""
    contests, few = len(margins.data), max(runs // (4 if isinstance(margins, Strengths) else 8), 10)
    slow = not (margins.every or isinstance(margins, Strengths))
    same = None
    if number is not None:
        same = float((margins.at_random(number, random, runs) <= 0).mean())
    tell(7)
    low, high = 0, len(GRID)  # the first share on the grid at which half are false
    while low < high:
        middle = (low + high) // 2
        size = min(max(round(GRID[middle] * contests), 1), contests - 1)
        false = (margins.at_random(size, random, few) <= 0).mean()
        low, high = (low, middle) if false >= HALF else (middle + 1, high)
    half = round(float(GRID[low]), 2) if low < len(GRID) else None
    tell(8)
    sizes = np.unique(np.linspace(1, max(2 * (number or contests // 4), 4), 8).astype(int))
    rows = []
    for size in () if slow else sizes[sizes < contests]:
        drawn = margins.at_random(int(size), random, few)
        drawn = drawn[np.isfinite(drawn)]
        if drawn.size:
            rows.append((int(size), *np.quantile(drawn, [0.05, 0.5, 0.95]).tolist()))
    kinds = {"contests": pl.Int64, **dict.fromkeys(("low", "median", "high"), pl.Float64)}
    return same, half, pl.DataFrame(rows, schema=kinds, orient="row")


def _table(margins: Margins, path: Path, names: list[str], units: list[np.ndarray]) -> pl.DataFrame:
    """The removals in order, with the margin after each."""
    data = margins.data
    label = {int(unit[0]): name for unit, name in zip(units, names, strict=True)}
    single = all(len(one) == 1 for one in path.sets)
    rows = [
        {
            "step": n + 1,
            "row": _row(data, one[0]) if single and len(one) == 1 else None,
            "winner": data.individuals[data.winner[one[0]]] if single else None,
            "loser": data.individuals[data.loser[one[0]]] if single else None,
            "unit": label.get(int(one[0])) or None,
            "contests": len(one),
            "margin": margin,
        }
        for n, (one, margin) in enumerate(zip(path.sets, path.margins, strict=True))
    ]
    kinds = {
        "step": pl.Int64,
        "row": pl.String if data.report.files is not None else pl.Int64,
        "winner": pl.String,
        "loser": pl.String,
        "unit": pl.String,
        "contests": pl.Int64,
        "margin": pl.Float64,
    }
    return pl.DataFrame(rows, schema=kinds)


def _row(data: Contests, place: int) -> Any:
    """The row of a contest in its source; None if the source is a matrix."""
    if not data.ordered and data.rows is None:
        return None
    found = data.row_of(np.array([place]))[0]
    return str(found) if data.report.files is not None else int(found)


EQUAL = 1e-9  # scores that differ by less differ by rounding
MOST_ROWS = 3  # that a sentence names


def _in_words(found: Fragility, margins: Margins, path: Path) -> tuple[str, ...]:
    claim, unit, data = margins.claim, found.settings["unit"], margins.data
    by = f" ({methods.label(margins.method)})" if claim.ranks else ""
    noun = unit if unit in UNITS else f'value of "{unit}"'
    nouns = f"{noun}s" if unit in UNITS else f'values of "{unit}"'
    stated = f"{claims.stated(claim, data.individuals)}{by}"
    if found.value is None:
        out = [
            f"{stated}; no set of {nouns} was found without which it would not "
            f"be so ({counted(len(path.sets), 'step')} tried)."
        ]
    else:
        of = len(data) if unit == "contest" else len(_units(data, unit, claim)[0])
        who = _named(found, data, unit)
        then = f"{_instead(margins, path)}" if claim.ranks else "this would not be so"
        out = [f"{stated}; without {found.value} of {counted(of, noun, nouns)} ({who}) {then}."]
        if not found.proved:
            out.append(
                f"The number is an upper bound; it is at least {found.at_least} "
                f"(smaller sets were all tried)."
                if found.at_least > 1
                else "The number is an upper bound: not all smaller sets were tried."
            )
    more = []
    if found.reversals is not None:
        turned = found.tables["reversed"].height
        more.append(f"{counted(turned, 'reversed contest')} would do the same.")
    if found.random_same is not None and found.contests:
        number = counted(found.contests, "random contest")
        share = found.random_same
        said = f"in {share:.{0 if share >= 0.01 else 1}%}" if share else "in none of the runs"
        more.append(f"Removing {number} makes it false {said}.")
    if found.probability is not None:
        later = ""
        if found.probability_after is not None:
            later = f", {found.probability_after:.2f} without these contests"
        more.append(f"Posterior probability of the claim: {found.probability:.2f}{later}.")
    return (*out, *more)


def _named(found: Fragility, data: Contests, unit: str) -> str:
    """The units removed, in words."""
    table = found.as_polars()
    if unit != "contest":
        names = table["unit"].to_list()
        more = f" and {len(names) - MOST_ROWS} more" if len(names) > MOST_ROWS else ""
        return f"{quoted(names[:MOST_ROWS])}{more}; {counted(found.contests or 0, 'contest')}"
    parts = []
    word = data.report.row_word
    for row in table.head(MOST_ROWS).iter_rows(named=True):
        place = "" if row["row"] is None else f"{word} {row['row']}, "
        parts.append(f"{place}{row['winner']} beat {row['loser']}")
    more = f"; and {table.height - MOST_ROWS} more" if table.height > MOST_ROWS else ""
    return "; ".join(parts) + more


def _instead(margins: Margins, path: Path) -> str:
    """What is true after the removals."""
    removed = Removed.none(len(margins.data)).also(path.places, reverse=False)
    names, claim = margins.data.individuals, margins.claim
    if isinstance(margins, Strengths):
        score = fitted(margins.wins(removed), margins.sd)
    else:
        score = claims.scores(margins.found(removed), names)
    order = [int(i) for i in np.argsort(-score, kind="stable") if np.isfinite(score[i])]
    if claim.below:
        one, other = names[claim.below[0]], names[claim.above[0]]
        equal = np.isclose(score[claim.below[0]], score[claim.above[0]], rtol=0, atol=EQUAL)
        return "they would be equal" if equal else f"{one} would rank above {other}"
    number = len(claim.above)
    if number > 1:
        return f"the top {number} would be {listed([names[i] for i in order[:number]])}"
    best = order[0] if order[0] != claim.above[0] else order[1]
    equal = np.isclose(score[best], score[claim.above[0]], rtol=0, atol=EQUAL)
    return f"{names[best]} would rank {'as high' if equal else 'first'}"
