"""The model of Goffe et al. 2018 in the form used by the sampler: contests, parameters, priors."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.kernels.posterior import FIXED, FREE, POOLED, Model
from peckorder.likelihood.contests import Observed, joined


def model_of(
    parts: list[Observed],
    *,
    own_k: bool = False,
    own_sigma: bool = False,
    k: float | None = None,
    sigma: float | None = None,
    home_advantage: Any = None,
    slope: float = 1.0,
    priors: dict[str, float],
) -> Model:
    """The model of one or several groups in the form used by the kernels."""
    sizes = [len(part.data.individuals) for part in parts]
    classes = parts[0].classes
    contests = parts[0].contests if len(parts) == 1 else joined(parts, own_k)
    population = np.arange(len(parts)) if own_sigma else np.zeros(len(parts))
    if k is not None:
        kind, ks = FIXED, 0
    elif classes:
        kind, ks = POOLED, len(classes)
    else:
        kind, ks = FREE, len(parts) if own_k else 1
    estimated = home_advantage == "estimate"
    return Model(
        contests=contests,
        sigma_of=np.repeat(population, sizes).astype(np.int32),
        sigmas=0 if sigma is not None else (len(parts) if own_sigma else 1),
        sigma=float(sigma or 0.0),
        k_kind=kind,
        ks=ks,
        k=(k or 0.0) * slope,
        burn_k=0.0,
        with_nu=contests.draw.size > 0,
        with_home=estimated,
        home_advantage=0.0 if estimated or home_advantage is None else home_advantage * slope,
        prior_sigma=float(priors["prior_sigma"]),
        prior_k=float(priors["prior_k"]),
        prior_spread=1.0,
        prior_nu=float(priors["prior_nu"]),
        prior_home=float(priors["prior_home"]),
    )
