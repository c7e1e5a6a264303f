"""Tours end on what the papers printed."""

import pytest

import peckorder as po
from peckorder.app.tours import TOURS


@pytest.mark.parametrize("name", TOURS)
def test_a_tour_leads_through_its_contests(visitor, name):
    state = visitor.example(name)
    tour = visitor.json(f"/api/tour/{name}", w=state["workspace"])
    stops = [number for number, _ in tour["stops"]]
    assert stops[0] == 1
    assert stops == sorted(stops)
    assert stops[-1] == state["contests"]
    given = {k: v for k, v in tour["settings"].items() if v is not None and k != "groups"}
    steps = visitor.json("/api/steps", w=state["workspace"], count=2_000, **given)
    assert len(steps["winner"]) == state["contests"]
    assert tour["ending"]["rows"]


def test_the_second_and_the_24th_contest_of_albers_and_de_vries(visitor):
    """c beats g: a large change in the second contest, a small one in the 24th."""
    state = visitor.example("adv")
    steps = visitor.json("/api/steps", w=state["workspace"], k=200, curve="table")
    for number, moved in ((2, 128), (24, 8)):
        before, after = steps["before"][number - 1][0], steps["after"][number - 1][0]
        assert after - before == pytest.approx(moved)
        sides = {steps["names"][steps[side][number - 1]] for side in ("winner", "loser")}
        assert sides == {"c", "g"}
    tour = visitor.json("/api/tour/adv", w=state["workspace"])
    assert [row[0] for row in tour["ending"]["rows"]] == [row[0] for row in tour["ending"]["paper"]]


def test_the_bonobos_end_on_the_printed_table(visitor, papers):
    state = visitor.example("bonobos")
    ending = visitor.json("/api/tour/bonobos", w=state["workspace"])["ending"]
    printed = papers["bonobo"]
    expected = [
        [name, round(value, 2)]
        for name, value in zip(printed["ids"], printed["D"]["NormDS"], strict=True)
    ]
    assert ending["paper"] == expected
    assert ending["rows"] == expected


def test_the_takeover_is_seen_by_elo(visitor):
    state = visitor.example("takeover")
    ending = visitor.json("/api/tour/takeover", w=state["workspace"])["ending"]
    assert ending["more"][0]["rows"][0][0] == "Nico"
    data = po.read(str(visitor.app.workspaces.known[state["workspace"]].record.path))
    assert str(data.date[data.winner == data.code("Nico")].min())[:10] == "2021-04-10"


def test_a_tour_that_is_not_there(visitor):
    state = visitor.example()
    assert visitor.get("/api/tour/nothing", w=state["workspace"]).status_code == 422


def test_the_takeover_ends_on_the_ranges_of_table_1(visitor):
    state = visitor.example("takeover")
    ending = visitor.json("/api/tour/takeover", w=state["workspace"])["ending"]
    assert ending["paper"] == [["20", "1,322"], ["100", "3,758"], ["200", "5,592"]]
    for (k, mean, sd), (printed_k, printed) in zip(ending["rows"], ending["paper"], strict=True):
        assert k == printed_k
        mean, sd, printed = (float(text.replace(",", "")) for text in (mean, sd, printed))
        assert abs(mean - printed) <= 2 * sd
    ranks = {row[0]: row[2:] for row in ending["more"][0]["rows"]}
    assert ranks["Nico"][0] == 1
    assert any(by_elo != by_matrix for by_elo, by_matrix in ranks.values())


def test_the_season_ends_on_the_line_of_langville_and_meyer(visitor, papers):
    state = visitor.example("season")
    ending = visitor.json("/api/tour/season", w=state["workspace"])["ending"]
    data = po.read(str(visitor.app.workspaces.known[state["workspace"]].record.path))
    line = po.sport.win_share(po.elo(data, k=32, scale=1000, start=0))
    ours, theirs = dict(ending["rows"]), dict(ending["paper"])
    assert list(ours) == list(theirs)
    what = "Correlation with the proportion of wins"
    assert ours[what] == f"{line.correlation:.4g}"
    assert float(theirs[what]) == round(papers["nfl"]["regression"]["R"], 4)
    highest = ending["more"][0]["rows"]
    assert highest[0] == ["Saints", "173.66"]
    assert len(highest) == 8
