"""The course of chosen ratings: areas under them, and how long one stood above another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from peckorder.evaluation.scoring import rated, rater_of
from peckorder.results import Measure, Ratings

MOST_TOLD = 4  # whose pairs are told in words


def areas(ratings: Ratings, *, individuals: Sequence[str] | None = None) -> Measure:
    """Trajectories, the area under each, and the share of contests one stood above another.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    individuals : names, in any number; all by default.

    Returns
    -------
    Measure
        Table, largest area first: individual, contests (its own), area (under its ratings before
        the first and after each own contest, by trapezoids), mean (of these), area_all (over every
        contest of the record). `above`: of the contests after which both are rated, the share
        after which the first stood strictly above the second. `trajectories`: the rating of each
        at its start and after each change.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.areas(po.elo(po.datasets.adv(), k=200), individuals=["b", "c"])
    >>> found.table["individual"].to_list(), round(found.above["b"]["c"], 2)
    (['c', 'b'], 0.27)
    """
    rated(ratings, "areas")
    data = ratings.data
    if isinstance(individuals, str):
        individuals = [individuals]
    names = list(ratings) if individuals is None else list(dict.fromkeys(map(str, individuals)))
    if not names:
        raise ValueError("individuals is empty: name some, or leave it out for all of them.")
    codes = np.array([ratings.code(name) for name in names])
    course = ratings.course.replay.after_each(codes)
    rows, paths = [], []
    for name, rating in zip(names, course.T, strict=True):
        own = ratings.course.own_path(ratings.code(name))
        seen = rating[~np.isnan(rating)]
        rows.append(
            {
                "individual": name,
                "contests": max(0, len(own) - 1),
                "area": float(np.trapezoid(own)),
                "mean": float(own.mean()) if len(own) else None,
                "area_all": float(np.trapezoid(seen)),
            }
        )
        path = ratings.trajectory_frame(name, rating.copy())
        paths.append(path.select(pl.lit(name).alias("individual"), pl.all()))
    above = _above(names, course[1:])
    frame = pl.DataFrame(rows).sort("area", descending=True, maintain_order=True)
    top = frame.row(0, named=True)
    words = []
    if len(names) > 1:
        words.append(
            f"{top['individual']} has the largest area, {top['area']:,.1f} over its contests."
        )
    for one, other in combinations(names, 2) if len(names) <= MOST_TOLD else ():
        share = above[one][other]
        if share is not None:
            words.append(f"{one} stood above {other} after {100 * share:.0f} % of the contests.")
    return Measure(
        method="areas",
        data=data,
        values={"above": above} if len(names) > 1 else {},
        frame=frame,
        summary=tuple(words),
        tables={"trajectories": pl.concat(paths, how="vertical_relaxed")},
        settings={"individuals": names, "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )


def _above(names: list[str], course: np.ndarray) -> dict[str, dict[str, float | None]]:
    """Of the contests after which both are rated, the share after which one stood higher."""
    above: dict[str, dict[str, float | None]] = {}
    for i, name in enumerate(names):
        with np.errstate(invalid="ignore"):
            higher = (course[:, i, None] > course).sum(axis=0)
        both = (~np.isnan(course[:, i, None]) & ~np.isnan(course)).sum(axis=0)
        above[name] = {
            other: float(higher[j] / both[j]) if both[j] else None
            for j, other in enumerate(names)
            if j != i
        }
    return above
