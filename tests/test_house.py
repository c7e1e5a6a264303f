"""The rules of the house: light imports, levels without cycles, programs that run."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import peckorder as po
from peckorder.ratings.arguments import ELO, EloArguments
from peckorder.ratings.settings import EloSettings
from tests.house import LEVEL, imported, trees

ROOT = Path(__file__).parent.parent
HEAVY = ("numba", "scipy", "polars", "matplotlib", "pandas", "pyarrow")


@pytest.mark.parametrize(
    "code", ["import peckorder", "import peckorder.cli; peckorder.cli.main(['--help'])"]
)
def test_import_and_help_stay_light(code):
    script = f"""
import sys
try:
    {code.replace("; ", chr(10) + "    ")}
except SystemExit as done:
    assert not done.code
print("loaded:", *sorted(set({HEAVY!r}) & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_rooms_import_lower_levels_only():
    outside = {"peckorder", "peckorder.__main__"}
    rooms = {module: module.split(".")[1] for module in trees() if module not in outside}
    assert set(rooms.values()) <= set(LEVEL)
    wrong = [
        f"{module} imports {other}"
        for module, room in rooms.items()
        for other in set(imported(module)) - outside
        if rooms[other] != room and LEVEL[rooms[other]] >= max(LEVEL[room], 1)
    ]
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others():
    TopologicalSorter({module: {*imported(module)} - {module} for module in trees()}).prepare()


def test_kernels_know_arrays_only():
    for path in (ROOT / "src/peckorder/kernels").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
                assert names <= {
                    *("math", "numba", "numba.extending", "numpy", "sys", "threading", "warnings")
                }
            elif isinstance(node, ast.ImportFrom):
                assert node.module == "typing" or node.module.startswith(
                    ("numba", "peckorder.kernels")
                )


def test_public_names_exist_and_others_get_a_suggestion():
    assert len(po._HOMES) > 50
    assert set(po.__all__) <= set(dir(po))
    assert all(getattr(po, name) is not None for name in po.__all__)
    with pytest.raises(AttributeError, match="no attribute 'ello'"):
        _ = po.ello
    with pytest.raises(AttributeError, match='Did you mean "trajectories"'):
        _ = po.plot.trajectorys


def test_at_most_two_arguments_are_given_by_position():
    for name in po.__all__:
        verb = getattr(po, name)
        if inspect.isfunction(verb):
            kinds = [parameter.kind for parameter in inspect.signature(verb).parameters.values()]
            assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) in (1, 2), name


def test_arguments_of_an_elo_rating_are_declared_once():
    names = {argument.name for argument in ELO}
    assert names == set(EloArguments.__annotations__)
    inner = {
        "rounded",
        "tie_factor",
        "entry_from",
        "day",
        "ranked_from",
        "fide_early",
    }  # set by presets alone
    fields = {field.name for field in dataclasses.fields(EloSettings)}
    assert fields - inner == names - {"scale", "delta", "sd"}
    for function in (po.elo, po.EloRater, po.tune):
        assert names <= set(inspect.signature(function).parameters)
    with pytest.raises(TypeError, match='no argument .K.. Did you mean "k"'):
        po.elo(po.datasets.adv(), K=32)


WRITTEN = ("adv.csv", "bonobos.csv", "hierarchy.html", "history.csv", "ratings.csv")


@pytest.mark.programs
@pytest.mark.posix
def test_the_demo_runs_and_says_what_it_wrote(tmp_path):
    """With the environment that runs this test, so that nothing is installed here."""
    folder = tmp_path / "demo"
    folder.mkdir()
    for name in (*WRITTEN, "trajectories.pdf"):  # of an earlier demo
        (folder / name).write_text("old")
    done = subprocess.run(
        ["make", "demo", "-o", f"{sys.prefix}/core-ready", f"VENV={sys.prefix}", f"DEMO={folder}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ranking = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["b", "1320", "1"] in ranking
    assert f"Wrote {folder}/ratings.csv." in done.stderr
    assert "Steepness 0.628" in done.stdout
    assert "Log Bayes factor for change of ratings" in done.stdout
    assert f"Open {folder}/hierarchy.html in a browser." in done.stdout
    assert {path.name for path in folder.iterdir()} == {*WRITTEN, "trajectories.pdf"}
    assert all(path.read_bytes() != b"old" for path in folder.iterdir())


@pytest.mark.programs
@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.stem
)
def test_examples_run(tmp_path, script):
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_choices_in_docstrings_are_those_of_the_types():
    """The shell reads the types; people read the docstrings."""
    verbs = [getattr(po, name) for name in po.__all__]
    verbs += [getattr(po.plot, name) for name in po.plot.__all__]
    for verb in filter(inspect.isfunction, verbs):
        doc = inspect.getdoc(verb) or ""
        for name, one in inspect.signature(verb).parameters.items():
            said = re.search(rf"^(?:.*, )?{name} : (\{{.*?\}})", doc, re.MULTILINE)
            types = str(one.annotation)
            if said and "Literal" in types:
                assert re.findall(r'"(\w+)"', said[1]) == re.findall(r"[\"'](\w+)[\"']", types), (
                    name
                )
