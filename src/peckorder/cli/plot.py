"""`peckorder plot KIND FILE -o figure.pdf`: figures of ratings, ranks and measures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.elo import RATING, SEQUENCE, parse_rating
from peckorder.cli.evaluate import CALIBRATION
from peckorder.cli.fit import BAYES, COMMON, ML, settings_of
from peckorder.cli.network import in_order
from peckorder.cli.options import (
    CHANGE_POINTS,
    FROM_TO,
    INDEX,
    LEVEL,
    METHOD,
    METHODS,
    ORDER,
    ORDERS,
    RUNS,
    SEED,
    STEEPNESS_BAYES,
    STEEPNESS_NULL,
    THREADS,
    TIES,
    TIME_LIMIT,
    K,
)
from peckorder.cli.over_time import OVER_TIME
from peckorder.cli.rating import FIT_TIES, RATER, SKIP, rate
from peckorder.cli.running import fail_if_not_converged, find, verb
from peckorder.cli.shared import (
    column_options,
    deliver,
    option_names,
    read_contests,
    refuse_same_file,
    with_options,
)
from peckorder.cli.simulate import METHOD as RECOVERED
from peckorder.cli.simulate import PLAN, pilot_of, planned
from peckorder.cli.tune import GRID, OVER, parse_over
from peckorder.cli.visits import READING, THRESHOLDS, gaps_of
from peckorder.cli.window import WINDOW, seen, taken_window

NAMES = click.option(
    "--individuals",
    metavar="NAMES",
    multiple=True,
    help="Show these individuals only: Abe,Bo (may be repeated).",
)
HIGHLIGHT = click.option(
    "--highlight",
    metavar="NAMES",
    multiple=True,
    help="Individuals shown in color, the others in gray: Abe,Bo (may be repeated).",
)
INTERVALS = {
    "dynamic": "dynamic",
    "steepness": "steepness_bayes",
    "randomized": "randomized_elo",
}
MODELED = (*RATER, SEED, FIT_TIES)
FITTED = (*COMMON, *(o for o in BAYES if option_names((o,)) != {"shared"}))
SUMMED = tuple(o for o in STEEPNESS_BAYES if not option_names((o,)) & {"bayes", "split_at"})


FILES = (
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="File to write: .png, .svg or .pdf.",
    ),
    click.option(
        "--table", metavar="FILE", help="Also write the data shown in the figure to a file."
    ),
    click.option(
        "--width",
        type=float,
        metavar="MM",
        help="Width in millimeters; journals use about 85 (one column) and 174 (two columns).",
    ),
)


def _part(*parts: str) -> Callable:
    return click.option("--part", type=click.Choice(parts), help="Show this panel only.")


def ratings(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Ratings by the method and settings of the flags."""
    return rate(data, flags, progress)


def intervals(data: Any, progress: Any = None, method: str | None = None, **flags: Any) -> Any:
    """Ranks with intervals, by the method requested."""
    import peckorder

    method, window = method or "dynamic", taken_window(flags)
    if method not in ("dynamic", "bayes") and window != (None, None):
        # Without a course of ratings, a window is a selection of contests.
        data, window = data.filter(start=window[0], end=window[1]), (None, None)
    if method != "randomized" and flags.pop("runs", None) is not None:
        raise click.UsageError("--runs requires --method randomized.")
    if method == "bayes":
        fitted = peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))
        return seen(fitted, window)
    function = verb(INTERVALS[method])
    parse_rating(flags)
    takes = inspect.signature(function).parameters
    foreign = set(flags) - set(takes)
    if foreign:
        flag = sorted(foreign)[0].replace("_", "-")
        raise click.UsageError(f"--{flag} cannot be used with --method {method}.")
    shown = {"progress": progress} if "progress" in takes else {}
    return seen(function(data, **shown, **flags), window)


def sampling(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Posterior of Bayesian Elo with the settings of the flags."""
    import peckorder

    return peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))


def calibrated(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Calibration of the ratings that the flags describe."""
    import peckorder

    names = inspect.signature(peckorder.calibration).parameters
    own = {name: flags.pop(name) for name in names if name in flags and name != "home_advantage"}
    return peckorder.calibration(rate(data, flags, progress), **own)


def surface(data: Any, progress: Any = None, **flags: Any) -> Any:
    """Likelihood surface of the settings that the flags describe."""
    import peckorder

    given = {name: value for name, value in flags.items() if value is not None}
    given["over"] = parse_over(given["over"])
    return peckorder.fits.likelihood_surface(data, progress=progress, **given)


def studied(data: Any, progress: Any = None, measure: str = "steepness_bayes", **flags: Any) -> Any:
    """A study of all groups of the data, or of all contests if there are no groups."""
    import peckorder

    by, workers = None if data.group is None else "group", flags.pop("workers", None)
    return peckorder.study(
        data,
        by=by,
        measures=measure,
        executor=workers,
        progress=progress,
        **flags,
    )


def _by_function(name: str, **more: Any) -> Callable:
    """Call a function of the library, with a progress callback if it takes one."""

    def call(data: Any, progress: Any = None, **flags: Any) -> Any:
        function = verb(name)
        takes = inspect.signature(function).parameters
        shown = {"progress": progress} if "progress" in takes else {}
        return function(data, **shown, **flags, **more)

    call.__name__ = name
    return call


def ordered(data: Any, progress: Any = None, order: str = "", ties: str = "omit") -> Any:
    """The rank order used for the rows and columns of a matrix of wins."""
    return verb(order)(data, ties=ties)


def _kind(kind: str, text: str, make: Callable | None, *options: Callable) -> click.Command:
    """A command that draws one kind of figure of the result of `make`."""

    @click.command(kind.replace("_", "-"), help=text)
    @click.argument("file", required=kind != "power")  # a plan may be made without data
    @with_options(*FILES)
    @with_options(*options)
    @column_options
    def command(file: str | None, **flags: Any) -> None:
        import peckorder

        output, table = flags.pop("output"), flags.pop("table")
        _check_targets([file, flags["presence"], output, table], output, table)
        figure = getattr(peckorder.plot, kind)
        looks = set(inspect.signature(figure).parameters)
        look = {name: flags.pop(name) for name in LOOKS.get(kind, ()) if name in looks}
        look |= {name: flags.pop(name) for name in COMMON_LOOKS if name in looks and name in flags}
        look = {
            name: _parsed(name, value)
            for name, value in look.items()
            if value is not None and value != ()
        }
        if kind not in ("ranks", "posterior"):  # these take the flags of a fit
            parse_rating(flags)
        _parse_own(flags)
        if file is None or kind == "power":
            found = planned(pilot_of(file, flags), flags)
        else:
            found = _found(kind, make, read_contests(file, flags), flags, look)
        _draw(figure, found, look, output, table)
        fail_if_not_converged()

    return command


def _check_targets(names: list[str | None], output: str, table: str | None) -> None:
    """Raise an error, before anything is computed, for files that cannot be written."""
    from peckorder.figures.files import picture_format
    from peckorder.tables import check_target, format_of

    refuse_same_file(names)
    picture_format(output)
    for path in (output, table):
        if path is not None:
            check_target(path)
    if table is not None:
        format_of(table)


def _draw(figure: Any, found: Any, look: dict, output: str, table: str | None) -> None:
    """Write the figure and, if requested, its table."""
    from peckorder.figures.files import picture
    from peckorder.tables import as_bytes, as_polars, format_of

    files = [(output, picture(lambda: figure(found, **look), output))]
    if table is not None:
        drawn = as_polars(figure.data(found, **look))
        files.append((table, as_bytes(drawn, format_of(table))))
    deliver(b"", None, *files)


@click.command("gaps")
@click.argument("file")
@with_options(*FILES, THRESHOLDS, *READING)
def gaps(file: str, **flags: Any) -> None:
    """Gaps between visits to a feeder. FILE is a table of visits, as for "displacements"."""
    import peckorder

    output, table, width = (flags.pop(name) for name in ("output", "table", "width"))
    _check_targets([file, output, table], output, table)
    found = gaps_of(file, flags)
    look = {} if width is None else {"width": width}
    _draw(peckorder.plot.gaps, found, look, output, table)


def _found(kind: str, make: Callable | None, data: Any, flags: dict, look: dict) -> Any:
    """The object to draw; for a matrix of wins, the contests with a separate rank order."""
    if make is None:
        return data
    if kind != "matrix":
        return find(make, data, flags, slow=True)
    order = flags.pop("order")
    chances = look.get("show") == "chances"
    if order != "rating" and not (chances and order is None):
        wanted = {"order": order or "davids_score", "ties": look.get("ties", "omit")}
        look["order"] = find(ordered, data, wanted, slow=True)
    if chances or order == "rating":
        return find(make, data, flags, slow=True)
    idle = [name for name, value in flags.items() if value is not None and name != "method"]
    if idle:
        flag = f"--{idle[0].replace('_', '-')}"
        raise click.UsageError(f"{flag} requires --order rating or --show chances.")
    return data


COMMON_LOOKS = (
    "individuals",
    "highlight",
    "over",
    "ribbons",
    "separate",
    "periods",
    "part",
    "show",
    "edges",
    "width",
)
LOOKS = {
    "ranks": ("level", "at"),
    "matrix": ("ties",),
    "matrices": ("ties", "by"),
    "forest": ("value",),
    "against": ("value", "covariates"),
}
STUDIED = (
    click.option(
        "--measure",
        default="steepness_bayes",
        show_default=True,
        metavar="NAME",
        help="Measure, as in the study command; groups are those of --group.",
    ),
    click.option("--value", metavar="NAME", help="Another value of the measure than the main one."),
    SEED,
    click.option("--workers", type=int, help="Number of worker processes; default one per core."),
)


def _parsed(name: str, value: Any) -> Any:
    if name in ("individuals", "highlight"):
        return [part.strip() for text in value for part in text.split(",")]
    if name == "periods":
        return int(value) if value.isdigit() else value
    return value


def _parse_own(flags: dict[str, Any]) -> None:
    if flags.get("skip") is not None:
        flags["skip"] = int(flags["skip"]) if flags["skip"].isdigit() else flags["skip"]
    if "methods" in flags:
        flags["methods"] = flags["methods"] or METHODS
    if "at" in flags:
        several = list(flags["at"])
        if len(several) > 1 or several[:1] in (["week"], ["month"], ["year"]):
            raise click.UsageError("--at: give a single date for a figure.")
        flags["at"] = several[0] if several else None


@click.group()
def plot() -> None:
    """Draw publication-quality figures.

    Usage: peckorder plot KIND FILE -o figure.pdf
    """


for command in (
    _kind(
        "trajectories",
        "Ratings over time, one line per individual. Lines are interrupted during absences.",
        ratings,
        NAMES,
        HIGHLIGHT,
        click.option(
            "--over",
            type=click.Choice(["date", "contest"]),
            help="Horizontal axis: dates (default if available) or contest numbers.",
        ),
        click.option(
            "--ribbons/--no-ribbons",
            default=None,
            help="Shade 80% and 95% credible intervals; requires --method dynamic or bayes.",
        ),
        click.option("--separate", is_flag=True, help="Draw a small panel for each individual."),
        *MODELED,
    ),
    _kind(
        "ranks",
        "Ranks with intervals. Bars connect ranks that are not distinguishable.",
        intervals,
        click.option(
            "--method",
            type=click.Choice(["dynamic", "bayes", "steepness", "randomized"]),
            default="dynamic",
            show_default=True,
            help="dynamic: dynamic ratings; bayes: Bayesian Elo; steepness: posterior of winning "
            "probabilities without change over time; randomized: randomized Elo.",
        ),
        *WINDOW,
        LEVEL,
        click.option(
            "--at", metavar="DATE", help="Rank the individuals present at the end of this day."
        ),
        NAMES,
        click.option(
            "--runs",
            type=int,
            help="Number of random orders, with --method randomized; default 1000.",
        ),
        *FITTED,
    ),
    _kind(
        "bump",
        "Ranks by period, one line per individual. Shows the ranks at the end of each period.",
        ratings,
        NAMES,
        HIGHLIGHT,
        click.option(
            "--periods",
            metavar="PERIODS",
            help="Length of a period: week, month, year, or a number of periods with equal "
            "numbers of contests.",
        ),
        *MODELED,
    ),
    _kind(
        "matrix",
        "Win matrix in rank order. With --show chances, the expected winning probabilities.",
        ratings,
        click.option(
            "--show",
            type=click.Choice(["wins", "chances"]),
            default="wins",
            show_default=True,
            help="Observed wins, or winning probabilities expected from the ratings.",
        ),
        click.option(
            "--order",
            help="Rank order of rows and columns; default davids_score, or rating with --show "
            "chances.",
            type=click.Choice(["davids_score", "isi", "bradley_terry", "rating"]),
        ),
        TIES,
        *RATER,
        SEED,
    ),
    _kind(
        "network",
        "Dominance network in layers by rank. Arrows lead from winners to losers, with a width by "
        "net wins.",
        in_order,
        ORDER,
        TIES,
        click.option(
            "--edges",
            type=int,
            help="Number of edges to draw, those with most net wins; default all, or two per "
            "individual in groups of more than 15.",
        ),
        *FROM_TO,
    ),
    _kind(
        "steepness",
        "Normalized David's scores against ranks. Shows the fitted line and the null distribution.",
        _by_function("steepness"),
        _part("scores", "null"),
        INDEX,
        TIES,
        STEEPNESS_NULL,
        *RUNS,
        *FROM_TO,
    ),
    _kind(
        "shape",
        "Wins of the higher-ranked, by rank difference.",
        _by_function("hierarchy_shape"),
        TIES,
        LEVEL,
        *FROM_TO,
    ),
    _kind(
        "posterior",
        "Prior and posterior of k and sigma. Also shows posterior densities of final ratings.",
        sampling,
        _part("parameters", "scores"),
        *FITTED,
    ),
    _kind(
        "calibration",
        "Predicted probabilities against observed proportions. Shows the calibration of ratings.",
        calibrated,
        *CALIBRATION,
        *MODELED,
    ),
    _kind(
        "likelihood",
        "Log-likelihood of Elo settings. Shows a curve for one setting, a map for two.",
        surface,
        OVER,
        GRID,
        SKIP,
        LEVEL,
        THREADS,
        *RATING,
        *SEQUENCE,
    ),
    _kind(
        "tenure",
        "Who held a rank when, one bar per tenure.",
        ratings,
        click.option("--rank", type=int, default=1, show_default=True, help="The rank."),
        *MODELED,
    ),
    _kind(
        "change_points",
        "Probability of an abrupt change at each date.",
        _by_function("change_points"),
        *CHANGE_POINTS,
    ),
    _kind(
        "over_time",
        "A measure or rank order over moving windows, with its interval.",
        _by_function("over_time"),
        *OVER_TIME,
    ),
    _kind(
        "compare",
        "Rank orders by several methods side by side.",
        _by_function("compare"),
        NAMES,
        HIGHLIGHT,
        METHOD,
        TIES,
        K,
        *ORDERS[:2],
        TIME_LIMIT,
        *FROM_TO,
    ),
    _kind(
        "forest",
        "A measure in many groups, with intervals and the mean over groups.",
        studied,
        *STUDIED,
    ),
    _kind(
        "against",
        "A measure in many groups against a covariate of the groups.",
        studied,
        click.option(
            "--over",
            metavar="COLUMN",
            default="individuals",
            show_default=True,
            help="Column of the covariates, or of the table of the study.",
        ),
        click.option("--covariates", metavar="FILE", help="Sheet with one row per group."),
        *STUDIED,
    ),
    _kind(
        "matrices",
        "Win matrices of many groups as small multiples.",
        None,
        click.option("--by", metavar="COLUMN", help="Column of groups; default that of --group."),
        TIES,
        *FROM_TO,
    ),
    _kind("presence", "Periods of presence of each individual.", None),
    _kind(
        "recovery",
        "Rank errors in simulated data. Shows errors by number of contests, and estimated "
        "against true ranks.",
        _by_function("recovery", effort=()),
        _part("time", "ranks"),
        RECOVERED,
        click.option(
            "--runs",
            type=int,
            default=200,
            show_default=True,
            help="Number of simulated data sets.",
        ),
        SEED,
        THREADS,
        *RATING,
        *SEQUENCE,
        ML[0],
    ),
    _kind(
        "power",
        "Share of studies that reach a target, by number of contests. FILE is a pilot; without it, "
        "the group is assumed (--individuals, --spread).",
        None,
        *PLAN,
        *RATING,
        ML[0],
    ),
    _kind(
        "summed_probability",
        "Summed winning probabilities against ranks. Shows posterior draws of the line.",
        _by_function("steepness_bayes"),
        *SUMMED,
        click.option(
            "--ties",
            type=click.Choice(["omit", "davidson"]),
            default="omit",
            show_default=True,
            help="Treatment of ties: omitted, or modeled (Davidson).",
        ),
        SEED,
        THREADS,
        *FROM_TO,
    ),
    gaps,
):
    plot.add_command(command)
