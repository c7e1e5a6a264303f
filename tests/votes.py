"""Simulated votes with ties, covariates and voters, for tests of leaderboards."""

import numpy as np
import polars as pl

SIZE = 5


def votes(number=900, seed=1, ties=True, effect=0.8):
    """Votes on five candidates with ties, a length, a style and a voter."""
    random = np.random.default_rng(seed)
    ability = np.linspace(1, -1, SIZE)
    a = random.integers(SIZE, size=number)
    b = (a + random.integers(1, SIZE, size=number)) % SIZE
    style = random.integers(-1, 2, size=number)
    length = random.normal(size=number)
    ahead = ability[a] - ability[b] + effect * style - 0.4 * length
    up, down, middle = np.exp(ahead / 2), np.exp(-ahead / 2), 0.6 if ties else 0.0
    point = random.random(number) * (up + down + middle)
    outcome = np.where(point < up, "a", np.where(point < up + middle, "tie", "b"))
    letters = np.array(list("vwxyz"))
    return pl.DataFrame(
        {
            "a": letters[a],
            "b": letters[b],
            "winner": outcome,
            "style": style,
            "length": length,
            "length_a": length + 1,
            "length_b": np.ones(number),
            "voter": [f"p{i}" for i in random.integers(45, size=number)],
        }
    )
