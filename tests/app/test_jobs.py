"""Jobs in processes of their own: progress, results, cancelling, and processes that are killed."""

import io
import os
import signal
import time
import zipfile

import pytest

import peckorder as po
from peckorder.app.jobs import Events
from peckorder.app.security import Limits
from tests.app.visitor import MESSY, visiting

pytestmark = pytest.mark.programs

LONG = {"runs": 10_000}
MANY = "winner,loser\n" + "".join(f"i{n % 20},i{(7 * n + 1) % 20}\n" for n in range(2_000))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition, patience=240):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.02)


def process_of(visitor, job):
    until(lambda: visitor.app.jobs.known[job].process is not None)
    return visitor.app.jobs.known[job].process.pid


def test_an_answer_is_kept_and_marked_when_it_is_old(visitor):
    state = visitor.example()
    job = visitor.answered(state, "isi")
    assert (job["state"], job["current"]) == ("done", True)
    w = state["workspace"]
    found = visitor.json(f"/api/results/{job['job']}", w=w)
    assert (
        found["extra"]["order"] == po.isi(po.datasets.adv(), seed=1).table["individual"].to_list()
    )
    assert found["code"]["shell"] == "peckorder isi adv.csv --seed 1"
    assert found["undecided"] == 0
    state = visitor.changed(state, "/api/settings", set={"k": 33})
    assert visitor.json(f"/api/results/{job['job']}", w=w)["current"]  # k does not matter
    state = visitor.changed(state, "/api/settings", set={"from": "2010-01-05"})
    assert not visitor.json(f"/api/results/{job['job']}", w=w)["current"]
    assert [one["current"] for one in state["jobs"]] == [False]


def test_what_cannot_be_answered_says_why(visitor):
    state = visitor.example()
    job = visitor.answered(state, "groups")
    assert (job["state"], job["text"]) == (
        "failed",
        "There is only one group. Give a column the role group.",
    )
    assert visitor.ask(state, "nothing").status_code == 400
    assert visitor.ask(state, "pair", a="a", b="nobody").status_code == 422
    assert visitor.ask(state, "enough", runs=1).status_code == 422
    assert visitor.get("/api/results/0123456789abcdef", w=state["workspace"]).status_code == 404


@pytest.mark.parametrize("ask", ["enough", "stress"])
def test_progress_and_cancel(visitor, ask):
    state = visitor.upload(MANY)
    job = visitor.ask(state, ask, **LONG).json()["job"]
    pid = process_of(visitor, job)
    until(lambda: visitor.jobs(state)[0]["done"] > 0)
    assert visitor.jobs(state)[0]["total"] > 0
    began = time.monotonic()
    answer = visitor.client.delete(f"/api/jobs/{job}", params={"w": state["workspace"]})
    assert answer.json() == {"job": job, "state": "cancelled"}
    assert time.monotonic() - began < 20
    assert not alive(pid)
    assert visitor.get(f"/api/results/{job}", w=state["workspace"]).status_code == 404


@pytest.mark.posix
def test_a_job_that_is_killed_fails_and_the_next_one_runs(tmp_path):
    with visiting(tmp_path, Limits(running=1)) as visitor:
        state = visitor.example()
        first = visitor.ask(state, "enough", **LONG).json()["job"]
        second = visitor.ask(state, "isi").json()
        assert second["state"] == "waiting"
        os.kill(process_of(visitor, first), signal.SIGKILL)
        until(lambda: {job["state"] for job in visitor.jobs(state)} == {"failed", "done"}, 90)
        assert "was ended" in visitor.jobs(state)[0]["text"]


@pytest.mark.posix
def test_a_job_is_limited_in_memory(tmp_path):
    with visiting(tmp_path, Limits(job_memory=150 << 20)) as visitor:
        state = visitor.example()
        assert visitor.answered(state, "isi")["state"] == "failed"
    with visiting(tmp_path) as visitor:
        state = visitor.example()
        assert visitor.answered(state, "isi")["state"] == "done"


def test_jobs_end_with_their_workspace(tmp_path):
    with visiting(tmp_path, Limits(workspaces=1, idle=0.0)) as visitor:
        state = visitor.example()
        job = visitor.ask(state, "enough", **LONG).json()["job"]
        assert visitor.app.jobs.busy(state["workspace"])
        answer = visitor.client.post("/api/example/adv")
        assert answer.status_code == 429  # a workspace with a job is not idle
        pid = process_of(visitor, job)
        visitor.client.run(_dropped(visitor.app.jobs, state["workspace"]))
        until(lambda: not alive(pid))
        assert visitor.client.post("/api/example/adv").status_code == 200


def test_finished_jobs_are_forgotten_with_their_workspace(tmp_path):
    with visiting(tmp_path, Limits(workspaces=1, idle=0.0)) as visitor:
        state = visitor.example()
        assert visitor.answered(state, "isi")["state"] == "done"
        visitor.example("bonobos")
        until(lambda: not visitor.app.jobs.known)
        assert list(visitor.app.workspaces.known) != [state["workspace"]]


async def _dropped(jobs, workspace):
    jobs.drop(workspace)


def test_the_report_as_a_job(visitor):
    state = visitor.upload(MESSY)
    job = visitor.answered(state, "report", patience=200)
    assert job["state"] == "done", job
    answer = visitor.get("/take/report.html", w=state["workspace"])
    assert answer.headers["content-disposition"] == 'attachment; filename="contests-hierarchy.html"'
    page = answer.text
    assert "contests.csv (provisional, 3 rows not decided)" in page
    assert str(visitor.app.workspaces.folder) not in page
    assert "peckorder" in page
    assert len(visitor.jobs(state)) == 1  # the finished report was used


def test_one_report_of_all_groups(visitor):
    rows = "".join(
        f"2023-04-{day:02d},X,Y,X,South,\n2023-04-{day:02d},Y,Z,Y,South,\n" for day in (1, 2, 3)
    )
    state = visitor.changed(visitor.upload(MESSY + rows), accept=True)
    state = visitor.changed(state, set={"group": "place", "groups": "each"})
    job = visitor.answered(state, "report", patience=200, every=True)
    assert job["state"] == "done", job
    answer = visitor.get("/take/report.html", w=state["workspace"], every=1)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert sorted(packed.namelist()) == [
            *("hierarchy-North.html", "hierarchy-South.html", "hierarchy.html"),
        ]
        front = packed.read("hierarchy.html").decode()
    assert "hierarchy-South.html" in front
    code = visitor.app.jobs.known[job["job"]].code
    assert 'po.report(data.split(), "hierarchy.html", k=100' in code["python"]
    assert "--by place" in code["shell"]


def test_events_reach_the_pages_of_a_workspace(visitor):
    state = visitor.example()
    events = visitor.app.events

    async def heard():
        stream = events.of(state["workspace"])
        first = await anext(stream)
        events.say(state["workspace"], "rev", {"rev": 3})
        events.say("another", "rev", {"rev": 4})
        second = await anext(stream)
        events.close()
        rest = [text async for text in stream]
        return first, second, rest

    assert visitor.client.run(heard()) == (
        "event: hello\ndata: {}\n\n",
        'event: rev\ndata: {"rev": 3}\n\n',
        [],
    )
    assert events.listeners == {}


def test_nobody_listens():
    events = Events()
    events.say("nobody", "rev", {})
    assert events.listeners == {}
