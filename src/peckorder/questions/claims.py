"""Claims about a hierarchy: their grammar, their margin, and their posterior probability.

A claim is written "b first", "b > c", "top 3: a b c", "steepness > 0.5", "steep" or "linear". Its
margin is a number that is positive while the claim holds: the smallest difference in rating (or
score, or rank) between those above and those below, the statistic minus the threshold, or 0.05
minus the p-value.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from peckorder import methods
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, DataWarning
from peckorder.ranks import in_braces, linked
from peckorder.ratings.dynamic import dynamic
from peckorder.results import Measure, Order
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness import steepness
from peckorder.structure.steepness_bayes import steepness_bayes
from peckorder.text import given, listed, option_name, p_text, quoted
from peckorder.validate import one_of

GRAMMAR = '"b first", "b > c", "top 3: a b c", "steepness > 0.5", "steep", "linear"'
LEVEL = 0.05
SCORES = ("rating", "ability", "normds", "score")  # columns that rank individuals, best first
STRUCTURE_RUNS = 2_000  # randomizations of a p-value; the same ones for all sets of contests

# Methods that rank, and the settings with which they do.
RANKERS: Mapping[str, Mapping[str, Any]] = {
    "bradley_terry": {"penalized": True, "prior_sd": 2.0, "errors": False},
    "elo": {},
    "dynamic": {"seed": 1},
    "davids_score": {},
    "isi": {"seed": 1},
    "randomized_elo": {"runs": 200, "seed": 1},
    "elo_ml": {},
    "adaptive": {"seed": 1},
    "percolation": {"seed": 1},
    "adagio": {},
    "glicko": {},
}
IN_SEQUENCE = ("elo", "dynamic", "elo_ml", "adaptive", "glicko")


@dataclass(frozen=True)
class Claim:
    """A claim, parsed: who ranks above whom, or a property of the hierarchy."""

    text: str
    kind: Literal["order", "steepness", "steep", "linear"]
    above: tuple[int, ...] = ()
    below: tuple[int, ...] = ()
    threshold: float = LEVEL

    @property
    def ranks(self) -> bool:
        """Whether the claim concerns ranks, which every method that ranks can judge."""
        return self.kind == "order"

    def side(self, size: int) -> np.ndarray:
        """1 for those above, −1 for those below, 0 for the others."""
        out = np.zeros(size, np.int8) if self.below else np.full(size, -1, np.int8)
        out[list(self.below)] = -1
        out[list(self.above)] = 1
        return out


def parse(claim: Any, data: Contests) -> Claim:
    """The claim that a text makes about these individuals."""
    if not isinstance(claim, str):
        raise ArgumentTypeError(f"{given('claim', claim)}: give a text such as {GRAMMAR}.")
    text = " ".join(claim.split())
    if text.lower() in ("steep", "linear"):
        return Claim(text.lower(), "steep" if text.lower() == "steep" else "linear")
    if found := re.fullmatch(r"steepness\s*>\s*(0?\.\d+|0|1)", text, re.IGNORECASE):
        return Claim(text, "steepness", threshold=float(found.group(1)))
    if found := re.fullmatch(r"top\s+(\d+)\s*:\s*(.+)", text, re.IGNORECASE):
        return _top(text, int(found.group(1)), found.group(2), data)
    if found := re.fullmatch(r"(.+?)\s+(?:ranks\s+)?first", text, re.IGNORECASE):
        return Claim(text, "order", (data.code(found.group(1)),))
    for sign in re.finditer(r">", text):  # a name may contain the sign
        one, other = text[: sign.start()].strip(), text[sign.end() :].strip()
        if one and other and {one, other} <= {*data.individuals, *data.aliases}:
            return _pair(text, data.code(one), data.code(other))
    one, sign, other = (part.strip() for part in text.partition(">"))
    if sign and one and other:
        return _pair(text, data.code(one), data.code(other))
    raise ArgumentError(f"{given('claim', claim)} is no claim. Write one such as {GRAMMAR}.")


def _pair(text: str, one: int, other: int) -> Claim:
    if one == other:
        raise ArgumentError(f"{given('claim', text)}: name two different individuals.")
    return Claim(text, "order", (one,), (other,))


def _top(text: str, number: int, names: str, data: Contests) -> Claim:
    parts = re.split(r"\s*,\s*", names) if "," in names else names.split()
    codes = tuple(dict.fromkeys(data.code(name) for name in parts))
    if len(codes) != number or number >= len(data.individuals):
        raise ArgumentError(
            f"{given('claim', text)}: name {number} different individuals of "
            f"{len(data.individuals)}, separated by blanks or commas."
        )
    return Claim(text, "order", codes)


def refuse_unconnected(claim: Claim, data: Contests) -> None:
    """An error if no chain of contests connects the individuals that a claim compares."""
    met = np.zeros((len(data.individuals),) * 2, bool)
    met[data.winner, data.loser] = met[data.loser, data.winner] = True
    sets = linked(met)
    compared = {*claim.above, *(claim.below or range(len(met)))}
    apart = [own for own in sets if compared & {*own.tolist()}]
    if claim.ranks and len(apart) > 1:
        raise DataError(
            f'No contests decide the claim "{claim.text}": there are none between '
            f"{in_braces(apart, data.individuals, ' and ')}. Ask about individuals of one of these "
            f"sets, or add contests between them."
        )


def ranking(data: Contests, method: str, settings: Mapping[str, Any]) -> Any:
    """The result of a method that ranks, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return methods.function(method)(data, **{**RANKERS.get(method, {}), **settings})


def scores(found: Any, names: Sequence[str]) -> np.ndarray:
    """What ranks the individuals, the highest first: ratings or scores, else ranks below 0.

    NaN for individuals that the result does not contain.
    """
    table = found.as_polars()
    column = next((name for name in SCORES if name in table.columns), None)
    if isinstance(found, Order) and found.method in ("isi", "percolation", "adagio"):
        column = None
    values = -table["rank"] if column is None else table[column]
    by_name = dict(zip(table["individual"].to_list(), values.to_list(), strict=True))
    return np.array([by_name.get(name, np.nan) for name in names], float)


def difference(score: np.ndarray, side: np.ndarray) -> float:
    """Lowest of those above minus highest of those below; infinite where one has no score."""
    above, below = score[side > 0], score[side < 0]
    below = below[~np.isnan(below)]
    if np.isnan(above).any() or not below.size:
        return np.inf
    return float(above.min() - below.max())


def structure(
    claim: Claim, data: Any, seed: int, settings: Mapping[str, Any]
) -> tuple[float, Measure]:
    """The margin of a claim about the hierarchy, and the measure that it rests on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if claim.kind == "linear":
            found = linearity(data, runs=STRUCTURE_RUNS, seed=seed, threads=1, **settings)
        else:
            runs = 1 if claim.kind == "steepness" else STRUCTURE_RUNS
            found = steepness(data, runs=runs, seed=seed, threads=1, **settings)
    if claim.kind == "steepness":
        return float(found.values["value"]) - claim.threshold, found
    return LEVEL - p_of(found), found


def statistic_of(found: Measure) -> float:
    """Steepness, or h′."""
    return float(found.values["value"])


def p_of(found: Measure) -> float:
    """The p-value of steepness or linearity."""
    return float(found.values["p"])


def what_holds(claim: Claim, found: Any, names: tuple[str, ...], method: str) -> str:
    """A sentence on what is true instead of a claim that does not hold."""
    values = found.values
    if claim.kind == "steepness":
        return f"steepness is {values['value']:.3f}"
    if not claim.ranks:
        word = "h′" if claim.kind == "linear" else "steepness"
        return f"{word} = {statistic_of(found):.3f}, {p_text(p_of(found))}"
    order = np.argsort(-scores(found, names), kind="stable")
    by = f"by {methods.label(method)}"
    if claim.below:
        one, other = names[claim.below[0]], names[claim.above[0]]
        return f'{one} ranks above {other} {by}, or as high ("{one} > {other}")'
    if len(claim.above) == 1:
        return f'{names[order[0]]} ranks first {by} ("{names[order[0]]} first")'
    top = [names[i] for i in order[: len(claim.above)]]
    return f'the top {len(top)} {by} are {listed(top)} ("top {len(top)}: {", ".join(top)}")'


def does_not_hold(claim: Claim, found: Any, names: tuple[str, ...], method: str) -> ArgumentError:
    """The error for a claim that does not hold, which states what does."""
    return ArgumentError(
        f'The claim "{claim.text}" does not hold: {what_holds(claim, found, names, method)}.'
    )


def probability(claim: Claim, data: Contests, names: Sequence[str], seed: int) -> float | None:
    """Posterior probability of a claim; None for claims about p-values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if claim.kind == "steepness":
            found = steepness_bayes(data, fair_coins=0, seed=seed)
            return float((found.samples > claim.threshold).mean())
        if not claim.ranks:
            return None
        ratings = dynamic(data, seed=seed)
    place = {name: code for code, name in enumerate(ratings.individuals)}
    if any(names[code] not in place for code in claim.above):
        return None
    side = claim.side(len(names))
    sides = np.array([side[names.index(name)] for name in ratings.individuals])
    if not (sides < 0).any():
        return None
    drawn = ratings.final
    return float((drawn[:, sides > 0].min(axis=1) > drawn[:, sides < 0].max(axis=1)).mean())


def checked_method(method: Any, claim: Claim, data: Contests) -> str:
    """The name of a method that ranks and that these data allow."""
    one_of("method", method, RANKERS)
    if not claim.ranks and method != "bradley_terry":
        raise ArgumentError(
            f'{given("method", method)}: the claim "{claim.text}" is not about ranks. Leave '
            f"{option_name('method')} out."
        )
    if method in IN_SEQUENCE and method != "dynamic" and not data.ordered:
        others = [name for name in RANKERS if name not in IN_SEQUENCE]
        raise DataError(
            f"{methods.label(method)} needs the order of contests, which a matrix or counts do not "
            f"hold. Choose another {option_name('method')}: {quoted(others)}."
        )
    return method


def stated(claim: Claim, names: tuple[str, ...]) -> str:
    """The claim as a sentence without its full stop."""
    above = listed([names[code] for code in claim.above]) if claim.above else ""
    if claim.below:
        return f"{above} ranks above {names[claim.below[0]]}"
    if claim.ranks:
        number = len(claim.above)
        return f"{above} ranks first" if number == 1 else f"The top {number} are {above}"
    if claim.kind == "steepness":
        return f"Steepness is above {claim.threshold:g}"
    return f"The hierarchy is {claim.kind} (p ≤ 0.05)"
