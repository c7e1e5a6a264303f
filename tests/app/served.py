"""A running app, pages of a real browser that looks at it, and sheets as people keep them."""

import csv
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from datetime import date, datetime, timedelta

import numpy as np

PATIENCE = 240_000  # milliseconds; waiting ends with what is waited for
NORTH = ("Abby", "Bella", "Cora", "Dina", "Ella", "Fay")
SOUTH = ("Kea", "Lua", "Mia", "Nell")
HEADS = ("Date", "Time", "Group", "Initiator", "Receiver", "Winner", "Draw?", "Behavior")
ALIASES = {"abby": "Abby", "Ela": "Ella"}


@contextmanager
def app(*arguments, home=None):
    """The app as a process of its own; gives the process and the address that it prints.

    In a home, it starts as a person starts it: where it was before.
    """
    how = ["--port", "0"] if home is None else []
    command = [sys.executable, "-m", "peckorder", "app", "--no-open", *how, *arguments]
    own = {} if home is None else dict.fromkeys(("XDG_DATA_HOME", "LOCALAPPDATA"), str(home))
    environment = os.environ | own
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), address
            yield process, address
        finally:
            process.terminate()


@contextmanager
def page_at(browser, address, **how):
    """A page of the app, and a list of all that went wrong in it."""
    wrong = []
    own = re.match(r"http://[^/]+", address)[0]

    def asked(request):
        if not request.url.startswith((own, "data:", f"blob:{own}")):
            wrong.append(f"request: {request.url}")

    def dialog(shown):
        wrong.append(f"dialog: {shown.message}")
        shown.dismiss()

    how = {"viewport": {"width": 1280, "height": 860}, "reduced_motion": "reduce"} | how
    with browser.new_context(**how) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", dialog)
        page.on("request", asked)
        page.goto(address)
        page.wait_for_selector(".screen > *")
        yield page, wrong


def go(page, screen):
    """Open a screen."""
    page.evaluate("(screen) => { location.hash = `#/${screen}`; }", screen)
    arrived(page, screen)


def arrived(page, screen):
    """Wait until a screen is there."""
    page.wait_for_function(
        "(screen) => document.documentElement.dataset.screen === screen", arg=screen
    )


def give(page, path):
    """Open a file, as by the button, and wait until its sheet or a failure is shown."""
    page.set_input_files(".screen input[type=file] >> nth=0", str(path))
    page.wait_for_selector(".grid tbody tr[data-row], .notice.bad")


def decided(page, act):
    """Do something that changes the workspace, and wait for the server's word."""
    said = page.text_content("#said")
    act()
    page.wait_for_function(
        "(said) => document.getElementById('said').textContent !== said", arg=said
    )


def ranking(page):
    """The ranking by classic Elo: names with rounded ratings."""
    page.click("[data-key=Ranking-elo]")
    page.wait_for_selector("[data-key=Ranking-elo][aria-pressed=true]")
    rows = page.query_selector_all(".p-ranking tbody tr")
    found = ([cell.inner_text() for cell in row.query_selector_all("td")] for row in rows)
    return {cells[1].strip(): int(cells[3].replace(",", "")) for cells in found if len(cells) > 3}


def record(contests=140, seed=5):
    """Rows of a field sheet, with the troubles that field sheets have."""
    random = np.random.default_rng(seed)
    for n in range(contests):
        day = date(2023, 1, 3) + timedelta(days=int(n * 350 / contests))
        group, names = ("North", NORTH) if random.random() < 0.7 else ("South", SOUTH)
        i, j = random.choice(len(names), 2, replace=False)
        first, second = names[i], names[j]
        first_wins = random.random() < 1 / (1 + 10 ** ((i - j) / 3))
        spelled = {"Abby": "abby", "Ella": "Ela"} if n % 9 == 0 else {}
        one, other = (spelled.get(name, name) for name in (first, second))
        if n in (20, 60):
            other = "?"
        if n == 33:
            other = one
        won = one if first_wins or n in (20, 33, 60) else other
        tie = n % 31 == 7
        clock = f"{6 + n % 12:02}:{n % 60:02}"
        yield day, clock, group, one, other, "" if tie else won, "x" if tie else "", "chase"


def workbook(path, rows=None):
    """A messy workbook: other sheets, titles, dates as text and as dates."""
    import xlsxwriter

    book = xlsxwriter.Workbook(path)
    book.add_worksheet("Info").write(0, 0, "See the sheet 2023")
    sheet = book.add_worksheet("2023")
    shown = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write(0, 0, "Agonistic interactions, North and South groups")
    sheet.write_row(3, 0, HEADS)
    for n, (day, *cells) in enumerate(rows or record()):
        if n % 3:
            moment = datetime(day.year, day.month, day.day)
            sheet.write_datetime(4 + n, 0, moment, shown)
        else:
            sheet.write(4 + n, 0, f"{day:%d/%m/%Y}")
        sheet.write_row(4 + n, 1, cells)
    book.close()
    return path


def sheet_of(path, names, contests, seed=1, days=300):
    """A plain sheet with dates, winners and losers among these names."""
    random = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(["date", "winner", "loser"])
        for n in range(contests):
            i, j = sorted(random.choice(len(names), 2, replace=False))
            if random.random() < 0.25:
                i, j = j, i
            day = date(2020, 1, 1) + timedelta(days=int(n * days / contests))
            write.writerow([day.isoformat(), names[i], names[j]])
    return path
