"""Small leagues and hierarchies with a known truth, for the tests of evaluation."""

import math
import random

import peckorder as po


def league(
    seed: int,
    *,
    teams: int = 6,
    games: int = 120,
    k: float = 0.0,
    spread: float = 150.0,
    home: float = 0.0,
    draws: float = 0.0,
    seasons: int = 1,
) -> po.Contests:
    """Games between random pairs, won by the logistic curve of ratings updated with k."""
    dice = random.Random(seed)
    rating = [dice.gauss(1000, spread) if spread else 1000.0 for _ in range(teams)]
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": [], "season": [], "stage": []}
    for j in range(games):
        a, b = dice.sample(range(teams), 2)
        p = 1 / (1 + 10 ** (-(rating[a] - rating[b] + home) / 400))
        plain = 1 / (1 + 10 ** (-(rating[a] - rating[b]) / 400))
        odds = draws * math.sqrt(p * (1 - p))
        u = dice.random() * (1 + odds)
        won = 1.0 if u < p else 0.5 if u < p + odds else 0.0
        rating[a] += k * (won - plain)
        rating[b] -= k * (won - plain)
        low = dice.randint(0, 2)
        high = low + dice.randint(1, 3)
        goals = {1.0: (high, low), 0.5: (low, low), 0.0: (low, high)}[won]
        cells = f"t{a}", f"t{b}", *goals, str(2001 + j * seasons // games), "abc"[j % 3]
        for column, cell in zip(rows.values(), cells, strict=True):
            column.append(cell)
    return po.read(rows, context="stage")


def plain_foresight(data, k, scale=400.0, home=0.0, start=1000.0, points=False):
    """Probability and lead of each winner before its contest, by a plain loop."""
    rating = dict.fromkeys(data.individuals, start)
    out = []
    for j in range(len(data)):
        winner, loser = data.individuals[data.winner[j]], data.individuals[data.loser[j]]
        ahead = rating[winner] - rating[loser]
        bonus = home * (0 if data.home is None else int(data.home[j]))
        p = 1 / (1 + 10 ** (-(ahead + bonus) / scale))
        score = 0.5 if data.draw is not None and data.draw[j] else 1.0
        if points:
            own, other = data.points[j]
            score = (own + 1) / (own + other + 2)
        change = k * (score - 1 / (1 + 10 ** (-ahead / scale)))
        rating[winner] += change
        rating[loser] -= change
        out.append((p, ahead + bonus, score))
    return out, rating
