"""Davidson's ν, estimated by maximizing the marginal likelihood of a few filters.

Almost all information on ν is in the number of ties, and ratings depend on it weakly, so a single
value is used for the whole bank. Davidson (1970), On extending the Bradley–Terry model to
accommodate ties in paired comparison experiments, Journal of the American Statistical Association
65, 317–328.
"""

import numpy as np

from peckorder.filters.grid import drift_grid

SIGMA, TAU = (0.35, 0.9, 1.9, 3.8), (0.2,)
NARROW = 0.02  # tolerance of log ν
STEPS = 12


def nu_of_equals(ties) -> float:
    """The ν at which the observed number of ties is expected between equal individuals."""
    tied = np.count_nonzero(ties)
    return 2 * tied / max(len(ties) - tied, 0.5)


def estimated_nu(ties, log_evidence) -> float:
    """The ν with the highest marginal likelihood; 0 without ties.

    `log_evidence(nu, grid)` is the log marginal likelihood. The search over log ν is by parabolic
    interpolation. It starts from the value for equal individuals; unequal ones require a higher ν
    for the same number of ties.
    """
    tied = np.count_nonzero(ties)
    if tied == 0:
        return 0.0
    grid = drift_grid(sigma=SIGMA, tau=TAU)
    start = np.log(nu_of_equals(ties))
    points = {x: log_evidence(float(np.exp(x)), grid) for x in (start, start + 0.5, start + 1.0)}
    for _ in range(STEPS):
        x = next_point(points)
        if min(abs(x - known) for known in points) < NARROW:
            break
        points[x] = log_evidence(float(np.exp(x)), grid)
    return float(np.exp(max(points, key=lambda point: points[point])))


def next_point(points: dict[float, float]) -> float:
    """Maximum of the parabola through the best point and its neighbors.

    If the best point is at the edge, one step beyond it.
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
