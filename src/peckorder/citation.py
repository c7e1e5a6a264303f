"""What to cite: the software and the papers behind each method."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("peckorder")
SOFTWARE = f"peckorder {VERSION}: who outranks whom, and how sure are we? Python package, 2026."
REFERENCES = {
    "albers2001": "Albers, P. C. H. & de Vries, H. 2001. Elo-rating as a tool in the sequential "
    "estimation of dominance strengths. Animal Behaviour 61, 489–495. doi:10.1006/anbe.2000.1571",
    "langville2012": "Langville, A. N. & Meyer, C. D. 2012. Who's #1? The Science of Rating and "
    "Ranking, chapter 5. Princeton University Press.",
}
