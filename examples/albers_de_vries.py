"""Elo ratings of the contests in Figure 1 of Albers & de Vries (2001), by curve and by k.

Prints how the ranks and ratings depend on the win curve and on k, and writes albers_fig1.png.
"""

import peckorder as po

data = po.datasets.adv()
print(data)

for curve in ("table", "normal", "logistic", "exponential"):
    ratings = po.elo(data, k=200, curve=curve)
    print(f"{curve:>12}: " + ", ".join(f"{name} {rating:.0f}" for name, rating in ratings.items()))

for k in (20, 100, 200):
    ratings = po.elo(data, k=k, curve="table")
    print(f"k = {k:3}: b is {(ratings['b'] - 1000) / k:.2f} k above its starting rating")

# As in the paper, over the sequence of contests: the dates of this data set are invented.
figure_1 = po.plot.trajectories(po.elo(data, k=200, curve="table"), over="contest").figure
figure_1.savefig("albers_fig1.png")
