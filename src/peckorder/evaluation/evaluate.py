"""How often did the ratings before each contest foretell it, and how often do the last explain it?

Foresight uses the ratings before each contest, hindsight the final ones (Langville & Meyer 2012,
chapter 5).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import between_0_and_1, one_of, whole_number
from peckorder.data.dates import moment
from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.evaluation.scoring import (
    NO_ORDER,
    Scores,
    bootstrap,
    chosen_equal,
    clipped,
    hindsight,
    rated,
    rater_of,
    scored,
    summary,
)
from peckorder.home import check_home_advantage
from peckorder.results import Measure, Ratings
from peckorder.runs import Progress, Runs
from peckorder.wording import counted

LABELS = ("context", "group", "season")
PERIODS = {"day": "D", "week": "W", "month": "M", "year": "Y"}
WHOLE = "(all)"
VIEWS = ("foresight", "hindsight")


def evaluate(
    ratings: Ratings,
    *,
    home_advantage: Any = None,
    equal: str = "wrong",
    skip: Any = 0,
    per: str | None = None,
    level: float = 0.95,
    runs: int = 1000,
    seed: Any = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Foresight and hindsight of any ratings, side by side.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    home_advantage : number or mapping, optional
        For the prediction, in place of that of the ratings; none on neutral ground.
    equal : {"wrong", "half", "drop"}
        What it counts when neither side is ahead (equality is exact, home advantage included).
    skip : number of contests, or date
        Leave out the first contests, or those before a date: a burn-in, in which ratings still
        settle.
    per : {"context", "group", "season", "day", "week", "month", "year"}, optional
        Also for each of these.
    level, runs, seed, threads
        Of bootstrap intervals: contests are drawn again with replacement.

    Returns
    -------
    Measure
        `foresight` and `hindsight`, each with contests, decided (not drawn), equal (neither side
        ahead), correct, share, log_loss and brier with their intervals; the same in the table,
        one row each, and for each part where `per` asks for them. Where draws are modeled, rps
        (ranked probability score) takes the place of brier.

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
    rated(ratings, "evaluate")
    tie = chosen_equal(equal)
    between_0_and_1("level", level)
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    each = Runs.of(runs, seed, threads, progress)
    data = ratings.data
    first = first_counted(data, skip)
    chances = ratings.foresight(home_advantage), hindsight(ratings, home_advantage)
    scores = [scored(ratings, one, tie) for one in chances]
    ranked = chances[0].draw is not None
    parts: dict[Any, np.ndarray] = {None: np.arange(first, len(data))}
    if per is not None:
        labels = labels_of(data, per)[first:]
        names = list(dict.fromkeys(labels.tolist()))
        parts |= {name: first + np.flatnonzero(labels == name) for name in names}
    rows = []
    for name, own in parts.items():
        found = _both([one.take(own) for one in scores], each, level, ranked)
        rows += [
            {per or "part": WHOLE if name is None else name, "view": view, **one}
            for view, one in found.items()
        ]
    label = per or "part"
    whole: dict[str, Any] = {
        row["view"]: {name: value for name, value in row.items() if name not in (label, "view")}
        for row in rows[:2]
    }
    frame = pl.DataFrame(rows if per is not None else rows[:2], infer_schema_length=None)
    if not data.ordered:  # the ratings before a contest are then those of an accident
        whole["foresight"] = None
        frame = frame.filter(pl.col("view") == "hindsight")
    words = [_in_words(view, whole[view], level, ranked, equal) for view in VIEWS if whole[view]]
    words = [NO_ORDER, *words] if not data.ordered else words
    words += [text for text in (_caution(ratings), clipped(ratings, *chances)) if text]
    return Measure(
        method="evaluate",
        data=data,
        values=whole,
        frame=frame if per is not None else frame.drop("part"),
        summary=tuple(words),
        settings={
            "home_advantage": home_advantage,
            "equal": equal,
            "skip": skip,
            "per": per,
            "level": level,
            "runs": runs,
            "rater": rater_of(ratings),
        },
        citations=("langville2012",),
        seed=each.seed,
    )


def _both(scores: list[Scores], runs: Runs, level: float, ranked: bool) -> dict[str, dict]:
    """Foresight and hindsight of the same contests, drawn again together."""
    sums = bootstrap(np.hstack([one.columns for one in scores]), runs)
    width = scores[0].columns.shape[1]
    return {
        view: summary(
            one, None if sums is None else sums[:, i * width : (i + 1) * width], level, ranked
        )
        for i, (view, one) in enumerate(zip(VIEWS, scores, strict=True))
    }


def first_counted(data: Interactions, skip: Any) -> int:
    """The first contest that counts, after so many or from a date on."""
    if isinstance(skip, int | np.integer) and not isinstance(skip, bool):
        first = whole_number("skip", skip, 0)
    else:
        at = moment(skip, data.times, end_of_day=False)
        first = int(np.searchsorted(data.times, at, side="left"))
    if first >= len(data):
        raise DataError(
            f"skip={skip} leaves none of the {counted(len(data), 'contest')}: nothing is left to "
            f"evaluate. Give a smaller number, or an earlier date (--skip)."
        )
    return first


def labels_of(data: Interactions, per: str) -> np.ndarray:
    """What each contest belongs to, as text."""
    if per in LABELS:
        labels = getattr(data, per)
        if labels is None:
            raise DataError(f"These data have no {per}. Name its column: {per}= (--{per}).")
        return np.array(labels.names, dtype=object)[labels.codes]
    one_of("per", per, CHOICES)
    if data.date is None or data.date.dtype.kind != "M":
        raise DataError(f'per="{per}" needs calendar dates. Name their column: date= (--date).')
    if per == "week":  # by its Monday
        days = data.date.astype("datetime64[D]")
        monday = days - ((days.astype(np.int64) + 3) % 7)
        return monday.astype(str).astype(object)
    return data.date.astype(f"datetime64[{PERIODS[per]}]").astype(str).astype(object)


CHOICES = (*LABELS, *PERIODS)


def _in_words(view: str, found: dict[str, Any], level: float, ranked: bool, equal: str) -> str:
    if found["share"] is None:
        return f"{view.capitalize()}: no contest was decided, so no favorite could win."
    counted_contests = found["decided"] - (found["equal"] if equal == "drop" else 0)
    loss = f"log loss {found['log_loss']:.3f} (guessing {np.log(3 if ranked else 2):.3f})"
    told = {
        "foresight": "were won by whoever stood higher before them",
        "hindsight": "were won by whoever stands higher in the end",
    }
    return (
        f"{view.capitalize()}: {found['correct']:,} of {counted_contests:,} decided contests "
        f"{told[view]}: {100 * found['share']:.1f} % ({100 * level:g} % interval "
        f"{100 * found['share_low']:.1f} to {100 * found['share_high']:.1f}); {loss}."
    )


def _caution(ratings: Ratings) -> str | None:
    if ratings.method not in ("elo_ml", "elo_bayes"):
        return None
    more = ".prequential() predicts each contest from those before it alone."
    return (
        "What was estimated here rests on these same contests, so its foresight flatters the fit"
        + (f"; {more}" if ratings.method == "elo_bayes" else ".")
    )
