"""Many groups: a forest plot, a measure against covariates, and small multiples of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.errors import ArgumentError, DataError
from peckorder.groups.pooling import column_of, with_covariates
from peckorder.groups.result import Study
from peckorder.groups.study import split
from peckorder.methods import METHODS
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, FONT, GRAY, LIGHT, MILLIMETER, ORANGE, PAGE, TALLEST
from peckorder.plot.matrix import pair_table, shaded
from peckorder.validate import CountedTies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLE = 'po.study(data, by="group")'
MOST_CLASSES = 12
GAP = 0.25  # between small matrices, relative to their width
ABOVE = 0.2  # room for the name of a matrix, relative to its width
BELOW = 8.0  # millimeters for the text below the matrices
CHARACTER = 0.6  # mean width of a character, relative to its size
MOST_MATRICES = 400


def forest_table(
    study: Study, *, measure: str | None = None, value: str | None = None
) -> pl.DataFrame:
    """Estimates of all groups with intervals, largest first, and pooled ones if there are."""
    canvas.made_by(study, Study, "forest", EXAMPLE)
    name = _measure(study, measure)
    table = study.estimates(name, value).select("group", "value", "low", "high")
    try:
        pooled = study.pooled(name, value=value).as_polars()
    except DataError:  # too few groups, or none with a standard error
        more = pl.lit(None, dtype=pl.Float64)
        table = table.with_columns(pooled=more, pooled_low=more, pooled_high=more)
    else:
        own = pooled.select("group", "pooled", "pooled_low", "pooled_high")
        table = table.join(own, on="group", how="left", maintain_order="left")
    return table.sort("value", descending=True, maintain_order=True)


def _measure(study: Study, measure: str | None) -> str:
    """The measure to draw: the first that has a single main value, if none is named."""
    if measure is not None:
        return measure
    known = [name for name in study.measures if name in study.frame.columns]
    if not known:
        raise ArgumentError("Name a measure and one of its values: measure=…, value=….")
    return known[0]


def _title(study: Study, measure: str | None, value: str | None) -> str:
    name = _measure(study, measure)
    title = METHODS[name].label if name in METHODS else name
    title = title[:1].upper() + title[1:]
    return f"{title}: {value}" if value else title


@canvas.figure(forest_table)
def forest(
    study: Study,
    *,
    measure: str | None = None,
    value: str | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A measure in all groups, with 95% intervals; the band is the mean over groups.

    Parameters
    ----------
    study : Study, the result of `peckorder.study`.
    measure, value : as in `Study.pooled`; by default the first measure.
    width, ax : as in `trajectories`.

    Blue points are estimates of single groups. Orange diamonds are estimates pooled toward the
    mean, and the gray band is the 95% interval of the mean (`Study.pooled`), if the measure has
    standard errors.

    Examples
    --------
    >>> import peckorder as po
    >>> groups = {"bonobos": po.datasets.bonobos(), "adv": po.datasets.adv()}
    >>> study = po.study(groups, measures="linearity", executor=1, seed=1)
    >>> po.plot.forest(study).get_xlabel()
    'Linearity h′'
    """
    table = forest_table(study, measure=measure, value=value)
    if table.is_empty():
        raise DataError("No group has a value of this measure: see the column reason.")
    axes = canvas.axes_for(ax, width, canvas.named_height(table.height, least=40, margin=20))
    rows = np.arange(table.height)
    center, low, high = (table[name].to_numpy() for name in ("value", "low", "high"))
    axes.hlines(rows, low, high, color=BLUE, linewidth=0.8, zorder=2)
    (group,) = axes.plot(center, rows, "o", color=BLUE, markersize=2.5, zorder=3, label="group")
    if table["pooled"].is_not_null().any():
        mean = study.pooled(_measure(study, measure), value=value).values["value"]
        band = {"color": LIGHT, "alpha": 0.5, "linewidth": 0, "zorder": 0, "label": "mean (95%)"}
        among = axes.axvspan(mean.low, mean.high, **band)
        diamond = {"color": ORANGE, "markersize": 1.8, "zorder": 4, "label": "pooled"}
        (pooled,) = axes.plot(table["pooled"].to_numpy(), rows, "D", linestyle="", **diamond)
        canvas.legend_above(axes, [group, pooled, among], ax is None)
    canvas.names_down(axes, table["group"].to_list(), else_title="Group (1 = largest value)")
    axes.set_xlabel(_title(study, measure, value))
    return axes


def against_table(
    study: Study,
    *,
    over: str = "individuals",
    measure: str | None = None,
    value: str | None = None,
    covariates: Any = None,
) -> pl.DataFrame:
    """Estimates of all groups with intervals and one covariate."""
    canvas.made_by(study, Study, "against", EXAMPLE)
    table = study.estimates(_measure(study, measure), value)
    table = with_covariates(table, covariates, study.settings["by"])
    if over not in table.columns and over in study.frame.columns:
        table = table.join(study.frame.select("group", over), on="group", how="left")
    column = column_of(table, over)
    known = table.filter(column.is_not_null())
    return known.select("group", pl.col(over), "value", "low", "high")


@canvas.figure(against_table)
def against(
    study: Study,
    *,
    over: str = "individuals",
    measure: str | None = None,
    value: str | None = None,
    covariates: Any = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A measure against a covariate of groups, with 95% intervals.

    Parameters
    ----------
    study : Study, the result of `peckorder.study`.
    over : column of `covariates`, or of the table of the study, such as "individuals".
    measure, value : as in `Study.pooled`; by default the first measure.
    covariates : table or file with one row per group, and a column of groups.
    width, ax : as in `trajectories`.

    Examples
    --------
    >>> import peckorder as po
    >>> groups = {"bonobos": po.datasets.bonobos(), "adv": po.datasets.adv()}
    >>> study = po.study(groups, measures="linearity", executor=1, seed=1)
    >>> mass = {"group": ["adv", "bonobos"], "mass": [1.5, 40]}
    >>> po.plot.against(study, over="mass", covariates=mass).get_xlabel()
    'mass'
    """
    table = against_table(study, over=over, measure=measure, value=value, covariates=covariates)
    if table.is_empty():
        raise DataError("No group has both a value of this measure and the covariate.")
    axes = canvas.axes_for(ax, width, 60)
    column = table[over]
    if column.dtype.is_numeric():
        x = column.cast(pl.Float64).to_numpy()
        axes.xaxis.get_major_locator().set_params(integer=column.dtype.is_integer())
    else:
        texts = column.cast(pl.String)
        names = texts.unique(maintain_order=True).to_list()
        if len(names) > MOST_CLASSES:
            raise ArgumentError(f"{over} has {len(names):,} classes; at most {MOST_CLASSES} fit.")
        places = texts.replace_strict(names, np.arange(len(names))).to_numpy()
        # Groups of one class side by side, in the order of the table.
        seen = np.array([np.count_nonzero(places[:i] == p) for i, p in enumerate(places)])
        sizes = np.bincount(places)[places]
        x = places + 0.5 * ((seen + 0.5) / sizes - 0.5)
        canvas.tick_names(
            axes.xaxis, range(len(names)), canvas.shown(names), FONT, rotation=30, ha="right"
        )
    center, low, high = (table[name].to_numpy() for name in ("value", "low", "high"))
    axes.vlines(x, low, high, color=BLUE, linewidth=0.6, alpha=0.6, zorder=2)
    axes.plot(x, center, "o", color=BLUE, markersize=2.5, zorder=3)
    axes.set_xlabel(over)
    axes.set_ylabel(_title(study, measure, value))
    return axes


def matrices_table(data: Any, *, by: str | None = None, ties: CountedTies = "omit") -> pl.DataFrame:
    """Wins of all pairs of all groups, in rank order within groups."""
    parts = []
    for name, part in _groups(data, by).items():
        try:
            table = pair_table(part, order=None, show="wins", ties=ties)
        except DataError:  # a group without a decided contest
            continue
        parts.append(table.select(pl.lit(name).alias("group"), pl.all()))
    if not parts:
        raise DataError("No group has a decided contest.")
    return pl.concat(parts, how="vertical_relaxed")


def _groups(data: Any, by: str | None) -> dict[str, Any]:
    if isinstance(data, Mapping) and data:
        parts = {str(name): part for name, part in data.items()}
        for part in parts.values():
            canvas.made_by(part, (Contests, Matrix), "matrices", "po.read(…)")
        return parts
    canvas.made_by(data, (Contests, Matrix), "matrices", "po.read(…)")
    if not isinstance(data, Contests):
        return {"all": data}
    return split(data, "group" if by is None and data.group is not None else by)


@canvas.figure(matrices_table)
def matrices(
    data: Any,
    *,
    by: str | None = None,
    ties: CountedTies = "omit",
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Win matrices of many groups, each in its rank order, as small multiples.

    Parameters
    ----------
    data : Contests, or a mapping of groups to Contests or Matrix.
    by : column of groups; by default that of the data.
    ties : {"omit", "half", "both"}
    width, ax : as in `trajectories`.

    Winners are in rows, in the order of David's scores. Wins of the higher-ranked are blue and
    upsets orange; darker cells hold more wins of the group.

    Examples
    --------
    >>> import peckorder as po
    >>> groups = {"bonobos": po.datasets.bonobos(), "adv": po.datasets.adv()}
    >>> po.plot.matrices.data(groups)["group"].unique(maintain_order=True).to_list()
    ['bonobos', 'adv']
    """
    table = matrices_table(data, by=by, ties=ties)
    parts = table.partition_by("group", as_dict=True, maintain_order=True)
    if len(parts) > MOST_MATRICES:
        raise DataError(
            f"{len(parts):,} matrices do not fit on a page; at most {MOST_MATRICES} do. Select "
            f"groups with data.filter(group=[…])."
        )
    usual = COLUMN if len(parts) == 1 else PAGE
    wide = canvas.checked_width(width, usual)
    across = _across(len(parts), wide)
    down = -(-len(parts) // across)
    side = wide / (across * (1 + GAP) - GAP)  # of a matrix, in millimeters
    tall = side * (down * (1 + GAP) - GAP + ABOVE) + BELOW
    axes = canvas.axes_for(ax, width, min(TALLEST, tall), usual=usual)
    size = float(np.clip(wide / across / 3.2, 4.5, FONT))
    most = int((1 + 0.8 * GAP) * side * MILLIMETER / canvas.POINT / (CHARACTER * size))
    for i, ((name,), part) in enumerate(parts.items()):
        x, y = (i % across) * (1 + GAP), (i // across) * (1 + GAP)
        _tile(axes, part, x, y)
        axes.text(
            x, y - 0.03, _fitted(str(name), max(6, most)), fontsize=size, va="bottom", color=GRAY
        )
    axes.set_xlim(-0.02, across * (1 + GAP) - GAP + 0.02)
    axes.set_ylim(down * (1 + GAP) - GAP + 0.02, -ABOVE)
    axes.set_aspect("equal")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(
        "Winners in rows; wins of the higher-ranked blue, upsets orange", fontsize=canvas.SMALL
    )
    return axes


def _across(number: int, wide: float) -> int:
    """Matrices in a row: about as many as rows fit on the page."""
    tall = min(TALLEST, wide * 1.2)
    return min(number, max(1, int(np.ceil(np.sqrt(number * wide / tall)))))


def _fitted(name: str, most: int) -> str:
    name = " ".join(name.split())
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _tile(axes: Any, part: pl.DataFrame, x: float, y: float) -> None:
    rows, columns = (part[name].to_numpy() - 1 for name in ("row_place", "column_place"))
    number = int(rows.max()) + 1
    wins = part["wins"].to_numpy().astype(float)
    image = np.ones((number, number, 3))
    image[rows, columns] = shaded(wins, max(1.0, wins.max()), part["upset"].to_numpy())
    np.einsum("iij->ij", image)[:] = 0.8
    axes.imshow(image, extent=(x, x + 1, y + 1, y), interpolation="nearest", aspect="auto")
