"""A self-contained page: text, tables and interactive figures.

Everything from the data is treated as text. The template escapes it, figure data are embedded as
JSON without characters that could end a script, static pictures are images in which no script runs,
and the content security policy of the page allows only its own two scripts. Control characters and
marks of writing direction are shown as codes, as on the screen.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from peckorder.printable import printable

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("parts.js", "figures.js", "dominance.js", "page.js")
SHOWN = 100  # rows of figure data shown as a table at first
WHO = (
    "individual",
    "row",
    "column",
    "dominant",
    "subordinate",
)  # columns of figure data that contain names
# Characters that could end a script or, in old browsers, a line of it.
UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@dataclass(frozen=True)
class Words:
    """A paragraph; `kind` is plain, lead, note or warning."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True)
class Table:
    """A sortable table; clicking a name in the column `who` highlights that individual.

    `links` are the addresses of texts in the first column.
    """

    id: str
    caption: str
    frame: pl.DataFrame
    headings: dict[str, str] = field(default_factory=dict)
    who: str | None = None
    links: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Code:
    """Code or text to copy."""

    label: str
    text: str


@dataclass(frozen=True)
class Drawing:
    """A figure: tidy data for the interactive version, and a static picture as fallback."""

    id: str
    kind: str
    title: str
    caption: str
    frame: pl.DataFrame
    options: dict[str, Any]
    static: bytes
    python: str
    shell: str


@dataclass(frozen=True)
class Section:
    """A section of the page; those of the appendix are printed on request only."""

    id: str
    title: str
    parts: tuple[Words | Table | Code | Drawing, ...]
    appendix: bool = False


@dataclass(frozen=True)
class Page:
    """Everything on the page; `names` are the individuals, highest rank first."""

    title: str
    subtitle: str
    names: tuple[str, ...]
    sections: tuple[Section, ...]


def needed() -> None:
    """Raise an error if a required package is not installed."""
    for package in ("jinja2", "plotly"):
        if find_spec(package) is None:
            raise ImportError(
                f'po.report needs {package}. Install it with: pip install "peckorder[report]"'
            )


def render(page: Page) -> bytes:
    """The page as one HTML file that works offline."""
    needed()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    templates = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    scripts = [f'"use strict";\n(() => {{\n{own}}})();\n']
    if any(isinstance(part, Drawing) for section in page.sections for part in section.parts):
        scripts.insert(0, get_plotlyjs())
    text = templates.get_template("page.html").render(
        page=page,
        sections=[(section, [_part(part) for part in section.parts]) for section in page.sections],
        names=_json(_plain(page.names)),
        style=(ASSETS / "page.css").read_text(encoding="utf-8"),
        scripts={_hash(script): script for script in scripts},
    )
    return text.encode()


def _shown(value: Any) -> Any:
    """Text as it is shown; markup of the page itself stays as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _hash(script: str) -> str:
    """The hash that identifies a script in the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _part(part: Words | Table | Code | Drawing) -> dict[str, Any]:
    """A part of the page as input of the template."""
    found: dict[str, Any] = {"is": type(part).__name__.lower(), "part": part}
    if isinstance(part, Table):
        columns = _columns(part.frame)
        found["table"] = _table(columns, part.headings, (part.who,), part.frame.height)
    elif isinstance(part, Drawing):
        columns = {column.name: _rounded(column) for column in part.frame}
        found["table"] = _table(columns, {}, WHO, SHOWN)
        kind = "png" if part.static.startswith(b"\x89PNG") else "svg+xml"
        found["picture"] = f"data:image/{kind};base64,{base64.b64encode(part.static).decode()}"
        packed = {name: _packed(part.frame[name], values) for name, values in columns.items()}
        options = _plain(part.options, 5)
        found["json"] = _json(
            {"id": part.id, "kind": part.kind, "columns": packed, "options": options}
        )
    return found


def _table(
    columns: dict[str, list[Any]], headings: dict[str, str], who: tuple[str | None, ...], most: int
) -> dict[str, Any]:
    """Headings and the first rows; numbers carry their exact value for sorting."""
    decimals = {name: _decimals(values) for name, values in columns.items()}
    heads = [
        {
            "column": name,
            "heading": headings.get(name, name),
            "decimals": decimals[name],
            "who": name in who,
        }
        for name in columns
    ]
    cells = [
        [_cell(value, decimals[name]) for value in values[:most]]
        for name, values in columns.items()
    ]
    length = max(map(len, columns.values()), default=0)
    return {"heads": heads, "rows": list(zip(*cells, strict=True)), "length": length}


def _cell(value: Any, decimals: int | None) -> tuple[str, str | None]:
    """Text of a cell, and its exact value if that differs."""
    if value is None:
        return "", None
    if isinstance(value, bool):
        return ("yes" if value else "no"), None
    if decimals is None:
        return str(value), None
    text = f"{value:.{decimals}f}"
    if float(text) == 0 and value > 0:
        text = f"<{10**-decimals:.{decimals}f}"
    elif float(text) == 0:
        text = text.lstrip("-")
    elif decimals and float(text) == 1 and value < 1:
        text = f">{1 - 10**-decimals:.{decimals}f}"  # 1.000 would mean always, or never a change
    exact = repr(value)
    return text.replace("-", "−"), None if text == exact else exact


def _decimals(values: list[Any]) -> int | None:
    """Decimal places of a column of numbers: fewer for large numbers, none for counts."""
    known = [value for value in values if value is not None]
    if not known or any(isinstance(value, bool | str) for value in known):
        return None
    if all(float(value).is_integer() for value in known):
        return 0
    largest = max(map(abs, known))
    if largest <= 1:
        return 3
    tenths = all(math.isclose(value, round(value, 1), abs_tol=1e-4) for value in known)
    return 1 if largest >= 1000 or tenths else 2


def _columns(frame: pl.DataFrame) -> dict[str, list[Any]]:
    """Columns as JSON values; dates as ISO text."""
    return {column.name: [_plain(value) for value in column.to_list()] for column in frame}


def _rounded(column: pl.Series) -> list[Any]:
    """A column of figure data, rounded to about a ten-thousandth of its range."""
    values = [_plain(value) for value in column.to_list()]
    known = [value for value in values if isinstance(value, float)]
    if not known:
        return values
    span = max(known) - min(known) or max(map(abs, known)) or 1.0
    decimals = max(1, 3 - math.floor(math.log10(span)))
    return [round(value, decimals) if isinstance(value, float) else value for value in values]


def _plain(value: Any, digits: int | None = None) -> Any:
    """A value as JSON; None for non-finite numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {printable(key): _plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, digits) for item in value]
    if isinstance(value, str):
        return printable(value)
    if value is None or isinstance(value, bool | int):
        return value
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}") if digits else value
    return int(rounded) if rounded.is_integer() else rounded


def packed_columns(frame: pl.DataFrame) -> dict[str, Any]:
    """The columns of a table as the page of the report unpacks them; nothing is rounded."""
    columns = _columns(frame)
    return {column.name: _packed(column, columns[column.name]) for column in frame}


def _packed(column: pl.Series, values: list[Any]) -> Any:
    """Compact form: dates as steps, repeated texts as codes."""
    if column.dtype in (pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns")):
        return _steps(column)
    different = dict.fromkeys(value for value in values if isinstance(value, str))
    if len(different) * 2 > len(values) or not different:
        return values
    code = {value: number for number, value in enumerate(different)}
    return {"values": list(different), "codes": [code.get(value) for value in values]}


def _steps(column: pl.Series) -> dict[str, Any]:
    """Dates as differences, the first from 1970, in the largest unit that divides them all."""
    moments = column.cast(pl.Datetime("us")).to_physical()
    steps = [after - before for before, after in pairwise([0, *moments.drop_nulls()])]
    unit = math.gcd(*steps) or 1
    known = iter(steps)
    return {
        "microseconds": unit,
        "steps": [None if moment is None else next(known) // unit for moment in moments],
        "timed": column.dtype != pl.Date,
    }


def _json(value: Any) -> str:
    """JSON that is safe inside a script element, whatever text it contains."""
    dense = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return dense.translate(UNSAFE)
