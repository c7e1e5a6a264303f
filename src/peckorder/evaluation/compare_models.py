"""Comparison of raters by how well they predict the same contests.

A rater is called better only if the difference survives a correction for the choice of the best
among all raters that were compared: see `simultaneous`.

Scores of several raters on the same contests, each predicted from the contests before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.same_time import order_unknown, shared_words
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, caution
from peckorder.evaluation.evaluate import first_counted
from peckorder.evaluation.order_forecast import with_chances
from peckorder.evaluation.recalibration import recalibrated_foresight
from peckorder.evaluation.scoring import (
    NO_ORDER,
    Scores,
    all_differences,
    confidence_interval,
    rater_of,
    scored,
    with_past_ties,
)
from peckorder.random_runs import Runs
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.posterior_checks import loo, prequential
from peckorder.results import Measure, Ratings
from peckorder.results.chances import drawn_of
from peckorder.text import listed, option, option_name, p_text, quoted
from peckorder.validate import between_0_and_1, one_of, several

WITHIN = {
    "file": "in the order of the file",
    "average": "in many random orders",
    "batch": "all at once",
}
SCORES = ("foresight", "loo", "prequential")
MEASURES = ("log_loss", "brier", "rps", "correct")
NAMES = {
    "log_loss": "log score",
    "brier": "Brier score",
    "rps": "ranked probability score",
    "correct": "contests predicted",
}


def compare_models(
    models: Mapping[str, Any],
    *,
    by: Literal["foresight", "loo", "prequential"] | None = None,
    measure: Literal["log_loss", "brier", "rps", "correct"] = "log_loss",
    skip: Any = 0,
    calibrate: bool | Sequence[str] = False,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = None,
    **options: Any,
) -> Measure:
    """Predictive scores of several raters, with paired intervals of their differences.

    Parameters
    ----------
    models : mapping of names to ratings of the same contests
        Also orders by `bradley_terry` and `davids_score`, computed anew before each contest, and
        the forecasts of a bookmaker (`outside_forecast`).
    by : {"foresight", "loo", "prequential"}
        Prediction of each contest from the ratings before it (any raters); or, for posteriors,
        leave-one-out cross-validation or one-step-ahead prediction (slower; its differences are
        log Bayes factors). For posteriors, the default is one step ahead if their k differs,
        because leave-one-out favors ratings that hardly change; otherwise it is leave-one-out.
    measure : {"log_loss", "brier", "rps", "correct"}
        Scoring rule for foresight. Scores are sums; higher is better. If there are ties and some
        rater gives their probability, scores are those of three outcomes: log loss, and the ranked
        probability score. Other raters learn ties from the contests before each one (Davidson).
        With "rps", all raters do.
    skip : number of contests, or date
        With foresight: leave out the first contests.
    calibrate : bool, or names of models
        With foresight: recalibrate all models, or those named: multiply log-odds by a slope
        learned from the contests before each one.
    level, runs, seed
        Bootstrap of the differences: confidence level, number of resamples (blocks of consecutive
        contests, paired) and seed.
    options : of `prequential`

    Returns
    -------
    Measure
        Table, highest score first: model, score, se, difference (to the highest), difference_se,
        low and high (of the difference) and p. Intervals and p-values are corrected for the choice
        among all pairs of models. Values: `highest` (the model with the highest score), `best`
        (the same if it is better than every other, otherwise None), `by`, `mc_se` (one step
        ahead: the largest Monte Carlo error of a score).

    Notes
    -----
    The largest absolute t over all pairs of models is bootstrapped (Romano & Wolf 2005), so that
    with a level of 95% at most 5% of comparisons of equally good models call one of them better.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> models = {"k = 200": po.elo(data, k=200), "k = 100": po.elo(data, k=100)}
    >>> found = po.compare_models(models, seed=1)
    >>> found.highest, found.table["score"].round(2).to_list()
    ('k = 200', [-17.13, -18.46])
    >>> found.best is None  # 33 contests are too few to call it better
    True
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise ArgumentError('Give at least two ratings by name: {"Elo": …, "Glicko": …}.')
    models = {name: with_chances(one) for name, one in models.items()}
    for name, one in models.items():
        if not isinstance(one, Ratings):
            raise ArgumentTypeError(
                f"{name}: expected ratings, as returned by elo or elo_bayes, or the order of "
                f"bradley_terry or davids_score, not "
                f"{type(one).__name__}."
            )
    sampled = [name for name, one in models.items() if isinstance(one, Posterior)]
    if by is None:
        by = "foresight" if len(sampled) < len(models) else _by_dynamics(models)
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
    mc_se = None
    calibrated = _calibrated(models, calibrate)
    if by == "foresight":
        predicted = model_scores(models, measure, calibrated)
        points = predicted.points(measure, first_counted(next(iter(models.values())).data, skip))
        sentences = list(predicted.summary)
    else:
        if measure != "log_loss" or skip or calibrated:
            raise ArgumentError(
                f"{option_name('measure')}, {option_name('skip')} and {option_name('calibrate')} "
                f"apply to {option('by', 'foresight')} only."
            )
        own = {**options, "seed": seed} if by == "prequential" else options
        score = loo if by == "loo" else prequential
        found = {name: score(one, **own) for name, one in models.items()}
        points = {name: one.as_polars()["value"].to_numpy() for name, one in found.items()}
        sentences = [text for one in found.values() for text in one.summary[1:]]
        if any(one.values.get("bad") for one in found.values()):
            caution("Leave-one-out is unreliable for some contests (large Pareto k̂): see .summary.")
        if by == "prequential":
            errors = [one.values["mc_se"] for one in found.values()]
            mc_se = None if None in errors else max(errors)
    frame = _side_by_side(points, each, level)
    first, *others = frame.rows(named=True)
    highest = str(first["model"])
    beaten = [row["model"] for row in others if _survives(row, level)]
    sentences = [_behind(highest, row, NAMES[measure], level) for row in others] + sentences
    if len(others) > 1:
        sentences.insert(
            len(others),
            f"Intervals and p-values are corrected for the choice among {len(models):,} models.",
        )
    sentences += _within_stamps(models)
    if calibrated:
        sentences.append(
            f"{quoted(calibrated)}: log-odds were multiplied by a slope learned from the contests "
            f"before each one."
        )
    if mc_se is not None:
        sentences.append(f"Monte Carlo error of a score: at most {mc_se:.2g}.")
    if by == "loo" and _by_dynamics(models) == "prequential":
        sentences.append(
            "Leave-one-out keeps the effect of a contest on later scores, which favors ratings "
            f"that hardly change, and k differs between these models. Use "
            f"{option('by', 'prequential')}."
        )
    if by == "foresight" and any(one.method in ("elo_ml", "elo_bayes") for one in models.values()):
        sentences.append(
            "Fits were estimated from these same contests, so their foresight is optimistic. "
            "Compare fits only with each other, or posteriors one step ahead."
        )
    cited = {"loo": ("vehtari2017",), "prequential": ("burkner2020",)}.get(by, ("langville2012",))
    return Measure(
        method="compare_models",
        data=next(iter(models.values())).data,
        values={
            "highest": highest,
            "best": highest if len(beaten) == len(others) else None,
            "by": by,
            **({} if mc_se is None else {"mc_se": mc_se}),
        },
        frame=frame,
        summary=tuple(sentences),
        settings={
            "by": by,
            "measure": measure,
            "skip": skip,
            "calibrate": list(calibrated),
            "level": level,
            "runs": runs,
            **options,
            "models": {name: rater_of(one) for name, one in models.items()},
        },
        citations=cited,
        seed=each.seed,
    )


def _within_stamps(models: Mapping[str, Ratings]) -> list[str]:
    """How the raters take contests whose order is not recorded, where there are some."""
    data = next(iter(models.values())).data
    unknown = int(order_unknown(data).sum()) if data.ordered else 0
    if not unknown:
        return []
    rules: dict[str, list[str]] = {}
    for name, one in models.items():
        at_once = one.settings.get("period") or one.method in ("dynamic", "glicko", "glicko2")
        rule = "batch" if at_once else one.settings.get("within") or "file"
        if one.method != "outside_forecast":
            rules.setdefault(WITHIN[rule], []).append(f"“{name}”")
    parts = [f"{rule} by {listed(names)}" for rule, names in rules.items()]
    return [f"{shared_words(unknown, len(data))}. They were taken {' and '.join(parts)}."]


def _calibrated(models: Mapping[str, Ratings], calibrate: Any) -> tuple[str, ...]:
    """Names of the models to recalibrate."""
    if isinstance(calibrate, bool):
        return tuple(models) if calibrate else ()
    names = tuple(map(str, several("calibrate", calibrate)))
    unknown = [name for name in names if name not in models]
    if unknown:
        raise ArgumentError(
            f"{option_name('calibrate')}: {quoted(unknown)} is not a name of a model. Names: "
            f"{quoted(models)}."
        )
    return names


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


def _by_dynamics(models: Mapping[str, Ratings]) -> Literal["loo", "prequential"]:
    """How to compare posteriors: one step ahead if they differ in how ratings change."""
    ways = {
        tuple(str(one.settings.get(name)) for name in ("k", "centering", "prior_k"))
        for one in models.values()
    }
    return "loo" if len(ways) == 1 else "prequential"


def _side_by_side(points: dict[str, np.ndarray], runs: Runs, level: float) -> pl.DataFrame:
    names = sorted(points, key=lambda name: -points[name].sum())
    size = len(points[names[0]])
    columns = np.column_stack([points[name] for name in names])
    found = all_differences(columns, runs)
    rows = []
    for i, name in enumerate(names):
        low, high = found.limits(0, i, level)
        rows.append(
            {
                "model": name,
                "score": float(points[name].sum()),
                "se": float(points[name].std(ddof=1) * np.sqrt(size)) if size > 1 else None,
                "difference": float((columns[:, i] - columns[:, 0]).sum()),
                "difference_se": float(found.error[0, i]) if size > 1 else None,
                "low": low,
                "high": high,
                "p": None if i == 0 else found.p(0, i),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _survives(row: dict[str, Any], level: float) -> bool:
    """Whether a difference survives the correction for the choice of the best."""
    return row["difference"] < 0 and row["high"] < 0 and row["p"] <= 1 - level


def _behind(highest: str, row: dict[str, Any], what: str, level: float) -> str:
    other, gap = row["model"], -row["difference"]
    if gap == 0:
        return f"“{highest}” and “{other}” predict equally well."
    found = "" if _survives(row, level) else "No evidence that "
    interval = confidence_interval(-row["high"], -row["low"], level, ".1f")
    return (
        f"{found}“{highest}” predicts better than “{other}” (difference in {what} {gap:.1f}, "
        f"{interval}, {p_text(row['p'])})."
    )


@dataclass(frozen=True, eq=False)
class ModelScores:
    """Scores of each rater, and those raters whose ties were learned from earlier contests."""

    scores: dict[str, Scores]
    learned: tuple[str, ...] = ()

    @property
    def summary(self) -> tuple[str, ...]:
        """A sentence about ties that were learned."""
        if not self.learned:
            return ()
        return (
            f"{quoted(self.learned)}: the probability of a tie was learned from the contests "
            f"before each one (Davidson).",
        )

    def points(self, measure: str, first: int = 0) -> dict[str, np.ndarray]:
        """Score of each contest from `first` on; higher is better."""
        sign = 1.0 if measure == "correct" else -1.0
        column = "brier" if measure == "rps" else measure  # of three outcomes, if ties are modeled
        return {
            name: sign * np.nan_to_num(getattr(one, column))[first:]
            for name, one in self.scores.items()
        }


def model_scores(
    models: Mapping[str, Ratings], measure: str = "log_loss", calibrated: Collection[str] = ()
) -> ModelScores:
    """Scores of the foresight of raters of the same contests, some of them recalibrated."""
    data = next(iter(models.values())).data
    if not data.ordered:
        raise DataError(NO_ORDER)
    outcomes = {one.settings.get("outcome") or "win" for one in models.values()}
    if measure != "correct" and len(outcomes) > 1:
        raise DataError(
            "Some raters expect wins and others a share of the points, so their scores are not "
            f"comparable. Compare by {option('measure', 'correct')}."
        )
    chances = {name: one.foresight() for name, one in models.items()}
    for name in calibrated:
        chances[name] = recalibrated_foresight(models[name], chances[name])
    ties, learned = drawn_of(data), ()
    lacking = tuple(name for name, one in chances.items() if one.draw is None)
    modeled = len(lacking) < len(models) or measure == "rps"
    if ties.any() and modeled and measure != "correct":
        chances |= {name: with_past_ties(chances[name], ties) for name in lacking}
        learned = lacking
    scores = {name: scored(one, chances[name], 0.0) for name, one in models.items()}
    return ModelScores(scores, learned)
