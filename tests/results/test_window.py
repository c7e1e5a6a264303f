"""Windows: the same ratings, seen from one date to another."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.examples import examples

PRESENCE = {
    "id": [*"abcdefg", "c", "f"],
    "start": ["2010-01-01"] * 5 + ["2010-01-03", "2010-01-01", "2010-01-24", "2010-01-28"],
    "end": ["2010-02-02"] * 2
    + ["2010-01-18"]
    + ["2010-02-02"] * 2
    + ["2010-01-26", "2010-02-02", "2010-02-02", "2010-02-02"],
}
FIRST, LAST = "2010-01-10", "2010-01-20"


@pytest.fixture(scope="module")
def data():
    return po.datasets.adv().with_presence(pl.DataFrame(PRESENCE))


@pytest.fixture(scope="module")
def rated(data):
    """One set of ratings by every rater."""
    quick = {"seed": 1, "warmup": 300, "samples": 300}
    return {
        "elo": po.elo(data),
        "averaged": po.elo(data, within="average"),
        "EloOptimized": po.elo(data, preset="EloOptimized"),
        "elo_ml": po.elo_ml(data, penalized=True),
        "glicko": po.sport.glicko(data),
        "glicko2": po.sport.glicko2(data),
        "elo_bayes": po.elo_bayes(data, **quick),
        "centered": po.elo_bayes(data, centering="present", **quick),
        "dynamic": po.dynamic(data, seed=1, samples=400),
    }


RATERS = (
    "elo",
    "averaged",
    "EloOptimized",
    "elo_ml",
    "glicko",
    "glicko2",
    "elo_bayes",
    "centered",
    "dynamic",
)


@pytest.mark.parametrize("rater", RATERS)
def test_a_window_shows_a_part_of_the_whole(rated, rater):
    whole = rated[rater]
    part = whole.between(FIRST, LAST)
    inside = pl.col("date").dt.date().is_between(date(2010, 1, 10), date(2010, 1, 20))
    assert part.history.equals(whole.history.filter(inside))
    # The table is the one at the end of the window, with the contests in it.
    at_end = whole.at(LAST)
    table = part.table
    assert table["individual"].to_list() == at_end["individual"].to_list() == list(part)
    assert table["rating"].to_list() == pytest.approx(at_end["rating"].to_list())
    assert table["rank"].to_list() == at_end["rank"].to_list()
    if "rank_low" in table.columns:
        assert table["rank_low"].to_list() == at_end["rank_low"].to_list()
    seen = pl.concat([part.history["winner"], part.history["loser"]]).value_counts()
    counts = dict(zip(table["individual"], table["contests"], strict=True))
    assert counts == {name: seen.filter(winner=name)["count"].sum() for name in counts}
    # c was there and has left.
    assert part.left()["individual"].to_list() == ["c"]
    assert set(part.everyone) == set("abcdefg")
    # Predictions are those of the whole record.
    own = slice(part.data.first_number - 1, part.data.first_number - 1 + len(part.data))
    assert part.foresight().win.tolist() == whole.foresight().win[own].tolist()
    assert part.whole is whole
    assert part.summary[0].startswith(
        "Window 2010-01-10 to 2010-01-20 of ratings from 2010-01-01 on: 11 of 33 contests; 6 "
    )
    assert part.settings["window"] == [FIRST, LAST]
    assert part.provenance["data_hash"] == whole.provenance["data_hash"]


@pytest.mark.parametrize("rater", RATERS)
def test_trajectories_begin_with_the_rating_at_the_opening(rated, rater):
    whole = rated[rater]
    part = whole.between(FIRST, LAST)
    before, own = whole.at("2010-01-09"), part.trajectory("b")
    assert own["rating"][0] == pytest.approx(before.filter(individual="b")["rating"][0])
    assert own["contest"][0] == 9
    path = whole.trajectory("b").filter(pl.col("contest").is_between(10, 20))
    assert own[1:]["contest"].to_list() == path["contest"].to_list()
    assert own[1:]["rating"].to_list() == pytest.approx(path["rating"].to_list())


@pytest.mark.parametrize("rater", RATERS)
def test_a_window_over_the_whole_record_is_no_window(rated, rater):
    whole = rated[rater]
    for window in ({}, {"start": "2010-01-01", "end": "2010-02-02"}, {"end": "2030-01-01"}):
        same = whole.between(**window)
        assert same.window is None
        assert same.table.equals(whole.table)
        assert same.history.equals(whole.history)


@pytest.mark.parametrize("rater", ["elo", "dynamic", "elo_bayes"])
def test_all_but_the_first_contest(rated, rater):
    """The end of the record through a window: bitwise the final ratings of those present."""
    whole = rated[rater]
    part = whole.between("2010-01-02")
    final = dict(whole.items())
    assert dict(part.items()) == pytest.approx({name: final[name] for name in part}, abs=1e-12)
    if rater != "elo":
        assert (part.final == whole.final[:, part.window.places]).all()


@examples(30)
@given(
    st.lists(st.sampled_from(["ab", "ba", "ac", "cb", "bc", "da"]), min_size=2, max_size=15),
    st.data(),
)
def test_sequential_ratings_do_not_look_ahead(pairs, draw):
    """The ratings in a window are those of a record that ends with it."""
    rows = {"winner": [p[0] for p in pairs], "loser": [p[1] for p in pairs]}
    data = po.read(rows)
    last = draw.draw(st.integers(1, len(pairs)))
    first = draw.draw(st.integers(1, last))
    part = po.elo(data).between(first, last)
    ended = po.elo(data.filter(end=last))
    assert part.history.equals(ended.history[first - 1 :])
    assert {n: part[n] for n in ended.individuals} == dict(ended.items())
    assert [part.at(last).height, len(part.data)] == [len(data.individuals), last - first + 1]


def test_adjoining_windows_divide_the_record(rated):
    whole = rated["elo"]
    halves = whole.between(end="2010-01-15"), whole.between("2010-01-16")
    assert pl.concat([half.history for half in halves]).equals(whole.history)
    assert sum(po.stability(half).steps for half in halves) == po.stability(whole).steps - 1


def test_windows_by_season_year_and_month():
    rows = {
        "winner": list("abcab"),
        "loser": list("bcaca"),
        "date": ["2003-12-30", "2004-01-05", "2004-05-02", "2004-05-30", "2005-01-01"],
        "season": ["one", "two", "two", "two", "three"],
    }
    ratings = po.elo(po.read(rows))
    assert ratings.between(year=2004).history["contest"].to_list() == [2, 3, 4]
    assert ratings.between(month="2004-05").history["contest"].to_list() == [3, 4]
    assert ratings.between(season="two").history["contest"].to_list() == [2, 3, 4]
    assert ratings.between(month="2004-05").window.words == ("2004-05-01", "2004-05-31")
    # A window of a window is what both contain.
    both = ratings.between(year=2004).between("2004-05-10", "2005-12-31")
    assert both.history["contest"].to_list() == [4]
    numbers = po.elo(po.read({**rows, "date": [2003, 2004, 2004.5, 2004.75, 2005]}))
    assert numbers.between(year=2004).history["contest"].to_list() == [2, 3, 4]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"start": "2010-01-20", "end": "2010-01-10"}, "ends .2010-01-10. before it starts"),
        ({"start": "2010-01-20", "year": 2010}, "one of season, year and month"),
        ({"season": 2010}, "have no season"),
        ({"year": "soon"}, "give a year such as 2004"),
        ({"month": "2010-13"}, "give a month such as 2004-05"),
        ({"start": "someday"}, "is not a date"),
    ],
)
def test_windows_that_make_no_sense(rated, wrong, message):
    with pytest.raises(ValueError, match=message):
        rated["elo"].between(**wrong)


def test_windows_without_dates_need_numbers():
    ratings = po.elo(po.read((list("abc"), list("bca"))))
    assert ratings.between(2, 3).history["contest"].to_list() == [2, 3]
    for window in ({"year": 2004}, {"month": "2004-05"}):
        with pytest.raises(ValueError, match="needs calendar dates"):
            ratings.between(**window)


@pytest.mark.parametrize("rater", RATERS)
@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        ("2009-01-01", "2009-02-01", "it ends before the first contest"),
        ("2050-01-01", "2050-02-01", "0 of 33 contests; nobody present"),
        ("2050-01-01", None, "0 of 33 contests; nobody present"),
        (None, "2009-02-01", "it ends before the first contest"),
    ],
)
def test_where_nobody_is_the_table_is_empty(rated, rater, first, last, sentence):
    part = rated[rater].between(first, last)
    assert part.table.height == part.history.height == part.left().height == 0
    assert sentence in part.summary[0]
    assert part.grid(every="day").height == 0
    for table in (part.slopes(), part.tenure(), part.rank_changes(), part.careers()):
        assert table.height == 0
        assert len(table.columns) >= 4
    for ask in (po.evaluate, po.stability, po.plot.trajectories):
        with pytest.raises(ValueError, match="no contests in this window: choose a longer one"):
            ask(part)


def test_dates_outside_the_window(rated):
    part = rated["elo"].between(FIRST, LAST)
    with pytest.warns(po.DataWarning, match="outside the window 2010-01-10 to 2010-01-20"):
        assert part.at("2010-01-25").height == 0
    assert part.at("2010-01-12").height == 7
    joined = part.at_dates(
        {"who": ["a", "a"], "day": [LAST, "2010-01-25"]}, individual="who", date="day"
    )
    assert joined["reason"].to_list() == [None, "outside the window"]


def test_what_takes_ratings_honors_the_window(rated):
    part = rated["elo"].between(FIRST, LAST)
    found = po.evaluate(part, runs=10)
    assert found.foresight["contests"] == 11
    assert part.window.sentence in found.summary
    assert po.sport.areas(part).table.height == 7
    assert po.stability(part).steps == 10
    assert set(po.plot.trajectories.data(part)["contest"]) <= set(range(9, 21))
    assert po.predict(part, fixtures={"a": ["a"], "b": ["b"]}).table.height == 1
    assert "Window 2010-01-10" in part.cite()
    assert "33 contests" in part.cite()
    with pytest.raises(ValueError, match=r"Use ratings\.whole"):
        po.simulate.like(rated["elo_bayes"].between(FIRST, LAST), seed=1)


def test_a_file_of_draws_holds_the_whole_record(rated, tmp_path):
    with pytest.raises(ValueError, match=r"Use ratings\.whole\.save"):
        rated["elo_bayes"].between(FIRST, LAST).save(tmp_path / "part.npz")
    rated["elo_bayes"].save(tmp_path / "whole.npz")
    again = po.Posterior.load(tmp_path / "whole.npz").between(FIRST, LAST)
    assert again.table.equals(rated["elo_bayes"].between(FIRST, LAST).table)


def test_interpolated_stability_in_a_window(data):
    """EloRating's daily ratings of the whole record, of which the days of the window count."""
    whole = po.elo(data, preset="EloRating")
    halves = whole.between(end="2010-01-15"), whole.between("2010-01-15")
    total = po.stability(whole)
    assert sum(po.stability(half).steps for half in halves) == total.steps


@pytest.mark.paper_data
def test_one_year_of_the_chimpanzees(paper_file):
    data = po.read(
        paper_file("chimpanzee_females.csv"),
        presence=paper_file("chimpanzee_females_presence.csv"),
    )
    whole = po.elo(data)
    part = whole.between(year=1995)
    assert part.table["individual"].to_list() == whole.at("1995-12-31")["individual"].to_list()
    assert part.table.height + part.left().height == len(part) < len(whole)
    assert np.isfinite(part.rating).all()
