"""Figures: a result in, axes of matplotlib out.

Each function draws one kind of figure on new axes or on those given as `ax`, and returns them; its
`.data` takes the same arguments and gives the table that it draws. Figures are fit for a journal:
85 or 174 mm wide, with text that stays text in SVG and PDF, and in colors that everybody can tell
apart.
"""

from peckorder.figures.calibration import calibration as calibration
from peckorder.figures.matrix import matrix as matrix
from peckorder.figures.orders import compare as compare
from peckorder.figures.orders import ranks as ranks
from peckorder.figures.posterior import posterior as posterior
from peckorder.figures.presence import presence as presence
from peckorder.figures.recovery import recovery as recovery
from peckorder.figures.structure import shape as shape
from peckorder.figures.structure import steepness as steepness
from peckorder.figures.structure import summed_probability as summed_probability
from peckorder.figures.trajectories import bump as bump
from peckorder.figures.trajectories import trajectories as trajectories

__all__ = [
    "bump",
    "calibration",
    "compare",
    "matrix",
    "posterior",
    "presence",
    "ranks",
    "recovery",
    "shape",
    "steepness",
    "summed_probability",
    "trajectories",
]
