"""Dyads: their records, those never seen together in a contest, and those that reversed."""

from peckorder.structure.dyads import dyads as dyads
from peckorder.structure.dyads import reversals as reversals
from peckorder.structure.dyads import unknown_dyads as unknown_dyads

__all__ = ["dyads", "reversals", "unknown_dyads"]
