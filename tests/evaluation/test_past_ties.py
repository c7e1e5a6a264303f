"""Ties learned from earlier contests: a plain twin, and nothing from later contests."""

import math

import numpy as np
import pytest

from peckorder.evaluation.scoring import NUS, with_past_ties
from peckorder.results.chances import Chances


def plain(win, drawn):
    weights, out = [1.0] * len(NUS), []
    for p, tie in zip(win, drawn, strict=True):
        root = math.sqrt(p * (1 - p))
        ties = [nu * root / (1 + nu * root) for nu in NUS]
        total = sum(weights)
        out.append(sum(w * t for w, t in zip(weights, ties, strict=True)) / total)
        chosen = [t if tie else 1 - t for t in ties]
        weights = [w / total * c for w, c in zip(weights, chosen, strict=True)]
    return out


def test_twin_and_past_only():
    random = np.random.default_rng(1)
    win, drawn = random.uniform(0.1, 0.9, 300), random.random(300) < 0.3
    found = with_past_ties(Chances.decided(win, win - 0.5), drawn)
    assert found.draw == pytest.approx(plain(win, drawn))
    assert found.win + found.draw + found.loss == pytest.approx(np.ones(300))
    assert found.win / (found.win + found.loss) == pytest.approx(win)
    early = with_past_ties(Chances.decided(win[:100], win[:100] - 0.5), drawn[:100])
    assert early.draw == pytest.approx(found.draw[:100])
    assert found.draw[-50:].mean() == pytest.approx(0.3, abs=0.06)
