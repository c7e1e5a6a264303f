"""What the screen Explore shows are the numbers of the library."""

import numpy as np
import pytest

import peckorder as po
from peckorder.app.explore import thinned
from peckorder.app.settings import Settings
from tests.app.visitor import MESSY, csv_of

ADV = po.datasets.adv()


def unpacked(answer, column):
    return answer["ranking"]["columns"][column]


def named(answer):
    return [answer["names"][place] for place in answer["ranking"]["who"]]


pytestmark = pytest.mark.filterwarnings("ignore::peckorder.errors.DataWarning")


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ({}, {"k": 100}),
        ({"k": 200}, {"k": 200}),
        ({"k": 50, "curve": "normal"}, {"k": 50, "curve": "normal"}),
        ({"start": 0, "curve": "exponential"}, {"start": 0, "curve": "exponential"}),
        ({"curve": "table", "k": 200}, {"curve": "table", "k": 200}),
    ],
)
def test_ranking_is_that_of_the_library(visitor, query, arguments):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], **query)
    table = po.elo(ADV, **arguments).table
    assert named(answer) == table["individual"].to_list()
    assert unpacked(answer, "rating") == pytest.approx(table["rating"].to_list(), abs=1e-9)
    assert visitor.json("/api/state", w=state["workspace"])["settings"]["k"] == 100


def test_the_example_of_albers_and_de_vries(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], k=200)
    found = dict(zip(named(answer), unpacked(answer, "rating"), strict=True))
    assert found["b"] == pytest.approx(1326.69, abs=0.005)
    assert found["c"] == pytest.approx(1188.12, abs=0.005)


def test_ranking_at_a_date(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], at="2010-01-15")
    table = po.elo(ADV, k=100).at("2010-01-15")
    assert unpacked(answer, "rating") == pytest.approx(table["rating"].to_list())
    early = visitor.json("/api/elo", w=state["workspace"], at="1999-01-01")
    assert early["ranking"]["length"] == 0


def test_lines_end_at_the_ratings(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], k=200)
    final = dict(zip(answer["ranking"]["who"], unpacked(answer, "rating"), strict=True))
    assert len(answer["lines"]) == 7
    for line in answer["lines"]:
        assert line["y"][-1] == pytest.approx(final[line["who"]], abs=0.006)
        assert (line["start"], len(line["t"])) == (1000, len(line["y"]))
        assert line["t"] == sorted(line["t"])
    assert sum(len(line["y"]) for line in answer["lines"]) == 66


def test_matrix_structure_and_window(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], **{"from": "2010-01-10"})
    part = ADV.filter(start="2010-01-10")
    matrix, names = part.matrix(), answer["names"]
    wins = {
        (matrix.individuals[i], matrix.individuals[j]): int(matrix.wins[i, j])
        for i, j in np.argwhere(matrix.wins)
    }
    cells = zip(*(answer["matrix"][part] for part in ("row", "column", "wins")), strict=True)
    assert {(names[i], names[j]): number for i, j, number in cells} == wins
    assert answer["window"]["contests"] == len(part)
    assert answer["structure"]["steepness"] == po.steepness(part, runs=1, seed=1).value
    assert answer["structure"]["linearity"] == po.linearity(part, runs=1, seed=1).value
    assert answer["ranking"]["columns"]["contests"] != []
    whole = visitor.json("/api/elo", w=state["workspace"])
    assert unpacked(answer, "rating") == unpacked(whole, "rating")


def test_accuracy_and_strip(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"])
    expected = po.evaluate(po.elo(ADV, k=100), runs=1).values["foresight"]
    assert answer["accuracy"]["log_loss"] == expected["log_loss"]
    assert answer["accuracy"]["correct"] == expected["correct"]
    assert sum(answer["strip"]["number"]) == 33
    assert len(answer["strip"]["edges"]) == len(answer["strip"]["number"]) + 1


def test_only_the_parts_that_are_asked_for(visitor):
    state = visitor.example()
    answer = visitor.json("/api/elo", w=state["workspace"], parts="ranking,lines")
    assert "ranking" in answer
    assert not {"matrix", "structure", "strip", "accuracy"} & set(answer)


def test_names_keep_their_place_when_k_moves(visitor):
    state = visitor.example()
    places = [visitor.json("/api/elo", w=state["workspace"], k=k)["names"] for k in (10, 100, 400)]
    assert places[0] == places[1] == places[2] == po.elo(ADV).table["individual"].to_list()


def test_groups_one_at_a_time(visitor):
    state = visitor.upload("winner,loser,group\na,b,N\nb,c,N\na,c,N\nx,y,S\ny,z,S\nx,z,S\n")
    north = visitor.json("/api/elo", w=state["workspace"])
    south = visitor.json("/api/elo", w=state["workspace"], group="S")
    assert (north["group"], named(north)) == ("N", ["a", "b", "c"])
    assert (south["group"], named(south)) == ("S", ["x", "y", "z"])


def test_data_without_an_order(visitor):
    state = visitor.example("bonobos")
    answer = visitor.json("/api/elo", w=state["workspace"])
    table = po.randomized_elo(po.datasets.bonobos(), k=100, runs=200, seed=1).table
    assert answer["method"] == "randomized_elo"
    assert unpacked(answer, "rating") == pytest.approx(table["rating"].to_list())
    assert "lines" not in answer
    assert "order" in visitor.json("/api/profile", w=state["workspace"])["why"]
    assert visitor.json("/api/steps", w=state["workspace"])["shuffled"]


def test_the_profile_of_k(visitor):
    state = visitor.example()
    found = visitor.json("/api/profile", w=state["workspace"])
    surface = po.likelihood_surface(ADV, over={"k": (0.0, 400.0)}, grid=81)
    assert found["best"] == surface.values["best"]["k"]
    assert found["k"][found["loss"].index(min(found["loss"]))] == found["best"]


def test_steps_are_the_history(visitor):
    state = visitor.example()
    found = visitor.json("/api/steps", w=state["workspace"], k=200, count=5, **{"from": 10})
    history = po.elo(ADV, k=200).history[10:15]
    assert found["expected"] == history["expected"].to_list()
    assert [found["names"][i] for i in found["winner"]] == history["winner"].to_list()
    assert [pair[0] for pair in found["after"]] == history["winner_after"].to_list()
    curve = found["curve"]
    nearest = int(np.argmin(np.abs(np.array(curve["difference"]) - found["difference"][0])))
    assert curve["expected"][nearest] == pytest.approx(found["expected"][0], abs=0.02)
    assert (found["total"], found["shuffled"]) == (33, False)


def test_home_advantage(visitor):
    state = visitor.example("season")
    assert state["home"]
    found = visitor.json("/api/elo", w=state["workspace"], home=30)
    data = po.read(str(visitor.app.workspaces.known[state["workspace"]].record.path))
    table = po.elo(data, k=100, home_advantage=30).table
    assert unpacked(found, "rating") == pytest.approx(table["rating"].to_list())


def test_rows_that_are_not_decided_are_said_with_every_picture(visitor):
    state = visitor.upload(MESSY)
    assert visitor.json("/api/elo", w=state["workspace"])["undecided"] == 3


@pytest.mark.parametrize("number", [3, 50, 401, 10_000])
def test_thinned_lines_keep_their_ends_and_extremes(number):
    values = np.random.default_rng(number).normal(size=number).cumsum()
    kept = thinned(values, 100)
    assert len(kept) <= max(100, min(number, 100))
    assert {0, number - 1, int(values.argmax()), int(values.argmin())} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()


def test_settings_as_arguments():
    assert Settings().elo(ADV) == {"k": 100}
    changed = Settings().with_changes({"k": "30", "home": 5, "start": 0, "from": "2010-01-02"})
    assert changed.elo(ADV) == {"k": 30, "start": 0}  # adv has no home sides
    assert changed.to_dict()["from"] == "2010-01-02"


def test_a_limiting_window_concerns_ratings_lines_profile_and_downloads(visitor):
    state = visitor.example("adv")
    where = {"w": state["workspace"], "from": "2010-01-10", "to": "2010-01-25"}
    part = ADV.filter(start="2010-01-10", end="2010-01-25")
    whole = visitor.json("/api/elo", **where)
    answer = visitor.json("/api/elo", **where, limited="true")
    assert answer["matrix"] == whole["matrix"]  # limited by the window anyway
    assert answer["names"] == whole["names"]  # colors stay
    assert len(answer["ranking"]["who"]) == len(part.individuals) <= len(whole["names"])
    assert answer["accuracy"]["contests"] == len(part) < whole["accuracy"]["contests"]
    assert all(line["start"] == 1000 for line in answer["lines"])
    profile = visitor.json("/api/profile", **where, limited="true")
    assert profile["contests"] == len(part)
    changes = {"from": where["from"], "to": where["to"], "limited": True}
    state = visitor.changed(state, "/api/settings", set=changes)
    table = csv_of(visitor.get("/take/table/ratings.csv", w=state["workspace"]).text)
    expected = po.elo(part).table
    assert table["individual"].to_list() == expected["individual"].to_list()
    note = visitor.json("/api/take", w=state["workspace"])["report"]["note"]
    assert "the limit of ratings to the window" in note


def test_a_limit_without_a_window_and_with_an_empty_one(visitor):
    state = visitor.example("adv")
    plain = visitor.json("/api/elo", w=state["workspace"])
    limited = visitor.json("/api/elo", w=state["workspace"], limited="true")
    assert limited["ranking"] == plain["ranking"]
    empty = {"from": "2011-01-10", "to": "2011-01-25", "limited": "true"}
    answer = visitor.get("/api/elo", w=state["workspace"], **empty)
    assert answer.status_code == 422
    assert "No contest meets these conditions" in answer.json()["error"]
    assert visitor.get("/api/elo", w=state["workspace"], limited="maybe").status_code == 422


EDGES = {
    "one contest": ("date,winner,loser\n2020-01-01,a,b\n", "one contest"),
    "ties": ("winner,loser,tie\na,b,1\nb,c,1\na,c,1\n", "ties: without a winner"),
    "two": ("date,winner,loser\n2020-01-01,a,b\n2020-01-02,b,a\n2020-01-03,a,b\n", ""),
}


@pytest.mark.parametrize("edge", EDGES)
def test_each_panel_says_in_its_own_place_what_it_cannot_show(visitor, edge):
    text, why = EDGES[edge]
    w = visitor.upload(text)["workspace"]
    found = visitor.json("/api/elo", w=w)
    assert why in found["ranking"].get("why", "")
    certainty = visitor.json("/api/certainty", w=w)
    assert ("why" in found["ranking"]) == ("why" in certainty) == bool(why)
    assert found["structure"]["why"]
    assert found["matrix"]["who"]
    assert "=" not in str([part.get("why") for part in found.values() if isinstance(part, dict)])
    assert visitor.get("/api/profile", w=w).status_code == 200
    assert visitor.get("/take/table/left.csv", w=w).text == "row,reason\n"


def test_the_first_ranking_has_intervals(visitor):
    w = visitor.example()["workspace"]
    found, names = visitor.json("/api/certainty", w=w), visitor.json("/api/elo", w=w)["names"]
    table = po.dynamic(po.datasets.adv(), seed=1).as_polars()
    assert [names[i] for i in found["who"]] == table["individual"].to_list()
    assert found["low"] == table["rank_low"].to_list()
    assert found["high"] == table["rank_high"].to_list()


def test_all_groups_at_once(visitor):
    state = visitor.upload("winner,loser,group\na,b,N\nb,c,N\na,c,N\nx,y,S\n")
    north, south = visitor.json("/api/groups", w=state["workspace"])["groups"]
    assert (north["group"], north["contests"], len(north["ranks"]["who"])) == ("N", 3, 3)
    assert south["ranks"]["why"].startswith("There is one contest")
