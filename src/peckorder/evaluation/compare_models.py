"""Comparison of raters by how well they predict the same contests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import between_0_and_1, one_of
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, caution
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.scoring import (
    NO_ORDER,
    confidence_interval,
    drawn_of,
    paired_interval,
    rater_of,
    scored,
)
from peckorder.posterior.loo import loo
from peckorder.posterior.prequential import prequential
from peckorder.posterior.result import Posterior
from peckorder.results import Measure, Ratings
from peckorder.runs import Runs
from peckorder.wording import option, option_name, quoted

SCORES = ("foresight", "loo", "prequential")
MEASURES = ("log_loss", "brier", "correct")
NAMES = {"log_loss": "log score", "brier": "Brier score", "correct": "contests predicted"}


def compare_models(
    models: Mapping[str, Any],
    *,
    by: str | None = None,
    measure: str = "log_loss",
    skip: Any = 0,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = 0,
    **options: Any,
) -> Measure:
    """Predictive scores of several raters, with paired intervals of their differences.

    Parameters
    ----------
    models : mapping of names to ratings of the same contests
    by : {"foresight", "loo", "prequential"}
        Prediction of each contest from the ratings before it (any raters); or, for posteriors,
        leave-one-out cross-validation (their default) or one-step-ahead prediction (slower; its
        differences are log Bayes factors).
    measure : {"log_loss", "brier", "correct"}
        Scoring rule for foresight. Scores are sums; higher is better.
    skip : number of contests, or date
        With foresight: leave out the first contests.
    level, runs, seed
        Bootstrap intervals of the differences: confidence level, number of resamples (contests,
        paired) and seed.
    options : of `prequential`

    Returns
    -------
    Measure
        Table, best first: model, score, se, difference (to the best), difference_se,
        difference_low, difference_high. Values: `best`, `by`.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> found = po.compare_models({"k = 200": po.elo(data, k=200), "k = 20": po.elo(data, k=20)})
    >>> found.best, found.table["score"].round(2).to_list()
    ('k = 200', [-17.13, -21.48])
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise ArgumentError('Give at least two ratings by name: {"Elo": …, "Glicko": …}.')
    for name, one in models.items():
        if not isinstance(one, Ratings):
            raise ArgumentTypeError(
                f"{name}: expected ratings, as returned by elo or elo_bayes, not "
                f"{type(one).__name__}."
            )
    sampled = [name for name, one in models.items() if isinstance(one, Posterior)]
    if by is None:
        by = "loo" if len(sampled) == len(models) else "foresight"
    one_of("by", by, SCORES)
    one_of("measure", measure, MEASURES)
    if by != "foresight" and len(sampled) < len(models):
        other = next(name for name in models if name not in sampled)
        raise ArgumentTypeError(
            f"{other} is not a posterior, which {option('by', by)} requires. Use "
            f"{option('by', 'foresight')}."
        )
    if options and by != "prequential":
        raise ArgumentTypeError(
            f"compare_models has no argument {quoted(options)} with {option('by', by)}."
        )
    between_0_and_1("level", level)
    each = Runs.of(runs, seed, None, None)
    _same_contests(models)
    sentences: list[str] = []
    if by == "foresight":
        points = _foresight(models, measure, skip)
    else:
        if measure != "log_loss" or skip:
            raise ArgumentError(
                f"{option_name('measure')} and {option_name('skip')} apply to "
                f"{option('by', 'foresight')} only."
            )
        own = {**options, "seed": seed} if by == "prequential" else options
        score = loo if by == "loo" else prequential
        found = {name: score(one, **own) for name, one in models.items()}
        column = "elpd" if by == "loo" else "score"
        points = {name: one.as_polars()[column].to_numpy() for name, one in found.items()}
        sentences = [text for one in found.values() for text in one.summary[1:]]
        if any(one.values.get("bad") for one in found.values()):
            caution("Leave-one-out is unreliable for some contests (large Pareto k̂): see .summary.")
    frame = _side_by_side(points, each, level)
    best = str(frame["model"][0])
    others = frame.rows(named=True)[1:]
    sentences = [_behind(best, row, NAMES[measure], level) for row in others] + sentences
    if by == "foresight" and any(one.method in ("elo_ml", "elo_bayes") for one in models.values()):
        sentences.append(
            "Fits were estimated from these same contests, so their foresight is optimistic. "
            "Compare fits only with each other, or posteriors one step ahead."
        )
    cited = {"loo": ("vehtari2017",), "prequential": ("burkner2020",)}.get(by, ("langville2012",))
    return Measure(
        method="compare_models",
        data=next(iter(models.values())).data,
        values={"best": best, "by": by},
        frame=frame,
        summary=tuple(sentences),
        settings={
            "by": by,
            "measure": measure,
            "skip": skip,
            "level": level,
            "runs": runs,
            **options,
            "models": {name: rater_of(one) for name, one in models.items()},
        },
        citations=cited,
        seed=each.seed,
    )


def _same_contests(models: Mapping[str, Ratings]) -> None:
    def key(one: Ratings) -> tuple:
        data = one.data
        names = np.array(data.individuals, dtype=object)
        drawn = drawn_of(data)
        return names[data.winner].tolist(), names[data.loser].tolist(), drawn.tolist()

    first, *others = models
    wanted = key(models[first])
    other = [name for name in others if key(models[name]) != wanted]
    if other:
        raise DataError(
            f"{quoted(other)}: the contests differ from those of {quoted([first])}. Scores can be "
            f"compared only on the same contests."
        )


def _foresight(models: Mapping[str, Ratings], measure: str, skip: int) -> dict[str, np.ndarray]:
    """Score of each rater for each contest; higher is better."""
    data = next(iter(models.values())).data
    if not data.ordered:
        raise DataError(NO_ORDER)
    first = first_counted(data, skip)
    chances = {name: one.foresight() for name, one in models.items()}
    modeled = [name for name, one in chances.items() if one.draw is not None]
    if measure != "correct" and 0 < len(modeled) < len(models) and drawn_of(data).any():
        raise DataError(
            f"Ties are modeled only by {quoted(modeled)}, so the {NAMES[measure]}s are not "
            f"comparable. Compare by {option('measure', 'correct')}."
        )
    outcomes = {one.settings.get("outcome") or "win" for one in models.values()}
    if measure != "correct" and len(outcomes) > 1:
        raise DataError(
            "Some raters expect wins and others a share of the points, so their scores are not "
            f"comparable. Compare by {option('measure', 'correct')}."
        )
    points = {}
    for name, one in models.items():
        scores = scored(one, chances[name], 0.0)
        sign = 1.0 if measure == "correct" else -1.0
        points[name] = sign * np.nan_to_num(getattr(scores, measure))[first:]
    return points


def _side_by_side(points: dict[str, np.ndarray], runs: Runs, level: float) -> pl.DataFrame:
    names = sorted(points, key=lambda name: -points[name].sum())
    size = len(points[names[0]])
    behind = np.column_stack([points[name] - points[names[0]] for name in names])
    low, high = paired_interval(behind, runs, level)
    rows = []
    for i, name in enumerate(names):
        se = float(behind[:, i].std(ddof=1) * np.sqrt(size)) if size > 1 else None
        rows.append(
            {
                "model": name,
                "score": float(points[name].sum()),
                "se": float(points[name].std(ddof=1) * np.sqrt(size)) if size > 1 else None,
                "difference": float(behind[:, i].sum()),
                "difference_se": se,
                "difference_low": float(low[i]),
                "difference_high": float(high[i]),
            }
        )
    return pl.DataFrame(rows)


def _behind(best: str, row: dict[str, Any], what: str, level: float) -> str:
    other, gap = row["model"], -row["difference"]
    if gap == 0:
        return f"“{best}” and “{other}” predict equally well."
    found = "" if row["difference_high"] < 0 else "No evidence that "
    interval = confidence_interval(-row["difference_high"], -row["difference_low"], level, ".1f")
    return (
        f"{found}“{best}” predicts better than “{other}” (difference in {what} {gap:.1f}, "
        f"{interval})."
    )
