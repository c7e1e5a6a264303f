"""Winning probabilities from ratings: the methods of `Ratings` that predict contests."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.curves import Curve
from peckorder.errors import ArgumentError
from peckorder.home import home_bonus
from peckorder.results.chances import Chances
from peckorder.results.course import Course, Replay
from peckorder.results.result import Result
from peckorder.wording import option_name


class Predictions(Result):
    """Ratings that predict contests."""

    individuals: tuple[str, ...]
    rating: np.ndarray
    curve: Curve

    by_curve = True  # the chance of a win depends on the rating difference alone

    @property
    def course(self) -> Course[Replay]:
        """The contests behind these ratings and their replay."""
        raise NotImplementedError

    def code(self, name: object) -> int:
        """The position of an individual in `individuals`."""
        raise NotImplementedError

    def _at(self, date: object) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def probability(self, a: str, b: str, *, at: object = None, home: str | None = None) -> float:
        """Probability that `a` beats `b`, from the final ratings or those at a date.

        `home` names the home side, to which the home advantage of the settings is added.
        """
        rating = self.rating if at is None else self._at(at)[0]
        pair = np.array([self.code(a)]), np.array([self.code(b)])
        ahead = (
            rating[pair[0]] - rating[pair[1]] + self.bonus_at_home(*pair, self._side(a, b, home))
        )
        if np.isnan(ahead[0]):
            raise ArgumentError(f'"{a}" or "{b}" was not rated yet at {at}. Choose a later date.')
        return float(self.chance(ahead, *pair, at)[0])

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before it; the winner is the first side."""
        return self._with_draws(self.course.replay.foresight(home_advantage))

    def chances(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Probabilities from the final ratings or those at a date; NaN for unrated individuals."""
        rating = self.rating if at is None else self._at(at)[0]
        ahead = (
            rating[first] - rating[second] + self.bonus_at_home(first, second, home, home_advantage)
        )
        return self._with_draws(Chances.decided(self.chance(ahead, first, second, at), ahead))

    def chance(
        self, ahead: np.ndarray, first: np.ndarray, second: np.ndarray, at: object = None
    ) -> np.ndarray:
        """Winning probability by rating difference; here it does not depend on the individuals."""
        return np.asarray(self.curve(ahead))

    def _with_draws(self, chances: Chances) -> Chances:
        return chances.with_draws(self.values["nu"]) if "nu" in self.values else chances

    def bonus_at_home(
        self, first: np.ndarray, second: np.ndarray, home: np.ndarray, home_advantage: Any = None
    ) -> np.ndarray:
        """Home advantage of the first side; `home` is −1 where the second side is at home."""
        if home_advantage is None:
            own = self.settings.get("home_advantage") or 0.0
            home_advantage = self.values.get("home_advantage", own)
        return home_bonus(home_advantage, self.individuals, first, second, home)

    @staticmethod
    def _side(a: str, b: str, home: str | None) -> np.ndarray:
        """1 if `a` is at home, −1 if `b` is, 0 at a neutral venue."""
        if home is not None and str(home) not in (str(a), str(b)):
            raise ArgumentError(f'{option_name("home")} must be "{a}" or "{b}", not "{home}".')
        return np.array([0 if home is None else 1 if str(home) == str(a) else -1])
