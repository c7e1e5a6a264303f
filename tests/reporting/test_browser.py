"""The page in a real browser, without a network: hostile names, following, sorting, printing."""

import csv
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from peckorder.reporting.page import (
    Code,
    Drawing,
    Page,
    Section,
    Table,
    Words,
    _rounded,
    _table,
    render,
)
from tests.reporting.chromium import launched, settle, sheets_of, shown

pytestmark = pytest.mark.programs

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a&b\"'",
    "$x^2$",
    "<b>bold</b>",
    "%{x} &lt; &#36;",
    "Zoë",
)


def picture(kind):
    text = f'<text x="20" y="60" font-size="24">picture of {kind}</text>'
    box = '<rect width="599" height="299" fill="#f4f4f4" stroke="#999"/>'
    size = 'width="600" height="300" viewBox="0 0 600 300"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{box}{text}</svg>'.encode()


def pairs(names, seed):
    """Wins of everyone against everyone, a third of the pairs unknown."""
    random = np.random.default_rng(seed)
    n = len(names)
    met = np.triu(random.poisson(4, (n, n)) * (random.random((n, n)) > 0.3), 1)
    won = random.binomial(met, 0.8)
    wins = won + (met - won).T
    met = met + met.T
    row, column = np.nonzero(~np.eye(n, dtype=bool))
    return pl.DataFrame(
        {
            "row": np.array(names)[row],
            "column": np.array(names)[column],
            "wins": wins[row, column],
            "losses": (met - wins)[row, column],
            "upset": (row > column) & (wins > 0)[row, column],
            "unknown": (met == 0)[row, column],
            "chance": 1 / (1 + np.exp((row - column) / n * 3)),
        }
    )


def course(names, steps, seed=1):
    """Ratings of everyone, broken once, with ribbons."""
    random = np.random.default_rng(seed)
    frames = []
    for place in range(len(names)):
        contest = np.sort(random.choice(steps * 20, steps, replace=False)) + 1
        rating = 1000 + 300 * (0.5 - place / len(names)) + random.normal(0, 12, steps).cumsum()
        frames.append(
            pl.DataFrame(
                {
                    "individual": [names[place]] * steps,
                    "stint": np.where(np.arange(steps) < steps // 2, 1, 2),
                    "contest": contest,
                    "date": np.datetime64("2020-01-01") + contest // 10,
                    "rating": rating,
                    "rating_low": rating - 80,
                    "rating_low80": rating - 40,
                    "rating_high80": rating + 40,
                    "rating_high": rating + 80,
                }
            )
        )
    return pl.concat(frames)


def drawings(names, steps=40):
    """A figure of every kind, of data made up."""
    n = len(names)
    random = np.random.default_rng(3)
    rank = np.arange(1, n + 1)
    score = n / 2 - 0.4 * (rank - n / 2) + random.normal(0, n / 30, n)
    pair = pairs(names, 2)
    edges = np.linspace(0, 0.6, 25)
    value = np.linspace(0, 3, 80)
    far = np.arange(1, min(n, 20))
    share = 0.95 - 0.4 * np.exp(-far / 2)
    chance = np.array([0.52, 0.6, 0.7, 0.8, 0.9, 0.97])
    over = [(i, i + 1) for i in range(n - 1)] + [(2, 0)] * (n > 2)
    presence = {"start": ["2020-01-01"] * n, "end": [f"2021-{1 + i % 12:02}-15" for i in range(n)]}
    columns = {
        "ranks": {
            "individual": names,
            "rank": rank,
            "rank_low": (rank - 2).clip(1),
            "rank_high": (rank + 2).clip(max=n),
            "rank_low80": (rank - 1).clip(1),
            "rank_high80": (rank + 1).clip(max=n),
        },
        "trajectories": course(names, steps),
        "matrix": pair.drop("chance"),
        "chances": pair.select("row", "column", "chance"),
        "steepness": {
            "individual": names,
            "rank": rank,
            "normds": score,
            "fitted": n / 2 - 0.4 * (rank - n / 2),
        },
        "dominance_style": {
            "group": ["bonobos", "this group", "by chance"],
            "linearity": [0.86, 0.4, 0.2],
            "steepness": [0.63, 0.3, 0.1],
            "similar": [True, None, None],
        },
        "shape": {
            "rank_difference": far,
            "contests": 200 // far,
            "value": share,
            "low": share - 0.1,
            "high": (share + 0.1).clip(max=1),
        },
        "compare": {
            "individual": names * 3,
            "method": ["Elo"] * n + ["David's score"] * n + ["I&SI <1998>"] * n,
            "rank": np.concatenate([rank, np.roll(rank, 1), rank + rank % 2 - 0.5]),
        },
        "calibration": {
            "predicted": chance,
            "observed": chance - 0.02,
            "observed_low": chance - 0.1,
            "observed_high": (chance + 0.06).clip(max=1),
            "contests": [120, 100, 80, 60, 40, 20],
        },
        "posterior": {
            "parameter": np.repeat(["k (<i>)", "k_typical", "k_typical", "sigma"], 80),
            "curve": np.repeat(["posterior", "prior", "posterior", "posterior"], 80),
            "value": np.tile(value, 4),
            "density": np.tile([*np.exp(-8 * (value - 1) ** 2), *np.exp(-value)], 2),
        },
        "presence": {"individual": names, **presence},
        "recovery": {"contest": np.arange(0, 500, 10), "rank_mae": 3 * np.exp(-np.arange(50) / 15)},
        "summed_probability": {
            "individual": names,
            "rank": rank,
            "score": score,
            "score_low": score - n / 10,
            "score_high": score + n / 10,
        },
        "rank_probabilities": {
            "individual": np.repeat(names, n),
            "rank": np.tile(rank, n),
            "probability": holding(n).ravel(),
        },
        "network": {
            "dominant": [names[i] for i, _ in over],
            "subordinate": [names[j] for _, j in over],
            "wins": [3 + i for i, _ in over],
            "losses": [1] * len(over),
            "net": [2 + i for i, _ in over],
            "upward": [i > j for i, j in over],
            "drawn": [True] * len(over),
        },
        "unheard_of": {"individual": names},
    }
    options = {
        "ranks": {"groups": [names[1:3], names[2:5]]},
        "trajectories": {"x": "date", "unit": "Elo rating"},
        "matrix": {"order": names},
        "chances": {"order": names},
        "rank_probabilities": {"order": names},
        "network": {
            "places": [
                {"individual": name, "rank": i + 1, "x": i * 0.37 % 1, "row": i}
                for i, name in enumerate(names)
            ]
        },
        "steepness": {
            "value": 0.4,
            "intercept": 0.7 * n,
            "observed": 0.4,
            "null": {"edges": edges, "counts": np.exp(-((edges[1:] - 0.12) ** 2) * 200) * 90 // 1},
        },
        "summed_probability": {
            "lines": [[0.7 * n + e, -0.4] for e in random.normal(0, n / 40, 60)],
            "value": 0.4,
            "low": 0.35,
            "high": 0.46,
        },
    }
    return {
        kind: Drawing(
            f"figure-{kind}",
            kind,
            f"The {kind.replace('_', ' ')}",
            f"What the figure of {kind.replace('_', ' ')} shows, in a sentence or two.",
            pl.DataFrame(data),
            options.get(kind, {}),
            picture(kind),
            f'po.report("{kind}")',
            f"peckorder {kind} data.csv",
        )
        for kind, data in columns.items()
    }


def holding(n):
    """Probabilities of ranks: most of them near the own one."""
    near = np.exp(-((np.arange(n)[:, None] - np.arange(n)) ** 2) / 4)
    return near / near.sum(axis=1, keepdims=True)


def sample(names=HOSTILE, steps=40):
    """A page with everything on it."""
    names, n = list(names), len(names)
    figures = list(drawings(names, steps).values())
    ranking = pl.DataFrame(
        {
            "individual": names,
            "rank": np.arange(1, n + 1),
            "rating": [None, *np.linspace(1234.567, 800, n - 1)],
            "chance": np.linspace(1, 0, n),
            "contests": [9 + 7 * i % 13 for i in range(n)],
        }
    )
    headings = {"individual": "Who", "chance": "Chance to be first"}
    return Page(
        "Who outranks whom <here>",
        f"{n} individuals, and how sure we are",
        tuple(names),
        (
            Section(
                "ranking",
                "Who is on top",
                (
                    Words(f"{names[0]} is on top, and {names[1]} is next.", "lead"),
                    Words("There are few contests for some of them.", "warning"),
                    Table("table-ranking", "Everyone, top down", ranking, headings, "individual"),
                    figures[0],
                ),
            ),
            Section("course", "How it came about", (Words("A note.", "note"), *figures[1:7])),
            Section("more", "How sure we are", tuple(figures[7:])),
            Section(
                "again", "How to do it again", (Code("In Python", "import peckorder as po\n"),)
            ),
        ),
    )


@pytest.fixture(scope="module")
def report():
    """What is looked at."""
    return sample()


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def opened(report, browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(render(report))
    with shown(browser, path) as looked_at:
        yield looked_at


@pytest.fixture
def page(opened):
    """The page as it is when opened; whatever is done to it, nothing goes wrong."""
    page, wrong = opened
    page.evaluate("window.peckorder.follow(null)")
    settle(page)
    yield page
    assert wrong == []


def point_at(page, figure, place, said):
    """Moves the mouse to a place in a figure, given in shares, until a label says what it should."""
    box = page.locator(f"#{figure} .plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] + 20, box["y"] - 10)
    page.mouse.move(
        box["x"] + place[0] * box["width"], box["y"] + place[1] * box["height"], steps=4
    )
    page.wait_for_function(
        """([figure, said]) => document.querySelector(`#${figure} .hoverlayer .hovertext`)
            ?.textContent.startsWith(said)""",
        arg=[figure, said],
    )


def test_names_are_text_wherever_they_are(page, report):
    names, n = list(report.names), len(report.names)
    assert page.locator("#table-ranking .who").all_text_contents() == names
    assert page.locator("#figure-ranks .ytick text").all_text_contents() == names
    assert page.locator("#figure-presence .ytick text").all_text_contents() == names
    labels = page.locator("#figure-trajectories .annotation-text").all_text_contents()
    assert sorted(labels) == sorted(names)
    page.locator("#figure-presence").scroll_into_view_if_needed()
    for place, name in enumerate(names):
        point_at(page, "figure-presence", (0.3, (place + 0.5) / n), f"{name}2020-01-01 to 2021")
    page.locator("#figure-matrix").scroll_into_view_if_needed()
    point_at(page, "figure-matrix", (1.5 / n, 0.5 / n), f"{names[0]} beat {names[1]}: ")
    methods = page.locator("#figure-compare .xtick text").all_text_contents()
    assert methods == ["Elo", "David's score", "I&SI <1998>"]
    assert page.evaluate("[...document.images].every((image) => image.className === 'static')")
    assert page.locator("main b, main i, figure script:not([type])").count() == 0
    assert page.title() == report.title


def test_probabilities_of_ranks_and_the_network_are_figures_to_point_at(page, report):
    names, n = list(report.names), len(report.names)
    page.locator("#figure-rank_probabilities").scroll_into_view_if_needed()
    assert page.locator("#figure-rank_probabilities .ytick text").all_text_contents() == names
    chance = round(100 * holding(n)[1, 2])
    place = (2.5 / n, 1.5 / n)
    point_at(page, "figure-rank_probabilities", place, f"{names[1]}rank 3: {chance}%")
    page.mouse.down()
    page.mouse.up()
    settle(page, names[1])
    page.locator("#figure-network").scroll_into_view_if_needed()
    boxes = page.locator("#figure-network .annotation-text").all_text_contents()
    assert (len(boxes), boxes[0], boxes[3], boxes[-1]) == (n, "<img src=…lert(1)>", "$x^2$", "Zoë")
    edges = page.evaluate("""document.querySelector("#figure-network .plot").data
        .filter((trace) => trace.x.length === 3).map((trace) => trace.line.color)""")
    assert len(edges) == n
    # Only the edges of the followed one, both downward, keep their color, and are drawn last.
    assert edges[-2:] == ["#0072B2"] * 2
    assert set(edges[:-2]) == {"#cfcfcf"}
    legend = page.locator("#figure-network .legendtext").all_text_contents()
    assert legend == ["Higher-ranked dominates", "Lower-ranked dominates"]


def test_one_is_followed_through_everything(page, report):
    first, second = report.names[:2]
    page.locator("#table-ranking .who").nth(1).click()
    settle(page, second)
    assert page.evaluate("document.body.dataset.followed") == second
    assert page.input_value("#follow") == second
    assert page.locator("#table-ranking tr.followed td").nth(1).text_content() == "2"
    widths = page.evaluate("""document.querySelector("#figure-trajectories .plot").data
        .filter((trace) => trace.meta).map((trace) => [trace.line.width, trace.line.color])""")
    assert widths[-1] == [3.5, "#D55E00"]
    assert {tuple(width) for width in widths[:-1]} == {(1, "#cfcfcf")}
    page.keyboard.press("Escape")
    settle(page)
    page.fill("#follow", first)
    settle(page, first)
    page.click("#clear")
    settle(page)
    assert page.input_value("#follow") == ""
    page.fill("#follow", "zoe")  # a beginning is enough, without accents and capitals
    page.keyboard.press("Enter")
    settle(page, "Zoë")
    page.fill("#follow", "nobody")
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('follow').validationMessage").startswith(
        "No individual"
    )
    assert page.evaluate("document.body.dataset.followed") == "Zoë"
    page.keyboard.press("Escape")
    settle(page)
    page.locator("#figure-ranks").scroll_into_view_if_needed()
    for now in (second, None):  # a second click ends it
        x = page.evaluate("""() => {
          const { xaxis } = document.querySelector("#figure-ranks .plot")._fullLayout;
          return xaxis.d2p(2) / xaxis._length;
        }""")
        point_at(page, "figure-ranks", (x, 1.5 / len(report.names)), second)
        page.mouse.down()
        page.mouse.up()
        settle(page, now)
    page.locator("#figure-presence .ytick text").nth(1).click()
    settle(page, second)


def test_tables_sort_and_sort_back(page):
    table = page.locator("#table-ranking")
    head = table.locator("th").nth(2)

    def cells(column):
        return [
            row.locator("td").nth(column).text_content() for row in table.locator("tbody tr").all()
        ]

    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert cells(2)[-1] == ""
    assert cells(1) == ["7", "6", "5", "4", "3", "2", "1"]
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert cells(1) == ["2", "3", "4", "5", "6", "7", "1"]
    table.locator("th button").nth(1).click()
    assert head.get_attribute("aria-sort") is None
    assert cells(2)[1] == "1234.6"


def test_data_can_be_seen_and_taken_away(page, report):
    frame = report.sections[1].parts[1].frame
    figure = page.locator("#figure-trajectories")
    figure.locator("summary").first.click()
    rows = figure.locator("tbody tr")
    assert rows.count() == 100
    figure.locator(".all").click()
    assert rows.count() == frame.height
    columns = {column.name: _rounded(column) for column in frame}
    written = _table(columns, {}, (), frame.height)["rows"]
    for row in (99, 100, 279):  # those of the template, and those of the browser
        said = rows.nth(row).locator("td").all_text_contents()
        assert said == [text for text, _ in written[row]]
    with page.expect_download() as given:
        figure.locator(".csv").click()
    assert given.value.suggested_filename == "figure-trajectories.csv"
    back = pl.read_csv(given.value.path(), schema_overrides={"date": pl.Date})
    assert back["individual"].to_list() == frame["individual"].to_list()
    assert back["date"].to_list() == frame["date"].cast(pl.Date).to_list()
    assert np.allclose(back["rating"], frame["rating"], rtol=1e-4)
    figure.locator("summary").nth(1).click()
    figure.locator(".copy").first.click()
    figure.get_by_text("Copied").wait_for()
    for form, start in (("png", "data:image/png;base64,"), ("svg", "data:image/svg+xml,")):
        made = page.evaluate(
            """(format) => Plotly.toImage(document.querySelector("#figure-matrix .plot"), { format })""",
            form,
        )
        assert made.startswith(start)
        assert len(made) > 5000


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function("""() => [...document.querySelectorAll(".plot[data-drawn]")]
        .every((div) => div._fullLayout.width <= 400)""")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_function("""() => [...document.querySelectorAll(".plot[data-drawn]")]
        .every((div) => div._fullLayout.width > 400)""")


def test_it_is_dark_where_the_reader_wants_it_but_not_on_paper(page):
    look = """() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(
        document.querySelector(".plot")).filter]"""
    paper = page.evaluate(look)
    page.emulate_media(color_scheme="dark")
    ground, turned = page.evaluate(look)
    assert (paper[1], turned) == ("none", "invert(0.91) hue-rotate(180deg)")
    assert ground == "rgb(15, 17, 19)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 33, 37)"
    page.emulate_media(color_scheme="null", media="null")


def test_it_prints_whole(page, report):
    size, sheets = sheets_of(page)
    assert size == (595, 842)
    text = " ".join(sheets)
    for section in report.sections:
        assert section.title in text
        for part in section.parts:
            if isinstance(part, Drawing):
                assert part.title in text
                assert f"picture of {part.kind}" in text


def test_pairs_without_a_decided_contest_are_boxed(page, report):
    frame = report.sections[1].parts[2].frame
    names = list(report.names)
    path = page.evaluate("""document.querySelector("#figure-matrix .plot").layout.shapes[0].path""")
    assert path.count("Z") == frame["unknown"].sum() > 0
    legend = page.locator("#figure-matrix .legendtext").all_text_contents()
    assert legend[-1] == "No decided contest"
    one, other = frame.filter("unknown").select("row", "column").row(0)
    place = ((names.index(name) + 0.5) / len(names) for name in (other, one))
    page.locator("#figure-matrix").scroll_into_view_if_needed()
    told = f"no decided contest between {one} and {other}"
    point_at(page, "figure-matrix", tuple(place), told)


def test_parameters_have_their_signs_and_priors_where_there_are_some(page):
    figure = page.locator("#figure-posterior")
    titles = figure.locator(".infolayer [class$=title] text").all_text_contents()
    assert titles == ["k (<i>)", "typical k", "σ"]
    legend = figure.locator(".legendtext").all_text_contents()
    assert legend == ["posterior", "prior"]
    traces = page.evaluate("""document.querySelector("#figure-posterior .plot").data.length""")
    assert traces == 4


def over_time(column, values, x):
    """Trajectories and presence of two over such times."""
    n = len(values)
    paths = {
        "individual": ["a"] * n + ["b"] * n,
        "stint": 1,
        column: values * 2,
        "rating": [*range(2 * n)],
    }
    stays = {"individual": ["a", "b"], "start": values[:2], "end": [values[-1], None]}
    for kind, data in (("trajectories", paths), ("presence", stays)):
        yield Drawing(
            f"{kind}-{type(values[0]).__name__}",
            kind,
            kind,
            "",
            pl.DataFrame(data),
            {"x": x},
            picture(kind),
            "",
            "",
        )


HOURS = [datetime(2020, 5, 1, hour) for hour in range(8, 13)]
STAMPS = pl.DataFrame(
    {
        "day": [date(1969, 12, 30), None, date(2024, 2, 29), date(1582, 10, 15), date(2024, 2, 29)],
        "hour": [datetime(1899, 1, 1), *HOURS[3:0:-1], None],
        "instant": [None, *(hour + timedelta(microseconds=i) for i, hour in enumerate(HOURS[:4]))],
        "never": pl.Series([None] * 5, dtype=pl.Datetime("us")),
    }
)


@pytest.fixture(scope="module", params=["America/New_York", "Asia/Kolkata"])
def elsewhere(request, browser, tmp_path_factory):
    """Figures over times of a day, years and contests, seen far from Greenwich."""
    parts = (
        *over_time("date", HOURS, "date"),
        *over_time("date", [1969.5, 1970.25, 1971.0], "date"),
        *over_time("contest", [1, 5, 12], "contest"),
        Drawing("stamps", "other", "Stamps", "", STAMPS, {}, picture("stamps"), "", ""),
    )
    path = tmp_path_factory.mktemp("page") / "times.html"
    path.write_bytes(render(Page("Times", "", ("a", "b"), (Section("s", "Section", parts),))))
    with shown(browser, path, timezone_id=request.param) as (page, wrong):
        yield page
    assert wrong == []


def test_times_are_those_written_wherever_they_are_read(elsewhere):
    def axis(figure):
        return elsewhere.evaluate(
            """(figure) => {
              const { xaxis } = document.querySelector(`#${figure} .plot`)._fullLayout;
              return [xaxis.type, xaxis.title.text, ...xaxis.range];
            }""",
            figure,
        )

    day = "2020-05-01T"
    assert axis("trajectories-datetime") == [
        "date",
        "Date",
        f"{day}08:00:00.000",
        f"{day}12:04:48.000",
    ]
    assert axis("presence-datetime") == [
        "date",
        "Date",
        f"{day}07:55:12.000",
        f"{day}12:04:48.000",
    ]
    drawn = elsewhere.evaluate("""() => {
      const { data, _fullLayout: { xaxis } } = document.querySelector("#trajectories-datetime .plot");
      return data.map(({ x }) => [x, x.map((time) => xaxis.d2p(time) / xaxis._length)]);
    }""")
    for times, places in drawn:
        assert times == [str(hour) for hour in HOURS]
        assert np.allclose(places, np.arange(5) / 4.08, atol=1e-4)  # drawn at whole hundredths
    bars = elsewhere.evaluate("""document.querySelector("#presence-datetime .plot").calcdata[0]
        .map(({ b, s }) => [b, b + s].map((time) => new Date(time).toISOString()))""")
    assert bars == [[f"{day}{start}:00:00.000Z", f"{day}12:00:00.000Z"] for start in ("08", "09")]
    for kind in ("trajectories", "presence"):
        assert axis(f"{kind}-float")[:2] == ["linear", "Date"]
        assert axis(f"{kind}-int")[:2] == ["linear", "Contest"]
    assert axis("trajectories-float")[2:] == [1969.5, 1971.03]


def test_dates_come_back_as_they_were(elsewhere):
    elsewhere.locator("#stamps summary").first.click()
    with elsewhere.expect_download() as given:
        elsewhere.locator("#stamps .csv").click()
    with open(given.value.path(), encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert written == [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in STAMPS.rows(named=True)
    ]


@pytest.mark.parametrize("width", [1200, 400])
def test_names_cut_short_stay_apart(width, browser, tmp_path):
    same = "Crocuta crocuta of Talek clan "
    names = [same + end for end in ("1 m", "2 m", "3 m")]
    names += [f"{same}{number} and the long rest of a name" for number in "456"]
    figures = drawings(names)
    named = {
        "ranks": ".ytick text",
        "trajectories": ".annotation-text",
        "matrix": ".xtick text",
        "compare": ".annotation-text",
        "presence": ".ytick text",
    }
    parts = tuple(figures[kind] for kind in named)
    path = tmp_path / "names.html"
    path.write_bytes(render(Page("Names", "", tuple(names), (Section("s", "Section", parts),))))
    with shown(browser, path, viewport={"width": width, "height": 900}) as (page, wrong):
        found = [page.locator(f"#figure-{kind} {text}") for kind, text in named.items()]
        labels = [texts.all_text_contents()[: len(names)] for texts in found]
        ends = ["1 m", "2 m", "3 m", "e", "(2)", "(3)"]  # lines are labeled from the top down
        labels[1].sort(key=lambda label: [label.endswith(end) for end in ends].index(True))
        for texts, own in zip(found, labels, strict=True):
            assert len(set(own)) == len(names)
            for name, label in zip(names, own, strict=True):
                texts.get_by_text(label, exact=True).first.click()
                settle(page, name)
        assert wrong == []
