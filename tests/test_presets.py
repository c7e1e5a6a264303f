"""Presets and the software they are named after: everything that a user of it could compare."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.structure.stability import rank_changes
from tests import oracle

REFERENCE = Path(__file__).parent / "reference"
PRESENCE_RUNS = json.loads((REFERENCE / "elorating_presence.json").read_text("utf-8"))["runs"]


def as_elorating(run, **more):
    return po.elo(
        po.datasets.adv(),
        preset="EloRating",
        k=float(run["k"]),
        curve="normal" if run["normprob"] == "TRUE" else "logistic",
        entry=run["init"].replace("average", "mean"),
        **more,
    )


def run_name(run):
    return f"k{run['k']}-{'normal' if run['normprob'] == 'TRUE' else 'logistic'}-{run['init']}"


@pytest.mark.paper_data
@pytest.mark.parametrize("run", PRESENCE_RUNS, ids=run_name)
def test_elorating_with_presence(run, paper_file):
    """f arrives on the third day and c and f leave for some days: 18 runs, no digit differs."""
    ratings = as_elorating(run, presence=paper_file("adv_presence.csv"))
    found = po.stability(ratings)
    assert round(found.value, 4) == run["weighted"]
    assert round(found.unweighted, 4) == run["unweighted"]
    assert {name: ratings[name] for name in run["final"]} == run["final"]
    assert set(ratings.at("2010-02-02")["individual"]) == set(run["final"])
    logs = np.log(ratings.history["expected"].to_numpy())
    assert logs.sum() == pytest.approx(run["loglik"], abs=1e-9)
    share = po.evaluate(ratings, equal="drop", runs=100, seed=1).foresight["share"]
    assert share == pytest.approx(run["correct_prop"], abs=1e-12)


def test_shares_predicted_by_elorating_without_presence(software):
    for run in software["EloRating stability and likelihood on adv"]:
        found = po.evaluate(as_elorating(run), equal="drop", runs=100, seed=1).foresight
        assert found["share"] == pytest.approx(float(run["correct_prop"]), abs=1e-12)
        assert found["decided"] - found["equal"] == int(run["correct_n"])


def test_absent_individuals_follow_the_bottom_only_under_the_preset():
    """d shares the lowest rating with c and leaves, and c loses again before d returns."""
    data = po.read(
        {"winner": list("aaba"), "loser": list("bccd"), "date": [1, 2, 4, 6]},
        presence={"id": list("abcdd"), "start": [1, 1, 1, 1, 6], "end": [6, 6, 6, 2, 6]},
    )
    before_the_return = {}
    for preset in ("EloRating", None):
        ratings = po.elo(data, preset=preset, entry="bottom_low")
        history = ratings.history
        lowered = history["loser_after"].to_list()  # of b, c, c and d
        before_the_return[preset] = history["loser_before"].to_list()[3], lowered[1], lowered[2]
    d, earlier, later = before_the_return["EloRating"]
    assert d == later < earlier
    d, earlier, later = before_the_return[None]
    assert d == earlier > later


def test_elorating_keeps_the_order_of_rows_and_a_column_of_times_does_not():
    """The tutorial of EloRating has a column of times, which that package does not use."""
    table = {
        "date": ["2020-01-01", "2020-01-01", "2020-01-02"],
        "time": ["15:00", "09:00", "12:00"],
        "winner": list("abc"),
        "loser": list("bca"),
    }
    with pytest.warns(po.DataWarning, match='for example position 0 after position 1.*time=""'):
        timed = po.elo(po.read(table), preset="EloRating")
    rows = po.elo(po.read(table, time=""), preset="EloRating")  # no warning
    assert timed.history["winner"].to_list() == list("bac")
    assert rows.history["winner"].to_list() == list("abc")
    assert timed["b"] != rows["b"]
    del table["date"]
    stamps = [f"2020-01-0{day} {time}" for day, time in zip("112", table.pop("time"), strict=True)]
    with pytest.warns(po.DataWarning, match="read the data with dates without times"):
        po.elo(po.read(table | {"date": stamps}), preset="EloRating")
    po.elo(
        po.read(table | {"date": stamps})
    )  # no warning: the default does not claim to be another package
    po.elo(po.read(table | {"date": sorted(stamps)}), preset="EloRating")


stays = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 4).map(float), min_size=2),
    min_size=2,
    max_size=6,
)


@given(stays)
def test_ranks_with_arrivals_and_departures_are_those_of_the_twin(days):
    names = "abcde"
    rating = [np.array([day.get(name, np.nan) for name in names]) for day in days]
    there = [~np.isnan(row) for row in rating]
    expected = oracle.elorating_stability(days), oracle.stability(days)
    for rule, (weighted, unweighted) in zip(("interpolated", "carried"), expected, strict=True):
        changed, total, most, steps = rank_changes(zip(rating, there, strict=True), rule)
        assert steps == sum(len(a.keys() & b.keys()) > 1 for a, b in pairwise(days))
        if steps:
            assert 1 - total / most == pytest.approx(weighted)
            assert 1 - changed / most == pytest.approx(unweighted)


@pytest.fixture(scope="module")
def females(paper_file):
    return po.read(
        paper_file("chimpanzee_females.csv"),
        presence=paper_file("chimpanzee_females_presence.csv"),
    )


@pytest.mark.paper_data
def test_elooptimized_ranks_residents_from_their_first_contest_on(females, software):
    """On 1987-05-27, f22 and f25 are residents without a contest: f01 is expected to beat 6.43."""
    k = software["EloOptimized model 1, chimpanzee females"]["k"]
    fixed = po.elo(females, preset="EloOptimized", k=k)
    fitted = po.elo_ml(females, preset="EloOptimized", estimate="k")
    for ratings in (fixed, fitted):
        table = ratings.expected_beaten(at="1987-05-27")
        beaten = dict(zip(table["individual"], table["expected_beaten"], strict=True))
        assert round(beaten["f01"], 2) == 6.43
        assert len(beaten) == 12
        assert not beaten.keys() & {"f22", "f25"}
    own = po.elo(females, k=k, curve="exponential", burn_in=(100, 100))
    assert {"f22", "f25"} < set(own.at("1987-05-27")["individual"])


@pytest.mark.paper_data
def test_elooptimized_ranks_residents_at_their_fitted_starts(females):
    """With fitted starting scores, model 3, individuals are ranked from their arrival on."""
    with pytest.warns(po.DataWarning, match="unbounded"):
        fit = po.elo_ml(females, preset="EloOptimized")
    assert {"f22", "f25"} < set(fit.at("1987-05-27")["individual"])


@pytest.mark.slow
@pytest.mark.paper_data
def test_elooptimized_excludes_one_sided_individuals_after_the_first_100_contests(females):
    """f09 won 7 of its 44 contests, all among the first 100; only three losses remain."""
    fit = po.elo_ml(females, preset="EloOptimized", one_sided=True)
    assert round(fit.aic, 2) == 614.71
    assert (len(fit), fit.parameters) == (43, 44)
    assert fit.log_likelihood == pytest.approx(-263.3546, abs=5e-5)
    assert 'Excluded: "f09".' in fit.summary
    assert fit.settings["burn_in"] == [100, 0.0]
    only_k = po.elo_ml(females, preset="EloOptimized", estimate="k", one_sided=True)
    assert len(only_k) == 44  # all contests count in model 1, the first 100 as burn-in


def test_ranks_from_the_first_contest_on_without_presence():
    """EloOptimized assumes presence from the first contest on if it is not told otherwise."""
    data = po.read(
        {
            "winner": list("aac"),
            "loser": list("bbd"),
            "date": ["2020-01-01", "2020-01-03", "2020-01-05"],
        }
    )
    preset = po.elo(data, preset="EloOptimized")
    assert set(preset.at("2020-01-04")["individual"]) == set("ab")
    assert set(preset.at("2020-01-05")["individual"]) == set("abcd")
    assert [there.sum(axis=1).tolist() for _, there in preset.by_day()] == [[2, 2, 2, 2, 4]]
    assert len(po.elo(data).at("2020-01-04")) == 4
    own = {"who": ["a", "c"], "when": ["2020-01-04", "2020-01-04"]}
    joined = preset.at_dates(own, individual="who", date="when")
    assert joined["rank"].to_list() == [1, None]
