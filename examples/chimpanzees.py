"""Chimpanzee females in the manner of Goffe, Fischer & Sennhenn-Reulen (2018): Bayesian Elo scores.

Usage: python examples/chimpanzees.py contests.csv presence.csv, with the data of Foerster et al.
(2016), doi:10.5061/dryad.r4g74, without the first 100; else with those of Albers & de Vries (2001).
Writes fig1.png (scores over time) and fig2.png (starts by likelihood and pooled; k and σ).
"""

import sys
import warnings

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import gaussian_kde, halfnorm

import peckorder as po

if len(sys.argv) > 1:
    data = po.read(sys.argv[1], presence=sys.argv[2])
    data = data.take(np.arange(100, len(data)))
else:
    data = po.datasets.adv().with_presence("inferred")
post = po.elo_bayes(data, seed=1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ml = po.elo_ml(data)
print(data, *(f"elo_ml warns: {warning.message}" for warning in caught), sep="\n")
chance = post.history["expected"].to_numpy()
print(f"Posterior means: k = {post.k['mean']:.3f}, sigma = {post.sigma['mean']:.2f}")
print(f"{np.mean(chance > 0.5):.1%} predicted correctly, Brier {np.mean((1 - chance) ** 2):.3f}")
plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}

# Figure 1: scores while present; they stand still between contests, hence the steps.
stints = data.presence.to_table().sort("start", "individual")
columns = min(6, -(-len(stints) // 2))
rows = -(-len(stints) // columns)
figure, panels = plt.subplots(rows, columns, sharex=True, sharey=True, layout="constrained")
figure.set_size_inches(7.2, rows + 0.6)
for panel, (name, start, end) in zip(panels.flat, stints.iter_rows(), strict=False):
    course = post.trajectory(name)
    dates = course["date"].to_numpy()
    come, leave = max(np.datetime64(start), data.times[0]), np.datetime64(end) + 1
    times = np.array([come, *dates[dates > come], min(leave, data.times[-1])])
    course = course[np.searchsorted(dates, times, side="right") - 1]
    for other in panels.flat:
        other.step(times, course["rating"], where="post", color="0.85", lw=0.5, zorder=0)
    for level, color in (95, "#c6dbef"), (80, "#6baed6"):
        band = course[f"rating_low{level}"], course[f"rating_high{level}"]
        panel.fill_between(times, *band, step="post", color=color, lw=0, label=f"{level}%")
    panel.step(times, course["rating"], where="post", color="#08306b", lw=1, label="posterior mean")
    panel.set_title(name, loc="left", pad=2, size=8)
ticks = mdates.AutoDateLocator(minticks=2, maxticks=4)
panel.xaxis.set_major_locator(ticks)
panel.xaxis.set_major_formatter(mdates.ConciseDateFormatter(ticks, show_offset=False))
for unused, above in zip(panels.flat[len(stints) :], panels[-2, ::-1], strict=False):
    unused.remove()
    above.tick_params(labelbottom=True)
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False)
figure.supylabel("Elo score", size=8)
figure.savefig("fig1.png", dpi=150)

# Figure 2: likelihood gives differences; those to the largest component are without bound.
start = post.draws["start"][..., [post.individuals.index(i) for i in ml.table["individual"]]]
mean, free = start.mean(axis=(0, 1)), ml.table["start"].to_numpy()
inside = ml.table["component"].to_numpy() == ml.table["component"].mode()[0]
free = free + mean[inside].mean() - free[inside].mean()
low, high = free[inside].min(), free[inside].max()
beyond = np.cumsum((free > high)[::-1])[::-1] - np.cumsum(free < low)  # places off its edges
x = free.clip(low, high) + 0.12 * (high - low) * beyond
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), layout="constrained")
left.plot([low, high], [low, high], "--", color="0.4", lw=0.8, zorder=0, label="equal")
for tail, width in (0.1, 2.5), (0.025, 0.8):
    bottom, top = np.quantile(start, [tail, 1 - tail], axis=(0, 1))
    left.vlines(x, bottom, top, "#6baed6", lw=width, label=f"{1 - 2 * tail:.0%}", zorder=1)
left.plot(x, mean, "o", color="#08306b", ms=3)
left.set(xmargin=0.1, xticks=[tick for tick in left.get_xticks() if low <= tick <= high])
for i in np.flatnonzero(beyond):
    label = ("{} →" if beyond[i] > 0 else "← {}").format(ml.table["individual"][int(i)])
    left.annotate(label, (x[i], top[i]), (0, 2), textcoords="offset points", ha="center")
left.set(xlabel=f"start, maximum likelihood (k = {ml.k:.2f})", ylabel="start, posterior mean")
x = np.linspace(0, max(3, post.draws["k"].max(), post.draws["sigma"].max()), 500)
right.plot(x, halfnorm.pdf(x), "--", color="0.4", label="prior of both")
for name, label, color in ("k", "k", "#d95f02"), ("sigma", "σ", "#1b9e77"):
    density = gaussian_kde(post.draws[name].ravel())  # reflected at 0, where both end
    right.fill_between(x, density(x) + density(-x), color=color, alpha=0.5, lw=0, label=label)
right.set(xlabel="k, σ", ylabel="density", xlim=(0, x[-1]), ylim=(0, None))
left.legend(loc="lower right", frameon=False)
right.legend(frameon=False)
figure.savefig("fig2.png", dpi=150)
