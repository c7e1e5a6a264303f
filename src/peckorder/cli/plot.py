"""`peckorder plot KIND FILE -o figure.pdf`: read, rate or measure, and draw."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.elo import RATING, SEQUENCE, parse_rating
from peckorder.cli.evaluate import CALIBRATION, FIT_TIES, RATER, rate
from peckorder.cli.fit import BAYES, COMMON, ML, settings_of
from peckorder.cli.options import (
    INDEX,
    LEVEL,
    METHOD,
    METHODS,
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
from peckorder.cli.running import fail_if_apart, find, verb
from peckorder.cli.shared import (
    column_options,
    deliver,
    option_names,
    read_contests,
    refuse_same_file,
    with_options,
)
from peckorder.cli.simulate import METHOD as RECOVERED

NAMES = click.option(
    "--individuals",
    metavar="NAMES",
    multiple=True,
    help="Draw these only: Abe,Bo (may be repeated).",
)
HIGHLIGHT = click.option(
    "--highlight", metavar="NAMES", multiple=True, help="These in color, the others grey: Abe,Bo."
)
MODELED = (*RATER, SEED, FIT_TIES)
FITTED = (*COMMON, *(o for o in BAYES if option_names((o,)) != {"shared"}))
SUMMED = tuple(o for o in STEEPNESS_BAYES if not option_names((o,)) & {"bayes", "split_at"})


def _part(*parts: str) -> Callable:
    return click.option("--part", type=click.Choice(parts), help="Draw this part only.")


def ratings(data: Any, progress: Any = None, **flags: Any) -> Any:
    return rate(data, flags, progress)


def intervals(data: Any, progress: Any = None, method: str | None = None, **flags: Any) -> Any:
    """Ranks with intervals, by the method that flags ask for."""
    import peckorder

    method = method or ("bayes" if data.ordered else "steepness")
    if method == "bayes":
        if flags.pop("runs", None) is not None:
            raise click.UsageError("--runs is for --method randomized.")
        return peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))
    function = peckorder.steepness_bayes if method == "steepness" else peckorder.randomized_elo
    parse_rating(flags)
    foreign = set(flags) - set(inspect.signature(function).parameters)
    if foreign:
        flag = sorted(foreign)[0].replace("_", "-")
        raise click.UsageError(f"--{flag} is not for --method {method}.")
    return function(data, progress=progress, **flags)


def sampling(data: Any, progress: Any = None, **flags: Any) -> Any:
    import peckorder

    return peckorder.elo_bayes(data, progress=progress, **settings_of(flags, "bayes"))


def calibrated(data: Any, progress: Any = None, **flags: Any) -> Any:
    import peckorder

    names = inspect.signature(peckorder.calibration).parameters
    own = {name: flags.pop(name) for name in names if name in flags and name != "home_advantage"}
    return peckorder.calibration(rate(data, flags, progress), **own)


def _by_function(name: str, **more: Any) -> Callable:
    """Call a function of the library; it is told how far it is where it can be."""

    def call(data: Any, progress: Any = None, **flags: Any) -> Any:
        function = verb(name)
        told = (
            {"progress": progress} if "progress" in inspect.signature(function).parameters else {}
        )
        return function(data, **told, **flags, **more)

    call.__name__ = name
    return call


def ordered(data: Any, progress: Any = None, order: str = "", ties: str = "omit") -> Any:
    """The order in which a matrix of wins stands."""
    return verb(order)(data, ties=ties)


def _kind(kind: str, text: str, make: Callable | None, *options: Callable) -> click.Command:
    """A command that draws one kind of figure of what `make` makes of the contests."""

    @click.command(kind.replace("_", "-"), help=text)
    @click.argument("file")
    @click.option(
        "-o", "--output", metavar="FILE", required=True, help="Figure to write: .png, .svg or .pdf."
    )
    @click.option("--table", metavar="FILE", help="Also write the table that is drawn.")
    @click.option(
        "--width",
        type=float,
        metavar="MM",
        help="Millimeters; 85 and 174 are one and two columns of a journal.",
    )
    @with_options(*options)
    @column_options
    def command(file: str, **flags: Any) -> None:
        import peckorder
        from peckorder.figures.files import picture, picture_format
        from peckorder.tables import as_bytes, as_polars, check_target, format_of

        output, table = flags.pop("output"), flags.pop("table")
        refuse_same_file([file, flags["presence"], output, table])
        picture_format(output)
        for path in (output, table):
            if path is not None:
                check_target(path)
        form = None if table is None else format_of(table)
        figure = getattr(peckorder.plot, kind)
        looks = set(inspect.signature(figure).parameters)
        look = {name: flags.pop(name) for name in LOOKS.get(kind, ()) if name in looks}
        look |= {name: flags.pop(name) for name in COMMON_LOOKS if name in looks and name in flags}
        look = {
            name: _parsed(name, value)
            for name, value in look.items()
            if value is not None and value != ()
        }
        if kind not in ("ranks", "posterior"):  # whose flags are those of a fit
            parse_rating(flags)
        _parse_own(flags)
        data = read_contests(file, flags)
        found = _found(kind, make, data, flags, look)
        files = [(output, picture(lambda: figure(found, **look), output))]
        if table is not None:
            drawn = as_polars(figure.data(found, **look))
            files.append((table, as_bytes(drawn, form)))  # pyright: ignore[reportArgumentType]
        deliver(b"", None, *files)
        fail_if_apart()

    return command


def _found(kind: str, make: Callable | None, data: Any, flags: dict, look: dict) -> Any:
    """What is drawn; a matrix of wins is that of the contests, in the order that was made."""
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
        raise click.UsageError(
            f"{flag} makes no difference without --order rating or --show chances."
        )
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
    "width",
)
LOOKS = {"ranks": ("level", "at"), "matrix": ("ties",)}


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
            raise click.UsageError("--at: a figure shows one moment, so give a single date.")
        flags["at"] = several[0] if several else None


@click.group()
def plot() -> None:
    """Figures for a journal: peckorder plot KIND FILE -o figure.pdf."""


for command in (
    _kind(
        "trajectories",
        "Ratings over time, a line each, broken while somebody is absent.",
        ratings,
        NAMES,
        HIGHLIGHT,
        click.option(
            "--over",
            type=click.Choice(["date", "contest"]),
            help="Dates (default, where there are some) or contests.",
        ),
        click.option(
            "--ribbons/--no-ribbons",
            default=None,
            help="Shade 80 and 95 % intervals; takes --method bayes.",
        ),
        click.option("--separate", is_flag=True, help="A small panel for each individual."),
        *MODELED,
    ),
    _kind(
        "ranks",
        "Ranks with intervals; bars join those that cannot be told apart.",
        intervals,
        click.option(
            "--method",
            type=click.Choice(["bayes", "steepness", "randomized"]),
            help="Posterior of Elo ratings (default); the same over random orders, "
            "for contests in no known order; or randomized Elo.",
        ),
        LEVEL,
        click.option("--at", metavar="DATE", help="Rank those present at the end of a day."),
        click.option("--runs", type=int, help="Of randomized Elo; default 1000."),
        *FITTED,
    ),
    _kind(
        "bump",
        "Ranks at the end of each period, a line each.",
        ratings,
        NAMES,
        HIGHLIGHT,
        click.option(
            "--periods",
            metavar="PERIODS",
            help="week, month, year, or a number of parts with equally many contests.",
        ),
        *MODELED,
    ),
    _kind(
        "matrix",
        "Wins of row over column in rank order, or the chances of such wins.",
        ratings,
        click.option(
            "--show",
            type=click.Choice(["wins", "chances"]),
            default="wins",
            show_default=True,
            help="What is counted, or what ratings expect.",
        ),
        click.option(
            "--order",
            help="Who ranks; davids_score by default, of chances the rating.",
            type=click.Choice(["davids_score", "isi", "bradley_terry", "rating"]),
        ),
        TIES,
        *RATER,
        SEED,
    ),
    _kind(
        "steepness",
        "David's scores on ranks with their line, and what chance alone gives.",
        _by_function("steepness"),
        _part("scores", "null"),
        INDEX,
        TIES,
        STEEPNESS_NULL,
        *RUNS,
    ),
    _kind(
        "shape",
        "How often the higher-ranked wins, by difference in rank.",
        _by_function("hierarchy_shape"),
        TIES,
        LEVEL,
    ),
    _kind(
        "posterior",
        "Prior and posterior of k and sigma, and densities of the final ratings.",
        sampling,
        _part("parameters", "scores"),
        *FITTED,
    ),
    _kind(
        "calibration",
        "Foretold chances beside the shares that came true.",
        calibrated,
        *CALIBRATION,
        *MODELED,
    ),
    _kind(
        "compare",
        "Orders by several methods side by side.",
        _by_function("compare"),
        NAMES,
        HIGHLIGHT,
        METHOD,
        TIES,
        K,
        *ORDERS[:2],
        TIME_LIMIT,
    ),
    _kind("presence", "Who was there when.", None),
    _kind(
        "recovery",
        "Error of ranks as contests go on, and estimated against true ranks.",
        _by_function("recovery", effort=()),
        _part("time", "ranks"),
        RECOVERED,
        click.option("--runs", type=int, default=200, show_default=True, help="Simulated records."),
        SEED,
        THREADS,
        *RATING,
        *SEQUENCE,
        ML[0],
    ),
    _kind(
        "summed_probability",
        "Summed winning chances on ranks, with posterior lines.",
        _by_function("steepness_bayes"),
        *SUMMED,
        click.option(
            "--ties",
            type=click.Choice(["omit", "davidson"]),
            default="omit",
            show_default=True,
            help="Leave draws out, or model them.",
        ),
        SEED,
        THREADS,
    ),
):
    plot.add_command(command)
