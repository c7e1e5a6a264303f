"""A result as an Excel workbook: its tables, values, settings, provenance and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from peckorder.spreadsheets import workbook
from peckorder.tables import as_polars, plain
from peckorder.wording import counted

if TYPE_CHECKING:
    from peckorder.results.result import Result

LONGEST_HISTORY = 50_000  # contests; more take minutes to write


def workbook_of(found: Result, table: pl.DataFrame | None = None, **settings: Any) -> bytes:
    """A workbook of a result.

    Parameters
    ----------
    found : the result
    table : the table of another moment, in place of the final one
    settings : further settings to record, such as the moment of the table
    """
    first = label_of(found)
    tables = {} if _has_no_table(found) else {first: found.as_polars() if table is None else table}
    tables |= found.__dict__.get("tables", {})
    if hasattr(type(found), "diagnostics"):  # of a sampler
        tables["diagnostics"] = as_polars(found.diagnostics)
    course, notes = history_of({None: found})
    described = {
        "settings": plain({**found.settings, **settings}),
        "provenance": plain(found.provenance),
        "result": plain({**found.values, "summary": list(found.summary)}),
    }
    return workbook(tables | course, described, [*notes, *import_notes(found)])


def label_of(found: Result) -> str:
    """The label of the sheet of the main table."""
    for kind in type(found).__mro__:
        if kind.__name__ in ("Ratings", "Order"):
            return kind.__name__.lower()
    return found.method


def _has_no_table(found: Result) -> bool:
    """Whether the table would only repeat the values."""
    return "frame" in found.__dict__ and found.__dict__["frame"] is None


def history_of(rated: dict[Any, Any]) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The ratings before and after each contest, or why they are left out.

    Results of Elo and Glicko have such a history; posteriors have one per draw.
    """
    first = next(iter(rated.values()))
    names = {kind.__name__ for kind in type(first).__mro__}
    if "Ratings" not in names or "SampledRatings" in names or first.kept is None:
        return {}, []
    contests = sum(len(found.data) for found in rated.values())
    if contests > LONGEST_HISTORY:
        return {}, [
            f"The ratings before and after each contest are left out, because there are "
            f"{counted(contests, 'contest')}; write them as CSV or Parquet."
        ]
    parts = [
        as_polars(found.history).select(
            *([] if name is None else [pl.lit(name).alias("group")]), pl.all()
        )
        for name, found in rated.items()
    ]
    return {"rating history": pl.concat(parts, how="diagonal_relaxed")}, []


def import_notes(found: Result) -> list[str]:
    """How the data were read, line by line."""
    own = found.__dict__
    data = getattr(own.get("kept"), "contests", own.get("data"))
    report = own.get("report") or getattr(data, "report", None)
    presence = getattr(data, "presence", None)
    return [
        *([] if report is None else str(report).splitlines()),
        *([] if presence is None else presence.notes),
    ]
