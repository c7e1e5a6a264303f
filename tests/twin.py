"""The Elo recursion written down a second time, from the formulas alone; slow and plain."""

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from statistics import fmean

# The largest whole difference with a chance of 0.50, 0.51, ..., 0.99 (Albers & de Vries).
# fmt: off
TABLE = [3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145,
         153, 162, 170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315,
         328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559, 619, 735]
# fmt: on


@dataclass
class Contest:
    winner: str
    loser: str
    time: float = 0.0
    draw: bool = False
    points: tuple[float, float] | None = None  # the winner's, the loser's
    k: tuple[float, float] | float = 100.0  # the winner's, the loser's; or one for both
    home: int = 0  # +1 the winner is at home, -1 the loser, 0 neither
    season: str | None = None
    period: object = None


@dataclass
class Stint:
    name: str
    start: float  # both ends inclusive, in the units of Contest.time
    end: float


def win_chance(difference: float, curve: str, parameter: float | None = None) -> float:
    """The chance that the side whose rating is higher by `difference` wins."""
    if curve == "table":
        size = abs(difference)
        whole = math.floor(size) + (size - math.floor(size) >= 0.5)  # half up
        percent = 50 + bisect_left(TABLE, whole)
        return (percent if difference >= 0 else 100 - percent) / 100
    if curve == "normal":
        sd = 200 * math.sqrt(2) if parameter is None else parameter
        return 0.5 * math.erfc(-difference / sd / math.sqrt(2))
    if curve == "logistic":
        odds = 10 ** (-abs(difference) / (400 if parameter is None else parameter))
    elif curve == "exponential":
        odds = math.exp(-abs(difference) * (0.01 if parameter is None else parameter))
    else:
        raise ValueError(f"unknown curve {curve!r}")
    return (1 if difference >= 0 else odds) / (1 + odds)  # odds <= 1: nothing overflows


def score(contest: Contest, outcome: str) -> float:
    """The winner's score S, between 0 and 1."""
    if outcome == "points":
        if contest.points is None:
            raise ValueError("a contest without points")
        won, lost = contest.points
        return (won + 1) / (won + lost + 2)
    return 0.5 if contest.draw else 1.0


def rate(
    contests: list[Contest],
    *,
    start: float | dict[str, float] = 1000.0,
    curve: str = "logistic",
    parameter: float | None = None,
    entry: str = "start",
    stints: list[Stint] | None = None,
    entry_from: str = "present",
    rounded: bool = False,
    outcome: str = "win",
    home_advantage: float = 0.0,
    home_in_update: bool = False,
    carry_over: float | None = None,
    batch: bool = False,
    fide: tuple[float, float, float] | None = None,
) -> tuple[dict[str, float], list[dict[str, float]]]:
    """The final ratings, and what happened in each contest."""
    if entry not in ("start", "mean", "bottom", "bottom_low") or entry_from not in (
        "present",
        "seen",
    ):
        raise ValueError(f"unknown entry {entry!r} or entry_from {entry_from!r}")
    ratings: dict[str, float] = {}  # of everybody rated so far, leavers included
    stays: Counter[str] = Counter()  # how many of its stints are open; present if any
    opening: dict[str, float] = {}  # the ratings at the start of the period
    fought: Counter[str] = Counter()  # how many contests are behind it
    masters: set[str] = set()  # those who hold the third k of fide for ever
    history: list[dict[str, float]] = []
    if not contests:
        return ratings, history

    def start_value(name: str) -> float:
        return float(start[name] if isinstance(start, dict) else start)

    def present() -> list[str]:
        return [name for name in ratings if stays[name] > 0]

    def counted() -> list[str]:
        return present() if entry_from == "present" else list(ratings)

    def lowest() -> float:
        return min(ratings[name] for name in counted())

    def entry_value(name: str) -> float:
        if entry == "start" or not counted():
            return start_value(name)
        if entry == "mean":
            mean = fmean(ratings[one] for one in counted())
            return float(round(mean)) if rounded else mean
        return lowest()

    def own_k(name: str, before: float, k: tuple[float, float, float]) -> float:
        if before >= 2400:
            masters.add(name)
        if fought[name] < 30:
            return k[0]
        return k[2] if name in masters else k[1]

    if stints is None:
        names = {name for contest in contests for name in (contest.winner, contest.loser)}
        stints = [Stint(name, -math.inf, math.inf) for name in sorted(names)]
    first = contests[0].time
    for stint in stints:
        if stint.start <= first:
            ratings[stint.name] = start_value(stint.name)
            stays[stint.name] += stint.end >= first
    # Comings (0) sort before goings (1) at the same time.
    moves = [(stint.start, 0, stint.name) for stint in stints if stint.start > first]
    moves += [(stint.end, 1, stint.name) for stint in stints if stint.end >= first]
    moves.sort(key=lambda move: move[:2])

    since: set[str] = set()  # with a contest since the last carry-over
    for number, contest in enumerate(contests):
        last = contests[number - 1] if number else None
        if carry_over is not None and last is not None and contest.season != last.season:
            middle = fmean(ratings[name] for name in present())
            for name in since:  # not before a first contest, and after a pause once
                ratings[name] = middle + carry_over * (ratings[name] - middle)
            since.clear()

        while moves and (moves[0][0], moves[0][1]) <= (contest.time, 0):
            _, going, name = moves.pop(0)
            if not going and name not in ratings:
                ratings[name] = entry_value(name)
            stays[name] += -1 if going else 1

        if not batch or last is None or contest.period != last.period:
            opening = {}
        opening = ratings | opening  # somebody new within a period opens at the entry value

        winner, loser = contest.winner, contest.loser
        if not (stays[winner] > 0 and stays[loser] > 0):
            raise ValueError(f"contest {number}: {winner} or {loser} is not present")
        before_w, before_l = opening[winner], opening[loser]
        difference = before_w - before_l
        expected = win_chance(difference + home_advantage * contest.home, curve, parameter)
        chance = expected if home_in_update else win_chance(difference, curve, parameter)
        surprise = score(contest, outcome) - chance
        if fide is not None:
            k_w, k_l = own_k(winner, before_w, fide), own_k(loser, before_l, fide)
        else:
            k_w, k_l = contest.k if isinstance(contest.k, tuple) else (contest.k, contest.k)

        floor = lowest()
        ratings[winner] += k_w * surprise
        ratings[loser] -= k_l * surprise
        if rounded:
            ratings[winner] = float(round(ratings[winner]))
            ratings[loser] = float(round(ratings[loser]))
        fought.update((winner, loser))
        since |= {winner, loser}
        if entry == "bottom_low" or (entry == "bottom" and number > 0):
            new_floor = lowest()  # never above the old floor while a bystander stands on that
            for name in set(counted()) - {winner, loser}:
                if ratings[name] == (floor if number > 0 else start_value(name)):
                    ratings[name] = new_floor

        before = {"winner_before": before_w, "loser_before": before_l}
        after = {"winner_after": ratings[winner], "loser_after": ratings[loser]}
        history.append({"expected": expected} | before | after)
    return ratings, history
