"""Ranks over study periods against other methods, slow twins, and small histories by hand.

No numbers of DynaRankR can be had here (its examples print none), so what its own tests assert is
asserted: without convention, Elo is that of aniDom and David's scores are those on D_ij.
"""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.orders.conventions import reordered
from peckorder.orders.period_ranks import METHODS, period_ranks, study_periods
from tests import oracle
from tests.examples import examples


def record(*contests, **more):
    """Contests as (date, winner, loser)."""
    dates, winner, loser = zip(*contests, strict=True)
    return po.read({"date": dates, "winner": winner, "loser": loser}, **more)


def ranks(found, period):
    rows = found.table.filter(found.table["period"] == period)
    return dict(zip(rows["individual"], rows["rank"], strict=True))


def column(found, name, period):
    rows = found.table.filter(found.table["period"] == period)
    return dict(zip(rows["individual"], rows[name], strict=True))


@st.composite
def histories(draw, individuals=5, periods=3, contests=8):
    """Random contests over some years, everybody present throughout."""
    names = "abcdefg"[:individuals]
    rows = []
    for year in range(2000, 2000 + periods):
        for n in range(draw(st.integers(0 if rows else 1, contests))):
            pair = draw(st.permutations(names))[:2]
            rows.append((f"{year}-01-{n + 1:02d}", *pair))
    rows.append((f"{2000 + periods - 1}-12-31", *draw(st.permutations(names))[:2]))
    stints = {
        "individual": list(names),
        "start": ["2000-01-01"] * len(names),
        "end": [""] * len(names),
    }
    seen = {name for _, *pair in rows for name in pair}
    keep = [i for i, name in enumerate(names) if name in seen]
    stints = {key: [values[i] for i in keep] for key, values in stints.items()}
    return rows, record(*rows, presence=stints)


# What other methods give


def test_one_period_of_elo_is_that_of_anidom():
    data = po.datasets.adv()
    found = period_ranks(data)
    rated = po.elo(data, preset="aniDom").table
    assert column(found, "score", "2010") == pytest.approx(
        dict(zip(rated["individual"], rated["rating"], strict=True))
    )


def test_periods_of_elo_without_convention_go_on():
    """With everybody present throughout, periods do not matter to the ratings at the end."""
    data = po.datasets.adv().with_presence(
        {"individual": list("abcdefg"), "start": ["2010-01-01"] * 7, "end": ["2010-02-28"] * 7}
    )
    rated = po.elo(data, preset="aniDom").table
    found = period_ranks(data, per=["2010-01-01", "2010-01-10", "2010-01-20"])
    assert column(found, "score", "2010-01-20") == pytest.approx(
        dict(zip(rated["individual"], rated["rating"], strict=True))
    )


def test_davids_scores_without_convention_are_those_of_each_period():
    data = po.datasets.adv()
    found = period_ranks(data, method="davids_score")
    own = po.davids_score(data).table
    assert column(found, "score", "2010") == pytest.approx(
        dict(zip(own["individual"], own["normds"], strict=True))
    )
    parts = period_ranks(data, per=["2010-01-01", "2010-01-16"], method="davids_score")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        second = po.davids_score(data.filter(start="2010-01-16")).table
    assert column(parts, "score", "2010-01-16") == pytest.approx(
        dict(zip(second["individual"], second["normds"], strict=True))
    )


# Slow twins


@examples(50)
@given(histories(), st.sampled_from([None, "given"]))
def test_elo_of_the_slow_twin(history, initial):
    rows, data = history
    names = list(data.individuals)
    start = names[::-1] if initial else None
    found = period_ranks(data, initial=start, k=120, delta=0.02)
    rating = dict.fromkeys(names, 0.0)
    if start:
        rating = {name: 120.0 * (len(names) - 1 - p) for p, name in enumerate(start)}
    for year in range(2000, 2003):
        for date, winner, loser in rows:
            if date.startswith(str(year)):
                p = 1 / (1 + math.exp(-0.02 * (rating[winner] - rating[loser])))
                rating[winner] += 120 * (1 - p)
                rating[loser] -= 120 * (1 - p)
        assert column(found, "score", str(year)) == pytest.approx(rating)


@examples(50)
@given(histories(periods=2, contests=6))
def test_davids_scores_of_the_slow_twin(history):
    """Fractions: D = P − (P − prior)/(n + 1), prior ¾ and ¼ along the initial order."""
    rows, data = history
    names = list(data.individuals)
    size = len(names)
    found = period_ranks(data, method="davids_score", initial=names)
    prior = {
        (a, b): Fraction(3, 4) if names.index(a) < names.index(b) else Fraction(1, 4)
        for a, b in itertools.permutations(names, 2)
    }
    for year in ("2000", "2001"):
        own = [(w, x) for date, w, x in rows if date.startswith(year)]
        for a, b in itertools.combinations(names, 2):
            n = own.count((a, b)) + own.count((b, a))
            share = Fraction(own.count((a, b)), n) if n else prior[a, b]
            prior[a, b] = share - (share - prior[a, b]) / (n + 1)
            prior[b, a] = 1 - prior[a, b]
        p = prior

        def total(a, table):
            return sum((table[a, b] for b in names if b != a), Fraction(0))

        turned = {(b, a): value for (a, b), value in p.items()}
        w = {a: total(a, p) for a in names}
        lost = {a: total(a, turned) for a in names}
        ds = {
            a: w[a]
            + sum(p[a, b] * w[b] for b in names if b != a)
            - lost[a]
            - sum(p[b, a] * lost[b] for b in names if b != a)
            for a in names
        }
        expected = {a: float((ds[a] + Fraction(size * (size - 1), 2)) / size) for a in names}
        assert column(found, "score", year) == pytest.approx(expected)


@examples(80)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.floats(0.1, 0.9))
def test_reordering_by_going_through_all_orders(size, seed, density):
    """Fewest inconsistencies, then fewest dyads turned round against 0, 1, 2, …"""
    rng = np.random.default_rng(seed)
    known = np.triu(rng.random((size, size)) < density, 1)
    up = rng.random((size, size)) < 0.5
    dominates = (known & up) | (known & ~up).T

    def cost(order):
        inconsistencies, _ = oracle.inconsistencies(dominates.tolist(), order)
        return inconsistencies, sum(a > b for a, b in itertools.combinations(order, 2))

    order, inconsistencies, proved = reordered(dominates)
    assert proved
    assert cost(tuple(order.tolist())) == min(map(cost, itertools.permutations(range(size))))
    assert cost(tuple(order.tolist()))[0] == inconsistencies


def test_reordering_of_many_is_good_but_not_proved():
    rng = np.random.default_rng(1)
    size = 26
    up = np.triu(rng.random((size, size)) < 0.5, 1)
    dominates = up | np.triu(~up, 1).T  # a random tournament: nearly always one component
    order, inconsistencies, proved = reordered(dominates)
    assert not proved
    assert sorted(order.tolist()) == list(range(size))
    assert inconsistencies < np.triu(~up, 1).sum()
    place = np.argsort(order)
    for i in range(size - 1):  # nobody gains by a swap with the next
        assert not dominates[order[i + 1], order[i]]
    assert (dominates & (place[:, None] > place[None, :])).sum() == inconsistencies


def test_reordering_keeps_the_order_without_contests_against_it():
    order, inconsistencies, proved = reordered(np.triu(np.ones((30, 30), bool), 1))
    assert order.tolist() == list(range(30))
    assert (inconsistencies, proved) == (0, True)


# Newcomers


def test_daughters_enter_below_their_mothers_above_older_sisters():
    """b has an older daughter c; d and e are born to b later, e is first of the litter."""
    data = record(
        ("2000-05-01", "a", "b"),
        ("2000-05-02", "b", "c"),
        ("2000-05-03", "c", "f"),
        ("2001-05-01", "a", "d"),
        ("2001-05-02", "a", "e"),
        ("2001-05-03", "a", "f"),
        ("2001-05-04", "a", "c"),
        ("2001-05-05", "b", "f"),
    )
    traits = {"c": "b", "d": ("b", 2), "e": ("b", 1), "f": None}
    for method in METHODS:
        found = period_ranks(
            data, method=method, initial=["a", "b", "c", "f"], convention="maternal", traits=traits
        )
        assert list(ranks(found, "2001")) == ["a", "b", "e", "d", "c", "f"], method
        joined = column(found, "newcomer", "2001")
        assert [name for name, new in joined.items() if new] == ["e", "d"]


def test_a_daughter_takes_the_place_of_a_mother_that_is_gone():
    """b leaves after 2000; her daughter d joins in 2001 between a and c."""
    data = record(
        ("2000-05-01", "a", "b"),
        ("2000-05-02", "b", "c"),
        ("2001-05-01", "a", "c"),
        ("2001-05-02", "a", "d"),
    )
    for method in METHODS:
        found = period_ranks(
            data, method=method, initial=["a", "b", "c"], convention="maternal", traits={"d": "b"}
        )
        assert list(ranks(found, "2001")) == ["a", "d", "c"], method
    top = period_ranks(
        record(("2000-05-01", "b", "c"), ("2001-05-01", "c", "e"), ("2001-05-02", "d", "e")),
        method="reorder",
        initial=["b", "c"],
        convention="maternal",
        traits={"d": "b", "e": "c"},
    )
    assert list(ranks(top, "2001")) == ["d", "c", "e"]


@pytest.mark.parametrize(
    ("convention", "traits"),
    [
        ("tenure", {"a": "1990-01-01", "b": "1995-01-01", "c": "1999-01-01", "d": "1993-06-01"}),
        ("age", {"a": "1980-01-01", "b": "1985-01-01", "c": "1989-01-01", "d": "1983-01-01"}),
        ("age", {"a": 20, "b": 15, "c": 11, "d": 17}),
        ("attribute", {"a": 9.1, "b": 7.2, "c": 5.0, "d": 8.0}),
        ("attribute", {"a": (9, 0), "b": (7, 1), "c": (5, 0), "d": (7, 2)}),
        (
            "attribute",
            {"individual": ["a", "b", "c", "d", "stranger"], "mass": [9.1, 7.2, 5.0, 8.0, 1.0]},
        ),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_newcomers_enter_by_tenure_age_or_attribute(convention, traits, method):
    """a, b and c in 2000 by convention; d joins in 2001 between a and b."""
    data = record(
        ("2000-05-01", "a", "b"),
        ("2000-05-02", "b", "c"),
        ("2001-05-01", "a", "c"),
        ("2001-05-02", "a", "d"),
        ("2001-05-03", "b", "c"),
    )
    found = period_ranks(data, method=method, convention=convention, traits=traits)
    assert list(ranks(found, "2000")) == ["a", "b", "c"]
    assert list(ranks(found, "2001")) == ["a", "d", "b", "c"]
    if method == "elo":
        before = column(found, "score", "2000")
        after = column(found, "score", "2001")
        # It enters at the quantile ⅔ of the three ratings present, and loses to a.
        entry = np.quantile(list(before.values()), 2 / 3)
        assert after["d"] < entry
        assert sum(after.values()) == pytest.approx(sum(before.values()) + entry)


def test_tenure_comes_from_presence():
    data = record(
        ("2000-05-01", "b", "a"),
        ("2000-05-02", "c", "b"),
        presence={
            "individual": ["a", "b", "c"],
            "start": ["2000-03-01", "2000-01-01", "2000-02-01"],
            "end": ["", "", ""],
        },
    )
    found = period_ranks(data, convention="tenure", method="davids_score", per="month")
    # In January b is alone, then c joins below it, then a below both; no contest before May.
    assert ranks(found, "2000-05")["a"] == 3
    assert found.settings["initial"] == ["b", "c", "a"]


def test_without_convention_newcomers_have_the_mean_rating():
    data = record(("2000-05-01", "a", "b"), ("2001-05-01", "a", "b"), ("2002-05-01", "b", "c"))
    found = period_ranks(data, k=100)
    assert sum(column(found, "score", "2000").values()) == pytest.approx(0)
    before = column(found, "score", "2001")["b"]
    after = column(found, "score", "2002")
    assert after["b"] + after["c"] == pytest.approx(2 * before)


# Changes


def test_active_and_passive_changes_by_hand():
    """a, b, c, d; a leaves, x enters at the top, and d passes c: b 2→2, d 4→3, c 3→4."""
    data = record(
        ("2000-05-01", "a", "b"),
        ("2000-05-02", "b", "c"),
        ("2000-05-03", "c", "d"),
        ("2001-05-01", "x", "b"),
        ("2001-05-02", "b", "d"),
        ("2001-05-03", "d", "c"),
    )
    traits = {"a": 9, "b": 7, "c": 6, "d": 5, "x": 8}
    found = period_ranks(data, method="reorder", convention="attribute", traits=traits)
    assert list(ranks(found, "2001")) == ["x", "b", "d", "c"]
    assert column(found, "change", "2001") == {"x": None, "b": 0, "d": 1, "c": -1}
    assert column(found, "active_change", "2001") == {"x": None, "b": 0, "d": 1, "c": -1}
    assert column(found, "passive_change", "2001") == {"x": None, "b": 0, "d": 0, "c": 0}
    assert column(found, "standardized_rank", "2001") == pytest.approx(
        {"x": 1, "b": 1 / 3, "d": -1 / 3, "c": -1}
    )
    second = found.periods.row(1, named=True)
    assert (second["joined"], second["left"], second["individuals"]) == (1, 1, 4)
    assert second["similarity"] == pytest.approx(2 / 3)
    assert (second["inconsistencies"], second["proved"]) == (0, True)
    assert column(found, "score", "2001") == dict.fromkeys("xbdc")


def test_those_below_a_leaver_rise_passively():
    data = record(("2000-05-01", "a", "b"), ("2000-05-02", "b", "c"), ("2001-05-01", "b", "c"))
    found = period_ranks(data, initial=["a", "b", "c"])
    assert column(found, "change", "2001") == {"b": 1, "c": 1}
    assert column(found, "active_change", "2001") == {"b": 0, "c": 0}
    assert column(found, "passive_change", "2001") == {"b": 1, "c": 1}
    assert found.active_share == 0


@examples(60)
@given(
    st.lists(
        st.tuples(st.integers(2000, 2003), st.permutations("abcdef")), min_size=4, max_size=25
    ),
    st.sampled_from(METHODS),
)
def test_parts_add_up_and_active_changes_cancel(contests, method):
    """Active changes are a permutation of those that stayed: their sum is 0."""
    rows = sorted((f"{year}-06-01", pair[0], pair[1]) for year, pair in contests)
    data = record(*rows)
    found = period_ranks(data, method=method, initial=sorted(data.individuals))
    for period in found.periods["period"]:
        change, active, passive = (
            [x for x in column(found, name, period).values() if x is not None]
            for name in ("change", "active_change", "passive_change")
        )
        assert change == pytest.approx([a + p for a, p in zip(active, passive, strict=True)])
        assert sum(active) == pytest.approx(0)
        rank = list(ranks(found, period).values())
        assert sum(rank) == pytest.approx(len(rank) * (len(rank) + 1) / 2)
        standardized = list(column(found, "standardized_rank", period).values())
        if len(rank) > 1:
            assert sum(standardized) == pytest.approx(0, abs=1e-9)
        counts = found.periods.filter(found.periods["period"] == period).row(0, named=True)
        assert counts["individuals"] == len(rank)
        assert len(change) == (counts["individuals"] - counts["joined"]) * (
            period != found.periods["period"][0]
        )


# Periods and members


def test_periods_of_the_calendar():
    data = record(("2000-12-31", "a", "b"), ("2001-01-01", "a", "b"), ("2001-08-15", "b", "a"))
    assert [p.name for p in study_periods(data, "year")] == ["2000", "2001"]
    quarters = study_periods(data, "quarter")
    assert [p.name for p in quarters] == ["2000 Q4", "2001 Q1", "2001 Q2", "2001 Q3"]
    assert [len(p.contests) for p in quarters] == [1, 1, 0, 1]
    assert (str(quarters[1].start), str(quarters[1].end)) == ("2001-01-01", "2001-03-31")
    assert len(study_periods(data, "month")) == 9
    carried = period_ranks(data, per="quarter")
    assert column(carried, "score", "2001 Q2") == column(carried, "score", "2001 Q1")
    assert "1 period has no contests: ranks were carried over." in carried.summary


def test_periods_by_season_and_by_number():
    rows = {
        "winner": list("abab"),
        "loser": list("baba"),
        "date": ["2000-01-01", "2000-01-02", "2000-06-01", "2000-07-01"],
        "season": ["wet", "wet", "dry", "dry"],
    }
    spans = study_periods(po.read(rows, season="season"), "season")
    assert [(p.name, len(p.contests)) for p in spans] == [("wet", 2), ("dry", 2)]
    mixed = po.read({**rows, "season": ["wet", "dry", "wet", "dry"]}, season="season")
    with pytest.raises(po.DataError, match='"wet" and "dry" overlap'):
        study_periods(mixed, "season")
    numbered = po.read({"winner": list("abab"), "loser": list("baba")})
    assert [len(p.contests) for p in study_periods(numbered, [1, 4])] == [3, 1]
    assert period_ranks(numbered, per=[1, 4]).settings["per"] == ["1", "4"]


def test_members_without_presence_stay_between_first_and_last_contest():
    data = record(("2000-05-01", "a", "b"), ("2001-05-01", "c", "d"), ("2002-05-01", "a", "c"))
    names = data.individuals
    members = [{names[i] for i in p.members} for p in study_periods(data, "year")]
    assert members == [{"a", "b"}, {"a", "c", "d"}, {"a", "c"}]
    assert any("Without presence data" in sentence for sentence in period_ranks(data).summary)


def test_who_comes_back_is_a_newcomer():
    data = record(
        ("2000-05-01", "a", "b"),
        ("2001-05-01", "b", "c"),
        ("2002-05-01", "a", "c"),
        presence={
            "individual": ["a", "a", "b", "c"],
            "start": ["2000-01-01", "2002-01-01", "2000-01-01", "2000-01-01"],
            "end": ["2000-12-31", "", "", ""],
        },
    )
    found = period_ranks(data)
    assert column(found, "newcomer", "2002") == {"a": True, "b": False, "c": False}
    assert found.periods["left"].to_list() == [0, 1, 0]


# Arguments


def test_an_order_as_initial_ranks():
    data = po.datasets.adv()
    order = po.isi(data)
    assert period_ranks(data, initial=order).settings["initial"] == list(order)
    some = period_ranks(data, initial=["b", "c"], method="reorder")
    assert (
        "5 members of the first period without an initial rank entered as newcomers."
        in some.summary
    )


def test_draws():
    data = po.read(
        {
            "winner": ["a", "a"],
            "loser": ["b", "b"],
            "date": ["2000-01-01", "2000-01-02"],
            "draw": [0, 1],
        },
        tie="draw",
    )
    omitted = column(period_ranks(data), "score", "2000")
    half = column(period_ranks(data, ties="half"), "score", "2000")
    assert half["a"] < omitted["a"] == 100
    for rule in ("omit", "half", "both"):
        found = period_ranks(data, method="davids_score", ties=rule)
        expected = po.davids_score(data, ties=rule).table["normds"].to_list()
        assert list(column(found, "score", "2000").values()) == pytest.approx(expected)
    with pytest.raises(ValueError, match='needs ties="omit" or ties="half"'):
        period_ranks(data, ties="both")


@pytest.mark.parametrize("method", METHODS)
def test_a_period_in_which_nobody_was_present(method):
    data = record(("2000-01-01", "a", "b"), ("2002-01-01", "c", "d"))
    found = period_ranks(data, method=method, initial=["b", "a"])
    assert found.periods["individuals"].to_list() == [2, 0, 2]
    assert ranks(found, "2000") == {"a": 1, "b": 2}
    assert ranks(found, "2002") == {"c": 1, "d": 2}
    assert column(found, "newcomer", "2002") == {"c": True, "d": True}


def test_only_ties():
    data = po.read(
        {"winner": ["b"], "loser": ["a"], "date": ["2000-01-01"], "draw": [1]}, tie="draw"
    )
    with pytest.raises(po.DataError, match='All contests are draws, which ties="omit" leaves out'):
        period_ranks(data)
    assert ranks(period_ranks(data, ties="half"), "2000") == {"a": 1.5, "b": 1.5}
    kept = period_ranks(data, ties="half", method="reorder", initial=["a", "b"])
    assert ranks(kept, "2000") == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "isi"}, "Choose one of: elo, davids_score, reorder"),
        ({"per": "decade"}, "Choose one of: year, quarter"),
        ({"per": "season"}, "needs the season of each contest"),
        ({"per": []}, "in order of time"),
        ({"per": ["2010-01-10", "2010-01-05"]}, "in order of time"),
        ({"per": ["2010-01-10"]}, "is before the first period"),
        ({"convention": "inherit"}, "Choose one of: none, maternal"),
        ({"convention": "maternal", "traits": {"c": "b"}}, "needs initial="),
        ({"convention": "age"}, "needs traits= with the date of birth"),
        ({"convention": "tenure"}, "the date of joining"),
        ({"convention": "age", "traits": {"a": 3}}, "has none for"),
        ({"convention": "age", "traits": {"a": "old"}}, "neither a number nor a date"),
        (
            {"convention": "age", "traits": {"id": ["a", "a"], "age": [3, 4]}},
            '"a" appears more than once',
        ),
        ({"convention": "age", "traits": {"a": 1998}}, "looks like a year of birth"),
        ({"traits": {"a": 3}}, "traits= needs a convention"),
        ({"method": "reorder"}, "needs an order to start from: initial= or convention="),
        ({"initial": ["b", "b"]}, 'initial: "b" appears more than once'),
        ({"initial": ["B"]}, "not among the individuals"),
        ({"k": 0}, "above 0"),
        ({"delta": None}, "above 0"),
        (
            {"initial": list("abcdefg"), "convention": "maternal", "traits": {"c": "c"}},
            "own mother",
        ),
        (
            {"initial": list("abcdefg"), "convention": "maternal", "traits": {"c": "Zoe"}},
            "none of the mothers",
        ),
        (
            {"initial": ["g"], "convention": "maternal", "traits": {"a": "b", "b": "a"}},
            "each other's mothers",
        ),
    ],
)
def test_bad_arguments(arguments, said):
    with pytest.raises(ValueError, match=said):
        period_ranks(po.datasets.adv(), **arguments)


def test_a_matrix_and_a_name_are_refused():
    with pytest.raises(po.DataError, match="a matrix cannot be divided into periods"):
        period_ranks(po.datasets.bonobos())
    with pytest.raises(TypeError, match="names from the highest rank down"):
        period_ranks(po.datasets.adv(), initial="b")
    with pytest.raises(TypeError, match="first days of all periods"):
        period_ranks(po.datasets.adv(), per=12)
    numbered = po.read({"winner": ["a"], "loser": ["b"]})
    with pytest.raises(po.DataError, match="needs calendar dates"):
        period_ranks(numbered)


@pytest.mark.paper_data
def test_chimpanzee_females(paper_file):
    """44 years of few contests: every method ranks everybody present in every year."""
    data = po.read(
        paper_file("chimpanzee_females.csv"),
        presence=paper_file("chimpanzee_females_presence.csv"),
    )
    for method in METHODS:
        found = period_ranks(data, method=method, convention="tenure")
        assert len(found.periods) == 45
        assert found.periods["contests"].sum() == len(data) == 1015
        present = found.table.group_by("period").len().sort("period")["len"]
        assert present.to_list() == found.periods["individuals"].to_list()
