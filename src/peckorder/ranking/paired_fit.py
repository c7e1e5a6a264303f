"""Bradley–Terry estimates of a table of counts: components, abilities, ν and coefficients.

Abilities are fitted within strongly connected components or, with a prior, all together. Only
differences in ability within such a set are identified.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.components import in_braces, linked, strong
from peckorder.errors import DataError
from peckorder.ranking.definite import solved
from peckorder.ranking.paired_model import (
    DyadRecord,
    climbed,
    derivatives,
    log_likelihood,
    maximum,
    ties_unbounded,
)
from peckorder.ranking.vote_counts import VoteCounts
from peckorder.ranks import average_ranks
from peckorder.wording import listed, option, quoted

SINGULAR = 1e-8


@dataclass(frozen=True, eq=False)
class PairedFit:
    """Estimates, and the sets of individuals within which they are identified.

    `components` are strongly connected, highest first; `sets` are those fitted together: the
    components or, with a prior, all individuals at once. `inside` has the dyads within sets.
    """

    x: np.ndarray
    components: list[np.ndarray]
    sets: list[np.ndarray]
    inside: DyadRecord
    prior_sd: float  # infinite without a prior
    log_likelihood: float

    @property
    def abilities(self) -> np.ndarray:
        """One per individual, with mean 0 in each set."""
        return self.x[: self.inside.size]

    @property
    def label(self) -> np.ndarray:
        """The number of the set of each individual."""
        return label_of(self.sets, self.inside.size)

    @property
    def nu(self) -> float | None:
        """Davidson's ν; None if ties are not modeled."""
        return float(np.exp(self.x[self.inside.size])) if self.inside.ties else None


def fitted(votes: VoteCounts, penalized: bool, prior_sd: float) -> PairedFit:
    """Estimates by maximum likelihood, or with a normal prior."""
    record, names = votes.record, votes.counts.individuals
    parts = linked(record.arcs())
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, names)}. Abilities of different sets cannot be compared. Fit each "
            f"set separately, or use {option('penalized', 'True')}."
        )
    components, together = strong(record.arcs()), np.zeros(record.size, np.int64)
    anchored = np.zeros(record.parameters)
    if penalized or len(components) > 1:
        anchored = maximum(record, together, prior_sd)
        components = strong(record.arcs(), anchored[: record.size])
    if penalized:
        likelihood = log_likelihood(record, anchored)
        everybody = [np.arange(record.size)]
        centered = _centered(anchored, everybody)
        return PairedFit(centered, components, everybody, record, prior_sd, likelihood)
    inside, x = _by_component(record, components, votes)
    return PairedFit(x, components, components, inside, np.inf, log_likelihood(inside, x))


def _by_component(
    record: DyadRecord, components: list[np.ndarray], votes: VoteCounts
) -> tuple[DyadRecord, np.ndarray]:
    """The dyads within components; abilities with mean 0 in each, log ν and coefficients.

    There are no ties between components, and their wins say nothing about differences within.
    """
    label = label_of(components, record.size)
    record = record.within(label)
    if record.ties and ties_unbounded(record):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in ability. Use "
            f"{option('ties', 'half')} or {option('penalized', 'True')}."
        )
    _refuse_confounded(record, label, votes.names)
    x, found = climbed(record, label)
    if votes.names and not found:
        far = np.argmax(np.abs(record.coefficients(x)))
        raise DataError(
            f'The coefficient of "{votes.names[far]}" has no finite estimate: the covariates '
            f"predict these outcomes without exception. Use {option('penalized', 'True')}, or "
            f"leave the covariate out."
        )
    return record, _centered(x, components)


def _refuse_confounded(record: DyadRecord, label: np.ndarray, names: tuple[str, ...]) -> None:
    """An error if a covariate is a sum of differences between individuals, or of other covariates.

    Then part of its variance that abilities and the other covariates leave is 0.
    """
    if record.known is None:
        return
    curvature = derivatives(record, np.zeros(record.parameters))[1]
    whole, first = curvature.grounded(label), record.size + record.ties
    held = list(range(first))
    confounded = []
    for place, name in enumerate(names, start=first):
        total = whole[place, place]
        rest = solved(whole[np.ix_(held, held)], whole[held, place])
        if total - whole[held, place] @ rest > SINGULAR * max(total, 1.0):
            held.append(place)
        else:
            confounded.append(name)
    if confounded:
        raise DataError(
            f"The {'coefficient' if len(confounded) == 1 else 'coefficients'} of "
            f"{listed([quoted([name]) for name in confounded])} cannot be estimated: "
            f"{'it does' if len(confounded) == 1 else 'they do'} not vary between contests of the "
            f"same individuals (or only as another covariate does), so that abilities explain the "
            f"same outcomes. Leave {'it' if len(confounded) == 1 else 'them'} out of "
            f"{option('covariates')}."
        )


def _centered(x: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
    """The same differences, with mean 0 in each set."""
    out = x.copy()
    for own in sets:
        out[own] -= x[own].mean()
    return out


def label_of(sets: list[np.ndarray], size: int) -> np.ndarray:
    """The number of the set of each individual."""
    label = np.empty(size, np.int64)
    for number, own in enumerate(sets):
        label[own] = number
    return label


def ranked(abilities: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
    """Ranks, those of higher sets first; ties receive their mean rank."""
    rank, above = np.empty(len(abilities)), 0
    for own in sets:
        rank[own] = above + average_ranks(np.round(abilities[own], 9))
        above += len(own)
    return rank


def covariance_of(fit: PairedFit) -> np.ndarray:
    """The inverse of the negative Hessian, in which only contrasts within sets have a meaning."""
    curvature = derivatives(fit.inside, fit.x, float(fit.prior_sd) ** -2)[1]
    return solved(curvature.grounded(fit.label), np.eye(len(fit.x)))


def error_of_contrast(fit: PairedFit, contrast: np.ndarray) -> float:
    """Standard error of one contrast c, the root of c′H⁻¹c, without the inverse of H."""
    curvature = derivatives(fit.inside, fit.x, float(fit.prior_sd) ** -2)[1]
    return float(np.sqrt(max(contrast @ curvature.solve(contrast, fit.label), 0.0)))


def errors_around(covariance: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Standard errors relative to a weighted mean, which itself is not identifiable."""
    shared = covariance @ weights
    variance = np.diag(covariance) - 2 * shared + weights @ shared
    return np.sqrt(np.maximum(variance, 0.0))
