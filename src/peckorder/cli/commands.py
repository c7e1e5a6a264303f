"""All commands: what each calls, and those that are written by hand.

There are no statistics here: commands call the public API only.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import click

import peckorder
from peckorder.cli import derive
from peckorder.cli.completion import FileName, Offered, data_sets
from peckorder.cli.derive import HIDDEN, METHOD, READING, Argument, Derived, Headed, Run, Verb
from peckorder.cli.output import (
    already_said,
    chosen_format,
    content,
    content_by_group,
    deliver,
    elo_content,
    plain_table,
    refuse_same_file,
    say,
    talk,
)
from peckorder.cli.output import report as report_import
from peckorder.cli.progress import progress
from peckorder.errors import (
    ArgumentError,
    ConvergenceWarning,
    DataError,
    DataWarning,
    MissingFileError,
)
from peckorder.methods import doing

MOST_PAIRS = 20
MOST_NOTES = 10
# What --pooled and --r-script of a study can use, and what --draws can.
WITH_ERROR = ("steepness_bayes", "elo_bayes.k", "elo_bayes.sigma", "dynamic.sigma", "dynamic.tau")
WITH_DRAWS = ("steepness_bayes", "elo_bayes")
CONTESTS = "Contests"  # the class of contests that were read

RATERS = {
    "elo": "elo",
    "dynamic": "dynamic",
    "adaptive": "adaptive",
    "ml": "elo_ml",
    "bayes": "elo_bayes",
    "glicko": "glicko",
    "glicko2": "glicko2",
}
# Orders with winning probabilities, computed anew before each contest.
PREDICTORS = RATERS | {"bradley-terry": "bradley_terry", "davids-score": "davids_score"}
FITS = {"bayes": "elo_bayes", "ml": "elo_ml"}
SAMPLED = {"dynamic": "dynamic", "adaptive": "adaptive", "bayes": "elo_bayes"}
RANKED = {
    **SAMPLED,
    "steepness": "steepness_bayes",
    "randomized": "randomized_elo",
    "bradley-terry": "bradley_terry",
}


def _table(name: str) -> Callable[[Any], Any]:
    return lambda found: found.tables[name]


# Commands that need more than a chain of functions. Further flags are arguments with a placeholder
# and a text.

Flag = Annotated[bool, ""]
File = Annotated[str | None, "FILE"]
Folder = Annotated[str | None, "FOLDER"]
Column = Annotated[str | None, "COLUMN"]
Seed = Annotated[int | None, "", derive.SHARED["seed"][1]]
Workers = Annotated[int | None, "", "Number of worker processes; default one per core, 1: none."]


def _elo(
    run: Run,
    *,
    stream: Annotated[
        Flag, "Read in batches to save memory (Parquet files and databases)."
    ] = False,
) -> None:
    """Elo ratings: of a stream as well, and with their history."""
    parted = run.by or run.files["history"] or any(run.show.values())
    if stream and (parted or run.flags["from"] or run.flags["to"]):
        raise click.UsageError(
            "--stream cannot be combined with --by, --at, --every, --from, --to or --history."
        )
    data = run.read(stream=stream, notes=not stream)
    parts = {None: data} if run.by is None else data.split("group")
    rated = {}
    for name, part in parts.items():
        rated[name] = run.seen(run.call(run.chain[0], part, run.settings(run.chain[0], part)))
    if stream:
        report_import(rated[None].report)
    hash_ = "" if run.by is None else data.hash
    run.write(elo_content(rated, run.by, hash_, run.form, run.show), rated)


def _explain(run: Run) -> None:
    """What Elo did in one contest: sentences, then the numbers."""
    found = run.result(run.read())
    if run.form != "table":
        run.write(content(found, run.form), {})
    else:
        run.write("\n".join(found.summary) + "\n\n" + plain_table(found.as_polars()), {})


def _fit(
    run: Run,
    *,
    shared: Annotated[Flag, "With --by: estimate one sigma, k and nu for all groups."] = False,
) -> Any:
    """Bayesian or maximum-likelihood Elo; posterior samples are saved as .npz."""
    method = run.method or "bayes"
    whole = run.output is not None and run.output.lower().endswith(".npz")
    if whole and method == "ml":
        raise click.UsageError(
            "-o FILE.npz saves posterior draws, which --method ml does not have. Use FILE.json."
        )
    parted = any(run.show.values()) or run.flags["from"] or run.flags["to"]
    if whole and (run.by or run.asked_form or parted):
        raise click.UsageError(
            "-o FILE.npz saves the whole fit: it cannot be combined with --by, --at, --every, "
            "--from, --to or --format."
        )
    if shared and (run.by is None or method == "ml"):
        raise click.UsageError("--shared requires --by COLUMN and --method bayes.")
    if shared:
        return run.result(run.read().split("group"))
    found = run.usual()
    if whole:
        found.save(run.output)
        talk(f"Wrote {run.output}.")
        run.output = None
    return found


def _steepness(
    run: Run,
    *,
    bayes: Annotated[Flag, "Estimate the posterior of steepness; other flags apply."] = False,
    split_at: Annotated[
        str | None,
        "DATE",
        "With --bayes: compare the contests before this day with those from this day on.",
    ] = None,
) -> Any:
    """Steepness, or its posterior: also of two periods, which are compared."""
    split = split_at
    if split is not None and run.by is not None:
        raise click.UsageError("--split-at and --by cannot be combined.")
    if split is None and run.by is None:
        return run.usual()
    data = run.read()
    parts, by = (data.split("group"), run.by) if run.by else ({}, "period")
    if split is not None:
        run.by = by
        parts = dict(zip((f"before {split}", f"from {split}"), data.cut(split), strict=True))
    groups = run.each_group(parts, by)
    shown = content_by_group(groups, by, data.hash, run.form)
    run.write(shown, {})
    if bayes:
        _say_differences(groups)
    return None


def _say_differences(groups: dict[str, Any]) -> None:
    """Print the probability that one group is steeper than another."""
    from itertools import combinations, islice

    for (one, first), (other, second) in islice(combinations(groups.items(), 2), MOST_PAIRS):
        difference = peckorder.steepness_difference(first, second)
        value = difference.values["value"]
        talk(
            f"Probability that {one} is steeper than {other}: {difference.probability:.3f} "
            f"(difference {value.value:.3f}, 95% CrI {value.low:.3f} to {value.high:.3f})."
        )


def _period_ranks(run: Run) -> Any:
    """Ranks over study periods; initial ranks concern the individuals of each group."""
    data = run.read()
    if run.by is None:
        return run.result(data)
    initial = run.flags["initial"] or ()
    for name in initial:
        data.code(name)

    def choose(part: Any) -> None:
        run.flags["initial"] = [one for one in initial if one in part.individuals] or None

    return run.each_group(data.split("group"), run.by, choose)


def _network(run: Run) -> Any:
    """The network; a GraphML file holds one."""
    if run.files["graphml"] is not None and run.by is not None:
        raise click.UsageError("--graphml and --by cannot be combined: a file has one network.")
    return run.usual()


def _displacements(
    run: Run,
    *,
    within: Annotated[
        str | None, "TIME", "Longest time from a departure to the next arrival: 2s, 500ms or 1min."
    ] = None,
    gaps: Annotated[
        Flag, "Show gaps between visits and the displacements of each threshold instead."
    ] = False,
    thresholds: Annotated[
        Sequence[str] | None, "", "With --gaps: thresholds that are compared, such as 1s,2s,5s."
    ] = None,
) -> None:
    """Contests from visits, or gaps between visits and the displacements of each threshold."""
    step = derive.function("visit_gaps" if gaps else "displacements")
    settings = {name: value for name, value in run.flags.items() if value is not None}
    if gaps:
        if within is not None:
            raise click.UsageError("--gaps compares thresholds: use --thresholds, not --within.")
        chosen = {} if thresholds is None else {"thresholds": list(thresholds)}
        run.write(content(run.call(step, run.file, settings | chosen), run.form), {})
        return
    if thresholds is not None:
        raise click.UsageError("--thresholds requires --gaps.")
    if within is None:
        raise click.UsageError(
            "Give the threshold with --within, such as --within 2s. --gaps shows how many "
            "displacements each threshold gives."
        )
    from peckorder.tables import as_bytes

    form = "csv" if run.asked_form is None and run.output is None else run.form
    if form == "table":
        raise click.UsageError("Contests are written as csv, tsv, json or parquet.")
    data = run.call(step, run.file, settings | {"within": within})
    report_import(data.report)
    run.write(as_bytes(data.frame(), form), {})


def _power(run: Run) -> Any:
    """A plan, from a pilot or from assumptions."""
    number = run.flags.pop("individuals")
    if run.file is None:
        of_data = (*(one.name for one in derive.reading_flags()), "from", "to")
        for name in of_data:
            if run.flags.pop(name):
                raise click.UsageError(f"--{name} needs a FILE, the pilot.")
        return run.result(
            derive.function("power").arguments["individuals"].default if number is None else number
        )
    for name in ("individuals", "spread", "strengths"):
        if (number if name == "individuals" else run.flags[name]) is not None:
            raise click.UsageError(f"--{name} cannot be combined with a pilot: leave it out.")
    return run.result(run.read())


def _study_of(
    run: Run,
    *,
    by: Annotated[Column, "Column of groups; without one, all contests are one group."] = None,
    seed: Seed = None,
    workers: Workers = None,
) -> Any:
    """A study of all groups of the data, or of all contests if there are no groups."""
    derive.take_groups(run.flags, by)
    data = run.read(each=True)
    measure = run.flags.pop("measure") or "steepness_bayes"
    settings = {"by": None if data.group is None else "group", "measures": measure}
    settings |= {"executor": workers, "seed": seed}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        found = run.call(derive.function("study"), data, settings)
    run.say(warned, found, "")
    return found


def _matrix(
    run: Run,
    *,
    order: Annotated[
        Literal["davids_score", "isi", "bradley_terry", "rating"] | None,
        "",
        "Rank order of rows and columns; default davids_score, or rating with --show chances.",
    ] = None,
) -> Any:
    """Contests in the order of a method, or ratings, whose chances are shown."""
    chances = run.flags["show"] == "chances"
    data = run.read()
    rated = order == "rating" or chances
    idle = [name for name in run.chain[0].arguments if run.flags.get(name) is not None]
    if idle and not rated:
        flag = idle[0].replace("_", "-")
        raise click.UsageError(f"--{flag} requires --order rating or --show chances.")
    if order != "rating" and not (chances and order is None):
        run.flags["order"] = run.order(order or "davids_score", data, run.flags["ties"])
    return run.result(data) if rated else data


OF_PAIRS = {
    "matrix": (
        "Write the probability that each (row) beats each other (column) to a file; empty "
        "between components, where it is not identifiable without --penalized.",
        lambda board: board.probability(),
    )
}
SEASON = {
    "places": ("Write the probability of each final place to a file.", _table("places")),
    "keep_runs": ("Write the points of every simulated season to a file.", _table("standings")),
}
VERBS = {
    "elo": Verb(
        "elo",
        asked=_elo,
        files={
            "history": (
                "Write the ratings before and after every contest to a file.",
                lambda one: one.history,
            )
        },
    ),
    "explain": Verb("Ratings.explain", before=("elo",), groups=False, asked=_explain),
    "fit": Verb(
        methods=FITS,
        leaves=("shared",),
        asked=_fit,
        text="Fit Elo ratings, Bayesian or by maximum likelihood.\n\nEstimates k and the starting "
        "scores. Use -o FILE.npz to save all posterior draws.",
    ),
    "dynamic": Verb("dynamic"),
    "adaptive": Verb(
        "adaptive",
        files={
            "coefficients": (
                "Also write the coefficients to a file.",
                lambda one: one.coefficients,
            ),
            "weights": (
                "Also write the weights of filters and of Elo over time to a file.",
                lambda one: one.weights(),
            ),
        },
    ),
    "glicko": Verb("glicko"),
    "glicko2": Verb("glicko2"),
    "without": Verb("without", passes=FITS, groups=False),
    "tune": Verb(
        "tune",
        passes={"elo": "", "glicko": "glicko", "glicko2": "glicko2"},
        switch="rater",
        files={"profile": ("Write the profile of each parameter to a file.", _table("profile"))},
        groups=False,
    ),
    "likelihood-surface": Verb("likelihood_surface", groups=False),
    **{
        name.replace("_", "-"): Verb(name)
        for name in (
            "randomized_elo",
            "davids_score",
            "isi",
            "indices",
            "adagio",
            "percolation",
            "dominance_value",
            "compare",
            "linearity",
            "transitivity",
            "consistency",
            "order_test",
            "hierarchy_shape",
            "dominance_style",
            "over_time",
            "dyads",
            "reversals",
            "unknown_dyads",
        )
    },
    "bradley-terry": Verb("bradley_terry", files=OF_PAIRS),
    "network": Verb(
        "network",
        asked=_network,
        files={
            "edges": ("Write the dyads with their net wins to a file.", _table("edges")),
            "graphml": (
                "Write the network to a GraphML file, for igraph, networkx, Gephi or Cytoscape.",
                lambda one: one.graphml(),
            ),
        },
    ),
    "matrix-correlation": Verb("matrix_correlation", places=("behavior",), groups=False),
    "skew": Verb("skew", groups=False),
    "period-ranks": Verb(
        "period_ranks",
        asked=_period_ranks,
        files={"periods": ("Write a table of the periods to a file.", _table("periods"))},
    ),
    "repeatability": Verb("repeatability", passes={"": "randomized_elo"}),
    "splitting": Verb("splitting", passes={"": "randomized_elo"}),
    "steepness": Verb("steepness", variants=("bayes", "steepness_bayes"), asked=_steepness),
    "change-points": Verb("change_points", passes={"": "dynamic"}, only=("clock",)),
    "stability": Verb("stability", before=("elo",)),
    "evaluate": Verb("evaluate", methods=PREDICTORS),
    "calibration": Verb("calibration", methods=PREDICTORS),
    "win-share": Verb("win_share", methods=RATERS),
    "areas": Verb(
        "areas",
        methods=RATERS,
        files={"trajectories": ("Write the trajectories to a file.", _table("trajectories"))},
    ),
    "home-advantages": Verb("home_advantages", methods=RATERS),
    "predict": Verb("predict", methods=PREDICTORS, places=("fixtures",), groups=False),
    "simulate-season": Verb(
        "simulate_season",
        methods=PREDICTORS,
        files=SEASON,
        places=("fixtures",),
        groups=False,
    ),
    "league-table": Verb("league_table", groups=False),
    "bracket": Verb("bracket", methods=PREDICTORS, groups=False),
    **{
        name.replace("_", "-"): Verb(f"Ratings.{name}", methods=RATERS, groups=False)
        for name in ("slopes", "tenure", "rank_changes", "careers")
    },
    "classes": Verb("Posterior.classes", methods=SAMPLED, groups=False),
    "differences": Verb("Ratings.differences", methods=RATERS, groups=False, leaves=("by",)),
    **{
        name.replace("_", "-"): Verb(f"{CONTESTS}.{name}", groups=False)
        for name in ("group_size", "co_residence", "turnover")
    },
    "plackett-luce": Verb(
        "sport.plackett_luce", before=("sport.read_fields",), groups=False, files=OF_PAIRS
    ),
    "audit-votes": Verb(
        "sport.audit_votes",
        methods={"bradley-terry": "bradley_terry"},
        presets={},
        groups=False,
        files={"favors": ("Write the groups of voters to a file.", _table("favors"))},
    ),
    "rank-error": Verb("simulate.rank_error", methods=RATERS, groups=False),
    "recovery": Verb("recovery", groups=False),
    "power": Verb("power", asked=_power, groups=False, optional=True),
    "next": Verb(
        "next_pairs",
        methods={"dynamic": "dynamic", "bradley-terry": "bradley_terry"},
        files={"adjacent": ("Write the pairs of adjacent ranks to a file.", _table("adjacent"))},
    ),
    "multiverse": Verb(
        "multiverse",
        places=("claim",),
        groups=False,
        files={
            "effects": ("Write the share of variance of each choice to a file.", _table("effects")),
            "levels": ("Write the share at each level to a file.", _table("levels")),
        },
    ),
    "stress": Verb(
        "stress",
        groups=False,
        files={"curve": ("Write the share that had shown the event by days.", _table("curve"))},
    ),
    "fragility": Verb("fragility", places=("claim",), groups=False),
    "displacements": Verb("displacements", leaves=("within",), asked=_displacements),
}
FIGURES = {
    "trajectories": Verb("plot.trajectories", methods=RATERS),
    "ranks": Verb("plot.ranks", methods=RANKED, presets={}),
    "rank-probabilities": Verb("plot.rank_probabilities", methods=RANKED, presets={}),
    "bump": Verb("plot.bump", methods=RATERS),
    "matrix": Verb("plot.matrix", methods=RATERS, asked=_matrix),
    "network": Verb("plot.network", before=("network",)),
    "steepness": Verb("plot.steepness", before=("steepness",)),
    "shape": Verb("plot.shape", before=("hierarchy_shape",)),
    "dominance-style": Verb("plot.dominance_style", before=("dominance_style",)),
    "posterior": Verb("plot.posterior", before=("elo_bayes",), leaves=("shared",)),
    "calibration": Verb("plot.calibration", methods=RATERS, before=("calibration",)),
    "likelihood": Verb("plot.likelihood", before=("likelihood_surface",), leaves=("marks",)),
    "tenure": Verb("plot.tenure", methods=RATERS),
    "change-points": Verb(
        "plot.change_points", before=("change_points",), passes={"": "dynamic"}, only=("clock",)
    ),
    "over-time": Verb("plot.over_time", before=("over_time",)),
    "compare": Verb("plot.compare", before=("compare",)),
    "forest": Verb("plot.forest", asked=_study_of),
    "against": Verb("plot.against", asked=_study_of),
    "matrices": Verb("plot.matrices"),
    "weights": Verb("plot.weights", before=("adaptive",)),
    "presence": Verb("plot.presence"),
    "recovery": Verb("plot.recovery", before=("recovery",), presets={"recovery": {"effort": ()}}),
    "power": Verb("plot.power", before=("power",), asked=_power, optional=True),
    "summed-probability": Verb("plot.summed_probability", before=("steepness_bayes",)),
    "gaps": Verb("plot.gaps", before=("visit_gaps",)),
    "places": Verb(
        "plot.places",
        methods=RATERS,
        before=("simulate_season",),
        places=("fixtures",),
        leaves=("keep_runs",),
    ),
    "next-pairs": Verb(
        "plot.next_pairs",
        methods={"dynamic": "dynamic", "bradley-terry": "bradley_terry"},
        before=("next_pairs",),
    ),
    "multiverse": Verb("plot.multiverse", before=("multiverse",), places=("claim",)),
    "stress": Verb("plot.stress", before=("stress",)),
    "fragility": Verb("plot.fragility", before=("fragility",), places=("claim",)),
    "bracket": Verb("plot.bracket", methods=PREDICTORS, before=("bracket",)),
}


# Commands written by hand

WRITTEN: dict[str, click.Command] = {}


def command(
    *params: click.Parameter,
    own: Callable[[], list[Argument]] = list,
    reads: bool = False,
    writes: bool = False,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function; `own` gives further flags, which are made later."""

    def more() -> Headed:
        return {
            "": [one for one in params if isinstance(one, click.Argument)],
            "Options": [
                *map(derive.flag, own()),
                *(o for o in params if isinstance(o, click.Option)),
            ],
            "Output": derive.output_flags() if writes else [],
            READING: derive.reading_flags() if reads else [],
        }

    def make(run: Callable[..., None]) -> click.Command:
        called = run.__name__.replace("_", "-")
        WRITTEN[called] = derive.Plain(called, run, more)
        return WRITTEN[called]

    return make


FILE_ARGUMENT = click.Argument(["file"], type=FileName())


def _from_to(what: str) -> list[click.Option]:
    return [
        derive.option("from", str, f"{what} from this day (or contest number) on.", metavar="DATE"),
        derive.option("to", str, f"{what} up to this day (or contest number).", metavar="DATE"),
    ]


FROM_TO = _from_to("Use contests")
WINDOW = _from_to("Report a window of the record,")


@command(FILE_ARGUMENT, *FROM_TO, reads=True)
def check(
    file: str,
    *,
    write_aliases: Annotated[
        File,
        "Write a sheet of doubtful spellings (.csv or .tsv), to be edited and given back with "
        "--read names=FILE.",
    ] = None,
    save: Annotated[File, "Save the recipe (.toml), to be given back with --recipe."] = None,
    accept: Annotated[
        tuple[str, ...],
        "KIND:WHERE=NUMBER",
        "Decide a doubt by the number of a choice, such as group:cage=1 (may be repeated).",
    ] = (),
    format: Annotated[Literal["text", "json"], "", "Format of the output."] = "text",
    **flags: Any,
) -> None:
    """Check a file of contests: the role of every column, every rule and every doubt."""
    from peckorder.tables import check_target, format_of, write_whole

    refuse_same_file([file, flags["presence"], write_aliases, *derive.sheets_of(flags)])
    if write_aliases is not None:
        if format_of(write_aliases) not in ("csv", "tsv"):
            raise click.UsageError(
                f"--write-aliases {write_aliases}: end the name in .csv or .tsv."
            )
        check_target(write_aliases)
    if save is not None:
        check_target(save)
    try:
        data = _decided(derive.read_contests(file, flags, notes=False, refuse=False), accept, file)
        found = data.check()
    except DataError as error:
        if format == "json":
            deliver(_as_json({"refused": list(error.problems)}), None)
        else:
            say("\n\n".join(f"✗ {problem}" for problem in error.problems))
        talk("The data cannot be used. Fix these problems and check again.")
        raise click.exceptions.Exit(3) from None
    if format == "json":
        deliver(_as_json(found.to_dict()), None)
    else:
        say(str(found))
    if save is not None:
        write_whole((save, found.recipe.to_toml().encode()))
        talk(f"Wrote {save}. Read the data with --recipe {shlex.quote(save)}.")
    if write_aliases is not None:
        _write_aliases(found, write_aliases)
    if any(one.severity == "refuse" for one in found.doubts):
        raise click.exceptions.Exit(1)


def _decided(data: Any, accept: Sequence[str], file: str) -> Any:
    """The contests after the choices of --accept."""
    from peckorder.data.read import proposed
    from peckorder.text import quoted

    recipe = data.recipe
    for text in accept:
        name, _, number = text.rpartition("=")
        known = {f"{one.kind}:{one.where.strip(chr(34))}": one for one in data.doubts}
        doubt = known.get(name.strip())
        if doubt is None or not number.isdigit() or not 1 <= int(number) <= len(doubt.choices):
            raise click.UsageError(
                f"--accept {text}: write KIND:WHERE=NUMBER, with the number of a choice. Doubts: "
                f"{quoted(known) or 'none'}."
            )
        recipe = recipe.decide(doubt, int(number) - 1)
    return proposed(file, recipe, {}) if accept else data


def _write_aliases(found: Any, write_aliases: str) -> None:
    """Write the sheet of doubtful spellings."""
    from peckorder.tables import as_bytes, format_of, write_whole

    write_whole((write_aliases, as_bytes(found.proposed, format_of(write_aliases))))
    if found.proposed.height:
        talk(
            f'Wrote {write_aliases}. Correct the column "individual" where needed, then use the '
            f"sheet with --read names={shlex.quote(write_aliases)}."
        )
    else:
        talk(f"Wrote {write_aliases}, which is empty: no spelling is doubtful.")


@command(FILE_ARGUMENT, *FROM_TO, reads=True, writes=True)
def clean(file: str, **flags: Any) -> None:
    """Write the contests as they were read, one per row, with the row of origin."""
    import polars as pl

    from peckorder.tables import as_bytes

    form, output = flags.pop("form"), flags.pop("output")
    chosen = chosen_format(form, output)
    data = derive.read_contests(file, flags)
    origin = pl.Series("source_row", data.row_of(range(len(data))).tolist())
    table = data.frame().select(origin, pl.all())
    if chosen == "table" and output is None:
        chosen = "csv"
    deliver(as_bytes(table, chosen), output)


def _as_json(content: Any) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _as_file(text: str, output: str | None) -> str | bytes:
    """The text of a CSV file, or a workbook with the same table if the output is one."""
    if output is None or not output.lower().endswith(".xlsx"):
        return text
    import io

    import polars as pl

    from peckorder.tables import as_bytes

    return as_bytes(pl.read_csv(io.StringIO(text), try_parse_dates=True), "xlsx")


@command(click.Argument(["name"], required=False, type=Offered(data_sets)))
def datasets(
    name: str | None,
    output: Annotated[File, "Write the data set to a file instead of the screen."] = None,
) -> None:
    """List the example data sets, or print the one called NAME."""
    known = peckorder.datasets.CATALOGUE
    if name is None and output is not None:
        raise click.UsageError("Give the name of the data set to write.")
    if name is None:
        for item in known.values():
            say(f"{item.name}: {item.title}.\n    {item.source}")
        return
    if name not in known:
        peckorder.datasets.load(name)  # says which there are
    deliver(_as_file(Path(known[name].path).read_text(encoding="utf-8"), output), output)


@command()
def template(
    kind: Annotated[
        Literal["events", "matrix", "games", "votes", "presence", "visits"], "", "Kind of data."
    ] = "events",
    output: Annotated[File, "Write the template to a file instead of the screen."] = None,
) -> None:
    """Print an example file to fill in."""
    text = Path(__file__).with_name("templates").joinpath(f"{kind}.csv").read_text(encoding="utf-8")
    deliver(_as_file(text, output), output)
    if output is not None and kind == "visits":
        talk(f"Fill it in, then run: peckorder displacements {output} --gaps")
    elif output is not None and kind != "presence":
        talk(f"Fill it in, then run: peckorder check {output}")


@command()
def cite() -> None:
    """Print the references to cite."""
    from peckorder import methods

    say(methods.SOFTWARE)
    for reference in methods.REFERENCES.values():
        say(reference)


@command(click.Argument(["file"], required=False, type=FileName()))
def app(
    file: str | None,
    port: Annotated[
        int | None,
        "",
        "Port of the server; 0 chooses a free one. Without it, the app goes on where it was "
        "started last, and a file is shown in the app that is running.",
    ] = None,
    no_open: Annotated[Flag, "Do not open the browser; only print the address."] = False,
    listen: Annotated[
        str | None,
        "ADDRESS",
        "Listen at this address of the machine, for a server of a lab, instead of at loopback; "
        "others need the printed address with its token, and the connection is not encrypted.",
    ] = None,
) -> None:
    """Check, explore and report data in a browser.

    FILE is a sheet of contests, or a workspace that was saved by the app (work.zip). The first
    line printed is the address to open. Data do not leave this machine. Stop with Ctrl-C.
    """
    from importlib.util import find_spec

    needed = ("starlette", "uvicorn", "jinja2")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"peckorder app needs {' and '.join(missing)}. Install it with: "
            f'pip install "peckorder[app]"'
        )
    from peckorder.app.server import serve

    if port is not None and not 0 <= port <= 65535:
        raise click.UsageError(f"--port {port}: give a number from 0 to 65535.")
    if file is not None and not Path(file).is_file():
        raise MissingFileError.of(file)

    def tell(text: str) -> None:
        click.echo(text)
        sys.stdout.flush()

    serve(file, port=port, show=not no_open, listen=listen, say=tell, warn=talk)


def _of_report() -> list[Argument]:
    others = {"path", "start", "end", *HIDDEN}
    return [one for name, one in derive.function("report").arguments.items() if name not in others]


@command(FILE_ARGUMENT, *WINDOW, own=_of_report, reads=True)
def report(
    file: str,
    output: Annotated[
        str, "FILE", "HTML file to write; an existing file is replaced."
    ] = "hierarchy.html",
    by: Annotated[
        Column,
        "Write one report for each group in this column, hierarchy-NAME.html, and a front page "
        "that compares the groups.",
    ] = None,
    **flags: Any,
) -> None:
    """Write a report to one HTML file.

    The report contains all analyses and can be read offline.
    """
    from peckorder.random_runs import seed_number

    derive.take_groups(flags, by)
    refuse_same_file([file, flags["presence"], output])
    names = set(derive.function("report").arguments) & set(flags)
    own = {name: flags.pop(name) for name in names}
    own = {name: value for name, value in own.items() if value is not None}
    own |= {"start": flags.pop("from"), "end": flags.pop("to")}
    own["threads"] = click.get_current_context().meta.get(derive.THREADS)
    data = derive.read_contests(file, flags)
    drawn, own["seed"] = "seed" not in own, seed_number(own.get("seed"))
    with progress("report") as update, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        parts = data if by is None else data.split("group")
        written = peckorder.report(parts, output, progress=update, **own)
    failed = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    for warning in caught:
        if not already_said(str(warning.message)):
            talk(f"{'Error' if warning in failed else 'Warning'}: {warning.message}")
    if drawn:
        talk(f"Seed: {own['seed']} (use --seed {own['seed']} to reproduce this result).")
    for path in [output, *([] if by is None else written.values())]:
        talk(f"Wrote {path}.")
    if failed:
        click.get_current_context().exit(1)


class Joining(Derived):
    """The command `join`, whose --date is that of the other table."""

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading; the column of dates of the contests is --contest-date."""
        found = super().groups(ctx)
        text = "Column of dates of the contests."
        own = derive.option("contest_date", str, text, metavar="COLUMN")
        found[READING] = [own, *derive.reading_flags(without="date")]
        return found


def _join(run: Run) -> None:
    """Ratings and ranks for the rows of another table, and how many have values."""
    flags, table = run.flags, run.flags.pop("table")
    refuse_same_file([run.file, table, flags["presence"], run.output])
    own = {name: flags.pop(name) for name in ("individual", "date", "date_format", "draws")}
    own["prefix"] = flags.pop("prefix") or ""
    flags["date"] = flags.pop("contest_date")
    if run.file.lower().endswith(".npz"):
        ratings = _saved(run)
    else:
        rater = run.chain[0]
        ratings = run.seen(run.call(rater, run.read(), run.settings(rater, None)))
    joined_table = ratings.at_dates(table, **own)
    _say_reasons(joined_table[own["prefix"] + "reason"].alias("reason"))
    from peckorder.tables import as_bytes

    shown = plain_table(joined_table) if run.form == "table" else as_bytes(joined_table, run.form)
    run.write(shown, {})


def _saved(run: Run) -> Any:
    """A posterior from a file; options of a rating do not apply to it."""
    run.window = run.flags.pop("from"), run.flags.pop("to")
    given = ["method"] if click.get_current_context().meta[METHOD] else []
    given += [name for name, value in run.flags.items() if value not in (None, ())]
    if given:
        flag = f"--{given[0].replace('_', '-')}"
        raise click.UsageError(f"{flag} cannot be used with a saved posterior ({run.file}).")
    return run.seen(peckorder.Posterior.load(run.file))


def _say_reasons(reason: Any) -> None:
    """Print how many rows have values, and why others have none."""
    from peckorder.text import counted

    empty = reason.drop_nulls()
    counts = dict(empty.value_counts().sort("reason").iter_rows()) if len(empty) else {}
    why = ", ".join(f"{number:,} {text}" for text, number in counts.items())
    said = f"{len(reason) - len(empty):,} of {counted(len(reason), 'row')} joined"
    talk(f"Note: {said}{'; without values: ' + why if why else ''}.")


WRITTEN["join"] = Joining(
    "join",
    Verb(
        "Ratings.at_dates",
        methods=RATERS,
        places=("table",),
        groups=False,
        asked=_join,
        text="Add ratings and ranks on given dates to another table.\n\nFILE contains contests, or "
        'posterior draws saved by "peckorder fit FILE -o fit.npz". Ratings and ranks are those at '
        "the end of the day (contests of the same day count). Rows without values give the reason.",
    ),
)


def programs() -> dict[str, Path]:
    """The example programs by name: in the installed package, or next to its sources."""
    package = Path(peckorder.__file__).parent
    folder = package / "examples"
    folder = folder if folder.is_dir() else package.parent.parent / "examples"
    return {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem != "gallery"}


@command(
    click.Argument(["name"], required=False, type=Offered(lambda _: list(programs()))),
    click.Argument(["arguments"], nargs=-1),
)
def examples(
    name: str | None,
    arguments: tuple[str, ...],
    show: Annotated[Flag, "Print the program instead of running it."] = False,
    output: Annotated[
        Folder,
        "Folder for the files that it writes; default a folder with the name of the example.",
    ] = None,
) -> None:
    """List the examples, or run the one called NAME.

    An example is a short Python program. Some need data that are not included and take the names
    of files as further ARGUMENTS; --show prints the program, to be read and changed.
    """
    import ast

    known = programs()
    if name is None:
        for one, path in known.items():
            doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            say(f"{one}: {doc.splitlines()[0]}")
        talk('Run one with "peckorder examples NAME", or read it with --show.')
        return
    if name not in known:
        from peckorder.text import did_you_mean

        raise click.UsageError(
            f'There is no example "{name}".{did_you_mean([name], known)} "peckorder examples" '
            "lists them."
        )
    if show:
        click.echo(known[name].read_text(encoding="utf-8"), nl=False)
        return
    files = [str(Path(one).resolve()) if Path(one).exists() else one for one in arguments]
    _run_program(known[name], files, Path(output or name))


def _run_program(program: Path, arguments: list[str], target: Path, *, quiet: bool = False) -> None:
    """Run a program in a folder, and say what it wrote there; `quiet`: not what it printed."""
    import os
    import subprocess

    from peckorder.executors.processes import python

    target.mkdir(parents=True, exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in target.iterdir()}
    done = subprocess.run(
        python(str(program.resolve()), *arguments),
        cwd=target,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if not quiet:
        say(done.stdout.rstrip())
    if done.returncode:
        talk(done.stderr.rstrip())
        raise click.exceptions.Exit(1)
    written = [p for p in sorted(target.iterdir()) if before.get(p) != p.stat().st_mtime_ns]
    for path in written:
        talk(f"Wrote {path}.")
    if not before and not written:
        target.rmdir()  # it wrote nothing


@command(
    click.Argument(
        ["paper"], required=False, type=Offered(lambda _: list(peckorder.papers.PAPERS))
    ),
    click.Argument(["file"], required=False, type=FileName()),
)
def reproduce(
    paper: str | None,
    file: str | None,
    presence: Annotated[File, "File of presence data (foerster2016, goffe2018)."] = None,
    numbers_only: Annotated[Flag, "Draw no figures."] = False,
    full: Annotated[Flag, "Simulate as much as the paper; default within a minute."] = False,
    output: Annotated[
        Folder, "Folder for the table and the figures; default one with the name of the paper."
    ] = None,
) -> None:
    """Recompute the numbers that PAPER prints and draw its figures; without PAPER, list them.

    Writes a table of printed and computed numbers, those that differ first, and the figures into a
    folder. langville2012 and foerster2016 need their data as FILE, which are not included;
    goffe2018 takes that of foerster2016. Other files are refused; the message says what differs.
    """
    from peckorder import methods

    known = peckorder.papers.PAPERS
    if paper is None:
        for name, one in known.items():
            needs = f"\n    Needs {one.needs}." if one.needs else ""
            say(f"{name}: {methods.REFERENCES[name]}{needs}")
        return
    if paper not in known:
        from peckorder.text import did_you_mean

        raise click.UsageError(
            f'"{paper}" is not a paper that can be reproduced.{did_you_mean([paper], known)} '
            f"Choose one of: {', '.join(known)}."
        )
    if file is None and known[paper].needs:
        raise click.UsageError(
            f"{paper} needs {known[paper].needs}, which are not included. Give the file: "
            f"peckorder reproduce {paper} FILE."
        )
    folder = Path(output or paper)
    _printed_numbers(paper, file, presence, folder)
    files = [str(Path(one).resolve()) for one in (file, presence) if one is not None]
    for name, needs_file in () if numbers_only else known[paper].programs:
        if file is not None or not needs_file:
            given = files if needs_file else ["full"] * full
            _run_program(programs()[name], given, folder, quiet=True)


def _printed_numbers(paper: str, file: str | None, presence: str | None, folder: Path) -> None:
    """Print the comparison of all numbers and write it to the folder."""
    import polars as pl

    data = None if file is None else peckorder.papers.contests(paper, file, presence)
    if data is not None:
        report_import(data.report)
    found = peckorder.papers.reproduce(paper, data=data)
    table = found.as_polars()
    digits = [len(printed.partition(".")[2]) + 1 for printed in table["printed"]]  # one more
    shown = {
        name: pl.Series(
            [
                "" if value is None else f"{value:.{places}f}"
                for value, places in zip(table[name], digits, strict=True)
            ]
        )
        for name in ("computed", "difference")
    }
    say(plain_table(table.drop("note").with_columns(**shown)))
    say("\n".join(found.summary))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{paper}.csv"
    found.save(target)
    talk(f"Wrote {target}.")


class Model(Derived):
    """The flags of one model in --model: a method, its settings, and --calibrate."""

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading."""
        found = super().groups(ctx)
        return {name: found[name] for name in ("Options", derive.RATING)}


def _calibrated(run: Run, *, calibrate: Annotated[Flag, "Recalibrate this model."] = False) -> None:
    """A rating, recalibrated or not."""


MODEL = Verb(methods=PREDICTORS, text="One model.", asked=_calibrated)


def _model(text: str) -> Run:
    """The rating that the flags of --model describe."""
    try:
        context = Model("--model", MODEL).make_context("--model", shlex.split(text))
    except (click.UsageError, ValueError) as error:
        reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
        raise click.UsageError(f'--model "{text}": {reason}') from None
    method, flags = context.meta[METHOD], context.params
    return Run(MODEL, method, {**flags, "file": None, "output": None})


def _of_comparison() -> list[Argument]:
    called = ("compare_models", "outside_forecast")
    every = [one for name in called for one in derive.function(name).arguments.values()]
    return [one for one in every if one.name not in HIDDEN]


@command(FILE_ARGUMENT, own=_of_comparison, reads=True, writes=True)
def compare_models(
    file: str,
    model: Annotated[
        tuple[str, ...],
        "FLAGS",
        'Options of one rating method, such as "--k 32 --scale 1000" or "--method glicko"; repeat '
        "for each model.",
    ] = (),
    **flags: Any,
) -> None:
    """Compare the predictive accuracy of rating methods.

    --odds and --chances add a bookmaker or another forecast, by columns: home=B365H,draw=B365D.
    """
    form, output = chosen_format(flags.pop("form"), flags["output"]), flags.pop("output")
    refuse_same_file([file, flags["presence"], output])
    rated = {text.strip() or "default": _model(text) for text in model}
    margin = flags.pop("margin")
    outside = {n: columns for n in ("odds", "chances") if (columns := flags.pop(n)) is not None}
    if len(rated) + len(outside) < 2:
        raise click.UsageError(
            "Give --model at least twice, with different options, or once with --odds or --chances."
        )
    if margin is not None and "odds" not in outside:
        raise click.UsageError("--margin applies to --odds.")
    own = {n: flags.pop(n) for n in derive.function("compare_models").arguments if n in flags}
    own = {name: value for name, value in own.items() if value is not None}
    own.setdefault("calibrate", [n for n, run in rated.items() if run.extra["calibrate"]])
    data = derive.read_contests(file, flags)
    asked = Run(Verb("compare_models"), "", {"file": file, "output": output, **own})
    asked.form = form
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        compared: dict[str, Any] = {}
        for name, run in rated.items():
            rater = run.chain[0]
            try:
                compared[name] = run.call(rater, data, run.settings(rater, data))
            except ArgumentError as error:
                raise click.UsageError(f'--model "{name}": {error}') from None
        for name, columns in outside.items():
            more = {"margin": margin} if name == "odds" and margin else {}
            compared[name] = peckorder.sport.outside_forecast(data, **{name: columns}, **more)
        found = asked.call(derive.function("compare_models"), compared, own)
    asked.say(warned, found, "")
    deliver(content(found, form), output)
    if click.get_current_context().meta.get(derive.NOT_CONVERGED):
        click.get_current_context().exit(1)


SCENARIOS = {
    name.replace("_", "-"): f"simulate.{name}"
    for name in (
        *("hierarchy", "high_dimensional", "unbalanced", "takeover", "coalitionary_leap"),
        *("mortality", "long_term", "self_organizing"),
    )
}


class Simulating(Derived):
    """The command `simulate`, whose flags are those of the scenario."""

    def _chosen(self, args: list[str]) -> str:
        return next((one.lower() for one in args if one.lower() in SCENARIOS), "")

    def _elsewhere(self, flag: str, method: str) -> str:
        return super()._elsewhere(flag, method).replace("--scenario ", "")

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading."""
        scenario = derive.Choice(list(SCENARIOS))
        step = self.verb.chain(ctx.meta.get(METHOD, ""))[0]
        text = "Write the true strengths and ranks to a file."
        truth = derive.option("truth", str, text, metavar="FILE")
        return {
            "": [click.Argument(["scenario"], type=scenario)],
            "Options": [
                *derive.flags_of(step, set(step.arguments) - {"progress", "presence"}),
                truth,
            ],
            "Output": derive.output_flags(),
        }

    def run(self, **flags: Any) -> None:
        """Simulate contests, and write them."""
        import polars as pl

        from peckorder.random_runs import seed_number
        from peckorder.tables import as_bytes, format_of

        scenario = flags.pop("scenario")
        form, output, path = (flags.pop(name) for name in ("form", "output", "truth"))
        form = form or ("csv" if output is None else chosen_format(None, output))
        form = "csv" if form == "table" else form
        refuse_same_file([output, path])
        if path is not None:
            format_of(path)
        drawn, flags["seed"] = flags["seed"] is None, seed_number(flags["seed"])
        given = {name: value for name, value in flags.items() if value is not None}
        number = given.pop("individuals", None)
        step = derive.function(SCENARIOS[scenario])
        number = step.arguments["individuals"].default if number is None else number
        made = step(number, **given)
        if drawn:
            talk(f"Seed: {given['seed']} (use --seed {given['seed']} to reproduce these data).")
        if scenario == "self-organizing":
            data = made.record(0)
            for sentence in made.summary:
                talk(sentence)
            truth = pl.DataFrame(
                {"individual": made.individuals, "rating": made.samples["ratings"][0]}
            )
            truth = truth.sort("rating", descending=True).with_row_index("rank", 1)
        else:
            truth, data = made[0].table, made[1]
        more = [] if path is None else [(path, as_bytes(truth, format_of(path)))]
        deliver(as_bytes(data.frame(), form), output, *more)


WRITTEN["simulate"] = Simulating(
    "simulate",
    Verb(
        methods=SCENARIOS,
        switch="scenario",
        text="Simulate contests.\n\nTrue ranks are known in most scenarios; in self-organizing, "
        "ranks emerge from the contests. Each scenario has flags of its own: peckorder simulate "
        "takeover --help.",
    ),
)


@command(
    click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=FileName()),
    reads=True,
    writes=True,
)
def study(
    files: tuple[str, ...],
    by: Annotated[
        str, "COLUMN", "Column of groups. Several FILEs are one group each, by their names."
    ] = "group",
    measures: Annotated[
        str, "NAMES", "Measures, orders and fits, separated by commas."
    ] = "steepness_bayes,linearity,transitivity,consistency",
    set: Annotated[
        tuple[str, ...],
        "MEASURE.NAME=VALUE",
        "A setting of a measure, such as linearity.runs=1000 (may be repeated).",
    ] = (),
    folder: Annotated[
        Folder, "Folder for the results of each group; the same command goes on where it stopped."
    ] = None,
    workers: Workers = None,
    cluster: Annotated[
        str | None, "ADDRESS", "Compute on a dask.distributed cluster, such as tcp://host:8786."
    ] = None,
    slurm: Annotated[
        File,
        "Compute in jobs of Slurm, with the settings in this YAML file (cores, memory, jobs and "
        "others of dask_jobqueue.SLURMCluster).",
    ] = None,
    seed: Seed = None,
    pooled: Annotated[
        tuple[str, ...],
        "MEASURE",
        "Report mean and spread over groups of this measure (steepness_bayes) or value (such as "
        "elo_bayes.k; may be repeated).",
    ] = (),
    covariates: Annotated[File, "Sheet with one row per group, and its covariates."] = None,
    between: Annotated[
        Column, "With --pooled: compare the classes of groups in this column of the covariates."
    ] = None,
    draws: Annotated[
        tuple[tuple[str, str], ...],
        "MEASURE FILE",
        "Write the posterior draws of a measure in all groups to a Parquet file.",
    ] = (),
    r_script: Annotated[
        tuple[tuple[str, str], ...],
        "MEASURE FILE",
        "Write an R script (brms, with measurement error) and its data.",
    ] = (),
    **flags: Any,
) -> None:
    """One analysis over many groups: one row per group, whatever happens in single groups.

    FILE has a column of groups (--by); several FILEs are one group each. Results of each group are
    written to --folder when they are ready. Groups that cannot be analyzed have a status and a
    reason.
    """
    from peckorder.random_runs import cores

    output, form = flags.pop("output"), flags.pop("form")
    form = chosen_format(form, output)
    where = {"workers": workers, "cluster": cluster, "slurm": slurm}
    chosen = _measures(measures, set)
    with_error = [*pooled, *(measure for measure, _ in r_script)]
    named = [*with_error, *(measure for measure, _ in draws)]
    absent = [name for name in named if name.partition(".")[0] not in chosen]
    if absent:
        raise click.UsageError(f"{absent[0]} is not among the --measures.")
    for asked, known in ((with_error, WITH_ERROR), ([one for one, _ in draws], WITH_DRAWS)):
        if wrong := [name for name in asked if name not in known]:
            what = "standard error" if known is WITH_ERROR else "posterior draws"
            raise click.UsageError(f"{wrong[0]} has no {what}. Choose one of: {', '.join(known)}.")
    if between and not (pooled and covariates):
        raise click.UsageError("--between needs --pooled and --covariates.")
    if covariates and not (between or r_script):
        raise click.UsageError(
            "--covariates is used by --pooled MEASURE --between COLUMN and by --r-script: add one."
        )
    if flags["group"] not in (None, by) and len(files) == 1:
        raise click.UsageError("--by and --group give different columns. Use --by only.")
    del flags["group"]
    refuse_same_file([*files, flags["presence"], output])
    stems = [Path(file).stem for file in files]
    names = stems if len({*stems}) == len(stems) else files
    source = files[0] if len(files) == 1 else dict(zip(names, files, strict=True))
    settings = {"by": by, "measures": chosen, "folder": folder, "seed": seed}
    watched = progress(doing("study"), unit="groups", at_once=workers or cores())
    with _executor(where) as executor, watched as update:
        found = peckorder.study(
            source, executor=executor, progress=update, **settings, **derive.reading(flags)
        )
    _say_notes(found)
    if seed is None:
        talk(f"Seed: {found.seed} (use --seed {found.seed} to reproduce this result).")
    for measure, path in draws:
        found.save_draws(path, measure=measure)
        talk(f"Wrote {path}.")
    for measure, path in r_script:
        measure, _, value = measure.partition(".")
        found.save_r(path, measure=measure, value=value or None, covariates=covariates)
        talk(f"Wrote {path} and {Path(path).with_suffix('.csv')}.")
    deliver(_groups_table(found) if form == "table" else content(found, form), output)
    for measure in pooled:
        measure, _, value = measure.partition(".")
        over = found.pooled(measure, value=value or None, covariates=covariates, between=between)
        for sentence in over.summary:
            say(sentence)


def _measures(names: str, changed: tuple[str, ...]) -> dict[str, Any]:
    """Names with their settings."""
    measures: dict[str, Any] = {
        name.strip().replace("-", "_"): {} for name in names.split(",") if name.strip()
    }
    for text in changed:
        left, equals, value = text.partition("=")
        measure, dot, setting = left.strip().partition(".")
        measure = measure.replace("-", "_")
        if not equals or not dot or measure not in measures:
            raise click.UsageError(
                f"--set {text}: write the measure, the setting and its value, such as "
                f"{next(iter(measures), 'linearity')}.runs=1000."
            )
        measures[measure][setting.replace("-", "_")] = _plain_value(value.strip())
    return measures


def _plain_value(text: str) -> Any:
    """A number, true or false, or a text."""
    with contextlib.suppress(ValueError):
        return json.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
    return text


@contextlib.contextmanager
def _executor(where: dict[str, Any]) -> Iterator[Any]:
    """What computes, as requested by --workers, --cluster or --slurm."""
    from peckorder.executors.clusters import is_cluster, slurm_cluster

    given = [name for name, value in where.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"Use one of --{given[0]} and --{given[1]}.")
    if where["workers"] is not None and where["workers"] < 1:
        raise click.UsageError("--workers: give a number of at least 1.")
    if where["slurm"] is not None:
        with slurm_cluster(where["slurm"]) as cluster:
            yield cluster
        return
    address = where["cluster"]
    if address is not None and not is_cluster(address):
        raise click.UsageError(f"--cluster {address}: give an address such as tcp://host:8786.")
    yield where["workers"] if address is None else address


def _say_notes(found: Any) -> None:
    """Say what was decided on reading, and why values are missing in the first groups concerned."""
    import polars as pl

    for note in found.notes[:MOST_NOTES]:
        talk(f"Note: {note}")
    if len(found.notes) > MOST_NOTES:
        talk(f"Note: {len(found.notes) - MOST_NOTES:,} more notes: see --format json.")
    table = found.as_polars().filter(pl.col("reason").is_not_null())
    for name, status, reason in table.select("group", "status", "reason").head(MOST_NOTES).rows():
        first, *more = reason.splitlines()
        talk(f"Note: {name} is {status}: {first}{' …' if more else ''}")
    if table.height > MOST_NOTES:
        talk(f"Note: {table.height - MOST_NOTES:,} more groups: see the column reason.")


def _groups_table(found: Any) -> str:
    """The main values of each group, and the summary."""
    frame = found.as_polars()
    columns = ["group", "individuals", "contests", "unknown_share"]
    for name in found.measures:
        own = [c for c in (name, f"{name}_low", f"{name}_high") if c in frame.columns]
        columns += own or [c for c in frame.columns if c.startswith(f"{name}_")][:3]
    return plain_table(frame.select(*columns, "status")) + "\n" + "\n".join(found.summary) + "\n"
