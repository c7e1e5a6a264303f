"""Chapter 5 of Langville & Meyer (2012), Who's #1?: Elo ratings of the NFL season 2009–10.

Usage: python examples/nfl.py nfl_games.csv, the file of github.com/fivethirtyeight/nfl-elo-game, or
one of these 267 games with columns date, home, away, home_score, away_score and neutral.
Writes nfl.png (three teams in pairs) and prints where a count differs from the book.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import combinations

import matplotlib.pyplot as plt

import peckorder as po

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("games", nargs="?")
games = parser.parse_args().games
if games is None:
    sys.exit(print(__doc__))
data = po.papers.contests("langville2012", games)

nfl = {"scale": 1000, "start": 0}
late, playoffs = "2009-12-24", "2010-01-09"  # from week 16, and after the regular season
variable = {late: 16, playoffs: 64}
raters = {
    "(5.6) wins, K = 32": po.elo(data, k=32, **nfl),
    "(5.8) scores, K = 32": po.elo(data, k=32, outcome="points", **nfl),
    "(5.9) scores, variable K": po.elo(data, k=32, k_periods=variable, outcome="points", **nfl),
}
for (name, ratings), home in zip(raters.items(), (15, 15, 9.5), strict=True):
    top = ", ".join(f"{team} {rating:.5g}" for team, rating in list(ratings.items())[:5])
    ahead = po.evaluate(ratings, home_advantage=home).foresight
    after = po.evaluate(ratings, home_advantage=15 if "(5.8)" in name else 0).hindsight
    print(f"{name}: {top}, …")
    print(f"  hindsight {after['correct']} of 267, foresight {ahead['correct']} (H = {home:g})")

wins, _, by_score = raters.values()
line = po.sport.win_share(wins, until="2010-01-03")  # the regular season
print(
    f"Win share = {line.intercept:.4g} + {line.slope:.5g} × rating, R = {line.correlation:.5f}, "
    f"MAD {line.mad:.6f}, MSE {line.mse:.5f}"
)
teams = ["SAINTS", "COLTS", "VIKINGS"]
course = po.sport.areas(by_score, individuals=teams)
areas = ", ".join(f"{row['individual']} {row['area']:.1f}" for row in course.table.to_dicts())
print(f"Area under the ratings: {areas}")
print(*course.summary[1:], sep="\n")

print("\nDifference from the book (which finds no home advantage best in hindsight, 194 games):")
for home in (0, 17):
    found = po.evaluate(by_score, home_advantage=home).hindsight["correct"]
    print(f"  H = {home:2}: {found} games")

plt.rcParams |= {"font.size": 7, "axes.spines.top": False, "axes.spines.right": False}
figure, panels = plt.subplots(1, 3, sharey=True, figsize=(6.9, 2.4), layout="constrained")
for panel, pair in zip(panels, combinations(teams, 2), strict=True):
    po.plot.trajectories(by_score, individuals=pair, ax=panel)
    panel.label_outer()
figure.savefig("nfl.png", dpi=200)
