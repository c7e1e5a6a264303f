"""Figures 1 and 2 of de Vries, Stevens & Vervaecke (2006): steepness as the slope of a line.

Writes steepness_fig1.png (the bonobos, by P_ij and D_ij, each with its randomization test) and
steepness_fig2.png (five individuals that always beat all below them: the steepest hierarchy).
"""

import matplotlib.pyplot as plt
import numpy as np

import peckorder as po

plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
bonobos = po.datasets.bonobos()
figure, axes = plt.subplots(2, 2, figsize=(6.9, 5.4), layout="constrained")
for column, index in zip(axes.T, ("pij", "dij"), strict=True):
    found = po.steepness(bonobos, index=index, seed=1)
    print(
        f"Bonobos by {index}: NormDS = {found.intercept:.2f} - {found.value:.3f} rank, "
        f"{found.expected:.3f} expected by chance, p = {found.p:.2g}"
    )
    for panel, part in zip(column, ("scores", "null"), strict=True):
        po.plot.steepness(found, part=part, ax=panel)
    column[0].set_title(f"${index[0].upper()}_{{ij}}$")
figure.savefig("steepness_fig1.png", dpi=150)

# Figure 2: the matrix as printed, and the line of its normalized David's scores.
linear = po.Matrix(tuple("ABCDE"), np.triu(np.full((5, 5), 2), 1))
found = po.steepness(linear, index="pij", seed=1)
print(f"Fully linear by pij: NormDS = {found.intercept:.2f} - {found.value:.3f} rank")
figure, (left, right) = plt.subplots(1, 2, figsize=(6.9, 2.8), layout="constrained")
cells = [
    ["–" if i == j else str(wins) for j, wins in enumerate(row)]
    for i, row in enumerate(linear.wins)
]
left.axis("off")
left.table(cells, rowLabels=linear.individuals, colLabels=linear.individuals, loc="center").scale(
    0.8, 1.5
)
left.set_title("Wins (rows) against (columns)")
po.plot.steepness(found, part="scores", ax=right)
figure.savefig("steepness_fig2.png", dpi=150)
