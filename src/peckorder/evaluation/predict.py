"""Predictions of future contests: probabilities of a win, a tie and a loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.effects import difference_of
from peckorder.data.user_tables import PAIRS, Fixtures
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.field_forecast import RATERS, predict_places, refuse_others
from peckorder.evaluation.next_ratings import onward, read_upcoming, words_on_entries
from peckorder.evaluation.order_forecast import OrderRatings, with_chances
from peckorder.evaluation.recalibration import PRIOR_SD, learned_factor, stretched, too_bold
from peckorder.evaluation.scoring import NO_ORDER, rated, rater_of
from peckorder.results import Measure, Ratings
from peckorder.results.chances import Chances, Reading, joined, limit_of, reading
from peckorder.results.samples import SampledRatings
from peckorder.text import counted, option, option_name, quoted
from peckorder.validate import FittedTies, between_0_and_1, true_or_false

PAIR = [name for pair in PAIRS for name in pair]


def predict(
    ratings: Ratings,
    fixtures: Any,
    *,
    home_advantage: Any = None,
    ties: FittedTies = "davidson",
    at: object = None,
    level: float = 0.95,
    home: str | None = None,
    away: str | None = None,
    neutral: str | None = None,
    a: str | None = None,
    b: str | None = None,
    season: str | None = None,
    new_season: bool = False,
    newcomers: bool = False,
    calibrate: bool = False,
) -> Measure:
    """Outcome probabilities of fixtures: before the next contests, or from ratings at a date.

    Probabilities are those that the rating method gives before the next contest, as in the
    foresight of `evaluate`: ratings are carried over to new seasons, deviations increase, and
    newcomers enter by its rule.

    Parameters
    ----------
    ratings : Ratings, of any rater; or the order of `bradley_terry` or `davids_score`
        Or that of `plackett_luce`, or a `FieldRater`, for contests of many sides.
    fixtures : file, table, or list of pairs
        With columns home and away (and neutral), or a and b if there is no home side. For many
        sides: race and driver (and side), one row per individual, or a list of line-ups, each a
        list of names, and of tuples of names for sides of several.
    home_advantage : number or mapping, optional
        Used instead of that of the ratings; none on neutral ground.
    ties : {"davidson", "omit"}
        If the rated contests include ties and the rater does not model them, estimate their
        probability from its foresight (Davidson 1970), or leave p_tie empty, so that p_a is an
        expected score. A rater based on points expects a share of the points, which is converted
        to a probability of winning by calibrating its foresight.
    at : date or contest number, optional.
    level : of the credible intervals, available for posteriors.
    home, away, neutral, a, b, season : names of columns
        Column of the fixtures, if it is not found by a common name.
        Ratings with `carry_over` are carried over before each season of the fixtures that follows
        the last one rated.
    new_season : bool
        The fixtures are of the season after the last one rated, if they have no column of seasons.
    newcomers : bool
        Accept names that took part in no contest. By default they are accepted in a new season,
        with a note, and otherwise or if a rated name resembles them refused, because they may be
        misspelled.
    calibrate : bool
        Multiply log-odds by a factor that corrects probabilities that are too bold: the calibration
        slope of the foresight of the rated contests, drawn toward 1 while they are few. Not for
        ratings by points, whose log-odds are calibrated already.

    Returns
    -------
    Measure
        Table: a, b, p_a, p_tie, p_b (and their intervals). Values: `fixtures`,
        `nu` if ties are modeled, and `factor` if chances were recalibrated. For many sides the
        table has contest, side, expected (mean place), and the chance of each place p_1, p_2, …

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> po.predict(ratings, fixtures=[("b", "c"), ("a", "b")]).table["p_a"].round(3).to_list()
    [0.689, 0.01]
    """
    if isinstance(ratings, RATERS):
        refuse_others(locals(), predict, "ratings", "fixtures")
        return predict_places(ratings, fixtures)
    ratings = rated(with_chances(ratings), "predict")
    between_0_and_1("level", level)
    read = reading(ratings, ties)
    columns = {"home": home, "away": away, "neutral": neutral, "a": a, "b": b, "season": season}
    listed, passed = read_upcoming(
        ratings, fixtures, columns, home_advantage, new_season=new_season, newcomers=newcomers
    )
    bonus, said = covariates_of_fixtures(ratings, listed, home_advantage)
    chances, moved = _upcoming(ratings, listed, passed, bonus, at)
    _refuse_unrated(ratings, listed, chances, at)
    factor = _learned(ratings, true_or_false("calibrate", calibrate))
    if factor is not None:
        chances = stretched(chances, factor, limit_of(ratings))
    chances = read.of(chances)
    names = pl.Series([*ratings.individuals, *listed.newcomers], dtype=pl.String)
    found: dict[str, Any] = {} if listed.date is None else {"date": listed.date}
    found |= {
        "a": names.gather(pl.Series(listed.first)),
        "b": names.gather(pl.Series(listed.second)),
        "p_a": chances.win,
        "p_tie": _draw_column(chances, read),
        "p_b": chances.loss,
    }
    if isinstance(moved, SampledRatings):
        found |= _intervals(moved, listed, home_advantage, at, level)
    values: dict[str, Any] = {"fixtures": len(listed)}
    if read.nu is not None:
        values["nu"] = read.nu
    if factor is not None:
        values["factor"] = factor
    return Measure(
        method="predict",
        data=ratings.data,
        values=values,
        frame=pl.DataFrame(found),
        summary=(
            *read.summary,
            *said,
            *(words_on_entries(ratings, listed, passed) if at is None else ()),
            *_of_components(ratings),
            *_boldness_summary(ratings, factor, level),
        ),
        settings={
            "home_advantage": home_advantage,
            "ties": ties,
            "calibrate": calibrate,
            "new_season": new_season,
            "newcomers": list(listed.newcomers) or None,
            "at": None if at is None else str(at),
            "level": level,
            "rater": rater_of(ratings),
        },
        citations=("langville2012", *(("davidson1970",) if read.nu is not None else ())),
        seed=ratings.seed,
    )


def _upcoming(
    ratings: Ratings, listed: Fixtures, passed: np.ndarray, home_advantage: Any, at: object
) -> tuple[Chances, Ratings]:
    """Chances of all fixtures, season by season, and the ratings before the first of them."""
    sides = listed.first, listed.second, listed.home
    if at is not None:
        if listed.newcomers or passed.any():
            raise ArgumentError(
                f"{option_name('at')} predicts from the ratings at a date: newcomers and new "
                f"seasons follow the last contest. Remove {option('at')}."
            )
        return ratings.chances(*sides, home_advantage, at), ratings
    each = home_advantage if isinstance(home_advantage, np.ndarray) else None
    parts, earliest = [], ratings
    for number in np.unique(passed):
        own = passed == number
        moved = onward(ratings, listed.newcomers, int(number))
        first, second, home = (side[own] for side in sides)
        bonus = home_advantage if each is None else each[own]
        parts.append(moved.chances(first, second, home, bonus))
        earliest = moved if len(parts) == 1 else earliest
    return joined(parts), earliest


def covariates_of_fixtures(
    ratings: Ratings, listed: Fixtures, home_advantage: Any
) -> tuple[Any, tuple[str, ...]]:
    """What home and covariates of a fit add to the first side of each fixture, and what to say."""
    if not isinstance(ratings, OrderRatings) or not ratings.effects:
        return home_advantage, ()
    bonus = ratings.bonus_at_home(listed.first, listed.second, listed.home, home_advantage)
    unknown = []
    for name, coefficient in ratings.effects.items():
        columns = [] if listed.extra is None else listed.extra.columns
        if any(column in name for column in columns if column not in PAIR):
            bonus = bonus + coefficient * difference_of(listed, name)
        else:
            unknown.append(name)
    if not unknown:
        return bonus, ()
    return bonus, (
        f"The fixtures have no {quoted(unknown)}: both sides are predicted as equal in "
        f"{'it' if len(unknown) == 1 else 'them'}.",
    )


def _learned(ratings: Ratings, calibrate: bool) -> float | None:
    """The factor of the log-odds of fixtures, if any."""
    if not calibrate:
        return None
    if ratings.settings.get("outcome") == "points" or isinstance(ratings, SampledRatings):
        raise ArgumentError(
            f"{option('calibrate', 'True')} cannot be used with ratings by points, which are "
            f"calibrated already, nor with a posterior."
        )
    if not ratings.data.ordered:
        raise DataError(NO_ORDER)
    return learned_factor(ratings)


def _of_components(ratings: Ratings) -> tuple[str, ...]:
    """What is said where abilities of the fit have no finite differences."""
    if not isinstance(ratings, OrderRatings) or not ratings.penalized_instead:
        return ()
    return (
        f"Between the components of this fit, differences in ability are unbounded: these are the "
        f"probabilities of a fit with a normal prior ({option('penalized', 'True')}).",
    )


def _boldness_summary(ratings: Ratings, factor: float | None, level: float) -> tuple[str, ...]:
    if factor is not None:
        return (
            f"Log-odds were multiplied by {factor:.2f}: the calibration slope of "
            f"{counted(len(ratings.data), 'contest')} so far, drawn toward 1 by a normal prior "
            f"(standard deviation {PRIOR_SD:g}).",
        )
    if ratings.method not in ("elo", "glicko", "glicko2") or not ratings.data.ordered:
        return ()
    if ratings.settings.get("outcome") == "points":
        return ()
    bold = too_bold(ratings, ratings.foresight(), 0, level)
    return () if bold is None else (bold,)


def _refuse_unrated(ratings: Ratings, listed: Fixtures, chances: Chances, at: object) -> None:
    lost = np.flatnonzero(np.isnan(chances.win))
    if lost.size:
        codes = np.unique([listed.first[lost], listed.second[lost]])
        names = quoted([ratings.individuals[i] for i in codes])
        raise DataError(
            f"{names}: one or both were not rated (or not present) at {at}. Choose another date, "
            f"or remove these fixtures."
        )


def _draw_column(chances: Chances, read: Reading) -> Any:
    if chances.draw is not None:
        return chances.draw
    return pl.Series([None if read.empty else 0.0] * len(chances.win), dtype=pl.Float64)


def _intervals(
    ratings: SampledRatings, listed: Fixtures, home_advantage: Any, at: object, level: float
) -> dict[str, np.ndarray]:
    ends = [0.5 - level / 2, 0.5 + level / 2]
    cuts = {name: np.empty((2, len(listed))) for name in ("win", "draw", "loss")}
    for own in ratings.blocks(len(listed)):
        part = ratings.chances_by_draw(
            listed.first[own], listed.second[own], listed.home[own], home_advantage, at
        )
        for name, cut in cuts.items():
            cut[:, own] = np.quantile(getattr(part, name), ends, axis=0)
    out = {}
    for column, name in (("p_a", "win"), ("p_tie", "draw"), ("p_b", "loss")):
        if name == "draw" and "nu" not in ratings.values:
            continue
        out[f"{column}_low"], out[f"{column}_high"] = cuts[name]
    return out
