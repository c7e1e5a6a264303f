"""Figures of results, drawn with matplotlib.

Each function draws one kind of figure on new axes, or on those passed as `ax`, and returns the
axes. Its attribute `.data` takes the same arguments and returns the table of the data shown.
Figures meet the requirements of journals: 85 or 174 mm wide, editable text in SVG and PDF files,
and a palette suitable for color-blind readers. `theme` changes sizes, fonts and colors.
"""

from peckorder.figures.calibration import calibration as calibration
from peckorder.figures.change_points import change_points as change_points
from peckorder.figures.groups import against as against
from peckorder.figures.groups import forest as forest
from peckorder.figures.groups import matrices as matrices
from peckorder.figures.likelihood import likelihood as likelihood
from peckorder.figures.matrix import matrix as matrix
from peckorder.figures.network import network as network
from peckorder.figures.orders import compare as compare
from peckorder.figures.orders import ranks as ranks
from peckorder.figures.over_time import over_time as over_time
from peckorder.figures.posterior import posterior as posterior
from peckorder.figures.power import power as power
from peckorder.figures.presence import presence as presence
from peckorder.figures.rank_probabilities import rank_probabilities as rank_probabilities
from peckorder.figures.recovery import recovery as recovery
from peckorder.figures.seasons import bracket as bracket
from peckorder.figures.seasons import places as places
from peckorder.figures.structure import shape as shape
from peckorder.figures.structure import steepness as steepness
from peckorder.figures.structure import summed_probability as summed_probability
from peckorder.figures.tenure import tenure as tenure
from peckorder.figures.themes import theme as theme
from peckorder.figures.trajectories import bump as bump
from peckorder.figures.trajectories import trajectories as trajectories
from peckorder.figures.visits import gaps as gaps
from peckorder.figures.weights import weights as weights

__all__ = [
    "against",
    "bracket",
    "bump",
    "calibration",
    "change_points",
    "compare",
    "forest",
    "gaps",
    "likelihood",
    "matrices",
    "matrix",
    "network",
    "over_time",
    "places",
    "posterior",
    "power",
    "presence",
    "rank_probabilities",
    "ranks",
    "recovery",
    "shape",
    "steepness",
    "summed_probability",
    "tenure",
    "trajectories",
    "weights",
]
