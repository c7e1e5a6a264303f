"""Commands based on simulation: data with known ranks, recovery of ranks, and power."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content
from peckorder.cli.elo import RATING, SEQUENCE, parse_number, parse_rating
from peckorder.cli.fit import ML
from peckorder.cli.options import SEED, THREADS
from peckorder.cli.running import find, verb
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    option_names,
    output_options,
    read_contests,
    refuse_same_file,
    talk,
    with_options,
)

SCENARIOS = (
    "hierarchy",
    "high_dimensional",
    "unbalanced",
    "takeover",
    "coalitionary_leap",
    "mortality",
    "long_term",
    "self_organizing",
)
METHODS = ("dynamic", "elo", "elo_ml", "elo_bayes", "randomized_elo", "davids_score")
METHOD = click.option(
    "--method",
    type=click.Choice(METHODS),
    help="Method fitted to the simulated data; default dynamic, or elo with settings of Elo.",
)
MADE = (
    click.option("--individuals", type=int, help="Number of individuals."),
    click.option("--spread", type=float, help="Spread of strengths, on the natural scale."),
    click.option(
        "--strengths",
        type=click.Choice(["grid", "normal"]),
        help="Distribution of strengths: equidistant (grid), or normal.",
    ),
    click.option(
        "--meeting",
        metavar="RULE",
        help="Frequency of contests: equal, by_rank or by_closeness; or two rules, for the "
        "initiator and for its opponent: by_rank,by_closeness.",
    ),
)


def _numbers(flag: str, text: str, whole: bool = True) -> list:
    parts = [part.strip() for part in text.split(",")]
    if not whole:
        return [parse_number(flag, part) for part in parts]
    wrong = [part for part in parts if not part.isdigit()]
    if wrong:
        raise click.UsageError(f'{flag}: "{wrong[0]}" is not a whole number.')
    return [int(part) for part in parts]


def _check_flags(flags: dict[str, Any], names: set[str]) -> None:
    """Raise an error for flags that the method does not take; remove those not given.

    Without a method, flags of Elo request it.
    """
    from inspect import signature

    given = any(flags.get(name) is not None for name in names)
    method = flags["method"] or ("elo" if given else "dynamic")
    if given:
        flags["method"] = method
    takes = signature(verb(method)).parameters
    for name in names & set(flags):
        if flags[name] is None:
            del flags[name]
        elif name not in takes:
            raise click.UsageError(
                f"--{name.replace('_', '-')} cannot be used with --method {method}."
            )
    if "estimate" in flags:
        flags["estimate"] = tuple(part.strip() for part in flags["estimate"].split(","))


def _meeting(text: str | None) -> Any:
    return tuple(text.split(",")) if text is not None and "," in text else text


@click.command()
@click.argument("scenario", type=click.Choice([name.replace("_", "-") for name in SCENARIOS]))
@with_options(*MADE)
@click.option(
    "--interactions",
    metavar="N",
    help="Number of contests; for scenarios with several periods, one per period: 2000,2000.",
)
@click.option(
    "--initiative",
    type=float,
    help="hierarchy: frequency of contests initiated against stronger individuals, relative to "
    "weaker ones (0 to 1).",
)
@click.option(
    "--starter-advantage",
    type=float,
    help="hierarchy: advantage of the initiator, on the natural scale.",
)
@click.option(
    "--nu", type=float, help="hierarchy: Davidson's ν, which sets the frequency of draws."
)
@click.option("--years", type=int, help="long-term: length of the record; default 30.")
@click.option("--takeovers", type=int, help="long-term: number of takeovers; default 5.")
@click.option(
    "--drift", type=float, help="long-term: change of strengths within a year; default 0.3."
)
@click.option("--stay", type=float, help="long-term: mean stay in years; default 8.")
@click.option("--per-dyad", type=int, help="self-organizing: contests per dyad; default 280.")
@click.option("--k", type=float, help="self-organizing: k, the effect of an outcome on ratings.")
@click.option(
    "--model",
    type=click.Choice(["elo", "theraulaz_step", "theraulaz_ratio", "dodom"]),
    help="self-organizing: model of winner and loser effects; default elo.",
)
@click.option("--truth", metavar="FILE", help="Write the true strengths and ranks to a file.")
@with_options(SEED)
@output_options
def simulate(scenario: str, **flags: Any) -> None:
    """Simulate contests.

    True ranks are known in most scenarios; in self-organizing, ranks emerge from the contests.
    """
    from inspect import signature

    import polars as pl

    import peckorder
    from peckorder.runs import seed_number
    from peckorder.tables import as_bytes, format_of

    form, output, path = (flags.pop(name) for name in ("form", "output", "truth"))
    form = form or ("csv" if output is None else chosen_format(None, output))
    if form == "table":
        form = "csv"
    refuse_same_file([output, path])
    if path is not None:
        format_of(path)
    drawn = flags["seed"] is None
    flags["seed"] = seed_number(flags["seed"])
    make = getattr(peckorder.simulate, scenario.replace("-", "_"))
    flags["interactions_per_dyad"] = flags.pop("per_dyad")
    flags["meeting"] = _meeting(flags["meeting"])
    if flags["interactions"] is not None:
        numbers = _numbers("--interactions", flags["interactions"])
        flags["interactions"] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    given = {name: value for name, value in flags.items() if value is not None}
    foreign = [name for name in given if name not in signature(make).parameters]
    if foreign:
        flag = "per-dyad" if foreign[0] == "interactions_per_dyad" else foreign[0]
        raise click.UsageError(f"--{flag.replace('_', '-')} cannot be used with {scenario}.")
    made = make(**given)
    if drawn:
        talk(f"Seed: {given['seed']} (use --seed {given['seed']} to reproduce these data).")
    more = []
    if scenario == "self-organizing":
        data = made.interactions(0)
        for sentence in made.summary:
            talk(sentence)
        truth = pl.DataFrame({"individual": made.individuals, "rating": made.draws["ratings"][0]})
        truth = truth.sort("rating", descending=True).with_row_index("rank", 1)
    else:
        truth, data = made[0].table, made[1]
    if path is not None:
        more.append((path, as_bytes(truth, format_of(path))))
    deliver(as_bytes(data.frame(), form), output, *more)


@click.command()
@click.argument("file")
@with_options(METHOD)
@click.option(
    "--runs", type=int, default=200, show_default=True, help="Number of simulated data sets."
)
@click.option(
    "--effort",
    metavar="FACTORS",
    help='Also simulate this many times as many contests; default 2,4 (for fits 2), "" for none.',
)
@with_options(SEED, THREADS)
@output_options
@with_options(*RATING, *SEQUENCE, ML[0])
@column_options
def recovery(file: str, **flags: Any) -> None:
    """Estimate how well ranks are recovered.

    Simulates data sets like the one given and compares estimated with true ranks.
    """
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    _check_flags(flags, option_names((*RATING, *SEQUENCE, ML[0])))
    if flags["effort"] is not None:
        given = flags["effort"].strip()
        flags["effort"] = _numbers("--effort", given, whole=False) if given else []
    data = read_contests(file, flags)
    found = find("recovery", data, flags, slow=True, printed=form == "table")
    deliver(content(found, form), output)


PLAN = (
    click.option(
        "--target",
        type=click.Choice(["dyads", "steepness", "linearity"]),
        help="Find the number of contests for: dyads in the correct order, steepness known to "
        "±--within, or a significant h′.",
    ),
    click.option(
        "--goal",
        type=float,
        help="Share of dyads (default 0.95), or of studies that reach the target (default 0.8).",
    ),
    click.option("--within", type=float, help="Margin of steepness; default 0.1."),
    click.option("--rate", type=float, help="Contests observed per hour, to report hours."),
    *MADE,
    METHOD,
    click.option("--unknown", type=float, help="Share of dyads that never meet; default 0."),
    click.option(
        "--effort",
        metavar="NUMBERS",
        help="Numbers of contests to try; default as needed for --target, else 100,200,400,800.",
    ),
    click.option(
        "--runs",
        type=int,
        default=100,
        show_default=True,
        help="Number of simulated data sets per number of contests.",
    ),
    SEED,
    THREADS,
)


@click.command()
@click.argument("file", required=False)
@with_options(*PLAN)
@output_options
@with_options(*RATING, ML[0])
@column_options
def power(file: str | None, **flags: Any) -> None:
    """Plan a study: contests or hours needed, or expected rank errors.

    Simulates studies with different numbers of contests, from assumptions (--individuals,
    --spread) or from a pilot (FILE).
    """
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    parse_rating(flags)
    found = planned(pilot_of(file, flags), flags, printed=form == "table")
    deliver(content(found, form), output)


def planned(pilot: Any, flags: dict[str, Any], *, printed: bool = False) -> Any:
    """The plan that the flags describe, from a pilot or (None) from assumptions."""
    import peckorder

    _check_flags(flags, option_names((*RATING, ML[0])))
    if flags["effort"] is not None:
        flags["effort"] = _numbers("--effort", flags["effort"])
    flags["meeting"] = _meeting(flags["meeting"])

    def call(_: Any, progress: Any = None, **given: Any) -> Any:
        whom = {} if pilot is None else {"individuals": pilot}
        return peckorder.power(progress=progress, **whom, **given)

    call.__name__ = "power"
    return find(call, None, flags, slow=True, printed=printed)


def pilot_of(file: str | None, flags: dict[str, Any]) -> Any:
    """The contests of a pilot, if there is one; flags of reading are removed."""
    if file is not None:
        for name in ("individuals", "spread", "strengths"):
            if flags[name] is not None:
                raise click.UsageError(f"--{name} cannot be combined with a pilot: leave it out.")
        return read_contests(file, flags)
    context = click.get_current_context()
    for name in sorted(option_names((column_options,))):
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name.replace('_', '-')} needs a FILE, the pilot.")
        del flags[name]
    return None


COMMANDS = (simulate, recovery, power)
