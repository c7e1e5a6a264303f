"""Dominance hierarchies and rankings from records of who beat whom, with their uncertainty.

Start with `data = po.read("contests.csv")`; `data.check()` says what was read and what looks wrong,
and `po.report(data, "report.html")` writes a report. All functions take such data, or results of
other functions; `help(po.elo)` describes one of them, with an example.

>>> import peckorder as po
>>> data = po.datasets.adv()
>>> po.elo(data, k=200)
Ratings (elo): 7 individuals, 33 contests; b 1326.7, c 1188.1, d 1180.4, f 1046.6, e 1005.3, …

Input
    read, propose, read_presence, displacements (from visits to feeders; visit_gaps), datasets
Ratings, from contests in sequence
    elo, elo_ml, elo_bayes, dynamic, adaptive, EloRater, prior_ranks
Rank orders, from contests in any order or a matrix of wins
    davids_score, isi, bradley_terry, randomized_elo, compare
Structure of the hierarchy
    steepness, steepness_bayes, steepness_difference, linearity, transitivity, consistency,
    stability, order_test, change_points, hierarchy_shape, over_time
Evaluation of ratings
    evaluate, calibration, compare_models, tune, likelihood_surface, without, predict
Reliability and study design, by simulation
    recovery, power
Many groups
    study
Report in one HTML file
    report
Submodules
    plot         figures for publication
    simulate     simulated contests with known ranks
    orders       adagio, percolation, dominance_value, indices, period_ranks, network,
                 repeatability, splitting, index_error
    sport        glicko, glicko2, home_advantages, simulate_season, win_share, areas,
                 outside_forecast, chances_from_odds, finish_chances, league_table, bracket,
                 plackett_luce, FieldRater, AdaptiveRater, audit_votes
    questions    dominance_style, fragility, multiverse, next_pairs, stress
    papers       reproduce (numbers printed in papers, recomputed)
    curves       Logistic, Exponential, Normal, Table, k_from_effect
Classes
    Contests, Matrix, Presence, ContestStream, Ratings, Posterior, Order, Measure,
    Study
Errors and warnings
    PeckorderError, DataError, ArgumentError, ArgumentTypeError, ConvergenceError, ExecutorError,
    DataWarning, ConvergenceWarning
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from peckorder import curves as curves
    from peckorder import datasets as datasets
    from peckorder import orders as orders
    from peckorder import papers as papers
    from peckorder import plot as plot
    from peckorder import questions as questions
    from peckorder import simulate as simulate
    from peckorder import sport as sport
    from peckorder.data.contests import Contests as Contests
    from peckorder.data.displacements import displacements as displacements
    from peckorder.data.matrix import Matrix as Matrix
    from peckorder.data.presence import Presence as Presence
    from peckorder.data.presence_tables import read_presence as read_presence
    from peckorder.data.proposal import propose as propose
    from peckorder.data.read import read as read
    from peckorder.data.stream import ContestStream as ContestStream
    from peckorder.errors import ArgumentError as ArgumentError
    from peckorder.errors import ArgumentTypeError as ArgumentTypeError
    from peckorder.errors import ConvergenceError as ConvergenceError
    from peckorder.errors import ConvergenceWarning as ConvergenceWarning
    from peckorder.errors import DataError as DataError
    from peckorder.errors import DataWarning as DataWarning
    from peckorder.errors import ExecutorError as ExecutorError
    from peckorder.errors import PeckorderError as PeckorderError
    from peckorder.evaluation.calibration import calibration as calibration
    from peckorder.evaluation.compare import compare as compare
    from peckorder.evaluation.compare_models import compare_models as compare_models
    from peckorder.evaluation.evaluate import evaluate as evaluate
    from peckorder.evaluation.leave_out import without as without
    from peckorder.evaluation.likelihood_surface import likelihood_surface as likelihood_surface
    from peckorder.evaluation.over_time import over_time as over_time
    from peckorder.evaluation.predict import predict as predict
    from peckorder.evaluation.tune import tune as tune
    from peckorder.groups.result import Study as Study
    from peckorder.groups.study import study as study
    from peckorder.orders.bradley_terry import bradley_terry as bradley_terry
    from peckorder.orders.davids_score import davids_score as davids_score
    from peckorder.orders.isi import isi as isi
    from peckorder.ratings.adaptive import adaptive as adaptive
    from peckorder.ratings.change_points import change_points as change_points
    from peckorder.ratings.dynamic import dynamic as dynamic
    from peckorder.ratings.elo import elo as elo
    from peckorder.ratings.elo_bayes import elo_bayes as elo_bayes
    from peckorder.ratings.elo_ml import elo_ml as elo_ml
    from peckorder.ratings.posterior import Posterior as Posterior
    from peckorder.ratings.randomized_elo import randomized_elo as randomized_elo
    from peckorder.ratings.rater import EloRater as EloRater
    from peckorder.ratings.settings import prior_ranks as prior_ranks
    from peckorder.reporting.report import report as report
    from peckorder.results import Measure as Measure
    from peckorder.results import Order as Order
    from peckorder.results import Ratings as Ratings
    from peckorder.simulate.power import power as power
    from peckorder.simulate.recovery import recovery as recovery
    from peckorder.structure.hierarchy_shape import hierarchy_shape as hierarchy_shape
    from peckorder.structure.linearity import linearity as linearity
    from peckorder.structure.order_test import order_test as order_test
    from peckorder.structure.stability import stability as stability
    from peckorder.structure.steepness import steepness as steepness
    from peckorder.structure.steepness_bayes import steepness_bayes as steepness_bayes
    from peckorder.structure.steepness_bayes import steepness_difference as steepness_difference
    from peckorder.structure.transitivity import consistency as consistency
    from peckorder.structure.transitivity import transitivity as transitivity
    from peckorder.structure.visit_gaps import visit_gaps as visit_gaps

# Names are declared once, above, for type checkers as well; modules are imported on first use, so
# that `import peckorder` is fast.
_SOURCE: str = __spec__.loader.get_source(__name__)  # pyright: ignore
_DECLARED = re.findall(r"^    from (\S+) import (\w+) as \2$", _SOURCE, re.MULTILINE)
_GROUPS = {name: f"peckorder.{name}" for module, name in _DECLARED if module == "peckorder"}
_HOMES = {name: module for module, name in _DECLARED if name not in _GROUPS}

__all__ = [*_HOMES, *_GROUPS, "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from peckorder.methods import VERSION

        return VERSION
    if name in _GROUPS:
        return import_module(_GROUPS[name])
    if name not in _HOMES:
        from peckorder.text import missing

        missing(__name__, __all__)(name)
    from peckorder.validate import in_words

    # Found at once from now on.
    globals()[name] = in_words(getattr(import_module(_HOMES[name]), name))
    return globals()[name]


def places() -> dict[str, str]:
    """Where each public name is, such as `peckorder.questions.stress`; verbs before figures."""
    found: dict[str, str] = {}
    for group in sorted(_GROUPS, key=lambda own: own != "plot"):
        found |= {
            name: f"peckorder.{group}.{name}" for name in import_module(_GROUPS[group]).__all__
        }
    return found | {name: f"peckorder.{name}" for name in _HOMES}


def __dir__() -> list[str]:
    return sorted(__all__)
