"""No prediction knows a later contest: cut a record, and earlier predictions stay as they were."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import peckorder as po
from tests.ratings.test_openings import ALPHA, APART, SETS, record_of

CUTS = (4, 22, 62, 96)  # ends of days: contests of a day may be predicted together


def games(ties: float, seed: int = 1) -> po.Contests:
    """Games at home, two a day, of twelve sides, some of which come late."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, 1, 12)
    rows = []
    for number in range(110):
        here = 8 if number < 60 else 12
        a, b = random.choice(here, 2, replace=False)
        p = 1 / (1 + np.exp(strength[b] - strength[a] - 0.4))
        tied = number > 30 and random.random() < ties
        won = tied or random.random() < p
        lost = tied or not won
        day = f"2021-{1 + number // 54:02d}-{1 + number % 54 // 2:02d}"
        rows.append((f"s{a:02d}", f"s{b:02d}", int(won), int(lost), day))
    columns = zip(*rows, strict=True)
    names = ("home", "away", "home_points", "away_points", "date")
    return po.read(dict(zip(names, map(list, columns), strict=True)))


def early(data: po.Contests, contests: int) -> po.Contests:
    """The first contests of a record, with those individuals that took part in them."""
    part = data.take(np.arange(contests))
    seen = {part.individuals[code] for code in (*part.winner, *part.loser)}
    return part.filter(individuals=sorted(seen))


RATERS: dict[str, Callable[[po.Contests], Any]] = {
    "elo": lambda data: po.elo(data, k=60),
    "elo, home": lambda data: po.elo(data, k=60, home_advantage=40),
    "elo, average": lambda data: po.elo(data, k=60, within="average"),
    "glicko": lambda data: po.sport.glicko(data),
    "dynamic": lambda data: po.dynamic(data, samples=10, seed=1),
    "dynamic, normal": lambda data: po.dynamic(data, prior="normal", samples=10, seed=1),
    "dynamic, static": lambda data: po.dynamic(data, static=True, samples=10, seed=1),
    "dynamic, time": lambda data: po.dynamic(data, clock="time", samples=10, seed=1),
    "dynamic, home": lambda data: po.dynamic(data, home_advantage="estimate", samples=10, seed=1),
    "adaptive": lambda data: po.adaptive(data, samples=10, seed=1),
    "adaptive, batch": lambda data: po.adaptive(data, within="batch", samples=10, seed=1),
    "adaptive, home": lambda data: po.adaptive(data, home_advantage="estimate", samples=10, seed=1),
}


@pytest.mark.parametrize("rater", RATERS)
@pytest.mark.parametrize("ties", [0.0, 0.08])
def test_predictions_do_not_change_when_contests_are_added(rater, ties):
    data = games(ties)
    whole = RATERS[rater](data).foresight()
    for contests in CUTS:
        part = RATERS[rater](early(data, contests)).foresight()
        # Before the first tie a record does not say that there are ties: if decided, as before.
        decided = whole.win[:contests] / (whole.win + whole.loss)[:contests]
        assert part.win / (part.win + part.loss) == pytest.approx(decided, abs=1e-12)
        if part.draw is not None:
            assert part.draw == pytest.approx(whole.draw[:contests], abs=1e-12)


@pytest.mark.parametrize("sets", [None, SETS])
def test_dynamic_foresight_is_what_predict_would_have_said(sets):
    """To the last digit after those contests after which settings are learned again."""
    data = record_of(ALPHA if sets is None else APART, 120, sets=sets)
    whole = po.dynamic(data, samples=10, seed=1).foresight()
    for contests in (22, 33, 49, 73, 109):
        rated = po.dynamic(early(data, contests), samples=10, seed=1)
        pair = [data.individuals[side[contests]] for side in (data.winner, data.loser)]
        assert rated.probability(*pair) > 0
        said = po.predict(rated, fixtures=[tuple(pair)]).table["p_a"][0]
        assert said == pytest.approx(whole.win[contests], abs=1e-12)


def test_a_covariate_is_learned_from_its_values_so_far():
    random = np.random.default_rng(2)
    frame = {"winner": random.choice(list("abcdef"), 80), "mass": random.normal(0, 1, 80)}
    frame["loser"] = np.where(frame["winner"] == "a", "b", "a")
    frame["mass"][60:] *= 1_000
    data = po.read(frame)
    whole = po.dynamic(data, covariates=["mass"], samples=10, seed=1).foresight()
    part = po.dynamic(early(data, 60), covariates=["mass"], samples=10, seed=1).foresight()
    assert part.win == pytest.approx(whole.win[:60], abs=1e-12)
