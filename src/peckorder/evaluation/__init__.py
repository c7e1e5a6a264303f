"""How good ratings are, which settings serve them best, and what they foretell."""
