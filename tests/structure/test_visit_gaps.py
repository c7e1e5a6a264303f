"""Gaps between visits, and the displacements of each threshold."""

from __future__ import annotations

import numpy as np
import pytest

import peckorder as po

SECONDS = {
    "id": ["a", "b", "a", "c", "a", "b"],
    "feeder": [1, 1, 1, 1, 2, 2],
    "start": [0, 31, 80, 200, 0, 5],
    "end": [30, 75, 140, 260, 10, 20],
}


def visits(number, seed=3):
    random = np.random.default_rng(seed)
    start = np.cumsum(random.exponential(40.0, number))
    return {
        "id": [f"n{i}" for i in random.integers(0, 8, number)],
        "feeder": random.integers(0, 3, number),
        "start": start,
        "end": start + random.exponential(30.0, number),
    }


@pytest.mark.parametrize(("overlap", "few"), [("omit", 1000), ("count", 3)])
def test_each_threshold_gives_the_contests_of_displacements(overlap, few, monkeypatch):
    monkeypatch.setattr("peckorder.structure.visit_gaps.FEW", few)
    table = visits(400)
    found = po.visit_gaps(table, overlap=overlap, min_stay="5s")
    assert found.table["within"].to_list()[:4] == [0.0, 1.0, 2.0, 5.0]
    for row in found.table.filter(found.table["displacements"] > 0).to_dicts():
        data = po.displacements(table, within=row["within"], overlap=overlap, min_stay="5s")
        assert len(data) == row["displacements"]
        assert len(data.individuals) == row["individuals"]
        wins = data.matrix().wins
        pairs = np.triu(wins + wins.T)
        assert (pairs > 0).sum() == row["dyads"]
        dci = np.triu(abs(wins - wins.T)).sum() / len(data)
        assert row["consistency"] == pytest.approx(dci, abs=1e-12)
    assert (np.diff(found.table["displacements"]) >= 0).all()


def test_the_histogram_holds_every_gap_once():
    found = po.visit_gaps(SECONDS)
    assert found.gaps["arrivals"].sum() == found.arrivals == 3
    for low, high in ((0.9, 1.1), (4.9, 5.1), (59.0, 61.0)):
        bins = found.gaps.filter((found.gaps["low"] <= high) & (found.gaps["high"] >= low))
        assert bins["arrivals"].sum() == 1
    assert found.overlapping == 1
    assert found.median == 5
    assert found.summary[:3] == (
        "6 visits of 3 individuals to 2 places; 3 arrivals after another individual had left.",
        "Median gap 5 s (quartiles 3 s and 32.5 s).",
        "In 1 arrival, the other individual was still there; overlap= determines their treatment.",
    )
    assert "Huzzey" in found.cite()
    assert found.to_dict()["result"]["gaps"][0]["low"] == 0


def test_messages():
    with pytest.raises(ValueError, match="thresholds= is empty"):
        po.visit_gaps(SECONDS, thresholds=[])
    with pytest.raises(ValueError, match='thresholds="soon": give a duration'):
        po.visit_gaps(SECONDS, thresholds=["soon"])
    alone = {name: cells[:1] for name, cells in SECONDS.items()}
    with pytest.raises(po.DataError, match="no individual arrived at a place after another"):
        po.visit_gaps(alone)
