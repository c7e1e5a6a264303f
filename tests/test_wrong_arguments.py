"""A function that is given what it cannot use says so: whatever function, whatever object."""

import inspect
import pickle

import numpy as np
import pytest

import peckorder as po

SMALL = {"runs": 12, "samples": 20, "warmup": 20, "chains": 1, "threads": 1, "seed": 1}
NEEDED = {
    "displacements": {"within": 2},
    "fill_unknown": {"by": {"a": {"b": 1}}},
    "matrix_correlation": {"behavior": {"a": {"b": 1}}},
    "predict": {"fixtures": [("a", "b")]},
    "reversals": {"at": 10},
    "simulate_season": {"fixtures": [("a", "b")]},
}
# They take numbers, lists of names, or the name of a journal.
OTHERWISE = {"power", "prior_ranks", "index_error", "theme"}
FUNCTIONS = {
    name: getattr(module, name)
    for module in (po, po.orders, po.sport, po.plot)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and name not in OTHERWISE and name[0] != "_"
}
OBJECTS = {
    "none": None,
    "a number": 3,
    "a name": "x",
    "a list": [1, 2],
    "a mapping": {"a": 1},
    "an object": object(),
    "a measure": po.linearity(po.datasets.adv(), runs=12, seed=1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_refuses_what_it_cannot_use(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = FUNCTIONS[name]
    parameters = inspect.signature(function).parameters
    given = {key: value for key, value in SMALL.items() if key in parameters}
    needed = [
        p
        for p in parameters.values()
        if p.kind == p.POSITIONAL_OR_KEYWORD
        and p.default is p.empty
        and p.name not in NEEDED.get(name, {})
    ]
    for wrong in OBJECTS.values():
        with pytest.raises((po.PeckorderError, FileNotFoundError)):
            function(*[wrong] * len(needed), **given, **NEEDED.get(name, {}))


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("read", "report")])
def test_yes_and_no_are_true_and_false(name):
    """An argument that is True or False refuses an array, in which Python sees neither."""
    function, data = FUNCTIONS[name], po.datasets.adv()
    parameters = inspect.signature(function).parameters
    given = {key: value for key, value in SMALL.items() if key in parameters}
    for parameter in parameters.values():
        if parameter.annotation not in ("bool", "bool | None"):
            continue
        wrong = {parameter.name: np.zeros(3)}
        for found in (data, po.elo(data)):
            with pytest.raises(po.PeckorderError):
                function(found, **given, **NEEDED.get(name, {}), **wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: po.elo(d, 100), r"elo takes data by position, .*: elo\(data, k=…\)\. Arg.* k,"),
        (lambda d: po.report(d), r"report needs path: report\(data, path\)\."),
        (
            lambda d: po.displacements("visits.csv"),
            r"needs within: displacements\(visits, within=…",
        ),
        (lambda d: po.steepness(d, data=d), "data is given twice, by position and by name"),
        (lambda d: po.steepness(d, runz=9), r'has no argument "runz"\. Did you mean "runs"\?'),
        (lambda d: po.elo(d).at(), r"at needs date: at\(date\)"),
        (lambda d: d.matrix(3), r"matrix takes nothing by position.*Write matrix\(\)"),
        (lambda d: po.plot.trajectories(po.elo(d), "a"), r"trajectories\(ratings, individuals=…"),
        (lambda d: po.plot.trajectories.data(po.elo(d), witdh=9), 'Did you mean "width"'),
        (lambda d: po.EloRater().update("a"), r"update needs loser: update\(winner, loser\)"),
        (lambda d: po.curves.Logistic(1, 2, 3), "Logistic takes scale and base by position, but 3"),
    ],
)
def test_a_call_that_does_not_fit_is_refused_in_words(call, message):
    with pytest.raises(po.ArgumentTypeError, match=message):
        call(po.datasets.adv())


def test_public_functions_can_be_sent_to_processes_and_errors_inside_them_stay():
    assert pickle.loads(pickle.dumps(po.elo)) is po.elo
    data = po.read({"winner": ["a"], "loser": ["b"], "winner_points": [3], "loser_points": [1]})
    with pytest.raises(TypeError, match="NoneType"):
        po.elo(data, margin=lambda won: won + None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: po.dynamic(po.datasets.adv(), level="high"), "level"),
        (lambda: po.report(po.datasets.adv(), "x.html", methods=1.5), "methods"),
        (lambda: po.sport.bracket(po.elo(po.datasets.adv()), ["a", "b"], hosts=True), "hosts"),
        (lambda: po.sport.GlickoRater(max_deviation={}), "max_deviation"),
        (lambda: po.read({"count": ["x", "y"], "place": ["a", "b"]}), '"count", "place"'),
    ],
)
def test_values_of_other_types_and_a_column_named_count(call, message):
    with pytest.raises(po.PeckorderError, match=message):
        call()
