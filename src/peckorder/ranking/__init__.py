"""Scores and rank orders from who beat whom how often."""
