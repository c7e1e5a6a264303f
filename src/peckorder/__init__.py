"""From a record of who beat whom: who outranks whom, and how sure are we?

>>> import peckorder as po
>>> data = po.datasets.adv()
>>> po.elo(data, k=200)
Ratings (elo): 7 individuals, 33 contests; b 1326.7, c 1188.1, d 1180.4, f 1046.6, e 1005.3, …
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from peckorder import plot as plot
    from peckorder import simulation as simulate  # noqa: F401
    from peckorder.data import datasets as datasets
    from peckorder.data.interactions import Interactions as Interactions
    from peckorder.data.matrix import Matrix as Matrix
    from peckorder.data.presence import Presence as Presence
    from peckorder.data.presence import read_presence as read_presence
    from peckorder.data.read import ContestStream as ContestStream
    from peckorder.data.read import read as read
    from peckorder.errors import ConvergenceError as ConvergenceError
    from peckorder.errors import ConvergenceWarning as ConvergenceWarning
    from peckorder.errors import DataError as DataError
    from peckorder.errors import DataWarning as DataWarning
    from peckorder.evaluation.calibration import calibration as calibration
    from peckorder.evaluation.course import course as course
    from peckorder.evaluation.evaluate import evaluate as evaluate
    from peckorder.evaluation.home import home_advantages as home_advantages
    from peckorder.evaluation.models import compare_models as compare_models
    from peckorder.evaluation.predict import predict as predict
    from peckorder.evaluation.season import simulate_season as simulate_season
    from peckorder.evaluation.tune import tune as tune
    from peckorder.evaluation.win_share import win_share as win_share
    from peckorder.ranking.bradley_terry import bradley_terry as bradley_terry
    from peckorder.ranking.compare import compare as compare
    from peckorder.ranking.davids_score import davids_score as davids_score
    from peckorder.ranking.index_error import index_error as index_error
    from peckorder.ranking.indices import indices as indices
    from peckorder.ranking.isi import isi as isi
    from peckorder.rating.bayes import elo_bayes as elo_bayes
    from peckorder.rating.curves import Exponential as Exponential
    from peckorder.rating.curves import Logistic as Logistic
    from peckorder.rating.curves import Normal as Normal
    from peckorder.rating.curves import Table as Table
    from peckorder.rating.curves import k_from_effect as k_from_effect
    from peckorder.rating.elo import elo as elo
    from peckorder.rating.glicko import glicko as glicko
    from peckorder.rating.glicko import glicko2 as glicko2
    from peckorder.rating.likelihood import elo_ml as elo_ml
    from peckorder.rating.policies import prior_ranks as prior_ranks
    from peckorder.rating.randomized import randomized_elo as randomized_elo
    from peckorder.rating.randomized import repeatability as repeatability
    from peckorder.rating.randomized import splitting as splitting
    from peckorder.rating.rater import EloRater as EloRater
    from peckorder.rating.without import without as without
    from peckorder.results import Measure as Measure
    from peckorder.results import Order as Order
    from peckorder.results import Posterior as Posterior
    from peckorder.results import Ratings as Ratings
    from peckorder.show.report import report as report
    from peckorder.simulation.recovery import power as power
    from peckorder.simulation.recovery import recovery as recovery
    from peckorder.structure.dyads import dyads as dyads
    from peckorder.structure.dyads import reversals as reversals
    from peckorder.structure.dyads import unknown_dyads as unknown_dyads
    from peckorder.structure.linearity import linearity as linearity
    from peckorder.structure.order_test import order_test as order_test
    from peckorder.structure.shape import hierarchy_shape as hierarchy_shape
    from peckorder.structure.stability import stability as stability
    from peckorder.structure.steepness import steepness as steepness
    from peckorder.structure.steepness_bayes import steepness_bayes as steepness_bayes
    from peckorder.structure.steepness_bayes import steepness_difference as steepness_difference
    from peckorder.structure.transitivity import consistency as consistency
    from peckorder.structure.transitivity import transitivity as transitivity

# Where each public name lives. It is imported when it is first used, so that
# `import peckorder` stays light.
_HOMES = {
    "datasets": "peckorder.data.datasets",
    "Interactions": "peckorder.data.interactions",
    "Matrix": "peckorder.data.matrix",
    "Presence": "peckorder.data.presence",
    "read_presence": "peckorder.data.presence",
    "ContestStream": "peckorder.data.read",
    "read": "peckorder.data.read",
    "ConvergenceError": "peckorder.errors",
    "ConvergenceWarning": "peckorder.errors",
    "DataError": "peckorder.errors",
    "DataWarning": "peckorder.errors",
    "calibration": "peckorder.evaluation.calibration",
    "course": "peckorder.evaluation.course",
    "evaluate": "peckorder.evaluation.evaluate",
    "home_advantages": "peckorder.evaluation.home",
    "compare_models": "peckorder.evaluation.models",
    "predict": "peckorder.evaluation.predict",
    "simulate_season": "peckorder.evaluation.season",
    "tune": "peckorder.evaluation.tune",
    "win_share": "peckorder.evaluation.win_share",
    "bradley_terry": "peckorder.ranking.bradley_terry",
    "compare": "peckorder.ranking.compare",
    "davids_score": "peckorder.ranking.davids_score",
    "index_error": "peckorder.ranking.index_error",
    "indices": "peckorder.ranking.indices",
    "isi": "peckorder.ranking.isi",
    "elo_bayes": "peckorder.rating.bayes",
    "Exponential": "peckorder.rating.curves",
    "Logistic": "peckorder.rating.curves",
    "Normal": "peckorder.rating.curves",
    "Table": "peckorder.rating.curves",
    "k_from_effect": "peckorder.rating.curves",
    "elo": "peckorder.rating.elo",
    "glicko": "peckorder.rating.glicko",
    "glicko2": "peckorder.rating.glicko",
    "elo_ml": "peckorder.rating.likelihood",
    "prior_ranks": "peckorder.rating.policies",
    "randomized_elo": "peckorder.rating.randomized",
    "repeatability": "peckorder.rating.randomized",
    "splitting": "peckorder.rating.randomized",
    "EloRater": "peckorder.rating.rater",
    "without": "peckorder.rating.without",
    "Measure": "peckorder.results",
    "Order": "peckorder.results",
    "Posterior": "peckorder.results",
    "Ratings": "peckorder.results",
    "plot": "peckorder.plot",
    "report": "peckorder.show.report",
    "simulate": "peckorder.simulation",
    "power": "peckorder.simulation.recovery",
    "recovery": "peckorder.simulation.recovery",
    "dyads": "peckorder.structure.dyads",
    "reversals": "peckorder.structure.dyads",
    "unknown_dyads": "peckorder.structure.dyads",
    "linearity": "peckorder.structure.linearity",
    "order_test": "peckorder.structure.order_test",
    "hierarchy_shape": "peckorder.structure.shape",
    "stability": "peckorder.structure.stability",
    "steepness": "peckorder.structure.steepness",
    "steepness_bayes": "peckorder.structure.steepness_bayes",
    "steepness_difference": "peckorder.structure.steepness_bayes",
    "consistency": "peckorder.structure.transitivity",
    "transitivity": "peckorder.structure.transitivity",
}

__all__ = [*_HOMES, "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from peckorder.citation import VERSION

        return VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'peckorder' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if name in ("datasets", "plot", "simulate") else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
