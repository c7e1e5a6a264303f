"""What stays as it is within a major version, as docs/stable.md promises.

`python -m tests.stable` writes tests/reference/stable.json; names that are gone break the promise.
"""

import inspect
import json
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import peckorder as po
from peckorder.data.recipe import Recipe
from peckorder.groups import folder
from peckorder.results.result import Result
from tests.fuzzing.shell import leaves

PIN = Path(__file__).parent / "reference" / "stable.json"


def results(of: type = Result) -> dict[str, list[str]]:
    """Fields of all results, by class."""
    found = {}
    for one in of.__subclasses__():
        if is_dataclass(one) and not one.__name__.startswith("_"):
            found[one.__name__] = [f.name for f in fields(one) if not f.name.startswith("_")]
        found |= results(one)
    return found


def promised() -> dict:
    """Public names with their arguments, commands, fields of results and recipes, and files."""
    names = {name: getattr(po, name) for name in po._HOMES}
    for group, home in po._GROUPS.items():
        module = import_module(home)
        listed = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        names |= {f"{group}.{name}": getattr(module, name) for name in listed}
    made = {
        name: list(inspect.signature(one).parameters)
        for name, one in names.items()
        if inspect.isfunction(one)
    }
    return {
        "names": sorted(names),
        "arguments": dict(sorted(made.items())),
        "commands": sorted(name for name, _ in leaves()),
        "recipe": [f.name for f in fields(Recipe)],
        "results": dict(sorted(results().items())),
        "study": {"format": folder.FORMAT, "files": [folder.MANIFEST, folder.TABLE]},
    }


if __name__ == "__main__":
    PIN.write_text(json.dumps(promised(), indent=1) + "\n", encoding="utf-8")
