"""How sensitive is a record to true changes, by group size, steepness and k?

Usage: python benchmarks/sensitivity.py [--quick]. The question that Goffe et al. (2018) leave open.
In each record, the strongest individual and the one of median rank exchange strengths. A change is
shown from the contest on after which the new alpha stays above the old one until the end of the
record (Elo ratings); its delay is counted in contests per individual. The same records without the
change give the share in which the old alpha would wrongly seem overtaken. Writes
docs/pictures/sensitivity.png.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import peckorder as po

RECORDS = 10 if "--quick" in sys.argv[1:] else 100
SIZES = (5, 8, 12, 20, 30)
SPREADS = {1.0: "flat", 2.0: "moderate", 4.0: "steep"}  # of a grid, on the natural scale
KS = (50, 100, 200)
BEFORE, AFTER = 40, 60  # contests per individual


def record(size: int, spread: float, change: bool, seed: int) -> tuple[po.Contests, list[str]]:
    """A record, and the names of the old and the new alpha."""
    names = [f"i{i:02d}" for i in range(size)]
    strength = dict(zip(names, np.linspace(spread, -spread, size).tolist(), strict=True))
    old, new = names[0], names[size // 2]
    later = strength | {old: strength[new], new: strength[old]} if change else strength
    parts = [
        {"strengths": strength, "contests": BEFORE * size // 2},
        {"strengths": later, "contests": AFTER * size // 2},
    ]
    return po.simulate.periods(parts, seed=seed)[1], [old, new]


def delay(data: po.Contests, pair: list[str], k: float, size: int) -> float:
    """Contests per individual after the change until the new alpha stays above the old one."""
    ratings = po.elo(data, k=k)
    codes = np.array([data.individuals.index(name) for name in pair])
    path = ratings.course.replay.after_each(codes)[BEFORE * size // 2 :]
    behind = np.flatnonzero(~(path[:, 1] > path[:, 0]))
    last = behind[-1] + 1 if behind.size else 0
    return np.inf if last >= len(path) else 2 * last / size


def main() -> None:
    """Print one row per size, spread and k, and draw the delays."""
    print("| individuals | hierarchy | k | shown | median delay (quartiles) | without change |")
    print("|---|---|---|---|---|---|")
    plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
    figure, panels = plt.subplots(1, len(KS), sharey=True, figsize=(7.2, 2.6), layout="constrained")
    for panel, k in zip(panels, KS, strict=True):
        for (spread, label), color in zip(
            SPREADS.items(), ("#9ecae1", "#3182bd", "#08306b"), strict=True
        ):
            medians = []
            for size in SIZES:
                found = {
                    change: np.array(
                        [
                            delay(*record(size, spread, change, seed), k, size)
                            for seed in range(RECORDS)
                        ]
                    )
                    for change in (True, False)
                }
                shown = found[True]
                low, middle, high = np.quantile(shown, [0.25, 0.5, 0.75], method="higher")
                medians.append(middle)
                print(
                    f"| {size} | {label} | {k} | {np.isfinite(shown).mean():.2f} | "
                    f"{middle:.0f} ({low:.0f}–{high:.0f}) | "
                    f"{np.isfinite(found[False]).mean():.2f} |"
                )
            panel.plot(SIZES, medians, "o-", color=color, ms=3, lw=1, label=label)
        panel.set(title=f"k = {k}", xlabel="Individuals", ylim=(0, AFTER))
    panels[0].set_ylabel("Contests per individual\nuntil a takeover is shown")
    panels[0].legend(frameon=False, title="Hierarchy")
    figure.savefig(Path(__file__).parent.parent / "docs" / "pictures" / "sensitivity.png", dpi=150)


if __name__ == "__main__":
    main()
