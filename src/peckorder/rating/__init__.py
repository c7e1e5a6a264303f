"""Ratings from a sequence of contests."""
