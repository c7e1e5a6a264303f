"""Tables at one moment: ratings and ranks of those present, scaled ratings, expected wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Record
from peckorder.data.date_columns import date_column
from peckorder.data.names import column_of
from peckorder.ranks import average_ranks, natural_breaks
from peckorder.validate import several

VALUES_AT_ONCE = 20_000_000


def top_down(rating: np.ndarray) -> np.ndarray:
    """Places of ratings from the highest to the lowest; missing ones last."""
    return np.argsort(-rating, kind="stable")


def of_pairs(names: Sequence[str], values: np.ndarray) -> pl.DataFrame:
    """A square table: one row and one column per individual."""
    first = "individual" if "individual" not in names else "individual (row)"
    return pl.DataFrame({first: names} | {name: values[:, i] for i, name in enumerate(names)})


def standing(
    individuals: tuple[str, ...], rating: np.ndarray, keep: np.ndarray, record: Record | None
) -> pl.DataFrame:
    """Individuals from the highest rating to the lowest, with their record if given."""
    places = np.flatnonzero(keep)
    places = places[top_down(rating[places])]
    columns: dict[str, Any] = {
        "individual": column_of(individuals)[pl.Series(places.astype(np.uint32))],
        "rating": rating[places],
        "rank": average_ranks(rating[places]) if len(places) else np.zeros(0),
    }
    if record is not None:
        columns["contests"] = record.contests[places]
        columns["wins"], columns["losses"] = record.wins[places], record.losses[places]
        columns["draws"] = record.draws[places]
        columns["first_seen"] = seen(record.first_time[places], record.first[places])
        columns["last_seen"] = seen(record.last_time[places], record.last[places])
    return pl.DataFrame(columns)


def seen(times: np.ndarray, contest: np.ndarray) -> pl.Series:
    """Dates of the first or last contest; missing for individuals without contests."""
    if (contest >= 0).all():
        return date_column(times)
    return pl.select(
        pl.when(pl.Series(contest >= 0)).then(date_column(times)).otherwise(None)
    ).to_series()


def summed_chances(
    rating: np.ndarray, codes: np.ndarray, chance: Callable[..., np.ndarray]
) -> np.ndarray:
    """Sum of the chances of each individual to beat each of the others."""
    step = max(1, VALUES_AT_ONCE // max(1, len(rating)))
    out = np.zeros(len(rating))
    for i in range(0, len(rating), step):
        ahead = rating[i : i + step, None] - rating[None, :]
        chances = chance(ahead, codes[i : i + step, None], codes[None, :])
        out[i : i + step] = np.sum(chances, axis=1) - 0.5  # minus the diagonal entry
    return out


def with_expected_beaten(table: pl.DataFrame, beaten: np.ndarray, classes: int) -> pl.DataFrame:
    """The table with the expected number of others beaten, its share and natural classes."""
    size = len(beaten)
    share = beaten / (size - 1) if size > 1 else np.full(size, np.nan)
    return table.with_columns(
        expected_beaten=pl.Series(beaten),
        expected_share=pl.Series(share).fill_nan(None),
        **{"class": pl.Series(natural_breaks(beaten, classes))},
    )


def ranks_within(table: pl.DataFrame, labels: Mapping[str, str]) -> pl.DataFrame:
    """Ranks within the classes that `labels` gives some of the individuals."""
    table = table.with_columns(
        pl.col("individual")
        .replace_strict(labels, default=None, return_dtype=pl.String)
        .alias("class")
    ).filter(pl.col("class").is_not_null())
    return table.with_columns(
        pl.col("rating").rank("average", descending=True).over("class").alias("rank_within")
    ).sort("class", "rank_within", maintain_order=True)


def class_labels(classes: Mapping[str, Any] | Iterable[str]) -> dict[Any, str]:
    """The class of each individual; a list of individuals is one class."""
    if not isinstance(classes, Mapping):
        classes = dict.fromkeys(map(str, several("classes", classes)), "subset")
    return {name: str(label) for name, label in classes.items()}
