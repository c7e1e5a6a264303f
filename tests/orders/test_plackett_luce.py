"""Contests of any number of sides: reading, estimates, probabilities."""

import itertools
import math

import numpy as np
import pytest

import peckorder as po
from peckorder.errors import ArgumentError, DataError
from peckorder.kernels.many_sides import backward
from peckorder.orders.plackett_luce import _arrays, _Problem

plackett_luce, read_fields, Fields = po.sport.plackett_luce, po.sport.read_fields, po.sport.Fields

# Example of the R package PlackettLuce: four fruits' rankings, some with ties and some partial.
FRUITS = ("apple", "banana", "orange")
RANKINGS = ((1, 2, None), (3, 1, 2), (2, 1, 1), (1, 2, 3), (2, 1, 1), (1, None, 2))


def fruits(ghost: bool = False):
    rows = [
        (race, name, place, 1.0)
        for race, places in enumerate(RANKINGS)
        for name, place in zip(FRUITS, places, strict=True)
        if place
    ]
    if ghost:  # half a win and half a loss of each against a hypothetical item
        race = itertools.count(len(RANKINGS))
        for name in FRUITS:
            for order in ((name, "ghost"), ("ghost", name)):
                number = next(race)
                rows += [(number, one, place, 0.5) for place, one in enumerate(order, 1)]
    columns = dict(zip(("race", "name", "place", "weight"), zip(*rows, strict=True), strict=True))
    return read_fields({key: list(values) for key, values in columns.items()}, weight="weight")


def relative(fit):
    place = [fit.individuals.index(name) for name in FRUITS]
    return (fit.ability[place] - fit.ability[place[0]]).tolist()


def test_the_numbers_of_the_r_package():
    fit = plackett_luce(fruits())
    assert -2 * fit.log_likelihood == pytest.approx(21.449076, abs=1e-6)
    assert relative(fit) == pytest.approx([0, 0.344049, -0.555564], abs=1e-6)
    assert math.log(fit.delta[2]) == pytest.approx(-0.734645, abs=1e-6)
    fit = plackett_luce(fruits(ghost=True))
    assert relative(fit) == pytest.approx([0, 0.2867987, -0.4636687], abs=1e-7)
    assert math.log(fit.delta[2]) == pytest.approx(-1.0701129, abs=1e-7)


def test_duels_are_bradley_and_terrys():
    data = po.datasets.adv()
    name = data.individuals
    duels = [[name[a], name[b]] for a, b in zip(data.winner, data.loser, strict=True)]
    duels += [[["a", "b"]], [["c", "d"]], [["e", "f"]]]
    won, lost, tied = zip(
        *((*one, "") if len(one) == 2 else (*one[0], "yes") for one in duels), strict=True
    )
    board = po.bradley_terry(
        po.read({"winner": won, "loser": lost, "tie": tied}), penalized=True, prior_sd=2.0
    )
    fit = plackett_luce(duels, prior_sd=2.0)
    assert list(fit) == list(board)
    table, other = fit.as_polars(), board.as_polars()
    assert table["ability"].to_list() == pytest.approx(other["ability"].to_list(), abs=1e-12)
    se = other[next(column for column in other.columns if column.endswith("se"))]
    assert table["ability_se"].to_list() == pytest.approx(se.to_list(), abs=1e-12)
    assert fit.nu == pytest.approx(board.nu, abs=1e-12)
    assert fit.log_likelihood == pytest.approx(board.log_likelihood, abs=1e-12)


def plain_log_likelihood(contests, ability, delta):
    """Every set of sides of every size that ties may have, one by one."""
    total = 0.0
    for places in contests:
        left = [side for place in places for side in place]
        for place in places:
            if len(left) == 1:
                break
            worth = {
                chosen: delta.get(size, 1.0 if size == 1 else 0.0)
                * math.exp(sum(sum(ability[m] for m in left[i]) for i in chosen) / size)
                for size in range(1, 5)
                for chosen in itertools.combinations(range(len(left)), size)
            }
            own = tuple(i for i, side in enumerate(left) if side in place)
            total += math.log(worth[own] / sum(worth.values()))
            left = [side for side in left if side not in place]
    return total


def teams(random, number=12):
    """Contests of three to five sides of one to three members, with ties of two and three."""
    out = []
    for _ in range(number):
        who = list(random.permutation([f"m{i}" for i in range(12)]))
        sides = [tuple(who.pop() for _ in range(random.integers(1, 4))) for _ in range(4)]
        cut = int(random.integers(0, 3))
        out.append([[sides[0]], [sides[1]], [sides[2], sides[3]]])
        if cut == 1:
            out[-1] = [[sides[0], sides[1], sides[2]], [sides[3]]]
        if cut == 2:
            out[-1] = [[side] for side in sides]
    return out


def test_likelihood_and_derivatives_against_enumeration_and_differences():
    random = np.random.default_rng(3)
    contests = teams(random)
    fields = Fields.of(contests)
    problem = _Problem(fields, _arrays(fields, "sum", None, []))
    assert fields.tie_sizes.tolist() == [2, 3]
    x = random.normal(size=len(fields.individuals) + 2) / 2
    value, gradient, hessian, scores = problem.evaluate(x, scored=True)
    ability = dict(zip(fields.individuals, x, strict=False))
    delta = {1: 1.0, 2: math.exp(x[-2]), 3: math.exp(x[-1])}
    assert value == pytest.approx(plain_log_likelihood(contests, ability, delta), abs=1e-10)
    assert scores.sum(axis=0) == pytest.approx(gradient, abs=1e-12)
    for i in range(len(x)):
        step = np.zeros(len(x))
        step[i] = 1e-5
        up, down = problem.evaluate(x + step), problem.evaluate(x - step)
        assert gradient[i] == pytest.approx((up[0] - down[0]) / 2e-5, abs=1e-6)
        assert -hessian[i] == pytest.approx((up[1] - down[1]) / 2e-5, abs=1e-6)


def test_places_from_the_last_are_negative_strengths_in_reverse():
    races = [list(row) for row in ("abcd", "badc", "acbd", "dcab", "cabd")]
    fit = plackett_luce(races, fill="last")
    turned = plackett_luce([race[::-1] for race in races])
    mirrored = [turned.individuals.index(name) for name in fit.individuals]
    assert fit.ability.tolist() == pytest.approx((-turned.ability[mirrored]).tolist(), abs=1e-9)
    assert fit.log_likelihood == pytest.approx(turned.log_likelihood, abs=1e-9)
    assert fit.log_likelihood_other == pytest.approx(plackett_luce(races).log_likelihood, abs=1e-9)
    fields = Fields.of(races)
    arrays = _arrays(fields, "sum", None, [])
    again = backward(backward(arrays))
    assert again.member.tolist() == arrays.member.tolist()


def test_weights_count_contests():
    races = [list("abc"), list("bca"), list("acb"), list("cab")]
    entries = [
        (i, n, p + 1, 2.0 if i < 2 else 1.0) for i, r in enumerate(races) for p, n in enumerate(r)
    ]
    columns = dict(
        zip(("race", "name", "place", "weight"), map(list, zip(*entries, strict=True)), strict=True)
    )
    weighted = plackett_luce(read_fields(columns, weight="weight"))
    doubled = plackett_luce([*races, *races[:2]])
    assert weighted.ability.tolist() == pytest.approx(doubled.ability.tolist(), abs=1e-9)


def test_places_are_averages_over_orders():
    fit = plackett_luce([list("abc"), list("bca"), list("acb"), list("cab")], prior_sd=1.0)
    table = fit.places(["a", "b", "c"])
    for column in ("p_1", "p_2", "p_3"):
        assert table[column].sum() == pytest.approx(1)
    assert table.select("p_1", "p_2", "p_3").sum_horizontal().to_list() == pytest.approx([1] * 3)
    pair = fit.places(["a", "b"])
    assert pair["p_1"][0] == pytest.approx(fit.probability("a", "b"), abs=0.01)


def test_probabilities_of_pairs_agree_with_samples():
    fit = plackett_luce([list("abcd"), list("badc"), list("acbd"), list("dcab"), list("cabd")])
    root = np.linalg.cholesky(fit.spread + 1e-9 * np.eye(4))
    drawn = fit.ability + np.random.default_rng(1).normal(size=(200_000, 4)) @ root.T
    a, d = fit.individuals.index("a"), fit.individuals.index("d")
    ahead = drawn[:, a] - drawn[:, d]
    assert fit.outranks("a", "d") == pytest.approx((ahead > 0).mean(), abs=0.005)
    assert fit.probability("a", "d") == pytest.approx((1 / (1 + np.exp(-ahead))).mean(), abs=0.003)
    both = fit.probability("a", "d") + fit.probability("d", "a")
    assert both == pytest.approx(1)
    table = fit.rank_intervals()
    assert (table["rank_low"] <= table["rank"]).all()
    assert (table["rank"] <= table["rank_high"]).all()


@pytest.mark.slow
def test_intervals_hold_the_truth():
    random, inside = np.random.default_rng(5), []
    for _ in range(40):
        ability = random.normal(size=12)
        races = []
        for _ in range(60):
            who = random.permutation(12)[:6]
            noisy = ability[who] + random.gumbel(size=6)
            races.append([str(i) for i in who[np.argsort(-noisy)]])
        fit = plackett_luce(races)
        truth = ability[[int(name) for name in fit.individuals]]
        error = (fit.ability - (truth - truth.mean())) / fit.errors
        inside.append(np.mean(np.abs(error) < 1.96))
    assert 0.92 < np.mean(inside) < 0.975


def test_what_always_plays_together_is_said():
    doubles = {"winner": ["A & B", "C & D", "A & B"], "loser": ["C & D", "A & B", "C & D"]}
    fit = plackett_luce(read_fields(doubles), penalized=False)
    assert fit.unidentified == 2
    assert "cannot be estimated" in " ".join(fit.summary)
    assert plackett_luce(doubles).settings["penalized"]


LONG = {
    "race": ["x"] * 3 + ["y"] * 3,
    "driver": list("abcbca"),
    "position": ["1", "2", "DNF", "1", "2", "3"],
}


@pytest.mark.parametrize(
    ("source", "more", "words"),
    [
        (LONG, {}, ['"DNF"', 'unplaced="below"', "Position 2"]),
        (LONG | {"driver": list("abaaab")}, {"unplaced": "below"}, ['"a"', "contest x"]),
        (LONG | {"position": list("112123")}, {"ties": "refuse"}, ["share one place", "ties="]),
        (
            {"race": ["x"] * 6, "driver": list("abcdef"), "position": list("122222")},
            {},
            ["order was not recorded"],
        ),
        ({"winner": ["A & B"], "loser": ["A & C"]}, {}, ["on both sides", '"A"']),
        ({"order": ["A > > B"]}, {}, ["missing"]),
        ({"x": ["a"], "loser": ["b"]}, {}, ["Columns found", "position"]),
        (LONG | {"race": ["x"] * 5 + ["y"]}, {"unplaced": "below"}, ["twice"]),
        (
            LONG | {"position": list("123123"), "w": ["1", "1", "1", "-2", "-2", "-2"]},
            {"weight": "w"},
            ["0 or more", "Positions 3, 4 and 5"],
        ),
        (
            {"race": ["x", "x", "y"], "driver": list("aba"), "position": list("121")},
            {},
            ["one side"],
        ),
    ],
)
def test_what_is_refused(source, more, words):
    with pytest.raises(DataError) as caught:
        read_fields(source, **more)
    for word in words:
        assert word in str(caught.value)


def test_remedies_work():
    below = read_fields(LONG, unplaced="below")
    assert below.recorded.tolist() == [2, 3]
    assert read_fields(LONG, unplaced={"DNF": "drop"}).sides.tolist() == [2, 3]
    with pytest.raises(DataError, match="fill"):
        plackett_luce(below, fill="last")
    with pytest.raises(DataError, match="penalized"):
        plackett_luce([["a", "b"], ["b", "c"]])
    assert list(plackett_luce([["a", "b"], ["b", "c"]], penalized=True)) == ["a", "b", "c"]
    with pytest.raises(ArgumentError, match="no contest"):
        plackett_luce([["a", "b"], ["b", "a"]]).places(["a", "z"])


def test_at_the_shell(inside, sheet):
    path = sheet(
        "race,driver,position\n1,Ada,1\n1,Bo,2\n1,Cy,3\n2,Bo,1\n2,Cy,2\n2,Ada,3\n3,Cy,1\n3,Ada,2\n"
    )
    done = inside("plackett-luce", str(path), "--fill", "last", "--format", "csv")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("individual,ability,ability_se")


def test_verbs_for_two_sides_refuse_races_and_name_what_takes_them():
    races = {"race": [1, 1, 1, 2, 2, 2], "driver": list("abcbac"), "position": [1, 2, 3] * 2}
    fields = po.sport.read_fields(races)
    for verb in (
        "davids_score",
        "isi",
        "linearity",
        "steepness",
        "elo",
        "bradley_terry",
        "dynamic",
    ):
        with pytest.raises(po.ArgumentTypeError, match="contests of 3 sides.*plackett_luce"):
            getattr(po, verb)(fields)
    with pytest.raises(po.DataError, match='"race", "driver", "position".*read_fields'):
        po.read(races)
    with pytest.raises(po.DataError, match='"order".*read_fields'):
        po.read({"order": ["A > B = C > D", "B > A > D > C"]})
    board = po.sport.plackett_luce(fields, penalized=True)
    with pytest.raises(po.ArgumentTypeError, match="predict.*chance of each place"):
        po.calibration(board)


def test_doubles_read_as_one_individual_are_noted():
    data = po.read({"winner": ["A & B", "C & D"], "loser": ["C & D", "A & B"]})
    assert "for sides of two, such as doubles, peckorder.sport.read_fields" in " ".join(
        data.report.notes
    )


@pytest.mark.parametrize("sign", [" & ", ", ", "; ", " + ", " and "])
def test_doubles_are_never_individuals_called_by_two_names(sign):
    doubles = {
        side: [sign.join(pair.split()) for pair in pairs]
        for side, pairs in {
            "winner": ["A B", "C D", "B E"],
            "loser": ["C D", "A E", "C A"],
        }.items()
    }
    with pytest.raises(po.DataError, match="as in doubles: .*sport.read_fields.*polyadic"):
        po.read(doubles)
    kept = po.read(doubles, polyadic="keep")
    assert len(kept.individuals) == 5
    assert "each pair of a winner" in " ".join(po.read(doubles, polyadic="dyads").report.notes)
    if sign != " & ":
        with pytest.raises(po.DataError, match="Several individuals in one name: .*members"):
            read_fields(doubles)
        assert len(read_fields(doubles, members="").individuals) == 5
    fields = read_fields(doubles, members=sign.strip() if sign.strip() != "and" else sign)
    assert sorted(fields.individuals) == list("ABCDE")
    assert fields.sides.tolist() == [2, 2, 2]


def test_names_with_a_comma_are_those_of_individuals():
    people = {
        "winner": ["Smith, John", "Smith, Ann", "Doe, Jane"],
        "loser": ["Doe, Jane", "Smith, John", "Smith, Ann"],
    }
    assert len(po.read(people).individuals) == 3
    assert len(read_fields(people).individuals) == 3


@pytest.mark.parametrize("weights", [[1, -2], ["1", "x"], [1, float("nan")], [0, 0]])
def test_weights_that_are_none_are_refused(weights):
    table = {"order": ["A > B", "B > A"], "w": weights}
    with pytest.raises(DataError, match='numbers of 0 or more|All weights in column "w" are 0'):
        read_fields(table, weight="w")
