"""Dominance scores and rank orders from win-loss matrices."""
