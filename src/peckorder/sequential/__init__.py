"""Ratings contest by contest: Elo, its random orders, the live rater, Glicko."""
