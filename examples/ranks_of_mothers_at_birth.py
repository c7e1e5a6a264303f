"""The rank of each mother when her infant was born, with its uncertainty, for a further analysis.

Ten years of simulated contests among 12 females, and 41 births. Each birth gets the rating and rank
of the mother on that day; the table with 100 posterior draws is what a model with uncertain ranks
takes (one fit per draw, then pooled). Prints the table, which births could not be used and why, and
the correlation of rank with infant survival over draws.
"""

import numpy as np
import polars as pl

import peckorder as po

random = np.random.default_rng(1)
START, DAYS = np.datetime64("2010-01-01"), 3650

# Contests: a simulated hierarchy, with dates over ten years.
_, contests = po.simulate.hierarchy(12, 600, seed=1)
days = np.sort(random.integers(0, DAYS, 600))
table = contests.to_table().with_columns(date=pl.Series(START + days))
data = po.read(table, presence="inferred")

# Births, as they are in a notebook: a mother that was never seen in a contest, a missing date.
births = pl.DataFrame(
    {
        "mother": [*random.choice(data.individuals, 40), "unseen"],
        "birth": [*(START + random.integers(0, DAYS, 40)).tolist(), None],
        "survived": random.integers(0, 2, 41),
    }
)

ratings = po.dynamic(data, seed=1, samples=1000)
joined = ratings.at_dates(births, individual="mother", date="birth")
print(joined.select("mother", "birth", "rank", "rank_low", "rank_high", "reason").head(8))
print(joined["reason"].value_counts(sort=True))

long = ratings.at_dates(births, individual="mother", date="birth", draws=100)
each = (
    long.drop_nulls("proportional_rank")
    .group_by("draw")
    .agg(pl.corr("proportional_rank", "survived"))
    .get_column("proportional_rank")
)
low, high = each.quantile(0.025), each.quantile(0.975)
print(
    f"Correlation of proportional rank and survival over {len(each)} draws: mean "
    f"{each.mean():.2f}, 95% of draws from {low:.2f} to {high:.2f}."
)
