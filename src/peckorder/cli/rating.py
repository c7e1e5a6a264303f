"""Options of every rating method, and the rating that they request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.elo import RATING, SEQUENCE, parse_number, parse_pairs
from peckorder.cli.fit import ML
from peckorder.cli.running import verb
from peckorder.cli.shared import option_names, talk
from peckorder.cli.window import WINDOW, seen, taken_window
from peckorder.errors import ConvergenceError

RATERS = {
    "elo": "elo",
    "dynamic": "dynamic",
    "adaptive": "adaptive",
    "ml": "elo_ml",
    "bayes": "elo_bayes",
    "glicko": "glicko",
    "glicko2": "glicko2",
}
# Orders with winning probabilities: their verb, and settings without which they cannot predict.
PREDICTING_ORDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bradley-terry": ("bradley_terry", {"penalized": True}),
    "davids-score": ("davids_score", {}),
}
GLICKO = (
    click.option("--deviation", type=float, help="Glicko: initial deviation; default 300."),
    click.option("--max-deviation", type=float, help="Glicko: maximum deviation; default 350."),
)
GLICKO_1 = click.option(
    "--c", type=float, help="Glicko: increase of deviations over time; default 15."
)
GLICKO_2 = (
    click.option("--volatility", type=float, help="Glicko-2: initial volatility; default 0.15."),
    click.option(
        "--tau", type=float, help="Glicko-2: constraint on changes of volatility; default 1.2."
    ),
)
RATER = (
    click.option(
        "--method",
        type=click.Choice(list(RATERS)),
        default="elo",
        show_default=True,
        help="Rating method: Elo, dynamic or adaptive ratings, Elo fitted by maximum likelihood "
        "(ml) or MCMC (bayes), or Glicko.",
    ),
    *RATING,
    *SEQUENCE,
    *GLICKO,
    GLICKO_1,
    *GLICKO_2,
    ML[0],
    *WINDOW,
)
PREDICTOR = (
    click.option(
        "--method",
        type=click.Choice([*RATERS, *PREDICTING_ORDERS]),
        default="elo",
        show_default=True,
        help="Rating method: Elo, dynamic or adaptive ratings, Elo fitted by maximum likelihood "
        "(ml) or MCMC (bayes), Glicko; or an order with winning probabilities, computed anew "
        "before each contest: Bradley–Terry (with a prior) or David's scores (calibrated).",
    ),
    *RATER[1:],
)
FIT_TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit"]),
    help="Ties in a fit: modeled (Davidson, default), or omitted.",
)
SKIP = click.option(
    "--skip",
    default="0",
    show_default=True,
    metavar="N",
    help="Exclude the first N contests, or those before a date, from the evaluation.",
)
BOOTSTRAP = click.option(
    "--runs", type=int, default=1000, show_default=True, help="Number of bootstrap samples."
)
BOOTSTRAP_SEED = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the random numbers."
)
RATED_ONLY = (
    "home_advantage",
    "k",
)  # arguments of the rating, even if the function called has them, too


def rate(data: Any, flags: dict[str, Any], progress: Any = None) -> Any:
    """Ratings by the method requested; the flags of the rating are removed."""
    method, window = flags.pop("method", "elo"), taken_window(flags)
    name, settings = PREDICTING_ORDERS.get(method, (RATERS.get(method, ""), {}))
    rater = verb(name)
    takes = set(inspect.signature(rater).parameters) - {"data"}
    if method in PREDICTING_ORDERS:
        takes &= {"ties"} if method == "bradley-terry" else set()
        if window != (None, None):
            raise click.UsageError(f"--from and --to cannot be used with --method {method}.")
    names = option_names(RATER) - {"method"}
    foreign = [n for n in names if n in flags and n not in takes and flags[n] is not None]
    if foreign:
        raise click.UsageError(
            f"--{foreign[0].replace('_', '-')} cannot be used with --method {method}."
        )
    own = settings | {name: flags[name] for name in takes if flags.get(name) is not None}
    for name in (names - {"seed", "ties"}) & set(flags):
        del flags[name]
    if "estimate" in own:
        own["estimate"] = tuple(part.strip() for part in own["estimate"].split(","))
    if method == "ml" and own.get("home_advantage") == "estimate":
        estimated = own.get("estimate", ("k", "start"))
        own |= {"home_advantage": None, "estimate": (*estimated, "home_advantage")}
    if progress is not None and "progress" in takes:
        own["progress"] = progress
    try:
        return seen(rater(data, **own), window)
    except ConvergenceError as error:
        if error.ratings is None:
            raise
        # The incomplete result is still evaluated, but the command fails.
        talk(f"Error: {error}")
        click.get_current_context().meta["not_converged"] = True
        return seen(error.ratings, window)


def called_with_ratings(function: str) -> Callable:
    """A function that rates contests and calls another function with the ratings."""

    def call(data: Any, progress: Any = None, **flags: Any) -> Any:
        ask = verb(function)
        takes = set(inspect.signature(ask).parameters) - set(RATED_ONLY)
        ratings = rate(data, flags, progress)
        own = {name: value for name, value in flags.items() if name in takes and value is not None}
        idle = [
            n
            for n in ("ties",)
            if flags.get(n) is not None and n not in takes and n not in ratings.settings
        ]
        if idle:
            raise click.UsageError(f"--{idle[0]} cannot be used with this --method.")
        own |= {
            name[8:]: value
            for name, value in flags.items()
            if name.startswith("fixture_") and value is not None
        }
        try:
            return ask(ratings, **own)
        except FileNotFoundError as error:
            raise click.UsageError(f"File not found: {error.filename}.") from None

    call.__name__ = function
    return call


def parse_own(flags: dict[str, Any]) -> None:
    """Parse lists and pairs, in place."""
    if flags.get("individuals") is not None:
        flags["individuals"] = [name.strip() for name in flags["individuals"].split(",")]
    if flags.get("skip") is not None:
        flags["skip"] = int(flags["skip"]) if flags["skip"].isdigit() else flags["skip"]
    if flags.get("points") is not None:
        flags["points"] = tuple(parse_number("--points", p) for p in flags["points"].split(","))
    if "=" in (flags.get("standings") or ""):
        flags["standings"] = parse_pairs("--standings", flags["standings"])
    if flags.get("finish") is not None:
        flags["finish"] = parse_finish(flags["finish"])


def parse_finish(text: str) -> dict[str, Any]:
    """Read places by name from --finish: playoffs=7,relegated=-3,cup=5:6."""
    out: dict[str, Any] = {}
    for part in text.split(","):
        name, sign, places = (cell.strip() for cell in part.partition("="))
        ends = places.split(":")
        whole = all(end.lstrip("-").isdigit() for end in ends)
        if not sign or not name or not whole or len(ends) > 2:
            raise click.UsageError(
                f'--finish: "{part.strip()}" is not of the form playoffs=7, relegated=-3 or '
                f"cup=5:6."
            )
        numbers = tuple(int(end) for end in ends)
        out[name] = numbers[0] if len(numbers) == 1 else numbers
    return out
