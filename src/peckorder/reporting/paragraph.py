"""A paragraph for a methods section."""

from __future__ import annotations

from typing import Any

from peckorder.citation import REFERENCES, SHORT, SOFTWARE, VERSION
from peckorder.methods import METHODS, label
from peckorder.reporting.analysis import Analysis, description
from peckorder.wording import listed

ADAPTIVE = label("adaptive")
TIES = {
    "omit": "omitted",
    "half": "counted as half a win for each individual",
    "both": "counted as a win for each individual",
}


def paragraph(found: Analysis) -> str:
    """What was done, with version, seed and short references."""
    sentences = [
        f"We analyzed {description(found.data)}, with peckorder {VERSION} (seed "
        f"{found.seed}, data {found.data.hash})",
        *_ratings(found),
        *_structure(found),
    ]
    drawn = found.data.draw is not None and bool(found.data.draw.any())
    if drawn:
        rules = [f"{TIES[found.settings['ties']]} in methods based on the win matrix"]
        if found.elo is not None or found.randomized is not None:
            rules.append("counted as half a win in Elo ratings")
        if found.posterior is not None or found.dynamic is not None:
            rules.append("modeled after Davidson (1970) in posteriors of ratings")
        if found.steepness_bayes is not None:
            rules.append("omitted from the posterior of steepness")
        sentences.append(f"Ties were {listed(rules)}")
    if found.data.presence is not None:
        sentences.append("The presence of individuals over time was taken into account")
    ranked, methods = METHODS[found.ranking.method].ranks, found.ranking.settings.get("methods", [])
    sentences.append(f"Ranks are those of {label(methods[0])}" if len(methods) == 1 else ranked)
    return ". ".join(sentences) + "."


def references(found: Analysis) -> list[str]:
    """Every paper behind the results, once, and the software."""
    keys: dict[str, None] = {}
    for result in vars(found).values():
        keys |= dict.fromkeys(getattr(result, "citations", ()))
    papers = sorted((REFERENCES[key] for key in keys), key=str.casefold)
    return [*papers, SOFTWARE]


def _ratings(found: Analysis) -> list[str]:
    out = []
    if found.elo is not None:
        given = found.elo.settings
        out.append(
            f"Elo ratings started at {given['start']:g} and were updated with k = {_k(given['k'])} "
            f"and a {given['curve']} curve ({SHORT['albers2001']})"
        )
    if found.dynamic is not None:
        out.append(
            "Ratings and ranks with credible intervals are those of dynamic ratings, a posterior "
            "that averages Gaussian filters with static and drifting ratings by their evidence"
        )
    if found.adaptive is not None and found.prediction is not None:
        others = [name for name in found.prediction.as_polars()["model"] if name != ADAPTIVE]
        out.append(
            f"Predictions of each contest from those before it were compared by log score between "
            f"{ADAPTIVE}, which average Gaussian filters and Elo ratings by how well each "
            f"predicted so far ({SHORT['herbster1998']}), and {listed(others)}"
        )
    if found.posterior is not None:
        given = found.posterior.settings
        out.append(
            f"The posterior distribution of Elo ratings was sampled with {given['chains']} chains "
            f"of {given['samples']:,} draws after {given['warmup']:,} warm-up draws "
            f"({SHORT['goffe2018']})"
        )
        out.append(
            f"The priors of k and σ were half-normal with scales {given['prior_k']:g} and "
            f"{given['prior_sigma']:g}; the largest R̂ was "
            f"{found.posterior.values['rhat_max']:.3f}"
        )
    if found.randomized is not None:
        runs = found.randomized.values["runs"]
        out.append(
            f"Elo ratings were averaged over {runs:,} random orders of the contests "
            f"({SHORT['sanchez2018']})"
        )
    methods = [] if found.compared is None else found.compared.settings["methods"]
    orders = [
        f"{label(name)} ({SHORT[METHODS[name].citations[0]]})"
        for name in methods
        if name not in ("elo", "randomized_elo")
    ]
    if orders:
        out.append(f"Rank orders were computed with {listed(orders)}")
    return out


def _structure(found: Analysis) -> list[str]:
    out, runs = [], f"{found.settings['runs']:,}"
    if found.steepness is not None:
        out.append(
            f"Steepness is the slope of normalized David's scores (D_ij) on ranks and was tested "
            f"against {runs} randomized matrices ({SHORT['devries2006']})"
        )
    if found.steepness_bayes is not None:
        out.append(
            f"Posterior steepness was estimated from summed winning probabilities "
            f"({SHORT['neumann2023']})"
        )
    tests = []
    if found.linearity is not None:
        exact = (
            "with an exact test"
            if found.linearity.values["exact"]
            else f"with {runs} randomizations"
        )
        tests.append(f"linearity {exact} ({SHORT['devries1995']})")
    if found.transitivity is not None:
        tests.append(f"transitivity of triads ({SHORT['shizuka2012']})")
    if found.consistency is not None:
        tests.append(f"directional consistency ({SHORT['vanhooff1987']})")
    if tests:
        out.append(f"We tested {listed(tests)}")
    if found.stability is not None:
        step = "contest to contest" if found.data.date is None else "day to day"
        out.append(f"Stability of Elo ranks was measured from {step} ({SHORT['neumann2011']})")
    return out


def _k(k: Any) -> str:
    if isinstance(k, dict):
        return ", ".join(f"{value:g} ({name})" for name, value in k.items())
    if isinstance(k, list | tuple):
        return " and ".join(f"{value:g}" for value in k) + " (winner and loser)"
    return f"{k:g}" if isinstance(k, int | float) else str(k)
