"""One analysis over many groups: a table, pooled means, a forest plot and a script for R.

The groups are simulated: two species, one with steeper hierarchies. Run it twice: the second time
all results are found in the folder.
"""

import polars as pl

import peckorder as po


def simulated(groups: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Contests of all groups, and a sheet with the species of each."""
    contests, sheet = [], []
    for number in range(groups):
        species = ("flat", "steep")[number % 2]
        _, data = po.simulate.hierarchy(
            individuals=5 + number % 6,
            contests=40 + 15 * number,
            spread={"flat": 1.0, "steep": 3.0}[species],
            seed=number,
        )
        name = f"group {number + 1}"
        contests.append(data.frame().select("winner", "loser").with_columns(group=pl.lit(name)))
        sheet.append({"group": name, "species": species})
    return pl.concat(contests), pl.DataFrame(sheet)


contests, species = simulated(12)
study = po.study(
    po.read(contests),
    by="group",
    measures=("steepness_bayes", "linearity", "consistency"),
    folder="many_groups",
    executor=1,  # leave it out to use all cores
    seed=1,
)
print(study)
print(study.table.select("group", "contests", "steepness_bayes", "linearity", "status"))

print(study.pooled("steepness_bayes"))
print(study.pooled("steepness_bayes", covariates=species, between="species"))

po.plot.forest(study).figure.savefig("many_groups_forest.png")
study.save_r("many_groups_steepness.R", measure="steepness_bayes", covariates=species)
study.save_draws("many_groups_draws.parquet", measure="steepness_bayes")
print("Wrote many_groups_forest.png, many_groups_steepness.R (.csv) and many_groups_draws.parquet.")
