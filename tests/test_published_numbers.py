"""Every published number that was recomputed, and the test that recomputes it with this package.

The lists below have one entry for each claim of tests/reference/papers.json and for each entry of
other_software.json. What is printed but cannot be reproduced is stated in the documents.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import peckorder as po
from peckorder.curves import THRESHOLDS
from peckorder.ranks import spearman
from tests.matrices import matrix

ROOT = Path(__file__).parent.parent
HERE = "test_published_numbers.py"
ELO, CURVES = "ratings/test_elo.py", "test_curves.py"
STEEPNESS, DAVID = "structure/test_steepness.py", "orders/test_davids_score.py"
LINEARITY, NFL = "structure/test_linearity.py", "evaluation/test_evaluate.py"
GROWN = "simulate/test_self_organizing.py"
FITS, BAYES = "ratings/test_elo_ml.py", "ratings/test_elo_bayes.py"

CLAIMS = {
    "adv.example": (ELO, "test_worked_example"),
    "adv.bite": (CURVES, "test_the_printed_table"),
    "adv.table.normal": (HERE, "test_the_printed_table_is_no_curve"),
    "adv.table.logistic": (HERE, "test_the_printed_table_is_no_curve"),
    "adv.fig1.seq": (ELO, "test_figure_1_trace_of_every_contest"),
    "adv.fig1.final": (ELO, "test_figure_1_with_every_curve"),
    "adv.fig1.2v24": (ELO, "test_figure_1_with_the_printed_table"),
    "adv.kscale": (ELO, "test_k_scales_nothing_but_the_first_contest"),
    "adv.bt": (HERE, "test_cardinal_ranks_of_albers_and_de_vries_are_a_tenth_newton_step"),
    "adv.chase74": (CURVES, "test_k_from_effect"),
    "adv.chase4": (HERE, "test_a_chance_of_4_percent_is_not_k_250"),
    "adv.t1.sum": (GROWN, "test_table_1_of_albers_and_de_vries"),
    "adv.t1.range": (HERE, "test_table_1_is_not_based_on_3000_contests_per_dyad"),
    "adv.t1.h": (HERE, "test_simulated_matrices_are_linear_but_not_unidirectional"),
    "adv.t1.rho": (GROWN, "test_elo_agrees_with_isi_as_the_paper_says"),
    "adv.t1.unidir": (HERE, "test_simulated_matrices_are_linear_but_not_unidirectional"),
    "adv.hspeed": (GROWN, "test_table_1_of_albers_and_de_vries"),
    "adv.fig2": (GROWN, "test_shares_of_dominances_fall_with_rank"),
    "ste.matrix": (HERE, "test_the_unreadable_cell_of_the_bonobos_is_3"),
    "ste.table2": (DAVID, "test_table_2_of_de_vries_et_al_2006"),
    "ste.slope": (STEEPNESS, "test_bonobos_of_de_vries_et_al_2006"),
    "ste.fig2": (STEEPNESS, "test_figure_2_of_de_vries_et_al_2006"),
    "ste.dij": (HERE, "test_examples_of_d"),
    "ste.t3": (STEEPNESS, "test_table_3_of_de_vries_et_al_2006"),
    "ste.t3.p": (STEEPNESS, "test_table_3_of_de_vries_et_al_2006"),
    "ste.bonobo.p": (STEEPNESS, "test_bonobos_of_de_vries_et_al_2006"),
    "ste.h.t3": (LINEARITY, "test_de_vries_et_al_2006"),
    "ste.h.bonobo": (LINEARITY, "test_de_vries_et_al_2006"),
    "ste.fig4": (STEEPNESS, "test_five_times_the_contests_leave_p_and_raise_d"),
    "ste.cv": (STEEPNESS, "test_coefficient_of_variation_against_slope"),
    "ste.app1": (STEEPNESS, "test_appendix_1_constant_chance"),
    "ste.mseP": (DAVID, "test_dij_beats_pij_where_the_formula_says"),
    "ste.msed": (DAVID, "test_the_printed_claim_on_the_older_index_holds_for_some_numbers_only"),
    "nfl.t1": (NFL, "test_the_three_tables_of_the_chapter"),
    "nfl.t2": (NFL, "test_the_three_tables_of_the_chapter"),
    "nfl.t3": (NFL, "test_the_three_tables_of_the_chapter"),
    "nfl.hind1": (NFL, "test_hindsight_and_foresight_counts_of_the_chapter"),
    "nfl.fore1": (NFL, "test_hindsight_and_foresight_counts_of_the_chapter"),
    "nfl.acc2": (NFL, "test_hindsight_and_foresight_counts_of_the_chapter"),
    "nfl.acc3": (NFL, "test_hindsight_and_foresight_counts_of_the_chapter"),
    "nfl.bestH": (HERE, "test_the_best_home_advantages_of_the_chapter"),
    "nfl.noH": (HERE, "test_the_best_home_advantages_of_the_chapter"),
    "nfl.R": (NFL, "test_win_share_and_areas_of_the_chapter"),
    "nfl.reg": (NFL, "test_win_share_and_areas_of_the_chapter"),
    "nfl.integral": (NFL, "test_win_share_and_areas_of_the_chapter"),
    "nfl.xi": (HERE, "test_other_claims_of_the_chapter"),
    "nfl.mu": (HERE, "test_other_claims_of_the_chapter"),
    "gof.J": (HERE, "test_the_contests_of_goffe_et_al"),
    "gof.f09": (HERE, "test_the_contests_of_goffe_et_al"),
    "gof.acc": (FITS, "test_chimpanzee_females"),
    "gof.brier": (FITS, "test_chimpanzee_females"),
    "gof.ml": (FITS, "test_chimpanzee_females"),
    "gof.foerster": (FITS, "test_chimpanzee_females"),
    "gof.model1": (HERE, "test_equal_ratings_of_model_1"),
    "gof.toy1": (BAYES, "test_toy_examples_of_goffe"),
    "gof.toy2": (BAYES, "test_toy_examples_of_goffe"),
    "gof.plogis": (HERE, "test_winning_probabilities_of_goffe_et_al"),
    "gof.bayes": (BAYES, "test_chimpanzee_females_agree_with_nutpie_and_stan"),
}
# Claims that no test of this package could confirm, and why.
OUT_OF_REACH = {
    "gof.code": "concerns a script of the authors, which was read and not run",
    "gof.sims": "figures of random simulations without printed numbers",
}
SOFTWARE = {
    "EloRating.elo.seq final ratings on adv, start 1000, rounded after each contest": (
        ELO,
        "test_preset_elorating_rounds_after_each_contest",
    ),
    "EloRating.fastelo unrounded on adv": (ELO, "test_unrounded_ratings_and_likelihood"),
    "EloRating.DS bonobos": (DAVID, "test_elorating_on_the_bonobos"),
    "EloRating.steepness bonobos (10000 randomizations)": (
        STEEPNESS,
        "test_elorating_on_the_bonobos",
    ),
    "EloRating.h.index bonobos (10000)": (LINEARITY, "test_other_software_on_the_bonobos"),
    "EloRating.transitivity bonobos (2000)": (
        "structure/test_transitivity.py",
        "test_other_software_on_the_bonobos",
    ),
    "EloRating stability and likelihood on adv": (
        "structure/test_stability.py",
        "test_elorating_on_adv",
    ),
    "aniDom.elo_scores in order on adv (K=200, sigmoid .01, start 0)": (ELO, "test_preset_anidom"),
    "aniDom randomised 1000 on adv": ("ratings/test_randomized.py", "test_anidom_on_adv"),
    "aniDom uncertainty on adv": (
        "ratings/test_randomized.py",
        "test_anidom_uncertainty_on_adv",
    ),
    "compete summary bonobos": (LINEARITY, "test_other_software_on_the_bonobos"),
    "I&SI optimum by full search": ("orders/test_isi.py", "test_bonobos_have_two"),
    "EloOptimized model 1, chimpanzee females": (FITS, "test_chimpanzee_females"),
    "Goffe Stan model (rstan), chimpanzee females, first 100 contests dropped, "
    "4 chains x 250 draws": (BAYES, "test_chimpanzee_females_agree_with_nutpie_and_stan"),
    "Goffe Stan model: probabilities taken before and after the update": (
        BAYES,
        "test_chimpanzee_females_agree_with_nutpie_and_stan",
    ),
    "EloSteepness bonobos fixed_sd": (
        "structure/test_steepness_published.py",
        "test_bonobos_agree_with_elosteepness",
    ),
}
# Printed statements that do not hold, and where the documents say so.
STATED = {
    "adv.kscale": ("elo.md", "A different k changes the shape of a hierarchy"),
    "adv.bt": ("elo.md", "the tenth step of Newton's method"),
    "adv.chase4": ("elo.md", "4% into k = 250 does not"),
    "adv.t1.range": ("simulation.md", "the 3000 contests that it mentions belong to its Figure 2"),
    "adv.t1.unidir": ("simulation.md", "are not unidirectional"),
    "ste.msed": ("orders.md", "with 12 or more it does not hold near ½"),
    "ste.t3.p": ("structure.md", "is printed as 0.283"),
    "nfl.bestH": ("evaluation.md", "One statement in the book does not hold"),
    "gof.foerster": ("fits.md", "89.8%"),
    "gof.toy1": ("fits.md", "0.5593 is printed as 0.55"),
    "gof.bayes": ("fits.md", "90.7% of contests predicted"),
}


def test_every_recomputed_number_has_a_test(papers, software):
    ids = {claim["id"] for claim in papers["claims"]}
    assert ids == CLAIMS.keys() | OUT_OF_REACH.keys()
    assert software.keys() - {"note"} == SOFTWARE.keys()
    for path, name in {*CLAIMS.values(), *SOFTWARE.values()}:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert f"\ndef {name}(" in text, f"{path} has no {name}"


def test_what_cannot_be_reproduced_is_stated(papers):
    refuted = {claim["id"] for claim in papers["claims"] if "DISAGREE" in claim["verdict"]}
    assert refuted <= STATED.keys()
    for page, words in STATED.values():
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert words in re.sub(r"\s+", " ", text), f"docs/{page} does not state: {words}"


# -- Albers & de Vries 2001 ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "equal", "largest"),
    [
        (po.curves.Normal(sd=2000 / 7), 45, 0.0057),
        (po.curves.Normal(), 7, None),
        (po.curves.Logistic(), 4, 0.018),
    ],
)
def test_the_printed_table_is_no_curve(curve, equal, largest):
    points = np.arange(0, 2000)
    chance = np.asarray(curve(points))
    rounded = np.floor(chance * 100 + 0.5)
    last = np.array([points[rounded == percent].max() for percent in range(50, 100)])
    assert (last == THRESHOLDS).sum() == equal
    if largest is not None:
        table = np.asarray(po.curves.Table()(points[:736]))
        assert np.abs(table - chance[:736]).max() == pytest.approx(largest, abs=5e-4)
    if equal == 45:
        differ = np.flatnonzero(last != THRESHOLDS)
        assert (differ + 50).tolist() == [57, 88, 89, 91, 98]
        assert last[differ].tolist() == [54, 342, 358, 392, 620]
    if isinstance(curve, po.curves.Logistic):
        assert last[-1] - THRESHOLDS[-1] == 184


def test_a_chance_of_4_percent_is_not_k_250():
    assert po.curves.k_from_effect(0.96) == 1002
    assert po.curves.Table()(250 / 2) == 0.67  # so that k = 250 leaves the loser 33%


def test_cardinal_ranks_of_albers_and_de_vries_are_a_tenth_newton_step(papers):
    """The likelihood of Bradley and Terry has no maximum; the printed values are an iterate."""
    printed = {"b": 19.2, "c": 18.5, "d": 9.5, "e": 0.3, "f": 0.0, "g": 0.0, "a": -1.5}
    names = list(printed)
    wins = np.zeros((7, 7))
    for pair in papers["adv"]["sequence"]:
        wins[names.index(pair[0]), names.index(pair[1])] += 1
    number, free = wins + wins.T, [i for i, name in enumerate(names) if name != "f"]
    ability = np.zeros(7)
    for _ in range(10):
        chance = 1 / (1 + np.exp(ability[None, :] - ability[:, None]))
        slope = (wins - number * chance).sum(axis=1)
        weight = number * chance * (1 - chance)
        curvature = np.diag(weight.sum(axis=1)) - weight
        ability[free] += np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    assert ability.round(1).tolist() == pytest.approx(list(printed.values()), abs=1e-9)
    with pytest.warns(po.DataWarning):
        fit = po.bradley_terry(po.datasets.adv())
    assert fit.components == papers["adv"]["bt_components"]
    found = dict(zip(fit.table["individual"], fit.table["ability"], strict=True))
    within = papers["adv"]["bt_within"]
    for name in "aeg":
        assert found[name] - found["f"] == pytest.approx(within[name], abs=5e-5)
    assert found["b"] - found["c"] == pytest.approx(within["b_minus_c"], abs=5e-7)


@pytest.mark.parametrize(("k", "range_of_ratings"), [(20, 3031), (100, 7099), (200, 8704)])
def test_table_1_is_not_based_on_3000_contests_per_dyad(k, range_of_ratings):
    """The paper has 1322, 3758 and 5592, as after 250 to 300 contests per dyad."""
    found = po.simulate.self_organizing(k=k, contests_per_dyad=3000, runs=10, seed=1)
    error = found.range_sd / np.sqrt(10)
    assert found.range == pytest.approx(range_of_ratings, abs=4 * error)
    printed = {20: 1322, 100: 3758, 200: 5592}[k]
    assert found.range > printed + 20 * error
    shorter = po.simulate.self_organizing(k=k, contests_per_dyad=260, runs=50, seed=1)
    assert shorter.range == pytest.approx(printed, abs=2 * shorter.range_sd)


@pytest.mark.parametrize(("k", "dci"), [(20, 0.55), (100, 0.71), (200, 0.75)])
def test_simulated_matrices_are_linear_but_not_unidirectional(k, dci):
    found = po.simulate.self_organizing(k=k, contests_per_dyad=250, runs=100, seed=1)
    h = found.samples["h"][:, -1]
    assert np.median(h) == 1
    assert np.quantile(h, 0.05) == pytest.approx(0.978, abs=0.01)
    assert h.min() < 0.99  # not in all runs
    one = [po.consistency(found.record(run), runs=1, seed=1).value for run in range(40)]
    assert np.median(one) == pytest.approx(dci, abs=0.03)


# -- de Vries, Stevens & Vervaecke 2006 ------------------------------------------------------------


@pytest.mark.parametrize(("cell", "d", "ds"), [(2, 0.83, 9.44), (3, 0.88, 9.69), (4, 0.90, 9.84)])
def test_the_unreadable_cell_of_the_bonobos_is_3(cell, d, ds):
    """Dz over De: only 3 wins give the printed D of 0.88 and David's score of 9.69."""
    wins = po.datasets.bonobos().matrix()
    names = wins.individuals
    table = wins.wins.copy()
    table[names.index("Dz"), names.index("De")] = cell
    found = po.davids_score(matrix(table.tolist(), names=list(names)))
    score = dict(zip(found.table["individual"], found.table["ds"], strict=True))
    assert score["Dz"] == pytest.approx(ds, abs=0.0051)
    assert (cell + 0.5) / (cell + 1) == pytest.approx(d, abs=0.0051)


def test_examples_of_d():
    for won, lost, d in ((4, 1, 0.75), (1, 0, 0.75), (5, 0, 0.917), (2, 0, 0.83), (10, 0, 0.955)):
        row = matrix([[0, won], [lost, 0]]).dyads(index="dij").table.row(0, named=True)
        assert row["a_chance"] == pytest.approx(d, abs=0.0034)


# -- Langville & Meyer 2012 ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nfl(paper_file):
    return po.read(paper_file("nfl2009.csv"))


@pytest.mark.paper_data
def test_the_best_home_advantages_of_the_chapter(nfl):
    """Counts over H = 0, 0.5, …, 60; the book calls H = 0 best in hindsight for variable K."""
    common = {"scale": 1000, "k": 32, "start": 0}
    varied = common | {"outcome": "points", "k_periods": {"2009-12-24": 16, "2010-01-09": 64}}
    grid = np.arange(0, 60.5, 0.5)

    def best(settings, view):
        ratings = po.elo(nfl, **settings)
        found = [po.evaluate(ratings, home_advantage=h, runs=1) for h in grid]
        correct = np.array([getattr(one, view)["correct"] for one in found])
        return correct.max(), grid[correct == correct.max()].tolist()

    assert best(common, "hindsight") == (201, [0, 0.5])
    assert best(varied, "hindsight") == (197, [17, 17.5, 21.5, 22])
    assert best(varied, "foresight") == (176, [9.5])
    assert best(common | {"outcome": "points"}, "hindsight") == (195, [16, 16.5, 17])


@pytest.mark.paper_data
def test_other_claims_of_the_chapter(nfl, papers):
    one, other = (po.elo(nfl, scale=scale, k=32, start=0) for scale in (1000, 400))
    assert spearman(one.rating, other.rating) == pytest.approx(0.990, abs=5e-4)
    assert po.curves.Logistic()(-400) == pytest.approx(0.0909, abs=5e-5)
    printed = [
        sum(team["published"] for team in table.values())
        for table in papers["nfl"]["tables"].values()
    ]
    assert sorted(np.abs(printed).round(4)) == pytest.approx([0.0002, 0.0005, 0.004], abs=5e-4)


# -- Goffe, Fischer & Sennhenn-Reulen 2018 ------------------------------------------------------


@pytest.mark.paper_data
def test_the_contests_of_goffe_et_al(paper_file):
    every = po.read(paper_file("chimpanzee_females.csv"))
    data = every.take(np.arange(100, len(every)))
    assert (len(every), len(data), len(data.individuals)) == (1015, 915, 44)
    assert (str(every.date[0])[:10], str(every.date[-1])[:10]) == ("1969-12-28", "2013-11-24")
    records = []
    for part in (every, data):
        table = po.elo(part).table
        own = table.filter(table["individual"] == "f09").row(0, named=True)
        records.append((own["wins"], own["losses"]))
    assert records == [(7, 37), (0, 3)]


@pytest.mark.paper_data
def test_equal_ratings_of_model_1(paper_file):
    """k only: 4 of 915 contests are between equals, which EloOptimized counts as wrong."""
    every = po.read(paper_file("chimpanzee_females.csv"))
    data = every.take(np.arange(100, len(every)))
    ratings = po.elo(data, k=0.66489, start=0, delta=1)
    found = po.evaluate(ratings, runs=1).foresight
    assert (found["correct"], found["equal"]) == (757, 4)
    assert (found["correct"] + found["equal"]) / 915 == pytest.approx(0.83169, abs=5e-6)
    assert found["brier"] == pytest.approx(0.12119, abs=5e-6)


def test_winning_probabilities_of_goffe_et_al():
    shown = np.asarray(po.curves.Exponential(1.0)(np.arange(6.0)) * 100)
    assert shown.round(1).tolist() == [50.0, 73.1, 88.1, 95.3, 98.2, 99.3]
