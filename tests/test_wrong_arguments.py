"""A function that is given what it cannot use says so: whatever function, whatever object."""

import inspect

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
