"""Simulated contests among individuals of known strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from peckorder.curves import Curve, Exponential, Table, curve_from
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.kernels.simulation import draw_contests
from peckorder.simulate.truth import Truth, record
from peckorder.text import counted, quoted
from peckorder.validate import as_numbers, finite, not_negative, one_of, seed_number, whole_number

STRENGTHS = ("grid", "normal")
MEETINGS = ("equal", "by_rank", "by_closeness")


def hierarchy(
    individuals: int | Sequence[str] = 10,
    contests: int = 500,
    *,
    strengths: Any = "grid",
    spread: float = 3.0,
    meeting: Literal["equal", "by_rank", "by_closeness"] | Sequence[Any] | np.ndarray = "equal",
    chances: Any = None,
    initiative: float = 1.0,
    starter_advantage: float = 0.0,
    curve: str | Curve | None = None,
    nu: float = 0.0,
    presence: Mapping[str, tuple[int, int]] | None = None,
    seed: Any = None,
) -> tuple[Truth, Contests]:
    """Simulate contests in a stable hierarchy with known strengths.

    Parameters
    ----------
    individuals : number of individuals, or their names.
    contests : number of contests.
    strengths : {"grid", "normal"} or one number per individual
        Equidistant from +spread to −spread, normal with standard deviation `spread`, or given.
    spread : float, in the units of the curve (by default 1/(1 + e^(−Δ))).
    meeting : {"equal", "by_rank", "by_closeness"}, a pair of these, or a matrix
        Who meets whom: all with equal probability; low-ranking individuals less often (weight
        n + 1 − rank); individuals of similar strength more often (weight 1/|difference|). A pair
        gives the rule for the initiator and the rule for its opponent; a matrix gives the weight
        of i (row) initiating against j (column).
    chances : matrix, optional
        Probability that the row beats the column, instead of strengths.
    initiative : float, 0 to 1
        Frequency of initiating against a stronger individual, relative to a weaker one. It affects
        outcomes only in combination with `starter_advantage`.
    starter_advantage : float
        Advantage of the initiator, in the units of the curve (added to the log-odds of `chances`).
    curve : as in `elo`; 1/(1 + e^(−Δ)) by default.
    nu : float
        Davidson's ν: equally strong individuals tie with probability ν/(2 + ν).
    presence : mapping, optional
        First and last contest (numbered from 1) during which an individual is present.
    seed : int, optional

    Returns
    -------
    (Truth, Contests)

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.hierarchy(individuals=10, contests=500, seed=1)
    >>> data
    Contests: 500 contests among 10 individuals (i02, i03, i04, i07, i10, i09, …)
    >>> truth
    Truth: 10 individuals, 500 contests, 1 period; final order i01, i02, i03, i04, i05, i06, …
    """
    names = names_of(individuals)
    whole_number("contests", contests, 1)
    if presence is not None:
        if not isinstance(presence, Mapping):
            raise ArgumentError(
                "presence must be a mapping: {name: (first contest, last contest)}."
            )
        presence = {str(name): stint for name, stint in presence.items()}
    random = np.random.default_rng(np.random.SeedSequence([(seed := seed_number(seed)), 1]))
    if chances is None:
        strength = _strengths(strengths, spread, len(names), random)
        matrix = None
    else:
        matrix = _chances(chances, len(names))
        strength = matrix.sum(axis=1)
    stretches = _stretches(names, strength, contests, presence)
    made = Setting(meeting, initiative, natural(curve), nu, matrix, starter_advantage)
    return made.simulate(names, stretches, seed, presence)


def periods(
    periods: Sequence[Mapping[str, Any]],
    *,
    meeting: Any = "equal",
    initiative: float = 1.0,
    starter_advantage: float = 0.0,
    curve: str | Curve | None = None,
    nu: float = 0.0,
    seed: Any = None,
) -> tuple[Truth, Contests]:
    """Simulate contests in a hierarchy that changes from period to period.

    Parameters
    ----------
    periods : a list of mappings
        `strengths` (of the individuals present, by name), `contests` (number of contests),
        and optionally `shuffle_every` (strengths are permuted after this many contests).
    meeting, initiative, starter_advantage, curve, nu, seed : as in `hierarchy`.

    Returns
    -------
    (Truth, Contests)
        The data include presence.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.periods([
    ...     {"strengths": {"Abe": 2, "Bo": 0, "Cy": -2}, "contests": 50},
    ...     {"strengths": {"Bo": 2, "Cy": -2, "Di": 0}, "contests": 50},
    ... ], seed=1)
    >>> [truth.individuals[i] for i in truth.at(51).argsort()[:2]]
    ['Cy', 'Di']
    """
    if not isinstance(periods, Sequence) or not periods:
        raise ArgumentError('Give at least one period: {"strengths": {…}, "contests": 100}.')
    seed = seed_number(seed)
    random = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    names = tuple(dict.fromkeys(str(n) for p in periods for n in _of_period(p, "strengths")))
    stretches = []
    for number, period in enumerate(periods, start=1):
        own = {str(name): value for name, value in _of_period(period, "strengths").items()}
        strength = np.array([own.get(name, np.nan) for name in names], dtype=float)
        there = np.flatnonzero([name in own for name in names])
        if not np.isfinite(strength[there]).all():
            raise ArgumentError(f"Period {number}: strengths must be finite numbers.")
        left = whole_number("contests", _of_period(period, "contests"), 1)
        every = period.get("shuffle_every")
        step = left if every is None else whole_number("shuffle_every", every, 1)
        while left > 0:
            row = strength.copy()
            if every is not None:
                row[there] = random.permutation(strength[there])
            stretches.append((min(step, left), row))
            left -= step
    made = Setting(meeting, initiative, natural(curve), nu, None, starter_advantage)
    return made.simulate(names, stretches, seed, _presence_of(names, stretches))


def _of_period(period: Any, name: str) -> Any:
    if not isinstance(period, Mapping) or name not in period:
        raise ArgumentError(f'A period needs "{name}": {{"strengths": {{…}}, "contests": 100}}.')
    if name == "strengths" and not isinstance(period[name], Mapping):
        raise ArgumentError('The strengths of a period must be given by name: {"Abe": 2, "Bo": 0}.')
    return period[name]


def names_of(individuals: Any) -> tuple[str, ...]:
    """The given names, or numbered names (i01, i02, …)."""
    if isinstance(individuals, Sequence | np.ndarray) and not isinstance(individuals, str):
        names = tuple(str(name) for name in individuals)
        if len(set(names)) < len(names):
            raise ArgumentError("individuals: names must be unique.")
        if len(names) < 2:
            raise ArgumentError("A hierarchy needs at least two individuals.")
        return names
    number = whole_number("individuals", individuals, 2)
    width = max(2, len(str(number)))
    return tuple(f"i{i:0{width}d}" for i in range(1, number + 1))


def natural(curve: str | Curve | None) -> Curve:
    """The win curve; 1/(1 + e^(−Δ)) if none is given."""
    return Exponential(1.0) if curve is None else curve_from(curve)


def grid(number: int, spread: float) -> np.ndarray:
    """Equidistant strengths, the strongest first."""
    spread = float(finite("spread", spread))
    return np.linspace(spread, -spread, number)


def _strengths(given: Any, spread: float, number: int, random: np.random.Generator) -> np.ndarray:
    not_negative("spread", spread)
    if isinstance(given, str):
        one_of("strengths", given, STRENGTHS, ", or give one number per individual")
        if given == "grid":
            return grid(number, spread)
        return np.sort(random.normal(0.0, abs(spread), number))[::-1]  # also of −0
    values = as_numbers(given)
    if values is None:
        raise ArgumentError(f"strengths must be numbers, not {given!r}.")
    if values.shape != (number,):
        raise ArgumentError(
            f"strengths must contain one number per individual ({number:,}), not {values.size:,}."
        )
    if not np.isfinite(values).all():
        raise ArgumentError("strengths must be finite numbers.")
    return values


def _chances(given: Any, number: int) -> np.ndarray:
    matrix = as_numbers(given)
    if matrix is None:
        raise ArgumentTypeError(f"chances must be a matrix of numbers, not {given!r}.")
    if matrix.shape != (number, number):
        raise ArgumentError(f"chances must be a {number} × {number} matrix, not {matrix.shape}.")
    np.fill_diagonal(matrix, 0.0)
    off = ~np.eye(number, dtype=bool)
    if not np.isfinite(matrix).all() or (matrix < 0).any() or (matrix > 1).any():
        raise ArgumentError("chances must be between 0 and 1.")
    if np.abs((matrix + matrix.T)[off] - 1).max() > 1e-9:
        raise ArgumentError(
            "chances must sum to 1 in each dyad: chances[i, j] + chances[j, i] = 1."
        )
    return matrix


Stretch = tuple[int, np.ndarray]


def _stretches(
    names: tuple[str, ...], strength: np.ndarray, contests: int, presence: Any
) -> list[Stretch]:
    """Periods during which the same individuals are present: contests and strengths."""
    if presence is None:
        return [(contests, strength)]
    unknown = [name for name in presence if str(name) not in names]
    if unknown:
        raise ArgumentError(f"presence: {quoted(unknown)} not found among {quoted(names)}.")
    first, last = np.ones(len(names), int), np.full(len(names), contests)
    for name, stint in presence.items():
        pair = isinstance(stint, tuple | list) and len(stint) == 2
        if not pair or not all(isinstance(s, int) for s in stint) or not 1 <= stint[0] <= stint[1]:
            raise ArgumentError(
                f'presence of "{name}" must be (first contest, last contest), not {stint}.'
            )
        first[names.index(str(name))], last[names.index(str(name))] = stint
    cuts = np.unique(
        np.clip(np.concatenate([[1], first, last + 1, [contests + 1]]), 1, contests + 1)
    )
    out = []
    for begin, end in pairwise(cuts):
        there = (first <= begin) & (last >= begin)
        out.append((int(end - begin), np.where(there, strength, np.nan)))
    return out


def _presence_of(
    names: tuple[str, ...], stretches: list[Stretch]
) -> dict[str, tuple[int, int]] | None:
    """First and last contest of each individual if not all are always present."""
    there = np.array([~np.isnan(row) for _, row in stretches])
    if there.all():
        return None
    ends = np.cumsum([number for number, _ in stretches])
    begins = ends - [number for number, _ in stretches] + 1
    out = {}
    for i, name in enumerate(names):
        own = np.flatnonzero(there[:, i])
        if own[-1] - own[0] + 1 != own.size:
            raise ArgumentError(
                f'"{name}" leaves and comes back, which is not supported. Use a second name for it.'
            )
        out[name] = (int(begins[own[0]]), int(ends[own[-1]]))
    return out


@dataclass(frozen=True, eq=False)
class Setting:
    """Rules of who meets whom and who wins, given strengths."""

    meeting: Any
    initiative: float
    curve: Curve
    nu: float
    chances: np.ndarray | None
    starter_advantage: float = 0.0

    def __post_init__(self):
        for name, value, high in (("initiative", self.initiative, 1.0), ("nu", self.nu, 1e6)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise ArgumentTypeError(f"{name} must be a number, not {value!r}.")
            if not 0 <= value <= high:
                raise ArgumentError(f"{name}={value!r}: give a number from 0 to {high:g}.")
        finite("starter_advantage", self.starter_advantage)
        if isinstance(self.curve, Table) and self.nu:
            raise ArgumentError("The printed table does not allow ties: choose another curve.")

    def simulate(
        self, names: tuple[str, ...], stretches: list[Stretch], seed: int, presence: Any
    ) -> tuple[Truth, Contests]:
        """Simulate all contests."""
        numbers = np.array([number for number, _ in stretches])
        rows = np.array([row for _, row in stretches])
        made = [self._weights(names, row, i) for i, row in enumerate(rows, start=1)]
        starter, opponent, chance = (np.array(part) for part in zip(*made, strict=True))
        size = int(numbers.sum())
        first, second = np.empty(size, np.int32), np.empty(size, np.int32)
        score = np.empty(size)
        key = np.random.SeedSequence([seed, 2]).generate_state(1, np.uint64)[0]
        draw_contests(
            starter.cumsum(axis=1),
            opponent.cumsum(axis=2),
            chance,
            float(self.nu),
            np.repeat(np.arange(len(numbers)), numbers),
            key,
            0,
            first,
            second,
            score,
        )
        data, place = record(names, first, second, score, "simulated contests")
        begin = np.concatenate([[0], numbers.cumsum()[:-1]])
        truth = Truth(data.individuals, begin, rows[:, place], size, self.curve)
        if presence is not None:
            stints = {name: presence.get(name, (1, size)) for name in data.individuals}
            data = data.with_presence(
                {
                    "id": list(stints),
                    "start": [s for s, _ in stints.values()],
                    "end": [min(e, size) for _, e in stints.values()],
                }
            )
        return truth, data

    def _weights(
        self, names: tuple[str, ...], strength: np.ndarray, number: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights of initiators and opponents, and winning probabilities, in one period."""
        there = ~np.isnan(strength)
        if there.sum() < 2:
            raise ArgumentError(
                f"Period {number} has {counted(int(there.sum()), 'individual')}: at least two must "
                f"be present."
            )
        value = np.where(there, strength, 0.0)
        pair = self._pair(value, there)
        both = there[:, None] & there[None, :] & ~np.eye(len(names), dtype=bool)
        opponent = np.where(both, pair[1], 0.0)
        all_of = opponent.sum(axis=1)
        opponent *= np.where(value[:, None] < value[None, :], self.initiative, 1.0)
        # Individuals with mostly stronger opponents initiate less often.
        share = np.divide(opponent.sum(axis=1), all_of, out=np.zeros(len(names)), where=all_of > 0)
        starter = np.where(there, pair[0] * share, 0.0)
        reached = starter[:, None] * opponent > 0
        alone = np.flatnonzero(there & ~(reached.any(axis=0) | reached.any(axis=1)))
        if alone.size:
            raise ArgumentError(
                f"meeting leaves {quoted([names[i] for i in alone])} without an opponent."
            )
        if self.chances is None:
            ahead = value[:, None] - value[None, :] + self.starter_advantage
            return starter, opponent, np.asarray(self.curve(ahead))
        bonus = np.exp(-self.starter_advantage)
        odds_against = bonus * (1 - self.chances)
        return starter, opponent, self.chances / (self.chances + odds_against)

    def _pair(self, value: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of initiators, and of opponents given the initiator."""
        size = len(value)
        if not isinstance(self.meeting, str) and np.ndim(self.meeting) == 2:
            matrix = as_numbers(self.meeting)
            weights = matrix is not None and np.isfinite(matrix).all() and (matrix >= 0).all()
            if matrix is None or not weights or matrix.shape != (size, size):
                raise ArgumentError(
                    f"meeting must be a {size} × {size} matrix of weights ≥ 0, or one of: "
                    f"{', '.join(MEETINGS)}."
                )
            np.fill_diagonal(matrix, 0.0)
            matrix[~there] = matrix[:, ~there] = 0.0
            return matrix.sum(axis=1), matrix
        rules = self.meeting
        if isinstance(rules, str):
            starters = "equal" if rules == "by_closeness" else rules
            rules = (starters, rules)
        pair = isinstance(rules, tuple | list) and len(rules) == 2
        if not pair or any(rule not in MEETINGS for rule in rules):
            raise ArgumentError(
                f"meeting={self.meeting!r} is not known. Choose one of: {', '.join(MEETINGS)}, a "
                f"pair of these, or a matrix."
            )
        if rules[0] == "by_closeness":
            raise ArgumentError(
                "The initiator cannot be chosen by_closeness, which needs two individuals."
            )
        rank = np.zeros(size)
        rank[there] = (-value[there]).argsort().argsort() + 1
        by_rank = np.where(there, there.sum() + 1 - rank, 0.0)
        starter = np.where(there, 1.0, 0.0) if rules[0] == "equal" else by_rank
        if rules[1] == "equal":
            return starter, np.ones((size, size))
        if rules[1] == "by_rank":
            return starter, np.tile(by_rank, (size, 1))
        gap = np.abs(value[:, None] - value[None, :])
        least = gap[gap > 0].min() if (gap > 0).any() else 1.0
        return starter, 1 / np.maximum(gap, least)
