"""Write what the R package derives from Python: python r/generate.py [--check]

Signatures give functions and arguments, docstrings the help pages, the examples and the tests,
and included data sets those of R. By hand are only the bridge (`R/bridge.R`, `inst/python`), the
methods of S3 classes and what R alone needs, with their pages. With --check nothing is written, and
files that differ are listed.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import peckorder as po
from peckorder import datasets
from peckorder.cli.derive import Argument, documented, function
from peckorder.text import _in_r

PACKAGE = Path(__file__).parent / "peckorder"
HEAD = "# Made by r/generate.py from the Python functions: change those.\n\n"
# Names that base R or its standard packages have, and those that say too little alone.
NAMES = {
    "read": "read_contests",
    "report": "write_report",
    "predict": "predict_contests",
    "power": "power_study",
    "papers.contests": "paper_contests",
    "datasets.load": "example_contests",
    "EloRater": "elo_rater",
    "sport.FieldRater": "field_rater",
    "sport.AdaptiveRater": "adaptive_rater",
}
PREFIXES = {"simulate": "simulate_", "plot": "plot_", "curves": "curve_"}
HIDDEN = {"ax", "executor"}
CLASSES = ("EloRater", "sport.FieldRater", "sport.AdaptiveRater", "curves.Logistic",
           "curves.Exponential", "curves.Normal",
           "curves.Table")  # fmt: skip
# Arguments that mean the same everywhere, in R.
SHARED = {
    "data": "Contests, as read by `read_contests` or `contests`; or a data frame, a matrix or "
    "table of wins (winners in rows) or the path of a file, which are read with what is detected.",
    "seed": "Seed of the random numbers, a whole number from 0 to 2147483647. Without it, R draws "
    "one, so that `set.seed()` holds. The result has it as `$provenance$seed`.",
    "progress": "Whether to show a progress bar.",
    "threads": "Number of threads; all cores by default. Results do not depend on it.",
    "level": "Level of intervals.",
    "width": "Width in millimeters; that of the device by default. Journals use about 85 and 174.",
    "file": 'Path of a file to write instead of drawing, such as "figure.pdf", .svg or .png.',
}
SOURCE = (
    "A data frame (also a tibble; factors are names, dates may be Date or POSIXct), a square "
    "matrix or table of wins with the winners in rows, or the path of a CSV, TSV, JSON, Excel, "
    "Parquet, R (.rds, .rda) or SQLite file; a folder or pattern of files; or the address of a "
    'database, such as "postgresql://user@host/database".'
)
KINDS = {
    "float": "a number", "int": "a whole number", "str": "text", "bool": "TRUE or FALSE",
    "Callable": "a function", "Curve": "a curve, such as `curve_normal(sd = 200)`",
    "Ratings": "ratings", "Posterior": "ratings of `elo_bayes`", "Order": "an order",
    "Measure": "a result", "Study": "a result of `study`", "Contests": "contests",
    "Matrix": "a matrix", "Truth": "the truth of a simulation",
}  # fmt: skip


# -- names and arguments -------------------------------------------------------------------------


def verbs() -> dict[str, str]:
    """Public functions, with their names in R."""
    found = {}
    for name in po._HOMES:
        if inspect.isfunction(getattr(po, name)):
            found[name] = NAMES.get(name, name)
    for group in ("orders", "sport", "questions", "papers", "simulate", "curves", "plot"):
        module = getattr(po, group)
        for name in module.__all__ if hasattr(module, "__all__") else ("k_from_effect",):
            path = f"{group}.{name}"
            if inspect.isfunction(getattr(module, name, None)) and name != "theme":
                plain = f"{PREFIXES.get(group, '')}{name}" if group != "curves" else name
                found[path] = NAMES.get(path, plain)
    for path in CLASSES:
        group, _, name = path.rpartition(".")
        found[path] = NAMES.get(path, f"{PREFIXES.get(group, '')}{name.lower()}")
    return found


def python(path: str) -> Any:
    found: Any = po
    for name in path.split("."):
        found = getattr(found, name)
    return found


def arguments(path: str) -> list[Argument]:
    """The arguments of a function, in their order; `...` is the last of those with settings."""
    target = python(path)
    try:
        known = dict(function(path).arguments)
    except (KeyError, StopIteration, AttributeError):
        known = {}
    texts = documented(inspect.getdoc(target) or "")
    found = []
    for one in inspect.signature(target).parameters.values():
        if one.name in HIDDEN:
            continue
        if one.kind is one.VAR_KEYWORD:
            said = texts.get(one.name, ("", ""))[1]
            found.append(Argument("...", "", help=said or "Further settings, by name."))
            continue
        given = one.default is not one.empty
        mine = known.get(one.name) or Argument(
            one.name, str(one.annotation), help=" ".join(texts.get(one.name, ("", ""))[1:])
        )
        default = one.default if given else None
        required = not given
        if one.name == "data" and not mine.kind.startswith("Mapping"):
            mine = Argument("data", "Any", help=SHARED["data"])
        found.append(
            Argument(mine.name, mine.kind, default, help_of(path, mine), mine.choices, required)
        )
    if path.startswith("plot."):
        found.append(Argument("file", "Any", None, SHARED["file"]))
    return found


def help_of(path: str, one: Argument) -> str:
    if path == "read" and one.name == "source":
        return SOURCE
    if one.name in SHARED and one.name not in ("data",):
        return SHARED[one.name]
    return one.help


def default(one: Argument) -> str:
    """The default as R code; a choice is shown with the others, as match.arg wants it."""
    if one.name == "progress":
        return "interactive()"
    if one.choices and one.default in one.choices and not one.kind.startswith("str"):
        return code([one.default, *(c for c in one.choices if c != one.default)])
    return code(one.default)


def code(value: Any) -> str:
    """A value of Python as R code."""
    if value is None or value in ((), [], {}):
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, dict):
        kind = "c" if all(isinstance(v, str | int | float) for v in value.values()) else "list"
        return f"{kind}({', '.join(f'{name(k)} = {code(v)}' for k, v in value.items())})"
    if isinstance(value, list | tuple):
        if len(value) == 1 and not isinstance(value[0], list | tuple | dict):
            return code(value[0])
        simple = all(isinstance(v, str | int | float) or v is None for v in value)
        same = len({str if isinstance(v, str) else float for v in value}) == 1
        parts = ", ".join("NA" if v is None and simple else code(v) for v in value)
        return f"{'c' if simple and same else 'list'}({parts})"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def name(text: Any) -> str:
    """A name of an argument or element."""
    text = str(text)
    return text if re.fullmatch(r"[A-Za-z.][\w.]*", text) else f"`{text}`"


def written(path: str, called: str) -> str:
    """The R function."""
    given = [
        one.name if one.required or one.name == "..." else f"{one.name} = {default(one)}"
        for one in arguments(path)
    ]
    head = wrapped(f"{called} <- function(", given, ") {")
    if path.startswith("plot."):
        kind = path.removeprefix("plot.")
        return f'{head}\n  .plotted("{kind}", match.call(), environment())\n}}\n'
    return f'{head}\n  .verb("{path}", match.call(), environment())\n}}\n'


WIDE = 84  # the PDF manual cuts longer lines off


def folded(line: str) -> str:
    """A line of R in several, broken after commas that are in no text."""
    pieces = re.split(r'(?<=,) (?=(?:[^"]*"[^"]*")*[^"]*$)', line)
    if len(line) <= WIDE or line.startswith("#"):
        return line
    return wrapped("", [piece.removesuffix(",") for piece in pieces], "")


def wrapped(head: str, parts: list[str], tail: str) -> str:
    line, lines = head, []
    for place, part in enumerate(parts):
        piece = part + (", " if place < len(parts) - 1 else "")
        if len(line.rstrip()) + len(piece.rstrip()) > WIDE:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line + tail])


# -- help pages ----------------------------------------------------------------------------------

DOTS = "\\dots"
SECTION = re.compile(r"^([A-Z][\w ]+)\n-{3,}$", re.M)
WORDS = (
    (r"\bcallable\b", "function"), (r"\bDataFrames?\b", "data frame"),
    (r"\bmappings? of\b", "named list of"),
    (r"\bmappings?\b", "named list"), (r"\bdictionar(y|ies)\b", "named list"),
    (r"\bdict\b", "list"),
    (r"\btuples?\b", "vector"), (r"\b(a )?sequence of str\b", "names"),
    (r"\bname=R,name=R\b", "a named vector"), (r"\bname=H,name=H\b", "a named vector"),
    (r"\bcontext=k,context=k\b", "a vector with the names of contexts"),
    (r"\bDATE=K,DATE=K\b", "a vector named by dates"),
    (r"\bwinner,loser;", "two, of winner and loser;"),
    (r"; fide; or tuned", "; \"fide\"; or \"tuned\""),
    (r"\barray\b", "matrix"), (r"\bpolars table\b", "data frame"),
    (r"\ba pandas, polars or pyarrow table\b", "a data frame"), (r"\bin Python\b", "in R"),
)  # fmt: skip


def r_code(text: str, names: dict[str, str]) -> str:
    """Code of Python in a sentence as R writes it."""
    text = re.sub(r"\bpo\.([\w.]+)", lambda m: names.get(m[1], m[1]), text)
    if text in names:
        return names[text]
    if text.startswith(("set.seed", "$", "curve_")):  # R already
        return text
    if text in ("None", "True", "False"):
        return code(ast.literal_eval(text))
    if re.fullmatch(r"\w+=", text):
        return text[:-1]
    text = re.sub(r"^\.(?=[a-z_])", "$", text)
    text = re.sub(r"^(\w+)\(", lambda m: f"{names.get(m[1], m[1])}(", text)
    return _in_r(text)


def rd(text: str, names: dict[str, str]) -> str:
    """Text as Rd: signs escaped, code in the words of R, known functions linked."""
    pieces, out = re.split(r"(``[^`]+``|`[^`]+`)", text), []
    known = set(names.values())
    for piece in pieces:
        if piece.startswith("`"):
            said = r_code(piece.strip("`"), names)
            shown = escaped(said)
            out.append(rf"\code{{\link{{{shown}}}}}" if said in known else rf"\code{{{shown}}}")
            continue
        piece = re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), piece)
        for pattern, new in WORDS:
            piece = re.sub(pattern, new, piece)
        piece = escaped(piece)
        piece = re.sub(
            r"\b(None|True|False)\b", lambda m: rf"\code{{{code(ast.literal_eval(m[1]))}}}", piece
        )
        out.append(piece)
    return "".join(out)


def escaped(text: str) -> str:
    return re.sub(r"([\\%{}])", r"\\\1", text)


def kind(one: Argument) -> str:
    """What may be given, in the words of R."""
    if one.choices:
        return "One of " + ", ".join(f'`"{choice}"`' for choice in one.choices) + "."
    parts, said = re.split(r" \| (?![^[]*\])", one.kind), []
    for part in parts:
        bare = part.split("[")[0].strip("'\"")
        if bare in ("Sequence", "Iterable", "tuple", "list", "np.ndarray"):
            said.append("a vector")
        elif bare == "Mapping":
            said.append("a vector or list with names")
        elif bare in KINDS:
            said.append(KINDS[bare])
    if not said or {"Any", "object"} & {*parts} or one.name in SHARED:
        return ""
    *said, last = dict.fromkeys(said)
    text = f"{', '.join(said)} or {last}" if said else last
    return text[0].upper() + text[1:] + "."


def sections(doc: str) -> dict[str, str]:
    pieces = SECTION.split(doc)
    title, _, text = pieces[0].strip().partition("\n\n")
    parts = zip(pieces[1::2], pieces[2::2], strict=True)
    return {"title": " ".join(title.split()), "text": text} | {n: t.strip("\n") for n, t in parts}


def listing(body: str, names: dict[str, str]) -> str:
    """A section with entries, or plain text."""
    out = []
    for entry in re.split(r"\n(?=\S)", body):
        head, _, text = entry.partition("\n")
        if text.startswith("    "):
            text = rd(inspect.cleandoc(text), names)
            out.append(f"\\emph{{{rd(head, names)}}}: {text}" if out or text else text)
        else:
            out.append(rd(inspect.cleandoc(entry), names))
    return "\n\n".join(out) if any("emph" in one for one in out) else "\n".join(out)


def page(path: str, called: str, names: dict[str, str]) -> str:
    """The help page of a function."""
    doc = inspect.getdoc(python(path)) or called
    said = sections(doc)
    usage = written(path, called).split(" {\n")[0].replace(f"{called} <- function", called, 1)
    items = "\n".join(
        f"  \\item{{{one.name.replace('...', DOTS)}}}"
        f"{{{rd(f'{kind(one)} {sentence(one.help)}'.strip() or 'See Details.', names)}}}"
        for one in arguments(path)
    )
    text = rd(said["text"] or said["title"], names)
    parts = [
        f"% Made by r/generate.py: change the docstring of peckorder.{path}.",
        f"\\name{{{called}}}\n\\alias{{{called}}}",
        f"\\title{{{rd(said['title'].rstrip('.'), names)}}}",
        f"\\description{{\n{text}\n}}",
        f"\\usage{{\n{escaped_usage(usage)}\n}}",
        f"\\arguments{{\n{items}\n}}" if items else "",
    ]
    for title, tag in (("Notes", "details"), ("Returns", "value"), ("References", "references")):
        if title in said:
            parts.append(f"\\{tag}{{\n{listing(said[title], names)}\n}}")
    conditions = [said[t] for t in ("Raises", "Warns") if t in said]
    if conditions:
        shown = re.sub(
            r"\\emph\{(\w+)\}", r"\\code{peckorder_\1}", listing("\n".join(conditions), names)
        )
        parts.append(f"\\section{{Errors and warnings}}{{\n{shown}\n}}")
    lines = [line for line, _ in examples(doc, names)]
    if lines:
        shown = "\n".join(re.sub(r"([\\%])", r"\\\1", folded(line)) for line in lines)
        parts.append(
            "\\examples{\n\\dontshow{if (is_installed()) withAutoprint(\\{}\n"
            f"{shown}\n\\dontshow{{\\}})}}\n}}"
        )
    return "\n".join(filter(None, parts)) + "\n"


def sentence(text: str) -> str:
    text = text.strip()
    if not text:
        return ""
    text = text if text.endswith((".", ":")) else f"{text}."
    return text[0].upper() + text[1:] if text[:2].isalpha() else text


def escaped_usage(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%")


# -- examples ------------------------------------------------------------------------------------

FUNCTIONS = {"round": "round", "len": "length", "float": "as.numeric", "int": "as.integer",
             "sum": "sum", "max": "max", "min": "min", "abs": "abs", "list": "as.character",
             "sorted": "sort"}  # fmt: skip
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.Gt: ">",
             ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
             ast.And: "&&", ast.Or: "||"}  # fmt: skip
UNTOLD = {"get_xlabel", "get_ylabel", "savefig", "item", "select", "filter_rows", "row", "rows",
          "iter_rows", "sort", "head", "to_dicts"}  # fmt: skip
TABLES = {"table", "history", "frame", "periods", "dyads", "coefficients", "to_table", "grid", "at"}


class Foreign(Exception):
    """What has no counterpart in R."""


class Translator:
    """Expressions of examples as R; those that R has no words for are left out."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.known: set[str] = set()

    def statement(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            value = self.of(node.value)
            if isinstance(target, ast.Name):
                self.known.add(target.id)
                return [f"{target.id} <- {value}"]
            if isinstance(target, ast.Tuple) and all(isinstance(t, ast.Name) for t in target.elts):
                made = [t.id for t in target.elts]  # pyright: ignore[reportAttributeAccessIssue]
                self.known |= set(made)
                return [
                    f"both <- {value}",
                    *(f"{t} <- both[[{i + 1}]]" for i, t in enumerate(made)),
                ]
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Tuple):
                return [self.of(part) for part in node.value.elts]
            return [self.of(node.value)]
        raise Foreign

    def of(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return code(node.value)
        if isinstance(node, ast.BinOp) and not any(isinstance(n, ast.Name) for n in ast.walk(node)):
            return code(eval(ast.unparse(node)))
        if isinstance(node, ast.Name):
            if node.id in self.known:
                return node.id
            raise Foreign
        if isinstance(node, ast.List | ast.Tuple | ast.Dict) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        ):
            try:
                return code(ast.literal_eval(node))
            except ValueError:
                pass
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                named = (f"{name(ast.literal_eval(k))} = {self.of(v)}" for k, v in pairs if k)
                return f"list({', '.join(named)})"
            if isinstance(node, ast.List | ast.Tuple):
                return f"list({', '.join(map(self.of, node.elts))})"
            raise Foreign
        if isinstance(node, ast.Attribute) and node.attr == "columns":
            return f"names({self.of(node.value)})"
        if isinstance(node, ast.Attribute):
            return f"{self.of(self.plain(node.value))}${node.attr}"
        if isinstance(node, ast.Subscript):
            return f"{self.of(node.value)}[[{self.place(node.slice)}]]"
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return f"{self.of(node.left)} {OPERATORS[type(node.op)]} {self.of(node.right)}"
        if isinstance(node, ast.Compare) and all(type(op) in OPERATORS for op in node.ops):
            sides = [self.of(one) for one in [node.left, *node.comparators]]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            if isinstance(node.ops[0], ast.Eq) and not isinstance(
                node.comparators[0], ast.Constant
            ):
                return f"isTRUE(all.equal({sides[0]}, {sides[1]}))"
            return " && ".join(f"{a} {OPERATORS[type(op)]} {b}" for a, op, b in pairs)
        if isinstance(node, ast.BoolOp):
            return f" {OPERATORS[type(node.op)]} ".join(map(self.of, node.values))
        if isinstance(node, ast.Call):
            return self.call(node)
        raise Foreign

    def plain(self, node: ast.expr) -> ast.expr:
        """The owner of an attribute, unless it is a table, whose methods are those of polars."""
        last = node.func if isinstance(node, ast.Call) else node
        if isinstance(last, ast.Attribute) and last.attr in TABLES:
            raise Foreign
        return node

    def place(self, node: ast.expr) -> str:
        value = ast.literal_eval(node) if not isinstance(node, ast.Slice) else None
        if isinstance(value, str):
            return code(value)
        if isinstance(value, int) and value >= 0:
            return str(value + 1)
        raise Foreign

    def call(self, node: ast.Call) -> str:
        path = ast.unparse(node.func)
        column = self.column(node)
        if column:
            return column
        if any(k.arg is None for k in node.keywords):
            raise Foreign
        if path.startswith("po.datasets."):
            return f'example_contests("{path.rpartition(".")[2]}")'
        frame = path in ("po.read", "po.read_presence", "po.sport.read_fields")
        given = [
            *(
                self.frame(one) if frame and isinstance(one, ast.Dict) else self.of(one)
                for one in node.args
            ),
            *(f"{one.arg} = {self.of(one.value)}" for one in node.keywords),
        ]
        inside = ", ".join(given)
        if path in FUNCTIONS:
            return f"{FUNCTIONS[path]}({inside})"
        if path == "print":
            return inside
        if path.removeprefix("po.") in self.names:
            return f"{self.names[path.removeprefix('po.')]}({inside})"
        if path in self.names and path.islower():
            return f"{self.names[path]}({inside})"
        if path.rpartition(".")[2] in UNTOLD:
            raise Foreign
        if isinstance(node.func, ast.Attribute) and not path.startswith("po."):
            return f"{self.of(self.plain(node.func.value))}${node.func.attr}({inside})"
        raise Foreign

    def column(self, node: ast.Call) -> str | None:
        """A column of a table as a list, possibly rounded."""
        if not isinstance(node.func, ast.Attribute):
            return None
        owner = node.func.value
        if node.func.attr == "sum" and isinstance(owner, ast.Subscript):
            return f"sum({self.of(owner)})"
        if node.func.attr not in ("to_list", "round"):
            return None
        if isinstance(owner, ast.Subscript):
            inner = self.of(owner)
        elif isinstance(owner, ast.Call):
            inner = self.column(owner)
        elif isinstance(owner, ast.Attribute) and node.func.attr == "round":
            inner = self.of(owner)
        else:
            return None
        digits = ", ".join(map(self.of, node.args))
        return f"round({inner}, {digits or 0})" if inner and node.func.attr == "round" else inner

    def frame(self, node: ast.Dict) -> str:
        """A mapping of columns as a data frame."""
        columns = ast.literal_eval(node)
        parts = (f"{name(k)} = {code(v)}" for k, v in columns.items())
        return f"data.frame({', '.join(parts)})"


def examples(doc: str, names: dict[str, str]) -> Iterator[tuple[str, str | None]]:
    """Lines of R from the examples of a docstring, each with an expectation if there is one."""
    if "Examples" not in sections(doc):
        return
    translator, shown = Translator(names), False
    for example in doctest.DocTestParser().get_examples(doc):
        for node in ast.parse(example.source).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            try:
                lines = translator.statement(node)
            except (Foreign, ValueError, KeyError):
                continue
            wants = expected(node, example.want, len(lines))
            for line, want in zip(lines, wants, strict=True):
                shown |= isinstance(node, ast.Expr)
                yield line, want
    made = [one for one in translator.known if one not in ("data",)]
    if made and not shown:
        yield sorted(made)[0], None


def expected(node: ast.stmt, want: str, number: int) -> list[str | None]:
    """What the lines give, as R code."""
    text = want.strip()
    if not text or "..." in text or not isinstance(node, ast.Expr):
        return [None] * number
    if re.match(r"(Ratings|Posterior|Order|Measure|Contests|Matrix|Presence)\b", text):
        return [code(text)] if number == 1 else [None] * number
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        printed = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "print"
        return [code(text)] if printed and number == 1 and "\n" not in text else [None] * number
    if isinstance(node.value, ast.Tuple):
        return [code(one) if one is not None else None for one in value]
    return [code(value)] if value is not None else [None] * number


def tests(names: dict[str, str]) -> str:
    """Examples with their numbers, which are those of Python, as tests of R."""
    out = [HEAD + 'skip_if_not(is_installed(), "the Python package")\n']
    for path, called in names.items():
        lines = list(examples(inspect.getdoc(python(path)) or "", names))
        if not any(want for _, want in lines):
            continue
        body = [f"  same({line}, {want})" if want else f"  {line}" for line, want in lines]
        while not body[-1].startswith("  same("):
            body.pop()
        out.append(f'test_that("{called}", {{\n' + "\n".join(body) + "\n})\n")
    return "\n".join(out)


# -- the package ---------------------------------------------------------------------------------

OWN = ("contests", "example_contests", "install", "install_peckorder", "is_installed",
       "peckorder_app", "read_result")  # fmt: skip


def namespace(names: dict[str, str]) -> str:
    written_by_hand = (PACKAGE / "R" / "methods.R").read_text("utf-8")
    methods = re.findall(
        r"^`?([\w.$[]+?)\.(peckorder\w*|summary\.peckorder\w*)`? <- function", written_by_hand, re.M
    )
    lines = [f"export({one})" for one in sorted({*names.values(), *OWN})]
    for generic, kind in methods:
        if generic == "print.summary":
            generic, kind = "print", f"summary.{kind}"
        quoted = f'"{generic}"' if generic[:1] in "$[" else generic
        full = "utils::.DollarNames" if generic == ".DollarNames" else quoted
        lines.append(f"S3method({full}, {kind})")
    return HEAD + "\n".join([*lines, "importFrom(stats, predict)"]) + "\n"


def description() -> str:
    """The description; R knows versions of numbers only."""
    stated = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text("utf-8"))
    version = re.match(r"[\d.]+\d", stated["project"]["version"])[0]
    return f"""Package: peckorder
Type: Package
Title: Dominance Hierarchies and Rankings from Records of Who Beat Whom
Version: {version}
Authors@R: person("The peckorder authors", role = c("aut", "cre"), email = "peckorder@example.org")
Description: Ratings, rank orders, and the steepness and linearity of hierarchies, each with its
    uncertainty, from contests in sequence or a matrix of wins: Elo ratings, David's scores, I&SI,
    Bradley-Terry, Bayesian and dynamic ratings, and randomization tests. Takes data frames and
    matrices and gives data frames. The computations are those of the Python package 'peckorder',
    which install_peckorder() installs.
License: MIT + file LICENSE
Encoding: UTF-8
Depends: R (>= 4.1)
Imports: graphics, grDevices, jsonlite, png, reticulate (>= 1.28), stats, tools,
    utils
Suggests: knitr, rmarkdown, testthat (>= 3.0.0)
VignetteBuilder: knitr
SystemRequirements: Python (>= 3.11)
Config/testthat/edition: 3
LazyData: true
"""


def data_sets() -> dict[str, str]:
    """The included data sets as data of R: a data frame of contests, or a matrix of wins."""
    found = {}
    for one in datasets.CATALOGUE.values():
        text = Path(one.path).read_text("utf-8").rstrip("\n").replace('"', "")
        matrix = "winner" not in text.splitlines()[0].lower()
        more = ", row.names = 1, check.names = FALSE" if matrix else ""
        lines = [f'{one.name} <- utils::read.csv(text = "{text}"{more})']
        if matrix:
            lines.append(f"{one.name} <- as.matrix({one.name})")
        else:
            lines.append(f"{one.name}$Date <- as.Date({one.name}$Date)")
        found[f"data/{one.name}.R"] = HEAD + "\n".join(lines) + "\n"
    return found


def data_page() -> str:
    items = "".join(
        f"  \\item{{\\code{{{one.name}}}}}{{{escaped(one.title)}. {escaped(one.source)}.}}\n"
        for one in datasets.CATALOGUE.values()
    )
    aliases = "".join(f"\\alias{{{one}}}\n" for one in datasets.CATALOGUE)
    usage = "\n".join(datasets.CATALOGUE)
    return (
        f"% Made by r/generate.py.\n\\name{{data_sets}}\n{aliases}\\docType{{data}}\n"
        "\\title{Included Data Sets}\n"
        f"\\description{{\nContests as data frames and matrices of wins, as papers print them. "
        f"\\code{{\\link{{example_contests}}}} gives them as contests.\n}}\n"
        f"\\usage{{\n{usage}\n}}\n\\format{{\n\\describe{{\n{items}}}\n}}\n"
        f"\\examples{{\nhead(adv)\nbonobos\n}}\n\\keyword{{datasets}}\n"
    )


def object_page(names: dict[str, str]) -> str:
    """What `$` gives: methods and values of contests and results."""
    from importlib import import_module

    from peckorder.results.result import Result

    SampledRatings = import_module("peckorder.results.samples").SampledRatings
    found = {
        "Contests": po.Contests,
        "Presence": po.Presence,
        "All results": Result,
        "Ratings": po.Ratings,
        "Ratings with draws": SampledRatings,
        "Posterior of elo_bayes": po.Posterior,
    }
    skipped = {
        "to_r",
        "to_pandas",
        "to_arviz",
        "as_polars",
        "take",
        "frame",
        "empty",
        "of",
        "cut",
        "numbers",
    }
    parts = []
    for label, owner in found.items():
        items = []
        for called, one in vars(owner).items():
            if called.startswith("_") or called in skipped:
                continue
            target = one.fget if isinstance(one, property) else one
            if not inspect.isfunction(target) and not isinstance(one, property):
                continue
            doc = inspect.getdoc(target) or ""
            if not doc or (inspect.isfunction(one) and "np.ndarray" in str(inspect.signature(one))):
                continue
            given = ""
            if inspect.isfunction(one):
                shown = [
                    p.name if p.default is p.empty else f"{p.name} = {code(p.default)}"
                    for p in list(inspect.signature(one).parameters.values())[1:]
                    if p.name not in HIDDEN and p.kind is not p.VAR_KEYWORD
                ]
                given = f"({', '.join(shown)})"
            first = " ".join(doc.split("\n\n")[0].split())
            items.append(
                f"  \\item{{\\code{{x${escaped(called)}{escaped(given)}}}}}{{{rd(first, names)}}}\n"
            )
        parts.append(f"\\section{{{label}}}{{\n\\describe{{\n{''.join(items)}}}\n}}\n")
    return (
        "% Made by r/generate.py from the classes of Python.\n\\name{peckorder-objects}\n"
        "\\alias{peckorder-objects}\n"
        "\\alias{$.peckorder}\n\\title{What Contests and Results Can Be Asked}\n\\description{\n"
        "\\code{x$name} is an element, a value, a table or a method, which is called as in "
        '\\code{x$at("2010-01-10")}. Tables are data frames, dates are Date. Press the Tab key '
        "after \\code{x$} for a list. \\code{print}, \\code{summary}, \\code{plot}, "
        "\\code{as.data.frame} and "
        '\\code{predict} work as for other results in R; \\code{split(contests, "group")} and '
        "\\code{as.matrix(contests)} as well.\n}\n"
        + "".join(parts)
        + "\\examples{\n\\dontshow{if (is_installed()) withAutoprint(\\{}\n"
        "ratings <- elo(adv, k = 200)\n"
        'ratings$at("2010-01-10")[, c("individual", "rating", "rank")]\nhead(ratings$history, 3)\n'
        'ratings$probability("b", "a")\n\\dontshow{\\})}\n}\n'
    )


def files() -> dict[str, str]:
    """All files that are made, by their path in the package."""
    names = verbs()
    functions = [written(*one) for one in names.items()]
    made = {
        "inst/python/names.json": json.dumps(names, indent=1) + "\n",
        "R/verbs.R": HEAD + "\n".join(functions),
        "NAMESPACE": namespace(names),
        "DESCRIPTION": description(),
        "tests/testthat/test-examples.R": tests(names),
        "man/data_sets.Rd": data_page(),
        "man/peckorder-objects.Rd": object_page(names),
    }
    made |= data_sets()
    known = names | {"data.check": "data$check"}
    made |= {f"man/{called}.Rd": page(path, called, known) for path, called in names.items()}
    return made


def main() -> int:
    """Write the files, or list those that differ."""
    made = files()
    old = {
        p for p in (PACKAGE / "man").glob("*.Rd") if p.read_text("utf-8").startswith("% Made by")
    }
    stale = sorted(p for p in old if f"man/{p.name}" not in made)
    differ = [
        path
        for path, text in made.items()
        if not (PACKAGE / path).exists() or (PACKAGE / path).read_text("utf-8") != text
    ]
    if "--check" in sys.argv:
        for path in [*differ, *(f"man/{p.name}" for p in stale)]:
            print(path)
        return bool(differ or stale)
    for path in differ:
        (PACKAGE / path).parent.mkdir(parents=True, exist_ok=True)
        (PACKAGE / path).write_text(made[path], encoding="utf-8")
    for p in stale:
        p.unlink()
    print(f"{len(made)} files, {len(differ)} written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
