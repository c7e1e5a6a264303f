"""Shared by all figures: journal sizes, colorblind-safe colors, labels that do not overlap."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

import numpy as np
import polars as pl

from peckorder.data.read import is_table, opened
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.plot.themes import COLORS as COLORS
from peckorder.plot.themes import COLUMN as COLUMN
from peckorder.plot.themes import FONT as FONT
from peckorder.plot.themes import PAGE as PAGE
from peckorder.plot.themes import look
from peckorder.results.result import Result
from peckorder.tables import native
from peckorder.text import option_name
from peckorder.validate import fitting, in_words, several

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

TALLEST = 234.0  # millimeters: the height of a page
LEAST_BESIDE = 130.0  # millimeters: in narrower figures, panels are one below the other
MILLIMETER, POINT = 1 / 25.4, 1 / 72  # in inches
BLUE, ORANGE, GRAY, LIGHT = "#0072B2", "#D55E00", "#767676", "#C8C8C8"
SILVER = "#A4A4A4"  # lines that are named but not colored
DASHES: tuple[Any, ...] = (
    "-",
    (0, (4, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 3)),
    (0, (10, 1.5, 3, 1.5)),
    (0, (1, 2.5)),
)
OVER_GRAY = (
    (BLUE, "-"),
    (ORANGE, "-"),
    ("#56B4E9", "-"),
    ("#E69F00", "-"),
    ("#000000", "-"),
    ("#009E73", DASHES[1]),
    ("#CC79A7", DASHES[1]),
)
SMALL, SMALLEST = 6.0, 4.5  # points
STYLE = {
    "font.size": FONT,
    "axes.titlesize": FONT + 1,
    "axes.labelsize": FONT + 1,
    "xtick.labelsize": FONT,
    "ytick.labelsize": FONT,
    "legend.fontsize": FONT,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 200.0,
    "text.parse_math": False,  # "$x$" may be a name
}
LONGEST = 24  # characters of a name in a figure
EAST_ASIAN = "\u2e80"  # the first such character
EAST_ASIAN_FONTS = (  # of Linux, macOS and Windows
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR"),
    *(
        "WenQuanYi Zen Hei",
        "WenQuanYi Micro Hei",
        "Droid Sans Fallback",
        "IPAGothic",
        "NanumGothic",
    ),
    *("Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo", "Arial Unicode MS"),
    *("Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "SimHei"),
)
MOST_NAMED = 100  # names that fit on a page
MOST_ALIKE = 7  # lines of different colors, without dashes
MOST_COLORED = 12  # lines that can be followed by their colors and dashes
MOST_NAMED_LINES = 50  # lines whose names still point to them

_UNSEEN: ContextVar[bool] = ContextVar("unseen", default=False)


class Figure(Protocol[P, R]):
    """A drawing function and the table that it draws."""

    __name__: str

    def __call__(self, *found: P.args, **options: P.kwargs) -> R:
        """Draw the figure."""
        ...

    def data(self, *found: P.args, **options: P.kwargs) -> Any:
        """The table that is drawn."""
        ...


def figure(
    table: Callable[..., pl.DataFrame], *, reads: bool = True
) -> Callable[[Callable[P, R]], Figure[P, R]]:
    """Turn a drawing function into a figure: journal style, and its table as `.data`.

    `.data` takes the arguments of the figure and ignores those that affect appearance only.
    `reads`: whether a file, a table or an array stands for contests, which are read.
    """
    opened_if_read = _opened if reads else tuple
    concerned = set(inspect.signature(table).parameters)

    def mark(draw: Callable) -> Any:
        draw = in_words(draw)

        @wraps(draw)
        def drawn(*found: Any, **options: Any) -> Any:
            import matplotlib

            style = STYLE | ({"font.family": look().font} if look().font else {})
            with matplotlib.rc_context(style):  # pyright: ignore[reportArgumentType]
                return _sized(
                    draw(*opened_if_read(found), **options), own=options.get("ax") is None
                )

        def data(*found: Any, **options: Any) -> Any:
            fitting(draw, found, options)
            own = {name: value for name, value in options.items() if name in concerned}
            found = opened_if_read(found)
            return native(table(*found, **own), _flavor(found[0]))

        data.__doc__ = f"The table drawn by `plot.{draw.__name__}`, with the same arguments."
        drawn.data = data  # pyright: ignore[reportAttributeAccessIssue]
        return drawn

    return mark


def _opened(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is drawn; a file, a table or an array in the place of data is read."""
    first, *others = found or (None,)
    if isinstance(first, str | os.PathLike | list | np.ndarray) or is_table(first):
        return opened(first), *others
    return found


def _sized(axes: Any, own: bool) -> Any:
    """The axes with all texts in the size of the theme, in fonts that have their characters.

    `own`: the axes are those of a new figure.
    """
    from matplotlib.text import Text

    drawn = [axes] if hasattr(axes, "figure") else list(np.ravel(axes))
    parts = [drawn[0].figure] if own else drawn
    texts = list(dict.fromkeys(text for part in parts for text in part.findobj(Text)))
    ratio = look().size / FONT
    for text in texts if ratio != 1 else ():
        text.set_fontsize(text.get_fontsize() * ratio)
    asian = [text for text in texts if max(text.get_text(), default="") >= EAST_ASIAN]
    for text in asian:
        text.set_fontfamily([*text.get_fontfamily(), *_east_asian_fonts()])
    return axes


@cache
def _east_asian_fonts() -> tuple[str, ...]:
    """Fonts of this machine with Chinese, Japanese or Korean characters, which the usual lack."""
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    return tuple(name for name in EAST_ASIAN_FONTS if name in known)


def _flavor(found: Any) -> str:
    if isinstance(found, Mapping):
        found = next(iter(found.values()), None)
    if isinstance(found, Result):
        return found._flavor()
    library = type(found).__module__.partition(".")[0]  # if a figure draws a table
    return library if library in ("pandas", "pyarrow") else getattr(found, "flavor", "polars")


@contextmanager
def unseen() -> Iterator[None]:
    """Figures made in this context are not registered with pyplot, so that no window opens."""
    token = _UNSEEN.set(True)
    try:
        yield
    finally:
        _UNSEEN.reset(token)


def axes_for(ax: Axes | None, width: float | None, height: float, *, usual: float = COLUMN) -> Any:
    """The given axes, or those of a new figure of this size in millimeters."""
    if ax is not None:
        if width is not None:
            raise ArgumentError("width sets the width of a new figure: give either ax or width.")
        return checked_axes(ax)
    return panels(1, 1, width, height, usual=usual)[0, 0]


def checked_axes(ax: Any) -> Any:
    """Axes of matplotlib, and nothing else."""
    if not hasattr(ax, "get_window_extent"):
        raise ArgumentTypeError(f"ax={ax!r}: give axes of matplotlib, or omit ax.")
    return ax


def checked_width(width: float | None, usual: float) -> float:
    """Width of a figure in millimeters."""
    usual = {COLUMN: look().column, PAGE: look().page}.get(usual, usual)
    width = usual if width is None else width
    if not isinstance(width, int | float) or isinstance(width, bool) or not 20 <= width <= 1000:
        raise ArgumentError(
            f"{option_name('width')}={width!r}: give millimeters between 20 and 1000. Journals use "
            f"{COLUMN:g} for one column and {PAGE:g} for two."
        )
    return float(width)


def panels(
    rows: int,
    columns: int,
    width: float | None,
    height: float,
    *,
    usual: float = PAGE,
    layout: str | None = "constrained",
    **how: Any,
) -> Any:
    """Axes (rows, columns) of a new figure, registered with pyplot so that notebooks show it."""
    width = checked_width(width, usual)
    larger = look().size / FONT  # larger letters need more room, up to the shape of a slide
    if larger > 1:
        height = min(height * larger, max(height, 0.8 * width))
    size = {"figsize": (width * MILLIMETER, height * MILLIMETER), "layout": layout}
    from peckorder.plot.files import PublishedFigure

    if _UNSEEN.get():
        made: Any = PublishedFigure(**size)
    else:
        import matplotlib.pyplot as plt

        made = plt.figure(FigureClass=PublishedFigure, **size)
    return made.subplots(rows, columns, squeeze=False, **how)


def named_height(names: int, *, least: float, margin: float = 14.0) -> float:
    """Height in millimeters for a column of this many names, including the axis below."""
    needed = names * name_size(names) * 1.25 * POINT / MILLIMETER + margin
    return min(max(least, needed), TALLEST)


def name_size(names: int) -> float:
    """Font size in points for a column of this many names."""
    room = (TALLEST - 20) * MILLIMETER / POINT / max(1, names) / 1.25
    return float(np.clip(room, SMALLEST, SMALL if names > 25 else FONT))


def shown(names: Iterable[str]) -> list[str]:
    """Names as displayed: on one line, long ones shortened unless that would make two equal."""
    flat = [" ".join(name.split()) for name in names]
    short = [
        name if len(name) <= LONGEST else f"{name[: LONGEST - 9]}…{name[-8:]}" for name in flat
    ]
    return short if len(set(short)) == len(short) else flat


def looks(number: int, *, over_gray: bool = False) -> list[dict[str, Any]]:
    """Color and dashes of this many lines: adjacent ones differ in color, no two are the same.

    Green and pink look gray to the color-blind: above gray lines they come last, and dashed.
    """
    colors = look().colors
    if over_gray and colors == COLORS and number <= len(OVER_GRAY):
        return [{"color": color, "linestyle": dashes} for color, dashes in OVER_GRAY[:number]]
    return [
        {"color": colors[i % len(colors)], "linestyle": DASHES[i // len(colors) % len(DASHES)]}
        for i in range(number)
    ]


def emphasized(
    names: Sequence[str], present: Collection[str], highlight: Any
) -> tuple[list[str], list[str]]:
    """Lines to color and name, and further lines to name in gray."""
    if highlight is not None:
        return chosen(names, highlight, "highlight"), []
    if len(names) <= MOST_COLORED:
        return list(names), []
    there = [name for name in names if name in present] or list(names)
    others = there[MOST_ALIKE:]
    return there[:MOST_ALIKE], others if len(there) <= MOST_NAMED_LINES else []


def spread(wanted: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Positions at least `gap` apart within a range, as close as possible to those wanted."""
    order = np.argsort(wanted, kind="stable")
    gap = min(gap, (high - low) / max(1, len(wanted) - 1))
    steps = gap * np.arange(len(wanted))
    # After subtracting the steps, positions must not decrease: pool adjacent violators.
    blocks: list[list[float]] = []
    for value in wanted[order] - steps:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, weight = blocks.pop()
            other = blocks[-1]
            other[0] = (other[0] * other[1] + value * weight) / (other[1] + weight)
            other[1] += weight
    level = np.concatenate([np.full(int(weight), value) for value, weight in blocks])
    level = np.clip(level, low, high - steps[-1])
    placed = np.empty(len(wanted))
    placed[order] = level + steps
    return placed


def label_ends(
    axes: Any,
    names: Sequence[str],
    ends: Sequence[tuple[Any, float]],
    colors: Sequence[str],
    *,
    gone: Collection[str] = (),
) -> None:
    """Names beside the axes, each connected to the end of its line, without overlap."""
    if len(names) > MOST_NAMED or not names:
        return
    axes.figure.draw_without_rendering()  # fixes the layout, which is measured next
    height = axes.get_window_extent().height / axes.figure.dpi / POINT
    size = name_size(len(names))
    to_axes = axes.transData + axes.transAxes.inverted()
    units = [(axes.convert_xunits(x), axes.convert_yunits(y)) for x, y in ends]
    points = to_axes.transform(np.array(units, float))
    gap = 1.15 * size * look().size / FONT / height
    places = spread(points[:, 1], gap, 0.0, 1.0)
    # In data units, so that labels stay with their lines if the limits change.
    heights = to_axes.inverted().transform(np.column_stack([places, places]))[:, 1]
    for i, name in enumerate(shown(names)):
        axes.plot(
            [points[i, 0], 1.0, 1.02],
            [units[i][1], units[i][1], heights[i]],
            transform=axes.get_yaxis_transform(),
            color=colors[i],
            alpha=0.6,
            linewidth=0.4,
            linestyle=(0, (1, 1)),
            clip_on=False,
            scalex=False,
            scaley=False,
        )
        axes.annotate(
            f"({name})" if names[i] in gone else name,
            (1.02, heights[i]),
            xycoords=axes.get_yaxis_transform(),
            xytext=(1.5, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=size,
            color=colors[i],
            annotation_clip=False,
        )


def names_down(axes: Any, names: Sequence[str], *, else_title: str = "Rank (1 = highest)") -> None:
    """Names on the vertical axis, first at the top; numbers if there are too many names."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    if len(names) > MOST_NAMED:
        axes.set_ylabel(else_title)
        rank_ticks(axes.yaxis, len(names), shift=-1)
        return
    tick_names(axes.yaxis, range(len(names)), shown(names), min(name_size(len(names)), FONT))
    axes.tick_params(axis="y", length=0)


def tick_names(
    axis: Any, places: Iterable[float], names: Sequence[str], size: float, **how: Any
) -> None:
    """Names at ticks, on any axes; names that look like math are shown literally."""
    axis.set_ticks(list(places), list(names), fontsize=size, **how)
    for label in axis.get_ticklabels():
        label.set_parse_math(False)


def legend_above(axes: Any, handles: Sequence[Any], own: bool) -> None:
    """A legend above our own axes; on axes passed by the caller, wherever there is room."""
    how = {"handles": handles, "ncols": 3, "handlelength": 1.5, "columnspacing": 1.2}
    if own:
        axes.figure.legend(loc="outside upper right", **how)
    else:
        axes.legend(loc="best", **(how | {"ncols": 1}))


def time_axis(axes: Any, times: np.ndarray | None, *, ticks: tuple[int, int] = (3, 6)) -> None:
    """Label of the time axis, with few and short date ticks."""
    if times is None or times.dtype.kind != "M":
        axes.set_xlabel("Contest (number)" if times is None else "Date")
        axes.xaxis.get_major_locator().set_params(integer=times is None)
        return
    # The part that all dates share goes into the axis label.
    first, last = (np.datetime_as_string(time, unit="D") for time in (times[0], times[-1]))
    shared = next((first[:n] for n in (10, 7, 4) if first[:n] == last[:n]), "")
    axes.set_xlabel(f"Date ({shared})" if shared else "Date")
    from matplotlib.dates import (
        DAILY,
        HOURLY,
        MINUTELY,
        MONTHLY,
        SECONDLY,
        AutoDateLocator,
        ConciseDateFormatter,
    )

    places = AutoDateLocator(minticks=ticks[0], maxticks=ticks[1])
    # Add the next larger unit as a step, so that every time span has suitable ticks.
    for unit, whole in ((MONTHLY, 12), (DAILY, 31), (HOURLY, 24), (MINUTELY, 60), (SECONDLY, 60)):
        places.intervald[unit] = [*places.intervald[unit], whole]
    axes.xaxis.set_major_locator(places)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(places, show_offset=False))


def rank_ticks(axis: Any, last: float, *, shift: float = 0.0) -> None:
    """Rank ticks: every rank if there are few, otherwise the first and round numbers."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000, 10**9) if last / step <= 12)
    ranks = [1, *(n for n in range(step, int(last) + 1, step) if n > 1)]
    axis.set_ticks([rank + shift for rank in ranks], [str(rank) for rank in ranks])


def chosen(names: Sequence[str], given: Any, argument: str) -> list[str]:
    """The individuals named by an argument, checked; all of them if it is None."""
    if given is None:
        return list(names)
    from peckorder.data.names import code_of

    wanted = list(dict.fromkeys(map(str, several(argument, given))))
    codes = {name: code for code, name in enumerate(names)}
    if not wanted:
        raise ArgumentError(
            f"{option_name(argument)} is empty: name some individuals, or omit it to draw all."
        )
    return [names[code_of(name, codes)] for name in wanted]


def made_by(found: Any, kind: type | tuple[type, ...], figure: str, example: str, *methods: str):
    """Raise an error for anything that a figure cannot draw, with an example of what it can."""
    fits = isinstance(found, kind) and (not methods or found.method in methods)
    if not fits:
        what = f"the result of {found.method}" if hasattr(found, "method") else type(found).__name__
        raise ArgumentTypeError(f"plot.{figure} cannot draw {what}. Pass, for example, {example}.")
