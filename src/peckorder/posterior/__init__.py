"""Bayesian Elo: its sampler, its result, and the checks of both."""
