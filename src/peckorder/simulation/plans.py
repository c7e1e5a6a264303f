"""Records of a planned study: from assumptions about a group, or from a pilot record of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.checked import is_number
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.errors import ArgumentError
from peckorder.likelihood.contests import contests_of
from peckorder.simulation.hierarchies import hierarchy, names_of
from peckorder.simulation.truth import Truth
from peckorder.simulation.worlds import Worlds, posterior_of
from peckorder.wording import option, option_name

MOST_TIES = 1e5  # ν at which practically all contests are ties
UNSEEN = 0.5  # contests added to each dyad of a pilot: a dyad that did not meet may meet


@dataclass(frozen=True)
class Assumed:
    """A group with strengths and encounters as assumed."""

    names: tuple[str, ...]
    spread: float
    strengths: Any
    meeting: Any
    unknown: float  # share of dyads that never meet

    @classmethod
    def of(cls, individuals: Any, spread: float, strengths: Any, meeting: Any, unknown: Any):
        """Checked assumptions."""
        names = names_of(individuals)
        if not is_number(unknown) or not 0 <= unknown < 1:
            raise ArgumentError(
                f"{option('unknown', str(unknown))}: give a share of dyads, from 0 to below 1."
            )
        dyads = len(names) * (len(names) - 1) / 2
        most = 1 - (len(names) - 1) / dyads
        if unknown > most:
            raise ArgumentError(
                f"{option('unknown', str(unknown))}: {len(names)} individuals stay connected only "
                f"if at most {most:.2f} of the dyads never meet."
            )
        if unknown and not (isinstance(meeting, str) and meeting == "equal"):
            raise ArgumentError(
                f"{option_name('unknown')} needs {option('meeting', 'equal')}. Otherwise give "
                f"a matrix with zeros as the meeting."
            )
        return cls(names, spread, strengths, meeting, float(unknown))

    @property
    def flat(self) -> bool:
        """Whether all individuals are equal."""
        if isinstance(self.strengths, str):
            return self.spread == 0
        return bool(np.ptp(np.asarray(self.strengths, float)) == 0)

    def record(self, run: int, seed: int, contests: float | None) -> tuple[Truth, Interactions]:
        """A truth and a record of it."""
        return hierarchy(
            self.names,
            int(contests or 1),
            strengths=self.strengths,
            spread=self.spread,
            meeting=self._meeting(seed) if self.unknown else self.meeting,
            seed=seed,
        )

    def _meeting(self, seed: int) -> np.ndarray:
        """Equal rates of all dyads but random ones that never meet; everybody stays connected."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 10]))
        size = len(self.names)
        path = random.permutation(size)
        kept = np.zeros((size, size), bool)
        kept[path[:-1], path[1:]] = kept[path[1:], path[:-1]] = True
        a, b = np.triu_indices(size, 1)
        free = np.flatnonzero(~kept[a, b])
        lost = random.choice(free, min(len(free), round(self.unknown * len(a))), replace=False)
        meeting = np.ones((size, size))
        meeting[a[lost], b[lost]] = meeting[b[lost], a[lost]] = 0.0
        return meeting


@dataclass(frozen=True)
class Pilot:
    """A group as a pilot record leaves it: possible ratings, and how often pairs meet."""

    worlds: Worlds
    names: tuple[str, ...]
    met: np.ndarray  # contests of each pair in the pilot

    @classmethod
    def of(cls, data: Interactions | Matrix, runs: int, seed: int, threads: int | None) -> Pilot:
        """Posterior of the pilot and its encounters, of those present at the end."""
        contests = contests_of(data, "power")
        worlds = Worlds.of(posterior_of(contests, seed, threads), runs, seed)
        met = np.zeros((len(contests.individuals),) * 2)
        np.add.at(met, (contests.winner, contests.loser), 1.0)
        there = np.flatnonzero(worlds.present)
        names = tuple(contests.individuals[i] for i in there)
        return cls(worlds, names, (met + met.T)[np.ix_(there, there)])

    def record(self, run: int, seed: int, contests: float | None) -> tuple[Truth, Interactions]:
        """A truth and a record of it; encounter rates are drawn given the pilot."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 11]))
        rate = np.triu(random.gamma(self.met + UNSEEN), 1)
        return hierarchy(
            self.names,
            int(contests or 1),
            strengths=self.worlds.courses.strengths[run, -1, self.worlds.present],
            meeting=rate + rate.T,
            nu=min(self.worlds.ratings.bank.nu, MOST_TIES),
            seed=seed,
        )
