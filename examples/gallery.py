"""Every kind of figure, each with the lines of Python and of the shell that make it.

Usage: python examples/gallery.py [folder], by default `gallery`. Writes figures, the simulated
records that they show, and README.md, whose lines of Python are those that drew.
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

# A troop with a contest a day: Kim comes and takes the top, Fay goes and comes back, Ada dies.
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
    for name in names.split():  # who stays goes on with the stint before
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

# File, heading, what it shows, the result, options of the figure, and the same at the shell.
FIGURES = [
    (
        "trajectories.svg",
        "Ratings over time",
        "Bands hold the rating with 80 and 95 %; a line is broken while its owner is away.",
        "po.elo_bayes(troop, seed=1)",
        'highlight=["Kim", "Fay", "Eva"]',
        "troop.csv --presence presence.csv --method bayes --seed 1 --highlight Kim,Fay,Eva",
    ),
    (
        "trajectories_separate.png",
        "A panel for each",
        "The same ratings, one individual at a time, with all others in grey.",
        "po.elo_bayes(troop, seed=1)",
        "separate=True",
        "troop.csv --presence presence.csv --method bayes --seed 1 --separate",
    ),
    (
        "trajectories_large.png",
        "A few among many",
        "Sixty individuals over contests: those named in color, the others in grey.",
        "po.elo(large, k=60)",
        'highlight=["i01", "i20", "i40", "i60"]',
        "large.csv --k 60 --highlight i01,i20,i40,i60",
    ),
    (
        "bump.svg",
        "Ranks over time",
        "Ranks among those present, at the ends of four parts with equally many contests.",
        "po.elo(troop, k=100)",
        "periods=4",
        "troop.csv --presence presence.csv --k 100 --periods 4",
    ),
    (
        "ranks.svg",
        "How sure ranks are",
        "Thick lines hold the rank with 80 %, thin ones with 95 %; bars on the right join those that "
        "cannot be told apart.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "ranks_large.svg",
        "Ranks of many",
        "Ranks over 1,000 random orders of the contests of sixty individuals.",
        "po.randomized_elo(large, seed=1)",
        "",
        "large.csv --method randomized --seed 1",
    ),
    (
        "matrix.svg",
        "Who beat whom",
        "Rows beat columns, both in the order of David's scores: upsets are orange, dyads without a "
        "decided contest are boxed.",
        "bonobos",
        "",
        "bonobos.csv",
    ),
    (
        "matrix_large.png",
        "Who beat whom, among many",
        "Where sixty individuals leave no room for numbers, the darker the more wins.",
        "large",
        "",
        "large.csv",
    ),
    (
        "matrix_chances.svg",
        "Who would beat whom",
        "The chance in percent that the row beats the column, by the final ratings.",
        "po.elo(troop, k=100)",
        'show="chances"',
        "troop.csv --presence presence.csv --k 100 --show chances",
    ),
    (
        "steepness.svg",
        "Steepness",
        "Left, David's scores fall with rank along a line whose slope is the steepness; right, what "
        "chance alone would give.",
        "po.steepness(bonobos, seed=1)",
        "",
        "bonobos.csv --seed 1",
    ),
    (
        "summed_probability.svg",
        "Steepness with its uncertainty",
        "Each line is a draw from the posterior, and its slope one possible steepness.",
        "po.steepness_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "shape.svg",
        "The shape of a hierarchy",
        "How often the higher-ranked of two wins, the further apart they stand.",
        "po.hierarchy_shape(troop)",
        "",
        "troop.csv --presence presence.csv",
    ),
    (
        "posterior.svg",
        "What the data taught",
        "Left, k and σ before (dashed) and after the data; right, the final ratings.",
        "po.elo_bayes(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "calibration.svg",
        "Whether chances are right",
        "Points on the dashed line came true as often as foretold; small numbers count contests.",
        "po.calibration(po.elo(large, k=60), skip=500)",
        "",
        "large.csv --k 60 --skip 500",
    ),
    (
        "compare.svg",
        "Orders by several methods",
        "Lines are level where methods agree.",
        "po.compare(troop, seed=1)",
        "",
        "troop.csv --presence presence.csv --seed 1",
    ),
    (
        "presence.svg",
        "Who was there when",
        "Bars are stints of presence, ticks are contests.",
        "troop",
        "",
        "troop.csv --presence presence.csv",
    ),
    (
        "recovery.svg",
        "How far ranks can be trusted",
        "From simulated records like these: left, how wrong ranks are after so many contests; right, "
        "how often a true rank (across) was given which rank (down).",
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

Each figure as it comes, with the lines that made it: in Python after

```python
import peckorder as po

troop = po.read("troop.csv", presence="presence.csv")
large, bonobos = po.read("large.csv"), po.read("bonobos.csv")
```

and at the shell in this folder. Troop and large group are simulated; the bonobos are those of de
Vries, Stevens & Vervaecke (2006). `python examples/gallery.py docs/gallery` draws them all again.
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
