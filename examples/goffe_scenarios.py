"""How quickly ratings recover a hierarchy, and its changes: Goffe et al. (2018), Figures 3 to 7.

Usage: python examples/goffe_scenarios.py [full]: without `full`, an eighth of the contests. All
ratings start equal, with one k. Writes goffe_fig3.png (many individuals, few contests),
goffe_fig4.png (low-ranking individuals are rarely observed, then adjacent ranks swap),
goffe_fig5.png (an immigrant becomes alpha), goffe_fig6.png (a subgroup moves to the top) and
goffe_fig7.png (the two highest-ranked die; errors are among the survivors).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import peckorder as po

shorter = 1 if sys.argv[1:] == ["full"] else 8
two = {"contests": (2000 // shorter,) * 2}
leap = {"contests": (1000 // shorter, 2000 // shorter)}
loss = {"contests": (1000 // shorter,) * 3, "shuffle_every": 50 // shorter}
few = [{"contests": number // shorter} for number in (250, 500, 1000, 1500)]
figures = {
    3: (po.simulate.high_dimensional, few),
    4: (po.simulate.unbalanced, [two]),
    5: (po.simulate.takeover, [two]),
    6: (po.simulate.coalitionary_leap, [leap]),
    7: (po.simulate.mortality, [loss]),
}
plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
colors = plt.get_cmap("viridis")


def draw(upper, lower, truth, data):
    """Plot ratings (above) and rank errors (below); return the errors to be printed."""
    ratings = po.elo(data, k=0.5, curve="exponential", delta=1, start=0)
    there = [name for name in truth.individuals if not np.isnan(truth[name])]
    first = truth.rank[0]
    for name, rank in zip(truth.individuals, first, strict=True):
        path = ratings.trajectory(name)
        x, y = path["contest"].to_list(), path["rating"].to_list()
        color = "red" if np.isnan(rank) else colors((rank - 1) / (np.nanmax(first) - 1))
        stay = name in there  # until the end
        upper.step(x + [len(data)] * stay, y + y[-1:] * stay, where="post", color=color, lw=0.7)
    every = 10 if shorter == 1 else 5
    found = po.simulate.rank_error(ratings, truth=truth, every=every, among=there).table
    lower.plot(found["contest"], found["mae"], color="#08306b", lw=0.9)
    for panel in (upper, lower):
        panel.set_xlim(0, len(data))
        for change in truth.begin[1:]:
            panel.axvline(change, color="0.7", ls="--", lw=0.6, zorder=0)
    upper.tick_params(labelbottom=False)
    lower.set_xlabel("contest")
    if len(truth.begin) == 1:
        return {f"after {found['contest'][-1]:,} contests": found["mae"][-1]}
    last = int(found["contest"].search_sorted(truth.begin[1], side="right")) - 1
    places = {"before the change": last, "right after": last + 1, "at the end": -1}
    return {when: found["mae"][place] for when, place in places.items()}


for number, (scenario, cases) in figures.items():
    side = len(cases) // 2 or 1  # four cases in two rows, two runs each
    figure, panels = plt.subplots(
        2 * side,
        2 * side,
        sharey="row",
        height_ratios=[2, 1] * side,
        figsize=(7.2, 3.2 * side),
        layout="constrained",
    )
    errors = {}
    for i in range(2 * len(cases)):
        row, column = 2 * (i // (2 * side)), i % (2 * side)
        truth, data = scenario(**cases[i // 2], seed=i)
        for when, error in draw(*panels[row : row + 2, column], truth, data).items():
            errors.setdefault(when, []).append(f"{error:.2f}")
        panels[row, column].set_title(f"{len(data):,} contests, run {i % 2 + 1}", size=8)
    for upper, lower in panels[:, 0].reshape(side, 2):
        upper.set_ylabel("Elo rating")
        lower.set(ylabel="Ranks MAE", ylim=(0, None))
    scale = plt.cm.ScalarMappable(plt.Normalize(1, np.nanmax(truth.rank[0])), colors)
    label = "initial true rank" + (" (red: immigrant)" if "immigrant" in data.individuals else "")
    figure.colorbar(scale, ax=panels, label=label, aspect=40).ax.invert_yaxis()
    listed = ", ".join(f"{' and '.join(pair)} {when}" for when, pair in errors.items())
    print(f"Figure {number}, {scenario.__name__}: Ranks MAE of two runs {listed}")
    figure.savefig(f"goffe_fig{number}.png", dpi=150)
