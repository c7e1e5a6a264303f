"""Scores of predictions, contest by contest.

A contest is predicted correctly if the favorite wins. Without a model of ties, its log loss is
−[S log p + (1 − S) log(1 − p)] and its Brier score (S − p)², with S the score of the winner (½ for
a tie, or its share of the points). With a model of ties, they are the log score and the ranked
probability score of the three outcomes.

Differences between several raters, corrected for the choice of the best among them.

Predictions and how their contests ended, scored piece by piece.

Probabilities of ties for raters without a model of them, learned from earlier contests only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from peckorder.curves import TABLE_LIMIT
from peckorder.data.effects import NOBODY_AT_HOME
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.kernels.paired import resampled_sums
from peckorder.random_runs import Runs, p_value
from peckorder.ratings.elo_arrays import scores
from peckorder.ratings.live import FieldRater
from peckorder.ratings.settings import EloSettings
from peckorder.results import Ratings
from peckorder.results.chances import Chances, limit_of
from peckorder.results.window import NO_CONTESTS
from peckorder.text import counted
from peckorder.validate import one_of

NO_ORDER = (
    "Foresight needs contests in order. The order of these contests is unknown (they come from a "
    "matrix or from counts)."
)
EQUAL = {"wrong": 0.0, "half": 0.5, "drop": np.nan}  # credit if neither side is the favorite
MOST_CONTESTS = 20_000  # with more, the random error of 1000 resamples exceeds the normal one's
MOST_RESAMPLED = 200_000_000  # contests in all bootstrap samples
BLOCK = 25
PIECE = 1 << 15  # contests
COLUMNS = ("correct", "contests that count", "log loss", "Brier score")


def pieces(number: int) -> Iterator[slice]:
    """So many contests in pieces that fit into the cache of a processor."""
    for begin in range(0, number, PIECE):
        yield slice(begin, min(begin + PIECE, number))


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores, one entry per contest; `correct` is NaN for contests that do not count."""

    correct: np.ndarray
    log_loss: np.ndarray
    brier: np.ndarray
    equal: np.ndarray
    decided: np.ndarray
    clipped: np.ndarray  # whether the probability was kept away from 0 and 1

    @property
    def columns(self) -> np.ndarray:
        """What is summed, in columns: see COLUMNS."""
        counts = ~np.isnan(self.correct)
        correct = np.where(counts, self.correct, 0.0)
        return np.column_stack([correct, counts, self.log_loss, self.brier])

    def take(self, places: slice | np.ndarray) -> Scores:
        """The scores at these places."""
        return Scores(*(column[places] for column in vars(self).values()))


@dataclass(frozen=True, eq=False)
class Totals:
    """Counts, sums and squared deviations of scores: correct, log loss, Brier score."""

    contests: int
    decided: int
    equal: int
    clipped: int
    counts: np.ndarray  # contests that count, by score
    sums: np.ndarray
    squares: np.ndarray  # squared deviations from the mean

    @classmethod
    def none(cls) -> Totals:
        """Of no contests."""
        return cls(0, 0, 0, 0, np.zeros(3), np.zeros(3), np.zeros(3))

    @classmethod
    def of(cls, scores: Scores) -> Totals:
        """Totals of some contests."""
        columns = scores.correct[~np.isnan(scores.correct)], scores.log_loss, scores.brier
        counts = np.array([float(len(one)) for one in columns])
        sums = np.array([one.sum() for one in columns])
        means = sums / np.maximum(counts, 1.0)
        return cls(
            len(scores.correct),
            int(scores.decided.sum()),
            int(scores.equal.sum()),
            int(scores.clipped.sum()),
            counts,
            sums,
            np.array([((one - mean) ** 2).sum() for one, mean in zip(columns, means, strict=True)]),
        )

    def with_more(self, more: Totals) -> Totals:
        """Totals of both (Chan et al. 1983, The American Statistician 37:242–247)."""
        counts = self.counts + more.counts
        apart = more.sums / np.maximum(more.counts, 1) - self.sums / np.maximum(self.counts, 1)
        between = apart**2 * self.counts * more.counts / np.maximum(counts, 1)
        return Totals(
            self.contests + more.contests,
            self.decided + more.decided,
            self.equal + more.equal,
            self.clipped + more.clipped,
            counts,
            self.sums + more.sums,
            self.squares + more.squares + between,
        )

    def errors(self) -> list[float]:
        """Standard errors of the means."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(self.squares / (self.counts - 1) / self.counts).tolist()


def chosen_equal(equal: str) -> float:
    """The credit for equal ratings that a rule gives."""
    one_of("equal", equal, EQUAL)
    return EQUAL[equal]


def rated(ratings: Any, what: str) -> Ratings:
    """The argument if it is Ratings; a TypeError otherwise."""
    if not isinstance(ratings, Ratings):
        if getattr(ratings, "method", None) == "plackett_luce":
            raise ArgumentTypeError(
                f"{what.rpartition('.')[2]} takes ratings of contests of two sides. For these, "
                f"predict(board, fixtures=[[side, side, …]]) gives the chance of each place, and "
                f"board.probability(a, b) of one before the other."
            )
        if isinstance(ratings, FieldRater):
            raise ArgumentTypeError(
                f"{what.rpartition('.')[2]} needs the record, which a FieldRater does not keep: "
                f"its update_many(data) returns the log of the probability of each contest. "
                f"peckorder.evaluate takes the fit peckorder.sport.plackett_luce(data)."
            )
        order = (
            " This order gives no winning probabilities (those of bradley_terry and davids_score "
            "do): see peckorder.hierarchy_shape(data) for how "
            "often the higher-ranked individual wins, or peckorder.compare(data) to compare orders."
        )
        raise ArgumentTypeError(
            f"{what.rpartition('.')[2]} takes ratings, as returned by peckorder.elo, not "
            f"{type(ratings).__name__}: peckorder.{what}(peckorder.elo(data))."
            f"{order if hasattr(ratings, 'rank') else ''}"
        )
    if ratings.window is not None and len(ratings.data) == 0:
        raise DataError(NO_CONTESTS)
    return ratings


def rater_of(ratings: Ratings) -> dict[str, Any]:
    """Method, settings and seed of ratings, to be recorded with a result based on them."""
    return {"method": ratings.method, **ratings.settings, "seed": ratings.seed}


def hindsight(
    ratings: Ratings, home_advantage: Any = None, own: slice | np.ndarray = slice(None)
) -> Chances:
    """Probabilities of the observed contests, or of some of them, under the final ratings."""
    data = ratings.data
    if data.home is None and home_advantage:
        raise DataError(NOBODY_AT_HOME)
    home = np.broadcast_to(np.int8(0), len(data)) if data.home is None else data.home
    if home_advantage is None:  # covariates decide, too
        bonus = getattr(ratings.course.replay, "bonus", None) if ratings.kept else None
        home_advantage = None if bonus is None else bonus[own]
    return ratings.chances(data.winner[own], data.loser[own], home[own], home_advantage)


def true_scores(ratings: Ratings) -> np.ndarray:
    """Score of each winner as used by the rating: 1, ½ or a share of the points."""
    data = ratings.data
    outcome = ratings.settings.get("outcome") or "win"
    return np.broadcast_to(scores(EloSettings(outcome=outcome), data), len(data))


def scored(ratings: Ratings, chances: Chances, tie: float) -> Scores:
    """Scores of the predictions of each contest."""
    judged = Judged.of(ratings, chances.part, tie)
    parts = [vars(judged.scores(own)) for own in pieces(max(1, len(ratings.data)))]
    return Scores(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def score_contests(
    draw: np.ndarray | None, chances: Chances, score: np.ndarray, tie: float, least: float
) -> Scores:
    """Scores of predicted probabilities (kept at least `least` from 0 and 1)."""
    drawn = np.zeros(len(score), bool) if draw is None else draw
    correct = (chances.ahead > 0).astype(np.float64)
    correct[chances.ahead == 0] = tie
    correct[drawn] = np.nan
    win = np.clip(chances.win, least, 1 - least)
    if chances.draw is None:
        log_loss = -np.log(win)
        if score.strides != (0,) or score[0] != 1.0:  # not all of them are wins
            loss = np.clip(chances.loss, least, 1 - least)
            log_loss = score * log_loss - (1 - score) * np.log(loss)
        brier = (score - win) ** 2
    else:
        log_loss = -np.log(np.where(drawn, np.maximum(chances.draw, least), win))
        won = np.where(drawn, 0.0, 1.0)
        brier = ((chances.win - won) ** 2 + chances.loss**2) / 2
    clipped = (chances.win < least) | (chances.loss < least)
    return Scores(correct, log_loss, brier, (chances.ahead == 0) & ~drawn, ~drawn, clipped)


def clipping(ratings: Ratings, number: int) -> str | None:
    """A sentence if the probabilities of so many contests had to be kept away from 0."""
    if number == 0:
        return None
    least = limit_of(ratings)
    why = " The printed table gives 1.00 from 736 points on." if least == TABLE_LIMIT else ""
    return (
        f"The probabilities of {counted(number, 'contest')} were set to {least:g} or "
        f"1 − {least:g}, because a probability of 0 would make the log loss infinite.{why}"
    )


def confidence_interval(
    low: float | None, high: float | None, level: float, digits: str, unit: str = ""
) -> str:
    """A confidence interval as text; "to" instead of a dash after a negative limit.

    >>> confidence_interval(0.3, 1.76, 0.95, ".2f"), confidence_interval(-1, 2, 0.9, ".0f")
    ('95% CI 0.30–1.76', '90% CI −1 to 2')
    """
    if low is not None and high is not None and low == -high == -np.inf:
        return f"too few contests for a {100 * level:g}% CI"
    if low is None or high is None or low != low:
        return f"{100 * level:g}% CI not available"
    ends = [f"{float(end):z{digits}}".replace("-", "−") for end in (low, high)]
    between = " to " if ends[0].startswith("−") else "–"
    return f"{100 * level:g}% CI {between.join(ends)}{unit}"


def summary(
    totals: Totals, sums: np.ndarray | None, level: float, ranked: bool
) -> dict[str, float | int | None]:
    """Counts and means of scores, with intervals from the resampled sums."""
    correct, log_loss, brier = totals.sums.tolist()
    size, counts = totals.contests, totals.counts[0]
    means = {
        "share": correct / counts if counts else None,
        "log_loss_ties" if ranked else "log_loss": log_loss / size,
        "rps" if ranked else "brier": brier / size,
    }
    out: dict[str, Any] = {
        "contests": size,
        "decided": totals.decided,
        "equal": totals.equal,
        "correct": _whole(correct),
    }
    spread = _resampled(sums, size) if sums is not None else totals.errors()
    for i, (name, mean) in enumerate(means.items()):
        out[name] = None if mean is None else float(mean)
        ends = _ends(spread[i], mean, level)
        out[f"{name}_low"], out[f"{name}_high"] = ends
    if ranked:
        out |= {"log_loss": None, "brier": None}  # of two outcomes: not comparable
    return out


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else float(value)


def _resampled(sums: np.ndarray, size: int) -> list[np.ndarray]:
    """Means of each bootstrap sample: share, log loss, Brier score."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return [sums[:, 0] / sums[:, 1], sums[:, 2] / size, sums[:, 3] / size]


def _ends(spread: Any, mean: float | None, level: float) -> tuple[float | None, float | None]:
    if mean is None:
        return None, None
    if np.ndim(spread) == 0:
        from scipy.special import ndtri

        reach = float(ndtri(0.5 + level / 2) * spread)
        return float(mean) - reach, float(mean) + reach
    known = spread[np.isfinite(spread)]
    if known.size == 0:
        return None, None
    low, high = np.quantile(known, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def affordable(contests: int, runs: Runs) -> bool:
    """Whether so many contests are resampled; otherwise the normal interval is used.

    Limits from 1000 resamples have a random error of 0.09 standard errors. Those of the normal
    interval miss the skewness of a mean, which is that of a contest divided by √contests: 0.01
    standard errors with 20,000 contests whose scores have a skewness of 2.
    """
    return contests <= MOST_CONTESTS and contests * runs.number <= MOST_RESAMPLED


def bootstrap(columns: np.ndarray, runs: Runs) -> np.ndarray | None:
    """Column sums over contests resampled with replacement, (runs, columns)."""
    if not affordable(len(columns), runs):
        return None
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    out = np.empty((runs.number, columns.shape[1]))
    key = runs.key()

    def work(begin: int, end: int) -> None:
        resampled_sums(columns, key, begin, out[begin:end])

    runs.do(work, BLOCK)
    return out


def paired_interval(
    differences: np.ndarray, runs: Runs, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the intervals of column sums, by resampling contests."""
    ends = [0.5 - level / 2, 0.5 + level / 2]
    sums = bootstrap(differences, runs)
    if sums is not None:
        low, high = np.quantile(sums, ends, axis=0)
        return low, high
    from scipy.special import ndtri

    total = differences.sum(axis=0)
    reach = ndtri(ends[1]) * differences.std(axis=0, ddof=1) * np.sqrt(len(differences))
    return total - reach, total + reach


@dataclass(frozen=True, eq=False)
class Differences:
    """Summed differences of all pairs of raters, their standard errors, and the largest t's."""

    total: np.ndarray  # (raters, raters): score of the column minus that of the row
    error: np.ndarray  # standard errors, from sums over blocks
    largest: np.ndarray  # of each bootstrap sample: the largest absolute t over all pairs
    block: int

    def p(self, i: int, j: int) -> float:
        """p-value of the difference between two raters, corrected for all pairs."""
        if self.error[i, j] == 0:
            return 1.0
        return p_value(self.largest >= abs(self.total[i, j]) / self.error[i, j])

    def limits(self, i: int, j: int, level: float) -> tuple[float, float]:
        """Limits of a difference; those of all pairs hold simultaneously."""
        if self.error[i, j] == 0:
            return float(self.total[i, j]), float(self.total[i, j])
        place = int(np.ceil(level * (len(self.largest) + 1))) - 1  # as the p-value counts
        highest = np.append(np.sort(self.largest), np.inf)[place]
        reach = float(highest * self.error[i, j])
        return float(self.total[i, j]) - reach, float(self.total[i, j]) + reach


def all_differences(points: np.ndarray, runs: Runs) -> Differences:
    """Compare all columns of scores, (contests, raters)."""
    number, size = points.shape
    block = block_length(number)
    sums = in_blocks(points - points.mean(axis=1, keepdims=True), block)
    pairs = list(combinations(range(size), 2))
    each = np.column_stack([sums[:, j] - sums[:, i] for i, j in pairs])
    total, error = np.zeros((size, size)), np.zeros((size, size))
    middle = each.mean(axis=0)
    spread = _error(each.sum(axis=0), (each**2).sum(axis=0), len(each))
    for (i, j), one, se in zip(pairs, each.sum(axis=0), spread, strict=True):
        total[i, j], total[j, i] = one, -one
        error[i, j] = error[j, i] = se
    centered = each - middle
    drawn = bootstrap(np.hstack([centered, centered**2]), runs)
    if drawn is None or not spread.any():
        largest = np.full(1 if drawn is None else len(drawn), np.inf if drawn is None else 0.0)
        return Differences(total, error, largest, block)
    again = drawn[:, : len(pairs)]
    errors = _error(again, drawn[:, len(pairs) :], len(each))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(again) / errors
    t = np.where(np.isnan(t) | (spread == 0), 0.0, t)
    return Differences(total, error, t.max(axis=1), block)


def block_length(contests: int) -> int:
    """Contests per block: the cube root of their number."""
    return max(1, round(contests ** (1 / 3)))


def in_blocks(values: np.ndarray, block: int) -> np.ndarray:
    """Sums over consecutive contests; the blocks differ in length by at most one."""
    number = max(2, len(values) // block) if len(values) > 1 else 1
    starts = np.linspace(0, len(values), number, endpoint=False).astype(np.int64)
    return np.add.reduceat(values, starts, axis=0)


def _error(total: np.ndarray, squares: np.ndarray, number: int) -> np.ndarray:
    """Standard error of a sum over independent blocks; 0 below rounding errors."""
    if number < 2:
        return np.zeros(np.shape(total))
    variance = np.maximum(squares - total**2 / number, 0.0) * number / (number - 1)
    return np.where(variance > 1e-18 * np.maximum(squares, 1e-300), np.sqrt(variance), 0.0)


Places = slice | np.ndarray


@dataclass(frozen=True, eq=False)
class Judged:
    """Predicted chances of contests, which of them were ties, and the scores of the winners."""

    chances: Callable[[Places], Chances]
    drawn: np.ndarray | None
    score: np.ndarray
    credit: float  # if neither side is the favorite
    least: float

    @classmethod
    def of(cls, ratings: Ratings, chances: Callable[[Places], Chances], credit: float) -> Judged:
        """All contests of ratings, with the chances of contests at given places."""
        drawn = ratings.data.draw
        if drawn is not None and not drawn.any():
            drawn = None
        return cls(chances, drawn, true_scores(ratings), credit, limit_of(ratings))

    def scores(self, own: Places) -> Scores:
        """Scores of some contests."""
        drawn = None if self.drawn is None else self.drawn[own]
        return score_contests(drawn, self.chances(own), self.score[own], self.credit, self.least)

    def totals(self, own: Places) -> Totals:
        """Totals of the scores of some contests."""
        if isinstance(own, slice):
            begin, end, _ = own.indices(len(self.score))
            parts = (slice(begin + one.start, begin + one.stop) for one in pieces(end - begin))
        else:
            parts = (own[one] for one in pieces(len(own)))
        total = Totals.none()
        for part in parts:
            total = total.with_more(Totals.of(self.scores(part)))
        return total


NUS = np.geomspace(0.02, 20.0, 40)
LEAST = 1e-12


def with_past_ties(chances: Chances, drawn: np.ndarray) -> Chances:
    """Chances of a win, a tie and a loss, with ν averaged over the contests before each one."""
    win = np.clip(chances.win, LEAST, 1 - LEAST)
    odds = NUS * np.sqrt(win * (1 - win))[:, None]
    share = 1 / (1 + odds)
    seen = np.where(drawn[:, None], odds * share, share)  # the rest does not depend on ν
    log_weight = np.vstack([np.zeros(len(NUS)), np.cumsum(np.log(seen), axis=0)[:-1]])
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    decided = (weight * share).sum(axis=1)
    return Chances(win * decided, (1 - win) * decided, chances.ahead, 1 - decided)
