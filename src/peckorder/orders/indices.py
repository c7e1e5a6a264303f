"""Simple indices of dominance success, and the proportion of wins against the hierarchy.

The dominance value of Kondo & Hurnik (1990), an index of success in displacements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, chances, scores, win_counts
from peckorder.errors import ArgumentError
from peckorder.ranks import average_ranks
from peckorder.ratings.elo import elo
from peckorder.results import Order
from peckorder.text import counted, option
from peckorder.validate import CountedTies, one_of, whole_number

COLUMNS = ("proportion", "adi", "dominated", "clutton_brock", "expected_beaten")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Indices(Order):
    """Rank order by a simple index; the table has all of them."""

    upward_steepness: float  # share of contests won by the side with the higher David's score


def indices(
    data: Data,
    *,
    rank_by: Literal[
        "proportion", "adi", "dominated", "clutton_brock", "expected_beaten"
    ] = "clutton_brock",
    ties: CountedTies = "omit",
) -> Indices:
    """Simple dominance indices of every individual, ranked by one of them.

    Parameters
    ----------
    data : Contests or Matrix
    rank_by : {"proportion", "adi", "dominated", "clutton_brock", "expected_beaten"}
        The index that determines the ranks.
    ties : {"omit", "half", "both"}

    Returns
    -------
    Indices
        Table with contests, wins and losses, and

        - proportion: proportion of contests won;
        - adi: average dominance index, the mean proportion of contests won per opponent;
        - dominated, subordinate_to: number of others that lose, or win, most contests against the
          individual;
        - clutton_brock: (B + Σb + 1)/(L + Σl + 1), where B is the number of individuals beaten at
          least once and b the number beaten by each of these, excluding the focal individual; L
          and l are the same for losses;
        - expected_beaten: expected number of others beaten, from Elo ratings with default settings
          (missing if the order of contests is unknown).

        Value: `upward_steepness`, 1 minus the proportion of contests won by the side with the
        lower David's score (wins between equal scores count one half).

    References
    ----------
    Clutton-Brock et al. 1979, Animal Behaviour 27:211–225. Foerster et al. 2016, Scientific
    Reports 6:35404.

    Examples
    --------
    >>> import peckorder as po
    >>> po.orders.indices(po.datasets.bonobos()).table["clutton_brock"].round(3).to_list()
    [19.0, 2.143, 1.3, 1.0, 0.632, 0.583, 0.227]
    """
    data = opened(data)
    one_of("rank_by", rank_by, COLUMNS)
    counts = win_counts(data, ties=ties)
    won, lost = counts.score.sum(axis=1), counts.score.sum(axis=0)
    met = counts.seen.sum(axis=1)
    beat = counts.score > 0
    with np.errstate(invalid="ignore"):  # 0/0 for individuals without opponents
        share = np.where(counts.seen, counts.score / np.maximum(counts.contests, 1), 0.0)
        columns: dict[str, Any] = {
            "contests": (won + lost).astype(np.int64),
            "wins": counts.whole(won),
            "losses": counts.whole(lost),
            "proportion": won / (won + lost),
            "adi": share.sum(axis=1) / met,
            "dominated": counts.dominates.sum(axis=1),
            "subordinate_to": counts.dominates.sum(axis=0),
            "clutton_brock": _clutton_brock(beat),
            "expected_beaten": _expected_beaten(data),
        }
    if rank_by == "expected_beaten" and np.isnan(columns[rank_by]).any():
        raise ArgumentError(
            f"{option('rank_by', rank_by)} needs the order of contests, which is unknown. Choose "
            f"another index."
        )
    unordered = bool(np.isnan(columns["expected_beaten"]).any())
    upward = _upward_steepness(counts)
    ranked = np.nan_to_num(np.asarray(columns[rank_by], float), nan=-np.inf)
    rank = average_ranks(ranked)
    top_down = np.argsort(rank, kind="stable")
    frame = pl.DataFrame({"individual": counts.individuals, **columns, "rank": rank})
    frame = frame[top_down].with_columns(pl.col(pl.Float64).fill_nan(None))
    return Indices(
        method="indices",
        data=counts,
        rank=rank,
        upward_steepness=upward,
        frame=frame,
        summary=(
            f"Ranked by {rank_by}. The side with the higher David's score won {upward:.0%} of the "
            f"contests (upward steepness).",
            *(["expected_beaten is missing: the order of contests is unknown."] * unordered),
            *counts.notes,
        ),
        settings={"rank_by": rank_by, "ties": ties},
        citations=("cluttonbrock1979", "foerster2016"),
    )


def _clutton_brock(beat: np.ndarray) -> np.ndarray:
    beat = beat.astype(np.int64)

    def reach(beat: np.ndarray) -> np.ndarray:
        """Number of individuals beaten, plus those beaten by them except the focal individual."""
        return beat.sum(axis=1) + beat @ beat.sum(axis=1) - (beat * beat.T).sum(axis=1)

    return (reach(beat) + 1) / (reach(beat.T) + 1)


def _expected_beaten(data: Any) -> np.ndarray:
    if not isinstance(data, Contests) or not data.ordered:
        return np.full(len(data.individuals), np.nan)
    beaten = nw.from_native(elo(data).expected_beaten(), eager_only=True)
    by_name = dict(zip(beaten["individual"], beaten["expected_beaten"], strict=True))
    return np.array([by_name[name] for name in data.individuals])


def _upward_steepness(counts: WinCounts) -> float:
    """1 minus the proportion of wins against the order; wins between equals count one half."""
    normds = np.round(scores(chances(counts, "dij"))["normds"], 12)
    up = np.sign(normds[None, :] - normds[:, None])
    return float(1 - (counts.score * (1 + up) / 2).sum() / counts.score.sum())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DominanceValue(Order):
    """Rank order by dominance value, with social classes."""

    unknown: int  # dyads without displacements


def dominance_value(data: Data, *, classes: int = 3, ties: CountedTies = "omit") -> DominanceValue:
    """Number of individuals dominated minus number that dominate, with social classes.

    Parameters
    ----------
    data : Contests or Matrix
        Displacements: the winner takes the place of the loser.
    classes : int
        Number of classes, equal parts of the range of values: 3 for dominant, intermediate and
        subordinate (default), 2 for high and low rank.
    ties : {"omit", "half", "both"}

    Returns
    -------
    DominanceValue
        Table: individual, displacements, displaced, dominated, subordinate_to, value (the
        difference of the last two), class (1 is the highest) and rank (ties averaged). Value:
        `unknown`, the number of dyads without displacements.

    Notes
    -----
    With the highest value X and the lowest Y, each class spans (X − Y + 1)/classes points (Coimbra,
    Machado Filho & Hötzel 2012). A dyad without displacements adds 0 to both individuals, so values
    depend on how many dyads were observed.

    References
    ----------
    Kondo & Hurnik 1990, Applied Animal Behaviour Science 27:287–297,
    doi:10.1016/0168-1591(90)90125-W.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.dominance_value(po.datasets.bonobos())
    >>> dict(zip(found, found.table["value"]))
    {'He': 5, 'Dz': 4, 'Ho': 2, 'De': -1, 'Ko': -2, 'Re': -2, 'Ki': -6}
    """
    data = opened(data)
    classes = whole_number("classes", classes, 1)
    counts = win_counts(data, ties=ties)
    above, below = counts.dominates.sum(axis=1), counts.dominates.sum(axis=0)
    value = above - below
    rank = average_ranks(value.astype(float))
    top_down = np.argsort(rank, kind="stable")
    columns = {
        "displacements": counts.whole(counts.score.sum(axis=1)),
        "displaced": counts.whole(counts.score.sum(axis=0)),
        "dominated": above,
        "subordinate_to": below,
        "value": value,
        "class": class_of(value, classes),
        "rank": rank,
    }
    unknown = counts.unknown
    no_data = f"Dyads without displacements, which count as 0: {unknown:,}."
    return DominanceValue(
        method="dominance_value",
        data=counts,
        rank=rank,
        unknown=unknown,
        frame=pl.DataFrame({"individual": counts.individuals, **columns})[top_down],
        summary=(
            f"Dominance values from {value.max():+d} to {value.min():+d}, in "
            f"{counted(classes, 'class', 'classes')} of equal range."
            if value.any()
            else "All dominance values are 0: no individual ranks above another.",
            *([no_data] if unknown else []),
            *counts.notes,
        ),
        settings={"classes": classes, "ties": ties},
        citations=("kondo1990",),
    )


def class_of(value: np.ndarray, classes: int) -> np.ndarray:
    """Class of each value: their range, both ends included, is divided into equal parts.

    >>> class_of(np.array([5, 2, 1, -3]), 3).tolist()
    [1, 2, 2, 3]
    """
    points = value.max() - value.min() + 1
    return (value.max() - value) * classes // points + 1
