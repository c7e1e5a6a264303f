"""The summary at the top of a report, in five short paragraphs."""

from __future__ import annotations

import numpy as np

from peckorder.data.connections import sparse_connection
from peckorder.data.record import Record
from peckorder.figures.orders import above_next
from peckorder.figures.trajectories import left_early
from peckorder.methods import label
from peckorder.ranks import outranking
from peckorder.reporting.analysis import Analysis, description
from peckorder.reporting.coherence import (
    Change,
    agreement_sentences,
    steepness_sentences,
    unseen_dyads,
)
from peckorder.results.sampled import SampledRatings
from peckorder.wording import listed, p_text

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
        _enough(found),
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
    parts += [f"{text}.", f"{_certain(found)}."]
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
    sparse = sparse_connection(found.data)
    if sparse:
        parts.append(sparse)
    return " ".join(parts)


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
        p = values["p_right"]
        test = "" if p is None else f", {p_text(p)}"
        sign = "" if p is not None and p < 0.05 else "not "
        parts.append(
            f"the hierarchy is {sign}more linear than expected by chance "
            f"(h′ = {values['h_improved']:.2f}{test})"
        )
    if not parts:
        return f"Steepness and linearity: {found.notes['steepness']}"
    return _sentences(parts)


def _agreement(found: Analysis) -> str:
    parts = agreement_sentences(found, FEW_RANKED) + Change.of(found).sentences
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
            f", and {values['unknown']:,} of {values['dyads']:,} dyads have {unseen_dyads(found)}"
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
