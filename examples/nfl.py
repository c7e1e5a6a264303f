"""Chapter 5 of Langville & Meyer (2012), Who's #1?: Elo ratings of the NFL season 2009–10.

Usage: python examples/nfl.py nfl2009.csv, with columns date, week, playoff, home, away, home_score,
away_score and neutral (267 games, such as those of github.com/fivethirtyeight/nfl-elo-game).
Writes nfl.png (three teams in pairs) and prints where a count differs from the book.
"""

import sys
from itertools import combinations

import matplotlib.pyplot as plt
import polars as pl

import peckorder as po

if len(sys.argv) < 2:
    sys.exit(print(__doc__))
late, playoff = pl.col("week") >= 16, pl.col("playoff") == 1
stage = pl.when(playoff).then(pl.lit("playoff")).when(late).then(pl.lit("late"))
games = pl.read_csv(sys.argv[1]).with_columns(stage.otherwise(pl.lit("usual")).alias("stage"))
data = po.read(games, context="stage")

nfl = {"scale": 1000, "start": 0}
variable = {"usual": 32, "late": 16, "playoff": 64}
raters = {
    "(5.6) wins, K = 32": po.elo(data, k=32, **nfl),
    "(5.8) scores, K = 32": po.elo(data, k=32, outcome="points", **nfl),
    "(5.9) scores, variable K": po.elo(data, k=variable, outcome="points", **nfl),
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
