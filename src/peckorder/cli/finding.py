"""Commands that return an order or a measure: each calls the function of the same name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import click

from peckorder.cli.content import MOST_ROWS, content, content_by_group
from peckorder.cli.elo import parse_rating
from peckorder.cli.options import BAYESIAN, BY, CLASSICAL, FROM_TO, METHODS
from peckorder.cli.running import each_group, find, verb
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

IN_ANY_ORDER = ("randomized_elo", "repeatability", "splitting")  # ratings of shuffled contests


def finding(name: str, text: str, *options: Callable, slow: bool = False) -> click.Command:
    """A command that reads contests, calls a function of the library and outputs its result."""
    # Ratings over time learn from earlier contests: there --from and --to show a window of them.
    rated = {"curve", "window_start"} & option_names(options) and name not in IN_ANY_ORDER
    window = () if rated else FROM_TO

    @click.command(name.replace("_", "-"), help=text)
    @click.argument("file")
    @with_options(*options, BY, *window)
    @output_options
    @column_options
    def command(file: str, **flags: Any) -> None:
        form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by")
        function, split = _chosen(name, flags)
        form = chosen_format(form, output)
        refuse_same_file([file, flags["presence"], output])
        parse_rating(flags)
        take_groups(flags, by)
        if "methods" in flags:
            flags["methods"] = flags["methods"] or METHODS
        if split is not None and by is not None:
            raise click.UsageError("--split-at and --by cannot be combined.")
        data = read_contests(file, flags)
        if split is not None:
            parts = dict(zip((f"before {split}", f"from {split}"), data.cut(split), strict=True))
            groups = each_group(function, parts, flags, "period", slow=slow)
            deliver(content_by_group(groups, "period", data.hash, form), output)
            _print_differences(function, groups)
            return
        if by is None:
            found = find(function, data, flags, slow=slow, printed=form == "table")
            deliver(content(found, form), output)
            return
        groups = each_group(function, data.split("group"), flags, by, slow=slow)
        deliver(content_by_group(groups, by, data.hash, form), output)
        _print_differences(function, groups)

    return command


def _chosen(verb: str, flags: dict[str, Any]) -> tuple[str, str | None]:
    """The function requested and the date of the split; flags of the other function are removed."""
    if "bayes" not in flags:
        return verb, None
    if not flags.pop("bayes"):
        _take_out(flags, BAYESIAN, "requires --bayes")
        if flags.get("ties") == "davidson" and verb == "steepness":
            raise click.UsageError("--ties davidson requires --bayes.")
        return verb, None
    _take_out(flags, CLASSICAL, "cannot be used with --bayes")
    if flags["ties"] in ("half", "both"):
        raise click.UsageError("With --bayes, use --ties omit or --ties davidson.")
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


def _print_differences(function: str, groups: dict[str, Any]) -> None:
    """Print the probability that one group is steeper than another."""
    if function != "steepness_bayes":
        return
    for (one, first), (other, second) in list(combinations(groups.items(), 2))[:MOST_ROWS]:
        difference = verb("steepness_difference")(first, second)
        value = difference.values["value"]
        talk(
            f"Probability that {one} is steeper than {other}: {difference.p_steeper:.3f} "
            f"(difference {value.mean:.3f}, 95% CrI {value.low95:.3f} to {value.high95:.3f})."
        )
