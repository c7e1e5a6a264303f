"""Changes lines of the package at random and counts how many changes the tests notice.

    python -m tests.mutation --changes 40 --seed 1

A line of a kernel, of reading or of results gets another operator, comparison or number, or loses
its effect. The quick tests of its room then run in a copy of the sources, until the first fails; a
change is noticed if one fails or needs too much time. Changes depend on the sources and the seed
only, so that two states of the tests can be compared: `--tests` takes the tests of another checkout.
"""

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

from tests.house import imported, trees

ROOT = Path(__file__).parent.parent
ROOMS = ("kernels", "data", "results")
FAR = 3  # imports between a kernel and what is tested with it
MOST_FILES = 12
NEAREST = 5  # files that are tried first
OPTIONS = ["-x", "-q", "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider"]
QUICK = "not slow and not documents and not programs and not wheel and not figures"
SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changed(node: ast.AST) -> ast.AST | None:
    """Another node in the place of this one, if there is one that is likely to be wrong."""
    other = deepcopy(node)
    if isinstance(other, ast.Compare) and type(other.ops[0]) in SWAPS:
        other.ops[0] = SWAPS[type(other.ops[0])]()
    elif isinstance(other, ast.BinOp | ast.BoolOp) and type(other.op) in SWAPS:
        other.op = SWAPS[type(other.op)]()
    elif isinstance(other, ast.Constant) and type(other.value) in (int, float):
        other.value += 1
    elif isinstance(other, ast.AugAssign) or (
        isinstance(other, ast.Expr) and isinstance(other.value, ast.Call)
    ):
        return ast.Pass()
    else:
        return None
    return other


def places(module: str) -> Iterator[ast.AST]:
    """Nodes in the functions of a module that can be changed, one line each."""
    waiting = [
        statement
        for function in ast.walk(trees()[module])
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
    ]
    seen = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr | ast.FunctionDef | ast.Raise):
            continue
        one_line = getattr(node, "lineno", 0) == getattr(node, "end_lineno", -1)
        if one_line and id(node) not in seen and changed(node) is not None:
            seen.add(id(node))
            yield node
        waiting += ast.iter_child_nodes(node)


def changes(number: int, seed: int) -> list[tuple[str, ast.AST]]:
    """Modules and nodes: lines drawn at random, and one of their nodes."""
    lines: dict[tuple[str, int], list[ast.AST]] = {}
    for module in sorted(trees()):
        if module.split(".")[1:2] and module.split(".")[1] in ROOMS:
            for node in places(module):
                lines.setdefault((module, node.lineno), []).append(node)
    draw = random.Random(seed)
    chosen = draw.sample(sorted(lines), number)
    return [(one[0], draw.choice(lines[one])) for one in chosen]


def source_with(path: Path, node: ast.AST) -> tuple[str, str]:
    """The source with the change, and what changed."""
    rows = path.read_text(encoding="utf-8").split("\n")
    other = changed(node)
    assert other is not None
    row = rows[node.lineno - 1].encode()
    text = ast.unparse(other)
    text = f"({text})" if isinstance(other, ast.expr) else text
    new = (row[: node.col_offset] + text.encode() + row[node.end_col_offset :]).decode()
    said = f"{path.name}:{node.lineno}  {row.decode().strip()}  ->  {new.strip()}"
    rows[node.lineno - 1] = new
    return "\n".join(rows), said


def users(module: str) -> dict[str, int]:
    """Modules that import a module, directly or by way of others, and how many steps away."""
    found = {module: 0}
    for step in range(1, FAR + 1):
        new = {one for one, steps in found.items() if steps == step - 1}
        for other in trees():
            if other not in found and set(imported(other)) & new:
                found[other] = step
    return found


def tests_of(module: str, node: ast.AST, folder: Path) -> list[str]:
    """The test files of a room, or those nearest to a kernel, in the order of likeliness."""
    functions = [
        one.name.strip("_")
        for one in ast.walk(trees()[module])
        if isinstance(one, ast.FunctionDef) and one.lineno <= node.lineno <= (one.end_lineno or 0)
    ]
    room = module.split(".")[1]
    near: dict[str, int] = {}
    for one, steps in users(module).items():
        stem = one.rpartition(".")[2]
        near[stem] = min(steps, near.get(stem, FAR))

    def closeness(path: Path) -> tuple[int, bool, bool, str]:
        text = path.read_text(encoding="utf-8")
        steps = 1 if module in text else near.get(path.stem[5:], FAR + 1)
        return steps, path.parent.name != room, not any(one in text for one in functions), path.name

    found = sorted(folder.rglob("test_*.py"), key=closeness)
    if room == "kernels":
        return [str(path) for path in found if closeness(path)[0] <= FAR][:MOST_FILES]
    return [str(path) for path in found if path.parent.name == room]


def noticed(folder: Path, files: list[str], module: str, seconds: int) -> tuple[bool, str]:
    """Whether a test fails, and the first that does."""
    compiled = folder / "compiled"
    around = os.environ | {"PYTHONPATH": f"{folder}/src:{folder}", "NUMBA_CACHE_DIR": str(compiled)}
    around |= {"PYTHONDONTWRITEBYTECODE": ""}
    first = ""
    for part in (files[:NEAREST], files[NEAREST:]):
        if first or not part:
            break
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *OPTIONS, "-m", QUICK, *part],
            cwd=folder,
            env=around,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 5):  # 5: no test was selected
            rows = [row for row in done.stdout.splitlines() if row.startswith(("FAILED", "ERROR"))]
            first = rows[0] if rows else f"exit code {done.returncode}"
    if module.split(".")[1] == "kernels":  # what was compiled with the change is gone
        for stem in {one.rpartition(".")[2] for one in users(module)}:
            for path in compiled.rglob(f"{stem}.*"):
                path.unlink()
    return bool(first), first


def main() -> None:
    """Print each change and the test that noticed it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60, help="CPU time of one change at most")
    parser.add_argument("--tests", type=Path, default=ROOT, help="checkout with the tests to run")
    given = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory(prefix="peckorder-mutation-") as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("tests", "docs", "examples"):
            shutil.copytree(given.tests / part, folder / part)
        for file in ("conftest.py", "pyproject.toml", "README.md"):
            shutil.copy(given.tests / file, folder / file)
        chosen = changes(given.changes, given.seed)
        for number, (module, node) in enumerate(chosen, 1):
            path = folder / "src" / f"{module.replace('.', '/')}.py"
            if not path.exists():
                path = path.with_suffix("") / "__init__.py"
            whole = path.read_text(encoding="utf-8")
            text, said = source_with(path, node)
            path.write_text(text, encoding="utf-8")
            files = tests_of(module, node, folder / "tests")
            seen, first = noticed(folder, files, module, given.seconds)
            path.write_text(whole, encoding="utf-8")
            found += seen
            state = "noticed" if seen else "MISSED "
            print(f"{number:3} {state}  {said}\n      {first}", flush=True)
    used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    print(f"{found} of {given.changes} changes were noticed ({used:.0f} CPU s).")


if __name__ == "__main__":
    main()
