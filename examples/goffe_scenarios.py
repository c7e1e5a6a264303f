"""How well Elo ratings recover a known hierarchy: Goffe et al. (2018), Figures 3 to 7.

Usage: python examples/goffe_scenarios.py [full]: without `full`, a quarter of the contests of
Figures 4 to 7 and fewer records. Fits k and starting scores, by maximum likelihood and with partial
pooling (Bayesian), and draws both beside the truth. Writes goffe_fig3.png (starting scores of 44
individuals with k = 0, from 250 to 1,500 contests), goffe_fig4.png (low-ranking individuals are
rarely observed, then adjacent ranks swap), goffe_fig5.png (an immigrant becomes alpha),
goffe_fig6.png (a subgroup moves to the top), goffe_fig7.png (the two highest-ranked die; errors are
among the survivors), and pooling.csv: errors of both kinds of starting scores over several records.
"""

import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import peckorder as po

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("size", nargs="?", choices=["full"])
full = parser.parse_args().size == "full"
shorter, records = (1, 20) if full else (4, 4)
sampler = {} if full else {"chains": 2, "warmup": 250, "samples": 250}
few = (250, 500, 1000, 1500)
two = {"contests": (2000 // shorter,) * 2}
leap = {"contests": (1000 // shorter, 2000 // shorter)}
loss = {"contests": (1000 // shorter,) * 3, "shuffle_every": 50 // shorter}
scenarios = {
    4: (po.simulate.unbalanced, two),
    5: (po.simulate.takeover, two),
    6: (po.simulate.coalitionary_leap, leap),
    7: (po.simulate.mortality, loss),
}
plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
warnings.simplefilter("ignore", po.DataWarning)  # individuals that only won or only lost


def starts(contests, seed):
    """True starting scores, both estimates and whether the likelihood limits them."""
    truth, data = po.simulate.high_dimensional(contests=contests, seed=seed)
    ml, post = po.elo_ml(data), po.elo_bayes(data, seed=seed, **sampler)
    names = list(ml.table["individual"])
    true = np.array([truth[name] for name in names])
    pooled = post.samples["start"][..., [post.individuals.index(name) for name in names]]
    free = ml.table["start"].to_numpy()
    component = ml.table["component"].to_numpy()
    numbers, sizes = np.unique(component, return_counts=True)
    largest = numbers[sizes.argmax()]
    inside = component == largest
    # Only differences are identified: the mean of the individuals compared is set to that of truth.
    free = free + (true - free)[inside].mean()
    pooled = pooled + (true - pooled.mean(axis=(0, 1))).mean()
    return true, free, pooled, inside, component < largest


def error(estimate, true):
    """Root mean squared error when the mean is known."""
    off = estimate - true
    return np.sqrt(((off - off.mean()) ** 2).mean())


# Figure 3: each estimate against the truth.
figure, panels = plt.subplots(
    2, len(few), sharex=True, sharey=True, figsize=(7.2, 4), layout="constrained"
)
for column, contests in zip(panels.T, few, strict=True):
    true, free, pooled, inside, above = starts(contests, seed=1)
    mean = pooled.mean(axis=(0, 1))
    low, high = np.quantile(pooled, [0.025, 0.975], axis=(0, 1))
    for panel in column:
        panel.axline((0, 0), slope=1, color="0.6", lw=0.8, ls="--", zorder=0)
    column[0].plot(true[inside], free[inside], "o", color="#d95f02", ms=3)
    for there, marker, place in ((~inside & above, "^", 11.4), (~inside & ~above, "v", -11.4)):
        column[0].plot(true[there], np.full(there.sum(), place), marker, color="#d95f02", ms=4)
    column[1].vlines(true, low, high, color="#6baed6", lw=0.8)
    column[1].plot(true, mean, "o", color="#08306b", ms=3)
    errors = error(free[inside], true[inside]), error(mean[inside], true[inside])
    for panel, off in zip(column, errors, strict=True):
        panel.text(0.04, 0.86, f"RMSE {off:.2f}", transform=panel.transAxes)
    column[0].set_title(f"{contests:,} contests", size=8)
panels[0, 0].set(ylabel="Maximum likelihood", ylim=(-12, 12))
panels[1, 0].set_ylabel("Partial pooling (95% CrI)")
figure.supxlabel("True starting score (triangles: unbounded by maximum likelihood)", size=8)
figure.supylabel("Estimated starting score", size=8)
figure.savefig("goffe_fig3.png", dpi=150)

# The paper's main claim: partial pooling is better than maximum likelihood.
rows = []
for contests in few:
    each = []
    for seed in range(1, records + 1):
        true, free, pooled, inside, _ = starts(contests, seed)
        mean = pooled.mean(axis=(0, 1))
        low, high = np.quantile(pooled, [0.025, 0.975], axis=(0, 1))
        each.append(
            (
                error(free[inside], true[inside]),
                error(mean[inside], true[inside]),
                error(mean, true),
                ((low < true) & (true < high)).mean(),
                (~inside).sum(),
            )
        )
    table = np.array(each)
    rows.append(
        {
            "contests": contests,
            "records": records,
            "rmse_ml": table[:, 0].mean(),
            "rmse_pooled": table[:, 1].mean(),
            "pooled_better": int((table[:, 1] < table[:, 0]).sum()),
            "rmse_pooled_all": table[:, 2].mean(),
            "coverage": table[:, 3].mean(),
            "unbounded": table[:, 4].mean(),
        }
    )
    print(
        f"{contests:5,} contests, {records} records: RMSE of starting scores "
        f"{rows[-1]['rmse_ml']:.2f} by maximum likelihood, {rows[-1]['rmse_pooled']:.2f} with "
        f"pooling (better in {rows[-1]['pooled_better']}; all 44: "
        f"{rows[-1]['rmse_pooled_all']:.2f}); {rows[-1]['unbounded']:.1f} individuals unbounded "
        f"by maximum likelihood; {rows[-1]['coverage']:.0%} of 95% CrIs contain the truth"
    )
pl.DataFrame(rows).write_csv("pooling.csv")


def bands(post, name):
    """Rating of an individual after each of its contests, with its 95% CrI."""
    path = post.trajectory(name)
    return path["contest"].to_numpy(), *(
        path[column].to_numpy() for column in ("rating", "rating_low", "rating_high")
    )


def draw(column, truth, data, ratings, kind):
    """Plot ratings beside the truth (above) and rank errors (below)."""
    upper, lower = column
    there = truth.present()
    first = np.array([truth.rank[0][i] for i in range(len(truth.individuals))])
    x = np.append(truth.begin, truth.contests)
    shades = plt.get_cmap("viridis", len(first))
    means = np.nanmean(truth.strengths)
    for i, name in enumerate(truth.individuals):
        color = "red" if np.isnan(first[i]) else shades((first[i] - 1) / (np.nanmax(first) - 1))
        if kind == "pooled":
            contest, rating, low, high = bands(ratings, name)
            upper.fill_between(contest, low, high, step="post", color=color, alpha=0.2, lw=0)
        else:
            path = ratings.trajectory(name)
            contest, rating = path["contest"].to_numpy(), path["rating"].to_numpy()
        upper.step(contest, rating, where="post", color=color, lw=0.7)
        upper.hlines(truth.strengths[:, i] - means, x[:-1], x[1:], color=color, lw=1, ls=":")
    found = po.simulate.rank_error(ratings, truth=truth, every=10, among=there).table
    lower.plot(found["contest"], found["mae"], color="#08306b", lw=0.9)
    for panel in column:
        panel.set_xlim(0, len(data))
        for change in truth.begin[1:]:
            panel.axvline(change, color="0.7", ls="--", lw=0.6, zorder=0)
    upper.tick_params(labelbottom=False)
    lower.set_xlabel("contest")
    return found


for number, (scenario, how) in scenarios.items():
    truth, data = scenario(**how, seed=1)
    fits = {
        "maximum likelihood": po.elo_ml(data, penalized=False),
        "partial pooling": po.elo_bayes(data, seed=1, **sampler),
    }
    figure, panels = plt.subplots(
        2, 2, sharey="row", height_ratios=[3, 1], figsize=(7.2, 4.2), layout="constrained"
    )
    said = []
    for column, (label, ratings) in zip(panels.T, fits.items(), strict=True):
        kind = "pooled" if label == "partial pooling" else "ml"
        found = draw(column, truth, data, ratings, kind)
        column[0].set_title(f"{label}, k = {ratings.k:.2f}", size=8)
        last = int(found["contest"].search_sorted(truth.begin[1], side="right")) - 1
        moments = (("before the change", last), ("right after", last + 1), ("at the end", -1))
        errors = ", ".join(f"{found['mae'][place]:.2f} {when}" for when, place in moments)
        said.append(f"{label} {errors}")
    panels[0, 0].set(ylabel="Elo rating (dotted: true)", ylim=(-9, 9))
    panels[1, 0].set(ylabel="Ranks MAE", ylim=(0, None))
    print(f"Figure {number}, {scenario.__name__}: Ranks MAE by {'; by '.join(said)}")
    figure.savefig(f"goffe_fig{number}.png", dpi=150)
