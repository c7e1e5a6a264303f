"""Checks of the data."""

import pytest

import peckorder as po


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


def test_warnings_of_placeholders_and_unused_columns(sheet):
    report = po.read(sheet("winner,loser,result\nAbe,NA,W\nunknown,Abe,D\n")).check()
    assert report["placeholders"].individuals == ["NA", "unknown"]
    assert report["unused"].level == "warning"
    assert 'Unused columns: "result"' in str(report)


def test_composed_and_decomposed_accents_are_similar():
    assert po.read((["Zo\u00eb"], ["Zoe\u0308"])).check()["similar_names"].level == "warning"
