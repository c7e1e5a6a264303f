"""The table of methods: names, labels, citations and caveats.

Tables, figures, the report, the command line and citations all use the texts defined here.

Citations: the software and the papers in which each method was published.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import MethodType
from typing import Any


@dataclass(frozen=True)
class Method:
    """A method, identified by the name of its function."""

    name: str  # the function, as in `peckorder.davids_score`
    label: str  # short name for tables and figures
    title: str  # name of the result at the start of a sentence
    citations: tuple[str, ...] = ()  # keys of the papers to cite, the main one first
    # for rating methods, the opening of a methods section ("{}": the individuals)
    sentence: str = ""
    ranks: str = ""  # for ranking methods, how ranks are defined
    caveat: str = ""  # a limitation to consider when interpreting the result
    doing: str = ""  # label of the progress bar


_TABLE = (
    # -- rating methods
    Method(
        "elo",
        "Elo",
        "Elo ratings",
        ("albers2001",),
        "Elo ratings of {} were computed",
        "Ranks are those of the final Elo ratings",
    ),
    Method(
        "elo_ml",
        "Elo (ML)",
        "Elo ratings by maximum likelihood",
        ("foerster2016",),
        "Elo ratings of {} were estimated by maximum likelihood",
        "Ranks are those of the maximum-likelihood ratings",
    ),
    Method(
        "elo_bayes",
        "Bayesian Elo",
        "Bayesian Elo ratings",
        ("goffe2018",),
        "The posterior distribution of the Elo ratings of {} was sampled",
        "Ranks are those of the posterior means",
        doing="sampling the posterior",
    ),
    Method(
        "dynamic",
        "dynamic ratings",
        "Dynamic ratings",
        (),
        "The posterior distribution of the ratings of {} was computed by averaged Gaussian filters",
        "Ranks are those of the posterior means",
    ),
    Method(
        "adaptive",
        "adaptive ratings",
        "Adaptive ratings",
        ("herbster1998",),
        "Adaptive ratings of {} (Gaussian filters and Elo ratings averaged by how well each "
        "predicted the contests so far) were computed",
        "Ranks are those of the mean ratings after the last contest",
        caveat="Made to predict the next contest. Where the structure of the data forces the next "
        "outcome, as in feeder visits, good prediction is no evidence of dominance.",
    ),
    Method(
        "glicko",
        "Glicko",
        "Glicko ratings",
        ("glickman1999",),
        "Glicko ratings of {} were computed",
        "Ranks are those of the final Glicko ratings",
    ),
    Method(
        "glicko2",
        "Glicko-2",
        "Glicko-2 ratings",
        ("glickman2001",),
        "Glicko-2 ratings of {} were computed",
        "Ranks are those of the final Glicko-2 ratings",
    ),
    Method(
        "outside_forecast",
        "outside forecast",
        "Outside forecast",
        sentence="Outside forecasts of contests among {} were used",
    ),
    # -- rank orders
    Method(
        "randomized_elo",
        "randomized Elo",
        "Randomized Elo ratings",
        ("sanchez2018",),
        ranks="Ranks are means over the random orders",
    ),
    Method("davids_score", "David's score", "David's scores", ("devries2006", "david1987")),
    Method("isi", "I&SI", "I&SI order", ("devries1998",)),
    Method("bradley_terry", "Bradley–Terry", "Bradley–Terry abilities", ("bradley1952",)),
    Method(
        "plackett_luce",
        "Plackett–Luce",
        "Plackett–Luce abilities",
        ("plackett1975", "turner2020"),
        caveat="Sides of one contest are assumed to be ordered by chance around their strengths, "
        "independently of other contests.",
    ),
    Method(
        "audit_votes",
        "vote audit",
        "Voters who disagree with a leaderboard",
        ("bradley1952",),
        caveat="Voters who differ from the others may have another taste.",
    ),
    Method("indices", "simple indices", "Simple indices of dominance", ("cluttonbrock1979",)),
    Method(
        "adagio",
        "ADAGIO",
        "ADAGIO hierarchy",
        ("douglas2017",),
        ranks="Ranks are those of the levels, ties averaged",
        caveat="Cycles are broken at their weakest edges; with few contests per dyad, single wins "
        "decide which remain.",
    ),
    Method(
        "percolation",
        "percolation",
        "Percolation and conductance",
        ("fushing2011", "fujii2021"),
        caveat="Indirect wins are informative only if dominance is transitive; certainty of an "
        "imputed dyad assumes it.",
        doing="ordering by percolation",
    ),
    Method(
        "dominance_value",
        "dominance value",
        "Dominance values",
        ("kondo1990",),
        caveat="Dyads without contests count as 0, so values depend on how many dyads were "
        "observed.",
    ),
    Method("network", "network", "Dominance network", ("shizuka2012",)),
    Method(
        "skew",
        "skew",
        "Skew of benefits",
        ("nonacs2000", "kokko1997"),
        caveat="Compare groups of similar size and number of benefits.",
    ),
    Method(
        "matrix_correlation",
        "matrix correlation",
        "Correlation of a matrix with ranks",
        ("devries1993", "hemelrijk1990", "mantel1967"),
        caveat="Ranks are treated as known.",
    ),
    Method(
        "period_ranks",
        "period ranks",
        "Ranks over study periods",
        ("strauss2019",),
        caveat="Ranks of newcomers, and of individuals without contests in a period, rest on the "
        "convention and on earlier periods.",
    ),
    Method(
        "compare",
        "comparison",
        "Comparison of rank orders",
        ("bonett2000",),
        ranks="Ranks are means over the methods",
    ),
    # -- measures of structure
    Method(
        "steepness",
        "Steepness",
        "Steepness",
        ("devries2006",),
        caveat="With few contests per dyad, steepness is underestimated in steep hierarchies and "
        "overestimated in shallow ones.",
    ),
    Method(
        "steepness_bayes",
        "Steepness (posterior)",
        "Posterior steepness",
        ("neumann2023",),
        ranks="Ranks are those of the summed winning probabilities over the posterior",
        caveat="Assumes ratings that do not change. Positive even if all individuals are equal: "
        "compare it with the value that fair coins would give.",
        doing="fitting fair coins",
    ),
    Method(
        "linearity",
        "Linearity h′",
        "Linearity",
        ("landau1951", "devries1995", "appleby1983"),
        caveat="Unknown dyads are filled in at random, which biases the value toward chance.",
    ),
    Method(
        "transitivity",
        "Transitivity ttri",
        "Transitivity of triads",
        ("shizuka2012",),
        caveat="Based only on triads in which all three dyads interacted; unreliable if there "
        "are few.",
    ),
    Method(
        "consistency",
        "Directional consistency",
        "Directional consistency",
        ("vanhooff1987", "leiva2008"),
        caveat="Dyads with a single contest are consistent by definition, so sparse data inflate "
        "it.",
    ),
    Method(
        "stability",
        "Stability",
        "Stability",
        ("neumann2011", "mcdonald2013"),
        caveat="Depends on k: a large k inflates the apparent number of rank changes. The p-value "
        "is that of the order-dependence test.",
    ),
    Method(
        "hierarchy_shape",
        "Shape",
        "Shape of the hierarchy",
        ("sanchez2018",),
        caveat="The same contests determine the ranks and are compared with them, so the shares "
        "are too high.",
    ),
    Method(
        "dominance_style",
        "Dominance style",
        "Linearity and steepness together",
        ("devries2006", "devries1995"),
        caveat="The published groups are few and no sample of any population; few contests per "
        "dyad make a group look egalitarian.",
    ),
    Method(
        "order_test",
        "Order dependence",
        "Order-dependence test",
        ("besag1989",),
        caveat="Dependent outcomes within a bout cause false alarms: collapse bouts.",
    ),
    Method(
        "displacements",
        "displacements",
        "Displacements at feeders",
        ("huzzey2014", "oreilly2024"),
        caveat="Outcomes at a place depend on each other: whoever replaced the last visitor is the "
        "next to be replaced.",
    ),
    Method(
        "visit_gaps",
        "gaps between visits",
        "Gaps between visits",
        ("huzzey2014", "oreilly2024"),
        caveat="A threshold from another species or device need not apply: compare displacements "
        "with observations of some visits.",
    ),
    Method("unknown_dyads", "Unknown dyads", "Unknown dyads", ("devries1995", "devries2006")),
    Method(
        "change_points",
        "change points",
        "Dates of change",
        caveat="A takeover by one individual is found less often than a reshuffle.",
    ),
    Method("explain", "explanation", "Explanation of one contest", ("albers2001",)),
    Method("reproduce", "published numbers", "Published numbers, recomputed"),
    Method("over_time", "measure over time", "Measure over moving windows"),
    Method("study", "study", "Study of many groups", doing="computing groups"),
    Method("pooled", "pooled estimate", "Pooled estimate over groups"),
    # -- evaluation and simulation
    Method("evaluate", "evaluation", "Evaluation of ratings", ("langville2012",)),
    Method("calibration", "calibration", "Calibration"),
    Method(
        "compare_models",
        "comparison of rating methods",
        "Comparison of rating methods",
        ("langville2012",),
    ),
    Method("home_advantages", "home advantages", "Home advantages", ("langville2012",)),
    Method("simulate_season", "season", "Simulated seasons", ("langville2012",)),
    Method("tune", "tuning", "Settings tuned by predictive accuracy", ("langville2012",)),
    Method(
        "likelihood_surface", "likelihood surface", "Likelihood of Elo settings", ("foerster2016",)
    ),
    Method("win_share", "win shares", "Ratings and win proportions", ("langville2012",)),
    Method("areas", "areas", "Areas under trajectories", ("langville2012",)),
    Method("predict", "predictions", "Predicted contests", ("langville2012",)),
    Method("without", "exclusion", "Fit without some individuals", ("goffe2018",), doing="fitting"),
    Method("recovery", "recovery", "Recovery of ranks from simulated data", ("goffe2018",)),
    Method("power", "power", "Contests that a planned study needs", ("goffe2018",)),
    Method(
        "multiverse",
        "multiverse",
        "Analyses in which a claim holds",
        ("steegen2016", "simonsohn2020"),
        caveat="Analyses share their data: agreement is not evidence.",
        doing="analyzing in all ways",
    ),
    Method(
        "stress",
        "stress test",
        "Whether the record would have shown a change",
        caveat="Strengths are those of a group without change.",
        doing="simulating events",
    ),
    Method(
        "next_pairs",
        "next dyads",
        "Dyads to observe next",
        caveat="Contests that were chosen bias steepness and linearity.",
        doing="choosing dyads",
    ),
    Method(
        "rank_error", "rank error", "Errors of ranks relative to the true ranks", ("goffe2018",)
    ),
    Method(
        "settling", "settling", "Contest from which on the order can be relied on", ("albers2001",)
    ),
    Method("self_organizing", "model", "Self-organizing hierarchies", ("albers2001",)),
    Method("winner_effect", "winner effect", "Winner and loser effects", ("albers2001",)),
)
METHODS = {method.name: method for method in _TABLE}


def label(name: str) -> str:
    """The short name of a method in tables and figures."""
    return METHODS[name].label


def title(name: str) -> str:
    """The name of a method's result at the start of a sentence."""
    return METHODS[name].title if name in METHODS else name.replace("_", " ").capitalize()


def doing(name: str) -> str:
    """The label of the progress bar of a method."""
    found = METHODS.get(name)
    return found.doing if found and found.doing else name.replace("_", " ")


def function(name: str) -> Callable[..., Any]:
    """The public function or method of this name, imported when it is first asked for."""
    package = import_module("peckorder")
    for place in (
        package,
        package.orders,
        package.sport,
        package.questions,
        package.Contests,
        package.Posterior,
    ):
        found = getattr(place, name, None)
        if callable(found):
            return found
    raise KeyError(name)


class Later:
    """A method that is a function of a module above its class, imported when it is first used.

    >>> class Pair:
    ...     gcd = Later("math")
    >>> Pair.gcd(4, 6)
    2
    """

    def __init__(self, module: str):
        self.module, self.name = module, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        found = getattr(import_module(self.module), self.name)
        return found if instance is None else MethodType(found, instance)


VERSION = version("peckorder")
SOFTWARE = f"peckorder {VERSION}: who outranks whom, and how sure are we? Python package, 2026."
# One line each: the key and the reference, as `cite` prints it.
_LINES = Path(__file__).with_name("references.txt").read_text(encoding="utf-8").splitlines()
REFERENCES = dict(line.split(": ", 1) for line in _LINES)


def short(key: str) -> str:
    """A reference within a sentence: its authors and year.

    >>> short("albers2001"), short("devries2006")
    ('Albers & de Vries 2001', 'de Vries et al. 2006')
    """
    authors, year = re.split(r"(?<=[.]) (?=\d{4}[.])", REFERENCES[key])
    first, *others = (name.split(", ")[0] for name in re.split(r"(?<=[.]), | & ", authors))
    more = f" & {others[0]}" if len(others) == 1 else " et al." * bool(others)
    return f"{first}{more} {year[:4]}"
