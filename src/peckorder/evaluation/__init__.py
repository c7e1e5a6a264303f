"""Accuracy of ratings, choice of settings, and prediction of future contests."""
