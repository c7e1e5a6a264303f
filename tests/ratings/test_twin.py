"""The compiled recursion against its plain-Python twin, and properties of the mathematics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.examples import examples
from tests.twin import Contest, Stint, rate

pytestmark = pytest.mark.usefixtures("both_ways")
NAMES = list("abcdef")


@st.composite
def contests(draw, smallest=1, largest=60):
    """Rows (winner, loser, draw) among up to six individuals."""
    size = draw(st.integers(smallest, largest))
    pair = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
    pairs = draw(st.lists(pair, min_size=size, max_size=size))
    drawn = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return [(one, other, tie) for (one, other), tie in zip(pairs, drawn, strict=True)]


def table(rows, **more):
    winner, loser, drawn = zip(*rows, strict=True)
    return {"winner": winner, "loser": loser, "draw": drawn, **more}


CURVES = [("logistic", 400.0), ("logistic", 1000.0), ("exponential", 0.01), ("normal", 300.0)]
PARAMETER = {"logistic": "scale", "exponential": "delta", "normal": "sd"}


@given(
    contests(),
    st.sampled_from([*CURVES, ("table", None)]),
    st.one_of(st.floats(0, 400), st.tuples(st.floats(0, 400), st.floats(0, 400))),
    st.sampled_from(["start", "mean", "bottom", "bottom_low"]),
)
def test_kernel_and_twin_agree(rows, curve, k, entry):
    name, parameter = curve
    shape = {} if parameter is None else {PARAMETER[name]: parameter}
    ours = po.elo(po.read(table(rows)), k=k, curve=name, entry=entry, **shape)
    plain = [Contest(one, other, draw=tie, k=k) for one, other, tie in rows]
    theirs, course = rate(plain, curve=name, parameter=parameter, entry=entry)
    assert dict(ours.items()) == pytest.approx(theirs, abs=1e-8)
    for row, step in zip(ours.history.iter_rows(named=True), course, strict=True):
        for key, value in step.items():
            assert row[key] == pytest.approx(value, abs=1e-8)


@given(contests(), st.sampled_from(["mean", "bottom", "bottom_low"]))
def test_rounded_kernel_and_twin_agree(rows, entry):
    ours = po.elo(po.read(table(rows)), preset="EloRating", entry=entry)
    plain = [Contest(one, other, draw=tie) for one, other, tie in rows]
    theirs, _ = rate(plain, curve="normal", entry=entry, rounded=True, entry_from="seen")
    assert dict(ours.items()) == theirs


@given(contests(), st.integers(0, 2**32 - 1))
def test_points_and_home_kernel_and_twin_agree(rows, seed):
    random = np.random.default_rng(seed)
    points = random.integers(0, 5, (len(rows), 2))
    neutral = random.random(len(rows)) < 0.3
    games = {
        "home": [row[0] for row in rows],
        "away": [row[1] for row in rows],
        "home_points": points[:, 0],
        "away_points": points[:, 1],
        "neutral": neutral,
    }
    plain = []
    for (home, away, _), (own, other), away_from_home in zip(rows, points, neutral, strict=True):
        side = 0 if away_from_home else 1
        if own >= other:
            plain.append(
                Contest(home, away, draw=bool(own == other), points=(own, other), home=side)
            )
        else:
            plain.append(Contest(away, home, points=(other, own), home=-side))
    for outcome in ("win", "points"):
        for in_update in (False, True):
            choice = {"outcome": outcome, "home_advantage": 40.0, "home_in_update": in_update}
            ours = po.elo(po.read(games), **choice)
            theirs, course = rate(plain, **choice)
            assert dict(ours.items()) == pytest.approx(theirs, abs=1e-8)
            expected = [step["expected"] for step in course]
            assert ours.history["expected"].to_list() == pytest.approx(expected, abs=1e-12)


@given(contests(smallest=2), st.floats(0, 1), st.integers(0, 2**32 - 1), st.booleans())
def test_seasons_and_batches_kernel_and_twin_agree(rows, carry_over, seed, batch):
    random = np.random.default_rng(seed)
    days = np.sort(random.integers(0, 12, len(rows)))
    seasons = [f"s{day // 5}" for day in days]
    data = po.read(table(rows, date=days.astype(float), season=seasons))
    ours = po.elo(data, carry_over=carry_over, period="date" if batch else None)
    plain = [
        Contest(one, other, float(day), tie, season=season, period=day)
        for (one, other, tie), day, season in zip(rows, days, seasons, strict=True)
    ]
    theirs, _ = rate(plain, carry_over=carry_over, batch=batch)
    assert dict(ours.items()) == pytest.approx(theirs, abs=1e-8)


@given(contests(smallest=5), st.integers(0, 2**32 - 1))
def test_fide_kernel_and_twin_agree(rows, seed):
    rows = rows * 8  # enough for an individual to exceed 30 contests
    starts = dict(zip(NAMES, np.random.default_rng(seed).normal(2390, 30, 6), strict=True))
    ours = po.elo(po.read(table(rows)), k="fide", start=starts)
    plain = [Contest(one, other, draw=tie) for one, other, tie in rows]
    theirs, _ = rate(plain, start=starts, fide=(25, 15, 10))
    seen = {name: theirs[name] for name in ours}
    assert dict(ours.items()) == pytest.approx(seen, abs=1e-8)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["start", "mean", "bottom", "bottom_low"]),
    st.sampled_from([None, "EloRating"]),
    st.sampled_from([None, 0.6]),
)
@examples(200)
def test_presence_kernel_and_twin_agree(seed, entry, preset, carry_over):
    """Random stints, several per individual; contests only between those present."""
    random = np.random.default_rng(seed)
    stints = []
    for name in NAMES:
        begin = 0
        for _ in range(random.integers(1, 4)):
            begin += int(random.integers(0, 12))
            end = begin + int(random.integers(0, 15))
            stints.append(Stint(name, begin, end))
            begin = end + 2
    plain = []
    for day in range(30):
        there = [s.name for s in stints if s.start <= day <= s.end]
        for _ in range(random.integers(0, 3) if len(there) > 1 else 0):
            one, other = random.choice(there, 2, replace=False)
            tie = bool(random.random() < 0.2)
            plain.append(Contest(str(one), str(other), float(day), tie, season=f"s{day // 10}"))
    involved = {name for c in plain for name in (c.winner, c.loser)}
    if not plain:
        return
    stints = [s for s in stints if s.name in involved]
    rows = [(c.winner, c.loser, c.draw) for c in plain]
    more = {"date": [c.time for c in plain], "season": [c.season for c in plain]}
    presence = {
        "individual": [s.name for s in stints],
        "start": [float(s.start) for s in stints],
        "end": [float(s.end) for s in stints],
    }
    data = po.read(table(rows, **more), presence=presence)
    ours = po.elo(data, entry=entry, preset=preset, carry_over=carry_over)
    rounded = preset == "EloRating"
    theirs, course = rate(
        plain,
        stints=stints,
        entry=entry,
        carry_over=carry_over,
        curve="normal" if rounded else "logistic",
        rounded=rounded,
        entry_from="seen" if rounded else "present",
    )
    assert dict(ours.items()) == pytest.approx({n: theirs[n] for n in involved}, abs=1e-8)
    expected = [step["expected"] for step in course]
    assert ours.history["expected"].to_list() == pytest.approx(expected, abs=1e-10)


@given(contests(), st.sampled_from(CURVES))
def test_sum_is_conserved(rows, curve):
    data = po.read(table(rows))
    ratings = po.elo(data, curve=curve[0], **{PARAMETER[curve[0]]: curve[1]})
    assert ratings.rating.sum() == pytest.approx(1000 * len(data.individuals), abs=1e-7)


@given(contests(), st.permutations(NAMES))
def test_relabelling_permutes(rows, names):
    other = dict(zip(NAMES, names, strict=True))
    ours = dict(po.elo(po.read(table(rows))).items())
    theirs = dict(po.elo(po.read(table([(other[a], other[b], t) for a, b, t in rows]))).items())
    assert theirs == {other[name]: rating for name, rating in ours.items()}


@given(contests(), st.sampled_from(["logistic", "normal", "table"]))
def test_reversing_outcomes_reverses_ratings(rows, curve):
    ours = dict(po.elo(po.read(table(rows)), curve=curve, start=0).items())
    back = dict(
        po.elo(po.read(table([(b, a, t) for a, b, t in rows])), curve=curve, start=0).items()
    )
    assert back == pytest.approx({name: -rating for name, rating in ours.items()}, abs=1e-8)


@given(contests(smallest=2), st.data())
def test_rater_is_elo_to_the_last_bit_and_resumes_anywhere(rows, data):
    settings = {"k": (90.0, 70.0), "curve": "normal", "burn_in": (5, 40.0)}
    whole = po.elo(po.read(table(rows)), **settings)
    cut = data.draw(st.integers(0, len(rows)))
    rater = po.EloRater(**settings)
    expected = [rater.update(one, other, draw=tie) for one, other, tie in rows[:cut]]
    rater = po.EloRater.from_dict(rater.to_dict())
    expected += [rater.update(one, other, draw=tie) for one, other, tie in rows[cut:]]
    assert rater.ratings == {name: whole[name] for name in whole.individuals}
    assert expected == whole.history["expected"].to_list()
