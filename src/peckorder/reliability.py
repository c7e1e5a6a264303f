"""Repeatability of ranks and error of indices, without a model of winning probabilities."""

from peckorder.ranking.index_error import index_error as index_error
from peckorder.sequential.randomized import repeatability as repeatability
from peckorder.sequential.randomized import splitting as splitting

__all__ = ["index_error", "repeatability", "splitting"]
