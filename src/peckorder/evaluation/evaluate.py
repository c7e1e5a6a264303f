"""Accuracy of ratings in foresight and in hindsight (Langville & Meyer 2012, chapter 5).

Foresight predicts each contest from the ratings before it; hindsight explains all contests with
the final ratings. Hindsight is optimistic, because the final ratings are based on the contests
that they explain; cross-validation estimates by how much (`optimism`).

How much hindsight flatters: final ratings explain the contests on which they are based.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import moment
from peckorder.data.effects import check_home_advantage
from peckorder.data.import_report import Labels
from peckorder.data.same_time import stamp_numbers
from peckorder.errors import DataError
from peckorder.estimate import Estimate
from peckorder.evaluation.field_forecast import evaluate_places, refuse_others
from peckorder.evaluation.order_forecast import PREDICTING_ORDERS, with_chances
from peckorder.evaluation.recalibration import recalibrated_foresight, too_bold
from peckorder.evaluation.scoring import (
    NO_ORDER,
    Judged,
    Places,
    affordable,
    block_length,
    bootstrap,
    chosen_equal,
    clipping,
    confidence_interval,
    hindsight,
    rated,
    rater_of,
    summary,
)
from peckorder.orders.plackett_luce import PlackettLuce
from peckorder.random_runs import Progress, Runs
from peckorder.ratings.elo import finals_without, shareable
from peckorder.ratings.replay import EloReplay
from peckorder.results import Measure, Ratings
from peckorder.results.chances import Chances
from peckorder.text import counted, option
from peckorder.validate import between_0_and_1, one_of, true_or_false, whole_number

LABELS = ("context", "group", "season")
PERIODS = {"day": "D", "week": "W", "month": "M", "year": "Y"}
WHOLE = "(all)"
ENOUGH = 1000  # contests of a part for normal intervals, where there are too many to resample all
VIEWS = ("foresight", "hindsight")


def evaluate(
    ratings: Ratings,
    *,
    home_advantage: Any = None,
    equal: Literal["wrong", "half", "drop"] = "wrong",
    skip: Any = 0,
    per: Literal["context", "group", "season", "day", "week", "month", "year"] | None = None,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    calibrate: bool = False,
) -> Measure:
    """Accuracy of ratings in foresight and in hindsight.

    Parameters
    ----------
    ratings : Ratings, of any rater; or the order of `bradley_terry` or `davids_score`
        Or that of `plackett_luce`, for contests of many sides.
    home_advantage : number or mapping, optional
        Used for prediction instead of that of the ratings; none on neutral ground.
    equal : {"wrong", "half", "drop"}
        How contests without a favorite count (ratings exactly equal, home advantage included).
    skip : number of contests, or date
        Leave out the first contests, or those before a date, as a burn-in period.
    per : {"context", "group", "season", "day", "week", "month", "year"}, optional
        Also evaluate each of these separately.
    level, runs, seed, threads
        Bootstrap intervals (contests resampled with replacement): confidence level, number of
        resamples, seed and threads. With more than 20,000 contests, intervals are the mean ±
        standard errors (normal approximation), from which 1000 resamples differ only by chance;
        parts (`per`) with fewer than 1,000 contests are resampled all the same.
    calibrate : bool
        Recalibrate foresight: multiply log-odds by a slope learned from earlier contests only.

    Returns
    -------
    Measure
        `foresight` and `hindsight`, each with contests, decided (not tied), equal (no favorite),
        correct, share, log_loss and brier, numbers with `.low` and `.high`; the same in the table,
        one row each, and for each level of `per`. If ties are modeled, log_loss_ties and rps (log
        loss and ranked probability score of three outcomes) replace log_loss and brier. `hindsight`
        of sequential Elo also has share_left_out and log_loss_left_out, for contests that were left
        out of the ratings (10-fold cross-validation), and optimism (share minus share_left_out).
        For many sides, each has winner_share, winner_log_loss, pairs_share and pairs_log_loss.

    References
    ----------
    Langville & Meyer 2012, Who's #1?, Princeton University Press, chapter 5.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.evaluate(po.elo(po.datasets.adv(), k=200), seed=1)
    >>> found.foresight["correct"], found.foresight["equal"], found.hindsight["correct"]
    (24, 1, 29)
    """
    if isinstance(ratings, PlackettLuce):
        given = locals()
        kept = ["ratings", "equal", "skip", "level", "runs", "seed", "threads", "progress"]
        refuse_others(given, evaluate, *kept)
        each = Runs.of(runs, seed, threads, progress)
        return evaluate_places(ratings, equal=equal, skip=skip, level=level, runs=each)
    ratings = rated(with_chances(ratings), "evaluate")
    tie = chosen_equal(equal)
    between_0_and_1("level", level)
    true_or_false("calibrate", calibrate)
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    each = Runs.of(runs, seed, threads, progress)
    data = ratings.data
    first = first_counted(data, skip)
    before = ratings.foresight(home_advantage)
    bold = too_bold(ratings, before, first, level) if data.ordered and not calibrate else None
    if calibrate:
        before = recalibrated_foresight(ratings, before)
    resample_all = affordable(len(data) - first, each)
    # In a long record, chances in hindsight are faster computed anew than stored.
    after = hindsight(ratings, home_advantage) if resample_all else None
    views = before.part, after.part if after else partial(hindsight, ratings, home_advantage)
    judged = [Judged.of(ratings, chances, tie) for chances in views]
    ranked = before.draw is not None
    parts: dict[Any, Places] = {None: slice(first, None)}
    if per is not None:
        parts |= _parts(labels_of(data, per), first)
    rows, clipped = [], 0
    for name, own in parts.items():
        totals = [one.totals(own) for one in judged]
        clipped = max(clipped, *(one.clipped for one in totals))
        resample = resample_all or totals[0].contests < ENOUGH
        sums = _resampled(judged, own, each) if resample else [None] * len(judged)
        found = [
            summary(one, own_sums, level, ranked)
            for one, own_sums in zip(totals, sums, strict=True)
        ]
        rows += [
            {per or "part": WHOLE if name is None else name, "view": view, **one}
            for view, one in zip(VIEWS, found, strict=True)
        ]
    label = per or "part"
    whole: dict[str, Any] = {
        row["view"]: _with_ends({n: v for n, v in row.items() if n not in (label, "view")}, level)
        for row in rows[:2]
    }
    frame = pl.DataFrame(rows if per is not None else rows[:2], infer_schema_length=None)
    if not data.ordered:  # the ratings before a contest then depend on an arbitrary order
        whole["foresight"] = None
        frame = frame.filter(pl.col("view") == "hindsight")
    whole["hindsight"] |= _left_out(ratings, home_advantage, tie, parts[None], whole["hindsight"])
    sentences = [] if data.ordered else [NO_ORDER]
    sentences += [
        _summary(view, whole[view], level, ranked, equal, ratings.window is not None)
        for view in VIEWS
        if whole[view]
    ]
    sentences += _optimism(whole["hindsight"])
    if calibrate:
        sentences.append(
            "Foresight is recalibrated: log-odds were multiplied by a slope learned from the "
            "contests before each contest."
        )
    notes = (bold, _caution(ratings), clipping(ratings, clipped))
    sentences += [text for text in notes if text]
    shown = () if ratings.window is None else (ratings.window.sentence,)
    own = ratings.method in ("elo", *PREDICTING_ORDERS)
    sentences += ratings.summary if own else shown
    return Measure(
        method="evaluate",
        data=data,
        values=whole,
        frame=frame if per is not None else frame.drop("part"),
        summary=tuple(sentences),
        settings={
            "home_advantage": home_advantage,
            "equal": equal,
            "skip": skip,
            "per": per,
            "level": level,
            "runs": runs,
            "calibrate": calibrate,
            "rater": rater_of(ratings),
        },
        citations=("langville2012",),
        seed=each.seed,
    )


def _with_ends(row: dict[str, Any], level: float) -> dict[str, Any]:
    """A row of the table with the limits of intervals as parts of their numbers."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        if name.endswith(("_low", "_high")):
            continue
        if value is not None and f"{name}_low" in row:
            value = Estimate(value, row[f"{name}_low"], row[f"{name}_high"], level=level)
        out[name] = value
    return out


def _left_out(
    ratings: Ratings, home_advantage: Any, tie: float, own: Any, found: dict[str, Any]
) -> dict[str, float]:
    """Hindsight of contests that were left out of the ratings, and the optimism without that."""
    chances = left_out(ratings, home_advantage)
    if chances is None or found["share"] is None:
        return {}
    totals = Judged.of(ratings, chances, tie).totals(own)
    share, log_loss, _ = (totals.sums / totals.counts).tolist()
    return {
        "share_left_out": share,
        "log_loss_left_out": log_loss,
        "optimism": found["share"] - share,
    }


def _optimism(found: dict[str, Any]) -> list[str]:
    if found["share"] is None:
        return []
    text = "Hindsight is optimistic: the final ratings are based on the contests that they explain."
    if "optimism" not in found:
        return [text]
    points = f"{100 * found['optimism']:z.1f}".replace("-", "−")
    return [
        f"{text} Contests left out of the ratings were explained in {found['share_left_out']:.1%} "
        f"(10-fold cross-validation; optimism {points} percentage points), log loss "
        f"{found['log_loss_left_out']:.3f}."
    ]


def _resampled(judged: list[Judged], own: Places, runs: Runs) -> list[Any]:
    """Sums over resampled contests, the same ones in both views; None if they are too many."""
    sums = bootstrap(np.hstack([one.scores(own).columns for one in judged]), runs)
    return [None] * len(judged) if sums is None else np.split(sums, len(judged), axis=1)


def first_counted(data: Contests, skip: Any) -> int:
    """Index of the first contest that counts: after `skip` contests, or from a date on."""
    if isinstance(skip, int | np.integer) and not isinstance(skip, bool):
        first = whole_number("skip", skip, 0)
    else:
        at = moment(skip, data.times, end_of_day=False)
        first = int(np.searchsorted(data.times, at, side="left"))
    if first >= len(data):
        raise DataError(
            f"{option('skip', str(skip))} leaves none of the {counted(len(data), 'contest')} to "
            f"evaluate. Give a smaller number or an earlier date."
        )
    return first


def _parts(labels: Labels, first: int) -> dict[str, np.ndarray]:
    """Places of the contests with each label from `first` on, in the order of first appearance."""
    codes = labels.codes[first:]
    by_label = first + np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(labels.names)))
    own = [part for part in np.split(by_label, ends[:-1]) if len(part)]
    return {labels.names[labels.codes[part[0]]]: part for part in sorted(own, key=lambda p: p[0])}


def labels_of(data: Contests, per: str) -> Labels:
    """Label of each contest: its context, group, season or period."""
    one_of("per", per, CHOICES)
    if per in LABELS:
        labels = getattr(data, per)
        if labels is None:
            raise DataError(f"These data have no {per}. Name its column: {option(per)}.")
        return labels
    if data.date is None or data.date.dtype.kind != "M":
        raise DataError(
            f"{option('per', per)} needs calendar dates. Name the date column: {option('date')}."
        )
    if per == "week":  # labeled by its Monday
        periods = data.date.astype("datetime64[D]")
        periods = periods - ((periods.astype(np.int64) + 3) % 7)
    else:
        periods = data.date.astype(f"datetime64[{PERIODS[per]}]")
    codes = stamp_numbers(periods)
    found = periods[np.searchsorted(codes, np.arange(codes[-1] + 1))]
    return Labels(codes, tuple(found.astype(str).tolist()))


CHOICES = (*LABELS, *PERIODS)


def _summary(
    view: str, found: dict[str, Any], level: float, ranked: bool, equal: str, windowed: bool
) -> str:
    if found["share"] is None:
        return f"{view.capitalize()}: there are no decided contests, so accuracy is undefined."
    if found["equal"] == found["decided"]:
        return (
            f"{view.capitalize()}: both sides had equal ratings in all {found['decided']:,} "
            f"decided contests, so none has a favorite."
        )
    decided = found["decided"] - (found["equal"] if equal == "drop" else 0)
    ends = (100 * found["share"].low, 100 * found["share"].high)
    explained = {
        "foresight": "predicted by the ratings before each contest",
        "hindsight": "explained by the final ratings"
        if not windowed
        else "explained by the ratings at the end of the window",
    }
    return (
        f"{view.capitalize()}: {found['correct']:,} of {decided:,} decided contests "
        f"{explained[view]} ({found['share']:.1%}, "
        f"{confidence_interval(*ends, level, '.1f', '%')}); "
        + (
            f"log loss of three outcomes {found['log_loss_ties']:.3f} (guessing: {np.log(3):.3f})."
            if ranked
            else f"log loss {found['log_loss']:.3f} (guessing: {np.log(2):.3f})."
        )
    )


def _caution(ratings: Ratings) -> str | None:
    if ratings.method not in ("elo_ml", "elo_bayes"):
        return None
    alternative = " .prequential() predicts each contest from earlier contests only."
    return (
        "The parameters were estimated from these same contests, so the foresight is optimistic."
        + (alternative if ratings.method == "elo_bayes" else "")
    )


FOLDS = 10
FEWEST = 20  # contests, below which folds are too small


def left_out(ratings: Ratings, home_advantage: Any = None) -> Callable[[Places], Chances] | None:
    """Probabilities of contests at given places, under the final ratings without them."""
    data, course = ratings.data, ratings.course
    replay = course.replay
    if ratings.method != "elo" or not isinstance(replay, EloReplay) or len(data) < FEWEST:
        return None
    fold = folds(len(data))
    if shareable(replay) and not home_advantage:
        rating, winner, loser = finals_without(replay, fold, FOLDS), data.winner, data.loser

        def chances(own: Places) -> Chances:
            ahead = rating[winner[own], fold[own]] - rating[loser[own], fold[own]]
            return Chances.decided(np.asarray(ratings.curve(ahead)), ahead)

        return chances
    win, ahead = np.empty(len(data)), np.empty(len(data))
    for number in range(FOLDS):
        own = np.flatnonzero(fold == number)
        rating = replay.final_without(own)
        if rating is None:
            return None
        found = hindsight(replace(ratings, rating=rating), home_advantage)
        win[own], ahead[own] = found.win[own], found.ahead[own]
    return Chances.decided(win, ahead).part


def folds(contests: int) -> np.ndarray:
    """Fold of each contest: runs of consecutive contests, dealt out in turn."""
    length = min(block_length(contests), max(1, contests // (2 * FOLDS)))
    return np.resize(np.repeat(np.arange(FOLDS, dtype=np.int8), length), contests)
