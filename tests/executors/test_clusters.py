"""A real scheduler and its workers in processes of their own; a worker is killed in the middle."""

import os
import signal

import pytest

import peckorder as po
from peckorder.executors.mapping import map_in_order
from peckorder.groups.folder import Folder
from tests import dask_cluster
from tests.many_groups import MARKS, deadly, deadly_once, plus, process, same, sampled, table

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.posix, pytest.mark.programs]
MEASURES = ("linearity", sampled)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    os.environ[MARKS] = str(tmp_path_factory.mktemp("marks"))
    try:
        with dask_cluster.running(2) as running:
            yield running
    finally:
        del os.environ[MARKS]


@pytest.fixture
def two_workers(cluster):
    """Workers that were killed by another test are replaced."""
    alive = [worker for worker in cluster.workers if worker.poll() is None]
    for _ in range(2 - len(alive)):
        cluster.add_worker()
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=dask_cluster.SECONDS)
        yield client


@pytest.fixture(scope="module")
def contests():
    return po.read(table())


def test_a_client_and_an_address_give_the_same_bytes(two_workers, cluster, contests, tmp_path):
    reference = po.study(contests, measures=MEASURES, executor=1, seed=1)
    by_client = po.study(contests, measures=MEASURES, executor=two_workers, seed=1)
    assert same(reference, by_client)
    named = po.study(
        contests, measures=MEASURES, executor=cluster.address, seed=1, folder=tmp_path / "st"
    )
    assert same(reference, named)


def test_values_are_in_order_and_other_processes_compute_them(two_workers):
    items = list(range(50))
    assert map_in_order(plus, items, shared=5, executor=two_workers) == [5 + i for i in items]
    assert os.getpid() not in map_in_order(process, items[:4], executor=two_workers)
    assert map_in_order(plus, [], shared=5, executor=two_workers) == []


def test_a_worker_killed_by_signal_9_changes_nothing(two_workers, contests):
    found = po.study(contests, measures=("linearity", deadly_once), executor=two_workers, seed=1)
    alone = po.study(contests, measures=("linearity", deadly_once), executor=1, seed=1)
    assert same(found, alone)
    assert (dask_cluster.Path(os.environ[MARKS]) / "died").exists()


def test_a_worker_killed_from_outside_while_it_works(two_workers, cluster):
    items = list(range(200))
    victim = next(worker for worker in cluster.workers if worker.poll() is None)
    seen = []

    def kill_at_ten(done, of):
        seen.append(done)
        if done == 10:
            victim.send_signal(signal.SIGKILL)

    pids = map_in_order(process, items, executor=two_workers, progress=kill_at_ten)
    assert len(pids) == 200
    assert seen == list(range(1, 201))
    assert victim.wait(dask_cluster.SECONDS) == -signal.SIGKILL


def test_a_group_that_kills_its_workers_is_marked(cluster, two_workers):
    cluster.add_worker()  # the scheduler gives up after the second death
    two_workers.wait_for_workers(3, timeout=dask_cluster.SECONDS)
    found = po.study(po.read(table(3)), measures={"deadly": deadly}, executor=two_workers, seed=1)
    assert found.table["status"].to_list() == ["complete", "complete", "failed"]
    assert "worker process died" in found.table["reason"][2]


def test_a_worker_with_another_version(two_workers, monkeypatch):
    monkeypatch.setattr("peckorder.executors.clusters.VERSION", "9.9")
    with pytest.raises(po.ExecutorError, match=r"2 of 2 workers.*Install peckorder 9\.9"):
        map_in_order(plus, [1], shared=1, executor=two_workers)
    # One that joins later is found out by its first task.
    monkeypatch.setattr("peckorder.executors.clusters.refuse_other_versions", lambda client: None)
    with pytest.raises(po.ExecutorError, match="this process 9.9"):
        map_in_order(plus, [1], shared=1, executor=two_workers)


def test_a_worker_without_the_package(two_workers, cluster, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("""
import importlib.metadata as metadata
known = metadata.version
def version(name):
    if name == "peckorder":
        raise metadata.PackageNotFoundError(name)
    return known(name)
metadata.version = version
""")
    own = dask_cluster.environment()
    path = os.pathsep.join([str(tmp_path), own["PYTHONPATH"]])
    worker = cluster.add_worker(own | {"PYTHONPATH": path})
    two_workers.wait_for_workers(3, timeout=dask_cluster.SECONDS)
    try:
        with pytest.raises(po.ExecutorError, match=r"1 of 3 workers .*\(without peckorder\)"):
            map_in_order(plus, [1], shared=1, executor=two_workers)
    finally:
        worker.kill()
        worker.wait()


def test_no_scheduler_at_the_address(monkeypatch):
    monkeypatch.setattr("peckorder.executors.clusters.SECONDS", 1)
    with pytest.raises(po.ExecutorError, match="No scheduler answers at tcp://127.0.0.1:9"):
        map_in_order(plus, [1], shared=1, executor="tcp://127.0.0.1:9")


def test_a_cluster_that_goes_away_keeps_what_is_done(contests, tmp_path):
    folder = tmp_path / "st"
    settings = {"measures": MEASURES, "folder": folder}
    import dask

    patience = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
    with patience, dask_cluster.running(1) as cluster:

        def stop_at_two(done, of):
            if done == 2:
                cluster.stop()

        with pytest.raises(po.ExecutorError, match="kept in the folder"):
            po.study(contests, executor=cluster.address, seed=1, progress=stop_at_two, **settings)
    kept = len(Folder(folder).stored())
    assert kept >= 2
    again = po.study(contests, executor=1, **settings)
    assert same(again, po.study(contests, measures=MEASURES, executor=1, seed=1))


def test_results_lost_with_the_connection(two_workers, monkeypatch):
    from distributed.client import Future, FutureCancelledError

    def lost(task, timeout=None):
        raise FutureCancelledError(task.key, "scheduler-connection-lost")

    monkeypatch.setattr(Future, "result", lost)
    with pytest.raises(po.ExecutorError, match="connection to the cluster was lost"):
        map_in_order(plus, [1], shared=1, executor=two_workers)


def test_without_dask_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"peckorder\[cluster\]"):
        map_in_order(plus, [1], shared=1, executor="tcp://127.0.0.1:9")
