"""A real browser that may not reach a network, and what went wrong in it."""

import os
import shutil
from contextlib import contextmanager

import pytest

ALONE = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
KINDS = [
    "ranks",
    "trajectories",
    "matrix",
    "chances",
    "steepness",
    "dominance_style",
    "shape",
    "compare",
    "calibration",
    "posterior",
    "presence",
    "recovery",
    "summed_probability",
    "likelihood",
]


def instead(reason):
    """A browser may be missing on a desk, never where every change is tested."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


# Milliseconds. Waiting ends with what is waited for, so only failures take so long.
PATIENCE = 120_000


@contextmanager
def launched():
    """The browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        instead("There is no playwright.")
    with sync_playwright() as started:
        own = started.chromium.executable_path
        chromium = shutil.which("chromium") or (own if os.path.exists(own) else None)
        if chromium is None:
            instead("There is no chromium.")
        browser = started.chromium.launch(executable_path=chromium, args=ALONE, timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def shown(browser, path, **how):
    """The page of a file with all its figures drawn, and a list of all that went wrong."""
    wrong = []

    def asked(request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            wrong.append(f"request: {request.url}")

    def dialog(shown):
        wrong.append(f"dialog: {shown.message}")
        shown.dismiss()

    how = {"viewport": {"width": 1200, "height": 900}, "offline": True} | how
    with browser.new_context(**how) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", dialog)
        page.on("request", asked)
        page.goto(path.as_uri())
        settle(page)
        yield page, wrong


@contextmanager
def opened(path):
    """A page in a browser of its own."""
    with launched() as browser, shown(browser, path) as looked_at:
        yield looked_at


def settle(page, followed=None):
    """Waits until every figure is drawn for the individual followed."""
    page.wait_for_function(
        """([kinds, who]) => [...document.querySelectorAll("figure")].every((figure) => {
          const { kind, columns } = JSON.parse(figure.querySelector("script").textContent);
          const { drawn, followed } = figure.querySelector(".plot").dataset;
          const mine = "individual" in columns || "row" in columns ? who : null;
          return !kinds.includes(kind) || (drawn === "true" && (followed ?? null) === mine);
        })""",
        arg=[KINDS, followed],
    )


def sheets_of(page):
    """Size of the first printed sheet, and the text of all of them."""
    import io
    import unicodedata

    try:
        from pypdf import PdfReader
    except ImportError:
        instead("There is no pypdf.")
    sheets = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages
    size = round(sheets[0].mediabox.width), round(sheets[0].mediabox.height)
    texts = (unicodedata.normalize("NFKC", sheet.extract_text()) for sheet in sheets)  # ligatures
    return size, [" ".join(text.split()) for text in texts]
