"""The report: its text, its reproducibility, and its appearance in a browser."""

import errno
import json
import os
import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.methods import METHODS
from peckorder.reporting import page as page_module
from peckorder.reporting.individuals import MOST_POINTS, thinned
from tests.reporting.chromium import opened, settle, sheets_of

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "$x^2$",
    "a&b",
    "plain",
)
CLASSIC = ["elo", "randomized_elo", "davids_score", "isi", "bradley_terry"]
MAIN = [
    "Summary",
    "Data and sampling effort",
    "Ranking",
    "Trajectories",
    "Win matrix",
    "Structure",
    "For your methods section",
]
APPENDIX = [
    "References",
    "Comparison of methods",
    "What predicts best here",
    "Model checks",
    "Presence and probabilities",
    "Data checks",
    "Settings and data",
]
SECTIONS = [*MAIN, *APPENDIX]


def hostile(number=120):
    """Contests among names that look like markup, with dates and presence."""
    random = np.random.default_rng(1)
    rows = []
    for i in range(number):
        a, b = random.choice(5, 2, replace=False)
        first, second = (a, b) if random.random() < 1 / (1 + np.exp(a - b)) else (b, a)
        day = np.datetime64("2020-01-01") + i
        rows.append({"winner": HOSTILE[first], "loser": HOSTILE[second], "date": str(day)})
    return po.read(pl.DataFrame(rows), presence="inferred")


def text_of(path):
    """What a reader sees, and what scripts carry."""
    html = path.read_text(encoding="utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", body)), html


def sheet_text(html, what):
    """The lines of Python, or of the shell, of each figure by its id."""
    figures = re.findall(r'<figure id="([^"]*)">(.*?)</figure>', html, flags=re.DOTALL)
    found = {}
    for name, inside in figures:
        code = re.search(rf"<summary>{what}</summary>.*?<code>(.*?)</code>", inside, re.DOTALL)
        found[name] = unescape(code.group(1))
    return found


def written(data, tmp_path, **options):
    path = tmp_path / "report.html"
    assert po.report(data, path, **({"seed": 1, "runs": 500} | options)) == path
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A report with everything in it."""
    return written(hostile(), tmp_path_factory.mktemp("whole"), recovery=20)


@pytest.mark.programs
def test_a_report_in_a_browser(whole):
    with opened(whole) as (page, wrong):
        assert page.locator("h2").all_text_contents() == SECTIONS
        drawn = page.evaluate(
            "() => [...document.querySelectorAll('.plot')].map((plot) => plot.dataset.drawn)"
        )
        assert len(drawn) >= 14
        assert {*drawn} == {"true"}
        table = page.locator("#ranks-table")
        names = table.locator(".who").all_text_contents()
        assert sorted(names) == sorted(HOSTILE)
        assert page.locator("#figure-ranks .ytick text").all_text_contents() == names
        table.locator(".who").nth(1).click()
        settle(page, names[1])
        for figure in ("figure-trajectories", "figure-ranks"):
            strong = page.evaluate(
                """([id]) => document.querySelector(`#${id} .plot`).data.filter((trace) =>
                    JSON.stringify(trace).includes("#D55E00")).length""",
                [figure],
            )
            assert strong >= 1, figure
        table.locator("th button").nth(1).click()
        table.locator("th button").nth(1).click()
        assert table.locator(".who").all_text_contents() == names[::-1]
        size, sheets = sheets_of(page)
        assert size == (595, 842)
        assert len(sheets) <= 8
        for title in MAIN:
            assert any(title in sheet for sheet in sheets), title
        assert not any("Rank orders by method" in sheet for sheet in sheets)
        page.locator("#whole").check()
        for title in SECTIONS:
            assert any(title in sheet for sheet in sheets_of(page)[1]), title
        assert wrong == []


def test_names_are_never_markup(whole):
    text, html = text_of(whole)
    assert HOSTILE[0] in text
    assert "<img src=x" not in html
    assert html.count("<script>alert") == 0
    for data in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL):
        json.loads(data)


def test_the_summary_has_five_paragraphs_and_every_section_is_there(whole):
    text, html = text_of(whole)
    assert re.findall(r"<h2>(.*?)</h2>", html) == SECTIONS
    lead = re.findall(r'<p class="lead">(.*?)</p>', html, re.DOTALL)
    assert len(lead) == 5
    assert lead[0] == (
        "This report is based on 120 contests among 5 individuals, from 2020-01-01 to 2020-04-29."
    )
    assert " ranks first and " in lead[1]
    assert re.search(r"Of the 4 pairs of adjacent ranks, \d (is|are) resolved", lead[1])
    assert re.match(
        r"Steepness at the end of the study is 0\.\d\d \(95% CrI 0\.\d\d–0\.\d\d; dynamic", lead[2]
    )
    assert "The slope of David&#39;s scores is 0." in lead[2]
    assert "took part in 48 contests on average, and 0 of 10 dyads have no decided" in lead[4]
    assert "A takeover would have shown in Elo ratings (k = 100) in" in lead[3]
    assert "(20 simulated records)" in lead[3]
    for said in (
        "Goffe, A. S.",
        "largest R̂ 1.0",
        METHODS["linearity"].caveat,
        "We analyzed",
        hostile().hash,
        "Repeatability",
    ):
        assert said.lower() in text.lower(), said


@pytest.mark.slow
def test_the_same_seed_gives_the_same_file(tmp_path):
    one = written(po.datasets.adv(), tmp_path, methods=CLASSIC).read_bytes()
    two = written(po.datasets.adv(), tmp_path, methods=CLASSIC).read_bytes()
    three = written(po.datasets.adv(), tmp_path, methods=CLASSIC, seed=2).read_bytes()
    assert one == two != three


@pytest.fixture(scope="module")
def classic(tmp_path_factory):
    """A report of contests with draws, which were read with options and rated with others."""
    folder = tmp_path_factory.mktemp("classic")
    table = pl.read_csv(Path(po.datasets.CATALOGUE["adv"].path))
    days = table["Date"].str.to_date().dt.strftime("%d/%m/%Y")
    drawn = pl.Series("tie", [0, 0, 0, 1] * 8 + [0])
    table.with_columns(days, drawn).drop("Time").write_csv(folder / "adv.csv", separator=";")
    folder.joinpath("there.csv").write_text(
        "individual,start,end\n" + "".join(f"{name},2010-01-01,2010-03-01\n" for name in "abcdefg")
    )
    (here := pytest.MonkeyPatch()).chdir(folder)
    data = po.read("adv.csv", date_format="%d/%m/%Y", tie="tie", presence="there.csv")
    here.undo()
    return written(data, folder, methods=CLASSIC, k=(200, 100), recovery=20, ties="half")


def columns_of(html):
    """The data of each figure by its id, dates left out."""
    found = {}
    for text in re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL):
        figure = json.loads(text)
        columns = {}
        for name, values in figure["columns"].items():
            if isinstance(values, dict) and "codes" in values:
                values = [values["values"][code] for code in values["codes"]]
            if isinstance(values, list):
                columns[name] = values
        found[figure["id"]] = columns
    return found


def same(columns, table):
    """Whether a table holds what a figure of the page shows, as finely as it shows it."""
    for name, values in columns.items():
        other = table[name].to_list()
        if any(isinstance(value, str) for value in values):
            assert [str(value) for value in other] == values, name
        else:
            one, two = (np.array(side, float) for side in (values, other))
            assert np.allclose(
                one, two, atol=0.051 if np.nanmax(np.abs(two)) > 100 else 6e-4, equal_nan=True
            ), name
    return bool(columns)


@pytest.mark.programs
def test_the_lines_of_python_make_the_figures_again(classic, monkeypatch):
    monkeypatch.chdir(classic.parent)
    html = text_of(classic)[1]
    lines, shown = sheet_text(html, "Python"), columns_of(html)
    assert set(lines) == {
        f"figure-{kind}"
        for kind in (
            "ranks",
            "trajectories",
            "matrix",
            "chances",
            "steepness",
            "dominance_style",
            "shape",
            "compare",
            "calibration",
            "recovery",
            "presence",
            "rank_probabilities",
        )
    }
    import matplotlib.pyplot as plt

    for name, code in lines.items():
        exec(compile(code, name, "exec"), {})
        drawn = re.sub(r"^ax = (po\.plot\.\w+)\(", r"table = \1.data(", code, flags=re.MULTILINE)
        space = {}
        exec("\n".join(drawn.splitlines()[:-1]), space)
        assert same(shown[name], space["table"]), name
        made = classic.parent / f"{name.removeprefix('figure-').replace('_', '-')}.pdf"
        assert made.read_bytes().startswith(b"%PDF"), name
        made.unlink()
        plt.close("all")


@pytest.mark.programs
def test_the_lines_of_the_shell_make_the_figures_again(classic, inside, monkeypatch):
    monkeypatch.chdir(classic.parent)
    html = text_of(classic)[1]
    shown = columns_of(html)
    for name, line in sheet_text(html, "Shell").items():
        program, *arguments = shlex.split(line)
        assert program == "peckorder"
        done = inside(*arguments, "-o", "table.parquet")
        assert done.returncode == 0, (line, done.stderr)
        assert same(shown[name], pl.read_parquet(classic.parent / "table.parquet")), name
        made = classic.parent / arguments[-1]
        assert made.read_bytes().startswith(b"%PDF"), name
        made.unlink()


@pytest.mark.programs
def test_the_whole_report_is_made_again_by_its_own_lines(classic, inside, monkeypatch):
    monkeypatch.chdir(classic.parent)
    html = classic.read_text(encoding="utf-8")
    codes = dict(
        re.findall(
            r'<p class="label">(.*?)</p>\s*<div class="code"><pre><code>(.*?)</code>',
            html,
            re.DOTALL,
        )
    )
    exec(unescape(codes["This report in Python"]), {})
    program, *arguments = shlex.split(unescape(codes["This report at the shell"]))
    by_python = (classic.parent / "hierarchy.html").read_bytes()
    assert inside(*arguments).returncode == 0
    by_shell = (classic.parent / "hierarchy.html").read_bytes()
    figures = [
        re.findall(rb'<script type="application/json">(.*?)</script>', one, re.DOTALL)
        for one in (html.encode(), by_python, by_shell)
    ]
    assert program == "peckorder"
    assert figures[0] == figures[1] == figures[2]


def test_lines_of_a_report_with_a_posterior(whole):
    python, shell = (sheet_text(text_of(whole)[1], what) for what in ("Python", "Shell"))
    assert "po.plot.ranks(po.dynamic(data, seed=1))" in python["figure-ranks"]
    assert 'po.plot.matrix(po.dynamic(data, seed=1), show="chances")' in python["figure-chances"]
    assert "--show chances --method dynamic --seed 1" in shell["figure-chances"]
    assert (
        "po.plot.summed_probability(po.steepness_bayes(data, seed=1))"
        in (python["figure-summed_probability"])
    )


@pytest.mark.usefixtures("unillustrated")
def test_claims_that_only_one_posterior_makes_are_named(tmp_path):
    """With k > 0 the intervals of Bayesian Elo are narrow: it claims what dynamic ratings do not."""
    html = written(po.datasets.adv(), tmp_path).read_text(encoding="utf-8")
    lead = [unescape(one) for one in re.findall(r'<p class="lead">(.*?)</p>', html, re.DOTALL)]
    found = re.search(
        r"Bayesian Elo would call the order of (\d+) pairs resolved that dynamic ratings do not "
        r"\(the clearest: (\w) outranks (\w) with probability ([\d.]+), against ([\d.]+)\)",
        lead[3],
    )
    assert found is not None
    bayes, dynamic = po.elo_bayes(po.datasets.adv(), seed=1), po.dynamic(po.datasets.adv(), seed=1)
    names = list(dynamic)
    pairs = [(a, b) for a in names for b in names if a != b]
    claimed = [p for p in pairs if bayes.outranks(*p) >= 0.95 and dynamic.outranks(*p) < 0.95]
    assert int(found[1]) == len(claimed)
    pair = (found[2], found[3])
    assert pair in claimed
    assert float(found[4]) == pytest.approx(bayes.outranks(*pair), abs=0.005)
    assert float(found[5]) == pytest.approx(dynamic.outranks(*pair), abs=0.005)
    assert "power against a takeover in a record like this" in lead[3]


def test_a_matrix_has_a_report_without_trajectories(tmp_path):
    text, html = text_of(written(po.datasets.bonobos(), tmp_path, methods=[*CLASSIC, "elo_bayes"]))
    assert "the order of these contests is not known" in text
    assert 'id="figure-trajectories"' not in html
    assert 'id="figure-summed_probability"' in html
    assert "456 contests among 7 individuals" in text


@pytest.mark.usefixtures("unillustrated")
def test_further_methods_on_request(tmp_path):
    methods = ["davids_score", "adagio", "percolation", "dominance_value"]
    text, html = text_of(written(po.datasets.adv(), tmp_path, methods=methods))
    for word in ("ADAGIO", "percolation", "dominance value"):
        assert word in text
    assert "Douglas et al. 2017" in text
    assert "Fushing, H., McAssey" in text
    line = sheet_text(html, "Python")["figure-compare"]
    assert "methods=['davids_score', 'adagio', 'percolation', 'dominance_value']" in line
    shell = sheet_text(html, "Shell")["figure-compare"]
    assert "adagio,percolation,dominance_value" in shell
    with pytest.raises(ValueError, match=r"Choose from: .*bradley_terry, adagio, percolation"):
        written(po.datasets.adv(), tmp_path, methods="adagoi")


@pytest.mark.usefixtures("unillustrated")
def test_network_and_study_periods_on_request(tmp_path):
    methods = ["davids_score", "network", "period_ranks"]
    text, html = text_of(written(po.datasets.adv(), tmp_path, methods=methods))
    assert 'id="figure-network"' in html
    assert "po.orders.network(data, ties='omit')" in sheet_text(html, "Python")["figure-network"]
    assert 'id="period-ranks-table"' in html
    assert "2010-02" in text
    text, _ = text_of(written(po.datasets.bonobos(), tmp_path, methods=methods))
    assert "Not available: the order of these contests is not known" in text


@pytest.mark.usefixtures("unillustrated")
def test_behaviors_and_the_differences_at_which_they_occur(tmp_path):
    rows = {"winner": list("aacc"), "loser": list("bbdd"), "behavior": ["chase", "bite"] * 2}
    how = {"methods": "elo", "k": 100}
    text, html = text_of(written(po.read(rows), tmp_path, **how))
    text = " ".join(text.split())
    assert "was chase (median 0 points, 2 contests), and most ahead where it was bite" in text
    assert "bite (median 100 points, 2 contests)" in text
    assert "Occurred only where the winner was ahead: bite (k up to 100)." in text
    assert 'id="behaviors-table"' in html
    assert "po.elo_bayes(data, k='context'" in text
    text, _ = text_of(written(po.read(rows), tmp_path, end=3, **how))
    assert "bite (median 100 points, 1 contest)" in text
    assert "po.elo(data, k=100).between(end=3).differences()" in text
    turned = rows | {"behavior": ["bite", "chase", "chase", "bite"]}
    assert "suggest no k. " in text_of(written(po.read(turned), tmp_path, **how))[0]
    for one in (rows | {"behavior": ["bite"] * 4}, {**rows, "behavior": None}):
        data = po.read({name: column for name, column in one.items() if column})
        assert "behaviors" not in written(data, tmp_path, **how).read_text(encoding="utf-8")


def test_a_matrix_has_a_whole_report(tmp_path):
    """With all methods, as by default: nothing that needs an order is assumed to be there."""
    text, html = text_of(written(po.datasets.bonobos(), tmp_path))
    assert "ranks first" in text
    assert 'id="figure-ranks"' in html
    assert "in advance" not in text


def test_two_individuals_have_a_report_too(tmp_path):
    data = po.read({"winner": ["a", "a", "b", "a"], "loser": ["b", "b", "a", "b"]})
    text, _ = text_of(written(data, tmp_path))
    assert "this method requires at least 3" in text


@pytest.mark.usefixtures("unillustrated")
def test_draws_and_pandas_come_through(tmp_path):
    import pandas as pd

    table = pd.DataFrame(
        {"winner": list("abcabcab"), "loser": list("bcabcaca"), "tie": [0, 1, 0, 0, 0, 1, 0, 0]}
    )
    text, _ = text_of(written(po.read(table, tie="tie"), tmp_path, methods=CLASSIC, ties="half"))
    assert "including 2 ties" in text


@pytest.mark.usefixtures("unillustrated")
def test_one_method_alone_is_enough(tmp_path):
    for method in (*CLASSIC, "elo_bayes"):
        text, _ = text_of(written(po.datasets.adv(), tmp_path, methods=method))
        assert " ranks first and " in text


def test_long_trajectories_are_thinned_and_the_caption_says_so(tmp_path):
    _, data = po.simulate.hierarchy(12, 11_000, seed=1)
    table = po.plot.trajectories.data(po.elo(data))
    assert table.height > MOST_POINTS
    thin = thinned(table, MOST_POINTS)
    assert 0.9 * MOST_POINTS < thin.height <= MOST_POINTS
    for end in (pl.all().first(), pl.all().last()):
        ends = [one.group_by("individual", maintain_order=True).agg(end) for one in (table, thin)]
        assert ends[0].equals(ends[1])
    text, _ = text_of(written(data, tmp_path, methods="elo"))
    assert f"Thinned: {thin.height:,} of {table.height:,} points are shown." in text


@pytest.mark.programs
def test_a_hundred_individuals_and_ten_thousand_contests_stay_below_4_mb(tmp_path):
    _, data = po.simulate.hierarchy(100, 10_000, seed=1)
    path = written(data, tmp_path, methods=["elo", "randomized_elo"])
    assert 1e6 < path.stat().st_size < 4e6


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ([1, 2], {}, "not list"),
        (
            None,
            {"methods": "ello"},
            'method "ello" is not known. Choose from: elo, dynamic, elo_bayes',
        ),
        (None, {"methods": []}, "methods is empty"),
        (None, {"runs": 0}, "runs=0: give a whole number of at least 1"),
        (None, {"recovery": -1}, "recovery=-1"),
        (None, {"seed": -1}, "seed=-1"),
        (None, {"ties": "sometimes"}, 'ties="sometimes" is not known'),
        (None, {"k": "much"}, "k"),
    ],
)
def test_wrong_arguments_raise_before_anything_is_written(data, options, message, tmp_path):
    data = po.datasets.adv() if data is None else data
    with pytest.raises((TypeError, ValueError), match=message):
        po.report(data, tmp_path / "x.html", **options)
    assert not list(tmp_path.iterdir())


def test_too_many_individuals_are_refused(tmp_path):
    _, data = po.simulate.hierarchy(301, 2000, seed=1)
    with pytest.raises(po.DataError, match=r"301 individuals are too many .* data\.filter"):
        po.report(data, tmp_path / "x.html")


@pytest.mark.usefixtures("unillustrated")
def test_nothing_is_half_written(tmp_path, monkeypatch, inside):
    target = tmp_path / "old.html"
    target.write_text("as it was", encoding="utf-8")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        po.report(po.datasets.adv(), target, methods="elo", seed=1)
    assert target.read_text(encoding="utf-8") == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]


def test_a_path_that_cannot_be_written_raises_first(tmp_path, monkeypatch):
    monkeypatch.setattr(po, "elo", None)  # nothing may be computed before
    for path, kind, message in (
        (tmp_path / "no" / "x.html", FileNotFoundError, "The folder does not exist"),
        (tmp_path, IsADirectoryError, "This is a folder"),
    ):
        with pytest.raises(kind, match=message):
            po.report(po.datasets.adv(), path, methods="elo")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="No permission to write"):
        po.report(po.datasets.adv(), tmp_path / "x.html", methods="elo")


def test_a_missing_extra_names_the_line_that_installs_it(tmp_path, monkeypatch, inside):
    monkeypatch.setattr(page_module, "find_spec", lambda name: None)
    line = 'po.report needs jinja2. Install it with: pip install "peckorder[report]"'
    with pytest.raises(ImportError, match=re.escape(line)):
        po.report(po.datasets.adv(), tmp_path / "x.html")
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside("report", "adv.csv")
    assert done.returncode == 1
    assert line in done.stderr.decode()
    assert not (tmp_path / "hierarchy.html").exists()


@pytest.mark.usefixtures("unillustrated")
def test_the_command_writes_and_reports(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside(
        "report",
        "adv.csv",
        "--methods",
        "elo,isi",
        "--k",
        "200",
        "--title",
        "A & B",
        "-o",
        "r.html",
    )
    assert done.returncode == 0, done.stderr
    assert "Wrote r.html." in done.stderr.decode()
    assert "Seed: " in done.stderr.decode()
    assert "<h1>A &amp; B</h1>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    steps = []
    po.report(
        po.datasets.adv(), tmp_path / "x.html", methods="elo", progress=lambda *a: steps.append(a)
    )
    shares = [done / of for done, of in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for wrong, message in (
        (("report", "adv.csv", "-o", "adv.csv"), "is given twice"),
        (("report", "no.csv"), "File not found: no.csv"),
        (("report", "adv.csv", "--methods", "elo,ello"), 'method "ello" is not known'),
        (("report", "adv.csv", "-o", "no/x.html"), "The folder does not exist"),
    ):
        done = inside(*wrong)
        assert done.returncode in (1, 2)
        assert message in done.stderr.decode()


@pytest.mark.usefixtures("unillustrated")
def test_limits_of_the_data_are_stated(tmp_path):
    def lead(data, **options):
        html = text_of(written(data, tmp_path, **options))[1]
        return [unescape(one) for one in re.findall(r'<p class="lead">(.*?)</p>', html, re.DOTALL)]

    one = lead(po.read({"winner": ["a"], "loser": ["b"]}), methods=CLASSIC)
    assert "does not account for the limited number of contests" in one[1]
    assert "took part in 1 contest on average, too few for reliable ranks" in one[4]
    assert "Spearman" not in one[3]
    apart = po.read({"winner": list("aabxxy") * 3, "loser": list("bccyzz") * 3})
    assert "are not connected by any contest" in lead(apart, methods=CLASSIC)[1]
    wins = np.array([[0, 3, 2, 0], [1, 0, 4, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    hens = po.Matrix(("a", "b", "c", "Loner"), wins)
    assert "Loner took part in no contest, so its rank is" in lead(hens, methods=CLASSIC)[1]
    ties = po.read({"winner": ["a", "b"] * 5, "loser": ["c", "d"] * 5})
    assert (
        "a and b share the highest rank, and c and d share the lowest rank"
        in lead(ties, methods="davids_score")[1]
    )
    drawn = po.read({"winner": list("aaba"), "loser": list("cccb"), "tie": [0, 0, 0, 1]}, tie="tie")
    assert "1 of 3 dyads has no decided contest" in lead(drawn, methods=CLASSIC)[4]


@pytest.mark.usefixtures("unillustrated")
def test_a_first_rank_without_a_late_contest_is_qualified(tmp_path):
    rows = [("a", "b"), ("a", "c"), ("b", "c")] * 6 + [("b", "c")] * 10
    table = pl.DataFrame(rows, ["winner", "loser"], orient="row")
    days = [f"2020-01-{day:02d}" for day in range(1, 29)]
    data = po.read(table.with_columns(date=pl.Series(days)), presence="inferred")
    text, html = text_of(written(data, tmp_path, methods=CLASSIC))
    assert "(a has no contest on the last day; b ranks highest among those that have one)" in text
    assert "1 of 3 have no contest on the last day" in text
    assert "<button>Left</button>" in html


@pytest.mark.usefixtures("unillustrated")
def test_a_posterior_that_did_not_converge_is_stated_first_with_a_warning(
    tmp_path, monkeypatch, inside
):
    from functools import partial

    monkeypatch.setattr(po, "elo_bayes", partial(po.elo_bayes, warmup=1, samples=12), raising=False)
    with pytest.warns(po.ConvergenceWarning):
        written(hostile(), tmp_path, methods=["elo", "elo_bayes"])
    text, _ = text_of(tmp_path / "report.html")
    assert "The posterior did not converge, so these ranks must not be interpreted" in text
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside("report", "adv.csv", "--methods", "elo,elo_bayes", "-o", "r.html", "--seed", "1")
    assert done.returncode == 1
    assert (tmp_path / "r.html").exists()


def test_the_methods_paragraph_reads_like_one(whole):
    html = whole.read_text(encoding="utf-8")
    codes = dict(
        re.findall(
            r'<p class="label">(.*?)</p>\s*<div class="code"><pre><code>(.*?)</code>',
            html,
            re.DOTALL,
        )
    )
    text = unescape(codes["Paragraph"])
    assert text.startswith("We analyzed 120 contests among 5 individuals, from 2020-01-01 to")
    assert f"(seed 1, data {hostile().hash})" in text
    assert "updated with k = 100 and a logistic curve (Albers & de Vries 2001)" in text
    assert "4 chains of 1,500 draws after 500 warm-up draws" in text
    assert "against 500 randomized matrices (de Vries et al. 2006)" in text
    listed = unescape(codes["References"])
    for name in re.findall(r"\((\w[\w-]+)[^()]* (\d{4})\)", text):
        assert re.search(rf"{name[0]}.*{name[1]}", listed), name


def test_file_names_and_methods_that_cannot_work_raise(tmp_path):
    with pytest.raises(ValueError, match=r"x\.pdf: a report is an HTML file"):
        po.report(po.datasets.adv(), tmp_path / "x.pdf")
    with pytest.raises(po.DataError, match=r"elo cannot rank these contests: the order"):
        po.report(po.datasets.bonobos(), tmp_path / "x.html", methods="elo")


@pytest.mark.usefixtures("unillustrated")
def test_recovery_of_a_matrix_and_games_with_points(tmp_path):
    text, html = text_of(written(po.datasets.bonobos(), tmp_path, methods=CLASSIC, recovery=10))
    assert "not distinguishable" in text
    assert 'id="figure-recovery"' not in html
    games = po.read(
        pl.DataFrame(
            {
                "home": list("abcab"),
                "away": list("bcaca"),
                "home_score": [3, 1, 2, 4, 0],
                "away_score": [1, 1, 0, 2, 5],
            }
        )
    )
    text, _ = text_of(written(games, tmp_path, methods=CLASSIC))
    assert "points and home sides are not used" in text


@pytest.mark.usefixtures("unillustrated")
def test_the_text_fits_the_requested_methods(tmp_path):
    def said(data, label="Paragraph", **options):
        html = written(data, tmp_path, **options).read_text(encoding="utf-8")
        lead = [unescape(one) for one in re.findall(r'<p class="lead">(.*?)</p>', html, re.DOTALL)]
        found = re.findall(
            r'<p class="label">(.*?)</p>\s*<div class="code"><pre><code>(.*?)</code>',
            html,
            re.DOTALL,
        )
        return lead, unescape(dict(found)[label])

    drawn = po.read(
        {"winner": list("aabacd") * 3, "loser": list("bccddb") * 3, "tie": [0, 0, 0, 0, 1, 1] * 3},
        tie="tie",
    )
    lead, text = said(drawn, methods=["elo_bayes", "isi"])
    assert "modeled after Davidson (1970) in posteriors of ratings" in text
    assert "half a win" not in text
    assert "2 of 6 dyads have no decided contest" in lead[4]
    assert "0 of 6 dyads have no contest" in said(drawn, methods="isi", ties="half")[0][4]
    lead, text = said(po.datasets.adv(), methods="isi")
    assert "Rank orders were computed with I&SI (de Vries 1998)." in text
    assert text.endswith("Ranks are those of I&SI.")
    ring = po.read({"winner": list("abcd"), "loser": list("bcda")})
    assert said(ring, methods="davids_score")[0][1].startswith("No individual outranks another.")
    assert "from contest to contest" in said(ring, methods="elo")[1]
    even = po.read({"winner": list("abcd"), "loser": list("bcda"), "tie": [1] * 4}, tie="tie")
    lead, text = said(even, methods="elo")
    assert lead[2].startswith("Steepness and linearity: ")
    assert "Rank orders were computed" not in text


@pytest.mark.usefixtures("unillustrated")
def test_code_repeats_how_data_were_read(tmp_path, monkeypatch):
    from peckorder.reporting.page import Lines

    monkeypatch.chdir(tmp_path)
    Path("-x.csv").write_text("winner,loser\na,b\nb,c\n", encoding="utf-8")
    stays = pl.DataFrame({"individual": list("abc"), "start": [1] * 3, "end": [9] * 3})
    data = po.read("-x.csv", context=False, presence=stays)
    assert data.report.options == {"context": "", "presence": "presence.csv"}
    assert Lines.of(data).command("elo", k=123.456789) == (
        "peckorder elo ./-x.csv --read context= --presence presence.csv --k 123.456789"
    )
    aliases = po.read({"winner": ["a", "b"], "loser": ["b", "B x"]}, names={"B x": "b c"})
    assert "--read 'names=B x=b c'" in Lines.of(aliases).command("elo")
    assert "presence" not in data.with_presence(None).report.options
    square = po.read(np.array([[0, 3], [1, 0]]), individuals=np.array(["a", "b"]))
    assert square.report.options == {"individuals": ["a", "b"]}
    assert Lines.of(square).shell("ranks", "ranks").startswith("# not available at the shell")
    assert "po.read(\"contests.csv\", individuals=['a', 'b'])" in Lines.of(square).reading


@pytest.mark.usefixtures("unillustrated")
def test_k_is_repeated_in_the_code(tmp_path):
    for k, code in (([100, 50], "k=(100, 50)"), (np.float64(80.5), "k=80.5"), (0, "k=0")):
        html = written(po.datasets.adv(), tmp_path, methods="elo", k=k).read_text(encoding="utf-8")
        assert f"po.elo(data, {code})" in html
    written(po.datasets.adv(), tmp_path, methods="elo", k="fide")
    with pytest.raises(ValueError, match="k of a report must be a number"):
        written(po.datasets.adv(), tmp_path, methods="elo", k=np.arange(33.0))
    for wrong in ("yes", 2.7):
        with pytest.raises(ValueError, match="recovery="):
            written(po.datasets.adv(), tmp_path, methods="elo", recovery=wrong)
