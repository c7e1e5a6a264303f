"""A self-contained page: text, tables and interactive figures.

Everything from the data is treated as text. The template escapes it, figure data are embedded as
JSON without characters that could end a script, static pictures are images in which no script runs,
and the content security policy of the page allows only its own two scripts: ours, and the part of
plotly.js for axes, which ours unpacks (`assets/plotly.js.gz`: plotly-cartesian.min.js of the npm
package plotly.js-cartesian-dist-min, gzip -9). Control characters and marks of writing direction
are shown as codes, as on the screen.

Python code and shell commands that reproduce a figure.

The figures of a report, each with a static picture and the code that reproduces it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import shlex
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

import peckorder as po
from peckorder.data.contests import Contests
from peckorder.plot.files import light_picture
from peckorder.reporting.analysis import Analysis
from peckorder.tables import as_polars
from peckorder.text import printable

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

    `headings` are those that differ from the name of the column; `links` are the addresses of texts
    in the first column.
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
    if find_spec("jinja2") is None:
        raise ImportError(
            'po.report needs jinja2. Install it with: pip install "peckorder[report]"'
        )


def render(page: Page) -> bytes:
    """The page as one HTML file that works offline."""
    needed()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{own}}})();\n'
    hashes, plotly, notice = [_hash(script)], "", ""
    if any(isinstance(part, Drawing) for section in page.sections for part in section.parts):
        packed = (ASSETS / "plotly.js.gz").read_bytes()
        code = gzip.decompress(packed).decode()
        notice = code[: code.index("*/") + 2]
        hashes, plotly = [_hash(code), *hashes], base64.b64encode(packed).decode()
    text = templates.get_template("page.html").render(
        page=page,
        sections=[(section, [_part(part) for part in section.parts]) for section in page.sections],
        names=_json(_plain(page.names)),
        style=(ASSETS / "page.css").read_text(encoding="utf-8"),
        hashes=hashes,
        notice=notice,
        plotly=plotly,
        script=script,
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
        found["table"] = _table(columns, dict(zip(columns, columns, strict=True)), WHO, SHOWN)
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
            "heading": headings.get(name, name if len(name) == 1 else _heading(name)),
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


def _heading(name: str) -> str:
    """The usual heading of a column.

    >>> _heading("last_rank")
    'Last rank'
    """
    return f"{name[:1].upper()}{name[1:]}".replace("_", " ")


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


# Arguments of reading that have a flag of their own; the others are written --read KEY=VALUE.
FLAGS = {
    name: f"--{name}"
    for name in ("winner", "loser", "date", "tie", "group", "presence", "sheet", "recipe")
}
TWO = ("steepness", "posterior", "recovery")  # figures with two panels


@dataclass(frozen=True)
class Lines:
    """How the contests were read, as Python code and as a shell command."""

    file: str  # path of the data
    options: dict[str, Any]  # arguments of `peckorder.read`
    # `start` and `end` of the contests shown, if not all
    window: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Contests, window: dict[str, Any] | None = None) -> Lines:
        """From the import report of the data."""
        return cls(data.report.path or "contests.csv", data.report.options, window or {})

    @property
    def contests(self) -> str:
        """Python code of the contests of the window."""
        return f"data.filter({self._span})" if self.window else "data"

    def through(self, ratings: str) -> str:
        """Python code of ratings seen through the window."""
        return f"{ratings}.between({self._span})" if self.window else ratings

    @property
    def _span(self) -> str:
        return ", ".join(f"{name}={_quoted(value)}" for name, value in self.window.items())

    @property
    def flags(self) -> dict[str, Any]:
        """The window as flags of the shell."""
        names = {"start": "from", "end": "to"}
        return {names[name]: value for name, value in self.window.items()}

    def of_group(self, column: str | None, group: str) -> Lines:
        """The same for one group: the rows are selected by a condition."""
        if column is None:
            return self
        label = "`" + column.replace("`", "``") + "`"
        chosen = f'{label} = "{group.replace(chr(34), chr(34) * 2)}"'
        before = self.options.get("where")
        both = chosen if before is None else f"({before}) and {chosen}"
        return replace(self, options={**self.options, "where": both})

    def python(self, figure: str, made: str, name: str, **look: Any) -> str:
        """Read, compute, draw and save; `made` is the expression in `data` that is drawn."""
        drawn = ", ".join([made, *(f"{name}={_quoted(value)}" for name, value in look.items())])
        first = "ax[0]" if figure in TWO and "part" not in look else "ax"
        return (
            f"{self.reading}\n"
            f"ax = po.plot.{figure}({drawn})\n"
            f'{first}.figure.savefig("{name.replace("_", "-")}.pdf")'
        )

    @property
    def reading(self) -> str:
        """Python code that reads the contests."""
        given = "".join(f", {name}={_quoted(value)}" for name, value in self.options.items())
        return f"import peckorder as po\n\ndata = po.read({_quoted(self.file)}{given})"

    def shell(self, figure: str, name: str, **flags: Any) -> str:
        """The command that draws a figure."""
        kind, file = figure.replace("_", "-"), name.replace("_", "-")
        return self.written(f"plot {kind}", f"{file}.pdf", **flags)

    def written(self, verb: str, output: str, **flags: Any) -> str:
        """A command on these contests that writes a file, if the shell can express it."""
        if "individuals" in self.options:
            return (
                "# not available at the shell: write the names of individuals into the file first"
            )
        return f"{self.command(verb, **flags)} -o {output}"

    def command(self, verb: str, **flags: Any) -> str:
        """A command on these contests."""
        file = f"./{self.file}" if self.file.startswith("-") else self.file
        words = ["peckorder", *verb.split(), file]
        for name, value in self.options.items():
            if name == "names" and isinstance(value, dict):
                alone = any("=" in own for own in value.values())  # the shell splits at the last
                value = "names.csv" if alone else [f"{one}={own}" for one, own in value.items()]
            for one in value if isinstance(value, list) else [value]:
                if name in FLAGS and one is not None:
                    words += [FLAGS[name], _word(one)]
                elif one is not None:
                    words += ["--read", f"{name}={_word(one)}"]
        for name, value in flags.items():
            flag = f"--{name.replace('_', '-')}"
            if value is not None and value is not False:
                words += [flag] if value is True else [flag, _word(value)]
        return shlex.join(words)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _word(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_word, value))
    if isinstance(value, dict):
        return ",".join(f"{name}={_word(part)}" for name, part in value.items())
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


MOST_BYTES = 150_000  # of a static picture
MANY_CELLS = 900  # of a matrix, which as lines would exceed that
REPEATED = ("show", "part", "ties", "at", "individuals", "highlight")  # what code repeats of a look


class Drawn:
    """Figures of this report, each with a static picture and the code that reproduces it."""

    def __init__(self, found: Analysis, lines: Lines):
        self.found, self.lines = found, lines
        self.seed = found.seed
        self.k, self.preset = found.settings["k"], found.settings["preset"]
        self.contests, self.window = lines.contests, lines.flags

    def __call__(
        self,
        kind: str,
        title: str,
        caption: str,
        result: Any,
        made: str,
        flags: dict[str, Any],
        *,
        options: dict[str, Any] | None = None,
        table: pl.DataFrame | None = None,
        drawn_as: str | None = None,
        **look: Any,
    ) -> Drawing:
        """A figure of a result, which `made` computes in Python and `flags` at the shell."""
        figure = getattr(po.plot, kind)
        if table is None:
            table = as_polars(figure.data(result, **look))
        cells = kind == "matrix" and table.height > MANY_CELLS
        static = light_picture(lambda: figure(result, **look), MOST_BYTES, dotted=cells)
        table = table.drop("row_place", "column_place", strict=False)  # already in the options
        given = {name: value for name, value in look.items() if name in REPEATED}
        return Drawing(
            id=f"figure-{drawn_as or kind}",
            kind=drawn_as or kind,
            title=title,
            caption=caption,
            frame=table,
            options=options or {},
            static=static,
            python=self.lines.python(kind, made, drawn_as or kind, **given),
            shell=self.lines.shell(kind, drawn_as or kind, **given, **flags),
        )

    def rater(self) -> tuple[Any, str, dict[str, Any]]:
        """The ratings of this report, and the code that reproduces them."""
        ratings = self.found.ratings
        if ratings is self.found.elo:
            return ratings, *self.judged()
        return ratings, *self._sampled(ratings)

    def judged(self) -> tuple[str, dict[str, Any]]:
        """The code that reproduces the evaluated ratings."""
        if self.found.judged is not self.found.elo:
            return self._sampled(self.found.judged)
        given = {"k": self.k, "preset": self.preset}
        words = "".join(f", {key}={value!r}" for key, value in given.items() if value is not None)
        return self.lines.through(f"po.elo(data{words})"), given | self.window

    def _sampled(self, ratings: Any) -> tuple[str, dict[str, Any]]:
        method = "dynamic" if ratings is self.found.dynamic else "bayes"
        return self.lines.through(self.fit(ratings.method)), {
            "method": method,
            "seed": self.seed,
            **self.window,
        }

    def random(self, name: str, **more: Any) -> str:
        """The call of a function with random parts, on the contests of the window."""
        return self.fit(name, of=self.contests, **more)

    def fit(self, name: str, *, of: str = "data", **more: Any) -> str:
        """The same on the whole record."""
        given = "".join(f", {key}={value!r}" for key, value in more.items() if value is not None)
        return f"po.{name}({of}{given}, seed={self.seed})"
