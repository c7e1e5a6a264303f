"""The arguments of an Elo rating, declared once: for `elo`, `EloRater`, `tune` and the shell.

Nothing heavy is imported here, since the shell builds its options from this table.
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
    """Arguments of an Elo rating by name; `peckorder.elo` says what they mean."""

    k: float | Mapping[Any, float] | tuple[float, float] | np.ndarray | str | None
    k_column: str | None
    curve: str | Curve | None
    scale: float | None
    delta: float | None
    sd: float | None
    start: float | Mapping[str, float] | None
    outcome: str | None
    margin: str | None
    burn_in: tuple[int, float] | None
    entry: str | None
    home_advantage: float | Mapping[str, float] | None
    home_in_update: bool | None
    carry_over: float | None
    period: str | None
    k_periods: Mapping[Any, float] | None
    fide: tuple[float, float, float] | None
    preset: str | None


@dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes
    ----------
    name : as in Python; its flag has dashes
    help : one line for the shell; empty where the shell has no such flag
    default : its value where neither the caller nor a preset gives one
    choices : the values it may take, where these are few
    metavar : how its value is written at the shell, where it is neither a choice nor a number
    flag : whether it is given by its name alone
    ordered : whether it has a meaning only where contests have an order
    """

    name: str
    help: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    flag: bool = False
    ordered: bool = False


ELO = (
    Argument("k", "100; winner,loser; context=k,context=k; or fide.", 100.0, metavar="K"),
    Argument("k_column", "Column with the k of each contest.", metavar="COLUMN"),
    Argument(
        "curve",
        "Winning probability by rating difference; default logistic.",
        choices=("logistic", "exponential", "normal", "table"),
    ),
    Argument("scale", "Scale of the logistic curve; default 400."),
    Argument("delta", "Slope of the exponential curve; default 0.01."),
    Argument("sd", "Standard deviation of the normal curve; default 282.84."),
    Argument("start", "Starting rating, default 1000; or name=R,name=R.", 1000.0, metavar="R"),
    Argument(
        "outcome",
        "Score of a contest: won or tied, or the share of the points.",
        "win",
        choices=("win", "points"),
    ),
    Argument(
        "margin", "Multiply k by a function of the margin.", choices=("none", "log", "football")
    ),
    Argument("burn_in", "Another k for the first N contests.", metavar="N,K", ordered=True),
    Argument(
        "entry",
        "Rating at which newcomers enter.",
        "start",
        choices=("start", "mean", "bottom", "bottom_low"),
        ordered=True,
    ),
    Argument(
        "home_advantage",
        "Points added to the home side when a contest is predicted: H, or name=H,name=H.",
        0.0,
        metavar="H",
        ordered=True,
    ),
    Argument(
        "home_in_update",
        "Use the home advantage in the update too.",
        False,
        flag=True,
        ordered=True,
    ),
    Argument(
        "carry_over",
        "Share of the distance to the mean that is kept between seasons.",
        ordered=True,
    ),
    Argument(
        "period",
        "Rate in batches: contests of a period use the ratings at its start.",
        choices=("date", "day", "week", "month", "year"),
        ordered=True,
    ),
    Argument("k_periods", ordered=True),
    Argument("fide", default=(25.0, 15.0, 10.0), ordered=True),
    Argument(
        "preset",
        "Settings of other software.",
        choices=(
            "EloRating",
            "EloOptimized",
            "aniDom",
            "PlayerRatings",
            "FIDE",
            "WorldFootball",
        ),
        ordered=True,
    ),
)
BY_NAME = {argument.name: argument for argument in ELO}


def choices(name: str) -> tuple[str, ...]:
    """The values that an argument may take."""
    return BY_NAME[name].choices


def takes_elo_arguments(function: F) -> F:
    """Show the arguments of an Elo rating in the signature, instead of **settings."""
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
