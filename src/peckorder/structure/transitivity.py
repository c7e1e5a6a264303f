"""Transitivity of triads (Shizuka & McDonald 2012) and consistency of direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.data.tally import tally
from peckorder.errors import DataError
from peckorder.kernels import dyads as kernel
from peckorder.results import Measure
from peckorder.runs import Progress, Runs, monte_carlo_error, p_value

AS_LARGE = 1e-12
BLOCK = 200_000


def transitivity(
    data: Any,
    *,
    ties: str = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Triangle transitivity, with its test against random graphs.

    Parameters
    ----------
    data : Interactions or Matrix, at least 3 individuals
    ties : {"omit", "half", "both"}
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Measure
        `pt`, the share of transitive among complete triads without a tied dyad; `ttri`,
        4(pt − ¾): 0 at random, 1 when all are transitive; `triads`, their number; `expected` pt
        and `p_right` against random graphs with the same numbers of directed, tied and unknown
        dyads; `mc_error`; `runs`, the random graphs that had a complete triad.

    Raises
    ------
    DataError
        When no three individuals have all met without a tie.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.transitivity(po.datasets.bonobos(), seed=1)
    >>> found.pt, found.triads, found.p_right < 0.05
    (1.0, 22, True)
    """
    random = Runs.of(runs, seed, threads, progress)
    counts = tally(data, ties=ties, least=3)
    transitive, cyclic = kernel.triads(_bits(counts.dominates), _bits(counts.dominates.T))
    if transitive + cyclic == 0:
        raise DataError(
            "No three individuals have all met each other without a tie: there is no triad whose "
            "transitivity could be told."
        )
    pt = transitive / (transitive + cyclic)
    null, key = np.empty(random.number), random.key()
    directed = int(counts.dominates.sum())

    def work(begin: int, end: int) -> None:
        kernel.transitivity_null(key, begin, len(counts), directed, null[begin:end])

    random.do(work, block=max(1, BLOCK // len(counts) ** 2))
    told = null[~np.isnan(null)]
    p_right = p_value(told >= pt - AS_LARGE)
    values = {
        "pt": pt,
        "ttri": 4 * (pt - 0.75),
        "triads": transitive + cyclic,
        "expected": float(told.mean()) if len(told) else None,
        "p_right": p_right,
        "mc_error": monte_carlo_error(p_right, len(told)),
        "runs": len(told),
    }
    return Measure(
        method="transitivity",
        data=counts,
        values=values,
        summary=(
            f"{transitive:,} of {transitive + cyclic:,} complete triads are transitive "
            f"(ttri = {values['ttri']:.3f}, where 0 is chance and 1 is all; p = {p_right:.2g}).",
            *counts.notes,
        ),
        settings={"ties": ties, "runs": random.number},
        citations=("shizuka2012",),
        draws={"null": null},
        seed=random.seed,
    )


def consistency(
    data: Any,
    *,
    ties: str = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Directional consistency (DCI) and skew-symmetry (φ), tested against fair contests.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"omit", "half", "both"}
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Measure
        `dci` = (H − L)/(H + L), with H the contests won by the usual winner of their dyad;
        `phi` = Σ ((x_ij − x_ji)/2)²/Σ x_ij², from 0 (balanced) to ½ (one-way); `p_phi` and
        `p_dci`, the chance of as much when every decided contest is a fair toss (draws stay);
        `mc_error` of p_phi.

    References
    ----------
    Leiva, Solanas & Salafranca 2008, Behavior Research Methods 40:626–634.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.consistency(po.datasets.bonobos(), seed=1)
    >>> round(found.dci, 4), round(found.phi, 5)
    (0.9474, 0.48127)
    """
    random = Runs.of(runs, seed, threads, progress)
    counts = tally(data, ties=ties, cautious=False)
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

    random.do(work, block=max(1, BLOCK // len(a)))
    null_dci = ahead / counts.contests[a, b].sum()
    p_phi = p_value(skew >= phi - AS_LARGE)
    values = {
        "dci": dci,
        "phi": phi,
        "p_phi": p_phi,
        "p_dci": p_value(null_dci >= dci - AS_LARGE),
        "expected_dci": float(null_dci.mean()),
        "expected_phi": float(skew.mean()),
        "mc_error": monte_carlo_error(p_phi, random.number),
        "runs": random.number,
    }
    return Measure(
        method="consistency",
        data=counts,
        values=values,
        summary=(
            f"The more successful side of a dyad won {(1 + dci) / 2:.0%} of its contests on the "
            f"whole (DCI = {dci:.3f}, by fair tosses {values['expected_dci']:.3f}); "
            f"φ = {phi:.3f} of at most 0.5 (p = {p_phi:.2g}).",
            *counts.notes,
        ),
        settings={"ties": ties, "runs": random.number},
        citations=("vanhooff1987", "leiva2008"),
        draws={"dci": null_dci, "phi": skew},
        seed=random.seed,
    )


def _bits(relation: np.ndarray) -> np.ndarray:
    """Rows of a square array of booleans as 64-bit words."""
    bytes_ = np.packbits(relation, axis=1, bitorder="little")
    padded = np.zeros((len(relation), -(-len(relation) // 64) * 8), np.uint8)
    padded[:, : bytes_.shape[1]] = bytes_
    return padded.view("<u8").astype(np.uint64)
