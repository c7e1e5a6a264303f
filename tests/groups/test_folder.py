"""The folder of a study: whole files or none, one study per folder, clear refusals."""

import errno
import json
import os

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.groups.folder import LOCK, Folder, draws_frame, opened
from tests.many_groups import sampled, table

SETTINGS = {"measures": ("linearity", sampled), "executor": 1}


@pytest.fixture
def contests():
    return po.read(table(3))


def test_the_folder_holds_what_the_documents_say(contests, tmp_path):
    found = po.study(contests, seed=1, folder=tmp_path / "new" / "st", **SETTINGS)
    names = sorted(str(p.relative_to(found.folder)) for p in found.folder.rglob("*") if p.is_file())
    batch = ("groups/000001.json", "draws/sampled/000001.parquet")
    batch += ("tables/linearity/000001.parquet",)
    assert names == sorted([LOCK, "study.json", "table.csv", *batch])
    draws = pl.read_parquet(found.folder / "draws" / "sampled" / "000001.parquet")
    assert draws.columns == ["group", "draw", "value"]
    entry = json.loads((found.folder / "groups" / "000001.json").read_bytes())[0]
    assert entry["values"]["linearity"]["linearity"] == found.table["linearity"][0]
    assert pl.read_csv(found.folder / "table.csv")["group"].to_list() == ["g0", "g1", "g2"]


def test_another_study_is_refused_with_what_differs(contests, tmp_path, monkeypatch):
    folder = tmp_path / "st"
    po.study(contests, measures={"linearity": {"runs": 500}}, seed=1, folder=folder, executor=1)
    with pytest.raises(po.ArgumentError) as error:
        po.study(contests, measures=("linearity", "isi"), seed=2, folder=folder, executor=1)
    assert "contains another study" in str(error.value)
    assert "measures: linearity (runs=500) in the folder, linearity, isi now" in str(error.value)
    assert "seed: 1 in the folder, 2 now" in str(error.value)
    monkeypatch.setattr("peckorder.groups.study.VERSION", "9.9")
    with pytest.raises(po.ArgumentError, match="version: .* in the folder, 9.9 now"):
        po.study(contests, measures={"linearity": {"runs": 500}}, folder=folder, executor=1)


def test_an_own_function_that_changed_is_another_study(contests, tmp_path):
    def one(data):
        return 1.0

    def other(data):
        return 2.0

    po.study(contests, measures={"own": one}, seed=1, folder=tmp_path / "st", executor=1)
    with pytest.raises(po.ArgumentError, match="measures: own .* code .* in the folder"):
        po.study(contests, measures={"own": other}, seed=1, folder=tmp_path / "st", executor=1)


def test_folders_that_cannot_be_used(contests, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises((po.ArgumentError, OSError)):
        po.study(contests, folder=tmp_path / "file", **SETTINGS)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("x")
    with pytest.raises(po.ArgumentError, match="contains other files, and no study"):
        po.study(contests, folder=tmp_path / "photos", **SETTINGS)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "study.json").write_text("{")
    with pytest.raises(po.ArgumentError, match="is damaged"):
        po.study(contests, folder=tmp_path / "damaged", **SETTINGS)
    with pytest.raises(po.ArgumentTypeError, match="path of a folder"):
        po.study(contests, folder=3, **SETTINGS)


@pytest.mark.posix
def test_a_folder_that_is_read_only(contests, tmp_path):
    if os.geteuid() == 0:
        folder = "/proc/peckorder"  # root may write everywhere else
    else:
        (tmp_path / "locked").mkdir(mode=0o500)
        folder = tmp_path / "locked" / "st"
    with pytest.raises(OSError, match="peckorder|locked"):
        po.study(contests, folder=folder, **SETTINGS)


def test_a_full_disk_stops_the_study_and_keeps_what_is_done(contests, tmp_path, monkeypatch):
    written = []
    real = Folder.store

    def full(self, entries):
        if written:
            raise OSError(errno.ENOSPC, "No space left on device", "draws.parquet")
        written.extend(entries)
        return real(self, entries)

    folder = tmp_path / "st"
    monkeypatch.setattr(Folder, "store", full)
    monkeypatch.setattr("peckorder.groups.study.BATCH", 1)
    with pytest.raises(po.ExecutorError) as error:
        po.study(contests, seed=1, folder=folder, **SETTINGS)
    assert str(error.value) == (
        "draws.parquet: No space left on device. Results of 1 of 3 groups are kept in the folder; "
        "the same call goes on with the others."
    )
    monkeypatch.undo()
    assert po.study(contests, folder=folder, **SETTINGS).values["complete"] == 3


@pytest.mark.posix
def test_two_processes_do_not_work_in_the_same_folder(tmp_path):
    manifest = {"seed": 1}
    with (
        opened(tmp_path / "st", manifest),
        pytest.raises(po.ArgumentError, match="Another process"),
        opened(tmp_path / "st", manifest),
    ):
        pass


def test_a_damaged_result_and_half_written_files_are_replaced(contests, tmp_path):
    folder = tmp_path / "st"
    first = po.study(contests, seed=1, folder=folder, **SETTINGS)
    (folder / "groups" / "000001.json").write_text('[{"group": "g1"')
    (folder / "draws" / "sampled" / ".g1.parquet.tmp").write_text("half")
    again = po.study(contests, folder=folder, **SETTINGS)
    assert again.table.drop("seconds").equals(first.table.drop("seconds"))
    assert not list((folder / "draws").rglob(".*"))


def test_what_cannot_be_stored_costs_its_group_only(contests, tmp_path):
    def odd(data):
        if len(data.individuals) != 5:  # g1 has five
            return 2**70
        table = pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object)})
        return po.Measure(method="odd", data=data, values={"value": 2**2000}, frame=table)

    folder = tmp_path / "st"
    found = po.study(contests, measures={"odd": odd}, seed=1, folder=folder, executor=1)
    assert found.table["status"].to_list() == ["complete", "incomplete", "complete"]
    assert found.table["odd"].to_list() == [float(2**70), float("inf"), float(2**70)]
    assert "could not be stored" in found.table["reason"][1]
    again = po.study(contests, measures={"odd": odd}, folder=folder, executor=1)
    assert again.table.equals(found.table)


def test_groups_are_computed_again_where_contests_changed(tmp_path):
    rows = table(3)
    folder = tmp_path / "st"
    po.study(po.read(rows), seed=1, folder=folder, **SETTINGS)
    found = po.study(po.read(rows.head(len(rows) - 1)), folder=folder, **SETTINGS)
    assert found.draws("sampled")["group"].unique(maintain_order=True).to_list() == [
        *("g0", "g1", "g2")
    ]
    assert len(found.draws("sampled")) == len(found.draws("sampled").unique(["group", "draw"]))


def test_draws_of_different_length():
    frame = draws_frame({"k": np.arange(3.0), "odd": np.arange(2.0)})
    assert frame.columns == ["draw", "k"]
