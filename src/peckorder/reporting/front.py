"""The front page of the reports on several groups: one table that compares them, with links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from peckorder.figures.orders import above_next
from peckorder.reporting.analysis import Analysis
from peckorder.reporting.coherence import Change, steepness_now
from peckorder.reporting.page import Page, Section, Table, Words, render
from peckorder.wording import counted

HEADINGS = {
    "group": "Group",
    "individuals": "Individuals",
    "ranked": "Ranked",
    "contests": "Contests",
    "first": "Highest-ranked",
    "above_second": "P(outranks second)",
    "steepness": "Steepness",
    "steepness_low95": "95% from",
    "steepness_high95": "to",
    "h": "Linearity h′",
    "p": "p",
    "unknown": "Unknown dyads",
    "changed": "Evidence that ranks changed",
}


def row_of(group: str, found: Analysis) -> dict[str, Any]:
    """What the front page says of a group."""
    steepness = steepness_now(found)
    if steepness is None and found.steepness_bayes is not None:
        steepness = found.steepness_bayes.values["value"]
    linearity = {} if found.linearity is None else found.linearity.values
    above = None
    if found.sure is not None:
        at = found.moment_of(found.sure).get("at")
        above = float(above_next(found.sure, found.names[:2], at)[0])
    change = Change.of(found)
    asked = change.p is not None or change.factor is not None
    return {
        "group": group,
        "individuals": len(found.data.individuals),
        "ranked": len(found.names),
        "contests": len(found.contests),
        "first": found.names[0],
        "above_second": above,
        "steepness": None if steepness is None else float(steepness.mean),
        "steepness_low95": None if steepness is None else float(steepness.low95),
        "steepness_high95": None if steepness is None else float(steepness.high95),
        "h": linearity.get("h_improved"),
        "p": linearity.get("p_right"),
        "unknown": None if found.unknown is None else found.unknown.values["value"],
        "changed": change.known if asked else None,
    }


def front_page(
    rows: Sequence[dict[str, Any]],
    files: Mapping[str, Path],
    omitted: Sequence[str],
    title: str | None,
) -> bytes:
    """The page with the table of all groups."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    links = {group: quote(path.name) for group, path in files.items()}
    contests = sum(row["contests"] for row in rows)
    parts = (
        Words(
            "Click a group for its full report. Individuals are ranked if they were present at the "
            "date of the ranking. Steepness, with its 95% credible interval, is that of the "
            "ratings at that date if there are ratings over time.",
            "lead",
        ),
        Table("groups", "Comparison of groups", frame, HEADINGS, links=links),
        Words(
            "Compare steepness and linearity only between groups with similar sampling effort: "
            "both depend on the number of contests and on unknown dyads.",
            "note",
        ),
        *(Words(text, "warning") for text in omitted),
    )
    number = counted(len(rows), "group")
    subtitle = f"{counted(contests, 'contest')} in {number}"
    page = Page(
        title or f"Hierarchies of {number}", subtitle, (), (Section("groups-of", "Groups", parts),)
    )
    return render(page)
