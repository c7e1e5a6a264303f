"""The answer in five sentences."""

from __future__ import annotations

import numpy as np

from peckorder.data.record import Record
from peckorder.figures.orders import above_next
from peckorder.figures.trajectories import left_early
from peckorder.methods import label
from peckorder.reporting.analysis import Analysis, told_of
from peckorder.wording import counted, listed

CERTAIN, ALIKE = 0.95, 0.5
FEW_CONTESTS, FEW_RANKED = 5, 4  # contests of one, individuals
MANY_UNKNOWN = 0.25  # share of dyads


def answer(found: Analysis) -> list[str]:
    """Who and when; who is on top and how sure; structure; agreement; is it enough."""
    return [
        f"This report rests on {told_of(found.data)}.",
        _top(found),
        _structure(found),
        _agreement(found),
        _enough(found),
    ]


def _top(found: Analysis) -> str:
    frame = found.ranking.as_polars()
    rank = dict(zip(frame["individual"], frame["rank"], strict=True))
    names = found.names
    highest, lowest = (
        [name for name in names if rank[name] == rank[end]] for end in (names[0], names[-1])
    )
    text = f"{listed(highest)} {'stands' if len(highest) == 1 else 'share the place'} on top"
    text += f" and {listed(lowest)} at the bottom"
    if highest == lowest:
        text = "Nobody stands above anybody"
    gone = left_early(found.data)
    if names[0] in gone:
        there = next((name for name in names if name not in gone), None)
        text += f" ({names[0]} had left before the end"
        text += f"; of those still there, {there} stands highest)" if there else ")"
    of = "posterior" if found.ranking is found.posterior else "steepness_bayes"
    if found.ranking in (found.posterior, found.steepness_bayes) and of in found.failed:
        text = f"The posterior has not converged and must not be trusted yet; as it is, {text}"
    parts = [text, _certain(found)]
    record = Record.of(found.data)
    idle = [name for name, n in zip(found.data.individuals, record.contests, strict=True) if n == 0]
    if idle:
        parts.append(f"of {listed(idle)}, without a contest, nothing is known")
    if found.data.check()["connected"].level == "warning":
        parts.append("the record falls into parts between which no contest tells who stands above")
    return "; ".join(part for part in parts if part) + "."


def _certain(found: Analysis) -> str | None:
    """How sure neighbors are in their order."""
    if found.sure is None:
        return f"how sure that is {'could not be found' if found.failed else 'was not asked'}"
    known = above_next(found.sure, found.names)
    certain = int((known >= CERTAIN).sum())
    pairs = counted(len(known), "pair of neighbors", "pairs of neighbors")
    if found.sure is found.randomized:
        keep = "keeps its order" if certain == 1 else "keep their order"
        return (
            f"of {pairs}, {certain:,} {keep} in 95 % of random orders of the contests, which says "
            f"nothing of how few these are"
        )
    are = "is" if certain == 1 else "are"
    return f"of {pairs} in the order, {certain:,} {are} told apart with a chance of 95 % or more"


def _structure(found: Analysis) -> str:
    parts = []
    if found.steepness_bayes is not None:
        value = found.steepness_bayes.values["value"]
        parts.append(
            f"steepness is {value.mean:.2f} ({value.low95:.2f} to {value.high95:.2f}) by "
            f"the posterior"
            + (", which has not converged" if "steepness_bayes" in found.failed else "")
        )
    if found.steepness is not None:
        values = found.steepness.values
        p = values["p_right"]
        chance = "steeper than by chance" if p < 0.05 else "not steeper than by chance"
        what = "by David's scores it is" if parts else "steepness is"
        text = f"{what} {values['value']:.2f}, {chance} (p = {p:.2g})"
        if found.unknown is not None and found.unknown.values["value"] > MANY_UNKNOWN:
            text += f", but pulled down by dyads with {unseen_dyads(found)}"
        parts.append(text)
    if found.linearity is not None:
        values = found.linearity.values
        p = values["p_right"]
        said = "" if p is None else f" (p = {p:.2g})"
        sign = "" if p is not None and p < 0.05 else "not "
        linear = f"{sign}more linear than by chance"
        parts.append(f"the hierarchy is {linear}, h′ = {values['h_improved']:.2f}{said}")
    if not parts:
        return f"Steepness and linearity: {found.notes['steepness']}"
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def unseen_dyads(found: Analysis) -> str:
    """What unknown dyads have, by the rule for draws."""
    return "no decided contest" if found.settings["ties"] == "omit" else "no contest"


def _agreement(found: Analysis) -> str:
    parts = []
    if found.compared is not None and len(found.compared.settings["methods"]) > 1:
        matrix = found.compared.values["spearman"]
        pairs = {
            (a, b): r
            for a, row in matrix.items()
            for b, r in row.items()
            if a < b and r is not None
        }
        if pairs and len(found.names) >= FEW_RANKED:
            one, other = min(pairs, key=lambda pair: pairs[pair])
            least, both = pairs[one, other], f"{label(one)} and {label(other)}"
            if least >= ALIKE:
                parts.append(f"the methods agree at Spearman {least:.2f} or more (least: {both})")
            else:
                parts.append(f"the methods disagree: {both} at Spearman {least:.2f}")
        instability = found.compared.values["instability"]
        if instability is not None:
            p = instability["p"]
            far = "further" if p < 0.05 else "no further"
            parts.append(
                f"Elo, which follows the sequence, strays from the others {far} than by chance "
                f"(p = {p:.2g})"
            )
    if found.evaluation is not None:
        ahead = found.evaluation.values["foresight"]
        equal = f", {ahead['equal']:,} with equal ratings" if ahead["equal"] else ""
        fitted = "" if found.judged is found.elo else ", to which they were fitted"
        parts.append(
            f"ratings before each contest foretold {ahead['correct']:,} of {ahead['decided']:,} "
            f"winners{equal}{fitted}"
        )
    if not parts and len(found.methods) == 1:
        return "One method alone was asked, so there is nothing to compare."
    if not parts:
        return "Here there is nothing to tell of how far methods agree, nor of foresight."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _enough(found: Analysis) -> str:
    data = found.data
    each = 2 * len(data) / len(data.individuals)
    number = f"{each:.3g}" if each < 1000 else f"{each:,.0f}"
    are = "is 1 contest" if number == "1" else f"are {number} contests"
    text = f"There {are} per individual"
    if each < FEW_CONTESTS:
        text += ", too few to rely on"
    if found.unknown is not None:
        values = found.unknown.values
        text += (
            f", and {values['unknown']:,} of {values['dyads']:,} dyads have {unseen_dyads(found)}"
        )
    if found.recovery is not None:
        verdict = found.recovery.values["verdict"]
        by = label(found.recovery.settings["method"])
        return f"{text}. In records like this one, ranked by {by}: {verdict}"
    if found.randomized is not None:
        share = found.randomized.values["repeatability"]
        if share is not None and np.isfinite(share):
            asked = "more than the 0.8" if share > 0.8 else "less than the 0.8"
            text += f"; over random orders ratings repeat at {share:.2f}, {asked} asked for"
    return f"{text}."
