"""Whether a column explains the outcomes of contests: separate rankings, or reversed outcomes.

Models are compared by the marginal likelihood of Bradley–Terry abilities that are normal with a
standard deviation of 0.5, 1, 2 or 4 (equal weights), integrated by Laplace's method (Kass & Raftery
1995, doi:10.1080/01621459.1995.10476572). An individual without contests adds nothing. A Bayes
factor for separate rankings is confirmed by permuting the column, which keeps false alarms below
`P` whatever the contests are like.
"""

from __future__ import annotations

import itertools

import numpy as np

BF, P, RUNS = 3.0, 0.02, 199  # Bayes factor at least, permutation p at most, permutations
SPREADS = (0.5, 1.0, 2.0, 4.0)
AT_ONCE = 25  # permutations that are fitted together


def wins_by_value(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """A matrix of wins for each value; `shape` is the number of values and of individuals."""
    values, size = shape
    cell = (value.astype(np.int64) * size + winner) * size + loser
    return (
        np.bincount(cell, minlength=values * size * size).reshape(values, size, size).astype(float)
    )


def log_evidence(wins: np.ndarray) -> np.ndarray:
    """Log marginal likelihood of a Bradley–Terry model for each matrix, at each spread."""
    total, eye = wins + wins.transpose(0, 2, 1), np.eye(wins.shape[1])
    won, logs = wins.sum(2), []
    theta, hessian = np.zeros(won.shape), np.zeros(wins.shape)
    for spread in SPREADS:
        for _ in range(25):  # Newton
            chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
            slope = won - (total * chance).sum(2) - theta / spread**2
            bend = total * chance * (1 - chance)
            hessian = (bend.sum(2) + 1 / spread**2)[:, :, None] * eye - bend
            step = np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
            theta = theta + np.clip(step, -2, 2)
            if np.abs(step).max() < 1e-4:
                break
        fit = -(wins * np.logaddexp(0, theta[:, None, :] - theta[:, :, None])).sum((1, 2))
        prior = -(theta**2).sum(1) / (2 * spread**2) - wins.shape[1] * np.log(spread)
        logs.append(fit + prior - np.linalg.slogdet(hessian)[1] / 2)
    return np.array(logs).T


def mixed(logs: np.ndarray) -> np.ndarray:
    """The log of the mean over spreads, which are the last axis."""
    top = logs.max(-1, keepdims=True)
    return (top + np.log(np.exp(logs - top).mean(-1, keepdims=True)))[..., 0]


def split_test(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, *, evidence: float | None = None
) -> tuple[float, float]:
    """Bayes factor of one ranking per value against one for all, and its permutation p.

    `evidence` is the log marginal likelihood of one ranking, if it is known.
    """
    size, number = int(max(winner.max(), loser.max())) + 1, int(value.max()) + 1

    def of_split(values: np.ndarray) -> np.ndarray:
        wins = np.stack([wins_by_value(winner, loser, v, (number, size)) for v in values])
        logs = log_evidence(wins.reshape(-1, size, size)).reshape(len(values), number, -1)
        return mixed(logs.sum(1))

    seen = float(of_split(value[None])[0])
    one = of_one(winner, loser) if evidence is None else evidence
    factor = float(np.exp(min(seen - one, 500)))
    if factor < BF:
        return factor, 1.0
    random, more, run = np.random.default_rng(1), 0, 0
    while run < RUNS and more < 5:
        runs = min(AT_ONCE, RUNS - run)
        run += runs
        permuted = np.stack([random.permutation(value) for _ in range(runs)])
        more += int((of_split(permuted) >= seen).sum())
    return factor, (more + 1) / (run + 1)


def of_one(winner: np.ndarray, loser: np.ndarray) -> float:
    """The log marginal likelihood of one ranking."""
    size = int(max(winner.max(), loser.max())) + 1
    return float(mixed(log_evidence(wins_by_value(winner, loser, 0 * winner, (1, size))))[0])


def reversed_values(
    winner: np.ndarray, loser: np.ndarray, value: np.ndarray, prior: np.ndarray, anchor: int
) -> tuple[np.ndarray, float]:
    """Probability that each value is reversed if the anchor is not, and the log evidence of it."""
    number, size = len(prior), int(max(winner.max(), loser.max())) + 1
    wins = wins_by_value(winner, loser, value, (number, size))
    patterns = np.array(
        [p for p in itertools.product((0, 1), repeat=number) if not p[anchor]], bool
    )
    turned = np.where(patterns[:, :, None, None], wins.transpose(0, 2, 1), wins).sum(1)
    weights = np.where(patterns, np.log(prior), np.log1p(-prior)).sum(1)
    logs = mixed(log_evidence(turned)) + weights
    top = logs.max()
    chance = np.exp(logs - top) / np.exp(logs - top).sum()
    return chance @ patterns.astype(float), float(top)


def order_of_names(wins: np.ndarray) -> tuple[float, float, float]:
    """Wins above the diagonal, all wins, and the share of random orders with as few above it."""
    size, random = len(wins), np.random.default_rng(1)
    upper, total = np.triu(wins, 1).sum(), wins.sum() - np.trace(wins)
    orders = (random.permutation(size) for _ in range(RUNS))
    fewer = sum(np.triu(wins[np.ix_(order, order)], 1).sum() <= upper for order in orders)
    return float(upper), float(total), (fewer + 1) / (RUNS + 1)


def rising(x: np.ndarray, block: np.ndarray) -> tuple[float, float]:
    """Share of the steps within blocks that go up of those up or down, and its permutation p."""
    same, random = np.diff(block) == 0, np.random.default_rng(1)
    step = np.diff(x)[same]
    ups, downs, fewer = int((step > 0).sum()), int((step < 0).sum()), 0
    for _ in range(RUNS):
        y = x[np.lexsort((random.random(len(x)), block))]
        fewer += (np.diff(y)[same] < 0).sum() <= downs
    return ups / max(1, ups + downs), (fewer + 1) / (RUNS + 1)
