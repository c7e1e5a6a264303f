"""Adaptive ratings: predict the next contest, with nothing to tune.

Twenty Gaussian filters differ in how far ratings are spread and how fast they drift. All learn, on
the way, how much experience, the last outcome, the record of a pair and a pause matter, and at
which level newcomers enter. They are averaged by how well each has predicted so far, and this
average is averaged in the same way with Elo ratings of fourteen values of k. If contests are taken
in one by one, the summed log loss is therefore never more than log 2 above that of averaged Elo,
whatever the data.

The words of adaptive ratings: what coefficients mean, and how sure they are.

What adaptive ratings learned: coefficients with their intervals, and values of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.curves import curve_settings
from peckorder.data.contests import Contests, Record
from peckorder.data.date_columns import date_column, moment
from peckorder.data.effects import covariates_of, units_of
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import sparse_connection
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.estimate import PARTS, Estimate, limits
from peckorder.random_runs import number_of_threads
from peckorder.ratings.adaptive_filter import (
    COEFFICIENTS,
    DRIFTS,
    NU,
    SPREADS,
    AdaptiveBank,
    run_adaptive,
)
from peckorder.ratings.adaptive_trajectory import HOME_IS_LEARNED, AdaptiveReplay
from peckorder.ratings.dynamic import TIES, FilteredRatings, ties_of_equals, without_ties
from peckorder.ratings.filter_runner import mixture_moments, mixture_quantiles
from peckorder.ratings.likelihood import contests_of, natural_curve, note_groups
from peckorder.results.chances import Chances
from peckorder.results.trajectory import Course
from peckorder.text import counted, option, quoted
from peckorder.validate import (
    FittedTies,
    between_0_and_1,
    is_number,
    one_of,
    seed_number,
    whole_number,
)

WITHIN = ("file", "batch")
MOST_INDIVIDUALS = 500
NO_ORDER = (
    "The order of these contests is unknown (they come from a matrix or from counts). Adaptive "
    "ratings predict each contest from those before it, so they need an order: read the contests "
    "one by one, or use dynamic or bradley_terry."
)


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveRatings(FilteredRatings):
    """Ratings by averaged filters, with draws, coefficients and predictions of any pair."""

    by_curve = False

    @property
    def replay(self) -> AdaptiveReplay:
        """The filters over the whole record."""
        return self.whole.course.replay

    @property
    def bank(self) -> AdaptiveBank:
        """The filters behind these ratings, with their states and weights."""
        return self.replay.bank

    # -- what was learned --------------------------------------------------------------------

    @property
    def coefficients(self) -> Any:
        """Coefficients of the log-odds of a win, with intervals.

        Table: coefficient, estimate, sd, low, high, p_positive (probability that it is above
        0) and meaning. They are in log-odds (natural scale), after the last contest.
        """
        return self._native(pl.DataFrame(self.coefficient_rows()))

    def coefficient_rows(self) -> list[dict[str, Any]]:
        """The rows of `coefficients`."""
        found = learned(self.bank, self.settings["units"] or {}, self.level)
        return [
            {
                "coefficient": name,
                "estimate": float(estimate),
                "sd": estimate.sd,
                "low": estimate.low,
                "high": estimate.high,
                "p_positive": positive,
                "meaning": MEANINGS.get(name, f"effect of a unit of {name} in favor of the winner"),
            }
            for name, (estimate, positive) in found.items()
        ]

    def weights(self) -> Any:
        """Weights of the predictors before each contest and after the last.

        Table: contest (number of contests before), date, elo (weight of averaged Elo), and the
        weights among the filters by spread (spread_0.5, …) and by drift (drift_0, …).
        """
        bank, data = self.bank, self.whole.data
        places = np.arange(len(data) + 1)
        columns: dict[str, Any] = {"contest": places}
        if data.date is not None:
            columns["date"] = date_column(data.date[np.maximum(places - 1, 0)])
        columns["elo"] = 1 - bank.bank_shares
        shape = (len(places), len(bank.nus), len(SPREADS), len(DRIFTS))
        each = bank.weights.reshape(shape).sum(axis=1)
        columns |= {f"spread_{s:g}": each[:, i].sum(axis=1) for i, s in enumerate(SPREADS)}
        columns |= {f"drift_{w:g}": each[:, :, i].sum(axis=1) for i, w in enumerate(DRIFTS)}
        frame = pl.DataFrame(columns)
        if self.window is not None:
            frame = frame.filter(pl.col("contest").is_between(self.window.begin, self.window.stop))
        return self._native(frame)

    # -- predictions -------------------------------------------------------------------------

    def probability(
        self,
        a: str,
        b: str,
        *,
        at: object = None,
        home: str | None = None,
        covariates: Mapping[str, float] | None = None,
    ) -> float:
        """Probability that `a` beats `b` in the next contest (one that is not tied).

        It uses all that was learned: ratings, their recent contests, their record against each
        other. With `at`, from the contests up to that date. `home` names the side at home;
        `covariates` gives values by name, seen from `a`.
        """
        pair = np.array([self.code(a)]), np.array([self.code(b)])
        known = self._covariates(self._side(a, b, home), covariates)
        chances = self.replay.chances(*self._whole(*pair), known, self._contests(at))
        return float(chances.win[0] / (chances.win[0] + chances.loss[0]))

    def chances(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Probabilities of the next contest of each pair, now or after the contests to a date."""
        known = self._no_other(home, home_advantage)
        return self.replay.chances(*self._whole(first, second), known, self._contests(at))

    def chances_by_draw(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """The same under each draw, (draws, pairs)."""
        known = self._no_other(home, home_advantage)
        drawn = self.replay.chances_by_draw(*self._whole(first, second), known, self._contests(at))
        if drawn.draw is None:  # as other ratings with draws
            return Chances(drawn.win, drawn.loss, drawn.ahead, np.zeros(drawn.win.shape))
        return drawn

    def _no_other(self, home: np.ndarray, home_advantage: Any) -> np.ndarray:
        if home_advantage is not None:
            raise ArgumentError(HOME_IS_LEARNED)
        return self._covariates(home, None)

    def _covariates(self, home: np.ndarray, given: Mapping[str, float] | None) -> np.ndarray:
        """Covariates of each pair in their units, seen from the first side; 0 if not given."""
        units, given = self.settings["units"] or {}, {} if given is None else given
        if not isinstance(given, Mapping) or not all(map(is_number, given.values())):
            raise ArgumentTypeError(
                f"covariates={given!r}: give numbers by name, such as covariates={{'mass': 1.5}}."
            )
        unknown = [name for name in given if name not in units or name == "home_advantage"]
        if unknown:
            known = [name for name in units if name != "home_advantage"]
            raise ArgumentError(
                f"{quoted(unknown)}: not among the covariates of these ratings"
                + (f" ({quoted(known)})." if known else ", which have none.")
            )
        out = np.zeros((len(home), len(units)))
        for place, (name, unit) in enumerate(units.items()):
            out[:, place] = home if name == "home_advantage" else given.get(name, 0.0) / unit
        return out

    def _whole(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Codes of both sides in the whole record."""
        if self.window is None:
            return first, second
        return self.window.places[first], self.window.places[second]

    def _contests(self, at: object) -> int:
        """The number of contests up to a date, by default to the end of record or window."""
        if at is None:
            return len(self.whole.data) if self.window is None else self.window.stop
        self._at(at)  # raises an error before the first contest
        times = self.whole.data.times
        return int(np.searchsorted(times, moment(at, times), side="right"))


def adaptive(
    data: Data,
    *,
    home_advantage: str | None = None,
    covariates: Sequence[str] = (),
    presence: Any = None,
    ties: FittedTies = "davidson",
    within: Literal["file", "batch"] = "batch",
    scale: float | None = None,
    delta: float | None = None,
    samples: int = 4000,
    seed: Any = None,
    level: float = 0.95,
    threads: int | None = None,
) -> Any:
    """Adaptive ratings: predictions of the next contest, with nothing to tune.

    Parameters
    ----------
    data : Contests; or a mapping of groups, {name: Contests}
        Contests in order. A mapping gives a mapping of results; groups are rated independently.
    home_advantage : "estimate", optional
        Learn an advantage of the side at home.
    covariates : names of columns, optional
        Numbers added to the log-odds times a coefficient that is learned: the winner's minus the
        loser's body mass, for example. In data with two sides (votes, games) a value is the first
        side's minus the second's. Two columns may be given as "mass_a - mass_b". The prior
        of an effect is normal with standard deviation 0.5 per root mean square of the column (of
        the whole record, so that earlier predictions change slightly when contests are added).
    presence : as in `read`
        Who is listed and ranked at a date. Predictions do not depend on it: newcomers enter with
        their first contest, and absence needs no rule.
    ties : {"davidson", "omit"}
        Model ties (Davidson 1970), averaged over several values of ν, or leave them out.
    within : {"file", "batch"}
        Contests with the same time stamp: at once, each predicted from those before the stamp
        (default, as in `dynamic`), or in the order of the file.
    scale, delta : as in `elo_ml`
    samples : int
        Number of draws that represent the ratings; they are independent.
    seed : int, SeedSequence or Generator, optional
        Of these draws. Predictions and coefficients do not depend on it.
    level : float
        Probability that intervals contain; also `.at_level(0.8)`.
    threads : int, optional
        The result does not depend on it.

    Returns
    -------
    Ratings
        With draws, like those of `dynamic`. Ratings are in log-odds, include experience, and are
        relative to the mean of those active in the last 200 contests; at earlier dates they are
        given all contests (hindsight). Values: coefficients of the log-odds (`experience`,
        `momentum`, `dyad_record`, `gap`, `home_advantage`, one per covariate), `entry` (level of
        newcomers, if there are any), `spread` and `drift` (means over the filters), `elo_weight`
        (weight of averaged Elo), `log_loss` and `elo_log_loss` (of the predictions, summed, and
        the same for averaged Elo), `nu`. Methods: `coefficients` (a table), `weights()` (over
        time), `probability(a, b)`, which uses all that was learned.

    Notes
    -----
    The summed log loss is at any time at most log 2 = 0.69 above that of averaged Elo, if contests
    have time stamps of their own or with `within="file"`. Predictions are made for the next
    contest: ratings are for description, and the probability of a pair also depends on its recent
    contests.

    Not for short and even sport seasons (fewer than about 100 games), short records in which hardly
    any outcome is a surprise, and feeder visits whose structure forces the next outcome. Up to 500
    individuals.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.adaptive(po.datasets.adv(), seed=1)
    >>> list(found)[:3], round(found.probability("b", "c"), 3)
    (['b', 'c', 'd'], 0.722)
    >>> round(found.log_loss, 3), found.log_loss - found.elo_log_loss < 0.694
    (18.62, True)
    """
    data = opened(data)
    if isinstance(data, Mapping):
        options = dict(locals())
        del options["data"]
        if presence is not None:
            raise ArgumentError("Give each group its presence: po.read(…, presence=…).")
        return {name: adaptive(part, **options) for name, part in data.items()}
    one_of("ties", ties, TIES)
    one_of("within", within, WITHIN)
    if home_advantage is not None:
        one_of("home_advantage", home_advantage, ("estimate",))
    whole_number("samples", samples, 2)
    curve, number = natural_curve(scale, delta), seed_number(seed)
    contests = ordered_contests(data)
    if presence is not None:
        contests = contests.with_presence(presence)
    note_groups(contests)
    contests, left_out = without_ties(contests) if ties == "omit" else (contests, 0)
    refuse_many(contests)
    names, columns = covariates_of(contests, home_advantage, covariates)
    units = units_of(names, columns)
    columns = None if columns is None else columns / units
    batches = first_of_stamps(contests) if within == "batch" else None
    bank = run_adaptive(
        contests.winner,
        contests.loser,
        individuals=len(contests.individuals),
        tied=contests.draw,
        batches=batches,
        covariates=columns,
        threads=None if threads is None else number_of_threads(threads),
    )
    home_place = 0 if home_advantage is not None else None
    replay = AdaptiveReplay(
        contests, bank, columns, batches, samples, number, curve.slope, home_place
    )
    measured = {name: float(unit) for name, unit in zip(names, units, strict=True)}
    values = values_of(bank, measured, level)
    return AdaptiveRatings(
        method="adaptive",
        individuals=contests.individuals,
        rating=replay.means_at_the_end(),
        record=Record.of(contests),
        curve=curve,
        settings={
            "home_advantage": home_advantage,
            "covariates": list(covariates) or None,
            "units": measured or None,
            "ties": ties,
            "within": within,
            **curve_settings(curve),
            "samples": samples,
            "level": between_0_and_1("level", level),
            "presence": contests.presence is not None,
        },
        citations=("herbster1998", *(("davidson1970",) if bank.record.tied.any() else ())),
        report=contests.report,
        kept=Course(contests, replay),
        values=values,
        summary=summary_of(values, learned(bank, measured, level), contests, left_out, within),
        seed=number,
    )


def ordered_contests(data: Any) -> Contests:
    """The contests, if their order is known."""
    if not isinstance(data, Contests) and hasattr(data, "wins"):
        raise DataError(NO_ORDER)
    contests = contests_of(data, "adaptive")
    if not contests.ordered:
        raise DataError(NO_ORDER)
    return contests


def refuse_many(data: Contests) -> None:
    """An error if the covariances of all filters would be too large."""
    size = len(data.individuals)
    if size > MOST_INDIVIDUALS:
        raise DataError(
            f"{size:,} individuals: adaptive ratings keep the covariance of all pairs in each of "
            f"20 filters, up to {MOST_INDIVIDUALS} individuals. Select a group, a period or some "
            f"individuals (data.filter(individuals=[…])), or use elo, whose k can be tuned."
        )


def first_of_stamps(data: Contests) -> np.ndarray | None:
    """The number of the first contest of each time stamp; None if each has one of its own."""
    if data.date is None or not len(data):
        return None
    return np.flatnonzero(np.append(True, data.date[1:] != data.date[:-1]))


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
    data: Contests,
    left_out: int,
    within: str,
) -> tuple[str, ...]:
    """What was learned, in sentences, and what to be careful about."""
    out = [_prediction(values, len(data))]
    out += [_sentence(name, *found) for name, found in learned.items()]
    if "nu" in values:
        out.append(ties_of_equals(values["nu"]))
    if left_out:
        out.append(f"{counted(left_out, 'tie was', 'ties were')} left out.")
    shared = _shared_stamps(data)
    if shared and within == "file":
        out.append(
            f"{counted(shared, 'contest')} share a time stamp with others and were taken in the "
            f"order of the file. If rows are sorted by winner within a date, that order is an "
            f"artifact: use {option('within', 'batch')}."
        )
    if data.idle:
        out.append(f"No contests of {quoted(data.idle)}: rated at the level of newcomers.")
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
    interval = _scaled(estimate, 1.0)
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
    if name in ("experience", "gap"):
        what = "A pause twice as long as that" if name == "gap" else "Twice the experience"
        effect = "pauses" if name == "gap" else "experience"
        return (
            f"{what} of the opponent {moves} the log-odds of winning by "
            f"{abs(estimate) * np.log(2):.2f} ({_scaled(estimate, np.log(2))}): {_evidence(sure)} "
            f"an effect of {effect}."
        )
    what = "Being at home" if name == "home_advantage" else f"A unit of {name}"
    size = f"{abs(estimate):.3g}"
    interval = _scaled(estimate, 1.0, ".3g")
    return f"{what} {moves} the log-odds of winning by {size} ({interval})."


def _scaled(estimate: Estimate, by: float, form: str = ".2f") -> str:
    ends = f"{estimate.low * by:{form}} to {estimate.high * by:{form}}"
    return f"{estimate.level:.0%} CrI {ends}".replace("-", "−")


def _evidence(sure: float) -> str:
    """How sure the sign of a coefficient is."""
    if sure >= SURE:
        return "evidence for"
    return "weak evidence for" if sure >= LIKELY else "no clear evidence for"


def _shared_stamps(data: Contests) -> int:
    """Number of contests that share their time stamp with another."""
    if data.date is None or len(data) < 2:
        return 0
    same = data.date[1:] == data.date[:-1]
    return int((np.append(same, False) | np.append(False, same)).sum())


def learned(
    bank: AdaptiveBank, units: Mapping[str, float], level: float
) -> dict[str, tuple[Estimate, float]]:
    """Coefficients by name with intervals, and the probability that each is above 0.

    Those of covariates are per unit of their column; the entry level only where somebody entered.
    """
    from scipy.special import ndtr

    size, weights = bank.offset, bank.weights[-1]
    means = bank.filtered.means[:, :size]
    variances = np.diagonal(bank.filtered.covariances, axis1=1, axis2=2)[:, :size]
    deviations = np.sqrt(variances)
    mean, deviation = mixture_moments(weights, means, variances)
    shares = tuple(limits(level).values())
    cuts = mixture_quantiles(weights, means, deviations, shares)
    positive = weights @ ndtr(means / deviations)
    per = {**dict.fromkeys(COEFFICIENTS, 1.0), **units}
    out = {}
    for i, (name, unit) in enumerate(per.items()):
        numbers = np.array([mean[i], deviation[i], *cuts[i]]) / unit
        parts: dict[str, float] = {"value": numbers[0]}
        parts |= dict(zip(PARTS, numbers[1:].tolist(), strict=True))
        out[name] = Estimate.from_dict(parts, level), float(positive[i])
    if not bank.record.newcomer.size:
        del out["entry"]
    return out


def values_of(bank: AdaptiveBank, units: Mapping[str, float], level: float) -> dict[str, Any]:
    """Coefficients, means over the filters, and how well contests were predicted."""
    weights = bank.weights[-1]
    shape = (len(bank.nus), len(SPREADS), len(DRIFTS))
    each = weights.reshape(shape).sum(axis=0)
    values: dict[str, Any] = {
        name: estimate for name, (estimate, _) in learned(bank, units, level).items()
    }
    values |= {
        "spread": float(each.sum(axis=1) @ SPREADS),
        "drift": float(each.sum(axis=0) @ DRIFTS),
        "elo_weight": float(1 - bank.bank_share),
        "log_loss": float(-np.log(bank.probability).sum()),
        "elo_log_loss": float(-np.log(bank.elo_probability).sum()),
    }
    if bank.record.tied.any():
        values["nu"] = float(weights @ bank.table[:, NU])
    return values
