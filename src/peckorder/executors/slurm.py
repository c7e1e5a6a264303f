"""A cluster of dask workers that run as jobs of Slurm, from a file of settings.

The file (YAML) holds the arguments of `dask_jobqueue.SLURMCluster`, such as cores, memory, queue,
walltime, account, interface and job_script_prologue, and `jobs`: how many jobs to submit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

from peckorder.errors import ArgumentError, ExecutorError
from peckorder.wording import did_you_mean

MISSING = (
    "Slurm needs dask-jobqueue, which is not installed. Install it with: pip install "
    '"peckorder[cluster]"'
)
NEEDED = ("cores", "memory")


def slurm_settings(path: str | os.PathLike[str]) -> tuple[int, dict[str, Any]]:
    """The number of jobs and the settings of the cluster in a YAML file."""
    try:
        import yaml
    except ImportError:
        raise ImportError(MISSING) from None
    with open(path, encoding="utf-8") as file:
        try:
            settings = yaml.safe_load(file)
        except yaml.YAMLError as error:
            raise ArgumentError(
                f"{path} is not a YAML file ({str(error).splitlines()[0]})."
            ) from None
    if not isinstance(settings, dict):
        raise ArgumentError(f"{path}: write one setting per line, such as cores: 4.")
    jobs = settings.pop("jobs", 1)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ArgumentError(f"{path}: jobs: {jobs} is not a number of jobs.")
    absent = [name for name in NEEDED if name not in settings]
    if absent:
        raise ArgumentError(f"{path}: {' and '.join(absent)} must be given, such as memory: 8GB.")
    return jobs, settings


@contextmanager
def slurm_cluster(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A cluster whose workers are jobs of Slurm; they end with the block.

    A job that is canceled or that fails is replaced by a new one.
    """
    jobs, settings = slurm_settings(path)
    try:
        from dask_jobqueue.core import Job, JobQueueCluster
        from dask_jobqueue.slurm import SLURMCluster, SLURMJob
    except ImportError:
        raise ImportError(MISSING) from None
    known = {
        name for kind in (Job, JobQueueCluster, SLURMJob) for name in signature(kind).parameters
    }
    for name in settings:
        if name not in known:
            raise ArgumentError(f"{path}: {name} is not known.{did_you_mean([name], known)}")
    try:
        cluster = SLURMCluster(**settings)
    except (TypeError, ValueError, OSError) as error:
        raise ArgumentError(f"{path}: {error}") from None
    try:
        cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
        yield cluster
    except (RuntimeError, FileNotFoundError) as error:
        if isinstance(error, ExecutorError):
            raise
        raise ExecutorError(
            f"Slurm did not accept a job ({str(error).splitlines()[0]})."
        ) from error
    finally:
        cluster.close()
