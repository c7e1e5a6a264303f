"""Small pictures for notebooks, written as SVG: ranks with intervals, and a matrix of wins.

They need no drawing library, so that showing a result costs nothing. Lines and names are in the
color of the page's text; data are in the one color that `page` defines for dark and light pages.
Every picture has a text for readers who cannot see it.

HTML for notebooks: a title, sentences, a picture and a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import polars as pl

from peckorder.text import one_line, printable

MOST_NAMES = 40
LONGEST = 16  # characters of a name
ROW, LETTER, FONT = 17, 6.4, 11  # pixels
WIDE = 300  # pixels of the axis
DATA = "var(--po-data,#2b7bba)"


def dots(
    names: Sequence[str],
    values: np.ndarray,
    low: np.ndarray | None = None,
    high: np.ndarray | None = None,
    *,
    label: str,
    reverse: bool = False,
) -> str:
    """One row per individual: a dot at its value, with a line from the lower to the upper limit.

    `reverse` puts small values (rank 1) on the right.
    """
    names, values = list(names)[:MOST_NAMES], np.asarray(values, float)[:MOST_NAMES]
    lows = values if low is None else np.asarray(low, float)[:MOST_NAMES]
    highs = values if high is None else np.asarray(high, float)[:MOST_NAMES]
    drawn = np.isfinite(values) & np.isfinite(lows) & np.isfinite(highs)
    if not drawn.any():
        return ""
    least, most = float(lows[drawn].min()), float(highs[drawn].max())
    span = most - least or 1.0
    left = 12 + LETTER * max(len(_short(name)) for name in names)

    def place(value: float) -> float:
        share = (value - least) / span
        return left + WIDE * (1 - share if reverse else share)

    parts = []
    for i, name in enumerate(names):
        y = 12 + ROW * i
        parts.append(
            f'<text x="{left - 8:.0f}" y="{y + 4}" text-anchor="end">{_named(name)}</text>'
        )
        if not drawn[i]:
            continue
        said = f"{name}: {values[i]:.4g}"
        if low is not None:
            said += f" ({lows[i]:.4g} to {highs[i]:.4g})"
            parts.append(
                f'<line x1="{place(lows[i]):.1f}" x2="{place(highs[i]):.1f}" y1="{y}" y2="{y}" '
                f'stroke="{DATA}" stroke-width="3" stroke-opacity=".45"/>'
            )
        parts.append(
            f'<circle cx="{place(values[i]):.1f}" cy="{y}" r="3.5" fill="{DATA}">'
            f"<title>{text(said)}</title></circle>"
        )
    bottom = 12 + ROW * len(names)
    parts += _axis([least, most], place, bottom, left, label)
    return _svg(left + WIDE + 24, bottom + 34, parts, f"{label} of {len(names)} individuals")


def heat_map(names: Sequence[str], wins: np.ndarray) -> str:
    """A matrix of wins: winners in rows, losers in columns, the darker the more wins."""
    if not 2 <= len(names) <= MOST_NAMES:
        return ""
    size = 26 if len(names) <= 12 else 15
    widest = LETTER * max(len(_short(name)) for name in names)
    left, top = widest + 12, widest * 0.75 + 16
    most = max(int(wins.max()), 1)
    parts = []
    for i, name in enumerate(names):
        middle = size * (i + 0.5)
        parts.append(
            f'<text x="{left - 6:.0f}" y="{top + middle + 4:.0f}" text-anchor="end">'
            f"{_named(name)}</text>"
        )
        x, y = left + middle + 2, top - 5
        parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" transform="rotate(-45 {x:.0f} {y:.0f})">'
            f"{_named(name)}</text>"
        )
        for j, other in enumerate(names):
            parts.append(_cell(name, other, int(wins[i, j]), most, (left, top), size, (i, j)))
    width = left + size * len(names) + widest * 0.75 + 12
    return _svg(width, top + size * len(names) + 6, parts, "Wins of rows over columns")


def _cell(
    winner: str,
    loser: str,
    number: int,
    most: int,
    corner: tuple[float, float],
    size: int,
    place: tuple[int, int],
) -> str:
    i, j = place
    x, y = corner[0] + size * j, corner[1] + size * i
    if i == j:
        box = 'fill="currentColor" fill-opacity=".12"'
    else:
        shade = 0.0 if number == 0 else 0.12 + 0.6 * np.sqrt(number / most)
        box = f'fill="{DATA}" fill-opacity="{shade:.2f}"'
    said = "" if i == j else f"<title>{text(f'{winner} beat {loser}: {number:,}')}</title>"
    out = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size - 1}" height="{size - 1}" {box} '
        f'stroke="currentColor" stroke-opacity=".15">{said}</rect>'
    )
    if size > 20 and i != j and 0 < number < 1000:
        out += (
            f'<text x="{x + size / 2 - 0.5:.1f}" y="{y + size / 2 + 3.5:.1f}" '
            f'text-anchor="middle" pointer-events="none">{number}</text>'
        )
    return out


def bars(
    names: Sequence[str], spans: Sequence[Sequence[tuple[float, float]]], ends: tuple[str, str]
) -> str:
    """One row per individual with bars from start to end, such as times of presence."""
    names, spans = list(names)[:MOST_NAMES], list(spans)[:MOST_NAMES]
    every = [edge for own in spans for span in own for edge in span if np.isfinite(edge)]
    if not every:
        return ""
    least, most = min(every), max(every)
    width = most - least or 1.0
    left = 12 + LETTER * max(len(_short(name)) for name in names)
    parts = []
    for i, (name, own) in enumerate(zip(names, spans, strict=True)):
        y = 12 + ROW * i
        parts.append(
            f'<text x="{left - 8:.0f}" y="{y + 4}" text-anchor="end">{_named(name)}</text>'
        )
        for start, end in own:
            begin = left + WIDE * (start - least) / width
            long = WIDE * (min(end, most) - start) / width
            parts.append(
                f'<rect x="{begin:.1f}" y="{y - 4}" width="{max(long, 1.5):.1f}" height="8" '
                f'fill="{DATA}" fill-opacity=".7"/>'
            )
    bottom = 12 + ROW * len(names)
    for x, anchor, words in ((left, "start", ends[0]), (left + WIDE, "end", ends[1])):
        parts.append(
            f'<text x="{x:.0f}" y="{bottom + 10}" text-anchor="{anchor}">{text(words)}</text>'
        )
    return _svg(left + WIDE + 24, bottom + 18, parts, f"Presence of {len(names)} individuals")


def _axis(ends, place, bottom: float, left: float, label: str) -> list[str]:
    out = [
        f'<line x1="{left:.0f}" x2="{left + WIDE:.0f}" y1="{bottom}" y2="{bottom}" '
        f'stroke="currentColor" stroke-opacity=".5"/>'
    ]
    for value in dict.fromkeys(ends):
        out.append(
            f'<text x="{place(value):.1f}" y="{bottom + 14}" text-anchor="middle">'
            f"{value:.4g}</text>"
        )
    middle = left + WIDE / 2
    out.append(
        f'<text x="{middle:.0f}" y="{bottom + 28}" text-anchor="middle">{text(label)}</text>'
    )
    return out


def _svg(width: float, height: float, parts: Sequence[str], said: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{text(said)}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="{FONT}" fill="currentColor">{"".join(parts)}</svg>'
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _named(name: str) -> str:
    return (
        f"{text(_short(name))}"
        if len(name) <= LONGEST
        else (f"{text(_short(name))}<title>{text(name)}</title>")
    )


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
    low, high = getattr(value, "low", None), getattr(value, "high", None)
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
