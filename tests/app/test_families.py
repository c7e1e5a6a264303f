"""From a messy sheet of each family to a right ranking, in at most five clicks of a real browser."""

import pytest

import peckorder as po
from tests.app.served import app, decided, give, go, page_at, sheet_of
from tests.reporting.chromium import launched

pytestmark = pytest.mark.programs

PAIRS = [(a, b) for i, a in enumerate("abcde") for b in "abcde"[i + 1 :]] * 2
GOOD = [f"2021-03-{day + 1:02d},{a},{b}" for day, (a, b) in enumerate(PAIRS)]
ALL, FIRST = "[data-key=all]", ".check .fix button >> nth=0"


def sheet(*rows, head="date,winner,loser", lines=GOOD):
    return "\n".join([head, *lines, *rows]) + "\n"


ACTS = [f"2021-03-{d + 1:02d},{a},{b},chase" for d, (a, b) in enumerate(PAIRS)]
WORDS = [f"{a},{b},wygrana" for a, b in PAIRS]
# text, what is clicked, and the arguments of `read` that give the same contests
FAMILIES = {
    "clean": (sheet(), [], {}),
    "one bad date": (sheet("2021-13-45,e,a"), [ALL], {"leave_out": ["22"]}),
    "missing name": (sheet("2021-03-21,a,"), [ALL], {"missing": "drop"}),
    "self-contest": (sheet("2021-03-21,a,a"), [ALL], {"self_contests": "drop"}),
    "nobody": (sheet("2021-03-21,unknown,a"), [ALL], {"ignore": ["unknown"]}),
    "title rows": (f"Fights 2021,,\n,,\n{sheet()}", [], {}),
    "several names": (sheet('2021-03-21,"a, b",c'), [ALL], {"polyadic": "dyads"}),
    "ambiguous dates": (
        sheet(
            head="date,winner,loser",
            lines=[f"{d % 9 + 1}/{d // 9 + 1}/2021,{a},{b}" for d, (a, b) in enumerate(PAIRS)],
        ),
        [ALL],
        {"date_format": "%d/%m/%Y"},
    ),
    "dates once": (
        sheet(lines=[line if n % 3 == 0 else line[10:] for n, line in enumerate(GOOD)]),
        [ALL],
        {"fill_down": ["date"]},
    ),
    "submissive acts": (
        sheet("2021-03-21,e,a,avoid", head="date,actor,receiver,behavior", lines=ACTS),
        ["[data-check^=direction] .check-head", "[data-check^=direction] input >> nth=0"],
        {"context": "behavior", "winner_behaviors": ["chase"], "loser_behaviors": ["avoid"]},
    ),
    "words of outcomes": (
        sheet(head="Actor,Recipient,Result", lines=WORDS),
        ["[data-check='outcome word'] .check-head", ("select[aria-label=wygrana]", "Actor won")],
        {"outcomes": {"wygrana": "first"}},
    ),
    "visits": (
        "bird,feeder,start,end\n"
        + "".join(
            f"{a},A,2021-03-01 {n // 60:02d}:{n % 60:02d}:00,2021-03-01 {n // 60:02d}:{n % 60:02d}:{9}\n"
            f"{b},A,2021-03-01 {n // 60:02d}:{n % 60:02d}:10,2021-03-01 {n // 60:02d}:{n % 60:02d}:30\n"
            for n, (b, a) in enumerate(PAIRS)
        ),
        ["[data-check^=visits] .check-head", "[data-key=visits-count]"],
        "visits",
    ),
}


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def address():
    with app() as (_, printed):
        yield printed


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.filterwarnings("ignore::peckorder.errors.DataWarning")
def test_a_right_ranking_in_five_clicks(browser, address, tmp_path, family):
    text, clicks, arguments = FAMILIES[family]
    path = tmp_path / "sheet.csv"
    path.write_text(text)
    if arguments == "visits":
        data = po.displacements(path, within="2s")
    else:
        data = po.read(path, **arguments)
    with page_at(browser, address) as (page, wrong):
        give(page, path)
        for click in clicks:
            if isinstance(click, tuple):
                decided(page, lambda click=click: page.select_option(click[0], label=click[1]))
            elif "check-head" in click:
                page.click(click)
            else:
                decided(page, lambda click=click: page.click(click))
        page.click("[data-key=go]")
        expected = po.dynamic(data, seed=1).as_polars()["individual"].to_list()
        page.wait_for_function(
            """(names) => names.join() === [...document.querySelectorAll(".p-ranking tbody tr")].map(
              (row) => row.cells[1].innerText.trim()).join()
              && document.querySelector(".p-ranking abbr[title*=interval]")""",
            arg=expected,
        )
        assert len(clicks) + 1 <= 5
        assert wrong == []


def test_two_files_are_joined_and_the_first_stays(browser, address, tmp_path):
    paths = [tmp_path / f"{year}.csv" for year in (2021, 2022)]
    for path in paths:
        path.write_text(sheet().replace("2021-", f"{path.stem}-"))
    with page_at(browser, address) as (page, wrong):
        page.set_input_files(".screen input[type=file] >> nth=0", [str(path) for path in paths])
        page.wait_for_selector("[data-check=joined]")
        assert "40 contests" in page.inner_text(".facts").replace("\n", " ")
        decided(page, lambda: page.click(ALL))
        page.click("[data-check=joined] .check-head")
        assert page.locator("[data-check=joined] .chosen").inner_text().startswith("Periods")
        page.click("[data-key=other]")
        page.set_input_files("[data-key=add] + input", str(paths[0]))
        page.wait_for_selector("[data-key='sheet-2021 2']")
        assert "60 contests" in page.inner_text(".facts").replace("\n", " ")
        page.click("[data-key=other]")
        page.click("[data-key^=recent-]:has-text('2021 + 2022 (joined).xlsx') >> nth=0")
        page.wait_for_selector(".facts:has-text('40')")
        assert wrong == []


def test_a_cell_is_corrected_in_place(browser, address, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(sheet("2021-13-45,e,a"))
    with page_at(browser, address) as (page, wrong):
        give(page, path)
        assert "20 contests" in page.inner_text(".facts").replace("\n", " ")
        page.click("[data-check^=date] .check-head")
        field = page.locator("[data-key^=cell-]")
        assert field.input_value() == "2021-13-45"

        def correct():
            field.fill("2021-03-28")
            field.press("Enter")

        decided(page, correct)
        page.wait_for_selector(".pill.fine")
        assert "21 contests" in page.inner_text(".facts").replace("\n", " ")
        assert "2021-13-45" in path.read_text()
        page.click("[data-check=decided] .check-head")
        decided(page, lambda: page.click("[data-check=decided] .pair button"))
        assert "20 contests" in page.inner_text(".facts").replace("\n", " ")
        assert wrong == []


def test_work_goes_on_where_it_was_left(browser, tmp_path):
    path = sheet_of(tmp_path / "kept.csv", list("abcdef"), 60)
    with app() as (process, address), page_at(browser, address) as (page, _):
        give(page, path)
        decided(page, lambda: page.locator("[data-key=role-0]").select_option(""))
        page.wait_for_timeout(500)  # saved in a thread; nothing on the page says when
        process.kill()
        page.keyboard.press("2")
        page.wait_for_selector(".gone:not([hidden])")
    with app() as (_, address), page_at(browser, address) as (page, wrong):
        page.click("[data-key^=recent-]:has-text('kept.csv')")
        page.wait_for_selector(".grid tbody tr[data-row]")
        assert "60 contests" in page.inner_text(".facts").replace("\n", " ")
        assert page.locator("[data-key=role-0]").input_value() == ""
        assert wrong == []


def test_a_page_goes_on_when_the_app_is_started_again(browser, tmp_path):
    path = sheet_of(tmp_path / "kept.csv", list("abcdef"), 60)
    with app(home=tmp_path) as (process, address), page_at(browser, address) as (page, _):
        give(page, path)
        decided(page, lambda: page.locator("[data-key=role-0]").select_option(""))
        page.wait_for_timeout(500)  # saved in a thread; nothing on the page says when
        process.kill()
        process.wait()
        page.keyboard.press("2")
        page.wait_for_selector(".gone:not([hidden])")
        with app(home=tmp_path) as (again, _):
            page.wait_for_selector(".gone[hidden]", state="attached")
            page.keyboard.press("1")
            page.wait_for_selector(".grid tbody tr[data-row]")
            assert page.locator("[data-key=role-0]").input_value() == ""
            decided(page, lambda: page.keyboard.press("Control+z"))
            page.wait_for_function(
                "() => document.querySelector('[data-key=role-0]').value === 'date'"
            )
            page.click("[aria-label='Quit the app']")
            page.wait_for_selector(".gone:not([hidden])")
            assert again.wait(30) == 0


def test_figures_are_shown_as_they_will_be_saved(browser, address, tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text(sheet())
    drawn = """(word) => {
      const all = [...document.querySelectorAll(".frame img")];
      return all.length === 5 && all.every((img) => img.naturalWidth && img.src.includes(word));
    }"""
    with page_at(browser, address) as (page, wrong):
        give(page, path)
        go(page, "take")
        page.wait_for_function(drawn, arg="English")
        page.select_option("[data-key=look-language]", "Deutsch")
        page.wait_for_function(drawn, arg="Deutsch")
        page.fill("[data-key=look-title]", "Spring & summer")
        page.keyboard.press("Enter")
        page.wait_for_function(drawn, arg="Spring+%26+summer")
        assert wrong == []
