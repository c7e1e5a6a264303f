"""Small pictures for notebooks, written as SVG: ranks with intervals, and a matrix of wins.

They need no drawing library, so that showing a result costs nothing. Lines and names are in the
color of the page's text; data are in the one color that `page` defines for dark and light pages.
Every picture has a text for readers who cannot see it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peckorder.notebook.page import text

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
