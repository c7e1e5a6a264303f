"""How far the posterior of k depends on the order of contests that share a time stamp.

If the order within a stamp is unknown and all orders are equally likely, the likelihood is the mean
of the likelihoods of the orders. Posterior draws of the order of the file, weighted by the ratio of
both likelihoods, are draws of the posterior that integrates over orders (importance sampling).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.stamps import order_unknown, shared_words
from peckorder.likelihood.contests import Observed, reordered
from peckorder.posterior.course import PosteriorReplay

ORDERS = 50
DRAWS = 500
MOST_CONTESTS = 20_000
FEWEST = 50  # effective draws


def within_stamps(
    seen: Observed, replay: PosteriorReplay, k: Any
) -> tuple[dict[str, Any], list[str]]:
    """Posterior mean of k over random orders (value `k_orders`), and sentences about it.

    `k` is the argument of the fit: None if one k is estimated.
    """
    data = seen.data
    unknown = int(order_unknown(data).sum()) if data.ordered and k != 0 else 0
    if unknown == 0:
        return {}, []
    shared = f"{shared_words(unknown, len(data))}. They were used in the order of the file."
    if k is not None or len(data) > MOST_CONTESTS:
        return {}, [shared]
    some = replay.thinned(DRAWS)
    own = some.log_likelihood().sum(axis=1)
    each = [
        replace(some, contests=reordered(seen, i).contests).log_likelihood().sum(axis=1)
        for i in range(ORDERS)
    ]
    ratio = np.logaddexp.reduce(np.array(each) - own, axis=0)
    weight = np.exp(ratio - ratio.max())
    weight /= weight.sum()
    effective = float(1 / (weight**2).sum())
    if effective < FEWEST:
        sentence = (
            f"The posterior depends strongly on their order: of {len(some)} draws, "
            f"{effective:.0f} remain effective if {ORDERS} random orders are integrated out."
        )
        return {}, [shared, sentence]
    values = some.k[:, 0] / some.slope
    mean, usual = float(weight @ values), float(values.mean())
    sentence = (
        f"Integrated over {ORDERS} random orders within stamps, the posterior mean of k is "
        f"{mean:.3g} instead of {usual:.3g}."
    )
    return {"k_orders": mean}, [shared, sentence]
