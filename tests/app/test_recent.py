"""Work is saved after every change; another server goes on where a killed one stopped."""

import os
import signal
import sys

import pytest

from peckorder.app.recent import MOST, data_folder
from tests.app.served import app
from tests.app.visitor import MESSY, visiting


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "data" / "work"


def test_a_killed_server_loses_nothing(tmp_path, kept):
    with visiting(tmp_path / "one", recent=kept) as first:
        state = first.upload(MESSY, "goats.csv")
        state = first.changed(state, set={"missing": "drop"}, label="Left out rows")
        first.app.recent.close()
    with visiting(tmp_path / "two", recent=kept) as second:
        (one,) = second.json("/api/recent")["recent"]
        assert (one["name"], one["steps"], one["id"]) == ("goats.csv", 1, state["workspace"])
        again = second.client.post(f"/api/recent/{one['id']}").json()
        assert (again["hash"], again["workspace"]) == (state["hash"], state["workspace"])
        assert again["reading"]["options"] == {"missing": "drop"}
        assert second.client.delete(f"/api/recent/{one['id']}").json() == {"recent": []}
        assert second.client.post(f"/api/recent/{'0' * 32}").status_code == 404
        assert second.client.post("/api/recent/..%2Fx").status_code in (404, 405)


def test_a_second_file_keeps_the_first(tmp_path, kept):
    with visiting(tmp_path / "one", recent=kept) as opened:
        first = opened.upload(MESSY, "first.csv")
        opened.upload("winner,loser\na,b\nb,c\na,c\n", "second.csv")
        opened.example("adv")  # only looked at: listed while it is open
        opened.app.recent.close()
        names = {one["name"] for one in opened.json("/api/recent")["recent"]}
        assert names == {"adv.csv", "first.csv", "second.csv"}
        adv = next(one for one in opened.json("/api/recent")["recent"] if one["when"] is None)
        left = opened.client.delete(f"/api/recent/{adv['id']}").json()["recent"]
        assert {one["name"] for one in left} == {"first.csv", "second.csv"}
        again = opened.client.post(f"/api/recent/{first['workspace']}").json()
        assert again["record"]["name"] == "first.csv"


def test_only_so_much_is_kept_and_only_its_owner_reads_it(tmp_path, kept):
    with visiting(tmp_path / "one", recent=kept) as opened:
        for number in range(MOST + 2):
            opened.upload(f"winner,loser\na,b\nb,c\na,c\nc,d{number}\n")
        opened.app.recent.close()
        assert len(opened.json("/api/recent")["recent"]) == MOST
    if sys.platform != "win32":
        assert {path.stat().st_mode & 0o077 for path in kept.glob("*.zip")} == {0}


def test_a_file_that_is_no_work_is_not_listed(tmp_path, kept):
    kept.mkdir(parents=True)
    (kept / f"{'a' * 32}.zip").write_bytes(b"PK no")
    with visiting(tmp_path / "one", recent=kept) as opened:
        assert opened.json("/api/recent") == {"recent": []}


@pytest.mark.programs
def test_the_command_keeps_work_in_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("winner,loser\na,b\nb,c\na,c\n")
    with app(str(sheet)) as (process, _):
        os.kill(process.pid, signal.SIGTERM)
    assert data_folder().is_dir()
