"""Knock-outs: chances to win each round of a bracket, and playoffs after simulated seasons.

The chances in a bracket are exact: nothing is simulated. Playoffs are played once after each
simulated season, by the strengths that the sides have at its end: the best of each division are
seeded first, then the best of all others (wild cards), both in the order of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.next_ratings import onward
from peckorder.evaluation.order_forecast import with_chances
from peckorder.evaluation.scoring import rated
from peckorder.results import Ratings
from peckorder.tables import native
from peckorder.text import counted, did_you_mean, either, option, option_name, quoted
from peckorder.validate import one_of, several, true_or_false, whole_number

MOST_RESEEDED = 16


def bracket(
    ratings: Ratings,
    seeds: Sequence[str | None],
    *,
    best_of: int = 1,
    hosts: Sequence[str] | None = None,
    reseed: bool = False,
) -> Any:
    """Chances to reach each round of a knock-out, from the final ratings.

    Parameters
    ----------
    ratings : Ratings, of any rater; or the order of `bradley_terry`
    seeds : names in the order of the draw
        The first meets the second, the third the fourth, and winners of neighbors meet. Their
        number is a power of two; None is a bye.
    best_of : odd number of games in each round.
    hosts : names from the best seed to the last, optional
        The better seed is at home, with the home advantage of the ratings; in a series in the
        larger half of the games. By default, venues are neutral.
    reseed : bool
        `seeds` are named from the best to the last instead, up to 16, and in each round the best
        of those left meets the last, the second the last but one, and so on.

    Returns
    -------
    DataFrame
        individual and the chances to win round 1, 2, … (`round_1`, …) and the final (`title`).

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> po.sport.bracket(ratings, ["b", "a", "c", "d"])["title"].round(3).to_list()
    [0.687, 0.0, 0.162, 0.15]
    """
    ratings = onward(rated(with_chances(ratings), "sport.bracket"))
    size = len(seeds)
    if size < 2 or size & (size - 1):
        raise ArgumentError(
            f"A bracket needs 2, 4, 8, … names, not {size}. Fill it up with byes: "
            f"{either('None', 'empty names, as in A,,B,C')}."
        )
    if isinstance(best_of, bool) or not isinstance(best_of, int) or best_of < 1 or best_of % 2 == 0:
        raise ArgumentError(f"best_of must be an odd number, not {best_of!r}.")
    known = [name for name in seeds if name is not None]
    if len(set(known)) < len(known):
        raise ArgumentError("A name appears twice in the bracket.")
    beats = _series(*_pairs(ratings, seeds, hosts), best_of)
    rounds = _reseeded(beats, seeds) if true_or_false("reseed", reseed) else _drawn(beats, seeds)
    columns = {f"round_{i + 1}": values for i, values in enumerate(rounds[:-1])}
    frame = pl.DataFrame(
        {"individual": [name or "" for name in seeds], **columns, "title": rounds[-1]}
    )
    return native(frame.filter(pl.col("individual") != ""), ratings.data.flavor)


def _drawn(beats: np.ndarray, seeds: Sequence[str | None]) -> list[np.ndarray]:
    """Chances to win each round where winners of neighbors meet."""
    reached, rounds = np.array([float(name is not None) for name in seeds]), []
    width = 1
    while width < len(seeds):
        block = np.arange(len(seeds)) // width
        opponent = block[:, None] == (block ^ 1)[None, :]  # of the neighboring half
        empty = (opponent * reached[None, :]).sum(axis=1) == 0  # a bye
        reached = reached * np.where(empty, 1.0, (opponent * beats * reached[None, :]).sum(axis=1))
        rounds.append(reached)
        width *= 2
    return rounds


def _reseeded(beats: np.ndarray, seeds: Sequence[str | None]) -> list[np.ndarray]:
    """Chances to win each round where the best that is left meets the last, by enumeration."""
    if len(seeds) > MOST_RESEEDED:
        raise ArgumentError(
            f"{option('reseed', 'True')} takes up to {MOST_RESEEDED} names, not {len(seeds)}."
        )
    left: dict[tuple[int, ...], float] = {tuple(range(len(seeds))): 1.0}
    rounds = []
    while len(next(iter(left))) > 1:
        after: dict[tuple[int, ...], float] = {}
        for those, chance in left.items():
            half = len(those) // 2
            games = list(zip(those[:half], those[: half - 1 : -1], strict=True))
            for winners in product(*games):
                p = chance
                for winner, (a, b) in zip(winners, games, strict=True):
                    bye = seeds[a] is None or seeds[b] is None
                    own = float(seeds[winner] is not None) if bye else beats[winner, a + b - winner]
                    p *= own
                if p > 0:
                    key = tuple(sorted(winners))
                    after[key] = after.get(key, 0.0) + p
        left = after
        reached = np.zeros(len(seeds))
        for those, chance in left.items():
            reached[list(those)] += chance
        rounds.append(reached)
    return rounds


def _pairs(
    ratings: Ratings, seeds: Sequence[str | None], hosts: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Probability that the row beats the column in most games of a series, and in the others.

    They differ in who is at home. A tie is decided by the toss of a coin.
    """
    size = len(seeds)
    places = np.array([i for i, name in enumerate(seeds) if name is not None])
    codes = np.array([ratings.code(seeds[i]) for i in places])
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(len(codes)), np.arange(len(codes))))
    apart = a != b
    a, b = a[apart], b[apart]
    side = np.zeros(len(a))
    if hosts is not None:
        order = {str(name): i for i, name in enumerate(several("hosts", hosts))}
        lacking = [str(seeds[i]) for i in places if seeds[i] not in order]
        if lacking:
            raise ArgumentError(
                f"{option_name('hosts')} names all sides from the best seed to the last; it has "
                f"no {quoted(lacking)}."
            )
        rank = np.array([order[str(seeds[i])] for i in places])
        side = np.sign(rank[b] - rank[a]).astype(float)
    out = []
    for home in (side, -side):
        one = np.zeros((size, size))
        one[places[a], places[b]] = ratings.chances(codes[a], codes[b], home).expected
        out.append(one)
    return out[0], out[1]


def _series(most: np.ndarray, others: np.ndarray, best_of: int) -> np.ndarray:
    """Probability to win most of an odd number of games, of which more are at the host's."""
    from scipy.special import bdtrc, comb

    if best_of == 1:
        return most
    needed, away = best_of // 2 + 1, best_of // 2
    total = np.zeros(most.shape)
    for won in range(away + 1):
        chance = comb(away, won) * others**won * (1 - others) ** (away - won)
        more = needed - won
        reach = np.ones(most.shape) if more <= 0 else np.asarray(bdtrc(more - 1, needed, most))
        if more == needed:  # all of them
            reach = most**needed
        total += chance * reach
    return total


RULES = {"size": 8, "leaders": 1, "best_of": 1, "hosts": 1, "reseed": 0}


@dataclass(frozen=True)
class Playoffs:
    """Rules of a knock-out after a season, as in `simulate_season`."""

    size: int
    leaders: int  # of each division that are seeded first
    best_of: int
    hosts: bool
    reseed: bool

    @classmethod
    def of(cls, given: Any, league: int, divisions: int) -> Playoffs:
        """The rules, checked against the numbers of sides and of divisions."""
        named = dict(given) if isinstance(given, Mapping) else {"size": given}
        for name, value in named.items():
            one_of("playoffs", name, RULES)
            whole_number(f"playoffs: {name}", int(value) if isinstance(value, bool) else value, 0)
        rules = {name: int(value) for name, value in (RULES | named).items()}
        if not 2 <= rules["size"] <= league:
            raise ArgumentError(
                f"{option_name('playoffs')}: size must be from 2 to {league}, the number of sides, "
                f"not {rules['size']}."
            )
        if rules["best_of"] % 2 == 0:
            raise ArgumentError(
                f"{option_name('playoffs')}: best_of must be odd, not {rules['best_of']}."
            )
        if rules["leaders"] * divisions > rules["size"]:
            raise ArgumentError(
                f"{option_name('playoffs')}: {divisions} divisions with leaders={rules['leaders']} "
                f"need a size of at least {rules['leaders'] * divisions}, not {rules['size']}."
            )
        flags = bool(rules["hosts"]), bool(rules["reseed"])
        return cls(rules["size"], rules["leaders"], rules["best_of"], *flags)

    def seeds(self, place: np.ndarray, division: np.ndarray | None) -> np.ndarray:
        """Who is seeded, best first, by final places from 0 on: (seasons, size)."""
        order = np.argsort(place, axis=1)
        if division is None:
            return order[:, : self.size]
        own, within = division[order], np.empty(order.shape, np.int64)
        for one in np.unique(division):
            here = own == one
            within[here] = (np.cumsum(here, axis=1) - 1)[here]
        first = np.argsort(within >= self.leaders, axis=1, kind="stable")
        return np.take_along_axis(order, first[:, : self.size], axis=1)

    def play(
        self,
        seeds: np.ndarray,
        chance: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
        random: np.random.Generator,
    ) -> list[np.ndarray]:
        """Winners of each round in each season: (seasons, number of winners).

        `chance(a, b, home)` is the probability that `a` beats `b` in a game, where `a` is at home
        (1), `b` is (-1) or neither (0).
        """
        alive, rounds = np.tile(_draw(self.size), (len(seeds), 1)), []
        while alive.shape[1] > 1:
            half = alive.shape[1] // 2
            if self.reseed:
                alive = np.sort(alive, axis=1)
                pair = alive[:, :half], alive[:, : half - 1 : -1]
            else:
                pair = alive[:, ::2], alive[:, 1::2]
            better, worse = np.minimum(*pair), np.maximum(*pair)
            bye = worse >= self.size
            one = np.take_along_axis(seeds, better, axis=1)
            other = np.take_along_axis(seeds, np.minimum(worse, self.size - 1), axis=1)
            most, others = (chance(one, other, side * self.hosts) for side in (1.0, -1.0))
            won = bye | (random.random(one.shape) < _series(most, others, self.best_of))
            alive = np.where(won, better, worse)
            rounds.append(np.where(won, one, other))
        return rounds

    def sentence(self, divisions: int) -> str:
        """Who takes part, and how it is played."""
        others = self.size - self.leaders * divisions
        who = f"the best {self.size} of the table"
        if divisions:
            each = "the leader" if self.leaders == 1 else f"the best {self.leaders}"
            wild = f" and {counted(others, 'wild card')}" if others else ""
            who = f"{each} of each of {divisions} divisions{wild}"
        series = f"series of up to {self.best_of} games, " if self.best_of > 1 else ""
        venue = "the better seed is at home" if self.hosts else "venues are neutral"
        draw = ", and each round is drawn anew by seeds" if self.reseed else ""
        return f"Playoffs: {who}; {series}{venue}{draw}."


def _draw(size: int) -> np.ndarray:
    """Seeds from 0 on in the order of the draw: the best two can meet in the final only."""
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return np.array(order)


def divisions_of(given: Any, league: Sequence[str]) -> dict[str, str]:
    """The division of each side, by name or from a sheet with two columns."""
    if not isinstance(given, Mapping):
        sheet = open_sheet(given)
        if len(sheet.columns) != 2:
            raise DataError(
                f"{sheet.name}: divisions need a sheet with two columns, names and divisions. "
                f"Columns found: {quoted(sheet.columns)}."
            )
        one, other = (sheet.texts(column).to_list() for column in sheet.columns)
        turned = len({*other} & {*league}) > len({*one} & {*league})
        given = dict(zip(other, one, strict=True) if turned else zip(one, other, strict=True))
    found = {str(name): str(own) for name, own in given.items() if own is not None}
    lacking = [name for name in league if not found.get(name)]
    if lacking:
        raise DataError(
            f"{option_name('divisions')}: no division for {quoted(lacking)}."
            f"{did_you_mean(lacking, found)} Name the division of each side of the season."
        )
    return {name: found[name] for name in league}
