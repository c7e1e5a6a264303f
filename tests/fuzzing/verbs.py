"""Every public function with arguments that fit, or nearly fit, and every method of what it returns.

Which functions, arguments and methods there are is read from the package, so that none is left out:
a function that needs more than data of a usual kind is in `GIVEN`. Numbers that are not finite, and
files that are left behind, are findings.
"""

import ast
import contextlib
import inspect
import math
import re
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl

import peckorder as po
from peckorder.results.result import NoSuchName
from tests.fuzzing import calls, tables
from tests.fuzzing.odd import ODD_VALUES
from tests.fuzzing.tables import maybe, pick

DATES = [f"2024-{1 + n // 20:02}-{1 + n % 20:02}" for n in range(60)]
FIXTURES = {"a": ["Abe", "Bo", "Cy"], "b": ["Bo", "Cy", "Abe"]}
# Classes whose objects other families make by hand, or that are only returned.
MADE = (
    *("Contests", "Matrix", "Presence", "ContestStream", "EloRater", "Ratings", "Posterior"),
    *("Order", "Measure", "Study", "sport.Fields", "simulate.Truth"),
)


def record(rng, groups: bool = False) -> po.Contests:
    """Dated contests among four, with a hierarchy, in one or two groups."""
    pairs = [rng.choice(4, 2, replace=False) for _ in DATES]
    won = [sorted(pair) if maybe(rng, 0.8) else list(pair) for pair in pairs]
    names = np.array(["Abe", "Bo", "Cy", "Di"])[np.array(won)]
    sheet = {"date": DATES, "winner": names[:, 0], "loser": names[:, 1]}
    if groups:
        group = np.arange(len(DATES)) % 2
        ends = np.where(group == 0, "n", "s")
        sheet |= {"group": ends}
        sheet |= {side: np.char.add(sheet[side], ends) for side in ("winner", "loser")}
    return po.read(pl.DataFrame(sheet))


@cache
def usual() -> po.Contests:
    """A record for results that take long to compute, made once."""
    return record(np.random.default_rng(1))


@cache
def games() -> po.Contests:
    """Games at home and away, with odds."""
    rng = np.random.default_rng(3)
    pairs = np.array([rng.choice(["Abe", "Bo", "Cy", "Di"], 2, replace=False) for _ in DATES])
    return po.read(
        {
            "date": DATES,
            "home": pairs[:, 0],
            "away": pairs[:, 1],
            "home_goals": rng.integers(0, 2, len(DATES)) * 3 + 1,
            "away_goals": rng.integers(0, 2, len(DATES)) * 3,
            "oh": np.full(len(DATES), 1.9),
            "oa": np.full(len(DATES), 2.1),
        }
    )


@cache
def votes() -> po.Contests:
    """Votes of eight voters on four."""
    rng = np.random.default_rng(4)
    pairs = np.array([rng.choice(["Abe", "Bo", "Cy", "Di"], 2, replace=False) for _ in range(240)])
    won = np.where((pairs[:, 0] < pairs[:, 1]) == (rng.random(240) < 0.7), "a", "b")
    return po.read({"a": pairs[:, 0], "b": pairs[:, 1], "winner": won, "voter": np.arange(240) % 8})


@cache
def two_groups() -> po.Contests:
    """A record of two groups."""
    return record(np.random.default_rng(2), groups=True)


@cache
def result(name: str):
    """A result of a public function with small budgets, made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = MAKE.get(name)
        return found() if found else call(public()[name], usual())


def call(function: Callable, *given, **more):
    """A call with small budgets."""
    names = inspect.signature(function).parameters
    return function(*given, **{n: v for n, v in calls.SMALL.items() if n in names} | more)


def claim(rng) -> str:
    """A claim about a ranking."""
    return pick(rng, ("Abe > Bo", "Abe first", "linear", "Abe > Di"))


MAKE: dict[str, Callable] = {
    "bracket": lambda: po.sport.bracket(po.dynamic(usual(), seed=1), ["Abe", "Bo", "Cy", "Di"]),
    "change_points": lambda: po.change_points(usual(), threads=1),
    "calibration": lambda: po.calibration(po.elo(usual())),
    "dominance_style": lambda: po.questions.dominance_style(usual()),
    "fragility": lambda: po.questions.fragility(usual(), "Abe > Bo", runs=20, seed=1, threads=1),
    "multiverse": lambda: call(po.questions.multiverse, usual(), "Abe > Bo"),
    "next_pairs": lambda: po.questions.next_pairs(po.dynamic(usual(), seed=1)),
    "over_time": lambda: po.over_time(usual(), "linearity", window="1m", runs=12, seed=1),
    "posterior": lambda: call(po.elo_bayes, usual(), samples=30, warmup=30),
    "power": lambda: po.power(5, 2, runs=12, seed=1, effort=[20, 40], threads=1),
    "recovery": lambda: po.recovery(usual(), runs=12, seed=1, threads=1),
    "season": lambda: po.sport.simulate_season(po.elo(usual()), fixtures=FIXTURES, runs=12, seed=1),
    "shape": lambda: po.hierarchy_shape(usual()),
    "steepness": lambda: po.steepness(usual(), runs=12, seed=1, threads=1),
    "steepness_bayes": lambda: po.steepness_bayes(usual(), seed=1, threads=1),
    "stress": lambda: call(po.questions.stress, usual()),
    "study": lambda: po.study(two_groups(), by="group", measures=["linearity"], seed=1),
    "summed_probability": lambda: po.elo(usual()).slopes(),
    "visit_gaps": lambda: po.visit_gaps(visits(np.random.default_rng(1))),
}


def visits(rng) -> dict:
    """Visits of four to two feeders."""
    starts = np.cumsum(rng.integers(1, 9, 40))
    moments = np.datetime64("2020-01-01T08:00:00") + starts.astype("timedelta64[s]")
    return {
        "id": rng.choice(["Abe", "Bo", "Cy", "Di"], 40).tolist(),
        "feeder": rng.choice(["1", "2"], 40).tolist(),
        "start": [str(one) for one in moments],
        "end": [str(one + np.timedelta64(2, "s")) for one in moments],
    }


def _ratings(rng):
    return pick(rng, (po.elo, lambda data: po.dynamic(data, seed=1)))(record(rng))


def _simulated(rng):
    truth, data = po.simulate.hierarchy(5, 40, seed=int(rng.integers(9)))
    return (po.elo(data),), {"truth": truth}


def _drawn(name: str) -> Callable:
    """What a figure shows: the result of the function of the same name, or of another."""
    other = {
        "against": "study",
        "forest": "study",
        "gaps": "visit_gaps",
        "likelihood": "likelihood_surface",
        "places": "season",
    }.get(name, name)
    return lambda rng: ((result(other),), {})


# Positional and further arguments of functions that take more than data or ratings.
GIVEN: dict[str, Callable] = {
    **{
        f"plot.{name}": _drawn(name)
        for name in (
            *("against", "bracket", "calibration", "change_points", "compare", "dominance_style"),
            *("forest", "fragility", "gaps", "likelihood", "multiverse", "next_pairs", "over_time"),
            *("places", "posterior", "power", "recovery", "shape", "steepness", "stress"),
        )
    },
    "compare_models": lambda rng: (({"elo": po.elo(usual()), "fit": po.elo_ml(usual())},), {}),
    "curves.Exponential": lambda rng: ((0.01,), {}),
    "curves.Logistic": lambda rng: ((400.0,), {}),
    "curves.Normal": lambda rng: ((200.0,), {}),
    "curves.k_from_effect": lambda rng: ((rng.uniform(0.55, 0.9),), {}),
    "datasets.load": lambda rng: ((pick(rng, ("adv", "bonobos")),), {}),
    "displacements": lambda rng: ((visits(rng),), {"within": "5s"}),
    "orders.fill_unknown": lambda rng: ((record(rng),), {"by": record(rng).matrix()}),
    "orders.index_error": lambda rng: ((int(rng.integers(5, 60)),), {}),
    "orders.matrix_correlation": lambda rng: ((record(rng),), {"behavior": record(rng).matrix()}),
    "orders.skew": lambda rng: (({"individual": ["a", "b"], "offspring": [5, 2]},), {}),
    "over_time": lambda rng: ((record(rng), "linearity"), {"window": "1m", "runs": 12}),
    "papers.contests": lambda rng: ((pick(rng, ("albers2001", "devries2006")), None), {}),
    "papers.reproduce": lambda rng: (("albers2001",), {}),
    "plot.against": lambda rng: ((result("study"),), OF_STUDY),
    "plot.forest": lambda rng: ((result("study"),), OF_STUDY),
    "plot.matrices": lambda rng: ((two_groups(),), {"by": "group"}),
    "plot.rank_probabilities": lambda rng: ((po.dynamic(record(rng), seed=1),), {}),
    "plot.ranks": lambda rng: ((po.dynamic(record(rng), seed=1),), {}),
    "plot.summed_probability": lambda rng: ((result("steepness_bayes"),), {}),
    "plot.weights": lambda rng: ((result("adaptive"),), {}),
    "power": lambda rng: ((5, 2.0), {}),
    "predict": lambda rng: ((_ratings(rng),), {"fixtures": FIXTURES}),
    "prior_ranks": lambda rng: ((["Abe", "Bo", "Cy", "Di"],), {}),
    "propose": lambda rng: ((record(rng).to_table(),), {}),
    "questions.fragility": lambda rng: ((record(rng), claim(rng)), {"runs": 20}),
    "questions.multiverse": lambda rng: ((record(rng), claim(rng)), {}),
    "questions.next_pairs": lambda rng: ((po.dynamic(record(rng), seed=1),), {}),
    "read": lambda rng: ((record(rng).to_table(),), {}),
    "read_presence": lambda rng: ((tables.as_frame(rng, tables.presence(rng), plain=True),), {}),
    "report": lambda rng: ((record(rng), "page.html"), {}),
    "simulate.coalitionary_leap": lambda rng: ((5, (20, 20)), {}),
    "simulate.high_dimensional": lambda rng: ((5, 40), {}),
    "simulate.hierarchy": lambda rng: ((5, 40), {}),
    "simulate.long_term": lambda rng: ((5, 40), {}),
    "simulate.mortality": lambda rng: ((5, (10, 10, 10)), {}),
    "simulate.like": lambda rng: ((_ratings(rng),), {"effort": 2.0}),
    "simulate.periods": lambda rng: (
        ([{"strengths": {"Abe": 1.0, "Bo": 0.0}, "contests": 20}],),
        {},
    ),
    "simulate.rank_error": _simulated,
    "simulate.self_organizing": lambda rng: ((4, 3), {}),
    "simulate.takeover": lambda rng: ((5, (20, 20)), {}),
    "simulate.unbalanced": lambda rng: ((5, (20, 20)), {}),
    "simulate.winner_effect": lambda rng: (([50.0, 100.0],), {}),
    "sport.AdaptiveRater": lambda rng: ((), {}),
    "sport.FieldRater": lambda rng: ((), {}),
    "sport.GlickoRater": lambda rng: ((), {"version": pick(rng, [1, 2])}),
    "sport.audit_votes": lambda rng: ((po.bradley_terry(votes()),), {}),
    "sport.bracket": lambda rng: ((_ratings(rng), ["Abe", "Bo", "Cy", "Di"]), {}),
    "sport.chances_from_odds": lambda rng: (([[1.8, 3.5, 4.0]],), {}),
    "sport.finish_chances": lambda rng: ((result("season"),), {"first": 1, "last": (2, 3)}),
    "sport.home_advantages": lambda rng: ((po.elo(games()),), {}),
    "sport.outside_forecast": lambda rng: ((games(),), {"odds": {"home": "oh", "away": "oa"}}),
    "sport.plackett_luce": lambda rng: (
        ({"order": ["Ada > Bo > Cy", "Bo > Cy > Ada", "Cy > Ada > Bo"]},),
        {},
    ),
    "sport.read_fields": lambda rng: (
        ({"contest": [1, 1, 2, 2], "individual": ["a", "b", "b", "a"], "place": [1, 2, 1, 2]},),
        {},
    ),
    "sport.simulate_season": lambda rng: ((_ratings(rng),), {"fixtures": FIXTURES}),
    "steepness_difference": lambda rng: ((result("steepness_bayes"),) * 2, {}),
    "study": lambda rng: ((two_groups(),), {"by": "group", "measures": ["davids_score"]}),
    "visit_gaps": lambda rng: ((visits(rng),), {}),
    "without": lambda rng: ((record(rng),), {"individuals": ["Di"], "method": "ml"}),
}
OF_STUDY = {"measure": "linearity", "value": "h"}


@cache
def public() -> dict[str, Callable]:
    """All public functions by name."""
    found = {name: getattr(po, name) for name in po._HOMES}
    for group, home in po._GROUPS.items():
        module = import_module(home)
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        found |= {f"{group}.{name}": getattr(module, name) for name in names}
    return {
        name: one
        for name, one in found.items()
        if callable(one)
        and name not in MADE
        and not (inspect.isclass(one) and issubclass(one, Exception))
    }


def fitting(rng, name: str) -> tuple[tuple, dict]:
    """Arguments that fit a function."""
    if name in GIVEN:
        return GIVEN[name](rng)
    first = next(iter(inspect.signature(public()[name]).parameters), None)
    if first is None:
        return (), {}
    assert first in ("data", "ratings", "found"), f"GIVEN has no arguments of {name}({first}, …)"
    return ((_ratings if first == "ratings" else record)(rng),), {}


def values_of(parameter: inspect.Parameter) -> list:
    """Values that an argument states that it takes."""
    stated = str(parameter.annotation)
    values = [
        v
        for part in re.findall(r"Literal\[([^]]*)\]", stated)
        for v in ast.literal_eval(f"[{part}]")
    ]
    if "bool" in stated:
        values += [True, False]
    return values + {"level": [0.5, 0.8], "k": [20, 200], "min_contests": [1, 2]}.get(
        parameter.name, []
    )


def small(name: str) -> dict:
    """Small budgets of a function."""
    if name in ("steepness_bayes", "simulate.like"):  # which take them for another method only
        return {"seed": 1, "threads": 1}
    # With 12 resamples a model has no limits at 95%.
    return calls.SMALL | ({"runs": 60} if name == "compare_models" else {})


def call_any(rng) -> None:
    """A public function with arguments that fit; one in three with one that may not."""
    names = sorted(public())
    name = pick(rng, names)
    if name.startswith(("plot.", "papers.")) or (name in SLOW and maybe(rng, 0.7)):
        name = pick(rng, names)  # drawn less often, because they take longer
    function = public()[name]
    given, more = fitting(rng, name)
    parameters = inspect.signature(function).parameters
    settings = {n: v for n, v in small(name).items() if n in parameters} | more
    named = [p for p in parameters.values() if p.kind == p.KEYWORD_ONLY and p.name not in KEPT]
    for parameter in [pick(rng, named) for _ in range(pick(rng, (0, 1, 1, 2)) if named else 0)]:
        if values := values_of(parameter):
            settings[parameter.name] = pick(rng, values)
    if named and maybe(rng, 0.33):
        settings[pick(rng, named).name] = pick(rng, ODD_VALUES)
    found = function(*given, **settings)
    look(rng, found)
    calls.close_figures()


SLOW = (
    *("elo_bayes", "steepness_bayes", "steepness_difference", "compare", "tune", "recovery"),
    *("power", "report", "study", "change_points", "questions.multiverse", "questions.fragility"),
    *("questions.stress", "orders.repeatability", "orders.splitting", "likelihood_surface"),
)
KEPT = (*calls.SMALL, "progress", "executor", "folder", "ax")
NEEDED = {
    **dict.fromkeys(("a", "individual", "name", "winner"), lambda rng: pick(rng, ("Abe", "Bo"))),
    **dict.fromkeys(("b", "other", "loser"), lambda rng: pick(rng, ("Cy", "Di"))),
    **dict.fromkeys(("at", "date", "since", "until"), lambda rng: pick(rng, (None, *DATES))),
    "path": lambda rng: f"saved.{pick(rng, ('csv', 'json', 'xlsx', 'parquet'))}",
    "level": lambda rng: 0.8,
    "where": lambda rng: "winner = 'Abe'",
}


def look(rng, found) -> None:
    """Look at a result: its numbers are finite, and some of its methods work."""
    repr(found), str(found)
    if isinstance(found, tuple | list):
        for part in found:
            look(rng, part)
    if getattr(found, "method", "") == "reproduce":  # papers print infinite values of k
        return
    note = " ".join(getattr(found, "summary", None) or ())
    numbers = getattr(found, "values", None)
    if isinstance(numbers, Mapping):
        refuse_not_finite(numbers, note)
    for name in ("table", "history"):
        with contextlib.suppress(po.PeckorderError):  # a forecast of others has no table
            table = getattr(found, name, None) if name == "table" or maybe(rng, 0.2) else None
            if isinstance(table, pl.DataFrame):
                refuse_not_finite(table.to_dict(as_series=False), note)
    if not type(found).__module__.startswith("peckorder"):
        return
    for name in [n for n in dir(type(found)) if n[0] != "_" and maybe(rng, 0.1)]:
        try:
            part = getattr(found, name)
        except (po.PeckorderError, NoSuchName):  # with these arguments it is not computed
            continue
        if not inspect.ismethod(part) or name in ("plot", "clip"):
            continue
        needed = [
            p.name
            for p in inspect.signature(part).parameters.values()
            if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ]
        if all(one in NEEDED for one in needed):
            try:
                part(**{one: NEEDED[one](rng) for one in needed})
            except po.PeckorderError:
                continue
    for path in Path().glob("saved.*"):
        path.unlink()


NOTED = re.compile(
    r"not identifiable|unbounded|infinite|not available|cannot be|no interval|always|never"
)


def refuse_not_finite(numbers, note: str, where: str = "") -> None:
    """Raise an error at nan or infinity in numbers, unless the summary says why."""
    if isinstance(numbers, Mapping):
        for name, part in numbers.items():
            refuse_not_finite(part, note, f"{where}.{name}")
    elif isinstance(numbers, list | tuple | np.ndarray):
        for part in numbers:
            refuse_not_finite(part, note, where)
    elif isinstance(numbers, float | np.floating) and not math.isfinite(numbers):
        assert NOTED.search(note), (
            f"{where[1:]} is {numbers}, and the summary does not say why: {note!r}"
        )
