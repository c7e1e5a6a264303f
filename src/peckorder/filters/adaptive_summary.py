"""The words of adaptive ratings: what coefficients mean, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from peckorder.data.connections import sparse_connection
from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.estimate import Estimate
from peckorder.wording import counted, option, quoted

SURE, LIKELY = 0.975, 0.9  # probability of the sign of a coefficient
MEANINGS = {
    "entry": "level at which newcomers enter, relative to the mean of the recently active",
    "experience": "effect of e times as many own contests (the logarithm of their ratio)",
    "momentum": "effect of having won the last own contest (minus that of having lost it); it "
    "fades by a tenth with each contest since",
    "dyad_record": "effect of e times as many recent wins against the same opponent",
    "gap": "effect of e times as many contests since the last own one",
    "home_advantage": "effect of being at home",
}


def summary_of(
    values: Mapping[str, Any],
    learned: Mapping[str, tuple[Estimate, float]],
    data: Interactions,
    left_out: int,
    within: str,
) -> tuple[str, ...]:
    """What was learned, in sentences, and what to be careful about."""
    out = [_prediction(values, len(data))]
    out += [_sentence(name, *found) for name, found in learned.items()]
    if "nu" in values:
        out.append(
            f"Equal individuals tie with probability {values['nu'] / (2 + values['nu']):.2f} "
            f"(ν = {values['nu']:.3g})."
        )
    if left_out:
        out.append(f"{counted(left_out, 'tie was', 'ties were')} left out.")
    shared = _shared_stamps(data)
    if shared and within == "file":
        out.append(
            f"{counted(shared, 'contest')} share a time stamp with others and were taken in the "
            f"order of the file. If rows are sorted by winner within a date, that order is an "
            f"artifact: use {option('within', 'batch')}."
        )
    idle = [
        name
        for name, number in zip(data.individuals, Record.of(data).contests, strict=True)
        if number == 0
    ]
    if idle:
        out.append(f"No contests of {quoted(idle)}: rated at the level of newcomers.")
    sparse = sparse_connection(data)
    return (*out, sparse) if sparse else tuple(out)


def _prediction(values: Mapping[str, Any], contests: int) -> str:
    mean, elo = values["log_loss"] / contests, values["elo_log_loss"] / contests
    return (
        f"Log loss {mean:.3f} per contest, each predicted from those before it (averaged Elo "
        f"{elo:.3f}; guessing {np.log(3 if 'nu' in values else 2):.3f}); weight of averaged Elo at "
        f"the end {values['elo_weight']:.2f}."
    )


def _sentence(name: str, estimate: Estimate, positive: float) -> str:
    """One coefficient as a sentence."""
    size, moves = f"{abs(estimate):.2f}", "raises" if estimate >= 0 else "lowers"
    interval = f"95% CrI {estimate.low95:.2f} to {estimate.high95:.2f}".replace("-", "−")
    sure = max(positive, 1 - positive)
    if name == "entry":
        where = "above" if estimate >= 0 else "below"
        return (
            f"Newcomers enter {size} {where} the mean of the recently active (log-odds, "
            f"{interval})."
        )
    if name == "momentum":
        reversed_sign = estimate < 0 and sure >= LIKELY
        effect = "a reversed winner–loser effect" if reversed_sign else "a winner–loser effect"
        return (
            f"Winning a contest {moves} the log-odds of the next by {size} ({interval}): "
            f"{_evidence(sure)} {effect}."
        )
    if name == "dyad_record":
        more = np.log(3.0)  # one win against none: log((1 + ½)/½)
        alternating = estimate < 0 and sure >= LIKELY
        memory = "alternation within dyads" if alternating else "a memory of dyads"
        return (
            f"A first win against an opponent {moves} the log-odds of beating it again by "
            f"{abs(estimate) * more:.2f} beyond ratings ({_scaled(estimate, more)}): "
            f"{_evidence(sure)} {memory}."
        )
    if name == "experience":
        return (
            f"Twice the experience of the opponent {_changes(estimate)} "
            f"({_scaled(estimate, np.log(2))}): {_evidence(sure)} an effect of experience."
        )
    if name == "gap":
        return (
            f"A pause twice as long as that of the opponent {_changes(estimate)} "
            f"({_scaled(estimate, np.log(2))}): {_evidence(sure)} an effect of pauses."
        )
    what = "Being at home" if name == "home_advantage" else f"A unit of {name}"
    size = f"{abs(estimate):.3g}"
    interval = f"95% CrI {estimate.low95:.3g} to {estimate.high95:.3g}".replace("-", "−")
    return f"{what} {moves} the log-odds of winning by {size} ({interval})."


def _changes(estimate: Estimate) -> str:
    moves = "raises" if estimate >= 0 else "lowers"
    return f"{moves} the log-odds of winning by {abs(estimate) * np.log(2):.2f}"


def _scaled(estimate: Estimate, by: float) -> str:
    text = f"95% CrI {estimate.low95 * by:.2f} to {estimate.high95 * by:.2f}"
    return text.replace("-", "−")


def _evidence(sure: float) -> str:
    """How sure the sign of a coefficient is."""
    if sure >= SURE:
        return "evidence for"
    return "weak evidence for" if sure >= LIKELY else "no clear evidence for"


def _shared_stamps(data: Interactions) -> int:
    """Number of contests that share their time stamp with another."""
    if data.date is None or len(data) < 2:
        return 0
    same = data.date[1:] == data.date[:-1]
    return int((np.append(same, False) | np.append(False, same)).sum())
