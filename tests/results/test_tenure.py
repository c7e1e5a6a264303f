"""Tenures, changes of order and careers, against a plain walk over the days."""

import datetime as dt

import numpy as np
import pytest

import peckorder as po
from peckorder.results.tenure import Ladder, reversals


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    names = list("abcde")
    presence = {
        "id": ["a", "b", "c", "d", "e"],
        "start": ["2020-01-01"] * 3 + ["2020-02-01", "2020-01-20"],
        "end": ["2020-03-31", "2020-02-20", "2020-03-31", "2020-03-31", "2020-03-31"],
    }
    rows = []
    for day in range(90):
        date = dt.date(2020, 1, 1) + dt.timedelta(days=day)
        here = [
            name
            for name, start, end in zip(*presence.values(), strict=True)
            if start <= str(date) <= end
        ]
        if random.random() < 0.6:
            winner, loser = random.permutation(here)[:2]
            if names.index(winner) > names.index(loser) and random.random() < 0.5:
                winner, loser = loser, winner
            rows.append((winner, loser, str(date)))
    winner, loser, date = map(list, zip(*rows, strict=True))
    return po.read({"winner": winner, "loser": loser, "date": date}, presence=presence)


def days(data):
    first, last = (data.date[i].astype("datetime64[D]").astype(object) for i in (0, -1))
    return [first + dt.timedelta(days=i) for i in range((last - first).days + 1)]


@pytest.fixture(scope="module")
def ratings(data):
    return po.elo(data)


@pytest.fixture(scope="module")
def tables(data, ratings):
    """The table of every day, from the highest rating to the lowest."""
    return {
        day: dict(ratings.at(str(day)).select("individual", "rank").iter_rows())
        for day in days(data)
    }


@pytest.mark.parametrize("rank", [1, 2])
def test_tenures_are_those_of_a_walk_over_the_days(data, ratings, tables, rank):
    walk, before = {}, None
    for day, table in tables.items():
        holders = [name for name, own in table.items() if own == rank]
        shared = [n for n, own in table.items() if rank - 0.5 <= own <= rank + 0.5 and n == before]
        before = (holders or shared or [None])[0]
        walk[day] = before
    found = {}
    for row in ratings.tenure(rank).iter_rows(named=True):
        assert row["days"] == (row["end"] - row["start"]).days + 1
        for i in range(row["days"]):
            found[row["start"] + dt.timedelta(days=i)] = row["individual"]
    assert {day: found.get(day) for day in tables} == walk


def test_changes_are_those_of_a_walk_over_the_days(ratings, tables):
    expected, last = set(), {}
    for day, table in tables.items():
        for a in table:
            for b in table:
                if a < b and table[a] != table[b]:
                    above = a if table[a] < table[b] else b
                    if last.get((a, b), above) != above:
                        expected.add((day, above, b if above == a else a))
                    last[a, b] = above
    changes = ratings.rank_changes()
    assert set(changes.select("date", "up", "down").iter_rows()) == expected
    assert len(expected) > 3


def test_careers(data, ratings, tables):
    table = {row["individual"]: row for row in ratings.careers(after=20).iter_rows(named=True)}
    b, d = table["b"], table["d"]
    assert str(b["departure"]) == "2020-02-20"
    assert str(d["arrival"]) == "2020-02-01"
    assert d["rank_at_arrival"] == tables[d["arrival"]]["d"]
    assert d["rank_after_20"] == tables[d["arrival"] + dt.timedelta(days=20)]["d"]
    own = [tables[day]["d"] for day in tables if "d" in tables[day]]
    assert d["best_rank"] == min(own)
    assert d["days_at_best"] == own.count(min(own))
    assert d["days_present"] == len(own)
    assert table["a"]["rank_at_end"] == list(tables.values())[-1]["a"]


def test_a_window_cuts_tenures(ratings):
    window = ratings.between("2020-02-01", "2020-02-29")
    whole, part = ratings.tenure(), window.tenure()
    assert str(part["start"][0]) == "2020-02-01"
    assert str(part["end"][-1]) == "2020-02-29"
    held = whole.filter((whole["start"] <= part["end"][0]) & (whole["end"] >= part["start"][0]))
    assert part["individual"][0] in held["individual"].to_list()


def test_certainty_of_a_posterior(data):
    rated = po.dynamic(data, seed=1, samples=400)
    tenure = rated.tenure()
    assert tenure["certainty"].is_between(0.2, 1).all()
    first = tenure.row(0, named=True)
    middle = first["start"] + (first["end"] - first["start"]) / 2
    chance = rated.at(str(middle))
    assert chance["individual"][0] == first["individual"]
    assert abs(chance["p_first"][0] - first["certainty"]) < 0.35


@pytest.mark.filterwarnings("ignore::peckorder.errors.ConvergenceWarning")
@pytest.mark.parametrize("window", [False, True])
def test_probability_of_a_change_of_order(data, window):
    # Both orders are looked up in the same draws: at most the less probable of them, at least
    # what is left if they exclude each other as far as possible.
    rated = po.elo_bayes(data, seed=1, samples=100, warmup=100, chains=2)
    rated = rated.between("2020-01-15", "2020-03-15") if window else rated
    changes = rated.rank_changes()
    assert changes.height > 0
    before, after, both = changes.select("p_before", "p_after", "probability").to_numpy().T
    assert (both <= np.minimum(before, after) + 1e-12).all()
    assert (both >= before + after - 1 - 1e-12).all()
    # A walk over the draws at two dates, for the first change.
    ladder = Ladder.of(rated)
    one = reversals(ladder)[0]
    days = [str(ladder.days[sum(own) // 2]) for own in (one.before, one.after)]
    first, then = (rated.scores(at=day) for day in days)
    true = (first[:, one.down] > first[:, one.up]) & (then[:, one.up] > then[:, one.down])
    assert both[0] == pytest.approx(true.mean())


def test_courses_of_dynamic_ratings_have_the_marginals_of_draws(data):
    rated = po.dynamic(data, seed=1, samples=1000)
    replay = rated.course.replay
    moments = data.times[[10, 30, len(data) - 1]]
    (courses,) = replay.courses_at(moments)
    own = replay.draws_at(moments)
    here = ~np.isnan(courses).any(axis=0)
    centered = [
        c[:, h] - c[:, h].mean(axis=1, keepdims=True)
        for c, h in zip(courses.transpose(1, 0, 2), here, strict=True)
    ]
    for one, other, h in zip(centered, own, here, strict=True):
        expected = other[:, h] - other[:, h].mean(axis=1, keepdims=True)
        assert one.mean(axis=0) == pytest.approx(expected.mean(axis=0), abs=0.15)
        assert one.std(axis=0) == pytest.approx(expected.std(axis=0), rel=0.15)


def test_an_order_that_never_changes_is_no_change():
    # Constant strengths: two equal individuals change places in the estimate at most.
    _, quiet = po.simulate.hierarchy(4, 200, spread=0.0, seed=3)
    changes = po.dynamic(quiet, seed=1, samples=1000).rank_changes()
    assert (changes["probability"] < 0.5).all()


def test_without_dates_days_are_contests():
    ratings = po.elo(po.read((list("aabb"), list("bbaa"))), k=400)
    assert ratings.tenure().rows() == [("a", 1, 2, 2), ("b", 3, 4, 2)]


def test_ranks_over_time_need_an_order():
    with pytest.raises(po.DataError, match="a matrix has no dates"):
        po.dynamic(po.datasets.bonobos(), seed=1, samples=10).tenure()


def test_newcomers_between_contests_have_entered():
    """Between its arrival and the next contest, a newcomer has its entry level."""
    random = np.random.default_rng(1)
    strength = dict(zip("abcdef", [4, 3, 2, 1, 0, -1], strict=True))
    rows = []
    for day in range(120):
        one, other = random.choice(list("abcdef") if day >= 80 else list("abcde"), 2, replace=False)
        if random.random() > 1 / (1 + np.exp(strength[other] - strength[one])):
            one, other = other, one
        rows.append((one, other, str(np.datetime64("2020-01-01") + 2 * day)))
    winner, loser, date = map(list, zip(*rows, strict=True))
    arrival = str(np.datetime64("2020-01-01") + 159)
    presence = {
        "id": list("abcdef"),
        "start": ["2020-01-01"] * 5 + [arrival],
        "end": ["2020-12-31"] * 6,
    }
    data = po.read({"winner": winner, "loser": loser, "date": date}, presence=presence)
    rated = po.dynamic(data, seed=1, samples=500)
    before, after = (rated.at(str(np.datetime64(arrival) + i)) for i in (0, 1))
    ranks = [dict(table.select("individual", "rank").iter_rows())["f"] for table in (before, after)]
    spread = dict(before.select("individual", "rating_sd").iter_rows())
    assert abs(ranks[0] - ranks[1]) <= 1
    assert ranks[0] > 3
    assert spread["f"] > 0.1


@pytest.mark.paper_data
def test_the_alpha_females_of_four_decades(paper_file):
    """Chimpanzee females, 1969–2013 (Foerster et al. 2016): tenures, co-residents and joins."""
    files = paper_file("chimpanzee_females.csv"), paper_file("chimpanzee_females_presence.csv")
    females = po.read(files[0], presence=files[1])
    found = po.dynamic(females, samples=200, seed=1, prior="normal")
    tenure = found.tenure()
    assert tenure["individual"].to_list() == ["f02", "f05", "f07", "f13", "f10"]
    assert tenure["start"].dt.year().to_list() == [1969, 1979, 1993, 2004, 2005]
    assert tenure["days"].sum() == len(days(females))
    assert tenure["certainty"][2] > 0.95  # f07, alpha for a decade
    together = females.co_residence()
    size = len(females.individuals)
    met = together.filter(together["contests"] > 0).height
    assert round(1 - met / (size * (size - 1) / 2), 2) == 0.72
    assert round(1 - met / together.height, 2) == 0.54
    # Mothers at birth: the alpha of that day, one who had left, and one not yet there.
    births = {"mother": ["f05", "f02", "f10"], "birth": ["1985-06-01", "1990-01-01", "1970-01-20"]}
    joined = found.at_dates(births, individual="mother", date="birth")
    assert joined["rank"].to_list()[:2] == [1.0, None]
    assert joined["reason"].to_list()[:2] == [None, "not present"]
    assert joined["rank_low"][0] == 1
