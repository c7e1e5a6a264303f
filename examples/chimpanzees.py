"""Chimpanzee females in the manner of Goffe, Fischer & Sennhenn-Reulen (2018): Bayesian Elo scores.

Usage: python examples/chimpanzees.py contests.csv presence.csv, with the data of Foerster et al.
(2016), Dryad, doi:10.5061/dryad.r4g74; the first 100 contests are left out. Without files it takes
the contests of Albers & de Vries (2001). Writes fig1.png, scores over time, and fig2.png, starting
scores by maximum likelihood and partially pooled, with the prior and posterior of k and σ.
"""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import gaussian_kde, halfnorm

import peckorder as po

match sys.argv[1:]:
    case []:
        data = po.datasets.adv().with_presence("inferred")
    case [contests, presence]:
        data = po.read(contests, presence=presence)
        data = data.take(np.arange(100, len(data)))
    case _:
        sys.exit("Usage: python examples/chimpanzees.py [contests.csv presence.csv]")

post = po.elo_bayes(data, seed=1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ml = po.elo_ml(data)
for warning in caught:
    print(f"Maximum likelihood: {warning.message}\n")
chance = post.history["expected"].to_numpy()
print(f"{data}\nk = {post.k['mean']:.3f}, sigma = {post.sigma['mean']:.2f} (posterior means)")
print(
    f"{np.mean(chance > 0.5):.1%} predicted correctly, Brier score {np.mean((1 - chance) ** 2):.3f}"
)

plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
BANDS = {"95": "#c6dbef", "80": "#6baed6"}

# Figure 1: scores move at contests and stand still between them, hence the steps.
courses = {}
for name, start, end in data.presence.to_table().sort("start", "individual").iter_rows():
    course = post.trajectory(name)
    dates = course["date"].to_numpy()
    come = max(np.datetime64(start), data.times[0])
    leave = min(np.datetime64(end) + 1, data.times[-1])
    times = np.array([come, *dates[(dates > come) & (dates < leave)], leave])
    courses[name] = times, course[np.searchsorted(dates, times, side="right") - 1]
columns = min(6, -(-len(courses) // 2))
rows = -(-len(courses) // columns)
figure, panels = plt.subplots(rows, columns, sharex=True, sharey=True, layout="constrained")
figure.set_size_inches(7.2, rows + 0.6)
for panel, (name, (times, course)) in zip(panels.flat, courses.items(), strict=False):
    for others, other in courses.values():
        panel.step(others, other["rating"], where="post", color="0.85", lw=0.5, zorder=0)
    for level, color in BANDS.items():
        band = course[f"rating_low{level}"], course[f"rating_high{level}"]
        panel.fill_between(times, *band, step="post", color=color, lw=0, label=f"{level} %")
    panel.step(times, course["rating"], where="post", color="#08306b", lw=1, label="mean")
    panel.set_title(name, loc="left", pad=2, fontsize=8)
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False)
figure.supylabel("Elo score", fontsize=8)
ticks = mdates.AutoDateLocator(minticks=2, maxticks=4)
panel.xaxis.set_major_locator(ticks)
panel.xaxis.set_major_formatter(mdates.ConciseDateFormatter(ticks, show_offset=False))
for place in range(len(courses), panels.size):
    panels.flat[place].remove()
    panels.flat[place - columns].tick_params(labelbottom=True)
figure.savefig("fig1.png", dpi=150)

# Figure 2: likelihood knows only differences, and only those in the largest component are finite.
order = [post.individuals.index(name) for name in ml.table["individual"]]
start = post.draws["start"].reshape(-1, len(order))[:, order]
mean, free = start.mean(axis=0), ml.table["start"].to_numpy()
inside = ml.table["component"].is_in(ml.table["component"].mode()).to_numpy()
free = free + mean[inside].mean() - free[inside].mean()
ends = free[inside].min() - 1, free[inside].max() + 1
free = free.clip(*ends)
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), layout="constrained")
left.plot(ends, ends, "--", color="0.6", lw=0.8, zorder=0)
for tail, width in {2.5: 0.8, 10: 2.2}.items():
    left.vlines(free, *np.percentile(start, [tail, 100 - tail], axis=0), BANDS["80"], lw=width)
points = left.scatter(free, mean, 14, ml.table["contests"], cmap="viridis_r", norm="log", zorder=3)
figure.colorbar(points, label="contests", ax=left)
for i in np.flatnonzero(~inside):
    side = 1 if free[i] == ends[1] else -1
    left.annotate(
        "", (free[i] + side, mean[i]), (free[i], mean[i]), arrowprops={"arrowstyle": "->"}
    )
    left.annotate(ml.table["individual"][int(i)], (free[i] - 0.3 * side, mean[i] + 0.2))
left.set(xlabel=f"start by maximum likelihood (k = {ml.k:.2f})", ylabel="start, posterior mean")
x = np.linspace(0, max(3, post.draws["sigma"].max()), 500)
right.plot(x, halfnorm.pdf(x), "--", color="0.4", label="prior of both")
for name, label, color in (("k", "k", "#d95f02"), ("sigma", "σ", "#1b9e77")):
    density = gaussian_kde(post.draws[name].ravel())  # reflected at 0, where both end
    right.fill_between(x, density(x) + density(-x), color=color, alpha=0.5, lw=0, label=label)
right.set(xlabel="k, σ", ylabel="density", xlim=(0, x[-1]), ylim=(0, None))
right.legend(frameon=False)
figure.savefig("fig2.png", dpi=150)
