"""Probabilities of ties for raters without a model of them, learned from earlier contests only.

Davidson's (1970) ν says how often equals tie. Before each contest, several values of ν are averaged
with weights by how probable each made the outcomes so far, so that three-way scores of a rater by
expected scores are comparable with those of a rater, or a bookmaker, with ties of its own.
"""

from __future__ import annotations

import numpy as np

from peckorder.results.chances import Chances

NUS = np.geomspace(0.02, 20.0, 40)
LEAST = 1e-12


def with_past_ties(chances: Chances, drawn: np.ndarray) -> Chances:
    """Chances of a win, a tie and a loss, with ν averaged over the contests before each one."""
    win = np.clip(chances.win, LEAST, 1 - LEAST)
    odds = NUS * np.sqrt(win * (1 - win))[:, None]
    share = 1 / (1 + odds)
    seen = np.where(drawn[:, None], odds * share, share)  # the rest does not depend on ν
    log_weight = np.vstack([np.zeros(len(NUS)), np.cumsum(np.log(seen), axis=0)[:-1]])
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    decided = (weight * share).sum(axis=1)
    return Chances(win * decided, (1 - win) * decided, chances.ahead, 1 - decided)
