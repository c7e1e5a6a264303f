"""Repeated random runs: seeds, threads, progress and interruption.

Each run has its own random stream, identified by the number of the run, so that results depend on
the seed but not on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.validate import seed_number, whole_number

Progress = Callable[[int, int], object]


def cores() -> int:
    """Number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def number_of_threads(threads: Any) -> int:
    """The number of threads requested, or one per core."""
    return cores() if threads is None else whole_number("threads", threads, 1, 4096)


def in_threads(
    work: Callable[[int, int], object],
    runs: int,
    *,
    block: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Call `work(begin, end)` for all runs, in blocks distributed over threads.

    `work` must release the global interpreter lock and write its own part of the result. Ctrl-C
    stops after the current blocks; `progress(done, runs)` is called after each block.
    """
    blocks = [(begin, min(begin + block, runs)) for begin in range(0, runs, block)]
    workers = min(number_of_threads(threads), len(blocks))
    if workers == 1:
        for begin, end in blocks:
            work(begin, end)
            if progress is not None:
                progress(end, runs)
        return
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        sizes = {pool.submit(work, begin, end): end - begin for begin, end in blocks}
        try:
            for future in as_completed(sizes):
                future.result()
                done += sizes[future]
                if progress is not None:
                    progress(done, runs)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def watched(
    work: Callable[[int], object],
    number: int,
    *,
    done: np.ndarray,
    total: int,
    stop: np.ndarray,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Call `work(i)` for a few long tasks in threads and monitor their progress.

    A task increments `done` as it proceeds and stops early when `stop[0]` is set, as on Ctrl-C.
    """
    with ThreadPoolExecutor(min(number_of_threads(threads), number)) as pool:
        waiting = {pool.submit(work, i) for i in range(number)}
        try:
            while waiting:
                ended, waiting = wait(waiting, timeout=0.1)
                for piece in ended:
                    piece.result()
                if progress is not None:
                    progress(int(done.sum()), total)
        except BaseException:
            stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@dataclass(frozen=True)
class Runs:
    """A number of random runs, with their seed, threads, progress callback and executor."""

    number: int
    seed: int
    threads: int | None = None
    progress: Progress | None = None
    executor: Any = None  # see `executors.mapping`

    @classmethod
    def of(
        cls, runs: Any, seed: Any, threads: int | None, progress: Progress | None, least: int = 1
    ) -> Runs:
        """Checked settings of repeated runs."""
        threads = number_of_threads(threads)
        return cls(whole_number("runs", runs, least), seed_number(seed), threads, progress)

    def do(self, work: Callable[[int, int], object], block: int) -> None:
        """Call `work(begin, end)` for all runs: see `in_threads`."""
        in_threads(work, self.number, block=block, threads=self.threads, progress=self.progress)

    def key(self, purpose: int = 0) -> np.uint64:
        """The key of the random streams used for one purpose."""
        return np.random.SeedSequence([self.seed, purpose]).generate_state(1, np.uint64)[0]


def p_value(as_extreme: np.ndarray) -> float:
    """(count + 1)/(runs + 1): the observed value counts as one of the randomizations."""
    return float((np.count_nonzero(as_extreme) + 1) / (len(as_extreme) + 1))


def monte_carlo_error(p: float, runs: int) -> float:
    """Monte Carlo standard error of a p-value estimated from this number of runs."""
    return float(np.sqrt(p * (1 - p) / (runs + 1)))
