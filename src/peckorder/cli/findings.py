"""Commands that return an order or a measure: each calls the function of its name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import click

from peckorder.cli.elo import RATING, SEQUENCE, parse_rating
from peckorder.cli.progress import progress
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    joined,
    output_options,
    plain_table,
    read_contests,
    refuse_same_file,
    take_groups,
    talk,
    with_options,
)
from peckorder.errors import ConvergenceError, DataError, DataWarning

MOST_ROWS = 20
LABELS = {"elo_bayes": "sampling the posterior", "steepness_bayes": "sampling the posterior",
          "without": "fitting twice"}  # fmt: skip
READ = ("individual", "rating", "rank", "contests", "wins", "losses", "draws", "start", "start_se",
        "rating_se", "component", "deviation", "volatility", "rating_low95",
        "rating_high95", "rank_low95", "rank_high95", "p_top")  # fmt: skip
# For reading, the intervals of these tables are left to the words below them.
READ_OF = {
    "evaluate": lambda column: column.endswith(("_low", "_high")),
    "compare_models": lambda column: column == "difference_se",
}
TOLD_IN_TABLE = ("foresight", "hindsight", "verdict")
METHODS = ("elo", "randomized_elo", "davids_score", "isi", "bradley_terry")

DRAWS = click.option("--draws", type=click.Choice(["omit", "half", "both"]), default="omit",
                     show_default=True,
                     help="Leave draws out, or count them half a win or one win each.")  # fmt: skip
ALL_DRAWS = click.option(
    "--draws", type=click.Choice(["omit", "half", "both", "davidson"]), default="omit",
    show_default=True,
    help="Leave draws out, or count them half a win or one win each; with --bayes, model them.",
)  # fmt: skip
MODELED_DRAWS = click.option(
    "--draws", type=click.Choice(["davidson", "omit", "half", "both"]), default="davidson",
    show_default=True,
    help="Model draws, leave them out, or count them half a win or one win each.",
)  # fmt: skip
INDEX = click.option("--index", type=click.Choice(["dij", "pij", "binomial"]), default="dij",
                     show_default=True, help="How the chance of a dyad is estimated.")  # fmt: skip
STEEPNESS_NULL = click.option(
    "--null",
    type=click.Choice(["uniform", "binomial"]),
    default="uniform",
    show_default=True,
    help="Wins of a dyad by chance: uniform from 0 to all, as published, or by fair coins.",
)
ORDER_TEST = (
    click.option(
        "--null",
        type=click.Choice(["strengths", "dyads"]),
        default="strengths",
        show_default=True,
        help="What is held fixed: everybody's wins, or the outcomes of each dyad.",
    ),
    click.option(
        "--collapse-bouts",
        is_flag=True,
        help="Reduce contests of the same dyad in a row to the first.",
    ),
    click.option("--runs", type=int, default=199, show_default=True, help="Randomizations."),
    click.option(
        "--power-runs",
        type=int,
        default=0,
        show_default=True,
        help="Simulated records for the power against a takeover.",
    ),
)
SEED = click.option("--seed", type=int, help="Of random numbers; drawn and told by default.")
SEARCH_SEED = click.option("--seed", type=int, default=0, show_default=True,
                           help="Of the search.")  # fmt: skip
THREADS = click.option("--threads", type=int,
                       help="Cores to use; the result does not depend on it.")  # fmt: skip
RUNS = (
    click.option("--runs", type=int, default=10_000, show_default=True, help="Random runs."),
    SEED,
    THREADS,
)
ORDERS = (
    click.option("--runs", type=int, default=1000, show_default=True,
                 help="Random orders of the contests."),
    *RUNS[1:],
)  # fmt: skip
LEVEL = click.option("--level", type=float, default=0.95, show_default=True, help="Of intervals.")
TIME_LIMIT = click.option("--time-limit", type=float, default=10.0, show_default=True,
                          metavar="SECONDS",
                          help="To search where an optimum cannot be proved.")  # fmt: skip
ANIDOM = click.option("--preset", type=click.Choice(["aniDom"]), help="Settings of aniDom.")
PENALIZED = click.option("--penalized", is_flag=True, help="Fit with a normal prior on abilities.")
PRIOR_SD = click.option("--prior-sd", type=float, default=2.0, show_default=True,
                        help="Standard deviation of that prior.")  # fmt: skip
RANK_BY = click.option(
    "--rank-by", default="clutton_brock", show_default=True, help="The index that ranks.",
    type=click.Choice(["proportion", "adi", "dominated", "clutton_brock", "expected_beaten"]),
)  # fmt: skip
METHOD = click.option("--method", "methods", type=click.Choice(METHODS), multiple=True,
                      help="May be given several times; default all.")  # fmt: skip
K = click.option("--k", metavar="K", help="Of Elo ratings; default 100.")
SPLIT_AT = click.option("--split-at", "at", metavar="DATE", required=True,
                        help="First day of the second period, or a contest number.")  # fmt: skip
BY = click.option("--by", metavar="COLUMN",
                  help="Look at each group of the file on its own.")  # fmt: skip
RULE = click.option("--rule", type=click.Choice(["carried", "interpolated"]),
                    help="Rating on days without contests; by default as the preset.")  # fmt: skip


CHAINS = (
    click.option("--chains", type=int, help="Chains of the sampler; default 4."),
    click.option("--warmup", type=int, help="Draws of a chain that tune it; default 500."),
    click.option(
        "--samples",
        type=int,
        help="Draws of a chain that are kept; default 1500 (500 with --orders).",
    ),
)
STEEPNESS_BAYES = (
    click.option("--bayes", is_flag=True, help="The posterior of steepness, from Elo ratings."),
    click.option("--orders", type=int,
                 help="With --bayes: random orders of contests; default 50 to 5 if unknown."),
    click.option("--at", metavar="DATE", multiple=True,
                 help="With --bayes: at the end of a day (may be repeated), or of every week, "
                      "month or year."),
    click.option("--split-at", metavar="DATE",
                 help="With --bayes: compare the contests before with those from this day."),
    click.option("--sigma", type=float,
                 help="With --bayes: spread of starting scores; default 1."),
    click.option("--prior-k", type=float, help="With --bayes: scale of the prior of k; default 1."),
    *CHAINS,
)  # fmt: skip
BAYESIAN = ("orders", "at", "split_at", "sigma", "prior_k", "chains", "warmup", "samples")
CLASSICAL = ("index", "null", "runs")


def finding(verb: str, text: str, *options: Callable, slow: bool = False) -> click.Command:
    """A command that reads contests, calls a function of the library and delivers its result."""

    @click.command(verb.replace("_", "-"), help=text)
    @click.argument("file")
    @with_options(*options, BY)
    @output_options
    @column_options
    def command(file: str, **flags: Any) -> None:
        form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by")
        function, split = _chosen(verb, flags)
        form = chosen_format(form, output)
        refuse_same_file([file, flags["presence"], output])
        parse_rating(flags)
        take_groups(flags, by)
        if "methods" in flags:
            flags["methods"] = flags["methods"] or METHODS
        if split is not None and by is not None:
            raise click.UsageError("--split-at and --by cannot be combined: split one group.")
        data = read_contests(file, flags)
        if split is not None:
            parts = dict(zip((f"before {split}", f"from {split}"), data.cut(split), strict=True))
            groups = each_group(function, parts, flags, "period", slow=slow)
            deliver(content_by_group(groups, "period", data.hash, form), output)
            _tell_differences(function, groups)
            return
        if by is None:
            found = find(function, data, flags, slow=slow, printed=form == "table")
            deliver(content(found, form), output)
            return
        groups = each_group(function, data.split("group"), flags, by, slow=slow)
        deliver(content_by_group(groups, by, data.hash, form), output)
        _tell_differences(function, groups)

    return command


def _chosen(verb: str, flags: dict[str, Any]) -> tuple[str, str | None]:
    """The function that flags ask for, and where periods are split; other flags are taken out."""
    if "bayes" not in flags:
        return verb, None
    if not flags.pop("bayes"):
        _take_out(flags, BAYESIAN, "needs --bayes")
        if flags.get("draws") == "davidson" and verb == "steepness":
            raise click.UsageError("--draws davidson needs --bayes.")
        return verb, None
    _take_out(flags, CLASSICAL, "is not for --bayes")
    if flags["draws"] in ("half", "both"):
        raise click.UsageError("--bayes leaves draws out, or models them: --draws davidson.")
    flags["at"] = list(flags["at"]) or None
    if flags["at"] is not None and len(flags["at"]) == 1:
        flags["at"] = flags["at"][0]
    split = flags.pop("split_at")
    for name in BAYESIAN:
        if name in flags and flags[name] is None:
            del flags[name]
    return f"{verb}_bayes", split


def _take_out(flags: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    context = click.get_current_context()
    for name in names:
        if name in flags:
            given = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
            if given:
                raise click.UsageError(f"--{name.replace('_', '-')} {why}.")
            del flags[name]


def _tell_differences(function: str, groups: dict[str, Any]) -> None:
    """How surely one group is steeper than another."""
    from itertools import combinations

    if function != "steepness_bayes":
        return
    from peckorder.structure.steepness_bayes import steepness_difference

    for (one, first), (other, second) in list(combinations(groups.items(), 2))[:MOST_ROWS]:
        apart = steepness_difference(first, second)
        value = apart.values["value"]
        talk(
            f"{one} is steeper than {other} with a probability of {apart.p_steeper:.3f} "
            f"(difference {value['mean']:.3f}, 95% {value['low95']:.3f} to {value['high95']:.3f})."
        )


def each_group(
    function: str | Callable, parts: dict[str, Any], flags: dict[str, Any], by: str, *, slow: bool
) -> dict[str, Any]:
    """The result of each group; one that cannot be used is told and left out."""
    groups = {}
    for name, part in parts.items():
        try:
            groups[name] = find(function, part, flags, slow=slow, of=f"{name}: ")
        except DataError as error:
            talk(f"Note: {name} is left out: {error}")
    if not groups:
        raise DataError(f"No group of column {by} can be used.")
    return groups


def find(
    function: str | Callable, data: Any, flags: dict[str, Any], *, slow: bool,
    printed: bool = False, of: str = "",
) -> Any:  # fmt: skip
    """Call a function of the library; say what it warns of, and the seed it drew."""
    import peckorder

    flags = {flag: value for flag, value in flags.items() if value is not None}
    call = getattr(peckorder, function) if isinstance(function, str) else function
    name = function if isinstance(function, str) else function.__name__
    label = LABELS.get(name, name.replace("_", " "))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        if function == "stability":
            rule = flags.pop("rule", None)
            found = peckorder.stability(peckorder.elo(data, **flags), rule=rule)
        elif slow:
            with progress(of + label) as told:
                try:
                    found = call(data, progress=told, **flags)
                except ConvergenceError as error:
                    if error.ratings is None:
                        raise
                    # What was found is delivered all the same, and the command has failed.
                    talk(f"Error: {of}{error}")
                    click.get_current_context().meta["apart"] = True
                    found = error.ratings
        else:
            found = call(data, **flags)
    first = next(iter(found.values())) if isinstance(found, dict) else found
    said = {*first.words, " ".join(first.words)} if printed else set()
    for text in dict.fromkeys(str(warning.message) for warning in warned):
        if text not in said:  # these are printed with the table
            talk(f"Warning: {of}{text}")
    seed = first._seed()
    if flags.get("seed") is None and seed is not None:
        talk(f"{of}Seed: {seed} (--seed {seed} gives the same again).")
    return found


def fail_if_apart() -> None:
    """End with the code of a failure where chains stood apart."""
    context = click.get_current_context()
    if context.meta.get("apart"):
        context.exit(1)


def content_by_group(
    groups: dict[str, Any], by: str, data_hash: str, form: str, at: str | None = None
) -> str | bytes:
    """Orders and ratings of all groups below each other, or the values of a measure, a row each."""
    import polars as pl

    from peckorder.results import Order, Ratings
    from peckorder.tables import as_bytes

    first = next(iter(groups.values()))
    tables: dict[str | None, Any] = {
        name: _shown(found, form, at)
        if isinstance(first, Order | Ratings) or not _flat(first.values)
        else pl.DataFrame({k: [v] for k, v in _flat(found.values).items()})
        for name, found in groups.items()
    }
    table = joined(tables, by)
    if form == "table":
        told = [f"{name}: {word}" for name, found in groups.items() if isinstance(found, Ratings)
                for word in found.words]  # fmt: skip
        return plain_table(table) + ("\n" + "\n".join(told) + "\n" if told else "")
    described = first.to_dict()
    described["settings"] |= {"by": by}
    described["provenance"]["data_hash"] = data_hash
    described["result"] = {
        "groups": [{by: name, **found.to_dict()["result"]} for name, found in groups.items()]
    }
    return as_bytes(table, form, described)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Single values; of an interval its mean and its 95 % ends."""
    out = {}
    for name, value in values.items():
        if isinstance(value, dict) and "low95" in value:
            out |= {f"{name}_{part}": value[part] for part in ("mean", "low95", "high95")}
        elif not isinstance(value, dict):
            out[name] = value
    return out


def _shown(found: Any, form: str, at: str | None) -> Any:
    """The table of a result; for reading, ratings without the columns that few look at."""
    from peckorder.results import Ratings

    if not isinstance(found, Ratings):
        frame = found.frame
        if form != "table" or frame is None:
            return frame
        hidden = READ_OF.get(found.method, lambda _: False)
        return frame.select([
            c for c in frame.columns if not hidden(c) and frame[c].null_count() < frame.height
        ])  # fmt: skip
    table = found._frame() if at is None else found.at(at)
    if form != "table":
        return table
    return table.select([
        column.name for column in table
        if column.name in READ and column.null_count() < table.height
        and not (column.name == "component" and column.max() == 1)
        and not (column.name == "draws" and column.max() == 0)
    ])  # fmt: skip


def content(found: Any, form: str, at: str | None = None) -> str | bytes:
    """A result in a file format, or for reading: its table, its values and its words."""
    from peckorder.tables import as_bytes, records

    table = _shown(found, form, at)
    if form == "json":
        described = found.to_dict()
        if at is not None:
            described["result"]["table"] = records(table)
            described["settings"] |= {"at": at}
        return as_bytes(found._frame(), form, described)
    silent = TOLD_IN_TABLE if form == "table" else ()
    values = {name: value for name, value in found.values.items()
              if value is not None and name not in silent}  # fmt: skip
    lines = [line for name, value in values.items() for line in _lines(name, value)]
    if form != "table":
        if table is not None:  # a sheet has no room for these
            for line in (*lines, *found.words):
                talk(line)
        return as_bytes(found._frame() if table is None else table, form)
    parts = [] if table is None else [plain_table(table)]
    if lines:
        parts.append("\n".join(lines) + "\n")
    if found.words:
        parts.append("\n".join(found.words) + "\n")
    return "\n".join(parts)


def _lines(name: str, value: Any) -> list[str]:
    """A named value on one line, or a nested one on several."""
    import polars as pl

    if name.endswith("_intervals"):
        pairs = [(a, b, x) for a, row in value.items() for b, x in row.items() if x and a < b]
        said = (f"  {a} and {b}: {x['low']:.2f} to {x['high']:.2f}" for a, b, x in pairs)
        return [f"{name}:", *said] if pairs else []
    if isinstance(value, Mapping) and any(isinstance(part, Mapping) for part in value.values()):
        table = pl.DataFrame([{name: row, **part} for row, part in value.items()])
        return ["", *plain_table(table).splitlines(), ""]
    if isinstance(value, Mapping):
        return [f"{name}: " + ", ".join(f"{k} {_number(v)}" for k, v in value.items())]
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        rows = ["  " + ", ".join(f"{k} {_number(v)}" for k, v in row.items() if v is not None)
                for row in value[:MOST_ROWS]]  # fmt: skip
        more = len(value) - len(rows)
        return [f"{name}:", *rows, *([f"  … and {more:,} more: see --format json"] if more else [])]
    if isinstance(value, list):
        parts = (", ".join(part[:8]) + (", …" if len(part) > 8 else "") for part in value)
        return [f"{name}: " + " > ".join(f"{{{part}}}" for part in parts)] if value else []
    return [f"{name}: {_number(value)}"]


def _number(value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


COMMANDS = (
    finding("randomized_elo", "Mean Elo ratings and ranks over random orders of the contests.",
          *RATING, ANIDOM, *ORDERS, slow=True),
    finding("davids_score", "David's scores and the order they give.", INDEX, DRAWS),
    finding("isi", "The I&SI order: fewest and weakest inconsistencies, proved where possible.",
          DRAWS, TIME_LIMIT, SEARCH_SEED, slow=True),
    finding("bradley_terry", "Abilities by the Bradley–Terry model, with standard errors.",
          MODELED_DRAWS, PENALIZED, PRIOR_SD),
    finding("indices", "Simple indices: win share, ADI, number dominated, Clutton-Brock.",
          RANK_BY, DRAWS),
    finding("compare", "Orders by several methods side by side, and how far they agree.",
          METHOD, DRAWS, K, *ORDERS[:2], LEVEL, TIME_LIMIT, slow=True),
    finding("steepness", "How steep the hierarchy is, with a test; or its posterior.",
          INDEX, ALL_DRAWS, STEEPNESS_NULL, *RUNS, *STEEPNESS_BAYES, slow=True),
    finding("linearity", "How linear the hierarchy is: Landau's h, h′, Kendall's K, and a test.",
          DRAWS, *RUNS, slow=True),
    finding("transitivity", "Share of transitive triads, and a test.", DRAWS, *RUNS, slow=True),
    finding("consistency", "Directional consistency and skew-symmetry, and a test.",
          DRAWS, *RUNS, slow=True),
    finding("stability", "How stable the ranks by Elo were over time.", *RATING, *SEQUENCE, RULE),
    finding("order_test", "Whether ranks changed: a test of the order of contests.",
          *ORDER_TEST, SEED, THREADS, slow=True),
    finding("repeatability", "Share of the variance of randomized Elo between individuals.",
          *RATING, ANIDOM, *ORDERS, slow=True),
    finding("splitting", "Agreement of Elo ratings from two random halves of the contests.",
          *RATING, ANIDOM, *ORDERS, slow=True),
    finding("hierarchy_shape", "How often the higher-ranked wins, by difference in rank.",
          DRAWS, LEVEL),
    finding("dyads", "Every dyad: who dominates whom, what is tied or unknown.",
          INDEX, DRAWS),
    finding("reversals", "Dyads whose dominance turned round between two periods.",
          SPLIT_AT, DRAWS),
    finding("unknown_dyads", "Dyads without a contest, of all and of those ever present together.",
          DRAWS),
)  # fmt: skip
