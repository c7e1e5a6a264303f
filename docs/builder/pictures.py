"""Pictures of the report and of the app for README and documents: python -m docs.builder.pictures.

Needs Chromium. The data are those of the tutorial.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import peckorder as po

DOCS = Path(__file__).parent.parent
PICTURES = DOCS / "pictures"
GOATS = DOCS / "data" / "goats.csv"
DRAWN = 5000  # milliseconds


def main() -> None:
    """Photograph report and app, which write into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        the_report(browser, Path(folder))
        the_app(browser, Path(folder))
        browser.close()


def the_report(browser: Browser, folder: Path) -> None:
    """The ranking."""
    names = DOCS / "data" / "goat_names.csv"
    goats = po.read(GOATS, self_contests="drop", ignore="?", names=names)
    page = po.report(goats, folder / "goats.html", seed=1)
    view = browser.new_page(viewport={"width": 1120, "height": 760})
    view.goto(page.as_uri())
    view.wait_for_timeout(DRAWN)
    view.evaluate("document.querySelector('#ranking').scrollIntoView()")
    view.wait_for_timeout(DRAWN)
    view.screenshot(path=PICTURES / "report-ranking.png")


def the_app(browser: Browser, folder: Path) -> None:
    """The sheet as it was opened, and what is explored once its doubts are settled."""
    command = [sys.executable, "-m", "peckorder", "app", "--no-open", "--port", "0", str(GOATS)]
    own = os.environ | {"XDG_DATA_HOME": str(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own) as server:
        assert server.stdout is not None
        view = browser.new_page(viewport={"width": 1280, "height": 800})
        view.goto(server.stdout.readline().strip())
        view.wait_for_selector("table")
        view.wait_for_timeout(DRAWN)
        view.screenshot(path=PICTURES / "app-data.png")
        view.get_by_role("button", name="Accept all suggestions").click()
        view.wait_for_timeout(DRAWN)
        view.evaluate("location.hash = '#/explore'")
        view.set_viewport_size({"width": 1280, "height": 1240})
        view.wait_for_timeout(3 * DRAWN)
        view.screenshot(path=PICTURES / "app-explore.png")
        server.terminate()


if __name__ == "__main__":
    main()
