"""Two simulation studies: recovery of ratings after rank changes, and agreement of Elo with I&SI.

Goffe et al. (2018) report, from two runs of each scenario, how soon ranks are correct again after
an external takeover (3A: 200 contests), a coalitionary leap (3B: more than 2000) and a period of
instability after the loss of the top two (3C: 100, among the survivors). Here each scenario is run
with many seeds and rated with the maximum-likelihood k, all individuals starting at 0. The outcome
is the excess of Ranks MAE (mean |rank by ratings − true rank|, evaluated every ten contests) over
its level before the event (the mean of the last 300 contests): its mean over runs with a 95%
interval, as a share of the jump (the first evaluation after the event), and the contest from which
the interval contains 0, both for single evaluations and for means of 100 contests (which are less
noisy). The event of 3C is the end of the instability; its level is that before the loss. Scenario
3B has hardly converged after 1000 contests among 25 individuals, so it is also compared, contest by
contest, with control runs of the same length and k without an event.

Albers & de Vries (2001), Example II: contests from a known matrix of winning probabilities, 13
individuals; Spearman correlation of Elo's ranks (k = 20, printed table) with the I&SI order, and of
both with the truth, if all individuals initiate against all others equally, or if low-ranking
individuals rarely initiate against those above them; without and with an advantage of the initiator
(1 on the log-odds). The data contain the winner, not the initiator: without such an advantage,
initiative has no effect on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from common import print_table, wants_quick
from scipy import stats

import peckorder as po

EVERY, BEFORE, SMOOTH = 10, 300, 10  # contests, contests, evaluations
AFTER = (50, 100, 200, 300, 600, 1000, 1600, 2000)
INDIVIDUALS, CONTESTS, K = 13, (5, 20, 100), 20.0


@dataclass(frozen=True)
class Scenario:
    """A scenario: contests before its level and its event, and the number stated in the paper."""

    name: str
    make: Callable[..., Any]
    settled: int
    event: int
    within: int
    at_least: bool = False


SCENARIOS = (
    Scenario("3A takeover", po.simulate.takeover, 2000, 2000, 200),
    Scenario("3B coalitionary leap", po.simulate.coalitionary_leap, 1000, 1000, 2000, True),
    Scenario("3C mortality", po.simulate.mortality, 1000, 2000, 100),
)


def course(ratings: Any, truth: Any) -> np.ndarray:
    """Ranks MAE at every evaluation, among individuals present at the end."""
    there = ~np.isnan(truth.final)
    lasting = [name for name, stays in zip(truth.individuals, there, strict=True) if stays]
    found = po.simulate.rank_error(ratings, truth=truth, every=EVERY, among=lasting)
    return found.table["mae"].to_numpy()


def disturbed(scenario: Scenario, seed: int) -> tuple[np.ndarray, float]:
    """The error over a run, rated with the maximum-likelihood k, and this k."""
    truth, data = scenario.make(seed=seed)
    ratings = po.elo_ml(data, estimate="k")
    return course(ratings, truth), ratings.k


def control(seed: int, k: float) -> np.ndarray:
    """The same for a control run: 25 individuals without an event, as long as scenario 3B."""
    truth, data = po.simulate.hierarchy(25, 3000, spread=6.0, seed=1000 + seed)
    return course(po.elo(data, k=k, start=0, curve=po.curves.Exponential(1.0)), truth)


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over rows, and half the width of its 95% interval."""
    error = stats.t.ppf(0.975, len(values) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return values.mean(axis=0), error


def first_without(excess: np.ndarray, looks: int = 1) -> float:
    """First contest at which the interval of the mean, over `looks` evaluations, contains 0."""
    sums = np.cumsum(np.pad(excess, ((0, 0), (1, 0))), axis=1)
    mean, error = mean_and_error((sums[:, looks:] - sums[:, :-looks]) / looks)
    none = np.flatnonzero(mean - error <= 0)
    return float(none[0] + 1) * EVERY if none.size else np.inf


def when_text(contests: float) -> str:
    return f"{contests:,.0f}" if np.isfinite(contests) else "never"


def excess_rows(name: str, excess: np.ndarray) -> list[list[str]]:
    """One row per time after the event; the jump is the first evaluation."""
    mean, error = mean_and_error(excess)
    rows = [[name, "jump", f"{mean[0]:.3f} ± {error[0]:.3f}", "100%"]]
    for after in AFTER:
        at = after // EVERY - 1
        if at < len(mean):
            share = f"{100 * mean[at] / mean[0]:.0f} ± {100 * error[at] / mean[0]:.0f}%"
            rows.append(["", f"{after:,}", f"{mean[at]:.3f} ± {error[at]:.3f}", share])
    return rows


def sentence(scenario: Scenario, excess: np.ndarray) -> str:
    """The statement of the paper compared with the means over runs."""
    mean, error = (part / excess[:, 0].mean() for part in mean_and_error(excess))
    at = scenario.within // EVERY - 1
    single, hundred = first_without(excess), first_without(excess, SMOOTH)
    if scenario.at_least:
        stated = f"more than {scenario.within:,}"
        sooner = hundred < scenario.within
        verdict = "not confirmed: on average, errors vanish sooner" if sooner else "confirmed"
    else:
        stated = f"{scenario.within:,}"
        if hundred <= scenario.within:
            verdict = "confirmed: on average, errors vanish at least as soon"
        else:
            verdict = "not confirmed: on average, errors take longer to vanish"
    against = " (relative to control runs)" if scenario.at_least else ""
    return (
        f"{scenario.name}. Paper: {stated} contests. Here{against}, {100 * mean[at]:.0f} ± "
        f"{100 * error[at]:.0f}% of the jump remains after {scenario.within:,}; no excess from "
        f"{when_text(single)} (single evaluations) or {when_text(hundred)} (means of 100 contests) "
        f"on. The statement is {verdict}."
    )


def level_row(name: str, k: str, seen: np.ndarray, level: float, excess: np.ndarray) -> list[str]:
    late = seen[:, -BEFORE // EVERY :].mean()
    when = (when_text(first_without(excess, looks)) for looks in (1, SMOOTH))
    return [name, k, f"{level:.3f}", f"{late:.3f}", f"{excess[:, 0].mean():.3f}", *when]


def goffe(runs: int) -> None:
    rows, sentences, levels = [], [], []
    seeds = range(1, runs + 1)
    for scenario in SCENARIOS:
        seen, k = map(np.array, zip(*(disturbed(scenario, seed) for seed in seeds), strict=True))
        before = slice((scenario.settled - BEFORE) // EVERY, scenario.settled // EVERY)
        after = slice(scenario.event // EVERY, None)
        level = seen[:, before].mean(axis=1, keepdims=True)
        excess = seen[:, after] - level
        rows += excess_rows(scenario.name, excess)
        low, middle, high = np.quantile(k, [0, 0.5, 1])
        fitted = f"{middle:.2f} ({low:.2f} to {high:.2f})"
        levels.append(level_row(scenario.name, fitted, seen, level.mean(), excess))
        if scenario.at_least:
            controls = np.array([control(seed, own) for seed, own in zip(seeds, k, strict=True)])
            excess = seen[:, after] - controls[:, after]
            name = f"{scenario.name[:2]} relative to control runs"
            rows += excess_rows(name, excess)
            levels.append(level_row(name, "", controls, controls[:, before].mean(), excess))
        sentences.append(sentence(scenario, excess))
    print(f"Ranks MAE, means of {runs} runs; k by maximum likelihood (natural scale) and its range")
    print_table(
        ["", "k", "level before", "last 300 contests", "jump", "no excess from", "means of 100"],
        levels,
    )
    print(f"Excess of Ranks MAE over its level before the event, mean ± 95% interval, {runs} runs")
    print_table(["", "contests after", "excess", "share of the jump"], rows)
    print(*sentences, sep="\n")
    print()


def chances(kind: str) -> np.ndarray:
    """Probability that the row beats the column; the strongest is first."""
    place = np.arange(INDIVIDUALS)
    ahead = place[None, :] - place[:, None]
    if kind == "0.9":
        return 0.5 + 0.4 * np.sign(ahead)
    return 0.5 + 0.45 * ahead / (INDIVIDUALS - 1)


def example_two(
    seed: int, kind: str, per_dyad: int, initiative: float, advantage: float
) -> list[float]:
    """Spearman correlations of Elo and I&SI, Elo and the truth, I&SI and the truth."""
    contests = per_dyad * INDIVIDUALS * (INDIVIDUALS - 1) // 2
    truth, data = po.simulate.hierarchy(
        INDIVIDUALS,
        contests,
        chances=chances(kind),
        initiative=initiative,
        starter_advantage=advantage,
        seed=seed,
    )
    elo, order = po.elo(data, k=K, curve="table"), po.isi(data)
    ranks = [-elo.rating, order.rank, -truth.final]
    return [float(stats.spearmanr(ranks[a], ranks[b])[0]) for a, b in ((0, 1), (0, 2), (1, 2))]


def albers(runs: int) -> None:
    rows: list[list] = []
    gains: dict[float, list[float]] = {0.0: [], 1.0: []}
    for advantage, kind, per_dyad in product(gains, ("0.9", "by distance"), CONTESTS):
        found = {}
        for initiative in (1.0, 0.1):
            seen = np.array(
                [
                    example_two(seed, kind, per_dyad, initiative, advantage)
                    for seed in range(1, runs + 1)
                ]
            )
            found[initiative] = seen[:, 0]
            low, middle, high = np.quantile(seen[:, 0], [0.05, 0.5, 0.95])
            gain, error = mean_and_error(seen[:, :1] - found[1.0][:, None])
            if initiative < 1:
                gains[advantage].append(float(np.sign(gain[0]) * (abs(gain[0]) > error[0])))
            rows.append(
                [
                    f"{advantage:g}",
                    kind,
                    per_dyad,
                    f"{initiative:g}",
                    f"{middle:.3f}",
                    f"{low:.3f} to {high:.3f}",
                    f"{gain[0]:+.3f} ± {error[0]:.3f}" if initiative < 1 else "",
                    *(f"{np.median(seen[:, i]):.3f}" for i in (1, 2)),
                ]
            )
    print(
        f"Example II: Spearman correlation of Elo (k = {K:g}, table) and I&SI, {INDIVIDUALS} "
        f"individuals, "
        f"{runs} runs"
    )
    print_table(
        [
            "initiator advantage",
            "P(higher wins)",
            "per dyad",
            "initiative",
            "median",
            "5% to 95%",
            "gain (mean)",
            "Elo, truth",
            "I&SI, truth",
        ],
        rows,
    )
    for advantage, signs in gains.items():
        print(
            f"Advantage {advantage:g}: with asymmetric initiative, the correlation is higher in "
            f"{signs.count(1.0)} of {len(signs)} settings, lower in {signs.count(-1.0)}."
        )


def main() -> None:
    runs = 5 if wants_quick(__doc__) else 50
    goffe(runs)
    albers(runs)


if __name__ == "__main__":
    main()
