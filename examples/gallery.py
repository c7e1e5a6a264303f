"""Every kind of figure, with the Python code and the shell command that draw it.

Usage: python examples/gallery.py [folder], by default `gallery`. Writes the figures, the simulated
records, and README.md with the code that was run.
"""

import sys
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path

import polars as pl

import peckorder as po
from peckorder.figures.files import picture

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery")
folder.mkdir(parents=True, exist_ok=True)

# A troop with one contest per day: Kim immigrates and takes over, Fay leaves and returns, Ada dies.
seasons = {
    date(2021, 1, 1): "Ada Bea Cleo Dora Eva Fay Gia Hana Ida Joy",
    date(2021, 7, 1): "Kim Ada Bea Cleo Dora Gia Hana Eva Ida Joy",
    date(2022, 3, 1): "Kim Cleo Bea Fay Dora Gia Lena Hana Ida Eva Joy",
    date(2022, 12, 1): "",
}
records, stints = [], {}
for (first, names), (end, _) in pairwise(seasons.items()):
    days = pl.date_range(first, end, closed="left", eager=True).alias("date")
    _, contests = po.simulate.hierarchy(names.split(), len(days), spread=2.5, seed=len(records))
    records.append(contests.to_table().with_columns(days))
    for name in names.split():  # individuals that stay continue their period of presence
        start, *_ = stints.pop((name, first), (first,))
        stints[name, end] = start, end - timedelta(1)
pl.concat(records).write_csv(folder / "troop.csv")
stints = [(name, *stint) for (name, _), stint in sorted(stints.items())]
presence = pl.DataFrame(stints, ["individual", "start", "end"], orient="row")
presence.write_csv(folder / "presence.csv")
_, large = po.simulate.hierarchy(60, 2000, spread=4, meeting="by_closeness", seed=1)
large.to_table().write_csv(folder / "large.csv")
po.datasets.bonobos().to_table().write_csv(folder / "bonobos.csv")

troop = po.read(folder / "troop.csv", presence=folder / "presence.csv")
large, bonobos = po.read(folder / "large.csv"), po.read(folder / "bonobos.csv")

# File, heading, description, result, options of the figure, and flags at the shell.
FIGURES = [
    (
        "trajectories.svg",
        "Ratings over time",
        "Shading shows 80% and 95% credible intervals; lines are interrupted during absence.",
        "po.elo_bayes(troop, seed=1)",
        'highlight=["Kim", "Fay", "Eva"]',
        "troop.csv --presence presence.csv --method bayes --seed 1 --highlight Kim,Fay,Eva",
    ),
    (
        "trajectories_separate.png",
        "One panel per individual",
        "The same ratings, one individual per panel, with all others in gray.",
        "po.elo_bayes(troop, seed=1)",
        "separate=True",
        "troop.csv --presence presence.csv --method bayes --seed 1 --separate",
    ),
    (
        "trajectories_large.png",
        "Highlighted individuals in a large group",
        "Ratings of sixty individuals by contest; four are highlighted, the others are gray.",
        "po.elo(large, k=60)",
        'highlight=["i01", "i20", "i40", "i60"]',
        "large.csv --k 60 --highlight i01,i20,i40,i60",
    ),
    (
        "bump.svg",
        "Ranks over time",
        "Ranks among those present at the end of four parts with equal numbers of contests.",
        "po.elo(troop, k=100)",
        "periods=4",
        "troop.csv --presence presence.csv --k 100 --periods 4",
    ),
    (
        "ranks.svg",
        "Ranks with uncertainty",
        "Thick lines are 80% and thin lines 95% credible intervals; bars on the right join ranks "
        "that are not distinguishable at 95%.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "ranks_large.svg",
        "Ranks in a large group",
        "Ranks of sixty individuals over 1,000 random orders of the contests.",
        "po.randomized_elo(large, seed=1)",
        "",
        "large.csv --method randomized --seed 1",
    ),
    (
        "matrix.svg",
        "Win matrix",
        "Wins of row over column, both ordered by David's score. Upsets are orange; dyads without "
        "a decided contest are boxed.",
        "bonobos",
        "",
        "bonobos.csv",
    ),
    (
        "matrix_large.png",
        "Win matrix of a large group",
        "Sixty individuals leave no room for numbers; darker cells mean more wins.",
        "large",
        "",
        "large.csv",
    ),
    (
        "matrix_chances.svg",
        "Predicted win probabilities",
        "Probability in percent that row beats column, from the final ratings.",
        "po.elo(troop, k=100)",
        'show="chances"',
        "troop.csv --presence presence.csv --k 100 --show chances",
    ),
    (
        "steepness.svg",
        "Steepness",
        "Left: normalized David's scores on ranks; the absolute slope of the line is the "
        "steepness. Right: null distribution of steepness under randomization.",
        "po.steepness(bonobos, seed=1)",
        "",
        "bonobos.csv --seed 1",
    ),
    (
        "summed_probability.svg",
        "Posterior steepness",
        "Each line is one posterior draw; its absolute slope is a draw of steepness.",
        "po.steepness_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "shape.svg",
        "How often the higher-ranked wins",
        "Proportion of contests won by the higher-ranked, by rank difference.",
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
        "Points on the dashed line are perfectly calibrated; small numbers are contests.",
        "po.calibration(po.elo(large, k=60), skip=500)",
        "",
        "large.csv --k 60 --skip 500",
    ),
    (
        "compare.svg",
        "Rank orders by several methods",
        "Lines are horizontal where methods agree.",
        "po.compare(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "presence.svg",
        "Presence",
        "Bars are periods of presence, ticks are contests.",
        "troop",
        "",
        "troop.csv --presence presence.csv",
    ),
    (
        "recovery.svg",
        "Recovery of ranks",
        "From simulated records like these. Left: mean absolute rank error by number of contests. "
        "Right: frequency of estimated ranks (vertical) by true rank (horizontal).",
        "po.recovery(troop, k=100, effort=(), seed=1)",
        "",
        "troop.csv --presence presence.csv --k 100 --seed 1",
    ),
]


@cache
def result(code):
    return eval(code)


page = [
    """# Gallery

Each figure with default settings and the code that draws it: in Python after

```python
import peckorder as po

troop = po.read("troop.csv", presence="presence.csv")
large, bonobos = po.read("large.csv"), po.read("bonobos.csv")
```

and at the shell in this folder. The troop and the large group are simulated; the bonobos are from
de Vries, Stevens & Vervaecke (2006). `python examples/gallery.py docs/gallery` redraws all figures.
"""
]
for file, heading, sentence, found, options, flags in FIGURES:
    kind = next(kind for kind in po.plot.__all__ if file.startswith(kind))
    draw = getattr(po.plot, kind)
    drawn = picture(lambda: draw(result(found), **eval(f"dict({options})")), file)  # noqa: B023
    (folder / file).write_bytes(drawn)
    call = f"po.plot.{kind}({', '.join(filter(None, ['found', options]))})"
    print(f"{len(drawn) / 1024:5.0f} KB  {file}")
    page.append(f"""## {heading}

![{heading}]({file})

{sentence}

```python
found = {found}
{call}
```

```sh
peckorder plot {kind.replace("_", "-")} {flags} -o {file}
```
""")
(folder / "README.md").write_text("\n".join(page), encoding="utf-8")
