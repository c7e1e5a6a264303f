"""The R package: its functions, help pages and tests are those of Python, and it passes its check."""

import ast
import inspect
import runpy

import pytest

import peckorder as po
from tests.documents import ROOT

PACKAGE = ROOT / "r" / "peckorder"


@pytest.fixture(scope="module")
def generator():
    return runpy.run_path(str(ROOT / "r" / "generate.py"))


def test_the_package_is_what_python_says(generator):
    made = generator["files"]()
    differ = [
        path
        for path, text in made.items()
        if not (PACKAGE / path).exists() or (PACKAGE / path).read_text("utf-8") != text
    ]
    assert not differ, "Python changed. Run: python r/generate.py"


def test_every_public_function_is_there(generator):
    names = generator["verbs"]()
    assert {"read", "elo", "orders.adagio", "plot.ranks", "simulate.hierarchy"} <= set(names)
    functions = {name for name in po._HOMES if inspect.isfunction(getattr(po, name))}
    assert functions <= set(names)
    assert len(set(names.values())) == len(names)  # no two have one name in R


@pytest.mark.parametrize(
    ("python", "r"),
    [
        ('po.elo(data, k=200, start={"a": 900})', "elo(data, k = 200, start = c(a = 900))"),
        ('found.expected["b"] < 0.5', 'found$expected[["b"]] < 0.5'),
        ('ratings.at("2010-01-10")', 'ratings$at("2010-01-10")'),
        ("po.sport.glicko(data, k_column=None)", "glicko(data, k_column = NULL)"),
        ("[round(x, 2), (1, 2)]", "list(round(x, 2), c(1, 2))"),
    ],
)
def test_examples_are_translated(generator, python, r):
    translator = generator["Translator"](generator["verbs"]())
    translator.known |= {"data", "found", "ratings", "x"}
    assert translator.of(ast.parse(python, mode="eval").body) == r


@pytest.mark.parametrize(
    "python", ["[x for x in data]", "found.table.filter(1)", "len(unknown)", "data[1:3]"]
)
def test_what_r_has_no_words_for_is_left_out(generator, python):
    translator = generator["Translator"](generator["verbs"]())
    translator.known |= {"data", "found"}
    with pytest.raises(generator["Foreign"]):
        translator.of(ast.parse(python, mode="eval").body)
