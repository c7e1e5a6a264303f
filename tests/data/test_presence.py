"""Presence data."""

import numpy as np
import pytest

import peckorder as po

CONTESTS = "winner,loser,date\na,b,2020-01-01\na,c,2020-01-03\nb,a,2020-01-05\n"
INTERVALS = (
    "id,start_date,end_date\na,2020-01-01,2020-01-31\nb,2020-01-01,\nc,2020-01-02,2020-01-03\n"
)
DAILY = (
    "Date,a,b,c\n2020-01-01,1,1,0\n2020-01-02,1,1,1\n2020-01-03,1,1,1\n"
    "2020-01-04,1,0,0\n2020-01-05,1,1,0\n"
)
CENSUS = "date,individual\n" + "".join(
    f"2020-01-0{day},{name}\n"
    for day in range(1, 6)
    for name in ("a", "b", "c")[: 3 if day < 4 else 2]
)


def stints(presence):
    return [
        (name, str(start), str(end))
        for name, start, end in zip(presence.individual, presence.start, presence.end, strict=True)
    ]


def test_intervals(sheet):
    presence = po.read_presence(sheet(INTERVALS))
    assert stints(presence) == [
        ("a", "2020-01-01", "2020-01-31"),
        ("b", "2020-01-01", "9999-12-31"),
        ("c", "2020-01-02", "2020-01-03"),
    ]
    assert presence.to_table()["end"].to_list()[1] is None


def test_daily_table(sheet):
    assert stints(po.read_presence(sheet(DAILY))) == [
        ("a", "2020-01-01", "2020-01-05"),
        ("b", "2020-01-01", "2020-01-03"),
        ("b", "2020-01-05", "2020-01-05"),
        ("c", "2020-01-02", "2020-01-03"),
    ]


def test_census_rows(sheet):
    assert stints(po.read_presence(sheet(CENSUS))) == [
        ("a", "2020-01-01", "2020-01-05"),
        ("b", "2020-01-01", "2020-01-05"),
        ("c", "2020-01-01", "2020-01-03"),
    ]


@pytest.mark.parametrize("text", [INTERVALS, DAILY, CENSUS])
def test_attached_to_contests(sheet, text):
    data = po.read(sheet(CONTESTS), presence=sheet(text, "presence.csv"))
    assert data.check()["presence"].level == "passed"
    assert data.presence.at(np.datetime64("2020-01-05"), data.individuals).tolist() == [
        True,
        True,
        False,
    ]


def test_inferred(sheet):
    data = po.read(sheet(CONTESTS), presence="inferred")
    assert stints(data.presence)[2] == ("c", "2020-01-03", "2020-01-03")
    assert po.elo(data).at("2020-01-02")["individual"].to_list() == ["a", "b"]


def test_several_stints_and_contest_numbers():
    data = po.read((list("abcc"), list("bcaa")))
    stays = {"id": list("abcab"), "start": [1, 1, 2, 4, 5], "end": [3, 2, 9, 9, 6]}
    attached = data.with_presence(stays)
    assert attached.presence.notes == ("b was absent after 2, until 5.",)  # a only changes stints
    assert po.elo(attached).at(2)["individual"].to_list() == ["a", "b", "c"]
    assert po.elo(attached).at(3)["individual"].to_list() == ["c", "a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,start,end\na,2020-02-01,2020-01-01\n",
            'Row 2: the stint of "a" ends (2020-01-01) before',
        ),
        (
            "id,start,end\na,2020-01-01,2020-02-01\na,2020-01-15,2020-03-01\n",
            'Rows 2 and 3: two stints of "a" overlap (until 2020-02-01, and from 2020-01-15)',
        ),
        ("id,start,end\na,,2020-01-01\n", 'Row 2: no date in column "start"'),
        ("id,start,end\n,2020-01-01,2020-01-02\n", 'Row 2: no name in column "id"'),
        ("Date,a\n2020-01-01,2\n", '"2" in column "a" is neither 1 (present) nor 0'),
        ("Date,a\n2020-01-01,1\n2020-01-01,0\n", "the date is a duplicate of an earlier row"),
        (
            "x,y\n1,2\n",
            'the layout of the presence data was not recognized. Columns found: "x", "y"',
        ),
        ("id,start,end\n", "has a header but no rows"),
    ],
)
def test_invalid_presence(sheet, text, message):
    with pytest.raises(po.DataError) as error:
        po.read_presence(sheet(text))
    assert message in str(error.value)


def test_contests_of_absent_individuals_are_reported_by_row(sheet):
    late = INTERVALS.replace("b,2020-01-01,", "b,2020-01-02,2020-01-04")
    with pytest.raises(po.DataError) as error:
        po.read(sheet(CONTESTS), presence=sheet(late, "p.csv"))
    assert 'Row 4: the winner ("b") was absent' in str(error.value)
    assert 'Row 2: the loser ("b") was absent' in str(error.value)
    with pytest.raises(po.DataError, match='The presence data do not include "c"'):
        po.read(sheet(CONTESTS), presence=sheet(INTERVALS.rsplit("c", 1)[0], "p.csv"))
    with pytest.raises(po.DataError, match="Use the same type for both"):
        po.read((["a"], ["b"]), presence=sheet(INTERVALS, "p.csv"))


@pytest.mark.filterwarnings("ignore:Without a contest")
def test_who_was_present_and_never_fought_is_a_member(sheet):
    more = INTERVALS + "z,2020-01-01,2020-01-02\ny,2031-01-01,2031-01-02\n"
    data = po.read(sheet(CONTESTS), presence=sheet(more, "p.csv"))
    said = data.check()["presence_notes"].message
    assert 'Members without any contest, by the presence data: "z".' in said
    left = 'Without any contest and absent during the study, and therefore not rated: "y".'
    assert left in data.presence.notes
    roster = po.read(sheet(CONTESTS), individuals=[*"abc", "z"])
    for method in (po.davids_score, po.elo, po.isi, po.randomized_elo, po.sport.glicko):
        assert set(method(data).table["individual"]) == {*"abcz"} == set(method(roster))
    assert po.linearity(data).value == po.linearity(roster).value
    assert "z" in po.elo(data).at("2020-01-02")["individual"].to_list()
    ranks = po.orders.period_ranks(data, per="year", initial=list("zabc"))
    assert ranks.table["individual"].to_list()[0] == "z"


def test_members_of_several_groups_are_not_guessed(sheet):
    path = sheet("winner,loser,date,group\na,b,2020-01-01,x\nc,d,2020-01-02,y\n")
    stays = sheet("id,start,end\n" + "".join(f"{x},2020-01-01,\n" for x in "abcdz"), "p.csv")
    data = po.read(path, presence=stays)
    assert data.individuals == tuple("abcd")
    assert 'of an unknown group, and therefore not rated: "z"' in data.presence.notes[-1]


@pytest.mark.paper_data
def test_chimpanzee_females(paper_file):
    data = po.read(
        paper_file("chimpanzee_females.csv"), presence=paper_file("chimpanzee_females_presence.csv")
    )
    assert (len(data), len(data.individuals)) == (1015, 44)
    listed = set(po.elo(data).at("1990-01-01")["individual"])
    assert "f01" not in listed  # died in 1987
    assert all(
        str(start) <= "1990-01-01" <= str(end)
        for name, start, end in stints(data.presence)
        if name in listed
    )


def test_presence_by_contest_number_follows_a_filter():
    data = po.read((list("aaacdc"), list("bbbded")), presence="inferred")
    part = data.filter(individuals=list("cde"))
    assert [(n, s, e) for n, s, e in stints(part.presence)] == [
        ("c", "1.0", "3.0"),
        ("d", "1.0", "3.0"),
        ("e", "2.0", "2.0"),
    ]
    plain = po.elo(po.read((list("cdc"), list("ded"))))
    assert dict(po.elo(part).items()) == dict(plain.items())


def test_open_and_missing_ends_in_tables():
    presence = po.read_presence({"id": ["a", "b"], "start": [1, 2], "end": [float("nan"), 5]})
    assert presence.to_table()["end"].to_list() == [None, 5]


def test_presence_is_part_of_the_provenance(sheet):
    plain = po.read(sheet(CONTESTS))
    attached = plain.with_presence(sheet(INTERVALS, "p.csv"))
    assert plain.hash != attached.hash
    assert po.elo(attached).settings["presence"] is True


def test_a_column_is_given_by_its_name():
    with pytest.raises(po.ArgumentTypeError, match="individual=.*: give a text"):
        po.read_presence({"id": ["Abe"], "start": ["2009-01-01"]}, individual=np.zeros(3))


def test_members_without_contests_remain_in_a_selection():
    """Those of a roster always; by presence, those that were there at the time of the contests."""
    rows = {"winner": list("abcad"), "loser": list("bcaca"), "context": list("xxyyy")}
    rows["date"] = [f"2020-01-0{i}" for i in range(1, 6)]
    stay = {
        "individual": list("abcdyz"),
        "start": ["2020-01-01"] * 4 + ["2020-01-01", "2020-01-04"],
    }
    stay["end"] = [*["2020-01-09"] * 4, "2020-01-02", "2020-01-09"]
    here = po.read(rows, presence=stay)
    assert here.individuals == tuple("abcdyz")
    assert here.filter(end="2020-01-02").individuals == tuple("abcdy")
    assert here.filter(start="2020-01-04").individuals == ("a", "c", "d", "b", "z")
    assert here.filter(individuals=["a", "b", "z"]).individuals == ("a", "b")
    assert set(here.filter(context="y").presence.individual) == set("abcdz")
    first, second = here.cut("2020-01-03")
    assert "y" in first.individuals
    assert "y" not in second.individuals
    roster = po.read(rows, individuals=list("abcdz"))
    assert roster.filter(end="2020-01-01").individuals == ("a", "b", "c", "d", "z")
    assert roster.filter(individuals=["a", "b", "z"]).individuals == ("a", "b", "z")
    with pytest.warns(po.DataWarning, match='contest that counts: "c", "d", "z". These data say'):
        scores = po.davids_score(roster.filter(end="2020-01-01"))
    assert sorted(scores) == list("abcdz")
    assert roster.filter(end="2020-01-01").check()["connected"].level == "note"
    assert po.read(rows).filter(end="2020-01-01").individuals == ("a", "b")
    groups = po.read(rows | {"group": list("gghhh")}, individuals=list("abcdz"))
    assert groups.split("group")["g"].individuals == ("a", "b", "c")


def test_who_is_excluded_does_not_stay_as_a_member():
    rows = {"winner": list("aaabb") * 4 + ["c"], "loser": list("bbccc") * 4 + ["d"]}
    roster = po.read(rows, individuals=list("abcdz"))
    for given in ({"min_contests": 2}, {"individuals": ["d", "z"]}):
        found = po.without(roster, method="ml", penalized=True, **given)
        kept = found.table.drop_nulls("rating_without")["individual"].to_list()
        assert sorted(kept) == list("abc")
