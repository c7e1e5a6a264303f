"""Transitivity of triads (Shizuka & McDonald 2012) and consistency of direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.errors import DataError
from peckorder.kernels import dyads as kernel
from peckorder.random_runs import Progress, Runs, monte_carlo_error, p_value
from peckorder.results import Measure
from peckorder.text import p_text
from peckorder.validate import CountedTies, one_of

AS_LARGE = 1e-12
BLOCK = 400_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Transitivity(Measure):
    """Triangle transitivity, with the null distribution of its test."""

    value: float  # ttri, 4(pt − ¾): 0 in random graphs, 1 if all triads are transitive
    pt: float  # proportion of transitive triads
    triads: int  # complete triads without a tied dyad
    expected: float | None  # pt of random graphs; None if none has a complete triad
    p: float  # as transitive or more by chance
    p_error: float  # Monte Carlo standard error
    runs: int  # random graphs with a complete triad
    null: np.ndarray  # pt of each random graph, NaN without a complete triad


def transitivity(
    data: Data,
    *,
    ties: CountedTies = "omit",
    null: Literal["census", "types"] = "census",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Transitivity:
    """Triangle transitivity, with its test against random graphs.

    Parameters
    ----------
    data : Contests or Matrix, at least 3 individuals
    ties : {"omit", "half", "both"}
    null : {"census", "types"}
        Random graphs with the numbers of directed, tied and unknown dyads that were observed, or in
        which the type of each dyad is drawn at random in these proportions, as in EloRating and
        compete. In sparse groups the p-values of the latter are larger.
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Transitivity
        `value`, ttri = 4(pt − ¾): 0 in random graphs, 1 if all triads are transitive; `pt`, the
        proportion of transitive triads among complete triads without a tied dyad; `triads`, the
        number of these triads; `expected` pt and `p` from random graphs (their pt: `null`);
        `p_error`; `runs`, the number of random graphs with at least one complete triad.

    Raises
    ------
    DataError
        If there is no complete triad without a tied dyad.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.transitivity(po.datasets.bonobos(), seed=1)
    >>> found.pt, found.triads, found.p < 0.05
    (1.0, 22, True)
    """
    data = opened(data)
    one_of("null", null, ("census", "types"))
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties, least=3)
    arcs = counts.dominates.astype(float)
    steps = arcs @ arcs
    transitive, cyclic = int((steps * arcs).sum()), int((steps * arcs.T).sum()) // 3
    if transitive + cyclic == 0:
        raise DataError(
            "No three individuals have all met each other without a tie, so transitivity cannot "
            "be computed."
        )
    pt = transitive / (transitive + cyclic)
    drawn, key = np.empty(random.number), random.key()
    directed = int(counts.dominates.sum())

    def work(begin: int, end: int) -> None:
        out = drawn[begin:end]
        kernel.transitivity_null(
            key, begin, *counts.dyads, len(counts), directed, null == "types", out
        )

    random.do(work, block=max(32, BLOCK // len(counts) ** 2))
    known = drawn[~np.isnan(drawn)]
    p = p_value(known >= pt - AS_LARGE)
    values = {
        "value": 4 * (pt - 0.75),
        "pt": pt,
        "triads": transitive + cyclic,
        "expected": float(known.mean()) if len(known) else None,
        "p": p,
        "p_error": monte_carlo_error(p, len(known)),
        "runs": len(known),
    }
    return Transitivity(
        method="transitivity",
        data=counts,
        **values,
        summary=(
            f"{transitive:,} of {transitive + cyclic:,} complete triads are transitive: "
            f"ttri = {values['value']:.3f} (0: random; 1: all transitive), {p_text(p)}.",
            *counts.notes,
        ),
        settings={"ties": ties, "null": null, "runs": random.number},
        citations=("shizuka2012",),
        null=drawn,
        seed=random.seed,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Consistency(Measure):
    """Directional consistency and skew-symmetry, with the null distributions of their tests."""

    value: float  # directional consistency (DCI)
    phi: float  # skew-symmetry, from 0 (balanced) to ½ (one-way)
    p: float  # DCI as large or larger by chance
    p_phi: float  # φ as large or larger by chance
    p_error: float  # Monte Carlo standard errors
    p_phi_error: float
    expected: float  # DCI of fair coin tosses
    expected_phi: float
    runs: int
    null: np.ndarray  # DCI of the coin tosses
    null_phi: np.ndarray


def consistency(
    data: Data,
    *,
    ties: CountedTies = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Consistency:
    """Directional consistency (DCI) and skew-symmetry (φ), tested against fair coin tosses.

    Parameters
    ----------
    data : Contests or Matrix
    ties : {"omit", "half", "both"}
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Consistency
        `value`, DCI = (H − L)/(H + L), with H and L the numbers of wins in the more and in the
        less frequent direction of the dyads; `phi` = Σ ((x_ij − x_ji)/2)²/Σ x_ij², from 0
        (balanced) to ½ (one-way); `p` and `p_phi`, the probabilities of values at least as large
        if every decided contest is a fair coin toss (ties are kept), with their Monte Carlo errors
        `p_error` and `p_phi_error`; `expected` and `expected_phi`, the means of `null` and
        `null_phi`, the values of the coin tosses.

    References
    ----------
    Leiva, Solanas & Salafranca 2008, Behavior Research Methods 40:626–634.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.consistency(po.datasets.bonobos(), seed=1)
    >>> round(found.value, 4), round(found.phi, 5)
    (0.9474, 0.48127)
    """
    data = opened(data)
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties, cautious=False)
    a, b = counts.dyads
    won, lost = counts.score[a, b], counts.score[b, a]
    dci = float(np.abs(won - lost).sum() / (won + lost).sum())
    phi = float(((won - lost) ** 2).sum() / 2 / (won**2 + lost**2).sum())
    level = counts.drawn[a, b]
    decided = np.rint(counts.contests[a, b] - 2 * level).astype(np.int64)
    ahead, skew = np.empty((2, random.number))
    key = random.key()

    def work(begin: int, end: int) -> None:
        kernel.consistency_null(key, begin, decided, level, ahead[begin:end], skew[begin:end])

    random.do(work, block=max(128, BLOCK // len(a)))
    null_dci = ahead / counts.contests[a, b].sum()
    p, p_phi = p_value(null_dci >= dci - AS_LARGE), p_value(skew >= phi - AS_LARGE)
    expected = float(null_dci.mean())
    return Consistency(
        method="consistency",
        data=counts,
        value=dci,
        phi=phi,
        p=p,
        p_phi=p_phi,
        p_error=monte_carlo_error(p, random.number),
        p_phi_error=monte_carlo_error(p_phi, random.number),
        expected=expected,
        expected_phi=float(skew.mean()),
        runs=random.number,
        null=null_dci,
        null_phi=skew,
        summary=(
            f"Overall, {(1 + dci) / 2:.0%} of wins were in the more frequent direction of the dyad "
            f"(DCI = {dci:.3f}; {expected:.3f} expected from fair coin tosses). "
            f"φ = {phi:.3f} (maximum 0.5), {p_text(p_phi)}.",
            *counts.notes,
        ),
        settings={"ties": ties, "runs": random.number},
        citations=("vanhooff1987", "leiva2008"),
        seed=random.seed,
    )
