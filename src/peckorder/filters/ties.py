"""Davidson's ν, estimated from a record by maximizing the evidence of a few filters.

How many contests are tied says almost all that is known of ν, and ratings depend on it weakly, so
one value serves the whole bank. Davidson (1970), On extending the Bradley–Terry model to
accommodate ties in paired comparison experiments, Journal of the American Statistical Association
65, 317–328.
"""

import numpy as np

from peckorder.filters.grid import drift_grid

SIGMA, TAU = (0.35, 0.9, 1.9, 3.8), (0.2,)
NARROW = 0.02  # of log ν
STEPS = 12


def estimated_nu(ties, log_evidence) -> float:
    """The ν with the highest evidence; 0 where nothing is tied.

    `log_evidence(nu, grid)` is that of a record. The search is over log ν, by parabolas through
    three points, from the value at which so many ties are expected of equal individuals: unequal
    ones need a higher ν for as many.
    """
    tied = np.count_nonzero(ties)
    if tied == 0:
        return 0.0
    grid = drift_grid(sigma=SIGMA, tau=TAU)
    start = np.log(2 * tied / max(len(ties) - tied, 0.5))
    points = {x: log_evidence(float(np.exp(x)), grid) for x in (start, start + 0.5, start + 1.0)}
    for _ in range(STEPS):
        x = next_point(points)
        if min(abs(x - known) for known in points) < NARROW:
            break
        points[x] = log_evidence(float(np.exp(x)), grid)
    return float(np.exp(max(points, key=lambda point: points[point])))


def next_point(points: dict[float, float]) -> float:
    """Where the parabola through the best point and its neighbors is highest.

    One step beyond the edge where the best point is on it.
    """
    known = sorted(points)
    best = known.index(max(points, key=lambda point: points[point]))
    if best == 0:
        return known[0] - 1.0
    if best == len(known) - 1:
        return known[-1] + 1.0
    left, middle, right = known[best - 1 : best + 2]
    a = (middle - left) * (points[middle] - points[right])
    b = (middle - right) * (points[middle] - points[left])
    if a == b:
        return middle
    return middle - 0.5 * ((middle - left) * a - (middle - right) * b) / (a - b)
