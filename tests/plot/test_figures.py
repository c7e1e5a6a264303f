"""Figures: size, text without overlap, and agreement with the results that they draw."""

import inspect
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations, pairwise
from warnings import catch_warnings, simplefilter

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import peckorder as po
from peckorder.plot.canvas import GRAY, LIGHT, TALLEST, looks, shown, spread
from peckorder.plot.files import picture

matplotlib.use("Agg")

pytestmark = pytest.mark.figures
SIZES = (2, 7, 44, 60)
FIRST, LAST = np.datetime64("2018-03-05"), np.datetime64("2021-11-28")
KINDS_OF_NAMES = ("Q{}", "Bonny {}", "Chief Greyback of the Hills {}", "Wolfgang the Younger {}")
STRANGE = ("<img src=x onerror=a(1)>", "$x^2$", "a & b", "_hidden", "50 %", "{0}", "\\frac")

FORMULAS = tuple(f"${letter}^2$" for letter in "abcde")


@pytest.fixture(autouse=True)
def no_figure_left():
    yield
    plt.close("all")


# -- what is drawn -----------------------------------------------------------------------------


def record(names, *, flavor=None):
    """Contests over four years; some individuals arrive late, leave, or leave and return."""
    random, number = np.random.default_rng(len(names)), len(names)
    gone, back = np.datetime64("2019-05-31"), np.datetime64("2020-02-01")
    late, early = np.datetime64("2019-06-10"), np.datetime64("2020-08-15")
    kinds = {1: [(FIRST, gone), (back, LAST)], 3: [(FIRST, early)], 4: [(late, LAST)]}
    stints = [kinds.get(i % 5, [(FIRST, LAST)]) for i in range(number)]
    strength = np.linspace(2, -2, number)
    rows = []
    for day in np.sort(random.integers(0, (LAST - FIRST).astype(int) + 1, max(30, 14 * number))):
        date = FIRST + day
        there = [i for i in range(number) if any(a <= date <= b for a, b in stints[i])]
        if len(there) < 2:
            continue
        i, j = random.choice(there, 2, replace=False)
        if random.random() > 1 / (1 + np.exp(strength[j] - strength[i])):
            i, j = j, i
        rows.append((names[i], names[j], str(date), bool(random.random() < 0.06)))
    columns = dict(zip(("winner", "loser", "date", "draw"), zip(*rows, strict=True), strict=True))
    source = {name: list(column) for name, column in columns.items()}
    known = [(names[i], str(a), str(b)) for i in range(number) for a, b in stints[i]]
    presence = dict(zip(("id", "start", "end"), map(list, zip(*known, strict=True)), strict=True))
    return po.read(source if flavor is None else flavor(source), presence=presence)


def tame(fit, *arguments, **settings):
    """A result from too few draws or contests for inference, but sufficient to draw."""
    with catch_warnings():
        simplefilter("ignore", po.DataWarning)
        return fit(*arguments, **settings)


class Study:
    """A record and its results, each computed when first drawn."""

    def __init__(self, names, flavor=None):
        self.data = record(names, flavor=flavor)
        self.samples = {"chains": 2, "warmup": 150, "samples": 150, "seed": 1}

    @cached_property
    def elo(self):
        return po.elo(self.data, k=100)

    @cached_property
    def bayes(self):
        return tame(po.elo_bayes, self.data, **self.samples)

    @cached_property
    def steepness(self):
        return tame(po.steepness, self.data, runs=200, seed=1)

    @cached_property
    def steepness_bayes(self):
        return tame(po.steepness_bayes, self.data, seed=1, fair_coins=0)

    @cached_property
    def steepness_by_year(self):
        return tame(po.steepness_bayes, self.data, at="year", seed=1)

    @cached_property
    def style(self):
        return tame(po.questions.dominance_style, self.data, runs=20, seed=1)

    @cached_property
    def shape(self):
        return po.hierarchy_shape(self.data)

    @cached_property
    def calibration(self):
        return po.calibration(self.elo, bins=5)

    @cached_property
    def likelihood(self):
        return po.likelihood_surface(self.data, grid=21)

    @cached_property
    def change_points(self):
        return po.change_points(self.data)

    @cached_property
    def over_time(self):
        return po.over_time(self.data, "linearity", window=40, step=20, runs=50, seed=1)

    @cached_property
    def many_groups(self):
        measures = {"steepness_bayes": {"fair_coins": 0}}
        table = po.datasets.adv().frame().select("winner", "loser")
        own = po.read(table.to_pandas() if self.data.flavor == "pandas" else table)
        parts = dict.fromkeys(self.data.individuals, own)  # names matter here, not contests
        return po.study(parts, measures=measures, executor=1, seed=1)

    @cached_property
    def gaps(self):
        visits = {"id": [], "start": []}
        for i, name in enumerate(self.data.individuals * 3):
            visits["id"].append(name)
            visits["start"].append(i * i + 0.5)
        table = {"pandas": pd.DataFrame}.get(self.data.flavor, pl.DataFrame)(visits)
        return po.visit_gaps(table, place=False)

    @cached_property
    def compare(self):
        return po.compare(self.data, seed=1)

    @cached_property
    def recovery(self):
        return po.recovery(self.data, k=100, runs=15, effort=[], seed=1)

    @cached_property
    def power(self):
        pilot = self.data if len(self.data.individuals) <= 10 else 10  # larger ones look the same
        few = {"effort": [20, 40, 80], "runs": 6, "seed": 1}
        return po.power(pilot, target="dyads", method="davids_score", **few)

    @cached_property
    def randomized(self):
        return po.randomized_elo(self.data, runs=50, seed=1)

    @cached_property
    def adaptive(self):
        return po.adaptive(self.data, seed=1, samples=50)

    @cached_property
    def season(self):
        names = self.data.individuals
        pairs = [(a, names[i - 1]) for i, a in enumerate(names)]
        finish = {"the_best_half": max(1, len(names) // 2), "last": -1}
        return po.sport.simulate_season(self.elo, fixtures=pairs, finish=finish, runs=300, seed=1)

    @cached_property
    def bracket(self):
        names = list(self.data.individuals)
        byes = 2 ** (len(names) - 1).bit_length() - len(names)
        return po.sport.bracket(self.elo, names + [None] * byes)

    @property
    def top(self):
        return list(self.elo)


@cache
def study(number):
    return Study([KINDS_OF_NAMES[i % 4].format(i + 1) for i in range(number)])


@cache
def strange():
    return Study(STRANGE)


@cache
def formulas():
    return Study(FORMULAS)


@cache
def pandas_study():
    names = [KINDS_OF_NAMES[i % 4].format(i + 1) for i in range(7)]
    return Study(names, flavor=pd.DataFrame)


def error_of_one_record():
    truth, data = po.simulate.hierarchy(6, 60, seed=1)
    return po.simulate.rank_error(po.elo(data), truth=truth)


def undated():
    return po.elo(po.read({"winner": list("abcab"), "loser": list("bcaca")}))


# What each figure draws.
SUBJECT = {
    "against": "many_groups",
    "bracket": "bracket",
    "bump": "elo",
    "calibration": "calibration",
    "change_points": "change_points",
    "compare": "compare",
    "dominance_style": "style",
    "forest": "many_groups",
    "gaps": "gaps",
    "likelihood": "likelihood",
    "matrices": "data",
    "matrix": "data",
    "network": "data",
    "over_time": "over_time",
    "places": "season",
    "posterior": "bayes",
    "power": "power",
    "presence": "data",
    "rank_probabilities": "bayes",
    "ranks": "bayes",
    "recovery": "recovery",
    "shape": "shape",
    "steepness": "steepness",
    "summed_probability": "steepness_bayes",
    "tenure": "elo",
    "trajectories": "elo",
    "weights": "adaptive",
}
FIGURES = tuple(SUBJECT)
NAMING = (
    "bracket",
    "bump",
    "compare",
    "forest",
    "matrix",
    "network",
    "places",
    "posterior",
    "presence",
    "ranks",
    "steepness",
    "summed_probability",
    "trajectories",
)
CROWDED = ("bump", "matrix", "network", "presence", "trajectories")
NEED_THREE = ("dominance_style", "over_time", "summed_probability")


def drawn(figure, of, **how):
    return getattr(po.plot, figure)(getattr(of, SUBJECT[figure]), **how)


def table(figure, of, **how):
    return getattr(po.plot, figure).data(getattr(of, SUBJECT[figure]), **how)


VARIANTS = {
    "matrices of many groups": lambda s: po.plot.matrices(dict.fromkeys(s.top, s.data)),
    "against classes": lambda s: po.plot.against(
        s.many_groups,
        over="class",
        covariates={"group": s.top, "class": [f"class {i % 4}" for i in range(len(s.top))]},
    ),
    "weights by spread": lambda s: po.plot.weights(s.adaptive, part="spread", over="contest"),
    "places and the title": lambda s: po.plot.places(s.season, finish={"title": 1}),
    "matrix of chances": lambda s: po.plot.matrix(s.elo, show="chances"),
    "network in levels": lambda s: po.plot.network(po.orders.adagio(s.data)),
    "matrix, draws as halves": lambda s: po.plot.matrix(s.data, ties="half"),
    "trajectories, some highlighted": lambda s: po.plot.trajectories(s.elo, highlight=s.top[:2]),
    "trajectories over contests": lambda s: po.plot.trajectories(s.elo, over="contest"),
    "trajectories with ribbons": lambda s: po.plot.trajectories(s.bayes, highlight=s.top[:3]),
    "separate trajectories": lambda s: po.plot.trajectories(
        s.elo, individuals=s.top[:18], separate=True
    ),
    "separate ribbons": lambda s: po.plot.trajectories(
        s.bayes, individuals=s.top[:7], separate=True
    ),
    "bump by month": lambda s: po.plot.bump(s.elo, periods="month", highlight=s.top[:2]),
    "bump by four parts": lambda s: po.plot.bump(s.elo, periods=4),
    "bump by five parts": lambda s: po.plot.bump(s.elo, periods=5),
    "two orders": lambda s: po.plot.compare({"Elo": s.elo, "David's": po.davids_score(s.data)}),
    "ranks by random orders": lambda s: po.plot.ranks(s.randomized),
    "parameters": lambda s: po.plot.posterior(s.bayes, part="parameters"),
    "scores": lambda s: po.plot.posterior(s.bayes, part="scores"),
    "errors over time": lambda s: po.plot.recovery(s.recovery, part="time"),
    "ranks beside true ones": lambda s: po.plot.recovery(s.recovery, part="ranks"),
}


# -- geometry ----------------------------------------------------------------------------------


def figure_of(axes):
    return axes.figure if hasattr(axes, "figure") else axes.flat[0].figure


def texts_drawn(figure, monkeypatch):
    """Texts that a figure shows, each with the corners of its box in pixels."""
    seen, draw = {}, Text.draw

    def noting(self, renderer, *rest, **options):
        draw(self, renderer, *rest, **options)
        if self.get_visible() and self.get_text().strip():
            seen[self] = _corners(self, renderer)

    with monkeypatch.context() as patched:
        patched.setattr(Text, "draw", noting)
        figure.canvas.draw()
    return [(text.get_text(), corners) for text, corners in seen.items()]


def _corners(text, renderer):
    angle = text.get_rotation()
    if angle % 90 == 0:
        return _around(text.get_window_extent(renderer))
    text.set_rotation(0)
    flat = _around(text.get_window_extent(renderer))
    pivot = text.get_transform().transform(text.get_unitless_position())
    text.set_rotation(angle)
    turn = np.exp(1j * np.deg2rad(angle))
    turned = ((flat - pivot) @ np.array([1, 1j])) * turn
    return np.column_stack([turned.real, turned.imag]) + pivot


def _around(box):
    return np.array([(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)])


def cut_off(texts, figure, slack=1.0):
    """Texts that reach over the edge of their figure."""
    size = np.array([figure.bbox.width, figure.bbox.height])
    return [
        text
        for text, corners in texts
        if (corners < -slack).any() or (corners > size + slack).any()
    ]


def clashes(texts, slack=1.0):
    """Pairs of texts whose boxes overlap by more than some pixels."""
    low = np.array([corners.min(axis=0) for _, corners in texts])
    high = np.array([corners.max(axis=0) for _, corners in texts])
    near = (low[:, None] < high[None] - slack).all(axis=2)
    pairs = np.argwhere(np.triu(near & near.T, 1))
    return [
        (texts[i][0], texts[j][0]) for i, j in pairs if _overlap(texts[i][1], texts[j][1], slack)
    ]


def _overlap(one, other, slack):
    """Whether two rectangles overlap: no side of either separates them."""
    for sides in (one, other):
        for edge in (sides[1] - sides[0], sides[2] - sides[1]):
            along = edge / np.hypot(*edge)
            a, b = one @ along, other @ along
            if min(a.max(), b.max()) - max(a.min(), b.min()) <= slack:
                return False
    return True


def check_fit(axes, monkeypatch, least=4):
    """A figure of one or two columns, no taller than a page, with all of its texts in it."""
    figure = figure_of(axes)
    texts = texts_drawn(figure, monkeypatch)
    assert len(texts) >= least
    assert cut_off(texts, figure) == []
    assert clashes(texts) == []
    assert figure.get_figheight() * 25.4 <= TALLEST + 1e-9
    width = figure.get_figwidth() * 25.4
    assert min(abs(width - 85), abs(width - 174)) < 1e-9


# Every figure of seven individuals, and of many those whose names are crowded; the others are slow.
def usual(number, figure):
    return number == 7 or (number == 44 and figure in CROWDED)


SIZED = [
    pytest.param(number, figure, marks=[] if usual(number, figure) else pytest.mark.slow)
    for number in SIZES
    for figure in FIGURES
]


@pytest.mark.parametrize(("number", "figure"), SIZED)
def test_texts_of_a_figure_are_whole_and_apart(number, figure, monkeypatch):
    if number == 2 and figure in NEED_THREE:
        with pytest.raises(po.DataError, match="2 individuals; this method requires at least 3"):
            drawn(figure, study(2))
        return
    # Small matrices have no texts but the names of groups, here a single one.
    check_fit(drawn(figure, study(number)), monkeypatch, 2 if figure == "matrices" else 4)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("number", [7, pytest.param(44, marks=pytest.mark.slow)])
def test_texts_of_a_variant_are_whole_and_apart(number, variant, monkeypatch):
    check_fit(VARIANTS[variant](study(number)), monkeypatch)


@pytest.mark.parametrize("part", ["scores", "null"])
def test_texts_of_a_part_of_steepness_are_whole_and_apart(part, monkeypatch):
    check_fit(po.plot.steepness(study(7).steepness, part=part), monkeypatch)


@pytest.mark.parametrize("figure", ["steepness", "summed_probability"])
@pytest.mark.parametrize("number", [12, 25])
def test_names_beside_points_are_whole_and_apart(figure, number, monkeypatch):
    check_fit(drawn(figure, study(number)), monkeypatch)


def test_the_check_of_texts_finds_what_is_wrong(monkeypatch):
    figure, axes = plt.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, "one")
    axes.text(0.5, 0.51, "other")
    axes.text(1.1, 0.2, "a long text that leaves the figure")
    axes.text(0.1, 0.3, "sloping up and away", rotation=45, rotation_mode="anchor")
    axes.text(0.1, 0.4, "above", rotation=45, rotation_mode="anchor")  # its box alone overlaps
    axes.text(0.2, 0.1, "unseen", visible=False)
    axes.text(0.2, 0.1, "seen")
    texts = texts_drawn(figure, monkeypatch)
    assert clashes(texts) == [("one", "other")]
    assert cut_off(texts, figure) == ["a long text that leaves the figure"]


# -- sizes and axes ----------------------------------------------------------------------------


@pytest.mark.parametrize("figure", FIGURES)
def test_figures_have_the_requested_width_and_fit_on_a_page(figure):
    for width in (120, 900):
        whole = figure_of(drawn(figure, study(7), width=width))
        assert whole.get_figwidth() * 25.4 == pytest.approx(width)
        assert whole.get_figheight() * 25.4 <= TALLEST + 1e-9


@pytest.mark.parametrize("figure", FIGURES)
def test_invalid_widths_raise(figure):
    for width in (5, "wide", True, 2000, float("nan")):
        message = f"width={width!r}: give millimeters between 20 and 1000"
        with pytest.raises(ValueError, match=message):
            drawn(figure, study(7), width=width)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("figure", FIGURES)
def test_axes_given_are_drawn_upon_and_returned(figure):
    whole, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    assert drawn(figure, study(7), ax=left) is left
    assert tuple(whole.get_size_inches()) == (9, 4)
    assert left.has_data()
    assert not right.has_data()
    assert plt.get_fignums() == [whole.number]


@pytest.mark.parametrize("figure", FIGURES)
def test_axes_and_width_together_are_refused(figure):
    axes = plt.figure().subplots()
    with pytest.raises(ValueError, match="give either ax or width"):
        drawn(figure, study(7), ax=axes, width=100)
    assert not axes.has_data()


def test_drawing_leaves_the_style_of_others_alone():
    before = dict(matplotlib.rcParams)
    drawn("trajectories", study(7))
    assert dict(matplotlib.rcParams) == before


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "form"),
    [
        *(
            pytest.param(figure, "svg", marks=[] if figure in CROWDED else pytest.mark.slow)
            for figure in FIGURES
        ),
        *((figure, form) for figure in ("matrix", "trajectories") for form in ("png", "pdf")),
    ],
)
def test_files_are_the_same_each_time_and_leave_no_figure_open(figure, form):
    one, other = (picture(lambda: drawn(figure, study(7)), f"x.{form}") for _ in range(2))
    assert one == other
    assert one.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[form])
    assert plt.get_fignums() == []


def three_pictures():
    data = po.datasets.adv()
    draw = {
        "svg": lambda: po.plot.trajectories(po.elo(data, k=200)),
        "pdf": lambda: po.plot.matrix(data),
        "png": lambda: po.plot.presence(data),
    }
    return b"".join(picture(draw[form], f"x.{form}") for form in draw)


def test_files_are_the_same_in_another_process():
    program = f"""
import sys, peckorder as po
from peckorder.plot.files import picture
{inspect.getsource(three_pictures)}
sys.stdout.buffer.write(three_pictures())
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONHASHSEED": "12345"},
        capture_output=True,
        check=True,
    )
    assert b"%PDF" in done.stdout
    assert done.stdout == three_pictures()


def svg_texts(axes_of):
    tree = ElementTree.fromstring(picture(axes_of, "x.svg"))
    return ["".join(text.itertext()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]


def missing(names, texts):
    """Names that no text gives: alone, in brackets (who has left), or behind a rank."""
    return [
        name
        for name in names
        if not any(
            re.fullmatch(rf"\(?{re.escape(name)}\)?|\d+ {re.escape(name)}", text) for text in texts
        )
    ]


@pytest.mark.parametrize("figure", NAMING)
def test_names_appear_literally_in_svg(figure):
    assert missing(STRANGE, svg_texts(lambda: drawn(figure, strange()))) == []


@pytest.mark.slow
@pytest.mark.parametrize("figure", NAMING)
def test_names_appear_literally_on_axes_of_the_caller(figure):
    which = {"part": "scores"} if figure in ("posterior", "steepness") else {}
    texts = svg_texts(lambda: drawn(figure, formulas(), ax=Figure().subplots(), **which))
    assert missing(FORMULAS, texts) == []


def test_names_appear_literally_above_small_panels():
    texts = svg_texts(lambda: po.plot.trajectories(strange().elo, separate=True))
    assert missing(STRANGE, texts) == []


def test_long_names_are_shortened_but_stay_apart():
    texts = svg_texts(lambda: po.plot.matrix(study(7).data))
    assert "Chief Greyback of the Hills 3" not in texts
    assert texts.count("Chief Greyback … Hills 3") == 2
    alike = [f"A very long name with {i} in the middle of it all" for i in range(2)]
    assert shown(alike) == alike
    assert shown(["Ab\n cd"]) == ["Ab cd"]


def test_pdf_embeds_fonts_that_can_be_edited():
    written = picture(lambda: drawn("trajectories", study(7)), "x.pdf")
    assert b"/FontFile2" in written
    assert b"/Type3" not in written


def test_unknown_formats_are_refused():
    with pytest.raises(
        ValueError, match=r"x\.bmp: the file name must end in \.png, \.svg or \.pdf"
    ):
        picture(lambda: drawn("matrix", study(7)), "x.bmp")


def test_a_null_distribution_that_is_constant_up_to_rounding():
    found = tame(po.steepness, po.datasets.adv(), runs=12, seed=1)
    null = np.where(np.arange(12) % 2, found.value, found.value + 1e-16)
    axes = po.plot.steepness(replace(found, null=null), part="null")
    assert sum(patch.get_data().values.sum() for patch in axes.patches) == 12


def test_characters_missing_from_the_font_give_a_warning():
    data = po.read({"winner": ["猿", "b"], "loser": ["b", "猿"]})
    with pytest.warns(po.DataWarning, match="The font of the figure lacks characters"):
        picture(lambda: po.plot.matrix(data), "x.png")


def test_characters_missing_from_the_font_are_kept_in_svg():
    data = po.read({"winner": ["猿", "b"], "loser": ["b", "猿"]})
    for draw in (
        lambda: po.plot.matrix(data),
        lambda: po.plot.trajectories(po.elo(data)),
    ):
        assert "猿" in svg_texts(draw)


# -- tables ------------------------------------------------------------------------------------

COLUMNS = {
    "against": ["group", "individuals", "value", "low", "high"],
    "bracket": ["individual", "round_1", "round_2", "title"],
    "bump": ["individual", "period", "until", "rank"],
    "calibration": None,  # that of po.calibration
    "change_points": ["contest", "date", "probability", "log_bf"],
    "compare": ["individual", "method", "rank"],
    "dominance_style": ["group", "linearity", "steepness", "similar"],
    "forest": ["group", "value", "low", "high", "pooled", "pooled_low", "pooled_high"],
    "gaps": ["low", "high", "arrivals"],
    "matrices": [
        "group",
        "row",
        "column",
        "row_place",
        "column_place",
        "wins",
        "losses",
        "upset",
        "unknown",
    ],
    "likelihood": ["k", "value", "difference"],
    "over_time": ["start", "end", "middle", "contests", "individuals", "value"],
    "places": ["individual", *(f"place_{i}" for i in range(1, 8)), "the_best_half", "last"],
    "weights": ["contest", "date", "elo", *(f"drift_{w:g}" for w in (0, 0.02, 0.05, 0.12, 0.3))],
    "matrix": ["row", "column", "row_place", "column_place", "wins", "losses", "upset", "unknown"],
    "network": [
        "dominant",
        "subordinate",
        "dominant_rank",
        "subordinate_rank",
        "wins",
        "losses",
        "net",
        "upward",
        "drawn",
    ],
    "posterior": ["part", "parameter", "curve", "value", "density"],
    "power": ["contests", "share", "low", "high"],
    "presence": ["individual", "start", "end", "contests"],
    "rank_probabilities": ["individual", "rank", "probability"],
    "ranks": [
        "individual",
        "rank",
        "rank_low",
        "rank_high",
        "rank_low80",
        "rank_high80",
        "p_above_next",
    ],
    "recovery": ["contest", "rank_mae"],
    "shape": ["rank_difference", "contests", "value", "low", "high"],
    "steepness": ["individual", "rank", "normds", "fitted"],
    "summed_probability": ["individual", "rank", "score", "score_low", "score_high"],
    "tenure": ["individual", "start", "end", "days"],
    "trajectories": ["individual", "stint", "contest", "date", "rating"],
}


@pytest.mark.parametrize("figure", FIGURES)
def test_tables_are_of_polars_and_have_their_columns(figure):
    found = table(figure, study(7))
    assert isinstance(found, pl.DataFrame)
    assert found.height > 0
    assert found.columns == (COLUMNS[figure] or study(7).calibration.table.columns)


@pytest.mark.parametrize("figure", FIGURES)
def test_tables_come_as_the_data_came(figure):
    found, plain = table(figure, pandas_study()), table(figure, study(7))
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == plain.columns
    assert len(found) == plain.height


def test_the_table_of_several_orders_comes_as_the_data_came():
    own = pandas_study()
    orders = {"Elo": own.elo, "David's score": po.davids_score(own.data)}
    assert isinstance(po.plot.compare.data(orders), pd.DataFrame)


@pytest.mark.parametrize("figure", FIGURES)
def test_tables_take_the_arguments_of_the_figure(figure):
    assert table(figure, study(7), width=100, ax=None).equals(table(figure, study(7)))
    with pytest.raises(TypeError, match="hue"):
        table(figure, study(7), hue="red")


def test_trajectories_end_at_the_final_ratings():
    ratings = study(44).elo
    for name, path in (
        table("trajectories", study(44)).partition_by("individual", as_dict=True).items()
    ):
        assert path["rating"][-1] == ratings[name[0]]


@pytest.mark.parametrize("presence", [None, "inferred"])
def test_trajectories_start_at_the_starting_rating(presence):
    days = {"date": ["2020-01-01", "2020-01-02", "2020-01-03"]}
    data = po.read({"winner": list("aba"), "loser": list("bcc")} | days, presence=presence)
    path = po.plot.trajectories.data(po.elo(data, k=100), individuals="a")
    assert path["rating"][0] == 1000
    assert path["rating"][1] == 1050


def test_lines_are_interrupted_during_absence():
    path = table("trajectories", study(7), individuals="Bonny 2")
    assert path["stint"].unique(maintain_order=True).to_list() == [1, 2]
    days = path["date"].to_numpy().astype("datetime64[D]")
    gone, back = np.datetime64("2019-05-31"), np.datetime64("2020-02-01")
    assert not ((days > gone) & (days < back)).any()
    assert days[path["stint"].to_numpy() == 1].max() == gone
    assert days[path["stint"].to_numpy() == 2].min() == back
    axes = drawn("trajectories", study(7), individuals="Bonny 2")
    assert len(lines_of(axes)) == 2


def test_ratings_remain_constant_until_departure():
    path = table("trajectories", study(7), individuals="Wolfgang the Younger 4")
    assert path["stint"].unique().to_list() == [1]
    assert path["date"].to_numpy().astype("datetime64[D]")[-1] == np.datetime64("2020-08-15")
    assert path["rating"][-1] == path["rating"][-2]


def test_relabeling_permutes_trajectories():
    names = [KINDS_OF_NAMES[i % 4].format(i + 1) for i in range(7)]
    others = [f"Number {7 - i}" for i in range(7)]
    renamed = dict(zip(names, others, strict=True))
    one, other = table("trajectories", study(7)), table("trajectories", Study(others))
    assert one.with_columns(pl.col("individual").replace_strict(renamed)).equals(other)


def test_relabeling_permutes_the_matrix():
    names = [KINDS_OF_NAMES[i % 4].format(i + 1) for i in range(7)]
    others = [f"Number {7 - i}" for i in range(7)]
    renamed = dict(zip(names, others, strict=True))
    one, other = table("matrix", study(7)), table("matrix", Study(others))
    assert one.with_columns(pl.col("row", "column").replace_strict(renamed)).equals(other)


def test_ribbons_hold_the_mean_and_wide_ones_the_narrow_ones():
    path = po.plot.trajectories.data(study(7).bayes)
    low, low80, high80, high = (
        path[f"rating_{end}"].to_numpy() for end in ("low", "low80", "high80", "high")
    )
    rating = path["rating"].to_numpy()
    assert ((low < low80) & (low80 < high80) & (high80 < high)).all()
    assert ((low80 < rating) & (rating < high80)).all()


def test_bump_ends_with_the_ranks_of_those_present():
    own = study(7)
    found = table("bump", own)
    assert found["period"].unique().to_list() == [1, 2, 3, 4]
    assert found.height == 4 * 7
    last = found.filter(pl.col("period") == 4).drop_nulls("rank")
    after = own.elo.at("2021-11-28")
    assert dict(last.select("individual", "rank").rows()) == dict(
        after.select("individual", "rank").rows()
    )
    gone = found.filter(pl.col("individual") == "Bonny 2")["rank"].is_null()
    assert gone.to_list() == [False, True, False, False]  # away at the end of 2019


def test_names_of_individuals_that_left_are_in_parentheses():
    for figure in ("trajectories", "bump"):
        texts = [text.get_text() for text in drawn(figure, study(7)).texts]
        assert sorted(texts)[0] == "(Wolfgang the Younger 4)"
        assert sum(text.startswith("(") for text in texts) == 1


def test_ranks_at_a_date_are_those_of_the_ones_present():
    own = study(7).bayes
    found, then = po.plot.ranks.data(own, at="2019-12-31"), own.at("2019-12-31")
    assert found["individual"].to_list() == then["individual"].to_list()
    assert "Bonny 2" not in found["individual"].to_list()
    for column in ("rank", "rank_low", "rank_high"):
        assert found[column].to_list() == then[column].to_list()
    assert (found["rank_low"] <= found["rank_low80"]).all()
    codes = [own.individuals.index(name) for name in found["individual"][:2]]
    draws = own.scores(at="2019-12-31")[:, codes]
    assert found["p_above_next"][0] == pytest.approx(np.mean(draws[:, 0] > draws[:, 1]))


def test_bump_takes_periods_and_parts():
    assert table("bump", study(7), periods=5)["period"].max() == 5
    months = table("bump", study(7), periods="month")
    until = months.unique("period", maintain_order=True)["until"].cast(pl.String)
    assert until.str.slice(0, 7).is_unique().all()
    assert until.is_sorted()


def test_ranks_are_those_of_the_table():
    own = study(7)
    found, whole = table("ranks", own), own.bayes.table
    for column in ("individual", "rank", "rank_low", "rank_high"):
        assert found[column].to_list() == whole[column].to_list()
    chances = found["p_above_next"].to_list()
    assert chances[-1] is None
    first, second = found["individual"][:2]
    draws = own.bayes.final
    codes = [own.bayes.individuals.index(name) for name in (first, second)]
    expected = np.mean(draws[:, codes[0]] > draws[:, codes[1]])
    assert chances[0] == pytest.approx(expected)


def test_ranks_by_random_orders_and_of_summed_chances_can_be_drawn():
    assert po.plot.ranks.data(study(7).randomized).height == 7
    found = po.plot.ranks.data(study(7).steepness_bayes)
    assert found["individual"].to_list() == study(7).steepness_bayes.table["individual"].to_list()


def test_wins_of_the_matrix_are_the_contests():
    own = study(7)
    found = table("matrix", own)
    draws = int(own.data.draw.sum())
    assert draws > 0
    assert found["wins"].sum() == len(own.data) - draws
    assert found["losses"].sum() == found["wins"].sum()
    assert table("matrix", own, ties="half")["wins"].sum() == len(own.data)
    assert found.height == 7 * 6
    by_score = list(po.davids_score(own.data))
    assert found.unique("row", maintain_order=True)["row"].to_list() == by_score
    upsets = found.filter(pl.col("upset"))
    assert upsets.height > 0
    assert (upsets["row_place"] > upsets["column_place"]).all()


def test_the_matrix_of_chances_agrees_with_the_ratings():
    own = study(7)
    found = po.plot.matrix.data(own.elo, show="chances")
    for row in found.to_dicts():
        assert row["chance"] == pytest.approx(own.elo.probability(row["row"], row["column"]))


def test_the_matrix_takes_an_order():
    own = study(7)
    found = po.plot.matrix.data(own.data, order=own.elo)
    assert found.unique("row", maintain_order=True)["row"].to_list() == list(own.elo)
    assert found.equals(po.plot.matrix.data(own.elo))


def test_scores_scatter_around_the_fitted_line():
    found, values = table("steepness", study(7)), study(7).steepness.values
    slope, intercept = np.polyfit(found["rank"], found["normds"], 1)
    assert found["fitted"].to_numpy() == pytest.approx(intercept + slope * found["rank"].to_numpy())
    assert -slope == pytest.approx(values["value"])
    null = table("steepness", study(7), part="null")
    assert null.columns == ["steepness"]
    assert null.height == values["runs"]


def test_summed_chances_are_those_of_the_result():
    found, whole = table("summed_probability", study(7)), study(7).steepness_bayes.table
    assert found.equals(whole.select(found.columns))
    assert ((found["score_low"] < found["score"]) & (found["score"] < found["score_high"])).all()


def test_shares_of_the_shape_count_every_contest_that_was_won():
    own = study(7)
    assert table("shape", own)["contests"].sum() == len(own.data) - int(own.data.draw.sum())


def test_compare_gives_the_ranks_of_each_method():
    own = study(7)
    orders = {"Elo": own.elo, "David": po.davids_score(own.data)}
    found = po.plot.compare.data(orders)
    for method, order in orders.items():
        by_method = dict(
            found.filter(pl.col("method") == method).select("individual", "rank").rows()
        )
        assert by_method == dict(order.table.select("individual", "rank").rows())
    whole = own.compare.table
    by_elo = table("compare", own).filter(pl.col("method") == "Elo")
    assert by_elo["individual"].to_list() == whole["individual"].to_list()
    assert by_elo["rank"].to_list() == whole["elo"].to_list()
    assert table("compare", own, individuals="Q1")["individual"].unique().to_list() == ["Q1"]


def test_shares_of_estimated_ranks_sum_to_one_for_each_true_rank():
    found = table("recovery", study(7), part="ranks")
    assert found.columns == ["true_rank", "estimated_rank", "records", "share"]
    sums = found.group_by("true_rank").agg(pl.col("share").sum())["share"].to_numpy()
    assert sums == pytest.approx(np.ones(len(sums)))
    assert found["records"].sum() == study(7).recovery.true_rank.size
    over_time = table("recovery", study(7), part="time")
    assert over_time.equals(study(7).recovery.tables["over_time"])


def test_errors_of_ranks_of_one_record_are_drawn_over_time():
    found = error_of_one_record()
    assert po.plot.recovery.data(found).columns == ["contest", "rank_mae"]
    assert po.plot.recovery(found).get_ylabel() == "Mean absolute rank error"


def test_a_plan_shows_what_was_reached_with_its_interval():
    """Shares of studies have Wilson intervals: with 10 of 10, the lower end is 1/(1 + z²/10)."""
    plan = po.power(6, 3, target="linearity", effort=[6, 200], rate=5, runs=10, seed=1)
    found = po.plot.power.data(plan)
    assert found["contests"].to_list() == [6, 200]
    assert found["hours"].to_list() == [1.2, 40.0]
    assert found["share"].to_list() == plan.table["reached"].to_list() == [0.0, 1.0]
    assert found["high"].to_list() == pytest.approx([1 - 1 / (1 + 1.96**2 / 10), 1], abs=1e-4)
    assert found["low"].to_list() == pytest.approx([0, 1 / (1 + 1.96**2 / 10)], abs=1e-4)
    axes = po.plot.power(plan)
    assert [text.get_text() for text in axes.texts] == ["goal 0.8", f"{plan.contests} contests"]
    assert axes.child_axes[0].get_xlabel() == "Hours at 5 contests per hour"


def test_a_plan_without_a_target_and_recovery_show_dyads():
    plan = po.power(6, 3, effort=[20, 100], method="davids_score", runs=6, seed=1)
    assert po.plot.power.data(plan)["share"].to_list() == plan.table["dyads_correct"].to_list()
    found = po.recovery(study(7).data, k=100, runs=12, effort=[2], seed=1)
    shown, efforts = po.plot.power.data(found), found.tables["efforts"]
    assert shown["share"].to_list() == efforts["dyads_correct"].to_list()
    half = (shown["high"] - shown["share"]) / efforts["dyads_correct_se"]
    assert half.to_list() == pytest.approx([1.96, 1.96], abs=1e-3)
    assert po.plot.power(found).get_ylabel() == "Dyads in the correct order (share)"
    with pytest.raises(ValueError, match="has no other numbers of contests"):
        po.plot.power(study(7).recovery)


def test_stints_hold_every_contest_of_both_sides():
    for number in SIZES:
        found = table("presence", study(number))
        assert found["contests"].sum() == 2 * len(study(number).data)
        assert (found["start"] <= found["end"]).all()
    stints = table("presence", study(7)).filter(pl.col("individual") == "Bonny 2")
    assert [str(day) for day in stints["end"]] == ["2019-05-31", str(study(7).data.date[-1])[:10]]


def test_presence_without_presence_is_first_to_last_contest():
    found = po.plot.presence.data(po.datasets.adv())
    assert found.height == 7
    assert found["individual"].is_unique().all()


def test_densities_integrate_to_one():
    found = table("posterior", study(7))
    assert found["part"].unique(maintain_order=True).to_list() == ["parameters", "scores"]
    assert set(found.filter(pl.col("part") == "scores")["parameter"]) == set(study(7).bayes)
    for _, part in found.filter(pl.col("curve") == "posterior").group_by("parameter"):
        area = np.trapezoid(part["density"].to_numpy(), part["value"].to_numpy())
        assert area == pytest.approx(1, abs=0.02)


def short_fit(**settings):
    data = po.read({"winner": list("abcabcab" * 4), "loser": list("bcacabca" * 4)})
    return tame(po.elo_bayes, data, chains=2, warmup=150, samples=150, seed=1, **settings)


def test_narrow_densities_are_not_lost_between_the_points_of_the_grid():
    found = po.plot.posterior.data(short_fit(k=1.0), part="scores")
    for (name,), part in found.group_by("parameter"):
        area = np.trapezoid(part["density"].to_numpy(), part["value"].to_numpy())
        assert area == pytest.approx(1, abs=0.05), name


def test_a_posterior_without_parameters_is_drawn_by_its_scores():
    found = short_fit(k=0.3, sigma=1.0)
    assert set(po.plot.posterior.data(found)["part"]) == {"scores"}
    assert po.plot.posterior(found).get_xlabel() == "Elo rating (log odds)"
    with pytest.raises(ValueError, match="k and sigma were both fixed"):
        po.plot.posterior(found, part="parameters")


# -- what is refused ---------------------------------------------------------------------------

REFUSED = {
    "ribbons without draws": (
        lambda: po.plot.trajectories(study(7).elo, ribbons=True),
        "ribbons needs posterior draws, which elo does not provide. Rate with dynamic or elo_bayes",
    ),
    "dates of the undated": (
        lambda: po.plot.trajectories(undated(), over="date"),
        'over="date": these contests have no dates',
    ),
    "dates of the undated, as a table": (
        lambda: po.plot.trajectories.data(undated(), over="date"),
        'over="date": these contests have no dates',
    ),
    "over something else": (
        lambda: po.plot.trajectories(study(7).elo, over="moon"),
        'over="moon" is not known. Choose one of: date, contest',
    ),
    "months of the undated": (
        lambda: po.plot.bump(undated(), periods="month"),
        'periods="month": these contests have no calendar dates',
    ),
    "unknown periods": (
        lambda: po.plot.bump(study(7).elo, periods="decade"),
        'periods="decade" is not known. Choose one of: week, month, year',
    ),
    "more parts than contests": (
        lambda: po.plot.bump(undated(), periods=9),
        "periods=9: there are only 5 contests",
    ),
    "ranks of plain Elo": (
        lambda: po.plot.ranks(study(7).elo),
        "plot.ranks draws ranks with intervals, which elo does not provide. Use po.dynamic",
    ),
    "ranks at several dates": (
        lambda: po.plot.ranks(study(7).steepness_by_year),
        "plot.ranks draws one point in time: give a single date with at=",
    ),
    "summed chances at several dates": (
        lambda: po.plot.summed_probability(study(7).steepness_by_year),
        "plot.summed_probability draws one point in time",
    ),
    "chances of contests": (
        lambda: po.plot.matrix(study(7).data, show="chances"),
        'show="chances" draws predicted win probabilities, which need ratings',
    ),
    "something else in cells": (
        lambda: po.plot.matrix(study(7).data, show="losses"),
        'show="losses" is not known. Choose one of: wins, chances',
    ),
    "an order of others": (
        lambda: po.plot.matrix(study(7).data, order=study(2).elo),
        "The order and the data contain different individuals",
    ),
    "part of a posterior": (
        lambda: po.plot.posterior(study(7).bayes, part="rest"),
        'part="rest" is not known. Choose one of: parameters, scores',
    ),
    "part of steepness": (
        lambda: po.plot.steepness(study(7).steepness, part="rest"),
        'part="rest" is not known. Choose one of: scores, null',
    ),
    "part of recovery": (
        lambda: po.plot.recovery(study(7).recovery, part="rest"),
        'part="rest" is not known. Choose one of: time, ranks',
    ),
    "ranks of one record": (
        lambda: po.plot.recovery(error_of_one_record(), part="ranks"),
        "rank_error contains errors over time but no estimated ranks",
    ),
    "orders of different individuals": (
        lambda: po.plot.compare({"one": study(7).elo, "other": study(2).elo}),
        "The orders contain different individuals",
    ),
    "panels on axes given": (
        lambda: po.plot.trajectories(study(7).elo, separate=True, ax=plt.figure().subplots()),
        "separate=True needs a figure of its own: omit ax",
    ),
    "too many panels": (
        lambda: po.plot.trajectories(many(), individuals=list(many())[:120], separate=True),
        "120 panels do not fit on a page: choose fewer with highlight=",
    ),
    "too many lines": (
        lambda: po.plot.trajectories(many()),
        "502 lines are too many for one figure: choose up to 500 with individuals=",
    ),
    "ranks of random orders at a date": (
        lambda: po.plot.ranks(study(7).randomized, at="2019-12-31"),
        "at is available for dynamic and elo_bayes only, not for randomized_elo",
    ),
    "a level that is none": (
        lambda: po.plot.ranks(study(7).bayes, level=95),
        "level",
    ),
}


@cache
def many():
    names = [f"n{i}" for i in range(502)]
    return po.elo(po.read((names[:-1], names[1:])))


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_drawn_raises_with_a_reason(case):
    attempt, message = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(message)):
        attempt()


def test_of_five_hundred_lines_the_first_seven_are_named():
    axes = po.plot.trajectories(many(), individuals=list(many())[:500])
    assert len(lines_of(axes)) == 500
    assert [text.get_text() for text in axes.texts] == list(many())[:7]


@pytest.mark.parametrize(
    ("figure", "argument"),
    [
        ("trajectories", "individuals"),
        ("trajectories", "highlight"),
        ("bump", "individuals"),
        ("bump", "highlight"),
        ("compare", "individuals"),
        ("compare", "highlight"),
    ],
)
def test_unknown_names_raise_with_a_suggestion(figure, argument):
    with pytest.raises(
        ValueError, match='"Bony 2" is not among the individuals: .*[Dd]id you mean "Bonny 2"'
    ):
        drawn(figure, study(7), **{argument: ["Bony 2"]})
    with pytest.raises(ValueError, match=f"{argument} is empty: name some individuals, or omit it"):
        drawn(figure, study(7), **{argument: []})


# The example in the error of each figure for results that it cannot draw.
EXAMPLES = {
    "against": 'po.study(data, by="group")',
    "bracket": "po.sport.bracket(ratings, names)",
    "bump": "po.elo(data)",
    "calibration": "po.calibration(ratings)",
    "change_points": "po.change_points(data)",
    "compare": "po.compare(data)",
    "dominance_style": "po.questions.dominance_style(data)",
    "forest": 'po.study(data, by="group")',
    "gaps": "po.visit_gaps(visits)",
    "matrices": "po.read(…)",
    "likelihood": "po.likelihood_surface(data)",
    "over_time": "po.over_time(data)",
    "matrix": "po.read(…), po.elo(data) or po.bradley_terry(data)",
    "network": "po.read(…) or po.isi(data)",
    "places": "po.sport.simulate_season(ratings, fixtures=…)",
    "posterior": "po.elo_bayes(data)",
    "power": "po.power(10, 3)",
    "presence": "po.read(…)",
    "rank_probabilities": "po.dynamic(data)",
    "ranks": "po.dynamic(data)",
    "recovery": "po.recovery(data)",
    "shape": "po.hierarchy_shape(data)",
    "steepness": "po.steepness(data)",
    "summed_probability": "po.steepness_bayes(data)",
    "tenure": "po.elo(data) or po.dynamic(data)",
    "trajectories": "po.elo(data) or po.elo_bayes(data)",
    "weights": "po.adaptive(data)",
}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("what", ["a number", "linearity", "data or ratings"])
def test_results_of_another_kind_raise(figure, what):
    own = study(7)
    found = {
        "a number": 3.5,
        "linearity": tame(po.linearity, po.datasets.adv(), runs=20, seed=1),
        "data or ratings": own.data if SUBJECT[figure] != "data" else own.shape,
    }[what]
    draw = getattr(po.plot, figure)
    if figure in ("ranks", "rank_probabilities") and what == "linearity":
        with pytest.raises((TypeError, ValueError), match=re.escape("po.dynamic(data)")):
            draw(found)
        return
    message = rf"plot\.{figure} cannot draw .*\. Pass, for example, {re.escape(EXAMPLES[figure])}"
    for attempt in (draw, draw.data):
        with pytest.raises(TypeError, match=message):
            attempt(found)
    assert plt.get_fignums() == []


def test_orders_by_name_must_be_orders():
    for wrong in ({}, {"one": 3}, {"one": study(7).elo, "other": study(7).data}):
        with pytest.raises(TypeError, match="plot.compare draws the result of po.compare"):
            po.plot.compare(wrong)


# -- looks -------------------------------------------------------------------------------------


def lines_of(axes):
    """Lines of data, without those that join them to names."""
    return [line for line in axes.get_lines() if line.get_transform() == axes.transData]


@pytest.mark.parametrize("figure", ["trajectories", "bump", "compare"])
def test_highlight_makes_the_others_gray(figure):
    every_line = lines_of(drawn(figure, study(7)))
    axes = drawn(figure, study(7), highlight=["Q1", "Bonny 6"])
    colors = [to_hex(line.get_color()).upper() for line in lines_of(axes)]
    assert len(colors) == len(every_line)
    bright = [color for color in colors if color != LIGHT.upper()]
    assert len(bright) == 2
    assert len(set(bright)) == 2
    assert LIGHT.upper() not in [to_hex(line.get_color()).upper() for line in every_line]
    assert sorted(text.get_text() for text in axes.texts) == ["Bonny 6", "Q1"]


@pytest.mark.parametrize("figure", ["trajectories", "bump", "compare"])
def test_only_requested_individuals_are_drawn(figure):
    axes = drawn(figure, study(7), individuals=["Q1", "Bonny 6"])
    assert len(lines_of(axes)) == 2


@pytest.mark.parametrize("figure", ["trajectories", "bump", "compare"])
def test_a_single_individual_can_be_drawn(figure, monkeypatch):
    check_fit(drawn(figure, study(7), individuals="Q1"), monkeypatch)


def test_separate_panels_are_one_for_each_and_share_their_axes():
    axes = po.plot.trajectories(study(7).elo, separate=True)
    whole = axes.flat[0].figure
    assert len(whole.axes) == 7
    assert [panel.get_title(loc="left") for panel in whole.axes] == shown(study(7).top)
    for one, other in pairwise(whole.axes):
        assert one.get_shared_x_axes().joined(one, other)
        assert one.get_shared_y_axes().joined(one, other)
        assert one.get_ylim() == other.get_ylim()


def test_separate_panels_of_those_highlighted_show_the_others_behind():
    axes = po.plot.trajectories(study(7).elo, separate=True, highlight=["Q1", "Bonny 6"])
    panels = axes.flat[0].figure.axes
    assert len(panels) == 2
    whole = table("trajectories", study(7))
    for panel, name in zip(panels, ["Q1", "Bonny 6"], strict=True):
        behind, own = lines_of(panel)
        assert np.isnan(behind.get_ydata()).sum() == whole.unique(["individual", "stint"]).height
        assert set(whole["rating"]) <= set(behind.get_ydata())
        assert own.get_ydata()[-1] == study(7).elo[name]
        assert own.get_zorder() > behind.get_zorder()
        assert own.get_color() != behind.get_color()


@pytest.mark.parametrize("figure", ["matrix", "network"])
def test_an_order_is_an_order(figure):
    for found in (po.datasets.adv(), study(7).elo):
        for wrong in (np.zeros(3), [], "elo"):
            with pytest.raises(po.ArgumentTypeError, match="Order or Ratings"):
                getattr(po.plot, figure)(found, order=wrong)


@pytest.mark.parametrize("figure", ["matrix", "network", "trajectories"])
def test_axes_are_of_matplotlib(figure):
    with pytest.raises(po.ArgumentTypeError, match="give axes of matplotlib"):
        getattr(po.plot, figure)(study(7).elo, ax=[1, 2])


def test_ribbons_are_true_or_false():
    for wrong in ({"ribbons": np.zeros(3)}, {"separate": "yes"}):
        with pytest.raises(po.ArgumentTypeError, match="give True or False"):
            po.plot.trajectories(study(7).elo, **wrong)


def test_ribbons_are_drawn_by_default_for_few_only():
    few = po.plot.trajectories(study(7).bayes, highlight=study(7).top[:2])
    all_of_them = po.plot.trajectories(study(7).bayes)
    none = po.plot.trajectories(study(7).bayes, highlight=study(7).top[:2], ribbons=False)
    assert len(few.collections) >= 4
    assert len(all_of_them.collections) == len(none.collections) == 0


def test_axes_say_what_they_show():
    own = study(7)
    assert drawn("trajectories", own).get_ylabel() == "Elo rating (points)"
    assert drawn("trajectories", own).get_xlabel() == "Date"
    assert drawn("trajectories", own, over="contest").get_xlabel() == "Contest (number)"
    assert po.plot.trajectories(own.bayes).get_ylabel() == "Elo rating (log odds)"
    assert po.plot.trajectories(po.sport.glicko(own.data)).get_ylabel() == "Glicko rating (points)"
    assert drawn("bump", own).get_xlabel() == "End of year"
    assert drawn("bump", own, periods=3).get_xlabel() == "Until"
    assert po.plot.bump(undated()).get_xlabel() == "Until contest"


@pytest.mark.parametrize("figure", ["bump", "compare", "ranks"])
@pytest.mark.parametrize("number", [2, 7, pytest.param(44, marks=pytest.mark.slow)])
def test_ranks_are_whole_numbers_on_their_axis(figure, number):
    axes = drawn(figure, study(number))
    axis = axes.xaxis if figure == "ranks" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_ticklocs() if low <= place <= high]
    assert places
    assert places == [round(place) for place in places]
    assert min(places) >= 1


def test_contests_are_whole_numbers_on_their_axis():
    axes = po.plot.trajectories(po.elo(po.read({"winner": ["a"], "loser": ["b"]})))
    low, high = axes.get_xlim()
    places = [place for place in axes.get_xticks() if low <= place <= high]
    assert places == [round(place) for place in places]


def test_ends_of_periods_within_a_day_have_distinct_labels(monkeypatch):
    times = [f"2020-01-01 {6 + i // 4:02d}:{i % 4 * 15:02d}:00" for i in range(40)]
    data = po.read({"winner": list("abca") * 10, "loser": list("bcab") * 10, "date": times})
    axes = po.plot.bump(po.elo(data))
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert len(labels) > 1
    assert len(set(labels)) == len(labels)


def test_the_ranks_of_more_than_fit_by_name_begin_at_one():
    names = [f"n{i}" for i in range(120)]
    order = po.randomized_elo(po.read((names[:-1], names[1:])), runs=10, seed=1)
    axes = po.plot.ranks(order)
    axes.figure.canvas.draw()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert axes.get_ylabel() == "Rank (1 = highest)"
    assert "0" not in labels
    presence = po.plot.presence(po.read((names[:-1], names[1:])))
    assert "Rank" not in presence.get_ylabel()


def test_no_two_of_sixty_lines_look_the_same():
    for one, other in combinations(looks(60), 2):
        assert one != other
    for one, other in pairwise(looks(60)):
        assert one["color"] != other["color"]


def test_no_two_colored_lines_of_a_figure_look_the_same():
    axes = drawn("trajectories", study(12))
    by_look = {}
    stints = table("trajectories", study(12)).unique(["individual", "stint"], maintain_order=True)
    lines = lines_of(axes)
    assert len(lines) == stints.height
    for name, line in zip(stints["individual"], lines, strict=True):
        by_look.setdefault((line.get_color(), line._unscaled_dash_pattern), set()).add(name)
    assert all(len(names) == 1 for names in by_look.values())


@pytest.mark.parametrize("figure", ["trajectories", "bump", "compare"])
def test_of_many_lines_seven_are_colored_and_those_present_are_named(figure):
    own = study(44)
    axes = drawn(figure, own)
    shades = {text.get_text(): text.get_color() for text in axes.texts}
    colored = [name for name, color in shades.items() if color not in (GRAY, LIGHT)]
    assert len(colored) == 7
    gone = {
        name
        for name in own.data.individuals
        if not own.data.presence.at(own.data.times[-1], (name,))[0]
    }
    if figure != "compare":
        assert gone
        assert set(shades) == set(shown(name for name in own.data.individuals if name not in gone))
        assert colored == shown([name for name in own.elo if name not in gone][:7])
    chosen_ones = drawn(figure, own, highlight=own.top[20:22])
    named = [text.get_text().strip("()") for text in chosen_ones.texts]
    assert named == shown(own.top[20:22])


PLACES = st.lists(st.floats(0, 1), min_size=1, max_size=40).map(np.array)


@given(PLACES, st.floats(0, 0.2))
def test_labels_are_spread_apart_inside_their_range_in_their_order(wanted, gap):
    placed = spread(wanted, gap, 0.0, 1.0)
    kept = min(gap, 1 / max(1, len(wanted) - 1))
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= kept - 1e-9).all()
    assert placed.min() >= -1e-9
    assert placed.max() <= 1 + 1e-9


@given(PLACES, st.floats(0, 0.2))
def test_labels_apart_already_stay_where_they_are(wanted, gap):
    placed = spread(wanted, gap, 0.0, 1.0)
    assert spread(placed, gap, 0.0, 1.0) == pytest.approx(placed, abs=1e-9)
    alone = np.sort(wanted)
    if (np.diff(alone) >= gap).all():
        assert spread(alone, gap, 0.0, 1.0) == pytest.approx(alone, abs=1e-9)


@given(PLACES, st.floats(0, 0.02))
def test_no_label_goes_farther_than_all_of_them_need(wanted, gap):
    placed = spread(wanted, gap, 0.0, 1.0)
    assert np.abs(placed - wanted).max() <= gap * len(wanted) + 1e-9


# -- what is loaded ----------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["import peckorder.plot", "import peckorder; peckorder.plot"])
def test_figures_load_matplotlib_only_when_drawn(line):
    program = f"{line}\nimport sys\nprint(sorted(m for m in sys.modules if 'matplotlib' in m))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_figure_saved_by_its_own_method_is_fit_for_a_journal(tmp_path):
    """Without any setting of matplotlib's: text stays text, and files are the same."""
    import pickle

    def saved(name):
        axes = po.plot.trajectories(po.elo(po.datasets.adv()))
        axes.figure.savefig(tmp_path / name)
        return (tmp_path / name).read_bytes()

    assert saved("a.svg") == saved("b.svg")
    assert b">b</text>" in saved("a.svg")
    assert saved("a.pdf") == saved("b.pdf")
    assert b"FontFile2" in saved("a.pdf")
    figure = po.plot.trajectories(po.elo(po.datasets.adv())).figure
    assert pickle.loads(pickle.dumps(figure)).get_size_inches().tolist() == (
        figure.get_size_inches().tolist()
    )


def test_k_of_contexts_is_drawn_for_each():
    table = po.datasets.adv().to_table().with_columns(kind=pl.Series(["x", "y", "z"] * 11))
    with catch_warnings():
        simplefilter("ignore", po.ConvergenceWarning)
        fit = po.elo_bayes(po.read(table, context="kind"), k="context", seed=1, samples=300)
    drawn = po.plot.posterior.data(fit, part="parameters")
    assert set(drawn["parameter"]) == {"k (x)", "k (y)", "k (z)", "k_typical", "sigma"}
    assert set(drawn.filter(curve="prior")["parameter"]) == {"k_typical", "sigma"}


def test_figures_over_time_refuse_contests_in_no_known_order():
    bonobos = po.datasets.bonobos()
    with pytest.warns(po.DataWarning):
        elo = po.elo(bonobos)
    for draw in (po.plot.trajectories, po.plot.bump):
        with pytest.raises(po.DataError, match="the order of these contests is not known"):
            draw(elo)
    with pytest.raises(po.DataError, match="plot.presence draws changes over time"):
        po.plot.presence(bonobos)
    one_day = po.read({"winner": list("abc"), "loser": list("bca"), "date": ["2020-01-01"] * 3})
    with pytest.raises(po.DataError, match="all have the same date"):
        po.plot.bump(po.elo(one_day))


def test_ratings_relative_to_those_present_move_with_them():
    """Arrivals and departures shift all ratings: lines agree with `.at`."""
    rows = {
        "winner": list("abcabcabdabd"),
        "loser": list("bcabcabdabda"),
        "date": [f"2020-01-{day:02d}" for day in range(1, 13)],
    }
    data = po.read(pl.DataFrame(rows), presence="inferred")
    with catch_warnings():
        simplefilter("ignore")
        fit = po.elo_bayes(data, centering="present", seed=1, samples=200)
    table = po.plot.trajectories.data(fit, individuals="a")
    for day in ("2020-01-05", "2020-01-08", "2020-01-11"):
        there = fit.at(day).filter(individual="a")["rating"][0]
        drawn = table.filter(pl.col("date").cast(pl.Date) <= pl.lit(day).str.to_date())["rating"][
            -1
        ]
        assert drawn == pytest.approx(there)


def test_likelihood_of_two_settings_is_a_map_with_its_maximum():
    found = po.likelihood_surface(
        po.datasets.adv(), over={"k": (0, 400), "sd": (100, 500)}, curve="normal", grid=9
    )
    axes = po.plot.likelihood(found)
    (mesh,) = (one for one in axes.collections if hasattr(one, "get_coordinates"))
    table = found.table
    drawn = mesh.get_array().reshape(9, 9)
    for row in table.iter_rows(named=True):
        i = round((row["sd"] - 100) / 50)
        j = round(row["k"] / 50)
        assert drawn[i, j] == max(row["difference"], -10)
    (point,) = (line for line in axes.lines if line.get_marker() == "o")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (found.best["k"], found.best["sd"])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("k (points)", "sd (points)")


def test_gaps_are_drawn_in_their_bins():
    visits = {"id": list("abab"), "start": [0, 0.05, 5.05, 3605.05]}
    axes = po.plot.gaps(po.visit_gaps(visits, place=False))
    (steps,) = axes.patches
    counts, edges, _ = steps.get_data()
    assert counts.sum() == 3
    assert counts[0] == counts[-1] == 1
    assert edges[-2] <= 3600 <= edges[-1]
    assert [tick.get_text() for tick in axes.get_xticklabels()][:3] == ["0.1 s", "1 s", "10 s"]


def test_likelihood_of_three_settings_is_refused():
    data = po.read(
        {"winner": list("abcab"), "loser": list("bcaca"), "context": ["x", "y", "z", "x", "y"]},
        context="context",
    )
    found = po.likelihood_surface(data, k="context", grid=2)
    with pytest.raises(ValueError, match="one or two settings"):
        po.plot.likelihood(found)
