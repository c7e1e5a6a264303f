"""Joins: how individuals stood on the dates of another table."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.kernels.rank_lookup import drawn_standings, last_contests, standings
from tests.examples import examples


@pytest.fixture(scope="module")
def data():
    return po.datasets.adv().with_presence("inferred")


@pytest.fixture(scope="module")
def rated(data):
    return {
        "elo": po.elo(data),
        "normal": po.elo(data, curve="normal"),
        "day maximum": po.elo(data, preset="EloOptimized"),
        "averaged": po.elo(data, within="average"),
        "elo_ml": po.elo_ml(data, penalized=True),
        "glicko": po.sport.glicko(data),
        "elo_bayes": po.elo_bayes(data, seed=1, warmup=300, samples=300),
        "dynamic": po.dynamic(data, seed=1, samples=500),
        "adaptive": po.adaptive(data, seed=1, samples=500),
    }


RATERS = (
    "elo",
    "normal",
    "day maximum",
    "averaged",
    "elo_ml",
    "glicko",
    "elo_bayes",
    "dynamic",
    "adaptive",
)
SAMPLED = ("elo_bayes", "dynamic", "adaptive")


def plain_standing(table, name, chance):
    """Rank, scaled rating, proportional rank and expected number beaten, written out."""
    own = table[name]
    others = [x for n, x in table.items() if n != name]
    rank = 1 + sum(x > own for x in others) + 0.5 * sum(x == own for x in others)
    low, high = min(table.values()), max(table.values())
    return {
        "rank": rank,
        "scaled": (own - low) / (high - low) if high > low else None,
        "proportional_rank": (len(table) - rank) / len(others) if others else None,
        "expected_beaten": sum(chance(name, n) for n in table if n != name),
        "number_present": len(table),
    }


@pytest.mark.parametrize("rater", RATERS)
def test_a_join_is_the_table_at_that_date(rated, data, rater):
    ratings = rated[rater]
    days = ["2010-01-06", "2010-01-20", "2010-01-20 09:00", "2010-02-02"]
    sheet = {"who": [n for n in data.individuals for _ in days], "day": days * 7}
    joined = ratings.at_dates(sheet, individual="who", date="day")
    tables = {day: ratings.at(day) for day in days}
    wins = {day: ratings.expected_beaten(at=day) for day in days}
    for row in joined.iter_rows(named=True):
        table = tables[row["day"]]
        own = table.filter(individual=row["who"])
        if own.is_empty():
            assert row["reason"] == "not present"
            assert row["rating"] is None
            continue
        expected = wins[row["day"]].filter(individual=row["who"])
        assert row["reason"] is None
        assert row["rating"] == pytest.approx(own["rating"][0])
        assert row["rank"] == own["rank"][0]
        assert row["expected_beaten"] == pytest.approx(expected["expected_beaten"][0], abs=1e-5)
        assert row["number_present"] == table.height
        low, high = table["rating"].min(), table["rating"].max()
        assert row["scaled"] == pytest.approx((own["rating"][0] - low) / (high - low))
        for column in own.columns:
            if column.startswith(("rating_", "rank_", "p_first")) and column in joined.columns:
                assert row[column] == pytest.approx(own[column][0]), column


@pytest.mark.parametrize("rater", RATERS)
def test_joining_at_a_contest_gives_its_history(rated, rater):
    """Each contest has its own time, so that the state after it is that of the history."""
    ratings = rated[rater]
    history = ratings.history
    for side in ("winner", "loser"):
        sheet = history.select(pl.col(side).alias("who"), "date")
        joined = ratings.at_dates(sheet, individual="who", date="date")
        assert joined["reason"].null_count() == len(history)
        if rater != "day maximum":
            assert joined["rating"].to_list() == pytest.approx(history[f"{side}_after"].to_list())
        assert joined["days_since_contest"].to_list() == [0.0] * len(history)


def test_a_date_counts_the_contests_of_its_day():
    rows = {"winner": ["a", "b"], "loser": ["b", "a"], "date": ["2020-01-01", "2020-01-05"]}
    ratings = po.elo(po.read(rows))
    sheet = {"who": ["a"] * 3, "day": ["2020-01-04", "2020-01-05", "2020-01-09"]}
    joined = ratings.at_dates(sheet, individual="who", date="day")
    after = ratings.history["loser_after"][1]
    assert joined["rating"].to_list() == [1050, after, after]
    assert joined["days_since_contest"].to_list() == [3, 0, 4]


@examples(40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["ab", "ba", "ac", "cb", "da"]), st.integers(1, 9)),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.tuples(st.sampled_from("abcd?"), st.integers(-2, 14)), min_size=1, max_size=8),
    st.dictionaries(st.sampled_from("abcd"), st.integers(1, 4), max_size=4),
)
def test_joins_against_a_plain_version(contests, wanted, extra):
    contests = sorted(contests, key=lambda one: one[1])
    rows = {
        "winner": [p[0] for p, _ in contests],
        "loser": [p[1] for p, _ in contests],
        "date": [day for _, day in contests],
    }
    seen = {}
    for pair, day in contests:
        for name in pair:
            seen.setdefault(name, [day, day])[1] = day
    stints = {name: (first, last + extra.get(name, 0)) for name, (first, last) in seen.items()}
    presence = {
        "id": list(stints),
        "start": [first for first, _ in stints.values()],
        "end": [last for _, last in stints.values()],
    }
    ratings = po.elo(po.read(rows, presence=presence))
    joined = ratings.at_dates(
        {"who": [w for w, _ in wanted], "day": [d for _, d in wanted]}, individual="who", date="day"
    )
    for (name, day), row in zip(wanted, joined.iter_rows(named=True), strict=True):
        rating = {}
        for (pair, when), one in zip(contests, ratings.history.iter_rows(named=True), strict=True):
            if when <= day:
                rating[pair[0]], rating[pair[1]] = one["winner_after"], one["loser_after"]
        here = {n: x for n, x in rating.items() if stints[n][0] <= day <= stints[n][1]}
        why = None
        if name not in stints:
            why = "unknown individual"
        elif day < contests[0][1]:
            why = "before the first contest"
        elif name not in here:
            why = "not present"
        assert row["reason"] == why
        if why is None:
            last = max(when for pair, when in contests if name in pair and when <= day)
            expected = plain_standing(
                here, name, lambda a, b, x=here: 1 / (1 + 10 ** ((x[b] - x[a]) / 400))
            )
            expected |= {"rating": here[name], "days_since_contest": day - last}
            for column, value in expected.items():
                assert row[column] == (None if value is None else pytest.approx(value)), column
        else:
            assert row["rating"] is None


def test_rows_that_cannot_be_used_say_why(rated):
    sheet = {
        "who": ["a", "zed", "", None, "b", "b", "b", "c"],
        "day": [
            "2010-01-20",
            "2010-01-20",
            "2010-01-20",
            "x",
            "",
            "soon",
            "2009-01-01",
            "2050-01-01",
        ],
    }
    joined = rated["elo"].at_dates(sheet, individual="who", date="day")
    assert joined["reason"].to_list() == [
        None,
        "unknown individual",
        "no individual",
        "no individual",
        "no date",
        "date cannot be read",
        "before the first contest",
        "not present",
    ]
    assert joined["rating"].null_count() == 7
    assert joined["who"].to_list() == sheet["who"]


def test_tables_that_cannot_be_joined(rated, tmp_path):
    ratings = rated["elo"]
    frame = pl.DataFrame({"who": ["a"], "day": ["01/02/2010"], "rank": [1]})
    with pytest.raises(po.DataError, match="01/02/2010"):  # day or month first?
        ratings.at_dates(frame, individual="who", date="day")
    with pytest.raises(po.DataError, match='has columns "rank" already.*prefix="elo_"'):
        ratings.at_dates(frame, individual="who", date="day", date_format="%m/%d/%Y")
    joined = ratings.at_dates(
        frame, individual="who", date="day", date_format="%m/%d/%Y", prefix="elo_"
    )
    assert joined.columns[:4] == ["who", "day", "rank", "elo_rating"]
    with pytest.raises(po.DataError, match="both dates, or both numbers"):
        ratings.at_dates({"who": ["a"], "day": [5]}, individual="who", date="day")
    with pytest.raises(po.DataError, match='no column "mother"'):
        ratings.at_dates(frame, individual="mother", date="day")
    with pytest.raises(ValueError, match="no posterior draws. Use elo_bayes or dynamic"):
        ratings.at_dates(frame, individual="who", date="day", draws=5)
    with pytest.raises(ValueError, match="there are only 1,200 draws"):
        rated["elo_bayes"].at_dates(frame, individual="who", date="day", draws=5000)


@pytest.mark.parametrize("name", ["individual", "date", "prefix"])
def test_names_of_columns_are_text(rated, name):
    given = {"individual": "who", "date": "when", "prefix": ""}
    for wrong in (None, 1, np.zeros(3)):
        with pytest.raises(po.ArgumentTypeError, match=f"{name}=.*: give a text"):
            rated["elo"].at_dates({"who": ["a"], "when": ["2010-01-20"]}, **given | {name: wrong})


@pytest.mark.parametrize("rater", SAMPLED)
def test_draws_repeat_each_row(rated, rater):
    ratings = rated[rater]
    sheet = pl.DataFrame({"who": ["b", "zed", "a"], "day": ["2010-01-20"] * 3})
    joined = ratings.at_dates(sheet, individual="who", date="day", draws=50)
    assert joined.height == 150
    assert joined["draw"].to_list() == list(range(1, 51)) * 3
    assert joined["who"].to_list() == ["b"] * 50 + ["zed"] * 50 + ["a"] * 50
    assert joined.filter(who="zed")["rating"].null_count() == 50
    # The same draws for all individuals on a date, evenly spaced.
    scores = ratings.scores(at="2010-01-20")
    chosen = scores[np.linspace(0, len(scores) - 1, 50).astype(int)]
    for name in "ba":
        own = joined.filter(who=name)
        assert own["rating"].to_list() == pytest.approx(chosen[:, ratings.code(name)].tolist())
        higher = np.nansum(chosen > chosen[:, [ratings.code(name)]], axis=1)
        assert own["rank"].to_list() == (1 + higher).tolist()


def test_draws_in_pandas(rated):
    frame = pd.DataFrame({"who": ["b", "?"], "day": ["2010-01-20"] * 2}, index=[7, 3])
    joined = rated["elo"].at_dates(frame, individual="who", date="day")
    assert isinstance(joined, pd.DataFrame)
    assert list(joined.index) == [7, 3]
    assert np.isnan(joined["rating"][3])
    assert joined["reason"][3] == "unknown individual"
    assert joined["rank"][7] == rated["elo"].at("2010-01-20").filter(individual="b")["rank"][0]
    long = rated["dynamic"].at_dates(frame, individual="who", date="day", draws=3)
    assert list(long["who"]) == ["b"] * 3 + ["?"] * 3
    assert list(long["draw"]) == [1, 2, 3] * 2


def test_kernels_against_plain_python():
    random = np.random.default_rng(1)
    scores = np.round(random.normal(size=(5, 40)), 1)  # ties
    own = np.array([0, 3], np.int64)
    counts, beaten = np.zeros((2, 6), np.int64), np.empty(2)
    scratch = np.empty(40, np.int32), np.empty(40, np.float32)
    drawn_standings(scores, np.exp(scores).astype(np.float32), own, *scratch, counts, beaten)
    for row, code in enumerate(own):
        ranks = [sum(x > draw[code] for x in draw) for draw in scores.T]
        assert counts[row].tolist() == [ranks.count(r) for r in range(6)]
        sums = [sum(1 / (1 + math.exp(x - draw[code])) for x in draw) - 0.5 for draw in scores.T]
        assert beaten[row] == pytest.approx(np.mean(sums), abs=1e-5)
    out = np.empty((3, 5))
    standings(scores, np.ones((5, 40), bool), np.array([0, 1, 4]), np.array([0, 7, 39]), 0.5, out)
    names = [str(i) for i in range(40)]
    for row, (state, code) in enumerate([(0, 0), (1, 7), (4, 39)]):
        table = dict(zip(names, scores[state], strict=True))
        plain = plain_standing(
            table, names[code], lambda a, b, t=table: 1 / (1 + math.exp(0.5 * (t[b] - t[a])))
        )
        assert out[row].tolist() == pytest.approx(list(plain.values()))
    winner, loser = random.integers(4, size=(2, 30))
    done, codes, last = np.arange(31), random.integers(4, size=31), np.empty(31, np.int64)
    last_contests(winner, loser, done, codes, np.full(4, -1), last)
    for row in range(31):
        own = [i for i in range(done[row]) if codes[row] in (winner[i], loser[i])]
        assert last[row] == (own[-1] if own else -1)


def test_states_in_blocks_give_the_same(rated, monkeypatch):
    from peckorder.results import joins

    days = [f"2010-01-{day:02d}" for day in range(1, 31)]
    sheet = {"who": list("abcdef") * 5, "day": days}
    whole = rated["dynamic"].at_dates(sheet, individual="who", date="day")
    monkeypatch.setattr(joins, "VALUES_AT_ONCE", 20)
    monkeypatch.setattr(joins, "DRAWS_AT_ONCE", 10_000)
    assert rated["dynamic"].at_dates(sheet, individual="who", date="day").equals(whole)


def test_the_mean_rank_is_that_of_the_draws():
    ratings = po.dynamic(po.datasets.adv(), samples=200, seed=1)
    births = {"mother": ["b", "c"], "birth": ["2010-01-20", "2010-02-02"]}
    where = {"individual": "mother", "date": "birth"}
    joined = pl.DataFrame(ratings.at_dates(births, **where))
    every = pl.DataFrame(ratings.at_dates(births, draws=200, **where))
    mean = every.group_by("mother", maintain_order=True).agg(pl.col("rank").mean())["rank"]
    assert joined["rank_mean"].to_list() == pytest.approx(mean.to_list())
