"""Rating trajectories: the areas under them, and how often one is above another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from peckorder.checked import several
from peckorder.errors import ArgumentError
from peckorder.evaluation.scoring import rated, rater_of
from peckorder.results import Measure, Ratings
from peckorder.wording import option_name

MOST_COMPARED = 4  # individuals whose pairs are compared in the summary


def areas(ratings: Ratings, *, individuals: Sequence[str] | None = None) -> Measure:
    """Rating trajectories, the area under each, and how often one is above another.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    individuals : names; all individuals by default.

    Returns
    -------
    Measure
        Table, largest area first: individual, contests (its own), area (under its ratings before
        the first and after each of its own contests, by the trapezoidal rule), mean (of these
        ratings), area_all (over all contests in the data). `above`: among the contests after
        which both individuals are rated, the share after which the first is rated strictly above
        the second. `trajectories`: the rating of each at its start and after each change.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.areas(po.elo(po.datasets.adv(), k=200), individuals=["b", "c"])
    >>> found.table["individual"].to_list(), round(found.above["b"]["c"], 2)
    (['c', 'b'], 0.27)
    """
    rated(ratings, "areas")
    data = ratings.data
    wanted = ratings.everyone if individuals is None else several("individuals", individuals)
    names = list(dict.fromkeys(map(str, wanted)))
    if not names:
        raise ArgumentError(
            f"{option_name('individuals')} is empty: name at least one, or omit it to use all."
        )
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
    sentences = []
    if len(names) > 1:
        sentences.append(
            f"{top['individual']} has the largest area, {top['area']:,.1f} over its contests."
        )
    for one, other in combinations(names, 2) if len(names) <= MOST_COMPARED else ():
        share = above[one][other]
        if share is not None:
            sentences.append(f"{one} was rated above {other} after {share:.0%} of the contests.")
    return Measure(
        method="areas",
        data=data,
        values={"above": above} if len(names) > 1 else {},
        frame=frame,
        summary=tuple(sentences),
        tables={"trajectories": pl.concat(paths, how="vertical_relaxed")},
        settings={"individuals": names, "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )


def _above(names: list[str], course: np.ndarray) -> dict[str, dict[str, float | None]]:
    """Among contests after which both are rated, the share after which one is rated higher."""
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
