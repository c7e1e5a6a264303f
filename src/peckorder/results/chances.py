"""Outcome probabilities of a contest: that the first side wins, ties or loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peckorder.curves import smallest_probability
from peckorder.errors import DataError
from peckorder.text import counted, option
from peckorder.validate import one_of

if TYPE_CHECKING:
    from peckorder.data.contests import Contests
    from peckorder.results.ratings import Ratings

TIES = ("davidson", "omit")


@dataclass(frozen=True, eq=False)
class Chances:
    """Probabilities that the first side wins, ties and loses, one entry per contest.

    If ties are not modeled (`draw` is None), `win` is the expected score of the first side.
    `ahead` is positive if the first side is the favorite, and 0 if there is no favorite. `defeat`
    is the probability of a loss, or None if it is 1 − `win`, which need not be stored.
    """

    win: np.ndarray
    defeat: np.ndarray | None
    ahead: np.ndarray
    draw: np.ndarray | None = None

    @property
    def loss(self) -> np.ndarray:
        """Probability that the first side loses."""
        return 1.0 - self.win if self.defeat is None else self.defeat

    @property
    def expected(self) -> np.ndarray:
        """Expected score of the first side; a tie counts one half."""
        return self.win if self.draw is None else self.win + 0.5 * self.draw

    @classmethod
    def decided(cls, win: np.ndarray, ahead: np.ndarray) -> Chances:
        """Probabilities under a model without ties."""
        return cls(win, None, ahead)

    def part(self, own: slice | np.ndarray) -> Chances:
        """The chances of some of the contests."""
        defeat, draw = (None if one is None else one[own] for one in (self.defeat, self.draw))
        return Chances(self.win[own], defeat, self.ahead[own], draw)

    def with_draws(self, nu: float | np.ndarray, ties: str | None = None) -> Chances:
        """The same contests with ties.

        P(tie) = νr/(1 + νr), r = √(pq) (Davidson 1970), or by "rao-kupper", with θ = 1 + ν, sides
        win with p/(p + θq) and q/(q + θp) (Rao & Kupper 1967).
        """
        if not np.any(nu):
            return Chances(self.win, self.defeat, self.ahead, np.zeros(self.win.shape))
        if ties == "rao-kupper":
            p, q = self.win, self.loss
            win, loss = p / (p + (1 + nu) * q), q / (q + (1 + nu) * p)
            return Chances(win, loss, self.ahead, win * loss * nu * (2 + nu))
        odds = nu * np.sqrt(self.win * self.loss)
        share = 1.0 / (1.0 + odds)
        return Chances(self.win * share, self.loss * share, self.ahead, odds * share)


def joined(parts: list[Chances]) -> Chances:
    """The chances of several sets of contests, one after the other."""
    if len(parts) == 1:
        return parts[0]
    win, loss, ahead = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("win", "loss", "ahead")
    )
    draws = [part.draw for part in parts if part.draw is not None]
    return Chances(win, loss, ahead, np.concatenate(draws) if draws else None)


def drawn_of(data: Contests) -> np.ndarray:
    """Which contests were draws."""
    return np.zeros(len(data), bool) if data.draw is None else data.draw


def limit_of(ratings: Ratings) -> float:
    """Smallest probability used in a log loss."""
    return smallest_probability(ratings.curve)


@dataclass(frozen=True)
class Reading:
    """Conversion of expected scores into probabilities of a win, a tie and a loss.

    `nu` is Davidson's ν, if ties occurred and the rater does not model them; `boldness` multiplies
    the log-odds if the rater expects a share of the points instead of wins.
    """

    nu: float | None = None
    boldness: float = 1.0
    summary: tuple[str, ...] = ()
    empty: bool = False  # whether the probability of a tie is unknown

    def of(self, chances: Chances) -> Chances:
        """Probabilities of a win, a tie and a loss."""
        if self.boldness != 1.0:
            odds = np.log(chances.win / chances.loss) * self.boldness
            win = 1 / (1 + np.exp(-odds))
            chances = Chances.decided(win, chances.ahead)
        if self.nu is None or chances.draw is not None:
            return chances
        return chances.with_draws(self.nu)


def reading(ratings: Ratings, ties: str) -> Reading:
    """Calibrate the expected scores of a rater by its foresight."""
    one_of("ties", ties, TIES)
    if ratings.settings.get("ties") == "omit":
        return Reading(
            summary=("Ties were left out of the fit: probabilities are for decided contests.",),
            empty=True,
        )
    data = ratings.data
    drawn, by_points = drawn_of(data), ratings.settings.get("outcome") == "points"
    if not by_points and (not drawn.any() or "nu" in ratings.values):
        return Reading()
    chances, least = ratings.foresight(), limit_of(ratings)
    win = np.clip(chances.win, least, 1 - least)
    sentences, boldness = [], 1.0
    if by_points:
        boldness = _boldness(win[~drawn])
        win = 1 / (1 + np.exp(-boldness * np.log(win / (1 - win))))
        sentences.append(
            f"These ratings expect a share of the points; their log-odds were multiplied by "
            f"{boldness:.3g} to give probabilities of winning, calibrated on the contests so far."
        )
    if not drawn.any():
        return Reading(boldness=boldness, summary=tuple(sentences))
    if ties == "omit":
        sentences.append(
            "Ties are not modeled: p_a and p_b are expected scores, in which a tie counts half."
        )
        return Reading(boldness=boldness, summary=tuple(sentences), empty=True)
    if drawn.all():
        raise DataError(
            f"All contests were ties, so the probability of a win is not identifiable. Use "
            f"{option('ties', 'omit')}."
        )
    nu = _most_likely(np.sqrt(win * (1 - win)), int(drawn.sum()))
    sentences.append(
        f"Equally rated sides tie with probability {nu / (2 + nu):.2f} (ν = {nu:.3g}, estimated "
        f"from {counted(int(drawn.sum()), 'tie')} in {counted(len(data), 'contest')})."
    )
    return Reading(nu, boldness, tuple(sentences))


def _boldness(win: np.ndarray) -> float:
    """Maximum-likelihood factor that turns log-odds of points into log-odds of winning."""
    from scipy.optimize import minimize_scalar

    odds = np.log(win / (1 - win))
    if not odds.any():
        return 1.0

    def loss(log_factor: float) -> float:
        return float(np.log1p(np.exp(-np.exp(log_factor) * odds)).sum())

    best: Any = minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded")
    return float(np.exp(best.x))


def _most_likely(root: np.ndarray, number: int) -> float:
    """The ν for which the expected number of ties equals the observed one."""
    from scipy.optimize import brentq

    def excess(log_nu: float) -> float:
        odds = np.exp(log_nu) * root
        return float((odds / (1 + odds)).sum() - number)

    root_of: Any = brentq
    return float(np.exp(root_of(excess, -30.0, 30.0)))
