"""The log-likelihood on a grid: other software, the plain recursion, and properties."""

import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.twin import Contest, rate


def test_values_of_fastelo(software):
    """EloRating's fastelo without rounding, at three k and two curves."""
    runs = software["EloRating.fastelo unrounded on adv"]
    for normal, curve in (("TRUE", "normal"), ("FALSE", "logistic")):
        expected = {}
        for text in runs:
            k, curved, likelihood = (part.split("=")[1] for part in text.split())
            if curved == normal:
                expected[float(k)] = float(likelihood)
        assert sorted(expected) == [20.0, 100.0, 200.0]
        found = po.likelihood_surface(po.datasets.adv(), over={"k": list(expected)}, curve=curve)
        assert dict(found.table.select("k", "value").iter_rows()) == pytest.approx(expected)


def test_a_surface_over_two_contexts_by_the_plain_recursion():
    rows = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"), ("b", "a"), ("a", "b")]
    kinds = ["fight", "chase", "fight", "chase", "chase", "fight"]
    data = po.read(
        pl.DataFrame(
            {"winner": [r[0] for r in rows], "loser": [r[1] for r in rows], "context": kinds}
        )
    )
    found = po.likelihood_surface(data, over={"k": (0, 200)}, k="context", grid=5, skip=1)
    assert len(found.table) == 25
    assert found.contests == 5
    for row in found.table.iter_rows(named=True):
        contests = [
            Contest(*pair, k=row[f"k[{kind}]"]) for pair, kind in zip(rows, kinds, strict=True)
        ]
        _, history = rate(contests)
        expected = sum(math.log(one["expected"]) for one in history[1:])
        assert row["value"] == pytest.approx(expected)
    top = found.table.sort("value", descending=True).row(0, named=True)
    assert found.best == {name: top[name] for name in ("k[fight]", "k[chase]")}
    assert found.table["difference"].max() == 0


def test_maximum_and_interval_agree_with_the_fit():
    """elo_ml estimates the same k, with the same profile interval (natural scale)."""
    data = po.datasets.adv()
    fit = po.elo_ml(data, estimate="k")
    found = po.likelihood_surface(
        data, over={"k": (0, 12)}, grid=1201, curve="exponential", delta=1, start=0
    )
    assert found.best["k"] == pytest.approx(fit.k, abs=0.01)
    assert found.value == pytest.approx(fit.log_likelihood, abs=1e-4)
    assert found.interval == pytest.approx((fit.k_low, fit.k_high), abs=0.01)


def test_ties_count_half():
    data = po.read(pl.DataFrame({"winner": ["a", "a"], "loser": ["b", "b"], "draw": [1, 0]}))
    found = po.likelihood_surface(data, over={"k": [10.0, 50.0]})
    assert found.table["value"].to_numpy() == pytest.approx([2 * math.log(0.5)] * 2)


def test_ends_of_the_range():
    found = po.likelihood_surface(po.datasets.adv(), over={"k": (0, 100)}, curve="normal")
    assert found.best == {"k": 100.0}
    assert found.high is None
    assert "at an end of the range of k" in found.summary[-1]
    assert "upper end of the range" in found.summary[1]


def test_the_grid_does_not_depend_on_threads():
    tables = [
        po.likelihood_surface(
            po.datasets.adv(), over={"k": (0, 300), "scale": (100, 800)}, threads=n
        ).table
        for n in (1, 2)
    ]
    assert tables[0].equals(tables[1])
    assert len(tables[0]) == 31**2
    assert np.isfinite(tables[0]["value"].to_numpy()).all()


def test_refusals():
    data = po.datasets.adv()
    with pytest.raises(TypeError, match="not list"):
        po.likelihood_surface([1])
    with pytest.raises(ValueError, match="grid=1: give a whole number of at least 2"):
        po.likelihood_surface(data, grid=1)
    with pytest.raises(ValueError, match="More than 1,000,000 combinations"):
        po.likelihood_surface(data, over=("k", "scale"), grid=2000)
    with pytest.raises(po.DataError, match="order"):
        po.likelihood_surface(po.datasets.bonobos())
    games = po.read(
        pl.DataFrame({"winner": ["a"], "loser": ["b"], "winner_points": [2], "loser_points": [1]})
    )
    with pytest.raises(ValueError, match="margin cannot be used here, only numbers"):
        po.likelihood_surface(games, over=("k", "margin"))
