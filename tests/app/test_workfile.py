"""The work as one file, saved and opened again."""

import io
import json
import zipfile

from tests.app.visitor import MESSY, visiting


def saved(visitor, state):
    return visitor.get("/take/work.zip", w=state["workspace"]).content


def test_work_is_the_same_when_it_is_opened_again(visitor, tmp_path):
    state = visitor.upload(MESSY, "field notes.csv")
    state = visitor.changed(state, accept=True)
    state = visitor.changed(state, "/api/settings", set={"k": 55, "at": "2023-03-09"})
    job = visitor.answered(state, "isi")
    content = saved(visitor, state)
    other = tmp_path / "other"
    other.mkdir()
    with visiting(other) as later:
        again = later.upload(content, "work.zip")
        for part in ("hash", "settings", "contests", "open", "record", "reading", "checks"):
            assert again[part] == visitor.json("/api/state", w=state["workspace"])[part], part
        (kept,) = again["jobs"]
        assert (kept["job"], kept["head"], kept["current"]) == (job["job"], job["head"], True)
        result = later.json(f"/api/results/{job['job']}", w=again["workspace"])
        assert result["extra"]["order"]
        assert saved(later, again) != b""
        again = later.changed(again, "/api/settings", set={"from": "2023-03-02"})
        assert not again["jobs"][0]["current"]


def test_equal_work_gives_equal_files(visitor):
    one, other = visitor.upload(MESSY), visitor.upload(MESSY)
    assert saved(visitor, one) == saved(visitor, other)


def test_what_is_in_the_file(visitor):
    state = visitor.changed(visitor.upload(MESSY), accept=True)
    sheet = b"individual,start,end\n" + b"".join(
        f"{name},2023-01-01,\n".encode() for name in ("Abby", "Bella", "Cora", "Dina")
    )
    where = {"w": state["workspace"], "rev": state["rev"], "name": "stay.csv"}
    state = visitor.client.post("/api/presence", params=where, content=sheet).json()
    with zipfile.ZipFile(io.BytesIO(saved(visitor, state))) as packed:
        assert packed.namelist() == ["work.json", "source/contests.csv", "presence/stay.csv"]
        assert packed.read("source/contests.csv").decode() == MESSY
        work = json.loads(packed.read("work.json"))
    assert work["format"] == "peckorder workspace"
    assert work["reading"]["polyadic"] == "dyads"
    labels = [step["label"] for step in work["history"]]
    assert labels == ["Accepted all suggestions", "Presence from stay.csv"]
    again = visitor.client.post("/api/work", content=saved(visitor, state)).json()
    for label in reversed(labels):  # steps can be undone where the work is opened again
        assert again["undo"] == label
        where, at = {"w": again["workspace"]}, {"rev": again["rev"]}
        again = visitor.client.post("/api/undo", params=where, json=at).json()
    assert (again["undo"], again["presence"], again["reading"]["options"]) == (None, False, {})
    again = visitor.client.post("/api/work", content=saved(visitor, state)).json()
    assert again["presence"]
    assert again["hash"] == state["hash"]


def test_a_workbook_is_not_a_work_file(visitor):
    assert visitor.client.post("/api/work", content=b"winner,loser\na,b\n").status_code == 422
