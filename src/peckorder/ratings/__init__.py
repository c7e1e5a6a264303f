"""Model-averaged Gaussian filters: one engine for dynamic and adaptive ratings."""
