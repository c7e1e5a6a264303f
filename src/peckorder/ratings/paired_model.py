"""Likelihood of the Bradley–Terry model with ties, in the number of dyads that met.

With abilities λ, the probabilities of win, loss and tie are proportional to e^{λ_i}, e^{λ_j} and
ν e^{(λ_i + λ_j)/2} (Davidson 1970). Covariates z of a contest add z′β to the difference λ_i − λ_j;
contests of a dyad with the same covariates are counted together. The model is log-linear: each
contest adds the features of its outcome (½ and −½ for winner and loser, 1 for log ν in a tie) minus
their expectation to the gradient, and their covariance to the negative Hessian, which for the
abilities is the Laplacian of a graph whose edges are the dyads. Newton's equations are solved by
Cholesky factors up to DENSE individuals and by conjugate gradients beyond, so that a hundred
thousand players take seconds.

In the model of Rao & Kupper (1967), who wins is more than log θ stronger, apart from logistic luck:
W = 1/(1 + θe^{−d}), L = 1/(1 + θe^{d}), and a tie has probability W L (θ² − 1), as if it were a win
of each side. With ν = θ − 1, equals tie with probability ν/(2 + ν) in both models.

Equations with a positive definite matrix, such as those of a Newton step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.kernels.paired import factorize, solve_factorized

OUTCOMES = ("won", "lost", "drawn")
DENSE = 2_000  # individuals
PRIOR_SD = 2.0  # of abilities, if it is not estimated; of log ν and of coefficients
SPREAD_SD = 2.5  # of the half-normal prior of that of abilities
SPREADS = 0.05, 20.0  # between which it is estimated
STEPS = 200
FLAT = 1e-10
ACCURATE = 1e-10  # of a solution by conjugate gradients, relative to the right-hand side
FEW_PER_DYAD = 2  # entries: beyond, a fit begins with that of the dyads
FAR = 30.0  # log-odds per unit of a covariate: beyond, the likelihood has no finite maximum


@dataclass(frozen=True, eq=False)
class DyadRecord:
    """Wins, losses and ties of the first of each dyad that met; `one` < `other`.

    ν is estimated if there were ties; `modeled` says so for a record that has none yet. With
    covariates (`known`, seen from the first), a dyad has an entry for each of their values.
    `ordered` ties are those of Rao & Kupper instead of Davidson.
    """

    size: int
    one: np.ndarray
    other: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    drawn: np.ndarray
    modeled: bool = False
    known: np.ndarray | None = None
    ordered: bool = False

    @classmethod
    def of_matrix(cls, wins: np.ndarray, drawn: np.ndarray) -> DyadRecord:
        """The dyads of a matrix of wins and a symmetric matrix of ties."""
        one, other = np.nonzero(np.triu(wins + wins.T + drawn, 1))
        won, lost = wins[one, other], wins[other, one]
        counts = (won.astype(float), lost.astype(float), drawn[one, other].astype(float))
        return cls(len(wins), one, other, *counts)

    @property
    def contests(self) -> np.ndarray:
        """Number of contests of each dyad."""
        return self.won + self.lost + self.drawn

    @property
    def ties(self) -> bool:
        """Whether ν is estimated."""
        return self.modeled or bool(self.drawn.any())

    @property
    def parameters(self) -> int:
        """Number of abilities, log ν and coefficients, in this order."""
        return self.size + self.ties + (0 if self.known is None else self.known.shape[1])

    def coefficients(self, x: np.ndarray) -> np.ndarray:
        """The coefficients of the covariates among the parameters."""
        return x[self.size + self.ties :]

    def arcs(self, *, ties: bool = True) -> Any:
        """A sparse matrix with an entry where the row won against the column (or tied)."""
        from scipy.sparse import coo_array

        level = (self.drawn > 0) & ties
        up, down = (self.won > 0) | level, (self.lost > 0) | level
        rows = np.concatenate([self.one[up], self.other[down]])
        columns = np.concatenate([self.other[up], self.one[down]])
        entries = np.ones(len(rows), np.int32), (rows, columns)
        return coo_array(entries, shape=(self.size, self.size)).tocsr()

    def within(self, label: np.ndarray) -> DyadRecord:
        """The dyads whose two individuals have the same label."""
        return self.only(label[self.one] == label[self.other])

    def without_covariates(self) -> DyadRecord:
        """The same contests, with one entry for each dyad."""
        dyad = self.one * np.int64(self.size) + self.other
        counts = (np.bincount(dyad, getattr(self, name), self.size**2) for name in OUTCOMES)
        won, lost, drawn = (each.reshape(self.size, self.size) for each in counts)
        record = DyadRecord.of_matrix(won + lost.T, drawn + drawn.T)
        return replace(record, modeled=self.ties, ordered=self.ordered)

    def only(self, kept: np.ndarray) -> DyadRecord:
        """Some of the entries."""
        arrays = {name: getattr(self, name)[kept] for name in ("one", "other", *OUTCOMES)}
        return replace(self, **arrays, known=None if self.known is None else self.known[kept])


def halves(record: DyadRecord, x: np.ndarray) -> np.ndarray:
    """Half the log-odds that the first of each dyad wins rather than loses."""
    half = (x[record.one] - x[record.other]) / 2
    return half if record.known is None else half + record.known @ record.coefficients(x) / 2


def outcome_chances(
    record: DyadRecord, x: np.ndarray, half: np.ndarray | None = None
) -> np.ndarray:
    """Probabilities that the first of each dyad wins, loses and ties, (3, entries)."""
    half = halves(record, x) if half is None else half
    far = np.abs(half)  # terms are divided by the largest to avoid overflow
    nu = np.exp(x[record.size]) if record.ties else 0.0
    if record.ties and record.ordered:
        win, loss = (np.exp(-np.logaddexp(0.0, np.log1p(nu) - 2 * s)) for s in (half, -half))
        return np.array([win, loss, win * loss * nu * (2 + nu)])
    terms = np.array([np.exp(half - far), np.exp(-half - far), nu * np.exp(-far)])
    return terms / terms.sum(axis=0)


def log_likelihood(record: DyadRecord, x: np.ndarray, half: np.ndarray | None = None) -> float:
    """The log-likelihood of abilities and, if there were ties, log ν at the end."""
    half = halves(record, x) if half is None else half
    drawn, log_nu = record.drawn.sum(), x[record.size] if record.ties else -np.inf
    more = float(drawn * log_nu) if record.ties else 0.0
    nu = np.exp(log_nu)
    if record.ties and record.ordered:
        beyond = np.log1p(nu)
        total = -(record.won + record.drawn) * np.logaddexp(0.0, beyond - 2 * half)
        total -= (record.lost + record.drawn) * np.logaddexp(0.0, beyond + 2 * half)
        return float(total.sum() + drawn * np.log(2 + nu)) + more
    far = np.abs(half)
    less = np.exp(-far)
    whole = np.log1p(less * (less + nu))
    total = record.won * (half - far) - record.lost * (half + far)
    total = total - record.contests * whole - record.drawn * far
    return float(total.sum()) + more


@dataclass(frozen=True, eq=False)
class Curvature:
    """The negative Hessian: weights of the dyads, columns of log ν and covariates, the prior.

    `border` has a column for each parameter that is no ability, `corner` their own block.
    """

    record: DyadRecord
    weight: np.ndarray
    border: np.ndarray
    corner: np.ndarray
    precision: np.ndarray  # of the prior, of each parameter

    def __len__(self) -> int:
        return self.record.parameters

    def dense(self) -> np.ndarray:
        """The whole matrix."""
        record, size = self.record, self.record.size
        whole = np.zeros((len(self), len(self)))
        flat = np.bincount(record.one * np.int64(size) + record.other, self.weight, size * size)
        met = flat.reshape(size, size)
        whole[:size, :size] = -met - met.T
        whole[:size, size:], whole[size:, :size] = self.border, self.border.T
        whole[size:, size:] = self.corner
        np.fill_diagonal(whole, self._diagonal())
        return whole

    def _diagonal(self) -> np.ndarray:
        own = _by_individual(self.record, self.weight, self.weight)
        return np.append(own, np.diag(self.corner)) + self.precision

    def grounded(self, label: np.ndarray) -> np.ndarray:
        """The dense matrix, made definite: within each set, only differences are identified.

        The means of sets are given a weight of their own, which changes no difference within a set.
        """
        whole, size = self.dense(), self.record.size
        if not self.precision.any():
            number = np.bincount(label)[label]
            scale = max(float(np.diag(whole)[:size].mean()), 1.0)
            whole[:size, :size] += scale * (label[:, None] == label) / number
        return whole

    def solve(self, right: np.ndarray, label: np.ndarray) -> np.ndarray:
        """The solution of a system of equations, for a right-hand side with sum 0 in each set."""
        if self.record.size <= DENSE:
            return solved(self.grounded(label), right)
        from scipy.sparse import linalg

        operator: Any = linalg.LinearOperator
        diagonal = self._diagonal()
        inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)
        shape = (len(self), len(self))
        matrix = operator(shape, matvec=self._times, dtype=float)
        scaled = operator(shape, matvec=lambda v: inverse * v, dtype=float)
        # An absolute tolerance too: a gradient that is 0 but for rounding has no solution.
        found = linalg.cg(
            matrix, right, rtol=ACCURATE, atol=ACCURATE**1.25, maxiter=10 * len(self), M=scaled
        )[0]
        return found if self.precision.any() else self._without_means(found, label)

    def _without_means(self, x: np.ndarray, label: np.ndarray) -> np.ndarray:
        """The same differences within sets, with mean 0 in each."""
        own = x[: self.record.size]
        mean = np.bincount(label, own) / np.bincount(label)
        return np.concatenate([own - mean[label], x[self.record.size :]])

    def _times(self, vector: np.ndarray) -> np.ndarray:
        record, size = self.record, self.record.size
        pull = self.weight * (vector[record.one] - vector[record.other])
        out = self.precision * vector
        out[:size] += _by_individual(record, pull, -pull)
        out[:size] += self.border @ vector[size:]
        out[size:] += self.border.T @ vector[:size] + self.corner @ vector[size:]
        return out


def _by_individual(record: DyadRecord, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Sums over the dyads of each individual, of values of its first and second member."""
    first = np.bincount(record.one, one, minlength=record.size)
    return first + np.bincount(record.other, other, minlength=record.size)


def pulls(
    record: DyadRecord, x: np.ndarray, chances: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """What a win, a loss and a tie add to the gradient, (3, entries): by difference and log ν."""
    win, loss, tie = outcome_chances(record, x) if chances is None else chances
    if record.ties and record.ordered:
        nu = np.exp(x[record.size])
        by_nu = -nu / (1 + nu) * np.array([1 - win, 1 - loss, 1 + tie])
        by_nu[2] += 1 + nu / (2 + nu)
        return np.array([1 - win, loss - 1, loss - win]), by_nu
    ahead = win - loss
    return np.array([1 - ahead, -1 - ahead, -ahead]) / 2, np.array([-tie, -tie, 1 - tie])


def _curvatures(
    record: DyadRecord, x: np.ndarray, chances: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Negative second derivatives: by difference twice, by both (per entry), by log ν twice."""
    win, loss, tie = chances
    if record.ties and record.ordered:
        nu = np.exp(x[record.size])
        share, up, down = nu / (1 + nu), record.won + record.drawn, record.lost + record.drawn
        one, other = up * win * (1 - win), down * loss * (1 - loss)
        # What the second derivatives of log θ and log(θ² − 1) leave, positive at the maximum.
        left = (up @ (1 - win) + down @ (1 - loss)) * share / (1 + nu)
        left = max(left - record.drawn.sum() * 2 * nu / (2 + nu) ** 2, 0.0)
        return one + other, share * (other - one), share**2 * (one + other).sum() + left
    contests, ahead = record.contests, win - loss
    weight = contests * (1 - tie - ahead**2) / 4
    return weight, -contests * ahead * tie / 2, float((contests * tie * (1 - tie)).sum())


def precision_of(record: DyadRecord, prior_sd: float) -> np.ndarray:
    """Precision of the prior of each parameter; 0 without a prior.

    `prior_sd` is that of abilities; log ν and coefficients, of another kind, have one of their own.
    """
    out = np.full(record.parameters, PRIOR_SD**-2 if np.isfinite(prior_sd) else 0.0)
    out[: record.size] = float(prior_sd) ** -2
    return out


def derivatives(
    record: DyadRecord, x: np.ndarray, prior_sd: float = np.inf, half: np.ndarray | None = None
) -> tuple[np.ndarray, Curvature]:
    """Gradient and negative Hessian of the log-likelihood with a normal prior."""
    precision = precision_of(record, prior_sd)
    half = halves(record, x) if half is None else half
    if record.ties:
        counts = np.array([getattr(record, name) for name in OUTCOMES])
        chances = outcome_chances(record, x, half)
        by_difference, by_nu = pulls(record, x, chances)
        pull, surplus = (counts * by_difference).sum(axis=0), (counts * by_nu).sum()
        weight, both, of_nu = _curvatures(record, x, chances)
    else:  # the same in fewer steps
        ahead, contests = np.tanh(half), record.contests
        pull = (record.won - record.lost - contests * ahead) / 2
        weight, both, of_nu, surplus = contests * (1 - ahead**2) / 4, None, 0.0, 0.0
    gradient = [_by_individual(record, pull, -pull)]
    columns, known = [], record.known
    border, corner = np.zeros((record.size, 0)), np.zeros((0, 0))
    if record.ties:
        gradient.append(np.atleast_1d(surplus))
        columns.append(both)
        corner = np.atleast_2d(of_nu)
    if known is not None:
        gradient.append(known.T @ pull)
        weighted = known * weight[:, None]
        with_ties = np.array([known.T @ column for column in columns]).T.reshape(len(known.T), -1)
        corner = np.block([[corner, with_ties.T], [with_ties, known.T @ weighted]])
        columns.extend(weighted.T)
    if columns:
        border = np.column_stack([_by_individual(record, column, -column) for column in columns])
    curvature = Curvature(record, weight, border, corner, precision)
    return np.concatenate(gradient) - precision * x, curvature


def maximum(record: DyadRecord, label: np.ndarray, prior_sd: float = np.inf) -> np.ndarray:
    """Abilities, log ν if there were ties, and coefficients, by Newton's method.

    `label` numbers the sets within which abilities are identified.
    """
    return climbed(record, label, prior_sd)[0]


def spread_of(record: DyadRecord) -> float:
    """Standard deviation of the prior of abilities, estimated from the contests.

    The mode, on the log scale, of the marginal likelihood by Laplace's approximation times a
    half-normal prior: it is not 0, also if the individuals seem to be equal.
    """
    from scipy.optimize import minimize_scalar

    together = np.zeros(record.size, np.int64)
    last: list[np.ndarray] = []

    def loss(log_sd: float) -> float:
        sd = float(np.exp(log_sd))
        x, _ = climbed(record, together, sd, start=last[-1] if last else None)
        last[:] = [x]
        precision = precision_of(record, sd)
        log_determinant = np.linalg.slogdet(derivatives(record, x, sd)[1].dense())[1]
        evidence = log_likelihood(record, x) - float(x @ (precision * x)) / 2
        evidence += (np.log(precision).sum() - log_determinant) / 2
        return -(evidence + log_sd - (sd / SPREAD_SD) ** 2 / 2)

    limits = tuple(np.log(SPREADS))
    found: Any = minimize_scalar(loss, bounds=limits, method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))


def _first_guess(record: DyadRecord, label: np.ndarray, prior_sd: float) -> np.ndarray:
    """The estimate without covariates, which takes a few steps on far fewer entries; or zeros."""
    x = np.zeros(record.parameters)
    if record.known is not None and len(record.one) > FEW_PER_DYAD * record.size**2 / 2:
        dyads = record.without_covariates()
        guess, found = climbed(dyads, label, prior_sd)
        if found:
            x[: len(guess)] = guess
    return x


def climbed(
    record: DyadRecord,
    label: np.ndarray,
    prior_sd: float = np.inf,
    *,
    start: np.ndarray | None = None,
    steps: int = STEPS,
    flat: float = FLAT,
) -> tuple[np.ndarray, bool]:
    """Newton's method with step halving from a start, and whether a maximum was found."""
    precision = precision_of(record, prior_sd)
    x = _first_guess(record, label, prior_sd) if start is None else start

    def value(x: np.ndarray, half: np.ndarray) -> float:
        return log_likelihood(record, x, half) - float(x @ (precision * x)) / 2

    half = halves(record, x)
    now = value(x, half)
    for _ in range(steps):
        gradient, curvature = derivatives(record, x, prior_sd, half)
        try:
            step = curvature.solve(gradient, label)
        except np.linalg.LinAlgError:  # estimates that grow without bound
            return x, False
        along = halves(record, step)  # they are linear in x
        share, before, now = 1.0, now, value(x + step, half + along)
        while share > 1e-9 and now < before - 1e-13 * abs(before):  # but for rounding
            share /= 2
            now = value(x + share * step, half + share * along)
        x, half = x + share * step, half + share * along
        if np.abs(record.coefficients(x)).max(initial=0.0) > FAR:
            return x, False
        # An exact step leaves an error of about its square.
        near = flat if record.ordered or share < 1 else max(flat, np.sqrt(flat) / 20)
        if np.abs(share * step).max() < near or (share <= 1e-9 and now - before <= 0):
            return x, True
    return x, False


def ties_unbounded(record: DyadRecord) -> bool:
    """Whether the likelihood increases without bound in ν and the differences in ability.

    This is the case if numbers d exist with d_i ≥ d_j + 2 for each win of i over j and
    |d_i − d_j| ≤ 2 for each tie, that is, without a cycle of negative length (Bellman–Ford).
    """
    from scipy.sparse.csgraph import connected_components

    number, _ = connected_components(record.arcs(ties=False), connection="strong")
    if number < record.size:  # a cycle of wins alone
        return False
    up, down, level = record.won > 0, record.lost > 0, record.drawn > 0
    begin = np.concatenate(
        [record.one[up], record.other[down], record.one[level], record.other[level]]
    )
    end = np.concatenate(
        [record.other[up], record.one[down], record.other[level], record.one[level]]
    )
    length = np.repeat([-2.0, 2.0], [up.sum() + down.sum(), 2 * level.sum()])
    distance = np.zeros(record.size)
    for _ in range(record.size + 1):
        shorter = distance.copy()
        np.minimum.at(shorter, end, distance[begin] + length)
        if np.array_equal(shorter, distance):
            return True
        distance = shorter
    return False


NO_THREADS = 80  # rows up to which OpenBLAS starts no threads
WORTH_THREADS = 400  # rows from which several threads, or its faster loops, are worth it


def solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution x of matrix @ x = right; LinAlgError if the matrix is not positive definite."""
    if not NO_THREADS < len(matrix) < WORTH_THREADS:
        from scipy.linalg import cho_factor, cho_solve

        return cho_solve(cho_factor(matrix), right)
    lower = np.array(matrix, dtype=float, order="C")
    out = np.array(right, dtype=float, order="C").reshape(len(matrix), -1)
    if not (np.isfinite(lower).all() and factorize(lower)):
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    solve_factorized(lower, out)
    return out.reshape(np.shape(right))
