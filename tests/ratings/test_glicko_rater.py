"""Live Glicko: the state of the batch, period by period."""

import numpy as np
import pytest

import peckorder as po


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("period", ["contest", "date", "week"])
def test_the_state_is_that_of_the_batch(version, period):
    data = po.datasets.adv()
    batch = (po.sport.glicko, po.sport.glicko2)[version - 1](data, preset="Glickman", period=period)
    rater = po.sport.GlickoRater(version=version, per_contest=period == "contest")
    replay = batch.course.replay
    ends = set(np.append(replay.period_at[1:], len(data)).tolist())
    number = 0
    for t, (winner, loser) in enumerate(zip(data.winner, data.loser, strict=True), start=1):
        expected = rater.update(data.individuals[winner], data.individuals[loser])
        assert expected == pytest.approx(replay.foresight().win[t - 1], abs=1e-12)
        if period != "contest" and t in ends:
            following = replay.when[number + 1] if number + 1 < len(replay.when) else None
            rater.close(1 if following is None else int(following - replay.when[number]))
            number += 1
    own = {row[0]: row for row in rater.table().iter_rows()}
    assert {name: row[1] for name, row in own.items()} == {n: batch[n] for n in batch.individuals}
    grown = dict(zip(batch.individuals, replay.next_deviations(), strict=True))
    assert {name: row[2] for name, row in own.items()} == pytest.approx(grown)
    if version == 2:
        volatility = dict(zip(batch.individuals, batch.columns["volatility"], strict=True))
        assert {name: row[3] for name, row in own.items()} == volatility


def test_pauses_widen_and_mistakes_are_refused():
    rater = po.sport.GlickoRater(version=1)
    rater.update("a", "b", draw=True)
    assert "1 in the current period" in repr(rater)
    rater.close()
    before = rater.table()["rating_sd"][0]
    rater.close(52)
    assert rater.table()["rating_sd"][0] > before + 50
    with pytest.raises(po.ArgumentError, match="both"):
        rater.update("a", "a")
    with pytest.raises(po.ArgumentError, match="took part in no contest"):
        rater.probability("a", "z")
    with pytest.raises(po.ArgumentError, match="choose 1"):
        po.sport.GlickoRater(version=3)
    with pytest.raises(po.ArgumentError, match="above max_deviation"):
        po.sport.GlickoRater(deviation=500)
