"""The arguments of an Elo rating, declared once for `elo`, `EloRater`, `tune` and the shell.

This module imports nothing heavy because the command line builds its options from this table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from peckorder.curves import Curve

F = TypeVar("F", bound=Callable)


class EloArguments(TypedDict, total=False):
    """Arguments of an Elo rating by name; documented in `peckorder.elo`."""

    k: float | Mapping[Any, float] | tuple[float, float] | np.ndarray | str | None
    k_column: str | None
    curve: str | Curve | None
    scale: float | None
    delta: float | None
    sd: float | None
    start: float | Mapping[str, float] | None
    outcome: str | None
    margin: str | Callable[[np.ndarray], np.ndarray] | None
    margin_correction: float | None
    burn_in: tuple[int, float] | None
    entry: str | None
    home_advantage: float | Mapping[str, float] | str | None
    home_in_update: bool | None
    carry_over: float | None
    carry_to: float | None
    half_life: float | None
    carry_pauses: bool | None
    overrides: Mapping[str, Mapping[Any, float]] | None
    period: str | None
    within: str | None
    k_periods: Mapping[Any, float] | None
    fide: tuple[float, float, float] | None
    preset: str | None


@dataclass(frozen=True)
class Argument:
    """One argument."""

    name: str  # name in Python; the flag has dashes in place of underscores
    help: str = ""  # one-line help text of the flag; empty if there is no flag
    default: Any = None  # value if neither the caller nor a preset sets one
    choices: tuple[str, ...] = ()  # allowed values, for arguments with a fixed set of values
    # placeholder in the help text, for values that are neither a choice nor a number
    metavar: str = ""
    flag: bool = False  # whether the flag takes no value
    ordered: bool = False  # whether the argument applies only if the order of contests is known


ELO = (
    Argument(
        "k",
        "Step size, default 100: one number; winner,loser; context=k,context=k; fide; or tuned.",
        100.0,
        metavar="K",
    ),
    Argument("k_column", "Column with the k of each contest.", metavar="COLUMN"),
    Argument(
        "curve",
        "Winning probability as a function of the rating difference; default logistic.",
        choices=("logistic", "exponential", "normal", "table"),
    ),
    Argument("scale", "Scale of the logistic curve; default 400."),
    Argument("delta", "Slope of the exponential curve; default 0.01."),
    Argument("sd", "Standard deviation of the normal curve; default 282.84."),
    Argument(
        "start",
        "Starting rating, default 1000; or name=R,name=R (the others start at the default).",
        1000.0,
        metavar="R",
    ),
    Argument(
        "outcome",
        "Score of a contest: win (1) or tie (½), or the proportion of points.",
        "win",
        choices=("win", "points"),
    ),
    Argument(
        "margin",
        "Multiply k by a function of the margin of points.",
        choices=("none", "log", "football"),
    ),
    Argument(
        "margin_correction",
        "Points C of a correction for favorites, with --margin: k is also multiplied by C/(C + "
        "lead of the winner), as by FiveThirtyEight (2200).",
    ),
    Argument("burn_in", "Use a different k for the first N contests.", metavar="N,K", ordered=True),
    Argument(
        "entry",
        "Entry rating of newcomers.",
        "start",
        choices=("start", "mean", "bottom", "bottom_low"),
        ordered=True,
    ),
    Argument(
        "home_advantage",
        "Rating points added to the home side in predictions: H, or name=H,name=H.",
        0.0,
        metavar="H",
        ordered=True,
    ),
    Argument(
        "home_in_update",
        "Use the home advantage in rating updates as well.",
        False,
        flag=True,
        ordered=True,
    ),
    Argument(
        "carry_over",
        "Proportion of each rating's distance from the mean carried over between seasons.",
        ordered=True,
    ),
    Argument(
        "carry_to",
        "Rating toward which --carry-over moves; default the mean of those present.",
        ordered=True,
    ),
    Argument("carry_pauses", default=False, ordered=True),
    Argument("overrides", ordered=True),
    Argument(
        "half_life",
        "Days without a contest after which half of a rating's distance from its start is left.",
        metavar="DAYS",
        ordered=True,
    ),
    Argument(
        "period",
        "Update in batches: all contests of a period use the ratings at its start.",
        choices=("date", "day", "week", "month", "year"),
        ordered=True,
    ),
    Argument(
        "within",
        "Contests with the same time stamp: in the order of the file, averaged over random orders, "
        "or as one batch.",
        "file",
        choices=("file", "average", "batch"),
        ordered=True,
    ),
    Argument("k_periods", "k from given dates on: DATE=K,DATE=K.", metavar="DATE=K", ordered=True),
    Argument(
        "fide",
        "With --k fide: k below 30 contests, later, and later for whoever has reached 2400.",
        (25.0, 15.0, 10.0),
        metavar="K,K,K",
        ordered=True,
    ),
    Argument(
        "preset",
        "Use the settings of other software, or those for games between teams (Games).",
        choices=(
            "EloRating",
            "EloOptimized",
            "aniDom",
            "PlayerRatings",
            "FIDE",
            "WorldFootball",
            "FiveThirtyEight",
            "Games",
        ),
        ordered=True,
    ),
)
BY_NAME = {argument.name: argument for argument in ELO}


def choices(name: str) -> tuple[str, ...]:
    """The allowed values of an argument."""
    return BY_NAME[name].choices


def takes_elo_arguments(function: F) -> F:
    """Show the arguments of an Elo rating in the signature instead of **settings."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    taken = {parameter.name for parameter in own}
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=str(getattr(kind, "__forward_arg__", kind)),
        )
        for name, kind in EloArguments.__annotations__.items()
        if name not in taken
    ]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore
    return function
