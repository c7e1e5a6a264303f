"""In which defensible analyses of a record a claim holds.

The analyses form a tree: how the sheet was read, what is done with ties, individuals with few
contests and the beginning of the record; then the method; then settings of this method alone.
Weights are uniform at each branch, so that a method does not count more for having more settings.
Which choice matters is said by Shapley effects (Owen 2014): shares of the variance of the margin,
also of choices that exist for some methods only.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.read import opened
from peckorder.data.same_time import K
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, DataWarning
from peckorder.questions import claims
from peckorder.questions.claims import Claim
from peckorder.random_runs import Progress
from peckorder.ratings.likelihood import contests_of
from peckorder.results import Measure
from peckorder.structure.linearity import linearity
from peckorder.structure.steepness import steepness
from peckorder.structure.steepness_bayes import steepness_bayes
from peckorder.text import counted, option_name
from peckorder.validate import seed_number, several

FEW, FEW_SHARE = 5, 0.25  # contests: fewer than 5, or than a quarter of the median
LONG = 100  # contests of a record that may have a burn-in
RUNS = 2_000  # randomizations of a p-value
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "elo": ("k", "within"),
    "davids_score": ("index",),
    "steepness": ("null", "index"),
    "linearity": ("test",),
}
LEVELS: Mapping[str, tuple[Any, ...]] = {
    "ties": ("omit", "half"),
    "exclude": ("nobody", "few contests"),
    "burn_in": ("none", "first tenth"),
    "k": (K / 2, K, K * 2),
    "within": ("recorded", "batch"),
    "index": ("dij", "pij"),
    "null": ("uniform", "binomial"),
    "test": ("de Vries", "Kendall"),
}
DATA = ("reading", "ties", "exclude", "burn_in")


@dataclass(frozen=True, eq=False, repr=False)
class Multiverse(Measure):
    """In which analyses a claim holds."""

    analyses: int = 0  # number of analyses that can judge the claim
    holds: int = 0  # number of them in which it holds
    share: float = 0.0  # weighted share in which it holds; equal ranks count one half
    not_applicable: int = 0  # analyses without an individual of the claim, or without a result
    decisive: str | None = None  # the choice that matters most; None if all margins are equal
    probability: float | None = None  # posterior probability of the claim


@dataclass(frozen=True)
class Analysis:
    """One way through the tree: its choices, its weight, and the margin of the claim."""

    choices: Mapping[str, Any]
    weight: float
    margin: float | None


def multiverse(
    data: Any,
    claim: str,
    *,
    choices: Mapping[str, Sequence[Any]] | None = None,
    seed: Any = None,
    progress: Progress | None = None,
) -> Multiverse:
    """In which defensible analyses a claim holds, and which choice matters most.

    Parameters
    ----------
    data : Contests or Matrix; or a mapping of readings, {name: Contests}
        A mapping contains the same record, read in several ways.
    claim : as in `fragility`
    choices : {choice: levels}, optional
        Levels instead of the usual ones, such as {"k": [20, 40], "method": ["elo", "isi"]}. Choices
        are ties, exclude, burn_in, method, k, within and index; about steepness and linearity
        also null and test.
    seed : int, SeedSequence or Generator, optional
    progress : callable, optional
        Called with (done, all) after each analysis.

    Returns
    -------
    Multiverse
        Values: `analyses`, in how many of them the claim `holds`, the weighted `share`,
        `not_applicable`, the `decisive` choice, and the `probability` of the claim as in
        `fragility`. Table: one row per analysis with its choices, weight and margin (the difference
        in rank between those above and those below; for other claims as in `fragility`), from the
        highest margin. Tables: `effects`, share of the variance of the margin by choice; `levels`,
        the share in which the claim holds at each level.

    Notes
    -----
    Ties are omitted or counted half, if there are any. Individuals with fewer than max(5, a quarter
    of the median) contests stay or are left out. From 100 contests on, the first tenth is kept
    or left out as a burn-in. Elo has half its default k, the default and twice of it, and contests
    with the same time stamp in the order recorded or at once.

    Analyses share their data: their agreement is not evidence. In simulated groups of 10, three
    quarters of dyads had the same order in all analyses; where in addition P(claim) was below 0.8,
    this order was right in 0.68–0.75.

    References
    ----------
    Steegen et al. 2016, doi:10.1177/1745691616658637. Simonsohn, Simmons & Nelson 2020,
    doi:10.1038/s41562-020-0912-z. Owen 2014, doi:10.1137/130936233.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.multiverse(po.datasets.adv(), "b > c", seed=1)
    >>> found.holds, found.analyses, round(found.share, 2), found.decisive
    (7, 9, 0.83, 'method')
    """
    readings = _readings(data)
    whole = next(iter(readings.values()))
    parsed = claims.parse(claim, whole)
    number = seed_number(seed)
    chosen = _checked(choices)
    paths = list(_paths(readings, parsed, chosen))
    found = []
    for done, (steps, record, run, weight) in enumerate(paths, start=1):
        found.append(Analysis(steps, weight, _margin(parsed, record, run, whole, number % 2**31)))
        if progress is not None:
            progress(done, len(paths))
    judged = [one for one in found if one.margin is not None]
    if not judged:
        raise DataError(
            f'No analysis can judge the claim "{parsed.text}": an individual has too few contests, '
            f"or the methods give no result. Choose other individuals or other levels "
            f"({option_name('choices')})."
        )
    margin = np.array([float(one.margin or 0.0) for one in judged])
    weight = np.array([one.weight for one in judged])
    weight = weight / weight.sum()
    names = [n for n in (*DATA, "method", *LEVELS) if len({_level(one, n) for one in judged}) > 1]
    names = list(dict.fromkeys(names))
    effects = shapley(judged, names, margin, weight)
    true = (margin > 0) + 0.5 * (margin == 0)
    made = Multiverse(
        method="multiverse",
        data=whole,
        frame=_table(judged, margin, weight),
        settings={"claim": parsed.text, "choices": None if choices is None else dict(chosen)},
        citations=("steegen2016", "simonsohn2020"),
        seed=number,
        tables={
            "effects": pl.DataFrame(
                {"choice": names, "effect": [effects[name] for name in names]},
                schema={"choice": pl.String, "effect": pl.Float64},
            ).sort("effect", descending=True),
            "levels": _levels(judged, names, true, weight),
        },
        analyses=len(judged),
        holds=int((margin > 0).sum()),
        share=min(float(weight @ true), 1.0),
        not_applicable=len(found) - len(judged),
        decisive=max(names, key=lambda name: effects[name]) if np.ptp(margin) > 0 else None,
        probability=claims.probability(parsed, whole, whole.individuals, number),
    )
    return replace(made, summary=_in_words(made, parsed, effects))


def _readings(data: Any) -> dict[str, Contests]:
    """The record by the names of its readings; the first one is the usual one."""
    if not isinstance(data, Mapping):
        return {"": contests_of(opened(data), "questions.multiverse")}
    if not data:
        raise DataError("There is no reading: give at least one, {name: Contests}.")
    return {str(name): contests_of(one, "questions.multiverse") for name, one in data.items()}


def _checked(choices: Mapping[str, Sequence[Any]] | None) -> dict[str, tuple[Any, ...]]:
    """The levels requested, by choice."""
    known = ("method", *LEVELS)
    chosen = {} if choices is None else choices
    if not isinstance(chosen, Mapping):
        raise ArgumentTypeError(
            f'{option_name("choices")} takes a mapping such as {{"k": [50, 100]}}, not {choices!r}.'
        )
    for name in chosen:
        if name not in known:
            raise ArgumentError(
                f'{option_name("choices")}: "{name}" is not known. Choose from: {", ".join(known)}.'
            )
    found = {name: tuple(several(name, levels)) for name, levels in chosen.items()}
    for name, levels in found.items():
        if not levels:
            raise ArgumentError(f"{option_name('choices')}: {name} has no level.")
        unknown = [one for one in levels if name not in ("k", "method") and one not in LEVELS[name]]
        if name == "method":
            unknown = [one for one in levels if one not in (*claims.RANKERS, *STRUCTURE)]
        if unknown:
            allowed = LEVELS.get(name, (*claims.RANKERS, *STRUCTURE))
            raise ArgumentError(
                f'{option_name("choices")}: {name} has no level "{unknown[0]}". Choose from: '
                f"{', '.join(map(str, allowed))}."
            )
    return found


STRUCTURE = ("steepness", "steepness_bayes", "linearity")
Run = tuple[str, dict[str, Any], str]  # method, settings, and the rule for ties
Path = tuple[dict[str, Any], Contests, Run, float]


def _paths(
    readings: Mapping[str, Contests], claim: Claim, chosen: Mapping[str, tuple[Any, ...]]
) -> Iterator[Path]:
    """All analyses: choices, contests, method with settings, and weight."""
    for reading, data in readings.items():
        levels = {name: chosen.get(name, of) for name, of in _data_levels(data).items()}
        records = list(product(*levels.values()))
        for record in records:
            steps = dict(zip(levels, record, strict=True))
            if len(readings) > 1:
                steps["reading"] = reading
            left = _left(data, steps)
            branches = _branches(claim, left or data, chosen)
            weight = 1 / (len(readings) * len(records) * len(branches))
            for method, settings in branches.items():
                names = settings.keys()
                runs = list(product(*settings.values()))
                for one in runs:
                    how = dict(zip(names, one, strict=True))
                    run = (method, how, steps.get("ties", "omit"))
                    if left is not None:
                        yield {**steps, "method": method, **how}, left, run, weight / len(runs)


def _data_levels(data: Contests) -> dict[str, tuple[Any, ...]]:
    """Choices about the contests that make a difference."""
    found = {}
    if data.draw is not None and data.draw.any() and not data.draw.all():
        found["ties"] = LEVELS["ties"]
    few = _few(data)
    if few.any() and (~few).sum() >= 4:
        found["exclude"] = LEVELS["exclude"]
    if data.ordered and len(data) >= LONG:
        found["burn_in"] = LEVELS["burn_in"]
    return found


def _few(data: Contests) -> np.ndarray:
    """Individuals with few contests."""
    own = np.bincount(np.concatenate([data.winner, data.loser]), minlength=len(data.individuals))
    return own < max(FEW, FEW_SHARE * float(np.median(own)))


def _left(data: Contests, steps: Mapping[str, Any]) -> Contests | None:
    """The contests that these choices keep; None if there are none."""
    keep, members = np.ones(len(data), bool), None
    if steps.get("ties") == "omit" and data.draw is not None:
        keep &= ~data.draw
    if steps.get("exclude") == "few contests":
        few = _few(data)
        keep &= ~(few[data.winner] | few[data.loser])
        members = np.flatnonzero(~few)
    if steps.get("burn_in") == "first tenth":
        keep[: len(data) // 10] = False
    return data.take(np.flatnonzero(keep), members=members) if keep.any() else None


def _branches(
    claim: Claim, data: Contests, chosen: Mapping[str, tuple[Any, ...]]
) -> dict[str, dict[str, tuple[Any, ...]]]:
    """The methods that can judge a claim, each with the levels of its own settings."""
    usual: tuple[str, ...] = ("steepness", "steepness_bayes")
    if claim.ranks:
        usual = ("randomized_elo", "davids_score", "bradley_terry", "isi")
        usual = ("elo", "dynamic", *usual) if data.ordered else usual
    elif claim.kind != "steepness":
        usual = ("steepness",) if claim.kind == "steep" else ("linearity",)
    given = chosen.get("method", usual)
    names = [one for one in given if claim.ranks == (one not in STRUCTURE)]
    if claim.ranks and not data.ordered:
        names = [one for one in names if one == "dynamic" or one not in claims.IN_SEQUENCE]
    if not names:
        raise ArgumentError(
            f'{option_name("choices")}: none of these methods can judge "{claim.text}". Choose '
            f"from: {', '.join(usual)}."
        )
    stamps = data.date is not None and len(np.unique(data.date)) < len(data)
    found = {}
    for name in names:
        own = [one for one in SETTINGS.get(name, ()) if one != "within" or stamps]
        own = [one for one in own if one != "null" or claim.kind == "steep"]
        found[name] = {one: chosen.get(one, LEVELS[one]) for one in own}
    return found


def _margin(claim: Claim, data: Contests, run: Run, whole: Contests, seed: int) -> float | None:
    """The margin of a claim in one analysis; None if it cannot judge the claim."""
    method, settings, ties = run
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            if not claim.ranks:
                return _of_structure(claim, data, run, seed)
            how = {name: value for name, value in settings.items() if value != "recorded"}
            if ties == "half" and method in ("davids_score", "isi"):
                how["ties"] = "half"
            if method == "dynamic":
                how["samples"] = 2
            table = claims.ranking(data, method, how).as_polars()
        except DataError:
            return None
    rank = dict(zip(table["individual"].to_list(), table["rank"].to_list(), strict=True))
    names = whole.individuals
    above = [rank.get(names[code]) for code in claim.above]
    rest = claim.below or [c for c in range(len(names)) if c not in claim.above]
    below = [rank[names[code]] for code in rest if rank.get(names[code]) is not None]
    missing = any(names[code] not in rank for code in claim.below)
    if missing or not below or any(one is None for one in above):
        return None
    return float(min(below) - max(one for one in above if one is not None))


def _of_structure(claim: Claim, data: Contests, run: Run, seed: int) -> float:
    """The margin of a claim about steepness or linearity."""
    method, settings, ties = run
    if method == "steepness_bayes":
        found = steepness_bayes(data, fair_coins=0, seed=seed)
        return float(found.values["value"]) - claim.threshold
    common: dict[str, Any] = {"ties": ties, "runs": RUNS, "seed": seed, "threads": 1}
    if method == "linearity":
        values = linearity(data, **common).values
        if settings["test"] == "Kendall":
            p = values["p_kendall"]
            return claims.LEVEL - float(p)
        return claims.LEVEL - float(values["p"])
    found = steepness(data, **common, **settings)
    if claim.kind == "steep":
        return claims.LEVEL - claims.p_of(found)
    return float(found.values["value"]) - claim.threshold


def _level(one: Analysis, name: str) -> Any:
    return one.choices.get(name)


def shapley(
    analyses: Sequence[Analysis], names: Sequence[str], y: np.ndarray, weight: np.ndarray
) -> dict[str, float]:
    """Shares of the variance of y by choice; the value of a set S of choices is Var E[y | S]."""
    mean = float(weight @ y)
    variance = float(weight @ (y - mean) ** 2)
    if variance < 1e-15:
        return dict.fromkeys(names, 0.0)
    explained: dict[frozenset[str], float] = {}
    for size in range(len(names) + 1):
        for some in combinations(names, size):
            parts: dict[tuple[Any, ...], list[float]] = {}
            for one, value, share in zip(analyses, y, weight, strict=True):
                part = parts.setdefault(tuple(_level(one, name) for name in some), [0.0, 0.0])
                part[0] += share
                part[1] += share * value
            explained[frozenset(some)] = sum(b * b / a for a, b in parts.values()) - mean * mean
    return {name: _effect(name, names, explained) / variance for name in names}


def _effect(name: str, names: Sequence[str], explained: Mapping[frozenset[str], float]) -> float:
    """What a choice adds to the variance explained, averaged over all orders of choices."""
    others, total, number = [one for one in names if one != name], 0.0, len(names)
    orders: Callable[[int], float] = math.factorial
    for size in range(number):
        share = orders(size) * orders(number - size - 1) / orders(number)
        for some in combinations(others, size):
            total += share * (explained[frozenset((*some, name))] - explained[frozenset(some)])
    return total


def _table(judged: Sequence[Analysis], margin: np.ndarray, weight: np.ndarray) -> pl.DataFrame:
    """One row per analysis, from the highest margin."""
    used = [n for n in (*DATA, "method", *LEVELS) if any(n in one.choices for one in judged)]
    columns = {
        name: pl.Series([_text(_level(one, name)) for one in judged], dtype=pl.String)
        for name in dict.fromkeys(used)
    }
    return pl.DataFrame({**columns, "weight": weight, "margin": margin, "holds": margin > 0}).sort(
        "margin", descending=True, maintain_order=True
    )


def _text(level: Any) -> str | None:
    return f"{level:g}" if isinstance(level, int | float) else level


def _levels(
    judged: Sequence[Analysis], names: Sequence[str], true: np.ndarray, weight: np.ndarray
) -> pl.DataFrame:
    """The share in which a claim holds at each level of each choice."""
    rows = []
    for name in names:
        for level in dict.fromkeys(_level(one, name) for one in judged):
            own = np.array([_level(one, name) == level for one in judged])
            if level is not None:
                share = min(float(weight[own] @ true[own] / weight[own].sum()), 1.0)
                rows.append((name, _text(level), int(own.sum()), share))
    schema = {"choice": pl.String, "level": pl.String, "analyses": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _in_words(found: Multiverse, claim: Claim, effects: Mapping[str, float]) -> tuple[str, ...]:
    text = claims.stated(claim, found.data.individuals)
    first = (
        f"{text} in {found.holds} of {counted(found.analyses, 'analysis', 'analyses')} (weighted "
        f"{found.share:.0%})"
    )
    if found.decisive is not None:
        what = "method" if found.decisive == "method" else f'choice of "{found.decisive}"'
        first += f"; the {what} matters most ({effects[found.decisive]:.0%} of the variance)"
    out = [f"{first}."]
    if found.not_applicable:
        out.append(f"{counted(found.not_applicable, 'analysis', 'analyses')} cannot judge this.")
    if found.probability is not None:
        out.append(
            f"Posterior probability of the claim: {found.probability:.2f}. Analyses share their "
            f"data, so their agreement is not evidence."
        )
    else:
        out.append("Analyses share their data, so their agreement is not evidence.")
    return tuple(out)
