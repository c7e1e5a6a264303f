"""Themes: the sizes, fonts and colors of figures, for one journal or for a talk.

Figures are made for a column of 85 mm with letters of 7 points. A theme changes the widths that
are used where none is given, the size of all letters, the font, and the colors of lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from peckorder.errors import ArgumentError
from peckorder.text import given, option_name
from peckorder.validate import one_of, several

COLUMN, PAGE = 85.0, 174.0  # millimeters
FONT = 7.0  # points
# The colorblind-safe palette of Okabe & Ito, without yellow, which is hard to see on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


@dataclass(frozen=True)
class Look:
    """Widths of one and two columns in millimeters, letters in points, font and colors of lines."""

    column: float = COLUMN
    page: float = PAGE
    size: float = FONT
    font: str | None = None
    colors: tuple[str, ...] = COLORS


# Usual widths of one column and of the page, and size of letters; single journals may differ.
JOURNALS = {
    "default": Look(),
    "elsevier": Look(90.0, 190.0, 7.0),
    "nature": Look(89.0, 183.0, 7.0),
    "plos": Look(132.0, 190.5, 8.0),
    "science": Look(57.0, 121.0, 7.0),
    "springer": Look(84.0, 174.0, 8.0),
    "wiley": Look(80.0, 180.0, 8.0),
    "slides": Look(160.0, 240.0, 14.0),
}
_LOOK: ContextVar[Look] = ContextVar("look", default=JOURNALS["default"])


def look() -> Look:
    """The theme in use."""
    return _LOOK.get()


@dataclass
class Theme:
    """A theme for the figures in a `with` block, or from now on (`use`)."""

    look: Look
    _before: list[Token[Look]] = field(default_factory=list, repr=False)

    def __enter__(self) -> Theme:
        self._before.append(_LOOK.set(self.look))
        return self

    def __exit__(self, *_: object) -> None:
        _LOOK.reset(self._before.pop())

    def use(self) -> Theme:
        """Use this theme for all figures that follow; `theme().use()` returns to the usual one."""
        _LOOK.set(self.look)
        return self


def theme(
    journal: Literal[
        "default", "elsevier", "nature", "plos", "science", "springer", "wiley", "slides"
    ] = "default",
    *,
    font: str | None = None,
    size: float | None = None,
    column: float | None = None,
    page: float | None = None,
    colors: Sequence[str] | None = None,
) -> Theme:
    """Sizes, font and colors of figures, for a journal or of your own.

    Parameters
    ----------
    journal : {"default", "elsevier", "nature", "plos", "science", "springer", "wiley", "slides"}
        Usual widths of one and two columns and size of letters of this publisher.
    font : name of a font that is installed, such as "Arial"; the one of matplotlib by default.
    size : of letters in points, for axis numbers and names; titles of axes are one point larger.
    column, page : widths in millimeters of figures of one and two columns.
    colors : colors of lines that show individuals, as matplotlib names them.

    Returns
    -------
    Theme
        Use it in a `with` statement, or call its method `use()` for all figures that follow.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> with po.plot.theme("nature"):
    ...     figure = po.plot.trajectories(ratings).figure
    >>> round(figure.get_size_inches()[0] * 25.4)
    89
    """
    chosen = JOURNALS[one_of("journal", journal, tuple(JOURNALS))]
    changed: dict[str, Any] = {}
    for name, value, least, most in (
        ("size", size, 4, 40),
        ("column", column, 20, 1000),
        ("page", page, 20, 1000),
    ):
        if value is not None:
            changed[name] = _between(name, value, least, most)
    if font is not None:
        changed["font"] = _installed(font)
    if colors is not None:
        changed["colors"] = _colors(colors)
    return Theme(replace(chosen, **changed))


def _between(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ArgumentError(f"{given(name, value)}: give a number from {least:g} to {most:g}.")
    return float(value)


def _installed(font: str) -> str:
    from matplotlib.font_manager import FontProperties, findfont

    try:
        findfont(FontProperties(family=str(font)), fallback_to_default=False)
    except ValueError:
        raise ArgumentError(
            f'The font "{font}" is not installed, or matplotlib does not find it. Install it, or '
            f"omit {option_name('font')} to use the font of matplotlib."
        ) from None
    return str(font)


def _colors(colors: Any) -> tuple[str, ...]:
    from matplotlib.colors import is_color_like, to_hex

    wanted = several("colors", colors)
    wrong = [color for color in wanted if not is_color_like(color)]
    if wrong or not wanted:
        raise ArgumentError(
            f"{option_name('colors')}: {', '.join(map(repr, wrong)) or 'none'} given. Give names "
            f'of colors or codes such as "#0072B2".'
        )
    return tuple(to_hex(color) for color in wanted)
