"""Outside forecasts: scores by hand, and comparison with raters."""

import math

import numpy as np
import pytest

import peckorder as po
from tests.evaluation.leagues import league

GAMES = {
    "home": ["A", "B", "A", "C"],
    "away": ["B", "A", "C", "B"],
    "home_goals": [2, 0, 1, 0],
    "away_goals": [1, 1, 1, 0],
    "h": [0.5, 0.3, 0.6, 0.4],
    "d": [0.3, 0.3, 0.25, 0.4],
    "a": [0.2, 0.4, 0.15, 0.2],
}
THREE = {"home": "h", "draw": "d", "away": "a"}


def test_chances_are_seen_from_the_winner():
    found = po.sport.outside_forecast(po.read(GAMES), chances=THREE).foresight()
    assert found.win[:2] == pytest.approx([0.5, 0.4])  # home won, then away won
    assert found.loss[:2] == pytest.approx([0.2, 0.3])
    assert found.draw == pytest.approx([0.3, 0.3, 0.25, 0.4])
    rest = po.sport.outside_forecast(po.read(GAMES), chances={"home": "h", "draw": "d"})
    assert rest.foresight().win == pytest.approx(found.win)


def test_scores_of_three_outcomes_by_hand():
    data = po.read(GAMES)
    even = po.read(GAMES | {"h": [1 / 3] * 4, "d": [1 / 3] * 4, "a": [1 / 3] * 4})
    models = {
        "mine": po.sport.outside_forecast(data, chances=THREE),
        "even": po.sport.outside_forecast(even, chances=THREE),
    }
    found = po.compare_models(models)
    score = dict(zip(found.table["model"], found.table["score"], strict=True))
    assert score["mine"] == pytest.approx(math.log(0.5 * 0.4 * 0.25 * 0.4))
    assert score["even"] == pytest.approx(4 * math.log(1 / 3))
    ranked = po.compare_models(models, measure="rps")
    score = dict(zip(ranked.table["model"], ranked.table["score"], strict=True))
    # Half the sum of squared differences of cumulated probabilities and outcomes.
    by_hand = [
        ((0.5 - 1) ** 2 + 0.2**2) / 2,
        ((0.4 - 1) ** 2 + 0.3**2) / 2,
        (0.6**2 + 0.15**2) / 2,
        (0.4**2 + 0.2**2) / 2,
    ]
    assert score["mine"] == pytest.approx(-sum(by_hand))
    assert score["even"] == pytest.approx(-(2 * 5 / 18 + 2 * 1 / 9))


def test_the_bookmaker_is_compared_with_raters():
    data = league(3, draws=0.6, games=200)
    frame = data.to_table()
    random = np.random.default_rng(1)
    odds = 1 / (0.95 * random.dirichlet([4, 3, 3], len(frame)))
    columns = {f"o{i}": odds[:, i] for i in range(3)}
    rows = {
        name: frame[name].to_list() for name in ("winner", "loser", "draw") if name in frame.columns
    }
    data = po.read(rows | {name: values.tolist() for name, values in columns.items()})
    named = {"winner": "o0", "draw": "o1", "loser": "o2"}
    for margin in ("proportional", "shin"):
        bookmaker = po.sport.outside_forecast(data, odds=named, margin=margin)
        found = po.compare_models({"Elo": po.elo(data, k=20), "bookmaker": bookmaker})
        assert found.table["score"].is_finite().all()
        assert any('"Elo": the probability of a tie was learned' in text for text in found.summary)
        assert po.calibration(bookmaker).contests == len(data)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "Give either odds= or chances="),
        ({"chances": {"first": "h"}}, 'not by "first"'),
        ({"odds": 1.5}, "not by 1.5"),
        ({"chances": {"home": "h", "away": "a"}}, "the probabilities add up to 0.7"),
        ({"chances": {"draw": "d"}}, "Name the column of"),
        ({"odds": {"home": "h", "away": "a"}}, "Decimal odds are numbers above 1"),
        ({"odds": {"home": "h"}}, 'Odds of "away" are missing'),
        ({"chances": {"home": "x"}}, 'no unused column "x"'),
        ({"chances": {"home": "h"}}, 'Add a column for "draw"'),
    ],
)
def test_forecasts_that_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        po.sport.outside_forecast(po.read(GAMES), **options)


def test_a_forecast_has_no_ratings():
    forecast = po.sport.outside_forecast(po.read(GAMES), chances=THREE)
    with pytest.raises(ValueError, match="it has foresight only"):
        po.predict(forecast, fixtures=[("A", "B")])
    neutral = po.read(GAMES | {"neutral": ["yes", "no", "no", "no"]})
    with pytest.raises(po.DataError, match="at a neutral venue nobody is at home"):
        po.sport.outside_forecast(neutral, chances=THREE)
