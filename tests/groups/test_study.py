"""One row per group, the same with every executor, and nothing lost when something dies."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.groups.folder import Folder
from peckorder.groups.tasks import seed_for
from tests.many_groups import (
    MARKS,
    PATIENCE,
    deadly,
    deadly_once,
    faulty,
    noted,
    refused,
    same,
    sampled,
    table,
)

ROOT = Path(__file__).parent.parent.parent
MEASURES = ("linearity", "consistency", sampled)


@pytest.fixture
def marks(tmp_path, monkeypatch):
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv(MARKS, str(folder))
    return folder


@pytest.fixture(scope="module")
def contests():
    return po.read(table())


@pytest.fixture(scope="module")
def reference(contests):
    return po.study(contests, measures=MEASURES, executor=1, seed=1)


def test_values_are_those_of_the_functions_called_by_hand(contests, reference):
    """Each group on its own, with the seed of its name."""
    for row in reference.table.iter_rows(named=True):
        own = contests.filter(group=row["group"])
        seed = seed_for(1, row["group"], "linearity")
        by_hand = po.linearity(own, seed=seed)
        assert row["linearity"] == by_hand.value
        assert row["linearity_p"] == by_hand.p
        by_hand = po.consistency(own, seed=seed_for(1, row["group"], "consistency"))
        assert row["consistency"] == by_hand.value
        assert row["consistency_p_phi"] == by_hand.p_phi
        assert row["individuals"] == len(own.individuals)
        assert row["contests"] == len(own) == row["sampled_contests"]
        wins = own.matrix().wins
        met = np.triu(wins + wins.T > 0, 1).sum()
        pairs = len(wins) * (len(wins) - 1) / 2
        assert row["unknown_share"] == pytest.approx(1 - met / pairs)
        assert row["status"] == "complete"
        assert row["reason"] is None
        assert row["seconds"] > 0


def test_draws_are_in_the_table_and_on_disk(reference):
    draws = reference.draws("sampled")
    assert draws.columns == ["group", "draw", "value"]
    assert draws.height == 6 * 50
    own = draws.filter(pl.col("group") == "g2")["value"]
    row = reference.table.row(2, named=True)
    assert row["sampled"] == pytest.approx(own.mean())
    assert row["sampled_sd"] == pytest.approx(own.std())
    assert row["sampled_low"] == pytest.approx(np.quantile(own, 0.025))
    again = np.random.default_rng(seed_for(1, "g2", "sampled"))
    assert (own.to_numpy() == again.normal(row["individuals"], 1, 50)).all()
    with pytest.raises(po.ArgumentError, match='These have: "sampled"'):
        reference.draws("linearity")
    with pytest.raises(po.ArgumentError, match="Choose one of: linearity, consistency, sampled"):
        reference.draws("steepness")


@pytest.mark.programs
@pytest.mark.parametrize("workers", [2, 3])
def test_processes_give_the_same_bytes(contests, reference, workers):
    assert same(reference, po.study(contests, measures=MEASURES, executor=workers, seed=1))


def test_threads_give_the_same_bytes(contests, reference):
    with ThreadPoolExecutor(4) as threads:
        assert same(reference, po.study(contests, measures=MEASURES, executor=threads, seed=1))


def test_neither_the_order_of_groups_nor_of_measures_matters(contests, reference):
    backward = table().reverse()  # contests in reverse order would change ratings, not matrices
    parts = {f"g{i}": contests.filter(group=f"g{i}") for i in reversed(range(6))}
    found = po.study(parts, measures=MEASURES[::-1], executor=1, seed=1)
    one, other = (s.table.sort("group").drop("seconds") for s in (reference, found))
    assert one.equals(other.select(one.columns))
    assert backward.height == len(contests)
    different = po.study(parts, measures=MEASURES, executor=1, seed=2)
    assert not different.table["sampled"].equals(found.table["sampled"])


@pytest.mark.programs
@pytest.mark.posix
def test_a_worker_killed_in_the_middle_changes_nothing(contests, marks):
    found = po.study(contests, measures=("linearity", deadly_once), executor=2, seed=1)
    assert (marks / "died").exists()
    # Once the mark is there, nothing dies.
    assert same(found, po.study(contests, measures=("linearity", deadly_once), executor=1, seed=1))
    assert set(found.table["status"]) == {"complete"}


@pytest.mark.programs
@pytest.mark.posix
def test_a_group_that_kills_its_worker_is_marked_and_the_others_are_computed(tmp_path):
    contests = po.read(table(3))
    study = {"linearity": {}, "deadly": deadly}
    found = po.study(contests, measures=study, executor=2, seed=1, folder=tmp_path / "study")
    bad = found.table.filter(pl.col("individuals") == 6)
    assert bad["status"].to_list() == ["failed"]
    assert "was ended by SIGKILL each of three times" in bad["reason"][0]
    assert bad["contests"].to_list() == [30]
    good = found.table.filter(pl.col("individuals") != 6)
    assert set(good["status"]) == {"complete"}
    assert good["deadly"].to_list() == [30.0] * 2
    # It is remembered, so that the same call does not die again.
    again = po.study(contests, measures=study, executor=1, seed=1, folder=tmp_path / "study")
    assert same(found, again)


def test_what_cannot_be_computed_has_a_reason_and_stops_nothing(contests):
    found = po.study(contests, measures=("linearity", refused, faulty), executor=1, seed=1)
    row = found.table.row(0, named=True)
    assert row["status"] == "incomplete"
    assert row["reason"] == (
        "refused: This group has no value. faulty: ZeroDivisionError: division by zero"
    )
    assert row["linearity"] is not None
    assert found.table["faulty"].to_list() == [None, 1.0, 0.5, None, 1.0, 0.5]
    assert found.values["incomplete"] == 6
    none = po.study(contests, measures=refused, executor=1, seed=1)
    assert set(none.table["status"]) == {"failed"}
    assert none.table["reason"][0] == "This group has no value."
    assert "6 failed (see the column reason)" in none.summary[0]


@pytest.mark.programs
@pytest.mark.posix
def test_a_study_that_is_killed_goes_on_where_it_stopped(contests, marks, tmp_path):
    """kill -9 of the whole study while one group is being computed."""
    table().write_parquet(tmp_path / "contests.parquet")
    (marks / "hold").touch()
    script = """
import peckorder as po
from tests.many_groups import noted
po.study(po.read("contests.parquet"), measures=("linearity", noted), executor=2, seed=1, folder="st")
"""
    path = os.pathsep.join([str(ROOT), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        folder, until = tmp_path / "st" / "groups", time.monotonic() + PATIENCE
        while time.monotonic() < until and process.poll() is None:
            if len(Folder(folder.parent).stored()) == 5:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    before = (marks / "computed").read_text().split()[::2]
    assert sorted(before) == [f"g{i}" for i in range(6)]  # g3 had begun
    assert not (tmp_path / "st" / "table.csv").exists()
    (marks / "hold").unlink()
    (marks / "computed").unlink()
    settings = {"measures": ("linearity", noted), "seed": 1}
    found = po.study(contests, folder=tmp_path / "st", executor=1, **settings)
    assert (marks / "computed").read_text().split()[::2] == ["g3"]
    assert same(found, po.study(contests, executor=1, **settings))
    assert (tmp_path / "st" / "table.csv").exists()


def test_changed_contests_are_computed_again_and_no_others(marks, tmp_path):
    settings = {"measures": ("linearity", noted), "folder": tmp_path / "st", "executor": 1}
    first = po.study(po.read(table()), seed=1, **settings)
    (marks / "computed").unlink()
    changed = pl.concat([table(), table().filter(pl.col("group") == "g4").head(1)])
    second = po.study(po.read(changed), **settings)  # the seed is that of the folder
    assert (marks / "computed").read_text().split()[::2] == ["g4"]
    assert second.seed == 1
    assert second.table["contests"].to_list() == [30, 30, 30, 30, 31, 30]
    rest = pl.col("group") != "g4"
    assert second.table.filter(rest).equals(first.table.filter(rest))
    fewer = po.study(po.read(changed.filter(rest)), **settings)
    assert fewer.table.height == 5
    assert fewer.summary[-1] == "The folder also has results of 1 group not in these data."


def test_progress_counts_what_was_done_before(contests, tmp_path):
    seen = []
    for _ in range(2):
        po.study(
            contests,
            measures="linearity",
            executor=1,
            seed=1,
            folder=tmp_path / "st",
            progress=lambda done, of: seen.append((done, of)),
        )
    assert seen == [*((i, 6) for i in range(7)), (6, 6)]


def test_an_executor_that_breaks_says_what_is_kept(contests, tmp_path):
    class Broken(ThreadPoolExecutor):
        left = 3

        def submit(self, function, /, *arguments, **more):
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("cannot schedule new futures after shutdown")
            return super().submit(function, *arguments, **more)

    folder = tmp_path / "st"
    with Broken(1) as threads, pytest.raises(po.ExecutorError, match="The executor broke"):
        po.study(contests, measures="linearity", executor=threads, seed=1, folder=folder)
    again = po.study(contests, measures="linearity", executor=1, folder=folder)
    assert again.seed == 1
    assert same(again, po.study(contests, measures="linearity", executor=1, seed=1))


def test_a_summary_and_files_like_those_of_other_results(reference, tmp_path):
    assert "6 groups × linearity, consistency, sampled; 6 complete" in repr(reference)
    assert reference.summary[1].startswith("Linearity h′: median")
    reference.save(tmp_path / "study.json")
    reference.save(tmp_path / "study.xlsx")
    reference.save_draws(tmp_path / "draws.parquet", measure="sampled")
    assert pl.read_parquet(tmp_path / "draws.parquet").height == 300
    with pytest.raises(po.ArgumentError, match="ending .parquet"):
        reference.save_draws(tmp_path / "draws.csv", measure="sampled")
    assert reference.provenance["citation"]
    assert len(reference) == 6


def test_tables_of_individuals(contests):
    found = po.study(contests, measures=("isi", "davids_score"), executor=1, seed=1)
    orders = found.tables("isi")
    assert orders.columns[:3] == ["group", "individual", "rank"]
    assert orders.height == sum(found.table["individuals"])
    own = po.isi(contests.filter(group="g1"))
    assert orders.filter(pl.col("group") == "g1")["individual"].to_list() == list(own)


def test_a_pandas_table_gives_pandas_tables():
    found = po.study(table().to_pandas(), by="group", measures=sampled, executor=1, seed=1)
    assert type(found.table).__module__.startswith("pandas")
    assert type(found.draws("sampled")).__module__.startswith("pandas")
