"""Posterior predictive check: whether data simulated from the model resemble the observed data."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import seed_number
from peckorder.kernels.courses import replicate
from peckorder.posterior.result import Posterior, refuse_no_posterior
from peckorder.results import Measure
from peckorder.runs import in_threads
from peckorder.wording import p_text

MOST_DRAWS = 1000
STATISTICS = {
    "upsets": "proportion of decided contests lost by the favorite",
    "consistency": "directional consistency index of decided contests",
    "switches": "proportion of consecutive contests of a dyad with different winners",
    "spread of wins": "standard deviation of the proportion of wins among individuals",
    "draws": "proportion of ties",
}


def predictive_check(post: Posterior, *, seed: Any = 0) -> Measure:
    """Compare the observed outcomes with outcomes simulated from the posterior.

    The outcomes of the same contests are simulated once per posterior draw.

    Returns
    -------
    Measure
        One row per statistic: observed (mean over draws if it depends on parameters), expected
        (mean of the replicates), low95, high95, and p, the proportion of replicates that are larger
        (ties count one half). A p near 0 or 1 indicates that the model does not reproduce this
        feature of the data. `p_min` is the smallest value of min(p, 1 − p).

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> print(predictive_check(post).summary[0])
    The model reproduces all checked features of the data.
    """
    refuse_no_posterior("predictive_check", post)
    seed = seed_number(seed)
    replay = post.course.replay.thinned(MOST_DRAWS)
    number, contests = len(replay), replay.contests
    outcomes = np.empty((number, contests.first.size), np.int8)
    upsets = np.zeros((number, 2), np.int64)
    key = np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0]

    def work(begin: int, end: int) -> None:
        own = replay.arguments(begin, end)[1]
        replicate(contests, key, begin, own, outcomes[begin:end], upsets[begin:end])

    in_threads(work, number, block=50)
    record = np.zeros(contests.first.size, np.int8)
    if contests.draw.size:
        record[contests.draw] = 2
    dyads = _Dyads(contests.first, contests.second)
    seen = dyads.statistics(record)
    drawn = np.array([dyads.statistics(one) for one in outcomes])
    decided = np.maximum((outcomes != 2).sum(axis=1), 1), max(1, int((record != 2).sum()))
    rows = [("upsets", upsets[:, 0] / decided[1], upsets[:, 1] / decided[0])]
    names = list(STATISTICS)[1:]
    rows += [(name, np.full(number, seen[i]), drawn[:, i]) for i, name in enumerate(names)]
    if not contests.draw.size:
        rows = rows[:-1]
    table, summary, p_min = [], [], 1.0
    for name, observed, replicated in rows:
        defined = ~np.isnan(replicated) & ~np.isnan(observed)
        if not defined.any():
            continue
        observed, replicated = observed[defined], replicated[defined]
        # Ties count one half, because the statistics of few contests take few values.
        p = float((replicated > observed).mean() + (replicated == observed).mean() / 2)
        low, high = np.quantile(replicated, [0.025, 0.975])
        table.append(
            {
                "statistic": name,
                "observed": float(observed.mean()),
                "expected": float(replicated.mean()),
                "low95": float(low),
                "high95": float(high),
                "p": p,
            }
        )
        p_min = min(p_min, p, 1 - p)
        if min(p, 1 - p) < 0.025:
            summary.append(
                f"The model does not reproduce the observed {name} ({STATISTICS[name]}): "
                f"{observed.mean():.3f}, 95% of simulations {low:.3f}–{high:.3f} "
                f"(posterior predictive {p_text(p)})."
            )
    if not summary:
        summary = ["The model reproduces all checked features of the data."]
    return Measure(
        method="predictive_check",
        data=post.data,
        values={"p_min": p_min, "replicates": number},
        frame=pl.DataFrame(table),
        summary=tuple(summary),
        settings={"seed": seed},
        citations=post.citations,
        draws={"outcomes": outcomes},
        seed=seed,
    )


class _Dyads:
    """Dyadic statistics of outcomes (0: as observed, 1: the other side won, 2: tie)."""

    def __init__(self, first: np.ndarray, second: np.ndarray):
        self.first, self.second = first.astype(np.int64), second.astype(np.int64)
        size = int(max(first.max(), second.max())) + 1
        low, high = np.minimum(first, second), np.maximum(first, second)
        _, self.dyad = np.unique(low * np.int64(size) + high, return_inverse=True)
        self.lower_first = first < second
        order = np.argsort(self.dyad, kind="stable")
        same = self.dyad[order][1:] == self.dyad[order][:-1]
        self.before, self.after = order[:-1][same], order[1:][same]
        self.contests = np.bincount(self.first, minlength=size) + np.bincount(
            self.second, minlength=size
        )
        self.size = size

    def statistics(self, outcome: np.ndarray) -> tuple[float, ...]:
        decided = outcome != 2
        lower_won = (outcome == 0) == self.lower_first
        balance = np.bincount(self.dyad[decided], np.where(lower_won[decided], 1.0, -1.0))
        number = max(1, int(decided.sum()))
        consistency = float(np.abs(balance).sum() / number)
        both = decided[self.before] & decided[self.after]
        changed = lower_won[self.before][both] != lower_won[self.after][both]
        switches = float(changed.mean()) if both.any() else np.nan
        winner = np.where(outcome == 0, self.first, self.second)[decided]
        shares = np.bincount(winner, minlength=self.size) / np.maximum(self.contests, 1)
        spread = float(shares[self.contests > 0].std())
        return consistency, switches, spread, float((~decided).mean())
