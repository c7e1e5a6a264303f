"""Elo ratings by maximum likelihood (Foerster et al. 2016).

The k and the starting scores under which the record is most likely: the log-likelihood is the sum
of log chances of what happened, each by the scores before the contest. Only differences of scores
matter, so their common level is fixed. Where the wins do not lead from everybody to everybody
else, differences between components grow without bound: see `bradley_terry`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.components import in_braces, linked, strong
from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import DataError, caution
from peckorder.kernels.courses import photograph
from peckorder.ranking import bradley_terry
from peckorder.rating import policies
from peckorder.rating.curves import curve_settings
from peckorder.rating.elo import EloReplay
from peckorder.rating.maximum import (
    LARGEST_K,
    MOST_CURVED,
    Problem,
    interior,
    maximize,
    observed_information,
    profile_interval,
    spread_of,
)
from peckorder.rating.observed import Observed, contests_of, natural_curve, observe
from peckorder.rating.policies import PRESETS, EloSettings
from peckorder.rating.reduced import reduced
from peckorder.results import Ratings
from peckorder.runs import checked_level
from peckorder.wording import counted, option, quoted

ESTIMATED = ("k", "start", "home_advantage")
FIRST_K = (0.02, 0.3, 2.0)
APART = 40.0  # natural units between components: a chance of 1 − 4e-18
MATTERS = 1e-4
MOST_MATRIX = 5_000


def elo_ml(
    data: Any,
    *,
    estimate: tuple[str, ...] | str = ("k", "start"),
    k: float | str | None = None,
    start: Any = None,
    scale: float | None = None,
    delta: float | None = None,
    home_advantage: float | None = None,
    home_in_update: bool = False,
    draws: str = "davidson",
    presence: Any = None,
    burn_in: tuple[int, float] | None = None,
    penalized: bool = False,
    prior_sd: float = 2.0,
    min_contests: int | None = None,
    one_sided: bool = False,
    level: float = 0.95,
    preset: str | None = None,
) -> Ratings:
    """Elo ratings with k and starting scores estimated by maximum likelihood.

    Parameters
    ----------
    data : Interactions or Matrix
    estimate : any of "k", "start", "home_advantage"
        What is estimated; the rest stands where the next three put it.
    k : number or "context"
        A fixed k where k is not estimated (0 by default: a static hierarchy); "context" estimates
        one for each context.
    start : number or mapping
        Starting scores where they are not estimated, or else the level around which they are
        reported; default 0.
    scale, delta : float, optional
        Scale of what is reported: by default the natural one, on which a difference d wins with
        chance 1/(1 + e^(−d)); `scale=400` (base 10) or `delta=0.01` as in `elo`.
    home_advantage, home_in_update : as in `elo`
    draws : {"davidson", "omit"}
        Model draws (Davidson 1970), or leave them out. The update of a draw is that of `elo`.
    presence : as in `read`; it tells who is listed at a date, the fit does not depend on it.
    burn_in : (n, k), optional
        The first n contests move scores with this k and are left out of the likelihood. Where
        starting scores are estimated it must be (n, 0): those contests are left out altogether.
    penalized : bool
        Fit with a normal prior on starting scores, mean 0 and standard deviation `prior_sd` on the
        natural scale: finite for any data (the maximum a posteriori).
    min_contests, one_sided : optional
        Leave individuals out first: with fewer contests, or with wins only or losses only. Both
        throw information away and may start a chain reaction: see `without`.
    level : float
        Of profile intervals.
    preset : {"EloOptimized"}, optional
        δ = 0.01 and start 1000; estimating k alone, 100 contests of burn-in at k = 100; else the
        first 100 contests are left out and all starting scores are counted as parameters.

    Returns
    -------
    Ratings
        Its table has besides: start, start_se, rating_se, component. Values: `k` (by context: a
        dict), `k_se`, `k_low`, `k_high` (profile interval), `home_advantage` and `nu` likewise,
        `log_likelihood`, `parameters` (the identified ones), `aic`, `bic`, `components`, `models`
        (nested models side by side), `correct`, `share`, `brier` (by the scores before each
        contest).

    References
    ----------
    Foerster et al. 2016, Scientific Reports 6:35404, doi:10.1038/srep35404.

    Examples
    --------
    >>> import peckorder as po
    >>> fit = po.elo_ml(po.datasets.adv(), estimate="k")
    >>> round(fit.k, 3), round(fit.log_likelihood, 3)
    (0.921, -18.089)
    """
    estimate = (estimate,) if isinstance(estimate, str) else tuple(estimate)
    unknown = [name for name in estimate if name not in ESTIMATED]
    if unknown or not estimate:
        raise ValueError(
            f"estimate={unknown[0] if unknown else estimate!r} is not known. Choose from: "
            f"{', '.join(ESTIMATED)}."
        )
    if preset not in (None, "EloOptimized"):
        raise ValueError(f'preset="{preset}" is no preset of a fit. Choose: EloOptimized.')
    if not isinstance(prior_sd, int | float) or not 0 < prior_sd < float("inf"):
        raise ValueError(f"prior_sd={prior_sd!r}: give a number above 0.")
    checked_level(level)
    if preset is not None:
        start = 1000.0 if start is None else start
        burn_in = burn_in or ((100, 0.0) if "start" in estimate else (100, 100.0))
    curve = natural_curve(scale, delta, PRESETS[preset]["curve"] if preset else None)
    settings = EloSettings(
        start=0.0 if start is None else start, burn_in=burn_in, curve=curve,
        home_advantage=home_advantage or 0.0, home_in_update=home_in_update,
        k=0.0 if k is None or k == "context" else k,  # pyright: ignore[reportArgumentType]
        day="max" if preset else "last", preset=preset,
    )  # fmt: skip
    if k is not None and k != "context" and ("k" in estimate or not isinstance(k, int | float)):
        raise ValueError(
            f"k={k!r}: give a number for a fixed k and leave k out of estimate, or "
            f'k="context" to estimate one per context.'
        )
    if burn_in is not None and burn_in[1] > 0 and "start" in estimate:
        raise ValueError(
            "Estimated starting scores need no burn-in that moves them: burn_in=(n, 0) leaves the "
            "first n contests out (--burn-in n,0)."
        )
    data = contests_of(data, "elo_ml")
    if presence is not None:
        data = data.with_presence(presence)
    rounds: list[list[str]] = []
    if min_contests is not None or one_sided:
        data, rounds = reduced(data, min_contests=min_contests, one_sided=one_sided)
    seen = observe(
        data, draws=draws, by_context=k == "context",
        counted_from=0 if burn_in is None else burn_in[0],
        home="home_advantage" in estimate or bool(home_advantage), home_in_update=home_in_update,
    )  # fmt: skip
    fitted = _Fit(seen, settings, estimate, prior_sd if penalized else np.inf)
    return fitted.ratings(
        level,
        rounds,
        {
            "estimate": list(estimate), "k": k, "start": start, **curve_settings(curve),
            "home_advantage": home_advantage, "home_in_update": home_in_update, "draws": draws,
            "burn_in": None if burn_in is None else list(burn_in), "penalized": penalized,
            "prior_sd": prior_sd if penalized else None, "min_contests": min_contests,
            "one_sided": one_sided, "level": level, "preset": preset, "day": settings.day,
            "presence": seen.data.presence is not None,
        },
    )  # fmt: skip


class _Fit:
    """One data set, one choice of free parameters, and the maximum found."""

    def __init__(
        self, seen: Observed, settings: EloSettings, estimate: tuple[str, ...], prior_sd: float
    ):
        self.seen, self.settings, self.estimate = seen, settings, estimate
        self.data, self.slope = seen.data, settings.curve.slope
        self.names = self.data.individuals
        given = policies.starts(settings, self.names) * self.slope
        burn_k = 0.0 if settings.burn_in is None else settings.burn_in[1] * self.slope
        k = np.full(max(1, len(seen.classes)) + 1, float(settings.k) * self.slope)
        k[-1] = burn_k
        if "start" in estimate:
            given = given - given.mean()
        self.whole = Problem(
            seen.contests, given, k, settings.home_advantage * self.slope, seen.with_draws,
            frozenset(estimate), prior_sd,
        )  # fmt: skip
        self.components = self._components()
        self.problem, self.limit = self.whole, False
        self._maximize()

    # -- finding the maximum ---------------------------------------------------------------

    def _components(self) -> list[np.ndarray]:
        """Strongly connected components of who beat whom, where starting scores are free."""
        size = len(self.names)
        if "start" not in self.estimate or size > MOST_MATRIX:
            return [np.arange(size)]
        counts = self.data.take(np.arange(int(self.seen.contests.counted), len(self.data)))
        matrix = counts.matrix()
        place = [self.data.code(name) for name in matrix.individuals]
        wins, drawn = np.zeros((size, size)), np.zeros((size, size))
        wins[np.ix_(place, place)] = matrix.wins
        drawn[np.ix_(place, place)] = matrix.draws
        if not self.seen.with_draws:
            drawn[:] = 0
        self.first = bradley_terry.fit(wins, drawn, 2.0)
        penalized = np.isfinite(self.whole.prior_sd)
        parts = linked(wins + drawn)
        if len(parts) > 1 and not penalized:
            raise DataError(
                f"There are {len(parts):,} sets of individuals without a contest between them: "
                f"{in_braces(parts, self.names)}. Scores cannot be compared across them. Fit each "
                f"on its own (data.filter(individuals=[…])), or pass penalized=True (--penalized)."
            )
        if drawn.any() and not penalized and bradley_terry.draws_unbounded(wins, drawn):
            raise DataError(
                "These draws and wins have no finite maximum likelihood: ever more draws between "
                f"ever more unequal sides fit ever better. Pass {option('draws', 'omit')}, or "
                "penalized=True (--penalized)."
            )
        return strong((wins > 0) | (drawn > 0), self.first.ability)

    def _maximize(self) -> None:
        penalized = np.isfinite(self.whole.prior_sd)
        if len(self.components) > 1 and not penalized:
            self._maximize_limit()
            return
        self.x, self.value = maximize(self.whole, self._starts(self.whole))

    def _maximize_limit(self) -> None:
        """Components infinitely far apart: contests between them are certain and move nobody."""
        component = np.empty(len(self.names), np.int64)
        for c, own in enumerate(self.components):
            component[own] = c
        contests = self.whole.contests
        inside = component[contests.first] == component[contests.second]

        def cut(array: np.ndarray) -> np.ndarray:
            return np.ascontiguousarray(array[inside]) if array.size else array

        within = contests._replace(
            first=cut(contests.first), second=cut(contests.second), draw=cut(contests.draw),
            home=cut(contests.home), k_of=cut(contests.k_of),
            counted=int(inside[: contests.counted].sum()),
        )  # fmt: skip
        if not inside.any():  # nobody met an equal: no k can be told
            within = within._replace(draw=np.zeros(0, bool))
        limit = replace(self.whole, contests=within, work=[])
        self.x, self.value = maximize(limit, self._starts(limit))
        # With k above 0 a finite distance may fit better still: what is won between components
        # then moves scores inside them.
        x, value = maximize(self.whole, [self._apart(self.x, 6.0), *self._starts(self.whole)[1:2]])
        if value > self.value + MATTERS:
            self.x, self.value = x, value
        else:
            self.problem, self.limit = limit, True

    def _apart(self, x: np.ndarray, gap: float) -> np.ndarray:
        """The same position with components put apart, around the largest of them."""
        out = x.copy()
        start = out[self.whole.layout["start"]]
        low, high = self._course_range(x)
        floor = np.inf
        for own in self.components:
            start[own] -= start[own].mean()
        shift = np.zeros(len(start))
        for own in self.components:
            if np.isfinite(floor):
                shift[own] = floor - gap - (start[own] + high[own]).max()
            floor = (start[own] + low[own] + shift[own]).min()
        start += shift
        largest = max(self.components, key=len)
        start -= start[largest].mean()
        return out

    def _course_range(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far below and above its start each score ever stood."""
        start, k, nu, home = self.whole.unfold(x)
        problem = self.problem if self.limit else self.whole
        places = np.arange(problem.contests.first.size + 1)
        if len(places) * len(start) > 50_000_000:  # a bound in place of the course
            moved = np.full(len(start), k.max() * np.sqrt(len(places)))
            return -moved, moved
        out = np.empty((len(places), 1, len(start)))
        photograph(
            problem.contests, start[None], k[None], np.array([nu]), np.array([home]), places, out,
            True,
        )  # fmt: skip
        course = out[:, 0] - start
        return course.min(axis=0), course.max(axis=0)

    def _starts(self, problem: Problem) -> list[np.ndarray]:
        ability = self.first.ability if "start" in self.estimate else problem.start
        if "start" in self.estimate and len(self.names) > MOST_MATRIX:
            ability = np.zeros(len(self.names))
        firsts = FIRST_K if "k" in self.estimate else FIRST_K[:1]
        return [problem.position(ability * (1 if k < 1 else 0.3), k) for k in firsts]

    # -- what follows ------------------------------------------------------------------------

    @property
    def parameters(self) -> int:
        """Number of parameters that differences of scores can tell."""
        number = self.whole.size
        return number - ("start" in self.estimate and self.settings.preset is None)

    def ratings(
        self, level: float, rounds: list[list[str]], described: dict[str, Any]
    ) -> Ratings:
        settings, columns = self._settings(), self._columns()
        replay = EloReplay(self.data, settings)
        values = self._values(level)
        expected = replay.history()[0]
        own = np.arange(len(self.data)) >= self.seen.contests.counted
        decided = own if self.data.draw is None else own & ~self.data.draw
        correct = int((expected[decided] > 0.5).sum())
        values |= {
            "correct": correct,
            "share": correct / max(1, int(decided.sum())),
            "brier": float(np.mean((1 - expected[decided]) ** 2)) if decided.any() else None,
        }
        words = self._in_words(values, level, rounds)
        if len(self.components) > 1 and not described["penalized"]:
            caution(words[0])
        return Ratings(
            method="elo_ml",
            individuals=self.names,
            rating=replay.final(),
            record=Record.of(self.data),
            curve=settings.curve,
            settings=described,
            citations=("foerster2016", *(("davidson1970",) if self.seen.with_draws else ())),
            report=self.data.report,
            data=self.data,
            replay=replay,
            values=values,
            words=words,
            columns=columns,
        )

    def _level(self) -> float:
        """The reported level of starting scores, on the natural scale."""
        if "start" not in self.estimate:
            return 0.0
        return float(policies.starts(self.settings, self.names).mean() * self.slope)

    def _settings(self) -> EloSettings:
        """The settings under which `elo` gives the fitted course."""
        x = self._apart(self.x, APART) if self.limit else self.x
        start, k, _, home = self.whole.unfold(x)
        if "start" in self.estimate:
            if not self.limit:
                start = start - start.mean()
            start = start + self._level()
        by_class: Any = float(k[0]) / self.slope
        if self.seen.classes:
            by_class = {
                name: float(one) / self.slope
                for name, one in zip(self.seen.classes, k[:-1], strict=True)
            }
        # To nine digits, so that what is equal but for rounding has the same rank.
        starts = dict(zip(self.names, np.round(start, 9) / self.slope, strict=True))
        return replace(
            self.settings, k=by_class, start=starts, home_advantage=home / self.slope, preset=None
        )

    def _columns(self) -> dict[str, np.ndarray]:
        """Starting scores and standard errors of these and of the last ratings."""
        size = len(self.names)
        start = policies.starts(self._settings(), self.names)
        columns = {"start": start}
        errors = np.full((2, size), np.nan)
        self.covariance = np.zeros((0, 0))
        if self.problem.size <= MOST_CURVED:
            inside = interior(self.problem, self.x)
            information = observed_information(self.problem, self.x)[np.ix_(inside, inside)]
            covariance = np.zeros((self.problem.size, self.problem.size))
            covariance[np.ix_(inside, inside)] = np.linalg.pinv(
                information, hermitian=True, rcond=1e-9
            )
            self.covariance = covariance
            places = self.problem.layout
            if "start" in places:
                block = covariance[places["start"], places["start"]]
                errors[0] = self._errors(block)
            errors[1] = self._errors(spread_of(covariance, self._finals, self.x))
        columns["start_se"], columns["rating_se"] = errors / self.slope
        component = np.empty(size, np.int64)
        for c, own in enumerate(self.components, start=1):
            component[own] = c
        return columns | {"component": component}

    def _errors(self, covariance: np.ndarray) -> np.ndarray:
        """Standard errors relative to the mean of those whose differences are finite."""
        out = np.full(len(self.names), np.nan)
        sets = self.components if self.limit else [np.arange(len(self.names))]
        for own in sets:
            if len(own) > 1:
                block = bradley_terry.centered(covariance[np.ix_(own, own)])
                out[own] = np.sqrt(np.maximum(np.diag(block), 0.0))
        return out

    def _finals(self, x: np.ndarray) -> np.ndarray:
        start, k, nu, home = self.problem.unfold(x)
        contests = self.problem.contests
        out = np.empty((1, 1, len(start)))
        photograph(
            contests, start[None], k[None], np.array([nu]), np.array([home]),
            np.array([contests.first.size]), out, True,
        )  # fmt: skip
        return out[0, 0]

    def _values(self, level: float) -> dict[str, Any]:
        x, places = self.x, self.problem.layout
        start, k, nu, home = self.problem.unfold(x)
        likelihood = self.problem.log_likelihood(x)
        values: dict[str, Any] = {}
        scale = 1 / self.slope
        names = list(self.seen.classes) or [None]
        told: dict[str, Any] = {}
        if "k" in places:
            bits = [self._interval(places["k"].start + i, level, 0.0, LARGEST_K)
                    for i in range(len(names))]  # fmt: skip
            for i, what in enumerate(("k", "k_se", "k_low", "k_high")):
                each = [None if bit[i] is None else bit[i] * scale for bit in bits]
                told[what] = each[0] if names == [None] else dict(zip(names, each, strict=True))
        else:
            told["k"] = float(k[0]) * scale
        values |= told
        if "home_advantage" in places:
            at, se, low, high = self._interval(places["home_advantage"].start, level, -1e3, 1e3)
            values |= {
                "home_advantage": at * scale, "home_advantage_se": _times(se, scale),
                "home_advantage_low": _times(low, scale), "home_advantage_high": _times(high, scale),
            }  # fmt: skip
        if "log_nu" in places:
            at, se, low, high = self._interval(places["log_nu"].start, level, -20.0, 20.0)
            values |= {
                "nu": float(np.exp(at)), "nu_low": 0.0 if low is None else float(np.exp(low)),
                "nu_high": None if high is None else float(np.exp(high)),
            }  # fmt: skip
        return values | {
            "log_likelihood": likelihood,
            "parameters": self.parameters,
            "aic": 2 * self.parameters - 2 * likelihood,
            "bic": float(self.parameters * np.log(self.seen.number) - 2 * likelihood),
            "components": [sorted(self.names[i] for i in own) for own in self.components],
            "unbounded": self.limit,
            "penalized": bool(np.isfinite(self.whole.prior_sd)),
            "models": self._models(likelihood),
        }

    def _interval(self, place: int, level: float, low: float, high: float):
        """Estimate, standard error and profile interval of one parameter (natural scale)."""
        at = float(self.x[place])
        variance = self.covariance[place, place] if self.covariance.size else 0.0
        se = float(np.sqrt(variance)) if variance > 0 else None
        left, right = profile_interval(self.problem, self.x, place, level, low, high)
        if left is None and low == 0.0:
            left = 0.0
        return at, se, left, right

    def _models(self, likelihood: float) -> list[dict[str, Any]]:
        """The fit beside the models inside it: is k needed, are starting scores needed?"""
        if np.isfinite(self.whole.prior_sd) or not {"k", "start"} & set(self.estimate):
            return []
        from scipy.stats import chi2

        problem, equal = self.problem, np.zeros(len(self.names))
        inner: dict[str, Problem] = {}
        if {"k", "start"} <= set(self.estimate):
            inner["k, equal starts"] = self.whole.fixed(start=equal)
            inner["starts, k = 0"] = problem.fixed(k=0.0)
        inner["equal starts, k = 0"] = self.whole.fixed(start=equal, k=0.0)
        if "start" not in self.estimate:
            inner = {"k = 0": self.whole.fixed(k=0.0)}
        rows = [{"model": " and ".join(self.estimate), "parameters": self.parameters,
                 "log_likelihood": likelihood, "p": None}]  # fmt: skip
        for name, one in inner.items():
            value = maximize(one, self._nested_starts(one))[1]
            number = one.size - ("start" in one.free and self.settings.preset is None)
            gain, more = 2 * (likelihood - value), self.parameters - number
            # On the edge k = 0 half of the distribution of the test lies at zero.
            edge = more == 1 and "k" in self.estimate and name.endswith("k = 0")
            p = float(chi2.sf(max(gain, 0.0), more)) * (0.5 if edge else 1.0)
            rows.append({"model": name, "parameters": number, "log_likelihood": value, "p": p})
        best = min(2 * row["parameters"] - 2 * row["log_likelihood"] for row in rows)
        for row in rows:
            row["aic"] = 2 * row["parameters"] - 2 * row["log_likelihood"]
            row["bic"] = row["parameters"] * float(np.log(self.seen.number)) - 2 * row[
                "log_likelihood"
            ]
            row["delta_aic"] = row["aic"] - best
        return rows

    def _nested_starts(self, one: Problem) -> list[np.ndarray]:
        start, k, nu, home = self.problem.unfold(self.x)
        firsts = FIRST_K if "k" in one.free else (0.0,)
        return [one.position(start, first, home, nu or 0.5) for first in firsts]

    # -- in words ----------------------------------------------------------------------------

    def _in_words(
        self, values: dict[str, Any], level: float, rounds: list[list[str]]
    ) -> tuple[str, ...]:
        words = []
        if len(self.components) > 1:
            words.append(self._components_in_words())
        if "k" in self.estimate:
            words += self._k_in_words(values, level)
        words += [_needed(row, values["models"][0]) for row in values["models"][1:]]
        share = (
            f"By the scores before each contest, {values['share']:.1%} of "
            f"{counted(self.seen.number, 'contest')} went to the side with the higher score"
        )
        words.append(share + (f" (Brier {values['brier']:.4f})." if values["brier"] else "."))
        if self.problem.size > MOST_CURVED:
            words.append(f"Standard errors are left out above {MOST_CURVED:,} parameters.")
        if rounds:
            words.append(f"Left out: {'; then '.join(quoted(names) for names in rounds)}.")
        if self.seen.left_out:
            words.append(f"{counted(self.seen.left_out, 'draw was', 'draws were')} left out.")
        if self.data.group is not None and len(self.data.group.names) > 1:
            words.append(f"{len(self.data.group.names):,} groups are taken as one.")
        return tuple(words)

    def _components_in_words(self) -> str:
        known = (
            f"No chain of wins leads back up between {len(self.components):,} components: "
            f"{in_braces(self.components, self.names, ' > ')}. "
        )
        if np.isfinite(self.whole.prior_sd):
            return known + "How far apart they stand is the prior's word as much as the data's."
        if not self.limit:
            return known + "Since scores move, a finite distance between them still fits best."
        return known + (
            f"Scores differ without bound between them (they are printed {APART / self.slope:,.0f} "
            f"apart, a chance of 1) and are fitted inside each; the log-likelihood is the limit. "
            f"penalized=True (--penalized) gives finite differences."
        )

    def _k_in_words(self, values: dict[str, Any], level: float) -> list[str]:
        by_class = values["k"] if self.seen.classes else {None: values["k"]}
        out = []
        for name, k in by_class.items():
            low, high = (values[side] if name is None else values[side][name]
                         for side in ("k_low", "k_high"))  # fmt: skip
            of = "" if name is None else f" of {name}"
            if k == 0:
                upto = "any size" if high is None else f"{high:.3g}"
                out.append(
                    f"k{of} is at its bound 0: the record gives no sign that wins and losses moved "
                    f"anybody ({level:.0%} profile interval up to {upto}). A static hierarchy is "
                    f"the best account."
                )
            else:
                shown = "without an upper end" if high is None else f"{low:.3g} to {high:.3g}"
                out.append(f"k{of} = {k:.4g} ({level:.0%} profile interval {shown}).")
        return out


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _needed(row: dict[str, Any], full: dict[str, Any]) -> str:
    gain = full["log_likelihood"] - row["log_likelihood"]
    more = full["parameters"] - row["parameters"]
    better = row["aic"] - full["aic"]
    verdict = f"favours the full model by {better:.1f}" if better > 0 else (
        f"favours the simpler one by {-better:.1f}"
    )  # fmt: skip
    return (
        f"Against “{row['model']}” the log-likelihood is higher by {gain:.2f} for "
        f"{counted(more, 'parameter')} more (p = {row['p']:.2g}); AIC {verdict}."
    )
