"""Answers of the app to one visitor, and to fifty at once.

A server is started as `peckorder app` does. One visitor moves k with 1,000 contests and with
100,000 contests among 500 individuals. Then fifty visitors open workspaces of 1,000 contests, move
k once per second and upload again every ten seconds, for a minute. Memory is that of the server.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import httpx
from common import contests, note, print_table, verdict, wants_quick

MOVE = {"parts": "ranking,lines"}
WHOLE = {"parts": "ranking,lines,matrix,structure,accuracy,strip"}
UPLOAD_EVERY, PAUSE = 10.0, 1.0  # seconds


def sheet(number: int, individuals: int) -> bytes:
    """A CSV file of contests with dates."""
    winner, loser = contests(number, individuals)
    days = [f"{2000 + i * 20 // number}-{1 + i * 240 // number % 12:02d}-01" for i in range(number)]
    rows = (f"{d},i{w},i{x}" for d, w, x in zip(sorted(days), winner, loser, strict=True))
    return ("date,winner,loser\n" + "\n".join(rows) + "\n").encode()


@contextmanager
def server():
    """A running server, and its address."""
    command = [sys.executable, "-m", "peckorder", "app", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("no output")
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def memory(pid: int) -> float:
    """Megabytes of memory in use, where the system tells."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def uploaded(client: httpx.AsyncClient, content: bytes) -> str:
    """A new workspace."""
    answer = await client.post("/api/record", params={"name": "contests.csv"}, content=content)
    answer.raise_for_status()
    return answer.json()["workspace"]


async def moved(client: httpx.AsyncClient, workspace: str, parts: dict[str, str]) -> float:
    """Milliseconds of one move of k to a value that was not used before."""
    k = round(random.uniform(1, 400), 3)
    began = time.perf_counter()
    answer = await client.get("/api/elo", params={"w": workspace, "k": k, **parts})
    answer.raise_for_status()
    return 1000 * (time.perf_counter() - began)


async def alone(client: httpx.AsyncClient, number: int, individuals: int, times: int):
    """Milliseconds of the first picture, of moves of k, and of moves with all figures."""
    workspace = await uploaded(client, sheet(number, individuals))
    first = await moved(client, workspace, WHOLE)
    return (
        first,
        [await moved(client, workspace, MOVE) for _ in range(times)],
        [await moved(client, workspace, WHOLE) for _ in range(times)],
    )


async def visitor(
    client: httpx.AsyncClient, content: bytes, end: float, waits: list[float], failed: list[str]
) -> None:
    """One of many: uploads, and moves k until the end."""
    await asyncio.sleep(random.uniform(0, PAUSE))
    again, workspace = 0.0, ""
    while time.monotonic() < end:
        try:
            if time.monotonic() > again:
                workspace = await uploaded(client, content)
                again = time.monotonic() + UPLOAD_EVERY
            waits.append(await moved(client, workspace, MOVE))
        except httpx.HTTPError as error:
            failed.append(f"{type(error).__name__}: {error}")
        await asyncio.sleep(random.uniform(0.5, 1.5) * PAUSE)


async def together(client, pid: int, visitors: int, seconds: float):
    """Milliseconds of all moves, errors, and memory before and at most."""
    content, waits, failed = sheet(1_000, 20), [], []
    before, peak = memory(pid), 0.0
    end = time.monotonic() + seconds
    tasks = [
        asyncio.create_task(visitor(client, content, end, waits, failed)) for _ in range(visitors)
    ]
    while not all(task.done() for task in tasks):
        peak = max(peak, memory(pid))
        await asyncio.sleep(0.2)
    return waits, failed, before, peak


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


async def measured(quick: bool) -> None:
    rows = []
    with server() as (process, address):
        limits = httpx.Limits(max_connections=60)
        base = address.partition("/?")[0]
        async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as client:
            await client.get(address)
            await alone(client, 100, 5, 3)  # warm-up
            sizes = ((1_000, 20, 100),) if quick else ((1_000, 20, 100), (100_000, 500, 500))
            for number, individuals, most in sizes:
                first, moves, whole = await alone(client, number, individuals, 3 if quick else 40)
                about = f"{number:,} contests, {individuals} individuals"
                for what, values in ((": move of k", moves), (": all figures", whole)):
                    middle = statistics.median(values)
                    note(f"app, {about}{what}, p95", p95(values), "ms", most=most)
                    rows.append(
                        (
                            about + what,
                            f"{middle:.0f} ms",
                            f"{p95(values):.0f} ms",
                            f"≤ {most} ms",
                            verdict(p95(values) <= most),
                        )
                    )
                rows.append((f"{about}: first picture", f"{first:.0f} ms", "", "", ""))
            visitors, seconds = (5, 2.0) if quick else (50, 60.0)
            waits, failed, before, peak = await together(client, process.pid, visitors, seconds)
            rows.append(
                (
                    f"{visitors} visitors for {seconds:.0f} s: {len(waits):,} moves of k",
                    f"{statistics.median(waits):.0f} ms",
                    f"{p95(waits):.0f} ms",
                    "",
                    "",
                )
            )
            rows.append(
                (
                    f"errors {Counter(failed).most_common(2)}" if failed else "errors",
                    f"{len(failed)}",
                    "",
                    "0",
                    verdict(not failed),
                )
            )
            growth = peak - before
            note(f"app, {visitors} visitors, errors", len(failed), "", most=0)
            note(f"app, {visitors} visitors, growth of memory", growth, "MB", most=1000.0)
            rows.append(
                (
                    "memory of the server: before, most",
                    f"{before:.0f} MB",
                    f"{peak:.0f} MB",
                    "< 1,000 MB",
                    verdict(not growth > 1000),
                )
            )
    print_table(("app", "median", "p95", "target", ""), rows)


if __name__ == "__main__":
    asyncio.run(measured(wants_quick(__doc__)))
