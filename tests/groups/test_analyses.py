"""What can be computed in each group, with which settings."""

import warnings

import pytest

import peckorder as po
from peckorder.groups.tasks import ANALYSES, USUAL, Setup, Task, analyses_of, results_of, seed_for
from tests.many_groups import sampled, table


def test_names_functions_and_settings():
    assert [a.name for a in analyses_of("isi")] == ["isi"]
    found = analyses_of({"linearity": {"runs": 100}, "own": sampled, "elo": {"k": 50}})
    assert [(a.name, a.own, a.settings) for a in found] == [
        ("linearity", False, {"runs": 100}),
        ("own", True, {}),
        ("elo", False, {"k": 50}),
    ]
    assert analyses_of(po.isi)[0].own is False
    assert "code" in analyses_of(sampled)[0].described()["function"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("linearty", 'Did you mean "linearity"'),
        ((), "at least one"),
        (("isi", "isi"), '"isi" is requested twice'),
        ({"isi": 3}, "must be a mapping"),
        ([3], "give names"),
        ({"linearity": {"rins": 3}}, 'has no setting "rins". Did you mean "runs"'),
        ({"linearity": {"seed": 3}}, "seed is set by the study"),
        ({"evaluate": {"method": "ello"}}, 'method="ello" is not known'),
        ([lambda data: 1.0], "must be given"),
        ({"linearity": sampled}, '"linearity" is a measure of this package'),
    ],
)
def test_wrong_measures_are_refused_before_anything_is_computed(wrong, message):
    with pytest.raises(po.PeckorderError, match=message):
        analyses_of(wrong)


def test_seeds_depend_on_names_alone():
    seeds = {seed_for(s, g, m) for s in (1, 2) for g in ("a", "ab") for m in ("bc", "c")}
    assert len(seeds) == 8
    assert seed_for(1, "a", "b") == seed_for(1, "a", "b")


def test_orders_fits_and_evaluations():
    data = po.read(table(1))
    measures = {
        "elo": {},
        "elo_ml": {"penalized": True},
        "dynamic": {"samples": 100},
        "evaluate": {"method": "elo", "k": 50, "runs": 100},
        "stability": {"k": 50},
        "davids_score": {},
        "bradley_terry": {"penalized": True},
        "elo_bayes": {"chains": 2, "warmup": 100, "samples": 100},
    }
    found = po.study(data, measures=measures, executor=1, seed=1)
    row = found.table.row(0, named=True)
    assert row["status"] == "complete", row["reason"]
    ratings = po.elo(data, k=50)
    assert row["stability"] == po.stability(ratings).value
    expected = po.evaluate(ratings, runs=100, seed=seed_for(1, "g0", "evaluate"))
    assert row["evaluate_foresight_share"] == expected.foresight["share"]
    assert row["dynamic_sigma"] > 0
    assert row["elo_bayes_k_low"] < row["elo_bayes_k"] < row["elo_bayes_k_high"]
    assert found.draws("elo_bayes").columns[:2] == ["group", "draw"]
    assert {"k", "sigma"} <= set(found.draws("elo_bayes").columns)
    assert found.draws("elo_bayes").height == 200
    assert found.tables("elo")["individual"].len() == row["individuals"]


def test_all_measures_of_a_study_can_be_named():
    assert set(USUAL) <= set(ANALYSES)
    assert {"isi", "elo_bayes", "dynamic", "evaluate", "stability", "recovery"} <= set(ANALYSES)


def test_no_group_warns_where_it_is_computed():
    """Workers of a cluster would print what a group warns of, thousands of times."""
    data = po.Contests.from_matrix(po.Matrix(("a", "b", "c"), [[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    with pytest.warns(po.DataWarning, match='Without a contest that counts: "c"'):
        po.isi(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = results_of(Setup(analyses_of("isi"), 1), Task("g", "key", data))
    assert found["status"] == "complete"
