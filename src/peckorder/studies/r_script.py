"""A script for R: a model of the groups that takes the uncertainty of each estimate into account.

brms fits θᵢ of each group with a known standard error, `value | se(se, sigma = TRUE)`, so that
groups with few contests count less, and the spread between groups is estimated.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import polars as pl

from peckorder.citation import VERSION
from peckorder.errors import ArgumentError, DataError
from peckorder.studies.covariates import with_covariates
from peckorder.tables import refuse_no_path

SCRIPT = """\
# {measure} of {groups} groups (peckorder {version}).
# install.packages("brms")
groups <- read.csv("{file}", stringsAsFactors = TRUE)
str(groups)

library(brms)
# value: posterior mean of a group; se: its posterior standard deviation.
# sigma = TRUE estimates the standard deviation between groups as well.
fit <- brm(
  value | se(se, sigma = TRUE) ~ {formula},
  data = groups,
  chains = 4, cores = 4, seed = 1
)
summary(fit)
# With a phylogeny (tree: class phylo, tips named as in the column species):
# A <- ape::vcv.phylo(tree, corr = TRUE)
# update(fit, . ~ . + (1 | gr(species, cov = A)), newdata = groups, data2 = list(A = A))
"""


def r_files(
    path: str | os.PathLike[str],
    estimates: pl.DataFrame,
    measure: str,
    covariates: Any,
    study: Any,
) -> list[tuple[Path, bytes]]:
    """The script and its data, as pairs of path and content."""
    refuse_no_path(path)
    script = Path(path)
    if script.suffix != ".R":
        raise ArgumentError(f"{path}: give a name with the ending .R, such as {measure}.R.")
    table = with_covariates(estimates, covariates, study.settings["by"])
    table = table.rename({"sd": "se"}).filter(pl.col("se") > 0)
    if table.is_empty():
        raise DataError(f"{measure} has no standard error in any group, which the model needs.")
    table = table.rename({name: _r_name(name) for name in table.columns})
    own = [_r_name(name) for name in estimates.columns]
    more = [name for name in table.columns if name not in (*own, "se")]
    content = SCRIPT.format(
        measure=measure,
        groups=f"{table.height:,}",
        version=VERSION,
        file=script.with_suffix(".csv").name,
        formula=" + ".join(["1", *more]),
    )
    return [
        (script.with_suffix(".csv"), table.write_csv(null_value="NA").encode()),
        (script, content.encode()),
    ]


def _r_name(name: str) -> str:
    """A name that R does not change when it reads the file."""
    plain = re.sub(r"[^A-Za-z0-9_.]", ".", name)
    return plain if re.match(r"[A-Za-z]", plain) else f"X{plain}"
