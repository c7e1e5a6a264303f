"""Transitivity of triads (Shizuka & McDonald 2012) and consistency of direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.data.win_counts import win_counts
from peckorder.errors import DataError
from peckorder.kernels import dyads as kernel
from peckorder.random_runs import Progress, Runs, monte_carlo_error, p_value
from peckorder.results import Measure
from peckorder.text import p_text
from peckorder.validate import CountedTies

AS_LARGE = 1e-12
BLOCK = 200_000


def transitivity(
    data: Any,
    *,
    ties: CountedTies = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Triangle transitivity, with its test against random graphs.

    Parameters
    ----------
    data : Contests or Matrix, at least 3 individuals
    ties : {"omit", "half", "both"}
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Measure
        `pt`, the proportion of transitive triads among complete triads without a tied dyad;
        `ttri`, 4(pt − ¾): 0 in random graphs, 1 if all triads are transitive; `triads`, the number
        of these triads; `expected` pt and `p_right` from random graphs with the same numbers of
        directed, tied and unknown dyads; `mc_error`; `runs`, the number of random graphs with at
        least one complete triad.

    Raises
    ------
    DataError
        If there is no complete triad without a tied dyad.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.transitivity(po.datasets.bonobos(), seed=1)
    >>> found.pt, found.triads, found.p_right < 0.05
    (1.0, 22, True)
    """
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties, least=3)
    transitive, cyclic = kernel.triads(_bits(counts.dominates), _bits(counts.dominates.T))
    if transitive + cyclic == 0:
        raise DataError(
            "No three individuals have all met each other without a tie, so transitivity cannot "
            "be computed."
        )
    pt = transitive / (transitive + cyclic)
    null, key = np.empty(random.number), random.key()
    directed = int(counts.dominates.sum())

    def work(begin: int, end: int) -> None:
        kernel.transitivity_null(key, begin, len(counts), directed, null[begin:end])

    random.do(work, block=max(1, BLOCK // len(counts) ** 2))
    known = null[~np.isnan(null)]
    p_right = p_value(known >= pt - AS_LARGE)
    values = {
        "pt": pt,
        "ttri": 4 * (pt - 0.75),
        "triads": transitive + cyclic,
        "expected": float(known.mean()) if len(known) else None,
        "p_right": p_right,
        "mc_error": monte_carlo_error(p_right, len(known)),
        "runs": len(known),
    }
    return Measure(
        method="transitivity",
        data=counts,
        values=values,
        summary=(
            f"{transitive:,} of {transitive + cyclic:,} complete triads are transitive: "
            f"ttri = {values['ttri']:.3f} (0: random; 1: all transitive), {p_text(p_right)}.",
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
    ties: CountedTies = "omit",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Directional consistency (DCI) and skew-symmetry (φ), tested against fair coin tosses.

    Parameters
    ----------
    data : Contests or Matrix
    ties : {"omit", "half", "both"}
    runs, seed, threads, progress : as in `steepness`

    Returns
    -------
    Measure
        `dci` = (H − L)/(H + L), with H and L the numbers of wins in the more and in the less
        frequent direction of the dyads; `phi` = Σ ((x_ij − x_ji)/2)²/Σ x_ij², from 0 (balanced)
        to ½ (one-way); `p_phi` and `p_dci`, the probabilities of values at least as large if
        every decided contest is a fair coin toss (ties are kept); `mc_error` of p_phi.

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
            f"Overall, {(1 + dci) / 2:.0%} of wins were in the more frequent direction of the dyad "
            f"(DCI = {dci:.3f}; {values['expected_dci']:.3f} expected from fair coin tosses). "
            f"φ = {phi:.3f} (maximum 0.5), {p_text(p_phi)}.",
            *counts.notes,
        ),
        settings={"ties": ties, "runs": random.number},
        citations=("vanhooff1987", "leiva2008"),
        draws={"dci": null_dci, "phi": skew},
        seed=random.seed,
    )


def _bits(relation: np.ndarray) -> np.ndarray:
    """Rows of a square Boolean array as 64-bit words."""
    bytes_ = np.packbits(relation, axis=1, bitorder="little")
    padded = np.zeros((len(relation), -(-len(relation) // 64) * 8), np.uint8)
    padded[:, : bytes_.shape[1]] = bytes_
    return padded.view("<u8").astype(np.uint64)
