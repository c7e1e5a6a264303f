"""Which individuals were present together, so that they could have had a contest."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.data.interactions import Interactions


def co_resident(data: Any, start: Any = None, end: Any = None) -> np.ndarray | None:
    """Whether two individuals were ever present on the same day; None without presence data.

    `start` and `end` (days) restrict them to a window.
    """
    if not isinstance(data, Interactions) or data.presence is None:
        return None
    stints = data.presence
    code = {name: i for i, name in enumerate(data.individuals)}
    who = np.array([code[name] for name in stints.individual])
    first = stints.start if start is None else np.maximum(stints.start, start)
    last = stints.end if end is None else np.minimum(stints.end, end)
    overlap = np.maximum(first[:, None], first) <= np.minimum(last[:, None], last)
    together = np.zeros((len(code), len(code)), bool)
    one, other = np.nonzero(overlap)
    together[who[one], who[other]] = True
    np.fill_diagonal(together, False)
    return together
