"""The rules of the house: light imports, one list of names, documents that are true."""

import ast
import dataclasses
import doctest
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from peckorder.cli.rating import RATERS

import peckorder as po
from peckorder import cli
from peckorder.curves import CURVES
from peckorder.data.columns import ALIASES, KINDS
from peckorder.data.win_counts import INDICES, TIES
from peckorder.evaluation.calibration import SIDES
from peckorder.evaluation.compare import CHOICES as METHOD_NAMES
from peckorder.evaluation.compare_models import MEASURES, SCORES
from peckorder.evaluation.evaluate import CHOICES, VIEWS
from peckorder.evaluation.scoring import EQUAL
from peckorder.evaluation.search import CRITERIA
from peckorder.orders.adagio import DIRECTIONS
from peckorder.orders.bradley_terry import TIES as MODELED_TIES
from peckorder.orders.conventions import CONVENTIONS
from peckorder.orders.indices import COLUMNS
from peckorder.orders.period_ranks import METHODS as PERIOD_METHODS
from peckorder.ratings import likelihood as fits
from peckorder.ratings.arguments import ELO, EloArguments, choices
from peckorder.ratings.settings import PRESETS, EloSettings
from peckorder.results.chances import TIES as PREDICTED
from peckorder.simulate.hierarchies import STRENGTHS
from peckorder.simulate.recovery_runs import METHODS as ESTIMATED
from peckorder.simulate.self_organizing import MODELS
from peckorder.structure.order_test import NULLS as ORDER_NULLS
from peckorder.structure.stability import RULES
from peckorder.structure.steepness import NULLS as STEEPNESS_NULLS
from peckorder.tables import FORMATS
from tests.documents import blocks, documents, furnish, sessions

METHODS = (
    po.davids_score,
    po.isi,
    po.bradley_terry,
    po.orders.indices,
    po.orders.adagio,
    po.orders.percolation,
    po.orders.dominance_value,
    po.orders.network,
    po.orders.period_ranks,
    po.compare,
    po.randomized_elo,
    po.orders.repeatability,
    po.orders.splitting,
    po.steepness,
    po.linearity,
    po.transitivity,
    po.consistency,
    po.stability,
    po.order_test,
    po.hierarchy_shape,
    po.Interactions.dyads,
    po.Interactions.reversals,
    po.Interactions.unknown_dyads,
)
FITS = {
    po.elo_ml: "fit",
    po.elo_bayes: "fit",
    po.dynamic: "dynamic",
    po.adaptive: "adaptive",
    po.without: "without",
    po.steepness_bayes: "steepness",
}
OF_RATERS = (
    po.evaluate,
    po.calibration,
    po.sport.win_share,
    po.sport.areas,
    po.sport.home_advantages,
    po.tune,
    po.likelihood_surface,
    po.compare_models,
    po.predict,
    po.sport.simulate_season,
    po.sport.glicko,
    po.sport.glicko2,
)
SIMULATIONS = (
    po.simulate.hierarchy,
    po.simulate.periods,
    po.simulate.high_dimensional,
    po.simulate.unbalanced,
    po.simulate.takeover,
    po.simulate.coalitionary_leap,
    po.simulate.mortality,
    po.simulate.long_term,
    po.simulate.like,
    po.simulate.rank_error,
    po.simulate.self_organizing,
    po.simulate.winner_effect,
    po.recovery,
    po.power,
)


def grouped(method):
    """The name of a verb, behind that of its group where it has one, or of a method of data."""
    for group in ("orders", "sport"):
        if method.__name__ in getattr(po, group).__all__:
            return f"po.{group}.{method.__name__}"
    return f"{'po' if hasattr(po, method.__name__) else 'data'}.{method.__name__}"


GLICKOS = (po.sport.glicko, po.sport.glicko2)
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
    seen = {
        alias.asname: (node.module, alias.name) for node in guarded.body for alias in node.names
    }
    homes = {name: (home, name) for name, home in po._HOMES.items()}
    groups = {name: tuple(home.rsplit(".", 1)) for name, home in po._GROUPS.items()}
    assert seen == homes | groups
    assert set(po.__all__) <= set(dir(po))
    for name in po.__all__:
        assert getattr(po, name) is not None
        assert name in po.__doc__ or name == "__version__", f"help(po) does not list {name}"
    verbs = [n for n in po._HOMES if n[0].islower()]
    assert len(verbs) <= 38
    with pytest.raises(AttributeError, match="no attribute 'ello'"):
        _ = po.ello


def test_arguments_of_an_elo_rating_are_declared_once():
    names = {argument.name for argument in ELO}
    assert names == set(EloArguments.__annotations__)
    inner = {"rounded", "tie_factor", "entry_from", "day", "ranked_from"}  # set by presets alone
    fields = {field.name for field in dataclasses.fields(EloSettings)}
    assert fields - inner == names - {"scale", "delta", "sd"}
    for function in (po.elo, po.EloRater, po.tune):
        assert names <= set(inspect.signature(function).parameters)
    with pytest.raises(TypeError, match='no argument .K.. Did you mean "k"'):
        po.elo(po.datasets.adv(), K=32)


def test_kernels_know_arrays_only():
    for path in (ROOT / "src/peckorder/kernels").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"math", "numpy"}
            elif isinstance(node, ast.ImportFrom):
                assert node.module == "typing" or node.module.startswith(
                    ("numba", "peckorder.kernels")
                )


def test_data_argument_first_and_everything_else_by_keyword():
    others = (
        po.read,
        po.elo,
        po.read_presence,
        po.prior_ranks,
        po.curves.k_from_effect,
        po.orders.index_error,
        *FITS,
        *OF_RATERS,
    )
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
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("orders", "further_orders", "structure")
    )
    for name in ("fits", "evaluation", "adaptive"):
        text += (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    for method in (*METHODS, *FITS, *OF_RATERS):
        assert f"`{grouped(method)}`" in text
        for name in list(inspect.signature(method).parameters)[1:]:
            assert re.search(rf"`{name}(=[^`]*)?`", text) or name in ("settings", "options"), (
                method,
                name,
            )
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


def test_choices_of_the_shell_are_those_of_the_library():
    offered = {
        option.name: tuple(option.type.choices)
        for option in cli.main.commands["elo"].params
        if hasattr(option.type, "choices")
    }
    assert offered["entry"] == choices("entry")
    assert offered["outcome"] == choices("outcome")
    assert offered["margin"] == choices("margin")
    assert offered["period"] == choices("period")
    assert offered["preset"] == tuple(PRESETS)
    assert offered["curve"] == tuple(CURVES)
    assert offered["kind"] == KINDS
    # A workbook cannot be printed: it is chosen by the extension of the output file.
    assert offered["form"] == ("table", *(form for form in FORMATS if form != "xlsx"))


def test_every_method_has_a_command_with_its_arguments():
    """The same names, the same choices, the same defaults."""
    known = {
        "index": INDICES,
        "rank_by": COLUMNS,
        "rule": RULES,
        "methods": METHOD_NAMES,
        "direction": DIRECTIONS,
        "convention": CONVENTIONS,
        "method": PERIOD_METHODS,
        "preset": ("aniDom",),
        "null": STEEPNESS_NULLS,
        "ties": TIES,
        "curve": tuple(CURVES),
        "outcome": choices("outcome"),
        "margin": choices("margin"),
        "home_advantage": ("estimate",),
    }
    for method in METHODS:
        command = cli.main.commands[method.__name__.replace("_", "-")]
        options = {option.name: option for option in command.params}
        for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
            if name in ("progress", "settings", "order", "executor") or (method, name) == (
                po.compare,
                "threads",
            ):
                continue
            option = options[name]
            if type(parameter.default) in (int, float, str) and name != "seed":
                assert option.default == parameter.default, (method, name)
            if method is po.steepness and name == "ties":  # one more with --bayes
                assert tuple(option.type.choices) == (*TIES, "davidson")
            elif hasattr(option.type, "choices"):
                davidson = name == "ties" and method is po.bradley_terry
                expected = MODELED_TIES if davidson else known[name]
                if (method, name) == (po.order_test, "null"):
                    expected = ORDER_NULLS
                assert tuple(option.type.choices) == tuple(expected), (method, name)


def test_every_fit_has_an_option_for_each_argument():
    known = {"ties": fits.TIES, "centering": fits.CENTERINGS}
    for method, verb in FITS.items():
        options = {option.name: option for option in cli.main.commands[verb].params}
        for name in list(inspect.signature(method).parameters)[1:]:
            if name in ("progress", "settings", "executor"):  # processes start in Python only
                continue
            option = options[name]
            if name in known and method is not po.steepness_bayes:
                assert tuple(option.type.choices) == known[name], (method, name)
            told = re.search(r"default ([\d.]+)", option.help or "")
            default = inspect.signature(method).parameters[name].default
            if told and isinstance(default, int | float):
                assert float(told.group(1).rstrip(".")) == default, (method, name)


def test_what_is_asked_of_ratings_has_an_option_for_each_argument():
    known = {
        "equal": tuple(EQUAL),
        "per": CHOICES,
        "side": SIDES,
        "view": VIEWS,
        "by": SCORES,
        "measure": MEASURES,
        "criterion": CRITERIA,
        "ties": PREDICTED,
        "method": tuple(RATERS),
        "period": choices("period"),
        "outcome": choices("outcome"),
    }
    for method in OF_RATERS:
        verb = method.__name__.replace("_", "-")
        options = {option.name: option for option in cli.main.commands[verb].params}
        for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
            if (
                name in ("progress", "settings", "options", "k_periods", "fide")
                or parameter.kind is parameter.VAR_KEYWORD
            ):
                continue
            columns = (
                ("home", "away", "neutral", "a", "b", "season") if "fixtures" in options else ()
            )
            option = options[f"fixture_{name}" if name in columns else name]
            if name in known and (method, name) not in (
                (po.sport.glicko, "period"),
                (po.sport.glicko2, "period"),
            ):
                assert tuple(option.type.choices) == tuple(known[name]), (method, name)
            plain = type(parameter.default) in (int, float, str) and method not in GLICKOS
            if plain and not (option.help or "").count("default"):
                assert str(option.default) == str(parameter.default), (method, name)
            told = re.search(r"default ([\d.]+)\.", option.help or "")
            if told and name in ("deviation", "c", "tau", "volatility", "max_deviation"):
                assert float(told.group(1)) == parameter.default, (method, name)


def test_choices_of_simulations_are_those_of_the_library():
    def offered(verb, name):
        return tuple(next(p for p in cli.main.commands[verb].params if p.name == name).type.choices)

    assert offered("recovery", "method") == offered("power", "method") == tuple(ESTIMATED)
    assert offered("simulate", "model") == tuple(MODELS)
    assert offered("simulate", "strengths") == offered("power", "strengths") == STRENGTHS
    scenarios = offered("simulate", "scenario")
    assert all(hasattr(po.simulate, name.replace("-", "_")) for name in scenarios)


@pytest.mark.parametrize("document", documents())
def test_python_in_the_documents_gives_what_they_print(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)
    examples = "\n".join(blocks((ROOT / document).read_text(encoding="utf-8"), "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, document, document, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("document", documents())
def test_commands_in_the_documents_print_what_they_print(document, inside, tmp_path):
    furnish(tmp_path)
    for command, expected in sessions((ROOT / document).read_text(encoding="utf-8")):
        program, *rest = shlex.split(command)
        assert program == "peckorder", command
        done = inside(*rest)
        printed = (done.stderr + done.stdout).decode()
        assert [line.rstrip() for line in printed.strip().splitlines()] == [
            line.rstrip() for line in expected.strip().splitlines()
        ], command


WRITTEN = ("adv.csv", "bonobos.csv", "hierarchy.html", "history.csv", "ratings.csv")


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


@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.stem
)
def test_examples_run(tmp_path, script):
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_errors_are_ours():
    """Errors about data and arguments are derived from PeckorderError, so the shell knows them."""
    plain = re.compile(r"raise (ValueError|TypeError|RuntimeError|Exception)\(")
    own = {"parquet.py", "storage.py", "source.py"}  # raised and caught in the same module
    found = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "src" / "peckorder").rglob("*.py")
        if path.name not in own and path.parent.name != "kernels"
        for line in path.read_text(encoding="utf-8").splitlines()
        if plain.search(line)
    ]
    assert found == []
