"""Published results, recomputed: `peckorder.papers.reproduce`.

The numbers that papers print are compared with those that this package computes from the same
data. What does not agree is listed with the reason, so that nobody has to find it again.
"""

from peckorder.papers.reproduce import PAPERS as PAPERS
from peckorder.papers.reproduce import contests as contests
from peckorder.papers.reproduce import reproduce as reproduce
from peckorder.text import missing as _missing

__all__ = ["PAPERS", "contests", "reproduce"]

__getattr__ = _missing(__name__, __all__)
