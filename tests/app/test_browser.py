"""The page of the app in a real browser, as a person uses it, with the network off."""

import csv
import io
import re
import time
from pathlib import Path

import pytest

import peckorder as po
from tests.app.served import (
    ALIASES,
    app,
    arrived,
    decided,
    give,
    go,
    page_at,
    ranking,
    sheet_of,
    workbook,
)
from tests.reporting.chromium import launched

pytestmark = pytest.mark.programs

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a&b\"'",
    "=1+1",
    "${alert(1)}",
    "مريم",
    "🦍 Zoë",
    "x" * 200,
)
LOG = Path(__file__).parent.parent / "field" / "boris_tabular.tsv"
SCREENS = ("data", "explore", "answer", "take", "learn")


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def address():
    with app() as (_, printed):
        yield printed


@pytest.fixture
def opened(browser, address):
    """A page of the app; nothing may go wrong in it."""
    with page_at(browser, address) as (page, wrong):
        yield page
        assert wrong == []


def library(path, **more):
    """The contests of the messy workbook as the decisions of the test read them."""
    rules = {"self_contests": "drop", "ignore": ["?"], "names": ALIASES}
    return po.read(str(path), **rules, **more)


def shown(ratings):
    return {name: round(value) for name, value in ratings.items()}


def wait_for_ranking(page, expected):
    """Waits until the ranking shown is the one expected."""
    names = [f"{name} {value:,}" for name, value in expected.items()]
    page.click("[data-key=Ranking-elo]")
    page.wait_for_function(
        """(names) => names.join() === [...document.querySelectorAll(".p-ranking tbody tr")].map(
          (row) => `${row.cells[1].innerText.trim()} ${row.cells[3].innerText}`).join()""",
        arg=names,
    )


def saved(page, act):
    """The content of the file that an act saves, and its name."""
    with page.expect_download() as download:
        act()
    path = download.value.path()
    return path.read_bytes(), download.value.suggested_filename


@pytest.mark.filterwarnings("ignore::peckorder.errors.DataWarning")
def test_from_a_messy_workbook_to_a_report(browser, opened, address, tmp_path):
    page, path = opened, workbook(tmp_path / "agonism.xlsx")
    give(page, path)
    assert page.inner_text(".filename") == "agonism.xlsx"
    assert page.inner_text(".sheets [aria-pressed=true]") == "2023"

    # A role is changed by its menu, seen in the code, and taken back by undo.
    column = page.locator("[data-key=role-7]")
    role = column.input_value()
    decided(page, lambda: column.select_option("season"))
    page.wait_for_function("() => document.querySelector('.peek').innerText.includes('season')")
    assert "Undo: Behavior" in page.get_attribute(".tools button >> nth=0", "title")
    decided(page, lambda: page.keyboard.press("Control+z"))
    page.wait_for_function(
        "(role) => document.querySelector('[data-key=role-7]').value === role", arg=role
    )

    # A check lights up its rows; an alias is decided; the rest is accepted.
    page.click("[data-key=check-self-contest-]")
    page.wait_for_selector("tr.lit")
    page.check("[data-key=only]")
    page.wait_for_function("() => document.querySelectorAll('tbody tr[data-row]').length === 1")
    page.click("[data-key=check-similar_names]")
    before = page.inner_text(".pill")
    decided(page, lambda: page.click("[data-key=Join-Ela]"))
    page.wait_for_selector("td:has(s:text('Ela')) b:text('Ella')")
    decided(page, lambda: page.click("[data-key=all]"))
    page.wait_for_selector(".pill.fine")
    assert "to decide" in before
    assert page.inner_text(".pill") == "data checked"

    # The ratings are those of the library, also after k was moved with the keyboard.
    data = library(path)
    north = data.filter(group="North")
    assert page.inner_text(".facts").startswith(f"agonism.xlsx\n{len(data)} contests")
    page.keyboard.press("2")
    page.wait_for_selector(".p-ranking tbody tr")
    decided(page, lambda: page.click("[data-key=Group-North]"))
    wait_for_ranking(page, shown(po.elo(north, k=100)))
    page.focus("#k")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    wait_for_ranking(page, shown(po.elo(north, k=120)))
    page.wait_for_selector(".peek:text('--k 120')")
    assert "Undo: k = 120" in page.get_attribute(".tools button >> nth=0", "title")

    # A window of time is brushed: matrix and structure are those of its contests.
    strip = page.locator(".strip .bars").bounding_box()
    page.mouse.move(strip["x"] + 0.35 * strip["width"], strip["y"] + 15)
    page.mouse.down()
    page.mouse.move(strip["x"] + 0.6 * strip["width"], strip["y"] + 15, steps=4)
    page.mouse.up()
    page.wait_for_selector(".p-course .cap:text('Window')")
    page.wait_for_function("() => document.querySelector('.peek').innerText.length > 0")

    def in_window():
        """Contests as the caption counts them, and those of the window that the server has."""
        window = page.inner_text(".p-course .cap")
        state = page.evaluate(
            "async () => (await fetch(`/api/state?w=${sessionStorage.getItem('peckorder-workspace')}`)).json()"
        )["settings"]
        chosen = north.filter(start=state["from"], end=state["to"]) if state["from"] else north
        return int(re.search(r": (\d+) contest", window)[1]), len(chosen)

    end = time.monotonic() + 240
    while True:
        number, expected = in_window()
        if number == expected and number < len(north):
            break
        assert time.monotonic() < end, f"{number} contests in the caption, {expected} in the window"
        time.sleep(0.1)
    assert number > 0
    decided(page, lambda: page.click("[data-key=whole]"))

    # A posterior is run; another question is cancelled while it runs.
    page.keyboard.press("3")
    page.click("[data-key=run]")
    page.click("[data-key=ask-bayes]")
    page.click("[data-key=run]")
    page.click("[data-key=cancel-bayes]")
    page.wait_for_selector("[data-ask=bayes]:has-text('cancelled')")
    page.click("[data-key=ask-certain]")
    page.wait_for_selector(".found .whisker")
    ranks = po.dynamic(north, seed=1).as_polars()["individual"].to_list()
    drawn = [node.text_content() for node in page.query_selector_all(".whisker .name")]
    assert drawn == ranks
    assert page.inner_text("[data-ask=certain] small").endswith("adjacent ranks resolved")

    # Everything is taken away: a table, the report, the work.
    page.keyboard.press("4")
    content, name = saved(page, lambda: page.click("[data-key='save-ratings.csv']"))
    rows = {
        row["individual"]: float(row["rating"])
        for row in csv.DictReader(io.StringIO(content.decode()))
    }
    assert name == "agonism-North-ratings.csv"
    assert rows == pytest.approx(dict(po.elo(north, k=120).items()))
    report, name = saved(page, lambda: page.click("[data-key=report]"))
    assert name == "agonism-North-hierarchy.html"
    assert b"agonism.xlsx, North" in report
    assert b"<html" in report
    content, name = saved(page, lambda: page.click("[data-key=work]"))
    assert name == "agonism-North-work.zip"

    # The work opens again, in another window, as it was left.
    (tmp_path / "work.zip").write_bytes(content)
    with page_at(browser, address) as (again, wrong):
        give(again, tmp_path / "work.zip")
        assert again.inner_text(".pill") == "data checked"
        again.keyboard.press("2")
        wait_for_ranking(again, shown(po.elo(north, k=120)))
        again.keyboard.press("3")
        again.wait_for_selector(".found .whisker")
        assert wrong == []


def test_names_are_text_in_every_view(opened, tmp_path):
    page = opened
    give(page, sheet_of(tmp_path / "<b>names.csv", HOSTILE, 60))
    for screen in SCREENS:
        go(page, screen)
        page.wait_for_timeout(300)
        if screen == "explore":
            page.wait_for_selector(".p-ranking tbody tr")
            assert set(ranking(page)) == set(HOSTILE)
            page.click("[data-key=who-0]")
        if screen == "answer":
            page.click("[data-key=run]")
            page.wait_for_selector(".found .whisker")
            page.click("[data-key=ask-pair]")
            page.wait_for_selector(".split")
        if screen == "learn":
            page.click("[data-key=tour-own]")
            page.wait_for_selector(".duel")
        assert (
            page.evaluate(
                "() => document.querySelectorAll('img:not(.frame img), main script').length"
            )
            == 0
        )
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_keys_reach_everything(opened):
    page = opened
    page.click("[data-key=example-adv]")
    page.wait_for_selector(".grid tbody tr[data-row]")
    for key, screen in zip("12345", SCREENS, strict=True):
        page.keyboard.press(key)
        arrived(page, screen)
    page.keyboard.press("2")
    page.wait_for_selector(".p-ranking tbody tr")
    assert shown(po.elo(po.datasets.adv(), k=100)) == ranking(page)
    decided(page, lambda: page.keyboard.press("]"))
    wait_for_ranking(page, shown(po.elo(po.datasets.adv(), k=110)))
    decided(page, lambda: page.keyboard.press("Control+z"))
    decided(page, lambda: page.keyboard.press("Control+Shift+z"))
    wait_for_ranking(page, shown(po.elo(po.datasets.adv(), k=110)))
    page.keyboard.press("f")
    page.keyboard.type("c")
    page.wait_for_selector("tr.followed:has-text('c')")
    page.keyboard.press("Escape")
    page.wait_for_selector("tr.followed", state="detached")
    page.focus("[data-key=knob-pin]")
    decided(page, lambda: page.keyboard.press("PageDown"))
    page.wait_for_function("() => document.querySelector('.knob.pin').dataset.text")
    moment = page.get_attribute("[data-key=knob-pin]", "aria-valuetext")
    assert page.inner_text(".p-ranking header .soft") == f"end of {moment}"
    theme = "() => document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.keyboard.press("t")
    assert page.evaluate(theme) == "dark"
    page.keyboard.press("c")
    page.wait_for_selector(".codebar pre")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def test_many_individuals_are_drawn_as_far_as_they_are_seen(opened, tmp_path):
    page = opened
    names = [f"id{n:03}" for n in range(130)]
    give(page, sheet_of(tmp_path / "many.csv", names, 3000))
    assert len(page.query_selector_all("tbody tr[data-row]")) < 120
    go(page, "explore")
    page.wait_for_selector(".p-ranking tbody tr")
    assert len(page.query_selector_all(".p-ranking tbody tr")) < 70
    page.wait_for_selector("canvas.matrix-canvas")
    page.evaluate(
        "() => { const box = document.querySelector('.scroll.long'); box.scrollTop = box.scrollHeight; }"
    )
    last = list(po.elo(po.read(str(tmp_path / "many.csv")), k=100).items())[-1][0]
    page.wait_for_selector(f".p-ranking button:has-text('{last}')")
    page.fill("#follow", last)
    page.wait_for_selector(f".p-course text.followed:has-text('{last}')")


SLIDE = """async (values) => {
  const slider = document.getElementById("k");
  const took = [];
  const shown = () => document.querySelector(".p-ranking tbody").textContent;
  for (const value of values) {
    const before = shown();
    const start = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    const spent = () => performance.now() - start;
    while (shown() === before && spent() < 20000) await new Promise(requestAnimationFrame);
    took.push(spent());
  }
  slider.dispatchEvent(new Event("change"));
  return took;
}"""


def test_the_slider_of_k_moves_a_thousand_contests(opened, tmp_path):
    page = opened
    give(page, sheet_of(tmp_path / "thousand.csv", [f"n{n}" for n in range(12)], 1000))
    go(page, "explore")
    page.wait_for_selector(".p-ranking tbody tr")
    page.click("[data-key=Ranking-elo]")
    took = page.evaluate(SLIDE, [150, 50, 200, 80, 250, 30, 300])
    # 100 ms on a machine of its own; tests share theirs.
    assert sorted(took)[len(took) // 2] < 1500
    wait_for_ranking(page, shown(po.elo(po.read(str(tmp_path / "thousand.csv")), k=300)))


def test_answers_that_come_late_do_not_move_the_slider_back(opened):
    """Every press counts, however slowly and in whatever order the server's answers arrive."""
    page = opened
    page.click("[data-key=example-adv]")
    page.wait_for_selector(".grid tbody tr[data-row]")
    go(page, "explore")
    page.wait_for_selector(".p-ranking tbody tr")

    def late(seconds):
        def answer(route):
            received = route.fetch()
            time.sleep(seconds)
            route.fulfill(response=received)

        return answer

    page.route("**/api/settings*", late(0.1))
    page.route("**/api/state*", late(0.3))
    page.focus("#k")
    for presses in range(1, 9):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(40 * (presses % 4))
    page.unroute_all(behavior="wait")
    wait_for_ranking(page, shown(po.elo(po.datasets.adv(), k=140)))
    assert page.input_value("#k") == "140"


def test_a_window_can_limit_the_ratings(opened, tmp_path):
    page = opened
    path = sheet_of(tmp_path / "contests.csv", ["Abe", "Bo", "Cy", "Dee"], 60)
    give(page, path)
    go(page, "explore")
    page.wait_for_selector(".strip .knob.left")
    assert not page.is_visible(".limit")
    page.focus(".knob.left")
    decided(page, lambda: page.keyboard.press("PageUp"))
    decided(page, lambda: page.click(".limit"))
    page.wait_for_selector("text=everybody restarts at 1,000")
    page.wait_for_selector(".codebar:has-text('date >=')")
    start = re.search(r"date >= ([-\d]+)", page.inner_text(".codebar"))[1]
    wait_for_ranking(page, shown(po.elo(po.read(str(path)).filter(start=start))))
    decided(page, lambda: page.click("text=Whole record"))
    wait_for_ranking(page, shown(po.elo(po.read(str(path)))))
    assert not page.is_visible(".limit")


def test_a_file_that_cannot_be_read_says_why(browser, address, tmp_path):
    (tmp_path / "notes.docx").write_bytes(b"PK\x03\x04 not a workbook")
    (tmp_path / "empty.csv").write_bytes(b" ")
    with page_at(browser, address) as (page, _):
        for name in ("notes.docx", "empty.csv"):
            if page.is_visible("[data-key=other]"):
                page.click("[data-key=other]")
            page.set_input_files(".screen input[type=file] >> nth=0", str(tmp_path / name))
            page.wait_for_selector(".notice.bad, .check.wrong, .pill.bad")
        page.click("button:has-text('Paste cells')")
        page.fill("dialog[open] textarea", "winner\tloser\na\tb\nb\tc\na\tc\n")
        page.click("dialog[open] .primary")
        page.wait_for_selector(".grid tbody tr[data-row]")
        assert page.inner_text(".facts").split("\n")[1] == "3 contests"


def test_learning_ends_on_the_result_of_the_paper(opened):
    page = opened
    page.keyboard.press("5")
    page.wait_for_selector(".duel")
    assert page.inner_text(".stepper h1") == "Contest 1 of 33"
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".stepper h1") == "Contest 2 of 33"
    page.click("[data-key=tour-bonobos]")
    page.wait_for_selector(".stepper h1:has-text('456')")
    page.click("[data-key=stop-456]")
    table = page.inner_text(".compare")
    assert re.findall(r"He\s+4\.57\s+4\.57", table)
    assert re.findall(r"Ki\s+1\.17\s+1\.17", table)


def test_a_server_that_is_gone_is_said(browser):
    with app() as (process, printed), page_at(browser, printed) as (page, _):
        page.click("[data-key=example-adv]")
        page.wait_for_selector(".grid tbody tr[data-row]")
        process.kill()
        process.wait(10)
        page.keyboard.press("2")
        page.wait_for_selector(".gone:not([hidden])")
        assert "peckorder app" in page.inner_text(".gone")


LOOK = """() => {
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !node.closest("[aria-hidden=true], .unseen, dialog:not([open]), [disabled], :disabled");
  const name = (node) => (node.getAttribute("aria-label") || node.innerText || node.title
    || [...(node.labels ?? [])].map((label) => label.innerText).join("") || "").trim();
  const wrong = [];
  for (const node of document.querySelectorAll("button, a[href], input, select, textarea, [role=slider], [role=img], nav, main section, aside")) {
    if (seen(node) && !name(node)) wrong.push(`no name: ${node.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`two: #${id}`);
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);

  const parsed = (text) => { const all = text.match(/[\\d.]+/g).map(Number); return [...all.slice(0, 3), all[3] ?? 1]; };
  const light = (channel) => { const c = channel / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parsed(getComputedStyle(at).backgroundColor);
      if (color[3] > 0.99) return color;
    }
    return [255, 255, 255, 1];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(node) || node.closest("svg, select")) continue;
    const style = getComputedStyle(node);
    const [one, other] = [luminance(parsed(style.color)), luminance(behind(node))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5)) wrong.push(`contrast ${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return wrong;
}"""


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light")])
def test_everything_has_a_name_and_can_be_read(browser, address, tmp_path, width, scheme):
    how = {"viewport": {"width": width, "height": 860}, "color_scheme": scheme}
    with page_at(browser, address, **how) as (page, wrong):
        assert page.evaluate(LOOK) == []
        give(page, workbook(tmp_path / "agonism.xlsx"))
        page.click("[data-key=check-similar_names]")
        for screen in SCREENS:
            go(page, screen)
            page.wait_for_selector("h1", state="attached")
            page.wait_for_timeout(400)
            assert (screen, page.evaluate(LOOK)) == (screen, [])
        page.emulate_media(media="print")
        assert not page.is_visible(".topbar")
        assert not page.is_visible(".databar")
        assert wrong == []


def test_behaviors_of_a_log_are_decided_one_by_one(opened):
    """Once one is decided, the others stay in sight."""
    give(opened, LOG)
    opened.focus("[data-key=check-behavior]")
    opened.keyboard.press("Enter")
    for label, way in (("displace", "Subject wins"), ("flee", "Subject loses")):
        menu = opened.locator(f"select[aria-label={label}]")
        decided(opened, lambda menu=menu, way=way: (menu.focus(), menu.select_option(label=way)))
        chosen = opened.locator(f"select[aria-label={label}]")
        assert chosen.evaluate("(one) => one.selectedOptions[0].textContent") == way
        focused = f"document.activeElement?.getAttribute('aria-label') === '{label}'"
        opened.wait_for_function(focused)  # the page may be drawn again after the answer
    # The address of the screen that is shown, when it comes late, leaves everything as it is.
    opened.evaluate("() => dispatchEvent(new HashChangeEvent('hashchange'))")
    assert chosen.evaluate("(one) => one === document.activeElement")
    assert "Not counted" in opened.inner_text("[data-check=behavior]")
    assert opened.is_visible("[data-key=go]")
