"""Output of results on the screen and in files: table, values and summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peckorder.cli.shared import joined, plain_table, talk
from peckorder.cli.window import shown_table

MOST_ROWS = 20
READ = (
    "date",
    "individual",
    "rating",
    "rank",
    "contests",
    "wins",
    "losses",
    "draws",
    "start",
    "start_se",
    "rating_se",
    "component",
    "deviation",
    "volatility",
    "rating_low95",
    "rating_high95",
    "rank_low95",
    "rank_high95",
    "p_top",
)
# Columns hidden on the screen, since the summary below the table reports them.
HIDDEN = {
    "evaluate": lambda column: column.endswith(("_low", "_high")),
    "compare_models": lambda column: column == "difference_se",
}
SHOWN_IN_TABLE = ("foresight", "hindsight", "verdict")


def content_by_group(
    groups: dict[str, Any],
    by: str,
    data_hash: str,
    form: str,
    show: dict[str, Any] | None = None,
    *,
    tables_of_measures: bool = False,
) -> str | bytes:
    """Orders and ratings of all groups in one table, or one row of values per group.

    With `tables_of_measures`, measures are shown by their tables instead of their values.
    """
    import polars as pl

    from peckorder.results import Order, Ratings
    from peckorder.tables import as_bytes

    first = next(iter(groups.values()))
    tables: dict[str | None, Any] = {
        name: _shown(found, form, show, name)
        if isinstance(first, Order | Ratings) or tables_of_measures or not _flat(first.values)
        else pl.DataFrame({k: [v] for k, v in _flat(found.values).items()})
        for name, found in groups.items()
    }
    table = joined(tables, by)
    if form == "table":
        summary = [
            f"{name}: {sentence}"
            for name, found in groups.items()
            if isinstance(found, Ratings)
            for sentence in found.summary
        ]
        return plain_table(table) + ("\n" + "\n".join(summary) + "\n" if summary else "")
    described = first.to_dict()
    described["settings"] |= {"by": by}
    described["provenance"]["data_hash"] = data_hash
    described["result"] = {
        "groups": [{by: name, **found.to_dict()["result"]} for name, found in groups.items()]
    }
    if form == "xlsx":
        return _workbook_by_group(groups, table, described)
    return as_bytes(table, form, described)


def _workbook_by_group(groups: dict[str, Any], table: Any, described: dict[str, Any]) -> bytes:
    """A workbook with the joined table of all groups, their values and their summaries."""
    from peckorder.results.sheets import import_notes, label_of
    from peckorder.spreadsheets import workbook

    notes = [f"{name}: {text}" for name, found in groups.items() for text in found.summary]
    first = next(iter(groups.values()))
    return workbook({label_of(first): table}, described, [*notes, *import_notes(first)])


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Scalar values; for an estimate, its mean and the limits of its 95% interval."""
    from peckorder.estimate import Estimate

    out = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            out |= {f"{name}_{part}": getattr(value, part) for part in ("mean", "low95", "high95")}
        elif not isinstance(value, dict):
            out[name] = value
    return out


def _shown(found: Any, form: str, show: dict[str, Any] | None, of: str | None = None) -> Any:
    """The table of a result; on the screen, without the less important columns."""
    from peckorder.results import Ratings

    if not isinstance(found, Ratings):
        frame = found.frame
        if form != "table" or frame is None:
            return frame
        hidden = HIDDEN.get(found.method, lambda _: False)
        return frame.select(
            [
                c
                for c in frame.columns
                if not hidden(c) and (frame.height == 0 or frame[c].null_count() < frame.height)
            ]
        )
    table = shown_table(found, show or {}, of)
    if form != "table" or (show or {}).get("wide"):
        return table
    return table.select(
        [
            column.name
            for column in table
            if column.name in READ
            and column.null_count() < table.height
            and not (column.name == "component" and column.max() == 1)
            and not (column.name == "draws" and column.max() == 0)
        ]
    )


def content(found: Any, form: str, show: dict[str, Any] | None = None) -> str | bytes:
    """A result in a file format, or for the screen: its table, values and summary."""
    from peckorder.tables import as_bytes, records

    table = _shown(found, form, show)
    asked = {name: value for name, value in (show or {}).items() if value}
    if form == "xlsx":
        from peckorder.results.sheets import workbook_of

        return workbook_of(found, table, **asked)
    if form == "json":
        described = found.to_dict()
        if asked:
            described["result"]["table"] = records(table)
            described["settings"] |= asked
        return as_bytes(found.as_polars(), form, described)
    shown = SHOWN_IN_TABLE if form == "table" else ()
    values = {
        name: value
        for name, value in found.values.items()
        if value is not None and name not in shown
    }
    lines = [line for name, value in values.items() for line in _lines(name, value)]
    if form != "table":
        if table is not None:  # not part of the file, so printed instead
            for line in (*lines, *found.summary):
                talk(line)
        return as_bytes(found.as_polars() if table is None else table, form)
    parts = [] if table is None or table.is_empty() else [plain_table(table)]
    if lines:
        parts.append("\n".join(lines) + "\n")
    if found.summary:
        parts.append("\n".join(found.summary) + "\n")
    return "\n".join(parts)


def _lines(name: str, value: Any) -> list[str]:
    """A named value on one line, or a nested value on several lines."""
    import polars as pl

    from peckorder.estimate import Estimate

    if name.endswith("_intervals"):
        pairs = [(a, b, x) for a, row in value.items() for b, x in row.items() if x and a < b]
        lines = (f"  {a} and {b}: {x['low']:.2f} to {x['high']:.2f}" for a, b, x in pairs)
        return [f"{name}:", *lines] if pairs else []
    if isinstance(value, Estimate):
        value = value.to_dict()
    if isinstance(value, Mapping):
        value = {
            row: part.to_dict() if isinstance(part, Estimate) else part
            for row, part in value.items()
        }
    if isinstance(value, Mapping) and any(isinstance(part, Mapping) for part in value.values()):
        table = pl.DataFrame([{name: row, **part} for row, part in value.items()])
        return ["", *plain_table(table).splitlines(), ""]
    if isinstance(value, Mapping):
        return [f"{name}: " + ", ".join(f"{k} {_number(v)}" for k, v in value.items())]
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        rows = [
            "  " + ", ".join(f"{k} {_number(v)}" for k, v in row.items() if v is not None)
            for row in value[:MOST_ROWS]
        ]
        more = len(value) - len(rows)
        return [f"{name}:", *rows, *([f"  … and {more:,} more: see --format json"] if more else [])]
    if isinstance(value, list):
        parts = (", ".join(part[:8]) + (", …" if len(part) > 8 else "") for part in value)
        return [f"{name}: " + " > ".join(f"{{{part}}}" for part in parts)] if value else []
    return [f"{name}: {_number(value)}"]


def _number(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def table_file(path: str, table: Any) -> tuple[str, bytes]:
    """A further file of a command: its path and the table as its bytes."""
    from peckorder.tables import as_bytes, format_of

    return path, as_bytes(table, format_of(path))
