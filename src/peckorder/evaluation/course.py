"""The course of chosen ratings: areas under them, and how long one stood above another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import polars as pl

from peckorder.evaluation.scoring import rated, rater_of
from peckorder.results import Measure, Ratings


def course(ratings: Ratings, *, individuals: Sequence[str] | None = None) -> Measure:
    """Trajectories, the area under each, and the share of contests one stood above another.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    individuals : names, in any number; all by default.

    Returns
    -------
    Measure
        Table, largest area first: individual, contests (its own), area (under its trajectory, by
        trapezoids, one unit per contest of its own), mean (of the trajectory), area_all (over
        every contest of the record). `above`: the share of all contests after which the first
        stood strictly above the second. `trajectories`: the rating of each at its start and after
        each own contest.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.course(po.elo(po.datasets.adv(), k=200), individuals=["b", "c"])
    >>> found.table["individual"].to_list(), round(found.above["b"]["c"], 2)
    (['c', 'b'], 0.27)
    """
    rated(ratings, "course")
    data = ratings._course()
    if isinstance(individuals, str):
        individuals = [individuals]
    names = list(ratings) if individuals is None else [str(name) for name in individuals]
    codes = np.array([ratings._code(name) for name in names])
    assert ratings.replay is not None
    after = ratings.replay.after_each(codes)[1:]
    rows, paths = [], []
    for name in names:
        own = int(ratings.record.contests[ratings._code(name)])
        area, path = ratings.integral(name), ratings._trajectory(name)
        rows.append({
            "individual": name, "contests": own, "area": area,
            "mean": path["rating"].mean(), "area_all": ratings.integral(name, over="all"),
        })  # fmt: skip
        paths.append(path.select(pl.lit(name).alias("individual"), pl.all()))
    above = {name: {} for name in names}
    for i, j in permutations(range(len(names)), 2):
        both = ~np.isnan(after[:, i]) & ~np.isnan(after[:, j])
        share = (after[both, i] > after[both, j]).mean() if both.any() else None
        above[names[i]][names[j]] = None if share is None else float(share)
    frame = pl.DataFrame(rows).sort("area", descending=True, maintain_order=True)
    top = frame.row(0, named=True)
    words = [f"{top['individual']} has the largest area, {top['area']:,.1f} over its contests."]
    for name in names[1:4] if 1 < len(names) <= 4 else []:
        share = above[names[0]][name]
        if share is not None:
            words.append(
                f"{names[0]} stood above {name} after {100 * share:.0f} % of the {len(data):,} "
                f"contests."
            )
    return Measure(
        method="course", data=data, values={"above": above} if len(names) > 1 else {}, frame=frame,
        words=tuple(words), tables={"trajectories": pl.concat(paths, how="vertical_relaxed")},
        settings={"individuals": names, "rater": rater_of(ratings)},
        citations=("langville2012",), seed=ratings._seed(),
    )  # fmt: skip
