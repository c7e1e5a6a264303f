"""Everything public has an example with real numbers, and types that an editor can show."""

import inspect

import pytest

import peckorder as po


def public():
    """(name, function or class) of everything that users call or get."""
    for name in po.__all__:
        found = getattr(po, name)
        if inspect.ismodule(found):
            for inner in found.__all__:
                if callable(getattr(found, inner)):
                    yield f"{name}.{inner}", getattr(found, inner)
        elif callable(found):
            yield name, found


PUBLIC = [
    (name, found)
    for name, found in public()
    if not (inspect.isclass(found) and issubclass(found, Exception))
]


@pytest.mark.parametrize(("name", "found"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_it_has_an_example_and_types(name, found):
    text = inspect.getdoc(found) or ""
    assert ">>>" in text, f"po.{name} has no example"
    after = text.partition(">>>")[2]
    drawn = name.startswith("plot.") or name == "report"  # figures and files show no numbers
    assert drawn or any(letter.isdigit() for letter in after), f"po.{name}: no number in it"
    if inspect.isclass(found):
        return
    signature = inspect.signature(found)
    bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty]
    assert bare == []
    assert signature.return_annotation is not signature.empty


def test_there_are_many():
    assert len(PUBLIC) > 90


@pytest.mark.parametrize(
    "kind",
    [po.Contests, po.Matrix, po.Presence, po.Ratings, po.Posterior, po.Order, po.EloRater],
)
def test_methods_have_types(kind):
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("peckorder"):
            continue
        signature = inspect.signature(method)
        _, *parameters = signature.parameters.values()
        assert all(p.annotation is not p.empty for p in parameters), name
        assert signature.return_annotation is not signature.empty, name
