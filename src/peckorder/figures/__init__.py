"""Figures for publication: what `peckorder.plot` offers."""
