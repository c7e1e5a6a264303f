"""Elo ratings estimated by maximum likelihood."""
