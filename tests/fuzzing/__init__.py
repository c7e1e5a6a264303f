"""Odd inputs for tests/fuzz.py."""
