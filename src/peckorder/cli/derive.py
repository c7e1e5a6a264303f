"""Flags from functions: signatures and docstrings are read from source and become options.

A command calls public functions one after the other: a rating, what is asked of it, a figure. Its
flags are their keyword arguments; types and choices are those of the annotations (a `Literal`, or
the name of one), the help is the text of the docstring. Functions are read by `ast`
and imported when a command runs, so that `--help` loads no numerical package. Where a command lets
one choose a method, it has the flags of this method.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

import peckorder
from peckorder.cli.completion import FileName, completed
from peckorder.cli.output import (
    QUIET,
    already_said,
    chosen_format,
    complain,
    content,
    content_by_group,
    deliver,
    joined,
    refuse_same_file,
    report,
    say_cautions,
    table_content,
    talk,
)
from peckorder.cli.progress import progress
from peckorder.errors import ConvergenceError, DataError, DataWarning
from peckorder.methods import doing
from peckorder.text import at_the_shell, did_you_mean

# Functions that are public by other ways: as methods, or in a module of their own.

HOMES = dict.fromkeys(("dyads", "reversals", "unknown_dyads"), "peckorder.structure.dyads")
PLACES = ("orders", "sport", "questions")
FILES = ("visits", "source")  # first arguments of functions that read the file themselves
# Not for the shell, or given by reading, or flags of every command.
HIDDEN = {"progress", "executor", "ax", "presence", "threads"}
SHARED = {  # arguments that mean the same everywhere
    "seed": ("int", "Seed of the random numbers; drawn and reported when omitted."),
    "level": ("float", "Level of intervals."),
    "width": ("float", "Width in millimeters; journals use about 85 and 174."),
}
_K = "float | Mapping[str, float] | tuple[float, float] | str | None"
KINDS = {  # until annotations say it
    "elo_ml": {"home_advantage": "float | str | None", "start": "float | Mapping[str, float]"},
    "compare": {"k": _K},
    "report": {"k": _K},
}
FILE = re.compile(r"\b(file|sheet|path)\b")
SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z`\"])")


@dataclass(frozen=True)
class Argument:
    """An argument of a function, which becomes a flag."""

    name: str
    kind: str
    default: Any = None
    help: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    metavar: str = ""


@dataclass(frozen=True)
class Function:
    """A function, or a method of a class (`owner`), as its source describes it."""

    module: str
    name: str
    first: str  # name of the first argument, which is no flag
    arguments: Mapping[str, Argument]
    summary: str
    settings: bool = False  # whether it takes further settings by name
    owner: str = ""

    def __call__(self, data: Any, **settings: Any) -> Any:
        """Import the function and call it."""
        if self.owner:
            return getattr(data, self.name)(**settings)
        return getattr(import_module(self.module), self.name)(data, **settings)


@cache
def tree(module: str) -> ast.Module:
    """The syntax tree of a module, which is not imported."""
    place = Path(peckorder.__file__).parent.joinpath(*module.split(".")[1:])
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def definition(module: str, name: str) -> tuple[str, Any]:
    """The module that defines a name, and its node; imports are followed."""
    for node in tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return module, node
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return module, node.value
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("peckorder"):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return definition(node.module, alias.name)
    raise KeyError(name)


def home(path: str) -> tuple[str, Any, str]:
    """Module, node and class of a function: `elo`, `adagio`, `plot.ranks` or `Ratings.tenure`."""
    group, _, name = path.rpartition(".")
    if group[:1].isupper():
        module, owner = definition(peckorder._HOMES[group], group)
        while not (own := [n for n in owner.body if getattr(n, "name", "") == name]):
            module, owner = definition(module, owner.bases[0].id)
        return module, own[0], group
    known = {**HOMES, **peckorder._HOMES}
    if not group and name in known:
        return *definition(known[name], name), ""
    for place in (group,) if group else PLACES:
        try:
            return *definition(peckorder._GROUPS[place], name), ""
        except KeyError:
            continue
    raise KeyError(path)


@cache
def function(path: str) -> Function:
    """A public function by its name, `steepness`, `plot.ranks` or `Ratings.tenure`."""
    module, node, owner = home(path)
    doc, spec = ast.get_docstring(node) or "", node.args
    defaults = [*[None] * (len(spec.args) - len(spec.defaults)), *spec.defaults, *spec.kw_defaults]
    named = zip([*spec.args, *spec.kwonlyargs], defaults, strict=True)
    texts, group = documented(doc), path.rpartition(".")[0]
    arguments = {
        a.arg: _argument(a, value, texts.get(a.arg, ("", "")), module, group)
        for a, value in named
        if a.arg != "self"
    }
    if "takes_elo_arguments" in "".join(map(ast.unparse, node.decorator_list)):
        arguments |= _elo_arguments(arguments)
    free = len(spec.args) > len(spec.defaults) and not owner
    first = spec.args[0].arg if free else ""
    arguments = {name: one for name, one in arguments.items() if name != first}
    for name in arguments.keys() & KINDS.get(path, {}).keys():
        arguments[name] = replace(arguments[name], kind=KINDS[path][name])
    summary = doc.split("\n\n")[0]
    return Function(module, node.name, first, arguments, summary, spec.kwarg is not None, owner)


def documented(doc: str) -> dict[str, tuple[str, str]]:
    """Type and description of each argument in the section Parameters of a docstring."""
    section = re.search(r"Parameters\n-+\n(.*?)(\n\n\w[\w ]*\n-+\n|\Z)", doc, re.DOTALL)
    found: dict[str, tuple[str, str]] = {}
    for entry in re.split(r"\n(?=\S)", section.group(1) if section else ""):
        head, _, text = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        found |= {name.strip("* "): (kind, " ".join(text.split())) for name in names.split(",")}
    return found


def _kind(node: ast.arg, module: str) -> str:
    """The type of an argument; names of choices are replaced by the choices."""
    if node.annotation is None:
        return "Any"
    text = ast.unparse(node.annotation)
    for name in {one.id for one in ast.walk(node.annotation) if isinstance(one, ast.Name)}:
        try:
            _, value = definition(module, name)
        except KeyError:
            continue
        if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
            text = re.sub(rf"\b{name}\b", ast.unparse(value), text)
    return text


def _argument(
    node: ast.arg, default: Any, text: tuple[str, str], module: str, group: str
) -> Argument:
    """One argument with its help text and its choices."""
    said, described = text
    kind = _kind(node, module)
    value = None if default is None else _constant(default, tree(module))
    other = re.match(r"as in `([\w.]+)`", said)
    if other and node.arg not in SHARED and node.arg not in HIDDEN:
        there = other.group(1)
        found = _arguments_of(
            there if group in ("", "Ratings") or "." in there else f"{group}.{there}"
        )
        if node.arg in found:
            same = found[node.arg]
            kind = same.kind if kind == "Any" else kind
            return replace(same, kind=kind, default=value, required=default is None)
    literal = None if "Mapping" in kind else re.search(r"Literal\[([^]]*)\]", kind)
    choices = tuple(re.findall(r"[\"']([^\"']+)[\"']", literal.group(1))) if literal else ()
    if said.startswith("names"):
        kind = kind.replace("Any", "Sequence[str]")
    shared = SHARED.get(node.arg)
    kind, described = shared if shared else (kind, described or ("" if choices else said))
    metavar = "FILE" if kind == "Any" and FILE.search(said) else ""
    return Argument(node.arg, kind, value, described, choices, default is None, metavar)


def own_arguments(run: Callable[..., Any]) -> list[Argument]:
    """The arguments of a function of the shell that are `Annotated[type, metavar, text]`."""
    defaults = inspect.signature(run).parameters
    found = []
    for name, hint in get_type_hints(run, include_extras=True).items():
        if get_origin(hint) is Annotated:
            kind, metavar, text = get_args(hint)
            words = kind.__name__ if isinstance(kind, type) else re.sub(r"\w+\.", "", str(kind))
            choices = tuple(re.findall("'([^']+)'", words))
            default = defaults[name].default
            found.append(Argument(name, words, default, text, choices, metavar=metavar))
    return found


def _arguments_of(path: str) -> Mapping[str, Argument]:
    try:
        return function(path).arguments
    except (KeyError, StopIteration):
        return {}


def _constant(node: ast.expr, module: ast.Module) -> Any:
    """The value of a default: a literal, or a constant of the module."""
    if not isinstance(node, ast.Name):
        return ast.literal_eval(node)
    for line in module.body:
        if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == node.id:
            return _constant(line.value, module)
    return None


def _elo_arguments(taken: Mapping[str, Argument]) -> dict[str, Argument]:
    """The arguments of an Elo rating, from their table."""
    from peckorder.ratings.arguments import ELO, EloArguments

    kinds = {n: getattr(k, "__forward_arg__", k) for n, k in EloArguments.__annotations__.items()}
    return {
        one.name: Argument(
            one.name, str(kinds[one.name]), None, one.help, one.choices, metavar=one.metavar
        )
        for one in ELO
        if one.help and one.name not in taken
    }


class Value(click.ParamType):
    """A value as it is written: number, text, list a,b or pairs name=value,name=value."""

    def __init__(self, kind: str, *, file: bool = False) -> None:
        parts = re.split(r" \| (?![^[]*\])", kind)
        free = bool({"Any"} & {*parts}) or "np.ndarray" in kind
        self.text = bool({"str", "object", "Any"} & {*parts}) or "Literal" in kind
        self.single = self.text or bool({"int", "float"} & {*parts})
        self.several = free or any(re.match("Sequence|Iterable|tuple|list", p) for p in parts)
        self.pairs = free or any(part.startswith("Mapping") for part in parts)
        self.number = free or bool(re.search("float|int", kind))
        self.whole = "int" in kind and "float" not in kind
        self.mixed = "Any" in parts or "tuple[int, float]" in kind
        self.everybody = "bool" in parts and self.several
        self.empty = None if "str | None]" in kind else ""
        self.file = file
        only_number = self.number and not self.text and not self.several and not self.pairs
        self.name = ("integer" if self.whole else "number") if only_number else "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, or a usage error that names the flag."""
        if not isinstance(value, str):
            return value
        if self.everybody and value == "all":
            return True
        if self.pairs and "=" in value:
            cells = [part.rpartition("=") for part in value.split(",")]
            if self.file and not all(_is_number(cell) for _, _, cell in cells):
                return value
            return self._mapping(cells, param, ctx)
        if self.file:
            return value
        if self.pairs and not (self.single or self.several):
            self.fail(f'"{value}" is not of the form name=value.', param, ctx)
        if self.several and not value and not self.text:
            return ()
        if self.several and ("," in value or not self.single):
            return tuple(self._one(part, param, ctx) for part in value.split(","))
        return self._one(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return [CompletionItem(incomplete, type="file")] if self.file else []

    def _mapping(self, cells: list[Any], param: Any, ctx: Any) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        for name, sign, cell in cells:
            if not sign or not name.strip():
                self.fail(f'"{name or cell}" is not of the form name=number.', param, ctx)
            if name.strip() in pairs:
                self.fail(f'"{name.strip()}" appears twice.', param, ctx)
            pairs[name.strip()] = self._one(cell, param, ctx)
        return pairs

    def _one(self, text: str, param: Any, ctx: Any) -> Any:
        text = text.strip()
        if not self.number:
            return text or self.empty
        try:
            whole = self.whole or (self.mixed and text.isdigit())
            return int(text) if whole else float(text)
        except ValueError:
            if self.text:
                return text
            return self.fail(f'"{text}" is not a{" whole" * self.whole} number.', param, ctx)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _range(name: str, given: str | None) -> Any:
    """A range or a list of settings: None, 0:200 or 0/5/10."""
    number = Value("float").convert
    if given is None:
        return None
    if ":" in given:
        low, high = given.split(":")
        return number(low, None, None), number(high, None, None)
    cells = given.split("/")
    return cells if name in ("entry", "margin") else [number(one, None, None) for one in cells]


def _places(_: str, given: str | None) -> Any:
    """Places: 7, -3 or 5:6."""
    numbers = tuple(int(end) for end in (given or "").split(":"))
    if len(numbers) > 2:
        raise ValueError
    return numbers[0] if len(numbers) == 1 else numbers


def _levels(_: str, given: str | None) -> Any:
    """Levels of a choice: 50/100 or elo/isi."""
    if not given:
        raise ValueError
    return [float(one) if _is_number(one) else one.strip() for one in given.split("/")]


class Named(click.ParamType):
    """Names with values in a notation of their own."""

    name = "text"

    def __init__(self, read: Callable[[str, str | None], Any], example: str) -> None:
        self.read, self.example = read, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The values by name, or a usage error with an example."""
        if not isinstance(value, str):
            return value
        found: dict[str, Any] = {}
        for part in value.split(","):
            name, sign, given = (one.strip() for one in part.partition("="))
            name = name if self.read is _places else name.replace("-", "_")
            try:
                found[name] = self.read(name, given if sign else None)
            except ValueError:
                self.fail(f'"{part.strip()}" is not of the form {self.example}.', param, ctx)
        return found


REPEATED = {"tuple[str, ...]": 1, "tuple[tuple[str, str], ...]": 2}  # taken as they are
NOTATIONS = {
    "over": Named(_range, "k, k=0:200 or k=50/100"),
    "finish": Named(_places, "playoffs=7, relegated=-3 or cup=5:6"),
    "choices": Named(_levels, "k=50/100"),
}
ORDERS = ("davids_score", "isi", "bradley_terry", "adagio", "percolation", "dominance_value")


def flag(one: Argument) -> click.Option:
    """The option of an argument; without it, the function has its default."""
    text = sentence(one.help)
    if one.kind in ("bool", "bool | None"):
        name = f"--{one.name.replace('_', '-')}"
        name = name if one.default is False else f"{name}/--no-{name[2:]}"
        return click.Option([name, one.name], is_flag=True, default=None, help=text)
    shown = _shown_default(one.default)
    text += f"  [default: {shown}]" if shown else ""
    metavar, more = one.metavar or None, {"required": one.required}
    if one.kind.startswith("Order"):
        kind: Any = Choice(ORDERS)
    elif one.name in NOTATIONS and "Mapping" in one.kind:
        kind, metavar = NOTATIONS[one.name], "NAMES"
    elif one.choices:
        kind = Choice(one.choices)
    elif one.kind in REPEATED:
        kind, more = str, {"multiple": True, "nargs": REPEATED[one.kind]}
    elif metavar == "COLUMN":
        kind = str
    else:
        kind = Value(one.kind, file=metavar == "FILE")
    if isinstance(kind, Value) and kind.several:
        more |= {"multiple": True, "callback": _gathered}
    return option(one.name, kind, text, metavar=metavar, **more)


def _gathered(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> Any:
    """Values of a flag that was repeated, as one list."""
    if len(values) < 2:
        return values[0] if values else None
    return [part for one in values for part in (one if isinstance(one, tuple) else (one,))]


def option(
    name: str, kind: Any, text: str, *, metavar: str | None = None, **more: Any
) -> click.Option:
    """An option, with completion of files and columns."""
    flag = "--format" if name == "form" else f"--{name.replace('_', '-')}"
    names = ["-o", flag] if name == "output" else [flag, name]
    made = click.Option(names, type=kind, help=text, metavar=metavar, **more)
    if metavar in ("FILE", "COLUMN") and not isinstance(kind, click.Choice):
        completed(made)
    return made


def _shown_default(default: Any) -> str:
    if default in (None, "", (), False):
        return ""
    if isinstance(default, tuple | list):
        return ",".join(map(_shown_default, default))
    return f"{default:g}" if isinstance(default, float) else str(default)


def sentence(text: str) -> str:
    """The first sentence of a description, with a capital letter and a full stop."""
    first = SENTENCE.split(text.replace("`", ""))[0].strip()
    return f"{first[:1].upper()}{first[1:].rstrip('.')}." if first else ""


def flags_of(step: Function, names: Sequence[str] | set[str]) -> Iterator[click.Option]:
    """The options of some arguments of a function."""
    return (flag(one) for name, one in step.arguments.items() if name in names)


# Running

RATINGS = {"elo", "elo_ml", "elo_bayes", "dynamic", "adaptive", "glicko", "glicko2"}
# Settings of Elo without a flag of their own where a rating is only an ingredient.
RARE = {
    *("k_column", "scale", "delta", "sd", "margin", "margin_correction", "burn_in", "entry"),
    *("carry_over", "carry_to", "half_life", "home_in_update", "period", "within", "k_periods"),
    *("fide", "outcome"),
}
OF_RATING = {"home_advantage", "k"}  # of the rating, even if the function called has them, too
OF_READING = {
    "winner": ("COLUMN", "Column of winners."),
    "loser": ("COLUMN", "Column of losers."),
    "date": ("COLUMN", "Column of dates."),
    "tie": ("COLUMN", "Column that marks ties (1/0, yes/no or W/L/T)."),
    "group": ("COLUMN", "Column of groups."),
    "presence": ("FILE", 'File of presence data, or "inferred".'),
    "sheet": (
        "SHEET",
        "Sheet of a workbook, table of a database or object of an R file, by name or number from 1 "
        "(may be repeated), or '*' for all sheets with contests.",
    ),
    "recipe": ("FILE", "How to read the data, as written by check --save (TOML)."),
    "read": (
        "KEY=VALUE",
        "Any other argument of reading, such as missing=drop or 'where=year >= 2019' (may be "
        "repeated).",
    ),
}
FORMATS = ("table", "csv", "tsv", "json", "parquet")
METHOD = "peckorder.method"  # the method of which the flags are shown
ALL = "peckorder.help_all"
THREADS = "peckorder.threads"
NOT_CONVERGED = "peckorder.not_converged"
# Without a prior it predicts no chances of individuals that won, or lost, all contests.
FINITE = {"bradley_terry": {"penalized": True}}
EMPTY = {
    "tenure": "Nobody held this rank alone.",
    "rank_changes": "No two individuals changed their order.",
}
RATING = "Rating"  # headings of --help
READING = "Reading"
HELP = "Help"
EVERYWHERE = {  # flags of every command
    "--help-all": "Describe all flags.",
    "--threads N": "Number of threads; default all cores. Results do not depend on it.",
    "--quiet": "Print no messages but errors.",
}


class Format(click.Choice):
    """Formats of the output; a workbook, which cannot be printed, is named by its file."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The format, or an error that says how to write a workbook."""
        if str(value).lower() in ("xlsx", "xls", "excel"):
            self.fail("A workbook is written to a file: use -o, such as -o ratings.xlsx.")
        return super().convert(value, param, ctx)


def reading_flags(*, without: str = "") -> list[click.Parameter]:
    """The flags of reading contests; all other arguments of `read` are written --read KEY=VALUE."""
    return [
        option(name, str, text, metavar=metavar, multiple=name in ("sheet", "read"))
        for name, (metavar, text) in OF_READING.items()
        if name != without
    ]


def output_flags() -> list[click.Parameter]:
    """The flags of the output file and its format."""
    form = "Format of the output; default a table, or by the extension of the file (also .xlsx)."
    text = "Write to a file instead of the screen; an existing file is replaced."
    return [option("form", Format(FORMATS), form), option("output", str, text, metavar="FILE")]


def reading(flags: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `read` that the flags give; they are removed from `flags`."""
    known = function("read").arguments
    given: dict[str, Any] = {}
    for text in flags.pop("read", ()):
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise click.UsageError(f"--read {text}: write KEY=VALUE, such as missing=drop.")
        given.setdefault(name, []).append(value)
    for name in given:
        if name not in known or name in ("stream", "recipe"):
            hint = "".join(f" Did you mean {near}?" for near in get_close_matches(name, known, 1))
            raise click.UsageError(f'"{name}" is not an argument of reading.{hint}')
    given["sheet"] = list(flags.pop("sheet", ()))
    how = {n: _read_value(n, known[n].kind, values) for n, values in given.items() if values}
    named = {name: flags.pop(name) for name in OF_READING if name in flags}
    return how | {name: value for name, value in named.items() if value is not None}


def sheets_of(flags: dict[str, Any]) -> list[str]:
    """Files that are read by --read names=FILE."""
    return [
        text[6:]
        for text in flags.get("read", ())
        if text.startswith("names=") and "=" not in text[6:]
    ]


def _read_value(name: str, kind: str, values: list[str]) -> Any:
    if kind.startswith("bool"):
        return values[-1].lower() in ("true", "yes", "1")
    pairs = [value.rpartition("=") for value in values]
    if name in ("outcomes", "cells") or (name == "names" and all(sign for _, sign, _ in pairs)):
        return {one.strip(): other.strip() for one, _, other in pairs}
    if kind.startswith("Literal"):
        return values[-1]
    return (
        values[0] if len(values) == 1 and ("str" in kind.split(" | ") or kind == "Any") else values
    )


def read_contests(
    file: str,
    flags: dict[str, Any],
    *,
    notes: bool = True,
    refuse: bool = True,
    each: bool = False,
    **more: Any,
) -> Any:
    """Read contests as the flags say, which are removed, and print what was noticed."""
    from peckorder.data.read import proposed

    since, until = flags.pop("from", None), flags.pop("to", None)
    given = reading(flags) | more
    if refuse:
        data = peckorder.read(file, **given)
    else:
        recipe, presence = given.pop("recipe", None), given.pop("presence", None)
        data = proposed(file, recipe, given, presence)
    if since is not None or until is not None:
        data = _selected(data, since, until)
    if notes:
        report(data.report, data.presence.notes if data.presence else ())
        say_cautions(data, each and data.group is not None)
    return data


def _selected(data: Any, since: str | None, until: str | None) -> Any:
    """The contests from one date to another, with a note on the others."""
    from peckorder.data.date_columns import date_words
    from peckorder.text import counted

    given = (("--from", since), ("--to", until))
    chosen = " ".join(f"{name} {value}" for name, value in given if value)
    try:
        kept = data.filter(start=since or None, end=until or None)
    except DataError:
        first, last = (date_words(data.times[place]) for place in (0, -1))
        raise DataError(
            f"No contest is selected by {chosen}: contests run from {first} to {last}."
        ) from None
    gone = len(data) - len(kept)
    if gone == 0:
        return kept
    note = f"{counted(gone, 'contest was', 'contests were')} left out by {chosen}."
    return replace(kept, report=replace(kept.report, notes=(*kept.report.notes, note)))


def take_groups(flags: dict[str, Any], by: str | None) -> None:
    """Use the column given with --by as the column of groups."""
    if by is None:
        return
    if flags["group"] is not None and flags["group"] != by:
        raise click.UsageError("--by and --group give different columns. Use --by only.")
    flags["group"] = by


def figure_flags() -> list[click.Parameter]:
    """The flags of the files that a figure is written to."""
    journals = Choice(function("plot.theme").arguments["journal"].choices)
    text = "File to write: .png, .svg or .pdf; with .csv or .xlsx the data shown (may be repeated)."
    return [
        option("output", str, text, metavar="FILE", required=True, multiple=True),
        option("journal", journals, "Usual widths and size of letters of a publisher."),
    ]


@dataclass(frozen=True)
class Verb:
    """What a command calls, takes and writes."""

    path: str = ""  # function that gives the result, or draws it
    before: tuple[str, ...] = ()  # functions whose results it takes, in this order
    # values of --method and the functions that rate; the first is the default
    methods: Mapping[str, str] = field(default_factory=dict)
    # values of `switch` and the functions whose arguments are further settings; default the choices
    # of the argument `method`, where these are functions
    passes: Mapping[str, str] = field(default_factory=dict)
    switch: str = "method"  # argument that selects the method or the settings
    # a flag without a value, and the function that it requests instead of `path`
    variants: tuple[str, str] = ("", "")
    only: tuple[str, ...] = ()  # settings that are offered; default all
    leaves: tuple[str, ...] = ()  # arguments that are no flags
    # defaults at the shell, by function
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: FINITE)
    # further files that can be written: flag, help text, and the table of the result
    files: Mapping[str, tuple[str, Callable[[Any], Any]]] = field(default_factory=dict)
    places: tuple[str, ...] = ()  # names of arguments after FILE
    groups: bool = True  # whether --by is possible
    # a function that computes the result instead; its arguments by name are flags as well
    asked: Callable[..., Any] | None = None
    optional: bool = False
    text: str = ""

    @property
    def draws(self) -> bool:
        """Whether the command draws a figure."""
        return self.path.startswith("plot.")

    def chain(self, method: str) -> list[Function]:
        """The functions that are called one after the other."""
        rater = self.methods.get(method, next(iter(self.methods.values()), None))
        path = self.variants[1] if method and method == self.variants[0] else self.path
        return [function(one) for one in (rater, *self.before, path) if one]

    @property
    def settings(self) -> Mapping[str, str]:
        """Methods and the functions whose arguments are passed on."""
        for step in () if self.passes or self.methods else self.chain(""):
            if step.settings and "method" in step.arguments:
                return {name: name for name in step.arguments["method"].choices}
        return self.passes

    @property
    def extra(self) -> list[Argument]:
        """Flags of this command only."""
        return [] if self.asked is None else own_arguments(self.asked)

    def names(self, step: Function, method: str) -> set[str]:
        """The flags that a function of the chain takes."""
        chain = self.chain(method)
        rater = chain[0] if self.methods else None
        between = [one for one in chain if one is not rater and one is not chain[-1]]
        own = set(step.arguments) - HIDDEN - {*self.leaves}
        if not self.draws:
            return own if step is rater or rater is None else own - OF_RATING
        if step is chain[-1]:
            return own.difference(*(one.arguments for one in between))
        return own - set(chain[-1].arguments) if step is rater else own

    def further(self, method: str) -> dict[str, Argument]:
        """Settings that are passed on to the method that `switch` names."""
        if not self.settings:
            return {}
        named = self.settings.get(method, next(iter(self.settings.values())))
        taken = {*self.chain(method)[-1].arguments, *HIDDEN}
        every = function(named).arguments if named else {}
        return {
            name: one
            for name, one in every.items()
            if name not in taken and (not self.only or name in self.only)
        }

    def rare(self, method: str) -> dict[str, Argument]:
        """Settings that are written --set NAME=VALUE, unless the command is that of the rating."""
        found: dict[str, Argument] = {}
        *steps, last = self.chain(method)
        for step in (*steps, *([last] if last.name != "elo" else [])):
            if step.name in ("elo", "likelihood_surface", "tune"):
                found |= {n: step.arguments[n] for n in self.names(step, method) & RARE}
        if self.settings.get(method) == "elo":
            found |= {name: one for name, one in self.further(method).items() if name in RARE}
        return found


class Choice(click.Choice):
    """A choice in any case."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices, case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """An error that names the choices as they are written."""
        near = did_you_mean([value], self.choices)
        return f"{value!r} is not one of {', '.join(map(repr, self.choices))}.{near}"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The choices as they are written."""
        text = "|".join(self.choices)
        return f"{{{text}}}" if isinstance(param, click.Argument) else f"[{text}]"


Headed = dict[str, list[click.Parameter]]  # parameters by heading


class Grouped(click.Command):
    """A command whose help lists flags under headings; --help names the less common ones only."""

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading."""
        return {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters, each once."""
        seen: dict[str | None, click.Parameter] = {}
        for params in self.groups(ctx).values():
            for one in params:
                seen.setdefault(one.name, one)
        asked = self.get_help_option(ctx)
        return [*seen.values(), *([] if asked is None else [asked])]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; messages write arguments of reading as --read KEY=VALUE."""
        own, placed = set(), {}
        for one in self.get_params(ctx):
            name = str(one.name)
            own.add(name)
            if isinstance(one, click.Argument):
                placed[name] = name.upper()
        written = dict.fromkeys(function("read").arguments, "--read") if "read" in own else {}
        written |= dict.fromkeys(RARE, "--set") if "set" in own else {}
        written = {name: flag for name, flag in written.items() if name not in own}
        with at_the_shell(written | placed):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; first --quiet and --help-all, which every command takes."""
        if "--quiet" in args:
            ctx.meta[QUIET] = True
        if "--threads" in args:
            place = args.index("--threads")
            number = args[place + 1] if place + 1 < len(args) else ""
            if not number.isdigit() or number == "0":
                raise click.UsageError(f"--threads {number}: give a whole number from 1 on.", ctx)
            ctx.meta[THREADS] = int(number)
            args = [*args[:place], *args[place + 2 :]]
        if "--help-all" in args and not ctx.resilient_parsing:
            ctx.meta[ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, [one for one in args if one not in EVERYWHERE])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Describe flags under their headings; those of RATING and READING are named only."""
        every, left = ctx.meta.get(ALL, False), {one.name: one for one in self.get_params(ctx)}
        for heading, params in (self.groups(ctx) | {HELP: [*left.values()]}).items():
            own = [one for one in params if left.pop(one.name, None) is not None and heading]
            records = [one for one in (param.get_help_record(ctx) for param in own) if one]
            records += EVERYWHERE.items() if heading == HELP else ()
            if not records:
                continue
            with formatter.section(heading):
                if every or heading not in (RATING, READING):
                    formatter.write_dl(records)
                else:
                    names = ", ".join(one.opts[0] for one in own)
                    formatter.write_text(f"{names} (see --help-all)")


class Plain(Grouped):
    """A command that is written by hand."""

    def __init__(self, name: str, run: Callable[..., None], more: Callable[[], Headed]) -> None:
        self.written, self.more = run, more
        super().__init__(name, callback=self.run, help=run.__doc__)

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading."""
        found = self.more()
        return found | {"Options": [*map(flag, own_arguments(self.written)), *found["Options"]]}

    def run(self, **given: Any) -> None:
        """Call the function; flags that are omitted have its defaults."""
        usual = {one.name: one.default for one in own_arguments(self.written)}
        self.written(**{n: usual.get(n) if v is None else v for n, v in given.items()})


class Derived(Grouped):
    """The command of a verb: its flags depend on the method that is chosen."""

    def __init__(self, name: str, verb: Verb) -> None:
        self.verb = verb
        super().__init__(name, callback=self.run)

    @property
    def help(self) -> str:  # pyright: ignore
        """The text of the help: that of the function, which is read only now."""
        return self.verb.text or function(self.verb.path).summary

    @help.setter
    def help(self, text: str | None) -> None:  # pyright: ignore
        """Only click sets it, to nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the flags of the method that is chosen among them."""
        ctx.meta[METHOD] = self._chosen(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            reason = self._elsewhere(error.option_name, ctx.meta[METHOD])
            if reason:
                raise click.UsageError(f"{error.option_name} {reason}.", ctx) from None
            raise

    def _chosen(self, args: list[str]) -> str:
        """The method among the arguments, which are not parsed yet."""
        name, found = f"--{self.verb.switch}", ""
        if self.verb.variants[0]:
            return self.verb.variants[0] if f"--{self.verb.variants[0]}" in args else ""
        for one, following in zip(args, [*args[1:], ""], strict=False):
            if one == name or one.startswith(f"{name}="):
                found = following if one == name else one.partition("=")[2]
        known = {**self.verb.methods, **self.verb.settings}
        return next((method for method in known if method.lower() == found.lower()), "")

    def _elsewhere(self, flag: str, method: str) -> str:
        """Why there is no such flag, if another method has it."""
        verb, name = self.verb, flag.removeprefix("--").removeprefix("no-").replace("-", "_")
        if name in verb.places:
            return f"is written without a flag, where the usage says {name.upper()}"
        if name in verb.rare(method):
            return f"is written --set {name}=VALUE"
        others = {*verb.methods.values(), *verb.settings.values(), *verb.variants[1:]} - {""}
        others |= {verb.path} if others and verb.path else set()
        if "_" in flag or not any(name in function(one).arguments for one in others):
            return ""
        if verb.variants[0]:
            return f"{'cannot be used with' if method else 'requires'} --{verb.variants[0]}"
        chosen = method or next(iter({**verb.methods, **verb.settings}))
        return f"cannot be used with --{verb.switch} {chosen}"

    def groups(self, ctx: click.Context) -> Headed:
        """The parameters by heading of the help text."""
        verb, method = self.verb, ctx.meta.get(METHOD, "")
        chain = verb.chain(method)
        rater = chain[0] if verb.methods else None
        own: list[click.Parameter] = [
            one
            for step in reversed(chain)
            if step is not rater or len(chain) == 1
            for one in flags_of(step, verb.names(step, method) - {*verb.places, *verb.files})
        ]
        rating: list[click.Parameter] = (
            list(flags_of(rater, verb.names(rater, method))) if rater else []
        )
        rating += [flag(one) for one in verb.further(method).values()]
        rare = verb.rare(method)
        if rare:
            text = f"Other settings: {', '.join(sorted(rare))} (may be repeated)."
            own, rating = ([o for o in part if o.name not in rare] for part in (own, rating))
            rating.append(option("set", str, text, metavar="NAME=VALUE", multiple=True))
        if verb.methods:
            own.insert(0, self._method())
        reads = chain[0].first not in FILES
        return {
            "": [
                click.Argument(["file"], required=not verb.optional, type=FileName()),
                *(click.Argument([name], type=FileName()) for name in verb.places),
            ],
            "Options": [*map(flag, verb.extra), *own],
            RATING: rating,
            "Selection": self._selection(chain) if reads else [],
            "Output": self._output(),
            READING: reading_flags() if reads else [],
        }

    def _method(self) -> click.Option:
        usual = next(iter(self.verb.methods))
        kind = Choice(list(self.verb.methods))
        text = f"Method; other methods have other flags.  [default: {usual}]"
        return click.Option(["--method"], type=kind, help=text)

    def _selection(self, chain: list[Function]) -> list[click.Parameter]:
        rates = chain[0].name in RATINGS
        window = "Show a window of the ratings" if rates else "Use contests"
        found = [
            option("from", str, f"{window} from this day on.", metavar="DATE"),
            option("to", str, f"{window} up to this day.", metavar="DATE"),
        ]
        if self.verb.groups and not self.verb.draws:
            text = "Analyze the groups in this column separately."
            found.insert(0, option("by", str, text, metavar="COLUMN"))
        if rates and len(chain) == 1:
            found += [
                option("at", str, "Report ratings at the end of this day.", metavar="DATE"),
                option(
                    "every",
                    str,
                    "Report ratings at the end of every day, week, month, quarter or year (without "
                    "dates: of so many contests) instead of the final ones.",
                    metavar="PERIOD",
                ),
                click.Option(
                    ["--wide"],
                    is_flag=True,
                    help="With --every: one column per individual, one row per date.",
                ),
            ]
        return [*found]

    def _output(self) -> list[click.Parameter]:
        files = [
            option(name, str, text, metavar="FILE") for name, (text, _) in self.verb.files.items()
        ]
        return [*(figure_flags() if self.verb.draws else output_flags()), *files]

    def run(self, **flags: Any) -> None:
        """Read, compute and deliver."""
        context = click.get_current_context()
        if self.verb.methods:
            del flags["method"]
        Run(self.verb, context.meta[METHOD], flags).deliver()
        if context.meta.get(NOT_CONVERGED):
            context.exit(1)


class Run:
    """One call of a command: what is read, computed and written."""

    def __init__(self, verb: Verb, method: str, flags: dict[str, Any]) -> None:
        self.verb, self.method, self.flags = verb, method, flags
        self.chain = verb.chain(method)
        self.file = flags.pop("file")
        self.output, self.asked_form = flags.pop("output"), flags.pop("form", None)
        self.form = ""
        self.by: Any = None if verb.draws else flags.pop("by", None)
        self.show = {name: flags.pop(name) for name in ("at", "every", "wide") if "wide" in flags}
        self.files = {name: flags.pop(name) for name in verb.files}
        self.flags |= self._set(flags.pop("set", ()))
        self.extra = {one.name: flags.pop(one.name) for one in verb.extra}
        self.window: tuple[Any, Any] = (None, None)
        self.data: Any = None
        self.ratings: Any = None  # from which the result was computed

    def _set(self, texts: Sequence[str]) -> dict[str, Any]:
        """Settings of a rating that are written --set NAME=VALUE."""
        rare = self.verb.rare(self.method)
        found: dict[str, Any] = {}
        for text in texts:
            name, sign, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not sign or name not in rare:
                near = did_you_mean([name], rare) or f" Choose one of: {', '.join(sorted(rare))}."
                raise click.UsageError(f"--set {text}: write NAME=VALUE.{near}")
            made = flag(rare[name])
            made.opts = [f"--set {name}"]  # as messages name it
            found[name] = made.type.convert(value, made, click.get_current_context())
        return found

    def deliver(self) -> None:
        """Compute what was asked, and write or print it."""
        self.prepare()
        if self.verb.draws:
            self.draw()
            return
        saved = not self.verb.path and str(self.output).lower().endswith(".npz")
        self.form = "table" if saved else chosen_format(self.asked_form, self.output)
        found = self.found()
        if found is None:
            return
        if isinstance(found, dict):
            self.write(
                content_by_group(
                    found,
                    self.by,
                    self.data.hash,
                    self.form,
                    self.show,
                    tables_of_measures="periods" in self.verb.files,
                ),
                found,
            )
        elif hasattr(found, "summary"):
            self.write(content(found, self.form, self.show), {None: found})
        else:
            self.write(self.table(found), {})

    def prepare(self) -> None:
        """Refuse flags and files that do not go together, before anything is read."""
        from peckorder.tables import format_of

        take_groups(self.flags, self.by)
        more = [self.flags.get(name) for name in ("presence", "traits", "table")]
        fixtures = self.flags.get("fixtures")
        inputs = [self.file, *more, *([] if fixtures == self.file else [fixtures])]
        outputs = self.output if self.verb.draws else [self.output]
        refuse_same_file([*inputs, *sheets_of(self.flags), *outputs, *self.files.values()])
        if self.verb.draws:
            check_targets(self.output)
        if self.show:
            if self.show["at"] is not None and self.show["every"] is not None:
                raise click.UsageError("--at and --every cannot be combined.")
            if self.show["wide"] and self.show["every"] is None:
                raise click.UsageError("--wide requires --every.")
        for name, path in self.files.items():
            if path is not None and name != "graphml":
                format_of(path)
            if path is not None and name in self.chain[-1].arguments:
                self.flags[name] = True

    def found(self) -> Any:
        """The result, or the results of the groups."""
        return self.usual() if self.verb.asked is None else self.verb.asked(self, **self.extra)

    def usual(self) -> Any:
        """The result of what is read, or of each of its groups."""
        data = self.read()
        if self.by is None:
            return self.result(data)
        return self.each_group(data.split("group"), self.by)

    def read(self, **more: Any) -> Any:
        """Read the contests; of ratings, --from and --to show a window later."""
        if self.chain[0].first in FILES:
            self.data = self.file
            return self.data
        if self.chain[0].name in RATINGS:
            self.window = self.flags.pop("from", None), self.flags.pop("to", None)
        self.data = read_contests(self.file, self.flags, **more)
        return self.data

    def each_group(
        self, parts: dict[str, Any], by: str, choose: Callable[[Any], None] | None = None
    ) -> dict[str, Any]:
        """The result of each group; groups that cannot be analyzed are omitted with a note."""
        groups = {}
        for name, part in parts.items():
            try:
                if choose is not None:
                    choose(part)
                groups[name] = self.result(part, of=f"{name}: ")
            except DataError as error:
                talk(f"Note: {name} was omitted: {error}")
        if not groups:
            raise DataError(f"No group in column {by} can be analyzed.")
        return groups

    def result(self, data: Any, of: str = "") -> Any:
        """The result for some contests; warnings and the seed that was drawn are printed."""
        steps = self.chain[:-1] if self.verb.draws else self.chain
        found = data
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DataWarning)
            for step in steps:
                found = self.call(step, found, self.settings(step, data), of)
                if step.name in RATINGS:
                    self.ratings = found = self.seen(found)
        self.say(warned, found, of)
        return found

    def seen(self, found: Any) -> Any:
        """Ratings (or a mapping of them) through the window, if there is one."""
        if self.window == (None, None):
            return found
        if isinstance(found, dict):
            return {name: one.between(*self.window) for name, one in found.items()}
        return found.between(*self.window)

    def settings(self, step: Function, data: Any) -> dict[str, Any]:
        """The arguments of a function of the chain that the flags give."""
        names = self.verb.names(step, self.method)
        given = {name: self.flags.get(name) for name in names}
        if step is not self.chain[-1]:  # the rating has the defaults of what is asked of it
            asked = self.chain[-2 if self.verb.draws and len(self.chain) > 2 else -1]
            for name in names & set(asked.arguments) - OF_RATING:
                if given[name] is None and not (self.verb.draws and asked is self.chain[-1]):
                    given[name] = asked.arguments[name].default
        if step.settings:
            given |= {name: self.flags.get(name) for name in self.verb.further(self.method)}
        if isinstance(order := given.get("order"), str):
            given["order"] = self.order(order, data, given.get("ties"))
        drawing = self.verb.draws and step is self.chain[-1]
        usual = {} if drawing or step.name == self.verb.path else self.verb.presets
        given = {name: value for name, value in given.items() if value is not None}
        return {**usual.get(step.name, {}), **given}

    def order(self, name: str, data: Any, ties: str | None) -> Any:
        """The rank order of this name."""
        return function(name)(data, ties=ties or "omit")

    def call(self, step: Function, data: Any, settings: dict[str, Any], of: str = "") -> Any:
        """Call a function, with its progress; a fit that failed to converge is still shown."""
        if step.name == "elo_ml" and settings.get("home_advantage") == "estimate":
            del settings["home_advantage"]
            settings["estimate"] = (*settings.get("estimate", ("k", "start")), "home_advantage")
        if "threads" in step.arguments:
            settings = settings | {"threads": click.get_current_context().meta.get(THREADS)}
        try:
            if "progress" not in step.arguments:
                return step(data, **settings)
            with progress(of + doing(step.name)) as update:
                return step(data, progress=update, **settings)
        except ConvergenceError as error:
            if error.ratings is None:
                raise
            complain(f"Error: {of}{error}")
            click.get_current_context().meta[NOT_CONVERGED] = True
            return error.ratings

    def say(self, warned: list[Any], found: Any, of: str) -> None:
        """Print warnings that the result does not show, and the seed that was drawn."""
        first = next(iter(found.values())) if isinstance(found, dict) else found
        summary = getattr(first, "summary", ())
        printed = self.form == "table" and not of
        shown = {*summary, " ".join(summary)} if printed else set()
        for text in dict.fromkeys(str(warning.message) for warning in warned):
            if text not in shown and not already_said(text):
                talk(f"Warning: {of}{text}")
        seed = getattr(first, "seed", None)
        asked = [step.arguments["seed"] for step in self.chain if "seed" in step.arguments]
        drawn = self.flags.get("seed") is None and not (asked and asked[-1].default is not None)
        if drawn and seed is not None and hasattr(first, "summary"):
            talk(f"{of}Seed: {seed} (use --seed {seed} to reproduce this result).")

    def write(self, shown: str | bytes, found: Mapping[Any, Any]) -> None:
        """Print or write the result, and its further tables to files."""
        from peckorder.tables import as_bytes, format_of

        more = []
        for name, path in self.files.items():
            if path is None:
                continue
            tables = {group: self.verb.files[name][1](one) for group, one in found.items()}
            if name == "graphml":
                more.append((path, tables[None].encode()))
            else:
                more.append((path, as_bytes(joined(tables, self.by), format_of(path))))
        deliver(shown, self.output, *more)

    def table(self, found: Any) -> str | bytes:
        """The content of a result that is only a table."""
        last = self.chain[-1]
        asked = {n: one.default for n, one in last.arguments.items() if n not in HIDDEN}
        asked |= {n: v for n, v in self.flags.items() if n in asked and v is not None}
        if self.ratings is None:
            described = {"method": last.name, "settings": asked, "result": {}}
            described["provenance"] = {"data_hash": self.data.hash}
            return table_content(found, self.form, described)
        if self.ratings.window is not None:
            talk(f"Note: {self.ratings.window.sentence}")
        if len(found) == 0 and last.name in EMPTY:
            talk(f"Note: {EMPTY[last.name]}")
        described = self.ratings.to_dict()
        if last.owner:
            described["settings"] |= asked
        else:
            described["method"] = last.name
        return table_content(found, self.form, described)

    def draw(self) -> None:
        """Write the figure, in the theme of a journal, and the data shown."""
        from peckorder.plot.files import picture
        from peckorder.plot.themes import theme
        from peckorder.tables import as_bytes, as_polars, format_of

        journal = self.flags.pop("journal")
        found = self.found()
        figure = getattr(peckorder.plot, self.chain[-1].name)
        look = self.settings(self.chain[-1], self.data)
        files = []
        with theme(journal or "default"):
            for path in self.output:
                if is_table(path):
                    whole = as_bytes(as_polars(figure.data(found, **look)), format_of(path))
                else:
                    whole = picture(lambda: figure(found, **look), path)
                files.append((path, whole))
        deliver(b"", None, *files)


def is_table(path: str) -> bool:
    """Whether a file of a figure holds the data shown, by its extension."""
    from peckorder.tables import FORMATS

    return Path(path).suffix.lower().lstrip(".") in FORMATS


def check_targets(paths: Sequence[str]) -> None:
    """Raise an error, before anything is computed, for files that cannot be written."""
    from peckorder.plot.files import picture_format
    from peckorder.tables import check_target

    for path in paths:
        if not is_table(path):
            picture_format(path)
        check_target(path)
