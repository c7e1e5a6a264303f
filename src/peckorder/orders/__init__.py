"""Dominance scores and rank orders from win-loss matrices, and how repeatable ranks are."""

from peckorder.orders.adagio import adagio as adagio
from peckorder.orders.correlates import fill_unknown as fill_unknown
from peckorder.orders.correlates import matrix_correlation as matrix_correlation
from peckorder.orders.correlates import rank_distance as rank_distance
from peckorder.orders.correlates import skew as skew
from peckorder.orders.davids_score import index_error as index_error
from peckorder.orders.indices import dominance_value as dominance_value
from peckorder.orders.indices import indices as indices
from peckorder.orders.network import network as network
from peckorder.orders.percolation import percolation as percolation
from peckorder.orders.period_ranks import period_ranks as period_ranks
from peckorder.ratings.randomized_elo import repeatability as repeatability
from peckorder.ratings.randomized_elo import splitting as splitting
from peckorder.text import missing as _missing

__all__ = [
    "adagio",
    "dominance_value",
    "fill_unknown",
    "index_error",
    "indices",
    "matrix_correlation",
    "network",
    "percolation",
    "period_ranks",
    "rank_distance",
    "repeatability",
    "skew",
    "splitting",
]

__getattr__ = _missing(__name__, __all__)
