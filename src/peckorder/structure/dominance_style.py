"""Linearity and steepness together, from egalitarian to despotic (de Vries et al. 2006).

A linear hierarchy says who outranks whom, a steep one that it matters: groups are compared in the
plane of both. Few contests per dyad pull both measures down, so published groups are listed with
their size and effort.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.random_runs import Progress
from peckorder.results import Measure
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness import steepness
from peckorder.text import counted, p_text
from peckorder.validate import CountedTies

LEVEL = 0.05
SIMILAR = 2.0  # group sizes, and with its square contests per dyad, within this factor


class Group(NamedTuple):
    """A published group: its size, decided contests, h′ and steepness (D_ij), as computed here."""

    group: str
    individuals: int
    contests: int
    linearity: float
    steepness: float
    reference: str


PUBLISHED = (
    Group(
        "bonobos", 7, 456, 0.857, 0.628, "de Vries et al. 2006, doi:10.1016/j.anbehav.2005.05.015"
    ),
    Group("caribou", 20, 823, 0.841, 0.637, "Barrette & Vandal 1986, Behaviour 97:118–146"),
    Group("badgers", 7, 118, 0.607, 0.431, "Hewitt et al. 2009, doi:10.1016/j.anbehav.2008.09.022"),
    Group(
        "elephants", 7, 26, 0.661, 0.220, "Archie et al. 2006, doi:10.1016/j.anbehav.2005.03.023"
    ),
    Group("squirrels", 8, 167, 0.321, 0.157, "Farentinos 1972, doi:10.1016/S0003-3472(72)80053-8"),
    Group("chimpanzees", 44, 1015, 0.128, 0.068, "Foerster et al. 2016, doi:10.1038/srep35404"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DominanceStyle(Measure):
    """Linearity and steepness of a group; the table has one row per published group."""

    linearity: float  # h′
    linearity_expected: float  # of a random tournament
    linearity_p: float
    steepness: float
    steepness_expected: float  # with wins at random
    steepness_p: float
    contests_per_dyad: float


def dominance_style(
    data: Data,
    *,
    ties: CountedTies = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> DominanceStyle:
    """Linearity and steepness in one statement, from egalitarian to despotic.

    Parameters
    ----------
    data : Contests or Matrix, at least 3 individuals
    ties : {"omit", "half", "both"}
    runs : int
        Number of randomizations of each test.
    seed, threads, progress : as in `steepness`

    Returns
    -------
    DominanceStyle
        `linearity` (h′) and `steepness` (of David's scores by D_ij), each with its value under
        the null (`linearity_expected`, `steepness_expected`) and p-value. Table of published
        groups: group, individuals, contests, contests_per_dyad, linearity, steepness, similar
        (in size within a factor of 2, in contests per dyad within 4), reference.

    Notes
    -----
    Few contests per dyad pull both measures down, so a group with fewer contests than another looks
    more egalitarian than it is. The published groups are few and not a sample of any population.

    References
    ----------
    de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592.

    Examples
    --------
    >>> import peckorder as po
    >>> print(po.questions.dominance_style(po.datasets.bonobos(), seed=1).summary[0])
    Linear (h′ 0.86, 0.38 by chance, p = 0.028) and steep (0.63, 0.27 by chance, p < 0.001), as in despotic groups.
    """  # noqa: E501
    data = opened(data)
    how = {"ties": ties, "runs": runs, "threads": threads}
    steep = steepness(data, seed=seed, progress=progress, **how)
    linear = linearity(data, seed=steep.seed, **how)
    counts = win_counts(data, ties=ties, least=3)
    size, contests = len(counts.individuals), int(counts.contests.sum()) // 2
    effort = contests / (size * (size - 1) / 2)
    table = pl.DataFrame(PUBLISHED, schema=list(Group._fields), orient="row").with_columns(
        contests_per_dyad=pl.col("contests")
        / (pl.col("individuals") * (pl.col("individuals") - 1) / 2)
    )
    table = table.with_columns(
        similar=pl.col("individuals").is_between(size / SIMILAR, size * SIMILAR)
        & pl.col("contests_per_dyad").is_between(effort / SIMILAR**2, effort * SIMILAR**2)
    ).select(*Group._fields[:3], "contests_per_dyad", *Group._fields[3:5], "similar", "reference")
    return DominanceStyle(
        method="dominance_style",
        data=counts,
        linearity=linear.value,
        linearity_expected=linear.expected,
        linearity_p=linear.p,
        steepness=steep.value,
        steepness_expected=steep.expected,
        steepness_p=steep.p,
        contests_per_dyad=effort,
        frame=table,
        summary=(
            _joint(linear, steep),
            _among(table, linear.value, steep.value, effort),
            *counts.notes,
        ),
        settings={"ties": ties, "runs": runs},
        citations=("devries2006", "devries1995"),
        seed=steep.seed,
    )


def _joint(linear: Any, steep: Any) -> str:
    """What both tests say together."""
    is_linear, is_steep = linear.p <= LEVEL, steep.p <= LEVEL
    verdict = {
        (True, True): "as in despotic groups",
        (True, False): "so ranks are clear, but the higher-ranked win little more often",
        (False, True): "so some win far more often, but the order is not clear in all dyads",
        (False, False): "as in egalitarian groups, or with too few contests to show otherwise",
    }[is_linear, is_steep]
    return (
        f"{'Linear' if is_linear else 'Not more linear than by chance'} "
        f"(h′ {linear.value:.2f}, {linear.expected:.2f} by chance, {p_text(linear.p)}) and "
        f"{'steep' if is_steep else 'not steeper than by chance'} "
        f"({steep.value:.2f}, {steep.expected:.2f} by chance, {p_text(steep.p)}), {verdict}."
    )


def _among(table: pl.DataFrame, linear: float, steep: float, effort: float) -> str:
    """Where the group lies among published ones."""
    near = table.filter("similar")
    which = f"{counted(near.height, 'published group')} of similar size and effort"
    if near.is_empty():
        near = table
        which = f"{counted(table.height, 'published group')} (none of similar size and effort)"
    less_linear, less_steep = (near["linearity"] < linear).sum(), (near["steepness"] < steep).sum()
    there = near["contests_per_dyad"]
    return (
        f"Less linear: {less_linear} of {which}; less steep: {less_steep}. Contests per dyad: "
        f"{effort:.1f} here, {there.min():.1f}–{there.max():.1f} there."
    )
