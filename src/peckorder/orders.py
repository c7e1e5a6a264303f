"""Further rank orders and networks: ADAGIO, percolation, simple indices, ranks over periods."""

from peckorder.ranking.adagio import adagio as adagio
from peckorder.ranking.dominance_value import dominance_value as dominance_value
from peckorder.ranking.indices import indices as indices
from peckorder.ranking.network import network as network
from peckorder.ranking.percolation import percolation as percolation
from peckorder.ranking.period_ranks import period_ranks as period_ranks

__all__ = ["adagio", "dominance_value", "indices", "network", "percolation", "period_ranks"]
