"""The Plackett–Luce model of contests with any number of sides, with ties, teams and covariates.

Places are filled from the first to the last; each is taken by one of the sides that are left with
a probability proportional to e^strength. Ties follow Davidson and Luce (Turner, van Etten, Firth &
Kosmidis 2020), and the strength of a side is the sum or the mean of the abilities of its members.
For contests of two individuals this is the Bradley–Terry model with Davidson's ties.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.fields import Fields, read_fields
from peckorder.errors import ArgumentError, DataError
from peckorder.kernels.many_sides import FieldArrays, backward, likelihood
from peckorder.ranks import average_ranks, in_braces, strong
from peckorder.ratings.paired_model import DENSE, FAR, PRIOR_SD, SPREAD_SD, solved
from peckorder.results.board import Board
from peckorder.text import counted, did_you_mean, given, option, option_name, quoted
from peckorder.validate import known_names, one_of, positive, several

STEPS, FLAT = 200, 1e-10
NORMAL = 1.959963984540054
SPREADS = np.array([0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8])
PLACES_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class PlackettLuce(Board):
    """Abilities of a Plackett–Luce fit.

    Attributes
    ----------
    log_likelihood : of the estimates, without the prior
    log_likelihood_other : the same with places filled from the other end; None if unknown
    delta : how likely ties of two, three … sides are, by number of sides
    prior_sd : standard deviation of the prior; its posterior mean if it was averaged over
    unidentified : number of directions in which abilities change no contest
    """

    log_likelihood: float = 0.0
    log_likelihood_other: float | None = None
    delta: dict[int, float] | None = None
    prior_sd: float | None = None
    unidentified: int = 0

    def places(self, sides: Sequence[Any]) -> Any:
        """Probability of each side of a contest to be first, second, … (ties aside).

        A side is a name or a tuple of names. Averaged over the uncertainty of the abilities.
        """
        codes = {name: code for code, name in enumerate(self.individuals)}
        teams = [one if isinstance(one, tuple | list) else (one,) for one in sides]
        known_names(itertools.chain(*teams), codes)
        if len(teams) < 2:
            raise ArgumentError("Give two sides or more.")
        design = np.zeros((len(teams), len(self.individuals)))
        for i, team in enumerate(teams):
            for name in team:
                design[i, codes[str(name)]] += self._share(len(team))
        random = np.random.default_rng(1)
        values, vectors = np.linalg.eigh(design @ self._covariance @ design.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        number = max(1_000, min(20_000, PLACES_AT_ONCE // len(teams)))
        strength = design @ self.ability + random.standard_normal((number, len(teams))) @ root.T
        sign = 1.0 if self.settings["fill"] == "first" else -1.0
        order = np.argsort(-(sign * strength + random.gumbel(size=strength.shape)), axis=1)
        order = order if sign > 0 else order[:, ::-1]
        table: dict[str, Any] = {"side": [" & ".join(map(str, team)) for team in teams]}
        for place in range(len(teams)):
            share = np.bincount(order[:, place], minlength=len(teams)) / number
            table[f"p_{place + 1}"] = share
        return self._native(pl.DataFrame(table))

    def _share(self, size: int) -> float:
        return 1.0 / size if self.settings["strength"] == "mean" else 1.0


def plackett_luce(
    data: Any,
    *,
    fill: Literal["first", "last"] = "first",
    strength: Literal["sum", "mean"] = "sum",
    share: str | None = None,
    penalized: bool | None = None,
    prior_sd: float | None = None,
    covariates: Sequence[str] = (),
    cluster: str | None = None,
) -> PlackettLuce:
    """Abilities from races, free-for-alls, team contests or ranked answers, with standard errors.

    Parameters
    ----------
    data : Fields, or what `peckorder.sport.read_fields` reads
    fill : {"first", "last"}
        The place that is filled first. From the last place, luck is rare and mishaps are common,
        which describes most races better; it requires the places of all sides.
    strength : {"sum", "mean"}
        Strength of a side of several individuals.
    share : name of a column, optional
        Part of each member in the strength of its side, such as minutes played.
    penalized : bool, optional
        Use a normal prior on abilities, log δ and coefficients. Default: only for sides of several
        individuals, whose abilities are otherwise poorly identified.
    prior_sd : float, optional
        Standard deviation of the prior. By default estimates are averaged over it, by its
        marginal likelihood and a half-normal prior (standard deviation 2.5).
    covariates : names of columns, optional
        Numbers of the rows, added to the strength of a side (their mean over its members) times a
        coefficient that is estimated.
    cluster : name of a column, optional
        Contests of one cluster, such as those of a voter, may depend on each other: standard errors
        are those of the sandwich estimator, as they are where contests have weights.

    Returns
    -------
    PlackettLuce
        Table: individual, ability (mean 0), ability_se, ability_low, ability_high, contests, wins,
        rank. `.probability(a, b)`, `.outranks(a, b)`, `.rank_intervals()`, `.places(sides)`.

    Raises
    ------
    DataError
        If there is no finite estimate, or sides lack places that `fill="last"` requires.

    Notes
    -----
    Of the sides that are left, the set S takes the next place with probability proportional to
    δ(|S|) e^(mean strength in S), δ(1) = 1; without ties, to e^strength.

    References
    ----------
    Turner, van Etten, Firth & Kosmidis 2020, Computational Statistics 35:1027–1057,
    doi:10.1007/s00180-020-00959-3. Plackett 1975, Applied Statistics 24:193–202.

    Examples
    --------
    >>> import peckorder as po
    >>> races = {"order": ["Ada > Bo > Cy", "Bo > Ada > Cy", "Cy > Ada > Bo", "Ada > Cy > Bo"]}
    >>> fit = po.sport.plackett_luce(races)
    >>> list(fit), round(fit.probability("Ada", "Cy"), 2)
    (['Ada', 'Bo', 'Cy'], 0.73)
    """
    one_of("fill", fill, ("first", "last"))
    one_of("strength", strength, ("sum", "mean"))
    fields = read_fields(data)
    if len(fields.individuals) > DENSE:
        raise DataError(
            f"There are {len(fields.individuals):,} individuals; at most {DENSE:,} can be fitted. "
            f"Leave out those with few contests."
        )
    if fill == "last" and fields.unplaced:
        raise DataError(
            f"{counted(fields.unplaced, 'side')} without a place: places can be filled from the "
            f"last only if all are known. Use {option('fill', 'first')}."
        )
    names = [str(name) for name in several("covariates", covariates)]
    arrays = _arrays(fields, strength, share, names)
    if penalized is None:
        penalized = prior_sd is not None or not fields.single
    if prior_sd is not None:
        positive("prior_sd", prior_sd)
    if not penalized:
        _refuse_separated(fields)
    clusters = None if cluster is None else _clusters(fields, cluster)
    weighted = bool((fields.weight != 1).any())
    problem = _Problem(fields, arrays if fill == "first" else backward(arrays))
    found = problem.fitted(penalized, prior_sd, clusters, robust=weighted)
    other = None
    if not fields.unplaced and fields.sides.max() > 2:
        turned = backward(arrays) if fill == "first" else arrays
        other = _Problem(fields, turned).maximum(found.prior_sd, found.x).log_likelihood
    settings = {
        "fill": fill,
        "strength": strength,
        "share": share,
        "penalized": penalized,
        "prior_sd": found.prior_sd if penalized else None,
        "covariates": names or None,
        "cluster": cluster,
    }
    return _board(fields, found, other, settings)


@dataclass(frozen=True, eq=False)
class _Estimate:
    """x = abilities, log δ, coefficients; `free` are directions that contests do not identify."""

    x: np.ndarray
    covariance: np.ndarray
    log_likelihood: float
    prior_sd: float
    free: np.ndarray
    hessian: np.ndarray


@dataclass(frozen=True, eq=False)
class _Problem:
    """The likelihood of contests, to be maximized."""

    fields: Fields
    arrays: FieldArrays

    @property
    def size(self) -> int:
        return len(self.fields.individuals)

    def evaluate(
        self, x: np.ndarray, *, curved: bool = True, scored: bool = False
    ) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood, gradient, negative Hessian and the gradients of single contests."""
        sizes, number = self.fields.tie_sizes, len(x)
        gradient, hessian = np.empty(number), np.empty((number, number) if curved else (0, 0))
        scores = np.zeros((self.fields.number if scored else 0, number))
        value = likelihood(self.arrays, sizes, x, self.size, gradient, hessian, scores)
        return value, gradient, hessian, scores

    def maximum(self, prior_sd: float, start: np.ndarray | None = None) -> _Estimate:
        """Newton's method with step halving."""
        precision = float(prior_sd) ** -2
        number = self.size + len(self.fields.tie_sizes) + self.arrays.known.shape[1]
        x = np.zeros(number) if start is None else start
        free = np.zeros((number, 0))
        if precision == 0:
            own = _unidentified(self.fields, self.arrays)
            free = np.vstack([own, np.zeros((number - self.size, own.shape[1]))])
            x = x - free @ (free.T @ x)

        def penalty(x: np.ndarray) -> float:
            return precision * float(x @ x) / 2

        value, gradient, hessian, _ = self.evaluate(x)
        value -= penalty(x)
        for _ in range(STEPS):
            whole, scale = _grounded(hessian, precision, free)
            try:
                step = solved(whole, gradient - precision * x)
            except np.linalg.LinAlgError:
                break
            part, before = 1.0, value
            while True:
                after = self.evaluate(x + part * step, curved=False)[0] - penalty(x + part * step)
                if after >= before - 1e-12 * abs(before) or part < 1e-9:
                    break
                part /= 2
            x = x + part * step
            value, gradient, hessian, _ = self.evaluate(x)
            value -= penalty(x)
            if np.abs(x).max() > FAR and precision == 0:
                break
            if np.abs(part * step).max() < FLAT:
                whole, scale = _grounded(hessian, precision, free)
                inverse = solved(whole, np.eye(number)) - free @ free.T / scale
                return _Estimate(x, inverse, value + penalty(x), prior_sd, free, whole)
        raise DataError(
            f"The abilities (or the tie parameters) have no finite estimate: they keep growing "
            f"with the likelihood. Use {option('penalized', 'True')}."
        )

    def fitted(
        self,
        penalized: bool,
        prior_sd: float | None,
        clusters: np.ndarray | None,
        *,
        robust: bool,
    ) -> _Estimate:
        """The estimate requested, with the sandwich estimator of errors if it is needed."""
        if not penalized:
            return self._with_errors(self.maximum(np.inf), clusters, robust)
        if prior_sd is not None:
            return self._with_errors(self.maximum(prior_sd), clusters, robust)
        fits: list[_Estimate] = []
        for sd in SPREADS:
            fits.append(self.maximum(float(sd), fits[-1].x if fits else None))
        logs = np.array(
            [
                fit.log_likelihood
                - fit.x @ fit.x / (2 * sd**2)
                - len(fit.x) * np.log(sd)
                - np.linalg.slogdet(fit.hessian)[1] / 2
                for fit, sd in zip(fits, SPREADS, strict=True)
            ]
        )
        prior = np.exp(-((SPREADS / SPREAD_SD) ** 2) / 2) * SPREADS * np.gradient(np.log(SPREADS))
        weights = np.exp(logs + np.log(prior) - (logs + np.log(prior)).max())
        weights /= weights.sum()
        fits = [self._with_errors(fit, clusters, robust) for fit in fits]
        x = sum(w * fit.x for w, fit in zip(weights, fits, strict=True))
        covariance = sum(
            w * (fit.covariance + np.outer(fit.x - x, fit.x - x))
            for w, fit in zip(weights, fits, strict=True)
        )
        spread, value = float(weights @ SPREADS), self.evaluate(np.asarray(x), curved=False)[0]
        best = fits[int(np.argmax(weights))]
        return replace(best, x=x, covariance=covariance, prior_sd=spread, log_likelihood=value)

    def _with_errors(self, fit: _Estimate, clusters: np.ndarray | None, robust: bool) -> _Estimate:
        """H⁻¹(Σ g g′)H⁻¹ c/(c − 1), with g the gradients of clusters of contests."""
        if clusters is None and not robust:
            return fit
        scores = self.evaluate(fit.x, scored=True)[3] * self.fields.weight[:, None]
        label = np.arange(self.fields.number) if clusters is None else clusters
        number = int(label.max()) + 1
        sums = np.zeros((number, scores.shape[1]))
        np.add.at(sums, label, scores)
        middle = sums.T @ sums * number / max(number - 1, 1)
        return replace(fit, covariance=fit.covariance @ middle @ fit.covariance)


def strengths(fit: PlackettLuce, known: np.ndarray | None = None) -> np.ndarray:
    """Strength of each recorded side: of the fit, or of fits to the first contests only.

    `known` are ascending numbers of contests, from 0; the contests between two of them are
    predicted by the fit to those before, which has a prior.
    """
    fields: Any = fit.data
    settings = fit.settings
    names = settings["covariates"] or []
    arrays = _arrays(fields, settings["strength"], settings["share"], names)
    size, side_at = len(fit.individuals), fields.side_at
    side = np.repeat(np.arange(len(fields.place)), np.diff(fields.member_at))
    if known is None:
        beta = fit.tables["coefficients"]["estimate"].to_numpy() if names else np.zeros(0)
        return np.bincount(side, arrays.share * fit.ability[arrays.member]) + arrays.known @ beta
    x = np.zeros(size + len(fields.tie_sizes) + len(names))
    out = np.zeros(len(fields.place))
    for begin, end in itertools.pairwise(known):
        if begin:
            sides = side_at[begin]
            members = fields.member_at[sides]
            past = FieldArrays(
                side_at[: begin + 1],
                arrays.place[:sides],
                arrays.recorded[:begin],
                arrays.member_at[: sides + 1],
                arrays.member[:members],
                arrays.share[:members],
                arrays.weight[:begin],
                arrays.known[:sides],
            )
            past = past if settings["fill"] == "first" else backward(past)
            x = _Problem(fields, past).maximum(fit.prior_sd or PRIOR_SD, x).x
        whole = np.bincount(side, arrays.share * x[arrays.member])
        own = slice(side_at[begin], side_at[end])
        out[own] = (whole + arrays.known @ x[len(x) - len(names) :])[own]
    return out


def _grounded(hessian: np.ndarray, precision: float, free: np.ndarray) -> tuple[np.ndarray, float]:
    """The curvature with the prior, made definite in the directions that are not identified."""
    whole = hessian + precision * np.eye(len(hessian))
    scale = max(float(np.trace(whole)) / len(whole), 1e-300)
    return whole + scale * free @ free.T, scale


def _arrays(fields: Fields, strength: str, share: str | None, covariates: list[str]) -> FieldArrays:
    number = np.diff(fields.member_at)
    side = np.repeat(np.arange(len(number)), number)
    part = np.ones(len(side)) if share is None else fields.column(share)
    if share is not None and (part < 0).any():
        raise ArgumentError(f'{given("share", share)}: column "{share}" has negative numbers.')
    if strength == "mean":
        part = part / np.bincount(side, part)[side]
    columns = [np.bincount(side, fields.column(name)) / number for name in covariates]
    known = np.column_stack(columns) if columns else np.zeros((len(number), 0))
    known = np.ascontiguousarray(known, float)
    runs = (fields.side_at, fields.place, fields.recorded, fields.member_at, fields.member)
    return FieldArrays(*runs, part, fields.weight, known)


def _unidentified(fields: Fields, arrays: FieldArrays) -> np.ndarray:
    """Orthonormal directions of the abilities in which no contest changes.

    A constant for each connected set of single sides; for teams also, for instance, the difference
    between two individuals that always are on the same side.
    """
    from scipy.sparse import csr_array

    number, sides = fields.sides, len(fields.place)
    side = np.repeat(np.arange(sides), np.diff(arrays.member_at))
    shape = (sides, len(fields.individuals))
    design: Any = csr_array((arrays.share, (side, arrays.member)), shape=shape)
    contest = fields.contest_of_side
    mean: Any = csr_array((1 / number[contest], (contest, np.arange(sides))))
    between = mean @ design
    rows = (design.T @ design - between.T @ (between * number[:, None])).toarray()
    values, vectors = np.linalg.eigh(rows)
    return vectors[:, values < 1e-9 * max(values[-1], 1.0)]


def _refuse_separated(fields: Fields) -> None:
    """An error if some order of sets of single individuals was never contradicted."""
    if not fields.single:
        return  # the search for a maximum finds out
    from scipy.sparse import coo_array

    contest = fields.contest_of_side
    first, last = fields.side_at[contest], fields.side_at[contest + 1]
    known = fields.place < fields.recorded[contest]
    # Each side beats the next one below it and ties with its neighbor: chains connect the others.
    following = np.arange(len(contest)) + 1
    inside = (following < last) & known
    here, there = np.flatnonzero(inside), following[inside]
    tied = fields.place[here] == fields.place[there]
    # Sides without a place are below the last recorded one, all alike.
    last_known = first + np.bincount(contest, known).astype(np.int64)[contest] - 1
    rest = np.flatnonzero(~known)
    above = np.concatenate([here, there[tied], last_known[rest]])
    below = np.concatenate([there, here[tied], rest])
    one, other = fields.member[above], fields.member[below]
    size = len(fields.individuals)
    arcs = coo_array((np.ones(len(one)), (one, other)), shape=(size, size)).tocsr()
    sets = strong(arcs)
    if len(sets) > 1:
        raise DataError(
            f"Abilities have no finite estimate: nobody of a lower set was ever placed above one "
            f"of a higher set: {in_braces(sets, fields.individuals, ' > ')}. Use "
            f"{option('penalized', 'True')}."
        )


def _clusters(fields: Fields, column: str) -> np.ndarray:
    """The cluster of each contest, from the first row of each."""
    known = [] if fields.extra is None else fields.extra.columns
    if fields.extra is None or column not in known:
        raise ArgumentError(
            f'{option_name("cluster")}: there is no further column "{column}".'
            f"{did_you_mean([column], known)} Columns: {quoted(known) or 'none'}."
        )
    first = fields.member_at[fields.side_at[:-1]]
    cells = fields.extra[column][first]
    return cells.rank("dense").to_numpy().astype(np.int64) - 1


def _board(
    fields: Fields, found: _Estimate, other: float | None, settings: dict[str, Any]
) -> PlackettLuce:
    size, sizes = len(fields.individuals), fields.tie_sizes
    center = np.eye(size) - 1 / size
    ability = center @ found.x[:size]
    spread = center @ found.covariance[:size, :size] @ center
    error = np.sqrt(np.maximum(np.diag(spread), 0.0))
    rank = average_ranks(np.round(ability, 9))
    order = np.argsort(rank, kind="stable")
    side = np.repeat(np.arange(len(fields.place)), np.diff(fields.member_at))
    contests = np.bincount(fields.member, minlength=size)
    won = np.bincount(fields.member, fields.place[side] == 0, minlength=size).astype(np.int64)
    delta = {int(number): float(np.exp(found.x[size + i])) for i, number in enumerate(sizes)}
    tables = {}
    if settings["covariates"]:
        own = np.arange(size + len(sizes), len(found.x))
        se = np.sqrt(np.diag(found.covariance)[own])
        estimate = found.x[own]
        tables["coefficients"] = pl.DataFrame(
            {
                "coefficient": settings["covariates"],
                "estimate": estimate,
                "se": se,
                "low": estimate - NORMAL * se,
                "high": estimate + NORMAL * se,
            }
        )
    return PlackettLuce(
        method="plackett_luce",
        data=fields,  # type: ignore[arg-type]
        rank=rank,
        frame=pl.DataFrame(
            {
                "individual": [fields.individuals[i] for i in order],
                "ability": ability[order],
                "ability_se": error[order],
                "ability_low": (ability - NORMAL * error)[order],
                "ability_high": (ability + NORMAL * error)[order],
                "contests": contests[order],
                "wins": won[order],
                "rank": rank[order],
            }
        ),
        summary=_sentences(fields, found, other, settings["fill"], settings["penalized"]),
        settings=settings,
        citations=("turner2020", "plackett1975"),
        tables=tables,
        ability=ability,
        nu=delta.get(2),
        label=np.zeros(size, np.int64),
        spread=spread,
        log_likelihood=found.log_likelihood,
        log_likelihood_other=other,
        delta=delta or None,
        prior_sd=settings["prior_sd"],
        unidentified=max(found.free.shape[1] - 1, 0),
    )


def _sentences(
    fields: Fields, found: _Estimate, other: float | None, fill: str, penalized: bool
) -> tuple[str, ...]:
    out = []
    if other is not None:
        turned = "last" if fill == "first" else "first"
        better = found.log_likelihood - other
        if abs(better) > 2:
            which, against = (fill, turned) if better > 0 else (turned, fill)
            out.append(
                f"Filling places from the {which} describes these contests better than from the "
                f"{against} (log-likelihood higher by {abs(better):.1f})."
            )
        else:
            out.append("Filling places from the first or from the last describes them alike.")
    if penalized:
        out.append(
            f"Abilities have a normal prior with mean 0 and standard deviation "
            f"{found.prior_sd:.2g}."
        )
    free = found.free.shape[1] - 1
    if free > 0:
        out.append(
            f"{counted(free, 'difference')} between abilities cannot be estimated, because these "
            f"individuals always were on the same side or never met the others; estimates divide "
            f"what is known equally."
        )
    return (*out, *fields.notes)
