"""Commands that fit Elo models: `fit` and `without`."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.options import BY, CHAINS, SEED, THREADS
from peckorder.cli.running import each_group, fail_if_not_converged, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    option_names,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    talk,
    with_options,
)
from peckorder.cli.window import EVERY, WINDOW, seen, taken_show, taken_window

COMMON = (
    click.option(
        "--k",
        metavar="K",
        help='Fix k at a number (0: static hierarchy), or "context" to estimate one k per context; '
        "estimated by default.",
    ),
    click.option(
        "--home-advantage",
        metavar="H",
        help='Home advantage: a fixed number, or "estimate"; default 0.',
    ),
    click.option(
        "--home-in-update",
        is_flag=True,
        default=None,
        help="Also apply the home advantage in the update.",
    ),
    click.option(
        "--ties",
        type=click.Choice(["davidson", "omit"]),
        help="Treatment of ties: modeled (Davidson, default), or omitted.",
    ),
    click.option(
        "--scale",
        type=float,
        help="Report ratings on the logistic scale with base 10 and this scale, such as 400.",
    ),
    click.option(
        "--delta",
        type=float,
        help="Report ratings on the exponential scale with this slope, such as 0.01.",
    ),
)
ML = (
    click.option(
        "--estimate",
        metavar="NAMES",
        help="Parameters to estimate, from k, start and home_advantage; default k,start.",
    ),
    click.option(
        "--start",
        type=float,
        help="Starting score or, if starting scores are estimated, their mean; default 0.",
    ),
    click.option(
        "--burn-in",
        metavar="N,K",
        help="Rate the first N contests with this K and omit them from the likelihood.",
    ),
    click.option(
        "--penalized",
        is_flag=True,
        default=None,
        help="Penalize the likelihood with a normal prior on the starting scores.",
    ),
    click.option(
        "--prior-sd", type=float, help="Standard deviation of the prior of --penalized; default 2."
    ),
    click.option(
        "--min-contests", type=int, metavar="N", help="Exclude individuals with fewer contests."
    ),
    click.option(
        "--one-sided",
        is_flag=True,
        default=None,
        help="Exclude individuals with only wins or only losses.",
    ),
    click.option("--level", type=float, help="Confidence level of intervals; default 0.95."),
    click.option(
        "--preset",
        type=click.Choice(["EloOptimized"]),
        help="Use the settings of the R package EloOptimized.",
    ),
    click.option(
        "--bootstrap",
        type=int,
        metavar="N",
        help="p-values and the interval of k from N simulated records each, such as 199.",
    ),
    click.option(
        "--asymptotic",
        is_flag=True,
        default=None,
        help="p-values, AIC and an interval of k by large-sample theory even if starting scores "
        "are estimated too.",
    ),
)
BAYES = (
    click.option(
        "--centering",
        type=click.Choice(["none", "present"]),
        help="Center scores on the mean of the individuals present before each contest "
        "(present), or not (none, default).",
    ),
    click.option(
        "--sigma",
        type=float,
        help="Fix the standard deviation of the starting scores; estimated by default.",
    ),
    click.option("--prior-sigma", type=float, help="Scale of the prior of sigma; default 1."),
    click.option("--prior-k", type=float, help="Scale of the prior of k; default 1."),
    click.option("--prior-nu", type=float, help="Scale of the prior of log nu (ties); default 1."),
    click.option(
        "--prior-home", type=float, help="Scale of the prior of the home advantage; default 1."
    ),
    *CHAINS,
    click.option(
        "--accept", type=float, help="Target acceptance rate of the sampler; default 0.8."
    ),
    SEED,
    THREADS,
    click.option("--large", is_flag=True, default=None, help="Allow more than 5,000 individuals."),
    click.option(
        "--shared",
        is_flag=True,
        help="With --by: estimate one sigma, k and nu for all groups.",
    ),
)
METHOD = click.option(
    "--method",
    type=click.Choice(["bayes", "ml"]),
    default="bayes",
    show_default=True,
    help="bayes: posterior by MCMC; ml: maximum likelihood.",
)


def _number_or(word: str, flag: str, text: str | None) -> Any:
    if text is None or text == word:
        return text
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f'{flag}: "{text}" is neither a number nor "{word}".') from None


def settings_of(flags: dict[str, Any], method: str) -> dict[str, Any]:
    """The arguments given by flags; an error if a flag belongs to the other method."""
    from peckorder.cli.elo import parse_burn_in

    other = option_names(BAYES if method == "ml" else ML) - {"shared"}
    if flags.get("bootstrap") is not None:
        other -= {"seed", "threads"}
    foreign = [name for name in flags if name in other and flags[name] is not None]
    if foreign:
        flag = "--" + foreign[0].replace("_", "-")
        raise click.UsageError(f"{flag} cannot be used with --method {method}.")
    wanted = option_names(COMMON) | (
        option_names(ML) | {"seed", "threads"}
        if method == "ml"
        else option_names(BAYES) - {"shared"}
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


@click.command()
@click.argument("file")
@with_options(METHOD, *COMMON, *BAYES, *ML, BY)
@click.option("--at", metavar="DATE", help="Report ratings at the end of this day.")
@with_options(*EVERY, *WINDOW)
@output_options
@column_options
def fit(file: str, **flags: Any) -> None:
    """Fit Elo ratings, Bayesian or by maximum likelihood.

    Estimates k and the starting scores. Use -o FILE.npz to save all posterior draws.
    """
    form, output, by = (flags.pop(name) for name in ("form", "output", "by"))
    show, window = taken_show(flags), taken_window(flags)
    method, shared = flags.pop("method"), flags.pop("shared")
    whole = output is not None and output.lower().endswith(".npz")
    if whole and method == "ml":
        raise click.UsageError(
            "-o FILE.npz saves posterior draws, which --method ml does not have. Use FILE.json."
        )
    seen_in_part = any(show.values()) or window != (None, None)
    if whole and (by is not None or form is not None or seen_in_part):
        raise click.UsageError(
            "-o FILE.npz saves the whole fit: it cannot be combined with --by, --at, --every, "
            "--from, --to or --format."
        )
    if shared and (by is None or method == "ml"):
        raise click.UsageError("--shared requires --by COLUMN and --method bayes.")
    form = "table" if whole else chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    settings = settings_of(flags, method)
    take_groups(flags, by)
    data = read_contests(file, flags)
    function = f"elo_{method}"
    slow = method == "bayes" or settings.get("bootstrap") is not None
    if by is None:
        found = find(function, data, settings, slow=slow, printed=form == "table")
        found = seen(found, window)
        if whole:
            found.save(output)
            talk(f"Wrote {output}.")
            output = None
        deliver(content(found, form, show), output)
        fail_if_not_converged()
        return
    parts = data.split("group")
    if shared:
        groups = find(function, parts, settings, slow=True)
    else:
        groups = each_group(function, parts, settings, by, slow=slow)
    deliver(content_by_group(seen(groups, window), by, data.hash, form, show), output)
    fail_if_not_converged()


@click.command()
@click.argument("file")
@click.option("--individuals", metavar="NAMES", help="Individuals to exclude: Abe,Bo.")
@with_options(*ML[5:7], METHOD, *CHAINS, SEED)
@output_options
@column_options
def without(file: str, **flags: Any) -> None:
    """Compare a fit with and without some individuals."""
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
        raise click.UsageError("--chains, --warmup and --samples cannot be used with --method ml.")
    data = read_contests(file, flags)
    found = find("without", data, settings, slow=True, printed=form == "table")
    deliver(content(found, form), output)
