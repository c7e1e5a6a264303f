"""Bayesian Elo scores of female chimpanzees, after Goffe, Fischer & Sennhenn-Reulen (2018).

Usage: python examples/chimpanzees.py contests.csv [presence.csv], with the data of Foerster et al.
(2016), doi:10.5061/dryad.r4g74, without the first 100 contests; without arguments, with the data of
Albers & de Vries (2001). Writes fig1.png (scores over time) and fig2.png (starting scores by
maximum likelihood and with partial pooling; k and σ).
"""

import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter

import matplotlib.pyplot as plt
import numpy as np

import peckorder as po

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("contests", nargs="?")
parser.add_argument("presence", nargs="?")
files = parser.parse_args()
if files.contests:
    data = po.read(files.contests, presence=files.presence)
    data = data.take(np.arange(100, len(data)))
else:
    data = po.datasets.adv().with_presence("inferred")
post = po.elo_bayes(data, seed=1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ml = po.elo_ml(data)
print(data, *(f"Warning from elo_ml: {warning.message}" for warning in caught), sep="\n")
chance = post.history["expected"].to_numpy()
print(f"Posterior means: k = {post.k:.3f}, sigma = {post.sigma:.2f}")
print(
    f"{np.mean(chance > 0.5):.1%} predicted correctly, Brier score {np.mean((1 - chance) ** 2):.3f}"
)

# Maximum likelihood estimates differences; those between components are unbounded.
inside = ml.table["component"].to_numpy() == ml.table["component"].mode()[0]
within = ml.table["individual"].to_numpy()[inside].tolist()

# Figure 1: one panel per individual, with 80% and 95% bands while present; in orange, maximum
# likelihood within the largest component, with the same mean.
panels = po.plot.trajectories(post, separate=True)
shift = np.mean([post[name] - ml[name] for name in within])
for panel in np.ravel(panels):
    name = panel.get_title(loc="left")
    if name in within:
        path = ml.trajectory(name)
        when = path["date" if "date" in path.columns else "contest"].to_numpy()
        panel.step(when, path["rating"].to_numpy() + shift, where="post", color="#d95f02", lw=0.8)
panels[0, 0].figure.savefig("fig1.png")

# Figure 2: starting scores by both estimates.
start = post.samples["start"][..., [post.individuals.index(i) for i in ml.table["individual"]]]
mean, free = start.mean(axis=(0, 1)), ml.table["start"].to_numpy()
free = free + mean[inside].mean() - free[inside].mean()
low, high = free[inside].min(), free[inside].max()
beyond = np.cumsum((free > high)[::-1])[::-1] - np.cumsum(free < low)  # steps beyond its limits
x = free.clip(low, high) + 0.12 * (high - low) * beyond
plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
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
left.set_xlabel(f"Starting score, maximum likelihood (k = {ml.k:.2f})")
left.set_ylabel("Starting score, posterior mean")
po.plot.posterior(post, part="parameters", ax=right)
left.legend(loc="lower right", frameon=False)
figure.savefig("fig2.png", dpi=150)
