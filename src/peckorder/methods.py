"""One table of methods: how each is called, what it is, whom to cite, what to keep in mind.

Tables, figures, the report, the shell and citations all take their words from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method under the name of its verb.

    Attributes
    ----------
    name : the verb, as in `peckorder.davids_score`
    label : its short name in tables and figures
    title : what its result is called at the start of a sentence
    citations : keys of the papers behind it, the first one leading
    sentence : for raters, how a methods section begins ("{}" stands for the individuals)
    ranks : for methods that rank, what their ranks are
    caveat : for measures, what to keep in mind when reading the value
    doing : what a progress line says while it runs
    """

    name: str
    label: str
    title: str
    citations: tuple[str, ...] = ()
    sentence: str = ""
    ranks: str = ""
    caveat: str = ""
    doing: str = ""


_TABLE = (
    # -- raters
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
    # -- rank orders
    Method(
        "randomized_elo",
        "randomized Elo",
        "Elo ratings over random orders of contests",
        ("sanchez2018",),
        ranks="Ranks are means over the random orders",
    ),
    Method("davids_score", "David's score", "David's scores", ("devries2006", "david1987")),
    Method("isi", "I&SI", "I&SI order", ("devries1998",)),
    Method("bradley_terry", "Bradley–Terry", "Bradley–Terry abilities", ("bradley1952",)),
    Method("indices", "simple indices", "Simple indices of dominance", ("cluttonbrock1979",)),
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
        caveat="With few contests per dyad it is too low for a steep hierarchy and too high for a "
        "flat one.",
    ),
    Method(
        "steepness_bayes",
        "Steepness (posterior)",
        "Posterior steepness",
        ("neumann2023", "goffe2018"),
        ranks="Ranks are those of the summed winning probabilities over the posterior",
        caveat="Assumes Elo's model of winning; depends on the prior where data are few.",
        doing="sampling the posterior",
    ),
    Method(
        "linearity",
        "Linearity h′",
        "Linearity",
        ("landau1951", "devries1995", "appleby1983"),
        caveat="Unknown dyads are filled in at random, which moves the value toward chance.",
    ),
    Method(
        "transitivity",
        "Transitivity ttri",
        "Transitivity of triads",
        ("shizuka2012",),
        caveat="Counts only triads whose three dyads all met; unreliable when these are few.",
    ),
    Method(
        "consistency",
        "Directional consistency",
        "Directional consistency",
        ("vanhooff1987", "leiva2008"),
        caveat="Dyads that met once are consistent by definition, so few contests inflate it.",
    ),
    Method(
        "stability",
        "Stability",
        "Stability",
        ("neumann2011", "mcdonald2013"),
        caveat="Depends on k: large steps of the ratings look like changes of rank. Its p is that "
        "of the order-dependence test.",
    ),
    Method(
        "hierarchy_shape",
        "Shape",
        "Shape of the hierarchy",
        ("sanchez2018",),
        caveat="The same contests determine and test the ranks, so the shares are too high.",
    ),
    Method(
        "order_test",
        "Order dependence",
        "Order-dependence test",
        ("besag1989",),
        caveat="Outcomes that depend on each other within a bout give false alarms: collapse bouts.",
    ),
    Method("unknown_dyads", "Unknown dyads", "Unknown dyads", ("devries1995", "devries2006")),
    # -- evaluation and simulation
    Method("evaluate", "evaluation", "Evaluation of ratings", ("langville2012",)),
    Method("calibration", "calibration", "Calibration"),
    Method("compare_models", "comparison of raters", "Comparison of raters", ("langville2012",)),
    Method("home_advantages", "home advantages", "Home advantages", ("langville2012",)),
    Method("simulate_season", "season", "Simulated seasons", ("langville2012",)),
    Method("tune", "tuning", "Settings tuned by predictive accuracy", ("langville2012",)),
    Method("win_share", "win shares", "Ratings beside shares of wins", ("langville2012",)),
    Method("areas", "areas", "Areas under trajectories", ("langville2012",)),
    Method("predict", "predictions", "Predicted contests", ("langville2012",)),
    Method("without", "exclusion", "Fit without some individuals", ("goffe2018",), doing="fitting"),
    Method("recovery", "recovery", "Recovery of ranks from simulated records", ("goffe2018",)),
    Method("power", "power", "Errors of a planned study", ("goffe2018",)),
    Method("rank_error", "rank error", "Error of ranks against a known truth", ("goffe2018",)),
    Method("self_organizing", "model", "Self-organizing hierarchies", ("albers2001",)),
    Method("winner_effect", "winner effect", "Winner and loser effects", ("albers2001",)),
)
METHODS = {method.name: method for method in _TABLE}


def label(name: str) -> str:
    """The short name of a method in tables and figures."""
    return METHODS[name].label


def title(name: str) -> str:
    """What the result of a method is called at the start of a sentence."""
    return METHODS[name].title if name in METHODS else name.replace("_", " ").capitalize()


def doing(name: str) -> str:
    """What a progress line says while a method runs."""
    found = METHODS.get(name)
    return found.doing if found and found.doing else name.replace("_", " ")
