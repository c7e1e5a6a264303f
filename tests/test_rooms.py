"""The house flows one way: rooms import only from rooms below them, and nobody reaches inside."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "peckorder"

# From the ground up, as in docs/design.md. A room imports from its own modules and from below.
ORDER = (
    ("printable",),
    ("errors", "wording", "estimate", "methods", "citation", "kernels"),
    ("checked", "spreadsheets"),
    ("components", "ranks", "runs", "tables", "notebook"),
    ("executors",),
    ("sources",),
    ("data",),
    ("curves", "home"),
    ("results",),
    ("sequential",),
    ("ranking",),
    ("likelihood",),
    ("filters",),
    ("posterior",),
    ("structure",),
    ("evaluation",),
    ("simulation",),
    ("studies",),
    ("papers",),
    ("figures",),
    ("plot", "orders", "pairs", "fits", "sport", "reliability"),
    ("reporting",),
    ("app",),
    ("cli",),
    ("__main__",),
)
HEIGHT = {room: height for height, rooms in enumerate(ORDER) for room in rooms}
# Imports inside functions keep start-up light. Only these rooms need them: the shell, so that
# `peckorder --help` loads nothing heavy; figures and report, which need matplotlib and plotly
# only when something is drawn; and, for single functions, what is listed here.
LATE_ROOMS = ("cli", "figures", "reporting")
LATE = {
    ("data.datasets", "data.read"),
    ("sources.names", "kernels.contests"),
    ("sources.text", "kernels.contests"),
    ("sources.text_views", "kernels.contests"),
}


def modules():
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


TREES = dict(modules())


def imported(node):
    """Modules of the package that an import statement names."""
    if isinstance(node, ast.Import):
        return [a.name[10:] for a in node.names if a.name.startswith("peckorder.")]
    if not (node.module or "").startswith("peckorder"):
        return []
    place = node.module[10:]
    whole = [f"{place}.{a.name}".strip(".") for a in node.names]
    return [name if name in TREES else place for name in whole if name in TREES or place]


def imports():
    """(module, imported module, whether inside a function) for all imports that run."""
    for module, tree in TREES.items():
        stack = [(tree, False)]
        while stack:
            node, inside = stack.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                    continue
                if isinstance(child, ast.Import | ast.ImportFrom):
                    for name in imported(child):
                        yield module, name, inside
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                stack.append((child, inside or function))


IMPORTS = list(imports())


def room(module):
    return module.split(".")[0]


def test_every_room_has_its_place():
    assert {room(module) for module in TREES if module} == set(HEIGHT)


def test_no_room_imports_from_above():
    upward = [
        (module, name)
        for module, name, _ in IMPORTS
        if module and room(module) != room(name) and HEIGHT[room(name)] >= HEIGHT[room(module)]
    ]
    assert not upward


def test_the_app_and_the_shell_compute_nothing_themselves():
    """Ratings and measures are those of the public functions."""
    methods = ("sequential", "ranking", "likelihood", "filters", "posterior", "structure")
    hidden = {*methods, "kernels", "results", "simulation"}
    used = {
        (module, name)
        for module, name, _ in IMPORTS
        if (room(module) == "app" and room(name) in {*hidden, "evaluation"})
        or (room(module) == "cli" and room(name) in {"kernels"})
    }
    assert not used


def test_no_modules_import_each_other_in_a_circle():
    below = defaultdict(set)
    for module, name, _ in IMPORTS:
        if module:
            below[module].add(name)

    def walk(module, path):
        assert module not in path, " → ".join([*path, module])
        if module not in done:
            for name in below[module]:
                walk(name, [*path, module])
            done.add(module)

    done = set()
    for module in list(below):
        walk(module, [])


def test_imports_inside_functions_are_listed():
    late = {
        (module, name)
        for module, name, inside in IMPORTS
        if inside and module and room(module) not in LATE_ROOMS
    }
    assert late == LATE


@pytest.mark.parametrize("module", [m for m in TREES if m])
def test_no_module_touches_the_private_names_of_another(module):
    tree = TREES[module]
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    own |= {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls")
    }
    own |= {
        "_replace",
        "_asdict",
        "_fields",
        "_getframe",
        "_exit",
    }  # public names of the standard library
    touched = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    }
    imported_names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("peckorder")
        for alias in node.names
    }
    assert not {name for name in touched if name not in own}
    assert not {name for name in imported_names if name.startswith("_")}


def test_the_design_document_shows_this_order():
    """Rooms by level, each once: a table that is merged twice would be found here."""
    document = (SOURCE.parent.parent / "docs" / "design.md").read_text(encoding="utf-8")
    shown: list[set[str]] = []
    for level, rooms in re.findall(r"^\| +(\d*) +\| ([^|]+) \|", document, re.M):
        if level:
            assert int(level) == len(shown)
            shown.append(set())
        shown[-1] |= {room.rstrip("/") for room in re.findall(r"`([\w/]+)`", rooms)}
    assert tuple(shown) == tuple(set(rooms) for rooms in ORDER)
