"""One contest at a time."""

import json
import sys
import threading
import time

import numpy as np
import pytest

import peckorder as po


def test_saved_and_resumed_from_a_file(tmp_path):
    data = po.datasets.adv()
    whole = po.elo(data, k=200, curve="normal")
    names = data.individuals
    rows = [(names[a], names[b]) for a, b in zip(data.winner, data.loser, strict=True)]
    rater = po.EloRater(k=200, curve="normal")
    for one, other in rows[:20]:
        rater.update(one, other)
    rater.save(tmp_path / "state.json")
    rater = po.EloRater.load(tmp_path / "state.json")
    assert rater.contests == 20
    for one, other in rows[20:]:
        rater.update(one, other)
    assert rater.ratings == {name: whole[name] for name in names}
    assert repr(rater) == "EloRater: 7 individuals, 33 contests"


def test_points_context_home_and_season_as_in_elo():
    games = {
        "home": ["a", "b", "a"],
        "away": ["b", "c", "c"],
        "home_points": [3, 1, 0],
        "away_points": [1, 1, 2],
        "context": ["cup", "league", "cup"],
        "season": ["1", "1", "2"],
    }
    settings = {
        "k": {"cup": 60, "league": 20},
        "outcome": "points",
        "margin": "football",
        "home_advantage": 30.0,
        "home_in_update": True,
        "carry_over": 0.7,
        "scale": 1000,
    }
    whole = po.elo(po.read(games), **settings)
    rater = po.EloRater(["a", "b", "c"], **settings)
    rater.update("a", "b", points=(3, 1), context="cup", home="a")
    rater.update("b", "c", points=(1, 1), context="league", home="b")
    rater.new_season()
    rater.update("c", "a", points=(2, 0), context="cup", home="a")
    assert rater.ratings == dict(sorted(whole.items()))


@pytest.mark.parametrize("entry", ["mean", "bottom"])
def test_arrivals_and_departures_as_in_elo(entry):
    data = po.read(
        {"winner": list("aabd"), "loser": list("bcaa"), "date": [1, 2, 3, 5]},
        presence={"id": list("abcd"), "start": [1, 1, 1, 4], "end": [9, 9, 2, 9]},
    )
    whole = po.elo(data, entry=entry)
    rater = po.EloRater(list("abc"), entry=entry)
    rater.update("a", "b")
    rater.update("a", "c")
    rater.leave("c")
    rater.update("b", "a")
    with pytest.raises(ValueError, match='first call rater.arrive\\("d"\\)'):
        rater.update("d", "a")
    rater.arrive("d")
    rater.update("d", "a")
    assert rater.ratings == {name: whole[name] for name in "abcd"}


def test_fide_state_survives_saving():
    rater = po.EloRater(preset="FIDE", start=2395)
    for _ in range(40):
        rater.update("a", "b")
    again = po.EloRater.from_dict(json.loads(json.dumps(rater.to_dict())))
    for _ in range(3):
        rater.update("b", "a")
        again.update("b", "a")
    assert rater.ratings == again.ratings


def test_wrong_use():
    rater = po.EloRater()
    with pytest.raises(ValueError, match="two different names"):
        rater.update("a", "a")
    for name in (None, "  ", float("nan")):
        with pytest.raises(ValueError, match="A name is missing"):
            rater.update(name, "a")
    with pytest.raises(TypeError, match="draw must be True or False"):
        rater.update("a", "b", draw="no")
    with pytest.raises(ValueError, match="points must be two numbers"):
        rater.update("a", "b", points=(-5, 1))
    with pytest.raises(ValueError, match="fewer points"):
        rater.update("a", "b", points=(1, 2))
    with pytest.raises(ValueError, match='"z" is unknown'):
        rater.leave("z")
    with pytest.raises(ValueError, match='"a" is not rated yet'):
        rater.probability("a", "b")
    with pytest.raises(ValueError, match="cannot rate in batches"):
        po.EloRater(preset="PlayerRatings")
    with pytest.raises(ValueError, match="needs points"):
        po.EloRater(outcome="points").update("a", "b")
    with pytest.raises(ValueError, match="k by context needs a column of contexts"):
        po.EloRater(k={"bite": 10}).update("a", "b")
    with pytest.raises(ValueError, match="needs carry_over"):
        rater.new_season()
    with pytest.raises(ValueError, match="Not a saved EloRater"):
        po.EloRater.from_dict({"contests": 3})
    assert rater.ratings == {}  # failed calls leave no trace


def test_probability_follows_the_ratings():
    rater = po.EloRater(start={"a": 1200, "b": 1000}, curve="table")
    rater.update("b", "a", k=0)
    assert rater.probability("a", "b") == 0.76


def test_names_given_twice_or_with_blanks_are_one():
    rater = po.EloRater(["A", " A ", "B"])
    rater.update("A", "B ")
    assert rater.ratings == {"A": 1050, "B": 950}
    rater.leave("B")
    with pytest.raises(ValueError, match='"B" has left'):
        rater.update("A", "B")
    rater.arrive("B")
    assert rater.update("A", "B") > 0.5


def test_k_for_one_contest_beats_the_settings():
    rater = po.EloRater(burn_in=(5, 10.0))
    rater.update("a", "b", k=400)
    assert rater.ratings["a"] == 1200
    with pytest.raises(ValueError, match='cannot be combined with k="fide"'):
        po.EloRater(preset="FIDE").update("a", "b", k=400)
    with pytest.raises(ValueError, match="a number or a pair"):
        rater.update("a", "b", k="fide")


def test_equal_points_are_a_draw_as_in_elo():
    rater = po.EloRater()
    rater.update("a", "b", points=(1, 1))
    assert rater.ratings == {"a": 1000, "b": 1000}
    with pytest.raises(ValueError, match="contradicts the points"):
        rater.update("a", "b", points=(5, 1), draw=True)


def test_a_failed_update_leaves_nothing_behind():
    rater = po.EloRater(k={"fight": 100})
    with pytest.raises(po.DataError, match='k has no value for the context "chase"'):
        rater.update("A", "B", context="chase")
    assert rater.ratings == {}
    with pytest.raises(TypeError, match="a list of names"):
        po.EloRater("Abe")
    empty = po.EloRater(carry_over=0.5)
    empty.new_season()  # no individuals, so nothing is carried over
    assert empty.ratings == {}


@pytest.mark.parametrize(
    "change",
    [
        {"contests": -1},
        {"contests": "x"},
        {"settings": {}},
        {"settings": None},
        {"individuals": None},
        {"individuals": {"name": ["a"]}},
        {"individuals": [{"name": "a"}]},
    ],
)
def test_saved_states_that_do_not_fit_are_refused(change):
    rater = po.EloRater(k=100)
    rater.update("a", "b")
    with pytest.raises(po.DataError, match="Not a saved EloRater"):
        po.EloRater.from_dict(rater.to_dict() | change)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rating", "x"), ("rating", float("inf")), ("present", 1), ("contests", 0.5), ("name", "b")],
)
def test_saved_individuals_that_do_not_fit_are_refused(name, value):
    rater = po.EloRater(k=100)
    rater.update("a", "b")
    saved = rater.to_dict()
    saved["individuals"][name][0] = value
    with pytest.raises(po.DataError, match="Not a saved EloRater"):
        po.EloRater.from_dict(saved)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[1]", b"null"])
def test_damaged_files_of_a_rater_are_refused(tmp_path, raw):
    (tmp_path / "rater.json").write_bytes(raw)
    with pytest.raises(po.DataError, match="saved EloRater"):
        po.EloRater.load(tmp_path / "rater.json")


def random_contests(number, individuals, seed=1):
    rng = np.random.default_rng(seed)
    one = rng.integers(individuals, size=number)
    other = (one + rng.integers(1, individuals, size=number)) % individuals
    return po.read({"winner": [f"n{i}" for i in one], "loser": [f"n{i}" for i in other]})


@pytest.mark.parametrize(
    "settings",
    [
        {"k": 200},
        {"k": (150.0, 20.0), "curve": "exponential"},
        {"k": 30, "curve": "normal"},
        {"k": 30, "curve": "table"},
        {"k": 5000, "scale": 1.0},  # differences beyond what e to their power can hold
        {"k": 40, "burn_in": (10, 100.0)},
        {"k": 40, "start": {"n1": 1500}},
        {"preset": "FIDE"},
    ],
)
def test_many_at_once_and_one_by_one_give_the_same_bits(settings):
    data = random_contests(400, 12)
    whole = po.elo(data, **settings)
    names = data.individuals
    single, many = po.EloRater(names, **settings), po.EloRater(names, **settings)
    expected = [
        single.update(names[a], names[b]) for a, b in zip(data.winner, data.loser, strict=True)
    ]
    assert many.update_many(data).tolist() == expected
    assert single.ratings == many.ratings == {name: whole[name] for name in names}
    assert single.contests == many.contests == 400


@pytest.mark.parametrize("settings", [{"k": 200}, {"preset": "FIDE"}, {"entry": "mean"}])
def test_a_rater_continues_after_ratings(settings):
    data = random_contests(300, 8)
    first, second = data.filter(end=150), data.filter(start=151)
    whole = po.elo(data, **settings)
    rater = po.EloRater.from_ratings(po.elo(first, **settings))
    rater.update_many(second)
    assert rater.contests == 300
    assert rater.ratings == {name: whole[name] for name in rater.ratings}
    with pytest.raises(po.ArgumentTypeError, match="must be the result of peckorder.elo"):
        po.EloRater.from_ratings(po.dynamic(data.filter(end=30)))
    with pytest.raises(po.ArgumentError, match="on a column or on periods"):
        po.EloRater.from_ratings(po.elo(po.datasets.adv(), k_periods={"2010-01-15": 10}))
    with pytest.raises(po.ArgumentTypeError, match="what peckorder.read returns"):
        rater.update_many([("a", "b")])


def test_threads_share_a_rater():
    rater = po.EloRater([f"n{i}" for i in range(10)], k=10)

    def play(seed):
        rng = np.random.default_rng(seed)
        for _ in range(2000):
            one, other = rng.choice(10, 2, replace=False)
            rater.update(f"n{one}", f"n{other}")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=play, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert rater.contests == 8000
    assert sum(rater.ratings.values()) == pytest.approx(10_000, abs=1e-6)  # no update was lost


def test_newcomers_among_very_many_take_no_longer():
    """Their number must not matter; a hundred times more names, far less than ten times longer."""

    def seconds(number):
        start = {f"n{i}": 1000.0 + i for i in range(number)}
        rater = po.EloRater(start=start, k=20)
        began = time.process_time()
        for i in range(0, 2000, 2):
            rater.update(f"n{i}", f"n{i + 1}")
        return time.process_time() - began

    assert min(seconds(200_000) for _ in range(3)) < 10 * min(seconds(2000) for _ in range(3))


def test_newcomers_join_as_in_a_contest_with_all_its_details():
    """The quick way for two names and the way of contests with details agree."""
    quick, whole = (po.EloRater(k=100, start={"A": 1300, "C": 800}) for _ in range(2))
    for winner, loser in (("A", "B"), ("C", "A"), (" D", "B "), ("B", "E"), (7, "A")):
        assert quick.update(winner, loser) == whole.update(winner, loser, draw=False)
    assert quick.ratings == whole.ratings
    assert list(quick.ratings) == ["A", "B", "C", "D", "E", "7"]
    quick.leave("B")
    for winner, loser in (("new", "B"), ("new", "new"), ("new", " "), ("new", None)):
        with pytest.raises(po.PeckorderError):
            quick.update(winner, loser)
    assert "new" not in quick.ratings
    assert quick.contests == 5


def test_states_of_another_format_are_refused():
    saved = po.EloRater(["a"]).to_dict() | {"format": 7, "peckorder": "9.0"}
    with pytest.raises(po.DataError, match="format 7 by peckorder 9.0"):
        po.EloRater.from_dict(saved)


def test_probabilities_at_home_and_at_neutral_venues():
    rater = po.EloRater(k=20, home_advantage=100)
    rater.update("a", "b", home="a")
    plain = rater.probability("a", "b")
    games = po.elo(
        po.read({"home": ["a"], "away": ["b"], "home_goals": [1], "away_goals": [0]}),
        k=20,
        home_advantage=100,
    )
    assert rater.probability("a", "b", home="a") == games.probability("a", "b", home="a")
    assert rater.probability("a", "b", home="b") < plain < rater.probability("a", "b", home="a")
    assert rater.probability("a", "b", home="a", neutral=True) == plain
    with pytest.raises(po.ArgumentError, match='home must be "a" or "b"'):
        rater.probability("a", "b", home="c")
