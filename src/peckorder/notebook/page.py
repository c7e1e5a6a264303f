"""HTML for notebooks: a title, sentences, a picture and a table.

Jupyter shows what `_repr_html_` returns, and the plain text where it cannot. Every text is escaped,
because names come from files that anybody may have written. Colors follow the page: text is in the
color of the page, lines are a part of it, and the one color for data has a dark and a light form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import polars as pl

from peckorder.printable import one_line, printable

MOST_ROWS = 20
LONGEST_CELL = 60  # characters
STYLE = """<style>
.peckorder{--po-data:#0a6aa6;--po-warn:#b34700;line-height:1.45}
@media (prefers-color-scheme:dark){.peckorder{--po-data:#5ab4e6;--po-warn:#f0a060}}
[data-jp-theme-light="true"] .peckorder,.vscode-light .peckorder\
{--po-data:#0a6aa6;--po-warn:#b34700}
[data-jp-theme-light="false"] .peckorder,.vscode-dark .peckorder\
{--po-data:#5ab4e6;--po-warn:#f0a060}
.peckorder .po-wide{overflow-x:auto}
.peckorder table{border-collapse:collapse;margin:.4em 0;color:inherit;background:none;\
font-size:90%}
.peckorder th,.peckorder td{padding:.15em .7em;border:0;text-align:left;color:inherit;\
background:none;white-space:nowrap}
.peckorder th{font-weight:600}
.peckorder thead th{border-bottom:1px solid currentColor}
.peckorder .po-number{text-align:right;font-variant-numeric:tabular-nums}
.peckorder p{margin:.2em 0;max-width:46em}
.peckorder .po-title{font-weight:600}
.peckorder ul{list-style:none;padding:0;margin:.4em 0;max-width:50em}
.peckorder li{padding-left:1.5em;text-indent:-1.5em}
.peckorder .po-mark{display:inline-block;width:1.5em;text-indent:0}
.peckorder .po-warning{color:var(--po-warn)}
.peckorder svg{display:block;margin:.4em 0;max-width:100%;height:auto}
</style>"""


def page(
    title: str,
    *,
    sentences: Iterable[str] = (),
    picture: str = "",
    tables: Sequence[str] = (),
    after: Iterable[str] = (),
) -> str:
    """A block of HTML: title, sentences, a picture, tables, and sentences below them."""
    parts = [STYLE, f'<p class="po-title">{text(title)}</p>']
    parts += [f"<p>{text(sentence)}</p>" for sentence in sentences]
    parts.append(picture)
    parts += [f'<div class="po-wide">{table}</div>' for table in tables]
    parts += [f"<p>{text(sentence)}</p>" for sentence in after]
    return f'<div class="peckorder">{"".join(parts)}</div>'


def text(value: object) -> str:
    """A text that no browser takes for markup.

    >>> text("<b>Abe</b>")
    '&lt;b&gt;Abe&lt;/b&gt;'
    """
    return escape(printable(value))


def table(frame: pl.DataFrame, of: int | None = None) -> str:
    """A table of at most 20 rows; numbers are right-aligned and rounded as on the screen.

    `of` is the number of all rows, where `frame` holds only the first ones.
    """
    most, height = min(MOST_ROWS, frame.height), of or frame.height
    heads, columns = [], []
    for column in frame.iter_columns():
        number = column.dtype.is_numeric()
        kind = ' class="po-number"' if number else ""
        heads.append(f'<th{kind} scope="col">{text(column.name)}</th>')
        columns.append([f"<td{kind}>{cell}</td>" for cell in _cells(column.head(most), column)])
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True))
    more = ""
    if height > most:
        more = f"<p>{most} of {height:,} rows are shown.</p>"
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    return f"<table>{head}<tbody>{rows}</tbody></table>{more}"


def _cells(shown: pl.Series, column: pl.Series) -> list[str]:
    """Cells of a column, with as many decimals as its numbers need."""
    if column.dtype.is_float():
        decimals = _decimals(column)
        return ["" if value is None else f"{value:,.{decimals}f}" for value in shown]
    if str(column.dtype) == "Boolean":
        return ["" if value is None else "yes" if value else "no" for value in shown]
    cells = ["" if value is None else one_line(value) for value in shown]
    return [
        escape(cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}…") for cell in cells
    ]


def _decimals(column: pl.Series) -> int:
    finite = column.drop_nulls().filter(column.drop_nulls().is_finite())
    if finite.is_empty() or (finite == finite.round(0)).all():
        return 0
    largest: Any = finite.abs().max()
    return 3 if largest <= 1 else 2 if largest < 100 else 1


def values(named: Mapping[str, Any]) -> str:
    """A table of values by name; an estimate has its interval, structures are left out."""
    rows = []
    for name, value in named.items():
        shown = _shown(value)
        if shown is not None:
            rows.append(f'<tr><th scope="row">{text(name)}</th><td>{text(shown)}</td></tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>" if rows else ""


def _shown(value: Any) -> str | None:
    low, high = getattr(value, "low95", None), getattr(value, "high95", None)
    if low is not None and high is not None:
        return f"{float(value):.4g} (95% CrI {low:.4g}–{high:.4g})"
    if value is None or isinstance(value, bool):
        return {None: "–", True: "yes", False: "no"}[value]
    if isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return f"{number:,.0f}" if number == int(number) else f"{number:.4g}"


def marked(rows: Iterable[tuple[str, str, bool]]) -> str:
    """A list with a mark before each text: (mark, text, whether it is a warning)."""
    items = [
        f'<li{" class=po-warning" if warning else ""}><span class="po-mark">{text(mark)}</span>'
        f"{text(words)}</li>"
        for mark, words, warning in rows
    ]
    return f"<ul>{''.join(items)}</ul>"
