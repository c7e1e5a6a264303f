"""The plan of the house: its modules, what they import, and the level of each room."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "peckorder"
LEVELS = (
    "kernels text errors validate methods estimate notebook dates ranks random_runs tables curves",
    "data executors",
    "results datasets",
    "ratings",
    "orders structure groups",
    "evaluation simulate questions",
    "plot sport papers",
    "reporting",
    "app cli",
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms.split()}


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax trees of all modules by name."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): ast.parse(path.read_text(encoding="utf-8"))
        for path in PACKAGE.rglob("*.py")
    }


def imported(module: str) -> Iterator[str]:
    """Modules of the package that are imported as soon as a module is: not in its functions."""
    waiting = list(trees()[module].body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("peckorder"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in trees() else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees())
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ):
            waiting += ast.iter_child_nodes(node)
