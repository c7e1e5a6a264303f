"""Work by the workers of a dask.distributed cluster, on this machine or on many.

Each item travels once, with the task that needs it; what all items share is scattered once to all
workers. The scheduler repeats the tasks of a worker that died on another one. A task that was lost
with its workers is submitted again, item by item, so that the item that ends them is found.

A cluster of dask workers that run as jobs of Slurm, from a file of settings.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from inspect import signature
from typing import Any

from peckorder.errors import ArgumentError, ExecutorError
from peckorder.executors.worker import MOST_DEATHS, Lost, Outcome, outcomes_of
from peckorder.methods import VERSION
from peckorder.text import did_you_mean

MOST_AT_ONCE = 16  # items in one task
TASKS_PER_WORKER = 4  # submitted at a time
FEWEST_TASKS = 64
SECONDS = 30  # to wait for the first worker of a cluster that is said to be running
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
MISSING = (
    "{} needs dask.distributed, which is not installed. Install it with: pip install "
    '"peckorder[cluster]"'
)


def is_cluster(executor: Any) -> bool:
    """Whether this is a client of dask.distributed, a cluster of it, or an address."""
    if isinstance(executor, str):
        return executor.startswith(SCHEMES)
    return hasattr(executor, "scatter") or hasattr(executor, "scheduler_address")


def in_cluster(
    function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any], cluster: Any
) -> Iterator[tuple[int, Outcome]]:
    """Pairs of (place of the item, outcome), in the order in which tasks are finished."""
    distributed = _distributed()
    if hasattr(cluster, "scatter"):
        yield from _Tasks(cluster, function, shared, items).arrivals()
        return
    named = isinstance(cluster, str)
    try:
        client = distributed.Client(cluster, set_as_default=False, timeout=SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        where = cluster if named else getattr(cluster, "scheduler_address", "the cluster")
        raise ExecutorError(f"No scheduler answers at {where} ({error}).") from None
    with client:
        if named:  # otherwise its workers may be waiting in the queue of a batch system
            _wait_for_one(client, cluster)
        yield from _Tasks(client, function, shared, items).arrivals()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError(MISSING.format("A cluster")) from None
    return distributed


def _wait_for_one(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError:
        raise ExecutorError(
            f"The cluster at {address} has no workers. Start some: dask worker {address}"
        ) from None


class _Tasks:
    """Tasks of a client, some at a time."""

    def __init__(
        self,
        client: Any,
        function: Callable[[Any, Any], Any],
        shared: Any,
        items: Sequence[Any],
    ) -> None:
        self.client, self.function, self.shared, self.items = client, function, shared, items
        self.scattered: Any = None
        self.running: dict[Any, list[int]] = {}
        self.deaths: Counter[int] = Counter()
        # Workers may still join, so that the number of those present is not the last word.
        self.most = max(FEWEST_TASKS, TASKS_PER_WORKER * len(client.scheduler_info()["workers"]))

    def arrivals(self) -> Iterator[tuple[int, Outcome]]:
        """All outcomes; tasks that were lost are submitted again."""
        from distributed import as_completed

        refuse_other_versions(self.client)
        size = max(1, min(MOST_AT_ONCE, len(self.items) // self.most))
        waiting = [
            list(range(i, min(i + size, len(self.items)))) for i in range(0, len(self.items), size)
        ][::-1]
        finished = as_completed(loop=self.client.loop)
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.most:
                    finished.add(self._submitted(waiting.pop()))
                task = next(finished)
                places = self.running.pop(task)
                if task.status == "finished":
                    yield from zip(places, task.result(), strict=True)
                    continue
                for lost, again in self._lost(task, places):
                    if again is None:
                        waiting.append([lost])
                    else:
                        yield lost, again
        except (CancelledError, OSError):  # at any line above, the result of a finished task too
            raise _gone() from None
        finally:
            if self.running and self.client.status == "running":
                self.client.cancel(list(self.running))

    def _submitted(self, places: list[int]) -> Any:
        if self.client.status != "running":
            raise _gone()
        if self.scattered is None or self.scattered.status != "finished":
            workers = self.client.scheduler_info()["workers"]
            self.scattered = (
                self.client.scatter(self.shared, broadcast=True, hash=False) if workers else None
            )
        task = self.client.submit(
            outcomes_of,
            self.function,
            self.shared if self.scattered is None else self.scattered,
            [self.items[i] for i in places],
            VERSION,
            pure=False,
        )
        self.running[task] = places
        return task

    def _lost(self, task: Any, places: list[int]) -> Iterator[tuple[int, Lost | None]]:
        """Items of a task without result: to be submitted again (None), or given up."""
        if self.client.status != "running":
            raise _gone()
        error = None if task.status in ("cancelled", "lost") else task.exception()
        died = type(error).__name__ == "KilledWorker"
        if error is not None and not died:
            raise _explained(error)
        self.scattered = None
        for place in places:
            self.deaths[place] += 1
            alone = len(places) == 1
            if (died and alone) or self.deaths[place] > 3 * MOST_DEATHS:
                yield place, Lost("died")
            else:
                yield place, None


def _gone() -> ExecutorError:
    return ExecutorError("The connection to the cluster was lost.")


def _explained(error: BaseException) -> Exception:
    if isinstance(error, ExecutorError):
        return error
    if isinstance(error, ImportError):
        return ExecutorError(
            f"A worker of the cluster cannot import what it needs ({error}). Install peckorder "
            f"{VERSION} where the workers run."
        )
    return ExecutorError(f"A worker of the cluster failed ({type(error).__name__}: {error}).")


def refuse_other_versions(client: Any) -> None:
    """Raise an error if a worker lacks this package or has another version of it."""

    def installed() -> str | None:  # sent as code: a worker may lack the package
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("peckorder")
        except PackageNotFoundError:
            return None

    found = client.run(installed, on_error="return")
    wrong = {
        worker: "without peckorder" if version is None else f"with {version}"
        for worker, version in found.items()
        if version != VERSION and not isinstance(version, OSError)
    }
    if wrong:
        shown = ", ".join(f"{worker} ({what})" for worker, what in list(wrong.items())[:10])
        raise ExecutorError(
            f"{len(wrong):,} of {len(found):,} workers cannot compute what this process would: "
            f"{shown}. Install peckorder {VERSION} where the workers run."
        )


SLURM_MISSING = (
    "Slurm needs dask-jobqueue, which is not installed. Install it with: pip install "
    '"peckorder[cluster]"'
)
NEEDED = ("cores", "memory")


def slurm_settings(path: str | os.PathLike[str]) -> tuple[int, dict[str, Any]]:
    """The number of jobs and the settings of the cluster in a YAML file."""
    try:
        import yaml
    except ImportError:
        raise ImportError(SLURM_MISSING) from None
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
        raise ImportError(SLURM_MISSING) from None
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
