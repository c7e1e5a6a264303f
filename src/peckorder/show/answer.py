"""The answer in five sentences."""

from __future__ import annotations

import numpy as np

from peckorder.show.analysis import Analysis, told_of
from peckorder.show.orders import METHODS, rank_table
from peckorder.wording import counted

CERTAIN = 0.95
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
    names = found.names
    if found.sure is None:
        return (
            f"{names[0]} stands on top and {names[-1]} at the bottom; how sure that is was not "
            f"asked."
        )
    table = rank_table(found.sure)
    low, high = table["rank_low95"][0], table["rank_high95"][0]
    known = table["p_above_next"].drop_nulls().to_numpy()
    certain = int((np.maximum(known, 1 - known) >= CERTAIN).sum())
    of = "random orders of the contests" if found.sure is found.randomized else "the posterior"
    sure = f"in at least 95 % of {of}"
    if low != high:
        sure = f"its rank is {low:g} to {high:g} in 95 % of {of}"
    pairs = counted(len(known), "pair of neighbors", "pairs of neighbors")
    told = f"{certain:,} {'is' if certain == 1 else 'are'} told apart with a chance of 95 % or more"
    return (
        f"{names[0]} stands on top ({sure}) and {names[-1]} at the bottom; of {pairs} in the "
        f"order, {told}."
    )


def _structure(found: Analysis) -> str:
    parts = []
    if found.steepness_bayes is not None:
        value = found.steepness_bayes.values["value"]
        parts.append(
            f"steepness is {value['mean']:.2f} ({value['low95']:.2f} to {value['high95']:.2f}) by "
            f"the posterior"
        )
    if found.steepness is not None:
        values = found.steepness.values
        p = values["p_right"]
        chance = "steeper than by chance" if p < 0.05 else "not steeper than by chance"
        other = f"by David's scores it is {values['value']:.2f}" if parts else None
        text = (
            f"{other or 'steepness is ' + format(values['value'], '.2f')}, {chance} (p = {p:.2g})"
        )
        if found.unknown is not None and found.unknown.values["value"] > MANY_UNKNOWN:
            text += ", but pulled down by dyads that never met"
        parts.append(text)
    if found.linearity is not None:
        values = found.linearity.values
        p = values["p_right"]
        said = "" if p is None else f" (p = {p:.2g})"
        sign = "" if p is not None and p < 0.05 else "not "
        linear = f"{sign}more linear than by chance"
        parts.append(f"the hierarchy is {linear}, h′ = {values['h_improved']:.2f}{said}")
    if not parts:
        return "Steepness and linearity need at least three individuals."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _agreement(found: Analysis) -> str:
    parts = []
    if found.compared is not None and len(found.compared.settings["methods"]) > 1:
        matrix = found.compared.values["spearman"]
        pairs = {(a, b): r for a, row in matrix.items() for b, r in row.items()
                 if a < b and r is not None}  # fmt: skip
        if pairs:
            least = min(pairs, key=lambda pair: pairs[pair])
            parts.append(
                f"the methods agree at Spearman {pairs[least]:.2f} or more (least: "
                f"{METHODS[least[0]]} and {METHODS[least[1]]})"
            )
        instability = found.compared.values["instability"]
        if instability is not None:
            sign = "a sign" if instability["p"] < 0.05 else "no sign"
            parts.append(
                f"there is {sign} that ranks changed meanwhile (p = {instability['p']:.2g})"
            )
    if found.evaluation is not None:
        ahead = found.evaluation.values["foresight"]
        if ahead["share"] is not None:
            parts.append(
                f"ratings before each contest foretold {ahead['share']:.0%} of the winners"
            )
    if not parts:
        return "One method alone was asked, so there is nothing to compare."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _enough(found: Analysis) -> str:
    data = found.data
    each = 2 * len(data) / len(data.individuals)
    text = f"There are {each:.3g} contests per individual"
    if found.unknown is not None:
        values = found.unknown.values
        text += f", and {values['unknown']:,} of {values['dyads']:,} dyads never met"
    if found.recovery is not None:
        return f"{text}. {found.recovery.values['verdict']}"
    if found.randomized is not None:
        share = found.randomized.values["repeatability"]
        if share is not None and np.isfinite(share):
            asked = "as the literature asks for" if share > 0.8 else "less than the 0.8 asked for"
            text += f"; ratings repeat at {share:.2f} over random orders, {asked}"
    return f"{text}."
