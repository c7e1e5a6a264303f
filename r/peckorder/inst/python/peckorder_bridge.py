"""One call for all functions of R: values are suited to the annotations, and described on return.

Only lists, dictionaries, text and numbers cross the border, because older versions of reticulate
exchange no arrays with NumPy 2. What is missing travels as positions, because Python has no NA.
"""

import datetime
import inspect
import json
import math
import re
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl

import peckorder as po
from peckorder.estimate import Estimate
from peckorder.tables import as_polars, as_r, plain
from peckorder.text import in_r

WIDTHS = {"Date": pl.Date, "POSIXct": pl.Datetime("us")}


class Held:
    """Kept from conversion: many objects are mappings, which would become lists of R."""

    def __init__(self, it):
        self.it = it


# -- from R --------------------------------------------------------------------------------------


def taken(value):
    """A value of R: tables become data frames, whole numbers integers."""
    if isinstance(value, Held):
        return value.it
    if isinstance(value, dict):
        if "__table__" in value:
            return pl.DataFrame([series(*one) for one in value["__table__"]])
        if "__matrix__" in value:
            return matrix(**value["__matrix__"])
        return dict(zip(*map(taken, value["__named__"]), strict=True))
    if isinstance(value, list | tuple):
        return type(value)(taken(part) for part in value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    return value


def series(name, kind, values, missing):
    values = list(values)
    for place in missing:
        values[int(place)] = None
    if kind == "factor" or kind == "character":
        return pl.Series(name, values, dtype=pl.String)
    if kind in WIDTHS:
        text = pl.Series(name, values, dtype=pl.String)
        return text.str.to_date() if kind == "Date" else text.str.to_datetime(time_unit="us")
    if kind == "numeric" and all(v is None or float(v).is_integer() for v in values):
        return pl.Series(name, [None if v is None else int(v) for v in values], dtype=pl.Int64)
    return pl.Series(name, values)


def matrix(names, rows):
    """A matrix with names as a table of wins; without names as an array."""
    cells = [[taken(cell) for cell in row] for row in rows]
    for place, row in enumerate(cells):
        if place < len(row) and row[place] is None:
            row[place] = 0
    if not names:
        return np.array(cells, dtype=float if any(None in row for row in cells) else None)
    return pl.DataFrame(cells, schema=list(names), orient="row")


def suited(value, annotation):
    """A value as its annotation wants it: one as several, several as a tuple."""
    text = str(annotation)
    several = re.search(r"Sequence|Iterable|list\[", text)
    if (
        isinstance(value, str | int | float)
        and several
        and not re.search(r"\bstr \||\| str\b", text)
    ):
        one = isinstance(value, str) or not re.search(r"\b(int|float) \||\| (int|float)\b", text)
        return [value] if one and not isinstance(value, bool) else value
    if isinstance(value, tuple) and re.fullmatch(r"(Sequence|list)\[.*\]( \| None)?", text):
        return list(value)
    return value


def call(path, given, on=None, progress=None):
    """Call a function, or a method of an object, and describe what it returns."""
    with warnings.catch_warnings(record=True) as caught, in_r():
        warnings.simplefilter("always")
        try:
            answer = {"found": give(found(path, given, on, progress))}
        except Exception as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            ours = "PeckorderError" in names
            answer = {
                "error": spoken(str(error)) or type(error).__name__,
                "kinds": names[: names.index("PeckorderError") + 1] if ours else names[:1],
                "problems": [spoken(str(one)) for one in getattr(error, "problems", ())],
                "ours": ours,
            }
            if getattr(error, "ratings", None) is not None:
                answer["found"] = give(error.ratings)
    answer["warnings"] = [
        [spoken(str(one.message)), *(kind.__name__ for kind in one.category.__mro__[:1])]
        for one in caught
        if one.category.__module__.startswith("peckorder")
    ]
    return answer


NAMES = json.loads((Path(__file__).parent / "names.json").read_text("utf-8"))
CODE = (  # what messages say in Python, and how R writes it
    (r"\bpo\.([\w.]+)(?=\()", lambda m: NAMES.get(m[1], m[1].rpartition(".")[2])),
    (r"\b(data|contests|ratings|result|found)\.([a-z_]+)(?=\()", r"\1$\2"),
    (r"\b([a-z_]{2,})=(?=[\"\d(\[{…TFN.-])", r"\1 = "),
    (r"(?<== )(True|False|None)\b", lambda m: {"None": "NULL"}.get(m[1], m[1].upper())),
    (r"(?<== )[\[(]([^][()]*)[\])]", r"c(\1)"),
    (r"(?<== )\{([^{}]*)\}", lambda m: "c(" + re.sub(r'"?([\w.]+)"?: ', r"\1 = ", m[1]) + ")"),
    (r"\bpeckorder\.([a-z_]+)\b", lambda m: NAMES.get(m[1], m[1])),
    (r"\b[Tt]he DataFrame\b", lambda m: m[0].replace("DataFrame", "data frame")),
    (r"(?<![\"'\w])(True|False)(?![\"'\w])", lambda m: m[1].upper()),
)


def spoken(text):
    """A message as R would say it."""
    for pattern, new in CODE:
        text = re.sub(pattern, new, text)
    return text


def found(path, given, on, progress):
    if path == "__draw__":
        return drawn(
            on.it, *(given.pop(f"__{n}", None) for n in ("figure", "path", "width")), given
        )
    target = on.it if isinstance(on, Held) else po
    for name in path.split("."):
        target = getattr(target, name)
    if on is not None and not is_method(on, path):
        return target
    spec = inspect.signature(target).parameters
    given = {n: taken(v) for n, v in given.items()}
    if on is not None:  # methods are called as R calls functions: by position and by name
        places = [n for n in spec if n not in given]
        unnamed = [n for n in given if n.startswith("__")]
        given = {dict(zip(unnamed, places, strict=False)).get(n, n): v for n, v in given.items()}
    given = {n: suited(v, spec[n].annotation) if n in spec else v for n, v in given.items()}
    if progress is not None:
        given["progress"] = lambda done, total: progress(int(done), int(total))
    return target(**given)


# -- to R ----------------------------------------------------------------------------------------


def give(value):
    """A value as lists: with its kind, so that R knows what to make of it."""
    kind = type(value)
    if isinstance(value, Estimate):
        parts = {name: part for name, part in plain(value.to_dict()).items() if part is not None}
        return {"kind": "estimate", "value": float(value), "parts": parts, "level": value.level}
    if hasattr(value, "to_r"):
        bases = [one.__name__ for one in kind.__mro__]
        return {
            "kind": "result",
            "object": Held(value),
            "classes": [
                n for n in bases if n in ("Posterior", "Ratings", "Order", "Measure", "Study")
            ],
            "method": value.method,
            "title": repr(value),
            "table": columns(value.as_polars()),
            "values": give(dict(value.values)),
            "summary": [spoken(str(one)) for one in value.summary],
            "settings": give(as_r(plain(value.settings))),
            "provenance": give(as_r(value.provenance)),
        }
    if kind.__module__.startswith("peckorder") and not isinstance(value, tuple):
        return {"kind": "object", "object": Held(value), "class": kind.__name__, "text": str(value)}
    if kind.__module__.startswith("matplotlib"):
        return {"kind": "figure", "object": Held(value)}
    if isinstance(value, pl.DataFrame) or hasattr(value, "columns"):
        return {"kind": "table", "columns": columns(as_polars(value))}
    if isinstance(value, pl.Series | np.ndarray):
        array = np.asarray(value)
        flat = array.ravel(order="F")
        return {
            "kind": "array",
            "shape": list(array.shape),
            "column": column("", pl.Series(flat.tolist())),
        }
    if isinstance(value, dict):
        return {
            "kind": "named",
            "names": [str(name) for name in value],
            "values": [give(part) for part in value.values()],
        }
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return give(value._asdict())
    if isinstance(value, list | tuple | set | frozenset) or inspect.isgenerator(value):
        values = [plain(one) if single(one) else one for one in value]
        if values and all(single(one) for one in values):
            try:
                return {"kind": "vector", "column": column("", pl.Series(values))}
            except TypeError:
                pass
        return {"kind": "list", "values": [give(one) for one in values]}
    if isinstance(value, bool | np.bool_):
        return {"kind": "plain", "value": bool(value)}
    if value is None:
        return {"kind": "none"}
    if isinstance(value, str | int | float | np.generic | datetime.date):
        return {"kind": "vector", "column": column("", pl.Series([plain(value)]))}
    return {"kind": "object", "object": Held(value), "class": kind.__name__, "text": str(value)}


def single(value):
    return value is None or isinstance(value, str | int | float | np.generic | datetime.date)


def columns(table):
    return [column(name, table[name]) for name in table.columns]


def column(name, one):
    """Name, kind, values and the positions of missing ones."""
    kind, values = "character", one.to_list()
    if one.dtype == pl.Boolean:
        kind = "logical"
    elif one.dtype.is_integer() and all(v is None or abs(v) < 2**31 for v in values):
        kind = "integer"
    elif one.dtype.is_numeric():
        kind, values = "numeric", [None if v is None or math.isnan(v) else float(v) for v in values]
    elif one.dtype == pl.Date:
        kind, values = "Date", [None if v is None else v.isoformat() for v in values]
    elif isinstance(one.dtype, pl.Datetime):
        days = (one.dt.truncate("1d") == one).drop_nulls()
        kind = "Date" if len(days) and days.all() else "POSIXct"
        form = "%Y-%m-%d" if kind == "Date" else "%Y-%m-%d %H:%M:%S%.f"
        values = one.dt.strftime(form).to_list()
    elif one.dtype == pl.Null:
        kind = "logical"
    missing = [place for place, value in enumerate(values) if value is None]
    blank = {"logical": False, "integer": 0, "numeric": 0.0}.get(kind, "")
    filled = [blank if v is None else v for v in values]
    return [name, kind, filled if kind != "character" else list(map(written, filled)), missing]


def written(value):
    return value if isinstance(value, str) else str(plain(value))


def names_of(held):
    """The names behind `$`: values, tables, and public methods and properties."""
    return sorted(n for n in dir(held.it) if not n.startswith("_"))


def is_method(held, name):
    """Whether `$name` is called, rather than looked at."""
    return callable(getattr(type(held.it), name, None))


def drawn(it, figure, path, width, given):
    """Write the figure of a result to a file; its size in inches."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("agg")
    target = getattr(import_module("peckorder.plot"), figure) if figure else it.plot
    spec = inspect.signature(target).parameters
    options = {"width": width} if width else {}
    for name, value in given.items():
        options[name] = suited(taken(value), spec[name].annotation if name in spec else "Any")
    axes = target(it, **options) if figure else target(**options)
    while not hasattr(axes, "figure"):  # several axes
        axes = next(iter(axes.values() if isinstance(axes, dict) else axes))
    axes.figure.savefig(path, dpi=300)
    size = tuple(float(one) for one in axes.figure.get_size_inches())
    pyplot.close(axes.figure)
    return size


def start(arguments, said):
    """Start the program beside this one; its number."""
    import subprocess
    import sys

    with open(said, "w", encoding="utf-8") as out:
        return subprocess.Popen([sys.executable, *arguments], stdout=out, stderr=out).pid
