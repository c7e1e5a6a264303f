"""Dominance scores and rank orders from win-loss matrices."""

from peckorder.orders.adagio import adagio as adagio
from peckorder.orders.indices import dominance_value as dominance_value
from peckorder.orders.indices import indices as indices
from peckorder.orders.network import network as network
from peckorder.orders.percolation import percolation as percolation
from peckorder.orders.period_ranks import period_ranks as period_ranks

__all__ = ["adagio", "dominance_value", "indices", "network", "percolation", "period_ranks"]
