"""What ratings foretell of contests to come: chances to win, draw and lose."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.fixtures import Fixtures, read_fixtures
from peckorder.errors import DataError
from peckorder.evaluation.scoring import drawn_of, rated, rater_of
from peckorder.rating.policies import check_home_advantage
from peckorder.results import Measure, Posterior, Ratings
from peckorder.results.chances import Chances
from peckorder.runs import checked_level
from peckorder.wording import counted, quoted

DRAWS = ("davidson", "omit")


def predict(
    ratings: Ratings,
    *,
    fixtures: Any,
    home_advantage: Any = None,
    draws: str = "davidson",
    at: object = None,
    level: float = 0.95,
    home: str | None = None,
    away: str | None = None,
    neutral: str | None = None,
    a: str | None = None,
    b: str | None = None,
) -> Measure:
    """Chances of both sides of each fixture, by the final ratings or those at a date.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    fixtures : file, table, or list of pairs
        With columns home and away (and neutral), or a and b where nobody is at home.
    home_advantage : number or mapping, optional
        In place of that of the ratings; none on neutral ground.
    draws : {"davidson", "omit"}
        Where the contests rated had draws and the rater has no model of them, estimate from its
        foresight how likely they are (Davidson 1970); or leave p_draw empty, so that p_a is an
        expected score.
    at : date or contest number, optional.
    level : of intervals, which ratings with draws from a posterior have.
    home, away, neutral, a, b : names of columns, where they are not found by common names.

    Returns
    -------
    Measure
        Table: side_a, side_b, p_a, p_draw, p_b (and their intervals). Values: `fixtures`, and
        `nu` where draws are modeled.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> po.predict(ratings, fixtures=[("b", "c"), ("a", "b")]).table["p_a"].round(3).to_list()
    [0.689, 0.01]
    """
    rated(ratings, "predict")
    checked_level(level)
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    if draws not in DRAWS:
        raise ValueError(f'draws="{draws}" is not known. Choose one of: {", ".join(DRAWS)}.')
    listed = read_fixtures(
        fixtures, ratings.individuals, home=home, away=away, neutral=neutral, a=a, b=b
    )
    nu, words = tie_odds(ratings, draws, home_advantage)
    chances = ratings._between(listed.first, listed.second, listed.home, home_advantage, at)
    _refuse_unrated(ratings, listed, chances, at)
    chances = chances.with_draws(nu) if nu is not None and chances.draw is None else chances
    names = pl.Series(ratings.individuals, dtype=pl.String)
    columns: dict[str, Any] = {} if listed.date is None else {"date": listed.date}
    columns |= {
        "side_a": names.gather(pl.Series(listed.first)),
        "side_b": names.gather(pl.Series(listed.second)),
        "p_a": chances.win,
        "p_draw": _draw_column(ratings, chances),
        "p_b": chances.loss,
    }
    if isinstance(ratings, Posterior):
        columns |= _intervals(ratings, listed, home_advantage, at, level)
    values: dict[str, Any] = {"fixtures": len(listed)}
    if nu is not None:
        values["nu"] = nu
    return Measure(
        method="predict",
        data=ratings._course(),
        values=values,
        frame=pl.DataFrame(columns),
        words=tuple(words),
        settings={
            "home_advantage": home_advantage, "draws": draws, "at": None if at is None else str(at),
            "level": level, "rater": rater_of(ratings),
        },
        citations=("langville2012", *(("davidson1970",) if nu is not None else ())),
        seed=ratings._seed(),
    )  # fmt: skip


def tie_odds(
    ratings: Ratings, draws: str, home_advantage: Any = None
) -> tuple[float | None, list[str]]:
    """How likely draws are beside wins: Davidson's ν, where the rater does not model them."""
    data = ratings._course()
    drawn = drawn_of(data)
    chances = ratings._foreseen(home_advantage)
    if not drawn.any() or chances.draw is not None:
        return None, []
    if draws == "omit":
        return None, [
            "Draws are not modeled: p_a and p_b are expected scores, in which a draw counts half."
        ]
    if drawn.all():
        raise DataError(
            "All contests were draws: how likely a win is cannot be told. Pass "
            'draws="omit" (--draws omit).'
        )
    root = np.sqrt(chances.win * chances.loss)
    nu = _most_likely(root, int(drawn.sum()))
    return nu, [
        f"Equals draw with a chance of {nu / (2 + nu):.2f} (ν = {nu:.3g}, estimated from "
        f"{counted(int(drawn.sum()), 'draw')} in {counted(len(data), 'contest')})."
    ]


def _most_likely(root: np.ndarray, number: int) -> float:
    """The ν under which as many draws are expected as there were."""
    from scipy.optimize import brentq

    def excess(log_nu: float) -> float:
        odds = np.exp(log_nu) * root
        return float((odds / (1 + odds)).sum() - number)

    root_of: Any = brentq
    return float(np.exp(root_of(excess, -30.0, 30.0)))


def _refuse_unrated(ratings: Ratings, listed: Fixtures, chances: Chances, at: object) -> None:
    lost = np.flatnonzero(np.isnan(chances.win))
    if lost.size:
        codes = np.unique([listed.first[lost], listed.second[lost]])
        names = quoted([ratings.individuals[i] for i in codes])
        raise DataError(
            f"{names}: one or both were not rated (or not present) at {at}. Choose another date, "
            f"or leave these fixtures out."
        )


def _draw_column(ratings: Ratings, chances: Chances) -> Any:
    if chances.draw is not None:
        return chances.draw
    known = 0.0 if not drawn_of(ratings._course()).any() else None
    return pl.Series([known] * len(chances.win), dtype=pl.Float64)


def _intervals(
    ratings: Posterior, listed: Fixtures, home_advantage: Any, at: object, level: float
) -> dict[str, np.ndarray]:
    ends = [0.5 - level / 2, 0.5 + level / 2]
    cuts = {name: np.empty((2, len(listed))) for name in ("win", "draw", "loss")}
    for own in ratings._blocks_of(len(listed)):
        part = ratings._between_draws(
            listed.first[own], listed.second[own], listed.home[own], home_advantage, at
        )
        for name, cut in cuts.items():
            cut[:, own] = np.quantile(getattr(part, name), ends, axis=0)
    out = {}
    for column, name in (("p_a", "win"), ("p_draw", "draw"), ("p_b", "loss")):
        if name == "draw" and "nu" not in ratings.draws:
            continue
        out[f"{column}_low"], out[f"{column}_high"] = cuts[name]
    return out
