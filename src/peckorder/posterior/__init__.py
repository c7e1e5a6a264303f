"""Bayesian Elo: sampler, posterior, diagnostics and model checks."""
