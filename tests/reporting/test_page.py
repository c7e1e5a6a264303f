"""The page as bytes: what it holds, how often, and how large it is."""

import base64
import gzip
import json
import re
import sys
from dataclasses import replace
from datetime import date, datetime
from html import unescape

import polars as pl
import pytest

from peckorder.reporting import page as pages
from peckorder.reporting.page import Drawing, Page, Section, Table, Words, render
from tests.reporting.test_browser import HOSTILE, drawings, sample


def data_of(html):
    """The JSON of the figures."""
    found = re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    return {drawing["kind"]: drawing for drawing in map(json.loads, found)}


def one(part, names=("a", "b")):
    return render(Page("Title", "", tuple(names), (Section("s", "Section", (part,)),))).decode()


def test_names_never_become_markup():
    text = render(sample()).decode().split('id="plotly"')[0]
    for name in HOSTILE[:2] + HOSTILE[4:5]:
        assert name not in text
    assert "<img src=x" not in text
    assert unescape(text).count(HOSTILE[0]) > 5
    assert data_of(text)["ranks"]["columns"]["individual"] == list(HOSTILE)
    packed = data_of(text)["trajectories"]["columns"]["individual"]
    assert packed["values"] == list(HOSTILE)
    assert packed["codes"][:41] == [0] * 40 + [1]


def test_control_characters_are_shown_as_codes():
    """Everywhere in the same way, so that a name in a table is still found in a figure."""
    name, shown = "\x1b[31mDi\x9b\u202e", r"\x1b[31mDi\x9b\u202e"
    frame = pl.DataFrame({"individual": [name], "rank": [1]})
    parts = (Words(f"{name} ranks first."), Table("ranks", "", frame, who="individual"))
    html = "".join(one(part, names=(name, "Bo")) for part in parts)
    text = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert f'<p class="plain">{shown} ranks first.</p>' in text
    assert f'<button class="who">{shown}</button>' in text
    assert f'<option value="{shown}">' in text
    listed = re.search(r'id="all-names">(.*?)</script>', html)
    assert listed is not None
    assert json.loads(listed[1]) == [shown, "Bo"]
    assert pages._plain({name: [name]}) == {shown: [shown]}


def test_separators_of_lines_are_written_as_escapes():
    assert pages._json("<&>\u2028\u2029é") == '"\\u003c\\u0026\\u003e\\u2028\\u2029é"'


def test_a_page_holds_one_plotly_and_allows_only_its_own_scripts():
    assert 'id="plotly"' not in one(Words("Plain."))
    html = one(drawings(["a", "b"])["ranks"])
    packed = re.findall(r'id="plotly" data-notice="([^"]*)">([^<]*)</script>', html)
    assert len(packed) == 1
    assert "Licensed under the MIT license" in packed[0][0]
    code = gzip.decompress(base64.b64decode(packed[0][1])).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    said = unescape(policy.group(1))
    assert said.startswith(f"default-src 'none'; script-src '{pages._hash(code)}'")
    assert said.count("'sha256-") == 2
    assert len(re.findall(r"<script>", html)) == 1
    assert len(html) < 1_000_000
    assert not re.search(r'(?:src|href)="(?!data:|#)', html[: html.index("<script>")])


def test_a_page_of_a_hundred_stays_small():
    names = [f"individual of the clan {number:03}" for number in range(100)]
    figures = drawings(names, steps=200)
    days, late = pl.col("date").cast(pl.Datetime("us")), pl.int_range(pl.len()) * 1_000_000
    frame = figures["trajectories"].frame.with_columns(date=days + late.cast(pl.Duration("us")))
    assert frame.shape == (20_000, 9)
    assert frame["date"].n_unique() > 19_000
    course = replace(figures["trajectories"], frame=frame)
    parts = (course, figures["matrix"], figures["chances"])
    made = render(Page("Large", "", tuple(names), (Section("all", "All", parts),)))
    assert len(made) < 3_000_000
    assert made == render(Page("Large", "", tuple(names), (Section("all", "All", parts),)))


def test_values_travel_short():
    frame = pl.DataFrame(
        {
            "whole": [1, 123456789, None],
            "real": [0.123456789, 1234.5678, float("nan")],
            "day": [date(2020, 1, 2), None, date(2020, 1, 1)],
            "time": [datetime(1970, 1, 1, 8), datetime(1970, 1, 1, 8, 30), None],
            "yes": [True, False, None],
            "text": ["x", "x", "x"],
        }
    )
    figure = Drawing("f", "other", "Figure", "", frame, {"limit": float("inf")}, b"<svg/>", "", "")
    found = data_of(one(figure))["other"]
    assert found["columns"] == {
        "whole": [1, 123456789, None],
        "real": [0.1, 1234.6, None],
        "day": {"microseconds": 86_400_000_000, "steps": [18263, None, -1], "timed": False},
        "time": {"microseconds": 1_800_000_000, "steps": [16, 1, None], "timed": True},
        "yes": [True, False, None],
        "text": {"values": ["x"], "codes": [0, 0, 0]},
    }
    assert found["options"] == {"limit": None}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 20, None], ["1", "20", ""]),
        ([0.5, 0.12345, -0.00001, 0.0004], ["0.500", "0.123", "0.000", "&lt;0.001"]),
        ([1.5, -2.25], ["1.50", "−2.25"]),
        ([1.5, 20.0], ["1.5", "20.0"]),
        ([1234.5678, 999.99], ["1234.6", "1000.0"]),
        ([123456.7, 3.0], ["123456.7", "3.0"]),
        ([True, False], ["yes", "no"]),
    ],
)
def test_numbers_read_well(values, said):
    html = one(Table("t", "Numbers", pl.DataFrame({"x": values})))
    assert re.findall(r"<td[^>]*>(.*?)</td>", html) == said


def test_tables_have_headings_and_names_to_follow():
    frame = pl.DataFrame({"individual": ["a", "b"], "rank": [1, 2]})
    html = one(Table("t", "Ranks", frame, {"rank": "Rank today"}, who="individual"))
    assert html.count('<button class="who">') == 2
    assert "<button>Individual</button>" in html
    assert "<button>Rank today</button>" in html


def test_long_data_show_their_beginning():
    frame = pl.DataFrame({"contest": range(300), "rank_mae": [0.5] * 300})
    figure = Drawing("f", "recovery", "Figure", "", frame, {}, b"<svg/>", "py", "sh")
    html = one(figure)
    assert html.count("<tr><td") == 100
    assert "Show all 300 rows" in html
    assert "rows</button>" not in one(replace(figure, frame=frame.head(100)))


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'po.report needs jinja2.*"peckorder\[report\]"'):
        one(Words("Plain."))
