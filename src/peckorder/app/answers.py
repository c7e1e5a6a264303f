"""What each question of the screen Answer asks: functions of the library, and the same in code.

An answer has a few words for the list of questions (`head`), the sentences of the result, its
table and values, and what its figure shows. Nothing is computed here but places of names and the
share of draws in which an individual has a rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import peckorder as po
from peckorder.app.checks import in_words
from peckorder.app.code import lines_of
from peckorder.app.explore import quiet, within
from peckorder.app.reading import Reading
from peckorder.app.settings import Settings
from peckorder.errors import DataError
from peckorder.reporting.lines import Lines
from peckorder.reporting.page import packed_columns
from peckorder.tables import as_polars, plain

MOST_DRAWS = 400
MOST_RANKED = 60  # individuals in a table of rank probabilities
MOST_PAIRS = 10
RESOLVED = 0.95
LARGEST_SEED = 2**32 - 1
TARGETS = ("dyads", "steepness", "linearity")
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Question:
    """What is asked of which contests.

    Attributes
    ----------
    data : all contests of the reading, for a comparison of groups
    contests : those of the chosen group
    settings : settings of the workspace
    chosen : settings of this question
    target : file to write, for the report
    """

    data: Any
    contests: Any
    settings: Settings
    chosen: Mapping[str, Any]
    target: Path | None = None

    @property
    def seed(self) -> int:
        """Seed of the random numbers."""
        return int(self.chosen["seed"])

    @property
    def seen(self) -> Any:
        """The contests of the window."""
        return within(self.contests, self.settings)


@dataclass(frozen=True)
class Ask:
    """A question: the function that answers it, and the settings on which the answer depends."""

    title: str
    method: str
    answer: Callable[[Question, Progress], dict[str, Any]]
    depends: tuple[str, ...] = ("group",)


def chosen_settings(ask: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a question, checked, with their defaults."""
    found: dict[str, Any] = {"seed": _number(given, "seed", 1, 0, LARGEST_SEED, whole=True)}
    if ask in ("enough", "hours"):
        usual = 200 if ask == "enough" else 100
        found["runs"] = _number(given, "runs", usual, 10, 10_000, whole=True)
    if ask == "hours":
        found["rate"] = _number(given, "rate", 1.0, 1e-6, 1e6)
        found["goal"] = _number(given, "goal", 0.95, 0.5, 0.999)
        found["target"] = given.get("target", "dyads")
        if found["target"] not in TARGETS:
            raise DataError(f"target: choose one of {', '.join(TARGETS)}.")
    if ask == "pair":
        found |= {side: str(given.get(side, ""))[:2_000] for side in ("a", "b")}
    if ask in ("steepness", "linear"):
        found["runs"] = _number(given, "runs", 10_000, 100, 1_000_000, whole=True)
    if ask == "report":
        found |= {name: given.get(name) is True for name in ("bayes", "recovery")}
        found["title"] = str(given.get("title") or "")[:200]
    if ask == "bayes":
        found["samples"] = _number(given, "samples", 1_500, 100, 20_000, whole=True)
    return found


def _number(
    given: Mapping[str, Any],
    name: str,
    usual: float,
    low: float,
    high: float,
    *,
    whole: bool = False,
) -> Any:
    value = given.get(name, usual)
    wrong = isinstance(value, bool) or not isinstance(value, int | float)
    if wrong or not math.isfinite(value) or not low <= value <= high:
        raise DataError(f"{name}: give a number from {low:g} to {high:g}.")
    return int(value) if whole else float(value)


# -- answers ------------------------------------------------------------------------------------


def _described(found: Any, head: str, **extra: Any) -> dict[str, Any]:
    """The parts that all answers have."""
    return {
        "head": head,
        "sentences": [in_words(text) for text in found.summary],
        "table": _packed(found.as_polars()),
        "values": plain(dict(found.values)),
        "seed": found.seed,
        "extra": extra,
    }


def _packed(table: Any) -> dict[str, Any]:
    return {"columns": packed_columns(table), "length": table.height}


def _ranks(ratings: Any) -> dict[str, Any]:
    """Rank intervals, ranks in the draws, and who is not distinguishable from whom."""
    names = ratings.as_polars()["individual"].to_list()
    extra: dict[str, Any] = {
        "ranks": _packed(as_polars(po.plot.ranks.data(ratings))),
        "indistinct": [[names.index(one) for one in group] for group in ratings.indistinct()],
        "names": names,
    }
    if len(names) <= MOST_RANKED:
        codes = [ratings.code(name) for name in names]
        order = np.argsort(np.argsort(-ratings.final[:, codes], axis=1), axis=1)
        chance = [np.bincount(column, minlength=len(names)) / len(order) for column in order.T]
        extra["chance"] = [[round(float(p), 4) for p in row] for row in chance]
        extra["outranks"] = [
            [None if p is None or math.isnan(p) else p for p in row[1:]]
            for row in as_polars(ratings.outranks()).rows()
        ]
    return extra


def _resolved(extra: dict[str, Any]) -> str:
    known = [p for p in extra["ranks"]["columns"]["p_above_next"] if p is not None]
    return f"{sum(p >= RESOLVED for p in known)} of {len(known)} adjacent ranks resolved"


def certain(question: Question, progress: Progress) -> dict[str, Any]:
    """How certain are the ranks? Dynamic ratings."""
    ratings = quiet(po.dynamic, question.contests, seed=question.seed)
    extra = _ranks(ratings)
    return _described(ratings, _resolved(extra), **extra)


def bayes(question: Question, progress: Progress) -> dict[str, Any]:
    """The published Bayesian Elo."""
    ratings = quiet(
        po.elo_bayes,
        question.contests,
        samples=question.chosen["samples"],
        seed=question.seed,
        progress=progress,
    )
    extra = _ranks(ratings)
    return _described(ratings, _resolved(extra), **extra)


def steepness(question: Question, progress: Progress) -> dict[str, Any]:
    """How steep is the hierarchy? The published index with its test, and its posterior."""
    classic = quiet(
        po.steepness,
        question.seen,
        runs=question.chosen["runs"],
        seed=question.seed,
        progress=progress,
    )
    posterior = quiet(po.steepness_bayes, question.seen, seed=question.seed)
    value = posterior.values["value"]
    head = f"{float(value):.2f} (95% CrI {value.low95:.2f}–{value.high95:.2f})"
    answer = _described(
        posterior,
        head,
        draws=_thinned(posterior.draws["steepness"]),
        published=plain(dict(classic.values)),
        scores=_packed(classic.as_polars()),
    )
    answer["sentences"] += [in_words(text) for text in classic.summary]
    return answer


def _thinned(draws: np.ndarray) -> list[float]:
    flat = np.sort(np.ravel(draws))
    kept = flat[np.linspace(0, len(flat) - 1, min(MOST_DRAWS, len(flat))).astype(int)]
    return [round(float(value), 4) for value in kept]


def linear(question: Question, progress: Progress) -> dict[str, Any]:
    """Is it linear? Landau's h′, transitivity, and the I&SI order."""
    runs = {"runs": question.chosen["runs"], "seed": question.seed}
    found = quiet(po.linearity, question.seen, progress=progress, **runs)
    triads = quiet(po.transitivity, question.seen, **runs)
    order = quiet(po.isi, question.seen, seed=question.seed)
    p = found.values["p_right"]
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    answer = _described(
        found,
        f"h′ {found.values['h_improved']:.2f}, {chance}",
        isi=_packed(order.as_polars()),
        order=plain(dict(order.values)),
        transitivity=plain(dict(triads.values)),
    )
    more = (*triads.summary, *order.summary)
    answer["sentences"] += [in_words(text) for text in more]
    return answer


def isi(question: Question, progress: Progress) -> dict[str, Any]:
    """The order with the fewest and weakest inconsistencies."""
    found = quiet(po.isi, question.seen, seed=question.seed)
    number = found.values["inconsistencies"]
    head = f"{number} {'inconsistency' if number == 1 else 'inconsistencies'}"
    return _described(found, head)


def enough(question: Question, progress: Progress) -> dict[str, Any]:
    """Is this enough data? Records like this one are simulated and ranked again."""
    found = quiet(
        po.recovery,
        question.contests,
        runs=question.chosen["runs"],
        seed=question.seed,
        progress=progress,
    )
    share = found.values["dyads_correct"]
    tables = {name: _packed(as_polars(table)) for name, table in found.tables.items()}
    return _described(found, f"{share:.0%} of dyads in the correct order", **tables)


def hours(question: Question, progress: Progress) -> dict[str, Any]:
    """How many more hours? Studies of several sizes are simulated from these data."""
    chosen = question.chosen
    found = quiet(
        po.power,
        question.contests,
        target=chosen["target"],
        goal=chosen["goal"],
        rate=chosen["rate"],
        runs=chosen["runs"],
        seed=question.seed,
        progress=progress,
    )
    needed = found.values.get("hours")
    head = "Not reached" if needed is None else f"{float(needed):,.0f} hours in total"
    return _described(found, head, sofar=len(question.contests) / chosen["rate"])


def pair(question: Question, progress: Progress) -> dict[str, Any]:
    """Who would win? The probability from dynamic ratings."""
    names = question.contests.individuals
    one, other = question.chosen["a"], question.chosen["b"]
    if one not in names or other not in names or one == other:
        raise DataError("Choose two individuals of this group.")
    ratings = quiet(po.dynamic, question.contests, seed=question.seed)
    found = quiet(po.predict, ratings, fixtures=[(one, other)])
    row = found.as_polars().row(0, named=True)
    head = f"{one} wins with probability {row['p_a']:.2f}"
    answer = _described(found, head, **{name: plain(value) for name, value in row.items()})
    draw = f"; tie {row['p_draw']:.2f}" if row["p_draw"] > 0.005 else ""
    answer["sentences"].insert(
        0,
        f"{one} wins against {other} with probability {row['p_a']:.2f} (95% CrI "
        f"{row['p_a_low']:.2f}–{row['p_a_high']:.2f}{draw}).",
    )
    return answer


def groups(question: Question, progress: Progress) -> dict[str, Any]:
    """Do the groups differ? Posterior steepness of each group, and differences."""
    if question.data.group is None or len(question.data.group.names) < 2:
        raise DataError("There is only one group. Give a column the role group.")
    found, why = {}, []
    parts = question.data.split("group")
    for done, (name, part) in enumerate(parts.items()):
        try:
            found[name] = quiet(po.steepness_bayes, part, seed=question.seed)
        except DataError as error:
            why.append(f"{name} was omitted: {error}")
        progress(done + 1, len(parts))
    if len(found) < 2:
        raise DataError("Fewer than two groups can be analyzed.", *why)
    sentences, rows = [], []
    for (one, first), (other, second) in list(combinations(found.items(), 2))[:MOST_PAIRS]:
        difference = quiet(po.steepness_difference, first, second)
        value, chance = difference.values["value"], difference.values["p_steeper"]
        rows.append({"one": one, "other": other, "p_steeper": float(chance), **plain({"d": value})})
        sentences.append(
            f"Steepness of {one} minus that of {other}: {float(value):.2f} (95% CrI "
            f"{value.low95:.2f} to {value.high95:.2f}); {one} is steeper with posterior "
            f"probability {float(chance):.2f}."
        )
    first = rows[0]
    chance = first["p_steeper"]
    steeper = first["one"] if chance >= 0.5 else first["other"]
    clear = max(chance, 1 - chance) >= RESOLVED
    return {
        "head": f"{steeper} is steeper" if clear else "No clear difference",
        "sentences": [*sentences, *why],
        "table": {"columns": {}, "length": 0},
        "values": {},
        "seed": question.seed,
        "extra": {
            "groups": [
                {
                    "name": name,
                    "steepness": plain(result.values["value"]),
                    "draws": _thinned(result.draws["steepness"]),
                    "individuals": len(parts[name].individuals),
                    "contests": len(parts[name]),
                }
                for name, result in found.items()
            ],
            "differences": rows,
        },
    }


def compare(question: Question, progress: Progress) -> dict[str, Any]:
    """Do methods agree? Rank orders by several methods."""
    found = quiet(
        po.compare,
        question.seen,
        k=question.settings.k,
        seed=question.seed,
        progress=progress,
    )
    lowest = min(
        (value for row in found.values["spearman"].values() for value in row.values()), default=1.0
    )
    return _described(found, f"Lowest rank correlation {lowest:.2f}")


def report(question: Question, progress: Progress) -> dict[str, Any]:
    """The report in one HTML file, of the chosen group, window and date."""
    chosen, settings = question.chosen, question.settings
    if question.target is None:
        raise DataError("There is no file to write the report to.")
    methods = [name for name in REPORTED if name != "elo_bayes" or chosen["bayes"]]
    quiet(
        po.report,
        question.contests,
        question.target,
        k=settings.k,
        at=settings.at if question.contests.ordered else None,
        start=settings.since,
        end=settings.until,
        methods=methods,
        recovery=chosen["recovery"],
        title=chosen["title"] or None,
        seed=question.seed,
        progress=progress,
    )
    size = question.target.stat().st_size
    return {
        "head": f"{size / 2**20:.1f} MB",
        "sentences": [],
        "table": {"columns": {}, "length": 0},
        "values": {},
        "seed": question.seed,
        "extra": {"bytes": size},
    }


REPORTED = (
    *("elo", "dynamic", "elo_bayes", "randomized_elo", "davids_score", "isi"),
    "bradley_terry",
)
WINDOW = ("group", "from", "to")
ASKS = {
    "certain": Ask("How certain are the ranks?", "dynamic", certain),
    "bayes": Ask("How certain, by Bayesian Elo?", "elo_bayes", bayes),
    "steepness": Ask("How steep is the hierarchy?", "steepness_bayes", steepness, WINDOW),
    "linear": Ask("Is it linear?", "linearity", linear, WINDOW),
    "isi": Ask("Which order has the fewest inconsistencies?", "isi", isi, WINDOW),
    "enough": Ask("Is this enough data?", "recovery", enough),
    "hours": Ask("How many more hours?", "power", hours),
    "pair": Ask("Who would win?", "predict", pair),
    "groups": Ask("Do the groups differ?", "steepness_difference", groups, ()),
    "compare": Ask("Do methods agree?", "compare", compare, ("k", *WINDOW)),
    "report": Ask("Report", "report", report, ("k", "at", *WINDOW)),
}


# -- the same in code ---------------------------------------------------------------------------


def code_of_answer(
    ask: str, reading: Reading, group: str | None, settings: Settings, chosen: Mapping[str, Any]
) -> dict[str, str]:
    """The shell line and the Python lines that give the same answer."""
    span = {"start": settings.since, "end": settings.until}
    window = {k: v for k, v in span.items() if v is not None and "from" in ASKS[ask].depends}
    base = lines_of(reading, None if ask == "groups" else group)
    lines = Lines(base.file, base.options, window)
    data, seed = lines.contests, chosen["seed"]
    python, shell = _calls(ask, lines, data, seed, settings, chosen, reading)
    return {"shell": "\n".join(shell), "python": f"{lines.reading}\n" + "\n".join(python)}


def _calls(
    ask: str,
    lines: Lines,
    data: str,
    seed: int,
    settings: Settings,
    chosen: Mapping[str, Any],
    reading: Reading,
) -> tuple[list[str], list[str]]:
    """Python lines after the reading, and shell lines."""

    def line(verb: str, **flags: Any) -> str:
        return lines.command(verb, **flags, seed=seed, **lines.flags)

    runs = chosen.get("runs")
    if ask == "certain":
        return [f"print(po.dynamic(data, seed={seed}).table)"], [line("dynamic")]
    if ask == "bayes":
        more = f"samples={chosen['samples']}, seed={seed}"
        call = f"print(po.elo_bayes(data, {more}).table)"
        return [call], [line("fit", samples=chosen["samples"])]
    if ask == "steepness":
        calls = [
            f"print(po.steepness({data}, runs={runs}, seed={seed}))",
            f"print(po.steepness_bayes({data}, seed={seed}))",
        ]
        return calls, [line("steepness", runs=runs), line("steepness", bayes=True)]
    if ask == "linear":
        calls = [f"print(po.{verb}({data}, runs={runs}, seed={seed}))" for verb in TESTS]
        calls.append(f"print(po.isi({data}, seed={seed}))")
        return calls, [*(line(verb, runs=runs) for verb in TESTS), line("isi")]
    if ask == "enough":
        call = f"print(po.recovery(data, runs={runs}, seed={seed}))"
        return [call], [line("recovery", runs=runs)]
    if ask == "hours":
        flags = {name: _plain(chosen[name]) for name in ("target", "goal", "rate", "runs")}
        given = ", ".join(f"{name}={value!r}" for name, value in flags.items()).replace("'", '"')
        return [f"print(po.power(data, {given}, seed={seed}))"], [line("power", **flags)]
    if ask == "pair":
        sides = f"({chosen['a']!r}, {chosen['b']!r})"
        calls = [
            f"ratings = po.dynamic(data, seed={seed})",
            f"print(po.predict(ratings, fixtures=[{sides}]))",
        ]
        shell = line("predict", method="dynamic")
        file = lines.command("predict").removeprefix("peckorder predict ").split(" --")[0]
        return calls, [shell.replace(file, f"{file} fixtures.csv", 1)]
    if ask == "groups":
        column = reading.data.report.columns.get("group", "group")
        calls = [
            f"found = {{name: po.steepness_bayes(part, seed={seed}) for name, part in "
            f"data.split().items()}}",
            "for one, other in itertools.combinations(found, 2):",
            "    print(one, other, po.steepness_difference(found[one], found[other]))",
        ]
        return ["import itertools\n", *calls], [line("steepness", bayes=True, by=column)]
    k = _plain(settings.k)
    if ask == "compare":
        call = f"print(po.compare({data}, k={k}, seed={seed}))"
        return [call], [line("compare", k=k)]
    if ask == "report":
        return _calls_of_report(lines, settings, chosen)
    return [f"print(po.isi({data}, seed={seed}))"], [line("isi")]


TESTS = ("linearity", "transitivity")


def _calls_of_report(
    lines: Lines, settings: Settings, chosen: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    methods = [name for name in REPORTED if name != "elo_bayes" or chosen["bayes"]]
    given = {"k": _plain(settings.k), "at": settings.at, **lines.window, "methods": methods}
    given |= {"recovery": chosen["recovery"] or None, "seed": chosen["seed"]}
    words = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    flags = {"k": _plain(settings.k), "at": settings.at, "method": methods}
    flags |= {"recovery": chosen["recovery"] or None, "seed": chosen["seed"], **lines.flags}
    shell = lines.written("report", "hierarchy.html", **flags)
    return [f'po.report(data, "hierarchy.html", {words})'], [shell]


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
