"""Checks of the data."""

import re

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.same_time import order_effect, order_unknown, random_order, stamp_numbers
from tests.twin import Contest, rate


def test_all_findings_are_reported(sheet):
    path = sheet(
        "winner,loser,date\n Abe,Bo,2020-01-02\nAbe,abe,2020-01-01\nFanny,Fany,2020-01-02\n"
        "Bo,Abe,2020-01-03\nBo,Abe,2020-01-03\nxi,yo,2020-01-03\n"
    )
    report = po.read(path).check()
    assert report["similar_names"].level == "warning"
    assert '"Abe"/"abe", "Fanny"/"Fany"' in report["similar_names"].message or (
        '"Abe"/"abe", "Fany"/"Fanny"' in report["similar_names"].message
    )
    assert report["duplicates"].rows == [6]
    assert "Row 3 was dated before" in report["date_order"].message
    assert report["one_day"].individuals == ["abe", "Fanny", "Fany", "xi", "yo"]
    assert "{xi, yo}" in report["connected"].message
    assert report["contests_each"].individuals == list(po.read(path).individuals)
    assert report["unknown_dyads"].message.startswith("17 of 21 dyads (81%)")
    text = str(report)
    assert "6 rows, 6 kept" in text
    assert 'Leading or trailing blanks were removed from 1 name: " Abe"' in text
    assert text.endswith("4 warnings. The data can be used.")


def test_clean_data_pass():
    report = po.datasets.adv().check()
    assert report.warnings == ()
    assert {check.name for check in report.checks if check.level == "passed"} >= {
        "names",
        "self_contests",
        "similar_names",
        "duplicates",
        "date_order",
        "connected",
    }
    assert "4 of 21 dyads (19%)" in report["unknown_dyads"].message
    plain = report.to_dict()
    assert plain["report"]["rows_in"] == plain["report"]["rows_kept"] == 33


@pytest.mark.parametrize(
    ("one", "other", "similar"),
    [
        ("Abe", "ABE", True),
        ("Old Tom", "OldTom", True),
        ("Fanny", "Fany", True),
        ("Fanny", "Funny", True),
        ("f01", "f02", False),  # digits tell individuals apart
        ("a", "b", False),
    ],
)
def test_similar_names(one, other, similar):
    report = po.read((["Zebedee", one], [one, other])).check()
    assert (report["similar_names"].level == "warning") == similar


def test_short_codes_are_only_noted():
    assert po.read((["ABC", "ABD"], ["ABD", "XYZ"])).check()["similar_names"].level == "note"


def test_rows_dropped_by_reason(sheet):
    path = sheet("winner,loser\na,b\na,a\n,b\n\nb,a\n\n")
    data = po.read(path, self_contests="drop", missing="drop")
    assert len(data) == 2
    assert data.report.dropped == {
        "blank rows": 1,
        "no winner or no loser": 1,
        "winner and loser are the same individual": 1,
    }
    assert "5 rows, 2 kept" in str(data.check())


def test_names_for_nobody_and_unused_outcomes_are_doubts(sheet):
    data = po.read(sheet("winner,loser,result\nAbe,NA,W\nunknown,Abe,D\n"))
    assert {one.where for one in data.doubts} == {'"NA"', '"unknown"', "result"}
    assert "result  unused: filter?" in str(data.check())


def test_composed_and_decomposed_accents_are_similar():
    assert po.read((["Zo\u00eb"], ["Zoe\u0308"])).check()["similar_names"].level == "warning"


def several_a_day(seed):
    """20 days with 6 contests each among 8 individuals, in the order of the file."""
    random = np.random.default_rng(seed)
    rows = []
    for day in range(20):
        for _ in range(6):
            a, b = sorted(random.choice(8, 2, replace=False))
            a, b = (b, a) if random.random() < 0.25 else (a, b)
            rows.append((str(np.datetime64("2026-01-01") + day), f"n{a}", f"n{b}"))
    return pl.DataFrame(rows, schema=["date", "winner", "loser"], orient="row")


def test_order_within_a_day_is_checked():
    found = po.read(several_a_day(1)).check()["order_within"]
    assert found.level == "warning"
    assert re.search(r"^\d+ of 120 contests share a time stamp", found.message)
    assert re.search(r"In 20 random orders .* up to \d+ points and ranks by up to", found.message)
    assert 'within="average"' in found.message
    assert "time=" in found.message
    assert len(found.rows) == int(found.message.split()[0])


def test_order_within_a_day_by_the_plain_recursion():
    """Elo in the same orders, contest by contest."""
    table = several_a_day(2)
    data = po.read(table)
    stamp = stamp_numbers(data.date)
    rows = table.rows()
    finals = []
    for order in [range(len(rows)), *(random_order(stamp, i) for i in range(20))]:
        contests = [Contest(rows[i][1], rows[i][2]) for i in order]
        finals.append(rate(contests)[0])
    ranks = [
        {n: 1 + sum(other > own for other in final.values()) for n, own in final.items()}
        for final in finals
    ]
    points, places = (
        max(max(one[n] for one in all_of) - min(one[n] for one in all_of) for n in all_of[0])
        for all_of in (finals, ranks)
    )
    assert order_effect(data, 20) == pytest.approx((points, places))
    assert f"up to {points:.0f} points and ranks by up to {places}" in str(data.check())


def test_order_within_a_day_that_has_no_effect():
    one_each = pl.DataFrame({"date": ["2026-01-01"] * 2, "winner": ["a", "c"], "loser": ["b", "d"]})
    assert po.read(one_each).check()["order_within"].level == "passed"
    repeated = pl.DataFrame({"date": ["2026-01-01"] * 3, "winner": ["a"] * 3, "loser": ["b"] * 3})
    found = po.read(repeated).check()["order_within"]
    assert found.level == "note"
    assert "ranks do not differ" in found.message
    undated = po.read(repeated.drop("date")).check()
    assert "order_within" not in [one.name for one in undated.checks]


def test_order_within_a_day_of_many_contests(monkeypatch):
    monkeypatch.setattr("peckorder.data.checks.MOST_REORDERED", 100)
    found = po.read(several_a_day(1)).check()["order_within"]
    assert found.level == "note"
    assert "not computed for more than 100 contests" in found.message
    assert 'within="batch"' in found.message
    monkeypatch.setattr("peckorder.data.same_time.MOST_EXACT", 1)
    one_each = pl.DataFrame({"date": ["2026-01-01"] * 2, "winner": ["a", "c"], "loser": ["b", "d"]})
    assert order_unknown(po.read(one_each)).all()


def test_a_random_order_sorts_by_stamp_and_then_at_random():
    stamp = np.sort(np.random.default_rng(5).integers(0, 40, 500))
    drawn = np.random.default_rng(np.random.SeedSequence([7, 3])).random(500)
    assert (random_order(stamp, 3, seed=7) == np.lexsort((drawn, stamp))).all()


def test_what_is_said_of_sides_and_names_agrees_with_the_rest(sheet):
    text = (
        "date,winner,loser,draw\n2020-01-01,Abe,Bo,no\n2020-01-02,Bo,Cy,yes\n2020-01-03,Abe,cy,no\n"
    )
    report = po.read(sheet(text)).check()
    assert report["names"].message == (
        "Every contest has two sides: 1 tie; all others have a winner and a loser."
    )
    assert report.doubts[0].kind == "name"
    assert report["similar_names"].level == "note"
    assert "Beside the 1 doubt about a name" in report["similar_names"].message


def test_seconds_since_1970_are_neither_days_nor_years(sheet):
    stamps = (1_577_880_000, 1_577_966_400, 1_578_052_800, 1_609_588_800)
    rows = "".join(f"{stamp},{a},{b}\n" for stamp, a, b in zip(stamps, "abac", "bcca", strict=True))
    report = po.read(sheet(f"date,winner,loser\n{rows}")).check()
    assert not report.doubts
    assert "days of observation are not checked" in report["one_day"].message
    numbered = po.read(sheet("date,winner,loser\n1,a,b\n2,b,c\n3,a,c\n3,c,a\n")).check()
    assert numbered["one_day"].level == "passed"


@pytest.mark.parametrize(
    ("names", "level"),
    [
        (("model-a", "model-b", "model-c"), "note"),  # codes after a common beginning
        (("Marianne", "Marianna", "Petronia"), "warning"),
        (("Marianne", "Marianna"), "warning"),
    ],
)
def test_numbered_names_are_codes(names, level):
    data = po.read({"winner": names, "loser": (*names[1:], names[0])})
    found = next(check for check in data.check().checks if check.name == "similar_names")
    assert found.level == level
