"""What predicts best here: ratings compared by their predictions of the same contests."""

from __future__ import annotations

import polars as pl

import peckorder as po
from peckorder.errors import ArgumentError, DataError
from peckorder.methods import label
from peckorder.reporting.analysis import Analysis
from peckorder.reporting.page import Table, Words
from peckorder.results import Ratings

SHOWN = ("model", "score", "difference", "difference_low", "difference_high", "p")


def add_prediction(found: Analysis) -> None:
    """Add how well ratings predict each contest from those before it, on the same contests.

    Fits of Elo are left out, because they use the contests that they predict. Ratings that model
    ties are compared with each other only.
    """
    if found.adaptive is None:
        return
    models: dict[str, Ratings | None] = {
        label("adaptive"): found.adaptive,
        label("dynamic"): found.dynamic,
    }
    if "nu" not in found.adaptive.values:
        models[label("elo")] = found.elo
        models[label("glicko")] = found.view.through(po.sport.glicko(found.data))
    known = {name: one for name, one in models.items() if one is not None}
    try:
        found.prediction = po.compare_models(known, by="foresight", seed=found.seed)
    except (ArgumentError, DataError) as error:  # too few ratings or contests, or other outcomes
        found.notes["prediction"] = str(error)


def prediction(found: Analysis) -> tuple:
    """Which ratings predict contests best, and what adaptive ratings learned."""
    if found.adaptive is None:
        return ()
    parts: list = []
    if found.prediction is not None:
        parts += [Words(text) for text in found.prediction.summary]
        parts.append(
            Table(
                "prediction-table",
                "Log score of predictions of each contest from those before it (sums; higher is "
                "better), and differences to the highest with 95% CI",
                found.prediction.as_polars().select(SHOWN),
                {
                    "model": "Ratings",
                    "score": "Log score",
                    "difference": "Difference",
                    "difference_low": "Low",
                    "difference_high": "High",
                    "p": "p",
                },
            )
        )
    parts += [Words(text) for text in found.adaptive.summary]
    parts.append(
        Table(
            "coefficients-table",
            "Adaptive ratings: coefficients of the log-odds of a win",
            pl.DataFrame(found.adaptive.whole.coefficient_rows()),
            {
                "coefficient": "Coefficient",
                "estimate": "Estimate",
                "sd": "SD",
                "low95": "Low 95%",
                "high95": "High 95%",
                "p_positive": "P(> 0)",
                "meaning": "Meaning",
            },
        )
    )
    return tuple(parts)
