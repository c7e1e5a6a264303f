"""Answers of the app to one visitor, and to fifty at once.

A server is started as `peckorder app` does. One visitor decides about a messy workbook of 10,000
rows, and moves k with 1,000 contests and with 100,000 contests among 500 individuals. Then fifty
visitors open workspaces of 1,000 contests, move k once per second and upload again every ten
seconds, for a minute. Memory and processor time (CPU) are those of the server; on a busy machine,
the time until the answer also contains that of others.
"""

from __future__ import annotations

import asyncio
import io
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import httpx
import polars as pl
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


def field_workbook(number: int) -> bytes:
    """A workbook of contests with what field sheets have: see DECISIONS."""
    winner, loser = contests(number, 20)
    rows = []
    for i, (w, x) in enumerate(zip(winner, loser, strict=True), 1):
        one, other, won = f"I{w}", f"I{x}", f"I{w}"
        if i % 97 == 0:
            one = won = f"I{w} & I{(w + 1) % 20}"
        if i % 131 == 0:
            other = "unknown"
        if i % 151 == 0:
            won = "none"
        if i % 171 == 0:
            one = won = one.lower()
        if i % 1_999 == 0:
            one = won = other
        day = f"{1 + i * 27 // number:02d}/{1 + i * 11 // number:02d}/2023"
        rows.append((day, f"{6 + i % 12:02d}:{i % 60:02d}", one, other, won, "chase"))
    heads = ("Date", "Time", "Initiator", "Receiver", "Winner", "Behavior")
    book = io.BytesIO()
    pl.DataFrame(rows, schema=heads, orient="row").write_excel(book)
    return book.getvalue()


# One after the other, each about all rows.
DECISIONS = (
    {"date_format": "%d/%m/%Y"},
    {"polyadic": "dyads"},
    {"polyadic": "drop"},
    {"ignore": ["unknown"]},
    {"undecided": "drop"},
    {"missing": "drop"},
    {"self_contests": "drop"},
    {"names": {"i1": "I1"}},
    {"names": {"i2": "I2"}},
    {"presence": "inferred"},
    {"time": ""},
    {"a": "Receiver", "b": "Initiator", "outcome": "Winner"},
    {"context": "Behavior"},
)


def processor(pid: int) -> float:
    """Milliseconds for which the threads of a process have run, where the system tells."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    spent = [int(thread.read_text().split()[0]) for thread in threads]
    return sum(spent) / 1e6 if spent else float("nan")


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


async def decided(client: httpx.AsyncClient, pid: int, number: int, times: int):
    """Milliseconds of decisions until the answer, and of the processor for each."""
    content, waits, spent = field_workbook(number), [], []
    for _ in range(times):
        answer = await client.post("/api/record", params={"name": "field.xlsx"}, content=content)
        state = answer.raise_for_status().json()
        for change in DECISIONS:
            before, began = processor(pid), time.perf_counter()
            body = {"rev": state["rev"], "set": change}
            where = {"w": state["workspace"]}
            answer = await client.patch("/api/reading", params=where, json=body)
            waits.append(1000 * (time.perf_counter() - began))
            spent.append(processor(pid) - before)
            state = answer.raise_for_status().json()
            if not state["contests"]:
                raise RuntimeError(f"{change} left no contests")
    return waits, spent


async def alone(client: httpx.AsyncClient, pid: int, number: int, individuals: int, times: int):
    """Milliseconds of the first picture, of moves of k, and of moves with all figures.

    The last is the time of the processor for each of the moves with all figures.
    """
    workspace = await uploaded(client, sheet(number, individuals))
    first = await moved(client, workspace, WHOLE)
    moves = [await moved(client, workspace, MOVE) for _ in range(times)]
    whole, spent = [], []
    for _ in range(times):
        before = processor(pid)
        whole.append(await moved(client, workspace, WHOLE))
        spent.append(processor(pid) - before)
    return first, moves, whole, spent


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


def timed(what: str, values: list[float], most: float) -> tuple[str, ...]:
    """A row of the table: median, 95th percentile, target and whether it is met."""
    high = p95(values)
    middle = statistics.median(values)
    note(f"app, {what}, p95", high, "ms", most=most)
    return what, f"{middle:.0f} ms", f"{high:.0f} ms", f"≤ {most} ms", verdict(high <= most)


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


async def measured(quick: bool) -> None:
    rows, load = [], os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    with server() as (process, address):
        limits = httpx.Limits(max_connections=60)
        base = address.partition("/?")[0]
        async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as client:
            await client.get(address)
            await alone(client, process.pid, 100, 5, 3)  # warm-up
            await decided(client, process.pid, 200, 1)
            number = 1_000 if quick else 10_000
            waits, spent = await decided(client, process.pid, number, 1 if quick else 3)
            rows.append(timed(f"{number:,} rows: a decision", waits, 150))
            rows.append(timed(f"{number:,} rows: a decision, CPU", spent, 150))
            sizes = ((1_000, 20, 100),) if quick else ((1_000, 20, 100), (100_000, 500, 500))
            for number, individuals, most in sizes:
                first, moves, whole, spent = await alone(
                    client, process.pid, number, individuals, 3 if quick else 40
                )
                about = f"{number:,} contests, {individuals} individuals"
                rows.append(timed(f"{about}: move of k", moves, most))
                rows.append(timed(f"{about}: all figures", whole, most))
                rows.append(timed(f"{about}: all figures, CPU", spent, most))
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
    if hasattr(os, "getloadavg"):
        began, now = load, os.getloadavg()[0]
        print(f"Load of the machine: {began:.1f} before, {now:.1f} after; {os.cpu_count()} cores.")


if __name__ == "__main__":
    asyncio.run(measured(wants_quick(__doc__)))
