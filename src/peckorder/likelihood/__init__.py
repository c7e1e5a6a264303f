"""Elo ratings by maximum likelihood."""
