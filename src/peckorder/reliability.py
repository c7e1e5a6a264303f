"""Repeatability of ranks and error of indices, without a model of winning probabilities."""

from peckorder.orders.davids_score import index_error as index_error
from peckorder.ratings.randomized_elo import repeatability as repeatability
from peckorder.ratings.randomized_elo import splitting as splitting

__all__ = ["index_error", "repeatability", "splitting"]
