"""Aliases of names, names to ignore, and names that may be the same."""

import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.similar_names import appearance, difference, near_names, one_letter_apart
from tests.examples import examples

CONTESTS = {
    "winner": ["abby", "Abby", "Bo", "?", "Bo ", "Bo"],
    "loser": ["Bo", "Cy", "Cy", "Bo", "ABBY", "unknown"],
    "date": [f"2020-01-0{day}" for day in range(1, 7)],
}
ALIASES = {"abby": "Abby", "ABBY": "Abby"}


def test_aliases_are_joined_counted_and_repeatable():
    data = po.read(CONTESTS, names=ALIASES, ignore=["?", "unknown"])
    assert data.individuals == ("Abby", "Bo", "Cy")
    assert data.matrix().wins.tolist() == [[0, 1, 1], [1, 0, 1], [0, 0, 0]]
    assert data.report.dropped == {'ignored names ("?", "unknown")': 2}
    assert 'Aliases were replaced in 2 cells: "abby" → "Abby" (1), "ABBY" → "Abby" (1).' in (
        data.report.notes
    )
    assert data.report.options == {"names": ALIASES, "ignore": ["?", "unknown"]}
    again = po.read(CONTESTS, **data.report.options)
    assert again.hash == data.hash
    assert data.code("ABBY") == data.code("Abby") == 0
    assert len(data.filter(individuals=["abby", "Bo"])) == 2


def test_aliases_and_names_without_effect_are_said():
    data = po.read(CONTESTS, names={**ALIASES, "Zed": "Zoe"}, ignore=["nobody", "?"])
    assert 'Aliases without effect, as they do not occur: "Zed".' in data.report.notes
    assert 'Names to ignore that do not occur: "nobody".' in data.report.notes
    plain = po.read(CONTESTS)
    assert not any("liases" in note or "ignore" in note for note in plain.report.notes)


@pytest.mark.parametrize(
    "columns",
    [
        ("name", "individual"),
        ("alias", "name"),
        ("Alias", "Correct name"),
        ("spelling", "correct"),
        ("name", "ID"),
    ],
)
def test_sheets_of_aliases(columns, sheet):
    spelled, correct = columns
    path = sheet(f"{spelled},{correct},remark\nabby,Abby,x\n,,\nABBY ,Abby,\n", "aliases.csv")
    table = pl.read_csv(path)
    for source in (path, str(path), table, table.to_pandas()):
        data = po.read(CONTESTS, names=source)
        assert data.aliases == ALIASES
        kept = str(path) if isinstance(source, str | type(path)) else "names.csv"
        assert data.report.options == {"names": kept}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name,individual\na,b\nb,c\n",
            r'"b" is a correct name \(of "a"\) and an alias \(of "c"\)',
        ),
        ("name,individual\na,b\na,c\n", '"a" is an alias of two names, "b" and "c"'),
        ("name,individual\na,\n", "Row 2: an alias needs a correct name"),
        ("name,individual\nx,y\n,b\n", "Row 3: an alias needs a correct name"),
        ("name,age\na,b\n", "one column of spellings, called name or alias"),
        ("name,alias,individual\na,b,c\n", None),  # name is then a remark
    ],
)
def test_contradictions_are_refused(text, message, sheet):
    path = sheet(text, "aliases.csv")
    if message is None:
        assert po.read(CONTESTS, names=path).aliases == {"b": "c"}
        return
    with pytest.raises(po.DataError, match=message):
        po.read(CONTESTS, names=path)


def test_wrong_arguments():
    with pytest.raises(po.DataError, match="an alias or a name is empty"):
        po.read(CONTESTS, names={"a": " "})
    with pytest.raises(po.PeckorderError, match="ignore contains an empty name"):
        po.read(CONTESTS, ignore=["?", ""])
    with pytest.raises(TypeError, match="ignore=3"):
        po.read(CONTESTS, ignore=3)
    assert len(po.read(CONTESTS, ignore="?")) == 5
    assert po.read(CONTESTS, names={}).aliases == {}
    assert po.read(CONTESTS, names={"abby": "abby"}).individuals[0] == "abby"
    with pytest.raises(po.DataError, match='winner and loser are both "Abby"'):
        po.read({"winner": ["abby", "Bo"], "loser": ["Abby", "Cy"]}, names=ALIASES)
    with pytest.raises(po.DataError, match="no contests remain"):
        po.read(CONTESTS, ignore=["Bo", "Abby"])


def test_presence_and_starting_ratings_use_the_aliases(sheet):
    stays = {"id": ["ABBY", "Bo", "Cy"], "start": ["2020-01-01"] * 3, "end": [""] * 3}
    options = {"names": ALIASES, "ignore": ["?", "unknown"]}
    data = po.read(CONTESTS, presence=stays, **options)
    assert set(data.presence.individual) == {"Abby", "Bo", "Cy"}
    with pytest.raises(po.DataError, match='do not include "Abby"'):
        po.read(CONTESTS, **options | {"names": {"abby": "Abby", "ABBY": "Abby2"}}, presence=stays)
    known = po.read_presence(stays)
    assert known.individual[0] == "ABBY"
    assert po.read_presence(stays, names=ALIASES).individual[0] == "Abby"
    assert po.read(CONTESTS, **options).with_presence(known).hash == data.hash
    start = {"abby": 1200.0, "Bo": 1000.0, "Cy": 900.0}
    one = po.elo(data, start=start)
    other = po.elo(data, start={"Abby": 1200.0, "Bo": 1000.0, "Cy": 900.0})
    assert dict(one.items()) == dict(other.items())
    with pytest.raises(po.PeckorderError, match='start has two values for "Abby"'):
        po.elo(data, start=start | {"Abby": 1.0})


def test_two_spellings_in_a_census_are_one_individual():
    census = {"date": ["2020-01-01", "2020-01-01", "2020-01-31"], "id": ["abby", "Bo", "Abby"]}
    found = po.read_presence(census, names=ALIASES)
    assert len(found.stints("Abby")) == 1
    daily = {"date": ["2020-01-01", "2020-01-02"], "abby": [1, 1], "Bo": [1, 0]}
    assert po.read_presence(daily, names=ALIASES).individual == ("Abby", "Bo")
    with pytest.raises(po.DataError, match='"abby", "Abby" are the same individual'):
        po.read_presence({**daily, "Abby": [0, 0]}, names=ALIASES)
    apart = po.read_presence({"id": ["abby", "Abby"], "start": [1, 4], "end": [5, 9]})
    joined = apart.renamed(ALIASES)
    assert joined.to_table().rows() == [("Abby", 1, 9)]


def test_aliases_of_a_matrix(sheet):
    path = sheet("x,abby,Abby,Bo,?\nabby,0,0,2,1\nAbby,0,0,1,0\nBo,0,3,0,0\n?,0,0,1,0\n")
    data = po.read(path, names=ALIASES, ignore="?")
    assert data.individuals == ("Abby", "Bo")
    assert data.matrix().wins.tolist() == [[0, 3], [3, 0]]
    assert '2 contests were left out: ignored names ("?").' in data.report.notes
    path = sheet("x,Abby,Bo\nAbbie,0,2\nBo,1,0\n")
    with pytest.raises(po.DataError, match="rows and columns must name the same individuals"):
        po.read(path)
    assert po.read(path, names={"Abbie": "Abby"}).matrix().wins.tolist() == [[0, 2], [1, 0]]
    path = sheet("x,abby,Abby,Bo\nabby,0,1,2\nAbby,0,0,1\nBo,0,3,0\n")
    with pytest.raises(po.DataError, match='winner and loser are both "Abby"'):
        po.read(path, names=ALIASES)
    assert len(po.read(path, names=ALIASES, self_contests="drop")) == 6


def test_aliases_in_votes_and_home_columns():
    votes = {"a": ["Te", "coffee"], "b": ["coffee", "tea"], "outcome": ["Te", "tea"]}
    assert po.read(votes, names={"Te": "tea"}).matrix().wins.tolist() == [[0, 2], [0, 0]]
    events = {"winner": ["a1", "b"], "loser": ["b", "a"], "home": ["a1", "a"]}
    assert po.read(events, names={"a1": "a"}).home.tolist() == [1, -1]
    games = {"home": ["a1", "b"], "away": ["b", "a"], "home_points": [1, 1], "away_points": [0, 2]}
    data = po.read(games, names={"a1": "a"})
    assert data.individuals == ("a", "b")
    found = po.elo(data, k=10, home_advantage={"a1": 50, "b": 0}, home_in_update=True)
    same = po.elo(data, k=10, home_advantage={"a": 50, "b": 0}, home_in_update=True)
    assert dict(found.items()) == dict(same.items())


# -- names that may be the same ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Abby", "abby", "case"),
        ("Old Tom", "OldTom", "blanks"),
        ("Old Tom", "Old\u00a0Tom", "blank U+00A0"),
        ("Zo\u00e9", "Zoe\u0301", "Unicode form"),
        ("Bo", "B\u200bo", "invisible character U+200B"),
        ("Cleo", "Cl\u0435o", "look-alike letter U+0435"),
        ("Abby", "\u0410bby", "look-alike letter U+0410"),
        ("F01", "FO1", "look-alike letter 0"),
        ("Abby", "\uff21bby", "look-alike letter U+FF21"),
        ("Old Tom", "OLDTOM", "blanks, case"),
        ("Fanny", "Funny", "one letter"),
        ("Fanny", "Fany", "one letter"),
    ],
)
def test_reasons_why_two_names_may_be_one(one, other, reason):
    (pair,) = near_names([one, other])
    assert {pair.one, pair.other} == {one, other}
    assert pair.reason == reason
    assert near_names([one, other], {other: other}) == []  # the user has decided
    data = po.read((["x", one, "x", other], ["y", "x", "z", "x"]))
    assert data.individuals.count(one) == data.individuals.count(other) == 1  # not joined


@given(st.text(max_size=12))
@examples(200)
def test_properties_of_appearance(name):
    plain = "".join(letter for letter in name if letter.isascii())
    assert appearance(plain.upper()) == appearance(plain.lower())
    assert appearance(plain) == appearance(plain, without="nothing")  # the fast path
    assert appearance(f" {name}\u00a0") == appearance(name)
    assert appearance(unicodedata.normalize("NFD", name)) == appearance(
        unicodedata.normalize("NFC", name)
    )
    assert difference(name, f"{name} ") in ("blanks", "spelling")


def edit_distance(one, other):
    """Plain Levenshtein distance."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b)))
        rows.append(row)
    return rows[-1][-1]


@given(st.lists(st.text("abc", min_size=3, max_size=5), unique=True, max_size=8))
@examples(100)
def test_one_letter_apart_is_an_edit_distance_of_one(names):
    found = {frozenset(pair) for pair in one_letter_apart(names)}
    plain = {frozenset((a, b)) for a in names for b in names if a < b and edit_distance(a, b) == 1}
    assert found == plain


def test_the_proposed_sheet_joins_what_looks_the_same_and_nothing_else():
    names = ["Abby"] * 3 + ["abby", "\u0410bby", "Anna", "Anne", "Anne", "Bob", "Bo b"]
    data = po.read((names, ["x"] * len(names)))
    sheet = data.check().aliases
    assert sheet.columns == ["name", "individual", "contests", "similar to", "difference"]
    assert dict(sheet.select("name", "individual").rows()) == {
        "abby": "Abby",
        "\u0410bby": "Abby",
        "Bo b": "Bob",
        "Anna": "Anna",
    }
    joined = po.read((names, ["x"] * len(names)), names=sheet)
    assert joined.individuals == ("Abby", "x", "Anna", "Anne", "Bob")
    after = joined.check()
    assert after["similar_names"].level == "passed"
    assert after.aliases.height == 0
    assert after.to_dict()["aliases"] == []


def test_the_sheet_goes_to_a_file_and_back(tmp_path):
    names = ["Zo\u00e9", "Zoe\u0301", "B\u200bo", "Bo", 'a "q", b', 'A "q", b', "x\ny", "X\ny"]
    data = po.read((names, ["other"] * len(names)))
    found = data.check().aliases
    for form in ("csv", "tsv"):
        path = tmp_path / f"aliases.{form}"
        path.write_text(found.write_csv(separator="," if form == "csv" else "\t"), encoding="utf-8")
        again = po.read((names, ["other"] * len(names)), names=path)
        assert again.aliases == dict(found.select("name", "individual").rows())
        assert len(again.individuals) == 5


# -- what travels -----------------------------------------------------------------------------------

MESSY = {
    "winner": ["abby", "Abby", "?", "Eve", "Abby", "Eve"],
    "loser": ["Bo", "Bo", "Abby", "Fay", "Bo", "Fay"],
    "troop": ["n", "n", "n", "s", "n", "s"],
    "result": list("WWWWWL"),
}


def test_results_carry_what_the_checks_found():
    data = po.read(MESSY)
    assert list(data.cautions) == ["doubts", "groups"]
    with pytest.warns(po.DataWarning, match="troop: 2 groups are pooled"):
        fitted = po.elo_ml(data, estimate="start", penalized=True)
    for found in (po.elo(data), fitted):
        assert found.notes == tuple(data.cautions.values())
        assert found.to_dict()["provenance"]["notes"] == list(found.notes)
    with pytest.warns(po.DataWarning):
        order = po.davids_score(data)
    assert order.notes == tuple(data.cautions.values())
    assert all("\n" not in note for note in order.notes)
    assert po.davids_score(po.datasets.adv()).notes == ()
    counts = po.Matrix(("a", "b"), np.array([[0, 2], [1, 0]]), np.zeros((2, 2), int))
    assert po.davids_score(counts).notes == ()


def test_decisions_silence_what_they_decide():
    data = po.read(MESSY, names={"abby": "Abby"}, ignore="?", group="", tie="")
    assert list(data.cautions) == ["connected"]
    assert (
        po.read(MESSY, names={"?": "?", "abby": "abby"}, where="troop = 'n'", tie="").cautions == {}
    )
    assert list(po.read(MESSY, names={"?": "?", "abby": "abby"}, tie="").cautions) == ["groups"]
    codes = po.read((["ab", "ac", "ad"], ["ac", "ad", "ab"]))
    assert codes.cautions == {}
    years = {"winner": ["a"], "loser": ["b"], "month": [3], "date": ["2020-01-01"]}
    assert po.read(years).cautions == {}
    assert list(po.read(years, date="").cautions) == []
    del years["date"]
    assert list(po.read(years).cautions) == []


def test_groups_are_pooled_aloud():
    data = po.read(MESSY)
    assert data.check()["groups"].level == "warning"
    assert data.cautions["groups"].startswith("troop: 2 groups are pooled in one ranking")
    assert data.split()["n"].check()["groups"].level == "passed"


def test_similar_names_among_very_many_are_those_of_a_slow_search(monkeypatch):
    names = [f"n{i}" for i in range(3000)] + ["Abby", "abby", "N 7", "nO1", "n01"]
    expected = [pair for pair in near_names(names) if pair.equal]
    monkeypatch.setattr("peckorder.data.similar_names.MOST_NAMES", 100)
    assert near_names(names) == expected
    assert {(pair.one, pair.other) for pair in expected} >= {("Abby", "abby"), ("n7", "N 7")}
    assert len(near_names([*names, "Cl\u0435o", "Cleo"])) == len(expected) + 1
