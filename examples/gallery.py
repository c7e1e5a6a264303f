"""A gallery of all figures, with the Python code and the shell command for each.

Usage: python examples/gallery.py [folder], by default `gallery`. Writes the figures, the simulated
data that they show, and README.md, which contains the executed code.
"""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

import peckorder as po
from peckorder.plot.files import picture

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("folder", nargs="?", type=Path, default="gallery")
folder = parser.parse_args().folder
folder.mkdir(parents=True, exist_ok=True)

# A troop with one contest per day: Kim joins as alpha, Fay leaves and returns, Ada dies.
seasons = {
    date(2021, 1, 1): "Ada Bea Cleo Dora Eva Fay Gia Hana Ida Joy",
    date(2021, 7, 1): "Kim Ada Bea Cleo Dora Gia Hana Eva Ida Joy",
    date(2022, 3, 1): "Kim Cleo Bea Fay Dora Gia Lena Hana Ida Eva Joy",
    date(2022, 12, 1): "",
}
tables, stints = [], {}
for (first, names), (end, _) in pairwise(seasons.items()):
    days = pl.date_range(first, end, closed="left", eager=True).alias("date")
    _, contests = po.simulate.hierarchy(names.split(), len(days), spread=2.5, seed=len(tables))
    tables.append(contests.to_table().with_columns(days))
    for name in names.split():  # those who stay continue their stint
        start, *_ = stints.pop((name, first), (first,))
        stints[name, end] = start, end - timedelta(1)
pl.concat(tables).write_csv(folder / "troop.csv")
stints = [(name, *stint) for (name, _), stint in sorted(stints.items())]
presence = pl.DataFrame(stints, ["individual", "start", "end"], orient="row")
presence.write_csv(folder / "presence.csv")
_, large = po.simulate.hierarchy(60, 2000, spread=4, meeting="by_closeness", seed=1)
large.to_table().write_csv(folder / "large.csv")
_, takeover = po.simulate.takeover(8, (150, 150), spread=3, seed=1)
takeover.to_table().write_csv(folder / "takeover.csv")
po.datasets.bonobos().to_table().write_csv(folder / "bonobos.csv")
po.datasets.adv().to_table().write_csv(folder / "adv.csv")
many, sheet = [], []
for i in range(16):  # two species, one of them with steeper hierarchies
    species = ("flat", "steep")[i % 2]
    _, one = po.simulate.hierarchy(5 + i % 5, 60, spread=1 + 2 * (i % 2), seed=i)
    many.append(one.to_table().with_columns(group=pl.lit(f"group {i + 1}")))
    sheet.append({"group": f"group {i + 1}", "species": species})
pl.concat(many).write_csv(folder / "groups.csv")
pl.DataFrame(sheet).write_csv(folder / "species.csv")
birds, gaps = (
    np.random.default_rng(1),
    np.random.default_rng(2),
)  # half of the visits are driven off
length = birds.exponential(40.0, 400).round() + 1
pause = np.where(gaps.random(400) < 0.5, gaps.exponential(2.0, 400), gaps.exponential(300.0, 400))
start = np.cumsum(length + pause.round()) - length
visits = pl.DataFrame({"tag": birds.integers(1, 9, 400), "start": start, "end": start + length})
visits.with_columns(feeder=pl.lit("north")).write_csv(folder / "visits.csv")
teams = ["Ravens", "Herons", "Foxes", "Otters", "Badgers", "Stoats", "Hares", "Moles"]
_, games = po.simulate.hierarchy(teams, 60, spread=1.5, seed=3)
games.to_table().write_csv(folder / "league.csv")
left = [(a, b) for a in teams for b in teams if a < b]
pl.DataFrame(left, ["a", "b"], orient="row").write_csv(folder / "fixtures.csv")

troop = po.read(folder / "troop.csv", presence=folder / "presence.csv")
large, bonobos = po.read(folder / "large.csv"), po.read(folder / "bonobos.csv")
LEAGUE = 'po.elo(po.read(folder / "league.csv"), k=40)'
STUDY = 'po.study(po.read(folder / "groups.csv"), measures="steepness_bayes", seed=1)'

# File, heading, caption, result, options of the figure, and arguments of the shell command.
FIGURES = [
    (
        "trajectories.svg",
        "Ratings over time",
        "Bands are 80% and 95% credible intervals; lines are interrupted during absences.",
        "po.elo_bayes(troop, seed=1)",
        'highlight=["Kim", "Fay", "Eva"]',
        "troop.csv --presence presence.csv --method bayes --seed 1 --highlight Kim,Fay,Eva",
    ),
    (
        "trajectories_separate.png",
        "Ratings over time, one panel per individual",
        "The same ratings, one individual per panel, with all others in gray.",
        "po.elo_bayes(troop, seed=1)",
        "separate=True",
        "troop.csv --presence presence.csv --method bayes --seed 1 --separate",
    ),
    (
        "trajectories_large.png",
        "Selected individuals in a large group",
        "Ratings of sixty individuals by contest: selected individuals in color, others in gray.",
        "po.elo(large, k=60)",
        'highlight=["i01", "i20", "i40", "i60"]',
        "large.csv --k 60 --highlight i01,i20,i40,i60",
    ),
    (
        "bump.svg",
        "Ranks over time",
        "Ranks among those present, at the ends of four periods with equal numbers of contests.",
        "po.elo(troop, k=100)",
        "periods=4",
        "troop.csv --presence presence.csv --k 100 --periods 4",
    ),
    (
        "tenure.svg",
        "Who was alpha when",
        "Bars are tenures of rank 1, the darker the more certain.",
        "po.dynamic(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --method dynamic --seed 1",
    ),
    (
        "over_time.svg",
        "A measure over time",
        "Steepness in moving windows of 150 contests, with 95% intervals.",
        'po.over_time(troop, "steepness_bayes", window=150, step=50, seed=1)',
        "",
        "troop.csv --presence presence.csv --window 150 --step 50 --seed 1",
    ),
    (
        "change_points.svg",
        "When ranks changed abruptly",
        "A simulated takeover at contest 151. The curve is the probability of a change at each "
        "contest, given that there was one; the dashed line is the date found, with its 95% "
        "interval.",
        'po.change_points(po.read(folder / "takeover.csv"))',
        "",
        "takeover.csv",
    ),
    (
        "ranks.svg",
        "Uncertainty of ranks",
        "Thick lines are 80% and thin lines 95% credible intervals of rank; bars on the right join "
        "individuals that are not distinguishable.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "rank_probabilities.svg",
        "Probability of each rank",
        "The darker a cell, the more probable is the rank for the individual.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --method bayes --seed 1",
    ),
    (
        "ranks_large.svg",
        "Uncertainty of ranks in a large group",
        "Ranks of sixty individuals over 1,000 random orders of their contests.",
        "po.randomized_elo(large, seed=1)",
        "",
        "large.csv --method randomized --seed 1",
    ),
    (
        "matrix.svg",
        "Win matrix",
        "Wins of rows over columns, both ordered by David's score. Wins against higher-ranked "
        "individuals are orange; dyads without a decided contest are boxed.",
        "bonobos",
        "",
        "bonobos.csv",
    ),
    (
        "matrix_large.png",
        "Win matrix of a large group",
        "With sixty individuals, the number of wins is shown by color: the darker, the more wins.",
        "large",
        "",
        "large.csv",
    ),
    (
        "matrix_chances.svg",
        "Winning probabilities",
        "Probability (%) that the row beats the column, from the final ratings.",
        "po.elo(troop, k=100)",
        'show="chances"',
        "troop.csv --presence presence.csv --k 100 --show chances",
    ),
    (
        "network.svg",
        "Dominance network",
        "Arrows lead from the individual that won more contests of a dyad to the other; the wider, "
        "the more net wins. Rows are levels by ADAGIO.",
        "po.orders.adagio(bonobos)",
        "",
        "bonobos.csv --order adagio",
    ),
    (
        "network_large.svg",
        "Dominance network of a large group",
        "With sixty individuals, the strongest edges are shown. Arrows to higher ranks are orange.",
        "large",
        "",
        "large.csv",
    ),
    (
        "steepness.svg",
        "Steepness",
        "Left: normalized David's scores by rank, with the fitted line whose slope is the "
        "steepness. Right: its distribution in randomizations.",
        "po.steepness(bonobos, seed=1)",
        "",
        "bonobos.csv --seed 1",
    ),
    (
        "summed_probability.svg",
        "Bayesian steepness",
        "Each line is a posterior draw of summed winning probabilities; steepness is its slope.",
        "po.steepness_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "dominance_style.svg",
        "From egalitarian to despotic",
        "Linearity and steepness of a group among published groups (filled: of similar size and "
        "effort); the cross is expected by chance.",
        "po.questions.dominance_style(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "shape.svg",
        "Shape of a hierarchy",
        "Share of contests won by the higher-ranked individual, by difference in rank.",
        "po.hierarchy_shape(troop)",
        "",
        "troop.csv --presence presence.csv",
    ),
    (
        "posterior.svg",
        "Prior and posterior",
        "Left: prior (dashed) and posterior of k and σ. Right: posterior of the final ratings.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "calibration.svg",
        "Calibration",
        "Observed and predicted shares of wins agree on the dashed line; numbers are contests.",
        "po.calibration(po.elo(large, k=60), skip=500)",
        "",
        "large.csv --k 60 --skip 500",
    ),
    (
        "places.svg",
        "A season to come",
        "Share of simulated seasons in which each side finished in each place, and the chances of "
        "the places that are named.",
        f'po.sport.simulate_season(\n    {LEAGUE}, fixtures=folder / "fixtures.csv", seed=1\n)',
        'finish={"title": 1, "playoffs": 4, "relegated": -2}',
        "league.csv fixtures.csv --k 40 --seed 1 --finish title=1,playoffs=4,relegated=-2",
    ),
    (
        "bracket.svg",
        "A knock-out",
        "Chances to win each round; between two lines they sum to 1.",
        f"po.sport.bracket(\n    {LEAGUE},\n    {json.dumps(teams)},\n)",
        "",
        f"league.csv --k 40 --seeds {','.join(teams)}",
    ),
    (
        "weights.png",
        "What predicts: weights of adaptive ratings",
        "Weights of averaged Elo (gray) and of filters by drift per contest, before each contest.",
        "po.adaptive(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "likelihood.svg",
        "Likelihood of k",
        "Log-likelihood relative to its maximum; the dashed line limits the 95% interval.",
        'po.likelihood_surface(troop, over={"k": (0, 300)})',
        "",
        "troop.csv --presence presence.csv --over k=0:300",
    ),
    (
        "compare.svg",
        "Rank orders by several methods",
        "Horizontal lines indicate agreement between methods.",
        "po.compare(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "forest.svg",
        "A measure in many groups",
        "Points are estimates of single groups with 95% intervals, diamonds are estimates pooled "
        "toward the mean, and the band is the 95% interval of the mean over groups.",
        STUDY,
        "",
        "groups.csv --seed 1",
    ),
    (
        "against.svg",
        "A measure against a covariate of groups",
        "Steepness in the groups of two species, with 95% intervals.",
        STUDY,
        'over="species", covariates=folder / "species.csv"',
        "groups.csv --over species --covariates species.csv --seed 1",
    ),
    (
        "matrices.svg",
        "Win matrices of many groups",
        "Each matrix is in its rank order, winners in rows; upsets are orange.",
        'po.read(folder / "groups.csv")',
        "",
        "groups.csv",
    ),
    (
        "gaps.svg",
        "Gaps between visits to a feeder",
        "Times from the departure of one individual to the arrival of the next. The peak at a few "
        "seconds contains the displacements.",
        'po.visit_gaps(folder / "visits.csv")',
        "",
        "visits.csv",
    ),
    (
        "presence.svg",
        "Presence",
        "Bars are periods of presence; ticks are contests.",
        "troop",
        "",
        "troop.csv --presence presence.csv",
    ),
    (
        "recovery.svg",
        "Reliability of ranks",
        "From simulated data like these. Left: mean rank error by number of contests. Right: how "
        "often each true rank (columns) was estimated as each rank (rows).",
        "po.recovery(troop, k=100, effort=(), seed=1)",
        "",
        "troop.csv --presence presence.csv --method elo --k 100 --seed 1",
    ),
    (
        "power.svg",
        "How many contests a study needs",
        "Share of simulated studies of eight individuals in which the test of h′ is significant, "
        "by number of contests. Bars and the shaded area are 95% Monte Carlo intervals; dashed "
        "lines mark the goal and the number of contests that reaches it.",
        'po.power(8, 2, target="linearity", rate=4, seed=1)',
        "",
        "--individuals 8 --spread 2 --target linearity --rate 4 --seed 1",
    ),
    (
        "fragility.svg",
        "The contests that decide a claim",
        "The margin of a claim as contests are removed: the fewest that make it false, with the "
        "row of each. Gray: as many contests removed at random.",
        'po.questions.fragility(folder / "adv.csv", "b first", seed=1)',
        "",
        'adv.csv "b first" --seed 1',
    ),
    (
        "multiverse.svg",
        "A claim in all defensible analyses",
        "The margin of a claim in each analysis, and below it the choices that each one makes. "
        "Gray: the claim does not hold.",
        'po.questions.multiverse(folder / "adv.csv", "b > c", seed=1)',
        "",
        'adv.csv "b > c" --seed 1',
    ),
    (
        "next_pairs.svg",
        "Whom to watch next",
        "The probability that the row outranks the column; numbers are the next dyads to watch, "
        "in order.",
        'po.questions.next_pairs(po.dynamic(folder / "adv.csv", seed=1))',
        "",
        "adv.csv --seed 1",
    ),
    (
        "stress.svg",
        "When a takeover would have shown",
        "The share of simulated records in which a takeover had shown, by days since; dashed: the "
        "same records without it.",
        'po.questions.stress(folder / "adv.csv", seed=1)',
        "",
        "adv.csv --seed 1",
    ),
]


@cache
def result(code):
    return eval(code)


page = [
    """# Gallery

All figures with default settings, and the code that produces them: in Python after

```python
import peckorder as po

troop = po.read("troop.csv", presence="presence.csv")
large, bonobos = po.read("large.csv"), po.read("bonobos.csv")
```

and at the shell in this folder. The troop and the large group are simulated; the bonobos are those
of de Vries, Stevens & Vervaecke (2006). To draw all figures again: `python examples/gallery.py
docs/gallery`.
"""
]
for file, heading, caption, found, options, flags in FIGURES:
    kind = next(kind for kind in po.plot.__all__ if file.startswith(kind))
    draw = getattr(po.plot, kind)
    drawn = picture(lambda: draw(result(found), **eval(f"dict({options})")), file)  # noqa: B023
    (folder / file).write_bytes(drawn)
    found, options = (text.replace('folder / "', '"') for text in (found, options))
    call = f"po.plot.{kind}({', '.join(filter(None, ['found', options]))})"
    print(f"{len(drawn) / 1024:5.0f} KB  {file}")
    page.append(f"""## {heading}

![{heading}]({file})

{caption}

```python
found = {found}
{call}
```

```sh
peckorder plot {kind.replace("_", "-")} {flags} -o {file}
```
""")
(folder / "README.md").write_text("\n".join(page), encoding="utf-8")
