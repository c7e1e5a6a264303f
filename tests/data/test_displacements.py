"""Displacements at feeders: rules, conventions, properties and messages."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.examples import examples
from tests.visits_twin import plain_displacements

VISITS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.sampled_from("xy"), st.integers(0, 40), st.integers(0, 12)
    ).map(lambda v: (v[0], v[1], v[2], v[2] + v[3])),
    min_size=1,
    max_size=25,
)
RULES = st.fixed_dictionaries(
    {
        "within": st.integers(0, 15),
        "overlap": st.sampled_from(["omit", "count"]),
        "min_stay": st.integers(0, 6),
        "merge": st.one_of(st.none(), st.integers(0, 5)),
    }
)


def table(visits):
    columns = zip(*visits, strict=True)
    return dict(zip(("id", "feeder", "start", "end"), map(list, columns), strict=True))


def found(visits, **rules):
    """Displacements as those of the plain version; none if the data are refused."""
    try:
        data = po.displacements(table(visits), **rules)
    except po.DataError as error:
        if "no displacements within" not in str(error):
            raise
        return []
    rows = data.frame().select("date", "context", "winner", "loser", "gap", "stay").rows()
    return sorted(rows)


@given(VISITS, RULES)
@examples(150)
def test_the_rules_in_words(visits, rules):
    assert found(visits, **rules) == plain_displacements(visits, **rules)


@given(VISITS, RULES, st.randoms(use_true_random=False))
@examples(40)
def test_order_of_rows_names_and_the_zero_of_time_do_not_matter(visits, rules, random):
    names = dict(zip("abcd", random.sample("pqrs", 4), strict=True))
    others = [(names[w], "yx"["xy".index(p)], s + 1000, e + 1000) for w, p, s, e in visits]
    random.shuffle(others)
    expected = sorted(
        (t + 1000, "yx"["xy".index(p)], names[w], names[lo], gap, stay)
        for t, p, w, lo, gap, stay in found(visits, **rules)
    )
    assert found(others, **rules) == expected


@given(VISITS, RULES)
@examples(40)
def test_a_longer_threshold_adds_contests_and_removes_none(visits, rules):
    longer = rules | {"within": rules["within"] + 3}
    assert set(found(visits, **rules)) <= set(found(visits, **longer))


DAY = "2026-01-05 "
MORNING = {
    "Tag": ["Abe", "Bo", "Cy", "Bo", "Di"],
    "Antenna": ["1", "1", "2", "1", "1"],
    "Start": [DAY + t for t in ("09:00:00", "09:00:31.5", "09:00:31", "09:02:00", "09:05:00")],
    "End": [DAY + t for t in ("09:00:30", "09:01:10", "09:00:40", "09:04:59", "09:06:00")],
}


def test_dates_places_and_the_report():
    data = po.displacements(MORNING, within="2s")
    rows = data.to_table().select("winner", "loser", "context", "gap", "stay").rows()
    assert rows == [("Bo", "Abe", "1", 1.5, 267.5), ("Di", "Bo", "1", 1.0, 60.0)]
    assert str(data.date[0]) == "2026-01-05T09:00:31.500000"
    assert data.row_of([0, 1]).tolist() == [1, 4]
    assert data.report.notes == (
        "5 visits to 2 places: 2 displacements within 2 s.",
        "1 visit continued a stay of the same individual at the same place.",
    )
    assert len(po.elo(data).individuals) == 3
    short = po.displacements(MORNING, within="2s", min_stay="1min", merge="10s")
    assert short.to_table()["winner"].to_list() == ["Di"]
    assert "1 newcomer stayed less than 60 s and was not counted." in short.report.notes


def test_a_visitor_that_returns_wins_and_loses():
    back = [("a", "x", 0, 10), ("b", "x", 11, 20), ("a", "x", 21, 30)]
    assert [row[2:4] for row in found(back, within=1)] == [("b", "a"), ("a", "b")]


def test_who_stayed_through_a_visit_is_the_one_replaced():
    nested = [("a", "x", 0, 100), ("b", "x", 10, 20), ("c", "x", 101, 120)]
    assert [row[2:4] for row in found(nested, within=2)] == [("c", "a")]


def test_overlaps_are_omitted_counted_or_refused():
    visits = [("a", "x", 0, 10), ("b", "x", 9, 20), ("c", "x", 15, 16)]
    assert found(visits, within=2) == []
    assert [row[2:5] for row in found(visits, within=2, overlap="count")] == [("b", "a", -1)]
    with pytest.raises(po.DataError, match="Positions 1 and 2: the visit starts before another"):
        po.displacements(table(visits), within=2, overlap="refuse")
    with pytest.raises(ValueError, match="Choose one of: omit, count, refuse"):
        po.displacements(table(visits), within=2, overlap="yes")


def test_detections_at_a_single_time():
    points = {"id": ["a", "a", "b", "a"], "antenna": [1] * 4, "time": [1, 2, 3, 9]}
    data = po.displacements(points, within="2s")
    assert data.to_table().select("winner", "loser", "gap").rows() == [("b", "a", 1.0)]
    assert "each row is a detection at a single time" in data.report.notes[0]
    whole = table([("a", "x", 0, 10), ("b", "x", 11, 20)])
    with pytest.raises(
        po.DataError, match="no displacements within 2 s. The shortest time .* 11 s"
    ):
        po.displacements(whole, within="2s", end=False)


def test_missing_ends():
    open_ended = MORNING | {"End": [*MORNING["End"][:1], None, *MORNING["End"][2:]]}
    with pytest.raises(po.DataError, match='Position 1: no end in column "End". Enter it, or use '):
        po.displacements(open_ended, within="2s")
    data = po.displacements(open_ended, within="2s", missing_end="start")
    assert len(data) == 2
    assert "1 visit without an end counted as a detection at the start." in data.report.notes
    nothing = MORNING | {"End": [""] * 5}
    assert len(po.displacements(nothing, within="60s", missing_end="start")) == 1


def test_all_problems_with_their_rows():
    bad = {
        "id": ["a", "", "c", "d"],
        "feeder": ["x", "x", None, "x"],
        "start": ["2026-01-05 09:00", "2026-01-05 09:01", "2026-01-05 09:02", "2026-01-05 09:03"],
        "end": ["2026-01-05 09:00", "2026-01-05 09:01", "2026-01-05 09:02", "2026-01-05 09:02"],
    }
    with pytest.raises(po.DataError) as caught:
        po.displacements(bad, within=5)
    assert [problem.split(". ")[0] for problem in caught.value.problems] == [
        'Position 1: no individual in column "id"',
        'Position 2: no place in column "feeder"',
    ]
    with pytest.raises(po.DataError, match="Position 3: the visit ends before it starts"):
        po.displacements(bad, within=5, missing="drop")
    days = bad | {"start": ["2026-01-05"] * 4, "end": ["2026-01-06"] * 4}
    with pytest.raises(po.DataError, match="contains dates without a time of day"):
        po.displacements(days, within=5, missing="drop")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feeder": None}, 'no column was found for place.*place= if|or place="" if all visits'),
        ({"bin": [1] * 2}, 'several columns match place: "feeder", "bin". Choose one with place='),
        ({"id": None}, "no column was found for individual"),
        ({"end": [3, "x"]}, "cannot be read as a date|must both contain"),
    ],
)
def test_columns_that_are_missing_or_doubtful(change, message):
    columns = {"id": ["a", "b"], "feeder": ["x", "x"], "start": [0, 2], "end": [1, 3]} | change
    columns = {name: cells for name, cells in columns.items() if cells is not None}
    with pytest.raises(po.DataError, match=message):
        po.displacements(columns, within=2)


def test_one_place_and_columns_by_name():
    columns = {"who": ["a", "b"], "came": [0, 2], "went": [1, 3]}
    data = po.displacements(
        columns, within=2, individual="who", start="came", end="went", place=False
    )
    assert len(data) == 1
    with pytest.raises(po.DataError, match='has no column "whom", given as individual='):
        po.displacements(columns, within=2, individual="whom")


def test_files(tmp_path):
    text = "id,feeder,start,end\na,x,2026-01-05 09:00:00,2026-01-05 09:00:10\n"
    (tmp_path / "1.csv").write_text(text)
    (tmp_path / "2.csv").write_text(text.replace("a,x", "b,x").replace("09:00:", "09:01:"))
    data = po.displacements(tmp_path, within="1min")
    assert data.row_of([0]).tolist() == ["2 of 2.csv"]
    (tmp_path / "2.csv").write_text(text.replace("a,x", ",x"))
    with pytest.raises(po.DataError, match="Row 2 of 2.csv: no individual"):
        po.displacements(tmp_path, within="1min")


def test_huzzey_and_colleagues_criterion():
    """A cow that takes the bin 26 s after another left has replaced it; after 27 s it has not."""
    cows = pl.DataFrame(
        {"cow": ["9", "7", "9"], "bin": [1, 1, 1], "start": [0, 126, 227], "end": [100, 200, 300]}
    )
    data = po.displacements(cows, within="26s")
    assert data.to_table().select("winner", "loser").rows() == [("7", "9")]
