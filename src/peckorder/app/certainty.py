"""Answers about certainty: rank intervals, and who would win against whom."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import peckorder as po
from peckorder.app.explore import quiet
from peckorder.app.question import Progress, Question, described, packed
from peckorder.errors import DataError
from peckorder.tables import as_polars, plain

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
    wanted = {"p": "p_a", "low": "p_a_low", "high": "p_a_high", "tie": "p_draw"}
    return {
        "a": [names.index(one) for one, _ in fixtures],
        "b": [names.index(other) for _, other in fixtures],
        **{
            name: [None if p is None else round(p, 4) for p in table[column]]
            for name, column in wanted.items()
        },
    }


def _resolved(extra: dict[str, Any]) -> str:
    known = [p for p in extra["ranks"]["columns"]["p_above_next"] if p is not None]
    return f"{sum(p >= RESOLVED for p in known)} of {len(known)} adjacent ranks resolved"


def certain(question: Question, progress: Progress) -> dict[str, Any]:
    """How certain are the ranks? Dynamic ratings."""
    ratings = quiet(po.dynamic, question.contests, seed=question.seed)
    extra = _ranks(ratings)
    return described(ratings, _resolved(extra), **extra)


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
    return described(ratings, _resolved(extra), **extra)


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
    draw = f"; tie {row['p_draw']:.2f}" if row["p_draw"] > 0.005 else ""
    answer["sentences"].insert(
        0,
        f"{one} wins against {other} with probability {row['p_a']:.2f} (95% CrI "
        f"{row['p_a_low']:.2f}–{row['p_a_high']:.2f}{draw}).",
    )
    return answer
