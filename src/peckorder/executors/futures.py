"""Work by any `concurrent.futures.Executor`: threads, processes, MPI, a cluster's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from typing import Any

from peckorder.citation import VERSION
from peckorder.errors import ExecutorError
from peckorder.executors.outcomes import Outcome, outcomes_of

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
