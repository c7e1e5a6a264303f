"""The rules of the house: light imports, one list of names, documents that are true."""

import ast
import doctest
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import peckorder as po
from peckorder import cli
from peckorder.cli.raters import RATERS
from peckorder.data.columns import ALIASES, KINDS
from peckorder.data.tally import DRAWS
from peckorder.evaluation.calibration import SIDES
from peckorder.evaluation.evaluate import CHOICES, VIEWS
from peckorder.evaluation.models import MEASURES, SCORES
from peckorder.evaluation.predict import DRAWS as PREDICTED
from peckorder.evaluation.scoring import TIES
from peckorder.evaluation.search import CRITERIA
from peckorder.ranking.bradley_terry import DRAWS as MODELED_DRAWS
from peckorder.ranking.compare import METHODS as METHOD_NAMES
from peckorder.ranking.davids_score import INDICES
from peckorder.ranking.indices import COLUMNS
from peckorder.rating import observed as fits
from peckorder.rating import policies
from peckorder.rating.curves import CURVES
from peckorder.simulation.estimates import METHODS as ESTIMATED
from peckorder.simulation.hierarchies import STRENGTHS
from peckorder.simulation.self_organizing import MODELS
from peckorder.structure.order_test import NULLS as ORDER_NULLS
from peckorder.structure.stability import RULES
from peckorder.structure.steepness import NULLS as STEEPNESS_NULLS
from peckorder.tables import FORMATS
from tests.shell_document import TARGET, document

METHODS = (
    po.davids_score, po.isi, po.bradley_terry, po.indices, po.compare, po.randomized_elo,
    po.repeatability, po.splitting, po.steepness, po.linearity, po.transitivity, po.consistency,
    po.stability, po.order_test, po.hierarchy_shape, po.dyads, po.reversals, po.unknown_dyads,
)  # fmt: skip
FITS = {po.elo_ml: "fit", po.elo_bayes: "fit", po.without: "without",
        po.steepness_bayes: "steepness"}  # fmt: skip
OF_RATERS = (
    po.evaluate, po.calibration, po.win_share, po.course, po.home_advantages, po.tune,
    po.compare_models, po.predict, po.simulate_season, po.glicko, po.glicko2,
)  # fmt: skip
SIMULATIONS = (
    po.simulate.hierarchy, po.simulate.periods, po.simulate.high_dimensional,
    po.simulate.unbalanced, po.simulate.takeover, po.simulate.coalitionary_leap,
    po.simulate.mortality, po.simulate.like, po.simulate.rank_error, po.simulate.self_organizing,
    po.simulate.winner_effect, po.recovery, po.power,
)  # fmt: skip
GLICKOS = (po.glicko, po.glicko2)
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


def test_public_names_are_those_the_type_checker_sees():
    tree = ast.parse((ROOT / "src/peckorder/__init__.py").read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: node.module for node in guarded.body for alias in node.names}
    assert set(seen) == set(po._HOMES)
    for name, home in po._HOMES.items():
        assert home in (seen[name], f"{seen[name]}.{name}", f"{seen[name]}.simulation")
        assert getattr(po, name) is not None
    assert set(po._HOMES) <= set(dir(po))
    with pytest.raises(AttributeError, match="no attribute 'ello'"):
        _ = po.ello


def test_kernels_know_arrays_only():
    for path in (ROOT / "src/peckorder/kernels").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"math", "numpy"}
            elif isinstance(node, ast.ImportFrom):
                allowed = node.module in ("numba", "numba.extending", "typing")
                assert allowed or node.module.startswith("peckorder.kernels")


def test_data_argument_first_and_everything_else_by_keyword():
    others = (po.read, po.elo, po.read_presence, po.prior_ranks, po.k_from_effect, po.index_error,
              *FITS, *OF_RATERS)  # fmt: skip
    for function in (*others, *METHODS):
        first, *rest = inspect.signature(function).parameters.values()
        assert first.kind is first.POSITIONAL_OR_KEYWORD
        kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        assert all(parameter.kind in kinds for parameter in rest)


def test_every_alias_argument_and_flag_is_documented():
    data = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    for role, aliases in ALIASES.items():
        for alias in (role, *aliases):
            assert f"`{alias}`" in data, alias
    elo = (ROOT / "docs/elo.md").read_text(encoding="utf-8")
    for name in list(inspect.signature(po.elo).parameters)[1:]:
        assert f"`{name}`" in elo, name
    text = elo + "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("orders", "structure")
    )
    for name in ("fits", "evaluation"):
        text += (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    for method in (*METHODS, *FITS, *OF_RATERS):
        assert f"`po.{method.__name__}`" in text
        for name in list(inspect.signature(method).parameters)[1:]:
            assert re.search(rf"`{name}(=[^`]*)?`", text) or name in (
                "settings", "options"
            ), (method, name)  # fmt: skip
    text = (ROOT / "docs/simulation.md").read_text(encoding="utf-8")
    for method in SIMULATIONS:
        home = "po" if method in (po.recovery, po.power) else "po.simulate"
        assert f"`{home}.{method.__name__}`" in text
        for name in inspect.signature(method).parameters:
            told = re.search(rf"`{name}(=[^`]*)?`", text)
            assert told or name in ("settings", "data", "ratings", "progress"), (method, name)
    text = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    for figure in (*(getattr(po.plot, name) for name in po.plot.__all__), po.report):
        home = "po" if figure is po.report else "po.plot"
        assert f"`{home}.{figure.__name__}`" in text
        for name in list(inspect.signature(figure).parameters)[1:]:
            told = re.search(rf"`{name}(=[^`]*)?`", text)
            assert told or name == "path", (figure, name)
    assert document() == TARGET.read_text(encoding="utf-8"), "python -m tests.shell_document"


def test_choices_of_the_shell_are_those_of_the_library():
    choices = {
        option.name: tuple(option.type.choices)
        for option in cli.main.commands["elo"].params
        if hasattr(option.type, "choices")
    }
    assert choices["entry"] == policies.ENTRIES
    assert choices["outcome"] == policies.OUTCOMES
    assert choices["margin"] == policies.MARGINS
    assert choices["period"] == policies.PERIODS
    assert choices["preset"] == tuple(policies.PRESETS)
    assert choices["curve"] == tuple(CURVES)
    assert choices["kind"] == KINDS
    assert choices["form"] == ("table", *FORMATS)


def test_every_method_has_a_command_with_its_arguments():
    """The same names, the same choices, the same defaults."""
    known = {
        "index": INDICES, "rank_by": COLUMNS, "rule": RULES, "methods": METHOD_NAMES,
        "preset": ("aniDom",), "draws": DRAWS, "curve": tuple(CURVES),
        "outcome": policies.OUTCOMES, "margin": policies.MARGINS, "null": STEEPNESS_NULLS,
    }  # fmt: skip
    for method in METHODS:
        command = cli.main.commands[method.__name__.replace("_", "-")]
        options = {option.name: option for option in command.params}
        for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
            if name in ("progress", "settings", "order") or (method, name) == (
                po.compare,
                "threads",
            ):
                continue
            option = options[name]
            if type(parameter.default) in (int, float, str) and name != "seed":
                assert option.default == parameter.default, (method, name)
            if method is po.steepness and name == "draws":  # one more with --bayes
                assert tuple(option.type.choices) == (*DRAWS, "davidson")
            elif hasattr(option.type, "choices"):
                davidson = name == "draws" and method is po.bradley_terry
                expected = MODELED_DRAWS if davidson else known[name]
                if (method, name) == (po.order_test, "null"):
                    expected = ORDER_NULLS
                assert tuple(option.type.choices) == tuple(expected), (method, name)


def test_every_fit_has_an_option_for_each_argument():
    known = {"draws": fits.DRAWS, "centering": fits.CENTERINGS}
    for method, verb in FITS.items():
        options = {option.name: option for option in cli.main.commands[verb].params}
        for name in list(inspect.signature(method).parameters)[1:]:
            if name in ("progress", "settings"):
                continue
            option = options[name]
            if name in known and method is not po.steepness_bayes:
                assert tuple(option.type.choices) == known[name], (method, name)
            told = re.search(r"default ([\d.]+)", option.help or "")
            default = inspect.signature(method).parameters[name].default
            if told and isinstance(default, int | float):
                assert float(told.group(1).rstrip(".")) == default, (method, name)


def test_what_is_asked_of_ratings_has_an_option_for_each_argument():
    choices = {"ties": tuple(TIES), "per": CHOICES, "side": SIDES, "view": VIEWS, "by": SCORES,
               "measure": MEASURES, "criterion": CRITERIA, "draws": PREDICTED,
               "method": tuple(RATERS), "period": policies.PERIODS,
               "outcome": policies.OUTCOMES}  # fmt: skip
    for method in OF_RATERS:
        verb = method.__name__.replace("_", "-")
        options = {option.name: option for option in cli.main.commands[verb].params}
        for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
            if (
                name in ("progress", "settings", "options")
                or parameter.kind is parameter.VAR_KEYWORD
            ):
                continue
            columns = ("home", "away", "neutral", "a", "b") if "fixtures" in options else ()
            option = options[f"fixture_{name}" if name in columns else name]
            if name in choices and (method, name) not in (
                (po.glicko, "period"),
                (po.glicko2, "period"),
            ):
                assert tuple(option.type.choices) == tuple(choices[name]), (method, name)
            plain = type(parameter.default) in (int, float, str) and method not in GLICKOS
            if plain and not (option.help or "").count("default"):
                assert str(option.default) == str(parameter.default), (method, name)
            told = re.search(r"default ([\d.]+)\.", option.help or "")
            if told and name in ("deviation", "c", "tau", "volatility", "max_deviation"):
                assert float(told.group(1)) == parameter.default, (method, name)


def test_choices_of_simulations_are_those_of_the_library():
    def choices(verb, name):
        return tuple(next(p for p in cli.main.commands[verb].params if p.name == name).type.choices)

    assert choices("recovery", "method") == choices("power", "method") == tuple(ESTIMATED)
    assert choices("simulate", "model") == tuple(MODELS)
    assert choices("simulate", "strengths") == choices("power", "strengths") == STRENGTHS
    scenarios = choices("simulate", "scenario")
    assert all(hasattr(po.simulate, name.replace("-", "_")) for name in scenarios)


DOCUMENTS = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_in_the_documents_gives_what_they_print(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, document, document, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_the_documents_print_what_they_print(document, inside):
    text = (ROOT / document).read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = session.partition("\n")
            program, *rest = shlex.split(command)
            assert program == "peckorder", command
            done = inside(*rest)
            printed = (done.stderr + done.stdout).decode()
            assert [line.rstrip() for line in printed.strip().splitlines()] == [
                line.rstrip() for line in expected.strip().splitlines()
            ], command


def test_demo_runs_twice_and_says_what_it_wrote(tmp_path):
    """With the environment that runs this test, so that nothing is installed here."""
    folder = tmp_path / "demo"
    ready = f"{sys.prefix}/core-ready"
    for _ in range(2):
        done = subprocess.run(
            ["make", "demo", "-o", ready, f"VENV={sys.prefix}", f"DEMO={folder}"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        ranking = [line.split()[:3] for line in done.stdout.splitlines()]
        assert ["b", "1320", "1"] in ranking
        assert f"Wrote {folder}/ratings.csv." in done.stderr
        assert "Steepness 0.628" in done.stdout
        assert "The chains agree" in done.stdout
        assert f"Open {folder}/hierarchy.html in a browser." in done.stdout
    assert {path.name for path in folder.iterdir()} == {
        "adv.csv", "bonobos.csv", "hierarchy.html", "history.csv", "ratings.csv",
        "trajectories.pdf",
    }  # fmt: skip


def test_examples_run(tmp_path):
    scripts = sorted((ROOT / "examples").glob("*.py"))
    assert scripts
    for script in scripts:
        done = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout
