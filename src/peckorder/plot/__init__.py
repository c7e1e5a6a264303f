"""Figures for publication: what `peckorder.plot` offers."""

from peckorder.plot.fits import calibration as calibration
from peckorder.plot.fits import likelihood as likelihood
from peckorder.plot.fits import posterior as posterior
from peckorder.plot.fits import weights as weights
from peckorder.plot.groups import against as against
from peckorder.plot.groups import forest as forest
from peckorder.plot.groups import matrices as matrices
from peckorder.plot.matrix import matrix as matrix
from peckorder.plot.matrix import rank_probabilities as rank_probabilities
from peckorder.plot.network import network as network
from peckorder.plot.orders import compare as compare
from peckorder.plot.orders import ranks as ranks
from peckorder.plot.over_time import change_points as change_points
from peckorder.plot.over_time import over_time as over_time
from peckorder.plot.over_time import presence as presence
from peckorder.plot.over_time import tenure as tenure
from peckorder.plot.questions import fragility as fragility
from peckorder.plot.questions import multiverse as multiverse
from peckorder.plot.questions import next_pairs as next_pairs
from peckorder.plot.questions import stress as stress
from peckorder.plot.seasons import bracket as bracket
from peckorder.plot.seasons import places as places
from peckorder.plot.simulation import power as power
from peckorder.plot.simulation import recovery as recovery
from peckorder.plot.structure import dominance_style as dominance_style
from peckorder.plot.structure import gaps as gaps
from peckorder.plot.structure import shape as shape
from peckorder.plot.structure import steepness as steepness
from peckorder.plot.structure import summed_probability as summed_probability
from peckorder.plot.themes import theme as theme
from peckorder.plot.trajectories import bump as bump
from peckorder.plot.trajectories import trajectories as trajectories
from peckorder.text import missing as _missing

# Figures, which have a table; `theme` has none.
_FOUND = dict(globals()).items()
__all__ = [name for name, one in _FOUND if callable(one) and hasattr(one, "data")]  # pyright: ignore

__getattr__ = _missing(__name__, [*__all__, "theme"])
