"""What the user probably meant: suggestions for flags and commands that do not exist.

Click suggests names that are spelled alike. Better first: the same name in other letters
(`--K`, `--k_column`), and the names that other software uses (`--startvalue` of EloRating).
"""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches

import click

# What other software, or another habit, calls an option: in lower case, without dashes.
FLAGS = {
    "startvalue": "start",
    "startvals": "start",
    "initialscore": "start",
    "initscores": "start",
    "initial": "start",
    "step": "k",
    "stepsize": "k",
    "kfactor": "k",
    "kfac": "k",
    "kvals": "k",
    "gamma": "home-advantage",
    "sigmoidparam": "delta",
    "normprob": "curve",
    "init": "entry",
    "newcomers": "entry",
    "nrands": "runs",
    "nrand": "runs",
    "iterations": "runs",
    "permutations": "runs",
    "randomizations": "runs",
    "iter": "samples",
    "draws": "samples",
    "cores": "threads",
    "jobs": "threads",
    "randomseed": "seed",
    "out": "output",
    "outfile": "output",
    "save": "output",
    "filetype": "format",
    "json": "format",
    "csv": "format",
    "dateformat": "date-format",
    "id1": "winner",
    "id2": "loser",
    "actor": "winner",
    "receiver": "loser",
    "recipient": "loser",
    "timestamp": "date",
    "filter": "where",
    "since": "from",
    "until": "to",
    "end": "to",
    "groupby": "by",
    "individual": "highlight",
    "separated": "separator",
    "delimiter": "separator",
    "sep": "separator",
}
COMMANDS = {
    "ds": "davids-score",
    "david": "davids-score",
    "bayes": "fit",
    "ml": "fit",
    "btm": "bradley-terry",
    "bt": "bradley-terry",
    "hindex": "linearity",
    "landau": "linearity",
    "dci": "consistency",
    "ttri": "transitivity",
    "triads": "transitivity",
    "figure": "plot",
    "draw": "plot",
    "html": "report",
    "validate": "check",
    "read": "check",
    "alpha": "tenure",
    "citation": "cite",
    "demo": "examples",
    "ratings": "elo",
    "why": "explain",
    "perc": "percolation",
}


def bare(name: str) -> str:
    """A name without dashes, underscores and case, so that --K, --k and k are the same."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


def suggested(name: str, known: list[str], habits: dict[str, str]) -> list[str]:
    """Known names that were probably meant: one that is certain, or up to three alike."""
    same = [one for one in known if bare(one) == bare(name)]
    if same:
        return same[:1]
    meant = [one for one in known if bare(one) == bare(habits.get(bare(name), ""))]
    if meant:
        return meant[:1]
    by_bare = {bare(one): one for one in known}
    near = get_close_matches(bare(name), list(by_bare))
    likeness = [SequenceMatcher(None, bare(name), one).ratio() for one in near]
    return [
        by_bare[one] for one, like in zip(near, likeness, strict=True) if like > likeness[0] - 0.1
    ]


def better_option(error: click.NoSuchOption) -> None:
    """Replace the suggestions of click for a flag that does not exist."""
    if error.ctx is None:
        return
    params = error.ctx.command.get_params(error.ctx)
    known = [flag for param in params for flag in param.opts if flag.startswith("--")]
    vars(error)["possibilities"] = suggested(error.option_name, known, FLAGS)


def unknown_command(name: str, known: list[str]) -> str:
    """The message for a command that does not exist."""
    meant = suggested(name, known, COMMANDS)
    if not meant:
        return f'There is no command "{name}". "peckorder --help" lists all commands.'
    return f'There is no command "{name}". Did you mean {" or ".join(meant)}?'
