"""Sentences that relate results to each other, so that no two of them seem to contradict.

Two methods may give different numbers for what sounds like the same thing (steepness with and
without change over time) or different answers to what sounds like the same question (did ranks
change?). Each difference is stated once, with its reason.

Was k well chosen? The likelihood of all values of k, with those in question on one scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import peckorder as po
from peckorder.data.same_time import K as DEFAULT
from peckorder.errors import DataError
from peckorder.estimate import Estimate
from peckorder.methods import label
from peckorder.ratings.dynamic import STRONG
from peckorder.reporting.analysis import Analysis
from peckorder.results.samples import SampledRatings, slopes, summed_chances
from peckorder.text import p_text

LEVEL = 0.05
NEARLY_ONE = 0.95  # stability
ALIKE, UNLIKE = 0.8, 0.5  # rank correlations
MANY_UNKNOWN = 0.25  # share of dyads


@dataclass(frozen=True)
class Change:
    """What the test and the model say on whether ranks changed; None where not available."""

    p: float | None
    factor: float | None  # log Bayes factor of dynamic ratings
    power: float | None = None  # of the test against a takeover

    @classmethod
    def of(cls, found: Analysis) -> Change:
        """From the results of a report."""
        p = None if found.change is None else found.change["p"]
        factor = None if found.dynamic is None else found.dynamic.values.get("log_bf_drift")
        power = None if found.change is None else found.change.get("power")
        return cls(p, factor, power)

    @property
    def by_test(self) -> bool:
        """Whether the order-dependence test is significant."""
        return self.p is not None and self.p <= LEVEL

    @property
    def by_model(self) -> bool:
        """Whether there is evidence for change of ratings."""
        return self.factor is not None and self.factor > STRONG

    @property
    def known(self) -> bool:
        """Whether anything found evidence for change."""
        return self.by_test or self.by_model

    @property
    def sentences(self) -> list[str]:
        """One statement; a second one if the test and the model differ."""
        test = None if self.p is None else f"order-dependence test, {p_text(self.p)}"
        if test and self.power is not None:
            test += f"; power against a takeover in a record like this: {self.power:.2f}"
        model = None if self.factor is None else f"log Bayes factor {self.factor:+.1f}"
        based = "; ".join(part for part in (test, model) if part)
        if not based:
            return []
        if not self.known:
            return [f"there is no evidence that ranks changed during the study ({based})"]
        if test is None or model is None or (self.by_test and self.by_model):
            return [f"there is evidence that ranks changed during the study ({based})"]
        if self.by_test:
            return [
                f"the order of contests matters ({test}), but change of ratings does not explain "
                f"it clearly ({model})",
                "the test also responds to dependent outcomes within bouts, which is not change "
                "of ranks",
            ]
        return [
            f"dynamic ratings give evidence that ratings changed ({model}), but the "
            f"order-dependence test does not ({p_text(self.p or 0.0)})",
            "the test detects changes of order, the model also changes of distance without a new "
            "order",
        ]


def static_words(found: Analysis) -> str | None:
    """Why Bayesian Elo may find change where dynamic ratings do not, or the reverse."""
    factor = Change.of(found).factor
    evidence = None if found.posterior is None else found.posterior.values.get("static_evidence")
    if factor is None or not evidence or "posterior" in found.failed:
        return None
    ratio = evidence["ratio"]
    moving = ratio < 1 / 3
    if moving == (factor > STRONG):
        return None
    one, other = (
        ("Bayesian Elo", "dynamic ratings") if moving else ("dynamic ratings", "Bayesian Elo")
    )
    return (
        f"{one[0].upper()}{one[1:]} find{'s' if moving else ''} evidence of change and {other} "
        f"do{'' if moving else 'es'} not. Bayesian Elo has no other way to explain surprises than "
        f"Elo's recursion, and its Bayes factor depends on the prior of k; ranks and intervals "
        f"here rest on dynamic ratings."
    )


def stability_words(found: Analysis) -> str | None:
    """Why stability is close to 1 although ranks changed."""
    stability, change = found.stability, Change.of(found)
    if stability is None or not change.known or stability.values["value"] < NEARLY_ONE:
        return None
    values = stability.values
    step = "contest to contest" if found.data.date is None else "day to day"
    return (
        f"Stability ({values['value']:.4f}) is close to 1 although there is evidence of change. It "
        f"averages over {values['steps']:,} steps from {step}, most of which change no rank, "
        f"so it measures how rarely ranks change, not how far."
    )


def repeatability_words(found: Analysis) -> str | None:
    """Why random orders may agree although the order of contests matters."""
    if found.randomized is None or not Change.of(found).by_test:
        return None
    share = found.randomized.values["repeatability"]
    if share is None or not share > ALIKE:
        return None
    return (
        f"Repeatability ({share:.2f}) compares random orders with each other: it shows that the "
        f"mean order over the study is well determined. The order-dependence test compares the "
        f"observed order with random ones: it shows that this mean hides changes."
    )


def hindsight_words(found: Analysis) -> str | None:
    """Why final ratings may explain fewer contests than earlier ones predicted."""
    views = {} if found.evaluation is None else found.evaluation.values
    before, after = ((views.get(view) or {}).get("share") for view in ("foresight", "hindsight"))
    if before is None or after is None or after >= before:
        return None
    why = " because ranks changed" if Change.of(found).known else ""
    return (
        f"The final ratings explain fewer contests ({after:.0%}) than the ratings before each "
        f"contest predicted ({before:.0%}){why}: the final order does not describe the whole "
        f"study."
    )


def steepness_now(found: Analysis) -> Estimate | None:
    """Steepness of the ratings among those present at the date, with change over time allowed."""
    ratings = found.sure
    if not isinstance(ratings, SampledRatings) or len(found.names) < 2:
        return None
    places = [ratings.code(name) for name in found.names]
    scores = ratings.scores(at=found.view.at)[:, places]
    return Estimate.of(slopes(summed_chances(scores * ratings.curve.slope)))


def steepness_sentences(found: Analysis) -> list[str]:
    """Steepness at the date, over all contests, and of David's scores; why they differ."""
    now, bayes, scores = steepness_now(found), found.steepness_bayes, found.steepness
    parts = []
    if now is not None and found.data.ordered:
        when = "at the end of the study" if found.view.at is None else found.view.when
        parts.append(
            f"steepness {when} is {now.value:.2f} (95% CrI {now.low:.2f}–{now.high:.2f}; "
            f"{label(found.sure.method)})"
        )
    if bayes is not None:
        value = bayes.values["value"]
        size = len(found.contests.individuals)
        parts.append(
            f"steepness over all contests is {value.value:.2f} (95% CrI {value.low:.2f}–"
            f"{value.high:.2f}), if the ratings of the {size:,} individuals did not change"
        )
        fair = bayes.values.get("expected")
        if fair is not None:
            p = bayes.values["p"]
            differ = "individuals differ" if p <= LEVEL else "no evidence that individuals differ"
            parts[-1] += (
                f"; fair coins would give about {fair.value:.2f} with these contests ({differ}, "
                f"{p_text(p)})"
            )
        if now is not None and found.data.ordered:
            parts += _why_now(found, now, value)
    return parts + ([] if scores is None else _scores(found))


def _why_now(found: Analysis, now: Estimate, value: Estimate) -> list[str]:
    """Why steepness at a date differs from that over all contests."""
    if now.low <= value.value <= now.high or value.low <= now.value <= value.high:
        return []
    present, everyone = len(found.names), len(found.contests.individuals)
    reasons = []
    if present < everyone:
        reasons.append(
            f"the first concerns the {present:,} individuals present, the second all {everyone:,}"
        )
    if now.value < value.value:
        reasons.append("ratings at one date rest on fewer contests if they may have changed")
    else:
        reasons.append("averaging over changes flattens a hierarchy")
    return [f"the two differ because {' and '.join(reasons)}"]


def _scores(found: Analysis) -> list[str]:
    """The slope of David's scores, and why it may differ from the posterior."""
    bayes, scores, unknown = found.steepness_bayes, found.steepness, found.unknown
    if scores is None:
        return []
    slope, p = scores.values["value"], scores.values["p"]
    chance = "higher than expected" if p < LEVEL else "not higher than expected"
    text = f"the slope of David's scores is {slope:.2f}, {chance} by chance ({p_text(p)})"
    if bayes is not None and slope > bayes.values["value"].high:
        text += ", and higher than the posterior because it takes observed proportions of few "
        return [text + "contests at face value"]
    low = bayes is not None and slope < bayes.values["value"].low
    values = {} if unknown is None else unknown.values
    if values.get("unknown") and (low or values["value"] > MANY_UNKNOWN):
        apart = values["dyads"] - (values.get("co_resident_dyads") or values["dyads"])
        never = f" ({apart:,} were never present together)" if apart else ""
        than = "lower than the posterior" if low else "biased low"
        return [
            text,
            f"it is {than} because dyads with {unseen_dyads(found)} ({values['unknown']:,} of "
            f"{values['dyads']:,}) count as equal{never}, and those with few as nearly equal",
        ]
    if low:
        text += ", and lower than the posterior because it treats dyads with few contests as "
        text += "nearly equal"
    return [text]


def unseen_dyads(found: Analysis) -> str:
    """What unknown dyads lack, depending on the rule for ties."""
    return "no decided contest" if found.settings["ties"] == "omit" else "no contest"


def agreement_sentences(found: Analysis, least: int) -> list[str]:
    """How far rank orders by different methods agree, and why Elo may differ."""
    if found.compared is None or len(found.compared.settings["methods"]) < 2:
        return []
    matrix = found.compared.values["spearman"]
    pairs = {
        (a, b): r for a, row in matrix.items() for b, r in row.items() if a < b and r is not None
    }
    if not pairs or len(found.compared.as_polars()) < least:
        return []
    one, other = min(pairs, key=lambda pair: pairs[pair])
    lowest, both = pairs[one, other], f"{label(one)} and {label(other)}"
    if lowest >= ALIKE:
        return [
            f"the methods agree: Spearman correlations are at least {lowest:.2f} (lowest: {both})"
        ]
    how = "agree in part" if lowest >= UNLIKE else "disagree"
    out = [f"the methods {how}: the Spearman correlation between {both} is {lowest:.2f}"]
    if "elo" in (one, other):
        others = np.array([r for pair, r in pairs.items() if "elo" not in pair])
        if others.size and others.min() >= ALIKE:
            out.append(
                "Elo differs because recent contests count more; the others weight all contests "
                "equally"
            )
        else:
            out.append(
                "Elo gives recent contests more weight, and sparse dyads leave the other orders "
                "uncertain"
            )
    return out


VALUES = 81
WIDEST = 400.0  # of the values shown, unless a larger one is in question


def chosen_k(found: Analysis) -> float | None:
    """The k of the Elo ratings, if it is one number."""
    if found.elo is None:
        return None
    k = found.elo.settings["k"]
    return float(k) if isinstance(k, int | float) and not isinstance(k, bool) else None


def posterior_k(found: Analysis) -> Any:
    """The k of Bayesian Elo in points, with its interval; None if the scales differ."""
    elo, posterior = found.elo, found.posterior
    if elo is None or posterior is None or "posterior" in found.failed:
        return None
    known = posterior.values.get("k")
    if known is None or elo.settings["curve"] != "logistic" or not hasattr(known, "low"):
        return None
    ratio = posterior.curve.slope / elo.curve.slope
    return {part: getattr(known, part) * ratio for part in ("value", "low", "high")}


def add_profile(found: Analysis, threads: int | None = None) -> None:
    """Add the log-likelihood of values of k that contain those in question."""
    own, fitted = chosen_k(found), posterior_k(found)
    if own is None:
        return
    largest = max([WIDEST, *(1.2 * k for k in (own, fitted and fitted["high"]) if k)])
    preset = found.settings["preset"]
    how: dict[str, Any] = {} if preset is None else {"preset": preset}
    try:
        found.profile = po.likelihood_surface(
            found.data, over={"k": (0.0, round(largest))}, grid=VALUES, threads=threads, **how
        )
    except DataError as error:
        found.notes["profile"] = str(error)


def marks(found: Analysis) -> dict[str, float]:
    """The values of k in question, by name; equal ones are named once."""
    own, fitted = chosen_k(found), posterior_k(found)
    out = {} if own is None else {"k used" if own != DEFAULT else "k used (default)": own}
    if own != DEFAULT:
        out["default"] = DEFAULT
    if fitted is not None:
        out["posterior mean"] = fitted["value"]
    return out


def sentences(found: Analysis) -> list[str]:
    """Whether the data favor another k than the one used."""
    own, measure = chosen_k(found), found.profile
    if own is None or measure is None:
        return []
    table, values = measure.as_polars(), measure.values
    best, number = values["best"]["k"], values["contests"]
    low, high = values["low"], values["high"]
    nearest = int((table["k"] - own).abs().arg_min() or 0)
    losses = [-float(v) / number for v in (table["value"][nearest], values["value"])]
    limits = f"{0 if low is None else low:.0f}–{'∞' if high is None else f'{high:.0f}'}"
    inside = (low is None or own >= low) and (high is None or own <= high)
    out = [
        f"Elo ratings used k = {own:g}{' (the default)' if own == DEFAULT else ''}: log loss "
        f"{losses[0]:.3f} per contest, against {losses[1]:.3f} at the most likely k = {best:.0f} "
        f"(95% likelihood interval {limits}).",
        "This k is compatible with the data."
        if inside
        else f"The data favor a {'smaller' if best < own else 'larger'} k than the one used.",
    ]
    fitted = posterior_k(found)
    if fitted is not None:
        out.append(
            f"The posterior mean of k in Bayesian Elo is {fitted['value']:.0f} on the same scale "
            f"(95% CrI {fitted['low']:.0f}–{fitted['high']:.0f})."
        )
        if not fitted["low"] <= best <= fitted["high"]:
            out.append(
                "It differs from the most likely k because Bayesian Elo also estimates starting "
                "scores, which Elo sets equal."
            )
    return out
