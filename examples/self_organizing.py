"""Self-organizing hierarchies: Albers & de Vries (2001), Table 1 and Figure 2.

Usage: python examples/self_organizing.py [full]: without `full`, fewer runs and contests. All
individuals start equal, and outcomes follow the ratings. Writes self_organizing.png (dominances and
subordinations by rank, and linearity by number of contests).
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr

import peckorder as po

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("size", nargs="?", choices=["full"])
full = parser.parse_args().size == "full"
printed = {20: (1322, 1.00, 0.85), 100: (3758, 0.99, 0.87), 200: (5592, 1.00, 0.91)}

# Table 1: the same sequence of pairs for each k; the paper shows one run of each. It names 3,000
# contests per dyad (for Figure 2), which give far wider ranges; 260 were chosen to fit them.
per_dyad = 260
pairs = po.simulate.self_organizing(13, per_dyad, seed=1)
runs = 200 if full else 5
made = {
    k: po.simulate.self_organizing(13, per_dyad, k=k, schedule=pairs, runs=runs, seed=2)
    for k in printed
}


def with_isi(found, k, run):
    """Spearman correlation between the ratings of a run and its I&SI order."""
    data = found.record(run)
    ratings, order = po.elo(data, k=k, curve="table"), po.isi(data)
    return spearmanr([-ratings[name] for name in order], range(len(order))).statistic


columns = [np.sort(found.samples["ratings"][0])[::-1] for found in made.values()]
print(f"Final ratings of one run, {per_dyad} contests per dyad:")
print("rank " + "".join(f"{f'k = {k}':>9}" for k in printed))
for rank, ratings in enumerate(zip(*columns, strict=True), start=1):
    print(f"{rank:4} " + "".join(f"{rating:9.0f}" for rating in ratings))
print(f"\nThis run; {runs} runs with the same pairs; paper:")
for k, found in made.items():
    spread, h, rho = printed[k]
    each = [with_isi(found, k, run) for run in range(min(runs, 20))]
    print(
        f"k = {k:3}: range {np.ptp(found.samples['ratings'][0]):.0f}; mean {found.range:.0f} "
        f"(sd {found.range_sd:.0f}); {spread}"
    )
    linear = found.samples["h"][0, -1]
    print(f"         Landau's h {linear:.2f}; median {found.h_median:.2f}; {h:.2f}")
    print(
        f"         Spearman with I&SI {each[0]:.2f}; median of {len(each)} runs "
        f"{np.median(each):.2f}; {rho:.2f}"
    )

# Figure 2, for each k, and linearity by number of contests.
plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
figure, panels = plt.subplots(2, 2, figsize=(7.2, 5), layout="constrained")
last = panels[1, 1]
runs, contests = (20, 3000) if full else (5, 60)
print(f"\n{runs} runs with {contests} contests per dyad: shares of dominances by final rank")
for k, panel, color in zip(printed, panels.flat, ("#7570b3", "#1b9e77", "#d95f02"), strict=False):
    found = po.simulate.self_organizing(13, contests, k=k, runs=runs, seed=3)
    share = found.table
    print(f"k = {k:3}: " + " ".join(f"{value:.3f}" for value in share["dominances"]))
    panel.plot(share["rank"], share["dominances"], "o-", color="#08306b", ms=4, label="dominances")
    panel.plot(
        share["rank"], share["subordinations"], "s--", color="#6baed6", ms=4, label="subordinations"
    )
    panel.set(title=f"k = {k}", xlabel="Final rank", ylabel="Share of contests")
    panel.set(ylim=(0, 0.165), xticks=share["rank"])
    course = found.course
    linear = course.filter(course["h_median"] > 0.9)["contests_per_dyad"][0]
    print(f"         half of the runs have h > 0.9 after {linear} contests per dyad")
    x = course["contests_per_dyad"]
    last.fill_between(x, course["h_low"], course["h_high"], color=color, alpha=0.2, lw=0)
    last.plot(x, course["h_median"], color=color, label=f"k = {k}")
panels[0, 0].legend(loc="upper center", frameon=False)
last.set(title="Median and 5–95% range of runs", xscale="log", ylim=(0, 1.03))
last.set(xlabel="Contests per dyad", ylabel="Landau's h", xlim=(1, contests))
last.xaxis.set_major_formatter("{x:g}")
last.legend(loc="lower right", frameon=False)
figure.savefig("self_organizing.png", dpi=150)
