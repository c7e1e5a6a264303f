"""A paragraph for a methods section, from what was done."""

from __future__ import annotations

from typing import Any

from peckorder import citation
from peckorder.citation import SHORT
from peckorder.methods import METHODS, label
from peckorder.reporting.analysis import Analysis, told_of
from peckorder.wording import listed

TIES = {"omit": "left out", "half": "counted as half a win each", "both": "counted as a win each"}


def paragraph(found: Analysis) -> str:
    """What was done, with versions, seed and references in short."""
    sentences = [
        f"We analysed {told_of(found.data)}, with peckorder {citation.VERSION} (seed {found.seed}, "
        f"data {found.data.hash})",
        *_ratings(found),
        *_structure(found),
    ]
    drawn = found.data.draw is not None and bool(found.data.draw.any())
    if drawn:
        rules = [f"{TIES[found.settings['ties']]} where methods work on a matrix of wins"]
        if found.elo is not None or found.randomized is not None:
            rules.append("counted as half a win by Elo")
        if found.posterior is not None:
            rules.append("modeled after Davidson (1970) in the posterior")
        if found.steepness_bayes is not None:
            rules.append("left out of the posterior of steepness")
        sentences.append(f"Draws were {listed(rules)}")
    if found.data.presence is not None:
        sentences.append("Who was present when was taken into account")
    ranked, methods = METHODS[found.ranking.method].ranks, found.ranking.settings.get("methods", [])
    sentences.append(f"Ranks are those of {label(methods[0])}" if len(methods) == 1 else ranked)
    return ". ".join(sentences) + "."


def references(found: Analysis) -> list[str]:
    """Every paper behind the results, once, and the software."""
    keys: dict[str, None] = {}
    for result in vars(found).values():
        keys |= dict.fromkeys(getattr(result, "citations", ()))
    papers = sorted((citation.REFERENCES[key] for key in keys), key=str.casefold)
    return [*papers, citation.SOFTWARE]


def _ratings(found: Analysis) -> list[str]:
    out = []
    if found.elo is not None:
        given = found.elo.settings
        out.append(
            f"Elo ratings started at {given['start']:g} and moved with k = {_k(given['k'])} along "
            f"a {given['curve']} curve ({SHORT['albers2001']})"
        )
    if found.posterior is not None:
        given = found.posterior.settings
        out.append(
            f"The posterior of Elo ratings was sampled with {given['chains']} chains of "
            f"{given['samples']:,} draws after {given['warmup']:,} of warm-up, with half-normal "
            f"priors of scale {given['prior_k']:g} for k and {given['prior_sigma']:g} for σ; the "
            f"largest R̂ was {found.posterior.values['rhat_max']:.3f} ({SHORT['goffe2018']})"
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
        if name in ("davids_score", "isi", "bradley_terry")
    ]
    if orders:
        out.append(f"Orders were found by {listed(orders)}")
    return out


def _structure(found: Analysis) -> list[str]:
    out, runs = [], f"{found.settings['runs']:,}"
    if found.steepness is not None:
        out.append(
            f"Steepness is the slope of normalized David's scores (D_ij) on ranks, tested against "
            f"{runs} random matrices ({SHORT['devries2006']})"
        )
    if found.steepness_bayes is not None:
        out.append(f"Its posterior was taken from summed chances to win ({SHORT['neumann2023']})")
    tests = []
    if found.linearity is not None:
        exact = "exactly" if found.linearity.values["exact"] else f"with {runs} randomizations"
        tests.append(f"linearity {exact} ({SHORT['devries1995']})")
    if found.transitivity is not None:
        tests.append(f"transitivity of triads ({SHORT['shizuka2012']})")
    if found.consistency is not None:
        tests.append(f"directional consistency ({SHORT['vanhooff1987']})")
    if tests:
        out.append(f"We tested {listed(tests)}")
    if found.stability is not None:
        step = "contest to contest" if found.data.date is None else "day to day"
        out.append(f"Stability is that of ranks by Elo from {step} ({SHORT['neumann2011']})")
    return out


def _k(k: Any) -> str:
    if isinstance(k, dict):
        return ", ".join(f"{value:g} ({name})" for name, value in k.items())
    if isinstance(k, list | tuple):
        return " and ".join(f"{value:g}" for value in k) + " (winner and loser)"
    return f"{k:g}" if isinstance(k, int | float) else str(k)
