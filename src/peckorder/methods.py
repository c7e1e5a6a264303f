"""The table of methods: names, labels, citations and caveats.

Tables, figures, the report, the command line and citations all use the texts defined here.

Citations: the software and the papers in which each method was published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
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
REFERENCES = {
    "albers2001": "Albers, P. C. H. & de Vries, H. 2001. Elo-rating as a tool in the sequential "
    "estimation of dominance strengths. Animal Behaviour 61, 489–495. doi:10.1006/anbe.2000.1571",
    "langville2012": "Langville, A. N. & Meyer, C. D. 2012. Who's #1? The Science of Rating and "
    "Ranking, chapter 5. Princeton University Press.",
    "devries1993": "de Vries, H. 1993. The rowwise correlation between two proximity matrices and "
    "the partial rowwise correlation. Psychometrika 58, 53–69. doi:10.1007/BF02294470",
    "hemelrijk1990": "Hemelrijk, C. K. 1990. A matrix partial correlation test used in "
    "investigations of reciprocity and other social interaction patterns at group level. Journal "
    "of Theoretical Biology 143, 405–420.",
    "kokko1997": "Kokko, H. & Lindström, J. 1997. Measuring the mating skew. The American "
    "Naturalist 149, 794–799.",
    "mantel1967": "Mantel, N. 1967. The detection of disease clustering and a generalized "
    "regression approach. Cancer Research 27, 209–220.",
    "nonacs2000": "Nonacs, P. 2000. Measuring and using skew in the study of social behavior and "
    "evolution. The American Naturalist 156, 577–589.",
    "appleby1983": "Appleby, M. C. 1983. The probability of linearity in hierarchies. Animal "
    "Behaviour 31, 600–608. doi:10.1016/S0003-3472(83)80084-0",
    "besag1989": "Besag, J. & Clifford, P. 1989. Generalized Monte Carlo significance tests. "
    "Biometrika 76, 633–642. doi:10.1093/biomet/76.4.633",
    "besag1991": "Besag, J. & Clifford, P. 1991. Sequential Monte Carlo p-values. Biometrika 78, "
    "301–304. doi:10.1093/biomet/78.2.301",
    "bonett2000": "Bonett, D. G. & Wright, T. A. 2000. Sample size requirements for estimating "
    "Pearson, Kendall and Spearman correlations. Psychometrika 65, 23–28. doi:10.1007/BF02294183",
    "bradley1952": "Bradley, R. A. & Terry, M. E. 1952. Rank analysis of incomplete block designs: "
    "I. The method of paired comparisons. Biometrika 39, 324–345. doi:10.2307/2334029",
    "broderick2020": "Broderick, T., Giordano, R. & Meager, R. 2020. An automatic finite-sample "
    "robustness metric: when can dropping a little data make a big difference? arXiv:2011.14999",
    "huang2025": "Huang, J. Y., Shen, Y., Wei, D. & Broderick, T. 2025. Dropping just a handful of "
    "preferences can change top large language model rankings. arXiv:2508.11847",
    "burkner2020": "Bürkner, P.-C., Gabry, J. & Vehtari, A. 2020. Approximate leave-future-out "
    "cross-validation for Bayesian time series models. Journal of Statistical Computation and "
    "Simulation 90, 2499–2523. doi:10.1080/00949655.2020.1783262",
    "cluttonbrock1979": "Clutton-Brock, T. H., Albon, S. D., Gibson, R. M. & Guinness, F. E. 1979. "
    "The logical stag: adaptive aspects of fighting in red deer (Cervus elaphus L.). Animal "
    "Behaviour 27, 211–225. doi:10.1016/0003-3472(79)90141-6",
    "david1987": "David, H. A. 1987. Ranking from unbalanced paired-comparison data. Biometrika "
    "74, 432–436. doi:10.1093/biomet/74.2.432",
    "davidson1970": "Davidson, R. R. 1970. On extending the Bradley–Terry model to accommodate "
    "ties in paired comparison experiments. Journal of the American Statistical Association 65, "
    "317–328. doi:10.1080/01621459.1970.10481082",
    "davison1997": "Davison, A. C. & Hinkley, D. V. 1997. Bootstrap Methods and their "
    "Application. Cambridge University Press. doi:10.1017/CBO9780511802843",
    "devries1995": "de Vries, H. 1995. An improved test of linearity in dominance hierarchies "
    "containing unknown or tied relationships. Animal Behaviour 50, 1375–1389. "
    "doi:10.1016/0003-3472(95)80053-0",
    "devries1998": "de Vries, H. 1998. Finding a dominance order most consistent with a linear "
    "hierarchy: a new procedure and review. Animal Behaviour 55, 827–843. "
    "doi:10.1006/anbe.1997.0708",
    "devries2006": "de Vries, H., Stevens, J. M. G. & Vervaecke, H. 2006. Measuring and testing "
    "the steepness of dominance hierarchies. Animal Behaviour 71, 585–592. "
    "doi:10.1016/j.anbehav.2005.05.015",
    "douglas2017": "Douglas, P. H., Ngonga Ngomo, A.-C. & Hohmann, G. 2017. A novel approach for "
    "dominance assessment in gregarious species: ADAGIO. Animal Behaviour 123, 21–32. "
    "doi:10.1016/j.anbehav.2016.10.014",
    "foerster2016": "Foerster, S., Franz, M., Murray, C. M., Gilby, I. C., Feldblum, J. T., "
    "Walker, K. K. & Pusey, A. E. 2016. Chimpanzee females queue but males compete for social "
    "status. Scientific Reports 6, 35404. doi:10.1038/srep35404",
    "fujii2021": "Fujii, K., Jin, J., Vandeleest, J., Shev, A., Beisner, B., McCowan, B. & "
    "Fushing, H. 2021. Perc: using percolation and conductance to find information flow certainty "
    "in a direct network. R package version 0.1.6.",
    "fushing2011": "Fushing, H., McAssey, M. P., Beisner, B. & McCowan, B. 2011. Ranking network "
    "of a captive rhesus macaque society: a sophisticated corporative kingdom. PLoS ONE 6, e17817. "
    "doi:10.1371/journal.pone.0017817",
    "glickman1999": "Glickman, M. E. 1999. Parameter estimation in large dynamic paired comparison "
    "experiments. Applied Statistics 48, 377–394. doi:10.1111/1467-9876.00159",
    "glickman2001": "Glickman, M. E. 2001. Dynamic paired comparison models with stochastic "
    "variances. Journal of Applied Statistics 28, 673–689. doi:10.1080/02664760120059219",
    "goffe2018": "Goffe, A. S., Fischer, J. & Sennhenn-Reulen, H. 2018. Bayesian inference and "
    "simulation approaches improve the assessment of Elo-ratings in the analysis of social "
    "behaviour. Methods in Ecology and Evolution 9, 2131–2144. doi:10.1111/2041-210X.13072",
    "kondo1990": "Kondo, S. & Hurnik, J. F. 1990. Stabilization of social hierarchy in dairy cows. "
    "Applied Animal Behaviour Science 27, 287–297. doi:10.1016/0168-1591(90)90125-W",
    "landau1951": "Landau, H. G. 1951. On dominance relations and the structure of animal "
    "societies: I. Effect of inherent characteristics. Bulletin of Mathematical Biophysics 13, "
    "1–19. doi:10.1007/BF02478336",
    "leiva2008": "Leiva, D., Solanas, A. & Salafranca, L. 2008. Testing reciprocity in social "
    "interactions: a comparison between the directional consistency and skew-symmetry statistics. "
    "Behavior Research Methods 40, 626–634. doi:10.3758/BRM.40.2.626",
    "mcdonald2013": "McDonald, D. B. & Shizuka, D. 2013. Comparative transitive and temporal "
    "orderliness in dominance networks. Behavioral Ecology 24, 511–520. "
    "doi:10.1093/beheco/ars192",
    "neumann2011": "Neumann, C., Duboscq, J., Dubuc, C., Ginting, A., Irwan, A. M., Agil, M., "
    "Widdig, A. & Engelhardt, A. 2011. Assessing dominance hierarchies: validation and advantages "
    "of progressive evaluation with Elo-rating. Animal Behaviour 82, 911–921. "
    "doi:10.1016/j.anbehav.2011.07.016",
    "neumann2023": "Neumann, C. & Fischer, J. 2023. Extending Bayesian Elo-rating to quantify the "
    "steepness of dominance hierarchies. Methods in Ecology and Evolution 14, 669–682. "
    "doi:10.1111/2041-210X.14021",
    "plackett1975": "Plackett, R. L. 1975. The analysis of permutations. Applied Statistics 24, "
    "193–202. doi:10.2307/2346567",
    "sanchez2018": "Sánchez-Tójar, A., Schroeder, J. & Farine, D. R. 2018. A practical guide for "
    "inferring reliable dominance hierarchies and estimating their uncertainty. Journal of Animal "
    "Ecology 87, 594–608. doi:10.1111/1365-2656.12776",
    "simonsohn2020": "Simonsohn, U., Simmons, J. P. & Nelson, L. D. 2020. Specification curve "
    "analysis. Nature Human Behaviour 4, 1208–1214. doi:10.1038/s41562-020-0912-z",
    "steegen2016": "Steegen, S., Tuerlinckx, F., Gelman, A. & Vanpaemel, W. 2016. Increasing "
    "transparency through a multiverse analysis. Perspectives on Psychological Science 11, "
    "702–712. doi:10.1177/1745691616658637",
    "strauss2019": "Strauss, E. D. & Holekamp, K. E. 2019. Inferring longitudinal hierarchies: "
    "framework and methods for studying the dynamics of dominance. Journal of Animal Ecology 88, "
    "521–536. doi:10.1111/1365-2656.12951",
    "herbster1998": "Herbster, M. & Warmuth, M. K. 1998. Tracking the best expert. Machine "
    "Learning 32, 151–178. doi:10.1023/A:1007424614876",
    "huzzey2014": "Huzzey, J. M., Weary, D. M., Tiau, B. Y. F. & von Keyserlingk, M. A. G. 2014. "
    "Short communication: Automatic detection of social competition using an electronic feeding "
    "system. Journal of Dairy Science 97, 2953–2958. doi:10.3168/jds.2013-7434",
    "oreilly2024": "O'Reilly, K., Foris, B., Daigle, C. L. & Carstens, G. E. 2024. Development of "
    "an algorithm to detect feed bunk replacement events in growing cattle from feeding event data "
    "acquired by an electronic feed intake measurement system. Applied Animal Behaviour Science. "
    "doi:10.1016/j.applanim.2024.106350",
    "turner2020": "Turner, H. L., van Etten, J., Firth, D. & Kosmidis, I. 2020. Modelling rankings "
    "in R: the PlackettLuce package. Computational Statistics 35, 1027–1057. "
    "doi:10.1007/s00180-020-00959-3",
    "vehtari2017": "Vehtari, A., Gelman, A. & Gabry, J. 2017. Practical Bayesian model evaluation "
    "using leave-one-out cross-validation and WAIC. Statistics and Computing 27, 1413–1432. "
    "doi:10.1007/s11222-016-9696-4",
    "vanhooff1987": "van Hooff, J. A. R. A. M. & Wensing, J. A. B. 1987. Dominance and its "
    "behavioral measures in a captive wolf pack. In: Man and Wolf (ed. H. Frank), 219–252. Junk.",
    "shizuka2012": "Shizuka, D. & McDonald, D. B. 2012. A social network perspective on "
    "measurements of dominance hierarchies. Animal Behaviour 83, 925–934. "
    "doi:10.1016/j.anbehav.2012.01.011",
}
# Short form for use within a sentence.
SHORT = {
    "devries1993": "de Vries 1993",
    "hemelrijk1990": "Hemelrijk 1990",
    "kokko1997": "Kokko & Lindström 1997",
    "mantel1967": "Mantel 1967",
    "nonacs2000": "Nonacs 2000",
    "albers2001": "Albers & de Vries 2001",
    "goffe2018": "Goffe et al. 2018",
    "sanchez2018": "Sánchez-Tójar et al. 2018",
    "herbster1998": "Herbster & Warmuth 1998",
    "devries2006": "de Vries et al. 2006",
    "neumann2023": "Neumann & Fischer 2023",
    "devries1995": "de Vries 1995",
    "shizuka2012": "Shizuka & McDonald 2012",
    "vanhooff1987": "van Hooff & Wensing 1987",
    "neumann2011": "Neumann et al. 2011",
    "devries1998": "de Vries 1998",
    "bradley1952": "Bradley & Terry 1952",
    "douglas2017": "Douglas et al. 2017",
    "fushing2011": "Fushing et al. 2011",
    "kondo1990": "Kondo & Hurnik 1990",
    "strauss2019": "Strauss & Holekamp 2019",
}
