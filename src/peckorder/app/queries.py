"""What each question of the screen Answer asks: functions of the library, and the same in code.

An answer has a few words for the list of questions (`head`), the sentences of the result, its
table and values, and what its figure shows. Nothing is computed here but places of names.

A question of the screen Answer: its contests, its settings, and the parts of every answer.

Answers about certainty: rank intervals, and who would win against whom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import polars as pl

import peckorder as po
from peckorder import methods
from peckorder.app.errors import in_words
from peckorder.app.explore import quiet, uninformative, within
from peckorder.app.settings import Settings
from peckorder.errors import DataError
from peckorder.reporting.page import packed_columns
from peckorder.tables import as_polars, plain

LARGEST_SEED = 2**32 - 1
TARGETS = ("dyads", "steepness", "linearity")
CLAIMED = ("multiverse", "fragility")  # questions about a claim
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Question:
    """A question about contests."""

    data: Any  # all contests of the reading, for a comparison of groups
    contests: Any  # those of the chosen group
    settings: Settings
    chosen: Mapping[str, Any]
    target: Path | None = None  # file to write, for the report
    # other readings of the record, one for each decision that is open, by what it would do
    readings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """Seed of the random numbers."""
        return int(self.chosen["seed"])

    @property
    def ranked(self) -> Any:
        """The contests, of which a rank order follows; otherwise an error says why not."""
        if why := uninformative(self.contests):
            raise DataError(why)
        return self.contests

    @property
    def seen(self) -> Any:
        """The contests of the window."""
        return within(self.contests, self.settings)


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
        found |= {name: given.get(name) is True for name in ("bayes", "recovery", "every")}
        found["title"] = str(given.get("title") or "")[:200]
    if ask in CLAIMED:
        found["claim"] = str(given.get("claim") or "")[:500]
    if ask == "multiverse":
        off = given.get("off")
        found["off"] = [str(one)[:500] for one in off[:60]] if isinstance(off, list) else []
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


def described(found: Any, head: str, **extra: Any) -> dict[str, Any]:
    """The parts that all answers have."""
    return {
        "head": head,
        "sentences": [in_words(text) for text in found.summary],
        "table": packed(found.as_polars()),
        "values": plain(dict(found.values)),
        "seed": found.seed,
        "extra": extra,
    }


def packed(table: Any) -> dict[str, Any]:
    """A table as the report packs it."""
    return {"columns": packed_columns(table), "length": table.height}


MOST_RANKED = 60  # individuals in a table of rank probabilities
MOST_PREDICTED = 30  # individuals of whom all pairs are predicted
RESOLVED = 0.95


def _ranks(ratings: Any) -> dict[str, Any]:
    """Rank intervals, ranks in the draws, and who is not distinguishable from whom."""
    names = ratings.as_polars()["individual"].to_list()
    extra: dict[str, Any] = {
        "ranks": packed(as_polars(po.plot.ranks.data(ratings))),
        "ties": [[names.index(group[0]), names.index(group[-1])] for group in ratings.indistinct()],
        "names": names,
    }
    if len(names) <= MOST_RANKED:
        extra["chances"] = _chances(ratings, names)
        extra["outranks"] = [
            [None if p is None or math.isnan(p) else p for p in row[1:]]
            for row in as_polars(ratings.outranks()).rows()
        ]
    if len(names) <= MOST_PREDICTED:
        extra["pairs"] = _pairs(ratings, names)
    return extra


def _chances(ratings: Any, names: list[str]) -> list[list[float]]:
    """The probability of each rank, one list per individual."""
    shares: dict[str, list[float]] = {name: [] for name in names}
    table = as_polars(po.plot.rank_probabilities.data(ratings))
    for name, probability in table.sort("rank").select("individual", "probability").rows():
        shares[name].append(round(probability, 4))
    return list(shares.values())


def _pairs(ratings: Any, names: list[str]) -> dict[str, Any]:
    """The probability that the first of two wins, for all pairs."""
    fixtures = list(combinations(names, 2))
    table = quiet(po.predict, ratings, fixtures=fixtures).as_polars()
    wanted = {"p": "p_a", "low": "p_a_low", "high": "p_a_high", "tie": "p_tie"}
    return {
        "a": [names.index(one) for one, _ in fixtures],
        "b": [names.index(other) for _, other in fixtures],
        **{
            name: [None if p is None else round(p, 4) for p in table[column]]
            for name, column in wanted.items()
        },
    }


def _resolved(above_next: list[float | None]) -> str:
    known = [p for p in above_next if p is not None]
    return f"{sum(p >= RESOLVED for p in known)} of {len(known)} adjacent ranks resolved"


def certain(question: Question, progress: Progress) -> dict[str, Any]:
    """How certain are the ranks? Dynamic ratings."""
    ratings = quiet(po.dynamic, question.ranked, seed=question.seed)
    extra = _ranks(ratings)
    return described(ratings, _resolved(extra["ranks"]["columns"]["p_above_next"]), **extra)


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
    return described(ratings, _resolved(extra["ranks"]["columns"]["p_above_next"]), **extra)


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
    answer = described(found, head, **{name: plain(value) for name, value in row.items()})
    draw = f"; tie {row['p_tie']:.2f}" if row["p_tie"] > 0.005 else ""
    answer["sentences"].insert(
        0,
        f"{one} wins against {other} with probability {row['p_a']:.2f} (95% CrI "
        f"{row['p_a_low']:.2f}–{row['p_a_high']:.2f}{draw}).",
    )
    return answer


MOST_DRAWS = 400
MOST_PAIRS = 10
BINS = 60


@dataclass(frozen=True)
class Ask:
    """A question: the function that answers it, and the settings on which the answer depends."""

    title: str
    method: str
    answer: Callable[[Question, Progress], dict[str, Any]]
    depends: tuple[str, ...] = ("group",)


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
    head = f"{float(value):.2f} (95% CrI {value.low:.2f}–{value.high:.2f})"
    answer = described(
        posterior,
        head,
        draws=_thinned(posterior.samples),
        densities=[_density("Steepness", posterior)],
        range=[0, 1],
        label="Steepness",
        published=plain(dict(classic.values)),
        scores=packed(classic.as_polars()),
    )
    answer["sentences"] += [in_words(text) for text in classic.summary]
    return answer


def _density(name: str, found: Any) -> dict[str, Any]:
    """A histogram of draws as a line, with the mean and the 95% interval."""
    value = found.values["value"]
    heights, edges = np.histogram(found.samples, bins=BINS, range=(0.0, 1.0), density=True)
    return {
        "name": name,
        "values": [round(float(x), 4) for x in (edges[1:] + edges[:-1]) / 2],
        "heights": [round(float(y), 4) for y in heights],
        "at": float(value),
        "low": value.low,
        "high": value.high,
    }


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
    p = found.values["p"]
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    answer = described(
        found,
        f"h′ {found.values['value']:.2f}, {chance}",
        isi=packed(order.as_polars()),
        isi_values=plain(dict(order.values)),
        **_order_of(order),
        transitivity=plain(dict(triads.values)),
    )
    more = (*triads.summary, *order.summary)
    answer["sentences"] += [in_words(text) for text in more]
    return answer


def isi(question: Question, progress: Progress) -> dict[str, Any]:
    """The order with the fewest and weakest inconsistencies."""
    found = quiet(po.isi, question.seen, seed=question.seed)
    number = found.values["value"]
    head = f"{number} {'inconsistency' if number == 1 else 'inconsistencies'}"
    return described(found, head, **_order_of(found))


def _order_of(found: Any) -> dict[str, Any]:
    return {
        "order": found.as_polars()["individual"].to_list(),
        "inconsistent": plain(found.values["inconsistent"]),
    }


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
    tables = {name: packed(as_polars(table)) for name, table in found.tables.items()}
    title, _, text = found.values["verdict"].partition("; ")
    verdict = {"ok": title.startswith("All ranks"), "title": title, "text": text}
    return described(
        found,
        f"{share:.0%} of dyads in the correct order",
        **tables,
        verdict=verdict,
        criteria=_criteria(question, found),
    )


def _criteria(question: Question, found: Any) -> list[dict[str, Any]]:
    """What the simulations found, on tracks; there are no agreed thresholds."""
    values, size = found.values, len(question.contests.individuals)
    error, share = float(values["rank_mae"]), float(values["dyads_correct"])
    each = 2 * len(question.contests) / size
    return [
        {"name": name, "value": value, "wanted": None, "low": low, "high": high, "text": text}
        for name, value, low, high, text in (
            ("Dyads in the correct order", share, 0.5, 1.0, f"{share:.0%}"),
            ("Mean error of a rank", error, 0.0, max(1.0, size / 3), f"{error:.2f} ranks"),
            (
                "Correlation with true ranks",
                float(values["value"]),
                0.0,
                1.0,
                f"{float(values['value']):.2f}",
            ),
            ("Contests per individual", each, 0.0, max(40.0, each), f"{each:.0f}"),
        )
    ]


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
    return described(
        found,
        head,
        have=len(question.contests),
        hours_so_far=len(question.contests) / chosen["rate"],
        points=_points(found.as_polars()),
        target=chosen["goal"],
        measure=MEASURES[chosen["target"]],
    )


MEASURES = {
    "dyads": "Share of dyads in the correct order",
    "steepness": "Share of studies that know steepness to ±0.1",
    "linearity": "Power of the test of linearity",
}


def _points(table: Any) -> list[dict[str, float]]:
    """The curve of a plan: what is reached, with two Monte Carlo errors on each side."""
    return [
        {
            "contests": int(row["contests"]),
            "mid": row["reached"],
            "low": max(0.0, row["reached"] - 2 * row["reached_se"]),
            "high": min(1.0, row["reached"] + 2 * row["reached_se"]),
        }
        for row in table.sort("contests").to_dicts()
    ]


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
        value, chance = difference.values["value"], difference.values["probability"]
        rows.append(
            {"one": one, "other": other, "probability": float(chance), **plain({"d": value})}
        )
        sentences.append(
            f"Steepness of {one} minus that of {other}: {float(value):.2f} (95% CrI "
            f"{value.low:.2f} to {value.high:.2f}); {one} is steeper with posterior "
            f"probability {float(chance):.2f}."
        )
    first = rows[0]
    chance = first["probability"]
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
                    "draws": _thinned(result.samples),
                    "individuals": len(parts[name].individuals),
                    "contests": len(parts[name]),
                }
                for name, result in found.items()
            ],
            "differences": rows,
            "densities": [_density(name, result) for name, result in found.items()],
            "range": [0, 1],
            "label": "Steepness",
        },
    }


def multiverse(question: Question, progress: Progress) -> dict[str, Any]:
    """In which defensible analyses a claim holds, open decisions of the reading included."""
    claim, off = question.chosen["claim"], set(question.chosen["off"])
    order = {"seed": question.seed, "progress": progress}
    every = {AS_READ: question.ranked, **question.readings}
    readings = {name: one for name, one in every.items() if f"reading={name}" not in off}
    choices: dict[str, list[Any]] = {}
    if off:  # all levels of the choices of which some are switched off
        whole = quiet(po.questions.multiverse, every, claim, seed=question.seed)
        for choice, level in as_polars(whole.tables["levels"]).select("choice", "level").rows():
            if choice != "reading" and f"{choice}={level}" not in off:
                value = float(level) if choice == "k" else level
                choices.setdefault(choice, []).append(value)
    found = quiet(
        po.questions.multiverse, readings or every, claim, choices=choices or None, **order
    )
    return described(
        found,
        f"holds in {found.holds} of {found.analyses} analyses",
        effects=packed(as_polars(found.tables["effects"])),
        levels=packed(as_polars(found.tables["levels"])),
        off=sorted(off),
    )


AS_READ = "as read"


def fragility(question: Question, progress: Progress) -> dict[str, Any]:
    """The fewest rows without which a claim is false."""
    found = quiet(
        po.questions.fragility,
        question.ranked,
        question.chosen["claim"],
        seed=question.seed,
        progress=progress,
    )
    of = len(question.contests)
    head = f"on {found.value} of {of:,} contests" if found.value else "on no set that was found"
    answer = described(found, head)
    answer["table"] = packed(found.as_polars().drop("unit", "contests"))
    return answer


def next_pairs(question: Question, progress: Progress) -> dict[str, Any]:
    """Whom to watch next, by dynamic ratings, and which adjacent ranks are resolved."""
    ratings = quiet(po.dynamic, question.ranked, seed=question.seed)
    found = quiet(po.questions.next_pairs, ratings, seed=question.seed, progress=progress)
    adjacent = as_polars(found.tables["adjacent"])
    head = _resolved(adjacent["probability"].to_list())
    answer = described(found, head, adjacent=packed(adjacent))
    answer["sentences"].insert(1, f"{head} (probability of the order at least {RESOLVED}).")
    return _with_sets(question, answer)


def stress(question: Question, progress: Progress) -> dict[str, Any]:
    """How soon a takeover would have shown in this record."""
    if not question.ranked.ordered:
        raise DataError(
            "The order of contests is not known, so nothing can show when a takeover took place. "
            "Use a sheet with one contest per row, in order or with dates."
        )
    found = quiet(
        po.questions.stress,
        question.contests,
        k=question.settings.k,
        seed=question.seed,
        progress=progress,
    )
    answer = described(found, f"by Elo, in {found.elo:.0%} of records")
    names = pl.col("method").map_elements(methods.title, pl.String)
    table = found.as_polars().with_columns(names).select(SHOWN)
    return _with_sets(question, answer | {"table": packed(table)})


SHOWN = ("method", "records", "shown", "days_low", "days", "days_high", "without")


def _with_sets(question: Question, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, which says whether there are sets of individuals that never met."""
    connected = question.contests.check()["connected"]
    if connected.level == "warning":
        answer["sentences"].append(in_words(connected.message))
    return answer


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
    return described(found, f"Lowest rank correlation {lowest:.2f}")


def report(question: Question, progress: Progress) -> dict[str, Any]:
    """The report in one HTML file, of the chosen group, window and date; or of all groups.

    The report of all groups is a front page and a file per group, packed together.
    """
    chosen, settings = question.chosen, question.settings
    if question.target is None:
        raise DataError("There is no file to write the report to.")
    every = {"k": settings.k, "recovery": chosen["recovery"], "title": chosen["title"] or None}
    every |= {"seed": question.seed, "progress": progress}
    every["methods"] = [name for name in REPORTED if name != "elo_bayes" or chosen["bayes"]]
    if chosen["every"]:
        with TemporaryDirectory() as folder:
            quiet(po.report, question.data.split(), Path(folder) / "hierarchy.html", **every)
            with ZipFile(question.target, "w", ZIP_DEFLATED) as packed:
                for path in sorted(Path(folder).iterdir()):
                    packed.write(path, path.name)
    else:
        at = settings.at if question.contests.ordered else None
        span = {"start": settings.since, "end": settings.until}
        quiet(po.report, question.contests, question.target, at=at, **span, **every)
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
    "multiverse": Ask("Does it survive other choices?", "multiverse", multiverse),
    "fragility": Ask("What does the claim hang on?", "fragility", fragility),
    "next": Ask("Whom to watch next?", "next_pairs", next_pairs),
    "stress": Ask("Would a takeover have shown?", "stress", stress, ("k", "group")),
    "compare": Ask("Do methods agree?", "compare", compare, ("k", *WINDOW)),
    "report": Ask("Report", "report", report, ("k", "at", *WINDOW)),
}
