"""What each question of the screen Answer asks: functions of the library, and the same in code.

An answer has a few words for the list of questions (`head`), the sentences of the result, its
table and values, and what its figure shows. Nothing is computed here but places of names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

import peckorder as po
from peckorder.app.cards import in_words
from peckorder.app.certainty import RESOLVED, bayes, certain, pair
from peckorder.app.explore import quiet
from peckorder.app.question import Progress, Question, described, packed
from peckorder.errors import DataError
from peckorder.tables import as_polars, plain

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
    head = f"{float(value):.2f} (95% CrI {value.low95:.2f}–{value.high95:.2f})"
    answer = described(
        posterior,
        head,
        draws=_thinned(posterior.draws["steepness"]),
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
    heights, edges = np.histogram(
        found.draws["steepness"], bins=BINS, range=(0.0, 1.0), density=True
    )
    return {
        "name": name,
        "values": [round(float(x), 4) for x in (edges[1:] + edges[:-1]) / 2],
        "heights": [round(float(y), 4) for y in heights],
        "at": float(value),
        "low": value.low95,
        "high": value.high95,
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
    p = found.values["p_right"]
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    answer = described(
        found,
        f"h′ {found.values['h_improved']:.2f}, {chance}",
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
    number = found.values["inconsistencies"]
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
                float(values["rank_correlation"]),
                0.0,
                1.0,
                f"{float(values['rank_correlation']):.2f}",
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
            "contests": int(row["interactions"]),
            "mid": row["reached"],
            "low": max(0.0, row["reached"] - 2 * row["reached_error"]),
            "high": min(1.0, row["reached"] + 2 * row["reached_error"]),
        }
        for row in table.sort("interactions").to_dicts()
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
            "densities": [_density(name, result) for name, result in found.items()],
            "range": [0, 1],
            "label": "Steepness",
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
    return described(found, f"Lowest rank correlation {lowest:.2f}")


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
