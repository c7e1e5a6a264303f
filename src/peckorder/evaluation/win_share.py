"""Regression of the share of contests won on ratings (Langville & Meyer 2012, chapter 5)."""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.data.dates import moment
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.scoring import rated, rater_of
from peckorder.results import Measure, Ratings
from peckorder.results.chances import drawn_of
from peckorder.wording import option


def win_share(ratings: Ratings, *, until: object = None) -> Measure:
    """Linear regression of the share of contests won on the final ratings.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    until : date or contest number, optional
        Count wins up to this day only (for example, a regular season without the playoffs).

    Returns
    -------
    Measure
        Table: individual, rating, contests, share (wins and half the ties), fitted, residual.
        Values: `correlation`, `slope`, `intercept`, `mad` (mean absolute residual), `mse` (mean
        squared residual), `individuals` (number of individuals with contests in that time).

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.sport.win_share(po.elo(po.datasets.adv(), k=200))
    >>> round(found.correlation, 3), round(found.mad, 3)
    (0.944, 0.073)
    """
    rated(ratings, "win_share")
    data = ratings.data
    last = len(data)
    if until is not None:
        last = int(np.searchsorted(data.times, moment(until, data.times), side="right"))
        if last == 0:
            raise ArgumentError(
                f"{option('until', str(until))} is before the first contest. Choose a later date."
            )
    drawn = drawn_of(data)[:last]
    size = len(data.individuals)
    won = np.bincount(data.winner[:last], weights=np.where(drawn, 0.5, 1.0), minlength=size)
    won += np.bincount(data.loser[:last], weights=np.where(drawn, 0.5, 0.0), minlength=size)
    contests = np.bincount(data.winner[:last], minlength=size)
    contests += np.bincount(data.loser[:last], minlength=size)
    own = np.flatnonzero(contests)
    own = own[np.argsort(-ratings.rating[own], kind="stable")]
    rating, share = ratings.rating[own], won[own] / contests[own]
    if np.ptp(rating) == 0:
        raise DataError("All ratings are equal, so the regression line is not identifiable.")
    slope, intercept = np.polyfit(rating, share, 1)
    fitted = intercept + slope * rating
    residual = share - fitted
    flat = np.ptp(share) == 0
    values = {
        "correlation": None if flat else float(np.corrcoef(rating, share)[0, 1]),
        "slope": float(slope),
        "intercept": float(intercept),
        "mad": float(np.abs(residual).mean()),
        "mse": float((residual**2).mean()),
        "individuals": len(own),
    }
    frame = pl.DataFrame(
        {
            "individual": [data.individuals[i] for i in own],
            "rating": rating,
            "contests": contests[own],
            "share": share,
            "fitted": fitted,
            "residual": residual,
        }
    )
    correlation = "" if flat else f", correlation {values['correlation']:.4f}"
    sentence = (
        f"Share won = {intercept:.4g} + {slope:.5g} × rating (mean absolute residual "
        f"{values['mad']:.4f}{correlation})."
    )
    return Measure(
        method="win_share",
        data=data,
        values=values,
        frame=frame,
        summary=(sentence,),
        settings={"until": None if until is None else str(until), "rater": rater_of(ratings)},
        citations=("langville2012",),
        seed=ratings.seed,
    )
