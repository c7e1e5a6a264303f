"""Adaptive ratings: predict the next contest, with nothing to tune.

Twenty Gaussian filters differ in how far ratings are spread and how fast they drift. All learn, on
the way, how much experience, the last outcome, the record of a pair and a pause matter, and at
which level newcomers enter. They are averaged by how well each has predicted so far, and this
average is averaged in the same way with Elo ratings of fourteen values of k. The summed log loss is
therefore never more than log 2 above that of averaged Elo, whatever the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of, seed_number, whole_number
from peckorder.curves import curve_settings
from peckorder.data.dates import date_column, moment
from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, DataError
from peckorder.filters.adaptive_bank import DRIFTS, SPREADS, AdaptiveBank, run_adaptive
from peckorder.filters.adaptive_coefficients import learned, values_of
from peckorder.filters.adaptive_course import HOME_IS_LEARNED, AdaptiveReplay
from peckorder.filters.adaptive_summary import MEANINGS, summary_of
from peckorder.filters.dynamic import TIES, units_of, without_ties
from peckorder.filters.filtered import FilteredRatings
from peckorder.home import covariates_of
from peckorder.likelihood.contests import contests_of, natural_curve, note_groups
from peckorder.results.chances import Chances
from peckorder.results.course import Course
from peckorder.runs import number_of_threads
from peckorder.wording import option, quoted

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

        Table: coefficient, estimate, sd, low95, high95, p_positive (probability that it is above
        0) and meaning. They are in log-odds (natural scale), after the last contest.
        """
        return self._native(pl.DataFrame(self.coefficient_rows()))

    def coefficient_rows(self) -> list[dict[str, Any]]:
        """The rows of `coefficients`."""
        found = learned(self.bank, self.settings["units"] or {})
        return [
            {
                "coefficient": name,
                "estimate": float(estimate),
                "sd": estimate.sd,
                "low95": estimate.low95,
                "high95": estimate.high95,
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
        units, given = self.settings["units"] or {}, {} if given is None else dict(given)
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
    data: Any,
    *,
    home_advantage: str | None = None,
    covariates: Sequence[str] = (),
    presence: Any = None,
    ties: str = "davidson",
    within: str = "file",
    scale: float | None = None,
    delta: float | None = None,
    samples: int = 4000,
    seed: Any = None,
    threads: int | None = None,
) -> Any:
    """Adaptive ratings: predictions of the next contest, with nothing to tune.

    Parameters
    ----------
    data : Interactions; or a mapping of groups, {name: Interactions}
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
        Contests with the same time stamp: in the order of the file, or at once, so that none enters
        the experience, momentum and record that another is predicted from.
    scale, delta : as in `elo_ml`
    samples : int
        Number of draws that represent the ratings; they are independent.
    seed : int, SeedSequence or Generator, optional
        Of these draws. Predictions and coefficients do not depend on it.
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
    The summed log loss is at any time at most log 2 = 0.69 above that of averaged Elo. Predictions
    are made for the next contest: ratings are for description, and the probability of a pair also
    depends on its recent contests.

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
    values = values_of(bank, measured)
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
            "presence": contests.presence is not None,
        },
        citations=("herbster1998", *(("davidson1970",) if bank.record.tied.any() else ())),
        report=contests.report,
        kept=Course(contests, replay),
        values=values,
        summary=summary_of(values, learned(bank, measured), contests, left_out, within),
        seed=number,
    )


def ordered_contests(data: Any) -> Interactions:
    """The contests, if their order is known."""
    if not isinstance(data, Interactions) and hasattr(data, "wins"):
        raise DataError(NO_ORDER)
    contests = contests_of(data, "adaptive")
    if not contests.ordered:
        raise DataError(NO_ORDER)
    return contests


def refuse_many(data: Interactions) -> None:
    """An error if the covariances of all filters would be too large."""
    size = len(data.individuals)
    if size > MOST_INDIVIDUALS:
        raise DataError(
            f"{size:,} individuals: adaptive ratings keep the covariance of all pairs in each of "
            f"20 filters, up to {MOST_INDIVIDUALS} individuals. Select a group, a period or some "
            f"individuals (data.filter(individuals=[…])), or use elo, whose k can be tuned."
        )


def first_of_stamps(data: Interactions) -> np.ndarray | None:
    """The number of the first contest of each time stamp; None if there are no dates."""
    if data.date is None:
        raise DataError(
            f"{option('within', 'batch')} needs dates. Name their column: {option('date')}."
        )
    return np.flatnonzero(np.append(True, data.date[1:] != data.date[:-1]))
