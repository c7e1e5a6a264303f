"""One year of a decade: ratings through a window, compared with rating that year alone.

Ten years of simulated contests. The window shows the year 2014 of ratings from all years; rating
the contests of 2014 alone starts everybody anew, and predicts them less well.
"""

import numpy as np
import polars as pl

import peckorder as po

random = np.random.default_rng(2)
_, contests = po.simulate.hierarchy(10, 1500, seed=2)
days = np.datetime64("2010-01-01") + np.sort(random.integers(0, 3650, 1500))
data = po.read(contests.to_table().with_columns(date=pl.Series(days)), presence="inferred")

ratings = po.elo(data)
year = ratings.between(year=2014)
print(year)
print(year.table.select("individual", "rating", "rank", "contests"))
print(year.grid(every="quarter", wide=True))

alone = po.elo(data.filter(start="2014-01-01", end="2014-12-31"))
for label, one in (("window", year), ("the year alone", alone)):
    found = po.evaluate(one, seed=1).foresight
    print(
        f"{label}: {found['correct']} of {found['decided']} contests predicted, log loss "
        f"{found['log_loss']:.3f}"
    )
print(
    f"Stability in 2014: {po.stability(year).value:.3f}, in all years: "
    f"{po.stability(ratings).value:.3f}"
)
