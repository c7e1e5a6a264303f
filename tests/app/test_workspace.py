"""Workspaces: decisions, settings, undo, and changes on an older state."""

from pathlib import Path

import pytest

import peckorder as po
from tests.app.visitor import MESSY
from tests.data.test_presence_sheet import book


def test_the_state_of_an_example(visitor):
    state = visitor.example()
    assert (state["contests"], state["individuals"], state["rev"]) == (33, 7, 0)
    assert state["span"] == ["2010-01-01", "2010-02-02"]
    assert state["hash"] == po.datasets.adv().hash
    assert (state["open"], state["undecided"], state["undo"]) == (0, 0, None)
    roles = {column["name"]: column["role"] for column in state["reading"]["columns"]}
    assert roles == {"Date": "date", "Time": "time", "winner": "winner", "loser": "loser"}


def test_undecided_rows_are_counted(visitor):
    state = visitor.upload(MESSY)
    assert (state["undecided"], state["contests"]) == (3, 7)
    assert state["code"]["note"].startswith("Provisional, not decided: missing")
    state = visitor.changed(state, set={"missing": "drop"}, label="Left out")
    assert (state["undecided"], state["undo"]) == (2, "Left out")
    state = visitor.changed(state, accept=True)
    assert (state["undecided"], state["open"], state["contests"]) == (0, 0, 8)
    assert state["undo"] == "Accepted all suggestions"


def test_undo_and_redo(visitor):
    first = visitor.upload(MESSY)
    w = {"w": first["workspace"]}
    second = visitor.changed(first, set={"names": {"abby": "Abby"}}, label="Joined abby with Abby")
    third = visitor.changed(second, "/api/settings", set={"k": 50}, label="k = 50")
    assert third["settings"]["k"] == 50
    back = visitor.client.post("/api/undo", params=w, json={"rev": third["rev"]}).json()
    assert (back["label"], back["settings"]["k"], back["redo"]) == ("k = 50", 100, "k = 50")
    back = visitor.client.post("/api/undo", params=w, json={"rev": back["rev"]}).json()
    assert (back["hash"], back["undo"]) == (first["hash"], None)
    empty = visitor.client.post("/api/undo", params=w, json={"rev": back["rev"]})
    assert empty.status_code == 409
    again = visitor.client.post("/api/redo", params=w, json={"rev": back["rev"]}).json()
    assert (again["hash"], again["rev"]) == (second["hash"], 5)
    fresh = visitor.changed(again, "/api/settings", set={"k": 9})
    assert fresh["redo"] is None


def test_a_change_on_an_older_state_is_refused(visitor):
    state = visitor.example()
    visitor.changed(state, "/api/settings", set={"k": 50})
    answer = visitor.change(state, "/api/settings", set={"k": 60})
    assert (answer.status_code, answer.json()["rev"]) == (409, 1)
    assert visitor.json("/api/state", w=state["workspace"])["settings"]["k"] == 50


def test_a_failed_change_changes_nothing(visitor):
    state = visitor.example()
    assert visitor.change(state, set={"header": "x"}).status_code == 422
    assert visitor.change(state, "/api/settings", set={"k": "x"}).status_code == 422
    assert visitor.change(state, role={"column": "nothing", "role": "winner"}).status_code == 400
    assert visitor.json("/api/state", w=state["workspace"])["rev"] == 0


def test_roles_by_menu(visitor):
    state = visitor.upload(MESSY)
    state = visitor.changed(state, role={"column": "initiator", "role": "winner"})
    assert state["reading"]["failure"]
    assert state["contests"] == 0
    state = visitor.changed(state, role={"column": "receiver", "role": "loser"})
    assert state["reading"]["kind"] == "events"
    assert [card["id"] for card in state["checks"] if card["state"] == "wrong"] == ["winner"]
    (fix,) = state["checks"][0]["choices"]
    state = visitor.changed(state, set=fix["set"], label=fix["done"])
    assert state["reading"]["kind"] == "votes"
    state = visitor.changed(state, role={"column": "date", "role": ""})
    assert (state["dated"], state["undo"]) == (False, "date: unused")


def test_without_contests_screens_say_so(visitor):
    state = visitor.upload("colour,size\nred,1\nblue,2\n")
    assert state["reading"]["failure"]
    assert visitor.get("/api/elo", w=state["workspace"]).status_code == 409
    assert visitor.json("/api/grid", w=state["workspace"])["rows"]


def test_presence_from_a_file(visitor):
    state = visitor.example()
    sheet = "individual,start,end\n" + "".join(f"{who},2010-01-01,\n" for who in "abcdefg")
    where = {"w": state["workspace"], "rev": 0, "name": "stay.csv"}
    state = visitor.client.post("/api/presence", params=where, content=sheet.encode()).json()
    assert state["presence"]
    assert "--presence stay.csv" in state["code"]["shell"]
    state = visitor.changed(state, set={"presence": "inferred"})
    assert 'presence="inferred"' in state["code"]["python"]
    state = visitor.changed(state, set={"presence": None})
    assert not state["presence"]


@pytest.mark.parametrize("name", ["adv", "bonobos", "table3", "field", "takeover", "season"])
def test_every_example_opens(visitor, name):
    assert name in {item["name"] for item in visitor.json("/api/hello")["examples"]}
    state = visitor.example(name)
    assert state["contests"] > 20
    assert state["record"]["example"] == name


def test_an_example_that_is_not_there(visitor):
    assert visitor.client.post("/api/example/nothing").status_code == 422


def test_rows_of_checks(visitor):
    state = visitor.upload(MESSY)
    w = state["workspace"]
    assert visitor.json("/api/check/several names-/rows", w=w) == {"runs": [[4, 1]]}
    assert visitor.json("/api/check/left/rows", w=w)["left"] == {
        "several individuals in one cell": [[4, 1]],
        "winner and loser are the same individual": [[6, 1]],
        "no outcome": [[8, 1]],
    }
    assert visitor.get("/api/check/nothing/rows", w=w).status_code == 404
    only = visitor.json("/api/grid", w=w, rows="several names-")
    assert [row["number"] for row in only["rows"]] == [8]
    assert visitor.get("/api/grid", w=w, count="x").status_code == 400


def test_dates_that_are_not_decided_count(visitor):
    state = visitor.upload("date,winner,loser\n1/2/2023,a,b\n2/2/2023,b,c\n3/2/2023,a,c\n")
    assert (state["undecided"], state["dated"]) == (3, False)
    state = visitor.changed(state, set={"date_format": "%d/%m/%Y", "date": None})
    assert (state["undecided"], state["span"]) == (0, ["2023-02-01", "2023-02-03"])


def test_presence_from_another_sheet(visitor, tmp_path):
    content = Path(book(tmp_path / "field.xlsx")).read_bytes()
    state = visitor.upload(content, "field.xlsx")
    card = next(card for card in state["checks"] if card["id"] == "presence")
    own = next(one for one in card["choices"] if "Who was there" in one["label"])
    assert own["detail"] == "3 individuals"
    assert "2020" not in [one["label"] for one in card["choices"]]
    state = visitor.changed(state, set=own["set"])
    assert state["presence"]
    assert "--read 'presence_sheet=Who was there'" in state["code"]["shell"]
    assert 'po.read("field.xlsx", presence_sheet="Who was there")' in state["code"]["python"]
    card = next(card for card in state["checks"] if card["id"] == "presence")
    assert card["state"] == "decided"
    assert [one["label"] for one in card["choices"] if one["chosen"]] == [own["label"]]
    state = visitor.changed(state, set=card["choices"][1]["set"])
    assert "presence_sheet" not in state["code"]["shell"]
    assert "--presence inferred" in state["code"]["shell"]


def test_presence_that_contradicts_the_contests_can_be_taken_back(visitor, tmp_path):
    stays = [
        ("Abe", "2020-01-01", "2020-02-01"),
        ("Bo", "2020-01-01", ""),
        ("Cy", "2020-01-01", ""),
    ]
    content = Path(book(tmp_path / "field.xlsx", stays)).read_bytes()
    state = visitor.upload(content, "field.xlsx")
    state = visitor.changed(state, set={"presence_sheet": "Who was there"})
    assert state["contests"] == 3  # without presence, for now
    assert not state["presence"]
    assert "presence" in state["code"]["note"]
    assert "presence_sheet" not in state["code"]["shell"]
    wrong = [card for card in state["checks"] if card["state"] == "wrong"]
    assert [card["id"] for card in wrong] == ["presence"]
    assert "was absent on that day" in wrong[0]["text"]
    back = next(one for one in wrong[0]["choices"] if one["label"] == "All present throughout")
    state = visitor.changed(state, set=back["set"])
    assert not [card for card in state["checks"] if card["state"] == "wrong"]
    assert state["code"]["note"] == ""
