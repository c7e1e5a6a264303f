"""Commands that fit Elo models: `fit`, `without`, and the Bayesian side of `steepness`."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.options import BY, CHAINS, SEED
from peckorder.cli.running import each_group, fail_if_apart, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    option_names,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    with_options,
)

COMMON = (
    click.option(
        "--k",
        metavar="K",
        help="Fix k (0: a static hierarchy), or estimate one per context: context.",
    ),
    click.option("--home-advantage", metavar="H", help="Fix it, or estimate it: estimate."),
    click.option("--home-in-update", is_flag=True, default=None, help="Use it in the update too."),
    click.option(
        "--ties",
        type=click.Choice(["davidson", "omit"]),
        help="Model draws (default), or leave them out.",
    ),
    click.option("--scale", type=float, help="Report on a logistic scale such as 400."),
    click.option("--delta", type=float, help="Report on an exponential scale such as 0.01."),
)
ML = (
    click.option(
        "--estimate",
        metavar="NAMES",
        help="What is estimated: k,start (default); any of k, start, home_advantage.",
    ),
    click.option("--start", type=float, help="Level of starting scores; default 0."),
    click.option(
        "--burn-in",
        metavar="N,K",
        help="First N contests: moved with K, and not in the likelihood.",
    ),
    click.option(
        "--penalized",
        is_flag=True,
        default=None,
        help="Fit with a normal prior on starting scores.",
    ),
    click.option("--prior-sd", type=float, help="Standard deviation of that prior; default 2."),
    click.option(
        "--min-contests", type=int, metavar="N", help="Leave out individuals with fewer contests."
    ),
    click.option(
        "--one-sided",
        is_flag=True,
        default=None,
        help="Leave out individuals with wins only or losses only.",
    ),
    click.option("--level", type=float, help="Of profile intervals; default 0.95."),
    click.option("--preset", type=click.Choice(["EloOptimized"]), help="Settings of EloOptimized."),
)
BAYES = (
    click.option(
        "--centering",
        type=click.Choice(["none", "present"]),
        help="Center scores on those present before each contest; default none.",
    ),
    click.option("--sigma", type=float, help="Fix the spread of starting scores."),
    click.option("--prior-sigma", type=float, help="Scale of the prior of sigma; default 1."),
    click.option("--prior-k", type=float, help="Scale of the prior of k; default 1."),
    click.option("--prior-nu", type=float, help="Of log nu, where there are draws; default 1."),
    click.option("--prior-home", type=float, help="Of the home advantage; default 1."),
    *CHAINS,
    click.option(
        "--accept", type=float, help="Rate of acceptance the sampler tunes for; default 0.8."
    ),
    SEED,
    click.option("--threads", type=int, help="Cores to use; the result does not depend on it."),
    click.option("--large", is_flag=True, default=None, help="Sample more than 5,000 individuals."),
    click.option(
        "--shared", is_flag=True, help="With --by: one sigma and one k (and nu) for all groups."
    ),
)
METHOD = click.option(
    "--method",
    type=click.Choice(["bayes", "ml"]),
    default="bayes",
    show_default=True,
    help="Posterior, or maximum likelihood.",
)


def _number_or(word: str, flag: str, text: str | None) -> Any:
    if text is None or text == word:
        return text
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f'{flag}: "{text}" is neither a number nor "{word}".') from None


def settings_of(flags: dict[str, Any], method: str) -> dict[str, Any]:
    """What the library takes, from the flags given; a flag of the other method is refused."""
    from peckorder.cli.elo import parse_burn_in

    other = option_names(BAYES if method == "ml" else ML) - {"shared"}
    foreign = [name for name in flags if name in other and flags[name] is not None]
    if foreign:
        flag = "--" + foreign[0].replace("_", "-")
        raise click.UsageError(f"{flag} is not for --method {method}.")
    wanted = option_names(COMMON) | (
        option_names(ML) if method == "ml" else option_names(BAYES) - {"shared"}
    )
    given = {name: value for name, value in flags.items() if name in wanted and value is not None}
    if "k" in given:
        given["k"] = _number_or("context", "--k", given["k"])
    if "burn_in" in given:
        given["burn_in"] = parse_burn_in(given["burn_in"])
    if "estimate" in given:
        given["estimate"] = tuple(part.strip() for part in given["estimate"].split(","))
    if "home_advantage" in given:
        given["home_advantage"] = _number_or(
            "estimate", "--home-advantage", given["home_advantage"]
        )
        if method == "ml" and given["home_advantage"] == "estimate":
            estimated = given.get("estimate", ("k", "start"))
            given |= {"estimate": (*estimated, "home_advantage"), "home_advantage": None}
    return given


def check_date(at: str, data: Any) -> None:
    from peckorder.data.dates import date_words, moment

    if moment(at, data.times) < data.times[0]:
        raise click.UsageError(
            f"--at {at} lies before the first contest ({date_words(data.times[0])})."
        )


@click.command()
@click.argument("file")
@with_options(METHOD, *COMMON, *BAYES, *ML, BY)
@click.option("--at", metavar="DATE", help="Ratings at the end of a day.")
@output_options
@column_options
def fit(file: str, **flags: Any) -> None:
    """Elo ratings with k and starting scores estimated: posterior, or maximum likelihood.

    -o FILE.npz keeps the whole posterior.
    """
    form, output, at, by = (flags.pop(name) for name in ("form", "output", "at", "by"))
    method, shared = flags.pop("method"), flags.pop("shared")
    whole = output is not None and output.lower().endswith(".npz")
    if whole and method == "ml":
        raise click.UsageError(
            "-o FILE.npz keeps a posterior, and --method ml has none: FILE.json."
        )
    if whole and (by is not None or form is not None or at is not None):
        raise click.UsageError("-o FILE.npz keeps one posterior: without --by, --at and --format.")
    if shared and (by is None or method == "ml"):
        raise click.UsageError("--shared needs --by COLUMN and --method bayes.")
    form = "table" if whole else chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    settings = settings_of(flags, method)
    take_groups(flags, by)
    data = read_contests(file, flags)
    if at is not None and by is None:
        check_date(at, data)  # before anything long is done
    function = f"elo_{method}"
    slow = method == "bayes"
    if by is None:
        found = find(function, data, settings, slow=slow, printed=form == "table")
        if whole:
            found.save(output)
            click.echo(f"Wrote {output}.", err=True)
            output = None
        deliver(content(found, form, at), output)
        fail_if_apart()
        return
    parts = data.split("group")
    if shared:
        groups = find(function, parts, settings, slow=True)
    else:
        groups = each_group(function, parts, settings, by, slow=slow)
    deliver(content_by_group(groups, by, data.hash, form, at), output)
    fail_if_apart()


@click.command()
@click.argument("file")
@click.option("--individuals", metavar="NAMES", help="Leave out these: Abe,Bo.")
@with_options(*ML[5:7], METHOD, *CHAINS, SEED)
@output_options
@column_options
def without(file: str, **flags: Any) -> None:
    """What a fit would say without some individuals, beside what it says with them."""
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    names = (
        "individuals",
        "min_contests",
        "one_sided",
        "method",
        "seed",
        "chains",
        "warmup",
        "samples",
    )
    given = {name: flags.pop(name) for name in names}
    settings = {name: value for name, value in given.items() if value is not None}
    if "individuals" in settings:
        settings["individuals"] = [name.strip() for name in settings["individuals"].split(",")]
    if given["method"] == "ml" and any(given[name] for name in ("chains", "warmup", "samples")):
        raise click.UsageError("--chains, --warmup and --samples are not for --method ml.")
    data = read_contests(file, flags)
    found = find("without", data, settings, slow=True, printed=form == "table")
    deliver(content(found, form), output)
