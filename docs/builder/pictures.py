"""Pictures of the report for the README and the tutorial: python -m docs.builder.pictures.

Needs Chromium. The report is that of the tutorial, at the ranking.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import peckorder as po

DOCS = Path(__file__).parent.parent
VIEWS = {"report-ranking.png": "#ranking"}


def main() -> None:
    """Write the report into a temporary folder and photograph it."""
    goats = po.read(
        DOCS / "data" / "goats.csv",
        self_contests="drop",
        ignore="?",
        names=DOCS / "data" / "goat_names.csv",
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        page = po.report(goats, Path(folder) / "goats.html", seed=1)
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        view = browser.new_page(viewport={"width": 1120, "height": 760})
        view.goto(page.as_uri())
        view.wait_for_timeout(3000)
        for name, place in VIEWS.items():
            view.evaluate("place => document.querySelector(place).scrollIntoView()", place)
            view.wait_for_timeout(1500)
            view.screenshot(path=DOCS / "pictures" / name)
        browser.close()


if __name__ == "__main__":
    main()
