"""How far a posterior depends on the order of contests that share a time stamp.

If the order within a stamp is unknown and all orders are equally likely, the likelihood is the mean
of the likelihoods of the orders. Pairs of a posterior draw and an order, weighted by the ratio of
the likelihood in that order to that in the order of the file, are draws of the posterior that
integrates over orders (importance sampling). Its means of k and of the final ratings are compared
with those of the order of the file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.stamps import order_unknown, shared_words
from peckorder.likelihood.contests import Observed, reordered
from peckorder.posterior.course import PosteriorReplay
from peckorder.ranks import average_ranks
from peckorder.wording import listed

ORDERS = 50
DRAWS = 500
MOST_CONTESTS = 20_000
FEWEST = 50  # effective draws


def within_stamps(
    seen: Observed, replay: PosteriorReplay, k: Any
) -> tuple[dict[str, Any], list[str]]:
    """Posterior means integrated over orders (`k_orders`, `rating_orders`), and sentences.

    `k` is the argument of the fit: a number if it is fixed.
    """
    data = seen.data
    unknown = int(order_unknown(data).sum()) if data.ordered and k != 0 else 0
    if unknown == 0:
        return {}, []
    shared = f"{shared_words(unknown, len(data))}. They were used in the order of the file."
    if len(data) > MOST_CONTESTS:
        return {}, [shared]
    some = replay.thinned(DRAWS)
    each = [replace(some, contests=reordered(seen, i).contests) for i in range(ORDERS)]
    totals, finals = zip(*(one.own_totals() for one in each), strict=True)
    usual_totals, usual_final = some.own_totals()
    ratio = np.array(totals) - usual_totals
    weight = np.exp(ratio - ratio.max())  # (orders, draws)
    weight /= weight.sum()
    effective = float(1 / (weight.sum(axis=0) ** 2).sum())
    if effective < FEWEST:
        sentence = (
            f"The posterior depends strongly on their order: of {len(some)} draws, "
            f"{effective:.0f} remain effective if {ORDERS} random orders are integrated out."
        )
        return {}, [shared, sentence]
    rating = sum(w @ final for w, final in zip(weight, finals, strict=True))
    usual = usual_final.mean(axis=0)
    moved = np.abs(average_ranks(np.asarray(rating)) - average_ranks(usual)).max()
    values: dict[str, Any] = {
        "rating_orders": dict(zip(data.individuals, np.asarray(rating).tolist(), strict=True))
    }
    parts = []
    if k is None:
        ks = some.k[:, 0] / some.slope
        values["k_orders"] = float(weight.sum(axis=0) @ ks)
        parts.append(f"k by {abs(values['k_orders'] - ks.mean()):.2g}")
    parts.append(f"mean ratings by up to {np.abs(rating - usual).max():.2g}")
    parts.append(f"their ranks by up to {moved:g}" if moved else "their ranks not at all")
    sentence = (
        f"Integrating over {ORDERS} random orders within stamps changes the posterior mean of "
        f"{listed(parts)}."
        if k is None
        else f"Integrating over {ORDERS} random orders within stamps changes {listed(parts)}."
    )
    return values, [shared, sentence]
