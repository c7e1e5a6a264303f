"""Sequential ratings: Elo, Elo over randomized orders, the incremental rater, and Glicko."""
