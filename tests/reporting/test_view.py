"""Reports at a date and through a window: who is ranked, and what rests on which contests."""

import re
from html import unescape

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.reporting.view import View
from tests.reporting.test_report import text_of, written

QUICK = ["elo", "dynamic", "davids_score"]


def with_departure():
    """Ten months of contests among six; "a" leaves after five of them."""
    random = np.random.default_rng(4)
    rows = []
    for day in range(0, 300, 2):
        there = "abcdef" if day < 150 else "bcdef"
        one, other = sorted(map(str, random.choice(list(there), 2, replace=False)))
        chance = 1 / (1 + np.exp(-1.2 * (ord(other) - ord(one))))
        first, second = (one, other) if random.random() < chance else (other, one)
        date = np.datetime64("2020-01-01") + day
        rows.append({"winner": first, "loser": second, "date": str(date)})
    stays = {
        "individual": list("abcdef"),
        "start": ["2020-01-01"] * 6,
        "end": ["2020-05-29"] + ["2020-12-31"] * 5,
    }
    return po.read(pl.DataFrame(rows), presence=pl.DataFrame(stays))


def cells(html, table):
    """The texts of the rows of a table."""
    inside = html[html.index(f'id="{table}"') :]
    body = inside[inside.index("<tbody>") : inside.index("</tbody>")]
    return [
        [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td.*?</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]


@pytest.mark.usefixtures("unillustrated")
def test_the_ranking_is_that_of_those_present_and_the_others_are_apart(tmp_path):
    data = with_departure()
    text, html = text_of(written(data, tmp_path, methods=QUICK))
    expected = po.dynamic(data, seed=1).at("2020-10-25")
    assert [row[0] for row in cells(html, "ranks-table")] == expected["individual"].to_list()
    last = po.dynamic(data, seed=1).at("2020-05-29")["individual"].to_list()
    assert cells(html, "left-table") == [["a", str(1 + last.index("a")), "6", "2020-05-29"]]
    assert "Ranks are those on 2020-10-25, among the 5 individuals present then of 6." in text
    order = expected["individual"].to_list()
    assert f"{order[0]} ranks first and {order[-1]} last" in text
    assert "Of the 4 pairs of adjacent ranks" in text
    highest = {float(row[4]) for row in cells(html, "ranks-table")}
    assert max(highest) <= 5
    shown = re.search(r'id="figure-ranks".*?<script type="application/json">(.*?)</script>', html)
    assert '"a"' not in shown.group(1) if shown else True


@pytest.mark.usefixtures("unillustrated")
def test_a_report_at_an_earlier_date_ranks_those_present_then(tmp_path):
    data = with_departure()
    text, html = text_of(written(data, tmp_path, methods=QUICK, at="2020-03-01"))
    expected = po.dynamic(data, seed=1).at("2020-03-01")
    assert [row[0] for row in cells(html, "ranks-table")] == expected["individual"].to_list()
    order = expected["individual"].to_list()
    assert f"{order[0]} ranks first and {order[-1]} last" in text
    assert 'id="left-table"' not in html
    assert "at='2020-03-01'" in unescape(html)
    assert "--at 2020-03-01" in html


@pytest.mark.usefixtures("unillustrated")
def test_a_window_cuts_structure_and_matrix_but_not_the_ratings(tmp_path):
    data = with_departure()
    span = {"start": "2020-04-01", "end": "2020-07-31"}
    text, html = text_of(written(data, tmp_path, methods=QUICK, runs=200, **span))
    rated = po.dynamic(data, seed=1).between(**span)
    rows = cells(html, "ranks-table")
    assert [row[0] for row in rows] == rated.as_polars()["individual"].to_list()
    part = data.filter(**span)
    assert sum(int(row[6]) for row in rows) <= 2 * len(part)
    slope = po.steepness(part, seed=1, runs=200).values["value"]
    assert f"The slope of David's scores is {slope:.2f}" in text
    assert f"rest on the {len(part)} of 150 contests from 2020-04-01 to 2020-07-31" in text
    code = unescape(html)
    assert '.between(start="2020-04-01", end="2020-07-31")' in code
    assert 'po.steepness(data.filter(start="2020-04-01", end="2020-07-31")' in code
    assert "--from 2020-04-01 --to 2020-07-31" in code


def test_dates_that_cannot_be_are_refused(tmp_path):
    data = with_departure()
    for wrong, message in (
        ({"at": "2021-05-01"}, "is not between 2020-01-01 and 2020-10-25"),
        ({"start": "2020-08-01", "end": "2020-07-01"}, "ends .* before it starts"),
        ({"at": "soon"}, "is not a date"),
    ):
        with pytest.raises(po.PeckorderError, match=message):
            written(data, tmp_path, methods="elo", **wrong)
    with pytest.raises(ValueError, match="the order of these contests is not known"):
        written(po.datasets.bonobos(), tmp_path, at="2020-01-01")


def test_presence_inferred_from_contests_does_not_say_who_left():
    data = po.read({"winner": list("aab"), "loser": list("bcc")}, presence="inferred")
    assert View.of(data, None, None, None).at is None
    assert View.of(data, None, None, 2).present == {"a", "b", "c"}
    assert View.of(po.datasets.adv(), None, None, None).at is None


def test_ranks_among_some_individuals_come_from_the_same_draws():
    order = po.randomized_elo(po.datasets.adv(), runs=200, seed=1)
    some = po.plot.ranks.data(order, individuals=["b", "c", "a"])
    draws = order.samples["rating"]
    codes = [order.data.individuals.index(name) for name in some["individual"]]
    ranks = (-draws[:, codes]).argsort(axis=1).argsort(axis=1) + 1
    assert some["rank"].to_list() == pytest.approx(ranks.mean(axis=0).tolist())
    assert set(some["rank_high"]) <= {1.0, 2.0, 3.0}


@pytest.mark.usefixtures("unillustrated")
def test_the_shell_takes_a_date_a_window_and_a_preset(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    done = inside(
        *("report", "adv.csv", "--methods", "elo,davids_score", "--preset", "EloRating"),
        *("--from", "2010-01-05", "--to", "2010-01-25", "--at", "2010-01-20"),
        *("-o", "r.html", "--seed", "1", "--runs", "100"),
    )
    assert done.returncode == 0, done.stderr.decode()
    text, html = text_of(tmp_path / "r.html")
    assert "Ranks are those on 2010-01-20" in text
    assert "preset='EloRating'" in unescape(html)


@pytest.mark.usefixtures("unillustrated")
def test_groups_are_compared_on_a_front_page(tmp_path):
    base = with_departure()
    groups = {
        "North <1>": base,
        "South": po.datasets.adv(),
        "One": po.read(pl.DataFrame({"winner": ["a"], "loser": ["b"]})),
    }
    paths = po.report(groups, tmp_path / "h.html", methods=QUICK, seed=1, runs=100)
    rows = cells((tmp_path / "h.html").read_text(encoding="utf-8"), "groups")
    assert [row[0] for row in rows] == list(groups)
    assert rows[0][1:4] == ["6", "5", "150"]
    assert rows[0][4] == po.dynamic(base, seed=1).at("2020-10-25")["individual"][0]
    assert 0 < float(rows[1][7]) <= float(rows[1][6]) <= float(rows[1][8]) <= 1
    html = (tmp_path / "h.html").read_text(encoding="utf-8")
    for path in paths.values():
        assert f'<a href="{path.name}">' in html
    assert "North &lt;1&gt;" in html
    assert len(html) < 200_000  # no figures, so no drawing library


@pytest.mark.programs
@pytest.mark.paper_data
def test_a_report_on_females_of_44_years(paper_file, tmp_path):
    data = po.read(
        paper_file("chimpanzee_females.csv"),
        presence=paper_file("chimpanzee_females_presence.csv"),
    )
    text, html = text_of(written(data, tmp_path, methods=["dynamic", "davids_score"], runs=100))
    assert len(cells(html, "ranks-table")) == 19
    assert len(cells(html, "left-table")) == 25
    assert "f10 ranks first and f44 last" in text
