"""One way to run work elsewhere, whatever the executor: the same results in the same order.

Items carry their own seeds, so that results depend neither on the executor nor on the order in
which they arrive.

Work by any `concurrent.futures.Executor`: threads, processes, MPI, a cluster's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from typing import Any

import numpy as np

from peckorder.errors import ArgumentError, ArgumentTypeError, ExecutorError
from peckorder.executors.clusters import in_cluster, is_cluster
from peckorder.executors.processes import in_processes
from peckorder.executors.worker import Done, Failed, Outcome, outcome_of, outcomes_of
from peckorder.methods import VERSION
from peckorder.random_runs import Progress

MOST_PROCESSES = 4096


def checked_executor(executor: Any) -> Any:
    """An executor, or an error that lists what can be one."""
    if executor is None or isinstance(executor, Executor) or is_cluster(executor):
        return executor
    if isinstance(executor, int | np.integer) and not isinstance(executor, bool):
        if not 1 <= executor <= MOST_PROCESSES:
            raise ArgumentError(
                f"executor={executor}: give a number of worker processes from 1 to "
                f"{MOST_PROCESSES:,}."
            )
        return int(executor)
    raise ArgumentTypeError(
        f"executor={executor!r}: give a number of worker processes, an executor of "
        f"concurrent.futures, a client of dask.distributed, or the address of its scheduler, such "
        f'as "tcp://host:8786".'
    )


def arriving(
    function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any], executor: Any
) -> Iterator[tuple[int, Outcome]]:
    """Call `function(shared, item)` for all items: pairs of (place, outcome) as they finish.

    Parameters
    ----------
    function : a function of a module, or any function if cloudpickle is installed
    shared : what all items need; sent once to each worker
    items : one argument each
    executor : None or 1 (this process), a number of worker processes, an executor of
        concurrent.futures, a client of dask.distributed or the address of its scheduler
    """
    executor = checked_executor(executor)
    if executor is None or executor == 1:
        return ((i, outcome_of(function, shared, item)) for i, item in enumerate(items))
    if isinstance(executor, int):
        return in_processes(function, shared, items, executor)
    if isinstance(executor, Executor):
        return by_futures(function, shared, items, executor)
    return in_cluster(function, shared, items, executor)


def map_in_order(
    function: Callable[[Any, Any], Any],
    items: Sequence[Any],
    *,
    shared: Any = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> list[Any]:
    """The values `function(shared, item)` of all items, in their order; see `arriving`.

    The first error that arrives is raised, and the rest is abandoned.

    >>> map_in_order(lambda base, x: base + x, [1, 2, 3], shared=10)
    [11, 12, 13]
    """
    values: list[Any] = [None] * len(items)
    for done, (place, outcome) in enumerate(arriving(function, shared, items, executor), 1):
        if isinstance(outcome, Failed):
            raise outcome.error
        if not isinstance(outcome, Done):
            raise ExecutorError(
                f"The worker {outcome.how} each time it computed part {place + 1:,} of "
                f"{len(items):,}. A lack of memory is the most common reason."
            )
        values[place] = outcome.value
        if progress is not None:
            progress(done, len(items))
    return values


MOST_AT_ONCE = 16  # items in one task
TASKS = 256  # submitted at a time


def by_futures(
    function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any], executor: Executor
) -> Iterator[tuple[int, Outcome]]:
    """Pairs of (place of the item, outcome), in the order in which tasks are finished."""
    size = max(1, min(MOST_AT_ONCE, len(items) // TASKS))
    ahead = iter([range(i, min(i + size, len(items))) for i in range(0, len(items), size)])
    running: dict[Any, range] = {}

    def submit() -> None:
        places = next(ahead, None)
        if places is not None:
            own = [items[i] for i in places]
            running[executor.submit(outcomes_of, function, shared, own, VERSION)] = places

    try:
        for _ in range(TASKS):
            submit()
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for task in finished:
                places = running.pop(task)
                yield from zip(places, task.result(), strict=True)
                submit()
    except (BrokenExecutor, CancelledError, RuntimeError) as error:
        raise ExecutorError(
            f"The executor broke ({type(error).__name__}: {error}). Worker processes of this "
            f"package (executor=4, for example) are replaced when they die."
        ) from error
    finally:
        for task in running:
            task.cancel()
