"""Starts a bundle on a machine without Python, and uses it in a real browser.

    python packaging/bundle/use.py [BUNDLE]      by default build/bundle

Nothing is in the environment of the bundle: no path, an empty home, no display. A sheet is
uploaded, ranked and reported; a second start shows the first; Quit ends it, and so does being left
alone.
Prints the size and how long each step took.
"""

import http.cookiejar
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180  # seconds: a machine may be busy
CHROMIUM = "/usr/bin/chromium"
# A report of the sheet that is open, by a process of its own; waits for its end.
JOB = """async () => {
  const w = new URLSearchParams({ w: sessionStorage.getItem("peckorder-workspace") ?? "" });
  const send = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ ask: "report", settings: {} });
  const started = await fetch(`/api/jobs?${w}`, { ...send, body });
  if (!started.ok) throw new Error(await started.text());
  for (;;) {
    const { jobs } = await (await fetch(`/api/jobs?${w}`)).json();
    if (jobs[0].state === "done") return;
    if (!["waiting", "running"].includes(jobs[0].state)) throw new Error(jobs[0].text);
    await new Promise((wait) => setTimeout(wait, 100));
  }
}"""


class Bundle:
    """A bundle and a home of its own."""

    def __init__(self, folder: Path, home: Path):
        name = "peckorder.exe" if os.name == "nt" else "peckorder"
        self.program, self.home = folder / name, home
        kept = ("SYSTEMROOT",) if os.name == "nt" else ()
        self.environment = {name: os.environ[name] for name in kept} | {
            name: str(home) for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "TMPDIR", "TEMP")
        }

    def start(self, *arguments: str, idle: float = 900.0) -> tuple[subprocess.Popen, str]:
        """Start it; returns the process and the address that it prints."""
        process = subprocess.Popen(
            [self.program, "--no-open", *arguments],
            env=self.environment | {"PECKORDER_IDLE": str(idle)},
            cwd=self.home,
            stdout=subprocess.PIPE,
            text=True,
        )
        return process, process.stdout.readline().strip()


def contests(path: Path) -> Path:
    """A sheet of 120 contests among five."""
    rows = [
        f"2024-{1 + n // 28:02}-{1 + n % 28:02},{n % 5},{(n + 1 + n // 7 % 4) % 5}"
        for n in range(120)
    ]
    names = {str(i): name for i, name in enumerate(["Ada", "Bo", "Cy", "Di", "Ed"])}
    cells = [",".join(names.get(cell, cell) for cell in row.split(",")) for row in rows]
    path.write_text("date,winner,loser\n" + "\n".join(cells) + "\n", encoding="utf-8")
    return path


def use(bundle: Bundle, began: float, process, address: str, say) -> None:
    """Upload, rank and report in a browser; then quit."""
    say("address printed", time.monotonic() - began)
    sheet = contests(bundle.home / "contests.csv")
    found = {"executable_path": CHROMIUM} if Path(CHROMIUM).exists() else {}
    with sync_playwright() as play:
        browser = play.chromium.launch(args=["--no-sandbox"], **found)
        page = browser.new_page()
        wrong: list[str] = []
        page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: wrong.append(str(one)))
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(address)
        page.wait_for_selector(".screen > *")
        say("first page", time.monotonic() - began)
        page.set_input_files(".screen input[type=file] >> nth=0", sheet)
        page.wait_for_selector(".grid tbody tr[data-row]")
        say("sheet", time.monotonic() - began)
        page.evaluate("() => { location.hash = '#/explore'; }")
        page.wait_for_selector(".p-ranking tbody tr")
        say("ranking", time.monotonic() - began)
        page.wait_for_selector(".screen figure svg, .screen svg")
        say("first picture", time.monotonic() - began)
        since = time.monotonic()
        page.evaluate(JOB)
        say("a report, as a job", time.monotonic() - since)
        assert not wrong, wrong
        browser.close()


def shell(bundle: Bundle, *arguments: str) -> str:
    """What a command of the bundle prints."""
    done = subprocess.run(
        [bundle.program, *arguments],
        env=bundle.environment,
        cwd=bundle.home,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def quit_by(address: str) -> None:
    """Quit as the page does."""
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    call = urllib.request.build_opener(jar)
    call.open(address).read()  # the token becomes a cookie
    call.open(urllib.request.Request(f"{address.split('?')[0]}api/quit", b"")).read()


def main(folder: Path) -> None:
    """Use a bundle, and print what that took."""
    rows: list[tuple[str, float]] = []

    def say(what: str, seconds: float) -> None:
        rows.append((what, seconds))
        print(f"{what}: {seconds:.1f} s", flush=True)

    size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
    print(f"size: {size / 1e6:,.0f} MB")
    with tempfile.TemporaryDirectory(prefix="home of ü ") as home:
        bundle = Bundle(folder, Path(home))
        for which in ("first start ever", "second start"):
            print(f"-- {which}")
            began = time.monotonic()
            process, address = bundle.start()
            use(bundle, began, process, address, say)
            other, same = bundle.start()
            assert same == address, (same, address)
            assert other.wait(PATIENCE) == 0
            began = time.monotonic()
            quit_by(address)
            assert process.wait(PATIENCE) == 0
            say("quit", time.monotonic() - began)
            assert not list(bundle.home.rglob("running.json"))
        print("-- left alone, and killed")
        process, address = bundle.start(idle=4)
        assert process.wait(PATIENCE) == 0
        process, address = bundle.start()
        process.kill()
        process.wait()
        process, other = bundle.start()  # the note of the killed one is stale
        assert other != address
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert not list(bundle.home.rglob("running.json"))
        print("-- at the shell")
        table = json.loads(
            shell(bundle, "dynamic", "contests.csv", "--seed", "1", "--format", "json")
        )
        assert len(table["result"]["table"]) == 5
        assert "examples" in shell(bundle, "--help")
    print("done")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bundle").resolve())
