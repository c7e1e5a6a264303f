"""Planning a study: targets, hours, pilots, encounters, errors."""

import numpy as np
import pytest

import peckorder as po
from peckorder.simulate.power import Assumed, crossing, monotone


def test_monotone_and_crossing_by_hand():
    assert monotone(np.array([0.1, 0.4, 0.2, 0.5])).tolist() == pytest.approx([0.1, 0.3, 0.3, 0.5])
    number = np.array([10.0, 20.0, 40.0])
    assert crossing(number, np.array([0.5, 0.7, 0.9]), 0.8) == pytest.approx(20 * 2**0.5)
    assert crossing(number, np.array([0.5, 0.7, 0.9]), 0.95) is None
    assert crossing(number, np.array([0.9, 0.95, 1.0]), 0.8) == 10.0


def test_h_improved_needs_what_theory_says():
    """With certain outcomes, h′ of 6 individuals is significant unless many dyads are unknown.

    A linear tournament has p = 0.022, so at most two or three of the 15 dyads may be: the number is
    between those after which 3 and 0 dyads have not met with probability 0.8 (coupon collecting).
    """
    random = np.random.default_rng(1)

    def number(unmet):
        for contests in range(15, 100):
            counts = random.multinomial(contests, np.full(15, 1 / 15), 2000)
            if ((counts == 0).sum(axis=1) <= unmet).mean() >= 0.8:
                return contests
        return 100

    found = po.power(6, 50.0, target="linearity", runs=60, seed=1)
    assert number(3) - 5 < found.contests < number(0) + 5
    again = po.power(6, 50.0, target="linearity", effort=[found.contests], runs=200, seed=2)
    assert again.table["reached"][0] == pytest.approx(0.8, abs=0.12)
    assert found.contests_se < found.contests / 3


@pytest.mark.parametrize("target", ["dyads", "steepness"])
def test_the_number_found_meets_the_target(target):
    found = po.power(6, 2.0, target=target, goal=0.85, within=0.2, rate=5.0, runs=20, seed=1)
    assert found.hours == found.contests / 5
    again = po.power(
        6, 2.0, target=target, goal=0.85, within=0.2, effort=[found.contests], runs=40, seed=2
    )
    assert again.table["reached"][0] == pytest.approx(0.85, abs=0.17)


def test_steeper_groups_need_fewer_contests_and_unknown_dyads_more():
    numbers = [
        po.power(8, spread, target="dyads", goal=0.9, runs=30, seed=1).contests
        for spread in (1.0, 4.0)
    ]
    assert numbers[0] > 2 * numbers[1]
    gaps = po.power(8, 2.0, target="linearity", unknown=0.5, effort=[100], runs=40, seed=1)
    full = po.power(8, 2.0, target="linearity", effort=[100], runs=40, seed=1)
    assert gaps.table["reached"][0] < full.table["reached"][0]


def test_unknown_dyads_never_meet_and_all_stay_connected():
    plan = Assumed.of(6, 2.0, "grid", "equal", 0.5)
    data = plan.record(0, 1, 2000)[1]
    assert data.unknown_dyads().values["unknown"] == 8  # round(0.5 · 15)
    assert len(data.individuals) == 6


def test_a_pilot():
    pilot = po.simulate.hierarchy(6, 60, spread=2.0, seed=1)[1]
    found = po.power(pilot, target="dyads", goal=0.9, runs=30, seed=1)
    assert found.settings["pilot"]
    assert "posterior of the pilot" in found.summary[1]
    assert found.contests > 10
    flat = po.simulate.hierarchy(6, 60, spread=0.0, seed=2)[1]
    lost = po.power(flat, target="dyads", effort=[400], runs=30, seed=1)
    assert lost.contests is None
    assert "is not reached with 400 contests, the largest" in lost.summary[0]
    assert "there may be no ranks" in lost.summary[-1]


def test_power_without_a_target():
    found = po.power(8, 3, effort=[40, 160, 640], method="davids_score", runs=40, seed=1)
    error = found.table["rank_mae"].to_list()
    assert error == sorted(error, reverse=True)
    assert found.table["per_individual"].to_list() == [10, 40, 160]
    assert (found.table["rank_mae_se"] < 0.2).all()
    ml = po.power(
        6,
        1.5,
        effort=[60, 240],
        method="elo_ml",
        estimate="start",
        k=0,
        penalized=True,
        runs=15,
        seed=1,
    )
    width = ml.table["interval_width"].to_list()
    assert width[0] > 1.4 * width[1]
    uneven = po.power(8, 3, effort=[160], method="davids_score", meeting="by_rank", runs=40, seed=1)
    assert uneven.table["rank_mae"][0] > error[1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"effort": []}, "effort is empty"),
        ({"individuals": 1}, "at least 2"),
        ({"target": "rank"}, "Choose one of: dyads, steepness, linearity"),
        ({"goal": 0.9}, 'needs a target, such as target="dyads"'),
        ({"target": "dyads", "goal": 95}, "goal=95"),
        ({"target": "steepness", "within": 0}, "within=0"),
        ({"rate": -1}, "rate=-1"),
        ({"target": "linearity", "method": "elo"}, "method is for ranks"),
        ({"target": "steepness", "individuals": 2}, "at least 3 individuals"),
        ({"target": "linearity", "individuals": 5}, "h′ is never significant"),
        ({"target": "dyads", "spread": 0}, "equal individuals have no order"),
        ({"unknown": 1.5}, "give a share of dyads"),
        ({"unknown": 0.95}, "stay connected only if at most 0.80"),
        ({"unknown": 0.2, "meeting": "by_rank"}, 'needs meeting="equal"'),
        ({"individuals": po.datasets.adv(), "meeting": "equal"}, "cannot be combined with a pilot"),
    ],
)
def test_what_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        po.power(**arguments)


def test_a_path_is_to_be_read_first_and_a_pilot_of_ties_is_no_hierarchy():
    with pytest.raises(TypeError, match="a pilot that has been read"):
        po.power("pilot.csv")
    ties = po.read({"winner": list("abcdef"), "loser": list("bcdefa"), "draw": [True] * 6})
    assert po.power(ties, target="linearity", effort=[60], runs=10, seed=1).contests is None


def test_equal_individuals_have_no_correct_order_to_draw():
    found = po.power(5, 0, effort=[20, 40], runs=12, seed=1)
    assert "no dyad has a correct order" in found.summary[0]
    with pytest.raises(po.ArgumentError, match="Choose a spread above 0"):
        po.plot.power(found)
