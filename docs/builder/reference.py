"""Pages of the functions, in the groups that `help(peckorder)` lists, from their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import peckorder
from docs.builder.commands import Page

SUBMODULES = "Submodules"
SUBMODULE = re.compile(r"    (\w+)\s{2,}(\S.*)")


def groups() -> dict[str, list[str]]:
    """Public names by heading of `help(peckorder)`; those of a submodule behind its name."""
    found: dict[str, list[str]] = {}
    for heading, lines in _sections():
        text = " ".join(lines)
        if heading == SUBMODULES:
            starts = [line.split()[0] for line in lines if SUBMODULE.fullmatch(line)]
            pieces = re.split("|".join(rf"\b{name}\s{{2,}}" for name in starts), text)[1:]
            for name, piece in zip(starts, pieces, strict=True):
                found |= _submodule(name, re.findall(r"\w+", piece))
        else:
            names = [name for name in re.findall(r"\w+", text) if name in peckorder.__all__]
            found[heading] = [name for name in names if name != "datasets"]
            if "datasets" in names:
                found |= _submodule("datasets", ["load", *peckorder.datasets.CATALOGUE])
    return found


def _submodule(name: str, listed: list[str]) -> dict[str, list[str]]:
    members = getattr(getattr(peckorder, name), "__all__", listed)
    # Tables in capitals are described where they are used.
    return {f"po.{name}": [f"{name}.{member}" for member in members if not member.isupper()]}


def _sections() -> Iterator[tuple[str, list[str]]]:
    """Headings of the docstring of the package, each with the indented lines below it."""
    heading, lines = "", []
    for line in (peckorder.__doc__ or "").splitlines():
        if line.startswith("    "):
            lines.append(line)
        elif heading and lines:
            yield heading, lines
            heading, lines = line, []
        else:
            heading = line
    if lines:
        yield heading, lines


def pages() -> list[Page]:
    """Contents, and one page for each group."""
    found = groups()
    names = {heading: _file_name(heading) for heading in found}
    rows = [
        f"| [{heading}]({names[heading]}.md) | "
        + ", ".join(f"[`{n}`](#{_target(n)})" for n in members)
        + " |"
        for heading, members in found.items()
    ]
    contents = "\n".join(
        [
            "# Functions and classes",
            "",
            "Everything public, as `help(peckorder)` groups it, after `import peckorder as po`.",
            "Every function takes data first and everything else by keyword.",
            "",
            "| group | names |",
            "|---|---|",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *names.values(),
            "```",
            "",
        ]
    )
    return [
        Page("api/index.md", contents),
        *(Page(f"api/{names[heading]}.md", _page(heading, found[heading])) for heading in found),
    ]


def _page(heading: str, names: list[str]) -> str:
    parts = [f"# {heading}"]
    for name in names:
        parts.append(f"({_target(name)})=\n\n## {name}\n\n```{{eval-rst}}\n{_directive(name)}\n```")
    return "\n\n".join(parts) + "\n"


def _directive(name: str) -> str:
    thing = peckorder
    for part in name.split("."):
        thing = getattr(thing, part)
    if not inspect.isclass(thing):
        kind = "autofunction" if callable(thing) else "autodata"
        return f".. {kind}:: peckorder.{name}"
    if issubclass(thing, BaseException):
        return f".. autoexception:: peckorder.{name}"
    return f".. autoclass:: peckorder.{name}\n   :members:\n   :inherited-members:"


def _target(name: str) -> str:
    kind = "po-class-" if name[0].isupper() else "po-"  # po.Study is not po.study
    return kind + name.replace(".", "-").replace("_", "-").lower()


def _file_name(heading: str) -> str:
    short = heading.removeprefix("po.").partition(",")[0]
    return re.sub(r"\W+", "-", short.lower()).strip("-")
