"""Jobs of a real Slurm: one is canceled in the middle, and nothing is lost."""

import os
import sys

import pytest

import peckorder as po
from peckorder.executors.clusters import slurm_cluster, slurm_settings
from tests import slurm_cluster as own_slurm
from tests.dask_cluster import environment
from tests.many_groups import same, slowly, table

pytestmark = [pytest.mark.posix, pytest.mark.slurm, pytest.mark.programs]


@pytest.fixture(scope="module")
def slurm():
    absent = own_slurm.missing()
    if absent:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{', '.join(absent)} is missing, and CI must not skip what needs Slurm")
        pytest.skip("Slurm is not installed")
    with own_slurm.running() as running:
        yield running


@pytest.fixture
def config(slurm, tmp_path, monkeypatch):
    """Two jobs of one worker each."""
    pytest.importorskip("dask_jobqueue")
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "slurm.yaml"
    path.write_text(f"""
jobs: 2
cores: 1
processes: 1
memory: 2GB
queue: tests
interface: lo
walltime: "00:10:00"
python: {sys.executable}
local_directory: {tmp_path}
log_directory: {tmp_path}
worker_extra_args: ["--no-dashboard"]
job_script_prologue: ['export PYTHONPATH="{environment()["PYTHONPATH"]}"']
""")
    return path


def test_a_job_canceled_in_the_middle_changes_nothing(slurm, config, tmp_path):
    contests = po.read(table())
    canceled = []

    def cancel(done, of):
        if done == 2:
            canceled.append(slurm.jobs()[0])
            slurm.run("scancel", canceled[0])

    measures = ("linearity", slowly)
    with slurm_cluster(config) as cluster:
        found = po.study(
            contests,
            measures=measures,
            executor=cluster,
            seed=1,
            folder=tmp_path / "st",
            progress=cancel,
        )
    assert len(canceled) == 1
    assert set(found.table["status"]) == {"complete"}
    assert same(found, po.study(contests, measures=measures, executor=1, seed=1))
    assert canceled[0] not in slurm.jobs()


def test_the_shell_submits_jobs(config, inside, tmp_path):
    table(2).write_csv(tmp_path / "contests.csv")
    done = inside(
        *("study", "contests.csv", "--measures", "linearity", "--seed", "1"),
        *("--slurm", config, "--format", "csv"),
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == [
        "group",
        "g0",
        "g1",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cores: [", "is not a YAML file"),
        ("- 1", "one setting per line"),
        ("cores: 1\n", "memory must be given"),
        ("jobs: many\ncores: 1\nmemory: 1GB", "is not a number of jobs"),
        ("cores: 1\nmemory: 1GB\nqueu: x", 'queu is not known. Did you mean "queue"'),
    ],
)
def test_wrong_settings(sheet, text, message):
    pytest.importorskip("dask_jobqueue")
    with pytest.raises(po.ArgumentError, match=message), slurm_cluster(sheet(text, "s.yaml")):
        pass


def test_settings_are_those_of_dask_jobqueue(sheet):
    path = sheet("jobs: 3\ncores: 2\nmemory: 1GB\n", "s.yaml")
    assert slurm_settings(path) == (3, {"cores": 2, "memory": "1GB"})
