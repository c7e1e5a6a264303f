"""Live raters besides that of Elo: abilities with uncertainty, one contest (or period) at a time.

`FieldRater`: for any number of sides and members. Each ability has a normal distribution that
drifts with the individual's own contests; a contest updates those of its sides by the Plackett–Luce
likelihood. Filters with different spreads, drifts and directions of filling places run side by
side, weighted by how well each predicted so far.

`GlickoRater`: contests of the current period are kept until it is closed, and are then rated
together by the kernel of `glicko`, so that a stream and a file give the same ratings to the last
bit.

`AdaptiveRater`: the filters of `adaptive`, which know nothing of the future, so that their state
after each contest is that of the record up to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import Logistic
from peckorder.data.fields import Fields, read_fields
from peckorder.errors import ArgumentError, DataError
from peckorder.kernels import glicko as glicko_kernel
from peckorder.kernels import many_sides as kernel
from peckorder.kernels.adaptive import FARTHEST, histories
from peckorder.kernels.filters import Record, run
from peckorder.ratings import adaptive_filter as filters
from peckorder.ratings.adaptive import MOST_INDIVIDUALS
from peckorder.ratings.filter_bank import flat, offsets
from peckorder.ratings.filter_runner import Filtered, empty_trace
from peckorder.ratings.glicko import GLICKMAN, chance, reach_of
from peckorder.ratings.rater import names_of
from peckorder.text import counted
from peckorder.validate import (
    between_0_and_1,
    finite,
    known_names,
    positive,
    true_or_false,
    whole_number,
)

SPREADS = (0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7)
DRIFTS = (0.0, 0.03, 0.06, 0.12, 0.25, 0.5)  # standard deviations per own contest
USUAL_TIE = 0.3
SAMPLES = 512
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


class FieldRater:
    """Abilities updated one contest at a time, for sides of any number and size.

    Parameters
    ----------
    strength : {"sum", "mean"}
        Strength of a side of several individuals.
    tie : float
        How likely ties are (Davidson's ν and its relatives for more sides).

    Examples
    --------
    >>> rater = FieldRater()
    >>> round(rater.update([["Ada", "Bo"], ["Cy", "Dan"]]), 2)
    0.5
    >>> round(rater.probability(["Ada", "Bo"], ["Cy", "Dan"]), 2) > 0.5
    True
    """

    flavor = "polars"

    def __init__(self, *, strength: str = "sum", tie: float = USUAL_TIE):
        if strength not in ("sum", "mean"):
            raise ArgumentError(f'strength="{strength}": choose "sum" or "mean".')
        self._strength, self._tie = strength, positive("tie", tie)
        grid = np.array([(s, d) for s in SPREADS for d in DRIFTS])
        self._spread, self._drift = np.tile(grid[:, 0], 2), np.tile(grid[:, 1] ** 2, 2)
        self._log_weight = np.full(len(self._spread), -np.log(len(self._spread)))
        # Of the second half, places are filled from the last: signs of abilities are changed there.
        self._backward = np.arange(len(self._spread)) >= len(grid)
        self._names: dict[str, int] = {}
        self._mean = np.zeros((len(self._spread), 0))
        self._variance = np.zeros((len(self._spread), 0))
        self.contests = 0

    def __repr__(self) -> str:
        return (
            f"FieldRater: {counted(len(self._names), 'individual')}, "
            f"{counted(self.contests, 'contest')}"
        )

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names in order of first appearance."""
        return tuple(self._names)

    @property
    def weights(self) -> np.ndarray:
        """Weight of each filter."""
        weight = np.exp(self._log_weight - self._log_weight.max())
        return weight / weight.sum()

    def update(self, sides: Sequence[Any]) -> float:
        """Rate one contest, sides from the first to the last; returns its predicted probability.

        A side is a name or a list of names; sides that tied are in a set.
        """
        fields = _plain(sides)
        if fields is None:
            fields = Fields.of([[tuple(one) if isinstance(one, list) else one for one in sides]])
        return float(np.exp(self.update_many(fields)[0]))

    def update_many(self, data: Any) -> np.ndarray:
        """Rate contests in turn; returns the log of the probability predicted for each."""
        fields = read_fields(data)
        for name in fields.individuals:
            self._names.setdefault(name, len(self._names))
        self._grow()
        code = np.array([self._names[name] for name in fields.individuals])
        member, sizes = code[fields.member], fields.tie_sizes
        side = np.repeat(np.arange(len(fields.place)), np.diff(fields.member_at))
        share = np.ones(len(member))
        if self._strength == "mean":
            share = 1.0 / np.diff(fields.member_at)[side]
        runs = (fields.side_at, fields.place, fields.recorded, fields.member_at, member)
        known = np.zeros((len(fields.place), 0))
        forward = kernel.FieldArrays(*runs, share, fields.weight, known)
        log_delta = np.log(np.full(len(sizes), self._tie))
        chance = np.empty((len(self._spread), fields.number))
        for backward in (False, True):
            own = self._backward == backward
            turned = backward and not fields.unplaced
            arrays = kernel.backward(forward) if turned else forward
            bank = kernel.Bank(
                self._mean[own], self._variance[own], self._log_weight[own], self._drift[own]
            )
            part = np.empty((int(own.sum()), fields.number))
            kernel.follow(arrays, np.ones(len(member)), sizes, log_delta, bank, part)
            self._mean[own], self._variance[own], chance[own] = bank.mean, bank.variance, part
        logs = self._log_weight[:, None] + np.cumsum(chance, axis=1)
        whole = np.logaddexp.reduce(np.column_stack([self._log_weight, logs]), axis=0)
        self._log_weight = logs[:, -1] - whole[-1]
        self.contests += fields.number
        return np.diff(whole)

    def probability(self, a: Any, b: Any) -> float:
        """Probability that side `a` is placed above side `b` (ties aside)."""
        mean, variance = self._sides([a, b])
        difference, spread = mean[:, 0] - mean[:, 1], np.sqrt(variance.sum(axis=1))
        each = 1 / (1 + np.exp(-(difference[:, None] + spread[:, None] * NODES))) @ WEIGHTS
        return float(self.weights @ each)

    def places(self, sides: Sequence[Any]) -> pl.DataFrame:
        """Probability of each side to be first, second, … (ties aside)."""
        mean, variance = self._sides(list(sides))
        random, number = np.random.default_rng(1), len(mean[0])
        share = np.zeros((number, number))
        for e, weight in enumerate(self.weights):
            if weight < 1e-6:
                continue
            strength = mean[e] + np.sqrt(variance[e]) * random.standard_normal((SAMPLES, number))
            sign = -1.0 if self._backward[e] else 1.0
            order = np.argsort(-(sign * strength + random.gumbel(size=strength.shape)), axis=1)
            order = order[:, ::-1] if self._backward[e] else order
            for place in range(number):
                share[:, place] += weight / SAMPLES * np.bincount(order[:, place], minlength=number)
        share /= share.sum(axis=0)
        names = [one if isinstance(one, str) else " & ".join(map(str, one)) for one in sides]
        columns = {f"p_{place + 1}": share[:, place] for place in range(number)}
        return pl.DataFrame({"side": names, **columns})

    @property
    def table(self) -> pl.DataFrame:
        """Individual, rating (mean ability), rating_sd and rank, highest first."""
        weight = self.weights
        mean = weight @ self._mean
        second = weight @ (self._variance + self._mean**2)
        return _standing(self._names, mean, np.sqrt(np.maximum(second - mean**2, 0.0)))

    def _grow(self) -> None:
        new = len(self._names) - self._mean.shape[1]
        if new:
            filters = len(self._spread)
            self._mean = np.column_stack([self._mean, np.zeros((filters, new))])
            fresh = np.repeat(self._spread[:, None] ** 2, new, axis=1)
            self._variance = np.column_stack([self._variance, fresh])

    def _sides(self, sides: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the strength of each side, by filter."""
        teams = [[one] if isinstance(one, str) else [str(name) for name in one] for one in sides]
        if len(teams) < 2:
            raise ArgumentError("Give two sides or more.")
        known_names(chain(*teams), self._names)
        mean, variance = [], []
        for team in teams:
            own = [self._names[name] for name in team]
            part = 1.0 / len(own) if self._strength == "mean" else 1.0
            mean.append(part * self._mean[:, own].sum(axis=1))
            drifted = self._variance[:, own] + self._drift[:, None]
            variance.append(part**2 * drifted.sum(axis=1))
        return np.column_stack(mean), np.column_stack(variance)


def _standing(
    names: Iterable[str], rating: np.ndarray, sd: np.ndarray, **further: np.ndarray
) -> pl.DataFrame:
    """Individuals from the highest rating to the lowest, with further columns."""
    columns = {"individual": list(names), "rating": rating, "rating_sd": sd, **further}
    top_down = pl.DataFrame(columns)[np.argsort(-rating, kind="stable")]
    return top_down.with_columns(rank=pl.Series(np.arange(1, len(rating) + 1)))


def _plain(sides: Sequence[Any]) -> Fields | None:
    """One contest without ties, of names that need no check; None for any other."""
    teams = [one if isinstance(one, list | tuple) else (one,) for one in sides]
    names = [name for team in teams for name in team]
    fits = all(type(name) is str and name and name == name.strip() for name in names)
    if len(teams) < 2 or not all(teams) or not fits or len(set(names)) < len(names):
        return None
    number = len(teams)
    member_at = np.cumsum([0, *map(len, teams)])
    places = np.arange(number), np.array([number]), member_at, np.arange(len(names))
    return Fields(tuple(names), ("1",), np.array([0, number]), *places, np.ones(1))


class GlickoRater:
    """Ratings with deviations (and volatilities), updated period by period.

    Parameters
    ----------
    version : 1 or 2
        Glicko or Glicko-2.
    start, deviation, volatility, c, tau, max_deviation : numbers
        As in `glicko` and `glicko2`, with the values of Glickman's papers.
    per_contest : bool
        Each contest is a period of its own; otherwise `close` ends a period.

    Examples
    --------
    >>> rater = GlickoRater()
    >>> rater.update("Ada", "Bo")
    0.5
    >>> rater.update("Ada", "Cy")
    0.5
    >>> rater.close()
    >>> [round(value) for value in rater.table().row(0)[1:3]]
    [1747, 253]
    """

    def __init__(
        self,
        *,
        version: int = 2,
        start: float = GLICKMAN["start"],
        deviation: float = GLICKMAN["deviation"],
        volatility: float = GLICKMAN["volatility"],
        c: float = GLICKMAN["c"],
        tau: float = GLICKMAN["tau"],
        max_deviation: float = 350.0,
        per_contest: bool = False,
    ):
        if version not in (1, 2):
            raise ArgumentError(f"version={version!r}: choose 1 (Glicko) or 2 (Glicko-2).")
        self._second, self._per_contest = version == 2, true_or_false("per_contest", per_contest)
        self._start = finite("start", start)
        self._first = positive("deviation", deviation), positive("volatility", volatility)
        max_deviation = positive("max_deviation", max_deviation)
        if deviation > max_deviation:
            raise ArgumentError(
                f"deviation={deviation:g} is above max_deviation={max_deviation:g}."
            )
        self._rules = glicko_kernel.Rules(
            self._second,
            0.0 if self._second else finite("c", c),
            finite("tau", tau) if self._second else 0.0,
            Logistic().slope,
            float(max_deviation),
        )
        self._codes: dict[str, int] = {}
        self._state = glicko_kernel.State(
            np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.int64)
        )
        self._waiting: list[tuple[int, int, float]] = []
        self._now, self.contests = 0, 0

    def __repr__(self) -> str:
        return (
            f"GlickoRater: {counted(len(self._codes), 'individual')}, "
            f"{counted(self.contests, 'contest')}, {len(self._waiting):,} in the current period"
        )

    def update(self, winner: str, loser: str, *, draw: bool = False) -> float:
        """Add a contest to the current period; returns the expected score of the winner."""
        names = names_of(winner, loser)
        score = 0.5 if true_or_false("draw", draw) else 1.0
        self._add(names)
        expected = self.probability(*names)
        self._waiting.append((self._codes[names[0]], self._codes[names[1]], score))
        if self._per_contest:
            self.close()
        return expected

    def close(self, periods: int = 1) -> None:
        """Rate the contests of the current period; the next one begins after so many periods."""
        whole_number("periods", periods, 1)
        if self._waiting:
            first, second, score = (np.array(part) for part in zip(*self._waiting, strict=True))
            number = len(score)
            sides = first.astype(np.int32), second.astype(np.int32)
            zero, now = np.zeros(1, np.int64), np.array([self._now])
            glicko_kernel.rate(
                glicko_kernel.ContestArrays(*sides, score.astype(float), np.zeros(1), zero, now),
                self._rules,
                self._state,
                glicko_kernel.predictions(number),
            )
            self.contests += number
            self._waiting = []
        self._now += periods

    def probability(self, a: str, b: str) -> float:
        """Probability that `a` beats `b` in the current period, by deviations grown until now."""
        known_names((a, b), self._codes)
        one, other = self._codes[str(a)], self._codes[str(b)]
        deviation = self._grown()
        ahead = self._state.rating[one] - self._state.rating[other]
        spread = np.hypot(deviation[one], deviation[other])
        return float(chance(np.array(ahead), np.array(spread), self._rules.q))

    def table(self, *, level: float = 0.95) -> pl.DataFrame:
        """Individual, rating, rating_sd (grown until now), limits and rank, highest first."""
        between_0_and_1("level", level)
        rating, sd, reach = self._state.rating, self._grown(), reach_of(level)
        own = {"volatility": self._state.volatility} if self._second else {}
        own |= {"rating_low": rating - reach * sd, "rating_high": rating + reach * sd}
        return _standing(self._codes, rating, sd, **own)

    def _grown(self) -> np.ndarray:
        """Deviations as they are in the current period."""
        lag = self._now - self._state.last
        growth = self._rules.c**2 * lag
        if self._second:  # the last step is part of the update
            growth = np.maximum(lag - 1, 0) * (self._state.volatility / self._rules.q) ** 2
        grown = np.minimum(np.sqrt(self._state.deviation**2 + growth), self._rules.highest)
        return np.where(self._state.last < 0, self._state.deviation, grown)

    def _add(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self._codes]
        if new:
            self._codes |= {name: len(self._codes) + i for i, name in enumerate(new)}
            fresh = self._start, *self._first
            parts = zip(self._state[:3], fresh, strict=True)
            grown = [np.append(own, np.full(len(new), value)) for own, value in parts]
            self._state = glicko_kernel.State(*grown, np.append(self._state.last, [-1] * len(new)))


ROOM = 64  # contests and dyads for which there is room at first


class AdaptiveRater:
    """Adaptive ratings updated one contest at a time, with their uncertainty.

    The state is that of `adaptive` for the contests so far (but for rounding), if it does not rate
    contests of one time stamp in batches. Nothing is tuned; an update takes the longer the more
    individuals there are (up to 400).

    Examples
    --------
    >>> import peckorder as po
    >>> rater = AdaptiveRater()
    >>> round(rater.update("Ada", "Bo"), 2)
    0.5
    >>> round(rater.probability("Ada", "Bo"), 2)
    0.68
    >>> whole = po.adaptive([("Ada", "Bo")], seed=1)
    >>> round(whole.probability("Ada", "Bo"), 2)
    0.68
    """

    def __init__(self):
        self._codes: dict[str, int] = {}
        self.contests = 0
        self._winner, self._loser, self._dyad = np.zeros((3, ROOM), np.int32)
        self._tied, self._side = np.zeros(ROOM, bool), np.zeros(ROOM)
        self._known = np.zeros((ROOM, filters.HISTORIES))
        self._dyads: dict[tuple[int, int], int] = {}
        self._log_odds = 0.0  # of the filters against averaged Elo
        self._begin((0.0,))

    def __repr__(self) -> str:
        return (
            f"AdaptiveRater: {counted(len(self._codes), 'individual')}, "
            f"{counted(self.contests, 'contest')}"
        )

    def _begin(self, nus: tuple[float, ...]) -> None:
        """No contests yet; `nus` are the tie parameters of the filters."""
        self._nus, self._table = nus, filters.adaptive_table(nus)
        size, coefficients = len(self._table), len(filters.COEFFICIENT_SD)
        first = np.array([filters.ENTRY_SD, *filters.COEFFICIENT_SD]) ** 2
        self._mean = np.zeros((size, coefficients + 1))
        self._covariance = np.tile(np.diag(first), (size, 1, 1))
        self._dyad_mean = np.zeros((size, ROOM))
        self._dyad_variance = np.full((size, ROOM), filters.DYAD_SD**2)
        self._elo = np.zeros((len(filters.GAINS), 0))
        rare = filters.RARE_FIRST if len(nus) > 1 else np.ones(1)
        self._prior = filters.by_nu(rare, size)
        self._weight = self._prior.copy()
        self._elo_weight = filters.by_nu(rare, len(filters.GAINS) * len(nus))
        self._own, self._outcome = np.zeros((2, 0))
        self._last, self._wins = np.zeros(0, np.int64), np.zeros((ROOM, 2))

    def update(self, winner: str, loser: str, *, draw: bool = False) -> float:
        """Rate one contest; returns the probability that was predicted for its outcome."""
        names = names_of(winner, loser)
        new = [name for name in names if name not in self._codes]
        if len(self._codes) + len(new) > MOST_INDIVIDUALS:
            raise DataError(f"There are more than {MOST_INDIVIDUALS} individuals. Use EloRater.")
        tied = true_or_false("draw", draw)
        t = self._noted(names, tied)
        if tied and len(self._nus) == 1:  # ties are modeled from the beginning, as in a batch
            return self._again(t)
        return self._rate(t, tied)

    def _noted(self, names: tuple[str, str], tied: bool) -> int:
        """The number of a contest that was added to the record."""
        one, other = (self._codes.setdefault(name, len(self._codes)) for name in names)
        t = self.contests
        if t == len(self._winner):
            for part in ("_winner", "_loser", "_dyad", "_tied", "_side", "_known"):
                old = getattr(self, part)
                setattr(self, part, np.concatenate([old, np.zeros_like(old)]))
        pair = min(one, other), max(one, other)
        self._dyad[t] = self._dyads.setdefault(pair, len(self._dyads))
        self._winner[t], self._loser[t], self._tied[t] = one, other, tied
        self._side[t] = 1.0 if one < other else -1.0
        self.contests += 1
        return t

    def _again(self, t: int) -> float:
        """All contests up to t, with filters that model ties; the probability of the last."""
        self._begin(filters.NUS)
        bank = filters.run_adaptive(
            self._winner[: t + 1],
            self._loser[: t + 1],
            individuals=len(self._codes),
            tied=self._tied[: t + 1],
            threads=1,
        )
        for n in range(t + 1):
            self._rate(n, bool(self._tied[n]))
        # Before the first tie its probability was that of a record without ties.
        odds = np.log(bank.bank_probability) - np.log(bank.elo_probability)
        self._log_odds = float(np.clip(odds.sum(), -FARTHEST, FARTHEST))
        return float(bank.probability[-1])

    def _rate(self, t: int, tied: bool) -> float:
        """Take contest t into the state."""
        a, b, d = int(self._winner[t]), int(self._loser[t]), int(self._dyad[t])
        entering = self._grown(t, a, b, d)
        self._note_histories(t)
        log_chance, log_predicted = np.empty((2, len(self._table), 2))
        size = self._mean.shape[1]
        record = self._one_contest(t, entering)
        trace = empty_trace(record, np.zeros(0, np.int64), arrived=False, traced=False)
        scale, c = np.empty((2, size))
        chosen = np.arange(len(self._table))
        states = self._mean, self._covariance, self._dyad_mean, self._dyad_variance
        run(record, self._table, trace, chosen, 1, 2, scale, c, *states, log_chance, log_predicted)
        own = self._weight * np.exp(log_chance[:, 1])
        of_bank = own.sum()
        self._weight = (1 - filters.SHARE) * own / of_bank + filters.SHARE * self._prior
        expected = 1 / (1 + np.exp(self._elo[:, b] - self._elo[:, a]))
        win, tie = (part[:, 0] for part in filters.by_elo(expected[:, None], self._nus))
        own = self._elo_weight * (tie if tied else win)
        of_elo = own.sum()
        self._elo_weight = own / of_elo
        step = np.array(filters.GAINS) * ((0.5 if tied else 1.0) - expected)
        self._elo[:, a] += step
        self._elo[:, b] -= step
        share = self._share
        self._log_odds = float(
            np.clip(self._log_odds + np.log(of_bank / of_elo), -FARTHEST, FARTHEST)
        )
        return float(share * of_bank + (1 - share) * of_elo)

    @property
    def _share(self) -> float:
        """Weight of the filters relative to averaged Elo."""
        return float(1 / (1 + np.exp(-self._log_odds)))

    def _grown(self, t: int, a: int, b: int, d: int) -> np.ndarray:
        """Room for newcomers and new dyads; newcomers that enter at the mean of the active."""
        fresh = np.arange(self._elo.shape[1], max(a, b) + 1)
        new = len(fresh)
        lately = self._lately(t)
        late = t >= filters.FOUNDING and lately.size >= filters.FEWEST
        if new:
            number, size = self._mean.shape
            self._mean = np.column_stack([self._mean, np.zeros((number, new))])
            grown = np.zeros((number, size + new, size + new))
            grown[:, :size, :size] = self._covariance
            spread = np.zeros(number) if late else self._table[:, 0] ** 2
            grown[:, range(size, size + new), range(size, size + new)] = spread[:, None]
            self._covariance = grown
            self._elo = np.column_stack([self._elo, np.zeros((len(self._elo), new))])
            self._own, self._outcome = (np.pad(v, (0, new)) for v in (self._own, self._outcome))
            self._last = np.pad(self._last, (0, new), constant_values=-1)
        if d >= self._dyad_mean.shape[1]:
            self._wins = np.vstack([self._wins, np.zeros_like(self._wins)])
            self._dyad_mean = np.tile(self._dyad_mean, 2)
            self._dyad_variance = np.tile(self._dyad_variance, 2)
            half = self._dyad_mean.shape[1] // 2
            self._dyad_mean[:, half:], self._dyad_variance[:, half:] = 0.0, filters.DYAD_SD**2
        return fresh if late else fresh[:0]

    def _lately(self, t: int) -> np.ndarray:
        """Who had a contest lately, before contest t."""
        sides = self._winner[:t], self._loser[:t]
        return filters.active_before(*sides, np.ones(t + 1), t, filters.ACTIVE)

    def _note_histories(self, t: int) -> None:
        """Experience, momentum, dyadic record and gap of contest t, and what it changes in them."""
        room = np.zeros((len(self._own), 2)), np.zeros((len(self._wins), 3))
        who = self._winner, self._loser, self._tied, np.array([t, t + 1]), self._dyad, self._side
        histories(*who, self._own, self._outcome, self._last, self._wins, *room, self._known)

    def _one_contest(self, t: int, entering: np.ndarray) -> Record:
        """Contest t, before which newcomers enter and after which ratings drift.

        It is the second of a record: the filters begin with the first.
        """
        everybody, coming = np.arange(self._elo.shape[1]), entering.size > 0
        lately = self._lately(t)
        lists = [everybody, lately] if coming else [everybody]

        def second(value: Any, kind: Any) -> np.ndarray:
            return np.array([value, value], kind)

        return Record(
            winner=second(self._winner[t], np.int32),
            loser=second(self._loser[t], np.int32),
            tied=second(self._tied[t], bool),
            covariates=np.ascontiguousarray(self._known[[t, t]]),
            dyad=second(self._dyad[t], np.int32),
            side=second(self._side[t], float),
            step=np.array([0.0, 0.0, 1.0]),
            moment_end=np.array([1, 2], np.int32),
            coefficient_sd=np.array(filters.COEFFICIENT_SD),
            founder=np.ones(len(everybody), bool),
            roster_of=np.zeros(3, np.int32),
            roster_at=offsets(lists),
            roster=flat(lists),
            entry_at=np.array([1] if coming else [], np.int32),
            entry_mean=np.array([1] if coming else [], np.int32),
            newcomer_at=offsets([entering] if coming else []),
            newcomer=flat([entering] if coming else []),
            openings=np.full((1, len(everybody)), -1, np.int32),
        )

    @property
    def bank(self) -> filters.AdaptiveBank:
        """The filters with their states and weights, as those of `adaptive`."""
        if not self.contests:
            raise DataError("There are no contests yet. Call update first.")
        t, none = self.contests, np.zeros(0)
        record = self._one_contest(t - 1, np.zeros(0, np.int64))
        names = "winner", "loser", "tied", "dyad", "side"
        record = record._replace(
            **{name: getattr(self, f"_{name}")[:t] for name in names},
            step=np.append(0.0, np.ones(t)),
            moment_end=np.arange(1, t + 1, dtype=np.int32),
        )
        size = len(self._codes)
        key = np.array([low * size + high for low, high in self._dyads], np.int64)
        order = np.argsort(key)
        met = Filtered(
            self._mean,
            self._covariance,
            self._dyad_mean[:, order],
            self._dyad_variance[:, order],
            np.zeros((0, 0)),
            np.zeros((0, 0)),
        )
        own = self._own, self._outcome, self._last, self._wins[order], key[order], t
        return filters.AdaptiveBank(
            record=record,
            histories=filters.Histories(*own),
            table=self._table,
            probability=none,
            bank_probability=none,
            elo_probability=none,
            weights=self._weight[None],
            elo_weights=self._elo_weight[None],
            elo_expected=np.zeros((0, 0)),
            elo_ratings=self._elo,
            bank_shares=np.array([self._share]),
            before_ties=(none, none),
            filtered=met,
            threads=1,
        )

    def probability(self, a: str, b: str) -> float:
        """Probability that `a` beats `b` in the next contest (one that is not tied)."""
        known_names((a, b), self._codes)
        pair = [self._codes[str(a)]], [self._codes[str(b)]]
        win, tie = (float(part[0]) for part in self.bank.chances(*pair))
        return win / (1 - tie)

    @property
    def table(self) -> pl.DataFrame:
        """Individual, rating (log-odds), rating_sd and rank, highest first."""
        return _standing(self._codes, *self.bank.ratings())
