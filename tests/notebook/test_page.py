"""What notebooks show: executed in a kernel, and looked at in a browser."""

import inspect
import re
import warnings
from functools import cache
from html.parser import HTMLParser

import nbclient
import nbformat
import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder import notebook
from tests.reporting.chromium import launched, shown

HOSTILE = ("<img src=x onerror=alert(1)>", "</style><script>alert(2)</script>", "a&b\"'", "Zoë")
CELLS = (
    "import peckorder as po\n"
    f"names = {HOSTILE!r}\n"
    "winner = [names[i] for i in (0, 0, 0, 1, 1, 2, 3, 0, 1)]\n"
    "loser = [names[i] for i in (1, 2, 3, 2, 3, 3, 0, 1, 2)]\n"
    "data = po.read({'winner': winner, 'loser': loser})",
    "data",
    "data.check()",
    "data.matrix()",
    "po.elo(data)",
    "po.dynamic(data, seed=1)",
    "po.davids_score(data)",
    "po.steepness(data, seed=1)",
    "data.with_presence('inferred').presence",
    "print(po.elo(data).table)",
)


class Balanced(HTMLParser):
    """Fails where an element is not closed, and collects what a reader sees."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.tags = [], [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attributes)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.append(data)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook after it was run, as a page: light or dark."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS]
    )
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return folder, outputs


def rich(outputs):
    return [output["data"] for output in outputs if output["output_type"] == "execute_result"]


def test_every_output_has_html_and_text(executed):
    _, outputs = executed
    assert len(rich(outputs)) == len(CELLS) - 2
    for data in rich(outputs):
        assert data["text/html"].startswith('<div class="peckorder">')
        assert data["text/plain"].strip()


@pytest.mark.programs
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(executed, scheme):
    folder, outputs = executed
    colors = {"light": ("#fff", "#111"), "dark": ("#111", "#eee")}[scheme]
    body = "".join(data["text/html"] for data in rich(outputs))
    path = folder / f"{scheme}.html"
    path.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body style="background:{colors[0]};'
        f'color:{colors[1]}">{body}</body>',
        encoding="utf-8",
    )
    with launched() as browser, shown(browser, path, color_scheme=scheme) as (sheet, wrong):
        assert wrong == []
        seen = sheet.inner_text("body")
        for name in HOSTILE:
            assert name in seen
        assert sheet.locator("img, script").count() == 0
        assert sheet.locator("svg").count() == 6
        fill = sheet.evaluate(
            "getComputedStyle(document.querySelector('.peckorder svg circle')).fill"
        )
        assert fill == {"light": "rgb(10, 106, 166)", "dark": "rgb(90, 180, 230)"}[scheme]
        for picture in sheet.locator("svg").all():
            inside = picture.bounding_box()
            assert inside["width"] > 100
            for words in picture.locator("text").all():
                box = words.bounding_box()
                assert box["x"] >= inside["x"] - 1
                assert box["x"] + box["width"] <= inside["x"] + inside["width"] + 1
                assert box["y"] >= inside["y"] - 1


@cache
def results():
    """One of each kind of result, data and check."""
    data, matrix = po.datasets.adv(), po.datasets.bonobos()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratings = po.elo(data, k=200)
        truth, contests = po.simulate.hierarchy(30, 300, seed=1)
        return [
            data,
            data.check(),
            data.report,
            data.matrix(),
            contests.matrix(),
            data.with_presence("inferred").presence,
            ratings,
            ratings.between("2010-01-10", "2010-01-20"),
            ratings.explain(2),
            po.elo_ml(data, estimate="k"),
            po.dynamic(data, seed=1),
            po.davids_score(matrix),
            po.isi(matrix),
            po.bradley_terry(matrix),
            po.linearity(matrix),
            po.steepness(matrix, seed=1, runs=100),
            po.evaluate(ratings, runs=10),
            po.calibration(ratings),
            po.orders.network(matrix),
            matrix.dyads(),
            po.compare(data, seed=1),
            po.papers.reproduce("goffe2018"),
            truth,
            po.EloRater(individuals=["a", "b"]),
        ]


def test_results_data_and_checks_are_shown():
    for found in results():
        seen = " ".join(Balanced(found._repr_html_()).seen)
        for sentence in getattr(found, "summary", ()):
            assert sentence in seen
        individuals = getattr(found, "individuals", ())
        if 0 < len(individuals) <= 10 and getattr(found, "method", "") != "reproduce":
            assert all(name in seen for name in individuals), repr(found)


def test_every_class_that_prints_itself_has_a_page():
    """Classes of the package with a text of their own that users get from functions."""
    public = [getattr(po, name) for name in po.__all__ if name[0].isupper()]
    public += [type(found) for found in results()]
    plain = {
        kind.__name__
        for kind in public
        if inspect.isclass(kind)
        and not issubclass(kind, BaseException)
        and not hasattr(kind, "_repr_html_")
    }
    assert plain == set()


def test_tables_are_short_rounded_and_safe():
    frame = pl.DataFrame(
        {
            "name": [f"<{i}>" for i in range(25)],
            "share": np.linspace(0, 1, 25),
            "flag": [True, None] + [False] * 23,
            "number": range(25),
        }
    )
    text = notebook.table(frame)
    Balanced(text)
    assert text.count("<tr>") == 21
    assert "20 of 25 rows are shown." in text
    assert "&lt;0&gt;" in text
    assert '<td class="po-number">0.042</td>' in text
    assert re.findall(r"<td>(yes|no|)</td>", text)[:3] == ["yes", "", "no"]
    assert notebook.table(frame.head(0)).count("<tr>") == 1
    assert "1,000.5" in notebook.table(pl.DataFrame({"x": [1000.5, float("nan")]}))


def test_values_by_name():
    text = notebook.values({"k": 0.25, "runs": 1000, "exact": False, "none": None, "cells": [1]})
    assert "0.25" in text
    assert "1,000" in text
    assert "no" in text
    assert "cells" not in text
    assert notebook.values({"table": [1]}) == ""
