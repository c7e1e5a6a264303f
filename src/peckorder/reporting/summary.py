"""The summary at the top of a report, in five short paragraphs.

A paragraph for a methods section.

The front page of the reports on several groups: one table that compares them, with links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import polars as pl

from peckorder.data.contests import Record
from peckorder.data.win_counts import sparse_connection
from peckorder.methods import METHODS, REFERENCES, SOFTWARE, VERSION, label, short
from peckorder.plot.orders import above_next
from peckorder.plot.trajectories import left_early
from peckorder.ranks import outranking
from peckorder.ratings.dynamic import openings_in_words
from peckorder.reporting.analysis import Analysis, description
from peckorder.reporting.findings import (
    Change,
    agreement_sentences,
    steepness_now,
    steepness_sentences,
    unseen_dyads,
)
from peckorder.reporting.page import Page, Section, Table, Words, render
from peckorder.results.samples import SampledRatings
from peckorder.text import counted, listed, p_text

CERTAIN = 0.95
FEW_CONTESTS, FEW_RANKED = 5, 4  # contests per individual, individuals
RECOMMENDED = 0.8  # repeatability of ratings over random orders (Sánchez-Tójar et al. 2018)


def answer(found: Analysis) -> list[str]:
    """Data; ranks and their uncertainty; structure; agreement; sufficiency of the data."""
    return [
        _basis(found),
        _top(found),
        _structure(found),
        _agreement(found),
        " ".join([_enough(found), *_next(found)]),
    ]


def _basis(found: Analysis) -> str:
    """The record, and which part of it is shown."""
    text = f"This report is based on {description(found.data)}."
    return f"{text} {found.view.sentence(len(found.names))}".strip()


def _sentences(parts: list[str]) -> str:
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


def _top(found: Analysis) -> str:
    frame = found.table
    rank = dict(zip(frame["individual"], frame["rank"], strict=True))
    names = found.names
    highest, lowest = (
        [name for name in names if rank[name] == rank[end]] for end in (names[0], names[-1])
    )
    parts = []
    if found.ranking is found.posterior and "posterior" in found.failed:
        parts.append("The posterior did not converge, so these ranks must not be interpreted.")
    text = _ends(highest, lowest)
    gone = left_early(found.data) if found.view.at is None else set()
    if names[0] in gone:
        there = next((name for name in names if name not in gone), None)
        text += f" ({names[0]} has no contest on the last day"
        text += f"; {there} ranks highest among those that have one)" if there else ")"
    parts += [f"{text}.", f"{_certain(found)}.", *_depends(found)]
    record = Record.of(found.data)
    idle = [name for name, n in zip(found.data.individuals, record.contests, strict=True) if n == 0]
    idle = [name for name in idle if name in names]
    if idle:
        whose = "its rank is" if len(idle) == 1 else "their ranks are"
        parts.append(f"{listed(idle)} took part in no contest, so {whose} unknown.")
    if found.data.check()["connected"].level == "warning":
        parts.append(
            "Some sets of individuals are not connected by any contest, so ranks cannot be "
            "compared between them."
        )
    if found.dynamic is not None:
        parts += openings_in_words(found.dynamic.values, found.dynamic.whole.data)
    elif sparse := sparse_connection(found.data):
        parts.append(sparse)
    return " ".join(parts)


def _depends(found: Analysis) -> list[str]:
    """How few contests decide who ranks first, and whether all analyses agree."""
    return [*_few_contests(found), *([] if found.analyses is None else found.analyses.summary[:1])]


def _few_contests(found: Analysis) -> list[str]:
    if found.first is None or found.first.values["value"] is None:
        return []
    number = found.first.values["value"]
    share = found.first.values["random_same"]
    chance = f"in {share:.{0 if share >= 0.01 else 1}%}" if share else "in none of 400 draws"
    which = "A random contest does" if number == 1 else f"{number} random contests do"
    fit = [] if found.board is None else found.board.summary
    misfit = [text for text in fit if "does not describe all dyads" in text]
    return [f"{found.first.summary[0][:-1]}. {which} so {chance}.", *misfit]


def _ends(highest: list[str], lowest: list[str]) -> str:
    """Who ranks first and who last."""
    if highest == lowest:
        return "No individual outranks another"
    if len(highest) == len(lowest) == 1:
        return f"{highest[0]} ranks first and {lowest[0]} last"
    first, last = (
        f"{names[0]} ranks {end}"
        if len(names) == 1
        else f"{listed(names)} share the {'highest' if end == 'first' else 'lowest'} rank"
        for names, end in ((highest, "first"), (lowest, "last"))
    )
    return f"{first}, and {last}"


def _certain(found: Analysis) -> str:
    """How many adjacent ranks are resolved."""
    if found.sure is None:
        how = "could not be estimated" if found.failed else "was not estimated"
        return f"The uncertainty of this order {how}"
    known = above_next(found.sure, found.names, found.moment_of(found.sure).get("at"))
    certain = int((known >= CERTAIN).sum())
    pair = len(known) == 1
    subject = f"Of the {len(known):,} pairs of adjacent ranks, {certain:,}"
    if found.sure is found.randomized:
        text = f"{subject} {'keeps its' if certain == 1 else 'keep their'} order in"
        if pair:
            text = f"The order of the two individuals is{'' if certain else ' not'} the same in"
        return (
            f"{text} at least 95% of random orders of the contests. This does not account for the "
            f"limited number of contests"
        )
    if pair:
        resolved = "is resolved" if certain else "is not resolved"
        return f"The order of the two individuals {resolved} (threshold: probability 0.95)"
    return f"{subject} {'is' if certain == 1 else 'are'} resolved (probability of the order ≥ 0.95)"


def _structure(found: Analysis) -> str:
    parts = steepness_sentences(found)
    if found.linearity is not None:
        values = found.linearity.values
        p = values["p"]
        test = "" if p is None else f", {p_text(p)}"
        sign = "" if p is not None and p < 0.05 else "not "
        parts.append(
            f"the hierarchy is {sign}more linear than expected by chance "
            f"(h′ = {values['value']:.2f}{test})"
        )
    if not parts:
        return f"Steepness and linearity: {found.notes['steepness']}"
    return _sentences(parts)


def _agreement(found: Analysis) -> str:
    parts = agreement_sentences(found, FEW_RANKED) + Change.of(found).sentences
    if found.stress is not None:
        number = counted(found.stress.values["records"], "simulated record")
        parts.append(f"{found.stress.summary[0][:-1]} ({number})")
    parts += _disputed(found)
    ahead = None if found.evaluation is None else found.evaluation.values["foresight"]
    if ahead is not None and ahead["share"] is not None:
        equal = (
            f"; {ahead['equal']:,} with equal ratings, counted as wrong" if ahead["equal"] else ""
        )
        fitted = (
            "" if found.judged is found.elo else ", with parameters fitted to the same contests"
        )
        parts.append(
            f"ratings predicted {ahead['correct']:,} of {ahead['decided']:,} winners in advance "
            f"({100 * ahead['share']:.0f}%{equal}){fitted}"
        )
    if not parts and len(found.methods) == 1:
        return "Only one method was requested, so there is no comparison of methods."
    if not parts:
        return "Agreement between methods and predictive accuracy could not be assessed."
    return _sentences(parts)


def _disputed(found: Analysis) -> list[str]:
    """Claims about pairs that dynamic ratings and Bayesian Elo do not share."""
    one, other = found.dynamic, found.posterior
    if one is None or other is None or "posterior" in found.failed:
        return []
    names = found.names
    chance, published = (_outranking(ratings, found) for ratings in (one, other))
    claimed = (published >= CERTAIN) & (chance < CERTAIN)
    if not claimed.any():
        return []
    a, b = np.unravel_index(np.argmax(np.where(claimed, published - chance, -1)), claimed.shape)
    pairs = "1 pair" if claimed.sum() == 1 else f"{claimed.sum():,} pairs"
    return [
        f"{label('elo_bayes')} would call the order of {pairs} resolved that {label('dynamic')} do "
        f"not (the clearest: {names[a]} outranks {names[b]} with probability "
        f"{published[a, b]:.2f}, against {chance[a, b]:.2f}), because it assumes that ratings "
        f"follow Elo's recursion exactly"
    ]


def _outranking(ratings: SampledRatings, found: Analysis) -> np.ndarray:
    """Probability that each individual (row) outranks each other, at the date of the report."""
    places = [ratings.code(name) for name in found.names]
    return outranking(ratings.scores(at=found.view.at)[:, places])


def _enough(found: Analysis) -> str:
    data = found.contests
    each = 2 * len(data) / len(data.individuals)
    number = f"{each:.3g}" if each < 1000 else f"{each:,.0f}"
    contests = "1 contest" if number == "1" else f"{number} contests"
    text = f"Individuals took part in {contests} on average"
    if each < FEW_CONTESTS:
        text += ", too few for reliable ranks"
    if found.unknown is not None:
        values = found.unknown.values
        text += (
            f", and {values['unknown']:,} of {counted(values['dyads'], 'dyad')} "
            f"{'has' if values['unknown'] == 1 else 'have'} {unseen_dyads(found)}"
        )
    if found.recovery is not None:
        return f"{text}. {found.recovery.values['verdict']}"
    if found.randomized is not None and each >= FEW_CONTESTS:
        share = found.randomized.values["repeatability"]
        if share is not None and np.isfinite(share):
            side = "above" if share > RECOMMENDED else "below"
            text += (
                f". Repeatability over random orders of the contests is {share:.2f}, {side} the "
                f"recommended {RECOMMENDED:g}"
            )
    return f"{text}."


def _next(found: Analysis) -> list[str]:
    """Whom to observe next."""
    if found.next is None:
        return []
    if found.next.values["stop"]:
        return [found.next.summary[0]]
    needs = [text for text in found.next.summary if " further contests " in text]
    return [found.next.summary[0], *needs]


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
        *_structure_sentence(found),
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
            f"and a {given['curve']} curve ({short('albers2001')})"
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
            f"predicted so far ({short('herbster1998')}), and {listed(others)}"
        )
    if found.posterior is not None:
        given = found.posterior.settings
        out.append(
            f"The posterior distribution of Elo ratings was sampled with {given['chains']} chains "
            f"of {given['samples']:,} draws after {given['warmup']:,} warm-up draws "
            f"({short('goffe2018')})"
        )
        out.append(
            f"The priors of k and σ were half-normal with scales {given['prior_k']:g} and "
            f"{given['prior_sigma']:g}; {_largest_rhat(found.posterior.values['rhat_max'])}"
        )
    if found.randomized is not None:
        runs = found.randomized.values["runs"]
        out.append(
            f"Elo ratings were averaged over {runs:,} random orders of the contests "
            f"({short('sanchez2018')})"
        )
    methods = [] if found.compared is None else found.compared.settings["methods"]
    orders = [
        f"{label(name)} ({short(METHODS[name].citations[0])})"
        for name in methods
        if name not in ("elo", "randomized_elo")
    ]
    if orders:
        out.append(f"Rank orders were computed with {listed(orders)}")
    return out


def _structure_sentence(found: Analysis) -> list[str]:
    out, runs = [], f"{found.settings['runs']:,}"
    if found.steepness is not None:
        out.append(
            f"Steepness is the slope of normalized David's scores (D_ij) on ranks and was tested "
            f"against {runs} randomized matrices ({short('devries2006')})"
        )
    if found.steepness_bayes is not None:
        out.append(
            f"Posterior steepness was estimated from summed winning probabilities "
            f"({short('neumann2023')})"
        )
    tests = []
    if found.linearity is not None:
        exact = (
            "with an exact test"
            if found.linearity.values["exact"]
            else f"with {runs} randomizations"
        )
        tests.append(f"linearity {exact} ({short('devries1995')})")
    if found.transitivity is not None:
        tests.append(f"transitivity of triads ({short('shizuka2012')})")
    if found.consistency is not None:
        tests.append(f"directional consistency ({short('vanhooff1987')})")
    if tests:
        out.append(f"We tested {listed(tests)}")
    if found.stability is not None:
        step = "contest to contest" if found.data.date is None else "day to day"
        out.append(f"Stability of Elo ranks was measured from {step} ({short('neumann2011')})")
    return out


def _k(k: Any) -> str:
    if isinstance(k, dict):
        return ", ".join(f"{value:g} ({name})" for name, value in k.items())
    if isinstance(k, list | tuple):
        return " and ".join(f"{value:g}" for value in k) + " (winner and loser)"
    return f"{k:g}" if isinstance(k, int | float) else str(k)


HEADINGS = {
    "first": "Highest-ranked",
    "above_second": "P(outranks second)",
    "steepness_low": "95% from",
    "steepness_high": "to",
    "h": "Linearity h′",
    "unknown": "Unknown dyads",
    "changed": "Evidence that ranks changed",
}


def row_of(group: str, found: Analysis) -> dict[str, Any]:
    """What the front page says of a group."""
    steepness = steepness_now(found)
    if steepness is None and found.steepness_bayes is not None:
        steepness = found.steepness_bayes.values["value"]
    linearity = {} if found.linearity is None else found.linearity.values
    above = None
    if found.sure is not None:
        at = found.moment_of(found.sure).get("at")
        above = float(above_next(found.sure, found.names[:2], at)[0])
    change = Change.of(found)
    asked = change.p is not None or change.factor is not None
    return {
        "group": group,
        "individuals": len(found.data.individuals),
        "ranked": len(found.names),
        "contests": len(found.contests),
        "first": found.names[0],
        "above_second": above,
        "steepness": None if steepness is None else float(steepness.value),
        "steepness_low": None if steepness is None else float(steepness.low),
        "steepness_high": None if steepness is None else float(steepness.high),
        "h": linearity.get("value"),
        "p": linearity.get("p"),
        "unknown": None if found.unknown is None else found.unknown.values["value"],
        "changed": change.known if asked else None,
    }


def front_page(
    rows: Sequence[dict[str, Any]],
    files: Mapping[str, Path],
    omitted: Sequence[str],
    title: str | None,
) -> bytes:
    """The page with the table of all groups."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    links = {group: quote(path.name) for group, path in files.items()}
    contests = sum(row["contests"] for row in rows)
    parts = (
        Words(
            "Click a group for its full report. Individuals are ranked if they were present at the "
            "date of the ranking. Steepness, with its 95% credible interval, is that of the "
            "ratings at that date if there are ratings over time.",
            "lead",
        ),
        Table("groups", "Comparison of groups", frame, HEADINGS, links=links),
        Words(
            "Compare steepness and linearity only between groups with similar sampling effort: "
            "both depend on the number of contests and on unknown dyads.",
            "note",
        ),
        *(Words(text, "warning") for text in omitted),
    )
    number = counted(len(rows), "group")
    subtitle = f"{counted(contests, 'contest')} in {number}"
    page = Page(
        title or f"Hierarchies of {number}", subtitle, (), (Section("groups-of", "Groups", parts),)
    )
    return render(page)


def _largest_rhat(value: float | None) -> str:
    return "R̂ is not available" if value is None else f"the largest R̂ was {value:.3f}"
