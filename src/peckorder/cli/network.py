"""`peckorder network FILE`: individuals with ranks, dyads with net wins, and GraphML."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.options import BY, FROM_TO, ORDER, TIES
from peckorder.cli.running import each_group, find, verb
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    joined,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    with_options,
)


def in_order(data: Any, progress: Any = None, order: str | None = None, ties: str = "omit") -> Any:
    """The network with the ranks of the order requested."""
    ranked = None if order in (None, "davids_score") else verb(order)(data, ties=ties)
    return verb("network")(data, order=ranked, ties=ties)


@click.command()
@click.argument("file")
@with_options(ORDER, TIES)
@click.option("--edges", metavar="FILE", help="Write the dyads with their net wins to a file.")
@click.option(
    "--graphml",
    metavar="FILE",
    help="Write the network to a GraphML file, for igraph, networkx, Gephi or Cytoscape.",
)
@with_options(BY, *FROM_TO)
@output_options
@column_options
def network(file: str, **flags: Any) -> None:
    """Dominance network. Individuals with ranks, and dyads with net wins.

    The output is the table of individuals; --edges and --graphml write the dyads.
    """
    from peckorder.tables import as_bytes, format_of

    form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by")
    edges, graphml = flags.pop("edges"), flags.pop("graphml")
    form = chosen_format(form, output)
    edges_form = None if edges is None else format_of(edges)
    refuse_same_file([file, flags["presence"], output, edges, graphml])
    take_groups(flags, by)
    if graphml is not None and by is not None:
        raise click.UsageError("--graphml and --by cannot be combined: a file has one network.")
    data = read_contests(file, flags)
    groups: dict[Any, Any]
    if by is None:
        groups = {None: find(in_order, data, flags, slow=True, printed=form == "table")}
        shown = content(groups[None], form)
    else:
        groups = each_group(in_order, data.split("group"), flags, by, slow=True)
        shown = content_by_group(groups, by, data.hash, form)
    more = []
    if edges_form is not None:
        table = joined({name: found.tables["edges"] for name, found in groups.items()}, by)
        more.append((edges, as_bytes(table, edges_form)))
    if graphml is not None:
        more.append((graphml, groups[None].graphml().encode()))
    deliver(shown, output, *more)
