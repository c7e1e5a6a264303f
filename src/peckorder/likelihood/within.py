"""How far an estimate of k depends on the order of contests that share a time stamp.

A maximum-likelihood fit uses the contests of a stamp in the order of the file. It is repeated in
random orders within stamps, each compatible with the data, and the range of k is reported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.data.stamps import order_unknown, shared_words
from peckorder.likelihood.contests import reordered
from peckorder.likelihood.fit import Fit, estimates_of_k

ORDERS = 10
MOST_CONTESTS = 5_000


def within_stamps(fit: Fit) -> tuple[dict[str, Any], list[str]]:
    """Range of k over random orders (value `k_orders`), and sentences about it."""
    static = "k" not in fit.estimate and fit.settings.k == 0
    unknown = int(order_unknown(fit.data).sum()) if fit.data.ordered and not static else 0
    if unknown == 0:
        return {}, []
    shared = f"{shared_words(unknown, len(fit.data))}. They were used in the order of the file."
    if "k" not in fit.estimate or fit.idle.any() or len(fit.data) > MOST_CONTESTS:
        return {}, [shared]
    each = np.array([estimates_of_k(fit, reordered(fit.seen, i)) for i in range(ORDERS)])
    ranges = list(zip(each.min(axis=0).tolist(), each.max(axis=0).tolist(), strict=True))
    names = fit.seen.classes or (None,)
    parts = [
        f"k{'' if name is None else f' of {name}'} is "
        + (f"between {low:.3g} and {high:.3g}" if high > low else f"always {low:.3g}")
        for name, (low, high) in zip(names, ranges, strict=True)
    ]
    value = dict(zip(names, ranges, strict=True)) if fit.seen.classes else ranges[0]
    sentence = f"In {ORDERS} random orders within stamps, {', '.join(parts)}."
    return {"k_orders": value}, [shared, sentence]
