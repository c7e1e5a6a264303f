"""Commands that compute ratings and evaluate or use them."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.elo import RATING, SEQUENCE, parse_number, parse_pairs, parse_rating
from peckorder.cli.finding import finding
from peckorder.cli.fit import ML
from peckorder.cli.options import LEVEL, SEED, THREADS
from peckorder.cli.running import each_group, fail_if_not_converged, find, verb
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    option_names,
    output_options,
    params_of,
    read_contests,
    refuse_same_file,
    take_groups,
    talk,
    with_options,
)
from peckorder.cli.window import WINDOW, seen, taken_window
from peckorder.errors import ConvergenceError

RATERS = {
    "elo": "elo",
    "dynamic": "dynamic",
    "ml": "elo_ml",
    "bayes": "elo_bayes",
    "glicko": "glicko",
    "glicko2": "glicko2",
}
GLICKO = (
    click.option("--deviation", type=float, help="Glicko: initial deviation; default 300."),
    click.option("--max-deviation", type=float, help="Glicko: maximum deviation; default 350."),
)
GLICKO_1 = click.option(
    "--c", type=float, help="Glicko: increase of deviations over time; default 15."
)
GLICKO_PRESET = click.option(
    "--preset",
    type=click.Choice(["PlayerRatings"]),
    help="Increase the deviation of newcomers before their first period, as PlayerRatings does.",
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
        help="Rating method: Elo, dynamic ratings, Elo fitted by maximum likelihood (ml) or MCMC "
        "(bayes), or Glicko.",
    ),
    *RATING,
    *SEQUENCE,
    *GLICKO,
    GLICKO_1,
    *GLICKO_2,
    ML[0],
    *WINDOW,
)
SKIP = click.option(
    "--skip",
    default="0",
    show_default=True,
    metavar="N",
    help="Exclude the first N contests, or those before a date, from the evaluation.",
)
OVER = click.option(
    "--over",
    default="k",
    show_default=True,
    metavar="NAMES",
    help="Settings, optionally with a range or a list of values: k=0:200 or k=10/20/40. Also "
    "scale (delta, sd), home_advantage, carry_over.",
)
GRID = click.option(
    "--grid", type=int, help="Values per setting; default 101 for one, 31 for two, 11 for three."
)
CALIBRATE = click.option(
    "--calibrate",
    is_flag=True,
    default=None,
    help="Recalibrate predictions: multiply log-odds by a slope learned from earlier contests.",
)
CALIBRATION = (
    click.option(
        "--side",
        type=click.Choice(["favorite", "home"]),
        default="favorite",
        show_default=True,
        help="Side whose winning probability is evaluated.",
    ),
    click.option(
        "--view",
        type=click.Choice(["foresight", "hindsight"]),
        default="foresight",
        show_default=True,
        help="Use the ratings before each contest (foresight), or the final ratings (hindsight).",
    ),
    click.option("--bins", type=int, default=10, show_default=True, help="Number of bins."),
    SKIP,
    LEVEL,
)
TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit"]),
    default="davidson",
    show_default=True,
    help="Probability of a draw: modeled (Davidson), or omitted.",
)
BOOTSTRAP = click.option(
    "--runs", type=int, default=1000, show_default=True, help="Number of bootstrap samples."
)
FIXTURES = tuple(
    click.option(f"--fixture-{role}", metavar="COLUMN", help=f"Column of FIXTURES: {text}.")
    for role, text in (
        ("home", "home sides"),
        ("away", "away sides"),
        ("neutral", "neutral venues"),
        ("a", "first sides, if neither is at home"),
        ("b", "second sides"),
    )
)
BOOTSTRAP_SEED = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the random numbers."
)
FIT_TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit"]),
    help="Ties in a fit: modeled (Davidson, default), or omitted.",
)
PLAIN_BY = click.option(
    "--by", metavar="COLUMN", help="Rate and evaluate the groups in this column separately."
)
RATED_ONLY = (
    "home_advantage",
    "k",
)  # arguments of the rating, even if the function called has them, too


def rate(data: Any, flags: dict[str, Any], progress: Any = None) -> Any:
    """Ratings by the method requested; the flags of the rating are removed."""
    method, window = flags.pop("method", "elo"), taken_window(flags)
    rater = verb(RATERS[method])
    takes = set(inspect.signature(rater).parameters) - {"data"}
    names = option_names(RATER) - {"method"}
    foreign = [n for n in names if n in flags and n not in takes and flags[n] is not None]
    if foreign:
        raise click.UsageError(
            f"--{foreign[0].replace('_', '-')} cannot be used with --method {method}."
        )
    own = {name: flags[name] for name in takes if flags.get(name) is not None}
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


def _verb(
    verb: str,
    text: str,
    *options: Callable,
    groups: bool = True,
    fixtures: bool = False,
    more: tuple[str, str] | None = None,
) -> click.Command:
    """A command that rates contests and calls a function with the ratings.

    `more` gives a further table of the result and the option that writes it to a file.
    """
    name = more[1] if more else None
    known = option_names(options)
    options += () if "seed" in known else (SEED,)  # for posteriors
    options += () if "ties" in known else (FIT_TIES,)

    @click.command(verb.replace("_", "-"), help=text)
    @click.argument("file")
    @with_options(*([click.argument("fixtures")] if fixtures else []))
    @with_options(*options, *([PLAIN_BY] if groups else []))
    @output_options
    @with_options(*RATER)
    @column_options
    def command(file: str, **flags: Any) -> None:
        from peckorder.tables import format_of

        form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by", None)
        extra = flags.pop(name) if name else None
        form = chosen_format(form, output)
        listed = flags.get("fixtures")
        inputs = [file, flags["presence"], *([] if listed == file else [listed])]
        refuse_same_file([*inputs, output, extra])
        parse_rating(flags)
        _parse_own(flags)
        take_groups(flags, by)
        if extra is not None:
            format_of(extra)
        if by is not None and extra:
            raise click.UsageError(f"--by and --{name} cannot be combined.")
        data = read_contests(file, flags)
        call = called_with_ratings(verb)
        if by is None:
            found = find(call, data, flags, slow=True, printed=form == "table")
            files = []
            if extra:
                files.append(_table_file(extra, found.tables[more[0]]))  # pyright: ignore
            deliver(content(found, form), output, *files)
        else:
            parts = each_group(call, data.split("group"), flags, by, slow=True)
            deliver(content_by_group(parts, by, data.hash, form), output)
        fail_if_not_converged()

    return command


def _parse_own(flags: dict[str, Any]) -> None:
    """Parse lists and pairs, in place."""
    if flags.get("individuals") is not None:
        flags["individuals"] = [name.strip() for name in flags["individuals"].split(",")]
    if flags.get("skip") is not None:
        flags["skip"] = int(flags["skip"]) if flags["skip"].isdigit() else flags["skip"]
    if flags.get("points") is not None:
        flags["points"] = tuple(parse_number("--points", p) for p in flags["points"].split(","))
    if "=" in (flags.get("standings") or ""):
        flags["standings"] = parse_pairs("--standings", flags["standings"])


def _table_file(path: str, table: Any) -> tuple[str, bytes]:
    from peckorder.tables import as_bytes, format_of

    return path, as_bytes(table, format_of(path))


def parse_over(text: str) -> Any:
    """Parse names with optional ranges or lists: k=0:200,home_advantage=0/5/10."""
    out: dict[str, Any] = {}
    for part in text.split(","):
        name, sign, given = part.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            out[name] = None
        elif ":" in given:
            out[name] = tuple(parse_number("--over", end) for end in given.split(":"))
            if len(out[name]) != 2:
                raise click.UsageError(f"--over: {part} is not a range such as {name}=0:200.")
        elif name in ("entry", "margin"):
            out[name] = given.split("/")
        else:
            out[name] = [parse_number("--over", value) for value in given.split("/")]
    return out


def glicko_verb(verb: str, text: str, *options: Callable) -> click.Command:
    """A command that computes Glicko ratings."""
    common = (
        click.option(
            "--start",
            metavar="R",
            help="Initial rating, default 2200; or by name: name=R,name=R.",
        ),
        click.option(
            "--outcome",
            type=click.Choice(["win", "points"]),
            help="Score of a contest: win (1, ½ or 0), or the proportion of points.",
        ),
        click.option(
            "--home-advantage",
            metavar="H",
            help="Points added to the rating of the home side, also in the update: a number, or by "
            "name: name=H,name=H.",
        ),
    )
    periods = ["contest", "date", "day", "week", "month", "year"]
    period = click.option(
        "--period",
        type=click.Choice(periods),
        help="Rating period: its contests are rated with the ratings at its start. Default date, "
        "or contest if there are no dates.",
    )
    return finding(verb, text, *common, *GLICKO, *options, period, *WINDOW)


@click.command()
@click.argument("file")
@click.option(
    "--over",
    default="k",
    show_default=True,
    metavar="NAMES",
    help="Settings to tune, optionally with a range or a list of values: k,home_advantage or "
    "k=0:200 or k=10/20/40. Also scale (delta, sd), carry_over, entry, margin.",
)
@click.option(
    "--criterion",
    type=click.Choice(["log_loss", "brier", "accuracy"]),
    default="log_loss",
    show_default=True,
    help="Criterion to optimize.",
)
@click.option(
    "--test-from",
    metavar="DATE",
    help="Hold out the contests from this day on (without dates: from this contest number).",
)
@click.option("--profile", metavar="FILE", help="Write the profile of each parameter to a file.")
@with_options(SKIP, LEVEL, BOOTSTRAP, BOOTSTRAP_SEED, THREADS)
@output_options
@with_options(*RATING, *SEQUENCE)
@column_options
def tune(file: str, **flags: Any) -> None:
    """Tune the settings of Elo ratings for predictive accuracy.

    Use --k context to tune one k per context.
    """
    form, output, profile = (flags.pop(name) for name in ("form", "output", "profile"))
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output, profile])
    parse_rating(flags)
    flags["over"] = parse_over(flags["over"])
    _parse_own(flags)
    data = read_contests(file, flags)
    found = find("tune", data, flags, slow=True, printed=form == "table")
    files = [_table_file(profile, found.tables["profile"])] if profile else []
    deliver(content(found, form), output, *files)


@click.command("likelihood-surface")
@click.argument("file")
@with_options(OVER, GRID, SKIP, LEVEL, THREADS)
@output_options
@with_options(*RATING, *SEQUENCE)
@column_options
def likelihood_surface(file: str, **flags: Any) -> None:
    """Log-likelihood of Elo settings on a grid.

    Use --k context for one k per context. -o FILE writes the whole grid.
    """
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    flags["over"] = parse_over(flags["over"])
    _parse_own(flags)
    data = read_contests(file, flags)
    found = find("likelihood_surface", data, flags, slow=True, printed=form == "table")
    deliver(content(found, form), output)


@click.command("compare-models")
@click.argument("file")
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="FLAGS",
    help='Options of one rating method, such as "--k 32 --scale 1000" or "--method glicko"; '
    "repeat for each model.",
)
@click.option(
    "--by",
    type=click.Choice(["foresight", "loo", "prequential"]),
    help="Predictions to compare: by the ratings before each contest (foresight, default); for "
    "posteriors also leave-one-out (loo, their default if k is alike) or one step ahead "
    "(prequential, their default if k differs).",
)
@click.option(
    "--measure",
    type=click.Choice(["log_loss", "brier", "correct"]),
    default="log_loss",
    show_default=True,
    help="Measure of the accuracy of foresight.",
)
@with_options(SKIP, LEVEL)
@with_options(BOOTSTRAP, BOOTSTRAP_SEED)
@output_options
@column_options
def compare_models(file: str, **flags: Any) -> None:
    """Compare the predictive accuracy of rating methods."""
    form, output, texts = (flags.pop(name) for name in ("form", "output", "models"))
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    probe = click.Command(
        "--model", params=params_of((*RATER, SEED, FIT_TIES)), add_help_option=False
    )
    models = {}
    for text in texts:
        try:
            own = probe.make_context("--model", shlex.split(text)).params
            parse_rating(own)
        except (click.UsageError, ValueError) as error:
            reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise click.UsageError(f'--model "{text}": {reason}') from None
        models[text.strip() or "default"] = own
    if len(models) < 2:
        raise click.UsageError("Give --model at least twice, with different options.")
    _parse_own(flags)
    data = read_contests(file, flags)

    def call(data: Any, progress: Any = None, **options: Any) -> Any:
        import peckorder

        rated = {name: rate(data, dict(own), progress) for name, own in models.items()}
        given = {name: value for name, value in options.items() if value is not None}
        return peckorder.compare_models(rated, **given)

    call.__name__ = "compare_models"
    found = find(call, data, flags, slow=True, printed=form == "table")
    deliver(content(found, form), output)
    fail_if_not_converged()


COMMANDS = (
    glicko_verb("glicko", "Compute Glicko ratings.", GLICKO_1, GLICKO_PRESET),
    glicko_verb("glicko2", "Compute Glicko-2 ratings.", *GLICKO_2),
    _verb(
        "evaluate",
        "Predictive accuracy of ratings: foresight and hindsight.",
        click.option(
            "--equal",
            type=click.Choice(["wrong", "half", "drop"]),
            default="wrong",
            show_default=True,
            help="Contests between sides of equal rating: counted as wrong, as half, or dropped.",
        ),
        SKIP,
        click.option(
            "--per",
            type=click.Choice(["context", "group", "season", "day", "week", "month", "year"]),
            help="Also report results for each context, group, season or period.",
        ),
        LEVEL,
        BOOTSTRAP,
        BOOTSTRAP_SEED,
        THREADS,
        CALIBRATE,
    ),
    _verb(
        "calibration",
        "Calibration of predicted winning probabilities.",
        *CALIBRATION,
        CALIBRATE,
    ),
    _verb(
        "win_share",
        "Ratings against the proportion of wins. Reports line, correlation and residuals.",
        click.option("--until", metavar="DATE", help="Use contests up to this day only."),
    ),
    _verb(
        "areas",
        "Areas under rating trajectories. Also reports for how long each individual ranked above "
        "each other one.",
        click.option(
            "--individuals", metavar="NAMES", help="Individuals to include: Abe,Bo; default all."
        ),
        click.option("--trajectories", metavar="FILE", help="Write the trajectories to a file."),
        more=("trajectories", "trajectories"),
    ),
    _verb(
        "home_advantages",
        "Estimate the home advantage, overall and for each side.",
        click.option(
            "--pooled/--not-pooled",
            default=True,
            show_default=True,
            help="Partial pooling: shrink the estimates of single sides toward the common "
            "advantage.",
        ),
        SKIP,
        LEVEL,
    ),
    tune,
    likelihood_surface,
    compare_models,
    _verb(
        "predict",
        "Predict the outcomes of FIXTURES. Reports the probabilities of win, draw and loss.",
        TIES,
        click.option("--at", metavar="DATE", help="Use the ratings at the end of this day."),
        LEVEL,
        CALIBRATE,
        *FIXTURES,
        groups=False,
        fixtures=True,
    ),
    _verb(
        "simulate_season",
        "Simulate a season of FIXTURES. Reports the probabilities of titles and final places.",
        click.option(
            "--points",
            default="1,0.5,0",
            show_default=True,
            metavar="W,D,L",
            help="Points for a win, a draw and a loss.",
        ),
        click.option(
            "--standings",
            metavar="FILE",
            help='Current points: a file of names and points, "season" (points in the last season '
            "of FILE), or Reds=12,Blues=10.",
        ),
        TIES,
        click.option(
            "--runs",
            type=int,
            default=10_000,
            show_default=True,
            help="Number of simulated seasons.",
        ),
        SEED,
        THREADS,
        LEVEL,
        click.option(
            "--places", metavar="FILE", help="Write the probability of each final place to a file."
        ),
        *FIXTURES,
        groups=False,
        fixtures=True,
        more=("places", "places"),
    ),
)
