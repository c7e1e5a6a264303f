"""Elo ratings averaged over random orders of the contests that share a time stamp.

Which of the contests of a day came first is often not recorded. Each of `ORDERS` random orders
within the stamps is rated, and the results are averaged:

- ratings at a time are means over the orders; all contests up to that time are included in each.
- the prediction of a contest is the mean of its predictions over the orders, in which it comes at
  different places among the contests of its stamp.
- the history shows the mean change of both ratings by each contest. Within a stamp these changes
  are added up in the order of the file; at its end they give the mean rating.

The orders are drawn with a fixed seed from contests sorted within each stamp by who met whom until
then, and by who won. Where the record does not distinguish two individuals so far, each order is
also used with the two exchanged. So neither the order of the rows nor names matter. Each order is
also used in reverse, which makes the error of the means several times smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np

from peckorder.data.effects import advantages
from peckorder.data.same_time import random_order, stamp_numbers
from peckorder.random_runs import in_threads
from peckorder.ratings.replay import EloReplay
from peckorder.ratings.settings import EloSettings
from peckorder.results.chances import Chances

ORDERS = 100
ROUNDS = 3  # opponents, their opponents, and so on, by which individuals are told apart
BLOCK = 10  # orders per sum: sums do not depend on the number of threads
MANY_CONTESTS = 20_000  # from which threads are worth it


def outlines(data: Any, stamp: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers that tell the contests of a stamp apart, without names; the last counts most.

    They are sums over the contests of an individual up to the stamp: of numbers that stand for
    stamps, then of numbers that stand for the stamp and the sum of the opponent, and so on.
    Exchanging wins and losses leaves them as they are.
    """
    size = len(data)
    who, when = np.concatenate([data.winner, data.loser]), np.concatenate([stamp, stamp])
    order = np.lexsort((when, who))
    own, then = who[order], when[order]
    fresh = np.append(True, own[1:] != own[:-1])
    begin = np.maximum.accumulate(np.where(fresh, np.arange(2 * size), 0))
    ends = np.flatnonzero(np.append(fresh[1:] | (then[1:] != then[:-1]), True))
    end = ends[np.searchsorted(ends, np.arange(2 * size))]

    def so_far(value: np.ndarray) -> np.ndarray:
        total, out = np.cumsum(value[order]), np.empty_like(value)
        out[order] = total[end] - (total - value[order])[begin]
        return out

    date = scattered(when.astype(np.uint64))
    known = so_far(date)
    for _ in range(ROUNDS):
        known = so_far(scattered(date + np.roll(known, size)))
    decided = 1 if data.draw is None else np.tile(~data.draw, 2)
    won = so_far(np.repeat([1, -1], size) * decided * (date >> np.uint64(24)).astype(np.int64))
    sides = known[:size], known[size:]
    return won[:size] - won[size:], np.minimum(*sides), np.maximum(*sides)


def scattered(number: np.ndarray) -> np.ndarray:
    """Numbers of 64 bits that look random and stand for others (the mixing of SplitMix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


class AveragedReplay:
    """A rating that is run again in every order and averaged, with the methods of `EloReplay`."""

    def __init__(self, rated: EloReplay):
        self.rated, self.data, self.settings = rated, rated.data, rated.settings
        self.stamp = stamp_numbers(self.data.times)
        self.sorted = self._sorted()

    def _sorted(self) -> list[np.ndarray]:
        """Contests sorted within their stamps by all that the recursion uses of them.

        Names decide last: once in ascending, once in descending order.
        """
        size, alike = len(self.data), self.rated
        if self.settings.burn_in is not None:  # is for the first contests, whichever they are
            alike = alike.again(replace(self.settings, burn_in=None))
        name = np.argsort(np.argsort(np.array(self.data.individuals)))
        score, k, advantage = (
            np.broadcast_to(array, (size, *array.shape[1:])) for array in alike.arrays
        )
        winner, loser = name[self.data.winner], name[self.data.loser]
        used = advantage, k[:, 1], k[:, 0], score
        keys = *used, *outlines(self.data, self.stamp), self.stamp
        return [np.lexsort((by * loser, by * winner, *keys)) for by in (1, -1)]

    @property
    def advantage(self) -> np.ndarray:
        """Home advantage of the winner of each contest (a single entry applies to all)."""
        return self.rated.advantage

    def again(self, settings: EloSettings) -> AveragedReplay:
        """The same contests with other numeric settings; seasons and periods are unchanged."""
        return AveragedReplay(self.rated.again(settings))

    def _order(self, number: int) -> np.ndarray:
        order = random_order(self.stamp, number // 4)
        if number % 2:
            order = order[::-1][np.argsort(self.stamp[order[::-1]], kind="stable")]
        return self.sorted[number // 2 % 2][order]

    def _mean(
        self, results: Callable[[EloReplay, np.ndarray], tuple[np.ndarray, ...]]
    ) -> tuple[np.ndarray, ...]:
        """Means over the orders of what `results` computes from the rating in one order."""
        sums: list[tuple[np.ndarray, ...]] = [()] * (ORDERS // BLOCK)

        def work(begin: int, end: int) -> None:
            for number in range(begin, end):
                order = self._order(number)
                found = results(self.rated.reordered(order), order)
                so_far = sums[begin // BLOCK]
                sums[begin // BLOCK] = tuple(map(add, so_far, found)) if so_far else found

        threads = 1 if len(self.data) < MANY_CONTESTS else None
        in_threads(work, ORDERS, block=BLOCK, threads=threads)
        return tuple(reduce(add, parts) / ORDERS for parts in zip(*sums, strict=True))

    def finals(self) -> np.ndarray:
        """Ratings after the last contest in each order, (orders, individuals)."""
        return np.array([self.rated.reordered(self._order(i)).final() for i in range(ORDERS)])

    def onward(self, newcomers: tuple[str, ...] = (), seasons: int = 0) -> np.ndarray:
        """Ratings before the next contest, if some seasons begin and newcomers arrive."""
        return self._mean(lambda one, order: (one.onward(newcomers, seasons).rating,))[0]

    def final(self) -> np.ndarray:
        """Mean ratings after the last contest; NaN for individuals that arrived later."""
        return self.finals().mean(axis=0)

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Mean ratings of some individuals at times in ascending order, (times, who)."""
        return self._mean(lambda one, _: (one.at(times, who),))[0]

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean prediction of each contest, and mean changes added up in the order of the file."""
        expected, opening, change, _ = self._changes
        # Sum of the earlier changes of the same individual within the stamp.
        own = self._own_stamps().ravel()
        by_own = np.argsort(own, kind="stable")
        flat = change.ravel()[by_own]
        total = np.cumsum(flat)
        first = np.concatenate([[True], own[by_own][1:] != own[by_own][:-1]])
        base = (total - flat)[first][np.cumsum(first) - 1]
        before = np.empty(flat.size)
        before[by_own] = total - flat - base
        before = opening + before.reshape(change.shape)
        return expected, before, before + change

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings before the first and after each contest; see `history` within a stamp."""
        who = np.asarray(who, np.int64)
        size = len(self.data)
        begins = np.flatnonzero(np.diff(self.stamp, prepend=-1))
        ends = np.append(begins[1:], size)
        opening, closing = self._mean(
            lambda one, _: (
                one.snapshots(begins, np.full(len(begins), np.inf), who),
                one.snapshots(np.append(0, ends), np.full(len(ends) + 1, -np.inf), who),
            )
        )
        change = self._changes[2]
        moved = np.zeros((size, len(who)))
        for j, code in enumerate(who):
            for side, codes in enumerate((self.data.winner, self.data.loser)):
                own = codes == code
                moved[own, j] += change[own, side]
        path = np.cumsum(moved, axis=0)
        path -= (path[begins] - moved[begins])[self.stamp]
        out = np.vstack([closing[:1], opening[self.stamp] + path])
        out[ends] = closing[1:]
        # Without a contest, ratings are equal exactly, not up to rounding errors.
        still = (moved == 0) & np.isclose(out[1:], out[:-1], rtol=0, atol=1e-9)
        last = np.where(still, 0, np.arange(1, size + 1)[:, None])
        out[1:] = np.take_along_axis(out, np.maximum.accumulate(last, axis=0), axis=0)
        return out

    def _own_stamps(self) -> np.ndarray:
        """A number for each individual in each stamp, by contest and side."""
        sides = np.column_stack([self.data.winner, self.data.loser]).astype(np.int64)
        return self.stamp[:, None] * len(self.data.individuals) + sides

    @cached_property
    def _changes(self) -> tuple[np.ndarray, ...]:
        """Means over orders: prediction, rating at the start of the stamp, change, difference."""
        _, own = np.unique(self._own_stamps(), return_inverse=True)
        own = own.reshape(len(self.data), 2)

        def one_order(one: EloReplay, order: np.ndarray) -> tuple[np.ndarray, ...]:
            expected, before, after = one.history()
            start = np.empty(own.max() + 1)
            start[own[order].ravel()[::-1]] = before.ravel()[::-1]  # the first one remains
            back = np.argsort(order)
            ahead = before[:, 0] - before[:, 1]
            return expected[back], start[own], (after - before)[back], ahead[back]

        return self._mean(one_order)

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Mean predictions of each contest from the ratings before it in each order."""
        if home_advantage is None:
            expected, _, _, ahead = self._changes
            return Chances.decided(expected, ahead + self.advantage)
        own = np.broadcast_to(advantages(home_advantage, self.data), len(self.data))

        def one_order(one: EloReplay, order: np.ndarray) -> tuple[np.ndarray, ...]:
            before = one.history()[1]
            ahead = before[:, 0] - before[:, 1] + own[order]
            back = np.argsort(order)
            return np.asarray(self.settings.curve(ahead))[back], ahead[back]

        return Chances.decided(*self._mean(one_order))

    def foresight_sums(self, first: int, least: float) -> np.ndarray:
        """Sums of the scores of predictions, as in `EloReplay`."""
        chances = self.foresight()
        win = np.clip(chances.win[first:], least, 1 - least)
        score = np.broadcast_to(self.rated.arrays[0], len(self.data))[first:]
        loss = -(score * np.log(win) + (1 - score) * np.log1p(-win))
        decided = score != 0.5
        correct = (chances.ahead[first:] > 0) & decided
        return np.array([loss.sum(), ((score - win) ** 2).sum(), correct.sum(), decided.sum()])
