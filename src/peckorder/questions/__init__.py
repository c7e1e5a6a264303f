"""Questions to a ranking: what it hangs on, whom to watch next, and what it would have shown."""

from peckorder.questions.fragility import fragility as fragility
from peckorder.questions.multiverse import multiverse as multiverse
from peckorder.questions.next_pairs import next_pairs as next_pairs
from peckorder.questions.stress import stress as stress
from peckorder.structure.dominance_style import dominance_style as dominance_style
from peckorder.text import missing as _missing

__all__ = ["dominance_style", "fragility", "multiverse", "next_pairs", "stress"]

__getattr__ = _missing(__name__, __all__)
